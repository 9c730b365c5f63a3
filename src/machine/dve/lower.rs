//! From the tree to automata of the machine.

use super::parse::{Expr as Tree, File, Place as Named, Variable, Width};
use crate::arch::{self, ArchId};
use crate::diag::Diagnostic;
use crate::machine::System;
use crate::machine::code::{Code, Compiled, ThreadCode};
use crate::machine::transitions::{Assign, Binary, Expr, Place, Transition, Unary, evaluate};
use crate::program::{Instr, Location, Program, Space, Start, Sym, Thread, Type, Value};
use crate::source::{SourceId, Span};

/// More cells than this are refused.
const MAX_CELLS: usize = 4096;

/// A variable that has a place.
struct Known {
    name: String,
    base: u16,
    len: Option<usize>,
    width: Width,
    /// A constant has values instead of a place.
    values: Option<Vec<i128>>,
}

pub(super) fn lower(file: &File, source: SourceId) -> Result<System, Diagnostic> {
    let mut lowering = Lowering {
        program: Program::empty(arch::conventions(ArchId::C), 64),
        globals: Vec::new(),
        locals: file.processes.iter().map(|_| Vec::new()).collect(),
        file,
    };
    for variable in &file.globals {
        lowering.global(variable)?;
    }
    lowering.arrays()?;
    for number in 0..file.processes.len() {
        lowering.own_variables(number)?;
    }
    let mut compiled = Compiled { threads: Vec::new(), source: Vec::new(), objects: Vec::new() };
    for number in 0..file.processes.len() {
        let code = lowering.process(number)?;
        compiled.threads.push(code);
        compiled.source.push(number);
    }
    if compiled.threads.is_empty() {
        return Err(
            Diagnostic::error("dve::empty", "there is no process").at(Span::new(source, 0, 0), "here")
        );
    }
    Ok(System { program: lowering.program, compiled: Some(compiled) })
}

struct Lowering<'f> {
    program: Program,
    globals: Vec<Known>,
    locals: Vec<Vec<Known>>,
    file: &'f File,
}

