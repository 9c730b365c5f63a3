//! Annotations and operands.

use super::table::{Entry, OPERATIONS, TABLE};
use super::{NAME, register_number};
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{BinOp, Reg, Sym};
use crate::source::Span;

/// A mnemonic with its annotations.
#[derive(Clone, Debug)]
pub struct Head {
    /// Its entry.
    pub entry: &'static Entry,
    /// Between the brackets.
    pub annotations: Vec<String>,
}

/// A register, a global or a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A register and its canonical name.
    Reg(Reg, String),
    /// A global and its name.
    Global(Sym, String),
    /// A number.
    Int(i128),
}

impl std::fmt::Display for Atom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Atom::Reg(_, name) | Atom::Global(_, name) => f.write_str(name),
            Atom::Int(value) => write!(f, "{value}"),
        }
    }
}

/// `a`, or `a+b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// A register or a global.
    pub base: Atom,
    /// A register or a number.
    pub offset: Option<Atom>,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.offset {
            Some(offset) => write!(f, "{}+{offset}", self.base),
            None => write!(f, "{}", self.base),
        }
    }
}

/// `a`, or `(op a b)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A value.
    Value(Atom),
    /// An operation, with its name.
    Binary(&'static str, BinOp, Atom, Atom),
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Operation::Value(atom) => write!(f, "{atom}"),
            Operation::Binary(name, _, a, b) => write!(f, "({name} {a} {b})"),
        }
    }
}

/// Reads the mnemonic and its annotations.
pub fn head(scanner: &mut Scanner) -> Result<Head, Diagnostic> {
    let (word, span) = scanner.word("an instruction")?;
    let Some(entry) = TABLE.iter().find(|entry| entry.name == word) else {
        let known = TABLE.iter().map(|entry| entry.name);
        return Err(errors::unknown_instruction(NAME, word, span, known));
    };
    let mut annotations = Vec::new();
    if entry.kind.is_some() {
        scanner.expect('[')?;
        while !scanner.eat(']') {
            if !annotations.is_empty() {
                scanner.expect(',')?;
            }
            annotations.push(annotation(scanner)?);
        }
    }
    Ok(Head { entry, annotations })
}

/// A word that may have dashes in it.
fn annotation(scanner: &mut Scanner) -> Result<String, Diagnostic> {
    let mut name = scanner.word("an annotation")?.0.to_string();
    while scanner.eat('-') {
        name.push('-');
        name.push_str(scanner.word("the rest of an annotation")?.0);
    }
    Ok(name)
}

/// A register.
pub fn register(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<(Reg, String), Diagnostic> {
    let here = scanner.here();
    match atom(scanner, cx)? {
        Atom::Reg(reg, name) => Ok((reg, name)),
        other => Err(errors::bad_operand(
            here,
            format!("expected a register, found `{other}`"),
            "registers are r0, r1, …",
        )),
    }
}

/// A register, a global or a number.
pub fn atom(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Atom, Diagnostic> {
    match scanner.peek() {
        Some(Token::Word(word)) => {
            scanner.next();
            match register_number(word) {
                Some(number) => {
                    let name = format!("r{number}");
                    Ok(Atom::Reg(cx.regs.intern(&name), name))
                }
                None => Ok(Atom::Global(global(cx, word), word.to_string())),
            }
        }
        Some(Token::Punct('%')) => {
            scanner.next();
            let name = format!("%{}", scanner.word("the name of a symbolic register")?.0);
            Ok(Atom::Reg(cx.regs.intern(&name), name))
        }
        _ => {
            let (value, span) = scanner.number("a register, a global or a number")?;
            let (min, max) = (i128::from(i64::MIN), i128::from(u64::MAX));
            if value < min || value > max {
                return Err(errors::out_of_range(span, value, errors::range(min, max)));
            }
            Ok(Atom::Int(value))
        }
    }
}

fn global(cx: &mut ColumnCx, name: &str) -> Sym {
    let index = cx.symbols.iter().position(|symbol| symbol == name).unwrap_or_else(|| {
        cx.symbols.push(name.to_string());
        cx.symbols.len() - 1
    });
    Sym(index as u16)
}

/// An address.
pub fn address(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Address, Diagnostic> {
    let base = atom(scanner, cx)?;
    let offset = if scanner.eat('+') {
        let here = scanner.here();
        match atom(scanner, cx)? {
            Atom::Global(_, name) => {
                let message = format!("`{name}` is a global: it cannot be an offset");
                return Err(errors::bad_operand(here, message, "expected a register or a number"));
            }
            offset => Some(offset),
        }
    } else {
        None
    };
    Ok(Address { base, offset })
}

/// An operation.
pub fn operation(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Operation, Diagnostic> {
    if !scanner.eat('(') {
        return Ok(Operation::Value(atom(scanner, cx)?));
    }
    let (word, span) = scanner.word("an operation")?;
    let Some((name, op)) = OPERATIONS.iter().find(|(name, _)| *name == word) else {
        let known = OPERATIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(errors::bad_operand(span, format!("unknown operation `{word}`"), "here")
            .help(format!("the operations are {known}")));
    };
    let a = atom(scanner, cx)?;
    let b = atom(scanner, cx)?;
    scanner.expect(')')?;
    Ok(Operation::Binary(name, *op, a, b))
}

/// A branch target.
pub fn label(scanner: &mut Scanner) -> Result<(String, Span), Diagnostic> {
    let (word, span) = scanner.label("a label")?;
    Ok((word.to_string(), span))
}
