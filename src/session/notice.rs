//! Do tests notice that a model was changed? Each test is asked about many changes at once: those that cannot matter to it are passed over
//! without a search (`explore::may_notice`), the test itself is read and lowered once.

use std::sync::Arc;
use std::time::Duration;

use super::coverage::Suggest;
use super::load::ORDERS;
use super::{Input, Report, Session, auto, in_order};
use crate::arch::ArchId;
use crate::arch::c::locks;
use crate::cat::mutate::Mutation;
use crate::diag::{Diagnostic, Remedy};
use crate::explore::{self, may_notice};
use crate::generate::{Generated, cycles};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::{Joined, Model, join};
use crate::outcome::{Completeness, Outcome};
use crate::program::Mixed;
use crate::variant::Variant;

/// A changed model may have many more executions than the model itself. Most often one of the first has a new outcome, and then the rest
/// is not looked for.
const PATIENCE: Duration = Duration::from_secs(1);

/// So many tests are asked at most before it is noted which changes are noticed.
const MOST: usize = 256;

/// A test, and what the model says of it.
pub(super) struct Asked {
    pub name: String,
    pub arch: ArchId,
    /// Its instructions.
    pub size: usize,
    input: Input,
    test: Lowered,
    before: Outcome,
}

impl Asked {
    /// # Errors
    /// The model has no answer for it: what became of it.
    pub fn new(base: &Session, model: &str, input: &Input) -> Result<Asked, Box<Report>> {
        let mut report = base.run(input, Some(model));
        let whole = !report.is_cut_short();
        let answer = report.answer.take_if(|answer| whole && answer.outcome.is_some());
        match (answer, report.arch) {
            (Some(super::Answer { test, outcome: Some(before) }), Some(arch)) => Ok(Asked {
                name: report.title().to_string(),
                arch,
                size: test.program.threads.iter().map(|thread| thread.code.len()).sum(),
                input: input.clone(),
                test,
                before,
            }),
            _ => Err(Box::new(report)),
        }
    }
}

/// A changed model.
pub(super) struct Change {
    /// Who runs tests under it.
    pub session: Session,
    /// The model, if it is one at all.
    pub model: Option<Model>,
    /// What was changed.
    pub mutation: Mutation,
}

/// What it is to notice a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// Other outcomes, or other flags.
    Outcomes,
    /// What the test asks for is allowed by one model and not by the other.
    Verdict,
}

/// How a change was noticed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The answer is another one.
    Other,
    /// There is none: the model does not work.
    NoAnswer,
}

/// A model and all changes of it.
pub(super) struct Asking<'a> {
    base: &'a Session,
    name: &'a str,
    arch: Option<ArchId>,
    pub changes: Vec<Change>,
    pub(super) joined: Option<Joined>,
    options: explore::Options,
    /// In force besides those that a test names itself.
    variants: Vec<Variant>,
}

