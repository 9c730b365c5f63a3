//! Models broken at random: the front end answers each with a model or a diagnostic, and never panics. Each text that parses is lowered,
//! some are read as bell files too, and those that are right are printed and run on a few events.
//!
//! A few hundred by default; `LITMUS_FUZZ=1000000` for a million, `LITMUS_FUZZ_SEED` for others. The same numbers give the same models on
//! every machine.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::File;
use super::lower::{Files, LowerInput, Predefined, Purpose, lower, read_bell};
use super::{library, parse};
use crate::diag::{Color, Diagnostic, Diagnostics, Reported, render_all};
use crate::model::{Choices, EvalError, Expr, ExprId, Model, Plain, Step, Universe, Val};
use crate::relation::{Rel, Set};
use crate::source::{Sources, Span};

/// xorshift64*: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Small models of every construct, besides those of the library.
const SEEDS: &[&str] = &[
    "let rec r = po | r; r and s = r \\ rf when acyclic s as w in acyclic s",
    "enum e = 'a || 'b let f t = match t with 'a -> po || _ -> rf end acyclic f 'a",
    "let map f = let rec m S = match S with {} -> {} || e ++ s -> f e ++ m s end in m with x from map (fun r -> r) {po, rf}",
    "procedure p (x, y) = acyclic x | y as inner end call p (po, rf) as outer",
    "forall r in {po, rf} do acyclic r show r end",
    "if \"mixed\" && not (\"x\" || variant \"y\") let r = po else let r = rf end acyclic r",
    "let f (x, y) = if x = y then x else if x subset y then y else {} flag ~empty f (W, R) as F undefined_unless empty W",
    "let (a, b) = (po, rf) let c, _ = (W, R) empty ([c]; a \\ b & (W * R))^-1 ++ 0 as x assert empty c as y",
    "with co from linearisations(W, po) let fr = rf^-1; co acyclic po | rf | fr | co",
    "let x = try nosuch with (try 'tag with domain po) empty x instructions R[{'a}] default W['b] debug x unshow x",
    "let c = lift(classes-loc(W), po) acyclic c empty delift(c) | bisimulation(po, _ * _) forall s in classes(po) do empty [s]; rf as n end",
    "let rec first S = match S with {} -> 0 || p | e ++ s -> (e, e) ++ first s end irreflexive first R ~empty fun-of(W) let fun-of = fun x -> x",
    "enum scopes = 'cta || 'gpu let narrower t = match t with 'gpu -> {'cta} || 'cta -> {} end instructions R[{'a, 'b}, scopes] default R['a, 'cta]",
    "procedure rec p(S) = match S with {} -> 0 || e ++ s -> s end end call p(W) let curry = fun x -> fun (y, _) -> x; y acyclic curry po (rf, 0)",
    "let rec S = W | range([S]; po) and r = [S]; po | r; r when irreflexive r empty S \\ M show r as shown, S unshow shown assert ~acyclic 0",
    "with s from {W, R, {}} with t from {'x} \\ {'x} enum e = 'x || 'y forall t in e do if t in {'x} then po else rf end empty s as in-s",
    "let t = tag2events('acquire) let l = loc2events('x) let d = different-values(po) & same-oa(rf) empty l * t ++ {} flag ~empty [t]; d as F",
];

/// What may be thrown in.
const WORDS: &[&str] = &[
    " let ",
    " rec ",
    " and ",
    " in ",
    " acyclic ",
    " empty ",
    " ~",
    " as ",
    " fun ",
    " -> ",
    " match ",
    " with ",
    " end ",
    " try ",
    " if ",
    " then ",
    " else ",
    " forall ",
    " do ",
    " from ",
    " procedure ",
    " call ",
    " include ",
    " enum ",
    " show ",
    " flag ",
    " when ",
    "||",
    "|",
    "&&",
    "&",
    ";",
    "\\",
    "++",
    "+",
    "*",
    "?",
    "^-1",
    "^",
    "-1",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{}",
    "_",
    "0",
    ",",
    "=",
    "\"",
    "'",
    "(*",
    "*)",
    "/*",
    "//",
    "#",
    "\u{a0}",
    "\u{fffd}",
    "\0",
    "é",
    "1",
    "->",
    "x->y",
    " po ",
    " rf ",
    " W ",
    " R ",
    " fr ",
    " nosuch ",
    "\"cos.cat\"",
    "\"nosuch.cat\"",
    " domain ",
    " linearisations ",
    " classes-loc ",
    " fail ",
    "((((((((",
    "))))))))",
    "[[[[",
    "~~~~",
];

