//! Messages about what is refused: engines that cannot, places that are none, limits that were hit.

use super::{SB, folder, litmus_in, shown, stderr};

/// What `litmus` says of a test with these arguments.
fn said(test: &str, args: &[&str]) -> String {
    let odd = "let r = po | rf\n~acyclic r as cyclic\n";
    let dir = folder(&[("T.litmus", test), ("odd.cat", odd)]);
    let mut all = vec![args[0], "T.litmus"];
    all.extend(&args[1..]);
    stderr(&litmus_in(dir.path(), &all).assert())
}

fn aarch64(info: &str, init: &str, code: &str, condition: &str) -> String {
    format!("AArch64 T\n{info}{{ {init} }}\n P0 ;\n{code}\n{condition}\n")
}

#[test]
fn models_that_do_not_end() {
    insta::assert_snapshot!(said(SB, &["run", "-m", "/dev/zero"]));
}

#[test]
fn the_engine_for_programs_says_what_it_cannot() {
    let grow = |test: &str, more: &[&str]| said(test, &[&["run", "--engine", "grow"], more].concat());
    insta::assert_snapshot!(grow(SB, &["-m", "odd.cat"]));
    let mixed = aarch64("Variant=mixed\n", "0:X1=x;", " STRB W0,[X1] ;", "exists (x=0)");
    insta::assert_snapshot!(grow(&mixed, &["-m", "sc"]));
    let fault = aarch64("", "", " UDF #0 ;", "exists (fault(P0,UndefinedInstruction))");
    insta::assert_snapshot!(grow(&fault, &["-m", "sc"]));
    let scopes = SB.replace("exists", "scopes: (device 0 1)\nexists");
    insta::assert_snapshot!(grow(&scopes, &["-m", "sc"]));
    let unsequenced = "C T\n{}\nP0 (int* x, int* y) { int r0 = (*x = 1) + *y; }\nexists (x=1)\n";
    insta::assert_snapshot!(grow(unsequenced, &["-m", "sc"]));
}

/// What the engine cannot do is told even where the execution, as far as it came, fails a check that is asked of whole ones.
#[test]
fn the_engine_for_programs_says_so_whatever_checks_hold() {
    let model = "\"m\"\ninclude \"cos.cat\"\nacyclic po | rf as order\nacyclic (po & loc) | rf | co | fr as coherence\n\
        acyclic co | (po & (W * W)) as writes\n~empty rf & ext as seen\n";
    let test = "X86 T\n{ }\n P0 | P1 ;\n MOV [y],$2 | MOV [x],$1 ;\n MOV EAX,$1 | ;\n XCHG [y],EAX | ;\n MOV EBX,[x] | ;\nexists (0:EBX=1)\n";
    let dir = folder(&[("T.litmus", test), ("m.cat", model)]);
    let run = |engine: &str| {
        let args = ["run", "T.litmus", "-m", "m.cat", "--engine", engine];
        litmus_in(dir.path(), &args).assert()
    };
    assert!(stderr(&run("grow")).contains("error[grow::unsequenced]"));
    assert!(shown(&run("worlds")).contains("Positive: 1 Negative: 1"));
}

#[test]
fn the_solver_says_what_it_cannot() {
    let solve = |test: &str, more: &[&str]| said(test, &[&["run", "--engine", "sat"], more].concat());
    insta::assert_snapshot!(solve(SB, &["-m", "sc"]));
}

#[test]
fn values_that_do_not_fit() {
    let large = "C T\n{ uint8_t y=256; }\nP0(uint8_t *y) { int r0 = *y; }\nexists (0:r0=0)\n";
    insta::assert_snapshot!(said(large, &["check"]));
    let caches = aarch64("CacheType=DIC L2\n", "", " NOP ;", "exists (0:X0=0)");
    insta::assert_snapshot!(said(&caches, &["check"]));
    let entry = aarch64("Variant=vmsa\n", "[PTE(x)]=(oa:PA(x), colour:1);", " NOP ;", "exists (0:X0=0)");
    insta::assert_snapshot!(said(&entry, &["run"]));
}

#[test]
fn addresses_are_not_cut() {
    let part = aarch64("", "0:X1=p; int64_t *p=x;", " LDRB W0,[X1] ;", "exists (0:X0=0)");
    insta::assert_snapshot!(said(&part, &["run"]));
    let inside = aarch64("", "0:X1=x; int32_t x=0;", " LDR W0,[X1,#2] ;", "exists (0:X0=0)");
    insta::assert_snapshot!(said(&inside, &["run"]));
    let code = "AArch64 T\n{ 0:X1=P0:L; }\n P0 ;\n L: NOP ;\n LDR W0,[X1,#400] ;\nexists (0:X0=0)\n";
    insta::assert_snapshot!(said(code, &["run"]));
}
