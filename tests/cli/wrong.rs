//! What executions of C code do wrong: told with its line, while the others are answered for.

use super::{folder, litmus_in, shown, stderr};

/// One thread that writes 1, another that reads and goes on.
fn test(reader: &str) -> String {
    format!(
        "C T\n{{ [x]=0; }}\nP0 (atomic_int* x) {{ atomic_store_explicit(x,1,memory_order_relaxed); }}\n\
         P1 (atomic_int* x) {{\n  int r0 = atomic_load_explicit(x,memory_order_relaxed);\n  {reader}\n}}\nexists (1:r1=4)\n"
    )
}

fn run(text: &str, args: &[&str]) -> String {
    let dir = folder(&[("T.litmus", text)]);
    let mut all = vec!["run", "T.litmus", "-m", "rc11"];
    all.extend(args);
    shown(&litmus_in(dir.path(), &all).assert())
}

#[test]
fn a_division_by_zero_is_told_and_the_rest_answered() {
    insta::assert_snapshot!(run(&test("int r1 = 4 / r0;"), &[]));
    // Not where C does not ask for the quotient.
    for guarded in ["int r1 = r0 ? 4 / r0 : 4;", "int r1 = r0 && 4 / r0;", "int r1 = 0; if (r0) r1 = 4 % r0;"]
    {
        let said = run(&test(guarded), &[]);
        assert!(!said.contains("warning"), "{said}");
    }
}

#[test]
fn every_engine_tells_the_same() {
    for reader in
        ["int r1 = 4 / r0;", "int r1 = 4; assert(r0 != 1);", "int r1 = 4; assume(r0 == 1); assert(r0);"]
    {
        let said = ["worlds", "naive", "grow"].map(|engine| run(&test(reader), &["--engine", engine]));
        assert_eq!(said[0], said[1]);
        assert_eq!(said[0], said[2]);
    }
}

#[test]
fn assertions_are_judged_and_assumptions_hold() {
    insta::assert_snapshot!(run(&test("int r1 = r0 + 3; assert(r1 != 4);"), &["--mode", "states"]));
    insta::assert_snapshot!(run(&test("int r1 = r0 + 3; assume(r0 == 1); assert(r1 == 4);"), &["-q"]));
}

