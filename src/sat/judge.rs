//! A proposal before the model: accepted, or refused for reasons.

use std::ops::ControlFlow;

use super::facts::Facts;
use super::graph::NodeId;
use super::proposal::Reason;
use super::reason::{REASONS, against, reasons};
use crate::diag::Diagnostic;
use crate::execution::EventKind;
use crate::explore::{Raised, assertion_failed, bind, each_choice, the_choice};
use crate::limits;
use crate::model::{CheckKind, ChoiceId, Choices, EvalError, Model, OrderBase, Plain, Step, Val};
use crate::outcome::Cause;
use crate::relation::Rel;

/// What the model says.
pub enum Verdict {
    /// All its checks hold, and this is raised.
    Accepted(Raised),
    /// They do not: reasons, and the check.
    Refused(Vec<Reason>, Cause),
}

/// The choice of a model that is coherence.
pub fn coherence(model: &Model) -> Option<ChoiceId> {
    model.steps.iter().find_map(|step| match step {
        Step::With { choice, name, .. } if name == "co" => Some(*choice),
        _ => None,
    })
}

/// Has a model checks that raise flags, or leave the behaviour undefined?
pub fn raises_flags(model: &Model) -> bool {
    let raises =
        |step: &Step| matches!(step, Step::Check { kind: CheckKind::Flag | CheckKind::UndefinedUnless, .. });
    model.steps.iter().any(raises)
}

/// Runs a model over a proposal with its coherence order.
///
/// # Errors
/// A run-time error of the model.
pub fn judge(facts: &Facts, plain: Plain, co: &Rel, skip: &[String]) -> Result<Verdict, Diagnostic> {
    let mut judge =
        Judge { facts, co, skip, raises: raises_flags(facts.model), settled: Vec::new(), refused: None };
    match judge.steps(0, plain, true, Raised::default())? {
        Some(raised) => Ok(Verdict::Accepted(raised)),
        None => {
            let whole = || (vec![facts.proposal.whole(facts.graph, true)], Cause::NothingToChoose);
            let (reasons, cause) = judge.refused.take().unwrap_or_else(whole);
            Ok(Verdict::Refused(reasons, cause))
        }
    }
}

struct Judge<'j, 'f> {
    facts: &'j Facts<'f>,
    co: &'j Rel,
    skip: &'j [String],
    /// May the model raise flags?
    raises: bool,
    /// Choices of which there is one, whatever the search does.
    settled: Vec<ChoiceId>,
    refused: Option<(Vec<Reason>, Cause)>,
}

impl Judge<'_, '_> {
    /// `alone`: has the model made no choice of its own so far?
    fn steps(
        &mut self,
        at: usize,
        mut plain: Plain,
        alone: bool,
        mut raised: Raised,
    ) -> Result<Option<Raised>, Diagnostic> {
        let model = self.facts.model;
        for (position, step) in model.steps.iter().enumerate().skip(at) {
            limits::poll();
            match step {
                Step::Check { name: Some(name), .. } if self.skip.contains(name) => {}
                Step::Check { kind, test, name, .. } => {
                    let holds = match plain.holds(test) {
                        Ok(holds) => holds,
                        Err(EvalError::Rejected) => {
                            return Ok(self.refuse(Vec::new(), Cause::When));
                        }
                        Err(error) => return Err(error.diagnostic()),
                    };
                    match kind {
                        CheckKind::Plain if !holds => {
                            let found = if alone {
                                reasons(self.facts, &self.settled, test, &mut plain, REASONS)
                            } else {
                                Vec::new()
                            };
                            return Ok(self.refuse(found, Cause::check(name.as_deref())));
                        }
                        CheckKind::Flag if holds => raised.flags.extend(name.clone()),
                        CheckKind::UndefinedUnless if !holds => raised.undefined = true,
                        CheckKind::Assert if !holds => return Err(assertion_failed(name.as_deref(), step)),
                        _ => {}
                    }
                }
                Step::With { choice, from, name, .. } => {
                    let value = match plain.eval(*from) {
                        Ok(value) => value,
                        Err(EvalError::Rejected) => {
                            return Ok(self.refuse(Vec::new(), Cause::When));
                        }
                        Err(error) => return Err(error.diagnostic()),
                    };
                    let Val::Choices(choices) = &*value else {
                        return Err(Diagnostic::internal("`with` is given no list of values"));
                    };
                    if name == "co" && self.orders_cells(choices) {
                        match the_choice(choices, plain.n_events(), self.co) {
                            Some(value) => bind(model, &mut plain, *choice, value),
                            None => {
                                let found = match alone {
                                    true => against(
                                        self.facts,
                                        &self.settled,
                                        *from,
                                        choices,
                                        self.co,
                                        &mut plain,
                                    ),
                                    false => Vec::new(),
                                };
                                return Ok(self.refuse(found, Cause::With(name.clone())));
                            }
                        }
                        continue;
                    }
                    if let Some(only) = the_only(choices, plain.n_events())
                        && model.pool.is_static(*from)
                    {
                        // The paths leave no choice.
                        bind(model, &mut plain, *choice, only);
                        self.settled.push(*choice);
                        continue;
                    }
                    return self.others(position, *choice, &value, &plain, &raised);
                }
                Step::Fail { diagnostic } => return Err(diagnostic.clone()),
            }
        }
        Ok(Some(raised))
    }

