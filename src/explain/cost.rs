//! The shortest way to put a pair into a relation, counted in base edges.
//!
//! For every node of a surface: a matrix of the least number of base edges that derive each of its pairs. Recursive
//! definitions are iterated until nothing gets cheaper; going through one costs a little, so that derivations are well-founded. Following the least
//! costs back gives the derivation.

use crate::model::{EvalError, Expr, Plain, Sort, Val};
use crate::relation::Rel;

use super::surface::{At, Form, Surface};

/// No way.
pub const NEVER: u32 = u32::MAX;
/// A base edge.
const EDGE: u32 = 4096;
/// What a pair of a chosen order costs more: a reason that holds for every order is better.
const CHOSEN: u32 = 16;
/// Anything else: a filter, a step into a recursion.
const TOUCH: u32 = 1;

/// Costs of the pairs of every node that a root is made of.
pub struct Costs {
    /// The events that matter.
    pub events: Vec<usize>,
    position: Vec<usize>,
    of: Vec<Vec<u32>>,
}

impl Costs {
    /// Of the nodes below `root`, in one execution.
    pub fn new(surface: &Surface, root: At, plain: &mut Plain) -> Result<Costs, EvalError> {
        let order = postorder(surface, root);
        let mut values: Vec<Option<Rel>> = vec![None; surface.nodes.len()];
        let n = plain.n_events();
        let mut seen = vec![false; n];
        for at in &order {
            let node = &surface.nodes[*at];
            let value = match &*plain.eval(node.id)? {
                Val::Rel(rel) => rel.clone(),
                _ => continue,
            };
            if matches!(node.form, Form::Leaf(_)) {
                for (a, b) in value.iter() {
                    (seen[a], seen[b]) = (true, true);
                }
            }
            values[*at] = Some(value);
        }
        let events: Vec<usize> = (0..n).filter(|e| seen[*e]).collect();
        let mut position = vec![usize::MAX; n];
        for (index, event) in events.iter().enumerate() {
            position[*event] = index;
        }
        let k = events.len();
        let mut costs = Costs { events, position, of: vec![Vec::new(); surface.nodes.len()] };
        let recursive = order.iter().any(|at| matches!(surface.nodes[*at].form, Form::Rec(_)));
        loop {
            let mut changed = false;
            for at in &order {
                let Some(value) = &values[*at] else { continue };
                let new = costs.node(surface, *at, value, k);
                if new != costs.of[*at] {
                    costs.of[*at] = new;
                    changed = true;
                }
            }
            if !changed || !recursive {
                return Ok(costs);
            }
        }
    }

    /// The cost of a pair, by events.
    pub fn get(&self, at: At, a: usize, b: usize) -> u32 {
        let (a, b) = (self.position[a], self.position[b]);
        if a == usize::MAX || b == usize::MAX { NEVER } else { self.at(at, a, b) }
    }

    fn at(&self, at: At, a: usize, b: usize) -> u32 {
        self.of[at].get(a * self.events.len() + b).copied().unwrap_or(NEVER)
    }

