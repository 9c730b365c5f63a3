//! Diagnostics that only the whole command meets, each as its user reads it: one input, one message.

use super::{folder, litmus_in, stderr};

/// Runs each test under a model; what is said of it, one after the other.
pub(super) fn said(model: &str, tests: &[&str]) -> String {
    let mut text = String::new();
    for test in tests {
        let dir = folder(&[("test.litmus", test), ("model.cat", model)]);
        let args: &[&str] = match model {
            "" => &["run", "test.litmus"],
            _ => &["run", "test.litmus", "-m", "./model.cat"],
        };
        let run = litmus_in(dir.path(), args).assert();
        let code = run.get_output().status.code().unwrap_or(-1);
        let told = stderr(&run);
        let told: Vec<&str> = told.lines().filter(|line| !line.contains("no -m given")).collect();
        text += &format!("{}\n--- exit {code}\n", told.join("\n").trim_end());
    }
    text
}

/// A C test with one thread of that body.
pub(super) fn c(body: &str) -> String {
    format!("C test\n{{}}\nP0(int *x) {{\n{body}\n}}\nexists (x=1)\n")
}

#[test]
fn the_format() {
    insta::assert_snapshot!(said("", &[
        "X86 test\n{}\n P0 ;\n MOV [x],$1 ;\ncases (x=1)\n",
        "X86 test\n{ int *p[2]; }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n",
        "AArch64 test\n{ %x=x; }\n P0 ;\n STR W0,[%x] ;\nexists (%x=1)\n",
        "LISA test\n{}\n P0 ;\n w[] x 1 ;\nexists (x=1)\n",
        "X86 test\nVariant=mixd\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n",
        "X86 test\nVariant=fatal oota\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n",
        "AArch64 test\nVariant=morello\n{}\n P0 ;\n NOP ;\nexists (true)\n",
    ]), @r"
    error[litmus::cases]: `cases` is not supported
      ┌─ test.litmus:5:1
      │
    5 │ cases (x=1)
      │ ^^^^^ here
    --- exit 3
    error[litmus::pointer-array]: arrays of pointers are not supported
      ┌─ test.litmus:2:3
      │
    2 │ { int *p[2]; }
      │   ^^^^^^^^^ declared here
    --- exit 3
    error[litmus::symbolic-register]: `%x` needs a thread to be observed
      ┌─ test.litmus:5:9
      │
    5 │ exists (%x=1)
      │         ^^ which thread's register?
    --- exit 2
    test.litmus: error[model::no-default]: there is no default model for LISA
     = help: name a model with -m
    --- exit 2
    error[variant::unknown]: there is no variant `mixd`
      ┌─ test.litmus:2:9
      │
    2 │ Variant=mixd
      │         ^^^^ the test asks for it
      │
      = help: did you mean `mixed`?
    --- exit 2
    error[variant::unsupported]: the variant `oota` is not supported
      ┌─ test.litmus:2:9
      │
    2 │ Variant=fatal oota
      │         ^^^^^^^^^^ the test asks for it
    --- exit 3
    error[variant::unsupported]: the variant `morello` is not supported
      ┌─ test.litmus:2:9
      │
    2 │ Variant=morello
      │         ^^^^^^^ the test asks for it
    --- exit 3
    ");
}

#[test]
fn programs() {
    insta::assert_snapshot!(said("", &[
        "AArch64 test\n{0:X1=x; 0:X2=y;}\n P0 ;\n MUL X3,X1,X2 ;\nexists (0:X3=1)\n",
        "AArch64 test\n{0:X1=3;}\n P0 ;\n BR X1 ;\nexists (true)\n",
        "AArch64 test\n{0:X1=3;}\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=1)\n",
        "AArch64 test\n{}\n P0 ;\n L0: ;\n B L0 ;\nexists (0:X0=1)\n",
    ]), @r#"
    error[program::illegal-operation]: multiplication has no meaning for x and y
      ┌─ test.litmus:4:2
      │
    4 │  MUL X3,X1,X2 ;
      │  ^^^^^^^^^^^^ computed here
      │
      = note: addresses are symbols: constants are added to them, and they are compared with each other
    --- exit 3
    error[program::no-branch-target]: indirect branch to `3`, which is no label
      ┌─ test.litmus:4:2
      │
    4 │  BR X1 ;
      │  ^^^^^ this branch
    --- exit 2
    error[program::non-symbolic-address]: non symbolic address: [3] is the address of no location
      ┌─ test.litmus:4:2
      │
    4 │  LDR W0,[X1] ;
      │  ^^^^^^^^^^^ this access
    --- exit 2
    warning[question::register]: no instruction of P0 writes `0:X0`
      ┌─ test.litmus:6:9
      │
    6 │ exists (0:X0=1)
      │         ^^^^ this is 0, whatever happens

    Warning: File "test.litmus": unrolling limit exceeded at L0, legal outcomes may be missing.
    test.litmus: test: no execution at all: every path was cut at the bound (at L0)
    test.litmus: test: bounded: the loop at L0 of P0 (line 5) was cut off by --unroll; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
    --- exit 0
    "#);
}

#[test]
fn c_programs() {
    let bodies = [
        "int a = 08x;",
        "int a = (x)();",
        "int a = \"text\"[0];",
        "int a = ({ 1; });",
        "asm(\"nop\");",
        "switch (*x) *x = 1;",
        "#define\n*x = 1;",
        "#if 1\n*x = 1;",
        "x = 1;",
        "int *a = &x;",
        "int a = 1; /* never closed",
        "int a = '",
        "int a = (1;",
        "if (*x) { *x = 1;",
    ];
    let tests: Vec<String> = bodies.iter().map(|body| c(body)).collect();
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    insta::assert_snapshot!(said("", &tests), @r#"
    error[c::bad-number]: `08x` is no integer constant
      ┌─ test.litmus:4:9
      │
    4 │ int a = 08x;
      │         ^^^ this number
    --- exit 2
    error[c::call]: only functions can be called, by their name
      ┌─ test.litmus:4:9
      │
    4 │ int a = (x)();
      │         ^^^ not the name of a function
    --- exit 3
    error[c::string]: strings are not supported
      ┌─ test.litmus:4:9
      │
    4 │ int a = "text"[0];
      │         ^^^^^^ here
    --- exit 3
    error[c::statement-expression]: `({ … })` is not supported
      ┌─ test.litmus:4:9
      │
    4 │ int a = ({ 1; });
      │         ^ a block as an expression
    --- exit 3
    error[c::statement]: `asm` is not supported
      ┌─ test.litmus:4:1
      │
    4 │ asm("nop");
      │ ^^^ this statement
    --- exit 3
    error[c::switch]: the body of a `switch` must be a block
      ┌─ test.litmus:4:13
      │
    4 │ switch (*x) *x = 1;
      │             ^^^^^^^ here
    --- exit 3
    error[c::define]: `#define` without a name
      ┌─ test.litmus:4:8
      │
    4 │ #define
      │        ^ here
    --- exit 2
    error[c::directive]: `#if` is not supported
      ┌─ test.litmus:4:1
      │
    4 │ #if 1
      │ ^^^^^ this preprocessor line
      │
      = help: `#define` of simple macros is; `#include` and `#pragma` are ignored
    --- exit 3

    --- exit 0
    error[c::address-of-parameter]: `&x`
      ┌─ test.litmus:3:9
      │
    3 │ P0(int *x) {
      │         ^ the address of a parameter is not supported
      │
      = help: `x` itself is the address of the global

    error[c::not-an-object]: `x` is the address of the global, not the global
      ┌─ test.litmus:4:11
      │
    4 │ int *a = &x;
      │           ^ an address
      │
      = help: write `*x`
    --- exit 3
    error[c::open-comment]: this comment is never closed
      ┌─ test.litmus:4:12
      │
    4 │ int a = 1; /* never closed
      │            ^^ opened here
    --- exit 2
    error[c::bad-character]: this character constant is not understood
      ┌─ test.litmus:4:9
      │
    4 │ int a = '
      │         ^ here
    --- exit 2
    error[c::syntax]: expected `)` after the expression, found `;`
      ┌─ test.litmus:4:11
      │
    4 │ int a = (1;
      │           ^ not expected here
    --- exit 2
    error[c::open-brace]: this `{` is never closed
      ┌─ test.litmus:3:12
      │
    3 │ P0(int *x) {
      │            ^ no `}` for this
    --- exit 2
    "#);
    insta::assert_snapshot!(said("", &["C test\n{}\n{ int x; }\nP0(int *x) { *x = 1; }\nexists (x=1)\n"]), @r"
    error[c::global-block]: a block outside every function
      ┌─ test.litmus:3:1
      │
    3 │ { int x; }
      │ ^ here
      │
      = help: declare globals in the initial state, or as `int x = 1;` between the functions
    --- exit 3
    ");
}

#[test]
fn models() {
    const SB: &str = "X86 SB\n{}\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0)\n";
    let models = [
        "flag ~empty po\n",
        "if \"no-such-variant\" empty po as p end\n",
        "let rec (a, b) = (b, a)\nempty a as a\n",
        "with co from po\nempty co as c\n",
        "let r = tag2rel('scope)\nempty r as r\n",
        "let f t = match t with || 'a -> po end\nenum tags = 'a || 'b\nempty f('b) as e\n",
        "let f x = f x\nempty f po as e\n",
        "acyclic po | rf | co | fr as sc\n",
    ];
    let all: String = models.iter().map(|model| said(model, &[SB])).collect();
    insta::assert_snapshot!(all, @r#"
    test.litmus: warning[cat::unnamed-flag]: a flag without a name is not recorded
      ┌─ ./model.cat:1:6
      │
    1 │ flag ~empty po
      │      ^^^^^^^^^ add `as name`
    --- exit 0
    test.litmus: warning[cat::unknown-variant]: there is no variant `no-such-variant`: taken as not set
      ┌─ ./model.cat:1:4
      │
    1 │ if "no-such-variant" empty po as p end
      │    ^^^^^^^^^^^^^^^^^ no such variant
    --- exit 0
    test.litmus: error[cat::recursive-tuple]: a tuple cannot be defined recursively
      ┌─ ./model.cat:1:9
      │
    1 │ let rec (a, b) = (b, a)
      │         ^^^^^^^^^^^^^^^ only functions, sets and relations can
    --- exit 2
    test.litmus: error[cat::wrong-sort]: expected a set of values to choose from, found a relation
      ┌─ ./model.cat:1:14
      │
    1 │ with co from po
      │              ^^ this is a relation
    --- exit 2
    test.litmus: error[cat::unknown-name]: `tag2rel` is not defined
      ┌─ ./model.cat:1:9
      │
    1 │ let r = tag2rel('scope)
      │         ^^^^^^^ not defined here, nor by this architecture
    2 │ empty r as r
      │ ------------ needed here
    --- exit 2
    test.litmus: error[cat::no-clause]: no clause matches `'b`
      ┌─ ./model.cat:1:17
      │
    1 │ let f t = match t with || 'a -> po end
      │                 ^ this is `'b`
    2 │ enum tags = 'a || 'b
    3 │ empty f('b) as e
      │ ---------------- needed here
    --- exit 2
    test.litmus: error[cat::unknown-name]: `f` is not defined
      ┌─ ./model.cat:1:11
      │
    1 │ let f x = f x
      │           ^ not defined here, nor by this architecture
    2 │ empty f po as e
      │ --------------- needed here
      │
      = help: did you mean `F`?
    --- exit 2
    test.litmus: error[cat::unknown-name]: `co` is not defined
      ┌─ ./model.cat:1:19
      │
    1 │ acyclic po | rf | co | fr as sc
      │                   ^^ not defined here, nor by this architecture
      │
      = help: `include "cos.cat"` chooses a `co` and defines `fr` from it
    --- exit 2
    "#);
}