/// A model with something wrong, or merely different.
fn mutate(random: &mut Random, text: &str, others: &[&str]) -> String {
    let mut text = text.to_string();
    // Half of them keep the shape of the text, so that more than the parser is put to the test.
    if random.below(2) == 0 {
        for _ in 0..=random.below(4) {
            rename(random, &mut text);
        }
        return text;
    }
    for _ in 0..=random.below(4) {
        let cut = |random: &mut Random, text: &str| {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (a, b) = (cut(random, &text), cut(random, &text));
        let (a, b) = (a.min(b), a.max(b));
        match random.below(7) {
            0 => text.insert_str(a, random.pick(WORDS)),
            1 => {
                let end = text[a..b].char_indices().nth(12).map_or(b, |(at, _)| a + at);
                text.replace_range(a..end, "");
            }
            2 => text.truncate(a),
            3 => {
                let piece = text[a..b].to_string();
                text.insert_str(a, &piece);
            }
            4 => {
                let other = random.pick(others);
                let (c, d) = (cut(random, other), cut(random, other));
                text.insert_str(a, &other[c.min(d)..c.max(d)]);
            }
            _ => exchange(random, &mut text),
        }
        if text.len() > 20_000 {
            text.truncate(cut(random, &text));
        }
    }
    text
}

/// Names and operators that may stand where others do.
const NAMES: &[&str] = &[
    "po",
    "rf",
    "W",
    "R",
    "M",
    "loc",
    "0",
    "{}",
    "_",
    "id",
    "domain",
    "range",
    "x",
    "e",
    "s",
    "f",
    "nosuch",
    "classes",
    "linearisations",
    "classes-loc",
    "fail",
    "lift",
    "delift",
    "bisimulation",
    "fencerel",
    "(W, R)",
    "{W, R}",
    "(po | rf)",
    "[W]",
    "po+",
    "(fun y -> y)",
    "'a",
];
const OPERATORS: &[&str] = &["|", ";", "&", "\\", "++", "*", "+ |", "^-1 ;", "? &", ","];

/// Puts another name in the place of a name, or another operator in the place of an operator.
fn rename(random: &mut Random, text: &mut String) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.'".contains(c);
    let words: Vec<(usize, &str)> = match random.below(3) {
        0 => text.match_indices(['|', ';', '&', '\\', '*']).collect(),
        _ => {
            let word = |word: &str| (word.as_ptr() as usize - text.as_ptr() as usize, word.len());
            let words =
                text.split(|c| !is_name(c)).filter(|w| !w.is_empty() && !KEYWORDS.contains(w)).map(word);
            words.map(|(at, len)| (at, &text[at..at + len])).collect()
        }
    };
    if words.is_empty() {
        return;
    }
    let (at, word) = random.pick(&words);
    let with = if word.starts_with(is_name) { random.pick(NAMES) } else { random.pick(OPERATORS) };
    let range = at..at + word.len();
    text.replace_range(range, with);
}

const KEYWORDS: &[&str] = &[
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "show",
    "unshow",
    "empty",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "variant",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "catdep",
    "instructions",
    "default",
    "not",
];

/// Puts one word of the text in the place of another.
fn exchange(random: &mut Random, text: &mut String) {
    let words: Vec<(usize, usize)> = text
        .split(|c: char| c.is_whitespace())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            (start, start + word.len())
        })
        .collect();
    if words.len() > 1 {
        let (from, to) = (random.pick(&words), random.pick(&words));
        let word = text[from.0..from.1].to_string();
        text.replace_range(to.0..to.1, &word);
    }
}

/// The library, parsed once.
struct Library(FxHashMap<&'static str, Arc<File>>);

impl Files for Library {
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        _: &mut Sources,
        diags: &mut Diagnostics,
    ) -> Result<Arc<File>, Reported> {
        self.0.get(name).cloned().ok_or_else(|| {
            let diagnostic = Diagnostic::error("cat::file-not-found", format!("cannot find `{name}`"));
            diags.error(match from {
                Some(span) => diagnostic.at(span, "asked for here"),
                None => diagnostic,
            })
        })
    }
}

/// A model of this size that takes longer hangs.
const TOO_LONG: std::time::Duration = std::time::Duration::from_secs(60);

/// What became of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Refused,
    Parsed,
    Lowered,
}

fn front_end(text: &str, library: &mut Library, base: &Arc<Sources>, predefined: &Predefined) -> End {
    let mut sources = Sources::layered();
    let source = sources.add("model.cat", text);
    sources.put_on(Arc::clone(base));
    let mut diags = Diagnostics::new();
    let Ok(file) = parse(&sources, source, &mut diags) else {
        assert!(diags.has_errors());
        render_all(diags.list(), &sources, Color::Never);
        return End::Refused;
    };
    let stdlib = library.0["stdlib.cat"].clone();
    let input = LowerInput {
        library: Some(&stdlib),
        purpose: if text.len().is_multiple_of(2) { Purpose::Run } else { Purpose::Check },
        ..LowerInput::new(&file, "model.cat", predefined.clone())
    };
    let purpose = input.purpose;
    let result = lower(input, library, &mut sources, &mut diags);
    assert!(result.is_ok() || diags.has_errors());
    if text.len().is_multiple_of(8) {
        let _ = read_bell(&file, Some(&stdlib), library, &mut sources, &mut diags);
    }
    let said = render_all(diags.list(), &sources, Color::Never);
    assert!(!said.contains("internal error"), "{said}");
    let Ok(lowered) = result else { return End::Parsed };
    crate::report::show_model(&lowered.model);
    if purpose == Purpose::Run {
        // An error at run time is a diagnostic too; its cause is in the model, not in us.
        if let Err(EvalError::Model(diagnostic)) = run(&lowered.model) {
            assert!(diagnostic.code != "internal::error", "{}", diagnostic.message);
        }
    }
    End::Lowered
}

