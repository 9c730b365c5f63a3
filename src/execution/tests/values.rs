//! Values followed through memory, and jumps to them: which paths they make possible.

use super::*;

/// r0 := load from; store to := r0.
fn copy(from: Value, to: Value) -> Vec<Instr> {
    let write = instr(|b| {
        let value = b.read(Reg(0), Port::Data);
        let addr = b.value(to);
        b.store(addr, value, 4, &[]);
    });
    vec![load(0, from), write]
}

/// r0 := load from; if (r0 == n) store to := n.
fn copy_if(from: Value, n: i128, to: Value) -> Vec<Instr> {
    let test = instr(|b| {
        let value = b.read(Reg(0), Port::None);
        let cond = b.binary_int(BinOp::Ne, value, n);
        b.branch_if(cond, 3);
    });
    vec![load(0, from), test, store(to, n)]
}

#[test]
fn values_are_followed_through_memory() {
    let count = |n| {
        let threads =
            vec![thread(vec![store(X, 1)]), thread(copy(X, Y)), thread(copy_if(Y, n, Value::addr(Sym(2))))];
        worlds(&program(ArchId::Ppc, threads)).len()
    };
    assert_eq!(count(1), 2);
    // Nobody writes 5 to `x`, so `y` never holds it.
    assert_eq!(count(5), 1);
}

#[test]
fn paths_that_enable_each_other_are_kept() {
    // Each thread writes 1 only if it reads what the other one writes: no value justifies itself here.
    let program = program(ArchId::Ppc, vec![thread(copy_if(X, 1, Y)), thread(copy_if(Y, 1, X))]);
    let both = worlds(&program).into_iter().filter(|world| world.constraints.iter().all(|(_, holds)| *holds));
    assert_eq!(both.count(), 1);
}

#[test]
fn values_that_justify_only_themselves_enable_nothing() {
    // `x` and `y` are copied into each other: both stay 0, so nothing depends on their being 1.
    let threads = vec![thread(copy(X, Y)), thread(copy(Y, X)), thread(copy_if(X, 1, Value::addr(Sym(2))))];
    assert_eq!(worlds(&program(ArchId::Ppc, threads)).len(), 1);
}

#[test]
fn a_counter_without_bound_is_not_followed_forever() {
    let increment = instr(|b| {
        let addr = b.value(X);
        let value = b.load(addr, 4, &[]);
        let value = b.binary_int(BinOp::Add, value, 1);
        b.store(addr, value, 4, &[]);
    });
    let program =
        program(ArchId::Ppc, vec![thread(vec![increment.clone(), increment]), thread(copy_if(X, 99, Y))]);
    assert_eq!(worlds(&program).len(), 2);
}

#[test]
fn a_thread_may_run_the_code_of_another() {
    // P0 jumps to P1's second instruction; both store from there.
    let jump = instr(|b| {
        let target = b.value(Value::Code { thread: 1, pc: 1 });
        b.push(Op::Jump { target: Target::Indirect(target) });
    });
    let program = program(ArchId::AArch64, vec![thread(vec![jump]), thread(vec![store(X, 1), store(Y, 2)])]);
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 1);
    let threads: Vec<_> = worlds[0].writes[1].iter().map(|e| worlds[0].events[*e].thread).collect();
    assert_eq!(threads, [None, Some(0), Some(1)]);
    let names = names(&program, &worlds[0]);
    let same = worlds[0].rel(&Base::of("same-instr"), &names).expect("a relation");
    assert!(same.is_subset(&worlds[0].rel(&Base::of("int"), &names).expect("a relation")));
}

#[test]
fn a_branch_to_a_value_from_memory_goes_to_any_label() {
    let jump = instr(|b| {
        let addr = b.value(X);
        let target = b.load(addr, 4, &[]);
        b.push(Op::Jump { target: Target::Indirect(target) });
    });
    let mut program = program(ArchId::Mips, vec![thread(vec![jump, store(Y, 1), store(Y, 2)])]);
    program.threads[0].labels = vec![("L1".into(), 1), ("L2".into(), 2)];
    program.locations[0].init = Value::Code { thread: 0, pc: 2 };
    let worlds = worlds(&program);
    // Only the label that `x` holds.
    assert_eq!(worlds.len(), 1);
    assert_eq!(worlds[0].writes[1].len(), 2);
    program.locations[0].init = Value::ZERO;
    let errors = super::unfold(&program, 2, &[]).expect("it unfolds").next().expect("a world").errors;
    assert_eq!(errors[0].message, "indirect branch to a value read from memory, which is no label");
}

#[test]
fn values_and_paths_that_explode_are_refused() {
    // r0 := load x, then 40 times r0 := r0 * r0.
    let mut code = vec![load(0, X)];
    code.extend((0..40).map(|_| binary(BinOp::Mul, 0, 0, 0)));
    let error = unfold(&program(ArchId::Ppc, vec![thread(code)]), 2, &[]).err().expect("an error");
    assert_eq!(error.code, "program::too-large-value");
    // 20 branches, each on a value of its own.
    let code = (0..40).map(|n| if n % 2 == 0 { load(0, X) } else { branch_nonzero(0, n + 1) }).collect();
    let error = unfold(&program(ArchId::Ppc, vec![thread(code)]), 2, &[]).err().expect("an error");
    assert_eq!(error.code, "program::too-many-paths");
}

#[test]
fn a_long_counter_stays_small() {
    let increment = || {
        instr(|b| {
            let value = b.read(Reg(0), Port::None);
            let value = b.binary_int(BinOp::Add, value, 3);
            let value = b.binary_int(BinOp::Sub, value, 1);
            b.write(Reg(0), value);
        })
    };
    let mut code = vec![load(0, X)];
    code.extend((0..500).map(|_| increment()));
    let program = program(ArchId::Ppc, vec![thread(code)]);
    assert_eq!(symbolic(&program, &worlds(&program)[0].final_regs[0].1), "Add(R0, 1000)");
}
