//! The language accepted, and the wording of what is not.

use super::*;
use crate::cat::ast::{File, InsKind};
use crate::diag::{Color, render_all};

fn parse_text(text: &str) -> (Result<File, Reported>, Diagnostics, Sources) {
    let mut sources = Sources::new();
    let id = sources.add("model.cat", text);
    let mut diags = Diagnostics::new();
    let result = parse(&sources, id, &mut diags);
    (result, diags, sources)
}

/// The shape of an expression, or `error`.
fn shape(expr: &str) -> String {
    let (result, ..) = parse_text(&format!("let x = {expr}"));
    match result.map(|file| file.body) {
        Ok(body) => match &body[..] {
            [crate::cat::ast::Ins { kind: InsKind::Let { bindings }, .. }] => bindings[0].expr.to_string(),
            _ => "several instructions".to_string(),
        },
        Err(_) => "error".to_string(),
    }
}

fn accepts(text: &str) -> bool {
    parse_text(text).0.is_ok()
}

/// The rendered diagnostics of a text that must be rejected.
fn rejected(text: &str) -> String {
    let (result, diags, sources) = parse_text(text);
    assert!(result.is_err(), "accepted: {text}");
    render_all(diags.list(), &sources, Color::Never)
}

#[test]
fn every_pair_of_infix_operators() {
    // Weakest first; of two operators the one further right binds tighter.
    let levels = ["|", "++", ";", "\\", "&", "*"];
    for (i, a) in levels.iter().enumerate() {
        for (j, b) in levels.iter().enumerate() {
            let text = format!("p {a} q {b} r");
            let show = |op: &str| if op == ";" { "; ".to_string() } else { format!(" {op} ") };
            let (a, b) = (show(a), show(b));
            let expected = match i.cmp(&j) {
                std::cmp::Ordering::Less => format!("p{a}(q{b}r)"),
                std::cmp::Ordering::Greater => format!("(p{a}q){b}r"),
                std::cmp::Ordering::Equal => match levels[i] {
                    "|" | ";" => format!("p{a}q{b}r"),
                    "++" | "&" => format!("p{a}(q{b}r)"),
                    "\\" => format!("(p{a}q){b}r"),
                    _ => "error".to_string(),
                },
            };
            assert_eq!(shape(&text), expected, "{text}");
        }
    }
}

/// Prefix and postfix operators with infix ones, on either side.
#[test]
fn every_infix_operator_with_every_prefix_and_postfix_one() {
    for op in ["|", "++", ";", "\\", "&", "*"] {
        let shown = if op == ";" { "; ".to_string() } else { format!(" {op} ") };
        for post in ["+", "*", "?", "^-1"] {
            // A `*` before an operand is a product, whatever was meant.
            let left = shape(&format!("p{post} {op} q"));
            assert_eq!(left, format!("(p{post}){shown}q"), "p{post} {op} q");
            let right = shape(&format!("p {op} q{post}"));
            let chains = op == "*" && post != "^-1";
            let expected = if chains { "error".to_string() } else { format!("p{shown}(q{post})") };
            assert_eq!(right, expected, "p {op} q{post}");
        }
        let expected = if op == "*" { "error".to_string() } else { format!("(~p){shown}q") };
        assert_eq!(shape(&format!("~p {op} q")), expected, "~p {op} q");
        // The product with `~` on its right is a relaxation.
        assert_eq!(shape(&format!("p {op} ~q")), format!("p{shown}(~q)"), "p {op} ~q");
        // Application binds tightest, `[…]` and `(…)` are operands like any other.
        assert_eq!(shape(&format!("f p {op} f q")), format!("(f p){shown}(f q)"));
        assert_eq!(shape(&format!("[p] {op} (q | r)")), format!("[p]{shown}(q | r)"));
    }
}

