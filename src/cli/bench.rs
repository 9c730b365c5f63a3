//! `litmus bench`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::arch::ArchId;
use crate::bench::{Family, Point, Syntax, plot};
use crate::diag::nearest;
use crate::outcome::Count;
use crate::report::several;
use crate::session::{Input, Qualifier, Session};

use super::args::{Reading, Search};
use super::console::{Console, interrupt_flag};
use super::plan::{self, Resolved};
use super::{Done, Exit, Stop, bench_programs, complete};

#[derive(Args, Debug)]
pub struct BenchArgs {
    /// readers, loop, coherence, writers, ring, incs, threads, variables or instructions; programs: wmm, wmm-safe
    pub family: String,
    /// Sizes: `5`, `1..8` or `2,4,8`
    #[arg(long, value_name = "A..B", default_value = "1..8")]
    pub sizes: String,
    /// The model
    #[arg(short, long = "model", value_name = "MODEL", default_value = "sc", add = complete::models())]
    pub model: String,
    /// The architecture of the generated tests [default: X86]
    #[arg(long, value_name = "ARCH")]
    pub arch: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub search: Search,
    /// table, csv or svg
    #[arg(long, value_enum, default_value = "table")]
    pub format: BenchFormat,
    /// Write the output to FILE
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the generated tests to DIR and do not run them
    #[arg(long, value_name = "DIR")]
    pub emit: Option<PathBuf>,
    /// Run sizes that would take very long, too
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BenchFormat {
    Table,
    Csv,
    Svg,
}

/// What we can be expected to do in a second, and how long a size may take without being asked twice.
const RATE: f64 = 300_000.0;
const PATIENCE: f64 = 3_600.0;

/// One measured size.
struct Row {
    size: usize,
    executions: Count,
    states: usize,
    seconds: f64,
    memory: Option<u64>,
    qualifier: Qualifier,
}

/// Generates and measures a family.
pub fn bench(
    args: &BenchArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let sizes = sizes(&args.sizes)?;
    if let Some((_, safe, _)) = bench_programs::FAMILIES.iter().find(|(name, ..)| *name == args.family) {
        return bench_programs::bench(args, *safe, &sizes, console, out, err);
    }
    let family = family(&args.family)?;
    let syntax = syntax(args.arch.as_deref())?;
    let mut tests = Vec::new();
    for size in &sizes {
        tests.push((*size, family.test(*size, syntax).map_err(|error| Stop::Usage(error.to_string()))?));
    }
    if let Some(folder) = &args.emit {
        return emit(folder, family, &tests, err);
    }
    if let Some(size) = sizes.iter().find(|size| family.executions(**size) / RATE > PATIENCE) {
        let executions = family.executions(*size);
        if !args.force && args.search.bounds.each.timeout.is_none() {
            return Err(Stop::Usage(format!(
                "{}({size}) has up to {executions:.1e} executions, that is {} at {RATE:.0} a second if each must be \
                 built; give --timeout, or --force to run it all the same",
                family.name(),
                duration(executions / RATE)
            )));
        }
    }
    let Resolved { mut settings, .. } = plan::reading(&args.reading)?;
    plan::search(&mut settings, &args.search)?;
    let (_, inner) = plan::workers(args.search.jobs.or(Some(1)), 1);
    settings.explore.jobs = inner;
    let interrupt = interrupt_flag();
    settings.explore.interrupt = Some(Arc::clone(&interrupt));
    let session = Session::new(settings);
    let mut rows = Vec::new();
    let mut exit = Exit::Success;
    for (size, text) in tests {
        reset_peak();
        let name = format!("{}-{size}.litmus", family.name());
        let report = session.run(&Input::Text { name, text: text.into() }, Some(&args.model));
        let _ = err.write_all(console.diagnostics(&report).as_bytes());
        let Some(outcome) = report.outcome() else {
            return Ok(if report.qualifier() == Qualifier::Unsupported {
                Exit::Unsupported
            } else {
                Exit::BadInput
            });
        };
        let seconds = report.phases.explore.as_secs_f64();
        rows.push(Row {
            size,
            executions: outcome.executions(),
            states: outcome.states.len(),
            seconds,
            memory: peak_memory(),
            qualifier: report.qualifier(),
        });
        if console.err_is_terminal && !console.quiet {
            let _ = writeln!(err, "{}({size}): {seconds:.3} s", family.name());
        }
        if report.hit_limit() {
            exit = Exit::Limit;
            break;
        }
        if report.qualifier() == Qualifier::Interrupted {
            exit = Exit::Interrupted;
            break;
        }
    }
    let title = format!("{} on {} under {}", family.name(), syntax.arch().name(), args.model);
    let text = match args.format {
        BenchFormat::Table => table(&title, &rows),
        BenchFormat::Csv => csv(family, syntax, &args.model, &rows),
        BenchFormat::Svg => {
            let points: Vec<Point> = rows
                .iter()
                .map(|r| Point { size: r.size, executions: r.executions.as_f64(), seconds: r.seconds })
                .collect();
            plot(&title, &points)
        }
    };
    match &args.output {
        None => out.write_all(text.as_bytes())?,
        Some(path) => fs::write(path, text)
            .map_err(|error| Stop::Usage(format!("cannot write `{}`: {error}", path.display())))?,
    }
    Ok(exit)
}

fn family(name: &str) -> Result<Family, Stop> {
    Family::parse(name).ok_or_else(|| {
        let names =
            Family::ALL.iter().map(|f| f.name()).chain(bench_programs::FAMILIES.map(|(name, ..)| name));
        let hint = nearest(name, names).map_or(".".to_string(), |n| format!(", did you mean `{n}`?"));
        let all = Family::ALL.iter().map(|f| (f.name(), f.describe()));
        let all = all.chain(bench_programs::FAMILIES.map(|(name, _, what)| (name, what)));
        let list: Vec<String> = all.map(|(name, what)| format!("  {name:13} {what}")).collect();
        Stop::Usage(format!("there is no family `{name}`{hint} There are:\n{}", list.join("\n")))
    })
}

/// The largest size of a test.
const MOST: usize = 10_000;

/// `5`, `1..8`, `2,4,8`, `1..20/3`.
fn sizes(text: &str) -> Result<Vec<usize>, Stop> {
    let wrong =
        || Stop::Usage(format!("--sizes takes `5`, `1..8` (both ends included) or `2,4,8`, not `{text}`"));
    let mut sizes = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            None => sizes.push(part.trim().parse().map_err(|_| wrong())?),
            Some((first, last)) => {
                let first: usize = first.trim().parse().map_err(|_| wrong())?;
                let last: usize = last.trim().trim_start_matches('=').parse().map_err(|_| wrong())?;
                if first > last {
                    return Err(wrong());
                }
                // One too large is enough to be refused for.
                sizes.extend(first..=last.min(MOST + 1));
            }
        }
    }
    if sizes.iter().any(|size| *size == 0 || *size > MOST) {
        return Err(Stop::Usage(format!("sizes are from 1 to {MOST}")));
    }
    Ok(sizes)
}

