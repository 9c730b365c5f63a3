//! The memory interface: where an access goes, and the event it makes.
//!
//! An access of any architecture comes here as a micro-op with an address. What happens to it on the way is in stages, of
//! which a plain test passes through the second and the last alone:
//!
//! 1. *Stages of the architecture* (translation, tags, signatures) are micro-ops that stand before the access: reads that are
//!    implicit (set `NExp`), branches, faults ([`Op::Fault`]). They are written where the instruction is translated, see
//!    `arch::aarch64::access`; what they conclude is an address, and the events that the access hangs on.
//! 2. *Address*: a symbol and an offset, known or forked over; [`Unfolding::spot`].
//! 3. *Bounds and alignment*, where sizes are mixed; otherwise the access must be to a whole cell.
//! 4. *Granules*: `execution::granules` cuts accesses up when all of them are known.

use super::{State, Unfolding};
use crate::diag::{Diagnostic, Remedy};
use crate::execution::{EventKind, Extent, SymVal};
use crate::program::{
    AccessSize, BinOp, CellSizes, LocId, Location, Mixed, Oa, Op, Property, SetName, Space, Sym, Tmp, Value,
    addresses, eval_binary, eval_unary,
};

/// Where an access goes.
#[derive(Clone, Copy)]
pub(super) enum Spot {
    /// To a cell.
    Cell(LocId),
    /// To some bytes of a symbol, where sizes are mixed.
    Bytes(Extent),
    /// To no place of the test: maintenance of any address is harmless.
    Nowhere,
}

/// Does an access go to bytes that it may go to?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Fits,
    Outside,
    Unaligned,
}

/// Is it more than a plain load or store? Machines that let plain accesses go to any address want these aligned.
fn must_be_aligned(op: &Op) -> bool {
    match op {
        Op::Load { sets, .. } | Op::Store { sets, .. } => {
            sets.iter().any(|set| ["A", "Q", "L", "X", "EX"].contains(&&**set))
        }
        Op::Rmw { .. } | Op::CompareExchange { .. } => true,
        _ => false,
    }
}

impl<'p> Unfolding<'p> {
    /// Where an access goes. `None`: the path is over, or has been forked over all places.
    pub(super) fn spot(
        &mut self,
        state: &mut State<'p>,
        addr: Tmp,
        size: AccessSize,
        op: &'p Op,
    ) -> Result<Option<Spot>, Diagnostic> {
        let bits = self.bits();
        let value = self.temp(state, addr)?.value.clone();
        let value = state.path.constraints.fold(&value, bits);
        if let Some(known) = value.known() {
            // Nothing is read where a page table entry leads nowhere.
            if self.program.machine.tables.is_some()
                && matches!(op, Op::Load { .. })
                && self.program.cell_of(known).is_none()
                && !self.is_inside(known)
            {
                return Ok(None);
            }
            return Ok(match self.known_spot(state, known, size, must_be_aligned(op)) {
                Ok(Spot::Cell(loc)) if size.0 == 0 && matches!(op, Op::Store { .. }) => {
                    match self.cleared_in_part(state, loc) {
                        Some(diagnostic) => {
                            self.fail(state, diagnostic);
                            None
                        }
                        None => Some(Spot::Cell(loc)),
                    }
                }
                Ok(spot) => Some(spot),
                Err(diagnostic) => {
                    match known {
                        Value::Int(n) if self.program.conventions.undefined_behaviour => {
                            let property = if n == 0 { Property::Null } else { Property::OutOfBounds };
                            self.violate(state.clone(), property);
                        }
                        _ => {
                            self.fail(state, *diagnostic);
                        }
                    }
                    None
                }
            });
        }
        if let Some(diagnostic) = self.meaningless(state, &value) {
            self.fail(state, diagnostic);
            return Ok(None);
        }
        match self.translations(&value) {
            // Nothing but what page table entries can lead to.
            Some(addresses) => self.fork_among(state, addr, &value, &addresses, op)?,
            None => {
                let addresses = self.addresses(size, must_be_aligned(op));
                self.fork_over(state, addr, &value, &addresses, size, op)?;
            }
        }
        Ok(None)
    }

