//! What a model makes of program order: the relation P along which an event needs others, where the model does not order all of a thread.
//!
//! Where a model may accept a cycle of program order and `rf`, an event is taken to need only what is before it in P: all parts of program order that the checks have, whatever is read and
//! in whatever order writes are (dependencies, fences, the order of one location), and besides what it hangs on in its own thread that it is there, where and with what value.
//! Then an event may be there before some of its thread that come earlier in program order, and get new edges of program order later. So nothing that reads from, or closes, is
//! settled when an event is added: checks are computed over whole graphs.

use super::code::{Base, Class, Code, Kind, Link, Slot};
use crate::model::TestKind;

/// The parts of program order that an event needs.
struct Parts<'c> {
    code: &'c mut Code,
    /// Of each slot: does it depend on what is read, or on the order of writes?
    dynamic: Vec<bool>,
    found: Vec<usize>,
    seen: Vec<usize>,
    /// Does everything that is left out of something only grow?
    sound: bool,
}

impl Code {
    /// Makes of this the code for graphs in which events may be added before others of their thread.
    pub fn loosen(&mut self) {
        let mut dynamic = vec![false; self.slots.len()];
        for slot in 0..self.slots.len() {
            let own = matches!(
                self.slots[slot].kind,
                Kind::Base(Base::Rf | Base::Co)
                    | Kind::DifferentValues(_)
                    | Kind::Variable
                    | Kind::Fix { .. }
            );
            dynamic[slot] = own || self.operands(slot).iter().any(|operand| dynamic[*operand]);
        }
        for (slot, dynamic) in self.slots.iter_mut().zip(&dynamic) {
            if *dynamic && !matches!(slot.kind, Kind::Base(_)) {
                slot.class = Class::Whole;
            }
        }
        let mut all = Vec::new();
        for index in 0..self.checks.len() {
            if !self.checks[index].prunes {
                continue;
            }
            let slot = self.checks[index].slot;
            let mut parts = Parts {
                code: self,
                dynamic: dynamic.clone(),
                found: Vec::new(),
                seen: Vec::new(),
                sound: true,
            };
            parts.scan(slot);
            let Parts { found, sound, .. } = parts;
            dynamic.resize(self.slots.len(), false);
            match sound {
                true => all.extend(found),
                false => self.checks[index].prunes = false,
            }
        }
        all.sort_unstable();
        all.dedup();
        self.prefix = all;
    }
}

/// A step from events of one set to events of another; without a set: from or to any.
#[derive(Clone, Copy)]
struct Form {
    from: Option<usize>,
    step: usize,
    to: Option<usize>,
}

impl Code {
    /// Has one `acyclic` check, with `rfe`, all of P but the order of one cell and of one instruction, and what an event hangs on by an address or a branch? Then a cycle of P and `rf` that the
    /// model accepts goes through two accesses of one thread to one cell, or through one instruction that reads and writes.
    pub fn orders_prefix(&self) -> bool {
        self.checks.iter().any(|check| {
            let acyclic = check.test == TestKind::Acyclic && check.prunes && !check.negated;
            acyclic && self.reads_others(check.slot) && self.has_addresses(check.slot) && {
                let forms: Vec<Form> =
                    self.flattened(check.slot).into_iter().flat_map(|slot| self.forms(slot)).collect();
                self.prefix.iter().all(|slot| self.is_ordered(*slot, check.slot, &forms))
            }
        })
    }

    /// Is a part of P in a check, or of one cell or instruction?
    fn is_ordered(&self, slot: usize, check: usize, forms: &[Form]) -> bool {
        if self.is_part(slot, check)
            || self.is_within(slot, &[Base::Loc, Base::SameInstance, Base::SameAccess])
        {
            return true;
        }
        if let Kind::Union(list) = &self.slots[slot].kind {
            return list.iter().all(|slot| self.is_ordered(*slot, check, forms));
        }
        let own = self.forms(slot);
        let covers = |by: Option<usize>, own: Option<usize>| {
            by.is_none_or(|set| self.is_member(set, "M") || own == Some(set))
        };
        !own.is_empty()
            && own.iter().all(|own| {
                forms.iter().any(|form| {
                    form.step == own.step && covers(form.from, own.from) && covers(form.to, own.to)
                })
            })
    }

