//! `litmus run`: what it prints, and how it ends.

use super::{BAD, MP, SB, SPIN, folder, litmus, litmus_in, shown, stderr, stdout};

#[test]
fn the_first_run_of_the_readme() {
    insta::assert_snapshot!(shown(&litmus(&["run", "litmus/mp.litmus", "-m", "arm-a9.cat"]).assert().code(0)), @r"
    Test mp Allowed
    States 3
    1:R1=0; 1:R2=0;
    1:R1=0; 1:R2=1;
    1:R1=1; 1:R2=1;
    No
    Witnesses
    Positive: 0 Negative: 3
    Condition exists (1:R1=1 /\ 1:R2=0)
    Observation mp Never 0 3
    Time mp #
    Hash=a9ea29ed012cc7a26d0438c409270df7

    --- exit 0
    ");
}

#[test]
fn the_default_model_is_named_on_standard_error() {
    let dir = folder(&[("SB.litmus", SB)]);
    insta::assert_snapshot!(shown(&litmus_in(dir.path(), &["run", "SB.litmus"]).assert().code(0)), @r"
    Test SB Allowed
    States 4
    0:EAX=0; 1:EAX=0;
    0:EAX=0; 1:EAX=1;
    0:EAX=1; 1:EAX=0;
    0:EAX=1; 1:EAX=1;
    Ok
    Witnesses
    Positive: 1 Negative: 3
    Condition exists (0:EAX=0 /\ 1:EAX=0)
    Observation SB Sometimes 1 3
    Time SB #
    Hash=edd4722437d708675ed921e7607e77f0

    --- stderr
    X86: no -m given, using the model x86tso
    --- exit 0
    ");
}

#[test]
fn quiet_says_nothing_but_the_log() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "-q", "SB.litmus"]).assert().code(0);
    assert_eq!(stderr(&run), "");
    assert!(stdout(&run).starts_with("Test SB Allowed\n"));
}

#[test]
fn several_models_give_a_table_with_differences_marked() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "MP.litmus", "-m", "sc", "-m", "x86tso"]);
    insta::assert_snapshot!(shown(&{ run }.assert().code(0)), @r"
      Test  sc            x86tso
    ! SB    No Never 0/3  Ok Sometimes 1/4
      MP    No Never 0/3  No Never 0/3
    1 of 2 tests differs between the models (marked !)
    --- exit 0
    ");
}

#[test]
fn the_herd_format_is_refused_for_several_models() {
    let run =
        litmus(&["run", "litmus/mp.litmus", "-m", "sc", "-m", "weak", "--format", "herd"]).assert().code(2);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    error: the herd format holds one model at a time; with several -m use --format table, html, json, jsonl, csv or junit
    --- exit 2
    ");
}

#[test]
fn from_standard_input() {
    let run = litmus(&["run", "-", "-m", "sc"]).write_stdin(SB).assert().code(0);
    assert!(stdout(&run).starts_with("Test SB Allowed\nStates 3\n"), "{}", stdout(&run));
}

#[test]
fn folders_lists_and_patterns() {
    let dir = folder(&[
        ("a/SB.litmus", SB),
        ("a/deep/MP.litmus", MP),
        ("@list", "# two\na/SB.litmus\n\na/deep/MP.litmus\n"),
        ("b/plain.txt", "../a/SB.litmus\n../a/deep/MP.litmus\n"),
    ]);
    for tests in ["a", "@list", "@b/plain.txt"] {
        let run = litmus_in(dir.path(), &["run", "-q", "-m", "sc", tests]).assert().code(0);
        let names: Vec<String> =
            stdout(&run).lines().filter(|l| l.starts_with("Test ")).map(String::from).collect();
        assert_eq!(names, ["Test SB Allowed", "Test MP Allowed"], "{tests}");
    }
    let run = litmus_in(dir.path(), &["run", "-q", "-m", "sc", "a/*/*.litmus"]).assert().code(0);
    assert!(stdout(&run).starts_with("Test MP Allowed\n"));
}

