//! Lines that start with `#`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::token::{Kind, Token};
use super::{Condition, MAX_DEPTH, Macro, Preprocessor, headers};
use crate::diag::Diagnostic;
use crate::limits;
use crate::source::{SourceId, Span};

impl Preprocessor<'_> {
    /// One directive: the tokens after the `#`.
    pub(super) fn directive(
        &mut self,
        hash: &Span,
        line: &[Token],
        file: SourceId,
    ) -> Result<(), Diagnostic> {
        let Some(name) = line.first() else { return Ok(()) };
        let rest = &line[1..];
        let active = self.conditions.last().is_none_or(|c| c.taken);
        match &*name.text {
            "if" | "ifdef" | "ifndef" => {
                let taken = active && self.holds(&name.text, rest, name.span)?;
                self.conditions.push(Condition {
                    span: hash.to(name.span),
                    taken,
                    done: taken || !active,
                    last: false,
                });
            }
            "elif" | "else" | "endif" => self.next_branch(name, rest)?,
            _ if !active => {}
            "define" => self.define(rest, name.span)?,
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" | "include_next" | "import" => self.include(rest, hash.to(name.span), file)?,
            "error" => {
                let said: String =
                    rest.iter().map(|t| format!("{}{}", if t.space { " " } else { "" }, t.text)).collect();
                return Err(Diagnostic::error("c::error", format!("#error {}", said.trim_start()))
                    .at(hash.to(name.span), "here"));
            }
            "pragma" => {
                if rest.first().is_some_and(|t| t.is("once")) {
                    let name = self.sources.get(file).name.clone();
                    self.once.push(name);
                }
            }
            // `# 12 "file"` of a preprocessed file, and what says nothing to us.
            "line" | "ident" | "warning" | "assert" => {}
            _ if name.kind == Kind::Number => {}
            other => {
                return Err(Diagnostic::error("c::directive", format!("`#{other}` is no directive"))
                    .at(hash.to(name.span), "here"));
            }
        }
        Ok(())
    }

    fn holds(&mut self, which: &str, rest: &[Token], span: Span) -> Result<bool, Diagnostic> {
        match which {
            "if" | "elif" => self.condition(rest, span),
            _ => match rest.first() {
                Some(name) => Ok(self.macros.contains_key(&name.text) == (which == "ifdef")),
                None => Err(Diagnostic::error("c::if", format!("`#{which}` needs a name")).at(span, "here")),
            },
        }
    }

    fn next_branch(&mut self, name: &Token, rest: &[Token]) -> Result<(), Diagnostic> {
        let Some(mut condition) = self.conditions.pop() else {
            return Err(
                Diagnostic::error("c::if", format!("`#{}` without `#if`", name.text)).at(name.span, "here")
            );
        };
        if &*name.text == "endif" {
            return Ok(());
        }
        if condition.last {
            return Err(Diagnostic::error("c::if", format!("`#{}` after `#else`", name.text))
                .at(name.span, "here")
                .at(condition.span, "of this `#if`"));
        }
        condition.last = &*name.text == "else";
        condition.taken = !condition.done && (condition.last || self.holds("elif", rest, name.span)?);
        condition.done |= condition.taken;
        self.conditions.push(condition);
        Ok(())
    }

    fn define(&mut self, rest: &[Token], span: Span) -> Result<(), Diagnostic> {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Ident) else {
            return Err(Diagnostic::error("c::macro", "`#define` needs a name").at(span, "here"));
        };
        let mut body = &rest[1..];
        let mut params = None;
        let mut variadic = false;
        if body.first().is_some_and(|t| t.is("(") && !t.space) {
            let mut list: Vec<Arc<str>> = Vec::new();
            let mut at = 1;
            loop {
                match body.get(at) {
                    Some(t) if t.is(")") => break,
                    Some(t) if t.is(",") => {}
                    Some(t) if t.is("...") => {
                        variadic = true;
                        // `args...` names the rest, a bare `...` calls it `__VA_ARGS__`.
                        let named = at > 1 && body[at - 1].kind == Kind::Ident;
                        if !named {
                            list.push("__VA_ARGS__".into());
                        }
                    }
                    Some(t) if t.kind == Kind::Ident => list.push(Arc::clone(&t.text)),
                    _ => {
                        return Err(Diagnostic::error("c::macro", "the parameters of this macro do not end")
                            .at(name.span, "this one"));
                    }
                }
                at += 1;
            }
            body = &body[at + 1..];
            params = Some(list);
        }
        self.macros.insert(Arc::clone(&name.text), Macro { params, variadic, body: body.to_vec() });
        Ok(())
    }

    fn include(&mut self, rest: &[Token], span: Span, file: SourceId) -> Result<(), Diagnostic> {
        let expanded;
        let mut rest = rest;
        if rest.first().is_some_and(|t| t.kind == Kind::Ident) {
            expanded = self.expand(rest.to_vec())?;
            rest = &expanded;
        }
        let (name, quoted) = match rest.first() {
            Some(t) if t.kind == Kind::Str => (t.text.trim_matches('"').to_string(), true),
            Some(t) if t.is("<") => {
                let end = rest.iter().position(|t| t.is(">")).unwrap_or(rest.len());
                (rest[1..end].iter().map(|t| &*t.text).collect(), false)
            }
            _ => {
                return Err(Diagnostic::error("c::include", "`#include` needs `\"file\"` or `<file>`")
                    .at(span, "here"));
            }
        };
        let source = self.find(&name, quoted, span, file)?;
        let Some(source) = source else { return Ok(()) };
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(
                "c::include",
                format!("`{name}` is included inside itself, over and over"),
            )
            .at(span, "here"));
        }
        self.depth += 1;
        let result = self.file(source);
        self.depth -= 1;
        result
    }

    /// The file that a name means here; `None` if it is not to be read again.
    fn find(
        &mut self,
        name: &str,
        quoted: bool,
        span: Span,
        file: SourceId,
    ) -> Result<Option<SourceId>, Diagnostic> {
        // The headers of C are ours. What stands for the kernel's gives way to the program's own.
        if let (false, Some(text)) = (quoted, headers::of_c(name)) {
            return Ok(self.own_header(name, text));
        }
        let ours = headers::find(name);
        let mut tried: Vec<PathBuf> = Vec::new();
        if quoted {
            let here = Path::new(&self.sources.get(file).name).parent().map(Path::to_path_buf);
            tried.push(here.unwrap_or_default().join(name));
        }
        tried.extend(self.settings.folders.iter().map(|folder| folder.join(name)));
        for path in &tried {
            let shown = path.display().to_string();
            if self.once.contains(&shown) {
                return Ok(None);
            }
            match limits::read_file(path, limits::MAX_TEXT) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_string();
                    return Ok(Some(self.sources.add(shown, text)));
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Diagnostic::error("c::include", format!("cannot read `{shown}`: {error}"))
                        .at(span, "included here"));
                }
            }
        }
        if let Some(text) = ours {
            return Ok(self.own_header(name, text));
        }
        let diagnostic =
            Diagnostic::error("c::include", format!("there is no header `{name}`")).at(span, "included here");
        Err(match quoted {
            false if !name.contains('.') => {
                diagnostic.help("this is a header of C++; C programs are read here")
            }
            true => diagnostic.help("-I adds a folder to look in"),
            false => diagnostic.help("-I adds a folder to look in").note(format!(
                "headers that come with litmus: {}",
                headers::names().collect::<Vec<_>>().join(", ")
            )),
        })
    }

    fn own_header(&mut self, name: &str, text: &'static str) -> Option<SourceId> {
        // All of them may be read once only.
        if self.headers.contains_key(name) {
            return None;
        }
        let source = self.sources.add(format!("<{name}>"), text);
        self.headers.insert(name.to_string(), source);
        Some(source)
    }
}