impl Lowering<'_> {
    /// The values that a variable begins with, and its length if it is an array.
    fn values(&self, variable: &Variable) -> Result<(Vec<i128>, Option<usize>), Diagnostic> {
        let wrong =
            |message: String| Diagnostic::error("dve::declaration", message).at(variable.span, "here");
        let known = |tree: &Tree| {
            let expr = self.expr(tree, None)?;
            match evaluate(&expr, &mut |_, _| None) {
                Some(value) => Ok(value),
                None => Err(wrong(format!("`{}` needs a constant here", variable.name))),
            }
        };
        let mut values = variable.init.iter().map(known).collect::<Result<Vec<i128>, _>>()?;
        let len = match &variable.len {
            None => None,
            Some(len) => {
                let len = known(len)?;
                let len = usize::try_from(len).ok().filter(|len| (1..=MAX_CELLS).contains(len));
                Some(len.ok_or_else(|| wrong(format!("`{}` has no such length", variable.name)))?)
            }
        };
        if values.len() > len.unwrap_or(1) {
            return Err(wrong(format!("`{}` has more values than places", variable.name)));
        }
        values.resize(len.unwrap_or(1), 0);
        values.iter_mut().for_each(|value| *value = variable.width.held(*value));
        Ok((values, len))
    }

    fn global(&mut self, variable: &Variable) -> Result<(), Diagnostic> {
        let (values, len) = self.values(variable)?;
        let base = self.program.locations.len() as u16;
        if !variable.constant {
            let sym = Sym(self.program.symbols.len() as u16);
            self.program.symbols.push(variable.name.clone());
            for (index, value) in values.iter().enumerate() {
                let name = match len {
                    Some(_) => format!("{}[{index}]", variable.name),
                    None => variable.name.clone(),
                };
                self.program.locations.push(Location {
                    space: Space::Data,
                    name,
                    sym,
                    offset: 4 * index as i64,
                    ty: Type::INT,
                    declared: true,
                    init: Value::Int(*value),
                });
            }
        }
        if self.program.locations.len() > MAX_CELLS {
            let message = format!("more than {MAX_CELLS} shared variables");
            return Err(Diagnostic::unsupported("dve::declaration", message).at(variable.span, "here"));
        }
        let values = variable.constant.then_some(values);
        self.globals.push(Known { name: variable.name.clone(), base, len, width: variable.width, values });
        Ok(())
    }

    /// Registers for the arrays of processes, each in a row: processes with arrays of one name share the names of their elements.
    fn arrays(&mut self) -> Result<(), Diagnostic> {
        let mut longest: Vec<(&str, usize)> = Vec::new();
        for variable in self.file.processes.iter().flat_map(|process| &process.locals) {
            if let (_, Some(len)) = self.values(variable)? {
                match longest.iter_mut().find(|(name, _)| *name == variable.name) {
                    Some((_, known)) => *known = len.max(*known),
                    None => longest.push((&variable.name, len)),
                }
            }
        }
        for (name, len) in longest {
            (0..len).for_each(|index| {
                self.program.regs.intern(&format!("{name}[{index}]"));
            });
        }
        Ok(())
    }

    fn own_variables(&mut self, process: usize) -> Result<(), Diagnostic> {
        for variable in &self.file.processes[process].locals {
            let (values, len) = self.values(variable)?;
            let name = |index: usize| match len {
                Some(_) => format!("{}[{index}]", variable.name),
                None => variable.name.clone(),
            };
            let base = if variable.constant { 0 } else { self.program.regs.intern(&name(0)).0 };
            if !variable.constant {
                for (index, value) in values.iter().enumerate() {
                    let reg = self.program.regs.intern(&name(index));
                    self.program.init_regs.push((process, reg, Value::Int(*value)));
                }
            }
            let values = variable.constant.then_some(values);
            let known = Known { name: variable.name.clone(), base, len, width: variable.width, values };
            self.locals[process].push(known);
        }
        Ok(())
    }

    fn process(&mut self, number: usize) -> Result<ThreadCode, Diagnostic> {
        let process = &self.file.processes[number];
        let state = |(name, span): &(String, Span)| {
            process.states.iter().position(|(known, _)| known == name).ok_or_else(|| {
                let message = format!("process `{}` has no state `{name}`", process.name);
                Diagnostic::error("dve::state", message).at(*span, "here")
            })
        };
        let Some(init) = &process.init else {
            let message = format!("process `{}` has no `init`", process.name);
            return Err(Diagnostic::error("dve::state", message).at(process.span, "here"));
        };
        let first = state(init)?;
        // States first, as places; then transitions, whose texts a run shows.
        let mut thread = Thread { start: Start::Alone, ..Thread::default() };
        for (at, (name, span)) in process.states.iter().enumerate() {
            thread.labels.push((name.clone(), at));
            thread.code.push(Instr { text: String::new(), span: *span, ops: Vec::new() });
        }
        let mut by_state: Vec<Vec<Transition>> = process.states.iter().map(|_| Vec::new()).collect();
        for transition in &process.transitions {
            let guards = transition.guards.iter().map(|guard| self.expr(guard, Some(number)));
            let guard = guards.collect::<Result<Vec<Expr>, _>>()?;
            let mut effects = Vec::new();
            for (place, value) in &transition.effects {
                let known = self.known(&place.name, Some(number));
                let to = self.place(place, Some(number))?;
                let width = known.map_or(Width::Int, |(known, _)| known.width);
                let value = self.expr(value, Some(number))?;
                effects.push(Assign { to, value, byte: width == Width::Byte });
            }
            let (from, to) = (state(&transition.from)?, state(&transition.to)?);
            let instruction = thread.code.len();
            let text = format!("{} -> {}", transition.from.0, transition.to.0);
            thread.code.push(Instr { text, span: transition.span, ops: Vec::new() });
            by_state[from].push(Transition { guard, effects, to, instruction });
        }
        let n = by_state.len();
        let mut code: Vec<Code> = by_state.into_iter().map(Code::Transitions).collect();
        code.push(Code::Stop);
        let n_slots = self.program.regs.len();
        let out = ThreadCode {
            of: (0..=n as u32).collect(),
            // Transitions begin where their state is; nobody asks for them.
            starts: (0..n).chain(std::iter::repeat_n(n, thread.code.len() + 1 - n)).collect(),
            n_slots,
            stops: vec![true; n + 1],
            live: vec![vec![true; n_slots]; n + 1],
            from_start: true,
            result: None,
            first,
            code,
        };
        self.program.threads.push(thread);
        Ok(out)
    }

    /// A variable by its name: one of the process, or a shared one.
    fn known(&self, name: &str, process: Option<usize>) -> Option<(&Known, bool)> {
        let own = process.and_then(|process| self.locals[process].iter().find(|known| known.name == name));
        own.map(|known| (known, true))
            .or_else(|| self.globals.iter().find(|known| known.name == name).map(|known| (known, false)))
    }

    /// A place that can be written.
    fn place(&self, named: &Named, process: Option<usize>) -> Result<Place, Diagnostic> {
        let Some((known, own)) = self.known(&named.name, process) else {
            let message = format!("there is no variable `{}`", named.name);
            return Err(Diagnostic::error("dve::variable", message).at(named.span, "here"));
        };
        if known.values.is_some() {
            let message = format!("`{}` is a constant", named.name);
            return Err(Diagnostic::error("dve::variable", message).at(named.span, "assigned here"));
        }
        let index = match (&named.index, known.len) {
            (None, None) => None,
            (Some(index), Some(_)) => Some(Box::new(self.expr(index, process)?)),
            (Some(_), None) => return Err(shape(named, "is no array")),
            (None, Some(_)) => return Err(shape(named, "is an array: one of its elements is needed")),
        };
        let (base, len) = (known.base, known.len.unwrap_or(1) as u16);
        Ok(Place { own, base, len, index })
    }

    fn expr(&self, tree: &Tree, process: Option<usize>) -> Result<Expr, Diagnostic> {
        Ok(match tree {
            Tree::Number(n) => Expr::Number(*n),
            Tree::Read(named) => {
                if let Some((Known { values: Some(values), .. }, _)) = self.known(&named.name, process) {
                    return match &named.index {
                        None => Ok(Expr::Number(values[0])),
                        Some(index) => {
                            let index = self.expr(index, process)?;
                            Ok(Expr::Constants(values.clone(), Box::new(index)))
                        }
                    };
                }
                Expr::Read(self.place(named, process)?)
            }
            Tree::At(name, state, span) => {
                let (number, other) = self.process_of(name, *span)?;
                let at = other.states.iter().position(|(known, _)| known == state).ok_or_else(|| {
                    let message = format!("process `{name}` has no state `{state}`");
                    Diagnostic::error("dve::state", message).at(*span, "here")
                })?;
                Expr::At(number, at)
            }
            Tree::Other(name, named) => {
                let (number, _) = self.process_of(name, named.span)?;
                Expr::Other(number, self.place(named, Some(number))?)
            }
            Tree::Unary(sign, a) => {
                let op = match *sign {
                    "!" => Unary::Not,
                    "-" => Unary::Minus,
                    _ => Unary::Complement,
                };
                Expr::Unary(op, Box::new(self.expr(a, process)?))
            }
            Tree::Binary(sign, a, b) => {
                let (a, b) = (self.expr(a, process)?, self.expr(b, process)?);
                Expr::Binary(Binary::of(sign), Box::new(a), Box::new(b))
            }
        })
    }

    fn process_of(&self, name: &str, span: Span) -> Result<(usize, &super::parse::Process), Diagnostic> {
        let found = self.file.processes.iter().enumerate().find(|(_, process)| process.name == name);
        found.ok_or_else(|| {
            Diagnostic::error("dve::process", format!("there is no process `{name}`")).at(span, "here")
        })
    }
}

fn shape(named: &Named, what: &str) -> Diagnostic {
    Diagnostic::error("dve::variable", format!("`{}` {what}", named.name)).at(named.span, "here")
}

impl Width {
    fn held(self, value: i128) -> i128 {
        match self {
            Width::Byte => value & 0xff,
            Width::Int => i128::from(value as i16),
        }
    }
}
