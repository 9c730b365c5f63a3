//! The places in memory that events are about: whole cells of the program, or parts of them.
//!
//! Without accesses of several sizes each place is a cell, numbered as the program numbers them. With them, a symbol is
//! cut into as few parts as its accesses allow: each access covers some of them whole, and touches no other.

use std::ops::Range;
use std::sync::Arc;

use crate::program::{LocId, Mixed, Program, Space, Sym, Value};

use super::SymVal;

/// A part of a symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// `x`, or `x+4`.
    pub name: String,
    /// The cell that it belongs to: an index into `Program::locations`.
    pub cell: LocId,
    /// The symbol.
    pub sym: Sym,
    /// Byte offset from the symbol.
    pub offset: i64,
    /// Its size.
    pub bytes: u8,
    /// Does it hold data, and not a tag or an entry?
    pub data: bool,
}

/// All places of a test.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Initial values, by place.
    pub init: Vec<Value>,
    /// The parts, by place; empty where every cell is a place.
    pub parts: Vec<Arc<Part>>,
    /// For each cell its places, where it has parts.
    of_cell: Vec<Range<usize>>,
}

/// The bytes that an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Extent {
    /// The symbol.
    pub sym: Sym,
    /// Byte offset from the symbol.
    pub offset: i64,
    /// How many.
    pub bytes: u8,
}

impl Extent {
    /// Is its offset a multiple of its size?
    pub fn is_aligned(self) -> bool {
        self.offset % i64::from(self.bytes.max(1)) == 0
    }

    /// Is the access one for each byte? Where no model was asked about sizes, those that are not aligned are, as the manuals say.
    pub fn is_torn(self, program: &Program) -> bool {
        program.features.mixed == Mixed::AsNeeded && !self.is_aligned()
    }
}

impl Cells {
    /// Every cell of the program is one place.
    pub fn whole(program: &Program) -> Cells {
        Cells {
            init: program.locations.iter().map(|cell| cell.init).collect(),
            parts: Vec::new(),
            of_cell: Vec::new(),
        }
    }

    /// Cells cut up so that each of these accesses touches whole places. Cells that are smaller than an access to their
    /// start are taken to be as large as it. `Err`: the cell holds an address, and would have to be cut.
    pub fn split(program: &Program, accesses: &[Extent]) -> Result<Cells, LocId> {
        let mut cells = Cells {
            init: Vec::new(),
            parts: Vec::new(),
            of_cell: Vec::with_capacity(program.locations.len()),
        };
        for (index, cell) in program.locations.iter().enumerate() {
            let data = cell.space == Space::Data;
            let mine = accesses.iter().filter(|access| data && access.sym == cell.sym);
            let alone = !program.locations.iter().any(|other| {
                other.space == cell.space && other.sym == cell.sym && other.offset != cell.offset
            });
            let mut end = cell.offset + i64::from(cell.ty.bytes);
            if alone {
                end = mine.clone().map(|access| access.offset + i64::from(access.bytes)).fold(end, i64::max);
            }
            let mut cuts: Vec<i64> = mine
                .flat_map(|access| {
                    let step = if access.is_torn(program) { 1 } else { usize::from(access.bytes.max(1)) };
                    (access.offset..=access.offset + i64::from(access.bytes)).step_by(step)
                })
                .filter(|cut| (cell.offset..end).contains(cut))
                .chain([cell.offset, end])
                .chain(granules(program, cell.offset, end))
                .collect();
            cuts.sort_unstable();
            cuts.dedup();
            if cuts.len() > 2 && !matches!(cell.init, Value::Int(_)) {
                return Err(LocId(index as u16));
            }
            let first = cells.parts.len();
            let name = &program.symbols[cell.sym.0 as usize];
            for ends in cuts.windows(2) {
                let (offset, bytes) = (ends[0], (ends[1] - ends[0]) as u8);
                let is_whole = cuts.len() == 2;
                let name = match bytes {
                    _ if is_whole => cell.name.clone(),
                    1 => format!("{name}+{offset}"),
                    _ => format!("{name}+{offset}..{}", offset + i64::from(bytes) - 1),
                };
                let init = match cell.ty.truncate(cell.init) {
                    Value::Int(n) if !is_whole => piece(n, 8 * (offset - cell.offset) as u32, bytes),
                    _ => cell.init,
                };
                cells.init.push(init);
                let cell = LocId(index as u16);
                cells.parts.push(Arc::new(Part {
                    name,
                    cell,
                    sym: program.locations[index].sym,
                    offset,
                    bytes,
                    data,
                }));
            }
            cells.of_cell.push(first..cells.parts.len());
        }
        Ok(cells)
    }

