//! Page tables and tags, under our own model.

use std::sync::Arc;

use litmus::diag::{Color, render_all};
use litmus::explore::{Engine, Options};
use litmus::outcome::{StateStyle, format_state};
use litmus::session::{Input, Session, Settings};

/// The states of a test, and how many executions satisfy its condition and do not. The oracle says the same.
fn run(variants: &str, text: &str) -> (Vec<String>, (u64, u64)) {
    let answer = run_by(Engine::Explore, variants, text);
    assert_eq!(answer, run_by(Engine::Naive, variants, text), "the oracle");
    answer
}

fn run_by(engine: Engine, variants: &str, text: &str) -> (Vec<String>, (u64, u64)) {
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let variants = variants.split(',').filter_map(litmus::variant::Variant::parse).collect();
    let explore = Options { engine, ..Options::default() };
    let report = Session::new(Settings { variants, explore, ..Settings::default() }).run(&input, None);
    let answer = report.answer.as_ref();
    let Some((answer, outcome)) = answer.and_then(|answer| Some((answer, answer.outcome.as_ref()?))) else {
        panic!("{}", render_all(&report.diagnostics, &report.sources, Color::Never));
    };
    let states = outcome.states.listed(&answer.test.program, usize::MAX);
    let shown = states.map(|(state, _)| format_state(&state, &answer.test, &StateStyle::default()));
    (shown.collect(), (outcome.positive.saturating_word(), outcome.negative.saturating_word()))
}

fn states(variants: &str, text: &str) -> Vec<String> {
    run(variants, text).0
}

fn counts(variants: &str, text: &str) -> (u64, u64) {
    run(variants, text).1
}

const UNMAPPED: &str = "AArch64 unmapped
{ [PTE(x)]=(valid:0); x=7; 0:X1=x; 1:X0=(oa:PA(x)); 1:X1=PTE(x); }
 P0              | P1          ;
 L0: LDR W0,[X1] | STR X0,[X1] ;
 MOV W2,#1       |             ;
locations [0:X0; 0:X2;]
exists (fault(P0:L0,x))
";

#[test]
fn an_access_without_translation_faults() {
    let fault = "Fault(P0:L0,x,D-MMU:Translation);";
    let ended = [format!("0:X0=0; 0:X2=0; {fault}"), "0:X0=7; 0:X2=1;  ~Fault(P0:L0,x);".to_string()];
    assert_eq!(states("vmsa", UNMAPPED), ended);
    assert_eq!(states("vmsa,skip", UNMAPPED)[0], format!("0:X0=0; 0:X2=1; {fault}"));
    // Tried again, it must succeed.
    assert_eq!(states("vmsa,handled", UNMAPPED)[1], format!("0:X0=7; 0:X2=1; {fault}"));
}

/// Whoever shows states marks those that have the fault that is asked for.
#[test]
fn a_state_with_the_fault_satisfies_the_condition() {
    let input = Input::Text { name: "test".into(), text: Arc::from(UNMAPPED) };
    let variants = vec![litmus::variant::Variant::Vmsa];
    let report = Session::new(Settings { variants, ..Settings::default() }).run(&input, None);
    let answer = report.answer.as_ref().unwrap();
    let states = answer.outcome.as_ref().unwrap().states.listed(&answer.test.program, usize::MAX);
    let marks: Vec<bool> = states.map(|(state, _)| litmus::session::holds(&answer.test, &state)).collect();
    assert_eq!(marks, [true, false]);
}

#[test]
fn entries_of_faults_by_any_name() {
    for name in ["PTE(y)", "TTD(y)", "pte_y"] {
        let text = format!(
            "AArch64 names\n{{ int y; 0:X1=PTE(y); pteval_t 0:X0; }}\n P0 ;\n LDR X0,[X1] ;\nexists (fault(P0,{name}))\n"
        );
        assert_eq!(states("vmsa", &text), ["  ~Fault(P0,PTE(y));"], "{name}");
    }
}

/// Its reservation is gone with the fault. Figures that herd7 gives.
#[test]
fn a_store_exclusive_that_faulted_fails_when_it_is_run_again() {
    let text = "AArch64 again\n{ int x=1; [PTE(x)]=(oa:PA(x), db:0); 0:X1=x; 1:X1=PTE(x); 1:X0=(oa:PA(x)); }\n P0 | P1 ;\n\
                MOV W2,#2 | STR X0,[X1] ;\n LDXR W0,[X1] | ;\n L1: STXR W4,W2,[X1] | ;\nlocations [x; 0:X4; fault(P0:L1,x);]\n";
    let expected = [
        "0:X4=0; [x]=2;  ~Fault(P0:L1,x);",
        "0:X4=1; [x]=1;  ~Fault(P0:L1,x);",
        "0:X4=1; [x]=1; Fault(P0:L1,x,D-MMU:Permission);",
    ];
    assert_eq!(run("vmsa,handled", text), (expected.map(String::from).to_vec(), (6, 0)));
}

