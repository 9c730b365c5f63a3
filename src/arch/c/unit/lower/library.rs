//! Builtins that headers are made of: locks, sections, bits of numbers.

use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::unit::tree::Expr;
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::fences::full_fence;
use crate::program::threads::{DESTROY, LOCK, UNLOCK};
use crate::program::{Awaited, BinOp, Extra, Op, Port, SetName, print};
use crate::source::Span;

use super::builtin::string_of;
use super::code::Ops;
use super::place::Place;
use super::value::Rv;
use super::{Lowering, Machine, Orders};

/// What a lock holds that was destroyed: nobody can take it.
const DESTROYED: i128 = 2;

impl Lowering<'_> {
    /// A lock is a cell: 0 is free, 1 is taken.
    pub(super) fn lock(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let (address, ty) = self.address(&args[0])?;
        // The first word of what a library may call a lock.
        let ty = if ty.is_scalar() { ty } else { Ty::INT };
        let size = self.access_size(&ty, span)?;
        let with = |mut sets: Vec<SetName>, name: &'static str| {
            sets.push(name.into());
            sets
        };
        if matches!(name, "release" | "destroy") {
            let machine = self.options.orders.machine();
            let access = machine.map(|machine| machine.store(Some(MemoryOrder::Release))).unwrap_or_default();
            self.ordering_fence(span);
            self.named_fence(access.before, span);
            let mut ops = Ops::default();
            let addr = ops.value(&address, Port::Addr);
            let (value, set) = if name == "release" { (0, UNLOCK) } else { (DESTROYED, DESTROY) };
            let value = ops.constant(value);
            let sets = match machine {
                Some(machine) => {
                    let mut sets = super::machine::sets(access.write, Some(MemoryOrder::Release), false);
                    sets.extend(machine.unlock_sets().iter().map(|name| SetName::from(*name)));
                    sets
                }
                None => Mark::Order(MemoryOrder::Release).access_sets(),
            };
            ops.push(Op::Store { addr, value, size, sets: with(sets, set), extra: Extra::default() });
            self.emit(ops, span);
            self.named_fence(access.after, span);
            return Ok(Rv::ZERO);
        }
        let done = self.code.reg(span)?;
        let mut ops = Ops::default();
        let addr = ops.value(&address, Port::Addr);
        let (free, taken) = (ops.constant(0), ops.constant(1));
        let dst = ops.tmp();
        let names: [&[&'static str]; 2] = match self.options.orders {
            Orders::Machine(Machine::Kernel) => [&[LOCK, "LKR"], &[LOCK, "LKW"]],
            _ => [&[LOCK], &[LOCK]],
        };
        let (access, sets) = self.exchanged(MemoryOrder::Acquire, MemoryOrder::Acquire, names);
        self.named_fence(access.before, span);
        let cond = ops.compare_exchange((dst, addr), (free, taken), size, sets);
        ops.write(done, cond);
        match name {
            "acquire" => ops.push(Op::Await { cond, what: Awaited::Library }),
            _ => self.note_write(&mut ops, cond),
        }
        self.emit(ops, span);
        self.named_fence(access.after, span);
        // The functions of the library say 0 where all is well.
        Ok(if name == "acquire" { Rv::ZERO } else { Rv::Reg(done) })
    }

    /// The begin or the end of a part that nothing may come between.
    pub(super) fn section(&mut self, set: &'static str, span: Span) {
        let mut sets = full_fence();
        if matches!(self.options.orders, Orders::Sets | Orders::Dependent) {
            sets.push("SC".into());
        }
        sets.push(set.into());
        self.fence(sets, span);
    }

    /// `printf` and its kind, for traces. Of strings that the program writes down only the text is needed.
    pub(super) fn prints(&mut self, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let format = args.first().and_then(|first| string_of(first, self.unit));
        let rest = if format.is_some() { &args[1..] } else { args };
        let unit = self.unit;
        let string = |n: usize| string_of(&rest[n], unit);
        let format = format.unwrap_or_default();
        // What is shown of a string is read, as far as the format says.
        let strings = print::strings(&format);
        let (format, shown) = print::with_strings(&format, rest.len(), string);
        let mut values = Vec::new();
        let reader = unit.functions.iter().position(|f| f.name == "__printed" && f.body.is_some());
        for (n, arg) in rest.iter().enumerate().filter(|(n, _)| string(*n).is_none()) {
            let mut value = self.expr(arg)?;
            if let (Some(reader), Some(most)) = (reader, strings.get(&n)) {
                value = self.kept(value, span)?;
                self.inline(reader, vec![value.clone(), Rv::int(*most)], span)?;
            }
            if shown.contains(&n) {
                values.push(value);
            }
        }
        let mut ops = Ops::default();
        let args = values.iter().map(|value| ops.value(value, Port::None)).collect();
        ops.push(Op::Print { format: format.into(), args });
        self.emit(ops, span);
        Ok(Rv::ZERO)
    }

    /// `__builtin_add_overflow` and its kind: what an exact number has lost in the object that it is written to.
    pub(super) fn overflows(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let a = self.expr(&args[0])?;
        let a = self.kept(a, span)?;
        let b = self.expr(&args[1])?;
        let op = match name {
            "add_overflow" => BinOp::Add,
            "sub_overflow" => BinOp::Sub,
            _ => BinOp::Mul,
        };
        let exact = self.kept(Rv::binary(op, a, b), span)?;
        let to = self.target(&args[2])?;
        let held = match &to {
            Place::Register(_, ty) | Place::Memory(_, ty, _) => exact.clone().held(ty),
        };
        self.store(&to, held.clone(), Mark::Plain, span)?;
        Ok(Rv::binary(BinOp::Ne, exact, held))
    }

    /// `ffs` and its kind, bit by bit.
    pub(super) fn bits(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let value = self.expr(&args[0])?;
        let value = self.kept(value, span)?;
        let width = 8 * self.size(args[0].ty.plain()) as i128;
        let result = self.code.reg(span)?;
        self.write(result, &Rv::ZERO, span);
        let bit = |n: i128| {
            let shifted = Rv::binary(BinOp::Lsr, value.clone(), Rv::int(n));
            Rv::binary(BinOp::And, shifted, Rv::int(1))
        };
        let width = if name == "clz" { 32 } else { width };
        let order: Vec<i128> =
            if name.starts_with("clz") { (0..width).collect() } else { (0..width).rev().collect() };
        for n in order {
            let found = match name {
                "ffs" => n + 1,
                "ctz" => n,
                _ => width - 1 - n,
            };
            let new = match name {
                "popcount" => Rv::binary(BinOp::Add, Rv::Reg(result), bit(n)),
                // The last bit that is set decides.
                _ => {
                    let difference = Rv::binary(BinOp::Sub, Rv::int(found), Rv::Reg(result));
                    Rv::binary(BinOp::Add, Rv::Reg(result), Rv::binary(BinOp::Mul, bit(n), difference))
                }
            };
            self.write(result, &new, span);
        }
        Ok(Rv::Reg(result))
    }
}
