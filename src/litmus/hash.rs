//! The hash of a test: what herd7 and litmus7 tell tests apart by.
//!
//! Four strings are digested (info fields that matter, initial state, code, observed locations) and their digests
//! digested again. Name, comments, and shape of the condition do not count. Byte for byte as herd7 does it: logs of
//! one test must carry one hash whatever tool wrote them.

use std::borrow::Cow;

use md5::{Digest, Md5};

use crate::arch::ArchId;
use crate::program::Program;

use super::ast::{Code, ColumnKind, Const, Fault, Init, Item, Loc, Side, Test, Ty};
use super::entries::Written;
use super::special::Named;

/// The hashes to print: those that the file carries (spelled exactly `Hash`), or else the computed one.
/// `functions`: for C, the text of each function, instead of a table of instructions.
pub fn hashes(test: &Test, program: &Program, functions: Option<&[String]>) -> Vec<String> {
    if test.info("Hash").is_some() {
        let own = test.info.iter().filter(|info| info.key == "Hash");
        return own.map(|info| info.value.trim_end().to_string()).collect();
    }
    let code = match functions {
        Some(functions) => table(&functions.iter().map(|f| vec![f.into()]).collect::<Vec<_>>()),
        None => table(&columns(test, program)),
    };
    let mut all = Vec::new();
    let info = info(test);
    if !info.is_empty() {
        all.extend(Md5::digest(info));
    }
    for part in [init(test), code, observed(test)] {
        all.extend(Md5::digest(part));
    }
    let digits = Md5::digest(all).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    vec![digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()]
}

/// The info fields that change what a test means on hardware.
fn info(test: &Test) -> String {
    const KEYS: [&str; 3] = ["memorytype", "mt", "cachetype"];
    let mut fields: Vec<(String, &str)> =
        test.info.iter().map(|info| (info.key.to_ascii_lowercase(), info.value.as_str())).collect();
    fields.retain(|(key, _)| KEYS.contains(&key.as_str()));
    fields.sort();
    fields.iter().rev().map(|(key, value)| format!("{key}={value}")).collect()
}

/// Registers first, then symbolic registers, then globals, then array cells; each by name.
fn order(loc: &Loc) -> (u8, usize, &str, u64) {
    match loc {
        Loc::Reg { thread, name } => (0, *thread, name, 0),
        Loc::Symbolic(name) => (1, 0, name, 0),
        Loc::Global(name) => (2, 0, name, 0),
        Loc::Special(text) if text.starts_with("phy_") => (3, 0, text, 0),
        Loc::Special(text) if !text.starts_with("pte_") => (4, 0, text, 0),
        Loc::Special(text) => (5, 0, text, 0),
        Loc::Cell(name, index) => (6, 0, name, *index),
    }
}

fn show(loc: &Loc) -> String {
    match loc {
        Loc::Reg { thread, name } => format!("{thread}:{name}"),
        Loc::Symbolic(name) | Loc::Global(name) | Loc::Special(name) => name.clone(),
        Loc::Cell(name, index) => format!("{name}[{index}]"),
    }
}

fn init(test: &Test) -> String {
    let mut entries: Vec<&Init> = test.init.iter().collect();
    entries.sort_by(|a, b| order(&a.loc).cmp(&order(&b.loc)));
    let entries: Vec<String> = entries.into_iter().map(entry).collect();
    entries.join("; ")
}

fn entry(entry: &Init) -> String {
    let loc = show(&entry.loc);
    let own = loc.strip_prefix("pte_");
    if let Some(text) = entry.values.first().and_then(|value| page_table_entry(value, own)) {
        let ty = if let Ty::Named(ty) = &entry.ty { ty } else { "pteval_t" };
        return without_p(&format!("{ty} {loc}={text}"));
    }
    let value = entry.values.first().map_or_else(|| "0".to_string(), value);
    match &entry.ty {
        Ty::None => format!("{loc}={value}"),
        Ty::Pointer => format!("*{loc}={value}"),
        Ty::Named(ty) => format!("{ty} {loc}={value}"),
        Ty::Atomic(ty) => format!("_Atomic {ty} {loc}={value}"),
        Ty::NamedPointer(ty) => format!("{ty} *{loc}={value}"),
        Ty::Array(ty, len) => format!("{ty} {loc}[{len}]"),
    }
}

