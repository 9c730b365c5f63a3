//! Whole tests through a session: from text to final states and diagnostics.

mod bad_input;
mod c;
mod code;
mod corpus;
mod generate;
mod isa;
mod library;
mod pointer;
mod vm;
