//! The stage of memory tags, and the instructions that read and write them.

use super::access::{Access, Direction, Place, TAG_CHECK, fault_sets};
use super::lower::{Lower, Text};
use super::syntax::{Index, Width};
use crate::arch::build::names;
use crate::arch::errors;
use crate::arch::extensions::{TagChecks, TagMode};
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Resume, Tmp, UnOp, Value};

/// Tags are accessed as this many bytes.
const TAG: u8 = 8;

/// Bytes that share a tag.
const GRANULE: i64 = 16;

/// How many tags IRG chooses from.
const CHOSEN: u16 = 8;

/// The register that remembers mismatches noticed late.
const STATUS: &str = "TFSR_ELx";

impl Lower<'_, '_> {
    /// Compares the tag of the pointer with that of its granule.
    pub fn check_tag(&mut self, place: Place, pointer: Tmp, access: Access, checks: TagChecks) -> Place {
        if place.via.is_empty() {
            self.b.push(Op::Pin { addr: pointer });
        }
        let addr = match place.via.is_empty() {
            true => self.b.unary(UnOp::Untag, pointer),
            false => place.addr,
        };
        if checks.stores_only && access.direction == Direction::Read {
            return Place { addr, ..place };
        }
        let late = match checks.mode {
            TagMode::Synchronous => false,
            TagMode::Asynchronous => true,
            TagMode::Asymmetric => access.direction != Direction::Read,
        };
        let cell = self.b.unary(UnOp::TagCell, if place.via.is_empty() { pointer } else { place.addr });
        let tag = self.b.tmp();
        self.b.push(Op::Load {
            dst: tag,
            addr: cell,
            size: AccessSize(TAG),
            sets: names(&["NExp"]),
            extra: Extra::default(),
        });
        let wanted = self.b.unary(UnOp::TagOf, pointer);
        let equal = self.b.binary(BinOp::Eq, tag, wanted);
        let differ = self.b.binary(BinOp::Ne, tag, wanted);
        let branch = self.commit(equal, &place.ctrl);
        let on_branch = Extra { ctrl: vec![branch], ..Extra::default() };
        let right = self.where_holds(equal, |lower| {
            if late {
                lower.b.push(Op::Other { addr: None, sets: Vec::new(), extra: on_branch.clone() });
            }
        });
        let handler = self.cx.extensions.handler;
        let wrong = self.where_holds(differ, |lower| match late {
            true => {
                let mut sets = fault_sets(TAG_CHECK, access);
                sets.push("no-loc".into());
                let extra = on_branch.clone();
                lower.b.push(Op::Fault {
                    kind: TAG_CHECK.into(),
                    sets,
                    addr: None,
                    resume: Resume::Later,
                    extra,
                });
                let noticed = lower.b.int(1);
                let status = lower.cx.regs.intern(STATUS);
                lower.b.write_with(status, noticed, on_branch.clone());
            }
            false => {
                let data = if handler { vec![pointer] } else { Vec::new() };
                let extra = Extra { data, ..on_branch.clone() };
                lower.fault(TAG_CHECK, Some(pointer), access, extra);
            }
        });
        self.b.push(Op::Choice { branches: vec![right, wrong] });
        let mut ctrl = place.ctrl.clone();
        if !late {
            ctrl.push(branch);
        }
        Place { addr, ctrl, ..place }
    }

    fn tag_operands(&mut self) -> Result<(Tmp, String), Diagnostic> {
        let (mem, span) = self.mem()?;
        let offset = match &mem.index {
            Index::Imm(offset) if !mem.writeback && offset % 16 == 0 => *offset,
            _ => {
                let message = format!(
                    "`{}` takes an address `[Xn]` or `[Xn,#k]`, k a multiple of 16",
                    self.mnemonic.text
                );
                return Err(errors::bad_operand(span, message, "this address"));
            }
        };
        let base = self.read(&mem.base, Width::X, Port::Addr);
        let text = match offset {
            0 => format!("[{}]", mem.base),
            _ => format!("[{},#{offset}]", mem.base),
        };
        Ok((self.b.offset(base, offset), text))
    }

