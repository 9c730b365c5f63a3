//! What counts as an execution before any model has its say: values that justify themselves, reads from the own
//! instruction, loops cut at the bound, final writes of what is observed, choices of the model.
//!
//! Every test is run by the explorer and by the oracle, which must agree on the numbers written down here.

use litmus::explore::{Engine, Options};
use litmus::outcome::Completeness;
use litmus::session::Settings;
use litmus::{Answers, Model, Test, run};

/// Positive and negative executions.
fn counts(test: &str, model: &str) -> (u64, u64) {
    let [explorer, oracle] = both(test, model, Settings::default());
    let figures = |answers: &Answers| {
        let outcome = answers.report().outcome().expect("it was run");
        (outcome.positive.saturating_word(), outcome.negative.saturating_word())
    };
    assert_eq!(figures(&explorer), figures(&oracle), "explorer and oracle, {model}:\n{test}");
    assert_eq!(explorer.states(), oracle.states(), "explorer and oracle, {model}:\n{test}");
    figures(&explorer)
}

fn both(test: &str, model: &str, settings: Settings) -> [Answers; 2] {
    [Engine::Explore, Engine::Naive].map(|engine| {
        let explore = Options { engine, ..settings.explore.clone() };
        let model = Model::with_settings(model, Settings { explore, ..settings.clone() }).expect("a model");
        run(&Test::new(test), &model).expect("an answer")
    })
}

/// A model from its text.
fn with_model<T>(text: &str, f: impl FnOnce(&str) -> T) -> T {
    let file = tempfile::Builder::new().suffix(".cat").tempfile().expect("a place for a model");
    std::fs::write(file.path(), text).expect("a model");
    f(file.path().to_str().expect("a name"))
}

/// Each thread loads from one cell and stores what `between` makes of it to the next, in a ring.
fn ring(threads: usize, between: &str) -> String {
    let cells = ["x", "y", "z"];
    let mut init = String::new();
    for thread in 0..threads {
        let (from, to) = (cells[thread], cells[(thread + 1) % threads]);
        init += &format!("{thread}:X1={from}; {thread}:X3={to}; ");
    }
    let row = |cell: &str| vec![cell; threads].join(" | ") + " ;\n";
    let names: Vec<String> = (0..threads).map(|t| format!("P{t}")).collect();
    let mut text = format!("AArch64 ring\n{{ {init}}}\n{} ;\n", names.join(" | "));
    text += &row("LDR W0,[X1]");
    text += &between.lines().map(row).collect::<String>();
    text += &row("STR W2,[X3]");
    text + "exists (0:X0=1)\n"
}

#[test]
fn values_that_justify_only_themselves_are_dropped() {
    // Every read from a thread: out of thin air. One read from the initial write is enough to justify the others.
    assert_eq!(counts(&ring(2, "MOV W2,W0"), "naked"), (0, 3));
    assert_eq!(counts(&ring(3, "MOV W2,W0"), "naked"), (0, 7));
    // A sum that contains itself has no value, either.
    assert_eq!(counts(&ring(2, "ADD W2,W0,#1"), "naked"), (1, 2));
    // What depends on nothing but the instruction is no circle: all four.
    assert_eq!(counts(&ring(2, "EOR W2,W0,W0\nADD W2,W2,#1"), "naked"), (2, 2));
    // Nor is a constant.
    assert_eq!(counts(&ring(3, "MOV W2,#1"), "naked"), (4, 4));
}

#[test]
fn values_that_contradict_their_path_are_dropped() {
    // Load buffering through control: the store is done only if 1 was read.
    let test = "AArch64 LB+ctrls
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 LDR W0,[X1] | LDR W0,[X1] ;
 CBZ W0,L0   | CBZ W0,L1   ;
 MOV W2,#1   | MOV W2,#1   ;
 STR W2,[X3] | STR W2,[X3] ;
 L0:         | L1:         ;
exists (0:X0=1 /\\ 1:X0=1)
";
    // Both stores justify both reads: speculation finds it where nothing forbids it.
    assert_eq!(counts(test, "naked"), (1, 1));
    assert_eq!(counts(test, "sc"), (0, 1));
    assert_eq!(counts(test, "aarch64"), (0, 1));
    // With the value passed on, nothing justifies it.
    let passed_on = test.replace("MOV W2,#1", "MOV W2,W0");
    assert_eq!(counts(&passed_on, "naked"), (0, 1));
}

#[test]
fn an_address_may_be_read_before_it_is_known_who_writes_it() {
    // P0 stores through a pointer that P1 publishes; the initial one points to y.
    let test = "AArch64 pointer
{ int64_t p=y; int64_t 0:X0; 0:X1=p; 1:X1=p; 1:X3=x; 2:X1=x; 2:X3=y; }
 P0          | P1          | P2          ;
 LDR X0,[X1] | STR X3,[X1] | LDR W0,[X1] ;
 MOV W2,#1   |             | LDR W2,[X3] ;
 STR W2,[X0] |             |             ;
exists (2:X0=1 /\\ 2:X2=1)
";
    // Either cell is written, and read or not; never both.
    assert_eq!(counts(test, "naked"), (0, 4));
}

