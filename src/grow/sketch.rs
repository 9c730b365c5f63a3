//! Sketches: a few events by name, and one that stands for all others. Of an expression is computed which pairs it has
//! for certain and which it may have, whatever the others are.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::model::{Base, Expr, ExprId, FixId, Pool, Sort};

use super::compile::in_set_by_kind;
use super::decide::{below_co, below_inverse_rf};
use crate::execution::EventKind;
use crate::program::BranchKind;

/// The event that stands for all others.
const OTHERS: usize = 0;

/// A relation over the events of a sketch (or a set: as pairs of each event with itself).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub n: usize,
    /// Pairs that it has; bit `a * n + b`. None with the others: nothing is certain of all of them.
    pub must: u32,
    /// Pairs that it may have.
    pub may: u32,
    /// May it have got a pair of other events by the step that is sketched?
    pub new: bool,
}

/// What is known of a pair, or of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Yes,
    No,
    Perhaps,
}

/// What is drawn of an instruction's or a thread's accesses to memory: who is in which sets, and what depends on what.
#[derive(Default)]
pub(super) struct Passing {
    /// Kinds of the events, and the sets that they are in.
    pub events: Vec<(EventKind, BTreeSet<String>)>,
    /// Address, data and control dependencies, all of them.
    pub depends: [Vec<(usize, usize)>; 3],
    /// Pairs that access the same cell.
    pub loc: Vec<(usize, usize)>,
}

/// A sketch.
#[derive(Default)]
pub(super) struct Sketch {
    /// The events by name, from 1 on.
    events: Vec<Drawn>,
    /// Program order, `rf`, the same cell: pairs that are certain.
    po: Vec<(usize, usize)>,
    rf: Vec<(usize, usize)>,
    loc: Vec<(usize, usize)>,
    /// Coherence, likewise.
    co: Vec<(usize, usize)>,
    /// Are the events of the last thread those of one instruction?
    is_one_instruction: bool,
    /// One thread for all events, or the first on its own?
    first_is_apart: bool,
    /// Is nothing known of their threads, and of program order?
    any_threads: bool,
    /// Which of them belong to one instruction, if that is known.
    instruction: Option<(usize, usize)>,
    /// Does no other event access their cell?
    has_cell_alone: bool,
    /// Address, data and control dependencies between the events, if these are known.
    depends: Option<[Vec<(usize, usize)>; 3]>,
    /// Are the events new, the last of their thread, their write the last of its cell, their read from the last one there was?
    is_extension: bool,
}

/// An event of a sketch.
struct Drawn {
    kind: EventKind,
    /// The predefined sets that it is in, if these are known.
    sets: Option<BTreeSet<String>>,
    /// May a read write, too, and a write read (one-event read-modify-writes)?
    open: bool,
}

impl Drawn {
    fn new(kind: EventKind, open: bool) -> Drawn {
        Drawn { kind, open, sets: None }
    }
}

impl Sketch {
    /// All the ways to add something last: a read, a write, both in one event, both in two, two of a kind, anything else.
    pub fn extensions() -> Vec<Sketch> {
        let sketch = |kinds: &[EventKind]| Sketch {
            events: kinds.iter().map(|kind| Drawn::new(*kind, false)).collect(),
            loc: match kinds {
                [EventKind::Read, EventKind::Write] => vec![(1, 2), (2, 1)],
                _ => Vec::new(),
            },
            is_one_instruction: true,
            is_extension: true,
            ..Sketch::default()
        };
        vec![
            sketch(&[EventKind::Read]),
            sketch(&[EventKind::Write]),
            sketch(&[EventKind::Rmw]),
            sketch(&[EventKind::Read, EventKind::Write]),
            sketch(&[EventKind::Read, EventKind::Read]),
            sketch(&[EventKind::Write, EventKind::Write]),
            sketch(&[EventKind::Fence]),
            sketch(&[EventKind::Other]),
            sketch(&[EventKind::Branch(BranchKind::Bcc)]),
            sketch(&[EventKind::Branch(BranchKind::Pred)]),
        ]
    }

    /// A read from a later write of its own thread.
    pub fn own_write_read() -> Sketch {
        Sketch {
            events: vec![Drawn::new(EventKind::Read, true), Drawn::new(EventKind::Write, true)],
            po: vec![(1, 2)],
            rf: vec![(2, 1)],
            loc: vec![(1, 2), (2, 1)],
            ..Sketch::default()
        }
    }

