//! The table behind `litmus doc`.

use std::sync::LazyLock;

use crate::arch::ArchId::{self, *};
use crate::cat::lower::primitives;
use crate::model::{self, REGISTRY};

use super::{Name, Origin, Sort};

/// Architectures of machines: all but LISA and C.
const MACHINES: &[ArchId] = &[X86, X86_64, Ppc, Arm, AArch64, RiscV, Mips, Bpf];

const fn entry(
    name: &'static str,
    sort: Sort,
    origin: Origin,
    archs: &'static [ArchId],
    text: &'static str,
) -> Name {
    Name { name, sort, origin, archs, text, members: &[] }
}

const fn set(name: &'static str, archs: &'static [ArchId], text: &'static str) -> Name {
    entry(name, Sort::Set, Origin::Predefined, archs, text)
}

const fn lib(name: &'static str, sort: Sort, text: &'static str) -> Name {
    entry(name, sort, Origin::Stdlib, &[], text)
}

const fn cos(name: &'static str, text: &'static str) -> Name {
    entry(name, Sort::Relation, Origin::Cos, &[], text)
}

const fn syntax(name: &'static str, text: &'static str) -> Name {
    entry(name, Sort::Syntax, Origin::Language, &[], text)
}

const fn group(
    name: &'static str,
    archs: &'static [ArchId],
    text: &'static str,
    members: &'static [&'static str],
) -> Name {
    Name { name, sort: Sort::Set, origin: Origin::Predefined, archs, text, members }
}

/// All names, in the order to list them.
pub fn names() -> &'static [Name] {
    static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
        let bases = REGISTRY.iter().map(|base| {
            let sort = if base.sort == model::Sort::Rel { Sort::Relation } else { Sort::Set };
            entry(base.name, sort, Origin::Predefined, &[], base.text)
        });
        let primitives =
            primitives().map(|(name, text)| entry(name, Sort::Function, Origin::Primitive, &[], text));
        let language = LANGUAGE.iter().copied();
        language
            .chain(bases)
            .chain(ARCHITECTURES.iter().copied())
            .chain(primitives)
            .chain(LIBRARY.iter().copied())
            .collect()
    });
    &NAMES
}

/// The language.
#[rustfmt::skip]
const LANGUAGE: &[Name] = &[
    syntax("_", "Everything: all events, or all pairs of events, as the context asks. In a pattern: whatever stands there."),
    syntax("0", "The empty relation (never a set: the empty set is `{}` or `emptyset`)."),
    syntax("{}", "The empty set, relation or set of anything, as the context asks."),
    syntax("~", "Complement: `~S` are the events not in S, `~r` the pairs not in r. Before a check: negation."),
    syntax(";", "Sequence: `r ; s` relates a to c if r relates a to some b and s relates that b to c."),
    syntax("*", "Between two sets: their product. After a relation: its reflexive transitive closure."),
    syntax("+", "After a relation: its transitive closure."),
    syntax("?", "After a relation: the relation or identity."),
    syntax("^-1", "After a relation: its inverse."),
    syntax("[S]", "Identity on the set S: `[W] ; po ; [R]` is program order from a write to a read."),
    syntax("++", "`e ++ S`: the set S with the element e added; in a match, the smallest element and the rest."),
    syntax("acyclic", "A check: the relation has no cycle. An execution that fails it is rejected."),
    syntax("irreflexive", "A check: the relation relates no event to itself."),
    syntax("empty", "A check: the set or relation is empty."),
    syntax("flag", "`flag ~empty r as name`: executions where the check succeeds are accepted and flagged with that name."),
    syntax("undefined_unless", "A check whose failure accepts the execution, but makes the test's verdict `Undef`."),
    syntax("assert", "A check whose failure is an error of the test."),
    syntax("with", "`with x from S`: what follows runs once for each element of S, each run an execution of its own."),
    syntax("show", "What drawings show; it has no effect on outcomes."),
    syntax("catdep", "In a model's header: register events are visible, and the model computes dependencies itself."),
    syntax("variant", "`if \"name\"`: is this variant set, by --variant or by the test?"),
];

