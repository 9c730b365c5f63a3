//! `litmus`: which outcomes does a memory model allow a concurrent test?
//!
//! The library behind the command of the same name: `.litmus` tests and `.cat` models in, outcomes with their
//! witnesses out. See `docs/architecture.md` for the way of the data.
//!
//! A program that wants answers needs [`Model`], [`Test`], [`run`] and [`each_execution`]; [`session`] runs many tests, [`verify`] C programs, [`compare`] and
//! [`explain`] ask the larger questions, [`report`] writes what the command writes. The modules below these are the data that they hand out. What is
//! hidden here is public for our own tests and benches alone, and changes without notice.

pub mod arch;
pub mod compare;
pub mod condition;
pub mod diag;
pub mod execution;
pub mod explain;
pub mod explore;
pub mod files;
pub mod limits;
pub mod model;
pub mod outcome;
pub mod program;
pub mod relation;
pub mod report;
pub mod session;
pub mod source;
pub mod variant;
pub mod verify;

#[doc(hidden)]
pub mod bench;
#[doc(hidden)]
pub mod cat;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod generate;
#[doc(hidden)]
pub mod grow;
#[doc(hidden)]
pub mod litmus;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod mapping;
#[doc(hidden)]
pub mod sat;

mod doc;
mod facade;
#[cfg(feature = "serve")]
mod serve;
mod synth;

pub use facade::{Answers, Error, Model, Test, each_execution, run};
