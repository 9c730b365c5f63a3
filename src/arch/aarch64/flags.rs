//! Condition flags, and the instructions that are made of them.

use super::access::{Access, Direction};
use super::alu::{Second, zero_register};
use super::lower::{Lower, Text};
use super::syntax::{Gpr, Kind, Width, condition};
use super::table::{
    Alu, CONDITIONS, FLAGS, Flags, NESTED, NESTED_BASE, SYSTEM_REGISTERS, Select, Shift, system_register,
};
use crate::diag::Diagnostic;
use crate::program::{BinOp, BranchKind, Extra, Op, Port, Tmp, UnOp};

impl Lower<'_, '_> {
    /// N, Z, C and V from high to low. Made of comparisons alone, so that flags of addresses have a meaning as far
    /// as the comparison has one.
    pub fn flags(&mut self, alu: Alu, width: Width, x: Tmp, y: Tmp, result: Tmp) -> Tmp {
        let bits = width.bits();
        let signed = self.sign_extend(result, bits);
        let zero = self.b.int(0);
        let z = self.b.binary(BinOp::Eq, result, zero);
        let n = self.b.binary(BinOp::Lt, signed, zero);
        let (c, v) = match alu {
            Alu::Add => {
                let x_unsigned = self.zero_extend(x, bits);
                let (x, y) = (self.sign_extend(x, bits), self.sign_extend(y, bits));
                let c = self.b.binary(BinOp::Ltu, result, x_unsigned);
                let y_negative = self.b.binary(BinOp::Lt, y, zero);
                let smaller = self.b.binary(BinOp::Lt, signed, x);
                (Some(c), Some(self.b.binary(BinOp::Xor, y_negative, smaller)))
            }
            Alu::Sub => {
                let (x_unsigned, y_unsigned) = (self.zero_extend(x, bits), self.zero_extend(y, bits));
                let c = self.b.binary(BinOp::Geu, x_unsigned, y_unsigned);
                let (x, y) = (self.sign_extend(x, bits), self.sign_extend(y, bits));
                let less = self.b.binary(BinOp::Lt, x, y);
                (Some(c), Some(self.b.binary(BinOp::Xor, n, less)))
            }
            Alu::Logic(_) | Alu::LogicNot(_) => (None, None),
        };
        self.pack(n, z, c, v)
    }

    pub fn pack(&mut self, n: Tmp, z: Tmp, c: Option<Tmp>, v: Option<Tmp>) -> Tmp {
        let n = self.b.binary_int(BinOp::Shl, n, 3);
        let z = self.b.binary_int(BinOp::Shl, z, 2);
        let mut flags = self.b.binary(BinOp::Or, n, z);
        if let Some(c) = c {
            let c = self.b.binary_int(BinOp::Shl, c, 1);
            flags = self.b.binary(BinOp::Or, flags, c);
        }
        match v {
            Some(v) => self.b.binary(BinOp::Or, flags, v),
            None => flags,
        }
    }

    /// Is condition `cond` (by index) met by the flags?
    pub fn condition_holds(&mut self, cond: usize, flags: Tmp) -> Tmp {
        let bit = |lower: &mut Self, n| lower.b.unary(UnOp::Bit(n), flags);
        let not = |lower: &mut Self, a| lower.b.unary(UnOp::IsZero, a);
        // Codes come in pairs, the second the opposite of the first.
        let positive = match CONDITIONS[cond & !1].0 {
            "EQ" => bit(self, 2),
            "CS" => bit(self, 1),
            "MI" => bit(self, 3),
            "VS" => bit(self, 0),
            "HI" => {
                let (c, z) = (bit(self, 1), bit(self, 2));
                let z = not(self, z);
                self.b.binary(BinOp::And, c, z)
            }
            "GE" => {
                let (n, v) = (bit(self, 3), bit(self, 0));
                let less = self.b.binary(BinOp::Xor, n, v);
                not(self, less)
            }
            "GT" => {
                let (n, v, z) = (bit(self, 3), bit(self, 0), bit(self, 2));
                let less = self.b.binary(BinOp::Xor, n, v);
                let less_equal = self.b.binary(BinOp::Or, less, z);
                not(self, less_equal)
            }
            _ => {
                let dst = self.b.tmp();
                let one = self.b.int(1);
                self.b.push(Op::Taint { dst, a: one, also: vec![flags] });
                return dst;
            }
        };
        if cond & 1 == 0 { positive } else { not(self, positive) }
    }

