//! The functions of C11's `<stdatomic.h>` and `<threads.h>`.
//!
//! A read-modify-write is one event that reads and writes; a compare-exchange that fails is a read. The expected value
//! is an object in memory: read before, and written back on failure, both without a memory order.

use super::Lowering;
use super::expr::{Val, binary_op, pointed_at, size_of, value_type};
use crate::arch::c::ast::{BinaryOp, Expr, ExprKind};
use crate::arch::c::builtins::{Builtin, Function};
use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::types::CType;
use crate::diag::{Diagnostic, nearest};
use crate::program::{BinOp, Extra, Op, Port, Property, Tmp, Value};
use crate::source::Span;

/// What a read-modify-write makes of the old value.
enum Update {
    Replace,
    Combine(BinOp),
}

impl Lowering<'_> {
    /// A call of a function of C11.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        name: &str,
        args: &[Expr],
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let (wanted, orders) = (builtin.values, builtin.orders);
        if args.len() != wanted + orders {
            let message = format!("`{name}` takes {} argument(s), {} given", wanted + orders, args.len());
            return Err(Diagnostic::error("c::argument-count", message).at(span, "this call"));
        }
        let mut given = Vec::new();
        for arg in &args[wanted..] {
            given.push(memory_order(arg)?);
        }
        let order = given.first().copied().unwrap_or(MemoryOrder::SeqCst);
        match builtin.function {
            Function::Load => {
                self.check_order(name, order, &[MemoryOrder::Release, MemoryOrder::AcqRel], args, wanted);
                let (addr, ty) = self.pointer(&args[0])?;
                Ok(self.load(addr, &ty, &Mark::Order(order), Extra::default()))
            }
            Function::Store => {
                let refused = [MemoryOrder::Acquire, MemoryOrder::AcqRel, MemoryOrder::Consume];
                self.check_order(name, order, &refused, args, wanted);
                let (addr, ty) = self.pointer(&args[0])?;
                let value = self.expr(&args[1], Port::Data)?;
                let value = self.convert(value, &value_type(&ty));
                self.store(addr, value.tmp, &ty, &Mark::Order(order), Extra::default());
                Ok(self.nothing())
            }
            Function::Init => {
                let (addr, ty) = self.pointer(&args[0])?;
                let value = self.expr(&args[1], Port::Data)?;
                let value = self.convert(value, &value_type(&ty));
                self.store(addr, value.tmp, &ty, &Mark::Plain, Extra::default());
                Ok(self.nothing())
            }
            Function::Exchange => self.modify(&args[0], Some(&args[1]), order, Update::Replace, span),
            Function::Fetch(op) => {
                self.modify(&args[0], Some(&args[1]), order, Update::Combine(binary_op(op, false)), span)
            }
            Function::FetchMin => {
                self.modify(&args[0], Some(&args[1]), order, Update::Combine(BinOp::Min), span)
            }
            Function::FetchMax => {
                self.modify(&args[0], Some(&args[1]), order, Update::Combine(BinOp::Max), span)
            }
            Function::TestAndSet => self.modify(&args[0], None, order, Update::Replace, span),
            Function::Clear => {
                let (addr, ty) = self.pointer(&args[0])?;
                let zero = self.code.constant(Value::ZERO);
                self.store(addr, zero, &ty, &Mark::Order(order), Extra::default());
                Ok(self.nothing())
            }
            Function::CompareExchange { strong } => {
                let failure = given.get(1).copied().unwrap_or(order.on_failure());
                self.compare_exchange(args, order, failure, strong)
            }
            Function::Fence => {
                let sets = Mark::Order(order).fence_sets();
                self.code.push(Op::Fence { sets, extra: Extra::default() });
                Ok(self.nothing())
            }
            // Orders a thread against its own signal handlers: nothing that another thread can see.
            Function::SignalFence => Ok(self.nothing()),
            Function::Lock => {
                let (addr, _) = self.pointer(&args[0])?;
                self.lock_event(addr, &["LK", "LS"], Extra::default());
                Ok(self.nothing())
            }
            Function::Unlock => {
                let (addr, _) = self.pointer(&args[0])?;
                self.lock_event(addr, &["UL"], Extra::default());
                Ok(self.nothing())
            }
            Function::Assert => {
                let cond = self.expr(&args[0], Port::None)?.tmp;
                let property = Property::Assertion(self.text_of(args[0].span));
                self.code.push(Op::Assert { cond, property });
                Ok(self.nothing())
            }
            Function::Assume => {
                let cond = self.expr(&args[0], Port::None)?.tmp;
                self.code.push(Op::Assume { cond });
                Ok(self.nothing())
            }
        }
    }

    /// The value of a call that has none.
    pub(super) fn nothing(&mut self) -> Val {
        let tmp = self.code.constant(Value::ZERO);
        Val { tmp, ty: CType::Void }
    }

    /// An argument that is an address: where it leads, and to what.
    pub(super) fn pointer(&mut self, e: &Expr) -> Result<(Tmp, CType), Diagnostic> {
        if self.constant(e).is_some_and(|value| value.as_int().is_some()) {
            return Err(Diagnostic::error("c::not-a-pointer", "this argument must be a pointer")
                .at(e.span, "a number")
                .help("C11 functions take the object first: `atomic_fetch_add(x, 1)`; the kernel's take it last"));
        }
        let value = self.expr(e, Port::Addr)?;
        Ok((value.tmp, pointed_at(&value.ty)))
    }

    /// An event of a lock.
    pub(super) fn lock_event(&mut self, addr: Tmp, sets: &[&'static str], extra: Extra) {
        let sets = sets.iter().chain(&["NA"]).map(|set| (*set).into()).collect();
        self.code.push(Op::Other { addr: Some(addr), sets, extra });
    }

    fn check_order(
        &mut self,
        name: &str,
        order: MemoryOrder,
        refused: &[MemoryOrder],
        args: &[Expr],
        wanted: usize,
    ) {
        if refused.contains(&order)
            && let Some(arg) = args.get(wanted)
        {
            self.diags.warn(
                Diagnostic::warning("c::memory-order", format!("`{name}` with `{}`", order.name()))
                    .at(arg.span, "undefined in C11; the model is asked all the same"),
            );
        }
    }

    /// A read-modify-write that always writes; gives the old value. Without an operand it writes 1.
    fn modify(
        &mut self,
        target: &Expr,
        operand: Option<&Expr>,
        order: MemoryOrder,
        update: Update,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let (addr, ty) = self.pointer(target)?;
        let result = value_type(&ty);
        let operand = match operand {
            Some(e) => self.expr(e, Port::Data)?,
            None => Val { tmp: self.code.constant(Value::ONE), ty: CType::INT },
        };
        let dst = self.code.tmp();
        let interrupted = self.code.start_list();
        let new = match update {
            Update::Replace => Ok(self.convert(operand.clone(), &result)),
            Update::Combine(op) => {
                let old = Val { tmp: dst, ty: result.clone() };
                self.combine(op, old, operand.clone(), &result, span)
            }
        };
        let ops = self.code.end_list(interrupted);
        let new = new?;
        self.code.push(Op::Rmw {
            dst,
            addr,
            ops,
            update: new.tmp,
            size: size_of(&ty),
            sets: Mark::Order(order).rmw_sets(),
            extra: Extra::default(),
        });
        Ok(Val { tmp: dst, ty: result })
    }

    /// The new value of an object of type `ty`.
    pub(super) fn combine(
        &mut self,
        op: BinOp,
        old: Val,
        operand: Val,
        ty: &CType,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let op = match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::And => BinaryOp::And,
            BinOp::AndNot => BinaryOp::AndNot,
            BinOp::Or => BinaryOp::Or,
            BinOp::Xor => BinaryOp::Xor,
            other => {
                let operand = self.convert(operand, ty);
                let dst = self.code.tmp();
                self.code.push(Op::Binary { dst, op: other, a: old.tmp, b: operand.tmp });
                return Ok(Val { tmp: dst, ty: ty.clone() });
            }
        };
        let value = self.binary(op, old, operand, span)?;
        Ok(self.convert(value, ty))
    }

    /// `atomic_compare_exchange_*(object, expected, desired, …)`.
    fn compare_exchange(
        &mut self,
        args: &[Expr],
        success: MemoryOrder,
        failure: MemoryOrder,
        strong: bool,
    ) -> Result<Val, Diagnostic> {
        let (expected_addr, expected_ty) = self.pointer(&args[1])?;
        let (addr, ty) = self.pointer(&args[0])?;
        let result = value_type(&ty);
        let expected = self.load(expected_addr, &expected_ty, &Mark::Plain, Extra::default());
        let after = |tmp: Tmp| Extra { ctrl: vec![tmp], ..Extra::default() };
        let out = self.code.tmp();

        let interrupted = self.code.start_list();
        let desired = self.expr(&args[2], Port::Data);
        let desired = desired.map(|value| self.convert(value, &result));
        let done = desired.map(|desired| {
            let dst = self.code.tmp();
            self.code.push(Op::Rmw {
                dst,
                addr,
                ops: Vec::new(),
                update: desired.tmp,
                size: size_of(&ty),
                sets: Mark::Order(success).rmw_sets(),
                extra: after(expected.tmp),
            });
            self.assume(BinOp::Eq, dst, expected.tmp);
            let one = self.code.constant(Value::ONE);
            self.code.push(Op::Taint { dst: out, a: one, also: vec![dst] });
        });
        let succeeded = self.code.end_list(interrupted);
        done?;

        let interrupted = self.code.start_list();
        let found = self.load(addr, &ty, &Mark::Order(failure), after(expected.tmp));
        if strong {
            self.assume(BinOp::Ne, found.tmp, expected.tmp);
        }
        self.store(expected_addr, found.tmp, &expected_ty, &Mark::Plain, after(found.tmp));
        let zero = self.code.constant(Value::ZERO);
        self.code.push(Op::Taint { dst: out, a: zero, also: vec![found.tmp] });
        let failed = self.code.end_list(interrupted);

        self.code.push(Op::Choice { branches: vec![succeeded, failed] });
        Ok(Val { tmp: out, ty: CType::INT })
    }

    /// Only paths on which the comparison holds go on.
    pub(super) fn assume(&mut self, op: BinOp, a: Tmp, b: Tmp) {
        let cond = self.code.tmp();
        self.code.push(Op::Binary { dst: cond, op, a, b });
        self.code.push(Op::Assume { cond });
    }
}

/// An argument that names a memory order.
fn memory_order(e: &Expr) -> Result<MemoryOrder, Diagnostic> {
    let ExprKind::Name(name) = &e.kind else {
        return Err(Diagnostic::unsupported("c::memory-order", "a memory order must be written by its name")
            .at(e.span, "not a name such as `memory_order_relaxed`"));
    };
    MemoryOrder::parse(name).ok_or_else(|| {
        let diagnostic =
            Diagnostic::error("c::memory-order", format!("`{name}` is no memory order")).at(e.span, "here");
        match nearest(name, MemoryOrder::names()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                diagnostic.help("relaxed, consume, acquire, release, acq_rel, seq_cst, after `memory_order_`")
            }
        }
    })
}
