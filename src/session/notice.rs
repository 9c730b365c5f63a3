//! Do tests notice that a model was changed? Each test is asked about many changes at once: those that cannot matter to it are passed over
//! without a search (`explore::may_notice`), the test itself is read and lowered once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::coverage::{Sizes, Suggest};
use super::load::{self, ModelKey, ORDERS};
use super::{Input, Report, Session, auto, in_order};
use crate::arch::c::locks;
use crate::cat::mutate::Mutation;
use crate::diag::{Diagnostic, Diagnostics, Remedy};
use crate::explore::{self, may_notice};
use crate::generate::{Generated, cycles};
use crate::limits;
use crate::litmus::Lowered;
use crate::model::{Joined, Model, join, same};
use crate::outcome::{Completeness, Outcome};
use crate::program::Mixed;
use crate::source::Sources;

/// A changed model may have many more executions than the model itself. Most often one of the first has a new outcome, and then the rest
/// is not looked for.
const PATIENCE: Duration = Duration::from_secs(1);

/// So many tests are asked at most before it is noted which changes are noticed.
const MOST: usize = 256;

/// A test, and what the model says of it.
pub(super) struct Asked {
    pub name: String,
    /// The model that it is run under: variants of its own make it another one.
    pub key: ModelKey,
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
        let (mut sources, mut quiet) = (Sources::new(), Diagnostics::new());
        let parsed = load::parse(input, &*base.settings().files, &mut sources, &mut quiet);
        match (answer, parsed) {
            (Some(super::Answer { test, outcome: Some(before) }), Some(parsed)) => Ok(Asked {
                name: report.title().to_string(),
                key: load::key(base.settings(), Some(model), &parsed),
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
    /// What was changed.
    pub mutation: Mutation,
}

impl Change {
    /// The changed model, if it is one at all.
    fn model(&self, key: &ModelKey) -> Option<Model> {
        Some(load::prepare(self.session.settings(), key).ok()?.model)
    }

    /// Is the changed model another one than the model?
    fn changes(&self, own: Option<&Model>, changed: Option<&Model>) -> bool {
        // Functions may be interpreted, and are not compared.
        match (own, changed) {
            (Some(own), Some(changed)) => self.mutation.in_function || !same(own, changed),
            _ => true,
        }
    }

    /// Likewise, of the model that goes by this key.
    pub fn changes_anything(&self, base: &Session, key: &ModelKey) -> bool {
        let own = load::prepare(base.settings(), key).ok();
        self.changes(own.as_ref().map(|own| &own.model), self.model(key).as_ref())
    }
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

/// A model for tests of one kind, and all changes of it.
pub(super) struct Asking<'a> {
    base: &'a Session,
    name: &'a str,
    /// The kind of tests.
    key: ModelKey,
    changes: &'a [Change],
    /// The changed models; `None`: none, or not asked about.
    models: Vec<Option<Model>>,
    /// Those of the changes asked about that make another model for tests of this kind.
    pub differ: Vec<usize>,
    /// Did one of the tests have what is changed in it? Tests that are run under models of their own do not tell.
    in_force: Vec<AtomicBool>,
    pub(super) joined: Option<Joined>,
    options: explore::Options,
}

impl<'a> Asking<'a> {
    /// `open`: the changes that are asked about.
    pub fn new(
        base: &'a Session,
        name: &'a str,
        changes: &'a [Change],
        key: &ModelKey,
        open: &[usize],
        jobs: usize,
    ) -> Asking<'a> {
        let settings = base.settings();
        let unroll = settings.unroll.unwrap_or(settings.explore.unroll);
        let options = explore::Options { unroll, ..settings.explore.clone() };
        let own = load::prepare(settings, key).ok().map(|prepared| prepared.model);
        let mut models: Vec<Option<Model>> = changes.iter().map(|_| None).collect();
        let mut differ = Vec::new();
        in_order(
            open.len(),
            jobs,
            |at| {
                let change = &changes[open[at]];
                let changed = change.model(key);
                change.changes(own.as_ref(), changed.as_ref()).then_some(changed)
            },
            |at, changed| {
                if let Some(changed) = changed {
                    differ.push(open[at]);
                    models[open[at]] = changed;
                }
                true
            },
        );
        let joined = own.map(|own| {
            let beside = changes.iter().zip(&models).map(|(change, model)| {
                let model = model.as_ref().filter(|model| lowers_alike(&own, model))?;
                (!change.mutation.in_function).then_some((model, change.mutation.span.source))
            });
            join(&own, beside)
        });
        let in_force = changes.iter().map(|_| AtomicBool::new(false)).collect();
        Asking { base, name, key: key.clone(), changes, models, differ, in_force, joined, options }
    }

    /// Did a test have what this change is about?
    pub fn is_in_force(&self, change: usize) -> bool {
        self.in_force[change].load(Ordering::Relaxed)
    }

    /// Those of the changes that a test notices.
    pub fn noticed(&self, asked: &Asked, open: &[usize], asks: Asks) -> Vec<(usize, Seen)> {
        // A test whose accesses are of several sizes is run under a model of its own.
        let usual = asked.key == self.key && asked.test.program.features.mixed != Mixed::AsNeeded;
        let open = match &self.joined {
            Some(joined) if usual => {
                let compared = limits::catch(|| may_notice(&asked.test, joined, open, &self.options));
                let open = compared.unwrap_or_else(|_| open.to_vec());
                open.iter().for_each(|change| self.in_force[*change].store(true, Ordering::Relaxed));
                open
            }
            _ => open.to_vec(),
        };
        let notices = |change: usize| Some((change, self.notices(asked, usual, change, asks)?));
        open.into_iter().filter_map(notices).collect()
    }

    fn notices(&self, asked: &Asked, usual: bool, change: usize, asks: Asks) -> Option<Seen> {
        let alike = self
            .joined
            .as_ref()
            .zip(self.models[change].as_ref())
            .filter(|(joined, model)| lowers_alike(&joined.model, model));
        if let (true, Some((_, model))) = (usual, alike) {
            match self.run(asked, model, asks) {
                Ran::Answer(seen) => return seen,
                Ran::Elsewhere => {}
            }
        }
        let report = self.changes[change].session.run(&asked.input, Some(self.name));
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

    /// For changes that nothing notices: the smallest generated tests that would. Up to which size they were looked for is the answer.
    pub fn suggest(
        &self,
        suggest: &Suggest,
        jobs: usize,
        open: &mut Vec<usize>,
        suggestions: &mut [Option<Generated>],
    ) -> usize {
        let dialect = suggest.vocabulary.dialect;
        let Sizes { from, to, further, few } = suggest.sizes;
        let (mut size, mut made) = (from, 0);
        while !open.is_empty() && (size <= to || size <= further && made < few) {
            let all = cycles(&suggest.vocabulary, size);
            made += all.len();
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
            size += 1;
        }
        size - 1
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
