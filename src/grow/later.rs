//! What a thread may still do to memory from where it is on.
//!
//! A cell whose present content nobody will read is no part of a state: backwards through the code, as for registers, a cell that a thread writes on every way before it reads it does not count for this
//! thread, whatever others do in between, since these are asked for themselves. A thread that starts another may let it read whatever that one reads. Where an assumption of a thread fails, or at
//! its end, it reads nothing any more.
//!
//! A cell that no other thread will access is as good as a register. Who waits for others to end accesses nothing before they have: so many joins can be passed as there are threads to be joined.

use rustc_hash::FxHashMap;

use super::awaits::successors;
use super::cells::Cells;
use crate::program::{BinOp, Op, Program, Storage, Sym, Target, Thread, Tmp, Value, any_op};
use crate::relation::Set;

/// More joins than that are not told from all.
const JOINS: usize = 8;

/// By code and instruction: from inside it on.
pub(super) struct Later {
    /// The cells that may be read before they are written.
    reads: Vec<Vec<Set>>,
    /// The cells that may be accessed, with so many joins passed at most; the last ones: with any number.
    touches: Vec<Vec<Vec<Set>>>,
    /// May a thread be started?
    starts: Vec<Vec<bool>>,
    /// Of a place that is not known.
    all: Set,
}

/// What an instruction does to the cells that a program has from the start.
struct Summary {
    reads: Set,
    /// Written on every way through it.
    writes: Set,
    /// Read or written on some way.
    touches: Set,
    /// The code of threads that it starts.
    starts: Vec<usize>,
    joins: bool,
}

/// The code of a program, instruction by instruction.
struct Code {
    n_cells: usize,
    summaries: Vec<Vec<Summary>>,
    after: Vec<Vec<Vec<usize>>>,
}

impl Later {
    pub fn new(program: &Program, cells: &Cells) -> Later {
        let n_cells = cells.initial().len();
        let summaries =
            |thread: &Thread| thread.code.iter().map(|instr| Summary::of(&instr.ops, cells)).collect();
        let code = Code {
            n_cells,
            summaries: program.threads.iter().map(summaries).collect(),
            after: program.threads.iter().map(|thread| successors(thread, program.regs.len())).collect(),
        };
        let mut instrs = program.threads.iter().flat_map(|thread| &thread.code);
        // Whether an object is lost at the end is looked for in all of memory.
        let keeps =
            instrs.any(|instr| any_op(&instr.ops, |op| matches!(op, Op::Alloc { kind: Storage::Heap, .. })));
        let touched = code.touched();
        let starts = code.starting();
        Later {
            reads: if keeps { Vec::new() } else { code.read() },
            touches: touched,
            starts,
            all: Set::full(n_cells),
        }
    }

    /// The cells of which a thread may read what they hold now.
    pub fn reads(&self, code: usize, pc: usize) -> &Set {
        self.reads.get(code).and_then(|code| code.get(pc)).unwrap_or(&self.all)
    }

    /// The cells that a thread may access before it has waited for the end of more than so many others.
    pub fn touches(&self, code: usize, pc: usize, joins: usize) -> &Set {
        let may_start = self.starts.get(code).and_then(|code| code.get(pc)) != Some(&false);
        let joins = if may_start { JOINS } else { joins.min(JOINS) };
        self.touches[joins].get(code).and_then(|code| code.get(pc)).unwrap_or(&self.all)
    }
}

impl Code {
    /// Solves backwards: what holds before each instruction of each code, and at the ends, by `step` from what holds after it, until nothing is new.
    fn solve(&self, step: impl Fn(&[Vec<Set>], usize, usize) -> Set) -> Vec<Vec<Set>> {
        let mut before: Vec<Vec<Set>> =
            self.summaries.iter().map(|code| vec![Set::empty(self.n_cells); code.len() + 1]).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for code in 0..self.summaries.len() {
                for pc in (0..self.summaries[code].len()).rev() {
                    let now = step(&before, code, pc);
                    changed |= before[code][pc].union_with(&now);
                }
            }
        }
        before
    }

    fn each<T>(&self, of: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
        let codes = 0..self.summaries.len();
        codes.map(|code| (0..self.summaries[code].len()).map(|pc| of(code, pc)).collect()).collect()
    }

    /// What comes after an instruction.
    fn on(&self, before: &[Vec<Set>], code: usize, pc: usize) -> Set {
        let mut on = Set::empty(self.n_cells);
        for &to in &self.after[code][pc] {
            on.union_with(&before[code][to.min(self.summaries[code].len())]);
        }
        on
    }

    /// What an instruction does itself, or lets threads do that it starts.
    fn own(&self, own: &Set, before: &[Vec<Set>], code: usize, pc: usize) -> Set {
        let mut own = own.clone();
        for &other in &self.summaries[code][pc].starts {
            own.union_with(&before[other][0]);
        }
        own
    }

    fn read(&self) -> Vec<Vec<Set>> {
        let of = |code: usize, pc: usize| &self.summaries[code][pc];
        let before = self.solve(|before, code, pc| {
            let mut now = self.own(&of(code, pc).reads, before, code, pc);
            now.union_with(&self.on(before, code, pc).diff(&of(code, pc).writes));
            now
        });
        // In the middle of an instruction it may have written already what it reads again.
        self.each(|code, pc| {
            self.own(&of(code, pc).reads, &before, code, pc).union(&self.on(&before, code, pc))
        })
    }

    /// For each number of joins.
    fn touched(&self) -> Vec<Vec<Vec<Set>>> {
        let of = |code: usize, pc: usize| &self.summaries[code][pc];
        let all = self.solve(|before, code, pc| {
            self.own(&of(code, pc).touches, before, code, pc).union(&self.on(before, code, pc))
        });
        // Who is started does as much as it likes.
        let own = |code: usize, pc: usize| self.own(&of(code, pc).touches, &all, code, pc);
        let mut tables = Vec::new();
        // Before each instruction, with one join less.
        let mut less: Vec<Vec<Set>> =
            self.summaries.iter().map(|code| vec![Set::empty(self.n_cells); code.len() + 1]).collect();
        for _ in 0..JOINS {
            let step = |before: &[Vec<Set>], code: usize, pc: usize| {
                let after = if of(code, pc).joins { &less } else { before };
                own(code, pc).union(&self.on(after, code, pc))
            };
            let before = self.solve(step);
            tables.push(self.each(|code, pc| step(&before, code, pc)));
            less = before;
        }
        tables.push(self.each(|code, pc| own(code, pc).union(&self.on(&all, code, pc))));
        tables
    }

    /// From where a thread may be started.
    fn starting(&self) -> Vec<Vec<bool>> {
        let mut may: Vec<Vec<bool>> = self.each(|code, pc| !self.summaries[code][pc].starts.is_empty());
        let mut changed = true;
        while changed {
            changed = false;
            for (may, after) in may.iter_mut().zip(&self.after) {
                for (pc, after) in after.iter().enumerate().rev() {
                    let new = !may[pc] && after.iter().any(|&to| may.get(to) == Some(&true));
                    changed |= new;
                    may[pc] |= new;
                }
            }
        }
        may
    }
}

