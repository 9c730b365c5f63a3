//! ARM instructions as micro-ops.
//!
//! A conditional instruction reads its flags and then does its work or nothing. Where its work is an access to memory,
//! a `PRED` event stands between: the access is control-dependent on the flags.

use super::syntax::{Insn, Operand, Shift};
use super::table::{Condition, Kind, Test};
use crate::arch::ColumnCx;
use crate::arch::build::Builder;
use crate::program::{BinOp, BranchKind, Extra, Op, Port, SetName, Target, Tmp, UnOp, Value};

/// Translates an instruction.
pub fn lower(cx: &mut ColumnCx, insn: &Insn) -> Vec<Op> {
    let mut lowering = Lowering { cx, insn, b: Builder::new(), guard: None };
    match insn.found.condition {
        None => lowering.work(),
        Some(condition) => lowering.conditional(condition),
    }
    lowering.b.finish()
}

pub(super) struct Lowering<'a, 'c> {
    pub(super) cx: &'a mut ColumnCx<'c>,
    pub(super) insn: &'a Insn,
    pub(super) b: Builder,
    /// The event that a conditional access waits for.
    pub(super) guard: Option<Tmp>,
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

impl Flags {
    fn of(op: BinOp, a: Tmp, b: Tmp) -> Flags {
        match op {
            BinOp::Sub => Flags::Sub(a, b),
            BinOp::Add => Flags::Add(a, b),
            _ => Flags::Logic,
        }
    }
}

/// Widens a number of so many bits.
pub(super) fn extension(bits: u8, signed: bool) -> UnOp {
    if signed { UnOp::SignExtend(bits) } else { UnOp::ZeroExtend(bits) }
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
            Kind::Add => self.arithmetic(BinOp::Add),
            Kind::Sub => self.arithmetic(BinOp::Sub),
            Kind::Logic(op) => self.arithmetic(op),
            Kind::ReverseSub => {
                let (a, b) = self.sources();
                self.combine(BinOp::Sub, b, a);
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
                self.combine(BinOp::Sub, zero, b);
            }
            Kind::OrNot => {
                let (a, b) = self.sources();
                let b = self.b.unary(UnOp::Not, b);
                self.combine(BinOp::Or, a, b);
            }
            Kind::RotateRight => {
                let (a, b) = self.sources();
                let result = self.rotate(a, b);
                self.result(result, Flags::Logic);
            }
            Kind::Multiply => self.registers(BinOp::Mul),
            Kind::Divide(op) => self.registers(op),
            Kind::MultiplyAdd(op) => self.multiply_add(op),
            Kind::MultiplyLong(upper) => self.multiply_long(upper),
            Kind::Unary(op) => self.unary(op),
            Kind::Extend { bits, signed } => self.unary(extension(bits, signed)),
            Kind::ExtractField { signed } => self.extract_field(signed),
            Kind::InsertField => self.insert_field(),
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
            Kind::MoveTop => self.move_top(),
            Kind::Compare => self.compare(BinOp::Sub),
            Kind::CompareNegative => self.compare(BinOp::Add),
            Kind::Test => self.compare(BinOp::And),
            Kind::TestEqual => self.compare(BinOp::Xor),
            Kind::Load { bytes, signed, sets, exclusive } => match self.insn.literal {
                Some(literal) => {
                    let value = self.b.value(Value::addr(literal));
                    self.b.write(self.insn.regs[0].reg, value);
                }
                None => self.load_register((bytes, signed), sets, exclusive),
            },
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
                let zero = self.b.int(0);
                self.reserve(zero, 0);
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

    /// The second register and the last operand, put together.
    fn arithmetic(&mut self, op: BinOp) {
        let (a, mut b) = self.sources();
        if matches!(op, BinOp::Shl | BinOp::Lsr | BinOp::Asr) {
            b = self.b.binary_int(BinOp::And, b, 0xff);
        }
        self.combine(op, a, b);
    }

    fn registers(&mut self, op: BinOp) {
        let (a, b) = (self.reg(1, Port::None), self.reg(2, Port::None));
        self.combine(op, a, b);
    }

    fn combine(&mut self, op: BinOp, a: Tmp, b: Tmp) {
        let result = self.b.binary(op, a, b);
        self.result(result, Flags::of(op, a, b));
    }

    fn unary(&mut self, op: UnOp) {
        let value = self.reg(1, Port::None);
        let value = self.b.unary(op, value);
        self.result(value, Flags::Logic);
    }

    fn multiply_add(&mut self, op: BinOp) {
        let (a, b) = (self.reg(1, Port::None), self.reg(2, Port::None));
        let addend = self.reg(3, Port::None);
        let product = self.b.binary(BinOp::Mul, a, b);
        let result = self.b.binary(op, addend, product);
        self.result(result, Flags::Logic);
    }

    fn multiply_long(&mut self, upper: BinOp) {
        let (a, b) = (self.reg(2, Port::None), self.reg(3, Port::None));
        let low = self.b.binary(BinOp::Mul, a, b);
        let high = self.b.binary(upper, a, b);
        self.b.write(self.insn.regs[0].reg, low);
        self.b.write(self.insn.regs[1].reg, high);
    }

    fn extract_field(&mut self, signed: bool) {
        let (lsb, width) = self.insn.field;
        let value = self.reg(1, Port::None);
        let value = self.b.binary_int(BinOp::Lsr, value, i128::from(lsb));
        let value = self.b.unary(extension(width, signed), value);
        self.result(value, Flags::Logic);
    }

    fn insert_field(&mut self) {
        let (lsb, width) = self.insn.field;
        let value = self.reg(1, Port::None);
        let value = self.b.unary(UnOp::ZeroExtend(width), value);
        let value = self.b.binary_int(BinOp::Shl, value, i128::from(lsb));
        let kept = self.outside_field();
        let value = self.b.binary(BinOp::Or, kept, value);
        self.result(value, Flags::Logic);
    }

    fn move_top(&mut self) {
        let old = self.reg(0, Port::None);
        let low = self.b.unary(UnOp::ZeroExtend(16), old);
        let top = self.last();
        let top = self.b.binary_int(BinOp::Shl, top, 16);
        let value = self.b.binary(BinOp::Or, low, top);
        self.result(value, Flags::Logic);
    }

    fn link(&mut self) {
        let back = self.cx.next_address();
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

    pub(super) fn operand(&mut self, operand: &Operand, port: Port) -> Tmp {
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
        self.flags(result, Flags::of(op, a, b));
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

    pub(super) fn reg(&mut self, index: usize, port: Port) -> Tmp {
        match self.insn.regs.get(index) {
            Some(named) => self.b.read(named.reg, port),
            None => self.b.int(0),
        }
    }
}
