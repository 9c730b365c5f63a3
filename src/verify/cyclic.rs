//! An execution of a closed program, with a cycle of program order and `rf`, as the rest of this folder looks at executions.

use super::facts::Facts;
use super::trace::{self, Step};
use crate::execution::{self, EventKind};
use crate::grow::{Event, Execution};
use crate::program::{IllegalOp, Program, Reg, Value};
use crate::source::Span;

/// Such an execution. Its threads are those that were started, in this order.
pub(super) struct Cyclic<'e> {
    execution: &'e execution::Execution,
    program: &'e Program,
    /// The code that each thread runs.
    codes: Vec<u16>,
}

/// A write that is the last of its cell.
pub(super) struct Left {
    pub span: Span,
    pub text: String,
    pub address: Value,
    pub value: Value,
    /// In bytes.
    pub size: u8,
}

impl<'e> Cyclic<'e> {
    pub fn new(execution: &'e execution::Execution, program: &'e Program, codes: &[u16]) -> Cyclic<'e> {
        Cyclic { execution, program, codes: codes.to_vec() }
    }

    /// Its steps, thread by thread: there is no order of all of them.
    pub fn steps(&self) -> Vec<Step> {
        let facts = Facts::new(self);
        let all = facts.threads.iter().flatten();
        all.filter_map(|n| trace::step(facts.events[*n].as_ref()?, &facts, self.program)).collect()
    }

    /// What a thread wrote last into a cell.
    pub fn left(&self, thread: u16) -> Vec<Left> {
        let execution::Execution { events, values, co, .. } = self.execution;
        let own = events.iter().enumerate().filter(|(_, e)| e.thread == Some(thread) && e.is_write());
        own.filter(|(n, _)| (0..events.len()).all(|other| !co.contains(*n, other)))
            .filter_map(|(n, event)| {
                let location = self.program.locations.get(usize::from(event.loc?.0))?;
                let code = *self.codes.get(usize::from(thread))?;
                let instr = self.program.threads[usize::from(code)].code.get(event.pc as usize)?;
                let (read, written) = values[n];
                Some(Left {
                    span: instr.span,
                    text: instr.text.clone(),
                    address: Value::Addr { sym: location.sym, offset: location.offset },
                    value: written.or(read)?,
                    size: event.size?,
                })
            })
            .collect()
    }

    /// The number by which a thread that was started is known.
    fn number(&self, thread: u16) -> u16 {
        self.program.threads.len() as u16 + thread
    }
}

impl Execution for Cyclic<'_> {
    fn n_events(&self) -> usize {
        self.execution.events.len()
    }

    fn event(&self, number: usize) -> Option<Event<'_>> {
        let event = self.execution.events.get(number)?;
        let (read, written) = *self.execution.values.get(number)?;
        if matches!(event.kind, EventKind::RegRead(..) | EventKind::RegWrite(_)) {
            return None;
        }
        let code = event.thread.map_or(Some(0), |thread| self.codes.get(usize::from(thread)).copied())?;
        Some(Event {
            thread: event.thread.map(|thread| self.number(thread)),
            instance: event.instance,
            code,
            pc: event.pc,
            kind: event.kind,
            cell: event.loc.map(|loc| loc.0),
            at: None,
            sets: &event.sets,
            read,
            written,
            source: (0..self.n_events()).find(|write| self.execution.rf.contains(*write, number)),
            spawns: None,
            joins: None,
            frees: None,
        })
    }

    fn coherence(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    fn register(&self, _: usize, _: Reg) -> Result<Value, IllegalOp> {
        Ok(Value::ZERO)
    }

    fn is_before(&self, first: usize, second: usize) -> bool {
        self.execution.po.contains(first, second)
    }

    fn memory(&self, cell: usize) -> Value {
        self.execution.state.get(cell).copied().unwrap_or(Value::ZERO)
    }

    fn key(&self) -> String {
        String::new()
    }
}