    /// A condition operand, by index.
    fn cond(&mut self) -> Result<usize, Diagnostic> {
        match self.peek() {
            Some(Kind::Name(name)) => match condition(name) {
                Some(cond) => {
                    self.skip();
                    Ok(cond)
                }
                None => Err(self.expected("a condition, such as `EQ`")),
            },
            _ => Err(self.expected("a condition, such as `EQ`")),
        }
    }

    /// Predicated: the chosen source, and it alone, is read after the choice.
    pub fn select(&mut self, select: Select, sources: usize) -> Result<Text, Diagnostic> {
        let rd = self.reg()?;
        let width = rd.width;
        let zero = zero_register(width);
        let (rn, rm) = match sources {
            2 => {
                let rn = self.reg_of(width)?;
                (rn, self.reg_of(width)?)
            }
            1 => {
                let rn = self.reg_of(width)?;
                (rn, rn)
            }
            _ => (&zero, &zero),
        };
        let written = self.cond()?;
        // The short forms name the condition under which the second source is taken.
        let cond = if sources == 2 { written } else { written ^ 1 };
        let chosen = self.predicate(cond);
        let then = self.arm(rd, rn, Select::Copy);
        let otherwise = self.arm(rd, rm, select);
        self.b.push(Op::If { cond: chosen, then, otherwise });
        let (shown, inverse) = (CONDITIONS[cond].0, CONDITIONS[cond ^ 1].0);
        Ok(match (select, rn.reg.is_none() && rm.reg.is_none(), rn.reg == rm.reg) {
            (Select::Inc, true, _) => Text::Whole(format!("CSET {rd},{inverse}")),
            (Select::Inv, true, _) => Text::Whole(format!("CSETM {rd},{inverse}")),
            (Select::Inc, _, true) => Text::Whole(format!("CINC {rd},{rn},{inverse}")),
            (Select::Copy, ..) => Text::Whole(format!("CSEL {rd},{rn},{rm},{shown}")),
            (Select::Inc, ..) => Text::Whole(format!("CSINC {rd},{rn},{rm},{shown}")),
            (Select::Inv, ..) => Text::Whole(format!("CSINV {rd},{rn},{rm},{shown}")),
            (Select::Neg, ..) => Text::Whole(format!("CSNEG {rd},{rn},{rm},{shown}")),
        })
    }

    /// The branch event of a predicated instruction; the result is its condition.
    fn predicate(&mut self, cond: usize) -> Tmp {
        let nzcv = self.nzcv();
        let flags = self.b.read(nzcv, Port::None);
        let holds = self.condition_holds(cond, flags);
        let done = self.b.tmp();
        let extra = Extra { done: Some(done), ..Extra::default() };
        self.b.push(Op::Branch { kind: BranchKind::Pred, cond: Some(holds), extra });
        done
    }

    fn arm(&mut self, rd: &Gpr, source: &Gpr, select: Select) -> Vec<Op> {
        let width = rd.width;
        self.nested(|lower| {
            let value = lower.read(source, width, Port::Data);
            let value = match select {
                Select::Copy => value,
                Select::Inc => lower.b.binary_int(BinOp::Add, value, 1),
                Select::Inv => lower.b.unary(UnOp::Not, value),
                Select::Neg => lower.b.unary(UnOp::Neg, value),
            };
            lower.write(rd, width, value);
        })
    }

