//! `litmus fence`: the cheapest changes that make a property hold.

use std::io::Write;

use clap::{Args, ValueEnum};

use crate::arch::c::preprocess;
use crate::diag::Class;
use crate::machine::Options;
use crate::report::fence::{FenceRecord, Told, atomic, patch, text};
use crate::report::trace::Teller;
use crate::session::{Changes, Fenced, Goal, Input, Session};
use crate::synth::{Ended, Wanted, vocabulary};

use super::args::{Bounds, Reading};
use super::console::{Console, interrupt_flag};
use super::ltl::{fairness, machine_options};
use super::machine_args::{AtomicArg, FairArg, MachineArg};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop};

// The arguments.
#[derive(Args, Debug)]
pub struct FenceArgs {
    /// The program: a test, a C file, or a system of processes in DVE
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The model: a file, or the name of one of ours [default: that of the test's architecture]
    #[arg(short, long = "model", value_name = "MODEL", add = super::complete::models())]
    pub model: Option<String>,
    /// What is to hold: condition (no execution decides it), robust (no execution but those of --against), assert (of a C program), or a
    /// formula as `litmus ltl` has them [default: condition, of a C program assert]
    #[arg(long = "for", value_name = "PROPERTY", allow_hyphen_values = true)]
    pub property: Option<String>,
    /// For a formula: at most K writes of a thread to one location wait
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u8).range(1..))]
    pub buffer: u8,
    /// For a formula: which runs count
    #[arg(long, value_enum, value_name = "WHICH", default_value = "memory", num_args = 0..=1, default_missing_value = "all")]
    pub fair: FairArg,
    /// For a formula: when an atomic write may be done
    #[arg(long, value_enum, value_name = "RULE", default_value = "own")]
    pub atomic_rule: AtomicArg,
    /// Define a macro for C programs (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// The model that `--for robust` compares with
    #[arg(long, value_name = "MODEL", default_value = "sc", add = super::complete::models())]
    pub against: String,
    /// Other prices than ours: mfence=10,dmb.ish=6
    #[arg(long, value_name = "NAME=N", value_delimiter = ',', value_parser = price)]
    pub cost: Vec<(String, u32)>,
    /// Only these changes: mfence,xchg
    #[arg(long = "with", value_name = "NAME", value_delimiter = ',', value_parser = known)]
    pub with: Vec<String>,
    /// Every optimum, not only one
    #[arg(long)]
    pub all: bool,
    /// Change threads with the same accesses alike
    #[arg(long)]
    pub symmetric: bool,
    /// As few changes as possible, whatever they cost
    #[arg(long)]
    pub fewest: bool,
    /// Run every cheaper set, too: takes nothing for granted, not even that a change more forbids no less
    #[arg(long)]
    pub exhaustive: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub bounds: Bounds,
    /// text: changes, reasons and a patch; patch: the patch alone; source: the changed program; atomic: atomic writes, as `litmus ltl
    /// --atomic` reads them; json
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: FenceFormat,
}

/// The form of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FenceFormat {
    Text,
    Patch,
    Source,
    Atomic,
    Json,
}

fn known(name: &str) -> Result<String, String> {
    let names = vocabulary::names();
    match names.contains(&name) {
        true => Ok(name.to_string()),
        false => Err(format!("there is no change of that name; there are {}", names.join(", "))),
    }
}

fn price(text: &str) -> Result<(String, u32), String> {
    let (name, cost) = text.split_once('=').ok_or("expected NAME=N")?;
    let cost: u32 = cost.trim().parse().map_err(|_| format!("`{cost}` is not a price"))?;
    match cost {
        0 => Err("a change costs at least 1".to_string()),
        _ => Ok((known(name.trim())?, cost)),
    }
}

