//! Diagnostics at the edges: what is too deep, too long, too many, left open, or not there to be read.

use super::diagnostics::{c, said};
use super::{SB, folder, litmus_in, stderr, stdout};

/// What a command says in a folder of files, and how it ends.
fn told(files: &[(&str, &str)], args: &[&str]) -> String {
    let dir = folder(files);
    let run = litmus_in(dir.path(), args).assert();
    let code = run.get_output().status.code().unwrap_or(-1);
    let text = stderr(&run);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("no -m given")).collect();
    format!("{}\n--- exit {code}\n", lines.join("\n").trim_end())
}

/// A C program per body, each as its user reads what is said of it.
fn c_said(bodies: &[&str]) -> String {
    let tests: Vec<String> = bodies.iter().map(|body| c(body)).collect();
    said("", &tests.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn c_left_open() {
    insta::assert_snapshot!(c_said(&[
        "if (*x) { *x = 1;",
        "#define F(a) a\nint a = F(1;",
        "int a = \"text;",
    ]), @r#"
    error[c::open-brace]: this `{` is never closed
      ┌─ test.litmus:3:12
      │
    3 │ P0(int *x) {
      │            ^ no `}` for this
    --- exit 2
    error[c::open-parenthesis]: the arguments of this macro are never closed
      ┌─ test.litmus:5:9
      │
    5 │ int a = F(1;
      │         ^ no `)` for its `(`
    --- exit 2
    error[c::open-string]: this string is never closed
      ┌─ test.litmus:4:9
      │
    4 │ int a = "text;
      │         ^ opened here
    --- exit 2
    "#);
}

#[test]
fn c_declarations() {
    insta::assert_snapshot!(c_said(&["int *a = &b;\nint b = 1;", "int a; int *p = &a;\nint a[2];"]), @r"
    error[c::address-of]: the address of a variable that is not declared here
      ┌─ test.litmus:4:11
      │
    4 │ int *a = &b;
      │           ^ no declaration before this one, or not in this block
      │
      = help: declare it before its address is taken
    --- exit 2
    error[c::duplicate]: `a` is declared twice
      ┌─ test.litmus:5:5
      │
    4 │ int a; int *p = &a;
      │     - first here
    5 │ int a[2];
      │     ^ again here
    --- exit 2
    ");
    insta::assert_snapshot!(said("", &[
        "C test\n{}\nP0(int *x, int *x) { *x = 1; }\nexists (x=1)\n",
        "C test\n{}\nint y = z;\nP0(int *x) { *x = 1; }\nexists (x=1)\n",
    ]), @r"
    error[c::duplicate]: `x` is a parameter twice
      ┌─ test.litmus:3:17
      │
    3 │ P0(int *x, int *x) { *x = 1; }
      │         -       ^ again here
      │         │        
      │         first here
    --- exit 2
    error[c::constant]: this initial value is not a constant
      ┌─ test.litmus:3:9
      │
    3 │ int y = z;
      │         ^ neither a number nor `&global`
    --- exit 3
    ");
}

#[test]
fn c_too_deep_and_too_long() {
    let parentheses = format!("int a = {}1{};", "(".repeat(200), ")".repeat(200));
    let sum = format!("int a = 1{};", " + 1".repeat(300));
    // Each of these is twice the one before.
    let doubled: String = (1..=16).map(|n| format!("#define A{n} (A{} + A{})\n", n - 1, n - 1)).collect();
    let long = format!("#define A0 *x\n{doubled}int a = A16;");
    insta::assert_snapshot!(c_said(&[&parentheses, &sum, &long]), @r"
    error[c::too-deep]: this is nested too deeply
      ┌─ test.litmus:4:59
      │
    4 │ int a = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…
      │                                                           ^ more than 150 levels
    --- exit 3
    error[c::too-deep]: this expression is too long
      ┌─ test.litmus:4:811
      │
    4 │ …+ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 …
      │                                                              ^ more than 200 operators in a row
    --- exit 3
    error[c::too-long]: this statement is too long
       ┌─ test.litmus:21:5
       │
    21 │ int a = A16;
       │     ^^^^^^^ more than 65535 operations
       │
       = help: cut it into several statements
    --- exit 3
    ");
}

#[test]
fn macros_without_end() {
    let test = "C test\n{}\nP0(int *x) {\n  int a = f(1);\n}\nexists (x=1)\n";
    let files = [("test.litmus", test), ("endless.def", "f(X) g(X)\ng(X) f(X)\n")];
    insta::assert_snapshot!(told(&files, &["run", "test.litmus", "--macros", "endless.def"]), @r"
    error[c::endless-macro]: `f` expands without end
      ┌─ test.litmus:4:11
      │
    4 │   int a = f(1);
      │           ^^^^ this call
    --- exit 2
    ");
}

#[test]
fn programs() {
    insta::assert_snapshot!(said("", &[
        &format!("X86 test\n{{}}\n P0 ;\n{}exists (0:EAX=1)\n", " MOV EAX,$1 ;\n".repeat(10_001)),
        &format!("AArch64 test\n{{0:X1=x;}}\n P0 ;\n LDR W0,[X1] ;\n{}exists (0:X0=1)\n", " ADD W0,W0,W0 ;\n".repeat(12)),
    ]), @r"
    error[program::endless-loop]: thread P0 does not end within 10000 instructions
          ┌─ test.litmus:10004:2
          │
    10004 │  MOV EAX,$1 ;
          │  ^^^^^^^^^^ still running here
          │
          = help: --unroll bounds how often a loop is run; a long program can be cut into tests
    --- exit 3
    error[program::too-large-value]: a value computed here is too large a function of what was read
       ┌─ test.litmus:13:2
       │
    13 │  ADD W0,W0,W0 ;
       │  ^^^^^^^^^^^^ this instruction
    --- exit 3
    ");
    // Two ways through each round of the loop.
    let spin = "X86 test\n{}\n P0 ;\n L0: ;\n MOV EAX,[x] ;\n CMP EAX,$0 ;\n JNE L1 ;\n MOV EBX,[y] ;\n L1: ;\n MOV ECX,[z] ;\n CMP ECX,$0 ;\n JNE L0 ;\nexists (0:EAX=1)\n";
    insta::assert_snapshot!(told(&[("test.litmus", spin)], &["run", "test.litmus", "--unroll", "16", "--engine", "worlds"]), @r"
    error[program::too-many-paths]: thread P0 has more than 50000 paths
       ┌─ test.litmus:12:2
       │
    12 │  JNE L0 ;
       │  ^^^^^^ paths fork here and elsewhere
       │
       = help: a lower bound on loops (--unroll) leaves fewer
    --- exit 3
    ");
}

/// An operation without meaning is blamed on the instruction that computes it, not on the one that needs its value.
#[test]
fn illegal_operations() {
    insta::assert_snapshot!(said("", &[
        "AArch64 test\n{0:X1=x; 0:X2=y;}\n P0 ;\n MUL X3,X1,X2 ;\n CBZ X3,L0 ;\n L0: ;\nexists (x=1)\n",
        "AArch64 test\n{uint64_t x=y; 0:X1=x;}\n P0 ;\n LDR X2,[X1] ;\n MVN X3,X2 ;\n ADD X4,X3,#1 ;\nexists (0:X4=1)\n",
        "AArch64 test\n{uint64_t x=y; uint64_t z; 0:X1=x; 0:X5=z;}\n P0 ;\n LDR X2,[X1] ;\n EOR X3,X2,#48 ;\n STR X3,[X5] ;\nexists (z=1)\n",
    ]), @"
    error[program::illegal-operation]: multiplication has no meaning for x and y
      ┌─ test.litmus:4:2
      │
    4 │  MUL X3,X1,X2 ;
      │  ^^^^^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    --- exit 3
    error[program::illegal-operation]: bitwise `not` has no meaning for y
      ┌─ test.litmus:5:2
      │
    5 │  MVN X3,X2 ;
      │  ^^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    --- exit 3
    error[program::illegal-operation]: exclusive `or` has no meaning for y and 48
      ┌─ test.litmus:5:2
      │
    5 │  EOR X3,X2,#48 ;
      │  ^^^^^^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    --- exit 3
    ");
}

#[test]
fn too_many_to_explore() {
    let column = |n: usize| (1..=n).map(|value| format!(" MOV [x],${value} ;\n")).collect::<String>();
    let events = format!("X86 test\n{{}}\n P0 ;\n{} MOV EAX,[x] ;\nexists (0:EAX=1)\n", column(1100));
    insta::assert_snapshot!(said("", &[&events]), @r"
    test.litmus: error[explore::too-many-events]: an execution of this test has 1102 events; at most 1024 are supported
     = help: fewer rounds of its loops (--unroll), accesses or locations make it smaller
    --- exit 3
    ");
}

#[test]
fn more_executions_than_fit_into_a_word() {
    // 14! orders of the writes, for each of two locations.
    let orders = " MOV [x],$1 ;\n MOV [y],$1 ;\n".repeat(14);
    let test = format!("X86 test\n{{}}\n P0 ;\n{orders} MOV EAX,[z] ;\nexists (0:EAX=1)\n");
    let dir = folder(&[("test.litmus", test.as_str())]);
    let run = |args: &[&str]| stdout(&litmus_in(dir.path(), args).assert().code(0));
    let all = "7600054456551997440000";
    let log = run(&["run", "test.litmus", "-m", "minimal"]);
    assert!(log.contains(&format!("\nPositive: 0 Negative: {all}\n")), "{log}");
    assert!(log.contains(&format!("\nObservation test Never 0 {all}\n")), "{log}");
    let csv = run(&["run", "test.litmus", "-m", "minimal", "--format", "csv"]);
    assert!(csv.contains(&format!(",Never,0,{all},")), "{csv}");
    let line = run(&["run", "test.litmus", "-m", "minimal", "--format", "jsonl"]);
    let result: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(result["positive"], 0);
    assert_eq!([&result["negative"], &result["states"][0]["witnesses"]], [all, all]);
    // What was written is read again.
    std::fs::write(dir.path().join("a.log"), &log).unwrap();
    std::fs::write(dir.path().join("b.jsonl"), &line).unwrap();
    assert!(run(&["merge", "b.jsonl"]).contains(&format!(r#""negative":"{all}""#)));
    run(&["diff", "a.log", "a.log"]);
}

#[test]
fn models() {
    let models = [
        "let r = same-oa(po)\nempty r as r\n",
        "enum scopes = 'wi || 'wg\nlet r = tag2scope('wg)\nempty r as r\n",
        "let rec f S = match S with {} -> 0 || e ++ s -> different-values([{e}]; (_ * _)) | f s end\nempty f W as f\n",
        "forall x in classes (rf; rf^-1) do with y from {x} end\n",
    ];
    insta::assert_snapshot!(models.iter().map(|model| said(model, &[SB])).collect::<String>(), @"

    --- exit 0
    test.litmus: error[cat::unknown-scope]: there is no scope `wg`
      ┌─ ./model.cat:2:18
      │
    2 │ let r = tag2scope('wg)
      │                  ^^^^^ the test has no scope of that name
    3 │ empty r as r
      │ ------------ needed here
      │
      = help: the litmus test might lack a `scopes:` declaration
    --- exit 2
    test.litmus: error[cat::values-in-function]: `different-values` cannot be used in a function over single events
      ┌─ ./model.cat:1:49
      │
    1 │ let rec f S = match S with {} -> 0 || e ++ s -> different-values([{e}]; (_ * _)) | f s end
      │                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here
    --- exit 3
    test.litmus: error[cat::undecided]: this instruction cannot stand in a `forall` over what the execution decides
      ┌─ ./model.cat:1:36
      │
    1 │ forall x in classes (rf; rf^-1) do with y from {x} end
      │                                    ^^^^^^^^^^^^^^^ in such a `forall`
    --- exit 3
    ");
    // 7! orders of the writes to each of two locations, and each with each.
    let writes =
        format!("X86 test\n{{}}\n P0 ;\n{}exists (x=1)\n", " MOV [x],$1 ;\n MOV [y],$1 ;\n".repeat(7));
    let spelled = "include \"cross.cat\"\nlet rec f S = match S with {} -> 0 || e ++ s -> e | f s end\n\
        empty f(generate_cos(0)) as f\n";
    insta::assert_snapshot!(said(spelled, &[&writes]), @r"
    test.litmus: error[cat::too-many-values]: this set has too many members to look at each
      ┌─ ./model.cat:2:21
      │
    2 │ let rec f S = match S with {} -> 0 || e ++ s -> e | f s end
      │                     ^ more than 2000000 members
      │
      = help: `with x from …` chooses one of them without looking at each
    --- exit 3
    ");
}

#[test]
fn models_of_many_files() {
    let names: Vec<String> = (0..=61).map(|n| format!("m{n}.cat")).collect();
    let texts: Vec<String> = (1..=62).map(|n| format!("include \"m{n}.cat\"\n")).collect();
    let mut files: Vec<(&str, &str)> = vec![("SB.litmus", SB), ("m62.cat", "acyclic po as po\n")];
    files.extend(names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
    insta::assert_snapshot!(told(&files, &["run", "SB.litmus", "-m", "./m0.cat"]), @r#"
    SB.litmus: error[cat::include-depth]: including `m61.cat` goes too deep
      ┌─ m60.cat:1:1
      │
    1 │ include "m61.cat"
      │ ^^^^^^^^^^^^^^^^^ 60 files are open, each included by the one before
    --- exit 2
    "#);
}

/// A file that opens and does not read; who has all rights has none that is forbidden.
#[cfg(target_os = "linux")]
#[test]
fn a_model_that_cannot_be_read() {
    insta::assert_snapshot!(said("include \"/proc/self/mem\"\n", &[SB]), @r#"
    test.litmus: error[cat::include-name]: `/proc/self/mem` is not included
      ┌─ ./model.cat:1:1
      │
    1 │ include "/proc/self/mem"
      │ ^^^^^^^^^^^^^^^^^^^^^^^^ only files named `.cat` or `.bell` can be
    --- exit 2
    "#);
}

#[test]
fn a_skipped_check_of_two() {
    let files = [("SB.litmus", SB), ("model.cat", "acyclic po as p\nacyclic rf as p\n")];
    let args = ["herd", "-strictskip", "true", "-skipcheck", "p", "-model", "./model.cat", "SB.litmus"];
    insta::assert_snapshot!(told(&files, &args), @r"
    SB.litmus: error[cat::strict-skip]: two checks are called `p`, and one of them must fail
      ┌─ ./model.cat:2:1
      │
    2 │ acyclic rf as p
      │ ^^^^^^^^^^^^^^^ the second
      │
      = help: give each check a name of its own, or skip without -strictskip
    --- exit 2
    ");
}

#[test]
fn trees_of_bell_files() {
    const BELL: &str = "enum scopes = 'wi || 'dev\nenum levels = 'L1 || 'L2\n\
        let narrower s = match s with || 'dev -> {'wi} end\ninstructions W[]\n";
    let under = |trees: &str| {
        let test = format!("LISA test\n{{}}\n P0 ;\n w[] x 1 ;\n{trees}exists (x=1)\n");
        let files =
            [("test.litmus", test.as_str()), ("model.cat", "acyclic po as po\n"), ("model.bell", BELL)];
        told(&files, &["run", "test.litmus", "-m", "./model.cat", "--bell", "model.bell"])
    };
    let all = ["", "scopes: (dv 0)\nlevels: (L2 0)\n", "scopes: (wi (dev 0))\n", "levels: (L1 0)\n"];
    insta::assert_snapshot!(all.into_iter().map(under).collect::<String>(), @r"
    test.litmus: warning[bell::no-tree]: the bell file declares scopes, but the test has none
     = note: their relations are empty; a line `scopes: (…)` after the program gives them

    test.litmus: warning[bell::no-tree]: the bell file declares levels, but the test has none
     = note: their relations are empty; a line `levels: (…)` after the program gives them
    --- exit 0
    error[bell::tree]: the bell file declares no `dv` among its scopes
      ┌─ test.litmus:5:1
      │  
    5 │ ╭ scopes: (dv 0)
    6 │ │ levels: (L2 0)
      │ ╰──────────────^ the bell file does not allow this
      │  
      = help: did you mean `dev`?
    --- exit 2
    test.litmus: warning[bell::no-tree]: the bell file declares levels, but the test has none
     = note: their relations are empty; a line `levels: (…)` after the program gives them

    error[bell::tree]: the scope `dev` of the test stands in `wi`, which is not wider
      ┌─ test.litmus:5:1
      │
    5 │ scopes: (wi (dev 0))
      │ ^^^^^^^^^^^^^^^^^^^^ the bell file does not allow this
    --- exit 2
    test.litmus: warning[bell::no-tree]: the bell file declares scopes, but the test has none
     = note: their relations are empty; a line `scopes: (…)` after the program gives them

    error[bell::tree]: the level `L1` stands where `L2` should
      ┌─ test.litmus:5:1
      │
    5 │ levels: (L1 0)
      │ ^^^^^^^^^^^^^^ the bell file does not allow this
    --- exit 2
    ");
}

#[test]
fn graphs_and_the_time_limit() {
    // Far more executions than can be drawn in that time.
    let test = format!("X86 test\n{{}}\n P0 ;\n{}exists (x=1)\n", " MOV [x],$1 ;\n".repeat(11));
    let args =
        ["run", "test.litmus", "-m", "minimal", "--graph", "-", "--show", "all", "--graphs", "1000000"];
    let said = told(&[("test.litmus", &test)], &[&args[..], &["--timeout", "0.5"]].concat());
    insta::assert_snapshot!(said.lines().next().unwrap_or_default(), @r"test.litmus: warning[graph::timeout]: the time limit was reached before all executions to show were found");
}

/// A model without the bell file beside it: a herd7 user has all of it in a `.cfg`.
#[test]
fn a_bell_file_beside_the_model() {
    let test = "C test\n{}\nP0(int *x) { *x = 1; }\nexists (x=1)\n";
    let model = "empty [Once] as once\n";
    let bell = "enum order = 'once\ninstructions R[order]\ninstructions W[order]\n";
    let files = [("test.litmus", test), ("m/small.cat", model), ("m/small.bell", bell)];
    insta::assert_snapshot!(told(&files, &["run", "test.litmus", "-m", "m/small.cat"]), @r"
    test.litmus: error[cat::unknown-name]: `Once` is not defined
      ┌─ m/small.cat:1:8
      │
    1 │ empty [Once] as once
      │        ^^^^ not defined here, nor by this architecture
      │
      = help: a bell file stands beside the model: try `--bell m/small.bell`
    --- exit 2
    ");
    let cfg = [&files[..], &[("m/small.cfg", "model small.cat\nbell small.bell\n")]].concat();
    insta::assert_snapshot!(told(&cfg, &["run", "test.litmus", "-m", "m/small.cat"]), @r"
    test.litmus: error[cat::unknown-name]: `Once` is not defined
      ┌─ m/small.cat:1:8
      │
    1 │ empty [Once] as once
      │        ^^^^ not defined here, nor by this architecture
      │
      = help: a bell file stands beside the model: try `--bell m/small.bell`, or all that belongs to it: `litmus herd -conf m/small.cfg`
    --- exit 2
    ");
    assert_eq!(
        told(&cfg, &["run", "test.litmus", "-m", "m/small.cat", "--bell", "m/small.bell"]),
        "\n--- exit 0\n"
    );
    assert_eq!(told(&cfg, &["herd", "-conf", "m/small.cfg", "test.litmus"]), "\n--- exit 0\n");
}

/// All calls of a kernel test lack the same thing: it is said once.
#[test]
fn a_kernel_test_under_another_model() {
    insta::assert_snapshot!(c_said(&["spin_lock(x);\nWRITE_ONCE(*x, 1);\nnosuch(x);\nspin_unlock(x);"]), @r"
    error[c::no-macros]: `spin_lock` is a function of the Linux kernel
      ┌─ test.litmus:4:1
      │
    4 │ spin_lock(x);
      │ ^^^^^^^^^ not defined: no `.def` file is loaded
      │
      = help: run with the kernel's model, `-m lkmm`; with its own files, `litmus herd -conf linux-kernel.cfg`; or give `--macros FILE.def`
      = note: so are 2 more calls in this test

    error[c::unknown-function]: unknown function `nosuch`
      ┌─ test.litmus:6:1
      │
    6 │ nosuch(x);
      │ ^^^^^^ not known
    --- exit 2
    ");
}

#[test]
fn a_model_where_a_test_should_be() {
    let files = [("small.cat", "\"small\"\nacyclic po as po\n")];
    insta::assert_snapshot!(told(&files, &["run", "small.cat"]), @r#"
    error[litmus::not-a-test]: this is not a litmus test
      ┌─ small.cat:1:1
      │
    1 │ "small"
      │ ^^^^^^^ expected the name of an architecture
      │
      = note: a test starts with `ARCH NAME`, ARCH being one of X86, X86_64, PPC, ARM, AArch64, RISCV, MIPS, BPF, LISA, C
      = help: a `.cat` file is a model: `litmus model check small.cat`, or `-m small.cat` to run tests under it
    --- exit 2
    "#);
}
