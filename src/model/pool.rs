//! The expression pool: hash-consing, with the facts that every node carries.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::limits;
use crate::source::Span;

use super::{Base, ChoiceId, Expr, ExprId, FixGroup, FixId, Interp, InterpId, Sort, ValueTest};

/// Sequences of more members than this stay nested: each of `a1 = a0;a0`, `a2 = a1;a1` … would be twice as long as the one before.
const MAX_FLAT: usize = 64;

/// How a node's value moves when a dynamic base grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Polarity {
    /// Does not mention it.
    None,
    /// Grows with it.
    Monotone,
    /// Shrinks as it grows.
    Antitone,
    /// Neither.
    Mixed,
}

impl Polarity {
    /// Of an expression that mentions both.
    pub fn join(self, other: Polarity) -> Polarity {
        match (self, other) {
            (Polarity::None, p) | (p, Polarity::None) => p,
            (a, b) if a == b => a,
            _ => Polarity::Mixed,
        }
    }

    /// Under a negation.
    pub fn flip(self) -> Polarity {
        match self {
            Polarity::Monotone => Polarity::Antitone,
            Polarity::Antitone => Polarity::Monotone,
            p => p,
        }
    }
}

/// The dynamic bases a node depends on, with polarity: what is not listed is not mentioned.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Dynamics {
    /// Sorted by base node.
    pub bases: Vec<(ExprId, Polarity)>,
}

impl Dynamics {
    /// Mentions nothing dynamic?
    pub fn is_static(&self) -> bool {
        self.bases.is_empty()
    }

    /// The polarity with respect to one base.
    pub fn of(&self, base: ExprId) -> Polarity {
        self.bases.iter().find(|(b, _)| *b == base).map_or(Polarity::None, |(_, p)| *p)
    }

    fn merge(&mut self, other: &Dynamics, map: impl Fn(Polarity) -> Polarity) {
        for (base, polarity) in &other.bases {
            let polarity = map(*polarity);
            match self.bases.iter_mut().find(|(b, _)| b == base) {
                Some((_, p)) => *p = p.join(polarity),
                None => self.bases.push((*base, polarity)),
            }
        }
        self.bases.sort_by_key(|(base, _)| *base);
    }
}

/// A node with its facts.
#[derive(Clone, Debug)]
pub struct Node {
    /// The expression.
    pub expr: Expr,
    /// What it denotes.
    pub sort: Sort,
    /// What of the search it depends on (recursion variables count as bases here, so that a group can be checked
    /// for monotonicity).
    pub dynamics: Dynamics,
    /// Does it mention a recursion variable?
    pub recursive: bool,
    /// May evaluating it end in an error of the model?
    pub fallible: bool,
}

/// All expressions of a model.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: Vec<Node>,
    index: FxHashMap<Expr, ExprId>,
    fixes: Vec<FixGroup>,
    interps: Vec<Interp>,
    n_choices: u32,
}

