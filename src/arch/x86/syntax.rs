//! x86 text: Intel order, destination first. Cells look like `MOV [x],$1`, `lock; xadd [EAX+4],EBX`, `JNE L0`.

use super::lower::{Insn, Mem, Operand, RegPart, size_of};
use super::operands::{self, Opening, Written, check_lock, check_shape, opening};
use super::table::{Entry, Kind, Shape};
use super::{X86, part};
use crate::arch::operands::label;
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::source::Span;

/// What this width has besides the instructions that both share.
const TABLE: &[Entry] = &[extend("movzx", false), extend("movsx", true)];

const fn extend(name: &'static str, signed: bool) -> Entry {
    let kind = Kind::Extend { signed, from: 0 };
    Entry { name, shape: Shape::RegSource, kind, lockable: false, sized: false }
}

/// A parsed cell: its canonical text and its meaning.
pub type Parsed = (String, Insn);

/// Parses one cell.
pub fn parse(cx: &mut ColumnCx, text: &str, span: Span) -> Result<Parsed, Diagnostic> {
    let mut s = Scanner::new(text, span);
    let Opening { found, lock, at } = opening(&mut s, "X86", TABLE)?;
    let shape = found.entry.shape;
    if shape == Shape::Label {
        let (name, label_at) = s.label("a label")?;
        s.end()?;
        check_lock(lock, false)?;
        let target = label(cx, name, label_at)?;
        let insn = Insn { kind: found.entry.kind, bytes: 4, lock: false, operands: Vec::new(), target };
        return Ok((format!("{} {name}", found.printed.to_ascii_uppercase()), insn));
    }
    let operands = s.comma_separated(|s| operand(cx, s))?;
    s.end()?;
    check_shape(shape, &found.printed, &operands, at)?;
    check_lock(lock, found.entry.lockable && operands.iter().any(|o| matches!(o.operand, Operand::Mem(_))))?;
    let bytes = found
        .suffix
        .or_else(|| operands.iter().find_map(|o| o.bytes.or(size_of(o.operand))))
        .unwrap_or(4)
        .min(4);
    let text = print(&found.printed, lock.is_some(), &operands);
    let kind = match found.entry.kind {
        // The source is as wide as it is said to be.
        Kind::Extend { signed, from: 0 } => {
            let from = operands[1].bytes.or(size_of(operands[1].operand)).ok_or_else(|| {
                let message = format!("how wide is the source of `{}`?", found.printed);
                errors::bad_operand(operands[1].span, message, "expected `byte ptr` or `word ptr` before it")
            })?;
            Kind::Extend { signed, from }
        }
        kind => kind,
    };
    let operands = operands.into_iter().map(|o| o.operand).collect();
    Ok((text, Insn { kind, bytes, lock: lock.is_some(), operands, target: 0 }))
}

/// The canonical text: upper case, `$n`, no blank after commas; some mnemonics are followed by two blanks.
fn print(name: &str, lock: bool, operands: &[Written]) -> String {
    let name = name.to_ascii_uppercase();
    let shown = match name.as_str() {
        "UXCH" => "UNLOCKED XCHG",
        "INC" => "INC ",
        "DEC" => "DEC ",
        "CMP" => "CMP ",
        other => other,
    };
    let lock = if lock { "LOCK; " } else { "" };
    let operands: Vec<&str> = operands.iter().map(|o| o.text.as_str()).collect();
    if operands.is_empty() || name == "NOP" {
        [lock, shown].concat()
    } else {
        [lock, shown, " ", &operands.join(",")].concat()
    }
}

