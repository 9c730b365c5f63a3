//! Random small concurrent programs: what a compiled one shows when it is run often is among the outcomes that we find under TSO, the model of the
//! machines that tests run on. Skipped, with a message, elsewhere and where there is no compiler.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use super::fuzz::Dice;

/// Programs of one round, and how often each is run.
const PROGRAMS: u64 = 6;
const RUNS: usize = 400;

/// The threads of a program, as functions, and the number of results that they leave in `r`.
fn threads(dice: &mut Dice) -> (String, usize, usize) {
    let n_threads = 2 + dice.roll(2) as usize;
    let mut text = String::new();
    let mut results = 0;
    for thread in 0..n_threads {
        let mut body = String::new();
        for _ in 0..2 + dice.roll(2) {
            let cell = dice.pick(&["x", "y"]);
            let value = 1 + dice.roll(2);
            let order = dice.pick(&["__ATOMIC_RELAXED", "__ATOMIC_SEQ_CST"]);
            let statement = match dice.roll(8) {
                0..=2 => format!("__atomic_store_n(&{cell}, {value}, {order});"),
                3..=5 => format!("r[{results}] = __atomic_load_n(&{cell}, {order});"),
                6 => format!("r[{results}] = __atomic_fetch_add(&{cell}, {value}, {order});"),
                _ => {
                    let cas = format!(
                        "__atomic_compare_exchange_n(&{cell}, &e, {value}, 0, {order}, __ATOMIC_RELAXED)"
                    );
                    format!("{{ int e = 0; r[{results}] = {cas}; }}")
                }
            };
            results += usize::from(statement.contains("r["));
            let _ = writeln!(body, "    {statement}");
        }
        let _ = writeln!(text, "static void *t{thread}(void *p) {{\n{body}    return 0;\n}}");
    }
    (text, n_threads, results)
}

#[test]
fn concurrent_programs_show_what_is_allowed() {
    if !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: this machine is none of TSO");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let seed: u64 = std::env::var("LITMUS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let rounds: u64 = std::env::var("LITMUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut dice = Dice(0xa076_1d64_78bd_642f ^ seed.wrapping_mul(0xe703_7ed1_a0b4_28db));
    for number in 0..rounds * PROGRAMS {
        let (text, n_threads, results) = threads(&mut dice);
        let common = format!("#include <pthread.h>\nstatic int x, y, r[{}];\n{text}", results.max(1));
        let start: String =
            (0..n_threads).map(|n| format!("pthread_create(&t[{n}], 0, t{n}, 0); ")).collect();
        let join: String = (0..n_threads).map(|n| format!("pthread_join(t[{n}], 0); ")).collect();
        let all = format!("pthread_t t[{n_threads}]; {start}{join}");
        let print: String = (0..results).map(|n| format!("printf(\"%d \", r[{n}]); ")).collect();
        let main = format!(
            "#include <stdio.h>\nint main(void) {{ for (int i = 0; i < {RUNS}; i++) {{ x = y = 0; {all}{print}printf(\"%d %d\\n\", x, y); }} return 0; }}\n"
        );
        let (file, program) = (folder.path().join("run.c"), folder.path().join("run"));
        std::fs::write(&file, format!("{common}{main}")).expect("written");
        let Ok(built) =
            Command::new("cc").args(["-w", "-O0", "-pthread", "-o"]).arg(&program).arg(&file).output()
        else {
            eprintln!("skipped: there is no C compiler `cc` here");
            return;
        };
        assert!(built.status.success(), "{}\n{common}{main}", String::from_utf8_lossy(&built.stderr));
        let run = Command::new(&program).output().expect("it runs");
        let shown = String::from_utf8_lossy(&run.stdout).into_owned();
        let outcomes: BTreeSet<&str> = shown.lines().collect();
        let mut verify = Command::new(env!("CARGO_BIN_EXE_litmus"));
        verify
            .args(["verify", "-m", "tso", "--ignore", "race", "--timeout", "60"])
            .current_dir(folder.path());
        for (n, outcome) in outcomes.iter().enumerate() {
            let values: Vec<&str> = outcome.split_whitespace().collect();
            let names = (0..results).map(|n| format!("r[{n}]")).chain(["x".to_string(), "y".to_string()]);
            let seen: Vec<String> =
                names.zip(&values).map(|(name, value)| format!("{name} == {value}")).collect();
            let main = format!("int main(void) {{ {all}assert(!({})); return 0; }}\n", seen.join(" && "));
            let name = format!("o{number}-{n}.c");
            std::fs::write(folder.path().join(&name), format!("#include <assert.h>\n{common}{main}"))
                .expect("written");
            verify.arg(name);
        }
        let output = verify.output().expect("litmus runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        for (n, outcome) in outcomes.iter().enumerate() {
            let allowed = said.contains(&format!("o{number}-{n}.c: Unsafe"));
            assert!(allowed, "seed {seed}: a machine shows {outcome}\n{common}\n{said}");
        }
    }
}
