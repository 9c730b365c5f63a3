//! Text to AST: drives the generated parser.

mod errors;

use lalrpop_util::lalrpop_mod;

use super::ast;
use super::build::{Builder, MAX_DEPTH};
use super::lex::Tokens;
use crate::diag::{Diagnostic, Diagnostics, Reported};
use crate::source::{SourceId, Sources, Span};

lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, unused, missing_docs)]
    grammar,
    "/cat/grammar.rs"
);

/// Parses one `cat` or `bell` file. Reports the first error: what follows a syntax error is guesswork.
pub fn parse(sources: &Sources, source: SourceId, diags: &mut Diagnostics) -> Result<ast::File, Reported> {
    let text = sources.get(source).text.clone();
    let mut builder = Builder::new(source);
    let mut tokens = Tokens::new(&text);
    let result = grammar::FileParser::new().parse(&mut builder, tokens.by_ref());
    if let Some((start, inner)) = tokens.comments().unbalanced {
        let (comment, inner) = (Span::new(source, start, start + 2), Span::new(source, inner, inner + 2));
        diags.warn(unbalanced_comment(comment, inner));
    }
    // A tree that was cut is no answer, even if a later error stopped the parser: the cut comes first in the text.
    if let Some(span) = builder.too_deep {
        return Err(diags.error(too_deep(span)));
    }
    result.map_err(|error| diags.error(errors::describe(error, source, &text, &tokens)))
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("cat::too-deep", "this is nested too deeply")
        .at(span, format!("more than {MAX_DEPTH} levels"))
        .help("name the inner parts with `let`")
}

fn unbalanced_comment(comment: Span, inner: Span) -> Diagnostic {
    Diagnostic::warning("cat::unbalanced-comment", "the comments of this file do not nest")
        .at(comment, "this comment would never be closed")
        .at(inner, "if this opened another one")
        .note("each comment was taken to end at the next `*)`; herd7 rejects the file")
}

#[cfg(test)]
mod tests;
