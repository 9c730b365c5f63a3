//! A builder of micro-op lists: hands out temporaries, keeps the order.

use super::ColumnCx;
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Op, Port, Reg, SetName, Target, Tmp, UnOp, Value,
};

/// An instruction that is being translated: the column it stands in, what it says, and its micro-ops so far.
pub struct Translation<'a, 'c, Insn> {
    pub cx: &'a mut ColumnCx<'c>,
    pub insn: &'a Insn,
    pub b: Builder,
}

impl<'a, 'c, Insn> Translation<'a, 'c, Insn> {
    /// The micro-ops that `translate` makes of an instruction.
    pub fn run(cx: &'a mut ColumnCx<'c>, insn: &'a Insn, translate: impl FnOnce(&mut Self)) -> Vec<Op> {
        let mut translation = Translation { cx, insn, b: Builder::new() };
        translate(&mut translation);
        translation.b.finish()
    }
}

/// Micro-ops under construction.
#[derive(Debug, Default)]
pub struct Builder {
    ops: Vec<Op>,
    next: u16,
}

impl Builder {
    /// Empty.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// The finished list.
    pub fn finish(self) -> Vec<Op> {
        self.ops
    }

    /// A temporary not used so far.
    pub fn tmp(&mut self) -> Tmp {
        let tmp = Tmp(self.next);
        self.next += 1;
        tmp
    }

    /// Appends an op as it is.
    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// The ops that `f` appends, as a list of their own (a branch of [`Op::If`] or [`Op::Choice`]); temporaries are shared.
    pub fn block(&mut self, f: impl FnOnce(&mut Builder)) -> Vec<Op> {
        let outer = self.open();
        f(self);
        self.close(outer)
    }

    /// Starts a list of its own; what it returns is to be given to [`Builder::close`].
    pub fn open(&mut self) -> Vec<Op> {
        std::mem::take(&mut self.ops)
    }

    /// Ends the list that [`Builder::open`] started, and goes on with the outer one.
    pub fn close(&mut self, outer: Vec<Op>) -> Vec<Op> {
        std::mem::replace(&mut self.ops, outer)
    }

    /// An integer.
    pub fn int(&mut self, value: i128) -> Tmp {
        self.value(Value::Int(value))
    }

    /// A constant.
    pub fn value(&mut self, value: Value) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Const { dst, value });
        dst
    }

    /// A function of one.
    pub fn unary(&mut self, op: UnOp, a: Tmp) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Unary { dst, op, a });
        dst
    }

    /// A function of two.
    pub fn binary(&mut self, op: BinOp, a: Tmp, b: Tmp) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Binary { dst, op, a, b });
        dst
    }

    /// A function of one and a constant.
    pub fn binary_int(&mut self, op: BinOp, a: Tmp, value: i128) -> Tmp {
        let b = self.int(value);
        self.binary(op, a, b)
    }

    /// `a` moved by a constant: `a` itself if that is 0.
    pub fn offset(&mut self, a: Tmp, value: i128) -> Tmp {
        if value == 0 { a } else { self.binary_int(BinOp::Add, a, value) }
    }

    /// Register read.
    pub fn read(&mut self, reg: Reg, port: Port) -> Tmp {
        let dst = self.tmp();
        self.push(Op::ReadReg { dst, reg, port });
        dst
    }

    /// Register write.
    pub fn write(&mut self, reg: Reg, src: Tmp) {
        self.write_with(reg, src, Extra::default());
    }

    /// Register write with extra edges.
    pub fn write_with(&mut self, reg: Reg, src: Tmp, extra: Extra) {
        self.push(Op::WriteReg { reg, src, extra });
    }

    /// Memory read.
    pub fn load(&mut self, addr: Tmp, size: u8, sets: &[&'static str]) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Load { dst, addr, size: AccessSize(size), sets: names(sets), extra: Extra::default() });
        dst
    }

    /// Memory write.
    pub fn store(&mut self, addr: Tmp, value: Tmp, size: u8, sets: &[&'static str]) {
        self.store_with(addr, value, size, sets, Extra::default());
    }

    /// Memory write with extra edges.
    pub fn store_with(&mut self, addr: Tmp, value: Tmp, size: u8, sets: &[&'static str], extra: Extra) {
        self.push(Op::Store { addr, value, size: AccessSize(size), sets: names(sets), extra });
    }

    /// Fence.
    pub fn fence(&mut self, sets: &[&'static str]) {
        self.push(Op::Fence { sets: names(sets), extra: Extra::default() });
    }

    /// Branch event.
    pub fn branch(&mut self, kind: BranchKind, cond: Option<Tmp>) {
        self.push(Op::Branch { kind, cond, extra: Extra::default() });
    }

    /// Jump to an instruction of this thread.
    pub fn jump(&mut self, pc: usize) {
        self.push(Op::Jump { target: Target::Pc(pc) });
    }

    /// A conditional jump: branch event, then the jump if `cond` is not 0.
    pub fn branch_if(&mut self, cond: Tmp, pc: usize) {
        self.branch_if_as(BranchKind::Bcc, cond, pc);
    }

    /// The same, with an event of another kind.
    pub fn branch_if_as(&mut self, kind: BranchKind, cond: Tmp, pc: usize) {
        self.branch(kind, Some(cond));
        let then = self.block(|b| b.jump(pc));
        self.push(Op::If { cond, then, otherwise: Vec::new() });
    }

    /// Return through a link register: to the code address it holds, or out of the thread if it holds 0, as it does
    /// when nothing was put there (the code of a thread is the body of a function).
    pub fn return_to(&mut self, link: Tmp) {
        let outside = self.binary_int(BinOp::Eq, link, 0);
        let then = self.block(|b| b.push(Op::Stop));
        let otherwise = self.block(|b| b.push(Op::Jump { target: Target::Indirect(link) }));
        self.push(Op::If { cond: outside, then, otherwise });
    }
}

/// Set names of an event, from constants.
pub fn names(sets: &[&'static str]) -> Vec<SetName> {
    sets.iter().map(|set| SetName::Borrowed(set)).collect()
}
