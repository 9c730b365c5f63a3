//! x86 instructions as micro-ops, for 32-bit and 64-bit machines alike.
//!
//! Values narrower than a register are kept zero-extended. Writing 32 bits of a 64-bit register clears the upper
//! half; writing 8 or 16 bits keeps the rest of the register, which is then read as well.

use super::table::{Arith, Condition, Kind, Test};
use crate::arch::build::{Builder, names};
use crate::program::{AccessSize, BinOp, BranchKind, Extra, Op, Port, Reg, SetName, Sym, Tmp, UnOp, Value};

/// A register, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegPart {
    /// The whole register.
    pub reg: Reg,
    /// Size of the part in bytes.
    pub bytes: u8,
    /// The second byte (`AH`) instead of the low ones?
    pub high: bool,
}

/// `symbol + offset + base + index * scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mem {
    /// A global.
    pub symbol: Option<Sym>,
    /// Displacement.
    pub offset: i128,
    /// Base register.
    pub base: Option<RegPart>,
    /// Index register and scale.
    pub index: Option<(RegPart, i128)>,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Reg(RegPart),
    /// Memory.
    Mem(Mem),
    /// An immediate.
    Imm(i128),
    /// The address of a global, as an immediate.
    Address(Sym),
}

impl Operand {
    /// Is it neither a register nor memory?
    pub fn is_immediate(&self) -> bool {
        matches!(self, Operand::Imm(_) | Operand::Address(_))
    }
}

/// An instruction, parsed.
#[derive(Clone, Debug)]
pub struct Insn {
    /// What it does.
    pub kind: Kind,
    /// Operand size in bytes.
    pub bytes: u8,
    /// With a `lock` prefix?
    pub lock: bool,
    /// Operands, destination first.
    pub operands: Vec<Operand>,
    /// Where a jump goes.
    pub target: usize,
}

/// What differs between the machines.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Register width.
    pub bits: u32,
    /// Sets that every access to memory is in.
    pub memory: &'static [&'static str],
    /// The accumulator.
    pub accumulator: Reg,
    /// Zero flag.
    pub zf: Reg,
    /// Sign flag.
    pub sf: Reg,
    /// Carry flag.
    pub cf: Reg,
    /// Overflow flag.
    pub of: Reg,
}

/// Translates an instruction. Operands fit the instruction's shape.
pub fn lower(machine: &Machine, insn: &Insn) -> Vec<Op> {
    let mut cx = Lowering { m: machine, b: Builder::new(), bytes: insn.bytes, lock: insn.lock };
    cx.instruction(insn);
    cx.b.finish()
}

struct Lowering<'a> {
    m: &'a Machine,
    b: Builder,
    bytes: u8,
    lock: bool,
}

/// Where an operand is, its address computed.
#[derive(Clone, Copy)]
enum Place {
    Reg(RegPart),
    Mem(Tmp),
    Imm(i128),
    Address(Sym),
}

