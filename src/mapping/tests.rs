use super::*;
use crate::diag::{Color, render};
use crate::source::Sources;

const TEST: &str = "C all\n{ [x] = 0; [y] = 1; }\n\nP0(atomic_int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(x, memory_order_acquire);\n  \
                    if (r0 == 1) {\n    atomic_store_explicit(y, r0 + 1, memory_order_release);\n  } else {\n    \
                    atomic_thread_fence(memory_order_seq_cst);\n  }\n}\n\nP1(atomic_int* x, atomic_int* y) {\n  \
                    int r1 = atomic_exchange_explicit(y, 2, memory_order_acq_rel);\n  atomic_store(x, 1);\n  \
                    int r2 = atomic_fetch_add(x, 1);\n}\n\nexists (0:r0=1 /\\ 1:r1=0)\n";

fn compiled(text: &str, mapping: &str) -> String {
    let mut sources = Sources::new();
    let source = sources.add("test.litmus", text);
    let test = crate::litmus::parse(&sources, source).unwrap();
    match compile(&test, &Mapping::library(mapping).unwrap()) {
        Ok(compiled) => compiled.text,
        Err(diagnostic) => render(&diagnostic, &sources, Color::Never),
    }
}

#[test]
fn every_mapping_writes_a_test() {
    let texts: Vec<String> =
        NAMES.iter().map(|name| format!("-- {name}\n{}", compiled(TEST, name))).collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn what_cannot_be_compiled_is_pointed_at() {
    let text = "C no\n{}\nP0(atomic_int* x) {\n  int r0 = atomic_load_explicit(x, memory_order_relaxed) == 1;\n}\nexists (0:r0=1)\n";
    insta::assert_snapshot!(compiled(text, "x86"), @"
    error[compile::unsupported]: this expression cannot be compiled yet
      ┌─ test.litmus:4:12
      │
    4 │   int r0 = atomic_load_explicit(x, memory_order_relaxed) == 1;
      │            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ to be compiled
    ");
    insta::assert_snapshot!(compiled("X86 no\n{}\n P0 ;\n MFENCE ;\nexists (true)\n", "x86"), @"
    error[compile::not-c]: only C tests can be compiled
      ┌─ test.litmus:1:5
      │
    1 │ X86 no
      │     ^^ this is none
    ");
}

#[test]
fn wrong_mapping_files_say_where() {
    let wrong = |text: &str| Mapping::parse("own", text).unwrap_err();
    insta::assert_snapshot!(wrong("target X86\nlode rlx MOV %r,[%a]\n"), @"line 2: `lode` is no operation (there are load, store, fence, swap, add, cas)");
    insta::assert_snapshot!(wrong("target X86\nload MOV %r,[%a]\n"), @"line 2: an order is needed after the operation");
    insta::assert_snapshot!(wrong("target 6502\n"), @"line 1: there is no target `6502`");
    insta::assert_snapshot!(wrong("load rlx MOV %r,[%a]\n"), @"there is no line `target ARCH`");
    insta::assert_snapshot!(wrong("target X86\nload rlx MOV %r,[%a]\nload rlx MOV %r,[%a]\n"), @"line 3: `load rlx` has instructions already");
}
