//! What was found by attack: each did harm once.

use super::{SB, folder, litmus, litmus_in, stderr, stdout};

#[test]
fn a_long_name_can_be_drawn() {
    let test = SB.replacen("SB", &"n".repeat(300), 1);
    let dir = folder(&[("a.litmus", &test), ("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "a.litmus", "SB.litmus", "-m", "x86tso", "--graph", "."]);
    let run = { run }.assert().code(0);
    assert!(stdout(&run).contains("Test SB Allowed"));
    assert!(dir.path().join("SB-1.svg").exists());
}

#[test]
fn numbers_at_the_edge() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--timeout", "2e19"]).assert().code(0);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--timeout", "1e300"]).assert().code(0);
    let none = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--graph", "-", "--graphs", "0"])
        .assert()
        .code(2);
    assert!(stderr(&none).contains("a number from 1 on is needed"), "{}", stderr(&none));
}

/// Neither a test's text nor the name of its file may talk to the terminal.
#[test]
fn escape_sequences_are_shown_not_sent() {
    let test = "X86 a\n{}\n P0 ;\n MOV [x],$1 \u{1b}]0;owned\u{7}\u{1b}[2J ;\nexists (x=1)\n";
    let dir = folder(&[("\u{1b}[31ma.litmus", test), ("b.litmus", test)]);
    for color in ["never", "always"] {
        let run = litmus_in(dir.path(), &["run", ".", "-m", "sc", "--color", color]).assert().code(2);
        let said = stderr(&run);
        assert!(said.contains("owned␇␛[2J"), "{said}");
        assert!(!said.contains("\u{1b}]") && !said.contains("\u{1b}[2J") && !said.contains('\u{7}'));
        assert!(color == "always" || !said.contains('\u{1b}'), "{said}");
    }
}

#[test]
fn a_model_cannot_make_us_quote_any_file() {
    let model = "\"m\"\ninclude \"/etc/passwd\"\nacyclic po\n";
    let dir = folder(&[("SB.litmus", SB), ("m.cat", model)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "m.cat"]).assert().code(2);
    assert!(stderr(&run).contains("only files named `.cat` or `.bell` can be"), "{}", stderr(&run));
    assert!(!stderr(&run).contains("root:"));
}

#[test]
fn what_is_left_out_or_changed_is_said() {
    let test = "C u8\n{ uint8_t y=256; }\nP0(uint8_t *y) { int r0 = *y; }\nexists (0:r0=0)\n";
    let dir = folder(&[("a.litmus", test)]);
    let run = litmus_in(dir.path(), &["run", "a.litmus", "-m", "sc"]).assert().code(0);
    assert!(stderr(&run).contains("256 does not fit into the 8 bits of `y`"), "{}", stderr(&run));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", dir.path().join("b.litmus")).unwrap();
        let run = litmus_in(dir.path(), &["run", ".", "-m", "sc"]).assert().code(2);
        assert!(stderr(&run).contains("is a link to a file that is not there"), "{}", stderr(&run));
    }
}