fn syntax(arch: Option<&str>) -> Result<Syntax, Stop> {
    let Some(word) = arch else { return Ok(Syntax::X86) };
    let found =
        ArchId::ALL.into_iter().find(|arch| arch.name().eq_ignore_ascii_case(word)).and_then(Syntax::of);
    found.ok_or_else(|| {
        let names: Vec<&str> = Syntax::ALL.iter().map(|s| s.arch().name()).collect();
        Stop::Usage(format!("tests are generated for {}, not for `{word}`", names.join(", ")))
    })
}

fn emit(folder: &Path, family: Family, tests: &[(usize, String)], err: &mut (dyn Write + Send)) -> Done {
    let failed =
        |error: std::io::Error| Stop::Usage(format!("cannot write to `{}`: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    for (size, text) in tests {
        fs::write(folder.join(format!("{}-{size}.litmus", family.name())), text).map_err(failed)?;
    }
    let _ = writeln!(err, "{} in {}", several(tests.len() as u64, "test"), folder.display());
    Ok(Exit::Success)
}

fn table(title: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "{title}\n{:>6} {:>14} {:>8} {:>10} {:>12} {:>9}\n",
        "size", "executions", "states", "seconds", "exec/s", "MB"
    );
    for row in rows {
        let mark = if row.qualifier == Qualifier::Complete {
            String::new()
        } else {
            format!("  {}", row.qualifier.word())
        };
        text += &format!(
            "{:>6} {:>14} {:>8} {:>10.4} {:>12.0} {:>9}{mark}\n",
            row.size,
            row.executions,
            row.states,
            row.seconds,
            rate(row),
            row.memory.map_or("?".to_string(), |bytes| format!("{:.1}", bytes as f64 / 1e6))
        );
    }
    text
}

