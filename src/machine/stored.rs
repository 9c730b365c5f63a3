//! The steps between states that layers have found, kept: where a run goes on for ever is decided by its components.

use rustc_hash::FxHashMap;

use super::layers::Chunk;
use super::ltl::emptiness::Graph;
use super::rows::{PARTS, index_of};
use crate::limits;

/// Steps by the state that they start from, in the parts that states are in.
#[derive(Default)]
pub(super) struct Stored {
    parts: Vec<Steps>,
    /// Acceptance sets, by the number that steps have them by.
    sets: Vec<u64>,
    numbers: FxHashMap<u64, u32>,
    first: u32,
}

#[derive(Default)]
struct Steps {
    /// Where the steps of each state end; those of the next begin there.
    ends: Vec<u64>,
    to: Vec<u32>,
    sets: Vec<u32>,
}

impl Stored {
    /// No steps yet; a run begins at that state.
    pub fn new(first: u32) -> Stored {
        let parts = (0..PARTS).map(|_| Steps::default()).collect();
        Stored { parts, sets: Vec::new(), numbers: FxHashMap::default(), first }
    }

    /// Adds what portions have led to: each of a part, its states after those that the part has steps of. `numbers` are those of the rows that
    /// chunks found, by part, chunk after chunk.
    pub fn add(&mut self, portions: impl Iterator<Item = usize>, chunks: &[Chunk], numbers: &[Vec<u32>]) {
        let mut at = [0usize; PARTS];
        for (part, chunk) in portions.zip(chunks) {
            let known: Vec<u32> = chunk
                .masks
                .iter()
                .map(|sets| {
                    let next = self.sets.len() as u32;
                    *self.numbers.entry(*sets).or_insert_with(|| {
                        self.sets.push(*sets);
                        next
                    })
                })
                .collect();
            let steps = &mut self.parts[part];
            for (of, mask) in &chunk.steps {
                let of = usize::from(*of);
                steps.to.push(numbers[of][at[of]]);
                steps.sets.push(known[*mask as usize]);
                at[of] += 1;
            }
            let mut end = steps.ends.last().copied().unwrap_or(0);
            steps.ends.extend(chunk.degrees.iter().map(|degree| {
                end += u64::from(*degree);
                end
            }));
        }
    }

    pub fn bytes(&self) -> usize {
        let of =
            |steps: &Steps| steps.ends.capacity() * 8 + (steps.to.capacity() + steps.sets.capacity()) * 4;
        self.parts.iter().map(of).sum()
    }
}

impl Graph for &Stored {
    type Stop = std::convert::Infallible;

    fn initial(&mut self) -> Result<Vec<u32>, Self::Stop> {
        Ok(vec![self.first])
    }

    /// States whose steps are not known yet have none.
    fn successors(&mut self, state: u32, found: &mut Vec<(u32, u64)>) -> Result<(), Self::Stop> {
        limits::poll();
        let (part, index) = index_of(state);
        let steps = &self.parts[part];
        let Some(end) = steps.ends.get(index) else { return Ok(()) };
        let start = index.checked_sub(1).map_or(0, |before| steps.ends[before]);
        let range = start as usize..*end as usize;
        let sets = steps.sets[range.clone()].iter().map(|number| self.sets[*number as usize]);
        found.extend(steps.to[range].iter().copied().zip(sets));
        Ok(())
    }
}
