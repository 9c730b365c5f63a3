//! ARM text: `LDR R0,[R1,#4]`, `ADDSNE R0,R0,R1,LSL #2`, `DMB ISH`.

use super::table::{self, Found, Kind, Shape};
use super::{REGISTERS, canonical};
use crate::arch::operands::label;
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{BinOp, Reg, Sym};
use crate::source::Span;

/// A register with its canonical name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its id.
    pub reg: Reg,
    /// Its name.
    pub name: String,
}

/// The last operand of a data-processing instruction, or the index of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// `#n`.
    Imm(i128),
    /// A register, shifted by a constant or by another register.
    Reg(Named, Option<Shift>),
}

/// A shift.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shift {
    /// Which; `None` is a rotation to the right.
    pub op: Option<BinOp>,
    /// By how much.
    pub amount: Box<Operand>,
}

/// An address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// Base register.
    pub base: Named,
    /// What is added to it.
    pub index: Option<Operand>,
    /// When the base is changed.
    pub mode: Mode,
}

/// Whether an access changes its base register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Not at all.
    Offset,
    /// To the address accessed: `[R1,#4]!`.
    Pre,
    /// The address accessed is the base, which is then moved: `[R1],#4`.
    Post,
}

/// An instruction, parsed. What of the operands is there depends on its shape.
#[derive(Clone, Debug)]
pub struct Insn {
    /// From the table.
    pub found: Found,
    /// Register operands in order.
    pub regs: Vec<Named>,
    /// The last operand.
    pub operand: Option<Operand>,
    /// The address.
    pub address: Option<Address>,
    /// The global of `=x`.
    pub literal: Option<Sym>,
    /// Lowest bit and length of a bit field.
    pub field: (u8, u8),
    /// Where a jump goes.
    pub target: usize,
    /// The set of a fence.
    pub set: String,
}

/// Parses one cell: canonical text and instruction.
pub fn parse(cx: &mut ColumnCx, text: &str, span: Span) -> Result<(String, Insn), Diagnostic> {
    let mut s = Scanner::new(text, span);
    let (word, at) = s.word("an instruction")?;
    let upper = word.to_ascii_uppercase();
    // The width of the encoding is the assembler's affair.
    let upper = upper.strip_suffix(".W").or(upper.strip_suffix(".N")).unwrap_or(&upper);
    let found = table::find(upper).ok_or_else(|| {
        if let Some((_, what)) = table::UNSUPPORTED.iter().find(|(name, _)| *name == upper) {
            return errors::unsupported(word, what, at);
        }
        errors::unknown_instruction("ARM", upper, at, table::TABLE.iter().map(|entry| entry.name))
    })?;
    let mut parser = Parser {
        cx,
        s,
        insn: Insn {
            found,
            regs: Vec::new(),
            operand: None,
            address: None,
            literal: None,
            field: (0, 0),
            target: 0,
            set: String::new(),
        },
    };
    let operands = parser.operands()?;
    let shape = found.entry.shape;
    if shape != Shape::Ignored {
        parser.s.end()?;
    }
    let insn = parser.insn;
    let text = format!("{}{operands}", mnemonic(&insn));
    // The all-zero instruction word is a way to write no instruction at all.
    let text = if text == "ANDEQ R0, R0, R0" { "NOP".to_string() } else { text };
    Ok((text, insn))
}

/// The mnemonic with its suffixes, as herd7 prints it. (It does not show that `EORS` sets the flags.)
fn mnemonic(insn: &Insn) -> String {
    let Found { entry, set_flags, condition } = insn.found;
    let flags = if set_flags && entry.printed != "EOR" { "S" } else { "" };
    let condition = condition.map_or("", |condition| condition.name);
    match entry.kind {
        // herd7 leaves no blank after MOVW, and puts the one of MOVT before the condition.
        Kind::MoveTop => format!("{} {condition}", entry.printed),
        _ => format!("{}{flags}{condition}", entry.printed),
    }
}

struct Parser<'a, 'c, 't> {
    cx: &'a mut ColumnCx<'c>,
    s: Scanner<'t>,
    insn: Insn,
}

