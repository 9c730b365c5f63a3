//! `litmus gen`: tests from cycles.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::diag::nearest;
use crate::explore::Mode;
use crate::generate::{Cycle, Dialect, Generated, Vocabulary, cycles};
use crate::report::several;
use crate::session::{Input, Session, Settings, bell_words, in_order};

use super::args::{Reading, seconds};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop};

#[derive(Args, Debug)]
pub struct GenArgs {
    /// X86, X86_64, AArch64, ARM, PPC, RISCV, MIPS, BPF, LISA (annotations and fences are those of --bell), C, or LKMM for the kernel's C
    #[arg(value_name = "ARCH")]
    pub arch: String,
    /// Edges of the cycles: a number, or `A..B`
    #[arg(long, value_name = "N", default_value = "2..4", value_parser = sizes)]
    pub size: (usize, usize),
    /// What cycles are made of, `litmus gen ARCH --edges help` lists it [default: everything]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub edges: Vec<String>,
    /// Only tests whose outcome this model forbids (repeatable)
    #[arg(long, value_name = "MODEL", add = super::complete::models())]
    pub forbidden_by: Vec<String>,
    /// Only tests whose outcome this model allows (repeatable)
    #[arg(long, value_name = "MODEL", add = super::complete::models())]
    pub allowed_by: Vec<String>,
    /// Write the tests to DIR, a file each, and the list of them to DIR/@all
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the tests in full
    #[arg(long)]
    pub print: bool,
    /// Stop after N tests
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub reading: Reading,
    /// Time limit per test and model, in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Worker threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// Longer cycles than anybody waits for are a slip.
const LONGEST: usize = 12;

pub(super) fn sizes(text: &str) -> Result<(usize, usize), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 2 <= from && from <= to && to <= LONGEST => Ok((from, to)),
        _ => Err(format!("a number of edges from 2 to {LONGEST} is needed, or two of them: 2..4")),
    }
}

/// The dialect of that name.
pub(super) fn dialect(word: &str) -> Result<Dialect, Stop> {
    Dialect::parse(word).ok_or_else(|| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        let hint =
            nearest(word, names.iter().copied()).map_or(String::new(), |n| format!(", did you mean {n}?"));
        Stop::Usage(format!("no tests can be generated for `{word}`{hint} (there are {})", names.join(", ")))
    })
}

/// Likewise; the words of LISA are those of the bell file.
pub(super) fn dialect_with(word: &str, settings: &Settings, console: &Console) -> Result<Dialect, Stop> {
    match dialect(word)? {
        Dialect::Lisa(_) => match bell_words(settings) {
            Ok(words) => Ok(Dialect::Lisa(words)),
            Err(checked) => {
                let why = super::model::rendered(&checked, console);
                Err(Stop::Usage(format!("the bell file `{}` is no use\n{why}", checked.file)))
            }
        },
        other => Ok(other),
    }
}

/// What cycles are made of, as typed.
pub(super) fn vocabulary(dialect: Dialect, words: &[String]) -> Result<Vocabulary, Stop> {
    let all = Vocabulary::all(dialect);
    match words {
        [] => Ok(all),
        words => restricted(&all, words, dialect.name()),
    }
}

/// What these words name of a vocabulary; `whose` it is, in a message.
pub(super) fn restricted(all: &Vocabulary, words: &[String], whose: &str) -> Result<Vocabulary, Stop> {
    all.restricted(words).map_err(|word| {
        let known = all.words();
        let hint = nearest(&word, known.iter().map(String::as_str))
            .map_or(String::new(), |n| format!(", did you mean {n}?"));
        let known = known.join(", ");
        Stop::Usage(format!("{whose} has no edge or annotation `{word}`{hint} (there are {known})"))
    })
}