    /// A read from another thread, and a later write of its own.
    pub fn through_a_thread() -> Sketch {
        Sketch {
            events: vec![
                Drawn::new(EventKind::Write, true),
                Drawn::new(EventKind::Read, true),
                Drawn::new(EventKind::Write, true),
            ],
            po: vec![(2, 3)],
            rf: vec![(1, 2)],
            loc: vec![(1, 2), (2, 1)],
            first_is_apart: true,
            ..Sketch::default()
        }
    }

    /// A read from another thread, and the write of the same instruction, before or after the one that was read.
    pub fn through_an_instruction(after: bool) -> Sketch {
        let plain = |kind| Drawn::new(kind, false);
        Sketch {
            events: vec![plain(EventKind::Write), plain(EventKind::Read), plain(EventKind::Write)],
            rf: vec![(1, 2)],
            loc: (1..4).flat_map(|a| (1..4).map(move |b| (a, b))).collect(),
            co: vec![if after { (1, 3) } else { (3, 1) }],
            is_one_instruction: true,
            first_is_apart: true,
            ..Sketch::default()
        }
    }

    /// Likewise, of an instruction of which all is known but whom it reads from.
    pub fn through_that_instruction(after: bool, passing: Passing) -> Sketch {
        let mut sketch = Sketch::through_an_instruction(after);
        sketch.events[0].open = true;
        for (drawn, (kind, sets)) in sketch.events[1..].iter_mut().zip(passing.events) {
            *drawn = Drawn { kind, open: false, sets: Some(sets) };
        }
        sketch
    }

    /// A read of the write of its own instruction, of which all is known.
    pub fn own_instruction_read(passing: Passing) -> Sketch {
        let drawn = |(kind, sets)| Drawn { kind, open: false, sets: Some(sets) };
        Sketch {
            events: passing.events.into_iter().map(drawn).collect(),
            rf: vec![(2, 1)],
            loc: vec![(1, 2), (2, 1)],
            is_one_instruction: true,
            ..Sketch::default()
        }
    }

    /// A read from a later write of its own thread, of which all is known.
    pub fn own_thread_read(passing: Passing) -> Sketch {
        Sketch { po: vec![(1, 2)], is_one_instruction: false, ..Sketch::own_instruction_read(passing) }
    }

    /// Events of one thread, of which all is known, one after the other.
    pub fn in_a_thread(passing: Passing) -> Sketch {
        let n = passing.events.len();
        let drawn = |(kind, sets)| Drawn { kind, open: false, sets: Some(sets) };
        Sketch {
            events: passing.events.into_iter().map(drawn).collect(),
            po: (1..=n).flat_map(|a| (a + 1..=n).map(move |b| (a, b))).collect(),
            loc: passing.loc,
            depends: Some(passing.depends),
            ..Sketch::default()
        }
    }

    /// A read of another thread's write, of which all is known.
    pub fn from_thread_to_thread(passing: Passing) -> Sketch {
        let drawn = |(kind, sets)| Drawn { kind, open: false, sets: Some(sets) };
        Sketch {
            events: passing.events.into_iter().map(drawn).collect(),
            rf: vec![(1, 2)],
            loc: vec![(1, 2), (2, 1)],
            first_is_apart: true,
            depends: Some(Default::default()),
            ..Sketch::default()
        }
    }

    /// A read of another thread's write, of which all is known, and what its thread writes later.
    pub fn on_to_a_write((kind, sets): (EventKind, BTreeSet<String>)) -> Sketch {
        let mut sketch = Sketch::through_a_thread();
        sketch.events[1] = Drawn { kind, open: false, sets: Some(sets) };
        sketch
    }

    /// A read, of which all is known, of a write that another thread has overwritten.
    pub fn overwritten_elsewhere((kind, sets): (EventKind, BTreeSet<String>)) -> Sketch {
        let write = || Drawn::new(EventKind::Write, true);
        Sketch {
            events: vec![write(), Drawn { kind, open: false, sets: Some(sets) }, write()],
            rf: vec![(3, 2)],
            loc: (1..4).flat_map(|a| (1..4).map(move |b| (a, b))).collect(),
            co: vec![(3, 1)],
            first_is_apart: true,
            ..Sketch::default()
        }
    }

