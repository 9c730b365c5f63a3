//! From syntax to micro-ops.

use super::register_name;
use super::syntax::{Address, Atomic, Insn, Register, Source};
use crate::arch::build::{Builder, names};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Reg, Tmp};
use crate::source::Span;

/// Sets of an atomic that is fully ordered.
const FULL: &[&str] = &["X", "SC"];

/// Translates an instruction.
pub fn lower(insn: &Insn, cx: &mut ColumnCx) -> Result<Vec<Op>, Diagnostic> {
    let mut l = Lower { b: Builder::new(), cx };
    match insn {
        Insn::Move(to, value) => {
            let value = l.source(*value, Port::None);
            l.write(*to, value);
        }
        Insn::Alu(alu, to, value) => {
            let (left, right) = (l.read(*to, Port::None), l.source(*value, Port::None));
            let result = l.b.binary(alu.op, left, right);
            l.write(*to, result);
        }
        Insn::Load { to, from, bits, acquire } => {
            let at = l.address(*from);
            let value = l.b.load(at, bits / 8, if *acquire { &["AQ"] } else { &[] });
            l.write(*to, value);
        }
        Insn::Store { to, value, bits } => {
            let at = l.address(*to);
            let value = l.source(*value, Port::Data);
            l.b.store(at, value, bits / 8, &[]);
        }
        Insn::StoreRelease { to, value, bits } => {
            let at = l.address(*to);
            let value = l.read(*value, Port::Data);
            l.b.store(at, value, bits / 8, &["RL"]);
        }
        Insn::Atomic { op, at, operand, bits } => {
            let op = match op {
                Atomic::Exchange => None,
                Atomic::Fetch(alu) => Some(alu.op),
            };
            let old = l.atomic(op, (*at, bits / 8), *operand, FULL);
            l.write(*operand, old);
        }
        Insn::Lock { op, at, operand, bits } => {
            l.atomic(Some(op.op), (*at, bits / 8), *operand, &["X"]);
        }
        Insn::CompareExchange { at, new, bits } => l.compare_exchange((*at, bits / 8), *new),
        Insn::Goto { label, span } => {
            let pc = l.target(label, *span)?;
            l.b.jump(pc);
        }
        Insn::If { comparison, left, right, label, span } => {
            let (left, right) = (l.read(*left, Port::None), l.source(*right, Port::None));
            let holds = l.b.binary(comparison.op, left, right);
            let pc = l.target(label, *span)?;
            l.b.branch_if(holds, pc);
        }
    }
    Ok(l.b.finish())
}

struct Lower<'a, 'c> {
    b: Builder,
    cx: &'a mut ColumnCx<'c>,
}

impl Lower<'_, '_> {
    fn reg(&mut self, register: Register) -> Reg {
        self.cx.regs.intern(&register_name(register.0))
    }

    fn read(&mut self, register: Register, port: Port) -> Tmp {
        let reg = self.reg(register);
        self.b.read(reg, port)
    }

    fn write(&mut self, register: Register, value: Tmp) {
        let reg = self.reg(register);
        self.b.write(reg, value);
    }

    fn source(&mut self, source: Source, port: Port) -> Tmp {
        match source {
            Source::Reg(register) => self.read(register, port),
            Source::Int(value) => self.b.int(value.into()),
        }
    }

    fn address(&mut self, address: Address) -> Tmp {
        let base = self.read(address.base, Port::Addr);
        // The instruction has 16 bits for it.
        match address.offset as i16 {
            0 => base,
            offset => self.b.binary_int(BinOp::Add, base, offset.into()),
        }
    }

    /// One event that reads and writes; the old value.
    fn atomic(
        &mut self,
        op: Option<BinOp>,
        (at, bytes): (Address, u8),
        operand: Register,
        sets: &[&'static str],
    ) -> Tmp {
        let addr = self.address(at);
        let operand = self.read(operand, Port::Data);
        let dst = self.b.tmp();
        let (ops, update) = match op {
            Some(op) => {
                let update = self.b.tmp();
                (vec![Op::Binary { dst: update, op, a: dst, b: operand }], update)
            }
            None => (Vec::new(), operand),
        };
        self.b.push(Op::Rmw {
            dst,
            addr,
            ops,
            update,
            size: AccessSize(bytes),
            sets: names(sets),
            extra: Extra::default(),
        });
        dst
    }

    /// If it succeeds it is an atomic of two events, if not a plain read.
    fn compare_exchange(&mut self, (at, bytes): (Address, u8), new: Register) {
        let addr = self.address(at);
        let expected = self.read(Register(0), Port::Data);
        let outer = self.b.open();
        let old = self.b.load(addr, bytes, FULL);
        let equal = self.b.binary(BinOp::Eq, old, expected);
        self.b.push(Op::Assume { cond: equal });
        let value = self.read(new, Port::Data);
        let hangs = Extra { ctrl: vec![old, expected], ..Extra::default() };
        self.b.store_with(addr, value, bytes, FULL, hangs);
        self.write(Register(0), old);
        let success = self.b.close(outer);
        let outer = self.b.open();
        let old = self.b.load(addr, bytes, &[]);
        let differ = self.b.binary(BinOp::Ne, old, expected);
        self.b.push(Op::Assume { cond: differ });
        self.write(Register(0), old);
        let failure = self.b.close(outer);
        self.b.push(Op::Choice { branches: vec![success, failure] });
    }

    fn target(&self, label: &str, span: Span) -> Result<usize, Diagnostic> {
        let known = self.cx.labels.iter().find(|(name, _)| name == label);
        known
            .map(|(_, pc)| *pc)
            .ok_or_else(|| errors::unknown_label(label, self.cx.thread, span, self.cx.labels))
    }
}
