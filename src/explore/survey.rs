//! A search looked at from above before it begins: how large it is, and where it can be cut into parts of about the same size.

use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use super::domains::narrow_world;
use super::drive::{Job, fits, grows, is_accepted, is_feasible, ready, run_part, unfolded};
use super::probe::{Random, Walk};
use super::problem::Problem;
use super::root::Built;
use super::search::{Part, Search};
use super::sink::Sink;
use super::unit::{Decision, Subtree};
use super::{Mode, Options, growing};
use crate::diag::Diagnostic;
use crate::execution::{World, Worlds};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::Completeness;

/// A range is so many standard deviations to each side: walks are few, and their results far apart.
const DEVIATIONS: f64 = 4.0;
/// A part with fewer graphs than this is searched, which takes no longer than walks, and leaves nothing to guess.
const SEARCHED: f64 = 300.0;
/// Walks through each part.
const WALKS: usize = 8;
/// A world with fewer graphs than this is not cut.
const SMALL: f64 = if cfg!(test) { 2.0 } else { 100.0 };
/// So many worlds are searched, if they are small.
const FEW: u64 = 200;
/// So many worlds are all looked into; of more, some.
const ALL: u64 = 1000;

/// A part of a search, and how large it seems to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// Which part.
    pub subtree: Subtree,
    /// Graphs that the search visits in it.
    pub graphs: Guess,
    /// Executions that it has.
    pub executions: Guess,
}

/// An estimate: the mean of what walks say, and the variance of that mean.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Guess {
    /// The mean.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
}

impl Guess {
    /// The mean of samples.
    pub(crate) fn of(samples: impl Iterator<Item = f64> + Clone) -> Guess {
        let n = samples.clone().count().max(1) as f64;
        let mean = samples.clone().sum::<f64>() / n;
        let squares: f64 = samples.map(|sample| (sample - mean) * (sample - mean)).sum();
        Guess { mean, variance: if n > 1.0 { squares / (n - 1.0) / n } else { mean * mean } }
    }

    /// What is known for sure.
    pub(crate) fn sure(mean: f64) -> Guess {
        Guess { mean, variance: 0.0 }
    }

    /// The sum of estimates that have nothing to do with each other.
    pub fn sum(guesses: impl Iterator<Item = Guess>) -> Guess {
        guesses.fold(Guess::default(), |sum, guess| Guess {
            mean: sum.mean + guess.mean,
            variance: sum.variance + guess.variance,
        })
    }

    /// From where to where it is likely to be.
    pub fn range(&self) -> (f64, f64) {
        let width = DEVIATIONS * self.variance.sqrt();
        ((self.mean - width).max(0.0), self.mean + width)
    }
}

/// Cuts a search into about `parts` parts, of sizes that are estimated.
///
/// # Errors
/// Those of the search.
pub fn survey(
    test: &Lowered,
    model: &Model,
    options: &Options,
    parts: usize,
    seed: u64,
) -> Result<Vec<Share>, Diagnostic> {
    survey_until(test, model, options, parts, seed, None)
}

/// Likewise, into fewer parts where that would take longer.
fn survey_until(
    test: &Lowered,
    model: &Model,
    options: &Options,
    parts: usize,
    seed: u64,
    until: Option<Instant>,
) -> Result<Vec<Share>, Diagnostic> {
    let options = &Options { mode: Mode::Count, jobs: 1, gauge: None, ..options.clone() };
    let mut random = Random::new(seed);
    let worlds = unfolded(test, options)?;
    let job = Job { test, model, options, registers: model.needs_register_events() };
    // First every world by itself; then the large ones, in parts.
    let rough = rough(&job, worlds, &mut random, until)?;
    Ok(rough.cut(&job, parts, &mut random, until))
}

/// How long a first try may take that tells how fast the search is.
const TRY: Duration = Duration::from_millis(400);
/// Parts that an estimate is made of, if there is time for them.
const STRATA: usize = 256;
const TIME: Duration = Duration::from_secs(3);

/// How large a search is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Executions that are found.
    pub executions: Guess,
    /// Graphs that are visited.
    pub graphs: Guess,
    /// Graphs visited in a second, by all workers together.
    pub rate: f64,
    /// Was the search so small that it was simply done?
    pub exact: bool,
}

impl Estimate {
    /// Seconds that the search takes: about, at least, at most.
    pub fn seconds(&self) -> (f64, f64, f64) {
        let (least, most) = self.graphs.range();
        (self.graphs.mean / self.rate, least / self.rate, most / self.rate)
    }
}

/// How many executions there are, and how long it takes to find them.
///
/// # Errors
/// Those of the search.
pub fn estimate(test: &Lowered, model: &Model, options: &Options, seed: u64) -> Result<Estimate, Diagnostic> {
    let started = Instant::now();
    let first = Options { timeout: Some(TRY), gauge: None, unit: None, ..options.clone() };
    let tried = super::run(test, model, &first)?;
    let elapsed = started.elapsed().as_secs_f64().max(1e-6);
    let found = tried.stats.executions.as_f64();
    let rate = (tried.stats.graphs as f64 / elapsed).max(1.0);
    if tried.completeness != Completeness::TimedOut {
        let (executions, graphs) = (Guess::sure(found), Guess::sure(tried.stats.graphs as f64));
        return Ok(Estimate { executions, graphs, rate, exact: true });
    }
    let (graphs, executions) = guess(test, model, options, seed)?;
    Ok(Estimate { executions, graphs, rate, exact: false })
}