/// Pages of code are hashed by the number of their thread alone: `pte_0:L` for `PTE(P0:L)`.
fn without_p(text: &str) -> String {
    let mut parts = text.split("_P");
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let is_label = digits > 0 && part[digits..].starts_with(':');
        result.push_str(if is_label { "_" } else { "_P" });
        result.push_str(part);
    }
    result
}

/// The value as a page table entry, if it is one; `own`: the symbol whose entry it is.
fn page_table_entry(value: &Const, own: Option<&str>) -> Option<String> {
    let Const::Special(text) = value else { return None };
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    Some(Written::parse(inner).ok()?.hashed(own))
}

fn value(value: &Const) -> String {
    match value {
        Const::Int { text, .. } => text.clone(),
        Const::Special(text) => match Named::parse(text) {
            Some(Named::Signed(name, key, modifier)) => format!("pac{}({name},{modifier:#x})", key.name()),
            Some(Named::Cap(name, 0)) => name.to_string(),
            Some(Named::Cap(name, offset)) => format!("{name}+{offset}"),
            _ => text.clone(),
        },
        Const::Global(name) => name.clone(),
        Const::Element(name, 0) => name.clone(),
        Const::Element(name, index) => format!("{name}+{index}"),
        Const::Label { thread, name } => format!("{thread}:{name}"),
    }
}

/// Each thread as a list of lines: labels (renamed by rank) and instructions.
fn columns<'p>(test: &Test, program: &'p Program) -> Vec<Vec<Cow<'p, str>>> {
    let mut labels: Vec<&str> =
        program.threads.iter().flat_map(|thread| &thread.labels).map(|(name, _)| name.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    let rename = |name: &str| labels.binary_search(&name).ok().map(|rank| format!("L{rank:02}"));
    let Code::Table(table) = &test.code else { return Vec::new() };
    // Handlers stand where they are written.
    let ranges = table.order.iter().filter_map(|kind| match kind {
        ColumnKind::Thread(number) => {
            let thread = program.threads.get(*number)?;
            Some((thread, 0..thread.handler.map_or(thread.code.len(), |handler| handler - 1)))
        }
        ColumnKind::Handler(place) => {
            let thread = program.threads.get(table.handlers.get(*place)?.0)?;
            Some((thread, thread.handler?..thread.code.len()))
        }
    });
    let columns = ranges.map(|(thread, range)| {
        // Most threads have nothing but instructions.
        if thread.labels.is_empty() && thread.aligned.is_empty() && labels.is_empty() {
            let code = thread.code.get(range).unwrap_or_default();
            return code.iter().map(|instruction| quirks(test.arch, &instruction.text)).collect();
        }
        let mut lines = Vec::new();
        for pc in range.start..=range.end {
            let mut aligned =
                thread.aligned.iter().filter(|aligned| aligned.pc == pc && !aligned.padded).peekable();
            for (number, (name, _)) in thread.labels.iter().enumerate().filter(|(_, (_, at))| *at == pc) {
                while aligned.next_if(|aligned| aligned.labels <= number).is_some() {
                    lines.push(PAGE_ALIGN.into());
                }
                lines.push(format!("{}:", rename(name).unwrap_or_default()).into());
            }
            lines.extend(aligned.map(|_| Cow::Borrowed(PAGE_ALIGN)));
            let padded = thread.aligned.iter().any(|aligned| aligned.padded && aligned.pc == pc);
            let text = thread.code.get(pc).filter(|_| pc < range.end).map(|instruction| match padded {
                true => PAGE_ALIGN.into(),
                false => quirks(test.arch, &instruction.text),
            });
            lines.extend(text.map(|text| match labels.is_empty() {
                true => text,
                false => rename_labels(&text, &rename).into(),
            }));
        }
        lines
    });
    columns.collect()
}

/// How the end of a page of code is hashed.
const PAGE_ALIGN: &str = "pagealign";

