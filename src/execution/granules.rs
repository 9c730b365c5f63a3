//! Accesses of several sizes: the last stage of an access, from the bytes it touches to its events.
//!
//! Threads are unfolded with one event per access, which knows the bytes it touches. Once all accesses of the test are
//! known, memory is cut up (see [`Cells`]), and each access becomes one event per place that it covers: of one instruction
//! instance, with the same sets, not ordered among each other, each with the edges of the whole. The value read is put
//! together from those of the places, a value written is cut up.

use std::collections::BTreeSet;

use crate::diag::Diagnostic;
use crate::program::{BinOp, LocId, Program, UnOp, Value};

use super::cells::{Cells, Extent, joined};
use super::edges::Edges;
use super::path::Path;
use super::{Event, EventKind, SymVal};

/// Cuts up memory and the accesses of all paths.
///
/// # Errors
/// A cell that holds an address would have to be cut.
pub(super) fn split(program: &Program, threads: &mut [Vec<Path>]) -> Result<Cells, Diagnostic> {
    let memory = |event: &&Event| event.is_memory();
    let events = threads.iter().flatten().flat_map(|path| path.events.iter().filter(memory));
    let accesses: BTreeSet<Extent> = events.filter_map(|event| event.extent).collect();
    let accesses: Vec<Extent> = accesses.into_iter().collect();
    let cells = Cells::split(program, &accesses).map_err(|cell| {
        let cell = &program.locations[usize::from(cell.0)];
        let name = &cell.name;
        let message = format!("`{name}` holds an address, of which parts are accessed");
        let diagnostic = Diagnostic::unsupported("program::part-of-an-address", message)
            .note("addresses are symbols: they cannot be cut into bytes");
        let part = |event: &&Event| {
            event.extent.is_some_and(|extent| extent.sym == cell.sym && extent.bytes < cell.ty.bytes)
        };
        let mut events = threads.iter().flatten().flat_map(|path| &path.events);
        match events.find(part).and_then(|event| event.place(program)) {
            Some(span) => diagnostic.at(span, "this access"),
            None => diagnostic,
        }
    })?;
    for path in threads.iter_mut().flatten() {
        *path = Cut::new(path, &cells, program).path(path, program);
    }
    Ok(cells)
}

/// The events of a path, cut up.
struct Cut<'c> {
    cells: &'c Cells,
    events: Vec<Event>,
    /// For each old event its new ones.
    new: Vec<Vec<u32>>,
}

