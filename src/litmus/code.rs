//! Instructions as data: which of them are memory, what they are worth as values, and how they are fetched.
//!
//! An instruction that has a label in the initial state (or under an `ADR`) is a cell of four bytes that holds it. Under
//! `-variant ifetch` such an instruction is fetched from there each time it is run, and may have been overwritten by any
//! instruction that the initial state has as a value: each of those is translated for that place, and what was fetched decides.

use crate::arch::{ColumnCx, Isa};
use crate::diag::Diagnostic;
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Instr, Location, Op, Program, SetName, Tmp, Type, Value,
};
use crate::source::Span;

use super::ast::{Const, Test};
use super::names::intern;

/// The type of a cell that holds an instruction.
const INSTRUCTION: Type = Type { bytes: 4, signed: false };

/// Makes cells of the instructions that the test has addresses of: those of `addressed`, and the labels of its initial state.
pub fn cells(test: &Test, isa: &dyn Isa, addressed: &[(usize, usize)], program: &mut Program) {
    let mut exported: Vec<(usize, usize)> = addressed.to_vec();
    for entry in &test.init {
        for value in &entry.values {
            let Const::Label { thread, name } = value else { continue };
            let labels = program.threads.get(*thread).map_or(&[][..], |t| &t.labels);
            let found = labels.iter().find(|(label, _)| label == name);
            exported.extend(found.map(|(_, pc)| (*thread, *pc)));
        }
    }
    exported.sort_unstable();
    exported.dedup();
    for (thread, pc) in exported {
        let Some(instruction) = program.threads[thread].code.get(pc) else { continue };
        let (text, span) = (instruction.text.clone(), instruction.span);
        let Some(label) = program.label_at(thread, pc).map(str::to_string) else { continue };
        let relative = place(isa, program, thread, pc, true, &text, span).map_or(text, |instr| instr.text);
        let name = format!("P{thread}:{label}");
        let sym = intern(&mut program.symbols, &name);
        let init = program.instruction(&relative);
        program.code_cells.push(((thread as u16, pc as u16), sym));
        program.locations.push(Location {
            space: Default::default(),
            name,
            sym,
            offset: 0,
            ty: INSTRUCTION,
            declared: true,
            init,
        });
    }
}

/// The value of an instruction that the test writes as text.
///
/// # Errors
/// It is none.
pub fn value(isa: &dyn Isa, program: &mut Program, text: &str, span: Span) -> Result<Value, Diagnostic> {
    // Far from both ends, so that offsets have room; labels are as good as any.
    let labels: Vec<(String, usize)> =
        program.threads.iter().flat_map(|thread| thread.labels.clone()).collect();
    let labels: Vec<(String, usize)> = labels.into_iter().map(|(name, _)| (name, 1000)).collect();
    let mut cx = ColumnCx {
        extensions: &Default::default(),
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
    let text = isa.instruction(&mut cx, text, span)?.text;
    Ok(program.instruction(&text))
}

/// Lets every instruction that is a cell be fetched from there.
pub fn fetched(isa: &dyn Isa, program: &mut Program) {
    let places: Vec<(usize, usize)> =
        program.code_cells.iter().map(|((thread, pc), _)| (usize::from(*thread), usize::from(*pc))).collect();
    let held = program.locations.iter().map(|cell| cell.init);
    let held = held.chain(program.init_regs.iter().map(|(_, _, value)| *value));
    let mut candidates: Vec<u16> =
        held.filter_map(|value| if let Value::Instr(number) = value { Some(number) } else { None }).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let texts = program.instructions.iter().enumerate();
    program.restricted = texts.filter(|(_, text)| isa.is_restricted(text)).map(|(n, _)| n as u16).collect();
    for (thread, pc) in places {
        let own = program.threads[thread].code[pc].clone();
        let sym = program
            .code_cells
            .iter()
            .find(|(place, _)| *place == (thread as u16, pc as u16))
            .map(|(_, s)| *s);
        let original = program.locations.iter().find(|cell| Some(cell.sym) == sym).map(|cell| cell.init);
        let mut choices = Vec::new();
        for number in &candidates {
            let text = program.instructions[usize::from(*number)].clone();
            let ops = match original == Some(Value::Instr(*number)) {
                true => Some(own.ops.clone()),
                // An instruction with a label of its own in it is no code that could be put elsewhere.
                false => place(isa, program, thread, pc, false, &text, own.span).map(|instr| instr.ops),
            };
            if let Some(ops) = ops {
                choices.push((Value::Instr(*number), isa.is_restricted(&text), ops));
            }
        }
        let labels = program.threads[thread].labels.clone();
        let mut cx = ColumnCx {
            extensions: &Default::default(),
            thread,
            regs: &mut program.regs,
            symbols: &mut program.symbols,
            labels: &labels,
            pc,
            length: program.threads[thread].code.len(),
            features: &program.features,
            relative: false,
            addressed: &mut Vec::new(),
        };
        let undefined = isa.undefined(&mut cx);
        program.threads[thread].code[pc].ops = fetch(thread, pc, choices, undefined);
    }
}

/// An instruction translated for a place. `None`: it cannot stand there.
fn place(
    isa: &dyn Isa,
    program: &mut Program,
    thread: usize,
    pc: usize,
    relative: bool,
    text: &str,
    span: Span,
) -> Option<Instr> {
    let labels = match relative {
        true => program.threads[thread].labels.clone(),
        false => Vec::new(),
    };
    let mut cx = ColumnCx {
        extensions: &Default::default(),
        thread,
        regs: &mut program.regs,
        symbols: &mut program.symbols,
        labels: &labels,
        pc,
        length: program.threads[thread].code.len(),
        features: &program.features,
        relative,
        addressed: &mut Vec::new(),
    };
    isa.instruction(&mut cx, text, span).ok()
}

/// The fetch, the decoding, and what comes of each value.
fn fetch(thread: usize, pc: usize, choices: Vec<(Value, bool, Vec<Op>)>, undefined: Vec<Op>) -> Vec<Op> {
    let (address, word, decoded) = (Tmp(0), Tmp(1), Tmp(2));
    let set = |name: &'static str| SetName::Borrowed(name);
    let mut otherwise = undefined;
    for (value, restricted, mut ops) in choices.into_iter().rev() {
        if restricted {
            ops.insert(0, Op::Mark { of: word, sets: vec![set("Restricted-CMODX")] });
        }
        // The comparison stands before the choice that it decides; its temporaries are free again.
        let compare = [
            Op::Const { dst: address, value },
            Op::Binary { dst: address, op: BinOp::Eq, a: decoded, b: address },
        ];
        let choice = Op::If { cond: address, then: ops, otherwise };
        otherwise = compare.into_iter().chain([choice]).collect();
    }
    let mut all = vec![
        Op::Const { dst: address, value: Value::Code { thread: thread as u16, pc: pc as u16 } },
        Op::Load {
            dst: word,
            addr: address,
            size: AccessSize(4),
            sets: vec![set("NExp")],
            extra: Extra::default(),
        },
        Op::Branch {
            kind: BranchKind::Pred,
            cond: Some(word),
            extra: Extra { done: Some(decoded), ..Extra::default() },
        },
    ];
    all.extend(otherwise);
    all
}
