//! The `cat` language: text to AST to the core.

pub mod ast;