    fn is_member(&self, set: usize, name: &str) -> bool {
        matches!(self.slots[set].kind, Kind::Member(bit) if &*self.sets[usize::from(bit)] == name)
    }

    /// A relation as single steps between sets, if it is made of such.
    fn forms(&self, slot: usize) -> Vec<Form> {
        let of = |from: Option<usize>, step: usize, to: Option<usize>| {
            let steps = self.flattened(step).into_iter();
            steps.map(|step| Form { from, step, to }).collect::<Vec<_>>()
        };
        match &self.slots[slot].kind {
            Kind::Seq(links) => match links[..] {
                [Link::Step(step)] => of(None, step, None),
                [Link::Filter(from), Link::Step(step)] => of(Some(from), step, None),
                [Link::Step(step), Link::Filter(to)] => of(None, step, Some(to)),
                [Link::Filter(from), Link::Step(step), Link::Filter(to)] => of(Some(from), step, Some(to)),
                _ => Vec::new(),
            },
            _ => of(None, slot, None),
        }
    }

    /// Is a relation part of one of these?
    fn is_within(&self, slot: usize, bases: &[Base]) -> bool {
        match &self.slots[slot].kind {
            Kind::Base(base) => bases.contains(base),
            Kind::Inter(a, b) => self.is_within(*a, bases) || self.is_within(*b, bases),
            Kind::Diff(a, _) => self.is_within(*a, bases),
            Kind::Union(list) => list.iter().all(|slot| self.is_within(*slot, bases)),
            Kind::Seq(links) => {
                let mut steps = links.iter().filter_map(|link| match link {
                    Link::Step(step) => Some(*step),
                    Link::Filter(_) => None,
                });
                steps.all(|step| self.is_within(step, bases))
            }
            Kind::Plus(a) | Kind::Star(a) | Kind::Opt(a) => self.is_within(*a, bases),
            _ => false,
        }
    }

    /// Has a check each step from a write to a read of another thread?
    fn reads_others(&self, check: usize) -> bool {
        self.flattened(check).into_iter().any(|slot| match &self.slots[slot].kind {
            Kind::Base(Base::Rf) => true,
            Kind::Inter(a, b) => {
                let is = |slot: &usize, base: Base| self.slots[*slot].kind == Kind::Base(base);
                is(a, Base::Rf) && is(b, Base::Ext) || is(a, Base::Ext) && is(b, Base::Rf)
            }
            _ => false,
        })
    }

    /// Has a check each step to a write from what an address before it depends on?
    fn has_addresses(&self, check: usize) -> bool {
        let is = |slot: usize, base: Base| self.slots[slot].kind == Kind::Base(base);
        self.flattened(check).into_iter().any(|slot| {
            let Kind::Seq(links) = &self.slots[slot].kind else { return false };
            let mut steps = Vec::new();
            for (at, link) in links.iter().enumerate() {
                match link {
                    Link::Step(step) => steps.push(*step),
                    Link::Filter(set) if self.is_member(*set, "M") => {}
                    Link::Filter(set) if at + 1 == links.len() && self.is_member(*set, "W") => {}
                    Link::Filter(_) => return false,
                }
            }
            matches!(steps[..], [addr, po] if is(addr, Base::Addr) && is(po, Base::Po))
        })
    }
}

