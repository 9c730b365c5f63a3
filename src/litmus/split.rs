//! Cuts a file into its regions: header, initial state, program, final part.
//!
//! herd7 cuts on raw characters; here comments and strings are understood, so that a brace or a keyword
//! inside them does no harm.

use std::ops::Range;

use super::text::{Comments, skip_comment, skip_string};

/// The regions of a file, as byte ranges of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    /// Between the braces of the initial state, without them.
    pub init: Range<usize>,
    /// The program.
    pub program: Range<usize>,
    /// `locations`, `filter` and the condition; may be empty.
    pub fin: Range<usize>,
}

/// Why a file could not be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplitError {
    /// No `{`.
    NoInit,
    /// The `{` at this byte is never closed.
    UnclosedInit(usize),
}

/// The words that open the final part.
pub const FINAL_WORDS: [&str; 8] =
    ["exists", "forall", "final", "locations", "filter", "observed", "Observed", "cases"];

/// Cuts `text`, whose header ends at byte `from`. `is_c`: the program is C.
pub fn split(text: &str, from: usize, is_c: bool) -> Result<Regions, SplitError> {
    let open = find_init(text, from).ok_or(SplitError::NoInit)?;
    let close = close_brace(text, open).ok_or(SplitError::UnclosedInit(open))?;
    let program = close + 1;
    let fin = find_final(text, program, is_c);
    Ok(Regions { init: open + 1..close, program: program..fin, fin: fin..find_end(text, fin) })
}

/// The first `{` that is not in a comment or in an info field. An opener of a comment that is never closed is
/// free text.
pub fn find_init(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if at > 0 && bytes[at - 1] == b'\n' && super::header::info_at(text, at).is_some() {
            at += text[at..].find('\n')?;
        } else if bytes[at] == b'{' {
            return Some(at);
        } else {
            at = skip_comment(text, at, Comments::All).unwrap_or(at + 1);
        }
    }
    // A `{` after an opener that only looked like one.
    text[from..].find('{').map(|offset| from + offset)
}

/// The brace that closes the one at `open`.
fn close_brace(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (open, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth -= 1,
            _ => {
                if let Some(end) = skip_comment(text, at, Comments::All).or_else(|| skip_string(text, at)) {
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    None
}

/// Where the final part starts: the end of the text if there is none.
fn find_final(text: &str, from: usize, is_c: bool) -> usize {
    let bytes = text.as_bytes();
    let comments = if is_c { Comments::C } else { Comments::Nested };
    let (mut at, mut depth) = (from, 0usize);
    while at < bytes.len() {
        if let Some(end) = skip_comment(text, at, comments).or_else(|| skip_string(text, at)) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'{' if is_c => depth += 1,
            b'}' if is_c => depth = depth.saturating_sub(1),
            b'~' if depth == 0 => {
                let word = at + 1 + blanks(&bytes[at + 1..]);
                if word_at(text, word) == "exists" {
                    return at;
                }
            }
            byte if byte.is_ascii_alphabetic() => {
                let word = word_at(text, at);
                if depth == 0 && FINAL_WORDS.contains(&word) {
                    return at;
                }
                if depth == 0 && word == "not" {
                    let next = at + 3 + blanks(&bytes[at + 3..]);
                    if word_at(text, next) == "exists" {
                        return at;
                    }
                }
                at += word.len();
                continue;
            }
            // A name may also go on after a digit or an underscore: `_exists`, `0exists` are not the keyword.
            byte if byte == b'_' || byte.is_ascii_digit() => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// `<<` outside a comment ends a test.
fn find_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while at < text.len() {
        if text.as_bytes()[at..].starts_with(b"<<") {
            return at;
        }
        at = skip_comment(text, at, Comments::All).unwrap_or(at + 1);
    }
    text.len()
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/' | b'.' | b'-')
}

/// The word that starts at a byte; empty if none does.
fn word_at(text: &str, at: usize) -> &str {
    let bytes = &text.as_bytes()[at.min(text.len())..];
    if !bytes.first().is_some_and(u8::is_ascii_alphabetic) {
        return "";
    }
    let len = bytes.iter().take_while(|byte| is_word(**byte)).count();
    &text[at..at + len]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, is_c: bool) -> [&str; 3] {
        let from = text.find('\n').unwrap_or(text.len());
        let regions = split(text, from, is_c).expect("has an initial state");
        [&text[regions.init], &text[regions.program], &text[regions.fin]]
    }

    #[test]
    fn cuts_at_braces_and_keywords() {
        assert_eq!(
            cut("X86 t\n{x=1;}\n P0 ;\nexists x=1\n<< junk", false),
            ["x=1;", "\n P0 ;\n", "exists x=1\n"]
        );
        assert_eq!(cut("X86 t\n{}P0;~ exists true", false), ["", "P0;", "~ exists true"]);
        assert_eq!(cut("X86 t\n{int x[2]={1,2};}P0;", false), ["int x[2]={1,2};", "P0;", ""]);
    }

    #[test]
    fn comments_hide_braces_and_keywords() {
        assert_eq!(
            cut("PPC t\n(* { *)\nCom={\n{ (* } *) x=1;}(* exists *) P0;\nforall true", false),
            [" (* } *) x=1;", "(* exists *) P0;\n", "forall true"]
        );
        assert_eq!(
            cut("C t\n{}\nP0(int *x) { // exists\n int final = (*x); }\nexists true", true),
            ["", "\nP0(int *x) { // exists\n int final = (*x); }\n", "exists true"]
        );
    }

    #[test]
    fn words_that_only_contain_a_keyword_do_not_end_the_program() {
        let [_, program, fin] =
            cut("X86 t\n{}P0;\nexists_: nop;\n_exists: nop;\nL.exists: nop;\nexists true", false);
        assert_eq!(program, "P0;\nexists_: nop;\n_exists: nop;\nL.exists: nop;\n");
        assert_eq!(fin, "exists true");
    }

    #[test]
    fn missing_and_unclosed_initial_states() {
        assert_eq!(split("X86 t\nP0;", 5, false), Err(SplitError::NoInit));
        assert_eq!(split("X86 t\n{x=1;\nP0;", 5, false), Err(SplitError::UnclosedInit(6)));
        // An opener of a comment that is never closed is free text.
        assert!(split("X86 t\nsmile (* {} P0;", 5, false).is_ok());
    }
}
