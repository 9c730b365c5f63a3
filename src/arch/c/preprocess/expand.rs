//! Macro expansion, with hide sets (Prosser's algorithm).

use std::sync::Arc;

use super::token::{Kind, Token, tokens};
use super::{MAX_TOKENS, Macro, Preprocessor};
use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

impl Preprocessor<'_> {
    /// Replaces every macro.
    pub(super) fn expand(&mut self, input: Vec<Token>) -> Result<Vec<Token>, Diagnostic> {
        let mut rest: Vec<Token> = input.into_iter().rev().collect();
        let mut out = Vec::new();
        let mut steps = 0usize;
        while let Some(token) = rest.pop() {
            steps += 1;
            crate::limits::poll();
            if steps > MAX_TOKENS || self.out.len() + out.len() > MAX_TOKENS {
                return Err(Diagnostic::unsupported("c::macro", "macros make too many tokens here")
                    .at(token.span, "here"));
            }
            if token.kind != Kind::Ident || token.hidden.contains(&token.text) {
                out.push(token);
                continue;
            }
            if let Some(builtin) = self.builtin(&token) {
                out.push(builtin);
                continue;
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                out.push(token);
                continue;
            };
            let mut hidden = token.hidden.clone();
            hidden.push(Arc::clone(&token.text));
            let made = match &found.params {
                None => self.substitute(&found, &[], &token, &hidden)?,
                Some(params) => {
                    if !rest.last().is_some_and(|next| next.is("(")) {
                        out.push(token);
                        continue;
                    }
                    let (args, close) = arguments(&mut rest, params.len(), found.variadic, &token)?;
                    let at = Token { span: token.span.to(close), ..token };
                    self.substitute(&found, &args, &at, &hidden)?
                }
            };
            rest.extend(made.into_iter().rev());
        }
        Ok(out)
    }

    fn builtin(&mut self, token: &Token) -> Option<Token> {
        let (kind, text) = match &*token.text {
            "__LINE__" => (Kind::Number, self.sources.line_column(token.span).0.to_string()),
            "__FILE__" => (Kind::Str, format!("{:?}", self.sources.get(token.span.source).name)),
            "__DATE__" | "__TIME__" | "__BASE_FILE__" => (Kind::Str, "\"\"".to_string()),
            "__COUNTER__" => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            _ => return None,
        };
        Some(Token { kind, text: text.into(), ..token.clone() })
    }

    /// The body of a macro with its arguments put in.
    fn substitute(
        &mut self,
        found: &Macro,
        args: &[Vec<Token>],
        at: &Token,
        hidden: &[Arc<str>],
    ) -> Result<Vec<Token>, Diagnostic> {
        let params = found.params.as_deref().unwrap_or(&[]);
        let param = |token: &Token| match token.kind {
            Kind::Ident => params.iter().position(|p| *p == token.text),
            _ => None,
        };
        let body = &found.body;
        let mut out: Vec<Token> = Vec::new();
        let mut index = 0;
        // Does `##` glue what comes next to what is there?
        let mut glue = false;
        while index < body.len() {
            let token = &body[index];
            if token.is("##") && index > 0 {
                glue = true;
                index += 1;
                continue;
            }
            let mut piece: Vec<Token>;
            if token.is("#") && found.params.is_some() {
                let Some(which) = body.get(index + 1).and_then(param) else {
                    return Err(Diagnostic::error("c::macro", "`#` needs a parameter after it")
                        .at(token.span, "here"));
                };
                index += 1;
                piece = vec![stringify(&args[which], at.span)];
            } else if token.is("__VA_OPT__") && found.variadic {
                let Some(close) = closing(&body[index + 1..]) else {
                    return Err(Diagnostic::error(
                        "c::macro",
                        "`__VA_OPT__` needs tokens in parentheses after it",
                    )
                    .at(token.span, "here"));
                };
                let rest = args.last().cloned().unwrap_or_default();
                piece = match self.expand(rest)?.is_empty() {
                    true => Vec::new(),
                    false => {
                        let inner = body[index + 2..index + 1 + close].to_vec();
                        self.substitute(&Macro { body: inner, ..found.clone() }, args, at, &[])?
                    }
                };
                index += 1 + close;
            } else if let Some(which) = param(token) {
                let next_glued = body.get(index + 1).is_some_and(|t| t.is("##"));
                if glue || next_glued {
                    // GNU: `, ## __VA_ARGS__` drops the comma with empty arguments.
                    let variadic = found.variadic && which + 1 == params.len();
                    if glue && variadic && out.last().is_some_and(|t| t.is(",")) {
                        glue = false;
                        if args[which].is_empty() {
                            out.pop();
                        }
                    }
                    piece = args[which].clone();
                } else {
                    piece = self.expand(args[which].clone())?;
                }
                if let Some(first) = piece.first_mut() {
                    first.space = token.space;
                }
                for t in &mut piece {
                    t.first = false;
                }
            } else {
                piece = vec![Token { span: at.span, first: false, ..token.clone() }];
            }
            if glue
                && !piece.is_empty()
                && let Some(left) = out.pop()
            {
                let joined = paste(&left, &piece[0], at.span)?;
                piece.splice(0..1, joined);
            }
            glue = false;
            out.extend(piece);
            index += 1;
        }
        for token in &mut out {
            for name in hidden {
                if !token.hidden.contains(name) {
                    token.hidden.push(Arc::clone(name));
                }
            }
        }
        if let Some(first) = out.first_mut() {
            first.space = at.space;
            first.first = at.first;
        }
        Ok(out)
    }
}

