//! `litmus`: which outcomes does a memory model allow a concurrent test?
//!
//! The library behind the command of the same name: `.litmus` tests and `.cat` models in, outcomes with their
//! witnesses out. See `docs/architecture.md` for the way of the data.

pub mod arch;
pub mod bench;
pub mod cat;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod condition;
pub mod diag;
pub mod doc;
pub mod execution;
pub mod explain;
pub mod explore;
mod facade;
pub mod files;
pub mod generate;
pub mod grow;
pub mod limits;
pub mod litmus;
pub mod machine;
pub mod mapping;
pub mod model;
pub mod outcome;
pub mod program;
pub mod relation;
pub mod report;
pub mod sat;
#[cfg(feature = "serve")]
pub mod serve;
pub mod session;
pub mod source;
pub mod synth;
pub mod variant;
pub mod verify;

pub use facade::{Answers, Error, Model, Test, each_execution, run};
