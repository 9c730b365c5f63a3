//! Where everything of a picture stands: boxes in columns, edges in the channels between them.
//!
//! A thread is a column, an event a row of it. Between the columns run vertical channels, between the rows horizontal ones; no box stands
//! in either. Every edge keeps to the channels, each on a track of its own, and a channel is as wide as its tracks need. So no edge
//! can run behind a box that it does not belong to. Labels are put beside their edges where nothing else stands.

use petgraph::graph::{EdgeIndex, NodeIndex};

use super::Graph;

const HEIGHT: f64 = 38.0;
const MARGIN: f64 = 24.0;
const CHARACTER: f64 = 6.9;
/// Width of a character of a label.
const SMALL: f64 = 6.4;
/// Distance between two tracks of a channel, and between two ends on a side of a box.
const TRACK: f64 = 14.0;
/// What an empty channel measures.
const GAP: f64 = 84.0;
const CORRIDOR: f64 = 40.0;

/// A point.
pub type Point = (f64, f64);

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    /// Do they have more than a border in common?
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.x + other.w
            && other.x < self.x + self.w
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }

    /// Does a straight line run through its inside?
    pub fn crossed_by(&self, a: Point, b: Point) -> bool {
        // Liang and Barsky, on a rectangle a little smaller: touching the border is no crossing.
        let (x0, x1, y0, y1) = (self.x + 0.5, self.x + self.w - 0.5, self.y + 0.5, self.y + self.h - 0.5);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (p, q) in [(-dx, a.0 - x0), (dx, x1 - a.0), (-dy, a.1 - y0), (dy, y1 - a.1)] {
            if p == 0.0 {
                if q < 0.0 {
                    return false;
                }
            } else if p < 0.0 {
                from = from.max(q / p);
            } else {
                to = to.min(q / p);
            }
        }
        from < to
    }
}

/// An edge with its way and the place of its label.
#[derive(Clone, Debug)]
pub struct Route {
    /// The edge.
    pub edge: EdgeIndex,
    /// Its corners, from the border of one box to that of the other.
    pub points: Vec<Point>,
    /// Where its label stands.
    pub label: Rect,
}

/// A picture laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The box of each node.
    pub boxes: Vec<Rect>,
    /// The frame of each thread, and the place of its name.
    pub threads: Vec<(Rect, Rect)>,
    /// The edges.
    pub routes: Vec<Route>,
    /// The size of the whole.
    pub width: f64,
    pub height: f64,
}

/// A side of a box.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// The way of an edge, before anything has a place.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Straight, between neighbours.
    Straight,
    /// Along one vertical channel.
    Channel(usize),
    /// Along two, and a horizontal one between them.
    Over(usize, usize, usize),
    /// From the initial writes: along the first horizontal channel, then a vertical one.
    FromTop(usize),
}

#[derive(Clone, Debug)]
struct Plan {
    edge: EdgeIndex,
    ends: [(NodeIndex, Side); 2],
    way: Way,
}

/// Lays a graph out.
pub fn layout(graph: &Graph) -> Layout {
    let plans = plans(graph);
    Placer::new(graph, &plans).place(&plans)
}