/// Postfix operators after each other, after an application, and under the prefix one.
#[test]
fn every_pair_of_prefix_and_postfix_operators() {
    let posts = ["+", "*", "?", "^-1"];
    for a in posts {
        for b in posts {
            let text = if (a, b) == ("+", "+") { "p+ +".to_string() } else { format!("p{a}{b}") };
            assert_eq!(shape(&text), format!("(p{a}){b}"), "{text}");
        }
        let expected = if a == "^-1" { "~(p^-1)" } else { "error" };
        assert_eq!(shape(&format!("~p{a}")), expected, "~p{a}");
        assert_eq!(shape(&format!("f p{a}")), format!("(f p){a}"));
        assert_eq!(shape(&format!("~(p{a})")), format!("~(p{a})"));
        assert_eq!(shape(&format!("(~p){a}")), format!("(~p){a}"));
    }
    assert_eq!(shape("p++"), "error");
    assert_eq!(shape("~ ~p"), "~(~p)");
    assert_eq!(shape("~f p"), "~(f p)");
}

/// The expressions that end with one: everything to their right belongs to them.
#[test]
fn open_ended_expressions_take_all_to_their_right() {
    for op in ["|", "++", ";", "\\", "&", "*"] {
        let inner = shape(&format!("p {op} q"));
        assert_eq!(shape(&format!("fun x -> p {op} q")), format!("fun x -> {inner}"));
        assert_eq!(shape(&format!("let y = p in p {op} q")), format!("let y = p in {inner}"));
        assert_eq!(shape(&format!("try p with p {op} q")), format!("try p with {inner}"));
        assert_eq!(shape(&format!("if \"v\" then p else p {op} q")), format!("if \"v\" then p else {inner}"));
        // Not an operand by itself.
        assert_eq!(shape(&format!("p {op} fun x -> q")), "error");
        assert_eq!(shape(&format!("p {op} let y = p in q")), "error");
    }
    assert_eq!(shape("p, q | r, s"), "(p, (q | r), s)");
}

#[test]
fn the_level_that_does_not_chain() {
    for text in ["A * B+", "A * B?", "A * B*", "A * B * C", "~r+", "~r*", "~r?", "~A * B", "A * ~B * C"] {
        assert_eq!(shape(text), "error", "{text}");
    }
    assert_eq!(shape("r+ * s"), "(r+) * s");
    assert_eq!(shape("~r^-1"), "~(r^-1)");
    assert_eq!(shape("~~r"), "~(~r)");
    assert_eq!(shape("r?*"), "(r?)*");
    assert_eq!(shape("r*+"), "(r*)+");
    assert_eq!(shape("r**"), "(r*)*");
    assert_eq!(shape("r+^-1?"), "((r+)^-1)?");
    assert_eq!(shape("A * B^-1"), "A * (B^-1)");
    assert_eq!(shape("(r+)+"), "(r+)+");
}

#[test]
fn relaxations_for_other_dialects() {
    assert_eq!(shape("A * ~B"), "A * (~B)");
    assert_eq!(shape("/* comment (* *) */ A /* another */"), "A");
}

#[test]
fn star_is_decided_by_the_next_token() {
    for operand in ["b", "'t", "0", "_", "(b)", "[b]", "{b}", "begin b end"] {
        assert!(shape(&format!("a * {operand}")).starts_with("a * "), "{operand}");
    }
    assert_eq!(shape("a* ; b"), "(a*); b");
    assert_eq!(shape("a* | b"), "(a*) | b");
    assert_eq!(shape("(a*)"), "a*");
}

#[test]
fn application() {
    assert_eq!(shape("f x+"), "(f x)+");
    assert_eq!(shape("f r^-1"), "(f r)^-1");
    assert_eq!(shape("f x y"), "(f x) y");
    assert_eq!(shape("f (x, y)"), "f (x, y)");
    assert_eq!(shape("f ()"), "f ()");
    assert_eq!(shape("po [W]"), "po [W]");
    assert_eq!(shape("~f x"), "~(f x)");
    assert_eq!(shape("(fun x -> x) W"), "error");
}

