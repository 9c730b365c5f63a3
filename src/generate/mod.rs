//! Tests from cycles.
//!
//! A cycle of accesses (`PodWW Rfe PodRR Fre`) is a test: the accesses of one thread are those between two communications with others, the
//! condition asks for the values that the cycle needs, and a model forbids the outcome if it forbids the cycle. [`cycles`] lists all
//! cycles of a size over a [`Vocabulary`], each once however it is turned; [`Cycle::test`] writes one as a test.

mod code;
mod cycle;
mod dialect;
mod edge;
mod layout;
mod shape;
#[cfg(test)]
mod tests;

pub use cycle::{Cycle, Step, cycles};
pub use dialect::{Dialect, Fence, Vocabulary, Words};
pub use edge::{Com, Dir, Edge, How};

/// A test written from a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its name.
    pub name: String,
    /// Its text, as a file has it.
    pub text: String,
}

impl Cycle {
    /// Its edges, as people write them.
    pub fn text(&self, dialect: Dialect) -> String {
        let fences: Vec<&str> = dialect.fences().iter().map(|fence| fence.name).collect();
        let edges: Vec<String> = self
            .steps
            .iter()
            .map(|step| {
                let annotations = dialect.annotations(step.edge.ends().0);
                let annotation = annotations.get(usize::from(step.annotation)).copied().unwrap_or_default();
                let edge = step.edge.text(&fences, dialect.branch_fence());
                if annotation.is_empty() { edge } else { format!("{annotation} {edge}") }
            })
            .collect();
        edges.join(" ")
    }

    /// The test that asks for this cycle. `None`: a thread needs more registers than there are.
    pub fn test(&self, dialect: Dialect) -> Option<Generated> {
        let layout = layout::layout(self);
        let name = shape::test_name(&layout, dialect);
        let text = code::test(&layout, dialect, &name, &self.text(dialect))?;
        Some(Generated { name, text })
    }
}
