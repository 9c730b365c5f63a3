//! Parses the initial state.

use crate::diag::Diagnostic;
use crate::source::{SourceId, Span};

use super::ast::{Const, Init, Loc, Ty};
use super::cursor::{Cursor, Parsed};
use super::lex::{Token, lex};

/// Parses the entries in bytes `from..to` of `text`.
pub fn init(text: &str, from: usize, to: usize, source: SourceId) -> Parsed<Vec<Init>> {
    let lexemes = lex(text, from, to, source)?;
    let mut cursor = Cursor::new(text, &lexemes, "the initial state");
    let mut entries = Vec::new();
    loop {
        while cursor.eat(";") {}
        if *cursor.peek() == Token::End {
            return Ok(entries);
        }
        entries.push(entry(&mut cursor)?);
        if *cursor.peek() != Token::End && !cursor.is_sym(0, ";") {
            return Err(after_entry(&cursor, &entries[entries.len() - 1]));
        }
    }
}

/// The complaint about what follows an entry.
fn after_entry(cursor: &Cursor, entry: &Init) -> Box<Diagnostic> {
    if let (Ty::Named(word), Loc::Global(second)) = (&entry.ty, &entry.loc) {
        let known = match (word.as_str(), second.as_str()) {
            ("unsigned", "char") => Some("uint8_t"),
            ("unsigned", "short") => Some("uint16_t"),
            ("unsigned", _) => Some("uint32_t"),
            ("long", "long") => Some("int64_t"),
            ("volatile" | "const" | "signed", _) => Some("int"),
            _ => None,
        };
        if let Some(known) = known {
            return Box::new(
                Diagnostic::error("litmus::bad-type", "a type in the initial state is one word")
                    .at(entry.ty_span.to(entry.loc_span), "more than one")
                    .help(format!("write `{known}`")),
            );
        }
    }
    if entry.values.is_empty() { cursor.unexpected("`=` or `;`") } else { cursor.unexpected("`;`") }
}

/// One entry.
fn entry(cursor: &mut Cursor) -> Parsed<Init> {
    let start = cursor.span();
    let ty = declared_type(cursor)?;
    let ty_span = if ty == Ty::None { start } else { cursor.since(start) };
    let loc_start = cursor.span();
    let loc = cursor.loc(true)?;
    let loc_span = cursor.since(loc_start);
    let mut entry =
        Init { span: start, loc, loc_span, ty, ty_span, values: Vec::new(), value_span: loc_span };
    make_array(&mut entry)?;
    make_stack(&mut entry)?;
    if cursor.eat("=") {
        let value_start = cursor.span();
        value(cursor, &mut entry)?;
        entry.value_span = cursor.since(value_start);
    }
    entry.span = cursor.since(start);
    Ok(entry)
}

/// `T x[n]` declares an array; `x[n]` alone is refused.
fn make_array(entry: &mut Init) -> Parsed<()> {
    let Loc::Cell(name, size) = &entry.loc else { return Ok(()) };
    match &entry.ty {
        Ty::Named(ty) | Ty::Atomic(ty) => {
            entry.ty = Ty::Array(ty.clone(), *size);
            entry.loc = Loc::Global(name.clone());
            Ok(())
        }
        Ty::None => Err(Box::new(
            Diagnostic::error("litmus::array-element", "an element of an array cannot be set alone")
                .at(entry.loc_span, "this names one element")
                .help(format!("declare the whole array: `int {name}[{}]={{…}}`", size + 1)),
        )),
        _ => Err(Box::new(
            Diagnostic::unsupported("litmus::pointer-array", "arrays of pointers are not supported")
                .at(entry.span.to(entry.loc_span), "declared here"),
        )),
    }
}

/// `SS(x,n)` declares a guarded control stack: an array of `n` entries.
fn make_stack(entry: &mut Init) -> Parsed<()> {
    let Loc::Special(text) = &entry.loc else { return Ok(()) };
    let Some(inner) = text.strip_prefix("SS(").and_then(|rest| rest.strip_suffix(')')) else { return Ok(()) };
    let (name, size) = inner.split_once(',').unwrap_or((inner, ""));
    let (name, size) = (name.trim().to_string(), size.trim().parse::<u64>());
    let Some(size) = size.ok().filter(|size| *size > 0) else {
        let error =
            Diagnostic::error("litmus::bad-stack", "a guarded stack has a name and a number of entries");
        return Err(Box::new(error.at(entry.loc_span, "write it as `SS(x,2)`")));
    };
    entry.ty = Ty::Array("uintptr_t".to_string(), size);
    entry.loc = Loc::Global(name);
    Ok(())
}

