//! One access of AArch64 on its way to memory: the memory interface, as instructions see it.
//!
//! Every load, store and atomic calls [`Lower::reach`] once with the address it computed, and goes on with the [`Place`] that
//! comes back: through [`Lower::load_at`] and [`Lower::store_at`]. What lies between are the stages of the extensions, in
//! this order: signatures of the pointer, translation, tags. A stage appends micro-ops (implicit reads in the set `NExp`,
//! branches, `Op::Fault` in the branches that do not go on: it ends the instruction), may replace the address, and adds what the access hangs on
//! to [`Place::ctrl`]. Without extensions there are no stages, and nothing is appended. Bounds, alignment and parts of
//! cells are no affair of instructions: see `execution::unfold::access`.

use super::lower::Lower;
use crate::arch::build::names;
use crate::program::{AccessSize, BinOp, BranchKind, Extra, Op, Resume, SetName, Tmp, UnOp, Value};

/// The register that takes the address to come back to after a fault.
pub const LINK: &str = "ELR_EL1";

/// Types of faults.
pub const TRANSLATION: &str = "D-MMU:Translation";
pub const ACCESS_FLAG: &str = "D-MMU:AccessFlag";
pub const PERMISSION: &str = "D-MMU:Permission";
/// Types of faults of data accesses, and of fetches.
pub const FAULTS: [&str; 3] = [TRANSLATION, ACCESS_FLAG, PERMISSION];
pub const FETCH_FAULTS: [&str; 3] = ["I-MMU:Translation", "I-MMU:AccessFlag", "I-MMU:Permission"];
pub const TAG_CHECK: &str = "TagCheck";

/// Does the instruction write? Atomics and store-exclusives do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
    /// It may write, and does not.
    Attempt,
}

/// What the stages know of an access.
#[derive(Clone, Copy, Debug)]
pub struct Access<'s> {
    /// Its direction.
    pub direction: Direction,
    /// Sets of its (first) event: `A`, `L`, `X` …
    pub sets: &'s [&'static str],
    /// Is its tag checked, where there are tags?
    pub check: bool,
}

impl Access<'_> {
    /// Does it write, or may it?
    pub fn writes(self) -> bool {
        self.direction != Direction::Read
    }
}

/// Where an access goes, all stages passed.
#[derive(Clone, Debug)]
pub struct Place {
    /// The address.
    pub addr: Tmp,
    /// What its events hang on (`iico_ctrl`).
    pub ctrl: Vec<Tmp>,
    /// What the address comes from now, if a stage has replaced it.
    pub via: Vec<Tmp>,
}

impl Lower<'_, '_> {
    /// Takes an address through the stages.
    pub fn reach(&mut self, addr: Tmp, access: Access) -> Place {
        match self.cx.extensions.tags {
            None => self.resolve(addr, access).0,
            Some(checks) if !access.check || checks.skips(access.writes()) => {
                self.b.push(Op::Pin { addr });
                let plain = self.b.unary(UnOp::Untag, addr);
                self.resolve(plain, access).0
            }
            Some(checks) => {
                let (place, pointer) = self.resolve(addr, access);
                self.check_tag(place, pointer, access, checks)
            }
        }
    }

    /// The stages up to physical memory: signatures and page tables. Also the pointer that was translated.
    pub fn resolve(&mut self, addr: Tmp, access: Access) -> (Place, Tmp) {
        let mut place = Place { addr, ctrl: Vec::new(), via: Vec::new() };
        if self.cx.extensions.signing.is_some() {
            place = self.check_signature(addr, access);
        }
        let pointer = place.addr;
        if let Some(tables) = self.cx.extensions.tables {
            place = self.translate(place, access, tables);
        }
        (place, pointer)
    }

    /// The element after the one there.
    pub fn next_place(&mut self, place: &Place, bytes: u8) -> Place {
        let addr = self.b.binary_int(BinOp::Add, place.addr, i128::from(bytes));
        Place { addr, ..place.clone() }
    }

    /// The event of a load.
    pub fn load_at(&mut self, place: &Place, bytes: u8, sets: &[&'static str], mut extra: Extra) -> Tmp {
        extra.ctrl.extend_from_slice(&place.ctrl);
        let dst = self.b.tmp();
        let (addr, size) = (place.addr, AccessSize(bytes));
        self.b.push(Op::Load { dst, addr, size, sets: names(sets), extra });
        dst
    }

    /// The event of a store.
    pub fn store_at(
        &mut self,
        place: &Place,
        value: Tmp,
        bytes: u8,
        sets: &[&'static str],
        mut extra: Extra,
    ) {
        extra.ctrl.extend_from_slice(&place.ctrl);
        self.b.store_with(place.addr, value, bytes, sets, extra);
    }

    /// A branch event that hangs on what `cond` comes from; what hangs on the branch takes the result.
    pub fn commit(&mut self, cond: Tmp, ctrl: &[Tmp]) -> Tmp {
        let done = self.b.tmp();
        let extra = Extra { ctrl: ctrl.to_vec(), done: Some(done), ..Extra::default() };
        self.b.push(Op::Branch { kind: BranchKind::Pred, cond: Some(cond), extra });
        done
    }

    /// A list of micro-ops that is run only where `cond` holds.
    pub fn where_holds(&mut self, cond: Tmp, f: impl FnOnce(&mut Self)) -> Vec<Op> {
        self.nested(|lower| {
            lower.b.push(Op::Assume { cond });
            f(lower);
        })
    }

    /// A synchronous fault.
    pub fn fault(&mut self, kind: &'static str, addr: Option<Tmp>, access: Access, extra: Extra) {
        let here = Value::Code { thread: self.cx.thread as u16, pc: self.cx.pc as u16 };
        let (link, value) = (self.cx.regs.intern(LINK), self.b.value(here));
        self.b.write_with(link, value, extra.clone());
        // The fault has the address, but hangs on nothing but what is asked for.
        let addr = addr.map(|addr| {
            let shown = self.b.tmp();
            self.b.push(Op::From { dst: shown, a: addr, from: Vec::new() });
            shown
        });
        let mut sets = fault_sets(kind, access);
        sets.push(SetName::Borrowed("EXC-ENTRY"));
        if addr.is_none() {
            sets.push(SetName::Borrowed("no-loc"));
        }
        self.b.push(Op::Fault { kind: kind.into(), sets, addr, resume: Resume::Again, extra });
    }
}

/// The sets of a fault: its type, its direction, and how the access is ordered.
pub fn fault_sets(kind: &'static str, access: Access) -> Vec<SetName> {
    let direction = if access.direction == Direction::Read { "FAULT-RD" } else { "FAULT-WR" };
    let kept = access.sets.iter().copied().filter(|set| ["A", "Q", "L", "EX"].contains(set));
    let sorts: &[&'static str] = match kind {
        TRANSLATION => &["MMU", "D-MMU", "Translation"],
        ACCESS_FLAG => &["MMU", "D-MMU", "AccessFlag"],
        PERMISSION => &["MMU", "D-MMU", "Permission"],
        "I-MMU:Translation" => &["MMU", "Translation"],
        "I-MMU:AccessFlag" => &["MMU", "AccessFlag"],
        "I-MMU:Permission" => &["MMU", "Permission"],
        _ if kind.starts_with("PacCheck:") => &["PacCheck"],
        _ if kind.starts_with("GCS:") => &["GCSCheck"],
        _ => &[kind],
    };
    ["FAULT", direction].into_iter().chain(sorts.iter().copied()).chain(kept).map(SetName::Borrowed).collect()
}
