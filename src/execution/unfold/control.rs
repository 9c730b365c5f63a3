//! Where control goes: branches, jumps, loops and their bounds.

use super::{Flow, Frame, State, Temp, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::{Cut, EventKind, SymVal};
use crate::program::{BinOp, Op, SetName, Target, Tmp, Value};

impl<'p> Unfolding<'p> {
    /// Forks on a condition, unless it is known.
    pub(super) fn branch(
        &mut self,
        state: &mut State<'p>,
        cond: Tmp,
        then: &'p [Op],
        otherwise: &'p [Op],
    ) -> Result<Flow, Diagnostic> {
        let bits = self.bits();
        let Temp { value, sources } = self.temp(state, cond)?.clone();
        if let Some(diagnostic) = self.meaningless(state, &value) {
            return Ok(self.fail(state, diagnostic));
        }
        let constant = value.known().is_some();
        let frame = |ops, state: &State| Frame {
            ops,
            at: 0,
            guard: Some((sources.clone(), state.n_events())),
            constant,
        };
        match state.path.constraints.decide(&value, bits) {
            Some(true) => state.frames.push(frame(then, state)),
            Some(false) => state.frames.push(frame(otherwise, state)),
            None => {
                let mut other = state.clone();
                if other.path.constraints.assume(&value, false, bits) {
                    other.frames.push(frame(otherwise, state));
                    self.waiting.push(other);
                }
                if !state.path.constraints.assume(&value, true, bits) {
                    return Ok(Flow::Over);
                }
                state.frames.push(frame(then, state));
            }
        }
        Ok(Flow::On)
    }

    /// Goes to `target` after this instruction, unless that is once too often.
    pub(super) fn jump(
        &mut self,
        state: &mut State<'p>,
        target: &Target,
        op: &'p Op,
    ) -> Result<Flow, Diagnostic> {
        let target = match target {
            Target::Pc(pc) => (state.code, *pc),
            Target::Indirect(tmp) => {
                let Temp { value, sources } = self.temp(state, *tmp)?.clone();
                match state.path.constraints.fold(&value, self.bits()) {
                    SymVal::Known(Value::Code { thread, pc }) => (usize::from(thread), usize::from(pc)),
                    SymVal::Known(known) => {
                        let diagnostic = self.no_target(state, Some(known));
                        return Ok(self.fail(state, diagnostic));
                    }
                    value => {
                        self.fork_over_labels(state, *tmp, &value, &sources, op);
                        return Ok(Flow::Over);
                    }
                }
            }
        };
        let is_back = target.0 == state.code && target.1 <= state.pc;
        if is_back && !self.is_unlimited(state) {
            let count = match state.jumps.iter_mut().find(|(to, _)| *to == target) {
                Some((_, count)) => count,
                None => {
                    state.jumps.push((target, 0));
                    &mut state.jumps.last_mut().expect("just pushed").1
                }
            };
            *count += 1;
            if *count > self.unroll {
                let label = self.program.label_at(target.0, target.1);
                let label = label.map_or_else(|| format!("##{}", target.1), str::to_string);
                return Ok(self.cut(state, label));
            }
        }
        state.next = Some(target);
        Ok(Flow::On)
    }

    /// An indirect branch on a value not known: to any label, of any thread.
    fn fork_over_labels(
        &mut self,
        state: &mut State<'p>,
        tmp: Tmp,
        value: &SymVal,
        sources: &[u32],
        op: &'p Op,
    ) {
        let bits = self.bits();
        let mut targets: Vec<(usize, usize)> = Vec::new();
        for (thread, code) in self.program.threads.iter().enumerate() {
            targets.extend(code.labels.iter().map(|(_, pc)| (thread, *pc)));
        }
        targets.sort_unstable();
        targets.dedup();
        let mut elsewhere = state.clone();
        let mut elsewhere_is_possible = true;
        for (thread, pc) in targets.into_iter().rev() {
            let code = Value::Code { thread: thread as u16, pc: pc as u16 };
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(code), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, tmp, SymVal::Known(code), sources.to_vec());
                Self::again(&mut fork, op);
                self.waiting.push(fork);
            }
            elsewhere_is_possible =
                elsewhere_is_possible && elsewhere.path.constraints.assume(&here, false, bits);
        }
        if elsewhere_is_possible {
            let diagnostic = self.no_target(state, None);
            self.fail(&mut elsewhere, diagnostic);
        }
    }

    /// AArch64 alone follows a jump on a known value as often as it is taken: herd7 does, and so counted loops end.
    fn is_unlimited(&self, state: &State) -> bool {
        let mut guards = state.frames.iter().filter(|frame| frame.guard.is_some()).peekable();
        self.program.conventions.follows_known_jumps
            && guards.peek().is_some()
            && guards.all(|frame| frame.constant)
    }

    fn no_target(&self, state: &State<'p>, value: Option<Value>) -> Diagnostic {
        let what = match value {
            Some(value) => format!("`{}`", self.program.show(value)),
            None => "a value read from memory".to_string(),
        };
        Diagnostic::error(
            "program::no-branch-target",
            format!("indirect branch to {what}, which is no label"),
        )
        .at(self.instr(state).span, "this branch")
    }

    /// The unrolling bound is reached: the path ends here.
    pub(super) fn cut(&mut self, state: &mut State<'p>, label: String) -> Flow {
        let span = self.instr(state).span;
        self.event(state, EventKind::Other, None, None, vec![SetName::Borrowed("CutOff")]);
        let mut over = state.clone();
        over.path.cut = Some(Cut { thread: self.thread, label, span });
        self.finish(over);
        Flow::Over
    }
}
