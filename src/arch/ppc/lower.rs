//! Power instructions as micro-ops.
//!
//! A condition field is three registers, one per bit that a comparison sets: every one of them depends on all that
//! was compared, so dependencies are those of the whole field. `r0` stands for zero in `addi`, `addis` and as the first
//! register of an indexed address.

use super::syntax::Insn;
use super::table::{Alu, Kind};
use crate::arch::ColumnCx;
use crate::arch::build::{Builder, Translation};
use crate::arch::operands::Arg;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Reg, Target, Tmp, UnOp, wrap};

/// The bits of a condition field, in the order of [`Kind::JumpIf`].
const BITS: [&str; 3] = ["lt", "gt", "eq"];

/// Translates an instruction. Its operands fit the table's pattern.
pub fn lower(cx: &mut ColumnCx, insn: &Insn) -> Vec<Op> {
    Lowering::run(cx, insn, Lowering::instruction)
}

type Lowering<'a, 'c> = Translation<'a, 'c, Insn>;

impl Lowering<'_, '_> {
    fn instruction(&mut self) {
        match self.insn.entry.kind {
            Kind::Nop => {}
            Kind::Registers(alu) => {
                let a = self.read(1, Port::None);
                let b = self.read(2, Port::None);
                let result = self.alu(alu, a, b);
                self.result(result);
            }
            Kind::Immediate { alu, shift } => {
                let a = self.read(1, Port::None);
                let b = self.b.int(self.int(2) << shift);
                let result = self.alu(alu, a, b);
                self.result(result);
            }
            Kind::AddImmediate { shift } => self.add_immediate(shift),
            // The parser has turned the sign of the immediate.
            Kind::SubtractImmediate => self.add_immediate(0),
            Kind::Load { shift } => {
                let n = self.int(1) << shift;
                let result = self.b.int(if shift == 0 { n } else { wrap(n, 32) });
                self.result(result);
            }
            Kind::Move => {
                let a = self.read(1, Port::None);
                self.result(a);
            }
            Kind::Complement => self.unary(UnOp::Not),
            Kind::Negate => self.unary(UnOp::Neg),
            Kind::SignExtend(bits) => self.unary(UnOp::SignExtend(bits)),
            Kind::CountLeadingZeros(bits) => self.unary(UnOp::CountLeadingZeros(bits)),
            Kind::ClearLeft { bits } => {
                let a = self.read(1, Port::None);
                let kept = i128::from(bits) - self.int(2).clamp(0, i128::from(bits));
                let result = self.b.unary(UnOp::ZeroExtend(kept as u8), a);
                self.result(result);
            }
            Kind::RotateMask => {
                let a = self.read(1, Port::None);
                let rotated = self.rotated(a);
                let result = self.b.binary_int(BinOp::And, rotated, self.mask());
                self.result(result);
            }
            Kind::RotateInsert => {
                let old = self.read(0, Port::None);
                let a = self.read(1, Port::None);
                let rotated = self.rotated(a);
                let new = self.b.binary_int(BinOp::And, rotated, self.mask());
                let kept = self.b.binary_int(BinOp::AndNot, old, self.mask());
                let result = self.b.binary(BinOp::Or, new, kept);
                self.result(result);
            }
            Kind::Compare { bits, signed } => self.compare(bits, signed),
            Kind::Read { bytes, signed, update, reserve } => {
                if reserve {
                    self.load_reserve(bytes);
                } else {
                    self.load(bytes, signed, update);
                }
            }
            Kind::Write { bytes, update, conditional } => {
                if conditional {
                    self.store_conditional(bytes);
                } else {
                    self.store(bytes, update);
                }
            }
            Kind::ReadMultiple => {
                let base = self.read(1, Port::Addr);
                for (index, reg) in self.registers_from(0).into_iter().enumerate() {
                    let addr = self.b.offset(base, self.int(1) + 4 * index as i128);
                    let value = self.b.load(addr, 4, &[]);
                    let value = self.b.unary(UnOp::ZeroExtend(32), value);
                    self.b.write(reg, value);
                }
            }
            Kind::WriteMultiple => {
                let base = self.read(1, Port::Addr);
                for (index, reg) in self.registers_from(0).into_iter().enumerate() {
                    let value = self.b.read(reg, Port::Data);
                    let value = self.b.unary(UnOp::ZeroExtend(32), value);
                    let addr = self.b.offset(base, self.int(1) + 4 * index as i128);
                    self.b.store(addr, value, 4, &[]);
                }
            }
            Kind::Fence(set) => self.b.fence(&[set]),
            Kind::Jump => self.b.jump(self.insn.args[0].pc()),
            Kind::Call => {
                let back = self.cx.next_address();
                let back = self.b.value(back);
                let link = self.cx.regs.intern("LR");
                self.b.write(link, back);
                self.b.jump(self.insn.args[0].pc());
            }
            Kind::Return => {
                let link = self.special("LR");
                self.b.return_to(link);
            }
            Kind::JumpCount => {
                let count = self.special("CTR");
                self.b.push(Op::Jump { target: Target::Indirect(count) });
            }
            Kind::JumpIf { bit, value } => {
                let reg = self.condition_bit(self.field(), bit);
                let flag = self.b.read(reg, Port::None);
                let cond = if value { flag } else { self.b.unary(UnOp::IsZero, flag) };
                self.b.branch_if(cond, self.insn.args[1].pc());
            }
            Kind::CountDown { zero } => {
                let count = self.special("CTR");
                let left = self.b.binary_int(BinOp::Sub, count, 1);
                let reg = self.cx.regs.intern("CTR");
                self.b.write(reg, left);
                let op = if zero { BinOp::Eq } else { BinOp::Ne };
                let cond = self.b.binary_int(op, left, 0);
                self.b.branch_if(cond, self.insn.args[0].pc());
            }
            Kind::MoveFrom(name) => {
                let value = self.special(name);
                self.result(value);
            }
            Kind::MoveTo(name) => {
                let value = self.read(0, Port::None);
                let reg = self.cx.regs.intern(name);
                self.b.write(reg, value);
            }
            Kind::MoveFromCondition => {
                let mut sum = self.b.int(0);
                for field in 0..8u8 {
                    for bit in 0..3u8 {
                        let reg = self.condition_bit(field, bit);
                        let flag = self.b.read(reg, Port::None);
                        let shift = 31 - i128::from(4 * field + bit);
                        let moved = self.b.binary_int(BinOp::Shl, flag, shift);
                        sum = self.b.binary(BinOp::Or, sum, moved);
                    }
                }
                self.result(sum);
            }
        }
    }

