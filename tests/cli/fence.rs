//! `litmus fence`, `litmus await` and DVE programs: the cheapest repairs, loops that end, and what is refused.

use super::{SB, folder, litmus, litmus_in, stderr, stdout};

/// Runs `litmus fence` with `--format json`: the answer, and for each repair its cost and its changes.
fn repairs(args: &[&str]) -> (String, Vec<(u64, Vec<String>)>) {
    let mut all = vec!["fence"];
    all.extend(args);
    all.extend(["--format", "json"]);
    let run = litmus(&all).assert();
    let text = stdout(&run);
    let record: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{}", stderr(&run)));
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let change = |change: &serde_json::Value| change["what"].as_str().unwrap_or("").to_string();
    let repair = |repair: &serde_json::Value| {
        (repair["cost"].as_u64().unwrap_or(0), list(&repair["changes"]).iter().map(change).collect())
    };
    let answer = record["answer"].as_str().unwrap_or("").to_string();
    (answer, list(&record["repairs"]).iter().map(repair).collect())
}

#[test]
fn a_repair_with_its_reasons_and_a_patch() {
    let run = litmus(&["fence", "litmus/mp-riscv.litmus"]).assert().code(0);
    insta::assert_snapshot!(stdout(&run), @r"
    cost 4, optimal (21 changes to choose from, 41 runs): no execution decides the condition under riscv
      P0, line 11: `fence w,w` before `sw x10,0(x12)`
        without it: 1:x5=1; 1:x6=0;
      P1, line 9: `lw x6,0(x11)` becomes `xor x20,x5,x5; add x20,x20,x11; lw x6,0(x20)`
        without it: 1:x5=1; 1:x6=0;

    --- litmus/mp-riscv.litmus
    +++ litmus/mp-riscv.litmus
    @@ -5,8 +5,9 @@
      1:x12=y; 1:x11=x;
     }
    - P0            | P1           ;
    - ori x10,x0,1  | lw x5,0(x12) ;
    - sw x10,0(x11) | lw x6,0(x11) ;
    - ori x10,x0,1  |              ;
    - sw x10,0(x12) |              ;
    + P0            | P1              ;
    + ori x10,x0,1  | lw x5,0(x12)    ;
    + sw x10,0(x11) | xor x20,x5,x5   ;
    + ori x10,x0,1  | add x20,x20,x11 ;
    + fence w,w     | lw x6,0(x20)    ;
    + sw x10,0(x12) |                 ;
     exists (1:x5=1 /\ 1:x6=0)
    ");
}

#[test]
fn prices_decide() {
    let test = "litmus/sb-x86.litmus";
    let (_, exchanged) = repairs(&[test]);
    assert_eq!(exchanged[0].0, 16);
    assert!(exchanged[0].1[0].contains("XCHG"), "{exchanged:?}");
    let (_, fenced) = repairs(&[test, "--cost", "mfence=3"]);
    assert_eq!(fenced[0].0, 6);
    assert!(fenced[0].1.iter().all(|change| change.contains("MFENCE")), "{fenced:?}");
    // One of each where they cost the same.
    let (_, all) = repairs(&[test, "--cost", "mfence=8", "--all"]);
    assert_eq!(all.len(), 4);
    let (_, alike) = repairs(&[test, "--cost", "mfence=8", "--all", "--symmetric"]);
    assert_eq!(alike.len(), 2);
    let (answer, none) = repairs(&["litmus/2+2w-ppc.litmus", "--with", "eieio", "--for", "robust"]);
    assert_eq!((answer.as_str(), none.len()), ("repaired", 1));
}

/// What was repaired holds: the changed test, run again, is never what it was.
#[test]
fn changed_tests_hold() {
    for (name, word) in
        [("sb-x86", "Never"), ("iriw-ppc", "Never"), ("mp-aarch64", "Never"), ("lb-arm", "Never")]
    {
        let file = format!("litmus/{name}.litmus");
        let run = litmus(&["fence", &file, "--format", "source"]).assert().code(0);
        let dir = folder(&[("T.litmus", &stdout(&run))]);
        let run = litmus_in(dir.path(), &["run", "T.litmus"]).assert().code(0);
        assert!(stdout(&run).contains(word), "{name}: {}", stdout(&run));
        let again = litmus_in(dir.path(), &["fence", "T.litmus"]).assert().code(0);
        assert!(stdout(&again).starts_with("nothing is needed"), "{name}: {}", stdout(&again));
    }
}

