//! A picture on a terminal: a column per thread, then the pairs of each relation.

use super::Graph;

/// The picture as text.
pub fn text(graph: &Graph) -> String {
    let mut out = format!("{}: {}\n", graph.title, graph.state);
    if let Some((_, init)) = graph.init() {
        out += &format!("  init: {}\n", init.action);
    }
    let columns: Vec<Vec<(String, String)>> = (0..graph.threads)
        .map(|thread| {
            graph
                .thread(thread)
                .map(|(_, node)| (format!("{}: {}", node.letter, node.action), node.code.clone()))
                .collect()
        })
        .collect();
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|column| {
            let width = column.iter().map(|(event, _)| event.chars().count()).max().unwrap_or(0);
            column
                .iter()
                .map(|(event, code)| format!("{event:width$}  {code}").trim_end().to_string())
                .collect()
        })
        .collect();
    let widths: Vec<usize> = cells
        .iter()
        .map(|column| column.iter().map(|c| c.chars().count()).max().unwrap_or(0).max(2))
        .collect();
    let rows = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> =
            (0..graph.threads).map(|t| format!("{:width$}", cell(t), width = widths[t])).collect();
        format!("  {}\n", cells.join("  |  ").trim_end())
    };
    out += &line(&|thread| format!("P{thread}"));
    for row in 0..rows {
        out += &line(&|thread| cells[thread].get(row).cloned().unwrap_or_default());
    }
    let mut relations: Vec<(&str, Vec<String>)> = Vec::new();
    for edge in graph.graph.edge_indices() {
        let Some((from, to)) = graph.graph.edge_endpoints(edge) else { continue };
        let weight = &graph.graph[edge];
        let arrow = if weight.symmetric { "--" } else { "->" };
        let pair = format!("{} {arrow} {}", graph.graph[from].letter, graph.graph[to].letter);
        match relations.iter_mut().find(|(name, _)| *name == weight.name) {
            Some((_, pairs)) => pairs.push(pair),
            None => relations.push((&weight.name, vec![pair])),
        }
    }
    let width = relations.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, pairs) in relations {
        out += &format!("  {name:>width$}: {}\n", pairs.join(", "));
    }
    out
}
