//! Tests that cannot notice a change of a model: what was changed is about nothing that they have.

use std::collections::{BTreeMap, BTreeSet};

use crate::execution::{View, unfold};
use crate::explore;
use crate::limits;
use crate::litmus::Lowered;
use crate::model::{Base, Expr, ExprId, Model, given_empty, same};

/// More worlds than these are not looked at: the test may have anything.
const WORLDS: usize = 200;

/// Tests, put together by what they lack.
pub(super) struct Groups<'m> {
    own: &'m Model,
    groups: Vec<(BTreeSet<Base>, Model)>,
    /// The group of each test; `None`: nothing is known of it.
    of: Vec<Option<usize>>,
}

impl<'m> Groups<'m> {
    /// Of tests, some of which are run under another form of the model.
    pub fn new<'t>(
        own: &'m Model,
        unroll: u32,
        tests: impl Iterator<Item = Option<&'t Lowered>>,
    ) -> Groups<'m> {
        let mut numbers: BTreeMap<BTreeSet<Base>, usize> = BTreeMap::new();
        let mut groups: Vec<(BTreeSet<Base>, Model)> = Vec::new();
        let of = tests.map(|test| {
            let absent = absent(own, test?, unroll)?;
            Some(*numbers.entry(absent.clone()).or_insert_with(|| {
                let model = given_empty(own, &absent);
                groups.push((absent, model));
                groups.len() - 1
            }))
        });
        let of = of.collect();
        Groups { own, groups, of }
    }

    /// For each test: may it notice that the model is now another?
    pub fn may_notice(&self, changed: Option<&Model>) -> impl Fn(usize) -> bool + use<> {
        let same_for: Vec<bool> = match changed {
            Some(changed) if self.own.needs_register_events() == changed.needs_register_events() => {
                let same = |(absent, own): &(BTreeSet<Base>, Model)| same(own, &given_empty(changed, absent));
                self.groups.iter().map(same).collect()
            }
            _ => vec![false; self.groups.len()],
        };
        let of = self.of.clone();
        move |test| of[test].is_none_or(|group| !same_for[group])
    }
}

/// What a model speaks about and no world of a test has.
fn absent(model: &Model, test: &Lowered, unroll: u32) -> Option<BTreeSet<Base>> {
    let base = |number: usize| match model.pool.expr(ExprId(number as u32)) {
        Expr::Base(base, _) if !base.is_dynamic() => Some(base.clone()),
        _ => None,
    };
    let mut absent: BTreeSet<Base> = (0..model.pool.len()).filter_map(base).collect();
    let worlds = unfold(&test.program, test.unroll.unwrap_or(unroll), &[]).ok()?;
    for (number, world) in worlds.enumerate() {
        limits::poll();
        if number >= WORLDS || !world.errors.is_empty() {
            return None;
        }
        let view = View { world: &world, names: explore::names(test, model, &world) };
        // A name may be both a set and a relation.
        absent.retain(|base| {
            let (set, rel) = (world.set(base, &view.names), world.rel(base, &view.names));
            set.is_none_or(|set| set.is_empty()) && rel.is_none_or(|rel| rel.is_empty())
        });
    }
    Some(absent)
}
