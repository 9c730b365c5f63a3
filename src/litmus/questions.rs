//! Questions that nobody meant to ask: a test that can be run, and whose answer says something else than it seems to. Each is a warning
//! that points; `--strict` makes it an error.

use std::collections::BTreeSet;

use crate::diag::{Diagnostic, nearest};
use crate::program::signature::Pointer;
use crate::program::{Location, Oa, Op, Reg, Sym, Target, Thread, Uses, Value, addresses, any_op};
use crate::source::Span;

use super::ast::{Atom, Item, Loc, Prop, Side, Test};
use super::lower_c::local_cell;
use super::names::Names;

/// How the codes of such warnings begin.
pub const PREFIX: &str = "question::";

/// Registers that are 0 by definition.
const ZERO: [&str; 4] = ["XZR", "WZR", "x0", "$0"];

/// The doubtful parts of a test whose names have been resolved.
pub fn questions(test: &Test, names: &mut Names) -> Vec<Diagnostic> {
    let uses = uses(&names.program.threads);
    let mut found = Vec::new();
    unset_addresses(names, &uses, &mut found);
    let mut asked = Asked { names, uses: &uses, seen: BTreeSet::new(), found };
    asked.prop(&test.fin.prop);
    if let Some(filter) = &test.fin.filter {
        asked.prop(filter);
    }
    for item in &test.fin.locations {
        if let Item::Loc(loc @ (Loc::Global(_) | Loc::Cell(..)), span) = item {
            asked.place(loc, *span);
        }
    }
    let mut found = asked.found;
    if test.fin.condition_span.is_none() && test.fin.locations.is_empty() {
        found.push(
            Diagnostic::warning(
                "question::no-condition",
                "the test has no condition: its answer is always Ok",
            )
            .at(test.name_span, "this test asks nothing")
            .help("end it with `exists (…)`, `~exists (…)`, `forall (…)` or `locations […]`"),
        );
    }
    found
}

/// What each thread may do. Who branches to an address that it was given may run the code of any thread.
fn uses(threads: &[Thread]) -> Vec<Uses> {
    let mut uses: Vec<Uses> = threads.iter().map(Uses::of).collect();
    let anywhere = |op: &Op| matches!(op, Op::Jump { target: Target::Indirect(_) });
    let wanders = |thread: &Thread| thread.code.iter().any(|instr| any_op(&instr.ops, anywhere));
    let all: BTreeSet<Reg> = uses.iter().flat_map(|uses| &uses.written).copied().collect();
    for (uses, _) in uses.iter_mut().zip(threads).filter(|(_, thread)| wanders(thread)) {
        uses.written.extend(&all);
    }
    uses
}

/// Accesses through registers that nothing sets.
fn unset_addresses(names: &Names, uses: &[Uses], found: &mut Vec<Diagnostic>) {
    let program = &*names.program;
    for (number, (thread, uses)) in program.threads.iter().zip(uses).enumerate() {
        let is_set = |reg: &Reg| {
            uses.written.contains(reg) || program.init_regs.iter().any(|(t, r, _)| (*t, r) == (number, reg))
        };
        // Nearly all instructions work with registers that are set: what they make of them need not be known.
        let doubtful = |op: &Op| matches!(op, Op::ReadReg { reg, .. } if !is_set(reg));
        let mut told = BTreeSet::new();
        for instr in thread.code.iter().filter(|instr| any_op(&instr.ops, doubtful)) {
            for address in addresses(instr) {
                let nothing = !address.other && !address.regs.iter().any(is_set);
                let Some(reg) = address.regs.first().filter(|_| nothing) else { continue };
                if told.insert(*reg) {
                    let name = program.regs.name(*reg);
                    found.push(
                        Diagnostic::warning(
                            "question::unset-address",
                            format!("nothing sets `{number}:{name}`, and this is an access through it"),
                        )
                        .at(instr.span, "an access to address 0")
                        .help(format!("is `{number}:{name}=x;` missing in the initial state?")),
                    );
                }
            }
        }
    }
}

