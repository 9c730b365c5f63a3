//! [`Test`] → [`Lowered`]: names resolved, instructions translated, nothing left of the syntax.

use crate::arch::extensions::Extensions;
use crate::arch::{self, ArchId, ColumnCx, Isa};
use crate::diag::{Diagnostic, Severity, nearest};
use crate::program::{
    Aligned, Features, Instr, Location, Mixed, Oa, Op, PAGE, Program, Pte, Space, Sym, Thread, Type, Value,
};
use crate::variant::Variant;

use super::ast::{Cell, Code, Column, Const, Init, Loc, Test, Ty};
use super::lower_c::{self, CProgram};
use super::names::{Names, Place, intern};
use super::special::Named;
use super::{Lowered, code, hash, machine, observe, questions, types, variants};
use crate::source::Span;

/// What, besides the test itself, decides how it is read.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Variants besides those of the test's own `Variant=` line.
    pub variants: Vec<Variant>,
    /// Functions of `.def` files, for C.
    pub macros: std::sync::Arc<arch::c::Macros>,
}

/// Lowers a parsed test.
///
/// # Errors
/// Everything that is wrong with it.
pub fn lower(test: &Test, options: &LowerOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let own = variants(test).map_err(|error| vec![error])?;
    let variants: Vec<Variant> = options.variants.iter().copied().chain(own).collect();
    let mut lowering = Lowering {
        test,
        program: Program {
            features: Features::of(&variants),
            ..Program::empty(arch::conventions(test.arch), 64)
        },
        isa: arch::isa(test.arch),
        extensions: Vec::new(),
        diags: Vec::new(),
        addressed: Vec::new(),
    };
    // Where herd7 has no accesses of several sizes the rules are ours.
    let features = &mut lowering.program.features;
    if features.mixed == Mixed::Asked && !matches!(test.arch, ArchId::AArch64 | ArchId::X86_64) {
        features.mixed = Mixed::AsNeeded;
    }
    let in_memory = lowering.isa.filter(|isa| isa.has_code_in_memory());
    if lowering.program.features.ifetch && in_memory.is_none() {
        let message = format!("instruction fetches are not there for {}", test.arch.name());
        let error = Diagnostic::unsupported("variant::unsupported", message);
        lowering.diags.push(error.at(test.name_span, "under `-variant ifetch`"));
    }
    let n_threads = match &test.code {
        Code::Table(table) => table.columns.len(),
        Code::C(_) => 0,
    };
    match machine::setup(test, &variants, n_threads) {
        Ok(setup) => {
            let machine = &mut lowering.program.machine;
            machine.tables = setup.tables;
            machine.squared = setup.squared;
            if setup.tags {
                machine.tags = machine::TAGS.iter().map(|tag| (*tag).to_string()).collect();
            }
            machine.signs = setup.signs;
            lowering.extensions = setup.threads;
        }
        Err(error) => lowering.diags.push(error),
    }
    lowering.symbols_of_init();
    lowering.check_arrays();
    let mut warnings = Vec::new();
    let c = lowering.threads(options, &variants, &mut warnings);
    if !lowering.diags.is_empty() {
        return Err(lowering.diags);
    }
    let mut arrays = lowering.locations(c.as_ref().map_or(&[], |c| &c.globals));
    if let Some(c) = &c {
        arrays.extend(lower_c::cells(test, &c.globals, &mut lowering.program));
    }
    if let Some(isa) = in_memory {
        let wrong = code::cells(test, isa, &lowering.addressed, &lowering.extensions, &mut lowering.program);
        lowering.diags.extend(wrong);
    }
    let (isa, mut program, mut diags) = (lowering.isa, lowering.program, lowering.diags);
    let extensions = lowering.extensions;
    let mut names = Names { isa, program: &mut program, arrays, extensions: &extensions };
    registers(test, &mut names, &mut diags, &mut warnings);
    cell_values(test, &mut names, &mut diags, &mut warnings);
    let observed = observe::observe(test, &mut names, &mut diags);
    let unroll = unroll(test, &mut diags);
    if !diags.is_empty() {
        return Err(diags);
    }
    warnings.extend(questions::questions(test, &mut names));
    if let Some(isa) = in_memory
        && program.features.ifetch
    {
        code::fetched(isa, &mut program, &extensions);
    }
    let hashes = hash::hashes(test, &program, c.as_ref().map(|c| c.functions.as_slice()));
    let s128 = variants.contains(&Variant::S128);
    let mut template = observed.text;
    template.bytes = match test.arch {
        // Values of C are kept wider than herd7 keeps them, but shown as it shows them.
        ArchId::C if !s128 => 4,
        _ => (program.bits / 8) as u8,
    };
    Ok(Lowered {
        name: test.name.clone(),
        arch: test.arch,
        condition: observed.condition,
        filter: observed.filter,
        shown: observed.shown,
        display: observed.display,
        observed: observed.all,
        unroll,
        variants,
        hashes,
        condition_text: template.render(&program, super::Hexa::No),
        condition_template: template,
        scopes: test.scopes.clone(),
        regions: test.regions.clone(),
        warnings,
        program,
    })
}

