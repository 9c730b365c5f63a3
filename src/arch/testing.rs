//! Helpers for tests of instruction sets.

use super::{ColumnCx, Isa};
use crate::diag::{Color, Diagnostic, render};
use crate::program::{Instr, RegTable};
use crate::source::{Sources, Span};

/// Parses a cell as instruction 0 of a thread of two instructions with the labels `L0` (0) and `LC00` (1).
pub fn parse(isa: &dyn Isa, cell: &str) -> (Sources, Result<Instr, Diagnostic>) {
    let mut sources = Sources::new();
    let id = sources.add("test.litmus", cell);
    let labels = [("L0".to_string(), 0), ("LC00".to_string(), 1)];
    let mut cx = ColumnCx {
        thread: 0,
        regs: &mut RegTable::default(),
        symbols: &mut Vec::new(),
        labels: &labels,
        pc: 0,
        length: 2,
    };
    let result = isa.instruction(&mut cx, cell, Span::new(id, 0, cell.len()));
    (sources, result)
}

/// The canonical text of a cell that must parse.
pub fn canonical(isa: &dyn Isa, cell: &str) -> String {
    let (sources, result) = parse(isa, cell);
    match result {
        Ok(instr) => instr.text,
        Err(diagnostic) => panic!("{}", render(&diagnostic, &sources, Color::Never)),
    }
}

/// The rendered diagnostic of a cell that must not parse.
pub fn refused(isa: &dyn Isa, cell: &str) -> String {
    let (sources, result) = parse(isa, cell);
    match result {
        Ok(instr) => panic!("`{}` was accepted", instr.text),
        Err(diagnostic) => render(&diagnostic, &sources, Color::Never),
    }
}

/// Each cell's canonical text, or its diagnostic, one after the other.
pub fn listing(isa: &dyn Isa, cells: &[&str]) -> String {
    let show = |cell: &&str| match parse(isa, cell) {
        (_, Ok(instr)) => instr.text,
        (sources, Err(diagnostic)) => render(&diagnostic, &sources, Color::Never),
    };
    cells.iter().map(show).collect::<Vec<_>>().join("\n")
}