    /// The address in a temporary, forking over all there are if it is not known. `None`: the path is over, or forked.
    pub(super) fn pinned(
        &mut self,
        state: &mut State<'p>,
        addr: Tmp,
        op: &'p Op,
    ) -> Result<Option<Value>, Diagnostic> {
        let value = self.temp(state, addr)?.value.clone();
        let value = state.path.constraints.fold(&value, self.bits());
        if let Some(known) = value.known() {
            // Where there are page tables or tags, instructions have addresses like data.
            if let Value::Code { thread, pc } = known
                && (self.program.machine.tables.is_some() || !self.program.machine.tags.is_empty())
                && let Some(cell) = self.program.code_cell(thread, pc)
            {
                let virt = Value::Addr { sym: cell.sym, offset: cell.offset };
                let sources = self.temp(state, addr)?.sources.clone();
                Self::set(state, addr, SymVal::Known(virt), sources);
                return Ok(Some(virt));
            }
            return Ok(Some(known));
        }
        if let Some(diagnostic) = self.meaningless(state, &value) {
            self.fail(state, diagnostic);
            return Ok(None);
        }
        let mut all: Vec<Value> = Vec::new();
        for cell in &self.program.locations {
            let (sym, offset) = (cell.sym, cell.offset);
            match cell.space {
                Space::Data => {
                    let bytes = if self.program.features.splits() { i64::from(cell.ty.bytes) } else { 1 };
                    for offset in offset..offset + bytes {
                        all.push(Value::Addr { sym, offset });
                        let tags = 0..self.program.machine.tags.len() as u16;
                        all.extend(tags.map(|tag| Value::Tagged { sym, tag, offset }));
                    }
                }
                Space::Pte | Space::Table => all.push(self.program.address_of(cell)),
                Space::Tag => {}
            }
        }
        self.fork_over(state, addr, &value, &all, AccessSize(1), op)?;
        Ok(None)
    }

    /// Where the page table entry of a known address can lead; none if the value is nothing of that sort.
    fn translations(&self, value: &SymVal) -> Option<Vec<Value>> {
        // Some bytes further on, or the tag of what is there.
        let moved = match value {
            SymVal::Unary(op, inner) => {
                let moved = |from| eval_unary(*op, from, self.bits()).ok();
                Some(self.translations(inner)?.into_iter().filter_map(moved).collect())
            }
            SymVal::Binary(op, inner, by) if !matches!(op, BinOp::Translate | BinOp::Follow) => {
                let by = by.known()?;
                let moved = |from| eval_binary(*op, from, by, self.bits()).ok();
                Some(self.translations(inner)?.into_iter().filter_map(moved).collect())
            }
            _ => None,
        };
        if moved.is_some() {
            return moved;
        }
        let SymVal::Binary(how @ (BinOp::Translate | BinOp::Follow), _, virt) = value else { return None };
        let (own, offset) = match virt.known()? {
            Value::Addr { sym, offset } | Value::Tagged { sym, offset, .. } => (Value::PteAddr(sym), offset),
            Value::PteAddr(sym) => (Value::TableAddr(sym), 0),
            _ => return None,
        };
        let leads_to = |oa: Oa| match (how, oa) {
            (BinOp::Translate, Oa::Pte(_)) => Value::Int(0),
            (_, oa) => oa.leads_to(offset),
        };
        // Entries come from where the test puts them: the entry itself, registers, cells, and entries that the code can read.
        let program = self.program;
        let mut all: Vec<Value> = Vec::new();
        let mut entries: Vec<Value> = vec![own];
        let mut see = |value: Value| match value {
            Value::Pte(pte) => all.push(leads_to(pte.oa)),
            Value::PteAddr(_) | Value::TableAddr(_) => entries.push(value),
            _ => {}
        };
        program.init_regs.iter().for_each(|(_, _, value)| see(*value));
        program.locations.iter().filter(|cell| !cell.space.is_entry()).for_each(|cell| see(cell.init));
        for cell in program.locations.iter().filter(|cell| cell.space.is_entry()) {
            if let Value::Pte(pte) = cell.init
                && entries.contains(&program.address_of(cell))
            {
                all.push(leads_to(pte.oa));
            }
        }
        all.sort();
        all.dedup();
        Some(all)
    }