#[test]
fn expressions_of_every_kind() {
    assert_eq!(shape("let y = a in y, b"), "let y = a in (y, b)");
    assert_eq!(shape("let rec y = a and f (u, _) = b in y"), "let rec y = a and f (u, _) = b in y");
    assert_eq!(shape("fun _ -> fun (x) -> fun () -> x"), "fun _ -> fun x -> fun () -> x");
    assert_eq!(shape("try a with try b with c"), "try a with try b with c");
    assert_eq!(shape("if a = b then c else d | e"), "if a = b then c else d | e");
    assert_eq!(shape("if ((a)) subset b then c else d"), "if a subset b then c else d");
    assert_eq!(shape("if let y = a in y in b then c else d"), "if let y = a in y in b then c else d");
    assert_eq!(
        shape(r#"if not "a" && (variant "b" || "c") || "d" then e else f"#),
        r#"if ((not "a" && ("b" || "c")) || "d") then e else f"#
    );
    assert_eq!(
        shape("match t with 'a -> x || 'b -> y || _ -> z end"),
        "match t with || 'a -> x || 'b -> y || _ -> z end"
    );
    assert_eq!(shape("match t with || _ -> z end"), "match t with || _ -> z end");
    assert_eq!(shape("match s with {} -> 0 || e ++ t -> e end"), "match s with {} -> 0 || e ++ t -> e end");
    assert_eq!(
        shape("match s with || p | _ ++ t -> p || {} -> 0 end"),
        "match s with {} -> 0 || p | _ ++ t -> p end"
    );
    assert_eq!(shape("match t with _ -> z || 'a -> x end"), "error");
    assert_eq!(shape("{a | b, c} ++ {}"), "{(a | b), c} ++ {}");
    assert_eq!(shape("a, (b, c)"), "(a, (b, c))");
    assert_eq!(shape("begin a end"), "a");
}

#[test]
fn names_and_tags() {
    assert_eq!(shape("po-loc.x_1' | _y | a. | r-1"), "po-loc.x_1' | _y | a. | r-1");
    assert_eq!(shape("f __y"), "(f _) _y");
    assert_eq!(shape("'rcu-lock"), "'rcu-lock");
    assert_eq!(shape("x'y"), "x' y");
    assert_eq!(shape("match s with {}->0 || e ++ t->e end"), "error");
    assert_eq!(shape("match t with _->e end"), "match t with || _ -> e end");
}

#[test]
fn instructions_of_every_kind() {
    let text = r#"
        AArch64 "a name"
        catdep
        enum Orders = || 'once || 'acquire
        include "cos.cat"  // to the end of the line
        let x = a in
        let (y, _) = b and z = c
        let u, v = d
        let rec r = a | r;r and s = r when ~acyclic r as name in
        let f () = 0 # to the end of the line
        acyclic a as A
        ~empty b
        flag ~empty c as C
        undefined_unless irreflexive d
        assert empty e as E
        show a, b
        show a | b as ab
        show a as b
        show f(a) as c
        unshow a
        procedure p (x, _) = let y = x acyclic y end
        procedure rec q _ = call q() end
        call p (a, b) as P
        call q 0
        debug a
        forall x in s do call q(x) end
        with co from cross(s)
        if "mixed" && not variant "vmsa" let x = 0 else let x = a end
        if "x" end
        match t with 'a -> let x = 0 acyclic x || 'b -> || _ -> show x end
        instructions R[{'once, 'acquire}, 't]
        instructions B[]
        default W['once]
        (* nested (* comments *) "with quotes *)
    "#;
    let (result, diags, sources) = parse_text(text);
    let file = result.unwrap_or_else(|_| panic!("{}", render_all(diags.list(), &sources, Color::Never)));
    assert_eq!(file.header, ["AArch64", "a name"]);
    assert!(file.catdep);
    assert_eq!(file.body.len(), 30);
    // Spans: the text under each instruction is the instruction.
    assert_eq!(sources.text(file.body[0].span), "enum Orders = || 'once || 'acquire");
    assert_eq!(sources.text(file.body[29].span), "default W['once]");
}

#[test]
fn headers() {
    for (text, header) in [
        ("", &[][..]),
        ("X86", &["X86"]),
        ("\"x y\"", &["x y"]),
        ("X86 tso", &["X86", "tso"]),
        ("X86 \"tso\" catdep", &["X86", "tso"]),
    ] {
        assert_eq!(
            parse_text(text).0.map(|file| file.header),
            Ok(header.iter().map(|s| s.to_string()).collect())
        );
    }
    assert!(!accepts("X86 tso more"));
}

#[test]
fn what_is_not_an_instruction() {
    for text in [
        "let x = e in y",
        "let f x y = e",
        "call p W",
        "procedure p x = enum e = 'a end",
        "if \"x\" then let x = 0 end",
        "let x = a, let y = b in y",
        "let acyclic = 0",
        "let x = r* ~empty x",
        "match s with {} -> show x end",
    ] {
        assert!(!accepts(text), "{text}");
    }
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let n = 10_000;
    let deep = [
        format!("let x = {}a{}", "(".repeat(n), ")".repeat(n)),
        format!("let x = {}a{}", "[".repeat(n), "]".repeat(n)),
        format!("let x = {}a{}", "begin ".repeat(n), " end".repeat(n)),
        format!("let x = {}a{}", "{".repeat(n), "}".repeat(n)),
        format!("let x = {}a", "~".repeat(n)),
        format!("let x = a{}", "^-1".repeat(n)),
        format!("let x = a{}", "?".repeat(n)),
        format!("let x = f{}", " y".repeat(n)),
        format!("let x = a{}", " \\ b".repeat(n)),
        format!("let x = a{}", " & b".repeat(n)),
        format!("let x = a{}", " ++ b".repeat(n)),
        format!("let x = {}a", "let y = b in ".repeat(n)),
        format!("let x = {}a", "fun y -> ".repeat(n)),
        format!("let x = {}a", "try b with ".repeat(n)),
        format!("let x = {}a", "if \"v\" then b else ".repeat(n)),
        format!("let x = {}a {}", "match t with _ -> ".repeat(n), "end ".repeat(n)),
        format!("if \"v\"{} end", " || \"v\"".repeat(n)),
        format!("if {} \"v\" end", "not ".repeat(n)),
        format!("{} {}", "if \"v\" ".repeat(n), "end ".repeat(n)),
        format!("{} {}", "match t with _ -> ".repeat(n), "end ".repeat(n)),
        format!("{} {}", "procedure p () = ".repeat(n), "end ".repeat(n)),
        // Cut short: the parser's own stack is dropped.
        format!("let x = a{} )", " \\ b".repeat(n)),
    ];
    for text in deep {
        let (result, diags, _) = parse_text(&text);
        assert!(result.is_err());
        assert_eq!(diags.list()[0].code, "cat::too-deep", "{}", &text[..60]);
    }
    // Comments are no tree.
    assert!(accepts(&format!("{}{} let x = a", "(*".repeat(n), "*)".repeat(n))));
    // Width is no depth.
    assert!(accepts(&format!("let x = a{}", " | b".repeat(n))));
    assert!(accepts(&format!("let x = a{}", "; b".repeat(n))));
    assert!(accepts(&format!("let x = {}a{}", "(".repeat(100), ")".repeat(100))));
}

#[test]
fn megabytes() {
    let line = "let name-of-a-relation = [W]; po & loc | (rf; addr)+ \\ int (* why *)\n";
    let bytes = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };
    let text = line.repeat(bytes / line.len());
    assert!(accepts(&text));
    let (result, diags, _) = parse_text(&format!("{text}let x = ("));
    assert!(result.is_err() && diags.list().len() == 1);
}

/// Every model of the reference corpus parses.
#[test]
#[cfg_attr(not(corpus), ignore = "there is no corpus: see LITMUS_CORPUS")]
fn corpus() {
    let root = std::env::var("LITMUS_CORPUS").unwrap_or_else(|_| "../shared/corpus".to_string());
    let mut refused = Vec::new();
    let mut seen = 0;
    for folder in ["herd", "linux", "dat3m"] {
        let entries = std::fs::read_dir(format!("{root}/cat/{folder}")).expect("the corpus");
        let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        for path in paths {
            if !path.extension().is_some_and(|ext| ext == "cat" || ext == "bell") {
                continue;
            }
            seen += 1;
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let (result, diags, sources) = parse_text(&text);
            assert_eq!(diags.list().len(), usize::from(path.ends_with("vmm.cat")), "{}", path.display());
            if result.is_err() {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                println!("{name}: {}", render_all(diags.list(), &sources, Color::Never));
                refused.push(format!("{folder}/{name}"));
            }
        }
    }
    assert!(seen > 100, "only {seen} files");
    assert_eq!(refused, [""; 0]);
}

/// After an error the next line that starts with an instruction is where the parser goes on.
#[test]
fn all_errors_not_just_the_first() {
    insta::assert_snapshot!(rejected("let a = po |\nlet b = ;; rf\n(*\nlet no = ;\n*)\nlet c = a\nacyclic (a | b as hb\nshow a\nirreflexive $ as x\n"), @r"
    error[cat::syntax]: unexpected `let`, expected an expression
      ┌─ model.cat:2:1
      │
    2 │ let b = ;; rf
      │ ^^^ not expected here
      │
      = help: the operator before it has nothing on its right

    error[cat::syntax]: unexpected `;`, expected an expression
      ┌─ model.cat:2:9
      │
    2 │ let b = ;; rf
      │         ^ not expected here

    error[cat::syntax]: unexpected `as`, expected `)`
      ┌─ model.cat:7:16
      │
    7 │ acyclic (a | b as hb
      │                ^^ not expected here

    error[cat::stray-character]: stray character `$`
      ┌─ model.cat:9:13
      │
    9 │ irreflexive $ as x
      │             ^ this starts no token
    ");
    // The end of a block whose beginning was not understood is no error of its own.
    insta::assert_snapshot!(rejected("procedure p( =\nacyclic po\nend\nlet x = )"), @r"
    error[cat::syntax]: unexpected `=`, expected a name, `)` or `_`
      ┌─ model.cat:1:14
      │
    1 │ procedure p( =
      │              ^ not expected here

    error[cat::syntax]: unexpected `)`, expected an expression
      ┌─ model.cat:4:9
      │
    4 │ let x = )
      │         ^ not expected here
    ");
    let many = rejected(&"acyclic ;\n".repeat(1_000));
    assert_eq!(many.matches("error[").count(), 20);
    // Nothing is looked for in what is never closed: each `(*` would be tried in turn.
    let started = std::time::Instant::now();
    assert_eq!(rejected(&"(* ".repeat(1_000_000)).matches("error[").count(), 1);
    assert_eq!(rejected(&format!("acyclic ;\n{}", "(* ".repeat(1_000_000))).matches("error[").count(), 1);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[test]
fn messages_of_the_lexer() {
    insta::assert_snapshot!(rejected("let x = a\n(* one (* two *)\nlet"), @r"
    warning[cat::unbalanced-comment]: the comments of this file do not nest
      ┌─ model.cat:2:1
      │
    2 │ (* one (* two *)
      │ ^^     -- if this opened another one
      │ │       
      │ this comment would never be closed
      │
      = note: each comment was taken to end at the next `*)`; herd7 rejects the file

    error[cat::syntax]: unexpected end of file, expected a name, `rec`, `(` or `_`
      ┌─ model.cat:3:4
      │
    3 │ let
      │    ^ the file ends here
    ");
    insta::assert_snapshot!(rejected("let x = a\n(* one *) /* two\nlet y = b"), @r"
    error[cat::unterminated-comment]: this comment is never closed
      ┌─ model.cat:2:11
      │
    2 │ (* one *) /* two
      │           ^^ no `*/` after this `/*`
    ");
    insta::assert_snapshot!(rejected("(* one (* two\nlet y = b"), @r"
    error[cat::unterminated-comment]: this comment is never closed
      ┌─ model.cat:1:1
      │
    1 │ (* one (* two
      │ ^^ no `*)` after this `(*`
    ");
    insta::assert_snapshot!(rejected("include \"cos.cat\nlet x = a\n"), @r#"
    error[cat::unterminated-string]: this string is never closed
      ┌─ model.cat:1:9
      │
    1 │ include "cos.cat
      │         ^ no `"` after this one
    "#);
    insta::assert_snapshot!(rejected("let f = fun x->x"), @r"
    error[cat::stray-character]: stray character `>`
      ┌─ model.cat:1:15
      │
    1 │ let f = fun x->x
      │               ^ this starts no token
      │
      = help: `-` can be part of a name and was read as the end of the one before: write a space before `->`
    ");
    insta::assert_snapshot!(rejected("let x = a - b"), @r"
    error[cat::stray-character]: stray character `-`
      ┌─ model.cat:1:11
      │
    1 │ let x = a - b
      │           ^ this starts no token
      │
      = help: difference is written `\`
    ");
    insta::assert_snapshot!(rejected("let x = r^1"), @r"
    error[cat::stray-character]: stray character `1`
      ┌─ model.cat:1:11
      │
    1 │ let x = r^1
      │           ^ this starts no token
      │
      = help: the only number is `0`, the empty relation; the inverse of `r` is `r^-1`
    ");
    insta::assert_snapshot!(rejected("let x =\u{a0}a"), @r"
    error[cat::stray-character]: stray no-break space (U+00A0)
      ┌─ model.cat:1:8
      │
    1 │ let x = a
      │        ^ this starts no token
      │
      = help: replace it with a plain space
    ");
    insta::assert_snapshot!(rejected("\u{feff}let x = a"), @r"
    error[cat::stray-character]: stray byte-order mark
      ┌─ model.cat:1:1
      │
    1 │ ﻿let x = a
      │  this starts no token
      │
      = help: save the file without a byte-order mark
    ");
    insta::assert_snapshot!(rejected("let x = a @ b"), @r"
    error[cat::stray-character]: stray character `@`
      ┌─ model.cat:1:11
      │
    1 │ let x = a @ b
      │           ^ this starts no token
    ");
    insta::assert_snapshot!(rejected("let \u{fffd} = a"), @r"
    error[cat::stray-character]: stray byte that is not UTF-8
      ┌─ model.cat:1:5
      │
    1 │ let � = a
      │     ^ this starts no token
    ");
    insta::assert_snapshot!(rejected("let é = a"), @r"
    error[cat::stray-character]: stray character `é` (U+00E9)
      ┌─ model.cat:1:5
      │
    1 │ let é = a
      │     ^ this starts no token
    ");
    insta::assert_snapshot!(rejected("let x = \0"), @r"
    error[cat::stray-character]: stray character U+0000
      ┌─ model.cat:1:9
      │
    1 │ let x = 
      │         ^ this starts no token
    ");
}

#[test]
fn messages_of_the_parser() {
    insta::assert_snapshot!(rejected("let x = a ; ; b"), @r"
    error[cat::syntax]: unexpected `;`, expected an expression
      ┌─ model.cat:1:13
      │
    1 │ let x = a ; ; b
      │             ^ not expected here
    ");
    insta::assert_snapshot!(rejected("let x = a +\nlet y = b )"), @r"
    error[cat::syntax]: unexpected `)`, expected an instruction, `and` or `in`
      ┌─ model.cat:2:11
      │
    2 │ let y = b )
      │           ^ not expected here
    ");
    insta::assert_snapshot!(rejected("let x = ~r+"), @r"
    error[cat::syntax]: unexpected `+`, expected an operator, an instruction, `and`, `in` or `,`
      ┌─ model.cat:1:11
      │
    1 │ let x = ~r+
      │           ^ not expected here
      │
      = help: `~`, the product `*` and the closures `+` `*` `?` do not chain: use parentheses
    ");
    insta::assert_snapshot!(rejected("let x = A * B * C"), @r"
    error[cat::syntax]: unexpected `*`, expected an operator, an instruction, `and`, `in` or `,`
      ┌─ model.cat:1:15
      │
    1 │ let x = A * B * C
      │               ^ not expected here
      │
      = help: `~`, the product `*` and the closures `+` `*` `?` do not chain: use parentheses
    ");
    insta::assert_snapshot!(rejected("let x = r* ~empty y"), @r"
    error[cat::syntax]: unexpected `empty`, expected an expression
      ┌─ model.cat:1:13
      │
    1 │ let x = r* ~empty y
      │             ^^^^^ not expected here
      │
      = help: `*` before `~` is a product: for a closure before a check write `(r*)`
    ");
    insta::assert_snapshot!(rejected("let x = a || b"), @r"
    error[cat::syntax]: unexpected `||`, expected an instruction
      ┌─ model.cat:1:11
      │
    1 │ let x = a || b
      │           ^^ not expected here
      │
      = help: union is a single `|`
    ");
    insta::assert_snapshot!(rejected("let x = a && b"), @r"
    error[cat::syntax]: unexpected `&&`, expected an operator, an instruction, an argument, `and`, `in` or `,`
      ┌─ model.cat:1:11
      │
    1 │ let x = a && b
      │           ^^ not expected here
      │
      = help: intersection is a single `&`
    ");
    insta::assert_snapshot!(rejected("let x = r++"), @r"
    error[cat::syntax]: unexpected end of file, expected an expression
      ┌─ model.cat:1:12
      │
    1 │ let x = r++
      │            ^ the file ends here
      │
      = help: `++` is one token, it adds an element to a set: for two closures write `(r+)+`
    ");
    insta::assert_snapshot!(rejected("let x = (fun y -> y) W"), @r"
    error[cat::syntax]: unexpected identifier `W`, expected an operator, an instruction, `and`, `in` or `,`
      ┌─ model.cat:1:22
      │
    1 │ let x = (fun y -> y) W
      │                      ^ not expected here
      │
      = help: only a name can be applied to arguments; is a `;` or another operator missing?
    ");
    insta::assert_snapshot!(rejected("let x = [W] po"), @r"
    error[cat::syntax]: unexpected identifier `po`, expected an operator, an instruction, `and`, `in` or `,`
      ┌─ model.cat:1:13
      │
    1 │ let x = [W] po
      │             ^^ not expected here
      │
      = help: only a name can be applied to arguments; is a `;` or another operator missing?
    ");
    insta::assert_snapshot!(rejected("let x = rf -1"), @r"
    error[cat::syntax]: unexpected `-1`, expected an operator, an instruction, an argument, `and`, `in` or `,`
      ┌─ model.cat:1:12
      │
    1 │ let x = rf -1
      │            ^^ not expected here
      │
      = help: the inverse is written `^-1`
    ");
    insta::assert_snapshot!(rejected("let f x y = x"), @r"
    error[cat::syntax]: unexpected identifier `y`, expected `=`
      ┌─ model.cat:1:9
      │
    1 │ let f x y = x
      │         ^ not expected here
      │
      = help: a function takes one parameter or one tuple of them: `let f (x, y) = …`
    ");
    insta::assert_snapshot!(rejected("let empty = 0"), @r"
    error[cat::syntax]: unexpected `empty`, expected a name, `rec`, `(` or `_`
      ┌─ model.cat:1:5
      │
    1 │ let empty = 0
      │     ^^^^^ not expected here
      │
      = help: this word is reserved and cannot be a name
    ");
    insta::assert_snapshot!(rejected("acyclic po | rf as"), @r"
    error[cat::syntax]: unexpected end of file, expected a name
      ┌─ model.cat:1:19
      │
    1 │ acyclic po | rf as
      │                   ^ the file ends here
    ");
    insta::assert_snapshot!(rejected("acylic po | rf as sc"), @r"
    error[cat::syntax]: unexpected `|`, expected an instruction or `catdep`
      ┌─ model.cat:1:11
      │
    1 │ acylic po | rf as sc
      │ ------    ^ not expected here
      │ │          
      │ did you mean `acyclic`?
    ");
    insta::assert_snapshot!(rejected("show a; b"), @r"
    error[cat::syntax]: unexpected end of file, expected `as`
      ┌─ model.cat:1:10
      │
    1 │ show a; b
      │          ^ the file ends here
    ");
    insta::assert_snapshot!(rejected("call p W"), @r"
    error[cat::syntax]: unexpected identifier `W`, expected an argument in parentheses
      ┌─ model.cat:1:8
      │
    1 │ call p W
      │        ^ not expected here
      │
      = help: `call` takes one argument, in parentheses unless it is `0`, `_`, a tag or `{…}`
    ");
    insta::assert_snapshot!(rejected("if \"x\" then let y = a end"), @r#"
    error[cat::syntax]: unexpected `then`, expected an instruction, `end`, `else` or `||`
      ┌─ model.cat:1:8
      │
    1 │ if "x" then let y = a end
      │        ^^^^ not expected here
      │
      = help: an `if` instruction takes no `then`: `if "variant" … else … end`
    "#);
    insta::assert_snapshot!(rejected("if \"x\" let y = a"), @r#"
    error[cat::syntax]: unexpected end of file, expected an instruction, `end` or `else`
      ┌─ model.cat:1:17
      │
    1 │ if "x" let y = a
      │                 ^ the file ends here
    "#);
    insta::assert_snapshot!(rejected("procedure p () = enum e = 'a end"), @r"
    error[cat::syntax]: unexpected `enum`, expected an instruction or `end`
      ┌─ model.cat:1:18
      │
    1 │ procedure p () = enum e = 'a end
      │                  ^^^^ not expected here
      │
      = help: `enum` is only allowed at the top level of a file
    ");
    insta::assert_snapshot!(rejected("let x = (a | b"), @r"
    error[cat::syntax]: unexpected end of file, expected `)`
      ┌─ model.cat:1:15
      │
    1 │ let x = (a | b
      │               ^ the file ends here
    ");
    insta::assert_snapshot!(rejected("let x = match t with _ -> a || 'b -> c end"), @r"
    error[cat::syntax]: unexpected `||`, expected `end`
      ┌─ model.cat:1:29
      │
    1 │ let x = match t with _ -> a || 'b -> c end
      │                             ^^ not expected here
      │
      = help: `_` can only be the last clause
    ");
    insta::assert_snapshot!(rejected("include cos.cat"), @r"
    error[cat::syntax]: unexpected identifier `cos.cat`, expected a string
      ┌─ model.cat:1:9
      │
    1 │ include cos.cat
      │         ^^^^^^^ not expected here
    ");
    insta::assert_snapshot!(rejected("let x = a in y"), @r"
    error[cat::syntax]: unexpected identifier `y`, expected an instruction
      ┌─ model.cat:1:14
      │
    1 │ let x = a in y
      │              ^ not expected here
      │
      = help: `let … in` with a body is an expression; as an instruction, `let` takes no body
    ");
    insta::assert_snapshot!(rejected(&format!("let x = {}a{}", "(".repeat(300), ")".repeat(300))), @r"
    error[cat::too-deep]: this is nested too deeply
      ┌─ model.cat:1:53
      │
    1 │ let x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…
      │                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ more than 256 levels
      │
      = help: name the inner parts with `let`
    ");
}
