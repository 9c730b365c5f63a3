//! Models that are wrong, from file to message: a diagnostic each, and never a panic.

use std::path::Path;

use litmus::diag::{Color, render_all};
use litmus::session::{Input, Session, Settings, check_model};

/// A folder of files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

/// The folder is called `models`, so that messages do not change from run to run; trailing blanks are left out.
fn stable(text: &str, dir: &Path) -> String {
    let text = text.replace(&dir.display().to_string(), "models");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Checks `model.cat` of a folder and returns what a person reads.
fn check(files: &[(&str, &[u8])]) -> String {
    let dir = folder(files);
    let checked =
        check_model(&Settings::default(), &dir.path().join("model.cat").display().to_string(), None, false);
    assert!(checked.model.is_none(), "no error");
    stable(&render_all(&checked.diagnostics, &checked.sources, Color::Never), dir.path())
}

fn check_text(text: &str) -> String {
    check(&[("model.cat", text.as_bytes())])
}

/// Runs a small test under a model and returns what a person reads.
fn run(model: &str) -> String {
    let dir = folder(&[("model.cat", model.as_bytes())]);
    let test = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0)\n";
    let input = Input::Text { name: "sb.litmus".to_string(), text: test.into() };
    let model = dir.path().join("model.cat").display().to_string();
    let report = Session::new(Settings::default()).run(&input, Some(&model));
    assert!(report.answer.is_none(), "an answer");
    stable(&render_all(&report.diagnostics, &report.sources, Color::Never), dir.path())
}

