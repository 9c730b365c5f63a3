//! A picture on a terminal: a column per thread, then the pairs of each relation.

use super::Graph;

/// The picture as text.
pub fn text(graph: &Graph) -> String {
    text_within(graph, None)
}

/// Likewise, not wider than so many characters, if that can be: threads come one below the other, and long lines are broken.
pub fn text_within(graph: &Graph, room: Option<usize>) -> String {
    let mut out = broken(&format!("{}: {}", graph.title, graph.state), 4, room);
    if let Some(remark) = &graph.remark {
        out += &broken(&format!("  {remark}"), 4, room);
    }
    if let Some((_, init)) = graph.init() {
        out += &broken(&format!("  init: {}", init.action), 8, room);
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
    let name = |thread: usize| match graph.hardware && thread + 1 == graph.threads {
        true => "hardware".to_string(),
        false => format!("P{thread}"),
    };
    let whole = 2 + widths.iter().sum::<usize>() + 5 * widths.len().saturating_sub(1);
    if room.is_some_and(|room| whole > room) {
        for (thread, column) in cells.iter().enumerate() {
            out += &format!("  {}\n", name(thread));
            for cell in column {
                out += &broken(&format!("    {cell}"), 8, room);
            }
        }
    } else {
        out += &line(&name);
        for row in 0..rows {
            out += &line(&|thread| cells[thread].get(row).cloned().unwrap_or_default());
        }
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
        out += &broken(&format!("  {name:>width$}: {}", pairs.join(", ")), width + 4, room);
    }
    out
}

/// A line, broken at blanks where it is too long; what goes on is indented.
fn broken(line: &str, indent: usize, room: Option<usize>) -> String {
    let room = room.map_or(usize::MAX, |room| room.max(indent + 8));
    let mut out = String::new();
    let (mut rest, mut margin) = (line, 0);
    while let Some((end, _)) = rest.char_indices().nth(room - margin) {
        // Never inside the indentation, and rather after a pair than inside one.
        let start = rest.len() - rest.trim_start().len();
        let blanks = || rest[..end].match_indices(' ').map(|(at, _)| at).filter(|at| *at > start).rev();
        let after_pair = blanks().find(|at| rest[..*at].ends_with([',', ';']));
        let later = || rest[end..].find(' ').map(|at| end + at);
        let Some(at) = after_pair.or_else(|| blanks().next()).or_else(later) else { break };
        out += &format!("{:margin$}{}\n", "", rest[..at].trim_end());
        (rest, margin) = (rest[at..].trim_start(), indent);
    }
    out + &format!("{:margin$}{rest}\n", "")
}
