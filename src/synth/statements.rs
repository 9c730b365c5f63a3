//! Where the statements of a C text begin and end: where another one can be put before them.
//!
//! Only as much of the language is read as that takes: brackets, keywords of control, labels. What is read here is a test or a program that
//! has been parsed before.

use std::ops::Range;

/// A statement, and where another goes that is to be run before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The text that belongs to the statement itself: all of a simple one, the head of one that controls others.
    pub own: Range<usize>,
    /// Where another goes that is to be run before it.
    pub before: Slot,
    /// Control goes elsewhere from here: a jump, or the brace that ends a block inside a function.
    pub leaves: bool,
}

impl Statement {
    /// Where another goes that is to be run right after it; none: it controls others.
    pub fn after(&self, text: &str) -> Option<Slot> {
        let simple = text.get(self.own.clone())?.ends_with(';');
        let braces = self.before.braces.clone();
        simple.then_some(Slot { at: self.own.end, behind: true, braces })
    }
}

/// A place for a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The place.
    pub at: usize,
    /// Something ends there; otherwise something begins.
    pub behind: bool,
    /// What stands there is the only statement of a loop or a branch: braces are needed, at its start and its end.
    pub braces: Option<Range<usize>>,
}

/// A macro that stands for statements, or for whole functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub body: Range<usize>,
    /// Statements in it that another can be put before.
    pub statements: Vec<Statement>,
}

/// The statements of all functions in a text, in the order of their ends.
pub fn statements(text: &str) -> Vec<Statement> {
    functions(text, &tokens(text, 0..text.len(), false))
}

fn functions(text: &str, tokens: &[Range<usize>]) -> Vec<Statement> {
    let mut reader = Reader { text, tokens, found: Vec::new() };
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

/// The macros that a text defines, those that stand for an expression with no statements.
pub fn macros(text: &str) -> Vec<Macro> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(rest) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
        let Some(rest) = rest.strip_prefix("define").filter(|rest| rest.starts_with([' ', '\t'])) else {
            continue;
        };
        let rest = rest.trim_start();
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let after = start + line.len() - rest.len() + name.len();
        // Parameters follow at once.
        let first = match text[after..].starts_with('(') {
            true => text[after..].find(')').map_or(text.len(), |close| after + close + 1),
            false => after,
        };
        let goes_on = |end: usize| text[..end].trim_end_matches('\r').ends_with('\\');
        let ends = text[first..].match_indices('\n').map(|(newline, _)| first + newline);
        let end = ends.into_iter().find(|end| !goes_on(*end)).unwrap_or(text.len());
        let body = first..end;
        let tokens = tokens(text, body.clone(), true);
        found.push(Macro { name, statements: in_macro(text, &tokens), body });
    }
    found
}

/// The statements of a macro. Before its first one there is no place: that is before whatever calls the macro.
fn in_macro(text: &str, tokens: &[Range<usize>]) -> Vec<Statement> {
    let mut reader = Reader { text, tokens, found: Vec::new() };
    let words: Vec<&str> = tokens.iter().map(|token| &text[token.clone()]).collect();
    if !words.iter().any(|word| matches!(*word, ";" | "{")) {
        return Vec::new();
    }
    let control = ["if", "while", "for", "switch", "do", "{"];
    let open = words.iter().position(|word| *word == "{");
    let function = open.is_some_and(|open| open > 0 && words[open - 1] == ")")
        && !words[..open.unwrap_or(0)].iter().any(|word| control.contains(word) || *word == ";");
    if function {
        return functions(text, tokens);
    }
    let mut at = 0;
    while at < tokens.len() {
        at = reader.statement(at, false).max(at + 1);
    }
    let first = reader.start(0);
    reader.found.retain(|statement| statement.before.at != first);
    reader.found
}

/// The innermost statement that a place of the text belongs to.
pub fn statement_of(statements: &[Statement], at: usize) -> Option<&Statement> {
    statements.iter().filter(|statement| statement.own.contains(&at)).min_by_key(|s| s.own.len())
}

