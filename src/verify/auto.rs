//! Two engines for one program: executions that grow, and the solver.
//!
//! Where there are two cores, both begin, and who is through first answers. Where there is one, executions grow if there seem to be few of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::run::{Answer, Settings, Verdict, grown, unfit};
use super::solve::solved;
use crate::diag::Diagnostic;
use crate::grow::{self, Ended, Execution, Found, Visitor};
use crate::limits::{self, Budget};
use crate::model::Model;
use crate::program::Program;

/// More graphs than this are not looked at one by one.
const MANY_GRAPHS: f64 = 3e6;

/// Random walks for an estimate.
const WALKS: usize = 200;

/// The stack of an engine.
const STACK: usize = 1 << 28;

type Ran = Result<Answer, Diagnostic>;

/// Runs a program by whichever engine is through first.
pub(super) fn either(program: &Program, model: &Model, settings: &Settings) -> Ran {
    match std::thread::available_parallelism().map_or(1, usize::from) {
        0 | 1 => by_estimate(program, model, settings),
        _ => both(program, model, settings),
    }
}

/// Has it a verdict?
fn is_settled(ran: &Ran) -> bool {
    matches!(ran, Ok(answer) if answer.verdict != Verdict::Unknown)
}

fn both(program: &Program, model: &Model, settings: &Settings) -> Ran {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget { interrupt: Some(stop.clone()), ..limits::current() };
    let (sender, receiver) = channel::<(bool, Ran)>();
    let work = |solver: bool| {
        let (sender, budget) = (sender.clone(), budget.clone());
        move || {
            let run = || match solver {
                true => solved(program, model, settings),
                false => grown(program, model, settings),
            };
            let ran = budget.run(run).unwrap_or_else(|why| Err(Diagnostic::stopped(why, "")));
            // Nobody listens any more if the other was faster.
            let _ = sender.send((solver, ran));
        }
    };
    std::thread::scope(|scope| {
        for solver in [false, true] {
            let builder = std::thread::Builder::new().stack_size(STACK);
            if builder.spawn_scoped(scope, work(solver)).is_err() {
                return grown(program, model, settings);
            }
        }
        let mut first: Option<(bool, Ran)> = None;
        let answer = loop {
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok((_, ran)) if is_settled(&ran) => break ran,
                Ok((solver, ran)) => match first.take() {
                    None => first = Some((solver, ran)),
                    // Nobody knows: what the engine for programs says of it says most.
                    Some((_, other)) => break if solver { other } else { ran },
                },
                Err(RecvTimeoutError::Timeout) => {
                    if limits::look().is_some() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break grown(program, model, settings),
            }
        };
        stop.store(true, Ordering::Relaxed);
        answer
    })
}

fn by_estimate(program: &Program, model: &Model, settings: &Settings) -> Ran {
    let options = grow::Options {
        unroll: settings.unroll.unwrap_or(u32::MAX - 1),
        properties: true,
        awaits: true,
        ..grow::Options::default()
    };
    // The same walks each time: whatever is picked, it is picked by counting on.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut pick = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    let walks = grow::walks(program, model, &options, &mut Nobody, WALKS, &mut pick).map_err(unfit)?;
    let graphs = walks.iter().map(|walk| walk.graphs).sum::<f64>() / walks.len().max(1) as f64;
    if graphs <= MANY_GRAPHS {
        return grown(program, model, settings);
    }
    let ran = solved(program, model, settings);
    if is_settled(&ran) { ran } else { grown(program, model, settings) }
}

/// Walks are looked at by nobody.
struct Nobody;

impl Visitor for Nobody {
    fn execution(&mut self, _: Ended, _: &Found, _: &dyn Execution) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }

    fn look(&mut self) -> std::ops::ControlFlow<()> {
        match limits::look() {
            Some(_) => std::ops::ControlFlow::Break(()),
            None => std::ops::ControlFlow::Continue(()),
        }
    }

    fn fail(&mut self, _: Diagnostic) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Break(())
    }
}
