//! Why a model refuses a candidate: for every choice that the model leaves open, the first check that fails, and why.

use std::ops::ControlFlow;

use crate::diag::Diagnostic;
use crate::execution::View;
use crate::explore::{Candidate, the_choice};
use crate::model::{
    Base, CheckKind, ChoiceId, Choices, EvalError, Expr, Model, Order, OrderBase, Plain, Sort, Step, Test,
    TestKind, Val,
};
use crate::relation::{Rel, Set};

use super::cost::{Costs, NEVER};
use super::derive::{Derivation, derive};
use super::surface::{At, Form, Surface};

/// How many choices of one candidate are looked at.
const CHOICES: usize = 2_000;

/// What a failed check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offence {
    /// A cycle, or a pair of an event with itself.
    Cycle(Derivation),
    /// A pair that must not be there.
    Pair(usize, usize, Derivation),
    /// An event that must not be there.
    Event(usize),
    /// A cycle, pair or event is wanted, and there is none.
    Nothing,
    /// The `when` of a recursive definition.
    When,
}

impl Offence {
    /// Why the pair is there, if it is one.
    pub fn derivation(&self) -> Option<&Derivation> {
        match self {
            Offence::Cycle(derivation) | Offence::Pair(_, _, derivation) => Some(derivation),
            _ => None,
        }
    }
}

/// Why one choice of a candidate is refused.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The step of the model that fails.
    pub step: usize,
    /// What it found.
    pub offence: Offence,
    /// Pairs of `rf` that it rests on.
    pub rf: Vec<(usize, usize)>,
    /// Pairs of the model's own choices that it rests on, besides those that every choice has.
    pub chosen: Vec<(ChoiceId, usize, usize)>,
    /// Does it hold only for the very choice it was found for?
    pub fragile: bool,
    /// Does it rest on pairs that an order has because of this candidate's `rf`, which [`Reason::rf`] does not list?
    pub local: bool,
    /// The evaluation in which it failed has these values of the choices.
    pub choices: Vec<(ChoiceId, Val)>,
}

impl Reason {
    /// Makes the choices for which it was found.
    pub fn bind(&self, model: &Model, plain: &mut Plain) {
        for (choice, value) in &self.choices {
            bind(model, plain, *choice, value);
        }
    }
}

/// Gives a choice its value.
fn bind(model: &Model, plain: &mut Plain, choice: ChoiceId, value: &Val) {
    for sort in [Sort::Rel, Sort::Set, Sort::Other] {
        if let Some(node) = model.pool.find(&Expr::Choice(choice, sort)) {
            plain.set(node, value.clone());
        }
    }
}

/// What became of a candidate.
pub enum Fate<'v> {
    /// Refused, for these reasons: one for each region of the model's choices. `true`: there were more choices than were looked at.
    Refused(Vec<Reason>, bool),
    /// Accepted for one choice: the evaluation at the end of the model, and the flags raised.
    Accepted(Box<Plain<'v>>, Vec<usize>),
}

/// Runs a model over a candidate.
pub struct Refuter<'m, 's> {
    model: &'m Model,
    surface: &'s mut Surface<'m>,
    skip: &'s [String],
    /// Only executions that raise one of these flags count as accepted.
    wanted: Option<&'s [usize]>,
    /// The order of writes, where it is settled already.
    co: Option<&'s Rel>,
    reasons: Vec<Reason>,
    choices: Vec<(ChoiceId, Val)>,
    looked: usize,
    more: bool,
}

/// How a run of the steps ends.
enum End<'v> {
    Accepted(Box<Plain<'v>>, Vec<usize>),
    Refused,
}

