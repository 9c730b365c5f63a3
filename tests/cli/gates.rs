//! What `run --expect`, `run --strict`, `check`, `model check` and `merge` must not let through: the rows of the table in
//! `docs/exit-codes.md`.

use assert_cmd::assert::Assert;

use super::{MP, SB, SPIN, folder, litmus_in, shown, stderr, stdout};

/// A race, as C11 sees it.
const RACE: &str = "C RACE\n{}\nP0 (int* x) { *x = 1; }\nP1 (int* x) { int r0 = *x; }\nexists (1:r0=0)\n";

/// SB with another condition.
fn sb(condition: &str) -> String {
    SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", condition)
}

/// `litmus run T.litmus` with more arguments, in a folder with the test and models that refuse everything or nothing.
fn run(test: &str, args: &[&str]) -> Assert {
    let dir = folder(&[
        ("T.litmus", test),
        ("none.cat", "~empty 0 as nothing\n"),
        ("undef.cat", "undefined_unless empty W as no-writes\n"),
        ("flag.cat", "flag ~empty (W*R) & loc & ext as race\n"),
    ]);
    let mut all = vec!["run", "T.litmus", "-q"];
    all.extend(args);
    litmus_in(dir.path(), &all).assert()
}

#[test]
fn no_execution_at_all_meets_no_word() {
    for mode in ["count", "states", "check"] {
        for word in ["never", "sometimes", "always", "allowed", "ok", "no", "undef"] {
            run(SB, &["-m", "none.cat", "--mode", mode, "--expect", word]).code(1);
        }
        run(&sb("~exists (0:EAX=0)"), &["-m", "none.cat", "--mode", mode, "--expect", "ok"]).code(1);
        run(&sb("forall (0:EAX=0)"), &["-m", "none.cat", "--mode", mode, "--strict"]).code(1);
    }
    let said = stderr(&run(SB, &["-m", "none.cat", "--mode", "check", "--expect", "never"]).code(1));
    insta::assert_snapshot!(said, @"T.litmus: SB: expected the observation Never, but there is no execution at all: every candidate was refuted: `nothing` refuted 1");
}

#[test]
fn undefined_behaviour_meets_no_word_but_undef() {
    for mode in ["count", "states", "check"] {
        for word in ["never", "sometimes", "always", "allowed", "ok", "no"] {
            run(SB, &["-m", "undef.cat", "--mode", mode, "--expect", word]).code(1);
        }
        run(SB, &["-m", "undef.cat", "--mode", mode, "--expect", "undef"]).code(0);
    }
    insta::assert_snapshot!(stderr(&run(SB, &["-m", "undef.cat", "--strict"]).code(1)), @"T.litmus: SB: its behaviour is undefined");
}

#[test]
fn a_cut_loop_leaves_words_undecided() {
    let never = SPIN.replace("forall (1:EAX=1)", "exists (1:EAX=2)");
    for mode in ["count", "states", "check"] {
        run(&never, &["-m", "sc", "--mode", mode, "--expect", "never"]).code(4);
        run(&never, &["-m", "sc", "--mode", mode, "--expect", "no"]).code(4);
        run(SPIN, &["-m", "sc", "--mode", mode, "--expect", "ok"]).code(4);
        // What was seen is certain.
        run(&never.replace("=2", "=1"), &["-m", "sc", "--mode", mode, "--expect", "allowed"]).code(0);
        run(&never.replace("=2", "=1"), &["-m", "sc", "--mode", mode, "--expect", "never"]).code(1);
    }
    let said = stderr(&run(&never, &["-m", "sc", "--expect", "never"]).code(4));
    insta::assert_snapshot!(said, @"T.litmus: SPIN: expected the observation Never, which is not certain: bounded: the loop at L0 of P1 (line 7) was cut off by --unroll");
    let json = stdout(&run(&never, &["-m", "sc", "--expect", "never", "--format", "json"]).code(4));
    assert!(json.contains("\"met\": false") || json.contains("\"met\":false"), "{json}");
}

