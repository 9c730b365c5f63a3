//! `litmus split`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use super::args::{Reading, Search};
use super::console::Console;
use super::plan::{self, Resolved};
use super::units::{self, Basis, Weighed};
use super::{Done, Exit, Stop, tests_arg};
use crate::explore::{Engine, Share};
use crate::report::several;
use crate::session::Session;

/// Walks are the same every time.
pub const SEED: u64 = 1;
/// A unit is made of so many parts, so that units are of about the same size.
const PARTS: usize = 8;

#[derive(Args, Debug)]
pub struct SplitArgs {
    /// The test
    #[arg(value_name = "TEST", add = super::complete::tests())]
    test: String,
    /// The model: a file, or the name of one of ours [default: the architecture's]
    #[arg(short, long, value_name = "MODEL", add = super::complete::models())]
    model: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    search: Search,
    /// Into how many units
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    units: u32,
    /// Write the units to FILE, one a line
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Cuts one search into units.
pub fn split(
    args: &SplitArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, model, .. } = plan::reading(&args.reading)?;
    plan::search(&mut settings, &args.search)?;
    if !matches!(settings.explore.engine, Engine::Auto | Engine::Explore) {
        return Err(Stop::Usage(
            "units are parts of worlds: `litmus split` goes with the engine `worlds`".to_string(),
        ));
    }
    let (inputs, errors) = tests_arg::collect(std::slice::from_ref(&args.test));
    if let Some(error) = errors.first() {
        return Err(Stop::Usage(error.clone()));
    }
    let [input] = &inputs[..] else {
        return Err(Stop::Usage(format!(
            "one search is split, and `{}` is {} tests",
            args.test,
            inputs.len()
        )));
    };
    let session = Session::new(settings.clone());
    let wanted = args.units as usize;
    let model = args.model.clone().or(model);
    let (report, survey) = session.survey(input, model.as_deref(), wanted * PARTS, SEED);
    let _ = err.write_all(console.diagnostics(&report).as_bytes());
    let Some(survey) = survey else { return Ok(Exit::of_report(&report)) };
    let parts = packed(survey.shares, wanted);
    let basis = Basis::new(&report.sources, &settings);
    let units = units::cut(&report.name, &basis, survey.mixed, &parts);
    match &args.output {
        None => units::write(&units, out)?,
        Some(path) => {
            let file = File::create(path)
                .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?;
            units::write(&units, &mut BufWriter::new(file))?;
        }
    }
    let sizes = || parts.iter().map(|part| part.graphs);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let count = several(units.len() as u64, "unit");
    console.note(err, &format!("{}: {count} of about {least:.0} to {most:.0} graphs", report.name));
    Ok(Exit::Success)
}

/// Puts parts together to units of about the same size: the largest first, each to the unit that has least.
fn packed(mut shares: Vec<Share>, units: usize) -> Vec<Weighed> {
    shares.sort_by(|a, b| b.graphs.mean.total_cmp(&a.graphs.mean).then_with(|| a.subtree.cmp(&b.subtree)));
    let mut packed: Vec<Weighed> = Vec::new();
    for share in shares {
        let least = (0..packed.len()).min_by(|a, b| packed[*a].graphs.total_cmp(&packed[*b].graphs));
        let at = match least {
            Some(least) if packed.len() == units => least,
            _ => {
                packed.push(Weighed { subtrees: Vec::new(), graphs: 0.0, executions: 0.0 });
                packed.len() - 1
            }
        };
        packed[at].graphs += share.graphs.mean;
        packed[at].executions += share.executions.mean;
        packed[at].subtrees.push(share.subtree);
    }
    packed.iter_mut().for_each(|part| part.subtrees.sort());
    packed
}
