//! Bounds against the plain semantics: random event graphs, random expressions.

use super::{Bound, Bounds, Expr, ExprId, Model, Plain, Polarity, Sort, Universe, Val};
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
        let step = pool.intern(Expr::Seq(vec![b, r]));
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
