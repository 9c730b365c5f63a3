//! What each micro-op does to a thread.

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::execution::EventKind;
use crate::program::control::Frame;
use crate::program::threads::COPY;
use crate::program::{
    BinOp, IllegalOp, LOOP_CUT, Op, Property, Storage, Tmp, UnOp, Value, eval_binary, eval_unary,
};

use super::cells::Object;
use super::flow;
use super::state::{Caution, Guard, Halt, Held, Join, Printed, Spawn, State, Stop, set};
use super::step::Stepper;

/// More values than this to choose from at once: too many.
const MAX_CHOICES: i128 = 4096;

impl<'p> Stepper<'p> {
    pub(super) fn op(&self, state: &mut State<'p>, op: &'p Op) -> Result<(), Halt<'p>> {
        match op {
            Op::Const { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Taint { .. } => {
                self.compute(state, op)?;
            }
            Op::ReadReg { dst, reg, .. } => {
                let held = state.regs[reg.0 as usize];
                let (causes, _) = self.causes(state, &[], None);
                state.count += 1;
                set(state, *dst, Held { causes, newest: state.count, ..held });
                flow::passes(state, op);
            }
            Op::ReadRegWith { dst, reg, extra, .. } => {
                let held = state.regs[reg.0 as usize];
                let (causes, _) = self.causes(state, &[], Some(extra));
                state.count += 1;
                let newest = state.count;
                set(state, *dst, Held { causes, newest, ..held });
                if let Some(done) = extra.done {
                    set(state, done, Held { causes, newest, ..Held::ZERO });
                }
                flow::passes(state, op);
            }
            Op::From { .. } | Op::Named { .. } | Op::Pin { .. } => {
                return Err(Halt::Error(
                    Diagnostic::unsupported("grow::page-tables", "page tables and tags need another engine")
                        .unless(Remedy::OtherEngine)
                        .at(self.instr(state).span, "here")
                        .help("`--engine worlds` runs every test"),
                ));
            }
            Op::Collide { .. }
            | Op::Need { .. }
            | Op::Fault { .. }
            | Op::ExceptionReturn { .. }
            | Op::Mark { .. } => {
                return Err(Halt::Error(
                    Diagnostic::unsupported("grow::faults", "exceptions need another engine")
                        .unless(Remedy::OtherEngine)
                        .at(self.instr(state).span, "here")
                        .help("`--engine worlds` runs every test"),
                ));
            }
            Op::WriteReg { reg, src, extra } => {
                let held = self.held(state, *src);
                state.count += 1;
                Arc::make_mut(&mut state.regs)[reg.0 as usize] = Held { causes: 0, newest: 0, ..held };
                if let Some(done) = extra.done {
                    let (causes, _) = self.causes(state, &[*src], Some(extra));
                    let newest = state.count;
                    set(state, done, Held { causes, newest, ..Held::ZERO });
                }
                flow::passes(state, op);
            }
            Op::Load { addr, size, sets, extra, .. } => {
                self.access(state, op, EventKind::Read, (*addr, *size), sets, (&[*addr], extra), None)?;
            }
            Op::Store { addr, value, size, sets, extra } => {
                if self.held(state, *value).value == Err(IllegalOp::UNINITIALISED)
                    && sets.iter().any(|s| s == COPY)
                {
                    return Ok(());
                }
                let written = Some(match self.is_private(state, *addr)? {
                    true => self.value_unseen(state, *value)?,
                    false => self.value(state, *value)?,
                });
                let consumed = (&[*addr, *value][..], extra);
                self.access(state, op, EventKind::Write, (*addr, *size), sets, consumed, written)?;
            }
            Op::Rmw { addr, update, ops, size, sets, extra, .. } => {
                let mut consumed = vec![*addr];
                operands(ops, *update, &mut consumed);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, (&consumed, extra), None)?;
            }
            Op::Fence { sets, extra } => {
                let causes = self.causes(state, &[], Some(extra));
                let reasons = flow::fences(state, None, sets, Some(extra));
                let held = self.plain(state, EventKind::Fence, None, sets, causes, reasons);
                if let Some(done) = extra.done {
                    set(state, done, held);
                }
            }
            Op::Other { addr, sets, extra } => {
                let cell = match addr {
                    Some(addr) => Some(self.cell(state, *addr)?),
                    None => None,
                };
                let consumed: &[Tmp] = match addr {
                    Some(addr) => std::slice::from_ref(addr),
                    None => &[],
                };
                let causes = self.causes(state, consumed, Some(extra));
                let reasons = flow::fences(state, *addr, sets, Some(extra));
                let held = self.plain(state, EventKind::Other, cell, sets, causes, reasons);
                if let Some(done) = extra.done {
                    set(state, done, held);
                }
            }
            Op::Branch { kind, cond, extra } => {
                let consumed: &[Tmp] = match cond {
                    Some(cond) => std::slice::from_ref(cond),
                    None => &[],
                };
                let condition = cond.map_or(Held::ZERO, |cond| self.held(state, cond));
                let causes = self.causes(state, consumed, Some(extra));
                let reasons = flow::branches(state, *kind, *cond, extra);
                let held = match kind.is_hidden() {
                    true => {
                        state.count += 1;
                        Held { causes: causes.0, newest: state.count, ..Held::ZERO }
                    }
                    false => self.plain(state, EventKind::Branch(*kind), None, &[], causes, reasons),
                };
                if let Some(done) = extra.done {
                    set(state, done, Held { value: condition.value, constant: condition.constant, ..held });
                }
            }
            Op::If { cond, then, otherwise } => {
                let held = self.held(state, *cond);
                let holds = self.value(state, *cond)? != Value::ZERO;
                let ops = if holds { then } else { otherwise };
                let flow = flow::guard(state, *cond);
                let guard = Guard { causes: held.causes, newest: held.newest, entered: state.count, flow };
                state.control.frames.push(Frame::branch(ops, guard, held.constant));
            }
            Op::Choice { branches } => {
                let stops = branches.iter().map(|ops| self.branch(state, ops)).collect();
                return Err(Halt::Stop(Box::new(merged(stops))));
            }
            Op::Assume { cond } => {
                if self.value(state, *cond)? == Value::ZERO {
                    return Err(Halt::Stop(Box::new(Stop::Blocked(state.clone()))));
                }
            }
            Op::Await { cond, .. } => {
                if self.value(state, *cond)? == Value::ZERO {
                    return Err(Halt::Stop(Box::new(Stop::Blocked(state.clone()))));
                }
            }
            Op::Jump { target } => self.jump(state, target)?,
            Op::Goto { pc } => state.control.next = Some((state.control.code, *pc as u32)),
            Op::Stop => return Err(Halt::Stop(Box::new(self.ended(state.clone())))),
            Op::Reserve { addr, .. } => state.reserved = Some(self.value(state, *addr)?),
            Op::Conditional { addr, then, otherwise, .. } => {
                let addr = self.value(state, *addr)?;
                if state.reserved.take() == Some(addr) {
                    // A failure can always come next: it is the one that a deleted event must have taken.
                    let stops = vec![self.branch(state, otherwise), self.branch(state, then)];
                    return Err(Halt::Stop(Box::new(Stop::Choice(
                        stops.into_iter().map(Arc::new).collect(),
                    ))));
                }
                state.control.frames.push(Frame::fork(otherwise));
            }
            Op::LoopHead { id: LOOP_CUT } => return Err(self.cut(state, "Recursion".to_string())),
            Op::LoopHead { id } => {
                // In a branch that was known to be taken the program itself counts its passes, unless nothing changes.
                let counts = self.every_pass || !state.control.is_known() || state.goes_round(*id);
                if counts && state.control.passes(*id) > self.unroll {
                    return Err(self.cut(state, "While".to_string()));
                }
            }
            Op::LoopEnter { id } => {
                state.control.enters(*id);
                state.passes.retain(|(loop_id, _)| loop_id != id);
            }
            Op::CompareExchange { addr, expected, desired, size, sets, extra, .. } => {
                let consumed = (&[*addr, *expected, *desired][..], extra);
                self.access(state, op, EventKind::Rmw, (*addr, *size), sets, consumed, None)?;
            }
            Op::Spawn { dst, code, args, own: register } => {
                let args: Vec<_> = args.iter().map(|(reg, tmp)| (*reg, self.held(state, *tmp))).collect();
                self.tells_if(args.iter().any(|(_, held)| held.tells));
                let child = self.cells.thread(state.thread, state.spawned, self.program.threads.len());
                let own = self.fence(state);
                let (state, code, dst) = (state.clone(), *code as u16, *dst);
                let spawn = Spawn { state, child, code, args, dst, own, register: *register };
                return Err(Halt::Stop(Box::new(Stop::Spawn(Box::new(spawn)))));
            }
            Op::Join { thread, dst } => {
                let value = self.value_unseen(state, *thread)?;
                let Some(target) = self.cells.thread_of(value, self.program.threads.len()) else {
                    return Err(Halt::Violation(Property::Thread));
                };
                if target == state.thread {
                    return Err(Halt::Violation(Property::Thread));
                }
                let own = self.fence(state);
                let (state, dst) = (state.clone(), *dst);
                return Err(Halt::Stop(Box::new(Stop::Join(Box::new(Join { state, target, dst, own })))));
            }
            Op::Alloc { dst, size, kind, content } => {
                let size = self.value(state, *size)?.as_int().unwrap_or(0);
                if !(0..i128::from(i64::MAX)).contains(&size) {
                    let what = "an object of a size that no object has";
                    return Err(Halt::Violation(Property::Arithmetic(what.to_string())));
                }
                let object = Object {
                    size: size as i64,
                    kind: *kind,
                    content: *content,
                    at: (state.control.code, state.control.pc),
                };
                // An object that nobody else sees is gone when the same instruction makes another.
                let private = *kind == Storage::Private;
                let nth = if private { 0 } else { state.made };
                let sym = self.cells.object(state.thread, nth, object);
                match private {
                    true => state.private.retain(|((of, _), _)| *of != sym),
                    false => {
                        state.made += 1;
                        state.changes += 1;
                        self.makes(state, sym, *kind);
                    }
                }
                set(state, *dst, Held { value: Ok(Value::addr(sym)), ..Held::ZERO });
            }
            Op::Free { addr, kind } => self.free(state, *addr, *kind)?,
            Op::Assert { cond, property } => {
                if self.value(state, *cond)? == Value::ZERO {
                    if !property.is_caution() {
                        return Err(Halt::Violation(property.clone()));
                    }
                    self.caution(state, property.clone());
                }
            }
            Op::Nondet { dst, low, high } => {
                if high.saturating_sub(*low) >= MAX_CHOICES {
                    return Err(Halt::Error(
                        Diagnostic::unsupported("grow::many-values", "a choice among too many values")
                            .unless(Remedy::OtherEngine)
                            .at(self.instr(state).span, "here")
                            .help(format!("at most {MAX_CHOICES} can be tried")),
                    ));
                }
                let stops = (*low..=*high).map(|n| {
                    let mut state = state.clone();
                    let held = Held { value: Ok(Value::Int(n)), constant: false, ..Held::ZERO };
                    set(&mut state, *dst, held);
                    // Each is looked at when it is its turn: there may be no end of choices.
                    Arc::new(Stop::Ready(Box::new(state)))
                });
                return Err(Halt::Stop(Box::new(Stop::Choice(stops.collect()))));
            }
            Op::Print { args, .. } => {
                let values = args.iter().map(|arg| self.held(state, *arg).value.ok()).collect();
                let (code, pc) = (state.control.code, state.control.pc);
                state.printed.push(Printed { code, pc, instance: state.control.instance, values });
            }
            // Only dependencies look at these.
            Op::CondBegin | Op::CondEnd | Op::ControlSave { .. } | Op::ControlRestore { .. } => {
                flow::passes(state, op);
            }
        }
        Ok(())
    }

    pub(super) fn branch(&self, state: &State<'p>, ops: &'p [Op]) -> Stop<'p> {
        let mut state = state.clone();
        state.control.frames.push(Frame::fork(ops));
        self.run(state)
    }

    /// Notes what C has no rule for.
    fn caution(&self, state: &mut State<'p>, property: Property) {
        let caution = Caution { property, code: state.control.code, pc: state.control.pc };
        if !state.cautions.contains(&caution) {
            state.cautions.push(caution);
        }
    }

    pub(super) fn compute(&self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.program.bits;
        let (dst, held) = match op {
            Op::Const { dst, value } => (*dst, Held { value: Ok(*value), ..Held::ZERO }),
            Op::Unary { dst, op, a } => {
                let of = self.held(state, *a);
                let value = of.value.and_then(|a| match (op, a) {
                    (UnOp::Extent, Value::Addr { sym, .. }) => {
                        let size = self.cells.extent(sym).ok_or(IllegalOp::Unary(*op, a))?;
                        Ok(Value::Int(size.into()))
                    }
                    _ => eval_unary(*op, a, bits),
                });
                // What a type of signed numbers cannot hold.
                if matches!(op, UnOp::SignExtend(_))
                    && state.sum == Some(*a)
                    && value != of.value
                    && self.properties
                {
                    self.caution(state, Property::Overflow);
                }
                // What only says so in another form is not looked at.
                self.tells_if(of.tells && value != of.value);
                self.tells_if(*op == UnOp::AsNumber && of.value.is_ok_and(|value| self.is_made(value)));
                (*dst, Held { value, ..of })
            }
            Op::Binary { dst, op, a, b } => {
                let (left, right) = (self.held(state, *a), self.held(state, *b));
                let value = match (left.value, right.value) {
                    (Ok(a), Ok(b)) => eval_binary(*op, a, b, bits),
                    (Err(illegal), _) | (_, Err(illegal)) => Err(illegal),
                };
                state.sum = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul).then_some(*dst);
                self.tells_if(left.tells || right.tells);
                if let (Ok(a @ Value::Addr { sym: s, .. }), Ok(b @ Value::Addr { sym: t, .. })) =
                    (left.value, right.value)
                {
                    let ordered = s != t && !matches!(op, BinOp::Eq | BinOp::Ne);
                    self.tells_if(ordered && (self.is_made(a) || self.is_made(b)));
                }
                // What is subtracted from itself is known, whatever it is.
                let cancels = a == b && matches!(op, BinOp::Sub | BinOp::Xor | BinOp::Eq | BinOp::Ne);
                (
                    *dst,
                    Held {
                        value,
                        constant: left.constant && right.constant || cancels,
                        causes: left.causes | right.causes,
                        newest: left.newest.max(right.newest),
                        tells: false,
                    },
                )
            }
            Op::Taint { dst, a, also } => {
                let mut held = self.held(state, *a);
                for tmp in also {
                    let other = self.held(state, *tmp);
                    held.causes |= other.causes;
                    held.newest = held.newest.max(other.newest);
                }
                (*dst, held)
            }
            _ => {
                return Err(Diagnostic::internal("only computations may stand in a read-modify-write")
                    .at(self.instr(state).span, "here"));
            }
        };
        set(state, dst, held);
        flow::computed(state, op);
        Ok(())
    }
}

