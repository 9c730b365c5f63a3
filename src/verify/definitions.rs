//! Which writes of a register a read of it may see.
//!
//! Calls are put in place, so that one register holds the argument of each call in turn: what is known of it is known of each write by itself.

use rustc_hash::FxHashMap;

use super::overtaken::followers;
use crate::limits;
use crate::program::{Instr, Op, Program, Reg, each_op};

/// Where a register got what it holds: from the instruction, or before the first one.
pub(super) type Written = Option<usize>;

/// The writes of all registers of a program, by the code that they are in.
#[derive(Default)]
pub(super) struct Definitions {
    /// All writes, in the order of the code.
    all: FxHashMap<(usize, Reg), Vec<Written>>,
    /// Those that an instruction may see, of registers that several write.
    seen: FxHashMap<(usize, usize, Reg), Vec<Written>>,
}

/// What the code of a thread does with one register.
#[derive(Default)]
struct Uses {
    /// The instructions that write it, and those that do so in any case.
    writes: Vec<usize>,
    surely: Vec<usize>,
    /// Those that read it, and those of them that have written it before.
    reads: Vec<usize>,
    own: Vec<usize>,
}

/// What an instruction does with the register that is looked at, and which write was followed through it last.
#[derive(Clone, Default)]
struct Mark {
    reads: bool,
    ends: bool,
    met: Option<Written>,
}

impl Definitions {
    pub fn of(program: &Program) -> Definitions {
        let mut found = Definitions::default();
        for (code, thread) in program.threads.iter().enumerate() {
            let followers: Vec<Vec<usize>> =
                thread.code.iter().enumerate().map(|(pc, instr)| followers(instr, pc)).collect();
            let mut marks = vec![Mark::default(); thread.code.len()];
            for (reg, uses) in uses(&thread.code) {
                if uses.writes.len() > 1 {
                    found.follow((code, reg), &uses, &followers, &mut marks);
                }
                let writes = uses.writes.into_iter().map(Some);
                found.all.insert((code, reg), std::iter::once(None).chain(writes).collect());
            }
        }
        found
    }

    /// The writes that a read by this instruction may see.
    pub fn seen(&self, (code, pc): (usize, usize), reg: Reg) -> &[Written] {
        self.seen.get(&(code, pc, reg)).map_or_else(|| self.all(code, reg), Vec::as_slice)
    }

    /// All writes of a register.
    pub fn all(&self, code: usize, reg: Reg) -> &[Written] {
        self.all.get(&(code, reg)).map_or(&[None], Vec::as_slice)
    }

    /// Goes on from each write to the next one on every way.
    fn follow(
        &mut self,
        (code, reg): (usize, Reg),
        uses: &Uses,
        followers: &[Vec<usize>],
        marks: &mut [Mark],
    ) {
        marks.fill(Mark::default());
        uses.reads.iter().for_each(|pc| marks[*pc].reads = true);
        uses.surely.iter().for_each(|pc| marks[*pc].ends = true);
        for pc in &uses.own {
            self.see((code, *pc, reg), Some(*pc));
        }
        let mut open = Vec::new();
        for write in std::iter::once(None).chain(uses.writes.iter().copied().map(Some)) {
            limits::poll();
            match write {
                None => open.push(0),
                Some(pc) => open.extend(&followers[pc]),
            }
            while let Some(pc) = open.pop() {
                let Some(mark) = marks.get_mut(pc) else { continue };
                if mark.met.replace(write) == Some(write) {
                    continue;
                }
                if mark.reads {
                    self.see((code, pc, reg), write);
                }
                if !mark.ends {
                    open.extend(&followers[pc]);
                }
            }
        }
    }

    fn see(&mut self, at: (usize, usize, Reg), write: Written) {
        let seen = self.seen.entry(at).or_default();
        if !seen.contains(&write) {
            seen.push(write);
        }
    }
}

/// What some code does with its registers.
fn uses(code: &[Instr]) -> FxHashMap<Reg, Uses> {
    let mut all: FxHashMap<Reg, Uses> = FxHashMap::default();
    for (pc, instr) in code.iter().enumerate() {
        each_op(&instr.ops, &mut |op| match op {
            Op::WriteReg { reg, .. } => {
                let uses = all.entry(*reg).or_default();
                if uses.writes.last() != Some(&pc) {
                    uses.writes.push(pc);
                }
            }
            Op::ReadReg { reg, .. } | Op::ReadRegWith { reg, .. } => {
                let uses = all.entry(*reg).or_default();
                uses.reads.push(pc);
                if uses.writes.last() == Some(&pc) {
                    uses.own.push(pc);
                }
            }
            _ => {}
        });
        for op in &instr.ops {
            if let Op::WriteReg { reg, .. } = op {
                all.entry(*reg).or_default().surely.push(pc);
            }
        }
    }
    all
}
