//! Accesses to memory that is accessed in several sizes, and atomic ones to whole structures.

use crate::arch::c::lower::BITS;
use crate::arch::c::orders::{Mark, MemoryOrder};
use crate::arch::c::unit::tree::Part;
use crate::arch::c::unit::types::{Leaf, Record, Ty};
use crate::diag::Diagnostic;
use crate::program::shapes::Shape;
use crate::program::threads::{COPY, PART};
use crate::program::{AccessSize, BinOp, Content, Location, Port, Storage, Tmp, UnOp, Value, eval_unary};
use crate::source::Span;

use super::code::Ops;
use super::expr::hold;
use super::place::Place;
use super::value::Rv;
use super::{Lowering, Orders};

/// The largest object that is read or written in one step.
const WHOLE: u64 = 16;

impl Lowering<'_> {
    /// Reads so many bytes, in the accesses that the memory there is made for.
    pub(super) fn read(
        &mut self,
        address: &Rv,
        size: AccessSize,
        mark: Mark,
        span: Span,
    ) -> Result<Rv, Diagnostic> {
        match self.shape(size, &mark, span) {
            None => self.read_whole(address, size, mark, span),
            Some(Shape::Pieces(piece)) => {
                let address = self.kept(address.clone(), span)?;
                let mut whole = Rv::ZERO;
                for at in (0..size.0).step_by(usize::from(piece)) {
                    let part = self.read(&moved(&address, at), AccessSize(piece), Mark::Plain, span)?;
                    let part = shifted(number(part, piece), &Rv::int(8 * i128::from(at)));
                    whole = Rv::binary(BinOp::Or, part, whole);
                }
                let whole = self.kept(whole, span)?;
                Ok(address_if(whole, size.0))
            }
            Some(Shape::Within(cell)) => {
                let (base, by) = self.within(address, cell, span)?;
                let whole = self.read_cell(&base, cell, mark, span)?;
                let part = Rv::binary(BinOp::Lsr, number(whole, cell), by);
                Ok(address_if(Rv::unary(UnOp::ZeroExtend(8 * size.0), part), size.0))
            }
        }
    }

    /// Writes so many bytes, likewise.
    pub(super) fn put(
        &mut self,
        address: &Rv,
        value: &Rv,
        size: AccessSize,
        mark: Mark,
        span: Span,
    ) -> Result<(), Diagnostic> {
        match self.shape(size, &mark, span) {
            None => self.put_whole(address, value, size, mark, span),
            Some(Shape::Pieces(piece)) => {
                let address = self.kept(address.clone(), span)?;
                let whole = self.kept(number(value.clone(), size.0), span)?;
                for at in (0..size.0).step_by(usize::from(piece)) {
                    let part = Rv::binary(BinOp::Lsr, whole.clone(), Rv::int(8 * i128::from(at)));
                    let part = address_if(Rv::unary(UnOp::ZeroExtend(8 * piece), part), piece);
                    self.put(&moved(&address, at), &part, AccessSize(piece), Mark::Plain, span)?;
                }
            }
            Some(Shape::Within(cell)) if mark.order().is_some() => {
                let order = mark.order().unwrap_or(MemoryOrder::SeqCst);
                if order != MemoryOrder::SeqCst {
                    return Err(smaller("store", size.0, cell, span));
                }
                let (value, ty) = (self.kept(value.clone(), span)?, Ty::int(size.0, false));
                self.modify(address, &ty, order, span, |_, ops| ops.value(&value, Port::Data))?;
            }
            Some(Shape::Within(cell)) => {
                let value = self.kept(number(value.clone(), size.0), span)?;
                let (base, by) = self.within(address, cell, span)?;
                let lenient = self.lenient.replace(PART);
                let old = self.read_cell(&base, cell, Mark::Plain, span);
                self.lenient = lenient;
                let ones = Rv::int((1i128 << (8 * u32::from(size.0)).min(127)) - 1);
                let hole = Rv::unary(UnOp::Not, shifted(ones, &by));
                let rest = Rv::binary(BinOp::And, number(old?, cell), hole);
                let new = Rv::binary(BinOp::Or, rest, shifted(value, &by));
                let new = self.kept(address_if(new, cell), span)?;
                self.within = true;
                self.put_whole(&base, &new, AccessSize(cell), Mark::Plain, span);
                self.within = false;
            }
        }
        Ok(())
    }

    fn shape(&self, size: AccessSize, mark: &Mark, span: Span) -> Option<Shape> {
        let plain = mark.order().is_none();
        let shape = self.shapes.of(self.shown(span), size.0);
        shape.filter(|shape| plain || matches!(shape, Shape::Within(_)))
    }

    /// The larger cell that an update is a part of, if it is. On machines that keep reads in order, and write back whole cells, it is an update of that. Elsewhere
    /// it would be ordered after whoever wrote the rest, and executions would be missing.
    pub(super) fn larger(&self, size: AccessSize, span: Span) -> Result<Option<u8>, Diagnostic> {
        match self.shapes.of(self.shown(span), size.0) {
            Some(Shape::Within(cell)) if self.options.orders == Orders::Fences => Ok(Some(cell)),
            Some(Shape::Within(cell)) => Err(smaller("update", size.0, cell, span)),
            _ => Ok(None),
        }
    }

    /// An update of part of a cell: of the whole of it, in which the rest stays.
    pub(super) fn modify_part(
        &mut self,
        (address, cell): (&Rv, u8),
        ty: &Ty,
        order: MemoryOrder,
        span: Span,
        new: impl FnOnce(Tmp, &mut Ops) -> Tmp,
    ) -> Result<(Rv, Rv), Diagnostic> {
        let size = self.access_size(ty, span)?.0;
        let (base, by) = self.within(address, cell, span)?;
        let ones = Rv::int((1i128 << (8 * u32::from(size))) - 1);
        let hole = self.kept(Rv::unary(UnOp::Not, shifted(ones, &by)), span)?;
        self.within = true;
        let done = self.modify_whole(&base, &Ty::int(cell, false), order, span, |dst, ops| {
            let (by, hole) = (ops.value(&by, Port::Data), ops.value(&hole, Port::Data));
            let number = ops.unary(UnOp::AsNumber, dst);
            let whole = ops.unary(UnOp::ZeroExtend(8 * cell), number);
            let low = ops.binary(BinOp::Lsr, whole, by);
            let part = hold(ops, low, ty);
            let part = new(part, ops);
            let part = ops.unary(UnOp::ZeroExtend(8 * size), part);
            let part = ops.binary(BinOp::Shl, part, by);
            let rest = ops.binary(BinOp::And, whole, hole);
            let both = ops.binary(BinOp::Or, rest, part);
            if cell == 8 { ops.unary(UnOp::AsAddress, both) } else { both }
        });
        self.within = false;
        let (old, new) = done?;
        let part = |whole: Rv| Rv::binary(BinOp::Lsr, number(whole, cell), by.clone()).held(ty);
        Ok((part(old), part(new)))
    }

    /// The cell around an address, and by how many bits what is meant lies above its beginning.
    fn within(&mut self, address: &Rv, cell: u8, span: Span) -> Result<(Rv, Rv), Diagnostic> {
        let address = self.kept(address.clone(), span)?;
        let cell = i128::from(cell);
        let above = Rv::binary(BinOp::Rem, address.clone(), Rv::int(cell));
        let base = Rv::binary(BinOp::And, address, Rv::int(-cell));
        Ok((base, self.kept(Rv::binary(BinOp::Mul, above, Rv::int(8)), span)?))
    }

    fn read_cell(&mut self, base: &Rv, cell: u8, mark: Mark, span: Span) -> Result<Rv, Diagnostic> {
        self.within = true;
        let whole = self.read_whole(base, AccessSize(cell), mark, span);
        self.within = false;
        whole
    }

    /// The number that stands for a structure that is read or written as a whole; nothing for other types.
    pub(super) fn as_number(&self, ty: &Ty) -> Option<Ty> {
        let size = matches!(ty.plain(), Ty::Record(_)).then(|| self.size(ty.plain()))?;
        (1..=WHOLE).contains(&size).then(|| Ty::int(size as u8, false))
    }

    /// A structure as a number.
    pub(super) fn packed(&mut self, from: &Rv, ty: &Ty, span: Span) -> Result<Rv, Diagnostic> {
        let from = self.kept(from.clone(), span)?;
        let mut whole = Rv::ZERO;
        for leaf in ty.plain().leaves(&self.unit.records) {
            let offset = Rv::int(i128::from(leaf.offset));
            let plain = leaf.ty.plain().clone();
            let size = self.size(&plain) as u8;
            let place = Place::Memory(Rv::binary(BinOp::Add, from.clone(), offset), plain, None);
            self.lenient = Some(COPY);
            let part = self.load(&place, Mark::Plain, span);
            self.lenient = None;
            let part = shifted(number(part?, size), &Rv::int(8 * i128::from(leaf.offset)));
            whole = Rv::binary(BinOp::Or, part, whole);
        }
        self.kept(whole, span)
    }

    /// A number as the structure at that address.
    pub(super) fn unpack(&mut self, to: &Rv, value: &Rv, ty: &Ty, span: Span) -> Result<(), Diagnostic> {
        let (to, value) = (self.kept(to.clone(), span)?, self.kept(value.clone(), span)?);
        for leaf in ty.plain().leaves(&self.unit.records) {
            let plain = leaf.ty.plain().clone();
            let size = self.size(&plain) as u8;
            let part = Rv::binary(BinOp::Lsr, value.clone(), Rv::int(8 * i128::from(leaf.offset)));
            let part = address_if(Rv::unary(UnOp::ZeroExtend(8 * size), part), size);
            let offset = Rv::int(i128::from(leaf.offset));
            let place = Place::Memory(Rv::binary(BinOp::Add, to.clone(), offset), plain, None);
            self.store(&place, part, Mark::Plain, span)?;
        }
        Ok(())
    }

    /// A number as a structure of its own; gives its address.
    pub(super) fn unpacked(&mut self, value: &Rv, ty: &Ty, span: Span) -> Result<Rv, Diagnostic> {
        let reg = self.code.reg(span)?;
        let size = Rv::int(i128::from(self.size(ty.plain())));
        self.allocate(reg, &size, Storage::Private, Content::Nothing, span);
        self.unpack(&Rv::Reg(reg), value, ty, span)?;
        Ok(Rv::Reg(reg))
    }
}