/// Looks for the changes.
pub fn fence(
    args: &FenceArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, model, .. } = plan::reading(&args.reading)?;
    args.bounds.apply(&mut settings);
    settings.explore.interrupt = Some(interrupt_flag());
    let session = Session::new(settings);
    let wanted =
        Wanted { all: args.all, symmetric: args.symmetric, fewest: args.fewest, exhaustive: args.exhaustive };
    let reading =
        preprocess::Settings { defines: args.define.clone(), folders: args.reading.include.clone() };
    let (costs, only) = (args.cost.clone(), args.with.clone());
    let changes = Changes { costs, only, wanted, reading };
    let model = args.model.clone().or(model);
    let input = Input::File(args.file.clone().into());
    let is_program = std::path::Path::new(&args.file).extension().is_some_and(|e| e == "c");
    let property = args.property.as_deref().unwrap_or(if is_program { "assert" } else { "condition" });
    let goal = match property {
        "condition" => Goal::Condition { outcome: None },
        "robust" => Goal::Robust { against: args.against.clone() },
        "assert" => Goal::Assert,
        formula => {
            let machine = match model.as_deref() {
                None | Some("tso") => MachineArg::Tso,
                Some("sc") => MachineArg::Sc,
                Some("pso") => MachineArg::Pso,
                Some(other) => {
                    let message = format!(
                        "`{formula}` is a formula for the machine with store buffers (-m sc, tso or pso, not `{other}`); \
                         properties under any model are condition, robust and assert"
                    );
                    return Err(Stop::Usage(message));
                }
            };
            let (_, jobs) = plan::workers(None, 1);
            Goal::Ltl {
                formula: formula.to_string(),
                machine: Options { jobs, ..machine_options(machine, args.buffer, args.atomic_rule) },
                fairness: fairness(args.fair),
                tell: |program, sources, lasso| Teller { program, sources }.lasso(lasso).to_string(),
            }
        }
    };
    let fenced = session.fence(&input, model.as_deref(), &goal, &changes);
    let under = fenced.report.model_name.clone().or(model).unwrap_or_default();
    let property = match &goal {
        Goal::Condition { .. } => format!("no execution decides the condition under {under}"),
        Goal::Robust { against } => format!("every execution under {under} is one of {against}"),
        Goal::Assert => match args.bounds.unroll {
            Some(n) => format!("no assertion fails under {under} in {n} rounds of each loop"),
            None => format!("no assertion fails under {under}"),
        },
        Goal::Ltl { formula, .. } => {
            let machine = if under.is_empty() { "tso" } else { &under };
            format!("{formula} ({machine} with buffers of {})", args.buffer)
        }
    };
    tell(args, &property, &fenced, console, out, err)
}

fn tell(
    args: &FenceArgs,
    property: &str,
    fenced: &Fenced,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    err.write_all(console.diagnostics(&fenced.report).as_bytes())?;
    let Some((before, found)) = &fenced.answer else {
        return Ok(match fenced.report.error().map(|error| error.class) {
            Some(Class::Unsupported) => Exit::Unsupported,
            Some(Class::Limit(_)) => Exit::Limit,
            _ => Exit::BadInput,
        });
    };
    let told = Told { file: &args.file, text: before, property, found };
    let best = found.list.first();
    match args.format {
        FenceFormat::Text => out.write_all(text(&told).as_bytes())?,
        FenceFormat::Patch => {
            if let Some(best) = best {
                out.write_all(patch(&args.file, before, &best.text).as_bytes())?;
            }
        }
        FenceFormat::Source => out.write_all(best.map_or(&**before, |best| &best.text).as_bytes())?,
        FenceFormat::Atomic => {
            if let Some(best) = best {
                out.write_all(atomic(before, best, &fenced.cells).as_bytes())?;
            }
        }
        FenceFormat::Json => {
            let text = serde_json::to_string(&FenceRecord::new(&told)).map_err(std::io::Error::from)?;
            writeln!(out, "{text}")?;
        }
    }
    Ok(match &found.ended {
        Ended::Already | Ended::Optimal => Exit::Success,
        Ended::Impossible(_) => Exit::Failed,
        Ended::Stopped { .. } => Exit::Limit,
    })
}
