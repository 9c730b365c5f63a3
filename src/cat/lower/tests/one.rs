//! A little test to evaluate expressions on: one thread stores to x twice (a, b), then loads x (c); d is the
//! initial write. The load reads from d.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cat::ast::File;
use crate::cat::lower::choices::ValueSet;
use crate::cat::lower::env::{Env, Slot};
use crate::cat::lower::exec::{Executor, Halt};
use crate::cat::lower::interpreter::{Abstract, Declared, Interpreter, Mode};
use crate::cat::lower::value::Value;
use crate::cat::lower::{Predefined, Purpose};
use crate::cat::{Loader, parse};
use crate::diag::{Color, Diagnostics, render_all};
use crate::model::{ExprId, Model, Plain, Universe, Val};
use crate::relation::{Rel, Set};
use crate::source::Sources;
use crate::variant::{Variant, Variants};

pub(super) const N: usize = 4;

/// The events of the test.
pub(super) struct One;

impl Universe for One {
    fn n_events(&self) -> usize {
        N
    }

    fn visible(&self) -> Set {
        Set::full(N)
    }

    fn base(&self, base: &crate::model::Base) -> Option<Val> {
        let name = base.name();
        let set = |events: &[usize]| Some(Val::Set(Set::of(N, events.iter().copied())));
        let rel = |pairs: &[(usize, usize)]| Some(Val::Rel(Rel::of(N, pairs.iter().copied())));
        match name {
            "M" | "Exp" | "EXEC" => set(&[0, 1, 2, 3]),
            "W" => set(&[0, 1, 3]),
            "R" => set(&[2]),
            "IW" => set(&[3]),
            "po" => rel(&[(0, 1), (0, 2), (1, 2)]),
            "int" => Some(Val::Rel(Rel::product(&Set::of(N, [0, 1, 2]), &Set::of(N, [0, 1, 2])))),
            "ext" => rel(&[(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)]),
            "loc" => Some(Val::Rel(Rel::full(N))),
            "id" => Some(Val::Rel(Rel::identity(N))),
            "rf" => rel(&[(3, 2)]),
            _ => base.nothing(N),
        }
    }

    fn location_classes(&self) -> Vec<Set> {
        vec![Set::full(N)]
    }

    fn events_of_location(&self, name: &str) -> Option<Set> {
        (name == "x").then(|| Set::full(N))
    }
}

/// A model run on `text` after the library, with the value that `it` has at its end.
pub(super) struct Ran {
    pub model: Model,
    pub it: Option<Value>,
    pub warnings: Vec<String>,
}

/// Runs a model; the rendered errors if it has any.
pub(super) fn run(text: &str, variants: &[&str]) -> Result<Ran, String> {
    let mut loader = Loader::new(Vec::new());
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let skip = BTreeSet::new();
    let source = sources.add("model.cat", text);
    let library = loader.open(&mut sources, "stdlib.cat", None, &mut diags, None);
    let file = parse(&sources, source, &mut diags);
    let (Ok(library), Ok(file)) = (library, file) else {
        return Err(render_all(diags.list(), &sources, Color::Never));
    };
    let variants: Variants = variants.iter().filter_map(|v| Variant::parse(v)).collect();
    let result = execute(&library, &file, variants, &mut loader, &mut sources, &mut diags, &skip);
    result.map_err(|()| render_all(diags.list(), &sources, Color::Never))
}

