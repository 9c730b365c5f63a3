//! Pictures of small executions.

use super::{EventChoice, Graph, Layout, Style, dot, svg, text};
use crate::explore::{Request, Show};
use crate::session::{Input, Session, Settings};

const SB: &str = "X86 SB
{}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)";

const MP: &str = "AArch64 MP
{0:X4=x; 0:X5=y; 1:X4=x; 1:X5=y;}
 P0          | P1           ;
 MOV W0,#1   | LDR W1,[X5]  ;
 STR W0,[X4] | EOR W6,W1,W1 ;
 DMB SY      | ADD X6,X6,X4 ;
 STR W0,[X5] | LDR W2,[X6]  ;
exists (1:X1=1 /\\ 1:X2=1)";

const WRITES: &str = "X86 CoWR
{}
 P0          | P1         ;
 MOV [x],$1  | MOV [x],$3 ;
 MOV [x],$2  |            ;
 MOV EAX,[x] |            ;
exists (0:EAX=2 /\\ [x]=3)";

const LOCKED: &str = "X86 inc
{}
 P0           | P1           ;
 LOCK INC [x] | LOCK INC [x] ;
forall ([x]=2)";

fn graphs(test: &str, model: &str, show: Show, names: &[&str], style: &Style) -> Vec<Graph> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
    let settings = Settings { shown: Some(Request { show, limit: None, names }), ..Settings::default() };
    let input = Input::Text { name: "test.litmus".to_string(), text: test.into() };
    let report = Session::new(settings).run(&input, Some(model));
    let answer = report.answer.as_ref().unwrap();
    report.executions.iter().map(|e| Graph::new(e, &answer.test, model, style)).collect()
}

fn first(test: &str, model: &str, style: &Style) -> Graph {
    graphs(test, model, Show::Prop, &[], style).remove(0)
}

