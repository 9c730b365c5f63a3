//! Loads that a later store may overtake.
//!
//! Executions that grow have no cycle of program order and `rf`; such a cycle goes through a load and a later store of its thread that overtakes it. Where the program's own
//! conditions, dependencies and fences order each load before every later store of its thread, or other threads cannot close the cycle by the cells that they access, there is none, and
//! the answer holds for all executions.

use rustc_hash::FxHashMap;

use super::addresses::{Addresses, Cell, Cells};
use crate::execution::EventKind;
use crate::grow::{Keeps, Shape};
use crate::limits;
use crate::machine;
use crate::program::threads::LOCK;
use crate::program::{Awaited, Instr, Op, Program, Reg, SetName, Tmp, any_op, each_op};
use crate::source::Span;

/// A load with a later store of its thread that nothing of the program orders after it, if other threads can close the cycle: what was stored leads, by loads and later stores
/// of theirs in whatever order these are, to a store into the cell that was loaded.
pub(super) fn overtaken(program: &Program, keeps: Option<&Keeps>) -> Option<Span> {
    found(program, Round::Any, keeps)
}

/// Likewise, if what the machine keeps of program order may lead round as well, where all of it but the order of accesses to one cell and of one instruction is known to be refuted: between load and
/// store, the thread accesses some cell twice, or updates one, or waits for what it has read.
pub(super) fn overtaken_by_cells(program: &Program) -> Option<Span> {
    found(program, Round::ByCells, None)
}

/// What a load and a later store may be related by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Any,
    ByCells,
}

fn found(program: &Program, round: Round, keeps: Option<&Keeps>) -> Option<Span> {
    let addresses = Addresses::of(program);
    let codes: Vec<Code> = (0..program.threads.len())
        .map(|code| Code { pairs: pairs(program, code, &addresses), often: started(program, code) > 1 })
        .collect();
    let mut loads = (0..codes.len())
        .flat_map(|code| relaxed(program, code, &addresses).into_iter().map(move |load| (code, load)));
    loads.find_map(|(code, load)| {
        let stores = overtaking(program, code, &load, round, (&addresses, keeps));
        let closes = |store: &Stored| leads(*store, (code, load.cell), &codes, round);
        stores.iter().any(closes).then(|| program.threads[code].code[load.pc].span)
    })
}

/// What threads that run some code may pass on.
struct Code {
    pairs: Vec<Pair>,
    /// May several threads run it?
    often: bool,
}

/// A store: where to, and does it take a lock?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Stored {
    cell: Cell,
    takes: bool,
}

/// A load and a later store of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    loaded: Cell,
    /// Does the thread wait until the lock that it looks at is free? What comes later comes only after it has seen it free.
    waits: bool,
    stored: Stored,
}

impl Pair {
    /// May the load read what was stored, and the thread go on?
    fn follows(&self, stored: Stored) -> bool {
        self.loaded.may_be(stored.cell) && !(self.waits && stored.takes)
    }
}

/// Does a write of a thread lead to a write into a cell that it has loaded, by other threads that load and then store? Where there is a cycle of program order and `rf`, there is one that goes
/// through each thread once; one of `rf` and what the machine keeps of program order may come through a thread again.
fn leads(from: Stored, (own, to): (usize, Cell), codes: &[Code], round: Round) -> bool {
    let again = |code: usize| round == Round::ByCells || codes[code].often || code >= u64::BITS as usize;
    // Where it has come to, and by which threads that run their code alone.
    let mut reached = vec![(from, if again(own) { 0 } else { 1u64 << own })];
    let mut next = 0;
    while let Some((stored, through)) = reached.get(next).copied() {
        limits::poll();
        next += 1;
        for (code, Code { pairs, .. }) in codes.iter().enumerate() {
            let bit = if again(code) { 0 } else { 1 << code };
            if through & bit != 0 {
                continue;
            }
            for Pair { stored, .. } in pairs.iter().filter(|pair| pair.follows(stored)) {
                if stored.cell.may_be(to) {
                    return true;
                }
                if !reached.contains(&(*stored, through | bit)) {
                    reached.push((*stored, through | bit));
                }
            }
        }
    }
    false
}

