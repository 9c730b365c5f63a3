//! Page table entries, and what becomes of an access that goes through one.

use super::{Program, Sym, Value};

/// A page table entry. The order of the fields is that of states in a log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Pte {
    /// May instructions be fetched from the page?
    pub executable: bool,
    /// Memory attributes.
    pub attrs: Attrs,
    /// Where it leads.
    pub oa: Oa,
    /// The access flag.
    pub af: bool,
    /// Is the page writable (or dirty)?
    pub db: bool,
    /// May hardware make it writable?
    pub dbm: bool,
    /// Is there a translation at all?
    pub valid: bool,
    /// May unprivileged code access the page?
    pub el0: bool,
}

/// Output address of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Oa {
    /// None was written: equal to no address there is.
    Empty,
    /// The physical address of a symbol.
    Phys(Sym),
    /// The entry of a symbol.
    Pte(Sym),
}

impl Oa {
    /// Where it leads at that offset of the page, if entries can be reached through entries.
    pub fn leads_to(self, offset: i64) -> Value {
        match self {
            Oa::Phys(sym) => Value::Phys { sym, offset },
            Oa::Pte(sym) if offset == 0 => Value::PteAddr(sym),
            // Nothing is there: no cell has such an address.
            Oa::Pte(_) | Oa::Empty => Value::Int(0),
        }
    }
}

/// Memory attributes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Attrs {
    /// Ordinary memory: shareability (0 to 2: NSH, ISH, OSH), inner and outer cacheability (0 to 2: WB, WT, NC).
    Normal(u8, u8, u8),
    /// Device memory: GRE, nGRE, nGnRE, nGnRnE.
    Device(u8),
    /// Ordinary memory with tags.
    Tagged,
}

impl Attrs {
    /// Where nothing is said.
    pub const DEFAULT: Attrs = Attrs::Normal(1, 0, 0);
}

const DEVICES: [&str; 4] = ["Device-GRE", "Device-nGRE", "Device-nGnRE", "Device-nGnRnE"];
const SHARED: [(&str, &str); 3] =
    [("NSH", "Non-shareable"), ("ISH", "Inner-shareable"), ("OSH", "Outer-shareable")];
const INNER: [(&str, &str); 3] =
    [("iWB", "Inner-write-back"), ("iWT", "Inner-write-through"), ("iNC", "Inner-non-cacheable")];
const OUTER: [(&str, &str); 3] =
    [("oWB", "Outer-write-back"), ("oWT", "Outer-write-through"), ("oNC", "Outer-non-cacheable")];

impl Attrs {
    /// The words of an entry's attributes; what is not said is as by default.
    ///
    /// # Errors
    /// The word that is none, or that contradicts another.
    pub fn parse<'a>(words: &[&'a str]) -> Result<Attrs, &'a str> {
        let Attrs::Normal(mut shared, mut inner, mut outer) = Attrs::DEFAULT else {
            return Ok(Attrs::DEFAULT);
        };
        for word in words {
            if let Some(device) = DEVICES.iter().position(|d| d == word) {
                return if words.len() == 1 { Ok(Attrs::Device(device as u8)) } else { Err(word) };
            }
            let place = |table: &[(&str, &str)]| table.iter().position(|(a, b)| a == word || b == word);
            match *word {
                "TaggedNormal" => return Ok(Attrs::Tagged),
                "Normal" => {}
                _ => match (place(&SHARED), place(&INNER), place(&OUTER)) {
                    (Some(at), ..) => shared = at as u8,
                    (_, Some(at), _) => inner = at as u8,
                    (_, _, Some(at)) => outer = at as u8,
                    _ => return Err(word),
                },
            }
        }
        Ok(Attrs::Normal(shared, inner, outer))
    }

    /// Is that one of its words?
    pub fn has(self, word: &str) -> bool {
        let is =
            |table: &[(&str, &str)], index: u8| table.get(usize::from(index)).is_some_and(|w| w.0 == word);
        match self {
            Attrs::Normal(shared, inner, outer) => {
                word == "Normal" || is(&SHARED, shared) || is(&INNER, inner) || is(&OUTER, outer)
            }
            Attrs::Device(device) => DEVICES.get(usize::from(device)).is_some_and(|name| *name == word),
            Attrs::Tagged => word == "TaggedNormal",
        }
    }

    /// The words, as states show them.
    pub fn words(self) -> Vec<&'static str> {
        let at =
            |table: &[(&'static str, &str)], index: u8| table.get(usize::from(index)).map_or("", |w| w.0);
        match self {
            Attrs::Normal(shared, inner, outer) => {
                vec!["Normal", at(&SHARED, shared), at(&INNER, inner), at(&OUTER, outer)]
            }
            Attrs::Device(device) => vec![DEVICES[usize::from(device).min(DEVICES.len() - 1)]],
            Attrs::Tagged => vec!["TaggedNormal"],
        }
    }
}

