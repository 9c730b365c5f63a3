//! Completion: scripts for shells, and what they ask us. Names are looked up when they are asked for, so that models, tests and relations are known.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{EnvCompleter, Shells};

use super::args::Cli;
use super::{Done, Exit, Stop};
use crate::cat::library::{self, Kind};
use crate::doc;
use crate::variant::Variant;

/// Set by the scripts that we print: the shell that asks.
const VARIABLE: &str = "LITMUS_COMPLETE";

/// Prints the script for a shell.
pub fn script(shell: clap_complete::Shell, out: &mut (dyn Write + Send)) -> Done {
    let shells = Shells::builtins();
    let shell = known(&shells, &shell.to_string())?;
    shell.write_registration(VARIABLE, "litmus", "litmus", "litmus", out)?;
    Ok(Exit::Success)
}

/// Answers a shell, where it is one that asks. `None`: it is somebody who runs us.
pub fn answer(args: &[OsString], out: &mut (dyn Write + Send)) -> Option<Done> {
    let asks = std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let mut complete = || {
        let shells = Shells::builtins();
        let shell = known(&shells, &asks.to_string_lossy())?;
        // After `--`: the words so far.
        let words = args.iter().position(|arg| arg == "--").map_or(args.len(), |at| at + 1);
        let folder = std::env::current_dir().ok();
        let mut command = Cli::command();
        command.build();
        shell
            .write_complete(&mut command, args[words..].to_vec(), folder.as_deref(), out)
            .map_err(|error| Stop::Usage(error.to_string()))?;
        Ok(Exit::Success)
    };
    Some(complete())
}

fn known<'s>(shells: &'s Shells<'s>, name: &str) -> Result<&'s dyn EnvCompleter, Stop> {
    shells.completer(name).ok_or_else(|| Stop::Usage(format!("there is no completion for `{name}`")))
}

/// Models of ours, and `cat` files.
pub fn models() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let ours = library::entries().iter().filter(|entry| entry.kind == Kind::Model);
        let names = ours.map(|entry| (entry.name.trim_end_matches(".cat"), entry.summary()));
        let mut found = starting(current, names);
        found.extend(files(current, &["cat"]));
        found
    })
}

/// Tests: `.litmus` files, and folders with some.
pub fn tests() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| files(current, &["litmus"]))
}

/// C files.
pub fn programs() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| files(current, &["c", "h", "i"]))
}

/// Sets, relations and functions that models can use.
pub fn names() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| starting(current, doc::names().iter().flat_map(named)))
}

/// Relations alone.
pub fn relations() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let relations = doc::names().iter().filter(|name| name.sort == doc::Sort::Relation);
        starting(current, relations.flat_map(named))
    })
}

/// Variants of the semantics.
pub fn variants() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        starting(current, Variant::names().map(|name| (name, String::new())))
    })
}

/// A name, or those of a group, and what it is.
fn named(name: &'static doc::Name) -> impl Iterator<Item = (&'static str, String)> {
    let first = name.text.split(". ").next().unwrap_or_default().trim_end_matches('.').to_string();
    let names: Vec<&str> = if name.members.is_empty() { vec![name.name] } else { name.members.to_vec() };
    names.into_iter().map(move |name| (name, first.clone()))
}

fn starting<'a>(current: &OsStr, names: impl Iterator<Item = (&'a str, String)>) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = names.filter(|(name, _)| name.starts_with(&*current));
    fitting
        .map(|(name, about)| {
            let help = (!about.is_empty()).then(|| about.into());
            CompletionCandidate::new(name).help(help)
        })
        .collect()
}

/// Files with one of these extensions, and folders on the way to them.
fn files(current: &OsStr, extensions: &'static [&'static str]) -> Vec<CompletionCandidate> {
    let fits = move |path: &Path| {
        path.is_dir() || path.extension().is_some_and(|own| extensions.iter().any(|known| own == *known))
    };
    PathCompleter::any().filter(fits).complete(current)
}
