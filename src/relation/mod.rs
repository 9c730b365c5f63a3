//! Sets and relations of events as bit matrices: the only place with shifts and masks.

pub(crate) mod flat;
mod rel;
// Not for users of the library: what `cargo bench` measures.
#[doc(hidden)]
pub mod rows;
mod set;

#[cfg(test)]
mod tests;

pub use rel::Rel;
pub use set::Set;