/// Each load with each later store. A load and a store of one cell are in order by themselves.
fn pairs(program: &Program, code: usize, addresses: &Addresses) -> Vec<Pair> {
    let mut loads: Vec<(usize, Cell, bool)> = Vec::new();
    let mut stores: Vec<(usize, Stored)> = Vec::new();
    let instrs = &program.threads[code].code;
    for (pc, instr) in instrs.iter().enumerate() {
        let cells = addresses.cells(code, pc, instr);
        let awaits = any_op(&instr.ops, |op| matches!(op, Op::Await { what: Awaited::Library, .. }));
        each_op(&instr.ops, &mut |op| {
            let waits = |sets: &[SetName]| awaits && takes(sets);
            let stored = |cell: Cell, sets: &[SetName]| Stored { cell, takes: takes(sets) };
            match op {
                Op::Load { addr, size, sets, .. } => loads.push((pc, cells.of(*addr, *size), waits(sets))),
                Op::Store { addr, size, sets, .. } => stores.push((pc, stored(cells.of(*addr, *size), sets))),
                Op::Rmw { addr, size, sets, .. } | Op::CompareExchange { addr, size, sets, .. } => {
                    let cell = cells.of(*addr, *size);
                    loads.push((pc, cell, waits(sets)));
                    stores.push((pc, stored(cell, sets)));
                }
                _ => {}
            }
        });
    }
    let mut pairs = Vec::new();
    for &(load, loaded, waits) in &loads {
        let reached = reached(instrs, load);
        let later = stores.iter().filter(|(store, _)| load == *store || reached[*store]);
        let later = later.map(|(_, stored)| Pair { loaded, waits, stored: *stored });
        pairs.extend(later.filter(|pair| pair.loaded.may_differ(pair.stored.cell)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn takes(sets: &[SetName]) -> bool {
    sets.iter().any(|set| set == LOCK)
}

/// How many threads may run that code, as far as one or many matters.
pub(super) fn started(program: &Program, code: usize) -> usize {
    let mut times = 0;
    for thread in &program.threads {
        let last_back = thread.code.iter().enumerate().rev().find(|(pc, instr)| goes_back(&instr.ops, *pc));
        for (pc, instr) in thread.code.iter().enumerate() {
            let mut here = 0;
            each_op(&instr.ops, &mut |op| {
                here += usize::from(matches!(op, Op::Spawn { code: of, .. } if *of == code));
            });
            // One that is started in a loop is started often.
            let in_loop = last_back.is_some_and(|(last, _)| pc <= last);
            times += if in_loop { 2 * here } else { here };
        }
    }
    times.max(1)
}

/// A relaxed load: its instruction, its place among the operations there, what it loads into, and where from.
struct Load {
    pc: usize,
    at: usize,
    dst: Tmp,
    cell: Cell,
}

/// The relaxed loads of a thread.
fn relaxed(program: &Program, code: usize, addresses: &Addresses) -> Vec<Load> {
    let instrs = &program.threads[code].code;
    let mut loads = Vec::new();
    for (pc, instr) in instrs.iter().enumerate() {
        let mut ops = Vec::new();
        each_op(&instr.ops, &mut |op| ops.push(op));
        for (at, op) in ops.iter().enumerate() {
            let (Op::Load { dst, addr, size, sets, .. }
            | Op::Rmw { dst, addr, size, sets, .. }
            | Op::CompareExchange { dst, addr, size, sets, .. }) = op
            else {
                continue;
            };
            if is_relaxed(sets) {
                loads.push(Load {
                    pc,
                    at,
                    dst: *dst,
                    cell: addresses.cells(code, pc, instr).of(*addr, *size),
                });
            }
        }
    }
    loads
}

/// Different ways to one place that are told apart; more are taken for one on which less is known.
const WAYS: usize = 16;

/// What hangs on the load where a way has come to: where less does, more may overtake it.
#[derive(Clone, Default)]
struct Way {
    /// Registers that hold what comes from it.
    regs: Vec<Reg>,
    /// Conditions that were remembered since, by number, the latest last (the kernel's control is structured).
    saved: Vec<u32>,
    /// A condition that hangs on it is in force, and came into force when so many were remembered.
    guard: Option<usize>,
    /// The cells accessed since, the one of the load first, and was one accessed twice, or more done with one?
    cells: Vec<Cell>,
    twice: bool,
    /// May the thread have written to the cell of the load since, but for the update that the load belongs to?
    written: bool,
}

impl Way {
    fn has_less(&self, other: &Way) -> bool {
        let met = self.twice || !other.twice && other.cells.iter().all(|cell| self.cells.contains(cell));
        met && (self.written || !other.written) && self.hangs_less(other)
    }

    /// An access.
    fn meets(&mut self, cell: Cell) {
        self.twice |= self.cells.iter().any(|other| other.may_be(cell));
        if !self.cells.contains(&cell) {
            self.cells.push(cell);
        }
    }

    fn hangs_less(&self, other: &Way) -> bool {
        let control = self.guard.is_none() && self.saved.is_empty()
            || self.saved == other.saved && (self.guard.is_none() || self.guard == other.guard);
        control && self.regs.iter().all(|reg| other.regs.contains(reg))
    }

    /// What hangs on the load on all of these ways, too.
    fn meet(&mut self, ways: &[Way]) {
        self.regs.retain(|reg| ways.iter().all(|way| way.regs.contains(reg)));
        (self.saved, self.guard) = (Vec::new(), None);
        // What is accessed on any of them.
        for way in ways {
            self.twice |= way.twice;
            self.written |= way.written;
            for cell in &way.cells {
                if !self.cells.contains(cell) {
                    self.cells.push(*cell);
                }
            }
        }
    }

    fn save(&mut self, id: u32) {
        // An older one of that number is gone: conditions in force stay so.
        if let Some(at) = self.saved.iter().position(|saved| *saved == id) {
            self.saved.truncate(at);
            self.guard = self.guard.map(|since| since.min(at));
        }
        self.saved.push(id);
    }

    fn restore(&mut self, id: u32) {
        let Some(at) = self.saved.iter().position(|saved| *saved == id) else {
            (self.saved, self.guard) = (Vec::new(), None);
            return;
        };
        self.saved.truncate(at);
        // What came into force after it was remembered is so no more.
        self.guard = self.guard.filter(|since| *since <= at);
    }
}

/// Goes on from a load, on all ways: stores that do not hang on it.
fn overtaking(
    program: &Program,
    code: usize,
    load: &Load,
    round: Round,
    (addresses, keeps): (&Addresses, Option<&Keeps>),
) -> Vec<Stored> {
    let instrs = &program.threads[code].code;
    let mut stores: Vec<Stored> = Vec::new();
    let mut seen: FxHashMap<usize, Vec<Way>> = FxHashMap::default();
    // The first instruction is gone through from the load on, with what was read in its temporary.
    let first = Way { cells: vec![load.cell], twice: round == Round::Any, ..Way::default() };
    let mut open = vec![(load.pc, first, Some((load.at, load.dst)))];
    while let Some((pc, mut way, start)) = open.pop() {
        limits::poll();
        let Some(instr) = instrs.get(pc) else { continue };
        if start.is_none() {
            let ways = seen.entry(pc).or_default();
            if ways.len() >= WAYS {
                way.meet(ways);
            }
            if ways.iter().any(|known| known.has_less(&way)) {
                continue;
            }
            ways.retain(|known| !way.has_less(known));
            ways.push(way.clone());
        }
        let mut met = Vec::new();
        let cells = addresses.cells(code, pc, instr);
        let again =
            |sets: &[SetName]| keeps.is_some_and(|keeps| reads_again(instrs, code, load, sets, keeps));
        if start.is_none() && !way.written && is_read_again(instr, load.cell, &cells, &again) {
            continue;
        }
        let order = after(instr, &mut way, start, &mut met, &cells);
        let own = start.is_some();
        way.written |= writes_beside(instr, load.cell, &cells, own);
        for store in met {
            if way.twice && store.cell.may_differ(load.cell) && !stores.contains(&store) {
                stores.push(store);
            }
        }
        if order {
            continue;
        }
        way.regs.sort_unstable();
        open.extend(followers(instr, pc).into_iter().map(|pc| (pc, way.clone(), None)));
    }
    stores
}

/// Does an instruction read the very cell of the load, in one of its accesses, so that all it does later comes after the load?
fn is_read_again(instr: &Instr, cell: Cell, cells: &Cells<'_>, again: &impl Fn(&[SetName]) -> bool) -> bool {
    // What is done in any case: a failed exchange is a read of another kind.
    let own = instr.ops.iter().any(|op| match op {
        Op::Load { addr, size, sets, .. } => !cells.of(*addr, *size).may_differ(cell) && again(sets),
        _ => false,
    });
    own && !cell.may_differ(cell)
}

/// Does the model keep a load before all that comes after a read of these sets that reads the same cell again?
fn reads_again(instrs: &[Instr], code: usize, load: &Load, sets: &[SetName], keeps: &Keeps) -> bool {
    let thread = Some(code as u16);
    let mut ops = Vec::new();
    each_op(&instrs[load.pc].ops, &mut |op| ops.push(op));
    let Some(Op::Load { sets: own, .. }) = ops.get(load.at) else { return false };
    let read = |sets| Shape { kind: EventKind::Read, thread, sets };
    let writes: Vec<Shape> = ops
        .iter()
        .filter_map(|op| match op {
            Op::Store { sets, .. } => Some(Shape { kind: EventKind::Write, thread, sets }),
            _ => None,
        })
        .collect();
    match writes[..] {
        [] => keeps.rereads(&read(own), None, &read(sets)),
        [write] => keeps.rereads(&read(own), Some(&write), &read(sets)),
        _ => false,
    }
}

/// May an instruction write to the cell of the load, unless that is its own update?
fn writes_beside(instr: &Instr, cell: Cell, cells: &Cells<'_>, own: bool) -> bool {
    any_op(&instr.ops, |op| match op {
        Op::Store { sets, .. } if own && sets.iter().any(|set| set == "X") => false,
        Op::Store { addr, size, .. }
        | Op::Rmw { addr, size, .. }
        | Op::CompareExchange { addr, size, .. } => cells.of(*addr, *size).may_be(cell),
        _ => false,
    })
}

/// Goes through an instruction after a load. Stores that may overtake it are added to those met; does everything that follows come after it?
fn after(
    instr: &Instr,
    way: &mut Way,
    start: Option<(usize, Tmp)>,
    met: &mut Vec<Stored>,
    cells: &Cells<'_>,
) -> bool {
    let mut tmps: Vec<Tmp> = start.iter().map(|(_, dst)| *dst).collect();
    let mut ops = Vec::new();
    each_op(&instr.ops, &mut |op| ops.push(op));
    // The accesses of one instruction stay together.
    let accesses = ops.iter().filter(|op| {
        matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. })
    });
    let updates = |op: &&Op| matches!(op, Op::Store { sets, .. } if sets.iter().any(|set| set == "X"));
    let own = if start.is_some() && ops.iter().copied().any(|op| updates(&op)) { 2 } else { 1 };
    way.twice |= accesses.count() > own;
    // Conditions that are being evaluated: do they hang on the load?
    let mut conditions: Vec<bool> = Vec::new();
    for op in ops.into_iter().skip(start.map_or(0, |(at, _)| at + 1)) {
        let hangs = |tmp: &Tmp| tmps.contains(tmp);
        match op {
            // The write of the update that the load belongs to comes right after it.
            Op::Store { sets, .. } if start.is_some() && sets.iter().any(|set| set == "X") => {}
            Op::Load { addr, size, .. } | Op::Store { addr, size, .. } => way.meets(cells.of(*addr, *size)),
            Op::Rmw { .. }
            | Op::CompareExchange { .. }
            | Op::Nondet { .. }
            | Op::Choice { .. }
            | Op::Conditional { .. } => way.twice = true,
            Op::Assume { cond } | Op::Await { cond, .. } | Op::If { cond, .. } => way.twice |= hangs(cond),
            Op::Alloc { size: of, .. } | Op::Free { addr: of, .. } | Op::Reserve { addr: of, .. } => {
                way.twice |= hangs(of);
            }
            _ => {}
        }
        match op {
            Op::CondBegin => conditions.push(false),
            Op::CondEnd => {
                let hung = conditions.pop() == Some(true);
                way.guard = way.guard.or(hung.then_some(way.saved.len()));
            }
            Op::ControlSave { id } => way.save(*id),
            Op::ControlRestore { id } => way.restore(*id),
            Op::Branch { cond: Some(cond), .. } if hangs(cond) => return true,
            Op::Fence { sets, .. } if is_full(sets) => return true,
            Op::Spawn { .. } | Op::Join { .. } => return true,
            Op::Load { sets, .. } if sets.iter().any(|set| set == "lkmm-mb") => return true,
            Op::Unary { dst, a, .. } if hangs(a) => tmps.push(*dst),
            Op::Binary { dst, a, b, .. } if hangs(a) || hangs(b) => tmps.push(*dst),
            Op::Taint { dst, a, also } if hangs(a) || also.iter().any(hangs) => tmps.push(*dst),
            Op::WriteReg { reg, src, .. } => {
                let kept = hangs(src);
                way.regs.retain(|other| other != reg);
                if kept {
                    way.regs.push(*reg);
                }
            }
            Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. } if way.regs.contains(reg) => {
                tmps.push(*dst);
                conditions.iter_mut().for_each(|condition| *condition = true);
            }
            // What a condition guards comes after what it looked at.
            Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } if way.guard.is_some() => {}
            Op::Store { addr, value, size, sets, .. } => {
                // The write of the read-modify-write itself is its own.
                let own = start.is_some() && sets.iter().any(|set| set == "X");
                if !releases(sets) && !hangs(addr) && !hangs(value) && !own {
                    met.push(Stored { cell: cells.of(*addr, *size), takes: takes(sets) });
                }
            }
            Op::Rmw { addr, size, sets, .. } | Op::CompareExchange { addr, size, sets, .. }
                if !releases(sets) && !hangs(addr) =>
            {
                met.push(Stored { cell: cells.of(*addr, *size), takes: takes(sets) });
            }
            _ => {}
        }
    }
    false
}

