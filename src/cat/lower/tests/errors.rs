//! What a person reads when a model is wrong.

use super::one::run;

fn error(text: &str) -> String {
    match run(text, &[]) {
        Ok(_) => "no error".to_owned(),
        // Labels that share a line leave blanks at its end.
        Err(text) => text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn unknown_name() {
    insta::assert_snapshot!(error("acyclic po | rff as broken"), @r"
    error[cat::unknown-name]: `rff` is not defined
      ┌─ model.cat:1:14
      │
    1 │ acyclic po | rff as broken
      │              ^^^ not defined here, nor by this architecture
      │
      = help: did you mean `rf`?
    ");
}

#[test]
fn set_for_relation() {
    insta::assert_snapshot!(error("acyclic po ; W as broken"), @r"
    error[cat::wrong-sort]: expected a relation, found a set of events
      ┌─ model.cat:1:14
      │
    1 │ acyclic po ; W as broken
      │              ^ this is a set of events
      │
      = help: `[S]` turns a set of events into a relation
    ");
}

#[test]
fn union_of_different_sorts() {
    insta::assert_snapshot!(error("empty W | 0"), @r"
    error[cat::wrong-sort]: union of a set of events and a relation
      ┌─ model.cat:1:11
      │
    1 │ empty W | 0
      │       -   ^ this is a relation
      │       │
      │       this is a set of events
      │
      = help: `[S]` turns a set of events into a relation; `0` is the empty relation, `{}` is empty of any sort
    ");
}

#[test]
fn missing_operator() {
    insta::assert_snapshot!(error("empty po [W]"), @r"
    error[cat::not-a-function]: a relation is applied to an argument
      ┌─ model.cat:1:7
      │
    1 │ empty po [W]
      │       ^^ --- the argument
      │       │
      │       this is a relation, not a function
      │
      = help: juxtaposition is application: is a `;`, `|` or `&` missing?
    ");
}

#[test]
fn unknown_name_in_a_function() {
    insta::assert_snapshot!(error("let f x =\n  let y = x in y ; pox\nempty f po"), @"
    error[cat::unknown-name]: `pox` is not defined
      ┌─ model.cat:2:20
      │
    2 │   let y = x in y ; pox
      │                    ^^^ not defined here, nor by this architecture
    3 │ empty f po
      │ ---------- needed here
      │
      = help: did you mean `po`?
    ");
}

#[test]
fn undeclared_tag() {
    insta::assert_snapshot!(error("enum e = 'mb || 'rmb\nempty tag2events 'rbm"), @r"
    error[cat::unknown-tag]: tag `'rbm` is not declared
      ┌─ model.cat:2:18
      │
    2 │ empty tag2events 'rbm
      │                  ^^^^ no `enum` declares it
      │
      = help: did you mean `'rmb`?
    ");
}

#[test]
fn heterogeneous_set() {
    insta::assert_snapshot!(error("with x from {W,po}"), @r"
    error[cat::wrong-sort]: a set cannot hold both a set of events and a relation
      ┌─ model.cat:1:16
      │
    1 │ with x from {W,po}
      │              - ^^ this is a relation
      │              │
      │              this is a set of events
      │
      = help: `[S]` turns a set of events into a relation; `0` is the empty relation, `{}` is empty of any sort
    ");
}

#[test]
fn not_a_procedure() {
    insta::assert_snapshot!(error("let p = W call p()"), @r"
    error[cat::not-a-procedure]: `p` is a set of events, not a procedure
      ┌─ model.cat:1:16
      │
    1 │ let p = W call p()
      │                ^ called here
    ");
}

#[test]
fn endless_recursion_is_refused_not_crashed() {
    for text in [
        "let rec f x = f x  empty f W",
        "let rec f x = match x with || {} -> 0 || e ++ s -> f x end  empty f W",
        "let rec f x = (f (x | W)) ; po  and g x = f x empty g W",
        "procedure rec p() = call p() end call p()",
        "let rec f (x,y) = let z = let w = f (y,x) in w | (w & w) in (z;z)? | z empty f (po,po)",
    ] {
        let text = match run(text, &[]) {
            Err(text) => text,
            // Left to the run.
            Ok(ran) => match &ran.model.steps[..] {
                [crate::model::Step::Check { test, .. }] => {
                    super::one::evaluate(&ran.model, test.expr).err().unwrap_or_default()
                }
                _ => String::new(),
            },
        };
        assert!(text.contains("nested more than 10000 deep"), "{text}");
    }
}

#[test]
fn recursion_over_a_large_set_is_fine() {
    // Not one of the shapes that are recognised: recurses once per element.
    let text =
        "let rec f x = match x with || {} -> 0 || p ++ s -> let q = p ++ 0 in (q & q) | f s end  empty f po";
    let ran = run(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let [crate::model::Step::Check { test, .. }] = &ran.model.steps[..] else { panic!("one check") };
    let crate::model::Expr::Interp(leaf, _) = ran.model.pool.expr(test.expr) else { panic!("a leaf") };
    let n = 40;
    let chain = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let po = crate::relation::Rel::of(n, chain);
    let function = ran.model.pool.interp(*leaf).function.clone();
    let result = function.eval(&[crate::model::Val::Rel(po.clone())], &Many(n));
    assert!(matches!(result, Ok(crate::model::Val::Rel(r)) if r == po));
}

/// A number of events that nothing is known of.
struct Many(usize);

impl crate::model::Universe for Many {
    fn n_events(&self) -> usize {
        self.0
    }

    fn visible(&self) -> crate::relation::Set {
        crate::relation::Set::full(self.0)
    }

    fn base(&self, _: &crate::model::Base) -> Option<crate::model::Val> {
        None
    }

    fn location_classes(&self) -> Vec<crate::relation::Set> {
        Vec::new()
    }

    fn events_of_location(&self, _: &str) -> Option<crate::relation::Set> {
        None
    }
}