#[test]
fn one_broken_test_is_reported_and_passed_over() {
    let dir = folder(&[("1.litmus", BAD), ("2.litmus", SB)]);
    let run =
        litmus_in(dir.path(), &["run", "1.litmus", "2.litmus", "gone.litmus", "-m", "sc"]).assert().code(2);
    assert!(stdout(&run).starts_with("Test SB Allowed\n"));
    insta::assert_snapshot!(stderr(&run), @r"
    error[arch::unknown-instruction]: unknown X86 instruction `MOOV`
      ┌─ 1.litmus:4:2
      │
    4 │  MOOV [x],$1 ;
      │  ^^^^ not an instruction that this tool knows
      │
      = help: did you mean `MOV`?

    error[file::unreadable]: cannot read the test `gone.litmus`: there is no such file
    ");
}

#[test]
fn a_model_that_is_not_there() {
    let run = litmus(&["run", "litmus/mp.litmus", "-m", "arma9"]).assert().code(2);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    litmus/mp.litmus: error[cat::file-not-found]: cannot find `arma9`
     = help: there is `arm-a9` in the library: did you mean that?
     = note: searched, in this order:
         arma9.cat
         the library (`litmus model list`)
         arma9

    --- exit 2
    ");
}

#[test]
fn a_broken_model_is_reported_once() {
    let dir = folder(&[("m.cat", "acyclic po | rff as c\n"), ("SB.litmus", SB), ("MP.litmus", MP)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "MP.litmus", "-m", "m.cat"]).assert().code(2);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    SB.litmus: error[cat::unknown-name]: `rff` is not defined
      ┌─ m.cat:1:14
      │
    1 │ acyclic po | rff as c
      │              ^^^ not defined here, nor by this architecture
      │
      = help: did you mean `rf`?

    1 more test not run: the model could not be loaded
    --- exit 2
    ");
}

#[test]
fn a_model_of_another_architecture_names_both() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "aarch64"]).assert().code(2);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    SB.litmus: error[model::other-architecture]: the test is for X86, but the model `aarch64` is for AArch64
     = help: `x86tso` is a model for X86; --no-arch-check takes this one all the same

    --- exit 2
    ");
}

#[test]
fn a_loop_is_cut_and_that_is_said() {
    let dir = folder(&[("SPIN.litmus", SPIN)]);
    let run = litmus_in(dir.path(), &["run", "SPIN.litmus", "-m", "sc"]).assert().code(0);
    insta::assert_snapshot!(shown(&run), @r#"
    Test SPIN Required
    States 1
    1:EAX=1;
    Loop Ok
    Witnesses
    Positive: 3 Negative: 0
    Condition forall (1:EAX=1)
    Observation SPIN Always 3 0
    Time SPIN #
    Hash=e6c72fa62f88659113e2fa63b9ffd25c

    --- stderr
    Warning: File "SPIN.litmus": unrolling limit exceeded at L0, legal outcomes may be missing.
    SPIN.litmus: SPIN: bounded: the loop at L0 of P1 (line 7) was cut off by --unroll; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
    --- exit 0
    "#);
    litmus_in(dir.path(), &["run", "SPIN.litmus", "-m", "sc", "--strict"]).assert().code(4);
}

#[test]
fn expectations() {
    let dir = folder(&[
        ("SB.litmus", SB),
        ("MP.litmus", MP),
        ("kinds", "SB Allowed\nMP Forbid\n"),
        ("bad", "SB Maybe\n"),
    ]);
    let run = |args: &[&str]| {
        let mut all = vec!["run", "SB.litmus", "MP.litmus", "-q"];
        all.extend(args);
        litmus_in(dir.path(), &all).assert()
    };
    run(&["-m", "x86tso", "--expect", "kinds"]).code(0);
    run(&["-m", "sc", "--expect", "forbidden"]).code(0);
    let failed = run(&["-m", "sc", "--expect", "kinds"]).code(1);
    insta::assert_snapshot!(stderr(&failed), @"SB.litmus: SB: expected the observation Allowed, got Never");
    insta::assert_snapshot!(stderr(&run(&["--expect", "bad"]).code(2)), @"error: bad:1: `SB Maybe` is not of the form `NAME WORD` with one of ok, no, undef, never, sometimes, always, allowed, forbidden, required");
    insta::assert_snapshot!(stderr(&run(&["--expect", "perhaps"]).code(2)), @"error: --expect takes ok, no, undef, never, sometimes, always, allowed, forbidden, required, or a file; there is no file `perhaps`");
}

#[test]
fn a_log_as_expectation() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "-o", "tso.log"]).assert().code(0);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "--expect", "tso.log"]).assert().code(0);
    let run =
        litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--expect", "tso.log"]).assert().code(1);
    insta::assert_snapshot!(stderr(&run), @"SB.litmus: SB: expected the log's verdict Ok, got No");
}

