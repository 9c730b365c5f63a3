//! Mnemonics with their suffixes, and operands.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::missing::{CAPABILITIES, MISSING, UNSUPPORTED_PREFIXES, VECTORS};
use super::table::{CONDITIONS, Entry, Form, PREDICATE_CONDITIONS, Shift, TABLE};
use super::{NAME, REGISTERS};
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::Reg;
use crate::source::Span;

/// View of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// The low 32 bits.
    W,
    /// All 64.
    X,
}

impl Width {
    /// Number of bits.
    pub fn bits(self) -> u8 {
        if self == Width::W { 32 } else { 64 }
    }

    /// Number of bytes.
    pub fn bytes(self) -> u8 {
        self.bits() / 8
    }
}

/// Which register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    /// `X0` to `X30`.
    Number(u8),
    /// The zero register.
    Zero,
    /// The stack pointer.
    Sp,
    /// A symbolic register.
    Symbolic(String),
}

impl Name {
    /// As it stands in states; none for the zero register, which is no register of the program.
    fn canonical(&self) -> Option<Cow<'static, str>> {
        match self {
            Name::Number(n) => Some(numbered(*n)),
            Name::Zero => None,
            Name::Sp => Some("SP".into()),
            Name::Symbolic(name) => Some(format!("%{name}").into()),
        }
    }
}

/// The name of a register that has a number, all of it.
pub fn numbered(number: u8) -> Cow<'static, str> {
    const NAMES: [&str; REGISTERS as usize] = [
        "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14", "X15",
        "X16", "X17", "X18", "X19", "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27", "X28", "X29",
        "X30",
    ];
    NAMES.get(usize::from(number)).map_or_else(|| format!("X{number}").into(), |name| Cow::Borrowed(*name))
}

/// A register operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpr {
    /// None for the zero register.
    pub reg: Option<Reg>,
    /// Which.
    pub name: Name,
    /// Its view.
    pub width: Width,
}

impl Gpr {
    /// As text, in the view `width`.
    pub fn text(&self, width: Width) -> String {
        let letter = if width == Width::W { 'W' } else { 'X' };
        match &self.name {
            Name::Number(n) => format!("{letter}{n}"),
            Name::Zero => format!("{letter}ZR"),
            Name::Sp if width == Width::W => "WSP".into(),
            Name::Sp => "SP".into(),
            Name::Symbolic(name) => format!("{letter}%{name}"),
        }
    }
}

impl std::fmt::Display for Gpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text(self.width))
    }
}

/// Extension of a register operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ext {
    /// As written.
    pub name: &'static str,
    /// Low bits taken.
    pub bits: u8,
    /// Sign-extended?
    pub signed: bool,
}

const EXTENSIONS: [Ext; 8] = [
    Ext { name: "UXTB", bits: 8, signed: false },
    Ext { name: "UXTH", bits: 16, signed: false },
    Ext { name: "UXTW", bits: 32, signed: false },
    Ext { name: "UXTX", bits: 64, signed: false },
    Ext { name: "SXTB", bits: 8, signed: true },
    Ext { name: "SXTH", bits: 16, signed: true },
    Ext { name: "SXTW", bits: 32, signed: true },
    Ext { name: "SXTX", bits: 64, signed: true },
];

const SHIFTS: [Shift; 4] = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror];

/// What is added to the base register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Index {
    /// An immediate, 0 if there is nothing.
    Imm(i128),
    /// A register, extended and shifted left.
    Reg(Gpr, Option<Ext>, i128),
}

/// `[…]`, perhaps with `!`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mem {
    /// Base register.
    pub base: Gpr,
    /// Offset.
    pub index: Index,
    /// Is the base updated with the address?
    pub writeback: bool,
}

/// What an operand is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A register.
    Reg(Gpr),
    /// `#n`.
    Imm(i128),
    /// `LSL #n` and the like.
    Shift(Shift, i128),
    /// `SXTW {#n}` and the like.
    Ext(Ext, Option<i128>),
    /// An address.
    Mem(Mem),
    /// A label, condition, option or system register.
    Name(String),
    /// `.+n`, `.-n`: bytes from here.
    Relative(i128),
    /// `=x`.
    Literal(String),
}

