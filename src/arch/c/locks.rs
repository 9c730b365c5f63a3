//! Locks under a model that has none.
//!
//! The C11 and kernel models order the events of a lock themselves. Any other model would let two threads hold one lock: there a lock is a cell
//! that is 0 or 1. Taking it is a read-modify-write that finds 0, giving it back is a write of 0, both beside full fences; looking at it is a read.

use crate::program::fences::full_fence;
use crate::program::{AccessSize, BinOp, Extra, Op, Program, SetName, Tmp, Value, any_op};

/// The sets of lock events: a model that names one of them knows locks.
pub const SETS: [&str; 8] = ["LK", "LKR", "LKW", "LS", "LF", "UL", "RL", "RU"];

/// Does a program have locks?
pub fn are_in(program: &Program) -> bool {
    let is_lock = |op: &Op| match op {
        Op::Other { addr: Some(_), sets, .. } => sets.iter().any(|set| SETS.contains(&&**set)),
        _ => false,
    };
    program.threads.iter().flat_map(|thread| &thread.code).any(|instr| any_op(&instr.ops, is_lock))
}

/// Makes accesses of the events of locks.
pub fn as_accesses(program: &mut Program) {
    for thread in &mut program.threads {
        for instr in &mut thread.code {
            let mut next = 1 + most(&instr.ops);
            instr.ops = rewrite(std::mem::take(&mut instr.ops), &mut next);
        }
    }
}

fn rewrite(ops: Vec<Op>, next: &mut u16) -> Vec<Op> {
    let mut out = Vec::new();
    for op in ops {
        match op {
            Op::Other { addr: Some(addr), sets, extra } if sets.iter().any(|set| SETS.contains(&&**set)) => {
                access(addr, &sets, extra, next, &mut out);
            }
            Op::If { cond, then, otherwise } => {
                out.push(Op::If { cond, then: rewrite(then, next), otherwise: rewrite(otherwise, next) })
            }
            Op::Choice { branches } => {
                out.push(Op::Choice { branches: branches.into_iter().map(|b| rewrite(b, next)).collect() });
            }
            other => out.push(other),
        }
    }
    out
}

fn access(addr: Tmp, sets: &[SetName], extra: Extra, next: &mut u16, out: &mut Vec<Op>) {
    let mut tmp = || {
        *next += 1;
        Tmp(*next - 1)
    };
    let has = |name: &str| sets.iter().any(|set| set == name);
    let marked =
        |names: &[&'static str]| names.iter().map(|name| SetName::Borrowed(name)).collect::<Vec<_>>();
    let size = AccessSize(4);
    let [dst, one, zero, cond, done] = [tmp(), tmp(), tmp(), tmp(), tmp()];
    let fence = |order: Tmp, done: Option<Tmp>| Op::Fence {
        sets: full_fence(),
        extra: Extra { order: vec![order], done, ..Extra::default() },
    };
    if has("LKW") {
        // The read before it was made the whole of it.
        return;
    }
    out.push(Op::Const { dst: zero, value: Value::ZERO });
    if has("LK") {
        out.push(Op::Const { dst: one, value: Value::ONE });
        let event = Extra { done: None, ..extra.clone() };
        let sets = marked(&["ACQ", "A", "RMW", "X"]);
        out.push(Op::Rmw { dst, addr, ops: Vec::new(), update: one, size, sets, extra: event });
        out.push(Op::Binary { dst: cond, op: BinOp::Eq, a: dst, b: zero });
        out.push(Op::Assume { cond });
        out.push(fence(dst, Some(done)));
        if let Some(read) = extra.done {
            out.push(Op::Taint { dst: read, a: zero, also: vec![done] });
        }
    } else if has("UL") {
        out.push(Op::Fence { sets: full_fence(), extra: Extra { done: Some(done), ..Extra::default() } });
        let mut event = extra;
        event.order.push(done);
        out.push(Op::Store { addr, value: zero, size, sets: marked(&["REL", "A"]), extra: event });
    } else {
        // `LF` and `RL` find it taken, `RU` free.
        let event = Extra { done: None, ..extra.clone() };
        out.push(Op::Load { dst, addr, size, sets: marked(&["RLX", "A"]), extra: event });
        let op = if has("RU") { BinOp::Eq } else { BinOp::Ne };
        out.push(Op::Binary { dst: cond, op, a: dst, b: zero });
        out.push(Op::Assume { cond });
        if let Some(read) = extra.done {
            out.push(Op::Taint { dst: read, a: zero, also: vec![dst] });
        }
    }
}

/// The highest number of a temporary, at most.
fn most(ops: &[Op]) -> u16 {
    ops.iter()
        .map(|op| match op {
            Op::Const { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Taint { dst, .. }
            | Op::ReadReg { dst, .. }
            | Op::Load { dst, .. }
            | Op::CompareExchange { dst, .. } => dst.0,
            Op::Rmw { dst, ops, .. } => dst.0.max(most(ops)),
            Op::If { then, otherwise, .. } => most(then).max(most(otherwise)),
            Op::Conditional { then, otherwise, .. } => most(then).max(most(otherwise)),
            Op::Choice { branches } => branches.iter().map(|b| most(b)).max().unwrap_or(0),
            Op::Store { extra, .. }
            | Op::WriteReg { extra, .. }
            | Op::Fence { extra, .. }
            | Op::Other { extra, .. }
            | Op::Branch { extra, .. } => extra.done.map_or(0, |done| done.0),
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

/// The first access with a memory order that asks for more than atomicity.
pub fn ordered_access(program: &Program) -> Option<crate::source::Span> {
    let strong =
        |sets: &[SetName]| sets.iter().any(|set| matches!(&**set, "ACQ" | "REL" | "ACQ_REL" | "SC" | "CON"));
    let ordered = |op: &Op| match op {
        Op::Load { sets, .. }
        | Op::Store { sets, .. }
        | Op::Rmw { sets, .. }
        | Op::CompareExchange { sets, .. } => strong(sets),
        _ => false,
    };
    let mut instrs = program.threads.iter().flat_map(|thread| &thread.code);
    instrs.find(|instr| any_op(&instr.ops, ordered)).map(|instr| instr.span)
}
