//! Candidates one by one: every `rf` and choice of final writes that brings an outcome about, before any model has its say.
//!
//! Explanations start here. The search binds reads by the values that the outcome needs, so that only those candidates are built
//! that have it.

use std::ops::ControlFlow;

use super::drive::run_into;
use super::finals::{Finals, Registers};
use super::naive::by_values;
use super::sink::Sink;
use super::{Engine, Mode, Options};
use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::execution::{Names, View, World};
use crate::litmus::Lowered;
use crate::model::{Expr, Model, Plain, Sort, Val};
use crate::outcome::Completeness;
use crate::program::Value;
use crate::relation::{Rel, Set};

/// Everything that the program and the search fix, before the model makes its own choices.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'c> {
    /// Source of each read, in the order of `World::reads`.
    pub sources: &'c [usize],
    /// Values of the reads, by event.
    pub values: &'c [Option<Value>],
    /// Final writes, in the order of `World::observed`.
    pub last: &'c [usize],
}

/// Someone who looks at candidates.
pub(super) type Look<'l> = dyn FnMut(&World, &Candidate) -> ControlFlow<()> + Send + 'l;

impl Candidate<'_> {
    /// Reads-from, over the first `n` events.
    pub fn rf(&self, world: &World, n: usize) -> Rel {
        let pairs = world.reads.iter().zip(self.sources).map(|((read, _), source)| (*source, *read));
        Rel::of(n, pairs)
    }

    /// An evaluation of a model's expressions over this candidate; choices of the model are still to be made.
    pub fn evaluation<'a>(&self, model: &'a Model, view: &'a View<'a>) -> Plain<'a> {
        let mut plain = Plain::new(model, view);
        self.fill(model, view, &mut plain);
        plain
    }

    /// The value that a register or cell has in the end.
    pub fn final_value(&self, test: &Lowered, view: &View, observable: Observable) -> Value {
        let registers = Registers::new(view, &test.observed);
        Finals::new(view, self.values, self.last, &registers).value(observable)
    }

    /// Gives an evaluation the values of what a candidate fixes.
    pub(super) fn fill(&self, model: &Model, view: &View, plain: &mut Plain) {
        let n = view.names.n;
        if let Some(node) = model.pool.find(&Expr::Base(crate::model::Base::Rf, Sort::Rel)) {
            plain.set(node, Val::Rel(self.rf(view.world, n)));
        }
        if let Some(node) = model.pool.find(&Expr::Base(crate::model::Base::Fw, Sort::Set)) {
            plain.set(node, Val::Set(Set::of(n, self.last.iter().copied())));
        }
        for test in model.pool.value_tests() {
            plain.set_by_values(test, by_values(test, view, self.values));
        }
    }
}

/// What names mean to a model in a world of a test.
pub fn names<'a>(test: &'a Lowered, model: &Model, world: &World) -> Names<'a> {
    Names {
        program: &test.program,
        scopes: &test.scopes,
        regions: &test.regions,
        registers_visible: model.catdep,
        n: if model.needs_register_events() { world.events.len() } else { world.n_main },
    }
}

/// Shows every candidate whose final state the test's condition speaks of (for `forall`: those that violate it), in a fixed order. How far
/// that went comes back.
///
/// # Errors
/// A path of the program that is not supported.
pub fn candidates(
    test: &Lowered,
    options: &Options,
    look: &mut (dyn FnMut(&World, &Candidate) -> ControlFlow<()> + Send),
) -> Result<Completeness, Diagnostic> {
    let options = Options {
        mode: Mode::Count,
        engine: Engine::Explore,
        jobs: 1,
        max_executions: None,
        speedcheck: true,
        ..options.clone()
    };
    let mut sink = Sink::new(test, &options);
    sink.look = Some(look);
    // No model at all: nothing is refused.
    let outcome = run_into(test, &Model::default(), &options, sink)?;
    Ok(outcome.completeness)
}
