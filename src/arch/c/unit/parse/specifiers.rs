//! The part of a declaration before the names: storage, qualifiers, the type itself.

use std::rc::Rc;
use std::sync::Arc;

use super::{Entity, Parsed, Parser, Tag};
use crate::arch::c::preprocess::Kind;
use crate::arch::c::unit::types::{IntTy, Record, Ty};
use crate::diag::Diagnostic;
use crate::source::Span;

/// What was said before the names.
#[derive(Clone, Debug)]
pub(super) struct Specifiers {
    pub ty: Ty,
    pub typedef: bool,
    pub is_static: bool,
    pub is_extern: bool,
    pub is_inline: bool,
    pub thread_local: bool,
}

/// Words that start a declaration.
const WORDS: [&str; 34] = [
    "typedef",
    "static",
    "extern",
    "inline",
    "register",
    "auto",
    "_Thread_local",
    "_Noreturn",
    "const",
    "volatile",
    "restrict",
    "_Atomic",
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "__int128",
    "struct",
    "union",
    "enum",
    "typeof",
    "__auto_type",
    "_Alignas",
    "__attribute__",
    "__attribute",
    "_Complex",
    "__int128_t",
    "__uint128_t",
];

impl Parser {
    /// Does a type or declaration start here?
    pub(super) fn at_type(&self) -> bool {
        self.is_type_at(0)
    }

    pub(super) fn is_type_at(&self, ahead: usize) -> bool {
        let token = self.ahead(ahead);
        token.kind == Kind::Ident
            && (WORDS.contains(&&*token.text) || matches!(self.find(&token.text), Some(Entity::Type(..))))
    }

    pub(super) fn specifiers(&mut self) -> Parsed<Specifiers> {
        let start = self.span();
        let (mut typedef, mut is_static, mut is_extern, mut thread_local) = (false, false, false, false);
        let mut is_inline = false;
        let (mut atomic, mut constant) = (false, false);
        let mut words: Vec<Arc<str>> = Vec::new();
        let mut ty: Option<Ty> = None;
        loop {
            let token = self.peek().clone();
            if token.kind != Kind::Ident {
                break;
            }
            match &*token.text {
                "typedef" => typedef = true,
                "static" => is_static = true,
                "extern" => is_extern = true,
                "_Thread_local" => thread_local = true,
                "inline" => is_inline = true,
                "const" => constant = true,
                "register" | "auto" | "_Noreturn" | "volatile" | "restrict" => {}
                "_Atomic" if self.ahead(1).is("(") => {
                    self.bump();
                    self.bump();
                    let inner = self.type_name()?;
                    self.expect(")", "after the type")?;
                    ty = Some(inner);
                    atomic = true;
                    continue;
                }
                "_Atomic" => atomic = true,
                "_Alignas" => {
                    self.bump();
                    self.skip_parentheses()?;
                    continue;
                }
                "__attribute__" | "__attribute" => {
                    self.attributes()?;
                    continue;
                }
                "void" | "char" | "short" | "int" | "long" | "float" | "double" | "signed" | "unsigned"
                | "_Bool" | "__int128" | "_Complex" => words.push(Arc::clone(&token.text)),
                "__int128_t" => ty = Some(Ty::int(16, true)),
                "__uint128_t" => ty = Some(Ty::int(16, false)),
                "struct" | "union" => {
                    ty = Some(self.record()?);
                    continue;
                }
                "enum" => {
                    ty = Some(self.enumeration()?);
                    continue;
                }
                "__auto_type" => {
                    self.bump();
                    ty = Some(self.type_of_value()?);
                    continue;
                }
                "typeof" => {
                    self.bump();
                    self.expect("(", "after `typeof`")?;
                    let inner = match self.at_type() {
                        true => self.type_name()?,
                        false => {
                            let e = self.expression()?;
                            // Only objects are atomic.
                            if e.is_object() { e.ty } else { e.ty.plain().clone() }
                        }
                    };
                    self.expect(")", "after the type")?;
                    ty = Some(inner);
                    continue;
                }
                _ => match self.find(&token.text) {
                    Some(Entity::Type(named, _)) if ty.is_none() && words.is_empty() => {
                        ty = Some(named.clone())
                    }
                    _ => break,
                },
            }
            self.bump();
        }
        let span = self.since(start);
        let mut ty = match (ty, words.is_empty()) {
            (Some(ty), true) => ty,
            (None, false) => combine(&words).ok_or_else(|| {
                Diagnostic::error("c::type", format!("`{}` is no type", words.join(" "))).at(span, "here")
            })?,
            (Some(_), false) => {
                return Err(Diagnostic::error("c::type", "two types in one declaration").at(span, "here"));
            }
            // `static x;` and `const y;` of old.
            (None, true) if is_static || typedef || is_extern => Ty::INT,
            (None, true) => return Err(self.unexpected("a type")),
        };
        if atomic {
            ty = Ty::Atomic(Rc::new(ty));
        }
        if constant {
            ty = ty.constant();
        }
        Ok(Specifiers { ty, typedef, is_static, is_extern, is_inline, thread_local })
    }

