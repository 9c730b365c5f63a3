//! Bounds against the plain semantics: random event graphs, random expressions.

use std::sync::Arc;

use super::{
    Apart, Base, Bound, Bounds, CheckKind, Expr, ExprId, Group, Model, Narrow, Plain, Polarity, Sort, Step,
    Test, TestKind, Universe, Val,
};
use crate::explore::tests::{Random, random_rel};
use crate::relation::{Rel, Set};

/// A made-up world: base sets and relations by name.
struct Graph {
    n: usize,
    sets: Vec<(&'static str, Set)>,
    rels: Vec<(&'static str, Rel)>,
}

impl Universe for Graph {
    fn n_events(&self) -> usize {
        self.n
    }

    fn visible(&self) -> Set {
        // One event is hidden, as register events are.
        Set::of(self.n, 0..self.n - 1)
    }

    fn base(&self, base: &crate::model::Base) -> Option<Val> {
        let name = base.name();
        let set = self.sets.iter().find(|(n, _)| *n == name).map(|(_, s)| Val::Set(s.clone()));
        set.or_else(|| self.rels.iter().find(|(n, _)| *n == name).map(|(_, r)| Val::Rel(r.clone())))
    }

    fn location_classes(&self) -> Vec<Set> {
        Vec::new()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}

fn random_relation(random: &mut Random, n: usize, percent: usize) -> Rel {
    let mut rel = Rel::empty(n);
    for from in 0..n {
        for to in 0..n {
            if random.below(100) < percent {
                rel.insert(from, to);
            }
        }
    }
    rel
}

fn graph(random: &mut Random) -> Graph {
    let n = 3 + random.below(5);
    let mut set =
        |percent: usize| Set::of(n, (0..n).filter(|_| random.below(100) < percent).collect::<Vec<_>>());
    let sets = vec![("W", set(50)), ("R", set(50))];
    let rels = vec![("po", random_relation(random, n, 25)), ("loc", random_relation(random, n, 40))];
    Graph { n, sets, rels }
}

fn rel_of(value: &Val) -> &Rel {
    match value {
        Val::Rel(rel) => rel,
        other => panic!("{other:?} is not a relation"),
    }
}

/// A model with one random expression over two static and two dynamic relations, sometimes under a recursive definition.
fn expression(random: &mut Random) -> (Model, ExprId, [ExprId; 2]) {
    let mut model = Model::default();
    let pool = &mut model.pool;
    let sets = [
        pool.base(crate::model::Base::of("W"), Sort::Set),
        pool.base(crate::model::Base::of("R"), Sort::Set),
    ];
    let rf = pool.base(crate::model::Base::of("rf"), Sort::Rel);
    let choice = pool.new_choice();
    let co = pool.intern(Expr::Choice(choice, Sort::Rel));
    let mut rels = vec![
        pool.base(crate::model::Base::of("po"), Sort::Rel),
        pool.base(crate::model::Base::of("loc"), Sort::Rel),
        rf,
        co,
    ];
    if random.below(3) == 0 {
        let fix = pool.new_fix(vec!["r".to_string()]);
        let r = pool.intern(Expr::FixVar(fix, 0, Sort::Rel));
        let a = random_rel(pool, random, &sets, &rels, 2);
        let b = random_rel(pool, random, &sets, &rels, 1);
        // `r; r` makes it a closure.
        let step = pool.intern(Expr::Seq(vec![if random.below(2) == 0 { r } else { b }, r]));
        let body = pool.intern(Expr::Union(vec![a, step]));
        pool.set_bodies(fix, vec![body], None);
        rels.push(pool.intern(Expr::Fix(fix, 0, Sort::Rel)));
    }
    let expr = random_rel(pool, random, &sets, &rels, 4);
    (model, expr, [rf, co])
}

fn plain_value(model: &Model, graph: &Graph, bases: [ExprId; 2], values: &[Rel; 2], expr: ExprId) -> Rel {
    let mut plain = Plain::new(model, graph);
    for (base, value) in bases.iter().zip(values) {
        plain.set(*base, Val::Rel(value.clone()));
    }
    let value = plain.eval(expr).expect("a value");
    rel_of(&value).clone()
}

#[test]
fn bounds_enclose_every_completion() {
    let mut dynamic = 0;
    for seed in 1..=1500 {
        let mut random = Random::new(seed);
        let graph = graph(&mut random);
        let (model, expr, bases) = expression(&mut random);
        let must: [Rel; 2] = std::array::from_fn(|_| random_relation(&mut random, graph.n, 10));
        let may: [Rel; 2] =
            std::array::from_fn(|i| must[i].union(&random_relation(&mut random, graph.n, 30)));
        let mut bounds = Bounds::new(&model, &graph);
        for i in 0..2 {
            bounds.set(bases[i], &Bound::new(Val::Rel(must[i].clone()), Val::Rel(may[i].clone())));
        }
        let bound = bounds.eval(expr).expect("bounds");
        dynamic += usize::from(!bound.is_exact());
        for _ in 0..6 {
            let values: [Rel; 2] = std::array::from_fn(|i| {
                must[i].union(&may[i].inter(&random_relation(&mut random, graph.n, 50)))
            });
            let value = plain_value(&model, &graph, bases, &values, expr);
            assert!(
                rel_of(&bound.must).is_subset(&value),
                "case {seed}: must {:?} value {value:?}",
                bound.must
            );
            assert!(value.is_subset(rel_of(&bound.may)), "case {seed}: value {value:?} may {:?}", bound.may);
            let mut exact = Bounds::new(&model, &graph);
            for i in 0..2 {
                exact.set(bases[i], &Bound::exact(Val::Rel(values[i].clone())));
            }
            let exact = exact.eval(expr).expect("an exact value");
            assert!(exact.is_exact(), "case {seed}");
            assert_eq!(rel_of(&exact.must), &value, "case {seed}");
        }
    }
    assert!(dynamic > 500, "only {dynamic} cases had anything open");
}

#[test]
fn polarity_says_how_values_move() {
    let mut moved = 0;
    for seed in 1..=1500 {
        let mut random = Random::new(seed);
        let graph = graph(&mut random);
        let (model, expr, bases) = expression(&mut random);
        let small: [Rel; 2] = std::array::from_fn(|_| random_relation(&mut random, graph.n, 20));
        for which in 0..2 {
            let mut large = small.clone();
            large[which].union_with(&random_relation(&mut random, graph.n, 20));
            let before = plain_value(&model, &graph, bases, &small, expr);
            let after = plain_value(&model, &graph, bases, &large, expr);
            moved += usize::from(before != after);
            match model.pool.node(expr).dynamics.of(bases[which]) {
                Polarity::None => assert_eq!(before, after, "case {seed}"),
                Polarity::Monotone => assert!(before.is_subset(&after), "case {seed}"),
                Polarity::Antitone => assert!(after.is_subset(&before), "case {seed}"),
                Polarity::Mixed => {}
            }
        }
    }
    assert!(moved > 500, "only {moved} values moved");
}

/// The first events of a graph.
struct First<'g>(&'g Graph, usize);

impl Universe for First<'_> {
    fn n_events(&self) -> usize {
        self.1
    }

    fn visible(&self) -> Set {
        self.0.visible().within(&Set::full(self.1))
    }

    fn base(&self, base: &crate::model::Base) -> Option<Val> {
        self.0.base(base).map(|value| self.cut(&value))
    }

    fn location_classes(&self) -> Vec<Set> {
        Vec::new()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}

impl First<'_> {
    fn cut(&self, value: &Val) -> Val {
        match value {
            Val::Set(set) => Val::Set(Set::of(self.1, set.iter().filter(|event| *event < self.1))),
            Val::Rel(rel) => {
                Val::Rel(Rel::of(self.1, rel.iter().filter(|(a, b)| *a < self.1 && *b < self.1)))
            }
            other => other.clone(),
        }
    }
}

#[test]
fn what_is_said_of_main_events_is_the_same_without_the_others() {
    let (mut cut, mut whole, mut open) = (0, 0, 0);
    for seed in 1..=6000 {
        let mut random = Random::new(seed);
        let mut graph = graph(&mut random);
        let main = 1 + random.below(graph.n);
        let inside = |rel: &Rel| Rel::of(rel.n(), rel.iter().filter(|(a, b)| *a < main && *b < main));
        // Named sets have main events only.
        for (_, set) in &mut graph.sets {
            *set = Set::of(graph.n, set.iter().filter(|event| *event < main).collect::<Vec<_>>());
        }
        let others = Set::of(graph.n, main..graph.n);
        graph.sets.push(("Rreg", others));
        let (mut model, expr, bases) = expression(&mut random);
        let registers = model.pool.base(crate::model::Base::RegReads, Sort::Set);
        let through = model.pool.intern(Expr::ToId(registers));
        let po = model.pool.base(crate::model::Base::Po, Sort::Rel);
        let around = model.pool.intern(Expr::Seq(vec![po, through, po]));
        let expr = match random.below(3) {
            0 => model.pool.intern(Expr::Union(vec![expr, around])),
            1 => model.pool.intern(Expr::Inter(expr, around)),
            _ => expr,
        };
        let kind = [TestKind::Acyclic, TestKind::Irreflexive, TestKind::Empty][random.below(3)];
        let test = Test { kind, negated: false, expr };
        let span = crate::source::Span::new(crate::source::SourceId(0), 0, 0);
        model.steps.push(Step::Check { kind: CheckKind::Plain, test, name: None, span });
        let narrow = Arc::new(Narrow::new(&model));
        if !narrow.is_usable() {
            continue;
        }
        let must: [Rel; 2] = std::array::from_fn(|_| inside(&random_relation(&mut random, graph.n, 10)));
        let may: [Rel; 2] =
            std::array::from_fn(|i| must[i].union(&inside(&random_relation(&mut random, graph.n, 30))));
        let first = First(&graph, main);
        let mut all = Bounds::new(&model, &graph);
        let mut some = Bounds::narrowed(&model, &first, &graph, Arc::clone(&narrow));
        for i in 0..2 {
            let (must, may) = (Val::Rel(must[i].clone()), Val::Rel(may[i].clone()));
            some.set(bases[i], &Bound::new(first.cut(&must), first.cut(&may)));
            all.set(bases[i], &Bound::new(must, may));
        }
        let whole_value = all.eval(expr).expect("bounds");
        if narrow.decides(&test) {
            let value = some.eval(expr).expect("bounds");
            for (some, all) in [(&value.must, &whole_value.must), (&value.may, &whole_value.may)] {
                assert_eq!(rel_of(some), rel_of(&first.cut(all)), "case {seed}");
            }
            cut += usize::from(main < graph.n);
            open += usize::from(!value.is_exact());
        } else {
            whole += 1;
        }
        let holds = |bounds: &mut Bounds| {
            let (shape, rows) = bounds.eval_test(&test).expect("bounds");
            let holds = |value: &[u64]| match kind {
                TestKind::Acyclic => shape.is_acyclic(value),
                TestKind::Irreflexive => shape.is_irreflexive(value),
                TestKind::Empty => value.iter().all(|word| *word == 0),
            };
            (holds(rows.must), holds(rows.may))
        };
        assert_eq!(holds(&mut some), holds(&mut all), "case {seed}");
    }
    assert!(cut > 400 && whole > 50 && open > 200, "{cut} cut down, {whole} asked of all, {open} open");
}

/// Groups of events one after the other, each of one of a few kinds.
struct Groups<'g> {
    kinds: &'g [Graph],
    chosen: Vec<usize>,
}

