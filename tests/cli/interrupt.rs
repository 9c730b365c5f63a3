//! Ctrl-C and limits of time, in every phase and every command: what is under way stops, says what it knows, and the exit code tells.
//!
//! Hardly any input here ends by itself within any patience. Each is run twice under a limit of address space: until someone presses Ctrl-C, and with a
//! limit of time, where the command has one. How long it took to stop is printed (`--nocapture`), and bounded so generously that a busy machine does not matter.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::folder;

/// What one that does not come back is given. One that does takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(40);

/// Before Ctrl-C is pressed.
const HEAD_START: Duration = Duration::from_millis(600);

/// The limit of time.
const LIMIT: Duration = Duration::from_millis(400);

/// Address space.
const MEGABYTES: u64 = 12_000;

/// A phase or a command that is kept busy, and whether it has a limit of time.
struct Busy {
    what: &'static str,
    args: &'static [&'static str],
    timed: bool,
}

const fn timed(what: &'static str, args: &'static [&'static str]) -> Busy {
    Busy { what, args, timed: true }
}

const fn untimed(what: &'static str, args: &'static [&'static str]) -> Busy {
    Busy { what, args, timed: false }
}

const ALL: &[Busy] = &[
    timed("reading a pipe", &["run", "pipe.litmus", "-m", "sc"]),
    timed("parsing a test", &["run", "long.litmus", "-m", "sc"]),
    timed("parsing a C test", &["run", "long-c.litmus", "-m", "sc"]),
    untimed("checking a test", &["check", "long.litmus"]),
    timed("reading a model", &["run", "SB.litmus", "-m", "long.cat"]),
    untimed("checking a model", &["model", "check", "long.cat"]),
    timed("lowering a model", &["run", "SB.litmus", "-m", "calls.cat"]),
    timed("running a model's own loops", &["run", "SB.litmus", "-m", "forall.cat"]),
    timed("unfolding", &["run", "branches.litmus", "-m", "aarch64", "--engine", "worlds"]),
    timed("growing", &["run", "branches.litmus", "-m", "sc", "--engine", "grow"]),
    timed("building worlds", &["run", "worlds.litmus", "-m", "aarch64", "--engine", "worlds"]),
    timed("searching", &["run", "search.litmus", "-m", "x86tso"]),
    timed("searching with two workers", &["run", "search.litmus", "-m", "x86tso", "-j", "2"]),
    timed("the oracle", &["run", "search.litmus", "-m", "x86tso", "--engine", "naive"]),
    timed("a solver", &["run", "search.litmus", "-m", "x86tso", "--engine", "sat", "--mode", "states"]),
    timed("drawing", &["run", "search.litmus", "-m", "x86tso", "--graph", "pictures", "--graphs", "1000000"]),
    timed("a page", &["run", "search.litmus", "-m", "x86tso", "--format", "html"]),
    timed("JSON", &["run", "search.litmus", "-m", "x86tso", "--format", "json"]),
    untimed("herd", &["herd", "-model", "sc.cat", "search.litmus"]),
    timed("explain", &["explain", "search.litmus", "-m", "x86tso", "--outcome", "0:EAX=2"]),
    timed("explain --fix", &["explain", "search.litmus", "-m", "x86tso", "--outcome", "0:EAX=2", "--fix"]),
    timed("port", &["port", "search.litmus", "--from", "sc", "--to", "x86tso"]),
    timed("port --states", &["port", "search.litmus", "--from", "sc", "--to", "x86tso", "--states"]),
    timed("robust", &["robust", "search.litmus", "-m", "x86tso"]),
    timed("fence", &["fence", "search.litmus", "-m", "x86tso"]),
    timed("fence --for robust", &["fence", "search.litmus", "-m", "x86tso", "--for", "robust"]),
    timed("fence for a formula", &["fence", "search.litmus", "-m", "tso", "--for", "G !(x0==1 && x1==3)"]),
    timed("verify", &["verify", "adders.c"]),
    timed("verify, preprocessing", &["verify", "macros.c"]),
    timed("verify, reading", &["verify", "long.c"]),
    untimed("verify --check", &["verify", "--check", "long.c"]),
    timed("fence of a C program", &["fence", "adders.c", "-m", "rc11"]),
    timed("ltl", &["ltl", "search.litmus", "G !(x0==77)", "-m", "pso", "--buffer", "8"]),
    timed("ltl --full", &["ltl", "search.litmus", "G F x0==1", "-m", "tso", "--buffer", "8", "--full"]),
    timed("await", &["await", "spin.litmus", "-m", "pso", "--buffer", "8", "--full"]),
    untimed("gen", &["gen", "AArch64", "--size", "12", "--print"]),
    untimed("gen --forbidden-by", &["gen", "AArch64", "--size", "2..12", "--forbidden-by", "aarch64"]),
    untimed("model diff", &["model", "diff", "aarch64", "sc", "--size", "2..12", "--all"]),
    untimed("model coverage", &["model", "coverage", "x86tso", "--tests", "search.litmus"]),
    untimed("bench", &["bench", "coherence", "--sizes", "9..12", "--engine", "naive"]),
    untimed("diff --run", &["diff", "--run", "SB.log", "search.litmus", "-m", "x86tso"]),
];

/// Threads side by side, each with its own rows.
fn table(arch: &str, init: &str, columns: &[Vec<String>], end: &str) -> String {
    let threads: Vec<String> = (0..columns.len()).map(|n| format!("P{n}")).collect();
    let mut text = format!("{arch} t\n{{ {init} }}\n {} ;\n", threads.join(" | "));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> =
            columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
        text += &format!(" {} ;\n", cells.join(" | "));
    }
    text + end
}

/// Writes and reads of two locations: more executions than anyone counts.
pub fn search() -> String {
    let line = |row: usize, thread: usize| match (row + thread) % 2 {
        0 => format!("MOV E{}X,[x{}]", ["A", "B", "C", "D"][row % 4], (row + 1) % 2),
        _ => format!("MOV [x{}],${}", row % 2, 1 + row + 10 * thread),
    };
    let columns: Vec<Vec<String>> = (0..6).map(|t| (0..8).map(|row| line(row, t)).collect()).collect();
    table("X86", "", &columns, "exists (0:EAX=1 /\\ 1:EAX=99)\n")
}

fn branches() -> String {
    let reader = (0..40).flat_map(|n| {
        ["LDR W0,[X1]".to_string(), format!("CBZ W0,L{n}"), "ADD W2,W2,#1".to_string(), format!("L{n}:")]
    });
    let writer = (0..40).flat_map(|n| [format!("MOV W0,#{}", n % 3), "STR W0,[X1]".to_string()]);
    table("AArch64", "0:X1=x; 1:X1=x;", &[reader.collect(), writer.collect()], "exists (0:X2=1)\n")
}

/// Few paths in each thread, and many combinations of them.
fn worlds() -> String {
    let thread = |t: usize| {
        (0..9).flat_map(move |n| {
            let label = format!("L{t}x{n}");
            [
                "LDR W0,[X1]".to_string(),
                format!("CBZ W0,{label}"),
                "ADD W2,W2,#1".to_string(),
                format!("{label}:"),
            ]
        })
    };
    let mut columns: Vec<Vec<String>> = (0..3).map(|t| thread(t).collect()).collect();
    columns.push((0..12).flat_map(|n| [format!("MOV W0,#{}", n % 3), "STR W0,[X1]".to_string()]).collect());
    table("AArch64", "0:X1=x; 1:X1=x; 2:X1=x; 3:X1=x;", &columns, "exists (0:X2=1)\n")
}

/// Likewise to [`search`], with a thread that waits in the end.
fn spin() -> String {
    let wait = "          | | | | | ;\n L0: MOV EAX,[x0] | | | | | ;\n CMP EAX,$99 | | | | | ;\n JNE L0 | | | | | ;\nexists";
    search().replace("exists", wait.trim_start_matches("          | | | | | ;\n"))
}

fn long_test() -> String {
    let rows: String = (0..400_000).map(|n| format!(" MOV EAX,${} ;\n", n % 1000)).collect();
    format!("X86 long\n{{}}\n P0 ;\n{rows}exists (0:EAX=1)\n")
}

fn c_test(rounds: usize) -> String {
    let body: String = (0..rounds)
        .map(|n| format!("  int r{n} = atomic_load(x) + {n};\n  atomic_store(x, r{n});\n"))
        .collect();
    let thread = |n: usize| format!("P{n}(atomic_int *x) {{\n{body}}}\n");
    format!("C long\n{{}}\n{}{}{}exists (0:r0=99999)\n", thread(0), thread(1), thread(2))
}

fn long_model() -> String {
    let lines: String = (1..150_000).map(|n| format!("let r{n} = r{} | po;rf\n", n - 1)).collect();
    format!("\"long\"\nlet r0 = po\n{lines}acyclic r149999\n")
}

/// A function that calls itself twice, thirty deep.
fn calls() -> String {
    let lines: String = (1..60).map(|n| format!("let f{n} x = f{}(x) | f{}(x;po)\n", n - 1, n - 1)).collect();
    format!("\"calls\"\nlet f0 x = x | po\n{lines}acyclic f59(rf)\n")
}

fn forall() -> String {
    let open: String = (0..40).map(|n| format!("forall c{n} in classes do\n")).collect();
    format!("\"forall\"\nlet classes = classes-loc(M)\n{open}acyclic po\n{}", "end\n".repeat(40))
}

const ADDERS: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
void *add(void *unused) { for (int i = 0; i < 6; i++) atomic_fetch_add(&x, 1); return 0; }
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
  assert(x == 36);
  return 0;
}
";

