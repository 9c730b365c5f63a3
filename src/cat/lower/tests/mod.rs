//! Models lowered and evaluated on a few events.

mod bell;
mod corpus;
mod errors;
mod micro;
mod one;
mod origins;
mod pairs;
mod polarity;
mod steps;