/// Code has tags as data have, and nobody changes them here. Figures that herd7 gives.
#[test]
fn code_is_written_where_there_are_tags() {
    let text = "AArch64 tagged\n{ 0:X0=NOP; 0:X1=P1:L0; 0:X9=y; 1:X8=y:red; 1:X9=y:green; }\n P0 | P1 ;\n STR W0,[X1] | STG X8,[X9] ;\n\
                DC CVAU,X1 | DSB ISH ;\n DSB ISH | ISB ;\n IC IVAU,X1 | L0: B L2 ;\n DSB ISH | MOV W2,#1 ;\n L1: STR WZR,[X9] | L2: ;\n\
                exists (~fault(P0:L1) /\\ 1:X2=0)\n";
    assert_eq!(counts("memtag,ifetch", text), (0, 4));
}

#[test]
fn an_entry_leads_elsewhere() {
    let text = "AArch64 alias\n{ x=1; y=2; [PTE(x)]=(oa:PA(y)); 0:X1=x; }\n P0 ;\n MOV W0,#5 ;\n STR W0,[X1] ;\n\
                locations [x; y; PTE(x);]\nexists (y=5)\n";
    assert_eq!(states("vmsa", text), ["[x]=1; [y]=5; [PTE(x)]=(oa:PA(y));"]);
}

#[test]
fn hardware_sets_the_access_flag() {
    let test = |tthm: &str| {
        format!(
            "AArch64 af\nTTHM={tthm}\n{{ [PTE(x)]=(af:0); 0:X1=x; }}\n P0 ;\n LDR W0,[X1] ;\n\
             locations [PTE(x);]\nexists (fault(P0,x))\n"
        )
    };
    // By the access itself, or by nobody before it.
    assert_eq!(counts("vmsa", &test("HA")), (0, 2));
    assert_eq!(counts("vmsa", &test("P1:HA")), (2, 1));
    assert_eq!(states("vmsa", &test("SW")), ["[PTE(x)]=(oa:PA(x), af:0); Fault(P0,x,D-MMU:AccessFlag);"]);
}

#[test]
fn a_fault_of_a_compare_and_swap_counts_three_times() {
    let test = |tthm: &str| {
        format!(
            "AArch64 cas\nTTHM={tthm}\n{{ [PTE(x)]=(valid:0); 0:X1=x; }}\n P0 ;\n CAS W3,W2,[X1] ;\nexists (fault(P0,x))\n"
        )
    };
    assert_eq!(counts("vmsa", &test("SW")), (3, 0));
    assert_eq!(counts("vmsa", &test("HD")), (4, 0));
}

#[test]
fn invalidations_come_before_or_after_each_walk() {
    let test = |op: &str| {
        format!(
            "AArch64 tlbi\n{{ 0:X1=PTE(x); 0:X0=(oa:PA(x), valid:0); 0:X2=x; 1:X1=x; }}\n P0 | P1 ;\n\
             STR X0,[X1] | L0: LDR W0,[X1] ;\n DSB ISH | ;\n LSR X3,X2,#12 | ;\n TLBI {op} | ;\n DSB ISH | ;\n\
             exists (fault(P1:L0,x))\n"
        )
    };
    assert_eq!(counts("vmsa", &test("VAAE1IS,X3")), (2, 1));
    // For the own thread alone, or of no page: no choice.
    assert_eq!(counts("vmsa", &test("VAAE1,X3")), (1, 1));
    assert_eq!(counts("vmsa", &test("VAAE1IS,X2")), (1, 1));
}

#[test]
fn a_handler_repairs_and_returns() {
    let text = "AArch64 handler\n{ [PTE(x)]=(valid:0); x=3; 0:X1=x; 0:X3=(oa:PA(x)); 0:X2=PTE(x); }\n P0 | P0.F ;\n\
                LDR W0,[X1] | ADD W6,W6,#1 ;\n L1: MOV W4,#1 | ADR X7,L1 ;\n | MSR ELR_EL1,X7 ;\n | ERET ;\n\
                locations [0:X0; 0:X4; 0:X6;]\nexists (fault(P0,x))\n";
    assert_eq!(states("vmsa", text), ["0:X0=0; 0:X4=1; 0:X6=1; Fault(P0,x,D-MMU:Translation);"]);
}