fn inputs() -> tempfile::TempDir {
    let macros: String = (1..60).map(|n| format!("#define A{n} A{} + A{}\n", n - 1, n - 1)).collect();
    let statements: String = (0..150_000).map(|n| format!(" x = x + {n};\n")).collect();
    let owned = [
        ("long.litmus", long_test()),
        ("long-c.litmus", c_test(60_000)),
        ("long.cat", long_model()),
        ("calls.cat", calls()),
        ("forall.cat", forall()),
        ("branches.litmus", branches()),
        ("worlds.litmus", worlds()),
        ("search.litmus", search()),
        ("spin.litmus", spin()),
        ("adders.c", ADDERS.to_string()),
        ("macros.c", format!("#define A0 x\n{macros}int main(void) {{ int x = 1; return A59; }}\n")),
        ("long.c", format!("int x;\nint main(void) {{\n{statements} return 0;\n}}\n")),
        ("SB.litmus", super::SB.to_string()),
        ("SB.log", "Test t Allowed\nStates 1\n0:EAX=1; 1:EAX=99;\nOk\nWitnesses\nPositive: 1 Negative: 0\nCondition exists (true)\nObservation t Always 1 0\n\n".to_string()),
    ];
    let files: Vec<(&str, &str)> = owned.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let dir = folder(&files);
    let pipe = dir.path().join("pipe.litmus");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    dir
}