/// An atomic access that cannot be made part of a larger one.
pub(super) fn smaller(what: &str, bytes: u8, cell: u8, span: Span) -> Diagnostic {
    let size = |n: u8| if n == 1 { "1 byte".to_string() } else { format!("{n} bytes") };
    let (part, whole) = (size(bytes), size(cell));
    let message =
        format!("an atomic {what} of {part}, part of {whole} that other atomic accesses take as a whole");
    Diagnostic::unsupported("c::mixed-size", message).at(span, "this access").help(
        "loads of a part are supported, and under sc, tso and pso stores that are sequentially consistent, exchanges and additions",
    )
}

/// The cells of a static object: its scalars, but for bytes that are accessed in another size. Whether they must stay is told of each.
pub(super) fn cells(
    leaves: Vec<Leaf>,
    records: &[Record],
    shapes: impl Iterator<Item = (i64, i64, u8, bool)>,
) -> Vec<(Leaf, bool)> {
    let mut all: Vec<(Leaf, bool)> = leaves.into_iter().map(|leaf| (leaf, false)).collect();
    for (from, to, bytes, pinned) in shapes {
        let (from, to) = (from.max(0) as u64, to.max(0) as u64);
        let end = |leaf: &Leaf| leaf.offset + leaf.ty.size(records).unwrap_or(1);
        let inside = |leaf: &Leaf| leaf.offset < to && from < end(leaf);
        let (old, mut rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|(leaf, _)| inside(leaf));
        let path = |offset: u64| {
            let same = old.iter().find(|(leaf, _)| leaf.offset == offset);
            same.map_or_else(|| format!("+{offset}"), |(leaf, _)| leaf.path.clone())
        };
        for offset in (from..to).step_by(usize::from(bytes.max(1))) {
            let leaf = Leaf { offset, ty: Ty::int(bytes, false), path: path(offset) };
            rest.push((leaf, pinned));
        }
        rest.sort_by_key(|(leaf, _)| leaf.offset);
        all = rest;
    }
    all
}

