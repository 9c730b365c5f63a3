//! `litmus explain`.

use super::{litmus, stdout};

fn explained(args: &[&str]) -> String {
    let args: Vec<&str> = std::iter::once("explain").chain(args.iter().copied()).collect();
    stdout(&litmus(&args).assert().code(0))
}

#[test]
fn a_forbidden_outcome_has_a_cycle() {
    insta::assert_snapshot!(explained(&["litmus/sb-x86.litmus", "-m", "sc"]), @r"
    sb-x86 under sc: 0:EAX=0 /\ 1:EAX=0 cannot happen.
    There is one way to bring it about, and it is refused.

      b reads from init:y, d reads from init:x
      `sc` forbids cycles (<library>/sc.cat:12): acyclic po | (rf | co | fr); sm as sc
      and here is one:
        a: W[x]=1  P0, line 5: MOV [x],$1
          po: a comes before b in program order
              [<library>/sc.cat:12: po]
        b: R[y]=0  P0, line 6: MOV EAX,[y]
          fr: b reads what init:y wrote to y, which c overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        c: W[y]=1  P1, line 5: MOV [y],$1
          po: c comes before d in program order
              [<library>/sc.cat:12: po]
        d: R[x]=0  P1, line 6: MOV EAX,[x]
          fr: d reads what init:x wrote to x, which a overwrites
              [<library>/sc.cat:12: (rf | co | fr); sm]
        a: W[x]=1  P0, line 5: MOV [x],$1
    ");
}

#[test]
fn an_outcome_of_ones_own() {
    let text = explained(&["litmus/sb-x86.litmus", "--outcome", "0:EAX=0 /\\ 1:EAX=0"]);
    assert!(text.starts_with("sb-x86 under x86tso: 0:EAX=0 /\\ 1:EAX=0 can happen"), "{text}");
    let text = explained(&["litmus/sb-x86.litmus", "--outcome", "0:EAX=7"]);
    assert!(text.contains("cannot happen, whatever the model"), "{text}");
    litmus(&["explain", "litmus/sb-x86.litmus", "--outcome", "0:EAX="]).assert().code(2);
}

/// Checks that are not `acyclic` have something to say, too: what is missing here is that the read synchronises with the write.
#[test]
fn how_close_an_irreflexive_check_comes() {
    let test = |store: &str, load: &str| {
        format!(
            "C mp\n{{}}\nP0(atomic_int* x, atomic_int* y) {{\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
             atomic_store_explicit(y, 1, memory_order_{store});\n}}\nP1(atomic_int* x, atomic_int* y) {{\n  \
             int r0 = atomic_load_explicit(y, memory_order_{load});\n  \
             int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}}\nexists (1:r0=1 /\\ 1:r1=0)"
        )
    };
    let folder = super::folder(&[
        ("relaxed.litmus", test("relaxed", "relaxed").as_str()),
        ("ordered.litmus", test("release", "acquire").as_str()),
    ]);
    let explained = |file: &str| {
        stdout(&super::litmus_in(folder.path(), &["explain", file, "-m", "rc11"]).assert().code(0))
    };
    let text = explained("relaxed.litmus");
    let near = text.lines().last().unwrap_or_default();
    assert!(near.starts_with("  `coherence` (<library>/rc11.cat:"), "{text}");
    assert!(near.ends_with("would forbid it if it ordered b before c."), "{text}");
    // And so it does.
    let text = explained("ordered.litmus");
    assert!(text.contains("`coherence` forbids cycles"), "{text}");
}

/// Where an order must contain what depends on `rf`, a reason found for one `rf` says nothing of another: the exchange may come first.
#[test]
fn a_reason_holds_for_what_it_rests_on() {
    let test = "C swept\n{}\nP0(atomic_int* x) {\n  atomic_store_explicit(x, 2, memory_order_relaxed);\n  \
                int r0 = atomic_load_explicit(x, memory_order_relaxed);\n  atomic_store_explicit(x, 3, memory_order_relaxed);\n}\n\
                P1(atomic_int* x) {\n  int r1 = atomic_exchange_explicit(x, 1, memory_order_relaxed);\n}\n\
                exists (0:r0=2 /\\ [x]=3)";
    let model = "\"what is read comes first\"\ninclude \"cross.cat\"\n\
                 let read = (rf & (W * (R & W))) | (rf; (po & (R * W)))\n\
                 with co from generate_cos(co0 | read | (po-loc & (W * W)))\n\
                 let fr = (rf^-1; co) \\ id\nempty po & (fr; [R & W]; co) as between";
    let folder = super::folder(&[("swept.litmus", test), ("read.cat", model)]);
    let explain = ["explain", "swept.litmus", "-m", "read.cat"];
    let text = stdout(&super::litmus_in(folder.path(), &explain).assert().code(0));
    assert!(text.starts_with("swept under read.cat: 0:r0=2 /\\ [x]=3 can happen"), "{text}");
}