/// Sets of architectures: what their instructions say of events.
#[rustfmt::skip]
const ARCHITECTURES: &[Name] = &[
    // Machines.
    set("T", MACHINES, "Tag accesses."),
    set("GCS", MACHINES, "Guarded-control-stack accesses."),
    set("TLBI", MACHINES, "TLB invalidations."),
    set("no-loc", MACHINES, "TLB invalidations of everything: without a location."),
    set("CutOff", MACHINES, "Where a loop was cut at the unrolling bound."),
    set("FAULT", MACHINES, "Faults."),
    set("FAULT-RD", MACHINES, "Faults of reads."),
    set("FAULT-WR", MACHINES, "Faults of writes."),
    set("EXC-ENTRY", MACHINES, "Exception entries."),
    set("EXC-RET", MACHINES, "Exception returns."),
    set("X", &[AArch64], "Accesses of single-instruction atomics (LDADD, SWP, CAS …)."),
    set("X", &[RiscV], "Accesses of AMO instructions."),
    set("X", &[X86, X86_64], "Accesses of locked instructions (LOCK …, XCHG)."),
    set("X", &[Arm, Ppc, Mips], "Accesses of single-instruction atomics: there are none, the set is empty."),
    set("X", &[Bpf], "Accesses of atomics, of a compare-and-exchange only where it succeeds."),
    set("SC", &[Bpf], "Atomics that give back a value, which are full fences; those of `lock` are not in it."),
    set("AQ", &[Bpf], "Loads by load_acquire."),
    set("RL", &[Bpf], "Stores by store_release."),
    set("X", &[C, Lisa], "Read-modify-writes; the same as RMW."),
    set("RMW", &[C, Lisa], "Read-modify-writes."),
    set("EX", &[AArch64, Arm, Ppc, RiscV, Mips], "Exclusive accesses: load-reserve and store-conditional."),
    set("A", &[AArch64, Arm], "Acquire loads (AArch64: LDAR, LDAXR and atomics with acquire; with their faults)."),
    set("Q", &[AArch64], "Acquire-PC loads (LDAPR)."),
    set("L", &[AArch64, Arm], "Release stores."),
    set("AL", &[Arm], "The same as A."),
    set("NoRet", &[AArch64], "Atomics that return nothing (STADD …)."),
    set("NT", &[AArch64, X86_64], "Non-temporal accesses."),
    set("S", &[AArch64], "Accesses of level S."),
    set("AF", &[AArch64], "Updates of the access flag by hardware."),
    set("DB", &[AArch64], "Updates of the dirty bit by hardware."),
    set("D-PTE", &[AArch64], "Accesses to page table entries, but for the walks of fetches (variant `vmsa`)."),
    set("PA", &[AArch64], "Accesses to memory behind page tables (variant `vmsa`)."),
    group("PTEV", &[AArch64], "Events by the page table entry that they read or write: valid, not valid, access flag clear, not writable (variant `vmsa`).", &[
        "PTEINV", "PTEAF0", "PTEDB0"]),
    group("PTEMemAttr", &[AArch64], "Accesses to page table entries by memory attribute: PTENormal, PTENSH, PTEiWB, PTEDevice-GRE … (variant `vmsa`).", &[
        "PTENormal", "PTETaggedNormal", "PTENSH", "PTEISH", "PTEOSH", "PTEiWB", "PTEiWT", "PTEiNC", "PTEoWB", "PTEoWT", "PTEoNC", "PTEDevice-GRE",
        "PTEDevice-nGRE", "PTEDevice-nGnRE", "PTEDevice-nGnRnE"]),
    group("E0", &[AArch64], "TLB invalidations for an exception level.", &["E1", "E2", "E3"]),
    set("TLBIIS", &[AArch64], "TLB invalidations for the inner shareable domain."),
    set("TLBInXS", &[AArch64], "TLB invalidations with nXS."),
    group("DMB", &[Arm], "Data memory barriers (`DMB` is `DMB SY`).", &["DMB.ISH", "DMB.ST", "DMB.ISHST", "DMB.NSH", "DMB.NSHST", "DMB.OSH", "DMB.OSHST"]),
    group("DSB", &[Arm], "Data synchronisation barriers.", &["DSB.ISH", "DSB.ST", "DSB.ISHST", "DSB.NSH", "DSB.NSHST", "DSB.OSH", "DSB.OSHST"]),
    group("DMB.*", &[AArch64], "Data memory barriers, by domain and kind: SY full system, OSH outer, ISH inner, NSH non-shareable; LD orders earlier loads with everything later, ST stores with stores.", &[
        "DMB.SY", "DMB.LD", "DMB.ST", "DMB.OSH", "DMB.OSHLD", "DMB.OSHST", "DMB.ISH", "DMB.ISHLD", "DMB.ISHST", "DMB.NSH", "DMB.NSHLD", "DMB.NSHST"]),
    group("DSB.*", &[AArch64], "Data synchronisation barriers, by domain and kind as for DMB.", &[
        "DSB.SY", "DSB.LD", "DSB.ST", "DSB.OSH", "DSB.OSHLD", "DSB.OSHST", "DSB.ISH", "DSB.ISHLD", "DSB.ISHST", "DSB.NSH", "DSB.NSHLD", "DSB.NSHST"]),
    set("ISB", &[AArch64, Arm], "Instruction synchronisation barriers."),
    set("GCSB.DSYNC", &[AArch64], "Barriers of the guarded control stack."),
    group("DC.*", &[AArch64], "Data cache maintenance: what (I invalidate, C clean, CI both, Z zero), by what (VA, SW), to where (C, U).", &[
        "DC.IVAC", "DC.IVAU", "DC.ISWC", "DC.ISWU", "DC.CVAC", "DC.CVAU", "DC.CSWC", "DC.CSWU", "DC.CIVAC", "DC.CIVAU", "DC.CISWC", "DC.CISWU",
        "DC.ZVAC", "DC.ZVAU", "DC.ZSWC", "DC.ZSWU"]),
    group("IC.*", &[AArch64], "Instruction cache maintenance.", &["IC.IALLU", "IC.IALLUIS", "IC.IVAU", "IC.IVAUIS"]),
    group("MMU", &[AArch64], "Faults, by kind.", &[
        "D-MMU", "I-MMU", "Translation", "AccessFlag", "Permission", "Exclusive", "TagCheck", "PacCheck", "UndefinedInstruction", "SVC", "GCSCheck"]),
    group("SYNC", &[Ppc], "Fences of PPC: SYNC (hwsync), LWSYNC, ISYNC, EIEIO.", &["LWSYNC", "ISYNC", "EIEIO"]),
    set("SYNC", &[Mips], "SYNC fences."),
    group("MFENCE", &[X86, X86_64], "Fences of x86: MFENCE orders all accesses, SFENCE writes, LFENCE reads.", &["SFENCE", "LFENCE"]),
    group("UC", &[X86_64], "Accesses by memory type: uncached, write-combining, write-through, write-back (the default).", &["WC", "WT", "WB"]),
    group("ClFlush", &[X86_64], "Cache flushes.", &["ClFlushOpt"]),
    group("Acq", &[RiscV], "Accesses by annotation, exclusive of each other: .aq, .rl, .aq.rl, and both on lr/sc.", &["Rel", "AcqRel", "Sc"]),
    group("Fence.*", &[RiscV], "Fences by what they order before and after: `Fence.rw.w` is `fence rw,w`; `Fence.tso`; `Fence.i` for instructions.", &[
        "Fence.r.r", "Fence.r.w", "Fence.r.rw", "Fence.w.r", "Fence.w.w", "Fence.w.rw", "Fence.rw.r", "Fence.rw.w", "Fence.rw.rw", "Fence.tso", "Fence.i"]),

    // C and LISA.
    set("A", &[C], "Atomic accesses: those with a memory order."),
    set("NA", &[C], "Everything that is not atomic: fences and initial writes, too."),
    group("RLX", &[C], "Events by memory order: relaxed, acquire, release, acquire-release, sequentially consistent, consume.", &[
        "ACQ", "REL", "ACQ_REL", "SC", "CON"]),
    set("annot", &[C], "Events that carry an annotation."),
    group("LK", &[C], "Locks: lock, its read and its write, successful and failed tries, unlock; reading the state of a lock.", &[
        "LKR", "LKW", "LS", "LF", "UL", "RL", "RU"]),
    group("lkmm-once", &[C], "Programs under the kernel's model: accesses by mark (READ_ONCE, acquire, release, fully ordered, without a value, races not reported), fences, RCU.", &[
        "lkmm-acquire", "lkmm-release", "lkmm-mb", "lkmm-noreturn", "lkmm-rmb", "lkmm-wmb", "lkmm-before-atomic", "lkmm-after-atomic", "lkmm-after-spinlock", "lkmm-after-unlock-lock", "lkmm-rcu-lock",
        "lkmm-rcu-unlock", "lkmm-sync-rcu", "lkmm-srcu-lock-0", "lkmm-srcu-unlock-0", "lkmm-srcu-lock-1", "lkmm-srcu-unlock-1", "lkmm-sync-srcu", "lkmm-after-srcu-read-unlock", "lkmm-data-race"]),
    set("Ftotal", &[Lisa], "Fences without label sets."),
];

