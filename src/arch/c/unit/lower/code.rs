//! The instructions of one thread, while they are made.

use crate::diag::Diagnostic;
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Instr, Op, Port, Reg, SetName, Thread, Tmp, UnOp, Value,
};
use crate::source::Span;

use super::value::Rv;

/// A place in the code that may not be known yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(usize);

/// The sets of a compare-exchange.
pub(super) enum Exchange {
    /// One event, which also writes where it succeeds.
    Once { success: Vec<SetName>, failure: Vec<SetName> },
    /// A read, and a write where it succeeds.
    Halves { read: Vec<SetName>, write: Vec<SetName> },
}

/// Code being made. Each instruction makes at most one access, so that program order has all of them in a row.
#[derive(Default)]
pub(super) struct Code {
    pub instrs: Vec<Instr>,
    labels: Vec<Option<usize>>,
    /// Labels that the source has, by name.
    pub names: Vec<(String, Label)>,
    /// Registers in use.
    pub depth: u16,
    /// The most that were ever in use.
    pub most: u16,
    /// Does it call `pthread_exit`?
    pub exits: bool,
}

/// The micro-ops of one instruction.
#[derive(Default)]
pub(super) struct Ops {
    pub list: Vec<Op>,
    tmps: u16,
}

impl Ops {
    pub fn tmp(&mut self) -> Tmp {
        self.tmps += 1;
        Tmp(self.tmps - 1)
    }

    pub fn push(&mut self, op: Op) {
        crate::limits::poll();
        self.list.push(op);
    }

    /// Computes a value.
    pub fn value(&mut self, rv: &Rv, port: Port) -> Tmp {
        match rv {
            Rv::Const(value) => {
                let dst = self.tmp();
                self.push(Op::Const { dst, value: *value });
                dst
            }
            Rv::Reg(reg) => {
                let dst = self.tmp();
                self.push(Op::ReadReg { dst, reg: *reg, port });
                dst
            }
            Rv::Unary(op, a) => {
                let a = self.value(a, port);
                self.unary(*op, a)
            }
            Rv::Binary(op, a, b) => {
                let (a, b) = (self.value(a, port), self.value(b, port));
                self.binary(*op, a, b)
            }
        }
    }

    pub fn unary(&mut self, op: UnOp, a: Tmp) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Unary { dst, op, a });
        dst
    }

    pub fn binary(&mut self, op: BinOp, a: Tmp, b: Tmp) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Binary { dst, op, a, b });
        dst
    }

    pub fn constant(&mut self, n: i128) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Const { dst, value: Value::Int(n) });
        dst
    }

    /// A jump that hangs on a value: what comes after it depends on the value, wherever it leads.
    pub fn branch(&mut self, cond: Tmp) {
        self.push(Op::Branch { kind: BranchKind::HiddenBcc, cond: Some(cond), extra: Default::default() });
    }

    /// A compare-exchange; gives whether it succeeded.
    pub fn compare_exchange(
        &mut self,
        (dst, addr): (Tmp, Tmp),
        (expected, desired): (Tmp, Tmp),
        size: AccessSize,
        sets: Exchange,
    ) -> Tmp {
        let extra = Extra::default;
        match sets {
            Exchange::Once { success: sets, failure } => {
                let extra = extra();
                self.push(Op::CompareExchange { dst, addr, expected, desired, size, sets, failure, extra });
                self.binary(BinOp::Eq, dst, expected)
            }
            Exchange::Halves { read, write } => {
                self.push(Op::Load { dst, addr, size, sets: read, extra: extra() });
                let cond = self.binary(BinOp::Eq, dst, expected);
                let after = Extra { order: vec![dst], ..extra() };
                let then = vec![Op::Store { addr, value: desired, size, sets: write, extra: after }];
                self.push(Op::If { cond, then, otherwise: Vec::new() });
                cond
            }
        }
    }

    /// Puts a value into a register.
    pub fn write(&mut self, reg: Reg, src: Tmp) {
        self.push(Op::WriteReg { reg, src, extra: Default::default() });
    }
}

impl Code {
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.instrs.len());
    }

    pub fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    pub fn goto(label: Label) -> Op {
        Op::Goto { pc: label.0 }
    }

    pub fn push(&mut self, ops: Ops, text: String, span: Span) {
        self.instrs.push(Instr { text, span, ops: ops.list });
    }

    /// A new register.
    pub fn reg(&mut self, span: Span) -> Result<Reg, Diagnostic> {
        if self.depth == u16::MAX {
            return Err(Diagnostic::unsupported("c::too-large", "this program needs too many registers")
                .at(span, "here"));
        }
        self.depth += 1;
        self.most = self.most.max(self.depth);
        Ok(Reg(self.depth - 1))
    }

    /// The thread, with every label known.
    pub fn finish(mut self, result: Option<Reg>, start: crate::program::Start) -> Thread {
        let end = self.instrs.len();
        for instr in &mut self.instrs {
            resolve(&mut instr.ops, &self.labels, end);
        }
        let named = self.names.into_iter().filter_map(|(name, label)| Some((name, self.labels[label.0]?)));
        let labels = named.collect();
        Thread { code: self.instrs, labels, start, result, exits: self.exits, ..Thread::default() }
    }
}

fn resolve(ops: &mut [Op], labels: &[Option<usize>], end: usize) {
    for op in ops {
        match op {
            Op::Goto { pc } => *pc = labels.get(*pc).copied().flatten().unwrap_or(end),
            Op::If { then, otherwise, .. } => {
                resolve(then, labels, end);
                resolve(otherwise, labels, end);
            }
            Op::Choice { branches } => branches.iter_mut().for_each(|b| resolve(b, labels, end)),
            _ => {}
        }
    }
}
