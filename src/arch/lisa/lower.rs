//! From syntax to canonical text and micro-ops.

use super::syntax::{Address, Atom, Head, Operation, address, atom, label, operation, register};
use super::table::Form;
use super::{BYTES, set_name};
use crate::arch::build::Builder;
use crate::arch::scan::{Scanner, Token};
use crate::arch::{ColumnCx, errors};
use crate::diag::Diagnostic;
use crate::program::{AccessSize, Extra, Op, Port, Reg, SetName, Tmp, Value};

/// Reads the operands of an instruction and translates it.
pub fn lower(head: &Head, scanner: &mut Scanner, cx: &mut ColumnCx) -> Result<(String, Vec<Op>), Diagnostic> {
    let sets: Vec<SetName> = head.annotations.iter().map(|tag| SetName::Owned(set_name(tag))).collect();
    let mut lower = Lower { b: Builder::new(), sets };
    let operands = match head.entry.form {
        Form::Read => {
            let (reg, name) = register(scanner, cx)?;
            let from = address(scanner, cx)?;
            lower.read(reg, &from);
            format!("{name} {from}")
        }
        Form::Write => {
            let to = address(scanner, cx)?;
            let here = scanner.here();
            let value = atom(scanner, cx)?;
            if let Atom::Global(..) = value {
                let message = format!("`{value}` is a global: only registers and numbers can be stored");
                return Err(errors::bad_operand(here, message, "here"));
            }
            lower.write(&to, &value);
            format!("{to} {value}")
        }
        Form::Fence => {
            if scanner.peek() == Some(Token::Punct('{')) {
                return Err(Diagnostic::unsupported(
                    "arch::unsupported-instruction",
                    "fences between sets of labels are not handled",
                )
                .at(scanner.here(), "this set of labels"));
            }
            lower.fence();
            String::new()
        }
        Form::Rmw => {
            let (reg, name) = register(scanner, cx)?;
            let new = operation(scanner, cx)?;
            let at = address(scanner, cx)?;
            lower.rmw(reg, &new, &at);
            format!("{name} {new} {at}")
        }
        Form::Mov => {
            let (reg, name) = register(scanner, cx)?;
            let value = operation(scanner, cx)?;
            lower.mov(reg, &value);
            format!("{name} {value}")
        }
        Form::Branch => {
            let mut ahead = *scanner;
            ahead.next();
            let condition = if ahead.at_end() { None } else { Some(register(scanner, cx)?) };
            let (target, span) = label(scanner)?;
            let Some((_, pc)) = cx.labels.iter().find(|(name, _)| *name == target) else {
                return Err(errors::unknown_label(&target, cx.thread, span, cx.labels));
            };
            match condition {
                Some((reg, name)) => {
                    let value = lower.b.read(reg, Port::None);
                    lower.b.branch_if(value, *pc);
                    format!("{name} {target}")
                }
                None => {
                    lower.b.jump(*pc);
                    target
                }
            }
        }
    };
    scanner.end()?;
    let mut text = head.entry.name.to_string();
    if head.entry.kind.is_some() {
        text = format!("{text}[{}]", head.annotations.join(","));
    }
    if !operands.is_empty() {
        text = format!("{text} {operands}");
    }
    Ok((text, lower.b.finish()))
}

struct Lower {
    b: Builder,
    sets: Vec<SetName>,
}

impl Lower {
    fn atom(&mut self, atom: &Atom, port: Port) -> Tmp {
        match atom {
            Atom::Reg(reg, _) => self.b.read(*reg, port),
            Atom::Global(sym, _) => self.b.value(Value::addr(*sym)),
            Atom::Int(value) => self.b.int(i128::from(*value as i64)),
        }
    }

    fn address(&mut self, address: &Address) -> Tmp {
        let base = self.atom(&address.base, Port::Addr);
        match &address.offset {
            Some(offset) => {
                let offset = self.atom(offset, Port::Addr);
                self.b.binary(crate::program::BinOp::Add, base, offset)
            }
            None => base,
        }
    }

    /// `own`: a register whose value is already there.
    fn operation(&mut self, operation: &Operation, own: Option<(Reg, Tmp)>) -> Tmp {
        let value = |lower: &mut Self, atom: &Atom| match (atom, own) {
            (Atom::Reg(reg, _), Some((known, tmp))) if *reg == known => tmp,
            _ => lower.atom(atom, Port::None),
        };
        match operation {
            Operation::Value(atom) => value(self, atom),
            Operation::Binary(_, op, a, b) => {
                let (a, b) = (value(self, a), value(self, b));
                self.b.binary(*op, a, b)
            }
        }
    }

    fn read(&mut self, reg: Reg, from: &Address) {
        let addr = self.address(from);
        let dst = self.b.tmp();
        let sets = self.sets.clone();
        self.b.push(Op::Load { dst, addr, size: AccessSize(BYTES), sets, extra: Extra::default() });
        self.b.write(reg, dst);
    }

    fn write(&mut self, to: &Address, value: &Atom) {
        let addr = self.address(to);
        let value = self.atom(value, Port::Data);
        let sets = self.sets.clone();
        self.b.push(Op::Store { addr, value, size: AccessSize(BYTES), sets, extra: Extra::default() });
    }

    fn fence(&mut self) {
        let mut sets = self.sets.clone();
        sets.push(SetName::Borrowed("Ftotal"));
        self.b.push(Op::Fence { sets, extra: Extra::default() });
    }

    fn mov(&mut self, reg: Reg, operation: &Operation) {
        let value = self.operation(operation, None);
        self.b.write(reg, value);
    }

    /// Where the operation names the destination it means the value just read; otherwise memory and register are
    /// exchanged, and each write hangs on the read of its own place too.
    fn rmw(&mut self, reg: Reg, new: &Operation, at: &Address) {
        let addr = self.address(at);
        let mut sets = self.sets.clone();
        sets.extend([SetName::Borrowed("X"), SetName::Borrowed("RMW")]);
        let old = self.b.tmp();
        let size = AccessSize(BYTES);
        let load_sets = sets.clone();
        let uses_own = match new {
            Operation::Value(a) => is(a, reg),
            Operation::Binary(_, _, a, b) => is(a, reg) || is(b, reg),
        };
        self.b.push(Op::Load { dst: old, addr, size, sets: load_sets, extra: Extra::default() });
        let value = self.operation(new, uses_own.then_some((reg, old)));
        let (mut store, mut write) = (Extra::default(), Extra::default());
        if uses_own {
            write.data = vec![value];
        } else {
            store.ctrl = vec![old];
            write.ctrl = vec![value];
        }
        self.b.push(Op::Store { addr, value, size, sets, extra: store });
        self.b.push(Op::WriteReg { reg, src: old, extra: write });
    }
}

fn is(atom: &Atom, reg: Reg) -> bool {
    matches!(atom, Atom::Reg(own, _) if *own == reg)
}
