//! The `cat` language: text to AST to the core.

pub(crate) mod ast;
mod build;
#[cfg(test)]
mod fuzz_tests;
mod lex;
pub mod library;
pub(crate) mod lint;
pub(crate) mod load;
pub(crate) mod lower;
pub(crate) mod mutate;
mod parse;
mod print;

pub use load::Loader;
pub use parse::parse;
