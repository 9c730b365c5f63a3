//! ARM instructions as micro-ops.
//!
//! A conditional instruction reads its flags and then does its work or nothing. Where its work is an access to memory,
//! a `PRED` event stands between: the access is control-dependent on the flags.

use super::syntax::{Address, Insn, Mode, Named, Operand, Shift};
use super::table::{Condition, Direction, Kind, Test};
use crate::arch::ColumnCx;
use crate::arch::build::{Builder, names};
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Op, Port, Reg, SetName, Target, Tmp, UnOp, Value,
};

/// Translates an instruction.
pub fn lower(cx: &mut ColumnCx, insn: &Insn) -> Vec<Op> {
    let mut lowering = Lowering { cx, insn, b: Builder::new(), guard: None };
    match insn.found.condition {
        None => lowering.work(),
        Some(condition) => lowering.conditional(condition),
    }
    lowering.b.finish()
}

struct Lowering<'a, 'c> {
    cx: &'a mut ColumnCx<'c>,
    insn: &'a Insn,
    b: Builder,
    /// The event that a conditional access waits for.
    guard: Option<Tmp>,
}

/// How a result sets the flags.
enum Flags {
    /// N and Z alone.
    Logic,
    /// `a + b`.
    Add(Tmp, Tmp),
    /// `a - b`.
    Sub(Tmp, Tmp),
}

impl Lowering<'_, '_> {
    fn conditional(&mut self, condition: Condition) {
        let cond = self.condition(condition);
        let kind = self.insn.found.entry.kind;
        if kind == Kind::Jump {
            self.b.branch_if(cond, self.insn.target);
            return;
        }
        let is_access = matches!(
            kind,
            Kind::Load { .. }
                | Kind::Store { .. }
                | Kind::StoreExclusive { .. }
                | Kind::LoadPair
                | Kind::StorePair
                | Kind::LoadMultiple { .. }
                | Kind::StoreMultiple { .. }
        );
        let is_jump = matches!(kind, Kind::Call | Kind::JumpTo | Kind::CallTo);
        if is_access || is_jump {
            let done = self.b.tmp();
            let extra = Extra { done: Some(done), ..Extra::default() };
            let kind = if is_jump { BranchKind::Bcc } else { BranchKind::HiddenPred };
            self.b.push(Op::Branch { kind, cond: Some(cond), extra });
            self.guard = Some(done);
        }
        let outer = self.b.open();
        self.work();
        let then = self.b.close(outer);
        self.b.push(Op::If { cond, then, otherwise: Vec::new() });
    }

