//! Threads run once, on all their ways together: where ways meet again, what they computed is put together.
//!
//! Of several places that a thread may be at, the one with the lowest number goes on first. So both ways of a branch have come to where they meet before
//! anything goes on from there, and all passes of a loop are over before what comes after it begins.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::bits::Gates;
use super::graph::{Graph, Node, NodeId, Role, Shape, Thread, Violation, Waiting, Why};
use super::value::{NotInBits, Sv, choose};
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{Cut, CutBy, EventKind};
use crate::limits;
use crate::program::fences::full_fence;
use crate::program::{Instr, Op, Program, Property, SetName, Start, Storage, Sym, Target, Tmp, Value};
use crate::sat::solver::Lit;

/// More instructions than this, and a program does not end.
const MAX_STEPS: u32 = 100_000;

/// A temporary: its value, and the events of its instruction that it comes from.
#[derive(Clone)]
pub(super) struct Held {
    pub value: Sv,
    pub causes: Vec<NodeId>,
}

/// Counts of passes through loops, by the number of the loop.
type Passes = BTreeMap<u32, u32>;

/// Where a thread is, on some of its ways.
#[derive(Clone)]
pub(super) struct State {
    pub guard: Lit,
    pub regs: Vec<Sv>,
    pub tmps: Vec<Option<Held>>,
    /// What objects that nobody else sees hold.
    pub private: BTreeMap<(Sym, i64), Sv>,
    pub next: Option<usize>,
    pub passes: Passes,
    /// Has it come to its end?
    pub over: bool,
    /// Its share of all ways of the thread.
    pub share: u128,
    /// The forks on the way here: the guard and the share before each. Ways that have the share of a fork together are all that came from it, and its guard
    /// is theirs.
    pub forks: Vec<(Lit, u128)>,
    /// What was known of the registers at the last pass through a loop that was known to be taken.
    pub last_pass: BTreeMap<u32, u64>,
}

/// The share of all ways together.
const ALL: u128 = 1 << 120;

/// The ways of one thread that are run now.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub thread: u16,
    pub code: u16,
    pub pc: u32,
    pub instance: u32,
}

/// Where a list of micro-ops stands.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The events that the branches around it come from.
    pub causes: &'a [NodeId],
    /// Is it a branch that is known to be taken?
    pub constant: bool,
}

/// An object that only one thread sees.
pub(super) struct Object {
    pub size: i64,
    pub content: Option<Value>,
}

/// Runs threads.
pub struct Runner<'p> {
    pub program: &'p Program,
    pub gates: Gates,
    pub graph: Graph<'p>,
    pub(super) shapes: Vec<Shape>,
    pub(super) unroll: u32,
    pub(super) fence: &'p [SetName],
    pub(super) objects: FxHashMap<Sym, Object>,
    pub(super) made: FxHashMap<(u16, u16, u32), Sym>,
    spawned: u16,
    steps: u32,
    /// For each code: the loops, from where to where.
    loops: FxHashMap<(u16, u32), (usize, usize)>,
}

pub(super) type Run<T> = Result<T, Diagnostic>;