/// Generates tests.
pub fn generate(
    args: &GenArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    let dialect = dialect_with(&args.arch, &settings, console)?;
    if args.edges == ["help"] {
        writeln!(out, "{}", Vocabulary::all(dialect).words().join(" "))?;
        return Ok(Exit::Success);
    }
    let vocabulary = vocabulary(dialect, &args.edges)?;
    let judges = args.forbidden_by.iter().chain(&args.allowed_by);
    if let Some(exit) = super::model::unreadable(judges, &settings, console, err) {
        return Ok(exit);
    }
    if dialect == Dialect::Kernel {
        plan::with_companions(&mut settings, ["lkmm"]);
    }
    settings.explore.mode = Mode::Check;
    settings.explore.timeout = args.timeout.map(plan::duration).or(settings.explore.timeout);
    settings.explore.interrupt = Some(interrupt_flag());
    let session = Session::new(settings);
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| {
            Stop::Usage(format!("cannot make the folder `{}`: {error}", folder.display()))
        })?;
    }
    let most = args.limit.unwrap_or(usize::MAX);
    let mut kept: Vec<(Cycle, Generated)> = Vec::new();
    let (mut made, mut unwritten) = (0, 0u64);
    for size in args.size.0..=args.size.1 {
        let all = cycles(&vocabulary, size);
        let (jobs, _) = plan::workers(args.jobs, all.len());
        let mut failed = None;
        in_order(
            all.len(),
            jobs,
            |at| judged(&all[at], dialect, &session, args),
            |at, judged| {
                match judged {
                    Ok(Some((true, test))) => {
                        made += 1;
                        kept.push((all[at].clone(), test));
                    }
                    Ok(Some((false, _))) => made += 1,
                    Ok(None) => unwritten += 1,
                    Err(message) => failed = Some(message),
                }
                failed.is_none() && kept.len() < most
            },
        );
        if let Some(report) = failed {
            let _ = err.write_all(console.diagnostics(&report).as_bytes());
            return Ok(Exit::of_report(&report));
        }
        if kept.len() >= most {
            break;
        }
    }
    for (cycle, test) in &kept {
        match &args.output {
            Some(folder) => write_file(folder, test)?,
            None if args.print => writeln!(out, "{}", test.text)?,
            None => writeln!(out, "{}: {}", test.name, cycle.text(dialect))?,
        }
    }
    if let Some(folder) = &args.output {
        let list: String = kept.iter().map(|(_, test)| format!("{}.litmus\n", test.name)).collect();
        std::fs::write(folder.join("@all"), list)?;
    }
    if !console.quiet {
        let (from, to) = args.size;
        let of = if kept.len() == made { String::new() } else { format!(" of {made}") };
        let wide = if from == to { from.to_string() } else { format!("{from} to {to}") };
        writeln!(err, "{}{of}, of {wide} edges", several(kept.len() as u64, "test"))?;
        if unwritten > 0 {
            writeln!(err, "{} not written: too few registers", several(unwritten, "cycle"))?;
        }
    }
    Ok(Exit::Success)
}

/// The test of a cycle, and whether the models say of it what they are to say.
type Judged = Result<Option<(bool, Generated)>, Box<crate::session::Report>>;

fn judged(cycle: &Cycle, dialect: Dialect, session: &Session, args: &GenArgs) -> Judged {
    let Some(test) = cycle.test(dialect) else { return Ok(None) };
    let input = Input::Text { name: test.name.clone(), text: Arc::from(test.text.as_str()) };
    for (models, wanted) in [(&args.forbidden_by, false), (&args.allowed_by, true)] {
        for model in models {
            if session.allows(&input, model)? != wanted {
                return Ok(Some((false, test)));
            }
        }
    }
    Ok(Some((true, test)))
}

/// A test as a file of its name.
pub(super) fn write_file(folder: &Path, test: &Generated) -> Result<(), Stop> {
    let file = folder.join(format!("{}.litmus", test.name));
    std::fs::write(&file, &test.text)
        .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", file.display())))
}
