//! What the playground can be asked.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::Limits;
use crate::cat::library;
use crate::diag::{Diagnostic, Severity};
use crate::files::Memory;
use crate::limits::Budget;
use crate::report::graph::Style;
use crate::report::html::data::{self, Why};
use crate::report::{Item, explain};
use crate::session::{Depth, Input, Session, Settings, check_model};
use crate::source::Sources;

/// Models of one request.
const MODELS: usize = 8;
/// Rounds of loops.
const UNROLL: u32 = 8;
/// The file that the typed model is.
const OWN: &str = "mine.cat";

/// What is asked.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// The test as typed.
    #[serde(default)]
    test: String,
    /// The model as typed; models call it `mine`.
    #[serde(default)]
    model: Option<String>,
    /// Models to run under.
    #[serde(default)]
    models: Vec<String>,
    /// The outcome to explain.
    #[serde(default)]
    outcome: Option<String>,
    /// Look for repairs, too?
    #[serde(default)]
    fix: bool,
    /// Relations to draw besides the usual ones.
    #[serde(default)]
    draw: Vec<String>,
    #[serde(default)]
    unroll: Option<u32>,
}

/// Answers a question.
///
/// # Errors
/// It is not one, in words.
pub fn answer(what: &str, asked: Value, limits: &Limits, stop: &Arc<AtomicBool>) -> Result<Value, String> {
    let asked: Asked = serde_json::from_value(asked).map_err(|error| error.to_string())?;
    if asked.models.len() > MODELS {
        return Err(format!("at most {MODELS} models at once"));
    }
    let work = Work { asked, limits, stop, end: Instant::now() + limits.time };
    // What is not a run (drawing, loading a model that is checked) ends with the request, too.
    let grace = Duration::from_secs(1);
    let budget = Budget::starting_now(Some(limits.time + grace), Some(limits.memory), Some(Arc::clone(stop)));
    let answered = budget.run(|| match what {
        "check" => Ok(work.check()),
        "run" => Ok(work.run()),
        "explain" => work.explain(),
        _ => work.model(),
    });
    answered.unwrap_or_else(|why| Err(Diagnostic::stopped(why, "").message))
}

struct Work<'w> {
    asked: Asked,
    limits: &'w Limits,
    stop: &'w Arc<AtomicBool>,
    end: Instant,
}

impl Work<'_> {
    /// Settings with the time that is left, shared among so many runs. No file but what was typed.
    fn settings(&self, runs: usize) -> Settings {
        let left = self.end.saturating_duration_since(Instant::now()) / runs.max(1) as u32;
        let mut files = Memory::new();
        if let Some(text) = &self.asked.model {
            files = files.with(OWN, text.as_str());
        }
        let mut settings = Settings { files: Arc::new(files), ..Settings::default() };
        settings.unroll = self.asked.unroll.map(|unroll| unroll.min(UNROLL));
        settings.explore.timeout = Some(left * 2 / 3);
        settings.explore.max_memory = Some(self.limits.memory);
        settings.explore.interrupt = Some(Arc::clone(self.stop));
        settings
    }

    fn input(&self) -> Input {
        Input::Text { name: "test".to_string(), text: self.asked.test.as_str().into() }
    }

    /// The file of a model asked for.
    fn name(model: &str) -> &str {
        if model == "mine" { OWN } else { model }
    }

    /// What is wrong with test and model, with places.
    fn check(&self) -> Value {
        let settings = self.settings(2);
        let test = match self.asked.test.trim() {
            "" => Vec::new(),
            _ => {
                let report = Session::new(settings.clone()).check(&self.input());
                marks(&report.diagnostics, &report.sources, "test")
            }
        };
        let model = match &self.asked.model {
            None => Vec::new(),
            Some(_) => {
                let checked = check_model(&settings, OWN, None, false);
                marks(&checked.diagnostics, &checked.sources, OWN)
            }
        };
        json!({ "test": test, "model": model })
    }

    /// The test under each model.
    fn run(&self) -> Value {
        let runs = self.asked.models.len();
        let mut results = Vec::new();
        let mut text = None;
        for (number, model) in self.asked.models.iter().enumerate() {
            let mut settings = self.settings(runs - number);
            let usual = ["rmw", "addr", "data", "ctrl"].iter().map(|name| (*name).to_string());
            settings.depth = Some(Depth {
                executions: 6,
                refused: 24,
                names: usual.chain(self.asked.draw.iter().take(MODELS).cloned()).collect(),
                time: settings.explore.timeout.unwrap_or_default() / 3,
            });
            let report = Session::new(settings).run(&self.input(), Some(Self::name(model)));
            text = text.or_else(|| data::text(&report));
            let item = Item { report: &report, judgement: None };
            results.push(data::Result::new(&item, &Style::default()));
        }
        json!(data::Test { text, results })
    }

    /// Why an outcome can, or cannot, happen under the first model, and what would forbid it.
    fn explain(&self) -> Result<Value, String> {
        let model = self.asked.models.first().ok_or("no model")?;
        let outcome = self.asked.outcome.as_deref().filter(|outcome| !outcome.trim().is_empty());
        let session = Session::new(self.settings(1));
        let explained = session.explain(&self.input(), Some(Self::name(model)), outcome);
        let why = explained.answer.as_ref().map(|(test, why)| Why::new(why, test, &explained.report));
        let repair = || session.repair(&self.input(), Some(Self::name(model)), outcome).answer;
        let fixes = self.asked.fix.then(repair).flatten().map(|(_, fixes)| fixes);
        Ok(json!({
            "why": why,
            "fix": fixes.as_ref().map(explain::repairs),
            "patched": fixes.as_ref().and_then(|fixes| fixes.list.first()).map(|best| &best.text),
            "diagnostics": marks(&explained.report.diagnostics, &explained.report.sources, "test"),
        }))
    }

    /// The text of a model of the library.
    fn model(&self) -> Result<Value, String> {
        let name = self.asked.models.first().ok_or("no model")?;
        let file = if name.contains('.') { name.clone() } else { format!("{name}.cat") };
        let entry =
            library::entry(&file).ok_or_else(|| format!("there is no model `{name}` in the library"))?;
        Ok(json!({ "name": entry.name, "text": entry.text }))
    }
}

/// Diagnostics with places in a text that someone is typing: from line and column up to line and column.
fn marks(diagnostics: &[Diagnostic], sources: &Sources, file: &str) -> Vec<Value> {
    let severity = |diagnostic: &Diagnostic| match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mark = |diagnostic: &Diagnostic| {
        let here = diagnostic.labels.iter().find(|(span, _)| sources.get(span.source).name == file);
        let place = here.map(|(span, said)| {
            let after = crate::source::Span { start: span.end, ..*span };
            let ((line, column), (to_line, to_column)) = (sources.line_column(*span), sources.line_column(after));
            json!({ "line": line, "column": column, "to_line": to_line, "to_column": to_column, "text": said })
        });
        json!({
            "severity": severity(diagnostic),
            "code": diagnostic.code,
            "message": diagnostic.message,
            "notes": diagnostic.notes,
            "place": place,
        })
    };
    diagnostics.iter().take(50).map(mark).collect()
}
