//! The stage of memory tags, and the instructions that read and write them.

use super::access::{Access, Direction, Place, TAG_CHECK, fault_sets};
use super::lower::{Lower, Text};
use super::syntax::{Index, Width};
use super::translate::walk;
use crate::arch::build::names;
use crate::arch::errors;
use crate::arch::extensions::{Tables, TagChecks};
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
        if let (Some(tables), [page]) = (self.cx.extensions.tables, &place.via[..]) {
            let page = *page;
            return self.check_tag_of_page(place, page, pointer, access, checks, tables);
        }
        self.b.push(Op::Pin { addr: pointer });
        let addr = self.b.unary(UnOp::Untag, pointer);
        let cell = self.b.unary(UnOp::TagCell, pointer);
        let branch = self.compare_tags(cell, pointer, access, checks, &place.ctrl);
        let mut ctrl = place.ctrl.clone();
        if !checks.is_late(access.writes()) {
            ctrl.push(branch);
        }
        Place { addr, ctrl, ..place }
    }

    /// Where there are page tables, only some pages have tags; whether this one has is read once more for the tag, and may have changed.
    fn check_tag_of_page(
        &mut self,
        place: Place,
        page: Tmp,
        pointer: Tmp,
        access: Access,
        checks: TagChecks,
        tables: Tables,
    ) -> Place {
        let color = self.b.tmp();
        let none = |lower: &mut Self| lower.b.push(Op::Const { dst: color, value: Value::ZERO });
        let is_tagged = self.b.unary(UnOp::IsTagged, page);
        let is_plain = self.b.unary(UnOp::IsZero, is_tagged);
        let plain = self.where_holds(is_plain, none);
        let tagged = self.where_holds(is_tagged, |lower| {
            let read = Access { direction: Direction::Read, ..access };
            let seen = lower.walk(pointer, walk(read, tables), tables, &[]);
            let hangs_on: Vec<Tmp> = place.ctrl.iter().copied().chain([seen.cause()]).collect();
            lower.outcomes(&seen, tables.managed, |lower, kind| {
                let extra = Extra { ctrl: hangs_on.clone(), ..Extra::default() };
                lower.fault(kind, Some(pointer), access, extra);
            });
            let is_tagged = lower.b.unary(UnOp::IsTagged, seen.pte);
            let is_plain = lower.b.unary(UnOp::IsZero, is_tagged);
            let plain = lower.where_holds(is_plain, none);
            let tagged = lower.where_holds(is_tagged, |lower| {
                let phys = lower.b.binary(BinOp::Translate, seen.pte, pointer);
                let cell = lower.b.unary(UnOp::TagCell, phys);
                let branch = lower.compare_tags(cell, pointer, access, checks, &seen.hangs_on());
                lower.b.push(Op::From { dst: color, a: branch, from: vec![branch] });
            });
            lower.b.push(Op::Choice { branches: vec![plain, tagged] });
        });
        self.b.push(Op::Choice { branches: vec![plain, tagged] });
        let mut ctrl = place.ctrl.clone();
        if !checks.is_late(access.writes()) {
            ctrl.push(color);
        }
        Place { ctrl, ..place }
    }

    /// Reads a tag and compares it with that of a pointer; where they differ there is a fault, now or later. What hangs on the comparison takes
    /// the result.
    fn compare_tags(
        &mut self,
        cell: Tmp,
        pointer: Tmp,
        access: Access,
        checks: TagChecks,
        ctrl: &[Tmp],
    ) -> Tmp {
        let late = checks.is_late(access.writes());
        let tag = self.b.tmp();
        let (size, sets) = (AccessSize(TAG), names(&["NExp"]));
        self.b.push(Op::Load { dst: tag, addr: cell, size, sets, extra: Extra::default() });
        let wanted = self.b.unary(UnOp::TagOf, pointer);
        let equal = self.b.binary(BinOp::Eq, tag, wanted);
        let differ = self.b.binary(BinOp::Ne, tag, wanted);
        let branch = self.commit(equal, ctrl);
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
        branch
    }

    /// Where a tag lies, or what it is the tag of: through the page tables, where there are any. Nothing checks tags there.
    fn unchecked(&mut self, addr: Tmp, direction: Direction) -> Place {
        self.resolve(addr, Access { direction, sets: &[], check: false }).0
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
        if !zeroes {
            self.write_tags(addr, tag, granules);
            return Ok(Text::Operands(format!("{rt},{text}")));
        }
        self.at = at;
        let (addr_of_zeros, _) = self.tag_operands()?;
        let zeroed = self.b.unary(UnOp::Untag, addr_of_zeros);
        if self.cx.extensions.tables.is_none() {
            self.write_tags(addr, tag, granules);
            self.write_zeros(zeroed, granules);
            return Ok(Text::Operands(format!("{rt},{text}")));
        }
        // Two accesses, each with its own translation; either may be the first, and the fault of one leaves what the other has done.
        let tags_first = self.nested(|lower| {
            lower.write_tags(addr, tag, granules);
            lower.write_zeros(zeroed, granules);
        });
        let zeros_first = self.nested(|lower| {
            lower.write_zeros(zeroed, granules);
            lower.write_tags(addr, tag, granules);
            // Where neither faults that is the same once more.
            let never = lower.b.int(0);
            lower.b.push(Op::Assume { cond: never });
        });
        self.b.push(Op::Choice { branches: vec![tags_first, zeros_first] });
        Ok(Text::Operands(format!("{rt},{text}")))
    }

    /// The tags of some granules, through one translation.
    fn write_tags(&mut self, addr: Tmp, tag: Tmp, granules: i64) {
        let place = self.unchecked(addr, Direction::Write);
        for granule in 0..granules {
            let here = self.b.offset(place.addr, i128::from(granule * GRANULE));
            let cell = Place { addr: self.b.unary(UnOp::TagCell, here), ..place.clone() };
            self.store_at(&cell, tag, TAG, &[], Extra::default());
        }
    }

    /// Zeros in some granules, through one translation.
    fn write_zeros(&mut self, addr: Tmp, granules: i64) {
        let place = self.unchecked(addr, Direction::Write);
        let zero = self.b.int(0);
        // Where cells are whole it is one of them that is cleared, whatever its size.
        let bytes = if self.cx.extensions.mixed { GRANULE as u8 } else { 0 };
        for granule in 0..granules {
            let here =
                Place { addr: self.b.offset(place.addr, i128::from(granule * GRANULE)), ..place.clone() };
            self.store_at(&here, zero, bytes, &[], Extra::default());
        }
    }

    /// `LDG`: the register with its tag replaced by that of a granule.
    pub fn load_tag(&mut self) -> Result<Text, Diagnostic> {
        let rt = self.reg_of(Width::X)?;
        let (addr, text) = self.tag_operands()?;
        self.b.push(Op::Pin { addr });
        let old = self.read(rt, Width::X, Port::None);
        let place = self.unchecked(addr, Direction::Read);
        let place = Place { addr: self.b.unary(UnOp::TagCell, place.addr), ..place };
        let dst = self.load_at(&place, TAG, &[], Extra { data: vec![old], ..Extra::default() });
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