#[test]
fn strict_runs_fail_on_violated_assertions() {
    let forall = SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "forall (0:EAX=1 \\/ 1:EAX=1)");
    let dir = folder(&[("F.litmus", &forall)]);
    litmus_in(dir.path(), &["run", "F.litmus", "-m", "x86tso"]).assert().code(0);
    litmus_in(dir.path(), &["run", "F.litmus", "-m", "sc", "--strict"]).assert().code(0);
    let run = litmus_in(dir.path(), &["run", "F.litmus", "-m", "x86tso", "--strict", "-q"]).assert().code(1);
    insta::assert_snapshot!(stderr(&run), @r"F.litmus: SB: its condition is violated: forall (0:EAX=1 \/ 1:EAX=1)");
}

#[test]
fn limits_have_their_own_exit_code() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "--max-executions", "2"])
        .assert()
        .code(4);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    SB.litmus: SB: the limit on executions was reached; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
      not in the log; seen so far: 2 executions, 0 of them with (0:EAX=0 /\ 1:EAX=0)
      0:EAX=1; 1:EAX=0;
      0:EAX=1; 1:EAX=1;
    --- exit 4
    ");
    let run = litmus_in(
        dir.path(),
        &["run", "SB.litmus", "-m", "x86tso", "--max-executions", "2", "--format", "csv"],
    )
    .assert()
    .code(4);
    assert!(stdout(&run).contains(",execution-limit,"), "{}", stdout(&run));
    // A test does not go missing without a word.
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "--max-executions", "2", "-q"])
        .assert()
        .code(4);
    assert_eq!(stderr(&run).lines().count(), 1, "{}", stderr(&run));
}

