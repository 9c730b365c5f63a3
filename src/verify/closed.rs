//! Executions with a cycle of program order and `rf`, which do not grow.
//!
//! Where `main` only starts threads, waits for them, and looks at what they left, the threads between make a closed program: what `main` did before is where it begins. The engine for tests
//! goes through its paths and finds those executions (`grow::residual`). What `main` does afterwards is run once for each end that they leave: threads that only write what was left
//! take the place of the real ones.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::beside;
use super::check::{Part, Wanted};
use super::cyclic::{Cyclic, Left};
use super::run::{Kind, Settings, Violation, searched};
use super::trace;
use crate::arch::ArchId;
use crate::condition::{Condition, Observable, Prop, Quantifier};
use crate::diag::Diagnostic;
use crate::execution;
use crate::explore::{self, Request, each_execution};
use crate::grow::{self, Ended, Execution, Found, Visitor};
use crate::limits::{self, Budget, Stopped};
use crate::litmus::Lowered;
use crate::model::Model;
use crate::outcome::Completeness;
use crate::program::{
    AccessSize, BinOp, Extra, Instr, LocId, Op, Port, Program, Property, Reg, Start, Sym, Thread, Tmp, Value,
    any_op, each_op,
};
use crate::source::Span;

/// Loops of the threads run so often without a bound of the user's.
const UNROLL: u32 = 2;

/// So long is looked for, where the user gives no time.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is known of the executions with a cycle.
pub(super) enum Rest {
    /// None violates anything.
    Safe,
    /// None within so many rounds of loops; those that were cut.
    UpTo(u32, Vec<Span>),
    /// One does.
    Violated(Box<Violation>),
    /// They were not looked at, all of them, and why.
    Unknown(String),
    /// A limit was reached.
    Stopped(Stopped),
}

/// Looks for a violating execution with a cycle.
///
/// # Errors
/// A run-time error of the model.
pub(super) fn rest(program: &Program, model: &Model, settings: &Settings) -> Result<Rest, Diagnostic> {
    let why = match Closed::of(program, model, settings) {
        Ok(closed) => return looked(&closed),
        Err(why) => why,
    };
    let Some(beside) = beside::apart(program) else { return Ok(Rest::Unknown(why)) };
    let closed = match Closed::of(&beside.program, model, settings) {
        Ok(closed) => closed,
        Err(why) => return Ok(Rest::Unknown(why)),
    };
    let last = closed.children.last().is_some_and(|child| child.code == beside.code());
    if !last {
        return Ok(Rest::Unknown(why));
    }
    Ok(match looked(&closed)? {
        Rest::Violated(violation) => Rest::Violated(Box::new(beside.told(*violation, closed.children.len()))),
        other => other,
    })
}

fn looked(closed: &Closed) -> Result<Rest, Diagnostic> {
    let outer = limits::current();
    let deadline = outer.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
    let budget = Budget { deadline: Some(deadline), ..outer };
    match budget.run(|| closed.search()) {
        Ok(rest) => rest,
        Err(_) => Ok(out_of_time()),
    }
}

fn out_of_time() -> Rest {
    match limits::look() {
        Some(why) => Rest::Stopped(why),
        None => Rest::Unknown(format!("{} s were not enough for them", PATIENCE.as_secs())),
    }
}

/// A thread that `main` starts.
struct Child {
    code: usize,
    /// Where it finds its own handle, and that.
    own: Reg,
    handle: Value,
    /// Its registers at its start.
    regs: Vec<(Reg, Value)>,
}

struct Closed<'p> {
    program: &'p Program,
    model: &'p Model,
    settings: &'p Settings,
    children: Vec<Child>,
    /// The threads alone.
    inner: Program,
    /// Can a thread wait in it for what never comes?
    waits: bool,
}

type Why<T> = Result<T, String>;

