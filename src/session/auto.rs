//! Which engine answers: the explorer first, and the solver beside it where that takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::pipeline::STACK;
use crate::diag::{Diagnostic, Remedy};
use crate::execution::AtBound;
use crate::explore::{self, Engine, Mode, Options};
use crate::limits::{self, Budget};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::{Completeness, Outcome};
use crate::sat;

/// So long the explorer is left alone with a test.
const PATIENCE: Duration = Duration::from_secs(2);

/// A search that is estimated to take longer than this is the solver's, where there is one core for both.
const LONG: f64 = 60.0;

/// The seed of the random walks of an estimate.
const SEED: u64 = 1;

type Ran = Result<Outcome, Diagnostic>;

/// Runs a test under a model, by the engine asked for.
pub(super) fn answer(test: &Lowered, model: &Model, options: &Options) -> Ran {
    let asks_for_one =
        options.mode != Mode::Count && options.unit.is_none() && options.max_executions.is_none();
    match options.engine {
        Engine::Sat => sat::run(test, model, options),
        Engine::Auto
            if asks_for_one
                && options.at_bound == AtBound::Drop
                && options.bound_events.is_none()
                && !options.awaits =>
        {
            either(test, model, options)
        }
        _ => explore::run(test, model, options),
    }
}

/// Did it come to its end?
fn is_through(ran: &Ran) -> bool {
    match ran {
        Ok(outcome) => matches!(
            outcome.completeness,
            Completeness::Complete | Completeness::Bounded | Completeness::Decided
        ),
        Err(_) => false,
    }
}

/// Is it something that another engine may know?
fn is_open(ran: &Ran) -> bool {
    match ran {
        Ok(_) => !is_through(ran),
        Err(error) => error.remedy == Some(Remedy::OtherEngine),
    }
}

fn either(test: &Lowered, model: &Model, options: &Options) -> Ran {
    let start = Instant::now();
    let short = options.timeout.is_some_and(|timeout| timeout <= PATIENCE);
    let first =
        Options { timeout: Some(options.timeout.unwrap_or(PATIENCE).min(PATIENCE)), ..options.clone() };
    let ran = explore::run(test, model, &first);
    let stopped = matches!(&ran, Ok(outcome) if outcome.completeness == Completeness::TimedOut);
    let refused = ran.is_err() && is_open(&ran);
    if short || !stopped && !refused || limits::look().is_some() {
        return ran;
    }
    let left = Options {
        timeout: options.timeout.map(|timeout| timeout.saturating_sub(start.elapsed())),
        ..options.clone()
    };
    if refused {
        let solved = sat::run(test, model, &left);
        return if is_through(&solved) { solved } else { ran };
    }
    match std::thread::available_parallelism().map_or(1, usize::from) {
        0 | 1 => by_estimate(test, model, &left),
        _ => both(test, model, &left),
    }
}

/// One core: whoever seems to be through first.
fn by_estimate(test: &Lowered, model: &Model, options: &Options) -> Ran {
    let long =
        explore::estimate(test, model, options, SEED).is_ok_and(|estimate| estimate.seconds().0 > LONG);
    if long {
        let solved = sat::run(test, model, options);
        if is_through(&solved) {
            return solved;
        }
    }
    explore::run(test, model, options)
}

/// Two cores: who is through first answers, and the other is stopped.
fn both(test: &Lowered, model: &Model, options: &Options) -> Ran {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget { interrupt: Some(Arc::clone(&stop)), ..limits::current() };
    let jobs = options.jobs.saturating_sub(1).max(1);
    let options = Options { interrupt: Some(Arc::clone(&stop)), jobs, ..options.clone() };
    let (sender, receiver) = channel::<(bool, Ran)>();
    let (options, budget) = (&options, &budget);
    let work = |solver: bool, sender: Sender<(bool, Ran)>| {
        move || {
            let run = || match solver {
                true => sat::run(test, model, options),
                false => explore::run(test, model, options),
            };
            let ran = budget.run(run).unwrap_or_else(|why| Err(Diagnostic::stopped(why, "in the search")));
            // Nobody listens any more if the other was faster.
            let _ = sender.send((solver, ran));
        }
    };
    std::thread::scope(|scope| {
        for solver in [false, true] {
            let builder = std::thread::Builder::new().stack_size(STACK);
            if builder.spawn_scoped(scope, work(solver, sender.clone())).is_err() {
                stop.store(true, Ordering::Relaxed);
                return explore::run(test, model, options);
            }
        }
        let mut first: Option<Ran> = None;
        let answer = loop {
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok((_, ran)) if is_through(&ran) => break ran,
                // An error that another engine would find, too.
                Ok((false, ran)) if !is_open(&ran) => break ran,
                Ok((solver, ran)) => match first.take() {
                    None => first = Some(ran),
                    // Nobody is through: what the explorer has seen is shown.
                    Some(other) => break if solver { other } else { ran },
                },
                Err(RecvTimeoutError::Timeout) => {
                    if limits::look().is_some() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break explore::run(test, model, options),
            }
        };
        stop.store(true, Ordering::Relaxed);
        answer
    })
}

#[cfg(test)]
mod tests {
    use crate::explore::{self, Engine};
    use crate::session::{Input, Session, Settings};

    const LB: &str = "X86 LB\n{ }\n P0 | P1 ;\n MOV EAX,[x] | MOV EAX,[y] ;\n MOV [y],$1 | MOV [x],$1 ;\nexists (0:EAX=1 /\\ 1:EAX=1)\n";

    /// A definition of a recursive group that mentions none of the group changes all the same while reads are chosen.
    #[test]
    fn a_recursive_group_may_have_members_that_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("m.cat").display().to_string();
        let text = "M\ninclude \"cos.cat\"\nlet rec a = rf and b = a | b;po\nacyclic b as no-thin-air\n";
        std::fs::write(&model, text).unwrap();
        let input = Input::Text { name: "LB.litmus".to_string(), text: LB.into() };
        for engine in [Engine::Naive, Engine::Explore, Engine::Grow] {
            let explore = explore::Options { engine, ..explore::Options::default() };
            let report = Session::new(Settings { explore, ..Settings::default() }).run(&input, Some(&model));
            let outcome = report.answer.and_then(|answer| answer.outcome).expect("an outcome");
            assert!(outcome.positive == 0 && outcome.negative == 3, "{engine:?}");
        }
    }
}