/// Puts part of an initial value into the cells that it lies in.
pub(super) fn start_with<'c>(
    cells: impl Iterator<Item = &'c mut Location>,
    part: &Part,
    value: Value,
    size: u8,
) {
    let from = part.offset as i64;
    let bytes = |value: Value| match eval_unary(UnOp::AsNumber, value, BITS) {
        Ok(Value::Int(n)) => n,
        _ => 0,
    };
    let ones = |bits: u32| if bits >= 128 { -1 } else { (1i128 << bits) - 1 };
    let (shift, mask) = match part.bits {
        None => (0, ones(8 * u32::from(size))),
        Some((low, width)) => (u32::from(low), ones(u32::from(width)) << low),
    };
    for cell in cells {
        let width = i64::from(cell.ty.bytes);
        if cell.offset == from && width == i64::from(size) && part.bits.is_none() {
            cell.init = value;
            return;
        }
        if cell.offset + width <= from || from + i64::from(size) <= cell.offset {
            continue;
        }
        // Both as numbers that begin at the byte where the cell begins.
        let move_to = |n: i128| match 8 * (from - cell.offset) {
            up @ 0.. => n.checked_shl(up as u32).unwrap_or(0),
            down => ((n as u128) >> (-down) as u32) as i128,
        };
        let (new, mask) = (move_to((bytes(value) << shift) & mask), move_to(mask));
        let merged = (bytes(cell.init) & !mask | new) & ones(8 * u32::from(cell.ty.bytes));
        let merged = match cell.ty.signed {
            true => eval_unary(UnOp::SignExtend(8 * cell.ty.bytes), Value::Int(merged), BITS),
            false if cell.ty.bytes == 8 => eval_unary(UnOp::AsAddress, Value::Int(merged), BITS),
            false => Ok(Value::Int(merged)),
        };
        cell.init = merged.unwrap_or(Value::ZERO);
    }
}

fn moved(address: &Rv, by: u8) -> Rv {
    Rv::binary(BinOp::Add, address.clone(), Rv::int(i128::from(by)))
}

fn shifted(value: Rv, by: &Rv) -> Rv {
    Rv::binary(BinOp::Shl, value, by.clone())
}

/// The bytes of a value.
fn number(value: Rv, size: u8) -> Rv {
    match size {
        16.. => value,
        8 => Rv::unary(UnOp::ZeroExtend(64), Rv::unary(UnOp::AsNumber, value)),
        _ => Rv::unary(UnOp::ZeroExtend(8 * size), value),
    }
}

/// Of as many bytes as a pointer has: the address that they are, if they are one.
fn address_if(value: Rv, size: u8) -> Rv {
    if size == 8 { Rv::unary(UnOp::AsAddress, value) } else { value }
}
