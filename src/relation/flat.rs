//! Relations as plain slices of words: `n` rows of `words` words each, one after the other; a set is one row.
//!
//! What [`Rel`](super::Rel) and the evaluation of models are made of. The caller owns the memory, and gives the place that a
//! result goes to.

use std::cmp::Ordering;

use super::rows;

/// Number of events, and of words per row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Events.
    pub n: usize,
    /// Words per row.
    pub words: usize,
}

impl Shape {
    /// The shape of relations over `n` events.
    pub fn new(n: usize) -> Shape {
        Shape { n, words: n.div_ceil(64) }
    }

    /// Words of a relation.
    pub fn rel(self) -> usize {
        self.n * self.words
    }

    /// Copies one row of a relation over more events, without those that are not here.
    pub fn copy_row(self, out: &mut [u64], row: &[u64]) {
        match out {
            // Nearly always.
            [only] => *only = row[0],
            _ => out.copy_from_slice(&row[..self.words]),
        }
        if let (Some(last), rest @ 1..) = (out.last_mut(), self.n % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    fn rows(self, rel: &[u64]) -> impl Iterator<Item = &[u64]> {
        rel.chunks_exact(self.words.max(1))
    }

    fn row(self, rel: &[u64], event: usize) -> &[u64] {
        &rel[event * self.words..(event + 1) * self.words]
    }

    // Worlds of up to 256 events, nearly all there are, have rows of fixed width: what follows the matches is for larger ones.

    /// `out = a ; b`.
    pub fn seq(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        match self.words {
            1 => return rows::seq::<1>(out.as_chunks_mut().0, a.as_chunks().0, b.as_chunks().0),
            2 => return rows::seq::<2>(out.as_chunks_mut().0, a.as_chunks().0, b.as_chunks().0),
            3 => return rows::seq::<3>(out.as_chunks_mut().0, a.as_chunks().0, b.as_chunks().0),
            4 => return rows::seq::<4>(out.as_chunks_mut().0, a.as_chunks().0, b.as_chunks().0),
            _ => {}
        }
        out.fill(0);
        for (row, from) in out.chunks_exact_mut(self.words.max(1)).zip(self.rows(a)) {
            for mid in bits(from) {
                for (word, more) in row.iter_mut().zip(self.row(b, mid)) {
                    *word |= more;
                }
            }
        }
    }

    /// `out = a^-1`.
    pub fn inverse(self, out: &mut [u64], a: &[u64]) {
        match self.words {
            1 => return rows::inverse::<1>(out.as_chunks_mut().0, a.as_chunks().0),
            2 => return rows::inverse::<2>(out.as_chunks_mut().0, a.as_chunks().0),
            3 => return rows::inverse::<3>(out.as_chunks_mut().0, a.as_chunks().0),
            4 => return rows::inverse::<4>(out.as_chunks_mut().0, a.as_chunks().0),
            _ => {}
        }
        out.fill(0);
        for (from, row) in self.rows(a).enumerate() {
            for to in bits(row) {
                self.put(out, to, from);
            }
        }
    }

    /// Transitive closure, in place.
    pub fn close(self, rel: &mut [u64]) {
        match self.words {
            1 => return rows::close::<1>(rel.as_chunks_mut().0),
            2 => return rows::close::<2>(rel.as_chunks_mut().0),
            3 => return rows::close::<3>(rel.as_chunks_mut().0),
            4 => return rows::close::<4>(rel.as_chunks_mut().0),
            _ => {}
        }
        let mut via = vec![0; self.words];
        for mid in 0..self.n {
            via.copy_from_slice(self.row(rel, mid));
            if via.iter().all(|word| *word == 0) {
                continue;
            }
            for row in rel.chunks_exact_mut(self.words) {
                if row[mid / 64] >> (mid % 64) & 1 == 1 {
                    for (word, more) in row.iter_mut().zip(&via) {
                        *word |= more;
                    }
                }
            }
        }
    }

    /// No cycle?
    pub fn is_acyclic(self, rel: &[u64]) -> bool {
        match self.words {
            1 => return rows::acyclic::<1>(rel.as_chunks().0),
            2 => return rows::acyclic::<2>(rel.as_chunks().0),
            3 => return rows::acyclic::<3>(rel.as_chunks().0),
            4 => return rows::acyclic::<4>(rel.as_chunks().0),
            _ => {}
        }
        // Peel off events without a successor among those left, until none is left or none can go.
        let mut left = vec![0; self.words];
        (0..self.n).for_each(|event| left[event / 64] |= 1 << (event % 64));
        loop {
            let mut peeled = false;
            for event in (0..self.n).rev() {
                let is_left = left[event / 64] >> (event % 64) & 1 == 1;
                if is_left && self.row(rel, event).iter().zip(&left).all(|(a, b)| a & b == 0) {
                    left[event / 64] &= !(1 << (event % 64));
                    peeled = true;
                }
            }
            if !peeled {
                return left.iter().all(|word| *word == 0);
            }
        }
    }

    /// No event related to itself?
    pub fn is_irreflexive(self, rel: &[u64]) -> bool {
        (0..self.n).all(|event| !self.has(rel, event, event))
    }

    /// `out = a * b`, of sets.
    pub fn product(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        out.fill(0);
        for from in bits(a) {
            out[from * self.words..(from + 1) * self.words].copy_from_slice(b);
        }
    }

    /// Adds the identity on a set.
    pub fn add_identity(self, rel: &mut [u64], set: &[u64]) {
        for event in bits(set) {
            self.put(rel, event, event);
        }
    }

    /// `out |=` the sources of a relation.
    pub fn add_domain(self, out: &mut [u64], rel: &[u64]) {
        for (event, row) in self.rows(rel).enumerate() {
            if row.iter().any(|word| *word != 0) {
                out[event / 64] |= 1 << (event % 64);
            }
        }
    }

    /// `out |=` the targets of a relation.
    pub fn add_range(self, out: &mut [u64], rel: &[u64]) {
        for row in self.rows(rel) {
            for (word, more) in out.iter_mut().zip(row) {
                *word |= more;
            }
        }
    }

    /// Is the pair in?
    pub fn has(self, rel: &[u64], from: usize, to: usize) -> bool {
        rel[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// Adds a pair.
    pub fn put(self, rel: &mut [u64], from: usize, to: usize) {
        rel[from * self.words + to / 64] |= 1 << (to % 64);
    }
}

/// Compares by the bits set, in increasing order: as lists of their positions compare, without making them.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else { return a.len().cmp(&b.len()) };
    // The lowest bit that only one has. The other goes on with a larger one, or is at its end.
    let lowest = (a[at] ^ b[at]) & (a[at] ^ b[at]).wrapping_neg();
    let goes_on = |words: &[u64]| {
        words[at] & !(lowest | (lowest - 1)) != 0 || words[at + 1..].iter().any(|word| *word != 0)
    };
    match a[at] & lowest != 0 {
        true if goes_on(b) => Ordering::Less,
        true => Ordering::Greater,
        false if goes_on(a) => Ordering::Greater,
        false => Ordering::Less,
    }
}

/// The bits set, in increasing order.
pub fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}
