//! `litmus compile`: C tests as assembly tests.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::diag::nearest;
use crate::limits;
use crate::mapping::{Mapping, NAMES};
use crate::session::Session;

use super::args::{Reading, Tests};
use super::console::Console;
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, tests_arg};

#[derive(Args, Debug)]
pub struct CompileArgs {
    #[command(flatten)]
    pub tests: Tests,
    /// The mapping: x86, aarch64, aarch64-rcpc, armv7, ppc, ppc-trailing, riscv; with -rc11 at the end (not x86): for RC11
    #[arg(long, value_name = "TARGET", required_unless_present = "mapping")]
    pub to: Option<String>,
    /// A mapping file of your own
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// The mapping that a name or a file stands for. With both the file is meant, and must be for the machine of the name.
pub(super) fn mapping(name: Option<&str>, file: Option<&PathBuf>) -> Result<Option<Mapping>, Stop> {
    let known = name.map(library).transpose()?;
    let Some(file) = file else { return Ok(known) };
    let shown = file.display();
    let bytes = limits::read_file(file, limits::MAX_TEXT)
        .map_err(|error| Stop::Usage(format!("cannot read the mapping `{shown}`: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let stem = file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let own =
        Mapping::parse(&stem, &text).map_err(|why| Stop::Usage(format!("the mapping `{shown}`, {why}")))?;
    match known {
        Some(known) if known.target != own.target => {
            let (wanted, is) = (known.target.name(), own.target.name());
            let name = known.name;
            Err(Stop::Usage(format!("the mapping `{shown}` is for {is}, and `{name}` asks for {wanted}")))
        }
        _ => Ok(Some(own)),
    }
}

/// One of ours.
fn library(name: &str) -> Result<Mapping, Stop> {
    Mapping::library(name).ok_or_else(|| {
        let hint = nearest(name, NAMES).map_or(String::new(), |near| format!(", did you mean {near}?"));
        let known = NAMES.join(", ");
        Stop::Usage(format!("there is no mapping `{name}`{hint} (there are {known}; --mapping takes a file)"))
    })
}

/// Compiles tests.
pub fn compile(
    args: &CompileArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { settings, .. } = plan::reading(&args.reading)?;
    let mapping = mapping(args.to.as_deref(), args.mapping.as_ref())?
        .ok_or_else(|| Stop::Usage("--to TARGET or --mapping FILE is needed".to_string()))?;
    let (inputs, errors) = tests_arg::collect(&args.tests.tests);
    let mut exit = if errors.is_empty() { Exit::Success } else { Exit::BadInput };
    for message in errors {
        let _ = writeln!(err, "error: {message}");
    }
    let session = Session::new(settings);
    for (number, input) in inputs.iter().enumerate() {
        match session.compile(input, &mapping) {
            Ok(compiled) => {
                if number > 0 {
                    writeln!(out)?;
                }
                write!(out, "{}", compiled.text)?;
            }
            Err(report) => {
                let _ = err.write_all(console.diagnostics(&report).as_bytes());
                if exit != Exit::BadInput {
                    exit = Exit::of_report(&report);
                }
            }
        }
    }
    Ok(exit)
}
