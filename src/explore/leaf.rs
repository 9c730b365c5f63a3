//! Complete executions: their final values and flags, and whether they are asked for.

use std::ops::ControlFlow;

use super::candidates::Candidate;
use super::choices::State;
use super::evaluator::holds;
use super::finals::Finals;
use super::mask::Mask;
use super::naive;
use super::search::Search;
use super::sink::Found;
use crate::model::CheckKind;
use crate::outcome::{Cause, Count};
use crate::program::Value;
use crate::relation::rows::{self, Row};

impl<const W: usize> Search<'_, '_, W> {
    /// Everything that matters is chosen: hands over as many executions as there are ways to make the other choices.
    pub(super) fn leaf(&mut self, state: &mut State<W>, ways: &Count) -> ControlFlow<()> {
        let problem = self.problem;
        self.find_last(state);
        let mut values = std::mem::take(&mut self.values);
        if problem.plain_values {
            for (read, row) in problem.reads.iter().zip(&state.candidates) {
                let write = rows::lowest(row).unwrap_or(0);
                values[read.event] = problem.known_values[write];
            }
        } else {
            values.clone_from(&state.values);
            for (read, row) in problem.reads.iter().zip(&state.candidates) {
                if values[read.event].is_none()
                    && let Some(write) = rows::lowest(row)
                {
                    values[read.event] = self.written(&state.values, write);
                }
            }
        }
        let flow = if problem.reads.iter().any(|read| values[read.event].is_none()) {
            // Values that depend on themselves come out of thin air.
            self.sink.value_conflict();
            ControlFlow::Continue(())
        } else {
            if self.is_kept() {
                self.sink.keep(ways);
            }
            let last = std::mem::take(&mut self.last);
            let flow = self.accept(state, &values, &last, ways);
            self.last = last;
            flow
        };
        self.values = values;
        flow
    }

    /// Notes what was chosen: the paths, `rf`, final writes, orders and options.
    #[cfg(test)]
    fn note(&self, state: &State<W>, last: &[usize]) {
        let Some(completed) = &self.options.completed else { return };
        let world = self.problem.world;
        let choices = (&state.candidates, &state.orders, &state.options, last);
        let note = format!("{:?} {:?} {choices:?}", world.constraints, world.events);
        completed.lock().expect("no test panics while it notes").push(note);
    }

    /// Tells of executions, and keeps them if they are to be shown.
    pub(super) fn accept(
        &mut self,
        state: &State<W>,
        values: &[Option<Value>],
        last: &[usize],
        ways: &Count,
    ) -> ControlFlow<()> {
        let before = self.hits();
        let flow = self.tell(state, values, last, ways);
        self.keep_sources(before, &state.candidates);
        flow
    }

    fn tell(
        &mut self,
        state: &State<W>,
        values: &[Option<Value>],
        last: &[usize],
        ways: &Count,
    ) -> ControlFlow<()> {
        #[cfg(test)]
        self.note(state, last);
        let problem = self.problem;
        if let Some(plain) = &self.plain {
            let kept = &problem.code.numbering.kept;
            let source = |row: &Row<W>| rows::lowest(row).map_or(0, |write| kept[write]);
            let sources: Vec<usize> = state.candidates.iter().map(source).collect();
            let candidate = Candidate { sources: &sources, values, last };
            return naive::run_model(problem.model, plain, problem.view, self.options, &candidate, self.sink);
        }
        let finals = Finals::new(problem.view, values, last, &problem.registers);
        if !self.sink.wanted(&|o| finals.value(o)) {
            return ControlFlow::Continue(());
        }
        if !problem.harmless
            && let Some(illegal) = finals.illegal(&self.sink.test().observed)
        {
            return self.sink.fail(illegal);
        }
        if self.keep(values, last, ways) {
            return ControlFlow::Continue(());
        }
        let mut flags: Vec<&str> = problem.sure_flags.iter().map(String::as_str).collect();
        let mut undefined = problem.sure_undefined;
        if !state.open_flags.is_empty() {
            self.eval.wanted = Mask::ALL;
            self.eval.load(state);
            self.eval.run_items(&problem.code.main, state);
            self.eval.run_items(&problem.code.late, state);
        }
        for (index, flag) in problem.flags.iter().enumerate() {
            let raised = if state.open_flags.has(index) {
                let (at, size) = self.eval.place(flag.slot);
                holds(flag.test, &self.eval.must[at..at + size]) != flag.negated
            } else {
                state.flags_hold.has(index)
            };
            match (flag.kind, raised) {
                (CheckKind::Flag, true) => {
                    if let Cause::Check(name) = &flag.name {
                        flags.push(name);
                    }
                }
                (CheckKind::UndefinedUnless, false) => undefined = true,
                _ => {}
            }
        }
        self.sink.record(&|o| finals.value(o), &Found { flags: &flags, undefined, ways })
    }

    /// The final write of each observed cell.
    pub(super) fn find_last(&mut self, state: &State<W>) {
        let kept = &self.problem.code.numbering.kept;
        for last in &self.problem.last_of_order {
            let rel = state.order(last.choice);
            let end = last.writes.iter().find(|w| !last.writes.iter().any(|o| rows::has(&rel[**w], *o)));
            self.last[last.position] = end.map_or(0, |write| kept[*write]);
        }
        for (last, row) in self.problem.finals.iter().zip(&state.finals) {
            self.last[last.position] = rows::lowest(row).map_or(0, |write| kept[write]);
        }
    }
}
