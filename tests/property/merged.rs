//! C programs before the solver: the verdict is that of executions that grow.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use litmus::arch::c::preprocess;
use litmus::arch::c::unit::lower::Options;
use litmus::limits::Budget;
use litmus::model::Model;
use litmus::program::Program;
use litmus::program::shapes::Shapes;
use litmus::verify::{self, Engine, Kind, Settings, Verdict};

use crate::program::Arch;
use crate::random::Random;
use crate::{Library, arch_id, cases};

/// A program with branches on shared variables.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    depth: usize,
    left: usize,
}

impl Writer<'_> {
    fn shared(&mut self) -> String {
        self.random.pick(&["x", "y", "a[0]", "a[1]", "a[x & 1]", "*p"]).to_string()
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            return match self.random.below(5) {
                0 => self.random.below(3).to_string(),
                1 => self.random.pick(&["l", "m"]).to_string(),
                _ => self.shared(),
            };
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(9) {
            7 => format!("({a} / 2 - {b})"),
            8 => format!("({a} % 3 + {b})"),
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} == {b})"),
            3 => format!("({a} && {b})"),
            4 => format!("({a} ? {b} : 1)"),
            5 => format!("({a} < {b})"),
            _ => format!("({a} * 3 ^ {b})"),
        }
    }

    fn statement(&mut self) {
        let indent = "    ".repeat(self.depth);
        self.left = self.left.saturating_sub(1);
        let kind = if self.depth > 2 { self.random.below(6) } else { self.random.below(10) };
        let shared = self.random.pick(&["x", "y", "a[0]", "a[1]"]).to_string();
        match kind {
            0 | 1 => {
                let value = self.value(1);
                let _ = writeln!(self.text, "{indent}{shared} = {value};");
            }
            2 | 3 => {
                let (local, value) = (self.random.pick(&["l", "m"]).to_string(), self.value(2));
                let _ = writeln!(self.text, "{indent}{local} = {value};");
            }
            4 => {
                let what = match self.random.below(4) {
                    0 => "__atomic_thread_fence(__ATOMIC_SEQ_CST);".to_string(),
                    1 => format!("l = __atomic_fetch_add(&{shared}, 1, __ATOMIC_SEQ_CST);"),
                    2 => format!(
                        "m = 0; l = __atomic_compare_exchange_n(&{shared}, &m, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);"
                    ),
                    _ => "p = l ? &x : &y;".to_string(),
                };
                let _ = writeln!(self.text, "{indent}{what}");
            }
            5 => {
                let _ = writeln!(self.text, "{indent}l = __VERIFIER_nondet_bool();");
            }
            6..=8 => {
                let condition = self.value(1);
                let _ = writeln!(self.text, "{indent}if ({condition}) {{");
                self.depth += 1;
                self.statement();
                self.depth -= 1;
                if self.random.chance(50) {
                    let _ = writeln!(self.text, "{indent}}} else {{");
                    self.depth += 1;
                    self.statement();
                    self.depth -= 1;
                }
                let _ = writeln!(self.text, "{indent}}}");
            }
            _ => {
                let name = self.depth;
                let _ = writeln!(self.text, "{indent}for (int i{name} = 0; i{name} < 2; i{name}++) {{");
                self.depth += 1;
                self.statement();
                self.depth -= 1;
                let _ = writeln!(self.text, "{indent}}}");
            }
        }
    }
}

fn program(random: &mut Random) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n_Bool __VERIFIER_nondet_bool(void);\nint x, y, a[2], r0, r1;\n",
    );
    for thread in 0..2 {
        let left = 2 + random.below(3);
        let _ = writeln!(text, "void *t{thread}(void *unused)\n{{\n    int l = 0, m = 0, *p = &x;");
        let mut writer = Writer { random, text, depth: 1, left };
        while writer.left > 0 {
            writer.statement();
        }
        text = writer.text;
        let _ = writeln!(text, "    r{thread} = l + m;\n    return 0;\n}}");
    }
    let mut parts: Vec<String> = Vec::new();
    for name in ["x", "y", "r0", "r1", "a[0]"] {
        if random.chance(35) {
            parts.push(format!("{name} == {}", random.below(3)));
        }
    }
    let what = if parts.is_empty() { "x == 1".to_string() } else { parts.join(" && ") };
    text + &format!(
        "int main(void)\n{{\n    pthread_t a0, a1;\n    pthread_create(&a0, 0, t0, 0);\n    pthread_create(&a1, 0, t1, 0);\n    \
         pthread_join(a0, 0);\n    pthread_join(a1, 0);\n    assert(!({what}));\n    return 0;\n}}\n"
    )
}

