//! Why a pair is in a relation: the base edges that put it there, in order.

use super::cost::{Costs, NEVER};
use super::surface::{At, Form, Surface};
use crate::model::Expr;

/// A base edge of a derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where the derivation stands before it.
    pub from: usize,
    /// Where it stands after it.
    pub to: usize,
    /// The leaf that it is a pair of.
    pub node: At,
    /// Is it taken against its direction?
    pub backwards: bool,
    /// The names and calls around it, outermost first.
    pub within: Vec<At>,
    /// Which link of the chain it belongs to.
    pub link: usize,
    /// Which of several chains between the same two events it belongs to; 0 for the first.
    pub strand: usize,
}

impl Step {
    /// The pair of the leaf's relation.
    pub fn pair(&self) -> (usize, usize) {
        if self.backwards { (self.to, self.from) } else { (self.from, self.to) }
    }
}

/// A step of the outermost closures: a pair of a relation that its author would call one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// From here.
    pub from: usize,
    /// To there.
    pub to: usize,
    /// By this expression.
    pub node: At,
    /// The names around it, outermost first.
    pub within: Vec<At>,
}

/// Why a pair is in a relation.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The links, in order.
    pub links: Vec<Link>,
    /// The base edges, in order.
    pub steps: Vec<Step>,
    /// Expressions that had to hold of an event or a pair besides, or not to hold: they were not looked into.
    pub filters: Vec<At>,
    /// Does one of them depend on what the search chooses, so that the derivation may fail elsewhere for another choice?
    pub fragile: bool,
}

/// Derives a pair that has a cost.
pub fn derive(surface: &Surface, costs: &Costs, root: At, a: usize, b: usize) -> Derivation {
    let mut cx = Deriver {
        surface,
        costs,
        result: Derivation::default(),
        within: Vec::new(),
        backwards: false,
        strands: 0,
        strand: 0,
    };
    cx.pair(root, a, b, true);
    cx.result
}

struct Deriver<'d, 'm> {
    surface: &'d Surface<'m>,
    costs: &'d Costs,
    result: Derivation,
    within: Vec<At>,
    backwards: bool,
    strands: usize,
    strand: usize,
}

impl Deriver<'_, '_> {
    /// `open`: is the pair a link of its own, unless it is a closure?
    fn pair(&mut self, at: At, a: usize, b: usize, open: bool) {
        let node = &self.surface.nodes[at];
        let depth = self.within.len();
        if node.name.is_some() {
            self.within.push(at);
        }
        let cost = self.costs.get(at, a, b);
        match &node.form {
            Form::Same(inner) | Form::Rec(inner) => {
                let pool = &self.surface.model.pool;
                self.result.fragile |= matches!(pool.expr(node.id), Expr::ByValues(..));
                self.pair(*inner, a, b, open);
            }
            Form::Union(parts) => {
                let best = parts.iter().min_by_key(|part| self.costs.get(**part, a, b));
                match best {
                    Some(part) if self.costs.get(*part, a, b) <= cost => self.pair(*part, a, b, open),
                    _ => self.edge(at, a, b, open),
                }
            }
            Form::Opt(inner) if self.costs.get(*inner, a, b) == cost => self.pair(*inner, a, b, open),
            Form::Plus(inner) | Form::Star(inner) => {
                if !(a == b && cost <= 1) {
                    self.path(at, *inner, (a, b), open);
                }
            }
            Form::Opt(_) => {}
            _ => {
                if open {
                    self.link(at, a, b);
                }
                self.inside(at, a, b, cost);
            }
        }
        self.within.truncate(depth);
    }

    fn link(&mut self, at: At, a: usize, b: usize) {
        let (from, to) = if self.backwards { (b, a) } else { (a, b) };
        self.result.links.push(Link { from, to, node: at, within: self.within.clone() });
    }

