//! Where the statements of a C text begin and end: where another one can be put before them.
//!
//! Only as much of the language is read as that takes: brackets, keywords of control, labels. What is read here is a test or a program that
//! has been parsed before.

use std::ops::Range;

/// A place for another statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The text that belongs to the statement itself: all of a simple one, the head of one that controls others.
    pub own: Range<usize>,
    /// Where another goes that is to be run before it.
    pub before: usize,
    /// It is the only statement of a loop or a branch, up to there: braces are needed.
    pub alone: Option<usize>,
    /// Control goes elsewhere from here: a jump, or the brace that ends a block inside a function.
    pub leaves: bool,
}

/// The statements of all functions in a text, in the order of their ends.
pub fn statements(text: &str) -> Vec<Statement> {
    let tokens = tokens(text);
    let mut reader = Reader { text, tokens: &tokens, found: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        at = match reader.word(at) {
            "{" if at > 0 && reader.word(at - 1) == ")" => reader.block(at, false),
            "{" => reader.closing(at) + 1,
            _ => at + 1,
        };
    }
    reader.found
}

/// The innermost statement that a place of the text belongs to.
pub fn statement_of(statements: &[Statement], at: usize) -> Option<&Statement> {
    statements.iter().filter(|statement| statement.own.contains(&at)).min_by_key(|s| s.own.len())
}

/// Words, numbers and single signs; comments, strings and lines for the preprocessor are none.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    let skip_to = |from: usize, what: &str| text[from..].find(what).map_or(bytes.len(), |n| from + n);
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        match byte {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => at += 1,
            b'#' if line_start => loop {
                let end = skip_to(at, "\n");
                let goes_on = text[..end].trim_end_matches('\r').ends_with('\\');
                at = (end + 1).min(bytes.len());
                if !goes_on || end == bytes.len() {
                    break;
                }
            },
            b'/' if text[at..].starts_with("//") => at = skip_to(at, "\n"),
            b'/' if text[at..].starts_with("/*") => at = (skip_to(at + 2, "*/") + 2).min(bytes.len()),
            b'(' if text[at..].starts_with("(*)") => {
                tokens.push(at..at + 1);
                at += 1;
            }
            b'"' | b'\'' => {
                at += 1;
                while at < bytes.len() && bytes[at] != byte && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            _ if byte.is_ascii_alphanumeric() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                tokens.push(start..at);
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                tokens.push(start..at);
            }
        }
        if !byte.is_ascii_whitespace() {
            line_start = byte == b'#' && line_start;
        }
    }
    tokens
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Range<usize>],
    found: Vec<Statement>,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.clone()])
    }

    fn start(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.text.len(), |token| token.start)
    }

    /// Where the text of what ends before token `at` ends.
    fn end(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.end)
    }

    /// The bracket that closes the one at a token.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for at in open..self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// Reads a block, and says where what comes after it begins.
    fn block(&mut self, open: usize, inner: bool) -> usize {
        let close = self.closing(open);
        let mut at = open + 1;
        while at < close {
            at = self.statement(at, false).max(at + 1);
        }
        if inner && self.word(close) == "}" {
            let end = self.start(close);
            self.found.push(Statement { own: end..end, before: end, alone: None, leaves: true });
        }
        close + 1
    }

    /// Reads a statement, and says where what comes after it begins.
    fn statement(&mut self, at: usize, alone: bool) -> usize {
        let first = self.start(at);
        let number = self.found.len();
        let after = match self.word(at) {
            "{" => return self.block(at, true),
            "if" | "while" | "for" | "switch" if self.word(at + 1) == "(" => {
                let close = self.closing(at + 1);
                let own = first..self.end(close + 1);
                self.found.push(Statement { own, before: first, alone: None, leaves: false });
                let mut after = self.statement(close + 1, true);
                if self.word(at) == "if" && self.word(after) == "else" {
                    after = self.statement(after + 1, true);
                }
                after
            }
            "do" => {
                let braces = self.word(at + 1) == "{";
                let after = self.statement(at + 1, true);
                let close = self.closing(after + 1);
                if braces {
                    // Before the test is at the end of the body.
                    let own = self.start(after)..self.end(close + 1);
                    let before = self.start(after - 1);
                    self.found.push(Statement { own, before, alone: None, leaves: false });
                }
                return (close + 2).min(self.tokens.len());
            }
            "case" | "default" => {
                let colon = (at..self.tokens.len()).find(|at| self.word(*at) == ":");
                return colon.map_or(self.tokens.len(), |colon| self.statement(colon + 1, alone));
            }
            _ if self.word(at + 1) == ":" => return self.statement(at + 2, alone),
            ";" => return at + 1,
            _ => {
                let mut end = at;
                while end < self.tokens.len() && self.word(end) != ";" {
                    end = match self.word(end) {
                        "(" | "[" | "{" => self.closing(end) + 1,
                        "}" => break,
                        _ => end + 1,
                    };
                }
                let after = (end + 1).min(self.tokens.len());
                let leaves = matches!(self.word(at), "return" | "break" | "continue" | "goto");
                let own = first..self.end(after);
                self.found.push(Statement { own, before: first, alone: None, leaves });
                after
            }
        };
        if alone {
            let end = self.end(after);
            self.found[number].alone = Some(end);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with a fence before the statement that has a word in it.
    fn fenced(text: &str, word: &str) -> String {
        let all = statements(text);
        let at = text.find(word).expect(word);
        let statement = statement_of(&all, at).expect(word);
        let mut new = text.to_string();
        if let Some(end) = statement.alone {
            new.insert_str(end, " }");
        }
        new.insert_str(statement.before, if statement.alone.is_some() { "{ f(); " } else { "f(); " });
        new
    }

    #[test]
    fn another_statement_fits_before() {
        let text = "C t\n{ x=0; }\nP0(int *x) { // a; b\n  int r = *x;\nl: *x = 1;\n  if (r == 2) *x = 3; else *x = 4;\n\
                    while (*x < 5) { *x = 6; }\n do { r = 7; } while (*x == 8);\n for (int i = 0; i < 9; i++) *x = 10;\n}\nexists (x=1)\n";
        for (word, expected) in [
            ("int r", "f(); int r = *x;"),
            ("*x = 1;", "l: f(); *x = 1;"),
            ("r == 2", "f(); if (r == 2)"),
            ("*x = 3", "if (r == 2) { f(); *x = 3; } else"),
            ("*x = 4", "else { f(); *x = 4; }\n"),
            ("*x < 5", "f(); while (*x < 5)"),
            ("*x = 6", "{ f(); *x = 6; }"),
            ("*x == 8", "do { r = 7; f(); } while (*x == 8);"),
            ("i < 9", "f(); for (int i"),
            ("*x = 10", "i++) { f(); *x = 10; }\n}"),
        ] {
            let new = fenced(text, word);
            assert!(new.contains(expected), "{word}: {new}");
        }
    }

    #[test]
    fn odd_texts_end() {
        for text in [
            "",
            "P0() {",
            "P0() { if (",
            "P0() { do }",
            "P0() { case",
            "#define x \\",
            "f() { a: }",
            "\"",
            "/*",
        ] {
            statements(text);
        }
    }
}
