//! What once did not come back, or took all memory there is: run under a limit of time and of address space.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;

use super::{folder, stdout};

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
