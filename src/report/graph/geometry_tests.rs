//! Pictures by geometry: no edge runs behind a box that it does not belong to, no two labels overlap, no label lies on a box, every edge ends
//! at its boxes, and everything is inside the picture.

use std::path::{Path, PathBuf};

use super::route::{Layout, Point, Rect, layout};
use super::{Graph, Style};
use crate::explore::{Request, Show};
use crate::session::{Input, Session, Settings};

/// What is wrong with a picture.
fn faults(graph: &Graph) -> Vec<String> {
    let Layout { boxes, routes, threads, width, height } = layout(graph);
    let mut faults = Vec::new();
    let name =
        |node: usize| graph.graph.node_weights().nth(node).map(|n| n.letter.clone()).unwrap_or_default();
    let drawn = graph
        .graph
        .edge_indices()
        .filter(|edge| graph.graph.edge_endpoints(*edge).is_some_and(|(a, b)| a != b));
    if routes.len() != drawn.count() {
        faults.push("an edge is not drawn".to_string());
    }
    for route in &routes {
        let Some((from, to)) = graph.graph.edge_endpoints(route.edge) else { continue };
        let what = format!("{} {} -> {}", graph.graph[route.edge].name, name(from.index()), name(to.index()));
        for (node, rect) in boxes.iter().enumerate() {
            if route.points.windows(2).any(|line| rect.crossed_by(line[0], line[1])) {
                faults.push(format!("{what} runs behind {}", name(node)));
            }
            if rect.overlaps(&route.label) {
                faults.push(format!("the label of {what} lies on {}", name(node)));
            }
        }
        let ends = [(route.points.first(), from), (route.points.last(), to)];
        for (end, node) in ends {
            if !end.is_some_and(|end| on_border(boxes[node.index()], *end)) {
                faults.push(format!("{what} does not end at {}", name(node.index())));
            }
        }
        let inside = |(x, y): &Point| *x >= 0.0 && *x <= width && *y >= 0.0 && *y <= height + 1.0;
        let corner = (route.label.x + route.label.w, route.label.y + route.label.h);
        if !route.points.iter().chain([&(route.label.x, route.label.y), &corner]).all(inside) {
            faults.push(format!("{what} is clipped"));
        }
    }
    for (index, route) in routes.iter().enumerate() {
        if routes[index + 1..].iter().any(|other| other.label.overlaps(&route.label)) {
            faults.push(format!("two labels overlap: {}", graph.graph[route.edge].name));
        }
        if threads.iter().any(|(_, name)| name.overlaps(&route.label)) {
            faults.push(format!("a label lies on the name of a thread: {}", graph.graph[route.edge].name));
        }
    }
    faults
}

fn on_border(rect: Rect, (x, y): Point) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 0.6;
    let across = x >= rect.x - 0.6 && x <= rect.x + rect.w + 0.6;
    let along = y >= rect.y - 0.6 && y <= rect.y + rect.h + 0.6;
    (across && (near(y, rect.y) || near(y, rect.y + rect.h)))
        || (along && (near(x, rect.x) || near(x, rect.x + rect.w)))
}

/// The pictures of a test: those of up to four executions, with everything that a model shows, and some relations more.
fn pictures(file: &Path, model: Option<&str>, include: &[PathBuf], draw: &[&str]) -> Vec<Graph> {
    let names: Vec<String> = draw.iter().map(|name| (*name).to_string()).collect();
    let mut settings = Settings {
        shown: Some(Request { show: Show::All, limit: Some(4), names: names.clone() }),
        include: include.to_vec(),
        ..Settings::default()
    };
    settings.explore.max_executions = Some(50);
    let session = Session::new(settings);
    let report = session.run(&Input::File(file.to_path_buf()), model);
    let Some(answer) = &report.answer else { return Vec::new() };
    let style = Style { names, ..Style::default() };
    report.executions.iter().map(|execution| Graph::new(execution, &answer.test, "m", &style)).collect()
}

fn tests_of(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "litmus"));
    files.sort();
    files
}

fn judge(files: &[PathBuf], model: Option<&str>, include: &[PathBuf], draw: &[&str]) -> usize {
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for file in files {
        for graph in pictures(file, model, include, draw) {
            looked_at += 1;
            if graph.threads <= 4 {
                wrong.extend(faults(&graph).into_iter().map(|fault| format!("{}: {fault}", file.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    looked_at
}

#[test]
fn nothing_runs_behind_a_box_and_no_labels_overlap() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let files = tests_of(&folder);
    assert!(judge(&files, None, &[], &[]) > 50);
    let arm: Vec<PathBuf> =
        files.into_iter().filter(|file| file.to_string_lossy().ends_with("-aarch64.litmus")).collect();
    assert!(judge(&arm, None, &[], &["lob", "dob", "bob", "addr"]) > 10);
}

/// Every shape of the corpus: `LITMUS_PICTURES=all`; otherwise a sample.
#[test]
fn pictures_of_the_corpus_by_geometry() {
    let corpus = std::env::var_os("LITMUS_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from);
    if !corpus.is_dir() {
        println!("skipped: no corpus at {}", corpus.display());
        return;
    }
    let all = std::env::var("LITMUS_PICTURES").is_ok_and(|what| what == "all");
    let include = [corpus.join("cat/herd")];
    let mut looked_at = 0;
    for (suite, model) in [
        ("x86", "x86tso.cat"),
        ("ppc", "ppc.cat"),
        ("riscv", "riscv.cat"),
        ("aarch64", "aarch64.cat"),
        ("arm", "arm.cat"),
        ("c11", "rc11.cat"),
        ("lkmm", "lkmm"),
    ] {
        let files = tests_of(&corpus.join(suite).join("tests"));
        let step = if all { 1 } else { files.len().div_ceil(6).max(1) };
        let files: Vec<PathBuf> = files.into_iter().step_by(step).collect();
        looked_at += judge(&files, Some(model), &include, &["lob", "hb", "prop"]);
    }
    println!("{looked_at} pictures");
}
