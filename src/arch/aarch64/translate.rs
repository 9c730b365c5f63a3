//! The stage of page tables: an access reads the entry of its page, and goes where that leads, or faults.

use super::access::{Access, Direction, FAULTS, FETCH_FAULTS, PERMISSION, Place};
use super::lower::Lower;
use crate::arch::build::names;
use crate::arch::extensions::Tables;
use crate::program::{AccessSize, BinOp, Extra, FETCH, Managed, Op, SetName, Tmp, UnOp, Value, Walk, Walked};

/// Entries have this many bytes.
const ENTRY: u8 = 8;

impl Lower<'_, '_> {
    /// Takes an access through the page tables. The entries themselves are reached by addresses of their own.
    pub fn translate(&mut self, place: Place, access: Access, tables: Tables) -> Place {
        let Place { addr, ctrl, .. } = place;
        self.b.push(Op::Pin { addr });
        let (out, branch, via) = (self.b.tmp(), self.b.tmp(), self.b.tmp());
        let page = |lower: &mut Self| {
            let walked = lower.walk(addr, walk(access, tables), tables, &ctrl);
            lower.outcomes(&walked, tables.managed, |lower, kind| {
                let extra = Extra { ctrl: vec![walked.cause()], ..Extra::default() };
                lower.fault(kind, Some(addr), access, extra);
            });
            let follows = if tables.squared { BinOp::Follow } else { BinOp::Translate };
            let phys = lower.b.binary(follows, walked.pte, addr);
            lower.b.push(Op::From { dst: out, a: phys, from: vec![walked.pte] });
            lower.b.push(Op::From { dst: branch, a: walked.cause(), from: walked.hangs_on() });
            lower.b.push(Op::Taint { dst: via, a: walked.pte, also: Vec::new() });
        };
        if tables.squared {
            page(self);
            return Place { addr: out, ctrl: vec![branch], via: vec![via] };
        }
        let is_entry = self.b.unary(UnOp::IsEntry, addr);
        let is_virtual = self.b.unary(UnOp::IsZero, is_entry);
        let entry = self.where_holds(is_entry, |lower| match tables.user {
            true => {
                let done = if tables.silent { addr } else { lower.commit(addr, &[]) };
                let extra = Extra { ctrl: vec![done], ..Extra::default() };
                lower.fault(PERMISSION, Some(addr), access, extra);
            }
            false => {
                lower.b.push(Op::Taint { dst: out, a: addr, also: Vec::new() });
                let none = lower.b.int(0);
                lower.b.push(Op::From { dst: branch, a: none, from: ctrl.clone() });
                lower.b.push(Op::Taint { dst: via, a: addr, also: Vec::new() });
            }
        });
        let page = self.where_holds(is_virtual, page);
        self.b.push(Op::Choice { branches: vec![entry, page] });
        Place { addr: out, ctrl: vec![branch], via: vec![via] }
    }

    /// Fetches the instruction at a known virtual address: its word goes to `word`.
    pub fn fetch_through_tables(&mut self, at: Value, word: Tmp, tables: Tables) {
        let access = Access { direction: Direction::Read, sets: &[], check: false };
        let addr = self.b.value(at);
        let walked = self.walk(addr, Walk { fetch: true, ..walk(access, tables) }, tables, &[]);
        self.b.push(Op::Mark { of: walked.pte, sets: names(&[FETCH]) });
        self.outcomes_of(&walked, tables.managed, FETCH_FAULTS, |lower, kind| {
            let extra = Extra { ctrl: vec![walked.cause()], ..Extra::default() };
            lower.fault(kind, Some(addr), access, extra);
        });
        let (phys, from) = (self.b.binary(BinOp::Translate, walked.pte, addr), self.b.tmp());
        self.b.push(Op::From { dst: from, a: phys, from: vec![walked.pte] });
        let extra = Extra { ctrl: walked.hangs_on(), ..Extra::default() };
        let size = AccessSize(4);
        self.b.push(Op::Load { dst: word, addr: from, size, sets: names(&["NExp"]), extra });
    }

    /// Reads the entry of an address, and looks at it. The read hangs on `ctrl`.
    pub fn walk(&mut self, addr: Tmp, walk: Walk, tables: Tables, ctrl: &[Tmp]) -> Seen {
        let entry = self.b.unary(if tables.squared { UnOp::TableOf } else { UnOp::EntryOf }, addr);
        let pte = self.b.tmp();
        self.b.push(Op::Load {
            dst: pte,
            addr: entry,
            size: AccessSize(ENTRY),
            sets: walk_sets(tables.announced),
            extra: Extra { ctrl: ctrl.to_vec(), ..Extra::default() },
        });
        let branch = (!tables.silent).then(|| self.commit(pte, &[]));
        let outcome = self.b.unary(UnOp::Walk(walk), pte);
        Seen { entry, pte, branch, outcome }
    }

