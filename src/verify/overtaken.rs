//! Loads that a later store may overtake.
//!
//! Executions that grow have no cycle of program order and `rf`; such a cycle goes through a load and a later store of its thread that overtakes it. Where the program's own
//! conditions, dependencies and fences order each load before every later store of its thread, or other threads cannot close the cycle by the cells that they access, there is none, and
//! the answer holds for all executions.

use rustc_hash::FxHashMap;

use super::addresses::{Addresses, Cell};
use crate::limits;
use crate::machine;
use crate::program::{Instr, Op, Program, Reg, SetName, Tmp, each_op};
use crate::source::Span;

/// A load with a later store of its thread that nothing of the program orders after it, if other threads can close the cycle: what was stored leads, by loads and later stores
/// of theirs in whatever order these are, to a store into the cell that was loaded.
pub(super) fn overtaken(program: &Program) -> Option<Span> {
    let pairs: Vec<Vec<(Cell, Cell)>> = program.threads.iter().map(|thread| pairs(&thread.code)).collect();
    let often: Vec<bool> = (0..pairs.len()).map(|code| started(program, code) > 1).collect();
    let mut loads =
        (0..pairs.len()).flat_map(|code| relaxed(program, code).into_iter().map(move |l| (code, l)));
    loads.find_map(|(code, load)| {
        // The code of one thread may be run by several.
        let others = (0..pairs.len()).filter(|other| *other != code || often[code]);
        let others: Vec<(Cell, Cell)> = others.flat_map(|other| pairs[other].iter().copied()).collect();
        let stores = overtaking(program, code, &load);
        let closes = |store: &Cell| leads(*store, load.cell, &others);
        stores.iter().any(closes).then(|| program.threads[code].code[load.pc].span)
    })
}

/// Does a write into one cell lead to a write into another, by threads that load and then store?
fn leads(from: Cell, to: Cell, pairs: &[(Cell, Cell)]) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(cell) = reached.get(next).copied() {
        limits::poll();
        next += 1;
        for (_, stored) in pairs.iter().filter(|(loaded, _)| loaded.may_be(cell)) {
            if stored.may_be(to) {
                return true;
            }
            if !reached.contains(stored) {
                reached.push(*stored);
            }
        }
    }
    false
}

