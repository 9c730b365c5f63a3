//! What a search did, for `--stats`.

use super::Checked;
use crate::report::several;

/// Graphs, reads given a later write, what was refuted and by which check; empty where no search came to its end.
pub fn work(checked: &Checked) -> String {
    let Some(work) = checked.answer.as_ref().and_then(|answer| answer.work.as_ref()) else {
        return String::new();
    };
    let rate = if checked.seconds > 0.0 { work.steps as f64 / checked.seconds } else { 0.0 };
    let mut text = format!(
        "{}: {} in {:.4} s ({rate:.0}/s)\n",
        checked.file,
        several(work.steps, "graph"),
        checked.seconds
    );
    let mut line = |count: u64, what: &str| {
        if count > 0 {
            text += &format!("  {count:>10} {what}\n");
        }
    };
    line(work.checked, "graphs that were checked, the others follow from these");
    line(work.revisits, "reads given a write that came later");
    let mut refuted: Vec<(&String, &u64)> = work.pruned.iter().collect();
    refuted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (check, count) in refuted {
        line(*count, &format!("branches refuted by {check}"));
    }
    if let Some(work) = checked.answer.as_ref().and_then(|answer| answer.with_holes.as_ref()) {
        line(work.steps, "graphs with holes, besides, for executions with a cycle of program order and `rf`");
        line(work.revisits, "reads in these given a write that came later");
        line(work.complete, "executions found in this way");
        line(work.astray, "graphs in which something hung on what it was not known to hang on");
    }
    text
}
