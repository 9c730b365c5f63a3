//! From mnemonic and operands to canonical text and micro-ops.

use super::syntax::{Gpr, Mnemonic, Operands, Order};
use super::table::{Amo, Form, Fun, Unary, Width};
use crate::arch::build::{Builder, names};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Op, Port, SetName, Sym, Target, Tmp, UnOp, Value,
};

/// The instruction as herd7 prints it (test hashes depend on every blank).
pub fn text(mnemonic: &Mnemonic, operands: &Operands) -> String {
    let name = mnemonic.entry.name;
    let size = match mnemonic.bytes {
        1 => ".b",
        2 => ".h",
        4 => ".w",
        8 => ".d",
        _ => "",
    };
    let order = mnemonic.order.suffix();
    match name {
        "addi" if operands.imm == 0 => ["mv ", &operands.regs[0].name, ",", &operands.regs[1].name].concat(),
        "xori" => [" xori ", &operands.text].concat(),
        _ if operands.text.is_empty() => [name, size, order].concat(),
        _ => [name, size, order, " ", &operands.text].concat(),
    }
}

/// What the instruction does.
pub fn ops(mnemonic: &Mnemonic, operands: &Operands, cx: &mut ColumnCx) -> Result<Vec<Op>, Diagnostic> {
    let mut lower = Lower { b: Builder::new(), mnemonic, operands };
    lower.instruction(cx)?;
    Ok(lower.b.finish())
}

struct Lower<'a> {
    b: Builder,
    mnemonic: &'a Mnemonic,
    operands: &'a Operands,
}

impl<'a> Lower<'a> {
    fn instruction(&mut self, cx: &mut ColumnCx) -> Result<(), Diagnostic> {
        match self.mnemonic.entry.form {
            Form::Rrr(fun, width) => {
                let (a, b) = (self.read(1, Port::None), self.read(2, Port::None));
                let result = self.function(fun, width, a, b);
                self.write(0, result);
            }
            Form::RrrSwapped(fun, width) => {
                let (a, b) = (self.read(2, Port::None), self.read(1, Port::None));
                let result = self.function(fun, width, a, b);
                self.write(0, result);
            }
            Form::Rri(fun, width, _) => {
                let a = self.read(1, Port::None);
                let b = self.b.int(self.operands.imm);
                let result = self.function(fun, width, a, b);
                self.write(0, result);
            }
            Form::Rr(fun) => {
                let a = self.read(1, Port::None);
                let result = self.unary(fun, a);
                self.write(0, result);
            }
            Form::Li => {
                let value = self.b.int(i128::from(self.operands.imm as i64));
                self.write(0, value);
            }
            Form::Lui => {
                let value = self.b.int(i128::from((self.operands.imm as i32) << 12));
                self.write(0, value);
            }
            Form::La => {
                let value = self.named(cx);
                let value = self.b.value(value);
                self.write(0, value);
            }
            Form::Load { bytes, signed } => self.load(bytes, signed),
            Form::Store { bytes } => self.store(bytes),
            Form::LoadReserve => self.load_reserve(),
            Form::StoreConditional => self.store_conditional(),
            Form::Atomic(Amo::Cas) => self.compare_and_swap(),
            Form::Atomic(amo) => self.amo(amo),
            Form::Fence => self.fence(),
            Form::FenceNamed(set) => self.b.fence(&[set]),
            Form::Branch(op) => self.branch(op, Some(0), Some(1), cx)?,
            Form::BranchSwapped(op) => self.branch(op, Some(1), Some(0), cx)?,
            Form::BranchZero(op) => self.branch(op, Some(0), None, cx)?,
            Form::BranchZeroSwapped(op) => self.branch(op, None, Some(0), cx)?,
            Form::Jump => {
                let target = self.target(cx)?;
                self.b.jump(target);
            }
            Form::JumpLink => {
                let target = self.target(cx)?;
                self.link(cx);
                self.b.jump(target);
            }
            Form::JumpReg => {
                let target = self.read(0, Port::None);
                self.jump_to(target);
            }
            Form::JumpLinkReg => {
                // The target is read before the link register is written: they may be the same.
                let target = self.read(self.operands.regs.len() - 1, Port::None);
                self.link(cx);
                self.jump_to(target);
            }
            Form::Ret => {
                let ra = cx.regs.intern("x1");
                let target = self.b.read(ra, Port::None);
                self.b.branch(BranchKind::Bcc, Some(target));
                // Nobody called a thread whose return address was never set: returning ends it.
                let none = self.b.unary(UnOp::IsZero, target);
                let then = vec![Op::Stop];
                let otherwise = vec![Op::Jump { target: Target::Indirect(target) }];
                self.b.push(Op::If { cond: none, then, otherwise });
            }
            Form::Nop | Form::Unsupported(_) => {}
        }
        Ok(())
    }

