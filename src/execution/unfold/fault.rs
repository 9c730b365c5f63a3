//! Exceptions: the event, and where the thread goes on.

use super::{Flow, State, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::EventKind;
use crate::program::{AccessSize, Fault, OnFault, Op, Resume, Value};

impl<'p> Unfolding<'p> {
    /// Runs an [`Op::Fault`].
    pub(super) fn fault(&mut self, state: &mut State<'p>, op: &'p Op) -> Result<Flow, Diagnostic> {
        let Op::Fault { kind, sets, addr, resume, extra } = op else { return Ok(Flow::On) };
        let mut fault = Fault {
            thread: self.thread,
            labels: self.program.labels_at(state.code, state.pc),
            address: None,
            symbol: None,
            kind: kind.to_string(),
        };
        let mut spot = None;
        let mut sources = Vec::new();
        if let Some(addr) = addr {
            spot = self.spot(state, *addr, AccessSize(0), op)?;
            if spot.is_none() {
                return Ok(Flow::Over);
            }
            sources = self.sources(state, &[*addr])?;
            let address = state.path.constraints.fold(&self.temp(state, *addr)?.value, self.bits());
            if let Some(address) = address.known() {
                fault.address = Some(self.program.show(address));
                if let Value::Addr { sym, .. } = address {
                    fault.symbol = Some(self.program.symbols[usize::from(sym.0)].clone());
                }
            }
        }
        let id = self.event(state, EventKind::Other, None, None, sets.clone());
        if let Some(spot) = spot {
            Self::place(state, id, spot);
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
        Ok(self.after_fault(state, *resume))
    }

    /// Ends the instruction and finds out where to go on.
    fn after_fault(&mut self, state: &mut State<'p>, resume: Resume) -> Flow {
        state.frames.clear();
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
        let next = (state.code, state.pc + 1);
        match (handler, self.program.features.on_fault, resume) {
            (Some(handler), ..) => {
                state.in_handler = true;
                state.next = Some((self.thread, handler));
            }
            (None, OnFault::Fatal, _) => {
                self.finish(state.clone());
                return Flow::Over;
            }
            (None, OnFault::Skip, _) | (None, OnFault::Handled, Resume::Next) => state.next = Some(next),
            (None, OnFault::Handled, Resume::Again) => {
                state.in_handler = true;
                state.next = Some((state.code, state.pc));
            }
        }
        Flow::On
    }
}
