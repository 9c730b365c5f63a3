//! Messages for mistakes that people make.

use super::{SB, folder, litmus_in, shown, stderr, stdout};

/// What `litmus run` says of a test.
fn said(test: &str) -> String {
    let dir = folder(&[("T.litmus", test)]);
    stderr(&litmus_in(dir.path(), &["run", "T.litmus", "-m", "sc"]).assert().code(2))
}

/// What it says of a model.
fn said_of_model(model: &str) -> String {
    let dir = folder(&[("SB.litmus", SB), ("m.cat", model)]);
    stderr(&litmus_in(dir.path(), &["run", "SB.litmus", "-m", "m.cat"]).assert().code(2))
}

#[test]
fn connectives_of_other_languages() {
    insta::assert_snapshot!(said(&SB.replace("/\\", "&&")), @r"
    error[litmus::syntax]: unexpected `&` in the condition
      ┌─ T.litmus:6:17
      │
    6 │ exists (0:EAX=0 && 1:EAX=0)
      │                 ^ expected `)`
      │
      = help: `&` is written `/\` here
    ");
    insta::assert_snapshot!(said(&SB.replace("/\\", "and")), @r"
    error[litmus::syntax]: unexpected `and` in the condition
      ┌─ T.litmus:6:17
      │
    6 │ exists (0:EAX=0 and 1:EAX=0)
      │                 ^^^ expected `)`
      │
      = help: `and` is written `/\` here
    ");
    insta::assert_snapshot!(said(&SB.replace("/\\", "∧")), @r"
    error[litmus::bad-character]: unexpected character `∧`
      ┌─ T.litmus:6:17
      │
    6 │ exists (0:EAX=0 ∧ 1:EAX=0)
      │                 ^ no part of an initial state or a condition looks like this
      │
      = help: `∧` is written `/\` here
    ");
    insta::assert_snapshot!(said(&SB.replace("/\\", "||")), @r"
    error[litmus::syntax]: unexpected `|` in the condition
      ┌─ T.litmus:6:17
      │
    6 │ exists (0:EAX=0 || 1:EAX=0)
      │                 ^ expected `)`
      │
      = help: `|` is written `\/` here
    ");
}

#[test]
fn rows_without_an_end() {
    insta::assert_snapshot!(said(&SB.replacen("P1          ;", "P1", 1)), @r"
    error[litmus::unfinished-row]: the row of the threads has no `;` at its end
      ┌─ T.litmus:3:16
      │
    3 │  P0          | P1
      │                ^^ this row goes on to the next line
    ");
    insta::assert_snapshot!(said(&SB.replacen("P0          |", "P0         ||", 1)), @r"
    error[litmus::bad-threads]: there is a thread without a name
      ┌─ T.litmus:3:13
      │
    3 │  P0         || P1          ;
      │             ^^ nothing between the two
      │
      = help: threads are separated by one `|`
    ");
    insta::assert_snapshot!(said(&SB.replacen("[y],$1  ;", "[y],$1", 1)), @r"
    error[litmus::unfinished-row]: a row of the program has no `;` at its end
      ┌─ T.litmus:4:2
      │
    4 │  MOV [x],$1  | MOV [y],$1
      │  ^^^^^^^^^^^^^^^^^^^^^^^^ this row
    ");
    let one = "X86 ONE\n{}\n P0         ;\n MOV [x],$1\n MOV EAX,[x] ;\nexists (0:EAX=0)\n";
    insta::assert_snapshot!(said(one), @r"
    error[arch::bad-operand]: expected the end of the instruction, found `MOV`
      ┌─ T.litmus:5:2
      │
    5 │  MOV EAX,[x] ;
      │  ^^^ here
      │
      = help: the instruction goes on to the next line: is there a `;` missing at the end of the first?
    ");
}

#[test]
fn other_comments() {
    insta::assert_snapshot!(said(&format!("# store buffering\n{SB}")), @r"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ T.litmus:1:1
      │
    1 │ # store buffering
      │ ^ expected the name of an architecture
      │
      = help: comments are `(* … *)`
    ");
    insta::assert_snapshot!(said(&SB.replace(" MOV EAX", "# read\n MOV EAX")), @r"
    error[arch::bad-operand]: expected an instruction, found `#`
      ┌─ T.litmus:5:1
      │
    5 │ # read
      │ ^ here
      │
      = help: comments are `(* … *)`

    error[arch::bad-operand]: expected an instruction, found `#`
      ┌─ T.litmus:6:15
      │
    6 │  MOV EAX,[y] |# read
      │               ^ here
      │
      = help: comments are `(* … *)`
    ");
    insta::assert_snapshot!(said(&SB.replace("{}", "{ # nothing\n}")), @r"
    error[litmus::bad-character]: unexpected character `#`
      ┌─ T.litmus:2:3
      │
    2 │ { # nothing
      │   ^ no part of an initial state or a condition looks like this
      │
      = help: comments are `(* … *)`
    ");
}

#[test]
fn misspelt_instructions_of_models() {
    insta::assert_snapshot!(said_of_model("\"m\"\nlet r = po\nacylic r as x\n"), @r"
    SB.litmus: error[cat::syntax]: unexpected `as`, expected an instruction, `and` or `in`
      ┌─ m.cat:3:10
      │
    3 │ acylic r as x
      │ ------   ^^ not expected here
      │ │         
      │ did you mean `acyclic`?
    ");
    insta::assert_snapshot!(said_of_model("\"m\"\nlet r = po\nacylic r\n"), @r"
    SB.litmus: error[cat::syntax]: `acylic` is no instruction
      ┌─ m.cat:3:1
      │
    3 │ acylic r
      │ ^^^^^^ did you mean `acyclic`?
      │
      = note: as it stands it is an argument of what ends the line before
    ");
    insta::assert_snapshot!(said_of_model("acylic po\nacyclic rf as x\n"), @r"
    SB.litmus: error[cat::syntax]: `acylic` is no instruction
      ┌─ m.cat:1:1
      │
    1 │ acylic po
      │ ^^^^^^ did you mean `acyclic`?
      │
      = note: words at the start of a file are its name
    ");
    insta::assert_snapshot!(said_of_model("\"m\"\ninlcude \"cos.cat\"\n"), @r#"
    SB.litmus: error[cat::syntax]: unexpected identifier `inlcude`, expected an instruction or `catdep`
      ┌─ m.cat:2:1
      │
    2 │ inlcude "cos.cat"
      │ ^^^^^^^
      │ │
      │ not expected here
      │ did you mean `include`?
    "#);
}

#[test]
fn errors_inside_functions_say_who_called() {
    insta::assert_snapshot!(said_of_model("let f(r) = r ; W\nlet g(r) = f(r)\nacyclic g(po) as x\n"), @r"
    SB.litmus: error[cat::wrong-sort]: expected a relation, found a set of events
      ┌─ m.cat:1:16
      │
    1 │ let f(r) = r ; W
      │                ^ this is a set of events
    2 │ let g(r) = f(r)
    3 │ acyclic g(po) as x
      │ ------------------ needed here
      │
      = help: `[S]` turns a set of events into a relation
    ");
    insta::assert_snapshot!(said_of_model("acyclic fencerel(po) as x\n"), @r"
    SB.litmus: error[cat::wrong-sort]: expected a set of events, found a relation
       ┌─ <library>/stdlib.cat:44:24
       │
    44 │ let fencerel(S) = po; [S]; po
       │                        ^ this is a relation
       │
       ┌─ m.cat:1:1
       │
     1 │ acyclic fencerel(po) as x
       │ ------------------------- needed here
    ");
}

/// A model that fails on every test is not worth a line for each of them.
#[test]
fn one_error_of_a_model_is_told_once() {
    let two = SB.replace("X86 SB", "X86 SB2");
    let arm = "ARM A\n{ 0:R1=x; }\n P0 ;\n LDR R0,[R1] ;\nexists (0:R0=0)\n";
    let model = "assert empty W as no-writes\n";
    let dir = folder(&[
        ("1.litmus", SB),
        ("2.litmus", &two),
        ("3.litmus", arm),
        ("4.litmus", SB),
        ("m.cat", model),
        ("b.cat", "acyclic poo\n"),
    ]);
    let run = |args: &[&str]| litmus_in(dir.path(), args).assert().code(2);
    insta::assert_snapshot!(stderr(&run(&["run", "1.litmus", "2.litmus", "4.litmus", "-m", "m.cat"])), @r"
    1.litmus: error[model::assertion-failed]: no-writes assertion failed, check input test.
      ┌─ m.cat:1:8
      │
    1 │ assert empty W as no-writes
      │        ^^^^^^^^^^^^^^^^^^^^ this assertion

    the same in 2 more tests: no-writes assertion failed, check input test.
    ");
    insta::assert_snapshot!(stderr(&run(&["run", "1.litmus", "2.litmus", "3.litmus", "4.litmus", "-m", "b.cat"])), @"
    1.litmus: error[cat::unknown-name]: `poo` is not defined
      ┌─ b.cat:1:9
      │
    1 │ acyclic poo
      │         ^^^ not defined here, nor by this architecture
      │
      = help: did you mean `po`?

    3 more tests not run: the model could not be loaded
    ");
    insta::assert_snapshot!(stderr(&run(&["run", "1.litmus", "2.litmus", "4.litmus", "-m", "ppc"])), @r"
    1.litmus: error[model::other-architecture]: the test is for X86, but the model `ppc` is for PPC
     = help: `x86tso` is a model for X86; --no-arch-check takes this one all the same

    the same in 2 more tests: the test is for X86, but the model `ppc` is for PPC
    ");
}

#[test]
fn architectures_side_by_side() {
    let arm = "ARM A\n{ 0:R1=x; }\n P0 ;\n LDR R0,[R1] ;\nexists (0:R0=0)\n";
    let dir = folder(&[("1.litmus", SB), ("2.litmus", arm)]);
    let run = |models: &[&str]| {
        let mut args = vec!["run", "1.litmus", "2.litmus"];
        models.iter().for_each(|model| args.extend(["-m", model]));
        litmus_in(dir.path(), &args).assert()
    };
    insta::assert_snapshot!(shown(&run(&["x86tso", "sc", "armv7"]).code(0)), @r"
      Test  x86tso            sc             armv7
    ! SB    Ok Sometimes 1/4  No Never 0/3   n/a
      A     n/a               Ok Always 1/1  Ok Always 1/1
    1 of 2 tests differs between the models (marked !)
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&run(&["x86tso", "ppc"]).code(2)), @r"
      Test  x86tso            ppc
      SB    Ok Sometimes 1/4  n/a
      A     n/a               n/a
    0 of 2 tests differ between the models (marked !)
    --- stderr
    error: 2.litmus: none of the models is for ARM
    --- exit 2
    ");
}

#[test]
fn the_model_that_fits_is_named() {
    let x64 = "X86_64 A\n{ }\n P0 ;\n movl $1,(x) ;\nexists (x=0)\n";
    let arm = "ARM A\n{ 0:R1=x; }\n P0 ;\n LDR R0,[R1] ;\nexists (0:R0=0)\n";
    let dir = folder(&[("x64.litmus", x64), ("arm.litmus", arm)]);
    let run = |args: &[&str]| litmus_in(dir.path(), args).assert();
    insta::assert_snapshot!(stderr(&run(&["run", "x64.litmus", "-m", "x86tso"]).code(2)), @r"
    x64.litmus: error[model::other-architecture]: the test is for X86_64, but the model `x86tso` is for X86
     = help: `x86tso-mixed` is a model for X86_64; --no-arch-check takes this one all the same
    ");
    insta::assert_snapshot!(stderr(&run(&["run", "arm.litmus"]).code(0)), @"ARM: no -m given, using the model armv7");
}

#[test]
fn files_that_are_no_tests() {
    let dir = folder(&[
        ("a.c", "int main() { return 0; }\n"),
        ("a.bell", "enum X = 'A\n"),
        ("a.cfg", "model sc.cat\n"),
    ]);
    insta::assert_snapshot!(stderr(&litmus_in(dir.path(), &["run", "a.c"]).assert().code(2)), @r"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ a.c:1:1
      │
    1 │ int main() { return 0; }
      │ ^^^ expected the name of an architecture
      │
      = note: a test starts with `ARCH NAME`, ARCH being one of X86, X86_64, PPC, ARM, AArch64, RISCV, MIPS, BPF, LISA, C
      = help: `litmus verify` reads C programs: `litmus verify a.c`; a test starts with a line `C NAME`
    ");
    for (file, way_on) in [("a.bell", "--bell a.bell"), ("a.cfg", "--conf a.cfg")] {
        let said = stderr(&litmus_in(dir.path(), &["run", file]).assert().code(2));
        assert!(said.contains(way_on), "{said}");
    }
}

#[test]
fn candidates_as_herd7_counts_them() {
    let dir = folder(&[("SB.litmus", SB)]);
    let log = stdout(&litmus_in(dir.path(), &["herd", "-candidates", "true", "SB.litmus"]).assert().code(0));
    assert!(log.contains("\nCandidates SB 4\n"), "{log}");
}

/// Nothing is wider than the terminal, if that can be.
#[test]
fn tables_and_pictures_fit_the_terminal() {
    let long = SB.replace("X86 SB", "X86 SB+a-name+of-some-length+and-then-some");
    let dir = folder(&[("SB.litmus", &long)]);
    let run = |width: &str, args: &[&str]| {
        let mut all = vec!["run", "SB.litmus"];
        all.extend(args);
        stdout(&litmus_in(dir.path(), &all).env("COLUMNS", width).assert().code(0))
    };
    let table = ["-m", "sc", "-m", "tso", "-m", "x86tso", "-m", "weak"];
    insta::assert_snapshot!(run("100", &table), @r"
      Test                            sc            tso               x86tso            weak
    ! SB+a-name+of-so…+and-then-some  No Never 0/3  Ok Sometimes 1/4  Ok Sometimes 1/4  Ok Sometimes 1/4
    1 of 1 test differs between the models (marked !)
    ");
    insta::assert_snapshot!(run("60", &table), @r"
      Test                  sc            tso
    ! SB+a-name+…then-some  No Never 0/3  Ok Sometimes 1/4

      Test                  x86tso            weak
    ! SB+a-name+…then-some  Ok Sometimes 1/4  Ok Sometimes 1/4
    1 of 1 test differs between the models (marked !)
    ");
    insta::assert_snapshot!(run("40", &["-m", "tso", "--graph", "-"]).split_once("\n\n").unwrap().1, @r"
    Test
        SB+a-name+of-some-length+and-then-some,
        tso: 0:EAX=0; 1:EAX=0;
        satisfies the exists clause
      init: x=0, y=0
      P0
        a: W[x]=1  MOV [x],$1
        b: R[y]=0  MOV EAX,[y]
      P1
        c: W[y]=1  MOV [y],$1
        d: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    ");
    for width in ["100", "60", "50"] {
        let fits = |text: &str| text.lines().all(|line| line.chars().count() <= width.parse().unwrap());
        assert!(fits(&run(width, &table)));
        let drawn = run(width, &["-m", "tso", "--graph", "-"]);
        assert!(fits(drawn.split_once("\n\n").unwrap().1), "{drawn}");
    }
}

/// A model for another architecture that needs names this one does not have is still just that: not applicable.
#[test]
fn models_of_other_architectures_in_a_table() {
    let run = [
        "run",
        "litmus/sb-x86.litmus",
        "-m",
        "x86tso",
        "-m",
        "riscv",
        "-m",
        "lkmm",
        "-m",
        "bpf",
        "--format",
        "table",
    ];
    let assert = crate::litmus(&run).assert().code(0);
    assert!(stdout(&assert).contains("  sb-x86  Ok Sometimes 1/4  n/a    n/a   n/a"), "{}", stdout(&assert));
    assert_eq!(stderr(&assert), "");
}

/// A C program under another name is known by its first line.
#[test]
fn a_program_that_is_no_test() {
    let program = "#include <pthread.h>\nint main(void) { return 0; }\n";
    let dir = folder(&[("a.litmus", program)]);
    insta::assert_snapshot!(stderr(&litmus_in(dir.path(), &["run", "a.litmus"]).assert().code(2)), @r"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ a.litmus:1:1
      │
    1 │ #include <pthread.h>
      │ ^^^^^^^^ expected the name of an architecture
      │
      = help: `litmus verify` reads C programs: `litmus verify a.litmus`; a test starts with a line `C NAME`
    ");
}

/// And a test is no program.
#[test]
fn a_test_that_is_no_program() {
    let dir = folder(&[("a.c", SB)]);
    insta::assert_snapshot!(stderr(&litmus_in(dir.path(), &["verify", "a.c"]).assert().code(2)), @r"
    error[c::syntax]: expected a type, found `X86`
      ┌─ a.c:1:1
      │
    1 │ X86 SB
      │ ^^^ here
      │
      = help: this is a litmus test: `litmus run a.c`
    ");
}
