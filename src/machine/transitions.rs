//! Automata whose transitions are one step each: a guard, and effects.

use super::objects::written;
use super::state::{Local, Memory, Where};
use super::step::{Effect, Machine, Way};
use super::{AtomicRule, Buffers};
use crate::diag::Diagnostic;
use crate::program::Value;

/// A transition of a process.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// All of these hold.
    pub guard: Vec<Expr>,
    /// Done one after the other.
    pub effects: Vec<Assign>,
    /// The state it leads to.
    pub to: usize,
    /// The instruction of the program that stands for it.
    pub instruction: usize,
}

/// An assignment.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    pub to: Place,
    pub value: Expr,
    /// The variable holds 8 bits, not 16 with a sign.
    pub byte: bool,
}

/// A variable, or an element of an array.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A variable of the process, not a shared one.
    pub own: bool,
    /// Its slot or cell; the first of an array.
    pub base: u16,
    pub len: u16,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(i128),
    /// One of some constants.
    Constants(Vec<i128>, Box<Expr>),
    Read(Place),
    /// A process is in a state.
    At(usize, usize),
    /// A variable of another process.
    Other(usize, Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Minus,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Imply,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Binary {
    /// By its sign.
    pub fn of(sign: &str) -> Binary {
        match sign {
            "imply" => Binary::Imply,
            "||" => Binary::Or,
            "&&" => Binary::And,
            "|" => Binary::BitOr,
            "^" => Binary::BitXor,
            "&" => Binary::BitAnd,
            "==" => Binary::Eq,
            "!=" => Binary::Ne,
            "<" => Binary::Lt,
            "<=" => Binary::Le,
            ">" => Binary::Gt,
            ">=" => Binary::Ge,
            "<<" => Binary::Shl,
            ">>" => Binary::Shr,
            "+" => Binary::Add,
            "-" => Binary::Sub,
            "*" => Binary::Mul,
            "/" => Binary::Div,
            _ => Binary::Rem,
        }
    }
}

/// What a leaf of an expression is.
pub(super) enum Leaf<'e> {
    Read(&'e Place),
    At(usize, usize),
    Other(usize, &'e Place),
}

/// The value of an expression. `None`: it has none (division by 0, an element that is not there), or `leaf` knows none.
pub(super) fn evaluate(
    expr: &Expr,
    leaf: &mut dyn FnMut(Leaf, Option<usize>) -> Option<i128>,
) -> Option<i128> {
    let element =
        |place: &Place, leaf: &mut dyn FnMut(Leaf, Option<usize>) -> Option<i128>| match &place.index {
            None => Some(None),
            Some(index) => {
                let index = usize::try_from(evaluate(index, leaf)?).ok()?;
                (index < usize::from(place.len)).then_some(Some(index))
            }
        };
    Some(match expr {
        Expr::Number(n) => *n,
        Expr::Constants(values, index) => *values.get(usize::try_from(evaluate(index, leaf)?).ok()?)?,
        Expr::Read(place) => {
            let index = element(place, leaf)?;
            leaf(Leaf::Read(place), index)?
        }
        Expr::At(process, state) => leaf(Leaf::At(*process, *state), None)?,
        Expr::Other(process, place) => {
            let index = element(place, leaf)?;
            leaf(Leaf::Other(*process, place), index)?
        }
        Expr::Unary(op, a) => {
            let a = evaluate(a, leaf)?;
            match op {
                Unary::Not => i128::from(a == 0),
                Unary::Minus => -a,
                Unary::Complement => !a,
            }
        }
        Expr::Binary(op, a, b) => {
            let a = evaluate(a, leaf)?;
            // What is decided by its left side does not look at the right one.
            match (op, a) {
                (Binary::And, 0) => return Some(0),
                (Binary::Or, n) if n != 0 => return Some(1),
                (Binary::Imply, 0) => return Some(1),
                _ => {}
            }
            let b = evaluate(b, leaf)?;
            match op {
                Binary::Imply | Binary::Or | Binary::And => i128::from(b != 0),
                Binary::BitOr => a | b,
                Binary::BitXor => a ^ b,
                Binary::BitAnd => a & b,
                Binary::Eq => i128::from(a == b),
                Binary::Ne => i128::from(a != b),
                Binary::Lt => i128::from(a < b),
                Binary::Le => i128::from(a <= b),
                Binary::Gt => i128::from(a > b),
                Binary::Ge => i128::from(a >= b),
                Binary::Shl => a.checked_shl(u32::try_from(b).ok()?)?,
                Binary::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
                Binary::Add => a.checked_add(b)?,
                Binary::Sub => a.checked_sub(b)?,
                Binary::Mul => a.checked_mul(b)?,
                Binary::Div => a.checked_div(b)?,
                Binary::Rem => a.checked_rem(b)?,
            }
        }
    })
}

impl Expr {
    /// Does it look at anything that other processes can change?
    pub fn is_shared(&self) -> bool {
        match self {
            Expr::Number(_) => false,
            Expr::Constants(_, index) => index.is_shared(),
            Expr::Read(place) => !place.own || place.index.as_ref().is_some_and(|index| index.is_shared()),
            Expr::At(..) | Expr::Other(..) => true,
            Expr::Unary(_, a) => a.is_shared(),
            Expr::Binary(_, a, b) => a.is_shared() || b.is_shared(),
        }
    }

    /// Does it look at another process?
    pub fn looks_at_others(&self) -> bool {
        match self {
            Expr::Number(_) => false,
            Expr::Constants(_, index) => index.looks_at_others(),
            Expr::Read(place) => place.index.as_ref().is_some_and(|index| index.looks_at_others()),
            Expr::At(..) | Expr::Other(..) => true,
            Expr::Unary(_, a) => a.looks_at_others(),
            Expr::Binary(_, a, b) => a.looks_at_others() || b.looks_at_others(),
        }
    }
}

impl Transition {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let indices = self.effects.iter().filter_map(|effect| effect.to.index.as_deref());
        self.guard.iter().chain(self.effects.iter().map(|effect| &effect.value)).chain(indices)
    }

    /// Does it look at another process?
    pub fn looks_at_others(&self) -> bool {
        self.expressions().any(Expr::looks_at_others)
    }

    /// Does it look at shared variables or other processes?
    pub fn is_shared(&self) -> bool {
        self.expressions().any(Expr::is_shared)
    }
}

/// A shared variable as a process sees it: its own last write that waits, or the memory.
pub(super) fn seen(local: &Local, memory: &Memory, cell: u16) -> (Value, bool) {
    match local.pending.iter().rev().find(|write| write.cell == cell) {
        Some(write) => (write.value, true),
        None => (super::objects::read(memory, cell), false),
    }
}

impl Machine<'_> {
    /// The transitions of a process that are enabled. `true`: a write has to wait for a free place.
    pub(super) fn transitions(
        &self,
        row: &[u32],
        thread: usize,
        list: &[Transition],
        ways: &mut Vec<Way>,
    ) -> Result<bool, Diagnostic> {
        let start = self.parts.local(row, thread);
        let mut waited = false;
        for transition in list {
            let mut local = start.clone();
            let mut memory = self.parts.memory(row).clone();
            let mut effects: Vec<Effect> = Vec::new();
            let fault = |what: &str| {
                let message = format!("{what}: division by zero, or an element that is not there");
                let span = self.span(thread, transition.instruction);
                let diagnostic = Diagnostic::error("dve::value", message);
                span.map_or(diagnostic.clone(), |span| diagnostic.at(span, "in this transition"))
            };
            let mut enabled = true;
            for guard in &transition.guard {
                let value = self.value(row, guard, &local, &memory, &mut effects);
                enabled &= value.ok_or_else(|| fault("a guard has no value"))? != 0;
                if !enabled {
                    break;
                }
            }
            if !enabled {
                continue;
            }
            // What is written before an atomic write in one transition is there when it is.
            let cells = transition.effects.iter().map(|effect| match effect.to.own {
                true => Ok(None),
                false => {
                    let index = effect
                        .to
                        .index
                        .as_ref()
                        .map_or(Some(0), |index| self.value(row, index, start, &memory, &mut Vec::new()));
                    let index = index.filter(|index| (0..i128::from(effect.to.len)).contains(index));
                    index.map(|index| Some(effect.to.base + index as u16)).ok_or_else(|| fault("an index"))
                }
            });
            let cells = cells.collect::<Result<Vec<Option<u16>>, Diagnostic>>()?;
            let atomic = |cell: &Option<u16>| {
                cell.is_some_and(|cell| self.is_atomic(thread, transition.instruction, cell))
            };
            let last = cells.iter().rposition(atomic);
            let buffered = self.options.buffers != Buffers::None;
            if buffered && last.is_some() {
                let empty = |of: usize| self.parts.local(row, of).pending.is_empty();
                let nothing_waits = match self.options.atomic_rule {
                    AtomicRule::Own => empty(thread),
                    AtomicRule::Global => (0..self.n_threads()).all(empty),
                };
                if !nothing_waits {
                    continue;
                }
            }
            for (number, effect) in transition.effects.iter().enumerate() {
                let value = self.value(row, &effect.value, &local, &memory, &mut effects);
                let value = value.ok_or_else(|| fault("an effect has no value"))?;
                let value = Value::Int(if effect.byte { value & 0xff } else { i128::from(value as i16) });
                let index = effect
                    .to
                    .index
                    .as_ref()
                    .map_or(Some(0), |index| self.value(row, index, &local, &memory, &mut Vec::new()));
                let index = index.filter(|index| (0..i128::from(effect.to.len)).contains(index));
                let place = effect.to.base + index.ok_or_else(|| fault("an index"))? as u16;
                if effect.to.own {
                    local.slots[usize::from(place)] = value;
                } else if !buffered || last.is_some_and(|last| number <= last) {
                    memory = written(&memory, place, value);
                    effects.push(Effect::Write { cell: place.into(), value });
                } else if local.pending.iter().filter(|write| write.cell == place).count()
                    < self.options.buffer
                {
                    local.push(place, value);
                    effects.push(Effect::Buffer { cell: place.into(), value });
                } else {
                    enabled = false;
                }
            }
            if !enabled {
                waited = true;
                continue;
            }
            local.at = Where::At(transition.to as u32);
            let changed = memory != *self.parts.memory(row);
            let effect = match effects.len() {
                0 => Effect::Local,
                1 => effects.remove(0),
                _ => Effect::Several(effects),
            };
            let memory = changed.then_some(memory);
            ways.push(Way { local, memory, other: None, effect, transition: Some(transition.instruction) });
        }
        Ok(waited)
    }

    /// The value of an expression of a process; what it reads is noted.
    fn value(
        &self,
        row: &[u32],
        expr: &Expr,
        local: &Local,
        memory: &Memory,
        effects: &mut Vec<Effect>,
    ) -> Option<i128> {
        let number = |value: Value| value.as_int();
        evaluate(expr, &mut |leaf, index| {
            let at = |place: &Place| place.base + index.unwrap_or(0) as u16;
            match leaf {
                Leaf::Read(place) if place.own => number(local.slots[usize::from(at(place))]),
                Leaf::Read(place) => {
                    let cell = at(place);
                    let (value, own) = seen(local, memory, cell);
                    effects.push(Effect::Read { cell: cell.into(), value, own });
                    number(value)
                }
                Leaf::At(process, state) => {
                    let there = self.parts.local(row, process).at == Where::At(state as u32);
                    Some(i128::from(there))
                }
                Leaf::Other(process, place) if place.own => {
                    number(self.parts.local(row, process).slots[usize::from(at(place))])
                }
                Leaf::Other(_, place) => number(seen(local, memory, at(place)).0),
            }
        })
    }
}