#[test]
fn what_cannot_be_repaired_is_said() {
    let mp = "C mp\n{}\nP0(int *x) { *x = 1; }\nP1(int *x) { int r = *x; }\nexists (1:r=1)\n";
    let dir = folder(&[("T.litmus", mp), ("SB.litmus", SB)]);
    let run = litmus_in(dir.path(), &["fence", "T.litmus", "-m", "sc"]).assert().code(1);
    assert!(stdout(&run).starts_with("no repair"), "{}", stdout(&run));
    let usage = |args: &[&str]| stderr(&litmus_in(dir.path(), args).assert().code(2));
    assert!(usage(&["fence", "SB.litmus", "--cost", "fnord=1"]).contains("there is no change of that name"));
    assert!(usage(&["fence", "SB.litmus", "--cost", "mfence=0"]).contains("at least 1"));
    assert!(usage(&["fence", "SB.litmus", "-m", "x86tso", "--for", "G x==0"]).contains("is a formula"));
    let formula = usage(&["fence", "T.litmus", "-m", "tso", "--for", "G z==0"]);
    assert!(formula.contains("error[ltl::formula]: there is no location `z`"), "{formula}");
    let assertion = litmus_in(dir.path(), &["fence", "SB.litmus", "--for", "assert"]).assert().code(3);
    assert!(stderr(&assertion).contains("error[fence::property]: assertions are those of C programs"));
    let bpf = "BPF b\n{ 0:r1=x; }\n P0 ;\n *(u32*)(r1 + 0) = 1 ;\nexists (x=1)\n";
    let dir = folder(&[("T.litmus", bpf)]);
    let run = litmus_in(dir.path(), &["fence", "T.litmus"]).assert();
    assert!(
        stderr(&run).contains("error[fence::vocabulary]: there is no list of fences"),
        "{}",
        stderr(&run)
    );
}

/// The paper's figure 6: two processes count; under the rule of locked instructions both writes of x must be atomic, under the paper's own
/// one of them is enough.
#[test]
fn the_two_counters() {
    let formula = "F (x == 2 && y > 0)";
    let test = ["litmus/dve/counters.dve", "-m", "tso", "--for", formula, "--fair", "--fewest", "--all"];
    let (_, own) = repairs(&[&test[..], &["--atomic-rule", "own"]].concat());
    assert_eq!(own.len(), 1, "{own:?}");
    assert_eq!(own[0].1.len(), 2, "{own:?}");
    assert!(own[0].1.iter().all(|change| change.contains("first -> second")), "{own:?}");
    let (_, global) = repairs(&[&test[..], &["--atomic-rule", "global"]].concat());
    assert_eq!(global[0].1.len(), 1, "{global:?}");
}

/// Locks of 002's table, in models of our own: no more atomic writes than these, and no fewer do.
#[test]
fn atomic_writes_of_locks() {
    let exclusion = "G !(P0@cs && P1@cs)";
    for (file, formula, fair, least) in [
        ("litmus/peterson-loop.litmus", exclusion, "memory", 2),
        ("litmus/dve/peterson.dve", exclusion, "memory", 2),
        ("tests/programs/lamport-loop.litmus", exclusion, "memory", 4),
        ("litmus/dve/lamport.dve", exclusion, "memory", 2),
        ("litmus/dve/anderson.dve", "G (P0@wait -> F P0@cs)", "all", 3),
    ] {
        let args = [file, "-m", "tso", "--for", formula, "--with", "atomic", "--fewest", "--fair", fair];
        let (answer, found) = repairs(&args);
        assert_eq!(
            (answer.as_str(), found.first().map(|best| best.1.len())),
            ("repaired", Some(least)),
            "{file}"
        );
    }
}

