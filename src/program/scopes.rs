//! Which threads share what: the scopes of a GPU, the levels of a machine.

/// A node of a scope tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeTree {
    /// The scope's name.
    pub name: String,
    /// Subtrees.
    pub children: Vec<ScopeTree>,
    /// Threads directly in it.
    pub threads: Vec<usize>,
}
