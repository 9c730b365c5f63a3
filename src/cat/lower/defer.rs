//! Interpreted leaves: what only actual events can decide.
//!
//! Matching on an event set, splitting it by location, ordering it: none of that can be done while a model is lowered. Such
//! an expression becomes a leaf of the pool. It remembers the values it was to work on, with nodes where sets and
//! relations stand, and when those have values it runs the same interpreter on them.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::choices::{Items, ValueSet};
use super::env::{Env, Slot, Thunk};
use super::error::{Eval, Placed, Stop, wrong_sort};
use super::free;
use super::interpreter::{Concrete, Declared, Interpreter, Mode};
use super::ops::Op;
use super::stack;
use super::value::{Type, Value};
use crate::cat::ast::{Binding, Expr, Ins};
use crate::diag::Diagnostic;
use crate::model::{self, Choices, ExprId, Interp, Interpreted, Sort, Universe, Val};
use crate::relation::{Rel, Set};
use crate::source::{SourceId, Span};

/// Steps that a trial run may take.
const TRIAL_FUEL: u32 = 20_000;

/// A computation put off.
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// The value itself, seen as what is wanted.
    Value(Placed),
    Expr(Expr),
    /// The clauses of a set match, on a value.
    Match(Expr, Placed),
    Apply(Placed, Placed),
    Op(Op, Vec<Placed>),
    Component(Placed, usize),
    /// One value of a recursive definition.
    Rec(Arc<Vec<Binding>>, usize),
    /// Non-empty iff a check of the body of a `forall` (the one at this place, or any plain one) says so for a member.
    Forall {
        name: Option<Arc<str>>,
        set: Placed,
        body: Arc<Vec<Ins>>,
        only: Option<Span>,
        skip: Arc<BTreeSet<String>>,
    },
}

/// What the value is to be given as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Want {
    Set,
    Rel,
    /// As a relation that is empty iff the value is.
    Emptiness,
    /// As it is.
    Any,
    /// As alternatives of a `with`.
    Choices,
}

/// A computation put off, with all that it needs.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub code: Code,
    pub env: Env,
    pub span: Span,
    pub declared: Arc<Declared>,
    pub inputs: Vec<(ExprId, Sort)>,
    pub want: Want,
}

impl Leaf {
    /// Runs it on values of its inputs; on a larger stack, if it recurses deeply.
    fn run(&self, inputs: FxHashMap<ExprId, Value>, universe: &dyn Universe) -> Eval {
        match self.run_here(inputs.clone(), universe, None, None) {
            Err(Stop::TooDeep(_)) => {
                stack::deep(move |stack| self.run_here(inputs, universe, None, Some(stack)))
            }
            other => other,
        }
    }

    fn run_here(
        &self,
        inputs: FxHashMap<ExprId, Value>,
        universe: &dyn Universe,
        fuel: Option<u32>,
        stack: Option<usize>,
    ) -> Eval {
        let concrete = Concrete { universe, inputs, n: universe.n_events() };
        let mut interpreter = Interpreter::new(Mode::Concrete(concrete), self.declared.clone());
        interpreter.fuel = fuel;
        if let Some(stack) = stack {
            interpreter.stack_limit = stack;
        }
        // Functions made in this run are younger than those that were captured.
        interpreter.age = 1 << 32;
        interpreter.run_code(&self.code, &self.env, self.span)
    }
}

impl Interpreted for Leaf {
    fn eval(&self, inputs: &[Val], universe: &dyn Universe) -> Result<Val, Diagnostic> {
        let mut known = FxHashMap::default();
        for ((id, sort), val) in self.inputs.iter().zip(inputs) {
            known.insert(*id, from_val(val, *sort));
        }
        let value = self.run(known, universe).map_err(|stop| stop.diagnostic([]))?;
        to_val(value, self.want, universe, self.span).map_err(|stop| stop.diagnostic([]))
    }

