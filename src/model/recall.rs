//! What a `with` chooses from, remembered from test to test.
//!
//! The orders of the writes are asked for in every world, and computed by interpreting the model. They follow from a few sets and from
//! which events share a location: tests of one family, and worlds of one test, are alike in these.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::{Base, Choices, ExprId, Universe, Val, ValueTest};
use crate::relation::Set;

/// More than this are forgotten, all at once.
const MOST: usize = 1024;

/// Lists of more values than this are not kept.
const SHORT: usize = 4;

/// What a model has chosen from so far. A copy of a model starts anew: its expressions may be others.
#[derive(Default)]
pub struct Recalled(Mutex<FxHashMap<Signature, Choices>>);

impl Clone for Recalled {
    fn clone(&self) -> Recalled {
        Recalled::default()
    }
}

impl fmt::Debug for Recalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recalled")
    }
}

impl Recalled {
    /// What there was to choose from, the last time that all was the same.
    pub fn get(&self, signature: &Signature) -> Option<Choices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(signature).cloned()
    }

    /// Remembers what there is to choose from, but for long lists.
    pub fn put(&self, signature: Signature, choices: &Choices) {
        let short = match choices {
            Choices::Orders(_) => true,
            Choices::List(values) => values.len() <= SHORT,
            Choices::Cross(lists) => lists.iter().map(Vec::len).sum::<usize>() <= SHORT,
        };
        if !short {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(signature, choices.clone());
    }
}

/// All that the alternatives of a `with` depend on, as long as nothing else is asked of the events (see [`Watched`]).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature(Vec<u64>);

impl Signature {
    /// Of a choice among events, before its inputs.
    pub fn new(from: ExprId, events: &Watched) -> Signature {
        let mut words = Vec::with_capacity(256);
        words.extend([u64::from(from.0), events.n_events() as u64]);
        words.extend(events.universe.visible().words());
        let classes = events.classes.get_or_init(|| events.universe.location_classes());
        words.push(classes.len() as u64);
        classes.iter().for_each(|class| words.extend(class.words()));
        Signature(words)
    }

    /// Adds an input. `false`: such a value cannot be told from others.
    pub fn add(&mut self, input: &Val) -> bool {
        match input {
            Val::Set(set) => {
                self.0.push(0);
                self.0.extend(set.words());
            }
            Val::Rel(rel) => {
                self.0.push(1);
                self.0.extend(rel.all_words());
            }
            Val::Unknown(id) => self.0.extend([2, u64::from(id.0)]),
            Val::Choices(_) | Val::Opaque(_) => return false,
        }
        true
    }
}

/// Events, and whether more was asked about them than a [`Signature`] holds.
pub struct Watched<'u> {
    universe: &'u dyn Universe,
    more: AtomicBool,
    all: AtomicBool,
    classes: OnceLock<Vec<Set>>,
}

impl<'u> Watched<'u> {
    /// Nothing has been asked yet.
    pub fn new(universe: &'u dyn Universe) -> Watched<'u> {
        let (more, all) = (AtomicBool::new(false), AtomicBool::new(false));
        Watched { universe, more, all, classes: OnceLock::new() }
    }

    /// Has it been asked which events there are? Other functions of values have values of the same events.
    pub fn asked_for_all(&self) -> bool {
        self.all.load(Ordering::Relaxed)
    }

    /// Has more been asked?
    pub fn asked_more(&self) -> bool {
        self.more.load(Ordering::Relaxed)
    }

    fn more(&self) -> &dyn Universe {
        self.more.store(true, Ordering::Relaxed);
        self.universe
    }
}

impl Universe for Watched<'_> {
    fn n_events(&self) -> usize {
        self.universe.n_events()
    }

    fn visible(&self) -> Set {
        self.all.store(true, Ordering::Relaxed);
        self.universe.visible()
    }

    fn location_classes(&self) -> Vec<Set> {
        self.classes.get_or_init(|| self.universe.location_classes()).clone()
    }

    fn base(&self, base: &Base) -> Option<Val> {
        self.more().base(base)
    }

    fn events_of_location(&self, name: &str) -> Option<Set> {
        self.more().events_of_location(name)
    }

    fn test_values(&self, test: ValueTest, a: usize, b: usize) -> Option<bool> {
        self.more().test_values(test, a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Order, OrderBase};
    use crate::relation::Rel;

    struct Events(Vec<Set>);

    impl Universe for Events {
        fn n_events(&self) -> usize {
            4
        }

        fn visible(&self) -> Set {
            Set::full(4)
        }

        fn base(&self, _: &Base) -> Option<Val> {
            None
        }

        fn location_classes(&self) -> Vec<Set> {
            self.0.clone()
        }

        fn events_of_location(&self, _: &str) -> Option<Set> {
            None
        }
    }

    #[test]
    fn only_what_is_alike_in_all_is_remembered() {
        let events = |classes: &[&[usize]]| {
            Events(classes.iter().map(|class| Set::of(4, class.iter().copied())).collect())
        };
        let (one, other) = (events(&[&[0, 1], &[2, 3]]), events(&[&[0, 2], &[1, 3]]));
        let asked = |events: &Events, input: Val| {
            let mut signature = Signature::new(ExprId(1), &Watched::new(events));
            assert!(signature.add(&input));
            signature
        };
        let set = |members: [usize; 2]| Val::Set(Set::of(4, members));
        let recalled = Recalled::default();
        let order = Order { over: Set::of(4, [0, 1]), base: OrderBase::Rel(Rel::empty(4)) };
        recalled.put(asked(&one, set([0, 1])), &Choices::Orders(vec![order]));
        let long = vec![Val::Rel(Rel::empty(4)); SHORT + 1];
        recalled.put(asked(&other, set([0, 1])), &Choices::List(long));
        recalled.put(asked(&other, set([2, 3])), &Choices::List(Vec::new()));
        assert!(
            matches!(recalled.get(&asked(&one, set([0, 1]))), Some(Choices::Orders(orders)) if orders.len() == 1)
        );
        assert!(recalled.get(&asked(&other, set([0, 1]))).is_none());
        assert!(matches!(recalled.get(&asked(&other, set([2, 3]))), Some(Choices::List(_))));
        assert!(recalled.get(&asked(&one, set([0, 2]))).is_none());
        assert!(recalled.get(&asked(&one, Val::Unknown(ExprId(3)))).is_none());
        assert!(recalled.get(&asked(&one, Val::Rel(Rel::empty(4)))).is_none());
        assert!(recalled.clone().get(&asked(&one, set([0, 1]))).is_none());
        assert!(
            !Signature::new(ExprId(1), &Watched::new(&one)).add(&Val::Choices(Choices::List(Vec::new())))
        );

        let watched = Watched::new(&one);
        assert_eq!((watched.n_events(), watched.location_classes().len()), (4, 2));
        assert!(!watched.asked_more() && !watched.asked_for_all());
        assert!(watched.visible().len() == 4 && watched.asked_for_all() && !watched.asked_more());
        assert!(watched.events_of_location("x").is_none() && watched.asked_more());
    }
}
