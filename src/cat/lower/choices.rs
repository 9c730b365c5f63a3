//! Sets of values.
//!
//! A set of coherence orders has as many members as there are ways to order the writes, so it is not
//! spelled out: [`Items::Orders`] keeps what the members are made of, and `with` hands that to the explorer. Whoever
//! looks at single members gets them spelled out.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::value::{Type, Value};
use crate::limits;
use crate::model::{ExprId, Order, OrderBase};
use crate::relation::{Rel, Set};

/// More members than anyone can want to look at one by one.
pub(super) const SPELL_OUT_LIMIT: usize = 2_000_000;

/// A set of values of one type.
#[derive(Clone, Debug)]
pub(super) struct ValueSet {
    /// The type of its members.
    pub element: Type,
    pub items: Items,
}

/// The members.
#[derive(Clone, Debug)]
pub(super) enum Items {
    /// All of them.
    List(BTreeSet<Value>),
    /// Unions of one strict total order on each set; the sets are not empty and pairwise disjoint, and each known base is
    /// transitive, irreflexive and within its set, so that there is at least one member for known bases.
    Orders(Vec<Order>),
    /// Unions of one relation from each list. The lists share no pair, so all unions differ.
    Cross(Vec<Vec<Rel>>),
}

/// Why the members cannot be spelled out.
#[derive(Clone, Debug)]
pub(super) enum CannotList {
    /// They depend on a node whose value is not known yet.
    Unknown(ExprId),
    /// There are too many.
    TooMany,
}

impl ValueSet {
    pub(super) fn list(element: Type, items: impl IntoIterator<Item = Value>) -> ValueSet {
        ValueSet { element, items: Items::List(items.into_iter().collect()) }
    }

    /// No member, for certain?
    pub(super) fn is_empty(&self) -> bool {
        match &self.items {
            Items::List(items) => items.is_empty(),
            Items::Orders(_) => false,
            Items::Cross(lists) => lists.iter().any(Vec::is_empty),
        }
    }

    /// `linearisations(over, base)` for a known base.
    pub(super) fn linearisations(over: Set, base: &Rel) -> ValueSet {
        let closed = base.plus().restrict(&over);
        if !closed.is_irreflexive() {
            return ValueSet::list(Type::Rel, []);
        }
        if over.len() <= 1 {
            return ValueSet::list(Type::Rel, [Value::rel(Rel::empty(over.n()))]);
        }
        let order = Order { over, base: OrderBase::Rel(closed) };
        ValueSet { element: Type::Rel, items: Items::Orders(vec![order]) }
    }

    /// `linearisations(over, base)` for a base not known yet.
    pub(super) fn linearisations_of_node(over: Set, base: ExprId) -> ValueSet {
        if over.is_empty() {
            return ValueSet::list(Type::Rel, [Value::rel(Rel::empty(over.n()))]);
        }
        let order = Order { over, base: OrderBase::Node(base) };
        ValueSet { element: Type::Rel, items: Items::Orders(vec![order]) }
    }

    /// The library function `cross`: all unions of one relation from each of `sets`.
    pub(super) fn cross(sets: &[&ValueSet], n: usize) -> Result<ValueSet, CannotList> {
        let mut orders: Vec<Order> = Vec::new();
        let mut lists: Vec<Vec<Rel>> = Vec::new();
        for set in sets {
            match &set.items {
                Items::Orders(more) => orders.extend(more.iter().cloned()),
                Items::Cross(more) => lists.extend(more.iter().cloned()),
                Items::List(items) => {
                    let relations: Vec<Rel> = items.iter().map(|v| as_rel(v, n)).collect();
                    if relations.is_empty() {
                        return Ok(ValueSet::list(Type::Rel, []));
                    }
                    // One empty relation adds nothing.
                    if relations.len() > 1 || !relations[0].is_empty() {
                        lists.push(relations);
                    }
                }
            }
        }
        let made = |items| ValueSet { element: Type::Rel, items };
        if orders.is_empty() && lists.is_empty() {
            return Ok(ValueSet::list(Type::Rel, [Value::rel(Rel::empty(n))]));
        }
        if lists.is_empty() && disjoint_sets(&orders) {
            return Ok(made(Items::Orders(orders)));
        }
        if orders.is_empty() && disjoint_lists(&lists, n) {
            return Ok(made(Items::Cross(lists)));
        }
        let mut parts = lists;
        for order in orders {
            parts.push(extensions(&order)?);
        }
        Ok(made(Items::List(spell_out(&parts, n)?)))
    }

    /// The members with `more` added to each, where that can be said without listing them; the number of events is that of `more`.
    pub(super) fn with_each(&self, more: &Rel) -> Option<ValueSet> {
        let mut lists = match &self.items {
            Items::Cross(lists) => lists.clone(),
            Items::List(items) if items.len() == 1 => match items.first()? {
                Value::Rel(only) if only.is_empty() => Vec::new(),
                Value::Rel(only) => vec![vec![(**only).clone()]],
                _ => return None,
            },
            Items::List(_) | Items::Orders(_) => return None,
        };
        lists.push(vec![more.clone()]);
        let apart = !more.is_empty() && disjoint_lists(&lists, more.n());
        apart.then(|| ValueSet { element: Type::Rel, items: Items::Cross(lists) })
    }

    /// The members of both, where those differ in the last part of their unions alone: twice as many ways to make a union, and no
    /// longer to say.
    pub(super) fn either(&self, other: &ValueSet) -> Option<ValueSet> {
        let (Items::Cross(own), Items::Cross(others)) = (&self.items, &other.items) else { return None };
        let ((last, rest), (more, same)) = (own.split_last()?, others.split_last()?);
        if rest != same {
            return None;
        }
        let mut list = last.clone();
        list.extend(more.iter().filter(|rel| !last.contains(rel)).cloned());
        let n = list.first()?.n();
        let mut lists = rest.to_vec();
        lists.push(list);
        disjoint_lists(&lists, n).then(|| ValueSet { element: Type::Rel, items: Items::Cross(lists) })
    }

