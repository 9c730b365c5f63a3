//! Loads that a later store may overtake.
//!
//! Executions that grow have no cycle of program order and `rf`; such a cycle goes through a load and a later store of its thread that overtakes it. Programs for machines are compiled with
//! a branch after each relaxed load (`*-rc11.map`); compilers need not put one there, and the kernel's model has none. Where the program's own conditions, dependencies and fences order
//! each load before every later store of its thread, there is no such cycle, and the answer holds for all executions.

use rustc_hash::FxHashSet;

use crate::limits;
use crate::machine;
use crate::program::{Instr, Op, Program, Reg, SetName, Tmp, each_op};
use crate::source::Span;

/// A load with a later store of its thread that nothing of the program orders after it, if another thread can close the cycle: it has a load and a later store,
/// in whatever order these are.
pub(super) fn overtaken(program: &Program) -> Option<Span> {
    let closes: Vec<bool> = program.threads.iter().map(|thread| has_pair(&thread.code)).collect();
    (0..program.threads.len()).find_map(|code| {
        let elsewhere = (0..closes.len()).any(|other| closes[other] && other != code);
        // The code of one thread may be run by several.
        (elsewhere || started(program, code) > 1).then(|| first(program, code)).flatten()
    })
}

/// Is there a load, and after it a store?
fn has_pair(code: &[Instr]) -> bool {
    let (mut loaded, mut stored, mut found, mut goes_round) = (false, false, false, false);
    for (pc, instr) in code.iter().enumerate() {
        each_op(&instr.ops, &mut |op| match op {
            Op::Load { .. } => loaded = true,
            Op::Store { .. } => {
                stored = true;
                found |= loaded;
            }
            Op::Rmw { .. } | Op::CompareExchange { .. } => found = true,
            _ => {}
        });
        goes_round |= goes_back(&instr.ops, pc);
    }
    found || goes_round && loaded && stored
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

/// The first such load of a thread.
fn first(program: &Program, code: usize) -> Option<Span> {
    let instrs = &program.threads[code].code;
    let mut loads = Vec::new();
    for (pc, instr) in instrs.iter().enumerate() {
        let mut ops = Vec::new();
        each_op(&instr.ops, &mut |op| ops.push(op));
        for (at, op) in ops.iter().enumerate() {
            let (Op::Load { dst, sets, .. }
            | Op::Rmw { dst, sets, .. }
            | Op::CompareExchange { dst, sets, .. }) = op
            else {
                continue;
            };
            if is_relaxed(sets) {
                loads.push((pc, at, *dst));
            }
        }
    }
    let load = loads.into_iter().find(|(pc, at, dst)| is_overtaken(program, code, (*pc, *at), *dst))?;
    Some(instrs[load.0].span)
}

/// Goes on from a load, on all ways, and looks whether a store comes that does not hang on it.
fn is_overtaken(program: &Program, code: usize, (from, at): (usize, usize), dst: Tmp) -> bool {
    let instrs = &program.threads[code].code;
    let mut seen: FxHashSet<(usize, Vec<Reg>)> = FxHashSet::default();
    // The first instruction is gone through from the load on, with what was read in its temporary.
    let mut open = vec![(from, Vec::new(), Some((at, dst)))];
    while let Some((pc, regs, start)) = open.pop() {
        limits::poll();
        let Some(instr) = instrs.get(pc) else { continue };
        if start.is_none() && !seen.insert((pc, regs.clone())) {
            continue;
        }
        let mut regs = regs;
        match after(instr, &mut regs, start) {
            Met::Store => return true,
            Met::Order => {}
            Met::Nothing => {
                let mut next = jumps(&instr.ops);
                if !instr.ops.iter().any(|op| matches!(op, Op::Goto { .. } | Op::Jump { .. } | Op::Stop)) {
                    next.push(pc + 1);
                }
                regs.sort_unstable();
                open.extend(next.into_iter().map(|pc| (pc, regs.clone(), None)));
            }
        }
    }
    false
}

/// What an instruction does after a load.
enum Met {
    /// A store that may overtake it.
    Store,
    /// Everything that follows comes after it.
    Order,
    Nothing,
}

/// Goes through an instruction; `regs` hold what comes from the load.
fn after(instr: &Instr, regs: &mut Vec<Reg>, start: Option<(usize, Tmp)>) -> Met {
    let mut tmps: Vec<Tmp> = start.iter().map(|(_, dst)| *dst).collect();
    let mut own_branch = start.map(|(_, dst)| dst);
    let mut ops = Vec::new();
    each_op(&instr.ops, &mut |op| ops.push(op));
    for op in ops.into_iter().skip(start.map_or(0, |(at, _)| at + 1)) {
        let hangs = |tmp: &Tmp| tmps.contains(tmp);
        match op {
            // The one that compiling put there.
            Op::Branch { cond: Some(cond), .. } if own_branch == Some(*cond) => own_branch = None,
            Op::Branch { cond: Some(cond), .. } if hangs(cond) => return Met::Order,
            Op::Fence { sets, .. } if is_full(sets) => return Met::Order,
            Op::Spawn { .. } | Op::Join { .. } => return Met::Order,
            Op::Load { sets, .. } if sets.iter().any(|set| set == "lkmm-mb") => return Met::Order,
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
                    return Met::Store;
                }
            }
            Op::Rmw { addr, sets, .. } | Op::CompareExchange { addr, sets, .. }
                if !releases(sets) && !hangs(addr) =>
            {
                return Met::Store;
            }
            _ => {}
        }
    }
    Met::Nothing
}

fn is_relaxed(sets: &[SetName]) -> bool {
    sets.iter().any(|set| set == "RLX")
}

/// Does everything before a write of these sets come before it?
fn releases(sets: &[SetName]) -> bool {
    sets.iter().any(|set| matches!(&**set, "L" | "Rel" | "AcqRel" | "lkmm-release" | "lkmm-mb"))
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
