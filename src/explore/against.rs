//! Does another model accept an execution, too? What `litmus port` and `litmus robust` ask of every execution found.

use std::ops::ControlFlow;

use super::candidates::Candidate;
use super::naive::prepare;
use super::steps::{self, Ended};
use crate::diag::Diagnostic;
use crate::execution::{Names, OtherVerdict, View};
use crate::model::{Model, Plain};
use crate::relation::Rel;

/// Runs `model` over an execution of another one: the same sources and final writes, and, where both have one, the
/// same coherence order. Whatever else the model chooses (the order of SC operations, say) it may choose as it likes.
pub(super) fn judge(
    model: &Model,
    view: &View,
    candidate: &Candidate,
    co: Option<&Rel>,
) -> Result<OtherVerdict, Diagnostic> {
    let view = View { world: view.world, names: Names { registers_visible: model.catdep, ..view.names } };
    let plain = prepare(model, &Plain::new(model, &view), &view, candidate);
    let mut failed: Vec<String> = Vec::new();
    let mut accepted = false;
    let flow = steps::run(model, 0, plain, steps::Given { skip: &[], co }, &mut |ended| match ended {
        Ended::Accepted(..) => {
            accepted = true;
            ControlFlow::Break(())
        }
        Ended::Rejected(cause) => {
            let name = cause.to_string();
            if !failed.contains(&name) {
                failed.push(name);
            }
            ControlFlow::Continue(())
        }
    })?;
    debug_assert_eq!(flow.is_break(), accepted);
    Ok(if accepted { OtherVerdict::Accepted } else { OtherVerdict::Rejected(failed) })
}