/// What the library defines.
#[rustfmt::skip]
const LIBRARY: &[Name] = &[
    // stdlib.cat.
    lib("emptyset", Sort::Set, "The empty set of events."),
    lib("po-loc", Sort::Relation, "Program order on one location: `po & loc`."),
    lib("rfe", Sort::Relation, "Reads-from between threads: `rf & ext`."),
    lib("rfi", Sort::Relation, "Reads-from inside a thread: `rf & int`."),
    lib("co0", Sort::Relation, "What coherence must contain: on each location the initial write first, the final write last."),
    lib("lxsx", Sort::Relation, "From an exclusive read to the next exclusive write of its thread, with no exclusive access between."),
    lib("amo", Sort::Relation, "From the read to the write of one single-instruction atomic."),
    lib("rmw", Sort::Relation, "Read-modify-writes: `lxsx | amo`."),
    lib("fencerel", Sort::Function, "`fencerel(S)`: program order through an event of S."),
    lib("ctrlcfence", Sort::Function, "`ctrlcfence(S)`: control dependency with an event of S behind the branch."),
    lib("toid", Sort::Function, "`toid(S)`: identity on S, the same as `[S]`."),
    lib("imply", Sort::Function, "`imply(a, b)`: the complement of a, or b."),
    lib("nodetour", Sort::Function, "`nodetour(a, b, c)`: a without `b ; c`."),
    lib("singlestep", Sort::Function, "`singlestep(r)`: r without what a longer path of r gives."),
    lib("udr", Sort::Function, "`udr(r)`: domain and range of r together."),
    lib("map", Sort::Function, "`map f S`: f of each element of S."),
    lib("partition", Sort::Function, "The same as `classes-loc`."),
    lib("tag2instrs", Sort::Function, "The same as `tag2events`."),
    lib("NDATA", Sort::Set, "The same as `ADDR`."),
    lib("PoD", Sort::Set, "The same as `B`."),
    lib("BR", Sort::Set, "The same as `B`."),
    lib("inv-field", Sort::Relation, "Empty where page tables are not modelled."),
    lib("PTE", Sort::Set, "Accesses to page-table entries (variant `vmsa`); empty elsewhere."),
    lib("subseteq", Sort::Procedure, "`call subseteq(a, b)`: checks that a is included in b."),
    lib("inclusion", Sort::Procedure, "`call inclusion(a, b)`: the same for relations."),
    lib("total", Sort::Procedure, "`call total(r, S)`: checks that r is total on S."),

    // cos.cat.
    cos("co", "Coherence: for each location a total order of its writes, the initial one first. Every choice that the model allows is an \
               execution of its own."),
    cos("coi", "Coherence inside a thread: `co & int`."),
    cos("coe", "Coherence between threads: `co & ext`."),
    cos("fr", "From-reads: from a read to every write that is coherence-after the one it reads from, `rf^-1 ; co`."),
    cos("fri", "From-reads inside a thread: `fr & int`."),
    cos("fre", "From-reads between threads: `fr & ext`."),
    cos("ca", "Coherence-after: `fr | co`."),
    cos("invrf", "The inverse of reads-from."),
];