fn execute(
    library: &File,
    file: &File,
    variants: Variants,
    loader: &mut Loader,
    sources: &mut Sources,
    diags: &mut Diagnostics,
    skip: &BTreeSet<String>,
) -> Result<Ran, ()> {
    let mut predefined = Predefined::new(&variants);
    predefined.add_sets(crate::arch::MACHINE_SETS.iter().copied());
    let mode = Mode::Abstract(Box::new(Abstract::new(predefined)));
    let declared = Declared { variants, ..Declared::default() };
    let interpreter = Interpreter::new(mode, Arc::new(declared));
    let mut executor = Executor::new(interpreter, loader, sources, diags, skip, Purpose::Run);
    let mut env = Env::default();
    executor.bind_predefined(&mut env);
    for body in [&library.body, &file.body] {
        match executor.run(&mut env, body) {
            Ok(()) => {}
            Err(Halt::Reported(_)) => return Err(()),
            Err(Halt::Stop(stop)) => {
                executor.report(&stop);
                return Err(());
            }
        }
    }
    let it = match executor.interpreter.slot(&env, "it").map(|slot: Slot| executor.interpreter.force(&slot)) {
        None => None,
        Some(Ok(value)) => Some(value),
        Some(Err(stop)) => {
            executor.report(&stop);
            return Err(());
        }
    };
    let lowered = executor.finish(file, "model");
    Ok(Ran { model: lowered.model, it, warnings: diags.list().iter().map(|d| d.message.clone()).collect() })
}

/// The value of an expression on the events of the test, after some instructions; or its error, in one line.
pub(super) fn after(instructions: &str, expr: &str) -> String {
    let ran = match run(&format!("{instructions}\nlet it = {expr}"), &[]) {
        Ok(ran) => ran,
        Err(text) => return text.lines().next().unwrap_or_default().to_owned(),
    };
    let value = ran.it.expect("`it` is defined");
    show(&value, &ran.model)
}

/// The value of an expression.
pub(super) fn value(expr: &str) -> String {
    after("", expr)
}

/// The value of a node on the events of the test.
pub(super) fn evaluate(model: &Model, id: ExprId) -> Result<Val, String> {
    let mut plain = Plain::new(model, &One);
    plain.eval(id).map(|v| (*v).clone()).map_err(|e| format!("{e:?}"))
}

fn event(index: usize) -> char {
    (b'a' + index as u8) as char
}

fn show_set(set: &Set) -> String {
    let events: Vec<String> = set.iter().map(|e| event(e).to_string()).collect();
    format!("{{{}}}", events.join(","))
}

fn show_rel(rel: &Rel) -> String {
    let pairs: Vec<String> = rel.iter().map(|(a, b)| format!("{}{}", event(a), event(b))).collect();
    format!("<{}>", pairs.join(" "))
}

fn show_values(set: &ValueSet, model: &Model) -> String {
    let members = set.members().expect("members are known");
    let items: Vec<String> = members.iter().map(|v| show(v, model)).collect();
    format!("{{{}}}", items.join(", "))
}

/// Sets as `{a,b}`, relations as `<ab cd>`.
pub(super) fn show(value: &Value, model: &Model) -> String {
    match value {
        Value::Empty => "{}".to_owned(),
        Value::Universe => "_".to_owned(),
        Value::Unknown => "?".to_owned(),
        Value::Node(id, _) => match evaluate(model, *id) {
            Ok(Val::Set(set)) => show_set(&set),
            Ok(Val::Rel(rel)) => show_rel(&rel),
            Ok(Val::Opaque(any)) => show(any.downcast_ref::<Value>().expect("a value"), model),
            Ok(other) => format!("{other:?}"),
            Err(error) => error,
        },
        Value::Event(e) => event(*e).to_string(),
        Value::Pair(a, b) => format!("{}{}", event(*a), event(*b)),
        Value::Set(set) => show_set(set),
        Value::Rel(rel) => show_rel(rel),
        Value::ClassRel(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(a, b)| format!("{}->{}", show(a, model), show(b, model))).collect();
            format!("<{}>", pairs.join(" "))
        }
        Value::Tag(tag) => format!("'{tag}"),
        Value::Values(set) => show_values(set, model),
        Value::Explicit(items) => {
            let items: Vec<String> = items.iter().map(|v| show(v, model)).collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|v| show(v, model)).collect();
            format!("({})", items.join(", "))
        }
        Value::Closure(_) | Value::Prim(_) => "function".to_owned(),
        Value::Procedure(_) => "procedure".to_owned(),
    }
}
