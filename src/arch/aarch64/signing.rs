//! The stage of signed pointers, and the instructions that sign, authenticate and strip them.

use super::access::{Access, Direction, Place, TRANSLATION};
use super::lower::{Lower, Text};
use super::syntax::Width;
use crate::arch::extensions::{Signing, SigningVersion};
use crate::diag::Diagnostic;
use crate::program::{BinOp, Extra, Key, Op, Port, Reg, Tmp, UnOp};

/// What is done to a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerOp {
    /// One more signature.
    Sign(Key),
    /// The signature is checked and taken off.
    Authenticate(Key),
    /// All signatures are taken off, unchecked.
    Strip,
}

/// Which registers hold the pointer and the modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerRegs {
    /// Both are operands.
    Given,
    /// The pointer is an operand, the modifier is zero (or there is none).
    GivenZero,
    /// The link register and zero.
    LinkZero,
    /// The link register and the stack pointer.
    LinkSp,
    /// X17 and X16.
    Fixed,
}

/// Types of faults, by key.
const FAILED: [&str; 4] = ["PacCheck:DA", "PacCheck:DB", "PacCheck:IA", "PacCheck:IB"];

impl Lower<'_, '_> {
    /// `PAC…`, `AUT…`, `XPAC…`.
    pub fn pointer(&mut self, op: PointerOp, regs: PointerRegs) -> Result<Text, Diagnostic> {
        let Some(signing) = self.cx.extensions.signing else {
            return Err(self.needs("pointer authentication: --variant pauth1 or pauth2"));
        };
        let (rd, shown) = match regs {
            PointerRegs::Given | PointerRegs::GivenZero => {
                let gpr = self.reg_of(Width::X)?;
                let Some(reg) = gpr.reg else { return Err(self.expected("a register that holds a pointer")) };
                (reg, gpr.to_string())
            }
            PointerRegs::LinkZero | PointerRegs::LinkSp => (self.cx.regs.intern("X30"), "X30".to_string()),
            PointerRegs::Fixed => (self.cx.regs.intern("X17"), "X17".to_string()),
        };
        let (rn, modifier) = match regs {
            PointerRegs::Given => {
                let gpr = self.reg_of(Width::X)?;
                (gpr.reg, gpr.to_string())
            }
            PointerRegs::GivenZero | PointerRegs::LinkZero => (None, "XZR".to_string()),
            PointerRegs::LinkSp => (Some(self.cx.regs.intern("SP")), "SP".to_string()),
            PointerRegs::Fixed => (Some(self.cx.regs.intern("X16")), "X16".to_string()),
        };
        // All forms are shorthands of the one with two registers.
        Ok(match op {
            PointerOp::Strip => {
                let pointer = self.b.read(rd, Port::None);
                // Of pointers alone.
                let pointed = self.b.unary(UnOp::Unauthentic(Key::DA), pointer);
                self.b.push(Op::Need { a: pointed });
                let plain = self.b.unary(UnOp::Canonical, pointer);
                self.b.write(rd, plain);
                Text::Operands(shown)
            }
            PointerOp::Sign(key) => {
                self.sign(key, rd, rn, signing);
                Text::Whole(format!("PAC{} {shown}, {modifier}", key.name().to_ascii_uppercase()))
            }
            PointerOp::Authenticate(key) => {
                self.authenticate(key, rd, rn, signing);
                Text::Whole(format!("AUT{} {shown}, {modifier}", key.name().to_ascii_uppercase()))
            }
        })
    }

    fn modifier(&mut self, rn: Option<Reg>) -> Tmp {
        match rn {
            Some(reg) => self.b.read(reg, Port::None),
            None => self.b.int(0),
        }
    }

