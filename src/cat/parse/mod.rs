//! Text to AST: drives the generated parser and words its errors.

use lalrpop_util::{ParseError, lalrpop_mod};

use super::ast;
use super::build::{Builder, MAX_DEPTH};
use super::lex::{LexError, Token, Tokens};
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
        diags.warn(unbalanced_comment(
            Span::new(source, start, start + 2),
            Span::new(source, inner, inner + 2),
        ));
    }
    // A tree that was cut is no answer, even if a later error stopped the parser: the cut comes first in the text.
    if let Some(span) = builder.too_deep {
        return Err(diags.error(too_deep(span)));
    }
    result.map_err(|error| diags.error(describe(error, source, &text)))
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

type Error<'s> = ParseError<usize, Token<'s>, (usize, LexError, usize)>;

fn describe(error: Error<'_>, source: SourceId, text: &str) -> Diagnostic {
    match error {
        ParseError::User { error: (start, error, end) } => lexical(start, error, end, source, text),
        ParseError::InvalidToken { location } => {
            lexical(location, LexError::Stray, location + 1, source, text)
        }
        ParseError::UnrecognizedEof { location, expected } => {
            let end = text.trim_end().len().min(location);
            Diagnostic::error("cat::syntax", format!("unexpected end of file, {}", expected_list(&expected)))
                .at(Span::new(source, end, end), "the file ends here")
        }
        ParseError::UnrecognizedToken { token: (start, token, end), expected } => {
            let message = format!("unexpected {token}, {}", expected_list(&expected));
            let diagnostic = Diagnostic::error("cat::syntax", message)
                .at(Span::new(source, start, end), "not expected here");
            match hint(token, &expected, &text[..start]) {
                Some(hint) => diagnostic.help(hint),
                None => diagnostic,
            }
        }
        ParseError::ExtraToken { token: (start, token, end) } => {
            Diagnostic::error("cat::syntax", format!("unexpected {token}, expected the end of the file"))
                .at(Span::new(source, start, end), "not expected here")
        }
    }
}

fn lexical(start: usize, error: LexError, end: usize, source: SourceId, text: &str) -> Diagnostic {
    match error {
        LexError::UnterminatedComment => {
            let opener = text.get(start..start + 2).unwrap_or("(*");
            let closer = if opener == "/*" { "*/" } else { "*)" };
            let diagnostic = Diagnostic::error("cat::unterminated-comment", "this comment is never closed")
                .at(Span::new(source, start, start + 2), format!("no `{closer}` matches this `{opener}`"));
            match opener {
                "(*" => diagnostic.note("comments nest: each `(*` inside needs its own `*)`"),
                _ => diagnostic,
            }
        }
        LexError::UnterminatedString => {
            Diagnostic::error("cat::unterminated-string", "this string is never closed")
                .at(Span::new(source, start, start + 1), "no `\"` after this one")
        }
        LexError::Stray => {
            let stray = text.get(start..).and_then(|rest| rest.chars().next()).unwrap_or('\u{fffd}');
            let span = Span::new(source, start, end.max(start + stray.len_utf8()));
            let diagnostic = Diagnostic::error("cat::stray-character", format!("stray {}", character(stray)))
                .at(span, "this starts no token");
            match stray_hint(stray, &text[..start]) {
                Some(hint) => diagnostic.help(hint),
                None => diagnostic,
            }
        }
    }
}

/// A character as a message names it.
fn character(c: char) -> String {
    match c {
        '\u{fffd}' => "byte that is not UTF-8".to_string(),
        '\u{feff}' => "byte-order mark".to_string(),
        '\u{a0}' => "no-break space (U+00A0)".to_string(),
        c if c.is_ascii_graphic() => format!("character `{c}`"),
        c if c.is_alphanumeric() => format!("character `{c}` (U+{:04X})", c as u32),
        c => format!("character U+{:04X}", c as u32),
    }
}

fn stray_hint(stray: char, before: &str) -> Option<&'static str> {
    match stray {
        '>' if before.ends_with('-') => Some(
            "`-` can be part of a name, so it was read as the end of the one before: write a space before `->`",
        ),
        '1'..='9' => Some("the only number is `0`, the empty relation; the inverse of `r` is `r^-1`"),
        '-' => Some("difference is written `\\`"),
        '/' => Some("comments are `(* … *)` or `// …`"),
        '\u{feff}' => Some("save the file without a byte-order mark"),
        '\u{a0}' => Some("replace it with a plain space"),
        _ => None,
    }
}