/// Of one kind of executions mode check knows only whether there are any.
#[test]
fn mode_check_knows_what_it_knows() {
    let check = |condition: &str, word: &str, code: i32| {
        run(&sb(condition), &["-m", "x86tso", "--mode", "check", "--expect", word]).code(code);
    };
    for (word, code) in [("ok", 0), ("always", 0), ("allowed", 0), ("no", 1), ("never", 1), ("sometimes", 1)]
    {
        check("forall (0:EAX=0 \\/ 0:EAX=1)", word, code);
    }
    for (word, code) in [("ok", 1), ("always", 1), ("no", 0), ("never", 4), ("sometimes", 4), ("allowed", 4)]
    {
        check("forall (0:EAX=0)", word, code);
    }
    for quantifier in ["exists", "~exists"] {
        let negated = quantifier == "~exists";
        let verdict = |holds: bool| if holds != negated { ["ok", "no"] } else { ["no", "ok"] };
        let [right, wrong] = verdict(true);
        for (word, code) in
            [(right, 0), (wrong, 1), ("allowed", 0), ("never", 1), ("always", 4), ("sometimes", 4)]
        {
            check(&format!("{quantifier} (0:EAX=0 /\\ 1:EAX=0)"), word, code);
        }
        let [right, wrong] = verdict(false);
        for (word, code) in
            [(right, 0), (wrong, 1), ("never", 0), ("allowed", 1), ("always", 1), ("sometimes", 1)]
        {
            check(&format!("{quantifier} (0:EAX=2)"), word, code);
        }
    }
    let observation = |condition: &str| {
        let log = stdout(&run(&sb(condition), &["-m", "x86tso", "--mode", "check"]).code(0));
        log.lines().find(|line| line.starts_with("Observation ")).map(str::to_string)
    };
    assert_eq!(observation("forall (0:EAX=0 \\/ 0:EAX=1)").as_deref(), Some("Observation SB Always 0 0"));
    assert_eq!(observation("forall (0:EAX=0)").as_deref(), Some("Observation SB Sometimes 0 1"));
    assert_eq!(observation("exists (0:EAX=0)").as_deref(), Some("Observation SB Sometimes 1 0"));
    assert_eq!(observation("exists (0:EAX=3)").as_deref(), Some("Observation SB Never 0 0"));
}

/// A reference log has all states; mode check stops at the one that decides.
#[test]
fn a_log_in_mode_check_is_a_log_of_verdicts() {
    let dir = folder(&[("SB.litmus", SB)]);
    litmus_in(dir.path(), &["run", "SB.litmus", "-m", "x86tso", "-o", "tso.log"]).assert().code(0);
    let check = |model: &str| {
        litmus_in(dir.path(), &["run", "SB.litmus", "-m", model, "--mode", "check", "--expect", "tso.log"])
            .assert()
    };
    check("x86tso").code(0);
    check("sc").code(1);
}

#[test]
fn strict_runs_fail_on_flags() {
    let said = stderr(&run(SB, &["-m", "flag.cat", "--strict"]).code(1));
    insta::assert_snapshot!(said, @"T.litmus: SB: the model flags it: race");
    run(SB, &["-m", "flag.cat", "--strict", "--expect", "sometimes"]).code(1);
    run(SB, &["-m", "flag.cat"]).code(0);
    let junit = stdout(&run(SB, &["-m", "flag.cat", "--strict", "--format", "junit"]).code(1));
    assert!(junit.contains("failures=\"1\"") && junit.contains("\nFlag race\n"), "{junit}");
    let junit = stdout(&run(SB, &["-m", "flag.cat", "--format", "junit"]).code(0));
    assert!(junit.contains("failures=\"0\"") && junit.contains("\nFlag race\n"), "{junit}");
    // A data race of C11 makes the behaviour undefined.
    insta::assert_snapshot!(stderr(&run(RACE, &["-m", "c11", "--strict"]).code(1)), @"T.litmus: RACE: its behaviour is undefined");
    run(RACE, &["-m", "c11"]).code(0);
}

/// A file of expectations and a run are about the same tests.
#[test]
fn expectation_files_and_tests_match() {
    let dir = folder(&[
        ("SB.litmus", SB),
        ("MP.litmus", MP),
        ("one", "SB Allowed\n"),
        ("both", "SB Allowed\nMP never\n"),
        ("more", "SB Allowed\nMP never\nLB never\nR never\n"),
        ("twice", "SB Allowed\nSB never\n"),
        ("empty", "# nothing yet\n"),
    ]);
    let run = |args: &[&str]| {
        let mut all = vec!["run", "-m", "x86tso", "-q"];
        all.extend(args);
        litmus_in(dir.path(), &all).assert()
    };
    run(&["SB.litmus", "MP.litmus", "--expect", "both"]).code(0);
    let said = stderr(&run(&["SB.litmus", "MP.litmus", "--expect", "one"]).code(1));
    insta::assert_snapshot!(said, @"MP.litmus: MP: `one` says nothing of this test");
    let said = stderr(&run(&["SB.litmus", "MP.litmus", "--expect", "more"]).code(1));
    insta::assert_snapshot!(said, @"error: `more` expects something of LB, R: not run");
    // The other parts run the others.
    run(&["SB.litmus", "MP.litmus", "--expect", "both", "--shard", "1/2"]).code(0);
    insta::assert_snapshot!(stderr(&run(&["SB.litmus", "--expect", "twice"]).code(2)), @"error: twice:2: something else is expected of SB above");
    insta::assert_snapshot!(stderr(&run(&["SB.litmus", "--expect", "empty"]).code(2)), @"error: there is no expectation in `empty`");
    run(&["SB.litmus", "MP.litmus", "-o", "tso.log"]).code(0);
    run(&["SB.litmus", "--expect", "tso.log"]).code(1);
}