    /// Every value of a choice that is not coherence; the first that is accepted is enough, unless there are flags to be raised.
    fn others(
        &mut self,
        position: usize,
        choice: ChoiceId,
        value: &Val,
        plain: &Plain,
        raised: &Raised,
    ) -> Result<Option<Raised>, Diagnostic> {
        let Val::Choices(choices) = value else { return Ok(None) };
        let mut answer: Result<Option<Raised>, Diagnostic> = Ok(None);
        let _ = each_choice(choices, plain.n_events(), &mut |value| {
            let mut next = plain.clone();
            bind(self.facts.model, &mut next, choice, value);
            let found = self.steps(position + 1, next, false, raised.clone());
            match (found, &mut answer) {
                (Ok(None), _) => ControlFlow::Continue(()),
                (Ok(Some(more)), Ok(Some(known))) => {
                    known.flags.extend(more.flags);
                    known.undefined |= more.undefined;
                    ControlFlow::Continue(())
                }
                (found, _) => {
                    let go_on = found.is_ok() && self.raises;
                    answer = found;
                    if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                }
            }
        });
        answer
    }

    /// Are the alternatives orders of the writes of one place each, as coherence usually is: the initial write first, and the final one last
    /// where it is observed? That is what is proposed.
    fn orders_cells(&self, choices: &Choices) -> bool {
        let Choices::Orders(orders) = choices else { return false };
        let world = self.facts.world;
        orders.iter().all(|order| {
            let Some(place) = order.over.first().and_then(|event| world.events[event].loc) else {
                return order.over.is_empty();
            };
            let OrderBase::Rel(base) = &order.base else { return false };
            let base = base.plus();
            let observed = world.observed.contains(&place);
            let is_last = |event: usize| self.co.successors(event).next().is_none();
            let before = |a: usize, b: usize| a == b || base.contains(a, b);
            order.over.iter().all(|event| {
                let own = &world.events[event];
                let first = own.kind == EventKind::Init;
                own.is_write()
                    && own.loc == Some(place)
                    && (!first || order.over.iter().all(|other| before(event, other)))
                    && (!observed || !is_last(event) || order.over.iter().all(|other| before(other, event)))
            })
        })
    }

    fn refuse(&mut self, mut reasons: Vec<Reason>, cause: Cause) -> Option<Raised> {
        if reasons.is_empty() {
            reasons.push(self.facts.proposal.whole(self.facts.graph, true));
        }
        self.refused = Some((reasons, cause));
        None
    }
}

/// The alternative, where there is only one.
fn the_only(choices: &Choices, n: usize) -> Option<Val> {
    match choices {
        Choices::List(values) => values.first().filter(|_| values.len() == 1).cloned(),
        Choices::Cross(lists) if lists.iter().all(|list| list.len() == 1) => {
            Some(Val::Rel(lists.iter().flatten().fold(Rel::empty(n), |all, rel| all.union(rel))))
        }
        Choices::Cross(_) | Choices::Orders(_) => None,
    }
}

/// The coherence order of a proposal, over the events of its world.
pub fn order(n: usize, orders: &[Vec<NodeId>], number: &dyn Fn(NodeId) -> Option<usize>) -> Rel {
    let mut co = Rel::empty(n);
    for order in orders {
        let events: Vec<usize> = order.iter().filter_map(|node| number(*node)).collect();
        for (at, a) in events.iter().enumerate() {
            events[at + 1..].iter().for_each(|b| co.insert(*a, *b));
        }
    }
    co
}
