//! Sets and relations of events as bit matrices: the only place with shifts and masks.

mod rel;
mod set;

pub use rel::Rel;
pub use set::Set;
