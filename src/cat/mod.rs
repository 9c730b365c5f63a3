//! The `cat` language: text to AST to the core.

pub mod ast;
mod build;
mod lex;
mod parse;
mod print;

pub use parse::parse;
