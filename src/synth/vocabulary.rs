//! What each architecture has to keep accesses in order: fences to put between them, and stronger forms of the accesses themselves. Data,
//! weakest first.

use crate::arch::ArchId;

/// A fence instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fence {
    /// As it is written in a test.
    pub text: &'static str,
    /// What it costs, compared with others of its architecture.
    pub cost: u32,
}

/// A stronger form of an access: the start of the instruction, and what stands in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stronger {
    /// How the plain access starts.
    pub plain: &'static str,
    /// How the stronger one does.
    pub strong: &'static str,
    /// What it costs.
    pub cost: u32,
}

/// What a test of one kind can be repaired with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// Fences, the strongest last.
    pub fences: &'static [Fence],
    /// Stronger accesses.
    pub accesses: &'static [Stronger],
}

const fn fence(text: &'static str, cost: u32) -> Fence {
    Fence { text, cost }
}

const fn stronger(plain: &'static str, strong: &'static str, cost: u32) -> Stronger {
    Stronger { plain, strong, cost }
}

const X86: Vocabulary = Vocabulary { fences: &[fence("MFENCE", 10)], accesses: &[] };

const AARCH64: Vocabulary = Vocabulary {
    fences: &[fence("DMB ISHST", 4), fence("DMB ISHLD", 4), fence("DMB ISH", 6)],
    accesses: &[stronger("LDR ", "LDAR ", 3), stronger("STR ", "STLR ", 3)],
};

const ARM: Vocabulary = Vocabulary { fences: &[fence("DMB ST", 4), fence("DMB", 6)], accesses: &[] };

const PPC: Vocabulary = Vocabulary { fences: &[fence("lwsync", 5), fence("sync", 10)], accesses: &[] };

const MIPS: Vocabulary = Vocabulary { fences: &[fence("sync", 10)], accesses: &[] };

const RISCV: Vocabulary = Vocabulary {
    fences: &[
        fence("fence w,w", 3),
        fence("fence r,r", 3),
        fence("fence r,rw", 4),
        fence("fence rw,w", 4),
        fence("fence.tso", 5),
        fence("fence rw,rw", 8),
    ],
    accesses: &[],
};

const C11: Vocabulary = Vocabulary {
    fences: &[
        fence("atomic_thread_fence(memory_order_acquire);", 4),
        fence("atomic_thread_fence(memory_order_release);", 4),
        fence("atomic_thread_fence(memory_order_seq_cst);", 10),
    ],
    accesses: &[
        stronger("memory_order_relaxed", "memory_order_acquire", 2),
        stronger("memory_order_relaxed", "memory_order_release", 2),
        stronger("memory_order_relaxed", "memory_order_seq_cst", 5),
        stronger("memory_order_acquire", "memory_order_seq_cst", 5),
        stronger("memory_order_release", "memory_order_seq_cst", 5),
    ],
};

const KERNEL: Vocabulary = Vocabulary {
    fences: &[fence("smp_wmb();", 3), fence("smp_rmb();", 3), fence("smp_mb();", 10)],
    accesses: &[
        stronger("READ_ONCE(*", "smp_load_acquire((", 2),
        stronger("WRITE_ONCE(*", "smp_store_release((", 2),
    ],
};

/// The vocabulary of an architecture; C tests that use the kernel's functions have those of the kernel. `None`: there is none.
pub fn vocabulary(arch: ArchId, text: &str) -> Option<Vocabulary> {
    Some(match arch {
        ArchId::X86 | ArchId::X86_64 => X86,
        ArchId::AArch64 => AARCH64,
        ArchId::Arm => ARM,
        ArchId::Ppc => PPC,
        ArchId::Mips => MIPS,
        ArchId::RiscV => RISCV,
        ArchId::C if text.contains("READ_ONCE") || text.contains("WRITE_ONCE") || text.contains("smp_") => {
            KERNEL
        }
        ArchId::C => C11,
        _ => return None,
    })
}
