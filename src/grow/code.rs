//! A model as code over rows of bits: the types.
//!
//! A relation is kept by its targets: row `x` is the set of events that have an edge to `x`. What an expression is worth is
//! found out when it is compiled: *fixed*, its row of a new event is all there is to compute, since an event gets its edges when it is added and
//! never any more; *settled*, a relation between events as such (`loc`, `int`), known between any two of them; or
//! *whole*, to be computed afresh whenever it is asked for.

use std::sync::Arc;

use super::bounds::Floor;
use super::recipe::Recipes;
use crate::model::{CheckKind, ExprId, TestKind};

/// When the value of an expression changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// The row of an event is known when it is added, and stays.
    Fixed,
    /// Known between any two events, whatever else there is.
    Settled,
    /// Anything else.
    Whole,
}

/// A relation that the graph has, not the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Po,
    Rf,
    Co,
    Loc,
    Int,
    Ext,
    SameInstance,
    SameAccess,
    Addr,
    Data,
    Ctrl,
}

/// A part of a composition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// Only events of that set.
    Filter(usize),
    /// One step of that relation.
    Step(usize),
}

/// What a slot holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A predefined set: the number of its bit in an event's memberships.
    Member(u8),
    Base(Base),
    Empty,
    All,
    Id,
    Union(Vec<usize>),
    Inter(usize, usize),
    Diff(usize, usize),
    Compl(usize),
    Seq(Vec<Link>),
    Inverse(usize),
    Product(usize, usize),
    ToId(usize),
    Domain(usize),
    Range(usize),
    Opt(usize),
    Plus(usize),
    Star(usize),
    DifferentValues(usize),
    /// A variable of a recursive group.
    Variable,
    /// The value of a recursive group: its own variable, once the group has settled.
    Fix {
        group: usize,
        variable: usize,
    },
}

/// A value of the model.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub kind: Kind,
    pub class: Class,
    pub is_set: bool,
    /// If it is kept: where, among relations or among sets.
    pub at: usize,
}

/// A recursive group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The variables, by slot.
    pub variables: Vec<usize>,
    /// The values of the next round, by slot.
    pub bodies: Vec<usize>,
    /// Slots of the bodies, in order.
    pub code: Vec<usize>,
}

/// A check.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub name: String,
    pub kind: CheckKind,
    pub test: TestKind,
    pub negated: bool,
    pub slot: usize,
    /// The expression, for those who reason about it.
    pub expr: ExprId,
    /// Is it asked of every graph on the way, or only at the end?
    pub prunes: bool,
    /// Does its expression stay as it is between the events of a graph that grows?
    pub stays: bool,
    /// It holds where one slot of each of these lists is empty.
    pub guards: Vec<Vec<usize>>,
    /// All that it says of a new event is that it respects this bound.
    pub exact: Option<Floor>,
    /// Does it hold or fail pair by pair, once and for all? Then no pair is looked at twice: the number of the set of events that were.
    pub settled: Option<usize>,
    /// Do all pairs that come with a new event touch it?
    pub local: bool,
    /// The relations that it is composed of, if each of their new pairs touches a new event: the check can only fail by that event if it lies on a
    /// cycle of these.
    pub walks: Option<Walks>,
    /// Are all its pairs of accesses to one cell?
    pub same_cell: bool,
    /// Of `irreflexive a; b`: the same composition, begun elsewhere, with what is cheap to know at its end.
    pub turned: Option<Vec<Link>>,
}

/// Relations that a cycle is looked for in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Walks {
    /// The fixed ones among them, taken together and closed.
    pub closed: Option<usize>,
    pub others: Vec<usize>,
    /// Does the check fail if there is a cycle?
    pub exact: bool,
}

/// When does a model relate accesses of one instruction?
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Inside {
    #[default]
    Never,
    /// Where one of these, all fixed, leads to an event.
    Rows(Vec<usize>),
    /// It may, whenever there are several.
    Always,
}

