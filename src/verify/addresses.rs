//! Which cells the accesses of a thread may go to, as far as its text tells.

use rustc_hash::FxHashMap;

use crate::program::{BinOp, Instr, Op, Reg, Sym, Tmp, Value, each_op};

/// A cell, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Cell {
    /// This one.
    At(Sym, i64),
    /// Any.
    Any,
}

impl Cell {
    /// Can it be the same as another?
    pub fn may_be(self, other: Cell) -> bool {
        self == other || self == Cell::Any || other == Cell::Any
    }

    /// Can it be another?
    pub fn may_differ(self, other: Cell) -> bool {
        self != other || self == Cell::Any
    }
}

/// The registers of a thread that only ever hold one value.
pub(super) struct Addresses {
    regs: FxHashMap<Reg, Option<Value>>,
}

/// What the temporaries of an instruction hold, where that is known.
pub(super) struct Cells {
    tmps: FxHashMap<Tmp, Option<Value>>,
}

impl Cells {
    /// The cell at the address in a temporary.
    pub fn of(&self, addr: Tmp) -> Cell {
        match self.tmps.get(&addr) {
            Some(Some(Value::Addr { sym, offset })) => Cell::At(*sym, *offset),
            _ => Cell::Any,
        }
    }
}

impl Addresses {
    /// Looks through the code of a thread.
    pub fn of(code: &[Instr]) -> Addresses {
        let mut known = Addresses { regs: FxHashMap::default() };
        // A register that is written from others is known when these are: each round may make more of them known.
        for _ in 0..ROUNDS {
            let mut regs: FxHashMap<Reg, Option<Value>> = FxHashMap::default();
            for instr in code {
                let cells = known.cells(instr);
                each_op(&instr.ops, &mut |op| {
                    if let Op::WriteReg { reg, src, .. } = op {
                        let value = cells.tmps.get(src).copied().flatten();
                        let held = regs.entry(*reg).or_insert(value);
                        if *held != value {
                            *held = None;
                        }
                    }
                });
            }
            let same = regs == known.regs;
            known.regs = regs;
            if same {
                break;
            }
        }
        known
    }

    /// What an instruction computes.
    pub fn cells(&self, instr: &Instr) -> Cells {
        let mut tmps: FxHashMap<Tmp, Option<Value>> = FxHashMap::default();
        each_op(&instr.ops, &mut |op| {
            let of = |tmp: &Tmp| tmps.get(tmp).copied().flatten();
            let (dst, value) = match op {
                Op::Const { dst, value } => (dst, Some(*value)),
                Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. } => {
                    (dst, self.regs.get(reg).copied().flatten())
                }
                Op::Taint { dst, a, .. } | Op::From { dst, a, .. } => (dst, of(a)),
                Op::Binary { dst, op: BinOp::Add, a, b } => (dst, sum(of(a), of(b))),
                Op::Unary { dst, .. }
                | Op::Binary { dst, .. }
                | Op::Load { dst, .. }
                | Op::Rmw { dst, .. }
                | Op::CompareExchange { dst, .. }
                | Op::Spawn { dst, .. }
                | Op::Alloc { dst, .. }
                | Op::Nondet { dst, .. }
                | Op::Join { dst: Some(dst), .. } => (dst, None),
                _ => return,
            };
            // On two ways it may be two things.
            let held = tmps.entry(*dst).or_insert(value);
            if *held != value {
                *held = None;
            }
        });
        Cells { tmps }
    }
}

/// Registers are looked at so often for what others make known.
const ROUNDS: usize = 4;

fn sum(a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a?, b?) {
        (Value::Addr { sym, offset }, Value::Int(by)) | (Value::Int(by), Value::Addr { sym, offset }) => {
            Some(Value::Addr { sym, offset: offset.checked_add(i64::try_from(by).ok()?)? })
        }
        _ => None,
    }
}
