//! The operators of `cat`, on nodes and on actual sets and relations alike.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choices::{Items, ValueSet};
use super::error::{Eval, Placed, Stop, mismatch, no_operator, wrong_sort};
use super::interpreter::{Interpreter, Mode};
use super::sets::element_type;
use super::value::Value;
use crate::diag::Diagnostic;
use crate::model::{self, ExprId, Sort};
use crate::relation::{Rel, Set};
use crate::source::Span;

/// Operators on values, as an interpreted leaf remembers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Union,
    Inter,
    Diff,
    Compl,
    Seq,
    Product,
    Inverse,
    ToId,
    Opt,
    Plus,
    Star,
    Add,
    Explicit,
}

/// What an operand is, once the universe and unknowns are out of the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Set,
    Rel,
    /// A relation over classes.
    Lifted,
    Values,
    /// Only the run will tell.
    Open,
    No,
}

pub(super) fn class(value: &Value) -> Class {
    match value {
        Value::Set(_) | Value::Node(_, Sort::Set) => Class::Set,
        Value::Rel(_) | Value::Node(_, Sort::Rel) => Class::Rel,
        Value::Node(_, Sort::Other) => Class::Open,
        Value::ClassRel(_) => Class::Lifted,
        Value::Values(_) | Value::Explicit(_) => Class::Values,
        _ => Class::No,
    }
}

fn any_unknown(args: &[Placed]) -> bool {
    args.iter().any(|(v, _)| matches!(v, Value::Unknown))
}