/// What hardware does about the access flag and the dirty state, by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Managed {
    /// Nothing: software does.
    #[default]
    Software,
    /// It sets the access flag.
    AccessFlag,
    /// It sets the access flag and marks pages as dirty.
    Dirty,
}

/// How an access goes through an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Walk {
    /// What hardware manages for the accessing thread.
    pub managed: Managed,
    /// What the test says of all threads: of one that goes its own way it decides only which fault there is.
    pub announced: Managed,
    /// Is it a write?
    pub write: bool,
    /// May the page become dirty by it?
    pub dirties: bool,
    /// By unprivileged code?
    pub user: bool,
    /// The fetch of an instruction?
    pub fetch: bool,
}

/// What becomes of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Walked {
    /// It happens.
    Done,
    /// It happens, and hardware sets the access flag.
    SetsAccessFlag,
    /// It happens, and hardware sets access flag and dirty state.
    SetsDirty,
    /// It faults.
    Translation,
    AccessFlag,
    Permission,
}

impl Walk {
    /// What becomes of an access through that entry.
    pub fn outcome(self, pte: &Pte) -> Walked {
        let writable = pte.db || self.managed == Managed::Dirty && pte.dbm;
        let faults = !pte.valid
            || self.managed == Managed::Software && !pte.af
            || self.write && !writable
            || self.user && !pte.el0
            || self.fetch && !pte.executable;
        match () {
            () if !pte.valid => Walked::Translation,
            () if faults && !pte.af && self.announced == Managed::Software => Walked::AccessFlag,
            () if faults => Walked::Permission,
            () if self.managed == Managed::Dirty && self.write && self.dirties && !(pte.af && pte.db) => {
                Walked::SetsDirty
            }
            () if self.managed != Managed::Software && !pte.af => Walked::SetsAccessFlag,
            () => Walked::Done,
        }
    }
}

/// Bits of an entry as numbers see them: those of the architecture. Of the inverted ones a set bit means `db:0`, `x:0`.
const VALID: i128 = 1;
const EL0: i128 = 1 << 6;
const DB: i128 = 1 << 7;
const AF: i128 = 1 << 10;
const DBM: i128 = 1 << 51;
const XN: i128 = 1 << 54;

impl Pte {
    /// The entry of a symbol where the test says nothing.
    pub fn of(oa: Oa) -> Pte {
        Pte {
            executable: true,
            attrs: Attrs::DEFAULT,
            oa,
            af: true,
            db: true,
            dbm: false,
            valid: true,
            el0: true,
        }
    }

    /// With the access flag set, and the dirty state too if asked for.
    #[must_use]
    pub fn updated(self, dirty: bool) -> Pte {
        Pte { af: true, db: self.db || dirty, ..self }
    }

    /// May hardware set its access flag at any time?
    pub fn is_old(&self) -> bool {
        self.valid && !self.af
    }

    /// The bits that numbers can see.
    pub fn bits(&self) -> i128 {
        let bit = |set: bool, bit: i128| if set { bit } else { 0 };
        bit(self.valid, VALID)
            | bit(self.el0, EL0)
            | bit(!self.db, DB)
            | bit(self.af, AF)
            | bit(self.dbm, DBM)
            | bit(!self.executable, XN)
    }

    /// With some of these bits set or cleared; none if the number has others.
    #[must_use]
    pub fn with_bits(self, mask: i128, set: bool) -> Option<Pte> {
        if mask & !(VALID | EL0 | DB | AF | DBM | XN) != 0 {
            return None;
        }
        let bits = if set { self.bits() | mask } else { self.bits() & !mask };
        Some(Pte {
            valid: bits & VALID != 0,
            el0: bits & EL0 != 0,
            db: bits & DB == 0,
            af: bits & AF != 0,
            dbm: bits & DBM != 0,
            executable: bits & XN == 0,
            ..self
        })
    }

