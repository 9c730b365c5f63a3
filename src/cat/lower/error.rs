//! Why an evaluation stops, and the wording of it.

use std::sync::Arc;

use super::stack::DEPTH_LIMIT;
use super::value::{Type, Value};
use crate::cat::lex::INSTRUCTION_WORDS;
use crate::diag::{Diagnostic, Remedy, nearest};
use crate::model::ExprId;
use crate::source::Span;

/// Why an evaluation gave no value.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// An error that `try` catches.
    Error(Arc<Diagnostic>),
    /// A name that nothing binds, which `try` catches too. What may be meant by it is looked for when somebody is told: models try names.
    Unbound(Arc<str>, Arc<Diagnostic>),
    /// An error that nothing catches.
    Fatal(Arc<Diagnostic>),
    /// The value of this node is needed and not known.
    Needs(ExprId),
    /// Calls are nested too deeply for the stack there is.
    TooDeep(Span),
    /// A trial run took too long.
    OutOfFuel,
    /// There is none, although what was checked before leaves nothing else: a fault of this program, not of the model.
    NoValue,
}

impl Stop {
    /// As a diagnostic, for whoever has no better way to go on. `known`: the names that are bound, of which one may be meant.
    pub(super) fn diagnostic<'a>(&self, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        match self {
            Stop::Error(d) | Stop::Fatal(d) => (**d).clone(),
            Stop::Unbound(name, d) => advised((**d).clone(), name, known),
            Stop::Needs(id) => Diagnostic::unsupported(
                "model::unknown-input",
                format!("the value of node {} is needed before the search has decided it", id.0),
            )
            .unless(Remedy::DecidedInputs),
            Stop::TooDeep(span) => {
                let message = format!("calls are nested more than {DEPTH_LIMIT} deep");
                Diagnostic::error("cat::recursion-too-deep", message)
                    .at(*span, "inside this")
                    .note("is there a recursive function whose calls never end?")
            }
            // Only trial runs are short of fuel, and who makes one takes this for an answer.
            Stop::OutOfFuel => Diagnostic::internal("a trial run of the model was taken for a real one"),
            Stop::NoValue => Diagnostic::internal("an expression of the model has no value"),
        }
    }
}

impl Stop {
    /// It happened inside this call: of calls that never end, the outermost is the one to point at.
    pub(super) fn within_call(self, call: Span) -> Stop {
        match self {
            Stop::TooDeep(_) => Stop::TooDeep(call),
            other => other,
        }
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Stop {
        Stop::Error(Arc::new(diagnostic))
    }
}

/// The result of an evaluation.
pub(super) type Eval<T = Value> = Result<T, Stop>;

/// A value with the place of the expression that gave it.
pub(super) type Placed = (Value, Span);

/// `found` stands where something else is expected.
pub(super) fn wrong_sort(expected: &str, found: &Placed) -> Stop {
    let kind = found.0.type_of();
    let mut d = Diagnostic::error("cat::wrong-sort", format!("expected {expected}, found {kind}"))
        .at(found.1, format!("this is {kind}"));
    if expected == "a relation" && kind == Type::Events {
        d = d.help("`[S]` turns a set of events into a relation");
    }
    if matches!(found.0, Value::Closure(_) | Value::Prim(_)) {
        d = d.help("does it lack an argument? `map f S` takes two, one after the other; `map(f, S)` is one");
    }
    d.into()
}

/// Two operands that cannot be combined.
pub(super) fn mismatch(operator: &str, first: &Placed, second: &Placed) -> Stop {
    different(format!("{operator} of {} and {}", first.0.type_of(), second.0.type_of()), first, second)
}

/// Two members of different sorts in one set.
pub(super) fn heterogeneous(first: &Placed, second: &Placed) -> Stop {
    let (a, b) = (first.0.type_of(), second.0.type_of());
    different(format!("a set cannot hold both {a} and {b}"), first, second)
}

fn different(message: String, first: &Placed, second: &Placed) -> Stop {
    let (a, b) = (first.0.type_of(), second.0.type_of());
    let mut d = Diagnostic::error("cat::wrong-sort", message)
        .at(second.1, format!("this is {b}"))
        .at(first.1, format!("this is {a}"));
    if matches!((&a, &b), (Type::Events, Type::Rel) | (Type::Rel, Type::Events)) {
        d = d.help("`[S]` turns a set of events into a relation; `0` is the empty relation, `{}` is empty of any sort");
    }
    d.into()
}

/// An operator that does not apply to this.
pub(super) fn no_operator(operator: &str, found: &Placed) -> Stop {
    let kind = found.0.type_of();
    Diagnostic::error("cat::wrong-sort", format!("{operator} does not apply to {kind}"))
        .at(found.1, format!("this is {kind}"))
        .into()
}

/// A name that nothing binds.
pub(super) fn unknown_name(name: &Arc<str>, span: Span) -> Stop {
    let d = Diagnostic::error("cat::unknown-name", format!("`{name}` is not defined"))
        .unless(Remedy::OtherFile)
        .at(span, "not defined here, nor by this architecture");
    Stop::Unbound(name.clone(), Arc::new(d))
}

/// With what may be meant by a name that nothing binds.
fn advised<'a>(d: Diagnostic, name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    if matches!(name, "co" | "coe" | "coi" | "fr" | "fre" | "fri") {
        return d.help("`include \"cos.cat\"` chooses a `co` and defines `fr` from it");
    }
    let near = nearest(name, known).or_else(|| nearest(name, INSTRUCTION_WORDS.iter().copied()));
    match near {
        Some(near) => d.help(format_args!("did you mean `{near}`?")),
        None => d,
    }
}

/// The wrong number of arguments.
pub(super) fn wrong_arity(name: Option<&str>, expected: usize, found: &Placed) -> Stop {
    let what = name.map_or_else(|| "this function".to_owned(), |n| format!("`{n}`"));
    let given = match &found.0 {
        Value::Tuple(parts) => parts.len(),
        Value::Pair(..) => 2,
        _ => 1,
    };
    let plural = if expected == 1 { "argument" } else { "arguments" };
    Diagnostic::error("cat::wrong-arity", format!("{what} takes {expected} {plural}, not {given}"))
        .at(found.1, format!("{given} given"))
        .into()
}
