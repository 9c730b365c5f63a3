//! Models against the plain meaning of their expressions: random event graphs, random expressions written as `cat` text. What a set of pairs says, the
//! lowered model must say, evaluated plainly and with bounds.

use std::collections::{BTreeMap, BTreeSet};

use crate::cat::lower::{LowerInput, Predefined, lower};
use crate::cat::{Loader, parse};
use crate::diag::{Color, Diagnostics, render_all};
use crate::explore::tests::Random;
use crate::model::{Bound, Bounds, Expr, ExprId, Model, Plain, Step, Universe, Val};
use crate::relation::{Rel, Set};
use crate::source::Sources;

type Events = BTreeSet<usize>;
type Pairs = BTreeSet<(usize, usize)>;

/// An expression, of sets or of relations.
enum S {
    Name(&'static str),
    Empty,
    Union(Box<S>, Box<S>),
    Inter(Box<S>, Box<S>),
    Diff(Box<S>, Box<S>),
    Without(Box<S>, Box<S>),
    Domain(Box<R>),
    Range(Box<R>),
}

enum R {
    Name(&'static str),
    Zero,
    Id,
    Union(Vec<R>),
    Inter(Box<R>, Box<R>),
    Diff(Box<R>, Box<R>),
    /// `a & ~b`.
    Without(Box<R>, Box<R>),
    Seq(Vec<R>),
    Inverse(Box<R>),
    Plus(Box<R>),
    Star(Box<R>),
    Opt(Box<R>),
    Product(Box<S>, Box<S>),
    On(Box<S>),
    /// `let rec x = a | b; x in x`.
    Least(Box<R>, Box<R>),
    /// `let f (x, y) = x; y | y in f (a, b)`.
    Call(Box<R>, Box<R>),
}

const SETS: [&str; 3] = ["W", "R", "IW"];
/// The last two are not known before the search.
const RELS: [&str; 5] = ["po", "loc", "ext", "rf", "co"];

fn set(random: &mut Random, depth: usize) -> S {
    if depth == 0 || random.below(4) == 0 {
        return if random.below(8) == 0 { S::Empty } else { S::Name(SETS[random.below(3)]) };
    }
    let mut two = || (Box::new(set(random, depth - 1)), Box::new(set(random, depth - 1)));
    let (a, b) = two();
    match random.below(6) {
        0 => S::Union(a, b),
        1 => S::Inter(a, b),
        2 => S::Diff(a, b),
        3 => S::Without(a, b),
        4 => S::Domain(Box::new(rel(random, depth - 1))),
        _ => S::Range(Box::new(rel(random, depth - 1))),
    }
}

fn rel(random: &mut Random, depth: usize) -> R {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(12) {
            0 => R::Zero,
            1 => R::Id,
            _ => R::Name(RELS[random.below(5)]),
        };
    }
    let one = |random: &mut Random| Box::new(rel(random, depth - 1));
    let some = |random: &mut Random| (0..2 + random.below(2)).map(|_| rel(random, depth - 1)).collect();
    match random.below(14) {
        0 | 1 => R::Union(some(random)),
        2 | 3 => R::Seq(some(random)),
        4 => R::Inter(one(random), one(random)),
        5 => R::Diff(one(random), one(random)),
        6 => R::Without(one(random), one(random)),
        7 => R::Inverse(one(random)),
        8 => R::Plus(one(random)),
        9 => R::Star(one(random)),
        10 => R::Opt(one(random)),
        11 => R::Product(Box::new(set(random, depth - 1)), Box::new(set(random, depth - 1))),
        12 => R::On(Box::new(set(random, depth - 1))),
        _ if random.below(2) == 0 => R::Least(one(random), one(random)),
        _ => R::Call(one(random), one(random)),
    }
}

impl S {
    fn text(&self) -> String {
        match self {
            S::Name(name) => (*name).to_string(),
            S::Empty => "emptyset".to_string(),
            S::Union(a, b) => format!("({} | {})", a.text(), b.text()),
            S::Inter(a, b) => format!("({} & {})", a.text(), b.text()),
            S::Diff(a, b) => format!("({} \\ {})", a.text(), b.text()),
            S::Without(a, b) => format!("({} & ~{})", a.text(), b.text()),
            S::Domain(r) => format!("(domain({}) & M)", r.text()),
            S::Range(r) => format!("(range({}) & M)", r.text()),
        }
    }

