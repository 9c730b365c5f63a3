//! Which predefined sets an event is in, and what is computed of it.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use super::code::Code;
use super::compile::in_set_by_kind;
use super::node::{Kind, Sort, Sorted};
use crate::execution::EventKind;
use crate::program::{Program, SetName};

/// Memberships found so far: events made by one micro-op are in the same sets.
pub(super) struct Table<'p> {
    program: &'p Program,
    code: &'p Code,
    #[allow(clippy::type_complexity)]
    known: RwLock<FxHashMap<(EventKind, u16, usize, usize), Sorted>>,
    /// Of initial writes, and of choices.
    pub initial: Sorted,
    pub choice: Sorted,
}

impl<'p> Table<'p> {
    pub fn new(program: &'p Program, code: &'p Code) -> Table<'p> {
        let initial = find(program, code, EventKind::Init, None, &[]);
        let recipe = code.recipe(Sort { kind: Kind::Choice, members: 0 });
        Table { program, code, known: RwLock::default(), initial, choice: Sorted { members: 0, recipe } }
    }

    /// Of an event of a thread.
    pub fn of(&self, kind: EventKind, thread: u16, sets: &[SetName]) -> Sorted {
        let key = (kind, thread, sets.as_ptr() as usize, sets.len());
        if let Ok(known) = self.known.read()
            && let Some(sorted) = known.get(&key)
        {
            return *sorted;
        }
        let sorted = find(self.program, self.code, kind, Some(thread), sets);
        if let Ok(mut known) = self.known.write() {
            known.insert(key, sorted);
        }
        sorted
    }
}

fn find(program: &Program, code: &Code, kind: EventKind, thread: Option<u16>, sets: &[SetName]) -> Sorted {
    let members = code.members(&|name| is_in(program, (kind, thread, sets), name));
    Sorted { members, recipe: code.recipe(Sort { kind: Kind::Event(kind), members }) }
}

/// Is an event of that kind, thread and annotations in a set?
pub(super) fn is_in(
    program: &Program,
    (kind, thread, sets): (EventKind, Option<u16>, &[SetName]),
    name: &str,
) -> bool {
    let tagged = |name: &str| sets.iter().any(|set| set == name);
    let conventions = program.conventions;
    let thread = thread.and_then(|thread| program.threads.get(usize::from(thread)));
    match in_set_by_kind(kind, name) {
        Some(is_in) => is_in,
        None => match name {
            "NA" if conventions.non_atomics => !tagged("A"),
            "X" | "RMW" if conventions.one_event_rmw => {
                kind == EventKind::Rmw || tagged("X") || tagged("RMW")
            }
            _ => tagged(name) || thread.is_some_and(|thread| thread.annotations.iter().any(|a| a == name)),
        },
    }
}
