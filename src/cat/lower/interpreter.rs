//! The interpreter's state, in its two modes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::defer::Leaf;
use super::env::{Env, Globals, Place, Slot, Thunk};
use super::error::{Eval, Placed, Stop, unknown_name, wrong_arity};
use super::free;
use super::predefined::Predefined;
use super::stack::{DEPTH_LIMIT, SHALLOW};
use super::value::Value;
use crate::cat::ast::{Binding, Expr, ExprKind, Ident, Params, Pattern};
use crate::diag::{Diagnostic, is_slip};
use crate::limits;
use crate::model::{self, Base, ENTRY_SETS, ExprId, Origins, Pool, Sort, Universe, ValueTest};
use crate::relation::{Rel, Set};
use crate::source::Span;
use crate::variant::Variants;

/// A relation that is there where there are page tables.
const PAGE_TABLES: &str = "inv-domain";

/// Declared tags, and the settings that expressions can ask about.
#[derive(Clone, Default, Debug)]
pub(super) struct Declared {
    /// Tag to its enumeration.
    pub tags: FxHashMap<Arc<str>, Arc<str>>,
    /// Enumeration to its tags.
    pub enums: FxHashMap<Arc<str>, Vec<Arc<str>>>,
    /// Variants that are set, lower case, canonical names.
    pub variants: Variants,
}

/// The interpreter.
pub(super) struct Interpreter<'a> {
    pub mode: Mode<'a>,
    pub declared: Arc<Declared>,
    pub depth: u32,
    /// Steps left, in a trial run.
    pub fuel: Option<u32>,
    /// Next age of a function.
    pub age: u64,
    /// How much stack it may use.
    pub stack_limit: usize,
    /// Where the stack was when this interpreter was made.
    stack: usize,
    /// Free variables of functions seen so far, by the address of their bodies (kept, so that it stays theirs).
    free: FxHashMap<*const ExprKind, (Expr, Names)>,
}

/// A list of names.
type Names = Arc<[Arc<str>]>;

/// What sets and relations are.
pub(super) enum Mode<'a> {
    /// Nodes of the pool.
    Abstract(Box<Abstract>),
    /// Bits.
    Concrete(Concrete<'a>),
}

/// Lowering a model.
pub(super) struct Abstract {
    pub pool: Pool,
    pub globals: Globals,
    pub predefined: Predefined,
    /// What each interpreted leaf gave on the sample events: tells what it denotes.
    pub samples: FxHashMap<ExprId, Value>,
    /// The interpreted leaves, by node.
    pub leaves: FxHashMap<ExprId, Arc<Leaf>>,
    /// Leaves of sort `Other` seen as a set or relation.
    pub coerced: FxHashMap<(ExprId, bool), Value>,
    /// Number of leaves made so far.
    pub n_deferred: usize,
    /// Unbound names are collected here instead of being errors, if asked for.
    pub unbound: Option<Vec<Ident>>,
    /// Warnings, once each.
    pub warnings: Vec<Diagnostic>,
    /// Where nodes come from.
    pub origins: Origins,
}

impl Abstract {
    /// What page table entries decide: known only with the values that events hold.
    fn by_value(&mut self, name: &str) -> Option<Value> {
        self.predefined.sort(PAGE_TABLES)?;
        if name == "PTEtoPA" {
            let (entries, memory) =
                (self.pool.base(Base::of("PTE"), Sort::Set), self.pool.base(Base::of("PA"), Sort::Set));
            let pairs = self.pool.intern(model::Expr::Product(entries, memory));
            let leads = self.pool.intern(model::Expr::ByValues(ValueTest::LeadsTo, pairs));
            return Some(Value::Node(leads, Sort::Rel));
        }
        let (_, sort) = ENTRY_SETS.iter().find(|(set, _)| *set == name)?;
        let memory = self.pool.base(Base::M, Sort::Set);
        let itself = self.pool.intern(model::Expr::ToId(memory));
        let holding = self.pool.intern(model::Expr::ByValues(ValueTest::Entry(sort), itself));
        let set = self.pool.intern(model::Expr::Domain(holding));
        Some(Value::Node(set, Sort::Set))
    }