/// A model, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// Names of the predefined sets, by bit.
    pub sets: Vec<Arc<str>>,
    pub slots: Vec<Slot>,
    pub groups: Vec<Group>,
    /// Fixed slots, and settled ones that these need, in order: computed when an event is added.
    pub kept: Vec<usize>,
    /// Those of them that depend on what reads read: computed again when a read is given another source.
    pub bound: Vec<usize>,
    /// How many relations and sets are kept.
    pub n_rows: usize,
    pub n_sets: usize,
    /// What is computed of a new event, by what it is.
    pub recipes: Recipes,
    /// Checks that reject an execution, flags and the like.
    pub checks: Vec<Check>,
    pub flags: Vec<Check>,
    /// Are the two accesses of an atomic instruction ordered, as far as cycles with `rf` go?
    pub orders_updates: bool,
    /// Must a one-event read-modify-write come right after the write that it reads?
    pub updates_follow: bool,
    /// Must the reads of an instruction come before its writes?
    pub reads_first: bool,
    /// Does it look at dependencies?
    pub depends: bool,
    /// May it accept executions with a cycle of program order and `rf`, which this engine does not list?
    pub residual: bool,
    /// Bounds on new events.
    pub floors: Vec<Floor>,
    /// How many flags are looked at pair by pair.
    pub n_settled: usize,
    /// When do checks on the way relate accesses of one instruction?
    pub inside: Inside,
    /// The parts of program order that events need, where they do not need all of it.
    pub prefix: Vec<usize>,
    /// The bit of store-conditionals among memberships, if the model looks at them.
    pub exclusive: Option<u8>,
}

impl Code {
    /// Puts checks in the order in which they are asked: those of graphs on the way, then those of whole executions.
    pub fn arrange(&mut self) {
        self.checks.sort_by_key(|check| !check.prunes);
        let locals = self.locals();
        let turned: Vec<Option<Vec<Link>>> = self.checks.iter().map(|check| self.turned(check)).collect();
        for (check, turned) in self.checks.iter_mut().zip(turned) {
            check.local = locals[check.slot];
            check.turned = turned;
        }
        let settled: Vec<bool> = self.flags.iter().map(|flag| self.is_settled(flag)).collect();
        for (flag, settled) in self.flags.iter_mut().zip(settled) {
            flag.settled = settled.then_some(self.n_settled);
            self.n_settled += usize::from(settled);
        }
        self.exclusive = self.sets.iter().position(|name| &**name == "EX").map(|bit| bit as u8);
        let mut early = vec![false; self.slots.len()];
        let asked = self.checks.iter().filter(|check| check.prunes).map(|check| check.slot);
        for slot in asked.chain(self.floors.iter().map(|floor| floor.slot)) {
            self.needed(slot).iter().zip(&mut early).for_each(|(needed, early)| *early |= needed);
        }
        self.inside = self.find_inside(&early);
        for index in 0..self.checks.len() {
            self.checks[index].walks = self.walks_of(&self.checks[index].clone(), &locals);
        }
        for index in 0..self.flags.len() {
            self.flags[index].same_cell = self.is_within_cells(self.flags[index].slot);
        }
        let mut reads = vec![false; self.slots.len()];
        for slot in 0..self.slots.len() {
            let own = matches!(self.slots[slot].kind, Kind::Base(Base::Rf) | Kind::DifferentValues(_));
            reads[slot] = own || self.operands(slot).iter().any(|operand| reads[*operand]);
        }
        // What only whole executions are asked for is known by then, too, if it is fixed.
        let checks = self.checks.iter().chain(&self.flags);
        let walks = self.checks.iter().filter_map(|check| check.walks.as_ref()?.closed);
        let all: Vec<usize> =
            checks.map(|check| check.slot).chain(walks).chain(self.prefix.iter().copied()).collect();
        let mut asked = early;
        asked.resize(self.slots.len(), false);
        for slot in all {
            self.needed(slot).iter().zip(&mut asked).for_each(|(needed, asked)| *asked |= needed);
        }
        let mut kept = vec![false; self.slots.len()];
        for slot in (0..self.slots.len()).filter(|slot| asked[*slot]) {
            if self.slots[slot].class == Class::Fixed && !kept[slot] {
                self.needed(slot).iter().zip(&mut kept).for_each(|(needed, kept)| *kept |= needed);
            }
        }
        self.kept = (0..self.slots.len()).filter(|slot| kept[*slot]).collect();
        self.bound = self.kept.iter().copied().filter(|slot| reads[*slot]).collect();
        for slot in &self.kept {
            let slot = &mut self.slots[*slot];
            let n = if slot.is_set { &mut self.n_sets } else { &mut self.n_rows };
            slot.at = *n;
            *n += 1;
        }
    }

