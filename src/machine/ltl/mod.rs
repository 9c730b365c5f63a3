//! Linear temporal logic: formulas, their automata, and the search for a run that an automaton accepts.

pub(crate) mod automaton;
pub(crate) mod emptiness;
pub(crate) mod eval;
pub(crate) mod formula;
#[cfg(test)]
mod tests;