/// `_Atomic T`, `T`, `T *`, `*`.
fn declared_type(cursor: &mut Cursor) -> Parsed<Ty> {
    if cursor.eat("*") {
        return Ok(Ty::Pointer);
    }
    if cursor.eat_word("_Atomic") {
        let Token::Name(name) = cursor.peek() else { return Err(cursor.unexpected("a type")) };
        cursor.bump();
        return Ok(if cursor.eat("*") { Ty::NamedPointer(name.clone()) } else { Ty::Atomic(name.clone()) });
    }
    let Token::Name(name) = cursor.peek() else { return Ok(Ty::None) };
    let typed = match cursor.peek_at(1) {
        Token::Name(_) | Token::Symbolic(_) | Token::Sym("*") => true,
        Token::Num(_) | Token::Proc(_) => cursor.is_sym(2, ":"),
        Token::Sym("[") => matches!(cursor.peek_at(2), Token::Name(_)),
        _ => false,
    };
    if !typed {
        return Ok(Ty::None);
    }
    cursor.bump();
    Ok(if cursor.eat("*") { Ty::NamedPointer(name.clone()) } else { Ty::Named(name.clone()) })
}

/// What stands after `=`.
fn value(cursor: &mut Cursor, entry: &mut Init) -> Parsed<()> {
    // The values of a guarded stack.
    if cursor.eat_word("ssval_t") {
        cursor.expect(":")?;
    }
    if cursor.eat("{") {
        while !cursor.eat("}") {
            let value = if cursor.at_thread() { label(cursor)? } else { cursor.value()? };
            entry.values.push(value);
            if !cursor.is_sym(0, "}") {
                cursor.expect(",")?;
            }
        }
        if let Some(mask) = tag_mask(&entry.values) {
            entry.values = vec![Const::Int { text: mask.to_string(), value: mask }];
            return Ok(());
        }
        return check_array(entry, cursor.last_span());
    }
    if cursor.is_sym(0, "(") {
        let text = cursor.balanced()?;
        entry.values.push(Const::Special(format!("({text})")));
        if entry.ty == Ty::None {
            entry.ty = Ty::Named("pteval_t".to_string());
        }
        return Ok(());
    }
    if cursor.eat_word("ATOMIC_INIT") {
        cursor.expect("(")?;
        entry.values.push(cursor.value()?);
        return cursor.expect(")");
    }
    if cursor.eat("&") {
        entry.values.push(cursor.value()?);
        if entry.ty == Ty::None {
            entry.ty = Ty::Pointer;
        }
        return Ok(());
    }
    if cursor.at_thread() {
        entry.values.push(label(cursor)?);
        return Ok(());
    }
    let value = cursor.value()?;
    if matches!(&value, Const::Special(text) if text == "NOP" || text.starts_with("instr:")) {
        entry.ty = Ty::Named("ins_t".to_string());
    }
    entry.values.push(value);
    Ok(())
}

/// `P0:L`.
fn label(cursor: &mut Cursor) -> Parsed<Const> {
    let thread = cursor.thread()?;
    cursor.expect(":")?;
    let name = cursor.name("a label")?;
    Ok(Const::Label { thread, name })
}

/// `{:red,:blue}`: the number with the bits of these tags.
fn tag_mask(values: &[Const]) -> Option<i128> {
    let bit = |value: &Const| match value {
        Const::Special(text) => {
            let name = text.strip_prefix(':')?;
            super::machine::TAGS.iter().position(|tag| *tag == name).map(|bit| 1i128 << bit)
        }
        _ => None,
    };
    let bits: Option<Vec<i128>> = values.iter().map(bit).collect();
    bits.filter(|bits| !bits.is_empty()).map(|bits| bits.iter().fold(0, |mask, bit| mask | bit))
}

/// An array has as many values as elements.
fn check_array(entry: &Init, end: Span) -> Parsed<()> {
    let size = match &entry.ty {
        Ty::Array(_, size) => *size as usize,
        _ if entry.values.iter().all(|value| matches!(value, Const::Special(_))) => return Ok(()),
        _ => {
            return Err(Box::new(
                Diagnostic::error("litmus::array-value", "only an array takes several values")
                    .at(entry.loc_span, "not declared as an array")
                    .help("declare its type and size, as in `int x[2]={1,2}`"),
            ));
        }
    };
    if entry.values.len() == size {
        return Ok(());
    }
    let message = format!("{} values for an array of {size}", entry.values.len());
    Err(Box::new(
        Diagnostic::error("litmus::array-size", message).at(entry.loc_span.to(end), "in this declaration"),
    ))
}