    fn events(&self, world: &World) -> Events {
        let domain = |r: &R| r.pairs(world).iter().map(|p| p.0).collect::<Events>();
        match self {
            S::Name(name) => world.sets[name].clone(),
            S::Empty => Events::new(),
            S::Union(a, b) => &a.events(world) | &b.events(world),
            S::Inter(a, b) => &a.events(world) & &b.events(world),
            S::Diff(a, b) | S::Without(a, b) => &a.events(world) - &b.events(world),
            S::Domain(r) => &domain(r) & &world.sets["M"],
            S::Range(r) => &r.pairs(world).iter().map(|p| p.1).collect::<Events>() & &world.sets["M"],
        }
    }
}

impl R {
    fn text(&self) -> String {
        let join =
            |parts: &[R], op: &str| format!("({})", parts.iter().map(R::text).collect::<Vec<_>>().join(op));
        match self {
            R::Name(name) => (*name).to_string(),
            R::Zero => "0".to_string(),
            R::Id => "id".to_string(),
            R::Union(parts) => join(parts, " | "),
            R::Seq(parts) => join(parts, " ; "),
            R::Inter(a, b) => format!("({} & {})", a.text(), b.text()),
            R::Diff(a, b) => format!("({} \\ {})", a.text(), b.text()),
            R::Without(a, b) => format!("({} & ~{})", a.text(), b.text()),
            R::Inverse(a) => format!("({})^-1", a.text()),
            R::Plus(a) => format!("(({})+)", a.text()),
            R::Star(a) => format!("(({})*)", a.text()),
            R::Opt(a) => format!("(({})?)", a.text()),
            R::Product(a, b) => format!("({} * {})", a.text(), b.text()),
            R::On(a) => format!("[{}]", a.text()),
            R::Least(a, b) => {
                format!("(let a = {} and b = {} in let rec x = a | (b ; x) in x)", a.text(), b.text())
            }
            R::Call(a, b) => format!("(let f (x, y) = (x ; y) | y in f ({}, {}))", a.text(), b.text()),
        }
    }

    fn pairs(&self, world: &World) -> Pairs {
        match self {
            R::Name(name) => world.rels[name].clone(),
            R::Zero => Pairs::new(),
            R::Id => world.id(),
            R::Union(parts) => parts.iter().flat_map(|p| p.pairs(world)).collect(),
            R::Seq(parts) => {
                let mut parts = parts.iter().map(|p| p.pairs(world));
                let first = parts.next().unwrap_or_default();
                parts.fold(first, |a, b| seq(&a, &b))
            }
            R::Inter(a, b) => &a.pairs(world) & &b.pairs(world),
            R::Diff(a, b) | R::Without(a, b) => &a.pairs(world) - &b.pairs(world),
            R::Inverse(a) => a.pairs(world).into_iter().map(|(x, y)| (y, x)).collect(),
            R::Plus(a) => plus(a.pairs(world)),
            R::Star(a) => &plus(a.pairs(world)) | &world.id(),
            R::Opt(a) => &a.pairs(world) | &world.id(),
            R::Product(a, b) => {
                let b = b.events(world);
                a.events(world).iter().flat_map(|x| b.iter().map(|y| (*x, *y))).collect()
            }
            R::On(a) => a.events(world).into_iter().map(|x| (x, x)).collect(),
            R::Least(a, b) => {
                let (a, b) = (a.pairs(world), b.pairs(world));
                let mut x = Pairs::new();
                loop {
                    let next = &a | &seq(&b, &x);
                    if next == x {
                        return x;
                    }
                    x = next;
                }
            }
            R::Call(a, b) => {
                let b = b.pairs(world);
                &seq(&a.pairs(world), &b) | &b
            }
        }
    }
}

fn seq(a: &Pairs, b: &Pairs) -> Pairs {
    a.iter().flat_map(|(x, y)| b.iter().filter(move |(z, _)| z == y).map(move |(_, t)| (*x, *t))).collect()
}

fn plus(mut r: Pairs) -> Pairs {
    loop {
        let more = &r | &seq(&r, &r);
        if more == r {
            return r;
        }
        r = more;
    }
}

/// An event graph as sets of pairs. One event is hidden, as register events are.
#[derive(Clone)]
struct World {
    n: usize,
    sets: BTreeMap<&'static str, Events>,
    rels: BTreeMap<&'static str, Pairs>,
}

impl World {
    fn new(random: &mut Random) -> World {
        let n = 3 + random.below(5);
        let mut sets: BTreeMap<_, _> =
            SETS.iter().map(|name| (*name, (0..n - 1).filter(|_| random.below(2) == 0).collect())).collect();
        sets.insert("M", (0..n - 1).collect());
        let rels = RELS.iter().map(|name| (*name, pairs(random, n, 20))).collect();
        World { n, sets, rels }
    }

    fn id(&self) -> Pairs {
        self.sets["M"].iter().map(|x| (*x, *x)).collect()
    }

    fn rel(&self, pairs: &Pairs) -> Rel {
        Rel::of(self.n, pairs.iter().copied())
    }
}

fn pairs(random: &mut Random, n: usize, percent: usize) -> Pairs {
    let all = (0..n - 1).flat_map(|x| (0..n - 1).map(move |y| (x, y)));
    all.filter(|_| random.below(100) < percent).collect()
}

impl Universe for World {
    fn n_events(&self) -> usize {
        self.n
    }

