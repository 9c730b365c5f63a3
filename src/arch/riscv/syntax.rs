//! Mnemonics with their suffixes, and operands.

use super::table::{Entry, Form, Imm, TABLE, Width};
use super::{NAME, register_number};
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::Reg;
use crate::source::Span;

/// Order suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// None.
    Relaxed,
    /// `.aq`.
    Acquire,
    /// `.rl`.
    Release,
    /// `.aq.rl`, also written `.aqrl`.
    AcquireRelease,
}

impl Order {
    /// How herd7 prints it.
    pub fn suffix(self) -> &'static str {
        match self {
            Order::Relaxed => "",
            Order::Acquire => ".aq",
            Order::Release => ".rl",
            Order::AcquireRelease => ".aqrl",
        }
    }
}

/// A mnemonic taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Mnemonic {
    /// Its entry.
    pub entry: &'static Entry,
    /// Size suffix in bytes, 0 if the form has none.
    pub bytes: u8,
    /// Order suffix that has an effect.
    pub order: Order,
}

/// A register operand; `x0` is not a register of the program: it reads as 0, and writes to it vanish.
#[derive(Clone, Debug)]
pub struct Gpr {
    /// None for `x0`.
    pub reg: Option<Reg>,
    /// Canonical name.
    pub name: String,
}

/// The operands of one instruction, by role.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// Registers, in the order of the text (the address register last).
    pub regs: Vec<Gpr>,
    /// Immediate or offset.
    pub imm: i128,
    /// Branch target, or what `la` names.
    pub label: Option<(String, Span)>,
    /// Predecessor and successor sets of a fence: reads, writes.
    pub fence: Option<[(bool, bool); 2]>,
    /// Canonical text of all of them.
    pub text: String,
}

/// Takes the mnemonic at the start of a cell apart.
pub fn mnemonic(scanner: &mut Scanner) -> Result<Mnemonic, Diagnostic> {
    let (word, span) = scanner.word("an instruction")?;
    let lower = word.to_ascii_lowercase();
    let name = if word.chars().any(|c| c.is_ascii_lowercase()) { word } else { lower.as_str() };
    if let Some(entry) = find(name, false) {
        return Ok(Mnemonic { entry, bytes: 0, order: Order::Relaxed });
    }
    let (sized, order) = split_order(name);
    let unknown = || unknown(word, span, order);
    if let Some(entry) = find(sized, false) {
        let legal = match entry.form {
            Form::Load { .. } => matches!(order, Order::Acquire | Order::AcquireRelease),
            Form::Store { .. } => matches!(order, Order::Release | Order::AcquireRelease),
            _ => return Err(unknown()),
        };
        if !legal {
            let fit = if matches!(entry.form, Form::Load { .. }) { ".aq" } else { ".rl" };
            let message = format!("`{sized}` cannot be `{}`", order.suffix());
            let help = format!("`{sized}` takes the order suffixes `{fit}` and `.aq.rl`");
            return Err(errors::bad_operand(span, message, "order that this access cannot have").help(help));
        }
        return Ok(Mnemonic { entry, bytes: 0, order });
    }
    let Some((base, size)) = sized.rsplit_once('.') else { return Err(unknown()) };
    let Some(entry) = find(base, true) else { return Err(unknown()) };
    let bytes = match (size, entry.form) {
        ("b", Form::Atomic(_)) => 1,
        ("h", Form::Atomic(_)) => 2,
        ("w", _) => 4,
        ("d", _) => 8,
        ("q", Form::Atomic(super::table::Amo::Cas)) => {
            return Err(errors::unsupported(word, "accesses of 128 bits", span));
        }
        _ => return Err(unknown()),
    };
    // The manual gives `lr.rl` and `sc.aq` no more ordering than the plain forms.
    let order = match (entry.form, order) {
        (Form::LoadReserve, Order::Release) | (Form::StoreConditional, Order::Acquire) => Order::Relaxed,
        _ => order,
    };
    Ok(Mnemonic { entry, bytes, order })
}

