//! The primitives, and the library functions that are run as if they were.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choices::ValueSet;
use super::error::{Eval, Placed, Stop, wrong_sort};
use super::interpreter::{Interpreter, Mode};
use super::ops::Op;
use super::sets::cannot_list;
use super::value::{Closure, Type, Value};
use crate::cat::ast::{Expr, ExprKind, Params};
use crate::diag::{Diagnostic, Remedy};
use crate::model::{self, Sort, ValueTest};
use crate::relation::{Rel, Set};
use crate::source::Span;

/// A primitive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Prim {
    Domain,
    Range,
    ClassesLoc,
    Classes,
    Linearisations,
    Lift,
    Delift,
    DeliftInter,
    Bisimulation,
    FromTo,
    /// `tag2scope` and `tag2level`.
    TagToRelation,
    TagToEvents,
    TagToFenced,
    LocToEvents,
    DifferentValues,
    SameOa,
    AtLeastOneWritable,
    AsTransitive,
    Fail,
    /// Not a primitive of herd's: see `shapes.rs`.
    Cross,
    /// Likewise, with the function to apply.
    Map(Arc<Value>),
}

/// The primitives: name, what it is, and what it does.
#[rustfmt::skip]
pub(super) const PRIMITIVES: &[(&str, Prim, &str)] = &[
    ("domain", Prim::Domain, "`domain(r)`: the sources of r."),
    ("range", Prim::Range, "`range(r)`: the targets of r."),
    ("classes-loc", Prim::ClassesLoc, "`classes-loc(S)`: S split by location, as a set of sets."),
    ("classes", Prim::Classes, "`classes(r)`: the connected components of r, as a set of sets."),
    ("linearisations", Prim::Linearisations, "`linearisations(S, r)`: all strict total orders on S that contain r; none if r is cyclic on S."),
    ("lift", Prim::Lift, "`lift(C, r)`: r between classes instead of events."),
    ("delift", Prim::Delift, "`delift(c)`: a relation between classes as one between events."),
    ("deliftinter", Prim::DeliftInter, "`deliftinter(r, c)`: r between events of related classes."),
    ("bisimulation", Prim::Bisimulation, "`bisimulation(t, e)`: the largest part of e whose pairs t cannot tell apart."),
    ("fromto", Prim::FromTo, "`fromto(S)`: through each fence of S, from what is po-before to what is po-after."),
    ("tag2scope", Prim::TagToRelation, "`tag2scope('t)`: the relation of scope t in the test's scope tree."),
    ("tag2level", Prim::TagToRelation, "`tag2level('t)`: the relation of level t."),
    ("tag2events", Prim::TagToEvents, "`tag2events('t)`: the events annotated with t."),
    ("tag2fenced", Prim::TagToFenced, "`tag2fenced('t)`: program order through an event annotated with t."),
    ("loc2events", Prim::LocToEvents, "`loc2events('x)`: the events on global x."),
    ("different-values", Prim::DifferentValues, "`different-values(r)`: pairs of r that do not hold two equal values."),
    ("same-oa", Prim::SameOa, "`same-oa(r)`: pairs of r whose values are page-table entries with the same output address."),
    ("at-least-one-writable", Prim::AtLeastOneWritable, "`at-least-one-writable(r)`: pairs of r where one value is a writable page-table entry."),
    ("as_transitive", Prim::AsTransitive, "`as_transitive(r)`: a promise that r stands for its closure."),
    ("fail", Prim::Fail, "`fail(x)`: an error, for use under `try`."),
];

/// The primitives that a model can use, with what they do.
pub fn primitives() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRIMITIVES.iter().map(|(name, _, text)| (*name, *text))
}

impl Prim {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Prim::Cross => "cross",
            Prim::Map(_) => "map",
            _ => PRIMITIVES.iter().find(|(_, p, _)| p == self).map_or("primitive", |(name, ..)| name),
        }
    }
}

/// A tag as the set of the events that carry it is named.
pub(super) fn set_name(tag: &str) -> String {
    let mut chars = tag.chars();
    chars.next().map_or_else(String::new, |c| c.to_ascii_uppercase().to_string() + chars.as_str())
}

