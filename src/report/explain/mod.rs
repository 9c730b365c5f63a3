//! Explanations as people and programs read them.

mod text;

pub use text::{repairs, text, way};

use crate::explain::{Answer, Explanation};
use crate::litmus::Lowered;

use super::graph::{Graph, Style};

/// The pictures of an explanation: one for each reason, or that of the witness, and one for each flag.
pub fn pictures(explanation: &Explanation, test: &Lowered, style: &Style) -> Vec<Graph> {
    let model = &explanation.model;
    let mut graphs: Vec<Graph> = match &explanation.answer {
        Answer::Forbidden { ways, .. } => {
            ways.iter().map(|way| Graph::refused(way, test, model, style)).collect()
        }
        Answer::Allowed { witness, .. } => vec![Graph::new(&witness.execution, test, model, style)],
        Answer::NoSource { .. } => Vec::new(),
    };
    graphs.extend(explanation.flags.iter().map(|flagged| Graph::flagged(flagged, test, model, style)));
    graphs
}