/// Instructions of two registers and an address that may be moved afterwards.
const PAIRS: [&str; 10] = ["LDP", "LDNP", "LDPSW", "LDIAPP", "LDAP", "LDAPP", "STP", "STNP", "STILP", "STLP"];

/// Where what herd7 hashes is not what anyone would print.
fn quirks(arch: ArchId, text: &str) -> Cow<'_, str> {
    let mnemonic = text.split(' ').next().unwrap_or("");
    match (arch, mnemonic) {
        // Two commas before the shift.
        (ArchId::AArch64, "MOVZ" | "MOVK" | "MOVN") => text.replace(",LSL #", ",,LSL #").into(),
        (ArchId::AArch64, "ADR") => text.replacen("ADR", "ADDR", 1).into(),
        (ArchId::AArch64, "REV64") => text.replacen("REV64", "REV", 1).into(),
        // The first register in the other view.
        (ArchId::AArch64, "LDUR") => text.replacen(" W", " X", 1).replacen(",[", ", [", 1).into(),
        (ArchId::AArch64, "LDXP" | "LDAXP") => text.replacen(" X", " W", 1).into(),
        (ArchId::AArch64, _) if text.contains("],#") => {
            let blank = if PAIRS.contains(&mnemonic) { ", [" } else { ",[" };
            text.replace("],#", "]#").replacen(",[", blank, 1).into()
        }
        _ => text.into(),
    }
}

/// The operands of an instruction with every label renamed.
fn rename_labels(text: &str, rename: &impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut mnemonic = true;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '/' | '-');
        if !is_word(first) {
            result.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        match rename(&rest[..len]).filter(|_| !mnemonic) {
            Some(name) => result.push_str(&name),
            None => result.push_str(&rest[..len]),
        }
        mnemonic = false;
        rest = &rest[len..];
    }
    result
}

/// Columns side by side, padded to their widths.
fn table(columns: &[Vec<Cow<str>>]) -> String {
    let widths: Vec<usize> =
        columns.iter().map(|column| column.iter().map(|cell| cell.len()).max().unwrap_or(0)).collect();
    let n_rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = widths.iter().map(|width| width + "|  ".len()).sum::<usize>() + ";\n".len();
    let mut result = String::with_capacity(n_rows * width);
    for row in 0..n_rows {
        for (number, (column, width)) in columns.iter().zip(&widths).enumerate() {
            let cell = column.get(row).map_or("", |cell| cell.as_ref());
            if number > 0 {
                result.push('|');
            }
            result.push(' ');
            result.push_str(cell);
            // By bytes, as the widths are.
            result.extend(std::iter::repeat_n(' ', width - cell.len() + 1));
        }
        result.push_str(";\n");
    }
    result
}

/// The locations that the test looks at.
fn observed(test: &Test) -> String {
    let mut locs: Vec<&Loc> = Vec::new();
    let of_fault =
        |fault: &Fault| {
            let text = fault.loc.as_ref()?;
            // `PTE(x)` goes by its older name here, too.
            let entry = text.strip_prefix("PTE(").or_else(|| text.strip_prefix("TTD("));
            let entry = entry.and_then(|rest| rest.strip_suffix(')'));
            Some(entry.map_or_else(
                || Loc::Global(text.clone()),
                |name| Loc::Special(format!("pte_{}", name.trim())),
            ))
        };
    for item in &test.fin.locations {
        match item {
            Item::Loc(loc, _) => locs.push(loc),
            Item::Fault(..) => {}
        }
    }
    let mut faults = Vec::new();
    test.own_prop.as_ref().unwrap_or(&test.fin.prop).visit(
        &mut |atom| {
            // Long conditions are about few places.
            let right = if let Side::Loc(loc) = &atom.right { Some(loc) } else { None };
            for loc in std::iter::once(&atom.left).chain(right) {
                if !locs.contains(&loc) {
                    locs.push(loc);
                }
            }
        },
        &mut |fault| faults.extend(of_fault(fault)),
    );
    locs.extend(&faults);
    locs.sort_by(|a, b| order(a).cmp(&order(b)));
    locs.dedup();
    let locs: Vec<String> = locs.into_iter().map(show).collect();
    locs.join("; ")
}