#[test]
fn names_and_sorts() {
    insta::assert_snapshot!(check_text("let hb = po | rfee\nacyclic hb"), @"
    error[cat::unknown-name]: `rfee` is not defined
      ┌─ models/model.cat:1:15
      │
    1 │ let hb = po | rfee
      │               ^^^^ not defined here, nor by this architecture
    2 │ acyclic hb
      │ ---------- needed here
      │
      = help: did you mean `rfe`?
    ");
    insta::assert_snapshot!(check_text("acyclic po | W as sc"), @r"
    error[cat::wrong-sort]: union of a relation and a set of events
      ┌─ models/model.cat:1:14
      │
    1 │ acyclic po | W as sc
      │         --   ^ this is a set of events
      │         │
      │         this is a relation
      │
      = help: `[S]` turns a set of events into a relation; `0` is the empty relation, `{}` is empty of any sort
    ");
    insta::assert_snapshot!(check_text("let f(a, b) = a; b\nacyclic f(po, rf, po)"), @r"
    error[cat::wrong-arity]: this function takes 2 arguments, not 3
      ┌─ models/model.cat:2:10
      │
    2 │ acyclic f(po, rf, po)
      │          ^^^^^^^^^^^^ 3 given
    ");
    insta::assert_snapshot!(check_text("acyclic domain(W)"), @r"
    error[cat::wrong-sort]: expected a relation, found a set of events
      ┌─ models/model.cat:1:15
      │
    1 │ acyclic domain(W)
      │               ^^^ this is a set of events
      │
      = help: `[S]` turns a set of events into a relation
    ");
    insta::assert_snapshot!(check_text("let r = po\nacyclic r\nempty [po]\nirreflexive W"), @r"
    error[cat::wrong-sort]: expected a set of events, found a relation
      ┌─ models/model.cat:3:8
      │
    3 │ empty [po]
      │        ^^ this is a relation

    error[cat::wrong-sort]: expected a relation, found a set of events
      ┌─ models/model.cat:4:13
      │
    4 │ irreflexive W
      │             ^ this is a set of events
      │
      = help: `[S]` turns a set of events into a relation
    ");
}

#[test]
fn includes() {
    insta::assert_snapshot!(check_text("include \"coss.cat\"\nacyclic po"), @r#"
    error[cat::file-not-found]: cannot find `coss.cat`
      ┌─ models/model.cat:1:1
      │
    1 │ include "coss.cat"
      │ ^^^^^^^^^^^^^^^^^^ asked for here
      │
      = help: there is `cos` in the library: did you mean that?
      = note: searched, in this order:
          coss.cat
          models/coss.cat
          the library (`litmus model list`)
    "#);
    insta::assert_snapshot!(check_text("let x = po\ninclude \"model.cat\""), @r#"
    error[cat::include-cycle]: this file includes itself
      ┌─ models/model.cat:2:1
      │
    2 │ include "model.cat"
      │ ^^^^^^^^^^^^^^^^^^^ this `include` closes the cycle
      │
      = note: an included file runs in place, each time: this would never end
    "#);
    let files: [(&str, &[u8]); 3] = [
        ("model.cat", b"include \"a.cat\""),
        ("a.cat", b"include \"b.cat\""),
        ("b.cat", b"\ninclude \"a.cat\""),
    ];
    insta::assert_snapshot!(check(&files), @r#"
    error[cat::include-cycle]: this file includes itself
      ┌─ models/b.cat:2:1
      │
    2 │ include "a.cat"
      │ ^^^^^^^^^^^^^^^ this `include` closes the cycle
      │
      ┌─ models/a.cat:1:1
      │
    1 │ include "b.cat"
      │ --------------- through this one
      │
      = note: an included file runs in place, each time: this would never end
    "#);
    let files: [(&str, &[u8]); 2] =
        [("model.cat", b"include \"a.cat\"\nacyclic r"), ("a.cat", b"let r = po; ;")];
    insta::assert_snapshot!(check(&files), @r#"
    error[cat::syntax]: unexpected `;`, expected an expression
      ┌─ models/a.cat:1:13
      │
    1 │ let r = po; ;
      │             ^ not expected here
      │
      ┌─ models/model.cat:1:1
      │
    1 │ include "a.cat"
      │ --------------- included here
    "#);
    let files: [(&str, &[u8]); 2] =
        [("model.cat", b"include \"a.cat\"\nacyclic r"), ("a.cat", b"let r = po; W")];
    insta::assert_snapshot!(check(&files), @r"
    error[cat::wrong-sort]: expected a relation, found a set of events
      ┌─ models/a.cat:1:13
      │
    1 │ let r = po; W
      │             ^ this is a set of events
      │
      ┌─ models/model.cat:2:1
      │
    2 │ acyclic r
      │ --------- needed here
      │
      = help: `[S]` turns a set of events into a relation
    ");
    let checked = check_model(&Settings::default(), "nosuchmodel", None, false);
    insta::assert_snapshot!(render_all(&checked.diagnostics, &checked.sources, Color::Never), @r"
    error[cat::file-not-found]: cannot find `nosuchmodel`
     = note: searched, in this order:
         nosuchmodel.cat
         the library (`litmus model list`)
         nosuchmodel
    ");
}

#[test]
fn twice_the_same_file_is_no_cycle() {
    let dir = folder(&[
        ("model.cat", b"include \"a.cat\"\ninclude \"a.cat\"\nacyclic r"),
        ("a.cat", b"let r = po"),
    ]);
    let checked =
        check_model(&Settings::default(), &dir.path().join("model.cat").display().to_string(), None, false);
    assert!(checked.model.is_some());
}

#[test]
fn bytes_that_are_no_text() {
    insta::assert_snapshot!(check(&[("model.cat", b"let x = \xff\xfe po")]), @r"
    error[cat::stray-character]: stray byte that is not UTF-8
      ┌─ models/model.cat:1:9
      │
    1 │ let x = �� po
      │         ^ this starts no token
    ");
    insta::assert_snapshot!(check(&[("model.cat", b"\x7fELF\x02\x01\x01\x00")]), @r"
    error[cat::stray-character]: stray character U+007F
      ┌─ models/model.cat:1:1
      │
    1 │ ELF
      │  this starts no token
    ");
    insta::assert_snapshot!(check(&[("model.cat", b"let x = po\n\n(* a comment")]), @r"
    error[cat::unterminated-comment]: this comment is never closed
      ┌─ models/model.cat:3:1
      │
    3 │ (* a comment
      │ ^^ no `*)` after this `(*`
    ");
    insta::assert_snapshot!(check(&[("model.cat", b"include \"cos.cat")]), @r#"
    error[cat::unterminated-string]: this string is never closed
      ┌─ models/model.cat:1:9
      │
    1 │ include "cos.cat
      │         ^ no `"` after this one
    "#);
}

#[test]
fn recursion_that_does_not_end() {
    insta::assert_snapshot!(run("let rec f x = f x\nacyclic f po"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:2:9
      │
    2 │ acyclic f po
      │         ^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    insta::assert_snapshot!(run("let rec f x = f (x; po)\nacyclic f po"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:2:9
      │
    2 │ acyclic f po
      │         ^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    insta::assert_snapshot!(run("procedure rec p(x) = call p(x) call p(x) end\ncall p(po)"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:2:1
      │
    2 │ call p(po)
      │ ^^^^^^^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    insta::assert_snapshot!(check_text("procedure rec p(x) = call p(x) call p(x) end\ncall p(po)"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:2:1
      │
    2 │ call p(po)
      │ ^^^^^^^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    insta::assert_snapshot!(check_text("let rec f x = f x | f x\nacyclic f po"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:2:9
      │
    2 │ acyclic f po
      │         ^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    insta::assert_snapshot!(run("let rec f S = match S with {} -> {} || e ++ s -> f (e ++ s) end\nempty f W"), @r"
    error[cat::recursion-too-deep]: calls are nested more than 10000 deep
      ┌─ models/model.cat:1:50
      │
    1 │ let rec f S = match S with {} -> {} || e ++ s -> f (e ++ s) end
      │                                                  ^^^^^^^^^^ inside this
      │
      = note: is there a recursive function whose calls never end?
    ");
    // Writes, then reads, then writes again: each round's value is not within the one before.
    let swaps = "let swap = [W]; po; [R] | [R]; po^-1; [W]\n\
        let rec x = range([x]; swap) | (W \\ IW) \\ range([x]; (_ * _))\nempty x";
    insta::assert_snapshot!(run(swaps), @r"
    error[cat::rec-does-not-settle]: the recursive definition of `x` does not settle
      ┌─ models/model.cat:2:1
      │
    2 │ let rec x = range([x]; swap) | (W \ IW) \ range([x]; (_ * _))
      │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ still changing after many rounds
      │
      = note: it is computed in rounds, from empty, until no value gains anything; a definition that only grows settles
    ");
}

#[test]
fn errors_at_run_time_point_into_the_model() {
    insta::assert_snapshot!(run("let first S = match S with {} -> fail 0 || e ++ s -> {e} end\nempty first (R & W)"), @r"
    error[cat::fail]: `fail` is evaluated
      ┌─ models/model.cat:1:34
      │
    1 │ let first S = match S with {} -> fail 0 || e ++ s -> {e} end
      │                                  ^^^^^^ on a relation
    ");
    insta::assert_snapshot!(run("assert empty W as no-writes"), @r"
    error[model::assertion-failed]: no-writes assertion failed, check input test.
      ┌─ models/model.cat:1:8
      │
    1 │ assert empty W as no-writes
      │        ^^^^^^^^^^^^^^^^^^^^ this assertion
    ");
}

/// Ten thousand parentheses, a megabyte of definitions, a union of a hundred thousand: a diagnostic in reasonable time.
#[test]
fn large_inputs() {
    let parens = format!("acyclic {}po{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(check_text(&parens).contains("error[cat::too-deep]"));

    let line = "let relation = [W]; po & loc | (rf; po)+ \\ int (* a comment *)\n";
    let text = format!("{}acyclic relation | nothing", line.repeat(1_000_000 / line.len()));
    let started = std::time::Instant::now();
    assert!(check_text(&text).contains("`nothing` is not defined"));
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());

    let wide = format!("let wide = {}\nacyclic wide | nothing", vec!["po"; 100_000].join(" | "));
    assert!(check_text(&wide).contains("`nothing` is not defined"));
}

#[test]
fn a_model_is_not_a_folder() {
    let dir = folder(&[]);
    std::fs::create_dir(dir.path().join("model.cat")).unwrap();
    let checked =
        check_model(&Settings::default(), &dir.path().join("model.cat").display().to_string(), None, false);
    let text = stable(&render_all(&checked.diagnostics, &checked.sources, Color::Never), dir.path());
    insta::assert_snapshot!(text, @r"
    error[cat::file-not-found]: cannot find `models/model.cat`
     = note: searched, in this order:
         models/model.cat (a folder)
    ");
}

/// Whatever goes wrong inside says so, and whose fault it is.
#[test]
fn a_defect_of_ours() {
    let diagnostic = litmus::diag::Diagnostic::internal("an event without a thread");
    insta::assert_snapshot!(render_all(&[diagnostic], &litmus::source::Sources::new(), Color::Never), @r"
    error[internal::error]: internal error: an event without a thread
     = note: this is a defect of litmus, not of its input; please report it with the test and the model
    ");
}