    pub fn cond_compare(&mut self, alu: Alu) -> Result<Text, Diagnostic> {
        let rn = self.reg()?;
        let width = rn.width;
        let (second, shown) = match self.peek() {
            Some(Kind::Imm(_)) => {
                let value = self.imm(0, 31)?;
                (Second::Imm(value), format!("#{value}"))
            }
            _ => {
                let rm = self.reg_of(width)?;
                (Second::Shifted(rm, Shift::Lsl, 0), rm.to_string())
            }
        };
        let otherwise_flags = self.imm(0, 15)?;
        let cond = self.cond()?;
        let chosen = self.predicate(cond);
        let zero = zero_register(width);
        let then = self.nested(|lower| lower.three(alu, Flags::Set, &zero, rn, &second));
        let nzcv = self.nzcv();
        let otherwise = self.nested(|lower| {
            let flags = lower.b.int(otherwise_flags);
            lower.b.write(nzcv, flags);
        });
        self.b.push(Op::If { cond: chosen, then, otherwise });
        Ok(Text::Operands(format!("{rn},{shown},#{otherwise_flags},{}", CONDITIONS[cond].0)))
    }

    pub fn read_system(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let name = self.system_register()?;
        if let Some(offset) = self.nested_place(name) {
            let addr = self.nested_address(offset);
            let place = self.reach(addr, Access { direction: Direction::Read, sets: &[], check: true });
            let value = self.load_at(&place, Width::X.bytes(), &[], Extra::default());
            self.write(rd, Width::X, value);
            return Ok(Text::Operands(format!("{rd},{name}")));
        }
        let register = self.cx.regs.intern(name);
        let mut value = self.b.read(register, Port::None);
        if name == FLAGS {
            value = self.b.binary_int(BinOp::Shl, value, 28);
        }
        self.write(rd, Width::X, value);
        Ok(Text::Operands(format!("{rd},{name}")))
    }

    pub fn write_system(&mut self) -> Result<Text, Diagnostic> {
        let name = self.system_register()?;
        let rn = self.reg_of(Width::X)?;
        if let Some(offset) = self.nested_place(name) {
            let value = self.read(rn, Width::X, Port::Data);
            let addr = self.nested_address(offset);
            let place = self.reach(addr, Access { direction: Direction::Write, sets: &[], check: true });
            self.store_at(&place, value, Width::X.bytes(), &[], Extra::default());
            return Ok(Text::Operands(format!("{name},{rn}")));
        }
        let mut value = self.read(rn, Width::X, Port::None);
        if name == FLAGS {
            value = self.b.binary_int(BinOp::Lsr, value, 28);
            value = self.b.binary_int(BinOp::And, value, 15);
        }
        let register = self.cx.regs.intern(name);
        self.b.write(register, value);
        Ok(Text::Operands(format!("{name},{rn}")))
    }

    /// Under nested virtualization some registers live in memory: how far from where `VNCR_EL2` points to.
    fn nested_place(&self, name: &str) -> Option<i128> {
        let place = NESTED.iter().find(|(register, _)| *register == name)?;
        self.cx.extensions.nested.then_some(place.1)
    }

    fn nested_address(&mut self, offset: i128) -> Tmp {
        let base = self.cx.regs.intern(NESTED_BASE);
        let base = self.b.read(base, Port::Addr);
        self.b.offset(base, offset)
    }

    /// A system register, by its canonical name. The flags are in a register of their own, four bits wide.
    fn system_register(&mut self) -> Result<&'static str, Diagnostic> {
        let Some(Kind::Name(name)) = self.peek() else { return Err(self.expected("a system register")) };
        match system_register(name) {
            Some(canonical) => {
                self.skip();
                Ok(canonical)
            }
            None => Err(Diagnostic::unsupported(
                "arch::unsupported-register",
                format!("system register `{name}` is not handled"),
            )
            .at(self.here(), "what it does is not known here")
            .help(format!("the ones that are: {FLAGS}, {}", SYSTEM_REGISTERS.join(", ")))),
        }
    }
}
