//! Instructions as data: which of them are memory, what they are worth as values, and how they are fetched.
//!
//! An instruction that has a label in the initial state (or under an `ADR`) is a cell of four bytes that holds it. Under
//! `-variant ifetch` such an instruction is fetched from there each time it is run, and may have been overwritten by any
//! instruction that the initial state has as a value: each of those is translated for that place, and what was fetched decides.

use crate::arch::extensions::Extensions;
use crate::arch::{ColumnCx, Isa};
use crate::diag::Diagnostic;
use crate::program::{
    BinOp, BranchKind, CodeCell, Extra, Instr, Location, Oa, Op, PAGE, Program, Pte, SetName, Space, Sym,
    Target, Tmp, Type, Value, any_op,
};
use crate::source::Span;

use super::ast::{Const, Loc, Test};
use super::names::intern;
use super::special::Named;

/// Bytes of address space that each thread's code has.
const THREAD: usize = 100_000;

/// The type of a cell that holds an instruction.
const INSTRUCTION: Type = Type { bytes: 4, signed: false };

/// Makes cells of the instructions that the test has addresses of: those of `addressed`, the labels of its initial state, and where code
/// is fetched through page tables, those on a page whose entry the initial state has.
pub fn cells(
    test: &Test,
    isa: &dyn Isa,
    addressed: &[(usize, usize)],
    extensions: &[Extensions],
    program: &mut Program,
) -> Vec<Diagnostic> {
    let mut diags = Vec::new();
    let find = |program: &Program, thread: usize, name: &str| {
        let labels = program.threads.get(thread).map_or(&[][..], |t| &t.labels);
        labels.iter().find(|(label, _)| label == name).map(|(_, pc)| *pc)
    };
    let mut exported: Vec<(usize, usize)> = addressed.to_vec();
    for entry in &test.init {
        for value in &entry.values {
            let Const::Label { thread, name } = value else { continue };
            exported.extend(find(program, *thread, name).map(|pc| (*thread, pc)));
        }
        if let Loc::Special(text) = &entry.loc
            && let Some(Named::Entry(name)) = Named::parse(text)
            && let Some((thread, label)) = page_label(name)
        {
            let Some(pc) = find(program, thread, label) else {
                let message = format!("P{thread} has no label `{label}`");
                diags.push(
                    Diagnostic::error("litmus::unknown-label", message)
                        .at(entry.loc_span, "a page of code is named by the label that it begins with"),
                );
                continue;
            };
            let sym = intern(&mut program.symbols, name);
            program.locations.retain(|cell| (cell.sym, cell.space) != (sym, Space::Data));
            page(isa, thread, pc, sym, extensions, program);
        }
    }
    exported.sort_unstable();
    exported.dedup();
    for (thread, pc) in exported {
        let Some(label) = program.label_at(thread, pc).map(str::to_string) else { continue };
        if program.code_cell(thread as u16, pc as u16).is_some() {
            continue;
        }
        let sym = intern(&mut program.symbols, &format!("P{thread}:{label}"));
        cell(isa, (thread, pc), (sym, 0), extensions, program);
        if program.machine.tables.is_some() && program.cell_of(Value::PteAddr(sym)).is_none() {
            let name = format!("PTE({})", program.symbol(sym));
            let ty = Type { bytes: 8, signed: false };
            let mut entries = vec![(Space::Pte, name.clone(), Pte::of(Oa::Phys(sym)))];
            if program.machine.squared {
                let entry = Pte { el0: false, ..Pte::of(Oa::Pte(sym)) };
                entries.push((Space::Table, format!("PTE({name})"), entry));
            }
            for (space, name, entry) in entries {
                let init = Value::Pte(entry);
                program.locations.push(Location { space, name, sym, offset: 0, ty, declared: true, init });
            }
        }
    }
    diags
}

/// The thread and the label in the name of a page of code, `P0:L`.
fn page_label(name: &str) -> Option<(usize, &str)> {
    let (thread, label) = name.split_once(':')?;
    Some((thread.strip_prefix('P').unwrap_or(thread).parse().ok()?, label))
}

/// Makes cells of all instructions on a page that begins with a label.
fn page(
    isa: &dyn Isa,
    thread: usize,
    start: usize,
    sym: Sym,
    extensions: &[Extensions],
    program: &mut Program,
) {
    let first = program.code_number(thread, start);
    if !(first % THREAD).is_multiple_of(PAGE) || !program.features.ifetch || program.machine.tables.is_none()
    {
        return;
    }
    for pc in 0..program.threads[thread].code.len() {
        let at = program.code_number(thread, pc);
        if (first..first + PAGE).contains(&at) && !program.threads[thread].code[pc].text.is_empty() {
            cell(isa, (thread, pc), (sym, (at - first) as i64), extensions, program);
        }
    }
}