/// What a read-modify-write consumes besides its address, apart from the value that it reads.
fn operands(ops: &[Op], update: Tmp, consumed: &mut Vec<Tmp>) {
    let mut made = Vec::new();
    for op in ops {
        match op {
            Op::Const { dst, .. } => made.push(*dst),
            Op::Unary { dst, a, .. } => {
                consumed.push(*a);
                made.push(*dst);
            }
            Op::Binary { dst, a, b, .. } => {
                consumed.extend([*a, *b]);
                made.push(*dst);
            }
            Op::Taint { dst, a, also } => {
                consumed.push(*a);
                consumed.extend(also);
                made.push(*dst);
            }
            _ => {}
        }
    }
    consumed.push(update);
    consumed.retain(|tmp| !made.contains(tmp));
}

/// Several ways to go on. Reads of one cell stay together: the value read will choose among them.
fn merged(stops: Vec<Stop>) -> Stop {
    let cell = |stop: &Stop| match stop {
        Stop::Access(leaves) if leaves.iter().all(|leaf| leaf.access.kind != EventKind::Write) => {
            Some(leaves[0].access.cell)
        }
        _ => None,
    };
    let first = stops.first().and_then(cell);
    if first.is_some() && stops.iter().all(|stop| cell(stop) == first) {
        let leaves = stops.into_iter().flat_map(|stop| match stop {
            Stop::Access(leaves) => leaves,
            _ => Vec::new(),
        });
        return Stop::Access(leaves.collect());
    }
    Stop::Choice(stops.into_iter().map(Arc::new).collect())
}
