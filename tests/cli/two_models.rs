//! Questions about two models, as their users ask them.

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

/// The words of several architectures are what they have in common, as the first one calls it.
#[test]
fn models_of_two_architectures_by_words_that_they_share() {
    let diff = |args: &[&str]| {
        let all = [&["model", "diff", "aarch64", "riscv", "--edges"], args].concat();
        shown(&litmus(&all).assert()).lines().take(3).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(diff(&["rfe,fre,rfi,addr,dmb.sy,rmw", "--size", "6"]), @"
    aarch64 is weaker than riscv: it allows more, and no less in 133 tests of up to 6 edges

    aarch64 allows MP+dmb.sy+rmw-rfi-addr, and riscv forbids it:
    ");
    insta::assert_snapshot!(diff(&["rfe,isb"]), @"
    --- stderr
    error: what these architectures have in common has no edge or annotation `isb` (there are rfe, fre, coe, rfi, fri, coi, pos, po, dmb.sy, addr, data, ctrl, rmw, lxsx, plain)
    --- exit 2
    ");
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

const MP: &str = "C mp
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1(atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
";

const CAS: &str = "C mp-cas
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1(atomic_int *x, atomic_int *y) {
  int e = 1;
  int r0 = atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_acquire, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
";

/// Each with the published mapping that it was made from, which has no such execution.
#[test]
fn broken_mappings_are_caught_with_a_witness() {
    let sb = include_str!("../../litmus/sb-sc.litmus");
    let dir = folder(&[("sb-sc.litmus", sb), ("mp.litmus", MP), ("mp-cas.litmus", CAS)]);
    let mapping = |name: &str| format!("{}/tests/mappings/{name}.map", env!("CARGO_MANIFEST_DIR"));
    let caught = |test: &str, broken: &str, sound: &str| {
        let port =
            |how: &[&str]| litmus_in(dir.path(), &[&["port", test, "--from", "rc11"], how].concat()).assert();
        port(&["--compile", sound]).code(0);
        shown(&port(&["--mapping", &mapping(broken)]).code(1))
    };
    insta::assert_snapshot!(caught("sb-sc.litmus", "x86-no-fence", "x86"), @"
    sb-sc, from rc11 to x86tso: not portable: 1 of 4 states, 3 of rc11
    x86tso reaches this final state, and rc11 does not:
      0:r0=0; 1:r0=0; [x]=1; [y]=1;
    Test sb-sc, x86tso: 0:r0=0; 1:r0=0; [x]=1; [y]=1; satisfies the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EBX,[y]  |  d: R[x]=0  MOV EBX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    why rc11 refuses it, in the test as it was written:
      b reads from init:y, d reads from init:x
      `SC` forbids cycles (<library>/rc11.cat:39): acyclic psc as SC
      and here is one:
        a: W.sc[x]=1  P0, line 6: atomic_store_explicit(x, 1, memory_order_seq_cst);
          psc > scb > sb > po: a comes before b in program order
              [<library>/rc11.cat:29: ([SC] | [FSC]; hb?); scb; ([SC] | hb?; [FSC])]
        b: R.sc[y]=0  P0, line 7: r0 = atomic_load_explicit(y, memory_order_seq_cst)
          psc > scb > fr: b reads what init:y wrote to y, which c overwrites
              [<library>/rc11.cat:29: ([SC] | [FSC]; hb?); scb; ([SC] | hb?; [FSC])]
        c: W.sc[y]=1  P1, line 11: atomic_store_explicit(y, 1, memory_order_seq_cst);
          psc > scb > sb > po: c comes before d in program order
              [<library>/rc11.cat:29: ([SC] | [FSC]; hb?); scb; ([SC] | hb?; [FSC])]
        d: R.sc[x]=0  P1, line 12: r0 = atomic_load_explicit(x, memory_order_seq_cst)
          psc > scb > fr: d reads what init:x wrote to x, which a overwrites
              [<library>/rc11.cat:29: ([SC] | [FSC]; hb?); scb; ([SC] | hb?; [FSC])]
        a: W.sc[x]=1  P0, line 6: atomic_store_explicit(x, 1, memory_order_seq_cst);
    --- exit 1
    ");
    insta::assert_snapshot!(caught("mp-cas.litmus", "aarch64-relaxed-cas", "aarch64"), @"
    mp-cas, from rc11 to aarch64: not portable: 1 of 4 states, 3 of rc11
    aarch64 reaches this final state, and rc11 does not:
      1:e=1; 1:r0=1; 1:r1=0; [x]=1; [y]=2;
    Test mp-cas, aarch64: 1:e=1; 1:r0=1; 1:r1=0; [x]=1; [y]=2; satisfies the exists clause
      init: x=0, y=0
      P0                          |  P1
      a: W[x]=1    STR W0,[X20]   |  c: R[y]=1  CAS W3,W2,[X21]
      b: W.L[y]=1  STLR W1,[X21]  |  d: W[y]=2  CAS W3,W2,[X21]
                                  |  e: R[x]=0  LDR W4,[X20]
      po: a -> b, c -> e, d -> e
      rf: init -> e, b -> c
      co: b -> d
      fr: c -> d, e -> a
    why rc11 refuses it, in the test as it was written:
      c reads from init:1:e, d reads from b, e reads from init:x
      `coherence` forbids cycles (<library>/rc11.cat:36): irreflexive hb; eco? as coherence
      and here is one:
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
            a comes before b in program order
            d reads the value that b wrote
            d comes before e in program order
            e reads what init:x wrote to x, which a overwrites
              [<library>/rc11.cat:36: hb; eco?]
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
    --- exit 1
    ");
    insta::assert_snapshot!(caught("mp.litmus", "ppc-no-lwsync", "ppc"), @"
    mp, from rc11 to ppc: not portable: 1 of 4 states, 3 of rc11
    ppc reaches this final state, and rc11 does not:
      1:r0=1; 1:r1=0; [x]=1; [y]=1;
    Test mp, ppc: 1:r0=1; 1:r1=0; [x]=1; [y]=1; satisfies the exists clause
      init: x=0, y=0
      P0                        |  P1
      a: W[x]=1  stw r1,0(r20)  |  d: R[y]=1  lwz r1,0(r21)
      b: F       lwsync         |  e: R[x]=0  lwz r2,0(r20)
      c: W[y]=1  stw r2,0(r21)  |
          po: a -> b, b -> c, d -> e
          rf: init -> e, c -> d
          fr: e -> a
      lwsync: a -> c
    why rc11 refuses it, in the test as it was written:
      c reads from b, d reads from init:x
      `coherence` forbids cycles (<library>/rc11.cat:36): irreflexive hb; eco? as coherence
      and here is one:
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
            a comes before b in program order
            c reads the value that b wrote
            c comes before d in program order
            d reads what init:x wrote to x, which a overwrites
              [<library>/rc11.cat:36: hb; eco?]
        a: W.rlx[x]=1  P0, line 4: atomic_store_explicit(x, 1, memory_order_relaxed);
    --- exit 1
    ");
}

/// Found by a random program: the loop of an exchange branches on whether its write succeeded, which says nothing of what it read. What was read must be
/// branched on, too, or a later store overtakes it.
#[test]
fn an_exchange_that_is_a_loop_is_not_overtaken() {
    let test = "C lb-exchange
{}
P0(atomic_int *x, atomic_int *y) {
  int r0 = atomic_exchange_explicit(x, 2, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
exists (0:r0=1 /\\ 1:r0=1)
";
    let arm = include_str!("../../cat/mappings/armv7-rc11.map");
    let without = arm.replace(" ; CMP %r,#0 ; BNE %M ; %M:", "");
    assert_ne!(arm, without);
    let dir = folder(&[("lb.litmus", test), ("status.map", &without)]);
    let port = |how: &[&str]| {
        litmus_in(dir.path(), &[&["port", "lb.litmus", "--from", "rc11"], how].concat()).assert()
    };
    for sound in ["x86", "aarch64-rc11", "armv7-rc11", "ppc-rc11", "riscv-rc11"] {
        port(&["--compile", sound]).code(0);
    }
    insta::assert_snapshot!(shown(&port(&["--mapping", "status.map"]).code(1)), @"
    lb-exchange, from rc11 to armv7: not portable: 1 of 4 states, 3 of rc11
    armv7 reaches this final state, and rc11 does not:
      0:r0=1; 1:r0=1; [x]=2; [y]=1;
    Test lb-exchange, armv7: 0:r0=1; 1:r0=1; [x]=2; [y]=1; satisfies the exists clause
      P0                           |  P1
      a: R[x]=1  LDREX R0,[R8]     |  d: R[y]=1  LDR R0,[R9]
      b: W[x]=2  STREX R2,R1,[R8]  |  e: F       DMB
      c: W[y]=1  STR R3,[R9]       |  f: W[x]=1  STR R1,[R8]
       po: a -> b, b -> c, d -> e, e -> f
       rf: c -> d, f -> a
       co: f -> b
       fr: a -> b
      dmb: d -> f
    why rc11 refuses it, in the test as it was written:
      a reads from d, c reads from b
      `no-thin-air` forbids cycles (<library>/rc11.cat:40): acyclic sb | rf as no-thin-air
      and here is one:
        a: RMW.rlx[x]=1/2  P0, line 4: r0 = atomic_exchange_explicit(x, 2, memory_order_relaxed)
          sb > po: a comes before b in program order
              [<library>/rc11.cat:9: po]
        b: W.rlx[y]=1  P0, line 5: atomic_store_explicit(y, 1, memory_order_relaxed);
          rf: c reads the value that b wrote
              [<library>/rc11.cat:40: rf]
        c: R.acq[y]=1  P1, line 8: r0 = atomic_load_explicit(y, memory_order_acquire)
          sb > po: c comes before d in program order
              [<library>/rc11.cat:9: po]
        d: W.rlx[x]=1  P1, line 9: atomic_store_explicit(x, 1, memory_order_relaxed);
          rf: a reads the value that d wrote
              [<library>/rc11.cat:40: rf]
        a: RMW.rlx[x]=1/2  P0, line 4: r0 = atomic_exchange_explicit(x, 2, memory_order_relaxed)
    --- exit 1
    ");
}

#[test]
fn a_table_of_all_mappings() {
    let sb = include_str!("../../litmus/sb-sc.litmus");
    let lb = MP
        .replace("C mp", "C lb")
        .replace(
            "atomic_store_explicit(x, 1, memory_order_relaxed)",
            "int r1 = atomic_load_explicit(x, memory_order_relaxed)",
        )
        .replace(
            "int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (1:r0=1 /\\ 1:r1=0)",
            "atomic_store_explicit(x, 1, memory_order_relaxed);\n}\nexists (0:r1=1 /\\ 1:r0=1)",
        )
        .replace("release", "relaxed")
        .replace("acquire", "relaxed");
    let dir = folder(&[("sb-sc.litmus", sb), ("mp.litmus", MP), ("mp-cas.litmus", CAS), ("lb.litmus", &lb)]);
    let port =
        |args: &[&str]| litmus_in(dir.path(), &[&["port", ".", "--compile", "all"], args].concat()).assert();
    insta::assert_snapshot!(shown(&port(&["--from", "rc11"]).code(1)), @"
                  x86    aarch64  aarch64-rcpc  aarch64-rc11      armv7  armv7-rc11        ppc  ppc-trailing   ppc-rc11      riscv  riscv-rc11
    lb            yes         NO            NO           yes         NO         yes         NO            NO        yes         NO         yes
    mp-cas        yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    mp            yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    sb-sc         yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    x86: sound for rc11 on 4 tests
    aarch64: not sound for rc11, on 1 of 4 tests
    aarch64-rcpc: not sound for rc11, on 1 of 4 tests
    aarch64-rc11: sound for rc11 on 4 tests
    armv7: not sound for rc11, on 1 of 4 tests
    armv7-rc11: sound for rc11 on 4 tests
    ppc: not sound for rc11, on 1 of 4 tests
    ppc-trailing: not sound for rc11, on 1 of 4 tests
    ppc-rc11: sound for rc11 on 4 tests
    riscv: not sound for rc11, on 1 of 4 tests
    riscv-rc11: sound for rc11 on 4 tests
    --- exit 1
    ");
    let json = super::stdout(&port(&["--from", "rc11", "--format", "json"]).code(1));
    assert_eq!(json.lines().count(), 4 * 11);
    assert!(json.lines().all(|line| line.contains("\"mapping\":")));
    insta::assert_snapshot!(shown(&port(&["--from", "rc11", "--to", "x86tso"]).code(2)), @"
    --- stderr
    error: `--compile all` runs each mapping's output under the model of its target: leave --to out
    --- exit 2
    ");
}

#[test]
fn models_told_apart_by_tests_given() {
    let dir = folder(&[("SB.litmus", super::SB), ("MP.litmus", super::MP)]);
    let diff = |args: &[&str]| litmus_in(dir.path(), &[&["model", "diff"], args].concat()).assert();
    insta::assert_snapshot!(shown(&diff(&["x86tso", "sc", "--tests", "."]).code(1)), @"
    SB  x86tso allows and sc forbids: 0:EAX=0; 1:EAX=0;
    x86tso is weaker than sc: it allows more in 1 of 2 tests, and no less
    --- exit 1
    ");
    insta::assert_snapshot!(shown(&diff(&["sc", "pso", "--tests", "SB.litmus", "MP.litmus"]).code(1)), @"
    MP  pso allows and sc forbids: 1:EAX=1; 1:EBX=0;
    SB  pso allows and sc forbids: 0:EAX=0; 1:EAX=0;
    sc is stronger than pso: it allows less in 2 of 2 tests, and no more
    --- exit 1
    ");
    insta::assert_snapshot!(shown(&diff(&["tso", "x86tso", "--tests", "."]).code(0)), @"
    no difference between tso and x86tso in 2 tests
    --- exit 0
    ");
    insta::assert_snapshot!(shown(&diff(&["sc", "tso", "pso", "--tests", "."]).code(2)), @"
    --- stderr
    error: --tests compares two models
    --- exit 2
    ");
    let json: serde_json::Value = serde_json::from_str(&super::stdout(
        &diff(&["sc", "tso", "--tests", ".", "--format", "json"]).code(1),
    ))
    .unwrap();
    assert_eq!(json["separating"][0]["name"], "SB");
}

/// What each is to find by itself.
#[test]
fn models_told_apart_by_a_search() {
    let weaker = "TSO-without-fences\ninclude \"cos.cat\"\nacyclic po-loc | rf | co | fr as coherence\n\
                  empty rmw & (fre; coe) as atomic\nlet ppo = [R]; po; [M] | [W]; po; [W]\n\
                  let implied = [W & X]; po; [R] | [W]; po; [R & X]\nacyclic ppo | implied | rfe | co | fr as tso\n";
    let dir = folder(&[("nofence.cat", weaker)]);
    let diff = |args: &[&str]| {
        let all =
            super::stdout(&litmus_in(dir.path(), &[&["model", "diff"], args].concat()).assert().code(1));
        all.lines().take(4).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(diff(&["x86tso", "./nofence.cat", "--arch", "X86"]), @"
    x86tso is stronger than ./nofence.cat: it allows less, and no more in 62 tests of up to 4 edges

    ./nofence.cat allows R+po+mfence, and x86tso forbids it (the smallest of 3 found):
    X86 R+po+mfence
    ");
    insta::assert_snapshot!(diff(&["armv7", "arm-a9"]), @"
    armv7 is stronger than arm-a9: it allows less, and no more in 155 tests of up to 4 edges

    arm-a9 allows CoRR, and armv7 forbids it (the smallest of 4 found):
    ARM CoRR
    ");
    insta::assert_snapshot!(diff(&["c11", "rc11", "--edges", "po,rlx"]), @"
    c11 is weaker than rc11: it allows more, and no less in 6 tests of up to 4 edges

    c11 allows LB+rlx-rlx+rlx-rlx, and rc11 forbids it:
    C LB+rlx-rlx+rlx-rlx
    ");
    insta::assert_snapshot!(diff(&["x86tso-mixed", "sc", "--arch", "X86_64"]), @"
    x86tso-mixed is weaker than sc: it allows more, and no less in 62 tests of up to 4 edges

    x86tso-mixed allows SB, and sc forbids it (the smallest of 4 found):
    X86_64 SB
    ");
    insta::assert_snapshot!(diff(&["bpf", "sc", "--edges", "po,acq,rel"]), @"
    bpf is weaker than sc: it allows more, and no less in 6 tests of up to 4 edges

    bpf allows SB+rel-po-acq+rel-po-acq, and sc forbids it (the smallest of 3 found):
    BPF SB+rel-po-acq+rel-po-acq
    ");
}

/// Who allows a test that another forbids: every pair of `litmus/separating` that the table in the docs tells apart, by the smallest tests.
const SEPARATED: [(&str, &str, &str); 32] = [
    ("tso", "sc", "SB"),
    ("pso", "sc", "MP"),
    ("pso", "tso", "MP"),
    ("rmo", "sc", "CoRR"),
    ("rmo", "tso", "CoRR"),
    ("rmo", "pso", "CoRR"),
    ("rmo", "weak", "CoRR"),
    ("rmo", "aarch64", "CoRR"),
    ("rmo", "ppc", "CoRR"),
    ("rmo", "riscv", "CoRR"),
    ("weak", "sc", "MP"),
    ("weak", "tso", "MP"),
    ("weak", "pso", "MP+dmb.sy+po"),
    ("weak", "rmo", "MP+dmb.sy+addr"),
    ("weak", "aarch64", "MP+dmb.sy+addr"),
    ("weak", "ppc", "MP+dmb.sy+addr"),
    ("weak", "riscv", "MP+dmb.sy+addr"),
    ("aarch64", "sc", "LB"),
    ("aarch64", "tso", "LB"),
    ("aarch64", "pso", "LB"),
    ("aarch64", "weak", "LB"),
    // The only one with an atomic access: of plain ones, full fences and dependencies none tells these two apart.
    ("aarch64", "riscv", "MP+dmb.sy+rmw-rfi-addr"),
    ("ppc", "sc", "LB"),
    ("ppc", "tso", "LB"),
    ("ppc", "pso", "LB"),
    ("ppc", "weak", "LB"),
    ("ppc", "aarch64", "WRC+addr+dmb.sy"),
    ("ppc", "riscv", "WRC+addr+dmb.sy"),
    ("riscv", "sc", "LB"),
    ("riscv", "tso", "LB"),
    ("riscv", "pso", "LB"),
    ("riscv", "weak", "LB"),
];

#[test]
fn separating_tests_separate() {
    use std::collections::{BTreeMap, BTreeSet};
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus/separating");
    // Models of any machine are asked in the language of Armv8.
    let file = |test: &str, model: &str| match model {
        "ppc" => format!("{}-ppc.litmus", test.replace("dmb.sy", "sync")),
        "riscv" => format!("{}-riscv.litmus", test.replace("dmb.sy", "fence.rw.rw")),
        _ => format!("{test}-aarch64.litmus"),
    };
    let mut wanted: BTreeMap<(&str, String), bool> = BTreeMap::new();
    for (allows, forbids, test) in SEPARATED {
        for (model, allowed) in [(allows, true), (forbids, false)] {
            let known = wanted.insert((model, file(test, model)), allowed);
            assert!(known.is_none_or(|known| known == allowed), "{model} allows and forbids {test}");
        }
    }
    let mut used = BTreeSet::new();
    for ((model, file), allowed) in &wanted {
        let path = folder.join(file);
        let log =
            super::stdout(&super::litmus(&["run", path.to_str().unwrap(), "-m", model]).assert().code(0));
        let seen = log.lines().find(|line| line.starts_with("Observation ")).expect("an answer");
        assert_eq!(!seen.contains(" Never "), *allowed, "{file} under {model}: {seen}");
        used.insert(file.clone());
    }
    let there =
        std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(there.filter(|file| file.ends_with(".litmus")).collect::<BTreeSet<_>>(), used);
    // All 28 pairs.
    let models = ["sc", "tso", "pso", "rmo", "weak", "aarch64", "ppc", "riscv"];
    let told = |a: &str, b: &str| SEPARATED.iter().any(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a));
    let pairs = models.iter().enumerate().flat_map(|(at, a)| models[at + 1..].iter().map(move |b| (*a, *b)));
    let same: Vec<(&str, &str)> = pairs.filter(|(a, b)| !told(a, b)).collect();
    assert_eq!(same, []);
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

/// The kernel's functions are there for whatever model is on the other side.
#[test]
fn kernel_tests_move_both_ways() {
    let mut said = String::new();
    for (from, to) in [("sc", "lkmm"), ("lkmm", "sc"), ("lkmm", "tso"), ("tso", "lkmm")] {
        let run =
            litmus(&["port", "tests/kernel/sb.litmus", "tests/kernel/mp.litmus", "--from", from, "--to", to]);
        said += &format!("{from} to {to}\n{}", shown(&{ run }.assert()));
    }
    let diff = litmus(&["model", "diff", "lkmm", "sc", "--tests", "tests/kernel/sb.litmus"]).assert().code(1);
    said += &shown(&diff);
    insta::assert_snapshot!(said, @"
    sc to lkmm
    ! sb  not portable (sc): 1 of 4 executions
    ! mp  not portable (sc): 1 of 4 executions
    0 of 2 tests portable, 2 not (marked !)
    --- exit 1
    lkmm to sc
      sb  portable: 3 executions
      mp  portable: 3 executions
    2 of 2 tests portable, 0 not (marked !)
    --- exit 0
    lkmm to tso
      sb  portable: 4 executions
      mp  portable: 3 executions
    2 of 2 tests portable, 0 not (marked !)
    --- exit 0
    tso to lkmm
      sb  portable: 4 executions
    ! mp  not portable (tso): 1 of 4 executions
    1 of 2 tests portable, 1 not (marked !)
    --- exit 1
    sb  lkmm allows and sc forbids: 0:r=0; 1:r=0;
    lkmm is weaker than sc: it allows more in 1 of 1 test, and no less
    --- exit 1
    ");
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

/// The kernel's `xchg` is a full fence on both sides, C11's SC exchange is not: on Power a later read may come before the write of the exchange.
#[test]
fn atomics_of_the_kernel_are_full_fences_by_every_mapping() {
    let full = "C full\n{}\n\nP0(int *x, int *z) {\n  int r0 = xchg(z, 1);\n  int r1 = READ_ONCE(*x);\n}\n\n\
                P1(int *x, int *z) {\n  WRITE_ONCE(*x, 1);\n  smp_mb();\n  int r2 = READ_ONCE(*z);\n}\n\n\
                exists (0:r1=0 /\\ 1:r2=0)\n";
    let swapped = full.replace("xchg(z, 1)", "cmpxchg(z, 0, 1)").replace("C full", "C swapped");
    let before = full
        .replace(
            "int r0 = xchg(z, 1);\n  int r1 = READ_ONCE(*x)",
            "WRITE_ONCE(*z, 1);\n  int r1 = xchg(x, 2)",
        )
        .replace("C full", "C before");
    let files = [("full.litmus", full), ("swapped.litmus", &swapped), ("before.litmus", &before)];
    let dir = folder(&files);
    let names = files.map(|(name, _)| name);
    let args = [&["port"], &names[..], &["--from", "lkmm", "--compile", "all"]].concat();
    insta::assert_snapshot!(shown(&litmus_in(dir.path(), &args).assert().code(0)), @"
                   x86    aarch64  aarch64-rcpc  aarch64-rc11      armv7  armv7-rc11        ppc  ppc-trailing   ppc-rc11      riscv  riscv-rc11
    full           yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    swapped        yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    before         yes        yes           yes           yes        yes         yes        yes           yes        yes        yes         yes
    x86: sound for lkmm on 3 tests
    aarch64: sound for lkmm on 3 tests
    aarch64-rcpc: sound for lkmm on 3 tests
    aarch64-rc11: sound for lkmm on 3 tests
    armv7: sound for lkmm on 3 tests
    armv7-rc11: sound for lkmm on 3 tests
    ppc: sound for lkmm on 3 tests
    ppc-trailing: sound for lkmm on 3 tests
    ppc-rc11: sound for lkmm on 3 tests
    riscv: sound for lkmm on 3 tests
    riscv-rc11: sound for lkmm on 3 tests
    --- exit 0
    ");
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

/// The mapping of a file may be named beside the machine that it is for; conditions keep the names of the C test.
#[test]
fn mappings_of_ones_own() {
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mappings/x86-no-fence.map");
    let test = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus/sb-sc.litmus");
    let run = |args: &[&str]| {
        super::without_times(&shown(&litmus(args).assert())).replace(env!("CARGO_MANIFEST_DIR"), ".")
    };
    insta::assert_snapshot!(run(&["run", test, "--compile-to", "x86", "--mapping", map, "-m", "x86tso"]), @r"
    Test sb-sc Allowed
    States 4
    0:r0=0; 1:r0=0; [x]=1; [y]=1;
    0:r0=0; 1:r0=1; [x]=1; [y]=1;
    0:r0=1; 1:r0=0; [x]=1; [y]=1;
    0:r0=1; 1:r0=1; [x]=1; [y]=1;
    Ok
    Witnesses
    Positive: 1 Negative: 3
    Condition exists (0:r0=0 /\ 1:r0=0)
    Observation sb-sc Sometimes 1 3
    Time sb-sc #
    Hash=62a56ab93a78ecd541e1aa50f2d71d42

    --- exit 0
    ");
    insta::assert_snapshot!(run(&["compile", test, "--to", "aarch64", "--mapping", map]), @"
    --- stderr
    error: the mapping `./tests/mappings/x86-no-fence.map` is for X86, and `aarch64` asks for AArch64
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["port", test, "--from", "rc11", "--compile", "all", "--mapping", map]), @"
    --- stderr
    error: `--compile all` is every mapping of ours: leave --mapping out, or name its machine
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["port", test, "--from", "rc11", "--to", "x86tso"]), @"
    --- stderr
    ./litmus/sb-sc.litmus: error[model::other-architecture]: the test is for C, but the model `x86tso` is for X86
     = help: a C test runs there once it is compiled: `run --compile-to x86`, `port --compile x86`; --no-arch-check takes it as it is

    --- exit 2
    ");
}

/// What is wrong is told before anything is compared, and nothing compared is no answer.
#[test]
fn wrong_models_and_tests_are_told_first() {
    let dir = folder(&[("SB.litmus", super::SB)]);
    let run = |args: &[&str]| shown(&litmus_in(dir.path(), args).assert());
    insta::assert_snapshot!(run(&["model", "diff", "x86tso", "nope"]), @"
    --- stderr
    error[cat::file-not-found]: cannot find `nope`
     = note: searched, in this order:
         nope.cat
         the library (`litmus model list`)
         nope

    --- exit 2
    ");
    insta::assert_snapshot!(run(&["gen", "X86", "--allowed-by", "nope"]), @"
    --- stderr
    error[cat::file-not-found]: cannot find `nope`
     = note: searched, in this order:
         nope.cat
         the library (`litmus model list`)
         nope

    --- exit 2
    ");
    insta::assert_snapshot!(run(&["model", "diff", "aarch64", "sc", "--tests", "SB.litmus"]), @"
    no test that both models answer
    --- stderr
    SB.litmus: error[model::other-architecture]: the test is for X86, but the model `aarch64` is for AArch64
     = help: `x86tso` is a model for X86; --no-arch-check takes this one all the same

    --- exit 2
    ");
    insta::assert_snapshot!(run(&["model", "coverage", "aarch64", "--tests", "SB.litmus"]), @"
    --- stderr
    error: there is no test that `aarch64` has an answer for: 1 test for other architectures
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["model", "lint", "aarch64", "--tests", "SB.litmus"]), @"
    --- stderr
    error: there is no test that `aarch64` has an answer for: 1 test for other architectures
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["port", "SB.litmus", "--from", "sc", "--to", "x86tso", "--timeout", "1e300"]), @"
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
}

/// The words of LISA are those of its bell file.
#[test]
fn lisa_has_the_words_of_its_bell() {
    let bell = "\"words\"\nenum Orders = 'once || 'acq || 'rel\ninstructions R[{'once,'acq}]\n\
                instructions W[{'once,'rel}]\ninstructions RMW[{'once}]\nenum Fences = 'full || 'light\n\
                instructions F[Fences]\n";
    let model = "words\ninclude \"cos.cat\"\nacyclic po-loc | rf | co | fr as coherence\n\
                 let bar = po; [Full]; po | [Acq]; po | po; [Rel]\nacyclic bar | rfe | co | fr as order\n";
    let dir = folder(&[("words.bell", bell), ("words.cat", model), ("bad.bell", "enum\n")]);
    let run = |args: &[&str]| shown(&litmus_in(dir.path(), args).assert());
    let with = |args: &[&str]| run(&[&["gen", "LISA", "--bell", "words.bell"], args].concat());
    insta::assert_snapshot!(with(&["--edges", "help"]), @"
    rfe fre coe rfi fri coi pos po full light addr data ctrl rmw plain once acq rel
    --- exit 0
    ");
    insta::assert_snapshot!(with(&["--size", "4", "--edges", "po,full,once,acq,rel,rfe,fre", "--forbidden-by", "./words.cat"]), @"
    LB+once-po-rel+acq-po-once: once Rfe once PodRW rel Rfe acq PodRW
    LB+once-po-rel+once-full-once: once Rfe once PodRW rel Rfe once FulldRW
    LB+acq-po-once+acq-po-once: once Rfe acq PodRW once Rfe acq PodRW
    LB+acq-po-once+once-full-once: once Rfe acq PodRW once Rfe once FulldRW
    MP+once-full-once+acq-po-once: once Rfe acq PodRR once Fre once FulldWW
    LB+once-full-once+once-full-once: once Rfe once FulldRW once Rfe once FulldRW
    MP+once-full-once+once-full-once: once Rfe once FulldRR once Fre once FulldWW
    LB+once-po-rel+once-po-rel: rel Rfe once PodRW rel Rfe once PodRW
    MP+once-po-rel+acq-po-once: rel Rfe acq PodRR once Fre once PodWW
    MP+once-po-rel+once-full-once: rel Rfe once FulldRR once Fre once PodWW
    SB+once-full-once+once-full-once: once Fre once FulldWR once Fre once FulldWR
    LB+once-po-rel+acq-full-once: once Rfe once PodRW rel Rfe acq FulldRW
    LB+acq-po-once+acq-full-once: once Rfe acq PodRW once Rfe acq FulldRW
    LB+acq-po-once+acq-po-rel: once Rfe acq PodRW rel Rfe acq PodRW
    LB+acq-po-rel+once-full-once: once Rfe acq PodRW rel Rfe once FulldRW
    MP+rel-full-once+acq-po-once: once Rfe acq PodRR once Fre rel FulldWW
    MP+once-full-once+acq-po-acq: once Rfe acq PodRR acq Fre once FulldWW
    LB+once-full-once+acq-full-once: once Rfe once FulldRW once Rfe acq FulldRW
    LB+acq-po-once+once-full-rel: once Rfe once FulldRW rel Rfe acq PodRW
    LB+once-full-once+once-full-rel: once Rfe once FulldRW rel Rfe once FulldRW
    MP+rel-full-once+once-full-once: once Rfe once FulldRR once Fre rel FulldWW
    MP+once-full-once+once-full-acq: once Rfe once FulldRR acq Fre once FulldWW
    MP+once-full-once+acq-full-once: once Rfe acq FulldRR once Fre once FulldWW
    LB+once-po-rel+acq-po-rel: rel Rfe once PodRW rel Rfe acq PodRW
    LB+once-po-rel+once-full-rel: rel Rfe once PodRW rel Rfe once FulldRW
    MP+rel-po-rel+acq-po-once: rel Rfe acq PodRR once Fre rel PodWW
    MP+once-full-rel+acq-po-once: rel Rfe acq PodRR once Fre once FulldWW
    MP+once-po-rel+acq-po-acq: rel Rfe acq PodRR acq Fre once PodWW
    MP+rel-po-rel+once-full-once: rel Rfe once FulldRR once Fre rel PodWW
    MP+once-full-rel+once-full-once: rel Rfe once FulldRR once Fre once FulldWW
    MP+once-po-rel+once-full-acq: rel Rfe once FulldRR acq Fre once PodWW
    MP+once-po-rel+acq-full-once: rel Rfe acq FulldRR once Fre once PodWW
    SB+once-full-once+rel-full-once: once Fre once FulldWR once Fre rel FulldWR
    SB+once-full-once+once-full-acq: once Fre once FulldWR acq Fre once FulldWR
    LB+acq-po-rel+acq-full-once: once Rfe acq PodRW rel Rfe acq FulldRW
    MP+rel-full-once+acq-po-acq: once Rfe acq PodRR acq Fre rel FulldWW
    LB+once-full-rel+acq-full-once: once Rfe once FulldRW rel Rfe acq FulldRW
    LB+acq-full-once+acq-full-once: once Rfe acq FulldRW once Rfe acq FulldRW
    LB+acq-po-once+acq-full-rel: once Rfe acq FulldRW rel Rfe acq PodRW
    LB+once-full-once+acq-full-rel: once Rfe acq FulldRW rel Rfe once FulldRW
    MP+rel-full-once+once-full-acq: once Rfe once FulldRR acq Fre rel FulldWW
    MP+rel-full-once+acq-full-once: once Rfe acq FulldRR once Fre rel FulldWW
    MP+once-full-once+acq-full-acq: once Rfe acq FulldRR acq Fre once FulldWW
    LB+once-po-rel+acq-full-rel: rel Rfe once PodRW rel Rfe acq FulldRW
    LB+acq-po-rel+acq-po-rel: rel Rfe acq PodRW rel Rfe acq PodRW
    LB+acq-po-rel+once-full-rel: rel Rfe acq PodRW rel Rfe once FulldRW
    MP+rel-full-rel+acq-po-once: rel Rfe acq PodRR once Fre rel FulldWW
    MP+rel-po-rel+acq-po-acq: rel Rfe acq PodRR acq Fre rel PodWW
    MP+once-full-rel+acq-po-acq: rel Rfe acq PodRR acq Fre once FulldWW
    LB+once-full-rel+once-full-rel: rel Rfe once FulldRW rel Rfe once FulldRW
    MP+rel-full-rel+once-full-once: rel Rfe once FulldRR once Fre rel FulldWW
    MP+rel-po-rel+once-full-acq: rel Rfe once FulldRR acq Fre rel PodWW
    MP+once-full-rel+once-full-acq: rel Rfe once FulldRR acq Fre once FulldWW
    MP+rel-po-rel+acq-full-once: rel Rfe acq FulldRR once Fre rel PodWW
    MP+once-full-rel+acq-full-once: rel Rfe acq FulldRR once Fre once FulldWW
    MP+once-po-rel+acq-full-acq: rel Rfe acq FulldRR acq Fre once PodWW
    SB+once-full-acq+rel-full-once: once Fre once FulldWR acq Fre rel FulldWR
    SB+rel-full-once+rel-full-once: once Fre rel FulldWR once Fre rel FulldWR
    SB+once-full-once+rel-full-acq: once Fre rel FulldWR acq Fre once FulldWR
    SB+once-full-acq+once-full-acq: acq Fre once FulldWR acq Fre once FulldWR
    LB+acq-full-once+acq-full-rel: once Rfe acq FulldRW rel Rfe acq FulldRW
    MP+rel-full-once+acq-full-acq: once Rfe acq FulldRR acq Fre rel FulldWW
    LB+acq-po-rel+acq-full-rel: rel Rfe acq PodRW rel Rfe acq FulldRW
    MP+rel-full-rel+acq-po-acq: rel Rfe acq PodRR acq Fre rel FulldWW
    LB+once-full-rel+acq-full-rel: rel Rfe once FulldRW rel Rfe acq FulldRW
    MP+rel-full-rel+once-full-acq: rel Rfe once FulldRR acq Fre rel FulldWW
    MP+rel-full-rel+acq-full-once: rel Rfe acq FulldRR once Fre rel FulldWW
    MP+rel-po-rel+acq-full-acq: rel Rfe acq FulldRR acq Fre rel PodWW
    MP+once-full-rel+acq-full-acq: rel Rfe acq FulldRR acq Fre once FulldWW
    SB+rel-full-once+rel-full-acq: once Fre rel FulldWR acq Fre rel FulldWR
    SB+once-full-acq+rel-full-acq: acq Fre once FulldWR acq Fre rel FulldWR
    LB+acq-full-rel+acq-full-rel: rel Rfe acq FulldRW rel Rfe acq FulldRW
    MP+rel-full-rel+acq-full-acq: rel Rfe acq FulldRR acq Fre rel FulldWW
    SB+rel-full-acq+rel-full-acq: acq Fre rel FulldWR acq Fre rel FulldWR
    --- stderr
    74 tests of 136, of 4 edges
    --- exit 0
    ");
    insta::assert_snapshot!(with(&["--size", "4", "--edges", "full,acq,rel,rfe,fre", "--limit", "1", "--print", "-q"]), @r"
    LISA LB+acq-full-rel+acq-full-rel
    Cycle=rel Rfe acq FulldRW rel Rfe acq FulldRW
    {}
     P0          | P1          ;
     r[acq] r0 x | r[acq] r0 y ;
     f[full]     | f[full]     ;
     w[rel] y 1  | w[rel] x 1  ;
    exists (0:r0=1 /\ 1:r0=1)

    --- exit 0
    ");
    insta::assert_snapshot!(run(&["gen", "LISA", "--bell", "bad.bell"]), @"
    --- stderr
    error: the bell file `bad.bell` is no use
    error[cat::syntax]: unexpected end of file, expected a name
      ┌─ bad.bell:1:5
      │
    1 │ enum
      │     ^ the file ends here
    --- exit 2
    ");
}