/// Graphs and executions of a search, by random walks alone.
///
/// # Errors
/// Those of the search.
pub fn guess(
    test: &Lowered,
    model: &Model,
    options: &Options,
    seed: u64,
) -> Result<(Guess, Guess), Diagnostic> {
    if grows(test, model, options) {
        return growing::walks(test, model, options, &mut Random::new(seed));
    }
    let until = Instant::now() + TIME;
    let shares = survey_until(test, model, options, STRATA, seed, Some(until))?;
    let executions = Guess::sum(shares.iter().map(|share| share.executions));
    let graphs = Guess::sum(shares.iter().map(|share| share.graphs));
    Ok((graphs, executions))
}

/// Is there no time left?
fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() > until)
}

/// What is known of worlds after a first look.
struct Rough {
    /// For worlds one after the other: how large each seems to be; those that can be cut are kept.
    worlds: Vec<Looked>,
}

struct Looked {
    walk: (Guess, Guess),
    /// The world, where there is something in it to share out.
    world: Option<Box<World>>,
}

fn rough(
    job: &Job,
    mut worlds: Worlds,
    random: &mut Random,
    until: Option<Instant>,
) -> Result<Rough, Diagnostic> {
    let mut found: Vec<Looked> = Vec::new();
    let (mut step, mut looked) = (1, 0);
    while let Some(mut world) = worlds.next_while(&mut || limits::look().is_none()) {
        limits::poll();
        let number = found.len() as u64;
        let mut sink = Sink::new(job.test, job.options);
        if let Some(error) = world.errors.first() {
            let view = job.view(&world);
            let feasible = is_feasible(&view, &mut sink).continue_value().unwrap_or(false);
            if feasible && is_accepted(job.model, &view, job.options, job.test) {
                return Err(error.clone());
            }
        }
        // Of very many worlds one in so many stands for those after it.
        if !number.is_multiple_of(step) || number > 0 && is_over(until) {
            let walk = found.last().map_or_else(Default::default, |last| last.walk);
            found.push(Looked { walk, world: None });
            continue;
        }
        looked += 1;
        if looked % ALL == 0 {
            step *= 2;
        }
        let one = (Guess::sure(1.0), Guess::default());
        let dull = !world.errors.is_empty() || !world.cuts.is_empty() || world.aborted;
        let walk = match dull || !narrow_world(&mut world, &job.test.program) {
            true => None,
            false => {
                let view = job.view(&world);
                fits(view.names.n)?;
                let built = ready(job.model, &view, job.options, &mut sink);
                match built {
                    Ok(Built::Ready(problem)) => {
                        let walked = walks(&problem, job.options, &[], &mut sink, random).unwrap_or(one);
                        // Small worlds are searched, as long as they are few.
                        let few =
                            if looked <= FEW { counted(&problem, job, walked.0.mean, &[]) } else { None };
                        Some(few.unwrap_or(walked))
                    }
                    _ => None,
                }
            }
        };
        // What is said of a path is said by whoever has all of its world.
        let large = walk.is_some_and(|(graphs, _)| graphs.mean > SMALL) && world.violations.is_empty();
        found.push(Looked { walk: walk.unwrap_or(one), world: large.then(|| Box::new(world)) });
    }
    Ok(Rough { worlds: found })
}

impl Rough {
    fn cut(self, job: &Job, parts: usize, random: &mut Random, until: Option<Instant>) -> Vec<Share> {
        let total = Guess::sum(self.worlds.iter().map(|looked| looked.walk.0)).mean;
        let target = total / parts.max(1) as f64;
        let mut shares: Vec<Share> = Vec::new();
        // Small worlds one after the other make one part.
        let mut open: Option<Share> = None;
        for (number, looked) in self.worlds.into_iter().enumerate() {
            let number = number as u64;
            let (graphs, executions) = looked.walk;
            if let (true, Some(world)) = (graphs.mean > target, &looked.world) {
                shares.extend(open.take());
                // A world with more than its part is cut into as many as it has.
                let parts = (graphs.mean / target).ceil() as usize;
                let whole = Share { subtree: Subtree::Node(number, Vec::new()), graphs, executions };
                shares.extend(in_world(job, world, whole, (parts, until), random));
                continue;
            }
            let next = match open.take() {
                Some(share) if share.graphs.mean + graphs.mean > target => {
                    shares.push(share);
                    None
                }
                open => open,
            };
            let before = next.unwrap_or(Share {
                subtree: Subtree::Worlds(number, number),
                graphs: Guess::default(),
                executions: Guess::default(),
            });
            let from = match before.subtree {
                Subtree::Worlds(from, _) => from,
                _ => number,
            };
            open = Some(Share {
                subtree: Subtree::Worlds(from, number + 1),
                graphs: Guess::sum([before.graphs, graphs].into_iter()),
                executions: Guess::sum([before.executions, executions].into_iter()),
            });
        }
        shares.extend(open);
        shares
    }
}

