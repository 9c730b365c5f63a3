//! The shortest question: does a model allow what a test asks for?

use super::{Input, Report, Session};

impl Session {
    /// Is there an execution that satisfies the test's proposition?
    ///
    /// # Errors
    /// The test or the model is wrong, or a limit was hit: the report says it.
    pub fn allows(&self, input: &Input, model: &str) -> Result<bool, Box<Report>> {
        let report = self.run(input, Some(model));
        let found = report.answer.as_ref().and_then(|answer| {
            let outcome = answer.outcome.as_ref()?;
            outcome.kinds_found(&answer.test.condition).0
        });
        found.ok_or_else(|| Box::new(report))
    }
}