/// An operand and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// What.
    pub kind: Kind,
    /// Where.
    pub span: Span,
}

/// Order and size suffixes of atomics, and conditions.
#[derive(Clone, Debug)]
pub struct Mnemonic {
    /// Its entry.
    pub entry: &'static Entry,
    /// In upper case, complete.
    pub text: String,
    /// Acquire?
    pub acquire: bool,
    /// Release?
    pub release: bool,
    /// Size suffix in bytes, 0 for none.
    pub bytes: u8,
    /// Condition of a `B.cond`, by index.
    pub cond: Option<usize>,
    /// Where it stands.
    pub span: Span,
}

/// Takes the mnemonic at the start of a cell apart.
pub fn mnemonic(scanner: &mut Scanner) -> Result<Mnemonic, Diagnostic> {
    let (word, span) = scanner.word("an instruction")?;
    let text = word.to_ascii_uppercase();
    let plain = |entry, cond| Mnemonic {
        entry,
        text: text.clone(),
        acquire: false,
        release: false,
        bytes: 0,
        cond,
        span,
    };
    if let Some(entry) = find(&text) {
        if let Form::Unsupported(extension) = entry.form {
            return Err(errors::unsupported(word, extension, span));
        }
        return Ok(plain(entry, None));
    }
    if let Some(cond) = branch_condition(&text)
        && let Some(entry) = find("B")
    {
        return Ok(plain(entry, Some(cond)));
    }
    if let Some(atomic) = atomic(&text, span) {
        return Ok(atomic);
    }
    if let Some((_, extension)) = UNSUPPORTED_PREFIXES.iter().find(|(prefix, _)| text.starts_with(prefix)) {
        return Err(errors::unsupported(word, extension, span));
    }
    let known = TABLE.iter().chain(MISSING).map(|entry| entry.name);
    Err(errors::unknown_instruction(NAME, word, span, known))
}

/// The mnemonic of what makes no event of its own.
pub fn nothing(span: Span) -> Option<Mnemonic> {
    let entry = find("NOP")?;
    let text = entry.name.to_string();
    Some(Mnemonic { entry, text, acquire: false, release: false, bytes: 0, cond: None, span })
}

fn find(name: &str) -> Option<&'static Entry> {
    static BY_NAME: LazyLock<FxHashMap<&str, &Entry>> = LazyLock::new(|| {
        // Of several of one name, the first.
        let entries: Vec<&Entry> = TABLE.iter().chain(MISSING).collect();
        entries.into_iter().rev().map(|entry| (entry.name, entry)).collect()
    });
    BY_NAME.get(name).copied()
}

/// An atomic with order and size suffixes.
fn atomic(text: &str, span: Span) -> Option<Mnemonic> {
    TABLE.iter().find_map(|entry| {
        let (orders, sized): (&[&str], bool) = match entry.form {
            Form::Swap | Form::CompareSwap | Form::LoadOp(..) => (&["AL", "A", "L", ""], true),
            Form::StoreOp(..) => (&["L", ""], true),
            Form::CompareSwapPair => (&["AL", "A", "L"], false),
            _ => return None,
        };
        let suffix = text.strip_prefix(entry.name)?;
        let order = orders.iter().find(|order| suffix.starts_with(**order))?;
        let bytes = match &suffix[order.len()..] {
            "" => 0,
            "B" if sized => 1,
            "H" if sized => 2,
            _ => return None,
        };
        Some(Mnemonic {
            entry,
            text: text.to_string(),
            acquire: order.contains('A'),
            release: order.contains('L'),
            bytes,
            cond: None,
            span,
        })
    })
}

/// The condition of a branch: `B.cond`, or `Bcond`.
fn branch_condition(text: &str) -> Option<usize> {
    let Some(word) = text.strip_prefix("B.") else { return condition(text.strip_prefix('B')?) };
    match PREDICATE_CONDITIONS.iter().find(|(spelling, _)| *spelling == word) {
        Some((_, meaning)) => condition(meaning),
        None => condition(word),
    }
}