    /// Skips `__attribute__((…))`; says whether one of them was `packed`.
    pub(super) fn attributes(&mut self) -> Parsed<bool> {
        let mut packed = false;
        while self.is("__attribute__") || self.is("__attribute") {
            self.bump();
            let from = self.at;
            self.skip_parentheses()?;
            let inside = &self.tokens[from..self.at];
            packed |= inside.iter().any(|t| t.is("packed") || t.is("__packed__"));
            if let Some(at) = inside.iter().position(|t| t.is("cleanup") || t.is("__cleanup__"))
                && let [paren, name, ..] = &inside[at + 1..]
                && paren.is("(")
            {
                self.cleanup = Some((Arc::clone(&name.text), name.span));
            }
        }
        Ok(packed)
    }

    pub(super) fn skip_parentheses(&mut self) -> Parsed<()> {
        self.expect("(", "here")?;
        let mut depth = 1;
        while depth > 0 {
            let token = self.bump();
            match token.kind {
                Kind::End => return Err(self.unexpected("`)`")),
                _ => depth += i32::from(token.is("(")) - i32::from(token.is(")")),
            }
        }
        Ok(())
    }

    fn tag(&self, name: &str) -> Option<Tag> {
        self.tags.iter().rev().find_map(|tags| tags.get(name)).copied()
    }

    /// `struct s`, `struct s { … }`.
    fn record(&mut self) -> Parsed<Ty> {
        let union = self.bump().is("union");
        let mut packed = self.attributes()?;
        let name = (self.peek().kind == Kind::Ident && !self.is("__attribute__")).then(|| self.bump());
        packed |= self.attributes()?;
        let defines = self.is("{");
        if let Some(name) = &name {
            let word = if union { "union" } else { "struct" };
            self.is_free_tag(&name.text, word, defines, name.span)?;
        }
        let known = name.as_ref().and_then(|name| match defines {
            true => self.tags.last().and_then(|tags| tags.get(&name.text)).copied(),
            false => self.tag(&name.text),
        });
        let id = match known {
            Some(Tag::Record(id, _)) if !(defines && self.unit.records[id].complete) => id,
            _ => {
                let text = name.as_ref().map_or("", |name| &*name.text).to_string();
                self.unit.records.push(Record { name: text, union, ..Record::default() });
                let id = self.unit.records.len() - 1;
                if let (Some(name), Some(tags)) = (&name, self.tags.last_mut()) {
                    tags.insert(Arc::clone(&name.text), Tag::Record(id, name.span));
                }
                id
            }
        };
        if !defines {
            return match name {
                Some(_) => Ok(Ty::Record(id)),
                None => Err(self.unexpected("the name of a structure, or `{`")),
            };
        }
        self.bump();
        let mut fields = Vec::new();
        let mut flexible: Option<Span> = None;
        while !self.is("}") {
            if self.is("_Static_assert") {
                self.static_assert()?;
                continue;
            }
            let specifiers = self.nested(Self::specifiers)?;
            if self.eat(";") {
                fields.push((String::new(), specifiers.ty, None));
                continue;
            }
            loop {
                let (name, ty, span) = match self.is(":") {
                    true => ("".into(), specifiers.ty.clone(), self.span()),
                    false => self.declarator(specifiers.ty.clone())?,
                };
                let mut width = None;
                if self.eat(":") {
                    let value = self.constant_expression()?;
                    width = Some(u8::try_from(value).map_err(|_| {
                        Diagnostic::error("c::bit-field", "this is no number of bits")
                            .at(span, "of this member")
                    })?);
                }
                self.attributes()?;
                if let Some(span) = flexible {
                    let early = "an array without a length is the last member, or none";
                    return Err(Diagnostic::error("c::array", early).at(span, "this one is not"));
                }
                flexible = matches!(ty, Ty::Array(_, None)).then_some(span).filter(|_| !union);
                let ty = match ty {
                    // A flexible array at the end holds nothing by itself.
                    Ty::Array(target, None) => Ty::Array(target, Some(0)),
                    ty => ty,
                };
                if width.is_none() {
                    self.holds_something(&ty, span)?;
                    self.size_of(&ty, span)?;
                } else if ty
                    .size(&self.unit.records)
                    .is_some_and(|size| u64::from(width.unwrap_or(0)) > 8 * size)
                {
                    return Err(Diagnostic::error("c::bit-field", "more bits than its type has")
                        .at(span, "of this member"));
                }
                let is_known = |field: &(String, Ty, Option<u8>)| !name.is_empty() && field.0 == *name;
                if fields.iter().any(is_known) {
                    let twice = Diagnostic::error("c::duplicate", format!("two members `{name}`"));
                    return Err(twice.at(span, "this is the second"));
                }
                fields.push((name.to_string(), ty, width));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";", "after the member")?;
        }
        self.bump();
        packed |= self.attributes()?;
        let mut record = std::mem::take(&mut self.unit.records[id]);
        record.union = union;
        record.lay_out(fields, packed, &self.unit.records);
        self.unit.records[id] = record;
        Ok(Ty::Record(id))
    }