    /// Leaves out what a program has no events for, and checks that always hold then.
    pub fn shrink(&mut self, is_absent: &dyn Fn(&str) -> bool) {
        for slot in 0..self.slots.len() {
            let is_none = |slot: &usize| self.slots[*slot].kind == Kind::Empty;
            let kind = match &self.slots[slot].kind {
                Kind::Member(bit) if is_absent(&self.sets[usize::from(*bit)]) => Kind::Empty,
                Kind::Union(list) if list.iter().any(is_none) => {
                    let left: Vec<usize> = list.iter().copied().filter(|slot| !is_none(slot)).collect();
                    if left.is_empty() { Kind::Empty } else { Kind::Union(left) }
                }
                Kind::Inter(a, b) | Kind::Product(a, b) if is_none(a) || is_none(b) => Kind::Empty,
                Kind::Diff(a, _)
                | Kind::Inverse(a)
                | Kind::ToId(a)
                | Kind::Domain(a)
                | Kind::Range(a)
                | Kind::Plus(a)
                | Kind::DifferentValues(a)
                    if is_none(a) =>
                {
                    Kind::Empty
                }
                Kind::Seq(links)
                    if links.iter().any(|(Link::Filter(slot) | Link::Step(slot))| is_none(slot)) =>
                {
                    Kind::Empty
                }
                _ => continue,
            };
            let class = match &kind {
                Kind::Empty => Class::Fixed,
                Kind::Union(list) => {
                    let first = self.slots[list[0]].class;
                    let same = list.iter().all(|slot| self.slots[*slot].class == first);
                    if same { first } else { Class::Whole }
                }
                _ => self.slots[slot].class,
            };
            self.slots[slot].kind = kind;
            self.slots[slot].class = class;
        }
        for group in &mut self.groups {
            group.code.retain(|slot| self.slots[*slot].class == Class::Whole);
        }
        let holds = |check: &Check| {
            let slot = &self.slots[check.slot];
            let leads_back = check.test == TestKind::Acyclic
                && slot.class == Class::Fixed
                && !slot.is_set
                && self.is_strict(check.slot);
            !check.negated && (slot.kind == Kind::Empty || leads_back)
        };
        let kept: Vec<bool> = self.checks.iter().map(|check| !holds(check)).collect();
        let mut kept = kept.into_iter();
        self.checks.retain(|_| kept.next().unwrap_or(true));
    }

