//! Instruction sets: one folder each, all of the same shape.
//!
//! An [`Isa`] knows its registers, parses one program cell, and translates it to micro-ops. It knows
//! nothing of models beyond the names of the event sets that its events belong to.

pub(crate) mod aarch64;
pub(crate) mod arm;
pub(crate) mod bpf;
pub(crate) mod build;
pub mod c;
pub(crate) mod errors;
pub(crate) mod extensions;
pub(crate) mod lisa;
pub(crate) mod mips;
pub(crate) mod operands;
pub(crate) mod ppc;
pub(crate) mod riscv;
pub(crate) mod scan;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod x86;
pub(crate) mod x86_64;

use std::sync::OnceLock;

use crate::diag::Diagnostic;
use crate::program::{CellSizes, Conventions, Features, Instr, Op, Reg, RegTable, Sym, Tmp, Value};
use crate::source::Span;

/// The architectures of litmus tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum ArchId {
    X86,
    X86_64,
    Ppc,
    Arm,
    AArch64,
    RiscV,
    Mips,
    Bpf,
    Lisa,
    C,
}

impl ArchId {
    /// All of them.
    pub const ALL: [ArchId; 10] = [
        ArchId::X86,
        ArchId::X86_64,
        ArchId::Ppc,
        ArchId::Arm,
        ArchId::AArch64,
        ArchId::RiscV,
        ArchId::Mips,
        ArchId::Bpf,
        ArchId::Lisa,
        ArchId::C,
    ];

    /// The word that opens a test of this architecture.
    pub fn name(self) -> &'static str {
        match self {
            ArchId::X86 => "X86",
            ArchId::X86_64 => "X86_64",
            ArchId::Ppc => "PPC",
            ArchId::Arm => "ARM",
            ArchId::AArch64 => "AArch64",
            ArchId::RiscV => "RISCV",
            ArchId::Mips => "MIPS",
            ArchId::Bpf => "BPF",
            ArchId::Lisa => "LISA",
            ArchId::C => "C",
        }
    }

    /// From the opening word of a test.
    pub fn parse(word: &str) -> Option<ArchId> {
        match word {
            "Bell" => Some(ArchId::Lisa),
            _ => ArchId::ALL.into_iter().find(|arch| arch.name() == word),
        }
    }
}

/// Sets of every machine architecture, often empty.
pub const MACHINE_SETS: &[&str] =
    &["T", "GCS", "TLBI", "no-loc", "CutOff", "FAULT", "FAULT-RD", "FAULT-WR", "EXC-ENTRY", "EXC-RET"];

/// How the events of an architecture's programs are read.
pub fn conventions(id: ArchId) -> &'static Conventions {
    static ALL: OnceLock<Vec<Conventions>> = OnceLock::new();
    &ALL.get_or_init(|| ArchId::ALL.into_iter().map(conventions_of).collect())[id as usize]
}

fn conventions_of(id: ArchId) -> Conventions {
    let Some(isa) = isa(id) else { return c::conventions() };
    let mut sets = isa.sets();
    if id != ArchId::Lisa {
        sets.extend(MACHINE_SETS.iter().map(|name| (*name).to_string()));
    }
    isa.conventions(Conventions {
        arch: id.name(),
        sets: sets.into_iter().collect(),
        one_event_rmw: false,
        non_atomics: false,
        po_inside: false,
        control_flows: false,
        follows_known_jumps: false,
        undefined_behaviour: false,
        sizes: CellSizes::Hidden,
    })
}

/// What the parser of one program column needs to know and to leave behind.
pub struct ColumnCx<'a> {
    /// The thread's number.
    pub thread: usize,
    /// Registers of the test, shared by all threads.
    pub regs: &'a mut RegTable,
    /// Symbols of the test: an instruction may name a global (`mov [x],$1`).
    pub symbols: &'a mut Vec<String>,
    /// Labels of this thread, with the program counter each stands for.
    pub labels: &'a [(String, usize)],
    /// The program counter of the instruction being parsed.
    pub pc: usize,
    /// Number of instructions in this column.
    pub length: usize,
    /// The extensions in force.
    pub features: &'a Features,
    /// Are labels shown as offsets from the instruction? An instruction that is data has no labels.
    pub relative: bool,
    /// Instructions of this column whose address the code takes, by program counter.
    pub addressed: &'a mut Vec<usize>,
    /// What the thread's machine has besides the base architecture.
    pub extensions: &'a extensions::Extensions,
}

