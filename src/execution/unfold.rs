//! The thread interpreter: runs the micro-ops of one thread symbolically and finds all its paths.
//!
//! A path forks where the program does not know yet what to do (a branch on a value read, an address read from memory,
//! a store-conditional); each fork remembers what it assumes, and one that contradicts itself is dropped at once.

use crate::arch::ArchId;
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, Extra, Instr, LocId, Op, Program, Reg, SetName, Target, Tmp, Value};

use super::path::Path;
use super::{Cut, Event, EventKind, SymVal};

/// More executed instructions than this on one path of a thread: it does not end.
const MAX_STEPS: u32 = 10_000;

/// All paths of one thread, in a fixed order.
///
/// # Errors
/// A loop that does not end.
pub(super) fn paths(program: &Program, thread: usize, unroll: u32) -> Result<Vec<Path>, Diagnostic> {
    let mut regs = vec![(SymVal::ZERO, None); program.regs.len()];
    for (_, reg, value) in program.init_regs.iter().filter(|(t, ..)| *t == thread) {
        regs[reg.0 as usize].0 = SymVal::Known(*value);
    }
    let start = State {
        code: thread,
        pc: 0,
        frames: Vec::new(),
        instance: 0,
        started: false,
        tmps: Vec::new(),
        regs,
        next: None,
        reserved: None,
        jumps: Vec::new(),
        loops: Vec::new(),
        condition: Vec::new(),
        conditions: Vec::new(),
        saved: Vec::new(),
        path: Path::default(),
    };
    let mut unfolding = Unfolding { program, thread, unroll, waiting: vec![start], done: Vec::new() };
    while let Some(state) = unfolding.waiting.pop() {
        unfolding.run(state)?;
    }
    Ok(unfolding.done)
}

/// A temporary: its value and the events that the value comes from.
#[derive(Clone)]
struct Temp {
    value: SymVal,
    sources: Vec<u32>,
}

/// A list of micro-ops being run.
#[derive(Clone)]
struct Frame<'p> {
    ops: &'p [Op],
    at: usize,
    /// For a branch of an [`Op::If`]: the sources of its condition, and the number of events when it was entered.
    guard: Option<(Vec<u32>, u32)>,
    /// Was the condition of that branch a known constant?
    constant: bool,
}

/// Where a path is.
#[derive(Clone)]
struct State<'p> {
    /// The thread whose code is run: its own, unless it jumped elsewhere.
    code: usize,
    pc: usize,
    /// Innermost last; empty between instructions.
    frames: Vec<Frame<'p>>,
    /// Number of the instruction instance being run.
    instance: u32,
    /// Has the first instruction been started?
    started: bool,
    tmps: Vec<Option<Temp>>,
    /// Value and last write event of each register.
    regs: Vec<(SymVal, Option<u32>)>,
    /// Where to go after this instruction, if not to the next one.
    next: Option<(usize, usize)>,
    /// The address of the last load-reserve.
    reserved: Option<SymVal>,
    /// Backward jumps taken, by target.
    jumps: Vec<((usize, usize), u32)>,
    /// Passes through structured loops.
    loops: Vec<(u32, u32)>,
    /// Where each condition being evaluated starts, among the events: one may be inside another.
    condition: Vec<u32>,
    /// Events of the conditions in force.
    conditions: Vec<Vec<u32>>,
    /// How many were in force at each `ControlSave`.
    saved: Vec<(u32, usize)>,
    path: Path,
}

impl State<'_> {
    fn n_events(&self) -> u32 {
        self.path.events.len() as u32
    }
}

/// What becomes of a path after one micro-op.
enum Flow {
    /// It goes on.
    On,
    /// It is over (finished, or contradictory); nothing is left to do.
    Over,
}

struct Unfolding<'p> {
    program: &'p Program,
    thread: usize,
    unroll: u32,
    /// Paths still to be followed; the last one first.
    waiting: Vec<State<'p>>,
    done: Vec<Path>,
}

impl<'p> Unfolding<'p> {
    fn bits(&self) -> u32 {
        self.program.bits
    }