fn plans(graph: &Graph) -> Vec<Plan> {
    let mut corridors: Vec<usize> = Vec::new();
    let mut straight: Vec<(NodeIndex, NodeIndex)> = Vec::new();
    let mut plans = Vec::new();
    for edge in graph.graph.edge_indices() {
        let Some((from, to)) = graph.graph.edge_endpoints(edge) else { continue };
        if from == to {
            continue;
        }
        let (source, target) = (&graph.graph[from], &graph.graph[to]);
        let plan = match (source.thread, target.thread) {
            (None, Some(_)) if target.row == 0 => {
                Plan { edge, ends: [(from, Side::Bottom), (to, Side::Top)], way: Way::Straight }
            }
            (None, Some(thread)) => {
                let left = thread * 2 < graph.threads;
                let (side, gap) = if left { (Side::Left, thread) } else { (Side::Right, thread + 1) };
                Plan { edge, ends: [(from, Side::Bottom), (to, side)], way: Way::FromTop(gap) }
            }
            (Some(thread), None) => {
                // Nothing usual ends at the initial writes; what does goes up beside its column.
                let left = thread * 2 < graph.threads;
                let (side, gap) = if left { (Side::Left, thread) } else { (Side::Right, thread + 1) };
                Plan { edge, ends: [(from, side), (to, Side::Bottom)], way: Way::FromTop(gap) }
            }
            (Some(a), Some(b)) if a == b => {
                let neighbours = target.row == source.row + 1;
                if neighbours && !straight.contains(&(from, to)) && graph.graph[edge].name == "po" {
                    straight.push((from, to));
                    Plan { edge, ends: [(from, Side::Bottom), (to, Side::Top)], way: Way::Straight }
                } else {
                    // Left for what goes down, right for what goes up.
                    let down = target.row > source.row;
                    let (side, gap) = if down { (Side::Left, a) } else { (Side::Right, a + 1) };
                    Plan { edge, ends: [(from, side), (to, side)], way: Way::Channel(gap) }
                }
            }
            (Some(a), Some(b)) => {
                let (out, into) = if b > a { (Side::Right, Side::Left) } else { (Side::Left, Side::Right) };
                let ends = [(from, out), (to, into)];
                if a.abs_diff(b) == 1 {
                    Plan { edge, ends, way: Way::Straight }
                } else {
                    let (first, last) = if b > a { (a + 1, b) } else { (a, b + 1) };
                    let rows = 0..=graph.rows();
                    // The nearest horizontal channel, of two the one less used.
                    let far = |c: usize| {
                        let way = |row: usize| (2 * c).abs_diff(2 * row + 1);
                        way(source.row) + way(target.row)
                    };
                    let busy = |c: usize| corridors.iter().filter(|other| **other == c).count();
                    let corridor = rows.min_by_key(|c| (far(*c) + busy(*c), *c)).unwrap_or(0);
                    corridors.push(corridor);
                    Plan { edge, ends, way: Way::Over(first, corridor, last) }
                }
            }
            (None, None) => continue,
        };
        plans.push(plan);
    }
    plans
}

struct Placer<'g> {
    graph: &'g Graph,
    boxes: Vec<Rect>,
    /// Left edge and width of each vertical channel.
    gaps: Vec<(f64, f64)>,
    /// Upper edge and height of each horizontal channel.
    corridors: Vec<(f64, f64)>,
    columns: Vec<(f64, f64)>,
    height: f64,
    width: f64,
}

