//! Programs whose loops need not end: a formula on every run of the machine with store buffers.

use std::path::Path;
use std::sync::Arc;

use super::super::{Input, Report, Session, load};
use super::{Changes, Goal, is_program, words};
use crate::arch::c::preprocess;
use crate::arch::c::unit::lower::{self, Orders};
use crate::diag::{Diagnostic, Diagnostics};
use crate::litmus::Test;
use crate::machine::{self as store_buffers, Answer, AtomicWrite, Fairness, Lasso, System};
use crate::program::Program;
use crate::program::shapes::Shapes;
use crate::source::{SourceId, Sources};
use crate::synth::vocabulary::{self, Vocabulary};
use crate::synth::{self, Change, Repairs, Subject, Verdict, What, edit, patch, places};
use crate::verify::{self, RECURSION};

/// A price for writes that do not wait.
const ATOMIC: u32 = 8;

impl Session {
    /// The program of a test, or of a C file, for the machine with store buffers.
    pub fn program(
        &self,
        input: &Input,
        reading: &preprocess::Settings,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<Runnable> {
        if is_automata(input) {
            let source = match input.text(&*self.settings.files) {
                Ok(text) => report.sources.add(input.name(), text),
                Err(diagnostic) => {
                    diagnostics.error(diagnostic);
                    return None;
                }
            };
            return match store_buffers::read_dve(&report.sources, source) {
                Ok(system) => Some(Runnable { system, source, test: None }),
                Err(diagnostic) => {
                    diagnostics.error(diagnostic);
                    None
                }
            };
        }
        if !is_program(input) {
            let parsed = self.parsed(input, report, diagnostics)?;
            let lowered = load::lower(&self.settings, &parsed, None, &mut report.sources, diagnostics)?;
            let source = parsed.source;
            return Some(Runnable { system: lowered.program.into(), source, test: Some(parsed) });
        }
        let text = match input.text(&*self.settings.files) {
            Ok(text) => text,
            Err(diagnostic) => {
                diagnostics.error(diagnostic);
                return None;
            }
        };
        let loaded = verify::load_text(
            Path::new(&input.name()),
            text.to_string(),
            reading,
            OPTIONS,
            &Shapes::default(),
        );
        report.sources = loaded.sources;
        for diagnostic in loaded.diagnostics {
            diagnostics.error(diagnostic);
        }
        loaded.program.map(|program| Runnable { system: program.into(), source: loaded.main, test: None })
    }

    /// The cheapest changes that make a formula hold on every run.
    pub(super) fn fence_runs(
        &self,
        input: &Input,
        goal: &Goal,
        changes: &Changes,
        cells: &mut Vec<String>,
        report: &mut Report,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Arc<str>, Repairs)> {
        let Goal::Ltl { formula, machine, fairness, tell } = goal else { return None };
        let Runnable { system, source, test } = self.program(input, &changes.reading, report, diagnostics)?;
        let text = Arc::clone(&report.sources.get(source).text);
        let program = &system.program;
        cells.extend(program.locations.iter().map(|cell| cell.name.clone()));
        let (vocabulary, places) = match &test {
            None => (vocabulary::of_program(&text), places::Places::of_c(program, source, &text)),
            Some(parsed) => (words(parsed, &text, diagnostics)?, places::Places::new(parsed, program, &text)),
        };
        let mut subject = MachineSubject {
            session: self,
            input,
            reading: &changes.reading,
            text: &text,
            parsed: test.as_ref(),
            formula,
            machine,
            fairness: *fairness,
            tell: *tell,
        };
        if let Err(why) = subject.run(&[]) {
            diagnostics.error(why);
            return None;
        }
        // Stronger accesses are nothing to the machine: it knows fences, and writes that do not wait.
        let fences = Vocabulary { accesses: &[], ..vocabulary };
        let mut all = patch::changes(&fences, &places, &text);
        if is_automata(input) {
            // Automata have no fences.
            all.clear();
        }
        all.extend(atomic_writes(&system, source));
        let mut all = match is_automata(input) {
            true => Changes { only: vec![vocabulary::ATOMIC.to_string()], ..changes.clone() }.of(all),
            false => changes.of(all),
        };
        all.retain(|change| subject.system(&[change]).is_ok());
        let found = synth::repair(&all, &mut subject, changes.wanted);
        Some((text, found))
    }
}

/// Are they automata, by their name?
fn is_automata(input: &Input) -> bool {
    Path::new(&input.name()).extension().is_some_and(|extension| extension == "dve")
}

/// A program to be run on the machine with store buffers.
#[derive(Debug)]
pub struct Runnable {
    /// The program.
    pub system: System,
    /// The file that it stands in.
    pub source: SourceId,
    /// The test; none: a C program.
    pub test: Option<Test>,
}

const OPTIONS: lower::Options = lower::Options {
    recursion: RECURSION,
    orders: Orders::Fences,
    samples: false,
    uninitialised: false,
    marks_waits: true,
};

/// Every write of every thread, to be made atomic.
fn atomic_writes(system: &System, source: SourceId) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    for (thread, instruction, cell) in system.writes() {
        let write = all.iter().filter(|change| change.thread == thread).count();
        all.push(Change {
            thread,
            access: write,
            span: system.program.threads[thread].code[instruction].span,
            what: What::Atomic { cell, write },
            name: vocabulary::ATOMIC,
            cost: ATOMIC,
        });
    }
    all.retain(|change| change.span.source == source);
    all
}

