//! The cycle of an explanation in the picture of its execution.

use petgraph::graph::NodeIndex;

use super::{Edge, Graph, Style};
use crate::explain::{Flagged, Place, Shape, Way};
use crate::litmus::Lowered;

impl Graph {
    /// The picture of a way that is refused, with what refuses it highlighted.
    pub fn refused(way: &Way, test: &Lowered, model: &str, style: &Style) -> Graph {
        let mut graph = Graph::new(&way.execution, test, model, style);
        for edge in way.links.iter().flat_map(|link| &link.edges) {
            let (from, to) = match edge.backwards {
                true => (&edge.to, &edge.from),
                false => (&edge.from, &edge.to),
            };
            graph.highlight(from, to, &edge.relation, edge.model.as_ref(), style);
        }
        let name = way.check.name.as_deref().unwrap_or("a check without a name");
        graph.remark = Some(match way.shape {
            Shape::Cycle => format!("refused by {name}: the cycle is highlighted"),
            Shape::Pair => format!("refused by {name}: the pair is highlighted"),
            Shape::Event | Shape::Missing => format!("refused by {name}"),
        });
        graph
    }

    /// The picture of an execution that raises a flag, with the two accesses joined.
    pub fn flagged(flagged: &Flagged, test: &Lowered, model: &str, style: &Style) -> Graph {
        let mut graph = Graph::new(&flagged.witness.execution, test, model, style);
        let name = flagged.check.name.as_deref().unwrap_or("flag");
        if let [a, b] = flagged.accesses.as_slice() {
            graph.highlight(a, b, name, flagged.check.place.as_ref(), style);
        }
        graph.remark = Some(format!("raises {name}"));
        graph
    }

    /// Highlights an edge; it is added if it is not drawn.
    fn highlight(&mut self, from: &str, to: &str, relation: &str, place: Option<&Place>, style: &Style) {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return };
        let drawn = self.graph.edges_connecting(from, to).find(|edge| edge.weight().name == relation);
        let drawn = drawn.map(|edge| petgraph::visit::EdgeRef::id(&edge));
        match drawn {
            Some(edge) => {
                self.graph[edge].bold = true;
                self.graph[edge].place = place.cloned();
            }
            None => {
                let color = style.color(relation);
                let edge = Edge {
                    name: relation.to_string(),
                    color,
                    symmetric: false,
                    bold: true,
                    place: place.cloned(),
                };
                self.graph.add_edge(from, to, edge);
            }
        }
    }

    fn node(&self, id: &str) -> Option<NodeIndex> {
        let letter = if id.starts_with("init:") { "init" } else { id };
        self.graph.node_indices().find(|node| self.graph[*node].letter == letter)
    }
}