    /// Of each slot: do all its pairs that come with a new event touch that event? A new event has no edge of a fixed relation to any other.
    fn locals(&self) -> Vec<bool> {
        /// May there be pairs to a new event, from it, and are there no others?
        #[derive(Clone, Copy)]
        struct Touch {
            into: bool,
            out: bool,
            only: bool,
        }
        let mut known: Vec<Touch> = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            let of = |slot: &usize| {
                known.get(*slot).copied().unwrap_or(Touch { into: true, out: true, only: false })
            };
            known.push(match &slot.kind {
                _ if slot.class == Class::Fixed => Touch { into: true, out: false, only: true },
                _ if slot.class == Class::Settled => Touch { into: true, out: true, only: true },
                Kind::Base(_) => Touch { into: true, out: true, only: true },
                Kind::Union(list) => {
                    let list: Vec<Touch> = list.iter().map(of).collect();
                    Touch {
                        into: list.iter().any(|touch| touch.into),
                        out: list.iter().any(|touch| touch.out),
                        only: list.iter().all(|touch| touch.only),
                    }
                }
                Kind::Inter(a, b) => {
                    let (a, b) = (of(a), of(b));
                    Touch { into: a.into && b.into, out: a.out && b.out, only: a.only && b.only }
                }
                Kind::Diff(a, b) => Touch { only: of(a).only && of(b).only, ..of(a) },
                Kind::Inverse(a) => Touch { into: of(a).out, out: of(a).into, only: of(a).only },
                Kind::Opt(a) | Kind::DifferentValues(a) => of(a),
                Kind::Seq(links) => {
                    // A filter may come to let more events through, if it is not fixed.
                    let fixed = links.iter().all(|link| match link {
                        Link::Filter(slot) => self.slots[*slot].class == Class::Fixed,
                        Link::Step(_) => true,
                    });
                    let steps: Vec<Touch> = links
                        .iter()
                        .filter_map(|link| match link {
                            Link::Step(slot) => Some(of(slot)),
                            Link::Filter(_) => None,
                        })
                        .collect();
                    // Through the new event: in by one step, out by a later one.
                    let through = steps
                        .iter()
                        .enumerate()
                        .any(|(at, step)| step.into && steps[at + 1..].iter().any(|later| later.out));
                    Touch {
                        into: steps.iter().any(|step| step.into),
                        out: steps.iter().any(|step| step.out),
                        only: fixed && !through && steps.iter().all(|step| step.only),
                    }
                }
                _ => Touch { into: true, out: true, only: false },
            });
        }
        known.into_iter().map(|touch| touch.only).collect()
    }

    /// Does a flag ask whether there is some pair, of a relation that is the same both ways and does not change between two events?
    fn is_settled(&self, flag: &Check) -> bool {
        let slot = &self.slots[flag.slot];
        flag.test == TestKind::Empty && !slot.is_set && flag.stays && self.is_symmetric(flag.slot)
    }

    fn is_symmetric(&self, slot: usize) -> bool {
        let turned = |of: usize, other: usize| match (&self.slots[of].kind, &self.slots[other].kind) {
            (Kind::Inverse(a), _) if *a == other => true,
            (_, Kind::Inverse(b)) if *b == of => true,
            (Kind::Product(a, b), Kind::Product(c, d)) => (a, b) == (d, c),
            _ => false,
        };
        match &self.slots[slot].kind {
            Kind::Base(Base::Loc | Base::Int | Base::Ext | Base::SameInstance) => true,
            Kind::All | Kind::Id | Kind::Empty | Kind::ToId(_) => true,
            Kind::Inter(a, b) | Kind::Diff(a, b) => self.is_symmetric(*a) && self.is_symmetric(*b),
            Kind::Compl(a) | Kind::Opt(a) => self.is_symmetric(*a),
            Kind::Product(a, b) => a == b,
            Kind::Union(list) => list
                .iter()
                .all(|one| self.is_symmetric(*one) || list.iter().any(|other| turned(*one, *other))),
            _ => false,
        }
    }

    /// Where a cycle must be, if a check fails by a new event.
    fn walks_of(&mut self, check: &Check, locals: &[bool]) -> Option<Walks> {
        let exact = check.local && check.test == TestKind::Acyclic && !self.slots[check.slot].is_set;
        let parts = match exact {
            true => self.flattened(check.slot),
            false if check.local || check.test == TestKind::Empty => return None,
            false => self.walks(check.slot, locals)?,
        };
        let (mut fixed, others): (Vec<usize>, Vec<usize>) =
            parts.into_iter().partition(|slot| self.slots[*slot].class == Class::Fixed);
        let is_covered = |slot: &usize, all: &[usize]| {
            all.iter().any(|other| {
                other != slot && self.is_part(*slot, *other) && (slot > other || !self.is_part(*other, *slot))
            })
        };
        let all = fixed.clone();
        fixed.retain(|slot| !is_covered(slot, &all));
        let closed = match fixed[..] {
            [] => None,
            [one] if matches!(self.slots[one].kind, Kind::Plus(_)) => Some(one),
            _ => {
                let union = self.keep(Kind::Union(fixed));
                Some(self.keep(Kind::Plus(union)))
            }
        };
        Some(Walks { closed, others, exact })
    }

    /// Is a relation part of another?
    pub fn is_part(&self, slot: usize, of: usize) -> bool {
        let within = match &self.slots[of].kind {
            Kind::Union(list) => list.iter().any(|of| self.is_part(slot, *of)),
            Kind::Plus(of) | Kind::Star(of) | Kind::Opt(of) => self.is_part(slot, *of),
            _ => false,
        };
        let is_closed = matches!(self.slots[of].kind, Kind::Plus(_) | Kind::Star(_));
        within
            || slot == of
            || match &self.slots[slot].kind {
                Kind::Union(list) => list.iter().all(|slot| self.is_part(*slot, of)),
                Kind::Inter(a, b) => self.is_part(*a, of) || self.is_part(*b, of),
                Kind::Diff(a, _) => self.is_part(*a, of),
                Kind::Seq(links) => {
                    let mut steps = links.iter().filter_map(|link| match link {
                        Link::Step(slot) => Some(*slot),
                        Link::Filter(_) => None,
                    });
                    let n = steps.clone().count();
                    (n == 1 || n > 1 && is_closed) && steps.all(|slot| self.is_part(slot, of))
                }
                _ => false,
            }
    }

    /// The parts of a union.
    pub fn flattened(&self, slot: usize) -> Vec<usize> {
        match &self.slots[slot].kind {
            Kind::Union(list) => list.iter().flat_map(|slot| self.flattened(*slot)).collect(),
            _ => vec![slot],
        }
    }

    /// Does a relation lead to accesses of the same cell only?
    fn is_within_cells(&self, slot: usize) -> bool {
        match &self.slots[slot].kind {
            Kind::Base(Base::Loc | Base::Co | Base::Rf) => true,
            Kind::Union(list) => list.iter().all(|slot| self.is_within_cells(*slot)),
            Kind::Inter(a, b) => self.is_within_cells(*a) || self.is_within_cells(*b),
            Kind::Diff(a, _) => self.is_within_cells(*a),
            _ => false,
        }
    }

    /// Is an event in a set or not by what it is, whatever it reads?
    fn is_static(&self, set: usize) -> bool {
        match &self.slots[set].kind {
            Kind::Member(_) | Kind::All | Kind::Empty => true,
            Kind::Union(list) => list.iter().all(|set| self.is_static(*set)),
            Kind::Inter(a, b) | Kind::Diff(a, b) => self.is_static(*a) && self.is_static(*b),
            Kind::Compl(a) => self.is_static(*a),
            _ => false,
        }
    }

    /// May a relation lead from an event to itself, because nothing need be done to go along it?
    fn is_reflexive(&self, slot: usize) -> bool {
        match &self.slots[slot].kind {
            Kind::Opt(_) | Kind::Star(_) | Kind::Id | Kind::ToId(_) => true,
            Kind::Union(list) => list.iter().any(|slot| self.is_reflexive(*slot)),
            Kind::Inter(a, b) => self.is_reflexive(*a) && self.is_reflexive(*b),
            Kind::Diff(a, _) => self.is_reflexive(*a),
            Kind::Seq(links) => links.iter().all(|link| match link {
                Link::Filter(_) => true,
                Link::Step(slot) => self.is_reflexive(*slot),
            }),
            _ => false,
        }
    }

    /// The parts of a relation whose new pairs all touch a new event, if it is composed of such parts. Those from an event to itself are left out: what fails by
    /// such pairs alone would fail wherever the event is added.
    fn walks(&self, slot: usize, locals: &[bool]) -> Option<Vec<usize>> {
        let is_own = match &self.slots[slot].kind {
            Kind::Id => true,
            Kind::ToId(set) => self.is_static(*set),
            _ => false,
        };
        if is_own {
            return Some(Vec::new());
        }
        if locals[slot] && !matches!(self.slots[slot].kind, Kind::Union(_)) && !self.is_reflexive(slot) {
            return Some(vec![slot]);
        }
        // What is known between any two events by themselves gets no new pair but with a new event.
        let is_settled = |slot: usize| self.slots[slot].class != Class::Whole;
        let parts: Vec<usize> = match &self.slots[slot].kind {
            Kind::Union(list) => list.clone(),
            Kind::Inter(a, b) if is_settled(*a) => vec![*b],
            Kind::Inter(a, b) if is_settled(*b) => vec![*a],
            Kind::Inter(a, b) => vec![*a, *b],
            // A pair of a recursive relation comes of pairs of what its bodies are composed of.
            Kind::Fix { group, .. } => self.groups[*group].bodies.clone(),
            Kind::Variable => Vec::new(),
            Kind::Plus(a) | Kind::Star(a) | Kind::Opt(a) | Kind::DifferentValues(a) => vec![*a],
            Kind::Diff(a, b) if locals[*b] => vec![*a],
            Kind::Seq(links) => {
                let mut steps = Vec::new();
                for link in links {
                    match link {
                        Link::Step(slot) => steps.push(*slot),
                        Link::Filter(slot) if self.slots[*slot].class == Class::Fixed => {}
                        Link::Filter(_) => return None,
                    }
                }
                steps
            }
            _ => return None,
        };
        let mut walks = Vec::new();
        for part in parts {
            walks.extend(self.walks(part, locals)?);
        }
        walks.sort_unstable();
        walks.dedup();
        Some(walks)
    }

    /// When do the slots that are asked for relate accesses of one instruction?
    fn find_inside(&self, early: &[bool]) -> Inside {
        let mut within = vec![false; self.slots.len()];
        let mut rows = Vec::new();
        for slot in 0..self.slots.len() {
            let own = self.slots[slot].kind == Kind::Base(Base::SameInstance);
            within[slot] = own || self.operands(slot).iter().any(|operand| within[*operand]);
            if !within[slot] || !early[slot] {
                continue;
            }
            match self.slots[slot].class {
                Class::Settled => {}
                // From here on, its pairs are those of any fixed relation.
                Class::Fixed if matches!(self.slots[slot].kind, Kind::Seq(_) | Kind::Inter(..)) => {
                    rows.push(slot);
                    within[slot] = false;
                }
                _ => return Inside::Always,
            }
        }
        if rows.is_empty() { Inside::Never } else { Inside::Rows(rows) }
    }

    /// A composition that must have no loop, turned so that it ends with a fixed relation.
    fn turned(&self, check: &Check) -> Option<Vec<Link>> {
        let Kind::Seq(links) = &self.slots[check.slot].kind else { return None };
        let is_fixed =
            |link: &Link| matches!(link, Link::Step(slot) if self.slots[*slot].class == Class::Fixed);
        if check.test != TestKind::Irreflexive || links.last().is_some_and(is_fixed) {
            return None;
        }
        let at = links.iter().rposition(is_fixed)?;
        let mut links = links.clone();
        links.rotate_left(at + 1);
        Some(links)
    }

    /// The slots that a slot is computed from, itself included; not those inside recursive groups, which are run as one.
    fn needed(&self, slot: usize) -> Vec<bool> {
        let mut needed = vec![false; self.slots.len()];
        let mut waiting = vec![slot];
        while let Some(slot) = waiting.pop() {
            if !std::mem::replace(&mut needed[slot], true) {
                waiting.extend(self.operands(slot));
            }
        }
        needed
    }

    pub fn operands(&self, slot: usize) -> Vec<usize> {
        match &self.slots[slot].kind {
            Kind::Member(_) | Kind::Base(_) | Kind::Empty | Kind::All | Kind::Id | Kind::Variable => {
                Vec::new()
            }
            Kind::Union(list) => list.clone(),
            Kind::Inter(a, b) | Kind::Diff(a, b) | Kind::Product(a, b) => vec![*a, *b],
            Kind::Seq(links) => links
                .iter()
                .map(|link| match link {
                    Link::Filter(s) | Link::Step(s) => *s,
                })
                .collect(),
            Kind::Compl(a)
            | Kind::Inverse(a)
            | Kind::ToId(a)
            | Kind::Domain(a)
            | Kind::Range(a)
            | Kind::Opt(a)
            | Kind::Plus(a)
            | Kind::Star(a)
            | Kind::DifferentValues(a) => vec![*a],
            // What the bodies use from outside the group.
            Kind::Fix { group, .. } => {
                let group = &self.groups[*group];
                let inside = |slot: &usize| group.code.contains(slot) || group.variables.contains(slot);
                let mut outside: Vec<usize> =
                    group.code.iter().flat_map(|slot| self.operands(*slot)).filter(|s| !inside(s)).collect();
                outside.extend(group.bodies.iter().copied().filter(|s| !inside(s)));
                outside
            }
        }
    }

    /// Memberships of an event in the predefined sets, by bit.
    pub fn members(&self, is_in: &dyn Fn(&str) -> bool) -> u128 {
        let bits = self.sets.iter().enumerate().filter(|(_, name)| is_in(name)).map(|(bit, _)| 1u128 << bit);
        bits.fold(0, |all, bit| all | bit)
    }
}
