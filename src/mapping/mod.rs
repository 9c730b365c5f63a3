//! C as instructions: what a compiler makes of atomic operations, and C tests as assembly tests.
//!
//! A [`Mapping`] is a readable file, `cat/mappings/*.map`: for each operation and order the instructions that stand for it. `compile` writes a C
//! test as a test of the mapping's target and says which register holds which variable, so that outcomes keep their names.

mod compile;
mod table;
mod target;
#[cfg(test)]
mod tests;

pub use compile::{Compiled, compile};
pub use table::{Mapping, NAMES, Operation, Order};
