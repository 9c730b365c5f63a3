//! Which cells the accesses of a program may go to, as far as its text tells.
//!
//! An address is an object and an offset, and never leaves its object: arithmetic moves the offset alone. So what is accessed by a known object and an index lies in that object, whatever the index
//! is; and an address that comes from nowhere known (it was loaded, or made of numbers) leads to objects only whose address was put somewhere: stored, returned, made a number of.

use rustc_hash::{FxHashMap, FxHashSet};

use super::definitions::{Definitions, Written};
use super::overtaken::reached;
use crate::grow::is_plain;
use crate::limits;
use crate::program::{AccessSize, BinOp, Instr, Op, Program, Reg, Sym, Tmp, Value, any_op, each_op};

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Origin {
    /// It has a name.
    Object(Sym),
    /// This instruction of that code makes it, each time another.
    Made(usize, usize),
}

impl Origin {
    fn name(self) -> Option<Sym> {
        match self {
            Origin::Object(sym) => Some(sym),
            Origin::Made(..) => None,
        }
    }
}

/// A cell, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cell {
    /// The object, and the bytes of it, where they are known; none: any object of which the address was put somewhere.
    of: Option<(Origin, Option<Bytes>)>,
    /// Was its address put somewhere?
    shown: bool,
}

/// Some bytes of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bytes {
    offset: i64,
    size: i64,
}

impl Cell {
    const ANY: Cell = Cell { of: None, shown: true };

    /// Can it be the same as another, or a part of it?
    pub fn may_be(self, other: Cell) -> bool {
        let (Some((a, at)), Some((b, bt))) = (self.of, other.of) else { return self.shown && other.shown };
        let meet = |a: Bytes, b: Bytes| a.offset < b.offset + b.size && b.offset < a.offset + a.size;
        a == b && at.zip(bt).is_none_or(|(a, b)| meet(a, b))
    }

    /// Is it of an object whose address its thread never gave away?
    pub fn is_own(self) -> bool {
        !self.shown && matches!(self.of, Some((Origin::Made(..), _)))
    }

    /// Can it be another?
    pub fn may_differ(self, other: Cell) -> bool {
        self != other || !matches!(self.of, Some((Origin::Object(_), Some(_))))
    }
}

/// What a register or a temporary may hold. Each join goes up, and there are few steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// This number.
    Number(i128),
    /// The address of an object, at an offset if that is known.
    Address(Origin, Option<i64>),
    /// Anything.
    Unknown,
}

impl Held {
    fn of(value: Value) -> Held {
        match value {
            Value::Int(n) => Held::Number(n),
            Value::Addr { sym, offset } => Held::Address(Origin::Object(sym), Some(offset)),
            _ => Held::Unknown,
        }
    }

    /// One or the other.
    fn or(self, other: Held) -> Held {
        match (self, other) {
            (a, b) if a == b => a,
            (Held::Address(a, _), Held::Address(b, _)) if a == b => Held::Address(a, None),
            _ => Held::Unknown,
        }
    }

    fn origin(self) -> Option<Origin> {
        match self {
            Held::Address(origin, _) => Some(origin),
            _ => None,
        }
    }
}

/// What is known of a whole program.
#[derive(Default)]
pub(super) struct Addresses {
    /// What was put into registers, by code and by the write. What is not there was never written, as far as is known yet.
    regs: FxHashMap<(usize, Reg, Written), Held>,
    /// Which write is read where.
    definitions: Definitions,
    /// Objects of which the address was put somewhere.
    shown: FxHashSet<Origin>,
    /// Something has become known in this round.
    changed: bool,
}

/// What the temporaries of an instruction hold.
pub(super) struct Cells<'a> {
    tmps: FxHashMap<Tmp, Held>,
    shown: &'a FxHashSet<Origin>,
}

impl Cells<'_> {
    /// The cell of an access to the address in a temporary.
    pub fn of(&self, addr: Tmp, size: AccessSize) -> Cell {
        match self.tmps.get(&addr) {
            Some(Held::Address(origin, offset)) => {
                let bytes = offset.map(|offset| Bytes { offset, size: i64::from(size.0).max(1) });
                Cell { of: Some((*origin, bytes)), shown: self.shown.contains(origin) }
            }
            _ => Cell::ANY,
        }
    }

    /// Does an instruction access what has a name, or may it?
    pub fn names_objects(&self, instr: &Instr) -> bool {
        any_op(&instr.ops, |op| {
            let (Op::Load { addr, .. }
            | Op::Store { addr, .. }
            | Op::Rmw { addr, .. }
            | Op::CompareExchange { addr, .. }) = op
            else {
                return false;
            };
            !matches!(self.tmps.get(addr), Some(Held::Address(Origin::Made(..), _)))
        })
    }
}

