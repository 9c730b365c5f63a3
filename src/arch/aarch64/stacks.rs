//! Guarded control stacks: return addresses are kept on a second stack, which calls and returns go to by themselves.
//!
//! Accesses to such a stack are implicit (set `NExp`), in the set `GCS`, and go through the page tables, but through no other stage.

use super::access::{Access, Direction, Place};
use super::lower::{Lower, Text};
use super::syntax::{Index, Kind, Width};
use crate::arch::errors;
use crate::diag::Diagnostic;
use crate::program::{BinOp, BranchKind, Extra, Op, Port, Reg, Target, Tmp, UnOp};

/// The register that points to the last entry.
const POINTER: &str = "GCSPR_EL1";

/// Entries have this many bytes.
const ENTRY: u8 = 8;

/// Sets of accesses to a stack.
const STACK: &[&str] = &["NExp", "GCS"];
const ACQUIRE: &[&str] = &["NExp", "GCS", "A"];
const RELEASE: &[&str] = &["NExp", "GCS", "L"];
const ATOMIC: &[&str] = &["NExp", "GCS", "X"];

/// An entry that names its own place is a stack that nobody uses; one that ends in this, a stack on the way to somebody.
const VALID: UnOp = UnOp::WithLow { bits: 12, value: 1 };
const IN_PROGRESS: UnOp = UnOp::WithLow { bits: 3, value: 5 };
const PLACE: UnOp = UnOp::WithLow { bits: 3, value: 0 };

const READ: Access = Access { direction: Direction::Read, sets: &[], check: false };
const WRITE: Access = Access { direction: Direction::Write, sets: &[], check: false };

/// What is done to a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackOp {
    Push,
    Pop,
    Store,
    SwitchFirst,
    SwitchSecond,
    Barrier,
}

impl Lower<'_, '_> {
    /// `GCS…`.
    pub fn stack(&mut self, op: StackOp) -> Result<Text, Diagnostic> {
        if !self.has_stacks() {
            return Err(self.needs("guarded control stacks: --variant shadowstack"));
        }
        let shown = match op {
            StackOp::Push => self.push()?,
            StackOp::Pop => self.pop()?,
            StackOp::Store => self.store_entry()?,
            StackOp::SwitchFirst => self.switch_first()?,
            StackOp::SwitchSecond => self.switch_second()?,
            StackOp::Barrier => match self.peek() {
                Some(Kind::Name(name)) if name.eq_ignore_ascii_case("DSYNC") => {
                    self.skip();
                    self.b.fence(&["GCSB.DSYNC"]);
                    "DSYNC".to_string()
                }
                _ => return Err(self.expected("`DSYNC`")),
            },
        };
        Ok(Text::Operands(shown))
    }

    /// Do calls and returns use a guarded stack?
    pub fn has_stacks(&self) -> bool {
        self.cx.extensions.stacks
    }

    fn stack_pointer(&mut self) -> Reg {
        self.cx.regs.intern(POINTER)
    }

    fn reach_entry(&mut self, addr: Tmp, access: Access) -> Place {
        let place = Place { addr, ctrl: Vec::new(), via: Vec::new() };
        match self.cx.extensions.tables {
            Some(tables) => self.translate(place, access, tables),
            None => place,
        }
    }

    /// Takes the next entry, towards lower addresses: the old pointer and the new one.
    fn grown(&mut self) -> (Tmp, Tmp) {
        let pointer = self.stack_pointer();
        let old = self.b.read(pointer, Port::Addr);
        (old, self.b.offset(old, -i128::from(ENTRY)))
    }

    /// Moves the pointer on, behind a branch.
    fn shrink(&mut self, old: Tmp, branch: Tmp) {
        let pointer = self.stack_pointer();
        let new = self.b.offset(old, ENTRY.into());
        self.b.write_with(pointer, new, on(&[branch]));
    }

    fn push(&mut self) -> Result<String, Diagnostic> {
        let rs = self.reg_of(Width::X)?;
        let (_, new) = self.grown();
        let place = self.reach_entry(new, WRITE);
        let data = self.read(rs, Width::X, Port::Data);
        self.store_at(&place, data, ENTRY, STACK, Extra::default());
        let pointer = self.stack_pointer();
        self.b.write_with(pointer, new, on(&place.ctrl));
        Ok(rs.to_string())
    }

