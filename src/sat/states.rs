//! Has one model a final state that another has not? Two searches side by side: what the first proposes, the second is asked about.

use std::ops::ControlFlow;

use super::search::{Accepted, Search, Wanted, search};
use super::solver::Lit;
use crate::condition::{Atom, Observable, Prop};
use crate::diag::Diagnostic;
use crate::execution::{AtBound, Execution, View};
use crate::explore::{self, Mode, Options, Sink, bind};
use crate::litmus::Lowered;
use crate::model::{Model, Val};
use crate::outcome::Completeness;
use crate::program::{Type, Value};

/// What the final states of one model are to another.
#[derive(Debug)]
pub struct Compared {
    /// An execution of the target that ends in a state that the source does not reach. The search ends with it.
    pub new: Option<Execution>,
    /// States of the target that were looked at, that one included.
    pub states: u64,
    /// Was everything looked at that the answer depends on?
    pub completeness: Completeness,
}

/// How an execution ends. Those that were cut off are compared with such.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Cut,
}

/// Looks for a final state that `target` allows and `source` does not. States are those of everything that the test shows.
///
/// # Errors
/// As [`super::run`], for either model.
pub fn new_state(
    test: &Lowered,
    source: &Model,
    target: &Model,
    options: &Options,
) -> Result<Compared, Diagnostic> {
    let options = &Options { mode: Mode::States, speedcheck: false, ..options.clone() };
    let (mut new, mut states) = (None, 0);
    let mut asked = None;
    let theirs = search(test, target, options, Sink::new(test, options), false, &mut |theirs| {
        theirs.errors()?;
        theirs.cuts()?;
        asked = Some(search(test, source, options, Sink::new(test, options), false, &mut |ours| {
            for ending in [Ending::Whole, Ending::Cut] {
                if ending == Ending::Cut && options.at_bound != AtBound::Keep {
                    continue;
                }
                let (of_theirs, of_ours) = (theirs.ending(ending), ours.ending(ending));
                while let Some(found) = theirs.another(&of_theirs)? {
                    states += 1;
                    let state = theirs.state(&found);
                    if !ours.reaches(&of_ours, &state)? {
                        new = Some(theirs.execution(&found)?);
                        return ControlFlow::Continue(());
                    }
                    theirs.leave_out(&found);
                }
            }
            ControlFlow::Continue(())
        }));
        ControlFlow::Continue(())
    })?;
    let ours = asked.transpose()?;
    let stopped =
        |completeness: &Completeness| !matches!(completeness, Completeness::Complete | Completeness::Bounded);
    let completeness = match ours.map(|outcome| outcome.completeness).filter(stopped) {
        Some(stopped) => stopped,
        None => theirs.completeness,
    };
    Ok(Compared { new, states, completeness })
}