impl Interpreter<'_> {
    /// Applies a primitive.
    pub(super) fn primitive(&mut self, prim: &Prim, arg: &Placed, span: Span) -> Eval {
        self.step()?;
        if matches!(arg.0, Value::Unknown) {
            return Ok(Value::Unknown);
        }
        let about_tags =
            matches!(prim, Prim::TagToRelation | Prim::TagToEvents | Prim::TagToFenced | Prim::LocToEvents);
        if about_tags && matches!(arg.0, Value::Node(_, Sort::Other)) {
            return self.defer_apply(&(Value::Prim(prim.clone()), span), arg, span);
        }
        match prim {
            Prim::Domain | Prim::Range => self.ends(prim, arg),
            Prim::FromTo => self.po_through(arg, span),
            Prim::TagToRelation => {
                let tag = tag_of(arg)?;
                self.predefined(&tag).ok_or_else(|| {
                    Diagnostic::error("cat::unknown-scope", format!("there is no scope `{tag}`"))
                        .at(arg.1, "the test has no scope of that name")
                        .help("the litmus test might lack a `scopes:` declaration")
                        .into()
                })
            }
            Prim::TagToEvents | Prim::TagToFenced => {
                let tag = tag_of(arg)?;
                let name = set_name(&tag);
                let set = self.predefined(&name).ok_or_else(|| {
                    Stop::from(
                        Diagnostic::error("cat::unknown-name", format!("there is no event set `{name}`"))
                            .unless(Remedy::OtherFile)
                            .at(arg.1, "no event carries this tag on this architecture"),
                    )
                })?;
                match prim {
                    Prim::TagToFenced => self.po_through(&(set, arg.1), span),
                    _ => Ok(set),
                }
            }
            Prim::DifferentValues => self.by_values(ValueTest::Different, arg, span),
            Prim::SameOa => self.by_values(ValueTest::SameOutput, arg, span),
            Prim::AtLeastOneWritable => self.by_values(ValueTest::OneWritable, arg, span),
            Prim::AsTransitive => self.as_rel(arg, false),
            Prim::Fail => Err(Diagnostic::error("cat::fail", "`fail` is evaluated")
                .at(span, format!("on {}", arg.0.type_of()))
                .into()),
            Prim::Map(function) if self.certainly_empty(&arg.0) => {
                let _ = function;
                Ok(Value::Empty)
            }
            _ if self.is_concrete() => self.concrete_primitive(prim, arg, span),
            Prim::Map(function) if matches!(arg.0, Value::Values(_)) => {
                let function = function.clone();
                self.map(&function, arg, span)
            }
            // No execution will make a set of a function.
            _ if matches!(arg.0, Value::Closure(_) | Value::Prim(_)) => {
                Err(wrong_sort(&format!("an argument of `{}`", prim.name()), arg))
            }
            _ => self.defer_apply(&(Value::Prim(prim.clone()), span), arg, span),
        }
    }

    fn ends(&mut self, prim: &Prim, arg: &Placed) -> Eval {
        match &arg.0 {
            Value::Empty | Value::Universe => return Ok(arg.0.clone()),
            _ => {}
        }
        match self.as_rel(arg, false)? {
            Value::Rel(rel) => Ok(Value::set(if *prim == Prim::Domain { rel.domain() } else { rel.range() })),
            Value::Node(id, _) if self.is_concrete() => Err(Stop::Needs(id)),
            value => {
                let id = self.id_of(&value, Sort::Rel)?;
                self.node(if *prim == Prim::Domain {
                    model::Expr::Domain(id)
                } else {
                    model::Expr::Range(id)
                })
            }
        }
    }

    /// `po` through an event of the set.
    fn po_through(&mut self, arg: &Placed, span: Span) -> Eval {
        let set = self.as_set(arg, false)?;
        let po = self.predefined("po").unwrap_or(Value::Empty);
        let through = self.operate(Op::ToId, vec![(set, arg.1)], arg.1)?;
        self.operate(Op::Seq, vec![(po.clone(), span), (through, arg.1), (po, span)], span)
    }

    fn by_values(&mut self, test: ValueTest, arg: &Placed, span: Span) -> Eval {
        let rel = self.as_rel(arg, false)?;
        if self.certainly_empty(&rel) {
            return Ok(rel);
        }
        if self.is_concrete() {
            return Err(Stop::Fatal(Arc::new(
                Diagnostic::unsupported(
                    "cat::values-in-function",
                    format!("`{}` cannot be used in a function over single events", test.name()),
                )
                .at(span, "here"),
            )));
        }
        let id = self.id_of(&rel, Sort::Rel)?;
        self.node(model::Expr::ByValues(test, id))
    }

    /// Primitives that look at actual events.
    fn concrete_primitive(&mut self, prim: &Prim, arg: &Placed, span: Span) -> Eval {
        let Mode::Concrete(c) = &self.mode else { return Ok(Value::Unknown) };
        let (n, universe) = (c.n, c.universe);
        match prim {
            Prim::ClassesLoc => {
                let Value::Set(set) = self.as_known_set(arg)? else { return Ok(Value::Unknown) };
                let classes = universe.location_classes().into_iter().map(|class| class.inter(&set));
                let classes = classes.filter(|class| !class.is_empty()).map(Value::set);
                Ok(Value::values(ValueSet::list(Type::Events, classes)))
            }
            Prim::Classes => {
                let Value::Rel(rel) = self.as_known_rel(arg)? else { return Ok(Value::Unknown) };
                Ok(Value::values(ValueSet::list(Type::Events, components(&rel).into_iter().map(Value::set))))
            }
            Prim::LocToEvents => {
                let tag = tag_of(arg)?;
                Ok(Value::set(universe.events_of_location(&tag).unwrap_or_else(|| Set::empty(n))))
            }
            Prim::Linearisations => self.linearisations(arg, n),
            Prim::Cross => self.cross(arg, n),
            Prim::Map(function) => {
                let function = function.clone();
                self.map(&function, arg, span)
            }
            Prim::Delift => {
                let Value::ClassRel(pairs) = &arg.0 else {
                    return Err(wrong_sort("a relation over classes", arg));
                };
                Ok(Value::rel(delift(pairs, n)))
            }
            Prim::Lift => {
                let (classes, rel) = self.two(prim, arg)?;
                let classes = self.members(&classes)?;
                let Value::Rel(rel) = self.as_known_rel(&rel)? else { return Ok(Value::Unknown) };
                let class_of = |event: usize| {
                    classes.iter().find(|class| matches!(class, Value::Set(set) if set.contains(event)))
                };
                let lifted =
                    rel.iter().filter_map(|(a, b)| Some((class_of(a)?.clone(), class_of(b)?.clone())));
                Ok(Value::ClassRel(Arc::new(lifted.collect())))
            }
            Prim::DeliftInter => {
                let (rel, classes) = self.two(prim, arg)?;
                let Value::Rel(rel) = self.as_known_rel(&rel)? else { return Ok(Value::Unknown) };
                let Value::ClassRel(pairs) = &classes.0 else {
                    return Err(wrong_sort("a relation over classes", &classes));
                };
                Ok(Value::rel(rel.inter(&delift(pairs, n))))
            }
            Prim::Bisimulation => {
                let (steps, related) = self.two(prim, arg)?;
                if let (Value::ClassRel(t), Value::ClassRel(e)) = (&steps.0, &related.0) {
                    return Ok(Value::ClassRel(Arc::new(class_bisimulation(t, e))));
                }
                let (Value::Rel(t), Value::Rel(e)) =
                    (self.as_known_rel(&steps)?, self.as_known_rel(&related)?)
                else {
                    return Ok(Value::Unknown);
                };
                Ok(Value::rel(bisimulation(&t, &e)))
            }
            _ => Err(self.bad_argument(prim, arg)),
        }
    }

    fn bad_argument(&self, prim: &Prim, arg: &Placed) -> Stop {
        let kind = arg.0.type_of();
        Diagnostic::error("cat::wrong-sort", format!("`{}` does not apply to {kind}", prim.name()))
            .at(arg.1, format!("this is {kind}"))
            .into()
    }

    fn two(&self, prim: &Prim, arg: &Placed) -> Eval<(Placed, Placed)> {
        match &arg.0 {
            Value::Tuple(parts) if parts.len() == 2 => {
                Ok(((parts[0].clone(), arg.1), (parts[1].clone(), arg.1)))
            }
            _ => Err(self.bad_argument(prim, arg)),
        }
    }

    fn as_known_set(&mut self, value: &Placed) -> Eval {
        match self.as_set(value, false)? {
            Value::Node(id, _) => Err(Stop::Needs(id)),
            value => Ok(value),
        }
    }

    fn as_known_rel(&mut self, value: &Placed) -> Eval {
        match self.as_rel(value, false)? {
            Value::Node(id, _) => Err(Stop::Needs(id)),
            value => Ok(value),
        }
    }

    fn linearisations(&mut self, arg: &Placed, n: usize) -> Eval {
        let (set, base) = self.two(&Prim::Linearisations, arg)?;
        if let Value::ClassRel(base) = &base.0 {
            let classes = self.members(&set)?;
            return class_linearisations(&classes, base).map_err(|why| cannot_list(why, arg.1));
        }
        let Value::Set(over) = self.as_known_set(&set)? else { return Ok(Value::Unknown) };
        Ok(Value::values(match self.as_rel(&base, false)? {
            Value::Node(id, _) => ValueSet::linearisations_of_node((*over).clone(), id),
            Value::Rel(rel) => ValueSet::linearisations((*over).clone(), &rel),
            _ => ValueSet::linearisations((*over).clone(), &Rel::empty(n)),
        }))
    }

    fn cross(&mut self, arg: &Placed, n: usize) -> Eval {
        let members = self.members(arg)?;
        let none = ValueSet::list(Type::Rel, []);
        let mut sets = Vec::new();
        for member in &members {
            match member {
                Value::Values(set) if matches!(set.element, Type::Rel | Type::Unknown | Type::Empty) => {
                    sets.push(&**set);
                }
                Value::Empty => sets.push(&none),
                _ => return Err(wrong_sort("a set of sets of relations", arg)),
            }
        }
        ValueSet::cross(&sets, n).map(Value::values).map_err(|why| cannot_list(why, arg.1))
    }

    /// `f e ++ (f e' ++ … ++ {})`, for the members in order.
    fn map(&mut self, function: &Value, arg: &Placed, span: Span) -> Eval {
        if let (Value::Values(set), Value::Closure(closure)) = (&arg.0, function)
            && adds(closure)
            && let Some(n) = set.n_events()
        {
            // What it adds is what it makes of nothing.
            let nothing = (Value::rel(Rel::empty(n)), arg.1);
            if let Value::Rel(more) = self.apply(&(function.clone(), span), &nothing, span)?
                && let Some(set) = set.with_each(&more)
            {
                return Ok(Value::values(set));
            }
        }
        let members: Vec<Value> = match &arg.0 {
            Value::Set(set) => set.iter().map(Value::Event).collect(),
            Value::Rel(rel) => rel.iter().map(|(from, to)| Value::Pair(from, to)).collect(),
            Value::Node(id, _) => return Err(Stop::Needs(*id)),
            _ => self.members(arg)?,
        };
        let function = self.resolve(function)?;
        let mut images = Vec::with_capacity(members.len());
        for member in members {
            images.push(self.apply(&(function.clone(), span), &(member, arg.1), span)?);
        }
        // All at once where that is the same: adding one by one copies the set each time.
        let uniform = images.windows(2).all(|w| {
            let (a, b) = (w[0].type_of(), w[1].type_of());
            a.agrees(&b) || a == b
        });
        let plain =
            |v: &Value| !matches!(v, Value::Event(_) | Value::Pair(..) | Value::Universe | Value::Unknown);
        if uniform && !images.is_empty() && images.iter().all(plain) {
            return self.explicit_set(images);
        }
        let mut result = Value::Empty;
        while let Some(image) = images.pop() {
            result = self.operate(Op::Add, vec![(image, span), (result, span)], span)?;
        }
        Ok(result)
    }
}

