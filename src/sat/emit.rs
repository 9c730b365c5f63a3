//! Clauses for other solvers: DIMACS, with what the variables mean.

use std::fmt::Write;

use super::encode::Encoding;
use super::graph::NodeId;
use super::solver::Lit;
use crate::condition::Quantifier;
use crate::execution::{EventKind, Path};
use crate::litmus::Lowered;
use crate::model::Model;

/// The clauses of a test so far, and what was assumed last. `answer`: is there an assignment that the model accepts, if that is known?
pub fn dimacs(
    test: &Lowered,
    model: &Model,
    encoding: &Encoding,
    paths: &[Vec<&Path>],
    assumed: &[Lit],
    answer: Option<bool>,
) -> String {
    let mut text = format!("c {} under {}\n", test.name, model.name);
    let wanted = match test.condition.quantifier {
        Quantifier::Forall => "violates",
        _ => "satisfies",
    };
    let _ = writeln!(text, "c Is there an execution that {wanted} the proposition of the condition?");
    let said = match answer {
        Some(true) => "satisfiable: the assignment found is an execution that the model accepts",
        Some(false) => "unsatisfiable: there is none",
        None => "not known: a limit came first, and the model may refuse what satisfies these clauses",
    };
    let _ = writeln!(text, "c {said}");
    let mut names: Vec<(usize, String)> = Vec::new();
    let mut named = |literal: Lit, name: String| {
        // What is certain has no variable of its own.
        if literal != encoding.yes && literal != !encoding.yes && literal.is_positive() {
            names.push((literal.var(), name));
        }
    };
    for (thread, ways) in encoding.ways.iter().enumerate() {
        for (number, way) in ways.iter().enumerate() {
            named(*way, format!("P{thread} takes path {number}"));
        }
    }
    let label = |node: NodeId| label(test, encoding, paths, node);
    let mut seen: Vec<Lit> = Vec::new();
    for (node, executed) in encoding.executed.iter().enumerate() {
        let is_way = encoding.ways.iter().flatten().any(|way| way == executed);
        if !is_way && !seen.contains(executed) && encoding.graph.nodes[node].place.is_some() {
            seen.push(*executed);
            named(*executed, format!("{} is executed", label(node)));
        }
    }
    for (read, sources) in &encoding.sources {
        for (write, literal) in sources {
            named(*literal, format!("rf {} -> {}", label(*write), label(*read)));
        }
    }
    for (first, second, literal) in encoding.orders() {
        named(literal, format!("co {} -> {}", label(first), label(second)));
    }
    names.sort();
    for (variable, name) in names {
        let _ = writeln!(text, "c {} = {name}", variable + 1);
    }
    text + &encoding.solver.dimacs(assumed)
}

/// An event, in few words.
fn label(test: &Lowered, encoding: &Encoding, paths: &[Vec<&Path>], node: NodeId) -> String {
    let graph = encoding.graph;
    let own = &graph.nodes[node];
    let cell = own.place.and_then(|place| test.program.locations.get(place)).map_or("?", |l| l.name.as_str());
    let Some(thread) = own.thread else { return format!("init {cell}") };
    let path = own.paths.first().unwrap_or(0);
    let event = graph.threads[thread].ways[path].nodes.iter().position(|other| *other == node);
    let Some(event) = event.and_then(|event| paths[thread][path].events.get(event)) else {
        return format!("P{thread} {cell}");
    };
    let kind = match event.kind {
        EventKind::Read => "R",
        EventKind::Rmw => "RW",
        _ => "W",
    };
    // Nodes of several passes of a loop have a number each.
    format!("P{thread}:{}#{node} {kind} {cell}", event.pc)
}
