//! One long test, or one long program, shows on a terminal that it is alive.

#![cfg(target_os = "linux")]

use std::path::Path;

use assert_cmd::Command;

use super::folder;

/// What the command shows on a terminal, as `script` makes one; `None` where there is no `script`.
fn on_a_terminal(folder: &Path, args: &[&str]) -> Option<String> {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("{} {} >log", env!("CARGO_BIN_EXE_litmus"), quoted.join(" "));
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "typescript"])
        .current_dir(folder)
        .env("TERM", "xterm")
        .env("COLUMNS", "120");
    command.timeout(std::time::Duration::from_secs(120));
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_long_search_shows_how_far_it_is() {
    let dir = folder(&[("long.litmus", &super::interrupt::search())]);
    let args = ["run", "long.litmus", "-m", "x86tso", "--timeout", "3", "--engine", "worlds"];
    let Some(shown) = on_a_terminal(dir.path(), &args) else { return };
    assert!(shown.contains(" executions") && shown.contains("/s)"), "{shown}");
    let quiet = on_a_terminal(dir.path(), &[&args[..], &["-q"]].concat()).unwrap_or_default();
    assert!(!quiet.contains("/s)"), "{quiet}");
}

#[test]
fn a_long_program_shows_how_far_it_is() {
    let program = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\nvoid *add(void *unused) { for (int i = 0; i < 9; i++) atomic_fetch_add(&x, 1); return 0; }\n\
                   int main(void) {\n  pthread_t t[6];\n  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, add, 0);\n  return 0;\n}\n";
    let dir = folder(&[("a.c", program)]);
    let Some(shown) = on_a_terminal(dir.path(), &["verify", "a.c", "--timeout", "3"]) else { return };
    assert!(shown.contains(" executions (") && shown.contains("/s)"), "{shown}");
}