/// And of an update that must be atomic: which write would have to come in between.
#[test]
fn how_close_an_empty_check_comes() {
    let test = "AArch64 update\n{ 0:X0=x; 1:X0=x; }\n P0 | P1 ;\n MOV W1,#1 | MOV W1,#2 ;\n LDXR W2,[X0] | STR W1,[X0] ;\n \
                STXR W3,W1,[X0] | ;\nexists (0:X2=0 /\\ 0:X3=0 /\\ [x]=2)";
    let folder = super::folder(&[("update.litmus", test)]);
    let text = stdout(&super::litmus_in(folder.path(), &["explain", "update.litmus"]).assert().code(0));
    let near = text.lines().last().unwrap_or_default();
    assert!(near.starts_with("  `atomic` (<library>/aarch64.cat:"), "{text}");
    assert!(near.ends_with("would forbid it if `(fr; co)` led from a to b."), "{text}");
}

#[test]
fn a_test_without_a_condition_needs_an_outcome() {
    let test = "X86 silent\n{}\n P0 ;\n MOV [x],$1 ;\n MOV EAX,[x] ;\nlocations [x;]\n";
    let folder = super::folder(&[("silent.litmus", test)]);
    let assert = super::litmus_in(folder.path(), &["explain", "silent.litmus", "-m", "sc"]).assert().code(2);
    insta::assert_snapshot!(super::stderr(&assert), @"
    error[explain::no-outcome]: the test has no condition, so that there is no outcome to explain
      ┌─ silent.litmus:1:5
      │
    1 │ X86 silent
      │     ^^^^^^ this test
      │
      = help: name one: `--outcome '…'`, in the words of a condition
    ");
    let outcome = ["explain", "silent.litmus", "-m", "sc", "--outcome", "0:EAX=0"];
    let text = stdout(&super::litmus_in(folder.path(), &outcome).assert().code(0));
    assert!(text.starts_with("silent under sc: 0:EAX=0 cannot happen."), "{text}");
}

/// Accesses of several sizes are taken apart, as `run` does it by itself.
#[test]
fn bytes_are_explained() {
    let test = "AArch64 halves\n{ uint64_t x; 0:X0=x; 1:X0=x; }\n P0 | P1 ;\n MOV X1,#1 | LDR W1,[X0] ;\n STR X1,[X0] | LDR X2,[X0] ;\n\
                exists (1:X1=1 /\\ 1:X2=0)";
    let folder = super::folder(&[("halves.litmus", test)]);
    let text = stdout(&super::litmus_in(folder.path(), &["explain", "halves.litmus"]).assert().code(0));
    assert!(text.starts_with("halves under aarch64: 1:X1=1 /\\ 1:X2=0 cannot happen."), "{text}");
}

/// Two paths with the same events are not the same: what a compare-and-swap hands on depends on whether it succeeds.
#[test]
fn paths_differ_by_their_dependencies() {
    let test = "AArch64 handed-on\n{ 0:X0=x; 0:X1=y; 1:X0=x; 1:X1=y; 1:X2=z; }\n P0 | P1 ;\n LDR W3,[X0] | LDR W3,[X1] ;\n \
                MOV W4,#1 | EOR W5,W3,W3 ;\n STLR W4,[X1] | CAS W5,W6,[X2] ;\n | EOR W7,W5,W5 ;\n | MOV W4,#1 ;\n \
                | STR W4,[X0,W7,SXTW] ;\nexists (0:X3=1 /\\ 1:X3=1)";
    let folder = super::folder(&[("handed-on.litmus", test)]);
    let run = stdout(&super::litmus_in(folder.path(), &["run", "handed-on.litmus"]).assert().code(0));
    assert!(run.contains("Observation handed-on Sometimes 1 6"), "{run}");
    let text = stdout(&super::litmus_in(folder.path(), &["explain", "handed-on.litmus"]).assert().code(0));
    assert!(text.starts_with("handed-on under aarch64: 0:X3=1 /\\ 1:X3=1 can happen"), "{text}");
}
