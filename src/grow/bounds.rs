//! What checks say about a new event before it is tried: the writes that it must come after in the coherence order.
//!
//! Where `acyclic r` holds and `r` has coherence and from-reads, whatever is before a read in the rest of `r` must not be a write that
//! overwrites what it reads; and a write must come after the writes that are before it. So a new event has a *floor*: it reads from there
//! or above, or is put above it. Where a check says nothing else of a new event, looking at its floor is all there is to check.

use super::code::{Base, Class, Code, Kind, Link, Slot};
use crate::model::TestKind;

/// A relation along which a check bounds new events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Floor {
    /// The relation: fixed.
    pub slot: usize,
    /// Do the sources of reads that come before count, too?
    pub through_reads: bool,
}

/// What a relation has as parts of a union.
#[derive(Default)]
struct Parts {
    co: bool,
    fr: bool,
    rf: bool,
    fixed: Vec<usize>,
    others: bool,
}

impl Code {
    /// Derives the bounds that the checks on the way give.
    pub fn derive(&mut self) {
        for index in 0..self.checks.len() {
            let check = &self.checks[index];
            let slot = check.slot;
            self.checks[index].guards = self.guards(slot);
            if !self.checks[index].prunes {
                continue;
            }
            match self.checks[index].test {
                TestKind::Acyclic => {
                    let mut parts = Parts::default();
                    self.parts(slot, &mut parts);
                    if parts.co && parts.fr && !parts.fixed.is_empty() {
                        let union = self.keep(Kind::Union(parts.fixed));
                        let closed = self.keep(Kind::Plus(union));
                        self.floors.push(Floor { slot: closed, through_reads: false });
                    }
                }
                TestKind::Irreflexive => {
                    if let Some((floor, exact)) = self.ordered(slot) {
                        self.floors.push(floor);
                        if exact {
                            self.checks[index].exact = Some(floor);
                        }
                    }
                }
                TestKind::Empty => {}
            }
        }
    }

    /// Does some check refuse every cycle of program order, reads, coherence and from-reads?
    pub fn is_sequential(&self) -> bool {
        self.checks.iter().any(|check| {
            let mut parts = Parts::default();
            self.parts(check.slot, &mut parts);
            let has_order = parts.fixed.iter().any(|slot| self.is(*slot, Base::Po));
            check.test == TestKind::Acyclic && !check.negated && parts.co && parts.fr && parts.rf && has_order
        })
    }

    /// A fixed relation of that kind.
    pub fn keep(&mut self, kind: Kind) -> usize {
        if let Some(slot) = self.slots.iter().position(|slot| slot.kind == kind) {
            return slot;
        }
        self.slots.push(Slot { kind, class: Class::Fixed, is_set: false, at: 0 });
        self.slots.len() - 1
    }

    /// `irreflexive h; e*` with `h` fixed and `e` of coherence, from-reads and `rf`: a bound along `h`; is it all that the check says?
    fn ordered(&self, slot: usize) -> Option<(Floor, bool)> {
        let Kind::Seq(links) = &self.slots[slot].kind else { return None };
        let [Link::Step(fixed), Link::Step(rest)] = links[..] else { return None };
        let (Kind::Star(inner) | Kind::Plus(inner)) = self.slots[rest].kind else { return None };
        if self.slots[fixed].class != Class::Fixed || !self.is_strict(fixed) {
            return None;
        }
        let mut parts = Parts::default();
        self.parts(inner, &mut parts);
        let only = !parts.others && parts.fixed.len() == usize::from(parts.rf);
        let is_star = matches!(self.slots[rest].kind, Kind::Star(_));
        // Without a cycle of its own, as `h` of a new event never leads to itself.
        let backward = is_star || only;
        (parts.co && parts.fr && backward)
            .then_some((Floor { slot: fixed, through_reads: parts.rf }, only && parts.rf))
    }

    fn parts(&self, slot: usize, parts: &mut Parts) {
        match &self.slots[slot].kind {
            Kind::Union(list) => list.iter().for_each(|slot| self.parts(*slot, parts)),
            // The parts of one access: itself.
            Kind::Seq(links) => match links[..] {
                [Link::Step(first), Link::Step(same)] if self.is(same, Base::SameAccess) => {
                    self.parts(first, parts);
                }
                _ if self.is_fr(slot) => parts.fr = true,
                _ => self.part(slot, parts),
            },
            Kind::Base(Base::Co) => parts.co = true,
            Kind::Diff(a, b) if self.is_fr(*a) && self.slots[*b].kind == Kind::Id => parts.fr = true,
            _ => self.part(slot, parts),
        }
    }

    fn part(&self, slot: usize, parts: &mut Parts) {
        parts.rf |= self.is(slot, Base::Rf);
        match self.slots[slot].class {
            Class::Fixed if self.is_strict(slot) => parts.fixed.push(slot),
            _ => parts.others = true,
        }
    }

    /// Does it never lead from an event to itself?
    pub fn is_strict(&self, slot: usize) -> bool {
        match &self.slots[slot].kind {
            Kind::Base(Base::Po | Base::Rf) => true,
            Kind::Union(list) => list.iter().all(|slot| self.is_strict(*slot)),
            Kind::Inter(a, b) => self.is_strict(*a) || self.is_strict(*b),
            Kind::Diff(a, _) | Kind::Plus(a) | Kind::DifferentValues(a) => self.is_strict(*a),
            // All of them lead back or stay: one that leads back is enough.
            Kind::Seq(links) => {
                let steps = || {
                    links.iter().filter_map(|link| match link {
                        Link::Step(slot) => Some(*slot),
                        Link::Filter(_) => None,
                    })
                };
                steps().all(|slot| self.slots[slot].class == Class::Fixed)
                    && steps().any(|slot| self.is_strict(slot))
            }
            _ => false,
        }
    }

    fn is(&self, slot: usize, base: Base) -> bool {
        self.slots[slot].kind == Kind::Base(base)
    }

    fn is_fr(&self, slot: usize) -> bool {
        let Kind::Seq(links) = &self.slots[slot].kind else { return false };
        let [Link::Step(back), Link::Step(co)] = links[..] else { return false };
        let Kind::Inverse(rf) = self.slots[back].kind else { return false };
        self.is(rf, Base::Rf) && self.is(co, Base::Co)
    }

    /// Kept slots such that the relation is empty if one of each list is.
    fn guards(&self, slot: usize) -> Vec<Vec<usize>> {
        match &self.slots[slot].kind {
            Kind::Union(list) if self.slots[slot].class == Class::Whole => {
                list.iter().flat_map(|slot| self.guards(*slot)).collect()
            }
            _ => {
                let mut list = Vec::new();
                self.guard(slot, &mut list);
                vec![list]
            }
        }
    }

    fn guard(&self, slot: usize, list: &mut Vec<usize>) {
        match self.slots[slot].class {
            Class::Fixed => return list.push(slot),
            Class::Settled => return,
            Class::Whole => {}
        }
        match &self.slots[slot].kind {
            Kind::Seq(links) => links.iter().for_each(|link| match link {
                Link::Filter(slot) | Link::Step(slot) => self.guard(*slot, list),
            }),
            Kind::Inter(a, b) => {
                self.guard(*a, list);
                self.guard(*b, list);
            }
            Kind::Diff(a, _) | Kind::Plus(a) | Kind::Inverse(a) | Kind::ToId(a) => self.guard(*a, list),
            _ => {}
        }
    }
}
