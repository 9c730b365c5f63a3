//! What a thread's code does with registers and symbols, whichever path is taken.

use std::collections::{BTreeMap, BTreeSet};

use super::{Awaited, Instr, Op, Reg, Sym, Thread, Tmp, Value};

/// What the code of a thread mentions.
#[derive(Clone, Default, Debug)]
pub struct Uses {
    /// Registers that some instruction writes.
    pub written: BTreeSet<Reg>,
    /// Symbols whose address stands in the code.
    pub symbols: BTreeSet<Sym>,
}

impl Uses {
    /// Of a thread.
    pub fn of(thread: &Thread) -> Uses {
        let mut uses = Uses::default();
        for instr in &thread.code {
            each_op(&instr.ops, &mut |op| match op {
                Op::WriteReg { reg, .. } => {
                    uses.written.insert(*reg);
                }
                Op::Const { value: Value::Addr { sym, .. }, .. } => {
                    uses.symbols.insert(*sym);
                }
                _ => {}
            });
        }
        uses.written.extend(thread.result);
        uses
    }
}

/// What the address of an access is made of.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct AddressParts {
    /// Registers.
    pub regs: BTreeSet<Reg>,
    /// Something else that may be an address: one that stands in the code, or what an access gave.
    pub other: bool,
}

/// The addresses that an instruction accesses, each by its parts.
pub fn addresses(instr: &Instr) -> Vec<AddressParts> {
    let mut parts: BTreeMap<Tmp, AddressParts> = BTreeMap::new();
    let mut found = Vec::new();
    each_op(&instr.ops, &mut |op| {
        let of = |parts: &BTreeMap<Tmp, AddressParts>, tmp: &Tmp| parts.get(tmp).cloned().unwrap_or_default();
        match op {
            Op::Const { dst, value } => {
                let other = value.as_int().is_none();
                parts.insert(*dst, AddressParts { other, ..AddressParts::default() });
            }
            Op::ReadReg { dst, reg, .. } => {
                parts.insert(*dst, AddressParts { regs: BTreeSet::from([*reg]), other: false });
            }
            Op::Unary { dst, a, .. } | Op::Taint { dst, a, .. } | Op::From { dst, a, .. } => {
                let a = of(&parts, a);
                parts.insert(*dst, a);
            }
            Op::Binary { dst, a, b, .. } => {
                let (mut a, b) = (of(&parts, a), of(&parts, b));
                a.regs.extend(b.regs);
                a.other |= b.other;
                parts.insert(*dst, a);
            }
            Op::Load { dst, addr, .. }
            | Op::Rmw { dst, addr, .. }
            | Op::CompareExchange { dst, addr, .. } => {
                found.push(of(&parts, addr));
                parts.insert(*dst, AddressParts { other: true, ..AddressParts::default() });
            }
            Op::Store { addr, .. } | Op::Conditional { addr, .. } => found.push(of(&parts, addr)),
            Op::Spawn { dst, .. } | Op::Alloc { dst, .. } | Op::Nondet { dst, .. } => {
                parts.insert(*dst, AddressParts { other: true, ..AddressParts::default() });
            }
            _ => {}
        }
    });
    found
}

/// The head of the loop that only looks, if an instruction waits at its end: the next one goes back there.
pub fn head_of_looks(code: &[Instr], pc: usize) -> Option<usize> {
    let looks = |op: &Op| matches!(op, Op::Await { what: Awaited::Loop, .. });
    match code.get(pc + 1)?.ops[..] {
        [Op::Goto { pc: head }] if any_op(&code[pc].ops, looks) => Some(head),
        _ => None,
    }
}

/// Is one of the operations, nested ones included, such as is wanted?
pub fn any_op(ops: &[Op], wanted: impl Fn(&Op) -> bool) -> bool {
    let mut found = false;
    each_op(ops, &mut |op| found = found || wanted(op));
    found
}

/// Calls `see` on every operation, nested ones included, in the order of the code.
pub fn each_op<'p>(ops: &'p [Op], see: &mut impl FnMut(&'p Op)) {
    for op in ops {
        see(op);
        match op {
            Op::If { then, otherwise, .. }
            | Op::Conditional { then, otherwise, .. }
            | Op::Collide { same: then, differ: otherwise, .. } => {
                each_op(then, see);
                each_op(otherwise, see);
            }
            Op::Choice { branches } => branches.iter().for_each(|branch| each_op(branch, see)),
            Op::Rmw { ops, .. } => each_op(ops, see),
            _ => {}
        }
    }
}
