//! Types: specifiers, qualifiers, pointers.

use super::Parser;
use crate::arch::c::lex::Tok;
use crate::arch::c::types::{CType, named};
use crate::diag::Diagnostic;

/// A type with the text that herd7 makes of it (what a test's hash is computed from).
pub(super) struct TypeAndText {
    pub ty: CType,
    pub text: String,
}

/// Words that belong to a declaration but do not change what we compute.
const IGNORED: [&str; 9] = [
    "static",
    "inline",
    "extern",
    "register",
    "auto",
    "restrict",
    "__restrict",
    "__inline",
    "__always_inline",
];

impl Parser {
    /// Does a type start here? Only known words do: everything else is an expression.
    pub(super) fn at_type(&self) -> bool {
        self.is_type_word(0)
    }

    pub(super) fn is_type_word(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            Tok::Ident(word) => {
                named(word).is_some()
                    || IGNORED.contains(&word.as_str())
                    || matches!(
                        word.as_str(),
                        "const"
                            | "volatile"
                            | "_Atomic"
                            | "struct"
                            | "union"
                            | "enum"
                            | "typeof"
                            | "__typeof__"
                    )
                    || (word == "atomic" && self.is_at(ahead + 1, "<"))
            }
            _ => false,
        }
    }

    /// A whole type: specifiers, then stars.
    pub(super) fn full_type(&mut self) -> Result<TypeAndText, Diagnostic> {
        let base = self.specifiers()?;
        Ok(self.stars(base))
    }

    /// `const unsigned long` and the like, without stars.
    pub(super) fn specifiers(&mut self) -> Result<TypeAndText, Diagnostic> {
        let start = self.span();
        let mut words: Vec<String> = Vec::new();
        let mut inner: Option<TypeAndText> = None;
        let (mut atomic, mut volatile, mut constant) = (false, false, false);
        loop {
            if self.is("(") && words.is_empty() && inner.is_none() && self.is_type_word(1) {
                // `_Atomic (int)`, `(int)`.
                self.bump();
                inner = Some(self.nested(Self::full_type)?);
                self.expect(")", "after the type")?;
                continue;
            }
            let Tok::Ident(word) = self.peek() else { break };
            let word = word.clone();
            match word.as_str() {
                "const" => constant = true,
                "volatile" => volatile = true,
                "_Atomic" => atomic = true,
                "atomic" if self.is_at(1, "<") => {
                    self.bump();
                    self.bump();
                    inner = Some(self.nested(Self::full_type)?);
                    self.expect(">", "after `atomic<…`")?;
                    atomic = true;
                    continue;
                }
                "struct" => {
                    self.bump();
                    let (name, span) = self.name("the name of a structure")?;
                    if name != "srcu_struct" || self.is("{") {
                        return Err(Diagnostic::unsupported("c::struct", "structures are not supported")
                            .at(start.to(span), "this type")
                            .help("use one global per field"));
                    }
                    words.push("struct srcu_struct".to_string());
                    continue;
                }
                "union" | "enum" | "typeof" | "__typeof__" => {
                    return Err(Diagnostic::unsupported("c::type", format!("`{word}` is not supported"))
                        .at(self.span(), "this type"));
                }
                _ if IGNORED.contains(&word.as_str()) => {}
                _ if named(&word).is_some() && (words.is_empty() || combines(&words, &word)) => {
                    words.push(word)
                }
                _ => break,
            }
            self.bump();
        }
        let span = self.since(start);
        let base = match (inner, words.is_empty()) {
            (Some(inner), true) => inner,
            (None, false) => {
                let ty = combine(&words).ok_or_else(|| {
                    Diagnostic::error("c::type", format!("`{}` is no type", words.join(" "))).at(span, "here")
                })?;
                TypeAndText { ty, text: text_of(&words) }
            }
            _ => return Err(self.unexpected("a type")),
        };
        let TypeAndText { mut ty, mut text } = base;
        if atomic {
            ty = ty.atomic();
            text = format!("_Atomic {text}");
        }
        if volatile {
            text = format!("volatile {text}");
        }
        if constant {
            text = format!("{text} const");
        }
        Ok(TypeAndText { ty, text })
    }

    /// The stars after a type, with the qualifiers between them.
    pub(super) fn stars(&mut self, base: TypeAndText) -> TypeAndText {
        let TypeAndText { mut ty, mut text } = base;
        loop {
            if self.eat("*") {
                ty = ty.pointer();
                text.push('*');
            } else if self.eat_word("volatile") {
                text = format!("volatile {text}");
            } else if self.eat_word("const") {
                text.push_str(" const");
            } else if IGNORED.iter().any(|word| self.is_word(word)) {
                self.bump();
            } else {
                return TypeAndText { ty, text };
            }
        }
    }
}

/// May `word` follow `words` in one type?
fn combines(words: &[String], word: &str) -> bool {
    let arithmetic =
        |w: &str| matches!(w, "unsigned" | "signed" | "char" | "short" | "int" | "long" | "__int128");
    arithmetic(word) && words.iter().all(|w| arithmetic(w))
}

/// The type that the words stand for together.
fn combine(words: &[String]) -> Option<CType> {
    if let [one] = words {
        return if one == "struct srcu_struct" { Some(CType::Opaque(one.clone())) } else { named(one) };
    }
    let has = |word: &str| words.iter().any(|w| w == word);
    let signed = !has("unsigned");
    let bytes = match (has("char"), has("short"), has("long"), has("__int128")) {
        (true, false, false, false) => 1,
        (false, true, false, false) => 2,
        (false, false, true, false) => 8,
        (false, false, false, true) => 16,
        (false, false, false, false) => 4,
        _ => return None,
    };
    Some(CType::int(bytes, signed))
}

/// herd7 writes `atomic_int` as `_Atomic int`.
fn text_of(words: &[String]) -> String {
    match words {
        [one] if one == "atomic_int" => "_Atomic int".to_string(),
        _ => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceId, Span};

    fn parse(text: &str) -> String {
        let mut parser = Parser::new(text, Span::new(SourceId(0), 0, text.len())).unwrap();
        match parser.full_type() {
            Ok(parsed) => format!("{} | {}", parsed.ty.describe(), parsed.text),
            Err(diagnostic) => diagnostic.message,
        }
    }

    #[test]
    fn types_and_the_text_that_is_hashed() {
        let inputs = [
            "int *",
            "unsigned long int",
            "volatile int *",
            "atomic_int *",
            "_Atomic int *",
            "const char **",
            "struct srcu_struct *",
            "long long unsigned",
            "_Atomic(uint8_t) *",
            "atomic<int32_t> *",
            "char short",
            "struct foo",
        ];
        let all: Vec<String> = inputs.iter().map(|i| format!("{i}: {}", parse(i))).collect();
        insta::assert_snapshot!(all.join("\n"), @r"
        int *: int * | int*
        unsigned long int: unsigned 64-bit integer | unsigned long int
        volatile int *: int * | volatile int*
        atomic_int *: int * | _Atomic int*
        _Atomic int *: int * | _Atomic int*
        const char **: 8-bit integer * * | char const**
        struct srcu_struct *: struct srcu_struct * | struct srcu_struct*
        long long unsigned: unsigned 64-bit integer | long long unsigned
        _Atomic(uint8_t) *: unsigned 8-bit integer * | _Atomic uint8_t*
        atomic<int32_t> *: int * | _Atomic int32_t*
        char short: `char short` is no type
        struct foo: structures are not supported
        ");
    }
}