/// The largest first.
struct BySize(Share);

impl PartialEq for BySize {
    fn eq(&self, other: &BySize) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for BySize {}

impl PartialOrd for BySize {
    fn partial_cmp(&self, other: &BySize) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BySize {
    fn cmp(&self, other: &BySize) -> std::cmp::Ordering {
        let size = self.0.graphs.mean.total_cmp(&other.0.graphs.mean);
        size.then_with(|| other.0.subtree.cmp(&self.0.subtree))
    }
}

/// Cuts one world: always the largest part, until there are enough.
fn in_world(
    job: &Job,
    world: &World,
    whole: Share,
    (parts, until): (usize, Option<Instant>),
    random: &mut Random,
) -> Vec<Share> {
    let view = job.view(world);
    let mut sink = Sink::new(job.test, job.options);
    let Ok(Built::Ready(problem)) = ready(job.model, &view, job.options, &mut sink) else {
        return vec![whole];
    };
    let mut done = Vec::new();
    let mut heap = BinaryHeap::from([BySize(whole)]);
    while heap.len() + done.len() < parts
        && !is_over(until)
        && let Some(BySize(share)) = heap.pop()
    {
        limits::poll();
        let Subtree::Node(number, start) = &share.subtree else { continue };
        let children = children(&problem, job.options, start, &mut sink);
        if children.is_empty() {
            done.push(share);
            continue;
        }
        for child in children {
            let path: Vec<Decision> = start.iter().copied().chain([child]).collect();
            // Nothing comes of decisions that contradict each other.
            let Some((graphs, executions)) = walks(&problem, job.options, &path, &mut sink, random) else {
                continue;
            };
            heap.push(BySize(Share { subtree: Subtree::Node(*number, path), graphs, executions }));
        }
    }
    done.extend(heap.into_iter().map(|BySize(share)| share));
    done.sort_by(|a, b| a.subtree.cmp(&b.subtree));
    // What was cut was what seemed to be large; what is left seems smaller than it is. So all of it is looked at once more.
    for share in &mut done {
        limits::poll();
        let Subtree::Node(_, start) = &share.subtree else { continue };
        if let Some(found) = counted(&problem, job, share.graphs.mean, start)
            .or_else(|| walks(&problem, job.options, start, &mut sink, random))
        {
            (share.graphs, share.executions) = found;
        }
    }
    done
}

/// Graphs and executions after these decisions, by looking at them all. `None`: that would take too long.
fn counted(problem: &Problem, job: &Job, graphs: f64, start: &[Decision]) -> Option<(Guess, Guess)> {
    if graphs > SEARCHED {
        return None;
    }
    let options = &Options { unit: None, ..job.options.clone() };
    let mut sink = Sink::new(job.test, options);
    sink.most_graphs = 4 * SEARCHED as u64;
    if run_part(problem, options, (Part::WHOLE, start), &mut sink).is_break() {
        return None;
    }
    let stats = &sink.outcome.stats;
    Some((Guess::sure(stats.graphs as f64), Guess::sure(stats.executions.as_f64())))
}

/// Does something with the search of a world, whatever its width.
macro_rules! in_width {
    ($problem:expr, $w:ident => $work:expr, $none:expr) => {
        match $problem.code.numbering.len() {
            0..=64 => {
                const $w: usize = 1;
                $work
            }
            65..=128 => {
                const $w: usize = 2;
                $work
            }
            129..=256 => {
                const $w: usize = 4;
                $work
            }
            257..=512 => {
                const $w: usize = 8;
                $work
            }
            513..=1024 => {
                const $w: usize = 16;
                $work
            }
            _ => $none,
        }
    };
}

/// Graphs and executions after these decisions. `None`: there are none.
fn walks(
    problem: &Problem,
    options: &Options,
    start: &[Decision],
    sink: &mut Sink,
    random: &mut Random,
) -> Option<(Guess, Guess)> {
    in_width!(problem, WIDTH => {
        let mut search: Search<WIDTH> = Search::new(problem, options, Part::WHOLE, sink);
        if search.begin(start) != Ok(true) {
            return None;
        }
        let walks: Vec<Walk> = (0..WALKS).map(|_| search.walk(random)).collect();
        // Decisions that are refuted at once are so whoever walks.
        if !start.is_empty() && walks.iter().all(|walk| *walk == Walk { graphs: 1.0, executions: 0.0 }) {
            return None;
        }
        Some((Guess::of(walks.iter().map(|walk| walk.graphs)), Guess::of(walks.iter().map(|walk| walk.executions))))
    }, None)
}

fn children(problem: &Problem, options: &Options, start: &[Decision], sink: &mut Sink) -> Vec<Decision> {
    in_width!(problem, WIDTH => {
        let mut search: Search<WIDTH> = Search::new(problem, options, Part::WHOLE, sink);
        if search.begin(start) == Ok(true) { search.children() } else { Vec::new() }
    }, Vec::new())
}
