//! Executions to be shown, kept while they are counted.
//!
//! A search that counts has no values for the names of the model, so whoever is to see an execution needs it once more, run plainly. But it need not be looked for again: of each
//! execution of the kind that is asked for, the search keeps its world and where each read may take its value from, as far as it was decided where the execution was found or counted. The
//! plain run goes into these worlds only, and there only where one of these is.

use std::sync::{Mutex, PoisonError};

use super::choices::State;
use super::drive::Job;
use super::search::Search;
use super::sink::{Found, Sink};
use super::witness::Request;
use super::{Engine, Mode, Options};
use crate::condition::Condition;
use crate::execution::{AtBound, World};
use crate::relation::rows::{self, Row};

/// More than this are not kept: they are not rare, and soon found again.
const MANY: usize = 1024;

/// What a run is to keep, and what it has kept.
#[derive(Debug)]
pub struct Keeping {
    request: Request,
    kept: Mutex<Option<Kept>>,
}

impl Keeping {
    /// Executions of that kind are to be shown later.
    pub fn new(request: &Request) -> Keeping {
        Keeping { request: request.clone(), kept: Mutex::new(None) }
    }

    /// Notes what a run has kept; nothing, if it has not all of them.
    pub(super) fn note(&self, kept: Option<Kept>) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept.filter(|kept| !kept.too_many);
    }

    /// What was kept, if that was asked for.
    pub(super) fn take(&self, request: &Request) -> Option<Kept> {
        if self.request != *request {
            return None;
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Where reads take their values from in some executions of a world: events of the world. Reads that are not mentioned: anywhere.
pub(super) type Sources = Vec<(usize, Vec<usize>)>;

/// Executions of the kind that is asked for.
#[derive(Default, Debug)]
pub(super) struct Kept {
    /// Worlds in the order of their numbers, each with those found in it.
    worlds: Vec<(usize, World, Vec<Sources>)>,
    /// Those of the world at hand.
    here: Vec<Sources>,
    /// How many were recorded, of whatever number.
    pub hits: u64,
    too_many: bool,
}

impl Kept {
    /// For a run, if it is one that keeps executions: one that counts all of them.
    pub fn of(options: &Options) -> Option<Kept> {
        let counts = options.mode == Mode::Count
            && options.engine != Engine::Naive
            && options.at_bound != AtBound::Keep
            && options.unit.is_none()
            && options.max_executions.is_none()
            && !options.speedcheck;
        (options.keep.is_some() && counts).then(Kept::default)
    }

    /// Is a recorded execution of the kind that is asked for?
    pub fn see(&mut self, options: &Options, condition: &Condition, positive: bool, found: &Found) {
        let Some(keeping) = &options.keep else { return };
        if keeping.request.show.wants(positive, found, condition.quantifier) {
            self.hits += 1;
        }
    }

    fn push(&mut self, sources: Sources) {
        self.too_many |= self.here.len() >= MANY;
        if !self.too_many {
            self.here.push(sources);
        }
    }

    /// Is through with a world, in which there were so many hits before.
    pub fn end_world(&mut self, number: usize, world: World, before: u64) {
        let mut here = std::mem::take(&mut self.here);
        if self.hits == before || self.too_many {
            return;
        }
        // Found by someone who does not say where.
        if here.is_empty() {
            here.push(Vec::new());
        }
        self.worlds.push((number, world, here));
        self.too_many |= self.worlds.len() > MANY;
    }

    /// Adds what another worker kept of the same world, or of other worlds.
    pub fn join(&mut self, other: Kept) {
        self.hits += other.hits;
        self.too_many |= other.too_many;
        other.here.into_iter().for_each(|sources| self.push(sources));
        self.worlds.extend(other.worlds);
        self.worlds.sort_by_key(|(number, ..)| *number);
    }

    /// Goes into the worlds that were kept, and nowhere else.
    pub fn look_into(self, job: &Job, sink: &mut Sink) {
        for (_, world, sources) in self.worlds {
            sink.only = sources;
            if job.look_into(world, sink).is_break() || sink.look_at_limits().is_break() {
                return;
            }
        }
    }
}

impl<const W: usize> Search<'_, '_, W> {
    /// How many executions of the kind that is asked for were recorded so far.
    pub(super) fn hits(&self) -> u64 {
        self.sink.keeps.as_ref().map_or(0, |kept| kept.hits)
    }

    /// Keeps where reads may take their values from, if there were more hits since. Of reads that the final state does not show, what counts is what they could read where executions
    /// began to be counted.
    pub(super) fn keep_sources(&mut self, before: u64, candidates: &[Row<W>]) {
        if self.hits() == before || self.kept_whole {
            return;
        }
        let problem = self.problem;
        let numbering = &problem.code.numbering.kept;
        let row = |read: usize| match &self.counted_from {
            Some(from) if !problem.looked_at[read] => from[read],
            _ => candidates[read],
        };
        let sources = problem.reads.iter().enumerate().map(|(number, read)| {
            (read.event, rows::bits(row(number)).map(|write| numbering[write]).collect())
        });
        let sources: Sources = sources.collect();
        if let Some(kept) = &mut self.sink.keeps {
            kept.push(sources);
        }
    }

    /// The sources that were kept, as rows of this search.
    pub(super) fn asked(&self) -> Vec<Vec<Row<W>>> {
        let problem = self.problem;
        let index = &problem.code.numbering.index;
        let row = |sources: &Sources, event: usize| {
            let Some((_, writes)) = sources.iter().find(|(read, _)| *read == event) else {
                return [!0; W];
            };
            let mut row = rows::zero();
            writes
                .iter()
                .filter_map(|write| *index.get(*write)?)
                .for_each(|write| rows::put(&mut row, write));
            row
        };
        let rows_of =
            |sources: &Sources| problem.reads.iter().map(|read| row(sources, read.event)).collect::<Vec<_>>();
        self.sink.only.iter().map(rows_of).collect()
    }

    /// Can an execution that was kept come of this state? (All can, where none was.)
    pub(super) fn is_asked(&self, state: &State<W>) -> bool {
        let meets = |(row, own): (&Row<W>, &Row<W>)| !rows::is_zero(&rows::and(row, own));
        self.only.is_empty() || self.only.iter().any(|rows| rows.iter().zip(&state.candidates).all(meets))
    }
}
