//! Threads of a test that are like each other from the beginning: they run the same code on the same registers, so that exchanging them makes an execution of an execution.
//!
//! They are *twins* as threads that are started are ([`super::twins`]): of all executions that differ only in which of them is which, one is listed. Nothing tells them from each other: a litmus
//! test has no names of threads as values, and models do not look at numbers of threads.

use super::code::Code;
use super::node::NONE;
use crate::program::{Op, Program, Start, Thread, any_op};

impl Code {
    /// Which threads may be taken for each other. Where executions are left out that closed worlds find, and in programs that start their threads, none from the beginning.
    pub(super) fn alike(&self, program: &Program) -> Vec<u16> {
        let starts = program.threads.iter().any(|thread| thread.start == Start::Spawned);
        if self.residual || starts { Vec::new() } else { alike(program) }
    }
}

/// Which threads are like each other: of each thread, the one before it that is like it, if there is one.
fn alike(program: &Program) -> Vec<u16> {
    let texts: Vec<Option<String>> =
        program.threads.iter().enumerate().map(|(number, thread)| text(program, number, thread)).collect();
    let before = |at: usize| (0..at).rev().find(|other| texts[at].is_some() && texts[*other] == texts[at]);
    (0..texts.len()).map(|at| before(at).map_or(NONE, |other| other as u16)).collect()
}

/// The threads of each kind of which there are several.
pub(super) fn kinds(alike: &[u16]) -> Vec<Vec<usize>> {
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for (thread, other) in alike.iter().enumerate().filter(|(_, other)| **other != NONE) {
        let other = usize::from(*other);
        match kinds.iter_mut().find(|kind| kind.contains(&other)) {
            Some(kind) => kind.push(thread),
            None => kinds.push(vec![other, thread]),
        }
    }
    kinds
}

/// All that a thread is, but for where it stands in the test; nothing, if it may have no twin.
fn text(program: &Program, number: usize, thread: &Thread) -> Option<String> {
    // A twin comes after what another one did in its place: that is said of whole events, and a twin that came after the read of an update without its write would be in no order.
    let halves = |op: &Op| {
        matches!(
            op,
            Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Reserve { .. } | Op::Conditional { .. }
        )
    };
    let own = |op: &Op| matches!(op, Op::Spawn { .. } | Op::Join { .. } | Op::Alloc { .. } | Op::Free { .. });
    let is_plain = thread.code.iter().all(|instr| {
        !any_op(&instr.ops, own) && (program.conventions.one_event_rmw || !any_op(&instr.ops, halves))
    });
    let is_code_data = program.code_cells.iter().any(|cell| usize::from(cell.thread) == number);
    if !is_plain || is_code_data || thread.start != Start::Alone || thread.handler.is_some() {
        return None;
    }
    let code: Vec<&[Op]> = thread.code.iter().map(|instr| &*instr.ops).collect();
    let regs = program.init_regs.iter().filter(|(of, ..)| *of == number).map(|(_, reg, value)| (reg, value));
    let mut regs: Vec<String> = regs.map(|known| format!("{known:?}")).collect();
    regs.sort_unstable();
    Some(format!("{code:?} {regs:?} {:?} {:?}", thread.labels, thread.annotations))
}
