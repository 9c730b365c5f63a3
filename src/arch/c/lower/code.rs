//! Instructions under construction: micro-ops, temporaries, jump targets.

use crate::diag::Diagnostic;
use crate::program::{Instr, Op, Target, Thread, Tmp, Value};
use crate::source::Span;

/// A place in the code that may not be known yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(usize);

/// The code of one thread.
#[derive(Default)]
pub struct Code {
    instrs: Vec<Instr>,
    /// Program counter of each label.
    labels: Vec<Option<usize>>,
    /// Labels of the test, by name.
    named: Vec<(String, Label)>,
    /// Micro-ops of the instruction under construction.
    ops: Vec<Op>,
    next_tmp: usize,
}

impl Code {
    pub fn new_label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// A label that the test names.
    pub fn named_label(&mut self, name: &str) -> Label {
        if let Some((_, label)) = self.named.iter().find(|(other, _)| other == name) {
            return *label;
        }
        let label = self.new_label();
        self.named.push((name.to_string(), label));
        label
    }

    /// The next instruction is what `label` stands for.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.instrs.len());
    }

    pub fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    /// A new temporary.
    pub fn tmp(&mut self) -> Tmp {
        self.next_tmp += 1;
        Tmp(u16::try_from(self.next_tmp - 1).unwrap_or(u16::MAX))
    }

    pub fn push(&mut self, op: Op) {
        crate::limits::poll();
        self.ops.push(op);
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> Tmp {
        let dst = self.tmp();
        self.push(Op::Const { dst, value });
        dst
    }

    /// A jump forwards, or one that a loop's own bound limits.
    pub fn goto(label: Label) -> Op {
        Op::Goto { pc: label.0 }
    }

    /// A jump of the test: backwards, it counts against the unrolling bound.
    pub fn jump(label: Label) -> Op {
        Op::Jump { target: Target::Pc(label.0) }
    }

    /// Starts a list of micro-ops that is not the instruction's own; gives back the one interrupted.
    pub fn start_list(&mut self) -> Vec<Op> {
        std::mem::take(&mut self.ops)
    }

    /// Ends the list started last, and goes back to the one interrupted.
    pub fn end_list(&mut self, interrupted: Vec<Op>) -> Vec<Op> {
        std::mem::replace(&mut self.ops, interrupted)
    }

    /// Drops constants that were computed last: the value of a statement that nobody looks at.
    pub fn drop_unused(&mut self) {
        while matches!(self.ops.last(), Some(Op::Const { .. })) {
            self.ops.pop();
        }
    }

    /// Ends the instruction under construction, if there is anything in it.
    pub fn end_instr(&mut self, text: impl FnOnce() -> String, span: Span) {
        let ops = std::mem::take(&mut self.ops);
        self.next_tmp = 0;
        if !ops.is_empty() {
            self.instrs.push(Instr { text: text(), span, ops });
        }
    }

    /// One instruction that makes no event.
    pub fn silent(&mut self, ops: Vec<Op>, span: Span) {
        debug_assert!(self.ops.is_empty());
        self.instrs.push(Instr { text: String::new(), span, ops });
    }

    /// Forgets a half-built instruction (after an error).
    pub fn abandon(&mut self) {
        self.ops.clear();
        self.next_tmp = 0;
    }

    /// The thread, with every label resolved.
    ///
    /// # Errors
    /// An instruction that is too long.
    pub fn finish(mut self) -> Result<Thread, Diagnostic> {
        let end = self.instrs.len();
        let labels = std::mem::take(&mut self.labels);
        for instr in &mut self.instrs {
            if longest(&instr.ops) > usize::from(u16::MAX) {
                return Err(Diagnostic::unsupported("c::too-long", "this statement is too long")
                    .at(instr.span, format!("more than {} operations", u16::MAX))
                    .help("cut it into several statements"));
            }
            resolve(&mut instr.ops, &labels, end);
        }
        let named = self.named.iter().filter_map(|(name, label)| Some((name.clone(), labels[label.0]?)));
        Ok(Thread { labels: named.collect(), code: self.instrs, ..Thread::default() })
    }
}

fn longest(ops: &[Op]) -> usize {
    let inner = ops.iter().map(|op| match op {
        Op::If { then, otherwise, .. } => longest(then) + longest(otherwise),
        Op::Choice { branches } => branches.iter().map(|b| longest(b)).sum(),
        _ => 0,
    });
    ops.len() + inner.sum::<usize>()
}

fn resolve(ops: &mut [Op], labels: &[Option<usize>], end: usize) {
    for op in ops {
        match op {
            Op::Goto { pc } | Op::Jump { target: Target::Pc(pc) } => *pc = labels[*pc].unwrap_or(end),
            Op::If { then, otherwise, .. } => {
                resolve(then, labels, end);
                resolve(otherwise, labels, end);
            }
            Op::Choice { branches } => branches.iter_mut().for_each(|branch| resolve(branch, labels, end)),
            _ => {}
        }
    }
}
