//! Sets and relations of events as bit matrices: the only place with shifts and masks.

pub mod flat;
mod rel;
pub mod rows;
mod set;

#[cfg(test)]
mod tests;

pub use rel::Rel;
pub use set::Set;