    /// The number of events of the relations in it, if it has any.
    pub(super) fn n_events(&self) -> Option<usize> {
        match &self.items {
            Items::Cross(lists) => lists.iter().flatten().next().map(Rel::n),
            Items::List(items) => match items.first()? {
                Value::Rel(rel) => Some(rel.n()),
                _ => None,
            },
            Items::Orders(orders) => orders.first().map(|order| order.over.n()),
        }
    }

    /// All members, in increasing order.
    pub(super) fn members(&self) -> Result<BTreeSet<Value>, CannotList> {
        match &self.items {
            Items::List(items) => Ok(items.clone()),
            Items::Orders(orders) => {
                let n = orders.first().map_or(0, |o| o.over.n());
                let parts = orders.iter().map(extensions).collect::<Result<Vec<_>, _>>()?;
                spell_out(&parts, n)
            }
            Items::Cross(lists) => {
                let n = lists.iter().flatten().next().map_or(0, Rel::n);
                spell_out(lists, n)
            }
        }
    }
}

fn as_rel(value: &Value, n: usize) -> Rel {
    match value {
        Value::Rel(rel) => (**rel).clone(),
        _ => Rel::empty(n),
    }
}

fn disjoint_sets(orders: &[Order]) -> bool {
    let Some(first) = orders.first() else { return true };
    let mut seen = Set::empty(first.over.n());
    orders.iter().all(|order| {
        let free = seen.inter(&order.over).is_empty();
        seen.union_with(&order.over);
        free
    })
}

fn disjoint_lists(lists: &[Vec<Rel>], n: usize) -> bool {
    let mut seen = Rel::empty(n);
    lists.iter().all(|list| {
        let mut all = Rel::empty(n);
        for rel in list {
            all.union_with(rel);
        }
        let free = seen.inter(&all).is_empty();
        seen.union_with(&all);
        free
    })
}

/// All unions of one relation from each list.
fn spell_out(lists: &[Vec<Rel>], n: usize) -> Result<BTreeSet<Value>, CannotList> {
    let total = lists.iter().try_fold(1usize, |total, list| total.checked_mul(list.len()));
    if total.is_none_or(|total| total > SPELL_OUT_LIMIT) {
        return Err(CannotList::TooMany);
    }
    let mut unions = vec![Rel::empty(n)];
    for list in lists {
        let with_each = |done: &Rel| {
            limits::poll();
            list.iter().map(|rel| done.union(rel)).collect::<Vec<Rel>>()
        };
        unions = unions.iter().flat_map(with_each).collect();
    }
    Ok(unions.into_iter().map(Value::rel).collect())
}

/// All strict total orders on the set that contain the base.
fn extensions(order: &Order) -> Result<Vec<Rel>, CannotList> {
    let base = match &order.base {
        OrderBase::Rel(rel) => rel,
        OrderBase::Node(id) => return Err(CannotList::Unknown(*id)),
    };
    let mut result = Vec::new();
    extend(&order.over, base, &Rel::empty(order.over.n()), &Set::empty(order.over.n()), &mut result)?;
    Ok(result)
}

fn extend(left: &Set, base: &Rel, made: &Rel, before: &Set, result: &mut Vec<Rel>) -> Result<(), CannotList> {
    limits::poll();
    if left.is_empty() {
        if result.len() >= SPELL_OUT_LIMIT {
            return Err(CannotList::TooMany);
        }
        result.push(made.clone());
        return Ok(());
    }
    for event in left.iter() {
        // The next one may not have to come after another one that is left.
        if left.iter().any(|other| base.contains(other, event)) {
            continue;
        }
        let mut rest = left.clone();
        rest.remove(event);
        let mut next = made.clone();
        for earlier in before.iter() {
            next.insert(earlier, event);
        }
        let mut done = before.clone();
        done.insert(event);
        extend(&rest, base, &next, &done, result)?;
    }
    Ok(())
}

/// Sets of values are ordered by their members; those that are not spelled out come after those that are, by what
/// they are made of (their order among themselves decides nothing that anyone can see).
impl Ord for ValueSet {
    fn cmp(&self, other: &ValueSet) -> Ordering {
        fn key(order: &Order) -> (Vec<usize>, Vec<(usize, usize)>, Option<ExprId>) {
            let (pairs, node) = match &order.base {
                OrderBase::Rel(rel) => (rel.iter().collect(), None),
                OrderBase::Node(id) => (Vec::new(), Some(*id)),
            };
            (order.over.iter().collect(), pairs, node)
        }
        match (&self.items, &other.items) {
            (Items::List(a), Items::List(b)) => a.cmp(b),
            (Items::Orders(a), Items::Orders(b)) => a.iter().map(key).cmp(b.iter().map(key)),
            (Items::Cross(_), Items::Cross(_)) | (Items::Cross(_), _) | (_, Items::Cross(_)) => {
                match (self.members(), other.members()) {
                    (Ok(a), Ok(b)) => a.cmp(&b),
                    (Ok(_), Err(_)) => Ordering::Less,
                    (Err(_), Ok(_)) => Ordering::Greater,
                    (Err(_), Err(_)) => Ordering::Equal,
                }
            }
            (Items::List(_), Items::Orders(_)) => Ordering::Less,
            (Items::Orders(_), Items::List(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for ValueSet {
    fn partial_cmp(&self, other: &ValueSet) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ValueSet {
    fn eq(&self, other: &ValueSet) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ValueSet {}
