//! Diagnostics that few people see: each is made once, and looked at.

use super::{folder, litmus_in, shown};

/// A file, its text, and the command that refuses it.
const REFUSED: &[(&str, &str, &[&str])] = &[
    (
        "nondet.c",
        "int __litmus_nondet(int low, int high);\nint main(void) { int n = __litmus_nondet(0, 100000); return n; }\n",
        &["verify", "nondet.c"],
    ),
    (
        "choice.c",
        "int __litmus_nondet(int low, int high);\nint main(void) { int n = __litmus_nondet(0, 100000); return n; }\n",
        &["ltl", "choice.c", "F ended(P0)"],
    ),
    (
        "tags.litmus",
        "AArch64 tags\nVariant=mte,sync\n{ 0:X1=x:red; 0:X2=x:green; }\n P0          ;\n STG X2,[X1] ;\nlocations [x;]\nexists (true)\n",
        &["run", "tags.litmus", "-m", "sc", "--engine", "grow"],
    ),
    (
        "mixed.litmus",
        "AArch64 mixed\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1,#2] ;\nexists (0:X0=1)\n",
        &["run", "mixed.litmus", "-m", "sc", "--engine", "grow"],
    ),
    (
        "threads.litmus",
        "X86 threads\n{}\n P0 | P1 | P2 | P3 | P4 | P5 | P6 | P7 | P8 ;\n MOV [a],$1 | MOV [b],$1 | MOV [c],$1 | MOV [d],$1 | MOV [e],$1 | MOV [f],$1 | MOV [g],$1 | MOV [h],$1 | MOV [i],$1 ;\nexists (a=1)\n",
        &["ltl", "threads.litmus", "F a==1", "-m", "pso", "--fair", "all"],
    ),
    (
        "address.litmus",
        "AArch64 address\n{}\n P0 ;\n LDR W0,[X1] ;\nexists (0:X0=1)\n",
        &["ltl", "address.litmus", "F ended(P0)"],
    ),
    (
        "join.c",
        "#include <pthread.h>\nint main(void) { pthread_t t = 7; pthread_join(t, 0); return 0; }\n",
        &["ltl", "join.c", "F ended(P0)"],
    ),
    (
        "again.c",
        "#include <pthread.h>\nvoid *f(void *a) { return 0; }\nint main(void) {\n  pthread_t t;\n  for (int i = 0; i < 5; i++) pthread_create(&t, 0, f, 0);\n  return 0;\n}\n",
        &["ltl", "again.c", "F ended(P0)"],
    ),
    (
        "breed.c",
        "#include <pthread.h>\nvoid *f(void *a) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\n",
        &["ltl", "breed.c", "F ended(P0)"],
    ),
    (
        "exclusive.litmus",
        "AArch64 exclusive\n{ 0:X1=x; }\n P0 ;\n LDXR W0,[X1] ;\n STXR W2,W0,[X1] ;\nexists (0:X0=1)\n",
        &["ltl", "exclusive.litmus", "F x==1"],
    ),
    (
        "code.litmus",
        "AArch64 code\n{ 0:X1=P1:L; 0:X0=instr:\"NOP\"; }\n P0 | P1 ;\n STR W0,[X1] | L: B M ;\n | MOV W0,#1 ;\n | M: ;\nexists (1:X0=1)\n",
        &["run", "code.litmus", "-m", "aarch64", "--engine", "sat", "--mode", "states"],
    ),
    (
        "updates.litmus",
        "AArch64 updates\nTTHM=P0:HA HD\nVariant=vmsa\n{ [PTE(x)]=(af:0); 0:X1=x; }\n P0 ;\n MOV W0,#1 ;\n STR W0,[X1] ;\nexists (x=1)\n",
        &["run", "updates.litmus", "-m", "aarch64", "--engine", "sat", "--mode", "states"],
    ),
    (
        "signed.litmus",
        "AArch64 signed\nVariant=pauth2\n{ 0:X0=x; 0:X1=1; }\n P0 ;\n PACDA X0,X1 ;\n AUTDA X0,XZR ;\n LDR W2,[X0] ;\nexists (0:X2=0)\n",
        &["run", "signed.litmus", "-m", "aarch64", "--engine", "sat", "--mode", "states"],
    ),
    (
        "empty.cat",
        "\"e\"\nlet nothing = po & rf & 0\nacyclic po | nothing as a\n",
        &["model", "lint", "empty.cat", "--arch", "AArch64"],
    ),
];

#[test]
fn each_is_looked_at() {
    let mut said = String::new();
    for (name, text, args) in REFUSED {
        let dir = folder(&[(name, text)]);
        said += &format!("$ litmus {}\n{}\n", args.join(" "), shown(&litmus_in(dir.path(), args).assert()));
    }
    insta::assert_snapshot!(said);
}

/// A mapping that leaves something out.
#[test]
fn a_mapping_without_a_rule() {
    let test =
        "C c\n{}\nP0(atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\nexists (x=1)\n";
    let dir = folder(&[("c.litmus", test), ("m.map", "target X86\nload na rlx acq sc MOV %r,[%a]\n")]);
    let run = litmus_in(dir.path(), &["compile", "c.litmus", "--mapping", "m.map"]).assert().code(3);
    insta::assert_snapshot!(shown(&run));
}

/// What is too large for an engine, or for the numbers that it counts with.
#[test]
fn too_much_of_something() {
    let faults: String = (0..130)
        .map(|n| format!(" LDR W0,[X9] ;\n CBNZ W0,M{n} ;\n L{n}: LDR W3,[X1] ;\n M{n}: ;\n"))
        .collect();
    let faults = format!(
        "AArch64 faults\nVariant=vmsa\n{{ [PTE(x)]=(valid:0); 0:X1=x; 0:X9=y; }}\n P0 ;\n{faults}exists (fault(P0))\n"
    );
    let dir = folder(&[("faults.litmus", &faults), ("SB.litmus", super::SB)]);
    let formula = (0..40).map(|n| format!("G x=={n}")).collect::<Vec<_>>().join(" && ");
    let mut said = String::new();
    for args in [&["run", "faults.litmus", "-m", "aarch64"][..], &["ltl", "SB.litmus", &formula]] {
        said += &format!(
            "$ litmus {} …\n{}\n",
            args[..2].join(" "),
            shown(&litmus_in(dir.path(), args).assert())
        );
    }
    insta::assert_snapshot!(said);
}