fn operand(cx: &mut ColumnCx, s: &mut Scanner) -> Result<Written, Diagnostic> {
    let mark = s.mark();
    let mut bytes = None;
    if let Some(Token::Word(word)) = s.peek() {
        let sizes = [("byte", 1), ("word", 2), ("dword", 4)];
        bytes = sizes.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, bytes)| bytes);
        if bytes.is_some() {
            s.next();
            let (word, at) = s.word("`ptr`")?;
            if !word.eq_ignore_ascii_case("ptr") {
                return Err(errors::bad_operand(at, "expected `ptr`", "here"));
            }
        }
    }
    if let Some(Token::Word(word)) = s.peek()
        && word.eq_ignore_ascii_case("offset")
    {
        s.next();
        let (name, _) = s.word("the name of a global")?;
        let (operand, text) = (Operand::Address(crate::arch::symbol(cx, name)), format!("offset {name}"));
        return Ok(Written { operand, text, span: s.since(mark), bytes });
    }
    let close = match s.peek() {
        Some(Token::Punct('[')) => Some(']'),
        Some(Token::Punct('(')) => Some(')'),
        _ => None,
    };
    if let Some(close) = close {
        s.next();
        let (mem, text) = memory(cx, s)?;
        s.expect(close)?;
        return Ok(Written {
            operand: Operand::Mem(mem),
            text: ["[", &text, "]"].concat(),
            span: s.since(mark),
            bytes,
        });
    }
    match s.peek() {
        Some(Token::Punct('%') | Token::Word(_)) => {
            let (part, text) = register(cx, s)?;
            Ok(Written { operand: Operand::Reg(part), text, span: s.since(mark), bytes })
        }
        _ => {
            s.eat('$');
            let (value, _) = s.number("a register, `[memory]` or a number")?;
            let span = s.since(mark);
            if !(-(1 << 31)..1 << 32).contains(&value) {
                return Err(errors::out_of_range(span, value, "32 bits"));
            }
            Ok(Written { operand: Operand::Imm(value), text: format!("${value}"), span, bytes })
        }
    }
}

fn register(cx: &mut ColumnCx, s: &mut Scanner) -> Result<(RegPart, String), Diagnostic> {
    if s.eat('%') {
        let (name, _) = s.word("the name of a symbolic register")?;
        let text = format!("%{name}");
        return Ok((RegPart { reg: cx.regs.intern(&text), bytes: 4, high: false }, text));
    }
    let (name, at) = s.word("a register")?;
    match part(name) {
        Some((whole, bytes, high)) => {
            let reg = cx.regs.intern(whole);
            Ok((RegPart { reg, bytes, high }, name.to_ascii_uppercase()))
        }
        None => Err(errors::unknown_register("X86", name, at, X86::names())),
    }
}

/// What stands between the brackets: terms joined by `+` and `-`.
fn memory(cx: &mut ColumnCx, s: &mut Scanner) -> Result<(Mem, String), Diagnostic> {
    let mut mem = Mem::default();
    let mut text = String::new();
    loop {
        let mark = s.mark();
        let negative = s.eat('-');
        if negative || !text.is_empty() {
            text.push(if negative { '-' } else { '+' });
        }
        match s.peek() {
            Some(Token::Number(_)) => {
                let value = operands::displacement(s)?;
                text.push_str(&value.to_string());
                mem.offset += if negative { -value } else { value };
            }
            Some(Token::Word(name)) if !negative && part(name).is_none() => {
                s.next();
                if mem.symbol.is_some() {
                    return Err(errors::bad_operand(
                        s.since(mark),
                        "two symbols in one address",
                        "the second",
                    ));
                }
                text.push_str(name);
                mem.symbol = Some(crate::arch::symbol(cx, name));
            }
            Some(Token::Word(_) | Token::Punct('%')) if !negative => {
                let (part, name) = register(cx, s)?;
                text.push_str(&name);
                let scale = if s.eat('*') {
                    let scale = operands::scale(s)?;
                    text.push_str(&format!("*{scale}"));
                    scale
                } else {
                    1
                };
                if mem.base.is_none() && scale == 1 {
                    mem.base = Some(part);
                } else if mem.index.is_none() {
                    mem.index = Some((part, scale));
                } else {
                    return Err(errors::bad_operand(
                        s.since(mark),
                        "too many registers in one address",
                        "here",
                    ));
                }
            }
            _ => return Err(s.unexpected("a symbol, a register or a number")),
        }
        if !s.eat('+') && s.peek() != Some(Token::Punct('-')) {
            return Ok((mem, text));
        }
    }
}
