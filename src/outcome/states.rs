//! Final states: a test may have half a million, so that a state is a row of small numbers, not a list of its own.

use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Ordering;
use std::hash::Hasher;

use crate::program::{Assumptions, Program, Value};

use super::Count;
use super::format::compare;

/// Small numbers in a row: bytes, as long as these do.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Numbers {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers::Bytes(Vec::new())
    }
}

impl Numbers {
    fn get(&self, at: usize) -> u32 {
        match self {
            Numbers::Bytes(numbers) => u32::from(numbers[at]),
            Numbers::Words(numbers) => numbers[at],
        }
    }

    /// Adds numbers, below 256 if they are kept as bytes.
    fn extend(&mut self, more: impl Iterator<Item = u32>) {
        match self {
            Numbers::Bytes(numbers) => numbers.extend(more.map(|number| number as u8)),
            Numbers::Words(numbers) => numbers.extend(more),
        }
    }

    /// From now on numbers may be larger.
    fn widen(&mut self) {
        if let Numbers::Bytes(numbers) = self {
            *self = Numbers::Words(numbers.iter().map(|number| u32::from(*number)).collect());
        }
    }

    /// None, with room for as many.
    fn emptied(&self) -> Numbers {
        match self {
            Numbers::Bytes(numbers) => Numbers::Bytes(Vec::with_capacity(numbers.len())),
            Numbers::Words(numbers) => Numbers::Words(Vec::with_capacity(numbers.len())),
        }
    }

    fn renumber(&mut self, to: &[u32]) {
        match self {
            Numbers::Bytes(numbers) => {
                numbers.iter_mut().for_each(|number| *number = to[usize::from(*number)] as u8);
            }
            Numbers::Words(numbers) => numbers.iter_mut().for_each(|number| *number = to[*number as usize]),
        }
    }

    /// Is this what stands from there on?
    fn is_at(&self, from: usize, key: &[u32]) -> bool {
        match self {
            Numbers::Bytes(numbers) => {
                let pairs = numbers[from..from + key.len()].iter().zip(key);
                pairs.fold(0, |differ, (a, b)| differ | (u32::from(*a) ^ b)) == 0
            }
            Numbers::Words(numbers) => numbers[from..from + key.len()] == *key,
        }
    }

    fn compare(&self, one: usize, other: usize, width: usize) -> Ordering {
        match self {
            Numbers::Bytes(numbers) => numbers[one..one + width].cmp(&numbers[other..other + width]),
            Numbers::Words(numbers) => numbers[one..one + width].cmp(&numbers[other..other + width]),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Numbers::Bytes(numbers) => numbers.capacity(),
            Numbers::Words(numbers) => numbers.capacity() * size_of::<u32>(),
        }
    }
}

/// Numbers of executions, by state. Those that do not fit into a word are few, and kept apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Tallies {
    /// [`Tallies::LARGE`]: see there.
    words: Vec<u64>,
    large: FxHashMap<u32, Count>,
}

impl Tallies {
    /// Stands for a number that is kept apart.
    const LARGE: u64 = u64::MAX;

