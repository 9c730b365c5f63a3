//! A picture for Graphviz.

use petgraph::graph::NodeIndex;

use super::{Graph, Layout, Style};

/// Distance between columns and rows of [`Layout::Columns`], in points.
const STEP: (f64, f64) = (190.0, 72.0);

/// The picture as a `digraph`.
///
/// Only program order decides ranks: each thread runs from top to bottom in its own box, whatever else is drawn.
pub fn dot(graph: &Graph, style: &Style) -> String {
    let mut out = String::from("digraph G {\n");
    let mut line = |text: String| {
        out += &text;
        out.push('\n');
    };
    line("  /* what it is */".to_string());
    let mut legend: Vec<&str> = vec![&graph.title, graph.state.trim()];
    legend.extend(graph.remark.as_deref());
    if style.legend.is_some() {
        line(format!("  label={};", quoted(&legend)));
        line("  labelloc=\"b\";".to_string());
    }
    let font = ("fontname".to_string(), "Helvetica".to_string());
    let graph_defaults = [("splines", "true"), ("nodesep", "0.6"), ("ranksep", "0.5"), ("newrank", "true")];
    let all = graph_defaults.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).chain([font.clone()]);
    for (key, value) in overridden(all, &style.attributes.graph) {
        line(format!("  {key}={};", quoted(&[&value])));
    }
    let node = [("shape", "box"), ("margin", "0.08,0.04"), ("fontsize", "11")];
    let node = node.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).chain([font.clone()]);
    line(format!("  node [{}];", attributes(&overridden(node, &style.attributes.node))));
    let edge = [("fontsize", "10"), ("arrowsize", "0.7")];
    let edge = edge.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).chain([font]);
    line(format!("  edge [{}];", attributes(&overridden(edge, &style.attributes.edge))));

    if let Some((id, init)) = graph.init() {
        line("  /* initial writes */".to_string());
        let middle = (graph.threads as f64 - 1.0) / 2.0;
        let place = position(style, middle, -1.0);
        line(format!(
            "  {} [label={}, style=\"rounded\"{place}];",
            name(graph, id),
            quoted(&[&format!("init: {}", init.action)])
        ));
    }
    line("  /* the events of each thread */".to_string());
    for thread in 0..graph.threads {
        if style.layout == Layout::Cluster {
            line(format!("  subgraph cluster_proc{thread} {{"));
            if style.threads {
                line(format!(
                    "    label=\"{}\"; labelloc=\"t\"; fontsize=\"12\"; color=\"grey\"; style=\"rounded\";",
                    graph.heading(thread)
                ));
            } else {
                line("    color=\"white\";".to_string());
            }
        }
        for (id, node) in graph.thread(thread) {
            let event = format!("{}: {}", node.letter, node.action);
            let label = if node.code.is_empty() { quoted(&[&event]) } else { quoted(&[&event, &node.code]) };
            let place = position(style, thread as f64, node.row as f64);
            let mark = if node.observed { ", penwidth=\"2\"" } else { "" };
            line(format!("    {} [label={label}{mark}{place}];", name(graph, id)));
        }
        if style.layout == Layout::Cluster {
            line("  }".to_string());
        } else if style.layout == Layout::Columns && style.threads {
            let place = position(style, thread as f64, -0.6);
            line(format!("    proc{thread} [label=\"{}\", shape=\"none\"{place}];", graph.heading(thread)));
        }
    }
    if let Some((id, _)) = graph.init().filter(|_| style.layout == Layout::Cluster) {
        line("  /* the initial writes stand above, the threads in order */".to_string());
        for thread in 0..graph.threads {
            if let Some((first, _)) = graph.thread(thread).next() {
                line(format!("  {} -> {} [style=\"invis\"];", name(graph, id), name(graph, first)));
            }
        }
    }
    if style.layout == Layout::Cluster {
        let firsts: Vec<String> = (0..graph.threads)
            .filter_map(|thread| graph.thread(thread).next())
            .map(|(id, _)| name(graph, id))
            .collect();
        if firsts.len() > 1 {
            line(format!("  {{ rank=\"same\"; {} [style=\"invis\"]; }}", firsts.join(" -> ")));
        }
    }
    line("  /* relations */".to_string());
    for edge in graph.graph.edge_indices() {
        let Some((from, to)) = graph.graph.edge_endpoints(edge) else { continue };
        let weight = &graph.graph[edge];
        let mut list = vec![
            ("label".to_string(), weight.name.clone()),
            ("color".to_string(), weight.color.to_string()),
            ("fontcolor".to_string(), weight.color.to_string()),
        ];
        if weight.name == "po" {
            list.push(("weight".to_string(), "10".to_string()));
        } else {
            list.push(("constraint".to_string(), "false".to_string()));
        }
        if weight.bold {
            list.push(("penwidth".to_string(), "3".to_string()));
        }
        if weight.symmetric {
            list.push(("dir".to_string(), "none".to_string()));
        }
        let own = style.edge_attributes.iter().filter(|(relation, ..)| *relation == weight.name);
        let own: Vec<(String, String)> = own.map(|(_, key, value)| (key.clone(), value.clone())).collect();
        let list = attributes(&overridden(list.into_iter(), &own));
        line(format!("  {} -> {} [{list}];", name(graph, from), name(graph, to)));
    }
    out += "}\n";
    out
}

/// The name of a node in the file.
fn name(graph: &Graph, id: NodeIndex) -> String {
    format!("e_{}", graph.graph[id].letter)
}

fn position(style: &Style, x: f64, y: f64) -> String {
    match style.layout {
        Layout::Columns => format!(", pos=\"{:.0},{:.0}!\"", x * STEP.0, 0.0 - y * STEP.1),
        Layout::Cluster | Layout::Free => String::new(),
    }
}

/// Settings in order, the user's on top.
fn overridden(
    defaults: impl Iterator<Item = (String, String)>,
    own: &[(String, String)],
) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = defaults.collect();
    for (key, value) in own {
        match all.iter_mut().find(|(k, _)| k == key) {
            Some(slot) => slot.1.clone_from(value),
            None => all.push((key.clone(), value.clone())),
        }
    }
    all
}

fn attributes(list: &[(String, String)]) -> String {
    let list: Vec<String> = list.iter().map(|(key, value)| format!("{key}={}", quoted(&[value]))).collect();
    list.join(", ")
}

/// A quoted string of several lines.
fn quoted(lines: &[&str]) -> String {
    let escaped: Vec<String> = lines
        .iter()
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        .collect();
    format!("\"{}\"", escaped.join("\\n"))
}
