//! From the typed tree to micro-ops: calls are inlined, locals are registers where they can be, each access is an instruction.

mod awaits;
mod builtin;
mod bytes;
mod call;
mod code;
mod condition;
mod escape;
mod expr;
mod library;
mod machine;
mod nondet;
mod place;
mod sizes;
mod stmt;
mod supposed;
mod switch;
mod value;

pub use machine::Machine;
pub use nondet::not_all;
pub(super) use supposed::refused;

use std::collections::HashMap;

use super::tree::{Expr, ExprKind, Life, Unit};
use super::types::Ty;
use crate::arch::ArchId;
use crate::arch::c::lower::BITS;
use crate::diag::Diagnostic;
use crate::program::shapes::Shapes;
use crate::program::{AccessSize, Location, Program, Reg, Start, Sym, Value};
use crate::source::{Sources, Span};

use code::{Code, Label, Ops};
use value::Rv;

/// What the translation depends on besides the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How deep a function may call itself.
    pub recursion: usize,
    /// What the memory orders of C11 become.
    pub orders: Orders,
    /// Try a few values of numbers of any value, where all are too many? If not, such a number is refused.
    pub samples: bool,
    /// Is a variable that nothing was written to no number? If not, it is 0.
    pub uninitialised: bool,
    /// Is the end of a loop's pass to say whether it changed anything? For models under which the engine does not see that by itself.
    pub marks_waits: bool,
}

/// What the memory orders of C11 become.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Orders {
    /// Sets that the model knows.
    #[default]
    Sets,
    /// Likewise, of a model that looks at dependencies: conditions make branches.
    Dependent,
    /// Sets, and the fences that a compiler puts beside the access on a machine that keeps reads in order with what follows them, and lets
    /// writes wait (SC, TSO, PSO).
    Fences,
    /// What a compiler makes of them on a machine that keeps dependencies, or the kernel.
    Machine(Machine),
}

impl Orders {
    /// The machine, if it is one.
    fn machine(self) -> Option<Machine> {
        match self {
            Orders::Machine(machine) => Some(machine),
            _ => None,
        }
    }
}

/// More instructions than this: functions that call each other blow up when they are inlined.
const MAX_INSTRUCTIONS: usize = 100_000;

/// Translates a program. `main` starts alone. Memory that is accessed in several sizes is made as it is known to be needed.
///
/// # Errors
/// What cannot be translated, each once.
pub fn lower(
    mut unit: Unit,
    sources: &Sources,
    options: Options,
    shapes: &Shapes,
) -> Result<Program, Vec<Diagnostic>> {
    escape::mark(&mut unit);
    let mut cx = Lowering {
        unit: &unit,
        sources,
        options,
        shapes,
        within: false,
        program: Program::empty(crate::arch::conventions(ArchId::C), BITS),
        statics: HashMap::new(),
        functions: HashMap::new(),
        resolving: Vec::new(),
        codes: Vec::new(),
        code: Code::default(),
        frames: Vec::new(),
        own: HashMap::new(),
        loops: 0,
        waiting: Vec::new(),
        thread_result: Reg(0),
        lenient: None,
        may_race: false,
        floating: None,
        is_main: true,
        own_handle: Reg(0),
        nondet: nondet::choices(&unit),
        errors: Vec::new(),
    };
    let Some(main) = unit.functions.iter().position(|f| f.name == "main" && f.body.is_some()) else {
        return Err(vec![
            Diagnostic::error("c::no-main", "this program has no `main`")
                .help("a litmus test in C starts with a line `C name`; `litmus run` takes those"),
        ]);
    };
    cx.codes.push(main);
    let mut most = 0;
    let mut at = 0;
    while at < cx.codes.len() {
        let start = if at == 0 { Start::Alone } else { Start::Spawned };
        match cx.thread(cx.codes[at], start) {
            Ok(used) => most = most.max(used),
            Err(diagnostic) => cx.errors.push(diagnostic),
        }
        if cx.errors.len() > 50 {
            break;
        }
        at += 1;
    }
    for n in 0..most {
        cx.program.regs.intern(&format!("r{n}"));
    }
    let Lowering { program, mut errors, .. } = cx;
    match errors.is_empty() {
        true => Ok(program),
        false => {
            let mut seen = Vec::new();
            errors.retain(|d| {
                let key = (d.code, d.labels.first().map(|l| l.0));
                let new = !seen.contains(&key);
                seen.push(key);
                new
            });
            Err(errors)
        }
    }
}