    fn work(&mut self) {
        match self.insn.found.entry.kind {
            Kind::Nop => {}
            Kind::Add => {
                let (a, b) = self.sources();
                let result = self.b.binary(BinOp::Add, a, b);
                self.result(result, Flags::Add(a, b));
            }
            Kind::Sub => {
                let (a, b) = self.sources();
                let result = self.b.binary(BinOp::Sub, a, b);
                self.result(result, Flags::Sub(a, b));
            }
            Kind::ReverseSub => {
                let (a, b) = self.sources();
                let result = self.b.binary(BinOp::Sub, b, a);
                self.result(result, Flags::Sub(b, a));
            }
            Kind::AddCarry => {
                let (a, b) = self.sources();
                self.with_carry(a, b);
            }
            Kind::SubCarry => {
                let (a, b) = self.sources();
                let b = self.b.unary(UnOp::Not, b);
                self.with_carry(a, b);
            }
            Kind::ReverseSubCarry => {
                let (a, b) = self.sources();
                let a = self.b.unary(UnOp::Not, a);
                self.with_carry(b, a);
            }
            Kind::Negate => {
                let (zero, b) = (self.b.int(0), self.reg(1, Port::None));
                let result = self.b.binary(BinOp::Sub, zero, b);
                self.result(result, Flags::Sub(zero, b));
            }
            Kind::OrNot => {
                let (a, b) = self.sources();
                let b = self.b.unary(UnOp::Not, b);
                let result = self.b.binary(BinOp::Or, a, b);
                self.result(result, Flags::Logic);
            }
            Kind::Logic(op) => {
                let (a, mut b) = self.sources();
                if matches!(op, BinOp::Shl | BinOp::Lsr | BinOp::Asr) {
                    b = self.b.binary_int(BinOp::And, b, 0xff);
                }
                let result = self.b.binary(op, a, b);
                self.result(result, Flags::Logic);
            }
            Kind::RotateRight => {
                let (a, b) = self.sources();
                let result = self.rotate(a, b);
                self.result(result, Flags::Logic);
            }
            Kind::Multiply => {
                let (a, b) = (self.reg(1, Port::None), self.reg(2, Port::None));
                let result = self.b.binary(BinOp::Mul, a, b);
                self.result(result, Flags::Logic);
            }
            Kind::MultiplyAdd(op) => {
                let (a, b) = (self.reg(1, Port::None), self.reg(2, Port::None));
                let addend = self.reg(3, Port::None);
                let product = self.b.binary(BinOp::Mul, a, b);
                let result = self.b.binary(op, addend, product);
                self.result(result, Flags::Logic);
            }
            Kind::MultiplyLong(upper) => {
                let (a, b) = (self.reg(2, Port::None), self.reg(3, Port::None));
                let low = self.b.binary(BinOp::Mul, a, b);
                let high = self.b.binary(upper, a, b);
                self.b.write(self.insn.regs[0].reg, low);
                self.b.write(self.insn.regs[1].reg, high);
            }
            Kind::Divide(op) => {
                let (a, b) = (self.reg(1, Port::None), self.reg(2, Port::None));
                let result = self.b.binary(op, a, b);
                self.result(result, Flags::Logic);
            }
            Kind::Unary(op) => {
                let value = self.reg(1, Port::None);
                let value = self.b.unary(op, value);
                self.result(value, Flags::Logic);
            }
            Kind::ExtractField { signed } => {
                let (lsb, width) = self.insn.field;
                let value = self.reg(1, Port::None);
                let value = self.b.binary_int(BinOp::Lsr, value, i128::from(lsb));
                let op = if signed { UnOp::SignExtend(width) } else { UnOp::ZeroExtend(width) };
                let value = self.b.unary(op, value);
                self.result(value, Flags::Logic);
            }
            Kind::InsertField => {
                let (lsb, width) = self.insn.field;
                let value = self.reg(1, Port::None);
                let value = self.b.unary(UnOp::ZeroExtend(width), value);
                let value = self.b.binary_int(BinOp::Shl, value, i128::from(lsb));
                let kept = self.outside_field();
                let value = self.b.binary(BinOp::Or, kept, value);
                self.result(value, Flags::Logic);
            }
            Kind::ClearField => {
                let kept = self.outside_field();
                self.result(kept, Flags::Logic);
            }
            Kind::Move | Kind::MoveWide => {
                let value = self.last();
                self.result(value, Flags::Logic);
            }
            Kind::MoveNot => {
                let value = self.last();
                let value = self.b.unary(UnOp::Not, value);
                self.result(value, Flags::Logic);
            }
            Kind::MoveTop => {
                let old = self.reg(0, Port::None);
                let low = self.b.unary(UnOp::ZeroExtend(16), old);
                let top = self.last();
                let top = self.b.binary_int(BinOp::Shl, top, 16);
                let value = self.b.binary(BinOp::Or, low, top);
                self.result(value, Flags::Logic);
            }
            Kind::Extend { bits, signed } => {
                let value = self.reg(1, Port::None);
                let op = if signed { UnOp::SignExtend(bits) } else { UnOp::ZeroExtend(bits) };
                let value = self.b.unary(op, value);
                self.result(value, Flags::Logic);
            }
            Kind::Compare => self.compare(BinOp::Sub),
            Kind::CompareNegative => self.compare(BinOp::Add),
            Kind::Test => self.compare(BinOp::And),
            Kind::TestEqual => self.compare(BinOp::Xor),
            Kind::Load { .. } if self.insn.literal.is_some() => {
                let address = self.insn.literal.map_or(Value::ZERO, Value::addr);
                let value = self.b.value(address);
                self.b.write(self.insn.regs[0].reg, value);
            }
            Kind::Load { bytes, signed, sets, exclusive } => {
                let addr = self.address();
                if exclusive {
                    let monitor = self.cx.regs.intern("RESADDR");
                    self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
                    self.b.write(monitor, addr);
                }
                let value = self.load(addr, bytes, sets);
                let value = match (bytes, signed) {
                    (4, _) => value,
                    (_, true) => self.b.unary(UnOp::SignExtend(8 * bytes), value),
                    (_, false) => self.b.unary(UnOp::ZeroExtend(8 * bytes), value),
                };
                self.b.write(self.insn.regs[0].reg, value);
            }
            Kind::Store { bytes, sets } => {
                let addr = self.address();
                let value = self.reg(0, Port::Data);
                let value = self.cut(value, bytes);
                self.store(addr, value, bytes, sets, &[]);
            }
            Kind::StoreExclusive { bytes, sets } => self.store_exclusive(bytes, sets),
            Kind::LoadPair => {
                let addr = self.address();
                self.load_list(addr, &self.insn.regs);
            }
            Kind::StorePair => {
                let addr = self.address();
                self.store_list(addr);
            }
            Kind::LoadMultiple(direction) => {
                let addr = self.multiple(direction);
                self.load_list(addr, &self.insn.regs);
            }
            Kind::StoreMultiple(direction) => {
                let addr = self.multiple(direction);
                self.store_list(addr);
            }
            Kind::ClearExclusive => {
                // A store-exclusive finds no reservation for an address that is none.
                let monitor = self.cx.regs.intern("RESADDR");
                let zero = self.b.int(0);
                self.b.push(Op::Reserve { addr: zero, size: AccessSize(0) });
                self.b.write(monitor, zero);
            }
            Kind::Jump => self.b.jump(self.insn.target),
            Kind::Call => {
                self.link();
                self.b.jump(self.insn.target);
            }
            Kind::CallTo => {
                // The target is read before the link register is written: they may be the same.
                let target = self.reg(0, Port::None);
                self.link();
                self.b.push(Op::Jump { target: Target::Indirect(target) });
            }
            Kind::JumpTo => {
                let target = self.reg(0, Port::None);
                if self.insn.regs[0].name == "LR" {
                    self.b.return_to(target);
                } else {
                    self.b.push(Op::Jump { target: Target::Indirect(target) });
                }
            }
            Kind::JumpIfZero(zero) => {
                let value = self.reg(0, Port::None);
                let op = if zero { BinOp::Eq } else { BinOp::Ne };
                let cond = self.b.binary_int(op, value, 0);
                self.b.branch_if(cond, self.insn.target);
            }
            Kind::Fence(_) => {
                let sets = vec![SetName::Owned(self.insn.set.clone())];
                self.b.push(Op::Fence { sets, extra: Extra::default() });
            }
            Kind::InstructionFence => self.b.fence(&["ISB"]),
        }
    }