    fn inside(&mut self, at: At, a: usize, b: usize, cost: u32) {
        match &self.surface.nodes[at].form {
            Form::Seq(parts) => self.sequence(at, parts, a, b, cost),
            Form::Both(main, filters) => {
                filters.iter().for_each(|filter| self.filter(*filter));
                if main.iter().any(|part| self.costs.get(*part, a, b) == NEVER) {
                    return self.edge(at, a, b, false);
                }
                let outer = self.strand;
                for (index, part) in main.iter().enumerate() {
                    if index > 0 {
                        self.strands += 1;
                        self.strand = self.strands;
                    }
                    self.pair(*part, a, b, false);
                }
                self.strand = outer;
            }
            Form::Minus(main, other) => {
                self.result.filters.push(*other);
                let pool = &self.surface.model.pool;
                // `co \\ (co & int)` is `co \\ int`: the pool knows.
                let subtracted = match pool.expr(self.surface.nodes[at].id) {
                    Expr::Diff(_, subtracted) => *subtracted,
                    _ => self.surface.nodes[*other].id,
                };
                self.result.fragile |= !pool.is_static(subtracted);
                match self.costs.get(*main, a, b) {
                    NEVER => self.edge(at, a, b, false),
                    _ => self.pair(*main, a, b, false),
                }
            }
            Form::Inverse(inner) => {
                self.backwards = !self.backwards;
                match self.costs.get(*inner, b, a) {
                    NEVER => {
                        self.backwards = !self.backwards;
                        self.edge(at, a, b, false);
                    }
                    _ => {
                        let first = self.result.steps.len();
                        self.pair(*inner, b, a, false);
                        self.result.steps[first..].reverse();
                        self.backwards = !self.backwards;
                    }
                }
            }
            Form::Stay(set) => {
                if let Some(set) = set {
                    self.filter(*set);
                }
            }
            _ => self.edge(at, a, b, false),
        }
    }

    fn filter(&mut self, at: At) {
        self.result.filters.push(at);
        self.result.fragile |= !self.surface.model.pool.is_static(self.surface.nodes[at].id);
    }

    fn edge(&mut self, at: At, a: usize, b: usize, open: bool) {
        if open {
            self.link(at, a, b);
        }
        if a == b && self.surface.model.pool.is_static(self.surface.nodes[at].id) {
            return self.filter(at);
        }
        let (from, to) = if self.backwards { (b, a) } else { (a, b) };
        self.result.steps.push(Step {
            from,
            to,
            node: at,
            backwards: self.backwards,
            within: self.within.clone(),
            link: self.result.links.len().saturating_sub(1),
            strand: self.strand,
        });
    }

    /// One part after the other: the events in between are found from the end.
    fn sequence(&mut self, at: At, parts: &[At], a: usize, b: usize, cost: u32) {
        // cheapest[i][e]: from event e through parts i.. to b.
        let events = &self.costs.events;
        let mut cheapest = vec![vec![NEVER; events.len()]; parts.len() + 1];
        if let Some(end) = events.iter().position(|e| *e == b) {
            cheapest[parts.len()][end] = 0;
        }
        for index in (0..parts.len()).rev() {
            for (from, event) in events.iter().enumerate() {
                let through = events.iter().enumerate().map(|(to, next)| {
                    self.costs.get(parts[index], *event, *next).saturating_add(cheapest[index + 1][to])
                });
                cheapest[index][from] = through.min().unwrap_or(NEVER);
            }
        }
        let start = events.iter().position(|e| *e == a);
        if start.is_none_or(|start| cheapest[0][start] > cost) {
            return self.edge(at, a, b, false);
        }
        let mut here = a;
        for (index, part) in parts.iter().enumerate() {
            let next = events.iter().enumerate().min_by_key(|(to, next)| {
                self.costs.get(*part, here, **next).saturating_add(cheapest[index + 1][*to])
            });
            let Some((_, next)) = next else { return };
            let next = *next;
            self.pair(*part, here, next, false);
            here = next;
        }
    }

    /// A path of a closure, each of its steps a link.
    fn path(&mut self, at: At, inner: At, (a, b): (usize, usize), open: bool) {
        let mut here = a;
        loop {
            let cost = self.costs.get(at, here, b);
            let direct = self.costs.get(inner, here, b);
            if direct <= cost {
                return self.pair(inner, here, b, open);
            }
            let next = self.costs.events.iter().copied().find(|next| {
                let step = self.costs.get(inner, here, *next);
                let rest = self.costs.get(at, *next, b);
                step != NEVER && rest < cost && step.saturating_add(rest) <= cost
            });
            let Some(next) = next else { return self.edge(at, here, b, open) };
            self.pair(inner, here, next, open);
            here = next;
        }
    }
}