struct Lowering<'a> {
    test: &'a Test,
    program: Program,
    isa: Option<&'static dyn Isa>,
    /// By thread.
    extensions: Vec<Extensions>,
    diags: Vec<Diagnostic>,
    /// Instructions whose address the code takes.
    addressed: Vec<(usize, usize)>,
}

impl Lowering<'_> {
    /// Names of the initial state become symbols first: their order is that of the test.
    fn symbols_of_init(&mut self) {
        for entry in &self.test.init {
            crate::limits::poll();
            if let Loc::Global(name) | Loc::Cell(name, _) = &entry.loc {
                intern(&mut self.program.symbols, name);
            }
            if let Loc::Special(text) = &entry.loc
                && let Some(named) = Named::parse(text)
            {
                intern(&mut self.program.symbols, named.symbol());
            }
            for value in &entry.values {
                if let Const::Global(name) | Const::Element(name, _) = value {
                    intern(&mut self.program.symbols, name);
                }
                if let Const::Special(text) = value {
                    for name in special_symbols(text) {
                        intern(&mut self.program.symbols, name);
                    }
                }
            }
        }
    }

    /// Arrays of a size that no test has are refused before anything is allocated for them.
    fn check_arrays(&mut self) {
        const MOST: u64 = 1024;
        for entry in &self.test.init {
            crate::limits::poll();
            if matches!(&entry.ty, Ty::Array(_, len) if *len == 0 || *len > MOST) {
                self.diags.push(
                    Diagnostic::error("litmus::array-size", format!("an array has 1 to {MOST} elements"))
                        .at(entry.span, "declared here"),
                );
            }
        }
    }

    /// Translates the code. For C, returns what its text makes besides threads.
    fn threads(
        &mut self,
        options: &LowerOptions,
        variants: &[Variant],
        warnings: &mut Vec<Diagnostic>,
    ) -> Option<CProgram> {
        match (&self.test.code, self.isa) {
            (Code::Table(table), Some(isa)) => {
                self.program.bits = isa.bits();
                for (thread, column) in &table.handlers {
                    if *thread >= table.columns.len() {
                        let message = format!("a fault handler of P{thread}, which is not there");
                        let error = Diagnostic::error("litmus::bad-threads", message);
                        self.diags.push(error.at(column.span, "no such thread"));
                    }
                }
                for (number, column) in table.columns.iter().enumerate() {
                    let handler = table.handlers.iter().find(|(thread, _)| *thread == number);
                    let thread = self.thread(isa, number, column, handler.map(|(_, column)| column));
                    self.program.threads.push(thread);
                }
                None
            }
            (Code::C(region), _) => {
                let macros = &options.macros;
                match lower_c::threads(self.test, region, macros, variants, &mut self.program, warnings) {
                    Ok(program) => Some(program),
                    Err(errors) => {
                        self.diags.extend(errors);
                        None
                    }
                }
            }
            (Code::Table(_), None) => {
                let name = self.test.arch.name();
                self.diags.push(
                    Diagnostic::unsupported(
                        "litmus::unsupported-arch",
                        format!("tests for `{name}` are not supported"),
                    )
                    .at(self.test.name_span, "this test"),
                );
                None
            }
        }
    }

    /// One column of a table, with that of its fault handler: the handler's code follows the thread's own, behind a stop.
    fn thread(&mut self, isa: &dyn Isa, number: usize, column: &Column, handler: Option<&Column>) -> Thread {
        let mut labels = Vec::new();
        let mut length = 0;
        let mut layout = Thread::default();
        let mut count = |column: &Column| {
            for cell in &column.cells {
                labels.extend(cell.labels.iter().map(|(name, _)| (name.clone(), length)));
                let padded = is_alignment(isa, cell) && !layout.address(length).is_multiple_of(PAGE);
                if is_alignment(isa, cell) {
                    layout.aligned.push(Aligned { pc: length, padded, labels: labels.len() });
                }
                length += usize::from(padded || !cell.text.is_empty() && !is_alignment(isa, cell));
            }
            length
        };
        let main = count(column);
        let handler_at = handler.map(|handler| {
            count(&Column { cells: vec![stop_cell(handler.span)], ..handler.clone() });
            count(handler);
            main + 1
        });
        let mut thread = Thread {
            code: Vec::with_capacity(length),
            labels,
            handler: handler_at,
            aligned: layout.aligned,
            annotations: column.annotations.iter().map(|(name, _)| name.clone()).collect(),
            ..Thread::default()
        };
        let mut addressed = Vec::new();
        let mut extensions = self.extensions.get(number).cloned().unwrap_or_default();
        extensions.handler = handler.is_some();
        let stop = handler.map(|handler| stop_cell(handler.span));
        let all = column.cells.iter().chain(&stop).chain(handler.iter().flat_map(|handler| &handler.cells));
        for cell in all.filter(|cell| !cell.text.is_empty()) {
            crate::limits::poll();
            if handler_at == Some(thread.code.len() + 1) {
                thread.code.push(Instr { text: String::new(), span: cell.span, ops: vec![Op::Stop] });
                continue;
            }
            if is_alignment(isa, cell) {
                let pc = thread.code.len();
                if thread.aligned.iter().any(|aligned| aligned.padded && aligned.pc == pc) {
                    if pc + 1 >= length {
                        self.diags.push(no_page(cell.span));
                    }
                    let text = format!("B .+{}", thread.address(pc + 1) - thread.address(pc));
                    thread.code.push(Instr { text, span: cell.span, ops: Vec::new() });
                }
                continue;
            }
            let mut cx = ColumnCx {
                thread: number,
                regs: &mut self.program.regs,
                symbols: &mut self.program.symbols,
                labels: &thread.labels,
                pc: thread.code.len(),
                length,
                features: &self.program.features,
                relative: false,
                addressed: &mut addressed,
                extensions: &extensions,
            };
            match isa.instruction(&mut cx, &cell.text, cell.span) {
                Ok(instruction) => thread.code.push(instruction),
                Err(error) => self.diags.push(misread(error, &cell.text)),
            }
        }
        self.addressed.extend(addressed.into_iter().map(|pc| (number, pc)));
        thread
    }

    /// Memory cells with their types; their values come later, when every array is known.
    /// Those of `elsewhere` are made by others.
    fn locations(&mut self, elsewhere: &[arch::c::Global]) -> Vec<(crate::program::Sym, u64)> {
        let mut arrays = Vec::new();
        for entry in &self.test.init {
            crate::limits::poll();
            let Loc::Global(name) = &entry.loc else { continue };
            let sym = intern(&mut self.program.symbols, name);
            let (ty, declared) = self.declared(entry);
            let cell = |name: String, offset: i64| Location {
                space: Space::Data,
                name,
                sym,
                offset,
                ty,
                declared,
                init: Value::ZERO,
            };
            if let Ty::Array(_, len) = &entry.ty {
                arrays.push((sym, *len));
                let bytes = i64::from(ty.bytes);
                let cells = (0..*len).map(|i| cell(format!("{name}[{i}]"), i as i64 * bytes));
                self.program.locations.extend(cells);
            } else {
                self.program.locations.push(cell(name.clone(), 0));
            }
        }
        for (index, name) in self.program.symbols.iter().enumerate() {
            let sym = crate::program::Sym(index as u16);
            let made = elsewhere.iter().any(|global| global.sym == sym);
            if !made && !self.program.locations.iter().any(|l| l.sym == sym) {
                self.program.locations.push(Location {
                    space: Space::Data,
                    name: name.clone(),
                    sym,
                    offset: 0,
                    ty: Type::INT,
                    declared: false,
                    init: Value::ZERO,
                });
            }
        }
        self.special_cells();
        arrays
    }

    /// Each symbol has a page table entry where there are page tables, and tags where there are tags.
    fn special_cells(&mut self) {
        let program = &mut self.program;
        for index in 0..program.symbols.len() {
            let (sym, name) = (Sym(index as u16), program.symbols[index].clone());
            let cell = |space: Space, name: String, offset: i64, init: Value| Location {
                space,
                name,
                sym,
                offset,
                ty: Type { bytes: 8, signed: false },
                declared: true,
                init,
            };
            if program.machine.tables.is_some() {
                let entry = Value::Pte(Pte::of(Oa::Phys(sym)));
                program.locations.push(cell(Space::Pte, format!("PTE({name})"), 0, entry));
            }
            if program.machine.squared {
                let entry = Value::Pte(Pte { el0: false, ..Pte::of(Oa::Pte(sym)) });
                program.locations.push(cell(Space::Table, format!("PTE(PTE({name}))"), 0, entry));
            }
            if !program.machine.tags.is_empty() {
                let of = program.locations.iter().filter(|l| l.sym == sym && l.space == Space::Data);
                let end = of.map(|l| l.offset + i64::from(l.ty.bytes)).max().unwrap_or(1);
                for granule in 0..(end + 15) / 16 {
                    let shown = match granule {
                        0 => format!("tag({name})"),
                        _ => format!("tag({name}+{})", 16 * granule),
                    };
                    program.locations.push(cell(Space::Tag, shown, 16 * granule, Value::Tag(0)));
                }
            }
        }
    }

    /// The declared type of an entry, and whether it was written.
    fn declared(&mut self, entry: &Init) -> (Type, bool) {
        match declared_type(entry, self.pointer_bytes()) {
            Ok(Some(ty)) => (ty, true),
            Ok(None) => (Type::INT, false),
            Err(error) => {
                self.diags.push(*error);
                (Type::INT, false)
            }
        }
    }

    fn pointer_bytes(&self) -> u8 {
        pointer_bytes(&self.program)
    }
}

