//! Every `--help` ends with examples, and every example runs.

use std::path::Path;

use super::{litmus, litmus_in, stdout, words};

/// The examples at the end of a help text.
fn examples(help: &str) -> Vec<String> {
    let (_, tail) = help.split_once("Examples:\n").unwrap_or_default();
    tail.lines().map(|line| line.trim().to_string()).take_while(|line| !line.is_empty()).collect()
}

/// The subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let (_, tail) = help.split_once("Commands:\n").unwrap_or_default();
    tail.lines()
        .take_while(|line| !line.is_empty())
        // Continuation lines are further in.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(String::from))
        .collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => std::fs::copy(entry.path(), to.join(entry.file_name())).map(|_| ()).unwrap(),
        }
    }
}

#[test]
fn the_examples_of_every_help_text_run() {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"), &folder.path().join("litmus"));
    let mut commands = vec![Vec::<String>::new()];
    let top = stdout(&litmus(&["--help"]).assert().code(0));
    // A playground does not end by itself; `serve.rs` tries it.
    for name in subcommands(&top).into_iter().filter(|name| name != "serve") {
        commands.push(vec![name.clone()]);
        if name == "model" {
            let help = stdout(&litmus(&["model", "--help"]).assert().code(0));
            commands.extend(subcommands(&help).into_iter().map(|sub| vec![name.clone(), sub]));
        }
    }
    assert!(commands.len() > 12, "{commands:?}");
    for command in commands {
        let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
        args.push("--help");
        let help = stdout(&litmus(&args).assert().code(0));
        let found = examples(&help);
        assert!(!found.is_empty(), "`litmus {}` has no examples", args.join(" "));
        for example in found {
            let words = words(&example);
            assert_eq!(words[0], "litmus", "{example}");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            litmus_in(folder.path(), &words[1..]).assert().code(0);
        }
    }
}