/// What `--format atomic` prints, `ltl --atomic` reads.
#[test]
fn atomic_writes_as_a_file() {
    let formula = "G !(P0@cs && P1@cs)";
    let file = "litmus/peterson-loop.litmus";
    let args = ["fence", file, "-m", "tso", "--for", formula, "--with", "atomic", "--format", "atomic"];
    let list = stdout(&litmus(&args).assert().code(0));
    insta::assert_snapshot!(list, @r"
    turn P0:9
    turn P1:20
    ");
    let dir = folder(&[("atomic.txt", &list)]);
    let path = dir.path().join("atomic.txt");
    let path = path.to_str().expect("a path");
    litmus(&["ltl", file, formula, "-m", "tso", "--atomic", path]).assert().code(0);
    litmus(&["ltl", file, formula, "-m", "tso"]).assert().code(1);
}

#[test]
fn loops_that_end_and_loops_that_do_not() {
    let run = litmus(&["await", "litmus/peterson-loop.litmus", "-m", "sc"]).assert().code(0);
    insta::assert_snapshot!(stdout(&run), @r"
    P0, line 10: ends
    P0, line 6: this loop has no end
    P1, line 21: ends
    P1, line 17: this loop has no end
    ");
    let waits = "C waits\n{}\nP0(int *x) {\n  while (*x == 0) {}\n}\nP1(int *x) {\n  if (*x == 2) *x = 1;\n}\nexists (x=1)\n";
    let dir = folder(&[("T.litmus", waits)]);
    let run = litmus_in(dir.path(), &["await", "T.litmus", "-m", "tso"]).assert().code(0);
    assert!(stdout(&run).contains("P0, line 4: this loop has no end"), "{}", stdout(&run));
    let perhaps = waits
        .replace("*x == 2", "*y == 0")
        .replace("(int *x)", "(int *x, int *y)")
        .replace("exists", "P2(int *y) {\n  *y = 1;\n}\nexists");
    let dir = folder(&[("T.litmus", &perhaps)]);
    let run = litmus_in(dir.path(), &["await", "T.litmus", "-m", "tso"]).assert().code(1);
    assert!(
        stdout(&run).contains("P0, line 4: may run for ever (tso with buffers of 1)"),
        "{}",
        stdout(&run)
    );
}

/// SB with n writes to a cell of its own before each load: both loads miss only if n of them can wait.
#[test]
fn separators() {
    for n in 1..=3usize {
        let thread = |number: usize, mine: &str, other: &str| {
            let own: String = (1..=n).map(|k| format!("  *p{number} = {k};\n")).collect();
            format!(
                "P{number}(int *{mine}, int *{other}, int *p{number}) {{\n  *{mine} = 1;\n{own}  int r = *{other};\n}}\n"
            )
        };
        let test = format!("C sb{n}\n{{}}\n{}{}exists (x=1)\n", thread(0, "x", "y"), thread(1, "y", "x"));
        let dir = folder(&[("T.litmus", &test)]);
        for k in 1..=3usize {
            let k_text = k.to_string();
            let both = "ended(P0) && ended(P1) && 0:r == 0 && 1:r == 0";
            let args = ["ltl", "T.litmus", both, "--reach", "-m", "tso", "--buffer", &k_text];
            litmus_in(dir.path(), &args).assert().code(if k >= n { 0 } else { 1 });
        }
    }
}

#[test]
fn programs_in_c_have_formulas_too() {
    let program = "#include <pthread.h>\nint x, y, a, b;\nvoid *f(void *p) { x = 1; a = y; done: return 0; }\n\
                   void *g(void *p) { y = 1; b = x; done: return 0; }\nint main(void) { pthread_t s, t;\n\
                   pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); pthread_join(s, 0); pthread_join(t, 0);\n\
                   end: return a + b; }\n";
    let dir = folder(&[("p.c", program)]);
    let formula = "G (P0@end -> a != 0 || b != 0)";
    litmus_in(dir.path(), &["ltl", "p.c", formula, "-m", "sc"]).assert().code(0);
    litmus_in(dir.path(), &["ltl", "p.c", formula, "-m", "tso"]).assert().code(1);
    litmus_in(dir.path(), &["ltl", "p.c", "F P0@end", "-m", "tso", "--fair"]).assert().code(0);
    let args = ["fence", "p.c", "-m", "tso", "--for", formula, "--format", "source"];
    let fenced = stdout(&litmus_in(dir.path(), &args).assert().code(0));
    assert_eq!(fenced.matches("__sync_synchronize();").count(), 2, "{fenced}");
}

/// What is wrong with a DVE program, or what is not read.
#[test]
fn dve_that_is_refused() {
    let process = |body: &str| {
        format!("byte x;\nprocess A {{\n  state a, b;\n  init a;\n  trans\n    {body}\n}}\nsystem async;\n")
    };
    for (text, code, said) in [
        (
            process("a -> b { effect x = 1 $; };"),
            2,
            "error[dve::character]: `$` is not part of a DVE program",
        ),
        (process("a -> b { effect x; };"), 2, "error[dve::syntax]: expected `=`, found `;`"),
        (process("a -> c {};"), 2, "error[dve::state]: process `A` has no state `c`"),
        (process("a -> b { effect z = 1; };"), 2, "error[dve::variable]: there is no variable `z`"),
        (process("a -> b { guard B.a; };"), 2, "error[dve::process]: there is no process `B`"),
        (process("a -> b { guard 1 / x; };"), 2, "error[dve::value]: a guard has no value"),
        (process("a -> b { sync c!; };"), 3, "error[dve::unsupported]: channels of DVE are not supported"),
        ("byte x[0];\n".to_string(), 2, "error[dve::declaration]: `x` has no such length"),
        ("byte x;\nsystem async;\n".to_string(), 2, "error[dve::empty]: there is no process"),
    ] {
        let dir = folder(&[("a.dve", &text)]);
        let run = litmus_in(dir.path(), &["ltl", "a.dve", "F x == 1"]).assert().code(code);
        assert!(stderr(&run).contains(said), "{text}{}", stderr(&run));
    }
}

/// Objects that live at once where the machine has one place for them.
#[test]
fn objects_without_number_are_refused() {
    let program = "#include <stdlib.h>\nint n;\nint main(void) { while (n < 3) { int *p = malloc(4); *p = n; n = n + 1; } return 0; }\n";
    let dir = folder(&[("p.c", program)]);
    let run = litmus_in(dir.path(), &["ltl", "p.c", "F n == 3", "-m", "sc"]).assert().code(3);
    assert!(stderr(&run).contains("error[machine::objects]: an object is made"), "{}", stderr(&run));
    let once = program.replace("n = n + 1;", "n = n + 1; free(p);");
    let dir = folder(&[("p.c", &once)]);
    litmus_in(dir.path(), &["ltl", "p.c", "F n == 3", "-m", "sc", "--fair"]).assert().code(0);
}

/// The table of the book: each row is what the command finds, and nothing cheaper does.
#[test]
fn the_classics_of_the_book() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fences.md");
    let book = std::fs::read_to_string(book).expect("the book");
    let mut rows = 0;
    // Other tables say more than its name about a file.
    let of_a_file = |line: &&str| {
        let first = line.split('|').nth(1).unwrap_or("").trim();
        (first.starts_with("`litmus/") || first.starts_with("`tests/kernel/")) && first.ends_with(".litmus`")
    };
    for line in book.lines().filter(of_a_file) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, file, model, cost, repair, without, _] = cells[..] else { panic!("{line}") };
        let run =
            litmus(&["fence", file.trim_matches('`'), "-m", model, "--format", "json"]).assert().code(0);
        let record: serde_json::Value = serde_json::from_str(&stdout(&run)).expect(line);
        let best = &record["repairs"][0];
        let mut breaks: Vec<String> = Vec::new();
        let change = |change: &serde_json::Value| {
            let state = change["without"].as_str().unwrap_or("").trim_end_matches(';').replace("; ", ", ");
            assert_ne!(state, "", "{line}: what breaks without it");
            if !breaks.contains(&state) {
                breaks.push(state);
            }
            format!(
                "P{} `{}` line {}",
                change["thread"],
                change["name"].as_str().unwrap_or(""),
                change["line"]
            )
        };
        let found: Vec<String> =
            best["changes"].as_array().map_or(Vec::new(), |all| all.iter().map(change).collect());
        let found = if found.is_empty() { "nothing is needed".to_string() } else { found.join(", ") };
        let cost_found = best["cost"].as_u64().unwrap_or(0).to_string();
        assert_eq!(
            (cost_found.as_str(), found.as_str(), breaks.join("; or ").as_str()),
            (cost, repair, without),
            "{line}"
        );
        rows += 1;
    }
    assert_eq!(rows, 48);
}

