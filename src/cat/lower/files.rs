//! Where included files come from.

use std::sync::Arc;

use crate::cat::Loader;
use crate::cat::ast::File;
use crate::diag::{Diagnostics, Reported};
use crate::source::{Sources, Span};

/// Finds and parses model files by name.
pub trait Files: Send {
    /// The file of that name, parsed; `from` is the `include` that asks for it.
    ///
    /// # Errors
    /// There is no such file, or it does not parse; either way that has been reported.
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        sources: &mut Sources,
        diags: &mut Diagnostics,
    ) -> Result<Arc<File>, Reported>;
}

impl Files for Loader {
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        sources: &mut Sources,
        diags: &mut Diagnostics,
    ) -> Result<Arc<File>, Reported> {
        Loader::open(self, sources, name, from.map(|span| span.source), diags, from)
    }
}