/// A remark for the mistakes that `cat` invites.
fn hint(token: Token<'_>, expected: &[String], before: &str) -> Option<&'static str> {
    let after_operand = expected.iter().any(|name| name == "\";\"");
    match token {
        Token::Plus | Token::Question | Token::Star | Token::Times if after_operand => {
            Some("`~`, the product `*` and the closures `+` `*` `?` do not chain: use parentheses")
        }
        Token::Acyclic | Token::Irreflexive | Token::Empty if before.trim_end().ends_with('~') => {
            let before = before.trim_end().trim_end_matches('~').trim_end();
            before
                .ends_with('*')
                .then_some("a `*` before `~` is a product: for a closure before a check write `(r*)`")
        }
        Token::BarBar if after_operand => Some("union is a single `|`"),
        Token::AmpAmp if after_operand => Some("intersection is a single `&`"),
        Token::PlusPlus => {
            Some("`++` is one token, it adds an element to a set: for two closures write `(r+)+`")
        }
        Token::LParen
        | Token::LBracket
        | Token::Ident(_)
        | Token::Tag(_)
        | Token::Zero
        | Token::Underscore
            if after_operand =>
        {
            Some("only a name can be applied to arguments; is a `;` or another operator missing?")
        }
        Token::MinusOne if after_operand => Some("the inverse is written `^-1`"),
        Token::Then => Some("an `if` instruction takes no `then`: `if \"variant\" … else … end`"),
        Token::Enum => Some("`enum` is only allowed at the top level of a file"),
        token if token.is_keyword() && expected.iter().any(|name| name == "identifier") => {
            Some("this word is reserved and cannot be a name")
        }
        _ => None,
    }
}

/// Terminals that can start an expression, for which "an expression" is said.
const EXPRESSION: &[&str] = &["\"begin\"", "\"0\"", "\"(\"", "\"[\"", "\"{\"", "\"_\"", "identifier", "tag"];
/// Further ones, only where any expression may stand.
const EXPRESSION_WORDS: &[&str] = &["\"let\"", "\"fun\"", "\"try\"", "\"if\"", "\"match\"", "\"~\""];
const OPERATOR: &[&str] =
    &["\"|\"", "\"&\"", "\";\"", "\"\\\\\"", "\"++\"", "\"^\"", "\"+\"", "\"?\"", "\"*\"", "\"* (product)\""];
const INSTRUCTION: &[&str] = &[
    "\"acyclic\"",
    "\"irreflexive\"",
    "\"empty\"",
    "\"assert\"",
    "\"call\"",
    "\"debug\"",
    "\"default\"",
    "\"flag\"",
    "\"forall\"",
    "\"if\"",
    "\"include\"",
    "\"instructions\"",
    "\"let\"",
    "\"match\"",
    "\"procedure\"",
    "\"show\"",
    "\"undefined_unless\"",
    "\"unshow\"",
    "\"with\"",
    "\"enum\"",
    "\"~\"",
];

/// `expected …`: what the grammar would accept, in words, whole classes of tokens by their class.
fn expected_list(expected: &[String]) -> String {
    let mut rest: Vec<&str> = expected.iter().map(String::as_str).collect();
    let mut words: Vec<String> = Vec::new();
    let mut class = |name: &str, members: &[&str], whole: &[&str]| {
        if whole.iter().all(|member| rest.contains(member)) {
            rest.retain(|terminal| !members.contains(terminal));
            words.push(name.to_string());
        }
    };
    // After an operand an instruction can start as well, and arguments can follow: name the likely things only.
    class("an operator", OPERATOR, &["\"|\"", "\";\"", "\"&\""]);
    let after_operand = !words.is_empty();
    let mut class = |name: &str, members: &[&str], whole: &[&str]| {
        if whole.iter().all(|member| rest.contains(member)) {
            rest.retain(|terminal| !members.contains(terminal));
            words.push(name.to_string());
        }
    };
    let expression: Vec<&str> = EXPRESSION.iter().chain(EXPRESSION_WORDS).copied().collect();
    class("an instruction", INSTRUCTION, &["\"acyclic\"", "\"include\"", "\"show\""]);
    let operand = if after_operand { "an argument" } else { "an expression" };
    class(operand, &expression, EXPRESSION);
    words.extend(rest.iter().map(|terminal| display(terminal)));
    if words.is_empty() {
        return "expected the end of the file".to_string();
    }
    let last = words.pop().unwrap_or_default();
    if words.is_empty() {
        format!("expected {last}")
    } else {
        format!("expected {} or {last}", words.join(", "))
    }
}

/// A terminal of the grammar as users know it.
fn display(terminal: &str) -> String {
    match terminal {
        "identifier" => "a name".to_string(),
        "tag" => "a tag".to_string(),
        "string" => "a string".to_string(),
        quoted => {
            let inner = quoted.trim_matches('"');
            format!("`{}`", if inner == "\\\\" { "\\" } else { inner })
        }
    }
}

#[cfg(test)]
mod tests;
