//! Programs as the explorer sees them: micro-operations over registers and memory cells.
//!
//! An instruction set (or C) translates each instruction to a short list of [`Op`]s over
//! temporaries. Temporaries are local to one executed instruction instance and carry, besides a
//! value, the events that the value comes from: `iico_data` is exactly that flow. Everything that
//! a model can see of an instruction (register events, `iico_*`, ports, annotations) is written
//! down here; nothing here knows an instruction set.

pub(crate) mod control;
mod conventions;
mod eval;
mod fault;
mod features;
pub(crate) mod fences;
pub mod floats;
mod machine;
mod ops;
pub mod print;
mod pte;
mod scopes;
pub mod shapes;
mod show;
pub(crate) mod signature;
mod table;
pub(crate) mod threads;
mod uses;
mod value;

pub use conventions::{CellSizes, Conventions};
pub use eval::{IllegalOp, eval_binary, eval_unary, wrap};
pub use fault::{Fault, FaultPattern, Faults};
pub use features::{Features, Mixed, OnFault};
pub use machine::Machine;
pub use ops::{
    AccessSize, Awaited, BinOp, BranchKind, Content, Extra, FETCH, FETCH_TEMPORARIES, LOOP_CUT, Op, Port,
    Property, Resume, SetName, Storage, Target, Tmp, UnOp, WRITE_BACK,
};
pub use pte::{Attrs, Managed, Oa, Pte, Walk, Walked};
pub use scopes::ScopeTree;
pub use show::{format_value, push_value};
pub use signature::{Assumptions, Key};
pub use table::{Location, RegTable, Space, Type};
pub use uses::{AddressParts, Uses, addresses, any_op, each_op, head_of_looks};
pub use value::{LocId, Reg, Sym, Value};

use crate::diag::Diagnostic;
use crate::source::Span;

/// A whole test, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// How its events are read.
    pub conventions: &'static Conventions,
    /// Width of a register in bits: integers are kept as signed numbers of that width.
    pub bits: u32,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Register names (of all threads; C locals too).
    pub regs: RegTable,
    /// Symbols (globals): an address is a symbol plus a byte offset.
    pub symbols: Vec<String>,
    /// Memory cells: one per scalar global, one per element of an array.
    pub locations: Vec<Location>,
    /// Initial values of registers: (thread, register, value). Others are 0.
    pub init_regs: Vec<(usize, Reg, Value)>,
    /// Instructions that are values, as they are shown.
    pub instructions: Vec<String>,
    /// Those that must not be modified while they may be run.
    pub restricted: Vec<u16>,
    /// Instructions that are cells of memory.
    pub code_cells: Vec<CodeCell>,
    /// What the test asks about faults.
    pub faults: Faults,
    /// The extensions that it is run with.
    pub features: Features,
    /// Declared types of registers (thread, register): they decide how a value is printed.
    pub reg_types: Vec<(usize, Reg, Type)>,
    /// What the machine has besides: page tables, tags.
    pub machine: Machine,
    /// Numbers of any value of which only some are tried, by place: what holds of these need not hold of all.
    pub samples: Vec<Span>,
    /// What was supposed of the program though nobody says so, as warnings.
    pub supposed: Vec<Diagnostic>,
    /// Cells of static objects that atomic accesses have made as large as they are.
    pub pinned: Vec<(Sym, i64)>,
}

/// An instruction that is a cell of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeCell {
    /// The thread whose code it is.
    pub thread: u16,
    /// Its index there.
    pub pc: u16,
    /// The symbol of the cell: its label, or that of its page.
    pub sym: Sym,
    /// Where it lies from there, in bytes.
    pub offset: i64,
}

/// One thread: a list of instructions. The index of an instruction is its program counter.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The instructions, in program order.
    pub code: Vec<Instr>,
    /// Labels: name and the index of the instruction that follows it.
    pub labels: Vec<(String, usize)>,
    /// Where its fault handler starts, if it has one: code that follows its own.
    pub handler: Option<usize>,
    /// Where its code goes on with the next page of memory (`.pagealign`).
    pub aligned: Vec<Aligned>,
    /// Names from the program header (`P0:a,b`): sets holding every event of the thread.
    pub annotations: Vec<String>,
    /// Does it run from the start, or only when another thread spawns it?
    pub start: Start,
    /// The register that holds its result when it has ended.
    pub result: Option<Reg>,
    /// May it end by itself where the end of `main` would be the end of the program (`pthread_exit`)?
    pub exits: bool,
}

