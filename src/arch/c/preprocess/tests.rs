//! Macros, conditions and headers.

use super::{Settings, preprocess};
use crate::source::Sources;

fn expanded(text: &str, defines: &[&str]) -> String {
    let mut sources = Sources::new();
    let file = sources.add("program.c", text);
    let settings = Settings { defines: defines.iter().map(|d| d.to_string()).collect(), folders: Vec::new() };
    match preprocess(&mut sources, file, &settings) {
        Ok(tokens) => {
            let words: Vec<&str> = tokens.iter().map(|t| &*t.text).collect();
            words.join(" ").trim_end().to_string()
        }
        Err(diagnostic) => format!("! {}", diagnostic.message),
    }
}

#[test]
fn macros() {
    for (text, wanted) in [
        ("#define N 3\nint a[N];", "int a [ 3 ] ;"),
        ("#define f(x, y) x + y\nf(1, (2, 3))", "1 + ( 2 , 3 )"),
        ("#define f(x) #x\nf(a + \"b\")", "\"a + \\\"b\\\"\""),
        ("#define join(a, b) a ## b\njoin(x, 1) join(, y)", "x1 y"),
        ("#define p(s, ...) g(s, ## __VA_ARGS__)\np(1) p(1, 2, 3)", "g ( 1 ) g ( 1 , 2 , 3 )"),
        ("#define q(args...) h(args)\nq(1, 2)", "h ( 1 , 2 )"),
        ("#define x x + 1\nx", "x + 1"),
        ("#define f(a) g(a)\n#define g(a) f(a)\nf(2)", "f ( 2 )"),
        ("#define obj (1)\n#define fn (x)\nobj fn", "( 1 ) ( x )"),
        ("#define f() 7\nf() f", "7 f"),
        ("#define A B\n#define B 2\n#undef B\nA", "B"),
        ("#define lines 1 + \\\n  2\nlines", "1 + 2"),
        ("__LINE__\n__LINE__", "1 2"),
        ("#define p(s, ...) g(s __VA_OPT__(,) __VA_ARGS__)\np(1) p(1, 2, 3)", "g ( 1 ) g ( 1 , 2 , 3 )"),
        (
            "#define p(x, ...) f(0 __VA_OPT__(, h(x, (__VA_ARGS__))))\np(a, ) p(a, b)",
            "f ( 0 ) f ( 0 , h ( a , ( b ) ) )",
        ),
        ("#define none\n#define p(...) [__VA_OPT__(a)]\np() p(none) p(1)", "[ ] [ ] [ a ]"),
        ("#define p(...) __VA_OPT__ + 1\np(1)", "! `__VA_OPT__` needs tokens in parentheses after it"),
        ("#define p(...) __VA_OPT__(a\np(1)", "! `__VA_OPT__` needs tokens in parentheses after it"),
        // Of the standard (6.10.3.5).
        (
            "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7) };",
            "int j [ ] = { 123 , 45 , 67 } ;",
        ),
        (
            "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\nin_between(q)",
            "\"q\"",
        ),
    ] {
        assert_eq!(expanded(text, &[]), wanted, "{text}");
    }
}

#[test]
fn conditions() {
    for (text, wanted) in [
        ("#ifdef A\nyes\n#else\nno\n#endif", "yes"),
        ("#ifndef B\nyes\n#endif", "yes"),
        ("#if A == 2 && !defined(B)\none\n#elif A\ntwo\n#else\nthree\n#endif", "one"),
        ("#if A > 2\none\n#elif defined A\ntwo\n#endif", "two"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c"),
        ("#if (1 ? 2 : 3) == 2 && 0x10 == 16 && 'a' && (1 << 3) == 8\nyes\n#endif", "yes"),
        ("#if -1 > 0u && (-1 < 0) && ~0u == 18446744073709551615u && (1 ? -1 : 0u) > 0\nyes\n#endif", "yes"),
        ("#if '\\n' == 10 && '\\0' == 0 && '\\'' == 39 && 0xffffffffffffffff > 0\nyes\n#endif", "yes"),
        ("#if UNKNOWN(3) || 1\nyes\n#endif", "yes"),
        ("#if 1 / 0\n#endif", "! a division by zero in a condition"),
        ("#if defined(B) && 1 / B || (1 ? 2 : 3 % 0)\nyes\n#endif", "yes"),
        ("#if 1 +\n#endif", "! this is no condition that the preprocessor can compute"),
    ] {
        assert_eq!(expanded(text, &["A=2"]), wanted, "{text}");
    }
}

#[test]
fn our_headers_can_be_read_in_any_order() {
    for name in super::headers::names() {
        let text = format!("#include <{name}>\n#include <{name}>\n");
        assert!(!expanded(&text, &[]).starts_with('!'), "{name}");
    }
}
