//! Relations of the inner loop: plain slices of fixed-width rows, no allocation.
//!
//! A relation over `n <= 64 * W` events is `n` rows of `W` words; a set is one row. The functions
//! write their result into a slice given by the caller.

/// The targets of one event, or a set.
pub type Row<const W: usize> = [u64; W];

/// The empty row.
pub const fn zero<const W: usize>() -> Row<W> {
    [0; W]
}

/// Is the bit set?
#[inline(always)]
pub fn has<const W: usize>(row: &Row<W>, event: usize) -> bool {
    row[event >> 6] >> (event & 63) & 1 == 1
}

/// Sets a bit.
#[inline(always)]
pub fn put<const W: usize>(row: &mut Row<W>, event: usize) {
    row[event >> 6] |= 1 << (event & 63);
}

/// Clears a bit.
#[inline(always)]
pub fn drop_bit<const W: usize>(row: &mut Row<W>, event: usize) {
    row[event >> 6] &= !(1 << (event & 63));
}

/// A word with the first `count` bits set: all of them, where there are fewer.
#[inline(always)]
pub fn first(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// `a | b`.
#[inline(always)]
pub fn or<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    let mut row = *a;
    for word in 0..W {
        row[word] |= b[word];
    }
    row
}

/// `a & b`.
#[inline(always)]
pub fn and<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    let mut row = *a;
    for word in 0..W {
        row[word] &= b[word];
    }
    row
}

/// `a & !b`.
#[inline(always)]
pub fn and_not<const W: usize>(a: &Row<W>, b: &Row<W>) -> Row<W> {
    let mut row = *a;
    for word in 0..W {
        row[word] &= !b[word];
    }
    row
}

/// No bit set?
#[inline(always)]
pub fn is_zero<const W: usize>(row: &Row<W>) -> bool {
    row.iter().all(|w| *w == 0)
}

/// Number of bits set.
#[inline(always)]
pub fn count<const W: usize>(row: &Row<W>) -> u32 {
    row.iter().map(|w| w.count_ones()).sum()
}

/// The lowest bit set.
#[inline(always)]
pub fn lowest<const W: usize>(row: &Row<W>) -> Option<usize> {
    row.iter().enumerate().find(|(_, w)| **w != 0).map(|(i, w)| i * 64 + w.trailing_zeros() as usize)
}

/// A row with one bit, or none.
#[inline(always)]
pub fn only<const W: usize>(event: Option<usize>) -> Row<W> {
    let mut row = zero();
    if let Some(event) = event {
        put(&mut row, event);
    }
    row
}

/// The bits set, in increasing order.
#[inline(always)]
pub fn bits<const W: usize>(row: Row<W>) -> impl Iterator<Item = usize> {
    let mut row = row;
    let mut word = 0;
    std::iter::from_fn(move || {
        while word < W {
            if row[word] != 0 {
                let bit = row[word].trailing_zeros() as usize;
                row[word] &= row[word] - 1;
                return Some(word * 64 + bit);
            }
            word += 1;
        }
        None
    })
}

/// `dst |= src`.
#[inline(always)]
pub fn union_with<const W: usize>(dst: &mut [Row<W>], src: &[Row<W>]) {
    for (a, b) in dst.iter_mut().zip(src) {
        *a = or(a, b);
    }
}

/// `dst = a | b`.
#[inline(always)]
pub fn union<const W: usize>(dst: &mut [Row<W>], a: &[Row<W>], b: &[Row<W>]) {
    let (a, b) = (&a[..dst.len()], &b[..dst.len()]);
    for row in 0..dst.len() {
        dst[row] = or(&a[row], &b[row]);
    }
}

/// `dst = src`; did anything change? Rows are few and short: one pass does both.
#[inline(always)]
pub fn replace<const W: usize>(dst: &mut [Row<W>], src: &[Row<W>]) -> bool {
    let mut changed = 0;
    for (old, new) in dst.iter_mut().zip(src) {
        for word in 0..W {
            changed |= old[word] ^ new[word];
        }
        *old = *new;
    }
    changed != 0
}

/// `dst = a ; b`.
#[inline(always)]
pub fn seq<const W: usize>(dst: &mut [Row<W>], a: &[Row<W>], b: &[Row<W>]) {
    for (out, row) in dst.iter_mut().zip(a) {
        *out = image(row, b);
    }
}

/// The events that `rel` reaches from the events of `from`.
#[inline(always)]
pub fn image<const W: usize>(from: &Row<W>, rel: &[Row<W>]) -> Row<W> {
    let mut out = zero();
    for (index, word) in from.iter().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            let mid = index * 64 + rest.trailing_zeros() as usize;
            rest &= rest - 1;
            out = or(&out, &rel[mid]);
        }
    }
    out
}

/// `dst = a^-1`.
#[inline(always)]
pub fn inverse<const W: usize>(dst: &mut [Row<W>], a: &[Row<W>]) {
    dst.fill(zero());
    for (from, row) in a.iter().enumerate() {
        for to in bits(*row) {
            put(&mut dst[to], from);
        }
    }
}

/// Transitive closure, in place.
#[inline(always)]
pub fn close<const W: usize>(rel: &mut [Row<W>]) {
    // Only an event with a predecessor and a successor can be in the middle of a path, and neither set changes.
    let mut sources = zero();
    let mut targets = zero();
    for (event, row) in rel.iter().enumerate() {
        if !is_zero(row) {
            put(&mut sources, event);
            targets = or(&targets, row);
        }
    }
    for mid in bits(and(&sources, &targets)) {
        let via = rel[mid];
        for from in bits(sources) {
            if has(&rel[from], mid) {
                rel[from] = or(&rel[from], &via);
            }
        }
    }
}

/// No cycle? Peels off events without successors; cheaper than a closure.
#[inline(always)]
pub fn acyclic<const W: usize>(rel: &[Row<W>]) -> bool {
    let mut left = zero();
    for (event, row) in rel.iter().enumerate() {
        if !is_zero(row) {
            put(&mut left, event);
        }
    }
    // From the last event to the first: program order mostly points forward, so that a thread is peeled off in one round.
    loop {
        let before = left;
        for word in (0..W).rev() {
            let mut rest = left[word];
            while rest != 0 {
                let bit = 63 - rest.leading_zeros() as usize;
                rest &= !(1 << bit);
                if is_zero(&and(&rel[word * 64 + bit], &left)) {
                    left[word] &= !(1 << bit);
                }
            }
        }
        if is_zero(&left) {
            return true;
        }
        if left == before {
            return false;
        }
    }
}

/// Some event related to itself?
#[inline(always)]
pub fn reflexive<const W: usize>(rel: &[Row<W>]) -> bool {
    rel.iter().enumerate().any(|(event, row)| has(row, event))
}

/// Adds a pair to a transitively closed, irreflexive relation and closes it again.
/// False if that makes a cycle.
#[inline(always)]
pub fn add_closed<const W: usize>(rel: &mut [Row<W>], from: usize, to: usize) -> bool {
    if from == to || has(&rel[to], from) {
        return false;
    }
    if has(&rel[from], to) {
        return true;
    }
    let mut after = rel[to];
    put(&mut after, to);
    for (event, row) in rel.iter_mut().enumerate() {
        if event == from || has(row, from) {
            *row = or(row, &after);
        }
    }
    true
}
