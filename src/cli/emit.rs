//! `litmus run --emit`: what a solver is given, for other solvers to read.

use std::io::Write;

use super::console::Console;
use super::plan::RunPlan;
use super::{Done, Exit, Stop};
use crate::explore::Engine;
use crate::session::{Session, in_order};

/// Writes the clauses of each test, with what was learnt until its condition was decided.
pub fn dimacs(
    plan: &RunPlan,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    if plan.settings.explore.engine != Engine::Sat {
        return Err(Stop::Usage("--emit dimacs goes with --engine sat".to_string()));
    }
    let session = Session::new(plan.settings.clone());
    let mut exit = Exit::Success;
    let mut failed = Ok(());
    for error in &plan.input_errors {
        exit = Exit::BadInput;
        writeln!(err, "error: {error}")?;
    }
    in_order(
        plan.inputs.len() * plan.models.len(),
        plan.jobs,
        |index| {
            let model = plan.models[index % plan.models.len()].as_deref();
            session.dimacs(&plan.inputs[index / plan.models.len()], model)
        },
        |_, (report, text)| {
            let _ = err.write_all(console.diagnostics(&report).as_bytes());
            match text {
                Some(text) => failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()),
                None if exit == Exit::Success => exit = Exit::of_report(&report),
                None => {}
            }
            failed.is_ok()
        },
    );
    failed?;
    Ok(exit)
}