/// Makes a cell of an instruction.
fn cell(
    isa: &dyn Isa,
    (thread, pc): (usize, usize),
    (sym, offset): (Sym, i64),
    extensions: &[Extensions],
    program: &mut Program,
) {
    let Some(instruction) = program.threads[thread].code.get(pc) else { return };
    let (text, span) = (instruction.text.clone(), instruction.span);
    let relative =
        place(isa, program, (thread, pc), true, &text, span, extensions).map_or(text, |instr| instr.text);
    let init = program.instruction(&relative);
    program.code_cells.push(CodeCell { thread: thread as u16, pc: pc as u16, sym, offset });
    let name = match offset {
        0 => program.symbol(sym).to_string(),
        _ => format!("{}+{offset}", program.symbol(sym)),
    };
    program.locations.push(Location {
        space: Space::Data,
        name,
        sym,
        offset,
        ty: INSTRUCTION,
        declared: true,
        init,
    });
    let granule = offset - offset % 16;
    if !program.machine.tags.is_empty() && !program.has_tag(sym, granule) {
        let shown = match granule {
            0 => program.symbol(sym).to_string(),
            _ => format!("{}+{granule}", program.symbol(sym)),
        };
        program.locations.push(Location {
            space: Space::Tag,
            name: format!("tag({shown})"),
            sym,
            offset: granule,
            ty: Type { bytes: 8, signed: false },
            declared: true,
            init: Value::Tag(0),
        });
    }
}

/// The value of an instruction that the test writes as text.
///
/// # Errors
/// It is none.
pub fn value(
    isa: &dyn Isa,
    program: &mut Program,
    text: &str,
    span: Span,
    extensions: &[Extensions],
) -> Result<Value, Diagnostic> {
    // Far from both ends, so that offsets have room; labels are as good as any.
    let labels: Vec<(String, usize)> =
        program.threads.iter().flat_map(|thread| thread.labels.clone()).collect();
    let labels: Vec<(String, usize)> = labels.into_iter().map(|(name, _)| (name, 1000)).collect();
    let own = extensions.first().cloned().unwrap_or_default();
    let mut cx = ColumnCx {
        extensions: &own,
        thread: 0,
        regs: &mut program.regs,
        symbols: &mut program.symbols,
        labels: &labels,
        pc: 1000,
        length: 2000,
        features: &program.features,
        relative: false,
        addressed: &mut Vec::new(),
    };
    // Tests write `NOP` on every architecture, and so do states.
    let nop = text.eq_ignore_ascii_case("nop");
    let text = match isa.instruction(&mut cx, text, span) {
        Err(_) if nop => isa.instruction(&mut cx, "nop", span)?.text,
        found => found?.text,
    };
    Ok(program.instruction(if nop { "NOP" } else { &text }))
}

/// Lets every instruction that is a cell be fetched from there.
pub fn fetched(isa: &dyn Isa, program: &mut Program, extensions: &[Extensions]) {
    let places = program.code_cells.clone();
    let held = program.locations.iter().map(|cell| cell.init);
    let held = held.chain(program.init_regs.iter().map(|(_, _, value)| *value));
    let mut candidates: Vec<u16> =
        held.filter_map(|value| if let Value::Instr(number) = value { Some(number) } else { None }).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let texts = program.instructions.iter().enumerate();
    program.restricted = texts.filter(|(_, text)| isa.is_restricted(text)).map(|(n, _)| n as u16).collect();
    for cell in places {
        let (thread, pc) = (usize::from(cell.thread), usize::from(cell.pc));
        let own = program.threads[thread].code[pc].clone();
        let original = program
            .location_at(cell.sym, cell.offset)
            .map(|location| program.locations[usize::from(location.0)].init);
        let mut choices = Vec::new();
        for number in &candidates {
            let text = program.instructions[usize::from(*number)].clone();
            let ops = match original == Some(Value::Instr(*number)) {
                true => Some(own.ops.clone()),
                false => place(isa, program, (thread, pc), false, &text, own.span, extensions)
                    .map(|instr| instr.ops),
            };
            let named = match &ops {
                Some(_) => None,
                None => by_label(isa, program, (thread, pc), &text, own.span, extensions),
            };
            let ops = match named {
                // A branch is encoded with an offset. One with a label is nothing that can be fetched.
                Some(ops) if any_op(&ops, |op| matches!(op, Op::Jump { .. })) => continue,
                Some(ops) => Some(ops),
                None => ops,
            };
            // Where a page of code may be any other, each choice more multiplies the paths: what leads nowhere is no instruction there.
            let nowhere = || program.machine.tables.is_none().then(|| leads_nowhere(*number));
            if let Some(ops) = ops.or_else(nowhere) {
                choices.push((Value::Instr(*number), isa.is_restricted(&text), ops));
            }
        }
        let labels = program.threads[thread].labels.clone();
        let at = Value::Addr { sym: cell.sym, offset: cell.offset };
        let (undefined, fetch) = in_column(program, (thread, pc), (&labels, false), extensions, |cx| {
            (isa.undefined(cx), isa.fetch(cx, at, WORD, own.span))
        });
        program.threads[thread].code[pc].ops = decode(fetch, choices, undefined);
    }
}