/// Suggestions carry the size and order suffixes that were written.
fn unknown(word: &str, span: Span, order: Order) -> Diagnostic {
    let size = split_order(word).0.rsplit_once('.').map_or("w", |(_, size)| size);
    let known: Vec<String> = TABLE
        .iter()
        .map(|entry| match entry.form {
            Form::LoadReserve | Form::StoreConditional | Form::Atomic(_) => {
                format!("{}.{size}{}", entry.name, order.suffix())
            }
            Form::Load { .. } | Form::Store { .. } => format!("{}{}", entry.name, order.suffix()),
            _ => entry.name.to_string(),
        })
        .collect();
    errors::unknown_instruction(NAME, word, span, known.iter().map(String::as_str))
}

fn find(name: &str, sized: bool) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| {
        let takes_size = matches!(entry.form, Form::LoadReserve | Form::StoreConditional | Form::Atomic(_));
        entry.name == name && takes_size == sized
    })
}

fn split_order(name: &str) -> (&str, Order) {
    let suffixes = [
        (".aq.rl", Order::AcquireRelease),
        (".aqrl", Order::AcquireRelease),
        (".aq", Order::Acquire),
        (".rl", Order::Release),
    ];
    for (suffix, order) in suffixes {
        if let Some(base) = name.strip_suffix(suffix) {
            return (base, order);
        }
    }
    (name, Order::Relaxed)
}

/// Reads the operands of a form up to the end of the cell.
pub fn operands(scanner: &mut Scanner, cx: &mut ColumnCx, form: Form) -> Result<Operands, Diagnostic> {
    let mut reader = Reader { scanner, cx, out: Operands::default() };
    reader.form(form)?;
    let Reader { scanner, mut out, .. } = reader;
    scanner.end()?;
    if out.text.is_empty() && !out.regs.is_empty() {
        out.text = joined(&out.regs);
    }
    Ok(out)
}

fn joined(regs: &[Gpr]) -> String {
    regs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join(",")
}

struct Reader<'r, 's, 'c> {
    scanner: &'r mut Scanner<'s>,
    cx: &'r mut ColumnCx<'c>,
    out: Operands,
}

