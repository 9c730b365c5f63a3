//! What a page shows of a result besides the result itself: some executions of each outcome, and why other outcomes cannot happen.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Prepared, Session};
use crate::condition::{Atom, Condition, Observable, Prop, Quantifier, type_of};
use crate::execution::Execution;
use crate::execution::View;
use crate::explain::{self, Answer, Explanation, Place, Question, Way};
use crate::explore::{self, Mode, Options, Request, Show};
use crate::limits::{self, Budget};
use crate::litmus::Lowered;
use crate::outcome::{Completeness, Outcome, shown_value};
use crate::program::Value;
use crate::source::Sources;

/// How far to look into each result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Depth {
    /// Executions of each outcome.
    pub executions: usize,
    /// Outcomes to say of why they cannot happen, besides the one of the condition.
    pub refused: usize,
    /// Relations of the model whose pairs are wanted.
    pub names: Vec<String>,
    /// At most so much time for each result.
    pub time: Duration,
}

/// What there is to see of a result.
#[derive(Clone, Default, Debug)]
pub struct Details {
    /// Executions, a few of each outcome, as they were found.
    pub executions: Vec<Execution>,
    /// May there be an outcome without its executions here, because looking for them took too long?
    pub cut: bool,
    /// Why the outcome of the condition can, or cannot, happen.
    pub question: Option<Explanation>,
    /// Outcomes that reads and writes could bring about and that the model refuses; none where that is not known.
    pub refused: Vec<Refused>,
    /// Are those all?
    pub all_refused: bool,
    /// Where relations of the model that executions show are defined.
    pub definitions: BTreeMap<String, Place>,
}

/// An outcome that the model refuses.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The values of [`Lowered::shown`].
    pub state: Vec<Value>,
    /// Why; empty: the explanation of the condition says it, or nobody looked.
    pub ways: Vec<Way>,
    /// Does the explanation of the condition say it?
    pub as_condition: bool,
}

/// Executions looked at, and candidates, before a list is given up.
const LOOKED_AT: u64 = 5_000;
const CANDIDATES: u64 = 20_000;
/// Refused outcomes that are listed.
const LISTED: usize = 200;

impl Session {
    /// Looks into a result.
    pub(super) fn details(
        &self,
        depth: &Depth,
        test: &Lowered,
        prepared: &Prepared,
        options: &Options,
        outcome: &Outcome,
        sources: &Sources,
    ) -> Details {
        let question =
            Question { test, model: &prepared.model, model_name: &prepared.name, sources, options };
        let mut details = Details::default();
        let within = Budget {
            memory: limits::current().memory,
            ..Budget::starting_now(Some(depth.time), None, options.interrupt.clone())
        };
        let _ = within.run(|| executions(&question, depth, outcome, &mut details));
        let _ = within.run(|| details.question = explain::explain(&question).ok());
        let whole = matches!(outcome.completeness, Completeness::Complete | Completeness::Bounded);
        if whole && options.mode != Mode::Check {
            let listed = within.run(|| refused(&question, outcome));
            (details.refused, details.all_refused) = listed.unwrap_or_default();
            // What was found of reasons stays, should the time be up before the last.
            for index in 0..details.refused.len().min(depth.refused) {
                if within.run(|| details.explain(index, &question)).is_err() {
                    break;
                }
            }
        }
        let shown: FxHashSet<String> =
            details.pictured().flat_map(|e| e.shown.iter().map(|(name, _)| name.clone())).collect();
        details.definitions = definitions(&question, &shown);
        details
    }
}

impl Details {
    /// Every execution that is drawn.
    fn pictured(&self) -> impl Iterator<Item = &Execution> {
        let ways = self.refused.iter().flat_map(|refused| refused.ways.iter().map(|way| &way.execution));
        self.executions.iter().chain(ways)
    }

