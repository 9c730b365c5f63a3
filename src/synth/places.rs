//! Where a program can be changed: its accesses, and the places for fences around them.

use std::ops::Range;

use super::statements::{Macro, Slot, Statement, macros, statement_of, statements};
use crate::litmus::Test;
use crate::litmus::ast::Code;
use crate::program::{Instr, Op, Program};
use crate::source::{SourceId, Span};

/// An access: the place of its instruction, and those for fences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// The instruction, or a statement in the body of a macro.
    pub span: Span,
    /// Where a fence goes that is to order it after others; none if there are no others.
    pub before: Option<Slot>,
    /// It is a write, and no access comes after it before control goes elsewhere or something is called: another place for a fence.
    pub leaves: Option<Slot>,
    /// Right after its statement.
    pub after: Option<Slot>,
}

/// The accesses of each thread, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    pub(super) threads: Vec<Vec<Access>>,
}

impl Places {
    /// Of a test.
    pub fn new(test: &Test, program: &Program, text: &str) -> Places {
        match &test.code {
            Code::Table(_) => Places::of(program, test.source, text, &|_| None),
            Code::C(_) => Places::of_c(program, test.source, text),
        }
    }

    /// Of a C program.
    pub fn of_c(program: &Program, source: SourceId, text: &str) -> Places {
        let all = statements(text);
        let mut places = Places::of(program, source, text, &|at| statement_of(&all, at).cloned());
        for accesses in &mut places.threads {
            accesses.retain(|access| statement_of(&all, access.span.start as usize).is_some());
        }
        // Where statements begin that access memory, and those that do anything.
        let starts = |spans: &mut dyn Iterator<Item = Span>| -> Vec<usize> {
            let own = spans.filter_map(|span| statement_of(&all, span.start as usize));
            own.map(|statement| statement.own.start).collect()
        };
        let busy = starts(&mut places.threads.iter().flatten().map(|access| access.span));
        let code = program.threads.iter().flat_map(|thread| &thread.code);
        let there = starts(&mut code.map(|instr| instr.span).filter(|span| span.source == source));
        let mut order: Vec<&Statement> = all.iter().filter(|statement| !statement.before.behind).collect();
        order.sort_by_key(|statement| statement.before.at);
        // After a write: before a jump, or a call, that comes before any other access.
        let leaves = |own: usize| {
            let mut next = order.iter().skip_while(|other| other.before.at < own);
            let passed = |other: &&&Statement| {
                let calls = there.contains(&other.own.start) && text[other.own.clone()].contains('(');
                other.leaves || busy.contains(&other.own.start) || calls
            };
            let next = next.find(passed)?;
            (next.leaves || !busy.contains(&next.own.start)).then(|| next.before.clone())
        };
        for (accesses, thread) in places.threads.iter_mut().zip(&program.threads) {
            for access in accesses {
                let at = access.span.start as usize;
                let writes = |instr: &Instr| instr.span == access.span && instr.ops.iter().any(is_write);
                if thread.code.iter().any(writes) {
                    access.leaves = leaves(statement_of(&all, at).map_or(at, |statement| statement.own.end));
                }
            }
        }
        places.in_macros(program, source, text);
        places
    }

    fn of(
        program: &Program,
        source: SourceId,
        text: &str,
        statement: &dyn Fn(usize) -> Option<Statement>,
    ) -> Places {
        let places = |code: &[Instr]| {
            let touches = |instr: &&Instr| instr.span.source == source && instr.ops.iter().any(is_access);
            let mut spans: Vec<Span> = code.iter().filter(touches).map(|instr| instr.span).collect();
            spans.sort_by_key(|span| (span.start, span.end));
            spans.dedup();
            let loops = goes_back(code);
            let access = |(number, span): (usize, Span)| {
                let start = span.start as usize;
                let statement = statement(start);
                let begins = Slot { at: start, behind: false, braces: None };
                // Before the first access of a thread a fence orders nothing, unless the thread comes back to it.
                let later = number > 0 || loops;
                let before = statement.as_ref().map_or(begins, |statement| statement.before.clone());
                Access {
                    span,
                    before: later.then_some(before),
                    leaves: None,
                    after: statement.and_then(|statement| statement.after(text)),
                }
            };
            spans.into_iter().enumerate().map(access).collect()
        };
        Places { threads: program.threads.iter().map(|thread| places(&thread.code)).collect() }
    }

