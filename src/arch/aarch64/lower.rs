//! From mnemonic and operands to canonical text and micro-ops: the parts that all instructions share.

use super::syntax::{Gpr, Kind, Mem, Mnemonic, Name, Operand, Width};
use super::table::Form;
use crate::arch::build::{Builder, names};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{AccessSize, Extra, Op, Port, Reg, Tmp, UnOp, Value};
use crate::source::Span;

/// Canonical text and micro-ops of an instruction.
pub fn lower(
    mnemonic: &Mnemonic,
    operands: &[Operand],
    cx: &mut ColumnCx,
    span: Span,
) -> Result<(String, Vec<Op>), Diagnostic> {
    let mut lower = Lower { b: builder(cx), mnemonic, operands, at: 0, cx, span };
    let operands = lower.instruction()?;
    lower.end()?;
    let name = mnemonic.text.as_str();
    let text = match operands {
        Text::Operands(operands) if operands.is_empty() => name.to_string(),
        Text::Operands(operands) => format!("{name} {operands}"),
        Text::Whole(text) => text,
    };
    Ok((text, lower.b.finish()))
}

/// A builder that keeps the temporaries of a fetch free, where instructions are fetched.
fn builder(cx: &ColumnCx) -> Builder {
    let mut b = Builder::new();
    if cx.features.ifetch {
        for _ in 0..crate::program::FETCH_TEMPORARIES {
            b.tmp();
        }
    }
    b
}

/// The fault of an instruction that is none.
pub fn undefined(cx: &mut ColumnCx) -> Vec<Op> {
    let mut b = builder(cx);
    super::exception::undefined_instruction(&mut b, cx, Extra::default());
    b.finish()
}

/// The fetch of an instruction: a read of the word at that address, through the page tables where there are any.
pub fn fetch(cx: &mut ColumnCx, at: Value, word: Tmp, span: Span) -> Vec<Op> {
    let mut b = builder(cx);
    let (Some(tables), Some(mnemonic)) = (cx.extensions.tables, super::syntax::nothing(span)) else {
        let addr = b.value(at);
        let (size, sets) = (AccessSize(4), names(&["NExp"]));
        b.push(Op::Load { dst: word, addr, size, sets, extra: Extra::default() });
        return b.finish();
    };
    let mut lower = Lower { b, mnemonic: &mnemonic, operands: &[], at: 0, cx, span };
    lower.fetch_through_tables(at, word, tables);
    lower.b.finish()
}

/// How an instruction prints.
pub enum Text {
    /// Mnemonic as written, a blank, and this.
    Operands(String),
    /// This.
    Whole(String),
}

/// One instruction being translated.
pub struct Lower<'a, 'c> {
    pub b: Builder,
    pub mnemonic: &'a Mnemonic,
    operands: &'a [Operand],
    pub at: usize,
    pub cx: &'a mut ColumnCx<'c>,
    span: Span,
}