    fn node(&self, surface: &Surface, at: At, value: &Rel, k: usize) -> Vec<u32> {
        let node = &surface.nodes[at];
        let mut result = vec![NEVER; k * k];
        if value.is_empty() {
            return result;
        }
        let events = &self.events;
        match &node.form {
            Form::Leaf(_) => {
                let chosen = !surface.model.pool.is_static(node.id)
                    && !matches!(surface.model.pool.expr(node.id), Expr::Base(..));
                let cost = EDGE + if chosen { CHOSEN } else { 0 };
                let fixed = surface.model.pool.is_static(node.id);
                for (a, b) in value.iter() {
                    // A pair of an event with itself that the program fixes says something of the event.
                    let cost = if a == b && fixed { TOUCH } else { cost };
                    result[self.position[a] * k + self.position[b]] = cost;
                }
            }
            Form::Same(inner) => self.copy(*inner, &mut result, 0),
            Form::Rec(inner) => self.copy(*inner, &mut result, TOUCH),
            Form::Union(parts) => {
                for part in parts {
                    for (own, other) in result.iter_mut().zip(&self.of[*part]) {
                        *own = (*own).min(*other);
                    }
                }
            }
            Form::Seq(parts) => result = self.sequence(parts, k),
            Form::Both(main, _) => {
                for (index, own) in result.iter_mut().enumerate() {
                    let (a, b) = (index / k, index % k);
                    if value.contains(events[a], events[b]) {
                        let costs = main.iter().map(|part| self.at(*part, a, b));
                        *own = costs.fold(TOUCH, u32::saturating_add);
                    }
                }
            }
            Form::Minus(main, _) => {
                for (index, own) in result.iter_mut().enumerate() {
                    let (a, b) = (index / k, index % k);
                    if value.contains(events[a], events[b]) {
                        *own = self.at(*main, a, b).saturating_add(TOUCH);
                    }
                }
            }
            Form::Inverse(inner) => {
                for (index, own) in result.iter_mut().enumerate() {
                    *own = self.at(*inner, index % k, index / k);
                }
            }
            Form::Opt(inner) => {
                self.copy(*inner, &mut result, 0);
                self.stay(value, &mut result, k);
            }
            Form::Plus(inner) => result = self.closed(*inner, k),
            Form::Star(inner) => {
                result = self.closed(*inner, k);
                self.stay(value, &mut result, k);
            }
            Form::Stay(_) => self.stay(value, &mut result, k),
        }
        // What its parts cannot account for stands for itself (an interpreted leaf, a filter that was read otherwise).
        if !surface.model.pool.mentions_fix_var(node.id) && surface.model.pool.sort(node.id) == Sort::Rel {
            for (a, b) in value.iter() {
                let (a, b) = (self.position[a], self.position[b]);
                if a != usize::MAX && b != usize::MAX && result[a * k + b] == NEVER && !is_rec(&node.form) {
                    result[a * k + b] = EDGE;
                }
            }
        }
        result
    }

    fn copy(&self, from: At, to: &mut [u32], more: u32) {
        for (own, other) in to.iter_mut().zip(&self.of[from]) {
            *own = other.saturating_add(more);
        }
    }

    fn stay(&self, value: &Rel, result: &mut [u32], k: usize) {
        for (index, event) in self.events.iter().enumerate() {
            if value.contains(*event, *event) {
                let own = &mut result[index * k + index];
                *own = (*own).min(TOUCH);
            }
        }
    }

    fn sequence(&self, parts: &[At], k: usize) -> Vec<u32> {
        let mut result = self.of[parts[0]].clone();
        if result.is_empty() {
            return vec![NEVER; k * k];
        }
        for part in &parts[1..] {
            let mut next = vec![NEVER; k * k];
            for a in 0..k {
                for m in 0..k {
                    let first = result[a * k + m];
                    if first == NEVER {
                        continue;
                    }
                    for b in 0..k {
                        let total = first.saturating_add(self.at(*part, m, b));
                        next[a * k + b] = next[a * k + b].min(total);
                    }
                }
            }
            result = next;
        }
        result
    }

    /// The cheapest paths of at least one step.
    fn closed(&self, inner: At, k: usize) -> Vec<u32> {
        let mut result = self.of[inner].clone();
        if result.is_empty() {
            return vec![NEVER; k * k];
        }
        for m in 0..k {
            for a in 0..k {
                let first = result[a * k + m];
                if first == NEVER {
                    continue;
                }
                for b in 0..k {
                    let total = first.saturating_add(result[m * k + b]);
                    result[a * k + b] = result[a * k + b].min(total);
                }
            }
        }
        result
    }
}

fn is_rec(form: &Form) -> bool {
    matches!(form, Form::Rec(_))
}

/// The nodes that a root is made of, parts before wholes where there is no recursion.
pub fn postorder(surface: &Surface, root: At) -> Vec<At> {
    let mut order = Vec::new();
    let mut seen = vec![false; surface.nodes.len()];
    // An explicit stack: models may nest deeply.
    let mut stack = vec![(root, false)];
    while let Some((at, done)) = stack.pop() {
        if done {
            order.push(at);
            continue;
        }
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        stack.push((at, true));
        for part in parts(&surface.nodes[at].form) {
            if !seen[part] {
                stack.push((part, false));
            }
        }
    }
    order
}

/// The nodes that costs of a form come from.
fn parts(form: &Form) -> Vec<At> {
    match form {
        Form::Leaf(None) | Form::Stay(_) => Vec::new(),
        Form::Leaf(Some(a))
        | Form::Same(a)
        | Form::Rec(a)
        | Form::Inverse(a)
        | Form::Opt(a)
        | Form::Plus(a)
        | Form::Star(a)
        | Form::Minus(a, _) => vec![*a],
        Form::Union(parts) | Form::Seq(parts) | Form::Both(parts, _) => parts.clone(),
    }
}
