//! Dependencies between memory accesses, from the flow through registers and inside instructions.
//!
//! This is what herd7 computes for models that do not do it themselves: the flow starts at a memory read (or, for the
//! result of a store-conditional, at a write), goes through registers, and ends at a branch, an address or a value.

use crate::program::{BranchKind, Conventions, Port};
use crate::relation::{Rel, Set};

use super::{Event, EventKind, World};

/// The dependency relations of a world, over all its events.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// To the address of an access.
    pub addr: Rel,
    /// To the value of a write.
    pub data: Rel,
    /// To what a branch or a condition guards.
    pub ctrl: Rel,
    /// The raw flow, up to register events.
    pub depend: Rel,
}

impl Dependencies {
    /// Of a world.
    pub fn new(world: &World, conventions: &Conventions) -> Dependencies {
        let n = world.events.len();
        let set = |f: &dyn Fn(&Event) -> bool| Set::of(n, (0..n).filter(|e| f(&world.events[*e])));
        let pairs = |list: &[(u32, u32)]| Rel::of(n, list.iter().map(|(a, b)| (*a as usize, *b as usize)));
        let iico_data = pairs(&world.edges.iico_data);
        let iico_ctrl = pairs(&world.edges.iico_ctrl);
        let iico =
            || pairs(&world.edges.iico_data).union(&iico_ctrl).union(&pairs(&world.edges.iico_order)).plus();
        let flow = if conventions.control_flows { iico_data.union(&iico_ctrl) } else { iico_data };
        let [mut loads, mut writes, mut memory, mut registers, mut branches] =
            [(); 5].map(|()| Set::empty(n));
        for (number, event) in world.events.iter().enumerate() {
            let kinds = [
                (&mut loads, event.is_read() || looks_at_lock(event)),
                (&mut writes, event.is_write()),
                (&mut memory, event.is_memory()),
                (&mut registers, event.is_register()),
                (&mut branches, matches!(event.kind, EventKind::Branch(_))),
            ];
            kinds.into_iter().filter(|(_, is)| *is).for_each(|(set, _)| set.insert(number));
        }

        let mut inside = pairs(&world.edges.rf_reg).union(&flow.restrict(&registers));
        inside.close();
        let start = from(&loads, &flow).union(&from(&writes, &iico_ctrl));
        let depend = start.seq(&inside);
        let any = depend.union(&Rel::id_on(&loads));

        let controls = if conventions.control_flows { world.edges.iico_ctrl.as_slice() } else { &[] };
        let feeds = |list: &[(u32, u32)], port: Port| {
            let mut rel = Rel::empty(n);
            for (a, b) in world.edges.iico_data.iter().chain(controls) {
                let fed = match world.events[*a as usize].kind {
                    EventKind::RegRead(_, Port::None) => list.contains(&(*a, *b)),
                    EventKind::RegRead(_, own) => own == port,
                    EventKind::Read | EventKind::Rmw | EventKind::Other => list.contains(&(*a, *b)),
                    _ => false,
                };
                if fed {
                    rel.insert(*a as usize, *b as usize);
                }
            }
            rel
        };
        let mut last_data = to(&feeds(&world.edges.data_in, Port::Data), &writes);
        if !branches.is_empty() {
            last_data.union_with(&to(&flow, &branches));
        }
        let mut last_addr = to(&feeds(&world.edges.addr_in, Port::Addr), &writes);
        last_addr.union_with(&to(&flow, &loads));
        let data = any.seq(&last_data);
        let addr = any.seq(&last_addr);

        // Nearly all tests are without branches, and then nothing is guarded by any.
        let mut ctrl = Rel::empty(n);
        if !branches.is_empty() || !world.edges.control.is_empty() {
            let conditional =
                set(&|e| matches!(e.kind, EventKind::Branch(BranchKind::Bcc | BranchKind::HiddenBcc)));
            let predicated =
                set(&|e| matches!(e.kind, EventKind::Branch(BranchKind::Pred | BranchKind::HiddenPred)));
            let readers =
                set(&|e| e.is_read() || looks_at_lock(e) || matches!(e.kind, EventKind::RegRead(..)));
            let guarded = from(&readers, &pairs(&world.edges.control));
            let iico = iico();
            let mut later = from(&predicated, &iico).union(&guarded);
            if !conditional.is_empty() {
                later.union_with(&from(&conditional, &world.program_order(n).union(&iico)));
            }
            let relevant = set(&|e| !e.is_internal());
            ctrl = depend.union(&addr).union(&data).seq(&later).union(&guarded);
            ctrl = to(&from(&memory.union(&loads), &ctrl), &relevant);
        }

        Dependencies { addr, data: to(&data, &memory), ctrl, depend }
    }
}

/// An event of the kernel's model that looks at a lock without taking it: what it sees is a value like any read's.
/// Taking a lock is not: nothing can depend on it.
fn looks_at_lock(event: &Event) -> bool {
    event.kind == EventKind::Other && event.sets.iter().any(|set| matches!(set.as_ref(), "LF" | "RL" | "RU"))
}

fn from(set: &Set, rel: &Rel) -> Rel {
    rel.from_set(set)
}

fn to(rel: &Rel, set: &Set) -> Rel {
    rel.to_set(set)
}