    /// Follows one path to its end; its forks wait.
    fn run(&mut self, mut state: State<'p>) -> Result<(), Diagnostic> {
        loop {
            match state.frames.last_mut() {
                None => {
                    if !self.next_instruction(&mut state)? {
                        self.finish(state);
                        return Ok(());
                    }
                }
                Some(frame) if frame.at == frame.ops.len() => {
                    state.frames.pop();
                }
                Some(frame) => {
                    let op = &frame.ops[frame.at];
                    frame.at += 1;
                    if let Flow::Over = self.op(&mut state, op)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Moves to the next instruction; `false` at the end of the thread.
    fn next_instruction(&mut self, state: &mut State<'p>) -> Result<bool, Diagnostic> {
        if state.started {
            (state.code, state.pc) = state.next.take().unwrap_or((state.code, state.pc + 1));
            state.instance += 1;
        }
        state.started = true;
        let Some(instr) = self.program.threads[state.code].code.get(state.pc) else { return Ok(false) };
        if state.instance >= MAX_STEPS {
            return Err(Diagnostic::unsupported(
                "program::endless-loop",
                format!("thread P{} does not end within {MAX_STEPS} instructions", self.thread),
            )
            .at(instr.span, "still running here"));
        }
        state.tmps.clear();
        state.frames.push(Frame { ops: &instr.ops, at: 0, guard: None, constant: false });
        Ok(true)
    }

    fn instr(&self, state: &State) -> &'p Instr {
        &self.program.threads[state.code].code[state.pc]
    }

    fn finish(&mut self, mut state: State<'p>) {
        let regs = state.regs.into_iter().enumerate();
        state.path.final_regs = regs
            .filter(|(_, (value, writer))| writer.is_some() || *value != SymVal::ZERO)
            .map(|(reg, (value, _))| (Reg(reg as u16), value))
            .collect();
        self.done.push(state.path);
    }

    /// The path cannot go on, and an execution that takes it has no answer.
    fn fail(&mut self, state: &mut State<'p>, diagnostic: Diagnostic) -> Flow {
        let mut failed = state.clone();
        failed.path.error = Some(diagnostic);
        self.finish(failed);
        Flow::Over
    }

    fn cut(&mut self, state: &mut State<'p>, label: String) -> Flow {
        let span = self.instr(state).span;
        self.event(state, EventKind::Other, None, None, vec![SetName::Borrowed("CutOff")]);
        let mut over = state.clone();
        over.path.cut = Some(Cut { thread: self.thread, label, span });
        self.finish(over);
        Flow::Over
    }

    fn temp<'a>(&self, state: &'a State<'p>, tmp: Tmp) -> Result<&'a Temp, Diagnostic> {
        state.tmps.get(tmp.0 as usize).and_then(Option::as_ref).ok_or_else(|| {
            Diagnostic::unsupported(
                "program::unset-temporary",
                "internal error: this instruction uses a value that it has not computed",
            )
            .at(self.instr(state).span, "here")
        })
    }

    fn sources(&self, state: &State<'p>, tmps: &[Tmp]) -> Result<Vec<u32>, Diagnostic> {
        let mut all = Vec::new();
        for tmp in tmps {
            all.extend_from_slice(&self.temp(state, *tmp)?.sources);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn set(state: &mut State<'p>, tmp: Tmp, value: SymVal, sources: Vec<u32>) {
        let index = tmp.0 as usize;
        if state.tmps.len() <= index {
            state.tmps.resize(index + 1, None);
        }
        state.tmps[index] = Some(Temp { value, sources });
    }

    /// Makes an event, without edges.
    fn event(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        loc: Option<LocId>,
        value: Option<SymVal>,
        sets: Vec<SetName>,
    ) -> u32 {
        let id = state.n_events();
        for condition in &state.conditions {
            state.path.control.extend(condition.iter().map(|from| (*from, id)));
        }
        state.path.events.push(Event {
            thread: Some(self.thread as u16),
            instance: state.instance,
            pc: state.pc as u32,
            code: state.code as u16,
            kind,
            loc,
            size: None,
            value,
            written: None,
            sets,
        });
        id
    }

    /// Gives an event its incoming edges: data from `data`, what `extra` asks for, and control from the enclosing branches.
    fn edges(&self, state: &mut State<'p>, id: u32, data: &[u32], extra: &Extra) -> Result<(), Diagnostic> {
        let more = self.sources(state, &extra.data)?;
        let mut ctrl = self.sources(state, &extra.ctrl)?;
        let order = self.sources(state, &extra.order)?;
        let mut before: Vec<u32> = Vec::new();
        let mut all_data = [data, more.as_slice()].concat();
        all_data.sort_unstable();
        all_data.dedup();
        before.extend(all_data.iter().chain(&ctrl).chain(&order));
        for frame in state.frames.iter().rev() {
            if let Some((sources, entered)) = &frame.guard {
                // Causes inside the branch pass its condition on; only what starts there hangs on it directly.
                if !before.iter().any(|from| from >= entered) {
                    ctrl.extend_from_slice(sources);
                    before.extend_from_slice(sources);
                }
            }
        }
        ctrl.sort_unstable();
        ctrl.dedup();
        state.path.iico_data.extend(all_data.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state.path.iico_ctrl.extend(ctrl.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state.path.iico_order.extend(order.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        if let Some(done) = extra.done {
            Self::set(state, done, SymVal::ZERO, vec![id]);
        }
        Ok(())
    }

    /// Runs one micro-op.
    fn op(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, port } => {
                let (value, writer) = state.regs[reg.0 as usize].clone();
                let id =
                    self.event(state, EventKind::RegRead(*reg, *port), None, Some(value.clone()), vec![]);
                self.edges(state, id, &[], &Extra::default())?;
                if let Some(writer) = writer {
                    state.path.rf_reg.push((writer, id));
                }
                Self::set(state, *dst, value, vec![id]);
            }
            Op::WriteReg { reg, src, extra } => {
                let Temp { value, sources } = self.temp(state, *src)?.clone();
                let id = self.event(state, EventKind::RegWrite(*reg), None, Some(value.clone()), vec![]);
                self.edges(state, id, &sources, extra)?;
                state.regs[reg.0 as usize] = (value, Some(id));
            }
            Op::Load { dst, addr, size, sets, extra } => {
                let Some(loc) = self.cell(state, *addr, op)? else { return Ok(Flow::Over) };
                if let Some(diagnostic) = self.wrong_size(state, loc, *size) {
                    return Ok(self.fail(state, diagnostic));
                }
                let sources = self.sources(state, &[*addr])?;
                let id = state.n_events();
                self.event(state, EventKind::Read, Some(loc), Some(SymVal::Read(id)), sets.clone());
                state.path.events[id as usize].size = Some(size.0);
                state.path.addr_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &sources, extra)?;
                Self::set(state, *dst, SymVal::Read(id), vec![id]);
            }
            Op::Store { addr, value, size, sets, extra } => {
                let Some(loc) = self.cell(state, *addr, op)? else { return Ok(Flow::Over) };
                if let Some(diagnostic) = self.wrong_size(state, loc, *size) {
                    return Ok(self.fail(state, diagnostic));
                }
                let from_addr = self.sources(state, &[*addr])?;
                let Temp { value, sources } = self.temp(state, *value)?.clone();
                let id = self.event(state, EventKind::Write, Some(loc), Some(value), sets.clone());
                state.path.events[id as usize].size = Some(size.0);
                state.path.addr_in.extend(from_addr.iter().map(|from| (*from, id)));
                state.path.data_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &[from_addr, sources].concat(), extra)?;
            }
            Op::Rmw { dst, addr, ops, update, size, sets, extra } => {
                let Some(loc) = self.cell(state, *addr, op)? else { return Ok(Flow::Over) };
                if let Some(diagnostic) = self.wrong_size(state, loc, *size) {
                    return Ok(self.fail(state, diagnostic));
                }
                let from_addr = self.sources(state, &[*addr])?;
                let id = state.n_events();
                self.event(state, EventKind::Rmw, Some(loc), Some(SymVal::Read(id)), sets.clone());
                state.path.events[id as usize].size = Some(size.0);
                Self::set(state, *dst, SymVal::Read(id), vec![id]);
                for op in ops {
                    self.compute(state, op)?;
                }
                let Temp { value, mut sources } = self.temp(state, *update)?.clone();
                sources.retain(|from| *from != id);
                state.path.events[id as usize].written = Some(value);
                state.path.addr_in.extend(from_addr.iter().map(|from| (*from, id)));
                state.path.data_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &[from_addr, sources].concat(), extra)?;
            }
            Op::Fence { sets, extra } => {
                let id = self.event(state, EventKind::Fence, None, None, sets.clone());
                self.edges(state, id, &[], extra)?;
            }
            Op::Other { addr, sets, extra } => {
                let (loc, sources) = match addr {
                    Some(addr) => {
                        let Some(loc) = self.cell(state, *addr, op)? else { return Ok(Flow::Over) };
                        (Some(loc), self.sources(state, &[*addr])?)
                    }
                    None => (None, Vec::new()),
                };
                let id = self.event(state, EventKind::Other, loc, None, sets.clone());
                state.path.addr_in.extend(sources.iter().map(|from| (*from, id)));
                self.edges(state, id, &sources, extra)?;
            }
            Op::Branch { kind, cond, extra } => {
                let sources = match cond {
                    Some(cond) => self.sources(state, &[*cond])?,
                    None => Vec::new(),
                };
                let value = match cond {
                    Some(cond) => self.temp(state, *cond)?.value.clone(),
                    None => SymVal::ZERO,
                };
                let id = self.event(state, EventKind::Branch(*kind), None, None, vec![]);
                self.edges(state, id, &sources, extra)?;
                if let Some(done) = extra.done {
                    Self::set(state, done, value, vec![id]);
                }
            }
            Op::If { cond, then, otherwise } => return self.branch(state, *cond, then, otherwise),
            Op::Choice { branches } => {
                let Some((first, rest)) = branches.split_first() else { return Ok(Flow::Over) };
                for ops in rest.iter().rev() {
                    let mut other = state.clone();
                    other.frames.push(Frame { ops, at: 0, guard: None, constant: false });
                    self.waiting.push(other);
                }
                state.frames.push(Frame { ops: first, at: 0, guard: None, constant: false });
            }
            Op::Assume { cond } => {
                let cond = self.temp(state, *cond)?.value.clone();
                if !state.path.constraints.assume(&cond, true, bits) {
                    return Ok(Flow::Over);
                }
            }
            Op::Jump { target } => return self.jump(state, target, op),
            Op::Goto { pc } => state.next = Some((state.code, *pc)),
            Op::Stop => {
                self.finish(state.clone());
                return Ok(Flow::Over);
            }
            Op::Reserve { addr } => state.reserved = Some(self.temp(state, *addr)?.value.clone()),
            Op::Conditional { addr, then, otherwise } => {
                let addr = self.temp(state, *addr)?.value.clone();
                if let Some(reserved) = state.reserved.take() {
                    let same = SymVal::binary(BinOp::Eq, addr, reserved, bits);
                    let mut success = state.clone();
                    if success.path.constraints.assume(&same, true, bits) {
                        success.frames.push(Frame { ops: then, at: 0, guard: None, constant: false });
                        self.waiting.push(success);
                    }
                }
                state.frames.push(Frame { ops: otherwise, at: 0, guard: None, constant: false });
            }
            Op::LoopHead { id } => {
                let count = match state.loops.iter_mut().find(|(loop_id, _)| loop_id == id) {
                    Some((_, count)) => count,
                    None => {
                        state.loops.push((*id, 0));
                        &mut state.loops.last_mut().expect("just pushed").1
                    }
                };
                *count += 1;
                if *count > self.unroll {
                    return Ok(self.cut(state, "While".to_string()));
                }
            }
            Op::LoopEnter { id } => state.loops.retain(|(loop_id, _)| loop_id != id),
            Op::CondBegin => state.condition.push(state.n_events()),
            Op::CondEnd => {
                if let Some(start) = state.condition.pop() {
                    state.conditions.push((start..state.n_events()).collect());
                }
            }
            Op::ControlSave { id } => {
                state.saved.retain(|(saved, _)| saved != id);
                state.saved.push((*id, state.conditions.len()));
            }
            Op::ControlRestore { id } => {
                if let Some((_, count)) = state.saved.iter().find(|(saved, _)| saved == id) {
                    state.conditions.truncate(*count);
                }
            }
            Op::Unsupported { message } => {
                let diagnostic = Diagnostic::unsupported("program::unsupported", message.clone())
                    .at(self.instr(state).span, "an execution comes here");
                return Ok(self.fail(state, diagnostic));
            }
        }
        Ok(Flow::On)
    }

    /// The micro-ops that only compute.
    fn compute(&mut self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let (dst, value, sources) = match op {
            Op::Const { dst, value } => (*dst, SymVal::Known(*value), Vec::new()),
            Op::Unary { dst, op, a } => {
                let Temp { value, sources } = self.temp(state, *a)?.clone();
                (*dst, SymVal::unary(*op, value, bits), sources)
            }
            Op::Binary { dst, op, a, b } => {
                let left = self.temp(state, *a)?.value.clone();
                let right = self.temp(state, *b)?.value.clone();
                (*dst, SymVal::binary(*op, left, right, bits), self.sources(state, &[*a, *b])?)
            }
            Op::Taint { dst, a, also } => {
                let value = self.temp(state, *a)?.value.clone();
                (*dst, value, self.sources(state, &[&[*a], also.as_slice()].concat())?)
            }
            _ => {
                return Err(Diagnostic::unsupported(
                    "program::not-a-computation",
                    "internal error: only computations may stand in a read-modify-write",
                )
                .at(self.instr(state).span, "here"));
            }
        };
        Self::set(state, dst, value, sources);
        Ok(())
    }

    /// Forks on a condition, unless it is known.
    fn branch(
        &mut self,
        state: &mut State<'p>,
        cond: Tmp,
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        let Temp { value, sources } = self.temp(state, cond)?.clone();
        if let Some(diagnostic) = self.meaningless(state, &value) {
            return Ok(self.fail(state, diagnostic));
        }
        let constant = value.known().is_some();
        let frame = |ops, state: &State| Frame {
            ops,
            at: 0,
            guard: Some((sources.clone(), state.n_events())),
            constant,
        };
        match state.path.constraints.decide(&value, bits) {
            Some(true) => state.frames.push(frame(then, state)),
            Some(false) => state.frames.push(frame(otherwise, state)),
            None => {
                let mut other = state.clone();
                if other.path.constraints.assume(&value, false, bits) {
                    other.frames.push(frame(otherwise, state));
                    self.waiting.push(other);
                }
                if !state.path.constraints.assume(&value, true, bits) {
                    return Ok(Flow::Over);
                }
                state.frames.push(frame(then, state));
            }
        }
        Ok(Flow::On)
    }

    /// A value that depends on no read and yet is not known: an operation in it has no meaning.
    fn meaningless(&self, state: &State<'p>, value: &SymVal) -> Option<Diagnostic> {
        let illegal = value.eval(&[], self.bits()).err()?;
        Some(
            Diagnostic::error("program::illegal-operation", illegal.describe(self.program))
                .at(self.instr(state).span, "computed or used here"),
        )
    }

    /// The cell that an access goes to. `None`: the path is over, or has been forked over all cells.
    fn cell(&mut self, state: &mut State<'p>, addr: Tmp, op: &'p Op) -> Result<Option<LocId>, Diagnostic> {
        let bits = self.bits();
        let Temp { value, sources } = self.temp(state, addr)?.clone();
        let value = state.path.constraints.fold(&value, bits);
        if let Some(known) = value.known() {
            if let Value::Addr { sym, offset } = known {
                if let Some(loc) = self.program.location_at(sym, offset) {
                    return Ok(Some(loc));
                }
            }
            let diagnostic = self.no_cell(state, known);
            self.fail(state, diagnostic);
            return Ok(None);
        }
        if let Some(diagnostic) = self.meaningless(state, &value) {
            self.fail(state, diagnostic);
            return Ok(None);
        }
        // The op is run again in each fork, with the address known there.
        let mut forks = Vec::new();
        let mut wild = state.clone();
        let mut wild_is_possible = true;
        for location in &self.program.locations {
            let address = Value::Addr { sym: location.sym, offset: location.offset };
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(address), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, addr, SymVal::Known(address), sources.clone());
                Self::again(&mut fork, op);
                forks.push(fork);
            }
            wild_is_possible = wild_is_possible && wild.path.constraints.assume(&here, false, bits);
        }
        self.waiting.extend(forks.into_iter().rev());
        if wild_is_possible {
            let diagnostic = Diagnostic::error(
                "program::non-symbolic-address",
                "non symbolic address: an execution accesses memory through a value that is no cell's address",
            )
            .at(self.instr(state).span, "this access");
            self.fail(&mut wild, diagnostic);
        }
        Ok(None)
    }

    /// Makes the micro-op just taken the next one again.
    fn again(state: &mut State<'p>, op: &'p Op) {
        if let Some(frame) = state.frames.last_mut() {
            debug_assert!(frame.at > 0 && std::ptr::eq(&frame.ops[frame.at - 1], op));
            frame.at -= 1;
        }
    }

    fn no_cell(&self, state: &State<'p>, address: Value) -> Diagnostic {
        let shown = self.program.show(address);
        let span = self.instr(state).span;
        match address {
            Value::Addr { sym, .. } => {
                let name = &self.program.symbols[sym.0 as usize];
                Diagnostic::unsupported(
                    "program::mixed-size",
                    format!("access to `{shown}`, which is not the start of a cell of the test"),
                )
                .at(span, "this access")
                .help(format!("declare `{name}` as an array of elements of the size that is accessed"))
            }
            _ => {
                Diagnostic::error("program::non-symbolic-address", format!("non symbolic address: [{shown}]"))
                    .at(span, "this access")
            }
        }
    }

    /// herd7 gives AArch64 cells one size, that of their declaration, and refuses accesses of any other.
    fn wrong_size(&self, state: &State<'p>, loc: LocId, size: AccessSize) -> Option<Diagnostic> {
        let cell = &self.program.locations[loc.0 as usize];
        // A cell that starts with an address holds a pointer, declared or not.
        let holds_pointer = !cell.declared && cell.init.as_int().is_none();
        let bytes = if holds_pointer { 8 } else { cell.ty.bytes };
        if self.program.arch != ArchId::AArch64 || bytes == size.0 {
            return None;
        }
        let name = &cell.name;
        let declared = if cell.declared { "is declared with" } else { "has, being undeclared," };
        Some(
            Diagnostic::unsupported("program::mixed-size", format!("mixed-size accesses to `{name}`"))
                .at(
                    self.instr(state).span,
                    format!("accesses {} bytes, but `{name}` {declared} {bytes}", size.0),
                )
                .help(format!("declare `{name}` with a type of the size that is accessed")),
        )
    }

    fn jump(&mut self, state: &mut State<'p>, target: &Target, op: &'p Op) -> Result<Flow, Diagnostic> {
        let target = match target {
            Target::Pc(pc) => (state.code, *pc),
            Target::Indirect(tmp) => {
                let Temp { value, sources } = self.temp(state, *tmp)?.clone();
                match state.path.constraints.fold(&value, self.bits()) {
                    SymVal::Known(Value::Code { thread, pc }) => (usize::from(thread), usize::from(pc)),
                    SymVal::Known(known) => {
                        let diagnostic = self.no_target(state, Some(known));
                        return Ok(self.fail(state, diagnostic));
                    }
                    value => {
                        self.fork_over_labels(state, *tmp, &value, &sources, op);
                        return Ok(Flow::Over);
                    }
                }
            }
        };
        let is_back = target.0 == state.code && target.1 <= state.pc;
        if is_back && !self.is_unlimited(state) {
            let count = match state.jumps.iter_mut().find(|(to, _)| *to == target) {
                Some((_, count)) => count,
                None => {
                    state.jumps.push((target, 0));
                    &mut state.jumps.last_mut().expect("just pushed").1
                }
            };
            *count += 1;
            if *count > self.unroll {
                let label = self.program.label_at(target.0, target.1);
                let label = label.map_or_else(|| format!("##{}", target.1), str::to_string);
                return Ok(self.cut(state, label));
            }
        }
        state.next = Some(target);
        Ok(Flow::On)
    }

    /// An indirect branch on a value not known: to any label, of any thread.
    fn fork_over_labels(
        &mut self,
        state: &mut State<'p>,
        tmp: Tmp,
        value: &SymVal,
        sources: &[u32],
        op: &'p Op,
    ) {
        let bits = self.bits();
        let mut targets: Vec<(usize, usize)> = Vec::new();
        for (thread, code) in self.program.threads.iter().enumerate() {
            targets.extend(code.labels.iter().map(|(_, pc)| (thread, *pc)));
        }
        targets.sort_unstable();
        targets.dedup();
        let mut elsewhere = state.clone();
        let mut elsewhere_is_possible = true;
        for (thread, pc) in targets.into_iter().rev() {
            let code = Value::Code { thread: thread as u16, pc: pc as u16 };
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(code), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, tmp, SymVal::Known(code), sources.to_vec());
                Self::again(&mut fork, op);
                self.waiting.push(fork);
            }
            elsewhere_is_possible =
                elsewhere_is_possible && elsewhere.path.constraints.assume(&here, false, bits);
        }
        if elsewhere_is_possible {
            let diagnostic = self.no_target(state, None);
            self.fail(&mut elsewhere, diagnostic);
        }
    }

    /// AArch64 alone follows a jump on a known value as often as it is taken: herd7 does, and so counted loops end.
    fn is_unlimited(&self, state: &State) -> bool {
        let mut guards = state.frames.iter().filter(|frame| frame.guard.is_some()).peekable();
        self.program.arch == ArchId::AArch64 && guards.peek().is_some() && guards.all(|frame| frame.constant)
    }

    fn no_target(&self, state: &State<'p>, value: Option<Value>) -> Diagnostic {
        let what = match value {
            Some(value) => format!("`{}`", self.program.show(value)),
            None => "a value read from memory".to_string(),
        };
        Diagnostic::error(
            "program::no-branch-target",
            format!("indirect branch to {what}, which is no label"),
        )
        .at(self.instr(state).span, "this branch")
    }
}