    /// Two reads of one cell, of which all is known, the later of which reads what was written earlier.
    pub fn back_in_time(passing: Passing) -> Sketch {
        let write = || Drawn::new(EventKind::Write, true);
        let drawn = |(kind, sets)| Drawn { kind, open: false, sets: Some(sets) };
        Sketch {
            events: [write()]
                .into_iter()
                .chain(passing.events.into_iter().map(drawn))
                .chain([write()])
                .collect(),
            po: vec![(2, 3)],
            rf: vec![(1, 2), (4, 3)],
            loc: (1..5).flat_map(|a| (1..5).map(move |b| (a, b))).collect(),
            co: vec![(4, 1)],
            first_is_apart: true,
            ..Sketch::default()
        }
    }

    /// The two accesses of an update, and a later read of what it wrote, of which all is known; nobody else accesses the cell.
    pub fn update_read_again(passing: Passing) -> Sketch {
        let drawn = |(kind, sets)| Drawn { kind, open: false, sets: Some(sets) };
        Sketch {
            events: passing.events.into_iter().map(drawn).collect(),
            po: vec![(1, 3), (2, 3)],
            rf: vec![(2, 3)],
            loc: (1..4).flat_map(|a| (1..4).map(move |b| (a, b))).collect(),
            depends: Some(Default::default()),
            instruction: Some((1, 2)),
            has_cell_alone: true,
            ..Sketch::default()
        }
    }

    /// A one-event read-modify-write with another write between it and its source.
    pub fn update_after_another() -> Sketch {
        let open = |kind| Drawn::new(kind, true);
        Sketch {
            events: vec![open(EventKind::Write), open(EventKind::Write), Drawn::new(EventKind::Rmw, false)],
            rf: vec![(1, 3)],
            loc: (1..4).flat_map(|a| (1..4).map(move |b| (a, b))).collect(),
            co: vec![(1, 2), (2, 3), (1, 3)],
            any_threads: true,
            ..Sketch::default()
        }
    }

    /// A one-event read-modify-write before its source.
    pub fn update_before_its_source() -> Sketch {
        Sketch {
            events: vec![Drawn::new(EventKind::Write, true), Drawn::new(EventKind::Rmw, false)],
            rf: vec![(1, 2)],
            loc: (1..3).flat_map(|a| (1..3).map(move |b| (a, b))).collect(),
            co: vec![(2, 1)],
            any_threads: true,
            ..Sketch::default()
        }
    }

    /// Its steps of program order and `rf`.
    pub fn steps(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.po.iter().chain(&self.rf).copied()
    }

    /// The value of an expression.
    pub fn value(&self, pool: &Pool, id: ExprId) -> Value {
        Evaluation {
            sketch: self,
            pool,
            known: FxHashMap::default(),
            now: FxHashMap::default(),
            variables: Vec::new(),
            hangs: false,
        }
        .value(id)
    }

    fn n(&self) -> usize {
        self.events.len() + 1
    }

    fn of(&self, f: impl Fn(usize, usize) -> Known) -> Value {
        let n = self.n();
        let mut value = Value { n, must: 0, may: 0, new: false };
        for a in 0..n {
            for b in 0..n {
                let bit = 1 << (a * n + b);
                match f(a, b) {
                    Known::Yes if a != OTHERS && b != OTHERS => {
                        value.must |= bit;
                        value.may |= bit;
                    }
                    Known::No => {}
                    _ => value.may |= bit,
                }
            }
        }
        value
    }

    fn set(&self, f: impl Fn(usize) -> Known) -> Value {
        self.of(|a, b| if a == b { f(a) } else { Known::No })
    }

    fn anything(&self) -> Value {
        Value { new: true, ..self.of(|_, _| Known::Perhaps) }
    }

    fn kind(&self, event: usize) -> Option<&Drawn> {
        event.checked_sub(1).and_then(|event| self.events.get(event))
    }

    fn is_write(&self, event: usize) -> Known {
        self.member(event, "W")
    }

    fn is_read(&self, event: usize) -> Known {
        self.member(event, "R")
    }

    fn member(&self, event: usize, name: &str) -> Known {
        let Some(drawn) = self.kind(event) else { return Known::Perhaps };
        if let Some(sets) = &drawn.sets {
            return if sets.contains(name) { Known::Yes } else { Known::No };
        }
        if self.is_extension && drawn.kind == EventKind::Write && name == "EX" {
            // A store-conditional that succeeds is a choice that no deleted event has made.
            return Known::No;
        }
        if drawn.kind == EventKind::Rmw && matches!(name, "RMW" | "X") {
            return Known::Yes;
        }
        if self.is_one_instruction && !self.is_extension && !drawn.open && name == "X" {
            return Known::Yes;
        }
        match in_set_by_kind(drawn.kind, name) {
            Some(false) if drawn.open && matches!(name, "R" | "W" | "IW") => Known::Perhaps,
            Some(true) => Known::Yes,
            Some(false) => Known::No,
            None => Known::Perhaps,
        }
    }