impl<'p> Runner<'p> {
    /// Of a program whose cells hold values of these shapes.
    pub fn new(program: &'p Program, shapes: Vec<Shape>, unroll: u32) -> Runner<'p> {
        let mut loops = FxHashMap::default();
        for (code, thread) in program.threads.iter().enumerate() {
            find_loops(code as u16, &thread.code, &mut loops);
        }
        Runner {
            program,
            gates: Gates::new(program.bits),
            graph: Graph::new(program),
            shapes,
            unroll,
            fence: &FENCE,
            objects: FxHashMap::default(),
            made: FxHashMap::default(),
            spawned: 0,
            steps: 0,
            loops,
        }
    }

    /// Runs all threads.
    ///
    /// # Errors
    /// Something that bits cannot say.
    pub fn run(&mut self) -> Run<()> {
        for (number, thread) in self.program.threads.iter().enumerate() {
            if thread.start == Start::Alone {
                let state = self.start(number);
                self.thread(number as u16, number as u16, state)?;
            }
        }
        Ok(())
    }

    fn start(&self, number: usize) -> State {
        let zero = Sv::constant(Value::ZERO, &self.gates);
        let mut regs = vec![zero; self.program.regs.len()];
        for (_, reg, value) in self.program.init_regs.iter().filter(|(t, ..)| *t == number) {
            regs[usize::from(reg.0)] = Sv::constant(*value, &self.gates);
        }
        State {
            guard: self.gates.yes,
            regs,
            tmps: Vec::new(),
            private: BTreeMap::new(),
            next: None,
            passes: Passes::new(),
            over: false,
            share: ALL,
            forks: Vec::new(),
            last_pass: BTreeMap::new(),
        }
    }

    /// Before a fork of two ways; each gets half of the share.
    pub(super) fn fork(state: &mut State) {
        // What cannot be halved any more is never all of it again.
        if state.share.is_multiple_of(2) && state.share > 0 {
            state.forks.push((state.guard, state.share));
            state.share /= 2;
        } else {
            state.forks.clear();
            state.share = 0;
        }
    }

    /// The guard of two ways together, and what is left of the forks before them.
    fn meet(&mut self, a: &State, b: &State) -> (Lit, u128, Vec<(Lit, u128)>) {
        let common = a.forks.iter().zip(&b.forks).take_while(|(a, b)| a == b).count();
        let share = a.share.saturating_add(b.share);
        let exact = a.share > 0 && b.share > 0;
        let fork = (0..common).find(|at| exact && a.forks[*at].1 == share);
        match fork {
            Some(at) => (a.forks[at].0, share, a.forks[..at].to_vec()),
            None => {
                let guard = self.gates.or(a.guard, b.guard);
                (guard, if exact { share } else { 0 }, a.forks[..common].to_vec())
            }
        }
    }

    /// Runs a thread from a state on.
    fn thread(&mut self, thread: u16, code: u16, mut first: State) -> Run<()> {
        let (no, child) = (self.gates.no, usize::from(thread) >= self.program.threads.len());
        let empty = Thread { code, ended: no, registers: Vec::new(), nodes: Vec::new() };
        self.graph.threads.insert(thread, empty);
        if child {
            let place = Place { thread, code, pc: 0, instance: self.next_instance()? };
            self.fence(&first, place, Role::None);
        }
        let instrs = &self.program.threads[usize::from(code)].code;
        let mut open: BTreeMap<(usize, Passes), State> = BTreeMap::new();
        let mut last: Option<State> = None;
        first.passes.clear();
        open.insert((0, Passes::new()), first);
        while let Some(((pc, _), state)) = open.pop_first() {
            limits::poll();
            let Some(instr) = instrs.get(pc) else {
                last = Some(match last {
                    None => state,
                    Some(other) => self.join_states(other, state),
                });
                continue;
            };
            let place = Place { thread, code, pc: pc as u32, instance: self.next_instance()? };
            let around = Around { causes: &[], constant: false };
            let mut state = state;
            state.tmps.clear();
            for mut done in self.ops(&instr.ops, vec![state], place, around)? {
                let to = match done.over {
                    true => instrs.len(),
                    false => done.next.take().unwrap_or(pc + 1),
                };
                done.passes.retain(|id, _| {
                    let range = self.loops.get(&(code, *id));
                    range.is_some_and(|(from, end)| (*from..=*end).contains(&to))
                });
                let key = (to, done.passes.clone());
                let known = open.remove(&key);
                let merged = match known {
                    Some(known) => self.join_states(known, done),
                    None => done,
                };
                open.insert(key, merged);
            }
        }
        let Some(last) = last else { return Ok(()) };
        if child {
            let place = Place { thread, code, pc: instrs.len() as u32, instance: self.next_instance()? };
            self.fence(&last, place, Role::None);
        }
        if let Some(own) = self.graph.threads.get_mut(&thread) {
            own.ended = last.guard;
            own.registers = last.regs;
        }
        Ok(())
    }

    fn next_instance(&mut self) -> Run<u32> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Diagnostic::unsupported(
                "sat::too-long",
                format!("the program does not end within {MAX_STEPS} instructions"),
            )
            .help("--unroll bounds how often a loop is run"));
        }
        Ok(self.steps)
    }

    /// One of two values. Where one is an address and the other a number it is not looked at any more, or refused where it is.
    fn either(&mut self, first: Lit, a: &Sv, b: &Sv) -> Sv {
        if a.is_mixed() || b.is_mixed() {
            return Sv::mixed(&self.gates);
        }
        choose(&mut self.gates, first, a, b).unwrap_or_else(|_| Sv::mixed(&self.gates))
    }

    /// Both ways together.
    pub(super) fn join_states(&mut self, a: State, b: State) -> State {
        if a.guard == self.gates.no {
            return b;
        }
        if b.guard == self.gates.no {
            return a;
        }
        let first = a.guard;
        let (guard, share, forks) = self.meet(&a, &b);
        let mut regs = Vec::with_capacity(a.regs.len());
        for (x, y) in a.regs.iter().zip(&b.regs) {
            regs.push(self.either(first, x, y));
        }
        let mut tmps = Vec::new();
        for at in 0..a.tmps.len().max(b.tmps.len()) {
            let of = |state: &State| state.tmps.get(at).cloned().flatten();
            tmps.push(match (of(&a), of(&b)) {
                (Some(x), Some(y)) => {
                    let mut causes = x.causes;
                    causes.extend(y.causes);
                    causes.sort_unstable();
                    causes.dedup();
                    Some(Held { value: self.either(first, &x.value, &y.value), causes })
                }
                (x, y) => x.or(y),
            });
        }
        let mut private = BTreeMap::new();
        for at in a.private.keys().chain(b.private.keys()) {
            if !private.contains_key(at) {
                let (own, other) = (self.private(&a, *at), self.private(&b, *at));
                private.insert(*at, self.either(first, &own, &other));
            }
        }
        let State { next, passes, over, last_pass, .. } = a;
        State { guard, regs, tmps, private, next, passes, over, share, forks, last_pass }
    }

    /// Runs micro-ops on each of these ways; ways that go on to the same place are one.
    pub(super) fn ops(
        &mut self,
        ops: &'p [Op],
        states: Vec<State>,
        place: Place,
        around: Around,
    ) -> Run<Vec<State>> {
        let mut states = states;
        for op in ops {
            let mut next: Vec<State> = Vec::new();
            for state in states {
                if state.over {
                    next.push(state);
                    continue;
                }
                for done in self.op(op, state, place, around)? {
                    if done.guard == self.gates.no {
                        continue;
                    }
                    let same =
                        next.iter().position(|known| (known.next, known.over) == (done.next, done.over));
                    match same {
                        Some(at) if next[at].passes == done.passes => {
                            let known = next.swap_remove(at);
                            next.push(self.join_states(known, done));
                        }
                        _ => next.push(done),
                    }
                }
            }
            states = next;
        }
        Ok(states)
    }

    pub(super) fn instr(&self, place: Place) -> &'p Instr {
        let code = &self.program.threads[usize::from(place.code)].code;
        &code[(place.pc as usize).min(code.len() - 1)]
    }

    /// An event.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn node(
        &mut self,
        place: Place,
        guard: Lit,
        kind: EventKind,
        (cell, at): (Option<usize>, Option<(Sym, i64)>),
        sets: &'p [SetName],
        inner: Vec<NodeId>,
        (read, written): (Option<Sv>, Option<Sv>),
        role: Role,
    ) -> NodeId {
        let id = self.graph.nodes.len();
        let Place { thread, code, pc, instance } = place;
        self.graph.nodes.push(Node {
            thread,
            instance,
            inner,
            code,
            pc,
            kind,
            cell,
            at,
            sets,
            guard,
            read,
            written,
            role,
        });
        if let Some(thread) = self.graph.threads.get_mut(&thread) {
            thread.nodes.push(id);
        }
        id
    }

    fn fence(&mut self, state: &State, place: Place, role: Role) -> NodeId {
        let own = self.graph.threads.get(&place.thread).map_or(&[][..], |thread| &thread.nodes);
        let before =
            own.iter().rev().take_while(|n| self.graph.nodes[**n].instance == place.instance).copied();
        let before = before.collect();
        self.node(place, state.guard, EventKind::Fence, (None, None), self.fence, before, (None, None), role)
    }

    pub(super) fn held(&self, state: &State, tmp: Tmp) -> Run<Held> {
        let held =
            state.tmps.get(usize::from(tmp.0)).cloned().flatten().ok_or_else(|| {
                Diagnostic::internal("this instruction uses a value that it has not computed")
            })?;
        match held.value.is_mixed() {
            true => Err(unsupported("a value that is an address on one way and a number on another", None)),
            false => Ok(held),
        }
    }

    pub(super) fn set(state: &mut State, tmp: Tmp, value: Sv, causes: Vec<NodeId>) {
        let index = usize::from(tmp.0);
        if state.tmps.len() <= index {
            state.tmps.resize(index + 1, None);
        }
        state.tmps[index] = Some(Held { value, causes });
    }

    /// The thread does what it must not do where the literal is true; elsewhere it goes on.
    pub(super) fn violate(&mut self, state: &mut State, place: Place, literal: Lit, property: Property) {
        let literal = self.gates.and(state.guard, literal);
        if literal == self.gates.no {
            return;
        }
        let span = self.instr(place).span;
        self.graph.violations.push(Violation { literal, property, thread: place.thread, span });
        Self::fork(state);
        state.guard = self.gates.and(state.guard, !literal);
    }

    /// A value that must have been written.
    pub(super) fn defined(&mut self, state: &mut State, place: Place, value: &Sv) {
        self.violate(state, place, value.undefined, Property::Uninitialised);
    }

    /// The thread waits where the literal is not true.
    pub(super) fn wait(&mut self, state: &mut State, place: Place, literal: Lit, why: Why) {
        let blocked = self.gates.and(state.guard, !literal);
        if blocked != self.gates.no {
            let Place { thread, code, pc, .. } = place;
            self.graph.waiting.push(Waiting { literal: blocked, thread, code, pc, why });
            Self::fork(state);
        }
        state.guard = self.gates.and(state.guard, literal);
    }

    pub(super) fn cut(&mut self, state: &mut State, place: Place, label: &str) {
        let cut = Cut {
            thread: usize::from(place.thread),
            label: label.to_string(),
            span: self.instr(place).span,
            by: CutBy::Rounds,
        };
        self.graph.cuts.push((state.guard, cut));
        state.guard = self.gates.no;
    }

    /// Starts a thread, and runs it: what it reads is open anyway.
    pub(super) fn spawn(
        &mut self,
        state: &mut State,
        place: Place,
        code: usize,
        args: Vec<(crate::program::Reg, Sv)>,
        own: crate::program::Reg,
    ) -> Run<Sv> {
        let child = (self.program.threads.len() + usize::from(self.spawned)) as u16;
        self.spawned += 1;
        let node = self.fence(state, place, Role::Spawn(child));
        let handle = Sv::constant(Value::Int(i128::from(child) + 1), &self.gates);
        let mut first = self.start(usize::from(child));
        first.guard = state.guard;
        for (reg, value) in args {
            first.regs[usize::from(reg.0)] = value;
        }
        if let Some(reg) = first.regs.get_mut(usize::from(own.0)) {
            *reg = handle.clone();
        }
        let _ = node;
        self.thread(child, code as u16, first)?;
        Ok(handle)
    }

    /// Waits for the end of a thread; what it gives back.
    pub(super) fn join(&mut self, state: &mut State, place: Place, handle: &Sv) -> Run<Sv> {
        self.defined(state, place, handle);
        let first = self.program.threads.len();
        let threads: Vec<u16> = (0..self.spawned).map(|n| first as u16 + n).collect();
        let number = |thread: u16| i128::from(thread) + 1;
        let mut cases: Vec<(Lit, u16)> = Vec::new();
        let mut some = self.gates.no;
        for thread in threads {
            let of = Sv::constant(Value::Int(number(thread)), &self.gates);
            let Some((bits, own)) = handle.bits().zip(of.bits()) else { continue };
            let is = self.gates.equal(bits, own);
            if is != self.gates.no {
                some = self.gates.or(some, is);
                cases.push((is, thread));
            }
        }
        self.violate(state, place, !some, Property::Thread);
        let mut result = Sv::constant(Value::ZERO, &self.gates);
        let mut ended = self.gates.no;
        for (is, thread) in &cases {
            let Some(own) = self.graph.threads.get(thread) else { continue };
            let code = &self.program.threads[usize::from(own.code)];
            let given = code.result.and_then(|reg| own.registers.get(usize::from(reg.0)).cloned());
            let done = self.gates.and(*is, own.ended);
            ended = self.gates.or(ended, done);
            if let Some(given) = given {
                let at = self.instr(place);
                result = choose(&mut self.gates, *is, &given, &result)
                    .map_err(|why| not_in_bits(why, Some(at)))?;
            }
        }
        let first = cases.first().map_or(0, |(_, thread)| *thread);
        self.wait(state, place, ended, Why::Join(first));
        for (is, thread) in cases {
            let guard = self.gates.and(state.guard, is);
            let there = State { guard, ..state.clone() };
            if guard != self.gates.no {
                self.fence(&there, place, Role::Join(thread));
            }
        }
        Ok(result)
    }

    /// One more pass through a loop, unless that is once too often.
    pub(super) fn loop_head(&mut self, state: &mut State, place: Place, id: u32) {
        let count = state.passes.entry(id).or_insert(0);
        *count += 1;
        if *count > self.unroll {
            self.cut(state, place, "While");
        }
    }

    /// One more pass through a loop that is known to be taken. Such loops end by themselves, unless nothing changes that is known.
    pub(super) fn known_loop(&mut self, state: &mut State, place: Place, id: u32) {
        use std::hash::{Hash, Hasher};
        let mut hasher = rustc_hash::FxHasher::default();
        for reg in &state.regs {
            reg.known(&self.gates).hash(&mut hasher);
        }
        let now = hasher.finish();
        if state.last_pass.insert(id, now) == Some(now) {
            self.loop_head(state, place, id);
        }
    }

    pub(super) fn jump(&mut self, state: &mut State, place: Place, target: &Target) -> Run<()> {
        let Target::Pc(pc) = target else {
            return Err(unsupported("a jump to an address", Some(self.instr(place))));
        };
        if *pc <= place.pc as usize {
            let id = JUMP | *pc as u32;
            let count = state.passes.entry(id).or_insert(0);
            *count += 1;
            if *count > self.unroll {
                let label = self.program.label_at(usize::from(place.code), *pc).unwrap_or("?").to_string();
                self.cut(state, place, &label);
            }
        }
        state.next = Some(*pc);
        Ok(())
    }

    /// The object that an instruction makes for its own thread.
    pub(super) fn object(&mut self, place: Place, size: i64, content: Option<Value>) -> Sym {
        let next = Sym((self.program.symbols.len() + self.made.len()) as u16);
        let sym = *self.made.entry((place.thread, place.code, place.pc)).or_insert(next);
        self.objects.insert(sym, Object { size, content });
        sym
    }
}