/// An execution that ends in that state, if the model allows one.
///
/// # Errors
/// As [`super::run`].
pub fn ending_in(
    test: &Lowered,
    model: &Model,
    options: &Options,
    state: &[Value],
    cut: bool,
) -> Result<Option<Execution>, Diagnostic> {
    let options = &Options { mode: Mode::States, speedcheck: false, ..options.clone() };
    let mut found = None;
    search(test, model, options, Sink::new(test, options), false, &mut |search| {
        let ending = search.ending(if cut { Ending::Cut } else { Ending::Whole });
        if let Some(accepted) = search.in_state(&ending, state)? {
            found = Some(search.execution(&accepted)?);
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Nothing is cut off of values.
const WHOLE: Type = Type { bytes: 16, signed: true };

impl Search<'_, '_> {
    /// What is asked of an execution that ends so.
    fn ending(&mut self, ending: Ending) -> Vec<Lit> {
        let is_cut = |path: &crate::execution::Path| path.cut.is_some();
        let whole = self.encoding.no_path(self.paths, &|path| path.aborted || path.error.is_some());
        let cut = match ending {
            Ending::Whole => self.encoding.no_path(self.paths, &is_cut),
            Ending::Cut => self.encoding.some_path(self.paths, &is_cut),
        };
        vec![whole, cut]
    }

    /// An execution with a final state that was not left out.
    fn another(&mut self, ending: &[Lit]) -> ControlFlow<(), Option<Accepted>> {
        let found = self.next(ending, Wanted::Asked)?;
        self.without_errors(found)
    }

    fn without_errors(&mut self, found: Option<Accepted>) -> ControlFlow<(), Option<Accepted>> {
        match found {
            Some(Accepted { errors, .. }) if !errors.is_empty() => {
                errors.into_iter().take(1).for_each(|error| {
                    let _ = self.sink.fail(error);
                });
                ControlFlow::Break(())
            }
            found => ControlFlow::Continue(found),
        }
    }

    /// The final state, in the order of what the test shows.
    fn state(&self, found: &Accepted) -> Vec<Value> {
        let value = |shown: &Observable| found.state.get(shown).copied().unwrap_or(Value::ZERO);
        self.test.shown.iter().map(value).collect()
    }

    /// No other execution with that final state.
    fn leave_out(&mut self, found: &Accepted) {
        let mut state: Vec<(Observable, Value)> =
            self.test.shown.iter().copied().zip(self.state(found)).collect();
        state.sort_unstable();
        state.dedup();
        match self.finals.state(&state, &mut self.encoding, &mut self.values) {
            Some(literals) => {
                let clause: Vec<Lit> = literals.into_iter().map(|literal| !literal).collect();
                self.encoding.clause(&clause);
            }
            None => {
                let clause = found.proposal.whole(self.graph, true).clause(&mut self.encoding);
                self.encoding.clause(&clause);
            }
        }
    }

    /// Is there an execution that ends so, in that state?
    fn reaches(&mut self, ending: &[Lit], state: &[Value]) -> ControlFlow<(), bool> {
        ControlFlow::Continue(self.in_state(ending, state)?.is_some())
    }

    /// An execution that ends so, in that state.
    fn in_state(&mut self, ending: &[Lit], state: &[Value]) -> ControlFlow<(), Option<Accepted>> {
        let equation = |(place, value): (&Observable, &Value)| match place {
            Observable::Reg(..) | Observable::Loc(_) => {
                Some(Prop::Atom(Atom::Equals { left: *place, ty: WHOLE, value: *value }))
            }
            _ => None,
        };
        let prop = Prop::And(self.test.shown.iter().zip(state).filter_map(equation).collect());
        let here = self.finals.prop(&prop, true, &mut self.encoding, &mut self.values);
        let assumed: Vec<Lit> = ending.iter().copied().chain([here]).collect();
        loop {
            let found = self.next(&assumed, Wanted::Asked)?;
            let Some(found) = self.without_errors(found)? else { return ControlFlow::Continue(None) };
            if self.state(&found) == state {
                return ControlFlow::Continue(Some(found));
            }
            // Clauses cannot say all of the state: not this one again, where it is asked for.
            let mut clause = found.proposal.whole(self.graph, true).clause(&mut self.encoding);
            clause.push(!here);
            self.encoding.clause(&clause);
        }
    }

    /// The execution as data.
    fn execution(&mut self, found: &Accepted) -> ControlFlow<(), Execution> {
        let made = (|| {
            let internal = || Diagnostic::internal("an execution that is none");
            let values = found.proposal.values(self.graph, self.test.program.bits).map_err(|_| internal())?;
            let placed = self.placed(&found.proposal, &values)?.ok_or_else(internal)?;
            let view =
                View { world: &placed.world, names: explore::names(self.test, self.model, &placed.world) };
            let candidate = placed.candidate();
            let mut plain = candidate.evaluation(self.model, &view);
            if let Some(co) = self.co {
                bind(self.model, &mut plain, co, Val::Rel(placed.co.clone()));
            }
            candidate.execution(self.test, self.model, &view, &mut plain, &[])
        })();
        match made {
            Ok(execution) => ControlFlow::Continue(execution),
            Err(diagnostic) => {
                let _ = self.sink.fail(diagnostic);
                ControlFlow::Break(())
            }
        }
    }
}