fn verdict(program: &Program, model: &Model, settings: &Settings) -> Result<Verdict, String> {
    let budget = Budget::starting_now(Some(Duration::from_secs(20)), None, None);
    let ran = budget.run(|| verify::run(program, model, settings));
    match ran {
        Ok(Ok(answer)) => Ok(answer.verdict),
        Ok(Err(error)) => Err(format!("{}: {}", error.code, error.message)),
        Err(why) => Err(format!("{why:?}")),
    }
}

/// The verdicts of both engines.
fn both(text: &str, model: &Model) -> [Result<Verdict, String>; 2] {
    let orders = verify::orders_for(model, Some(arch_id(Arch::C))).expect("a model of programs");
    let options = Options { recursion: 4, orders, samples: true, uninitialised: true, marks_waits: true };
    let settings = preprocess::Settings::default();
    let loaded =
        verify::load_text(Path::new("program.c"), text.to_string(), &settings, options, &Shapes::default());
    let program = loaded.program.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    let settings = Settings { orders, ignore: vec![Kind::Race], ..Settings::default() };
    let grown = verdict(&program, model, &settings);
    let solved = verdict(&program, model, &Settings { engine: Engine::Sat, ..settings });
    [grown, solved]
}

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rc11", "ase18-tso", "ase18-pso"];

#[test]
fn the_solver_agrees_with_executions_that_grow_on_programs() {
    let mut library = Library::default();
    let (mut compared, mut unsafe_, mut refused) = (0, 0, 0);
    for case in cases(2, 60) {
        let mut random = Random::new(case ^ 0x5AC << 36);
        let text = program(&mut random);
        let name = *random.pick(&MODELS);
        let [grown, solved] = both(&text, library.get(name, Arch::C));
        match (grown, solved) {
            (Ok(Verdict::Unknown), _) | (Err(_), _) => refused += 1,
            (_, Err(why)) if why.starts_with("sat::") => refused += 1,
            (Ok(grown), solved) => {
                assert_eq!(Ok(grown), solved, "case {case} under {name}\n{text}");
                compared += 1;
                unsafe_ += u64::from(grown == Verdict::Unsafe);
            }
        }
    }
    println!("{compared} compared, {unsafe_} unsafe; {refused} refused");
    assert!(compared > 2 * refused && unsafe_ > 0 && unsafe_ < compared);
}

/// Two threads with the events of the running example of Yin, Dong, Liu and Wang (2018): a read of one variable, a write of the other, a read again, a write of what was read, and a write
/// of the other. Which pairs of values are read is the same for both engines; and a weaker model has all those of a stronger one, and here more.
#[test]
fn the_running_example_of_the_paper() {
    let mut library = Library::default();
    let mut counts = Vec::new();
    for name in MODELS {
        let model = library.get(name, Arch::C);
        let mut read = 0;
        for (m, n) in (0..4).flat_map(|m| (0..4).map(move |n| (m, n))) {
            let text = format!(
                "#include <assert.h>\n#include <pthread.h>\nint x = 1, y = 1, m, n;\n\
                 void *thr1(void *unused) {{ x = y + 1; m = y; x = 0; return 0; }}\n\
                 void *thr2(void *unused) {{ y = x + 1; n = x; y = 0; return 0; }}\n\
                 int main(void)\n{{\n    pthread_t t1, t2;\n    pthread_create(&t1, 0, thr1, 0);\n    \
                 pthread_create(&t2, 0, thr2, 0);\n    pthread_join(t1, 0);\n    pthread_join(t2, 0);\n    \
                 assert(!(m == {m} && n == {n}));\n    return 0;\n}}\n"
            );
            let [grown, solved] = both(&text, model);
            assert_eq!(grown, solved, "{name}: m == {m} && n == {n}");
            read += usize::from(grown == Ok(Verdict::Unsafe));
        }
        counts.push((name, read));
    }
    let count = |name: &str| counts.iter().find(|(other, _)| *other == name).map_or(0, |(_, count)| *count);
    assert!(count("sc") < count("ase18-tso"), "{counts:?}");
    assert!(count("ase18-tso") <= count("tso") && count("ase18-tso") <= count("ase18-pso"), "{counts:?}");
    assert!(count("tso") <= count("pso") && count("ase18-pso") <= count("pso"), "{counts:?}");
}