    pub(super) fn new(predefined: Predefined) -> Abstract {
        Abstract {
            pool: Pool::default(),
            globals: Globals::default(),
            predefined,
            samples: FxHashMap::default(),
            leaves: FxHashMap::default(),
            coerced: FxHashMap::default(),
            n_deferred: 0,
            unbound: None,
            warnings: Vec::new(),
            origins: Origins::default(),
        }
    }
}

/// Evaluating an interpreted leaf.
pub(super) struct Concrete<'a> {
    pub universe: &'a dyn Universe,
    pub inputs: FxHashMap<ExprId, Value>,
    pub n: usize,
}

/// About where the stack ends now.
#[inline(never)]
fn stack_now() -> usize {
    let here = 0u8;
    std::ptr::from_ref(&here) as usize
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(mode: Mode<'a>, declared: Arc<Declared>) -> Interpreter<'a> {
        Interpreter {
            mode,
            declared,
            depth: 0,
            fuel: None,
            age: 0,
            stack_limit: SHALLOW,
            stack: stack_now(),
            free: FxHashMap::default(),
        }
    }

    pub(super) fn lowering(&mut self) -> Option<&mut Abstract> {
        match &mut self.mode {
            Mode::Abstract(a) => Some(a),
            Mode::Concrete(_) => None,
        }
    }

    fn globals(&self) -> Option<&Globals> {
        match &self.mode {
            Mode::Abstract(a) => Some(&a.globals),
            Mode::Concrete(_) => None,
        }
    }

    /// An error, told to somebody.
    pub(super) fn told(&self, stop: &Stop) -> Diagnostic {
        stop.diagnostic(self.globals().into_iter().flat_map(Globals::names))
    }

    pub(super) fn is_concrete(&self) -> bool {
        matches!(self.mode, Mode::Concrete(_))
    }

    /// Counts one step of a trial run.
    pub(super) fn step(&mut self) -> Eval<()> {
        limits::poll();
        if let Some(fuel) = &mut self.fuel {
            *fuel = fuel.checked_sub(1).ok_or(Stop::OutOfFuel)?;
        }
        Ok(())
    }

    // Names.

    pub(super) fn slot(&self, env: &Env, name: &str) -> Option<Slot> {
        self.binding(env, name).map(|(slot, _)| slot)
    }

    /// What a name is bound to, and where it comes from.
    pub(super) fn binding(&self, env: &Env, name: &str) -> Option<(Slot, Place)> {
        env.get(self.globals(), name)
    }

    pub(super) fn lookup(&mut self, env: &Env, name: &Arc<str>, span: Span) -> Eval {
        match self.binding(env, name) {
            Some((slot, place)) => {
                let value = self.force(&slot)?;
                self.note_name(name, span, &value, &slot, place);
                Ok(value)
            }
            None => self.unbound(name, span),
        }
    }

    /// A name that nothing binds: an error, or noted and passed over.
    fn unbound(&mut self, name: &Arc<str>, span: Span) -> Eval {
        let Mode::Abstract(a) = &mut self.mode else { return Err(unknown_name(name, span)) };
        match &mut a.unbound {
            // One letter off is a slip, not a name that somebody else defines.
            Some(_) if name.len() > 3 && is_slip(name, a.globals.names()) => Err(unknown_name(name, span)),
            Some(list) => {
                if !list.iter().any(|i| i.name == *name) {
                    list.push(Ident { name: name.clone(), span });
                }
                Ok(Value::Unknown)
            }
            None => Err(unknown_name(name, span)),
        }
    }

    /// The value in a slot, evaluated now if this is its first use.
    pub(super) fn force(&mut self, slot: &Slot) -> Eval {
        match slot {
            Slot::Value(value) => self.resolve(value),
            Slot::Thunk(thunk) => {
                let value = self.force_thunk(thunk)?;
                self.resolve(&value)
            }
            Slot::Part(thunk, index) => {
                let value = self.force_thunk(thunk)?;
                let value = self.resolve(&value)?;
                self.component(&(value, thunk.expr.span), *index)
            }
        }
    }

    pub(super) fn force_thunk(&mut self, thunk: &Arc<Thunk>) -> Eval {
        if let Some(memo) = thunk.memo.get() {
            return memo.clone();
        }
        self.enter(thunk.expr.span)?;
        let value = self.eval(&thunk.env, &thunk.expr);
        self.depth -= 1;
        // A concrete run may give up on a shared thunk for reasons of its own: those are not remembered.
        if !matches!(value, Err(Stop::Needs(_) | Stop::OutOfFuel | Stop::NoValue | Stop::TooDeep(_))) {
            let _ = thunk.memo.set(value.clone());
        }
        value
    }

    /// One call deeper.
    pub(super) fn enter(&mut self, span: Span) -> Eval<()> {
        if self.depth >= DEPTH_LIMIT {
            return Err(Stop::TooDeep(span));
        }
        self.depth += 1;
        Ok(())
    }

    /// Is there stack left?
    pub(super) fn check_stack(&self, span: Span) -> Eval<()> {
        if self.stack.abs_diff(stack_now()) > self.stack_limit { Err(Stop::TooDeep(span)) } else { Ok(()) }
    }

    /// In a concrete run, captured nodes are replaced by the values they have there.
    pub(super) fn resolve(&mut self, value: &Value) -> Eval {
        let Mode::Concrete(c) = &self.mode else { return Ok(value.clone()) };
        match value {
            Value::Node(id, _) => Ok(c.inputs.get(id).cloned().unwrap_or_else(|| value.clone())),
            Value::Tuple(parts) => {
                let parts = parts.clone();
                let parts = parts.iter().map(|p| self.resolve(p)).collect::<Result<Vec<_>, _>>()?;
                Ok(Value::tuple(parts))
            }
            Value::Explicit(items) => {
                let items = items.clone();
                let items = items.iter().map(|p| self.resolve(p)).collect::<Result<Vec<_>, _>>()?;
                self.explicit_set(items)
            }
            _ => Ok(value.clone()),
        }
    }

    /// The `index`-th component of a tuple.
    pub(super) fn component(&mut self, tuple: &Placed, index: usize) -> Eval {
        match &tuple.0 {
            Value::Tuple(parts) if index < parts.len() => Ok(parts[index].clone()),
            Value::Pair(from, to) if index < 2 => Ok(Value::Event(if index == 0 { *from } else { *to })),
            Value::Unknown => Ok(Value::Unknown),
            Value::Node(_, Sort::Other) => self.defer_component(tuple, index),
            _ => {
                let kind = tuple.0.type_of();
                Err(Diagnostic::error(
                    "cat::wrong-arity",
                    format!("there is no component {} here", index + 1),
                )
                .at(tuple.1, format!("this is {kind}"))
                .into())
            }
        }
    }

    // Bindings.

    /// The slots of a non-recursive `let`.
    pub(super) fn let_slots(&mut self, env: &Env, bindings: &[Binding]) -> Eval<Vec<(Arc<str>, Slot)>> {
        let mut slots = Vec::new();
        for binding in bindings {
            match &binding.pattern {
                Pattern::Name(None) => {}
                Pattern::Name(Some(name)) => {
                    slots.push((name.name.clone(), Slot::Thunk(Thunk::new(&binding.expr, env))));
                }
                Pattern::Tuple(names) => {
                    let thunk = Thunk::new(&binding.expr, env);
                    for (index, name) in names.iter().enumerate() {
                        if let Some(name) = name {
                            slots.push((name.name.clone(), Slot::Part(thunk.clone(), index)));
                        }
                    }
                }
                Pattern::Function { name, params } => {
                    // Lazy too: a function whose free variables are not bound is an error only when it is used.
                    let fun = Expr {
                        kind: Arc::new(ExprKind::Fun { params: params.clone(), body: binding.expr.clone() }),
                        span: binding.span,
                    };
                    slots.push((name.name.clone(), Slot::Thunk(Thunk::new(&fun, env))));
                }
            }
        }
        Ok(slots)
    }

    /// Binds a value to the parameters of a function.
    pub(super) fn bind_params(
        &mut self,
        env: &mut Env,
        params: &Params,
        arg: &Placed,
        name: Option<&str>,
    ) -> Eval<()> {
        match params {
            Params::One(None) => {}
            Params::One(Some(param)) => {
                let place = Place { bound: Some(param.span), value: Some(arg.1) };
                env.bind_at(param.name.clone(), Slot::Value(arg.0.clone()), place);
            }
            Params::Tuple(names) => {
                let given = match &arg.0 {
                    Value::Tuple(parts) => Some(parts.len()),
                    Value::Pair(..) => Some(2),
                    Value::Unknown | Value::Node(_, Sort::Other) => Some(names.len()),
                    _ => None,
                };
                if given != Some(names.len()) {
                    return Err(wrong_arity(name, names.len(), arg));
                }
                for (index, param) in names.iter().enumerate() {
                    if let Some(param) = param {
                        let part = self.component(arg, index)?;
                        let place = Place { bound: Some(param.span), value: Some(arg.1) };
                        env.bind_at(param.name.clone(), Slot::Value(part), place);
                    }
                }
            }
        }
        Ok(())
    }

    /// The free variables of a function, remembered by where its body is.
    pub(super) fn free_variables(&mut self, params: &Params, body: &Expr) -> Names {
        let key = Arc::as_ptr(&body.kind);
        if let Some((_, names)) = self.free.get(&key) {
            return names.clone();
        }
        let names: Names = free::of_function(params, body).into();
        self.free.insert(key, (body.clone(), names.clone()));
        names
    }

    /// The part of an environment that holds `names`. Unbound ones are an error, if it is for `function`.
    pub(super) fn restrict(&mut self, env: &Env, names: &[Arc<str>], function: Option<&Expr>) -> Eval<Env> {
        let mut result = Env::default();
        for name in names {
            match (self.binding(env, name), function) {
                (Some((slot, place)), _) => result.bind_at(name.clone(), slot, place),
                (None, Some(body)) => {
                    let span = free::place(name, body).unwrap_or(body.span);
                    let value = self.unbound(name, span)?;
                    result.bind(name.clone(), Slot::Value(value));
                }
                (None, None) => {}
            }
        }
        Ok(result)
    }

    pub(super) fn next_age(&mut self) -> u64 {
        self.age += 1;
        self.age
    }

    // Making sets and relations.

    /// Interns an expression of the core; only while lowering.
    pub(super) fn node(&mut self, expr: model::Expr) -> Eval {
        match &mut self.mode {
            Mode::Abstract(a) => {
                let id = a.pool.intern(expr);
                Ok(Value::Node(id, a.pool.sort(id)))
            }
            Mode::Concrete(_) => {
                Err(Stop::Fatal(Arc::new(Diagnostic::internal("a node cannot be made in a concrete run"))))
            }
        }
    }

    pub(super) fn empty(&mut self, sort: Sort) -> Eval {
        match &self.mode {
            Mode::Abstract(_) => self.node(model::Expr::Empty(sort)),
            Mode::Concrete(c) if sort == Sort::Set => Ok(Value::set(Set::empty(c.n))),
            Mode::Concrete(c) => Ok(Value::rel(Rel::empty(c.n))),
        }
    }

    pub(super) fn universe(&mut self, sort: Sort) -> Eval {
        match &self.mode {
            Mode::Abstract(_) => self.node(model::Expr::Universe(sort)),
            Mode::Concrete(c) if sort == Sort::Set => Ok(Value::set(c.universe.visible())),
            Mode::Concrete(c) => {
                let visible = c.universe.visible();
                Ok(Value::rel(Rel::product(&visible, &visible)))
            }
        }
    }

    pub(super) fn identity(&mut self) -> Eval {
        match &self.mode {
            Mode::Abstract(_) => self.node(model::Expr::Id),
            Mode::Concrete(c) => Ok(Value::rel(Rel::id_on(&c.universe.visible()))),
        }
    }

    /// A predefined set or relation of the initial environment.
    pub(super) fn predefined(&mut self, name: &str) -> Option<Value> {
        match &mut self.mode {
            Mode::Abstract(a) => {
                if let Some(value) = a.by_value(name) {
                    return Some(value);
                }
                let sort = a.predefined.sort(name)?;
                let id = match Base::of(name) {
                    Base::Id => a.pool.intern(model::Expr::Id),
                    base => a.pool.base(base, sort),
                };
                Some(Value::Node(id, sort))
            }
            Mode::Concrete(c) => match c.universe.base(&Base::of(name))? {
                model::Val::Set(set) => Some(Value::set(set)),
                model::Val::Rel(rel) => Some(Value::rel(rel)),
                _ => None,
            },
        }
    }

    /// Is it the empty set or relation, whatever the execution?
    pub(super) fn certainly_empty(&self, value: &Value) -> bool {
        match (&self.mode, value) {
            (Mode::Abstract(a), Value::Node(id, _)) => matches!(a.pool.expr(*id), model::Expr::Empty(_)),
            _ => value.is_empty(),
        }
    }
}
