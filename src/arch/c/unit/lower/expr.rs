//! Expressions.

use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::unit::tree::{Expr, ExprKind, Operator};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::floats::FloatOp;
use crate::program::{BinOp, Content, Extra, Op, Port, Property, Reg, Storage, Tmp, UnOp, Value};
use crate::source::Span;

use super::Lowering;
use super::code::Ops;
use super::place::Place;
use super::value::Rv;

/// The operator of micro-ops: values are exact, so that signed ones serve for all types.
pub(super) fn operator(op: Operator) -> BinOp {
    match op {
        Operator::Add => BinOp::Add,
        Operator::Sub => BinOp::Sub,
        Operator::Mul => BinOp::Mul,
        Operator::Div => BinOp::Div,
        Operator::Rem => BinOp::Rem,
        Operator::And => BinOp::And,
        Operator::Or => BinOp::Or,
        Operator::Xor => BinOp::Xor,
        Operator::Shl => BinOp::Shl,
        Operator::Shr => BinOp::Asr,
        Operator::Eq => BinOp::Eq,
        Operator::Ne => BinOp::Ne,
        Operator::Lt => BinOp::Lt,
        Operator::Le => BinOp::Le,
        Operator::Gt => BinOp::Gt,
        Operator::Ge => BinOp::Ge,
    }
}

/// The operator of micro-ops for floating-point numbers. The parser lets no other through.
fn float_operator(op: Operator) -> FloatOp {
    match op {
        Operator::Sub => FloatOp::Sub,
        Operator::Mul => FloatOp::Mul,
        Operator::Div => FloatOp::Div,
        Operator::Eq => FloatOp::Eq,
        Operator::Ne => FloatOp::Ne,
        Operator::Lt => FloatOp::Lt,
        Operator::Le => FloatOp::Le,
        Operator::Gt => FloatOp::Gt,
        Operator::Ge => FloatOp::Ge,
        _ => FloatOp::Add,
    }
}

/// A value of one type as one of another.
pub(super) fn converted(value: Rv, from: &Ty, to: &Ty) -> Rv {
    match (from.plain(), to.plain()) {
        (Ty::Float(from), Ty::Float(to)) if from == to => value,
        (Ty::Float(from), Ty::Float(to)) => Rv::unary(UnOp::Rounded { from: *from, to: *to }, value),
        (Ty::Float(from), Ty::Int(int)) if int.boolean => {
            Rv::binary(BinOp::Float(FloatOp::Ne, *from), value, Rv::ZERO)
        }
        (Ty::Float(from), to) => Rv::unary(UnOp::FromFloat(*from), value).held(to),
        (_, Ty::Float(to)) => Rv::unary(UnOp::ToFloat(*to), value),
        (_, to) => value.held(to),
    }
}

/// With the other sign.
pub(super) fn negated(value: Rv, ty: &Ty) -> Rv {
    match ty.plain() {
        Ty::Float(4) => Rv::binary(BinOp::Xor, value, Rv::int(i128::from(i32::MIN))),
        Ty::Float(_) => Rv::binary(BinOp::Xor, value, Rv::int(i128::from(i64::MIN))),
        ty => Rv::unary(UnOp::Neg, value).held(ty),
    }
}

/// The value of an operator that works in that type.
pub(super) fn arithmetic(op: Operator, a: Rv, b: Rv, work: &Ty) -> Rv {
    if let Ty::Float(bytes) = work.plain() {
        return Rv::binary(BinOp::Float(float_operator(op), *bytes), a, b);
    }
    let value = Rv::binary(operator(op), a, b);
    match op.compares() || matches!(op, Operator::Shr | Operator::Rem) {
        true => value,
        false => value.held(work),
    }
}