    /// `STG`, `ST2G`, `STZG`, `STZ2G`: the tags of one granule or two, and zeros in them.
    pub fn store_tag(&mut self, zeroes: bool, granules: i64) -> Result<Text, Diagnostic> {
        let mixed = self.cx.extensions.mixed;
        if granules > 1 && !mixed {
            return Err(self.needs("accesses of several sizes: --variant mixed"));
        }
        let rt = self.reg_of(Width::X)?;
        let value = self.read(rt, Width::X, Port::Data);
        let at = self.at;
        let (addr, text) = self.tag_operands()?;
        self.b.push(Op::Pin { addr });
        let tag = self.b.unary(UnOp::TagOf, value);
        for granule in 0..granules {
            let here = self.b.offset(addr, i128::from(granule * GRANULE));
            let cell = self.b.unary(UnOp::TagCell, here);
            self.b.store(cell, tag, TAG, &[]);
        }
        if zeroes {
            self.at = at;
            let (addr, _) = self.tag_operands()?;
            let plain = self.b.unary(UnOp::Untag, addr);
            let zero = self.b.int(0);
            // Where cells are whole it is one of them that is cleared, whatever its size.
            let bytes = if mixed { GRANULE as u8 } else { 0 };
            for granule in 0..granules {
                let here = self.b.offset(plain, i128::from(granule * GRANULE));
                self.b.store(here, zero, bytes, &[]);
            }
        }
        Ok(Text::Operands(format!("{rt},{text}")))
    }

    /// `LDG`: the register with its tag replaced by that of a granule.
    pub fn load_tag(&mut self) -> Result<Text, Diagnostic> {
        let rt = self.reg_of(Width::X)?;
        let (addr, text) = self.tag_operands()?;
        self.b.push(Op::Pin { addr });
        let old = self.read(rt, Width::X, Port::None);
        let cell = self.b.unary(UnOp::TagCell, addr);
        let dst = self.b.tmp();
        let extra = Extra { data: vec![old], ..Extra::default() };
        self.b.push(Op::Load { dst, addr: cell, size: AccessSize(TAG), sets: Vec::new(), extra });
        let new = self.b.binary(BinOp::WithTag, old, dst);
        let result = self.b.tmp();
        self.b.push(Op::From { dst: result, a: new, from: vec![dst] });
        self.write(rt, Width::X, result);
        Ok(Text::Operands(format!("{rt},{text}")))
    }

    /// `IRG`: the pointer with any of the tags that are not excluded.
    pub fn choose_tag(&mut self) -> Result<Text, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let rn = self.reg_of(Width::X)?;
        let excluded = match self.peek() {
            Some(_) => Some(self.reg_of(Width::X)?),
            None => None,
        };
        let pointer = self.read(rn, Width::X, Port::None);
        let mask = match excluded {
            Some(rm) => self.read(rm, Width::X, Port::None),
            None => self.b.int(0),
        };
        let low = self.b.binary_int(BinOp::And, mask, (1 << CHOSEN) - 1);
        let mut branches = Vec::new();
        for tag in 0..CHOSEN {
            let bit = self.b.unary(UnOp::Bit(tag as u8), low);
            let free = self.b.unary(UnOp::IsZero, bit);
            // Where all are excluded it is the first.
            let allowed = match tag {
                0 => {
                    let all = self.b.binary_int(BinOp::Eq, low, (1 << CHOSEN) - 1);
                    self.b.binary(BinOp::Or, free, all)
                }
                _ => free,
            };
            branches.push(self.where_holds(allowed, |lower| {
                let chosen = lower.b.value(Value::Tag(tag));
                let tagged = lower.b.binary(BinOp::WithTag, pointer, chosen);
                let result = lower.b.tmp();
                lower.b.push(Op::Taint { dst: result, a: tagged, also: vec![mask] });
                lower.write(rd, Width::X, result);
            }));
        }
        self.b.push(Op::Choice { branches });
        let text = match excluded {
            Some(rm) => format!("{rd},{rn},{rm}"),
            None => format!("{rd},{rn}"),
        };
        Ok(Text::Operands(text))
    }
}
