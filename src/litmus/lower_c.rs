//! C programs: the threads of a C test, and the cells that its text makes.

use crate::arch::c::{self, Global, KernelVersion, Macros, Origin};
use crate::diag::{Diagnostic, Diagnostics, Severity};
use crate::program::{Location, Program, Space, Sym, Type, Value};
use crate::variant::Variant;

use super::ast::{Loc, Region, Test, Ty};

/// A C program, translated; cells are made later.
pub struct CProgram {
    /// For each thread, the text that is hashed.
    pub functions: Vec<String>,
    /// Globals that the program text makes.
    pub globals: Vec<Global>,
}

/// Translates the functions of a C test into `program`. What is only worth a warning goes to `warnings`.
///
/// # Errors
/// Everything that is wrong with the program.
pub fn threads(
    test: &Test,
    region: &Region,
    macros: &Macros,
    variants: &[Variant],
    program: &mut Program,
    warnings: &mut Vec<Diagnostic>,
) -> Result<CProgram, Vec<Diagnostic>> {
    program.bits = c::BITS;
    let v2 = variants.contains(&Variant::LkmmV2);
    let kernel = if v2 { KernelVersion::V2 } else { KernelVersion::V1 };
    let preset = |wanted: usize, register: &str| {
        test.init.iter().any(
            |entry| matches!(&entry.loc, Loc::Reg { thread, name } if *thread == wanted && name == register),
        )
    };
    let tables = c::Tables { regs: &mut program.regs, symbols: &mut program.symbols, preset: &preset };
    let options = c::Options { macros, kernel };
    let mut diags = Diagnostics::new();
    let result = c::lower_threads(&region.text, region.span, options, tables, &mut diags);
    let Ok(lowered) = result else { return Err(diags.take()) };
    warnings.extend(diags.take().into_iter().filter(|d| d.severity != Severity::Error));
    program.threads = lowered.threads;
    program.init_regs = lowered.init_regs;
    // What states print of a local: pointers and narrow types print alike whatever their type says.
    let telling = |ty: &Type| ty.bytes > 4 || (ty.bytes == 4 && !ty.signed);
    program.reg_types = lowered.reg_types.into_iter().filter(|(_, _, ty)| telling(ty)).collect();
    Ok(CProgram { functions: lowered.hash_cells, globals: lowered.globals })
}

/// Makes the cells of globals that the initial state does not have, and gives those that it leaves untyped the type that
/// the program uses them with. Returns the arrays made.
pub fn cells(test: &Test, globals: &[Global], program: &mut Program) -> Vec<(Sym, u64)> {
    let mut arrays = Vec::new();
    for global in globals {
        let known =
            test.init.iter().find(|entry| matches!(&entry.loc, Loc::Global(name) if *name == global.name));
        if let Some(entry) = known {
            if entry.ty == Ty::None {
                let cells = program.locations.iter_mut().filter(|cell| cell.sym == global.sym);
                cells.for_each(|cell| cell.ty = global.ty);
            }
            continue;
        }
        let value = |index: usize| global.init.get(index).copied().unwrap_or(Value::ZERO);
        let declared = global.origin != Origin::Parameter;
        let cell = |name: String, index: usize| Location {
            space: Space::Data,
            name,
            sym: global.sym,
            offset: index as i64 * i64::from(global.ty.bytes),
            ty: global.ty,
            declared,
            init: value(index),
        };
        match global.elements {
            None => program.locations.push(cell(global.name.clone(), 0)),
            Some(length) => {
                arrays.push((global.sym, length as u64));
                let cells = (0..length).map(|index| cell(format!("{}[{index}]", global.name), index));
                program.locations.extend(cells);
            }
        }
    }
    arrays
}

/// The name of the cell that holds a local whose address is taken, or that is an array.
pub fn local_cell(thread: usize, name: &str) -> String {
    format!("{thread}:{name}")
}

/// The thread and name of such a cell.
pub fn local_of(cell: &str) -> Option<(u16, &str)> {
    let (thread, name) = cell.split_once(':')?;
    Some((thread.parse().ok()?, name))
}
