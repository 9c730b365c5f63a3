//! Memory accesses of a thread: the cell that they go to, objects that nobody else sees, and the ends of objects.

use std::sync::Arc;

use crate::diag::{Diagnostic, Remedy};
use crate::execution::EventKind;
use crate::program::shapes::{self, Access as Use, Reshape, WITHIN};
use crate::program::threads::{ATOMIC, COPY, PART};
use crate::program::{
    AccessSize, CellSizes, Content, Extra, IllegalOp, Op, Property, SetName, Storage, Sym, Tmp, Value,
};

use super::cells::Object;
use super::flow::{self, Numbers, Reasons};
use super::state::{Access, Halt, Held, Leaf, State, Stop, bit, set};
use super::step::Stepper;

impl<'p> Stepper<'p> {
    /// Stops at an access.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn access(
        &self,
        state: &mut State<'p>,
        op: &'p Op,
        kind: EventKind,
        (addr, size): (Tmp, AccessSize),
        sets: &'p [SetName],
        (consumed, extra): (&[Tmp], &Extra),
        value: Option<Value>,
    ) -> Result<(), Halt<'p>> {
        state.hangs |= self.held(state, addr).reads;
        if self.properties {
            self.fits(state, addr, size, sets)?;
        }
        if self.is_private(state, addr)? {
            return self.private(state, op, addr, value);
        }
        let cell = self.cell(state, addr)?;
        if let Some(diagnostic) = self.wrong_size(state, cell, size) {
            return Err(Halt::Error(diagnostic));
        }
        let (causes, _) = self.causes(state, consumed, Some(extra));
        let unordered = |(own, of): &(u8, u16)| match self.program.conventions.po_inside {
            true => causes & bit(*own) == 0,
            false => *of != cell || !self.orders_updates,
        };
        let late = kind != EventKind::Write && state.wrote && self.reads_first;
        if late || kind != EventKind::Read && state.reads.iter().any(unordered) {
            return Err(Halt::Error(
                Diagnostic::unsupported(
                    "grow::unsequenced",
                    "a write is not sequenced after the reads of the same statement",
                )
                .unless(Remedy::OtherEngine)
                .at(self.instr(state).span, "both are here")
                .help("`--engine worlds` can run it"),
            ));
        }
        let inner = self.inner(causes);
        let place = self.place(state);
        let at = match self.value(state, addr)? {
            Value::Addr { sym, offset } => (sym, offset),
            _ => (Sym(u16::MAX), 0),
        };
        let reasons = flow::accesses(state, op);
        let sorted = self.members.of(kind, state.thread, sets);
        let hangs = consumed.iter().fold(state.hangs, |all, tmp| all | self.held(state, *tmp).reads);
        let access = Access {
            place,
            kind,
            cell,
            at,
            sets,
            sorted,
            causes,
            inner,
            value,
            hangs,
            number: state.n_reads,
            wanted: None,
            op,
            reasons,
        };
        // The read before is not the latest any more.
        state.latest = None;
        let leaf = Leaf { state: state.clone(), access };
        if let Op::CompareExchange { expected, failure, .. } = op {
            let expected = self.value(state, *expected)?;
            let mut success = leaf.clone();
            success.access.wanted = Some((expected, true));
            let mut failed = leaf;
            failed.access.kind = EventKind::Read;
            failed.access.sets = failure;
            failed.access.sorted = self.members.of(EventKind::Read, state.thread, failure);
            failed.access.wanted = Some((expected, false));
            // What it would have written is not looked at.
            failed.access.reasons = failed
                .access
                .reasons
                .map(|reasons| Arc::new(Reasons { data: Numbers::default(), ..(*reasons).clone() }));
            return Err(Halt::Stop(Box::new(Stop::Access(vec![success, failed]))));
        }
        Err(Halt::Stop(Box::new(Stop::Access(vec![leaf]))))
    }

    /// An access must have the size in which its object is accessed everywhere. An array of characters serves as anything, as long as it starts empty.
    fn fits(&self, state: &State<'p>, addr: Tmp, size: AccessSize, sets: &[SetName]) -> Result<(), Halt<'p>> {
        let Value::Addr { sym, offset } = self.value(state, addr)? else { return Ok(()) };
        // The zeros of `memset` are zeros in every size.
        if size.0 == 0 {
            return Ok(());
        }
        let is = |name: &str| sets.iter().any(|set| set == name);
        let new = || Use {
            offset,
            size: size.0,
            atomic: is("A") || is(ATOMIC),
            site: (!is(WITHIN)).then(|| self.instr(state).span),
        };
        if !self.cells.is_static(sym) {
            return match self.cells.is_inside(sym, offset) {
                true => self.alone(state, sym, new()),
                false => Ok(()),
            };
        }
        let cell = self.cells.at(sym, offset).and_then(|n| self.program.locations.get(usize::from(n)));
        let other = match cell {
            Some(cell) if cell.ty.bytes == size.0 && size.0 != 1 => return Ok(()),
            Some(cell) if cell.ty.bytes == 1 && (size.0 == 1 || cell.init == Value::ZERO) => {
                return self.alone(state, sym, new());
            }
            Some(cell) => Some(cell),
            None => self.program.locations.iter().find(|cell| {
                cell.sym == sym && (1..i64::from(cell.ty.bytes)).contains(&(offset - cell.offset))
            }),
        };
        let Some(other) = other else { return Ok(()) };
        let symbol = &self.program.symbols[usize::from(sym.0)];
        let pinned = self.program.pinned.contains(&(sym, other.offset));
        let cell = Use { offset: other.offset, size: other.ty.bytes, atomic: false, site: None };
        Err(self.mixed(state, addr, shapes::recut(symbol, new(), cell, pinned)))
    }

    /// An access to an object whose cells are as large as accesses make them.
    fn alone(&self, state: &State<'p>, sym: Sym, new: Use) -> Result<(), Halt<'p>> {
        self.cells.fits(sym, new).map_err(|old| {
            let shown = Value::Addr { sym, offset: new.offset };
            self.misfit(state, shown, shapes::reconcile(new, old))
        })
    }

    fn mixed(&self, state: &State<'p>, addr: Tmp, reshape: Option<Reshape>) -> Halt<'p> {
        match self.value(state, addr) {
            Ok(value) => self.misfit(state, value, reshape),
            Err(diagnostic) => Halt::Error(diagnostic),
        }
    }

    /// The search cannot go on with the program as it is made.
    fn misfit(&self, state: &State<'p>, at: Value, reshape: Option<Reshape>) -> Halt<'p> {
        self.reshapes.ask(reshape);
        let shown = self.program.show(at);
        let what = if shown == "?" { "an object".to_string() } else { format!("`{shown}`") };
        let message = format!("an access to {what} of another size than its own");
        Halt::Error(
            Diagnostic::unsupported("grow::mixed-size", message)
                .at(self.instr(state).span, "this access")
                .help("atomic accesses of several sizes to the same bytes are not supported"),
        )
    }

    /// Makes an object; `dst` is its address.
    pub(super) fn alloc(
        &self,
        state: &mut State<'p>,
        dst: Tmp,
        size: Tmp,
        (kind, content): (Storage, Content),
    ) -> Result<(), Halt<'p>> {
        let size = self.decided(state, size)?.as_int().unwrap_or(0);
        if !(0..i128::from(i64::MAX)).contains(&size) {
            let what = "an object of a size that no object has";
            return Err(Halt::Violation(Property::Arithmetic(what.to_string())));
        }
        let at = (state.control.code, state.control.pc);
        let object = Object { size: size as i64, kind, content, at };
        // An object that nobody else sees is gone when the same instruction makes another.
        let private = kind == Storage::Private;
        let nth = if private { 0 } else { state.made };
        let sym = self.cells.object(state.thread, nth, object);
        match private {
            true => state.private.retain(|((of, _), _)| *of != sym),
            false => {
                state.made += 1;
                state.changes += 1;
                self.makes(state, sym, kind);
            }
        }
        set(state, dst, Held { value: Ok(Value::addr(sym)), ..Held::ZERO });
        Ok(())
    }

    /// Ends the life of an object.
    pub(super) fn free(&self, state: &mut State<'p>, addr: Tmp, kind: Storage) -> Result<(), Halt<'p>> {
        match self.decided(state, addr)? {
            Value::Int(0) => {}
            Value::Addr { sym, offset: 0 }
                if self.cells.is_object(sym, kind) && !state.freed.contains(&sym) =>
            {
                state.freed.push(sym);
                state.changes += 1;
                state.private.retain(|((of, _), _)| *of != sym);
                if kind != Storage::Private {
                    let causes = self.causes(state, &[addr], None);
                    let reasons = flow::fences(state, Some(addr), &[], None);
                    self.plain(state, EventKind::Other, None, &[], causes, reasons);
                    if let Some(event) = state.fresh.last_mut() {
                        event.frees = Some(sym);
                    }
                }
            }
            _ => return Err(Halt::Violation(Property::DoubleFree)),
        }
        Ok(())
    }

    /// Does an access go to an object that no other thread can see?
    pub(super) fn is_private(&self, state: &State<'p>, addr: Tmp) -> Result<bool, Diagnostic> {
        Ok(match self.value(state, addr)? {
            Value::Addr { sym, .. } => self.cells.is_object(sym, Storage::Private),
            _ => false,
        })
    }

    /// An access to an object that no other thread can see: no event.
    pub(super) fn private(
        &self,
        state: &mut State<'p>,
        op: &'p Op,
        addr: Tmp,
        value: Option<Value>,
    ) -> Result<(), Halt<'p>> {
        let Value::Addr { sym, offset } = self.value(state, addr)? else { return Ok(()) };
        if state.freed.contains(&sym) {
            return Err(Halt::Violation(Property::UseAfterFree));
        }
        if !self.cells.is_inside(sym, offset) {
            return Err(Halt::Violation(Property::OutOfBounds));
        }
        let place = (sym, offset);
        flow::hidden(state, op, place);
        let old = match state.private.iter().find(|(at, _)| *at == place) {
            Some((_, held)) => Some(*held),
            None => self.cells.initial_at(sym).map(|value| Held { value: Ok(value), ..Held::ZERO }),
        };
        let read = || old.ok_or(Halt::Violation(Property::Uninitialised));
        let new = match op {
            Op::Load { dst, sets, .. } if old.is_none() && sets.iter().any(|s| s == COPY) => {
                set(state, *dst, Held { value: Err(IllegalOp::UNINITIALISED), ..Held::ZERO });
                None
            }
            Op::Load { dst, sets, .. } if old.is_none() && sets.iter().any(|s| s == PART) => {
                set(state, *dst, Held::ZERO);
                None
            }
            Op::Load { dst, .. } => {
                let old = read()?;
                set(state, *dst, old);
                None
            }
            Op::Store { value: tmp, .. } => {
                let held = self.held(state, *tmp);
                value.map(|value| Held { value: Ok(value), causes: 0, newest: 0, ..held })
            }
            Op::Rmw { dst, ops, update, .. } => {
                let old = read()?;
                set(state, *dst, old);
                for op in ops {
                    self.compute(state, op)?;
                }
                self.value(state, *update)?;
                Some(Held { causes: 0, newest: 0, ..self.held(state, *update) })
            }
            Op::CompareExchange { dst, expected, desired, .. } => {
                let old = read()?;
                let equal = old.value == Ok(self.decided(state, *expected)?);
                state.hangs |= old.reads;
                let desired = self.held(state, *desired);
                set(state, *dst, old);
                equal.then_some(Held { causes: 0, newest: 0, ..desired })
            }
            _ => None,
        };
        if let Some(new) = new {
            match state.private.iter_mut().find(|(at, _)| *at == place) {
                Some((_, held)) => *held = new,
                None => state.private.push((place, new)),
            }
        }
        Ok(())
    }

    /// The cell that an access goes to.
    pub(super) fn cell(&self, state: &State<'p>, addr: Tmp) -> Result<u16, Halt<'p>> {
        let value = self.value(state, addr)?;
        if let Value::Addr { sym, offset } = value {
            if state.freed.contains(&sym) {
                return Err(Halt::Violation(Property::UseAfterFree));
            }
            if let Some(cell) = self.cells.at(sym, offset) {
                return Ok(cell);
            }
        }
        if self.properties || self.program.conventions.undefined_behaviour {
            let null = value == Value::ZERO;
            return Err(Halt::Violation(if null { Property::Null } else { Property::OutOfBounds }));
        }
        let shown = self.program.show(value);
        let span = self.instr(state).span;
        Err(Halt::Error(match value {
            Value::Addr { .. } => Diagnostic::unsupported(
                "program::mixed-size",
                format!("access to `{shown}`, which is not the start of a cell of the test"),
            )
            .at(span, "this access"),
            _ => {
                Diagnostic::error("program::non-symbolic-address", format!("non symbolic address: [{shown}]"))
                    .at(span, "this access")
            }
        }))
    }

    pub(super) fn wrong_size(&self, state: &State<'p>, cell: u16, size: AccessSize) -> Option<Diagnostic> {
        use CellSizes::{Approximate, Typed, Whole};
        if matches!(self.program.conventions.sizes, Approximate | Whole | Typed) {
            return None;
        }
        let location = self.program.locations.get(usize::from(cell))?;
        let holds_pointer = !location.declared && location.init.as_int().is_none();
        let bytes = if holds_pointer { 8 } else { location.ty.bytes };
        if bytes == size.0 || holds_pointer {
            return None;
        }
        Some(
            Diagnostic::unsupported(
                "grow::mixed-size",
                format!("an access to `{}` of another size than its own", location.name),
            )
            .unless(Remedy::OtherEngine)
            .at(self.instr(state).span, "this access")
            .help("`--engine worlds` can run it"),
        )
    }
}
