//! Executions as pictures: a [`Graph`] is made once and drawn as Graphviz, SVG or text.

mod dot;
#[cfg(test)]
mod geometry_tests;
mod highlight;
mod picture;
mod route;
mod style;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use crate::explain::events::{describe, instruction, letters, location};
pub use dot::dot;
pub use picture::Picture;
pub use style::{EventChoice, Layout, Legend, Style};
pub use svg::svg;
pub use text::{text, text_within};

use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};

use crate::condition::Quantifier;
use crate::execution::{Event, EventKind, Execution};
use crate::explain::Place;
use crate::explain::events::{self, Look};
use crate::limits;
use crate::litmus::Lowered;
use crate::outcome::{StateStyle, format_state};
use crate::relation::Rel;
use crate::source::Span;

/// An event of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its letter; the initial writes are `init` together.
    pub letter: String,
    /// What it does: `W[x]=1`.
    pub action: String,
    /// The instruction it belongs to.
    pub code: String,
    /// The column of its thread, or that of hardware; none: the initial writes.
    pub thread: Option<usize>,
    /// Where it stands in its column, from 0.
    pub row: usize,
    /// Does it read what the condition observes?
    pub observed: bool,
    /// Where its instruction stands.
    pub span: Option<Span>,
}

/// A pair of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The relation: `rf`.
    pub name: String,
    /// Its colour, as Graphviz and SVG know it.
    pub color: &'static str,
    /// Draw an arrow at neither end.
    pub symmetric: bool,
    /// Highlighted: part of what is explained.
    pub bold: bool,
    /// What of the model put it there, where that is known.
    pub place: Option<Place>,
}

/// One execution, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Graph {
    /// `Test SB, x86tso`.
    pub title: String,
    /// The final state, and what it says about the condition.
    pub state: String,
    /// What there is to say besides.
    pub remark: Option<String>,
    /// How many columns: one for each thread, and one for what hardware does by itself.
    pub threads: usize,
    /// Is the last column that of hardware?
    pub hardware: bool,
    /// Events and the pairs between them, in a fixed order.
    pub graph: DiGraph<Node, Edge>,
}

impl Graph {
    /// The picture of an execution.
    pub fn new(execution: &Execution, test: &Lowered, model: &str, style: &Style) -> Graph {
        let shown: Vec<usize> =
            (0..execution.events.len()).filter(|e| style.events.shows(&execution.events[*e])).collect();
        let letters = letters(&execution.events);
        let look = Look { hexa: style.hexa, brackets: style.brackets };
        let mut graph = DiGraph::new();
        let mut nodes: BTreeMap<usize, NodeIndex> = BTreeMap::new();
        let initial: Vec<usize> =
            shown.iter().copied().filter(|e| execution.events[*e].kind == EventKind::Init).collect();
        let relations = drawn(execution, style);
        // Initial writes that nothing points from tell nothing.
        let used = relations.iter().any(|(_, rel)| rel.iter().any(|(a, _)| initial.contains(&a)));
        let init = (style.initial_writes && used).then(|| {
            let written: Vec<String> = initial
                .iter()
                .map(|e| {
                    let value = execution.values[*e].1.map_or_else(|| "?".into(), |v| test.program.show(v));
                    format!("{}={value}", events::place(&execution.events[*e], test, false))
                })
                .collect();
            graph.add_node(Node {
                letter: "init".to_string(),
                action: written.join(", "),
                code: String::new(),
                thread: None,
                row: 0,
                observed: false,
                span: None,
            })
        });
        nodes.extend(initial.iter().filter_map(|e| Some((*e, init?))));
        let mut placed: Vec<usize> =
            shown.iter().copied().filter(|e| execution.events[*e].kind != EventKind::Init).collect();
        let hardware = placed.iter().any(|e| execution.events[*e].thread.is_none());
        let threads = test.program.threads.len();
        let column = |e: &usize| execution.events[*e].thread.map_or(threads, usize::from);
        placed.sort_by_key(|e| (column(e), events::order(&execution.events[*e], *e)));
        let mut rows = vec![0; threads + usize::from(hardware)];
        for number in placed {
            let event = &execution.events[number];
            let thread = column(&number);
            let row = rows[thread];
            rows[thread] += 1;
            let node = Node {
                letter: letters.get(&number).cloned().unwrap_or_default(),
                action: events::action(event, &execution.values[number], test, look),
                code: if style.squished { String::new() } else { instruction(event, test) },
                thread: Some(thread),
                row,
                observed: style.observed && event.is_read(),
                span: event.place(&test.program),
            };
            nodes.insert(number, graph.add_node(node));
        }
        for (name, rel) in &relations {
            let symmetric = style.symmetric.contains(name);
            let color = style.color(name);
            let mut pairs: Vec<(NodeIndex, NodeIndex)> = rel
                .iter()
                .filter(|(a, b)| !symmetric || a <= b)
                .filter_map(|(a, b)| Some((*nodes.get(&a)?, *nodes.get(&b)?)))
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            for (from, to) in pairs {
                limits::poll();
                match graph.find_edge(from, to) {
                    Some(other) if style.merge => {
                        let other: &mut Edge = &mut graph[other];
                        other.name += &format!(", {name}");
                    }
                    _ => {
                        let edge = Edge { name: name.clone(), color, symmetric, bold: false, place: None };
                        graph.add_edge(from, to, edge);
                    }
                }
            }
        }
        let line =
            format_state(&execution.state, test, &StateStyle { hexa: style.hexa, brackets: style.brackets });
        let verdict = match (test.condition.quantifier, execution.positive) {
            (Quantifier::Exists, true) => "satisfies the exists clause",
            (Quantifier::Exists, false) => "does not satisfy the exists clause",
            (Quantifier::NotExists, true) => "violates the ~exists clause",
            (Quantifier::NotExists, false) => "respects the ~exists clause",
            (Quantifier::Forall, true) => "respects the forall clause",
            (Quantifier::Forall, false) => "violates the forall clause",
        };
        Graph {
            title: style.legend(test, model),
            state: format!("{line} {verdict}"),
            remark: execution.refused.as_ref().map(|check| format!("refused by {check}")),
            threads: threads + usize::from(hardware),
            hardware,
            graph,
        }
    }

