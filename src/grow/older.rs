//! A read with which a thread would only wait is made of the last write only: may it, in a program whose errors are looked for?
//!
//! Take an execution in which threads wait with older writes. Leave these reads out, which nothing follows, and make them again at the end, from the last writes, letting the threads go on if they
//! do. What is left is consistent, as a check that is asked on the way fails no less with more events, and so is what is added, as such a check allows an event that reads the last write
//! (`decide`). All that the others did wrong, among themselves, is still wrong: what comes before what among events that were there does not change. Nobody waits for ever with a value that is not the
//! last one, so that deadlocks and loops that never end are there, too. An object that is freed was used by a thread that goes on waiting, or that comes later. Three things are lost:
//!
//! - a check that is asked of whole executions only may refuse the other execution, and a rule for races may count pairs between which something comes: under such models all is listed;
//! - that the read itself races with a plain write. An older write may be one with which it does, where the last is one that synchronises. Nor is it known then that somebody else's object was made before that,
//!   or that a lock was destroyed. So where such a write is there, or such an object, older ones are read, too. (A plain write that comes later does not come before a read that is there.)
//!
//! What a thread did before it was started, or who started it, comes before all that it does, whatever it reads.

use super::code::Code;
use super::graph::Graph;
use super::node::{NONE, Node};
use super::state::{Access, Stop};
use super::step::Stepper;
use crate::model::CheckKind;
use crate::program::threads::{ATOMIC, DESTROY};
use crate::program::{Op, Program, SetName, Storage, Sym, Thread, any_op};

impl Code {
    /// Is what is wrong in an execution still found where a thread that waits has read the last write instead?
    pub fn outlasts(&self) -> bool {
        let rules = self.flags.iter().filter(|flag| flag.kind == CheckKind::UndefinedUnless);
        self.checks.iter().all(|check| check.prunes)
            && rules.into_iter().all(|rule| rule.stays && !rule.negated)
    }
}

fn is_in(sets: &[SetName], name: &str) -> bool {
    sets.iter().any(|set| set == name)
}

/// Can an access of these sets race with none of its kind?
pub(super) fn is_atomic(sets: &[SetName]) -> bool {
    is_in(sets, "A") || is_in(sets, ATOMIC)
}

/// May an access of these sets race, or end what others look at?
pub fn is_plain(sets: &[SetName]) -> bool {
    !is_atomic(sets) || is_in(sets, DESTROY)
}

/// Of each code: do the threads that run it write nothing, and start none?
pub(super) fn only_look(program: &Program) -> Vec<bool> {
    let acts = |op: &Op| {
        let writes = matches!(op, Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. });
        writes || matches!(op, Op::Other { .. } | Op::Conditional { .. } | Op::Spawn { .. })
    };
    let never = |thread: &Thread| !thread.code.iter().any(|instr| any_op(&instr.ops, acts));
    program.threads.iter().map(never).collect()
}

impl<'p, const W: usize> Graph<'p, W> {
    /// Has a thread that only waits now read an older write in the round before, when it was added, and nothing comes of such a graph? It never becomes one in which that read was made as late as can
    /// be, and so is left by no revisit. What holds of the one read with which a thread waits holds of all that it has made in that round: nothing follows them. But on another way it may come to other
    /// reads: those that it comes to on this way must be such that nothing can be wrong with them, whoever writes later.
    pub fn waits_after_older(&self, stepper: &Stepper<'p>, stop: &Stop<'p>, read: &Access<'p>) -> bool {
        let Stop::Blocked(state) = stop else { return false };
        let since = if state.waits() { state.last_round() } else { state.only_round(stepper.program) };
        let Some(since) = since else { return false };
        let is_fine = |sets: &[SetName], object: Sym| {
            !is_plain(sets)
                && stepper.cells.is_static(object)
                && stepper.plainly_written.is_some_and(|written| !written.contains(&object))
        };
        if !is_fine(read.sets, read.at.0) {
            return false;
        }
        let mut at = self.threads[usize::from(read.place.thread)].last;
        while at != NONE {
            let node = &self.events[usize::from(at)];
            if node.place.instance < since || node.is_write() || !node.is_visible() {
                return false;
            }
            if node.source != NONE {
                if node.at.is_none_or(|(object, _)| !is_fine(node.sets, object)) {
                    return false;
                }
                if self.has_later(usize::from(node.source), &self.earlier[usize::from(at)]) {
                    return true;
                }
            }
            at = node.previous;
        }
        false
    }

    /// May it show an error that a thread reads an older write before it waits?
    pub fn older_may_matter(&self, stepper: &Stepper<'p>, access: &Access<'p>) -> bool {
        if !stepper.properties {
            return false;
        }
        let plain = !is_atomic(access.sets);
        let tells = |write: &u16| {
            let node = &self.events[usize::from(*write)];
            (plain || is_plain(node.sets)) && !self.is_before_start(access.place.thread, node)
        };
        self.co[usize::from(access.cell)].iter().any(tells)
            || !stepper.cells.is_static(access.at.0) && self.may_be_unborn(access)
    }

    /// Did a thread do something before it started another one, or one that started that one, and so on?
    fn is_before_start(&self, thread: u16, node: &Node<'p>) -> bool {
        let by = node.place.thread;
        by == NONE
            || by == thread
            || self.starts(thread, |start| {
                start.place.thread == by && start.place.instance > node.place.instance
            })
    }

    /// Is there such a start among those that led to a thread?
    fn starts(&self, mut thread: u16, is: impl Fn(&Node<'p>) -> bool) -> bool {
        loop {
            let spawner = self.threads[usize::from(thread)].spawner;
            if spawner == NONE {
                return false;
            }
            let start = &self.events[usize::from(spawner)];
            if is(start) {
                return true;
            }
            thread = start.place.thread;
        }
    }

    /// May an access be to an object that another thread has made, which it is not known to come after?
    fn may_be_unborn(&self, access: &Access<'p>) -> bool {
        let objects = |stop: &Stop<'p>| {
            let state = stop.state()?;
            state.objects.iter().find(|made| made.object == access.at.0).copied()
        };
        let mut threads = self.threads.iter().enumerate();
        let Some((by, made)) = threads.find_map(|(by, thread)| Some((by as u16, objects(&thread.stop)?)))
        else {
            return true;
        };
        let before = |start: &Node<'p>| start.place.thread == by && start.place.instance >= made.instance;
        made.kind == Storage::Heap && by != access.place.thread && !self.starts(access.place.thread, before)
    }
}