    fn link(&mut self) {
        let back = Value::Code { thread: self.cx.thread as u16, pc: (self.cx.pc + 1) as u16 };
        let back = self.b.value(back);
        let link = self.cx.regs.intern("LR");
        self.b.write(link, back);
    }

    /// `a + b + C`, to the first register.
    fn with_carry(&mut self, a: Tmp, b: Tmp) {
        let carry = self.flag("C");
        let partial = self.b.binary(BinOp::Add, a, b);
        let sum = self.b.binary(BinOp::Add, partial, carry);
        self.b.write(self.insn.regs[0].reg, sum);
        if self.insn.found.set_flags {
            self.flags(sum, Flags::Add(a, b));
            // The carry may come from either step.
            let first = self.b.binary(BinOp::Ltu, partial, a);
            let second = self.b.binary(BinOp::Ltu, sum, partial);
            let carried = self.b.binary(BinOp::Or, first, second);
            self.set_flag("C", carried);
        }
    }

    /// The first register without its field.
    fn outside_field(&mut self) -> Tmp {
        let (lsb, width) = self.insn.field;
        let old = self.reg(0, Port::None);
        let mask = ((1_i128 << width) - 1) << lsb;
        self.b.binary_int(BinOp::AndNot, old, crate::program::wrap(mask, 32))
    }

    /// The second register and the last operand.
    fn sources(&mut self) -> (Tmp, Tmp) {
        let a = self.reg(1, Port::None);
        (a, self.last())
    }

    fn last(&mut self) -> Tmp {
        match &self.insn.operand {
            Some(operand) => self.operand(operand, Port::None),
            None => self.b.int(0),
        }
    }