    fn base(&self, name: &str) -> Value {
        use Known::{No, Perhaps, Yes};
        let others = |a: usize, b: usize| a == OTHERS || b == OTHERS;
        let given = |pairs: &[(usize, usize)], a: usize, b: usize| pairs.contains(&(a, b));
        let is_drawn = |event: usize| self.kind(event).is_some_and(|drawn| drawn.sets.is_some());
        let apart = |a: usize, b: usize| self.first_is_apart && (a == 1) != (b == 1);
        match name {
            "id" => self.of(|a, b| match (a == b, a) {
                (false, _) => No,
                (true, OTHERS) => Perhaps,
                (true, _) => Yes,
            }),
            "po" | "addr" | "data" | "ctrl" if self.is_extension => self.of(|a, b| match (a, b) {
                (_, OTHERS) if a != OTHERS => No,
                (OTHERS, _) => Perhaps,
                (a, b) if a < b => Perhaps,
                _ => No,
            }),
            "po" => self.of(|a, b| match () {
                () if others(a, b) || self.any_threads && a != b => Perhaps,
                () if given(&self.po, a, b) => Yes,
                // In some languages there is an order inside instructions.
                () if a < b && self.is_one_instruction && is_drawn(a) && is_drawn(b) => Perhaps,
                () => No,
            }),
            "addr" | "data" | "ctrl" if self.depends.is_some() => {
                let number = ["addr", "data", "ctrl"].iter().position(|own| *own == name).unwrap_or(0);
                let none = Vec::new();
                let pairs = self.depends.as_ref().map_or(&none, |depends| &depends[number]);
                self.of(|a, b| match () {
                    () if others(a, b) => Perhaps,
                    () if given(pairs, a, b) => Yes,
                    () => No,
                })
            }
            "addr" | "data" | "ctrl" => self.of(|a, b| match () {
                () if others(a, b) || self.any_threads && a != b => Perhaps,
                () if given(&self.po, a, b) || self.is_one_instruction && a != b => Perhaps,
                () => No,
            }),
            "rf" if self.is_extension => self.of(|a, b| match (a, b) {
                (OTHERS, b) if b == OTHERS || self.is_read(b) != No => Perhaps,
                _ => No,
            }),
            "rf" => self.of(|a, b| match () {
                () if given(&self.rf, a, b) => Yes,
                // Of what is not drawn, nothing is known.
                () if others(a, b) || self.depends.is_some() => Perhaps,
                () => No,
            }),
            "loc" => self.of(|a, b| match () {
                () if others(a, b) && a != b && self.has_cell_alone => No,
                () if others(a, b) => Perhaps,
                () if a == b || given(&self.loc, a, b) => Yes,
                () => Perhaps,
            }),
            "int" | "ext" => self.of(|a, b| {
                match (others(a, b) || self.any_threads && a != b, apart(a, b) == (name == "ext")) {
                    (true, _) => Perhaps,
                    (false, true) => Yes,
                    (false, false) => No,
                }
            }),
            // An instruction is added and thrown away whole.
            "same-instance" if self.is_extension => {
                self.of(|a, b| if others(a, b) && (a, b) != (OTHERS, OTHERS) { No } else { Perhaps })
            }
            "same-instance" => self.of(|a, b| match () {
                () if others(a, b) => Perhaps,
                () if a == b => Yes,
                () if apart(a, b) => No,
                () if self.instruction.is_some_and(|both| both == (a, b) || both == (b, a)) => Yes,
                () if self.instruction.is_some() => No,
                () if self.is_one_instruction => Yes,
                () => Perhaps,
            }),
            "sm" | "si" => self.of(|a, b| match () {
                () if a != b => No,
                () => self.member(a, "M"),
            }),
            "success" | "tst" | "aligned" | "partial_po" | "equiv-spec" => self.of(|_, _| No),
            // Between two events, whatever else there is.
            _ => self.of(|_, _| Perhaps),
        }
    }

    fn coherence(&self) -> Value {
        use Known::{No, Perhaps};
        if !self.is_extension {
            return self.of(|a, b| match () {
                () if self.co.contains(&(a, b)) => Known::Yes,
                () if self.co.contains(&(b, a)) => No,
                () => Perhaps,
            });
        }
        self.of(|a, b| match (a, b) {
            (OTHERS, OTHERS) => Perhaps,
            (OTHERS, b) if self.is_write(b) != No => Perhaps,
            _ => No,
        })
    }

