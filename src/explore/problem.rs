//! One world and one model, ready to be searched: what is decided at the root, what is left to choose.

use std::collections::BTreeMap;

use super::code::{Check, Code, Numbering, OptionVar, OrderVar, Slot};
use super::compile::{Compiled, Roots, compile};
use super::finals::Registers;
use super::goal::Goal;
use super::naive::{event_value, final_candidates};
use super::sink::add;
use super::steps::assertion_failed;
use crate::diag::Diagnostic;
use crate::execution::{EventKind, SymVal, View, World};
use crate::model::{
    Bound, Bounds, CheckKind, ChoiceId, Choices, Expr, ExprId, Model, Order, OrderBase, Rows, Sort, Step,
    Test, TestKind, Val,
};
use crate::outcome::Observable;
use crate::program::Value;
use crate::relation::flat::{Shape, bits};
use crate::relation::{Rel, Set, rows};

/// A read of the world.
pub(super) struct ReadVar {
    /// Its event in the world.
    pub event: usize,
    /// Its number in the search.
    pub number: usize,
    /// Writes it may take its value from, by number.
    pub candidates: Vec<usize>,
    /// Is it the read of a read-modify-write?
    pub updates: bool,
}

/// An observed cell: its last write is to be chosen, or is the last of an order.
pub(super) struct LastVar {
    /// The order choice, where it is the last of an order.
    pub choice: usize,
    /// The writes in question, by number.
    pub writes: Vec<usize>,
    /// Position in `World::observed`.
    pub position: usize,
}

/// A constraint on values.
pub(super) struct Reader {
    /// Must be non-zero, or zero.
    pub value: SymVal,
    /// Which.
    pub expected: bool,
    /// The reads it mentions.
    pub reads: Vec<usize>,
}

/// A world to be searched.
pub(super) struct Problem<'p> {
    pub world: &'p World,
    pub view: &'p View<'p>,
    pub bits: u32,
    pub code: Compiled,
    /// Visible events, by number.
    pub visible: Vec<usize>,
    /// Constant slots with their rows, but for those that are empty.
    pub constants: Vec<(Slot, Vec<u64>)>,
    /// Words per row of constants and options.
    pub words: usize,
    /// Slots of what is chosen.
    pub bases: Vec<Slot>,
    pub reads: Vec<ReadVar>,
    pub orders: Vec<OrderVar>,
    pub options: Vec<OptionVar>,
    pub finals: Vec<LastVar>,
    pub last_of_order: Vec<LastVar>,
    /// What the orders contain from the start: choice, from, to.
    pub ordered: Vec<(usize, usize, usize)>,
    /// Pairs of writes that the condition asked for puts into an order: choice, earlier, last.
    pub must_be_last: Vec<(usize, usize, usize)>,
    pub n_choices: usize,
    /// Plain checks not decided at the root.
    pub checks: Vec<Check>,
    /// Flags and assertions not decided at the root.
    pub flags: Vec<Check>,
    /// Flags that every execution of this world raises.
    pub sure_flags: Vec<String>,
    /// Does every execution of this world fail an `undefined_unless`?
    pub sure_undefined: bool,
    pub constraints: Vec<Reader>,
    /// All written values are known and there is no constraint: nothing to solve.
    pub plain_values: bool,
    /// Reads that some constraint or some written value depends on, by event: until they are bound values are to be
    /// solved. (All reads, where the model compares values.)
    pub value_reads: Vec<usize>,
    /// For each read: does the final state show it?
    pub looked_at: Vec<bool>,
    pub n_values: usize,
    /// The value of each write that is known from the start, by number.
    pub known_values: Vec<Option<Value>>,
    /// Where the final value of each observed register stands in `World::final_regs`.
    pub registers: Registers,
    /// A bit for each order whose base is not known from the start (as many as the mask holds).
    pub open_orders: u64,
    /// A bit for each check (as many as the mask holds).
    pub all_checks: u64,
    /// The model must be run plainly on every complete candidate (it has parts that cannot be bounded).
    pub plain_leaf: bool,
    /// No operation of this world can be without meaning: no value is computed from what is read.
    pub harmless: bool,
    pub model: &'p Model,
}

/// What became of a world at the root.
pub(super) enum Built<'p> {
    /// Refuted by that check, or by a `with` that has nothing to choose from.
    Refuted(String),
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
    entailed: &mut BTreeMap<String, u64>,
) -> Result<Built<'p>, Diagnostic> {
    let bounded = if plainly {
        None
    } else {
        Builder::new(model, view, goal, observed, false).build(skip, entailed)?
    };
    match bounded {
        Some(built) => Ok(built),
        // Some part can only be evaluated plainly: leave all choices of the model to the plain run.
        None => match Builder::new(model, view, goal, observed, true).build(skip, entailed)? {
            Some(built) => Ok(built),
            None => Ok(Built::Refuted("(nothing to choose from)".to_string())),
        },
    }
}

