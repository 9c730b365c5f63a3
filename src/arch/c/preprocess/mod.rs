//! The preprocessor: a file with its headers and macros in, tokens out.
//!
//! Headers in angle brackets are our own (`headers`): they hold the declarations that programs need and, in C, what library
//! functions do. A crate was looked for: those that there are either call a compiler or lose the places of tokens.

mod condition;
mod directives;
mod expand;
mod foreign;
pub(crate) mod headers;
#[cfg(test)]
mod tests;
mod token;

pub use foreign::with_our_headers;
pub use token::{Kind, Token, string_bytes};

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::source::{SourceId, Sources, Span};

/// What the command line says about macros and headers.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `-D NAME` or `-D NAME=VALUE`, in order.
    pub defines: Vec<String>,
    /// `-I DIR`, in order.
    pub folders: Vec<PathBuf>,
}

/// Files nested deeper than this include each other.
const MAX_DEPTH: usize = 100;

/// More tokens than this: a macro that grows beyond all bounds.
const MAX_TOKENS: usize = 4_000_000;

/// Runs the preprocessor over a file that is registered already.
///
/// # Errors
/// The first thing wrong.
pub fn preprocess(
    sources: &mut Sources,
    file: SourceId,
    settings: &Settings,
) -> Result<Vec<Token>, Diagnostic> {
    let mut cx = Preprocessor {
        sources,
        settings,
        macros: HashMap::new(),
        conditions: Vec::new(),
        once: Vec::new(),
        headers: HashMap::new(),
        depth: 0,
        counter: 0,
        out: Vec::new(),
    };
    cx.predefined()?;
    cx.file(file)?;
    let end = cx.sources.get(file).text.len();
    cx.out.push(Token {
        kind: Kind::End,
        text: "".into(),
        span: Span::new(file, end, end),
        space: true,
        first: true,
        hidden: Vec::new(),
    });
    Ok(cx.out)
}

/// A text as it is preprocessed: a mark of the order of bytes says nothing, and headers of the system that were put in are ours.
pub fn plain_text(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    with_our_headers(text).unwrap_or_else(|| text.to_string())
}

/// Headers of ours, for a program that does not include them.
///
/// # Errors
/// None, if they are as they should be.
pub fn library(sources: &mut Sources, names: &[&str]) -> Result<Vec<Token>, Diagnostic> {
    let text: String = names.iter().map(|name| format!("#include <{name}>\n")).collect();
    let file = sources.add("<library>", text);
    preprocess(sources, file, &Settings::default())
}

/// A macro.
#[derive(Clone, Debug)]
struct Macro {
    /// Parameters, for one that looks like a function.
    params: Option<Vec<Arc<str>>>,
    /// Does the last parameter take all further arguments?
    variadic: bool,
    body: Vec<Token>,
}

/// An `#if` that is open.
struct Condition {
    span: Span,
    /// Are its lines taken now?
    taken: bool,
    /// Was one of its branches taken, or is everything skipped around it?
    done: bool,
    /// Was there an `#else`?
    last: bool,
}

struct Preprocessor<'a> {
    sources: &'a mut Sources,
    settings: &'a Settings,
    macros: HashMap<Arc<str>, Macro>,
    conditions: Vec<Condition>,
    /// Files with `#pragma once`, by name.
    once: Vec<String>,
    /// Our own headers that were read already.
    headers: HashMap<String, SourceId>,
    depth: usize,
    counter: u32,
    out: Vec<Token>,
}

/// What every compiler defines, as far as programs ask.
const PREDEFINED: &str = "\
#define __STDC__ 1
#define __STDC_VERSION__ 201112L
#define __STDC_HOSTED__ 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __x86_64__ 1
#define __LP64__ 1
#define __linux__ 1
#define __unix__ 1
#define __CHAR_BIT__ 8
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__
#define __LITTLE_ENDIAN__ 1
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ unsigned long
#define __INT32_TYPE__ int
#define __UINT32_TYPE__ unsigned int
#define __INT64_TYPE__ long
#define __UINT64_TYPE__ unsigned long
#define __atomic_always_lock_free(n, p) ((n) <= 16)
#define __atomic_is_lock_free(n, p) ((void)(p), (n) <= 16)
#define __builtin_parity(n) (__builtin_popcount(n) & 1)
#define __builtin_parityl(n) (__builtin_popcountl(n) & 1)
#define __builtin_parityll(n) (__builtin_popcountl(n) & 1)
#define __builtin_abs(n) ({ int __abs = (n); __abs < 0 ? -__abs : __abs; })
#define __builtin_abort() abort()
#define __builtin_va_list char *
#define __builtin_va_start(list, last) ((void)((list) = __litmus_varargs()))
#define __builtin_va_arg(list, type) (*(type *)(((list) += 8) - 8))
#define __builtin_va_copy(to, from) ((void)((to) = (from)))
#define __builtin_va_end(list) ((void)(list))
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#define __LITMUS__ 1
#define __extension__
#define __restrict
#define __restrict__
#define __inline inline
#define __inline__ inline
#define __const const
#define _Nullable
#define _Nonnull
#define __const__ const
#define __volatile volatile
#define __volatile__ volatile
#define __signed signed
#define __signed__ signed
#define __asm asm
#define __asm__ asm
#define __alignof__ _Alignof
#define __typeof typeof
#define __typeof__ typeof
#define __thread _Thread_local
#define __CPROVER_thread_local _Thread_local
#define __CPROVER_bool _Bool
#define __func__ __FUNCTION__
#define __PRETTY_FUNCTION__ __FUNCTION__
";

impl Preprocessor<'_> {
    fn predefined(&mut self) -> Result<(), Diagnostic> {
        let mut text = PREDEFINED.to_string();
        for define in &self.settings.defines {
            match define.split_once('=') {
                Some((name, value)) => text.push_str(&format!("#define {name} {value}\n")),
                None => text.push_str(&format!("#define {define} 1\n")),
            }
        }
        let source = self.sources.add("<command line>", text);
        self.file(source)
    }

    /// All lines of a file.
    fn file(&mut self, source: SourceId) -> Result<(), Diagnostic> {
        let text = Arc::clone(&self.sources.get(source).text);
        let tokens = token::tokens(source, &text)?;
        let open = self.conditions.len();
        let mut at = 0;
        while at < tokens.len() {
            let starts = |t: &Token| t.first && t.kind == Kind::Punct && &*t.text == "#";
            if starts(&tokens[at]) {
                let end = tokens[at + 1..].iter().position(|t| t.first).map_or(tokens.len(), |n| at + 1 + n);
                self.directive(&tokens[at].span, &tokens[at + 1..end], source)?;
                at = end;
            } else {
                let end = tokens[at..].iter().position(starts).map_or(tokens.len(), |n| at + n);
                if self.conditions.last().is_none_or(|c| c.taken) {
                    let expanded = self.expand(tokens[at..end].to_vec())?;
                    self.out.extend(expanded);
                }
                at = end;
            }
        }
        match self.conditions.get(open) {
            Some(condition) => {
                Err(Diagnostic::error("c::if", "`#if` without `#endif`").at(condition.span, "this one"))
            }
            None => Ok(()),
        }
    }
}
