//! The types of C programs, with their layout (that of 64-bit Linux).

use std::rc::Rc;

use crate::program::Type as CellType;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `void`.
    Void,
    /// Integers, characters, booleans, enumerations.
    Int(IntTy),
    /// `float`, `double`, `long double`: by size. Only declarations know them.
    Float(u8),
    /// `T *`.
    Pointer(Rc<Ty>),
    /// `T [n]`; without `n`, still to be told by the initialiser.
    Array(Rc<Ty>, Option<u64>),
    /// `T [n]` of a length that is computed: the variable that holds its size in bytes, by its place in [`super::tree::Unit::variables`].
    Computed(Rc<Ty>, usize),
    /// A structure or union, by its place in [`super::tree::Unit::records`].
    Record(usize),
    /// A function.
    Function(Rc<FunctionTy>),
    /// `_Atomic T`: accesses without an order of their own are sequentially consistent.
    Atomic(Rc<Ty>),
    /// `const T`; never an array, whose elements are `const` instead.
    Const(Rc<Ty>),
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntTy {
    /// Size.
    pub bytes: u8,
    /// Signed?
    pub signed: bool,
    /// `_Bool`: every value but 0 becomes 1.
    pub boolean: bool,
}

/// What a function takes and gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionTy {
    /// What it gives.
    pub result: Ty,
    /// What it takes.
    pub params: Vec<Ty>,
    /// More arguments than parameters?
    pub variadic: bool,
}

/// A structure or union.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its tag, or nothing.
    pub name: String,
    /// Do all members start at 0?
    pub union: bool,
    /// Members, once they are known.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Have the members been told?
    pub complete: bool,
}

/// Where a member is: its offset, its type, and which bits it has.
pub type Place = (u64, Ty, Option<(u8, u8)>);

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; none, if it is an unnamed structure whose members count as members of this one.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Bytes from the start.
    pub offset: u64,
    /// For a bit-field: first bit in the unit at `offset`, and number of bits.
    pub bits: Option<(u8, u8)>,
}

impl Ty {
    /// `int`.
    pub const INT: Ty = Ty::int(4, true);
    /// `unsigned int`.
    pub const UINT: Ty = Ty::int(4, false);
    /// `long`.
    pub const LONG: Ty = Ty::int(8, true);
    /// `unsigned long`.
    pub const ULONG: Ty = Ty::int(8, false);
    /// `char`.
    pub const CHAR: Ty = Ty::int(1, true);
    /// `_Bool`.
    pub const BOOL: Ty = Ty::Int(IntTy { bytes: 1, signed: false, boolean: true });

    /// The type of a parameter that is declared so: arrays and functions are pointers there.
    pub fn into_parameter(self) -> Ty {
        match self {
            Ty::Array(target, _) => Ty::Pointer(target),
            Ty::Function(_) => self.pointer(),
            other => other,
        }
    }

    /// An integer type.
    pub const fn int(bytes: u8, signed: bool) -> Ty {
        Ty::Int(IntTy { bytes, signed, boolean: false })
    }

    /// A pointer to it.
    pub fn pointer(&self) -> Ty {
        Ty::Pointer(Rc::new(self.clone()))
    }

    /// Without `_Atomic` and `const`.
    pub fn plain(&self) -> &Ty {
        match self {
            Ty::Atomic(inner) | Ty::Const(inner) => inner.plain(),
            other => other,
        }
    }

    /// Without `const`.
    pub fn mutable(&self) -> &Ty {
        match self {
            Ty::Const(inner) => inner.mutable(),
            other => other,
        }
    }

    /// With `const`; of an array, in front of its elements.
    pub fn constant(&self) -> Ty {
        match self {
            Ty::Array(element, n) => Ty::Array(Rc::new(element.constant()), *n),
            Ty::Computed(element, size) => Ty::Computed(Rc::new(element.constant()), *size),
            Ty::Const(_) | Ty::Function(_) => self.clone(),
            other => Ty::Const(Rc::new(other.clone())),
        }
    }

    /// Is it `const`?
    pub fn is_constant(&self) -> bool {
        matches!(self, Ty::Const(_))
    }

    /// Is it `_Atomic`?
    pub fn is_atomic(&self) -> bool {
        matches!(self.mutable(), Ty::Atomic(_))
    }

    /// What it points at, or is an array of.
    pub fn target(&self) -> Option<&Ty> {
        match self.plain() {
            Ty::Pointer(target) | Ty::Array(target, _) | Ty::Computed(target, _) => Some(target),
            _ => None,
        }
    }

