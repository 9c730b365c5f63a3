//! A picture that needs no other program.

use petgraph::graph::NodeIndex;

use super::route::{Layout, Point, Route, layout};
use super::{Edge, Graph};

/// The picture as an SVG document.
pub fn svg(graph: &Graph) -> String {
    Drawing { graph, layout: layout(graph) }.draw()
}

struct Drawing<'g> {
    graph: &'g Graph,
    layout: Layout,
}

impl Drawing<'_> {
    fn draw(&self) -> String {
        let lines = self.lines();
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64;
        let width = self.layout.width.max(longest * 6.9 + 48.0);
        let under = self.layout.height + 30.0;
        let height = under + 18.0 * lines.len() as f64;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            escaped(&self.graph.title)
        );
        out += &self.markers();
        for (thread, (frame, name)) in self.layout.threads.iter().enumerate() {
            out += &format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" fill=\"#f7f7f7\" \
                 stroke=\"#cccccc\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">{}</text>\n",
                frame.x,
                frame.y,
                frame.w,
                frame.h,
                name.x + name.w / 2.0,
                name.y + 11.0,
                self.graph.heading(thread)
            );
        }
        // What is highlighted lies on top.
        let routes = || self.layout.routes.iter();
        let bold = |route: &&Route| self.edge(route).bold;
        for route in routes().filter(|route| !bold(route)).chain(routes().filter(bold)) {
            out += &self.line(route);
        }
        for id in self.graph.graph.node_indices() {
            out += &self.node(id);
        }
        for route in routes() {
            out += &self.label(route);
        }
        for (number, line) in lines.iter().enumerate() {
            let weight = if number == 0 { " font-weight=\"bold\"" } else { "" };
            let y = under + 18.0 * number as f64;
            out += &format!("<text x=\"24\" y=\"{y:.1}\"{weight}>{}</text>\n", escaped(line));
        }
        out + "</svg>\n"
    }

    /// What stands below the picture.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.graph.title.clone(), self.graph.state.trim().to_string()];
        lines.extend(self.graph.remark.clone());
        lines.retain(|line| !line.is_empty());
        lines
    }

    fn edge(&self, route: &Route) -> &Edge {
        &self.graph.graph[route.edge]
    }

    /// Where some edges are highlighted, the others stand back.
    fn faint(&self, edge: &Edge) -> &'static str {
        let any = self.graph.graph.edge_weights().any(|edge| edge.bold);
        if any && !edge.bold { " opacity=\"0.35\"" } else { "" }
    }

    fn markers(&self) -> String {
        let mut colors: Vec<&str> = self.graph.graph.edge_weights().map(|edge| edge.color).collect();
        colors.sort_unstable();
        colors.dedup();
        let marker = |color: &&str| {
            format!(
                "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" \
                 markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path d=\"M0,0 L8,4 L0,8 z\" \
                 fill=\"{color}\"/></marker>\n",
                marker_id(color)
            )
        };
        format!("<defs>\n{}</defs>\n", colors.iter().map(marker).collect::<String>())
    }

    fn node(&self, id: NodeIndex) -> String {
        let node = &self.graph.graph[id];
        let rect = self.layout.boxes[id.index()];
        let middle = rect.x + rect.w / 2.0;
        let centre = rect.y + rect.h / 2.0;
        let event = escaped(&format!("{}: {}", node.letter, node.action));
        let mut out = format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" fill=\"white\" \
             stroke=\"black\"/>\n",
            rect.x, rect.y, rect.w, rect.h
        );
        if node.code.is_empty() {
            out += &format!(
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{event}</text>\n",
                centre + 4.0
            );
        } else {
            out += &format!(
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{event}</text>\n<text x=\"{middle:.1}\" \
                 y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#555555\">{}</text>\n",
                centre - 3.0,
                centre + 12.0,
                escaped(&node.code)
            );
        }
        out
    }

    fn line(&self, route: &Route) -> String {
        let edge = self.edge(route);
        let marker = match edge.symmetric {
            true => String::new(),
            false => format!(" marker-end=\"url(#{})\"", marker_id(edge.color)),
        };
        format!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{marker}{}/>\n",
            rounded(&route.points),
            edge.color,
            if edge.bold { "2.8" } else { "1.4" },
            self.faint(edge)
        )
    }

    fn label(&self, route: &Route) -> String {
        let edge = self.edge(route);
        format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\" text-anchor=\"middle\" font-size=\"11\" paint-order=\"stroke\" \
             stroke=\"white\" stroke-width=\"3\"{}{}>{}</text>\n",
            route.label.x + route.label.w / 2.0,
            route.label.y + 10.0,
            edge.color,
            if edge.bold { " font-weight=\"bold\"" } else { "" },
            self.faint(edge),
            escaped(&edge.name)
        )
    }
}

/// A line with its corners rounded off.
pub(super) fn rounded(points: &[Point]) -> String {
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{:.1},{:.1}", first.0, first.1);
    let mut before = *first;
    for (index, point) in rest.iter().enumerate() {
        let Some(after) = rest.get(index + 1) else {
            path += &format!(" L{:.1},{:.1}", point.0, point.1);
            break;
        };
        let (start, end) = (towards(*point, before), towards(*point, *after));
        path += &format!(
            " L{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}",
            start.0, start.1, point.0, point.1, end.0, end.1
        );
        before = *point;
    }
    path
}

/// A point a little way off a corner.
fn towards(corner: Point, other: Point) -> Point {
    let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length == 0.0 {
        return corner;
    }
    let share = (6.0_f64.min(length / 2.0)) / length;
    (corner.0 + dx * share, corner.1 + dy * share)
}

fn marker_id(color: &str) -> String {
    format!("arrow-{}", color.trim_start_matches('#'))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