    fn add_immediate(&mut self, shift: u8) {
        let n = self.int(2) << shift;
        let result = match self.read_or_zero(1, Port::None) {
            Some(a) => self.b.binary_int(BinOp::Add, a, n),
            None => self.b.int(n),
        };
        self.result(result);
    }

    fn unary(&mut self, op: UnOp) {
        let a = self.read(1, Port::None);
        let result = self.b.unary(op, a);
        self.result(result);
    }

    /// To the first operand, and to condition field 0 if the instruction records.
    fn result(&mut self, value: Tmp) {
        if let Some(reg) = self.insn.args[0].reg() {
            self.b.write(reg, value);
        }
        if self.insn.record {
            let zero = self.b.int(0);
            self.set_field(0, value, zero, true);
        }
    }

    fn set_field(&mut self, field: u8, a: Tmp, b: Tmp, signed: bool) {
        let ops = if signed { [BinOp::Lt, BinOp::Gt] } else { [BinOp::Ltu, BinOp::Gtu] };
        for (bit, op) in [ops[0], ops[1], BinOp::Eq].into_iter().enumerate() {
            let reg = self.condition_bit(field, bit as u8);
            let flag = self.b.binary(op, a, b);
            self.b.write(reg, flag);
        }
    }

    fn compare(&mut self, bits: u8, signed: bool) {
        let a = self.read(1, Port::None);
        let b = match &self.insn.args[2] {
            Arg::Imm(n) => self.b.int(if signed { wrap(*n, 64) } else { *n & 0xffff }),
            _ => self.read(2, Port::None),
        };
        let cut = |b: &mut Builder, value| match (bits, signed) {
            (64, _) => value,
            (_, true) => b.unary(UnOp::SignExtend(bits), value),
            (_, false) => b.unary(UnOp::ZeroExtend(bits), value),
        };
        let (a, b) = (cut(&mut self.b, a), cut(&mut self.b, b));
        self.set_field(self.field(), a, b, signed);
    }

