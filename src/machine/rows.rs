//! Rows of numbers of one length, each stored once.
//!
//! They lie in parts by their hashes. Each part has its own table and its own numbers, so that workers fill parts side by side, and what is
//! looked up of one part at a time stays in the cache. Which part a row is in, and as which number, depends on nothing but the order in which rows are
//! brought: not on who brings them.

/// How many parts there are.
pub(super) const PARTS: usize = 1 << BITS;
const BITS: u32 = 5;

/// No row.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The parts.
pub(super) struct Rows {
    width: usize,
    pub parts: Vec<Part>,
}

/// Some of the rows.
pub(super) struct Part {
    width: usize,
    number: u32,
    /// Half of a hash, and one more than the index of the row; 0 is a free place.
    table: Vec<u64>,
    cells: Vec<u32>,
    /// Where each row was first come from, if somebody wants to know.
    before: Vec<u32>,
    len: u32,
}

/// More rows than there are numbers for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Full;

impl Rows {
    pub fn new(width: usize) -> Rows {
        let part = |number| Part {
            width,
            number,
            table: vec![0; 16],
            cells: Vec::new(),
            before: Vec::new(),
            len: 0,
        };
        Rows { width, parts: (0..PARTS as u32).map(part).collect() }
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u32] {
        self.parts[number as usize % PARTS].get(number >> BITS)
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len as usize).sum()
    }

    /// The number of a row, new or old.
    #[inline]
    pub fn number(&mut self, row: &[u32]) -> Result<u32, Full> {
        let hash = mixed(row);
        self.parts[part_of(hash)].number(row, hash, None).map(|(number, _)| number)
    }

    /// The number of a row, if it is there.
    #[inline]
    pub fn find(&self, row: &[u32]) -> Option<u32> {
        let hash = mixed(row);
        self.parts[part_of(hash)].find(row, hash)
    }

    /// Where a row was first come from.
    pub fn before(&self, number: u32) -> u32 {
        self.parts[number as usize % PARTS].before[(number >> BITS) as usize]
    }

    /// All numbers.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(|part| (0..part.len).map(|index| index << BITS | part.number))
    }

    pub fn bytes(&self) -> usize {
        let of = |part: &Part| part.table.len() * 8 + (part.cells.capacity() + part.before.capacity()) * 4;
        self.parts.iter().map(of).sum()
    }

    pub fn width(&self) -> usize {
        self.width
    }
}

impl Part {
    pub fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    fn get(&self, index: u32) -> &[u32] {
        &self.cells[index as usize * self.width..][..self.width]
    }

    /// The number of the row at an index.
    pub fn at(&self, index: u32) -> u32 {
        index << BITS | self.number
    }

    fn find(&self, row: &[u32], hash: u64) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut place = hash as u32 as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                return None;
            }
            let index = entry as u32 - 1;
            if (entry >> 32) as u32 == hash as u32 && same(self.get(index), row) {
                return Some(self.at(index));
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of a row, and whether it is new. `before`: where it was come from.
    #[inline]
    pub fn number(&mut self, row: &[u32], hash: u64, before: Option<u32>) -> Result<(u32, bool), Full> {
        let mask = self.table.len() - 1;
        let mut place = hash as u32 as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                break;
            }
            let index = entry as u32 - 1;
            if (entry >> 32) as u32 == hash as u32 && same(self.get(index), row) {
                return Ok((self.at(index), false));
            }
            place = (place + 1) & mask;
        }
        let index = self.len;
        if index >= u32::MAX >> BITS {
            return Err(Full);
        }
        self.len += 1;
        self.cells.extend_from_slice(row);
        self.before.extend(before);
        self.table[place] = u64::from(hash as u32) << 32 | u64::from(index + 1);
        if self.len as usize * 4 > self.table.len() * 3 {
            self.grow();
        }
        Ok((self.at(index), true))
    }

    /// Twice the places. What a row hashes to stands in the table: no row is looked at.
    fn grow(&mut self) {
        let mut table = vec![0u64; self.table.len() * 2];
        let mask = table.len() - 1;
        for entry in self.table.iter().filter(|entry| **entry != 0) {
            let mut place = (entry >> 32) as usize & mask;
            while table[place] != 0 {
                place = (place + 1) & mask;
            }
            table[place] = *entry;
        }
        self.table = table;
    }
}

/// The part of a row, and its place there.
pub(super) fn index_of(number: u32) -> (usize, usize) {
    (number as usize % PARTS, (number >> BITS) as usize)
}

/// The part that a hash belongs to.
#[inline]
pub(super) fn part_of(hash: u64) -> usize {
    (hash >> (64 - BITS)) as usize
}

/// Rows are short: a loop is faster than a call.
#[inline]
fn same(a: &[u32], b: &[u32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// The hash of a row.
#[inline]
pub(super) fn mixed(row: &[u32]) -> u64 {
    row.iter().fold(0, |hash, number| {
        let hash = (hash ^ u64::from(*number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_stored_once_and_found_again() {
        let mut rows = Rows::new(3);
        let row = |n: u32| [n % 7, n / 7, n % 3];
        let numbers: Vec<u32> = (0..5000).map(|n| rows.number(&row(n)).expect("room")).collect();
        assert_eq!(rows.len(), 5000);
        for (n, number) in numbers.iter().enumerate() {
            assert_eq!(rows.get(*number), row(n as u32));
            assert_eq!(rows.find(&row(n as u32)), Some(*number));
            assert_eq!(rows.number(&row(n as u32)), Ok(*number));
        }
        assert_eq!(rows.find(&[9, 9, 9]), None);
        let mut all: Vec<u32> = rows.numbers().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5000);
    }
}
