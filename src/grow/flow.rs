//! Dependencies of a thread's events: the flow through registers and inside instructions, followed while the thread runs.
//!
//! The rules are those of `execution::depend`, which has all events of a path before it and computes relations between them; here each
//! event is known by its place among the events of its thread, and gets what it depends on when it is made.

use std::sync::Arc;

use super::state::{self, State};
use crate::program::control::Frame;
use crate::program::{BranchKind, Extra, Op, Port, SetName, Sym, Tmp};

/// Some events of a thread, by number.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Numbers(Vec<u64>);

impl Numbers {
    fn one(number: u16) -> Numbers {
        let mut words = vec![0; usize::from(number) / 64 + 1];
        words[usize::from(number) / 64] = 1 << (number % 64);
        Numbers(words)
    }

    pub fn has(&self, number: u16) -> bool {
        self.0.get(usize::from(number) / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn join(&mut self, other: &Numbers) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, its)| *own |= its);
    }
}

/// An event of a thread, and what it depends on.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Reasons {
    /// Its number.
    pub number: u16,
    pub addr: Numbers,
    pub data: Numbers,
    pub ctrl: Numbers,
}

/// An event inside the instruction that is being run; only those of memory are events of the graph.
#[derive(Clone)]
struct Inner {
    kind: Kind,
    /// Of a register event: what reaches it through registers, and what begins right before it.
    deps: Numbers,
    first: Numbers,
    /// What branches inside the instruction, that it comes after, depend on.
    behind: Numbers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    RegRead(Port),
    RegWrite,
    Read(u16),
    Write(u16),
    /// One event that reads and writes.
    Update(u16),
    /// A branch: those after it hang on what it depends on, which is its `deps`.
    Branch,
    Other,
}

/// A kind of event, given the number of the event.
type MakeKind = fn(u16) -> Kind;

/// Where an event comes from: events inside the instruction.
#[derive(Default)]
struct Edges {
    data: Vec<u16>,
    ctrl: Vec<u16>,
    order: Vec<u16>,
}

/// What the ports of an access are fed from.
#[derive(Default)]
struct Fed {
    addr: Vec<u16>,
    data: Vec<u16>,
}

/// A branch of an [`Op::If`]: where its condition comes from, and how many events there were when it was entered.
#[derive(Clone)]
pub(super) struct Guard {
    from: Vec<u16>,
    entered: u16,
}

/// The flow in a thread so far.
#[derive(Clone, Default)]
pub(super) struct Flow {
    /// How many events of the graph there are.
    number: u16,
    inner: Vec<Inner>,
    /// Where temporaries come from.
    tmps: Vec<Vec<u16>>,
    /// What registers, and objects that no other thread sees, depend on.
    regs: Vec<Numbers>,
    private: Vec<((Sym, i64), Numbers)>,
    /// What branches depend on: of earlier instructions, and of this one.
    ctrl: Numbers,
    own_ctrl: Numbers,
    /// What conditions that are being evaluated depend on, and those in force.
    open: Vec<Numbers>,
    conditions: Vec<Numbers>,
    saved: Vec<(u32, usize)>,
    /// Does control inside an instruction pass dependencies on?
    control_flows: bool,
}

impl Flow {
    pub fn new(control_flows: bool, n_regs: usize) -> Flow {
        Flow { control_flows, regs: vec![Numbers::default(); n_regs], ..Flow::default() }
    }

    /// What a register depends on.
    pub fn register(&self, reg: usize) -> Option<&Numbers> {
        self.regs.get(reg)
    }

    /// Another instruction.
    pub fn next(&mut self) {
        self.inner.clear();
        self.tmps.clear();
        let own = std::mem::take(&mut self.own_ctrl);
        self.ctrl.join(&own);
    }

    fn sources(&self, tmp: Tmp) -> &[u16] {
        self.tmps.get(tmp.0 as usize).map_or(&[], Vec::as_slice)
    }