impl Pool {
    /// The node.
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }

    /// What it denotes.
    pub fn sort(&self, id: ExprId) -> Sort {
        self.node(id).sort
    }

    /// Does it not depend on the search?
    pub fn is_static(&self, id: ExprId) -> bool {
        self.node(id).dynamics.is_static()
    }

    /// Number of nodes; children always come before their parents, except through a [`Expr::Fix`].
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// No node at all?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A recursive group.
    pub fn fix(&self, id: FixId) -> &FixGroup {
        &self.fixes[id.0 as usize]
    }

    /// Number of recursive groups.
    pub fn n_fixes(&self) -> usize {
        self.fixes.len()
    }

    /// An interpreted leaf.
    pub fn interp(&self, id: InterpId) -> &Interp {
        &self.interps[id.0 as usize]
    }

    /// Number of `with` choices.
    pub fn n_choices(&self) -> usize {
        self.n_choices as usize
    }

    /// The node of a base, if the model has it.
    pub fn find_base(&self, base: &Base, sort: Sort) -> Option<ExprId> {
        self.find(&Expr::Base(base.clone(), sort))
    }

    /// Does the node mention a recursion variable (so that it has a value only inside its group)?
    pub fn mentions_fix_var(&self, id: ExprId) -> bool {
        self.node(id).recursive
    }

    /// A base set or relation. `pco` is not one of its own: what is known of coherence before the model runs is that
    /// the initial write comes first and the final one last.
    pub fn base(&mut self, base: Base, sort: Sort) -> ExprId {
        if base == Base::Pco {
            let [loc, initial, writes, last] =
                [(Base::Loc, Sort::Rel), (Base::Iw, Sort::Set), (Base::W, Sort::Set), (Base::Fw, Sort::Set)]
                    .map(|(base, sort)| self.intern(Expr::Base(base, sort)));
            let later = self.intern(Expr::Diff(writes, initial));
            let first = self.intern(Expr::Product(initial, later));
            let earlier = self.intern(Expr::Diff(writes, last));
            let end = self.intern(Expr::Product(earlier, last));
            let both = self.intern(Expr::Union(vec![first, end]));
            return self.intern(Expr::Inter(loc, both));
        }
        self.intern(Expr::Base(base, sort))
    }

    /// A fresh `with` choice.
    pub fn new_choice(&mut self) -> ChoiceId {
        self.n_choices += 1;
        ChoiceId(self.n_choices - 1)
    }

    /// Opens a recursive group of `names`; bodies are given later by [`Pool::set_bodies`].
    pub fn new_fix(&mut self, names: Vec<String>) -> FixId {
        self.fixes.push(FixGroup { names, bodies: Vec::new(), when: None, span: None });
        FixId(self.fixes.len() as u32 - 1)
    }

    /// Says where a recursive group stands.
    pub fn set_fix_span(&mut self, id: FixId, span: Span) {
        self.fixes[id.0 as usize].span = Some(span);
    }

    /// Closes a recursive group.
    pub fn set_bodies(&mut self, id: FixId, bodies: Vec<ExprId>, when: Option<super::Test>) {
        let group = &mut self.fixes[id.0 as usize];
        group.bodies = bodies;
        group.when = when;
    }

    /// A new interpreted leaf.
    pub fn new_interp(&mut self, interp: Interp, sort: Sort) -> ExprId {
        self.interps.push(interp);
        let id = InterpId(self.interps.len() as u32 - 1);
        self.intern(Expr::Interp(id, sort))
    }

    /// The node of an expression, new or old. Applies the obvious simplifications (empty operands, nested unions,
    /// one-element unions and sequences, double inverse …) so that equal meanings more often are equal nodes.
    pub fn intern(&mut self, expr: Expr) -> ExprId {
        limits::poll();
        let expr = match self.simplify(expr) {
            Ok(id) => return id,
            Err(expr) => expr,
        };
        if let Some(id) = self.index.get(&expr) {
            return *id;
        }
        if let Expr::ByValues(..) = expr {
            // Values come from `rf`, whose node must be there before this one gets its number.
            self.base(Base::Rf, Sort::Rel);
        }
        let id = ExprId(self.nodes.len() as u32);
        let sort = self.sort_of(&expr);
        let dynamics = self.dynamics_of(&expr, id);
        let is_variable = |base: ExprId| {
            if base == id {
                matches!(expr, Expr::FixVar(..))
            } else {
                matches!(self.expr(base), Expr::FixVar(..))
            }
        };
        let recursive = dynamics.bases.iter().any(|(base, _)| is_variable(*base));
        let fallible = matches!(expr, Expr::Interp(..) | Expr::Fix(..))
            || expr.operands().any(|operand| self.node(operand).fallible);
        self.nodes.push(Node { expr: expr.clone(), sort, dynamics, recursive, fallible });
        self.index.insert(expr, id);
        id
    }

    fn is_empty_node(&self, id: ExprId) -> bool {
        matches!(self.expr(id), Expr::Empty(_))
    }

    /// `Ok`: the expression is that node. `Err`: it stays, perhaps rewritten.
    fn simplify(&mut self, expr: Expr) -> Result<ExprId, Expr> {
        match expr {
            Expr::Union(children) => {
                let mut flat = Vec::with_capacity(children.len());
                let sort = children.first().map_or(Sort::Rel, |c| self.sort(*c));
                for child in children {
                    match self.expr(child) {
                        Expr::Union(inner) => flat.extend(inner.iter().copied()),
                        Expr::Empty(_) => {}
                        _ => flat.push(child),
                    }
                }
                flat.sort_unstable();
                flat.dedup();
                match flat.len() {
                    0 => Ok(self.intern(Expr::Empty(sort))),
                    1 => Ok(flat[0]),
                    _ => Err(Expr::Union(flat)),
                }
            }
            Expr::Seq(children) => {
                let mut flat = Vec::with_capacity(children.len());
                for child in children {
                    match self.expr(child) {
                        Expr::Seq(inner) if flat.len() + inner.len() <= MAX_FLAT => {
                            flat.extend(inner.iter().copied());
                        }
                        Expr::Empty(_) => return Ok(self.intern(Expr::Empty(Sort::Rel))),
                        Expr::Id => {}
                        _ => flat.push(child),
                    }
                }
                match flat.len() {
                    0 => Ok(self.intern(Expr::Id)),
                    1 => Ok(flat[0]),
                    _ => Err(Expr::Seq(flat)),
                }
            }
            Expr::Inter(a, b) => {
                let universe = |id| matches!(self.expr(id), Expr::Universe(_));
                if a == b || self.is_empty_node(a) || universe(b) {
                    Ok(a)
                } else if self.is_empty_node(b) || universe(a) {
                    Ok(b)
                } else {
                    Err(Expr::Inter(a.min(b), a.max(b)))
                }
            }
            Expr::Diff(a, b) => {
                if self.is_empty_node(a) || self.is_empty_node(b) {
                    Ok(a)
                } else if a == b || matches!(self.expr(b), Expr::Universe(_)) {
                    let sort = self.sort(a);
                    Ok(self.intern(Expr::Empty(sort)))
                } else if let Expr::Inter(c, d) = *self.expr(b) {
                    // `co \ (co & int)` is `co \ int`: the usual spelling of `coe`, and monotone only so.
                    match (a == c, a == d) {
                        (true, _) => Ok(self.intern(Expr::Diff(a, d))),
                        (_, true) => Ok(self.intern(Expr::Diff(a, c))),
                        _ => Err(Expr::Diff(a, b)),
                    }
                } else {
                    Err(Expr::Diff(a, b))
                }
            }
            Expr::Compl(a) => match *self.expr(a) {
                Expr::Empty(sort) => Ok(self.intern(Expr::Universe(sort))),
                Expr::Universe(sort) => Ok(self.intern(Expr::Empty(sort))),
                Expr::Compl(inner) => Ok(inner),
                _ => Err(Expr::Compl(a)),
            },
            Expr::Inverse(a) => match *self.expr(a) {
                Expr::Inverse(inner) => Ok(inner),
                Expr::Empty(_) | Expr::Id | Expr::Universe(_) | Expr::ToId(_) => Ok(a),
                _ => Err(Expr::Inverse(a)),
            },
            Expr::Product(a, b) if self.is_empty_node(a) || self.is_empty_node(b) => {
                Ok(self.intern(Expr::Empty(Sort::Rel)))
            }
            Expr::ToId(a) => match self.expr(a) {
                Expr::Empty(_) => Ok(self.intern(Expr::Empty(Sort::Rel))),
                Expr::Universe(_) => Ok(self.intern(Expr::Id)),
                _ => Err(Expr::ToId(a)),
            },
            Expr::Domain(a) | Expr::Range(a) if self.is_empty_node(a) => {
                Ok(self.intern(Expr::Empty(Sort::Set)))
            }
            Expr::Opt(a) => match self.expr(a) {
                Expr::Empty(_) | Expr::Id => Ok(self.intern(Expr::Id)),
                Expr::Opt(_) | Expr::Star(_) => Ok(a),
                Expr::Plus(inner) => {
                    let inner = *inner;
                    Err(Expr::Star(inner))
                }
                _ => Err(Expr::Opt(a)),
            },
            Expr::Plus(a) => match self.expr(a) {
                Expr::Empty(_) | Expr::Plus(_) | Expr::Star(_) | Expr::Id => Ok(a),
                Expr::Opt(inner) => {
                    let inner = *inner;
                    Err(Expr::Star(inner))
                }
                _ => Err(Expr::Plus(a)),
            },
            Expr::Star(a) => match self.expr(a) {
                Expr::Empty(_) | Expr::Id => Ok(self.intern(Expr::Id)),
                Expr::Star(_) => Ok(a),
                Expr::Plus(inner) | Expr::Opt(inner) => {
                    let inner = *inner;
                    Ok(self.intern(Expr::Star(inner)))
                }
                _ => Err(Expr::Star(a)),
            },
            Expr::ByValues(_, a) if self.is_empty_node(a) => Ok(a),
            other => Err(other),
        }
    }

    fn sort_of(&self, expr: &Expr) -> Sort {
        match expr {
            Expr::Base(_, s)
            | Expr::Choice(_, s)
            | Expr::FixVar(_, _, s)
            | Expr::Fix(_, _, s)
            | Expr::Empty(s)
            | Expr::Universe(s)
            | Expr::Interp(_, s) => *s,
            Expr::Union(c) => self.sort(c[0]),
            Expr::Inter(a, _) | Expr::Diff(a, _) | Expr::Compl(a) => self.sort(*a),
            Expr::Domain(_) | Expr::Range(_) => Sort::Set,
            Expr::Id
            | Expr::Seq(_)
            | Expr::Inverse(_)
            | Expr::Product(..)
            | Expr::ToId(_)
            | Expr::Opt(_)
            | Expr::Plus(_)
            | Expr::Star(_)
            | Expr::ByValues(..) => Sort::Rel,
        }
    }

    fn dynamics_of(&mut self, expr: &Expr, id: ExprId) -> Dynamics {
        let mut result = Dynamics::default();
        let same = |p| p;
        match expr {
            Expr::Base(base, _) if base.is_dynamic() => {
                result.bases.push((id, Polarity::Monotone));
            }
            Expr::Choice(..) | Expr::FixVar(..) => result.bases.push((id, Polarity::Monotone)),
            Expr::Base(..) | Expr::Empty(_) | Expr::Universe(_) | Expr::Id => {}
            Expr::Union(c) | Expr::Seq(c) => {
                for child in c {
                    result.merge(&self.node(*child).dynamics, same);
                }
            }
            Expr::Inter(a, b) | Expr::Product(a, b) => {
                result.merge(&self.node(*a).dynamics, same);
                result.merge(&self.node(*b).dynamics, same);
            }
            Expr::Diff(a, b) => {
                result.merge(&self.node(*a).dynamics, same);
                result.merge(&self.node(*b).dynamics, Polarity::flip);
            }
            Expr::Compl(a) => result.merge(&self.node(*a).dynamics, Polarity::flip),
            Expr::Inverse(a)
            | Expr::ToId(a)
            | Expr::Domain(a)
            | Expr::Range(a)
            | Expr::Opt(a)
            | Expr::Plus(a)
            | Expr::Star(a) => result.merge(&self.node(*a).dynamics, same),
            Expr::ByValues(_, a) => {
                let rf = self.base(Base::Rf, Sort::Rel);
                result.merge(&self.node(*a).dynamics, same);
                result.merge(&Dynamics { bases: vec![(rf, Polarity::Mixed)] }, same);
            }
            Expr::Fix(fix, ..) => {
                let group = &self.fixes[fix.0 as usize];
                let own: Vec<ExprId> =
                    (0..group.bodies.len()).filter_map(|n| self.fix_var_node(*fix, n as u32)).collect();
                let mut mixed = false;
                for body in &group.bodies {
                    let dynamics = self.node(*body).dynamics.clone();
                    mixed |=
                        own.iter().any(|v| matches!(dynamics.of(*v), Polarity::Antitone | Polarity::Mixed));
                    result.merge(&dynamics, same);
                }
                result.bases.retain(|(base, _)| !own.contains(base));
                if mixed {
                    for (_, polarity) in &mut result.bases {
                        *polarity = Polarity::Mixed;
                    }
                }
            }
            Expr::Interp(interp, _) => {
                let inputs = self.interps[interp.0 as usize].inputs.clone();
                for input in inputs {
                    result.merge(&self.node(input).dynamics, |_| Polarity::Mixed);
                }
            }
        }
        result
    }

    /// The node of an expression, if it is there.
    pub fn find(&self, expr: &Expr) -> Option<ExprId> {
        self.index.get(expr).copied()
    }

    /// What is asked about values, each once.
    pub fn value_tests(&self) -> BTreeSet<ValueTest> {
        let asked = |node: &Node| match node.expr {
            Expr::ByValues(test, _) => Some(test),
            _ => None,
        };
        self.nodes.iter().filter_map(asked).collect()
    }

    /// The node of a recursion variable, if it was ever used.
    pub fn fix_var_node(&self, fix: FixId, index: u32) -> Option<ExprId> {
        [Sort::Rel, Sort::Set]
            .into_iter()
            .find_map(|sort| self.index.get(&Expr::FixVar(fix, index, sort)).copied())
    }

    /// Of a definition `r = a | b | r; r`, all but the last: it is the transitive closure of these.
    pub fn closure_of(&self, fix: FixId) -> Option<Vec<ExprId>> {
        let group = self.fix(fix);
        let ([body], None) = (&group.bodies[..], group.when) else { return None };
        let Expr::Union(parts) = self.expr(*body) else { return None };
        let variable = self.fix_var_node(fix, 0)?;
        let twice = |part: &ExprId| matches!(self.expr(*part), Expr::Seq(both) if both[..] == [variable; 2]);
        let (steps, rest): (Vec<ExprId>, Vec<ExprId>) = parts.iter().copied().partition(twice);
        let closed = steps.len() == 1 && !rest.iter().any(|part| self.mentions_fix_var(*part));
        closed.then_some(rest)
    }

    /// All that a node is made of: its operands, the bodies of a recursion, what a function is given.
    pub fn parts(&self, id: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let inner: &[ExprId] = match self.expr(id) {
            Expr::Fix(fix, ..) => &self.fix(*fix).bodies,
            Expr::Interp(interp, _) => &self.interp(*interp).inputs,
            _ => &[],
        };
        self.expr(id).operands().chain(inner.iter().copied())
    }

    /// What is certain of every node, by what is certain of those that it is made of. Of recursive definitions `all` is supposed, as far as their bodies (`and`) do not contradict.
    pub fn certain<T: Copy + PartialEq>(
        &self,
        all: T,
        and: impl Fn(T, T) -> T,
        of: impl Fn(ExprId, &[T], &FxHashMap<(FixId, u32), T>) -> T,
    ) -> Vec<T> {
        let mut of_variables: FxHashMap<(FixId, u32), T> = FxHashMap::default();
        loop {
            let mut found: Vec<T> = Vec::with_capacity(self.len());
            for index in 0..self.len() {
                found.push(of(ExprId(index as u32), &found, &of_variables));
            }
            let mut settled = true;
            for fix in (0..self.n_fixes()).map(|fix| FixId(fix as u32)) {
                for (position, body) in self.fix(fix).bodies.iter().enumerate() {
                    let supposed = of_variables.entry((fix, position as u32)).or_insert(all);
                    let left = and(*supposed, found[body.0 as usize]);
                    settled &= left == *supposed;
                    *supposed = left;
                }
            }
            if settled {
                return found;
            }
        }
    }

    /// Is a recursive group monotone in its own variables?
    pub fn fix_is_monotone(&self, fix: FixId) -> bool {
        let group = self.fix(fix);
        let own: Vec<ExprId> =
            (0..group.bodies.len()).filter_map(|n| self.fix_var_node(fix, n as u32)).collect();
        group.bodies.iter().all(|body| {
            own.iter()
                .all(|v| matches!(self.node(*body).dynamics.of(*v), Polarity::None | Polarity::Monotone))
        })
    }
}
