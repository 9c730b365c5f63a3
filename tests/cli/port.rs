//! `litmus port`: may a program move from one model to another, how far has that been looked at, and why not?

use super::{folder, litmus, litmus_in, shown, stderr, stdout};

/// Two threads that wait for each other's flag to be down, and never lower their own.
const WAITING: &str = "C waiting
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r = atomic_load_explicit(y, memory_order_relaxed);
  while (r == 1) { r = atomic_load_explicit(y, memory_order_relaxed); }
}
P1(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r = atomic_load_explicit(x, memory_order_relaxed);
  while (r == 1) { r = atomic_load_explicit(x, memory_order_relaxed); }
}
exists (0:r=0 /\\ 1:r=0)
";

#[test]
fn events_may_be_bounded_instead_of_rounds() {
    let dir = folder(&[("W.litmus", WAITING)]);
    let run = |args: &[&str]| shown(&litmus_in(dir.path(), args).assert());
    insta::assert_snapshot!(run(&["run", "W.litmus", "-m", "tso", "--bound-events", "2", "--cut", "keep", "-q"]), @r"
    Test waiting Allowed
    States 1
    0:r=0; 1:r=0;
    Loop Ok
    Witnesses
    Positive: 1 Negative: 0
    Condition exists (0:r=0 /\ 1:r=0)
    Observation waiting Always 1 0
    Uncompleted waiting 3
    Uncompleted 0:r=0; 1:r=1;
    Uncompleted 0:r=1; 1:r=0;
    Uncompleted 0:r=1; 1:r=1;
    Time waiting #
    Hash=ac5d982325386e22fed066beb5df2c35

    --- exit 0
    ");
    insta::assert_snapshot!(run(&["run", "W.litmus", "-m", "tso", "--bound-events", "1"]), @r#"
    Test waiting Allowed
    States 0
    Loop No
    Witnesses
    Positive: 0 Negative: 0
    Condition exists (0:r=0 /\ 1:r=0)
    Observation waiting Never 0 0
    Time waiting #
    Hash=ac5d982325386e22fed066beb5df2c35

    --- stderr
    Warning: File "W.litmus": unrolling limit exceeded at 1 event, legal outcomes may be missing.
    W.litmus: waiting: no execution at all: every path was cut at the bound (at 1 event)
    W.litmus: waiting: bounded: P0 after 1 event, P1 after 1 event was cut off by --bound-events; outcomes may be missing, those shown are certain; the verdict is not certain: what was not explored may change it
    --- exit 0
    "#);
    insta::assert_snapshot!(run(&["port", "W.litmus", "--from", "sc", "--to", "pso", "--bound-events", "3", "--states"]), @"
    waiting, from sc to pso: not portable: 1 of 1 state, 0 of sc; up to the bound
    pso reaches this final state, and sc does not:
      0:r=0; 1:r=0; [x]=1; [y]=1;
    Test waiting, pso: 0:r=0; 1:r=0; satisfies the exists clause
      init: x=0, y=0
      P0                                                                 |  P1
      a: W.rlx[x]=1  atomic_store_explicit(x, 1, memory_order_relaxed);  |  c: W.rlx[y]=1  atomic_store_explicit(y, 1, memory_order_relaxed);
      b: R.rlx[y]=0  r = atomic_load_explicit(y, memory_order_relaxed)   |  d: R.rlx[x]=0  r = atomic_load_explicit(x, memory_order_relaxed)
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    why sc refuses it:
      b reads from init:y, d reads from init:x
      `sc` forbids cycles (<library>/sc.cat:12): acyclic po | (rf | co | fr); sm as sc
      and here is one:
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
          po: a comes before b in program order
              [<library>/sc.cat:12: po]
        b: R.rlx[y]=0  P0, line 5: r = atomic_load_explicit(y, memory_order_relaxed)
          fr: b reads what init:y wrote to y, which c overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        c: W.rlx[y]=1  P1, line 9: atomic_store_explicit(y, 1, memory_order_relaxed);
          po: c comes before d in program order
              [<library>/sc.cat:12: po]
        d: R.rlx[x]=0  P1, line 10: r = atomic_load_explicit(x, memory_order_relaxed)
          fr: d reads what init:x wrote to x, which a overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
    --- exit 1
    ");
    insta::assert_snapshot!(run(&["robust", "W.litmus", "-m", "sc", "--bound-events", "5", "--cut", "keep"]), @"
    waiting, sc against sc: robust: 3 executions, 3 of sc; up to the bound
    --- exit 0
    ");
    for refused in [["--cut", "exit"], ["--engine", "grow"], ["--unroll", "2"]] {
        let args = [&["run", "W.litmus", "--bound-events", "3"], &refused[..]].concat();
        litmus_in(dir.path(), &args).assert().code(2);
    }
    insta::assert_snapshot!(run(&["run", "W.litmus", "--bound-events", "3", "--cut", "exit"]), @"
    --- stderr
    error: `--cut exit` leaves loops, and `--bound-events` does not count their rounds: give --unroll
    --- exit 2
    ");
    for engine in ["grow", "worlds"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(run(&["run", "W.litmus", "-m", "sc", "--engine", engine, "--cut", "exit", "--unroll", "1", "--format", "table"]), @"
              Test     sc
              waiting  No Never 0/3
            --- exit 0
            ");
        }
    }
    insta::assert_snapshot!(run(&["run", "W.litmus", "--engine", "sat", "--mode", "states", "--cut", "keep"]), @"
    --- stderr
    error: `--cut keep` is for --engine worlds and naive
    --- exit 2
    ");
}

/// Final writes are those of what a test observes, as in a run: here of nothing. Complete final states observe everything, and that is said.
#[test]
fn final_writes_are_those_of_a_run() {
    let model =
        "\"no final write\"\ninclude \"cos.cat\"\nacyclic po | rf | co | fr as sc\nempty FW as none\n";
    let dir = folder(&[("SB.litmus", super::SB), ("fw.cat", model)]);
    let run = |args: &[&str]| shown(&litmus_in(dir.path(), args).assert());
    let port = ["port", "SB.litmus", "--from", "./fw.cat", "--to", "sc"];
    insta::assert_snapshot!(run(&["run", "SB.litmus", "-m", "./fw.cat", "--format", "table"]), @"
      Test  ./fw.cat
      SB    No Never 0/3
    --- exit 0
    ");
    insta::assert_snapshot!(run(&port), @"
    SB, from ./fw.cat to sc: portable: 3 executions
    --- exit 0
    ");
    insta::assert_snapshot!(run(&[&port[..], &["--states"]].concat()), @"
    SB, from ./fw.cat to sc: not portable: 3 of 3 states, 0 of ./fw.cat
    sc reaches this final state, and ./fw.cat does not:
      0:EAX=0; 1:EAX=1; [x]=1; [y]=1;
    Test SB, sc: 0:EAX=0; 1:EAX=1; does not satisfy the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EAX,[y]  |  d: R[x]=1  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, a -> d
      fr: b -> c
    why ./fw.cat refuses it:
      b reads from init:y, d reads from a
      `none` forbids such an event (./fw.cat:4): empty FW as none
    --- exit 1
    ");
    let observing = super::SB.replace("exists", "locations [x;]\nexists");
    std::fs::write(dir.path().join("SB.litmus"), observing).unwrap();
    insta::assert_snapshot!(run(&port).lines().next().unwrap_or_default(), @"SB, from ./fw.cat to sc: not portable (none): 3 of 3 executions");
}

#[test]
fn the_answer_shows_the_cycle_that_is_refused() {
    let dir = folder(&[("SB.litmus", super::SB)]);
    let port = |args: &[&str]| {
        let all = [&["port", "SB.litmus", "--from", "sc", "--to", "x86tso"], args].concat();
        litmus_in(dir.path(), &all).assert().code(1)
    };
    insta::assert_snapshot!(shown(&port(&[])), @"
    SB, from sc to x86tso: not portable (sc): 1 of 4 executions
    x86tso allows this execution, and sc does not: its check `sc` fails
    Test SB, x86tso: 0:EAX=0; 1:EAX=0; satisfies the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EAX,[y]  |  d: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    why sc refuses it:
      b reads from init:y, d reads from init:x
      `sc` forbids cycles (<library>/sc.cat:12): acyclic po | (rf | co | fr); sm as sc
      and here is one:
        a: W[x]=1  P0, line 4: MOV [x],$1
          po: a comes before b in program order
              [<library>/sc.cat:12: po]
        b: R[y]=0  P0, line 5: MOV EAX,[y]
          fr: b reads what init:y wrote to y, which c overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        c: W[y]=1  P1, line 4: MOV [y],$1
          po: c comes before d in program order
              [<library>/sc.cat:12: po]
        d: R[x]=0  P1, line 5: MOV EAX,[x]
          fr: d reads what init:x wrote to x, which a overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        a: W[x]=1  P0, line 4: MOV [x],$1
    --- exit 1
    ");
    insta::assert_snapshot!(shown(&port(&["--states"])), @"
    SB, from sc to x86tso: not portable: 1 of 4 states, 3 of sc
    x86tso reaches this final state, and sc does not:
      0:EAX=0; 1:EAX=0; [x]=1; [y]=1;
    Test SB, x86tso: 0:EAX=0; 1:EAX=0; satisfies the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EAX,[y]  |  d: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    why sc refuses it:
      b reads from init:y, d reads from init:x
      `sc` forbids cycles (<library>/sc.cat:12): acyclic po | (rf | co | fr); sm as sc
      and here is one:
        a: W[x]=1  P0, line 4: MOV [x],$1
          po: a comes before b in program order
              [<library>/sc.cat:12: po]
        b: R[y]=0  P0, line 5: MOV EAX,[y]
          fr: b reads what init:y wrote to y, which c overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        c: W[y]=1  P1, line 4: MOV [y],$1
          po: c comes before d in program order
              [<library>/sc.cat:12: po]
        d: R[x]=0  P1, line 5: MOV EAX,[x]
          fr: d reads what init:x wrote to x, which a overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        a: W[x]=1  P0, line 4: MOV [x],$1
    --- exit 1
    ");
    let json: serde_json::Value = serde_json::from_str(&super::stdout(&port(&["--format", "json"]))).unwrap();
    assert_eq!(json["why"][0]["check"]["name"], "sc");
    assert_eq!(json["why"][0]["links"].as_array().unwrap().len(), 4);
    port(&["--graph", "pictures"]);
    let picture = std::fs::read_to_string(dir.path().join("pictures/SB.svg")).unwrap();
    assert!(picture.contains("the cycle is highlighted"), "{picture}");
    port(&["--graph", "pictures", "--graph-format", "dot"]);
    assert!(dir.path().join("pictures/SB.dot").exists());
}

/// What two models say of locks, by states, at the bound of the thesis that the question comes from.
fn locks(names: &[&str]) -> String {
    let dir = folder(&[]);
    let mut table = String::new();
    for name in names {
        let file = format!("{}/{name}.litmus", env!("CARGO_MANIFEST_DIR"));
        let answers = [("sc", "tso"), ("tso", "ppc"), ("tso", "armv7")].map(|(from, to)| {
            let how = ["--states", "--unroll", "2", "--cut", "exit", "--no-arch-check", "--format", "json"];
            let all = [&["port", &file, "--from", from, "--to", to], &how[..]].concat();
            let done = litmus_in(dir.path(), &all).assert();
            let record: serde_json::Value = serde_json::from_str(&super::stdout(&done)).unwrap();
            format!("{from} to {to}: {}", record["answer"].as_str().unwrap())
        });
        table += &format!("{name}: {}\n", answers.join(", "));
    }
    table
}

/// The quick ones of the table in the documentation.
#[test]
fn locks_at_the_bound_of_the_thesis() {
    let quick = [
        "litmus/mutex/peterson-mutex",
        "litmus/mutex/lamport-mutex",
        "litmus/mutex/parker",
        "tests/locks/peterson-entry",
        "tests/locks/burns-entry",
    ];
    insta::assert_snapshot!(locks(&quick), @"
    litmus/mutex/peterson-mutex: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    litmus/mutex/lamport-mutex: sc to tso: not portable, tso to ppc: not portable, tso to armv7: not portable
    litmus/mutex/parker: sc to tso: not portable, tso to ppc: not portable, tso to armv7: not portable
    tests/locks/peterson-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/burns-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    ");
}

/// All of it.
#[test]
#[ignore = "half a minute; the quick ones are above"]
fn every_lock_at_the_bound_of_the_thesis() {
    let entries = ["bakery", "burns", "dekker", "peterson", "szymanski", "lamport"];
    let entries = entries.map(|name| format!("tests/locks/{name}-entry"));
    let all: Vec<&str> = entries.iter().map(String::as_str).chain(["litmus/mutex/parker"]).collect();
    insta::assert_snapshot!(locks(&all), @"
    tests/locks/bakery-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/burns-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/dekker-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/peterson-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/szymanski-entry: sc to tso: not portable, tso to ppc: portable, tso to armv7: portable
    tests/locks/lamport-entry: sc to tso: not portable, tso to ppc: not portable, tso to armv7: not portable
    litmus/mutex/parker: sc to tso: not portable, tso to ppc: not portable, tso to armv7: not portable
    ");
}

/// Where the bound cuts everything off nothing has been compared.
#[test]
fn nothing_compared_is_no_answer() {
    let robust = |more: &[&str], code: i32| {
        let args = [&["robust", "litmus/peterson-loop.litmus", "-m", "tso"], more].concat();
        shown(&litmus(&args).assert().code(code)).lines().take(1).collect::<String>()
    };
    insta::assert_snapshot!(robust(&[], 4), @"peterson-loop, tso against sc: not decided: 0 executions, 0 of sc; up to the bound, which cuts all of them off: `--cut keep` compares what there is up to there");
    insta::assert_snapshot!(robust(&["--cut", "keep", "--unroll", "1"], 1), @"peterson-loop, tso against sc: not robust (sc): 12 of 32 executions, 20 of sc; up to the bound");
}

/// A search that is stopped says so, whatever part of the answer it was for. Nothing is new here, so that all of it would have to be gone through.
#[test]
fn a_limit_is_no_defect() {
    let args = ["port", "litmus/mutex/szymanski-mutex.litmus", "--from", "tso", "--to", "sc"];
    let more = ["--unroll", "4", "--cut", "exit", "--no-arch-check", "--timeout", "0.05"];
    for engine in ["auto", "worlds", "sat"] {
        let run = litmus(&[&args[..], &more, &["--states", "--engine", engine]].concat()).assert().code(4);
        let said = stdout(&run) + &stderr(&run);
        assert!(said.contains("time limit") && !said.contains("internal"), "{said}");
        assert!(!said.contains(": portable"), "{said}");
    }
}

/// Where the source gives a program no meaning, nothing that the target does is wrong, and the answer says so.
#[test]
fn a_race_makes_everything_portable() {
    let test = |name: &str, write: &str, store: &str, load: &str, read: &str| {
        let text = format!(
            "C {name}\n{{}}\nP0({write} *x, atomic_int *y) {{ {} atomic_store_explicit(y, 1, memory_order_{store}); }}\n\
             P1({write} *x, atomic_int *y) {{ int r = atomic_load_explicit(y, memory_order_{load}); int s = 0; {read} }}\n\
             exists (1:r=1 /\\ 1:s=0)\n",
            if write == "int" { "*x = 1;" } else { "atomic_store_explicit(x, 1, memory_order_relaxed);" }
        );
        (format!("{name}.litmus"), text)
    };
    let read = "s = *x;";
    let guarded = "if (r == 1) { s = *x; }";
    let atomic = "s = atomic_load_explicit(x, memory_order_relaxed);";
    let tests = [
        test("racy", "int", "relaxed", "relaxed", read),
        test("half", "int", "release", "relaxed", guarded),
        test("handed", "int", "release", "acquire", guarded),
        test("early", "int", "release", "acquire", read),
        test("atomic", "atomic_int", "relaxed", "relaxed", atomic),
    ];
    let files: Vec<(&str, &str)> = tests.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let dir = folder(&files);
    let port = |args: &[&str]| {
        let all =
            [&["port", "racy.litmus", "half.litmus", "handed.litmus", "early.litmus", "atomic.litmus"], args];
        shown(&litmus_in(dir.path(), &all.concat()).assert())
    };
    insta::assert_snapshot!(port(&["--from", "rc11", "--to", "sc"]), @"
      racy    undefined under rc11 (race): portable
      half    undefined under rc11 (race): portable
      handed  portable: 2 executions
      early   undefined under rc11 (race): portable
      atomic  portable: 3 executions
    5 of 5 tests portable (3 undefined under rc11), 0 not (marked !)
    --- exit 0
    ");
    insta::assert_snapshot!(port(&["--from", "c11", "--to", "sc", "--states", "--engine", "naive"]), @"
      racy    undefined under c11: portable
      half    undefined under c11: portable
      handed  portable: 2 states, 2 of c11
      early   undefined under c11: portable
      atomic  portable: 3 states, 4 of c11
    5 of 5 tests portable (3 undefined under c11), 0 not (marked !)
    --- exit 0
    ");
    insta::assert_snapshot!(port(&["--from", "rc11", "--to", "c11", "--states"]), @"
      racy    undefined under rc11 (race): portable
      half    undefined under rc11 (race): portable
      handed  portable: 2 states, 2 of rc11
      early   undefined under rc11 (race): portable
      atomic  portable: 4 states, 4 of rc11
    5 of 5 tests portable (3 undefined under rc11), 0 not (marked !)
    --- exit 0
    ");
    insta::assert_snapshot!(port(&["--from", "sc", "--to", "rc11"]), @"
    ! racy    not portable (sc): 1 of 4 executions
    ! half    not portable (sc): 1 of 3 executions
      handed  portable: 2 executions
      early   portable: 3 executions
    ! atomic  not portable (sc): 1 of 4 executions
    2 of 5 tests portable, 3 not (marked !)
    --- exit 1
    ");
    insta::assert_snapshot!(port(&["--from", "rc11", "--compile", "x86"]), @"
      racy    undefined under rc11 (race): portable
      half    undefined under rc11 (race): portable
      handed  portable: 2 states, 2 of rc11
      early   undefined under rc11 (race): portable
      atomic  portable: 3 states, 4 of rc11
    5 of 5 tests portable (3 undefined under rc11), 0 not (marked !)
    --- exit 0
    ");
}

/// No execution of these comes to the bound, and the answer is complete; of those that spin some do.
#[test]
fn the_bound_is_examined() {
    let counter = "C counter\n{}\nP0(atomic_int *x) {\n  int e = atomic_load_explicit(x, memory_order_relaxed);\n  \
                   while (!atomic_compare_exchange_strong_explicit(x, &e, e + 1, memory_order_relaxed, \
                   memory_order_relaxed)) { }\n}\nP1(atomic_int *x) {\n  int e = atomic_load_explicit(x, \
                   memory_order_relaxed);\n  while (!atomic_compare_exchange_strong_explicit(x, &e, e + 1, \
                   memory_order_relaxed, memory_order_relaxed)) { }\n}\nforall ([x]=2)\n";
    let spinlock = "C spinlock\n{}\nP0(atomic_int *l, atomic_int *x) {\n  while (atomic_exchange_explicit(l, 1, \
                    memory_order_acquire)) { }\n  int r = atomic_load_explicit(x, memory_order_relaxed);\n  \
                    atomic_store_explicit(x, r + 1, memory_order_relaxed);\n  atomic_store_explicit(l, 0, \
                    memory_order_release);\n}\nP1(atomic_int *l, atomic_int *x) {\n  while \
                    (atomic_exchange_explicit(l, 1, memory_order_acquire)) { }\n  int r = \
                    atomic_load_explicit(x, memory_order_relaxed);\n  atomic_store_explicit(x, r + 1, \
                    memory_order_relaxed);\n  atomic_store_explicit(l, 0, memory_order_release);\n}\nforall \
                    ([x]=2)\n";
    let machine = "X86 counter-x86\n{}\n P0 | P1 ;\n MOV EAX,[x] | MOV EAX,[x] ;\n L0: | L1: ;\n MOV EBX,EAX | \
                   MOV EBX,EAX ;\n ADD EBX,$1 | ADD EBX,$1 ;\n LOCK CMPXCHG [x],EBX | LOCK CMPXCHG [x],EBX ;\n \
                   JNE L0 | JNE L1 ;\nforall (x=2)\n";
    let dir = folder(&[("C.litmus", counter), ("S.litmus", spinlock), ("X.litmus", machine)]);
    let run = |args: &[&str]| shown(&litmus_in(dir.path(), args).assert());
    let mut all = String::new();
    for (test, from, to) in
        [("C.litmus", "sc", "rc11"), ("X.litmus", "sc", "x86tso"), ("S.litmus", "sc", "rc11")]
    {
        for states in [&[][..], &["--states"], &["--states", "--engine", "sat"]] {
            all += &run(&[&["port", test, "--from", from, "--to", to], states].concat());
        }
        all += &run(&["robust", test, "-m", to]);
    }
    insta::assert_snapshot!(all, @"
    counter, from sc to rc11: portable: 4 executions
    --- exit 0
    counter, from sc to rc11: portable: 2 states, 2 of sc
    --- exit 0
    counter, from sc to rc11: portable: 2 states
    --- exit 0
    counter, rc11 against sc: robust: 4 executions, 4 of sc
    --- exit 0
    counter-x86, from sc to x86tso: portable: 4 executions
    --- exit 0
    counter-x86, from sc to x86tso: portable: 2 states, 2 of sc
    --- exit 0
    counter-x86, from sc to x86tso: portable: 2 states
    --- exit 0
    counter-x86, x86tso against sc: robust: 4 executions, 4 of sc
    --- exit 0
    spinlock, from sc to rc11: portable: 6 executions; up to the bound
    --- exit 0
    spinlock, from sc to rc11: portable: 2 states, 2 of sc; up to the bound
    --- exit 0
    spinlock, from sc to rc11: portable: 2 states; up to the bound
    --- exit 0
    spinlock, rc11 against sc: robust: 6 executions, 6 of sc; up to the bound
    --- exit 0
    ");
    insta::assert_snapshot!(run(&["run", "C.litmus", "-m", "rc11", "--strict"]), @"
    Test counter Required
    States 1
    [x]=2;
    Loop Ok
    Witnesses
    Positive: 4 Negative: 0
    Condition forall ([x]=2)
    Observation counter Always 4 0
    Time counter #
    Hash=5c95dd9feb893876e91ea7fa4a43ed4f

    --- exit 0
    ");
}
