//! The `cat` language: text to AST to the core.

pub mod ast;
mod build;
#[cfg(test)]
mod fuzz_tests;
mod lex;
pub mod library;
pub mod lint;
pub mod load;
pub mod lower;
pub mod mutate;
mod parse;
mod print;

pub use load::Loader;
pub use parse::parse;
