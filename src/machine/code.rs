//! Micro-operations laid out flat: one list of instructions per thread, with jumps, and temporaries and registers as slots.
//!
//! The machine stops before every operation that another thread can notice (a *visible* one) and at every jump backwards, so that
//! loops are cycles among its states. Everything else runs through.

use super::System;
use super::awaits::targets;
use super::layout::lay_out;
use super::transitions::Transition;
use crate::diag::Diagnostic;
use crate::program::{
    BinOp, Instr, Op, Program, Property, Reg, Start, Storage, Sym, Tmp, UnOp, Value, any_op,
};

/// A place for a value in a thread: a register or a temporary.
pub(super) type Slot = u16;

/// What a fence does to the writes that wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FenceKind {
    /// Nothing.
    None,
    /// Later writes do not overtake earlier ones.
    Stores,
    /// All writes must have landed.
    Full,
}

/// One instruction of the machine.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Const {
        dst: Slot,
        value: Value,
    },
    Copy {
        dst: Slot,
        src: Slot,
    },
    Unary {
        dst: Slot,
        op: UnOp,
        a: Slot,
    },
    Binary {
        dst: Slot,
        op: BinOp,
        a: Slot,
        b: Slot,
    },
    /// `locked`: it begins an instruction that is done in one step.
    Load {
        dst: Slot,
        addr: Slot,
        locked: bool,
    },
    Store {
        addr: Slot,
        value: Slot,
    },
    /// Reads into `dst`, runs `ops`, writes `update`: in one step, with nothing waiting.
    Rmw {
        dst: Slot,
        addr: Slot,
        ops: Vec<Code>,
        update: Slot,
    },
    CompareExchange {
        dst: Slot,
        addr: Slot,
        expected: Slot,
        desired: Slot,
    },
    Fence(FenceKind),
    /// Goes on at the given place if the slot holds 0.
    IfZero {
        cond: Slot,
        to: usize,
    },
    Goto {
        to: usize,
    },
    /// Goes on at any of these places.
    Choice {
        to: Vec<usize>,
    },
    /// Waits until the slot is not 0: nothing that it depends on can change any more, so the thread is stuck for good.
    Assume {
        cond: Slot,
    },
    Assert {
        cond: Slot,
        property: Property,
    },
    Nondet {
        dst: Slot,
        low: i128,
        high: i128,
    },
    /// Starts a thread: the first of those with these numbers that has not been started.
    Spawn {
        dst: Slot,
        first: usize,
        copies: usize,
        args: Vec<(Slot, Slot)>,
    },
    Join {
        thread: Slot,
        dst: Option<Slot>,
    },
    /// A new object, all 0: the one of this place.
    Object {
        dst: Slot,
        sym: Sym,
    },
    Free {
        addr: Slot,
    },
    /// The process is in a state: one of these, if its guard holds.
    Transitions(Vec<Transition>),
    Stop,
}

impl Code {
    /// May another thread notice, or may there be several ways on?
    pub(super) fn is_visible(&self) -> bool {
        !matches!(
            self,
            Code::Const { .. }
                | Code::Copy { .. }
                | Code::Unary { .. }
                | Code::Binary { .. }
                | Code::IfZero { .. }
                | Code::Goto { .. }
                | Code::Fence(FenceKind::None)
        )
    }

