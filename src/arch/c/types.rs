//! The types of C, as far as they decide values: width, sign, what a pointer points at.

use crate::program::Type;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CType {
    /// `void`.
    Void,
    /// Integers, booleans and what the kernel makes of them.
    Int(IntType),
    /// `T *`.
    Pointer(Box<CType>),
    /// `T [n]`.
    Array(Box<CType>, usize),
    /// A type that only its own functions look into: locks and the like.
    Opaque(String),
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntType {
    /// Size in bytes.
    pub bytes: u8,
    /// Signed?
    pub signed: bool,
    /// `_Bool`: every value but 0 becomes 1.
    pub boolean: bool,
    /// `_Atomic`: plain accesses of such an object deserve a word.
    pub atomic: bool,
}

impl IntType {
    const fn new(bytes: u8, signed: bool) -> IntType {
        IntType { bytes, signed, boolean: false, atomic: false }
    }

    /// Can it hold every value of `other`?
    pub fn holds(self, other: IntType) -> bool {
        if self.boolean {
            return other.boolean;
        }
        if other.boolean {
            return true;
        }
        match (self.signed, other.signed) {
            (true, true) | (false, false) => self.bytes >= other.bytes,
            (true, false) => self.bytes > other.bytes,
            (false, true) => false,
        }
    }
}

impl CType {
    /// `int`.
    pub const INT: CType = CType::Int(IntType::new(4, true));
    /// `unsigned int`.
    pub const UINT: CType = CType::Int(IntType::new(4, false));
    /// `long` and `long long`.
    pub const LONG: CType = CType::Int(IntType::new(8, true));
    /// `unsigned long`.
    pub const ULONG: CType = CType::Int(IntType::new(8, false));
    /// `_Bool`.
    pub const BOOL: CType = CType::Int(IntType { bytes: 1, signed: false, boolean: true, atomic: false });

    /// An integer type by size and sign.
    pub const fn int(bytes: u8, signed: bool) -> CType {
        CType::Int(IntType::new(bytes, signed))
    }

    /// A pointer to it.
    pub fn pointer(self) -> CType {
        CType::Pointer(Box::new(self))
    }

    /// The same, `_Atomic`.
    pub fn atomic(self) -> CType {
        match self {
            CType::Int(int) => CType::Int(IntType { atomic: true, ..int }),
            other => other,
        }
    }

    /// What it points at, or what it is an array of.
    pub fn target(&self) -> Option<&CType> {
        match self {
            CType::Pointer(target) | CType::Array(target, _) => Some(target),
            _ => None,
        }
    }

    /// The integer type, if it is one.
    pub fn as_int(&self) -> Option<IntType> {
        match self {
            CType::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        match self {
            CType::Void => 1,
            CType::Int(int) => usize::from(int.bytes),
            CType::Pointer(_) => 8,
            CType::Array(target, n) => target.size() * n,
            CType::Opaque(_) => 4,
        }
    }

    /// The type of a memory cell or register of this type, as states print it.
    pub fn cell(&self) -> Type {
        match self {
            CType::Int(int) => Type { bytes: int.bytes, signed: int.signed },
            CType::Pointer(_) => Type { bytes: 8, signed: false },
            CType::Array(target, _) => target.cell(),
            CType::Void | CType::Opaque(_) => Type::INT,
        }
    }

    /// After the integer promotions.
    pub fn promoted(&self) -> CType {
        match self {
            CType::Int(int) if IntType::new(4, true).holds(*int) => CType::INT,
            CType::Int(int) => CType::int(int.bytes, int.signed),
            CType::Array(target, _) => target.clone().pointer(),
            other => other.clone(),
        }
    }

    /// The usual arithmetic conversions: the type in which an operator works on both.
    pub fn common(&self, other: &CType) -> CType {
        let (left, right) = (self.promoted(), other.promoted());
        match (&left, &right) {
            (CType::Int(a), CType::Int(b)) => {
                let wide = if a.bytes >= b.bytes { a } else { b };
                let signed = [a, b].iter().filter(|t| t.bytes == wide.bytes).all(|t| t.signed);
                CType::int(wide.bytes, signed)
            }
            (CType::Pointer(_), _) => left,
            (_, CType::Pointer(_)) => right,
            _ => CType::INT,
        }
    }

    /// As a message names it.
    pub fn describe(&self) -> String {
        match self {
            CType::Void => "void".to_string(),
            CType::Int(int) if int.boolean => "_Bool".to_string(),
            CType::Int(int) => {
                let (prefix, bits) = (if int.signed { "" } else { "unsigned " }, 8 * u32::from(int.bytes));
                match int.bytes {
                    4 => format!("{prefix}int"),
                    _ => format!("{prefix}{bits}-bit integer"),
                }
            }
            CType::Pointer(target) => format!("{} *", target.describe()),
            CType::Array(target, n) => format!("{} [{n}]", target.describe()),
            CType::Opaque(name) => name.clone(),
        }
    }
}

/// The type behind a one-word name, if it is one.
pub fn named(word: &str) -> Option<CType> {
    let ty = match word {
        "char" | "int8_t" | "s8" | "__s8" => CType::int(1, true),
        "uint8_t" | "u8" | "__u8" | "u_char" => CType::int(1, false),
        "short" | "int16_t" | "s16" | "__s16" => CType::int(2, true),
        "uint16_t" | "u16" | "__u16" | "u_short" => CType::int(2, false),
        "int" | "int32_t" | "s32" | "__s32" | "signed" | "atomic_t" | "refcount_t" => CType::INT,
        "uint32_t" | "u32" | "__u32" | "unsigned" | "uint" | "u_int" => CType::UINT,
        "long" | "int64_t" | "s64" | "__s64" | "intptr_t" | "ssize_t" | "ptrdiff_t" | "atomic64_t"
        | "atomic_long_t" | "intmax_t" => CType::LONG,
        "uint64_t" | "u64" | "__u64" | "uintptr_t" | "size_t" | "u_long" | "uintmax_t" => CType::ULONG,
        "__int128" | "__int128_t" | "int128_t" => CType::int(16, true),
        "__uint128" | "__uint128_t" | "uint128_t" => CType::int(16, false),
        "void" => CType::Void,
        "_Bool" | "bool" => CType::BOOL,
        "atomic_bool" | "atomic_flag" => CType::BOOL.atomic(),
        "atomic_char" | "atomic_schar" => CType::int(1, true).atomic(),
        "atomic_uchar" => CType::int(1, false).atomic(),
        "atomic_short" => CType::int(2, true).atomic(),
        "atomic_ushort" => CType::int(2, false).atomic(),
        "atomic_int" => CType::INT.atomic(),
        "atomic_uint" => CType::UINT.atomic(),
        "atomic_long" | "atomic_llong" | "atomic_intptr_t" | "atomic_ptrdiff_t" => CType::LONG.atomic(),
        "atomic_ulong" | "atomic_ullong" | "atomic_uintptr_t" | "atomic_size_t" => CType::ULONG.atomic(),
        "spinlock_t" | "raw_spinlock_t" | "mtx_t" | "pthread_mutex_t" | "rwlock_t" => {
            CType::Opaque(word.to_string())
        }
        _ => return None,
    };
    Some(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_arithmetic_conversions() {
        let [i8, u8, i32, u32, i64, u64] =
            ["int8_t", "uint8_t", "int", "unsigned", "int64_t", "uint64_t"].map(|word| named(word).unwrap());
        assert_eq!(i8.common(&u8), CType::INT);
        assert_eq!(i32.common(&u32), CType::UINT);
        assert_eq!(u32.common(&i64), CType::LONG);
        assert_eq!(i64.common(&u64), CType::ULONG);
        assert_eq!(i32.clone().pointer().common(&i32), i32.pointer());
        assert_eq!(CType::BOOL.promoted(), CType::INT);
    }

    #[test]
    fn a_type_holds_the_values_of_another() {
        let int = |word: &str| named(word).unwrap().as_int().unwrap();
        assert!(int("int").holds(int("uint16_t")));
        assert!(!int("int").holds(int("unsigned")));
        assert!(!int("unsigned").holds(int("char")));
        assert!(int("char").holds(int("bool")));
        assert!(!int("bool").holds(int("char")));
    }
}
