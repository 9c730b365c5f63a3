//! Builtins: atomic accesses, fences, threads, the heap, what programs assume and assert.

use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::unit::tree::{Expr, ExprKind};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::fences::full_fence;
use crate::program::floats::{self, FloatOp};
use crate::program::threads::{PART, SECTION_BEGIN, SECTION_END};
use crate::program::{
    Awaited, BinOp, Content, Extra, Op, Port, Property, SetName, Storage, Tmp, UnOp, Value,
};
use crate::source::Span;

use super::code::{Code, Exchange, Ops};
use super::expr::hold;
use super::machine::{self, Access};
use super::place::Place;
use super::sizes::smaller;
use super::value::Rv;
use super::{Lowering, own_handle};

impl Lowering<'_> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Expr],
        ty: &Ty,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        match name {
            "load" | "load_to" => {
                let order = self.order(args.last(), span)?;
                if matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel) {
                    self.meaningless(order, "a load", span);
                }
                let place = self.object(&args[0])?;
                let value = self.load(&place, Mark::Order(order), span)?;
                if name == "load_to" {
                    self.give_through(&args[1], value, span)?;
                    return Ok(Rv::ZERO);
                }
                self.given(value, ty, span)
            }
            "store" | "store_from" => {
                let order = self.order(args.last(), span)?;
                if matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel) {
                    self.meaningless(order, "a store", span);
                }
                let value = match name {
                    "store" => self.operand(&args[1])?,
                    _ => self.taken(&args[1], span)?,
                };
                let place = self.object(&args[0])?;
                self.store(&place, value, Mark::Order(order), span)?;
                Ok(Rv::ZERO)
            }
            // What is there, if anything was ever written.
            "peek" => {
                let place = self.object(&args[0])?;
                self.lenient = Some(PART);
                let value = self.load(&place, Mark::Plain, span);
                self.lenient = None;
                value
            }
            "init" => {
                let value = self.operand(&args[1])?;
                let place = self.object(&args[0])?;
                self.store(&place, value, Mark::Plain, span)?;
                Ok(Rv::ZERO)
            }
            "clear" | "lock_release" => {
                let order =
                    if name == "clear" { self.order(args.last(), span)? } else { MemoryOrder::Release };
                let place = self.object(&args[0])?;
                self.store(&place, Rv::ZERO, Mark::Order(order), span)?;
                Ok(Rv::ZERO)
            }
            "exchange" | "exchange_from" | "lock_exchange" | "test_and_set" => {
                self.exchange(name, args, ty, span)
            }
            "compare_exchange" | "compare_exchange_from" | "bool_cas" | "val_cas" => {
                self.compare_exchange(name, args, span)
            }
            "thread_fence" => {
                let order = self.order(args.first(), span)?;
                self.c_fence(order, span);
                Ok(Rv::ZERO)
            }
            "synchronize" => {
                self.c_fence(MemoryOrder::SeqCst, span);
                Ok(Rv::ZERO)
            }
            "full_fence" => {
                let mut sets = full_fence();
                sets.push("SC".into());
                self.fence(sets, span);
                Ok(Rv::ZERO)
            }
            "data_race" => {
                let around = std::mem::replace(&mut self.may_race, true);
                let value = self.expr(&args[0]);
                self.may_race = around;
                value
            }
            "kernel_fence" => {
                let name = string_of(&args[0], self.unit).unwrap_or_default();
                let sets: Vec<SetName> = vec![format!("lkmm-{name}").into()];
                match args.get(1) {
                    Some(object) => {
                        let address = self.expr(object)?;
                        self.with_condition(&address, span, |addr| Op::Other {
                            addr: Some(addr),
                            sets,
                            extra: Extra::default(),
                        });
                    }
                    None => self.fence(sets, span),
                }
                Ok(Rv::ZERO)
            }
            "signal_fence" | "nothing" => {
                for arg in args {
                    self.expr(arg)?;
                }
                Ok(Rv::ZERO)
            }
            "print" => self.prints(args, span),
            _ if name.starts_with("fetch_") || name.ends_with("_fetch") => self.fetch(name, args, span),
            _ => self.library(name, args, ty, span),
        }
    }

    /// The object that an atomic access is to. A structure is a number there.
    fn object(&mut self, e: &Expr) -> Result<Place, Diagnostic> {
        let ty = e.ty.target().map_or(Ty::INT, |t| t.plain().clone());
        let ty = if ty == Ty::Void { Ty::BOOL } else { ty };
        let ty = self.as_number(&ty).unwrap_or(ty);
        let address = self.expr(e)?;
        Ok(Place::Memory(address, ty, None))
    }

    /// A value that an atomic access writes or compares with.
    fn operand(&mut self, e: &Expr) -> Result<Rv, Diagnostic> {
        match self.as_number(&e.ty) {
            Some(_) => {
                let from = self.record(e)?;
                self.packed(&from, &e.ty, e.span)
            }
            None => self.expr(e),
        }
    }

    /// Likewise, of the object that an argument points at.
    fn taken(&mut self, pointer: &Expr, span: Span) -> Result<Rv, Diagnostic> {
        let place = self.target(pointer)?;
        match &place {
            Place::Memory(from, ty, _) if self.as_number(ty).is_some() => self.packed(from, ty, span),
            _ => self.load(&place, Mark::Plain, span),
        }
    }

    /// What an atomic access has read, into the object that an argument points at.
    fn give_through(&mut self, pointer: &Expr, value: Rv, span: Span) -> Result<(), Diagnostic> {
        let place = self.target(pointer)?;
        self.give_to(&place, value, span)
    }

    fn give_to(&mut self, place: &Place, value: Rv, span: Span) -> Result<(), Diagnostic> {
        match place {
            Place::Memory(to, ty, _) if self.as_number(ty).is_some() => self.unpack(to, &value, ty, span),
            _ => self.store(place, value, Mark::Plain, span),
        }
    }

    /// What an atomic access has read, as a value of that type.
    pub(super) fn given(&mut self, value: Rv, ty: &Ty, span: Span) -> Result<Rv, Diagnostic> {
        match self.as_number(ty) {
            Some(_) => self.unpacked(&value, ty, span),
            None => Ok(value),
        }
    }

    pub(super) fn address(&mut self, e: &Expr) -> Result<(Rv, Ty), Diagnostic> {
        match self.object(e)? {
            Place::Memory(address, ty, _) => Ok((address, ty)),
            Place::Register(..) => {
                Err(Diagnostic::internal("an atomic access to a register").at(e.span, "here"))
            }
        }
    }

    /// A memory order; without one, sequentially consistent.
    pub(super) fn order(&mut self, e: Option<&Expr>, span: Span) -> Result<MemoryOrder, Diagnostic> {
        let Some(e) = e else { return Ok(MemoryOrder::SeqCst) };
        let value = self.expr(e)?;
        Ok(match value.known().and_then(Value::as_int) {
            Some(0) => MemoryOrder::Relaxed,
            // Consume is acquire, as for every compiler.
            Some(1 | 2) => MemoryOrder::Acquire,
            Some(3) => MemoryOrder::Release,
            Some(4) => MemoryOrder::AcqRel,
            Some(5) => MemoryOrder::SeqCst,
            Some(_) => {
                return Err(
                    Diagnostic::error("c::memory-order", "this is no memory order").at(e.span, "here")
                );
            }
            None => {
                return Err(Diagnostic::unsupported("c::memory-order", "a memory order must be a constant")
                    .at(e.span, "computed here")
                    .at(span, "of this access"));
            }
        })
    }

    /// An order that C has no meaning for there.
    fn meaningless(&mut self, order: MemoryOrder, what: &str, span: Span) {
        let (name, kept) = match order {
            MemoryOrder::Acquire => ("memory_order_acquire", "reads"),
            MemoryOrder::Release => ("memory_order_release", "writes"),
            _ => ("memory_order_acq_rel", "accesses that do both"),
        };
        let message = format!("{what} with `{name}` has no meaning in C: that order is for {kept}");
        let warning = Diagnostic::warning("c::memory-order", message).at(span, "here");
        if !self.program.supposed.contains(&warning) {
            self.program.supposed.push(warning);
        }
    }

    fn c_fence(&mut self, order: MemoryOrder, span: Span) {
        if order == MemoryOrder::Relaxed {
            return;
        }
        let mut sets = Mark::Order(order).fence_sets();
        if let Some(machine) = self.options.orders.machine() {
            sets = machine.fence(order).iter().map(|name| (*name).into()).collect();
            sets.push(order.set().into());
        }
        if self.options.orders == super::Orders::Fences {
            match order {
                MemoryOrder::SeqCst => sets.extend(full_fence()),
                MemoryOrder::Release | MemoryOrder::AcqRel => sets.extend(["SFENCE".into(), "LWSYNC".into()]),
                _ => {}
            }
        }
        self.fence(sets, span);
    }

    fn exchange(&mut self, name: &str, args: &[Expr], gives: &Ty, span: Span) -> Result<Rv, Diagnostic> {
        let order = match name {
            "lock_exchange" => MemoryOrder::Acquire,
            _ => self.order(args.last(), span)?,
        };
        let value = match name {
            "test_and_set" => Rv::int(1),
            "exchange_from" => self.taken(&args[1], span)?,
            _ => self.operand(&args[1])?,
        };
        let (address, ty) = self.address(&args[0])?;
        let (old, _) = self.modify(&address, &ty, order, span, |_, ops| {
            let value = ops.value(&value, Port::Data);
            hold(ops, value, &ty)
        })?;
        if name == "exchange_from" {
            self.give_through(&args[2], old, span)?;
            return Ok(Rv::ZERO);
        }
        self.given(old, gives, span)
    }

    fn fetch(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        // The old forms end in a list of protected objects that nobody gives; the others in a memory order.
        let order = match args.get(2) {
            Some(e) => self.order(Some(e), span)?,
            None => MemoryOrder::SeqCst,
        };
        let operand = self.expr(&args[1])?;
        let (address, ty) = self.address(&args[0])?;
        let signed = ty.as_int().is_none_or(|int| int.signed);
        let bits = ty.as_int().map_or(64, |int| 8 * int.bytes);
        let which = name.trim_start_matches("fetch_").trim_end_matches("_fetch");
        let (old, new) = self.modify(&address, &ty, order, span, |dst, ops| {
            let operand = ops.value(&operand, Port::Data);
            let new = match which {
                "add" => ops.binary(BinOp::Add, dst, operand),
                "sub" => ops.binary(BinOp::Sub, dst, operand),
                "and" => ops.binary(BinOp::And, dst, operand),
                "or" => ops.binary(BinOp::Or, dst, operand),
                "xor" => ops.binary(BinOp::Xor, dst, operand),
                "min" if signed => ops.binary(BinOp::Min, dst, operand),
                "max" if signed => ops.binary(BinOp::Max, dst, operand),
                "min" | "umin" | "max" | "umax" => {
                    let wide = |ops: &mut Ops, tmp| ops.unary(UnOp::ZeroExtend(bits), tmp);
                    let (a, b) = (wide(ops, dst), wide(ops, operand));
                    let op = if which.ends_with("min") { BinOp::Minu } else { BinOp::Maxu };
                    ops.binary(op, a, b)
                }
                _ => {
                    let both = ops.binary(BinOp::And, dst, operand);
                    ops.unary(UnOp::Not, both)
                }
            };
            hold(ops, new, &ty)
        })?;
        Ok(if name.starts_with("fetch_") { old } else { new })
    }

    fn compare_exchange(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let old_form = name.ends_with("_cas");
        let (success, failure) = match old_form {
            true => (MemoryOrder::SeqCst, MemoryOrder::SeqCst),
            false => {
                let success = self.order(args.get(4), span)?;
                // What fails only reads: a release has nothing to say there.
                let failure = match self.order(args.get(5), span)? {
                    MemoryOrder::AcqRel => MemoryOrder::Acquire,
                    MemoryOrder::Release => MemoryOrder::Relaxed,
                    order => order,
                };
                (success, failure)
            }
        };
        let (expected_place, expected) = match old_form {
            true => (None, self.expr(&args[1])?),
            false => {
                let place = self.target(&args[1])?;
                let value = match &place {
                    Place::Memory(from, ty, _) if self.as_number(ty).is_some() => {
                        self.packed(from, ty, span)?
                    }
                    _ => self.load(&place, Mark::Plain, span)?,
                };
                (Some(place), value)
            }
        };
        let desired = match name {
            "compare_exchange_from" => self.taken(&args[2], span)?,
            _ => self.operand(&args[2])?,
        };
        let (address, ty) = self.address(&args[0])?;
        let (expected, desired) = (expected.held(&ty), desired.held(&ty));
        let size = self.access_size(&ty, span)?;
        if let Some(cell) = self.larger(size, span)? {
            return Err(smaller("compare-exchange", size.0, cell, span));
        }
        let (old_reg, done) = (self.code.reg(span)?, self.code.reg(span)?);
        let mut ops = Ops::default();
        let addr = ops.value(&address, Port::Addr);
        let expected = ops.value(&expected, Port::Data);
        let desired = ops.value(&desired, Port::Data);
        let (access, sets) = self.exchanged(success, failure, [&[], &[]]);
        self.named_fence(access.before, span);
        let dst = ops.tmp();
        let same = ops.compare_exchange((dst, addr), (expected, desired), size, sets);
        ops.write(old_reg, dst);
        ops.write(done, same);
        self.note_write(&mut ops, same);
        self.emit(ops, span);
        self.named_fence(access.after, span);
        match &expected_place {
            // Where it succeeded the old value is the expected one.
            Some(place @ Place::Register(..)) => self.store(place, Rv::Reg(old_reg), Mark::Plain, span)?,
            Some(place) => {
                let end = self.code.label();
                let mut ops = Ops::default();
                let cond = ops.value(&Rv::Reg(done), Port::None);
                ops.push(Op::If { cond, then: vec![Code::goto(end)], otherwise: Vec::new() });
                self.emit(ops, span);
                self.give_to(place, Rv::Reg(old_reg), span)?;
                self.code.place(end);
            }
            None => {}
        }
        Ok(if name == "val_cas" { Rv::Reg(old_reg) } else { Rv::Reg(done) })
    }

    /// What a compare-exchange becomes.
    pub(super) fn exchanged(
        &self,
        success: MemoryOrder,
        failure: MemoryOrder,
        lock: [&'static [&'static str]; 2],
    ) -> (Access, Exchange) {
        let with = |mut sets: Vec<SetName>, names: &[&'static str]| {
            sets.extend(names.iter().map(|name| SetName::from(*name)));
            sets
        };
        let Some(machine) = self.options.orders.machine() else {
            let sets = Exchange::Once {
                success: with(Mark::Order(success).rmw_sets(), lock[1]),
                failure: with(Mark::Order(failure).access_sets(), lock[0]),
            };
            return (Access::default(), sets);
        };
        let order = machine::both(success, failure);
        let access = machine.update(order);
        let (read, write) = machine::halves(&access, order);
        let sets = match machine.has_one_event_updates() {
            true => Exchange::Once {
                success: with(machine::sets(access.read, Some(order), true), lock[1]),
                failure: with(read, lock[0]),
            },
            false => Exchange::Halves { read: with(read, lock[0]), write: with(write, lock[1]) },
        };
        (access, sets)
    }

    fn library(&mut self, name: &str, args: &[Expr], ty: &Ty, span: Span) -> Result<Rv, Diagnostic> {
        match name {
            "assume" => {
                let value = self.expr(&args[0])?;
                self.with_condition(&value, span, |cond| Op::Assume { cond });
            }
            "await" => {
                let value = self.expr(&args[0])?;
                self.with_condition(&value, span, |cond| Op::Await { cond, what: Awaited::Library });
            }
            "assert" | "lock_error" => {
                let text = string_of(&args[1], self.unit).unwrap_or_default();
                let value = self.expr(&args[0])?;
                let property = match name {
                    "assert" => Property::Assertion(text),
                    _ => Property::Lock(text),
                };
                if value.known().is_none_or(|v| v == Value::ZERO) {
                    self.with_condition(&value, span, |cond| Op::Assert { cond, property });
                }
            }
            "error" | "unreachable" | "trap" => {
                let text = match name {
                    "error" => "the call of an error function",
                    "unreachable" => "code declared unreachable is not reached",
                    _ => "a trap",
                };
                self.with_condition(&Rv::ZERO, span, |cond| Op::Assert {
                    cond,
                    property: Property::Assertion(text.into()),
                });
            }
            // The end of `main` is the end of it; another thread takes all others with it, and nobody knows how far they had come.
            "stop" if self.is_main => self.op(Op::Stop, span),
            "stop" => self.with_condition(&Rv::ZERO, span, |cond| Op::Assume { cond }),
            "exit" => {
                self.code.exits = true;
                let value = self.expr(&args[0])?;
                let result = self.thread_result;
                self.write(result, &value, span);
                self.finish_keys(span)?;
                // The functions that it is in end with the thread.
                let ends: Vec<_> = self.frames.iter().rev().map(|frame| frame.ends.clone()).collect();
                ends.iter().for_each(|ends| self.end_objects(ends, span));
                self.op(Op::Stop, span);
            }
            "verifier_assert" => {
                let text = self.text(args[0].span);
                let value = self.expr(&args[0])?;
                self.with_condition(&value, span, |cond| Op::Assert {
                    cond,
                    property: Property::Assertion(text),
                });
            }
            "assert_fail" => {
                let property = Property::Assertion(string_of(&args[0], self.unit).unwrap_or_default());
                self.with_condition(&Rv::ZERO, span, |cond| Op::Assert { cond, property });
            }
            "abort" => self.with_condition(&Rv::ZERO, span, |cond| Op::Assume { cond }),
            "pthread_create" => self.spawn(&[args[0].clone(), args[2].clone(), args[3].clone()], span)?,
            "pthread_join" => {
                let handle = self.expr(&args[0])?;
                let value = self.join(&handle, span)?;
                if !self.expr_is_null(&args[1]) {
                    let to = self.target(&args[1])?;
                    self.store(&to, value, Mark::Plain, span)?;
                }
            }
            "lock_init" => {
                let address = self.expr(&args[0])?;
                self.store(&Place::Memory(address, Ty::INT, None), Rv::ZERO, Mark::Plain, span)?;
            }
            "acquire" | "try_acquire" | "release" | "destroy" => return self.lock(name, args, span),
            "self" => return Ok(Rv::Reg(self.own_handle)),
            "varargs" => return Ok(self.frame().varargs.map_or(Rv::ZERO, Rv::Reg)),
            "calls" => {
                let calls =
                    string_of(&args[0], self.unit).is_some_and(|name| super::call::calls(self.unit, &name));
                return Ok(Rv::int(i128::from(calls)));
            }
            "atomic_begin" => self.section(SECTION_BEGIN, span),
            "atomic_end" => self.section(SECTION_END, span),
            "nondet" | "nondet_int" | "nondet_bool" => return self.nondet(name, args, ty, span),
            "add_overflow" | "sub_overflow" | "mul_overflow" => return self.overflows(name, args, span),
            "ffs" | "ctz" | "clz" | "clzl" | "popcount" => return self.bits(name, args, span),
            "bswap16" | "bswap32" | "bswap64" => {
                let bytes = match name {
                    "bswap16" => 2,
                    "bswap32" => 4,
                    _ => 8,
                };
                let value = self.expr(&args[0])?;
                return Ok(Rv::unary(UnOp::ReverseBytes { bytes, group: bytes }, value));
            }
            "malloc" | "calloc" | "alloca" => {
                let mut size = self.expr(&args[0])?;
                if let Some(each) = args.get(1) {
                    size = Rv::binary(BinOp::Mul, size, self.expr(each)?);
                }
                let reg = self.code.reg(span)?;
                let content = if name == "calloc" { Content::Zero } else { Content::Nothing };
                let kind = if name == "alloca" { Storage::Stack } else { Storage::Heap };
                self.allocate(reg, &size, kind, content, span);
                return Ok(Rv::Reg(reg));
            }
            "free" => {
                let address = self.expr(&args[0])?;
                self.with_condition(&address, span, |addr| Op::Free { addr, kind: Storage::Heap });
            }
            "spawn" => self.spawn(args, span)?,
            "join" => {
                let handle = self.expr(&args[0])?;
                return self.join(&handle, span);
            }
            "math" => {
                let name = string_of(&args[0], self.unit).unwrap_or_default();
                let function = floats::Function::named(&name)
                    .ok_or_else(|| Diagnostic::internal(format!("no function `{name}`")).at(span, "here"))?;
                let (x, y) = (self.expr(&args[1])?, self.expr(&args[2])?);
                return Ok(Rv::binary(BinOp::Float(FloatOp::Function(function), 8), x, y));
            }
            "copy" | "fill" | "move" => return self.bytes(name, args, span),
            "realloc" => return self.reallocate(args, span),
            _ => return Err(Diagnostic::internal(format!("no builtin `{name}`")).at(span, "here")),
        }
        Ok(Rv::ZERO)
    }

    pub(super) fn known_int(&mut self, e: &Expr) -> Result<i128, Diagnostic> {
        let value = self.expr(e)?;
        value.known().and_then(Value::as_int).ok_or_else(|| {
            Diagnostic::error("c::constant", "a constant is needed here").at(e.span, "this is none")
        })
    }

    pub(super) fn with_condition(&mut self, value: &Rv, span: Span, op: impl FnOnce(Tmp) -> Op) {
        let mut ops = Ops::default();
        let cond = ops.value(value, Port::None);
        ops.push(op(cond));
        self.emit(ops, span);
    }

    fn join(&mut self, handle: &Rv, span: Span) -> Result<Rv, Diagnostic> {
        let reg = self.code.reg(span)?;
        let mut ops = Ops::default();
        let thread = ops.value(handle, Port::None);
        let dst = ops.tmp();
        ops.push(Op::Join { thread, dst: Some(dst) });
        ops.write(reg, dst);
        self.emit(ops, span);
        Ok(Rv::Reg(reg))
    }

    /// `spawn(&handle, function, argument)`.
    fn spawn(&mut self, args: &[Expr], span: Span) -> Result<(), Diagnostic> {
        self.one_parameter(&args[1]);
        let mut callee = &args[1];
        while let ExprKind::Cast(inner) = &callee.kind {
            callee = inner;
        }
        let target = self.expr(callee)?;
        if let Some(Value::Addr { sym, .. }) = target.known()
            && let Some(id) = self.functions.iter().find(|(_, s)| **s == sym).map(|(id, _)| *id)
        {
            return self.spawn_one(id, args, span);
        }
        // Through a pointer: every function of that kind whose address is used somewhere.
        let target = self.kept(target, span)?;
        let mut candidates = super::call::addressed(self.unit);
        candidates.retain(|id| {
            let f = &self.unit.functions[*id];
            f.body.is_some() && f.params.len() <= 1 && f.name != "main"
        });
        if candidates.is_empty() {
            return Err(Diagnostic::error("c::spawn", "no function is known that a new thread could run")
                .at(args[1].span, "this one is computed"));
        }
        let end = self.code.label();
        for id in candidates {
            let next = self.unless_function(&target, id, span)?;
            let depth = self.code.depth;
            self.spawn_one(id, args, span)?;
            self.code.depth = depth;
            self.goto(end, span);
            self.code.place(next);
        }
        self.no_function(&target, span);
        self.code.place(end);
        Ok(())
    }

    /// A thread's function has one parameter. A cast says that this is meant; that nothing is said of parameters, too.
    fn one_parameter(&mut self, callee: &Expr) {
        let Some(Ty::Function(types)) = callee.ty.target().map(Ty::plain) else { return };
        let n = types.params.len();
        if n == 1 || types.variadic {
            return;
        }
        let message = format!("the function of a thread has one parameter, and this one has {n}");
        let warning = Diagnostic::warning("c::thread", message).at(callee.span, "started here");
        let warning = match n {
            0 => warning.help("write `void *f(void *unused)`: what is called with an argument that it does not take does what it likes"),
            _ => warning.help("nobody gives the others a value: hand a structure on, by its address"),
        };
        if !self.program.supposed.iter().any(|said| said.labels == warning.labels) {
            self.program.supposed.push(warning);
        }
    }

    /// A thread that runs this function.
    fn spawn_one(&mut self, id: usize, args: &[Expr], span: Span) -> Result<(), Diagnostic> {
        let function = &self.unit.functions[id];
        if function.body.is_none() {
            return Err(Diagnostic::unsupported(
                "c::no-body",
                format!("nobody says what `{}` does", function.name),
            )
            .at(span, "started here")
            .at(function.span, "only declared"));
        }
        let argument = self.expr(&args[2])?;
        // The first is `main`, as the program starts: as a thread it is another.
        let code = match self.codes.iter().skip(1).position(|f| *f == id) {
            Some(code) => code + 1,
            None => {
                self.codes.push(id);
                self.codes.len() - 1
            }
        };
        let reg = self.code.reg(span)?;
        let mut ops = Ops::default();
        let mut passed = Vec::new();
        if !function.params.is_empty() {
            passed.push((crate::program::Reg(0), ops.value(&argument, Port::None)));
        }
        let dst = ops.tmp();
        let own = own_handle(function.params.len());
        ops.push(Op::Spawn { dst, code, args: passed, own });
        ops.write(reg, dst);
        self.emit(ops, span);
        if self.expr_is_null(&args[0]) {
            return Ok(());
        }
        let to = self.target(&args[0])?;
        let to = match to {
            // A handle is what it is, whatever type the library gives it.
            Place::Memory(address, ty, bits) => Place::Memory(address, ty.plain().clone(), bits),
            register => register,
        };
        self.store(&to, Rv::Reg(reg), Mark::Plain, span)
    }

    fn expr_is_null(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(0) => true,
            ExprKind::Cast(inner) => self.expr_is_null(inner),
            _ => false,
        }
    }
}

/// A string written in the program.
pub(super) fn string_of(e: &Expr, unit: &crate::arch::c::unit::tree::Unit) -> Option<String> {
    match &e.kind {
        ExprKind::AddressOf(inner) | ExprKind::Cast(inner) => string_of(inner, unit),
        ExprKind::Var(id) => {
            let name = &unit.variables[*id].name;
            name.starts_with('"').then(|| {
                let parts = unit.variables[*id].init.as_deref().unwrap_or(&[]);
                let bytes = parts.iter().filter_map(|part| match part.value.kind {
                    ExprKind::Int(n) if n != 0 => Some(n as u8),
                    _ => None,
                });
                String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
            })
        }
        _ => None,
    }
}