/// Is it `fun r -> r | e`, where `e` is a name? It then adds the same to every relation.
fn adds(closure: &Closure) -> bool {
    let Params::One(Some(own)) = &closure.params else { return false };
    let ExprKind::Union(parts) = &*closure.body.kind else { return false };
    let name = |part: &Expr| if let ExprKind::Var(name) = &*part.kind { Some(name.clone()) } else { None };
    let names: Option<Vec<_>> = parts.iter().map(name).collect();
    names.is_some_and(|names| names.iter().filter(|name| **name == own.name).count() == 1)
}

fn tag_of(arg: &Placed) -> Eval<Arc<str>> {
    match &arg.0 {
        Value::Tag(tag) => Ok(tag.clone()),
        _ => Err(wrong_sort("a tag", arg)),
    }
}

/// Connected components of the events that the relation mentions.
fn components(rel: &Rel) -> Vec<Set> {
    let mut near = rel.union(&rel.inverse());
    near.close();
    let mut done = Set::empty(rel.n());
    let mut result = Vec::new();
    for event in 0..rel.n() {
        let class = near.row_set(event);
        if !done.contains(event) && !class.is_empty() {
            done.union_with(&class);
            result.push(class);
        }
    }
    result
}

fn delift(pairs: &BTreeSet<(Value, Value)>, n: usize) -> Rel {
    let mut result = Rel::empty(n);
    for pair in pairs {
        if let (Value::Set(a), Value::Set(b)) = pair {
            result.union_with(&Rel::product(a, b));
        }
    }
    result
}