    /// As tests write it; what is as by default is left out.
    pub fn show(&self, program: &Program) -> String {
        let mut parts = vec![format!("oa:{}", self.oa.show(program))];
        let mut flag = |name: &str, value: bool, default: bool| {
            if value != default {
                parts.push(format!("{name}:{}", u8::from(value)));
            }
        };
        flag("af", self.af, true);
        flag("db", self.db, true);
        flag("dbm", self.dbm, false);
        flag("valid", self.valid, true);
        flag("el0", self.el0, true);
        flag("x", self.executable, true);
        if self.attrs != Attrs::DEFAULT {
            parts.push(format!("attrs:({})", self.attrs.words().join(",")));
        }
        format!("({})", parts.join(", "))
    }
}

impl Oa {
    /// As tests write it.
    pub fn show(self, program: &Program) -> String {
        match self {
            Oa::Empty => "PA()".to_string(),
            Oa::Phys(sym) => format!("PA({})", program.symbol(sym)),
            Oa::Pte(sym) => format!("PTE({})", program.symbol(sym)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(managed: Managed, write: bool) -> Walk {
        Walk { managed, announced: managed, write, dirties: write, user: false, fetch: false }
    }

    #[test]
    fn faults_have_the_type_that_comes_first() {
        let pte = Pte::of(Oa::Phys(Sym(0)));
        let soft = walk(Managed::Software, true);
        assert_eq!(soft.outcome(&pte), Walked::Done);
        assert_eq!(soft.outcome(&Pte { valid: false, af: false, ..pte }), Walked::Translation);
        assert_eq!(soft.outcome(&Pte { af: false, db: false, ..pte }), Walked::AccessFlag);
        assert_eq!(soft.outcome(&Pte { db: false, ..pte }), Walked::Permission);
        assert_eq!(Walk { write: false, ..soft }.outcome(&Pte { db: false, ..pte }), Walked::Done);
        assert_eq!(Walk { user: true, ..soft }.outcome(&Pte { el0: false, ..pte }), Walked::Permission);
    }

    #[test]
    fn hardware_updates_what_it_manages() {
        let pte = Pte { af: false, db: false, dbm: true, ..Pte::of(Oa::Phys(Sym(0))) };
        assert_eq!(walk(Managed::AccessFlag, false).outcome(&pte), Walked::SetsAccessFlag);
        assert_eq!(walk(Managed::AccessFlag, true).outcome(&pte), Walked::Permission);
        assert_eq!(walk(Managed::Dirty, true).outcome(&pte), Walked::SetsDirty);
        let quiet = Walk { dirties: false, ..walk(Managed::Dirty, true) };
        assert_eq!(quiet.outcome(&pte), Walked::SetsAccessFlag);
        assert_eq!(walk(Managed::Dirty, true).outcome(&pte.updated(true)), Walked::Done);
        // A thread of its own in a test with hardware updates: the fault is not called one of the access flag.
        let own = Walk { announced: Managed::AccessFlag, ..walk(Managed::Software, false) };
        assert_eq!(own.outcome(&pte), Walked::Permission);
    }

    #[test]
    fn numbers_set_and_clear_bits() {
        let pte = Pte::of(Oa::Phys(Sym(0)));
        assert_eq!(pte.bits() & 1024, 1024);
        assert_eq!(pte.with_bits(128, true), Some(Pte { db: false, ..pte }));
        assert_eq!(pte.with_bits(1, false), Some(Pte { valid: false, ..pte }));
        assert_eq!(pte.with_bits(0, true), Some(pte));
        assert_eq!(pte.with_bits(2, true), None);
    }

    #[test]
    fn attributes_are_words() {
        assert_eq!(Attrs::parse(&["NSH"]), Ok(Attrs::Normal(0, 0, 0)));
        assert_eq!(Attrs::parse(&["Outer-shareable", "iNC"]), Ok(Attrs::Normal(2, 2, 0)));
        assert_eq!(Attrs::parse(&["Device-nGnRE"]), Ok(Attrs::Device(2)));
        assert_eq!(Attrs::parse(&["XS"]), Err("XS"));
        assert_eq!(Attrs::parse(&["Normal"]).map(Attrs::words), Ok(vec!["Normal", "ISH", "iWB", "oWB"]));
    }
}