/// Words, numbers and single signs of a part of a text; comments, strings and lines for the preprocessor are none. In the body of a macro lines
/// go on.
fn tokens(text: &str, part: Range<usize>, body: bool) -> Vec<Range<usize>> {
    let text = &text[..part.end];
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = part.start;
    let mut line_start = true;
    let skip_to = |from: usize, what: &str| {
        let from = from.min(bytes.len());
        text[from..].find(what).map_or(bytes.len(), |n| from + n)
    };
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
            b'\\' if body && text[at + 1..].trim_start_matches('\r').starts_with('\n') => at += 1,
            b'#' if line_start && !body => loop {
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

/// A place before what begins there.
fn begins(at: usize) -> Slot {
    Slot { at, behind: false, braces: None }
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
            self.found.push(Statement { own: end..end, before: begins(end), leaves: true });
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
                self.found.push(Statement { own, before: begins(first), leaves: false });
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
                let own = self.start(after)..self.end(close + 1);
                // Before the test is at the end of the body.
                let before = match braces {
                    true => begins(self.start(after - 1)),
                    false => {
                        let body = self.start(at + 1)..self.end(after);
                        Slot { at: body.end, behind: true, braces: Some(body) }
                    }
                };
                if self.word(after) == "while" {
                    self.found.push(Statement { own, before, leaves: false });
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
                self.found.push(Statement { own, before: begins(first), leaves });
                after
            }
        };
        if alone {
            let end = self.end(after);
            if let Some(statement) = self.found.get_mut(number) {
                statement.before.braces = Some(first..end);
            }
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceId, Span};
    use crate::synth::edit::edited;
    use crate::synth::patch::{Change, What};

    /// The text with a fence before the statement that has a word in it.
    fn fenced(text: &str, word: &str) -> String {
        let all = statements(text);
        let at = text.find(word).expect(word);
        put(text, &statement_of(&all, at).expect(word).before)
    }

    fn put(text: &str, slot: &Slot) -> String {
        let what = What::Insert { fence: "f();", slot: slot.clone(), after: false };
        let span = Span::new(SourceId(0), 0, 0);
        edited(text, &[&Change { thread: 0, access: 0, span, what, name: "f", cost: 1 }])
    }

    #[test]
    fn another_statement_fits_before() {
        let text = "C t\n{ x=0; }\nP0(int *x) { // a; b\n  int r = *x;\nl: *x = 1;\n  if (r == 2) *x = 3; else *x = 4;\n\
                    while (*x < 5) { *x = 6; }\n do { r = 7; } while (*x == 8);\n for (int i = 0; i < 9; i++) *x = 10;\n}\nexists (x=1)\n";
        for (word, expected) in [
            ("int r", "f();\n  int r = *x;"),
            ("*x = 1;", "l: f(); *x = 1;"),
            ("r == 2", "f();\n  if (r == 2)"),
            ("*x = 3", "if (r == 2) { f(); *x = 3; } else"),
            ("*x = 4", "else { f(); *x = 4; }\n"),
            ("*x < 5", "f();\nwhile (*x < 5)"),
            ("*x = 6", "{ f(); *x = 6; }"),
            ("*x == 8", "do { r = 7; f(); } while (*x == 8);"),
            ("i < 9", "f();\n for (int i"),
            ("*x = 10", "i++) { f(); *x = 10; }\n}"),
        ] {
            let new = fenced(text, word);
            assert!(new.contains(expected), "{word}: {new}");
        }
    }

    #[test]
    fn the_test_of_a_loop_without_braces() {
        let text = "void f(void) {\n  do x = 1; while (*y == 2);\n  do if (z) x = 3; while (*y == 4);\n  if (w) x = 5;\n}\n";
        for (word, expected) in [
            ("*y == 2", "do { x = 1; f(); } while (*y == 2);"),
            ("x = 1", "do { f(); x = 1; } while (*y == 2);"),
            ("*y == 4", "do { if (z) x = 3; f(); } while (*y == 4);"),
            ("x = 3", "do if (z) { f(); x = 3; } while (*y == 4);"),
        ] {
            let new = fenced(text, word);
            assert!(new.contains(expected), "{word}: {new}");
        }
        let all = statements(text);
        let of = |word: &str| statement_of(&all, text.find(word).expect(word)).expect(word);
        let both = [&of("*y == 4").before, &of("x = 3").after(text).expect("simple")].map(|slot| {
            let what = What::Insert { fence: "f();", slot: slot.clone(), after: true };
            Change { thread: 0, access: 0, span: Span::new(SourceId(0), 0, 0), what, name: "f", cost: 1 }
        });
        let new = edited(text, &both.each_ref());
        assert!(new.contains("do { if (z) { x = 3; f(); } f(); } while (*y == 4);"), "{new}");
        assert!(put(text, &of("x = 5").after(text).expect("simple")).contains("if (w) { x = 5; f(); }\n"));
        assert_eq!(of("*y == 2").after(text), None);
    }

    #[test]
    fn statements_of_macros() {
        let text = "#define ZERO 0\n#define LOAD(x) load(&x)\n#define TWO(a, b) a = 1; b = 2\n\
                    #define THREAD(name, mine) \\\n  void *name(void *arg) {  \\\n    mine = 3;            \\\n    \
                    if (mine) return 4;  \\\n    return 5;            \\\n  }\n\
                    #define LAST do { p = 6; \\\n    q = 7; } while (0)\nint z = ZERO;\n";
        let all = macros(text);
        let names: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["ZERO", "LOAD", "TWO", "THREAD", "LAST"]);
        assert!(all[0].statements.is_empty() && all[1].statements.is_empty());
        // Before what comes first is before the call.
        assert_eq!(all[2].statements.len(), 1);
        for (of, word, expected) in [
            (2, "b = 2", "#define TWO(a, b) a = 1; f(); b = 2\n"),
            (3, "return 5", "    f();                 \\\n    return 5;            \\\n"),
            (3, "mine = 3", "void *arg) {  \\\n    f();                 \\\n    mine = 3;"),
            (3, "return 4", "if (mine) { f(); return 4; }  \\\n"),
            (4, "q = 7", "do { p = 6; \\\n    f();                 \\\n    q = 7; } while (0)\n"),
        ] {
            let statement = statement_of(&all[of].statements, text.find(word).expect(word)).expect(word);
            let new = put(text, &statement.before);
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
            "#define",
            "#define f(",
            "#define f(x) do",
            "#define f \\",
            "#define f() {",
            "#define é ;",
        ] {
            statements(text);
            macros(text);
        }
    }
}
