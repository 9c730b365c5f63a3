//! Outcomes that differ only in which of several threads is which, from the one that was found.
//!
//! Where threads run the same code on the same registers, exchanging them makes an execution of an execution, with the same memory in the end. An engine that lists one of them has them all.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::condition::Observable;
use crate::execution::Cut;
use crate::litmus::Lowered;
use crate::program::{Program, Reg, Value};

/// Threads that are like each other, and what is looked at in the end.
pub(super) struct Exchange {
    kinds: Vec<Vec<usize>>,
    /// The threads of each kind whose registers are looked at, all in a row.
    seen: Vec<(usize, usize)>,
    /// The registers that are looked at in some thread of the kind, by kind.
    regs: Vec<Vec<Reg>>,
    /// What else is looked at.
    others: Vec<Observable>,
    /// What was exchanged before: of each kind what its threads hold, in order, and the others' values.
    known: FxHashSet<(Vec<Vec<Held>>, Vec<Value>)>,
}

/// What a thread holds in registers that are looked at.
type Held = Vec<Value>;

/// Which thread is which: for each that is looked at, the one whose registers it has. All others keep theirs.
pub(super) struct Exchanged<'e>(&'e [(usize, usize)]);

impl Exchanged<'_> {
    /// What stands where another thing stood before the exchange.
    pub fn observable(&self, observable: Observable) -> Observable {
        match observable {
            Observable::Reg(thread, reg) => {
                let from = self.0.iter().find(|(to, _)| *to == usize::from(thread));
                Observable::Reg(from.map_or(thread, |(_, from)| *from as u16), reg)
            }
            other => other,
        }
    }
}

impl Exchange {
    pub fn new(test: &Lowered, kinds: Vec<Vec<usize>>) -> Exchange {
        let kind_of = |thread: u16| kinds.iter().position(|kind| kind.contains(&usize::from(thread)));
        let mut seen = Vec::new();
        let mut regs = vec![Vec::new(); kinds.len()];
        let mut others = Vec::new();
        for observable in test.observed.iter().chain(&test.shown) {
            match *observable {
                Observable::Reg(thread, reg) if kind_of(thread).is_some() => {
                    let kind = kind_of(thread).unwrap_or(0);
                    if !regs[kind].contains(&reg) {
                        regs[kind].push(reg);
                    }
                    if !seen.contains(&(kind, usize::from(thread))) {
                        seen.push((kind, usize::from(thread)));
                    }
                }
                other if !others.contains(&other) => others.push(other),
                _ => {}
            }
        }
        Exchange { kinds, seen, regs, others, known: FxHashSet::default() }
    }

    /// All ways to exchange threads that make another outcome of one, and that of exchanging none; only that, if the others were asked for before of one that is the same up to them.
    pub fn each(
        &mut self,
        value: &impl Fn(Observable) -> Value,
        see: &mut impl FnMut(Exchanged) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let held = |kind: usize, thread: usize| -> Held {
            self.regs[kind].iter().map(|reg| value(Observable::Reg(thread as u16, *reg))).collect()
        };
        // Threads of a kind that hold the same are the same: each with one of them and how many there are.
        let mut left: Vec<Vec<(Held, usize, usize)>> = Vec::new();
        for (kind, threads) in self.kinds.iter().enumerate() {
            let mut groups: Vec<(Held, usize, usize)> = Vec::new();
            for thread in threads {
                let holds = held(kind, *thread);
                match groups.iter_mut().find(|(known, ..)| *known == holds) {
                    Some((.., count)) => *count += 1,
                    None => groups.push((holds, *thread, 1)),
                }
            }
            left.push(groups);
        }
        let sorted = left.iter().map(|groups| {
            let mut all: Vec<Held> =
                groups.iter().flat_map(|(held, _, count)| vec![held.clone(); *count]).collect();
            all.sort_unstable();
            all
        });
        let key = (sorted.collect(), self.others.iter().map(|other| value(*other)).collect());
        match self.known.insert(key) {
            true => self.choose(&mut left, &mut Vec::new(), see),
            false => see(Exchanged(&[])),
        }
    }

    /// The next thread that is looked at is one of each group of which some are left.
    fn choose(
        &self,
        left: &mut Vec<Vec<(Held, usize, usize)>>,
        chosen: &mut Vec<(usize, usize)>,
        see: &mut impl FnMut(Exchanged) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some((kind, to)) = self.seen.get(chosen.len()).copied() else {
            return see(Exchanged(chosen));
        };
        for group in 0..left[kind].len() {
            if left[kind][group].2 == 0 {
                continue;
            }
            left[kind][group].2 -= 1;
            chosen.push((to, left[kind][group].1));
            let flow = self.choose(left, chosen, see);
            chosen.pop();
            left[kind][group].2 += 1;
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Loops that were cut in one thread are cut in others like it.
    pub fn cuts(&self, program: &Program, cuts: &mut Vec<Cut>) {
        for cut in cuts.clone() {
            let place = program.threads[cut.thread].code.iter().position(|instr| instr.span == cut.span);
            let others = self.kinds.iter().filter(|kind| kind.contains(&cut.thread)).flatten();
            for other in others.filter(|other| **other != cut.thread) {
                let span = place.map_or(cut.span, |pc| program.threads[*other].code[pc].span);
                let cut = Cut { thread: *other, span, ..cut.clone() };
                if !cuts.contains(&cut) {
                    cuts.push(cut);
                }
            }
        }
    }
}
