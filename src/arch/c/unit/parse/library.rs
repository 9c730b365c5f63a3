//! Functions of the library that a program uses and nobody defines: what they do is in our headers.
//!
//! A preprocessed file has the declarations of its system, without bodies; an old program has none. Our header is read after the program, in a scope of its
//! own: its types are not those of the program, but an object of the system's type is never smaller than ours, and all zero where ours is.

use super::{Parser, ours};
use crate::arch::c::preprocess::{headers, library};
use crate::arch::c::unit::lower::refused;
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::source::{Sources, Span};

impl Parser {
    /// Is that place in a header of ours?
    pub(super) fn is_ours(&self, span: Span) -> bool {
        self.ours.contains(&span.source)
    }

    /// Brings in the headers that define what is missing.
    pub(super) fn library(&mut self, sources: &mut Sources) {
        // What a header does may need another one.
        for _ in 0..4 {
            let missing = self.missing();
            if missing.is_empty() {
                break;
            }
            match library(sources, &missing) {
                Ok(tokens) => {
                    self.ours = ours(sources);
                    (self.tokens, self.at, self.is_library) = (tokens, 0, true);
                    self.enter();
                    self.unit();
                    self.leave();
                }
                Err(diagnostic) => return self.errors.push(diagnostic),
            }
        }
        for (id, span) in std::mem::take(&mut self.undeclared) {
            let function = &self.unit.functions[id];
            let fits = matches!(function.result.plain(), Ty::Int(_) | Ty::Void);
            if let Some((what, instead)) = refused(&function.name).filter(|_| function.body.is_none()) {
                let refused = Diagnostic::unsupported("c::refused", format!("{what} not supported"));
                self.errors.push(refused.at(span, "asked for here").help(instead));
            } else if function.body.is_none() || !fits {
                let unknown = self.unknown_function(&function.name.clone(), span);
                self.errors.push(unknown);
            }
        }
    }

    /// The headers of the functions that are used, and have no body.
    fn missing(&mut self) -> Vec<&'static str> {
        let mut found = Vec::new();
        let functions = &self.unit.functions;
        let bodiless = self.used.iter().filter(|id| functions[**id].body.is_none());
        for header in bodiless.filter_map(|id| headers::declaring(&functions[*id].name)) {
            if !found.contains(&header) {
                found.push(header);
            }
        }
        // Each header is asked once.
        self.used
            .retain(|id| functions[*id].body.is_some() || headers::declaring(&functions[*id].name).is_none());
        found.sort_unstable();
        found
    }

    /// A call of what nobody declares.
    pub(super) fn unknown_function(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::error("c::unknown-function", format!("nobody declares the function `{name}`"))
            .at(span, "called here")
            .help(match headers::declaring(name) {
                Some(header) => format!("`#include <{header}>` declares it"),
                None => "no header of litmus declares it: define it in the program".to_string(),
            })
    }
}