    fn all(&self, tmps: &[Tmp]) -> Vec<u16> {
        let mut all: Vec<u16> = tmps.iter().flat_map(|tmp| self.sources(*tmp)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn set(&mut self, tmp: Tmp, sources: Vec<u16>) {
        let index = tmp.0 as usize;
        if self.tmps.len() <= index {
            self.tmps.resize(index + 1, Vec::new());
        }
        self.tmps[index] = sources;
    }

    fn edges(&self, frames: &[Frame<state::Guard>], data: &[u16], extra: Option<&Extra>) -> Edges {
        let of = |tmps: &[Tmp]| self.all(tmps);
        let mut edges = Edges { data: data.to_vec(), ..Edges::default() };
        if let Some(extra) = extra {
            edges.data.extend(of(&extra.data));
            edges.ctrl = of(&extra.ctrl);
            edges.order = of(&extra.order);
        }
        let mut before: Vec<u16> =
            edges.data.iter().chain(&edges.ctrl).chain(&edges.order).copied().collect();
        for guard in frames.iter().rev().filter_map(|frame| frame.guard.as_ref()?.flow.as_ref()) {
            if !before.iter().any(|from| *from >= guard.entered) {
                edges.ctrl.extend_from_slice(&guard.from);
                before.extend_from_slice(&guard.from);
            }
        }
        edges
    }

    /// The loads that an event passes on as the last one before an access or a branch.
    fn passed(&self, from: u16, into: &mut Numbers) {
        let inner = &self.inner[usize::from(from)];
        match inner.kind {
            Kind::RegRead(_) | Kind::RegWrite => into.join(&inner.deps),
            Kind::Read(number) | Kind::Update(number) => into.join(&Numbers::one(number)),
            Kind::Write(_) | Kind::Branch | Kind::Other => {}
        }
    }

    /// What flows into an event.
    fn flowing(&self, edges: &Edges) -> Vec<u16> {
        let mut from = edges.data.clone();
        if self.control_flows {
            from.extend_from_slice(&edges.ctrl);
        }
        from
    }

    /// Adds an event, with what branches before it in the instruction pass on; its number there.
    fn push(&mut self, kind: Kind, edges: &Edges) -> u16 {
        let mut behind = Numbers::default();
        for from in edges.data.iter().chain(&edges.ctrl).chain(&edges.order) {
            let inner = &self.inner[usize::from(*from)];
            behind.join(&inner.behind);
            if inner.kind == Kind::Branch {
                behind.join(&inner.deps);
            }
        }
        self.inner.push(Inner { kind, deps: Numbers::default(), first: Numbers::default(), behind });
        (self.inner.len() - 1) as u16
    }

    /// Adds a register event.
    fn register_event(&mut self, kind: Kind, edges: &Edges, writer: Option<&Numbers>) -> u16 {
        let (mut deps, mut first) = (writer.cloned().unwrap_or_default(), Numbers::default());
        for from in self.flowing(edges) {
            let inner = &self.inner[usize::from(from)];
            match inner.kind {
                Kind::RegRead(_) | Kind::RegWrite => {
                    deps.join(&inner.deps);
                    deps.join(&inner.first);
                }
                Kind::Read(number) | Kind::Update(number) => first.join(&Numbers::one(number)),
                Kind::Write(_) | Kind::Branch | Kind::Other => {}
            }
        }
        for from in &edges.ctrl {
            if let Kind::Write(number) | Kind::Update(number) = self.inner[usize::from(*from)].kind {
                first.join(&Numbers::one(number));
            }
        }
        let id = self.push(kind, edges);
        let inner = &mut self.inner[usize::from(id)];
        (inner.deps, inner.first) = (deps, first);
        if matches!(kind, Kind::RegRead(_)) {
            let deps = inner.deps.clone();
            self.open.iter_mut().for_each(|open| open.join(&deps));
        }
        id
    }

    /// What an event of the graph hangs on by branches and conditions.
    fn control(&self, behind: &Numbers) -> Numbers {
        let mut ctrl = self.ctrl.clone();
        ctrl.join(behind);
        self.conditions.iter().for_each(|condition| ctrl.join(condition));
        ctrl
    }

    /// An event of the graph; its reasons, and its number inside the instruction.
    fn event(&mut self, kind: impl Fn(u16) -> Kind, edges: &Edges, fed: &Fed) -> (Reasons, u16) {
        let number = self.number;
        self.number += 1;
        let kind = kind(number);
        let flowing = self.flowing(edges);
        let (mut addr, mut data) = (Numbers::default(), Numbers::default());
        let (reads, writes) = match kind {
            Kind::Read(_) => (true, false),
            Kind::Write(_) => (false, true),
            Kind::Update(_) => (true, true),
            _ => (false, false),
        };
        for from in flowing {
            let port = match self.inner[usize::from(from)].kind {
                Kind::RegRead(port) => port,
                _ => Port::None,
            };
            let is_fed = |list: &[u16], own: Port| match port {
                Port::None => list.contains(&from),
                port => port == own,
            };
            if reads || writes && is_fed(&fed.addr, Port::Addr) {
                self.passed(from, &mut addr);
            }
            if writes && is_fed(&fed.data, Port::Data) {
                self.passed(from, &mut data);
            }
        }
        let id = self.push(kind, edges);
        let ctrl = self.control(&self.inner[usize::from(id)].behind);
        if reads {
            for open in &mut self.open {
                open.join(&Numbers::one(number));
                open.join(&addr);
                open.join(&data);
            }
        }
        (Reasons { number, addr, data, ctrl }, id)
    }

    /// A computation.
    pub fn compute(&mut self, op: &Op) {
        let (dst, sources) = match op {
            Op::Const { dst, .. } => (*dst, Vec::new()),
            Op::Unary { dst, a, .. } => (*dst, self.all(&[*a])),
            Op::Binary { dst, a, b, .. } => (*dst, self.all(&[*a, *b])),
            Op::Taint { dst, a, also } => (*dst, self.all(&[&[*a], also.as_slice()].concat())),
            _ => return,
        };
        self.set(dst, sources);
    }
}

/// The flow of a state, if it is followed.
fn flow<'s, 'p>(state: &'s mut State<'p>) -> Option<(&'s mut Flow, &'s [Frame<'p, state::Guard>])> {
    let State { flow, control, .. } = state;
    flow.as_mut().map(|flow| (Arc::make_mut(flow), control.frames.as_slice()))
}

/// A computation.
pub(super) fn computed(state: &mut State, op: &Op) {
    if let Some((flow, _)) = flow(state) {
        flow.compute(op);
    }
}

/// Another instruction.
pub(super) fn next(state: &mut State) {
    if let Some((flow, _)) = flow(state) {
        flow.next();
    }
}

/// A condition has been decided: where it comes from.
pub(super) fn guard(state: &mut State, cond: Tmp) -> Option<Guard> {
    let (flow, _) = flow(state)?;
    Some(Guard { from: flow.sources(cond).to_vec(), entered: flow.inner.len() as u16 })
}

/// What micro-ops that make no event of the graph do.
pub(super) fn passes(state: &mut State, op: &Op) {
    let Some((flow, frames)) = flow(state) else { return };
    match op {
        Op::ReadReg { dst, reg, port } => {
            let edges = flow.edges(frames, &[], None);
            let writer = flow.regs[reg.0 as usize].clone();
            let id = flow.register_event(Kind::RegRead(*port), &edges, Some(&writer));
            flow.set(*dst, vec![id]);
        }
        Op::ReadRegWith { dst, reg, port, extra } => {
            let edges = flow.edges(frames, &[], Some(extra));
            let writer = flow.regs[reg.0 as usize].clone();
            let id = flow.register_event(Kind::RegRead(*port), &edges, Some(&writer));
            if let Some(done) = extra.done {
                flow.set(done, vec![id]);
            }
            flow.set(*dst, vec![id]);
        }
        Op::WriteReg { reg, src, extra } => {
            let data = flow.sources(*src).to_vec();
            let edges = flow.edges(frames, &data, Some(extra));
            let id = flow.register_event(Kind::RegWrite, &edges, None);
            let inner = &flow.inner[usize::from(id)];
            let mut deps = inner.deps.clone();
            deps.join(&inner.first);
            flow.regs[reg.0 as usize] = deps;
            if let Some(done) = extra.done {
                flow.set(done, vec![id]);
            }
        }
        Op::CondBegin => flow.open.push(Numbers::default()),
        Op::CondEnd => {
            if let Some(condition) = flow.open.pop() {
                flow.conditions.push(condition);
            }
        }
        Op::ControlSave { id } => {
            flow.saved.retain(|(saved, _)| saved != id);
            flow.saved.push((*id, flow.conditions.len()));
        }
        Op::ControlRestore { id } => {
            if let Some((_, count)) = flow.saved.iter().find(|(saved, _)| saved == id) {
                flow.conditions.truncate(*count);
            }
        }
        _ => {}
    }
}

/// A branch: the reasons of its event, if it is one of the graph.
pub(super) fn branches(
    state: &mut State,
    kind: BranchKind,
    cond: Option<Tmp>,
    extra: &Extra,
) -> Option<Arc<Reasons>> {
    let (flow, frames) = flow(state)?;
    let data = cond.map_or_else(Vec::new, |cond| flow.sources(cond).to_vec());
    let edges = flow.edges(frames, &data, Some(extra));
    let mut deps = Numbers::default();
    for from in flow.flowing(&edges) {
        flow.passed(from, &mut deps);
    }
    let id = flow.push(Kind::Branch, &edges);
    let ctrl = flow.control(&flow.inner[usize::from(id)].behind);
    let stays = matches!(kind, BranchKind::Bcc | BranchKind::HiddenBcc);
    if stays {
        flow.own_ctrl.join(&deps);
    }
    if stays || matches!(kind, BranchKind::Pred | BranchKind::HiddenPred) {
        flow.inner[usize::from(id)].deps = deps;
    }
    if let Some(done) = extra.done {
        flow.set(done, vec![id]);
    }
    if kind.is_hidden() {
        return None;
    }
    let number = flow.number;
    flow.number += 1;
    Some(Arc::new(Reasons { number, ctrl, ..Reasons::default() }))
}

/// A fence, or another event without a value.
pub(super) fn fences(
    state: &mut State,
    addr: Option<Tmp>,
    sets: &[SetName],
    extra: Option<&Extra>,
) -> Option<Arc<Reasons>> {
    let (flow, frames) = flow(state)?;
    let from = addr.map_or_else(Vec::new, |addr| flow.sources(addr).to_vec());
    let edges = flow.edges(frames, &from, extra);
    // What looks at a lock without taking it sees a value, like any read.
    let looks = sets.iter().any(|set| matches!(set.as_ref(), "LF" | "RL" | "RU"));
    let kind = |number| if looks { Kind::Read(number) } else { Kind::Other };
    let (reasons, id) = flow.event(kind, &edges, &Fed { addr: from, data: Vec::new() });
    if let Some(done) = extra.and_then(|extra| extra.done) {
        flow.set(done, vec![id]);
    }
    Some(Arc::new(reasons))
}

/// An access. What it reads comes from it.
pub(super) fn accesses(state: &mut State, op: &Op) -> Option<Arc<Reasons>> {
    let (flow, frames) = flow(state)?;
    let from = |flow: &Flow, tmp: &Tmp| flow.sources(*tmp).to_vec();
    let (kind, fed, dst, extra): (MakeKind, _, _, _) = match op {
        Op::Load { dst, addr, extra, .. } => {
            (Kind::Read, Fed { addr: from(flow, addr), data: Vec::new() }, Some(*dst), extra)
        }
        Op::Store { addr, value, extra, .. } => {
            (Kind::Write, Fed { addr: from(flow, addr), data: from(flow, value) }, None, extra)
        }
        Op::Rmw { dst, addr, ops, update, extra, .. } => {
            let addr = from(flow, addr);
            let id = flow.inner.len() as u16;
            flow.set(*dst, vec![id]);
            ops.iter().for_each(|op| flow.compute(op));
            let mut data = from(flow, update);
            data.retain(|from| *from != id);
            (Kind::Update, Fed { addr, data }, Some(*dst), extra)
        }
        Op::CompareExchange { dst, addr, expected, desired, extra, .. } => {
            let data = flow.all(&[*expected, *desired]);
            (Kind::Update, Fed { addr: from(flow, addr), data }, Some(*dst), extra)
        }
        _ => return None,
    };
    let data = [fed.addr.as_slice(), fed.data.as_slice()].concat();
    let edges = flow.edges(frames, &data, Some(extra));
    let (reasons, id) = flow.event(kind, &edges, &fed);
    if let Some(dst) = dst {
        flow.set(dst, vec![id]);
    }
    if let Some(done) = extra.done {
        flow.set(done, vec![id]);
    }
    Some(Arc::new(reasons))
}

/// An access to an object that no other thread sees: like one to a register.
pub(super) fn hidden(state: &mut State, op: &Op, place: (Sym, i64)) {
    let Some((flow, _)) = flow(state) else { return };
    let known = flow.private.iter().position(|(at, _)| *at == place);
    let old = known.map(|at| flow.private[at].1.clone()).unwrap_or_default();
    if let Op::Load { dst, .. } | Op::Rmw { dst, .. } | Op::CompareExchange { dst, .. } = op {
        let id = flow.register_event(Kind::RegRead(Port::None), &Edges::default(), Some(&old));
        flow.set(*dst, vec![id]);
    }
    let from = match op {
        Op::Store { value, .. } => flow.all(&[*value]),
        Op::Rmw { ops, update, .. } => {
            ops.iter().for_each(|op| flow.compute(op));
            flow.all(&[*update])
        }
        Op::CompareExchange { dst, desired, .. } => flow.all(&[*dst, *desired]),
        _ => return,
    };
    let edges = Edges { data: from, ..Edges::default() };
    let id = flow.register_event(Kind::RegWrite, &edges, None);
    let inner = &flow.inner[usize::from(id)];
    let mut deps = inner.deps.clone();
    deps.join(&inner.first);
    match known {
        Some(at) => flow.private[at].1 = deps,
        None => flow.private.push((place, deps)),
    }
}
