//! From the syntax tree to micro-ops.
//!
//! Each statement becomes one instruction (more, if it has control flow inside), with the events that herd7 gives it:
//! operands of an expression are evaluated in no particular order, locals are registers, and only the branches of an `if`
//! or a loop are under the control of its condition. After this, no name, macro or helper function is left.

mod analysis;
mod atomics;
mod calls;
mod code;
mod expr;
mod hoist;
mod kernel;
mod scope;
mod stmt;

use super::ast::{Declarator, Init, ThreadFn, Unit};
use super::macros::Macros;
use super::types::CType;
use crate::diag::{Diagnostic, Diagnostics, Reported};
use crate::program::{Reg, RegTable, Sym, Thread, Type, Value};
use crate::source::Span;

use code::Code;
use scope::{Scopes, Variable};

/// Width of every value: wide enough to hold each C type exactly, so that conversions are always written out.
pub const BITS: u32 = 128;

/// How kernel read-modify-writes are represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KernelVersion {
    /// `lkmmv1`: an operation annotated `mb` is enclosed in fences.
    #[default]
    V1,
    /// `lkmmv2`: annotations stay on the accesses; the model makes of them what it will.
    V2,
}

/// What the translation depends on, besides the text of the test.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The functions of `.def` files.
    pub macros: &'a Macros,
    /// `lkmmv1` or `lkmmv2`.
    pub kernel: KernelVersion,
}

/// Where a global comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A parameter of a thread names it.
    Parameter,
    /// It is declared outside every function.
    Declared,
    /// It is a local of a thread that lives in memory (its address is taken, or it is an array). Conditions name
    /// it as `thread:name`.
    Local {
        /// The thread.
        thread: usize,
        /// The name.
        name: String,
    },
}

/// A global that the program text makes; the initial state may say more about it.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its symbol.
    pub sym: Sym,
    /// Its name.
    pub name: String,
    /// Type of the cell, or of each element.
    pub ty: Type,
    /// Number of elements, for an array.
    pub elements: Option<usize>,
    /// Initial values given in the program; the rest is 0.
    pub init: Vec<Value>,
    /// Where it comes from.
    pub origin: Origin,
    /// Where it is named first.
    pub span: Span,
}

/// The threads of a C test, translated.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The threads.
    pub threads: Vec<Thread>,
    /// Globals, each once.
    pub globals: Vec<Global>,
    /// Registers that start with the address of a global: the parameters.
    pub init_regs: Vec<(usize, Reg, Value)>,
    /// Declared types of locals.
    pub reg_types: Vec<(usize, Reg, Type)>,
    /// For each thread, the text that herd7 hashes.
    pub hash_cells: Vec<String>,
}

/// The tables of the test that the translation adds to.
pub struct Tables<'a> {
    /// Register names.
    pub regs: &'a mut RegTable,
    /// Names of globals.
    pub symbols: &'a mut Vec<String>,
    /// Is that register of that thread given a value by the initial state?
    pub preset: &'a dyn Fn(usize, &str) -> bool,
}

/// Translates all threads.
///
/// # Errors
/// Every problem is reported, not only the first.
pub fn lower(
    unit: &Unit,
    text: &str,
    region: Span,
    options: Options,
    tables: Tables,
    diags: &mut Diagnostics,
) -> Result<Lowered, Reported> {
    let mut cx = Lowering {
        unit,
        text,
        region,
        options,
        tables,
        diags,
        result: Lowered::default(),
        thread: 0,
        code: Code::default(),
        scopes: Scopes::default(),
        inlined: Vec::new(),
        expansions: 0,
        fresh: 0,
        maybe_unused: false,
        warned_of_plain: false,
        reported: None,
    };
    cx.declared_globals();
    for thread in &unit.threads {
        cx.thread(thread);
    }
    match cx.reported {
        Some(reported) => Err(reported),
        None => Ok(cx.result),
    }
}

/// The state of a translation.
struct Lowering<'a> {
    unit: &'a Unit,
    text: &'a str,
    region: Span,
    options: Options<'a>,
    tables: Tables<'a>,
    diags: &'a mut Diagnostics,
    result: Lowered,
    /// The thread being translated.
    thread: usize,
    code: Code,
    scopes: Scopes,
    /// Helper functions being inlined, innermost last.
    inlined: Vec<calls::Inlined>,
    /// Macros being expanded inside each other.
    expansions: u32,
    /// Source of numbers for hidden registers, loops and saved controls.
    fresh: u32,
    /// Is the expression being translated evaluated although C may not ask for it (the right operand of `&&`)?
    maybe_unused: bool,
    /// Has it been said that a plain access of an atomic object is taken as non-atomic? Once is enough: such a test does it everywhere.
    warned_of_plain: bool,
    /// Set by the first error.
    reported: Option<Reported>,
}

