//! Questions about two models, as their users ask them.

use super::{folder, litmus_in, shown};

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
    insta::assert_snapshot!(run(&["run", "W.litmus", "--engine", "sat", "--mode", "states", "--cut", "keep"]), @"
    --- stderr
    error: `--cut keep` and `--cut exit` are for --engine worlds and naive
    --- exit 2
    ");
}
