//! What each micro-op does to a thread.

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::execution::EventKind;
use crate::program::threads::COPY;
use crate::program::{BranchKind, Extra, IllegalOp, Op, Property, Reg, SetName, Tmp, Value};

use super::arithmetic::operands;
use super::flow;
use super::state::{Caution, Halt, Held, Join, Printed, Spawn, State, Stop, set};
use super::step::Stepper;

impl<'p> Stepper<'p> {
    pub(super) fn op(&self, state: &mut State<'p>, op: &'p Op) -> Result<(), Halt<'p>> {
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, .. } => self.read_register(state, op, (*dst, *reg), None),
            Op::ReadRegWith { dst, reg, extra, .. } => {
                self.read_register(state, op, (*dst, *reg), Some(extra));
            }
            Op::WriteReg { reg, src, extra } => self.write_register(state, op, (*reg, *src), extra),
            // Only dependencies look at these.
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {
                flow::passes(state, op);
            }
            Op::Load { addr, size, sets, extra, .. } => {
                self.access(state, op, EventKind::Read, (*addr, *size), sets, (&[*addr], extra), None)?;
            }
            Op::Store { addr, value, size, sets, extra } => {
                if let Some(written) = self.written(state, *addr, *value, sets)? {
                    let consumed = (&[*addr, *value][..], extra);
                    let place = (*addr, *size);
                    self.access(state, op, EventKind::Write, place, sets, consumed, Some(written))?;
                }
            }
            Op::Rmw { addr, update, ops, size, sets, extra, .. } => {
                let mut consumed = vec![*addr];
                operands(ops, *update, &mut consumed);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, (&consumed, extra), None)?;
            }
            Op::CompareExchange { addr, expected, desired, size, sets, extra, .. } => {
                let consumed = (&[*addr, *expected, *desired][..], extra);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, consumed, None)?;
            }
            Op::Fence { sets, extra } => self.mark(state, EventKind::Fence, None, sets, extra)?,
            Op::Other { addr, sets, extra } => self.mark(state, EventKind::Other, *addr, sets, extra)?,
            Op::Branch { kind, cond, extra } => self.branch_event(state, *kind, *cond, extra),
            Op::If { cond, then, otherwise } => self.decide(state, *cond, then, otherwise)?,
            Op::Choice { branches } => return Err(self.fork(state, branches)),
            Op::Assume { cond } | Op::Await { cond, .. } => self.wait(state, *cond)?,
            Op::Nondet { dst, low, high } => return Err(self.any(state, *dst, (*low, *high))),
            Op::Jump { target } => self.jump(state, target)?,
            Op::Goto { pc } => state.control.next = Some((state.control.code, *pc as u32)),
            Op::Stop => return Err(Halt::Stop(Box::new(self.ended(state.clone())))),
            Op::LoopHead { id } => self.loop_head(state, *id)?,
            Op::LoopEnter { id } => {
                state.control.enters(*id);
                state.passes.retain(|(loop_id, _)| loop_id != id);
            }
            Op::Reserve { addr, .. } => state.reserved = Some(self.decided(state, *addr)?),
            Op::Conditional { addr, then, otherwise, .. } => {
                self.conditional(state, *addr, then, otherwise)?;
            }
            Op::Spawn { dst, code, args, own } => return Err(self.spawns(state, *dst, (*code, args), *own)),
            Op::Join { thread, dst } => return Err(self.joins(state, *thread, *dst)?),
            Op::Alloc { dst, size, kind, content } => self.alloc(state, *dst, *size, (*kind, *content))?,
            Op::Free { addr, kind } => self.free(state, *addr, *kind)?,
            Op::Assert { cond, property } => self.assert(state, *cond, property)?,
            Op::Print { args, .. } => {
                let values = args.iter().map(|arg| self.held(state, *arg).value.ok()).collect();
                let (code, pc) = (state.control.code, state.control.pc);
                state.printed.push(Printed { code, pc, instance: state.control.instance, values });
            }
            Op::From { .. } | Op::Named { .. } | Op::Pin { .. } => {
                return Err(self.elsewhere(state, "grow::page-tables", "page tables and tags"));
            }
            Op::Collide { .. }
            | Op::Need { .. }
            | Op::Fault { .. }
            | Op::ExceptionReturn { .. }
            | Op::Mark { .. } => return Err(self.elsewhere(state, "grow::faults", "exceptions")),
        }
        Ok(())
    }

    /// What only the other engine does.
    fn elsewhere(&self, state: &State<'p>, code: &'static str, what: &str) -> Halt<'p> {
        Halt::Error(
            Diagnostic::unsupported(code, format!("{what} need another engine"))
                .unless(Remedy::OtherEngine)
                .at(self.instr(state).span, "here")
                .help("`--engine worlds` runs every test"),
        )
    }

    fn read_register(
        &self,
        state: &mut State<'p>,
        op: &'p Op,
        (dst, reg): (Tmp, Reg),
        extra: Option<&Extra>,
    ) {
        let held = state.regs[reg.0 as usize];
        let (causes, _) = self.causes(state, &[], extra);
        state.count += 1;
        let newest = state.count;
        set(state, dst, Held { causes, newest, ..held });
        if let Some(done) = extra.and_then(|extra| extra.done) {
            set(state, done, Held { causes, newest, ..Held::ZERO });
        }
        flow::passes(state, op);
    }

    fn write_register(&self, state: &mut State<'p>, op: &'p Op, (reg, src): (Reg, Tmp), extra: &Extra) {
        let held = self.held(state, src);
        state.count += 1;
        Arc::make_mut(&mut state.regs)[reg.0 as usize] = Held { causes: 0, newest: 0, ..held };
        if let Some(done) = extra.done {
            let (causes, _) = self.causes(state, &[src], Some(extra));
            let newest = state.count;
            set(state, done, Held { causes, newest, ..Held::ZERO });
        }
        flow::passes(state, op);
    }

    /// The value that a store writes. Where a structure is copied and this part of it has no value, others see a write all the same (of zero, one of all that could be
    /// there); an object of one's own keeps what it has.
    fn written(
        &self,
        state: &State<'p>,
        addr: Tmp,
        value: Tmp,
        sets: &[SetName],
    ) -> Result<Option<Value>, Halt<'p>> {
        if self.held(state, value).value == Err(IllegalOp::UNINITIALISED) && sets.iter().any(|s| s == COPY) {
            return Ok((!self.is_private(state, addr)?).then_some(Value::ZERO));
        }
        Ok(Some(match self.is_private(state, addr)? {
            true => self.value_unseen(state, value)?,
            false => self.value(state, value)?,
        }))
    }

    /// A fence, or an event of another kind.
    fn mark(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        addr: Option<Tmp>,
        sets: &'p [SetName],
        extra: &Extra,
    ) -> Result<(), Halt<'p>> {
        if let Some(addr) = addr {
            state.hangs |= self.held(state, addr).reads;
        }
        let cell = addr.map(|addr| self.cell(state, addr)).transpose()?;
        let causes = self.causes(state, addr.as_slice(), Some(extra));
        let reasons = flow::fences(state, addr, sets, Some(extra));
        let held = self.plain(state, kind, cell, sets, causes, reasons);
        if let Some(done) = extra.done {
            set(state, done, held);
        }
        Ok(())
    }

    fn branch_event(&self, state: &mut State<'p>, kind: BranchKind, cond: Option<Tmp>, extra: &Extra) {
        let condition = cond.map_or(Held::ZERO, |cond| self.held(state, cond));
        let causes = self.causes(state, cond.as_slice(), Some(extra));
        let reasons = flow::branches(state, kind, cond, extra);
        let held = match kind.is_hidden() {
            true => {
                state.count += 1;
                Held { causes: causes.0, newest: state.count, ..Held::ZERO }
            }
            false => self.plain(state, EventKind::Branch(kind), None, &[], causes, reasons),
        };
        if let Some(done) = extra.done {
            set(
                state,
                done,
                Held { value: condition.value, constant: condition.constant, reads: condition.reads, ..held },
            );
        }
    }

    fn spawns(
        &self,
        state: &mut State<'p>,
        dst: Tmp,
        (code, args): (usize, &[(Reg, Tmp)]),
        register: Reg,
    ) -> Halt<'p> {
        let args: Vec<_> = args.iter().map(|(reg, tmp)| (*reg, self.held(state, *tmp))).collect();
        self.tells_if(args.iter().any(|(_, held)| held.tells));
        let child = self.cells.thread(state.thread, state.spawned, self.program.threads.len());
        let own = self.fence(state);
        let spawn = Spawn { state: state.clone(), child, code: code as u16, args, dst, own, register };
        Halt::Stop(Box::new(Stop::Spawn(Box::new(spawn))))
    }

    fn joins(&self, state: &mut State<'p>, thread: Tmp, dst: Option<Tmp>) -> Result<Halt<'p>, Halt<'p>> {
        let value = self.value_unseen(state, thread)?;
        let target = self.cells.thread_of(value, self.program.threads.len());
        let Some(target) = target.filter(|target| *target != state.thread) else {
            return Err(Halt::Violation(Property::Thread));
        };
        let own = self.fence(state);
        let join = Join { state: state.clone(), target, dst, own };
        Ok(Halt::Stop(Box::new(Stop::Join(Box::new(join)))))
    }

    fn assert(&self, state: &mut State<'p>, cond: Tmp, property: &Property) -> Result<(), Halt<'p>> {
        if self.value(state, cond)? == Value::ZERO {
            if !property.is_caution() {
                return Err(Halt::Violation(property.clone()));
            }
            self.caution(state, property.clone());
        }
        Ok(())
    }

    /// Notes what C has no rule for.
    pub(super) fn caution(&self, state: &mut State<'p>, property: Property) {
        let caution = Caution { property, code: state.control.code, pc: state.control.pc };
        if !state.cautions.contains(&caution) {
            state.cautions.push(caution);
        }
    }
}
