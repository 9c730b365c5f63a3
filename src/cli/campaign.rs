//! `litmus campaign`: one run over many machines, by a batch system that people already have.
//!
//! The contract is small: a *part* is `task.sh K`, which runs the K-th shard and takes up what an earlier try has left. Any system that can
//! start N commands on a file system they share can run a campaign; [`scripts`] writes what Slurm and GNU parallel need.

mod collect;
mod scripts;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::report::several;
use crate::session::Input;

use super::console::Console;
use super::{Done, Exit, Stop, tests_arg};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct CampaignArgs {
    #[command(subcommand)]
    command: Option<CampaignCommand>,
    /// Tests: files, folders (searched recursively), @lists, glob patterns
    #[arg(value_name = "TEST", required = true, add = super::complete::tests())]
    tests: Vec<String>,
    /// The model, by name or file [default: the one of each test's architecture]
    #[arg(short, long, value_name = "MODEL", add = super::complete::models())]
    model: Option<String>,
    /// Submit a job array of PARTS tasks to Slurm, and a job that collects
    #[arg(long, value_name = "PARTS", conflicts_with = "parallel", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    slurm: Option<u32>,
    /// Run PARTS tasks with GNU parallel, over ssh where --hosts is given
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    parallel: Option<u32>,
    /// Machines for GNU parallel, as its --sshlogin takes them
    #[arg(long, value_name = "A,B", requires = "parallel")]
    hosts: Option<String>,
    /// The partition of Slurm
    #[arg(long, value_name = "NAME", requires = "slurm")]
    partition: Option<String>,
    /// The time limit of each task, as Slurm takes it
    #[arg(long, value_name = "TIME", requires = "slurm")]
    time: Option<String>,
    /// The campaign's folder, on a file system that all machines share
    #[arg(short, long, value_name = "DIR", default_value = "campaign")]
    output: PathBuf,
    /// Write the scripts, and start nothing
    #[arg(long)]
    dry_run: bool,
    /// Further options of `litmus run`, after `--`
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

#[derive(Subcommand, Debug)]
enum CampaignCommand {
    /// How far the parts are
    Status {
        /// The campaign's folder
        #[arg(value_name = "DIR", default_value = "campaign")]
        folder: PathBuf,
    },
    /// Join the results, and say what is missing
    Collect {
        /// The campaign's folder
        #[arg(value_name = "DIR", default_value = "campaign")]
        folder: PathBuf,
        /// What to make of them, besides `all.jsonl`
        #[arg(long, value_enum, value_name = "FORMAT", default_value = "jsonl")]
        format: CollectFormat,
    },
}

/// What is made of the results of a campaign.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CollectFormat {
    /// One JSON object a line: `all.jsonl`
    Jsonl,
    /// A database of SQLite, too: `all.db`
    Sqlite,
}

/// What a campaign is, as its folder holds it.
#[derive(Serialize, Deserialize, Debug)]
struct Campaign {
    /// Tests, as files.
    tests: Vec<String>,
    /// The options of `litmus run`.
    options: Vec<String>,
    /// In how many parts.
    parts: u32,
}

impl Campaign {
    fn read(folder: &Path) -> Result<Campaign, Stop> {
        let path = folder.join("campaign.json");
        let text = crate::limits::read_text(&path).map_err(|error| {
            Stop::Usage(format!("`{}` is not the folder of a campaign: {error}", folder.display()))
        })?;
        serde_json::from_str(&text).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))
    }

    /// The results of a part.
    fn results(folder: &Path, part: u32) -> PathBuf {
        folder.join(format!("part-{part}.jsonl"))
    }
}

/// Starts a campaign, or looks after one.
pub fn campaign(
    args: &CampaignArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    match &args.command {
        Some(CampaignCommand::Status { folder }) => return collect::status(folder, out),
        Some(CampaignCommand::Collect { folder, format }) => {
            return collect::collect(folder, *format, out, err);
        }
        None => {}
    }
    let Some(parts) = args.slurm.or(args.parallel) else {
        return Err(Stop::Usage("say what is to run it: --slurm PARTS, or --parallel PARTS".to_string()));
    };
    let (inputs, errors) = tests_arg::collect(&args.tests);
    if let Some(error) = errors.first() {
        return Err(Stop::Usage(error.clone()));
    }
    let mut tests = Vec::new();
    for input in &inputs {
        match input {
            Input::File(path) => tests.push(absolute(path)?),
            Input::Text { .. } => {
                return Err(Stop::Usage("a campaign reads its tests from files, not from `-`".to_string()));
            }
        }
    }
    if tests.is_empty() {
        return Err(Stop::Usage("there is no test".to_string()));
    }
    let folder = &args.output;
    if folder.join("campaign.json").exists() {
        return Err(Stop::Usage(format!(
            "`{0}` holds a campaign already: `litmus campaign status {0}` says how far it is",
            folder.display()
        )));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Stop::Usage(format!("cannot make `{}`: {error}", folder.display())))?;
    let mut options: Vec<String> = Vec::new();
    if let Some(model) = &args.model {
        let file = Path::new(model);
        options.extend(["-m".to_string(), if file.is_file() { absolute(file)? } else { model.clone() }]);
    }
    options.extend(args.options.iter().cloned());
    let campaign = Campaign { tests, options, parts };
    let program = std::env::current_exe()?;
    let folder = PathBuf::from(absolute(folder)?);
    scripts::write(&campaign, &folder, &program, args)?;
    let shown = folder.display();
    let tests = several(campaign.tests.len() as u64, "test");
    if args.dry_run {
        writeln!(out, "{tests} in {} are ready in {shown}", several(u64::from(parts), "part"))?;
        return Ok(Exit::Success);
    }
    if args.slurm.is_some() {
        let array = sbatch(&folder, &["array.sbatch"])?;
        let after = format!("--dependency=afterany:{array}");
        let last = sbatch(&folder, &[&after, "collect.sbatch"])?;
        writeln!(
            out,
            "{tests} in {}: job {array}, collected by job {last}",
            several(u64::from(parts), "part")
        )?;
        console.note(err, &format!("`litmus campaign status {shown}` says how far it is"));
        return Ok(Exit::Success);
    }
    let status = Command::new("sh").arg(folder.join("parallel.sh")).status();
    match status {
        Ok(_) => collect::collect(&folder, CollectFormat::Jsonl, out, err),
        Err(error) => Err(Stop::Usage(format!("cannot start `sh`: {error}"))),
    }
}

/// Submits a job; its number.
fn sbatch(folder: &Path, args: &[&str]) -> Result<String, Stop> {
    let output = Command::new("sbatch").arg("--parsable").args(args).current_dir(folder).output();
    let output = output.map_err(|error| {
        Stop::Usage(format!("cannot start `sbatch`: {error}; --dry-run only writes what would be submitted"))
    })?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Stop::Usage(format!("sbatch refused: {}", why.trim())));
    }
    // `--parsable`: the job, and after a semicolon the cluster.
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.trim().split(';').next().unwrap_or_default().to_string())
}

fn absolute(path: &Path) -> Result<String, Stop> {
    let path = std::path::absolute(path)?;
    path.into_os_string()
        .into_string()
        .map_err(|path| Stop::Usage(format!("the name {path:?} is not text, and scripts cannot hold it")))
}