impl<'a> Lower<'a, '_> {
    fn instruction(&mut self) -> Result<Text, Diagnostic> {
        match self.mnemonic.entry.form {
            Form::Alu(alu, flags) => self.alu(alu, flags),
            Form::Compare(alu) => self.compare(alu),
            Form::Negate(flags) => self.negate(flags),
            Form::Not => self.not(),
            Form::Shift(shift) => self.shift(shift),
            Form::Carry(alu, flags) => self.with_carry(alu, flags),
            Form::NegateCarry(flags) => self.negate_with_carry(flags),
            Form::Extreme(op, sign) => self.extreme(op, sign),
            Form::Mov => self.mov(),
            Form::MovWide(wide) => self.mov_wide(wide),
            Form::MulAdd(op) => self.mul_add(op, true),
            Form::Mul(op) => self.mul_add(op, false),
            Form::MulAddLong(sign, op) => self.mul_add_long(sign, op, true),
            Form::MulLong(sign, op) => self.mul_add_long(sign, op, false),
            Form::MulHigh(sign) => self.mul_high(sign),
            Form::Div(sign) => self.div(sign),
            Form::Unary(unary) => self.unary(unary),
            Form::Extend(sign, bits) => self.extend_low(sign, bits),
            Form::BitField(field) => self.bit_field(field),
            Form::BitFieldClear => self.bit_field_clear(),
            Form::Extract => self.extract(),
            Form::Select(select) => self.select(select, 2),
            Form::SelectOne(select) => self.select(select, 1),
            Form::SelectNone(select) => self.select(select, 0),
            Form::CondCompare(alu) => self.cond_compare(alu),
            Form::Adr => self.adr(),
            Form::Load(access) => self.load(access),
            Form::Store(access) => self.store(access),
            Form::LoadPair(pair) => self.load_pair(pair, false),
            Form::LoadPairSigned => self.load_pair(super::table::Pair { sets: &[], ordered: false }, true),
            Form::StorePair(pair) => self.store_pair(pair),
            Form::LoadExclusive(access) => self.load_exclusive(access),
            Form::StoreExclusive(access) => self.store_exclusive(access),
            Form::LoadExclusivePair(sets) => self.load_exclusive_pair(sets),
            Form::StoreExclusivePair(sets) => self.store_exclusive_pair(sets),
            Form::Swap => self.swap(),
            Form::CompareSwap => self.compare_swap(),
            Form::CompareSwapPair => self.compare_swap_pair(),
            Form::LoadOp(op, sign) => self.atomic_op(op, sign, true),
            Form::StoreOp(op, sign) => self.atomic_op(op, sign, false),
            Form::Branch => self.branch(),
            Form::CompareBranch(op) => self.compare_branch(op),
            Form::TestBranch(op) => self.test_branch(op),
            Form::BranchLink => self.branch_link(),
            Form::BranchReg => self.branch_register(),
            Form::BranchLinkReg => self.branch_link_register(),
            Form::Return => self.ret(),
            Form::Barrier => self.barrier(),
            Form::Isb => self.isb(),
            Form::ReadSystem => self.read_system(),
            Form::WriteSystem => self.write_system(),
            Form::Nop => Ok(Text::Operands(String::new())),
            Form::Hint(max) => {
                self.imm(0, max)?;
                Ok(Text::Whole("NOP".into()))
            }
            Form::BranchTarget => self.branch_target(),
            Form::ClearExclusive => self.clear_exclusive(),
            Form::Prefetch => self.prefetch(),
            Form::Undefined => self.undefined(),
            Form::SupervisorCall => self.supervisor_call(),
            Form::ExceptionReturn => self.exception_return(),
            Form::Cache { instruction } => self.cache(instruction),
            Form::Invalidate => self.invalidate(),
            Form::AddressTranslate => self.address_translate(),
            Form::StoreTag(..) | Form::LoadTag | Form::ChooseTag if self.cx.extensions.tags.is_none() => {
                Err(self.needs("memory tags: --variant memtag"))
            }
            Form::StoreTag(zeroes, granules) => self.store_tag(zeroes, granules),
            Form::LoadTag => self.load_tag(),
            Form::ChooseTag => self.choose_tag(),
            Form::Stack(op) => self.stack(op),
            Form::Pointer(op, regs) => self.pointer(op, regs),
            Form::Unsupported(extension) => {
                Err(errors::unsupported(self.mnemonic.entry.name, extension, self.mnemonic.span))
            }
        }
    }

    /// The complaint that the instruction is one of an extension that is not in force.
    pub fn needs(&self, what: &str) -> Diagnostic {
        let message = format!("`{}` needs {what}", self.mnemonic.entry.name);
        Diagnostic::unsupported("arch::unsupported-instruction", message)
            .at(self.mnemonic.span, "there are none without it")
    }

    // Operands, taken one after the other.

    /// The next operand, not taken.
    pub fn peek(&self) -> Option<&'a Kind> {
        self.operands.get(self.at).map(|operand| &operand.kind)
    }

    /// The place of the next operand.
    pub fn here(&self) -> Span {
        match self.operands.get(self.at) {
            Some(operand) => operand.span,
            None => self.span.sub((self.span.end - self.span.start) as usize, 0),
        }
    }

    /// Takes the next operand.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    fn end(&self) -> Result<(), Diagnostic> {
        match self.operands.get(self.at) {
            None => Ok(()),
            Some(operand) => Err(errors::bad_operand(
                operand.span,
                format!("`{}` does not take this operand", self.mnemonic.text),
                "one too many",
            )),
        }
    }

    /// The next operand is not what it should be.
    pub fn expected(&self, wanted: &str) -> Diagnostic {
        let (message, label) = match self.peek() {
            Some(_) => (format!("expected {wanted}"), format!("not {wanted}")),
            None => (format!("`{}` needs one more operand: {wanted}", self.mnemonic.text), "missing".into()),
        };
        errors::bad_operand(self.here(), message, label)
    }

    /// A register in either view.
    pub fn reg(&mut self) -> Result<&'a Gpr, Diagnostic> {
        match self.peek() {
            Some(Kind::Reg(gpr)) => {
                self.skip();
                Ok(gpr)
            }
            Some(Kind::Name(name)) => {
                Err(errors::unknown_register(super::NAME, name, self.here(), std::iter::empty()))
            }
            _ => Err(self.expected("a register")),
        }
    }

    /// A register in that view. Symbolic registers written without one take it.
    pub fn reg_of(&mut self, width: Width) -> Result<&'a Gpr, Diagnostic> {
        let here = self.here();
        let gpr = self.reg()?;
        if gpr.width != width && !matches!(gpr.name, Name::Symbolic(_)) {
            let wanted = if width == Width::W { "a W register" } else { "an X register" };
            return Err(errors::bad_operand(
                here,
                format!("expected {wanted}, found `{gpr}`"),
                "wrong width",
            ));
        }
        Ok(gpr)
    }

    /// An immediate within bounds.
    pub fn imm(&mut self, min: i128, max: i128) -> Result<i128, Diagnostic> {
        match self.peek() {
            Some(Kind::Imm(value)) => {
                self.check(*value, min, max)?;
                self.skip();
                Ok(*value)
            }
            _ => Err(self.expected("an immediate")),
        }
    }

    /// Is a number of the next operand within bounds?
    pub fn check(&self, value: i128, min: i128, max: i128) -> Result<(), Diagnostic> {
        if value < min || value > max {
            return Err(errors::out_of_range(self.here(), value, errors::range(min, max)));
        }
        Ok(())
    }

    /// An address.
    pub fn mem(&mut self) -> Result<(&'a Mem, Span), Diagnostic> {
        let here = self.here();
        match self.peek() {
            Some(Kind::Mem(mem)) => {
                self.skip();
                Ok((mem, here))
            }
            _ => Err(self.expected("an address, such as `[X1]`")),
        }
    }

    // Registers.

    /// Reads a register in the view `width`.
    pub fn read(&mut self, gpr: &Gpr, width: Width, port: Port) -> Tmp {
        match gpr.reg {
            Some(reg) => {
                let value = self.b.read(reg, port);
                self.zero_extend(value, width.bits())
            }
            None => self.b.int(0),
        }
    }

    /// Writes a register; the upper half becomes zero in the 32-bit view.
    pub fn write(&mut self, gpr: &Gpr, width: Width, value: Tmp) {
        self.write_with(gpr, width, value, Extra::default());
    }

    /// The same, with extra edges.
    pub fn write_with(&mut self, gpr: &Gpr, width: Width, value: Tmp, extra: Extra) {
        if let Some(reg) = gpr.reg {
            let src = self.zero_extend(value, width.bits());
            self.b.push(Op::WriteReg { reg, src, extra });
        }
    }

    /// The flags.
    pub fn nzcv(&mut self) -> Reg {
        self.cx.regs.intern(super::table::FLAGS)
    }

    // Values.

    /// The low bits, with zeros above.
    pub fn zero_extend(&mut self, value: Tmp, bits: u8) -> Tmp {
        if bits >= 64 { value } else { self.b.unary(UnOp::ZeroExtend(bits), value) }
    }

    /// The low bits, with copies of their sign above.
    pub fn sign_extend(&mut self, value: Tmp, bits: u8) -> Tmp {
        if bits >= 64 { value } else { self.b.unary(UnOp::SignExtend(bits), value) }
    }

    /// The ops that `f` appends, as a list of their own.
    pub fn nested(&mut self, f: impl FnOnce(&mut Self)) -> Vec<Op> {
        let outer = self.b.open();
        f(self);
        self.b.close(outer)
    }
}
