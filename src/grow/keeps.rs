//! What a model keeps in order: may there be executions with a cycle of program order and `rf` that it accepts?
//!
//! Such a cycle comes into a thread by a read and leaves it by a write, and goes on to a read of that write in another thread. Where one `acyclic` check has every
//! such step, there is none. What the steps are is said by someone who knows the program; of each is asked here whether the check has it, whatever else there is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::code::Check;
use super::compile::OrderOn;
use super::members::is_in;
use super::sketch::{Passing, Sketch};
use super::{decide, part};
use crate::execution::EventKind;
use crate::model::{Base, Expr, ExprId, Model, Pool, Sort, TestKind};
use crate::program::{Program, SetName};

/// An event, as far as a model can see it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape<'a> {
    /// What it is.
    pub kind: EventKind,
    /// Its thread.
    pub thread: Option<u16>,
    /// Sets that it is in besides those that follow from its kind.
    pub sets: &'a [SetName],
}

/// A way from a read to a later write of its thread, through an event between the two or through none.
#[derive(Clone, Debug)]
pub struct Way<'a> {
    /// The events, in program order: the read first, the write last.
    pub events: Vec<Shape<'a>>,
    /// Address, data and control dependencies between them, by their numbers here.
    pub depends: [Vec<(usize, usize)>; 3],
    /// Those that access one cell.
    pub same_cell: Vec<(usize, usize)>,
}

/// A model, asked for what it keeps in order.
pub struct Keeps<'p> {
    program: &'p Program,
    asked: Arc<Asked>,
}

/// What is asked of a model.
struct Asked {
    pool: Pool,
    /// The `acyclic` checks.
    orders: Vec<ExprId>,
    checks: Vec<Check>,
    /// The predefined sets that it looks at.
    names: BTreeSet<String>,
}

impl Asked {
    fn new(program: &Program, model: &Model, skip_checks: &[String]) -> Option<Asked> {
        let whole =
            decide::built(model, skip_checks, OrderOn::Usual).ok().map(|code| (code, model.pool.clone()));
        let (code, pool) = whole.or_else(|| {
            let part = part::without(model, &part::is_absent(program))?;
            let code = decide::built(&part, skip_checks, OrderOn::Checked).ok()?;
            Some((code, part.pool))
        })?;
        let mut checks = code.checks;
        checks.retain(|check| !check.negated);
        let orders: Vec<ExprId> =
            checks.iter().filter(|check| check.test == TestKind::Acyclic).map(|check| check.expr).collect();
        let all = (0..pool.len()).map(|id| pool.expr(ExprId(id as u32)));
        let names = all.filter_map(|expr| match expr {
            Expr::Base(base, Sort::Set) if *base != Base::Fw => Some(base.name().to_string()),
            _ => None,
        });
        let always = ["M", "R", "W"].map(str::to_string);
        let names = names.chain(always).collect();
        Some(Asked { pool, orders, checks, names })
    }
}