    fn visible(&self) -> Set {
        Set::of(self.n, 0..self.n - 1)
    }

    fn base(&self, base: &crate::model::Base) -> Option<Val> {
        let name = base.name();
        if let Some(set) = self.sets.get(name) {
            return Some(Val::Set(Set::of(self.n, set.iter().copied())));
        }
        let known = self.rels.get(name).filter(|_| name != "rf");
        known.map(|pairs| Val::Rel(self.rel(pairs)))
    }

    fn location_classes(&self) -> Vec<Set> {
        Vec::new()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}

/// The model `with co from {po, rf} empty E`, lowered: its text, itself, the checked expression, and the nodes of `rf` and `co`.
fn lowered(expr: &R) -> (String, Model, ExprId, [ExprId; 2]) {
    let text = format!("with co from {{po, rf}}\nempty ({}) as it\n", expr.text());
    let mut loader = Loader::new(Vec::new());
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let source = sources.add("model.cat", text.as_str());
    let stdlib = loader.open(&mut sources, "stdlib.cat", None, &mut diags, None).expect("the library");
    let file = parse(&sources, source, &mut diags).expect("a model");
    let input = LowerInput {
        library: Some(&stdlib),
        ..LowerInput::new(&file, "model.cat", Predefined::new(&BTreeSet::new()))
    };
    let result = lower(input, &mut loader, &mut sources, &mut diags);
    let Ok(lowered) = result else { panic!("{text}{}", render_all(diags.list(), &sources, Color::Never)) };
    let mut model = lowered.model;
    let checked = model.steps.iter().find_map(|step| match step {
        Step::Check { test, .. } => Some(test.expr),
        _ => None,
    });
    let Some(Step::With { choice, .. }) = model.steps.first() else { panic!("{text}: no choice") };
    let co = model.pool.intern(Expr::Choice(*choice, crate::model::Sort::Rel));
    let rf = model.pool.base(crate::model::Base::of("rf"), crate::model::Sort::Rel);
    (text, model, checked.expect("a check"), [rf, co])
}

fn as_pairs(value: &Val) -> Pairs {
    match value {
        Val::Rel(rel) => rel.iter().collect(),
        Val::Set(set) => set.iter().map(|x| (x, x)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_core_means_what_sets_of_pairs_mean() {
    let (mut open, mut full) = (0, 0);
    let cases: u64 = std::env::var("LITMUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    for seed in 1..=cases {
        let mut random = Random::new(seed);
        let mut world = World::new(&mut random);
        let expr = rel(&mut random, 4);
        let (text, model, checked, bases) = lowered(&expr);
        // What the search knows at some point, and values that are still possible there.
        let must: [Pairs; 2] = std::array::from_fn(|_| pairs(&mut random, world.n, 10));
        let may: [Pairs; 2] = std::array::from_fn(|i| &must[i] | &pairs(&mut random, world.n, 25));
        let mut bounds = Bounds::new(&model, &world);
        for i in 0..2 {
            let bound = Bound::new(Val::Rel(world.rel(&must[i])), Val::Rel(world.rel(&may[i])));
            bounds.set(bases[i], &bound);
        }
        let bound = bounds.eval(checked).expect("bounds");
        drop(bounds);
        open += usize::from(!bound.is_exact());
        let (must_be, may_be) = (as_pairs(&bound.must), as_pairs(&bound.may));
        for _ in 0..4 {
            let values: [Pairs; 2] =
                std::array::from_fn(|i| &must[i] | &(&may[i] & &pairs(&mut random, world.n, 50)));
            world.rels.insert("rf", values[0].clone());
            world.rels.insert("co", values[1].clone());
            let expected = expr.pairs(&world);
            full += usize::from(!expected.is_empty());
            let mut plain = Plain::new(&model, &world);
            let mut exact = Bounds::new(&model, &world);
            for i in 0..2 {
                plain.set(bases[i], Val::Rel(world.rel(&values[i])));
                exact.set(bases[i], &Bound::exact(Val::Rel(world.rel(&values[i]))));
            }
            assert_eq!(as_pairs(&plain.eval(checked).expect("a value")), expected, "case {seed}: {text}");
            let exact = exact.eval(checked).expect("an exact value");
            assert!(exact.is_exact(), "case {seed}: {text}");
            assert_eq!(as_pairs(&exact.must), expected, "case {seed}: {text}");
            assert!(must_be.is_subset(&expected), "case {seed}: {must_be:?} {expected:?} {text}");
            assert!(expected.is_subset(&may_be), "case {seed}: {expected:?} {may_be:?} {text}");
        }
    }
    println!("{cases} expressions, {open} with something open, {full} of {} values not empty", 4 * cases);
    assert!(open as u64 > cases / 4 && full as u64 > cases, "{open} open, {full} not empty");
}
