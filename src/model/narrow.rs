//! Evaluating a model without the events that few of its expressions look at.
//!
//! Models that compute dependencies themselves see register events: two thirds of the events of a world, and nothing that is chosen goes through
//! them. What such a model says of the *main* events follows, nearly everywhere, from what its parts say of the main events: an operator
//! that works pair by pair needs nothing else, nor does a composition whose middle is certain to be a main event. A [`Narrow`] says which expressions need
//! all events; these must not depend on the search, are evaluated among all events, and cut down to the main ones.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Base, Expr, ExprId, FixId, Model, Pool, Sort, Step, Test, TestKind};

/// What is certain of an expression, whatever its operands are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    /// Its pairs begin at main events; the members of a set are main events.
    from_main: bool,
    /// Its pairs end at main events; the members of a set are main events.
    to_main: bool,
    /// Pairs that begin at a main event end at one.
    forth: bool,
    /// Pairs that end at a main event begin at one.
    back: bool,
    /// Its value among main events follows from those of its operands.
    own: bool,
}

impl Facts {
    const NOTHING: Facts = Facts { from_main: false, to_main: false, forth: false, back: false, own: true };
    const INSIDE: Facts = Facts { from_main: true, to_main: true, forth: true, back: true, own: true };

    fn set(inside: bool) -> Facts {
        Facts { from_main: inside, to_main: inside, ..Facts::NOTHING }
    }

    /// What ends at main events leads to them from everywhere.
    fn closed(self) -> Facts {
        Facts { forth: self.forth || self.to_main, back: self.back || self.from_main, ..self }
    }

    /// Of what is in both.
    fn and(self, other: Facts) -> Facts {
        Facts {
            from_main: self.from_main || other.from_main,
            to_main: self.to_main || other.to_main,
            forth: self.forth || other.forth,
            back: self.back || other.back,
            own: true,
        }
    }

    /// Of what is in either.
    fn or(self, other: Facts) -> Facts {
        Facts {
            from_main: self.from_main && other.from_main,
            to_main: self.to_main && other.to_main,
            forth: self.forth && other.forth,
            back: self.back && other.back,
            own: true,
        }
    }

    /// Of first one and then the other. Between two main events there is a main one if the first leads to one, or the second comes from one.
    fn then(self, next: Facts) -> Facts {
        Facts {
            from_main: self.from_main || next.from_main && self.back,
            to_main: next.to_main || self.to_main && next.forth,
            forth: next.to_main || self.forth && next.forth,
            back: self.from_main || self.back && next.back,
            own: self.own && (self.forth || next.back),
        }
    }
}

/// Which expressions of a model are evaluated among main events only.
#[derive(Debug)]
pub struct Narrow {
    /// By node: must all events be looked at?
    whole: Vec<bool>,
    /// By node.
    facts: Vec<Facts>,
    /// Can the model be evaluated so, as far as is known?
    usable: AtomicBool,
}

impl Narrow {
    /// Looks at a model.
    pub fn new(model: &Model) -> Narrow {
        let pool = &model.pool;
        let facts = facts(pool);
        let mut narrow = Narrow { whole: vec![false; pool.len()], facts, usable: AtomicBool::new(true) };
        let mut seen = vec![false; pool.len()];
        let can = model.steps.iter().all(|step| match step {
            // A test that looks at other events is asked among all of them.
            Step::Check { test, .. } => {
                let test = &test.normalised(pool);
                let decides = narrow.decides(test);
                decides && narrow.visit(pool, test.expr, &mut seen) || !decides && is_fixed(pool, test.expr)
            }
            Step::With { from, .. } => narrow.visit_choice(pool, *from, &mut seen),
            Step::Fail { .. } => true,
        });
        narrow.usable = AtomicBool::new(can);
        narrow
    }

    /// Can the model be evaluated so?
    pub fn is_usable(&self) -> bool {
        self.usable.load(Ordering::Relaxed)
    }

    /// It was tried, and cannot: what a `with` chooses from is about other events.
    pub fn give_up(&self) {
        self.usable.store(false, Ordering::Relaxed);
    }

    /// Must the node be evaluated among all events?
    pub fn is_whole(&self, id: ExprId) -> bool {
        self.whole[id.0 as usize]
    }

    /// Is all that the node can hold about main events?
    pub fn is_inside(&self, id: ExprId) -> bool {
        let facts = self.facts[id.0 as usize];
        facts.from_main && facts.forth || facts.to_main && facts.back
    }

    /// Is a test the same among main events as among all? Pairs of a cycle end where others begin.
    pub fn decides(&self, test: &Test) -> bool {
        let facts = self.facts[test.expr.0 as usize];
        self.is_inside(test.expr) || test.kind != TestKind::Empty && (facts.from_main || facts.to_main)
    }