/// The index of a condition code.
pub fn condition(word: &str) -> Option<usize> {
    let word = word.to_ascii_uppercase();
    CONDITIONS.iter().position(|(name, other)| *name == word || (!other.is_empty() && *other == word))
}

/// Reads all operands, up to the end of the cell.
pub fn operands(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Vec<Operand>, Diagnostic> {
    let mut list = Vec::new();
    if scanner.at_end() {
        return Ok(list);
    }
    loop {
        let mark = scanner.mark();
        let kind = operand(scanner, cx)?;
        list.push(Operand { kind, span: scanner.since(mark) });
        if scanner.at_end() {
            return Ok(list);
        }
        scanner.expect(',')?;
    }
}

fn operand(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Kind, Diagnostic> {
    // A label with signs that no word has would fall to pieces.
    if cx.labels.iter().any(|(label, _)| label.contains(['$', '/', '-'])) {
        let mut ahead = *scanner;
        if let Ok((name, _)) = ahead.label("a label")
            && name.contains(['$', '/', '-'])
            && cx.labels.iter().any(|(label, _)| label == name)
        {
            *scanner = ahead;
            return Ok(Kind::Name(name.to_string()));
        }
    }
    match scanner.peek() {
        Some(Token::Punct('[')) => Ok(Kind::Mem(memory(scanner, cx)?)),
        Some(Token::Punct('=')) => {
            scanner.next();
            Ok(Kind::Literal(scanner.word("the name of a global")?.0.to_string()))
        }
        Some(Token::Punct('#' | '-' | '+') | Token::Number(_)) => Ok(Kind::Imm(immediate(scanner)?)),
        Some(Token::Word(".")) => {
            scanner.next();
            Ok(Kind::Relative(scanner.number("an offset in bytes, such as `.+8`")?.0))
        }
        Some(Token::Word(word)) => {
            if let Some(gpr) = register(scanner, cx)? {
                return Ok(Kind::Reg(gpr));
            }
            scanner.next();
            if let Some(shift) = SHIFTS.iter().find(|s| s.name().eq_ignore_ascii_case(word)) {
                return Ok(Kind::Shift(*shift, immediate(scanner)?));
            }
            if let Some(ext) = EXTENSIONS.iter().find(|ext| ext.name.eq_ignore_ascii_case(word)) {
                return Ok(Kind::Ext(*ext, optional_immediate(scanner)?));
            }
            Ok(Kind::Name(word.to_string()))
        }
        Some(Token::Punct('%')) => match register(scanner, cx)? {
            Some(gpr) => Ok(Kind::Reg(gpr)),
            None => Err(scanner.unexpected("an operand")),
        },
        _ => Err(scanner.unexpected("an operand")),
    }
}

fn immediate(scanner: &mut Scanner) -> Result<i128, Diagnostic> {
    scanner.eat('#');
    Ok(scanner.number("an immediate")?.0)
}

fn optional_immediate(scanner: &mut Scanner) -> Result<Option<i128>, Diagnostic> {
    match scanner.peek() {
        Some(Token::Punct('#') | Token::Number(_)) => immediate(scanner).map(Some),
        _ => Ok(None),
    }
}

/// The register that is next, if it is one.
fn register(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Option<Gpr>, Diagnostic> {
    let mut ahead = *scanner;
    let mark = ahead.mark();
    let (name, width) = match ahead.next() {
        Some(Token::Punct('%')) => {
            (Name::Symbolic(ahead.word("the name of a symbolic register")?.0.to_string()), Width::X)
        }
        Some(Token::Word(letter @ ("X" | "x" | "W" | "w"))) if ahead.eat('%') => {
            let width = if letter.eq_ignore_ascii_case("x") { Width::X } else { Width::W };
            (Name::Symbolic(ahead.word("the name of a symbolic register")?.0.to_string()), width)
        }
        Some(Token::Word(word)) => match named(word) {
            Some(found) => found,
            None if cx.labels.iter().any(|(label, _)| label == word) => return Ok(None),
            None if is_vector(word) => {
                return Err(errors::unsupported(word, VECTORS, ahead.since(mark)));
            }
            None if is_numbered(word, "Cc") => {
                return Err(errors::unsupported(word, CAPABILITIES, ahead.since(mark)));
            }
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    *scanner = ahead;
    let reg = name.canonical().map(|canonical| cx.regs.intern(&canonical));
    Ok(Some(Gpr { reg, name, width }))
}

/// A general-purpose register by name, in either view.
pub fn named(word: &str) -> Option<(Name, Width)> {
    const NAMES: [(&str, Name, Width); 6] = [
        ("LR", Name::Number(30), Width::X),
        ("FP", Name::Number(29), Width::X),
        ("XZR", Name::Zero, Width::X),
        ("WZR", Name::Zero, Width::W),
        ("SP", Name::Sp, Width::X),
        ("WSP", Name::Sp, Width::W),
    ];
    let numbered = || {
        let width = match word.as_bytes().first()? {
            b'X' | b'x' => Width::X,
            b'W' | b'w' => Width::W,
            _ => return None,
        };
        let digits = &word[1..];
        let canonical = digits == "0" || !digits.starts_with(['0', '+']);
        let number: u8 = digits.parse().ok().filter(|n| *n < REGISTERS && canonical)?;
        Some((Name::Number(number), width))
    };
    numbered().or_else(|| {
        let (_, name, width) = NAMES.into_iter().find(|(name, ..)| name.eq_ignore_ascii_case(word))?;
        Some((name, width))
    })
}

/// A register of the vector extensions, such as `V0`, `Q1`, `Z3`?
fn is_vector(word: &str) -> bool {
    is_numbered(word.split('.').next().unwrap_or(word), "VvQqDdSsHhBbZzPp")
}

/// One of these letters, and a number?
fn is_numbered(word: &str, letters: &str) -> bool {
    word.starts_with(|c| letters.contains(c))
        && word.len() > 1
        && word[1..].chars().all(|c| c.is_ascii_digit())
}

fn memory(scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<Mem, Diagnostic> {
    scanner.expect('[')?;
    let span = scanner.here();
    let base = match register(scanner, cx)? {
        Some(base) if base.width == Width::X && base.name != Name::Zero => base,
        Some(base) => {
            let message = format!("`{base}` cannot hold an address");
            return Err(errors::bad_operand(span, message, "expected an X register or SP"));
        }
        None => return Err(scanner.unexpected("a base register")),
    };
    let mut index = Index::Imm(0);
    if scanner.eat(',') {
        index = match register(scanner, cx)? {
            Some(offset) => index_register(scanner, offset)?,
            None => Index::Imm(immediate(scanner)?),
        };
    }
    scanner.expect(']')?;
    let writeback = scanner.eat('!');
    Ok(Mem { base, index, writeback })
}

fn index_register(scanner: &mut Scanner, offset: Gpr) -> Result<Index, Diagnostic> {
    if !scanner.eat(',') {
        return Ok(Index::Reg(offset, None, 0));
    }
    let (word, span) = scanner.word("LSL, UXTW, SXTW or SXTX")?;
    if word.eq_ignore_ascii_case("LSL") {
        let amount = optional_immediate(scanner)?.unwrap_or(0);
        return Ok(Index::Reg(offset, None, amount));
    }
    let ext = EXTENSIONS.iter().find(|ext| ext.name.eq_ignore_ascii_case(word));
    match ext.filter(|ext| ext.bits >= 32 && ext.name != "UXTX") {
        Some(ext) => {
            let amount = optional_immediate(scanner)?.unwrap_or(0);
            Ok(Index::Reg(offset, Some(*ext), amount))
        }
        None => {
            let message = format!("`{word}` cannot extend an index");
            Err(errors::bad_operand(span, message, "expected LSL, UXTW, SXTW or SXTX"))
        }
    }
}
