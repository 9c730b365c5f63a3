//! Models lowered and evaluated on a few events.

mod bell;
mod corpus;
mod errors;
mod micro;
mod one;
mod polarity;
mod steps;