impl Parts<'_> {
    /// Goes through a part of a check that may only grow.
    fn scan(&mut self, slot: usize) {
        if self.seen.contains(&slot) {
            return;
        }
        self.seen.push(slot);
        let Slot { kind, is_set, .. } = self.code.slots[slot].clone();
        if !self.dynamic[slot] {
            if !is_set && !matches!(kind, Kind::Empty | Kind::Id | Kind::ToId(_)) {
                self.found.push(slot);
            }
            self.differences(slot);
            return;
        }
        match kind {
            Kind::Inter(a, b) => {
                // What only filters what is read or the order of writes.
                for (one, other) in [(a, b), (b, a)] {
                    match self.dynamic[one] || !self.dynamic[other] {
                        true => self.scan(one),
                        false => self.differences(one),
                    }
                }
            }
            Kind::Diff(a, b) => {
                self.scan(a);
                self.negative(b);
            }
            Kind::Compl(a) => self.negative(a),
            Kind::Seq(links) => {
                let mut run: Vec<Link> = Vec::new();
                for link in links.iter().copied().map(Some).chain([None]) {
                    match link {
                        Some(Link::Filter(set)) => {
                            self.scan(set);
                            run.push(Link::Filter(set));
                        }
                        Some(Link::Step(step)) if !self.dynamic[step] => run.push(Link::Step(step)),
                        other => {
                            self.composed(&std::mem::take(&mut run));
                            if let Some(Link::Step(step)) = other {
                                self.scan(step);
                            }
                        }
                    }
                }
            }
            Kind::Fix { group, .. } => {
                for body in self.code.groups[group].bodies.clone() {
                    self.scan(body);
                }
            }
            _ => {
                for operand in self.code.operands(slot) {
                    self.scan(operand);
                }
            }
        }
    }

    /// Takes a composition that does not depend on what is read.
    fn composed(&mut self, run: &[Link]) {
        if !run.iter().any(|link| matches!(link, Link::Step(_))) {
            return;
        }
        for link in run {
            let (Link::Filter(slot) | Link::Step(slot)) = link;
            self.differences(*slot);
        }
        // Filters that depend on what is read say less than all.
        let links: Vec<Link> = run
            .iter()
            .copied()
            .filter(|link| !matches!(link, Link::Filter(set) if self.dynamic[*set]))
            .collect();
        let slot = match links[..] {
            [Link::Step(step)] => step,
            _ => self.slot(Kind::Seq(links)),
        };
        self.found.push(slot);
    }

    fn slot(&mut self, kind: Kind) -> usize {
        if let Some(slot) = self.code.slots.iter().position(|slot| slot.kind == kind) {
            return slot;
        }
        self.code.slots.push(Slot { kind, class: Class::Whole, is_set: false, at: 0 });
        self.dynamic.push(false);
        self.code.slots.len() - 1
    }

    /// What is taken away inside of something that does not depend on what is read.
    fn differences(&mut self, slot: usize) {
        match self.code.slots[slot].kind {
            Kind::Diff(a, b) => {
                self.differences(a);
                self.negative(b);
            }
            Kind::Compl(a) => self.negative(a),
            _ => {
                for operand in self.code.operands(slot) {
                    self.differences(operand);
                }
            }
        }
    }

    /// What is taken away must not come later: what makes a pair of it must be there when the pair is.
    fn negative(&mut self, slot: usize) {
        let kind = self.code.slots[slot].kind.clone();
        match &kind {
            Kind::Member(_) | Kind::Base(_) | Kind::Empty | Kind::All | Kind::Id => {}
            Kind::Union(_) | Kind::Inter(..) | Kind::Diff(..) | Kind::Product(..) => {
                for operand in self.code.operands(slot) {
                    self.negative(operand);
                }
            }
            Kind::Opt(a) | Kind::ToId(a) | Kind::Compl(a) => self.negative(*a),
            // From a read to its source, and on to a read.
            Kind::Inverse(a) if self.is_rf(*a) => {}
            Kind::Seq(links) if self.dynamic[slot] => {
                let fine = links.iter().all(|link| match link {
                    Link::Filter(set) => !self.dynamic[*set],
                    Link::Step(step) => match self.code.slots[*step].kind {
                        Kind::Inverse(a) => self.is_rf(a),
                        _ => self.is_rf(*step),
                    },
                });
                self.sound &= fine && links.len() <= 2;
            }
            _ if self.dynamic[slot] => self.sound = false,
            Kind::Seq(links) => {
                for from in 1..links.len() {
                    self.composed(&links[from..]);
                }
                for link in links {
                    let (Link::Filter(slot) | Link::Step(slot)) = link;
                    self.negative(*slot);
                }
            }
            Kind::Plus(a) | Kind::Star(a) | Kind::Range(a) => {
                self.found.push(*a);
                self.negative(*a);
            }
            _ => self.sound = false,
        }
    }

    fn is_rf(&self, slot: usize) -> bool {
        match self.code.slots[slot].kind {
            Kind::Base(Base::Rf) => true,
            Kind::Inter(a, b) => self.is_rf(a) && !self.dynamic[b] || self.is_rf(b) && !self.dynamic[a],
            _ => false,
        }
    }
}