    /// Are cells cut up?
    pub fn is_split(&self) -> bool {
        !self.parts.is_empty()
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.init.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.init.is_empty()
    }

    /// The places of a cell, from its start on.
    pub fn of(&self, cell: LocId) -> Range<usize> {
        let index = usize::from(cell.0);
        if self.is_split() { self.of_cell[index].clone() } else { index..index + 1 }
    }

    /// The places that an access covers.
    pub fn covered(&self, access: Extent) -> Vec<LocId> {
        let bytes = access.offset..access.offset + i64::from(access.bytes.max(1));
        let inside = |part: &Part| part.data && part.sym == access.sym && bytes.contains(&part.offset);
        let parts = self.parts.iter().enumerate().filter(|(_, part)| inside(part));
        parts.map(|(index, _)| LocId(index as u16)).collect()
    }

    /// The place that a byte lies in.
    pub fn at(&self, sym: Sym, offset: i64) -> Option<LocId> {
        let here = |part: &Arc<Part>| {
            part.data
                && part.sym == sym
                && (part.offset..part.offset + i64::from(part.bytes)).contains(&offset)
        };
        self.parts.iter().position(here).map(|index| LocId(index as u16))
    }

    /// The value of a cell, put together from those of its places.
    pub fn compose(&self, cell: LocId, value: impl Fn(LocId) -> Value) -> Value {
        let places = self.of(cell);
        if places.len() == 1 {
            return value(LocId(places.start as u16));
        }
        let start = self.parts[places.start].offset;
        let mut all = 0i128;
        for place in places.clone() {
            let Value::Int(n) = value(LocId(place as u16)) else { continue };
            let part = &self.parts[place];
            let Value::Int(low) = piece(n, 0, part.bytes) else { continue };
            all |= low << (8 * (part.offset - start)).min(127);
        }
        // As registers hold it, so that states are in the same order whether a cell was cut up or not.
        let end = self.parts[places.end - 1].offset + i64::from(self.parts[places.end - 1].bytes);
        Value::Int(if end - start == 8 { i128::from(all as i64) } else { all })
    }
}

/// The boundaries that the test asks for by itself.
fn granules(program: &Program, start: i64, end: i64) -> impl Iterator<Item = i64> {
    let step = program.features.granule.map_or(usize::MAX, |bytes| usize::from(bytes.max(1)));
    (start..end).step_by(step)
}

/// Some bytes of a number, as a number that is not negative.
fn piece(n: i128, shift: u32, bytes: u8) -> Value {
    let bits = 8 * u32::from(bytes);
    let mask = if bits >= 128 { -1 } else { (1i128 << bits) - 1 };
    Value::Int((n >> shift.min(127)) & mask)
}

/// The value of an access, put together from those of its places: pairs of a read and its size in bytes, lowest address first.
pub(super) fn joined(reads: &[(u32, u8)], bits: u32) -> SymVal {
    let mut shift = 0i128;
    let mut all = SymVal::ZERO;
    for (read, bytes) in reads {
        let part = SymVal::unary(crate::program::UnOp::ZeroExtend(8 * bytes), SymVal::Read(*read), bits);
        let by = SymVal::Known(Value::Int(shift));
        let part = SymVal::binary(crate::program::BinOp::Shl, part, by, bits);
        all = SymVal::binary(crate::program::BinOp::Or, part, all, bits);
        shift += 8 * i128::from(*bytes);
    }
    all
}
