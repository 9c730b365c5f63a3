//! What the memory orders of C become elsewhere: on machines, by the mappings of compilers, and in the terms of the Linux kernel.
//!
//! The mappings are those of `cat/mappings` that compilers use. Relaxed loads are plain ones there: later stores may overtake them.

use crate::arch::ArchId;
use crate::arch::c::orders::MemoryOrder;
use crate::program::SetName;
use crate::program::threads::ATOMIC;

/// A machine, or what the kernel takes for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    AArch64,
    Armv7,
    Power,
    RiscV,
    /// The Linux kernel's model.
    Kernel,
}

type Names = &'static [&'static str];

/// What an access becomes.
#[derive(Clone, Copy, Default)]
pub(super) struct Access {
    /// The fence before it.
    pub before: Names,
    /// The sets of its read.
    pub read: Names,
    /// The sets of its write.
    pub write: Names,
    /// The fence after it.
    pub after: Names,
}

impl Machine {
    /// The machine that an architecture is.
    pub fn of(arch: ArchId) -> Option<Machine> {
        Some(match arch {
            ArchId::AArch64 => Machine::AArch64,
            ArchId::Arm => Machine::Armv7,
            ArchId::Ppc => Machine::Power,
            ArchId::RiscV => Machine::RiscV,
            _ => return None,
        })
    }

    /// Is a read-modify-write one event?
    pub(super) fn has_one_event_updates(self) -> bool {
        self == Machine::RiscV
    }

    /// A load.
    pub(super) fn load(self, order: Option<MemoryOrder>) -> Access {
        use Machine::{AArch64, Armv7, Kernel, Power, RiscV};
        let Some(order) = order else { return Access::default() };
        let relaxed = order == MemoryOrder::Relaxed;
        let sc = order == MemoryOrder::SeqCst;
        let none = Access::default();
        match self {
            Kernel if relaxed => Access { read: &["lkmm-once"], ..none },
            Kernel if sc => Access { before: &["lkmm-mb"], read: &["lkmm-acquire"], ..none },
            Kernel => Access { read: &["lkmm-acquire"], ..none },
            _ if relaxed => none,
            AArch64 => Access { read: &["A"], ..none },
            Armv7 => Access { after: &["DMB"], ..none },
            Power => Access { before: if sc { &["SYNC"] } else { &[] }, after: &["LWSYNC"], ..none },
            RiscV => {
                Access { before: if sc { &["Fence.rw.rw"] } else { &[] }, after: &["Fence.r.rw"], ..none }
            }
        }
    }

    /// A store.
    pub(super) fn store(self, order: Option<MemoryOrder>) -> Access {
        use Machine::{AArch64, Armv7, Kernel, Power, RiscV};
        let Some(order) = order else { return Access::default() };
        let relaxed = matches!(order, MemoryOrder::Relaxed);
        let sc = order == MemoryOrder::SeqCst;
        let none = Access::default();
        match self {
            Kernel if relaxed => Access { write: &["lkmm-once"], ..none },
            Kernel => Access { write: &["lkmm-release"], after: if sc { &["lkmm-mb"] } else { &[] }, ..none },
            _ if relaxed => none,
            AArch64 => Access { write: &["L"], ..none },
            Armv7 => Access { before: &["DMB"], after: if sc { &["DMB"] } else { &[] }, ..none },
            Power => Access { before: if sc { &["SYNC"] } else { &["LWSYNC"] }, ..none },
            RiscV => Access { before: &["Fence.rw.w"], ..none },
        }
    }