#[test]
fn what_is_no_log_is_not_merged() {
    let dir = folder(&[("passwd", "root:x:0:0:root:/root:/bin/bash\n"), ("empty", "")]);
    let merge = litmus_in(dir.path(), &["merge", "passwd"]).assert().code(2);
    insta::assert_snapshot!(stderr(&merge), @"error: there is no result in `passwd`: is it a log of herd7, litmus7 or ours?");
    // The log of a part without tests.
    litmus_in(dir.path(), &["merge", "empty"]).assert().code(0);
}

#[test]
fn a_model_with_an_unbound_name_is_refused() {
    let dir = folder(&[
        ("poo.cat", "acyclic poo as order\n"),
        ("whole.cat", "let poo = po\ninclude \"poo.cat\"\n"),
        ("unused.cat", "let f = poo\nacyclic po as order\n"),
    ]);
    let check = |args: &[&str]| {
        let mut all = vec!["model", "check"];
        all.extend(args);
        litmus_in(dir.path(), &all).assert()
    };
    let refused = check(&["poo.cat"]).code(2);
    insta::assert_snapshot!(shown(&refused), @"
    poo.cat: error
    --- stderr
    error[cat::unknown-name]: `poo` is not defined
      ┌─ poo.cat:1:9
      │
    1 │ acyclic poo as order
      │         ^^^ not defined here, nor by this architecture
      │
      = help: did you mean `po`?
      = help: if another model includes this file and binds the name: --parts

    --- exit 2
    ");
    assert!(litmus::Model::named(&dir.path().join("poo.cat").display().to_string()).is_err());
    assert!(litmus::Model::named(&dir.path().join("whole.cat").display().to_string()).is_ok());
    // A part of a model is none, unless it is asked for, or stands beside one that includes it.
    insta::assert_snapshot!(shown(&check(&["--parts", "poo.cat"]).code(0)), @r"
    poo.cat: ok (any architecture, 1 step, bound by nothing here: poo)
    --- stderr
    warning[question::axiom]: no execution of any test can violate the check `order`
      ┌─ poo.cat:1:1
      │
    1 │ acyclic poo as order
      │ ^^^^^^^^^^^^^^^^^^^^ this is empty in every execution

    --- exit 0
    ");
    insta::assert_snapshot!(stdout(&check(&["poo.cat", "whole.cat"]).code(0)), @r"
    poo.cat: ok (any architecture, 1 step, bound by nothing here: poo)
    whole.cat: ok (any architecture, 1 step)
    ");
    check(&["."]).code(0);
    // What nothing uses does no harm, but is told.
    let said = stderr(&check(&["unused.cat"]).code(0));
    assert!(said.contains("poo"), "{said}");
    // Parts of the library.
    litmus_in(dir.path(), &["model", "check", "filters.cat", "cos.cat"]).assert().code(0);
}

#[test]
fn checks_to_skip_are_those_of_the_model() {
    let refused = run(SB, &["-m", "sc", "--skip-checks", "nonsense"]).code(2);
    insta::assert_snapshot!(stderr(&refused), @r"
    T.litmus: error[model::no-such-check]: there is no check `nonsense` to skip in the model `sc`
     = help: there are atomic, sc
    ");
    let near = stderr(&run(SB, &["-m", "x86tso", "--skip-checks", "coherenc"]).code(2));
    assert!(near.contains("did you mean"), "{near}");
    let dir = folder(&[
        ("SB.litmus", SB),
        (
            "m.cat",
            "include \"cos.cat\"\nacyclic po | rf | fr | co as sc\nprocedure p(r) = acyclic r end\ncall p(po) as order\n",
        ),
    ]);
    let skip = |names: &str, more: &[&str]| {
        let mut all = vec!["run", "SB.litmus", "-m", "m.cat", "--skip-checks", names];
        all.extend(more);
        litmus_in(dir.path(), &all).assert().code(0)
    };
    insta::assert_snapshot!(stderr(&skip("sc", &[])), @"m.cat: without the check `sc`");
    insta::assert_snapshot!(stderr(&skip("sc,order,p", &[])), @"m.cat: without the checks `order`, `p`, `sc`");
    let json = stdout(&skip("sc", &["--format", "json"]));
    assert!(
        json.contains("\"skipped_checks\": [\n        \"sc\"")
            || json.contains("\"skipped_checks\":[\"sc\"]"),
        "{json}"
    );
    let csv = stdout(&skip("sc", &["--format", "csv"]));
    assert!(csv.contains("without the check `sc`"), "{csv}");
    let drawn = stdout(&skip("sc", &["--graph", "-"]));
    assert!(drawn.contains("Test SB, m.cat without the check `sc`"), "{drawn}");
    // herd7 takes no notice of them.
    let herd = litmus_in(dir.path(), &["herd", "-model", "m.cat", "-skipchecks", "nonsense", "SB.litmus"]);
    insta::assert_snapshot!(stderr(&{ herd }.assert().code(0)), @r"
    SB.litmus: warning[model::no-such-check]: there is no check `nonsense` to skip in the model `m.cat`
     = help: there are sc
    ");
}

#[test]
fn one_thing_is_not_several() {
    let dir = folder(&[("SB.litmus", SB), ("m.cat", "acyclic po as order\n")]);
    let said = stdout(&litmus_in(dir.path(), &["check", "SB.litmus"]).assert().code(0));
    assert_eq!(said, "1 test read, 0 refused\n");
    let said = stdout(&litmus_in(dir.path(), &["model", "check", "m.cat"]).assert().code(0));
    assert_eq!(said, "m.cat: ok (any architecture, 1 step)\n");
    let table =
        stdout(&litmus_in(dir.path(), &["run", "SB.litmus", "-m", "sc", "-m", "tso"]).assert().code(0));
    assert!(table.ends_with("1 of 1 test differs between the models (marked !)\n"), "{table}");
}

/// An axiom that says nothing is not what its author meant.
#[test]
fn checks_that_nothing_can_violate() {
    let model = "include \"cos.cat\"\nacyclic po-loc & loc as one\nempty F & M as two\nacyclic [F];po;[M] as three\nirreflexive rfe as four\n\
                 empty rfi & ext as five\nlet none = 0\nacyclic none as six\nacyclic po | rf as seven\nirreflexive po;rf as eight\nempty rf;po as nine\n\
                 acyclic po? as ten\nacyclic rfe as eleven\n~empty 0 as twelve\n";
    let dir = folder(&[("m.cat", model), ("SB.litmus", SB), ("x.cat", "X86 x\nacyclic po as order\n")]);
    let check = litmus_in(dir.path(), &["model", "check", "m.cat"]).assert().code(0);
    let said = stderr(&check);
    let named: Vec<&str> = said.lines().filter_map(|line| line.split("violate the check `").nth(1)).collect();
    assert_eq!(named, ["one`", "two`", "three`", "four`", "five`", "six`"], "{said}");
    insta::assert_snapshot!(said.lines().take(6).collect::<Vec<_>>().join("\n"), @r"
    warning[question::axiom]: no execution of any test can violate the check `one`
      ┌─ m.cat:2:1
      │
    2 │ acyclic po-loc & loc as one
      │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^ all of it lies in `po`, which has no cycle
    ");
    litmus_in(dir.path(), &["model", "check", "--strict", "m.cat"]).assert().code(2);
    litmus_in(dir.path(), &["run", "--strict", "-m", "x.cat", "SB.litmus"]).assert().code(2);
    litmus_in(dir.path(), &["run", "-m", "x.cat", "SB.litmus"]).assert().code(0);
}

#[test]
fn a_function_where_a_set_is_chosen_from() {
    let model =
        "include \"cross.cat\"\nwith co from cross(map(fun r -> {r}, {po, rf}))\nacyclic co as order\n";
    let dir = folder(&[("m.cat", model), ("SB.litmus", SB)]);
    insta::assert_snapshot!(shown(&litmus_in(dir.path(), &["model", "check", "m.cat"]).assert().code(2)), @r"
    m.cat: error
    --- stderr
    error[cat::wrong-sort]: expected an argument of `cross`, found a function
      ┌─ m.cat:2:19
      │
    2 │ with co from cross(map(fun r -> {r}, {po, rf}))
      │                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is a function
      │
      = help: does it lack an argument? `map f S` takes two, one after the other; `map(f, S)` is one

    --- exit 2
    ");
}
