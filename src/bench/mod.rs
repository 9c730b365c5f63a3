//! Families of tests that grow: what the explorer is measured on.
//!
//! A family and a size give a `.litmus` text, in the syntax of any of the architectures of [`Syntax`], so that other tools can run the
//! very same work.

mod family;
mod plot;
mod syntax;
mod wmm;

pub use family::{Family, TooLarge};
pub use plot::{Point, plot};
pub use syntax::{Syntax, Writer};
pub use wmm::wmm;
