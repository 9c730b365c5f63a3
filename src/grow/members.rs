//! Which predefined sets an event is in.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use super::code::Code;
use super::compile::in_set_by_kind;
use super::node::Members;
use crate::execution::EventKind;
use crate::program::{Program, SetName};

/// Memberships found so far: events made by one micro-op are in the same sets.
pub(super) struct Table<'p> {
    program: &'p Program,
    code: &'p Code,
    #[allow(clippy::type_complexity)]
    known: RwLock<FxHashMap<(EventKind, Option<u16>, usize, usize), u128>>,
}

impl<'p> Table<'p> {
    pub fn new(program: &'p Program, code: &'p Code) -> Table<'p> {
        Table { program, code, known: RwLock::default() }
    }

    fn find(&self, kind: EventKind, thread: Option<u16>, sets: &[SetName]) -> u128 {
        let tagged = |name: &str| sets.iter().any(|set| set == name);
        let conventions = self.program.conventions;
        let thread = thread.and_then(|thread| self.program.threads.get(usize::from(thread)));
        self.code.members(&|name| match in_set_by_kind(kind, name) {
            Some(is_in) => is_in,
            None => match name {
                "NA" if conventions.non_atomics => !tagged("A"),
                "X" | "RMW" if conventions.one_event_rmw => {
                    kind == EventKind::Rmw || tagged("X") || tagged("RMW")
                }
                _ => {
                    tagged(name) || thread.is_some_and(|thread| thread.annotations.iter().any(|a| a == name))
                }
            },
        })
    }
}

impl Members for Table<'_> {
    fn members(&self, kind: EventKind, thread: Option<u16>, sets: &[SetName]) -> u128 {
        let key = (kind, thread, sets.as_ptr() as usize, sets.len());
        if let Ok(known) = self.known.read()
            && let Some(members) = known.get(&key)
        {
            return *members;
        }
        let members = self.find(kind, thread, sets);
        if let Ok(mut known) = self.known.write() {
            known.insert(key, members);
        }
        members
    }
}
