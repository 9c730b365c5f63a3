//! Relations over events.

use std::cmp::Ordering;
use std::fmt;

use smallvec::{SmallVec, smallvec};

use super::Set;
use super::flat::{Shape, bits, compare};

/// A relation over `0..n`, one row of bits per source event.
/// Invariant: `rows.len() == n * words`; bits at or past `n` are zero in every row.
#[derive(PartialEq, Eq, Hash)]
pub struct Rel {
    n: usize,
    words: usize,
    rows: SmallVec<[u64; 16]>,
}

// At once: a `SmallVec` clones its elements one by one.
impl Clone for Rel {
    fn clone(&self) -> Rel {
        Rel { n: self.n, words: self.words, rows: SmallVec::from_slice(&self.rows) }
    }
}

impl Rel {
    /// The empty relation over `n` events.
    pub fn empty(n: usize) -> Rel {
        let words = n.div_ceil(64);
        Rel { n, words, rows: smallvec![0; n * words] }
    }

    /// All pairs.
    pub fn full(n: usize) -> Rel {
        Rel::product(&Set::full(n), &Set::full(n))
    }

    /// The identity on all of `0..n`.
    pub fn identity(n: usize) -> Rel {
        Rel::id_on(&Set::full(n))
    }

    /// The identity on a set.
    pub fn id_on(set: &Set) -> Rel {
        let mut rel = Rel::empty(set.n());
        for event in set.iter() {
            rel.insert(event, event);
        }
        rel
    }

    /// The relation of the given pairs.
    pub fn of(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Rel {
        let mut rel = Rel::empty(n);
        for (from, to) in pairs {
            rel.insert(from, to);
        }
        rel
    }

    /// `a * b`.
    pub fn product(a: &Set, b: &Set) -> Rel {
        let mut rel = Rel::empty(a.n());
        for from in a.iter() {
            rel.row_mut(from).copy_from_slice(b.words());
        }
        rel
    }

    /// The equivalence with these classes, on their members.
    pub fn of_classes<'c>(n: usize, classes: impl IntoIterator<Item = &'c Set>) -> Rel {
        let mut rel = Rel::empty(n);
        for class in classes {
            for event in class.iter() {
                rel.row_mut(event).copy_from_slice(class.words());
            }
        }
        rel
    }

    /// Size of the universe.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Words per row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// All rows, one after the other.
    pub fn all_words(&self) -> &[u64] {
        &self.rows
    }

    /// The relation with these rows.
    ///
    /// # Panics
    /// If there are not as many words as `n` rows have.
    pub fn from_words(n: usize, words: &[u64]) -> Rel {
        let shape = Shape::new(n);
        assert_eq!(words.len(), shape.rel(), "rows of {n} events");
        Rel { n, words: shape.words, rows: SmallVec::from_slice(words) }
    }

    /// The targets of one event, as words.
    pub fn row(&self, from: usize) -> &[u64] {
        &self.rows[from * self.words..(from + 1) * self.words]
    }

    fn row_mut(&mut self, from: usize) -> &mut [u64] {
        &mut self.rows[from * self.words..(from + 1) * self.words]
    }

    /// Adds a pair.
    pub fn insert(&mut self, from: usize, to: usize) {
        assert!(from < self.n && to < self.n, "pair ({from}, {to}) of {}", self.n);
        self.rows[from * self.words + to / 64] |= 1 << (to % 64);
    }

    /// Gives one event its targets.
    pub fn set_row(&mut self, from: usize, to: &Set) {
        debug_assert_eq!(self.n, to.n());
        self.row_mut(from).copy_from_slice(to.words());
    }

    /// Takes a pair out.
    pub fn remove(&mut self, from: usize, to: usize) {
        self.rows[from * self.words + to / 64] &= !(1 << (to % 64));
    }

    /// Is the pair in?
    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.rows[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// No pair?
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|w| *w == 0)
    }

    /// How many pairs.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The targets of one event.
    pub fn successors(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        bits(self.row(from))
    }

    /// All pairs, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |from| self.successors(from).map(move |to| (from, to)))
    }

    /// Compares by the pairs, in increasing order.
    pub fn compare(&self, other: &Rel) -> Ordering {
        debug_assert_eq!(self.n, other.n);
        compare(&self.rows, &other.rows)
    }

    fn zip(&self, other: &Rel, f: impl Fn(u64, u64) -> u64) -> Rel {
        debug_assert_eq!(self.n, other.n);
        let mut result = self.clone();
        result.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a = f(*a, *b));
        result
    }

    /// `self | other`.
    pub fn union(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a | b)
    }

    /// `self & other`.
    pub fn inter(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a & b)
    }

    /// `self \ other`.
    pub fn diff(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a & !b)
    }

    /// Is every pair of `self` in `other`?
    pub fn is_subset(&self, other: &Rel) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| a & !b == 0)
    }

    /// Adds all of `other`; did anything change?
    pub fn union_with(&mut self, other: &Rel) -> bool {
        let mut changed = false;
        for (a, b) in self.rows.iter_mut().zip(&other.rows) {
            changed |= b & !*a != 0;
            *a |= b;
        }
        changed
    }

    fn shape(&self) -> Shape {
        Shape { n: self.n, words: self.words }
    }

    /// `self ; other`.
    pub fn seq(&self, other: &Rel) -> Rel {
        debug_assert_eq!(self.n, other.n);
        let mut result = Rel::empty(self.n);
        self.shape().seq(&mut result.rows, &self.rows, &other.rows);
        result
    }

    /// The inverse.
    pub fn inverse(&self) -> Rel {
        let mut result = Rel::empty(self.n);
        self.shape().inverse(&mut result.rows, &self.rows);
        result
    }

    /// Transitive closure, in place.
    pub fn close(&mut self) {
        self.shape().close(&mut self.rows);
    }

    /// `self+`.
    pub fn plus(&self) -> Rel {
        let mut result = self.clone();
        result.close();
        result
    }

    /// Sources.
    pub fn domain(&self) -> Set {
        let mut set = Set::empty(self.n);
        self.shape().add_domain(set.words_mut(), &self.rows);
        set
    }

    /// Targets.
    pub fn range(&self) -> Set {
        let mut set = Set::empty(self.n);
        self.shape().add_range(set.words_mut(), &self.rows);
        set
    }

    /// The targets of one event as a set.
    pub fn row_set(&self, from: usize) -> Set {
        let mut set = Set::empty(self.n);
        set.words_mut().copy_from_slice(self.row(from));
        set
    }

    /// No event related to itself?
    pub fn is_irreflexive(&self) -> bool {
        (0..self.n).all(|e| !self.contains(e, e))
    }

    /// No cycle?
    pub fn is_acyclic(&self) -> bool {
        self.shape().is_acyclic(&self.rows)
    }

    /// Only pairs with both ends in `set`.
    pub fn restrict(&self, set: &Set) -> Rel {
        self.from_set(set).to_set(set)
    }

    /// Only pairs that begin in `set`.
    pub fn from_set(&self, set: &Set) -> Rel {
        let mut result = Rel::empty(self.n);
        for event in set.iter() {
            result.row_mut(event).copy_from_slice(self.row(event));
        }
        result
    }

    /// Only pairs that end in `set`.
    pub fn to_set(&self, set: &Set) -> Rel {
        let mut result = self.clone();
        for row in result.rows.chunks_exact_mut(self.words.max(1)) {
            row.iter_mut().zip(set.words()).for_each(|(word, kept)| *word &= kept);
        }
        result
    }
}

impl fmt::Debug for Rel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