#[test]
fn a_variable_that_was_not_written() {
    insta::assert_snapshot!(run(&test("int r2; if (r0) r2 = 3; int r1 = r2 + 1;"), &[]));
    let said = run(&test("int r2; if (r0) r2 = 3; int r1 = r0 && r2;"), &[]);
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn pointers_that_lead_nowhere() {
    let program = |value: &str| {
        format!(
            "C T\n{{ [x]=4; int *p = &x; }}\nP0 (int** p) {{ WRITE_ONCE(*p, {value}); }}\n\
             P1 (int** p) {{ int *r0 = READ_ONCE(*p); int r1 = *r0; }}\nexists (1:r1=4)\n"
        )
    };
    let run = |value: &str| {
        let dir = folder(&[("T.litmus", &program(value))]);
        shown(&litmus_in(dir.path(), &["run", "T.litmus", "-m", "lkmm"]).assert())
    };
    insta::assert_snapshot!(run("0"));
    insta::assert_snapshot!(run("5"));
}

#[test]
fn gates_do_not_let_it_through() {
    let dir = folder(&[("T.litmus", &test("int r1 = 4 / r0;"))]);
    let gate = |args: &[&str]| {
        let mut all = vec!["run", "T.litmus", "-m", "rc11", "-q"];
        all.extend(args);
        shown(&litmus_in(dir.path(), &all).assert().code(1))
    };
    insta::assert_snapshot!(gate(&["--strict"]));
    gate(&["--expect", "always"]);
}

/// What goes wrong is told in every mode and by every engine, also where another execution decides the condition.
#[test]
fn an_execution_that_goes_wrong_is_told_however_the_condition_is_decided() {
    let test = |guard: &str, asked: &str| {
        format!(
            "C div\n{{}}\nP0(atomic_int *x) {{ int r0 = atomic_load_explicit(x, memory_order_relaxed); int r1 = 1; if ({guard}) r1 = 1 / (r0 - 2); }}\n\
             P1(atomic_int *x) {{ atomic_store_explicit(x, 1, memory_order_relaxed); atomic_store_explicit(x, 2, memory_order_relaxed); }}\n\
             exists (0:r0={asked})\n"
        )
    };
    for (guard, asked) in [("r0", "0"), ("r0", "1"), ("r0 == 2", "0"), ("r0 != 0", "0")] {
        let dir = folder(&[("a.litmus", &test(guard, asked))]);
        for engine in ["worlds", "grow", "naive", "sat"] {
            for mode in ["states", "check"] {
                let args = ["run", "a.litmus", "-m", "rc11", "--engine", engine, "--mode", mode, "--strict"];
                let run = litmus_in(dir.path(), &args).assert().code(1);
                let said = stderr(&run);
                assert!(
                    said.contains("computes what has no result"),
                    "{guard}, {asked}, {engine}, {mode}: {said}"
                );
            }
        }
    }
}

/// A function that calls itself more deeply than is looked into: the program is not called safe for that.
#[test]
fn recursion_that_is_cut_is_said() {
    let program = "#include <assert.h>\nint f(int n) { return n ? f(n - 1) : 1; }\nint main(void) { assert(f(100) == 0); return 0; }\n";
    let dir = folder(&[("a.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "a.c"]).assert().code(4);
    let said = super::stdout(&run);
    assert!(said.contains("Safe up to 64") && said.contains("recursion was cut at a.c:2"), "{said}");
    litmus_in(dir.path(), &["verify", "a.c", "--unroll", "101"]).assert().code(1);
}

#[test]
fn what_a_search_for_violations_did() {
    let program = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nvoid *a(void *p) { x = 1; return (void *)(long)y; }\nvoid *b(void *p) { y = 1; return (void *)(long)x; }\n\
        int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let dir = folder(&[("sb.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "sb.c", "-m", "sc", "--stats"]).assert().code(0);
    let said = stderr(&run);
    let (first, rest) = said.split_once('\n').unwrap_or_default();
    assert!(first.starts_with("sb.c: ") && first.contains(" graphs in "), "{said}");
    insta::assert_snapshot!(rest, @r"
             2 graphs that were checked, the others follow from these
             1 reads given a write that came later
             1 branches refuted by sc
    ");
    litmus_in(dir.path(), &["verify", "sb.c", "-m", "sc"]).assert().code(0).stderr("");
}

#[test]
fn what_an_answer_supposes_is_said() {
    let program = "#include <assert.h>\nint sensor(void);\nint main(void) {\n  long double d = 1.5L; d = d * 2; assert(d == 3);\n  return sensor() == 0 ? 0 : 1;\n}\n";
    let dir = folder(&[("s.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "s.c"]).assert().code(0);
    insta::assert_snapshot!(stderr(&run), @r"
    warning[c::float]: `long double` has the digits of a `double` here
      ┌─ s.c:4:29
      │
    4 │   long double d = 1.5L; d = d * 2; assert(d == 3);
      │                             ^ computed here

    warning[c::no-body]: nobody says what `sensor` does: the answer supposes that it gives any number and changes nothing
      ┌─ s.c:5:10
      │
    2 │ int sensor(void);
      │     ------ only declared
      ·
    5 │   return sensor() == 0 ? 0 : 1;
      │          ^^^^^^^^ called here
    ");
}

#[test]
fn what_means_nothing_is_warned_of() {
    let program = r"#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *thread(void) { return 0; }
void *pair(void *p, int n) { return 0; }
int main(void) {
  pthread_t t, u;
  int n = atomic_load_explicit(&x, memory_order_release);
  atomic_store_explicit(&x, n, memory_order_acquire);
  pthread_create(&t, 0, thread, 0);
  pthread_create(&u, 0, pair, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return 0;
}
";
    let dir = folder(&[("w.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "w.c"]).assert().code(0);
    insta::assert_snapshot!(stderr(&run));
}

#[test]
fn what_compilers_refuse_is_pointed_at() {
    let program = r"int f(int);
int f(char *);
struct point { const int x; int y; };
int main(void) {
  const int limit = 3;
  struct point p = { 1, 2 };
  limit++;
  p.x = 2;
  p = p;
  return 0;
}
";
    let dir = folder(&[("c.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "c.c"]).assert().code(2);
    insta::assert_snapshot!(stderr(&run));
}

#[test]
fn a_call_of_no_function_is_told_with_its_line() {
    let program = r"void (*hook)(void);
void set(void) { }
int main(void) {
  if (0) hook = set;
  hook();
  return 0;
}
";
    let dir = folder(&[("n.c", program)]);
    let run = litmus_in(dir.path(), &["verify", "n.c"]).assert().code(1);
    let said = super::stdout(&run);
    assert!(said.contains("access through a null pointer at n.c:5, by main"), "{said}");
}
