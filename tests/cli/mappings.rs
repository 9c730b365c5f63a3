//! C compiled for machines: are the mappings sound, ours and those of a file?

use super::{folder, litmus, litmus_in, shown};

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