impl<'m, 's> Refuter<'m, 's> {
    /// Of one candidate.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn run<'v>(
        surface: &'s mut Surface<'m>,
        view: &'v View<'v>,
        candidate: &Candidate,
        skip: &'s [String],
    ) -> Result<Fate<'v>, Diagnostic>
    where
        'm: 'v,
    {
        Refuter::run_wanted(surface, view, candidate, skip, (None, None))
    }

    /// Likewise; if flags are `wanted`, only executions that raise one of these count as accepted. If an order of writes is given, the model's
    /// own choice of `co` is that one.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn run_wanted<'v>(
        surface: &'s mut Surface<'m>,
        view: &'v View<'v>,
        candidate: &Candidate,
        skip: &'s [String],
        (wanted, co): (Option<&'s [usize]>, Option<&'s Rel>),
    ) -> Result<Fate<'v>, Diagnostic>
    where
        'm: 'v,
    {
        let model = surface.model;
        let plain = candidate.evaluation(model, view);
        let mut refuter = Refuter {
            model,
            surface,
            skip,
            wanted,
            co,
            reasons: Vec::new(),
            choices: Vec::new(),
            looked: 0,
            more: false,
        };
        Ok(match refuter.steps(0, plain, &mut Vec::new())? {
            End::Accepted(plain, flags) => Fate::Accepted(plain, flags),
            End::Refused => Fate::Refused(refuter.reasons, refuter.more),
        })
    }

    fn steps<'v>(
        &mut self,
        at: usize,
        mut plain: Plain<'v>,
        flags: &mut Vec<usize>,
    ) -> Result<End<'v>, Diagnostic> {
        let model = self.model;
        for (position, step) in model.steps.iter().enumerate().skip(at) {
            match step {
                Step::Check { name: Some(name), .. } if self.skip.contains(name) => {}
                Step::Check { kind, test, span, .. } => {
                    let holds = match plain.holds(test) {
                        Ok(holds) => holds,
                        Err(EvalError::Rejected) => {
                            self.refused(position, Offence::When, &mut plain)?;
                            return Ok(End::Refused);
                        }
                        Err(error) => return Err(error.diagnostic()),
                    };
                    match kind {
                        CheckKind::Plain if !holds => {
                            let offence = offence(self.surface, test, Some(*span), &mut plain)?;
                            self.refused(position, offence, &mut plain)?;
                            return Ok(End::Refused);
                        }
                        CheckKind::Flag if holds => flags.push(position),
                        CheckKind::UndefinedUnless if !holds => flags.push(position),
                        CheckKind::Assert if !holds => {
                            let message = "an assertion of the model fails on this test";
                            return Err(Diagnostic::error("model::assertion-failed", message)
                                .at(*span, "this assertion"));
                        }
                        _ => {}
                    }
                }
                Step::With { choice, from, name, .. } => {
                    let value = match plain.eval(*from) {
                        Ok(value) => value,
                        Err(EvalError::Rejected) => {
                            self.refused(position, Offence::When, &mut plain)?;
                            return Ok(End::Refused);
                        }
                        Err(error) => return Err(error.diagnostic()),
                    };
                    let Val::Choices(choices) = &*value else {
                        return Err(Diagnostic::internal("`with` is given no list of values"));
                    };
                    if let Some(co) = self.co.filter(|_| name == "co") {
                        return match the_choice(choices, plain.n_events(), co) {
                            Some(value) => Ok(self.chosen(position, *choice, value, &plain, flags)?.0),
                            None => {
                                self.refused(position, Offence::Nothing, &mut plain)?;
                                Ok(End::Refused)
                            }
                        };
                    }
                    let certain = model.pool.is_static(*from);
                    return self.with(position, (*choice, certain), choices, &plain, flags);
                }
                Step::Fail { diagnostic } => return Err(diagnostic.clone()),
            }
        }
        if self.wanted.is_some_and(|wanted| !flags.iter().any(|flag| wanted.contains(flag))) {
            self.refused(model.steps.len(), Offence::Nothing, &mut plain)?;
            return Ok(End::Refused);
        }
        Ok(End::Accepted(Box::new(plain), flags.clone()))
    }

    /// Every choice: for orders, those that a reason covers are left out. `certain`: there is the same to choose from whatever `rf` is.
    fn with<'v>(
        &mut self,
        position: usize,
        (choice, certain): (ChoiceId, bool),
        choices: &Choices,
        plain: &Plain<'v>,
        flags: &mut Vec<usize>,
    ) -> Result<End<'v>, Diagnostic> {
        let none = match choices {
            Choices::List(values) => values.is_empty(),
            Choices::Cross(lists) => lists.iter().any(Vec::is_empty),
            Choices::Orders(_) => false,
        };
        if none {
            // Nothing to choose from.
            self.refused(position, Offence::Nothing, &mut plain.clone())?;
            return Ok(End::Refused);
        }
        match choices {
            Choices::Orders(orders) => {
                let n = plain.n_events();
                let known: Vec<(Set, Rel)> = orders.iter().map(|order| known(order, n)).collect();
                if known.iter().any(|(_, base)| !base.is_irreflexive()) {
                    let mut plain = plain.clone();
                    self.refused(position, Offence::Nothing, &mut plain)?;
                    return Ok(End::Refused);
                }
                self.orders(position, (choice, certain), &known, plain, flags)
            }
            Choices::List(values) => {
                for value in values {
                    if let End::Accepted(plain, flags) =
                        self.chosen(position, choice, value.clone(), plain, flags)?.0
                    {
                        return Ok(End::Accepted(plain, flags));
                    }
                }
                Ok(End::Refused)
            }
            Choices::Cross(lists) => {
                let mut end = Ok(End::Refused);
                let mut so_far = Vec::new();
                let n = plain.n_events();
                let _ = cross(lists, &mut so_far, &mut |picked| {
                    let value = picked.iter().fold(Rel::empty(n), |all, rel| all.union(rel));
                    match self.chosen(position, choice, Val::Rel(value), plain, flags) {
                        Ok((End::Refused, _)) if !self.more => ControlFlow::Continue(()),
                        Ok((other, _)) => {
                            end = Ok(other);
                            ControlFlow::Break(())
                        }
                        Err(diagnostic) => {
                            end = Err(diagnostic);
                            ControlFlow::Break(())
                        }
                    }
                });
                end
            }
        }
    }

    /// Goes on with one value of a choice; how many reasons there were before comes back, too.
    fn chosen<'v>(
        &mut self,
        position: usize,
        choice: ChoiceId,
        value: Val,
        plain: &Plain<'v>,
        flags: &mut Vec<usize>,
    ) -> Result<(End<'v>, usize), Diagnostic> {
        let before = self.reasons.len();
        if self.looked >= CHOICES {
            self.more = true;
            return Ok((End::Refused, before));
        }
        self.looked += 1;
        let mut next = plain.clone();
        bind(self.model, &mut next, choice, &value);
        self.choices.push((choice, value));
        let raised = flags.len();
        let end = self.steps(position + 1, next, flags);
        flags.truncate(raised);
        self.choices.pop();
        Ok((end?, before))
    }

    /// The orders that contain what is known: one of them is tried, and the reason why it fails says which others need not be.
    fn orders<'v>(
        &mut self,
        position: usize,
        (choice, certain): (ChoiceId, bool),
        known: &[(Set, Rel)],
        plain: &Plain<'v>,
        flags: &mut Vec<usize>,
    ) -> Result<End<'v>, Diagnostic> {
        let n = plain.n_events();
        let mut whole = Rel::empty(n);
        for (over, base) in known {
            whole.union_with(&total(over, base));
        }
        let (end, before) = self.chosen(position, choice, Val::Rel(whole.clone()), plain, flags)?;
        if matches!(end, End::Accepted(..)) || self.more {
            return Ok(end);
        }
        // Pairs that could be the other way round, and that a reason needs.
        let mut free: Vec<(usize, usize)> = Vec::new();
        let decided = |a: usize, b: usize| known.iter().any(|(_, base)| base.contains(a, b));
        let fragile = self.reasons[before..].iter().any(|reason| reason.fragile);
        for reason in &mut self.reasons[before..] {
            let all = reason.chosen.len();
            reason.chosen.retain(|(of, a, b)| *of != choice || !decided(*a, *b));
            reason.local |= !certain && reason.chosen.len() < all;
            let own = reason.chosen.iter().filter(|(of, ..)| *of == choice);
            free.extend(own.map(|(_, a, b)| (*a, *b)));
        }
        if fragile {
            free = whole.iter().filter(|(a, b)| !decided(*a, *b)).collect();
        }
        free.sort_unstable();
        free.dedup();
        let mut held = known.to_vec();
        for (a, b) in free {
            let reversed = with_pair(&held, b, a);
            if reversed.iter().all(|(_, base)| base.is_irreflexive())
                && let End::Accepted(plain, flags) =
                    self.orders(position, (choice, certain), &reversed, plain, flags)?
            {
                return Ok(End::Accepted(plain, flags));
            }
            held = with_pair(&held, a, b);
        }
        Ok(End::Refused)
    }

    fn refused(&mut self, step: usize, offence: Offence, plain: &mut Plain) -> Result<(), Diagnostic> {
        let mut reason = Reason {
            step,
            offence,
            rf: Vec::new(),
            chosen: Vec::new(),
            fragile: false,
            local: false,
            choices: self.choices.clone(),
        };
        match reason.offence.derivation().cloned() {
            Some(derivation) => self.foundations(&derivation, &mut reason, plain)?,
            None => reason.fragile = true,
        }
        self.reasons.push(reason);
        Ok(())
    }

    /// What a derivation rests on.
    fn foundations(
        &mut self,
        derivation: &Derivation,
        reason: &mut Reason,
        plain: &mut Plain,
    ) -> Result<(), Diagnostic> {
        reason.fragile |= derivation.fragile;
        for step in &derivation.steps {
            let node = self.surface.nodes[step.node].clone();
            let pool = &self.model.pool;
            let (a, b) = step.pair();
            match (&node.form, pool.expr(node.id)) {
                _ if pool.is_static(node.id) => {}
                (_, Expr::Base(Base::Rf, _)) => reason.rf.push((a, b)),
                (_, Expr::Choice(choice, _)) => reason.chosen.push((*choice, a, b)),
                (Form::Leaf(Some(inner)), _) => {
                    let costs = Costs::new(self.surface, *inner, plain).map_err(EvalError::diagnostic)?;
                    let deeper = derive(self.surface, &costs, *inner, a, b);
                    let endless = deeper.steps.iter().any(|deep| deep.node == step.node);
                    match endless {
                        true => reason.fragile = true,
                        false => self.foundations(&deeper, reason, plain)?,
                    }
                }
                _ => reason.fragile = true,
            }
        }
        Ok(())
    }
}

