//! Can a world's reads be given values that fit its path, whatever a model says?

use std::ops::ControlFlow;

use crate::execution::World;
use crate::program::Value;

/// How many steps pass between two looks at the limits.
const TICKS: u32 = 256;

/// Is there any way to give the reads of a world values that fit its path? `None`: `go_on` said no before that was known.
///
/// Values are found in the order in which they justify each other: a read takes a value that some write of its cell is
/// known to have by now, or waits for another one. So nothing comes out of thin air, and chains of values that
/// justify only themselves are never tried.
pub(super) fn feasible(world: &World, bits: u32, go_on: &mut dyn FnMut() -> bool) -> Option<bool> {
    let mut search = Search { world, bits, go_on, ticks: 0 };
    let values = vec![None; world.events.len()];
    let refused = vec![Vec::new(); world.reads.len()];
    match search.fits(values, refused) {
        ControlFlow::Continue(fits) => Some(fits),
        ControlFlow::Break(()) => None,
    }
}

struct Search<'s> {
    world: &'s World,
    bits: u32,
    go_on: &'s mut dyn FnMut() -> bool,
    ticks: u32,
}

impl Search<'_> {
    /// `values`: of the reads that have one. `refused`: for each read, values known before that it does not take.
    fn fits(&mut self, values: Vec<Option<Value>>, mut refused: Vec<Vec<Value>>) -> ControlFlow<(), bool> {
        loop {
            self.ticks += 1;
            if self.ticks.is_multiple_of(TICKS) && !(self.go_on)() {
                return ControlFlow::Break(());
            }
            if self.contradicted(&values) {
                return ControlFlow::Continue(false);
            }
            let open = |position: &usize| values[self.world.reads[*position].0].is_none();
            let Some(_) = (0..self.world.reads.len()).find(open) else {
                return ControlFlow::Continue(true);
            };
            let offered = (0..self.world.reads.len()).filter(open).find_map(|position| {
                let (offers, more) = self.offers(position, &values, &refused[position]);
                (!offers.is_empty()).then_some((position, offers, more))
            });
            // What is left waits for values that never come.
            let Some((position, offers, more)) = offered else { return ControlFlow::Continue(false) };
            for value in &offers {
                let mut next = values.clone();
                next[self.world.reads[position].0] = Some(*value);
                if self.fits(next, refused.clone())? {
                    return ControlFlow::Continue(true);
                }
            }
            if !more {
                return ControlFlow::Continue(false);
            }
            refused[position].extend(offers);
        }
    }

    fn contradicted(&self, values: &[Option<Value>]) -> bool {
        self.world.constraints.iter().any(|(value, expected)| {
            matches!(value.eval(values, self.bits), Ok(Some(value)) if (value != Value::ZERO) != *expected)
        })
    }

    /// The values that the candidates of a read are known to have, and may there be others?
    fn offers(&self, position: usize, values: &[Option<Value>], refused: &[Value]) -> (Vec<Value>, bool) {
        let mut offers = Vec::new();
        let mut more = false;
        for write in &self.world.reads[position].1 {
            let Some(written) = self.world.events[*write].written_value() else { continue };
            match written.eval(values, self.bits) {
                Ok(Some(value)) if !offers.contains(&value) && !refused.contains(&value) => {
                    offers.push(value)
                }
                Ok(Some(_)) | Err(_) => {}
                Ok(None) => more = true,
            }
        }
        (offers, more)
    }
}
