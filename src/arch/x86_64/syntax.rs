//! X86_64 text: AT&T order, destination last. Cells look like `movl $1,(x)`, `lock xaddq %rax,8(%rbx)`, `jne L0`.

use super::table::TABLE;
use super::{names, part};
use crate::arch::operands::label;
use crate::arch::scan::{Scanner, Token};
use crate::arch::x86::lower::{Insn, Mem, Operand, RegPart, size_of};
use crate::arch::x86::operands::{Opening, Written, check_lock, check_shape, displacement, opening, scale};
use crate::arch::x86::table::{Found, Kind, Shape};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::source::Span;

/// Parses one cell: canonical text and instruction.
pub fn parse(cx: &mut ColumnCx, text: &str, span: Span) -> Result<(String, Insn), Diagnostic> {
    let mut s = Scanner::new(text, span);
    let Opening { found, lock, at } = opening(&mut s, "X86_64", TABLE)?;
    let mut insn =
        Insn { kind: found.entry.kind, bytes: 8, lock: lock.is_some(), operands: Vec::new(), target: 0 };
    match found.entry.shape {
        Shape::Ignored => {
            check_lock(lock, false)?;
            return Ok(("NOP".to_string(), insn));
        }
        Shape::Label => {
            let (name, label_at) = s.label("a label")?;
            s.end()?;
            check_lock(lock, false)?;
            insn.target = label(cx, name, label_at)?;
            return Ok((format!("{} {name}", found.printed), insn));
        }
        _ => {}
    }
    let written = s.comma_separated(|s| operand(cx, s))?;
    s.end()?;
    let text = print(&found, lock.is_some(), &written);
    let operands = destination_first(&found, written);
    check_shape(found.entry.shape, &found.printed, &operands, at)?;
    check_lock(lock, found.entry.lockable && operands.iter().any(|o| matches!(o.operand, Operand::Mem(_))))?;
    let suffix = match found.entry.name {
        "movabsq" | "cltq" | "cdqe" => Some(8),
        "cwtl" | "cwde" => Some(4),
        _ => found.suffix,
    };
    insn.bytes = suffix.or_else(|| operands.iter().find_map(|o| size_of(o.operand))).unwrap_or(8);
    check_sizes(&insn, found.entry.shape, &operands)?;
    insn.operands = operands.into_iter().map(|o| o.operand).collect();
    Ok((text, insn))
}

/// Operands in the order of the table. Of `cmpxchg` and `cmov` the one in memory can be on one side only, wherever
/// it is written: herd7 has it on the other side than assemblers.
fn destination_first(found: &Found, mut written: Vec<Written>) -> Vec<Written> {
    written.reverse();
    if let [first, second] = written.as_slice() {
        let is_memory = |o: &Written| matches!(o.operand, Operand::Mem(_));
        let swap = match found.entry.kind {
            Kind::CompareExchange => is_memory(second),
            Kind::ConditionalMove(_) => is_memory(first),
            _ => false,
        };
        if swap {
            written.reverse();
        }
    }
    written
}

/// A register that is narrower than the operation cannot take part in it.
fn check_sizes(insn: &Insn, shape: Shape, operands: &[Written]) -> Result<(), Diagnostic> {
    // The second operand of a shift is `%cl`; the source of a widening move is narrower by nature.
    let checked = match (shape, insn.kind) {
        (Shape::Shift | Shape::BitTest, _) | (_, Kind::Extend { .. }) => 1,
        (_, Kind::Set(_)) => 0,
        _ => operands.len(),
    };
    for written in &operands[..checked] {
        if let Some(bytes) = size_of(written.operand).filter(|bytes| *bytes < insn.bytes) {
            return Err(errors::bad_operand(
                written.span,
                format!("`{}` has {bytes} byte(s), the operation {}", written.text, insn.bytes),
                "too narrow",
            ));
        }
    }
    Ok(())
}

/// The canonical text: lower case, suffix as written, no blank after commas.
fn print(found: &Found, lock: bool, operands: &[Written]) -> String {
    let lock = if lock { "lock; " } else { "" };
    let suffix = match found.suffix {
        Some(1) => "b",
        Some(2) => "w",
        Some(4) => "l",
        Some(_) => "q",
        None => "",
    };
    let name = &found.printed;
    if found.entry.kind == Kind::Nop {
        return format!("{lock}NOP");
    }
    let operands: Vec<&str> = operands.iter().map(|o| o.text.as_str()).collect();
    if operands.is_empty() {
        format!("{lock}{name}{suffix}")
    } else {
        format!("{lock}{name}{suffix} {}", operands.join(","))
    }
}

