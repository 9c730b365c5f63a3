//! One access of AArch64 on its way to memory: the memory interface, as instructions see it.
//!
//! Every load, store and atomic calls [`Lower::reach`] once with the address it computed, and goes on with the [`Place`] that
//! comes back: through [`Lower::load_at`] and [`Lower::store_at`]. What lies between are the stages of the extensions, in
//! this order: signatures of the pointer, translation, tags. A stage appends micro-ops (implicit reads in the set `NExp`,
//! branches, `Op::Fault` in the branches that do not go on: it ends the instruction), may replace the address, and adds what the access hangs on
//! to [`Place::ctrl`]. Without extensions there are no stages, and nothing is appended. Bounds, alignment and parts of
//! cells are no affair of instructions: see `execution::unfold::access` and `execution::granules`.

use super::lower::Lower;
use crate::arch::build::names;
use crate::program::{AccessSize, BinOp, Extra, Op, Tmp};

/// Does the instruction write? Atomics and store-exclusives do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// What the stages know of an access. (Nothing asks yet: there is no stage so far.)
#[allow(dead_code)]
#[derive(Clone, Copy, Debug)]
pub struct Access<'s> {
    /// Its direction.
    pub direction: Direction,
    /// Size of one element in bytes.
    pub bytes: u8,
    /// Sets of its (first) event: `A`, `L`, `X` …
    pub sets: &'s [&'static str],
}

/// Where an access goes, all stages passed.
#[derive(Clone, Debug)]
pub struct Place {
    /// The address.
    pub addr: Tmp,
    /// What its events hang on (`iico_ctrl`).
    pub ctrl: Vec<Tmp>,
}

impl Lower<'_, '_> {
    /// Takes an address through the stages.
    pub fn reach(&mut self, addr: Tmp, access: Access) -> Place {
        let _ = access;
        Place { addr, ctrl: Vec::new() }
    }

    /// The element after the one there.
    pub fn next_place(&mut self, place: &Place, bytes: u8) -> Place {
        let addr = self.b.binary_int(BinOp::Add, place.addr, i128::from(bytes));
        Place { addr, ctrl: place.ctrl.clone() }
    }

    /// The event of a load.
    pub fn load_at(&mut self, place: &Place, bytes: u8, sets: &[&'static str], mut extra: Extra) -> Tmp {
        extra.ctrl.extend_from_slice(&place.ctrl);
        let dst = self.b.tmp();
        let (addr, size) = (place.addr, AccessSize(bytes));
        self.b.push(Op::Load { dst, addr, size, sets: names(sets), extra });
        dst
    }

    /// The event of a store.
    pub fn store_at(
        &mut self,
        place: &Place,
        value: Tmp,
        bytes: u8,
        sets: &[&'static str],
        mut extra: Extra,
    ) {
        extra.ctrl.extend_from_slice(&place.ctrl);
        self.b.store_with(place.addr, value, bytes, sets, extra);
    }
}
