//! What the key of a group of events tells apart, and what it does not.

use super::*;

/// The key of the only thread.
fn key(code: Vec<Instr>) -> Vec<u64> {
    let program = program(ArchId::AArch64, vec![thread(code)]);
    let [world] = &worlds(&program)[..] else { panic!("one world") };
    let groups = world.groups(&names(&program, world)).expect("groups");
    let of_thread = |group: &crate::model::Group| {
        group.members.iter().any(|event| world.events[*event as usize].thread == Some(0))
    };
    groups.into_iter().find(of_thread).expect("the thread").key
}

#[test]
fn names_and_values_do_not_matter() {
    let one = key(vec![store(X, 1), load(0, Y), binary(BinOp::Add, 1, 0, 0)]);
    assert_eq!(one, key(vec![store(Y, 2), load(4, X), binary(BinOp::Xor, 3, 4, 4)]));
}

#[test]
fn what_is_related_does() {
    let written = |sets: &[&'static str]| {
        instr(|b| {
            let (addr, value) = (b.value(X), b.int(1));
            b.store(addr, value, 4, sets);
        })
    };
    let all = [
        vec![store(X, 1), load(0, Y), binary(BinOp::Add, 1, 0, 0)],
        // In another order.
        vec![load(0, Y), store(X, 1), binary(BinOp::Add, 1, 0, 0)],
        // At one location.
        vec![store(X, 1), load(0, X), binary(BinOp::Add, 1, 0, 0)],
        // From another register, and into it.
        vec![store(X, 1), load(0, Y), binary(BinOp::Add, 1, 2, 2)],
        vec![store(X, 1), load(0, Y), binary(BinOp::Add, 0, 0, 0)],
        // By other names.
        vec![written(&["L"]), load(0, Y), binary(BinOp::Add, 1, 0, 0)],
        vec![written(&["L", "A-name-of-many-letters"]), load(0, Y), binary(BinOp::Add, 1, 0, 0)],
        // As one instruction.
        vec![store(X, 1), store(X, 2)],
        vec![instr(|b| {
            for n in 1..=2 {
                let (addr, value) = (b.value(X), b.int(n));
                b.store(addr, value, 4, &[]);
            }
        })],
    ];
    let keys: Vec<Vec<u64>> = all.into_iter().map(key).collect();
    for (number, key) in keys.iter().enumerate() {
        assert!(!keys[..number].contains(key), "{number}");
    }
}