/// Dependencies, and what Power and Arm make of a jump: each is chosen where it is the cheapest, and what it makes is run.
#[test]
fn dependencies_are_made() {
    let change = |args: &[&str]| {
        let (answer, found) = repairs(args);
        assert_eq!(answer, "repaired", "{args:?}");
        found[0].1.join("\n")
    };
    for (file, with, text) in [
        ("litmus/mp-aarch64.litmus", "stlr,addr", "EOR X19,X1,X1"),
        ("litmus/mp-aarch64.litmus", "stlr,ctrl.isb", "ISB"),
        ("litmus/mp-ppc.litmus", "lwsync,addr", "xor r20,"),
        ("litmus/mp-ppc.litmus", "lwsync,ctrl.isync", "isync"),
        ("litmus/mp-riscv.litmus", "rl,aq", "lr.w.aq x5,(x12)"),
        ("litmus/mp-riscv.litmus", "fence.w.w,addr", "xor x20,x5,x5"),
        ("litmus/lb-aarch64.litmus", "ctrl", "CBNZ W"),
        ("litmus/lb-ppc.litmus", "ctrl", "cmpw"),
        ("litmus/lb-riscv.litmus", "ctrl", "bne"),
        ("litmus/lb-arm.litmus", "ctrl", "CMP R"),
        ("litmus/lb-arm.litmus", "addr", "EOR R7,"),
    ] {
        let found = change(&[file, "--with", with]);
        assert!(found.contains(text), "{file} with {with}: {found}");
        let source = stdout(&litmus(&["fence", file, "--with", with, "--format", "source"]).assert().code(0));
        let dir = folder(&[("T.litmus", &source)]);
        let run = litmus_in(dir.path(), &["run", "T.litmus"]).assert().code(0);
        assert!(stdout(&run).contains(" Never "), "{source}\n{}", stdout(&run));
    }
    // A control dependency does not keep reads in order.
    let run = litmus(&["fence", "litmus/mp-ppc.litmus", "--with", "lwsync,ctrl"]).assert().code(0);
    assert!(!stdout(&run).contains("beq"), "{}", stdout(&run));
}

