//! What X86_64 has besides the instructions that both widths share.

use crate::arch::x86::table::{Entry, Kind, Shape};

const fn entry(name: &'static str, shape: Shape, kind: Kind) -> Entry {
    Entry { name, shape, kind, lockable: false, sized: false }
}

const fn extend(name: &'static str, signed: bool, from: u8) -> Entry {
    // A suffix gives the size of the destination; without one, the register does.
    Entry { name, shape: Shape::RegSource, kind: Kind::Extend { signed, from }, lockable: false, sized: true }
}

/// The instructions.
pub const TABLE: &[Entry] = &[
    Entry { sized: true, ..entry("movnti", Shape::MemReg, Kind::MoveNonTemporal) },
    entry("clflush", Shape::Mem, Kind::Flush("ClFlush")),
    entry("clflushopt", Shape::Mem, Kind::Flush("ClFlushOpt")),
    extend("movzb", false, 1),
    extend("movzw", false, 2),
    extend("movsb", true, 1),
    extend("movsw", true, 2),
    extend("movsl", true, 4),
    entry("cltq", Shape::None, Kind::ExtendAccumulator),
    entry("cdqe", Shape::None, Kind::ExtendAccumulator),
    entry("cwtl", Shape::None, Kind::ExtendAccumulator),
    entry("cwde", Shape::None, Kind::ExtendAccumulator),
    entry("movabs", Shape::DestSource, Kind::Move),
    entry("movabsq", Shape::DestSource, Kind::Move),
];