impl Reader<'_, '_, '_> {
    fn form(&mut self, form: Form) -> Result<(), Diagnostic> {
        match form {
            Form::Rrr(..) | Form::RrrSwapped(..) => self.regs(3),
            Form::Rr(_) => self.regs(2),
            Form::Rri(_, width, imm) => {
                self.regs(2)?;
                self.comma()?;
                let range = match (imm, width) {
                    (Imm::Signed12, _) => (-2048, 2047),
                    (Imm::Shift, Width::X) => (0, 63),
                    (Imm::Shift, Width::W) => (0, 31),
                };
                self.immediate(range)?;
                self.out.text = format!("{},{}", joined(&self.out.regs), self.out.imm);
                Ok(())
            }
            Form::Li | Form::Lui => {
                self.regs(1)?;
                self.comma()?;
                let range = match form {
                    Form::Lui => (-(1 << 19), (1 << 20) - 1),
                    _ => (i128::from(i64::MIN), i128::from(u64::MAX)),
                };
                self.immediate(range)?;
                self.out.text = format!("{},{}", joined(&self.out.regs), self.out.imm);
                Ok(())
            }
            Form::Load { .. } | Form::Store { .. } => {
                self.regs(1)?;
                self.comma()?;
                self.address((-2048, 2047))?;
                let regs = &self.out.regs;
                self.out.text = format!("{},{}({})", regs[0].name, self.out.imm, regs[1].name);
                Ok(())
            }
            Form::LoadReserve | Form::StoreConditional | Form::Atomic(_) => {
                self.regs(if form == Form::LoadReserve { 1 } else { 2 })?;
                self.comma()?;
                self.address((0, 0))?;
                let offset = if matches!(form, Form::Atomic(_)) { "" } else { "0" };
                let (address, others) = self.out.regs.split_last().expect("at least two registers were read");
                self.out.text = format!("{},{offset}({})", joined(others), address.name);
                Ok(())
            }
            Form::La => {
                self.regs(1)?;
                self.comma()?;
                self.label("a global or a label")
            }
            Form::Branch(_) | Form::BranchSwapped(_) => {
                self.regs(2)?;
                self.comma()?;
                self.label("a label")
            }
            Form::BranchZero(_) | Form::BranchZeroSwapped(_) => {
                self.regs(1)?;
                self.comma()?;
                self.label("a label")
            }
            Form::Jump => self.label("a label"),
            Form::JumpLink => {
                let mut ahead = *self.scanner;
                ahead.next();
                if ahead.peek() == Some(Token::Punct(',')) {
                    self.regs(1)?;
                    self.comma()?;
                }
                self.label("a label")
            }
            Form::JumpReg => self.regs(1),
            Form::JumpLinkReg => self.jump_link_register(),
            Form::Fence => self.fence(),
            Form::FenceNamed(_) | Form::Ret | Form::Nop => Ok(()),
            Form::Unsupported(_) => Ok(()),
        }
    }

    fn regs(&mut self, n: usize) -> Result<(), Diagnostic> {
        for index in 0..n {
            if index > 0 {
                self.comma()?;
            }
            let reg = self.register()?;
            self.out.regs.push(reg);
        }
        Ok(())
    }

    fn comma(&mut self) -> Result<(), Diagnostic> {
        self.scanner.expect(',')
    }

    fn register(&mut self) -> Result<Gpr, Diagnostic> {
        if self.scanner.eat('%') {
            let (word, _) = self.scanner.word("the name of a symbolic register")?;
            let name = format!("%{word}");
            return Ok(Gpr { reg: Some(self.cx.regs.intern(&name)), name });
        }
        let (word, span) = self.scanner.word("a register")?;
        match register_number(word) {
            Some(0) => Ok(Gpr { reg: None, name: "x0".into() }),
            Some(number) => {
                // An `x` name is the canonical one.
                let name = if word.starts_with('x') { word.to_string() } else { format!("x{number}") };
                Ok(Gpr { reg: Some(self.cx.regs.intern(&name)), name })
            }
            None => Err(errors::unknown_register(NAME, word, span, super::register_names())),
        }
    }

    fn immediate(&mut self, (min, max): (i128, i128)) -> Result<(), Diagnostic> {
        let (value, span) = self.scanner.number("an immediate")?;
        if value < min || value > max {
            return Err(errors::out_of_range(span, value, errors::range(min, max)));
        }
        self.out.imm = value;
        Ok(())
    }

    /// `offset(reg)` or `(reg)`.
    fn address(&mut self, range: (i128, i128)) -> Result<(), Diagnostic> {
        if self.scanner.peek() != Some(Token::Punct('(')) {
            self.immediate(range)?;
        }
        self.scanner.expect('(')?;
        self.regs(1)?;
        self.scanner.expect(')')
    }

    fn label(&mut self, wanted: &str) -> Result<(), Diagnostic> {
        let (word, span) = self.scanner.label(wanted)?;
        self.out.label = Some((word.to_string(), span));
        let comma = if self.out.regs.is_empty() { "" } else { "," };
        self.out.text = format!("{}{comma}{word}", joined(&self.out.regs));
        Ok(())
    }

    fn jump_link_register(&mut self) -> Result<(), Diagnostic> {
        self.regs(1)?;
        if self.scanner.eat(',') {
            if matches!(self.scanner.peek(), Some(Token::Word(_) | Token::Punct('%'))) {
                self.regs(1)?;
                if self.scanner.eat(',') {
                    self.immediate((0, 0))?;
                }
            } else {
                self.address((0, 0))?;
            }
        }
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Diagnostic> {
        let both = (true, true);
        if self.scanner.at_end() {
            self.out.fence = Some([both, both]);
            self.out.text = "rw,rw".into();
            return Ok(());
        }
        let before = self.accesses()?;
        self.comma()?;
        let after = self.accesses()?;
        self.out.fence = Some([before.0, after.0]);
        self.out.text = format!("{},{}", before.1, after.1);
        Ok(())
    }

    /// Some of `iorw`, in that order. Device accesses do not exist in litmus tests: `i` and `o` only show in the text.
    fn accesses(&mut self) -> Result<((bool, bool), String), Diagnostic> {
        let (word, span) = self.scanner.word("accesses to order, such as `rw`")?;
        let mut letters = "iorw".chars();
        if word.is_empty() || !word.chars().all(|c| letters.any(|letter| letter == c)) {
            let message = format!("`{word}` does not say what a fence orders");
            return Err(errors::bad_operand(span, message, "expected letters of `iorw`, in that order"));
        }
        Ok(((word.contains('r'), word.contains('w')), word.to_string()))
    }
}
