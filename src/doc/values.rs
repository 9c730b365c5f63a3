//! What a name stands for in a test: its events or pairs.

use crate::condition::Observable;
use crate::diag::Diagnostic;
use crate::execution::{Event, Names, View, World, unfold};
use crate::litmus::Lowered;
use crate::model::{Base, Bound, Bounds, Model, Sort, Val};
use crate::relation::{Rel, Set};
use crate::session::{Settings, lower_name};

/// The most ways through a test that are looked at.
const MOST_WAYS: usize = 1_000;

/// What a name stands for in a test.
#[derive(Clone, Debug)]
pub enum InTest {
    /// Only a model gives it a value.
    ModelsOwn,
    /// Nothing, on so many ways through the test.
    Nothing(u64),
    /// This, on the first way that has any.
    Something(Value),
}

/// What a name stands for on one way through a test.
#[derive(Clone, Debug)]
pub struct Value {
    /// The events of that way.
    pub events: Vec<Event>,
    /// Those in question, or the pairs.
    pub members: Members,
    /// Is this what it is in every execution, and not just an upper bound?
    pub exact: bool,
}

/// Events or pairs of events, by index.
#[derive(Clone, Debug)]
pub enum Members {
    /// Of a set, thread by thread in order.
    Events(Vec<usize>),
    /// Of a relation.
    Pairs(Vec<(usize, usize)>),
}

/// The events of a test that are in a set, or the pairs in a relation, on the first way through the test that has any. What the
/// execution decides is bounded from above.
///
/// # Errors
/// The test cannot be unfolded, or the name's definition fails on it.
pub fn in_test(word: &str, test: &Lowered, settings: &Settings) -> Result<InTest, Diagnostic> {
    // All events: `_` by itself could as well be all pairs.
    let expression = if word == "_" { "M | ~M" } else { word };
    let Some((model, value)) = lower_name(settings, expression, test.arch) else {
        return Ok(InTest::ModelsOwn);
    };
    let cell = |o: &Observable| match o {
        Observable::Loc(loc) => Some(*loc),
        _ => None,
    };
    let observed: Vec<_> = test.observed.iter().filter_map(cell).collect();
    let worlds = unfold(&test.program, test.unroll.unwrap_or(2), &observed)?;
    let mut ways = 0;
    for world in worlds.take(MOST_WAYS) {
        ways += 1;
        let names = Names {
            program: &test.program,
            scopes: &test.scopes,
            regions: &test.regions,
            registers_visible: false,
            n: world.events.len(),
        };
        let view = View { world: &world, names };
        let mut bounds = Bounds::new(&model, &view);
        bound_choices(&model, &world, names.n, &mut bounds);
        let bound = bounds.eval(value)?;
        let members = match &*bound.may {
            Val::Set(set) if !set.is_empty() => {
                let mut events: Vec<usize> = set.iter().collect();
                events.sort_by_key(|e| (world.events[*e].thread, world.events[*e].instance, *e));
                Members::Events(events)
            }
            Val::Rel(rel) if !rel.is_empty() => Members::Pairs(rel.iter().collect()),
            _ => continue,
        };
        let exact = bound.is_exact();
        return Ok(InTest::Something(Value { events: world.events.clone(), members, exact }));
    }
    Ok(InTest::Nothing(ways))
}

/// What reads may read from, and which writes may be last.
fn bound_choices(model: &Model, world: &World, n: usize, bounds: &mut Bounds) {
    if let Some(rf) = model.pool.find_base(&Base::Rf, Sort::Rel) {
        let pairs = world.reads.iter().flat_map(|(read, writes)| writes.iter().map(|write| (*write, *read)));
        let may = Rel::of(n, pairs);
        bounds.set(rf, &Bound::new(Val::Rel(Rel::empty(n)), Val::Rel(may)));
    }
    if let Some(last) = model.pool.find_base(&Base::Fw, Sort::Set) {
        let writes = world.observed.iter().flat_map(|loc| world.last_writes(*loc).iter().copied());
        bounds.set(last, &Bound::new(Val::Set(Set::empty(n)), Val::Set(Set::of(n, writes))));
    }
}