fn is_relaxed(sets: &[SetName]) -> bool {
    sets.iter().any(|set| set == "RLX")
}

/// Does everything before a write of these sets come before it?
fn releases(sets: &[SetName]) -> bool {
    sets.iter().any(|set| {
        matches!(&**set, "L" | "Rel" | "AcqRel" | "REL" | "ACQ_REL" | "SC" | "lkmm-release" | "lkmm-mb")
    })
}

/// Does a fence order loads before stores? Every fence of the machines does; the kernel has some that do not.
fn is_full(sets: &[SetName]) -> bool {
    sets.iter().all(|set| !set.starts_with("lkmm-") || matches!(&**set, "lkmm-mb" | "lkmm-sync-rcu"))
}

/// Where an instruction may jump to.
fn jumps(ops: &[Op]) -> Vec<usize> {
    let mut to = Vec::new();
    machine::targets(ops, &mut to);
    to
}

/// Where control may go on to.
pub(super) fn followers(instr: &Instr, pc: usize) -> Vec<usize> {
    let mut next = jumps(&instr.ops);
    if !instr.ops.iter().any(|op| matches!(op, Op::Goto { .. } | Op::Jump { .. } | Op::Stop)) {
        next.push(pc + 1);
    }
    next
}

/// The instructions that control may come to after one.
pub(super) fn reached(code: &[Instr], from: usize) -> Vec<bool> {
    limits::poll();
    let mut reached = vec![false; code.len()];
    let mut open = vec![from];
    while let Some(pc) = open.pop() {
        for to in followers(&code[pc], pc) {
            if to < code.len() && !reached[to] {
                reached[to] = true;
                open.push(to);
            }
        }
    }
    reached
}

fn goes_back(ops: &[Op], pc: usize) -> bool {
    jumps(ops).into_iter().any(|to| to <= pc)
}