impl<'g> Placer<'g> {
    fn new(graph: &'g Graph, plans: &[Plan]) -> Placer<'g> {
        let rows = graph.rows();
        let on = |node: NodeIndex, side: Side| {
            plans.iter().flat_map(|plan| plan.ends).filter(|end| *end == (node, side)).count()
        };
        let tracks = |n: usize| n as f64 * TRACK;
        // Boxes as high as their ends need, rows as high as their boxes.
        let tall = |node: NodeIndex| {
            let ends = on(node, Side::Left).max(on(node, Side::Right));
            HEIGHT.max((ends + 1) as f64 * 10.0)
        };
        let mut row_heights = vec![HEIGHT; rows];
        for thread in 0..graph.threads {
            for (id, node) in graph.thread(thread) {
                row_heights[node.row] = row_heights[node.row].max(tall(id));
            }
        }
        let in_gap = |gap: usize| {
            plans.iter().filter(move |plan| match plan.way {
                Way::Channel(g) | Way::FromTop(g) => g == gap,
                Way::Over(a, _, b) => a == gap || b == gap,
                Way::Straight => false,
            })
        };
        let in_corridor = |corridor: usize| {
            plans.iter().filter(move |plan| match plan.way {
                Way::Over(_, c, _) => c == corridor,
                Way::FromTop(_) => corridor == 0,
                _ => false,
            })
        };
        let mut x = MARGIN;
        let mut gaps = Vec::new();
        let mut columns = Vec::new();
        for thread in 0..=graph.threads {
            let n = in_gap(thread).count();
            let outer = thread == 0 || thread == graph.threads;
            let least = match (outer, n) {
                (true, 0) => 20.0,
                (true, _) => 50.0,
                _ => GAP,
            };
            let width = least + tracks(n);
            gaps.push((x, width));
            x += width;
            if thread < graph.threads {
                let mut widest = 60.0_f64;
                for (id, node) in graph.thread(thread) {
                    let ends = on(id, Side::Top).max(on(id, Side::Bottom)) as f64;
                    widest = widest.max(text_width(node)).max((ends + 1.0) * 12.0);
                }
                columns.push((x, widest));
                x += widest;
            }
        }
        let init = graph.init().map(|(id, node)| {
            let ends = on(id, Side::Bottom) as f64;
            text_width(node).max((ends + 1.0) * 16.0)
        });
        let mut width = x + MARGIN;
        width = width.max(init.unwrap_or(0.0) + 2.0 * MARGIN);
        let above = if init.is_some() { MARGIN + HEIGHT } else { MARGIN };
        let mut corridors = Vec::new();
        let mut y = above;
        let mut tops = Vec::new();
        for row in 0..=rows {
            let n = in_corridor(row).count();
            let least = match row {
                0 if init.is_some() => 66.0,
                0 => 34.0,
                r if r == rows => 16.0,
                _ => CORRIDOR,
            };
            let height = least + tracks(n);
            corridors.push((y, height));
            y += height;
            if let Some(height) = row_heights.get(row) {
                tops.push(y);
                y += height;
            }
        }
        let middle =
            columns.first().zip(columns.last()).map_or(width / 2.0, |(a, b)| (a.0 + b.0 + b.1) / 2.0);
        let place = |id: NodeIndex| {
            let node = &graph.graph[id];
            match node.thread {
                Some(thread) => {
                    let (x, w) = columns[thread];
                    Rect { x, y: tops[node.row], w, h: tall(id) }
                }
                None => {
                    let w = init.unwrap_or(60.0);
                    let x = (middle - w / 2.0).clamp(MARGIN, (width - MARGIN - w).max(MARGIN));
                    Rect { x, y: MARGIN, w, h: HEIGHT }
                }
            }
        };
        let boxes = graph.graph.node_indices().map(place).collect();
        Placer { graph, boxes, gaps, corridors, columns, height: y, width }
    }

    fn place(self, plans: &[Plan]) -> Layout {
        let ends: Vec<[Point; 2]> = self.ends(plans);
        let lanes = self.lanes(plans, &ends);
        let ways =
            plans.iter().zip(&ends).zip(&lanes).map(|((plan, ends), lanes)| points(plan, *ends, lanes));
        let ways: Vec<Vec<Point>> = ways.collect();
        let threads: Vec<(Rect, Rect)> = (0..self.graph.threads).map(|thread| self.frame(thread)).collect();
        let mut taken: Vec<Rect> = self.boxes.clone();
        taken.extend(threads.iter().map(|(_, name)| *name));
        let mut routes = Vec::new();
        for (plan, points) in plans.iter().zip(ways.clone()) {
            let text = &self.graph.graph[plan.edge].name;
            let label = label(&points, text.chars().count() as f64 * SMALL + 4.0, &taken, &ways);
            taken.push(label);
            routes.push(Route { edge: plan.edge, points, label });
        }
        let right =
            routes.iter().map(|route| route.label.x + route.label.w).fold(self.width - MARGIN, f64::max);
        let low = routes.iter().map(|route| route.label.y + route.label.h).fold(self.height, f64::max);
        Layout { boxes: self.boxes, threads, routes, width: right + MARGIN, height: low }
    }

    /// Where edges leave and enter their boxes: spread over each side, in the order of where they come from.
    fn ends(&self, plans: &[Plan]) -> Vec<[Point; 2]> {
        let mut result = vec![[(0.0, 0.0); 2]; plans.len()];
        for id in self.graph.graph.node_indices() {
            for side in [Side::Left, Side::Right, Side::Top, Side::Bottom] {
                let mut here: Vec<(usize, usize)> = Vec::new();
                for (index, plan) in plans.iter().enumerate() {
                    for end in 0..2 {
                        if plan.ends[end] == (id, side) {
                            here.push((index, end));
                        }
                    }
                }
                let other = |(index, end): &(usize, usize)| {
                    let rect = self.boxes[plans[*index].ends[1 - end].0.index()];
                    let across = matches!(side, Side::Top | Side::Bottom);
                    let key = if across { rect.x + rect.w / 2.0 } else { rect.y + rect.h / 2.0 };
                    (key as i64, *index)
                };
                here.sort_by_key(other);
                let rect = self.boxes[id.index()];
                let n = here.len() as f64;
                for (position, (index, end)) in here.into_iter().enumerate() {
                    let share = (position as f64 + 1.0) / (n + 1.0);
                    result[index][end] = match side {
                        Side::Left => (rect.x, rect.y + rect.h * share),
                        Side::Right => (rect.x + rect.w, rect.y + rect.h * share),
                        Side::Top => (rect.x + rect.w * share, rect.y),
                        Side::Bottom => (rect.x + rect.w * share, rect.y + rect.h),
                    };
                }
            }
        }
        result
    }

    /// The tracks of each edge: across the first channel, the horizontal one, the last.
    fn lanes(&self, plans: &[Plan], ends: &[[Point; 2]]) -> Vec<[f64; 3]> {
        let mut lanes = vec![[0.0; 3]; plans.len()];
        for (gap, (x, width)) in self.gaps.iter().enumerate() {
            let mut here: Vec<(i64, usize, usize)> = Vec::new();
            for (index, plan) in plans.iter().enumerate() {
                let span = (ends[index][0].1 - ends[index][1].1).abs() as i64;
                match plan.way {
                    // Short ones next to their column.
                    Way::Channel(g) if g == gap => {
                        let left = plan.ends[0].1 == Side::Left;
                        here.push((if left { 1_000_000 - span } else { span - 1_000_000 }, index, 0));
                    }
                    Way::FromTop(g) if g == gap => {
                        let left = plan.ends.iter().any(|end| end.1 == Side::Left);
                        here.push((if left { 500_000 - span } else { span - 500_000 }, index, 0));
                    }
                    Way::Over(a, _, b) => {
                        if a == gap {
                            here.push((0, index, 0));
                        }
                        if b == gap {
                            here.push((0, index, 2));
                        }
                    }
                    _ => {}
                }
            }
            here.sort_unstable();
            let n = here.len() as f64;
            for (position, (_, index, which)) in here.into_iter().enumerate() {
                lanes[index][which] = x + width * (position as f64 + 1.0) / (n + 1.0);
            }
        }
        for (corridor, (y, height)) in self.corridors.iter().enumerate() {
            let here: Vec<usize> = (0..plans.len())
                .filter(|index| match plans[*index].way {
                    Way::Over(_, c, _) => c == corridor,
                    Way::FromTop(_) => corridor == 0,
                    _ => false,
                })
                .collect();
            let n = here.len() as f64;
            // The names of the threads stand in the lower part of the first one.
            let (y, height) = match corridor {
                0 => (*y, height - 30.0),
                _ => (*y, *height),
            };
            for (position, index) in here.into_iter().enumerate() {
                lanes[index][1] = y + height * (position as f64 + 1.0) / (n + 1.0);
            }
        }
        lanes
    }

    fn frame(&self, thread: usize) -> (Rect, Rect) {
        let (x, w) = self.columns[thread];
        let (first, height) = self.corridors[0];
        let top = first + height;
        let bottom = self
            .graph
            .thread(thread)
            .map(|(id, _)| self.boxes[id.index()].y + self.boxes[id.index()].h)
            .fold(top + HEIGHT, f64::max);
        let frame = Rect { x: x - 10.0, y: top - 28.0, w: w + 20.0, h: bottom - top + 38.0 };
        let name = self.graph.heading(thread).len() as f64 * CHARACTER;
        // Away from the middle of the picture, where arrows from the initial writes come from.
        let x = if thread * 2 < self.graph.threads { x } else { x + w - name };
        (frame, Rect { x, y: top - 24.0, w: name, h: 14.0 })
    }
}

/// The width that the text of a node needs.
fn text_width(node: &super::Node) -> f64 {
    let event = node.letter.chars().count() + node.action.chars().count() + 2;
    event.max(node.code.chars().count()) as f64 * CHARACTER + 16.0
}

fn points(plan: &Plan, [a, b]: [Point; 2], lanes: &[f64; 3]) -> Vec<Point> {
    match plan.way {
        Way::Straight => vec![a, b],
        Way::Channel(_) => vec![a, (lanes[0], a.1), (lanes[0], b.1), b],
        Way::Over(..) => {
            vec![a, (lanes[0], a.1), (lanes[0], lanes[1]), (lanes[2], lanes[1]), (lanes[2], b.1), b]
        }
        Way::FromTop(_) if plan.ends[0].1 == Side::Bottom => {
            vec![a, (a.0, lanes[1]), (lanes[0], lanes[1]), (lanes[0], b.1), b]
        }
        Way::FromTop(_) => vec![a, (lanes[0], a.1), (lanes[0], lanes[1]), (b.0, lanes[1]), b],
    }
}

/// A free place for a label beside a line, near its middle if that is free: clear of boxes and other labels, and of all lines if there is
/// such a place.
fn label(points: &[Point], width: f64, taken: &[Rect], ways: &[Vec<Point>]) -> Rect {
    let free =
        |rect: &Rect| rect.x >= 2.0 && rect.y >= 2.0 && !taken.iter().any(|other| other.overlaps(rect));
    let clear =
        |rect: &Rect| !ways.iter().any(|way| way.windows(2).any(|line| rect.crossed_by(line[0], line[1])));
    let near = places(points, width).take(NEAR * PLACES).find(|rect| free(rect) && clear(rect));
    let found = near.or_else(|| places(points, width).find(free));
    found.unwrap_or(Rect { x: 2.0, y: 2.0, w: width, h: LABEL })
}

/// How many distances from the line a label may have to be clear of other lines.
const NEAR: usize = 4;
/// How many places there are at each distance.
const PLACES: usize = 36;
/// The height of a label.
const LABEL: f64 = 13.0;

/// Places beside a line, the best first.
fn places(points: &[Point], width: f64) -> impl Iterator<Item = Rect> + '_ {
    const SHARES: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];
    let offsets = move |d: f64| {
        [(width / 2.0 + 3.0 + d, 0.0), (0.0, -8.0 - d), (-width / 2.0 - 3.0 - d, 0.0), (0.0, 8.0 + d)]
    };
    (0..60).flat_map(move |distance| {
        let d = f64::from(distance) * 5.0;
        SHARES.into_iter().flat_map(move |share| {
            let (x, y) = at(points, share);
            offsets(d).into_iter().map(move |(dx, dy)| Rect {
                x: x + dx - width / 2.0,
                y: y + dy - LABEL / 2.0,
                w: width,
                h: LABEL,
            })
        })
    })
}

/// The point after that share of a line's length.
fn at(points: &[Point], share: f64) -> Point {
    let length = |line: &[Point]| ((line[1].0 - line[0].0).powi(2) + (line[1].1 - line[0].1).powi(2)).sqrt();
    let mut left = points.windows(2).map(length).sum::<f64>() * share;
    for line in points.windows(2) {
        let own = length(line);
        if left <= own && own > 0.0 {
            let t = left / own;
            return (line[0].0 + (line[1].0 - line[0].0) * t, line[0].1 + (line[1].1 - line[0].1) * t);
        }
        left -= own;
    }
    points.last().copied().unwrap_or((0.0, 0.0))
}