/// Bytes of a page of code.
pub const PAGE: usize = 4096;

/// A place where code goes on with the next page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aligned {
    /// The program counter there.
    pub pc: usize,
    /// Does a jump stand there, over the rest of a page? Where a page begins anyway there is none.
    pub padded: bool,
    /// How many labels stand before.
    pub labels: usize,
}

impl Thread {
    /// Where an instruction lies from the start of the thread's code, in bytes.
    pub fn address(&self, pc: usize) -> usize {
        let (mut start, mut base) = (0, 0);
        for jump in self.aligned.iter().filter(|aligned| aligned.padded && aligned.pc < pc) {
            base = (base + 4 * (jump.pc - start)).next_multiple_of(PAGE);
            start = jump.pc + 1;
        }
        base + 4 * (pc - start)
    }
}

/// When a thread's code is run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Start {
    /// From the start, once: the threads of a litmus test, `main` of a program.
    #[default]
    Alone,
    /// Each time that it is spawned.
    Spawned,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    /// Canonical text, as herd7 prints it; what the test's hash is made of, and what graphs show.
    pub text: String,
    /// Where it stands in the test.
    pub span: Span,
    /// What it does.
    pub ops: Vec<Op>,
}

impl Program {
    /// A program with nothing in it yet.
    pub fn empty(conventions: &'static Conventions, bits: u32) -> Program {
        Program {
            conventions,
            bits,
            threads: Vec::new(),
            regs: RegTable::default(),
            symbols: Vec::new(),
            locations: Vec::new(),
            init_regs: Vec::new(),
            reg_types: Vec::new(),
            instructions: Vec::new(),
            restricted: Vec::new(),
            code_cells: Vec::new(),
            faults: Default::default(),
            features: Default::default(),
            machine: Default::default(),
            samples: Vec::new(),
            supposed: Vec::new(),
            pinned: Vec::new(),
        }
    }

    /// The memory cell at an address, if there is one.
    pub fn location_at(&self, sym: Sym, offset: i64) -> Option<LocId> {
        self.cell_in(Space::Data, sym, offset)
    }

    fn cell_in(&self, space: Space, sym: Sym, offset: i64) -> Option<LocId> {
        self.locations
            .iter()
            .position(|l| l.space == space && l.sym == sym && l.offset == offset)
            .map(|index| LocId(index as u16))
    }

    /// The memory cell that a value is the address of. Where there are page tables, virtual addresses are of none.
    pub fn cell_of(&self, value: Value) -> Option<LocId> {
        match value {
            Value::Addr { sym, offset } if self.machine.tables.is_none() => self.location_at(sym, offset),
            Value::Phys { sym, offset } => self.location_at(sym, offset),
            Value::PteAddr(sym) => self.cell_in(Space::Pte, sym, 0),
            Value::TableAddr(sym) => self.cell_in(Space::Table, sym, 0),
            Value::TagAddr { sym, offset } => self.cell_in(Space::Tag, sym, offset),
            _ => None,
        }
    }

    /// Has the granule at that offset of a symbol a tag?
    pub fn has_tag(&self, sym: Sym, offset: i64) -> bool {
        self.cell_in(Space::Tag, sym, offset).is_some()
    }

    /// The address of a cell, as accesses reach it.
    pub fn address_of(&self, cell: &Location) -> Value {
        let (sym, offset) = (cell.sym, cell.offset);
        match cell.space {
            Space::Data if self.machine.tables.is_some() => Value::Phys { sym, offset },
            Space::Data => Value::Addr { sym, offset },
            Space::Pte => Value::PteAddr(sym),
            Space::Table => Value::TableAddr(sym),
            Space::Tag => Value::TagAddr { sym, offset },
        }
    }