impl Lowering<'_> {
    /// The value of an expression; for one without a value, 0.
    pub(super) fn expr(&mut self, e: &Expr) -> Result<Rv, Diagnostic> {
        let span = e.span;
        Ok(match &e.kind {
            ExprKind::Int(n) => Rv::int(*n),
            ExprKind::Function(id) => Rv::Const(Value::addr(self.function_symbol(*id)?)),
            ExprKind::Var(_) | ExprKind::Deref(_) | ExprKind::Member(..) | ExprKind::Literal(_) => {
                let place = self.place(e)?;
                if !e.ty.is_scalar() {
                    return match place {
                        Place::Memory(address, ..) => Ok(address),
                        Place::Register(reg, _) => Ok(Rv::Reg(reg)),
                    };
                }
                self.load(&place, Self::mark(&e.ty), span)?
            }
            ExprKind::AddressOf(inner) => match self.place(inner)? {
                Place::Memory(address, ..) => address,
                Place::Register(..) => {
                    return Err(Diagnostic::internal("the address of a register").at(span, "taken here"));
                }
            },
            ExprKind::Neg(a) => negated(self.expr(a)?, &e.ty),
            ExprKind::Complement(a) => Rv::unary(UnOp::Not, self.expr(a)?).held(&e.ty),
            ExprKind::Not(a) => Rv::unary(UnOp::IsZero, self.expr(a)?),
            ExprKind::Binary(op, a, b) => {
                let a_value = self.expr(a)?;
                let a_value = self.safe(a_value, b, span)?;
                let b_value = self.expr(b)?;
                self.defined(*op, &b_value, &a.ty, span);
                let value = arithmetic(*op, a_value, b_value, &a.ty);
                self.light(value, span)?
            }
            ExprKind::Logical(..) => {
                let reg = self.code.reg(span)?;
                let (no, end) = (self.code.label(), self.code.label());
                let control = self.control_begins(span);
                self.jump_unless(e, no)?;
                self.write(reg, &Rv::int(1), span);
                self.goto(end, span);
                self.code.place(no);
                self.write(reg, &Rv::ZERO, span);
                self.code.place(end);
                self.control_ends(control, span);
                Rv::Reg(reg)
            }
            ExprKind::Conditional(condition, a, b) => {
                let scalar = e.ty.is_scalar();
                let reg = self.code.reg(span)?;
                let depth = self.code.depth;
                let (no, end) = (self.code.label(), self.code.label());
                let control = self.control_begins(span);
                self.jump_unless(condition, no)?;
                for (index, side) in [a, b].into_iter().enumerate() {
                    if index == 1 {
                        self.code.place(no);
                    }
                    let value = match scalar || e.ty == Ty::Void {
                        true => self.expr(side)?,
                        false => self.record(side)?,
                    };
                    if e.ty != Ty::Void {
                        self.write(reg, &value, side.span);
                    }
                    if index == 0 {
                        self.goto(end, span);
                    }
                }
                self.code.place(end);
                self.control_ends(control, span);
                self.code.depth = depth;
                Rv::Reg(reg)
            }
            ExprKind::Assign(target, value) => return self.assign(target, value, span),
            ExprKind::Update { op, target, value, work, old } => {
                return self.update(*op, target, value, work, *old, span);
            }
            ExprKind::Cast(inner) => {
                let value = self.expr(inner)?;
                for ty in [&e.ty, &inner.ty] {
                    self.long_double(ty, span);
                }
                converted(value, &inner.ty, &e.ty)
            }
            ExprKind::Comma(a, b) => {
                self.expr(a)?;
                self.expr(b)?
            }
            ExprKind::Call(callee, args) => self.call(callee, args, span)?,
            ExprKind::Builtin(name, args) => self.builtin(name, args, &e.ty, span)?,
            ExprKind::Statements(stmts) => {
                let reg = self.code.reg(span)?;
                let value = self.block(stmts, true)?;
                if let Some(value) = value {
                    self.write(reg, &value, span);
                }
                Rv::Reg(reg)
            }
        })
    }

    /// A value that what is evaluated next must not change.
    fn safe(&mut self, value: Rv, next: &Expr, span: Span) -> Result<Rv, Diagnostic> {
        match changes(next) {
            true => self.kept(value, span),
            false => Ok(value),
        }
    }

    /// A value that has grown large is computed once.
    fn light(&mut self, value: Rv, span: Span) -> Result<Rv, Diagnostic> {
        if value.weight() > 24 { self.kept(value, span) } else { Ok(value) }
    }

    /// What an operator must not be given: division by zero is a violation, a shift too far a warning.
    fn defined(&mut self, op: Operator, operand: &Rv, work: &Ty, span: Span) {
        if let Ty::Float(_) = work.plain() {
            return;
        }
        let Some(int) = work.as_int().filter(|_| matches!(op, Operator::Shl | Operator::Shr)) else {
            return self.no_zero(op, operand, span);
        };
        let bits = i128::from(8 * int.bytes.max(4));
        if operand.known().and_then(|v| v.as_int()).is_some_and(|n| (0..bits).contains(&n)) {
            return;
        }
        let mut ops = Ops::default();
        let value = ops.value(operand, Port::None);
        let (zero, bits) = (ops.constant(0), ops.constant(bits));
        let (above, below) = (ops.binary(BinOp::Ge, value, zero), ops.binary(BinOp::Lt, value, bits));
        let cond = ops.binary(BinOp::And, above, below);
        ops.push(Op::Assert { cond, property: Property::Shift });
        self.emit(ops, span);
    }

    /// Division by zero is a violation.
    fn no_zero(&mut self, op: Operator, divisor: &Rv, span: Span) {
        if !matches!(op, Operator::Div | Operator::Rem) || divisor.known().is_some_and(|v| v != Value::ZERO) {
            return;
        }
        let mut ops = Ops::default();
        let value = ops.value(divisor, Port::None);
        let zero = ops.constant(0);
        let cond = ops.binary(BinOp::Ne, value, zero);
        ops.push(Op::Assert { cond, property: Property::Arithmetic("division by zero".to_string()) });
        self.emit(ops, span);
    }

    fn assign(&mut self, target: &Expr, value: &Expr, span: Span) -> Result<Rv, Diagnostic> {
        if !target.ty.is_scalar() {
            let from = self.record(value)?;
            if let (true, Some(number)) = (target.ty.is_atomic(), self.as_number(&target.ty)) {
                let new = self.packed(&from, &target.ty, span)?;
                if let Place::Memory(to, ..) = self.place(target)? {
                    self.store(&Place::Memory(to, number, None), new, Self::mark(&target.ty), span)?;
                }
                return Ok(from);
            }
            let Place::Memory(to, ..) = self.place(target)? else {
                return Err(Diagnostic::internal("a structure in a register").at(span, "here"));
            };
            self.copy(&to, &from, &target.ty.plain().clone(), span)?;
            return Ok(to);
        }
        let new = self.expr(value)?.held(&target.ty);
        let place = self.place(target)?;
        let new = match (&place, &new) {
            (Place::Memory(..), Rv::Const(_) | Rv::Reg(_)) | (Place::Register(..), _) => new,
            _ => self.kept(new, span)?,
        };
        self.store(&place, new.clone(), Self::mark(&target.ty), span)?;
        Ok(match place {
            Place::Register(reg, _) => Rv::Reg(reg),
            Place::Memory(_, ty, Some((_, width))) => cut(new, &ty, width),
            Place::Memory(..) => new,
        })
    }

    fn update(
        &mut self,
        op: Operator,
        target: &Expr,
        value: &Expr,
        work: &Ty,
        old: bool,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        let operand = self.expr(value)?;
        self.defined(op, &operand, work, span);
        let place = self.place(target)?;
        if target.ty.is_atomic()
            && let Place::Memory(address, ty, None) = &place
        {
            if matches!(work.plain(), Ty::Float(_)) && work.plain() != ty.plain() {
                return Err(Diagnostic::unsupported(
                    "c::float",
                    "an atomic object is not updated by a number of another type",
                )
                .at(span, "here"));
            }
            let (before, after) = self.modify(address, ty, MemoryOrder::SeqCst, span, |dst, ops| {
                let operand = ops.value(&operand, Port::Data);
                let new = match ty.plain() {
                    Ty::Float(bytes) => ops.binary(BinOp::Float(float_operator(op), *bytes), dst, operand),
                    _ => ops.binary(operator(op), dst, operand),
                };
                hold(ops, new, ty)
            })?;
            return Ok(if old { before } else { after });
        }
        let before = self.load(&place, Mark::Plain, span)?;
        let before = if old { self.kept(before, span)? } else { before };
        let wide = converted(before.clone(), &target.ty, work);
        let after = converted(arithmetic(op, wide, operand, work), work, &target.ty);
        let after = match &place {
            Place::Memory(..) => self.kept(after, span)?,
            Place::Register(..) => after,
        };
        self.store(&place, after.clone(), Mark::Plain, span)?;
        Ok(match (old, place) {
            (true, _) => before,
            (false, Place::Register(reg, _)) => Rv::Reg(reg),
            (false, Place::Memory(_, ty, Some((_, width)))) => cut(after, &ty, width),
            (false, _) => after,
        })
    }

    /// Ends a read-modify-write: registers take what was read and what was written.
    fn updated(&mut self, mut ops: Ops, (before, after): (Reg, Reg), (old, new): (Tmp, Tmp), span: Span) {
        ops.write(before, old);
        ops.write(after, new);
        let changed = ops.binary(BinOp::Ne, old, new);
        self.note_write(&mut ops, changed);
        self.emit(ops, span);
    }

    /// A read-modify-write that always writes: the value before, and the one after it.
    pub(super) fn modify(
        &mut self,
        address: &Rv,
        ty: &Ty,
        order: MemoryOrder,
        span: Span,
        new: impl FnOnce(Tmp, &mut Ops) -> Tmp,
    ) -> Result<(Rv, Rv), Diagnostic> {
        let size = self.access_size(ty, span)?;
        match self.larger(size, span)? {
            Some(cell) => self.modify_part((address, cell), ty, order, span, new),
            None => self.modify_whole(address, ty, order, span, new),
        }
    }

    /// Likewise, of an object that is always accessed as a whole.
    pub(super) fn modify_whole(
        &mut self,
        address: &Rv,
        ty: &Ty,
        order: MemoryOrder,
        span: Span,
        new: impl FnOnce(Tmp, &mut Ops) -> Tmp,
    ) -> Result<(Rv, Rv), Diagnostic> {
        let size = self.access_size(ty, span)?;
        let (before, after) = (self.code.reg(span)?, self.code.reg(span)?);
        let machine = self.options.orders.machine();
        let access = machine.map(|machine| machine.update(order)).unwrap_or_default();
        self.named_fence(access.before, span);
        let mut ops = Ops::default();
        let addr = ops.value(address, Port::Addr);
        let dst = ops.tmp();
        if machine.is_some_and(|machine| !machine.has_one_event_updates()) {
            let (read, write) = super::machine::halves(&access, order);
            ops.push(Op::Load { dst, addr, size, sets: read, extra: Extra::default() });
            let update = new(dst, &mut ops);
            // What is written need not come from what was read; it comes after it all the same.
            let extra = Extra { order: vec![dst], ..Extra::default() };
            ops.push(Op::Store { addr, value: update, size, sets: write, extra });
            self.updated(ops, (before, after), (dst, update), span);
            self.named_fence(access.after, span);
            return Ok((Rv::Reg(before).held(ty), Rv::Reg(after)));
        }
        let from = ops.list.len();
        let update = new(dst, &mut ops);
        // What does not depend on the old value is computed before the access.
        let mut inner: Vec<Op> = ops.list.split_off(from);
        let mut known = vec![dst];
        let mut inside = Vec::new();
        for op in inner.drain(..) {
            let depends = match &op {
                Op::Unary { a, .. } => known.contains(a),
                Op::Binary { a, b, .. } => known.contains(a) || known.contains(b),
                _ => false,
            };
            match (&op, depends) {
                (Op::Unary { dst, .. } | Op::Binary { dst, .. }, true) => {
                    known.push(*dst);
                    inside.push(op);
                }
                _ => ops.push(op),
            }
        }
        let sets = match machine {
            Some(_) => super::machine::sets(access.read, Some(order), true),
            None => Mark::Order(order).rmw_sets(),
        };
        let sets = self.lenient(sets, size);
        ops.push(Op::Rmw { dst, addr, ops: inside, update, size, sets, extra: Extra::default() });
        self.updated(ops, (before, after), (dst, update), span);
        self.named_fence(access.after, span);
        Ok((Rv::Reg(before).held(ty), Rv::Reg(after)))
    }

    /// Tells the loops around whether something was written.
    pub(super) fn note_write(&self, ops: &mut Ops, changed: crate::program::Tmp) {
        for reg in self.dirty() {
            let old = ops.value(&Rv::Reg(reg), Port::None);
            let new = ops.binary(BinOp::Or, old, changed);
            ops.write(reg, new);
        }
    }

    /// The address of a structure that an expression gives.
    pub(super) fn record(&mut self, e: &Expr) -> Result<Rv, Diagnostic> {
        match &e.kind {
            ExprKind::Var(_) | ExprKind::Deref(_) | ExprKind::Member(..) | ExprKind::Literal(_) => {
                match (self.place(e)?, self.as_number(&e.ty).filter(|_| e.ty.is_atomic())) {
                    (Place::Memory(address, ..), Some(number)) => {
                        let whole = Place::Memory(address, number, None);
                        let value = self.load(&whole, Self::mark(&e.ty), e.span)?;
                        self.unpacked(&value, &e.ty, e.span)
                    }
                    (Place::Memory(address, ..), None) => Ok(address),
                    (Place::Register(..), _) => {
                        Err(Diagnostic::internal("a structure in a register").at(e.span, "here"))
                    }
                }
            }
            ExprKind::Statements(stmts) => {
                let reg = self.code.reg(e.span)?;
                let value = self.block(stmts, true)?;
                if let Some(value) = value {
                    // The object lives as long as its block: take it out of there.
                    let kept = self.code.reg(e.span)?;
                    let size = self.size(&e.ty);
                    self.allocate(
                        kept,
                        &Rv::int(i128::from(size)),
                        Storage::Private,
                        Content::Nothing,
                        e.span,
                    );
                    self.copy(&Rv::Reg(kept), &value, &e.ty, e.span)?;
                    self.write(reg, &Rv::Reg(kept), e.span);
                }
                Ok(Rv::Reg(reg))
            }
            _ => self.expr(e),
        }
    }
}

