//! A model with a check of another turned round.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{CheckKind, ChoiceId, Expr, ExprId, FixId, Interp, Model, Pool, Step, Test};

/// For each check of `source`: `target` with that check turned round, so that its executions are those of the target that violate it. `None`: that
/// cannot be said in one model. The order of writes must be chosen alike by both: the caller knows whether that is so; here its inputs are compared.
pub fn violating(target: &Model, source: &Model) -> Option<Vec<Model>> {
    if target.catdep != source.catdep {
        return None;
    }
    let chosen = |model: &Model| {
        model.steps.iter().find_map(|step| match step {
            Step::With { choice, name, from, .. } if name == "co" => Some((*choice, *from)),
            _ => None,
        })
    };
    let mut copy = Copy::new(&source.pool, target.pool.clone());
    let mut checks = Vec::new();
    for step in &source.steps {
        match step {
            Step::Check { kind: CheckKind::Plain, test, name, span } => checks.push((test, name, span)),
            Step::Check { kind: CheckKind::Assert, .. } | Step::Fail { .. } => return None,
            Step::Check { .. } => {}
            Step::With { choice, from, .. } => {
                let (theirs, theirs_from) = chosen(target)?;
                if chosen(source) != Some((*choice, *from))
                    || !copy.is_alike(*from, &target.pool, theirs_from)
                {
                    return None;
                }
                copy.choices.insert(*choice, theirs);
            }
        }
    }
    let turned: Vec<Step> = checks
        .into_iter()
        .map(|(test, name, span)| {
            let test = copy.test(test);
            let test = Test { negated: !test.negated, ..test };
            Step::Check { kind: CheckKind::Plain, test, name: name.clone(), span: *span }
        })
        .collect();
    if copy.rejects {
        return None;
    }
    let pool = copy.new;
    let with = |step: Step| {
        let steps = target.steps.iter().cloned().chain([step]).collect();
        Model { steps, pool: pool.clone(), ..target.clone() }
    };
    Some(turned.into_iter().map(with).collect())
}

/// Expressions of one pool, put into another.
struct Copy<'p> {
    old: &'p Pool,
    new: Pool,
    choices: BTreeMap<ChoiceId, ChoiceId>,
    fixes: BTreeMap<FixId, FixId>,
    known: FxHashMap<ExprId, ExprId>,
    /// Is there a recursion among them that may reject an execution by itself?
    rejects: bool,
}

impl<'p> Copy<'p> {
    fn new(old: &'p Pool, new: Pool) -> Copy<'p> {
        let (choices, fixes) = (BTreeMap::new(), BTreeMap::new());
        Copy { old, new, choices, fixes, known: FxHashMap::default(), rejects: false }
    }

    fn test(&mut self, test: &Test) -> Test {
        Test { expr: self.expr(test.expr), ..*test }
    }

    /// Is an expression what one of the other pool is? Interpreted parts are alike if they are called alike and have the same inputs.
    fn is_alike(&mut self, own: ExprId, other: &Pool, theirs: ExprId) -> bool {
        let old = self.old;
        match (old.expr(own), other.expr(theirs)) {
            (Expr::Interp(a, _), Expr::Interp(b, _)) => {
                let (a, b) = (old.interp(*a), other.interp(*b));
                a.function.describe() == b.function.describe()
                    && a.inputs.len() == b.inputs.len()
                    && a.inputs.iter().zip(&b.inputs).all(|(a, b)| self.is_alike(*a, other, *b))
            }
            _ => self.expr(own) == theirs,
        }
    }

    fn all(&mut self, ids: &[ExprId]) -> Vec<ExprId> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    fn fix(&mut self, fix: FixId) -> FixId {
        if let Some(known) = self.fixes.get(&fix) {
            return *known;
        }
        let new = self.new.new_fix(self.old.fix(fix).names.clone());
        self.fixes.insert(fix, new);
        new
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        use Expr::*;
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let old = self.old;
        let expr = match old.expr(id) {
            Choice(choice, sort) => Choice(self.choices.get(choice).copied().unwrap_or(*choice), *sort),
            FixVar(fix, index, sort) => FixVar(self.fix(*fix), *index, *sort),
            Fix(fix, index, sort) => {
                let begun = self.fixes.contains_key(fix);
                let new = self.fix(*fix);
                if !begun || self.new.fix(new).bodies.is_empty() {
                    let group = old.fix(*fix);
                    self.rejects |= group.when.is_some();
                    let bodies = self.all(&group.bodies);
                    let when = group.when.as_ref().map(|when| self.test(when));
                    self.new.set_bodies(new, bodies, when);
                }
                Fix(new, *index, *sort)
            }
            Interp(leaf, sort) => {
                let own = old.interp(*leaf);
                let inputs = self.all(&own.inputs);
                let leaf = self::Interp { inputs, function: own.function.clone() };
                let new = self.new.new_interp(leaf, *sort);
                self.known.insert(id, new);
                return new;
            }
            other => other.with_operands(|operand| self.expr(operand)),
        };
        let new = self.new.intern(expr);
        self.known.insert(id, new);
        new
    }
}