/// Where the parenthesis that tokens begin with is closed.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match () {
            () if token.is("(") => depth += 1,
            () if token.is(")") && depth == 1 => return Some(at),
            () if token.is(")") => depth -= 1,
            () if depth == 0 => return None,
            () => {}
        }
        if depth <= 0 {
            return None;
        }
    }
    None
}

/// Reads `( a, b )` from the tokens still to come.
fn arguments(
    rest: &mut Vec<Token>,
    wanted: usize,
    variadic: bool,
    at: &Token,
) -> Result<(Vec<Vec<Token>>, Span), Diagnostic> {
    rest.pop();
    let mut args: Vec<Vec<Token>> = vec![Vec::new()];
    let mut depth = 0;
    let close = loop {
        let Some(token) = rest.pop() else {
            return Err(Diagnostic::error("c::macro", format!("the arguments of `{}` do not end", at.text))
                .at(at.span, "this macro"));
        };
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            if depth == 0 {
                break token.span;
            }
            depth -= 1;
        } else if token.is(",") && depth == 0 && !(variadic && args.len() == wanted) {
            args.push(Vec::new());
            continue;
        }
        args.last_mut().expect("never empty").push(token);
    };
    if wanted == 0 && args.len() == 1 && args[0].is_empty() {
        args.clear();
    }
    if variadic && args.len() + 1 == wanted {
        args.push(Vec::new());
    }
    if args.len() != wanted {
        return Err(Diagnostic::error(
            "c::macro",
            format!("`{}` takes {wanted} arguments, not {}", at.text, args.len()),
        )
        .at(at.span, "this macro"));
    }
    Ok((args, close))
}

fn stringify(tokens: &[Token], span: Span) -> Token {
    let mut text = String::from("\"");
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && (token.space || token.first) {
            text.push(' ');
        }
        match token.kind {
            Kind::Str | Kind::Char => text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\"")),
            _ => text.push_str(&token.text),
        }
    }
    text.push('"');
    Token { kind: Kind::Str, text: text.into(), span, space: true, first: false, hidden: Vec::new() }
}

fn paste(left: &Token, right: &Token, span: Span) -> Result<Vec<Token>, Diagnostic> {
    let text = format!("{}{}", left.text, right.text);
    let mut made = tokens(SourceId(0), &text)?;
    for token in &mut made {
        token.span = span;
        token.first = false;
        token.space = left.space;
        token.hidden = left.hidden.iter().filter(|h| right.hidden.contains(h)).cloned().collect();
    }
    Ok(made)
}
