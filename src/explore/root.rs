//! The root of the search: every step of the model evaluated once with bounds on all that is not chosen yet.

use super::code::Check;
use super::compile::{Roots, compile};
use super::goal::Goal;
use super::problem::Problem;
use super::sink::add;
use super::steps::assertion_failed;
use std::sync::Arc;

use crate::condition::Observable;
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{View, World};
use crate::model::{
    Apart, Base, Bound, Bounds, CheckKind, ChoiceId, Choices, Expr, ExprId, InterpId, Model, Narrow, Order,
    OrderBase, Rows, Signature, Sort, Step, Test, TestKind, Val, Watched,
};
use crate::outcome::{Cause, Counts};
use crate::relation::flat::Shape;
use crate::relation::{Rel, Set};

/// What became of a world at the root.
pub(super) enum Built<'p> {
    /// Refuted by a check, or by a `with` that has nothing to choose from.
    Refuted(Cause),
    /// No final state of it is asked for.
    NotAsked,
    /// To be searched.
    Ready(Box<Problem<'p>>),
}

/// Looks at a world under a model.
///
/// # Errors
/// A run-time error of the model, or an assertion that does not hold for certain. Whether a candidate ever gets there is not
/// known: earlier checks may refuse them all.
pub(super) fn build<'p>(
    model: &'p Model,
    view: &'p View<'p>,
    (goal, observed): (&Goal, &[Observable]),
    skip: &[String],
    plainly: bool,
    entailed: &mut Counts,
) -> Result<Built<'p>, Diagnostic> {
    let mut bounded = None;
    if !plainly {
        let main = view.without_registers();
        let narrow = main.is_some().then(|| model.derived.get(String::new(), || Narrow::new(model)));
        let narrow = narrow.filter(|narrow| narrow.is_usable());
        if let (Some(main), Some(narrow)) = (&main, narrow) {
            // With register events what is said of single threads is most of the work; elsewhere keys cost what they save.
            let apart = model.derived.get(String::new(), || Apart::new(model));
            let bounds = Bounds::narrowed(model, main, view, Arc::clone(&narrow)).remembering(&apart);
            bounded =
                Builder::new((model, view, main), goal, observed, bounds, false).build(skip, entailed)?;
        }
        if bounded.is_none() {
            let bounds = Bounds::new(model, view);
            bounded =
                Builder::new((model, view, view), goal, observed, bounds, false).build(skip, entailed)?;
        }
    }
    match bounded {
        Some(built) => Ok(built),
        // Some part can only be evaluated plainly: leave all choices of the model to the plain run.
        None => match Builder::new((model, view, view), goal, observed, Bounds::new(model, view), true)
            .build(skip, entailed)?
        {
            Some(built) => Ok(built),
            None => Ok(Built::Refuted(Cause::NothingToChoose)),
        },
    }
}

/// What is known of a world before anything is chosen.
pub(super) enum Bounded<'b> {
    /// The bounds of sources, final writes and choices; those of anything else can be asked for.
    Bounds(Box<Bounds<'b>>),
    /// A `with` has nothing to choose from: there is no execution.
    NoExecution,
    /// A choice of the model cannot be bounded.
    Unbounded,
}

/// The bounds of what a model leaves open in a world, whatever its checks say.
///
/// # Errors
/// A run-time error of the model.
pub(super) fn bounded<'b>(
    model: &'b Model,
    view: &'b View<'b>,
    goal: &'b Goal,
) -> Result<Bounded<'b>, Diagnostic> {
    let mut builder = Builder::new((model, view, view), goal, &[], Bounds::new(model, view), false);
    builder.set_dynamic();
    for step in &model.steps {
        if let Step::With { choice, name, from, .. } = step {
            match builder.with(*choice, name, *from)? {
                None => return Ok(Bounded::Unbounded),
                Some(Some(_)) => return Ok(Bounded::NoExecution),
                Some(None) => {}
            }
        }
    }
    Ok(Bounded::Bounds(Box::new(builder.bounds)))
}

