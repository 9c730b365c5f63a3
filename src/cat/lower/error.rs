//! Why an evaluation stops, and the wording of it.

use std::sync::Arc;

use super::stack::DEPTH_LIMIT;
use super::value::{Type, Value};
use crate::cat::lex::INSTRUCTION_WORDS;
use crate::diag::{Diagnostic, Remedy};
use crate::model::ExprId;
use crate::source::Span;

/// Why an evaluation gave no value.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// An error that `try` catches.
    Error(Arc<Diagnostic>),
    /// An error that nothing catches.
    Fatal(Arc<Diagnostic>),
    /// The value of this node is needed and not known.
    Needs(ExprId),
    /// Calls are nested too deeply for the stack there is.
    TooDeep(Span),
    /// A trial run took too long.
    OutOfFuel,
}

impl Stop {
    /// As a diagnostic, for whoever has no better way to go on.
    pub(super) fn diagnostic(&self) -> Diagnostic {
        match self {
            Stop::Error(d) | Stop::Fatal(d) => (**d).clone(),
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
            Stop::OutOfFuel => Diagnostic::internal("an expression of the model has no value"),
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
pub(super) fn unknown_name<'a>(name: &str, span: Span, known: impl IntoIterator<Item = &'a str>) -> Stop {
    let mut d = Diagnostic::error("cat::unknown-name", format!("`{name}` is not defined"))
        .unless(Remedy::OtherFile)
        .at(span, "not defined here, nor by this architecture");
    if matches!(name, "co" | "coe" | "coi" | "fr" | "fre" | "fri") {
        d = d.help("`include \"cos.cat\"` chooses a `co` and defines `fr` from it");
    } else if let Some(near) = crate::diag::nearest(name, known) {
        d = d.help(format_args!("did you mean `{near}`?"));
    } else if let Some(near) = crate::diag::nearest(name, INSTRUCTION_WORDS.iter().copied()) {
        d = d.help(format_args!("did you mean `{near}`?"));
    }
    d.into()
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