    fn len(&self) -> usize {
        self.words.len()
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn get(&self, at: usize) -> Count {
        match self.words[at] {
            Tallies::LARGE => self.large[&(at as u32)].clone(),
            word => Count::from(word),
        }
    }

    fn set(&mut self, at: usize, count: Count) {
        match count.word().filter(|word| *word != Tallies::LARGE) {
            Some(word) => self.words[at] = word,
            None => {
                self.words[at] = Tallies::LARGE;
                self.large.insert(at as u32, count);
            }
        }
    }

    fn push(&mut self, count: &Count) {
        self.words.push(0);
        self.set(self.words.len() - 1, count.clone());
    }

    fn add(&mut self, at: usize, more: &Count) {
        let sum = more.word().and_then(|more| self.words[at].checked_add(more));
        match sum.filter(|sum| *sum != Tallies::LARGE) {
            Some(sum) => self.words[at] = sum,
            None => self.set(at, &self.get(at) + more),
        }
    }

    /// All of them are one.
    fn forget(&mut self) {
        self.words.fill(1);
        self.large = FxHashMap::default();
    }

    fn in_order(&self, order: &[u32]) -> Tallies {
        let words = order.iter().map(|at| self.words[*at as usize]).collect();
        let mut large = FxHashMap::default();
        if !self.large.is_empty() {
            let kept = |(place, at): (usize, &u32)| Some((place as u32, self.large.get(at)?.clone()));
            large = order.iter().enumerate().filter_map(kept).collect();
        }
        Tallies { words, large }
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.large.capacity() * size_of::<(u32, Count)>()
    }
}

/// Final states (values of `Lowered::shown`, in that order), in increasing order, with the number of executions that end in each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    width: usize,
    /// The values that occur, in increasing order.
    values: Vec<Value>,
    /// State after state, the positions of its values.
    rows: Numbers,
    counts: Tallies,
}

impl States {
    /// How many.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// All of them.
    pub fn keys(&self) -> impl Iterator<Item = Vec<Value>> {
        (0..self.len()).map(|at| self.state(at))
    }

    /// All of them, with their numbers of executions.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<Value>, Count)> {
        self.keys().zip((0..self.len()).map(|at| self.counts.get(at)))
    }

    /// Is this one of them?
    pub fn contains(&self, state: &[Value]) -> bool {
        let numbers = state.iter().map(|value| Some(self.values.binary_search(value).ok()? as u32));
        let Some(row) = numbers.collect::<Option<Vec<u32>>>() else { return false };
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.row(middle).cmp(row.iter().copied()) {
                Ordering::Equal => return true,
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        false
    }

    /// The first `most` of them in the order of a log (by their values in display order, addresses by name), with their numbers of executions.
    pub fn listed(&self, program: &Program, most: usize) -> impl Iterator<Item = (Vec<Value>, Count)> {
        let order = self.display_order(program, most);
        order.into_iter().map(|at| (self.state(at as usize), self.counts.get(at as usize)))
    }

    pub(super) fn display_order(&self, program: &Program, most: usize) -> Vec<u32> {
        let rank = self.ranks(|a, b| compare(a, b, program));
        // Where faults are observed, or signatures assumed to be equal, the last values say which.
        let faults = !program.faults.patterns.is_empty();
        let number = |value: Value| value.as_int().unwrap_or(0);
        let mut last = Vec::new();
        if faults {
            last.push(self.ranks(|a, b| program.faults.compare(number(a), number(b))));
        }
        if program.machine.signs {
            let assumed: Vec<Assumptions> = self.values.iter().map(|v| Assumptions::of(number(*v))).collect();
            let of = |value: Value| self.values.binary_search(&value).ok().map(|at| &assumed[at]);
            last.push(self.ranks(|a, b| match (of(a), of(b)) {
                (Some(a), Some(b)) => a.order(b, program),
                _ => Ordering::Equal,
            }));
        }
        let all = 0..self.len() as u32;
        if rank.is_sorted() && last.is_empty() {
            return all.take(most).collect();
        }
        let values = self.width.saturating_sub(last.len());
        let key = |at: &u32| {
            let shown = self.row(*at as usize).take(values).map(|value| rank[value as usize]);
            let rest = self.row(*at as usize).skip(values);
            shown.chain(rest.zip(&last).map(|(value, rank)| rank[value as usize]))
        };
        let mut order: Vec<u32> = all.collect();
        if order.len() > most {
            order.select_nth_unstable_by(most, |a, b| key(a).cmp(key(b)));
            order.truncate(most);
        }
        order.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        order
    }

    /// The place of each value in some order.
    fn ranks(&self, compare: impl Fn(Value, Value) -> Ordering) -> Vec<u32> {
        let mut sorted: Vec<usize> = (0..self.values.len()).collect();
        sorted.sort_by(|a, b| compare(self.values[*a], self.values[*b]));
        let mut rank = vec![0u32; self.values.len()];
        sorted.iter().enumerate().for_each(|(place, value)| rank[*value] = place as u32);
        rank
    }

    fn row(&self, at: usize) -> impl Iterator<Item = u32> {
        (at * self.width..(at + 1) * self.width).map(|place| self.rows.get(place))
    }

    /// The values that occur.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The number of a value of a state, among those that occur.
    pub(super) fn number(&self, at: usize, place: usize) -> Option<usize> {
        (place < self.width).then(|| self.rows.get(at * self.width + place) as usize)
    }

    /// How many executions have a state.
    pub(super) fn count(&self, at: usize) -> Count {
        self.counts.get(at)
    }

    pub(super) fn state(&self, at: usize) -> Vec<Value> {
        self.row(at).map(|value| self.values[value as usize]).collect()
    }
}

