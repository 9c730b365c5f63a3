use std::collections::BTreeSet;

use super::*;

fn named(dialect: Dialect, size: usize, words: &[&str]) -> Vec<Generated> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
    let vocabulary = Vocabulary::all(dialect).restricted(&words).unwrap();
    cycles(&vocabulary, size).iter().filter_map(|cycle| cycle.test(dialect)).collect()
}

fn names(tests: &[Generated]) -> Vec<&str> {
    tests.iter().map(|test| test.name.as_str()).collect()
}

#[test]
fn plain_cycles_of_four_are_the_six_that_everybody_knows() {
    let mut tests = named(Dialect::X86, 4, &["po"]);
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(names(&tests), ["2+2W", "LB", "MP", "R", "S", "SB"]);
    insta::assert_snapshot!(tests[2].text, @r"
    X86 MP
    Cycle=Rfe PodRR Fre PodWW
    {}
     P0         | P1          ;
     MOV [x],$1 | MOV EAX,[y] ;
     MOV [y],$1 | MOV EBX,[x] ;
    exists (1:EAX=1 /\ 1:EBX=0)
    ");
}

#[test]
fn one_location_gives_the_tests_of_coherence() {
    let mut found: Vec<String> = Vec::new();
    for size in 2..=4 {
        found.extend(named(Dialect::X86, size, &["pos"]).into_iter().map(|test| test.name));
    }
    insta::assert_snapshot!(found.join(" "), @"CoRW1 CoWR CoWW CoRR CoRW2");
}

#[test]
fn names_and_texts_are_different() {
    for dialect in Dialect::ALL {
        let vocabulary = Vocabulary::all(dialect);
        let (mut seen, mut texts) = (BTreeSet::new(), BTreeSet::new());
        for size in 2..=4 {
            for cycle in cycles(&vocabulary, size) {
                let Some(test) = cycle.test(dialect) else { continue };
                assert!(seen.insert(test.name.clone()), "{} twice in {}", test.name, dialect.name());
                let body = test.text.split_once('{').unwrap().1.to_string();
                assert!(texts.insert(body), "{}\n{}", test.name, test.text);
            }
        }
    }
}

#[test]
fn every_dialect_writes_dependencies_fences_and_atomics() {
    let mut text = String::new();
    for dialect in Dialect::ALL {
        let known = Vocabulary::all(dialect).words();
        let fence = dialect.fences().first().map_or("po", |fence| fence.name);
        let wanted = ["addr", "data", "ctrl", "ctrlisb", "ctrlisync", "rmw", "rfi", fence];
        let words: Vec<&str> = wanted.into_iter().filter(|word| known.iter().any(|w| w == word)).collect();
        // The last ones have most of it.
        let tests = named(dialect, 6, &words);
        for test in tests.iter().rev().step_by(tests.len() / 2 + 1) {
            text += &test.text;
            text.push('\n');
        }
    }
    insta::assert_snapshot!(text);
}
