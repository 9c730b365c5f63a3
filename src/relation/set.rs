//! Sets of events.

use std::cmp::Ordering;
use std::fmt;

use smallvec::{SmallVec, smallvec};

/// A set over `0..n`, one bit per event.
/// Invariant: bits at or past `n` are zero.
#[derive(PartialEq, Eq, Hash)]
pub struct Set {
    n: usize,
    bits: SmallVec<[u64; 2]>,
}

// At once: a `SmallVec` clones its elements one by one.
impl Clone for Set {
    fn clone(&self) -> Set {
        Set { n: self.n, bits: SmallVec::from_slice(&self.bits) }
    }
}

impl Set {
    /// The empty set over `n` events.
    pub fn empty(n: usize) -> Set {
        Set { n, bits: smallvec![0; n.div_ceil(64)] }
    }

    /// All of `0..n`.
    pub fn full(n: usize) -> Set {
        let mut set = Set { n, bits: smallvec![!0; n.div_ceil(64)] };
        set.trim();
        set
    }

    /// The set of the given events.
    pub fn of(n: usize, events: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::empty(n);
        for event in events {
            set.insert(event);
        }
        set
    }

    /// `0..end`, as a set over `n` events.
    pub fn below(end: usize, n: usize) -> Set {
        let mut set = Set::empty(n);
        let words = end / 64;
        set.bits[..words].fill(!0);
        if !end.is_multiple_of(64) {
            set.bits[words] = (1 << (end % 64)) - 1;
        }
        set
    }

    /// What both have in common, over the universe of the other.
    pub fn within(&self, other: &Set) -> Set {
        let mut set = other.clone();
        for (index, word) in set.bits.iter_mut().enumerate() {
            *word &= self.bits.get(index).copied().unwrap_or(0);
        }
        set
    }

    fn trim(&mut self) {
        let extra = self.n % 64;
        if extra != 0
            && let Some(last) = self.bits.last_mut()
        {
            *last &= (1 << extra) - 1;
        }
    }

    /// Size of the universe.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The set with these words.
    ///
    /// # Panics
    /// If there are not as many words as `n` events need.
    pub fn from_words(n: usize, words: &[u64]) -> Set {
        assert_eq!(words.len(), n.div_ceil(64), "words of {n} events");
        Set { n, bits: SmallVec::from_slice(words) }
    }

    /// The words, least event first.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.bits
    }

    /// Adds an event.
    pub fn insert(&mut self, event: usize) {
        assert!(event < self.n, "event {event} of {}", self.n);
        self.bits[event / 64] |= 1 << (event % 64);
    }

    /// Takes an event out.
    pub fn remove(&mut self, event: usize) {
        self.bits[event / 64] &= !(1 << (event % 64));
    }

    /// Is it in?
    pub fn contains(&self, event: usize) -> bool {
        self.bits[event / 64] >> (event % 64) & 1 == 1
    }

    /// No event?
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|w| *w == 0)
    }

    /// How many events.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The events, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        super::flat::bits(&self.bits)
    }

    /// Compares by the events, in increasing order.
    pub fn compare(&self, other: &Set) -> Ordering {
        debug_assert_eq!(self.n, other.n);
        super::flat::compare(&self.bits, &other.bits)
    }

    /// The smallest event.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    fn zip(&self, other: &Set, f: impl Fn(u64, u64) -> u64) -> Set {
        debug_assert_eq!(self.n, other.n);
        let mut result = self.clone();
        result.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a = f(*a, *b));
        result
    }

    /// `self | other`.
    pub fn union(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a | b)
    }

    /// `self & other`.
    pub fn inter(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a & b)
    }

    /// `self \ other`.
    pub fn diff(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a & !b)
    }

    /// Everything in `0..n` that is not in `self`.
    pub fn complement(&self) -> Set {
        let mut set = Set { n: self.n, bits: self.bits.iter().map(|w| !w).collect() };
        set.trim();
        set
    }

    /// Is every event of `self` in `other`?
    pub fn is_subset(&self, other: &Set) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| a & !b == 0)
    }

    /// Adds all of `other`; did anything change?
    pub fn union_with(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (a, b) in self.bits.iter_mut().zip(&other.bits) {
            changed |= b & !*a != 0;
            *a |= b;
        }
        changed
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
