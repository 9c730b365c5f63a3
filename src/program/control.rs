//! Where a thread is in its code: what running micro-ops has in common, whatever values are.
//!
//! The unfolder runs a thread on symbolic values and forks, the growing engine runs it on values that are known. Which micro-op comes
//! next, which branches stand around it and how often a loop was gone through are one thing for both.

use super::{Instr, Op, Program};
use crate::diag::Diagnostic;

/// A place in the code: whose it is, and the index of the instruction.
pub type CodeAt = (u16, u32);

/// A list of micro-ops being run.
#[derive(Clone)]
pub struct Frame<'p, G> {
    /// The list.
    pub ops: &'p [Op],
    at: u32,
    /// For a branch of an [`Op::If`]: what its condition comes from.
    pub guard: Option<G>,
    /// Was that condition a known constant, the same on all ways to it?
    pub constant: bool,
    /// Is it one way of several that the machine may take (or a branch on which way it took)?
    pub forked: bool,
}

impl<'p, G> Frame<'p, G> {
    /// An instruction as a whole.
    pub fn plain(ops: &'p [Op]) -> Frame<'p, G> {
        Frame { ops, at: 0, guard: None, constant: false, forked: false }
    }

    /// One way of several.
    pub fn fork(ops: &'p [Op]) -> Frame<'p, G> {
        Frame { forked: true, ..Frame::plain(ops) }
    }

    /// A branch that is taken.
    pub fn branch(ops: &'p [Op], guard: G, constant: bool) -> Frame<'p, G> {
        Frame { guard: Some(guard), constant, ..Frame::plain(ops) }
    }

    /// The micro-op that was taken last.
    pub fn taken(&self) -> Option<&'p Op> {
        self.ops.get((self.at as usize).checked_sub(1)?)
    }

    /// Makes the micro-op taken last the next one again.
    pub fn again(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Runs other micro-ops in place of these.
    pub fn replace(&mut self, ops: &'p [Op]) {
        self.ops = ops;
        self.at = 0;
    }
}

/// Where a thread is in its code.
#[derive(Clone)]
pub struct Control<'p, G> {
    /// The thread whose code is run: its own, unless it jumped elsewhere.
    pub code: u16,
    /// The instruction.
    pub pc: u32,
    /// The lists of micro-ops being run, innermost last; empty between instructions.
    pub frames: Vec<Frame<'p, G>>,
    /// Number of the instruction instance being run.
    pub instance: u32,
    /// Where to go after this instruction, if not to the next one.
    pub next: Option<CodeAt>,
    started: bool,
    /// Backward jumps taken, by target.
    jumps: Vec<(CodeAt, u32)>,
    /// Passes through structured loops.
    loops: Vec<(u32, u32)>,
}

impl<'p, G> Control<'p, G> {
    /// Before the first instruction of a thread's code.
    pub fn new(code: u16) -> Control<'p, G> {
        Control {
            code,
            pc: 0,
            frames: Vec::new(),
            instance: 0,
            next: None,
            started: false,
            jumps: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// The next micro-op of this instruction. None: it is over.
    pub fn next_op(&mut self) -> Option<&'p Op> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(op) = frame.ops.get(frame.at as usize) {
                frame.at += 1;
                return Some(op);
            }
            self.frames.pop();
        }
        None
    }