    fn describe(&self) -> String {
        match &self.code {
            Code::Value(_) => "value".to_owned(),
            Code::Expr(_) => "expression over events".to_owned(),
            Code::Match(..) => "match".to_owned(),
            Code::Apply((Value::Prim(prim), _), _) => prim.name().to_owned(),
            Code::Apply((Value::Closure(c), _), _) => c.name.as_deref().unwrap_or("function").to_owned(),
            Code::Apply(..) => "function".to_owned(),
            Code::Op(op, _) => format!("{op:?}").to_lowercase(),
            Code::Component(_, index) => format!("component {}", index + 1),
            Code::Rec(..) => "let rec".to_owned(),
            Code::Forall { .. } => "forall".to_owned(),
        }
    }

    fn written_in(&self) -> Option<SourceId> {
        match &self.code {
            Code::Expr(_) | Code::Match(..) | Code::Rec(..) | Code::Forall { .. } => Some(self.span.source),
            Code::Value(_) | Code::Apply(..) | Code::Op(..) | Code::Component(..) => None,
        }
    }
}

fn from_val(val: &Val, sort: Sort) -> Value {
    match val {
        Val::Set(set) => Value::set(set.clone()),
        Val::Rel(rel) => Value::rel(rel.clone()),
        Val::Choices(Choices::List(list)) => {
            let items: Vec<Value> = list.iter().map(|v| from_val(v, Sort::Other)).collect();
            let element = items.first().map_or(Type::Unknown, Value::type_of);
            Value::values(ValueSet::list(element, items))
        }
        Val::Choices(Choices::Orders(orders)) => {
            Value::values(ValueSet { element: Type::Rel, items: Items::Orders(orders.clone()) })
        }
        Val::Choices(Choices::Cross(lists)) => {
            Value::values(ValueSet { element: Type::Rel, items: Items::Cross(lists.clone()) })
        }
        Val::Opaque(any) => any.downcast_ref::<Value>().cloned().unwrap_or(Value::Unknown),
        Val::Unknown(id) => Value::Node(*id, sort),
    }
}

fn to_val(value: Value, want: Want, universe: &dyn Universe, span: Span) -> Eval<Val> {
    let n = universe.n_events();
    if let Value::Node(id, _) = value {
        return Err(Stop::Needs(id));
    }
    match want {
        Want::Set => match value {
            Value::Set(set) => Ok(Val::Set((*set).clone())),
            Value::Empty => Ok(Val::Set(Set::empty(n))),
            Value::Universe => Ok(Val::Set(universe.visible())),
            other => Err(wrong_sort("a set of events", &(other, span))),
        },
        Want::Rel => match value {
            Value::Rel(rel) => Ok(Val::Rel((*rel).clone())),
            Value::Empty => Ok(Val::Rel(Rel::empty(n))),
            Value::Universe => Ok(Val::Rel(Rel::product(&universe.visible(), &universe.visible()))),
            Value::Pair(from, to) => Ok(Val::Rel(Rel::of(n, [(from, to)]))),
            other => Err(wrong_sort("a relation", &(other, span))),
        },
        Want::Emptiness => match value {
            Value::Set(set) => Ok(Val::Rel(Rel::id_on(&set))),
            Value::Event(event) => Ok(Val::Rel(Rel::of(n, [(event, event)]))),
            Value::ClassRel(pairs) => {
                Ok(Val::Rel(if pairs.is_empty() { Rel::empty(n) } else { Rel::identity(n) }))
            }
            other => to_val(other, Want::Rel, universe, span),
        },
        Want::Any => Ok(match value {
            Value::Set(set) => Val::Set((*set).clone()),
            Value::Rel(rel) => Val::Rel((*rel).clone()),
            other => {
                let any: Arc<dyn Any + Send + Sync> = Arc::new(other);
                Val::Opaque(any)
            }
        }),
        Want::Choices => match value {
            Value::Empty => Ok(Val::Choices(Choices::List(Vec::new()))),
            Value::Values(set) => Ok(Val::Choices(match &set.items {
                Items::Orders(orders) => Choices::Orders(orders.clone()),
                Items::Cross(lists) => Choices::Cross(lists.clone()),
                Items::List(items) => {
                    let want = match set.element {
                        Type::Events => Want::Set,
                        Type::Rel | Type::Empty => Want::Rel,
                        _ => Want::Any,
                    };
                    let items = items.iter().map(|v| to_val(v.clone(), want, universe, span));
                    Choices::List(items.collect::<Result<_, _>>()?)
                }
            })),
            other => Err(wrong_sort("a set to choose from", &(other, span))),
        },
    }
}