/// Nothing is taken for granted: every cheaper set is run, and none is enough.
#[test]
fn nothing_cheaper_does() {
    for (file, model) in [
        ("litmus/sb-x86.litmus", "x86tso"),
        ("litmus/mp-aarch64.litmus", "aarch64"),
        ("litmus/mp-riscv.litmus", "riscv"),
        ("litmus/wrc-ppc.litmus", "ppc"),
        ("litmus/mp-c11.litmus", "rc11"),
        ("litmus/treiber-c11.litmus", "rc11"),
        ("tests/kernel/mp.litmus", "lkmm"),
    ] {
        let (_, found) = repairs(&[file, "-m", model]);
        let (_, surely) = repairs(&[file, "-m", model, "--exhaustive"]);
        assert_eq!(found[0].0, surely[0].0, "{file}: {found:?} {surely:?}");
    }
}

/// A fence in the body of a macro is one wherever the macro is called.
#[test]
fn in_the_body_of_a_macro() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y, seen[2];\n#define THREAD(name, mine, other, me) \\\n    \
                void *name(void *arg) {           \\\n        mine = 1;                     \\\n        \
                seen[me] = other;             \\\n        return 0;                     \\\n    }\n\
                THREAD(first, x, y, 0)\nTHREAD(second, y, x, 1)\nint main(void) {\n    pthread_t a, b;\n    \
                pthread_create(&a, 0, first, 0);\n    pthread_create(&b, 0, second, 0);\n    pthread_join(a, 0);\n    \
                pthread_join(b, 0);\n    assert(seen[0] || seen[1]);\n    return 0;\n}\n";
    let dir = folder(&[("t.c", text)]);
    let run = litmus_in(dir.path(), &["fence", "t.c", "-m", "tso", "--format", "patch"]).assert().code(0);
    insta::assert_snapshot!(stdout(&run), @r"
    --- t.c
    +++ t.c
    @@ -5,4 +5,5 @@
         void *name(void *arg) {           \
             mine = 1;                     \
    +        __sync_synchronize();         \
             seen[me] = other;             \
             return 0;                     \
    ");
}

/// The kernel's fences for atomic variables and locks, where they belong and are cheapest.
#[test]
fn fences_of_the_kernel() {
    let atomic = "C t\n{}\nP0(atomic_t *x, int *y) {\n  atomic_inc(x);\n  int r = READ_ONCE(*y);\n}\n\
                  P1(atomic_t *x, int *y) {\n  int s = READ_ONCE(*y);\n  WRITE_ONCE(*y, s + 1);\n  int r = atomic_fetch_add_relaxed(1, x);\n}\n\
                  exists (0:r=0 /\\ 1:r=0)\n";
    let lock = "C t\n{}\nP0(int *x, int *y, spinlock_t *l) {\n  WRITE_ONCE(*x, 1);\n  spin_lock(l);\n  int r = READ_ONCE(*y);\n  spin_unlock(l);\n}\n\
                P1(int *x, int *y) {\n  WRITE_ONCE(*y, 1);\n  smp_mb();\n  int r = READ_ONCE(*x);\n}\nexists (0:r=0 /\\ 1:r=0)\n";
    let hand_over = "C t\n{}\nP0(int *x, spinlock_t *l) {\n  spin_lock(l);\n  WRITE_ONCE(*x, 1);\n  spin_unlock(l);\n}\n\
                     P1(int *x, int *y, spinlock_t *l) {\n  spin_lock(l);\n  int r = READ_ONCE(*x);\n  int s = READ_ONCE(*y);\n  spin_unlock(l);\n}\n\
                     P2(int *x, int *y) {\n  WRITE_ONCE(*y, 1);\n  smp_mb();\n  int r = READ_ONCE(*x);\n}\n\
                     exists (1:r=1 /\\ 1:s=0 /\\ 2:r=0)\n";
    let dir = folder(&[("atomic.litmus", atomic), ("lock.litmus", lock), ("hand-over.litmus", hand_over)]);
    let mut all = String::new();
    for file in ["atomic.litmus", "lock.litmus", "hand-over.litmus"] {
        let run = litmus_in(dir.path(), &["fence", file, "-m", "lkmm"]).assert().code(0);
        let text = stdout(&run);
        all += text.split("\n\n").next().unwrap_or("");
        all += "\n";
    }
    insta::assert_snapshot!(all, @"
    cost 10, optimal (18 changes to choose from, 27 runs): no execution decides the condition under lkmm
      P0, line 4: `smp_mb__after_atomic();` after `atomic_inc(x)`
        without it: 0:r=0; 1:r=0;
      P1, line 10: `r = atomic_fetch_add_relaxed(1, x)` becomes `r = atomic_fetch_add_release(1, x)`
        without it: 0:r=0; 1:r=0;
    cost 7, optimal (21 changes to choose from, 18 runs): no execution decides the condition under lkmm
      P0, line 5: `smp_mb__after_spinlock();` after `spin_lock(l)`
        without it: 0:r=0; 1:r=0;
    cost 6, optimal (30 changes to choose from, 23 runs): no execution decides the condition under lkmm
      P1, line 9: `smp_mb__after_unlock_lock();` after `spin_lock(l)`
        without it: 1:r=1; 1:s=0; 2:r=0;
    ");
}
