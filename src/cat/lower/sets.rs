//! Operators on sets of values: making them, adding to them, combining them, listing them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::choices::{CannotList, SPELL_OUT_LIMIT, ValueSet};
use super::error::{Eval, Placed, Stop, heterogeneous, mismatch, no_operator, wrong_sort};
use super::interpreter::{Interpreter, Mode};
use super::ops::{Class, Op, class};
use super::value::{Type, Value};
use crate::diag::Diagnostic;
use crate::model::Sort;
use crate::relation::{Rel, Set};
use crate::source::Span;

impl Interpreter<'_> {
    pub(super) fn values_of(&self, value: &Placed) -> Eval<BTreeSet<Value>> {
        match &value.0 {
            Value::Values(set) => set.members().map_err(|why| cannot_list(why, value.1)),
            Value::Empty => Ok(BTreeSet::new()),
            Value::Node(id, Sort::Other) if self.is_concrete() => Err(Stop::Needs(*id)),
            _ => Err(wrong_sort("a set of values", value)),
        }
    }

    /// Tags stand for one-element sets in unions and the like.
    pub(super) fn promote_tags(&self, args: &mut [Placed]) {
        for (value, _) in args {
            if matches!(value, Value::Tag(_)) {
                *value = Value::values(ValueSet::list(Type::Tag, [value.clone()]));
            }
        }
    }

    /// Intersection and difference of sets of values.
    pub(super) fn combine_values(&mut self, op: Op, args: Vec<Placed>, span: Span) -> Eval {
        if args.iter().any(|(v, _)| matches!(v, Value::Explicit(_))) {
            return self.defer_op(op, args, span);
        }
        let (a, b) = (self.values_of(&args[0])?, self.values_of(&args[1])?);
        let keep = |v: &Value| b.contains(v) == (op == Op::Inter);
        let element = element_type(&args);
        Ok(Value::values(ValueSet::list(element, a.into_iter().filter(keep))))
    }

    /// The tags of the same enumeration that are not in the set.
    pub(super) fn tag_complement(&mut self, arg: &Placed) -> Eval {
        let mut args = [arg.clone()];
        self.promote_tags(&mut args);
        let members = self.values_of(&args[0])?;
        let first = members.iter().find_map(|v| match v {
            Value::Tag(tag) => self.declared.tags.get(tag),
            _ => None,
        });
        let Some(all) = first.and_then(|name| self.declared.enums.get(name)) else {
            return Err(no_operator("complement", arg));
        };
        let rest = all.iter().map(|t| Value::Tag(t.clone())).filter(|t| !members.contains(t));
        Ok(Value::values(ValueSet::list(Type::Tag, rest)))
    }

    /// `x ++ s`.
    pub(super) fn add(&mut self, element: &Placed, set: &Placed, span: Span) -> Eval {
        let open = |v: &Value| class(v) == Class::Open;
        match (&element.0, &set.0) {
            (Value::Universe, _) => Err(Diagnostic::error("cat::wrong-sort", "`_` cannot be an element")
                .at(element.1, "the universe")
                .into()),
            (_, Value::Universe) => Ok(Value::Universe),
            (e, s) if open(e) || open(s) => self.defer_op(Op::Add, vec![element.clone(), set.clone()], span),
            (Value::Event(_), Value::Empty) => self.as_set(element, true),
            (Value::Pair(..), Value::Empty) => self.as_rel(element, true),
            (e, Value::Empty) => self.explicit_set(vec![e.clone()]),
            (Value::Event(event), Value::Set(set)) => {
                let mut set = (**set).clone();
                set.insert(*event);
                Ok(Value::set(set))
            }
            (_, Value::Set(_) | Value::Node(_, Sort::Set)) => Err(wrong_sort("an event", element)),
            (e, Value::Rel(rel)) => {
                let Some((from, to)) = as_pair(e) else {
                    return Err(wrong_sort("a pair of events", element));
                };
                let mut rel = (**rel).clone();
                rel.insert(from, to);
                Ok(Value::rel(rel))
            }
            (_, Value::Node(_, Sort::Rel)) => match self.is_concrete() {
                true => self.needs(&set.0),
                false => Err(wrong_sort("a pair of events", element)),
            },
            (e, Value::Values(values)) => {
                let kind = e.type_of();
                // Two empty sets are equal, whatever they are sets of.
                if !kind.agrees(&values.element) && kind != values.element {
                    return Err(mismatch("adding to a set", set, element));
                }
                let mut items: Vec<Value> = self.values_of(set)?.into_iter().collect();
                items.push(e.clone());
                self.explicit_set(items)
            }
            (e, Value::Explicit(values)) => {
                let mut items = (**values).clone();
                items.push(e.clone());
                Ok(Value::Explicit(Arc::new(items)))
            }
            _ => Err(wrong_sort("a set", set)),
        }
    }

    fn needs(&self, value: &Value) -> Eval {
        match value {
            Value::Node(id, _) => Err(Stop::Needs(*id)),
            _ => Err(Stop::NoValue),
        }
    }

    /// `{a, b, …}`.
    pub(super) fn explicit(&mut self, args: Vec<Placed>, span: Span) -> Eval {
        for arg in &args {
            if matches!(arg.0, Value::Universe) {
                return Err(Diagnostic::error("cat::wrong-sort", "`_` cannot be an element")
                    .at(arg.1, "the universe")
                    .into());
            }
        }
        for pair in args.windows(2) {
            if !pair[0].0.type_of().agrees(&pair[1].0.type_of()) {
                return Err(heterogeneous(&pair[0], &pair[1]));
            }
        }
        if args.iter().any(|(v, _)| class(v) == Class::Open) && !self.is_concrete() {
            return self.defer_op(Op::Explicit, args, span);
        }
        self.explicit_set(args.into_iter().map(|(v, _)| v).collect())
    }

    /// The set of some values: of events an event set, of pairs a relation.
    pub(super) fn explicit_set(&mut self, items: Vec<Value>) -> Eval {
        if let Mode::Concrete(c) = &self.mode {
            let n = c.n;
            let events: Vec<usize> =
                items.iter().filter_map(|v| if let Value::Event(e) = v { Some(*e) } else { None }).collect();
            if !items.is_empty() && events.len() == items.len() {
                return Ok(Value::set(Set::of(n, events)));
            }
            let pairs: Vec<(usize, usize)> = items
                .iter()
                .filter_map(|v| if let Value::Pair(a, b) = v { Some((*a, *b)) } else { None })
                .collect();
            if !items.is_empty() && pairs.len() == items.len() {
                return Ok(Value::rel(Rel::of(n, pairs)));
            }
            if let Some(Value::Node(id, _)) = items.iter().find(|v| !v.is_known()) {
                return Err(Stop::Needs(*id));
            }
        } else if !items.iter().all(Value::is_known) {
            return Ok(Value::Explicit(Arc::new(items)));
        }
        let element = items.iter().map(Value::type_of).find(|t| *t != Type::Empty);
        let element = element.or_else(|| items.first().map(Value::type_of)).unwrap_or(Type::Unknown);
        Ok(Value::values(ValueSet::list(element, items)))
    }

    /// The members of a set of values, in order, if they are known.
    pub(super) fn members(&mut self, set: &Placed) -> Eval<Vec<Value>> {
        match &set.0 {
            Value::Tag(_) => Ok(vec![set.0.clone()]),
            Value::Explicit(items) => Ok((**items).clone()),
            _ => Ok(self.values_of(set)?.into_iter().collect()),
        }
    }
}

pub(super) fn element_type(args: &[Placed]) -> Type {
    let mut result = Type::Unknown;
    for (value, _) in args {
        if let Type::Set(element) = value.type_of()
            && matches!(result, Type::Unknown | Type::Empty)
        {
            result = *element;
        }
    }
    result
}

fn as_pair(value: &Value) -> Option<(usize, usize)> {
    match value {
        Value::Pair(from, to) => Some((*from, *to)),
        Value::Tuple(parts) => match parts.as_slice() {
            [Value::Event(from), Value::Event(to)] => Some((*from, *to)),
            _ => None,
        },
        _ => None,
    }
}

/// The members of a set cannot be spelled out.
pub(super) fn cannot_list(why: CannotList, span: Span) -> Stop {
    match why {
        CannotList::Unknown(id) => Stop::Needs(id),
        CannotList::TooMany => Stop::Fatal(Arc::new(
            Diagnostic::unsupported("cat::too-many-values", "this set has too many members to look at each")
                .at(span, format!("more than {SPELL_OUT_LIMIT} members"))
                .help("`with x from …` chooses one of them without looking at each"),
        )),
    }
}
