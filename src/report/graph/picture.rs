//! A picture as data, for a page that draws it itself: everything has its place, what is shown of it is up to the reader.

use std::collections::BTreeMap;

use serde::Serialize;

use super::route::{Rect, layout};
use super::svg::rounded;
use super::{Edge, Graph, Node};
use crate::explain::Place;
use crate::source::Sources;

/// A picture, laid out.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Picture {
    /// The final state, and what it says about the condition.
    pub state: String,
    /// What there is to say besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Its size.
    pub size: (i64, i64),
    /// Is the last of the frames that of hardware?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hardware: bool,
    /// The frame of each thread: x, y, width, height.
    pub threads: Vec<[i64; 4]>,
    /// Events.
    pub nodes: Vec<Box>,
    /// Pairs of relations.
    pub edges: Vec<Line>,
    /// The colour of each relation.
    pub colors: BTreeMap<String, &'static str>,
}

/// An event.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Box {
    /// Its letter.
    pub id: String,
    /// What it does.
    pub does: String,
    /// Its instruction.
    pub code: String,
    /// Its thread; none: the initial writes.
    pub thread: Option<usize>,
    /// The line of the test.
    pub line: Option<usize>,
    /// Where it stands: x, y, width, height.
    pub at: [i64; 4],
}

/// A pair of a relation.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct Line {
    /// The relation.
    pub name: String,
    /// From this event, by its position in the list.
    pub from: usize,
    /// To that one.
    pub to: usize,
    /// The path, as SVG has it.
    pub path: String,
    /// The middle of its label.
    pub label: (i64, i64),
    /// Part of what is explained?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bold: bool,
    /// No arrow?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// What of the model put it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl Picture {
    /// The picture of a graph; `sources` has the test that it is of.
    pub fn new(graph: &Graph, sources: &Sources) -> Picture {
        let layout = layout(graph);
        let node = |(node, rect): (&Node, &Rect)| Box {
            id: node.letter.clone(),
            does: node.action.clone(),
            code: node.code.clone(),
            thread: node.thread,
            line: node.span.map(|span| sources.line_column(span).0),
            at: corners(rect),
        };
        let mut colors = BTreeMap::new();
        let edges = layout.routes.iter().filter_map(|route| {
            let (from, to) = graph.graph.edge_endpoints(route.edge)?;
            let edge: &Edge = &graph.graph[route.edge];
            colors.insert(edge.name.clone(), edge.color);
            Some(Line {
                name: edge.name.clone(),
                from: from.index(),
                to: to.index(),
                path: rounded(&route.points),
                label: (round(route.label.x + route.label.w / 2.0), round(route.label.y + 10.0)),
                bold: edge.bold,
                plain: edge.symmetric,
                place: edge.place.clone(),
            })
        });
        let edges = edges.collect();
        Picture {
            state: graph.state.trim().to_string(),
            remark: graph.remark.clone(),
            size: (round(layout.width), round(layout.height)),
            hardware: graph.hardware,
            threads: layout.threads.iter().map(|(frame, _)| corners(frame)).collect(),
            nodes: graph.graph.node_weights().zip(&layout.boxes).map(node).collect(),
            edges,
            colors,
        }
    }
}

fn corners(rect: &Rect) -> [i64; 4] {
    [round(rect.x), round(rect.y), round(rect.w), round(rect.h)]
}

/// A tenth of a point more or less is not seen.
fn round(x: f64) -> i64 {
    x.round() as i64
}
