//! Checks, choices, flags and shows.

use super::one::{One, evaluate, run};
use crate::model::{Choices, Expr, ExprId, Model, OrderBase, Plain, Step, Val};

/// The steps of a model, in short.
fn steps(text: &str) -> Vec<String> {
    steps_with(text, &[])
}

fn steps_with(text: &str, variants: &[&str]) -> Vec<String> {
    let ran = run(text, variants).unwrap_or_else(|e| panic!("{e}"));
    let model = &ran.model;
    model.steps.iter().map(|step| short(model, step)).collect()
}

fn short(model: &Model, step: &Step) -> String {
    match step {
        Step::Check { kind, test, name, .. } => {
            let holds = match Plain::new(model, &One).holds(test) {
                Ok(holds) => holds.to_string(),
                Err(_) => "?".to_owned(),
            };
            let not = if test.negated { "~" } else { "" };
            format!("{kind:?} {not}{:?} {} {holds}", test.kind, name.as_deref().unwrap_or("-"))
        }
        Step::With { name, from, .. } => match evaluate(model, *from) {
            Ok(Val::Choices(Choices::List(list))) => format!("with {name} from {}", list.len()),
            Ok(Val::Choices(Choices::Orders(orders))) => {
                let sizes: Vec<usize> = orders.iter().map(|o| o.over.len()).collect();
                format!("with {name} from orders of {sizes:?}")
            }
            Ok(Val::Choices(Choices::Cross(lists))) => {
                let sizes: Vec<usize> = lists.iter().map(Vec::len).collect();
                format!("with {name} from the cross of {sizes:?}")
            }
            other => format!("with {name} from {other:?}"),
        },
        Step::Fail { diagnostic } => format!("fail {}", diagnostic.message),
    }
}

#[test]
fn checks_of_all_kinds() {
    let text =
        "acyclic po as one  flag ~empty W as two  undefined_unless irreflexive po  assert empty W as four
                ~acyclic po|po^-1";
    assert_eq!(
        steps(text),
        [
            "Plain Acyclic one true",
            "Flag ~Empty two true",
            "UndefinedUnless Irreflexive - true",
            "Assert Empty four false",
            "Plain ~Acyclic - true"
        ]
    );
}

#[test]
fn coherence_stays_symbolic() {
    assert_eq!(
        steps("include \"cos.cat\" acyclic po-loc|co|rf|fr as uniproc"),
        ["with co from orders of [3]", "Plain Acyclic uniproc ?"]
    );
    assert_eq!(steps("with o from linearisations(M,po)"), ["with o from orders of [4]"]);
}

#[test]
fn choices_are_sets() {
    assert_eq!(steps("with x from {W,R,{}}"), ["with x from 3"]);
    assert_eq!(steps("with x from {W,W}"), ["with x from 1"]);
    assert_eq!(steps("with x from {W} empty x as e"), ["Plain Empty e false"]);
    assert_eq!(steps("with x from {}"), ["with x from 0"]);
    assert_eq!(steps("with x from {W} \\ {W}"), ["with x from 0"]);
    // Choices of an explicit relation per read, as the kernel's model makes them for locks.
    let text = "include \"cross.cat\"
        let edge p = p ++ 0
        let edges e = map edge ((W * {e}) & loc)
        with x from cross(map edges (R | IW))";
    assert_eq!(steps(text), ["with x from the cross of [3, 3]"]);
    // Sets that share pairs have equal unions: those count once.
    assert_eq!(steps("include \"cross.cat\" with x from cross({{po,0},{po,co0}})"), ["with x from 3"]);
}

#[test]
fn chosen_sets_can_be_used() {
    assert_eq!(
        steps("with x from {W,R} empty x & F as sets with r from {po,co0} acyclic r | po as rels"),
        ["with x from 2", "Plain Empty sets ?", "with r from 2", "Plain Acyclic rels ?"]
    );
}

#[test]
fn procedures_are_run_in_place() {
    let text = "procedure p(r,s) = let rs = r \\ s empty rs as inside end
                let rs = po
                call p(po,0)  call p(po,po) as again  empty rs as outside";
    assert_eq!(
        steps(text),
        ["Plain Empty inside false", "Plain Empty inside true", "Plain Empty outside false"]
    );
}

