//! C files: translation units with `main`, threads and a library, for `litmus verify`.
//!
//! `parse` makes a typed tree (`tree`) of the preprocessor's tokens; [`lower`] makes micro-ops of it. Litmus tests in C have a front end
//! of their own beside this one: there herd7 says which events an expression makes, in what order, and how the text is hashed; here C does.

pub mod lower;
pub(crate) mod parse;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
pub(crate) mod types;
