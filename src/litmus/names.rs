//! What the names of a test stand for: symbols, cells, registers, labels.

use crate::arch::Isa;
use crate::arch::extensions::Extensions;
use crate::condition::Observable;
use crate::diag::{Diagnostic, nearest};
use crate::program::{Location, Program, Reg, Space, Sym, Type, Value, wrap};
use crate::source::Span;

use super::ast::{Const, Loc};
use super::lower_c::{local_cell, local_of};

/// Names resolved against a program that is being put together.
pub struct Names<'a> {
    /// The instruction set; none for C.
    pub isa: Option<&'static dyn Isa>,
    /// The program so far.
    pub program: &'a mut Program,
    /// Symbols declared as arrays, with their number of elements.
    pub arrays: Vec<(Sym, u64)>,
    /// What each thread's machine has.
    pub extensions: &'a [Extensions],
}

/// What a location of the final part stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// One cell or register.
    One(Observable),
    /// All cells of an array.
    Array(Sym, Vec<Observable>),
}

impl Names<'_> {
    /// The symbol of that name, new or old.
    pub fn symbol(&mut self, name: &str) -> Sym {
        intern(&mut self.program.symbols, name)
    }

    /// The symbol of that name, if there is one.
    pub fn find_symbol(&self, name: &str) -> Option<Sym> {
        self.program.symbols.iter().position(|s| s == name).map(|index| Sym(index as u16))
    }

    /// Is a local of a thread kept in memory?
    fn has_local(&self, thread: usize, name: &str) -> bool {
        let symbols = self.program.symbols.iter();
        // Most names are not even long enough.
        symbols.filter(|symbol| symbol.len() > name.len() && symbol.ends_with(name)).any(|symbol| {
            local_of(symbol).is_some_and(|(of, local)| (usize::from(of), local) == (thread, name))
        })
    }

    /// The elements of an array.
    pub fn array_len(&self, sym: Sym) -> Option<u64> {
        self.arrays.iter().find(|(array, _)| *array == sym).map(|(_, len)| *len)
    }

    /// A register of a thread, by any of its names.
    pub fn register(&mut self, thread: usize, name: &str, span: Span) -> Result<Reg, Diagnostic> {
        if thread >= self.program.threads.len() {
            let n_threads = self.program.threads.len();
            return Err(Diagnostic::error("litmus::unknown-thread", format!("there is no thread P{thread}"))
                .at(
                    span,
                    format!("the test has {n_threads} thread{}", if n_threads == 1 { "" } else { "s" }),
                ));
        }
        let canonical = match self.isa {
            Some(_) if name.starts_with('%') => Some(name.to_string()),
            Some(isa) => isa.register(name),
            None => Some(name.to_string()),
        };
        match canonical {
            Some(name) => Ok(self.program.regs.intern(&name)),
            None => Err(self.unknown_register(name, span)),
        }
    }

    fn unknown_register(&self, name: &str, span: Span) -> Diagnostic {
        let arch = self.program.conventions.arch;
        let error =
            Diagnostic::error("litmus::unknown-register", format!("`{name}` is not a register of {arch}"))
                .at(span, "no such register");
        match self.isa.and_then(|isa| near_register(isa, name)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    /// A number, kept as the architecture keeps it.
    pub fn int(&self, value: i128, text: &str, span: Span) -> Result<Value, Diagnostic> {
        let bits = self.program.bits;
        if bits < 127 && !(-(1i128 << (bits - 1))..1i128 << bits).contains(&value) {
            let message =
                format!("`{text}` does not fit the {bits}-bit values of {}", self.program.conventions.arch);
            return Err(Diagnostic::error("litmus::out-of-range", message).at(span, "too large"));
        }
        Ok(Value::Int(wrap(value, bits)))
    }

    /// A value. Unknown globals become symbols.
    pub fn value(&mut self, value: &Const, span: Span) -> Result<Value, Diagnostic> {
        self.value_for(value, None, span)
    }

    /// Likewise. `own`: the symbol whose page table entry is meant, where an entry does not say it.
    pub fn value_for(&mut self, value: &Const, own: Option<Sym>, span: Span) -> Result<Value, Diagnostic> {
        match value {
            Const::Int { text, value } => self.int(*value, text, span),
            Const::Global(name) => Ok(Value::addr(self.symbol(name))),
            Const::Element(name, index) => {
                let sym = self.symbol(name);
                let bytes = self.element_bytes(sym);
                Ok(Value::Addr { sym, offset: *index as i64 * bytes })
            }
            Const::Label { thread, name } => self.label(*thread, name, span),
            Const::Special(text) => match (instruction_text(text), self.isa) {
                (Some(text), Some(isa)) => super::code::value(isa, self.program, text, span, self.extensions),
                _ => self.special_value(text, own, span),
            },
        }
    }

    fn element_bytes(&self, sym: Sym) -> i64 {
        self.program
            .locations
            .iter()
            .find(|l| l.sym == sym && l.space == Space::Data)
            .map_or(4, |l| i64::from(l.ty.bytes))
    }

    fn label(&self, thread: usize, name: &str, span: Span) -> Result<Value, Diagnostic> {
        let labels = self.program.threads.get(thread).map_or(&[][..], |t| &t.labels);
        if let Some((_, pc)) = labels.iter().find(|(label, _)| label == name) {
            return Ok(Value::Code { thread: thread as u16, pc: *pc as u16 });
        }
        let error =
            Diagnostic::error("litmus::unknown-label", format!("label `{name}` is not defined on P{thread}"))
                .at(span, "no such label");
        Err(match nearest(name, labels.iter().map(|(label, _)| label.as_str())) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    /// A location of the final part. `known_only`: a name that neither the initial state nor the code has is refused.
    pub fn place(&mut self, loc: &Loc, span: Span, known_only: bool) -> Result<Place, Diagnostic> {
        match loc {
            Loc::Reg { thread, name } if self.has_local(*thread, name) => {
                self.place(&Loc::Global(local_cell(*thread, name)), span, known_only)
            }
            Loc::Reg { thread, name } => {
                let reg = self.register(*thread, name, span)?;
                Ok(Place::One(Observable::Reg(*thread as u16, reg)))
            }
            Loc::Global(name) => {
                let sym = self.known_symbol(name, span, known_only)?;
                let cells = self.cells(sym);
                Ok(match (self.array_len(sym), cells.first()) {
                    (None, Some(cell)) => Place::One(*cell),
                    _ => Place::Array(sym, cells),
                })
            }
            Loc::Cell(name, index) => {
                let sym = self.known_symbol(name, span, known_only)?;
                let cells = self.cells(sym);
                match cells.get(*index as usize) {
                    Some(cell) if self.array_len(sym).is_some() => Ok(Place::One(*cell)),
                    _ => {
                        let what = match self.array_len(sym) {
                            Some(len) => format!("`{name}` has {len} elements"),
                            None => format!("`{name}` is not an array"),
                        };
                        Err(Diagnostic::error("litmus::no-such-element", "there is no such element")
                            .at(span, what))
                    }
                }
            }
            Loc::Symbolic(name) => Err(Diagnostic::error(
                "litmus::symbolic-register",
                format!("`%{name}` needs a thread to be observed"),
            )
            .at(span, "which thread's register?")),
            Loc::Special(text) => self.special_place(text, span),
        }
    }

    /// The cells of a symbol, in the order of their offsets; a new symbol gets one.
    fn cells(&mut self, sym: Sym) -> Vec<Observable> {
        if !self.program.locations.iter().any(|l| l.sym == sym && l.space == Space::Data) {
            let name = self.program.symbols[sym.0 as usize].clone();
            self.program.locations.push(Location {
                space: Space::Data,
                name,
                sym,
                offset: 0,
                ty: Type::INT,
                declared: false,
                init: Value::ZERO,
            });
        }
        let cells = self.program.locations.iter().enumerate();
        let cells = cells.filter(|(_, l)| l.sym == sym && l.space == Space::Data);
        cells.map(|(index, _)| Observable::Loc(crate::program::LocId(index as u16))).collect()
    }

    /// A symbol that a condition names.
    pub fn known_symbol(&mut self, name: &str, span: Span, known_only: bool) -> Result<Sym, Diagnostic> {
        if let Some(sym) = self.find_symbol(name) {
            return Ok(sym);
        }
        if !known_only {
            return Ok(self.symbol(name));
        }
        let error = Diagnostic::error(
            "litmus::unknown-location",
            format!("the condition names `{name}`, which the test does not have"),
        )
        .at(span, "neither in the initial state nor in the program");
        let is_register = self.isa.is_some_and(|isa| isa.register(name).is_some())
            || self.isa.is_none() && self.program.regs.find(name).is_some();
        Err(if is_register {
            error.help(format!("a register is written with its thread: `0:{name}`"))
        } else if let Some(near) = nearest(name, self.program.symbols.iter().map(String::as_str)) {
            error.help(format!("did you mean `{near}`?"))
        } else {
            error
        })
    }
}

/// The symbol of that name, new or old.
pub fn intern(symbols: &mut Vec<String>, name: &str) -> Sym {
    let index = symbols.iter().position(|s| s == name).unwrap_or_else(|| {
        symbols.push(name.to_string());
        symbols.len() - 1
    });
    Sym(index as u16)
}

/// The instruction in `NOP` or `instr:"…"`.
fn instruction_text(text: &str) -> Option<&str> {
    match text {
        "NOP" => Some(text),
        _ => text.strip_prefix("instr:\"")?.strip_suffix('"'),
    }
}

/// The complaint about page-table entries, tags and the like.
pub fn special(text: &str, span: Span) -> Diagnostic {
    // `pte_x` is how hashes have it.
    let shown = match (text.strip_prefix("pte_"), text.strip_prefix("phy_")) {
        (Some(name), _) => format!("PTE({name})"),
        (_, Some(name)) => format!("PA({name})"),
        _ => text.to_string(),
    };
    Diagnostic::unsupported("litmus::special-value", format!("`{shown}` is not supported"))
        .at(span, "not a value or place of this machine")
        .help("page tables need the variant `vmsa` (AArch64), tags `memtag`")
}

/// A register one edit away from a name that is none.
fn near_register(isa: &dyn Isa, name: &str) -> Option<String> {
    const LETTERS: &str = "XRWxrwe$0123456789ABCDEFIPSabcdefips";
    let chars: Vec<char> = name.chars().take(8).collect();
    let mut tries: Vec<String> = Vec::new();
    for at in 0..chars.len() {
        let with = |middle: &[char], skip: usize| -> String {
            chars[..at].iter().chain(middle).chain(chars.iter().skip(at + skip)).collect()
        };
        tries.extend(LETTERS.chars().map(|c| with(&[c], 1)));
        tries.push(with(&[], 1));
        if let [a, b] = chars[at..(at + 2).min(chars.len())] {
            tries.push(with(&[b, a], 2));
        }
        tries.extend(LETTERS.chars().map(|c| with(&[c], 0)));
    }
    tries.iter().find_map(|name| isa.register(name))
}
