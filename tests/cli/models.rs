//! `litmus model diff`, `coverage` and `lint`.

use super::{folder, litmus, litmus_in, shown};

/// TSO whose atomic instructions are no fences.
const NO_IMPLIED: &str = "X86 TSO\ninclude \"cos.cat\"\ninclude \"full-fences.cat\"\n\
                          acyclic po-loc | amo | rf | co | fr as coherence\nempty rmw & (fre; coe) as atomic\n\
                          let ppo = [R]; po; [M] | [W]; po; [W]\nacyclic ppo | full | rfe | co | fr as tso\n";

/// TSO whose fence does nothing.
const NO_FENCE: &str = r#"X86 TSO
include "cos.cat"
acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomic
let ppo = [R]; po; [M] | [W]; po; [W]
let implied = [W & X]; po; [R] | [W]; po; [R & X]
acyclic ppo | implied | rfe | co | fr as tso
"#;

const ODD: &str = r#"X86 "odd"
include "cos.cat"
let never = W & R
let unused = po
let order = po | rf ; co
let rec r = po \ (r; rf)
let closed = po | (rf ; co)
let armed = try [DMB.SY] with 0
acyclic order | [never] | closed | armed as order
irreflexive r; r as twice
"#;

#[test]
fn a_rule_left_out_is_found_by_its_smallest_test() {
    let dir = folder(&[("no-fence.cat", NO_FENCE)]);
    let found = litmus_in(dir.path(), &["model", "diff", "x86tso", "./no-fence.cat"]).assert().code(1);
    insta::assert_snapshot!(shown(&found), @r"
    x86tso is stronger than ./no-fence.cat: it allows less, and no more in 62 tests of up to 4 edges

    ./no-fence.cat allows R+po+mfence, and x86tso forbids it (the smallest of 3 found):
    X86 R+po+mfence
    Cycle=Fre PodWW Coe MfencedWR
    {}
     P0         | P1          ;
     MOV [x],$1 | MOV [y],$2  ;
     MOV [y],$1 | MFENCE      ;
                | MOV EAX,[x] ;
    exists (1:EAX=0 /\ [y]=2)
    Test R+po+mfence, ./no-fence.cat: 1:EAX=0; [y]=2; satisfies the exists clause
      init: x=0, y=0
      P0                     |  P1
      a: W[x]=1  MOV [x],$1  |  c: W[y]=2  MOV [y],$2
      b: W[y]=1  MOV [y],$1  |  d: F       MFENCE
                             |  e: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d, d -> e
      rf: init -> e
      co: b -> c
      fr: e -> a
    --- exit 1
    ");
}

#[test]
fn the_read_read_hazard_is_found() {
    let found = litmus(&["model", "diff", "armv7", "arm-a9"]).assert().code(1);
    let text = shown(&found);
    assert!(text.contains("armv7 is stronger than arm-a9"), "{text}");
    assert!(text.contains("arm-a9 allows CoRR, and armv7 forbids it"), "{text}");
}

#[test]
fn no_difference_is_said_with_its_bound() {
    let found = litmus(&["model", "diff", "tso", "x86tso", "--size", "4"]).assert().code(0);
    insta::assert_snapshot!(shown(&found), @"
    no difference between tso and x86tso in 62 tests of up to 4 edges
    --- exit 0
    ");
}

/// Sixty tests say little: longer ones are tried before two models are called the same.
#[test]
fn a_rule_about_atomics_is_found_in_longer_cycles() {
    let dir = folder(&[("no-implied.cat", NO_IMPLIED)]);
    let found = litmus_in(dir.path(), &["model", "diff", "x86tso", "./no-implied.cat"]).assert().code(1);
    let text: String = shown(&found).lines().take(10).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(text, @"
    x86tso is stronger than ./no-implied.cat: it allows less, and no more in 1177 tests of up to 6 edges

    ./no-implied.cat allows R+po+po-rmw-po, and x86tso forbids it (the smallest of 3 found):
    X86 R+po+po-rmw-po
    Cycle=Fre PodWW Coe PodWR Rmw PodWR
    {}
     P0         | P1           ;
     MOV [x],$1 | MOV [y],$2   ;
     MOV [y],$1 | MOV EAX,$1   ;
                | XCHG EAX,[z] ;
    ");
}

#[test]
fn several_models_make_a_table() {
    let found = litmus(&["model", "diff", "sc", "tso", "pso", "ppc"]).assert().code(1);
    insta::assert_snapshot!(shown(&found), @"
                    sc       tso       pso       ppc
    sc               =  stronger  stronger  stronger
    tso         weaker         =  stronger  stronger
    pso         weaker    weaker         =  stronger
    ppc         weaker    weaker    weaker         =
    each row against the columns, `both`: each allows what the other forbids; in 79 tests of up to 4 edges

    tso allows and sc forbids: SB (4 in all)
    pso allows and sc forbids: MP (16 in all)
    pso allows and tso forbids: MP (12 in all)
    ppc allows and sc forbids: LB (24 in all)
    ppc allows and tso forbids: LB (20 in all)
    ppc allows and pso forbids: LB (8 in all)
    --- exit 1
    ");
}

#[test]
fn parts_of_a_model_that_no_test_needs() {
    let dir = folder(&[("no-fence.cat", NO_FENCE)]);
    let sb = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus/sb-x86.litmus");
    let mp = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus/mp-x86.litmus");
    let run = |rest: &[&str]| {
        let mut args = vec!["model", "coverage", "./no-fence.cat", "--tests", sb, mp];
        args.extend(rest);
        shown(&litmus_in(dir.path(), &args).assert().code(0))
    };
    insta::assert_snapshot!(run(&["--suggest"]), @"
    no outcome of these tests hangs on:
      ./no-fence.cat:3:1: without this check: acyclic po-loc | rf | co | fr as coherence
          CoRW1 would notice
      ./no-fence.cat:3:18: without this member of the union: rf
          CoRW1 would notice
      ./no-fence.cat:3:28: without this member of the union: fr
          CoWR would notice
    none of these tests has what this is about:
      ./no-fence.cat:3:9: without this member of the union: po-loc
          CoRW1 would notice
      ./no-fence.cat:3:23: without this member of the union: co
      ./no-fence.cat:4:1: without this check: empty rmw & (fre; coe) as atomic
          Atom+rmw would notice
      ./no-fence.cat:4:7: without this restriction: rmw
          RWC+rmw-po+po would notice
      ./no-fence.cat:4:13: without this restriction: (fre; coe)
          R+po-rmw+po would notice
      ./no-fence.cat:6:15: without this member of the union: [W & X]; po; [R]
      ./no-fence.cat:6:16: without this restriction: W
      ./no-fence.cat:6:34: without this member of the union: [W]; po; [R & X]
      ./no-fence.cat:6:44: without this restriction: R
      ./no-fence.cat:7:15: without this member of the union: implied
          R+po+po-rmw-po would notice
      ./no-fence.cat:7:31: without this member of the union: co
          S would notice
    ./no-fence.cat: 2 tests notice 8 of 22 changes (36%)
    11 of the others are about what none of these tests has; of the 11 left that is 73%
    no generated test of up to 6 edges notices 5 changes
    --- exit 0
    ");
    insta::assert_snapshot!(run(&["--format", "listing"]), @r#"
    ==== ./no-fence.cat
          | X86 TSO
          | include "cos.cat"
    -0/5  | acyclic po-loc | rf | co | fr as coherence
    -0/3  | empty rmw & (fre; coe) as atomic
    +2/2  | let ppo = [R]; po; [M] | [W]; po; [W]
    ~2/6  | let implied = [W & X]; po; [R] | [W]; po; [R & X]
    ~4/6  | acyclic ppo | implied | rfe | co | fr as tso
    --- exit 0
    "#);
}

#[test]
fn what_is_odd_about_a_model() {
    let dir = folder(&[("odd.cat", ODD)]);
    let mp = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus/mp-x86.litmus");
    let found = litmus_in(dir.path(), &["model", "lint", "./odd.cat", "--tests", mp]).assert().code(1);
    insta::assert_snapshot!(shown(&found), @r"
    warning[lint::unused]: nothing uses `unused`
      ┌─ ./odd.cat:4:5
      │
    4 │ let unused = po
      │     ^^^^^^ defined here

    warning[lint::precedence]: `;` binds tighter than `|`: only this much is the sequence
      ┌─ ./odd.cat:5:18
      │
    5 │ let order = po | rf ; co
      │                  ^^^^^^^ one member of the union
      │
      = help: parentheses, or `a; b` without the blank before `;`, show it

    warning[lint::monotone]: the recursive definition of `r` is not monotone
      ┌─ ./odd.cat:6:1
      │
    6 │ let rec r = po \ (r; rf)
      │ ^^^^^^^^^^^^^^^^^^^^^^^^ defined here
      │
      = note: more in one round may mean less in the next: it has no least solution, and is run as it stands

    warning[lint::empty]: `armed` is always empty on X86
      ┌─ ./odd.cat:8:5
      │
    8 │ let armed = try [DMB.SY] with 0
      │     ^^^^^ defined here

    ./odd.cat:9:1: on 1 test the other checks imply this one: acyclic order | [never] | closed | armed as order
    ./odd.cat:10:1: on 1 test the other checks imply this one: irreflexive r; r as twice
    ./odd.cat: 6 remarks
    --- exit 1
    ");
}

#[test]
fn a_mapping_is_sound_or_its_fault_is_shown() {
    let test = concat!(env!("CARGO_MANIFEST_DIR"), "/litmus/sb-sc.litmus");
    let broken = "target X86\nload rlx acq sc MOV %r,[%a]\nstore rlx rel sc MOV [%a],%v\n";
    let dir = folder(&[("broken.map", broken)]);
    let good = litmus_in(dir.path(), &["port", test, "--from", "rc11", "--to", "x86tso", "--compile", "x86"]);
    insta::assert_snapshot!(shown(&{ good }.assert().code(0)), @"
    sb-sc, from rc11 to x86tso: portable: 3 states, 3 of rc11
    --- exit 0
    ");
    let bad =
        litmus_in(dir.path(), &["port", test, "--from", "rc11", "--to", "x86tso", "--mapping", "broken.map"]);
    insta::assert_snapshot!(shown(&{ bad }.assert().code(1)), @"
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
}

#[test]
fn compiled_tests_keep_the_names_of_their_variables() {
    let run = litmus(&["run", "litmus/sb-sc.litmus", "--compile-to", "ppc", "-m", "ppc"]).assert().code(0);
    insta::assert_snapshot!(shown(&run), @r"
    Test sb-sc Allowed
    States 3
    0:r0=0; 1:r0=1; [x]=1; [y]=1;
    0:r0=1; 1:r0=0; [x]=1; [y]=1;
    0:r0=1; 1:r0=1; [x]=1; [y]=1;
    No
    Witnesses
    Positive: 0 Negative: 3
    Condition exists (0:r0=0 /\ 1:r0=0)
    Observation sb-sc Never 0 3
    Time sb-sc #
    Hash=7b86e6e455b3c39897185eb6ec998c74

    --- exit 0
    ");
    let compiled = litmus(&["compile", "litmus/sb-sc.litmus", "--to", "riscv"]).assert().code(0);
    insta::assert_snapshot!(shown(&compiled), @r"
    RISCV sb-sc
    {
     0:x20=x;
     0:x21=y;
     1:x20=x;
     1:x21=y;
    }
     P0           | P1           ;
     ori x5,x0,1  | ori x5,x0,1  ;
     fence rw,w   | fence rw,w   ;
     sw x5,0(x20) | sw x5,0(x21) ;
     fence rw,rw  | fence rw,rw  ;
     lw x6,0(x21) | lw x6,0(x20) ;
     fence r,rw   | fence r,rw   ;
    locations [0:x6;1:x6;x;y;]
    exists ((0:x6=0 /\ 1:x6=0))
    --- exit 0
    ");
}
