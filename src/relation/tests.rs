//! Bit matrices against plain sets of pairs, around the width of a word.

use std::collections::BTreeSet;

use super::rows::{self, Row};
use super::{Rel, Set};

type Pairs = BTreeSet<(usize, usize)>;

/// A small generator of numbers (a linear congruence), so that cases are the same on every machine.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    move |bound| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    }
}

fn random(n: usize, seed: u64) -> (Rel, Pairs) {
    let mut below = numbers(seed);
    let pairs: Pairs = (0..n + below(2 * n)).map(|_| (below(n), below(n))).collect();
    (Rel::of(n, pairs.iter().copied()), pairs)
}

fn pairs(rel: &Rel) -> Pairs {
    rel.iter().collect()
}

fn seq(a: &Pairs, b: &Pairs) -> Pairs {
    a.iter().flat_map(|(x, y)| b.range((*y, 0)..(*y + 1, 0)).map(|(_, z)| (*x, *z))).collect()
}

fn plus(a: &Pairs) -> Pairs {
    let mut result = a.clone();
    loop {
        let more = seq(&result, a);
        let size = result.len();
        result.extend(more);
        if result.len() == size {
            return result;
        }
    }
}

#[test]
fn operations_agree_with_sets_of_pairs() {
    for n in [1, 2, 7, 63, 64, 65, 130] {
        for seed in 0..6 {
            let (a, pa) = random(n, seed);
            let (b, pb) = random(n, seed + 100);
            assert_eq!(pairs(&a), pa);
            assert_eq!(a.len(), pa.len());
            assert_eq!(pairs(&a.union(&b)), &pa | &pb);
            assert_eq!(pairs(&a.inter(&b)), &pa & &pb);
            assert_eq!(pairs(&a.diff(&b)), &pa - &pb);
            assert_eq!(pairs(&a.seq(&b)), seq(&pa, &pb));
            assert_eq!(pairs(&a.inverse()), pa.iter().map(|(x, y)| (*y, *x)).collect());
            assert_eq!(a.domain().iter().collect::<BTreeSet<_>>(), pa.iter().map(|p| p.0).collect());
            assert_eq!(a.range().iter().collect::<BTreeSet<_>>(), pa.iter().map(|p| p.1).collect());
            let closure = plus(&pa);
            assert_eq!(pairs(&a.plus()), closure);
            assert_eq!(a.is_acyclic(), closure.iter().all(|(x, y)| x != y));
            assert_eq!(a.is_irreflexive(), pa.iter().all(|(x, y)| x != y));
            assert_eq!(a.is_subset(&b), pa.is_subset(&pb));
            let set = Set::of(n, (0..n).filter(|e| (e * 7 + seed as usize).is_multiple_of(3)));
            let inside: Pairs =
                pa.iter().filter(|(x, y)| set.contains(*x) && set.contains(*y)).copied().collect();
            assert_eq!(pairs(&a.restrict(&set)), inside);
            assert_eq!(set.complement().len(), n - set.len());
            assert_eq!(Rel::full(n).len(), n * n);
        }
    }
}

fn to_rows<const W: usize>(rel: &Rel) -> Vec<Row<W>> {
    (0..rel.n())
        .map(|from| {
            let mut row = rows::zero();
            rel.successors(from).for_each(|to| rows::put(&mut row, to));
            row
        })
        .collect()
}

fn rows_agree<const W: usize>(n: usize) {
    for seed in 0..6 {
        let (a, _) = random(n, seed);
        let (b, _) = random(n, seed + 50);
        let (ra, rb) = (to_rows::<W>(&a), to_rows::<W>(&b));
        let mut out = vec![rows::zero(); n];
        rows::seq(&mut out, &ra, &rb);
        assert_eq!(out, to_rows::<W>(&a.seq(&b)));
        rows::inverse(&mut out, &ra);
        assert_eq!(out, to_rows::<W>(&a.inverse()));
        out.copy_from_slice(&ra);
        rows::close(&mut out);
        assert_eq!(out, to_rows::<W>(&a.plus()));
        assert_eq!(rows::reflexive(&out), !a.is_acyclic());
        assert_eq!(rows::acyclic(&ra), a.is_acyclic());
        // Pair by pair, as long as there is no cycle.
        let mut grown = vec![rows::zero(); n];
        let mut kept = Rel::empty(n);
        for (from, to) in a.iter() {
            let mut next = kept.clone();
            next.insert(from, to);
            assert_eq!(rows::add_closed(&mut grown, from, to), next.is_acyclic());
            if next.is_acyclic() {
                kept = next;
            }
            assert_eq!(grown, to_rows::<W>(&kept.plus()));
        }
    }
}

#[test]
fn rows_agree_with_relations() {
    rows_agree::<1>(5);
    rows_agree::<1>(64);
    rows_agree::<2>(65);
    rows_agree::<4>(130);
}

#[test]
fn comparing_bits_compares_the_lists_of_what_is_there() {
    for n in [1, 5, 63, 64, 65, 130] {
        let mut rels: Vec<Rel> = (0..12).map(|seed| random(n, seed).0).collect();
        rels.push(Rel::empty(n));
        // Beginnings of each other, and such that differ late.
        for seed in 0..4 {
            let (rel, pairs) = random(n, seed);
            rels.push(Rel::of(n, pairs.iter().copied().take(pairs.len() / 2)));
            let mut without = rel.clone();
            pairs.last().iter().for_each(|(from, to)| without.remove(*from, *to));
            rels.push(without);
        }
        for a in &rels {
            for b in &rels {
                assert_eq!(a.compare(b), a.iter().cmp(b.iter()));
                let (a, b) = (a.range(), b.range());
                assert_eq!(a.compare(&b), a.iter().cmp(b.iter()));
            }
        }
    }
}
