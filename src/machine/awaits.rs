//! Does every loop end, if every thread that can move does and every write lands?

use super::check::{Answer, Fairness, Lasso, check, reach};
use super::code::threads;
use super::ltl::formula::{Atom, Formula};
use super::proposition::{Property, Propositions};
use super::{Options, System};
use crate::diag::Diagnostic;
use crate::program::{Instr, Op, Program, Target, each_op};
use crate::source::Span;

/// A loop of a thread: instructions between a jump backwards and where it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The thread, as the machine numbers them.
    pub thread: usize,
    /// The thread in whose code it stands, as the program numbers them.
    pub code: usize,
    /// Its first instruction.
    pub first: usize,
    /// Its last one.
    pub last: usize,
    /// Where it leads when it ends; nowhere: it is not meant to end.
    pub exits: Vec<usize>,
    /// Where it stands.
    pub span: Span,
}

/// The loops of a program.
pub fn loops(program: &Program) -> Vec<Loop> {
    let mut all: Vec<Loop> = Vec::new();
    for (thread, of) in threads(program).into_iter().enumerate() {
        let code = &program.threads[of].code;
        let mut own: Vec<Loop> = Vec::new();
        for (here, instr) in code.iter().enumerate() {
            let mut jumps = Vec::new();
            targets(&instr.ops, &mut jumps);
            for first in jumps.into_iter().filter(|target| *target <= here) {
                match own.iter_mut().find(|known| known.first == first) {
                    Some(known) => known.last = here,
                    None => {
                        let span = code[first..=here].iter().find(|instr| !instr.text.is_empty());
                        let span = span.unwrap_or(&code[first]).span;
                        own.push(Loop { thread, code: of, first, last: here, exits: Vec::new(), span });
                    }
                }
            }
        }
        for each in &mut own {
            each.exits = exits(code, each.first, each.last);
        }
        all.extend(own);
    }
    all
}

/// Where operations may jump to.
pub(crate) fn targets(ops: &[Op], found: &mut Vec<usize>) {
    each_op(ops, &mut |op| {
        if let Op::Jump { target: Target::Pc(pc) } | Op::Goto { pc } = op {
            found.push(*pc);
        }
    });
}

/// The instructions outside that those inside lead to.
fn exits(code: &[Instr], first: usize, last: usize) -> Vec<usize> {
    let outside = |target: &usize| *target < first || *target > last;
    let mut found = Vec::new();
    for instr in &code[first..=last] {
        targets(&instr.ops, &mut found);
    }
    // The last one goes on to the next unless it jumps whatever happens.
    let jumps = |op: &Op| matches!(op, Op::Jump { .. } | Op::Goto { .. } | Op::Stop);
    if !code[last].ops.iter().any(jumps) {
        found.push(last + 1);
    }
    if code[first..=last].iter().any(|instr| instr.ops.iter().any(|op| matches!(op, Op::Stop))) {
        found.push(code.len());
    }
    found.retain(outside);
    found.sort_unstable();
    found.dedup();
    found
}

/// What becomes of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// It ends on every fair run. `complete`: no write ever had to wait for a free place in a buffer.
    Ends {
        /// Is nothing missing?
        complete: bool,
    },
    /// No run comes to it: its thread is never started, for one.
    Unreached,
    /// It ends on no run at all: nobody waits for its end.
    Endless,
    /// It ends on some runs, and goes on for ever on this fair one.
    MayNotEnd(Lasso),
}

/// Does a loop end on every fair run that comes to it?
///
/// # Errors
/// As [`check`].
pub fn ends(system: &System, of: &Loop, options: &Options) -> Result<Awaited, Diagnostic> {
    let propositions = Propositions::within(of);
    let formula = Formula::atom(Atom(0)).negated().eventually().always();
    match check(system, &Property { formula, propositions }, options, Fairness::All)? {
        (Answer::Holds { complete }, _) => {
            let propositions = Propositions::within(of);
            let within = Property { formula: Formula::atom(Atom(0)), propositions };
            let (way_in, _, _) = reach(system, &within, options)?;
            Ok(if way_in.is_some() { Awaited::Ends { complete } } else { Awaited::Unreached })
        }
        (Answer::Violated(lasso), _) => {
            let propositions = Propositions::left(of);
            let formula = (0..propositions.len())
                .fold(Formula::False, |sum, number| sum.or(Formula::atom(Atom(number as u8))));
            let (way_out, _, _) = reach(system, &Property { formula, propositions }, options)?;
            Ok(if way_out.is_some() { Awaited::MayNotEnd(lasso) } else { Awaited::Endless })
        }
    }
}
