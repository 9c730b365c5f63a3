//! The instructions of LISA, as data.

use crate::program::BinOp;

/// One mnemonic.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The mnemonic.
    pub name: &'static str,
    /// What it is.
    pub form: Form,
    /// The kind of instruction that bell files speak of; none takes no annotations.
    pub kind: Option<&'static str>,
}

/// What follows the mnemonic (and its annotations) and what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `reg address`.
    Read,
    /// `address value`.
    Write,
    /// Nothing.
    Fence,
    /// `reg operation address`: the register takes the old value, memory that of the operation.
    Rmw,
    /// `reg operation`.
    Mov,
    /// `[reg] label`: if the register is not 0.
    Branch,
}

/// All mnemonics.
pub const TABLE: &[Entry] = &[
    Entry { name: "r", form: Form::Read, kind: Some("R") },
    Entry { name: "w", form: Form::Write, kind: Some("W") },
    Entry { name: "f", form: Form::Fence, kind: Some("F") },
    Entry { name: "rmw", form: Form::Rmw, kind: Some("RMW") },
    Entry { name: "mov", form: Form::Mov, kind: None },
    Entry { name: "b", form: Form::Branch, kind: Some("B") },
];

/// Operations.
pub const OPERATIONS: &[(&str, BinOp)] =
    &[("add", BinOp::Add), ("and", BinOp::And), ("xor", BinOp::Xor), ("eq", BinOp::Eq), ("neq", BinOp::Ne)];
