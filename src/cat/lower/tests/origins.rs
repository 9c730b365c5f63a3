//! Nodes know the text that they come from, and names what they mean.

use super::one::run;
use crate::model::{ExprId, Model, Operator, Step, Written};
use crate::source::{Sources, Span};

/// A model of one file, with its text.
fn lowered(text: &str) -> (Model, Sources) {
    let ran = run(text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let mut sources = Sources::new();
    // The model is the first file that such a run reads.
    sources.add("model.cat", text);
    (ran.model, sources)
}

fn check(model: &Model) -> (Span, ExprId) {
    let found = model.steps.iter().find_map(|step| match step {
        Step::Check { test, span, .. } => Some((*span, test.expr)),
        _ => None,
    });
    found.expect("a check")
}

#[test]
fn a_union_that_the_pool_flattens_is_still_written_in_parts() {
    let (model, sources) = lowered("let com = rf | rf^-1\nlet all = po | com\nacyclic all as c");
    let (span, node) = check(&model);
    let place = model.origins.place_near(node, Some(span)).expect("a place");
    assert_eq!(sources.text(place), "all");
    let Some(Written::Name(name, Some(body))) = model.origins.written((place, node)) else {
        panic!("a name")
    };
    assert_eq!(&**name, "all");
    assert_eq!(sources.text(body.0), "po | com");
    let Some(Written::Operator(Operator::Union, parts)) = model.origins.written(*body) else {
        panic!("a union")
    };
    let texts: Vec<&str> = parts.iter().map(|(span, _)| sources.text(*span)).collect();
    assert_eq!(texts, ["po", "com"]);
}

#[test]
fn a_call_leads_to_the_body_and_a_parameter_to_the_argument() {
    let (model, sources) = lowered("let twice(r) = r; r\nacyclic twice(po) as c");
    let (span, node) = check(&model);
    let place = model.origins.place_near(node, Some(span)).expect("a place");
    let Some(Written::Call(name, body)) = model.origins.written((place, node)) else { panic!("a call") };
    assert_eq!((&**name, sources.text(body.0)), ("twice", "r; r"));
    let Some(Written::Operator(Operator::Seq, parts)) = model.origins.written(*body) else {
        panic!("a sequence")
    };
    let Some(Written::Name(_, Some((argument, _)))) = model.origins.written(parts[0]) else {
        panic!("a parameter")
    };
    assert_eq!(sources.text(*argument), "(po)");
}

#[test]
fn names_lead_to_their_definitions() {
    let (model, sources) = lowered("let a = po\nlet a = a | rf\nacyclic a as c");
    let text = &sources.get(check(&model).0.source).text;
    let uses: Vec<(usize, usize)> = {
        let own = model.origins.uses().filter(|(used, _)| used.source == check(&model).0.source);
        let mut uses: Vec<(usize, usize)> =
            own.map(|(used, bound)| (used.start as usize, bound.start as usize)).collect();
        uses.retain(|(used, _)| &text[*used..*used + 1] == "a");
        uses.sort_unstable();
        uses
    };
    let at = |needle: &str, nth: usize| text.match_indices(needle).nth(nth).map(|(at, _)| at).expect("there");
    // The second definition uses the first, the check the second.
    assert_eq!(uses, [(at("= a", 0) + 2, at("let a", 0) + 4), (at("acyclic a", 0) + 8, at("let a", 1) + 4)]);
}
