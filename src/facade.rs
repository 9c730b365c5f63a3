//! The library in a few names: [`Model`], [`Test`], [`run`], [`each_execution`].

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::diag::{self, Color, Diagnostic};
use crate::execution::Execution;
use crate::explore::Request;
use crate::files::Memory;
use crate::litmus::Lowered;
use crate::outcome::{Count, Outcome};
use crate::session::{Answer, Input, Qualifier, Report, Session, Settings, states};
use crate::source::Sources;

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

/// Why there is no answer: diagnostics, and the files that their spans point into. Shown as the command would print them.
#[derive(Clone, Debug)]
pub struct Error {
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

impl Error {
    /// What is wrong, in the order found: messages with a stable code, places and remarks.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The files that spans point into: [`Sources::line_column`], [`Sources::text`].
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(diag::render_all(&self.diagnostics, &self.sources, Color::Never).trim_end())
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

    /// A model from its text. It includes files of the library only: nothing is read from the disk.
    ///
    /// ```
    /// let model = litmus::Model::from_text("mine", "\"mine\"\ninclude \"cos.cat\"\nacyclic po | rf | co | fr as sc")?;
    /// let wrong = litmus::Model::from_text("wrong", "acyclic pox").unwrap_err();
    /// assert_eq!(wrong.diagnostics()[0].code, "cat::unknown-name");
    /// # Ok::<(), litmus::Error>(())
    /// ```
    ///
    /// # Errors
    /// It is wrong.
    pub fn from_text(name: &str, text: &str) -> Result<Model, Error> {
        let file = format!("{name}.cat");
        let files = Arc::new(Memory::new().with(file.as_str(), text));
        Model::with_settings(&file, Settings { files, ..Settings::default() })
    }

    /// Likewise, with search path, variants, limits and the like. [`Settings::files`] says where files are read from;
    /// `Settings::explore` has the limits, and a flag that cancels a run.
    ///
    /// # Errors
    /// There is no such model, or it is wrong.
    pub fn with_settings(name: &str, settings: Settings) -> Result<Model, Error> {
        let checked = crate::session::check_model(&settings, name, None, false);
        if checked.model.is_none() {
            return Err(Error { diagnostics: checked.diagnostics, sources: checked.sources });
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
    pub fn from_text(text: &str) -> Test {
        Test::new(text)
    }

    /// The same.
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
        return Err(Error { diagnostics: report.diagnostics, sources: report.sources });
    }
    Ok(Answers { report })
}

/// Shows the executions of a test that a model allows to `see`, one by one, as data, until it breaks off: events, values, relations by name.
///
/// ```
/// use std::ops::ControlFlow;
/// let test = litmus::Test::from_text("X86 W\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [x],$2 ;\nexists (x=1)");
/// let mut seen = 0;
/// litmus::each_execution(&test, &litmus::Model::named("sc")?, &litmus::explore::Request::all(), |_, execution| {
///     seen += 1;
///     assert_eq!(execution.state.len(), 1);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(seen, 2);
/// # Ok::<(), litmus::Error>(())
/// ```
///
/// # Errors
/// As [`run`].
pub fn each_execution(
    test: &Test,
    model: &Model,
    request: &Request,
    mut see: impl FnMut(&Lowered, Execution) -> ControlFlow<()> + Send,
) -> Result<Answers, Error> {
    let report = model.session.each_execution(&test.input, Some(&model.name), request, &mut see);
    if report.outcome().is_none() {
        return Err(Error { diagnostics: report.diagnostics, sources: report.sources });
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
    pub fn executions(&self) -> Count {
        self.report.outcome().map_or(Count::ZERO, Outcome::executions)
    }

    /// Is nothing missing? Loop bounds and limits make an answer incomplete: [`Report::caveat`] says how.
    pub fn is_complete(&self) -> bool {
        self.report.qualifier() == Qualifier::Complete
    }

    /// Everything that is known.
    pub fn report(&self) -> &Report {
        &self.report
    }
}
