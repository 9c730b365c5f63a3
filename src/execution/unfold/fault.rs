//! Exceptions: the event, and where the thread goes on.

use super::{Flow, State, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::EventKind;
use crate::program::{AccessSize, Fault, OnFault, Op, Resume, Value, any_op};

impl<'p> Unfolding<'p> {
    /// Runs an [`Op::Fault`].
    pub(super) fn fault(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Fault { kind, sets, addr, resume, extra } = op else { return Ok(Flow::On) };
        let labels = match resume {
            Resume::Later => Vec::new(),
            _ => self.program.labels_at(usize::from(state.control.code), state.control.pc as usize),
        };
        let mut fault = Fault {
            thread: self.thread,
            labels,
            address: None,
            symbol: None,
            kind: kind.to_string(),
            remark: None,
        };
        let mut sources = Vec::new();
        let mut at = None;
        if let Some(addr) = addr {
            let Some(address) = self.pinned(state, *addr, op)? else { return Ok(Flow::Over) };
            at = Some(address);
            sources = self.sources(state, &[*addr])?;
            fault.address = Some(match address {
                Value::Addr { sym, offset } if self.program.code_cells.iter().any(|cell| cell.sym == sym) => {
                    let plus = if offset == 0 { String::new() } else { format!("+{offset}") };
                    format!("label:\"{}\"{plus}", self.program.symbol(sym))
                }
                address => self.program.show(address),
            });
            fault.symbol = match address {
                Value::Addr { sym, .. } | Value::Tagged { sym, .. } => {
                    Some(self.program.symbol(sym).to_string())
                }
                Value::PteAddr(_) | Value::TableAddr(_) => fault.address.clone(),
                _ => None,
            };
            // Page tables are out of reach for unprivileged code.
            let out_of_reach = matches!(address, Value::PteAddr(_)) && !self.program.machine.squared;
            fault.remark = out_of_reach.then_some("EL0");
        }
        let id = self.event(state, EventKind::Other, None, None, sets.clone());
        if let Some(address) = at {
            state.path.events[id as usize].at = Some(address);
            let plain = match address {
                Value::Tagged { sym, offset, .. } => Value::Addr { sym, offset },
                other => other,
            };
            if let Ok(spot) = self.known_spot(state, plain, AccessSize(0), false) {
                Self::place(state, id, spot);
            }
        }
        self.edges(state, id, &sources, extra)?;
        match self.program.faults.number(fault) {
            Ok(number) => state.path.faults.extend(number),
            Err(most) => {
                let message = format!("the test has more than {most} different faults");
                return Err(Diagnostic::unsupported("program::too-many-faults", message)
                    .at(self.instr(state).span, "one more here"));
            }
        }
        match resume {
            Resume::Later => Ok(Flow::On),
            resume => Ok(self.after_fault(state, *resume)),
        }
    }

    /// Ends the instruction and finds out where to go on.
    fn after_fault(&mut self, state: &mut State<'p>, resume: Resume) -> Flow {
        state.control.frames.clear();
        // A store-exclusive that faults has lost its reservation: run again, it fails.
        let ops = &self.instr(state).ops;
        if state.reserved.is_some() && any_op(ops, |op| matches!(op, Op::Conditional { .. })) {
            state.reserved = None;
        }
        let handler = self.program.threads[self.thread].handler;
        if state.in_handler {
            // Nobody deals with a fault of the handler itself: such executions are left out, as herd7 does.
            if handler.is_some() && self.warnings.is_empty() {
                let message = "a fault inside a fault handler: outcomes may be missing";
                let warning = Diagnostic::warning("program::fault-in-handler", message);
                self.warnings.push(warning.at(self.instr(state).span, "faults here, in the handler"));
            }
            return Flow::Over;
        }
        let here = (state.control.code, state.control.pc);
        let next = (here.0, here.1 + 1);
        match (handler, self.program.features.on_fault, resume) {
            (Some(handler), ..) => {
                state.in_handler = true;
                state.control.next = Some((self.thread as u16, handler as u32));
            }
            (None, OnFault::Fatal, _) => {
                self.finish(state.clone());
                return Flow::Over;
            }
            (None, OnFault::Skip, _) | (None, OnFault::Handled, Resume::Next) => {
                state.control.next = Some(next);
            }
            (None, OnFault::Handled, Resume::Again | Resume::Later) => {
                state.in_handler = true;
                state.control.next = Some(here);
            }
        }
        Flow::On
    }
}
