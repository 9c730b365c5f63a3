//! What each architecture has to keep accesses in order: fences to put between them, stronger forms of the accesses themselves, and
//! dependencies of one on another. Data, weakest first; the one table for whoever changes programs.

use crate::arch::ArchId;

/// A fence instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fence {
    /// What a user calls it when it has a price.
    pub name: &'static str,
    /// As it is written in a test.
    pub text: &'static str,
    /// What it costs, compared with others of its architecture.
    pub cost: u32,
    /// Where it may stand.
    pub stands: Stands,
}

/// Where a fence may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stands {
    /// Before any access.
    Anywhere,
    /// Before something.
    Before(Near),
    /// After something.
    After(Near),
}

/// What a fence belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Near {
    /// A read-modify-write of the kernel.
    Atomic,
    /// A lock that is taken.
    Lock,
}

impl Near {
    /// Is a statement one of those?
    pub fn is(self, text: &str) -> bool {
        match self {
            Near::Atomic => {
                let other = ["atomic_read", "atomic_set"];
                text.contains("xchg")
                    || text
                        .match_indices("atomic_")
                        .any(|(at, _)| !other.iter().any(|o| text[at..].starts_with(o)))
            }
            Near::Lock => text.contains("spin_lock(") || text.contains("spin_trylock("),
        }
    }
}

/// How the stronger form of an access is made from its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// An instruction of another name, with the same operands.
    Mnemonic(&'static str, &'static str),
    /// These words become others.
    Words(&'static str, &'static str),
    /// A call that takes an object becomes one that takes its address.
    Address(&'static str, &'static str),
    /// What matches the first pattern becomes the second (see [`super::dependency::matched`]).
    Pattern(&'static str, &'static str),
    /// A move to memory becomes an exchange, from a register that nobody uses.
    Exchange,
}

/// A dependency of an access on an earlier read, made where there was none. `%s` is the register of the read (`%S`: its other name, with an X), `%a`
/// the base of the access, `%f` a register that nobody uses, `%l` a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// What a user calls it when it has a price.
    pub name: &'static str,
    /// Reads that it may depend on.
    pub read: &'static str,
    /// Accesses that may depend.
    pub accesses: &'static [&'static str],
    /// What goes before the access, a line each.
    pub lines: &'static str,
    /// What the access is then based on, and what labels it.
    pub base: Option<&'static str>,
    /// Does the label stand before the access itself?
    pub label: bool,
    /// Registers to choose from, if one is needed.
    pub free: &'static [&'static str],
    /// What it costs.
    pub cost: u32,
}

/// A stronger form of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stronger {
    /// What a user calls it when it has a price.
    pub name: &'static str,
    /// How it is written.
    pub form: Form,
    /// What it costs.
    pub cost: u32,
    /// What it adds: of two forms of one access, the one with all that both add stands for both.
    pub adds: u8,
    /// The text that stands for two forms of one access that add different things.
    pub joined: Option<&'static str>,
}

impl Stronger {
    /// Does the order fit the operation of C11 that it is written in? `before` and `after` are the text around it.
    pub(super) fn fits(&self, before: &str, after: &str) -> bool {
        if self.joined.is_none() {
            return true;
        }
        let call = before.rfind("atomic_").map_or("", |at| &before[at..]);
        let name = call.split('(').next().unwrap_or("");
        // The last order of a compare-exchange is that of its failure, a load.
        let failure =
            name.contains("compare_exchange") && !after.split(')').next().unwrap_or("").contains(',');
        match self.adds {
            ALL => true,
            ACQUIRE if name.contains("store") => false,
            RELEASE if name.contains("load") || failure => false,
            n if n == ACQUIRE | RELEASE => !(name.contains("load") || name.contains("store") || failure),
            _ => true,
        }
    }
}

/// What a test of one kind can be repaired with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// Fences, the strongest last.
    pub fences: &'static [Fence],
    /// Stronger accesses.
    pub accesses: &'static [Stronger],
    /// Dependencies.
    pub dependencies: &'static [Dependency],
}

