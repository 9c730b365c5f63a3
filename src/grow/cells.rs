//! Memory cells by address, and the names of threads and objects that are made while a program runs.
//!
//! A thread is named by who started it and how many it had started before, an object by who made it: the same ones have
//! the same numbers in every execution.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use crate::program::shapes::Access;
use crate::program::{Content, Program, Storage, Sym, Value};

/// An object made while the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Object {
    pub size: i64,
    pub kind: Storage,
    pub content: Content,
    /// The instruction that makes it: what another one makes has another shape.
    pub at: (u16, u32),
}

/// The cells of a program.
pub(super) struct Cells {
    by_address: FxHashMap<(Sym, i64), u16>,
    initial: Vec<Value>,
    n_symbols: u16,
    made: RwLock<Made>,
}

/// What came into being so far, in any execution.
#[derive(Default)]
struct Made {
    threads: FxHashMap<(u16, u16), u16>,
    objects: FxHashMap<(u16, u16, Object), Sym>,
    /// By number.
    by_sym: Vec<Object>,
    cells: FxHashMap<(Sym, i64), u16>,
    /// What cells made so far hold at first.
    initial: Vec<Option<Value>>,
    /// The accesses to objects, by where they begin: one for each size that there is.
    uses: FxHashMap<(Sym, i64), Access>,
}

impl Cells {
    pub fn new(program: &Program) -> Cells {
        let addresses = program.locations.iter().enumerate();
        Cells {
            by_address: addresses.map(|(n, cell)| ((cell.sym, cell.offset), n as u16)).collect(),
            initial: program.locations.iter().map(|cell| cell.init).collect(),
            n_symbols: program.symbols.len() as u16,
            made: RwLock::default(),
        }
    }

    /// The cell at an address.
    pub fn at(&self, sym: Sym, offset: i64) -> Option<u16> {
        if sym.0 < self.n_symbols {
            return self.by_address.get(&(sym, offset)).copied();
        }
        if let Ok(made) = self.made.read()
            && let Some(cell) = made.cells.get(&(sym, offset))
        {
            return Some(*cell);
        }
        let mut made = self.made.write().ok()?;
        // Someone else may have been faster.
        if let Some(cell) = made.cells.get(&(sym, offset)) {
            return Some(*cell);
        }
        let object = *made.by_sym.get(usize::from(sym.0 - self.n_symbols))?;
        if !(0..object.size).contains(&offset) {
            return None;
        }
        let next = (self.initial.len() + made.initial.len()) as u16;
        made.cells.insert((sym, offset), next);
        made.initial.push(initial(object.content));
        Some(next)
    }

    /// Is an access to that address of the size of all others, and apart from those to other addresses? If not, one that it is in the way of.
    pub fn fits(&self, sym: Sym, new: Access) -> Result<(), Access> {
        let Access { offset, size, atomic, .. } = new;
        let known = self.made.read().ok().and_then(|made| made.uses.get(&(sym, offset)).copied());
        match known {
            Some(known) if known.size != size => return Err(known),
            Some(known) if known.atomic || !atomic => return Ok(()),
            _ => {}
        }
        let Ok(mut made) = self.made.write() else { return Ok(()) };
        let before = |n: i64| made.uses.get(&(sym, offset - n)).filter(|known| i64::from(known.size) > n);
        let after = |n: i64| made.uses.get(&(sym, offset + n));
        if let Some(other) = (1..16).find_map(before).or_else(|| (1..i64::from(size)).find_map(after)) {
            return Err(*other);
        }
        // One that is atomic counts more than one that is not.
        let known = *made.uses.entry((sym, offset)).or_insert(new);
        match known.size == size {
            true if atomic && !known.atomic => {
                made.uses.insert((sym, offset), new);
                Ok(())
            }
            true => Ok(()),
            false => Err(known),
        }
    }

    /// Is it an object that was there from the start?
    pub fn is_static(&self, sym: Sym) -> bool {
        sym.0 < self.n_symbols
    }

    /// What a cell holds at first; nothing, if it must be written before it is read.
    pub fn initial_of(&self, cell: usize) -> Option<Value> {
        match self.initial.get(cell) {
            Some(value) => Some(*value),
            None => {
                let made = self.made.read().ok()?;
                made.initial.get(cell - self.initial.len()).copied().flatten()
            }
        }
    }

    /// What the cells of an object hold at first.
    pub fn initial_at(&self, sym: Sym) -> Option<Value> {
        self.of(sym).and_then(|object| initial(object.content))
    }

    fn of(&self, sym: Sym) -> Option<Object> {
        let number = sym.0.checked_sub(self.n_symbols)?;
        self.made.read().ok()?.by_sym.get(usize::from(number)).copied()
    }

    /// How many bytes an object has that was made while the program ran.
    pub fn extent(&self, sym: Sym) -> Option<i64> {
        self.of(sym).map(|object| object.size)
    }

    /// Is it an object of that kind, made while the program ran?
    pub fn is_object(&self, sym: Sym, kind: Storage) -> bool {
        sym.0 >= self.n_symbols && self.of(sym).is_some_and(|object| object.kind == kind)
    }

    /// Is there such a byte in the object?
    pub fn is_inside(&self, sym: Sym, offset: i64) -> bool {
        self.of(sym).is_some_and(|object| (0..object.size).contains(&offset))
    }

    /// The object that a thread makes after so many others.
    pub fn object(&self, thread: u16, nth: u16, object: Object) -> Sym {
        if let Ok(made) = self.made.read()
            && let Some(sym) = made.objects.get(&(thread, nth, object))
        {
            return *sym;
        }
        let Ok(mut made) = self.made.write() else { return Sym(u16::MAX) };
        let next = Sym(self.n_symbols + made.by_sym.len() as u16);
        let sym = *made.objects.entry((thread, nth, object)).or_insert(next);
        if sym == next {
            made.by_sym.push(object);
        }
        sym
    }

    /// The thread that a thread starts after so many others; those of the program come first.
    pub fn thread(&self, parent: u16, nth: u16, first: usize) -> u16 {
        if let Ok(made) = self.made.read()
            && let Some(thread) = made.threads.get(&(parent, nth))
        {
            return *thread;
        }
        let Ok(mut made) = self.made.write() else { return u16::MAX - 1 };
        let next = (first + made.threads.len()) as u16;
        *made.threads.entry((parent, nth)).or_insert(next)
    }

    /// The thread of a handle.
    pub fn thread_of(&self, handle: Value, first: usize) -> Option<u16> {
        let number = handle.as_int()?.checked_sub(1)?;
        let known = first + self.made.read().ok()?.threads.len();
        (first as i128..known as i128).contains(&number).then_some(number as u16)
    }

    /// Initial values of the cells of the program.
    pub fn initial(&self) -> &[Value] {
        &self.initial
    }
}

fn initial(content: Content) -> Option<Value> {
    match content {
        Content::Zero => Some(Value::ZERO),
        Content::Nothing => None,
    }
}
