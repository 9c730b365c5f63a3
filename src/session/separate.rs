//! Models told apart by tests: those of a folder, or the smallest that there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Input, Report, Session, in_order};
use crate::explore::{Request, Show};
use crate::generate::{Cycle, Dialect, Generated, Vocabulary, cycles};

/// A model, and the dialect in which tests are put to it.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Who knows it.
    pub session: &'a Session,
    /// The model: a name of ours, or a file.
    pub model: String,
    /// What its tests are written in.
    pub dialect: Dialect,
}

/// Which tests tell which models apart.
#[derive(Clone, Default, Debug)]
pub struct Separation {
    /// How many tests were put to the models.
    pub tests: usize,
    /// The edges of the longest cycles among them, where they were generated.
    pub size: usize,
    /// For a pair of models: the smallest test that the first allows and the second forbids, and how many there are.
    pub found: BTreeMap<(usize, usize), (Cycle, usize)>,
}

/// How two models relate, as far as the tests go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// No test tells them apart.
    Same,
    /// The first allows more.
    Weaker,
    /// The second allows more.
    Stronger,
    /// Each allows what the other forbids.
    Incomparable,
}

impl Separation {
    /// How the first model relates to the second.
    pub fn relation(&self, first: usize, second: usize) -> Relation {
        let more = |a, b| self.found.contains_key(&(a, b));
        match (more(first, second), more(second, first)) {
            (false, false) => Relation::Same,
            (true, false) => Relation::Weaker,
            (false, true) => Relation::Stronger,
            (true, true) => Relation::Incomparable,
        }
    }
}

/// Puts all tests of growing size to the models, until they are told apart both ways or no size is left. `go_on`: all sizes in any case.
///
/// # Errors
/// A test that a model has no answer for: what became of it.
pub fn separate(
    models: &[Asked],
    vocabulary: &Vocabulary,
    sizes: (usize, usize),
    jobs: usize,
    go_on: bool,
) -> Result<Separation, Box<Report>> {
    let mut separation = Separation::default();
    let pairs = models.len() * models.len().saturating_sub(1);
    for size in sizes.0..=sizes.1 {
        let all = cycles(vocabulary, size);
        let mut failed = None;
        in_order(
            all.len(),
            jobs,
            |at| verdicts(models, &all[at]),
            |at, verdicts| {
                match verdicts {
                    Err(report) => failed = Some(report),
                    Ok(None) => {}
                    Ok(Some(verdicts)) => separation.add(&all[at], &verdicts),
                }
                failed.is_none() && (go_on || separation.found.len() < pairs)
            },
        );
        if let Some(report) = failed {
            return Err(report);
        }
        separation.size = size;
        if separation.found.len() == pairs && !go_on {
            break;
        }
    }
    Ok(separation)
}

/// What each model says of a cycle. `None`: it cannot be written.
fn verdicts(models: &[Asked], cycle: &Cycle) -> Result<Option<Vec<bool>>, Box<Report>> {
    let mut verdicts = Vec::new();
    for Asked { session, model, dialect } in models {
        let Some(test) = cycle.test(*dialect) else { return Ok(None) };
        verdicts.push(session.allows(&input(&test), model)?);
    }
    Ok(Some(verdicts))
}

impl Session {
    /// The test of a cycle under a model that allows it, with the execution that does.
    pub fn shown(&self, test: &Generated, model: &str) -> Report {
        let request = Request { show: Show::Prop, limit: Some(1), names: Vec::new() };
        let settings = super::Settings { shown: Some(request), ..self.settings.clone() };
        Session::new(settings).run(&input(test), Some(model))
    }
}

/// A generated test as the input of a session.
fn input(test: &Generated) -> Input {
    Input::Text { name: test.name.clone(), text: Arc::from(test.text.as_str()) }
}

impl Separation {
    fn add(&mut self, cycle: &Cycle, verdicts: &[bool]) {
        self.tests += 1;
        for (first, allows) in verdicts.iter().enumerate() {
            for (second, also) in verdicts.iter().enumerate() {
                if *allows && !*also {
                    self.found.entry((first, second)).or_insert_with(|| (cycle.clone(), 0)).1 += 1;
                }
            }
        }
    }
}
