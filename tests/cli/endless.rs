//! What once did not come back, or took all memory there is: run under a limit of time and of address space.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;

use super::{folder, stderr, stdout};

/// The command in a folder, with so many megabytes of address space at most and a minute of time. What ends on its own does so in a
/// fraction of that; what does not is killed, and has no exit code.
pub fn confined(folder: &Path, megabytes: u64, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes * 1024);
    command.args(["-c", &script, env!("CARGO_BIN_EXE_litmus")]).args(args);
    command.current_dir(folder).env_remove("HERDLIB").env_remove("NO_COLOR");
    command.timeout(Duration::from_secs(60));
    command
}

/// Loops that only a choice of the machine ends: each failed round leaves everything known as it was. herd7 cuts them at its bound.
#[test]
fn loops_over_a_choice_of_the_machine_are_bounded() {
    let exclusive = "AArch64 exclusive
{ 0:X0=x; }
 P0                  ;
 L0: LDXR W1,[X0]    ;
     MOV W3,#2       ;
     STXR W4,W3,[X0] ;
     CBNZ W4,L0      ;
exists (0:X1=0)
";
    let counting = exclusive.replace("L0: LDXR", "L0: ADD W5,W5,#1 ;\n LDXR");
    let dir = folder(&[("a.litmus", exclusive), ("b.litmus", &counting)]);
    for name in ["a.litmus", "b.litmus"] {
        let run = confined(dir.path(), 4000, &["run", name, "-m", "aarch64"]).assert().code(0);
        let said = stdout(&run);
        assert!(said.contains("\nLoop Ok\n") && said.contains("Always 3 0\n"), "{name}: {said}");
    }
}

/// A jump on a constant that leads to itself: herd7 does not end there.
#[test]
fn a_loop_that_changes_nothing_is_bounded() {
    let test = "AArch64 forever\n{}\n P0 ;\n L0: CBZ WZR,L0 ;\nexists (0:X1=0)\n";
    let dir = folder(&[("a.litmus", test)]);
    let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "aarch64"]).assert().code(0);
    assert!(stdout(&run).contains("\nLoop No\n"));
}

/// Counted loops end by themselves, also those with choices inside: the bound is not for them.
#[test]
fn a_counted_loop_over_choices_is_not_cut() {
    let test = "AArch64 counted
{ 0:X0=x; }
 P0                  ;
 L0: ADD W5,W5,#1    ;
     LDXR W1,[X0]    ;
     STXR W4,W5,[X0] ;
     CMP W5,#4       ;
     B.NE L0         ;
exists (0:X5=4)
";
    let dir = folder(&[("a.litmus", test)]);
    let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "aarch64"]).assert().code(0);
    let said = stdout(&run);
    assert!(said.contains("\nOk\n") && said.contains("Always 16 0\n"), "{said}");
}

/// The same in C: the idioms of lock-free code.
#[test]
fn c_loops_over_a_choice_of_the_machine_are_bounded() {
    let cas = "atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_relaxed, memory_order_relaxed)";
    let idioms = [
        format!("do {{ }} while (!{cas});"),
        format!("for (; !{cas};) {{ }}"),
        format!("int b; do {{ b = {cas}; }} while (!b);"),
        format!("while (!{cas}) {{ }}"),
        format!("int done = 0; while (!done) {{ if ({cas}) done = 1; }}"),
        format!("int done = 0; int n = 0; while (!done) {{ n = n + 1; if ({cas}) done = 1; }}"),
    ];
    for idiom in idioms {
        let test = format!("C idiom\n{{}}\nP0(atomic_int *x) {{ int e = 0; {idiom} }}\nexists (x=1)\n");
        let dir = folder(&[("a.litmus", &test)]);
        let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "rc11", "--mode", "states"]).assert();
        let said = stdout(&run.code(0));
        assert!(said.contains("\nLoop Ok\n"), "{idiom}: {said}");
    }
}

