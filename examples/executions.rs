//! The executions of a test, one by one, as data; and errors as data, with their places.
//!
//! `cargo run --example executions`

use std::ops::ControlFlow;

use litmus::explore::Request;
use litmus::{Model, Test, each_execution};

fn main() -> Result<(), litmus::Error> {
    let test =
        Test::from_text("X86 CO\n{}\n P0         | P1         ;\n MOV [x],$1 | MOV [x],$2 ;\nexists (x=1)");
    each_execution(&test, &Model::named("sc")?, &Request::all(), |test, execution| {
        let co: Vec<String> = execution.co.iter().map(|(a, b)| format!("{a}->{b}")).collect();
        println!("{}: {} events, co {}", test.name, execution.events.len(), co.join(" "));
        ControlFlow::Continue(())
    })?;

    let Err(error) = Model::from_text("wrong", "acyclic po | pox") else { return Ok(()) };
    for diagnostic in error.diagnostics() {
        for (span, label) in &diagnostic.labels {
            let (line, column) = error.sources().line_column(*span);
            println!("{} at {line}:{column}: {} ({label})", diagnostic.code, diagnostic.message);
        }
    }
    Ok(())
}