/// Each cell that is loaded, with each that is stored to later. A load and a store of one cell are in order by themselves.
fn pairs(code: &[Instr]) -> Vec<(Cell, Cell)> {
    let addresses = Addresses::of(code);
    let mut loads: Vec<(usize, Cell)> = Vec::new();
    let mut stores: Vec<(usize, Cell)> = Vec::new();
    let mut goes_round = false;
    for (pc, instr) in code.iter().enumerate() {
        let cells = addresses.cells(instr);
        each_op(&instr.ops, &mut |op| match op {
            Op::Load { addr, .. } => loads.push((pc, cells.of(*addr))),
            Op::Store { addr, .. } => stores.push((pc, cells.of(*addr))),
            Op::Rmw { addr, .. } | Op::CompareExchange { addr, .. } => {
                loads.push((pc, cells.of(*addr)));
                stores.push((pc, cells.of(*addr)));
            }
            _ => {}
        });
        goes_round |= goes_back(&instr.ops, pc);
    }
    let mut pairs = Vec::new();
    for (load, from) in &loads {
        let later = stores.iter().filter(|(store, _)| goes_round || load <= store);
        pairs.extend(later.map(|(_, to)| (*from, *to)).filter(|(from, to)| from.may_differ(*to)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// How many threads may run that code, as far as one or many matters.
fn started(program: &Program, code: usize) -> usize {
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
fn relaxed(program: &Program, code: usize) -> Vec<Load> {
    let instrs = &program.threads[code].code;
    let addresses = Addresses::of(instrs);
    let mut loads = Vec::new();
    for (pc, instr) in instrs.iter().enumerate() {
        let mut ops = Vec::new();
        each_op(&instr.ops, &mut |op| ops.push(op));
        for (at, op) in ops.iter().enumerate() {
            let (Op::Load { dst, addr, sets, .. }
            | Op::Rmw { dst, addr, sets, .. }
            | Op::CompareExchange { dst, addr, sets, .. }) = op
            else {
                continue;
            };
            if is_relaxed(sets) {
                loads.push(Load { pc, at, dst: *dst, cell: addresses.cells(instr).of(*addr) });
            }
        }
    }
    loads
}

/// Different ways to one place that are told apart; more are taken for one on which less is known.
const WAYS: usize = 16;

/// Goes on from a load, on all ways: the cells of stores that do not hang on it.
fn overtaking(program: &Program, code: usize, load: &Load) -> Vec<Cell> {
    let instrs = &program.threads[code].code;
    let addresses = Addresses::of(instrs);
    let mut stores: Vec<Cell> = Vec::new();
    // What hung on the load when a place was come to: where less does, more may overtake it.
    let mut seen: FxHashMap<usize, Vec<Vec<Reg>>> = FxHashMap::default();
    // The first instruction is gone through from the load on, with what was read in its temporary.
    let mut open = vec![(load.pc, Vec::new(), Some((load.at, load.dst)))];
    while let Some((pc, mut regs, start)) = open.pop() {
        limits::poll();
        let Some(instr) = instrs.get(pc) else { continue };
        if start.is_none() {
            let ways = seen.entry(pc).or_default();
            if ways.len() >= WAYS {
                regs.retain(|reg| ways.iter().all(|way| way.contains(reg)));
            }
            if ways.iter().any(|way| way.iter().all(|reg| regs.contains(reg))) {
                continue;
            }
            ways.retain(|way| !regs.iter().all(|reg| way.contains(reg)));
            ways.push(regs.clone());
        }
        let mut met = Vec::new();
        let order = after(instr, &mut regs, start, &mut met);
        let cells = addresses.cells(instr);
        for store in met.into_iter().map(|addr| cells.of(addr)).filter(|cell| cell.may_differ(load.cell)) {
            if !stores.contains(&store) {
                stores.push(store);
            }
        }
        if order {
            continue;
        }
        let mut next = jumps(&instr.ops);
        if !instr.ops.iter().any(|op| matches!(op, Op::Goto { .. } | Op::Jump { .. } | Op::Stop)) {
            next.push(pc + 1);
        }
        regs.sort_unstable();
        open.extend(next.into_iter().map(|pc| (pc, regs.clone(), None)));
    }
    stores
}

/// Goes through an instruction after a load; `regs` hold what comes from the load. The addresses of stores that may overtake it are added to those met; does everything that
/// follows come after it?
fn after(instr: &Instr, regs: &mut Vec<Reg>, start: Option<(usize, Tmp)>, met: &mut Vec<Tmp>) -> bool {
    let mut tmps: Vec<Tmp> = start.iter().map(|(_, dst)| *dst).collect();
    let mut ops = Vec::new();
    each_op(&instr.ops, &mut |op| ops.push(op));
    for op in ops.into_iter().skip(start.map_or(0, |(at, _)| at + 1)) {
        let hangs = |tmp: &Tmp| tmps.contains(tmp);
        match op {
            Op::Branch { cond: Some(cond), .. } if hangs(cond) => return true,
            Op::Fence { sets, .. } if is_full(sets) => return true,
            Op::Spawn { .. } | Op::Join { .. } => return true,
            Op::Load { sets, .. } if sets.iter().any(|set| set == "lkmm-mb") => return true,
            Op::Unary { dst, a, .. } if hangs(a) => tmps.push(*dst),
            Op::Binary { dst, a, b, .. } if hangs(a) || hangs(b) => tmps.push(*dst),
            Op::Taint { dst, a, also } if hangs(a) || also.iter().any(hangs) => tmps.push(*dst),
            Op::WriteReg { reg, src, .. } => {
                let kept = hangs(src);
                regs.retain(|other| other != reg);
                if kept {
                    regs.push(*reg);
                }
            }
            Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. } if regs.contains(reg) => {
                tmps.push(*dst);
            }
            Op::Store { addr, value, sets, .. } => {
                // The write of the read-modify-write itself is its own.
                let own = start.is_some() && sets.iter().any(|set| set == "X");
                if !releases(sets) && !hangs(addr) && !hangs(value) && !own {
                    met.push(*addr);
                }
            }
            Op::Rmw { addr, sets, .. } | Op::CompareExchange { addr, sets, .. }
                if !releases(sets) && !hangs(addr) =>
            {
                met.push(*addr);
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

fn goes_back(ops: &[Op], pc: usize) -> bool {
    jumps(ops).into_iter().any(|to| to <= pc)
}