/// The command in a folder, its output in files there: nobody need read along.
fn start(folder: &Path, args: &[&str]) -> Child {
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", MEGABYTES * 1024);
    let file = |name: &str| std::fs::File::create(folder.join(name)).expect("a file in the folder");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_litmus")])
        .args(args)
        .current_dir(folder)
        .env_remove("HERDLIB")
        .stdin(Stdio::null())
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .expect("a shell")
}

/// Its exit code, if it ends in time; else it is ended.
fn wait(child: &mut Child, patience: Duration) -> Option<Option<i32>> {
    let started = Instant::now();
    while started.elapsed() < patience {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status.code());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

fn said(folder: &Path) -> String {
    let text = std::fs::read(folder.join("err")).unwrap_or_default();
    String::from_utf8_lossy(&text).chars().take(600).collect()
}

/// What happened otherwise than it should.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn take(&mut self, busy: &Busy, how: &str, ended: Option<Option<i32>>, wanted: i32, folder: &Path) {
        if ended != Some(Some(wanted)) {
            let code = ended.map_or("no end".to_string(), |code| format!("exit {code:?}"));
            self.0.push(format!("{} ({how}): {code}, {wanted} was wanted\n{}", busy.what, said(folder)));
        }
    }
}

#[test]
fn ctrl_c_stops_every_phase() {
    let dir = inputs();
    let mut wrong = Wrong::default();
    let mut interrupted = 0;
    for busy in ALL {
        let mut child = start(dir.path(), busy.args);
        if let Some(code) = wait(&mut child, HEAD_START) {
            println!("{:<28} ended by itself, {code:?}", busy.what);
            continue;
        }
        let pressed = Instant::now();
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().is_ok_and(|status| status.success()));
        let ended = wait(&mut child, PATIENCE);
        println!("{:<28} {:>5} ms", busy.what, pressed.elapsed().as_millis());
        if ended.is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // It may have been done just when the key was pressed.
        if ended == Some(Some(0)) {
            continue;
        }
        interrupted += 1;
        wrong.take(busy, "Ctrl-C", ended, 130, dir.path());
        if busy.what == "parsing a test"
            && !said(dir.path()).contains("error[limit::interrupted]: interrupted")
        {
            wrong.0.push(format!("{}: why it stopped is not said\n{}", busy.what, said(dir.path())));
        }
    }
    assert!(wrong.0.is_empty(), "{}", wrong.0.join("\n"));
    assert!(interrupted > ALL.len() / 2, "most end by themselves: what is tested?");
}

#[test]
fn time_limits_stop_every_phase() {
    let dir = inputs();
    let mut wrong = Wrong::default();
    for busy in ALL.iter().filter(|busy| busy.timed) {
        let started = Instant::now();
        let mut child = start(dir.path(), &[busy.args, &["--timeout", "0.4"]].concat());
        let ended = wait(&mut child, PATIENCE);
        println!("{:<28} {:>5} ms", busy.what, started.elapsed().as_millis());
        if ended.is_none() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // A fast machine may be done before; to start and to end takes time, too.
        if ended != Some(Some(0)) || started.elapsed() > 2 * LIMIT {
            wrong.take(busy, "--timeout", ended, 4, dir.path());
        }
    }
    assert!(wrong.0.is_empty(), "{}", wrong.0.join("\n"));
}
