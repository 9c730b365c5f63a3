//! What is wrong with a program is said, each thing by its name.

use super::lower::{Options, Orders, lower};
use super::parse::parse;
use crate::arch::c::preprocess::{Settings, preprocess};
use crate::diag::{Color, Diagnostic, render};
use crate::program::shapes::Shapes;
use crate::source::Sources;

/// The first lines of all that is said about a program; on a stack that holds what is nested deeply.
fn complaints(text: &str) -> Vec<String> {
    let text = text.to_string();
    let work = move || all_complaints(&text);
    std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread").join().expect("no panic")
}

fn all_complaints(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("program.c", text);
    let options = Options {
        recursion: 4,
        orders: Orders::Sets,
        samples: false,
        uninitialised: false,
        marks_waits: false,
    };
    let result = preprocess(&mut sources, file, &Settings::default())
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(|tokens| parse(vec![tokens], &mut sources))
        .and_then(|unit| lower(unit, &sources, options, &Shapes::default()));
    let first = |d: &Diagnostic| {
        let text = render(d, &sources, Color::Never);
        text.lines().next().unwrap_or("").to_string()
    };
    match result {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.iter().map(first).collect(),
    }
}

/// On a stack as the command has it: unoptimised parsers of nested text need more than a test's own.
#[test]
fn every_complaint() {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(complaints_one_by_one);
    thread.expect("a thread").join().expect("every complaint as it should be");
}

