//! A picture that needs no other program: a column per thread, edges as arcs.

use petgraph::graph::NodeIndex;

use super::Graph;

const ROW: f64 = 78.0;
const HEIGHT: f64 = 38.0;
const GAP: f64 = 110.0;
const MARGIN: f64 = 24.0;
const CHARACTER: f64 = 6.9;

/// The picture as an SVG document.
pub fn svg(graph: &Graph) -> String {
    Drawing::new(graph).draw()
}

/// Where everything stands.
struct Drawing<'g> {
    graph: &'g Graph,
    /// Left edge and width of each column.
    columns: Vec<(f64, f64)>,
    /// Where the threads start.
    top: f64,
    width: f64,
    height: f64,
}

impl<'g> Drawing<'g> {
    fn new(graph: &'g Graph) -> Drawing<'g> {
        let mut x = MARGIN + 20.0;
        let mut columns = Vec::new();
        let mut rows = 0;
        for thread in 0..graph.threads {
            let mut widest = 60.0_f64;
            for (_, node) in graph.thread(thread) {
                let event = format!("{}: {}", node.letter, node.action);
                let characters = event.chars().count().max(node.code.chars().count());
                widest = widest.max(characters as f64 * CHARACTER + 16.0);
                rows = rows.max(node.row + 1);
            }
            columns.push((x, widest));
            x += widest + GAP;
        }
        let top = MARGIN + if graph.init().is_some() { 110.0 } else { 40.0 };
        let title = graph.title.chars().count().max(graph.state.chars().count()) as f64 * CHARACTER;
        let width = (x - GAP + MARGIN + 40.0).max(title + 2.0 * MARGIN);
        Drawing { graph, columns, top, width, height: top + rows as f64 * ROW + 60.0 }
    }

    /// The box of a node: left, top, width.
    fn place(&self, id: NodeIndex) -> (f64, f64, f64) {
        let node = &self.graph.graph[id];
        match node.thread {
            Some(thread) => {
                let (x, width) = self.columns[thread];
                (x, self.top + node.row as f64 * ROW, width)
            }
            None => {
                let width = (node.action.chars().count() + 6) as f64 * CHARACTER + 16.0;
                let last = self.columns.last().map_or(self.width, |(x, w)| x + w);
                (((MARGIN + 20.0 + last - width) / 2.0).max(MARGIN), MARGIN, width)
            }
        }
    }

    fn draw(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            escaped(&self.graph.title)
        );
        out += &self.markers();
        for (thread, (x, w)) in self.columns.iter().enumerate() {
            let rows = self.graph.thread(thread).count().max(1) as f64;
            let (left, top) = (x - 14.0, self.top - 30.0);
            out += &format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" fill=\"#f7f7f7\" \
                 stroke=\"#cccccc\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">Thread \
                 {thread}</text>\n",
                w + 28.0,
                rows * ROW - (ROW - HEIGHT) + 42.0,
                x + w / 2.0,
                self.top - 13.0
            );
        }
        for edge in self.graph.graph.edge_indices() {
            let Some((from, to)) = self.graph.graph.edge_endpoints(edge) else { continue };
            let parallel = self
                .graph
                .graph
                .edges_connecting(from, to)
                .chain(self.graph.graph.edges_connecting(to, from))
                .filter(|other| other.weight().name != "po" && petgraph::visit::EdgeRef::id(other) < edge)
                .count();
            out += &self.edge(from, to, &self.graph.graph[edge], parallel);
        }
        for id in self.graph.graph.node_indices() {
            out += &self.node(id);
        }
        let under = self.height - 34.0;
        out += &format!(
            "<text x=\"{MARGIN}\" y=\"{under:.1}\" font-weight=\"bold\">{}</text>\n<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n\
             </svg>\n",
            escaped(&self.graph.title),
            under + 18.0,
            escaped(self.graph.state.trim())
        );
        out
    }

    fn markers(&self) -> String {
        let mut colors: Vec<&str> = self.graph.graph.edge_weights().map(|edge| edge.color).collect();
        colors.sort_unstable();
        colors.dedup();
        let marker = |color: &&str| {
            format!(
                "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
                 orient=\"auto-start-reverse\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"{color}\"/></marker>\n",
                marker_id(color)
            )
        };
        format!("<defs>\n{}</defs>\n", colors.iter().map(marker).collect::<String>())
    }

    fn node(&self, id: NodeIndex) -> String {
        let node = &self.graph.graph[id];
        let (x, y, w) = self.place(id);
        let middle = x + w / 2.0;
        let event = escaped(&format!("{}: {}", node.letter, node.action));
        let mut out = format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{HEIGHT}\" rx=\"4\" fill=\"white\" \
             stroke=\"black\"/>\n"
        );
        if node.code.is_empty() {
            out += &format!(
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{event}</text>\n",
                y + 23.0
            );
        } else {
            out += &format!(
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{event}</text>\n<text x=\"{middle:.1}\" \
                 y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#555555\">{}</text>\n",
                y + 16.0,
                y + 31.0,
                escaped(&node.code)
            );
        }
        out
    }

    /// An edge: straight down between neighbours of a thread, an arc beside its column, a curve across columns.
    fn edge(&self, from: NodeIndex, to: NodeIndex, edge: &super::Edge, parallel: usize) -> String {
        let (x1, y1, w1) = self.place(from);
        let (x2, y2, w2) = self.place(to);
        let (source, target) = (&self.graph.graph[from], &self.graph.graph[to]);
        let apart = parallel as f64 * 22.0;
        let middle = HEIGHT / 2.0;
        let (path, label) = if source.thread.is_none() {
            let (a, b) = ((x1 + w1 / 2.0, y1 + HEIGHT), (x2 + w2 * 0.5, y2));
            if target.row == 0 {
                let c = (b.0, (a.1 + b.1) / 2.0 - 10.0);
                (curve(a, (a.0, c.1), c, b), (b.0 * 0.7 + a.0 * 0.3, c.1 + 4.0))
            } else {
                // Beside the column, not through the boxes above.
                let side = if b.0 < a.0 { x2 } else { x2 + w2 };
                let out = if b.0 < a.0 { -26.0 } else { 26.0 };
                let end = (side, y2 + middle);
                let c = (side + out * 1.6, y1 + HEIGHT);
                (curve(a, c, (side + out * 1.6, end.1 - 30.0), end), (side + out, end.1 - 34.0))
            }
        } else if source.thread == target.thread {
            if target.row == source.row + 1 && edge.name == "po" {
                let x = x1 + w1 / 2.0;
                (
                    format!("M{x:.1},{:.1} L{x:.1},{y2:.1}", y1 + HEIGHT),
                    (x + 10.0, (y1 + HEIGHT + y2) / 2.0 + 4.0),
                )
            } else {
                // Left for what goes down, right for what goes up.
                let down = target.row > source.row;
                let side = if down { x1 } else { x1 + w1 };
                let out = (30.0 + apart) * if down { -1.0 } else { 1.0 };
                let (a, b) = ((side, y1 + middle), (side, y2 + middle));
                let top = (a.0 + out * 0.75, (a.1 + b.1) / 2.0);
                (curve(a, (side + out, a.1), (side + out, b.1), b), top)
            }
        } else {
            let right = x2 > x1;
            let a = (if right { x1 + w1 } else { x1 }, y1 + middle + apart / 2.0);
            let b = (if right { x2 } else { x2 + w2 }, y2 + middle + apart / 2.0);
            let bend = (b.0 - a.0) * 0.4;
            let level = if a.1 == b.1 { apart } else { 0.0 };
            let (mut c, mut d) = ((a.0 + bend, a.1 + level), (b.0 - bend, b.1 + level));
            if source.thread.zip(target.thread).is_some_and(|(s, t)| s.abs_diff(t) > 1) {
                // Below the events of the threads in between.
                let under = a.1.max(b.1) + ROW * 0.85 + apart;
                (c.1, d.1) = (under, under);
            }
            // Not in the middle, where edges cross.
            let t = 0.3;
            (curve(a, c, d, b), (at(a.0, c.0, d.0, b.0, t), at(a.1, c.1, d.1, b.1, t) - 5.0))
        };
        let marker = if edge.symmetric {
            String::new()
        } else {
            format!(" marker-end=\"url(#{})\"", marker_id(edge.color))
        };
        let color = edge.color;
        format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.4\"{marker}/>\n<text x=\"{:.1}\" y=\"{:.1}\" \
             fill=\"{color}\" text-anchor=\"middle\" font-size=\"11\" paint-order=\"stroke\" stroke=\"white\" \
             stroke-width=\"3\">{}</text>\n",
            label.0,
            label.1,
            escaped(&edge.name)
        )
    }
}

fn curve(a: (f64, f64), c: (f64, f64), d: (f64, f64), b: (f64, f64)) -> String {
    format!("M{:.1},{:.1} C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}", a.0, a.1, c.0, c.1, d.0, d.1, b.0, b.1)
}

/// A point of a cubic curve.
fn at(a: f64, c: f64, d: f64, b: f64, t: f64) -> f64 {
    let s = 1.0 - t;
    s * s * s * a + 3.0 * s * s * t * c + 3.0 * s * t * t * d + t * t * t * b
}

fn marker_id(color: &str) -> String {
    format!("arrow-{}", color.trim_start_matches('#'))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
