//! What changes nothing about a test must change nothing about its answer: other names, another order of the threads, a thread that does
//! nothing, a model written otherwise. And a check that is left out only adds outcomes. On random programs, and on a sample of the corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use litmus::arch::ArchId;
use litmus::explore::{self, Engine, Mode, Options};
use litmus::litmus::Lowered;
use litmus::model::{CheckKind, Expr, Model, Step, TestKind};
use litmus::outcome::{Count, Outcome};
use litmus::session::{Input, Session, Settings};

use super::program::{Arch, Program};
use super::random::Random;
use super::{CANDIDATES, arch_id, candidates, cases, load, named_states, number, options};

/// A test as text, cut into what changes differ in.
struct Parts {
    /// Up to the closing brace of the initial state.
    front: String,
    /// Rows of cells; for C, none.
    rows: Vec<Vec<String>>,
    /// The program of a C test.
    code: String,
    /// Locations, filter and condition.
    last: String,
}

impl Parts {
    /// `None`: a test that is laid out otherwise than most are.
    fn of(text: &str, is_c: bool) -> Option<Parts> {
        let open = text.find('{')?;
        let close = open + text[open..].find('}')?;
        let rest = &text[close + 1..];
        let words = ["exists", "~exists", "forall", "locations", "filter"];
        let starts = |line: &str| words.iter().any(|word| line.trim_start().starts_with(word));
        let at = rest.lines().scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some((start, line))
        });
        let last = at.into_iter().find(|(_, line)| starts(line)).map(|(at, _)| at)?;
        let (code, last) = rest.split_at(last.min(rest.len()));
        let plain =
            !text.contains("(*") && !text.to_ascii_lowercase().contains("lock;") && !code.contains(':');
        let rows: Option<Vec<Vec<String>>> = code
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let row = line.trim_end().strip_suffix(';')?;
                Some(row.split('|').map(|cell| cell.trim().to_string()).collect())
            })
            .collect();
        let rows = if is_c { Vec::new() } else { rows.filter(|_| plain)? };
        let even = rows.iter().all(|row| row.len() == rows[0].len());
        even.then(|| Parts {
            front: text[..=close].to_string(),
            rows,
            code: code.to_string(),
            last: last.to_string(),
        })
    }

    fn text(&self) -> String {
        let row = |row: &Vec<String>| format!(" {} ;\n", row.join(" | "));
        let program = match self.rows.is_empty() {
            true => self.code.clone(),
            false => self.rows.iter().map(row).collect(),
        };
        format!("{}\n{program}{}", self.front, self.last)
    }
}

