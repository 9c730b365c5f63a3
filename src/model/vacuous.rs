//! Checks that no execution of any test can violate: whoever writes one means something else.
//!
//! What is certain of an expression is worked out from the bottom up, from what is known of the predefined names. Whatever is not
//! understood is taken to be anything.

use super::{Base, CheckKind, Expr, ExprId, Model, Pool, Sort, Step, Test, TestKind};
use crate::source::Span;

/// A check that cannot fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vacuous {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it stands.
    pub span: Span,
    /// Why it cannot fail.
    pub why: &'static str,
}

/// The checks of a model that cannot fail.
pub fn vacuous(model: &Model) -> Vec<Vacuous> {
    let facts = Facts::new(&model.pool);
    let checks = model.steps.iter().filter_map(|step| match step {
        Step::Check { kind: CheckKind::Plain, test, name, span } => Some((test, name, span)),
        _ => None,
    });
    checks
        .filter_map(|(test, name, span)| {
            Some(Vacuous { name: name.clone(), span: *span, why: facts.cannot_fail(test)? })
        })
        .collect()
}

/// Kinds of events that have none in common: accesses, fences, branches, and whatever else there is.
type Kinds = u8;
const ACCESS: Kinds = 1;
const FENCE: Kinds = 2;
const BRANCH: Kinds = 4;
const ANY: Kinds = 15;

/// What is certain of a set or relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fact {
    /// Where its pairs start, and where they end; of a set both are its members.
    from: Kinds,
    to: Kinds,
    /// In `po`, or equal to `id` elsewhere?
    order: Order,
    /// Within one thread only; between threads only.
    internal: bool,
    external: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Anything.
    None,
    /// Every pair is in `po` or in `id`.
    Weak,
    /// Every pair is in `po`.
    Strict,
}

const NOTHING: Fact = Fact { from: 0, to: 0, order: Order::Strict, internal: true, external: true };
const ANYTHING: Fact = Fact { from: ANY, to: ANY, order: Order::None, internal: false, external: false };

impl Fact {
    fn set(kinds: Kinds) -> Fact {
        Fact { from: kinds, to: kinds, order: Order::Weak, internal: true, external: false }
    }

    fn between(from: Kinds, to: Kinds) -> Fact {
        Fact { from, to, ..ANYTHING }
    }

    /// Is there nothing in it, whatever the execution?
    fn is_empty(self) -> bool {
        self.from == 0 || self.to == 0 || (self.internal && self.external)
    }

    fn or(self, other: Fact) -> Fact {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let order = match (self.order, other.order) {
            (Order::Strict, Order::Strict) => Order::Strict,
            (Order::None, _) | (_, Order::None) => Order::None,
            _ => Order::Weak,
        };
        Fact {
            from: self.from | other.from,
            to: self.to | other.to,
            order,
            internal: self.internal && other.internal,
            external: self.external && other.external,
        }
    }

    fn and(self, other: Fact) -> Fact {
        let order = match (self.order, other.order) {
            (Order::Strict, _) | (_, Order::Strict) => Order::Strict,
            (Order::None, Order::None) => Order::None,
            _ => Order::Weak,
        };
        Fact {
            from: self.from & other.from,
            to: self.to & other.to,
            order,
            internal: self.internal || other.internal,
            external: self.external || other.external,
        }
    }

    fn then(self, next: Fact) -> Fact {
        if self.is_empty() || next.is_empty() || self.to & next.from == 0 {
            return NOTHING;
        }
        let order = match (self.order, next.order) {
            (Order::None, _) | (_, Order::None) => Order::None,
            (Order::Weak, Order::Weak) => Order::Weak,
            _ => Order::Strict,
        };
        Fact {
            from: self.from,
            to: next.to,
            order,
            internal: self.internal && next.internal,
            external: false,
        }
    }
}

/// What is known of each node.
struct Facts(Vec<Fact>);

