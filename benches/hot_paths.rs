//! The hot paths: bit rows, the search on growing families, and a small test from text to answer.
//!
//! `cargo bench`; figures with their history are in `docs/performance.md`.

use litmus::arch::ArchId;
use litmus::bench::{Family, Syntax};
use litmus::relation::rows::{self, Row};
use litmus::relation::{Rel, Set};

fn main() {
    divan::main();
}

/// A chain with shortcuts, the usual shape of `po | rf | fr | co`.
fn chain(n: usize) -> Rel {
    Rel::of(n, (0..n - 1).map(|e| (e, e + 1)).chain((0..n - 2).step_by(3).map(|e| (e, e + 2))))
}

fn to_rows(rel: &Rel) -> Vec<Row<1>> {
    (0..rel.n())
        .map(|from| {
            let mut row = rows::zero();
            rel.successors(from).for_each(|to| rows::put(&mut row, to));
            row
        })
        .collect()
}

#[divan::bench(args = [8, 16, 32, 64])]
fn close(bencher: divan::Bencher, n: usize) {
    let rel = to_rows(&chain(n));
    bencher.with_inputs(|| rel.clone()).bench_values(|mut rel| {
        rows::close(&mut rel);
        rel
    });
}

#[divan::bench(args = [8, 16, 32, 64])]
fn acyclic(bencher: divan::Bencher, n: usize) {
    let rel = to_rows(&chain(n));
    bencher.bench(|| rows::acyclic(divan::black_box(&rel)));
}

#[divan::bench(args = [8, 16, 32, 64])]
fn seq(bencher: divan::Bencher, n: usize) {
    let rel = to_rows(&chain(n));
    let mut out = vec![rows::zero(); n];
    bencher.bench_local(|| rows::seq(&mut out, divan::black_box(&rel), divan::black_box(&rel)));
}

#[divan::bench(args = [16, 64, 128])]
fn static_product_and_closure(n: usize) -> usize {
    let evens = Set::of(n, (0..n).step_by(2));
    Rel::product(&evens, &evens.complement()).union(&chain(n)).plus().len()
}

const SB: &str = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

#[divan::bench]
fn sb_from_text_to_answer(bencher: divan::Bencher) {
    let model = litmus::Model::named("x86tso").expect("an embedded model");
    bencher.bench(|| {
        let test = litmus::Test::new(divan::black_box(SB));
        litmus::run(&test, &model).expect("an answer").executions()
    });
}

/// Executions of a family's test under a model.
fn family(bencher: divan::Bencher, family: Family, size: usize, model: &str) {
    let model = litmus::Model::named(model).expect("an embedded model");
    let syntax = Syntax::of(ArchId::X86).expect("X86 has every family");
    let test = litmus::Test::new(&family.test(size, syntax).expect("a test of that size"));
    bencher.bench(|| litmus::run(&test, &model).expect("an answer").executions());
}

#[divan::bench]
fn readers_10_sc(bencher: divan::Bencher) {
    family(bencher, Family::Readers, 10, "sc");
}

#[divan::bench]
fn coherence_6_sc(bencher: divan::Bencher) {
    family(bencher, Family::Coherence, 6, "sc");
}

#[divan::bench]
fn writers_6_sc(bencher: divan::Bencher) {
    family(bencher, Family::Writers, 6, "sc");
}

#[divan::bench]
fn ring_8_tso(bencher: divan::Bencher) {
    family(bencher, Family::Ring, 8, "tso");
}

#[divan::bench]
fn increments_5_tso(bencher: divan::Bencher) {
    family(bencher, Family::Incs, 5, "tso");
}
