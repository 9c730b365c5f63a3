//! `litmus run --estimate`: how many executions, and how long, before anything is run for long.

use std::io::Write;

use super::console::Console;
use super::plan::RunPlan;
pub use super::split::SEED;
use super::{Done, Exit};
use crate::explore::{Estimate, Guess};
use crate::report::several;
use crate::session::{Session, in_order};

/// Says how large each search is, and all of them together.
pub fn estimate(
    plan: &RunPlan,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let session = Session::new(plan.settings.clone());
    let n = plan.inputs.len() * plan.models.len();
    let mut exit = Exit::Success;
    let mut failed = Ok(());
    let mut all: Vec<Estimate> = Vec::new();
    for error in &plan.input_errors {
        exit = Exit::BadInput;
        writeln!(err, "error: {error}")?;
    }
    in_order(
        n,
        plan.jobs,
        |index| {
            let model = plan.models[index % plan.models.len()].as_deref();
            session.estimate(&plan.inputs[index / plan.models.len()], model, SEED)
        },
        |_, (report, found)| {
            let _ = err.write_all(console.diagnostics(&report).as_bytes());
            match found {
                Some(found) => {
                    failed = writeln!(out, "{}: {}", report.title(), said(&found)).and_then(|()| out.flush());
                    all.push(found);
                }
                None if exit == Exit::Success => exit = Exit::of_report(&report),
                None => {}
            }
            failed.is_ok()
        },
    );
    failed?;
    if n > 1 {
        let executions = Guess::sum(all.iter().map(|one| one.executions));
        let time = Guess::sum(all.iter().map(|one| Guess {
            mean: one.graphs.mean / one.rate,
            variance: one.graphs.variance / (one.rate * one.rate),
        }));
        let (least, most) = time.range();
        let time = seconds((time.mean / plan.jobs as f64, least / plan.jobs as f64, most / plan.jobs as f64));
        let tests = several(all.len() as u64, "search").replace("searchs", "searches");
        writeln!(out, "all: {}, in about {time}: {tests}", ranged(executions))?;
    }
    Ok(exit)
}

/// An estimate in words.
fn said(found: &Estimate) -> String {
    if found.exact {
        let (time, ..) = found.seconds();
        return format!(
            "{} in {time:.2} s: so few that they were counted",
            several(found.executions.mean as u64, "execution")
        );
    }
    format!("{}, in about {}", ranged(found.executions), seconds(found.seconds()))
}

fn ranged(guess: Guess) -> String {
    let (least, most) = guess.range();
    match guess.variance > 0.0 {
        true => format!("about {} executions ({} to {})", short(guess.mean), short(least), short(most)),
        false => format!("{} executions", short(guess.mean)),
    }
}

/// A number that nobody needs to the last digit.
pub fn short(number: f64) -> String {
    match number {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e6 => format!("{:.0} thousand", n / 1e3),
        n if n < 1e9 => format!("{:.1} million", n / 1e6),
        n => format!("{n:.1e}"),
    }
}

/// A time, and from when to when.
fn seconds((about, least, most): (f64, f64, f64)) -> String {
    format!("{} ({} to {})", time(about), time(least), time(most))
}

/// So many seconds, in words.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s if s < 3e7 => format!("{:.0} days", s / 86_400.0),
        s => format!("{:.1e} years", s / 31_557_600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_in_words() {
        let guess = Guess { mean: 1.5e6, variance: 1e10 };
        let found = Estimate { executions: guess, graphs: guess, rate: 1e5, exact: false };
        assert_eq!(
            said(&found),
            "about 1.5 million executions (1.1 million to 1.9 million), in about 15 s (11 s to 19 s)"
        );
        let texts: Vec<String> = [0.25, 60.0, 600.0, 1e4, 1e6, 1e9].map(time).to_vec();
        assert_eq!(texts, ["0.2 s", "60 s", "10 min", "2.8 h", "12 days", "3.2e1 years"]);
        assert_eq!([7.0, 12_345.0, 2.5e11].map(short), ["7", "12 thousand", "2.5e11"]);
    }
}