    /// Moves to the next instruction, which [`Control::begin`] starts. None at the end of the thread.
    pub fn next_instruction(&mut self, program: &'p Program) -> Option<&'p Instr> {
        if self.started {
            (self.code, self.pc) = self.next.take().unwrap_or((self.code, self.pc + 1));
            self.instance += 1;
        }
        self.started = true;
        program.threads[usize::from(self.code)].code.get(self.pc as usize)
    }

    /// Starts an instruction.
    pub fn begin(&mut self, instr: &'p Instr) {
        self.frames.push(Frame::plain(&instr.ops));
    }

    /// The instruction being run.
    pub fn instr(&self, program: &'p Program) -> &'p Instr {
        &program.threads[usize::from(self.code)].code[self.pc as usize]
    }

    /// Is what is run now one way of several?
    pub fn is_forked(&self) -> bool {
        self.frames.iter().any(|frame| frame.forked)
    }

    /// Is what is run now a branch that was known to be taken?
    pub fn is_known(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.guard.is_some() && frame.constant)
    }

    /// Is a jump from here followed as often as it is taken? AArch64 alone does so with jumps on known values: herd7 does, and so counted
    /// loops end.
    pub fn is_unlimited(&self, program: &Program) -> bool {
        let mut guards = self.frames.iter().filter(|frame| frame.guard.is_some()).peekable();
        program.conventions.follows_known_jumps
            && guards.peek().is_some()
            && guards.all(|frame| frame.constant)
    }

    /// Is that where it has been before?
    pub fn is_back(&self, target: CodeAt) -> bool {
        target.0 == self.code && target.1 <= self.pc
    }

    /// One more jump back to that place, of how many by now.
    pub fn jumps_back(&mut self, target: CodeAt) -> u32 {
        count(&mut self.jumps, target)
    }

    /// One more pass through a structured loop, of how many by now.
    pub fn passes(&mut self, id: u32) -> u32 {
        count(&mut self.loops, id)
    }

    /// A structured loop is entered anew.
    pub fn enters(&mut self, id: u32) {
        self.loops.retain(|(loop_id, _)| *loop_id != id);
    }

    /// At the head of a structured loop: goes on as if the condition of the loop had failed. `false`: it has none.
    pub fn leave_loop(&mut self, program: &'p Program) -> bool {
        // The head of a loop stands in the branch that is taken, or right after the condition.
        let around = self.frames.iter().rev().nth(1).and_then(Frame::taken);
        let code = &program.threads[usize::from(self.code)].code;
        let before = || code.get((self.pc as usize).checked_sub(1)?)?.ops.last();
        let (Some(Op::If { otherwise, .. }), Some(inner)) = (around.or_else(before), self.frames.last_mut())
        else {
            return false;
        };
        inner.replace(otherwise);
        self.next = None;
        true
    }

    /// Says in numbers where it is: two that say the same go on in the same way. With `counts`, also how often loops were gone through, for whom that bounds them.
    pub fn tell(&self, counts: bool, say: &mut impl FnMut(u64)) {
        let place = |(code, pc): CodeAt| u64::from(code) << 32 | u64::from(pc);
        say(place((self.code, self.pc)));
        say(self.next.map_or(u64::MAX, place));
        // A list that has been run to its end says nothing any more.
        for frame in self.frames.iter().filter(|frame| (frame.at as usize) < frame.ops.len()) {
            say(frame.ops.as_ptr() as u64);
            let known = u64::from(frame.guard.is_some()) << 2 | u64::from(frame.constant) << 1;
            say(u64::from(frame.at) << 3 | known | u64::from(frame.forked));
        }
        say(u64::MAX);
        if counts {
            for (to, n) in &self.jumps {
                say(place(*to));
                say(u64::from(*n));
            }
            say(u64::MAX);
            for (id, n) in &self.loops {
                say(u64::from(*id) << 32 | u64::from(*n));
            }
            say(u64::MAX);
        }
    }

    /// Has it gone through a loop?
    pub fn has_looped(&self) -> bool {
        !self.jumps.is_empty() || !self.loops.is_empty()
    }
}

/// One more, of how many by now.
fn count<K: PartialEq>(counts: &mut Vec<(K, u32)>, of: K) -> u32 {
    let at = counts.iter().position(|(key, _)| *key == of).unwrap_or_else(|| {
        counts.push((of, 0));
        counts.len() - 1
    });
    counts[at].1 += 1;
    counts[at].1
}

/// The code of what is said of a thread that does not end.
pub const ENDLESS_LOOP: &str = "program::endless-loop";

/// A thread has run so many instructions that it does not end.
pub fn endless(thread: usize, instr: &Instr, most: u32) -> Diagnostic {
    Diagnostic::unsupported(ENDLESS_LOOP, format!("thread P{thread} does not end within {most} instructions"))
        .at(instr.span, "still running here")
        .help("--unroll bounds how often a loop is run; a long program can be cut into tests")
}

/// A jump to a value that is no place in the code; `None`: one that is not known.
pub fn no_target(program: &Program, instr: &Instr, value: Option<super::Value>) -> Diagnostic {
    let what = match value {
        Some(fetched @ super::Value::Instr(_)) => {
            let message = format!("`{}` leads out of the code from here", program.show(fetched));
            return Diagnostic::error("program::no-branch-target", message)
                .at(instr.span, "fetched from here");
        }
        Some(value) => format!("`{}`", program.show(value)),
        None => "a value read from memory".to_string(),
    };
    Diagnostic::error("program::no-branch-target", format!("indirect branch to {what}, which is no label"))
        .at(instr.span, "this branch")
}