/// What a bit-field of so many bits holds of a value.
pub(super) fn cut(value: Rv, ty: &Ty, width: u8) -> Rv {
    let signed = ty.as_int().is_some_and(|int| int.signed);
    Rv::unary(if signed { UnOp::SignExtend(width) } else { UnOp::ZeroExtend(width) }, value)
}

/// Cuts a value to what a type holds.
pub(super) fn hold(ops: &mut Ops, value: crate::program::Tmp, ty: &Ty) -> crate::program::Tmp {
    match ty.as_int() {
        Some(int) if int.boolean => {
            let zero = ops.constant(0);
            ops.binary(BinOp::Ne, value, zero)
        }
        Some(int) if int.bytes < 16 => {
            let bits = 8 * int.bytes;
            ops.unary(if int.signed { UnOp::SignExtend(bits) } else { UnOp::ZeroExtend(bits) }, value)
        }
        _ => value,
    }
}

/// May evaluating it change a variable?
fn changes(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Function(_) | ExprKind::Var(_) => false,
        ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Member(a, ..)
        | ExprKind::Neg(a)
        | ExprKind::Not(a)
        | ExprKind::Complement(a)
        | ExprKind::Cast(a) => changes(a),
        ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) => changes(a) || changes(b),
        ExprKind::Conditional(a, b, c) => changes(a) || changes(b) || changes(c),
        _ => true,
    }
}