impl Groups<'_> {
    /// Where each group begins, and its kind.
    fn begun(&self) -> Vec<(usize, &Graph)> {
        let place = |begin: &mut usize, kind: &usize| {
            let graph = &self.kinds[*kind];
            *begin += graph.n;
            Some((*begin - graph.n, graph))
        };
        self.chosen.iter().scan(0, place).collect()
    }
}

impl Universe for Groups<'_> {
    fn n_events(&self) -> usize {
        self.begun().iter().map(|(_, graph)| graph.n).sum()
    }

    fn visible(&self) -> Set {
        let begun = self.begun();
        let members = begun
            .iter()
            .flat_map(|(begin, graph)| graph.visible().iter().map(|event| begin + event).collect::<Vec<_>>());
        Set::of(self.n_events(), members.collect::<Vec<_>>())
    }

    fn base(&self, base: &Base) -> Option<Val> {
        let n = self.n_events();
        let mut set = Set::empty(n);
        // Events of different groups may be at one location.
        let mut rel = Rel::empty(n);
        if *base == Base::Loc {
            (0..n)
                .for_each(|from| (0..n).filter(|to| from % 3 == to % 2).for_each(|to| rel.insert(from, to)));
        }
        let mut sort = None;
        for (begin, graph) in self.begun() {
            let own = graph.base(base)?;
            match &own {
                Val::Set(own) => own.iter().for_each(|event| set.insert(begin + event)),
                Val::Rel(own) => {
                    for (from, to) in (0..graph.n).flat_map(|from| (0..graph.n).map(move |to| (from, to))) {
                        match own.contains(from, to) {
                            true => rel.insert(begin + from, begin + to),
                            false => rel.remove(begin + from, begin + to),
                        }
                    }
                }
                _ => return None,
            }
            sort = Some(own);
        }
        Some(if let Val::Set(_) = sort? { Val::Set(set) } else { Val::Rel(rel) })
    }

    fn groups(&self) -> Option<Vec<Group>> {
        let group = |((begin, graph), kind): ((usize, &Graph), &usize)| Group {
            key: vec![*kind as u64],
            members: (begin..begin + graph.n).map(|event| event as u32).collect(),
        };
        Some(self.begun().into_iter().zip(&self.chosen).map(group).collect())
    }

    fn location_classes(&self) -> Vec<Set> {
        Vec::new()
    }

    fn events_of_location(&self, _: &str) -> Option<Set> {
        None
    }
}