    /// The integer type.
    pub fn as_int(&self) -> Option<IntTy> {
        match self.plain() {
            Ty::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// Fits into a register?
    pub fn is_scalar(&self) -> bool {
        matches!(self.plain(), Ty::Int(_) | Ty::Pointer(_) | Ty::Float(_))
    }

    /// As a value: arrays and functions become pointers, `_Atomic` goes.
    pub fn decayed(&self) -> Ty {
        match self.plain() {
            Ty::Array(target, _) | Ty::Computed(target, _) => Ty::Pointer(Rc::clone(target)),
            function @ Ty::Function(_) => function.pointer(),
            other => other.clone(),
        }
    }

    /// After the integer promotions.
    pub fn promoted(&self) -> Ty {
        match self.plain() {
            Ty::Int(int) if int.bytes < 4 || int.boolean => Ty::INT,
            other => other.clone(),
        }
    }

    /// The type in which an operator works on both.
    pub fn common(&self, other: &Ty) -> Ty {
        let (left, right) = (self.promoted(), other.promoted());
        match (&left, &right) {
            (Ty::Int(a), Ty::Int(b)) => {
                let bytes = a.bytes.max(b.bytes);
                let signed = [a, b].iter().filter(|t| t.bytes == bytes).all(|t| t.signed);
                Ty::int(bytes, signed)
            }
            (Ty::Float(a), Ty::Float(b)) => Ty::Float(*a.max(b)),
            (Ty::Float(_) | Ty::Pointer(_), _) => left,
            (_, Ty::Float(_) | Ty::Pointer(_)) => right,
            _ => left,
        }
    }

    /// Size in bytes; `None` if it is not known.
    pub fn size(&self, records: &[Record]) -> Option<u64> {
        Some(match self {
            Ty::Void | Ty::Function(_) => 1,
            Ty::Int(int) => u64::from(int.bytes),
            Ty::Float(bytes) => u64::from(*bytes),
            Ty::Pointer(_) => 8,
            Ty::Array(target, n) => target.size(records)?.checked_mul((*n)?)?,
            Ty::Computed(..) => return None,
            Ty::Record(id) => records[*id].complete.then_some(records[*id].size)?,
            Ty::Atomic(inner) | Ty::Const(inner) => inner.size(records)?,
        })
    }

    /// Alignment in bytes.
    pub fn align(&self, records: &[Record]) -> u64 {
        match self {
            Ty::Void | Ty::Function(_) => 1,
            Ty::Int(int) => u64::from(int.bytes),
            Ty::Float(bytes) => u64::from(*bytes),
            Ty::Pointer(_) => 8,
            Ty::Array(target, _) | Ty::Computed(target, _) => target.align(records),
            Ty::Record(id) => records[*id].align.max(1),
            Ty::Atomic(inner) | Ty::Const(inner) => inner.align(records),
        }
    }

    /// The type of a cell of this type.
    pub fn cell(&self) -> CellType {
        match self.plain() {
            Ty::Int(int) => CellType { bytes: int.bytes, signed: int.signed },
            Ty::Float(bytes) => CellType { bytes: *bytes, signed: true },
            _ => CellType { bytes: 8, signed: false },
        }
    }

    /// The scalars that an object of this type is made of, with their offsets and the path that names them.
    pub fn leaves(&self, records: &[Record]) -> Vec<Leaf> {
        let mut all = Vec::new();
        self.add_leaves(records, 0, String::new(), &mut all);
        all
    }

    fn add_leaves(&self, records: &[Record], offset: u64, path: String, all: &mut Vec<Leaf>) {
        // Beyond this nobody looks at single cells.
        if all.len() > 65_536 {
            return;
        }
        match self {
            Ty::Array(target, n) => {
                let size = target.size(records).unwrap_or(1);
                for index in 0..n.unwrap_or(0) {
                    target.add_leaves(records, offset + index * size, format!("{path}[{index}]"), all);
                    if all.len() > 65_536 {
                        return;
                    }
                }
            }
            Ty::Record(id) => {
                let record = &records[*id];
                // Members of a union lie over each other: the largest stands for all.
                let largest = record.fields.iter().rev().max_by_key(|f| f.ty.size(records)).map(|f| &f.name);
                let mut units = Vec::new();
                for field in record.fields.iter().filter(|f| !record.union || Some(&f.name) == largest) {
                    if field.bits.is_some() {
                        if units.contains(&field.offset) {
                            continue;
                        }
                        units.push(field.offset);
                    }
                    let path =
                        if field.name.is_empty() { path.clone() } else { format!("{path}.{}", field.name) };
                    field.ty.add_leaves(records, offset + field.offset, path, all);
                }
            }
            Ty::Const(inner) => inner.add_leaves(records, offset, path, all),
            // An atomic structure is read and written as a whole, where that is what machines can do.
            Ty::Atomic(inner) if matches!(**inner, Ty::Record(_)) => match inner.size(records) {
                Some(size @ 1..=16) => {
                    all.push(Leaf { offset, ty: Ty::int(size as u8, false), path });
                }
                _ => inner.add_leaves(records, offset, path, all),
            },
            Ty::Atomic(inner) if !inner.is_scalar() => inner.add_leaves(records, offset, path, all),
            _ => all.push(Leaf { offset, ty: self.clone(), path }),
        }
    }

    /// As a message names it.
    pub fn describe(&self, records: &[Record]) -> String {
        match self {
            Ty::Void => "void".to_string(),
            Ty::Int(int) if int.boolean => "_Bool".to_string(),
            Ty::Int(int) => {
                let name = match int.bytes {
                    1 => "char",
                    2 => "short",
                    4 => "int",
                    8 => "long",
                    _ => "__int128",
                };
                format!("{}{name}", if int.signed { "" } else { "unsigned " })
            }
            Ty::Float(4) => "float".to_string(),
            Ty::Float(_) => "double".to_string(),
            Ty::Pointer(target) => format!("{} *", target.describe(records)),
            Ty::Array(target, Some(n)) => format!("{} [{n}]", target.describe(records)),
            Ty::Array(target, None) | Ty::Computed(target, _) => format!("{} []", target.describe(records)),
            Ty::Record(id) => {
                let record = &records[*id];
                let word = if record.union { "union" } else { "struct" };
                format!("{word} {}", if record.name.is_empty() { "{…}" } else { &record.name })
            }
            Ty::Function(function) => format!("function giving {}", function.result.describe(records)),
            Ty::Atomic(inner) => format!("_Atomic {}", inner.describe(records)),
            Ty::Const(inner) => match inner.as_ref() {
                Ty::Pointer(_) => format!("{}const", inner.describe(records)),
                inner => format!("const {}", inner.describe(records)),
            },
        }
    }
}

/// A scalar inside an object.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// Its type.
    pub ty: Ty,
    /// What follows the name of the object to name it: `.a[1]`.
    pub path: String,
}

impl Record {
    /// Gives the members their places.
    pub fn lay_out(&mut self, fields: Vec<(String, Ty, Option<u8>)>, packed: bool, records: &[Record]) {
        let (mut at, mut align) = (0u64, 1u64);
        // The bit-field unit being filled: offset, size in bits, bits used.
        let mut unit: Option<(u64, u64, u64)> = None;
        for (name, ty, width) in fields {
            let size = ty.size(records).unwrap_or(0);
            let own = if packed { 1 } else { ty.align(records).max(1) };
            align = align.max(own);
            if let Some(width) = width {
                let (bits, width) = (8 * size, u64::from(width));
                let fits =
                    unit.filter(|(_, total, used)| *total == bits && used + width <= bits && width > 0);
                let (offset, used) = match fits {
                    Some((offset, _, used)) if !self.union => (offset, used),
                    _ => {
                        let offset = if self.union { 0 } else { at.next_multiple_of(own) };
                        (offset, 0)
                    }
                };
                unit = Some((offset, bits, used + width));
                at = at.max(offset + size);
                if !name.is_empty() {
                    self.fields.push(Field { name, ty, offset, bits: Some((used as u8, width as u8)) });
                }
                continue;
            }
            unit = None;
            let offset = if self.union { 0 } else { at.next_multiple_of(own) };
            at = at.max(offset + size);
            self.fields.push(Field { name, ty, offset, bits: None });
        }
        self.size = at.next_multiple_of(align);
        self.align = align;
        self.complete = true;
    }

    /// A member, looked for in unnamed members too: its offset, type and bits.
    pub fn member(&self, name: &str, records: &[Record]) -> Option<Place> {
        for field in &self.fields {
            if field.name == name {
                return Some((field.offset, field.ty.clone(), field.bits));
            }
            if let (true, Ty::Record(inner)) = (field.name.is_empty(), field.ty.plain())
                && let Some((offset, ty, bits)) = records[*inner].member(name, records)
            {
                return Some((field.offset + offset, ty, bits));
            }
        }
        None
    }
}