#[test]
fn no_read_takes_its_value_from_its_own_instruction() {
    let exchanges = "X86 exchanges
{ 0:EAX=1; 1:EAX=2; }
 P0           | P1           ;
 XCHG [x],EAX | XCHG [x],EAX ;
exists (0:EAX=2)
";
    // Each from the initial write or from the other; both from each other, too: the values are constants.
    assert_eq!(counts(exchanges, "naked"), (2, 2));
    let alone = |arch: &str, init: &str, code: &str| {
        let test = format!("{arch} alone\n{{ {init} }}\n P0 ;\n {code} ;\nlocations [x;]\nforall (x=1)\n");
        counts(&test, "naked")
    };
    assert_eq!(alone("X86", "0:EAX=1;", "XCHG [x],EAX"), (1, 0));
    assert_eq!(alone("X86", "0:EAX=1;", "LOCK XADD [x],EAX"), (1, 0));
    assert_eq!(alone("AArch64", "0:X1=x; 0:X2=1;", "LDADD W2,W0,[X1]"), (1, 0));
    // Two ways to say where the register's final value comes from.
    assert_eq!(alone("AArch64", "0:X1=x; 0:X2=1; 0:X0=0;", "CAS W0,W2,[X1]"), (2, 0));
    assert_eq!(alone("RISCV", "0:x6=x; 0:x7=1;", "amoadd.w x5,x7,(x6)"), (1, 0));
    let c = "C alone
{}
P0(atomic_int *x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
locations [x;]
forall (x=1)
";
    assert_eq!(counts(c, "naked"), (1, 0));
    // Two instructions are another matter: without any rule the load may see the store that follows it.
    let later = "X86 later
{}
 P0          ;
 MOV EAX,[x] ;
 MOV [x],$1  ;
exists (0:EAX=1)
";
    assert_eq!(counts(later, "naked"), (1, 1));
    assert_eq!(counts(later, "uni"), (0, 1));
}

#[test]
fn only_observed_cells_have_a_final_write() {
    let test = "X86 two
{}
 P0         | P1         ;
 MOV [x],$1 | MOV [x],$2 ;
 MOV [y],$1 | MOV [y],$2 ;
exists (x=1)
";
    assert_eq!(counts(test, "naked"), (1, 1));
    // A model that orders writes orders those of `y` as well, whoever looks.
    assert_eq!(counts(test, "minimal"), (2, 2));
    assert_eq!(counts(&test.replace("exists", "locations [y;] exists"), "naked"), (2, 2));
    // The same value twice: two executions, one state.
    let same = test.replace("$2", "$1").replace("x=1", "x=0");
    assert_eq!(counts(&same, "naked"), (0, 2));
}

#[test]
fn choices_of_a_model_count() {
    let one = "X86 ONE
{}
 P0          ;
 MOV [x],$1  ;
 MOV [x],$2  ;
 MOV EAX,[x] ;
exists (0:EAX=2)
";
    let expected = [
        ("", (1, 2)),
        ("with x from {W,R,{}}", (3, 6)),
        ("with x from {W,W}", (1, 2)),
        ("with x from {}", (0, 0)),
        ("with x from {W} \\ {W}", (0, 0)),
        ("acyclic po | po^-1 as A", (0, 0)),
        ("with x from linearisations(W,po)", (3, 6)),
        ("with x from linearisations(W,po;po)", (6, 12)),
        ("with x from linearisations(W,po|po^-1)", (0, 0)),
        ("with x from linearisations({},po)", (1, 2)),
        ("with x from {W,R} with y from {x,x|W}", (3, 6)),
        ("with x from {rf,rf|po} empty x & po", (0, 1)),
    ];
    for (body, figures) in expected {
        with_model(&format!("\"x\"\n{body}\n"), |model| assert_eq!(counts(one, model), figures, "{body}"));
    }
}

const SPIN: &str = "AArch64 spin
{ 0:X1=x; 1:X1=x; }
 P0          | P1          ;
 L0:         | MOV W0,#1   ;
 LDR W0,[X1] | STR W0,[X1] ;
 CBZ W0,L0   |             ;
forall (0:X0=1)
";

#[test]
fn loops_are_cut_and_announced() {
    for unroll in 0..5 {
        let settings = Settings { unroll: Some(unroll), ..Settings::default() };
        for answers in both(SPIN, "aarch64", settings) {
            let outcome = answers.report().outcome().expect("it was run");
            // The loop is left after one pass, or two, … ; the one that goes on is dropped.
            let passes = u64::from(unroll) + 1;
            assert_eq!(
                (outcome.positive.saturating_word(), outcome.negative.saturating_word()),
                (passes, 0),
                "unroll {unroll}"
            );
            assert_eq!(outcome.completeness, Completeness::Bounded);
            let cuts: Vec<(usize, &str)> =
                outcome.cuts.iter().map(|c| (c.thread, c.label.as_str())).collect();
            assert_eq!(cuts, [(0, "L0")]);
            assert!(!answers.is_complete());
        }
    }
}

#[test]
fn a_loop_that_nothing_lets_go_on_is_not_announced() {
    // Nobody ever writes 0: the second pass needs a value that is not there.
    let test =
        SPIN.replace("{ 0:X1=x;", "{ x=2; 0:X1=x;").replace("forall (0:X0=1)", "forall (0:X0=1 \\/ 0:X0=2)");
    for answers in both(&test, "aarch64", Settings::default()) {
        let outcome = answers.report().outcome().expect("it was run");
        assert_eq!((outcome.positive.saturating_word(), outcome.negative.saturating_word()), (2, 0));
        assert_eq!(outcome.completeness, Completeness::Complete);
        assert!(outcome.cuts.is_empty());
    }
    // Only a value out of thin air would let it go on.
    let chain = "AArch64 chain
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 L0:         | L1:         ;
 LDR W0,[X1] | LDR W0,[X1] ;
 STR W0,[X3] | STR W0,[X3] ;
 CBNZ W0,L0  | CBNZ W0,L1  ;
forall (0:X0=0)
";
    for answers in both(chain, "naked", Settings::default()) {
        let outcome = answers.report().outcome().expect("it was run");
        assert_eq!((outcome.positive.saturating_word(), outcome.negative.saturating_word()), (3, 0));
        assert_eq!(outcome.completeness, Completeness::Complete);
    }
}