    /// A read-modify-write. Where it is a loop of a reservation and a conditional store, only the round that succeeds is looked at: two accesses that nothing
    /// comes between, as of an instruction that does both.
    pub(super) fn update(self, order: MemoryOrder) -> Access {
        use Machine::{AArch64, Armv7, Kernel, Power, RiscV};
        let sc = order == MemoryOrder::SeqCst;
        let acquires =
            sc || matches!(order, MemoryOrder::Acquire | MemoryOrder::Consume | MemoryOrder::AcqRel);
        let releases = sc || matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel);
        let pick = |is: bool, names: Names| -> Names { if is { names } else { &[] } };
        let none = Access::default();
        match self {
            Kernel if sc => Access { read: &["lkmm-mb"], write: &["lkmm-mb"], ..none },
            Kernel => Access {
                read: if acquires { &["lkmm-acquire"] } else { &["lkmm-once"] },
                write: if releases { &["lkmm-release"] } else { &["lkmm-once"] },
                ..none
            },
            AArch64 => Access { read: pick(acquires, &["A"]), write: pick(releases, &["L"]), ..none },
            Armv7 => Access { before: pick(releases, &["DMB"]), after: pick(acquires, &["DMB"]), ..none },
            Power => Access {
                before: if sc { &["SYNC"] } else { pick(releases, &["LWSYNC"]) },
                after: pick(acquires, &["LWSYNC"]),
                ..none
            },
            RiscV => {
                let sets: Names = match (acquires, releases) {
                    (true, true) => &["AcqRel"],
                    (true, false) => &["Acq"],
                    (false, true) => &["Rel"],
                    (false, false) => &[],
                };
                Access { read: sets, write: sets, ..none }
            }
        }
    }

    /// A fence.
    pub(super) fn fence(self, order: MemoryOrder) -> Names {
        use MemoryOrder::{AcqRel, Acquire, Consume, Release, SeqCst};
        match (self, order) {
            (_, MemoryOrder::Relaxed) => &[],
            // The kernel has no fences of loads with stores but the full one.
            (Machine::Kernel, _) => &["lkmm-mb"],
            (Machine::AArch64, Acquire | Consume) => &["DMB.ISHLD"],
            (Machine::AArch64, _) => &["DMB.ISH"],
            (Machine::Armv7, _) => &["DMB"],
            (Machine::Power, SeqCst) => &["SYNC"],
            (Machine::Power, _) => &["LWSYNC"],
            (Machine::RiscV, Acquire | Consume) => &["Fence.r.rw"],
            (Machine::RiscV, Release) => &["Fence.rw.w"],
            (Machine::RiscV, AcqRel) => &["Fence.tso"],
            (Machine::RiscV, SeqCst) => &["Fence.rw.rw"],
        }
    }

    /// The sets of a lock that is given back, besides those of its order.
    pub(super) fn unlock_sets(self) -> Names {
        match self {
            Machine::Kernel => &["UL"],
            _ => &[],
        }
    }
}

/// The sets of an access: those of the machine, and what the source says of it, which looks for races and the trace go by.
pub(super) fn sets(names: Names, order: Option<MemoryOrder>, update: bool) -> Vec<SetName> {
    let mut sets: Vec<SetName> = names.iter().map(|name| (*name).into()).collect();
    if let Some(order) = order {
        sets.extend([ATOMIC.into(), order.set().into()]);
    }
    if update {
        sets.extend(["X".into(), "RMW".into()]);
    }
    sets
}

/// The sets of the two halves of a read-modify-write.
pub(super) fn halves(access: &Access, order: MemoryOrder) -> (Vec<SetName>, Vec<SetName>) {
    use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    let (read, write) = match order {
        AcqRel => (Acquire, Release),
        Acquire => (Acquire, Relaxed),
        Release => (Relaxed, Release),
        SeqCst => (SeqCst, SeqCst),
        other => (other, Relaxed),
    };
    (sets(access.read, Some(read), true), sets(access.write, Some(write), true))
}

/// The order of a compare-exchange that has one where it succeeds and one where it fails: compilers take the stronger.
pub(super) fn both(success: MemoryOrder, failure: MemoryOrder) -> MemoryOrder {
    use MemoryOrder::{AcqRel, Acquire, Consume, Relaxed, Release, SeqCst};
    match (success, failure) {
        (SeqCst, _) | (_, SeqCst) => SeqCst,
        (Release | AcqRel, Acquire | Consume) => AcqRel,
        (Relaxed, Acquire | Consume) => Acquire,
        (order, _) => order,
    }
}
