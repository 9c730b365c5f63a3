//! Models lowered and evaluated on a few events (CAT.md 8), and whole files of the corpus.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::cat::parse;
use crate::diag::{Color, Diagnostic, render_all};
use crate::model::Step;
use crate::source::Span;

/// Files of one or more directories, parsed when asked for.
struct Directories(Vec<PathBuf>);

impl Files for Directories {
    fn open(
        &mut self,
        name: &str,
        from: Option<Span>,
        sources: &mut Sources,
        diags: &mut Diagnostics,
    ) -> Result<Arc<File>, Reported> {
        let text = self.0.iter().find_map(|dir| std::fs::read_to_string(dir.join(name)).ok());
        let Some(text) = text else {
            let mut d = Diagnostic::error("test::no-file", format!("no file `{name}`"));
            if let Some(span) = from {
                d = d.at(span, "included here");
            }
            return Err(diags.error(d));
        };
        let id = sources.add(name, text);
        parse(sources, id, diags).map(Arc::new)
    }
}

fn corpus() -> Option<PathBuf> {
    let dir =
        std::env::var_os("LITMUS_CORPUS").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let dir = dir.join("cat");
    if !dir.is_dir() {
        eprintln!("skipped: no corpus at {}", dir.display());
        return None;
    }
    Some(dir)
}

struct Case<'a> {
    dirs: Vec<PathBuf>,
    file: &'a str,
    bell: Option<&'a str>,
    sets: &'a [&'a str],
    machine: bool,
    variants: &'a [&'a str],
    purpose: Purpose,
}

fn lower_file(case: &Case) -> Result<Lowered, String> {
    let mut files = Directories(case.dirs.clone());
    let (mut sources, mut diags) = (Sources::new(), Diagnostics::new());
    let result = (|| {
        let mut open = |name: &str| files.open(name, None, &mut sources, &mut diags);
        let library = open("stdlib.cat")?;
        let bell = case.bell.map(&mut open).transpose()?;
        let model = open(case.file)?;
        let variants: BTreeSet<String> = case.variants.iter().map(|v| (*v).to_owned()).collect();
        let mut predefined = Predefined::new(&variants);
        if case.machine {
            predefined.add_machine_sets();
        }
        predefined.add_sets(case.sets.iter().copied());
        if let Some(file) = &bell {
            let bell = read_bell(file, Some(&library), &mut files, &mut sources, &mut diags)?;
            predefined.add_sets(bell.sets().iter().map(String::as_str));
            predefined.add_relations(bell.relations().iter().map(String::as_str));
        }
        let input = LowerInput {
            model: &model,
            file_name: case.file,
            bell: bell.as_deref(),
            library: Some(&library),
            predefined,
            variants,
            skip_checks: BTreeSet::new(),
            purpose: case.purpose,
        };
        lower(input, &mut files, &mut sources, &mut diags)
    })();
    result.map_err(|_| render_all(diags.list(), &sources, Color::Never))
}

fn herd_case<'a>(dir: &Path, file: &'a str, sets: &'a [&'a str]) -> Case<'a> {
    Case {
        dirs: vec![dir.join("herd")],
        file,
        bell: None,
        sets,
        machine: true,
        variants: &[],
        purpose: Purpose::Run,
    }
}

const X86: &[&str] = &["X", "MFENCE", "SFENCE", "LFENCE"];

#[test]
fn sc_and_tso() {
    let Some(dir) = corpus() else { return };
    for file in ["sc.cat", "x86tso.cat"] {
        match lower_file(&herd_case(&dir, file, X86)) {
            Ok(lowered) => {
                eprintln!("{file}: {} nodes, {} steps", lowered.model.pool.len(), lowered.model.steps.len());
                for step in &lowered.model.steps {
                    if let Step::With { from, name, .. } = step {
                        eprintln!("{name} from {:?}", lowered.model.pool.expr(*from));
                    }
                }
            }
            Err(text) => panic!("{text}"),
        }
    }
}