    /// Can a condition hold, as far as what can never change tells: entries that nobody has the address of?
    pub(super) fn is_possible(&self, state: &State<'p>, condition: &SymVal) -> bool {
        // Where entries lead to entries, an address is not needed to change one.
        if self.program.machine.tables.is_none() || self.program.machine.squared {
            return true;
        }
        let [read] = condition.reads()[..] else { return true };
        let Some(loc) = state.path.events.get(read as usize).and_then(|event| event.loc) else { return true };
        let cell = &self.program.locations[usize::from(loc.0)];
        let Value::Pte(pte) = cell.init else { return true };
        let named = |value: &Value| *value == Value::PteAddr(cell.sym);
        if cell.space != Space::Pte
            || self.program.init_regs.iter().any(|(_, _, value)| named(value))
            || self.program.locations.iter().any(|cell| named(&cell.init))
        {
            return true;
        }
        // Hardware may still set the access flag, or mark the page as dirty.
        [pte, pte.updated(false), pte.updated(true)].into_iter().any(|pte| {
            let value = |r: u32| (r == read).then_some(Value::Pte(pte));
            !matches!(condition.eval_with(&value, self.bits()), Ok(Some(Value::ZERO)))
        })
    }

    /// Runs the op again in forks, each with one of these values known; none of them: no answer.
    fn fork_over(
        &mut self,
        state: &mut State<'p>,
        addr: Tmp,
        value: &SymVal,
        all: &[Value],
        size: AccessSize,
        op: &'p Op,
    ) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let mut wild = state.clone();
        let is = |address: &Value| SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(*address), bits);
        let possible = all.iter().all(|address| wild.path.constraints.assume(&is(address), false, bits));
        self.fork_among(state, addr, value, all, op)?;
        if possible && size.0 == 0 {
            let sources = self.temp(state, addr)?.sources.clone();
            Self::set(&mut wild, addr, SymVal::ZERO, sources);
            Self::again(&mut wild, op);
            self.waiting.push(wild);
        } else if possible && self.program.conventions.undefined_behaviour {
            let mut null = wild.clone();
            if null.path.constraints.assume(value, false, bits) {
                self.violate(null, Property::Null);
            }
            if wild.path.constraints.assume(value, true, bits) {
                self.violate(wild, Property::OutOfBounds);
            }
        } else if possible {
            let diagnostic = Diagnostic::error(
                "program::non-symbolic-address",
                "non symbolic address: an execution accesses memory through a value that is no cell's address",
            )
            .at(self.instr(state).span, "this access");
            self.fail(&mut wild, diagnostic);
        }
        Ok(())
    }

    /// Likewise; there are no others.
    fn fork_among(
        &mut self,
        state: &mut State<'p>,
        addr: Tmp,
        value: &SymVal,
        all: &[Value],
        op: &'p Op,
    ) -> Result<(), Diagnostic> {
        let bits = self.bits();
        let sources = self.temp(state, addr)?.sources.clone();
        for address in all.iter().rev() {
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(*address), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, addr, SymVal::Known(*address), sources.clone());
                Self::again(&mut fork, op);
                self.waiting.push(fork);
            }
        }
        Ok(())
    }

    pub(super) fn known_spot(
        &self,
        state: &State<'p>,
        address: Value,
        size: AccessSize,
        must_be_aligned: bool,
    ) -> Result<Spot, Box<Diagnostic>> {
        let address = match address {
            Value::Code { thread, pc } => match self.program.code_cell(thread, pc) {
                Some(cell) => self.data_address(cell.sym, cell.offset),
                None => return Err(Box::new(self.no_cell(state, address))),
            },
            Value::Int(_) if size.0 == 0 => return Ok(Spot::Nowhere),
            address => address,
        };
        if self.program.features.splits()
            && let Value::Addr { sym, offset } | Value::Phys { sym, offset } = address
        {
            let extent = Extent { sym, offset, bytes: size.0 };
            return match self.fits(extent, must_be_aligned) {
                Fit::Fits => Ok(Spot::Bytes(extent)),
                Fit::Outside => Err(Box::new(self.out_of_bounds(state, extent))),
                Fit::Unaligned => Err(Box::new(self.unaligned(state, extent))),
            };
        }
        let Some(loc) = self.program.cell_of(address) else {
            return Err(Box::new(self.no_cell(state, address)));
        };
        match self.wrong_size(state, loc, size) {
            Some(diagnostic) => Err(Box::new(diagnostic)),
            None => Ok(Spot::Cell(loc)),
        }
    }

    /// Is it the address of some byte of a location?
    fn is_inside(&self, address: Value) -> bool {
        let Value::Phys { sym, offset } = address else { return false };
        self.elements(sym).is_some_and(|(bytes, count)| (0..bytes * count).contains(&offset))
    }

    /// The addresses that an access whose address is not known can be to.
    fn addresses(&self, size: AccessSize, must_be_aligned: bool) -> Vec<Value> {
        if !self.program.features.splits() {
            let cells = self.program.locations.iter();
            return cells
                .map(|cell| match cell.space {
                    Space::Data if self.program.machine.tables.is_none() => {
                        self.address_of(cell.sym, cell.offset)
                    }
                    _ => self.program.address_of(cell),
                })
                .collect();
        }
        let mut addresses = Vec::new();
        for (index, _) in self.program.symbols.iter().enumerate() {
            let sym = Sym(index as u16);
            let end = self.elements(sym).map_or(0, |(bytes, count)| bytes * count);
            let fits = |offset: &i64| {
                self.fits(Extent { sym, offset: *offset, bytes: size.0 }, must_be_aligned) == Fit::Fits
            };
            let at = |offset: i64| match self.program.machine.tables.is_some() {
                true => Value::Phys { sym, offset },
                false => self.address_of(sym, offset),
            };
            addresses.extend((0..end).filter(fits).map(at));
        }
        let entries = self.program.locations.iter().filter(|cell| cell.space.is_entry());
        addresses.extend(entries.map(|cell| self.program.address_of(cell)));
        addresses
    }

    /// The address of a place: that of an instruction, where it is one.
    fn address_of(&self, sym: Sym, offset: i64) -> Value {
        match self.program.code_cells.iter().find(|cell| (cell.sym, cell.offset) == (sym, offset)) {
            Some(cell) => Value::Code { thread: cell.thread, pc: cell.pc },
            None => Value::Addr { sym, offset },
        }
    }

    /// The address of a place, where what is there does not matter.
    fn data_address(&self, sym: Sym, offset: i64) -> Value {
        match self.program.machine.tables.is_some() {
            true => Value::Phys { sym, offset },
            false => Value::Addr { sym, offset },
        }
    }

    /// The size of the elements of a symbol, and how many it has.
    fn elements(&self, sym: Sym) -> Option<(i64, i64)> {
        let own = |cell: &&Location| cell.sym == sym && cell.space == Space::Data;
        let mut cells = self.program.locations.iter().filter(own);
        let first = cells.next()?;
        let count = 1 + cells.count() as i64;
        let holds_pointer = !first.declared && first.init.as_int().is_none();
        let as_needed = self.program.features.mixed == Mixed::AsNeeded && !first.declared;
        let bytes = if holds_pointer || as_needed { first.ty.bytes.max(8) } else { first.ty.bytes };
        Some((bytes.into(), count))
    }

    /// Is the access inside its symbol, and aligned where it must be? Only accesses of several elements may be larger than one.
    fn fits(&self, extent: Extent, must_be_aligned: bool) -> Fit {
        let Some((element, count)) = self.elements(extent.sym) else { return Fit::Outside };
        let (offset, bytes) = (extent.offset, i64::from(extent.bytes));
        let features = &self.program.features;
        let declared = self.program.conventions.sizes == CellSizes::Declared;
        let inside = offset >= 0 && offset + bytes.max(1) <= element * count;
        // Cells of other architectures are often declared smaller than they are used.
        let lenient = features.mixed != Mixed::Asked && !declared && count == 1 && offset == 0 && bytes > 0;
        if !inside && !lenient {
            return Fit::Outside;
        }
        let strict = match features.mixed {
            Mixed::Asked => !features.unaligned,
            _ => declared && must_be_aligned,
        };
        let aligned = match bytes {
            0 => true,
            _ if bytes <= element => offset % element % bytes == 0,
            _ => offset % bytes == 0,
        };
        if strict && !aligned { Fit::Unaligned } else { Fit::Fits }
    }

    fn out_of_bounds(&self, state: &State<'p>, extent: Extent) -> Diagnostic {
        let shown = self.program.show(Value::Addr { sym: extent.sym, offset: extent.offset });
        let name = &self.program.symbols[extent.sym.0 as usize];
        let message = format!("access out of bounds: {shown}, {} bytes", extent.bytes);
        let diagnostic =
            Diagnostic::error("program::out-of-bounds", message).at(self.instr(state).span, "this access");
        match self.elements(extent.sym) {
            Some((bytes, 1)) => diagnostic.note(format!("`{name}` has {bytes} bytes")),
            Some((bytes, count)) => {
                let of = if bytes == 1 { "1 byte".to_string() } else { format!("{bytes} bytes") };
                diagnostic.note(format!("`{name}` has {count} elements of {of}"))
            }
            None => diagnostic,
        }
    }

    fn unaligned(&self, state: &State<'p>, extent: Extent) -> Diagnostic {
        let shown = self.program.show(Value::Addr { sym: extent.sym, offset: extent.offset });
        let message = format!("unaligned access: {shown}, {} bytes", extent.bytes);
        let why = match self.program.features.mixed {
            Mixed::Asked => {
                "`--variant mixed,unaligned` allows it; so does a run without `mixed`, where it is one access for each byte"
            }
            _ => "an exclusive, an atomic, an acquire or a release must be aligned: this one would fault",
        };
        Diagnostic::error("program::unaligned", message).at(self.instr(state).span, "this access").note(why)
    }

    /// The complaint about a store to an instruction, where instructions are not fetched from memory.
    pub(super) fn store_to_code(&self, state: &State<'p>, spot: Spot) -> Option<Diagnostic> {
        if self.program.code_cells.is_empty() || self.program.features.ifetch {
            return None;
        }
        let sym = match spot {
            Spot::Cell(loc) => self.program.locations[usize::from(loc.0)].sym,
            Spot::Bytes(extent) => extent.sym,
            Spot::Nowhere => return None,
        };
        self.program.code_cells.iter().find(|cell| cell.sym == sym)?;
        let name = &self.program.symbols[usize::from(sym.0)];
        Some(
            Diagnostic::error(
                "program::store-to-code",
                format!("store to {name} requires instruction fetches"),
            )
            .at(self.instr(state).span, "overwrites an instruction")
            .help("add `-variant ifetch`"),
        )
    }

    /// Makes the event of an access.
    pub(super) fn access(
        &self,
        state: &mut State<'p>,
        kind: EventKind,
        spot: Spot,
        size: AccessSize,
        value: SymVal,
        sets: &[SetName],
    ) -> u32 {
        let id = self.event(state, kind, None, Some(value), sets.to_vec());
        Self::place(state, id, spot);
        state.path.events[id as usize].size = Some(size.0);
        id
    }

    /// Puts an event where it belongs.
    pub(super) fn place(state: &mut State<'p>, id: u32, spot: Spot) {
        let event = &mut state.path.events[id as usize];
        match spot {
            Spot::Cell(loc) => event.loc = Some(loc),
            Spot::Bytes(extent) => event.extent = Some(extent),
            Spot::Nowhere => {}
        }
    }

    pub(super) fn no_cell(&self, state: &State<'p>, address: Value) -> Diagnostic {
        let shown = self.program.show(address);
        let span = self.instr(state).span;
        match address {
            Value::Addr { sym, .. } | Value::Phys { sym, .. } | Value::TagAddr { sym, .. } => {
                let name = &self.program.symbols[sym.0 as usize];
                Diagnostic::unsupported(
                    "program::mixed-size",
                    format!("access to `{shown}`, which is not the start of a cell of the test"),
                )
                .unless(Remedy::MixedSizes)
                .at(span, "this access")
                .help(format!("declare `{name}` as an array of elements of the size that is accessed"))
            }
            Value::Code { .. } => Diagnostic::error(
                "program::code-without-a-cell",
                format!("the instruction at {shown} is no data of the test"),
            )
            .at(span, "this access")
            .note("an instruction can be accessed if the initial state has its label as a value, or an `ADR` takes it"),
            _ => {
                let error = Diagnostic::error(
                    "program::non-symbolic-address",
                    format!("non symbolic address: [{shown}] is the address of no location"),
                )
                .at(span, "this access");
                let parts = addresses(self.instr(state));
                match parts.iter().find_map(|address| address.regs.first()) {
                    Some(reg) if address == Value::ZERO => {
                        let (thread, name) = (self.thread, self.program.regs.name(*reg));
                        error.help(format!("is `{thread}:{name}=x;` missing in the initial state?"))
                    }
                    _ => error,
                }
            }
        }
    }

    /// `STZG` clears a cell, whatever its size, as nothing of the granule can be seen but that; of an array there is more to see.
    fn cleared_in_part(&self, state: &State<'p>, loc: LocId) -> Option<Diagnostic> {
        let cell = &self.program.locations[loc.0 as usize];
        let (bytes, count) = self.elements(cell.sym)?;
        if self.program.conventions.sizes != CellSizes::Declared || cell.space != Space::Data || count < 2 {
            return None;
        }
        let name = &self.program.symbols[usize::from(cell.sym.0)];
        let message = format!("`{name}` is an array, of which 16 bytes are cleared");
        Some(
            Diagnostic::unsupported("program::mixed-size", message)
                .at(self.instr(state).span, format!("elements of `{name}` have {bytes} bytes"))
                .help("--variant mixed has accesses of several sizes"),
        )
    }

    /// herd7 gives AArch64 cells one size, that of their declaration, and refuses accesses of any other.
    fn wrong_size(&self, state: &State<'p>, loc: LocId, size: AccessSize) -> Option<Diagnostic> {
        let cell = &self.program.locations[loc.0 as usize];
        // A cell that starts with an address holds a pointer, declared or not.
        let holds_pointer = !cell.declared && cell.init.as_int().is_none();
        let bytes = if holds_pointer { 8 } else { cell.ty.bytes };
        if self.program.conventions.sizes != CellSizes::Declared || bytes == size.0 || size.0 == 0 {
            return None;
        }
        let name = &cell.name;
        let declared = if cell.declared { "is declared with" } else { "has, being undeclared," };
        Some(
            Diagnostic::unsupported("program::mixed-size", format!("mixed-size accesses to `{name}`"))
                .unless(Remedy::MixedSizes)
                .at(
                    self.instr(state).span,
                    format!("accesses {} bytes, but `{name}` {declared} {bytes}", size.0),
                )
                .help(format!("declare `{name}` with a type of the size that is accessed")),
        )
    }
}