/// What a test that fails (or a flag that is raised) found, in the shortest way.
///
/// # Errors
/// A run-time error of the model.
pub fn offence(
    surface: &mut Surface,
    test: &Test,
    span: Option<crate::source::Span>,
    plain: &mut Plain,
) -> Result<Offence, Diagnostic> {
    let value = plain.eval(test.expr).map_err(EvalError::diagnostic)?;
    let found = match (&*value, test.kind) {
        (Val::Rel(rel), TestKind::Acyclic) => !rel.is_acyclic(),
        (Val::Rel(rel), TestKind::Irreflexive) => !rel.is_irreflexive(),
        (Val::Rel(rel), TestKind::Empty) => !rel.is_empty(),
        (Val::Set(set), TestKind::Empty) => {
            return Ok(set.first().map_or(Offence::Nothing, Offence::Event));
        }
        _ => false,
    };
    if !found {
        return Ok(Offence::Nothing);
    }
    let root = surface.node(span, test.expr);
    let root = if test.kind == TestKind::Acyclic { surface.closure(root) } else { root };
    let costs = Costs::new(surface, root, plain).map_err(EvalError::diagnostic)?;
    Ok(cheapest(surface, &costs, root, test.kind))
}

/// The cheapest offending pair.
fn cheapest(surface: &Surface, costs: &Costs, root: At, kind: TestKind) -> Offence {
    let pairs = costs.events.iter().flat_map(|a| costs.events.iter().map(|b| (*a, *b)));
    let wanted = pairs.filter(|(a, b)| kind == TestKind::Empty || a == b);
    let best = wanted.map(|(a, b)| (costs.get(root, a, b), a, b)).min();
    match best {
        Some((cost, a, b)) if cost != NEVER => {
            let derivation = derive(surface, costs, root, a, b);
            if kind == TestKind::Empty { Offence::Pair(a, b, derivation) } else { Offence::Cycle(derivation) }
        }
        _ => Offence::Nothing,
    }
}