impl Facts {
    /// Children stand before their parents in the pool. What a recursion or a choice stands for is taken to be anything.
    fn new(pool: &Pool) -> Facts {
        let mut facts = Facts(Vec::with_capacity(pool.len()));
        for id in 0..pool.len() {
            let fact = facts.compute(pool.expr(ExprId(id as u32)));
            facts.0.push(fact);
        }
        facts
    }

    fn cannot_fail(&self, test: &Test) -> Option<&'static str> {
        if test.negated {
            return None;
        }
        let fact = self.of(test.expr);
        if fact.is_empty() {
            return Some("this is empty in every execution");
        }
        match test.kind {
            TestKind::Empty => None,
            _ if fact.order == Order::Strict => Some("all of it lies in `po`, which has no cycle"),
            TestKind::Irreflexive if fact.external => Some("all of it goes from one thread to another"),
            TestKind::Acyclic | TestKind::Irreflexive if fact.from & fact.to == 0 => {
                Some("it never goes on where it ends: its sources and its targets have no event in common")
            }
            _ => None,
        }
    }

    fn of(&self, id: ExprId) -> Fact {
        self.0.get(id.0 as usize).copied().unwrap_or(ANYTHING)
    }

    fn compute(&self, expr: &Expr) -> Fact {
        match expr {
            Expr::Empty(_) => NOTHING,
            Expr::Base(base, sort) => self::base(base, *sort),
            Expr::Id => Fact { order: Order::Weak, internal: true, ..ANYTHING },
            Expr::Union(parts) => parts.iter().fold(NOTHING, |sum, part| sum.or(self.of(*part))),
            Expr::Inter(a, b) => self.of(*a).and(self.of(*b)),
            Expr::Diff(a, _) => self.of(*a),
            Expr::Seq(parts) => {
                parts.iter().map(|part| self.of(*part)).reduce(Fact::then).unwrap_or(ANYTHING)
            }
            Expr::Inverse(a) => {
                let fact = self.of(*a);
                let order = if fact.is_empty() { Order::Strict } else { Order::None };
                Fact { from: fact.to, to: fact.from, order, ..fact }
            }
            Expr::Product(a, b) => {
                let (a, b) = (self.of(*a), self.of(*b));
                Fact::between(a.from, b.to)
            }
            Expr::ToId(a) => Fact::set(self.of(*a).from),
            Expr::Domain(a) => Fact::set(self.of(*a).from),
            Expr::Range(a) => Fact::set(self.of(*a).to),
            Expr::Plus(a) => {
                let fact = self.of(*a);
                Fact { external: false, ..fact }
            }
            Expr::ByValues(_, a) => self.of(*a),
            Expr::Opt(a) | Expr::Star(a) => {
                let fact = self.of(*a);
                let order = if fact.order == Order::None { Order::None } else { Order::Weak };
                Fact { from: ANY, to: ANY, order, internal: fact.internal, external: false }
            }
            _ => ANYTHING,
        }
    }
}

/// What is known of predefined names. Where architectures differ (an event that is a read and a write, say), only what holds for all.
fn base(base: &Base, sort: Sort) -> Fact {
    let strict = Fact { order: Order::Strict, internal: true, ..ANYTHING };
    match (base, sort) {
        (Base::R | Base::W | Base::M | Base::Iw | Base::Fw, Sort::Set) => Fact::set(ACCESS),
        (Base::F, Sort::Set) => Fact::set(FENCE),
        (Base::B | Base::Bcc, Sort::Set) => Fact::set(BRANCH),
        (_, Sort::Set) => Fact::set(ANY),
        (Base::Po, _) => strict,
        (Base::Addr | Base::Data, _) => Fact { from: ACCESS, to: ACCESS, ..strict },
        (Base::Ctrl, _) => Fact { from: ACCESS, ..strict },
        (Base::Rf, _) => Fact::between(ACCESS, ACCESS),
        (Base::Int, _) => Fact { internal: true, ..ANYTHING },
        (Base::Ext, _) => Fact { external: true, ..ANYTHING },
        _ => ANYTHING,
    }
}