    /// The address of an access: `offset(base)`, or the sum of the last two registers.
    fn address(&mut self) -> Tmp {
        if let Arg::Mem(offset, base, _) = &self.insn.args[1] {
            let base = self.b.read(*base, Port::Addr);
            return self.b.offset(base, *offset);
        }
        let first = self.read_or_zero(1, Port::Addr);
        let second = self.read(2, Port::Addr);
        match first {
            Some(first) => self.b.binary(BinOp::Add, first, second),
            None => second,
        }
    }

    fn cut(&mut self, value: Tmp, bytes: u8) -> Tmp {
        if bytes < 8 { self.b.unary(UnOp::ZeroExtend(8 * bytes), value) } else { value }
    }

    fn load(&mut self, bytes: u8, signed: bool, update: bool) {
        let addr = self.address();
        if update {
            self.update_base(addr);
        }
        let value = self.b.load(addr, bytes, &[]);
        let value =
            if signed { self.b.unary(UnOp::SignExtend(8 * bytes), value) } else { self.cut(value, bytes) };
        self.result(value);
    }

    fn store(&mut self, bytes: u8, update: bool) {
        let value = self.read(0, Port::Data);
        let value = self.cut(value, bytes);
        let addr = self.address();
        if update {
            self.update_base(addr);
        }
        self.b.store(addr, value, bytes, &[]);
    }

    fn update_base(&mut self, addr: Tmp) {
        let base = self.insn.args[1].reg();
        // A load into its own base register is an invalid form: the loaded value stays.
        if (base != self.insn.args[0].reg() || matches!(self.insn.entry.kind, Kind::Write { .. }))
            && let Some(base) = base
        {
            self.b.write(base, addr);
        }
    }

    fn load_reserve(&mut self, bytes: u8) {
        let addr = self.address();
        let monitor = self.cx.regs.intern("RESADDR");
        self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
        self.b.write(monitor, addr);
        let value = self.b.load(addr, bytes, &["EX"]);
        let value = self.cut(value, bytes);
        self.result(value);
    }