impl Addresses {
    /// Looks through the code of all threads until nothing new is found.
    pub fn of(program: &Program) -> Addresses {
        let mut known = Addresses { definitions: Definitions::of(program), ..Addresses::default() };
        for location in &program.locations {
            known.show(Held::of(location.init).origin());
        }
        for &(code, reg, value) in &program.init_regs {
            known.write((code, reg, None), Held::of(value));
        }
        loop {
            limits::poll();
            known.changed = false;
            for (code, thread) in program.threads.iter().enumerate() {
                for (pc, instr) in thread.code.iter().enumerate() {
                    known.follow(code, pc, instr);
                }
                if let Some(reg) = thread.result {
                    for held in known.held((code, reg), known.definitions.all(code, reg)) {
                        known.show(held.origin());
                    }
                }
            }
            if !known.changed {
                return known;
            }
        }
    }

    /// The objects with a name that plain writes may go to once `main` has started a thread.
    pub fn plainly_written(&self, program: &Program) -> FxHashSet<Sym> {
        let mut objects = FxHashSet::default();
        self.each_after_a_start(program, |_, _, op, cells| {
            let (Op::Store { addr, size, sets, .. }
            | Op::Rmw { addr, size, sets, .. }
            | Op::CompareExchange { addr, size, sets, .. }) = op
            else {
                return;
            };
            match cells.of(*addr, *size).of {
                _ if !is_plain(sets) => {}
                Some((origin, _)) => objects.extend(origin.name()),
                None => objects.extend(self.shown.iter().filter_map(|origin| origin.name())),
            }
        });
        objects
    }

    /// Calls `see` on every operation, with its code and its instruction, that another thread may be there for: all but those of `main` before it has started one.
    pub fn each_after_a_start(&self, program: &Program, mut see: impl FnMut(usize, &Instr, &Op, &Cells<'_>)) {
        for (code, thread) in program.threads.iter().enumerate() {
            let after = (code == 0).then(|| after_a_start(&thread.code));
            for (pc, instr) in thread.code.iter().enumerate() {
                if after.as_ref().is_some_and(|after| !after[pc]) {
                    continue;
                }
                let cells = self.cells(code, pc, instr);
                each_op(&instr.ops, &mut |op| see(code, instr, op, &cells));
            }
        }
    }

    /// What an instruction computes.
    pub fn cells(&self, code: usize, pc: usize, instr: &Instr) -> Cells<'_> {
        let mut tmps = FxHashMap::default();
        each_op(&instr.ops, &mut |op| {
            if let Some((dst, Some(held))) = self.made(op, &tmps, (code, pc)) {
                join(&mut tmps, dst, held);
            }
        });
        Cells { tmps, shown: &self.shown }
    }

    /// What an operation puts into a temporary; nothing yet where that hangs on a register that was not written yet.
    fn made(&self, op: &Op, tmps: &FxHashMap<Tmp, Held>, at: (usize, usize)) -> Option<(Tmp, Option<Held>)> {
        let of = |tmp: &Tmp| tmps.get(tmp).copied();
        Some(match op {
            Op::Const { dst, value } => (*dst, Some(Held::of(*value))),
            Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. } => {
                let held = self.read(at, *reg);
                (*dst, held.into_iter().reduce(Held::or))
            }
            Op::Taint { dst, a, .. } | Op::From { dst, a, .. } => (*dst, of(a)),
            Op::Binary { dst, op, a, b } => {
                (*dst, of(a).zip(of(b)).map(|(a, b)| moved(*op, a, b).unwrap_or(Held::Unknown)))
            }
            Op::Alloc { dst, .. } => (*dst, Some(Held::Address(Origin::Made(at.0, at.1), Some(0)))),
            Op::Unary { dst, .. }
            | Op::Load { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::CompareExchange { dst, .. }
            | Op::Spawn { dst, .. }
            | Op::Nondet { dst, .. }
            | Op::Join { dst: Some(dst), .. } => (*dst, Some(Held::Unknown)),
            _ => return None,
        })
    }