    /// `rf^-1; co`, where what is read is the last write before what is new.
    fn overwritten(&self) -> Value {
        use Known::{No, Perhaps};
        self.of(|a, b| match (a, b) {
            (OTHERS, OTHERS) => Perhaps,
            (OTHERS, b) if self.is_write(b) != No => Perhaps,
            (_, OTHERS) => No,
            (a, b) if self.is_read(a) != No && self.is_write(b) != No => Perhaps,
            _ => No,
        })
    }

    fn minus(&self, a: &Value, b: &Value) -> Value {
        // A pair of others that the second loses is one that the difference gets.
        Value { n: a.n, must: a.must & !b.may, may: a.may & !b.must, new: a.new || b.new }
    }
}

/// Expressions evaluated on a sketch. They share what they are made of: each is looked at once.
struct Evaluation<'e> {
    sketch: &'e Sketch,
    pool: &'e Pool,
    /// Values that hang on no variable.
    known: FxHashMap<ExprId, Value>,
    /// Values that do, as the variables are now.
    now: FxHashMap<ExprId, Value>,
    /// Recursive groups around, with the values of their variables so far.
    variables: Vec<(FixId, Vec<Value>)>,
    /// Has a variable been looked at?
    hangs: bool,
}

impl Evaluation<'_> {
    fn value(&mut self, id: ExprId) -> Value {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        if let Some(now) = self.now.get(&id) {
            self.hangs = true;
            return *now;
        }
        let around = std::mem::replace(&mut self.hangs, false);
        let value = self.computed(id);
        let of = if self.hangs { &mut self.now } else { &mut self.known };
        of.insert(id, value);
        self.hangs |= around;
        value
    }

    fn computed(&mut self, id: ExprId) -> Value {
        let (sketch, pool) = (self.sketch, self.pool);
        let n = sketch.n();
        let all = || sketch.of(|_, _| Known::Yes);
        let diagonal = || sketch.base("id");
        match pool.expr(id) {
            Expr::Base(Base::Fw, Sort::Set) => sketch.anything(),
            Expr::Base(base, Sort::Set) => sketch.set(|event| sketch.member(event, base.name())),
            Expr::Base(base, _) => sketch.base(base.name()),
            Expr::Choice(_, Sort::Rel) => sketch.coherence(),
            Expr::Choice(..) | Expr::Interp(..) => sketch.anything(),
            Expr::FixVar(fix, index, _) => {
                self.hangs = true;
                let group = self.variables.iter().rev().find(|(group, _)| group == fix);
                group.map_or_else(|| sketch.anything(), |(_, values)| values[*index as usize])
            }
            Expr::Fix(fix, index, _) => {
                let bodies = pool.fix(*fix).bodies.clone();
                if !pool.fix_is_monotone(*fix) {
                    return sketch.anything();
                }
                let nothing = Value { n, must: 0, may: 0, new: false };
                self.variables.push((*fix, vec![nothing; bodies.len()]));
                loop {
                    self.now.clear();
                    let next: Vec<Value> = bodies.iter().map(|body| self.value(*body)).collect();
                    let Some(last) = self.variables.last_mut() else { return sketch.anything() };
                    if last.1 == next {
                        break;
                    }
                    last.1 = next;
                }
                self.now.clear();
                let values = self.variables.pop().map(|(_, values)| values).unwrap_or_default();
                // What hangs on no variable around it is closed.
                self.hangs &= !self.variables.is_empty();
                values.get(*index as usize).copied().unwrap_or_else(|| sketch.anything())
            }
            Expr::Empty(_) => Value { n, must: 0, may: 0, new: false },
            Expr::Universe(Sort::Set) | Expr::Id => diagonal(),
            Expr::Universe(_) => all(),
            Expr::Union(children) => {
                let values = children.iter().map(|child| self.value(*child));
                values.fold(Value { n, must: 0, may: 0, new: false }, |a, b| Value {
                    n,
                    must: a.must | b.must,
                    may: a.may | b.may,
                    new: a.new || b.new,
                })
            }
            Expr::Inter(a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                Value { n, must: a.must & b.must, may: a.may & b.may, new: a.new || b.new }
            }
            Expr::Diff(a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                sketch.minus(&a, &b)
            }
            Expr::Compl(a) => {
                let a = self.value(*a);
                sketch.minus(&if pool.sort(id) == Sort::Set { diagonal() } else { all() }, &a)
            }
            Expr::Seq(children) => self.sequence(children),
            Expr::Inverse(a) => self.value(*a).inverse(),
            Expr::Product(a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                let pairs = |left: u32, right: u32| {
                    let mut pairs = 0;
                    for x in 0..n {
                        for y in 0..n {
                            if left >> (x * n + x) & 1 == 1 && right >> (y * n + y) & 1 == 1 {
                                pairs |= 1 << (x * n + y);
                            }
                        }
                    }
                    pairs
                };
                Value { n, must: pairs(a.must, b.must), may: pairs(a.may, b.may), new: a.new || b.new }
            }
            Expr::ToId(a) => self.value(*a),
            Expr::Domain(a) => self.value(*a).domain(),
            Expr::Range(a) => self.value(*a).inverse().domain(),
            Expr::Opt(a) => self.value(*a).or(&diagonal()),
            Expr::Plus(a) => self.value(*a).closed(),
            Expr::Star(a) => self.value(*a).closed().or(&diagonal()),
            Expr::ByValues(_, a) => {
                let a = self.value(*a);
                Value { must: 0, ..a }
            }
        }
    }

    fn sequence(&mut self, children: &[ExprId]) -> Value {
        let (sketch, pool) = (self.sketch, self.pool);
        let mut result: Option<Value> = None;
        let mut at = 0;
        while at < children.len() {
            let mut value = self.value(children[at]);
            if sketch.is_extension && below_inverse_rf(pool, children[at]) {
                let filters = children[at + 1..]
                    .iter()
                    .take_while(|child| matches!(pool.expr(**child), Expr::ToId(_)))
                    .count();
                if children.get(at + 1 + filters).is_some_and(|child| below_co(pool, *child)) {
                    value = sketch.overwritten();
                    at += 1 + filters;
                }
            }
            result = Some(match result {
                None => value,
                Some(before) => before.then(&value),
            });
            at += 1;
        }
        result.unwrap_or_else(|| sketch.anything())
    }
}