impl<'c> Cut<'c> {
    fn new(path: &Path, cells: &'c Cells, program: &Program) -> Cut<'c> {
        let mut cut = Cut { cells, events: Vec::new(), new: Vec::with_capacity(path.events.len()) };
        for event in &path.events {
            let places = match event.extent {
                Some(extent) if event.is_memory() => cells.covered(extent),
                Some(extent) => cells.at(extent.sym, extent.offset).into_iter().collect(),
                // Tags are not cut.
                None => event.loc.iter().map(|loc| LocId(cells.of(*loc).start as u16)).collect(),
            };
            let first = cut.events.len() as u32;
            if places.is_empty() {
                cut.events.push(Event { access: first, ..event.clone() });
            }
            let torn = event.extent.is_some_and(|extent| extent.is_torn(program))
                && !event.sets.iter().any(|set| set == "X" || set == "EX");
            for loc in places {
                let part = &cells.parts[usize::from(loc.0)];
                let size = event.size.map(|_| part.bytes);
                // The parts of what is no single access are accesses of their own.
                let access = if torn { cut.events.len() as u32 } else { first };
                cut.events.push(Event {
                    loc: Some(loc),
                    part: Some(part.clone()),
                    size,
                    access,
                    ..event.clone()
                });
            }
            cut.new.push((first..cut.events.len() as u32).collect());
        }
        cut
    }

    fn path(mut self, old: &Path, program: &Program) -> Path {
        let bits = program.bits;
        let mut error = old.error.clone();
        for (event, new) in old.events.iter().zip(&self.new) {
            let value = event.value.as_ref().map(|value| self.value(value, bits));
            let written = event.written.as_ref().map(|value| self.value(value, bits));
            let mut shift = 0;
            for id in new {
                let part = self.events[*id as usize].part.clone();
                let cut = |value: &SymVal| match &part {
                    Some(part) if self.cells.of(part.cell).len() > 1 || new.len() > 1 => {
                        piece(value, shift, 8 * part.bytes, bits)
                    }
                    _ => value.clone(),
                };
                let is_read = matches!(event.kind, EventKind::Read | EventKind::Rmw);
                let own = if is_read { Some(SymVal::Read(*id)) } else { value.as_ref().map(cut) };
                let written = written.as_ref().map(cut);
                let stores_address =
                    |value: &SymVal| matches!(value, SymVal::Known(v) if v.as_int().is_none());
                if new.len() > 1 && event.written_value().is_some_and(stores_address) {
                    error.get_or_insert_with(|| cut_address(event, program));
                }
                shift += part.as_ref().map_or(0, |part| 8 * part.bytes);
                let event = &mut self.events[*id as usize];
                (event.value, event.written) = (own, written);
            }
        }
        let pairs = |list: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let new = |id: u32| &self.new[id as usize];
            list.iter()
                .flat_map(|(a, b)| new(*a).iter().flat_map(|a| new(*b).iter().map(|b| (*a, *b))))
                .collect()
        };
        let mut edges = Edges::default();
        edges.extend_with(&old.edges, pairs);
        Path {
            edges,
            constraints: old.constraints.map(&|value| self.value(value, bits)),
            collisions: {
                let values = old.collisions.iter();
                values.map(|(a, b, same)| (self.value(a, bits), self.value(b, bits), *same)).collect()
            },
            final_regs: old.final_regs.iter().map(|(reg, value)| (*reg, self.value(value, bits))).collect(),
            faults: old.faults.clone(),
            cut: old.cut.clone(),
            violations: old.violations.clone(),
            aborted: old.aborted,
            error,
            events: self.events,
        }
    }

    /// A value in terms of the new reads.
    fn value(&self, value: &SymVal, bits: u32) -> SymVal {
        value.substitute(&|read| self.read(read, bits), bits)
    }

    fn read(&self, old: u32, bits: u32) -> SymVal {
        match self.new[old as usize][..] {
            [only] => SymVal::Read(only),
            ref parts => {
                let bytes = |id: u32| self.events[id as usize].size.unwrap_or(0);
                let parts: Vec<(u32, u8)> = parts.iter().map(|id| (*id, bytes(*id))).collect();
                joined(&parts, bits)
            }
        }
    }
}

/// Some bits of a value. What was put together of parts comes apart again.
fn piece(value: &SymVal, shift: u8, length: u8, bits: u32) -> SymVal {
    if let SymVal::Binary(BinOp::Or, a, b) = value {
        let (a, b) = (piece(a, shift, length, bits), piece(b, shift, length, bits));
        return SymVal::binary(BinOp::Or, a, b, bits);
    }
    if let SymVal::Binary(BinOp::Shl, inner, by) = value
        && let SymVal::Known(Value::Int(by)) = **by
        && let Some(width) = inner.unsigned_bits()
    {
        let (low, high) = (by, by + i128::from(width));
        if low >= i128::from(shift) + i128::from(length) || high <= i128::from(shift) {
            return SymVal::ZERO;
        }
        if low == i128::from(shift) {
            return SymVal::unary(UnOp::ZeroExtend(length), (**inner).clone(), bits);
        }
    }
    if value.unsigned_bits().is_some_and(|width| width <= u32::from(shift)) {
        return SymVal::ZERO;
    }
    let moved = match shift {
        0 => value.clone(),
        _ => SymVal::binary(BinOp::Lsr, value.clone(), SymVal::Known(Value::Int(shift.into())), bits),
    };
    SymVal::unary(UnOp::ZeroExtend(length), moved, bits)
}

fn cut_address(event: &Event, program: &Program) -> Diagnostic {
    let diagnostic = Diagnostic::unsupported(
        "program::part-of-an-address",
        "an address is stored where parts of it are accessed",
    )
    .note("addresses are symbols: they cannot be cut into bytes");
    match event.place(program) {
        Some(span) => diagnostic.at(span, "this access"),
        None => diagnostic,
    }
}
