//! What is said of programs that are wrong, or that we do not handle.

use super::{KernelVersion, check, check_body, translate};

fn without_macros(text: &str) -> String {
    translate(text, None, KernelVersion::V1).report
}

#[test]
fn unknown_functions_name_the_nearest() {
    insta::assert_snapshot!(check_body("int r0 = READ_ONE(*x); fo(1);"), @r"
    error[c::unknown-function]: unknown function `READ_ONE`
      ┌─ test.litmus:1:31
      │
    1 │ P0(int *x, int *y) { int r0 = READ_ONE(*x); fo(1); }
      │                               ^^^^^^^^ not known
      │
      = help: did you mean `READ_ONCE`?

    error[c::unknown-function]: unknown function `fo`
      ┌─ test.litmus:1:45
      │
    1 │ P0(int *x, int *y) { int r0 = READ_ONE(*x); fo(1); }
      │                                             ^^ not known
    ");
    insta::assert_snapshot!(without_macros("P0(atomic_int *x) { int r0 = atomic_load_explict(x, memory_order_relaxed); }"), @r"
    error[c::unknown-function]: unknown function `atomic_load_explict`
      ┌─ test.litmus:1:30
      │
    1 │ P0(atomic_int *x) { int r0 = atomic_load_explict(x, memory_order_relaxed); }
      │                              ^^^^^^^^^^^^^^^^^^^ not known
      │
      = help: did you mean `atomic_load_explicit`?
    ");
}

#[test]
fn kernel_functions_without_their_definitions() {
    insta::assert_snapshot!(without_macros("P0(int *x) { WRITE_ONCE(*x, 1); }"), @r"
    error[c::no-macros]: `WRITE_ONCE` is a function of the Linux kernel
      ┌─ test.litmus:1:14
      │
    1 │ P0(int *x) { WRITE_ONCE(*x, 1); }
      │              ^^^^^^^^^^ not defined: no `.def` file is loaded
      │
      = help: run with the kernel's model, `-m lkmm`; with its own files, `litmus herd -conf linux-kernel.cfg`; or give `--macros FILE.def`
    ");
    insta::assert_snapshot!(check_body("spin_lock_irq(x);"), @r"
    error[c::missing-macro]: the kernel's `spin_lock_irq` is not defined by `small.def`
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { spin_lock_irq(x); }
      │                      ^^^^^^^^^^^^^ missing from the `.def` file
      │
      = help: add a line for it to a copy of the `.def` file; the one of `spin_lock` is `spin_lock(X) { __lock(X); }`
      = help: did you mean `spin_lock`?
    ");
}

#[test]
fn kernel_argument_order_under_a_c11_name() {
    insta::assert_snapshot!(without_macros("P0(atomic_int *x) { atomic_fetch_add(1, x); }"), @r"
    error[c::not-a-pointer]: this argument must be a pointer
      ┌─ test.litmus:1:38
      │
    1 │ P0(atomic_int *x) { atomic_fetch_add(1, x); }
      │                                      ^ a number
      │
      = help: C11 functions take the object first: `atomic_fetch_add(x, 1)`; the kernel's take it last
    ");
}

#[test]
fn accesses_of_what_is_not_in_memory() {
    insta::assert_snapshot!(check_body("int r0; WRITE_ONCE(x, 1); r0 = READ_ONCE(r0); x = y; r0 = READ_ONCE(3);"), @r"
    error[c::bad-access]: this function needs an object in memory
      ┌─ test.litmus:1:41
      │
    1 │ P0(int *x, int *y) { int r0; WRITE_ONCE(x, 1); r0 = READ_ONCE(r0); x = y; r0 = READ_ONCE(3); }
      │                                         ^ not of the form `*pointer`
      │
      = help: `x` is a local variable; if it holds an address, write `*x`

    error[c::bad-access]: this function needs an object in memory
      ┌─ test.litmus:1:63
      │
    1 │ P0(int *x, int *y) { int r0; WRITE_ONCE(x, 1); r0 = READ_ONCE(r0); x = y; r0 = READ_ONCE(3); }
      │                                                               ^^ not of the form `*pointer`
      │
      = help: `r0` is a local variable; if it holds an address, write `*r0`

    error[c::bad-access]: this function needs an object in memory
      ┌─ test.litmus:1:90
      │
    1 │ P0(int *x, int *y) { int r0; WRITE_ONCE(x, 1); r0 = READ_ONCE(r0); x = y; r0 = READ_ONCE(3); }
      │                                                                                          ^ not of the form `*pointer`
      │
      = help: the argument must be an object: `*p`, `a[i]` or a global
    ");
}

#[test]
fn statements_have_no_value() {
    insta::assert_snapshot!(check_body("int r0 = smp_mb(); int r1 = __fence{MB}; if (__fence{MB}) ;"), @r"
    error[c::no-value]: `smp_mb` has no value
      ┌─ test.litmus:1:31
      │
    1 │ P0(int *x, int *y) { int r0 = smp_mb(); int r1 = __fence{MB}; if (__fence{MB}) ; }
      │                               ^^^^^^^^ used as a value
      │
      ┌─ small.def:6:1
      │
    6 │ smp_mb() { __fence{MB}; }
      │ ------ it stands for statements

    error[c::void]: this has no value
      ┌─ test.litmus:1:45
      │
    1 │ P0(int *x, int *y) { int r0 = smp_mb(); int r1 = __fence{MB}; if (__fence{MB}) ; }
      │                                             ^^^^^^^^^^^^^^^^ assigned here

    error[c::void]: this condition has no value
      ┌─ test.litmus:1:67
      │
    1 │ P0(int *x, int *y) { int r0 = smp_mb(); int r1 = __fence{MB}; if (__fence{MB}) ; }
      │                                                                   ^^^^^^^^^^^ here
    ");
}

#[test]
fn argument_counts() {
    insta::assert_snapshot!(check_body("WRITE_ONCE(*x); atomic_thread_fence();"), @r"
    error[c::argument-count]: `WRITE_ONCE` takes 2 argument(s), 1 given
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { WRITE_ONCE(*x); atomic_thread_fence(); }
      │                      ^^^^^^^^^^^^^^ this call
      │
      ┌─ small.def:3:1
      │
    3 │ WRITE_ONCE(X,V) { __store{ONCE}(X,V); }
      │ ---------- defined here

    error[c::argument-count]: `atomic_thread_fence` takes 1 argument(s), 0 given
      ┌─ test.litmus:1:38
      │
    1 │ P0(int *x, int *y) { WRITE_ONCE(*x); atomic_thread_fence(); }
      │                                      ^^^^^^^^^^^^^^^^^^^^^ this call
    ");
    insta::assert_snapshot!(check_body("__load{ONCE}(*x, 1);"), @r"
    error[c::argument-count]: `__load` takes 1 argument(s), 2 given
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { __load{ONCE}(*x, 1); }
      │                      ^^^^^^^^^^^^^^^^^^^ this intrinsic
    ");
    insta::assert_snapshot!(check("int f(int a) { return a; } P0(int *x) { f(1, 2); }"), @r"
    error[c::argument-count]: `f` takes 1 argument(s), 2 given
      ┌─ test.litmus:1:41
      │
    1 │ int f(int a) { return a; } P0(int *x) { f(1, 2); }
      │     -                                   ^^^^^^^ this call
      │     │                                    
      │     the function
    ");
}

#[test]
fn memory_orders() {
    insta::assert_snapshot!(without_macros("P0(atomic_int *x) {
        atomic_store_explicit(x, 1, memory_order_relase);
        atomic_store_explicit(x, 1, 5);
        int r0 = atomic_load_explicit(x, memory_order_release);
    }"), @r"
    error[c::memory-order]: `memory_order_relase` is no memory order
      ┌─ test.litmus:2:37
      │
    2 │         atomic_store_explicit(x, 1, memory_order_relase);
      │                                     ^^^^^^^^^^^^^^^^^^^ here
      │
      = help: did you mean `memory_order_release`?

    error[c::memory-order]: a memory order must be written by its name
      ┌─ test.litmus:3:37
      │
    3 │         atomic_store_explicit(x, 1, 5);
      │                                     ^ not a name such as `memory_order_relaxed`

    warning[c::memory-order]: `atomic_load_explicit` with `memory_order_release`
      ┌─ test.litmus:4:42
      │
    4 │         int r0 = atomic_load_explicit(x, memory_order_release);
      │                                          ^^^^^^^^^^^^^^^^^^^^ undefined in C11; the model is asked all the same
    ");
}

#[test]
fn plain_accesses_of_atomic_objects_deserve_a_word() {
    insta::assert_snapshot!(without_macros("P0(atomic_int *x) { *x = 1; }"), @r"
    warning[c::plain-atomic]: a non-atomic access of an atomic object
      ┌─ test.litmus:1:21
      │
    1 │ P0(atomic_int *x) { *x = 1; }
      │                     ^^ taken as non-atomic, as herd7 does; in C11 it is sequentially consistent
      │
      = help: write `atomic_load_explicit` or `atomic_store_explicit` to say what is meant
    ");
}

#[test]
fn names_that_never_get_a_value_and_names_that_hide() {
    insta::assert_snapshot!(check_body("int r0 = r9 + preset; { int r0 = 1; }"), @r"
    warning[c::undeclared]: `r9` is never given a value
      ┌─ test.litmus:1:31
      │
    1 │ P0(int *x, int *y) { int r0 = r9 + preset; { int r0 = 1; } }
      │                               ^^ reads as 0
      │
      = help: declare it, or list the global of that name among the parameters

    warning[c::hidden-name]: this `r0` hides another one
      ┌─ test.litmus:1:50
      │
    1 │ P0(int *x, int *y) { int r0 = r9 + preset; { int r0 = 1; } }
      │                          --                      ^^ a variable of its own, as C has it; herd7 takes the two as one
      │                          │                        
      │                          hidden; conditions name this one

    P0
     0: t0 = r9; t1 = preset; t2 = t0 + t1; t3 = SignExtend(32) t2; r0 := t3
     1: t0 = 1; r0#1 := t0
    ");
}

#[test]
fn constructs_that_are_not_supported() {
    for text in [
        "P0(int *x) { struct point p; }",
        "P0(int *x) { x->next = 1; }",
        "P0(int *x) { int r0 = \"text\"; }",
        "P0(int *x) { int a[2][2]; }",
        "P0(int *x) { int r0 = ({ 1; }); }",
        "#if 1\nP0(int *x) { }",
        "{ int x; } P0(int *x) { }",
        "int f(int n) { return f(n - 1); } P0(int *x) { f(1); }",
        "P0(int *x) { endless(x); }",
    ] {
        let report = check(text);
        assert!(report.contains("error[c::"), "{text}: {report}");
    }
    insta::assert_snapshot!(check("P0(int *x) { x->next = 1; }"), @r"
    error[c::struct]: structures are not supported
      ┌─ test.litmus:1:15
      │
    1 │ P0(int *x) { x->next = 1; }
      │               ^^ this selects a field
      │
      = help: use one global per field
    ");
    insta::assert_snapshot!(check("int f(int n) { return f(n - 1); } P0(int *x) { f(1); }"), @r"
    error[c::recursion]: `f` calls itself
      ┌─ test.litmus:1:23
      │
    1 │ int f(int n) { return f(n - 1); } P0(int *x) { f(1); }
      │     -                 ^^^^^^^^ this call
      │     │                  
      │     the function
    ");
}

#[test]
fn syntax_errors_point_at_the_token() {
    insta::assert_snapshot!(check("P0(int *x) { int r0 = 1 +; }"), @r"
    error[c::syntax]: expected an expression, found `;`
      ┌─ test.litmus:1:26
      │
    1 │ P0(int *x) { int r0 = 1 +; }
      │                          ^ not expected here
    ");
    insta::assert_snapshot!(check("P0(int *x) { WRITE_ONCE(*x, 1) }"), @r"
    error[c::syntax]: expected `;` after the statement, found `}`
      ┌─ test.litmus:1:32
      │
    1 │ P0(int *x) { WRITE_ONCE(*x, 1) }
      │                                ^ not expected here
    ");
    insta::assert_snapshot!(check("P0(int *x) { if (1) "), @r"
    error[c::open-brace]: this `{` is never closed
      ┌─ test.litmus:1:12
      │
    1 │ P0(int *x) { if (1) 
      │            ^ no `}` for this
    ");
    insta::assert_snapshot!(check("P0(int x) { }"), @r"
    error[c::parameter]: `x` is not a pointer
      ┌─ test.litmus:1:8
      │
    1 │ P0(int x) { }
      │        ^ parameters of a thread are pointers to globals
      │
      = help: `int* x` gives the thread the address of the global `x`
    ");
    insta::assert_snapshot!(check("P1(int *x) { }"), @r"
    error[c::thread-order]: threads are P0, P1, … in order: expected P0, found P1
      ┌─ test.litmus:1:1
      │
    1 │ P1(int *x) { }
      │ ^^ this thread
    ");
    insta::assert_snapshot!(check("P0(int *x) { $ }"), @r"
    error[c::bad-character]: `$` is no part of C
      ┌─ test.litmus:1:14
      │
    1 │ P0(int *x) { $ }
      │              ^ this character
    ");
    insta::assert_snapshot!(check(""), @r"
    error[c::no-threads]: this test has no threads
      ┌─ test.litmus:1:1
      │
    1 │ 
      │ ^ expected `P0(…) { … }`
    ");
}

#[test]
fn jumps_that_lead_nowhere() {
    insta::assert_snapshot!(check_body("goto out; break; a: ; a: ; case 1: ;"), @r"
    error[c::label]: there is no label `out`
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { goto out; break; a: ; a: ; case 1: ; }
      │                      ^^^^^^^^^ this `goto`

    error[c::jump]: `break` outside a loop
      ┌─ test.litmus:1:32
      │
    1 │ P0(int *x, int *y) { goto out; break; a: ; a: ; case 1: ; }
      │                                ^^^^^^ here

    error[c::label]: the label `a` is there twice
      ┌─ test.litmus:1:44
      │
    1 │ P0(int *x, int *y) { goto out; break; a: ; a: ; case 1: ; }
      │                                            ^^ again

    error[c::case]: `case` outside the block of a `switch`
      ┌─ test.litmus:1:49
      │
    1 │ P0(int *x, int *y) { goto out; break; a: ; a: ; case 1: ; }
      │                                                 ^^^^^^^ here
    ");
}

#[test]
fn a_broken_def_file() {
    insta::assert_snapshot!(translate("P0(int *x) { }", Some("f(X) __load{}(X"), KernelVersion::V2).report, @r"
    error[c::syntax]: expected `)` after the arguments, found the end of the program
      ┌─ small.def:1:16
      │
    1 │ f(X) __load{}(X
      │                ^ not expected here
    ");
}

#[test]
fn no_input_makes_it_panic() {
    let text = "#define A(x) (x)\nstatic int f(int *p) { return A(*p) ? 1 : 2; }\n\
        P0(int *x, atomic_t *y) { int r[2] = {1, 2}; for (int i = 0; i < 2; i++) { r[i] += f(x) << 3; }\n\
        switch (r[0]) { case 1: break; default: goto l; } l: WRITE_ONCE(*x, 'a' + 0x1fUL); (void)xchg(y, -1); }";
    for cut in 0..text.len() {
        check(&text[..cut]);
        check(&text[cut..]);
        let without = format!("{}{}", &text[..cut], text.get(cut + 1..).unwrap_or(""));
        check(&without);
    }
    check(&format!("P0(int *x) {{ int r = {}1; }}", "(".repeat(5000)));
    check(&format!("P0(int *x) {{ {} }}", "{".repeat(5000)));
    check(&format!("P0(int *x) {{ int r = {}1; }}", "!".repeat(5000)));
    check(&format!("P0(int *x) {{ int r = 1{}; }}", " + 1".repeat(5000)));
}

#[test]
fn names_where_something_else_is_meant() {
    insta::assert_snapshot!(check_body("float r0 = 1;"), @r"
    error[c::type]: floating point is not supported
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { float r0 = 1; }
      │                      ^^^^^ this type
    ");
    insta::assert_snapshot!(check_body("unt r0 = 1;"), @r"
    error[c::type]: `unt` is not a known type
      ┌─ test.litmus:1:22
      │
    1 │ P0(int *x, int *y) { unt r0 = 1; }
      │                      ^^^ here
      │
      = help: did you mean `int`?
    ");
    insta::assert_snapshot!(check_body("WRITE_ONCE(*x, 1); smp_mb; WRITE_ONCE(*y, 1);"), @r"
    error[c::function-name]: `smp_mb` is a function and is not called
      ┌─ test.litmus:1:41
      │
    1 │ P0(int *x, int *y) { WRITE_ONCE(*x, 1); smp_mb; WRITE_ONCE(*y, 1); }
      │                                         ^^^^^^ a name alone does nothing
      │
      = help: write `smp_mb(…)`
    ");
    insta::assert_snapshot!(check_body("int r0 = 4 / (2 - 2);"), @r"
    warning[c::division-by-zero]: a division by zero is undefined
      ┌─ test.litmus:1:35
      │
    1 │ P0(int *x, int *y) { int r0 = 4 / (2 - 2); }
      │                                   ^^^^^^^ this is 0; the result is taken to be 0

    P0
     0: t0 = 4; t1 = 2; t2 = 2; t3 = t1 - t2; t4 = SignExtend(32) t3; t5 = t0 Div t4; t6 = SignExtend(32) t5; r0 := t6
    ");
    insta::assert_snapshot!(check_body("int a[2] = {1, 2, 3};"), @r"
    error[c::array]: 3 values for 2 elements
      ┌─ test.litmus:1:33
      │
    1 │ P0(int *x, int *y) { int a[2] = {1, 2, 3}; }
      │                                 ^^^^^^^^^ too many
    ");
    insta::assert_snapshot!(check_body("int r0 = {1, 2};"), @r"
    error[c::array]: only an array takes a list of values
      ┌─ test.litmus:1:31
      │
    1 │ P0(int *x, int *y) { int r0 = {1, 2}; }
      │                               ^^^^^^ here
    ");
}