    pub(super) fn slots(&self, reads: &mut Vec<Slot>, writes: &mut Vec<Slot>) {
        match self {
            Code::Const { dst, .. } | Code::Nondet { dst, .. } | Code::Object { dst, .. } => {
                writes.push(*dst)
            }
            Code::Free { addr } => reads.push(*addr),
            Code::Copy { dst, src: a } | Code::Unary { dst, a, .. } | Code::Load { dst, addr: a, .. } => {
                reads.push(*a);
                writes.push(*dst);
            }
            Code::Binary { dst, a, b, .. } => {
                reads.extend([*a, *b]);
                writes.push(*dst);
            }
            Code::Store { addr, value } => reads.extend([*addr, *value]),
            Code::Rmw { dst, addr, ops, update } => {
                reads.extend([*addr, *update]);
                // What its own operations make is not needed before.
                let mut own = vec![*dst];
                for op in ops {
                    let (mut r, mut w) = (Vec::new(), Vec::new());
                    op.slots(&mut r, &mut w);
                    reads.extend(r.into_iter().filter(|slot| !own.contains(slot)));
                    own.extend(w);
                }
                reads.retain(|slot| *slot == *addr || !own.contains(slot));
                writes.extend(own);
            }
            Code::CompareExchange { dst, addr, expected, desired } => {
                reads.extend([*addr, *expected, *desired]);
                writes.push(*dst);
            }
            Code::IfZero { cond, .. } | Code::Assume { cond } | Code::Assert { cond, .. } => {
                reads.push(*cond)
            }
            Code::Spawn { dst, args, .. } => {
                reads.extend(args.iter().map(|(_, from)| *from));
                writes.push(*dst);
            }
            Code::Join { thread, dst } => {
                reads.push(*thread);
                writes.extend(*dst);
            }
            Code::Fence(_) | Code::Goto { .. } | Code::Choice { .. } | Code::Transitions(_) | Code::Stop => {}
        }
    }

    pub(super) fn targets(&self, at: usize, next: &mut Vec<usize>) {
        match self {
            Code::Goto { to } => next.push(*to),
            Code::IfZero { to, .. } => next.extend([at + 1, *to]),
            Code::Choice { to } => next.extend(to),
            Code::Transitions(list) => next.extend(list.iter().map(|transition| transition.to)),
            Code::Stop => {}
            _ => next.push(at + 1),
        }
    }
}

/// The code of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadCode {
    /// The instructions.
    pub code: Vec<Code>,
    /// Which instruction of the program each belongs to.
    pub of: Vec<u32>,
    /// Where each instruction of the program begins; one more for the end.
    pub starts: Vec<usize>,
    /// Number of slots: registers of the program first, then temporaries.
    pub n_slots: usize,
    /// Does the machine stop before this instruction?
    pub stops: Vec<bool>,
    /// Slots whose values matter before each instruction.
    pub live: Vec<Vec<bool>>,
    /// Does it run from the start?
    pub from_start: bool,
    /// The slot of its result.
    pub result: Option<Slot>,
    /// Where it begins.
    pub first: usize,
}

/// All threads of a program: one per thread that runs by itself, then one for every place that spawns.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// The threads of the machine.
    pub threads: Vec<ThreadCode>,
    /// Which thread of the program each runs.
    pub source: Vec<usize>,
    /// The places that make objects: each has one at a time, with a symbol after those of the program.
    pub objects: Vec<Storage>,
}

/// What a user looks at: labels where the machine must stop, registers whose values must be kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    /// Thread and instruction of the program.
    pub places: Vec<(usize, usize)>,
    /// Thread and register.
    pub registers: Vec<(usize, Reg)>,
}

/// Lays out a program; automata are laid out already.
pub(super) fn compile(system: &System, watched: &Watched) -> Result<Compiled, Diagnostic> {
    if let Some(compiled) = &system.compiled {
        return Ok(compiled.clone());
    }
    let program = &system.program;
    let mut compiled = Compiled { threads: Vec::new(), source: from_start(program), objects: Vec::new() };
    let mut at = 0;
    while let Some(number) = compiled.source.get(at).copied() {
        if compiled.source.len() > MAX_THREADS {
            return Err(Diagnostic::unsupported(
                "machine::threads",
                format!("more than {MAX_THREADS} threads, or threads that start themselves"),
            ));
        }
        let thread = &program.threads[number];
        let code = lay_out(program, at, thread, &mut compiled.source, &mut compiled.objects, watched)?;
        compiled.threads.push(code);
        at += 1;
    }
    Ok(compiled)
}

/// The threads of the program that run from the start.
fn from_start(program: &Program) -> Vec<usize> {
    let alone = |number: &usize| program.threads[*number].start == Start::Alone;
    (0..program.threads.len()).filter(alone).collect()
}