impl Lowering<'_> {
    fn instruction(&mut self, insn: &Insn) {
        let operand = |index: usize| insn.operands.get(index).copied().unwrap_or(Operand::Imm(0));
        match insn.kind {
            Kind::Nop => {}
            Kind::Move => self.mov(operand(0), operand(1), &[]),
            Kind::MoveNonTemporal => self.mov(operand(0), operand(1), &["NT"]),
            Kind::Extend { signed, from } => {
                let from = if from == 0 { size_of(operand(1)).unwrap_or(1) } else { from };
                let dst = self.place(operand(0));
                let src = self.place(operand(1));
                let narrow = self.read_sized(src, from, Port::None);
                let value = if signed {
                    let wide = self.b.unary(UnOp::SignExtend(8 * from), narrow);
                    self.cut(wide)
                } else {
                    narrow
                };
                self.write(dst, value, &[]);
            }
            Kind::Arith(arith) => {
                let dst = self.place(operand(0));
                let src = self.place(operand(1));
                let port = self.port(dst);
                let a = self.read(dst, port);
                let mut b = self.read(src, port);
                if let Arith::Shift(_) = arith {
                    b = self.b.binary_int(BinOp::And, b, if self.bytes == 8 { 63 } else { 31 });
                }
                let result = self.arith(arith, a, b);
                self.write(dst, result, &[]);
                if let Arith::Shift(_) = arith {
                    // A shift by nothing leaves the flags alone.
                    let then = self.nested(|cx| cx.flags(arith, a, b, result, true));
                    self.b.push(Op::If { cond: b, then, otherwise: Vec::new() });
                } else {
                    self.flags(arith, a, b, result, true);
                }
            }
            Kind::WithCarry { sub } => self.with_carry(operand(0), operand(1), sub),
            Kind::Multiply => match insn.operands.as_slice() {
                [dst, src, factor] => self.multiply(*dst, *src, *factor),
                _ => self.multiply(operand(0), operand(0), operand(1)),
            },
            Kind::Rotate { left } => self.rotate(operand(0), operand(1), left),
            Kind::BitTest(change) => self.bit_test(operand(0), operand(1), change),
            Kind::SwapBytes => {
                let dst = self.place(operand(0));
                let value = self.read(dst, Port::None);
                let op = UnOp::ReverseBytes { bytes: self.bytes, group: self.bytes };
                let swapped = self.b.unary(op, value);
                self.write(dst, swapped, &[]);
            }
            Kind::ExtendAccumulator => {
                let accumulator =
                    Place::Reg(RegPart { reg: self.m.accumulator, bytes: self.bytes, high: false });
                let narrow = self.read_sized(accumulator, self.bytes / 2, Port::None);
                let wide = self.b.unary(UnOp::SignExtend(4 * self.bytes), narrow);
                let wide = self.cut(wide);
                self.write(accumulator, wide, &[]);
            }
            Kind::Compare => {
                let (a, b) = self.two(operand(0), operand(1));
                let result = self.arith(Arith::Sub, a, b);
                self.flags(Arith::Sub, a, b, result, true);
            }
            Kind::Test => {
                let (a, b) = self.two(operand(0), operand(1));
                let result = self.b.binary(BinOp::And, a, b);
                self.flags(Arith::Logic(BinOp::And), a, b, result, true);
            }
            Kind::Step(arith) => {
                let dst = self.place(operand(0));
                let port = self.port(dst);
                let a = self.read(dst, port);
                let one = self.b.int(1);
                let result = self.arith(arith, a, one);
                self.write(dst, result, &[]);
                self.flags(arith, a, one, result, false);
            }
            Kind::Negate => {
                let dst = self.place(operand(0));
                let port = self.port(dst);
                let b = self.read(dst, port);
                let zero = self.b.int(0);
                let result = self.arith(Arith::Sub, zero, b);
                self.write(dst, result, &[]);
                self.flags(Arith::Sub, zero, b, result, true);
            }
            Kind::Complement => {
                let dst = self.place(operand(0));
                let port = self.port(dst);
                let a = self.read(dst, port);
                let result = self.b.unary(UnOp::Not, a);
                let result = self.cut(result);
                self.write(dst, result, &[]);
            }
            Kind::Exchange { locked } => self.exchange(operand(0), operand(1), locked),
            Kind::ExchangeAdd => {
                let dst = self.place(operand(0));
                let src = self.place(operand(1));
                let port = self.port(dst);
                let old = self.read(dst, port);
                let add = self.read(src, port);
                let sum = self.arith(Arith::Add, old, add);
                self.write(src, old, &[]);
                self.write(dst, sum, &[]);
                self.flags(Arith::Add, old, add, sum, true);
            }
            Kind::CompareExchange => self.compare_exchange(operand(0), operand(1)),
            Kind::ConditionalMove(condition) => {
                // The source is read whatever the flags say, as the manual has it.
                let dst = self.place(operand(0));
                let src = self.place(operand(1));
                let cond = self.condition(condition);
                let value = self.read(src, Port::None);
                let then = self.nested(|cx| cx.write(dst, value, &[]));
                let otherwise = self.nested(|cx| {
                    if cx.m.bits == 64 && cx.bytes == 4 {
                        // The upper half is cleared even if nothing is moved.
                        let old = cx.read(dst, Port::None);
                        cx.write(dst, old, &[]);
                    }
                });
                self.b.push(Op::If { cond, then, otherwise });
            }
            Kind::Set(condition) => {
                self.bytes = size_of(operand(0)).unwrap_or(1);
                let dst = self.place(operand(0));
                let value = self.condition(condition);
                self.write(dst, value, &[]);
            }
            Kind::Jump => self.b.jump(insn.target),
            Kind::JumpIf(condition) => {
                let cond = self.condition(condition);
                // Like herd7: no event, which a model that ranges over all of them would see.
                self.b.branch_if_as(BranchKind::HiddenBcc, cond, insn.target);
            }
            Kind::Return => self.b.push(Op::Stop),
            Kind::Address => {
                let dst = self.place(operand(0));
                if let Operand::Mem(mem) = operand(1) {
                    let address = self.address(&mem, Port::None);
                    let address = self.cut(address);
                    self.write(dst, address, &[]);
                }
            }
            Kind::Fence(set) => self.b.fence(&[set]),
            Kind::Flush(set) => {
                if let Operand::Mem(mem) = operand(0) {
                    let addr = Some(self.address(&mem, Port::Addr));
                    self.b.push(Op::Other { addr, sets: names(&[set]), extra: Extra::default() });
                }
            }
        }
    }

    fn mov(&mut self, dst: Operand, src: Operand, sets: &[&'static str]) {
        let dst = self.place(dst);
        let src = self.place(src);
        let port = self.port(dst);
        let value = self.read(src, port);
        self.write(dst, value, sets);
    }

    fn two(&mut self, a: Operand, b: Operand) -> (Tmp, Tmp) {
        let (a, b) = (self.place(a), self.place(b));
        (self.read(a, Port::None), self.read(b, Port::None))
    }

    /// Each side's write depends on the other side's read for its value, and comes after the read of its own.
    fn exchange(&mut self, first: Operand, second: Operand, locked: bool) {
        self.lock = locked || self.lock;
        let (first, second) = (self.place(first), self.place(second));
        let (port_first, port_second) = (self.port(second), self.port(first));
        let a = self.read(first, port_first);
        let b = self.read(second, port_second);
        self.write_after(first, b, &[], &[a]);
        self.write_after(second, a, &[], &[b]);
    }

    fn compare_exchange(&mut self, dst: Operand, src: Operand) {
        let dst = self.place(dst);
        let src = self.place(src);
        let accumulator = Place::Reg(RegPart { reg: self.m.accumulator, bytes: self.bytes, high: false });
        let old = self.read(dst, Port::None);
        let wanted = self.read(accumulator, Port::None);
        let port = self.port(dst);
        let new = self.read(src, port);
        let difference = self.arith(Arith::Sub, wanted, old);
        self.flags(Arith::Sub, wanted, old, difference, true);
        let cond = self.b.binary(BinOp::Eq, wanted, old);
        let then = self.nested(|cx| cx.write(dst, new, &[]));
        let otherwise = self.nested(|cx| cx.write(accumulator, old, &[]));
        self.b.push(Op::If { cond, then, otherwise });
    }

    fn with_carry(&mut self, dst: Operand, src: Operand, sub: bool) {
        let (dst, src) = (self.place(dst), self.place(src));
        let port = self.port(dst);
        let a = self.read(dst, port);
        let b = self.read(src, port);
        let carry = self.b.read(self.m.cf, port);
        let arith = if sub { Arith::Sub } else { Arith::Add };
        let partial = self.arith(arith, a, b);
        let result = self.arith(arith, partial, carry);
        self.write(dst, result, &[]);
        // The carry may come from either step.
        let (first, second) = if sub {
            (self.b.binary(BinOp::Ltu, a, b), self.b.binary(BinOp::Ltu, partial, carry))
        } else {
            (self.b.binary(BinOp::Ltu, partial, a), self.b.binary(BinOp::Ltu, result, partial))
        };
        self.flags(arith, a, b, result, false);
        let zero = self.b.binary_int(BinOp::Eq, result, 0);
        self.b.write(self.m.zf, zero);
        let carried = self.b.binary(BinOp::Or, first, second);
        self.b.write(self.m.cf, carried);
    }

    /// Zero and sign flag are undefined after it: they stay.
    fn multiply(&mut self, dst: Operand, a: Operand, b: Operand) {
        let dst = self.place(dst);
        let (a, b) = self.two(a, b);
        let (a, b) = (self.signed(a), self.signed(b));
        let product = self.b.binary(BinOp::Mul, a, b);
        let result = self.cut(product);
        self.write(dst, result, &[]);
        let bits = 8 * self.bytes;
        let fits = if u32::from(bits) < self.m.bits {
            let again = self.b.unary(UnOp::SignExtend(bits), result);
            self.b.binary(BinOp::Eq, product, again)
        } else {
            let high = self.b.binary(BinOp::MulHigh, a, b);
            let sign = self.b.binary_int(BinOp::Asr, product, i128::from(bits) - 1);
            self.b.binary(BinOp::Eq, high, sign)
        };
        let too_large = self.b.unary(UnOp::IsZero, fits);
        self.b.write(self.m.cf, too_large);
        self.b.write(self.m.of, too_large);
    }

    /// The carry stays if nothing is moved; so does the overflow flag, which only means something for one place.
    fn rotate(&mut self, dst: Operand, count: Operand, left: bool) {
        let bits = i128::from(8 * self.bytes);
        let (dst, count) = (self.place(dst), self.place(count));
        let port = self.port(dst);
        let a = self.read(dst, port);
        let count = self.read_sized(count, 1, port);
        let count = self.b.binary_int(BinOp::And, count, if self.bytes == 8 { 63 } else { 31 });
        let some = self.b.binary_int(BinOp::Ne, count, 0);
        let count = self.b.binary_int(BinOp::And, count, bits - 1);
        let all = self.b.int(bits);
        let rest = self.b.binary(BinOp::Sub, all, count);
        let (up, down) = if left { (count, rest) } else { (rest, count) };
        let high = self.b.binary(BinOp::Shl, a, up);
        let low = self.b.binary(BinOp::Lsr, a, down);
        let result = self.b.binary(BinOp::Or, high, low);
        let result = self.cut(result);
        self.write(dst, result, &[]);
        let moved = self.b.unary(UnOp::Bit(if left { 0 } else { 8 * self.bytes - 1 }), result);
        let then = self.nested(|cx| cx.b.write(cx.m.cf, moved));
        self.b.push(Op::If { cond: some, then, otherwise: Vec::new() });
    }

    /// Of the flags, the carry alone changes.
    fn bit_test(&mut self, dst: Operand, number: Operand, change: Option<BinOp>) {
        let (dst, number) = (self.place(dst), self.place(number));
        let port = if change.is_some() { self.port(dst) } else { Port::None };
        let a = self.read(dst, port);
        let number = self.read(number, port);
        let number = self.b.binary_int(BinOp::And, number, i128::from(8 * self.bytes) - 1);
        if let Some(op) = change {
            let one = self.b.int(1);
            let bit = self.b.binary(BinOp::Shl, one, number);
            let result = self.b.binary(op, a, bit);
            let result = self.cut(result);
            self.write(dst, result, &[]);
        }
        let moved = self.b.binary(BinOp::Lsr, a, number);
        let bit = self.b.binary_int(BinOp::And, moved, 1);
        self.b.write(self.m.cf, bit);
    }

    fn nested(&mut self, f: impl FnOnce(&mut Self)) -> Vec<Op> {
        let outer = self.b.open();
        f(self);
        self.b.close(outer)
    }

    fn place(&mut self, operand: Operand) -> Place {
        match operand {
            Operand::Reg(part) => Place::Reg(part),
            Operand::Mem(mem) => Place::Mem(self.address(&mem, Port::Addr)),
            Operand::Imm(n) => Place::Imm(n),
            Operand::Address(sym) => Place::Address(sym),
        }
    }

    fn address(&mut self, mem: &Mem, port: Port) -> Tmp {
        let mut sum = mem.symbol.map(|sym| self.b.value(Value::addr(sym)));
        if let Some(base) = mem.base {
            let base = self.register(base, port);
            sum = Some(self.sum(sum, base));
        }
        if let Some((index, scale)) = mem.index {
            let index = self.register(index, port);
            let index = if scale == 1 { index } else { self.b.binary_int(BinOp::Mul, index, scale) };
            sum = Some(self.sum(sum, index));
        }
        match sum {
            Some(sum) => self.b.offset(sum, mem.offset),
            None => self.b.int(mem.offset),
        }
    }

    fn sum(&mut self, sum: Option<Tmp>, term: Tmp) -> Tmp {
        match sum {
            Some(sum) => self.b.binary(BinOp::Add, sum, term),
            None => term,
        }
    }

    /// The port of what is read to be written to `dst`.
    fn port(&self, dst: Place) -> Port {
        if matches!(dst, Place::Mem(_)) { Port::Data } else { Port::None }
    }

    fn read(&mut self, place: Place, port: Port) -> Tmp {
        self.read_sized(place, self.bytes, port)
    }

    fn read_sized(&mut self, place: Place, bytes: u8, port: Port) -> Tmp {
        match place {
            Place::Imm(n) => {
                let bits = 8 * u32::from(bytes);
                let low = n & ((1 << bits) - 1);
                let negative = bits == self.m.bits && low >> (bits - 1) == 1;
                let n = if negative { low - (1 << bits) } else { low };
                self.b.int(n)
            }
            Place::Address(sym) => self.b.value(Value::addr(sym)),
            Place::Mem(addr) => {
                let dst = self.b.tmp();
                let sets = self.sets(&[]);
                let size = AccessSize(bytes);
                self.b.push(Op::Load { dst, addr, size, sets, extra: Extra::default() });
                self.cut_to(dst, bytes)
            }
            Place::Reg(part) => {
                let value = self.register(part, port);
                if bytes < part.bytes { self.cut_to(value, bytes) } else { value }
            }
        }
    }

    /// A register's part, zero-extended.
    fn register(&mut self, part: RegPart, port: Port) -> Tmp {
        let whole = self.b.read(part.reg, port);
        let value = if part.high { self.b.binary_int(BinOp::Lsr, whole, 8) } else { whole };
        self.cut_to(value, part.bytes)
    }

    fn write(&mut self, place: Place, value: Tmp, sets: &[&'static str]) {
        self.write_after(place, value, sets, &[]);
    }

    fn write_after(&mut self, place: Place, value: Tmp, sets: &[&'static str], after: &[Tmp]) {
        let extra = Extra { ctrl: after.to_vec(), ..Extra::default() };
        match place {
            Place::Mem(addr) => {
                let sets = self.sets(sets);
                self.b.push(Op::Store { addr, value, size: AccessSize(self.bytes), sets, extra });
            }
            Place::Reg(part) => {
                // A wider register named in an instruction of smaller size stands for its low part.
                let bytes = part.bytes.min(self.bytes);
                let src = if bytes >= 4 {
                    value
                } else {
                    let shift = if part.high { 8 } else { 0 };
                    let mask = ((1i128 << (8 * bytes)) - 1) << shift;
                    let old = self.b.read(part.reg, Port::None);
                    let kept = self.b.binary_int(BinOp::And, old, !mask);
                    let moved = if part.high { self.b.binary_int(BinOp::Shl, value, shift) } else { value };
                    self.b.binary(BinOp::Or, kept, moved)
                };
                self.b.push(Op::WriteReg { reg: part.reg, src, extra });
            }
            Place::Imm(_) | Place::Address(_) => {}
        }
    }

    /// The sets of an access.
    fn sets(&self, own: &[&'static str]) -> Vec<SetName> {
        let locked: &[&str] = if self.lock { &["X"] } else { &[] };
        [names(own), names(self.m.memory), names(locked)].concat()
    }

    fn cut(&mut self, value: Tmp) -> Tmp {
        self.cut_to(value, self.bytes)
    }

    fn cut_to(&mut self, value: Tmp, bytes: u8) -> Tmp {
        if 8 * u32::from(bytes) < self.m.bits {
            self.b.unary(UnOp::ZeroExtend(8 * bytes), value)
        } else {
            value
        }
    }

    fn arith(&mut self, arith: Arith, a: Tmp, b: Tmp) -> Tmp {
        let result = match arith {
            Arith::Add => self.b.binary(BinOp::Add, a, b),
            Arith::Sub => self.b.binary(BinOp::Sub, a, b),
            Arith::Logic(op) => return self.b.binary(op, a, b),
            Arith::Shift(op) => {
                let a = if op == BinOp::Asr { self.signed(a) } else { a };
                self.b.binary(op, a, b)
            }
        };
        self.cut(result)
    }

    fn signed(&mut self, value: Tmp) -> Tmp {
        if 8 * u32::from(self.bytes) < self.m.bits {
            self.b.unary(UnOp::SignExtend(8 * self.bytes), value)
        } else {
            value
        }
    }

    fn flags(&mut self, arith: Arith, a: Tmp, b: Tmp, result: Tmp, carry: bool) {
        let sign = UnOp::Bit(8 * self.bytes - 1);
        // Of a difference: equality of the operands, which has a meaning for addresses too.
        let zero = match arith {
            Arith::Sub => self.b.binary(BinOp::Eq, a, b),
            _ => self.b.binary_int(BinOp::Eq, result, 0),
        };
        self.b.write(self.m.zf, zero);
        let negative = self.b.unary(sign, result);
        self.b.write(self.m.sf, negative);
        let (carried, overflow) = match arith {
            Arith::Add => {
                let carried = self.b.binary(BinOp::Ltu, result, a);
                let (x, y) = (self.b.binary(BinOp::Xor, a, result), self.b.binary(BinOp::Xor, b, result));
                (carried, Some((x, y)))
            }
            Arith::Sub => {
                let carried = self.b.binary(BinOp::Ltu, a, b);
                let (x, y) = (self.b.binary(BinOp::Xor, a, b), self.b.binary(BinOp::Xor, a, result));
                (carried, Some((x, y)))
            }
            Arith::Logic(_) => (self.b.int(0), None),
            Arith::Shift(op) => (self.shifted_out(op, a, b), None),
        };
        if carry {
            self.b.write(self.m.cf, carried);
        }
        let overflow = match overflow {
            Some((x, y)) => {
                let both = self.b.binary(BinOp::And, x, y);
                self.b.unary(sign, both)
            }
            None => self.b.int(0),
        };
        self.b.write(self.m.of, overflow);
    }

    /// The last bit that a shift of `a` by `count` drops (0 for a count of 0).
    fn shifted_out(&mut self, op: BinOp, a: Tmp, count: Tmp) -> Tmp {
        let position = match op {
            BinOp::Shl => {
                let bits = self.b.int(i128::from(8 * self.bytes));
                self.b.binary(BinOp::Sub, bits, count)
            }
            _ => {
                let one = self.b.int(1);
                self.b.binary(BinOp::Sub, count, one)
            }
        };
        let moved = self.b.binary(BinOp::Lsr, a, position);
        let bit = self.b.binary_int(BinOp::And, moved, 1);
        let some = self.b.binary_int(BinOp::Ne, count, 0);
        self.b.binary(BinOp::And, bit, some)
    }

    fn condition(&mut self, condition: Condition) -> Tmp {
        let value = match condition.test {
            Test::Overflow => self.b.read(self.m.of, Port::None),
            Test::Below => self.b.read(self.m.cf, Port::None),
            Test::Equal => self.b.read(self.m.zf, Port::None),
            Test::Sign => self.b.read(self.m.sf, Port::None),
            Test::BelowEqual => {
                let (cf, zf) = (self.b.read(self.m.cf, Port::None), self.b.read(self.m.zf, Port::None));
                self.b.binary(BinOp::Or, cf, zf)
            }
            Test::Less => self.less(),
            Test::LessEqual => {
                let less = self.less();
                let zf = self.b.read(self.m.zf, Port::None);
                self.b.binary(BinOp::Or, less, zf)
            }
        };
        if condition.negated { self.b.unary(UnOp::IsZero, value) } else { value }
    }

    fn less(&mut self) -> Tmp {
        let (sf, of) = (self.b.read(self.m.sf, Port::None), self.b.read(self.m.of, Port::None));
        self.b.binary(BinOp::Xor, sf, of)
    }
}

/// The size that a register operand fixes.
pub fn size_of(operand: Operand) -> Option<u8> {
    match operand {
        Operand::Reg(part) => Some(part.bytes),
        _ => None,
    }
}
