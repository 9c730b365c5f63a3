//! What is odd about a model, though it is not wrong.

use std::collections::BTreeSet;

use super::{CheckedModel, Settings, check_model};
use crate::arch::ArchId;
use crate::cat::load::LIBRARY;
use crate::cat::{ast, lint};
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::{Expr, FixId};
use crate::source::SourceId;

/// Looks at a model for an architecture, or for the one that its header names. What is found is among the diagnostics, as warnings.
pub fn lint_model(settings: &Settings, name: &str, arch: Option<ArchId>) -> CheckedModel {
    let mut checked = check_model(settings, name, arch, false);
    let Some(model) = &checked.model else { return checked };
    // Of the library, the parts that models share are nobody's to mend here.
    let own = |file: &str| !file.starts_with(LIBRARY) || !name.contains('/');
    let shared = ["stdlib.cat", "cos.cat", "cross.cat", "full-fences.cat", "fences.cat"];
    let mut quiet = Diagnostics::new();
    let mut files: Vec<ast::File> = Vec::new();
    for number in 0..checked.sources.len() {
        let id = SourceId(number as u32);
        let file = &checked.sources.get(id).name;
        let part = shared.iter().any(|shared| file.ends_with(shared));
        if file.ends_with(".cat") && own(file) && !part {
            files.extend(crate::cat::parse(&checked.sources, id, &mut quiet));
        }
    }
    let files: Vec<&ast::File> = files.iter().collect();
    let mut found = lint::unused(&files);
    found.extend(lint::misread(&files, &checked.sources));

    // What hangs on a variant is empty without it, on purpose.
    let fixed = |file: &&&ast::File| !checked.sources.get(file.source).text.contains("if \"");
    let spans: BTreeSet<SourceId> = files.iter().filter(fixed).map(|file| file.source).collect();
    for definition in model.definitions.iter().filter(|definition| spans.contains(&definition.span.source)) {
        if matches!(model.pool.expr(definition.expr), Expr::Empty(_)) {
            let on = checked.arch.map_or(String::new(), |arch| format!(" on {}", arch.name()));
            let message = format!("`{}` is always empty{on}", definition.name);
            found.push(Diagnostic::warning("lint::empty", message).at(definition.span, "defined here"));
        }
    }
    let mut seen = BTreeSet::new();
    for number in 0..model.pool.len() {
        let Expr::Fix(fix, ..) = model.pool.expr(crate::model::ExprId(number as u32)) else { continue };
        if seen.insert(*fix) && !model.pool.fix_is_monotone(*fix) {
            found.push(not_monotone(model, *fix));
        }
    }
    found.sort_by_key(|diagnostic| diagnostic.labels.first().map(|(span, _)| (span.source.0, span.start)));
    checked.diagnostics.extend(found);
    checked
}

fn not_monotone(model: &crate::model::Model, fix: FixId) -> Diagnostic {
    let group = model.pool.fix(fix);
    let message = format!("the recursive definition of `{}` is not monotone", group.names.join("`, `"));
    let diagnostic = Diagnostic::warning("lint::monotone", message).note(
        "more in one round may mean less in the next: it has no least solution, and is run as it stands",
    );
    match group.span {
        Some(span) => diagnostic.at(span, "defined here"),
        None => diagnostic,
    }
}