    /// Success writes memory and sets "equal" in condition field 0, failure clears it. What the condition field
    /// says depends on everything that the instruction has read.
    fn store_conditional(&mut self, bytes: u8) {
        let value = self.read(0, Port::Data);
        let value = self.cut(value, bytes);
        let monitor = self.cx.regs.intern("RESADDR");
        let reserved = self.b.read(monitor, Port::None);
        let addr = self.address();
        let flags: Vec<Reg> = (0..3).map(|bit| self.condition_bit(0, bit)).collect();
        let extra = Extra { data: vec![value, reserved, addr], ..Extra::default() };
        let outcome = |b: &mut Builder, equal: i128| {
            let zero = b.int(0);
            b.write_with(monitor, zero, extra.clone());
            for (bit, reg) in flags.iter().enumerate() {
                let flag = b.int(if bit == 2 { equal } else { 0 });
                b.write_with(*reg, flag, extra.clone());
            }
        };
        let then = self.b.block(|b| {
            b.store_with(addr, value, bytes, &["EX"], Extra { data: vec![reserved], ..Extra::default() });
            outcome(b, 1);
        });
        let otherwise = self.b.block(|b| outcome(b, 0));
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    fn alu(&mut self, alu: Alu, a: Tmp, b: Tmp) -> Tmp {
        match alu {
            Alu::Full(op) => self.b.binary(op, a, b),
            Alu::SubtractFrom => self.b.binary(BinOp::Sub, b, a),
            Alu::Not(op) => {
                let value = self.b.binary(op, a, b);
                self.b.unary(UnOp::Not, value)
            }
            Alu::OrNot => {
                let b = self.b.unary(UnOp::Not, b);
                self.b.binary(BinOp::Or, a, b)
            }
            Alu::Word(op) => {
                let a = self.b.unary(UnOp::SignExtend(32), a);
                let b = self.b.unary(UnOp::SignExtend(32), b);
                self.b.binary(op, a, b)
            }
            Alu::UnsignedWord(op) => {
                let a = self.b.unary(UnOp::ZeroExtend(32), a);
                let b = self.b.unary(UnOp::ZeroExtend(32), b);
                self.b.binary(op, a, b)
            }
            Alu::ShiftWord(op) => {
                let count = self.b.binary_int(BinOp::And, b, 0x3f);
                let extend = if op == BinOp::Asr { UnOp::SignExtend(32) } else { UnOp::ZeroExtend(32) };
                let a = self.b.unary(extend, a);
                let value = self.b.binary(op, a, count);
                if op == BinOp::Shl { self.b.unary(UnOp::ZeroExtend(32), value) } else { value }
            }
            Alu::ShiftDouble(op) => {
                let count = self.b.binary_int(BinOp::And, b, 0x7f);
                self.b.binary(op, a, count)
            }
        }
    }

    /// The low word rotated left by the third operand, in both halves of the result.
    fn rotated(&mut self, a: Tmp) -> Tmp {
        let n = self.int(2).rem_euclid(32);
        let low = self.b.unary(UnOp::ZeroExtend(32), a);
        let left = self.b.binary_int(BinOp::Shl, low, n);
        let left = self.b.unary(UnOp::ZeroExtend(32), left);
        let right = self.b.binary_int(BinOp::Lsr, low, 32 - n);
        let word = self.b.binary(BinOp::Or, left, right);
        let high = self.b.binary_int(BinOp::Shl, word, 32);
        self.b.binary(BinOp::Or, high, word)
    }

    /// Ones from bit `MB` to bit `ME` of the low word, counted from its left end; around the end if `MB > ME`.
    fn mask(&self) -> i128 {
        let (first, last) = (self.int(3).clamp(0, 31), self.int(4).clamp(0, 31));
        let run = |first: i128, last: i128| ((1i128 << (last - first + 1)) - 1) << (31 - last);
        if first <= last {
            run(first, last)
        } else if first == last + 1 {
            -1
        } else {
            !run(last + 1, first - 1)
        }
    }

    fn field(&self) -> u8 {
        match self.insn.args.first() {
            Some(Arg::Field(field)) => *field,
            _ => 0,
        }
    }

    fn condition_bit(&mut self, field: u8, bit: u8) -> Reg {
        self.cx.regs.intern(&format!("CR{field}.{}", BITS[usize::from(bit)]))
    }

    fn special(&mut self, name: &str) -> Tmp {
        let reg = self.cx.regs.intern(name);
        self.b.read(reg, Port::None)
    }

    fn int(&self, index: usize) -> i128 {
        wrap(self.insn.args.get(index).map_or(0, Arg::int), 64)
    }

    /// The register operand at that place.
    fn read(&mut self, index: usize, port: Port) -> Tmp {
        match self.insn.args.get(index).and_then(Arg::reg) {
            Some(reg) => self.b.read(reg, port),
            None => self.b.int(0),
        }
    }

    /// Likewise, but `r0` is the number zero.
    fn read_or_zero(&mut self, index: usize, port: Port) -> Option<Tmp> {
        match &self.insn.args[index] {
            Arg::Imm(_) => None,
            Arg::Reg(_, name) if name == "r0" => None,
            _ => Some(self.read(index, port)),
        }
    }

    /// The general registers from an operand to `r31`.
    fn registers_from(&mut self, index: usize) -> Vec<Reg> {
        let first = match &self.insn.args[index] {
            Arg::Reg(_, name) => super::general(name).unwrap_or(31),
            _ => 31,
        };
        (first..32).map(|n| self.cx.regs.intern(&format!("r{n}"))).collect()
    }
}