/// A program on the machine with store buffers.
struct MachineSubject<'a> {
    session: &'a Session,
    input: &'a Input,
    reading: &'a preprocess::Settings,
    text: &'a str,
    /// A test; none: a C program.
    parsed: Option<&'a Test>,
    formula: &'a str,
    machine: &'a store_buffers::Options,
    fairness: Fairness,
    tell: fn(&Program, &Sources, &Lasso) -> String,
}

impl MachineSubject<'_> {
    fn system(&self, changes: &[&Change]) -> Result<(System, Sources), Diagnostic> {
        let text = self.changed(changes).ok_or_else(|| Diagnostic::internal("changes that do not fit"))?;
        let input = Input::Text { name: self.input.name(), text: text.into() };
        let mut report = Report::new(input.name(), None);
        report.sources = Sources::layered();
        let mut diagnostics = Diagnostics::new();
        match self.session.program(&input, self.reading, &mut report, &mut diagnostics) {
            Some(runnable) => Ok((runnable.system, report.sources)),
            None => {
                let first = diagnostics.take().into_iter().next();
                Err(first.unwrap_or_else(|| Diagnostic::internal("the changed program cannot be read")))
            }
        }
    }

    fn run(&self, changes: &[&Change]) -> Result<(System, Sources, Answer), Diagnostic> {
        let (system, sources) = self.system(changes)?;
        let property = store_buffers::parse(self.formula, &system.program)
            .map_err(|wrong| Diagnostic::error("ltl::formula", wrong.shown(self.formula)))?;
        let mut options = self.machine.clone();
        let writes = system.writes();
        for change in changes {
            if let What::Atomic { cell, write } = change.what {
                let mut own = writes.iter().filter(|(thread, ..)| *thread == change.thread);
                if let Some((thread, instruction, _)) = own.nth(write) {
                    options.atomic.push(AtomicWrite { cell, place: Some((*thread, *instruction)) });
                }
            }
        }
        let (answer, _) = store_buffers::check(&system, &property, &options, self.fairness)?;
        Ok((system, sources, answer))
    }
}

impl Subject for MachineSubject<'_> {
    fn changed(&self, changes: &[&Change]) -> Option<String> {
        match self.parsed {
            Some(parsed) => edit::apply(parsed, self.text, changes),
            None => Some(edit::edited(self.text, changes)),
        }
    }

    fn judge(&mut self, changes: &[&Change]) -> Verdict {
        match self.run(changes) {
            Err(why) => Verdict::Unknown(why.message),
            Ok((.., Answer::Holds { .. })) => Verdict::Holds,
            Ok((.., Answer::Violated(_))) => Verdict::Fails,
        }
    }

    fn counterexample(&mut self, changes: &[&Change]) -> String {
        match self.run(changes) {
            Ok((system, sources, Answer::Violated(lasso))) => (self.tell)(&system.program, &sources, &lasso),
            _ => String::new(),
        }
    }
}
