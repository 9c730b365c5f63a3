//! Text to AST: drives the generated parser.

mod errors;

use lalrpop_util::lalrpop_mod;

use super::ast;
use super::build::{Builder, MAX_DEPTH};
use super::lex::{INSTRUCTION_WORDS, LexError, Token, Tokens};
use crate::diag::{Diagnostic, Diagnostics, Reported};
use crate::source::{SourceId, Sources, Span};

lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, unused, missing_docs)]
    grammar,
    "/cat/grammar.rs"
);

/// Parses one `cat` or `bell` file. After a syntax error it goes on at the next line that starts with an instruction, to report what
/// else is wrong.
pub fn parse(sources: &Sources, source: SourceId, diags: &mut Diagnostics) -> Result<ast::File, Reported> {
    let text = sources.get(source).text.clone();
    let mut builder = Builder::new(source);
    let mut tokens = Tokens::new(&text, 0);
    let result = grammar::FileParser::new().parse(&mut builder, tokens.by_ref());
    if let Some((start, inner)) = tokens.comments().unbalanced {
        let (comment, inner) = (Span::new(source, start, start + 2), Span::new(source, inner, inner + 2));
        diags.warn(unbalanced_comment(comment, inner));
    }
    // A tree that was cut is no answer, even if a later error stopped the parser: the cut comes first in the text.
    if let Some(span) = builder.too_deep {
        return Err(diags.error(too_deep(span)));
    }
    let error = match result {
        Ok(file) => {
            let misspelt = errors::misspelt_header(&file.header, source, &tokens);
            return match misspelt.or_else(|| errors::misspelt_argument(source, &text, &tokens)) {
                Some(error) => Err(diags.error(error)),
                None => Ok(*file),
            };
        }
        Err(error) => error,
    };
    let (refused, goes_on) = (errors::token(&error), errors::goes_on(&error));
    let reported = diags.error(errors::describe(error, source, &text, &tokens));
    if goes_on {
        further_errors(&text, source, resume(&text, refused, &mut tokens), diags);
    }
    Err(reported)
}

/// Reports the errors of what follows an error, from this place on.
fn further_errors(text: &str, source: SourceId, mut start: Option<usize>, diags: &mut Diagnostics) {
    let parser = grammar::FileParser::new();
    for _ in 1..ERROR_LIMIT {
        let Some(from) = start else { break };
        let mut tokens = Tokens::new(text, from);
        let Err(error) = parser.parse(&mut Builder::new(source), tokens.by_ref()) else { break };
        let refused = errors::token(&error).filter(|(at, _)| *at > from);
        let goes_on = errors::goes_on(&error);
        if !errors::may_follow(&error) {
            diags.error(errors::describe(error, source, text, &tokens));
        }
        start = if goes_on { resume(text, refused, &mut tokens) } else { None };
    }
}

/// More syntax errors of one file are not reported.
const ERROR_LIMIT: usize = 20;

/// The next instruction that starts a line: the token that was refused, or one after it.
fn resume(text: &str, refused: Option<(usize, Token<'_>)>, tokens: &mut Tokens<'_>) -> Option<usize> {
    let starts_line = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    let is_instruction = |(at, token): &(usize, Token<'_>)| {
        starts_line(*at) && INSTRUCTION_WORDS.contains(&token.to_string().trim_matches('`'))
    };
    // Nothing follows what is never closed.
    let rest = tokens.map_while(|token| match token {
        Ok((at, token, _)) => Some(Some((at, token))),
        Err((_, LexError::Stray, _)) => Some(None),
        Err((_, LexError::UnterminatedComment | LexError::UnterminatedString, _)) => None,
    });
    refused.into_iter().chain(rest.flatten()).find(is_instruction).map(|(at, _)| at)
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