/// The sets of the fences that starting and ending threads make.
static FENCE: LazyLock<Vec<SetName>> = LazyLock::new(full_fence);

/// Loops made by jumps have numbers of their own.
const JUMP: u32 = 1 << 31;

/// Where loops begin and end.
fn find_loops(code: u16, instrs: &[Instr], loops: &mut FxHashMap<(u16, u32), (usize, usize)>) {
    fn visit(ops: &[Op], heads: &mut Vec<u32>, targets: &mut Vec<usize>) {
        for op in ops {
            match op {
                Op::LoopHead { id } => heads.push(*id),
                Op::Goto { pc } | Op::Jump { target: Target::Pc(pc) } => targets.push(*pc),
                Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
                    visit(then, heads, targets);
                    visit(otherwise, heads, targets);
                }
                Op::Choice { branches } => branches.iter().for_each(|ops| visit(ops, heads, targets)),
                _ => {}
            }
        }
    }
    let found: Vec<(Vec<u32>, Vec<usize>)> = instrs
        .iter()
        .map(|instr| {
            let (mut heads, mut targets) = (Vec::new(), Vec::new());
            visit(&instr.ops, &mut heads, &mut targets);
            (heads, targets)
        })
        .collect();
    let back: Vec<(usize, usize)> = found
        .iter()
        .enumerate()
        .flat_map(|(pc, (_, targets))| targets.iter().filter(move |to| **to <= pc).map(move |to| (*to, pc)))
        .collect();
    for (pc, (heads, _)) in found.iter().enumerate() {
        for id in heads {
            // The widest loop around its head that begins no later: one more pass goes through all of it.
            let around = back.iter().filter(|(from, to)| (*from..=*to).contains(&pc));
            let inner = around.min_by_key(|(from, to)| to - from);
            let (from, to) = inner.copied().unwrap_or((pc, pc));
            let known = loops.entry((code, *id)).or_insert((from, to));
            *known = (known.0.min(from), known.1.max(to));
        }
    }
    for (from, to) in back {
        let known = loops.entry((code, JUMP | from as u32)).or_insert((from, to));
        known.1 = known.1.max(to);
    }
}

pub(super) fn unsupported(what: &str, at: Option<&Instr>) -> Diagnostic {
    let diagnostic = Diagnostic::unsupported("sat::program", format!("the solver does not know {what}"))
        .unless(Remedy::OtherEngine);
    match at {
        Some(instr) => diagnostic.at(instr.span, "here"),
        None => diagnostic,
    }
}

pub(super) fn not_in_bits(why: NotInBits, at: Option<&Instr>) -> Diagnostic {
    unsupported(why.0, at)
}

/// Is it kept in the thread itself?
pub(super) fn is_private(kind: Storage) -> bool {
    kind == Storage::Private
}
