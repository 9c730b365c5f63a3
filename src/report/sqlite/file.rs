//! The file format of SQLite, as far as tables that are written once need it: rows are added in order, pages written as they fill, so that memory stays flat.
//! <https://www.sqlite.org/fileformat2.html>

use std::io::{self, Seek, SeekFrom, Write};

/// Bytes of a page.
const PAGE: usize = 4096;
/// The most of a row that stands in its own page; of a longer one at least [`LEAST`].
const MOST: usize = PAGE - 35;
const LEAST: usize = (PAGE - 12) * 32 / 255 - 23;
/// The header of the file, in its first page.
const HEADER: usize = 100;

/// One value of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text.
    Text(String),
}

impl From<Option<&str>> for Cell {
    fn from(text: Option<&str>) -> Cell {
        text.map_or(Cell::Null, |text| Cell::Text(text.to_string()))
    }
}

impl From<Option<i64>> for Cell {
    fn from(number: Option<i64>) -> Cell {
        number.map_or(Cell::Null, Cell::Int)
    }
}

/// A database that is being written.
#[derive(Debug)]
pub struct Database<W> {
    out: W,
    /// Pages that have a number.
    pages: u32,
    tables: Vec<Table>,
}

#[derive(Debug)]
struct Table {
    name: String,
    sql: String,
    rows: i64,
    leaf: Leaf,
    /// Leaves that are written: their page, and their last row.
    leaves: Vec<(u32, i64)>,
}

/// Cells of a page that is not full yet.
#[derive(Default, Debug)]
struct Leaf {
    cells: Vec<Vec<u8>>,
    bytes: usize,
}

/// A table, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableId(usize);

impl<W: Write + Seek> Database<W> {
    /// An empty database.
    pub fn new(out: W) -> Database<W> {
        // The first page is written last: it says where the others are.
        Database { out, pages: 1, tables: Vec::new() }
    }

    /// Adds a table by the statement that would create it. Its first column must be its `INTEGER PRIMARY KEY`.
    pub fn table(&mut self, name: &str, sql: &str) -> TableId {
        let table = Table {
            name: name.to_string(),
            sql: sql.to_string(),
            rows: 0,
            leaf: Leaf::default(),
            leaves: Vec::new(),
        };
        self.tables.push(table);
        TableId(self.tables.len() - 1)
    }

    /// Adds a row: all columns but the key. The number of the row, from 1 on.
    pub fn insert(&mut self, table: TableId, cells: &[Cell]) -> io::Result<i64> {
        let number = self.tables[table.0].rows + 1;
        let mut row = vec![Cell::Null];
        row.extend_from_slice(cells);
        let cell = self.cell(number, &record(&row))?;
        if !self.tables[table.0].leaf.has_room(cell.len()) {
            self.write_leaf(table.0)?;
        }
        let table = &mut self.tables[table.0];
        table.rows = number;
        table.leaf.push(cell);
        Ok(number)
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        let mut schema = Leaf::default();
        let mut number = 0;
        for table in 0..self.tables.len() {
            if !self.tables[table].leaf.cells.is_empty() || self.tables[table].leaves.is_empty() {
                self.write_leaf(table)?;
            }
            let root = self.write_tree(table)?;
            let Table { name, sql, .. } = &self.tables[table];
            number += 1;
            schema.push(schema_cell(number, name, i64::from(root), sql));
        }
        if schema.bytes + HEADER + 8 > PAGE {
            return Err(io::Error::other("the schema does not fit into its page"));
        }
        let mut page = page_of(0x0D, &schema.cells, None, HEADER);
        page[..HEADER].copy_from_slice(&self.header());
        self.put(1, &page)?;
        self.out.flush()
    }

    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..16].copy_from_slice(b"SQLite format 3\0");
        header[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
        header[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
        let mut word = |at: usize, value: u32| header[at..at + 4].copy_from_slice(&value.to_be_bytes());
        word(24, 1); // changes
        word(28, self.pages);
        word(40, 1); // of the schema
        word(44, 4); // format of the schema
        word(56, 1); // UTF-8
        word(92, 1); // changes, once more
        word(96, 3_040_000); // the version that could have written it
        header
    }

    fn put(&mut self, number: u32, page: &[u8]) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(u64::from(number - 1) * PAGE as u64))?;
        self.out.write_all(page)
    }

    fn next_page(&mut self) -> u32 {
        self.pages += 1;
        self.pages
    }

    /// A row as it stands in a leaf; what is too long for it goes to pages of its own.
    fn cell(&mut self, number: i64, record: &[u8]) -> io::Result<Vec<u8>> {
        let mut cell = Vec::new();
        varint(record.len() as u64, &mut cell);
        varint(number as u64, &mut cell);
        if record.len() <= MOST {
            cell.extend_from_slice(record);
            return Ok(cell);
        }
        let fits = LEAST + (record.len() - LEAST) % (PAGE - 4);
        let (here, rest) = record.split_at(if fits <= MOST { fits } else { LEAST });
        cell.extend_from_slice(here);
        let chunks: Vec<&[u8]> = rest.chunks(PAGE - 4).collect();
        let first = self.pages + 1;
        cell.extend_from_slice(&first.to_be_bytes());
        self.pages += chunks.len() as u32;
        for (index, chunk) in chunks.iter().enumerate() {
            let own = first + index as u32;
            let next = if index + 1 < chunks.len() { own + 1 } else { 0 };
            let mut page = next.to_be_bytes().to_vec();
            page.extend_from_slice(chunk);
            page.resize(PAGE, 0);
            self.put(own, &page)?;
        }
        Ok(cell)
    }

    fn write_leaf(&mut self, table: usize) -> io::Result<()> {
        let number = self.next_page();
        let leaf = std::mem::take(&mut self.tables[table].leaf);
        self.put(number, &page_of(0x0D, &leaf.cells, None, 0))?;
        let last = self.tables[table].rows;
        self.tables[table].leaves.push((number, last));
        Ok(())
    }

    /// Writes the pages above the leaves; the page of the root.
    fn write_tree(&mut self, table: usize) -> io::Result<u32> {
        // A child takes four bytes, a key of nine at most, and two for its place.
        const CHILDREN: usize = (PAGE - 12) / 15;
        let mut level = std::mem::take(&mut self.tables[table].leaves);
        while level.len() > 1 {
            let mut above = Vec::new();
            for children in level.chunks(CHILDREN) {
                let Some(((last, key), others)) = children.split_last() else { continue };
                let cell = |(page, key): &(u32, i64)| {
                    let mut cell = page.to_be_bytes().to_vec();
                    varint(*key as u64, &mut cell);
                    cell
                };
                let number = self.next_page();
                let cells: Vec<Vec<u8>> = others.iter().map(cell).collect();
                self.put(number, &page_of(0x05, &cells, Some(*last), 0))?;
                above.push((number, *key));
            }
            level = above;
        }
        Ok(level.first().map_or(0, |(root, _)| *root))
    }
}

