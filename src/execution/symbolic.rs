//! Symbolic values: functions of what reads return.

use std::sync::Arc;

use crate::program::{BinOp, UnOp, Value};

/// A value that may depend on reads not bound yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymVal {
    /// Known.
    Known(Value),
    /// What the read event with that index returns.
    Read(u32),
    /// A function of one.
    Unary(UnOp, Arc<SymVal>),
    /// A function of two.
    Binary(BinOp, Arc<SymVal>, Arc<SymVal>),
}