fn pointer_bytes(program: &Program) -> u8 {
    (program.bits / 8).min(8) as u8
}

/// What is wrong with an instruction, and what may be behind it.
fn misread(error: Diagnostic, text: &str) -> Diagnostic {
    if text.starts_with('#') {
        error.help(super::text::COMMENTS)
    } else if text.contains('\n') {
        error
            .help("the instruction goes on to the next line: is there a `;` missing at the end of the first?")
    } else {
        error
    }
}

/// The type an entry declares; none: not written.
fn declared_type(entry: &Init, pointer_bytes: u8) -> Result<Option<Type>, Box<Diagnostic>> {
    let pointer = Type { bytes: pointer_bytes, signed: false };
    let name = match &entry.ty {
        Ty::None => return Ok(None),
        Ty::Pointer | Ty::NamedPointer(_) => return Ok(Some(pointer)),
        Ty::Named(name) | Ty::Atomic(name) | Ty::Array(name, _) => name,
    };
    types::named(name, pointer_bytes).map(Some).ok_or_else(|| {
        let error =
            Diagnostic::error("litmus::unknown-type", format!("the size of type `{name}` is not known"))
                .at(entry.ty_span, "not a type of litmus tests");
        Box::new(match nearest(name, types::names()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    })
}

/// Does the code go on with the next page here?
fn is_alignment(isa: &dyn Isa, cell: &Cell) -> bool {
    isa.has_code_in_memory() && cell.text.eq_ignore_ascii_case(".pagealign")
}

fn no_page(span: Span) -> Diagnostic {
    Diagnostic::error("program::no-branch-target", "there is no instruction on the next page")
        .at(span, "the code goes on there")
}

/// What stands between the code of a thread and that of its handler.
fn stop_cell(span: Span) -> Cell {
    Cell { labels: Vec::new(), text: "stop".into(), span }
}

/// Initial values and types of registers.
fn registers(test: &Test, names: &mut Names, diags: &mut Vec<Diagnostic>, warnings: &mut Vec<Diagnostic>) {
    let pointer_bytes = pointer_bytes(names.program);
    for entry in &test.init {
        crate::limits::poll();
        let (threads, name) = match &entry.loc {
            Loc::Reg { thread, name } => (vec![*thread], name.clone()),
            Loc::Symbolic(name) => (users(test, name), format!("%{name}")),
            Loc::Special(text)
                if test.arch == ArchId::AArch64
                    && text.starts_with("pte_")
                    && names.program.machine.tables.is_none() =>
            {
                let message = "without page tables nobody looks at this entry";
                warnings.push(
                    Diagnostic::warning("litmus::no-page-tables", message)
                        .at(entry.span, "left out")
                        .help("page tables come with the variant `vmsa`"),
                );
                continue;
            }
            Loc::Special(text) => {
                if let Err(error) = special_cell(names, text, entry) {
                    diags.push(error);
                }
                continue;
            }
            Loc::Global(_) | Loc::Cell(..) => continue,
        };
        // A register holds what it holds, whatever is said of its size.
        let ty = declared_type(entry, pointer_bytes).or_else(|error| {
            warnings.push(Diagnostic { severity: Severity::Warning, ..*error });
            Ok::<_, Diagnostic>(None)
        });
        let value = match entry.values.first() {
            Some(value) => names.value(value, entry.value_span),
            None => Ok(Value::ZERO),
        };
        let (ty, value) = match (ty, value) {
            (Ok(ty), Ok(value)) => (ty, value),
            (ty, value) => {
                diags.extend(ty.err().into_iter().chain(value.err()));
                continue;
            }
        };
        for thread in threads {
            match names.register(thread, &name, entry.loc_span) {
                Err(error) => diags.push(error),
                Ok(reg) if names.program.init_regs.iter().any(|(t, r, _)| (*t, *r) == (thread, reg)) => {
                    diags.push(
                        Diagnostic::error(
                            "litmus::set-twice",
                            format!(
                                "`{thread}:{}` is initialized more than once",
                                names.program.regs.name(reg)
                            ),
                        )
                        .at(entry.loc_span, "the same register under another name"),
                    );
                }
                Ok(reg) => {
                    names.program.init_regs.push((thread, reg, value));
                    if let Some(ty) = ty {
                        names.program.reg_types.retain(|(t, r, _)| (*t, *r) != (thread, reg));
                        names.program.reg_types.push((thread, reg, ty));
                    }
                }
            }
        }
    }
}

/// The names in a value that is neither number nor plain address.
fn special_symbols(text: &str) -> Vec<&str> {
    if let Some(named) = Named::parse(text) {
        return vec![named.symbol()];
    }
    match text.split_once(':') {
        Some((name, _))
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') =>
        {
            vec![name]
        }
        _ => {
            // `(oa:PA(x), …)`.
            let inner = text.split("PA(").skip(1).chain(text.split("PTE(").skip(1));
            let named = inner.filter_map(|rest| rest.split_once(')')).map(|(name, _)| name.trim());
            let old = text
                .split("phy_")
                .skip(1)
                .filter_map(|rest| rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next());
            named.chain(old).collect()
        }
    }
}

/// The initial value of a page table entry or of a tag.
fn special_cell(names: &mut Names, text: &str, entry: &Init) -> Result<(), Diagnostic> {
    let place = names.special_place(text, entry.loc_span)?;
    let Place::One(crate::condition::Observable::Loc(loc)) = place else { return Ok(()) };
    let own = names.program.locations[loc.0 as usize].sym;
    let Some(value) = entry.values.first() else { return Ok(()) };
    let value = match value {
        Const::Special(text) => names.special_value(text, Some(own), entry.value_span)?,
        value => names.value(value, entry.value_span)?,
    };
    let cell = &mut names.program.locations[loc.0 as usize];
    cell.init = match (cell.space, value) {
        (Space::Pte, Value::Phys { sym, .. }) => Value::Pte(Pte::of(Oa::Phys(sym))),
        (Space::Pte | Space::Table, Value::Pte(_)) | (Space::Tag, Value::Tag(_) | Value::Addr { .. }) => {
            value
        }
        _ => {
            return Err(Diagnostic::error(
                "litmus::bad-entry",
                format!("`{}` cannot start with that value", cell.name),
            )
            .at(entry.value_span, "not a value of this place"));
        }
    };
    Ok(())
}

/// The threads that mention `%name`.
fn users(test: &Test, name: &str) -> Vec<usize> {
    let Code::Table(table) = &test.code else { return Vec::new() };
    let mentions = |text: &str| {
        text.match_indices('%').any(|(at, _)| {
            text[at + 1..].strip_prefix(name).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
            })
        })
    };
    let columns = table.columns.iter().enumerate();
    columns.filter(|(_, c)| c.cells.iter().any(|cell| mentions(&cell.text))).map(|(n, _)| n).collect()
}