    /// Adds statements in the bodies of macros, to the first thread that runs them. What stands there is in every place that the macro is called
    /// from; it has no span of its own, so that which statements are accesses is not known: each is a place.
    fn in_macros(&mut self, program: &Program, source: SourceId, text: &str) {
        let macros = macros(text);
        for (number, own) in self.threads.iter_mut().enumerate() {
            for called in called(&macros, &program.threads[number].code, source, text) {
                own.extend(of_macro(called, source, text));
            }
        }
    }
}

/// The macros that the code of a thread comes from, with those that they call.
fn called<'m>(macros: &'m [Macro], code: &[Instr], source: SourceId, text: &str) -> Vec<&'m Macro> {
    let mut found: Vec<&Macro> = Vec::new();
    let spans = code.iter().filter(|instr| instr.span.source == source && instr.ops.iter().any(is_access));
    // What a macro makes has the place of its call.
    let mut open: Vec<&str> = spans.filter_map(|instr| word(text, instr.span.start as usize)).collect();
    open.sort_unstable();
    open.dedup();
    while let Some(name) = open.pop() {
        for known in macros.iter().filter(|known| known.name == name) {
            if !found.contains(&known) {
                found.push(known);
                open.extend(words(&text[known.body.clone()]));
            }
        }
    }
    found.sort_by_key(|known| known.body.start);
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn word(text: &str, at: usize) -> Option<&str> {
    text.get(at..).and_then(|rest| words(rest).next().filter(|word| rest.starts_with(word)))
}

/// The places in a macro: of one that stands for an expression there is one, for stronger orders.
fn of_macro(of: &Macro, source: SourceId, text: &str) -> Vec<Access> {
    let span = |range: &Range<usize>| Span::new(source, range.start, range.end);
    let nothing = |span| Access { span, before: None, leaves: None, after: None };
    if of.statements.is_empty() {
        return vec![nothing(span(&of.body))];
    }
    let mut found = Vec::new();
    for statement in &of.statements {
        if !statement.leaves {
            let own = nothing(span(&statement.own));
            let after = statement.after(text);
            found.push(Access { before: Some(statement.before.clone()), after, ..own });
            continue;
        }
        // After a write, before a jump.
        let earlier =
            of.statements.iter().filter(|other| other.own.end <= statement.before.at && !other.leaves);
        let last = earlier.max_by_key(|other| other.own.end);
        if let Some(last) = last.filter(|last| seems_to_write(&text[last.own.clone()])) {
            let own = nothing(span(&last.own));
            found.push(Access { leaves: Some(statement.before.clone()), ..own });
        }
    }
    found.sort_by_key(|access| access.span.start);
    found
}

/// Is there an assignment in a statement, or a call that may be one?
fn seems_to_write(text: &str) -> bool {
    let bytes = text.as_bytes();
    let assigns = |at: usize| {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        bytes.get(at + 1) != Some(&b'=') && !matches!(before, b'=' | b'!' | b'<' | b'>')
    };
    text.contains("store") || text.contains("STORE") || text.match_indices('=').any(|(at, _)| assigns(at))
}

/// Does a thread jump back?
fn goes_back(code: &[Instr]) -> bool {
    fn back(op: &Op, here: usize) -> bool {
        match op {
            Op::Jump { target: crate::program::Target::Pc(pc) } | Op::Goto { pc } => *pc <= here,
            Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(|op| back(op, here)),
            _ => false,
        }
    }
    code.iter().enumerate().any(|(here, instr)| instr.ops.iter().any(|op| back(op, here)))
}

/// Does an operation touch memory or a lock, or may it?
fn is_access(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CompareExchange { .. } => true,
        // The events of locks, where the model orders them itself.
        Op::Other { addr: Some(_), .. } => true,
        Op::If { then, otherwise, .. } | Op::Conditional { then, otherwise, .. } => {
            then.iter().chain(otherwise).any(is_access)
        }
        Op::Choice { branches } => branches.iter().flatten().any(is_access),
        _ => false,
    }
}

/// Is it a write, or may it be one?
fn is_write(op: &Op) -> bool {
    match op {
        Op::Store { .. } => true,
        Op::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_write),
        _ => false,
    }
}