impl<'a> Asking<'a> {
    /// `variants`: those in force, with those that the model brings along.
    pub fn new(
        base: &'a Session,
        name: &'a str,
        variants: &[Variant],
        (own, arch): (Option<Model>, Option<ArchId>),
        changes: Vec<Change>,
    ) -> Asking<'a> {
        let settings = base.settings();
        let unroll = settings.unroll.unwrap_or(settings.explore.unroll);
        let options = explore::Options { unroll, ..settings.explore.clone() };
        let joined = own.map(|own| {
            let beside = changes.iter().map(|change| {
                let model = change.model.as_ref().filter(|model| lowers_alike(&own, model))?;
                // Functions may be interpreted, and are not compared.
                (!change.mutation.in_function).then_some((model, change.mutation.span.source))
            });
            join(&own, beside)
        });
        Asking { base, name, arch, changes, joined, options, variants: variants.to_vec() }
    }

    /// Those of the changes that a test notices.
    pub fn noticed(&self, asked: &Asked, open: &[usize], asks: Asks) -> Vec<(usize, Seen)> {
        // A test with variants of its own, or one whose accesses are of several sizes, is run under a model of its own.
        let usual = Some(asked.arch) == self.arch
            && asked.test.program.features.mixed != Mixed::AsNeeded
            && asked.test.variants == self.variants;
        let open = match &self.joined {
            Some(joined) if usual => {
                let compared = limits::catch(|| may_notice(&asked.test, joined, open, &self.options));
                compared.unwrap_or_else(|_| open.to_vec())
            }
            _ => open.to_vec(),
        };
        let notices = |change: usize| Some((change, self.notices(asked, usual, change, asks)?));
        open.into_iter().filter_map(notices).collect()
    }

    fn notices(&self, asked: &Asked, usual: bool, change: usize, asks: Asks) -> Option<Seen> {
        let Change { session, model, .. } = &self.changes[change];
        let alike = self
            .joined
            .as_ref()
            .zip(model.as_ref())
            .filter(|(joined, model)| lowers_alike(&joined.model, model));
        if let (true, Some((_, model))) = (usual, alike) {
            match self.run(asked, model, asks) {
                Ran::Answer(seen) => return seen,
                Ran::Elsewhere => {}
            }
        }
        let report = session.run(&asked.input, Some(self.name));
        match report.answer.and_then(|answer| answer.outcome) {
            None => Some(Seen::NoAnswer),
            Some(after) => differs(asked, &after, asks).unwrap_or(false).then_some(Seen::Other),
        }
    }

    /// Runs a test as it was lowered for the model under a changed one.
    fn run(&self, asked: &Asked, model: &Model, asks: Asks) -> Ran {
        let whole = self.options.timeout;
        for timeout in [Some(whole.unwrap_or(PATIENCE).min(PATIENCE)), whole] {
            let options = explore::Options { timeout, ..self.options.clone() };
            let outcome = self.base.within_limits(|| auto::answer(&asked.test, model, &options));
            let outcome = match outcome.and_then(|outcome| outcome) {
                Ok(outcome) => outcome,
                Err(Diagnostic { remedy: Some(Remedy::MixedSizes), .. }) => return Ran::Elsewhere,
                Err(_) => return Ran::Answer(Some(Seen::NoAnswer)),
            };
            if let Some(differs) = differs(asked, &outcome, asks) {
                return Ran::Answer(differs.then_some(Seen::Other));
            }
            if outcome.completeness != Completeness::TimedOut {
                break;
            }
        }
        Ran::Answer(None)
    }

    /// For changes that nothing notices: the smallest generated tests that would.
    pub fn suggest(
        &self,
        suggest: &Suggest,
        jobs: usize,
        open: &mut Vec<usize>,
        suggestions: &mut [Option<Generated>],
    ) {
        let dialect = suggest.vocabulary.dialect;
        for size in suggest.sizes.0..=suggest.sizes.1 {
            let all = cycles(&suggest.vocabulary, size);
            let notices = |at: usize, open: &[usize]| {
                let Some(test) = all[at].test(dialect) else { return Vec::new() };
                let input = Input::Text { name: test.name.clone(), text: Arc::from(test.text.as_str()) };
                // Tests without an answer say nothing.
                let Ok(asked) = Asked::new(self.base, self.name, &input) else { return Vec::new() };
                self.noticed(&asked, open, Asks::Verdict)
            };
            rounds(all.len(), jobs, open, notices, |change, at, _| {
                suggestions[change] = all[at].test(dialect)
            });
        }
    }
}

enum Ran {
    /// How the change was noticed, if it was.
    Answer(Option<Seen>),
    /// The test must be run in another form.
    Elsewhere,
}

/// Is a C test lowered in the same way for both models?
fn lowers_alike(own: &Model, changed: &Model) -> bool {
    [&locks::SETS[..], &ORDERS].into_iter().all(|names| own.looks_at(names) == changed.looks_at(names))
}

/// Is an answer another one than the model's? `None`: not known.
fn differs(asked: &Asked, after: &Outcome, asks: Asks) -> Option<bool> {
    let before = &asked.before;
    let whole = matches!(after.completeness, Completeness::Complete | Completeness::Bounded);
    match asks {
        Asks::Verdict => {
            let allows = |outcome: &Outcome| outcome.kinds_found(&asked.test.condition).0;
            Some(allows(before)? != allows(after)?)
        }
        Asks::Outcomes if after.states.keys().any(|state| !before.states.contains(&state)) => Some(true),
        Asks::Outcomes => whole.then(|| {
            before.states.len() != after.states.len()
                || before.flags != after.flags
                || before.undefined != after.undefined
        }),
    }
}

/// Asks tests about changes, in rounds of growing size: what a round has found out is not asked again. What comes out does not depend on the number of workers.
pub(super) fn rounds<T: Send>(
    tests: usize,
    jobs: usize,
    open: &mut Vec<usize>,
    ask: impl Fn(usize, &[usize]) -> Vec<(usize, T)> + Sync,
    mut found: impl FnMut(usize, usize, T),
) {
    let (mut at, mut size) = (0, 4);
    while at < tests && !open.is_empty() {
        let end = tests.min(at + size);
        let mut seen: Vec<usize> = Vec::new();
        in_order(
            end - at,
            jobs,
            |number| ask(at + number, open),
            |number, noticed| {
                for (change, how) in noticed {
                    if !seen.contains(&change) {
                        seen.push(change);
                        found(change, at + number, how);
                    }
                }
                true
            },
        );
        open.retain(|change| !seen.contains(change));
        (at, size) = (end, MOST.min(size * 2));
    }
}