    /// Finds the reasons for which an outcome is refused.
    fn explain(&mut self, index: usize, question: &Question) {
        let test = question.test;
        let positive = |refused: &Refused| holds(test, &refused.state);
        let about = match test.condition.quantifier {
            Quantifier::Exists | Quantifier::NotExists => positive(&self.refused[index]),
            Quantifier::Forall => !positive(&self.refused[index]),
        };
        let satisfying = self.refused.iter().filter(|refused| positive(refused)).count();
        let only =
            about && satisfying == 1 && test.condition.quantifier != Quantifier::Forall && self.all_refused;
        let told = self.question.as_ref().is_some_and(|e| matches!(e.answer, Answer::Forbidden { .. }));
        if only && told {
            self.refused[index].as_condition = true;
            return;
        }
        let state = &self.refused[index].state;
        let equals = |(observable, value): (&Observable, &Value)| {
            let ty = type_of(&test.program, *observable);
            Prop::Atom(Atom::Equals { left: *observable, ty, value: *value })
        };
        let prop = Prop::And(test.shown.iter().zip(state).map(equals).collect());
        let condition = Condition { quantifier: Quantifier::Exists, prop };
        let test = Lowered { condition, ..test.clone() };
        if let Ok(ways) = explain::refused(&Question { test: &test, ..*question }) {
            self.refused[index].ways = ways;
        }
    }
}

/// Does the proposition of the condition hold in a state?
pub fn holds(test: &Lowered, state: &[Value]) -> bool {
    test.condition.prop.holds(&|wanted: Observable| shown_value(state, test, wanted))
}

/// Some executions of each outcome.
fn executions(question: &Question, depth: &Depth, outcome: &Outcome, details: &mut Details) {
    let request = Request { show: Show::All, limit: None, names: depth.names.clone() };
    let mut seen: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
    let mut looked_at = 0;
    let mut full = 0;
    let wanted = outcome.states.len();
    let mut see = |execution: Execution| {
        looked_at += 1;
        let of_this = seen.entry(execution.state.clone()).or_default();
        *of_this += 1;
        full += usize::from(*of_this == depth.executions);
        if *of_this <= depth.executions {
            details.executions.push(execution);
        }
        if full < wanted && looked_at < LOOKED_AT {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let found =
        explore::each_execution(question.test, question.model, None, question.options, &request, &mut see);
    let cut = match found {
        Ok(found) => matches!(found.completeness, Completeness::TimedOut | Completeness::MemoryLimit),
        Err(_) => true,
    };
    let without = seen.len() < wanted;
    details.cut = without && (cut || looked_at >= LOOKED_AT);
}

/// Outcomes that some choice of sources brings about and that no accepted execution has, those of the condition first; are they all?
fn refused(question: &Question, outcome: &Outcome) -> (Vec<Refused>, bool) {
    let Question { test, options, .. } = *question;
    let allowed: FxHashSet<Vec<Value>> =
        outcome.states.listed(&test.program, usize::MAX).map(|(s, _)| s).collect();
    let any =
        Lowered { condition: Condition { quantifier: Quantifier::Exists, prop: Prop::True }, ..test.clone() };
    let mut found: FxHashSet<Vec<Value>> = FxHashSet::default();
    let mut looked_at = 0;
    let completeness = explore::candidates(&any, options, &mut |world, candidate| {
        limits::poll();
        let view = View { world, names: explore::names(test, question.model, world) };
        let state: Vec<Value> =
            test.shown.iter().map(|shown| candidate.final_value(test, &view, *shown)).collect();
        let passes = test
            .filter
            .as_ref()
            .is_none_or(|filter| filter.holds(&|observable| candidate.final_value(test, &view, observable)));
        if passes && !allowed.contains(&state) {
            found.insert(state);
        }
        looked_at += 1;
        if looked_at < CANDIDATES && found.len() <= LISTED {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    let all = looked_at < CANDIDATES
        && found.len() <= LISTED
        && matches!(completeness, Ok(Completeness::Complete | Completeness::Bounded));
    let mut list: Vec<Vec<Value>> = found.into_iter().collect();
    list.sort();
    list.sort_by_key(|state| !holds(test, state));
    list.truncate(LISTED);
    let refused = |state| Refused { state, ways: Vec::new(), as_condition: false };
    (list.into_iter().map(refused).collect(), all)
}

/// Where names of the model are defined.
fn definitions(question: &Question, names: &FxHashSet<String>) -> BTreeMap<String, Place> {
    let sources = question.sources;
    let defined = question.model.definitions.iter().filter(|definition| names.contains(&definition.name));
    let place = |definition: &crate::model::Definition| {
        let span = definition.span;
        let (line, column) = sources.line_column(span);
        let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        Place {
            file: sources.get(span.source).name.clone(),
            line,
            column,
            text: text.chars().take(160).collect(),
        }
    };
    defined.map(|definition| (definition.name.clone(), place(definition))).collect()
}