/// Translates something for a place of a thread's code, whose labels are these; relative to it or not.
fn in_column<R>(
    program: &mut Program,
    (thread, pc): (usize, usize),
    (labels, relative): (&[(String, usize)], bool),
    extensions: &[Extensions],
    work: impl FnOnce(&mut ColumnCx) -> R,
) -> R {
    let machine = of_thread(program, thread, extensions);
    work(&mut ColumnCx {
        extensions: &machine,
        thread,
        regs: &mut program.regs,
        symbols: &mut program.symbols,
        labels,
        pc,
        length: program.threads[thread].code.len(),
        features: &program.features,
        relative,
        addressed: &mut Vec::new(),
    })
}

/// What a thread's machine has.
fn of_thread(program: &Program, thread: usize, extensions: &[Extensions]) -> Extensions {
    let own = extensions.get(thread).cloned().unwrap_or_default();
    Extensions { handler: program.threads[thread].handler.is_some(), ..own }
}

/// An instruction translated for a place. `None`: it cannot stand there.
fn place(
    isa: &dyn Isa,
    program: &mut Program,
    (thread, pc): (usize, usize),
    relative: bool,
    text: &str,
    span: Span,
    extensions: &[Extensions],
) -> Option<Instr> {
    let labels = match relative {
        true => program.threads[thread].labels.clone(),
        false => Vec::new(),
    };
    in_column(program, (thread, pc), (&labels, relative), extensions, |cx| {
        isa.instruction(cx, text, span).ok()
    })
}

/// Likewise, of an instruction that names a label of the thread.
fn by_label(
    isa: &dyn Isa,
    program: &mut Program,
    (thread, pc): (usize, usize),
    text: &str,
    span: Span,
    extensions: &[Extensions],
) -> Option<Vec<Op>> {
    let labels = program.threads[thread].labels.clone();
    let instr = in_column(program, (thread, pc), (&labels, false), extensions, |cx| {
        isa.instruction(cx, text, span).ok()
    });
    Some(instr?.ops)
}

/// Temporaries of a fetch: what is compared, the word that was fetched, and its decoding.
const COMPARED: Tmp = Tmp(0);
const WORD: Tmp = Tmp(1);
const DECODED: Tmp = Tmp(2);

/// An instruction that cannot stand at a place: what it names by an offset is not there. It is an error where it is run, by a jump to what is no place.
fn leads_nowhere(instruction: u16) -> Vec<Op> {
    let jump = Op::Jump { target: Target::Indirect(COMPARED) };
    vec![Op::Const { dst: COMPARED, value: Value::Instr(instruction) }, jump]
}

/// The fetch, the decoding, and what comes of each value.
fn decode(fetch: Vec<Op>, choices: Vec<(Value, bool, Vec<Op>)>, undefined: Vec<Op>) -> Vec<Op> {
    let mut otherwise = undefined;
    for (value, restricted, mut ops) in choices.into_iter().rev() {
        if restricted {
            ops.insert(0, Op::Mark { of: WORD, sets: vec![SetName::Borrowed("Restricted-CMODX")] });
        }
        // The comparison stands before the choice that it decides.
        let compare = [
            Op::Const { dst: COMPARED, value },
            Op::Binary { dst: COMPARED, op: BinOp::Eq, a: DECODED, b: COMPARED },
        ];
        let choice = Op::If { cond: COMPARED, then: ops, otherwise };
        otherwise = compare.into_iter().chain([choice]).collect();
    }
    let mut all = fetch;
    all.push(Op::Branch {
        kind: BranchKind::Pred,
        cond: Some(WORD),
        extra: Extra { done: Some(DECODED), ..Extra::default() },
    });
    all.extend(otherwise);
    all
}