    fn operand(&mut self, operand: &Operand, port: Port) -> Tmp {
        match operand {
            Operand::Imm(n) => self.b.int(crate::program::wrap(*n, 32)),
            Operand::Reg(reg, None) => self.b.read(reg.reg, port),
            Operand::Reg(reg, Some(Shift { op, amount })) => {
                let value = self.b.read(reg.reg, port);
                let amount = self.operand(amount, port);
                match op {
                    Some(op) => {
                        let amount = self.b.binary_int(BinOp::And, amount, 0xff);
                        self.b.binary(*op, value, amount)
                    }
                    None => self.rotate(value, amount),
                }
            }
        }
    }

    fn rotate(&mut self, value: Tmp, amount: Tmp) -> Tmp {
        let right = self.b.binary_int(BinOp::And, amount, 31);
        let full = self.b.int(32);
        let left = self.b.binary(BinOp::Sub, full, right);
        let low = self.b.binary(BinOp::Lsr, value, right);
        let high = self.b.binary(BinOp::Shl, value, left);
        self.b.binary(BinOp::Or, low, high)
    }

    fn result(&mut self, value: Tmp, flags: Flags) {
        self.b.write(self.insn.regs[0].reg, value);
        if self.insn.found.set_flags {
            self.flags(value, flags);
        }
    }

    fn compare(&mut self, op: BinOp) {
        let a = self.reg(0, Port::None);
        let b = self.last();
        let result = self.b.binary(op, a, b);
        let flags = match op {
            BinOp::Sub => Flags::Sub(a, b),
            BinOp::Add => Flags::Add(a, b),
            _ => Flags::Logic,
        };
        self.flags(result, flags);
    }

    fn flags(&mut self, result: Tmp, flags: Flags) {
        let minus = self.b.unary(UnOp::Bit(31), result);
        self.set_flag("N", minus);
        // Of a difference: equality of the operands, which has a meaning for addresses too.
        let zero = match flags {
            Flags::Sub(a, b) => self.b.binary(BinOp::Eq, a, b),
            _ => self.b.binary_int(BinOp::Eq, result, 0),
        };
        self.set_flag("Z", zero);
        let (carry, x, y) = match flags {
            Flags::Logic => return,
            Flags::Add(a, b) => {
                let carry = self.b.binary(BinOp::Ltu, result, a);
                (carry, self.b.binary(BinOp::Xor, a, result), self.b.binary(BinOp::Xor, b, result))
            }
            Flags::Sub(a, b) => {
                let carry = self.b.binary(BinOp::Geu, a, b);
                (carry, self.b.binary(BinOp::Xor, a, b), self.b.binary(BinOp::Xor, a, result))
            }
        };
        self.set_flag("C", carry);
        let both = self.b.binary(BinOp::And, x, y);
        let overflow = self.b.unary(UnOp::Bit(31), both);
        self.set_flag("V", overflow);
    }

    fn set_flag(&mut self, name: &str, value: Tmp) {
        let reg = self.cx.regs.intern(name);
        self.b.write(reg, value);
    }

    fn flag(&mut self, name: &str) -> Tmp {
        let reg = self.cx.regs.intern(name);
        self.b.read(reg, Port::None)
    }

    fn condition(&mut self, condition: Condition) -> Tmp {
        let value = match condition.test {
            Test::Equal => self.flag("Z"),
            Test::Carry => self.flag("C"),
            Test::Minus => self.flag("N"),
            Test::Overflow => self.flag("V"),
            Test::Higher => {
                let (carry, zero) = (self.flag("C"), self.flag("Z"));
                self.b.binary(BinOp::Gt, carry, zero)
            }
            Test::GreaterEqual => self.signs_agree(),
            Test::Greater => {
                let agree = self.signs_agree();
                let zero = self.flag("Z");
                self.b.binary(BinOp::Gt, agree, zero)
            }
            Test::Always => self.b.int(1),
        };
        if condition.negated { self.b.unary(UnOp::IsZero, value) } else { value }
    }

    fn signs_agree(&mut self) -> Tmp {
        let (minus, overflow) = (self.flag("N"), self.flag("V"));
        self.b.binary(BinOp::Eq, minus, overflow)
    }