impl FromIterator<(Vec<Value>, Count)> for States {
    fn from_iter<I: IntoIterator<Item = (Vec<Value>, Count)>>(states: I) -> States {
        let mut collector = Collector::default();
        for (state, count) in states {
            let key: Vec<u32> = state.iter().map(|value| collector.number(*value)).collect();
            collector.add(&key, &count, || false);
        }
        collector.finish()
    }
}

/// States in the making: each once, in no order.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    width: usize,
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    /// One more than the numbers of the least integers: most values are such. 0 for none.
    least: [u32; 8],
    rows: Numbers,
    counts: Tallies,
    marks: Vec<bool>,
    /// One more than the state at each hash; 0 for none. A power of two of them, a third free.
    slots: Vec<u32>,
}

impl Collector {
    /// How many states.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// None yet?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many of them are marked.
    pub fn marked(&self) -> usize {
        self.marks.iter().filter(|mark| **mark).count()
    }

    /// The number of a value.
    pub fn number(&mut self, value: Value) -> u32 {
        let least = if let Value::Int(least @ 0..8) = value { Some(least as usize) } else { None };
        if let Some(known @ 1..) = least.map(|least| self.least[least]) {
            return known - 1;
        }
        let next = self.values.len() as u32;
        let number = *self.numbers.entry(value).or_insert(next);
        if let Some(least) = least {
            self.least[least] = number + 1;
        }
        if number == next {
            self.values.push(value);
            if self.values.len() == 257 {
                self.rows.widen();
            }
        }
        number
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let slots = self.slots.capacity() * size_of::<u32>();
        (self.rows.bytes() + slots + self.counts.bytes() + self.marks.capacity()) as u64
    }

    /// So many more executions end in this state, given by the numbers of its values. A new one is marked or not; the mark comes back.
    pub fn add(&mut self, key: &[u32], ways: &Count, mark: impl FnOnce() -> bool) -> bool {
        debug_assert!(self.counts.is_empty() || key.len() == self.width);
        self.width = key.len();
        if self.slots.len() * 2 < (self.len() + 1) * 3 {
            self.grow();
        }
        let slot = self.slot_of(key);
        if self.slots[slot] > 0 {
            let at = self.slots[slot] as usize - 1;
            self.counts.add(at, ways);
            return self.marks[at];
        }
        let mark = mark();
        self.rows.extend(key.iter().copied());
        self.counts.push(ways);
        self.marks.push(mark);
        self.slots[slot] = self.counts.len() as u32;
        mark
    }

    /// Adds what another has collected.
    pub fn join(&mut self, other: &Collector) {
        let numbers: Vec<u32> = other.values.iter().map(|value| self.number(*value)).collect();
        let mut key = Vec::with_capacity(other.width);
        for at in 0..other.len() {
            key.clear();
            key.extend(other.row(at).map(|value| numbers[value as usize]));
            self.add(&key, &other.counts.get(at), || other.marks[at]);
        }
    }

    /// Nobody wants to know how many executions end in each.
    pub fn forget_counts(&mut self) {
        self.counts.forget();
    }

