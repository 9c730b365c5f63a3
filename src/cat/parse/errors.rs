//! The wording of lexical and syntax errors.

use lalrpop_util::ParseError;

use crate::cat::lex::{INSTRUCTION_WORDS, LexError, Token, Tokens};
use crate::diag::{Diagnostic, nearest};
use crate::source::{SourceId, Span};

type Error<'s> = ParseError<usize, Token<'s>, (usize, LexError, usize)>;

/// The token that the parser refused, and where it is.
pub fn token<'s>(error: &Error<'s>) -> Option<(usize, Token<'s>)> {
    match error {
        ParseError::UnrecognizedToken { token: (start, token, _), .. }
        | ParseError::ExtraToken { token: (start, token, _) } => Some((*start, *token)),
        _ => None,
    }
}

/// Does the file go on after the error? Not after what is never closed.
pub fn goes_on(error: &Error<'_>) -> bool {
    let unclosed = [LexError::UnterminatedComment, LexError::UnterminatedString];
    !matches!(error, ParseError::User { error: (_, error, _) } if unclosed.contains(error))
}

/// May an error be but a consequence of one before it? The end of a block, where its beginning was not understood.
pub fn may_follow(error: &Error<'_>) -> bool {
    match error {
        ParseError::UnrecognizedToken { token: (_, token, _), .. } => {
            matches!(token, Token::End | Token::Else | Token::BarBar | Token::In | Token::With)
        }
        _ => false,
    }
}

/// What the parser could not take; `tokens` is where it stopped.
pub fn describe(error: Error<'_>, source: SourceId, text: &str, tokens: &Tokens<'_>) -> Diagnostic {
    match error {
        ParseError::User { error: (start, error, end) } => lexical(start, error, end, source, text),
        ParseError::InvalidToken { location } => {
            lexical(location, LexError::Stray, location + 1, source, text)
        }
        ParseError::UnrecognizedEof { location, expected } => {
            let end = text.trim_end().len().min(location);
            let message = format!("unexpected end of file, {}", expected_list(&expected));
            let diagnostic = Diagnostic::error("cat::syntax", message)
                .at(Span::new(source, end, end), "the file ends here");
            match tokens.last() {
                Some(Token::PlusPlus) => diagnostic.help(PLUS_PLUS),
                _ => diagnostic,
            }
        }
        ParseError::UnrecognizedToken { token: (start, token, end), expected } => {
            let message = format!("unexpected {token}, {}", expected_list(&expected));
            let diagnostic = Diagnostic::error("cat::syntax", message)
                .at(Span::new(source, start, end), "not expected here");
            if let Some((start, word, near)) = misspelt(tokens).or_else(|| misspelt_line(text, start)) {
                let span = Span::new(source, start, start + word.len());
                return diagnostic.at(span, format!("did you mean `{near}`?"));
            }
            match hint(token, &expected, tokens.previous()) {
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
            Diagnostic::error("cat::unterminated-comment", "this comment is never closed")
                .at(Span::new(source, start, start + 2), format!("no `{closer}` after this `{opener}`"))
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
            "`-` can be part of a name and was read as the end of the one before: write a space before `->`",
        ),
        '1'..='9' => Some("the only number is `0`, the empty relation; the inverse of `r` is `r^-1`"),
        '-' => Some("difference is written `\\`"),
        '/' => Some("comments are `(* … *)` or `// …`"),
        '\u{feff}' => Some("save the file without a byte-order mark"),
        '\u{a0}' => Some("replace it with a plain space"),
        _ => None,
    }
}

/// A misspelt word at the start of the file, where it was taken for a header: its place, itself, and what was meant.
fn misspelt<'s>(tokens: &Tokens<'s>) -> Option<(usize, &'s str, &'static str)> {
    match tokens.mistaken_header() {
        Some((start, Token::Ident(word), _)) => {
            nearest(word, INSTRUCTION_WORDS.iter().copied()).map(|near| (start, word, near))
        }
        _ => None,
    }
}

/// A misspelt instruction that was taken for the file's header.
pub fn misspelt_header(header: &[String], source: SourceId, tokens: &Tokens<'_>) -> Option<Diagnostic> {
    // A name in quotes is meant to be one.
    let (start, Token::Ident(word), _) = tokens.first()? else { return None };
    if header.first().is_none_or(|first| first != word) {
        return None;
    }
    let near = nearest(word, INSTRUCTION_WORDS.iter().copied())?;
    let span = Span::new(source, start, start + word.len());
    let error = Diagnostic::error("cat::syntax", format!("`{word}` is no instruction"));
    Some(error.at(span, format!("did you mean `{near}`?")).note("words at the start of a file are its name"))
}

/// A misspelt instruction that was taken for the argument of a function, at the end of the line before: a name that starts a line, and that the
/// file does not bind.
pub fn misspelt_argument(source: SourceId, text: &str, tokens: &Tokens<'_>) -> Option<Diagnostic> {
    let near = |word| nearest(word, INSTRUCTION_WORDS.iter().copied());
    let found = tokens.arguments().iter().filter_map(|(start, word)| Some((*start, *word, near(word)?)));
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return None;
    }
    let bound = not_arguments(text);
    let (start, word, near) = found.into_iter().find(|(_, word, _)| !bound.contains(word))?;
    let error = Diagnostic::error("cat::syntax", format!("`{word}` is no instruction"));
    let error = error.at(Span::new(source, start, start + word.len()), format!("did you mean `{near}`?"));
    Some(error.note("as it stands it is an argument of what ends the line before"))
}