fn operand(cx: &mut ColumnCx, s: &mut Scanner) -> Result<Written, Diagnostic> {
    let mark = s.mark();
    if s.eat('$') {
        if let Some(Token::Word(name)) = s.peek() {
            s.next();
            let (operand, text) = (Operand::Address(crate::arch::symbol(cx, name)), format!("${name}"));
            return Ok(Written { operand, text, span: s.since(mark), bytes: None });
        }
        let (value, _) = s.number("a number")?;
        let span = s.since(mark);
        if !(-(1 << 63)..1 << 64).contains(&value) {
            return Err(errors::out_of_range(span, value, "64 bits"));
        }
        return Ok(Written { operand: Operand::Imm(value), text: format!("${value}"), span, bytes: None });
    }
    segment(s);
    match s.peek() {
        Some(Token::Punct('(' | '[' | '-' | '+') | Token::Number(_)) => {}
        Some(Token::Punct('%')) => {
            let (part, text) = register(cx, s)?;
            return Ok(Written { operand: Operand::Reg(part), text, span: s.since(mark), bytes: None });
        }
        Some(Token::Word(name)) => {
            // `x(%rip)`: the symbol itself.
            let mut ahead = *s;
            ahead.next();
            if part(name).is_none() && ahead.eat('(') {
                let at = ahead.here();
                ahead.eat('%');
                let relative =
                    matches!(ahead.next(), Some(Token::Word(base)) if base.eq_ignore_ascii_case("rip"));
                if !relative || !ahead.eat(')') {
                    let message = format!("`{name}` relative to something else than `%rip`");
                    return Err(errors::bad_operand(at, message, "expected `(%rip)`"));
                }
                *s = ahead;
                let mem = Mem { symbol: Some(crate::arch::symbol(cx, name)), ..Mem::default() };
                let (operand, text) = (Operand::Mem(mem), format!("({name})"));
                return Ok(Written { operand, text, span: s.since(mark), bytes: None });
            }
            let (part, text) = register(cx, s)?;
            return Ok(Written { operand: Operand::Reg(part), text, span: s.since(mark), bytes: None });
        }
        _ => return Err(s.unexpected("`$number`, a register or `(memory)`")),
    }
    let offset = match s.peek() {
        Some(Token::Punct('(' | '[')) => 0,
        _ => displacement(s)?,
    };
    if !matches!(s.peek(), Some(Token::Punct('(' | '['))) {
        // An assembler would take a number alone as an address; tests mean the number.
        let (span, text) = (s.since(mark), format!("${offset}"));
        return Ok(Written { operand: Operand::Imm(offset), text, span, bytes: None });
    }
    let (mem, text) = memory(cx, s, offset)?;
    Ok(Written { operand: Operand::Mem(mem), text, span: s.since(mark), bytes: None })
}

/// `%cs:` in front of an address says nothing here.
fn segment(s: &mut Scanner) {
    let mut ahead = *s;
    ahead.eat('%');
    let is_segment = matches!(ahead.next(), Some(Token::Word(word))
        if ["cs", "ds", "es", "ss"].contains(&word.to_ascii_lowercase().as_str()));
    if is_segment && ahead.eat(':') {
        *s = ahead;
    }
}

/// `(x)`, `(x+8)`, `(%r)`, `(%r,%r,k)`, or the same in brackets, after a displacement.
fn memory(cx: &mut ColumnCx, s: &mut Scanner, offset: i128) -> Result<(Mem, String), Diagnostic> {
    let close = if s.eat('[') {
        ']'
    } else {
        s.expect('(')?;
        ')'
    };
    let shown = |n: i128| if n == 0 { String::new() } else { n.to_string() };
    let mut mem = Mem { offset, ..Mem::default() };
    let text = match s.peek() {
        Some(Token::Word(name)) if part(name).is_none() => {
            s.next();
            mem.symbol = Some(crate::arch::symbol(cx, name));
            let mut text = format!("({name}");
            if matches!(s.peek(), Some(Token::Punct('+' | '-'))) {
                let more = displacement(s)?;
                mem.offset += more;
                text.push_str(&format!("{more:+}"));
            }
            text + ")"
        }
        Some(Token::Number(_)) => {
            let n = displacement(s)?;
            mem.offset += n;
            format!("({n})")
        }
        _ => {
            let (base, name) = register(cx, s)?;
            mem.base = Some(base);
            if s.eat(',') {
                let (index, index_name) = register(cx, s)?;
                let factor = if s.eat(',') { scale(s)? } else { 1 };
                mem.index = Some((index, factor));
                format!("{}({name}, {index_name},{})", shown(offset), shown(factor))
            } else {
                format!("{}({name})", shown(offset))
            }
        }
    };
    s.expect(close)?;
    Ok((mem, text))
}

fn register(cx: &mut ColumnCx, s: &mut Scanner) -> Result<(RegPart, String), Diagnostic> {
    let percent = s.eat('%');
    let (name, at) = s.word("a register")?;
    match part(name) {
        Some((whole, bytes, high)) => {
            let reg = cx.regs.intern(whole);
            Ok((RegPart { reg, bytes, high }, format!("%{}", name.to_ascii_lowercase())))
        }
        None if percent => {
            let text = format!("%{name}");
            Ok((RegPart { reg: cx.regs.intern(&text), bytes: 8, high: false }, text))
        }
        None => Err(errors::unknown_register("X86_64", name, at, names())
            .help(format!("the memory cell of that name is `({name})`"))),
    }
}
