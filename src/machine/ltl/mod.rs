//! Linear temporal logic: formulas, their automata, and the search for a run that an automaton accepts.

pub mod automaton;
pub mod emptiness;
pub mod eval;
pub mod formula;
#[cfg(test)]
mod tests;