fn csv(family: Family, syntax: Syntax, model: &str, rows: &[Row]) -> String {
    let mut text =
        "family,arch,model,size,executions,states,seconds,executions_per_second,peak_bytes,qualifier\r\n"
            .to_string();
    for row in rows {
        text += &format!(
            "{},{},{},{},{},{},{:.6},{:.0},{},{}\r\n",
            family.name(),
            syntax.arch().name(),
            crate::report::csv_escape(model),
            row.size,
            row.executions,
            row.states,
            row.seconds,
            rate(row),
            row.memory.map_or(String::new(), |bytes| bytes.to_string()),
            row.qualifier.word()
        );
    }
    text
}

fn rate(row: &Row) -> f64 {
    if row.seconds > 0.0 { row.executions.as_f64() / row.seconds } else { 0.0 }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 7_200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3_600.0),
        s if s < 63_072_000.0 => format!("{:.0} days", s / 86_400.0),
        s => format!("{:.0e} years", s / 31_536_000.0),
    }
}

/// The most memory that this process ever held, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Forgets the peak, where the system lets us: each size is then measured by itself.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<T: std::fmt::Debug>(result: Result<T, Stop>) -> String {
        match result {
            Ok(value) => format!("{value:?}"),
            Err(Stop::Usage(message)) => message,
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn sizes_as_people_write_them() {
        insta::assert_snapshot!(message(sizes("1..4")), @"[1, 2, 3, 4]");
        insta::assert_snapshot!(message(sizes("2,4..5,9")), @"[2, 4, 5, 9]");
        insta::assert_snapshot!(message(sizes("4..1")), @"--sizes takes `5`, `1..8` (both ends included) or `2,4,8`, not `4..1`");
        insta::assert_snapshot!(message(sizes("0")), @"sizes are from 1 to 10000");
    }

    #[test]
    fn an_unknown_family_lists_those_there_are() {
        insta::assert_snapshot!(message(family("reader")), @"
        there is no family `reader`, did you mean `readers`? There are:
          readers       one writer of x, N readers
          loop          a writer that loops until it sees its own write, N readers that spin until they see it
          coherence     N writes of x in one thread, N reads in another
          writers       N threads, each writing x once
          ring          store-buffering ring: N threads, store your own variable, load the next one's
          incs          N threads, each incrementing x once, atomically
          threads       scaling by threads: N threads over two variables
          variables     scaling by variables: two threads over N variables
          instructions  scaling by instructions: two threads of N instructions
          empty         N threads that do nothing
          wmm           programs: three threads with explicit store buffers, N blocks each; unsafe
          wmm-safe      the same, with every buffer flushed and fences; safe
        ");
    }

    #[test]
    fn long_times_in_words() {
        assert_eq!(duration(300.0), "5 minutes");
        assert_eq!(duration(36_000.0), "10 hours");
        assert_eq!(duration(1e12), "3e4 years");
    }
}