    /// The name of a symbol.
    pub fn symbol(&self, sym: Sym) -> &str {
        self.symbols.get(sym.0 as usize).map_or("?", String::as_str)
    }

    /// The name of a tag.
    pub fn tag(&self, tag: u16) -> &str {
        self.machine.tags.get(usize::from(tag)).map_or("?", String::as_str)
    }

    /// A value as the user writes it.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            Value::Addr { sym, offset } => moved(self.symbol(sym).to_string(), offset),
            Value::Phys { sym, offset } => moved(format!("PA({})", self.symbol(sym)), offset),
            Value::PteAddr(sym) => format!("PTE({})", self.symbol(sym)),
            Value::TableAddr(sym) => format!("PTE(PTE({}))", self.symbol(sym)),
            Value::Page(sym) => format!("TLB({})", self.symbol(sym)),
            Value::Pte(pte) => pte.show(self),
            Value::Translated(None) => "(parel1_t:(f:1))".to_string(),
            Value::Translated(Some((sym, offset))) => {
                format!("(parel1_t:(oa:{}))", self.show(Value::Phys { sym, offset }))
            }
            Value::Tagged { sym, tag, offset } => {
                moved(format!("{}:{}", self.symbol(sym), self.tag(tag)), offset)
            }
            Value::Signed { of, field } => signature::show(of, field, self),
            Value::Tag(tag) => format!(":{}", self.tag(tag)),
            Value::TagAddr { sym, offset } => {
                format!("tag({})", moved(self.symbol(sym).to_string(), offset))
            }
            Value::Instr(number) => match self.instructions.get(usize::from(number)).map(String::as_str) {
                Some("NOP") => "NOP".to_string(),
                text => format!("instr:\"{}\"", text.unwrap_or("?")),
            },
            Value::Code { thread, pc } => match self.label_at(thread.into(), pc.into()) {
                Some(label) => format!("P{thread}:{label}"),
                None => self.code_number(thread.into(), pc.into()).to_string(),
            },
        }
    }

    /// The value of an instruction.
    pub fn instruction(&mut self, text: &str) -> Value {
        let known = self.instructions.iter().position(|known| known == text);
        let number = known.unwrap_or_else(|| {
            self.instructions.push(text.to_string());
            self.instructions.len() - 1
        });
        Value::Instr(number as u16)
    }

    /// The cell that an instruction is.
    pub fn code_cell(&self, thread: u16, pc: u16) -> Option<CodeCell> {
        self.code_cells.iter().find(|cell| (cell.thread, cell.pc) == (thread, pc)).copied()
    }

    /// All labels of an instruction, sorted.
    pub fn labels_at(&self, thread: usize, pc: usize) -> Vec<String> {
        let labels = self.threads.get(thread).map_or(&[][..], |thread| &thread.labels);
        let mut here: Vec<String> =
            labels.iter().filter(|(_, at)| *at == pc).map(|(name, _)| name.clone()).collect();
        here.sort();
        here
    }

    /// The number that stands for the address of an instruction without a label.
    pub fn code_number(&self, thread: usize, pc: usize) -> usize {
        let base = 100_000 * (thread + 1);
        let Some(thread) = self.threads.get(thread) else { return base + 4 * pc };
        match thread.handler {
            Some(handler) if pc >= handler => base + 1000 + 4 * (pc - handler),
            _ => base + thread.address(pc),
        }
    }

    /// What a place that is jumped to is called.
    pub fn target_name(&self, (thread, pc): control::CodeAt) -> String {
        let (thread, pc) = (usize::from(thread), pc as usize);
        self.label_at(thread, pc)
            .map_or_else(|| format!("##{}", self.code_number(thread, pc)), str::to_string)
    }

    /// A label of an instruction, if it has one.
    pub fn label_at(&self, thread: usize, pc: usize) -> Option<&str> {
        let labels = &self.threads.get(thread)?.labels;
        labels.iter().filter(|(_, at)| *at == pc).map(|(name, _)| name.as_str()).min()
    }
}

/// An address with its offset.
fn moved(base: String, offset: i64) -> String {
    if offset == 0 { base } else { format!("{base}{offset:+}") }
}