#[test]
fn what_is_remembered_of_groups_is_what_they_say() {
    let (mut same, mut kept) = (0, 0);
    for seed in 1..=1500 {
        let mut random = Random::new(seed);
        let kinds: Vec<Graph> = (0..2).map(|_| graph(&mut random)).collect();
        let (mut model, expr, bases) = expression(&mut random);
        let span = crate::source::Span::new(crate::source::SourceId(0), 0, 0);
        let test = Test { kind: TestKind::Acyclic, negated: false, expr };
        model.steps.push(Step::Check { kind: CheckKind::Plain, test, name: None, span });
        // Another model that shares what the first one has found, and numbers its expressions otherwise.
        let (mut other, other_expr, _) = expression(&mut Random::new(seed + 1));
        other.steps.push(Step::Check {
            kind: CheckKind::Plain,
            test: Test { expr: other_expr, ..test },
            name: None,
            span,
        });
        other.shared = model.shared.clone();
        let models = [
            (&model, expr, Arc::new(Apart::new(&model))),
            (&other, other_expr, Arc::new(Apart::new(&other))),
        ];
        for _ in 0..4 {
            let chosen: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(2)).collect();
            let world = Groups { kinds: &kinds, chosen };
            let may = random_relation(&mut random, world.n_events(), 30);
            for (model, expr, apart) in &models {
                let mut plain = Bounds::new(model, &world);
                let mut remembering = Bounds::new(model, &world).remembering(apart);
                kept += usize::from(remembering.remembers(*expr));
                for base in bases {
                    let bound = Bound::new(Val::Rel(Rel::empty(may.n())), Val::Rel(may.clone()));
                    plain.set(base, &bound);
                    remembering.set(base, &bound);
                }
                let (plain, remembering) = (plain.eval(*expr), remembering.eval(*expr));
                let (plain, remembering) = (plain.expect("bounds"), remembering.expect("bounds"));
                assert_eq!(rel_of(&plain.must), rel_of(&remembering.must), "case {seed}");
                assert_eq!(rel_of(&plain.may), rel_of(&remembering.may), "case {seed}");
                same += usize::from(!rel_of(&plain.may).is_empty());
            }
        }
    }
    assert!(same > 3000 && kept > 500, "{same} with something in them, {kept} remembered");
}