const fn fence(name: &'static str, text: &'static str, cost: u32) -> Fence {
    Fence { name, text, cost, stands: Stands::Anywhere }
}

const fn near(name: &'static str, text: &'static str, cost: u32, stands: Stands) -> Fence {
    Fence { name, text, cost, stands }
}

/// The address of an access made to depend on a read: these lines make the new one in `%f`.
const fn addr(
    read: &'static str,
    accesses: &'static [&'static str],
    lines: &'static str,
    free: &'static [&'static str],
) -> Dependency {
    Dependency { name: "addr", read, accesses, lines, base: Some("%f"), label: false, free, cost: 1 }
}

/// A jump to an access, whatever was read.
const fn ctrl(read: &'static str, accesses: &'static [&'static str], lines: &'static str) -> Dependency {
    Dependency { name: "ctrl", read, accesses, lines, base: None, label: true, free: &[], cost: 1 }
}

/// A jump with a fence behind it that the access comes after.
const fn ctrl_fence(
    name: &'static str,
    read: &'static str,
    accesses: &'static [&'static str],
    lines: &'static str,
    cost: u32,
) -> Dependency {
    Dependency { name, read, accesses, lines, base: None, label: false, free: &[], cost }
}

const fn mnemonic(name: &'static str, plain: &'static str, strong: &'static str, cost: u32) -> Stronger {
    Stronger { name, form: Form::Mnemonic(plain, strong), cost, adds: ALL, joined: None }
}

const fn pattern(name: &'static str, plain: &'static str, strong: &'static str, cost: u32) -> Stronger {
    Stronger { name, form: Form::Pattern(plain, strong), cost, adds: ALL, joined: None }
}

const fn address(name: &'static str, plain: &'static str, strong: &'static str, cost: u32) -> Stronger {
    Stronger { name, form: Form::Address(plain, strong), cost, adds: ALL, joined: None }
}

const fn words(
    name: &'static str,
    plain: &'static str,
    strong: &'static str,
    cost: u32,
    adds: u8,
) -> Stronger {
    Stronger { name, form: Form::Words(plain, strong), cost, adds, joined: None }
}

/// A memory order of C11 instead of a weaker one.
const fn order(
    name: &'static str,
    plain: &'static str,
    strong: &'static str,
    cost: u32,
    adds: u8,
) -> Stronger {
    Stronger { joined: Some("memory_order_acq_rel"), ..words(name, plain, strong, cost, adds) }
}

const ACQUIRE: u8 = 1;
const RELEASE: u8 = 2;
const ALL: u8 = 7;

const X86: Vocabulary = Vocabulary {
    fences: &[fence("mfence", "MFENCE", 10)],
    accesses: &[Stronger { name: "xchg", form: Form::Exchange, cost: 8, adds: ALL, joined: None }],
    dependencies: &[],
};

const AARCH64: Vocabulary = Vocabulary {
    fences: &[
        fence("dmb.ishst", "DMB ISHST", 4),
        fence("dmb.ishld", "DMB ISHLD", 4),
        fence("dmb.ish", "DMB ISH", 6),
    ],
    accesses: &[
        Stronger { adds: ACQUIRE, ..mnemonic("ldapr", "LDR", "LDAPR", 2) },
        mnemonic("ldar", "LDR", "LDAR", 3),
        mnemonic("stlr", "STR", "STLR", 3),
    ],
    dependencies: &[
        addr(
            "LDR %s,[%_]",
            &["LDR %_,[%a]", "STR %_,[%a]"],
            "EOR %f,%S,%S\nADD %f,%a,%f",
            &["X19", "X20", "X21", "X22", "X23", "X24"],
        ),
        ctrl("LDR %s,[%_]", &["STR %_,[%a]"], "CBNZ %s,%l"),
        ctrl_fence("ctrl.isb", "LDR %s,[%_]", &["LDR %_,[%a]"], "CBNZ %s,%l\n%l: ISB", 5),
    ],
};

