//! The types of the initial state.

use crate::program::Type;

const fn ty(bytes: u8, signed: bool) -> Type {
    Type { bytes, signed }
}

/// Type names with what they stand for; pointer-size ones apart.
const NAMED: [(&str, Type); 24] = [
    ("char", ty(1, true)),
    ("int8_t", ty(1, true)),
    ("uint8_t", ty(1, false)),
    ("short", ty(2, true)),
    ("int16_t", ty(2, true)),
    ("uint16_t", ty(2, false)),
    ("int", ty(4, true)),
    // As herd7 has it.
    ("long", ty(4, true)),
    ("int32_t", ty(4, true)),
    ("uint32_t", ty(4, false)),
    ("atomic_t", ty(4, false)),
    // herd7 refuses the next four.
    ("atomic_int", ty(4, true)),
    ("spinlock_t", ty(4, true)),
    ("mtx_t", ty(4, true)),
    ("bool", ty(1, false)),
    ("int64_t", ty(8, true)),
    ("uint64_t", ty(8, false)),
    ("int128_t", ty(16, true)),
    ("uint128_t", ty(16, false)),
    ("__int128", ty(16, true)),
    ("__int128_t", ty(16, false)),
    ("__uint128", ty(16, false)),
    ("__uint128_t", ty(16, false)),
    ("ins_t", ty(4, false)),
];

const POINTER_SIZE: [(&str, bool); 4] =
    [("intptr_t", true), ("uintptr_t", false), ("pteval_t", false), ("parel1_t", false)];

/// The type of that name, on a machine with addresses of so many bytes.
pub fn named(name: &str, pointer_bytes: u8) -> Option<Type> {
    let pointer = POINTER_SIZE.iter().find(|(n, _)| *n == name).map(|(_, signed)| ty(pointer_bytes, *signed));
    pointer.or_else(|| NAMED.iter().find(|(n, _)| *n == name).map(|(_, ty)| *ty))
}

/// All names, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMED.iter().map(|(name, _)| *name).chain(POINTER_SIZE.iter().map(|(name, _)| *name))
}