fn complaints_one_by_one() {
    let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
    for (text, wanted) in [
        (main("return x;"), "error[c::unknown-name]: nobody declares `x`"),
        (main("goto nowhere;"), "error[c::label]: there is no label `nowhere` in this function"),
        (
            format!("int x = x; {}", main("x = 1;")),
            "error[c::constant]: a static variable starts with a constant",
        ),
        (main("f();"), "error[c::unknown-function]: nobody declares the function `f`"),
        (main("int x = 3"), "error[c::syntax]: expected `;` after the declaration, found `return`"),
        ("int f(void);".to_string(), "error[c::no-main]: this program has no `main`"),
        (format!("void *g(void);\n{}", main("g();")), "error[c::no-body]: nobody says what `g` does"),
        (
            format!("int longjmp(int *, int);\n{}", main("longjmp(0, 1);")),
            "error[c::refused]: jumps out of functions are not supported",
        ),
        (main("fork();"), "error[c::refused]: processes are not supported"),
        (
            format!("#include <signal.h>\n{}", main("raise(SIGINT);")),
            "error[c::refused]: signals that are sent are not supported",
        ),
        (
            format!(
                "#include <pthread.h>\n{}",
                main("pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);")
            ),
            "error[c::cancel]: a thread that may be cancelled at any point is not supported",
        ),
        (main("asm(\"cpuid\");"), "error[c::asm]: inline assembly, other than fences, is not supported"),
        (main("int n = 2; static int a[n];"), "error[c::array]: the length of an array must be a constant"),
        (main("3 = 4;"), "error[c::assign]: only an object can be assigned to"),
        (main("int *p = &3;"), "error[c::address]: only objects have an address"),
        (main("int a[2] = { 1, 2, 3 };"), "error[c::initial-value]: more values than there is room for"),
        (main("struct s { int a; } v; v.b = 1;"), "error[c::member]: `struct s` has no member `b`"),
        (main("struct s v;"), "error[c::incomplete]: `struct s` has no size here"),
        (main("struct { int a : 300; } v;"), "error[c::bit-field]: this is no number of bits"),
        (main("int x; x();"), "error[c::call]: this is no function"),
        (main("int x; *x;"), "error[c::type]: `int` points at nothing"),
        (main("main(1);"), "error[c::arguments]: this function takes 0 arguments, not 1"),
        (
            "void f(void) { return 1; }\nint main(void) { }".to_string(),
            "error[c::void]: a function without a result returns a value",
        ),
        (
            "int f(a) int b; { return 0; } int main(void) { }".to_string(),
            "error[c::parameter]: `b` is no parameter",
        ),
        (
            format!("int f(int a) {{ return a; }} {}", main("f(1, 2);")),
            "error[c::arguments]: this function takes one argument, not 2",
        ),
        (main("void v;"), "error[c::incomplete]: a variable of type `void` holds nothing"),
        (main("break;"), "error[c::break]: there is no loop to leave here"),
        (main("case 1: ;"), "error[c::case]: `case` outside every `switch`"),
        (main("goto *0;"), "error[c::goto]: `goto` needs the name of a label"),
        (main("int x; switch (1) { case x: ; }"), "error[c::constant]: a constant is needed here"),
        (main("_Static_assert(0, \"no\");"), "error[c::static-assert]: this static assertion does not hold"),
        (main("_Generic(1, char: 2);"), "error[c::generic]: no choice for `int`"),
        (
            main("int x = 99999999999999999999999;"),
            "error[c::number]: `99999999999999999999999` fits no type",
        ),
        (main("int x; __atomic_load_n(&x, 9);"), "error[c::memory-order]: this is no memory order"),
        (
            main("int n = 2; int a[n] = { 0 };"),
            "error[c::initial-value]: an array of a computed length has no initial value",
        ),
        (
            main("int mine = 1; __CPROVER_ASYNC_1: mine = 2;"),
            "error[c::unknown-name]: nobody declares `mine`",
        ),
        (
            main("void *(*f)(void *) = 0; unsigned long t; __litmus_spawn(&t, f, 0);"),
            "error[c::spawn]: no function is known that a new thread could run",
        ),
        (
            main("int x = __VERIFIER_nondet_int(); x++;"),
            "error[c::nondet]: an integer of any value is only compared with constants, or kept in a range by `__VERIFIER_assume`",
        ),
        (
            main("struct s { int a; } x, y; int *p = (int *)x;"),
            "error[c::type]: `struct s` cannot become `int *`",
        ),
        (
            main("struct s { long a, b, c; } _Atomic x; __atomic_load_n(&x, 5);"),
            "error[c::access]: an access to a whole `struct s` at once",
        ),
        (
            "int f(void) { } int f(void) { } int main(void) { }".to_string(),
            "error[c::duplicate]: `f` is defined twice",
        ),
        (
            "int a[40000], b[40000]; int main(void) { a[0] = b[0]; }".to_string(),
            "error[c::too-large]: this program has too many memory cells",
        ),
        (
            main("switch (1) { case 1: case 2: break; case 1: break; }"),
            "error[c::case]: `case 1` stands there twice",
        ),
        (
            main("switch (1) { case 1 ... 4: break; case 3: break; }"),
            "error[c::case]: `case 3` stands there twice",
        ),
        (
            main("switch (1) { default: break; default: break; }"),
            "error[c::case]: `default` stands there twice",
        ),
        ("#if 1\nint main(void) { }".to_string(), "error[c::if]: `#if` without `#endif`"),
        ("#include <nothing.h>\n".to_string(), "error[c::include]: there is no header `nothing.h`"),
        ("#frob\n".to_string(), "error[c::directive]: `#frob` is no directive"),
        ("#error no\n".to_string(), "error[c::error]: #error no"),
        ("#define f(a) a\nint x = f(1, 2);".to_string(), "error[c::macro]: `f` takes 1 arguments, not 2"),
        ("/* int main".to_string(), "error[c::comment]: this comment does not end"),
        ("char *s = \"abc\nint".to_string(), "error[c::quote]: this string does not end on its line"),
        (main(&"(".repeat(500)), "error[c::nesting]: this is nested too deeply"),
        (
            format!("int main(void) {{ {} }}", "y; ".repeat(120)),
            "error[c::unknown-name]: nobody declares `y`",
        ),
    ] {
        let said = complaints(&text);
        assert_eq!(said.first().map(String::as_str), Some(wanted), "{text}\n{said:#?}");
    }
    let said = complaints(&main("asm(\"cpuid\"); int y = 1; y = 2; z;"));
    assert_eq!(said.len(), 2, "{said:#?}");
    // One wrong statement does not hide the next.
    let said = complaints(&main("x; int y = 1; z; y = 2;"));
    assert_eq!(said.len(), 2, "{said:#?}");
    // Nor does what cannot be translated.
    let said =
        complaints(&main("int y = __VERIFIER_nondet_int(); y++; int z = __VERIFIER_nondet_int(); z++;"));
    assert!(said.len() >= 2, "{said:#?}");
    let many = complaints(&format!("int main(void) {{ {} }}", "y; ".repeat(120)));
    assert_eq!(many.last().map(String::as_str), Some("error[c::errors]: too many errors"));
}