    fn sign(&mut self, key: Key, rd: Reg, rn: Option<Reg>, signing: Signing) {
        let pointer = self.b.read(rd, Port::None);
        if signing.is_disabled(key) {
            return self.b.write(rd, pointer);
        }
        let modifier = self.modifier(rn);
        let signed = self.b.binary(BinOp::Sign { key, any: signing.adds_up }, pointer, modifier);
        self.b.push(Op::Need { a: signed });
        self.b.write(rd, signed);
    }

    /// The signature is right if adding it once more leaves a canonical pointer, by right or by chance.
    fn authenticate(&mut self, key: Key, rd: Reg, rn: Option<Reg>, signing: Signing) {
        let pointer = self.b.read(rd, Port::None);
        if signing.is_disabled(key) {
            return self.b.write(rd, pointer);
        }
        let modifier = self.modifier(rn);
        let left = self.b.binary(BinOp::Sign { key, any: true }, pointer, modifier);
        let plain = self.b.unary(UnOp::Canonical, left);
        let same = self.nested(|lower| {
            let done = lower.commit(left, &[]);
            lower.write_from(rd, plain, pointer, done);
        });
        let differ = self.nested(|lower| match signing.version {
            SigningVersion::Faulting => {
                let done = lower.commit(left, &[]);
                let access = Access { direction: Direction::Read, sets: &[], check: false };
                let extra = Extra { ctrl: vec![done], ..Extra::default() };
                lower.fault(FAILED[key as usize], None, access, extra);
            }
            SigningVersion::First => {
                let wrong = lower.b.unary(UnOp::Unauthentic(key), pointer);
                let done = lower.commit(left, &[]);
                lower.write_from(rd, wrong, pointer, done);
            }
            SigningVersion::Second => lower.b.write(rd, left),
        });
        self.b.push(Op::Collide { a: left, b: plain, same, differ });
    }

    /// Writes a value that comes from `from` alone, behind a branch.
    fn write_from(&mut self, reg: Reg, value: Tmp, from: Tmp, branch: Tmp) {
        let src = self.b.tmp();
        self.b.push(Op::From { dst: src, a: value, from: vec![from] });
        self.b.write_with(reg, src, Extra { ctrl: vec![branch], ..Extra::default() });
    }

    /// Only canonical pointers are addresses: others have no translation.
    pub fn check_signature(&mut self, pointer: Tmp, access: Access) -> Place {
        let plain = self.b.unary(UnOp::Canonical, pointer);
        let done = self.b.tmp();
        let same = self.nested(|lower| {
            let branch = lower.commit(pointer, &[]);
            lower.b.push(Op::From { dst: done, a: branch, from: vec![branch] });
        });
        let differ = self.nested(|lower| {
            let branch = lower.commit(pointer, &[]);
            let extra = Extra { ctrl: vec![branch], ..Extra::default() };
            lower.fault(TRANSLATION, Some(plain), access, extra);
        });
        self.b.push(Op::Collide { a: pointer, b: plain, same, differ });
        Place { addr: plain, ctrl: vec![done], via: Vec::new() }
    }

    /// The second of two values to be compared or combined: where the two may be equal by chance, the first, on one of two ways.
    pub fn collided(&mut self, x: Tmp, y: Tmp) -> Tmp {
        if self.cx.extensions.signing.is_none() {
            return y;
        }
        let out = self.b.tmp();
        let same = vec![Op::From { dst: out, a: x, from: vec![y] }];
        let differ = vec![Op::From { dst: out, a: y, from: vec![y] }];
        self.b.push(Op::Collide { a: x, b: y, same, differ });
        out
    }

    /// Are two values equal? By chance, too.
    pub fn equal(&mut self, x: Tmp, y: Tmp) -> Tmp {
        let y = self.collided(x, y);
        self.b.binary(BinOp::Eq, x, y)
    }

    /// The target of an indirect branch: its signatures do not matter.
    pub fn branch_address(&mut self, target: Tmp) -> Tmp {
        match self.cx.extensions.signing {
            Some(_) => self.b.unary(UnOp::Canonical, target),
            None => target,
        }
    }
}
