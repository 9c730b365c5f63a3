//! Helpers for tests of instruction sets: parse single cells, run small programs of one thread.

use super::{ColumnCx, Isa};
use crate::diag::{Color, Diagnostic, render};
use crate::execution::{EventKind, SymVal, World, unfold};
use crate::program::{Instr, Location, Program, RegTable, Sym, Thread, Type, Value, wrap};
use crate::source::{Sources, Span};

/// Parses a cell as instruction 0 of a thread of two instructions with the labels `L0` (0) and `LC00` (1).
pub fn parse(isa: &dyn Isa, cell: &str) -> (Sources, Result<Instr, Diagnostic>) {
    let mut sources = Sources::new();
    let id = sources.add("test.litmus", cell);
    let labels = [("L0".to_string(), 0), ("LC00".to_string(), 1)];
    let mut cx = ColumnCx {
        features: &crate::program::Features::default(),
        relative: false,
        addressed: &mut Vec::new(),
        thread: 0,
        regs: &mut RegTable::default(),
        symbols: &mut Vec::new(),
        labels: &labels,
        pc: 0,
        length: 2,
        extensions: &crate::arch::extensions::Extensions::default(),
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

/// Runs the instructions of one thread one after the other, and shows what it ends with: registers and cells that are
/// not zero, one line per outcome (a store-conditional has two).
///
/// `init` is `name=value` pairs: a value is a number or `&symbol`; a name that is no register is a cell, `x:8` one of 8
/// bytes, `x+4` one at an offset. An instruction may have labels in front of it.
pub fn run(isa: &dyn Isa, init: &str, code: &[&str]) -> String {
    match program(isa, init, code) {
        Ok(program) => outcomes(isa, &program),
        Err(text) => text,
    }
}

fn program(isa: &dyn Isa, init: &str, code: &[&str]) -> Result<Program, String> {
    let mut sources = Sources::new();
    let id = sources.add("test.litmus", code.join("\n"));
    let mut program = Program::empty(crate::arch::conventions(isa.id()), isa.bits());
    for pair in init.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').expect("name=value");
        let value = match value.strip_prefix('&') {
            Some(symbol) => Value::addr(sym(&mut program.symbols, symbol)),
            None => Value::Int(wrap(value.parse().expect("a number"), isa.bits())),
        };
        if let Some(register) = isa.register(name) {
            let reg = program.regs.intern(&register);
            program.init_regs.push((0, reg, value));
            continue;
        }
        let (name, bytes) = name.split_once(':').unwrap_or((name, "4"));
        let (symbol, offset) = name.split_once('+').unwrap_or((name, "0"));
        program.locations.push(Location {
            space: crate::program::Space::Data,
            name: name.to_string(),
            sym: sym(&mut program.symbols, symbol),
            offset: offset.parse().expect("an offset"),
            ty: Type { bytes: bytes.parse().expect("a size"), signed: true },
            declared: true,
            init: value,
        });
    }
    let mut labels = Vec::new();
    let mut cells = Vec::new();
    for cell in code {
        let mut cell = *cell;
        while let Some((label, rest)) = cell.split_once(": ") {
            labels.push((label.to_string(), cells.len()));
            cell = rest;
        }
        cells.push(cell);
    }
    let mut thread = Thread { labels: labels.clone(), ..Thread::default() };
    let mut start = 0;
    for (pc, cell) in cells.iter().enumerate() {
        let span = Span::new(id, start + code[pc].len() - cell.len(), start + code[pc].len());
        start += code[pc].len() + 1;
        let mut cx = ColumnCx {
            features: &crate::program::Features::default(),
            relative: false,
            addressed: &mut Vec::new(),
            thread: 0,
            regs: &mut program.regs,
            symbols: &mut program.symbols,
            labels: &labels,
            pc,
            length: cells.len(),
            extensions: &crate::arch::extensions::Extensions::default(),
        };
        let instr = isa.instruction(&mut cx, cell, span);
        thread.code.push(instr.map_err(|error| render(&error, &sources, Color::Never))?);
    }
    program.threads.push(thread);
    Ok(program)
}

fn sym(symbols: &mut Vec<String>, name: &str) -> Sym {
    let index = symbols.iter().position(|known| known == name).unwrap_or_else(|| {
        symbols.push(name.to_string());
        symbols.len() - 1
    });
    Sym(index as u16)
}

fn outcomes(isa: &dyn Isa, program: &Program) -> String {
    let worlds = unfold(program, 2, &[]).expect("the thread ends");
    let mut lines: Vec<String> = worlds.filter_map(|world| outcome(isa, program, &world)).collect();
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

/// The only execution of a world in which every read takes the latest write, if its constraints hold there.
fn outcome(isa: &dyn Isa, program: &Program, world: &World) -> Option<String> {
    let mut values: Vec<Option<Value>> = vec![None; world.events.len()];
    let mut memory: Vec<Value> = program.locations.iter().map(|cell| cell.init).collect();
    let eval = |value: &SymVal, reads: &[Option<Value>]| {
        value.eval(reads, program.bits).map(|value| value.expect("earlier reads are known"))
    };
    for (id, event) in world.events[..world.n_memory].iter().enumerate() {
        let Some(loc) = event.loc else { continue };
        let cell = &mut memory[usize::from(loc.0)];
        match event.kind {
            EventKind::Read => values[id] = Some(*cell),
            EventKind::Rmw => {
                values[id] = Some(*cell);
                match event.written.as_ref().map(|value| eval(value, &values)) {
                    Some(Ok(value)) => *cell = value,
                    other => return Some(format!("{other:?}")),
                }
            }
            EventKind::Write => match event.value.as_ref().map(|value| eval(value, &values)) {
                Some(Ok(value)) => *cell = value,
                other => return Some(format!("{other:?}")),
            },
            _ => {}
        }
    }
    let holds = |(value, wanted): &(SymVal, bool)| {
        eval(value, &values).is_ok_and(|value| (value != Value::ZERO) == *wanted)
    };
    if !world.constraints.iter().all(holds) {
        return None;
    }
    if let Some(error) = world.errors.first() {
        return Some(error.message.clone());
    }
    let mut regs: Vec<(u32, String, String)> = Vec::new();
    for ((_, reg), value) in &world.final_regs {
        let name = program.regs.name(*reg);
        let shown = match eval(value, &values) {
            Ok(value) if value == Value::ZERO => continue,
            Ok(value) => program.show(value),
            Err(illegal) => illegal.describe(program),
        };
        if name != "RESADDR" {
            regs.push((isa.register_order(name), name.to_string(), shown));
        }
    }
    regs.sort();
    let regs = regs.into_iter().map(|(_, name, value)| format!("{name}={value};"));
    let cells = program.locations.iter().zip(&memory).filter(|(_, value)| **value != Value::ZERO);
    let cells =
        cells.map(|(cell, value)| format!("{}={};", cell.name, program.show(cell.ty.truncate(*value))));
    Some(regs.chain(cells).collect::<Vec<_>>().join(" "))
}