/// Which thread of the program each thread of the machine runs: those that run from the start, then one for each place that starts one, or
/// [`COPIES`] if the place is in a loop.
pub(super) fn threads(program: &Program) -> Vec<usize> {
    fn spawned(ops: &[Op], copies: usize, source: &mut Vec<usize>) {
        for op in ops {
            match op {
                Op::Spawn { code, .. } => source.extend(std::iter::repeat_n(*code, copies)),
                Op::If { then, otherwise, .. } => {
                    spawned(then, copies, source);
                    spawned(otherwise, copies, source);
                }
                Op::Choice { branches } => branches.iter().for_each(|branch| spawned(branch, copies, source)),
                _ => {}
            }
        }
    }
    let mut source = from_start(program);
    let mut at = 0;
    while at < source.len() && source.len() <= MAX_THREADS {
        let code = &program.threads[source[at]].code;
        for (index, instruction) in code.iter().enumerate() {
            // Few start any, and how many is a question to all that follow.
            if any_op(&instruction.ops, |op| matches!(op, Op::Spawn { .. })) {
                spawned(&instruction.ops, copies(code, index), &mut source);
            }
        }
        at += 1;
    }
    source
}

/// So many threads can be started at one place of a loop.
pub(super) const COPIES: usize = 4;

/// How many threads an instruction may start.
pub(super) fn copies(code: &[Instr], index: usize) -> usize {
    let mut jumps = Vec::new();
    let goes_back = |instr: &Instr| {
        jumps.clear();
        targets(&instr.ops, &mut jumps);
        jumps.iter().any(|target| *target <= index)
    };
    if code[index..].iter().any(goes_back) { COPIES } else { 1 }
}

/// The writes of a program that may wait: thread, instruction, and the cell where it is known without running it.
pub(super) fn writes(system: &System) -> Vec<(usize, usize, Option<usize>)> {
    let program = &system.program;
    let mut all = Vec::new();
    if let Some(compiled) = &system.compiled {
        for (thread, code) in compiled.threads.iter().enumerate() {
            let lists = code.code.iter().filter_map(|code| match code {
                Code::Transitions(list) => Some(list),
                _ => None,
            });
            for transition in lists.flatten() {
                for effect in transition.effects.iter().filter(|effect| !effect.to.own) {
                    // An element that is known only at run time is any.
                    let cell = effect.to.index.is_none().then_some(usize::from(effect.to.base));
                    all.push((thread, transition.instruction, cell));
                }
            }
        }
        return all;
    }
    for (thread, of) in program.threads.iter().enumerate() {
        let writing =
            of.code.iter().enumerate().filter(|(_, instruction)| instruction.ops.iter().any(is_write));
        all.extend(writing.map(|(at, instruction)| (thread, at, written_cell(program, thread, instruction))));
    }
    all
}

/// Is it a write that may wait?
fn is_write(op: &Op) -> bool {
    match op {
        Op::Store { .. } => true,
        Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_write),
        _ => false,
    }
}

/// The cell that an instruction writes, where that is known without running it.
fn written_cell(program: &Program, thread: usize, instruction: &Instr) -> Option<usize> {
    let mut known: Vec<(Tmp, Value)> = Vec::new();
    for op in &instruction.ops {
        match op {
            Op::Const { dst, value } => known.push((*dst, *value)),
            Op::ReadReg { dst, reg, .. } => {
                let init = program.init_regs.iter().find(|(of, known, _)| *of == thread && known == reg);
                known.extend(init.map(|(_, _, value)| (*dst, *value)));
            }
            Op::Store { addr, .. } => {
                let (_, value) = known.iter().rev().find(|(tmp, _)| tmp == addr)?;
                return program.cell_of(*value).map(|cell| usize::from(cell.0));
            }
            _ => {}
        }
    }
    None
}

/// More threads than this are refused.
const MAX_THREADS: usize = 30;
