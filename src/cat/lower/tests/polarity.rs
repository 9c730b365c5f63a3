//! The facts that nodes of real models carry.

use super::one::run;
use crate::model::{Polarity, Pool, Sort, Step};

/// The polarity of the checked relation with respect to `rf` and to the first choice.
fn of(text: &str) -> (Polarity, Polarity) {
    let ran = run(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mut pool: Pool = ran.model.pool.clone();
    let rf = pool.base(crate::model::Base::of("rf"), Sort::Rel);
    let checked = ran.model.steps.iter().rev().find_map(|step| match step {
        Step::Check { test, .. } => Some(test.expr),
        _ => None,
    });
    let dynamics = pool.node(checked.expect("a check")).dynamics.clone();
    let choice = dynamics.bases.iter().find(|(b, _)| matches!(pool.expr(*b), crate::model::Expr::Choice(..)));
    (dynamics.of(rf), choice.map_or(Polarity::None, |(_, p)| *p))
}

#[test]
fn usual_relations_are_monotone() {
    use Polarity::{Antitone, Mixed, Monotone, None};
    assert_eq!(of("acyclic po as x"), (None, None));
    assert_eq!(of("acyclic po | rf"), (Monotone, None));
    assert_eq!(of("include \"cos.cat\" acyclic po | rf | co | fr"), (Monotone, Monotone));
    assert_eq!(of("include \"cos.cat\" empty po \\ co"), (None, Antitone));
    assert_eq!(of("include \"cos.cat\" empty rf \\ (rf;co)"), (Mixed, Antitone));
    assert_eq!(of("let rec r = rf | r;po;r acyclic r"), (Monotone, None));
    assert_eq!(of("let rec r = rf \\ r acyclic r"), (Mixed, None));
    assert_eq!(of("empty map (fun p -> p) rf"), (Mixed, None));
}