const ARM: Vocabulary = Vocabulary {
    fences: &[fence("dmb.st", "DMB ST", 4), fence("dmb", "DMB", 6)],
    accesses: &[mnemonic("lda", "LDR", "LDA", 3), mnemonic("stl", "STR", "STL", 3)],
    dependencies: &[
        addr(
            "LDR %s,[%_]",
            &["LDR %_,[%a]", "STR %_,[%a]"],
            "EOR %f,%s,%s\nADD %f,%a,%f",
            &["R7", "R8", "R9", "R10", "R11", "R12"],
        ),
        ctrl("LDR %s,[%_]", &["STR %_,[%a]"], "CMP %s,%s\nBNE %l"),
        ctrl_fence("ctrl.isb", "LDR %s,[%_]", &["LDR %_,[%a]"], "CMP %s,%s\nBNE %l\n%l: ISB", 5),
    ],
};

const PPC: Vocabulary = Vocabulary {
    fences: &[fence("eieio", "eieio", 4), fence("lwsync", "lwsync", 5), fence("sync", "sync", 10)],
    accesses: &[],
    dependencies: &[
        addr(
            "lwz %s,0(%_)",
            &["lwz %_,0(%a)", "stw %_,0(%a)"],
            "xor %f,%s,%s\nadd %f,%f,%a",
            &["r20", "r21", "r22", "r23", "r24", "r25"],
        ),
        ctrl("lwz %s,0(%_)", &["stw %_,0(%a)"], "cmpw %s,%s\nbeq %l"),
        ctrl_fence("ctrl.isync", "lwz %s,0(%_)", &["lwz %_,0(%a)"], "cmpw %s,%s\nbeq %l\n%l: isync", 3),
    ],
};

const MIPS: Vocabulary =
    Vocabulary { fences: &[fence("sync", "sync", 10)], accesses: &[], dependencies: &[] };

const RISCV: Vocabulary = Vocabulary {
    fences: &[
        fence("fence.w.w", "fence w,w", 3),
        fence("fence.r.r", "fence r,r", 3),
        fence("fence.r.w", "fence r,w", 3),
        fence("fence.r.rw", "fence r,rw", 4),
        fence("fence.rw.w", "fence rw,w", 4),
        fence("fence.tso", "fence.tso", 5),
        fence("fence.w.r", "fence w,r", 7),
        fence("fence.rw.rw", "fence rw,rw", 8),
    ],
    accesses: &[
        pattern("aq", "lw %r,0(%a)", "lr.w.aq %r,(%a)", 5),
        pattern("rl", "sw %r,0(%a)", "amoswap.w.rl x0,%r,(%a)", 6),
    ],
    dependencies: &[
        addr(
            "lw %s,0(%_)",
            &["lw %_,0(%a)", "sw %_,0(%a)"],
            "xor %f,%s,%s\nadd %f,%f,%a",
            &["x20", "x21", "x22", "x23", "x24", "x25"],
        ),
        ctrl("lw %s,0(%_)", &["sw %_,0(%a)"], "bne %s,%s,%l"),
    ],
};

const C11_FENCES: &[Fence] = &[
    fence("fence.acquire", "atomic_thread_fence(memory_order_acquire);", 4),
    fence("fence.release", "atomic_thread_fence(memory_order_release);", 4),
    fence("fence.seq_cst", "atomic_thread_fence(memory_order_seq_cst);", 10),
];

const C11: Vocabulary = Vocabulary {
    fences: C11_FENCES,
    accesses: &[
        order("acquire", "memory_order_relaxed", "memory_order_acquire", 2, ACQUIRE),
        order("release", "memory_order_relaxed", "memory_order_release", 2, RELEASE),
        order("acq_rel", "memory_order_relaxed", "memory_order_acq_rel", 4, ACQUIRE | RELEASE),
        order("seq_cst", "memory_order_relaxed", "memory_order_seq_cst", 5, ALL),
        order("seq_cst", "memory_order_acquire", "memory_order_seq_cst", 5, ALL),
        order("seq_cst", "memory_order_release", "memory_order_seq_cst", 5, ALL),
    ],
    dependencies: &[],
};

