//! The command line: arguments as typed (`args`), what they ask for (`plan`), one file per subcommand.

mod args;
mod awaits;
mod bench;
mod bench_programs;
mod blocks;
mod campaign;
mod cfg;
mod check;
mod compile;
mod complete;
mod console;
mod diff;
mod doc;
mod drawing;
mod emit;
mod estimate;
mod exit;
mod explain;
mod fence;
mod generate;
mod help;
mod herd;
mod herd_graph;
mod herd_options;
mod herd_table;
mod ltl;
mod machine_args;
mod man;
mod merge;
mod model;
mod model_coverage;
mod model_diff;
mod plan;
mod port;
mod port_args;
mod port_mappings;
mod progress;
mod records;
mod resume;
mod run;
mod safe;
#[cfg(feature = "serve")]
mod serve;
mod split;
mod sum;
mod tests_arg;
mod units;
mod verify;
mod verify_args;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Parser;

use crate::diag::Diagnostic;
use crate::limits::{self, Budget, Stopped};
use args::{Cli, Command};
use console::Console;
pub use exit::Exit;

/// Version and commit.
pub const VERSION: &str = env!("LITMUS_VERSION");

/// The largest log that is read.
const MAX_LOG: u64 = 4 << 30;

/// What stopped a command before it could give a proper answer.
#[derive(Debug)]
enum Stop {
    /// Writing failed.
    Io(io::Error),
    /// The command line, or a file it names, is wrong: the message, ready to print.
    Usage(String),
    /// Not supported: the message, ready to print.
    Unsupported(String),
    /// It takes more than it may.
    Limit(Stopped),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}

/// The result of a command.
type Done = Result<Exit, Stop>;

/// Runs the command line `args` (the first is the program's name). Results go to `out`, everything else to `err`.
pub fn main(
    args: impl IntoIterator<Item = OsString>,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(answered) = complete::answer(&args, out) {
        return answered.unwrap_or(Exit::BadInput);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            use clap::error::ErrorKind;
            let informative = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            let text = error.render();
            let colored = console::color_wanted(args::When::Auto, informative);
            let text = if colored { text.ansi().to_string() } else { text.to_string() };
            return if informative {
                let _ = write!(out, "{text}");
                Exit::Success
            } else {
                let _ = write!(err, "{text}");
                Exit::BadInput
            };
        }
    };
    let console = Console::new(cli.color, cli.quiet, cli.verbose);
    let mut err = safe::Safe::new(err, console.color_err == crate::diag::Color::Always);
    let err: &mut (dyn Write + Send) = &mut err;
    let mut shown;
    let out: &mut (dyn Write + Send) = match console.out_is_terminal {
        true => {
            shown = safe::Safe::new(out, console.color_out);
            &mut shown
        }
        false => out,
    };
    let budget = Budget {
        memory: Some(limits::memory::default_limit()),
        interrupt: Some(console::interrupt_flag()),
        ..Budget::default()
    };
    let result = budget.run(|| command(&cli.command, &console, out, err));
    let result = result.unwrap_or_else(|why| Err(Stop::Limit(why)));
    let result = result.and_then(|exit| Ok(out.flush().map(|()| exit)?));
    let interrupted = console::interrupt_flag().load(std::sync::atomic::Ordering::Relaxed);
    match result {
        // Whatever was found until then: not all was looked at.
        Ok(_) if interrupted => Exit::Interrupted,
        Ok(exit) => exit,
        // The reader of a pipe went away: it has seen what it wanted to see.
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(Stop::Io(error)) => {
            let _ = writeln!(err, "error: {error}");
            Exit::BadInput
        }
        Err(Stop::Usage(message)) => {
            let _ = writeln!(err, "error: {}", message.trim_end());
            Exit::BadInput
        }
        Err(Stop::Unsupported(message)) => {
            let _ = writeln!(err, "error: {}", message.trim_end());
            Exit::Unsupported
        }
        Err(Stop::Limit(why)) => {
            let _ = out.flush();
            let _ = writeln!(err, "error: {}", Diagnostic::stopped(why, "").message.trim_end());
            Exit::stopped(why)
        }
    }
}

fn command(
    command: &Command,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    match command {
        Command::Run(args) => run::run(args, console, out, err),
        Command::Herd(args) => herd::herd(args, console, out, err),
        Command::Check(args) => check::check(args, console, out, err),
        Command::Verify(args) => verify::verify(args, console, out, err),
        Command::Model(args) => model::model(args, console, out, err),
        Command::Diff(args) => diff::diff(args, console, out, err),
        Command::Port(args) => port::port(args, console, out, err),
        Command::Robust(args) => port::robust(args, console, out, err),
        Command::Fence(args) => fence::fence(args, console, out, err),
        Command::Await(args) => awaits::awaits(args, console, out, err),
        Command::Ltl(args) => ltl::ltl(args, console, out, err),
        Command::Campaign(args) => campaign::campaign(args, console, out, err),
        Command::Split(args) => split::split(args, console, out, err),
        Command::Merge(args) => merge::merge(args, out, err),
        Command::Explain(args) => explain::explain(args, console, out, err),
        Command::Gen(args) => generate::generate(args, console, out, err),

        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::serve(args, console, out, err),
        Command::Compile(args) => compile::compile(args, console, out, err),
        Command::Doc(args) => doc::doc(args, console, out, err),
        Command::Bench(args) => bench::bench(args, console, out, err),
        Command::Completions { shell } => complete::script(*shell, out),
        Command::Man => man::man(out),
    }
}