/// The largest part of `related` whose distinct pairs have steps to related events, both ways.
fn bisimulation(steps: &Rel, related: &Rel) -> Rel {
    let mut result = related.clone();
    loop {
        let bad: Vec<(usize, usize)> = result
            .iter()
            .filter(|&(a, b)| {
                let follows = steps.successors(a).all(|x| steps.successors(b).any(|y| result.contains(x, y)));
                let back = steps.successors(b).all(|y| steps.successors(a).any(|x| result.contains(x, y)));
                a != b && !(follows && back)
            })
            .collect();
        if bad.is_empty() {
            return result;
        }
        for (a, b) in bad {
            result.remove(a, b);
        }
    }
}

type ClassPairs = BTreeSet<(Value, Value)>;

/// Class relations as relations over the positions of their classes.
fn by_position(pairs: &ClassPairs, classes: &[Value]) -> Rel {
    let at = |v: &Value| classes.iter().position(|c| c == v);
    Rel::of(classes.len(), pairs.iter().filter_map(|(a, b)| Some((at(a)?, at(b)?))))
}

fn to_classes(rel: &Rel, classes: &[Value]) -> ClassPairs {
    rel.iter().map(|(a, b)| (classes[a].clone(), classes[b].clone())).collect()
}

fn class_bisimulation(steps: &ClassPairs, related: &ClassPairs) -> ClassPairs {
    let all: BTreeSet<&Value> = steps.iter().chain(related).flat_map(|(a, b)| [a, b]).collect();
    let classes: Vec<Value> = all.into_iter().cloned().collect();
    to_classes(&bisimulation(&by_position(steps, &classes), &by_position(related, &classes)), &classes)
}

fn class_linearisations(classes: &[Value], base: &ClassPairs) -> Result<Value, super::choices::CannotList> {
    let n = classes.len();
    let set = match ValueSet::linearisations(Set::full(n), &by_position(base, classes)) {
        // The positions are not events: spell them out at once.
        set if n > 0 => set.members()?,
        _ => [Value::rel(Rel::empty(0))].into(),
    };
    let orders = set.iter().map(|order| match order {
        Value::Rel(rel) => Value::ClassRel(Arc::new(to_classes(rel, classes))),
        _ => Value::ClassRel(Arc::default()),
    });
    Ok(Value::values(ValueSet::list(Type::ClassRel, orders)))
}