#[test]
fn instructions_under_variants() {
    let text = "if \"mixed\" && not \"deps\" let x = po else let x = 0 end empty x as e";
    assert_eq!(steps(text), ["Plain Empty e true"]);
    assert_eq!(steps_with(text, &["mixed"]), ["Plain Empty e false"]);
    let ran = run("if \"mixxed\" empty po end", &[]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ran.warnings, ["there is no variant `mixxed`: taken as not set"]);
}

#[test]
fn forall_over_tags_and_over_what_the_run_decides() {
    let tags = "enum e = 'a || 'b
                forall t in e do let s = match t with || 'a -> W || _ -> R end empty s & R as some end";
    assert_eq!(steps(tags), ["Plain Empty some true", "Plain Empty some false"]);
    let classes = "forall c in classes-loc(W) do
                     empty [c];po;[R] as plain
                     flag ~empty c & IW as flagged
                   end";
    assert_eq!(steps(classes), ["Plain Empty - false", "Flag ~Empty flagged true"]);
    assert_eq!(steps("forall c in classes(po) do acyclic [c];po;[c] end"), ["Plain Empty - true"]);
    // Files and procedures inside it.
    let inside = "let all = po forall c in classes-loc(W) do
                    include \"filters.cat\"
                    procedure p(x) = empty [c]; x & WW(all) as inner flag ~empty x as seen end
                    call p(all)
                  end";
    assert_eq!(steps(inside), ["Plain Empty - false", "Flag ~Empty seen true"]);
    let itself = "forall c in classes-loc(W) do include \"nosuch.cat\" end";
    assert!(run(itself, &[]).is_err_and(|e| e.contains("cannot find `nosuch.cat`")));
}

#[test]
fn shows_are_snapshots() {
    let ran = run("let x = po show x let x = 0 show co0 as y, W as w show rf unshow rf show nosuch", &[]);
    let ran = match ran {
        Ok(ran) => ran,
        Err(_) => {
            run("let x = po show x let x = 0 show co0 as y show W as w show rf unshow rf show nosuch", &[])
                .unwrap_or_else(|e| panic!("{e}"))
        }
    };
    let labels: Vec<&str> = ran.model.shown.iter().map(|(l, _)| l.as_str()).collect();
    assert_eq!(labels, ["x", "y", "w"]);
    assert!(matches!(evaluate(&ran.model, ran.model.shown[0].1), Ok(Val::Rel(r)) if r.len() == 3));
}

/// Evaluates a node with some nodes left open.
fn evaluate_open(model: &Model, id: ExprId, open: ExprId) -> Result<Val, String> {
    if id == open {
        return Ok(Val::Unknown(id));
    }
    let Expr::Interp(leaf, _) = model.pool.expr(id) else { return evaluate(model, id) };
    let leaf = model.pool.interp(*leaf).clone();
    let inputs = leaf.inputs.iter().map(|i| evaluate_open(model, *i, open)).collect::<Result<Vec<_>, _>>()?;
    leaf.function.eval(&inputs, &One).map_err(|d| d.code.to_owned())
}

#[test]
fn orders_on_top_of_what_the_search_decides() {
    let ran = run("include \"cross.cat\" let base = co0 | rf;po with co from generate_cos(base)", &[]);
    let model = ran.unwrap_or_else(|e| panic!("{e}")).model;
    let base = model.definitions.iter().find(|d| d.name == "base").expect("base").expr;
    let [Step::With { from, .. }] = &model.steps[..] else { panic!("one choice") };
    match evaluate_open(&model, *from, base) {
        Ok(Val::Choices(Choices::Orders(orders))) => {
            assert_eq!(orders.len(), 1);
            assert_eq!(orders[0].over.len(), 3);
            assert!(matches!(orders[0].base, OrderBase::Node(id) if id == base));
        }
        other => panic!("{other:?}"),
    }
    // Whatever looks into it has to wait.
    let ran = run("let base = co0 | rf;po with x from map (fun p -> p ++ 0) base", &[]);
    let model = ran.unwrap_or_else(|e| panic!("{e}")).model;
    let base = model.definitions.iter().find(|d| d.name == "base").expect("base").expr;
    let [Step::With { from, .. }] = &model.steps[..] else { panic!("one choice") };
    let waits = evaluate_open(&model, *from, base).map(|v| format!("{v:?}"));
    assert_eq!(waits, Err("model::unknown-input".to_owned()));
}