    /// What stands above a column.
    pub fn heading(&self, column: usize) -> String {
        if self.hardware && column + 1 == self.threads {
            "Hardware".to_string()
        } else {
            format!("Thread {column}")
        }
    }

    /// The nodes of a thread, from the top.
    pub fn thread(&self, thread: usize) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.graph
            .node_indices()
            .map(|n| (n, &self.graph[n]))
            .filter(move |(_, node)| node.thread == Some(thread))
    }

    /// How many rows the longest thread has.
    pub fn rows(&self) -> usize {
        self.graph.node_weights().filter(|n| n.thread.is_some()).map(|node| node.row + 1).max().unwrap_or(0)
    }

    /// The node of the initial writes.
    pub fn init(&self) -> Option<(NodeIndex, &Node)> {
        self.graph.node_indices().map(|n| (n, &self.graph[n])).find(|(_, node)| node.thread.is_none())
    }
}

/// The relations to draw, the usual ones first, each without what follows from the rest of it.
fn drawn(execution: &Execution, style: &Style) -> Vec<(String, Rel)> {
    let visible = |rel: &Rel| {
        let seen = |e: usize| style.events.shows(&execution.events[e]);
        Rel::of(rel.n(), rel.iter().filter(|(a, b)| a != b && seen(*a) && seen(*b)))
    };
    let is_init = |e: usize| execution.events[e].kind == EventKind::Init;
    let mut drawn: Vec<(String, Rel)> = Vec::new();
    let wanted = |name: &str| !style.unshown.iter().any(|n| n == name);
    if style.program_order && wanted("po") {
        let po = reduced(&visible(&execution.po));
        drawn.push(("po".to_string(), between_accesses(&po, &execution.events)));
    }
    if wanted("rf") {
        let rf = visible(&execution.rf);
        let kept = rf.iter().filter(|(a, _)| style.initial_reads || !is_init(*a));
        drawn.push(("rf".to_string(), Rel::of(rf.n(), kept)));
    }
    let raw = |name: &str| style.raw.iter().any(|n| n == name);
    if wanted("co") {
        let co = visible(&execution.co);
        // That initial writes come first goes without saying.
        let kept = if raw("co") { co } else { reduced(&without_init(&co, &is_init)) };
        drawn.push(("co".to_string(), kept));
    }
    if wanted("fr") {
        let fr = visible(&execution.fr);
        // To the next write only: the others follow by co.
        let next =
            if raw("fr") || !wanted("co") { fr } else { fr.diff(&fr.seq(&visible(&execution.co).plus())) };
        drawn.push(("fr".to_string(), next));
    }
    const PARTS: [(&str, &str); 6] =
        [("rfe", "rf"), ("rfi", "rf"), ("coe", "co"), ("coi", "co"), ("fre", "fr"), ("fri", "fr")];
    for (name, rel) in &execution.shown {
        let part_of = PARTS.iter().find(|(part, _)| part == name).map(|(_, whole)| *whole);
        let again = part_of.is_some_and(wanted) && !style.names.contains(name);
        if !wanted(name) || again || drawn.iter().any(|(other, _)| other == name) {
            continue;
        }
        let rel = without_init(&visible(rel), &is_init);
        let rel = if raw(name) || !rel.is_acyclic() { rel } else { reduced(&rel) };
        drawn.push((name.clone(), rel));
    }
    drawn
}

/// Of the parts of one access, where cells are cut up: from its last to the first of what follows.
fn between_accesses(po: &Rel, events: &[Event]) -> Rel {
    let parts = |a: usize, b: usize| {
        let (a, b) = (&events[a], &events[b]);
        a.part.is_some() && b.part.is_some() && (a.thread, a.access) == (b.thread, b.access)
    };
    let hidden = |(a, b): (usize, usize)| {
        po.iter().any(|(c, d)| d == b && c > a && parts(c, a) || c == a && d < b && parts(d, b))
    };
    Rel::of(po.n(), po.iter().filter(|pair| !hidden(*pair)))
}

fn without_init(rel: &Rel, is_init: &dyn Fn(usize) -> bool) -> Rel {
    Rel::of(rel.n(), rel.iter().filter(|(a, _)| !is_init(*a)))
}

/// The pairs of an acyclic relation that do not follow from others by transitivity.
fn reduced(rel: &Rel) -> Rel {
    rel.diff(&rel.seq(&rel.plus()))
}