impl Interpreter<'_> {
    /// Applies an operator.
    pub(super) fn operate(&mut self, op: Op, args: Vec<Placed>, span: Span) -> Eval {
        self.step()?;
        if any_unknown(&args) {
            return Ok(Value::Unknown);
        }
        match (op, args.as_slice()) {
            (Op::Union, _) => self.union(args, span),
            (Op::Inter, [_, _]) => self.inter(args, span),
            (Op::Diff, [_, _]) => self.diff(args, span),
            (Op::Compl, [_]) => self.complement(args, span),
            (Op::Seq, _) => self.sequence(args, span),
            (Op::Product, [a, b]) => {
                let (a, b) = (self.as_set(a, true)?, self.as_set(b, true)?);
                self.product(a, b)
            }
            (Op::Inverse, [a]) => self.inverse(a),
            (Op::ToId, [a]) => match &a.0 {
                Value::Empty => Ok(Value::Empty),
                Value::Universe => self.identity(),
                _ => {
                    let set = self.as_set(a, false)?;
                    self.rel_op(op, set)
                }
            },
            (Op::Opt | Op::Star, [(Value::Empty, _)]) => self.identity(),
            (Op::Opt | Op::Star | Op::Plus, [(Value::Universe, _)]) => Ok(Value::Universe),
            (Op::Plus, [(Value::Empty, _)]) => Ok(Value::Empty),
            (Op::Opt | Op::Star | Op::Plus, [a]) => {
                let rel = self.as_rel(a, false)?;
                self.rel_op(op, rel)
            }
            (Op::Add, [a, b]) => self.add(a, b, span),
            (Op::Explicit, _) => self.explicit(args, span),
            _ => {
                Err(Diagnostic::error("cat::wrong-arity", "wrong number of operands").at(span, "here").into())
            }
        }
    }

    /// The operand as an event set; a single event too, if `promote`.
    pub(super) fn as_set(&mut self, value: &Placed, promote: bool) -> Eval {
        match &value.0 {
            Value::Set(_) | Value::Node(_, Sort::Set) | Value::Unknown => Ok(value.0.clone()),
            Value::Empty => self.empty(Sort::Set),
            Value::Universe => self.universe(Sort::Set),
            Value::Node(_, Sort::Other) => self.coerce(value, Sort::Set),
            Value::Event(event) if promote => match &self.mode {
                Mode::Concrete(c) => Ok(Value::set(Set::of(c.n, [*event]))),
                Mode::Abstract(_) => Err(wrong_sort("a set of events", value)),
            },
            _ => Err(wrong_sort("a set of events", value)),
        }
    }

    /// The operand as a relation; a single pair too, if `promote`.
    pub(super) fn as_rel(&mut self, value: &Placed, promote: bool) -> Eval {
        match &value.0 {
            Value::Rel(_) | Value::Node(_, Sort::Rel) | Value::Unknown => Ok(value.0.clone()),
            Value::Empty => self.empty(Sort::Rel),
            Value::Universe => self.universe(Sort::Rel),
            Value::Node(_, Sort::Other) => self.coerce(value, Sort::Rel),
            Value::Pair(from, to) if promote => match &self.mode {
                Mode::Concrete(c) => Ok(Value::rel(Rel::of(c.n, [(*from, *to)]))),
                Mode::Abstract(_) => Err(wrong_sort("a relation", value)),
            },
            _ => Err(wrong_sort("a relation", value)),
        }
    }

    /// The node of an event set or relation; only while lowering.
    pub(super) fn id_of(&mut self, value: &Value, sort: Sort) -> Eval<ExprId> {
        let value = match value {
            Value::Node(id, _) => return Ok(*id),
            Value::Universe => self.universe(sort)?,
            // `Unknown` has been reported: anything will do.
            _ => self.empty(sort)?,
        };
        match value {
            Value::Node(id, _) => Ok(id),
            _ => Err(Stop::NoValue),
        }
    }

    /// One class for all operands: those that are open follow the others.
    fn agree(&mut self, operator: &str, args: &mut [Placed]) -> Eval<Class> {
        let mut known: Option<(Class, Placed)> = None;
        for arg in args.iter() {
            match (class(&arg.0), &known) {
                (Class::Open, _) => {}
                (Class::No, _) => return Err(no_operator(operator, arg)),
                (c, None) => known = Some((c, arg.clone())),
                (c, Some((k, first))) => {
                    if c != *k || !first.0.type_of().agrees(&arg.0.type_of()) {
                        return Err(mismatch(operator, first, arg));
                    }
                }
            }
        }
        let Some((class, _)) = known else { return Ok(Class::Open) };
        let open = args.iter().any(|(v, _)| matches!(v, Value::Node(_, Sort::Other)));
        match class {
            Class::Set | Class::Rel => {
                let sort = if class == Class::Set { Sort::Set } else { Sort::Rel };
                for arg in args.iter_mut() {
                    if matches!(arg.0, Value::Node(_, Sort::Other)) {
                        arg.0 = self.coerce(arg, sort)?;
                    }
                }
                Ok(class)
            }
            _ if open => Ok(Class::Open),
            _ => Ok(class),
        }
    }

    fn union(&mut self, mut args: Vec<Placed>, span: Span) -> Eval {
        if args.iter().any(|(v, _)| matches!(v, Value::Universe)) {
            return Ok(Value::Universe);
        }
        args.retain(|(v, _)| !matches!(v, Value::Empty));
        self.promote_tags(&mut args);
        if args.is_empty() {
            return Ok(Value::Empty);
        }
        match self.agree("union", &mut args)? {
            Class::Open => self.defer_op(Op::Union, args, span),
            Class::Set => self.plain_union(args, Sort::Set),
            Class::Rel => self.plain_union(args, Sort::Rel),
            Class::Lifted => {
                let mut result = BTreeSet::new();
                for (value, _) in args {
                    if let Value::ClassRel(rel) = value {
                        result.extend(rel.iter().cloned());
                    }
                }
                Ok(Value::ClassRel(Arc::new(result)))
            }
            Class::Values if args.len() == 1 => Ok(args.remove(0).0),
            Class::Values if args.iter().any(|(v, _)| matches!(v, Value::Explicit(_))) => {
                let mut items = Vec::new();
                for arg in &args {
                    match &arg.0 {
                        Value::Explicit(more) => items.extend(more.iter().cloned()),
                        _ => items.extend(self.values_of(arg)?),
                    }
                }
                Ok(Value::Explicit(Arc::new(items)))
            }
            Class::Values | Class::No => {
                if let [(Value::Values(a), _), (Value::Values(b), _)] = &args[..]
                    && let Some(both) = a.either(b)
                {
                    return Ok(Value::values(both));
                }
                let element = element_type(&args);
                let mut sets = args.iter().map(|arg| self.values_of(arg)).collect::<Result<Vec<_>, _>>()?;
                sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
                let mut sets = sets.into_iter();
                let mut items = sets.next().unwrap_or_default();
                sets.for_each(|set| items.extend(set));
                Ok(Value::values(ValueSet { element, items: Items::List(items) }))
            }
        }
    }

    /// The union of event sets, or of relations.
    fn plain_union(&mut self, args: Vec<Placed>, sort: Sort) -> Eval {
        if let Mode::Abstract(_) = self.mode {
            let ids = args.iter().map(|(v, _)| self.id_of(v, sort)).collect::<Result<Vec<_>, _>>()?;
            return self.node(model::Expr::Union(ids));
        }
        let mut values = args.into_iter().map(|(v, _)| v);
        let mut result = values.next().unwrap_or(Value::Empty);
        for value in values {
            result = match (&result, &value) {
                (Value::Set(a), Value::Set(b)) => Value::set(a.union(b)),
                (Value::Rel(a), Value::Rel(b)) => Value::rel(a.union(b)),
                (Value::Node(id, _), _) | (_, Value::Node(id, _)) => return Err(Stop::Needs(*id)),
                _ => return Err(Stop::NoValue),
            };
        }
        Ok(result)
    }

    fn inter(&mut self, mut args: Vec<Placed>, span: Span) -> Eval {
        match (&args[0].0, &args[1].0) {
            (Value::Empty, _) | (_, Value::Empty) => return Ok(Value::Empty),
            (Value::Universe, _) => return Ok(args.remove(1).0),
            (_, Value::Universe) => return Ok(args.remove(0).0),
            _ => {}
        }
        self.promote_tags(&mut args);
        match self.agree("intersection", &mut args)? {
            Class::Open => self.defer_op(Op::Inter, args, span),
            Class::Values => self.combine_values(Op::Inter, args, span),
            Class::Lifted => Ok(class_rels(&args, |a, b| a.intersection(b).cloned().collect())),
            c => self.binary(Op::Inter, sort_of(c), args),
        }
    }

    fn diff(&mut self, mut args: Vec<Placed>, span: Span) -> Eval {
        match (&args[0].0, &args[1].0) {
            (_, Value::Universe) | (Value::Empty, _) => return Ok(Value::Empty),
            (_, Value::Empty) => return Ok(args.remove(0).0),
            (Value::Universe, _) => {
                args.remove(0);
                return self.complement(args, span);
            }
            _ => {}
        }
        self.promote_tags(&mut args);
        match self.agree("difference", &mut args)? {
            Class::Open => self.defer_op(Op::Diff, args, span),
            Class::Values => self.combine_values(Op::Diff, args, span),
            Class::Lifted => Ok(class_rels(&args, |a, b| a.difference(b).cloned().collect())),
            c => self.binary(Op::Diff, sort_of(c), args),
        }
    }

    fn complement(&mut self, args: Vec<Placed>, span: Span) -> Eval {
        let arg = &args[0];
        match (&arg.0, class(&arg.0)) {
            (Value::Empty, _) => Ok(Value::Universe),
            (Value::Universe, _) => Ok(Value::Empty),
            (_, Class::Set) => {
                let all = self.universe(Sort::Set)?;
                self.complement_of(Sort::Set, all, &arg.0)
            }
            (_, Class::Rel) => {
                let all = self.universe(Sort::Rel)?;
                self.complement_of(Sort::Rel, all, &arg.0)
            }
            (_, Class::Open) => self.defer_op(Op::Compl, args, span),
            (Value::Tag(_), _) | (Value::Values(_), _) => self.tag_complement(arg),
            _ => Err(no_operator("complement", arg)),
        }
    }

    fn complement_of(&mut self, sort: Sort, all: Value, value: &Value) -> Eval {
        match (&all, value) {
            (Value::Set(a), Value::Set(b)) => Ok(Value::set(a.diff(b))),
            (Value::Rel(a), Value::Rel(b)) => Ok(Value::rel(a.diff(b))),
            (_, Value::Node(id, _)) if self.is_concrete() => Err(Stop::Needs(*id)),
            _ => {
                let id = self.id_of(value, sort)?;
                self.node(model::Expr::Compl(id))
            }
        }
    }

    /// Composition. Universes are skipped: `_;r` is `r`.
    fn sequence(&mut self, args: Vec<Placed>, span: Span) -> Eval {
        let mut args = args;
        args.retain(|(v, _)| !matches!(v, Value::Universe));
        if args.is_empty() {
            return self.universe(Sort::Rel);
        }
        if args.iter().any(|(v, _)| matches!(v, Value::Empty)) {
            return Ok(Value::Empty);
        }
        if args.iter().any(|(v, _)| matches!(v, Value::ClassRel(_))) {
            return sequence_classes(&args, span);
        }
        // An open operand may be a class relation only where all are.
        if args.iter().all(|(v, _)| class(v) == Class::Open) {
            return self.defer_op(Op::Seq, args, span);
        }
        let rels = args.iter().map(|a| self.as_rel(a, true)).collect::<Result<Vec<_>, _>>()?;
        if let Mode::Abstract(_) = self.mode {
            let mut ids = Vec::with_capacity(rels.len());
            for rel in &rels {
                let id = self.id_of(rel, Sort::Rel)?;
                ids.push(if rels.len() > 1 { self.skipped_if_universe(id) } else { id });
            }
            return self.node(model::Expr::Seq(ids));
        }
        let mut result: Option<Rel> = None;
        for rel in &rels {
            match rel {
                Value::Rel(rel) => {
                    result = Some(match result {
                        None => (**rel).clone(),
                        Some(done) => done.seq(rel),
                    });
                }
                Value::Node(id, _) => return Err(Stop::Needs(*id)),
                _ => return Err(Stop::NoValue),
            }
        }
        // An empty composition is `{}`, of any sort: its complement is `_`.
        Ok(result.filter(|rel| !rel.is_empty()).map_or(Value::Empty, Value::rel))
    }

    /// An operand `~(a;b)` of a composition is the universe, hence skipped, in executions where `a;b` is empty.
    /// (`c11_base.cat` has one; anything else that can turn out `_` only in some executions is taken as all pairs.)
    fn skipped_if_universe(&mut self, id: ExprId) -> ExprId {
        let Mode::Abstract(a) = &mut self.mode else { return id };
        let model::Expr::Compl(inner) = *a.pool.expr(id) else { return id };
        if !matches!(a.pool.expr(inner), model::Expr::Seq(_)) {
            return id;
        }
        let all = a.pool.intern(model::Expr::Universe(Sort::Rel));
        let some = a.pool.intern(model::Expr::Seq(vec![all, inner, all]));
        let identity = a.pool.intern(model::Expr::Id);
        let proper = a.pool.intern(model::Expr::Inter(id, some));
        let skipped = a.pool.intern(model::Expr::Diff(identity, some));
        a.pool.intern(model::Expr::Union(vec![proper, skipped]))
    }

    pub(super) fn product(&mut self, a: Value, b: Value) -> Eval {
        match (&a, &b) {
            (Value::Set(a), Value::Set(b)) => Ok(Value::rel(Rel::product(a, b))),
            (Value::Node(id, _), _) | (_, Value::Node(id, _)) if self.is_concrete() => Err(Stop::Needs(*id)),
            _ => {
                let (a, b) = (self.id_of(&a, Sort::Set)?, self.id_of(&b, Sort::Set)?);
                self.node(model::Expr::Product(a, b))
            }
        }
    }

    fn inverse(&mut self, arg: &Placed) -> Eval {
        match &arg.0 {
            Value::Empty | Value::Universe => Ok(arg.0.clone()),
            Value::Pair(from, to) => Ok(Value::Pair(*to, *from)),
            Value::ClassRel(rel) => {
                let swapped = rel.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
                Ok(Value::ClassRel(Arc::new(swapped)))
            }
            _ => {
                let rel = self.as_rel(arg, false)?;
                self.rel_op(Op::Inverse, rel)
            }
        }
    }

    /// Operators with one operand that is a set or relation already.
    fn rel_op(&mut self, op: Op, value: Value) -> Eval {
        match (&self.mode, &value) {
            (_, Value::Unknown) => Ok(Value::Unknown),
            (Mode::Abstract(_), Value::Node(id, _)) => {
                let id = *id;
                self.node(match op {
                    Op::Inverse => model::Expr::Inverse(id),
                    Op::ToId => model::Expr::ToId(id),
                    Op::Opt => model::Expr::Opt(id),
                    Op::Plus => model::Expr::Plus(id),
                    _ => model::Expr::Star(id),
                })
            }
            (_, Value::Node(id, _)) => Err(Stop::Needs(*id)),
            (_, Value::Set(set)) => Ok(Value::rel(Rel::id_on(set))),
            (Mode::Concrete(c), Value::Rel(rel)) => Ok(Value::rel(match op {
                Op::Inverse => rel.inverse(),
                Op::Opt => rel.union(&Rel::id_on(&c.universe.visible())),
                Op::Plus => rel.plus(),
                _ => rel.plus().union(&Rel::id_on(&c.universe.visible())),
            })),
            _ => Err(Stop::NoValue),
        }
    }

    fn binary(&mut self, op: Op, sort: Sort, args: Vec<Placed>) -> Eval {
        match (&args[0].0, &args[1].0) {
            (Value::Set(a), Value::Set(b)) => {
                Ok(Value::set(if op == Op::Inter { a.inter(b) } else { a.diff(b) }))
            }
            (Value::Rel(a), Value::Rel(b)) => {
                Ok(Value::rel(if op == Op::Inter { a.inter(b) } else { a.diff(b) }))
            }
            (Value::Node(id, _), _) | (_, Value::Node(id, _)) if self.is_concrete() => Err(Stop::Needs(*id)),
            (a, b) => {
                let (a, b) = (self.id_of(a, sort)?, self.id_of(b, sort)?);
                self.node(if op == Op::Inter { model::Expr::Inter(a, b) } else { model::Expr::Diff(a, b) })
            }
        }
    }
}