/// The register in which a thread finds its own handle: after its parameters and its result.
fn own_handle(params: usize) -> Reg {
    Reg(params as u16 + 1)
}

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Register(Reg),
    /// In memory; the register holds its address.
    Memory(Reg),
}

/// A function being inlined.
struct Frame {
    function: usize,
    slots: HashMap<usize, Slot>,
    /// Where `return` goes.
    end: Label,
    /// Where the result goes: a register, or for structures one that holds the address of an object.
    result: Option<Reg>,
    labels: HashMap<String, Label>,
    /// Jumps to labels, and where they are.
    gotos: Vec<(String, Span)>,
    /// Where `break` and `continue` go, and how much there is to be done when the block there is left.
    breaks: Vec<(Label, usize)>,
    continues: Vec<(Label, usize)>,
    /// What is done when the blocks around are left, the innermost last.
    cleanups: Vec<Expr>,
    /// Of each label: how much of that there is where it stands.
    depths: HashMap<String, usize>,
    /// Labels of the `switch` being translated, those of the next `case` last.
    cases: Vec<Vec<Label>>,
    /// Where it was called.
    site: Span,
    /// The address of the arguments beyond its parameters.
    varargs: Option<Reg>,
    /// Objects whose life ends with the function: the registers that hold their addresses, or 0.
    ends: HashMap<usize, Reg>,
}

struct Lowering<'a> {
    unit: &'a Unit,
    sources: &'a Sources,
    options: Options,
    shapes: &'a Shapes,
    /// Are accesses to a cell made of which only a part is wanted?
    within: bool,
    program: Program,
    /// Symbols of static variables.
    statics: HashMap<usize, Sym>,
    /// Symbols of functions whose address is used.
    functions: HashMap<usize, Sym>,
    /// Functions that threads run, in the order of `Program::threads`.
    codes: Vec<usize>,
    code: Code,
    frames: Vec<Frame>,
    /// Thread-local variables of the thread being translated.
    own: HashMap<usize, Slot>,
    loops: u32,
    /// Of each loop around that may turn out to wait: the register that says whether this pass wrote.
    waiting: Vec<Reg>,
    /// Where the result of the thread being translated goes.
    thread_result: Reg,
    /// The set of accesses to what need not have been written, while such accesses are made.
    lenient: Option<&'static str>,
    /// Are accesses being made whose races the program knows of?
    may_race: bool,
    /// The size of the floating-point number that is being accessed, and the set of such accesses.
    floating: Option<(AccessSize, &'static str)>,
    /// Is it `main`?
    is_main: bool,
    /// Where the thread being translated finds its own handle.
    own_handle: Reg,
    /// The values that are tried for integers of any value, by place.
    nondet: HashMap<Span, Vec<i128>>,
    errors: Vec<Diagnostic>,
    /// Static variables whose initial values are being computed.
    resolving: Vec<usize>,
}

