//! What a path computes by itself, and what it needs to know of the values.

use super::{Flow, MAX_NODES, State, Temp, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::SymVal;
use crate::program::{IllegalOp, Op, Tmp, UnOp, Value, Walk, addresses};

impl<'p> Unfolding<'p> {
    /// The micro-ops that only compute.
    pub(super) fn compute(&mut self, state: &mut State<'p>, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let (dst, value, sources, forked) = match op {
            Op::Const { dst, value } => (*dst, SymVal::Known(*value), Vec::new(), false),
            Op::Unary { dst, op, a } => {
                let Temp { value, sources, forked } = self.temp(state, *a)?.clone();
                // What a handler does is privileged.
                let op = match op {
                    UnOp::Walk(walk) if state.in_handler => &UnOp::Walk(Walk { user: false, ..*walk }),
                    op => op,
                };
                (*dst, SymVal::unary(*op, value, bits), sources, forked)
            }
            Op::Binary { dst, op, a, b } => {
                let Temp { value: left, forked, .. } = self.temp(state, *a)?.clone();
                let right = self.temp(state, *b)?;
                let forked = forked || right.forked;
                let value = SymVal::binary(*op, left, right.value.clone(), bits);
                (*dst, value, self.sources(state, &[*a, *b])?, forked)
            }
            Op::From { dst, a, from } => {
                let Temp { value, forked, .. } = self.temp(state, *a)?.clone();
                (*dst, value, self.sources(state, from)?, forked)
            }
            Op::Taint { dst, a, also } => {
                let Temp { value, forked, .. } = self.temp(state, *a)?.clone();
                (*dst, value, self.sources(state, &[&[*a], also.as_slice()].concat())?, forked)
            }
            _ => {
                return Err(Diagnostic::internal("only computations may stand in a read-modify-write")
                    .at(self.instr(state).span, "here"));
            }
        };
        if value.is_larger_than(MAX_NODES) {
            return Err(Diagnostic::unsupported(
                "program::too-large-value",
                "a value computed here is too large a function of what was read",
            )
            .at(self.instr(state).span, "this instruction"));
        }
        Self::set(state, dst, value, sources);
        Self::taint(state, dst, forked);
        Ok(())
    }

    /// A value that depends on no read and yet is not known: an operation in it has no meaning.
    pub(super) fn meaningless(&self, state: &State<'p>, value: &SymVal) -> Option<Diagnostic> {
        let illegal = value.eval(&[], self.bits()).err()?;
        let here = Some(self.instr(state).span);
        let maker = state.path.events.iter().find(|event| event.needs(illegal, &[], self.bits()));
        if let (IllegalOp::Unary(op, address @ Value::Int(_)), None) = (illegal, maker)
            && op.wants_address()
            && !addresses(self.instr(state)).is_empty()
        {
            return Some(self.no_cell(state, address));
        }
        Some(illegal.diagnostic(self.program, maker.map_or(here, |event| event.place(self.program))))
    }

    /// A value must have a meaning in the end.
    pub(super) fn need(&mut self, state: &mut State<'p>, a: Tmp) -> Result<Flow, Diagnostic> {
        let value = state.path.constraints.fold(&self.temp(state, a)?.value, self.bits());
        if let Some(diagnostic) = self.meaningless(state, &value) {
            return Ok(self.fail(state, diagnostic));
        }
        if value.known().is_none() {
            state.path.collisions.push((value.clone(), value, true));
        }
        Ok(Flow::On)
    }

    /// The path can be only where the value is not zero.
    pub(super) fn assume(&mut self, state: &mut State<'p>, cond: Tmp) -> Result<Flow, Diagnostic> {
        let cond = self.temp(state, cond)?.value.clone();
        let can_be =
            self.is_possible(state, &cond) && state.path.constraints.assume(&cond, true, self.bits());
        Ok(if can_be { Flow::On } else { Flow::Over })
    }
}
