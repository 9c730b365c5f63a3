//! What is noted of the executions that are found: how many, and what they violate.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use crate::diag::Diagnostic;
use crate::grow::{Ended, Execution, Found, Visitor, Waiting, Why};
use crate::limits;
use crate::program::{Program, Property};
use crate::source::Span;

use super::check::{self, Finding, Part, Wanted};
use super::facts::Facts;
use super::run::{Answer, By, Kind, Settings, Violation, has_race_rule};
use super::{replay, sections, stuck, trace};

/// Executions that are looked at for races that are only a warning.
const RACES_TO_WARN_OF: u64 = 200;

/// Notes the executions of one search.
pub(super) struct Recorder<'a> {
    program: &'a Program,
    machine: trace::Machine,
    settings: &'a Settings,
    wanted: Wanted,
    /// Is an execution looked at again before it is shown?
    replays: bool,
    /// Looks at the limits that are left.
    looks: Option<u32>,
    pub answer: Answer,
}

impl<'a> Recorder<'a> {
    pub fn new(program: &'a Program, machine: trace::Machine, settings: &'a Settings) -> Recorder<'a> {
        Recorder {
            program,
            machine,
            settings,
            wanted: Wanted::of(program),
            replays: false,
            looks: settings.looks,
            answer: Answer::none(By::Growing),
        }
    }

    /// Likewise; is an execution looked at again before it is shown?
    pub fn replaying(self, replays: bool) -> Recorder<'a> {
        Recorder { replays, ..self }
    }

    fn violation(&mut self, finding: Finding, execution: &dyn Execution) -> ControlFlow<()> {
        if self.replays
            && self.answer.violations.is_empty()
            && let Some(why) = replay::refuted(&Facts::new(execution))
        {
            let what =
                format!("an execution that was found does not stand when it is looked at again ({why})");
            self.answer.errors.push(Diagnostic::internal(what));
            return ControlFlow::Break(());
        }
        self.answer.violating += 1;
        note(&mut self.answer.violations, finding, execution, (self.program, self.machine));
        match self.settings.keep_going {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    /// What an execution violates as a whole, besides what a thread did by itself.
    fn find(&self, ended: &Ended, found: &Found, execution: &dyn Execution) -> Option<Finding> {
        let ignored = |kind: Kind| self.settings.ignore.contains(&kind);
        let race = || {
            let none = || Finding { property: Property::Race, parts: Vec::new(), events: Vec::new() };
            let found = check::race(execution, self.program);
            // The model knows nothing of sections, which are never entered by two threads at once.
            if self.wanted.sections { found } else { Some(found.unwrap_or_else(none)) }
        };
        if found.undefined
            && !ignored(Kind::Race)
            && let Some(race) = race()
        {
            return Some(race);
        }
        let finding = check::check(execution, self.program, self.wanted, self.settings.orders)
            .filter(|finding| !Kind::of(&finding.property).is_some_and(ignored));
        if finding.is_some() {
            return finding;
        }
        if self.settings.races && !has_race_rule(self.settings.orders) && !ignored(Kind::Race) {
            let race = check::race(execution, self.program);
            if race.is_some() {
                return race;
            }
        }
        match ended {
            Ended::Blocked => stuck::stuck(execution, self.program)
                .filter(|finding| !Kind::of(&finding.property).is_some_and(ignored)),
            _ => None,
        }
    }

    /// What is wrong, but no violation. For races under a model that has no rule for them, and for objects that are lost, the first executions are looked at.
    fn warn(&mut self, ended: &Ended, execution: &dyn Execution) {
        let answer = &mut self.answer;
        let looked = answer.complete + answer.blocked + answer.cut;
        let silent = self.settings.races || self.settings.ignore.contains(&Kind::Race);
        for (thread, caution) in execution.cautions() {
            let parts = check::place(thread, caution.code, caution.pc, self.program).into_iter().collect();
            let finding = Finding { property: caution.property, parts, events: Vec::new() };
            note(&mut answer.warnings, finding, execution, (self.program, self.machine));
        }
        if looked >= RACES_TO_WARN_OF {
            return;
        }
        if self.wanted.makes && matches!(ended, Ended::Complete) {
            for finding in check::leaks(execution, self.program) {
                note(&mut answer.warnings, finding, execution, (self.program, self.machine));
            }
        }
        if has_race_rule(self.settings.orders) || silent {
            return;
        }
        if answer.warnings.iter().all(|warning| warning.property != Property::Race)
            && let Some(finding) = check::race(execution, self.program)
        {
            note(&mut answer.warnings, finding, execution, (self.program, self.machine));
        }
    }
}

/// Notes a finding, once for each property and place.
pub(super) fn note(
    all: &mut Vec<Violation>,
    finding: Finding,
    execution: &dyn Execution,
    (program, machine): (&Program, trace::Machine),
) {
    let places = |parts: &[Part]| parts.iter().map(|part| part.span).collect::<Vec<Span>>();
    let known =
        all.iter_mut().find(|v| v.property == finding.property && places(&v.parts) == places(&finding.parts));
    match known {
        Some(violation) => violation.executions += 1,
        None => {
            let Finding { property, parts, events } = finding;
            let trace = trace::of(execution, program, machine, &events);
            all.push(Violation { property, parts, executions: 1, trace });
        }
    }
}

impl Visitor for Recorder<'_> {
    fn execution(&mut self, ended: Ended, found: &Found, execution: &dyn Execution) -> ControlFlow<()> {
        if self.wanted.sections && !sections::hold(execution) {
            return ControlFlow::Continue(());
        }
        if let Ended::Violation(violation) = ended {
            let part = Part {
                thread: trace::name(Some(violation.thread as u16), self.program),
                span: violation.span,
                text: String::new(),
                does: String::new(),
            };
            let own =
                |n: &usize| execution.event(*n).is_some_and(|e| e.thread == Some(violation.thread as u16));
            let events: Vec<usize> = (0..execution.n_events()).rev().find(own).into_iter().collect();
            let finding = Finding { property: violation.property, parts: vec![part], events };
            return self.violation(finding, execution);
        }
        if !matches!(ended, Ended::Error(_))
            && let Some(finding) = self.find(&ended, found, execution)
        {
            return self.violation(finding, execution);
        }
        self.warn(&ended, execution);
        match ended {
            Ended::Complete => self.answer.complete += 1,
            Ended::Blocked => self.answer.blocked += 1,
            Ended::Cut(cuts) => {
                self.answer.cut += 1;
                cuts.iter().for_each(|cut| self.answer.was_cut(cut));
            }
            Ended::Error(diagnostic) => {
                self.answer.errors.push(*diagnostic);
                return ControlFlow::Break(());
            }
            Ended::Violation(_) => {}
        }
        ControlFlow::Continue(())
    }

    /// What a violation is seen by is shown; of the others, the first.
    fn wants(&mut self, ended: &Ended, waiting: &[Waiting]) -> bool {
        let answer = &mut self.answer;
        let looked = answer.complete + answer.blocked + answer.cut;
        // Who waits because an assumption does not hold waits for nothing.
        let assumes = |thread: &Waiting| {
            thread.why == Why::Instruction && stuck::awaited(thread, self.program).is_none()
        };
        match ended {
            _ if looked < RACES_TO_WARN_OF => return true,
            Ended::Complete => answer.complete += 1,
            Ended::Blocked if waiting.iter().any(assumes) => answer.blocked += 1,
            _ => return true,
        }
        false
    }

    fn look(&mut self) -> ControlFlow<()> {
        if let Some(left) = &mut self.looks {
            match left.checked_sub(1) {
                Some(fewer) => *left = fewer,
                None => {
                    self.answer.gave_up = true;
                    return ControlFlow::Break(());
                }
            }
        }
        if let Some(gauge) = &self.settings.gauge {
            let Answer { complete, blocked, cut, violating, .. } = &self.answer;
            gauge.executions.store(complete + blocked + cut + violating, Ordering::Relaxed);
        }
        self.answer.stopped = limits::look();
        match self.answer.stopped {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> ControlFlow<()> {
        self.answer.errors.push(diagnostic);
        ControlFlow::Break(())
    }
}