impl Lowering<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.reported = Some(self.diags.error(diagnostic));
    }

    fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    /// The text under a span of the test, on one line.
    fn text_of(&self, span: Span) -> String {
        if span.source != self.region.source {
            return String::new();
        }
        let from = span.start.saturating_sub(self.region.start) as usize;
        let to = span.end.saturating_sub(self.region.start) as usize;
        let text = self.text.get(from..to).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The symbol of a global; new ones are recorded.
    fn global(&mut self, name: &str, ty: &CType, origin: Origin, span: Span) -> Sym {
        let position = self.tables.symbols.iter().position(|symbol| symbol == name);
        let sym = Sym(position.unwrap_or_else(|| {
            self.tables.symbols.push(name.to_string());
            self.tables.symbols.len() - 1
        }) as u16);
        if !self.result.globals.iter().any(|global| global.sym == sym) {
            let elements = match ty {
                CType::Array(_, n) => Some(*n),
                _ => None,
            };
            self.result.globals.push(Global {
                sym,
                name: name.to_string(),
                ty: ty.cell(),
                elements,
                init: Vec::new(),
                origin,
                span,
            });
        }
        sym
    }

    /// `int x = 1;` outside every function.
    fn declared_globals(&mut self) {
        for declarator in &self.unit.globals {
            let sym = self.global(&declarator.name, &declarator.ty, Origin::Declared, declarator.span);
            self.scopes.add_global(&declarator.name, Variable::Memory { sym, ty: declarator.ty.clone() });
            match self.constant_init(declarator) {
                Ok(init) => {
                    if let Some(global) = self.result.globals.iter_mut().find(|g| g.sym == sym) {
                        global.init = init;
                    }
                }
                Err(diagnostic) => self.report(diagnostic),
            }
        }
    }

    /// The values that a declaration gives, all constants.
    fn constant_init(&self, declarator: &Declarator) -> Result<Vec<Value>, Diagnostic> {
        let list: Vec<_> = match &declarator.init {
            None => return Ok(Vec::new()),
            Some(Init::Value(value)) => vec![value],
            Some(Init::List(list, span)) => {
                fits(&declarator.ty, list.len(), *span)?;
                list.iter().collect()
            }
        };
        let ty = match &declarator.ty {
            CType::Array(element, _) => element,
            other => other,
        };
        let boolean = ty.as_int().is_some_and(|int| int.boolean);
        list.into_iter()
            .map(|e| match self.constant(e) {
                Some(value) if boolean => Ok(Value::Int(i128::from(value != Value::ZERO))),
                Some(value) => Ok(ty.cell().truncate(value)),
                None => Err(Diagnostic::unsupported("c::constant", "this initial value is not a constant")
                    .at(e.span, "neither a number nor `&global`")),
            })
            .collect()
    }

    fn thread(&mut self, thread: &ThreadFn) {
        self.thread = thread.index;
        // Threads with the same text become the same code.
        self.fresh = 0;
        self.code = Code::default();
        let facts = analysis::function(&thread.body);
        self.scopes.enter_function(facts, None);
        for param in &thread.params {
            let target = param.ty.target().cloned().unwrap_or(CType::INT);
            let sym = self.global(&param.name, &target, Origin::Parameter, param.span);
            let reg = self.tables.regs.intern(&param.name);
            self.result.init_regs.push((thread.index, reg, Value::addr(sym)));
            let variable = if self.scopes.facts().assigned.contains(&param.name) {
                Variable::Register { reg, ty: param.ty.clone() }
            } else {
                Variable::Address { sym, ty: param.ty.clone() }
            };
            self.scopes.declare(&param.name, variable, param.span);
            if self.scopes.facts().address_taken.contains(&param.name) {
                self.report(
                    Diagnostic::unsupported("c::address-of-parameter", format!("`&{}`", param.name))
                        .at(param.span, "the address of a parameter is not supported")
                        .help(format!("`{}` itself is the address of the global", param.name)),
                );
            }
        }
        self.function_body(&thread.body);
        self.scopes.leave_function();
        let types = self.scopes.take_types();
        self.result.reg_types.extend(types.into_iter().map(|(reg, ty)| (thread.index, reg, ty)));
        match std::mem::take(&mut self.code).finish() {
            Ok(code) => self.result.threads.push(code),
            Err(diagnostic) => self.report(diagnostic),
        }
        let params: Vec<String> =
            thread.params.iter().map(|p| format!("{} {}", p.type_text, p.name)).collect();
        let from = thread.body_span.start.saturating_sub(self.region.start) as usize;
        let to = thread.body_span.end.saturating_sub(self.region.start) as usize;
        let body = self.text.get(from..to).unwrap_or("");
        self.result.hash_cells.push(format!("P{}({}) {{\n{body}\n}}\n", thread.index, params.join(", ")));
    }
}

/// Does a type take a list of so many values?
fn fits(ty: &CType, values: usize, list: Span) -> Result<(), Diagnostic> {
    let length = match ty {
        CType::Array(_, length) => *length,
        // A single value may stand in braces.
        _ if values == 1 => 1,
        _ => {
            return Err(
                Diagnostic::error("c::array", "only an array takes a list of values").at(list, "here")
            );
        }
    };
    if values > length {
        let message = format!("{values} values for {length} elements");
        return Err(Diagnostic::error("c::array", message).at(list, "too many"));
    }
    Ok(())
}
