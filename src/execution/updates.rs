//! Updates of access flags that hardware makes by itself, after any write of an entry that leaves the flag clear.

use crate::diag::Diagnostic;
use crate::program::{BinOp, LocId, Managed, SetName, UnOp, Value, Walk, Walked};

use super::{Event, EventKind, SymVal, World};

/// More writes than this after which hardware may set an access flag: each is a choice, and all of them together are too many.
pub(super) const MAX_UPDATES: usize = 16;

pub(super) fn too_many_updates(found: usize) -> Diagnostic {
    let message =
        format!("hardware may set access flags after {found} writes, and {MAX_UPDATES} are the most");
    Diagnostic::unsupported("program::too-many-updates", message)
        .help("`af:1` in entries leaves nothing to set; without `TTHM=HA` hardware sets none")
}

/// An entry whose access flag is clear, as hardware may leave it at any time.
pub(super) fn aged(value: Value) -> Option<Value> {
    match value {
        Value::Pte(pte) if pte.is_old() => Some(Value::Pte(pte.updated(false))),
        _ => None,
    }
}

/// An update of an access flag that no access asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub loc: LocId,
    /// The write after which it comes: thread and number in its path; none for the initial one.
    pub write: Option<(usize, u32)>,
}

impl World {
    /// A read and a write of no thread: hardware sets the access flag of an entry that `after` has left without.
    pub(super) fn add_update(
        &mut self,
        read: u32,
        loc: LocId,
        after: Option<SymVal>,
        events: &mut Vec<(u32, Event)>,
    ) {
        let bits = 64;
        let seen = SymVal::Read(read);
        let set = SymVal::unary(UnOp::Updated(false), seen.clone(), bits);
        let part = self.cells.parts.get(usize::from(loc.0)).cloned();
        for (number, kind, value) in
            [(read, EventKind::Read, seen.clone()), (read + 1, EventKind::Write, set)]
        {
            let sets = ["NExp", "X", "AF", "SPURIOUS"].map(SetName::Borrowed).to_vec();
            events.push((
                number,
                Event {
                    thread: None,
                    instance: read,
                    pc: 0,
                    code: 0,
                    kind,
                    loc: Some(loc),
                    at: None,
                    part: part.clone(),
                    size: Some(8),
                    extent: None,
                    access: number,
                    value: Some(value),
                    written: None,
                    sets,
                },
            ));
        }
        self.edges.iico_data.push((read, read + 1));
        let walk = Walk {
            managed: Managed::AccessFlag,
            announced: Managed::AccessFlag,
            write: false,
            dirties: false,
            user: false,
            fetch: false,
        };
        let old = SymVal::binary(
            BinOp::Eq,
            SymVal::unary(UnOp::Walk(walk), seen.clone(), bits),
            Value::Int(Walked::SetsAccessFlag as i128).into(),
            bits,
        );
        self.constraints.push((old, true));
        if let Some(after) = after {
            self.constraints.push((SymVal::binary(BinOp::Eq, seen, after, bits), true));
        }
    }
}