    /// Goes on where the access happens, after the update that hardware may make; elsewhere there is a fault.
    pub fn outcomes(&mut self, walked: &Seen, managed: Managed, fault: impl Fn(&mut Self, &'static str)) {
        self.outcomes_of(walked, managed, FAULTS, fault);
    }

    /// Likewise, with faults of these types.
    fn outcomes_of(
        &mut self,
        walked: &Seen,
        managed: Managed,
        [translation, access_flag, permission]: [&'static str; 3],
        fault: impl Fn(&mut Self, &'static str),
    ) {
        let is = |lower: &mut Self, outcome: Walked| {
            lower.b.binary_int(BinOp::Eq, walked.outcome, outcome as i128)
        };
        let mut branches = Vec::new();
        let done = is(self, Walked::Done);
        branches.push(self.where_holds(done, |_| {}));
        let updates: &[(Walked, bool)] = match managed {
            Managed::Software => &[],
            Managed::AccessFlag => &[(Walked::SetsAccessFlag, false)],
            Managed::Dirty => &[(Walked::SetsAccessFlag, false), (Walked::SetsDirty, true)],
        };
        for (outcome, dirty) in updates.iter().copied() {
            let cond = is(self, outcome);
            branches.push(self.where_holds(cond, |lower| lower.update(walked, dirty)));
        }
        for (outcome, kind) in [
            (Walked::Translation, translation),
            (Walked::AccessFlag, access_flag),
            (Walked::Permission, permission),
        ] {
            let cond = is(self, outcome);
            branches.push(self.where_holds(cond, |lower| fault(lower, kind)));
        }
        self.b.push(Op::Choice { branches });
    }

    /// Hardware writes the entry back.
    fn update(&mut self, walked: &Seen, dirty: bool) {
        let branch = self.commit(walked.pte, &[walked.cause()]);
        let (at, value) = (self.b.tmp(), self.b.unary(UnOp::Updated(dirty), walked.pte));
        self.b.push(Op::From { dst: at, a: walked.entry, from: vec![walked.pte] });
        let sets: &[&'static str] = if dirty { &["NExp", "X", "AF", "DB"] } else { &["NExp", "X", "AF"] };
        self.b.push(Op::Store {
            addr: at,
            value,
            size: AccessSize(ENTRY),
            sets: names(sets),
            extra: Extra { ctrl: vec![branch], ..Extra::default() },
        });
    }

    /// `AT`: what a translation would give, in a register. It never faults.
    pub fn report_translation(&mut self, addr: Tmp, write: bool, user: bool, tables: Tables) -> Tmp {
        self.b.push(Op::Pin { addr });
        let direction = if write { Direction::Attempt } else { Direction::Read };
        let access = Access { direction, sets: &[], check: false };
        let walk = Walk { dirties: false, user, ..walk(access, tables) };
        let entry = self.b.unary(UnOp::EntryOf, addr);
        let pte = self.b.tmp();
        self.b.push(Op::Load {
            dst: pte,
            addr: entry,
            size: AccessSize(ENTRY),
            sets: walk_sets(tables.announced),
            extra: Extra::default(),
        });
        let outcome = self.b.unary(UnOp::Walk(walk), pte);
        let result = self.b.tmp();
        let mut branches = Vec::new();
        for outcome_wanted in [Walked::Done, Walked::SetsAccessFlag] {
            let cond = self.b.binary_int(BinOp::Eq, outcome, outcome_wanted as i128);
            branches.push(self.where_holds(cond, |lower| {
                let branch = (!tables.silent).then(|| lower.commit(pte, &[]));
                if outcome_wanted == Walked::SetsAccessFlag {
                    lower.update(&Seen { entry, pte, branch, outcome }, false);
                }
                let phys = lower.b.binary(BinOp::Translate, pte, addr);
                let shown = lower.b.unary(UnOp::Report, phys);
                lower.b.push(Op::From { dst: result, a: shown, from: vec![pte] });
            }));
        }
        let faults = self.b.binary_int(BinOp::Ge, outcome, Walked::Translation as i128);
        branches.push(self.where_holds(faults, |lower| {
            let none = lower.b.value(Value::Translated(None));
            lower.b.push(Op::From { dst: result, a: none, from: vec![pte] });
        }));
        self.b.push(Op::Choice { branches });
        result
    }
}

/// An entry that was read, the branch on it (if there is one), and what it says.
pub struct Seen {
    entry: Tmp,
    pub pte: Tmp,
    branch: Option<Tmp>,
    outcome: Tmp,
}

impl Seen {
    /// What a fault hangs on, and an update: the branch, or else the entry itself.
    pub fn cause(&self) -> Tmp {
        self.branch.unwrap_or(self.pte)
    }

    /// What the access hangs on.
    pub fn hangs_on(&self) -> Vec<Tmp> {
        self.branch.into_iter().collect()
    }
}

/// How an access goes through an entry.
pub fn walk(access: Access, tables: Tables) -> Walk {
    Walk {
        managed: tables.managed,
        announced: tables.announced,
        write: access.direction != Direction::Read,
        dirties: access.direction == Direction::Write,
        user: tables.user,
        fetch: false,
    }
}

/// Reads of entries that hardware manages are the first half of an update.
fn walk_sets(managed: Managed) -> Vec<SetName> {
    names(match managed {
        Managed::Software => &["NExp"],
        Managed::AccessFlag => &["NExp", "X", "AF"],
        Managed::Dirty => &["NExp", "X", "AF", "DB"],
    })
}
