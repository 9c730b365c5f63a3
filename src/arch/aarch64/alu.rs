//! Instructions on registers.

use super::lower::{Lower, Text};
use super::syntax::{Gpr, Kind, Width};
use super::table::{Alu, BitField, Fill, Flags, Shift, Sign, Unary, Wide, unary_op};
use crate::arch::errors;
use crate::diag::Diagnostic;
use crate::program::{BinOp, Port, Tmp, UnOp, Value};

/// The second operand of an arithmetic instruction.
pub enum Second<'a> {
    /// An immediate, already shifted.
    Imm(i128),
    /// A shifted register.
    Shifted(&'a Gpr, Shift, i128),
    /// An extended register: low bits, signed, shift.
    Extended(&'a Gpr, u8, bool, i128),
}

impl<'a> Lower<'a, '_> {
    pub fn alu(&mut self, alu: Alu, flags: Flags) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let rn = self.reg_of(rd.width)?;
        let (second, shown) = self.second(rd.width, alu)?;
        self.three(alu, flags, rd, rn, &second);
        // The aliases that herd7 prints whichever way they are written.
        let zero = |gpr: &Gpr| gpr.reg.is_none();
        Ok(match (self.mnemonic.entry.name, zero(rd), zero(rn)) {
            ("SUBS", true, _) => Text::Whole(format!("CMP {rn},{shown}")),
            ("ANDS", true, _) => Text::Whole(format!("TST {rn},{shown}")),
            ("ORN", _, true) => Text::Whole(format!("MVN {rd},{shown}")),
            _ => Text::Operands(format!("{rd},{rn},{shown}")),
        })
    }

    pub fn compare(&mut self, alu: Alu) -> Result<Text, Diagnostic> {
        let rn = self.reg()?;
        let (second, shown) = self.second(rn.width, alu)?;
        let zero = zero_register(rn.width);
        self.three(alu, Flags::Set, &zero, rn, &second);
        Ok(Text::Operands(format!("{rn},{shown}")))
    }

    pub fn negate(&mut self, flags: Flags) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let (second, shown) = self.second(rd.width, Alu::Logic(BinOp::Xor))?;
        let zero = zero_register(rd.width);
        self.three(Alu::Sub, flags, rd, &zero, &second);
        let name = if flags == Flags::Set { "SUBS" } else { "SUB" };
        Ok(Text::Whole(format!("{name} {rd},{zero},{shown}")))
    }

    pub fn not(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let alu = Alu::LogicNot(BinOp::Or);
        let (second, shown) = self.second(rd.width, alu)?;
        let zero = zero_register(rd.width);
        self.three(alu, Flags::Keep, rd, &zero, &second);
        Ok(Text::Operands(format!("{rd},{shown}")))
    }

    /// Parses the second operand.
    fn second(&mut self, width: Width, alu: Alu) -> Result<(Second<'a>, String), Diagnostic> {
        let sum = matches!(alu, Alu::Add | Alu::Sub);
        match self.peek() {
            Some(Kind::Imm(value)) => {
                // Like assemblers, takes what an immediate shifted by 12 would be.
                let pages = sum && value % 4096 == 0 && value.abs() <= 4095 << 12;
                let (min, max) = if sum { (-4095, 4095) } else { logical_range(width) };
                if !pages {
                    self.check(*value, min, max)?;
                }
                self.skip();
                match self.peek() {
                    Some(Kind::Shift(Shift::Lsl, amount)) if sum && value.abs() <= 4095 => {
                        if *amount != 0 && *amount != 12 {
                            return Err(errors::out_of_range(self.here(), *amount, "0 or 12"));
                        }
                        self.skip();
                        let shown = if *amount == 0 {
                            format!("#{value}")
                        } else {
                            format!("#{value},LSL #{amount}")
                        };
                        Ok((Second::Imm(value << amount), shown))
                    }
                    _ => Ok((Second::Imm(*value), format!("#{value}"))),
                }
            }
            Some(Kind::Reg(_)) => self.second_register(width, sum),
            _ => Err(self.expected("a register or an immediate")),
        }
    }

    fn second_register(&mut self, width: Width, sum: bool) -> Result<(Second<'a>, String), Diagnostic> {
        let here = self.here();
        let rm = self.reg()?;
        match self.peek() {
            Some(Kind::Ext(ext, amount)) if sum => {
                let shift = amount.unwrap_or(0);
                self.check(shift, 0, 4)?;
                self.skip();
                let shown = match amount {
                    Some(amount) => format!("{rm},{} #{amount}", ext.name),
                    None => format!("{rm},{}", ext.name),
                };
                Ok((Second::Extended(rm, ext.bits.min(rm.width.bits()), ext.signed, shift), shown))
            }
            next => {
                if rm.width != width {
                    let message = format!("`{rm}` is not as wide as the other registers");
                    let diagnostic = errors::bad_operand(here, message, "wrong width");
                    return Err(if sum {
                        diagnostic.help("extend it: `,SXTW` or `,UXTW`")
                    } else {
                        diagnostic
                    });
                }
                match next {
                    Some(Kind::Shift(shift, amount)) => {
                        self.check(*amount, 0, i128::from(width.bits()) - 1)?;
                        self.skip();
                        let shown = match amount {
                            0 => rm.to_string(),
                            _ => format!("{rm},{} #{amount}", shift.name()),
                        };
                        Ok((Second::Shifted(rm, *shift, *amount), shown))
                    }
                    _ => Ok((Second::Shifted(rm, Shift::Lsl, 0), rm.to_string())),
                }
            }
        }
    }

    /// `rd := alu(rn, second)`.
    pub fn three(&mut self, alu: Alu, flags: Flags, rd: &Gpr, rn: &Gpr, second: &Second) {
        let width = rd.width;
        let x = self.read(rn, width, Port::None);
        let mut y = self.second_value(second, width, rn, x);
        let compares = matches!(alu, Alu::Sub | Alu::Logic(BinOp::Xor));
        if compares && width == Width::X && matches!(second, Second::Shifted(_, _, 0)) {
            y = self.collided(x, y);
        }
        self.result(alu, flags, rd, width, x, y);
    }

    fn second_value(&mut self, second: &Second, width: Width, rn: &Gpr, x: Tmp) -> Tmp {
        match second {
            Second::Imm(value) => self.b.int(i128::from(*value as i64)),
            Second::Shifted(rm, shift, amount) => {
                // One register used twice is read once.
                let value =
                    if rm.reg.is_some() && rm.reg == rn.reg { x } else { self.read(rm, width, Port::None) };
                self.shift_by(value, *shift, *amount, width)
            }
            Second::Extended(rm, bits, signed, amount) => {
                let value = self.read(rm, rm.width, Port::None);
                let value =
                    if *signed { self.sign_extend(value, *bits) } else { self.zero_extend(value, *bits) };
                if *amount == 0 { value } else { self.b.binary_int(BinOp::Shl, value, *amount) }
            }
        }
    }

    fn result(&mut self, alu: Alu, flags: Flags, rd: &Gpr, width: Width, x: Tmp, y: Tmp) {
        let result = self.compute(alu, x, y);
        let result = self.zero_extend(result, width.bits());
        self.write(rd, width, result);
        if flags == Flags::Set {
            let flags = self.flags(alu, width, x, y, result);
            let nzcv = self.nzcv();
            self.b.write(nzcv, flags);
        }
    }

    fn compute(&mut self, alu: Alu, x: Tmp, y: Tmp) -> Tmp {
        match alu {
            Alu::Add => self.b.binary(BinOp::Add, x, y),
            Alu::Sub => self.b.binary(BinOp::Sub, x, y),
            Alu::Logic(op) => self.b.binary(op, x, y),
            Alu::LogicNot(BinOp::And) => self.b.binary(BinOp::AndNot, x, y),
            Alu::LogicNot(op) => {
                let not = self.b.unary(UnOp::Not, y);
                self.b.binary(op, x, not)
            }
        }
    }

    pub fn shift(&mut self, shift: Shift) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let bits = i128::from(width.bits());
        let rn = self.reg_of(width)?;
        if let Some(Kind::Imm(_)) = self.peek() {
            let amount = self.imm(0, bits - 1)?;
            let value = self.read(rn, width, Port::None);
            let value = self.shift_by(value, shift, amount, width);
            self.write(rd, width, value);
            return Ok(Text::Operands(format!("{rd},{rn},#{amount}")));
        }
        let rm = self.reg_of(width)?;
        let value = self.read(rn, width, Port::None);
        let amount =
            if rm.reg.is_some() && rm.reg == rn.reg { value } else { self.read(rm, width, Port::None) };
        // Only as many bits of the amount count as the width asks for.
        let amount = self.b.binary_int(BinOp::And, amount, bits - 1);
        let value = self.shift_value(value, shift, amount, width);
        self.write(rd, width, value);
        Ok(Text::Whole(format!("{} {rd},{rn},{rm}", shift.name())))
    }

    fn shift_by(&mut self, value: Tmp, shift: Shift, amount: i128, width: Width) -> Tmp {
        if amount == 0 {
            return value;
        }
        let amount = self.b.int(amount);
        self.shift_value(value, shift, amount, width)
    }

    fn shift_value(&mut self, value: Tmp, shift: Shift, amount: Tmp, width: Width) -> Tmp {
        let bits = width.bits();
        let shifted = match shift {
            Shift::Lsl => self.b.binary(BinOp::Shl, value, amount),
            Shift::Lsr => {
                let value = self.zero_extend(value, bits);
                self.b.binary(BinOp::Lsr, value, amount)
            }
            Shift::Asr => {
                let value = self.sign_extend(value, bits);
                self.b.binary(BinOp::Asr, value, amount)
            }
            Shift::Ror => {
                let value = self.zero_extend(value, bits);
                let low = self.b.binary(BinOp::Lsr, value, amount);
                let all = self.b.int(i128::from(bits));
                let rest = self.b.binary(BinOp::Sub, all, amount);
                let high = self.b.binary(BinOp::Shl, value, rest);
                self.b.binary(BinOp::Or, low, high)
            }
        };
        self.zero_extend(shifted, bits)
    }

    pub fn with_carry(&mut self, alu: Alu, flags: Flags) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let rn = self.reg_of(rd.width)?;
        let rm = self.reg_of(rd.width)?;
        self.sum_with_carry(alu, flags, rd, rn, rm);
        Ok(Text::Operands(format!("{rd},{rn},{rm}")))
    }

    pub fn negate_with_carry(&mut self, flags: Flags) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let rm = self.reg_of(rd.width)?;
        self.sum_with_carry(Alu::Sub, flags, rd, &zero_register(rd.width), rm);
        Ok(Text::Operands(format!("{rd},{rm}")))
    }

    fn sum_with_carry(&mut self, alu: Alu, flags: Flags, rd: &Gpr, rn: &Gpr, rm: &Gpr) {
        let width = rd.width;
        let bits = width.bits();
        let x = self.read(rn, width, Port::None);
        let y = self.read(rm, width, Port::None);
        let nzcv = self.nzcv();
        let old = self.b.read(nzcv, Port::None);
        let carry = self.b.unary(UnOp::Bit(1), old);
        // A difference is the sum with the complement.
        let y = if alu == Alu::Sub { self.b.unary(UnOp::Not, y) } else { y };
        let y = self.zero_extend(y, bits);
        let partial = self.b.binary(BinOp::Add, x, y);
        let partial = self.zero_extend(partial, bits);
        let sum = self.b.binary(BinOp::Add, partial, carry);
        let sum = self.zero_extend(sum, bits);
        self.write(rd, width, sum);
        if flags == Flags::Set {
            let zero = self.b.int(0);
            let signed = self.sign_extend(sum, bits);
            let n = self.b.binary(BinOp::Lt, signed, zero);
            let z = self.b.binary(BinOp::Eq, sum, zero);
            let first = self.b.binary(BinOp::Ltu, partial, x);
            let second = self.b.binary(BinOp::Ltu, sum, partial);
            let c = self.b.binary(BinOp::Or, first, second);
            // Overflow: the operands have one sign and the result has the other.
            let (sx, sy) = (self.sign_extend(x, bits), self.sign_extend(y, bits));
            let (dx, dy) = (self.b.binary(BinOp::Xor, sx, signed), self.b.binary(BinOp::Xor, sy, signed));
            let both = self.b.binary(BinOp::And, dx, dy);
            let v = self.b.binary(BinOp::Lt, both, zero);
            let flags = self.pack(n, z, Some(c), Some(v));
            self.b.write(nzcv, flags);
        }
    }

    /// The larger or the smaller of two.
    pub fn extreme(&mut self, op: BinOp, sign: Sign) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let rn = self.reg_of(width)?;
        let (min, max) = if sign == Sign::Signed { (-128, 127) } else { (0, 255) };
        let (second, shown) = match self.peek() {
            Some(Kind::Imm(_)) => {
                let value = self.imm(min, max)?;
                (Second::Imm(value), format!("#{value}"))
            }
            _ => {
                let rm = self.reg_of(width)?;
                (Second::Shifted(rm, Shift::Lsl, 0), rm.to_string())
            }
        };
        let mut x = self.read(rn, width, Port::None);
        let mut y = self.second_value(&second, width, rn, x);
        if sign == Sign::Signed {
            (x, y) = (self.sign_extend(x, width.bits()), self.sign_extend(y, width.bits()));
        }
        let result = self.b.binary(op, x, y);
        self.write(rd, width, result);
        Ok(Text::Operands(format!("{rd},{rn},{shown}")))
    }

    pub fn mov(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        match self.peek() {
            Some(Kind::Imm(_)) => {
                let (min, max) = logical_range(width);
                let value = self.imm(min, max)?;
                let constant = self.b.int(i128::from(value as i64));
                self.write(rd, width, constant);
                Ok(Text::Operands(format!("{rd},#{value}")))
            }
            Some(Kind::Reg(_)) => {
                let rm = self.reg_of(width)?;
                let value = self.read(rm, width, Port::None);
                self.write(rd, width, value);
                Ok(Text::Operands(format!("{rd},{}", rm.text(width))))
            }
            _ => Err(self.expected("a register or an immediate")),
        }
    }

    pub fn mov_wide(&mut self, wide: Wide) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let value = self.imm(0, 0xffff)?;
        let mut amount = 0;
        let mut shown = format!("{rd},#{value}");
        if let Some(Kind::Shift(Shift::Lsl, by)) = self.peek() {
            if *by % 16 != 0 || *by < 0 || *by >= i128::from(width.bits()) {
                return Err(errors::out_of_range(
                    self.here(),
                    *by,
                    if width == Width::W { "0 or 16" } else { "0, 16, 32 or 48" },
                ));
            }
            amount = *by;
            self.skip();
            shown = format!("{rd},#{value},LSL #{amount}");
        }
        let placed = value << amount;
        let result = match wide {
            Wide::Zero => self.b.int(i128::from(placed as i64)),
            Wide::Not => self.b.int(i128::from(!(placed as i64))),
            Wide::Keep => {
                let old = self.read(rd, width, Port::Data);
                let mask = self.b.int(i128::from((0xffff_i128 << amount) as i64));
                let kept = self.b.binary(BinOp::AndNot, old, mask);
                self.b.binary_int(BinOp::Or, kept, i128::from(placed as i64))
            }
        };
        self.write(rd, width, result);
        Ok(Text::Operands(shown))
    }

    pub fn mul_add(&mut self, op: BinOp, addend: bool) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let rn = self.reg_of(width)?;
        let rm = self.reg_of(width)?;
        let zero = zero_register(width);
        let ra = if addend { self.reg_of(width)? } else { &zero };
        let (x, y) = (self.read(rn, width, Port::None), self.read(rm, width, Port::None));
        let a = self.read(ra, width, Port::None);
        let product = self.b.binary(BinOp::Mul, x, y);
        let result = self.b.binary(op, a, product);
        self.write(rd, width, result);
        Ok(match (ra.reg.is_none(), op) {
            (true, BinOp::Add) => Text::Whole(format!("MUL {rd},{rn},{rm}")),
            (true, _) => Text::Whole(format!("MNEG {rd},{rn},{rm}")),
            _ => Text::Operands(format!("{rd},{rn},{rm},{ra}")),
        })
    }

    pub fn mul_add_long(&mut self, sign: Sign, op: BinOp, addend: bool) -> Result<Text, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let rn = self.reg_of(Width::W)?;
        let rm = self.reg_of(Width::W)?;
        let zero = zero_register(Width::X);
        let ra = if addend { self.reg_of(Width::X)? } else { &zero };
        let (mut x, mut y) = (self.read(rn, Width::W, Port::None), self.read(rm, Width::W, Port::None));
        let a = self.read(ra, Width::X, Port::None);
        if sign == Sign::Signed {
            (x, y) = (self.sign_extend(x, 32), self.sign_extend(y, 32));
        }
        let product = self.b.binary(BinOp::Mul, x, y);
        let result = self.b.binary(op, a, product);
        self.write(rd, Width::X, result);
        let letter = if sign == Sign::Signed { 'S' } else { 'U' };
        Ok(match (ra.reg.is_none(), op) {
            (true, BinOp::Add) => Text::Whole(format!("{letter}MULL {rd},{rn},{rm}")),
            (true, _) => Text::Whole(format!("{letter}MNEGL {rd},{rn},{rm}")),
            _ => Text::Operands(format!("{rd},{rn},{rm},{ra}")),
        })
    }

    pub fn mul_high(&mut self, sign: Sign) -> Result<Text, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let rn = self.reg_of(Width::X)?;
        let rm = self.reg_of(Width::X)?;
        let (x, y) = (self.read(rn, Width::X, Port::None), self.read(rm, Width::X, Port::None));
        let op = if sign == Sign::Signed { BinOp::MulHigh } else { BinOp::MulHighu };
        let result = self.b.binary(op, x, y);
        self.write(rd, Width::X, result);
        Ok(Text::Operands(format!("{rd},{rn},{rm}")))
    }

    pub fn div(&mut self, sign: Sign) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let rn = self.reg_of(width)?;
        let rm = self.reg_of(width)?;
        let (mut x, mut y) = (self.read(rn, width, Port::None), self.read(rm, width, Port::None));
        let mut op = BinOp::Divu;
        if sign == Sign::Signed {
            (x, y) = (self.sign_extend(x, width.bits()), self.sign_extend(y, width.bits()));
            op = BinOp::Div;
        }
        let result = self.b.binary(op, x, y);
        self.write(rd, width, result);
        Ok(Text::Operands(format!("{rd},{rn},{rm}")))
    }

    pub fn unary(&mut self, unary: Unary) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let bits = width.bits();
        if let Unary::ReverseBytes(4 | 8) = unary
            && width == Width::W
        {
            let message = format!("`{}` takes X registers", self.mnemonic.text);
            return Err(errors::bad_operand(self.mnemonic.span, message, "not on W registers"));
        }
        let rn = self.reg_of(width)?;
        let x = self.read(rn, width, Port::None);
        let result = match unary_op(unary, bits) {
            Some(op) => self.b.unary(op, x),
            None if unary == Unary::CountTrailingZeros => {
                let reversed = self.b.unary(UnOp::ReverseBits(bits), x);
                self.b.unary(UnOp::CountLeadingZeros(bits), reversed)
            }
            None => {
                let signed = self.sign_extend(x, bits);
                let sign = self.b.binary_int(BinOp::Asr, signed, 63);
                let flipped = self.b.binary(BinOp::Xor, signed, sign);
                if unary == Unary::Abs {
                    self.b.binary(BinOp::Sub, flipped, sign)
                } else {
                    // Without the sign, the leading copies of it are leading zeros, one more than asked for.
                    let zeros = self.b.unary(UnOp::CountLeadingZeros(bits), flipped);
                    self.b.binary_int(BinOp::Sub, zeros, 1)
                }
            }
        };
        self.write(rd, width, result);
        Ok(Text::Operands(format!("{rd},{rn}")))
    }

    pub fn extend_low(&mut self, sign: Sign, bits: u8) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let rn = self.reg()?;
        let value = self.read(rn, rn.width, Port::None);
        let value = match sign {
            Sign::Signed => self.sign_extend(value, bits),
            Sign::Unsigned => self.zero_extend(value, bits),
        };
        self.write(rd, rd.width, value);
        Ok(Text::Operands(format!("{rd},{}", rn.text(Width::W))))
    }

    pub fn bit_field(&mut self, field: BitField) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let bits = i128::from(width.bits());
        let rn = self.reg_of(width)?;
        let a = self.imm(0, bits - 1)?;
        let (b_min, b_max) = match field {
            BitField::Move(_) => (0, bits - 1),
            BitField::Extract(_) | BitField::Insert(_) => (1, bits - a),
        };
        let b = self.imm(b_min, b_max)?;
        // Where the field is in the source, where it goes, how long it is.
        let (from, to, length, fill) = match field {
            BitField::Move(fill) if b >= a => (a, 0, b - a + 1, fill),
            BitField::Move(fill) => (0, bits - a, b + 1, fill),
            BitField::Extract(fill) => (a, 0, b, fill),
            BitField::Insert(fill) => (0, a, b, fill),
        };
        let source = self.read(rn, width, Port::None);
        let value = self.b.binary_int(BinOp::Lsr, source, from);
        let value = match fill {
            Fill::Sign => self.sign_extend(value, length as u8),
            Fill::Zeros | Fill::Keep => self.zero_extend(value, length as u8),
        };
        let value = if to == 0 { value } else { self.b.binary_int(BinOp::Shl, value, to) };
        let value = if fill == Fill::Keep {
            let old = self.read(rd, width, Port::None);
            let ones = if length >= 64 { -1 } else { (1_i128 << length) - 1 };
            let mask = self.b.int(i128::from((ones << to) as i64));
            let kept = self.b.binary(BinOp::AndNot, old, mask);
            self.b.binary(BinOp::Or, kept, value)
        } else {
            value
        };
        self.write(rd, width, value);
        // herd7 prints the registers of the underlying instructions in the 64-bit view, whatever they are.
        let shown = if matches!(field, BitField::Move(_)) { Width::X } else { width };
        Ok(Text::Operands(format!("{},{},#{a},#{b}", rd.text(shown), rn.text(shown))))
    }

    pub fn bit_field_clear(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let bits = i128::from(width.bits());
        let lsb = self.imm(0, bits - 1)?;
        let length = self.imm(1, bits - lsb)?;
        let old = self.read(rd, width, Port::None);
        let ones = (1_i128 << length) - 1;
        let mask = self.b.int(i128::from((ones << lsb) as i64));
        let kept = self.b.binary(BinOp::AndNot, old, mask);
        self.write(rd, width, kept);
        Ok(Text::Operands(format!("{rd},#{lsb},#{length}")))
    }

    pub fn extract(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let bits = i128::from(width.bits());
        let rn = self.reg_of(width)?;
        let rm = self.reg_of(width)?;
        let lsb = self.imm(0, bits - 1)?;
        let low = self.read(rm, width, Port::None);
        let low = self.b.binary_int(BinOp::Lsr, low, lsb);
        let high = self.read(rn, width, Port::None);
        let high = self.b.binary_int(BinOp::Shl, high, bits - lsb);
        let value = self.b.binary(BinOp::Or, low, high);
        self.write(rd, width, value);
        Ok(Text::Operands(format!("{rd},{rn},{rm},#{lsb}")))
    }

    /// The address of a label, or of an instruction some bytes from here.
    pub fn adr(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let (pc, shown) = self.target()?;
        self.cx.addressed.push(pc);
        let value = self.b.value(Value::Code { thread: self.cx.thread as u16, pc: pc as u16 });
        self.write(rd, Width::X, value);
        Ok(Text::Operands(format!("{rd},{shown}")))
    }
}

pub fn zero_register(width: Width) -> Gpr {
    Gpr { reg: None, name: super::syntax::Name::Zero, width }
}

/// What a register of that width can hold, signed or unsigned.
fn logical_range(width: Width) -> (i128, i128) {
    match width {
        Width::W => (i128::from(i32::MIN), i128::from(u32::MAX)),
        Width::X => (i128::from(i64::MIN), i128::from(u64::MAX)),
    }
}