impl Interpreter<'_> {
    /// Runs what was put off, in a concrete run.
    fn run_code(&mut self, code: &Code, env: &Env, span: Span) -> Eval {
        match code {
            Code::Value(value) => self.resolve(&value.0),
            Code::Expr(expr) => self.eval(env, expr),
            Code::Match(expr, value) => {
                let value = self.resolve_placed(value)?;
                self.match_set(env, expr, &value)
            }
            Code::Apply(function, arg) => {
                let (function, arg) = (self.resolve_placed(function)?, self.resolve_placed(arg)?);
                self.apply(&function, &arg, span)
            }
            Code::Op(op, args) => {
                let args = args.iter().map(|a| self.resolve_placed(a)).collect::<Result<Vec<_>, _>>()?;
                self.operate(*op, args, span)
            }
            Code::Component(tuple, index) => {
                let tuple = self.resolve_placed(tuple)?;
                self.component(&tuple, *index)
            }
            Code::Rec(bindings, index) => {
                let slots = self.rec_slots(env, bindings, None, span)?;
                let slot = slots.get(*index).map(|(_, slot)| slot.clone());
                slot.map_or(Ok(Value::Empty), |slot| self.force(&slot))
            }
            Code::Forall { name, set, body, only, skip } => {
                let set = self.resolve_placed(set)?;
                let failed = self.forall_fails(env, name.as_ref(), &set, body, *only, skip)?;
                if failed { self.universe(Sort::Rel) } else { self.empty(Sort::Rel) }
            }
        }
    }

    fn resolve_placed(&mut self, value: &Placed) -> Eval<Placed> {
        Ok((self.resolve(&value.0)?, value.1))
    }

    // Putting off.

    pub(super) fn defer_expr(&mut self, env: &Env, expr: &Expr) -> Eval {
        self.still_lowering(&[])?;
        let names = free::of_expr(expr);
        let env = self.restrict(env, &names, None)?;
        self.defer(Code::Expr(expr.clone()), env, expr.span)
    }

    pub(super) fn defer_match(&mut self, env: &Env, expr: &Expr, value: &Placed) -> Eval {
        self.still_lowering(&[&value.0])?;
        let names = free::of_expr(expr);
        let env = self.restrict(env, &names, None)?;
        self.defer(Code::Match(expr.clone(), value.clone()), env, expr.span)
    }

    pub(super) fn defer_apply(&mut self, function: &Placed, arg: &Placed, span: Span) -> Eval {
        self.still_lowering(&[&function.0, &arg.0])?;
        self.defer(Code::Apply(function.clone(), arg.clone()), Env::default(), span)
    }

    pub(super) fn defer_op(&mut self, op: Op, args: Vec<Placed>, span: Span) -> Eval {
        self.still_lowering(&args.iter().map(|(v, _)| v).collect::<Vec<_>>())?;
        self.defer(Code::Op(op, args), Env::default(), span)
    }

    pub(super) fn defer_component(&mut self, tuple: &Placed, index: usize) -> Eval {
        self.still_lowering(&[&tuple.0])?;
        self.defer(Code::Component(tuple.clone(), index), Env::default(), tuple.1)
    }

    /// In a concrete run there is nothing to put off to: a node is an input not known yet.
    fn still_lowering(&self, values: &[&Value]) -> Eval<()> {
        if !self.is_concrete() {
            return Ok(());
        }
        let node = values.iter().find_map(|v| if let Value::Node(id, _) = v { Some(*id) } else { None });
        Err(node.map_or(Stop::NoValue, Stop::Needs))
    }

    /// A value of open sort as a set or relation.
    pub(super) fn coerce(&mut self, value: &Placed, sort: Sort) -> Eval {
        self.still_lowering(&[&value.0])?;
        let Value::Node(id, _) = value.0 else { return Ok(value.0.clone()) };
        let key = (id, sort == Sort::Set);
        if let Some(done) = self.lowering().and_then(|a| a.coerced.get(&key).cloned()) {
            return Ok(done);
        }
        // What the trial run saw may rule it out at once.
        if let Some(sample) = self.lowering().and_then(|a| a.samples.get(&id).cloned()) {
            let fits = match sample.type_of() {
                Type::Empty | Type::Universe | Type::Unknown => true,
                Type::Events | Type::Event => sort == Sort::Set,
                Type::Rel | Type::Pair => sort == Sort::Rel,
                _ => false,
            };
            if !fits {
                let expected = if sort == Sort::Set { "a set of events" } else { "a relation" };
                return Err(wrong_sort(expected, &(sample, value.1)));
            }
        }
        let want = if sort == Sort::Set { Want::Set } else { Want::Rel };
        let result = self.defer_as(Code::Value(value.clone()), Env::default(), value.1, want)?;
        if let Some(a) = self.lowering() {
            a.coerced.insert(key, result.clone());
        }
        Ok(result)
    }

    fn defer(&mut self, code: Code, env: Env, span: Span) -> Eval {
        self.defer_as(code, env, span, Want::Any)
    }

    /// A new leaf.
    pub(super) fn defer_as(&mut self, code: Code, env: Env, span: Span, want: Want) -> Eval {
        let mut capture = Capture::default();
        match &code {
            Code::Value(v) | Code::Match(_, v) | Code::Component(v, _) | Code::Forall { set: v, .. } => {
                self.capture(&v.0, &mut capture);
            }
            Code::Apply(f, v) => {
                self.capture(&f.0, &mut capture);
                self.capture(&v.0, &mut capture);
            }
            Code::Op(_, args) => args.iter().for_each(|(v, _)| self.capture(v, &mut capture)),
            Code::Expr(_) | Code::Rec(..) => {}
        }
        self.capture_env(&env, &mut capture);
        let leaf = Leaf { code, env, span, declared: self.declared.clone(), inputs: capture.inputs, want };
        let sample = self.trial(&leaf);
        let (leaf, sort) = match want {
            Want::Set => (leaf, Sort::Set),
            Want::Rel | Want::Emptiness => (leaf, Sort::Rel),
            Want::Choices => (leaf, Sort::Other),
            Want::Any => match sample.as_ref().map(|v| v.type_of().sort()) {
                Some(Sort::Set) => (Leaf { want: Want::Set, ..leaf }, Sort::Set),
                Some(Sort::Rel) => (Leaf { want: Want::Rel, ..leaf }, Sort::Rel),
                _ => (leaf, Sort::Other),
            },
        };
        let Some(a) = self.lowering() else { return Err(Stop::NoValue) };
        let inputs = leaf.inputs.iter().map(|(id, _)| *id).collect();
        let leaf = Arc::new(leaf);
        let id = a.pool.new_interp(Interp { inputs, function: leaf.clone() }, sort);
        a.n_deferred += 1;
        a.leaves.insert(id, leaf);
        if let Some(sample) = sample {
            a.samples.insert(id, sample);
        }
        Ok(Value::Node(id, sort))
    }

    /// The alternatives of a `with`: a node of them, and the type of one.
    pub(super) fn alternatives(&mut self, set: &Placed) -> Eval<(ExprId, Type)> {
        let value = match &set.0 {
            Value::Node(id, Sort::Other) => {
                let leaf = self.lowering().and_then(|a| a.leaves.get(id).cloned());
                match leaf {
                    Some(leaf) => {
                        self.defer_as(leaf.code.clone(), leaf.env.clone(), leaf.span, Want::Choices)?
                    }
                    None => self.defer_as(Code::Value(set.clone()), Env::default(), set.1, Want::Choices)?,
                }
            }
            Value::Values(_) | Value::Explicit(_) | Value::Empty | Value::Unknown => {
                self.defer_as(Code::Value(set.clone()), Env::default(), set.1, Want::Choices)?
            }
            _ => return Err(wrong_sort("a set of values to choose from", set)),
        };
        let Value::Node(id, _) = value else { return Err(Stop::NoValue) };
        let element = match self.lowering().and_then(|a| a.samples.get(&id)).map(Value::type_of) {
            Some(Type::Set(element)) if !matches!(*element, Type::Unknown | Type::Empty) => *element,
            Some(t) if !matches!(t, Type::Empty | Type::Unknown | Type::Set(_)) => {
                return Err(wrong_sort("a set of values to choose from", &(set.0.clone(), set.1)));
            }
            _ => match &set.0 {
                Value::Explicit(items) => items.first().map_or(Type::Rel, Value::type_of),
                _ => Type::Rel,
            },
        };
        Ok((id, element))
    }

    /// Runs a leaf on three made-up events, to see what it denotes.
    fn trial(&mut self, leaf: &Leaf) -> Option<Value> {
        let a = self.lowering()?;
        let mut inputs = FxHashMap::default();
        for (id, sort) in &leaf.inputs {
            let value = match sort {
                Sort::Set => Value::set(Set::full(SAMPLE)),
                Sort::Rel => Value::rel(Rel::of(SAMPLE, [(0, 1), (0, 2), (1, 2)])),
                Sort::Other => a.samples.get(id)?.clone(),
            };
            inputs.insert(*id, value);
        }
        leaf.run_here(inputs, &SampleUniverse, Some(TRIAL_FUEL), None).ok()
    }

    /// Evaluates all that a captured value may need, and collects the nodes in it.
    fn capture(&mut self, value: &Value, capture: &mut Capture) {
        match value {
            Value::Node(id, sort) => capture.input(*id, *sort),
            Value::Tuple(parts) | Value::Explicit(parts) => {
                parts.iter().for_each(|v| self.capture(v, capture));
            }
            Value::Values(set) => {
                if let Items::List(items) = &set.items {
                    items.iter().for_each(|v| self.capture(v, capture));
                }
            }
            Value::Closure(closure) => {
                if !capture.seen.insert(Arc::as_ptr(closure).cast()) {
                    return;
                }
                self.capture_env(&closure.env, capture);
                if let Some(group) = &closure.group
                    && capture.seen.insert(Arc::as_ptr(group).cast())
                {
                    self.capture_env(&group.env, capture);
                }
            }
            Value::Procedure(procedure) => {
                if !capture.seen.insert(Arc::as_ptr(procedure).cast()) {
                    return;
                }
                self.capture_env(&procedure.captured, capture);
            }
            Value::Prim(super::prims::Prim::Map(function)) => self.capture(&function.clone(), capture),
            _ => {}
        }
    }

    fn capture_env(&mut self, env: &Env, capture: &mut Capture) {
        let slots: Vec<Slot> = env.locals().map(|(_, slot)| slot.clone()).collect();
        for slot in slots {
            match slot {
                Slot::Value(value) => self.capture(&value, capture),
                Slot::Thunk(thunk) | Slot::Part(thunk, _) => self.capture_thunk(&thunk, capture),
            }
        }
    }

    /// Forced now, because the leaf will be run many times, on different events. An error waits for its use.
    fn capture_thunk(&mut self, thunk: &Arc<Thunk>, capture: &mut Capture) {
        if capture.seen.insert(Arc::as_ptr(thunk).cast()) {
            let depth = self.depth;
            if let Ok(value) = self.force_thunk(thunk) {
                self.capture(&value, capture);
            }
            self.depth = depth;
        }
    }
}

/// What a leaf captures.
#[derive(Default)]
struct Capture {
    inputs: Vec<(ExprId, Sort)>,
    seen: FxHashSet<*const ()>,
}

impl Capture {
    fn input(&mut self, id: ExprId, sort: Sort) {
        if !self.inputs.iter().any(|(i, _)| *i == id) {
            self.inputs.push((id, sort));
        }
    }
}

/// Number of events in a trial run.
const SAMPLE: usize = 3;

struct SampleUniverse;

impl Universe for SampleUniverse {
    fn n_events(&self) -> usize {
        SAMPLE
    }

    fn visible(&self) -> Set {
        Set::full(SAMPLE)
    }

    fn base(&self, _: &model::Base) -> Option<model::Val> {
        None
    }

    fn location_classes(&self) -> Vec<Set> {
        vec![Set::of(SAMPLE, [0, 1]), Set::of(SAMPLE, [2])]
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        Some(Set::of(SAMPLE, [0]))
    }
}
