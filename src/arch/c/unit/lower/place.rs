//! Objects: where they are, reading and writing them.

use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::unit::tree::{Expr, ExprKind, Life, Part};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::fences::full_fence;
use crate::program::shapes::WITHIN;
use crate::program::threads::{COPY, DOUBLE, FLOAT, MAY_RACE, PART};
use crate::program::{AccessSize, BinOp, Content, Extra, Op, Port, Reg, SetName, Storage, UnOp, Value};
use crate::source::Span;

use super::code::Ops;
use super::expr::cut;
use super::value::Rv;
use super::{Lowering, Orders, Slot, machine};

/// An object.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Register(Reg, Ty),
    /// At an address; some bits of it, for a bit-field.
    Memory(Rv, Ty, Option<(u8, u8)>),
}

impl Lowering<'_> {
    fn slot(&self, id: usize) -> Option<Slot> {
        let frame = self.frames.last()?;
        frame.slots.get(&id).or_else(|| self.own.get(&id)).copied()
    }

    /// A place for a variable; the register that holds it or its address.
    pub(super) fn new_slot(&mut self, id: usize) -> Result<Slot, Diagnostic> {
        let variable = &self.unit.variables[id];
        let reg = self.code.reg(variable.span)?;
        Ok(match variable.addressed || !variable.ty.is_scalar() {
            true => Slot::Memory(reg),
            false => Slot::Register(reg),
        })
    }

    /// Makes the object of a variable and gives it its initial value.
    pub(super) fn bring_to_life(&mut self, id: usize, slot: Slot, zero: bool) -> Result<(), Diagnostic> {
        let variable = &self.unit.variables[id];
        let (ty, span) = (variable.ty.clone(), variable.span);
        let parts = variable.init.as_deref();
        match slot {
            Slot::Register(reg) => {
                let Some([part]) = parts else {
                    match zero || parts.is_some() {
                        true => self.write(reg, &Rv::ZERO, span),
                        false if self.options.uninitialised => {
                            let mut ops = Ops::default();
                            let nothing = ops.constant(0);
                            let nothing = ops.unary(UnOp::EntryOf, nothing);
                            ops.write(reg, nothing);
                            self.emit(ops, span);
                        }
                        false => {}
                    }
                    return Ok(());
                };
                let value = self.expr(&part.value)?.held(&ty);
                self.write(reg, &value, span.to(part.value.span));
            }
            Slot::Memory(reg) => {
                let storage = if variable.escapes { Storage::Stack } else { Storage::Private };
                // A whole structure copied over leaves nothing to be zero.
                let whole = matches!(parts, Some([part]) if part.ty.plain() == ty.plain());
                let content =
                    if (parts.is_some() && !whole) || zero { Content::Zero } else { Content::Nothing };
                let size = self.size(&ty);
                self.allocate(reg, &Rv::int(i128::from(size)), storage, content, span);
                for part in parts.into_iter().flatten() {
                    // Of a single value the text says whose it is.
                    let at = if whole { span.to(part.value.span) } else { part.value.span };
                    self.store_part(Rv::Reg(reg), part, at)?;
                }
            }
        }
        Ok(())
    }

    fn store_part(&mut self, base: Rv, part: &Part, span: Span) -> Result<(), Diagnostic> {
        let address = Rv::binary(BinOp::Add, base, Rv::int(i128::from(part.offset)));
        if !part.ty.is_scalar() {
            let from = self.record(&part.value)?;
            return self.copy(&address, &from, &part.ty, span);
        }
        let value = self.expr(&part.value)?;
        // The first write of an atomic object is a plain one.
        let place = Place::Memory(address, part.ty.plain().clone(), part.bits);
        self.store(&place, value, Mark::Plain, span)
    }

    pub(super) fn allocate(&mut self, reg: Reg, size: &Rv, kind: Storage, content: Content, span: Span) {
        let mut ops = Ops::default();
        let size = ops.value(size, Port::None);
        let dst = ops.tmp();
        ops.push(Op::Alloc { dst, size, kind, content });
        ops.write(reg, dst);
        self.emit(ops, span);
    }

    /// The object that an expression names.
    pub(super) fn place(&mut self, e: &Expr) -> Result<Place, Diagnostic> {
        match &e.kind {
            ExprKind::Var(id) => {
                let variable = &self.unit.variables[*id];
                if variable.life == Life::Static {
                    let sym = self.static_symbol(*id)?;
                    return Ok(Place::Memory(Rv::Const(Value::addr(sym)), e.ty.clone(), None));
                }
                match self.slot(*id) {
                    Some(Slot::Register(reg)) => Ok(Place::Register(reg, e.ty.clone())),
                    Some(Slot::Memory(reg)) => Ok(Place::Memory(Rv::Reg(reg), e.ty.clone(), None)),
                    None => Err(Diagnostic::unsupported(
                        "c::goto",
                        format!("`{}` is used where its declaration was jumped over", variable.name),
                    )
                    .at(e.span, "here")),
                }
            }
            ExprKind::Literal(id) => {
                let slot = self.new_slot(*id)?;
                self.frame().slots.insert(*id, slot);
                self.bring_to_life(*id, slot, false)?;
                match slot {
                    Slot::Register(reg) => Ok(Place::Register(reg, e.ty.clone())),
                    Slot::Memory(reg) => Ok(Place::Memory(Rv::Reg(reg), e.ty.clone(), None)),
                }
            }
            ExprKind::Deref(pointer) => match &pointer.kind {
                // `*&x` is `x`, and need not be in memory. An array is not its first member.
                ExprKind::AddressOf(object)
                    if pointer.ty.target().map(Ty::plain) == Some(object.ty.plain()) =>
                {
                    self.place(object)
                }
                _ => {
                    let address = self.expr(pointer)?;
                    Ok(Place::Memory(address, e.ty.clone(), None))
                }
            },
            ExprKind::Member(inner, offset, bits) => {
                let base = match inner.is_object() {
                    true => match self.place(inner)? {
                        Place::Memory(address, ..) => address,
                        Place::Register(..) => {
                            return Err(Diagnostic::internal("a structure in a register").at(e.span, "here"));
                        }
                    },
                    false => self.record(inner)?,
                };
                let address = Rv::binary(BinOp::Add, base, Rv::int(i128::from(*offset)));
                Ok(Place::Memory(address, e.ty.clone(), *bits))
            }
            _ => {
                let address = self.record(e)?;
                Ok(Place::Memory(address, e.ty.clone(), None))
            }
        }
    }

    /// The place that an argument of a builtin points at: a register stays one.
    pub(super) fn target(&mut self, e: &Expr) -> Result<Place, Diagnostic> {
        let ty = e.ty.target().cloned().unwrap_or(Ty::INT);
        if let ExprKind::AddressOf(inner) = &e.kind
            && inner.is_object()
            && inner.ty.is_scalar()
        {
            return self.place(inner);
        }
        let address = self.expr(e)?;
        Ok(Place::Memory(address, ty, None))
    }

    /// What an access without an order of its own is marked with.
    pub(super) fn mark(ty: &Ty) -> Mark {
        match ty.is_atomic() {
            true => Mark::Order(MemoryOrder::SeqCst),
            false => Mark::Plain,
        }
    }

    pub(super) fn access_size(&self, ty: &Ty, span: Span) -> Result<AccessSize, Diagnostic> {
        match ty.plain() {
            plain if plain.is_scalar() => Ok(AccessSize(self.size(plain) as u8)),
            other => Err(Diagnostic::unsupported(
                "c::access",
                format!("an access to a whole `{}` at once", other.describe(&self.unit.records)),
            )
            .at(span, "here")),
        }
    }

    pub(super) fn load(&mut self, place: &Place, mark: Mark, span: Span) -> Result<Rv, Diagnostic> {
        match place {
            Place::Register(reg, ty) => {
                self.long_double(ty, span);
                Ok(Rv::Reg(*reg).held(ty))
            }
            Place::Memory(address, ty, bits) => {
                self.long_double(ty, span);
                let size = self.access_size(ty, span)?;
                self.floating = floating(ty, size);
                let value = self.read(address, size, mark, span);
                self.floating = None;
                let value = value?.held(ty);
                Ok(match bits {
                    None => value,
                    Some((low, width)) => {
                        let shifted = Rv::binary(BinOp::Lsr, value, Rv::int(i128::from(*low)));
                        cut(shifted, ty, *width)
                    }
                })
            }
        }
    }

    pub(super) fn store(
        &mut self,
        place: &Place,
        value: Rv,
        mark: Mark,
        span: Span,
    ) -> Result<(), Diagnostic> {
        match place {
            Place::Register(reg, ty) => {
                let value = value.held(ty);
                self.write(*reg, &value, span);
                Ok(())
            }
            Place::Memory(address, ty, bits) => {
                let size = self.access_size(ty, span)?;
                let value = match bits {
                    None => value.held(ty),
                    Some((low, width)) => {
                        let whole = Place::Memory(address.clone(), ty.clone(), None);
                        self.lenient = Some(PART);
                        let old = self.load(&whole, Mark::Plain, span);
                        self.lenient = None;
                        let old = old?;
                        let mask = ((1i128 << width) - 1) << low;
                        let kept = Rv::binary(BinOp::And, old, Rv::int(!mask));
                        let new = Rv::binary(BinOp::Shl, value, Rv::int(i128::from(*low)));
                        let new = Rv::binary(BinOp::And, new, Rv::int(mask));
                        Rv::binary(BinOp::Or, kept, new).held(ty)
                    }
                };
                self.floating = floating(ty, size);
                let done = self.put(address, &value, size, mark, span);
                self.floating = None;
                done
            }
        }
    }

    /// Reads so many bytes, in one access.
    pub(super) fn read_whole(
        &mut self,
        address: &Rv,
        size: AccessSize,
        mark: Mark,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        let dst_reg = self.code.reg(span)?;
        let order = mark.order();
        let access = self.options.orders.machine().map(|machine| machine.load(order));
        let sets = match &access {
            Some(access) => machine::sets(access.read, order, false),
            None => mark.access_sets(),
        };
        self.named_fence(access.map_or(&[], |access| access.before), span);
        let mut ops = Ops::default();
        let addr = ops.value(address, Port::Addr);
        let dst = ops.tmp();
        ops.push(Op::Load { dst, addr, size, sets: self.lenient(sets, size), extra: Extra::default() });
        ops.write(dst_reg, dst);
        self.emit(ops, span);
        self.named_fence(access.map_or(&[], |access| access.after), span);
        Ok(Rv::Reg(dst_reg))
    }

    /// Writes so many bytes, in one access.
    pub(super) fn put_whole(&mut self, address: &Rv, value: &Rv, size: AccessSize, mark: Mark, span: Span) {
        let order = mark.order();
        let access = self.options.orders.machine().map(|machine| machine.store(order));
        let sets = match &access {
            Some(access) => machine::sets(access.write, order, false),
            None => mark.access_sets(),
        };
        self.named_fence(access.map_or(&[], |access| access.before), span);
        if matches!(order, Some(MemoryOrder::Release | MemoryOrder::SeqCst)) {
            self.ordering_fence(span);
        }
        let mut ops = Ops::default();
        let addr = ops.value(address, Port::Addr);
        let value = ops.value(value, Port::Data);
        ops.push(Op::Store { addr, value, size, sets: self.lenient(sets, size), extra: Extra::default() });
        self.emit(ops, span);
        self.named_fence(access.map_or(&[], |access| access.after), span);
        if order == Some(MemoryOrder::SeqCst) {
            self.machine_fence(span);
        }
    }

    pub(super) fn lenient(&self, mut sets: Vec<SetName>, size: AccessSize) -> Vec<SetName> {
        sets.extend(self.lenient.map(Into::into));
        // Part of a number is none.
        sets.extend(self.floating.filter(|(whole, _)| *whole == size).map(|(_, set)| set.into()));
        sets.extend(self.within.then(|| WITHIN.into()));
        sets.extend(self.may_race.then(|| MAY_RACE.into()));
        sets
    }

    /// On machines: what makes writes before it land before writes after it.
    pub(super) fn ordering_fence(&mut self, span: Span) {
        if self.options.orders == Orders::Fences {
            self.fence(vec!["SFENCE".into(), "LWSYNC".into(), "DMB.ISHST".into()], span);
        }
    }

    /// On machines: a full fence.
    pub(super) fn machine_fence(&mut self, span: Span) {
        if self.options.orders == Orders::Fences {
            self.fence(full_fence(), span);
        }
    }

    /// A fence of a machine, if there is one.
    pub(super) fn named_fence(&mut self, names: &[&'static str], span: Span) {
        if !names.is_empty() {
            self.fence(names.iter().map(|name| (*name).into()).collect(), span);
        }
    }

    pub(super) fn fence(&mut self, sets: Vec<SetName>, span: Span) {
        let mut ops = Ops::default();
        ops.push(Op::Fence { sets, extra: Extra::default() });
        self.emit(ops, span);
    }

    /// Copies an object, scalar by scalar.
    pub(super) fn copy(&mut self, to: &Rv, from: &Rv, ty: &Ty, span: Span) -> Result<(), Diagnostic> {
        let leaves = ty.leaves(&self.unit.records);
        if leaves.len() > 4096 {
            return Err(
                Diagnostic::unsupported("c::too-large", "a copy of so large an object").at(span, "here")
            );
        }
        for leaf in leaves {
            let depth = self.code.depth;
            let offset = Rv::int(i128::from(leaf.offset));
            let plain = leaf.ty.plain().clone();
            let source =
                Place::Memory(Rv::binary(BinOp::Add, from.clone(), offset.clone()), plain.clone(), None);
            let target = Place::Memory(Rv::binary(BinOp::Add, to.clone(), offset), plain, None);
            self.lenient = Some(COPY);
            let copied = self
                .load(&source, Mark::Plain, span)
                .and_then(|value| self.store(&target, value, Mark::Plain, span));
            self.lenient = None;
            copied?;
            self.code.depth = depth;
        }
        Ok(())
    }
}

/// The set of accesses to a floating-point number.
fn floating(ty: &Ty, size: AccessSize) -> Option<(AccessSize, &'static str)> {
    match ty.plain() {
        Ty::Float(4) => Some((size, FLOAT)),
        Ty::Float(_) => Some((size, DOUBLE)),
        _ => None,
    }
}
