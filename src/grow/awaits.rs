//! Loops that wait: where they begin, and what their next round depends on.
//!
//! A round of a loop that writes nothing and leaves everything as it was before, as far as the thread will look at it, might as well not have
//! been: the thread would be where it is, with fewer reads. So a thread that comes back to the head of a loop as it left it is blocked: the rounds
//! that matter are those that leave the loop, and these are found by giving its reads other sources.

use crate::program::{Instr, Op, Program, Reg, Target, Thread};

/// The heads of loops, by code and program counter, with the registers that are live there.
pub(super) struct Loops {
    heads: Vec<Vec<Option<Vec<Reg>>>>,
}

impl Loops {
    /// Are the registers of a thread looked at when it has ended? Those of a test are.
    pub fn new(program: &Program, looked_at: bool) -> Loops {
        let n = program.regs.len();
        Loops { heads: program.threads.iter().map(|thread| heads(thread, n, looked_at)).collect() }
    }

    /// Does that code have a loop?
    pub fn has_any(&self, code: usize) -> bool {
        self.heads.get(code).is_some_and(|heads| heads.iter().any(Option::is_some))
    }

    /// The registers that are live at the head of a loop, if one is there.
    pub fn at(&self, code: usize, pc: usize) -> Option<&[Reg]> {
        self.heads.get(code)?.get(pc)?.as_deref()
    }
}

/// What an instruction does to registers, and where it goes.
struct Summary {
    /// Read before it writes them.
    uses: Vec<bool>,
    /// Written on every way through it.
    writes: Vec<bool>,
    targets: Vec<usize>,
    falls_through: bool,
}

/// The registers that may still be looked at, by code and program counter: before an instruction, or after it.
pub(super) struct Live {
    regs: Vec<Vec<Vec<Reg>>>,
}

impl Live {
    /// Of a program, whose threads' registers nobody looks at once they have ended.
    pub fn new(program: &Program) -> Live {
        let n_regs = program.regs.len();
        let of = |thread: &Thread| {
            let (summaries, live) = flow(thread, n_regs, false);
            let n = thread.code.len();
            let at = |pc: usize| {
                let after = summaries[pc].after(pc).map(|to| &live[to.min(n)]);
                let all: Vec<&Vec<bool>> = after.chain([&live[pc]]).collect();
                (0..n_regs)
                    .filter(|reg| all.iter().any(|live| live[*reg]))
                    .map(|reg| Reg(reg as u16))
                    .collect()
            };
            (0..n).map(at).collect()
        };
        Live { regs: program.threads.iter().map(of).collect() }
    }

    /// Inside an instruction.
    pub fn at(&self, code: usize, pc: usize) -> &[Reg] {
        self.regs.get(code).and_then(|code| code.get(pc)).map_or(&[], Vec::as_slice)
    }
}

impl Summary {
    /// Where it goes on after the instruction at `pc`.
    fn after(&self, pc: usize) -> impl Iterator<Item = usize> + '_ {
        self.targets.iter().copied().chain(self.falls_through.then_some(pc + 1))
    }
}

/// Where each instruction of a thread may go on: at others, or past the last one, at the end.
pub(super) fn successors(thread: &Thread, n_regs: usize) -> Vec<Vec<usize>> {
    let labels: Vec<usize> = thread.labels.iter().map(|(_, pc)| *pc).collect();
    let after = |(pc, instr): (usize, &Instr)| summary(&instr.ops, n_regs, &labels).after(pc).collect();
    thread.code.iter().enumerate().map(after).collect()
}

/// What instructions do to registers, and which are live before each of them and at the end.
fn flow(thread: &Thread, n_regs: usize, looked_at: bool) -> (Vec<Summary>, Vec<Vec<bool>>) {
    let n = thread.code.len();
    let labels: Vec<usize> = thread.labels.iter().map(|(_, pc)| *pc).collect();
    let summaries: Vec<Summary> =
        thread.code.iter().map(|instr| summary(&instr.ops, n_regs, &labels)).collect();
    // What counts at the end: what may be looked at, or what the thread gives.
    let mut live: Vec<Vec<bool>> = vec![vec![false; n_regs]; n + 1];
    live[n] = vec![looked_at; n_regs];
    if let Some(result) = thread.result {
        live[n][result.0 as usize] = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..n).rev() {
            let summary = &summaries[pc];
            let mut now = vec![false; n_regs];
            for to in summary.after(pc) {
                let after = &live[to.min(n)];
                now.iter_mut().zip(after).for_each(|(now, after)| *now |= after);
            }
            for (reg, now) in now.iter_mut().enumerate() {
                *now = summary.uses[reg] || *now && !summary.writes[reg];
            }
            if now != live[pc] {
                live[pc] = now;
                changed = true;
            }
        }
    }
    (summaries, live)
}

fn heads(thread: &Thread, n_regs: usize, looked_at: bool) -> Vec<Option<Vec<Reg>>> {
    let n = thread.code.len();
    let (summaries, live) = flow(thread, n_regs, looked_at);
    // Where a loop is entered from its end, and where it goes on once its condition holds: less is live there.
    let mut is_head = vec![false; n + 1];
    for from in 0..n {
        for &head in summaries[from].targets.iter().filter(|head| **head <= from) {
            is_head[head] = true;
            let leaves = |pc: &usize| {
                summaries[*pc].falls_through && summaries[*pc].targets.iter().any(|to| *to > from)
            };
            if let Some(condition) = (head..from).find(leaves) {
                is_head[condition + 1] = true;
            }
        }
    }
    (0..n)
        .map(|pc| {
            let live = &live[pc];
            is_head[pc].then(|| (0..n_regs).filter(|reg| live[*reg]).map(|reg| Reg(reg as u16)).collect())
        })
        .collect()
}

fn summary(ops: &[Op], n_regs: usize, labels: &[usize]) -> Summary {
    let mut summary = Summary {
        uses: vec![false; n_regs],
        writes: vec![false; n_regs],
        targets: Vec::new(),
        falls_through: true,
    };
    visit(ops, labels, true, &mut summary);
    summary
}

fn visit(ops: &[Op], labels: &[usize], always: bool, summary: &mut Summary) {
    for op in ops {
        match op {
            Op::ReadReg { reg, .. } => {
                let reg = reg.0 as usize;
                summary.uses[reg] |= !summary.writes[reg];
            }
            Op::WriteReg { reg, .. } if always => summary.writes[reg.0 as usize] = true,
            Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
                visit(then, labels, false, summary);
                visit(otherwise, labels, false, summary);
            }
            Op::Choice { branches } => branches.iter().for_each(|ops| visit(ops, labels, false, summary)),
            Op::Jump { target: Target::Pc(pc) } | Op::Goto { pc } => {
                summary.targets.push(*pc);
                summary.falls_through &= !always;
            }
            // To the end.
            Op::Stop => summary.targets.push(usize::MAX),
            Op::Jump { target: Target::Indirect(_) } => summary.targets.extend_from_slice(labels),
            _ => {}
        }
    }
}
