//! Arrivals at the heads of loops: a thread that is there as it was, or as fewer reads would have brought it there, is not looked at any further.
//!
//! A round that changes nothing may be left out ([`super::awaits`]). A round whose last read does what the read before the loop did may be left out as well:
//! of `r = x; while (!compare_exchange(&x, &r, 1));` the exchange that fails reads as the first line does, so that with its value there the loop would have begun
//! as it now goes on. That is found out by trying: the earlier read is given the later value, and must bring the thread to the same place.
//! After Kokologiannakis, Ren and Vafeiadis, Dynamic partial order reductions for spinloops, FMCAD 2021.

use super::fewer::Fewer;
use super::state::{Arrival, Head, Leaf, Look, Made, State};
use super::step::Stepper;
use crate::execution::EventKind;
use crate::program::threads::{LOCK, UNLOCK};
use crate::program::{Op, Program, Storage, Sym, Value};

/// So many reads are tried.
const MOST: usize = 64;

impl<'p> Stepper<'p> {
    /// Notes an access that has been made.
    pub(super) fn note(&self, state: &mut State<'p>, look: &Look<'p>, leaf: &Leaf<'p>, value: Value) {
        self.look_at(state, leaf);
        if self.fewer != Fewer::Any && leaf.access.sets.iter().any(|set| set == "EX") {
            state.changes += 1;
        }
        if leaf.access.kind != EventKind::Read {
            return;
        }
        for arrival in &mut state.arrivals {
            let by = arrival.by.as_ref().and_then(Look::leaf);
            let is_new = arrival.since.len() < MOST && !arrival.since.contains(&value);
            if is_new && by.is_some_and(|by| alike(by, leaf)) {
                arrival.since.push(value);
            }
        }
        state.latest = Some(look.clone());
    }

    /// Notes the arrival at the head of a loop; is everything as it was last time?
    pub(super) fn arrive(&self, state: &mut State<'p>) -> bool {
        let Some(at) = self.head(state) else { return false };
        let by = state.latest.clone().filter(|_| state.fresh.is_empty());
        let instance = state.control.instance;
        let known = state.arrivals.iter().position(|last| (last.at.code, last.at.pc) == (at.code, at.pc));
        let Some(known) = known else {
            state.arrivals.push(Arrival { at, by, since: Vec::new(), hidden: Vec::new(), instance });
            return false;
        };
        let last = &state.arrivals[known];
        let same = last.at == at;
        if same && last.hidden.is_empty() {
            return true;
        }
        let repeats = same
            || !state.is_repeated
                && last.at.changes == at.changes
                // Another read before the loop would be what later events depend on.
                && state.flow.is_none()
                && last.since.iter().rev().any(|value| self.leads(last, *value, &at));
        if repeats && last.hidden.is_empty() {
            state.is_repeated = true;
        } else if repeats && state.owed.is_none() {
            state.owed = Some(last.hidden.clone());
        }
        state.arrivals[known] = Arrival { at, by, since: Vec::new(), hidden: Vec::new(), instance };
        false
    }

    /// What an access says about cells that are to be written before anybody looks.
    fn look_at(&self, state: &mut State<'p>, leaf: &Leaf<'p>) {
        let Some(owed) = &mut state.owed else { return };
        let Some(at) = owed.iter().position(|cell| *cell == leaf.access.cell) else { return };
        if leaf.access.kind != EventKind::Write {
            state.owed = None;
            return;
        }
        owed.swap_remove(at);
        if owed.is_empty() {
            state.owed = None;
            state.is_repeated = true;
        }
    }