fn sort_of(class: Class) -> Sort {
    if class == Class::Set { Sort::Set } else { Sort::Rel }
}

type ClassPairs = BTreeSet<(Value, Value)>;

fn class_rels(args: &[Placed], f: impl Fn(&ClassPairs, &ClassPairs) -> ClassPairs) -> Value {
    match (&args[0].0, &args[1].0) {
        (Value::ClassRel(a), Value::ClassRel(b)) => Value::ClassRel(Arc::new(f(a, b))),
        _ => Value::Empty,
    }
}

fn sequence_classes(args: &[Placed], span: Span) -> Eval {
    let mut result: Option<ClassPairs> = None;
    for (value, at) in args {
        let Value::ClassRel(rel) = value else {
            return Err(Diagnostic::error(
                "cat::wrong-sort",
                "a relation over classes composes only with its like",
            )
            .at(*at, format!("this is {}", value.type_of()))
            .at(span, "in this composition")
            .into());
        };
        result = Some(match result {
            None => (**rel).clone(),
            Some(done) => {
                let joined = |(a, b): &(Value, Value)| {
                    let (a, b) = (a.clone(), b.clone());
                    rel.iter().filter(move |(c, _)| *c == b).map(move |(_, d)| (a.clone(), d.clone()))
                };
                done.iter().flat_map(joined).collect()
            }
        });
    }
    Ok(Value::ClassRel(Arc::new(result.unwrap_or_default())))
}