impl ColumnCx<'_> {
    /// The address of the next instruction: where a call comes back to.
    pub fn next_address(&self) -> Value {
        Value::Code { thread: self.thread as u16, pc: (self.pc + 1) as u16 }
    }
}

/// The instruction set of an architecture; none for C, and for what is not there yet.
pub fn isa(id: ArchId) -> Option<&'static dyn Isa> {
    // Each instruction set adds its line here: `ArchId::X86 => Some(&x86::Isa)`.
    match id {
        ArchId::AArch64 => Some(&aarch64::AArch64),
        ArchId::RiscV => Some(&riscv::RiscV),
        ArchId::X86 => Some(&x86::X86),
        ArchId::X86_64 => Some(&x86_64::X86_64),
        ArchId::Ppc => Some(&ppc::Ppc),
        ArchId::Arm => Some(&arm::Arm),
        ArchId::Mips => Some(&mips::Mips),
        ArchId::Bpf => Some(&bpf::Bpf),
        ArchId::Lisa => Some(&lisa::Lisa),
        ArchId::C => None,
    }
}

/// One instruction set.
pub trait Isa: Sync {
    /// Which.
    fn id(&self) -> ArchId;

    /// Register width in bits.
    fn bits(&self) -> u32;

    /// The canonical name of a register as tests write it in `init` and conditions (without thread and `:`); aliases
    /// are accepted. `%name` (symbolic registers) never comes here: those keep their own name.
    fn register(&self, name: &str) -> Option<String>;

    /// Sort key of a register in a state line, by canonical name.
    fn register_order(&self, name: &str) -> u32;

    /// Parses one non-empty cell (labels already removed) and translates it.
    fn instruction(&self, cx: &mut ColumnCx, text: &str, span: Span) -> Result<Instr, Diagnostic>;

    /// What happens where an instruction was fetched that is none.
    fn undefined(&self, cx: &mut ColumnCx) -> Vec<Op> {
        let _ = cx;
        vec![Op::Stop]
    }

    /// Reads the word of the instruction at a virtual address into `word`.
    fn fetch(&self, cx: &mut ColumnCx, at: Value, word: Tmp, span: Span) -> Vec<Op> {
        let _ = (cx, at, word, span);
        Vec::new()
    }

    /// May the instruction not be overwritten, or written over another, while other threads run it?
    fn is_restricted(&self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// Can its instructions be cells of memory, and so values: overwritten, fetched, on a page of their own?
    fn has_code_in_memory(&self) -> bool {
        false
    }

    /// Names of the event sets that a model may use on this architecture besides those of every architecture.
    fn sets(&self) -> Vec<String>;

    /// How the events of its programs are read, where that is not `usual`.
    fn conventions(&self, usual: Conventions) -> Conventions {
        usual
    }

    /// The model that herd7 would take, by our name for it; empty if there is none.
    fn default_model(&self) -> &'static str;
}

/// Convenience for parsers: the register's id, by canonical name.
pub fn intern(isa: &dyn Isa, regs: &mut RegTable, name: &str) -> Option<Reg> {
    isa.register(name).map(|canonical| regs.intern(&canonical))
}

/// Convenience for parsers: the id of a symbol (a global) of the test, new or old.
pub fn symbol(cx: &mut ColumnCx, name: &str) -> Sym {
    let index = match cx.symbols.iter().position(|known| known == name) {
        Some(index) => index,
        None => {
            cx.symbols.push(name.to_string());
            cx.symbols.len() - 1
        }
    };
    Sym(index as u16)
}
