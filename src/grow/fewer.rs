//! What may be left out of an execution: rounds of loops that wait are, where the model's checks still hold without them.

use super::code::{Base, Code, Kind, Link};
use super::decide::{Trend, steps, trend};

/// What may be left out of an execution so that the checks that hold of it still hold: nothing that they look at may grow by that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fewer {
    /// Any event.
    Any,
    /// Any event that only looks: no write, and no part of an exclusive pair. Something is asked for that holds where none of these comes between.
    Looks,
    /// None.
    Nothing,
}

/// What a model lets us leave out.
pub(super) fn fewer(code: &Code) -> Fewer {
    let holds = |keeps_acts: bool| {
        let trends = trends_of_fewer(code, keeps_acts);
        code.checks.iter().all(|check| !check.negated && trends[check.slot] != Trend::Any)
    };
    match () {
        () if holds(false) => Fewer::Any,
        () if holds(true) => Fewer::Looks,
        () => Fewer::Nothing,
    }
}

/// How expressions change when events are left out: as they do when a graph grows, turned round. Relations through events in the middle have
/// fewer pairs without them, even where the graph settles them.
fn trends_of_fewer(code: &Code, keeps_acts: bool) -> Vec<Trend> {
    let acts = Acts { code };
    let mut trends: Vec<Trend> = Vec::new();
    for slot in &code.slots {
        let of = |slot: usize| trends.get(slot).copied().unwrap_or(Trend::Any);
        let trend = match &slot.kind {
            Kind::Seq(links) => {
                let worst = links.iter().map(|link| match link {
                    Link::Filter(slot) | Link::Step(slot) => of(*slot),
                });
                let worst = worst.max().unwrap_or(Trend::Stays);
                let kept = steps(links).count() < 2 || keeps_acts && acts.between(links);
                if kept { worst } else { worst.max(Trend::Grows) }
            }
            kind => trend(code, kind, &of),
        };
        trends.push(trend);
    }
    trends
}

/// Where only writes and parts of exclusive pairs can be.
struct Acts<'c> {
    code: &'c Code,
}

impl Acts<'_> {
    /// Between any two steps of a composition?
    fn between(&self, links: &[Link]) -> bool {
        let places: Vec<usize> = (0..links.len()).filter(|at| matches!(links[*at], Link::Step(_))).collect();
        places.windows(2).all(|pair| {
            let inside = &links[pair[0] + 1..pair[1]];
            let (Link::Step(first), Link::Step(next)) = (links[pair[0]], links[pair[1]]) else {
                return false;
            };
            self.ends(first)
                || self.begins(next)
                || inside.iter().any(|link| matches!(link, Link::Filter(set) if self.are(*set)))
        })
    }

    /// In a set?
    fn are(&self, slot: usize) -> bool {
        match &self.code.slots[slot].kind {
            Kind::Member(bit) => matches!(&*self.code.sets[usize::from(*bit)], "W" | "EX"),
            Kind::Empty => true,
            Kind::Union(list) => list.iter().all(|slot| self.are(*slot)),
            Kind::Inter(a, b) => self.are(*a) || self.are(*b),
            Kind::Diff(a, _) => self.are(*a),
            _ => false,
        }
    }

    /// At the end of a relation?
    fn ends(&self, slot: usize) -> bool {
        match &self.code.slots[slot].kind {
            Kind::Base(base) => *base == Base::Co,
            Kind::Empty => true,
            Kind::Union(list) => list.iter().all(|slot| self.ends(*slot)),
            Kind::Inter(a, b) => self.ends(*a) || self.ends(*b),
            Kind::Diff(a, _) | Kind::Plus(a) => self.ends(*a),
            Kind::Inverse(a) => self.begins(*a),
            Kind::ToId(set) | Kind::Product(_, set) => self.are(*set),
            Kind::Seq(links) => match links.last() {
                Some(Link::Filter(set)) => self.are(*set),
                Some(Link::Step(slot)) => self.ends(*slot),
                None => false,
            },
            _ => false,
        }
    }

    /// At its beginning?
    fn begins(&self, slot: usize) -> bool {
        match &self.code.slots[slot].kind {
            Kind::Base(base) => matches!(base, Base::Co | Base::Rf),
            Kind::Empty => true,
            Kind::Union(list) => list.iter().all(|slot| self.begins(*slot)),
            Kind::Inter(a, b) => self.begins(*a) || self.begins(*b),
            Kind::Diff(a, _) | Kind::Plus(a) => self.begins(*a),
            Kind::Inverse(a) => self.ends(*a),
            Kind::ToId(set) | Kind::Product(set, _) => self.are(*set),
            Kind::Seq(links) => match links.first() {
                Some(Link::Filter(set)) => self.are(*set),
                Some(Link::Step(slot)) => self.begins(*slot),
                None => false,
            },
            _ => false,
        }
    }
}