impl Lowering<'_> {
    /// The code of one thread; gives the number of registers it needs.
    fn thread(&mut self, function: usize, start: Start) -> Result<u16, Diagnostic> {
        self.code = Code::default();
        self.is_main = start == Start::Alone;
        self.own.clear();
        self.frames.clear();
        let f = &self.unit.functions[function];
        let span = f.span;
        // Arguments arrive in the first registers.
        let incoming =
            f.params.iter().map(|_| self.code.reg(span)).collect::<Result<Vec<Reg>, Diagnostic>>()?;
        let result = self.code.reg(span)?;
        self.thread_result = result;
        self.own_handle = self.code.reg(span)?;
        if start == Start::Alone {
            self.program.init_regs.push((0, self.own_handle, Value::Int(1)));
            self.command_line(&incoming, span)?;
        }
        for (id, variable) in self.unit.variables.iter().enumerate() {
            if variable.life == Life::Thread {
                let slot = self.new_slot(id)?;
                self.own.insert(id, slot);
                self.bring_to_life(id, slot, true)?;
            }
        }
        let args = incoming.into_iter().map(Rv::Reg).collect();
        let value = self.inline(function, args, span)?;
        if f.result.is_scalar() {
            self.write(result, &value, span);
        }
        // The end of `main` is the end of the program: nothing of its own is tidied up.
        if start == Start::Spawned {
            self.finish_keys(span)?;
        }
        let code = std::mem::take(&mut self.code);
        let most = code.most;
        self.program.threads.push(code.finish(Some(result), start));
        Ok(most)
    }

    /// `argc` and `argv`: the name of the program, and no more.
    fn command_line(&mut self, params: &[Reg], span: Span) -> Result<(), Diagnostic> {
        let Some(count) = params.first() else { return Ok(()) };
        self.program.init_regs.push((0, *count, Value::ONE));
        let Some(words) = params.get(1) else { return Ok(()) };
        let (name, all) = (self.symbol("name of the program", span)?, self.symbol("argv", span)?);
        let (char, pointer) = (Ty::CHAR.cell(), Ty::ULONG.cell());
        for (sym, offset, ty, init) in [
            (name, 0, char, Value::Int(i128::from(b'p'))),
            (name, 1, char, Value::ZERO),
            (all, 0, pointer, Value::Addr { sym: name, offset: 0 }),
            (all, 8, pointer, Value::ZERO),
        ] {
            let name =
                format!("{}[{}]", self.program.symbols[usize::from(sym.0)], offset / i64::from(ty.bytes));
            let space = Default::default();
            self.program.locations.push(Location { space, name, sym, offset, ty, declared: true, init });
        }
        self.program.init_regs.push((0, *words, Value::Addr { sym: all, offset: 0 }));
        Ok(())
    }

    /// The destructors of a thread's values of keys.
    fn finish_keys(&mut self, span: Span) -> Result<(), Diagnostic> {
        let finish = self.unit.functions.iter().position(|f| f.name == "__pthread_finish");
        if let Some(finish) = finish
            && call::calls(self.unit, "pthread_setspecific")
        {
            self.inline(finish, Vec::new(), span)?;
        }
        Ok(())
    }

    /// The text under a span, on one line.
    fn text(&self, span: Span) -> String {
        let text = self.sources.text(span);
        let mut words = text.split_whitespace();
        let mut line = words.next().unwrap_or("").to_string();
        for word in words {
            line.push(' ');
            line.push_str(word);
            if line.len() > 200 {
                line.push('…');
                break;
            }
        }
        line
    }

    /// The place that an instruction is shown at. What a header of ours does is done where it is called.
    fn shown(&self, span: Span) -> Span {
        let ours = |span: Span| self.sources.get(span.source).name.starts_with('<');
        let mut span = span;
        for frame in self.frames.iter().rev() {
            if !ours(span) {
                break;
            }
            span = frame.site;
        }
        span
    }

    /// Ends an instruction.
    fn emit(&mut self, ops: Ops, span: Span) {
        let span = self.shown(span);
        let text = self.text(span);
        self.code.push(ops, text, span);
    }

    fn write(&mut self, reg: Reg, value: &Rv, span: Span) {
        if *value == Rv::Reg(reg) {
            return;
        }
        let mut ops = Ops::default();
        let tmp = ops.value(value, Default::default());
        ops.write(reg, tmp);
        self.emit(ops, span);
    }

    /// A value that stays what it is, whatever happens to variables.
    fn kept(&mut self, value: Rv, span: Span) -> Result<Rv, Diagnostic> {
        if value.known().is_some() {
            return Ok(value);
        }
        let reg = self.code.reg(span)?;
        self.write(reg, &value, span);
        Ok(Rv::Reg(reg))
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("inside a function")
    }

    fn fresh_loop(&mut self) -> u32 {
        self.loops += 1;
        self.loops
    }

    fn symbol(&mut self, name: &str, span: Span) -> Result<Sym, Diagnostic> {
        // Two variables of one name are two symbols.
        let taken = self.program.symbols.iter().filter(|s| s.split('#').next() == Some(name)).count();
        let name = if taken > 0 { format!("{name}#{taken}") } else { name.to_string() };
        let index = u16::try_from(self.program.symbols.len()).ok().filter(|n| *n < u16::MAX / 2);
        let Some(index) = index else {
            return Err(
                Diagnostic::unsupported("c::too-large", "this program has too many objects").at(span, "here")
            );
        };
        self.program.symbols.push(name);
        Ok(Sym(index))
    }

    /// The symbol of a static variable; its cells are made when it is first met.
    fn static_symbol(&mut self, id: usize) -> Result<Sym, Diagnostic> {
        if let Some(sym) = self.statics.get(&id) {
            return Ok(*sym);
        }
        let variable = &self.unit.variables[id];
        let sym = self.symbol(&variable.name, variable.span)?;
        self.statics.insert(id, sym);
        let leaves = sizes::cells(variable.ty.leaves(&self.unit.records), &self.unit.records, {
            let name = &self.program.symbols[usize::from(sym.0)];
            self.shapes.cells(name)
        });
        if self.program.locations.len() + leaves.len() > usize::from(u16::MAX) {
            return Err(Diagnostic::unsupported("c::too-large", "this program has too many memory cells")
                .at(variable.span, "here"));
        }
        let first = self.program.locations.len();
        for (leaf, pinned) in leaves {
            if pinned {
                self.program.pinned.push((sym, leaf.offset as i64));
            }
            self.program.locations.push(Location {
                space: Default::default(),
                name: format!("{}{}", self.program.symbols[usize::from(sym.0)], leaf.path),
                sym,
                offset: leaf.offset as i64,
                ty: leaf.ty.cell(),
                declared: true,
                init: Value::ZERO,
            });
        }
        for part in variable.init.iter().flatten() {
            let value = self.constant(&part.value)?;
            let size = self.size(part.ty.plain()) as u8;
            let cells = self.program.locations[first..].iter_mut().filter(|cell| cell.sym == sym);
            sizes::start_with(cells, part, value, size);
        }
        Ok(sym)
    }

    fn function_symbol(&mut self, id: usize) -> Result<Sym, Diagnostic> {
        if let Some(sym) = self.functions.get(&id) {
            return Ok(*sym);
        }
        let function = &self.unit.functions[id];
        let sym = self.symbol(&format!("{}()", function.name), function.span)?;
        self.functions.insert(id, sym);
        Ok(sym)
    }

    /// The initial value of a static variable.
    fn constant(&mut self, e: &Expr) -> Result<Value, Diagnostic> {
        let none = || {
            Diagnostic::error("c::constant", "a static variable starts with a constant").at(e.span, "not one")
        };
        let rv = self.constant_rv(e)?.ok_or_else(none)?;
        rv.known().ok_or_else(none)
    }

    fn constant_rv(&mut self, e: &Expr) -> Result<Option<Rv>, Diagnostic> {
        Ok(Some(match &e.kind {
            ExprKind::Int(n) => Rv::int(*n),
            ExprKind::Function(id) => Rv::Const(Value::addr(self.function_symbol(*id)?)),
            ExprKind::AddressOf(inner) => match self.constant_address(inner)? {
                Some(address) => address,
                None => return Ok(None),
            },
            ExprKind::Cast(inner) => match self.constant_rv(inner)? {
                Some(value) => expr::converted(value, &inner.ty, &e.ty),
                None => return Ok(None),
            },
            ExprKind::Binary(op, a, b) => {
                let (Some(a_value), Some(b_value)) = (self.constant_rv(a)?, self.constant_rv(b)?) else {
                    return Ok(None);
                };
                let work = a.ty.clone();
                expr::arithmetic(*op, a_value, b_value, &work)
            }
            ExprKind::Neg(a) => match self.constant_rv(a)? {
                Some(a) => expr::negated(a, &e.ty),
                None => return Ok(None),
            },
            ExprKind::Conditional(c, a, b) => match self.constant_rv(c)?.and_then(|c| c.known()) {
                Some(c) => return self.constant_rv(if c == Value::ZERO { b } else { a }),
                None => return Ok(None),
            },
            // A constant object, as compilers allow.
            ExprKind::Var(id) if self.unit.variables[*id].ty.is_scalar() => {
                match self.unit.variables[*id].init.as_deref() {
                    // One that starts with itself starts with nothing.
                    Some([part]) if !self.resolving.contains(id) => {
                        self.resolving.push(*id);
                        let value = self.constant_rv(&part.value);
                        self.resolving.pop();
                        return value;
                    }
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        }))
    }

    fn constant_address(&mut self, e: &Expr) -> Result<Option<Rv>, Diagnostic> {
        Ok(match &e.kind {
            ExprKind::Var(id) if self.unit.variables[*id].life == Life::Static => {
                Some(Rv::Const(Value::addr(self.static_symbol(*id)?)))
            }
            ExprKind::Member(inner, offset, None) => self
                .constant_address(inner)?
                .map(|base| Rv::binary(crate::program::BinOp::Add, base, Rv::int(i128::from(*offset)))),
            ExprKind::Deref(pointer) => self.constant_rv(pointer)?,
            _ => None,
        })
    }

    fn size(&self, ty: &Ty) -> u64 {
        ty.size(&self.unit.records).unwrap_or(0)
    }
}