impl<'p> Closed<'p> {
    fn of(program: &'p Program, model: &'p Model, settings: &'p Settings) -> Why<Closed<'p>> {
        let wanted = Wanted::of(program);
        let ignored = |kind: Kind| settings.ignore.contains(&kind);
        if wanted.locks && !ignored(Kind::Lock) {
            return Err("errors with locks are not looked for in them".to_string());
        }
        if wanted.sections {
            return Err("the program has parts that nothing may come between".to_string());
        }
        let alone = Alone::of(program, model)?;
        let mut inner = program.clone();
        for (cell, value) in alone.left {
            inner.locations[cell].init = value;
        }
        let children = alone.children;
        inner.threads = children.iter().map(|child| thread_of(&program.threads[child.code])).collect();
        inner.init_regs =
            (0..).zip(&children).flat_map(|(n, c)| c.regs.iter().map(move |(r, v)| (n, *r, *v))).collect();
        let values = || {
            let cells = inner.locations.iter().map(|location| location.init);
            cells.chain(inner.init_regs.iter().map(|(_, _, value)| *value))
        };
        if values().any(|value| symbol(value).is_some_and(|sym| usize::from(sym.0) >= program.symbols.len()))
        {
            return Err("threads are handed objects that `main` made".to_string());
        }
        // What `main` works on while they run must be its own.
        let given: Vec<Sym> = values().filter_map(symbol).collect();
        let names = |sym: Sym, thread: &Thread| {
            let is = |op: &Op| matches!(op, Op::Const { value, .. } if symbol(*value) == Some(sym));
            given.contains(&sym) || thread.code.iter().any(|instr| any_op(&instr.ops, is))
        };
        if alone.own.iter().any(|own| {
            let sym = program.locations[own.cell].sym;
            own.beside.iter().any(|child| names(sym, &inner.threads[*child]))
        }) {
            return Err("`main` works on what the threads work on, too".to_string());
        }
        let waits = |instr: &Instr| any_op(&instr.ops, |op| matches!(op, Op::Await { .. }));
        let waits = inner.threads.iter().any(|thread| thread.code.iter().any(waits));
        let waits = waits && !(ignored(Kind::Deadlock) && ignored(Kind::Liveness));
        Ok(Closed { program, model, settings, children, inner, waits })
    }

    fn search(&self) -> Result<Rest, Diagnostic> {
        let mut shown: Vec<Observable> = Vec::new();
        shown.extend((0..self.inner.locations.len()).map(|cell| Observable::Loc(LocId(cell as u16))));
        for (number, child) in self.children.iter().enumerate() {
            let result = self.program.threads[child.code].result;
            shown.extend(result.map(|reg| Observable::Reg(number as u16, reg)));
        }
        let unroll = self.settings.unroll.unwrap_or(UNROLL);
        let options = explore::Options { unroll, ..explore::Options::default() };
        let model = grow::residual(self.model);
        let test = self.test(self.inner.clone(), shown);
        let mut seen: FxHashSet<Vec<Value>> = FxHashSet::default();
        let mut found: Option<Result<Violation, Diagnostic>> = None;
        let mut see = |execution: execution::Execution| {
            if !seen.insert(execution.state.clone()) {
                return ControlFlow::Continue(());
            }
            found = self.afterwards(&execution).transpose();
            if found.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let outcome = match each_execution(&test, &model, None, &options, &Request::all(), &mut see) {
            Ok(outcome) => outcome,
            Err(why) if why.code == "program::not-closed" => {
                let what = "objects that threads make (by `malloc`, or as variables whose address is taken) have no place there";
                return Ok(Rest::Unknown(what.to_string()));
            }
            Err(why) => return Ok(Rest::Unknown(why.message)),
        };
        if let Some(found) = found {
            return found.map(|violation| Rest::Violated(Box::new(violation)));
        }
        if let Some(violation) = outcome.violations.iter().find(|v| !v.property.is_caution()) {
            return Ok(match self.inside(violation, &model, &options)? {
                Some(violation) => Rest::Violated(Box::new(violation)),
                None => Rest::Unknown(format!("there may be a {} in them", violation.property)),
            });
        }
        if outcome.undefined && !self.settings.ignore.contains(&Kind::Race) {
            let violation =
                Violation { property: Property::Race, parts: Vec::new(), executions: 1, trace: Vec::new() };
            return Ok(Rest::Violated(Box::new(violation)));
        }
        let cuts: Vec<Span> = outcome.cuts.iter().map(|cut| cut.span).collect();
        Ok(match outcome.completeness {
            _ if self.waits => {
                Rest::Unknown("threads that wait for ever are not looked for in them".to_string())
            }
            Completeness::Complete | Completeness::Bounded if cuts.is_empty() => Rest::Safe,
            Completeness::Complete | Completeness::Bounded => Rest::UpTo(unroll, cuts),
            _ => out_of_time(),
        })
    }

    fn test(&self, program: Program, shown: Vec<Observable>) -> Lowered {
        let condition = Condition { quantifier: Quantifier::Exists, prop: Prop::True };
        Lowered::for_program(ArchId::C, program, condition, shown)
    }

    /// What `main` violates after the threads have left this.
    fn afterwards(&self, execution: &execution::Execution) -> Result<Option<Violation>, Diagnostic> {
        let cyclic = Cyclic::new(execution, self.program, &self.codes());
        let program = self.with_ends(execution, &cyclic);
        let (answer, _) = searched(&program, self.model, self.settings)?;
        let Some(mut violation) = answer.violations.into_iter().next() else { return Ok(None) };
        let (before, after): (Vec<_>, Vec<_>) = {
            let own: Vec<_> = violation.trace.into_iter().filter(|step| step.thread == "main").collect();
            let started =
                own.iter().rposition(|step| step.what.starts_with("starts ")).map_or(0, |at| at + 1);
            let mut own = own.into_iter();
            (own.by_ref().take(started).collect(), own.collect())
        };
        violation.trace = before.into_iter().chain(cyclic.steps()).chain(after).collect();
        Ok(Some(violation))
    }

    /// The program with threads that only write what the execution leaves.
    fn with_ends(&self, execution: &execution::Execution, cyclic: &Cyclic) -> Program {
        let mut program = self.program.clone();
        for (code, thread) in program.threads.iter_mut().enumerate().skip(1) {
            if thread.start == Start::Spawned {
                let Some(place) = thread.code.first().map(|instr| instr.span) else { continue };
                thread.code.clear();
                for (number, child) in self.children.iter().enumerate().filter(|(_, c)| c.code == code) {
                    let result = thread.result.map(|reg| (reg, self.result(execution, number)));
                    thread.code.extend(ends(child, &cyclic.left(number as u16), result, place));
                }
            }
        }
        program
    }

    /// The result of a thread: results come after all cells in what is shown.
    fn result(&self, execution: &execution::Execution, number: usize) -> Value {
        let has = |child: &&Child| self.program.threads[child.code].result.is_some();
        let at = self.inner.locations.len() + self.children[..number].iter().filter(has).count();
        execution.state.get(at).copied().unwrap_or(Value::ZERO)
    }

    /// A violation by a thread itself, with an execution in which the thread ends there.
    fn inside(
        &self,
        found: &execution::Violation,
        model: &Model,
        options: &explore::Options,
    ) -> Result<Option<Violation>, Diagnostic> {
        for number in 0..self.children.len() {
            let mut program = self.inner.clone();
            let own = program.threads[number].code.iter_mut().filter(|instr| instr.span == found.place);
            if own.map(|instr| fails(instr, &found.property)).filter(|fails| *fails).count() == 0 {
                continue;
            }
            let test = self.test(program, Vec::new());
            let request = Request { limit: Some(1), ..Request::all() };
            let (executions, _) = explore::executions(&test, model, options, &request)?;
            let Some(execution) = executions.first() else { continue };
            let part = Part {
                thread: trace::name(Some((self.program.threads.len() + number) as u16), self.program),
                span: found.place,
                text: String::new(),
                does: String::new(),
            };
            let trace = Cyclic::new(execution, self.program, &self.codes()).steps();
            let property = found.property.clone();
            return Ok(Some(Violation { property, parts: vec![part], executions: 1, trace }));
        }
        Ok(None)
    }

    fn codes(&self) -> Vec<u16> {
        self.children.iter().map(|child| child.code as u16).collect()
    }
}

/// Has the assertion of an instruction fail, and the thread end there. Is there one?
fn fails(instr: &mut Instr, property: &Property) -> bool {
    let at = instr.ops.iter().position(|op| matches!(op, Op::Assert { property: of, .. } if of == property));
    let Some(at) = at else { return false };
    let Op::Assert { cond, .. } = instr.ops[at] else { return false };
    let [zero, not] = fresh(&instr.ops);
    instr.ops.truncate(at);
    instr.ops.push(Op::Const { dst: zero, value: Value::ZERO });
    instr.ops.push(Op::Binary { dst: not, op: BinOp::Eq, a: cond, b: zero });
    instr.ops.push(Op::Assume { cond: not });
    instr.ops.push(Op::Stop);
    true
}

/// `main` by itself: the threads that it starts do nothing.
struct Alone {
    children: Vec<Child>,
    /// What it writes into cells that have a name before it starts them.
    left: Vec<(usize, Value)>,
    /// Cells that have a name, and that it accesses while they run.
    own: Vec<Own>,
}

/// An access of `main` to a cell that has a name, beside these threads.
struct Own {
    cell: usize,
    beside: Vec<usize>,
}

impl Alone {
    fn of(program: &Program, model: &Model) -> Why<Alone> {
        let mut hollow = program.clone();
        for thread in hollow.threads.iter_mut().filter(|thread| thread.start == Start::Spawned) {
            thread.code.clear();
        }
        let mut visitor = Look { program, seen: 0, found: None };
        let options = grow::Options { unroll: u32::MAX - 1, properties: true, ..grow::Options::default() };
        grow::explore(&hollow, model, &options, &mut visitor).map_err(|why| why.message)?;
        match visitor.found {
            _ if visitor.seen > 1 => Err("`main` may go several ways by itself".to_string()),
            Some(alone) => alone,
            None => Err("`main` does not come to an end by itself".to_string()),
        }
    }

    fn read(program: &Program, execution: &dyn Execution) -> Why<Alone> {
        let events: Vec<_> = (0..execution.n_events()).filter_map(|n| execution.event(n)).collect();
        let own = || events.iter().filter(|event| event.thread == Some(0));
        let mut alone = Alone { children: Vec::new(), left: Vec::new(), own: Vec::new() };
        let mut joined = 0;
        // Threads that were started and not waited for yet, by their own numbers.
        let mut running: Vec<(u16, usize)> = Vec::new();
        let starts = own().filter(|event| event.spawns.is_some()).count();
        for event in own() {
            if event.spawns.is_some() && joined > 0 {
                return Err("`main` starts threads after it has waited for others".to_string());
            }
            joined += usize::from(event.joins.is_some());
            running.retain(|(child, _)| event.joins != Some(*child));
            let known = event.cell.map(usize::from).filter(|cell| *cell < program.locations.len());
            match (event.spawns, known) {
                (Some(child), _) => {
                    let (code, own) = started(program, event.code, event.pc)?;
                    let register = |reg: Reg| execution.register(usize::from(child), reg).ok();
                    let handle = register(own).unwrap_or(Value::ZERO);
                    // All of them are given: what was never written is found where executions grow.
                    let regs = (0..program.regs.len()).map(|reg| Reg(reg as u16));
                    let regs = regs.filter_map(|reg| Some((reg, register(reg)?)));
                    running.push((child, alone.children.len()));
                    alone.children.push(Child { code, own, handle, regs: regs.collect() });
                }
                (None, Some(cell)) if alone.children.is_empty() => {
                    if let Some(value) = event.written {
                        alone.left.retain(|(other, _)| *other != cell);
                        alone.left.push((cell, value));
                    }
                }
                (None, Some(cell)) if joined < starts => {
                    alone.own.push(Own { cell, beside: running.iter().map(|(_, child)| *child).collect() });
                }
                _ => {}
            }
        }
        if joined < starts {
            return Err("`main` does not wait for all threads".to_string());
        }
        Ok(alone)
    }
}

/// The code that an instruction starts a thread with, and where that thread finds its handle.
fn started(program: &Program, code: u16, pc: u32) -> Why<(usize, Reg)> {
    let instr = &program.threads[usize::from(code)].code[pc as usize];
    let mut started = Vec::new();
    each_op(&instr.ops, &mut |op| {
        if let Op::Spawn { code, own, .. } = op {
            started.push((*code, *own));
        }
    });
    match started.as_slice() {
        [started] => Ok(*started),
        _ => Err("one statement may start several threads".to_string()),
    }
}

struct Look<'p> {
    program: &'p Program,
    seen: usize,
    found: Option<Why<Alone>>,
}

impl Visitor for Look<'_> {
    fn execution(&mut self, ended: Ended, _: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        self.seen += 1;
        if matches!(ended, Ended::Complete | Ended::Violation(_)) {
            self.found = Some(Alone::read(self.program, execution));
        }
        if self.seen > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn look(&mut self) -> ControlFlow<()> {
        if limits::look().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.found = Some(Err(diagnostic.message));
        ControlFlow::Break(())
    }
}

/// A thread that is there from the start. A compare-exchange is one of two things.
fn thread_of(thread: &Thread) -> Thread {
    let mut thread = Thread { start: Start::Alone, ..thread.clone() };
    without_unused(&mut thread.code);
    for instr in &mut thread.code {
        let [equal, not] = fresh(&instr.ops);
        split(&mut instr.ops, equal, not);
    }
    thread
}

/// Leaves out objects that are made and come to their end, and that nobody looks at: thread-local ones of a header, most of the time.
fn without_unused(code: &mut [Instr]) {
    let is = |instr: &Instr, wanted: fn(&Op) -> bool| any_op(&instr.ops, wanted);
    let frees = |instr: &Instr| is(instr, |op| matches!(op, Op::Free { .. }));
    let mut used: Vec<Reg> = Vec::new();
    for instr in code.iter().filter(|instr| !frees(instr)) {
        each_op(&instr.ops, &mut |op| {
            if let Op::ReadReg { reg, .. } | Op::ReadRegWith { reg, .. } = op {
                used.push(*reg);
            }
        });
    }
    let mut unused: Vec<Reg> = Vec::new();
    for instr in code.iter_mut().filter(|instr| is(instr, |op| matches!(op, Op::Alloc { .. }))) {
        let mut written = Vec::new();
        each_op(&instr.ops, &mut |op| {
            if let Op::WriteReg { reg, .. } = op {
                written.push(*reg);
            }
        });
        if written.is_empty() || written.iter().any(|reg| used.contains(reg)) {
            continue;
        }
        unused.extend(written);
        for op in &mut instr.ops {
            if let Op::Alloc { dst, .. } = op {
                *op = Op::Const { dst: *dst, value: Value::ZERO };
            }
        }
    }
    for instr in code.iter_mut().filter(|instr| frees(instr)) {
        let of_these = |op: &Op| matches!(op, Op::ReadReg { reg, .. } if !unused.contains(reg));
        if !any_op(&instr.ops, of_these) {
            instr.ops.retain(|op| !matches!(op, Op::Free { .. }));
        }
    }
}

fn split(ops: &mut [Op], equal: Tmp, not: Tmp) {
    for op in ops {
        match op {
            Op::If { then, otherwise, .. } => {
                split(then, equal, not);
                split(otherwise, equal, not);
            }
            Op::Choice { branches } => branches.iter_mut().for_each(|branch| split(branch, equal, not)),
            Op::CompareExchange { dst, addr, expected, desired, size, sets, failure, extra } => {
                let same = Op::Binary { dst: equal, op: BinOp::Eq, a: *dst, b: *expected };
                let differ = Op::Binary { dst: not, op: BinOp::Ne, a: *dst, b: *expected };
                let succeeds = Op::Rmw {
                    dst: *dst,
                    addr: *addr,
                    ops: Vec::new(),
                    update: *desired,
                    size: *size,
                    sets: sets.clone(),
                    extra: extra.clone(),
                };
                let fails = Op::Load {
                    dst: *dst,
                    addr: *addr,
                    size: *size,
                    sets: failure.clone(),
                    extra: extra.clone(),
                };
                let succeeds = vec![succeeds, same, Op::Assume { cond: equal }];
                let fails = vec![fails, differ, Op::Assume { cond: not }];
                *op = Op::Choice { branches: vec![succeeds, fails] };
            }
            _ => {}
        }
    }
}

/// Two temporaries that an instruction does not use yet.
fn fresh(ops: &[Op]) -> [Tmp; 2] {
    let mut most = 0;
    each_op(ops, &mut |op| {
        let (made, extra) = match op {
            Op::Const { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Taint { dst, .. }
            | Op::From { dst, .. }
            | Op::ReadReg { dst, .. } => (Some(*dst), None),
            Op::Nondet { dst, .. } | Op::Alloc { dst, .. } | Op::Spawn { dst, .. } => (Some(*dst), None),
            Op::ReadRegWith { dst, extra, .. }
            | Op::Load { dst, extra, .. }
            | Op::Rmw { dst, extra, .. }
            | Op::CompareExchange { dst, extra, .. } => (Some(*dst), Some(extra)),
            Op::WriteReg { extra, .. }
            | Op::Store { extra, .. }
            | Op::Fence { extra, .. }
            | Op::Other { extra, .. }
            | Op::Branch { extra, .. } => (None, Some(extra)),
            Op::Join { dst, .. } => (*dst, None),
            _ => (None, None),
        };
        let made = made.into_iter().chain(extra.and_then(|extra| extra.done));
        most = made.fold(most, |most, tmp| most.max(tmp.0));
    });
    [Tmp(most + 1), Tmp(most + 2)]
}

/// What a thread does that only leaves something: one store for each cell that it wrote last, and its result.
fn ends(child: &Child, writes: &[Left], result: Option<(Reg, Value)>, place: Span) -> Vec<Instr> {
    let [own, handle, is_own, at, value] = [0, 1, 2, 3, 4].map(Tmp);
    // Threads of the same code are told apart by their handles.
    let only_this = |then: Vec<Op>| {
        vec![
            Op::ReadReg { dst: own, reg: child.own, port: Port::None },
            Op::Const { dst: handle, value: child.handle },
            Op::Binary { dst: is_own, op: BinOp::Eq, a: own, b: handle },
            Op::If { cond: is_own, then, otherwise: Vec::new() },
        ]
    };
    let stores = writes.iter().map(|left| {
        let size = AccessSize(left.size);
        let ops = vec![
            Op::Const { dst: at, value: left.address },
            Op::Const { dst: value, value: left.value },
            Op::Store { addr: at, value, size, sets: Vec::new(), extra: Extra::default() },
        ];
        Instr { text: left.text.clone(), span: left.span, ops: only_this(ops) }
    });
    let result = result.map(|(reg, of)| {
        let ops = vec![
            Op::Const { dst: value, value: of },
            Op::WriteReg { reg, src: value, extra: Extra::default() },
        ];
        Instr { text: String::new(), span: place, ops: only_this(ops) }
    });
    stores.chain(result).collect()
}

/// The object that a value leads to.
fn symbol(value: Value) -> Option<Sym> {
    match value {
        Value::Addr { sym, .. } => Some(sym),
        _ => None,
    }
}