/// Every word of a text through a function; a word is letters, digits and underscores.
fn each_word(text: &str, change: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += &change(&word).unwrap_or_else(|| word.clone());
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// `0:` before a name through a function.
fn each_thread(text: &str, change: &dyn Fn(usize) -> usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(colon) = rest.find(':') {
        let (before, after) = (&rest[..colon], &rest[colon + 1..]);
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (head, digits) = before.split_at(before.len() - digits);
        match digits.parse() {
            Ok(thread) => out += &format!("{head}{}:", change(thread)),
            Err(_) => out += &format!("{before}:"),
        }
        rest = after;
    }
    out + rest
}

/// A test whose threads come in the opposite order.
fn turned(parts: &Parts) -> Option<String> {
    let n = parts.rows.first()?.len();
    let rows = parts.rows.iter().enumerate().map(|(at, row)| match at {
        0 => row.clone(),
        _ => row.iter().rev().cloned().collect(),
    });
    let back = |thread: usize| n.saturating_sub(1).saturating_sub(thread);
    let open = parts.front.find('{')?;
    let (head, init) = parts.front.split_at(open);
    let text = Parts {
        front: format!("{head}{}", each_thread(init, &back)),
        rows: rows.collect(),
        code: String::new(),
        last: each_thread(&parts.last, &back),
    };
    Some(text.text())
}

/// A test with one more thread, which does nothing.
fn with_idler(parts: &Parts, threads: usize) -> String {
    let mut rows = parts.rows.clone();
    for (at, row) in rows.iter_mut().enumerate() {
        row.push(if at == 0 { format!("P{threads}") } else { String::new() });
    }
    let code = format!("{}\nP{threads} (int *idle) {{ }}\n\n", parts.code);
    Parts { front: parts.front.clone(), rows, code, last: parts.last.clone() }.text()
}

/// Another register for each, where the architecture treats them alike.
fn other_register(arch: ArchId, word: &str) -> Option<String> {
    let numbered = |prefix: &str, first: u32, count: u32, by: u32| {
        let n: u32 = word.strip_prefix(prefix)?.parse().ok()?;
        (first..first + count).contains(&n).then(|| format!("{prefix}{}", first + (n - first + by) % count))
    };
    match arch {
        ArchId::AArch64 => numbered("X", 0, 28, 9).or_else(|| numbered("W", 0, 28, 9)),
        ArchId::Arm => numbered("R", 0, 12, 4),
        // Register 0 is no register where an address is made of it.
        ArchId::Ppc => numbered("r", 1, 30, 9),
        ArchId::RiscV => numbered("x", 1, 30, 9),
        ArchId::Mips => numbered("r", 1, 30, 9),
        ArchId::C => numbered("r", 0, 1000, 100),
        _ => match word {
            "EBX" => Some("ESI".to_string()),
            "ESI" => Some("EDI".to_string()),
            "EDI" => Some("EBX".to_string()),
            _ => None,
        },
    }
}

/// States, with every name through a function.
fn states(
    test: &Lowered,
    outcome: &Outcome,
    name: &dyn Fn(&str) -> String,
) -> BTreeMap<Vec<(String, String)>, Count> {
    let renamed = |state: Vec<(String, litmus::program::Value)>| {
        let value = |value| each_word(&test.program.show(value), &|word| Some(name(word)));
        let mut state: Vec<(String, String)> = state
            .into_iter()
            .map(|(place, v)| (each_word(&place, &|word| Some(name(word))), value(v)))
            .collect();
        state.sort();
        state
    };
    named_states(test, outcome).into_iter().map(|(state, n)| (renamed(state), n)).collect()
}

/// How often each change could be made.
#[derive(Default, Debug)]
struct Tally {
    turned: u64,
    idle: u64,
    locations: u64,
    registers: u64,
    models: u64,
    dropped: u64,
}

/// Runs a test with every change that can be made to it.
fn check(session: &Session, text: &str, test: &Lowered, model: &Model, told: &str, tally: &mut Tally) {
    let whole = options(Mode::Count, Engine::Explore, 1);
    let Ok(expected) = explore::run(test, model, &whole) else { return };
    let same = |name: &str| name.to_string();
    let plain = states(test, &expected, &same);
    let read = |text: &str| {
        let input = Input::Text { name: "changed.litmus".to_string(), text: Arc::from(text) };
        session.check(&input).answer.map(|answer| answer.test)
    };
    let equal = |text: &str, name: &dyn Fn(&str) -> String, thread: &dyn Fn(usize) -> usize, what: &str| {
        let Some(other) = read(text) else { return false };
        let outcome = explore::run(&other, model, &whole)
            .unwrap_or_else(|error| panic!("{what}, {told}: {}\n{text}", error.message));
        let back: BTreeMap<_, _> = states(&other, &outcome, name)
            .into_iter()
            .map(|(state, n)| {
                let place = |place: String| each_thread(&place, thread);
                let mut state: Vec<_> = state.into_iter().map(|(p, value)| (place(p), value)).collect();
                state.sort();
                (state, n)
            })
            .collect();
        assert_eq!(plain, back, "{what}, {told}\n{text}");
        let figures = |o: &Outcome| {
            (o.positive.clone(), o.negative.clone(), o.flags.clone(), o.undefined, o.cuts.len())
        };
        assert_eq!(figures(&expected), figures(&outcome), "{what}, {told}\n{text}");
        true
    };
    let is_c = test.arch == ArchId::C;
    let threads = test.program.threads.len();
    if let Some(parts) = Parts::of(text, is_c) {
        if let Some(text) = turned(&parts) {
            let back = |thread: usize| threads - 1 - thread;
            tally.turned += u64::from(equal(&text, &same, &back, "threads turned round"));
        }
        let text = with_idler(&parts, threads);
        tally.idle += u64::from(equal(&text, &same, &|thread| thread, "a thread more that does nothing"));
        let symbols = &test.program.symbols;
        let plain_names = symbols.iter().all(|name| name.len() < 3 && !name.contains(':'));
        if plain_names && parts.front.find('{').is_some() {
            let longer = |word: &str| symbols.iter().any(|s| s == word).then(|| format!("{word}_renamed"));
            let (head, init) = parts.front.split_at(parts.front.find('{').unwrap_or(0));
            let renamed = Parts {
                front: format!("{head}{}", each_word(init, &longer)),
                rows: parts
                    .rows
                    .iter()
                    .map(|row| row.iter().map(|cell| each_word(cell, &longer)).collect())
                    .collect(),
                code: each_word(&parts.code, &longer),
                last: each_word(&parts.last, &longer),
            };
            let back = |word: &str| word.strip_suffix("_renamed").unwrap_or(word).to_string();
            tally.locations +=
                u64::from(equal(&renamed.text(), &back, &|thread| thread, "locations renamed"));
        }
        let other = |word: &str| other_register(test.arch, word);
        let (head, init) = parts.front.split_at(parts.front.find('{').unwrap_or(0));
        let renamed = Parts {
            front: format!("{head}{}", each_word(init, &other)),
            rows: parts
                .rows
                .iter()
                .map(|row| row.iter().map(|cell| each_word(cell, &other)).collect())
                .collect(),
            code: each_word(&parts.code, &other),
            last: each_word(&parts.last, &other),
        };
        let regs = test.shown.iter().filter_map(|seen| match seen {
            litmus::condition::Observable::Reg(_, reg) => Some(test.program.regs.name(*reg).to_string()),
            _ => None,
        });
        let names: BTreeMap<String, String> = regs.filter_map(|name| Some((other(&name)?, name))).collect();
        let back = |word: &str| names.get(word).cloned().unwrap_or_else(|| word.to_string());
        tally.registers += u64::from(equal(&renamed.text(), &back, &|thread| thread, "registers renamed"));
    }
    // The model, written otherwise.
    let outcome = explore::run(test, &rewritten(model), &whole).expect("an answer");
    assert_eq!(plain, states(test, &outcome, &same), "model rewritten, {told}\n{text}");
    assert_eq!((&expected.positive, &expected.flags), (&outcome.positive, &outcome.flags), "{told}\n{text}");
    tally.models += 1;
    // Modes.
    let listed = explore::run(test, model, &options(Mode::States, Engine::Explore, 1)).expect("states");
    assert!(plain.keys().eq(states(test, &listed, &same).keys()), "mode states, {told}\n{text}");
    let decided = explore::run(test, model, &options(Mode::Check, Engine::Explore, 1)).expect("a verdict");
    if !expected.undefined {
        assert_eq!(
            expected.holds(&test.condition),
            decided.holds(&test.condition),
            "mode check, {told}\n{text}"
        );
    }
    // Fewer checks, more outcomes.
    for step in &model.steps {
        let Step::Check { kind: CheckKind::Plain, name: Some(name), .. } = step else { continue };
        let without =
            Options { skip_checks: vec![name.clone()], ..options(Mode::States, Engine::Explore, 1) };
        let Ok(outcome) = explore::run(test, model, &without) else { continue };
        let more = states(test, &outcome, &same);
        let lost: Vec<_> = plain.keys().filter(|state| !more.contains_key(*state)).collect();
        assert!(lost.is_empty(), "without {name}, {told}: {lost:?}\n{text}");
        tally.dropped += 1;
    }
}

/// The same model in other words: cycles as loops of a closure, loops as what a relation has in common with the identity, every check
/// asked twice.
fn rewritten(model: &Model) -> Model {
    let mut model = model.clone();
    let mut steps = Vec::new();
    for step in &model.steps.clone() {
        if let Step::Check { kind: CheckKind::Plain, test, name, span } = step
            && !test.negated
        {
            let mut again = *test;
            match test.kind {
                TestKind::Acyclic => {
                    again.kind = TestKind::Irreflexive;
                    again.expr = model.pool.intern(Expr::Plus(test.expr));
                }
                TestKind::Irreflexive => {
                    let id = model.pool.intern(Expr::Id);
                    again.kind = TestKind::Empty;
                    again.expr = model.pool.intern(Expr::Inter(test.expr, id));
                }
                TestKind::Empty => {}
            }
            let check = Step::Check { kind: CheckKind::Plain, test: again, name: name.clone(), span: *span };
            steps.extend([check.clone(), check]);
            continue;
        }
        steps.push(step.clone());
    }
    model.steps = steps;
    model
}

#[test]
fn changes_that_change_nothing_in_random_programs() {
    let session = Session::new(Settings::default());
    let mut library = super::Library::default();
    let mut tally = Tally::default();
    let cases = cases(5, 150);
    for case in cases.clone() {
        let mut random = Random::new(case ^ 0x3E7A << 32);
        let arch = *random.pick(&Arch::ALL);
        let program = Program::random(arch, &mut random);
        let text = program.text();
        let test = super::lower(&session, &text);
        if candidates(&test) > 4.0 * CANDIDATES {
            continue;
        }
        let name = *random.pick(arch.models());
        let model = library.get(name, arch).clone();
        check(&session, &text, &test, &model, &format!("case {case} under {name}"), &mut tally);
    }
    println!("{tally:?}");
    let enough = (cases.end - cases.start) / 8;
    let least = [tally.turned, tally.idle, tally.locations, tally.registers, tally.models, tally.dropped];
    assert!(least.iter().all(|n| *n > enough), "too few changes could be made: {tally:?}");
    let _ = arch_id;
}

/// Suites of the corpus, and what their tests are run under.
const SUITES: [(&str, &str, ArchId); 8] = [
    ("x86", "x86tso", ArchId::X86),
    ("ppc", "ppc", ArchId::Ppc),
    ("riscv", "riscv", ArchId::RiscV),
    ("aarch64", "aarch64", ArchId::AArch64),
    ("arm", "armv7", ArchId::Arm),
    ("c11", "rc11", ArchId::C),
    ("instr-aarch64", "aarch64", ArchId::AArch64),
    ("instr-mips", "mips", ArchId::Mips),
];

#[test]
fn changes_that_change_nothing_in_the_corpus() {
    let corpus = std::env::var_os("LITMUS_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from);
    let sample = number("LITMUS_CASES", 0) as usize / 5000 + 8;
    let session = Session::new(Settings::default());
    let mut tally = Tally::default();
    for (suite, name, arch) in SUITES {
        let Ok(entries) = std::fs::read_dir(corpus.join(suite).join("tests")) else {
            println!("skipped: no {suite} in {}", corpus.display());
            continue;
        };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| path.extension().is_some_and(|ext| ext == "litmus"));
        files.sort();
        let model = load(name, arch, &Settings::default());
        let step = (files.len() / sample).max(1);
        for file in files.iter().step_by(step) {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            let input = Input::Text { name: "t.litmus".to_string(), text: Arc::from(text.as_str()) };
            let Some(answer) = session.check(&input).answer else { continue };
            if answer.test.arch != arch || candidates(&answer.test) > 4.0 * CANDIDATES {
                continue;
            }
            check(&session, &text, &answer.test, &model, &file.display().to_string(), &mut tally);
        }
    }
    println!("{tally:?}");
}
