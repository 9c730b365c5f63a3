//! Expressions.

use super::scope::Variable;
use super::{Lowering, analysis};
use crate::arch::c::ast::{BinaryOp, Expr, ExprKind, Logical, UnaryOp};
use crate::arch::c::orders::Mark;
use crate::arch::c::types::CType;
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, Extra, Op, Port, Property, Reg, Tmp, UnOp, Value};
use crate::source::Span;

/// The value of an expression.
#[derive(Clone, Debug)]
pub struct Val {
    /// Where it is.
    pub tmp: Tmp,
    /// Its type.
    pub ty: CType,
}

/// What can be assigned to.
#[derive(Clone, Debug)]
pub enum Place {
    /// A register.
    Register(Reg, CType),
    /// Memory at an address.
    Memory(Tmp, CType),
}

impl Lowering<'_> {
    /// Evaluates an expression; `port` is what it feeds.
    pub(super) fn expr(&mut self, e: &Expr, port: Port) -> Result<Val, Diagnostic> {
        match &e.kind {
            ExprKind::Int { value, ty } => {
                let tmp = self.code.constant(Value::Int(*value));
                Ok(Val { tmp, ty: ty.clone() })
            }
            ExprKind::Name(name) => self.name(name, e.span, port),
            ExprKind::Unary(UnaryOp::AddressOf, operand) => self.address_of(operand),
            ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Index(..) => {
                let place = self.place(e)?;
                self.read(&place, port, e.span)
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, port),
            ExprKind::Binary(op, left, right) => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.constant(right) == Some(Value::ZERO) {
                    self.diags.warn(
                        Diagnostic::warning("c::division-by-zero", "a division by zero is undefined")
                            .at(right.span, "this is 0; the result is taken to be 0"),
                    );
                }
                let left = self.expr(left, port)?;
                let divisor = self.expr(right, port)?;
                self.check_divisor(*op, right, &divisor);
                self.binary(*op, left, divisor, e.span)
            }
            ExprKind::Logical(op, left, right) => self.logical(*op, left, right, port),
            ExprKind::Conditional(cond, then, otherwise) => self.conditional(cond, then, otherwise, port),
            ExprKind::Assign(op, target, value) => self.assign(*op, target, value, e.span),
            ExprKind::Step { op, prefix, operand } => self.step(*op, *prefix, operand, e.span),
            ExprKind::Cast(ty, operand) => {
                let value = self.expr(operand, port)?;
                Ok(self.convert(value, ty))
            }
            ExprKind::SizeOf(ty) => Ok(self.size_of(ty)),
            ExprKind::SizeOfExpr(operand) => {
                // An array does not become a pointer here.
                if let ExprKind::Name(name) = &operand.kind
                    && let Some(Variable::Memory { ty: ty @ CType::Array(..), .. }) = self.scopes.find(name)
                {
                    let ty = ty.clone();
                    return Ok(self.size_of(&ty));
                }
                // The operand is not evaluated: only its type counts.
                let interrupted = self.code.start_list();
                let value = self.expr(operand, port);
                self.code.end_list(interrupted);
                Ok(self.size_of(&value?.ty))
            }
            ExprKind::Comma(left, right) => {
                self.expr(left, Port::None)?;
                self.expr(right, port)
            }
            ExprKind::Call { name, name_span, args } => self.call(name, *name_span, args, e.span, port),
            ExprKind::Intrinsic(call) => self.intrinsic(call, e.span, port),
        }
    }

    /// The value of a constant expression.
    pub(super) fn constant(&self, e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Int { value, .. } => Some(Value::Int(*value)),
            ExprKind::Unary(UnaryOp::AddressOf, operand) => match &operand.kind {
                ExprKind::Name(name) => match self.scopes.find(name)? {
                    Variable::Memory { sym, .. } => Some(Value::addr(*sym)),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Unary(op, operand) => {
                let n = self.constant(operand)?.as_int()?;
                Some(Value::Int(match op {
                    UnaryOp::Plus => n,
                    UnaryOp::Neg => n.checked_neg()?,
                    UnaryOp::Not => i128::from(n == 0),
                    UnaryOp::Complement => !n,
                    UnaryOp::Deref | UnaryOp::AddressOf => return None,
                }))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.constant(left)?, self.constant(right)?);
                crate::program::eval_binary(binary_op(*op, false), left, right, super::BITS).ok()
            }
            ExprKind::Cast(ty, operand) => Some(ty.cell().truncate(self.constant(operand)?)),
            ExprKind::SizeOf(ty) => Some(Value::Int(ty.size() as i128)),
            ExprKind::Call { name, args, .. } if name == "ATOMIC_INIT" || name == "ATOMIC_VAR_INIT" => {
                args.first().and_then(|arg| self.constant(arg))
            }
            _ => None,
        }
    }

    fn size_of(&mut self, ty: &CType) -> Val {
        let tmp = self.code.constant(Value::Int(ty.size() as i128));
        Val { tmp, ty: CType::ULONG }
    }

    fn name(&mut self, name: &str, span: Span, port: Port) -> Result<Val, Diagnostic> {
        match self.variable(name, span) {
            Variable::Register { reg, ty } => {
                let dst = self.code.tmp();
                // A value that may not count may be missing, too: the engine asks for it only where it does.
                self.code.push(match self.maybe_unused {
                    true => Op::ReadRegWith { dst, reg, port, extra: Extra::default() },
                    false => Op::ReadReg { dst, reg, port },
                });
                Ok(Val { tmp: dst, ty })
            }
            Variable::Address { sym, ty } => {
                let tmp = self.code.constant(Value::addr(sym));
                Ok(Val { tmp, ty })
            }
            Variable::Memory { sym, ty } => {
                let addr = self.code.constant(Value::addr(sym));
                match ty {
                    CType::Array(element, _) => Ok(Val { tmp: addr, ty: element.pointer() }),
                    ty => self.read(&Place::Memory(addr, ty), port, span),
                }
            }
        }
    }

    /// What a name stands for. One that is not declared is a register of the thread, as in herd7.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Variable {
        if let Some(variable) = self.scopes.find(name) {
            return variable.clone();
        }
        let register = self.scopes.register_name(name);
        let reg = self.tables.regs.intern(&register);
        let variable = Variable::Register { reg, ty: CType::INT };
        let assigned =
            self.scopes.facts().assigned.contains(name) || self.scopes.facts().declared.contains(name);
        if !assigned && self.is_function(name) {
            self.report(
                Diagnostic::error("c::function-name", format!("`{name}` is a function and is not called"))
                    .at(span, "a name alone does nothing")
                    .help(format!("write `{name}(…)`")),
            );
        } else if !assigned && !(self.tables.preset)(self.thread, name) {
            self.diags.warn(
                Diagnostic::warning("c::undeclared", format!("`{name}` is never given a value"))
                    .at(span, "reads as 0")
                    .help("declare it, or list the global of that name among the parameters"),
            );
        }
        self.scopes.declare_outermost(name, variable.clone(), span);
        variable
    }

    /// What an expression on the left of `=` stands for.
    pub(super) fn place(&mut self, e: &Expr) -> Result<Place, Diagnostic> {
        match &e.kind {
            ExprKind::Name(name) => match self.variable(name, e.span) {
                Variable::Register { reg, ty } => Ok(Place::Register(reg, ty)),
                Variable::Memory { sym, ty } => {
                    let addr = self.code.constant(Value::addr(sym));
                    Ok(Place::Memory(addr, ty))
                }
                Variable::Address { .. } => Err(Diagnostic::error(
                    "c::not-an-object",
                    format!("`{name}` is the address of the global, not the global"),
                )
                .at(e.span, "an address")
                .help(format!("write `*{name}`"))),
            },
            ExprKind::Unary(UnaryOp::Deref, pointer) => {
                // `*&x` is `x`.
                if let ExprKind::Unary(UnaryOp::AddressOf, inner) = &pointer.kind {
                    return self.place(inner);
                }
                let pointer = self.expr(pointer, Port::Addr)?;
                Ok(Place::Memory(pointer.tmp, pointed_at(&pointer.ty)))
            }
            ExprKind::Index(array, index) => {
                let array = self.expr(array, Port::Addr)?;
                let index = self.expr(index, Port::Addr)?;
                // `2[a]` is `a[2]`.
                let (array, index) = if array.ty.target().is_none() && index.ty.target().is_some() {
                    (index, array)
                } else {
                    (array, index)
                };
                let element = pointed_at(&array.ty);
                let address = self.binary(BinaryOp::Add, array, index, e.span)?;
                Ok(Place::Memory(address.tmp, element))
            }
            ExprKind::Cast(ty, inner) => match self.place(inner)? {
                Place::Register(reg, _) => Ok(Place::Register(reg, ty.clone())),
                Place::Memory(addr, _) => Ok(Place::Memory(addr, ty.clone())),
            },
            _ => Err(Diagnostic::error("c::not-an-object", "this cannot be assigned to")
                .at(e.span, "not a variable, `*pointer` or `array[index]`")),
        }
    }

    fn address_of(&mut self, operand: &Expr) -> Result<Val, Diagnostic> {
        match self.place(operand)? {
            Place::Memory(tmp, CType::Array(element, _)) => Ok(Val { tmp, ty: element.pointer() }),
            Place::Memory(tmp, ty) => Ok(Val { tmp, ty: ty.pointer() }),
            Place::Register(..) => {
                Err(Diagnostic::error("c::address-of", "the address of a variable that is not declared here")
                    .at(operand.span, "no declaration before this one, or not in this block")
                    .help("declare it before its address is taken"))
            }
        }
    }

    /// Reads a place with a plain access.
    pub(super) fn read(&mut self, place: &Place, port: Port, span: Span) -> Result<Val, Diagnostic> {
        match place {
            Place::Register(reg, ty) => {
                let dst = self.code.tmp();
                self.code.push(Op::ReadReg { dst, reg: *reg, port });
                Ok(Val { tmp: dst, ty: ty.clone() })
            }
            Place::Memory(addr, ty) => {
                self.warn_plain(ty, span);
                Ok(self.load(*addr, ty, &Mark::Plain, Extra::default()))
            }
        }
    }

    /// Writes a place with a plain access. The value must have the place's type.
    pub(super) fn write(&mut self, place: &Place, value: Tmp, span: Span) {
        match place {
            Place::Register(reg, _) => {
                self.code.push(Op::WriteReg { reg: *reg, src: value, extra: Extra::default() });
            }
            Place::Memory(addr, ty) => {
                self.warn_plain(ty, span);
                self.store(*addr, value, ty, &Mark::Plain, Extra::default());
            }
        }
    }

    /// In C an unadorned access of an `_Atomic` object is sequentially consistent; herd7 takes it as non-atomic.
    fn warn_plain(&mut self, ty: &CType, span: Span) {
        if !self.warned_of_plain && ty.as_int().is_some_and(|int| int.atomic) {
            self.warned_of_plain = true;
            self.diags.warn(
                Diagnostic::warning("c::plain-atomic", "a non-atomic access of an atomic object")
                    .at(span, "taken as non-atomic, as herd7 does; in C11 it is sequentially consistent")
                    .help("write `atomic_load_explicit` or `atomic_store_explicit` to say what is meant"),
            );
        }
    }

    /// A read event.
    pub(super) fn load(&mut self, addr: Tmp, ty: &CType, mark: &Mark, extra: Extra) -> Val {
        let dst = self.code.tmp();
        self.code.push(Op::Load { dst, addr, size: size_of(ty), sets: mark.access_sets(), extra });
        Val { tmp: dst, ty: value_type(ty) }
    }

    /// A write event.
    pub(super) fn store(&mut self, addr: Tmp, value: Tmp, ty: &CType, mark: &Mark, extra: Extra) {
        self.code.push(Op::Store { addr, value, size: size_of(ty), sets: mark.access_sets(), extra });
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, port: Port) -> Result<Val, Diagnostic> {
        let value = self.expr(operand, port)?;
        if op == UnaryOp::Not {
            let dst = self.code.tmp();
            self.code.push(Op::Unary { dst, op: UnOp::IsZero, a: value.tmp });
            return Ok(Val { tmp: dst, ty: CType::INT });
        }
        let ty = value.ty.promoted();
        let value = self.convert(value, &ty);
        let op = match op {
            UnaryOp::Neg => UnOp::Neg,
            UnaryOp::Complement => UnOp::Not,
            _ => return Ok(value),
        };
        let dst = self.code.tmp();
        self.code.push(Op::Unary { dst, op, a: value.tmp });
        Ok(self.wrap(dst, &ty))
    }

    /// An operator on two values, with the usual conversions.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Val,
        right: Val,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        if let (CType::Void, _) | (_, CType::Void) = (&left.ty, &right.ty) {
            return Err(
                Diagnostic::error("c::void", "an operand has no value").at(span, "in this expression")
            );
        }
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            match (left.ty.target().cloned(), right.ty.target().cloned()) {
                (Some(element), None) => return Ok(self.move_pointer(op, left, right, &element)),
                (None, Some(element)) if op == BinaryOp::Add => {
                    return Ok(self.move_pointer(op, right, left, &element));
                }
                (Some(element), Some(_)) if op == BinaryOp::Sub => {
                    return Ok(self.pointer_distance(left, right, &element));
                }
                _ => {}
            }
        }
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let ty = if shift { left.ty.promoted() } else { left.ty.common(&right.ty) };
        let left = self.convert(left, &ty);
        let right = if shift { right } else { self.convert(right, &ty) };
        let unsigned = ty.as_int().is_some_and(|int| int.bytes == 16 && !int.signed);
        let dst = self.code.tmp();
        self.code.push(Op::Binary { dst, op: binary_op(op, unsigned), a: left.tmp, b: right.tmp });
        if op.is_comparison() {
            return Ok(Val { tmp: dst, ty: CType::INT });
        }
        // Bitwise operators and remainders stay inside the range of their operands.
        match op {
            BinaryOp::And | BinaryOp::AndNot | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Rem => {
                Ok(Val { tmp: dst, ty })
            }
            _ => Ok(self.wrap(dst, &ty)),
        }
    }

    /// `p + i`: `i` counts elements.
    fn move_pointer(&mut self, op: BinaryOp, pointer: Val, index: Val, element: &CType) -> Val {
        let mut offset = index.tmp;
        if element.size() != 1 {
            let size = self.code.constant(Value::Int(element.size() as i128));
            let scaled = self.code.tmp();
            self.code.push(Op::Binary { dst: scaled, op: BinOp::Mul, a: offset, b: size });
            offset = scaled;
        }
        let dst = self.code.tmp();
        self.code.push(Op::Binary { dst, op: binary_op(op, false), a: pointer.tmp, b: offset });
        Val { tmp: dst, ty: pointer.ty.promoted() }
    }

    /// `p - q`: in elements.
    fn pointer_distance(&mut self, left: Val, right: Val, element: &CType) -> Val {
        let bytes = self.code.tmp();
        self.code.push(Op::Binary { dst: bytes, op: BinOp::Sub, a: left.tmp, b: right.tmp });
        let mut dst = bytes;
        if element.size() != 1 {
            let size = self.code.constant(Value::Int(element.size() as i128));
            dst = self.code.tmp();
            self.code.push(Op::Binary { dst, op: binary_op(BinaryOp::Div, false), a: bytes, b: size });
        }
        Val { tmp: dst, ty: CType::LONG }
    }

    /// The value as one of type `ty`.
    pub(super) fn convert(&mut self, value: Val, ty: &CType) -> Val {
        match (&value.ty, ty) {
            (CType::Int(from), CType::Int(to)) if !to.holds(*from) => {
                let tmp = if to.boolean { self.truth(value.tmp) } else { self.wrap(value.tmp, ty).tmp };
                Val { tmp, ty: ty.clone() }
            }
            // Addresses fit everywhere: tests keep them in whatever type comes to hand.
            _ => Val { tmp: value.tmp, ty: ty.clone() },
        }
    }

    /// Cuts a number to the range of a type.
    fn wrap(&mut self, a: Tmp, ty: &CType) -> Val {
        let op = match ty {
            CType::Int(int) if int.bytes < 16 && int.signed => UnOp::SignExtend(8 * int.bytes),
            CType::Int(int) if int.bytes < 16 => UnOp::ZeroExtend(8 * int.bytes),
            _ => return Val { tmp: a, ty: ty.clone() },
        };
        let dst = self.code.tmp();
        self.code.push(Op::Unary { dst, op, a });
        Val { tmp: dst, ty: ty.clone() }
    }

    /// 1 if the value is not 0, else 0.
    pub(super) fn truth(&mut self, value: Tmp) -> Tmp {
        let zero = self.code.constant(Value::ZERO);
        let dst = self.code.tmp();
        self.code.push(Op::Binary { dst, op: BinOp::Ne, a: value, b: zero });
        dst
    }

    /// The value, with more sources.
    pub(super) fn taint(&mut self, a: Tmp, also: Vec<Tmp>) -> Tmp {
        let dst = self.code.tmp();
        self.code.push(Op::Taint { dst, a, also });
        dst
    }

    fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: &Expr,
        value: &Expr,
        span: Span,
    ) -> Result<Val, Diagnostic> {
        let place = self.place(target)?;
        let ty = match &place {
            Place::Register(_, ty) | Place::Memory(_, ty) => value_type(ty),
        };
        let value = match op {
            None => self.expr(value, Port::Data)?,
            Some(op) => {
                let old = self.read(&place, Port::Data, target.span)?;
                let right = self.expr(value, Port::Data)?;
                self.check_divisor(op, value, &right);
                self.binary(op, old, right, span)?
            }
        };
        if value.ty == CType::Void {
            return Err(Diagnostic::error("c::void", "this has no value").at(span, "assigned here"));
        }
        let value = self.convert(value, &ty);
        self.write(&place, value.tmp, target.span);
        Ok(value)
    }

    /// A division by what turns out to be 0 has no result.
    fn check_divisor(&mut self, op: BinaryOp, divisor: &Expr, value: &Val) {
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.constant(divisor).is_none() {
            let property = Property::Arithmetic("a division by zero".to_string());
            self.code.push(Op::Assert { cond: value.tmp, property });
        }
    }

    fn step(&mut self, op: BinaryOp, prefix: bool, operand: &Expr, span: Span) -> Result<Val, Diagnostic> {
        let place = self.place(operand)?;
        let ty = match &place {
            Place::Register(_, ty) | Place::Memory(_, ty) => value_type(ty),
        };
        let old = self.read(&place, Port::Data, operand.span)?;
        let one = Val { tmp: self.code.constant(Value::ONE), ty: CType::INT };
        let new = self.binary(op, old.clone(), one, span)?;
        let new = self.convert(new, &ty);
        self.write(&place, new.tmp, operand.span);
        Ok(if prefix { new } else { old })
    }

    /// `&&` and `||`. The right operand is evaluated only if it counts; if that cannot be seen, always.
    fn logical(&mut self, op: Logical, left: &Expr, right: &Expr, port: Port) -> Result<Val, Diagnostic> {
        if self.is_quiet(right) {
            let left = self.expr(left, port)?;
            let always = std::mem::replace(&mut self.maybe_unused, true);
            let right = self.expr(right, port);
            self.maybe_unused = always;
            let right = right?;
            let (a, b) = (self.truth(left.tmp), self.truth(right.tmp));
            let dst = self.code.tmp();
            let op = if op == Logical::And { BinOp::And } else { BinOp::Or };
            self.code.push(Op::Binary { dst, op, a, b });
            return Ok(Val { tmp: dst, ty: CType::INT });
        }
        let out = self.code.tmp();
        self.guarded(left, port, |cx, cond, holds| {
            let evaluate = holds == (op == Logical::And);
            let value = if evaluate {
                let value = cx.expr(right, port)?;
                cx.truth(value.tmp)
            } else {
                cx.code.constant(Value::Int(i128::from(op == Logical::Or)))
            };
            cx.code.push(Op::Taint { dst: out, a: value, also: vec![cond] });
            Ok(())
        })?;
        Ok(Val { tmp: out, ty: CType::INT })
    }

    fn conditional(
        &mut self,
        cond: &Expr,
        then: &Expr,
        otherwise: &Expr,
        port: Port,
    ) -> Result<Val, Diagnostic> {
        let out = self.code.tmp();
        let mut types = Vec::new();
        self.guarded(cond, port, |cx, cond, holds| {
            let value = cx.expr(if holds { then } else { otherwise }, port)?;
            types.push(value.ty);
            cx.code.push(Op::Taint { dst: out, a: value.tmp, also: vec![cond] });
            Ok(())
        })?;
        match types.as_slice() {
            [CType::Void, _] | [_, CType::Void] => Ok(Val { tmp: out, ty: CType::Void }),
            [a, b] if a != b => {
                let ty = a.common(b);
                Ok(self.convert(Val { tmp: out, ty: CType::int(16, true) }, &ty))
            }
            _ => Ok(Val { tmp: out, ty: types.pop().unwrap_or(CType::INT) }),
        }
    }

    /// A choice inside an expression: what is evaluated in each branch is under the control of `cond`.
    fn guarded(
        &mut self,
        cond: &Expr,
        port: Port,
        mut branch: impl FnMut(&mut Self, Tmp, bool) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let id = self.fresh();
        self.code.push(Op::ControlSave { id });
        self.code.push(Op::CondBegin);
        let cond = self.expr(cond, port)?.tmp;
        self.code.push(Op::CondEnd);
        let mut lists = Vec::new();
        for holds in [true, false] {
            let interrupted = self.code.start_list();
            let result = branch(self, cond, holds);
            lists.push(self.code.end_list(interrupted));
            result?;
        }
        let otherwise = lists.pop().unwrap_or_default();
        let then = lists.pop().unwrap_or_default();
        self.code.push(Op::If { cond, then, otherwise });
        self.code.push(Op::ControlRestore { id });
        Ok(())
    }

    /// Does evaluating it touch nothing but registers, and change none?
    fn is_quiet(&self, e: &Expr) -> bool {
        !analysis::any(e, &|part| match &part.kind {
            ExprKind::Name(name) => matches!(self.scopes.find(name), Some(Variable::Memory { .. })),
            ExprKind::Unary(UnaryOp::Deref, _)
            | ExprKind::Index(..)
            | ExprKind::Assign(..)
            | ExprKind::Step { .. }
            | ExprKind::Call { .. }
            | ExprKind::Intrinsic(_) => true,
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, right) => self.constant(right).is_none(),
            _ => false,
        })
    }

    /// The place that an access function is applied to: `*p`, or an object by its name.
    pub(super) fn accessed(&mut self, e: &Expr) -> Result<(Tmp, CType), Diagnostic> {
        let mismatch = |help: String| {
            Diagnostic::error("c::bad-access", "this function needs an object in memory")
                .at(e.span, "not of the form `*pointer`")
                .help(help)
        };
        match &e.kind {
            ExprKind::Name(name) => match self.variable(name, e.span) {
                Variable::Memory { sym, ty } => Ok((self.code.constant(Value::addr(sym)), ty)),
                Variable::Address { .. } => Err(mismatch(format!("`{name}` is an address: write `*{name}`"))),
                Variable::Register { .. } => Err(mismatch(format!(
                    "`{name}` is a local variable; if it holds an address, write `*{name}`"
                ))),
            },
            _ => match self.place(e) {
                Ok(Place::Memory(addr, ty)) => Ok((addr, ty)),
                _ => Err(mismatch("the argument must be an object: `*p`, `a[i]` or a global".to_string())),
            },
        }
    }
}

