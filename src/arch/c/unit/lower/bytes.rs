//! Memory copied, moved, filled, made larger: `memcpy` and its kind, `realloc`.

use crate::arch::c::orders::Mark;
use crate::arch::c::unit::tree::{Expr, ExprKind};
use crate::arch::c::unit::types::Ty;
use crate::diag::Diagnostic;
use crate::program::{AccessSize, BinOp, Content, Extra, Op, Port, Storage, UnOp, Value};
use crate::source::Span;

use super::Lowering;
use super::code::{Code, Ops};
use super::place::Place;
use super::value::Rv;

impl Lowering<'_> {
    /// A byte set to zero, whatever it is part of.
    fn zero(&mut self, base: &Rv, offset: u64, span: Span) {
        let mut ops = Ops::default();
        let address = Rv::binary(BinOp::Add, base.clone(), Rv::int(i128::from(offset)));
        let addr = ops.value(&address, Port::Addr);
        let value = ops.constant(0);
        let (sets, extra) = (Mark::Plain.access_sets(), Extra::default());
        ops.push(Op::Store { addr, value, size: AccessSize(0), sets, extra });
        self.emit(ops, span);
    }

    /// `memcpy`, `memmove` and `memset`: by the scalars of what the pointers point at.
    pub(super) fn bytes(&mut self, name: &str, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let to = self.expr(&args[0])?;
        let to = self.kept(to, span)?;
        let second = self.expr(&args[1])?;
        let second = self.kept(second, span)?;
        let size = self.expr(&args[2])?;
        let candidates = [pointee(&args[0]), if name == "fill" { None } else { pointee(&args[1]) }];
        if name == "move" {
            // What overlaps is read before any of it is written.
            let size = self.kept(size, span)?;
            let between = self.code.reg(span)?;
            self.allocate(between, &size, Storage::Private, Content::Nothing, span);
            let between = Rv::Reg(between);
            self.transfer("copy", (&between, &second), &size, &candidates, span)?;
            self.transfer("copy", (&to, &between), &size, &candidates, span)?;
            return Ok(to);
        }
        self.transfer(name, (&to, &second), &size, &candidates, span)?;
        Ok(to)
    }

    /// A new object with what was in the old one, which ends.
    pub(super) fn reallocate(&mut self, args: &[Expr], span: Span) -> Result<Rv, Diagnostic> {
        let old = self.expr(&args[0])?;
        let old = self.kept(old, span)?;
        let size = self.expr(&args[1])?;
        let size = self.kept(size, span)?;
        let new = self.code.reg(span)?;
        self.allocate(new, &size, Storage::Heap, Content::Nothing, span);
        let extent = Rv::unary(UnOp::Extent, old.clone());
        let both = self.kept(Rv::binary(BinOp::Min, extent, size), span)?;
        self.transfer("copy", (&Rv::Reg(new), &old), &both, &[pointee(&args[0]), None], span)?;
        self.with_condition(&old, span, |addr| Op::Free { addr, kind: Storage::Heap });
        Ok(Rv::Reg(new))
    }

    /// So many bytes copied or filled, element by element of one of these types.
    fn transfer(
        &mut self,
        name: &str,
        (to, second): (&Rv, &Rv),
        size: &Rv,
        candidates: &[Option<Ty>; 2],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let mut candidates = candidates.iter().flatten().map(|ty| ty.mutable().clone());
        let Some(size) = size.known().and_then(Value::as_int).map(|size| size as u64) else {
            let mut element = candidates.find(|ty| *ty != Ty::Void).unwrap_or(Ty::CHAR);
            while let Ty::Array(inner, _) = element {
                element = inner.mutable().clone();
            }
            return self.pieces(name, (to, second), size, &element, span);
        };
        let element = candidates.find(|ty| {
            let bytes = ty.size(&self.unit.records).unwrap_or(0);
            *ty != Ty::Void && bytes > 0 && size.is_multiple_of(bytes)
        });
        let element = element.unwrap_or(Ty::CHAR);
        let count = size / self.size(&element).max(1);
        let whole = Ty::Array(std::rc::Rc::new(element), Some(count));
        self.piece(name, (to, second), &whole, span)
    }

    /// Likewise, of a size that is computed: one element after the other.
    fn pieces(
        &mut self,
        name: &str,
        (to, second): (&Rv, &Rv),
        size: &Rv,
        element: &Ty,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let size = self.kept(size.clone(), span)?;
        let at = self.code.reg(span)?;
        self.write(at, &Rv::ZERO, span);
        let id = self.fresh_loop();
        let (top, end) = (self.code.label(), self.code.label());
        self.op(Op::LoopEnter { id }, span);
        self.code.place(top);
        let mut ops = Ops::default();
        let more = Rv::binary(BinOp::Lt, Rv::Reg(at), size);
        let cond = self.condition(&mut ops, &more);
        let (then, otherwise) = (vec![Op::LoopHead { id }], vec![Code::goto(end)]);
        ops.push(Op::If { cond, then, otherwise });
        self.emit(ops, span);
        let place = |base: &Rv| Rv::binary(BinOp::Add, base.clone(), Rv::Reg(at));
        let from = if name == "copy" { place(second) } else { second.clone() };
        self.piece(name, (&place(to), &from), element, span)?;
        let next = Rv::binary(BinOp::Add, Rv::Reg(at), Rv::int(i128::from(self.size(element).max(1))));
        self.write(at, &next, span);
        self.goto(top, span);
        self.code.place(end);
        Ok(())
    }

    /// Part of an object that is copied or filled.
    fn piece(
        &mut self,
        name: &str,
        (to, second): (&Rv, &Rv),
        whole: &Ty,
        span: Span,
    ) -> Result<(), Diagnostic> {
        if name == "copy" {
            return self.copy(to, second, whole, span);
        }
        let byte = Rv::unary(UnOp::ZeroExtend(8), second.clone());
        let leaves = whole.leaves(&self.unit.records);
        if leaves.len() > 4096 {
            return Err(
                Diagnostic::unsupported("c::too-large", "a `memset` of so large an object").at(span, "here")
            );
        }
        let untyped = byte == Rv::ZERO && matches!(whole, Ty::Array(element, _) if **element == Ty::CHAR);
        for leaf in leaves {
            if untyped {
                self.zero(to, leaf.offset, span);
                continue;
            }
            let bytes = self.size(&leaf.ty).min(16) as u32;
            let each = (0..bytes).fold(0i128, |sum, n| sum | 1 << (8 * n));
            let value = Rv::binary(BinOp::Mul, byte.clone(), Rv::int(each));
            let address = Rv::binary(BinOp::Add, to.clone(), Rv::int(i128::from(leaf.offset)));
            let place = Place::Memory(address, leaf.ty.plain().clone(), None);
            self.store(&place, value.held(&leaf.ty), Mark::Plain, span)?;
        }
        Ok(())
    }
}

/// What an argument points at, before it became a pointer to anything.
fn pointee(e: &Expr) -> Option<Ty> {
    let mut e = e;
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    match &e.kind {
        ExprKind::AddressOf(inner) => Some(inner.ty.clone()),
        _ => e.ty.target().cloned(),
    }
}