    /// The entry that comes off must be a possible return address.
    fn pop(&mut self) -> Result<String, Diagnostic> {
        let rd = match self.peek() {
            Some(_) => Some(self.reg_of(Width::X)?),
            None => None,
        };
        let pointer = self.stack_pointer();
        let old = self.b.read(pointer, Port::Addr);
        let place = self.reach_entry(old, READ);
        let entry = self.load_at(&place, ENTRY, STACK, Extra::default());
        let (aligned, crooked) = self.low_bits(entry, 3, 0);
        let good = self.where_holds(aligned, |lower| {
            let branch = lower.commit(entry, &[]);
            if let Some(rd) = rd {
                lower.write_with(rd, Width::X, entry, on(&[branch]));
            }
            lower.shrink(old, branch);
        });
        let bad = self.where_holds(crooked, |lower| lower.stack_fault("GCS:POPM", &[entry]));
        self.b.push(Op::Choice { branches: vec![good, bad] });
        Ok(rd.map_or_else(String::new, ToString::to_string))
    }

    fn store_entry(&mut self) -> Result<String, Diagnostic> {
        let rs = self.reg_of(Width::X)?;
        let (mem, span) = self.mem()?;
        if mem.writeback || mem.index != Index::Imm(0) {
            let message = "`GCSSTR` takes an address of the form `[Xn]`".to_string();
            return Err(errors::bad_operand(span, message, "this address"));
        }
        let addr = self.read(&mem.base, Width::X, Port::Addr);
        let data = self.read(rs, Width::X, Port::Data);
        let place = self.reach_entry(addr, WRITE);
        self.store_at(&place, data, ENTRY, STACK, Extra::default());
        Ok(format!("{rs},[{}]", mem.base))
    }

    /// A call: the address to return to goes to the link register and to the stack.
    pub fn guarded_link(&mut self, register: Option<Reg>) -> Option<Tmp> {
        let (old, new) = self.grown();
        // The target is read before the link register is written: they may be the same.
        let target = register.map(|reg| self.read_after(reg, old));
        let place = self.reach_entry(new, WRITE);
        let back = self.b.value(self.cx.next_address());
        self.store_at(&place, back, ENTRY, STACK, Extra::default());
        let pointer = self.stack_pointer();
        self.b.write_with(pointer, new, on(&place.ctrl));
        let linked = self.b.tmp();
        self.b.push(Op::From { dst: linked, a: back, from: vec![old] });
        let link = self.cx.regs.intern("X30");
        self.b.write_with(link, linked, on(&place.ctrl));
        target
    }

    fn read_after(&mut self, reg: Reg, before: Tmp) -> Tmp {
        let dst = self.b.tmp();
        let extra = Extra { data: vec![before], ..Extra::default() };
        self.b.push(Op::ReadRegWith { dst, reg, port: Port::None, extra });
        dst
    }

    /// A return: the register and the stack must agree on where to.
    pub fn guarded_return(&mut self, register: Option<Reg>) {
        let pointer = self.stack_pointer();
        let old = self.b.read(pointer, Port::Addr);
        let target = match register {
            Some(reg) => self.read_after(reg, old),
            None => self.b.int(0),
        };
        let place = self.reach_entry(old, READ);
        let entry = self.load_at(&place, ENTRY, STACK, Extra::default());
        let same = self.b.binary(BinOp::Eq, entry, target);
        let differ = self.b.binary(BinOp::Ne, entry, target);
        let good = self.where_holds(same, |lower| {
            let branch = lower.commit(same, &[]);
            lower.shrink(old, branch);
            let extra = on(&[branch]);
            lower.b.push(Op::Branch { kind: BranchKind::Bcc, cond: Some(target), extra });
            lower.b.push(Op::Jump { target: Target::Indirect(target) });
        });
        let bad = self.where_holds(differ, |lower| lower.stack_fault("GCS:PRET", &[entry, target]));
        self.b.push(Op::Choice { branches: vec![good, bad] });
    }