    /// `enum e { A, B = 4 }`.
    fn enumeration(&mut self) -> Parsed<Ty> {
        self.bump();
        self.attributes()?;
        let name = (self.peek().kind == Kind::Ident).then(|| self.bump());
        if let Some(name) = &name {
            self.is_free_tag(&name.text, "enum", self.is("{"), name.span)?;
        }
        if !self.eat("{") {
            return match name.map(|name| self.tag(&name.text)) {
                Some(Some(Tag::Enum(int, _))) => Ok(Ty::Int(int)),
                Some(_) => Ok(Ty::UINT),
                None => Err(self.unexpected("the name of an enumeration, or `{`")),
            };
        }
        let mut next = 0;
        let (mut least, mut most) = (0, 0);
        while !self.is("}") {
            if self.peek().kind != Kind::Ident {
                return Err(self.unexpected("the name of a constant"));
            }
            let name = self.bump();
            self.attributes()?;
            if self.eat("=") {
                next = self.constant_expression()?;
            }
            (least, most) = (least.min(next), most.max(next));
            self.declare(&name.text, Entity::Constant(next, name.span), name.span)?;
            next += 1;
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the constants")?;
        self.attributes()?;
        // As compilers have it: without a sign, unless a constant has one; as wide as the constants need.
        let signed = least < 0;
        let fits = |bits: u32| most < 1i128 << (bits - u32::from(signed)) && least >= -(1i128 << (bits - 1));
        let int = IntTy { bytes: if fits(32) { 4 } else { 8 }, signed, boolean: false };
        if let (Some(name), Some(tags)) = (&name, self.tags.last_mut()) {
            tags.insert(Arc::clone(&name.text), Tag::Enum(int, name.span));
        }
        Ok(Ty::Int(int))
    }
}

/// The type that words such as `unsigned long` stand for.
fn combine(words: &[Arc<str>]) -> Option<Ty> {
    let count = |word: &str| words.iter().filter(|w| &***w == word).count();
    let has = |word: &str| count(word) > 0;
    let alone = words.len() == 1;
    if has("void") {
        return alone.then_some(Ty::Void);
    }
    if has("_Bool") {
        return alone.then_some(Ty::BOOL);
    }
    let names = ["char", "int", "float", "double", "__int128"].iter().map(|name| count(name));
    if names.sum::<usize>() > 1 || has("signed") && has("unsigned") {
        return None;
    }
    if has("float") {
        return Some(Ty::Float(4));
    }
    if has("double") {
        return Some(Ty::Float(if has("long") { 16 } else { 8 }));
    }
    let signed = !has("unsigned");
    let bytes = match (has("char"), has("short"), count("long"), has("__int128")) {
        (true, false, 0, false) => 1,
        (false, true, 0, false) => 2,
        (false, false, 1 | 2, false) => 8,
        (false, false, 0, true) => 16,
        (false, false, 0, false) => 4,
        _ => return None,
    };
    Some(Ty::int(bytes, signed))
}

impl Parser {
    /// `__auto_type x = value`: the type of the value, which is read again as such.
    fn type_of_value(&mut self) -> Parsed<Ty> {
        let from = self.at;
        if self.peek().kind != Kind::Ident || !self.ahead(1).is("=") {
            return Err(self.unexpected("a name and its value after `__auto_type`"));
        }
        self.bump();
        self.bump();
        let value = self.assignment()?;
        self.at = from;
        Ok(value.ty.decayed())
    }
}