    /// The address accessed; writes the base register if the address says so.
    fn address(&mut self) -> Tmp {
        let Some(Address { base, index, mode }) = &self.insn.address else { return self.b.int(0) };
        let start = self.b.read(base.reg, Port::Addr);
        let moved = match index {
            None => start,
            Some(Operand::Imm(n)) => self.b.offset(start, *n),
            Some(index) => {
                let index = self.operand(index, Port::Addr);
                self.b.binary(BinOp::Add, start, index)
            }
        };
        match mode {
            Mode::Offset => moved,
            Mode::Pre => {
                self.b.write(base.reg, moved);
                moved
            }
            Mode::Post => {
                self.b.write(base.reg, moved);
                start
            }
        }
    }

    /// The first address of a list of registers.
    fn multiple(&mut self, direction: Direction) -> Tmp {
        let Some(Address { base, mode, .. }) = &self.insn.address else { return self.b.int(0) };
        let start = self.b.read(base.reg, Port::Addr);
        let size = 4 * self.insn.regs.len() as i128;
        let (first, end) = match direction {
            Direction::IncrementAfter => (0, size),
            Direction::IncrementBefore => (4, size),
            Direction::DecrementAfter => (4 - size, -size),
            Direction::DecrementBefore => (-size, -size),
        };
        if *mode == Mode::Pre {
            let end = self.b.offset(start, end);
            self.b.write(base.reg, end);
        }
        self.b.offset(start, first)
    }

    fn load_list(&mut self, addr: Tmp, regs: &[Named]) {
        let values: Vec<(Reg, Tmp)> = regs
            .iter()
            .enumerate()
            .map(|(index, named)| {
                let addr = self.b.offset(addr, 4 * index as i128);
                (named.reg, self.load(addr, 4, &[]))
            })
            .collect();
        // Each register waits for all of the loads.
        let all: Vec<Tmp> = values.iter().map(|(_, value)| *value).collect();
        for (reg, value) in values {
            self.b.write_with(reg, value, Extra { data: all.clone(), ..Extra::default() });
        }
    }

    fn store_list(&mut self, addr: Tmp) {
        for (index, named) in self.insn.regs.iter().enumerate() {
            let value = self.b.read(named.reg, Port::Data);
            let addr = self.b.offset(addr, 4 * index as i128);
            self.store(addr, value, 4, &[], &[]);
        }
    }

    fn load(&mut self, addr: Tmp, bytes: u8, sets: &[&'static str]) -> Tmp {
        let dst = self.b.tmp();
        let extra = self.extra(&[]);
        self.b.push(Op::Load { dst, addr, size: AccessSize(bytes), sets: names(sets), extra });
        dst
    }

    fn store(&mut self, addr: Tmp, value: Tmp, bytes: u8, sets: &[&'static str], also: &[Tmp]) {
        let extra = self.extra(also);
        self.b.store_with(addr, value, bytes, sets, extra);
    }

    fn extra(&self, data: &[Tmp]) -> Extra {
        Extra { ctrl: self.guard.into_iter().collect(), data: data.to_vec(), ..Extra::default() }
    }

    /// The status register gets 0 for success and 1 for failure; it depends on everything that was read.
    fn store_exclusive(&mut self, bytes: u8, sets: &'static [&'static str]) {
        let monitor = self.cx.regs.intern("RESADDR");
        let reserved = self.b.read(monitor, Port::None);
        let value = self.reg(1, Port::Data);
        let value = self.cut(value, bytes);
        let addr = self.address();
        let status = self.insn.regs[0].reg;
        let all = Extra { data: vec![reserved, value, addr], ..Extra::default() };
        let zero = self.b.int(0);
        let one = self.b.int(1);
        self.b.write_with(monitor, zero, all.clone());
        let outer = self.b.open();
        self.b.write_with(status, zero, all.clone());
        self.store(addr, value, bytes, sets, &[reserved]);
        let then = self.b.close(outer);
        let otherwise = self.b.block(|b| b.write_with(status, one, all));
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    fn cut(&mut self, value: Tmp, bytes: u8) -> Tmp {
        if bytes < 4 { self.b.unary(UnOp::ZeroExtend(8 * bytes), value) } else { value }
    }

    fn reg(&mut self, index: usize, port: Port) -> Tmp {
        match self.insn.regs.get(index) {
            Some(named) => self.b.read(named.reg, port),
            None => self.b.int(0),
        }
    }
}
