//! Mnemonics of extensions that are not there: recognised, so that a message can name the extension.

use super::table::Form::Unsupported;
use super::table::{Entry, e};

const VMSA: &str = "virtual memory (-variant vmsa)";
const MEMTAG: &str = "memory tagging (-variant memtag)";
const PAUTH: &str = "pointer authentication (-variant pauth1)";
const NEON: &str = "Advanced SIMD (-variant neon)";
const SVE: &str = "scalable vectors (-variant sve)";
const SME: &str = "scalable matrices (-variant sme)";
const GCS: &str = "guarded control stacks (-variant shadowstack)";
const MORELLO: &str = "Morello (-variant morello)";
const EXCEPTIONS: &str = "exceptions";
const PAGES: &str = "position-independent code";
const REGIONS: &str = "limited ordering regions";
const QUADS: &str = "atomics of 128 bits";
const BLOCKS: &str = "accesses of 64 bytes";
const SPECULATION: &str = "barriers to speculation";
const TRANSACTIONS: &str = "transactional memory";

/// Those that are known by name.
pub const MISSING: &[Entry] = &[
    e("ADRP", Unsupported(PAGES)),
    e("LDLAR", Unsupported(REGIONS)),
    e("LDLARB", Unsupported(REGIONS)),
    e("LDLARH", Unsupported(REGIONS)),
    e("STLLR", Unsupported(REGIONS)),
    e("STLLRB", Unsupported(REGIONS)),
    e("STLLRH", Unsupported(REGIONS)),
    e("SB", Unsupported(SPECULATION)),
    e("SSBB", Unsupported(SPECULATION)),
    e("PSSBB", Unsupported(SPECULATION)),
    e("TSTART", Unsupported(TRANSACTIONS)),
    e("TCOMMIT", Unsupported(TRANSACTIONS)),
    e("TCANCEL", Unsupported(TRANSACTIONS)),
    e("BRK", Unsupported(EXCEPTIONS)),
    e("HVC", Unsupported(EXCEPTIONS)),
    e("SMC", Unsupported(EXCEPTIONS)),
    e("WFI", Unsupported(EXCEPTIONS)),
    e("GMI", Unsupported(MEMTAG)),
    e("ADDG", Unsupported(MEMTAG)),
    e("SUBG", Unsupported(MEMTAG)),
    e("STGP", Unsupported(MEMTAG)),
    e("STGM", Unsupported(MEMTAG)),
    e("STZGM", Unsupported(MEMTAG)),
    e("LDGM", Unsupported(MEMTAG)),
    e("SUBP", Unsupported(MEMTAG)),
    e("SUBPS", Unsupported(MEMTAG)),
    e("CMPP", Unsupported(MEMTAG)),
    e("BRAA", Unsupported(PAUTH)),
    e("BLRAA", Unsupported(PAUTH)),
    e("RETAA", Unsupported(PAUTH)),
    e("RETAB", Unsupported(PAUTH)),
    e("LD1", Unsupported(NEON)),
    e("LD2", Unsupported(NEON)),
    e("LD3", Unsupported(NEON)),
    e("LD4", Unsupported(NEON)),
    e("LD1R", Unsupported(NEON)),
    e("LD2R", Unsupported(NEON)),
    e("LD3R", Unsupported(NEON)),
    e("LD4R", Unsupported(NEON)),
    e("ST1", Unsupported(NEON)),
    e("ST2", Unsupported(NEON)),
    e("ST3", Unsupported(NEON)),
    e("ST4", Unsupported(NEON)),
    e("LDAP1", Unsupported(NEON)),
    e("STL1", Unsupported(NEON)),
    e("DUP", Unsupported(NEON)),
    e("FMOV", Unsupported(NEON)),
    e("MOVI", Unsupported(NEON)),
    e("ADDV", Unsupported(NEON)),
    e("LD1B", Unsupported(SVE)),
    e("LD1H", Unsupported(SVE)),
    e("LD1W", Unsupported(SVE)),
    e("LD1D", Unsupported(SVE)),
    e("LD2B", Unsupported(SVE)),
    e("LD2H", Unsupported(SVE)),
    e("LD2W", Unsupported(SVE)),
    e("LD2D", Unsupported(SVE)),
    e("LD1Q", Unsupported(SVE)),
    e("LD3W", Unsupported(SVE)),
    e("LD3B", Unsupported(SVE)),
    e("LD3H", Unsupported(SVE)),
    e("LD3D", Unsupported(SVE)),
    e("LD4D", Unsupported(SVE)),
    e("LD4B", Unsupported(SVE)),
    e("LD4H", Unsupported(SVE)),
    e("LD4W", Unsupported(SVE)),
    e("ST1B", Unsupported(SVE)),
    e("ST1H", Unsupported(SVE)),
    e("ST1W", Unsupported(SVE)),
    e("ST1D", Unsupported(SVE)),
    e("ST1Q", Unsupported(SVE)),
    e("ST2H", Unsupported(SVE)),
    e("ST2W", Unsupported(SVE)),
    e("ST2B", Unsupported(SVE)),
    e("ST2D", Unsupported(SVE)),
    e("ST3W", Unsupported(SVE)),
    e("ST3B", Unsupported(SVE)),
    e("ST3H", Unsupported(SVE)),
    e("ST3D", Unsupported(SVE)),
    e("ST4D", Unsupported(SVE)),
    e("ST4B", Unsupported(SVE)),
    e("ST4H", Unsupported(SVE)),
    e("ST4W", Unsupported(SVE)),
    e("PTRUE", Unsupported(SVE)),
    e("PFALSE", Unsupported(SVE)),
    e("WHILELT", Unsupported(SVE)),
    e("WHILELE", Unsupported(SVE)),
    e("WHILELO", Unsupported(SVE)),
    e("WHILELS", Unsupported(SVE)),
    e("INDEX", Unsupported(SVE)),
    e("CNTB", Unsupported(SVE)),
    e("CNTH", Unsupported(SVE)),
    e("CNTW", Unsupported(SVE)),
    e("CNTD", Unsupported(SVE)),
    e("INCB", Unsupported(SVE)),
    e("INCH", Unsupported(SVE)),
    e("INCW", Unsupported(SVE)),
    e("INCD", Unsupported(SVE)),
    e("RDVL", Unsupported(SVE)),
    e("ADDVL", Unsupported(SVE)),
    e("UADDV", Unsupported(SVE)),
    e("MOVPRFX", Unsupported(SVE)),
    e("CTERMEQ", Unsupported(SVE)),
    e("CTERMNE", Unsupported(SVE)),
    e("SMSTART", Unsupported(SME)),
    e("SMSTOP", Unsupported(SME)),
    e("MOVA", Unsupported(SME)),
    e("ADDHA", Unsupported(SME)),
    e("ADDVA", Unsupported(SME)),
    e("ALIGND", Unsupported(MORELLO)),
    e("ALIGNU", Unsupported(MORELLO)),
    e("BUILD", Unsupported(MORELLO)),
    e("CHKEQ", Unsupported(MORELLO)),
    e("CHKTGD", Unsupported(MORELLO)),
    e("CLRTAG", Unsupported(MORELLO)),
    e("CSEAL", Unsupported(MORELLO)),
    e("SEAL", Unsupported(MORELLO)),
    e("UNSEAL", Unsupported(MORELLO)),
    e("LDCT", Unsupported(MORELLO)),
    e("STCT", Unsupported(MORELLO)),
];

/// Families of unsupported mnemonics, by prefix.
pub const UNSUPPORTED_PREFIXES: &[(&str, &str)] = &[
    ("PAC", PAUTH),
    ("AUT", PAUTH),
    ("XPAC", PAUTH),
    ("GCS", GCS),
    ("TLBI", VMSA),
    ("SWPP", QUADS),
    ("LDCLRP", QUADS),
    ("LDSETP", QUADS),
    ("LD64B", BLOCKS),
    ("ST64B", BLOCKS),
];

/// The extension that vector registers belong to.
pub const VECTORS: &str = NEON;

/// What registers such as `C0` belong to.
pub const CAPABILITIES: &str = MORELLO;