#[test]
fn nothing_at_all_is_explained() {
    let dir = folder(&[("none.cat", "empty W as nothing-is-allowed\n"), ("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "none.cat"]).assert().code(0);
    insta::assert_snapshot!(stderr(&run), @"SB.litmus: SB: no execution at all: every candidate was refuted: `nothing-is-allowed` refuted 1");
    // Also where the check leaves reads nothing to take their values from.
    let dir = folder(&[("none.cat", "include \"cos.cat\"\nempty rf as nobody-reads\n"), ("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "none.cat"]).assert().code(0);
    insta::assert_snapshot!(stderr(&run), @"SB.litmus: SB: no execution at all: every candidate was refuted: `nobody-reads` refuted 4");
}

#[test]
fn modes_agree_on_the_states() {
    let dir = folder(&[("SB.litmus", SB)]);
    let states = |mode: &str| {
        let run = litmus_in(dir.path(), &["run", "-q", "SB.litmus", "-m", "x86tso", "--mode", mode])
            .assert()
            .code(0);
        stdout(&run).lines().filter(|l| l.starts_with("0:")).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(states("count"), states("states"));
    assert!(!states("check").is_empty());
}

#[test]
fn the_oracle_gives_the_same_log() {
    let log = |engine: &str| {
        let args = ["run", "litmus/*-x86.litmus", "litmus/*-arm.litmus", "-q", "--engine", engine];
        super::without_times(&stdout(&litmus(&args).assert().code(0)))
    };
    assert_eq!(log("explore"), log("naive"));
}

#[test]
fn figures_of_the_search() {
    let dir = folder(&[("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "--stats"]).assert().code(0);
    let said = stderr(&run);
    let (first, rest) = said.split_once('\n').expect("several lines");
    assert!(first.starts_with("SB: 3 executions in ") && first.contains("/s), 7 graphs ("), "{first}");
    insta::assert_snapshot!(rest, @r"
             1 worlds: combinations of paths, one of each thread
             1 times atomic was found to hold whatever is chosen, and dropped
             1 branches refuted by sc
    ");
}

#[test]
fn figures_say_which_check_rules_out_what() {
    let dir = folder(&[]);
    litmus_in(dir.path(), &["bench", "coherence", "--sizes", "3", "--emit", "."]).assert().code(0);
    let run = litmus_in(dir.path(), &["run", "coherence-3.litmus", "-m", "sc", "--stats"]).assert().code(0);
    let said = stderr(&run);
    let (_, rest) = said.split_once('\n').expect("several lines");
    insta::assert_snapshot!(rest, @r"
             1 worlds: combinations of paths, one of each thread
             1 times atomic was found to hold whatever is chosen, and dropped
            15 alternatives never tried: ruled out by sc
            10 branches refuted by sc
    ");
}

#[test]
fn figures_of_a_search_with_branches() {
    let dir = folder(&[("SPIN.litmus", SPIN)]);
    let run = litmus_in(dir.path(), &["run", "SPIN.litmus", "--stats", "-q"]).assert().code(0);
    let said = stderr(&run);
    let (_, rest) = said.split_once('\n').expect("several lines");
    insta::assert_snapshot!(rest, @r"
             4 worlds: combinations of paths, one of each thread
             3 paths speculated, at branches and addresses not known yet
             3 times atomic was found to hold whatever is chosen, and dropped
    ");
}

#[test]
fn colour_only_where_asked_for() {
    let dir = folder(&[("1.litmus", BAD)]);
    let plain = litmus_in(dir.path(), &["run", "1.litmus"]).assert().code(2);
    assert!(!stderr(&plain).contains('\u{1b}'));
    let colored = litmus_in(dir.path(), &["run", "1.litmus", "--color", "always"]).assert().code(2);
    assert!(stderr(&colored).contains('\u{1b}'));
    let never = litmus_in(dir.path(), &["run", "1.litmus", "--color", "never"]).assert().code(2);
    assert!(!stderr(&never).contains('\u{1b}'));
}

#[test]
fn wrong_options_are_bad_input() {
    for args in [
        &["run"][..],
        &["run", "x.litmus", "--timeout", "0"],
        &["run", "x.litmus", "--jobs", "0"],
        &["run", "x.litmus", "--shard", "3/2"],
        &["run", "x.litmus", "--mode", "guess"],
        &["run", "litmus/mp.litmus", "--conf", "gone.cfg"],
        &["nonsense"],
        &[],
    ] {
        litmus(args).assert().code(2);
    }
}

#[test]
fn the_reader_of_a_pipe_may_go_away() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_litmus"))
        .args(["run", "litmus", "-q"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn standard_input_serves_several_models() {
    let run = litmus(&["run", "-", "-m", "sc", "-m", "tso"]).write_stdin(SB).assert().code(0);
    insta::assert_snapshot!(shown(&run), @r"
      Test  sc            tso
    ! SB    No Never 0/3  Ok Sometimes 1/4
    1 of 1 test differs between the models (marked !)
    --- exit 0
    ");
}

#[test]
fn a_file_that_is_no_text() {
    let dir = folder(&[("nul.litmus", "X86 nul\n{}\n P0 ;\n MOV [x],\0$1 ;\nexists (x=1)\n")]);
    let run = litmus_in(dir.path(), &["run", "nul.litmus"]).assert().code(2);
    insta::assert_snapshot!(shown(&run), @r"
    --- stderr
    error[file::not-text]: `nul.litmus` is not a text file: it holds a NUL byte

    --- exit 2
    ");
}

#[test]
fn a_model_that_has_no_answer_is_no_difference() {
    let dir = folder(&[("SB.litmus", SB), ("MP.litmus", MP)]);
    let run =
        litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "-m", "ppc", "-m", "sc"]).assert().code(0);
    insta::assert_snapshot!(stdout(&run), @r"
      Test  sc            ppc  sc
      SB    No Never 0/3  n/a  No Never 0/3
    0 of 1 test differ between the models (marked !)
    ");
}

/// A model may choose among tags: each is a run of its own, and one of these forbids reading from another thread.
#[test]
fn a_choice_of_tags() {
    let model = "enum strength = 'weak || 'strong\nwith how from strength\n\
        let rule = match how with || 'weak -> 0 || 'strong -> ([W \\ IW]; rf) & ext end\nempty rule as rule\n";
    let dir = folder(&[("SB.litmus", SB), ("model.cat", model)]);
    let run = litmus_in(dir.path(), &["run", "SB.litmus", "-m", "./model.cat"]).assert().success();
    // Four under `weak`, and the one under `strong` in which both read the initial values.
    assert!(stdout(&run).contains("Positive: 2 Negative: 3"), "{}", stdout(&run));
}

/// An output file is emptied before anything is read: it must not be a test, nor the model under any of its names.
#[test]
fn output_does_not_destroy_input() {
    let model = "acyclic po | rf as hb\n";
    let dir = folder(&[("SB.litmus", SB), ("model.cat", model), ("m/other.cat", model)]);
    for (args, file) in [
        (&["-m", "sc", "-o", "SB.litmus"][..], "SB.litmus"),
        (&["-m", "sc", "-o", "./m/../SB.litmus"], "SB.litmus"),
        (&["-m", "sc", "--resume", "SB.litmus"], "SB.litmus"),
        (&["-m", "model", "-o", "model.cat"], "model.cat"),
        (&["-m", "sc", "-m", "./model.cat", "-o", "model.cat"], "model.cat"),
        (&["-m", "other", "-I", "m", "-o", "m/other.cat"], "m/other.cat"),
    ] {
        let before = std::fs::read_to_string(dir.path().join(file)).expect("a file");
        let run = litmus_in(dir.path(), &[&["run", "SB.litmus"], args].concat()).assert().code(2);
        assert!(stderr(&run).contains("is read by this run: its output cannot go there"), "{}", stderr(&run));
        assert_eq!(std::fs::read_to_string(dir.path().join(file)).expect("a file"), before);
    }
}

#[test]
fn standard_input_is_read_once() {
    let run = litmus(&["run", "-", "-", "-m", "sc"]).write_stdin(SB).assert().code(2);
    assert!(stdout(&run).contains("Observation SB"), "{}", stdout(&run));
    assert_eq!(stderr(&run), "error: standard input (`-`) can be read only once\n");
}

/// What is wrong with a test is said once, however many models it is run under; and tests are not counted once per model.
#[test]
fn a_broken_test_under_two_models() {
    let dir = folder(&[("a.litmus", BAD), ("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["run", "a.litmus", "SB.litmus", "-m", "sc", "-m", "x86tso", "-v"])
        .assert()
        .code(2);
    let said = stderr(&run);
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    assert!(said.contains("2 tests under 2 models, 2 answered, 2 with errors in "), "{said}");
}

/// A folder that cannot be read is named, and the tests beside it run. Who has all rights can read it: nothing to see then.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder(&[("t/a/SB.litmus", SB), ("t/b/closed.litmus", SB), ("t/c/MP.litmus", MP)]);
    let closed = dir.path().join("t/b");
    let set =
        |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).expect("permissions");
    set(0o000);
    let refused = std::fs::read_dir(&closed).is_err();
    let run = litmus_in(dir.path(), &["run", "t", "-m", "sc"]).assert();
    set(0o755);
    if refused {
        let said = shown(&run);
        assert!(
            said.contains("Test SB") && said.contains("Test MP") && said.contains("--- exit 2"),
            "{said}"
        );
        assert!(said.contains("cannot read the folder `t/b`"), "{said}");
    }
}

/// No execution is left: a filter is blamed for what it hides; who asks only for witnesses is not told that there are none.
#[test]
fn no_execution_for_want_of_witnesses() {
    let filtered = SB.replace("exists", "filter (0:EAX=7)\nexists");
    let dir = folder(&[("SB.litmus", SB), ("filtered.litmus", &filtered)]);
    let run = litmus_in(dir.path(), &["run", "filtered.litmus", "-m", "sc"]).assert().code(0);
    assert!(
        stderr(&run).contains("the filter refuses every execution that the model allows"),
        "{}",
        stderr(&run)
    );
    let run = litmus_in(dir.path(), &["herd", "-speedcheck", "true", "-model", "sc.cat", "SB.litmus"])
        .assert()
        .code(0);
    assert!(stdout(&run).contains("States 0") && stderr(&run).is_empty(), "{}", shown(&run));
}

/// A loop that no execution runs more often than the bound allows is no reason for doubt; one that waits is.
#[test]
fn the_bound_is_examined() {
    let round = |n: u32| {
        format!(
            "P{n}(atomic_int* x) {{\n  int r = 0;\n  int ok = 0;\n  do {{\n    r = atomic_load_explicit(x, memory_order_relaxed);\n    \
             ok = atomic_compare_exchange_strong_explicit(x, &r, r + 1, memory_order_relaxed, memory_order_relaxed);\n  }} while (!ok);\n}}\n"
        )
    };
    let counter = format!("C counter\n{{}}\n{}{}forall (x=2)", round(0), round(1));
    let waits = "C waits\n{}\nP0(atomic_int* x) {\n  int r = 0;\n  while (r == 0) { r = atomic_load_explicit(x, memory_order_relaxed); }\n}\n\
                 P1(atomic_int* x) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\nexists (0:r=1)";
    let folder = super::folder(&[("counter.litmus", counter.as_str()), ("waits.litmus", waits)]);
    let run = |args: &[&str]| {
        let args: Vec<&str> = ["run", "-m", "rc11"].iter().chain(args).copied().collect();
        super::litmus_in(folder.path(), &args).assert()
    };
    let assert = run(&["counter.litmus", "--strict"]).code(0);
    assert!(stdout(&assert).contains("Observation counter Always 4 0"), "{}", stdout(&assert));
    assert_eq!(super::stderr(&assert), "");
    run(&["waits.litmus", "--strict"]).code(4);
    let kept = stdout(&run(&["waits.litmus", "--cut", "keep"]).code(0));
    insta::assert_snapshot!(super::without_times(&kept), @"
    Test waits Allowed
    States 1
    0:r=1;
    Loop Ok
    Witnesses
    Positive: 2 Negative: 0
    Condition exists (0:r=1)
    Observation waits Always 2 0
    Uncompleted waits 1
    Uncompleted 0:r=0;
    Time waits #
    Hash=8e3f34b853f281a9e4cc9620ea59c91a
    ");
    let left = stdout(&run(&["waits.litmus", "--cut", "exit"]).code(0));
    assert!(left.contains("0:r=0;") && left.contains("0:r=1;") && !left.contains("Loop"), "{left}");
}