#[test]
fn unprivileged_threads_touch_no_page_tables() {
    let text = "AArch64 el0\nEL0=P0\n{ x=1; 0:X1=PTE(x); }\n P0 ;\n L0: LDR X0,[X1] ;\n\
                exists (fault(P0:L0,PTE(x),MMU:Permission))\n";
    assert_eq!(states("vmsa", text), [" Fault(P0:L0,PTE(x),MMU:Permission,EL0);"]);
}

const RETAGGED: &str = "AArch64 retagged
{ x=1; 0:X1=x; 0:X5=x:red; 1:X1=x:red; }
 P0          | P1              ;
 STG X5,[X1] | L0: LDR W3,[X1] ;
locations [1:X3; tag(x);]
exists (fault(P1:L0,x))
";

#[test]
fn tags_are_compared() {
    assert_eq!(
        states("memtag", RETAGGED),
        ["1:X3=0; [tag(x)]=:red; Fault(P1:L0,x:red,TagCheck);", "1:X3=1; [tag(x)]=:red;  ~Fault(P1:L0,x);",]
    );
    // Noticed later, a mismatch has no place.
    assert_eq!(states("memtag,async", RETAGGED), ["1:X3=1; [tag(x)]=:red;  ~Fault(P1:L0,x);"]);
    assert_eq!(states("memtag,store-only", RETAGGED), ["1:X3=1; [tag(x)]=:red;  ~Fault(P1:L0,x);"]);
}

#[test]
fn tags_are_chosen() {
    let test = |mask: &str| {
        format!(
            "AArch64 irg\n{{ 0:X1=x:green; 0:X2={mask}; }}\n P0 ;\n IRG X0,X1,X2 ;\nlocations [0:X0;]\nexists (true)\n"
        )
    };
    assert_eq!(states("memtag", &test("0xfc")), ["0:X0=x:green;", "0:X0=x:red;"]);
    assert_eq!(states("memtag", &test("0xff")), ["0:X0=x:green;"]);
    assert_eq!(states("memtag", &test("{:red,:green}")).len(), 6);
}