fn known(order: &Order, n: usize) -> (Set, Rel) {
    let base = match &order.base {
        OrderBase::Rel(rel) => rel.plus().restrict(&order.over),
        OrderBase::Node(_) => Rel::empty(n),
    };
    (order.over.clone(), base)
}

/// Some total order that contains a relation.
fn total(over: &Set, base: &Rel) -> Rel {
    let mut left = over.clone();
    let mut line: Vec<usize> = Vec::new();
    loop {
        let first = left.iter().find(|e| !left.iter().any(|other| base.contains(other, *e)));
        let Some(next) = first else { break };
        left.remove(next);
        line.push(next);
    }
    let mut rel = Rel::empty(over.n());
    for (position, a) in line.iter().enumerate() {
        line[position + 1..].iter().for_each(|b| rel.insert(*a, *b));
    }
    rel
}

/// One pair more, in the order that it belongs to.
fn with_pair(known: &[(Set, Rel)], a: usize, b: usize) -> Vec<(Set, Rel)> {
    let add = |(over, base): &(Set, Rel)| {
        let mut base = base.clone();
        if over.contains(a) && over.contains(b) {
            base.insert(a, b);
            base.close();
        }
        (over.clone(), base)
    };
    known.iter().map(add).collect()
}

fn cross<'l>(
    lists: &'l [Vec<Rel>],
    picked: &mut Vec<&'l Rel>,
    f: &mut dyn FnMut(&[&Rel]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match lists.split_first() {
        None => f(picked),
        Some((list, rest)) => list.iter().try_for_each(|rel| {
            picked.push(rel);
            let flow = cross(rest, picked, f);
            picked.pop();
            flow
        }),
    }
}