/// `smp_store_mb` is `WRITE_ONCE` and `smp_mb`: it is found as the two.
const KERNEL: Vocabulary = Vocabulary {
    fences: &[
        fence("smp_wmb", "smp_wmb();", 3),
        fence("smp_rmb", "smp_rmb();", 3),
        near("smp_mb__after_unlock_lock", "smp_mb__after_unlock_lock();", 6, Stands::After(Near::Lock)),
        near("smp_mb__after_spinlock", "smp_mb__after_spinlock();", 7, Stands::After(Near::Lock)),
        near("smp_mb__before_atomic", "smp_mb__before_atomic();", 8, Stands::Before(Near::Atomic)),
        near("smp_mb__after_atomic", "smp_mb__after_atomic();", 8, Stands::After(Near::Atomic)),
        fence("smp_mb", "smp_mb();", 10),
    ],
    accesses: &[
        address("smp_load_acquire", "READ_ONCE", "smp_load_acquire", 2),
        address("smp_store_release", "WRITE_ONCE", "smp_store_release", 2),
        words("atomic_read_acquire", "atomic_read(", "atomic_read_acquire(", 2, ALL),
        words("atomic_set_release", "atomic_set(", "atomic_set_release(", 2, ALL),
        value("acquire", "_acquire(", 2, ACQUIRE),
        value("release", "_release(", 2, RELEASE),
        value("full", "(", 4, ALL),
    ],
    dependencies: &[],
};

/// The order of an operation of the kernel that gives a value. There is none between acquire and release, and full.
const fn value(name: &'static str, strong: &'static str, cost: u32, adds: u8) -> Stronger {
    Stronger { joined: Some("("), ..words(name, "_relaxed(", strong, cost, adds) }
}

/// Programs in C that know nothing of C11: what every compiler has for them.
const SYNC: Vocabulary =
    Vocabulary { fences: &[fence("sync", "__sync_synchronize();", 10)], accesses: &[], dependencies: &[] };

/// The vocabulary of an architecture; C tests that use the kernel's functions have those of the kernel. `None`: there is none.
pub fn vocabulary(arch: ArchId, text: &str) -> Option<Vocabulary> {
    Some(match arch {
        ArchId::X86 | ArchId::X86_64 => X86,
        ArchId::AArch64 => AARCH64,
        ArchId::Arm => ARM,
        ArchId::Ppc => PPC,
        ArchId::Mips => MIPS,
        ArchId::RiscV => RISCV,
        ArchId::C if of_the_kernel(text) => KERNEL,
        ArchId::C => C11,
        _ => return None,
    })
}

/// The vocabulary of a program in C.
pub fn of_program(text: &str) -> Vocabulary {
    match text.contains("stdatomic.h") {
        true => C11,
        false if of_the_kernel(text) => KERNEL,
        false => SYNC,
    }
}

/// Does a text in C call functions that only the kernel has?
fn of_the_kernel(text: &str) -> bool {
    let calls = [
        "READ_ONCE(",
        "WRITE_ONCE(",
        "smp_",
        "spin_lock(",
        "rcu_read_lock(",
        "atomic_inc(",
        "atomic_read(",
        "atomic_set(",
    ];
    calls.iter().any(|call| text.contains(call))
}

/// Every name that a price can be given to.
pub fn names() -> Vec<&'static str> {
    let all = [X86, AARCH64, ARM, PPC, MIPS, RISCV, C11, KERNEL, SYNC];
    let mut names: Vec<&str> = Vec::from([ATOMIC]);
    for vocabulary in all {
        names.extend(vocabulary.fences.iter().map(|fence| fence.name));
        names.extend(vocabulary.accesses.iter().map(|access| access.name));
        names.extend(vocabulary.dependencies.iter().map(|dependency| dependency.name));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The name of a write that does not wait in a buffer: the one change of the machine with store buffers itself.
pub const ATOMIC: &str = "atomic";