struct Builder<'b, 'p> {
    model: &'p Model,
    view: &'p View<'p>,
    world: &'p World,
    goal: &'b Goal,
    observed: &'b [Observable],
    bounds: Bounds<'b>,
    plainly: bool,
    choices: Vec<ChoiceId>,
    orders: Vec<(usize, Set, OrderBase)>,
    options: Vec<(usize, Vec<Val>)>,
    /// What models usually ask of coherence, where this one does.
    usual: Option<ExprId>,
    /// Orders whose base says no more than that their last write is the final one.
    keeps_last: Vec<usize>,
    checks: Vec<(ExprId, Check)>,
    flags: Vec<(ExprId, Check)>,
    sure_flags: Vec<String>,
    sure_undefined: bool,
}

impl<'b, 'p: 'b> Builder<'b, 'p> {
    fn new(
        model: &'p Model,
        view: &'p View<'p>,
        goal: &'b Goal,
        observed: &'b [Observable],
        plainly: bool,
    ) -> Builder<'b, 'p> {
        Builder {
            model,
            view,
            world: view.world,
            goal,
            observed,
            bounds: Bounds::new(model, view),
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

    /// `None`: the model has a part that needs the plain run.
    fn build(
        mut self,
        skip: &[String],
        entailed: &mut BTreeMap<String, u64>,
    ) -> Result<Option<Built<'p>>, Diagnostic> {
        let n = self.bounds.n_events();
        let pool = &self.model.pool;
        let world = self.world;
        if let Some(node) = pool.find(&Expr::Base("rf".into(), Sort::Rel)) {
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
        if let Some(node) = pool.find(&Expr::Base("FW".into(), Sort::Set)) {
            let mut must = Set::empty(n);
            let mut may = Set::empty(n);
            for loc in &world.observed {
                let writes = final_candidates(world, usize::from(loc.0));
                writes.iter().for_each(|write| may.insert(*write));
                if let [only] = writes[..] {
                    must.insert(only);
                }
            }
            self.bounds.set(node, &Bound::new(Val::Set(must), Val::Set(may)));
        }
        for step in &self.model.steps {
            let refuted = match step {
                Step::Check { name: Some(name), .. } if skip.contains(name) => None,
                Step::Check { kind, test, name, .. } => {
                    self.check(*kind, test, name.as_deref(), step, entailed)?
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

    /// Decides a check at the root, or keeps it. `Some(name)`: the world is refuted.
    fn check(
        &mut self,
        kind: CheckKind,
        test: &Test,
        name: Option<&str>,
        source: &Step,
        entailed: &mut BTreeMap<String, u64>,
    ) -> Result<Option<String>, Diagnostic> {
        let test = normalise(self.model, test);
        let shape = self.bounds.shape();
        let holds = decide(&test, shape, self.bounds.eval_rows(test.expr)?);
        let shown = name.unwrap_or("(unnamed)").to_string();
        match (kind, holds) {
            (CheckKind::Plain, Some(false)) => return Ok(Some(shown)),
            (CheckKind::Plain | CheckKind::Assert, Some(true)) => add(entailed, &shown, 1),
            (CheckKind::Assert, Some(false) | None) => return Err(assertion_failed(name, source)),
            (CheckKind::Flag, Some(true)) => self.sure_flags.extend(name.map(str::to_string)),
            (CheckKind::UndefinedUnless, Some(false)) => self.sure_undefined = true,
            (CheckKind::Flag, Some(false)) | (CheckKind::UndefinedUnless, Some(true)) => {}
            (_, None) => {
                let check = Check { name: shown, kind, test: test.kind, negated: test.negated, slot: 0 };
                let list = if kind == CheckKind::Plain { &mut self.checks } else { &mut self.flags };
                list.push((test.expr, check));
            }
        }
        Ok(None)
    }

    /// Takes the alternatives of a `with`. `None`: the plain run must do it. `Some(Some(name))`: refuted.
    fn with(
        &mut self,
        choice: ChoiceId,
        name: &str,
        from: ExprId,
    ) -> Result<Option<Option<String>>, Diagnostic> {
        let index = self.choices.len();
        self.choices.push(choice);
        if self.plainly {
            return Ok(Some(None));
        }
        let n = self.bounds.n_events();
        let Some(choices) = self.alternatives(from)? else { return Ok(None) };
        let refuted = Ok(Some(Some(format!("with {name}"))));
        let mut must = Rel::empty(n);
        let mut may = Rel::empty(n);
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
        let interp = self.model.pool.interp(*interp);
        let inputs =
            interp.inputs.iter().map(|input| self.open_value(*input)).collect::<Result<Vec<_>, _>>()?;
        match interp.function.eval(&inputs, self.view) {
            Ok(Val::Choices(choices)) => Ok(Some(choices)),
            Ok(_) => Err(Diagnostic::internal("`with` is given no list of values")),
            Err(diagnostic) if diagnostic.code == "model::unknown-input" => Ok(None),
            Err(diagnostic) => Err(diagnostic),
        }
    }

    /// The value of a node, as far as it is known: a function of values that are not known may still be computed with these
    /// left open (the orders of the writes, on top of a relation that mentions the final writes).
    fn open_value(&mut self, id: ExprId) -> Result<Val, Diagnostic> {
        if let Expr::Interp(interp, Sort::Other) = self.model.pool.expr(id) {
            let interp = self.model.pool.interp(*interp);
            let inputs =
                interp.inputs.iter().map(|input| self.open_value(*input)).collect::<Result<Vec<_>, _>>()?;
            return match interp.function.eval(&inputs, self.view) {
                Err(diagnostic) if diagnostic.code == "model::unknown-input" => Ok(Val::Unknown(id)),
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

    /// Is the base of an order just the usual one, and are the final writes of its cells the last of this very order? Then it adds
    /// nothing but that initial writes come first, which is known.
    fn says_only_what_last_means(&self, index: usize, base: ExprId) -> bool {
        let (_, over, _) = &self.orders[index];
        let all_in =
            |order: &(usize, Set, OrderBase), writes: &[usize]| writes.iter().all(|w| order.1.contains(*w));
        let others = self.orders.iter().enumerate().filter(|(other, _)| *other != index);
        self.usual == Some(base)
            && self.world.observed.iter().all(|loc| {
                let writes = &self.world.writes[usize::from(loc.0)];
                !writes.iter().any(|w| over.contains(*w))
                    || all_in(&self.orders[index], writes)
                        && !others.clone().any(|(_, order)| all_in(order, writes))
            })
    }

    /// Does this relation put every write of a cell before its final one, in the usual way? An order that
    /// contains it then decides the final write, and the final write nothing else.
    fn orders_final_writes_last(&self, base: ExprId) -> bool {
        self.usual.is_some_and(|usual| {
            base == usual
                || matches!(self.model.pool.expr(base), Expr::Union(parts) if parts.contains(&usual))
        })
    }

    /// `None`: what is asked of the final state cannot be.
    fn problem(self, code: Compiled) -> Option<Problem<'p>> {
        let world = self.world;
        let numbering = &code.numbering;
        let number = |event: &usize| numbering.index[*event];
        let numbers = |events: &[usize]| -> Vec<usize> { events.iter().filter_map(number).collect() };
        let reads: Vec<ReadVar> = world
            .reads
            .iter()
            .filter_map(|(event, candidates)| {
                let number = number(event)?;
                Some(ReadVar {
                    event: *event,
                    number,
                    candidates: numbers(candidates),
                    updates: updates(world, *event),
                })
            })
            .collect();
        let mut orders = Vec::new();
        let mut ordered = Vec::new();
        let mut canonical = Vec::new();
        for (index, (choice, over, base)) in self.orders.iter().enumerate() {
            if self.keeps_last.contains(&index) {
                canonical.push((*choice, over.clone()));
            }
            let members: Vec<usize> = over.iter().collect();
            let slot = match base {
                OrderBase::Node(node) => {
                    if self.orders_final_writes_last(*node) {
                        canonical.push((*choice, over.clone()));
                    }
                    code.slot_of.get(node).copied()
                }
                OrderBase::Rel(_) => None,
            };
            let certain = match base {
                OrderBase::Rel(rel) => rel.clone(),
                OrderBase::Node(node) => match self.bounds.known(*node) {
                    Some(rows) => Rel::from_words(over.n(), rows.must),
                    None => Rel::empty(over.n()),
                },
            };
            for (from, to) in certain.plus().restrict(over).iter() {
                if let (Some(from), Some(to)) = (number(&from), number(&to)) {
                    ordered.push((*choice, from, to));
                }
            }
            orders.push(OrderVar { choice: *choice, over: numbers(&members), base: slot });
        }
        // A cell whose writes are all in one order that keeps the final write last needs no choice of its own.
        let mut finals = Vec::new();
        let mut last_of_order = Vec::new();
        let mut last_first: Vec<(usize, usize, usize)> = Vec::new();
        let mut impossible = false;
        for (position, loc) in world.observed.iter().enumerate() {
            let all = &world.writes[usize::from(loc.0)];
            let by_order =
                canonical.iter().find(|(_, over)| all.len() > 1 && all.iter().all(|w| over.contains(*w)));
            let asked = |write: &&usize| {
                self.goal.cells.iter().filter(|(cell, ..)| cell == loc).all(|(_, ty, value, expected)| {
                    let written = world.events[**write].written_value().and_then(SymVal::known);
                    written.is_none_or(|written| (ty.truncate(written) == *value) == *expected)
                })
            };
            match by_order {
                Some((choice, _)) => {
                    let possible: Vec<usize> = all.iter().filter(asked).copied().collect();
                    match possible[..] {
                        [] => impossible = true,
                        [only] => {
                            let others = all.iter().filter(|w| **w != only);
                            let pairs = others.filter_map(|w| Some((*choice, number(w)?, number(&only)?)));
                            last_first.extend(pairs);
                        }
                        _ => {}
                    }
                    last_of_order.push(LastVar { choice: *choice, writes: numbers(all), position });
                }
                None => {
                    let candidates = final_candidates(world, usize::from(loc.0));
                    let writes: Vec<usize> = candidates.iter().filter(asked).copied().collect();
                    impossible |= writes.is_empty();
                    let writes = numbers(&writes);
                    finals.push(LastVar { choice: 0, writes, position });
                }
            }
        }
        let options = self
            .options
            .iter()
            .map(|(choice, values)| OptionVar {
                choice: *choice,
                options: values
                    .iter()
                    .map(|value| project_val(value, self.bounds.shape(), numbering))
                    .collect(),
            })
            .collect();
        let constants = code
            .constants
            .iter()
            .filter_map(|(slot, id)| {
                let is_set = self.model.pool.sort(*id) == Sort::Set;
                let value = self.bounds.known(*id)?.must;
                let is_empty = value.iter().all(|word| *word == 0);
                (!is_empty).then(|| (*slot, project(value, is_set, self.bounds.shape(), numbering)))
            })
            .collect();
        let constraints: Vec<Reader> = world
            .constraints
            .iter()
            .chain(&self.goal.constraints)
            .map(|(value, expected)| Reader {
                value: value.clone(),
                expected: *expected,
                reads: value.reads().iter().map(|read| *read as usize).collect(),
            })
            .collect();
        let known =
            |event: &usize| world.events[*event].written_value().is_none_or(|value| value.known().is_some());
        let different = code.slots.iter().any(|s| matches!(s.code, Code::DifferentValues(_)));
        let plain_values = constraints.is_empty() && world.writes.iter().flatten().all(known) && !different;
        let mut value_reads: Vec<usize> = match (plain_values, different) {
            (true, _) => Vec::new(),
            (false, true) => reads.iter().map(|read| read.event).collect(),
            (false, false) => {
                let writes = world.writes.iter().flatten();
                let written = writes.filter_map(|write| world.events[*write].written_value());
                let written = written.flat_map(|value| value.reads().into_iter().map(|read| read as usize));
                constraints.iter().flat_map(|c| c.reads.iter().copied()).chain(written).collect()
            }
        };
        value_reads.sort_unstable();
        value_reads.dedup();
        let registers = Registers::new(self.view, self.observed);
        let shown = registers.reads(world);
        let looked_at = reads.iter().map(|read| shown.contains(&read.event)).collect();
        let bases = (0..code.slots.len() as Slot)
            .filter(|slot| {
                let code = &code.slots[*slot as usize].code;
                matches!(code, Code::Rf | Code::Fw | Code::Choice(_) | Code::Opaque)
            })
            .collect();
        if impossible {
            return None;
        }
        let known_values = numbering
            .kept
            .iter()
            .map(|event| world.events[*event].written_value().and_then(SymVal::known))
            .collect();
        let n_checks = self.checks.len();
        Some(Problem {
            world,
            view: self.view,
            bits: self.view.names.program.bits,
            visible: self.bounds.visible().iter().filter_map(|e| number(&e)).collect(),
            constants,
            words: words_per_row(&code.numbering),
            bases,
            reads,
            options,
            finals,
            last_of_order,
            ordered,
            n_choices: self.choices.len(),
            checks: self.checks.into_iter().map(|(_, check)| check).collect(),
            flags: self.flags.into_iter().map(|(_, check)| check).collect(),
            sure_flags: self.sure_flags,
            sure_undefined: self.sure_undefined,
            constraints,
            plain_values,
            known_values,
            value_reads,
            looked_at,
            registers,
            open_orders: open_orders(&orders),
            all_checks: rows::first(n_checks),
            n_values: world.reads.iter().map(|(read, _)| read + 1).max().unwrap_or(0),
            plain_leaf: self.plainly,
            harmless: plain_values && world.final_regs.iter().all(|(_, value)| simple(value)),
            must_be_last: last_first,
            orders,
            model: self.model,
            code,
        })
    }
}

impl Problem<'_> {
    /// Is there enough to choose for several workers?
    pub fn is_large(&self) -> bool {
        let reads = self.reads.iter().map(|read| (read.candidates.len() as f64).log2()).sum::<f64>();
        let orders = self.orders.iter().map(|order| order.over.len() as f64).sum::<f64>();
        // Tests share out even small searches.
        reads + orders > if cfg!(test) { 2.0 } else { 12.0 }
    }

    /// Do two events (by number) certainly hold one equal value each, or certainly not? `None`: not known.
    pub fn same_value(&self, values: &[Option<Value>], a: usize, b: usize) -> Option<bool> {
        let single = |number: usize| {
            let event = self.code.numbering.kept[number];
            let e = &self.world.events[event];
            // An event without a single value counts as different from every other.
            let has_one = e.value.is_some() && e.written.is_none();
            (has_one, event_value(self.world, values, event, self.bits))
        };
        let ((one_a, a), (one_b, b)) = (single(a), single(b));
        if !one_a || !one_b {
            return Some(false);
        }
        match (a, b) {
            (Some(a), Some(b)) => Some(a == b),
            _ => None,
        }
    }
}

/// A bit for each order whose base is not known from the start. Those past the mask's width share the last bit,
/// which is then never cleared.
fn open_orders(orders: &[OrderVar]) -> u64 {
    let bit = |(index, order): (usize, &OrderVar)| u64::from(order.base.is_some()) << index.min(63);
    orders.iter().enumerate().map(bit).fold(0, |mask, bit| mask | bit)
}

/// Is the read one half of a read-modify-write: does its instruction write the same cell, or is it exclusive?
fn updates(world: &World, read: usize) -> bool {
    let event = &world.events[read];
    event.kind == EventKind::Rmw
        || event.sets.iter().any(|set| set == "X")
        || world.events[..world.n_memory].iter().any(|other| {
            other.kind == EventKind::Write
                && (other.thread, other.instance, other.loc) == (event.thread, event.instance, event.loc)
        })
}

/// Is there nothing to compute?
fn simple(value: &SymVal) -> bool {
    matches!(value, SymVal::Known(_) | SymVal::Read(_))
}

/// A set or relation as rows of words, one after the other, in the numbering of the search.
fn project(value: &[u64], is_set: bool, shape: Shape, numbering: &Numbering) -> Vec<u64> {
    let words = words_per_row(numbering);
    let copy = |out: &mut [u64], row: &[u64]| {
        for event in bits(row).filter_map(|event| numbering.index[event]) {
            out[event / 64] |= 1 << (event % 64);
        }
    };
    if is_set {
        let mut out = vec![0; words];
        copy(&mut out, value);
        return out;
    }
    let mut out = vec![0; words * numbering.len()];
    for (row, from) in out.chunks_exact_mut(words).zip(&numbering.kept) {
        copy(row, &value[from * shape.words..(from + 1) * shape.words]);
    }
    out
}

/// Likewise.
fn project_val(value: &Val, shape: Shape, numbering: &Numbering) -> Vec<u64> {
    match value {
        Val::Set(set) => project(set.words(), true, shape, numbering),
        Val::Rel(rel) => project(rel.all_words(), false, shape, numbering),
        _ => Vec::new(),
    }
}

fn words_per_row(numbering: &Numbering) -> usize {
    numbering.len().div_ceil(64).max(1)
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

/// `acyclic r+`, `irreflexive r+`: the same as `acyclic r`, and cheaper.
fn normalise(model: &Model, test: &Test) -> Test {
    match (test.kind, model.pool.expr(test.expr)) {
        (TestKind::Acyclic | TestKind::Irreflexive, Expr::Plus(inner)) => {
            Test { kind: TestKind::Acyclic, negated: test.negated, expr: *inner }
        }
        _ => *test,
    }
}

/// The answer of a test where its bounds settle it.
fn decide(test: &Test, shape: Shape, rows: Rows) -> Option<bool> {
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