/// And with what the kernel has for it.
#[test]
fn kernel_loops_over_a_choice_are_bounded() {
    let idioms = [
        "while (!spin_trylock(l)) { }",
        "do { } while (!atomic_add_unless(x, 1, 0));",
        "while (!atomic_inc_not_zero(x)) { }",
        "while (atomic_cmpxchg(x, 0, 1) != 0) { }",
    ];
    for idiom in idioms {
        let test = format!(
            "C idiom\n{{}}\nP0(atomic_t *x, spinlock_t *l) {{ {idiom} }}\nP1(atomic_t *x) {{ atomic_set(x, 1); }}\nexists (x=1)\n"
        );
        let dir = folder(&[("a.litmus", &test)]);
        let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "lkmm", "--mode", "states"]).assert();
        let said = stdout(&run.code(0));
        assert!(said.contains("\nLoop "), "{idiom}: {said}");
    }
}

const SB: &str = super::SB;

/// Files that never end, and pipes that nobody writes to.
#[test]
#[cfg(target_os = "linux")]
fn inputs_without_end() {
    let dir = folder(&[("SB.litmus", SB)]);
    let zero = confined(dir.path(), 4000, &["run", "/dev/zero", "-m", "sc"]).assert().code(2);
    assert!(stderr(&zero).contains("more than 64 MB"), "{}", stderr(&zero));
    let pipe = dir.path().join("pipe.litmus");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let args = ["run", "pipe.litmus", "SB.litmus", "-m", "sc", "--timeout", "0.5", "-j", "1"];
    let run = confined(dir.path(), 4000, &args).assert().code(4);
    insta::assert_snapshot!(stderr(&run));
    assert!(stdout(&run).contains("Test SB Allowed"), "the next test is run: {}", stdout(&run));
}

/// Models that double with each line, or run for ever.
#[test]
fn models_that_grow_without_end() {
    let lines = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let sequences = lines(40, &|i| format!("let a{} = a{i};a{i}\n", i + 1));
    let sequences = format!("\"seq\"\nlet a0 = po\n{sequences}acyclic a40\n");
    let forall = format!(
        "\"forall\"\nlet classes = classes-loc(M)\n{}acyclic po\n{}",
        lines(30, &|i| format!("forall c{i} in classes do\n")),
        lines(30, &|_| "end\n".to_string()),
    );
    let power = "\"power\"
let rec power S = match S with || {} -> {0} || e ++ es ->
  let p = power es in map (fun x -> [{e}] | x) p ++ (0) | map (fun x -> x | 0) p end
let all = power _
forall r in all do acyclic po | r end
";
    let mut files = vec![
        ("SB.litmus".to_string(), SB.to_string()),
        ("seq.cat".to_string(), sequences),
        ("forall.cat".to_string(), forall),
        ("power.cat".to_string(), power.to_string()),
        ("i40.cat".to_string(), "\"end\"\nacyclic po\n".to_string()),
    ];
    files.extend((0..40).map(|i| {
        let next = format!("include \"i{}.cat\"\n", i + 1);
        (format!("i{i}.cat"), format!("\"twice\"\n{next}{next}"))
    }));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let dir = folder(&files);
    confined(dir.path(), 4000, &["model", "check", "seq.cat"]).assert().code(0);
    confined(dir.path(), 4000, &["run", "SB.litmus", "-m", "seq.cat"]).assert().code(0);
    let twice = confined(dir.path(), 4000, &["run", "SB.litmus", "-m", "i0.cat"]).assert().code(2);
    insta::assert_snapshot!(stderr(&twice));
    for model in ["forall.cat", "power.cat"] {
        let args = ["run", "SB.litmus", "-m", model, "--timeout", "0.5"];
        let code = confined(dir.path(), 4000, &args).assert().get_output().status.code();
        assert!(code.is_some_and(|code| code != 101), "{model}: {code:?}");
    }
}

#[test]
fn many_locations_are_refused_early() {
    let stores: String = (0..4000).map(|i| format!(" MOV [x{i}],$1 ;\n")).collect();
    let test = format!("X86 locations\n{{}}\n P0 ;\n{stores}exists (x1=1)\n");
    let dir = folder(&[("a.litmus", &test)]);
    let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "x86tso"]).assert().code(3);
    assert!(stderr(&run).contains("explore::too-many-events"), "{}", stderr(&run));
}

