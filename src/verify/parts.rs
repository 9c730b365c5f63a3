//! Parts of words that others update as a whole.
//!
//! A plain store to a part of a cell is made of a read and a write of the cell ([`crate::program::threads::PART`]). An atomic access of another thread to the whole, between the two, would be lost, which
//! no machine does. Where races are violations, that is one; elsewhere nothing true can be said.

use super::addresses::{Addresses, Cell};
use super::overtaken::started;
use crate::diag::Diagnostic;
use crate::grow::is_plain;
use crate::program::threads::PART;
use crate::program::{Op, Program, any_op};
use crate::source::Span;

/// An access that another thread may make at the same time.
struct Access {
    code: usize,
    cell: Cell,
    span: Span,
}

/// A store to a part of what others may update, if there is one.
pub(super) fn torn(program: &Program) -> Option<Diagnostic> {
    let has_parts = |op: &Op| matches!(op, Op::Load { sets, .. } if sets.iter().any(|set| set == PART));
    if !program.threads.iter().flat_map(|thread| &thread.code).any(|instr| any_op(&instr.ops, has_parts)) {
        return None;
    }
    let (mut parts, mut wholes) = (Vec::new(), Vec::new());
    Addresses::of(program).each_after_a_start(program, |code, instr, op, cells| {
        let access = |addr, size| Access { code, cell: cells.of(addr, size), span: instr.span };
        match op {
            Op::Load { addr, size, sets, .. } if has_parts(op) && is_plain(sets) => {
                parts.push(access(*addr, *size));
            }
            Op::Store { addr, size, sets, .. }
            | Op::Rmw { addr, size, sets, .. }
            | Op::CompareExchange { addr, size, sets, .. }
                if !is_plain(sets) =>
            {
                wholes.push(access(*addr, *size));
            }
            _ => {}
        }
    });
    let meet = |part: &Access, whole: &Access| {
        (part.code != whole.code || started(program, part.code) > 1)
            && !part.cell.is_own()
            && part.cell.may_be(whole.cell)
    };
    let (part, whole) =
        parts.iter().find_map(|part| Some((part, wholes.iter().find(|whole| meet(part, whole))?)))?;
    let message = "a plain store to a part of what another thread updates as a whole";
    Some(
        Diagnostic::unsupported("c::mixed-size", message)
            .at(part.span, "this store")
            .at(whole.span, "this update")
            .help("under the models of C11 this is a data race, which is looked for there"),
    )
}