    /// Notes that something was written which was not there before.
    pub(super) fn changed(&self, state: &mut State<'p>, leaf: &Leaf<'p>, written: Value) {
        let access = &leaf.access;
        let is_in = |name: &str| access.sets.iter().any(|set| set == name);
        let own = state.unshared.contains(&access.at.0);
        if let Value::Addr { sym, .. } = written
            && state.unshared.contains(&sym)
        {
            // Whoever reads it knows of the object from now on.
            state.unshared.retain(|of| *of != sym);
            state.owed = None;
            state.changes += 1;
        }
        match state.held.iter().position(|cell| *cell == access.cell) {
            _ if self.fewer != Fewer::Any => state.changes += 1,
            None if self.locks_only_wait && is_in(LOCK) => state.held.push(access.cell),
            Some(at) if is_in(UNLOCK) => {
                state.held.remove(at);
                // What was held at the head of a loop lets others in now.
                state.arrivals.retain(|arrival| !arrival.at.held.contains(&access.cell));
            }
            _ if own => {
                let missing = |arrival: &&mut Arrival| !arrival.hidden.contains(&access.cell);
                state
                    .arrivals
                    .iter_mut()
                    .filter(missing)
                    .for_each(|arrival| arrival.hidden.push(access.cell));
            }
            _ => state.changes += 1,
        }
    }

    /// Notes that an object was made.
    pub(super) fn makes(&self, state: &mut State<'p>, object: Sym, kind: Storage) {
        let (code, pc, instance) = (state.control.code, state.control.pc, state.control.instance);
        state.objects.push(Made { object, kind, code, pc, instance });
        state.unshared.push(object);
    }

    /// Would another value of the read that led to a head have led there in this way?
    fn leads(&self, last: &Arrival<'p>, value: Value, at: &Head) -> bool {
        let Some(leaf) = last.by.as_ref().and_then(Look::leaf) else { return false };
        if leaf.access.wanted.is_some_and(|(wanted, equal)| (wanted == value) != equal) {
            return false;
        }
        let (_, Ok(mut state)) = self.made(leaf, value) else { return false };
        state.arrivals.clear();
        loop {
            if let Some(op) = state.control.next_op() {
                if self.op(&mut state, op).is_err() {
                    return false;
                }
            } else if !matches!(self.next_instruction(&mut state), Ok(true)) {
                return false;
            } else if (state.control.code, state.control.pc) == (at.code, at.pc) {
                return state.fresh.is_empty() && self.head(&state).is_some_and(|there| there == *at);
            }
        }
    }

    /// How a thread is at the head of a loop, if it is at one.
    fn head(&self, state: &State<'p>) -> Option<Head> {
        let live = self.loops?.at(usize::from(state.control.code), state.control.pc as usize)?;
        Some(Head {
            code: state.control.code,
            pc: state.control.pc,
            changes: state.changes,
            held: state.held.clone(),
            private: state
                .private
                .iter()
                .fold(0, |sum, (at, held)| sum.wrapping_add(hash(&(at, held.value)))),
            live: live.iter().map(|reg| state.regs[reg.0 as usize].value).collect(),
            reasons: match &state.flow {
                Some(flow) => live.iter().filter_map(|reg| flow.register(reg.0 as usize)).cloned().collect(),
                None => Vec::new(),
            },
        })
    }
}

/// Is taking locks and giving them back all that a program does with them? Nobody sees then that one was taken for a while.
pub(super) fn locks_only_wait(program: &Program) -> bool {
    fn waits(ops: &[Op]) -> bool {
        ops.iter().enumerate().all(|(at, op)| match op {
            Op::CompareExchange { sets, .. } if sets.iter().any(|set| set == LOCK) => {
                ops[at..].iter().any(|op| matches!(op, Op::Await { .. }))
            }
            Op::If { then, otherwise, .. } => waits(then) && waits(otherwise),
            Op::Choice { branches } => branches.iter().all(|ops| waits(ops)),
            _ => true,
        })
    }
    program.threads.iter().flat_map(|thread| &thread.code).all(|instr| waits(&instr.ops))
}

/// Are two reads the same but for what they read?
fn alike(one: &Leaf, other: &Leaf) -> bool {
    let (one, other) = (&one.access, &other.access);
    let within = |a: &[_], b: &[_]| a.iter().all(|set| b.contains(set));
    one.kind == other.kind
        && (one.cell, one.at) == (other.cell, other.at)
        && within(one.sets, other.sets)
        && within(other.sets, one.sets)
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
