//! The library in three names: [`Model`], [`Test`], [`run`].

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::diag::{self, Color};
use crate::session::{Answer, Input, Report, Session, Settings, states};

/// A memory model: one that comes with the library, or a `cat` file.
///
/// It is lowered once for each architecture that it meets.
#[derive(Debug)]
pub struct Model {
    name: String,
    session: Session,
}

/// A litmus test, as text.
#[derive(Clone, Debug)]
pub struct Test {
    input: Input,
}

/// What a test can do under a model.
#[derive(Clone, Debug)]
pub struct Answers {
    report: Report,
}

/// Why there is no answer: the diagnostics as the command would print them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl std::error::Error for Error {}

impl Model {
    /// The model of that name: one of the library's (`sc`, `tso`, `aarch64`, …) or a file.
    ///
    /// ```
    /// assert!(litmus::Model::named("sc").is_ok());
    /// assert!(litmus::Model::named("no-such-model").is_err());
    /// ```
    ///
    /// # Errors
    /// There is no such model, or it is wrong.
    pub fn named(name: &str) -> Result<Model, Error> {
        Model::with_settings(name, Settings::default())
    }

    /// Likewise, with search path, variants, limits and the like.
    ///
    /// # Errors
    /// There is no such model, or it is wrong.
    pub fn with_settings(name: &str, settings: Settings) -> Result<Model, Error> {
        let checked = crate::session::check_model(&settings, name, None, false);
        if checked.model.is_none() {
            return Err(Error {
                message: diag::render_all(&checked.diagnostics, &checked.sources, Color::Never),
            });
        }
        Ok(Model { name: name.to_string(), session: Session::new(settings) })
    }

    /// Its name, as asked for.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Test {
    /// A test from its text.
    pub fn new(text: &str) -> Test {
        Test { input: Input::Text { name: "test".to_string(), text: Arc::from(text) } }
    }

    /// A test in a file; it is read when it is run.
    pub fn file(path: impl AsRef<Path>) -> Test {
        Test { input: Input::File(path.as_ref().to_path_buf()) }
    }
}

/// Runs a test under a model: every outcome that the model allows.
///
/// ```
/// let test = litmus::Test::new(
///     "X86 SB
/// {}
///  P0          | P1          ;
///  MOV [x],$1  | MOV [y],$1  ;
///  MOV EAX,[y] | MOV EAX,[x] ;
/// exists (0:EAX=0 /\\ 1:EAX=0)",
/// );
/// let sc = litmus::run(&test, &litmus::Model::named("sc")?)?;
/// assert!(!sc.condition_holds());
/// assert_eq!(sc.states(), ["0:EAX=0; 1:EAX=1;", "0:EAX=1; 1:EAX=0;", "0:EAX=1; 1:EAX=1;"]);
///
/// let tso = litmus::run(&test, &litmus::Model::named("x86tso")?)?;
/// assert!(tso.condition_holds());
/// assert_eq!(tso.executions(), 4);
/// # Ok::<(), litmus::Error>(())
/// ```
///
/// # Errors
/// The test is wrong, or uses something that is not supported: the message says what, and where.
pub fn run(test: &Test, model: &Model) -> Result<Answers, Error> {
    let report = model.session.run(&test.input, Some(&model.name));
    if report.outcome().is_none() {
        return Err(Error { message: diag::render_all(&report.diagnostics, &report.sources, Color::Never) });
    }
    Ok(Answers { report })
}

impl Answers {
    fn answer(&self) -> Option<&Answer> {
        self.report.answer.as_ref()
    }

    /// The final states, as a log shows them, in its order.
    pub fn states(&self) -> Vec<String> {
        self.answer().map(states::lines).unwrap_or_default()
    }

    /// Does the test's condition hold?
    pub fn condition_holds(&self) -> bool {
        let answer = self.answer();
        answer.is_some_and(|a| a.outcome.as_ref().is_some_and(|o| o.holds(&a.test.condition)))
    }

    /// The number of executions that the model allows (in mode [`crate::explore::Mode::Count`]).
    pub fn executions(&self) -> u64 {
        self.report.outcome().map_or(0, |o| o.positive + o.negative)
    }

    /// Is nothing missing? Loop bounds and limits make an answer incomplete: [`Report::caveat`] says how.
    pub fn is_complete(&self) -> bool {
        self.report.qualifier() == "complete"
    }

    /// Everything that is known.
    pub fn report(&self) -> &Report {
        &self.report
    }
}