    /// All of them, in order.
    pub fn finish(self) -> States {
        let Collector { width, values, mut rows, counts, slots, .. } = self;
        drop(slots);
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by_key(|value| values[*value as usize]);
        let mut rank = vec![0u32; values.len()];
        order.iter().enumerate().for_each(|(place, value)| rank[*value as usize] = place as u32);
        rows.renumber(&rank);
        let states = in_order(&rows, width, counts.len(), values.len());
        let mut sorted = rows.emptied();
        for at in &states {
            let from = *at as usize * width;
            sorted.extend((from..from + width).map(|place| rows.get(place)));
        }
        States {
            width,
            values: order.iter().map(|value| values[*value as usize]).collect(),
            rows: sorted,
            counts: counts.in_order(&states),
        }
    }

    fn row(&self, at: usize) -> impl Iterator<Item = u32> {
        (at * self.width..(at + 1) * self.width).map(|place| self.rows.get(place))
    }

    /// The place of a state, or of a new one.
    fn slot_of(&self, key: &[u32]) -> usize {
        let mut slot = self.hashed(key.iter().copied());
        while self.slots[slot] != 0 && !self.rows.is_at((self.slots[slot] as usize - 1) * self.width, key) {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    fn hashed(&self, key: impl Iterator<Item = u32>) -> usize {
        let mut hasher = FxHasher::default();
        key.for_each(|number| hasher.write_u32(number));
        hasher.finish() as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(8);
        self.slots.clear();
        self.slots.resize(size, 0);
        for at in 0..self.len() {
            // All of them differ.
            let mut slot = self.hashed(self.row(at));
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = at as u32 + 1;
        }
    }
}

/// Rows of numbers below `below`, in increasing order.
fn in_order(rows: &Numbers, width: usize, n: usize, below: usize) -> Vec<u32> {
    let bits = below.next_power_of_two().trailing_zeros();
    if width as u32 * bits > u128::BITS {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by(|a, b| rows.compare(*a as usize * width, *b as usize * width, width));
        return order;
    }
    // A row is one number: nothing to follow while sorting.
    let key = |at: usize| {
        let row = (at * width..(at + 1) * width).map(|place| u128::from(rows.get(place)));
        row.fold(0, |key, number| key << bits | number)
    };
    let mut keys: Vec<(u128, u32)> = (0..n).map(|at| (key(at), at as u32)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn as_a_map_would() {
        let mut seed = 7u64;
        // Few values, and more than a byte can tell apart.
        for (width, shift) in (0..4).flat_map(|width| [(width, 60), (width, 54)]) {
            let (mut map, mut parts) = (BTreeMap::new(), [Collector::default(), Collector::default()]);
            for _ in 0..500 {
                let mut draw = || {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    Value::Int(i128::from(seed >> shift) - 3)
                };
                let state: Vec<Value> = (0..width).map(|_| draw()).collect();
                // Some are too large for a word, and some become so.
                let ways = match seed % 5 {
                    0 => Count::from(u64::MAX - 3),
                    1 => &Count::from(u64::MAX) * 7,
                    _ => Count::from(2u64),
                };
                *map.entry(state.clone()).or_insert(Count::ZERO) += &ways;
                let part = &mut parts[usize::from(state.first() > Some(&Value::ZERO))];
                let key: Vec<u32> = state.iter().map(|value| part.number(*value)).collect();
                let marked = part.add(&key, &ways, || state.last() == Some(&Value::ONE));
                assert_eq!(marked, state.last() == Some(&Value::ONE));
            }
            let [mut all, other] = parts;
            all.join(&other);
            assert_eq!(all.marked(), map.keys().filter(|state| state.last() == Some(&Value::ONE)).count());
            let states = all.finish();
            assert_eq!(states.iter().collect::<Vec<_>>(), map.clone().into_iter().collect::<Vec<_>>());
            assert!(map.keys().all(|state| states.contains(state)));
            assert!(!states.contains(&vec![Value::Int(9999); width.max(1)]));
            assert_eq!(map.into_iter().collect::<States>(), states);
        }
    }
}