/// Initial values of memory cells.
fn cell_values(test: &Test, names: &mut Names, diags: &mut Vec<Diagnostic>, warnings: &mut Vec<Diagnostic>) {
    for entry in &test.init {
        crate::limits::poll();
        let Loc::Global(name) = &entry.loc else { continue };
        let sym = names.symbol(name);
        let data = |l: &Location| l.sym == sym && l.space == Space::Data;
        let Some(first) = names.program.locations.iter().position(data) else { continue };
        for (index, value) in entry.values.iter().enumerate() {
            match names.value(value, entry.value_span) {
                Ok(value) => {
                    let c = names.isa.is_none();
                    let cell = &mut names.program.locations[first + index];
                    // The values of C are wider than any type: a cell holds what its type does.
                    cell.init = if c { cell.ty.truncate(value) } else { value };
                    let bits = 8 * u32::from(cell.ty.bytes);
                    if let (Value::Int(given), Value::Int(held), true) = (value, cell.init, c && bits < 127)
                        && !(-(1i128 << (bits - 1))..1i128 << bits).contains(&given)
                    {
                        let message = format!("{given} does not fit into the {bits} bits of `{}`", cell.name);
                        warnings.push(
                            Diagnostic::warning("litmus::too-large-value", message)
                                .at(entry.value_span, format!("taken as {held}")),
                        );
                    }
                }
                Err(error) => diags.push(error),
            }
        }
    }
}

/// `Unroll=n`.
fn unroll(test: &Test, diags: &mut Vec<Diagnostic>) -> Option<u32> {
    let info = test.info("Unroll")?;
    let number = info.value.trim().parse().ok();
    if number.is_none() {
        let error =
            Diagnostic::error("litmus::bad-info", "`Unroll` takes a number").at(info.span, "not a number");
        diags.push(error);
    }
    number
}