#[test]
fn store_buffering_on_a_terminal() {
    insta::assert_snapshot!(text(&first(SB, "x86tso", &Style::default())), @r"
    Test SB, x86tso: 0:EAX=0; 1:EAX=0; satisfies the exists clause
      init: x=0, y=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  c: W[y]=1  MOV [y],$1
      b: R[y]=0  MOV EAX,[y]  |  d: R[x]=0  MOV EAX,[x]
      po: a -> b, c -> d
      rf: init -> b, init -> d
      fr: b -> c, d -> a
    ");
}

#[test]
fn store_buffering_for_graphviz() {
    insta::assert_snapshot!(dot(&first(SB, "x86tso", &Style::default()), &Style::default()), @r##"
    digraph G {
      /* what it is */
      label="Test SB, x86tso\n0:EAX=0; 1:EAX=0; satisfies the exists clause";
      labelloc="b";
      splines="true";
      nodesep="0.6";
      ranksep="0.5";
      newrank="true";
      fontname="Helvetica";
      node [shape="box", margin="0.08,0.04", fontsize="11", fontname="Helvetica"];
      edge [fontsize="10", arrowsize="0.7", fontname="Helvetica"];
      /* initial writes */
      e_init [label="init: x=0, y=0", style="rounded"];
      /* the events of each thread */
      subgraph cluster_proc0 {
        label="Thread 0"; labelloc="t"; fontsize="12"; color="grey"; style="rounded";
        e_a [label="a: W[x]=1\nMOV [x],$1"];
        e_b [label="b: R[y]=0\nMOV EAX,[y]"];
      }
      subgraph cluster_proc1 {
        label="Thread 1"; labelloc="t"; fontsize="12"; color="grey"; style="rounded";
        e_c [label="c: W[y]=1\nMOV [y],$1"];
        e_d [label="d: R[x]=0\nMOV EAX,[x]"];
      }
      /* the initial writes stand above, the threads in order */
      e_init -> e_a [style="invis"];
      e_init -> e_c [style="invis"];
      { rank="same"; e_a -> e_c [style="invis"]; }
      /* relations */
      e_a -> e_b [label="po", color="black", fontcolor="black", weight="10"];
      e_c -> e_d [label="po", color="black", fontcolor="black", weight="10"];
      e_init -> e_b [label="rf", color="#c62828", fontcolor="#c62828", constraint="false"];
      e_init -> e_d [label="rf", color="#c62828", fontcolor="#c62828", constraint="false"];
      e_b -> e_c [label="fr", color="#e07b00", fontcolor="#e07b00", constraint="false"];
      e_d -> e_a [label="fr", color="#e07b00", fontcolor="#e07b00", constraint="false"];
    }
    "##);
}

#[test]
fn store_buffering_for_a_browser() {
    insta::assert_snapshot!(svg(&first(SB, "x86tso", &Style::default())), @r##"
    <svg xmlns="http://www.w3.org/2000/svg" width="444" height="354" viewBox="0 0 444 354" font-family="Helvetica, Arial, sans-serif" font-size="12">
    <title>Test SB, x86tso</title>
    <rect width="100%" height="100%" fill="white"/>
    <defs>
    <marker id="arrow-c62828" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#c62828"/></marker>
    <marker id="arrow-e07b00" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#e07b00"/></marker>
    <marker id="arrow-black" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="black"/></marker>
    </defs>
    <rect x="78.0" y="128.0" width="111.9" height="154.0" rx="8" fill="#f7f7f7" stroke="#cccccc"/>
    <text x="115.6" y="143.0" text-anchor="middle" fill="#555555">Thread 0</text>
    <rect x="253.9" y="128.0" width="111.9" height="154.0" rx="8" fill="#f7f7f7" stroke="#cccccc"/>
    <text x="328.2" y="143.0" text-anchor="middle" fill="#555555">Thread 1</text>
    <path d="M133.9,194.0 L133.9,234.0" fill="none" stroke="black" stroke-width="1.4" marker-end="url(#arrow-black)"/>
    <path d="M309.8,194.0 L309.8,234.0" fill="none" stroke="black" stroke-width="1.4" marker-end="url(#arrow-black)"/>
    <path d="M203.1,62.0 L203.1,77.3 Q203.1,83.3 197.1,83.3 L62.0,83.3 Q56.0,83.3 56.0,89.3 L56.0,247.0 Q56.0,253.0 62.0,253.0 L88.0,253.0" fill="none" stroke="#c62828" stroke-width="1.4" marker-end="url(#arrow-c62828)"/>
    <path d="M240.7,62.0 L240.7,98.7 Q240.7,104.7 246.7,104.7 L381.8,104.7 Q387.8,104.7 387.8,110.7 L387.8,247.0 Q387.8,253.0 381.8,253.0 L355.8,253.0" fill="none" stroke="#c62828" stroke-width="1.4" marker-end="url(#arrow-c62828)"/>
    <path d="M179.9,253.0 L263.9,175.0" fill="none" stroke="#e07b00" stroke-width="1.4" marker-end="url(#arrow-e07b00)"/>
    <path d="M263.9,253.0 L179.9,175.0" fill="none" stroke="#e07b00" stroke-width="1.4" marker-end="url(#arrow-e07b00)"/>
    <rect x="165.6" y="24.0" width="112.6" height="38.0" rx="4" fill="white" stroke="black"/>
    <text x="221.9" y="47.0" text-anchor="middle">init: x=0, y=0</text>
    <rect x="88.0" y="156.0" width="91.9" height="38.0" rx="4" fill="white" stroke="black"/>
    <text x="133.9" y="172.0" text-anchor="middle">a: W[x]=1</text>
    <text x="133.9" y="187.0" text-anchor="middle" font-size="10" fill="#555555">MOV [x],$1</text>
    <rect x="88.0" y="234.0" width="91.9" height="38.0" rx="4" fill="white" stroke="black"/>
    <text x="133.9" y="250.0" text-anchor="middle">b: R[y]=0</text>
    <text x="133.9" y="265.0" text-anchor="middle" font-size="10" fill="#555555">MOV EAX,[y]</text>
    <rect x="263.9" y="156.0" width="91.9" height="38.0" rx="4" fill="white" stroke="black"/>
    <text x="309.8" y="172.0" text-anchor="middle">c: W[y]=1</text>
    <text x="309.8" y="187.0" text-anchor="middle" font-size="10" fill="#555555">MOV [y],$1</text>
    <rect x="263.9" y="234.0" width="91.9" height="38.0" rx="4" fill="white" stroke="black"/>
    <text x="309.8" y="250.0" text-anchor="middle">d: R[x]=0</text>
    <text x="309.8" y="265.0" text-anchor="middle" font-size="10" fill="#555555">MOV EAX,[x]</text>
    <text x="145.3" y="217.5" fill="black" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">po</text>
    <text x="321.2" y="217.5" fill="black" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">po</text>
    <text x="67.4" y="103.4" fill="#c62828" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">rf</text>
    <text x="383.1" y="100.2" fill="#c62828" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">rf</text>
    <text x="238.3" y="217.5" fill="#e07b00" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">fr</text>
    <text x="205.5" y="217.5" fill="#e07b00" text-anchor="middle" font-size="11" paint-order="stroke" stroke="white" stroke-width="3">fr</text>
    <text x="24" y="318.0" font-weight="bold">Test SB, x86tso</text>
    <text x="24" y="336.0">0:EAX=0; 1:EAX=0; satisfies the exists clause</text>
    </svg>
    "##);
}

#[test]
fn fences_and_what_the_model_is_asked_for() {
    let style = Style { names: vec!["addr".into(), "rfe".into()], ..Style::default() };
    let graph = graphs(MP, "aarch64", Show::Prop, &["addr", "rfe"], &style).remove(0);
    insta::assert_snapshot!(text(&graph), @r"
    Test MP, aarch64: 1:X1=1; 1:X2=1; satisfies the exists clause
      P0                      |  P1
      a: W[x]=1  STR W0,[X4]  |  d: R[y]=1  LDR W1,[X5]
      b: F       DMB SY       |  e: R[x]=1  LDR W2,[X6]
      c: W[y]=1  STR W0,[X5]  |
        po: a -> b, b -> c, d -> e
        rf: a -> e, c -> d
      addr: d -> e
       rfe: a -> e, c -> d
    ");
}

#[test]
fn only_the_next_write_is_drawn() {
    insta::assert_snapshot!(text(&first(WRITES, "x86tso", &Style::default())), @r"
    Test CoWR, x86tso: 0:EAX=2; [x]=3; satisfies the exists clause
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  d: W[x]=3  MOV [x],$3
      b: W[x]=2  MOV [x],$2   |
      c: R[x]=2  MOV EAX,[x]  |
      po: a -> b, b -> c
      rf: b -> c
      co: a -> b, b -> d
      fr: c -> d
    ");
    let style = Style { raw: vec!["co".into(), "fr".into()], ..Style::default() };
    insta::assert_snapshot!(text(&first(WRITES, "x86tso", &style)), @r"
    Test CoWR, x86tso: 0:EAX=2; [x]=3; satisfies the exists clause
      init: x=0
      P0                      |  P1
      a: W[x]=1  MOV [x],$1   |  d: W[x]=3  MOV [x],$3
      b: W[x]=2  MOV [x],$2   |
      c: R[x]=2  MOV EAX,[x]  |
      po: a -> b, b -> c
      rf: b -> c
      co: init -> a, init -> b, init -> d, a -> b, a -> d, b -> d
      fr: c -> d
    ");
}

#[test]
fn executions_are_those_asked_for() {
    let style = Style::default();
    let count = |test, show| graphs(test, "x86tso", show, &[], &style).len();
    assert_eq!(count(SB, Show::All), 4);
    assert_eq!(count(SB, Show::Prop), 1);
    assert_eq!(count(SB, Show::Neg), 3);
    assert_eq!(count(SB, Show::Wit), 1);
    assert_eq!(count(SB, Show::Cond), 1);
    assert_eq!(count(LOCKED, Show::Wit), 0);
    assert_eq!(count(LOCKED, Show::Cond), 2);
    assert_eq!(count(SB, Show::Flag("race".into())), 0);
}

#[test]
fn every_shown_execution_is_another() {
    let all = graphs(WRITES, "x86tso", Show::All, &[], &Style::default());
    let texts: std::collections::BTreeSet<String> = all.iter().map(text).collect();
    assert_eq!(texts.len(), all.len());
}

#[test]
fn an_atomic_instruction() {
    let graph = graphs(LOCKED, "x86tso", Show::Cond, &["rmw"], &Style::default()).remove(0);
    insta::assert_snapshot!(text(&graph), @r"
    Test inc, x86tso: [x]=2; respects the forall clause
      init: x=0
      P0                         |  P1
      a: R[x]=1  LOCK; INC  [x]  |  c: R[x]=0  LOCK; INC  [x]
      b: W[x]=2  LOCK; INC  [x]  |  d: W[x]=1  LOCK; INC  [x]
       rf: init -> c, d -> a
       co: d -> b
       fr: a -> b, c -> d
      rmw: a -> b, c -> d
    ");
}

#[test]
fn what_can_be_left_out() {
    let style = Style {
        events: EventChoice::Memory,
        layout: Layout::Columns,
        initial_writes: false,
        squished: true,
        threads: false,
        legend: None,
        mono: true,
        unshown: vec!["fr".into()],
        edge_attributes: vec![("rf".into(), "style".into(), "dashed".into())],
        ..Style::default()
    };
    insta::assert_snapshot!(dot(&first(MP, "aarch64", &style), &style), @r#"
    digraph G {
      /* what it is */
      splines="true";
      nodesep="0.6";
      ranksep="0.5";
      newrank="true";
      fontname="Helvetica";
      node [shape="box", margin="0.08,0.04", fontsize="11", fontname="Helvetica"];
      edge [fontsize="10", arrowsize="0.7", fontname="Helvetica"];
      /* the events of each thread */
        e_a [label="a: W[x]=1", pos="0,0!"];
        e_c [label="c: W[y]=1", pos="0,-72!"];
        e_d [label="d: R[y]=1", pos="190,0!"];
        e_e [label="e: R[x]=1", pos="190,-72!"];
      /* relations */
      e_a -> e_c [label="po", color="black", fontcolor="black", weight="10"];
      e_d -> e_e [label="po", color="black", fontcolor="black", weight="10"];
      e_a -> e_e [label="rf", color="black", fontcolor="black", constraint="false", style="dashed"];
      e_c -> e_d [label="rf", color="black", fontcolor="black", constraint="false", style="dashed"];
      e_d -> e_e [label="addr", color="black", fontcolor="black", constraint="false"];
    }
    "#);
}

/// The search counts executions with bounds, the pictures come from the plain run: they must be as many, and end in the same states.
#[test]
fn as_many_are_shown_as_counted() {
    let settings = Settings {
        shown: Some(Request { show: Show::All, limit: None, names: Vec::new() }),
        ..Settings::default()
    };
    let session = Session::new(settings);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let mut looked_at = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with("-x86.litmus") {
            continue;
        }
        let report = session.run(&Input::File(path.clone()), Some("weak"));
        let outcome = report.outcome().unwrap_or_else(|| panic!("{path:?}: {:?}", report.diagnostics));
        let mut states = std::collections::BTreeMap::new();
        for execution in &report.executions {
            *states.entry(execution.state.clone()).or_insert(crate::outcome::Count::ZERO) += 1;
        }
        let counted: std::collections::BTreeMap<_, _> = outcome.states.iter().collect();
        assert_eq!(states, counted, "{path:?}");
        looked_at += 1;
    }
    assert!(looked_at > 10, "{looked_at} tests");
}

const UPDATED: &str = "AArch64 updated
Variant=vmsa
TTHM=HA
{ uint64_t x=1; [PTE(x)]=(oa:PA(x), af:0); 0:X1=x; }
 P0          ;
 LDR X0,[X1] ;
exists (0:X0=1)";

/// What hardware does by itself has a column of its own.
#[test]
fn an_access_flag_that_nobody_set() {
    let style = Style::default();
    let drawn = graphs(UPDATED, "aarch64", Show::Prop, &[], &style);
    let by_itself = drawn.iter().find(|graph| graph.hardware).expect("an update by hardware alone");
    assert!(svg(by_itself).contains(">Hardware</text>"));
    assert!(dot(by_itself, &style).contains("label=\"Hardware\""));
    insta::assert_snapshot!(text(by_itself), @r"
    Test updated, aarch64: 0:X0=1; satisfies the exists clause
      init: x=1, PTE(x)=(oa:PA(x), af:0)
      P0                                         |  hardware
      a: R walk[PTE(x)]=(oa:PA(x))  LDR X0,[X1]  |  c: R walk[PTE(x)]=(oa:PA(x), af:0)
      b: R[x]=1                     LDR X0,[X1]  |  d: W update[PTE(x)]=(oa:PA(x))
      rf: init -> b, init -> c, d -> a
      fr: c -> d
    ");
}

const PARTS: &str = "AArch64 parts
{ uint64_t x; 0:X1=x; }
 P0              ;
 STR X0,[X1]     ;
 STRB W0,[X1,#4] ;
exists (0:X0=0)";

/// The parts of an access are one step of the program.
#[test]
fn program_order_of_parts() {
    insta::assert_snapshot!(text(&first(PARTS, "aarch64", &Style::default())), @r"
    Test parts, aarch64: 0:X0=0; satisfies the exists clause
      P0
      a: W[x+0..3]=0  STR X0,[X1]
      b: W[x+4]=0     STR X0,[X1]
      c: W[x+5..7]=0  STR X0,[X1]
      d: W[x+4]=0     STRB W0,[X1,#4]
      po: c -> d
      co: b -> d
    ");
}
