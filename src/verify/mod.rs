//! Programs: a C file and a model in, a verdict out.
//!
//! The file goes through the preprocessor, the parser and the translation of `arch::c::unit`; the program that comes out is run by an engine, which
//! shows every execution that the model accepts. What is made of them is here: properties, counts, the verdict, the trace.

mod addresses;
mod ahead;
mod auto;
mod beside;
mod check;
mod chosen;
mod closed;
mod cyclic;
mod definitions;
mod facts;
mod grace;
mod livelock;
pub(crate) mod load;
mod loose;
mod overtaken;
mod parts;
mod recorder;
mod replay;
mod run;
mod sections;
mod shallow;
mod solve;
mod states;
mod stuck;
mod together;
mod trace;

#[cfg(test)]
mod tests;

pub use check::Part;
pub use livelock::livelock;
pub use load::{Files, Loaded, load, load_text, programs};
pub use run::{
    Answer, By, Cut, Engine, Kind, RECURSION, Ran, Settings, Verdict, Violation, marks_waits, orders_for,
    run, run_fitted,
};
pub use trace::Step;
