//! The events that a path makes, with the edges that lead to them.

use super::{Flow, Register, State, Temp, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::path::Violation;
use crate::execution::{Event, EventKind, SymVal};
use crate::program::{AccessSize, BranchKind, Extra, LocId, Op, Port, Property, Reg, SetName, Tmp};

impl<'p> Unfolding<'p> {
    /// Makes an event, without edges.
    pub(super) fn event(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        loc: Option<LocId>,
        value: Option<SymVal>,
        sets: Vec<SetName>,
    ) -> u32 {
        let id = state.n_events();
        let is_local = matches!(kind, EventKind::RegRead(..) | EventKind::RegWrite(_) | EventKind::Branch(_));
        state.made += u32::from(!is_local);
        for condition in &state.conditions {
            state.path.edges.control.extend(condition.iter().map(|from| (*from, id)));
        }
        state.path.events.push(Event {
            thread: Some(self.thread as u16),
            instance: state.control.instance,
            pc: state.control.pc,
            code: state.control.code,
            kind,
            loc,
            at: None,
            part: None,
            size: None,
            extent: None,
            access: id,
            value,
            written: None,
            sets,
        });
        id
    }

    /// Gives an event its incoming edges: data from `data`, what `extra` asks for, and control from the enclosing branches.
    pub(super) fn edges(
        &self,
        state: &mut State<'p>,
        id: u32,
        data: &[u32],
        extra: &Extra,
    ) -> Result<(), Diagnostic> {
        let more = self.sources(state, &extra.data)?;
        let mut ctrl = self.sources(state, &extra.ctrl)?;
        let order = self.sources(state, &extra.order)?;
        let mut before: Vec<u32> = Vec::new();
        let mut all_data = [data, more.as_slice()].concat();
        all_data.sort_unstable();
        all_data.dedup();
        before.extend(all_data.iter().chain(&ctrl).chain(&order));
        for frame in state.control.frames.iter().rev() {
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
        state
            .path
            .edges
            .iico_data
            .extend(all_data.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state.path.edges.iico_ctrl.extend(ctrl.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        state
            .path
            .edges
            .iico_order
            .extend(order.into_iter().filter(|from| *from != id).map(|from| (from, id)));
        if let Some(done) = extra.done {
            Self::set(state, done, SymVal::ZERO, vec![id]);
        }
        Ok(())
    }

    pub(super) fn read_register(
        &mut self,
        state: &mut State<'p>,
        dst: Tmp,
        (reg, port): (Reg, Port),
        extra: Option<&Extra>,
    ) -> Result<(), Diagnostic> {
        let Register { value, writer, forked } = state.regs[reg.0 as usize].clone();
        if writer.is_none() && extra.is_none() && self.program.conventions.undefined_behaviour {
            self.read_unwritten(state, reg);
        }
        let id = self.event(state, EventKind::RegRead(reg, port), None, Some(value.clone()), vec![]);
        self.edges(state, id, &[], extra.unwrap_or(&Extra::default()))?;
        if let Some(writer) = writer {
            state.path.edges.rf_reg.push((writer, id));
        }
        Self::set(state, dst, value, vec![id]);
        Self::taint(state, dst, forked);
        Ok(())
    }

    /// A variable is read that has no value yet. The path goes on, with 0.
    fn read_unwritten(&self, state: &mut State<'p>, reg: Reg) {
        let given =
            self.program.init_regs.iter().any(|(thread, its, _)| (*thread, *its) == (self.thread, reg));
        let violation = Violation { place: self.instr(state).span, property: Property::Uninitialised };
        if !given && !state.path.violations.contains(&violation) {
            state.path.violations.push(violation);
        }
    }

    pub(super) fn write_register(
        &mut self,
        state: &mut State<'p>,
        reg: Reg,
        src: Tmp,
        extra: &Extra,
    ) -> Result<(), Diagnostic> {
        let Temp { value, sources, forked } = self.temp(state, src)?.clone();
        let id = self.event(state, EventKind::RegWrite(reg), None, Some(value.clone()), vec![]);
        self.edges(state, id, &sources, extra)?;
        let forked = forked || state.control.is_forked();
        state.regs[reg.0 as usize] = Register { value, writer: Some(id), forked };
        Ok(())
    }

    /// Runs an [`Op::Load`].
    pub(super) fn load(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Load { dst, addr, size, sets, extra } = op else { return Ok(Flow::On) };
        let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
        let sources = self.sources(state, &[*addr])?;
        let id = state.n_events();
        self.access(state, EventKind::Read, spot, *size, SymVal::Read(id), sets);
        state.path.edges.addr_in.extend(sources.iter().map(|from| (*from, id)));
        self.edges(state, id, &sources, extra)?;
        Self::set(state, *dst, SymVal::Read(id), vec![id]);
        Ok(Flow::On)
    }

    /// Runs an [`Op::Store`].
    pub(super) fn store(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Store { addr, value, size, sets, extra } = op else { return Ok(Flow::On) };
        let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
        if let Some(diagnostic) = self.store_to_code(state, spot) {
            return Ok(self.fail(state, diagnostic));
        }
        let from_addr = self.sources(state, &[*addr])?;
        let Temp { value, sources, .. } = self.temp(state, *value)?.clone();
        let id = self.access(state, EventKind::Write, spot, *size, value, sets);
        self.written(state, id, from_addr, sources, extra)?;
        Ok(Flow::On)
    }

    /// Runs an [`Op::Rmw`].
    pub(super) fn update(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Rmw { dst, addr, ops, update, size, sets, extra } = op else { return Ok(Flow::On) };
        let Some(spot) = self.spot(state, *addr, *size, op)? else { return Ok(Flow::Over) };
        let from_addr = self.sources(state, &[*addr])?;
        let id = state.n_events();
        self.access(state, EventKind::Rmw, spot, *size, SymVal::Read(id), sets);
        Self::set(state, *dst, SymVal::Read(id), vec![id]);
        for op in ops {
            self.compute(state, op)?;
        }
        let Temp { value, mut sources, .. } = self.temp(state, *update)?.clone();
        sources.retain(|from| *from != id);
        state.path.events[id as usize].written = Some(value);
        self.written(state, id, from_addr, sources, extra)?;
        Ok(Flow::On)
    }

    /// The edges of a write: what its address and its value come from.
    fn written(
        &self,
        state: &mut State<'p>,
        id: u32,
        from_addr: Vec<u32>,
        from_value: Vec<u32>,
        extra: &Extra,
    ) -> Result<(), Diagnostic> {
        state.path.edges.addr_in.extend(from_addr.iter().map(|from| (*from, id)));
        state.path.edges.data_in.extend(from_value.iter().map(|from| (*from, id)));
        self.edges(state, id, &[from_addr, from_value].concat(), extra)
    }

    /// Runs an [`Op::Other`].
    pub(super) fn other(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Other { addr, sets, extra } = op else { return Ok(Flow::On) };
        let (spot, sources) = match addr {
            Some(addr) => {
                // Maintenance of one address touches the place that it lies in.
                let Some(spot) = self.spot(state, *addr, AccessSize(0), op)? else {
                    return Ok(Flow::Over);
                };
                (Some(spot), self.sources(state, &[*addr])?)
            }
            None => (None, Vec::new()),
        };
        let id = self.event(state, EventKind::Other, None, None, sets.clone());
        if let Some(spot) = spot {
            Self::place(state, id, spot);
        }
        state.path.edges.addr_in.extend(sources.iter().map(|from| (*from, id)));
        self.edges(state, id, &sources, extra)?;
        Ok(Flow::On)
    }

    /// Runs an [`Op::Named`].
    pub(super) fn named(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Named { at, sets, extra } = op else { return Ok(Flow::On) };
        let (at, sources) = match at {
            Some(tmp) => {
                let Some(value) = self.pinned(state, *tmp, op)? else { return Ok(Flow::Over) };
                (Some(value), self.sources(state, &[*tmp])?)
            }
            None => (None, Vec::new()),
        };
        let id = self.event(state, EventKind::Other, None, None, sets.clone());
        state.path.events[id as usize].at = at;
        self.edges(state, id, &sources, extra)?;
        Ok(Flow::On)
    }

    /// The event of a branch; its token, where one is asked for, has the value of the condition.
    pub(super) fn branch_event(
        &self,
        state: &mut State<'p>,
        kind: BranchKind,
        cond: Option<Tmp>,
        extra: &Extra,
    ) -> Result<(), Diagnostic> {
        let sources = self.sources(state, cond.as_slice())?;
        let (value, forked) = match cond {
            Some(cond) => {
                let Temp { value, forked, .. } = self.temp(state, cond)?;
                (value.clone(), *forked)
            }
            None => (SymVal::ZERO, false),
        };
        let id = self.event(state, EventKind::Branch(kind), None, None, vec![]);
        self.edges(state, id, &sources, extra)?;
        if let Some(done) = extra.done {
            Self::set(state, done, value, vec![id]);
            Self::taint(state, done, forked);
        }
        Ok(())
    }
}

impl State<'_> {
    /// Conditions of structured statements begin and end, and are in force or not.
    pub(super) fn condition_marks(&mut self, op: &Op) {
        match op {
            Op::CondBegin => self.condition.push(self.n_events()),
            Op::CondEnd => {
                if let Some(start) = self.condition.pop() {
                    self.conditions.push((start..self.n_events()).collect());
                }
            }
            Op::ControlSave { id } => {
                self.saved.retain(|(saved, _)| saved != id);
                self.saved.push((*id, self.conditions.len()));
            }
            Op::ControlRestore { id } => {
                if let Some((_, count)) = self.saved.iter().find(|(saved, _)| saved == id) {
                    self.conditions.truncate(*count);
                }
            }
            _ => {}
        }
    }
}