    // Registers.

    fn gpr(&self, index: usize) -> &'a Gpr {
        &self.operands.regs[index]
    }

    fn read(&mut self, index: usize, port: Port) -> Tmp {
        match self.gpr(index).reg {
            Some(reg) => self.b.read(reg, port),
            None => self.b.int(0),
        }
    }

    fn write(&mut self, index: usize, value: Tmp) {
        self.write_with(index, value, Extra::default());
    }

    fn write_with(&mut self, index: usize, value: Tmp, extra: Extra) {
        if let Some(reg) = self.gpr(index).reg {
            self.b.push(Op::WriteReg { reg, src: value, extra });
        }
    }

    // Arithmetic.

    fn function(&mut self, fun: Fun, width: Width, a: Tmp, b: Tmp) -> Tmp {
        let bits: u8 = if width == Width::W { 32 } else { 64 };
        let (a, b) = match (width, fun) {
            (Width::X, _) => (a, b),
            (Width::W, Fun::Divu | Fun::Remu) => (self.zero_extend(a, 32), self.zero_extend(b, 32)),
            (Width::W, Fun::Shift(BinOp::Lsr) | Fun::RotateLeft | Fun::RotateRight) => {
                (self.zero_extend(a, 32), b)
            }
            (Width::W, Fun::Div | Fun::Rem) => (self.sign_extend(a, 32), self.sign_extend(b, 32)),
            (Width::W, Fun::Shift(BinOp::Asr)) => (self.sign_extend(a, 32), b),
            // The low 32 bits of the result depend on the low 32 bits of the operands alone.
            (Width::W, _) => (a, b),
        };
        let amount = |lower: &mut Self| lower.b.binary_int(BinOp::And, b, i128::from(bits) - 1);
        let result = match fun {
            Fun::Bin(op) => self.b.binary(op, a, b),
            Fun::Shift(op) => {
                let amount = amount(self);
                self.b.binary(op, a, amount)
            }
            Fun::RotateLeft | Fun::RotateRight => {
                let amount = amount(self);
                let width = self.b.int(i128::from(bits));
                let rest = self.b.binary(BinOp::Sub, width, amount);
                let (left, right) = if fun == Fun::RotateLeft { (amount, rest) } else { (rest, amount) };
                let high = self.b.binary(BinOp::Shl, a, left);
                let low = self.b.binary(BinOp::Lsr, a, right);
                self.b.binary(BinOp::Or, high, low)
            }
            Fun::WithNot(op) => {
                let not = self.b.unary(UnOp::Not, b);
                self.b.binary(op, a, not)
            }
            Fun::Xnor => {
                let xor = self.b.binary(BinOp::Xor, a, b);
                self.b.unary(UnOp::Not, xor)
            }
            Fun::ShiftAdd(by) => {
                let shifted = self.b.binary_int(BinOp::Shl, a, i128::from(by));
                self.b.binary(BinOp::Add, shifted, b)
            }
            Fun::ShiftAddWord(by) => {
                let low = self.zero_extend(a, 32);
                let shifted = self.b.binary_int(BinOp::Shl, low, i128::from(by));
                self.b.binary(BinOp::Add, shifted, b)
            }
            Fun::ShiftWord => {
                let low = self.zero_extend(a, 32);
                self.b.binary(BinOp::Shl, low, b)
            }
            Fun::WithBit(op) => {
                let amount = amount(self);
                let one = self.b.int(1);
                let bit = self.b.binary(BinOp::Shl, one, amount);
                self.b.binary(op, a, bit)
            }
            Fun::Bit => {
                let amount = amount(self);
                let shifted = self.b.binary(BinOp::Lsr, a, amount);
                self.b.binary_int(BinOp::And, shifted, 1)
            }
            // The result depends on both, whichever it is.
            Fun::ZeroIf(op) => {
                let holds = self.b.binary_int(op, b, 0);
                let mask = self.b.binary_int(BinOp::Sub, holds, 1);
                self.b.binary(BinOp::And, a, mask)
            }
            Fun::Div | Fun::Divu => {
                let op = if fun == Fun::Div { BinOp::Div } else { BinOp::Divu };
                let quotient = self.b.binary(op, a, b);
                // The micro-op gives 0 for a division by zero, the architecture all ones.
                let by_zero = self.b.unary(UnOp::IsZero, b);
                let ones = self.b.unary(UnOp::Neg, by_zero);
                self.b.binary(BinOp::Or, quotient, ones)
            }
            Fun::Rem => self.b.binary(BinOp::Rem, a, b),
            Fun::Remu => self.b.binary(BinOp::Remu, a, b),
            Fun::MulHighSu => {
                // The unsigned product counts a negative `a` as 2^64 too much: `b` too much in the upper half.
                let high = self.b.binary(BinOp::MulHighu, a, b);
                let sign = self.b.binary_int(BinOp::Asr, a, 63);
                let excess = self.b.binary(BinOp::And, sign, b);
                self.b.binary(BinOp::Sub, high, excess)
            }
        };
        if width == Width::W { self.sign_extend(result, 32) } else { result }
    }

    fn unary(&mut self, fun: Unary, a: Tmp) -> Tmp {
        match fun {
            Unary::Move => a,
            Unary::Un(op) => self.b.unary(op, a),
            Unary::Zero(op) => self.b.binary_int(op, a, 0),
            Unary::ZeroSwapped(op) => {
                let zero = self.b.int(0);
                self.b.binary(op, zero, a)
            }
            Unary::CountTrailingZeros(bits) => {
                let reversed = self.b.unary(UnOp::ReverseBits(bits), a);
                self.b.unary(UnOp::CountLeadingZeros(bits), reversed)
            }
            Unary::CountOnes(bits) => {
                let low = self.zero_extend(a, bits);
                self.count_ones(low)
            }
            Unary::SpreadBytes => {
                // Or every bit of a byte into its lowest, then copy that one to all.
                let mut any = a;
                for by in [4, 2, 1] {
                    let shifted = self.b.binary_int(BinOp::Lsr, any, by);
                    any = self.b.binary(BinOp::Or, any, shifted);
                }
                let lowest = self.b.binary_int(BinOp::And, any, 0x0101_0101_0101_0101);
                self.b.binary_int(BinOp::Mul, lowest, 0xff)
            }
            Unary::NegWord => {
                let negated = self.b.unary(UnOp::Neg, a);
                self.sign_extend(negated, 32)
            }
        }
    }

    /// Ones are counted in pairs of bits, then in fours, in eights, and all eights together.
    fn count_ones(&mut self, a: Tmp) -> Tmp {
        let halves = self.b.binary_int(BinOp::Lsr, a, 1);
        let halves = self.b.binary_int(BinOp::And, halves, 0x5555_5555_5555_5555);
        let pairs = self.b.binary(BinOp::Sub, a, halves);
        let even = self.b.binary_int(BinOp::And, pairs, 0x3333_3333_3333_3333);
        let odd = self.b.binary_int(BinOp::Lsr, pairs, 2);
        let odd = self.b.binary_int(BinOp::And, odd, 0x3333_3333_3333_3333);
        let fours = self.b.binary(BinOp::Add, even, odd);
        let moved = self.b.binary_int(BinOp::Lsr, fours, 4);
        let eights = self.b.binary(BinOp::Add, fours, moved);
        let eights = self.b.binary_int(BinOp::And, eights, 0x0f0f_0f0f_0f0f_0f0f);
        let sum = self.b.binary_int(BinOp::Mul, eights, 0x0101_0101_0101_0101);
        self.b.binary_int(BinOp::Lsr, sum, 56)
    }

    fn sign_extend(&mut self, a: Tmp, bits: u8) -> Tmp {
        if bits >= 64 { a } else { self.b.unary(UnOp::SignExtend(bits), a) }
    }

    fn zero_extend(&mut self, a: Tmp, bits: u8) -> Tmp {
        if bits >= 64 { a } else { self.b.unary(UnOp::ZeroExtend(bits), a) }
    }

    // Memory.

    fn load(&mut self, bytes: u8, signed: bool) {
        let base = self.read(1, Port::Addr);
        let addr = self.b.offset(base, self.operands.imm);
        let value = self.b.load(addr, bytes, order_sets(self.mnemonic.order));
        let value =
            if signed { self.sign_extend(value, 8 * bytes) } else { self.zero_extend(value, 8 * bytes) };
        self.write(0, value);
    }

    fn store(&mut self, bytes: u8) {
        let data = self.read(0, Port::Data);
        let base = self.read(1, Port::Addr);
        let addr = self.b.offset(base, self.operands.imm);
        let data = self.zero_extend(data, 8 * bytes);
        self.b.store(addr, data, bytes, order_sets(self.mnemonic.order));
    }

    fn load_reserve(&mut self) {
        let bytes = self.mnemonic.bytes;
        let addr = self.read(1, Port::Addr);
        let value = self.b.load(addr, bytes, &with("EX", order_sets(self.mnemonic.order)));
        self.b.push(Op::Reserve { addr, size: AccessSize(bytes) });
        let value = self.sign_extend(value, 8 * bytes);
        self.write(0, value);
    }

    /// The success register depends on the write (`iico_ctrl`) and on the address; the one of a failure on nothing.
    fn store_conditional(&mut self) {
        let bytes = self.mnemonic.bytes;
        let data = self.read(1, Port::Data);
        let addr = self.read(2, Port::Addr);
        let data = self.zero_extend(data, 8 * bytes);
        let (success, failure) = (self.b.int(0), self.b.int(1));
        let written = self.b.tmp();
        let sets = with("EX", order_sets(self.mnemonic.order));
        let then = {
            let extra = Extra { ctrl: vec![addr], done: Some(written), ..Extra::default() };
            let mut list = self.b.block(|b| b.store_with(addr, data, bytes, &sets, extra));
            if let Some(reg) = self.gpr(0).reg {
                let extra = Extra { ctrl: vec![written], data: vec![addr], ..Extra::default() };
                list.push(Op::WriteReg { reg, src: success, extra });
            }
            list
        };
        let otherwise = match self.gpr(0).reg {
            Some(reg) => vec![Op::WriteReg { reg, src: failure, extra: Extra::default() }],
            None => Vec::new(),
        };
        self.b.push(Op::Conditional { addr, size: AccessSize(bytes), then, otherwise });
    }

    /// An atomic memory operation is one event that reads and writes, as in the memory model's own words.
    fn amo(&mut self, amo: Amo) {
        let bytes = self.mnemonic.bytes;
        let bits = 8 * bytes;
        let addr = self.read(2, Port::Addr);
        let operand = self.read(1, Port::Data);
        let dst = self.b.tmp();
        let mut update = operand;
        let outer = self.b.open();
        match amo {
            Amo::Signed(op) => {
                let (old, operand) = (self.sign_extend(dst, bits), self.sign_extend(operand, bits));
                update = self.b.binary(op, old, operand);
            }
            Amo::Unsigned(op) => {
                let (old, operand) = (self.zero_extend(dst, bits), self.zero_extend(operand, bits));
                update = self.b.binary(op, old, operand);
            }
            Amo::Swap | Amo::Cas => {}
        }
        update = self.zero_extend(update, bits);
        let ops = self.b.close(outer);
        let sets = with("X", order_sets(self.mnemonic.order));
        self.b.push(rmw(dst, addr, ops, update, bytes, &sets));
        let old = self.sign_extend(dst, bits);
        self.write(0, old);
    }

    /// A compare-and-swap that fails only reads; it acquires if it is asked to, and never releases.
    fn compare_and_swap(&mut self) {
        let bytes = self.mnemonic.bytes;
        let bits = 8 * bytes;
        let addr = self.read(2, Port::Addr);
        let expected = self.read(0, Port::None);
        let expected = self.sign_extend(expected, bits);
        let new = self.read(1, Port::Data);
        let new = self.zero_extend(new, bits);
        let acquires = matches!(self.mnemonic.order, Order::Acquire | Order::AcquireRelease);
        let mut branches = Vec::new();
        for equal in [true, false] {
            let outer = self.b.open();
            let dst = if equal {
                let dst = self.b.tmp();
                let sets = with("X", order_sets(self.mnemonic.order));
                self.b.push(rmw(dst, addr, Vec::new(), new, bytes, &sets));
                dst
            } else {
                self.b.load(addr, bytes, if acquires { &["X", "Acq"] } else { &["X"] })
            };
            let old = self.sign_extend(dst, bits);
            let op = if equal { BinOp::Eq } else { BinOp::Ne };
            let cond = self.b.binary(op, old, expected);
            self.b.push(Op::Assume { cond });
            self.write(0, old);
            branches.push(self.b.close(outer));
        }
        self.b.push(Op::Choice { branches });
    }

    fn fence(&mut self) {
        let name = |(reads, writes): (bool, bool)| match (reads, writes) {
            (true, false) => "r",
            (false, true) => "w",
            _ => "rw",
        };
        let Some([before, after]) = self.operands.fence else { return };
        // A fence of device accesses alone orders nothing that a model can see.
        let sets = if before == (false, false) || after == (false, false) {
            Vec::new()
        } else {
            vec![SetName::Owned(format!("Fence.{}.{}", name(before), name(after)))]
        };
        self.b.push(Op::Fence { sets, extra: Extra::default() });
    }

    // Control flow.

    fn branch(
        &mut self,
        op: BinOp,
        a: Option<usize>,
        b: Option<usize>,
        cx: &mut ColumnCx,
    ) -> Result<(), Diagnostic> {
        let target = self.target(cx)?;
        let mut operand = |index: Option<usize>| match index {
            Some(index) => self.read(index, Port::None),
            None => self.b.int(0),
        };
        let (a, b) = (operand(a), operand(b));
        let cond = self.b.binary(op, a, b);
        self.b.branch_if(cond, target);
        Ok(())
    }

    fn target(&self, cx: &ColumnCx) -> Result<usize, Diagnostic> {
        let Some((label, span)) = &self.operands.label else { return Ok(cx.pc + 1) };
        match cx.labels.iter().find(|(name, _)| name == label) {
            Some((_, pc)) => Ok(*pc),
            None => Err(errors::unknown_label(label, cx.thread, *span, cx.labels)),
        }
    }

    fn jump_to(&mut self, target: Tmp) {
        self.b.branch(BranchKind::Bcc, Some(target));
        self.b.push(Op::Jump { target: Target::Indirect(target) });
    }

    /// Writes the return address: to the first of two registers, else to `ra`.
    fn link(&mut self, cx: &mut ColumnCx) {
        let n_regs = self.operands.regs.len();
        let explicit = match self.mnemonic.entry.form {
            Form::JumpLink => n_regs == 1,
            _ => n_regs == 2,
        };
        let next = cx.next_address();
        let next = self.b.value(next);
        if explicit {
            self.write(0, next);
        } else {
            let ra = cx.regs.intern("x1");
            self.b.write(ra, next);
        }
    }

    /// The address of a label of this thread, or else of a global.
    fn named(&self, cx: &mut ColumnCx) -> Value {
        let Some((name, _)) = &self.operands.label else { return Value::ZERO };
        if let Some((_, pc)) = cx.labels.iter().find(|(label, _)| label == name) {
            return Value::Code { thread: cx.thread as u16, pc: *pc as u16 };
        }
        let index = cx.symbols.iter().position(|symbol| symbol == name).unwrap_or_else(|| {
            cx.symbols.push(name.clone());
            cx.symbols.len() - 1
        });
        Value::addr(Sym(index as u16))
    }
}

/// The set of a plain access or of a reservation.
fn order_sets(order: Order) -> &'static [&'static str] {
    match order {
        Order::Relaxed => &[],
        Order::Acquire => &["Acq"],
        Order::Release => &["Rel"],
        Order::AcquireRelease => &["AcqRel"],
    }
}

fn rmw(dst: Tmp, addr: Tmp, ops: Vec<Op>, update: Tmp, bytes: u8, sets: &[&'static str]) -> Op {
    let (size, sets, extra) = (AccessSize(bytes), names(sets), Extra::default());
    Op::Rmw { dst, addr, ops, update, size, sets, extra }
}

fn with(first: &'static str, others: &[&'static str]) -> Vec<&'static str> {
    let mut sets = vec![first];
    sets.extend(others);
    sets
}