#[test]
fn comments_that_are_never_closed() {
    let open = "(*".repeat(100_000);
    let files = [
        ("a.litmus", format!("X86 a\n{open}\n{{}}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")),
        ("b.litmus", format!("X86 b\n{{ {open} }}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")),
    ];
    for (name, text) in &files {
        let dir = folder(&[(name, text)]);
        let run = confined(dir.path(), 4000, &["run", name, "-m", "sc"]).assert();
        assert!(run.get_output().status.code().is_some(), "{name}");
    }
}

/// One test that takes more memory than it may does not take the others with it.
#[test]
fn memory_is_bounded_for_the_whole_process() {
    let dir = folder(&[("SB.litmus", SB)]);
    super::litmus_in(dir.path(), &["bench", "ring", "--sizes", "9", "--emit", "."]).assert().code(0);
    let args =
        ["run", "ring-9.litmus", "SB.litmus", "-m", "x86tso", "--max-memory", "80M", "--timeout", "40"];
    let run = confined(dir.path(), 8000, &[&args[..], &["-j", "1"]].concat()).assert();
    assert!(stdout(&run).contains("Test SB Allowed"), "{}{}", stdout(&run), stderr(&run));
    let code = run.get_output().status.code();
    assert!(code == Some(4) || code == Some(0), "{code:?}: {}", stderr(&run));
}

/// A chain of copies: each link reads what the one before wrote, or nothing; in one execution of 2^40 the first value arrives.
#[test]
fn chains_of_values_are_counted() {
    const LINKS: usize = 40;
    let names: Vec<String> = (0..=LINKS).map(|i| format!("P{i}")).collect();
    let reads: Vec<String> = (1..=LINKS).map(|i| format!("MOV EAX,[x{}]", i - 1)).collect();
    let writes: Vec<String> = (1..=LINKS).map(|i| format!("MOV [x{i}],EAX")).collect();
    let test = format!(
        "X86 chain\n{{}}\n {} ;\n MOV [x0],$1 | {} ;\n  | {} ;\nexists (x{LINKS}=1)\n",
        names.join(" | "),
        reads.join(" | "),
        writes.join(" | ")
    );
    let dir = folder(&[("a.litmus", &test)]);
    let run = confined(dir.path(), 4000, &["run", "a.litmus", "-m", "x86tso"]).assert().code(0);
    assert!(stdout(&run).contains("Observation chain Sometimes 1 1099511627775\n"), "{}", stdout(&run));
}

/// A thread that runs `main` starts another that does: each was given code of its own, without end.
#[test]
fn threads_that_start_the_program_again_are_bounded() {
    let program = "#include <pthread.h>
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, (void *(*)(void *))main, 0);
    pthread_create(&a, 0, (void *(*)(void *))main, 0);
    return 0;
}
";
    let dir = folder(&[("a.c", program)]);
    confined(dir.path(), 4000, &["verify", "--check", "a.c"]).assert().code(0);
    let run = confined(dir.path(), 4000, &["verify", "a.c", "--unroll", "2", "--timeout", "5"]).assert();
    let code = run.get_output().status.code();
    assert!(matches!(code, Some(3 | 4)), "{code:?}: {}", stderr(&run));
}

/// Executions of thousands of events: all that is known of one is made anew when there is no more room, and that takes long.
#[test]
fn large_executions_end_in_time() {
    let program = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int main(void) {
    pthread_t a;
    for (int i = 0; i < 40; i++)
        atomic_store(&x, i);
    int r = atomic_load(&x);
    pthread_create(&a, 0, (void *(*)(void *))main, 0);
    pthread_join(a, 0);
    return r;
}
";
    let dir = folder(&[("a.c", program)]);
    let run = confined(dir.path(), 4000, &["verify", "a.c", "--timeout", "2"]).assert().code(4);
    assert!(stdout(&run).contains("the time limit was reached"), "{}", stdout(&run));
}
