//! Comments and strings, as all regions of a file share them.

use crate::limits;

/// Comments nested deeper than this are not taken for comments: nobody nests so deep, and each would be looked at to its end.
const MAX_NESTED: usize = 200;

/// Which comments a region has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comments {
    /// `(* … *)`, nesting.
    Nested,
    /// `//` and `/* … */`.
    C,
    /// All of them.
    All,
}

/// What to tell someone who writes another comment.
pub const COMMENTS: &str = "comments are `(* … *)`";

/// How a condition writes what other languages write otherwise.
pub fn connective(written: &str) -> Option<&'static str> {
    Some(match written {
        "&" | "&&" | "and" | "AND" | "And" | "∧" | "⋀" => "/\\",
        "|" | "||" | "or" | "OR" | "Or" | "∨" | "⋁" => "\\/",
        "!" | "¬" => "not",
        "->" | "-->" | "==>" | "→" | "⇒" | "implies" => "=>",
        "≠" => "!=",
        _ => return None,
    })
}

/// The end of the comment that starts at byte `at`, if one does and is closed.
#[inline]
pub fn skip_comment(text: &str, at: usize, comments: Comments) -> Option<usize> {
    // Asked at each character: nearly none of them begins a comment.
    match text.as_bytes().get(at) {
        Some(b'(' | b'/') => comment(text, at, comments),
        _ => None,
    }
}

fn comment(text: &str, at: usize, comments: Comments) -> Option<usize> {
    let bytes = text.as_bytes();
    let two = bytes.get(at..at + 2)?;
    limits::poll();
    match two {
        b"(*" if comments != Comments::C => {
            let (mut depth, mut at) = (0usize, at);
            while at + 1 < bytes.len() {
                match &bytes[at..at + 2] {
                    b"(*" => {
                        if depth == MAX_NESTED {
                            return None;
                        }
                        limits::poll();
                        depth += 1;
                        at += 2;
                    }
                    b"*)" => {
                        depth -= 1;
                        at += 2;
                        if depth == 0 {
                            return Some(at);
                        }
                    }
                    _ => at += 1,
                }
            }
            None
        }
        b"//" if comments != Comments::Nested => {
            Some(text[at..].find('\n').map_or(text.len(), |offset| at + offset))
        }
        b"/*" if comments != Comments::Nested => text[at + 2..].find("*/").map(|offset| at + 2 + offset + 2),
        _ => None,
    }
}

/// The end of the one-line string that starts at byte `at`, if one does and is closed.
#[inline]
pub fn skip_string(text: &str, at: usize) -> Option<usize> {
    if text.as_bytes().get(at) != Some(&b'"') {
        return None;
    }
    let line = text[at + 1..].split('\n').next().unwrap_or("");
    line.find('"').map(|offset| at + 1 + offset + 1)
}

/// A copy of the same length with every comment turned into blanks (line ends stay).
pub fn blank_comments(text: &str, comments: Comments) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if let Some(end) = skip_string(text, at) {
            result.push_str(&text[at..end]);
            at = end;
        } else if let Some(end) = skip_comment(text, at, comments) {
            result.extend(text[at..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            at = end;
        } else {
            // This character, and all up to the next that may begin one or the other.
            let opens = |byte: &u8| matches!(byte, b'"' | b'(' | b'/');
            let rest = &text.as_bytes()[at + 1..];
            let end = rest.iter().position(opens).map_or(text.len(), |offset| at + 1 + offset);
            result.push_str(&text[at..end]);
            at = end;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_blanks_of_the_same_length() {
        assert_eq!(blank_comments("a(* b (* c\n *) é*)d", Comments::Nested), "a         \n        d");
        assert_eq!(blank_comments("a(* open", Comments::Nested), "a(* open");
        assert_eq!(
            blank_comments("x=1; // y\nz \"//\" /* q */;", Comments::All),
            "x=1;     \nz \"//\"        ;"
        );
    }
}