impl Leaf {
    /// Does another cell of that length fit, with its place in the page?
    fn has_room(&self, length: usize) -> bool {
        self.cells.is_empty() || 8 + self.bytes + length + 2 <= PAGE
    }

    fn push(&mut self, cell: Vec<u8>) {
        self.bytes += cell.len() + 2;
        self.cells.push(cell);
    }
}

/// A row of the table that lists what is in the database.
fn schema_cell(number: i64, name: &str, root: i64, sql: &str) -> Vec<u8> {
    let text = |text: &str| Cell::Text(text.to_string());
    let record = record(&[text("table"), text(name), text(name), Cell::Int(root), text(sql)]);
    let mut cell = Vec::new();
    varint(record.len() as u64, &mut cell);
    varint(number as u64, &mut cell);
    cell.extend(record);
    cell
}

/// A page of a tree; its cells stand at its end, their places at its start. `right`: the last child of an inner page.
fn page_of(kind: u8, cells: &[Vec<u8>], right: Option<u32>, start: usize) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    let places = start + if right.is_some() { 12 } else { 8 };
    let mut at = PAGE;
    for (index, cell) in cells.iter().enumerate() {
        at -= cell.len();
        page[at..at + cell.len()].copy_from_slice(cell);
        page[places + 2 * index..places + 2 * index + 2].copy_from_slice(&(at as u16).to_be_bytes());
    }
    page[start] = kind;
    page[start + 3..start + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    page[start + 5..start + 7].copy_from_slice(&(at as u16).to_be_bytes());
    if let Some(right) = right {
        page[start + 8..start + 12].copy_from_slice(&right.to_be_bytes());
    }
    page
}

/// A row as bytes: the kinds of its values, then the values.
fn record(row: &[Cell]) -> Vec<u8> {
    let (mut kinds, mut body) = (Vec::new(), Vec::new());
    for cell in row {
        match cell {
            Cell::Null => varint(0, &mut kinds),
            Cell::Int(0) => varint(8, &mut kinds),
            Cell::Int(1) => varint(9, &mut kinds),
            Cell::Int(number) => {
                // In as few bytes as hold it: 1, 2, 3, 4, 6 or 8.
                let fits =
                    |bytes: u32| *number >= -(1i64 << (8 * bytes - 1)) && *number < 1i64 << (8 * bytes - 1);
                let sizes = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6)];
                let found = sizes.into_iter().find(|(_, bytes)| fits(*bytes));
                let (kind, bytes) = found.map_or((6, 8), |(kind, bytes)| (kind, bytes as usize));
                varint(kind, &mut kinds);
                body.extend_from_slice(&number.to_be_bytes()[8 - bytes..]);
            }
            Cell::Real(number) => {
                varint(7, &mut kinds);
                body.extend_from_slice(&number.to_be_bytes());
            }
            Cell::Text(text) => {
                varint(13 + 2 * text.len() as u64, &mut kinds);
                body.extend_from_slice(text.as_bytes());
            }
        }
    }
    // The length of the head counts its own bytes.
    let mut length = kinds.len() + 1;
    if length > 127 {
        length += 1;
    }
    let mut record = Vec::new();
    varint(length as u64, &mut record);
    record.extend(kinds);
    record.extend(body);
    record
}

/// A number in seven bits a byte, the highest first; the ninth byte has eight.
fn varint(number: u64, out: &mut Vec<u8>) {
    if number >> 56 != 0 {
        let high = number >> 8;
        out.extend((0..8).rev().map(|index| (high >> (7 * index)) as u8 & 0x7F | 0x80));
        out.push(number as u8);
        return;
    }
    let bytes = (1..8).find(|bytes| number >> (7 * bytes) == 0).unwrap_or(8);
    for index in (0..bytes).rev() {
        let more = if index > 0 { 0x80 } else { 0 };
        out.push((number >> (7 * index)) as u8 & 0x7F | more);
    }
}