impl Value {
    pub fn may_have(&self, a: usize, b: usize) -> bool {
        self.may >> (a * self.n + b) & 1 == 1
    }

    pub fn must_have(&self, a: usize, b: usize) -> bool {
        self.must >> (a * self.n + b) & 1 == 1
    }

    fn or(&self, other: &Value) -> Value {
        Value {
            n: self.n,
            must: self.must | other.must,
            may: self.may | other.may,
            new: self.new || other.new,
        }
    }

    fn inverse(&self) -> Value {
        let n = self.n;
        let turned = |bits: u32| {
            let mut turned = 0;
            for a in 0..n {
                for b in 0..n {
                    if bits >> (a * n + b) & 1 == 1 {
                        turned |= 1 << (b * n + a);
                    }
                }
            }
            turned
        };
        Value { n, must: turned(self.must), may: turned(self.may), new: self.new }
    }

    fn domain(&self) -> Value {
        let n = self.n;
        let sources = |bits: u32| {
            let some = |a: usize| (0..n).any(|b| bits >> (a * n + b) & 1 == 1);
            (0..n).filter(|a| some(*a)).fold(0, |set, a| set | 1 << (a * n + a))
        };
        // Another event that has an edge to a new one was perhaps not there before.
        let new = self.new || (1..n).any(|b| self.may_have(OTHERS, b));
        Value { n, must: sources(self.must), may: sources(self.may), new }
    }

    fn then(&self, next: &Value) -> Value {
        let n = self.n;
        let product = |left: u32, right: u32| {
            let mut product = 0;
            for a in 0..n {
                for b in 0..n {
                    let through = |m: usize| left >> (a * n + m) & 1 == 1 && right >> (m * n + b) & 1 == 1;
                    if (0..n).any(through) {
                        product |= 1 << (a * n + b);
                    }
                }
            }
            product
        };
        let around = (1..n).any(|m| self.may_have(OTHERS, m) && next.may_have(m, OTHERS));
        Value {
            n,
            must: product(self.must, next.must),
            may: product(self.may, next.may),
            new: self.new || next.new || around,
        }
    }

    /// The closure.
    pub fn closed(&self) -> Value {
        let mut closed = *self;
        loop {
            let next = closed.or(&closed.then(&closed));
            if next == closed {
                return closed;
            }
            closed = next;
        }
    }
}
