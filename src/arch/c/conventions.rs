//! How the events of C programs are read.

use crate::arch::ArchId;
use crate::program::{CellSizes, Conventions};

/// Sets of C besides those of its bell file.
const C_SETS: [&str; 42] = [
    "X",
    "RMW",
    "A",
    "NA",
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "CON",
    "annot",
    "LK",
    "LKR",
    "LKW",
    "LS",
    "LF",
    "UL",
    "RL",
    "RU",
    // Fences of machines: what locks, threads and `asm` of programs are made of.
    "MFENCE",
    "SFENCE",
    // Marks of the kernel's functions, in programs.
    "lkmm-once",
    "lkmm-acquire",
    "lkmm-release",
    "lkmm-mb",
    "lkmm-noreturn",
    "lkmm-rmb",
    "lkmm-wmb",
    "lkmm-before-atomic",
    "lkmm-after-atomic",
    "lkmm-after-spinlock",
    "lkmm-after-unlock-lock",
    "lkmm-rcu-lock",
    "lkmm-rcu-unlock",
    "lkmm-sync-rcu",
    "lkmm-srcu-lock-0",
    "lkmm-srcu-unlock-0",
    "lkmm-srcu-lock-1",
    "lkmm-srcu-unlock-1",
    "lkmm-sync-srcu",
    "lkmm-after-srcu-read-unlock",
    "lkmm-data-race",
];

/// Those of C.
pub fn conventions() -> Conventions {
    Conventions {
        arch: ArchId::C.name(),
        sets: C_SETS.map(String::from).into_iter().collect(),
        one_event_rmw: true,
        non_atomics: true,
        po_inside: true,
        control_flows: false,
        follows_known_jumps: false,
        undefined_behaviour: true,
        sizes: CellSizes::Typed,
    }
}