    /// Finds the nodes below one that must be evaluated among all events. False: one of them depends on the search.
    fn visit(&mut self, pool: &Pool, id: ExprId, seen: &mut [bool]) -> bool {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            let index = id.0 as usize;
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            if !self.facts[index].own {
                if !is_fixed(pool, id) || pool.sort(id) == Sort::Other {
                    return false;
                }
                self.whole[index] = true;
                continue;
            }
            match pool.expr(id) {
                Expr::Fix(fix, ..) => work.extend(&pool.fix(*fix).bodies),
                expr => work.extend(expr.operands()),
            }
        }
        true
    }

    /// Likewise, for what a `with` chooses from: a function of values that are about main events.
    fn visit_choice(&mut self, pool: &Pool, from: ExprId, seen: &mut [bool]) -> bool {
        let Expr::Interp(interp, Sort::Other) = pool.expr(from) else { return false };
        pool.interp(*interp).inputs.iter().all(|input| match pool.expr(*input) {
            Expr::Interp(_, Sort::Other) => self.visit_choice(pool, *input, seen),
            _ => self.is_inside(*input) && self.visit(pool, *input, seen),
        })
    }
}

/// Is the value of a node known before anything is chosen? One that a recursion refuses to have is not.
fn is_fixed(pool: &Pool, id: ExprId) -> bool {
    let refuses = |fix: FixId| pool.fix(fix).when.is_some();
    pool.is_static(id)
        && ((0..pool.n_fixes()).all(|fix| !refuses(FixId(fix as u32))) || !mentions(pool, id, &refuses))
}

/// Is it made of a recursion of that kind?
fn mentions(pool: &Pool, id: ExprId, kind: &dyn Fn(FixId) -> bool) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match pool.expr(id) {
            Expr::Fix(fix, ..) if kind(*fix) => return true,
            _ => work.extend(pool.parts(id)),
        }
    }
    false
}

/// The facts of every node.
fn facts(pool: &Pool) -> Vec<Facts> {
    pool.certain(Facts::INSIDE, Facts::or, |id, facts, of_variables| {
        facts_of(pool, id, facts, of_variables).closed()
    })
}

fn facts_of(
    pool: &Pool,
    id: ExprId,
    facts: &[Facts],
    of_variables: &FxHashMap<(FixId, u32), Facts>,
) -> Facts {
    let of = |id: &ExprId| facts[id.0 as usize];
    // What is inside a recursion cannot be evaluated apart from it.
    let recursive = |operand: &ExprId| pool.mentions_fix_var(*operand);
    let expr = pool.expr(id);
    let found = match expr {
        Expr::Base(base, Sort::Set) => Facts::set(!base.is_about_registers() && *base != Base::Exec),
        Expr::Base(Base::Rf, _) | Expr::Choice(..) | Expr::Empty(_) => Facts::INSIDE,
        Expr::Base(..) | Expr::Universe(_) | Expr::Compl(_) => Facts::NOTHING,
        Expr::Id => Facts { forth: true, back: true, ..Facts::NOTHING },
        Expr::FixVar(fix, index, _) => of_variables.get(&(*fix, *index)).copied().unwrap_or(Facts::INSIDE),
        Expr::Fix(fix, index, _) => {
            let group = pool.fix(*fix);
            let simple = group.when.is_none() && pool.fix_is_monotone(*fix);
            let own = simple && group.bodies.iter().all(|body| !recursive(body) || of(body).own);
            let body = group.bodies.get(*index as usize).map_or(Facts::NOTHING, of);
            return Facts { own, ..body };
        }
        Expr::Interp(..) => return Facts { own: false, ..Facts::NOTHING },
        Expr::Union(parts) => parts.iter().map(of).fold(Facts::INSIDE, Facts::or),
        Expr::Inter(a, b) => of(a).and(of(b)),
        Expr::Diff(a, _) | Expr::ByValues(_, a) => Facts { own: true, ..of(a) },
        Expr::Seq(parts) => {
            let all = parts.iter().map(|part| Facts { own: true, ..of(part) });
            all.reduce(Facts::then).unwrap_or(Facts::NOTHING)
        }
        Expr::Inverse(a) => {
            let a = of(a);
            Facts { from_main: a.to_main, to_main: a.from_main, forth: a.back, back: a.forth, own: true }
        }
        Expr::Product(a, b) => Facts { from_main: of(a).from_main, to_main: of(b).to_main, ..Facts::NOTHING },
        Expr::ToId(a) => Facts { forth: true, back: true, ..Facts::set(of(a).from_main) },
        Expr::Domain(a) => Facts { own: of(a).forth, ..Facts::set(of(a).from_main) },
        Expr::Range(a) => Facts { own: of(a).back, ..Facts::set(of(a).to_main) },
        Expr::Opt(a) => Facts { forth: of(a).forth, back: of(a).back, ..Facts::NOTHING },
        Expr::Plus(a) => Facts { own: of(a).forth || of(a).back, ..of(a) },
        Expr::Star(a) => {
            let (forth, back) = (of(a).forth, of(a).back);
            Facts { forth, back, own: forth || back, ..Facts::NOTHING }
        }
    };
    let apart = expr.operands().all(|operand| !recursive(&operand) || of(&operand).own);
    Facts { own: found.own && apart, ..found }
}
