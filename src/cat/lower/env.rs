//! Environments: names to values, lazily.
//!
//! Bindings made at the top level live in one table with versions, so that remembering the environment of a
//! definition costs a number; others are a list of frames. A later binding of a name hides the earlier ones, but only
//! from what is evaluated after it.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::error::Stop;
use super::value::Value;
use crate::cat::ast::Expr;
use crate::source::Span;

/// An environment: cheap to clone.
#[derive(Clone, Default, Debug)]
pub(super) struct Env {
    /// Global bindings older than this are visible.
    version: u32,
    locals: Option<Arc<Frame>>,
}

#[derive(Debug)]
struct Frame {
    name: Arc<str>,
    slot: Slot,
    place: Place,
    next: Option<Arc<Frame>>,
}

/// Where a name comes from.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Place {
    /// Where it is bound.
    pub bound: Option<Span>,
    /// Where its value is written, for a parameter.
    pub value: Option<Span>,
}

impl Place {
    /// Bound there.
    pub(super) fn bound(span: Span) -> Place {
        Place { bound: Some(span), value: None }
    }
}

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Value(Value),
    /// Evaluated on first use.
    Thunk(Arc<Thunk>),
    /// One component of a tuple that is evaluated on first use.
    Part(Arc<Thunk>, usize),
}

/// A definition that waits for its first use.
#[derive(Debug)]
pub(super) struct Thunk {
    pub expr: Expr,
    pub env: Env,
    pub memo: OnceLock<Result<Value, Stop>>,
}

impl Thunk {
    pub(super) fn new(expr: &Expr, env: &Env) -> Arc<Thunk> {
        Arc::new(Thunk { expr: expr.clone(), env: env.clone(), memo: OnceLock::new() })
    }
}

/// The table of global bindings.
#[derive(Default, Debug)]
pub(super) struct Globals {
    bindings: FxHashMap<Arc<str>, Vec<(u32, Slot, Place)>>,
    version: u32,
}

impl Globals {
    /// Binds a name globally; the environment that sees it.
    fn bind(&mut self, name: Arc<str>, slot: Slot, place: Place) -> u32 {
        self.bindings.entry(name).or_default().push((self.version, slot, place));
        self.version += 1;
        self.version
    }

    /// All names ever bound.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.bindings.keys().map(|name| &**name)
    }
}

impl Env {
    /// The same environment, for bindings that are dropped afterwards.
    pub(super) fn local(&self) -> Env {
        let mut env = self.clone();
        env.bind(Arc::from(""), Slot::Value(Value::Empty));
        env
    }

    /// Binds a name: globally if this is the newest global environment, otherwise in a frame.
    pub(super) fn bind_global(&mut self, globals: &mut Globals, name: Arc<str>, slot: Slot, place: Place) {
        if self.locals.is_none() && self.version == globals.version {
            self.version = globals.bind(name, slot, place);
        } else {
            self.bind_at(name, slot, place);
        }
    }

    /// Binds a name in a frame.
    pub(super) fn bind(&mut self, name: Arc<str>, slot: Slot) {
        self.bind_at(name, slot, Place::default());
    }

    /// Likewise, knowing where it comes from.
    pub(super) fn bind_at(&mut self, name: Arc<str>, slot: Slot, place: Place) {
        self.locals = Some(Arc::new(Frame { name, slot, place, next: self.locals.take() }));
    }

    /// What the name is bound to.
    pub(super) fn get(&self, globals: Option<&Globals>, name: &str) -> Option<(Slot, Place)> {
        let mut frame = &self.locals;
        while let Some(f) = frame {
            if &*f.name == name {
                return Some((f.slot.clone(), f.place));
            }
            frame = &f.next;
        }
        let versions = globals?.bindings.get(name)?;
        let older = versions.partition_point(|(version, ..)| *version < self.version);
        versions[..older].last().map(|(_, slot, place)| (slot.clone(), *place))
    }

    /// The local bindings, newest first.
    pub(super) fn locals(&self) -> impl Iterator<Item = (&Arc<str>, &Slot)> {
        std::iter::successors(self.locals.as_deref(), |f| f.next.as_deref()).map(|f| (&f.name, &f.slot))
    }
}