#[test]
fn too_many_flags_to_set() {
    let stores = " STR X0,[X1] ;\n".repeat(17);
    let text = format!(
        "AArch64 flags\nTTHM=HA\n{{ 0:X0=(oa:PA(x),af:0); 0:X1=PTE(x); }}\n P0 ;\n{stores}exists (x=0)\n"
    );
    let input = Input::Text { name: "test".into(), text: Arc::from(text) };
    let variants = vec![litmus::variant::Variant::Vmsa];
    let report = Session::new(Settings { variants, ..Settings::default() }).run(&input, None);
    let shown = render_all(&report.diagnostics, &report.sources, Color::Never);
    insta::assert_snapshot!(shown, @"
    error[program::too-many-updates]: hardware may set access flags after 17 writes, and 16 are the most
     = help: `af:1` in entries leaves nothing to set; without `TTHM=HA` hardware sets none
    ");
}

/// Entries go from reads to writes and on to other reads, through registers and through hardware.
#[test]
fn hardware_may_set_the_flag_after_each_write_that_leaves_it_clear() {
    let test = |init: &str, code: &str| {
        let code = code.replace("; ", " ;\n ");
        format!(
            "AArch64 aging\nTTHM=HA\n{{ [PTE(x)]=(af:0); 0:X1=PTE(x); {init} }}\n P0 ;\n {code} ;\nexists (PTE(x)=(af:0))\n"
        )
    };
    // Two writes of one value: each has an update of its own.
    assert_eq!(counts("vmsa", &test("0:X3=(oa:PA(x), af:0);", "STR X3,[X1]")), (3, 4));
    let total = |init: &str, code: &str| {
        let (positive, negative) = counts("vmsa", &test(init, code));
        positive + negative
    };
    assert_eq!(total("", "LDR X2,[X1]; STR X2,[X1]"), 8);
    assert_eq!(total("0:X2=0; 0:X3=(oa:PA(x));", "CAS X2,X3,[X1]"), 6);
    assert_eq!(total("0:X2=128;", "LDSET X2,X3,[X1]"), 3);
}

#[test]
fn every_invalidation_is_ordered_with_every_walk_on_its_own() {
    let tlbi = "TLBI VAAE1IS,X3 | LDR W0,[X1] ;\n DSB ISH | ;\n ";
    let text = format!(
        "AArch64 pairs\n{{ 0:X2=x; 1:X1=x; }}\n P0 | P1 ;\n LSR X3,X2,#12 | ;\n {}exists (x=0)\n",
        tlbi.repeat(2)
    );
    assert_eq!(counts("vmsa", &text), (16, 0));
}

#[test]
fn entries_are_reached_through_entries() {
    let test = |table: &str| {
        format!(
            "AArch64 squared\n{{ [PTE(x)]=(valid:0); {table} 0:X0=(oa:PA(x)); 0:X1=PTE(x); y=0; }}\n P0 ;\n\
             L0: STR X0,[X1] ;\nlocations [PTE(x); PTE(y);]\nexists (fault(P0:L0,PTE(x)))\n"
        )
    };
    let before = "[PTE(x)]=(oa:PA(x), valid:0); [PTE(y)]=(oa:PA(y));";
    let (fault, none) = ("Fault(P0:L0,PTE(x),D-MMU", " ~Fault(P0:L0,PTE(x));");
    assert_eq!(states("vmsa,pte2", &test("")), [format!("[PTE(x)]=(oa:PA(x)); [PTE(y)]=(oa:PA(y)); {none}")]);
    let invalid = states("vmsa,pte2", &test("[PTE(PTE(x))]=(oa:PTE(x), valid:0);"));
    assert_eq!(invalid, [format!("{before} {fault}:Translation);")]);
    // One page of tables in place of another.
    let other = states("vmsa,pte2", &test("[PTE(PTE(x))]=(oa:PTE(y));"));
    assert_eq!(other, [format!("[PTE(x)]=(oa:PA(x), valid:0); [PTE(y)]=(oa:PA(x)); {none}")]);
    // Unprivileged code has no access to tables, unless they say so.
    let user = |table: &str| test(table).replace("squared\n", "squared\nEL0=P0\n");
    assert_eq!(states("vmsa,pte2", &user("")), [format!("{before} {fault}:Permission);")]);
    assert_eq!(counts("vmsa,pte2", &user("[PTE(PTE(x))]=(oa:PTE(x));")), (0, 1));
}

/// What a model sees of an access through page tables that faults or not, with a branch and without.
#[test]
fn faults_hang_on_the_entry_or_on_a_branch() {
    let dir = tempfile::tempdir().unwrap();
    let model = dir.path().join("branches.cat");
    let text = "\"branches\"\ninclude \"cos.cat\"\nflag ~empty B as branch\n\
                flag ~empty [PTE & R]; iico_ctrl; [FAULT] as fault-on-entry\nflag ~empty [B]; iico_ctrl; [PA & R] as access-on-branch\n";
    std::fs::write(&model, text).unwrap();
    let flags = |variants: &str| {
        let input = Input::Text { name: "test".into(), text: Arc::from(UNMAPPED) };
        let variants = variants.split(',').filter_map(litmus::variant::Variant::parse).collect();
        let session = Session::new(Settings { variants, ..Settings::default() });
        let report = session.run(&input, model.to_str());
        let outcome = report.answer.and_then(|answer| answer.outcome).unwrap();
        outcome.flags.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(flags("vmsa"), ["access-on-branch", "branch"]);
    assert_eq!(flags("vmsa,noptebranch"), ["fault-on-entry"]);
}

/// What is behind an entry is cut up as memory without page tables is: a half of the page's old location, or of the new one, is written.
#[test]
fn parts_of_what_an_entry_leads_to() {
    let text = "AArch64 parts\n{ uint64_t x=0x100000001; uint64_t y=0x200000002; 0:X1=x; 1:X1=x; 0:X5=5;\n\
                1:X3=PTE(x); 1:X2=(oa:PA(y)); }\n P0 | P1 ;\n STR W5,[X1,#4] | STR X2,[X3] ;\nlocations [x; y;]\n";
    let old = "[x]=21474836481; [y]=8589934594;";
    let new = "[x]=4294967297; [y]=21474836482;";
    assert_eq!(states("vmsa", text), [new, old]);
    assert_eq!(run("vmsa,mixed", text), run("vmsa", text));
    // Hardware may set the flag of an entry whose page is cut up.
    let aged = text.replace("0:X5=5", "0:X5=5; [PTE(x)]=(af:0)").replace("parts\n", "parts\nTTHM=HA\n");
    assert!(states("vmsa", &aged).iter().any(|state| state == old));
}

/// An access through a number is told as one without page tables is.
#[test]
fn an_access_through_no_address() {
    for variants in ["", "vmsa", "memtag", "pauth2"] {
        let text = "AArch64 nowhere\n{ x=1; }\n P0 ;\n STR X0,[X1] ;\nexists (0:X0=0)\n";
        let input = Input::Text { name: "test".into(), text: Arc::from(text) };
        let variants = variants.split(',').filter_map(litmus::variant::Variant::parse).collect();
        let report = Session::new(Settings { variants, ..Settings::default() }).run(&input, None);
        let told = render_all(&report.diagnostics, &report.sources, Color::Never);
        assert!(told.contains("non symbolic address: [0] is the address of no location"), "{told}");
        assert!(told.contains("is `0:X1=x;` missing in the initial state?"), "{told}");
    }
}
