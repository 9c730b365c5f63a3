//! Memory for bounds, kept from one evaluation to the next: large blocks that come from the system anew are cleared by it each time.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Buffers of more words than this are given back.
const KEPT: usize = 1 << 21;

thread_local! {
    /// Two: an evaluation of some of the events may have one of all of them beside it.
    static SPARE: RefCell<[Vec<u64>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Words, in the memory of the last buffer that this thread has done with.
pub struct Buffer(Vec<u64>);

impl Buffer {
    /// An empty one, with room for some words at least.
    pub fn with_capacity(words: usize) -> Buffer {
        let largest = |spare: &mut [Vec<u64>; 2]| {
            let [one, other] = spare;
            std::mem::take(if one.capacity() < other.capacity() { other } else { one })
        };
        let kept = SPARE.with(|spare| spare.try_borrow_mut().map(|mut spare| largest(&mut spare)));
        let kept = kept.unwrap_or_default();
        Buffer(if kept.capacity() >= words { kept } else { Vec::with_capacity(words) })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut words = std::mem::take(&mut self.0);
        if words.capacity() > KEPT {
            return;
        }
        words.clear();
        // A thread that ends has no use for it.
        let _ = SPARE.try_with(|spare| {
            if let Ok(mut spare) = spare.try_borrow_mut() {
                let [one, other] = &mut *spare;
                let smallest = if one.capacity() < other.capacity() { one } else { other };
                if smallest.capacity() < words.capacity() {
                    *smallest = words;
                }
            }
        });
    }
}

impl Deref for Buffer {
    type Target = Vec<u64>;

    fn deref(&self) -> &Vec<u64> {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut Vec<u64> {
        &mut self.0
    }
}