/// The names in a text that are not the argument of something just before them.
fn not_arguments(text: &str) -> Vec<&str> {
    let mut before: Option<Token<'_>> = None;
    let mut names = Vec::new();
    for (_, token, _) in Tokens::new(text, 0).map_while(Result::ok) {
        if let Token::Ident(word) = token
            && !before.is_some_and(Token::ends_operand)
        {
            names.push(word);
        }
        before = Some(token);
    }
    names
}

/// A misspelt word at the start of the line of an error: the names after it were taken for arguments of a function.
fn misspelt_line(text: &str, error: usize) -> Option<(usize, &str, &'static str)> {
    let line = text.get(..error)?.rfind('\n').map_or(0, |newline| newline + 1);
    let start = line + text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len();
    let word = text[start..].split(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).next()?;
    if start > error || word.is_empty() || INSTRUCTION_WORDS.contains(&word) {
        return None;
    }
    nearest(word, INSTRUCTION_WORDS.iter().copied()).map(|near| (start, word, near))
}

fn is_infix(token: Token<'_>) -> bool {
    matches!(token, Token::Bar | Token::Semicolon | Token::Backslash | Token::Amp | Token::Times)
}

const PLUS_PLUS: &str = "`++` is one token, it adds an element to a set: for two closures write `(r+)+`";

/// A remark for the mistakes that `cat` invites.
fn hint(token: Token<'_>, expected: &[String], previous: Option<Token<'_>>) -> Option<&'static str> {
    let expects = |terminal: &str| expected.iter().any(|name| name == terminal);
    let after_operand = previous.is_some_and(Token::ends_operand);
    match token {
        Token::Plus | Token::Question | Token::Star | Token::Times if expects("\";\"") => {
            Some("`~`, the product `*` and the closures `+` `*` `?` do not chain: use parentheses")
        }
        Token::Acyclic | Token::Irreflexive | Token::Empty if previous == Some(Token::Tilde) => {
            Some("`*` before `~` is a product: for a closure before a check write `(r*)`")
        }
        Token::BarBar if expected == ["\"end\""] => Some("`_` can only be the last clause"),
        Token::BarBar if after_operand => Some("union is a single `|`"),
        Token::AmpAmp if after_operand => Some("intersection is a single `&`"),
        Token::MinusOne if after_operand => Some("the inverse is written `^-1`"),
        Token::Ident(_) | Token::Underscore if expected == ["\"=\""] && after_operand => {
            Some("a function takes one parameter or one tuple of them: `let f (x, y) = …`")
        }
        _ if previous == Some(Token::In) && token.starts_operand() => {
            Some("`let … in` with a body is an expression; as an instruction, `let` takes no body")
        }
        _ if expects("\"begin\"") && !expects("identifier") => {
            Some("`call` takes one argument, in parentheses unless it is `0`, `_`, a tag or `{…}`")
        }
        _ if token.starts_operand() && expects("\";\"") => {
            Some("only a name can be applied to arguments; is a `;` or another operator missing?")
        }
        Token::Then => Some("an `if` instruction takes no `then`: `if \"variant\" … else … end`"),
        Token::Enum => Some("`enum` is only allowed at the top level of a file"),
        _ if previous == Some(Token::PlusPlus) => Some(PLUS_PLUS),
        _ if token.is_keyword() && previous.is_some_and(is_infix) => {
            Some("the operator before it has nothing on its right")
        }
        _ if token.is_keyword() && expects("identifier") => {
            Some("this word is reserved and cannot be a name")
        }
        _ => None,
    }
}

/// Terminals that can start any operand.
const OPERAND: &[&str] = &["\"begin\"", "\"0\"", "\"(\"", "\"[\"", "\"{\"", "\"_\"", "identifier", "tag"];
/// Those of an expression that are no operands.
const EXPRESSION_WORDS: &[&str] = &["\"let\"", "\"fun\"", "\"try\"", "\"if\"", "\"match\"", "\"~\""];
const OPERATOR: &[&str] =
    &["\"|\"", "\"&\"", "\";\"", "\"\\\\\"", "\"++\"", "\"^\"", "\"+\"", "\"?\"", "\"*\"", "\"* (product)\""];

/// `expected …`: what the grammar would accept, in words, whole classes of tokens by the name of the class.
fn expected_list(expected: &[String]) -> String {
    let mut rest: Vec<&str> = expected.iter().map(String::as_str).collect();
    let mut words: Vec<String> = Vec::new();
    let after_operand = rest.contains(&"\";\"");
    let mut class = |name: &str, whole: &[&str], member: &dyn Fn(&str) -> bool| {
        if whole.iter().all(|terminal| rest.contains(terminal)) {
            rest.retain(|terminal| !member(terminal));
            words.push(name.to_string());
        }
    };
    let instruction = |terminal: &str| {
        let word = terminal.trim_matches('"');
        INSTRUCTION_WORDS.contains(&word) || ["if", "match", "with", "~"].contains(&word)
    };
    let expression = |terminal: &str| OPERAND.contains(&terminal) || EXPRESSION_WORDS.contains(&terminal);
    class("an operator", &["\"|\"", "\";\"", "\"&\""], &|terminal| OPERATOR.contains(&terminal));
    class("an instruction", &["\"acyclic\"", "\"include\"", "\"show\""], &instruction);
    class(if after_operand { "an argument" } else { "an expression" }, OPERAND, &expression);
    class("an argument in parentheses", &["\"begin\"", "\"(\""], &expression);
    words.extend(rest.iter().map(|terminal| display(terminal)));
    let Some(last) = words.pop() else {
        return "expected the end of the file".to_string();
    };
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
