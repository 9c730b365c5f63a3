//! Sets of events as a few machine words.

/// A set of events.
pub(super) type Bits<const W: usize> = [u64; W];

pub(super) fn none<const W: usize>() -> Bits<W> {
    [0; W]
}

/// The first event that is not there. There is one.
pub(super) fn first_free<const W: usize>(bits: &Bits<W>) -> usize {
    let word = bits.iter().position(|word| *word != u64::MAX).unwrap_or(0);
    word * 64 + bits[word].trailing_ones() as usize
}

pub(super) fn one<const W: usize>(event: usize) -> Bits<W> {
    let mut bits = [0; W];
    bits[event / 64] = 1 << (event % 64);
    bits
}

#[inline]
pub(super) fn has<const W: usize>(bits: &Bits<W>, event: usize) -> bool {
    bits[event / 64] >> (event % 64) & 1 == 1
}

#[inline]
pub(super) fn add<const W: usize>(bits: &mut Bits<W>, event: usize) {
    bits[event / 64] |= 1 << (event % 64);
}

#[inline]
pub(super) fn remove<const W: usize>(bits: &mut Bits<W>, event: usize) {
    bits[event / 64] &= !(1 << (event % 64));
}

#[inline]
pub(super) fn or<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|word| a[word] | b[word])
}

#[inline]
pub(super) fn and<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

#[inline]
pub(super) fn without<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}

#[inline]
pub(super) fn is_empty<const W: usize>(bits: &Bits<W>) -> bool {
    bits.iter().all(|word| *word == 0)
}

#[inline]
pub(super) fn meet<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// Its events, in order.
#[inline]
pub(super) fn each<const W: usize>(bits: &Bits<W>, mut f: impl FnMut(usize)) {
    for (word, bits) in bits.iter().enumerate() {
        let mut left = *bits;
        while left != 0 {
            f(word * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// How many there are.
pub(super) fn count<const W: usize>(bits: &Bits<W>) -> usize {
    bits.iter().map(|word| word.count_ones() as usize).sum()
}

/// The lowest of its events.
#[inline]
pub(super) fn first<const W: usize>(bits: &Bits<W>) -> Option<usize> {
    let word = bits.iter().position(|word| *word != 0)?;
    Some(word * 64 + bits[word].trailing_zeros() as usize)
}

/// The highest of its events.
#[inline]
pub(super) fn last<const W: usize>(bits: &Bits<W>) -> Option<usize> {
    let word = bits.iter().rposition(|word| *word != 0)?;
    Some(word * 64 + 63 - bits[word].leading_zeros() as usize)
}

/// Has the relation no cycle among these events? Rows are sets of predecessors.
pub(super) fn is_acyclic<const W: usize>(rows: &[Bits<W>], events: &Bits<W>) -> bool {
    let mut left = *events;
    loop {
        let before = left;
        each(&before, |event| {
            if !meet(&rows[event], &left) {
                remove(&mut left, event);
            }
        });
        if is_empty(&left) {
            return true;
        }
        if left == before {
            return false;
        }
    }
}
