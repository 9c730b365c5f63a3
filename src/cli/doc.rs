//! `litmus doc`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::arch::ArchId;
use crate::diag::nearest;
use crate::doc::{self, InTest, Members, Name, definition, in_test, lookup, names};
use crate::litmus::Lowered;
use crate::report::graph::{describe, letters};
use crate::report::several;
use crate::session::{Input, Session, Settings};

use super::args::Reading;
use super::console::Console;
use super::model::parse_arch;
use super::{Done, Exit, Stop, complete, plan};

#[derive(Args, Debug)]
pub struct DocArgs {
    /// The name; none: all of them, a line each
    #[arg(add = complete::names())]
    pub name: Option<String>,
    /// Only names of this architecture; with a test: its own
    #[arg(long, value_name = "ARCH")]
    pub arch: Option<String>,
    /// Show the events of this test that are in it
    #[arg(long, value_name = "TEST", add = complete::tests())]
    pub test: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

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
        for name in names().iter().filter(|name| arch.is_none_or(|arch| name.on(arch))) {
            let first = name.text.split(". ").next().unwrap_or(name.text).trim_end_matches('.');
            writeln!(out, "{:22} {:14} {first}", name.name, name.sort.word())?;
        }
        return Ok(Exit::Success);
    };
    let entries: Vec<&Name> =
        lookup(word).into_iter().filter(|name| arch.is_none_or(|arch| name.on(arch))).collect();
    let said = doc::word(word);
    let checks = doc::checks(word);
    if entries.is_empty() && said.is_none() && checks.is_empty() {
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
    if let Some(said) = said {
        writeln!(out, "{word}: {}\n  {}", said.place, said.text)?;
    }
    for (index, check) in checks.iter().enumerate() {
        if index > 0 || said.is_some() || !entries.is_empty() {
            writeln!(out)?;
        }
        let what = if check.is_flag { "flag" } else { "check" };
        writeln!(out, "{word}: {what} of {}", check.file)?;
        if let Some(comment) = &check.comment {
            writeln!(out, "  {comment}")?;
        }
        writeln!(out, "  {}:{}:\n    {}", check.file, check.line, check.text)?;
    }
    if let (Some(test), false) = (test, entries.is_empty()) {
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
    let all = names().iter().flat_map(|name| std::iter::once(name.name).chain(name.members.iter().copied()));
    let more = doc::check_names();
    let more = more.iter().map(String::as_str).chain(doc::words().map(|own| own.word));
    let all: Vec<&str> = all.chain(more).collect();
    let hint =
        nearest(word, all.iter().copied()).map_or(String::new(), |near| format!(", did you mean `{near}`?"));
    format!(
        "`{word}` is not a predefined name{hint} (`litmus doc` lists them; a model's own definitions: `litmus model show`)"
    )
}

/// What a name stands for in a test.
fn events(word: &str, test: &Lowered, settings: &Settings, out: &mut (dyn Write + Send)) -> Result<(), Stop> {
    let found = in_test(word, test, settings).map_err(|diagnostic| Stop::Unsupported(diagnostic.message))?;
    let value = match found {
        InTest::ModelsOwn => {
            writeln!(out, "In {}: only a model gives `{word}` a value", test.name)?;
            return Ok(());
        }
        InTest::Nothing(ways) => {
            writeln!(out, "In {}: nothing ({} through it)", test.name, several(ways, "way"))?;
            return Ok(());
        }
        InTest::Something(value) => value,
    };
    let letters = letters(&value.events);
    let show = |e: usize| describe(&value.events[e], letters.get(&e).map_or("", String::as_str), test);
    let certain = if value.exact { "" } else { ", at most (the execution decides)" };
    writeln!(out, "In {}{certain}:", test.name)?;
    match &value.members {
        Members::Events(events) => {
            for event in events {
                writeln!(out, "  {}", show(*event))?;
            }
        }
        Members::Pairs(pairs) => {
            for (a, b) in pairs {
                writeln!(out, "  {} -> {}", show(*a), show(*b))?;
            }
        }
    }
    Ok(())
}