impl Parser<'_, '_, '_> {
    /// Reads the operands; gives them as text, with the blank before them.
    fn operands(&mut self) -> Result<String, Diagnostic> {
        let shape = self.insn.found.entry.shape;
        Ok(match shape {
            Shape::None | Shape::Ignored => String::new(),
            Shape::Three => {
                let rd = self.register()?;
                self.s.expect(',')?;
                let mut last = self.operand()?;
                let rn = if self.s.eat(',') {
                    let Operand::Reg(rn, None) = last else {
                        return Err(self.s.unexpected("a register as second operand"));
                    };
                    last = self.operand()?;
                    rn
                } else {
                    rd.clone()
                };
                // herd7 prints conditional ANDs with blanks.
                let comma = if self.insn.found.condition.is_some() { ", " } else { "," };
                let text = format!(" {}{comma}{}{comma}{}", rd.name, rn.name, show(&last));
                self.insn.regs = vec![rd, rn];
                self.insn.operand = Some(last);
                text
            }
            Shape::Two => {
                let rd = self.register()?;
                self.s.expect(',')?;
                let operand = self.operand()?;
                let text = format!(" {},{}", rd.name, show(&operand));
                self.insn.regs = vec![rd];
                self.insn.operand = Some(operand);
                text
            }
            Shape::RegImm => {
                let rd = self.register()?;
                self.s.expect(',')?;
                self.s.eat('#');
                let (value, at) = self.s.number("a 16-bit number")?;
                if !(0..1 << 16).contains(&value) {
                    return Err(errors::out_of_range(at, value, "0 to 65535"));
                }
                let text = format!("{}, #{value}", rd.name);
                self.insn.regs = vec![rd];
                self.insn.operand = Some(Operand::Imm(value));
                text
            }
            Shape::Registers => {
                let rd = self.register()?;
                self.s.expect(',')?;
                let rn = self.register()?;
                self.s.expect(',')?;
                let rm = self.register()?;
                let text = format!(" {},{},{}", rd.name, rn.name, rm.name);
                self.insn.regs = vec![rd, rn, rm];
                text
            }
            Shape::RegReg => {
                let rd = self.register()?;
                self.s.expect(',')?;
                let rm = self.register()?;
                let text = format!(" {},{}", rd.name, rm.name);
                self.insn.regs = vec![rd, rm];
                text
            }
            Shape::Four => {
                let mut regs = vec![self.register()?];
                for _ in 1..4 {
                    self.s.expect(',')?;
                    regs.push(self.register()?);
                }
                let names: Vec<&str> = regs.iter().map(|r| r.name.as_str()).collect();
                let text = format!(" {}", names.join(","));
                self.insn.regs = regs;
                text
            }
            Shape::Field | Shape::OwnField => {
                let mut regs = vec![self.register()?];
                if shape == Shape::Field {
                    self.s.expect(',')?;
                    regs.push(self.register()?);
                }
                let lsb = self.bit(0, 31)?;
                let width = self.bit(1, 32 - lsb)?;
                let names: Vec<&str> = regs.iter().map(|r| r.name.as_str()).collect();
                let text = format!(" {},#{lsb},#{width}", names.join(","));
                self.insn.regs = regs;
                self.insn.field = (lsb as u8, width as u8);
                text
            }
            Shape::Access | Shape::Plain => {
                let rt = self.register()?;
                self.s.expect(',')?;
                if self.insn.found.entry.name == "LDR" && self.s.eat('=') {
                    // The address comes from a literal pool that no other thread sees.
                    let (name, _) = self.s.word("the name of a global")?;
                    self.insn.literal = Some(crate::arch::symbol(self.cx, name));
                    let text = format!(" {},={name}", rt.name);
                    self.insn.regs = vec![rt];
                    return Ok(text);
                }
                let address = self.address(shape == Shape::Access, ",")?;
                let text = format!(" {},{address}", rt.name);
                self.insn.regs = vec![rt];
                text
            }
            Shape::Conditional => {
                let rd = self.register()?;
                self.s.expect(',')?;
                let rt = self.register()?;
                self.s.expect(',')?;
                let address = self.address(false, ",")?;
                let text = format!(" {},{},{address}", rd.name, rt.name);
                self.insn.regs = vec![rd, rt];
                text
            }
            Shape::Pair => {
                let first = self.register()?;
                self.s.expect(',')?;
                let second = if self.s.peek() == Some(Token::Punct('[')) {
                    self.next_register(&first)?
                } else {
                    let second = self.register()?;
                    self.s.expect(',')?;
                    second
                };
                let address = self.address(true, ", ")?;
                let text = format!(" {}, {}, {address}", first.name, second.name);
                self.insn.regs = vec![first, second];
                text
            }
            Shape::Multiple => {
                let base = self.register()?;
                let mode = if self.s.eat('!') { Mode::Pre } else { Mode::Offset };
                self.s.expect(',')?;
                let list = self.list()?;
                let names: Vec<&str> = list.iter().map(|r| r.name.as_str()).collect();
                let bang = if mode == Mode::Pre { "!" } else { "" };
                let text = format!(" {}{bang}, {{{}}}", base.name, names.join(","));
                self.insn.address = Some(Address { base, index: None, mode });
                self.insn.regs = list;
                text
            }
            Shape::Label => format!(" {}", self.target()?),
            Shape::RegLabel => {
                let rn = self.register()?;
                self.s.expect(',')?;
                let text = format!(" {},{}", rn.name, self.target()?);
                self.insn.regs = vec![rn];
                text
            }
            Shape::Reg => {
                let rn = self.register()?;
                let text = format!(" {}", rn.name);
                self.insn.regs = vec![rn];
                text
            }
            Shape::Option => {
                let option = self.option()?;
                if let Kind::Fence(name) = self.insn.found.entry.kind {
                    self.insn.set = format!("{name}{}", option.1);
                }
                if option.0 == "SY" { String::new() } else { format!(" {}", option.0) }
            }
        })
    }

    /// A comma, and a number of bits.
    fn bit(&mut self, min: i128, max: i128) -> Result<i128, Diagnostic> {
        self.s.expect(',')?;
        self.s.eat('#');
        let (value, at) = self.s.number("a number of bits")?;
        if value < min || value > max {
            return Err(errors::out_of_range(at, value, errors::range(min, max)));
        }
        Ok(value)
    }

    fn option(&mut self) -> Result<(&'static str, &'static str), Diagnostic> {
        if self.s.at_end() {
            return Ok(table::OPTIONS[0]);
        }
        let (word, at) = self.s.word("a barrier option")?;
        let options: &[_] = if self.insn.found.entry.kind == Kind::InstructionFence {
            &table::OPTIONS[..1]
        } else {
            &table::OPTIONS
        };
        options.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).copied().ok_or_else(|| {
            let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
            errors::bad_operand(at, format!("`{word}` is not a barrier option"), names.join(", "))
        })
    }

    fn target(&mut self) -> Result<String, Diagnostic> {
        let (name, at) = self.s.label("a label")?;
        self.insn.target = label(self.cx, name, at)?;
        Ok(name.to_string())
    }

    fn register(&mut self) -> Result<Named, Diagnostic> {
        let name = if self.s.eat('%') {
            let (name, _) = self.s.word("the name of a symbolic register")?;
            format!("%{name}")
        } else {
            let (word, at) = self.s.word("a register")?;
            let name = canonical(word);
            name.ok_or_else(|| errors::unknown_register("ARM", word, at, REGISTERS))?.to_string()
        };
        Ok(Named { reg: self.cx.regs.intern(&name), name })
    }

    fn next_register(&mut self, first: &Named) -> Result<Named, Diagnostic> {
        let next = REGISTERS[..13].iter().position(|name| *name == first.name).filter(|index| *index < 12);
        match next {
            Some(index) => {
                let name = REGISTERS[index + 1].to_string();
                Ok(Named { reg: self.cx.regs.intern(&name), name })
            }
            None => Err(self.s.unexpected("the second register of the pair")),
        }
    }

    fn list(&mut self) -> Result<Vec<Named>, Diagnostic> {
        self.s.expect('{')?;
        let mut list = vec![self.register()?];
        loop {
            if self.s.eat('-') {
                // A range: the registers between the two, too.
                let mark = self.s.mark();
                let last = self.register()?;
                let index = |name: &str| REGISTERS[..16].iter().position(|known| *known == name);
                let from = list.last().and_then(|first| index(&first.name));
                let (Some(from), Some(to)) = (from, index(&last.name)) else {
                    return Err(errors::bad_operand(
                        self.s.since(mark),
                        "not a range of registers",
                        "its end",
                    ));
                };
                for name in REGISTERS[..16].iter().take(to + 1).skip(from + 1) {
                    list.push(Named { reg: self.cx.regs.intern(name), name: name.to_string() });
                }
            }
            if !self.s.eat(',') {
                break;
            }
            list.push(self.register()?);
        }
        self.s.expect('}')?;
        Ok(list)
    }

    /// `#n`, `n`, a register, a shifted register.
    fn operand(&mut self) -> Result<Operand, Diagnostic> {
        if matches!(self.s.peek(), Some(Token::Word(_) | Token::Punct('%'))) {
            let reg = self.register()?;
            let shift = self.shift()?;
            return Ok(Operand::Reg(reg, shift));
        }
        self.immediate().map(Operand::Imm)
    }

    fn immediate(&mut self) -> Result<i128, Diagnostic> {
        self.s.eat('#');
        let (value, at) = self.s.number("a register or a number")?;
        if !(-(1 << 31)..1 << 32).contains(&value) {
            return Err(errors::out_of_range(at, value, "32 bits"));
        }
        Ok(value)
    }

    /// `,LSL #k` and the like, if it is there.
    fn shift(&mut self) -> Result<Option<Shift>, Diagnostic> {
        let mut ahead = self.s;
        if !ahead.eat(',') {
            return Ok(None);
        }
        let Some(Token::Word(word)) = ahead.next() else { return Ok(None) };
        let op = match word.to_ascii_uppercase().as_str() {
            "LSL" => Some(BinOp::Shl),
            "LSR" => Some(BinOp::Lsr),
            "ASR" => Some(BinOp::Asr),
            "ROR" => None,
            _ => return Ok(None),
        };
        self.s = ahead;
        let amount = if matches!(self.s.peek(), Some(Token::Word(_) | Token::Punct('%'))) {
            Operand::Reg(self.register()?, None)
        } else {
            Operand::Imm(self.immediate()?)
        };
        Ok(Some(Shift { op, amount: Box::new(amount) }))
    }

    /// `[Rn]`, and with an index if `indexed`; a bare register stands for `[Rn]`. Gives it as text.
    fn address(&mut self, indexed: bool, comma: &str) -> Result<String, Diagnostic> {
        if !self.s.eat('[') {
            if !matches!(self.s.peek(), Some(Token::Word(_) | Token::Punct('%'))) {
                return Err(self.s.unexpected("an address `[register]`"));
            }
            let base = self.register()?;
            let text = format!("[{}]", base.name);
            self.insn.address = Some(Address { base, index: None, mode: Mode::Offset });
            return Ok(text);
        }
        let base = self.register()?;
        let index = if indexed && self.s.eat(',') { Some(self.operand()?) } else { None };
        self.s.expect(']')?;
        let mut text = format!("[{}", base.name);
        let zero = index == Some(Operand::Imm(0));
        let index = if zero { None } else { index };
        if let Some(index) = &index {
            text.push_str(&format!("{comma}{}", show(index)));
        }
        text.push(']');
        let mut address = Address { base, index, mode: Mode::Offset };
        if indexed && self.s.eat('!') {
            address.mode = Mode::Pre;
            text.push('!');
        } else if indexed && address.index.is_none() && self.s.eat(',') {
            address.mode = Mode::Post;
            let index = self.operand()?;
            text.push_str(&format!(",{}", show(&index)));
            address.index = Some(index);
        }
        self.insn.address = Some(address);
        Ok(text)
    }
}

fn show(operand: &Operand) -> String {
    match operand {
        Operand::Imm(n) => format!("#{n}"),
        Operand::Reg(reg, None) => reg.name.clone(),
        Operand::Reg(reg, Some(shift)) => {
            let name = match shift.op {
                Some(BinOp::Shl) => "lsl",
                Some(BinOp::Lsr) => "lsr",
                Some(_) => "asr",
                None => "ror",
            };
            format!("{},{name} {}", reg.name, show(&shift.amount))
        }
    }
}