/// Four events: two writes, a read, an initial write.
struct Events;

const N: usize = 4;

impl Universe for Events {
    fn n_events(&self) -> usize {
        N
    }

    fn visible(&self) -> Set {
        Set::full(N)
    }

    fn base(&self, base: &crate::model::Base) -> Option<Val> {
        let name = base.name();
        Some(match name {
            "M" => Val::Set(Set::full(N)),
            "W" => Val::Set(Set::of(N, [0, 1, 3])),
            "R" => Val::Set(Set::of(N, [2])),
            "po" => Val::Rel(Rel::of(N, [(0, 1), (0, 2), (1, 2)])),
            "rf" => Val::Rel(Rel::of(N, [(3, 2)])),
            "id" => Val::Rel(Rel::identity(N)),
            "loc" => Val::Rel(Rel::full(N)),
            name if name.starts_with(char::is_uppercase) => Val::Set(Set::empty(N)),
            _ => Val::Rel(Rel::of(N, [(0, 3), (3, 1)])),
        })
    }

    fn location_classes(&self) -> Vec<Set> {
        vec![Set::of(N, [0, 1]), Set::of(N, [2, 3])]
    }

    fn events_of_location(&self, name: &str) -> Option<Set> {
        (name == "x").then(|| Set::of(N, [0, 1]))
    }
}

/// Runs a model plainly, with the first alternative of each `with`.
fn run(model: &Model) -> Result<(), EvalError> {
    let mut plain = Plain::new(model, &Events);
    for step in &model.steps {
        match step {
            Step::Check { test, .. } => {
                plain.holds(test)?;
            }
            Step::With { choice, from, .. } => {
                let first = match &*plain.eval(*from)? {
                    Val::Choices(Choices::List(list)) => list.first().cloned(),
                    Val::Choices(_) => Some(Val::Rel(Rel::empty(N))),
                    other => panic!("not alternatives: {other:?}"),
                };
                let Some(first) = first else { return Ok(()) };
                let ids = (0..model.pool.len()).map(|index| ExprId(index as u32));
                for id in ids.filter(|id| matches!(model.pool.expr(*id), Expr::Choice(c, _) if c == choice)) {
                    plain.set(id, first.clone());
                }
            }
            Step::Fail { .. } => return Ok(()),
        }
    }
    Ok(())
}

#[test]
fn broken_models() {
    let count = std::env::var("LITMUS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(300usize);
    let mut base = Sources::new();
    let mut library = Library(FxHashMap::default());
    let mut seeds: Vec<&str> = SEEDS.to_vec();
    for entry in library::entries().iter().filter(|entry| entry.name.ends_with(".cat")) {
        let source = base.add(entry.name, entry.text);
        let file = parse(&base, source, &mut Diagnostics::new()).unwrap();
        library.0.insert(entry.name, Arc::new(file));
        seeds.push(entry.text);
    }
    let base = Arc::new(base);
    let mut predefined = Predefined::new(&BTreeSet::new());
    predefined.add_sets(crate::arch::MACHINE_SETS.iter().copied());
    predefined.add_sets(["X", "EX", "DMB", "DMB.ST", "ISB", "A", "L", "MFENCE", "SYNC", "LWSYNC"]);

    let from = std::env::var("LITMUS_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0u64);
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ from);
    let mut ends = [0usize; 3];
    let started = std::time::Instant::now();
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for _ in 0..count {
        // Small models more often: they are quicker, and their every part matters.
        let seed = if random.below(4) > 0 { random.pick(SEEDS) } else { random.pick(&seeds) };
        let text = mutate(&mut random, seed, &seeds);
        let one = std::time::Instant::now();
        let end = catch_unwind(AssertUnwindSafe(|| front_end(&text, &mut library, &base, &predefined)));
        match end {
            Ok(end) => ends[end as usize] += 1,
            Err(_) => panic!("this model makes the front end panic:\n{text}"),
        }
        if one.elapsed() > slowest.0 {
            slowest = (one.elapsed(), text);
        }
        assert!(slowest.0 < TOO_LONG, "this model takes {:?}:\n{}", slowest.0, slowest.1);
    }
    let [refused, parsed, lowered] = ends;
    println!(
        "{count} models in {:?}: {refused} do not parse, {parsed} have other errors, {lowered} are right",
        started.elapsed()
    );
    println!("the slowest took {:?}:\n{}", slowest.0, slowest.1);
    // Otherwise the mutations are too wild, or too tame, to test anything.
    assert!(count < 300 || ends.iter().all(|n| *n > count / 100), "{ends:?}");
}
