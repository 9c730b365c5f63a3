//! Loops that end by choice: what is chosen anew in each round says whether there is another one.
//!
//! `while (__VERIFIER_nondet_int())` may go round for ever, but it waits for nothing: no thread is stuck there. Where the choice is about something else
//! (`while (!flag) if (rand() % 2) sched_yield();`) the loop waits as it would without it.

use std::collections::BTreeSet;

use crate::machine;
use crate::program::{Instr, Op, Reg, Tmp, any_op};

/// Does a choice that is made in the loop from `head` to `last` decide whether the loop is left?
pub(super) fn ends_by_choice(code: &[Instr], head: usize, last: usize) -> bool {
    if last >= code.len() {
        return false;
    }
    let ways = Ways { code, head, last };
    // The registers that hang on a choice, before each instruction. A register is used again for something else.
    let mut before: Vec<BTreeSet<Reg>> = vec![BTreeSet::new(); last + 1 - head];
    let mut to_do: Vec<usize> = (head..=last).collect();
    while let Some(pc) = to_do.pop() {
        let mut chosen = Chosen { registers: before[pc - head].clone(), ..Chosen::default() };
        chosen.follow(&code[pc].ops, false);
        // Where it goes through memory nobody follows it.
        if chosen.kept || ways.differ(&code[pc].ops, &chosen.temporaries, pc) {
            return true;
        }
        for next in ways.next(&code[pc].ops, &[], pc).into_iter().filter(|next| (head..=last).contains(next))
        {
            let known = &mut before[next - head];
            if !chosen.registers.is_subset(known) {
                known.extend(&chosen.registers);
                to_do.push(next);
            }
        }
    }
    false
}

/// What hangs on a choice.
#[derive(Default)]
struct Chosen {
    registers: BTreeSet<Reg>,
    temporaries: Vec<Tmp>,
    /// Is it written to memory?
    kept: bool,
}

impl Chosen {
    /// Through the operations of an instruction; `under`: in a branch that a choice decides.
    fn follow(&mut self, ops: &[Op], under: bool) {
        for op in ops {
            let hangs = |tmp: &Tmp| self.temporaries.contains(tmp);
            match op {
                Op::Nondet { dst, low, high } if low < high => self.temporaries.push(*dst),
                Op::Unary { dst, a, .. } | Op::Taint { dst, a, .. } | Op::From { dst, a, .. } if hangs(a) => {
                    self.temporaries.push(*dst);
                }
                Op::Binary { dst, a, b, .. } if hangs(a) || hangs(b) => self.temporaries.push(*dst),
                Op::ReadReg { dst, reg, .. } | Op::ReadRegWith { dst, reg, .. }
                    if self.registers.contains(reg) =>
                {
                    self.temporaries.push(*dst);
                }
                Op::WriteReg { reg, src, .. } => match under || hangs(src) {
                    true => _ = self.registers.insert(*reg),
                    false => _ = self.registers.remove(reg),
                },
                Op::Store { value, .. } => self.kept |= hangs(value),
                Op::If { cond, then, otherwise } => {
                    let under = under || hangs(cond);
                    let mut other = Chosen {
                        registers: self.registers.clone(),
                        temporaries: self.temporaries.clone(),
                        kept: false,
                    };
                    self.follow(then, under);
                    other.follow(otherwise, under);
                    self.registers.append(&mut other.registers);
                    self.temporaries.append(&mut other.temporaries);
                    self.kept |= other.kept;
                }
                _ => {}
            }
        }
    }
}

/// The ways through one round.
struct Ways<'c> {
    code: &'c [Instr],
    head: usize,
    last: usize,
}

impl Ways<'_> {
    /// Does a condition on a choice decide which ways out there are?
    fn differ(&self, ops: &[Op], tainted: &[Tmp], pc: usize) -> bool {
        ops.iter().enumerate().any(|(at, op)| match op {
            Op::Await { cond, .. } | Op::Assume { cond } => tainted.contains(cond),
            Op::If { cond, then, otherwise } => {
                let out = |branch: &[Op]| self.out(self.next(branch, &ops[at + 1..], pc));
                tainted.contains(cond) && out(then) != out(otherwise)
                    || self.differ(then, tainted, pc)
                    || self.differ(otherwise, tainted, pc)
            }
            _ => false,
        })
    }

    /// Where a branch goes on, with what comes after it in its instruction.
    fn next(&self, branch: &[Op], rest: &[Op], pc: usize) -> Vec<usize> {
        let mut next = Vec::new();
        let leaves =
            |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Jump { .. } | Op::Goto { .. } | Op::Stop));
        machine::targets(branch, &mut next);
        if !leaves(branch) {
            machine::targets(rest, &mut next);
            if !leaves(rest) {
                next.push(pc + 1);
            }
        }
        let stops = |ops: &[Op]| any_op(ops, |op| matches!(op, Op::Stop));
        if stops(branch) || !leaves(branch) && stops(rest) {
            next.push(self.code.len());
        }
        next
    }

    /// The instructions outside the loop that are reached from there without another round.
    fn out(&self, mut from: Vec<usize>) -> Vec<usize> {
        let mut seen = vec![self.head];
        let mut out = Vec::new();
        while let Some(pc) = from.pop() {
            if seen.contains(&pc) {
                continue;
            }
            seen.push(pc);
            match pc < self.head || pc > self.last {
                true => out.push(pc),
                false => from.extend(self.next(&self.code[pc].ops, &[], pc)),
            }
        }
        out.sort_unstable();
        out
    }
}
