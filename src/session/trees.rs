//! The scope and level trees of a test, held against the bell file and completed by it.
//!
//! A test may leave out scopes between those it names, and below: with `'wi` in `'wg` in `'dev`, the tree `(dev 0 1)` has each thread in a `wg`
//! and a `wi` of its own.

use crate::cat::lower::Bell;
use crate::diag::{Diagnostic, Diagnostics, nearest};
use crate::litmus::{Lowered, Test};
use crate::program::ScopeTree;

/// Checks the trees and regions of a test and completes them. `None`: something is wrong, and that has been reported.
pub(super) fn complete(
    lowered: &mut Lowered,
    test: &Test,
    bell: &Bell,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let done = scopes(&test.scopes, bell).and_then(|mut trees| {
        for tree in &test.levels {
            check_levels(tree, bell.tags_of("levels"))?;
            levels(tree, &mut trees);
        }
        regions(test, bell)?;
        Ok(trees)
    });
    for (kind, trees) in [("scopes", &test.scopes), ("levels", &test.levels)] {
        if trees.is_empty() && !bell.tags_of(kind).is_empty() {
            diagnostics.warn(
                Diagnostic::warning(
                    "bell::no-tree",
                    format!("the bell file declares {kind}, but the test has none"),
                )
                .note(format!(
                    "their relations are empty; a line `{kind}: (…)` after the program gives them"
                )),
            );
        }
    }
    match done {
        Ok(trees) => lowered.scopes = trees,
        Err(diagnostic) => {
            diagnostics.error(diagnostic.at(test.extras, "the bell file does not allow this"));
            return None;
        }
    }
    Some(())
}

fn error(message: String) -> Diagnostic {
    Diagnostic::error("bell::tree", message)
}

/// A tag that the bell file must declare.
fn declared(kind: &str, tag: &str, bell: &Bell) -> Result<(), Diagnostic> {
    let tags = bell.tags_of(kind);
    if tags.iter().any(|known| known == tag) {
        return Ok(());
    }
    let diagnostic = error(format!("the bell file declares no `{tag}` among its {kind}"));
    Err(match nearest(tag, tags.iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if tags.is_empty() => diagnostic.help(format!("`enum {kind} = …` declares them")),
        None => diagnostic.note(format!("there are {}", tags.join(", "))),
    })
}

fn regions(test: &Test, bell: &Bell) -> Result<(), Diagnostic> {
    test.regions.iter().try_for_each(|(_, region)| declared("regions", region, bell))
}

/// The scope trees as one, from the widest scope to the narrowest.
fn scopes(trees: &[ScopeTree], bell: &Bell) -> Result<Vec<ScopeTree>, Diagnostic> {
    let all = trees.iter().flat_map(names);
    all.into_iter().try_for_each(|name| declared("scopes", &name, bell))?;
    if trees.is_empty() || bell.narrower.is_empty() {
        return Ok(trees.to_vec());
    }
    let is_root = |scope: &&String| bell.narrower.iter().all(|(_, narrow)| narrow != *scope);
    let scopes = bell.tags_of("scopes");
    let mut roots = scopes.iter().filter(is_root);
    let (Some(root), None) = (roots.next(), roots.next()) else {
        return Err(error("the scopes of the bell file have no single widest one".to_string()));
    };
    let expand = Expand { bell };
    let tree = match trees {
        [tree] if tree.name == *root => expand.inside(tree)?,
        several => node(
            root,
            several.iter().map(|tree| expand.below(root, tree)).collect::<Result<_, _>>()?,
            Vec::new(),
        ),
    };
    Ok(vec![tree])
}

fn names(tree: &ScopeTree) -> Vec<String> {
    let inner = tree.children.iter().flat_map(names);
    std::iter::once(tree.name.clone()).chain(inner).collect()
}

fn node(name: &str, children: Vec<ScopeTree>, threads: Vec<usize>) -> ScopeTree {
    ScopeTree { name: name.to_string(), children, threads }
}

struct Expand<'a> {
    bell: &'a Bell,
}