impl<'p> Keeps<'p> {
    /// Of the executions of a program; `None` if nothing can be said.
    pub fn new(program: &'p Program, model: &Model, skip_checks: &[String]) -> Option<Keeps<'p>> {
        let is_absent = part::is_absent(program);
        let mut key = format!("{skip_checks:?}");
        key.extend(part::sets(model).map(|name| if is_absent(name) { '1' } else { '0' }));
        let asked = model.derived.get(key, || Asked::new(program, model, skip_checks).map(Arc::new));
        asked.as_ref().clone().map(|asked| Keeps { program, asked })
    }

    /// How many checks may refuse a cycle by themselves.
    pub fn n_checks(&self) -> usize {
        self.asked.orders.len()
    }

    fn drawn(&self, shape: &Shape) -> (EventKind, BTreeSet<String>) {
        let is_in = |name: &&String| is_in(self.program, (shape.kind, shape.thread, shape.sets), name);
        (shape.kind, self.asked.names.iter().filter(is_in).cloned().collect())
    }

    fn have(&self, sketch: &Sketch, pairs: &[(usize, usize)]) -> Vec<bool> {
        let has = |expr: &ExprId| {
            let value = sketch.value(&self.asked.pool, *expr);
            pairs.iter().any(|(a, b)| value.must_have(*a, *b))
        };
        self.asked.orders.iter().map(has).collect()
    }

    /// Which checks have the step from a read to a later write of its thread?
    pub fn through(&self, way: &Way) -> Vec<bool> {
        let n = way.events.len();
        let from_one = |pairs: &[(usize, usize)]| pairs.iter().map(|(a, b)| (a + 1, b + 1)).collect();
        let passing = Passing {
            events: way.events.iter().map(|shape| self.drawn(shape)).collect(),
            depends: way.depends.each_ref().map(|pairs| from_one(pairs)),
            loc: way.same_cell.iter().flat_map(|(a, b)| [(a + 1, b + 1), (b + 1, a + 1)]).collect(),
        };
        self.have(&Sketch::in_a_thread(passing), &[(1, n)])
    }

    /// Likewise, to the write of the same instruction to the same cell: from the read, or from what it reads. The write comes after that, or it is refused.
    pub fn inside(&self, read: &Shape, write: &Shape) -> Vec<bool> {
        let sketch = |after: bool| {
            let events = vec![self.drawn(read), self.drawn(write)];
            Sketch::through_that_instruction(after, Passing { events, ..Passing::default() })
        };
        let before = sketch(false);
        if !self.asked.checks.iter().any(|check| decide::refutes(&self.asked.pool, check, &before)) {
            return vec![false; self.asked.orders.len()];
        }
        self.have(&sketch(true), &[(1, 3), (2, 3)])
    }

    /// Does some check refuse that a read takes its value from a later write of its thread, or of its own instruction?
    pub fn refuses_own(&self, read: &Shape, write: &Shape, inside: bool) -> bool {
        let passing = Passing { events: vec![self.drawn(read), self.drawn(write)], ..Passing::default() };
        let sketch = match inside {
            true => Sketch::own_instruction_read(passing),
            false => Sketch::own_thread_read(passing),
        };
        self.asked.checks.iter().any(|check| decide::refutes(&self.asked.pool, check, &sketch))
    }

    /// Likewise, from a write to a read of it in another thread.
    pub fn between(&self, write: &Shape, read: &Shape) -> Vec<bool> {
        let events = vec![self.drawn(write), self.drawn(read)];
        self.have(&Sketch::from_thread_to_thread(Passing { events, ..Passing::default() }), &[(1, 2)])
    }

    /// A thread reads a cell, and later reads it again: is whatever it then writes after what it read first, whoever wrote what it read the second time? If the first read is that of an update, that
    /// may be the write of the update; else no write of the thread's own comes between.
    pub fn rereads(&self, first: &Shape, update: Option<&Shape>, again: &Shape) -> bool {
        let refuses = |sketch: &Sketch| {
            self.asked.checks.iter().any(|check| decide::refutes(&self.asked.pool, check, sketch))
        };
        let passing = |shapes: &[&Shape]| Passing {
            events: shapes.iter().map(|shape| self.drawn(shape)).collect(),
            ..Passing::default()
        };
        if !refuses(&Sketch::own_write_read()) || !refuses(&Sketch::back_in_time(passing(&[first, again]))) {
            return false;
        }
        // From the write that was read first to the second read: at once, or by one that came later.
        let (from, on) = (self.drawn(first), Sketch::on_to_a_write(self.drawn(again)));
        let mut steps = vec![
            self.have(&Sketch::on_to_a_write(from.clone()), &[(1, 2)]),
            self.have(&on, &[(1, 2)]),
            self.have(&on, &[(2, 3)]),
            self.have(&Sketch::overwritten_elsewhere(from), &[(2, 1)]),
        ];
        if let Some(write) = update {
            steps.push(self.have(&Sketch::update_read_again(passing(&[first, write, again])), &[(1, 3)]));
        }
        (0..self.n_checks()).any(|check| steps.iter().all(|step| step[check]))
    }
}
