//! Accesses of different sizes to one cell.
//!
//! A cell has one value: a write replaces all of it, a read takes all of it and the instruction cuts off what it does not
//! want. That is right for narrow reads. For a write that is narrower than the cell, or than another access to it,
//! it is right only as long as every value of the cell fits into the narrow write, so that the bytes that the
//! write should have kept are zero anyway. Anything else is refused, not answered wrongly.
//!
//! In C a narrow read is right only on the same condition: it takes all of the cell there. LISA and BPF are not looked at: there an access is always to a whole object,
//! and the types that tests write are only approximate (BPF: until one is to the inside of an object).

use crate::diag::{Diagnostic, Remedy};
use crate::program::{CellSizes, Program, Type};
use crate::source::Span;

use super::{Event, World};

/// What the check needs to know of a program.
pub(super) struct Sizes {
    rule: CellSizes,
    cells: Vec<(String, Type)>,
    /// By thread and program counter.
    spans: Vec<Vec<Span>>,
}

impl Sizes {
    pub(super) fn new(program: &Program) -> Sizes {
        let spans = |thread: &crate::program::Thread| thread.code.iter().map(|instr| instr.span).collect();
        Sizes {
            rule: program.conventions.sizes,
            cells: program.locations.iter().map(|cell| (cell.name.clone(), cell.ty)).collect(),
            spans: program.threads.iter().map(spans).collect(),
        }
    }

    /// The first cell of a world whose accesses mix sizes in a way that shows.
    pub(super) fn mixed(&self, world: &World) -> Option<Diagnostic> {
        if matches!(self.rule, CellSizes::Approximate | CellSizes::Whole) {
            return None;
        }
        (0..self.cells.len()).find_map(|cell| self.mixed_cell(world, cell))
    }

    /// May a world made of some of these events be one that [`Sizes::mixed`] refuses?
    pub(super) fn may_mix<'e>(&self, events: impl Iterator<Item = &'e Event>) -> bool {
        if matches!(self.rule, CellSizes::Approximate | CellSizes::Whole) {
            return false;
        }
        let mut widest: Vec<u8> = self.cells.iter().map(|(_, ty)| ty.bytes).collect();
        let mut narrowest = vec![u8::MAX; self.cells.len()];
        for event in events.filter(|event| event.is_memory()) {
            let (Some(loc), Some(size)) = (event.loc, event.size) else { continue };
            let cell = usize::from(loc.0);
            widest[cell] = widest[cell].max(size);
            if event.is_write() || self.rule == CellSizes::Typed {
                narrowest[cell] = narrowest[cell].min(size);
            }
        }
        widest.iter().zip(&narrowest).any(|(widest, narrowest)| narrowest < widest)
    }

    fn mixed_cell(&self, world: &World, cell: usize) -> Option<Diagnostic> {
        let (name, ty) = &self.cells[cell];
        let here = |e: &&Event| e.loc.is_some_and(|loc| usize::from(loc.0) == cell) && e.size.is_some();
        let accesses = || world.events[..world.n_memory].iter().filter(here);
        let typed = self.rule == CellSizes::Typed;
        let narrow = accesses().filter(|e| e.is_write() || typed).min_by_key(|e| e.size)?;
        let bytes = narrow.size?;
        let widest = accesses().max_by_key(|e| e.size)?;
        let widest_bytes = widest.size?.max(ty.bytes);
        if bytes >= widest_bytes {
            return None;
        }
        let fits = |write: &usize| {
            let bound = world.events[*write].written_value().and_then(|value| value.unsigned_bits());
            bound.is_some_and(|bound| bound <= 8 * u32::from(bytes))
        };
        // Of an object that holds an address the type says little, and nothing can be cut.
        let is_address = |write: &usize| {
            let written = world.events[*write].written_value().and_then(|value| value.known());
            written.is_some_and(|value| value.as_int().is_none())
        };
        if world.writes[cell].iter().all(fits) || typed && world.writes[cell].iter().any(is_address) {
            return None;
        }
        let diagnostic =
            Diagnostic::unsupported("program::mixed-size", format!("mixed-size accesses to `{name}`"))
                .unless(Remedy::MixedSizes)
                .at(
                    self.span(narrow)?,
                    format!(
                        "{} {bytes} of its {widest_bytes} bytes",
                        if narrow.is_write() { "writes" } else { "reads" }
                    ),
                );
        let diagnostic = match self.span(widest) {
            Some(span) if widest.size == Some(widest_bytes) => {
                diagnostic.at(span, format!("accesses {widest_bytes} bytes"))
            }
            _ => diagnostic,
        };
        Some(
            diagnostic
                .note("a cell is read and written as a whole: what the other bytes hold would be wrong here"),
        )
    }

    fn span(&self, event: &Event) -> Option<Span> {
        self.spans.get(usize::from(event.code))?.get(event.pc as usize).copied()
    }
}