/// What compilers refuse, they refuse in one scope, of one name.
#[test]
fn declarations_that_contradict_each_other() {
    let main = "int main(void) { return 0; }";
    for (text, wanted) in [
        ("int x; int x(void);", "error[c::redeclared]: `x` is a variable here, and a function there"),
        ("int x(void); int x;", "error[c::redeclared]: `x` is a function here, and a variable there"),
        ("typedef int x; int x;", "error[c::redeclared]: `x` is a type here, and a variable there"),
        ("enum { x }; int x;", "error[c::redeclared]: `x` is a constant here, and a variable there"),
        ("int x; enum { x };", "error[c::redeclared]: `x` is a variable here, and a constant there"),
        ("int f(int); int f(char *);", "error[c::redeclared]: `f` is declared with two types"),
        ("int f(int); void f(int a) { }", "error[c::redeclared]: `f` is declared with two types"),
        (
            "int f(int); int f(int a, int b) { return a; }",
            "error[c::redeclared]: `f` is declared with two types",
        ),
        ("int x; long x;", "error[c::redeclared]: `x` is declared with two types"),
        ("extern int x; _Atomic int x;", "error[c::redeclared]: `x` is declared with two types"),
        ("extern int x; const int x;", "error[c::redeclared]: `x` is declared with two types"),
        ("extern int x[2]; int x[3];", "error[c::redeclared]: `x` is declared with two types"),
        ("typedef int t; typedef long t;", "error[c::redeclared]: `t` is declared with two types"),
        ("int x; void f(void) { extern long x; }", "error[c::redeclared]: `x` is declared with two types"),
        ("int x = 1; int x = 2;", "error[c::duplicate]: `x` is defined twice"),
        ("enum e { A }; enum f { A };", "error[c::duplicate]: `A` is declared twice"),
        ("struct s { int a; }; struct s { int b; };", "error[c::duplicate]: `struct s` is defined twice"),
        ("enum e { A }; enum e { B };", "error[c::duplicate]: `enum e` is defined twice"),
        ("struct s { int a; }; union s *p;", "error[c::duplicate]: `union s` is `struct s`"),
        ("struct s { int a; int a; };", "error[c::duplicate]: two members `a`"),
        ("void f(int a, int a) { }", "error[c::duplicate]: `a` is declared twice"),
        ("void f(int a) { int a; }", "error[c::duplicate]: `a` is declared twice"),
        ("void f(void) { int a; int a; }", "error[c::duplicate]: `a` is declared twice"),
        ("void f(void) { out: ; out: ; }", "error[c::duplicate]: `out:` stands there twice"),
    ] {
        assert_eq!(complaints(&format!("{text}\n{main}")), [wanted], "{text}");
    }
    for text in [
        "int x; int x; extern int x; int x = 1;",
        "extern int x[]; int x[3];",
        "int f(); int f(int a, int b) { return a; }",
        "int f(int, char *); int f(a, b) int a; char *b; { return a; }",
        "int f(const int); int f(int a) { return a; }",
        "void f(int a) { { int a; } for (int a = 0; a < 1; a++) { int a; } }",
        "void f(void) { g(); } void g(void) { }",
        "typedef struct s s; typedef struct s s; struct s { s *next; };",
        "struct s { int a; }; void f(void) { struct s { long b; } v; }",
        "void f(void) { out: ; } void g(void) { out: ; }",
    ] {
        assert_eq!(complaints(&format!("{text}\n{main}")), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_const_stays_as_it_is() {
    let fixed = |ty: &str| format!("error[c::const]: an object of type `{ty}` does not change");
    let s = "struct s { const int c; int n; int a[2]; };";
    for (text, wanted) in [
        ("const int a = 1; a = 2;", fixed("const int")),
        ("const int a = 1; a++;", fixed("const int")),
        ("int const a = 1; --a;", fixed("const int")),
        ("const int a = 1; a += 1;", fixed("const int")),
        ("int a; const int *p = &a; *p = 1;", fixed("const int")),
        ("int a; const int *p = &a; p[0] = 1;", fixed("const int")),
        ("int a; int *const p = &a; *p = 1; p = 0;", fixed("int *const")),
        ("const int a[2][2] = { { 1 } }; a[0][1] = 2;", fixed("const int")),
        ("typedef int pair[2]; const pair a = { 1 }; a[1] = 2;", fixed("const int")),
        ("struct s v = { 1 }; v.n = 2; v.c = 2;", fixed("const int")),
        ("const struct s v = { 1 }; v.n = 2;", fixed("const int")),
        ("struct s v = { 1 }; const struct s *p = &v; p->a[1] = 2;", fixed("const int")),
        ("const _Atomic int a = 1; a = 2;", fixed("const _Atomic int")),
        ("const int a = 1; typeof(a) b = 2; b = 3;", fixed("const int")),
        ("for (const int i = 0; i < 2; i++) ;", fixed("const int")),
        (
            "struct s v = { 1 }, w = { 2 }; v = w;",
            "error[c::const]: an object of type `struct s` does not change as a whole: a member of it is `const`"
                .to_string(),
        ),
    ] {
        let text = format!("{s} int main(void) {{ {text} return 0; }}");
        assert_eq!(complaints(&text), [wanted], "{text}");
    }
    for text in [
        "const int a = 1, *p = &a; int b = a; b++; p++; __auto_type c = a; c = 2;",
        "int a; const int *p = &a; *(int *)p = 2; const char *t = \"a\"; t = \"b\";",
        "const struct s v = { 1, 2, { 3 } }; struct s w = v; w.n = v.a[0];",
        "const struct s *p = 0; const struct s *q = p; p = q; int n = p ? p->a[0] : 0; n = 1;",
        "int a = 1; const int *const p = &a; int n = _Generic(p, int *: 1, const int *: 2); n++;",
    ] {
        let text = format!("{s} int main(void) {{ {text} return 0; }}");
        assert_eq!(complaints(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn types_that_do_not_fit() {
    let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
    for (text, wanted) in [
        (main("int char a;"), "error[c::type]: `int char` is no type"),
        (main("int a[2]; return a[1.0];"), "error[c::type]: a pointer moves by an integer, not by `double`"),
        (main("int a, *p = &a; p = p + p;"), "error[c::type]: a pointer moves by an integer, not by `int *`"),
        (main("double d = 1; switch (d) { }"), "error[c::type]: `switch` needs an integer, not `double`"),
        (main("int a; switch (&a) { }"), "error[c::type]: `switch` needs an integer, not `int *`"),
        (
            main("_Atomic int a; __atomic_compare_exchange_n(&a, 0, 1, 0, 5, 5);"),
            "error[c::type]: what is expected is told by its address",
        ),
        (main("struct { int a : 40; } v;"), "error[c::bit-field]: more bits than its type has"),
        (
            main("struct { int a[]; int b; } v;"),
            "error[c::array]: an array without a length is the last member, or none",
        ),
        (main("struct { void a; } v;"), "error[c::incomplete]: a variable of type `void` holds nothing"),
        (main("else ;"), "error[c::syntax]: expected an expression, found `else`"),
        (main("int f(void) { return 1; }"), "error[c::nested]: functions inside functions are not supported"),
        (
            format!("void f(void a) {{ }} {}", main("")),
            "error[c::incomplete]: a variable of type `void` holds nothing",
        ),
        (
            format!("void f(static int a) {{ }} {}", main("")),
            "error[c::parameter]: a parameter is neither `static` nor `extern` nor a `typedef`",
        ),
        (
            format!("typedef int pair[2]; pair f(void); {}", main("")),
            "error[c::type]: a function does not give `int [2]`",
        ),
    ] {
        assert_eq!(complaints(&text).first().map(String::as_str), Some(wanted), "{text}");
    }
}