    /// `GCSSS1`: a compare-and-swap of the entry that says that the stack is free, with one that says whom it is for. As others of its kind it
    /// may write back what it read if it fails, and succeeds in two ways.
    fn switch_first(&mut self) -> Result<String, Diagnostic> {
        let rn = self.reg_of(Width::X)?;
        let addr = self.read(rn, Width::X, Port::Addr);
        let data = self.read(rn, Width::X, Port::Data);
        let expected = self.b.unary(VALID, data);
        let mut branches = Vec::new();
        for writes_back in [false, true] {
            branches.push(self.nested(|lower| {
                let place = lower.reach_entry(addr, WRITE);
                let (entry, branch) = lower.compared_entry(&place, expected, false);
                match writes_back {
                    true => lower.store_at(&place, entry, ENTRY, ATOMIC, on(&[branch])),
                    false => lower.b.push(Op::Other { addr: None, sets: Vec::new(), extra: on(&[branch]) }),
                }
                lower.stack_fault("GCS:SS1", &[entry]);
            }));
        }
        branches.push(self.nested(|lower| {
            let place = lower.reach_entry(addr, WRITE);
            let (entry, branch) = lower.compared_entry(&place, expected, true);
            let pointer = lower.stack_pointer();
            let own = lower.b.read(pointer, Port::Data);
            let handed_over = lower.b.unary(IN_PROGRESS, own);
            lower.store_at(&place, handed_over, ENTRY, ATOMIC, on(&[branch]));
            let from_memory = lower.nested(|lower| lower.take_over(addr, &[addr, data, entry], &[]));
            let from_choice = lower.nested(|lower| lower.take_over(addr, &[addr, data], &[branch]));
            lower.b.push(Op::Choice { branches: vec![from_memory, from_choice] });
        }));
        self.b.push(Op::Choice { branches });
        Ok(rn.to_string())
    }

    /// Reads an entry and assumes that it is as expected, or not; also what hangs on that.
    fn compared_entry(&mut self, place: &Place, expected: Tmp, equal: bool) -> (Tmp, Tmp) {
        let entry = self.load_at(place, ENTRY, ATOMIC, Extra::default());
        let op = if equal { BinOp::Eq } else { BinOp::Ne };
        let cond = self.b.binary(op, entry, expected);
        self.b.push(Op::Assume { cond });
        (entry, self.commit(cond, &[]))
    }

    /// The pointer goes to the new stack, once it is known to be free.
    fn take_over(&mut self, to: Tmp, known_by: &[Tmp], ctrl: &[Tmp]) {
        let known = self.b.tmp();
        self.b.push(Op::From { dst: known, a: to, from: known_by.to_vec() });
        let branch = self.commit(known, ctrl);
        let new = self.b.tmp();
        self.b.push(Op::From { dst: new, a: to, from: Vec::new() });
        let pointer = self.stack_pointer();
        self.b.write_with(pointer, new, on(&[branch]));
    }

    /// `GCSSS2`: the stack that was left is marked as free.
    fn switch_second(&mut self) -> Result<String, Diagnostic> {
        let rd = self.reg_of(Width::X)?;
        let pointer = self.stack_pointer();
        let old = self.b.read(pointer, Port::Addr);
        let place = self.reach_entry(old, READ);
        let entry = self.load_at(&place, ENTRY, ACQUIRE, Extra::default());
        let (expected, other) = self.low_bits(entry, 7, 5);
        let good = self.where_holds(expected, |lower| {
            let branch = lower.commit(entry, &[]);
            let left = lower.b.unary(PLACE, entry);
            let left = lower.b.offset(left, -i128::from(ENTRY));
            lower.b.push(Op::Pin { addr: left });
            let free = lower.b.unary(VALID, entry);
            let place = lower.reach_entry(left, WRITE);
            lower.store_at(&place, free, ENTRY, RELEASE, on(&[branch]));
            lower.write_with(rd, Width::X, left, on(&[branch]));
            lower.shrink(old, branch);
        });
        let bad = self.where_holds(other, |lower| lower.stack_fault("GCS:SS2", &[entry]));
        self.b.push(Op::Choice { branches: vec![good, bad] });
        Ok(rd.to_string())
    }

    /// Are the low bits of an entry as wanted? Are they not?
    fn low_bits(&mut self, entry: Tmp, mask: i128, wanted: i128) -> (Tmp, Tmp) {
        let offset = self.b.unary(UnOp::Offset, entry);
        let low = self.b.binary_int(BinOp::And, offset, mask);
        (self.b.binary_int(BinOp::Eq, low, wanted), self.b.binary_int(BinOp::Ne, low, wanted))
    }

    fn stack_fault(&mut self, kind: &'static str, because: &[Tmp]) {
        self.fault(kind, None, READ, Extra { data: because.to_vec(), ..Extra::default() });
    }
}

/// Hangs on these.
fn on(ctrl: &[Tmp]) -> Extra {
    Extra { ctrl: ctrl.to_vec(), ..Extra::default() }
}
