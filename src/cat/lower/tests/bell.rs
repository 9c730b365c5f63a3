//! Declarations of bell files, and checks of fragments.

use std::collections::BTreeSet;

use crate::cat::lower::{Bell, LowerInput, Predefined, Purpose, lower, read_bell};
use crate::cat::{Loader, parse};
use crate::diag::Diagnostics;
use crate::source::Sources;

fn read(text: &str) -> Result<Bell, String> {
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let mut loader = Loader::new(Vec::new());
    let source = sources.add("model.bell", text);
    let bell = parse(&sources, source, &mut diags).and_then(|file| {
        let library = loader.open(&mut sources, "stdlib.cat", None, &mut diags, None)?;
        read_bell(&file, Some(&library), &mut loader, &mut sources, &mut diags)
    });
    bell.map_err(|_| diags.list().iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))
}

#[test]
fn annotations_and_sets() {
    let text = "enum order = 'once || 'acquire || 'mb
                instructions R[order \\ 'mb] instructions F[{'mb,'once}] instructions CALL['mb] instructions B[]
                default R['once]
                let rec x = W | x;x
                flag ~empty nosuch as never-evaluated";
    let bell = read(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(bell.sets(), ["Acquire", "Mb", "Once"]);
    assert!(bell.allows("R", &["acquire".to_owned()]));
    assert!(!bell.allows("R", &["mb".to_owned()]));
    assert!(!bell.allows("R", &[]));
    assert!(bell.allows("B", &[]));
    assert!(bell.allows("F", &["mb".to_owned()]));
    assert_eq!(bell.default_of("R"), Some(&["once".to_owned()][..]));
    assert_eq!(bell.default_of("W"), None);
}

#[test]
fn scopes_form_a_tree() {
    let text = "enum scopes = 'cta || 'gpu || 'system
                let narrower s = match s with || 'system -> {'gpu} || 'gpu -> {'cta} end";
    let bell = read(text).unwrap_or_else(|e| panic!("{e}"));
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(bell.narrower, [pair("gpu", "cta"), pair("system", "gpu")]);
    assert_eq!(bell.relations(), ["cta", "gpu", "system"]);
    let wider = "enum scopes = 'cta || 'gpu let wider s = match s with || 'cta -> 'gpu end";
    assert_eq!(read(wider).unwrap_or_else(|e| panic!("{e}")).narrower, [pair("gpu", "cta")]);
}

#[test]
fn bad_declarations_are_reported() {
    assert_eq!(read("instructions R['nosuch]"), Err("tag `'nosuch` is not declared".to_owned()));
    assert_eq!(
        read("enum e = 'a || 'b default R[e]"),
        Err("expected one tag, found a set of tags".to_owned())
    );
}

#[test]
fn fragments_may_use_names_of_their_includers() {
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let mut loader = Loader::new(Vec::new());
    let text = "let a = co | fre let f x = x ; hb acyclic a | f po let b = W ; po let c = try nothing with W";
    let source = sources.add("part.cat", text);
    let file = parse(&sources, source, &mut diags).unwrap_or_else(|_| panic!("{:?}", diags.list()));
    let mut input = LowerInput {
        purpose: Purpose::CheckFragment,
        ..LowerInput::new(&file, "part.cat", Predefined::new(&BTreeSet::new()))
    };
    input.predefined.add_sets(crate::arch::MACHINE_SETS.iter().copied());
    let lowered = lower(input, &mut loader, &mut sources, &mut diags);
    let lowered = lowered.unwrap_or_else(|_| panic!("{:?}", diags.list()));
    let names: Vec<&str> = lowered.unbound.iter().map(|i| &*i.name).collect();
    assert_eq!(names, ["co", "fre", "hb"]);
    // `b` is wrong whoever includes it, though nothing here uses it.
    let messages: Vec<&str> = diags.list().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["expected a relation, found a set of events"]);
}
