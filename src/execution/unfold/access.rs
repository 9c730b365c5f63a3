//! Which cell an access goes to, and whether it may.

use super::{State, Temp, Unfolding};
use crate::diag::Diagnostic;
use crate::execution::SymVal;
use crate::program::{AccessSize, BinOp, CellSizes, LocId, Op, Tmp, Value};

impl<'p> Unfolding<'p> {
    /// The cell that an access goes to. `None`: the path is over, or has been forked over all cells.
    pub(super) fn cell(
        &mut self,
        state: &mut State<'p>,
        addr: Tmp,
        op: &'p Op,
    ) -> Result<Option<LocId>, Diagnostic> {
        let bits = self.bits();
        let Temp { value, sources, .. } = self.temp(state, addr)?.clone();
        let value = state.path.constraints.fold(&value, bits);
        if let Some(known) = value.known() {
            if let Value::Addr { sym, offset } = known
                && let Some(loc) = self.program.location_at(sym, offset)
            {
                return Ok(Some(loc));
            }
            let diagnostic = self.no_cell(state, known);
            self.fail(state, diagnostic);
            return Ok(None);
        }
        if let Some(diagnostic) = self.meaningless(state, &value) {
            self.fail(state, diagnostic);
            return Ok(None);
        }
        // The op is run again in each fork, with the address known there.
        let mut forks = Vec::new();
        let mut wild = state.clone();
        let mut wild_is_possible = true;
        for location in &self.program.locations {
            let address = Value::Addr { sym: location.sym, offset: location.offset };
            let here = SymVal::binary(BinOp::Eq, value.clone(), SymVal::Known(address), bits);
            let mut fork = state.clone();
            if fork.path.constraints.assume(&here, true, bits) {
                Self::set(&mut fork, addr, SymVal::Known(address), sources.clone());
                Self::again(&mut fork, op);
                forks.push(fork);
            }
            wild_is_possible = wild_is_possible && wild.path.constraints.assume(&here, false, bits);
        }
        self.waiting.extend(forks.into_iter().rev());
        if wild_is_possible {
            let diagnostic = Diagnostic::error(
                "program::non-symbolic-address",
                "non symbolic address: an execution accesses memory through a value that is no cell's address",
            )
            .at(self.instr(state).span, "this access");
            self.fail(&mut wild, diagnostic);
        }
        Ok(None)
    }

    fn no_cell(&self, state: &State<'p>, address: Value) -> Diagnostic {
        let shown = self.program.show(address);
        let span = self.instr(state).span;
        match address {
            Value::Addr { sym, .. } => {
                let name = &self.program.symbols[sym.0 as usize];
                Diagnostic::unsupported(
                    "program::mixed-size",
                    format!("access to `{shown}`, which is not the start of a cell of the test"),
                )
                .at(span, "this access")
                .help(format!("declare `{name}` as an array of elements of the size that is accessed"))
            }
            _ => {
                Diagnostic::error("program::non-symbolic-address", format!("non symbolic address: [{shown}]"))
                    .at(span, "this access")
            }
        }
    }

    /// herd7 gives AArch64 cells one size, that of their declaration, and refuses accesses of any other.
    pub(super) fn wrong_size(&self, state: &State<'p>, loc: LocId, size: AccessSize) -> Option<Diagnostic> {
        let cell = &self.program.locations[loc.0 as usize];
        // A cell that starts with an address holds a pointer, declared or not.
        let holds_pointer = !cell.declared && cell.init.as_int().is_none();
        let bytes = if holds_pointer { 8 } else { cell.ty.bytes };
        if self.program.conventions.sizes != CellSizes::Declared || bytes == size.0 {
            return None;
        }
        let name = &cell.name;
        let declared = if cell.declared { "is declared with" } else { "has, being undeclared," };
        Some(
            Diagnostic::unsupported("program::mixed-size", format!("mixed-size accesses to `{name}`"))
                .at(
                    self.instr(state).span,
                    format!("accesses {} bytes, but `{name}` {declared} {bytes}", size.0),
                )
                .help(format!("declare `{name}` with a type of the size that is accessed")),
        )
    }
}
