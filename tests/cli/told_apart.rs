//! `litmus model diff`: tests that tell two models apart.

use super::{folder, litmus, litmus_in, shown};

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