    /// Where an instruction puts what it computes.
    fn follow(&mut self, code: usize, pc: usize, instr: &Instr) {
        let mut tmps = FxHashMap::default();
        each_op(&instr.ops, &mut |op| {
            let of = |tmp: &Tmp| tmps.get(tmp).copied();
            let origin = |tmp: &Tmp| of(tmp).and_then(Held::origin);
            match op {
                Op::WriteReg { reg, src, .. } => {
                    if let Some(held) = of(src) {
                        self.write((code, *reg, Some(pc)), held);
                    }
                }
                Op::Spawn { code: other, args, own, .. } => {
                    for (reg, arg) in args {
                        if let Some(held) = of(arg) {
                            self.write((*other, *reg, None), held);
                        }
                    }
                    self.write((*other, *own, None), Held::Unknown);
                }
                // Read by one instruction, it may be one of several: which, is not known any more.
                Op::ReadReg { reg, .. } | Op::ReadRegWith { reg, .. } => {
                    let held = self.read((code, pc), *reg);
                    if held.iter().copied().reduce(Held::or) == Some(Held::Unknown) {
                        held.into_iter().for_each(|held| self.show(held.origin()));
                    }
                }
                Op::Store { value, .. } => self.show(origin(value)),
                Op::CompareExchange { desired, .. } => self.show(origin(desired)),
                Op::Unary { a, .. } => self.show(origin(a)),
                Op::Binary { op, a, b, .. } => {
                    let moved = of(a).zip(of(b)).is_none_or(|(a, b)| moved(*op, a, b).is_some());
                    if !moved && !op.compares() {
                        self.show(origin(a));
                        self.show(origin(b));
                    }
                }
                _ => {}
            }
            if let Some((dst, Some(held))) = self.made(op, &tmps, (code, pc)) {
                for lost in join(&mut tmps, dst, held) {
                    self.show(lost);
                }
            }
        });
        // An update is computed from what is there, and only known when its operations have been gone through.
        each_op(&instr.ops, &mut |op| {
            if let Op::Rmw { update, .. } = op {
                self.show(tmps.get(update).copied().and_then(Held::origin));
            }
        });
    }

    /// What a read of a register may give, by the writes that it may see.
    fn read(&self, at: (usize, usize), reg: Reg) -> Vec<Held> {
        self.held((at.0, reg), self.definitions.seen(at, reg))
    }

    fn held(&self, (code, reg): (usize, Reg), writes: &[Written]) -> Vec<Held> {
        writes.iter().filter_map(|write| self.regs.get(&(code, reg, *write))).copied().collect()
    }

    fn write(&mut self, reg: (usize, Reg, Written), held: Held) {
        let before = self.regs.get(&reg).copied();
        for lost in join(&mut self.regs, reg, held) {
            self.show(lost);
        }
        self.changed |= self.regs.get(&reg).copied() != before;
    }

    fn show(&mut self, origin: Option<Origin>) {
        self.changed |= origin.is_some_and(|origin| self.shown.insert(origin));
    }
}

/// The instructions that a thread may come to after it has started another.
fn after_a_start(code: &[Instr]) -> Vec<bool> {
    let mut after = vec![false; code.len()];
    for (pc, instr) in code.iter().enumerate() {
        if any_op(&instr.ops, |op| matches!(op, Op::Spawn { .. })) && !after[pc] {
            reached(code, pc).into_iter().zip(&mut after).for_each(|(here, after)| *after |= here);
            after[pc] = true;
        }
    }
    after
}

/// On two ways it may be two things. The objects are returned that are not known any more.
fn join<K: Eq + std::hash::Hash>(known: &mut FxHashMap<K, Held>, key: K, held: Held) -> [Option<Origin>; 2] {
    let known = known.entry(key).or_insert(held);
    let before = *known;
    *known = before.or(held);
    if *known == Held::Unknown { [before.origin(), held.origin()] } else { [None; 2] }
}

/// An address that is moved, or a number that is computed. None: what comes out may be anything.
fn moved(op: BinOp, a: Held, b: Held) -> Option<Held> {
    let by = |n: i128| i64::try_from(n).ok();
    Some(match (op, a, b) {
        (BinOp::Add, Held::Number(a), Held::Number(b)) => Held::Number(a.checked_add(b)?),
        (BinOp::Add, Held::Address(of, at), Held::Number(n))
        | (BinOp::Add, Held::Number(n), Held::Address(of, at)) => {
            Held::Address(of, at.zip(by(n)).and_then(|(at, by)| at.checked_add(by)))
        }
        (BinOp::Sub, Held::Address(of, at), Held::Number(n)) => {
            Held::Address(of, at.zip(by(n)).and_then(|(at, by)| at.checked_sub(by)))
        }
        // The cell around a part of it, and where in it that is: of that, nobody makes an address.
        (BinOp::And, Held::Address(of, at), Held::Number(n)) if n < 0 && (-n).count_ones() == 1 => {
            Held::Address(of, at.zip(by(n)).map(|(at, mask)| at & mask))
        }
        (BinOp::Rem, Held::Address(..), Held::Number(_)) => Held::Unknown,
        // Two addresses cannot be added.
        (BinOp::Add, Held::Address(of, _), Held::Unknown)
        | (BinOp::Add, Held::Unknown, Held::Address(of, _)) => Held::Address(of, None),
        _ => return None,
    })
}
