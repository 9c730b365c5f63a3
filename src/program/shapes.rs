//! Memory that a C program accesses in several sizes.
//!
//! A cell is read and written as a whole. Where an access is smaller or larger than the cells it goes to, the search says how the program has to be made for all
//! accesses to fit ([`Reshape`]), and the program is made again: a plain access becomes several smaller ones, or one to the cell that it is part of, and cells of
//! static objects become smaller or larger. Atomic accesses stay whole; a smaller one becomes part of the largest, as far as the model lets it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::source::Span;

/// The set of an access to a whole cell of which only a part is wanted: it is made no other way.
pub const WITHIN: &str = "within";

/// What has to be made otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reshape {
    /// The accesses of a place of the text that have this size.
    Access {
        /// Where.
        site: Span,
        /// Of how many bytes.
        size: u8,
        /// What they become.
        shape: Shape,
    },
    /// Bytes of a static object.
    Cells {
        /// Its symbol.
        symbol: String,
        /// The first byte.
        from: i64,
        /// The first byte after them.
        to: i64,
        /// How many bytes a cell has.
        bytes: u8,
        /// Are there atomic accesses of that size?
        pinned: bool,
    },
}

/// What an access becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Several, each of so many bytes.
    Pieces(u8),
    /// One to the cell of so many bytes that it is part of.
    Within(u8),
}

/// Everything that was found so far.
#[derive(Clone, Default, Debug)]
pub struct Shapes {
    all: Vec<Reshape>,
}

impl Shapes {
    /// One more; `false` if it is known, so that making the program again would change nothing.
    pub fn add(&mut self, new: Reshape) -> bool {
        // The last word on some bytes counts, but bytes of atomic accesses stay.
        let opposed = |old: &Reshape| match (old, &new) {
            (Reshape::Access { site, size, .. }, Reshape::Access { site: of, size: wide, .. }) => {
                site == of && size == wide
            }
            (
                Reshape::Cells { symbol, from, to, bytes: before, pinned: true },
                Reshape::Cells { symbol: of, from: low, to: high, bytes, pinned },
            ) => symbol == of && low < to && from < high && !(*pinned && bytes > before),
            _ => false,
        };
        let is_new = !self.all.iter().any(|old| *old == new || opposed(old));
        if is_new {
            self.all.push(new);
        }
        is_new
    }

    /// What the accesses of that size become there.
    pub fn of(&self, at: Span, bytes: u8) -> Option<Shape> {
        self.all.iter().find_map(|one| match one {
            Reshape::Access { site, size, shape } if *site == at && *size == bytes => Some(*shape),
            _ => None,
        })
    }

    /// The bytes of a static object that have cells of another size: first, first after them, size, and whether atomic accesses want it so.
    pub fn cells<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (i64, i64, u8, bool)> + 's {
        self.all.iter().filter_map(move |one| match one {
            Reshape::Cells { symbol, from, to, bytes, pinned } if symbol == name => {
                Some((*from, *to, *bytes, *pinned))
            }
            _ => None,
        })
    }
}

/// An access, as far as sizes go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The byte of the object at which it begins.
    pub offset: i64,
    /// Its size.
    pub size: u8,
    /// Is it atomic?
    pub atomic: bool,
    /// Where it is made; not, for a cell that a static object has by its type.
    pub site: Option<Span>,
}

impl Access {
    fn end(self) -> i64 {
        self.offset + i64::from(self.size)
    }

    fn contains(self, other: Access) -> bool {
        self.offset <= other.offset && other.end() <= self.end()
    }

    /// May a part of it be taken by an address alone?
    fn is_aligned(self) -> bool {
        self.size.is_power_of_two() && self.size <= 16 && self.offset % i64::from(self.size) == 0
    }

    /// As one that is part of another, or as the parts of it that the other is.
    fn beside(self, fixed: Access) -> Option<Reshape> {
        let site = self.site?;
        let shape = match fixed.contains(self) {
            true if fixed.is_aligned() => Shape::Within(fixed.size),
            true => return None,
            false => {
                let step = i64::from(fixed.size);
                let fits = self.contains(fixed)
                    && self.size.is_multiple_of(fixed.size)
                    && (fixed.offset - self.offset) % step == 0;
                Shape::Pieces(fits.then_some(fixed.size)?)
            }
        };
        Some(Reshape::Access { site, size: self.size, shape })
    }
}

/// What makes two accesses that overlap, and are not the same bytes, fit: the second one was there first. Nothing, where both are atomic and neither is part of
/// the other.
pub fn reconcile(new: Access, old: Access) -> Option<Reshape> {
    match (new.atomic, old.atomic) {
        // A smaller one may be part of the larger.
        (true, true) if new.size < old.size && old.contains(new) => new.beside(old),
        (true, true) if old.size < new.size && new.contains(old) => old.beside(new),
        (true, true) => None,
        (false, true) => new.beside(old),
        // What is part of a cell already stays so.
        (true, false) if old.site.is_none() && old.contains(new) => new.beside(old),
        (true, false) => old.beside(new),
        (false, false) => {
            let apart = (new.offset - old.offset).unsigned_abs();
            let piece = gcd(gcd(u64::from(new.size), u64::from(old.size)), apart) as u8;
            let larger = if new.size > piece { new } else { old };
            let shape = Shape::Pieces(piece);
            Some(Reshape::Access { site: larger.site?, size: larger.size, shape })
        }
    }
}

/// What makes an access to a static object fit a cell that it has by its type.
pub fn recut(symbol: &str, new: Access, cell: Access, pinned: bool) -> Option<Reshape> {
    let cells = |from: i64, to: i64, bytes: u8| Reshape::Cells {
        symbol: symbol.to_string(),
        from,
        to,
        bytes,
        pinned: new.atomic,
    };
    let is_larger = new.atomic && new.size > cell.size && new.contains(cell);
    if pinned && !is_larger {
        return reconcile(new, Access { atomic: true, ..cell });
    }
    if new.atomic {
        let (from, to) = (new.offset.min(cell.offset), new.end().max(cell.end()));
        return Some(cells(from, to, new.size));
    }
    let apart = (new.offset - cell.offset).unsigned_abs();
    let piece = gcd(gcd(u64::from(new.size), u64::from(cell.size)), apart) as u8;
    match piece < new.size {
        true => {
            let shape = Shape::Pieces(piece);
            Some(Reshape::Access { site: new.site?, size: new.size, shape })
        }
        false => Some(cells(cell.offset, cell.end(), piece)),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a search has asked for.
#[derive(Clone, Default, Debug)]
pub struct Reshapes(Arc<Mutex<Vec<Reshape>>>);

impl Reshapes {
    /// Asks for it.
    pub fn ask(&self, reshape: Option<Reshape>) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = reshape.filter(|new| !asked.contains(new));
        asked.extend(new);
    }

    /// All that was asked for.
    pub fn take(&self) -> Vec<Reshape> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