/// A run that is taken up finds its tests again, however their headers are written, and the log stays as it is.
#[test]
fn resume_knows_tests_by_what_the_parser_calls_them() {
    let files = [
        ("a.litmus", format!("(* a comment *)\n{SB}")),
        ("b.litmus", SB.replacen("SB", "foo!bar", 1)),
        ("c.litmus", SB.replacen("SB", "foo.litmus.litmus", 1)),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let dir = folder(&files);
    let args = ["run", "a.litmus", "b.litmus", "c.litmus", "-m", "x86tso", "--resume", "log"];
    let _ = litmus_in(dir.path(), &args).assert();
    let log = std::fs::read_to_string(dir.path().join("log")).unwrap();
    let _ = litmus_in(dir.path(), &args).assert();
    assert_eq!(std::fs::read_to_string(dir.path().join("log")).unwrap(), log);
    assert!(!dir.path().join("log.lock").exists());
    // Someone who is alive holds it.
    std::fs::write(dir.path().join("log.lock"), std::process::id().to_string()).unwrap();
    let held = litmus_in(dir.path(), &args).assert().code(2);
    assert!(stderr(&held).contains("is being written by process"), "{}", stderr(&held));
}

/// Figures do not depend on the number of workers.
#[test]
fn the_same_figures_at_any_number_of_workers() {
    let dir = folder(&[]);
    for family in ["coherence", "threads", "ring"] {
        litmus_in(dir.path(), &["bench", family, "--sizes", "4", "--emit", "."]).assert().code(0);
    }
    for mode in ["count", "states", "check"] {
        let log = |jobs: &str| {
            // One test at a time: only then do its workers share it.
            let tests = ["coherence-4.litmus", "threads-4.litmus", "ring-4.litmus"];
            let run = |test: &&str| {
                let args = ["run", *test, "-m", "x86tso", "--mode", mode, "-j", jobs];
                super::without_times(&stdout(&litmus_in(dir.path(), &args).assert()))
            };
            tests.iter().map(run).collect::<String>()
        };
        let one = log("1");
        assert_eq!(log("2"), one, "{mode}");
        assert_eq!(log("3"), one, "{mode}");
    }
}

#[test]
fn json_lines_say_what_they_are() {
    let run = litmus(&["run", "litmus/2+2w-x86.litmus", "-m", "x86tso", "--format", "jsonl"]);
    let run = { run }.assert();
    let value: serde_json::Value = serde_json::from_str(stdout(&run).lines().next().unwrap_or("{}")).unwrap();
    assert_eq!(value["schema"], "litmus-results/1");
}

/// Files without end, in place of any file that an option names.
#[test]
#[cfg(target_os = "linux")]
fn options_that_name_files_without_end() {
    let dir = folder(&[("SB.litmus", SB)]);
    for args in [
        &["verify", "/dev/zero"][..],
        &["ltl", "SB.litmus", "F x==1", "--atomic", "/dev/zero"],
        &["run", "SB.litmus", "-m", "/dev/zero"],
        &["run", "SB.litmus", "-m", "sc", "--conf", "/dev/zero"],
        &["run", "SB.litmus", "-m", "sc", "--bell", "/dev/zero"],
        &["compile", "SB.litmus", "--mapping", "/dev/zero"],
        &["herd", "-model", "sc.cat", "-names", "/dev/zero", "SB.litmus"],
        &["herd", "-model", "sc.cat", "-kinds", "/dev/zero", "SB.litmus"],
    ] {
        let run = super::endless::confined(dir.path(), 8000, args).assert().code(2);
        assert!(
            stderr(&run).contains("/dev/zero") || stderr(&run).contains("64 MB"),
            "{args:?}: {}",
            stderr(&run)
        );
    }
}

/// Numbers that nobody means, and formulas that grow when they are written out.
#[test]
fn more_than_there_is_room_for() {
    let dir = folder(&[("SB.litmus", SB)]);
    let refused = |args: &[&str], what: &str| {
        let run = super::endless::confined(dir.path(), 4000, args).assert().code(2);
        assert!(stderr(&run).contains(what), "{args:?}: {}", stderr(&run));
    };
    refused(&["bench", "ring", "--sizes", "1..999999999999"], "sizes are from 1 to 10000");
    refused(
        &["ltl", "SB.litmus", "F x==99999999999999999999"],
        "does not fit the 32-bit values of the program",
    );
    let doubled = vec!["x==1 <-> y==1"; 2000].join(" <-> ");
    refused(&["ltl", "SB.litmus", &doubled], "the formula is too large");
    let doubled = vec!["x==1 W y==1"; 40].join(" W ");
    refused(&["ltl", "SB.litmus", &doubled], "the formula is too large");
    for operator in [" U ", " -> "] {
        let long = vec!["x==1"; 5_000].join(operator);
        refused(&["ltl", "SB.litmus", &long], "the formula is nested too deeply");
    }
    refused(&["model", "coverage", "sc", "--tests", "nosuch.litmus"], "there is no such file");
}
