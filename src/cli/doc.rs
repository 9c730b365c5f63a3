//! `litmus doc`.

use std::io::Write;

use crate::arch::ArchId;
use crate::condition::Observable;
use crate::diag::nearest;
use crate::doc::{NAMES, Name, definition, lookup};
use crate::execution::{Names, View, unfold};
use crate::litmus::Lowered;
use crate::model::{Bound, Bounds, Expr, Sort, Val};
use crate::relation::Rel;
use crate::report::graph::{describe, letters};
use crate::report::several;
use crate::session::{Input, Session, Settings, lower_name};

use super::args::DocArgs;
use super::console::Console;
use super::model::parse_arch;
use super::{Done, Exit, Stop, plan};

/// Explains a name, or lists them all.
pub fn doc(
    args: &DocArgs,
    console: &Console,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Done {
    let mut arch = args.arch.as_deref().map(parse_arch).transpose()?;
    let settings = plan::reading(&args.reading)?.settings;
    let mut test = None;
    if let Some(path) = &args.test {
        let report = Session::new(settings.clone()).check(&Input::File(path.clone()));
        let _ = err.write_all(console.diagnostics(&report).as_bytes());
        let Some(answer) = report.answer else {
            return Ok(Exit::BadInput);
        };
        arch = arch.or(report.arch);
        test = Some(answer.test);
    }
    let Some(word) = &args.name else {
        for name in NAMES.iter().filter(|name| arch.is_none_or(|arch| name.on(arch))) {
            let first = name.text.split(". ").next().unwrap_or(name.text).trim_end_matches('.');
            writeln!(out, "{:22} {:14} {first}", name.name, name.sort.word())?;
        }
        return Ok(Exit::Success);
    };
    let entries: Vec<&Name> =
        lookup(word).into_iter().filter(|name| arch.is_none_or(|arch| name.on(arch))).collect();
    if entries.is_empty() {
        return Err(Stop::Usage(unknown(word, arch)));
    }
    for (index, name) in entries.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{word}: {}, {}, on {}", name.sort.word(), name.origin.words(), name.arch_words())?;
        writeln!(out, "  {}", name.text)?;
        if let Some(definition) = definition(name, word) {
            writeln!(out, "  {}:{}:", definition.file, definition.line)?;
            for line in definition.lines {
                writeln!(out, "    {line}")?;
            }
        }
        if !name.members.is_empty() {
            let others = std::iter::once(&name.name).chain(name.members);
            let others: Vec<&str> =
                others.copied().filter(|other| other != word && !other.ends_with('*')).collect();
            writeln!(out, "  Others of the kind: {}", others.join(", "))?;
        }
    }
    if let Some(test) = test {
        writeln!(out)?;
        events(word, &test, &settings, out)?;
    }
    Ok(Exit::Success)
}

fn unknown(word: &str, arch: Option<ArchId>) -> String {
    let elsewhere = lookup(word);
    if let (Some(arch), false) = (arch, elsewhere.is_empty()) {
        let on: Vec<String> = elsewhere.iter().map(|name| name.arch_words()).collect();
        return format!("`{word}` means nothing on {}; it is a name on {}", arch.name(), on.join(", "));
    }
    let all = NAMES.iter().flat_map(|name| std::iter::once(name.name).chain(name.members.iter().copied()));
    let hint = nearest(word, all).map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    format!(
        "`{word}` is not a predefined name{hint} (`litmus doc` lists them; a model's own definitions: `litmus model show`)"
    )
}

/// The events of a test that are in a set, or the pairs in a relation, on the first way through the test that has any. What the execution
/// decides is shown as far as it can be.
fn events(word: &str, test: &Lowered, settings: &Settings, out: &mut (dyn Write + Send)) -> Result<(), Stop> {
    // All events: `_` by itself could as well be all pairs.
    let expression = if word == "_" { "M | ~M" } else { word };
    let Some((model, value)) = lower_name(settings, expression, test.arch) else {
        writeln!(out, "In {}: only a model gives `{word}` a value", test.name)?;
        return Ok(());
    };
    let observed: Vec<_> = test
        .observed
        .iter()
        .filter_map(|o| match o {
            Observable::Loc(loc) => Some(*loc),
            _ => None,
        })
        .collect();
    let worlds = unfold(&test.program, test.unroll.unwrap_or(2), &observed)
        .map_err(|diagnostic| Stop::Unsupported(diagnostic.message))?;
    let mut ways = 0;
    for world in worlds.take(1_000) {
        ways += 1;
        let names = Names {
            program: &test.program,
            scopes: &test.scopes,
            regions: &test.regions,
            registers_visible: false,
            n: world.events.len(),
        };
        let view = View { world: &world, names };
        let mut bounds = Bounds::new(&model, &view);
        if let Some(rf) = model.pool.find(&Expr::Base("rf".into(), Sort::Rel)) {
            let pairs =
                world.reads.iter().flat_map(|(read, writes)| writes.iter().map(|write| (*write, *read)));
            let may = Rel::of(names.n, pairs);
            bounds.set(rf, &Bound::new(Val::Rel(Rel::empty(names.n)), Val::Rel(may)));
        }
        let bound = bounds.eval(value).map_err(|diagnostic| Stop::Unsupported(diagnostic.message))?;
        let letters = letters(&world.events);
        let show = |e: usize| describe(&world.events[e], letters.get(&e).map_or("", String::as_str), test);
        let lines = match &*bound.may {
            Val::Set(set) => {
                let mut events: Vec<usize> = set.iter().collect();
                events.sort_by_key(|e| (world.events[*e].thread, world.events[*e].instance, *e));
                events.into_iter().map(show).collect::<Vec<_>>()
            }
            Val::Rel(rel) => rel.iter().map(|(a, b)| format!("{} -> {}", show(a), show(b))).collect(),
            _ => continue,
        };
        if lines.is_empty() {
            continue;
        }
        let certain = if bound.is_exact() { "" } else { ", at most (the execution decides)" };
        writeln!(out, "In {}{certain}:", test.name)?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
        return Ok(());
    }
    let ways = several(ways as u64, "way");
    writeln!(out, "In {}: nothing ({ways} through it)", test.name)?;
    Ok(())
}