/// What the final part asks about.
struct Asked<'a, 'b> {
    names: &'a mut Names<'b>,
    uses: &'a [Uses],
    /// One warning for each place is enough.
    seen: BTreeSet<String>,
    found: Vec<Diagnostic>,
}

impl Asked<'_, '_> {
    fn prop<'p>(&mut self, prop: &'p Prop) {
        // Long conditions are about few places.
        let mut places: Vec<(&Loc, Span)> = Vec::new();
        let mut add = |loc, span| {
            if !places.iter().any(|(known, _)| *known == loc) {
                places.push((loc, span));
            }
        };
        let mut see = |atom: &'p Atom| {
            add(&atom.left, atom.left_span);
            if let Side::Loc(right) = &atom.right {
                add(right, atom.right_span);
            }
        };
        prop.visit(&mut see, &mut |_| {});
        for (loc, span) in places {
            self.place(loc, span);
        }
    }

    fn place(&mut self, loc: &Loc, span: Span) {
        match loc {
            Loc::Reg { thread, name } => {
                // A local of C whose address is taken is a cell, and has been found.
                let is_c = self.names.isa.is_none();
                if !is_c || self.names.find_symbol(&local_cell(*thread, name)).is_none() {
                    self.register(*thread, name, span);
                }
            }
            Loc::Global(name) | Loc::Cell(name, _) => self.location(name, span),
            _ => {}
        }
    }

    fn register(&mut self, thread: usize, written: &str, span: Span) {
        let Ok(reg) = self.names.register(thread, written, span) else { return };
        let program = &*self.names.program;
        let own = |(t, r, _): &&(usize, Reg, Value)| *t == thread && *r == reg;
        let uses = &self.uses[thread];
        if uses.written.contains(&reg) || program.init_regs.iter().any(|entry| own(&entry)) {
            return;
        }
        let name = program.regs.name(reg);
        // A register that is always 0 is asked about on purpose.
        if ZERO.contains(&name) || !self.seen.insert(format!("{thread}:{name}")) {
            return;
        }
        let known: Vec<&str> = uses.written.iter().map(|reg| program.regs.name(*reg)).collect();
        let what = if self.names.isa.is_some() { "instruction" } else { "statement" };
        let warning = Diagnostic::warning(
            "question::register",
            format!("no {what} of P{thread} writes `{thread}:{name}`"),
        )
        .at(span, "this is 0, whatever happens");
        self.found.push(match nearest(name, known.iter().copied()) {
            Some(near) => warning.help(format!("did you mean `{thread}:{near}`?")),
            None => warning,
        });
    }

    fn location(&mut self, name: &str, span: Span) {
        let Some(sym) = self.names.find_symbol(name) else { return };
        if self.is_used(sym) || !self.seen.insert(name.to_string()) {
            return;
        }
        let warning = Diagnostic::warning("question::location", format!("nothing reads or writes `{name}`"))
            .at(span, "this is its initial value, whatever happens");
        let symbols = &self.names.program.symbols;
        let used = symbols.iter().enumerate().filter(|(index, _)| self.is_used(Sym(*index as u16)));
        let near = nearest(name, used.map(|(_, name)| name.as_str()));
        self.found.push(match near {
            Some(near) if near.eq_ignore_ascii_case(name) => {
                warning.help(format!("did you mean `{near}`? Capitals matter"))
            }
            _ => warning,
        });
    }

    /// Does the address of a symbol stand anywhere: in the code, in a register, in a cell?
    fn is_used(&self, sym: Sym) -> bool {
        let program = &*self.names.program;
        let is = |value: &Value| match value {
            Value::Addr { sym: s, .. } | Value::Tagged { sym: s, .. } => *s == sym,
            Value::Signed { of: Pointer::Data(s, _), .. } => *s == sym,
            Value::Pte(entry) => entry.oa == Oa::Phys(sym),
            _ => false,
        };
        // That its own page table entry leads there is no use of it.
        let own = |cell: &Location| cell.sym == sym && cell.space.is_entry();
        self.uses.iter().any(|uses| uses.symbols.contains(&sym))
            || program.init_regs.iter().any(|(_, _, value)| is(value))
            || program.locations.iter().any(|cell| !own(cell) && is(&cell.init))
    }
}
