//! The command, from the outside: every subcommand, exit code and format.

mod arm;
mod attack;
mod campaign;
mod diagnostics;
mod diff;
mod edges;
mod endless;
mod examples;
mod explain;
mod fence;
mod formats;
mod gates;
mod graph;
mod herd;
mod html;
mod interrupt;
mod limits;
mod ltl;
mod mappings;
mod messages;
mod models;
mod other;
mod port;
mod progress;
mod questions;
mod rare;
mod readme;
mod refused;
mod run;
mod schema;
mod serve;
mod solver;
mod told_apart;
mod wrong;

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;

/// The command, started in the repository, without anything that the environment would change.
pub fn litmus(args: &[&str]) -> Command {
    litmus_in(Path::new(env!("CARGO_MANIFEST_DIR")), args)
}

/// The command, started in a folder.
pub fn litmus_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_litmus"));
    command.current_dir(folder).args(args).env_remove("HERDLIB").env_remove("NO_COLOR");
    command
}

/// Standard output, exit code and standard error in one text; times are blanked out.
pub fn shown(assert: &Assert) -> String {
    let output = assert.get_output();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    if !errors.is_empty() {
        text += &format!("--- stderr\n{errors}");
    }
    text += &format!("--- exit {}\n", output.status.code().unwrap_or(-1));
    without_times(&text)
}

/// A log without its `Time` figures.
pub fn without_times(text: &str) -> String {
    let mut clean = String::new();
    for line in text.lines() {
        match line.strip_prefix("Time ").and_then(|rest| rest.split_once(' ')) {
            Some((name, _)) => clean += &format!("Time {name} #\n"),
            None => clean += &format!("{line}\n"),
        }
    }
    clean
}

/// Standard output as text.
pub fn stdout(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

/// Standard error as text.
pub fn stderr(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).expect("a folder in it");
        }
        std::fs::write(path, text).expect("a file in it");
    }
    folder
}

/// Store buffering: x86-TSO allows it, SC does not.
pub const SB: &str = "X86 SB\n{}\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                      exists (0:EAX=0 /\\ 1:EAX=0)\n";

/// Message passing: both forbid it.
pub const MP: &str = "X86 MP\n{}\n P0         | P1          ;\n MOV [x],$1 | MOV EAX,[y] ;\n MOV [y],$1 | MOV EBX,[x] ;\n\
                      exists (1:EAX=1 /\\ 1:EBX=0)\n";

/// A spin loop: cut at the bound.
pub const SPIN: &str = "X86 SPIN\n{}\n P0         | P1          ;\n MOV [x],$1 | L0:         ;\n            | MOV EAX,[x] ;\n            | CMP EAX,$1  ;\n \
                           | JNE L0      ;\nforall (1:EAX=1)\n";

/// An instruction that does not exist.
pub const BAD: &str = "X86 BAD\n{}\n P0         ;\n MOOV [x],$1 ;\nexists (x=1)\n";

/// The words of a command line, as a shell takes them: single quotes hold a word together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
