//! The intrinsics that `.def` files are made of: accesses of the Linux kernel.
//!
//! A read-modify-write is a read and a write of one instruction; which of its annotations mean anything is the model's
//! affair (`lkmmv2`), or is settled here by fences around it (`lkmmv1`).

use super::expr::{Val, binary_op, size_of, value_type};
use super::{KernelVersion, Lowering};
use crate::arch::c::ast::{Expr, Intrinsic, IntrinsicCall};
use crate::arch::c::orders::{Mark, annotation_set};
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::program::{BinOp, Extra, Op, Port, Tmp, Value};
use crate::source::Span;

/// The marks of a read-modify-write: of its read, of its write, of the read if it fails; and whether fences go around it.
struct Marks {
    read: Mark,
    write: Mark,
    failed: Mark,
    fences: bool,
}

impl Lowering<'_> {
    /// A call of an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        call: &IntrinsicCall,
        span: Span,
        port: Port,
    ) -> Result<Val, Diagnostic> {
        let args = &call.args;
        match call.kind {
            Intrinsic::Load => {
                let (addr, ty) = self.object(call, span)?;
                Ok(self.annotated_load(addr, &ty, &call.annots))
            }
            Intrinsic::Store => {
                let (addr, ty) = self.object(call, span)?;
                let value = self.expr(&args[1], Port::Data)?;
                let value = self.convert(value, &value_type(&ty));
                self.store(addr, value.tmp, &ty, &Mark::Annots(call.annots.clone()), Extra::default());
                Ok(self.nothing())
            }
            Intrinsic::Fence => {
                let sets = Mark::Annots(call.annots.clone()).fence_sets();
                self.code.push(Op::Fence { sets, extra: Extra::default() });
                Ok(self.nothing())
            }
            Intrinsic::Xchg => self.xchg(call),
            Intrinsic::CmpXchg => self.cmpxchg(call),
            Intrinsic::AtomicOp | Intrinsic::AtomicOpReturn | Intrinsic::AtomicFetchOp => {
                self.atomic_op(call, span)
            }
            Intrinsic::AtomicAddUnless => self.add_unless(call, span),
            Intrinsic::Lock => {
                let (addr, _) = self.pointer(&args[0])?;
                self.take_lock(addr);
                Ok(self.nothing())
            }
            Intrinsic::Unlock => {
                let (addr, _) = self.pointer(&args[0])?;
                self.lock_event(addr, &["UL"], Extra::default());
                Ok(self.nothing())
            }
            Intrinsic::TryLock => {
                let (addr, _) = self.pointer(&args[0])?;
                let out = self.code.tmp();
                let branches = [true, false].map(|taken| {
                    let interrupted = self.code.start_list();
                    if taken {
                        // The value hangs on nothing: the lock itself orders what comes after.
                        self.take_lock(addr);
                        self.code.push(Op::Const { dst: out, value: Value::ONE });
                    } else {
                        self.sensed(addr, &["LF"], Value::ZERO, out);
                    }
                    self.code.end_list(interrupted)
                });
                self.code.push(Op::Choice { branches: branches.into() });
                Ok(Val { tmp: out, ty: CType::INT })
            }
            Intrinsic::IsLocked => {
                let (addr, _) = self.pointer(&args[0])?;
                let out = self.code.tmp();
                let branches = [("RL", Value::ONE), ("RU", Value::ZERO)].map(|(set, value)| {
                    let interrupted = self.code.start_list();
                    self.sensed(addr, &[set], value, out);
                    self.code.end_list(interrupted)
                });
                self.code.push(Op::Choice { branches: branches.into() });
                Ok(Val { tmp: out, ty: CType::INT })
            }
            Intrinsic::Srcu => self.srcu(call, port),
        }
    }

    /// What `__load` and `__store` access. With annotations the argument is the object itself, without it is an address.
    fn object(&mut self, call: &IntrinsicCall, span: Span) -> Result<(Tmp, CType), Diagnostic> {
        let Some(first) = call.args.first() else {
            return Err(
                Diagnostic::error("c::argument-count", "an access without an object").at(span, "here")
            );
        };
        if call.annots.is_empty() { self.pointer(first) } else { self.accessed(first) }
    }

    fn annotated_load(&mut self, addr: Tmp, ty: &CType, annots: &[String]) -> Val {
        // Old models: a dereference is a read and the fence that goes with it.
        if matches!(annots, [one] if one == "deref" || one == "lderef") {
            let value = self.load(addr, ty, &Mark::annot("once"), Extra::default());
            let sets = Mark::annot("rb_dep").fence_sets();
            self.code.push(Op::Fence { sets, extra: Extra { ctrl: vec![value.tmp], ..Extra::default() } });
            return value;
        }
        self.load(addr, ty, &Mark::Annots(annots.to_vec()), Extra::default())
    }

    fn marks(&self, annots: &[String]) -> Marks {
        let all = Mark::Annots(annots.to_vec());
        if self.options.kernel == KernelVersion::V2 {
            return Marks { read: all.clone(), write: all.clone(), failed: all, fences: false };
        }
        let is = |name: &str| matches!(annots, [one] if one == name);
        let once = || Mark::annot("once");
        Marks {
            read: if is("acquire") { all.clone() } else { once() },
            write: if is("release") { all } else { once() },
            failed: once(),
            fences: is("mb"),
        }
    }

    /// `F[mb]`, ordered after `after`; gives a temporary that stands for it.
    fn mb(&mut self, after: Vec<Tmp>) -> Tmp {
        let done = self.code.tmp();
        let extra = Extra { order: after, done: Some(done), ..Extra::default() };
        self.code.push(Op::Fence { sets: Mark::annot("mb").fence_sets(), extra });
        done
    }

    /// The read of a read-modify-write.
    fn rmw_read(&mut self, addr: Tmp, ty: &CType, mark: &Mark, after: Option<Tmp>) -> Val {
        let dst = self.code.tmp();
        let extra = Extra { order: after.into_iter().collect(), ..Extra::default() };
        self.code.push(Op::Load { dst, addr, size: size_of(ty), sets: mark.rmw_sets(), extra });
        Val { tmp: dst, ty: value_type(ty) }
    }

    /// The write of a read-modify-write; `ctrl` are what it hangs on without using their values.
    fn rmw_write(&mut self, addr: Tmp, value: Tmp, ty: &CType, mark: &Mark, ctrl: Vec<Tmp>) -> Tmp {
        let done = self.code.tmp();
        let extra = Extra { ctrl, done: Some(done), ..Extra::default() };
        self.code.push(Op::Store { addr, value, size: size_of(ty), sets: mark.rmw_sets(), extra });
        done
    }

    fn xchg(&mut self, call: &IntrinsicCall) -> Result<Val, Diagnostic> {
        let marks = self.marks(&call.annots);
        let (addr, ty) = self.pointer(&call.args[0])?;
        let value = self.expr(&call.args[1], Port::Data)?;
        let value = self.convert(value, &value_type(&ty));
        let before = marks.fences.then(|| self.mb(Vec::new()));
        let old = self.rmw_read(addr, &ty, &marks.read, before);
        let written = self.rmw_write(addr, value.tmp, &ty, &marks.write, vec![old.tmp]);
        if marks.fences {
            self.mb(vec![old.tmp, written]);
        }
        Ok(old)
    }

    fn cmpxchg(&mut self, call: &IntrinsicCall) -> Result<Val, Diagnostic> {
        let marks = self.marks(&call.annots);
        let (addr, ty) = self.pointer(&call.args[0])?;
        let result = value_type(&ty);
        let expected = self.expr(&call.args[1], Port::Data)?;
        let expected = self.convert(expected, &result);
        let out = self.code.tmp();

        let interrupted = self.code.start_list();
        let new = self.expr(&call.args[2], Port::Data);
        let new = new.map(|new| {
            let new = self.convert(new, &result);
            let before = marks.fences.then(|| self.mb(Vec::new()));
            let old = self.rmw_read(addr, &ty, &marks.read, before);
            self.assume(BinOp::Eq, old.tmp, expected.tmp);
            let written = self.rmw_write(addr, new.tmp, &ty, &marks.write, vec![expected.tmp, old.tmp]);
            if marks.fences {
                self.mb(vec![old.tmp, written]);
            }
            self.code.push(Op::Taint { dst: out, a: old.tmp, also: Vec::new() });
        });
        let succeeded = self.code.end_list(interrupted);
        new?;

        let interrupted = self.code.start_list();
        let old = self.rmw_read(addr, &ty, &marks.failed, None);
        self.assume(BinOp::Ne, old.tmp, expected.tmp);
        self.code.push(Op::Taint { dst: out, a: old.tmp, also: Vec::new() });
        let failed = self.code.end_list(interrupted);

        self.code.push(Op::Choice { branches: vec![succeeded, failed] });
        Ok(Val { tmp: out, ty: result })
    }

    fn atomic_op(&mut self, call: &IntrinsicCall, span: Span) -> Result<Val, Diagnostic> {
        let mut marks = self.marks(&call.annots);
        if call.kind == Intrinsic::AtomicOp && self.options.kernel == KernelVersion::V1 {
            marks = Marks { read: Mark::annot("noreturn"), fences: false, ..marks };
        }
        let Some(op) = call.op else {
            return Err(
                Diagnostic::error("c::argument-count", "an operation without an operator").at(span, "here")
            );
        };
        let operand = self.expr(&call.args[1], Port::Data)?;
        let (addr, ty) = self.pointer(&call.args[0])?;
        let result = value_type(&ty);
        let before = marks.fences.then(|| self.mb(Vec::new()));
        let old = self.rmw_read(addr, &ty, &marks.read, before);
        let new = self.combine(binary_op(op, false), old.clone(), operand.clone(), &result, span)?;
        let written = self.rmw_write(addr, new.tmp, &ty, &marks.write, Vec::new());
        if marks.fences {
            self.mb(vec![old.tmp, written]);
        }
        Ok(match call.kind {
            Intrinsic::AtomicOp => self.nothing(),
            Intrinsic::AtomicOpReturn => new,
            _ => Val { tmp: self.taint(old.tmp, vec![operand.tmp]), ty: result },
        })
    }

    /// Adds `a` unless the object is `u`; 1 if it did.
    fn add_unless(&mut self, call: &IntrinsicCall, span: Span) -> Result<Val, Diagnostic> {
        let mut marks = self.marks(&call.annots);
        if self.options.kernel == KernelVersion::V1 {
            // Always fully ordered there, and whatever its annotation says.
            let once = || Mark::annot("once");
            marks = Marks { read: once(), write: once(), failed: once(), fences: true };
        }
        let (addr, ty) = self.pointer(&call.args[0])?;
        let result = value_type(&ty);
        let unless = self.expr(&call.args[2], Port::Data)?;
        let unless = self.convert(unless, &result);
        let out = self.code.tmp();

        let interrupted = self.code.start_list();
        let added = self.expr(&call.args[1], Port::Data).and_then(|operand| {
            let before = marks.fences.then(|| self.mb(Vec::new()));
            let old = self.rmw_read(addr, &ty, &marks.read, before);
            self.assume(BinOp::Ne, old.tmp, unless.tmp);
            let new = self.combine(BinOp::Add, old.clone(), operand, &result, span)?;
            let written = self.rmw_write(addr, new.tmp, &ty, &marks.write, vec![unless.tmp]);
            if marks.fences {
                self.mb(vec![old.tmp, written]);
            }
            let one = self.code.constant(Value::ONE);
            self.code.push(Op::Taint { dst: out, a: one, also: vec![old.tmp, unless.tmp] });
            Ok(())
        });
        let succeeded = self.code.end_list(interrupted);
        added?;

        let interrupted = self.code.start_list();
        let old = self.rmw_read(addr, &ty, &marks.failed, None);
        self.assume(BinOp::Eq, old.tmp, unless.tmp);
        let zero = self.code.constant(Value::ZERO);
        self.code.push(Op::Taint { dst: out, a: zero, also: vec![old.tmp, unless.tmp] });
        let failed = self.code.end_list(interrupted);

        self.code.push(Op::Choice { branches: vec![succeeded, failed] });
        Ok(Val { tmp: out, ty: CType::INT })
    }

    /// A lock that is taken: a read and a write of the lock.
    fn take_lock(&mut self, addr: Tmp) {
        let read = self.code.tmp();
        self.lock_event(addr, &["LK", "LKR"], Extra { done: Some(read), ..Extra::default() });
        self.lock_event(addr, &["LK", "LKW"], Extra { ctrl: vec![read], ..Extra::default() });
    }

    /// An event that only looks at a lock, and the value that it sees.
    fn sensed(&mut self, addr: Tmp, sets: &[&'static str], value: Value, out: Tmp) {
        let seen = self.code.tmp();
        self.lock_event(addr, sets, Extra { done: Some(seen), ..Extra::default() });
        let value = self.code.constant(value);
        self.code.push(Op::Taint { dst: out, a: value, also: vec![seen] });
    }

    /// An event of sleepable RCU: its annotations, a location, and the value handed to an unlock.
    fn srcu(&mut self, call: &IntrinsicCall, _port: Port) -> Result<Val, Diagnostic> {
        let (addr, _) = self.pointer(&call.args[0])?;
        let value: Option<&Expr> = call.args.get(1);
        let data = match value {
            Some(e) => vec![self.expr(e, Port::Data)?.tmp],
            None => Vec::new(),
        };
        let seen = self.code.tmp();
        let sets =
            call.annots.iter().map(|annot| annotation_set(annot).into()).chain(["NA".into()]).collect();
        self.code.push(Op::Other {
            addr: Some(addr),
            sets,
            extra: Extra { data, done: Some(seen), ..Extra::default() },
        });
        Ok(Val { tmp: seen, ty: CType::INT })
    }
}