/// What the steps of a model leave behind in one world.
pub(super) struct Builder<'b, 'p> {
    pub model: &'p Model,
    pub view: &'p View<'p>,
    /// The events that are evaluated: all, or those that are not register events.
    pub seen: &'b View<'p>,
    pub world: &'p World,
    pub goal: &'b Goal,
    pub observed: &'b [Observable],
    pub bounds: Bounds<'b>,
    pub plainly: bool,
    pub choices: Vec<ChoiceId>,
    pub orders: Vec<(usize, Set, OrderBase)>,
    pub options: Vec<(usize, Vec<Val>)>,
    /// What models usually ask of coherence, where this one does.
    pub usual: Option<ExprId>,
    /// Orders whose base says no more than that their last write is the final one.
    pub keeps_last: Vec<usize>,
    pub checks: Vec<(ExprId, Check)>,
    pub flags: Vec<(ExprId, Check)>,
    pub sure_flags: Vec<String>,
    pub sure_undefined: bool,
}

impl<'b, 'p: 'b> Builder<'b, 'p> {
    fn new(
        (model, view, seen): (&'p Model, &'p View<'p>, &'b View<'p>),
        goal: &'b Goal,
        observed: &'b [Observable],
        bounds: Bounds<'b>,
        plainly: bool,
    ) -> Builder<'b, 'p> {
        Builder {
            model,
            view,
            seen,
            world: view.world,
            goal,
            observed,
            bounds,
            plainly,
            choices: Vec::new(),
            orders: Vec::new(),
            options: Vec::new(),
            usual: model.usual_coherence(),
            keeps_last: Vec::new(),
            checks: Vec::new(),
            flags: Vec::new(),
            sure_flags: Vec::new(),
            sure_undefined: false,
        }
    }

    /// `None`: the model has a part that needs the plain run, or other events.
    fn build(self, skip: &[String], entailed: &mut Counts) -> Result<Option<Built<'p>>, Diagnostic> {
        let mut hold = Vec::new();
        let built = self.run(skip, &mut hold)?;
        if built.is_some() {
            hold.into_iter().for_each(|name| add(entailed, &Cause::check(name), 1));
        }
        Ok(built)
    }

    /// Likewise; the names of checks that hold whatever is chosen are added to a list.
    fn run(
        mut self,
        skip: &[String],
        hold: &mut Vec<Option<&'p str>>,
    ) -> Result<Option<Built<'p>>, Diagnostic> {
        self.set_dynamic();
        let model = self.model;
        for step in &model.steps {
            let refuted = match step {
                Step::Check { name: Some(name), .. } if skip.contains(name) => None,
                Step::Check { kind, test, name, .. } => {
                    self.check(*kind, test, name.as_deref(), step, hold)?
                }
                Step::With { choice, name, from, .. } => match self.with(*choice, name, *from)? {
                    Some(refuted) => refuted,
                    None => return Ok(None),
                },
                Step::Fail { diagnostic } => return Err(diagnostic.clone()),
            };
            if let Some(by) = refuted {
                return Ok(Some(Built::Refuted(by)));
            }
        }
        self.finish()
    }

    /// The bounds of what every execution of the world chooses: sources and final writes.
    fn set_dynamic(&mut self) {
        let n = self.bounds.n_events();
        let pool = &self.model.pool;
        let world = self.world;
        if let Some(node) = pool.find(&Expr::Base(Base::Rf, Sort::Rel)) {
            let mut must = Rel::empty(n);
            let mut may = Rel::empty(n);
            for (read, candidates) in &world.reads {
                candidates.iter().for_each(|write| may.insert(*write, *read));
                if let [only] = candidates[..] {
                    must.insert(only, *read);
                }
            }
            self.bounds.set(node, &Bound::new(Val::Rel(must), Val::Rel(may)));
        }
        if let Some(node) = pool.find(&Expr::Base(Base::Fw, Sort::Set)) {
            let mut must = Set::empty(n);
            let mut may = Set::empty(n);
            for loc in &world.observed {
                let writes = world.last_writes(*loc);
                writes.iter().for_each(|write| may.insert(*write));
                if let [only] = writes[..] {
                    must.insert(only);
                }
            }
            self.bounds.set(node, &Bound::new(Val::Set(must), Val::Set(may)));
        }
    }

    /// Decides a check at the root, or keeps it. `Some`: the world is refuted by it.
    fn check(
        &mut self,
        kind: CheckKind,
        test: &Test,
        name: Option<&'p str>,
        source: &Step,
        hold: &mut Vec<Option<&'p str>>,
    ) -> Result<Option<Cause>, Diagnostic> {
        let test = test.normalised(&self.model.pool);
        let (shape, rows) = self.bounds.eval_test(&test)?;
        let holds = decide(&test, shape, rows);
        match (kind, holds) {
            (CheckKind::Plain, Some(false)) => return Ok(Some(Cause::check(name))),
            (CheckKind::Plain | CheckKind::Assert, Some(true)) => hold.push(name),
            (CheckKind::Assert, Some(false) | None) => return Err(assertion_failed(name, source)),
            (CheckKind::Flag, Some(true)) => self.sure_flags.extend(name.map(str::to_string)),
            (CheckKind::UndefinedUnless, Some(false)) => self.sure_undefined = true,
            (CheckKind::Flag, Some(false)) | (CheckKind::UndefinedUnless, Some(true)) => {}
            (_, None) => {
                let check =
                    Check { name: Cause::check(name), kind, test: test.kind, negated: test.negated, slot: 0 };
                let list = if kind == CheckKind::Plain { &mut self.checks } else { &mut self.flags };
                list.push((test.expr, check));
            }
        }
        Ok(None)
    }

    /// Takes the alternatives of a `with`. `None`: the plain run must do it. `Some(Some(_))`: refuted.
    fn with(
        &mut self,
        choice: ChoiceId,
        name: &str,
        from: ExprId,
    ) -> Result<Option<Option<Cause>>, Diagnostic> {
        let index = self.choices.len();
        self.choices.push(choice);
        if self.plainly {
            return Ok(Some(None));
        }
        let n = self.bounds.n_events();
        let Some(choices) = self.alternatives(from)? else { return Ok(None) };
        let refuted = Ok(Some(Some(Cause::With(name.to_string()))));
        let mut must = Rel::empty(n);
        let mut may = Rel::empty(n);
        let choices = match choices {
            Choices::List(values) => one_by_one(values),
            other => other,
        };
        match choices {
            Choices::List(values) if values.is_empty() => return refuted,
            Choices::List(mut values) if values.len() == 1 => {
                if let Some(value) = values.pop() {
                    self.set_choice(choice, &Bound::exact(value));
                }
                return Ok(Some(None));
            }
            Choices::List(values) => {
                if values.len() > 64 {
                    return Ok(None);
                }
                let Some(bound) = hull(&values) else { return Ok(None) };
                self.options.push((index, values));
                self.set_choice(choice, &bound);
                return Ok(Some(None));
            }
            Choices::Cross(lists) => {
                for list in lists {
                    if list.is_empty() {
                        return refuted;
                    }
                    if list.len() > 64 {
                        return Ok(None);
                    }
                    let values: Vec<Val> = list.into_iter().map(Val::Rel).collect();
                    if let Some(Bound { must: lower, may: upper }) = hull(&values)
                        && let (Val::Rel(lower), Val::Rel(upper)) = (&*lower, &*upper)
                    {
                        must.union_with(lower);
                        may.union_with(upper);
                    }
                    // One that is alone is no choice, but part of the union all the same.
                    self.options.push((index, values));
                }
            }
            Choices::Orders(orders) => {
                for Order { over, base } in orders {
                    let certain = match &base {
                        OrderBase::Rel(rel) => rel.clone(),
                        OrderBase::Node(node) => match self.bounds.must_rel(*node)? {
                            Some(rel) => rel,
                            None => return Ok(None),
                        },
                    };
                    let certain = certain.plus().restrict(&over);
                    if !certain.is_irreflexive() {
                        return refuted;
                    }
                    let all = Rel::product(&over, &over).diff(&Rel::identity(n));
                    must.union_with(&certain);
                    may.union_with(&all.diff(&certain.inverse()));
                    // One event has nothing to be ordered with, but a base not known yet may turn out to be a cycle.
                    if over.len() > 1 || matches!(base, OrderBase::Node(_)) {
                        self.orders.push((index, over, base));
                    }
                }
            }
        }
        self.set_choice(choice, &Bound::new(Val::Rel(must), Val::Rel(may)));
        Ok(Some(None))
    }

    fn set_choice(&mut self, choice: ChoiceId, bound: &Bound) {
        for sort in [Sort::Rel, Sort::Set, Sort::Other] {
            if let Some(node) = self.model.pool.find(&Expr::Choice(choice, sort)) {
                self.bounds.set(node, bound);
            }
        }
    }

    /// The alternatives, with inputs that are not known yet left open; `None` if that cannot be.
    fn alternatives(&mut self, from: ExprId) -> Result<Option<Choices>, Diagnostic> {
        let Expr::Interp(interp, _) = self.model.pool.expr(from) else { return Ok(None) };
        let events = Watched::new(self.seen);
        let mut signature = Signature::new(from, &events);
        // What is wrong with an input is said when its turn comes.
        let told = self.add_inputs(*interp, &mut signature).unwrap_or(false);
        if told && let Some(choices) = self.model.recalled.get(&signature) {
            return Ok(Some(choices));
        }
        let interp = self.model.pool.interp(*interp);
        let open = |input: &ExprId| self.open_value(*input, &events);
        let inputs = interp.inputs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        match interp.function.eval(&inputs, &events) {
            Ok(Val::Choices(choices)) => {
                // What there is to choose from may be about events that are left out here.
                if (events.asked_more() || events.asked_for_all())
                    && let Some(narrow) = self.bounds.narrow()
                {
                    narrow.give_up();
                    return Ok(None);
                }
                if told && !events.asked_more() {
                    self.model.recalled.put(signature, &choices);
                }
                Ok(Some(choices))
            }
            Ok(_) => Err(Diagnostic::internal("`with` is given no list of values")),
            Err(diagnostic) if diagnostic.remedy == Some(Remedy::DecidedInputs) => Ok(None),
            Err(diagnostic) => match self.bounds.narrow() {
                // Others would be told of an error among other events.
                Some(narrow) => {
                    narrow.give_up();
                    Ok(None)
                }
                None => Err(diagnostic),
            },
        }
    }

    /// Adds the sets and relations that a function of events works on, through other functions. `false`: there is something else among them.
    fn add_inputs(&mut self, interp: InterpId, signature: &mut Signature) -> Result<bool, Diagnostic> {
        let pool = &self.model.pool;
        for input in &pool.interp(interp).inputs {
            let told = match pool.expr(*input) {
                Expr::Interp(inner, Sort::Other) => self.add_inputs(*inner, signature)?,
                _ => signature.add(&self.bounds.eval_exact(*input)?.unwrap_or(Val::Unknown(*input))),
            };
            if !told {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a node, as far as it is known: a function of values that are not known may still be computed with these
    /// left open (the orders of the writes, on top of a relation that mentions the final writes).
    fn open_value(&mut self, id: ExprId, events: &Watched) -> Result<Val, Diagnostic> {
        if let Expr::Interp(interp, Sort::Other) = self.model.pool.expr(id) {
            let interp = self.model.pool.interp(*interp);
            let open = |input: &ExprId| self.open_value(*input, events);
            let inputs = interp.inputs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            return match interp.function.eval(&inputs, events) {
                Err(diagnostic) if diagnostic.remedy == Some(Remedy::DecidedInputs) => Ok(Val::Unknown(id)),
                result => result,
            };
        }
        Ok(self.bounds.eval_exact(id)?.unwrap_or(Val::Unknown(id)))
    }

    fn finish(mut self) -> Result<Option<Built<'p>>, Diagnostic> {
        let n = self.bounds.n_events();
        let world = self.world;
        let pool = &self.model.pool;
        let mut support = Set::empty(n);
        for (read, candidates) in &world.reads {
            support.insert(*read);
            candidates.iter().for_each(|write| support.insert(*write));
        }
        for loc in &world.observed {
            world.writes[usize::from(loc.0)].iter().for_each(|write| support.insert(*write));
        }
        for (_, over, _) in &self.orders {
            support.union_with(over);
        }
        for (_, values) in &self.options {
            for value in values {
                match value {
                    Val::Rel(rel) => {
                        support.union_with(&rel.domain());
                        support.union_with(&rel.range());
                    }
                    Val::Set(set) => {
                        support.union_with(set);
                    }
                    _ => {}
                }
            }
        }
        let mut bases = Vec::new();
        for index in 0..self.orders.len() {
            if let OrderBase::Node(node) = self.orders[index].2
                && !self.bounds.eval_rows(node)?.exact
            {
                if self.says_only_what_last_means(index, node) {
                    let certain = self.bounds.must_rel(node)?.unwrap_or_else(|| Rel::empty(n));
                    self.orders[index].2 = OrderBase::Rel(certain);
                    self.keeps_last.push(index);
                } else {
                    bases.push(node);
                }
            }
        }
        bases.sort_unstable();
        bases.dedup();
        let choices = self.choices.clone();
        let choice_of = |id: ExprId| match pool.expr(id) {
            Expr::Choice(choice, _) => choices.iter().position(|c| c == choice).unwrap_or(0),
            _ => 0,
        };
        let roots = Roots { checks: &mut self.checks, flags: &mut self.flags, bases: &bases, support };
        let code = compile(pool, &self.bounds, &choice_of, roots);
        let opaque = code.opaque || self.flags.len() > 64;
        if opaque && !self.plainly {
            return Ok(None);
        }
        Ok(Some(match self.problem(code) {
            Some(problem) => Built::Ready(Box::new(problem)),
            None => Built::NotAsked,
        }))
    }
}

/// Where a list has every way to order some pairs of events, one way or the other: a choice for each pair, on its own.
fn one_by_one(values: Vec<Val>) -> Choices {
    match independent_pairs(&values) {
        Some(lists) => Choices::Cross(lists),
        None => Choices::List(values),
    }
}

fn independent_pairs(values: &[Val]) -> Option<Vec<Vec<Rel>>> {
    if values.len() < 4 || !values.len().is_power_of_two() {
        return None;
    }
    let rel = |value: &'_ Val| if let Val::Rel(rel) = value { Some(rel.clone()) } else { None };
    let rels: Vec<Rel> = values.iter().map(rel).collect::<Option<_>>()?;
    let (mut must, mut may) = (rels[0].clone(), rels[0].clone());
    for rel in &rels[1..] {
        must = must.inter(rel);
        may.union_with(rel);
    }
    let open = may.diff(&must);
    if open.iter().any(|(a, b)| a == b || !open.contains(b, a)) {
        return None;
    }
    let pairs: Vec<(usize, usize)> = open.iter().filter(|(a, b)| a < b).collect();
    if pairs.len() != values.len().trailing_zeros() as usize {
        return None;
    }
    let mut seen = vec![false; values.len()];
    for rel in &rels {
        let mut number = 0;
        for (a, b) in &pairs {
            let forth = rel.contains(*a, *b);
            if forth == rel.contains(*b, *a) {
                return None;
            }
            number = number << 1 | usize::from(forth);
        }
        if std::mem::replace(&mut seen[number], true) {
            return None;
        }
    }
    let either = |(a, b): (usize, usize)| vec![Rel::of(must.n(), [(a, b)]), Rel::of(must.n(), [(b, a)])];
    let mut lists: Vec<Vec<Rel>> = pairs.into_iter().map(either).collect();
    if !must.is_empty() {
        lists.push(vec![must]);
    }
    Some(lists)
}

/// What is in all of them, and in any of them.
fn hull(values: &[Val]) -> Option<Bound> {
    let mut values = values.iter();
    let first = values.next()?.clone();
    let (mut must, mut may) = (first.clone(), first);
    for value in values {
        match (&mut must, &mut may, value) {
            (Val::Rel(must), Val::Rel(may), Val::Rel(rel)) => {
                *must = must.inter(rel);
                may.union_with(rel);
            }
            (Val::Set(must), Val::Set(may), Val::Set(set)) => {
                *must = must.inter(set);
                may.union_with(set);
            }
            _ => return None,
        }
    }
    match must {
        Val::Rel(_) | Val::Set(_) => Some(Bound::new(must, may)),
        _ => None,
    }
}

/// The answer of a test where its bounds settle it.
pub(super) fn decide(test: &Test, shape: Shape, rows: Rows) -> Option<bool> {
    let holds = |value: &[u64]| match test.kind {
        TestKind::Acyclic => shape.is_acyclic(value),
        TestKind::Irreflexive => shape.is_irreflexive(value),
        TestKind::Empty => value.iter().all(|word| *word == 0),
    };
    // All three properties are lost by growing and kept by shrinking.
    let plain = if holds(rows.may) {
        Some(true)
    } else if rows.exact || !holds(rows.must) {
        Some(false)
    } else {
        None
    };
    plain.map(|answer| answer != test.negated)
}