impl Expand<'_> {
    /// A tree with all that belongs inside it.
    fn inside(&self, tree: &ScopeTree) -> Result<ScopeTree, Diagnostic> {
        if !tree.children.is_empty() {
            let children = tree.children.iter().map(|child| self.below(&tree.name, child));
            return Ok(node(&tree.name, children.collect::<Result<_, _>>()?, tree.threads.clone()));
        }
        let path = self.to_leaf(&tree.name)?;
        if path.is_empty() {
            return Ok(tree.clone());
        }
        // Each thread is in narrower scopes of its own.
        let own = |thread: &usize| {
            let mut inner: Option<ScopeTree> = None;
            for scope in path.iter().rev() {
                let threads = if inner.is_none() { vec![*thread] } else { Vec::new() };
                inner = Some(node(scope, inner.into_iter().collect(), threads));
            }
            inner
        };
        Ok(node(&tree.name, tree.threads.iter().filter_map(own).collect(), Vec::new()))
    }

    /// A tree as a child of a node of scope `outer`, with the scopes between.
    fn below(&self, outer: &str, tree: &ScopeTree) -> Result<ScopeTree, Diagnostic> {
        let mut result = self.inside(tree)?;
        let mut scope = self.wider(&tree.name);
        while let Some(wider) = scope {
            if wider == outer {
                return Ok(result);
            }
            result = node(wider, vec![result], Vec::new());
            scope = self.wider(wider);
        }
        Err(error(format!("the scope `{}` of the test stands in `{outer}`, which is not wider", tree.name)))
    }

    fn wider(&self, scope: &str) -> Option<&str> {
        self.bell.narrower.iter().find(|(_, narrow)| narrow == scope).map(|(wide, _)| wide.as_str())
    }

    /// The scopes below one, down to the narrowest.
    fn to_leaf(&self, scope: &str) -> Result<Vec<String>, Diagnostic> {
        let mut path: Vec<String> = Vec::new();
        loop {
            let from = path.last().map_or(scope, String::as_str);
            let mut next = self.bell.narrower.iter().filter(|(wide, _)| wide == from).map(|(_, n)| n);
            match (next.next(), next.next()) {
                (None, _) => return Ok(path),
                (Some(narrow), None) if path.len() < self.bell.narrower.len() => path.push(narrow.clone()),
                _ => {
                    return Err(error(format!("no single narrowest scope is below `{scope}`")));
                }
            }
        }
    }
}

/// Levels are declared from the lowest to the highest; the tree starts with the highest.
fn check_levels(tree: &ScopeTree, levels: &[String]) -> Result<(), Diagnostic> {
    let Some((level, lower)) = levels.split_last() else {
        return Err(error(format!("there is no level below the one that `{}` is in", tree.name)));
    };
    if tree.name != *level {
        return Err(error(format!("the level `{}` stands where `{level}` should", tree.name)));
    }
    tree.children.iter().try_for_each(|child| check_levels(child, lower))
}

/// Each node by itself, under its name; and with the threads of its children, as `next-level`.
fn levels(tree: &ScopeTree, trees: &mut Vec<ScopeTree>) {
    trees.push(node(&tree.name, Vec::new(), tree.threads.clone()));
    let children = tree.children.iter().map(|child| node("", Vec::new(), child.threads.clone()));
    trees.push(node(crate::execution::NEXT_LEVEL, children.collect(), tree.threads.clone()));
    tree.children.iter().for_each(|child| levels(child, trees));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bell() -> Bell {
        let tags = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        Bell {
            enums: vec![
                ("scopes".to_string(), tags(&["wi", "wg", "dev"])),
                ("levels".to_string(), tags(&["L1", "L2"])),
            ],
            narrower: vec![pair("dev", "wg"), pair("wg", "wi")],
            ..Bell::default()
        }
    }

    fn text(tree: &ScopeTree) -> String {
        let children = tree.children.iter().map(text);
        let threads = tree.threads.iter().map(ToString::to_string);
        let parts: Vec<String> = std::iter::once(tree.name.clone()).chain(threads).chain(children).collect();
        format!("({})", parts.join(" "))
    }

    fn completed(trees: &[ScopeTree]) -> String {
        match scopes(trees, &bell()) {
            Ok(trees) => trees.iter().map(text).collect(),
            Err(diagnostic) => diagnostic.message,
        }
    }

    #[test]
    fn scopes_that_are_left_out() {
        let leaf = |name: &str, threads: &[usize]| node(name, Vec::new(), threads.to_vec());
        assert_eq!(completed(&[leaf("dev", &[0, 1])]), "(dev (wg (wi 0)) (wg (wi 1)))");
        assert_eq!(completed(&[leaf("wg", &[0, 1])]), "(dev (wg (wi 0) (wi 1)))");
        assert_eq!(completed(&[leaf("wi", &[0]), leaf("wg", &[1])]), "(dev (wg (wi 0)) (wg (wi 1)))");
        let deep = node("dev", vec![leaf("wi", &[0, 1])], Vec::new());
        assert_eq!(completed(&[deep]), "(dev (wg (wi 0 1)))");
        let upside = node("wi", vec![leaf("wg", &[0])], Vec::new());
        assert_eq!(completed(&[upside]), "the scope `wg` of the test stands in `wi`, which is not wider");
        assert_eq!(completed(&[leaf("wq", &[0])]), "the bell file declares no `wq` among its scopes");
        assert_eq!(completed(&[]), "");
    }

    #[test]
    fn levels_and_the_next_one() {
        let leaf = |threads: &[usize]| node("L1", Vec::new(), threads.to_vec());
        let tree = node("L2", vec![leaf(&[1]), leaf(&[2])], vec![0]);
        let mut trees = Vec::new();
        levels(&tree, &mut trees);
        let shown: Vec<String> = trees.iter().map(text).collect();
        assert_eq!(
            shown,
            ["(L2 0)", "(next-level 0 ( 1) ( 2))", "(L1 1)", "(next-level 1)", "(L1 2)", "(next-level 2)"]
        );
        assert!(check_levels(&tree, bell().tags_of("levels")).is_ok());
        let wrong = check_levels(&leaf(&[0]), bell().tags_of("levels")).map_err(|d| d.message);
        assert_eq!(wrong, Err("the level `L1` stands where `L2` should".to_string()));
    }
}