impl Summary {
    fn of(ops: &[Op], cells: &Cells) -> Summary {
        let none = Set::empty(cells.initial().len());
        let mut summary = Summary {
            reads: none.clone(),
            writes: none.clone(),
            touches: none,
            starts: Vec::new(),
            joins: false,
        };
        summary.visit(ops, true, cells, &mut FxHashMap::default());
        summary
    }

    /// `known`: what temporaries hold, where that is one thing on all ways.
    fn visit(&mut self, ops: &[Op], always: bool, cells: &Cells, known: &mut FxHashMap<Tmp, Option<Value>>) {
        for op in ops {
            if let Some((dst, value)) = computed(op, known) {
                known.entry(dst).and_modify(|held| *held = held.filter(|_| *held == value)).or_insert(value);
            }
            let cell = |addr: &Tmp| match known.get(addr).copied().flatten()? {
                Value::Addr { sym, offset } => static_cell(cells, sym, offset),
                _ => None,
            };
            match op {
                Op::Store { addr, .. } => match cell(addr) {
                    Some(cell) => {
                        self.touches.insert(cell);
                        if always {
                            self.writes.insert(cell);
                        }
                    }
                    None => self.touches = Set::full(self.touches.n()),
                },
                Op::Load { addr, .. } | Op::Rmw { addr, .. } | Op::CompareExchange { addr, .. } => {
                    match cell(addr) {
                        Some(cell) => {
                            self.reads.insert(cell);
                            self.touches.insert(cell);
                        }
                        None => self.does_anything(),
                    }
                }
                Op::Spawn { code, .. } => self.starts.push(*code),
                Op::Join { .. } => self.joins = true,
                // Accesses of other kinds, and places that the text does not tell.
                Op::Other { addr: Some(_), .. } | Op::Jump { target: Target::Indirect(_) } => {
                    self.does_anything()
                }
                Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
                    self.visit(then, false, cells, known);
                    self.visit(otherwise, false, cells, known);
                }
                Op::Collide { same, differ, .. } => {
                    self.visit(same, false, cells, known);
                    self.visit(differ, false, cells, known);
                }
                Op::Choice { branches } => {
                    branches.iter().for_each(|ops| self.visit(ops, false, cells, known))
                }
                _ => {}
            }
        }
    }

    fn does_anything(&mut self) {
        self.reads = Set::full(self.reads.n());
        self.touches = self.reads.clone();
    }
}

/// The cell at an address, if it was there from the start.
fn static_cell(cells: &Cells, sym: Sym, offset: i64) -> Option<usize> {
    cells.is_static(sym).then(|| cells.at(sym, offset)).flatten().map(usize::from)
}

/// What an operation puts into a temporary, if the text tells.
fn computed(op: &Op, known: &FxHashMap<Tmp, Option<Value>>) -> Option<(Tmp, Option<Value>)> {
    let of = |tmp: &Tmp| known.get(tmp).copied().flatten();
    Some(match op {
        Op::Const { dst, value } => (*dst, Some(*value)),
        Op::Taint { dst, a, .. } | Op::From { dst, a, .. } => (*dst, of(a)),
        Op::Binary { dst, op: BinOp::Add, a, b } => (*dst, of(a).zip(of(b)).and_then(|(a, b)| moved(a, b))),
        Op::Unary { dst, .. }
        | Op::Binary { dst, .. }
        | Op::ReadReg { dst, .. }
        | Op::ReadRegWith { dst, .. }
        | Op::Load { dst, .. }
        | Op::Rmw { dst, .. }
        | Op::CompareExchange { dst, .. }
        | Op::Alloc { dst, .. }
        | Op::Nondet { dst, .. }
        | Op::Spawn { dst, .. }
        | Op::Join { dst: Some(dst), .. } => (*dst, None),
        _ => return None,
    })
}

/// An address that is moved by a number.
fn moved(address: Value, by: Value) -> Option<Value> {
    let (Value::Addr { sym, offset }, Value::Int(by)) = (address, by) else { return None };
    Some(Value::Addr { sym, offset: offset.checked_add(i64::try_from(by).ok()?)? })
}