/// The type that a pointer leads to. Tests also follow integers that hold addresses.
pub fn pointed_at(ty: &CType) -> CType {
    ty.target().cloned().unwrap_or(CType::INT)
}

/// The type of the value of an object: qualifiers are gone, arrays have become pointers.
pub fn value_type(ty: &CType) -> CType {
    match ty {
        CType::Int(int) => CType::Int(crate::arch::c::types::IntType { atomic: false, ..*int }),
        CType::Array(element, _) => element.clone().pointer(),
        CType::Void | CType::Opaque(_) => CType::INT,
        CType::Pointer(_) => ty.clone(),
    }
}

/// The size of an access.
pub fn size_of(ty: &CType) -> AccessSize {
    AccessSize(u8::try_from(ty.size()).unwrap_or(8))
}

/// The micro-op of an operator.
pub fn binary_op(op: BinaryOp, unsigned: bool) -> BinOp {
    match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div if unsigned => BinOp::Divu,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::Rem if unsigned => BinOp::Remu,
        BinaryOp::Rem => BinOp::Rem,
        BinaryOp::And => BinOp::And,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::Xor => BinOp::Xor,
        BinaryOp::AndNot => BinOp::AndNot,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::Shr if unsigned => BinOp::Lsr,
        BinaryOp::Shr => BinOp::Asr,
        BinaryOp::Eq => BinOp::Eq,
        BinaryOp::Ne => BinOp::Ne,
        BinaryOp::Lt if unsigned => BinOp::Ltu,
        BinaryOp::Lt => BinOp::Lt,
        BinaryOp::Le if unsigned => BinOp::Leu,
        BinaryOp::Le => BinOp::Le,
        BinaryOp::Gt if unsigned => BinOp::Gtu,
        BinaryOp::Gt => BinOp::Gt,
        BinaryOp::Ge if unsigned => BinOp::Geu,
        BinaryOp::Ge => BinOp::Ge,
    }
}
