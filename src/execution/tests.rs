//! Hand-written programs of micro-ops: what they unfold to, and what a model sees of it.

use std::fmt::Write;

use insta::assert_snapshot;

use super::*;
use crate::arch::build::Builder;
use crate::arch::{ArchId, conventions};
use crate::model::Universe;
use crate::model::{Base, REGISTRY, Sort, When};
use crate::program::{
    AccessSize, BinOp, Extra, Instr, Location, Op, Port, Program, Reg, RegTable, Sym, Target, Thread, Type,
    UnOp, Value,
};
use crate::source::{SourceId, Span};

mod groups;
mod values;

/// A program over the cells `x`, `y`, `z`, all 0, and registers `r0`, `r1`, …
fn program(arch: ArchId, threads: Vec<Thread>) -> Program {
    let mut regs = RegTable::default();
    for n in 0..8 {
        regs.intern(&format!("r{n}"));
    }
    let symbols: Vec<String> = ["x", "y", "z"].map(String::from).to_vec();
    let locations = symbols.iter().enumerate().map(|(n, name)| Location {
        space: crate::program::Space::Data,
        name: name.clone(),
        sym: Sym(n as u16),
        offset: 0,
        ty: Type::INT,
        declared: false,
        init: Value::ZERO,
    });
    Program {
        threads,
        regs,
        locations: locations.collect(),
        symbols,
        ..Program::empty(conventions(arch), 64)
    }
}

fn thread(code: Vec<Instr>) -> Thread {
    Thread { code, labels: vec![("L0".into(), 0)], ..Thread::default() }
}

fn instr(f: impl FnOnce(&mut Builder)) -> Instr {
    let mut builder = Builder::new();
    f(&mut builder);
    Instr { text: String::new(), span: Span::new(SourceId(0), 0, 0), ops: builder.finish() }
}

const X: Value = Value::Addr { sym: Sym(0), offset: 0 };
const Y: Value = Value::Addr { sym: Sym(1), offset: 0 };

/// `mov [cell],n`.
fn store(cell: Value, n: i128) -> Instr {
    instr(|b| {
        let addr = b.value(cell);
        let value = b.int(n);
        b.store(addr, value, 4, &[]);
    })
}

/// `mov reg,[cell]`.
fn load(reg: u16, cell: Value) -> Instr {
    instr(|b| {
        let addr = b.value(cell);
        let value = b.load(addr, 4, &[]);
        b.write(Reg(reg), value);
    })
}

/// `dst := a op b`.
fn binary(op: BinOp, dst: u16, a: u16, b: u16) -> Instr {
    instr(|builder| {
        let a = builder.read(Reg(a), Port::None);
        let b = builder.read(Reg(b), Port::None);
        let result = builder.binary(op, a, b);
        builder.write(Reg(dst), result);
    })
}

/// `bnz reg,target`.
fn branch_nonzero(reg: u16, target: usize) -> Instr {
    instr(|b| {
        let value = b.read(Reg(reg), Port::None);
        let zero = b.int(0);
        let cond = b.binary(BinOp::Ne, value, zero);
        b.branch_if(cond, target);
    })
}

fn worlds(program: &Program) -> Vec<World> {
    unfold(program, 2, &[]).expect("the program unfolds").collect()
}

fn names(program: &Program, world: &World) -> Names<'static> {
    // Leaked so that tests stay short.
    let program: &'static Program = Box::leak(Box::new(program.clone()));
    Names { program, scopes: &[], regions: &[], registers_visible: false, n: world.events.len() }
}

fn symbolic(program: &Program, value: &SymVal) -> String {
    match value {
        SymVal::Known(value) => program.show(*value),
        SymVal::Read(read) => format!("R{read}"),
        SymVal::Unary(op, a) => format!("{op:?}({})", symbolic(program, a)),
        SymVal::Binary(op, a, b) => format!("{op:?}({}, {})", symbolic(program, a), symbolic(program, b)),
    }
}

/// Everything about a world that the tests look at.
fn show(program: &Program, world: &World) -> String {
    let mut out = String::new();
    for (number, event) in world.events.iter().enumerate() {
        let thread = event.thread.map_or("init".to_string(), |t| format!("P{t}.{}", event.instance));
        let loc = event.loc.map_or("", |loc| program.locations[loc.0 as usize].name.as_str());
        let kind = match event.kind {
            EventKind::RegRead(reg, port) => format!("Rreg {} {port:?}", program.regs.name(reg)),
            EventKind::RegWrite(reg) => format!("Wreg {}", program.regs.name(reg)),
            kind => format!("{kind:?} {loc}"),
        };
        let mut line = format!("{number} {thread} {}", kind.trim_end());
        if let Some(value) = &event.value {
            write!(line, " = {}", symbolic(program, value)).expect("a string");
        }
        if let Some(value) = &event.written {
            write!(line, " := {}", symbolic(program, value)).expect("a string");
        }
        if !event.sets.is_empty() {
            write!(line, " [{}]", event.sets.join(" ")).expect("a string");
        }
        out.push_str(&line);
        out.push('\n');
    }
    for (value, holds) in &world.constraints {
        writeln!(out, "where {} is {}", symbolic(program, value), if *holds { "true" } else { "false" })
            .expect("a string");
    }
    for cut in &world.cuts {
        writeln!(out, "cut P{} {}", cut.thread, cut.label).expect("a string");
    }
    for error in &world.errors {
        writeln!(out, "error {}", error.message).expect("a string");
    }
    for name in ["iico_data", "iico_ctrl", "rf-reg", "addr", "data", "ctrl"] {
        let rel = world.rel(&Base::of(name), &names(program, world)).expect("a predefined relation");
        if !rel.is_empty() {
            writeln!(out, "{name} {rel:?}").expect("a string");
        }
    }
    for ((thread, reg), value) in &world.final_regs {
        writeln!(out, "final {thread}:{}={}", program.regs.name(*reg), symbolic(program, value))
            .expect("a string");
    }
    out
}

#[test]
fn store_buffering_is_one_world() {
    let program = program(
        ArchId::X86,
        vec![thread(vec![store(X, 1), load(0, Y)]), thread(vec![store(Y, 1), load(0, X)])],
    );
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 1);
    let world = &worlds[0];
    assert_snapshot!(show(&program, world), @r"
    0 P0.0 Write x = 1
    1 P0.1 Read y = R1
    2 P1.0 Write y = 1
    3 P1.1 Read x = R3
    4 init Init x = 0
    5 init Init y = 0
    6 init Init z = 0
    7 P0.1 Wreg r0 = R1
    8 P1.1 Wreg r0 = R3
    iico_data {(1, 7), (3, 8)}
    final 0:r0=R1
    final 1:r0=R3
    ");
    assert_eq!((world.n_memory, world.n_main), (7, 7));
    assert_eq!(world.writes, [vec![4, 0], vec![5, 2], vec![6]]);
    assert_eq!(world.reads, [(1, vec![5, 2]), (3, vec![4, 0])]);
}

/// The worked example of the model language: two stores and a load of one thread, one cell.
#[test]
fn base_relations_treat_initial_writes_apart() {
    let mut program = program(ArchId::X86, vec![thread(vec![store(X, 1), store(X, 2), load(0, X)])]);
    program.locations.truncate(1);
    let worlds = worlds(&program);
    let world = &worlds[0];
    let names = Names { n: world.n_main, ..names(&program, world) };
    let rel = |name| format!("{:?}", world.rel(&Base::of(name), &names).expect("a relation"));
    let set = |name| format!("{:?}", world.set(&Base::of(name), &names).expect("a set"));
    assert_eq!(rel("po"), "{(0, 1), (0, 2), (1, 2)}");
    assert_eq!(rel("ext"), "{(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)}");
    assert_eq!(world.rel(&Base::of("int"), &names).expect("a relation").len(), 9);
    assert_eq!(world.rel(&Base::of("loc"), &names).expect("a relation").len(), 16);
    assert_eq!(rel("id"), "{(0, 0), (1, 1), (2, 2), (3, 3)}");
    assert_eq!(set("W"), "{0, 1, 3}");
    assert_eq!(set("R"), "{2}");
    assert_eq!(set("IW"), "{3}");
    assert_eq!(set("M"), "{0, 1, 2, 3}");
    assert_eq!(set("F"), "{}");
    // What is bound has a value, unless it is the search that gives it one, or a variant that is refused.
    for entry in REGISTRY.iter().filter(|entry| entry.when != When::Vmsa) {
        let decided = entry.base.is_dynamic() || entry.base == Base::Pco;
        let has_value = match entry.sort {
            Sort::Rel => world.rel(&entry.base, &names).is_some(),
            _ => world.set(&entry.base, &names).is_some(),
        };
        assert_eq!(has_value, !decided, "{}", entry.name);
    }
    assert!(world.set(&Base::of("nosuch"), &names).is_none());
    assert!(world.rel(&Base::of("nosuch"), &names).is_none());
    assert!(world.rel(&Base::of("W"), &names).is_none());
}

#[test]
fn a_false_data_dependency_is_seen_and_folded() {
    let code = vec![
        load(0, X),
        binary(BinOp::Xor, 1, 0, 0),
        instr(|b| {
            let zero = b.read(Reg(1), Port::Data);
            let value = b.binary_int(BinOp::Add, zero, 1);
            let addr = b.value(Y);
            b.store(addr, value, 4, &[]);
        }),
    ];
    let program = program(ArchId::Ppc, vec![thread(code)]);
    assert_snapshot!(show(&program, &worlds(&program)[0]), @r"
    0 P0.0 Read x = R0
    1 P0.2 Write y = 1
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Wreg r0 = R0
    6 P0.1 Rreg r0 None = R0
    7 P0.1 Rreg r0 None = R0
    8 P0.1 Wreg r1 = 0
    9 P0.2 Rreg r1 Data = 0
    iico_data {(0, 5), (6, 8), (7, 8), (9, 1)}
    rf-reg {(5, 6), (5, 7), (8, 9)}
    data {(0, 1)}
    final 0:r0=R0
    final 0:r1=0
    ");
}

#[test]
fn a_false_address_dependency_is_seen_and_folded() {
    let code = vec![
        load(0, X),
        binary(BinOp::Xor, 1, 0, 0),
        instr(|b| {
            let index = b.read(Reg(1), Port::Addr);
            let base = b.value(Y);
            let addr = b.binary(BinOp::Add, base, index);
            let value = b.load(addr, 4, &[]);
            b.write(Reg(2), value);
        }),
    ];
    let program = program(ArchId::Ppc, vec![thread(code)]);
    assert_snapshot!(show(&program, &worlds(&program)[0]), @r"
    0 P0.0 Read x = R0
    1 P0.2 Read y = R1
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Wreg r0 = R0
    6 P0.1 Rreg r0 None = R0
    7 P0.1 Rreg r0 None = R0
    8 P0.1 Wreg r1 = 0
    9 P0.2 Rreg r1 Addr = 0
    10 P0.2 Wreg r2 = R1
    iico_data {(0, 5), (1, 10), (6, 8), (7, 8), (9, 1)}
    rf-reg {(5, 6), (5, 7), (8, 9)}
    addr {(0, 1)}
    final 0:r0=R0
    final 0:r1=0
    final 0:r2=R1
    ");
}

#[test]
fn a_branch_forks_and_controls_what_follows() {
    let program = program(
        ArchId::Ppc,
        vec![
            thread(vec![load(0, X), branch_nonzero(0, 3), store(Y, 1), store(Y, 2)]),
            thread(vec![store(X, 5)]),
        ],
    );
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 2);
    assert_snapshot!(show(&program, &worlds[0]), @r"
    0 P0.0 Read x = R0
    1 P0.2 Write y = 2
    2 P1.0 Write x = 5
    3 init Init x = 0
    4 init Init y = 0
    5 init Init z = 0
    6 P0.1 Branch(Bcc)
    7 P0.0 Wreg r0 = R0
    8 P0.1 Rreg r0 None = R0
    where Eq(R0, 0) is false
    iico_data {(0, 7), (8, 6)}
    rf-reg {(7, 8)}
    ctrl {(0, 1)}
    final 0:r0=R0
    ");
    assert_snapshot!(show(&program, &worlds[1]), @r"
    0 P0.0 Read x = R0
    1 P0.2 Write y = 1
    2 P0.3 Write y = 2
    3 P1.0 Write x = 5
    4 init Init x = 0
    5 init Init y = 0
    6 init Init z = 0
    7 P0.1 Branch(Bcc)
    8 P0.0 Wreg r0 = R0
    9 P0.1 Rreg r0 None = R0
    where Eq(R0, 0) is true
    iico_data {(0, 8), (9, 7)}
    rf-reg {(8, 9)}
    ctrl {(0, 1), (0, 2)}
    final 0:r0=R0
    ");
}

#[test]
fn a_path_that_needs_a_value_nobody_writes_is_skipped() {
    // Nobody writes `x`: the branch is never taken.
    let program =
        program(ArchId::Ppc, vec![thread(vec![load(0, X), branch_nonzero(0, 3), store(Y, 1), store(Y, 2)])]);
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 1);
    assert_eq!(worlds[0].writes[1].len(), 3);
}

#[test]
fn a_branch_on_the_same_value_again_does_not_fork() {
    let program = program(
        ArchId::Ppc,
        vec![
            thread(vec![load(0, X), branch_nonzero(0, 2), branch_nonzero(0, 3), store(Y, 1)]),
            thread(vec![store(X, 5)]),
        ],
    );
    assert_eq!(worlds(&program).len(), 2);
}

fn load_reserved(cell: Value) -> Instr {
    instr(|b| {
        let addr = b.value(cell);
        b.push(Op::Reserve { addr, size: AccessSize(4) });
        let value = b.load(addr, 4, &["EX"]);
        b.write(Reg(0), value);
    })
}

/// Status 0 and a store, or status 1.
fn store_conditional(cell: Value) -> Instr {
    instr(|b| {
        let addr = b.value(cell);
        let then = b.block(|b| {
            let value = b.int(1);
            let done = b.tmp();
            b.store_with(addr, value, 4, &["EX"], Extra { done: Some(done), ..Extra::default() });
            let status = b.int(0);
            b.push(Op::WriteReg {
                reg: Reg(1),
                src: status,
                extra: Extra { ctrl: vec![done], ..Extra::default() },
            });
        });
        let otherwise = b.block(|b| {
            let status = b.int(1);
            b.write(Reg(1), status);
        });
        b.push(Op::Conditional { addr, size: AccessSize(4), then, otherwise });
    })
}

#[test]
fn a_store_conditional_succeeds_or_fails() {
    let program = program(ArchId::RiscV, vec![thread(vec![load_reserved(X), store_conditional(X)])]);
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 2);
    assert_snapshot!(show(&program, &worlds[0]), @r"
    0 P0.0 Read x = R0 [EX]
    1 init Init x = 0
    2 init Init y = 0
    3 init Init z = 0
    4 P0.0 Wreg r0 = R0
    5 P0.1 Wreg r1 = 1
    iico_data {(0, 4)}
    final 0:r0=R0
    final 0:r1=1
    ");
    assert_snapshot!(show(&program, &worlds[1]), @r"
    0 P0.0 Read x = R0 [EX]
    1 P0.1 Write x = 1 [EX]
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Wreg r0 = R0
    6 P0.1 Wreg r1 = 0
    iico_data {(0, 5)}
    iico_ctrl {(1, 6)}
    final 0:r0=R0
    final 0:r1=0
    ");
}

#[test]
fn a_store_conditional_without_its_reservation_fails() {
    let status = |program: &Program| {
        let worlds = worlds(program);
        let regs = worlds.iter().flat_map(|world| world.final_regs.clone());
        regs.filter(|((_, reg), _)| *reg == Reg(1)).map(|(_, value)| value).collect::<Vec<_>>()
    };
    let failure = vec![SymVal::Known(Value::ONE)];
    let alone = program(ArchId::RiscV, vec![thread(vec![store_conditional(X)])]);
    assert_eq!(status(&alone), failure);
    let elsewhere = program(ArchId::RiscV, vec![thread(vec![load_reserved(Y), store_conditional(X)])]);
    assert_eq!(status(&elsewhere), failure);
    let twice = program(
        ArchId::RiscV,
        vec![thread(vec![load_reserved(X), store_conditional(X), store_conditional(X)])],
    );
    assert_eq!(status(&twice).iter().filter(|v| **v == failure[0]).count(), 2);
}

#[test]
fn a_spin_loop_is_cut_at_the_bound() {
    let program = program(
        ArchId::Ppc,
        vec![thread(vec![load(0, X), branch_nonzero(0, 0), store(Y, 1)]), thread(vec![store(X, 1)])],
    );
    let worlds = worlds(&program);
    // Leaves the loop after 1, 2 or 3 loads, or is cut at the third jump back.
    let loads: Vec<usize> = worlds.iter().map(|world| world.reads.len()).collect();
    let cuts: Vec<usize> = worlds.iter().map(|world| world.cuts.len()).collect();
    assert_eq!((loads, cuts), (vec![3, 3, 2, 1], vec![1, 0, 0, 0]));
    assert_eq!(worlds[0].cuts[0].label, "L0");
    let cut_off = worlds[0].set(&Base::of("CutOff"), &names(&program, &worlds[0])).expect("a set");
    assert_eq!(cut_off.len(), 1);
}

/// r0 := 4; do { store; r0 -= 1 } while (r0 != 0).
fn counted_loop(arch: ArchId) -> Program {
    let count = |n| {
        instr(|b| {
            let value = b.int(n);
            b.write(Reg(0), value);
        })
    };
    let decrement = instr(|b| {
        let value = b.read(Reg(0), Port::None);
        let value = b.binary_int(BinOp::Sub, value, 1);
        b.write(Reg(0), value);
    });
    program(arch, vec![thread(vec![count(4), store(X, 1), decrement, branch_nonzero(0, 1)])])
}

#[test]
fn a_counted_loop_ends_on_aarch64_alone() {
    let ends = worlds(&counted_loop(ArchId::AArch64));
    assert_eq!((ends.len(), ends[0].cuts.len(), ends[0].writes[0].len()), (1, 0, 5));
    let cut = worlds(&counted_loop(ArchId::RiscV));
    assert_eq!((cut.len(), cut[0].cuts.len(), cut[0].writes[0].len()), (1, 1, 4));
}

#[test]
fn an_endless_loop_is_an_error() {
    let count = instr(|b| {
        let value = b.read(Reg(0), Port::None);
        let value = b.binary_int(BinOp::Add, value, 1);
        b.write(Reg(0), value);
    });
    let forever = instr(|b| {
        let one = b.int(1);
        b.branch_if(one, 0);
    });
    let program = program(ArchId::AArch64, vec![thread(vec![count, forever])]);
    let error = unfold(&program, 2, &[]).err().expect("an error");
    assert_eq!(error.code, "program::endless-loop");
}

#[test]
fn a_loop_that_changes_nothing_is_cut() {
    let forever = instr(|b| {
        let one = b.int(1);
        b.branch_if(one, 0);
    });
    let worlds = worlds(&program(ArchId::AArch64, vec![thread(vec![forever])]));
    assert_eq!((worlds.len(), worlds[0].cuts.len()), (1, 1));
}

/// r0 := load y; r1 := load [r0].
fn pointer_chase() -> Vec<Instr> {
    vec![
        load(0, Y),
        instr(|b| {
            let addr = b.read(Reg(0), Port::Addr);
            let value = b.load(addr, 4, &[]);
            b.write(Reg(1), value);
        }),
    ]
}

fn set_pointer() -> Instr {
    instr(|b| {
        let value = b.value(X);
        let addr = b.value(Y);
        b.store(addr, value, 4, &[]);
    })
}

#[test]
fn an_address_from_memory_forks_over_the_cells() {
    let program = program(ArchId::Ppc, vec![thread(pointer_chase()), thread(vec![set_pointer()])]);
    let worlds = worlds(&program);
    // `y` holds 0 (no cell's address) or the address of `x`.
    assert_eq!(worlds.len(), 2);
    assert_snapshot!(show(&program, &worlds[0]), @r"
    0 P0.0 Read y = R0
    1 P1.0 Write y = x
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Wreg r0 = R0
    6 P0.1 Rreg r0 Addr = R0
    where Eq(R0, x) is false
    where Eq(R0, y) is false
    where Eq(R0, z) is false
    error non symbolic address: an execution accesses memory through a value that is no cell's address
    iico_data {(0, 5)}
    rf-reg {(5, 6)}
    final 0:r0=R0
    ");
    assert_snapshot!(show(&program, &worlds[1]), @r"
    0 P0.0 Read y = R0
    1 P0.1 Read x = R1
    2 P1.0 Write y = x
    3 init Init x = 0
    4 init Init y = 0
    5 init Init z = 0
    6 P0.0 Wreg r0 = R0
    7 P0.1 Rreg r0 Addr = R0
    8 P0.1 Wreg r1 = R1
    where Eq(R0, x) is true
    iico_data {(0, 6), (1, 8), (7, 1)}
    rf-reg {(6, 7)}
    addr {(0, 1)}
    final 0:r0=R0
    final 0:r1=R1
    ");
}

#[test]
fn a_known_address_that_is_no_cell_is_an_error_of_the_path() {
    let integer = program(ArchId::Ppc, vec![thread(vec![load(0, Value::Int(1))])]);
    assert_eq!(
        worlds(&integer)[0].errors[0].message,
        "non symbolic address: [1] is the address of no location"
    );
    let inside = program(ArchId::Ppc, vec![thread(vec![load(0, Value::Addr { sym: Sym(0), offset: 4 })])]);
    assert_eq!(
        worlds(&inside)[0].errors[0].message,
        "access to `x+4`, which is not the start of a cell of the test"
    );
}

#[test]
fn an_access_of_another_size_is_refused_on_aarch64() {
    let wide = |b: &mut Builder| {
        let addr = b.value(X);
        let value = b.load(addr, 8, &[]);
        b.write(Reg(0), value);
    };
    let mixed = program(ArchId::AArch64, vec![thread(vec![instr(wide)])]);
    assert_eq!(worlds(&mixed)[0].errors[0].message, "mixed-size accesses to `x`");
    let accepted = program(ArchId::Mips, vec![thread(vec![instr(wide)])]);
    assert!(worlds(&accepted)[0].errors.is_empty());
}

#[test]
fn one_event_read_modify_writes_do_not_read_themselves() {
    let add = || {
        instr(|b| {
            let addr = b.value(X);
            let dst = b.tmp();
            let update = b.tmp();
            let one = b.tmp();
            b.push(Op::Rmw {
                dst,
                addr,
                ops: vec![
                    Op::Const { dst: one, value: Value::ONE },
                    Op::Binary { dst: update, op: BinOp::Add, a: dst, b: one },
                ],
                update,
                size: AccessSize(4),
                sets: vec!["A".into(), "SC".into()],
                extra: Extra::default(),
            });
            b.write(Reg(0), dst);
        })
    };
    let program = program(ArchId::C, vec![thread(vec![add()]), thread(vec![add()])]);
    let world = &worlds(&program)[0];
    assert_snapshot!(show(&program, world), @r"
    0 P0.0 Rmw x = R0 := Add(R0, 1) [A SC]
    1 P1.0 Rmw x = R1 := Add(R1, 1) [A SC]
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Wreg r0 = R0
    6 P1.0 Wreg r0 = R1
    iico_data {(0, 5), (1, 6)}
    final 0:r0=R0
    final 1:r0=R1
    ");
    assert_eq!(world.reads, [(0, vec![2, 1]), (1, vec![2, 0])]);
    let names = names(&program, world);
    assert_eq!(format!("{:?}", world.set(&Base::of("RMW"), &names).expect("a set")), "{0, 1}");
    assert_eq!(format!("{:?}", world.set(&Base::of("NA"), &names).expect("a set")), "{2, 3, 4}");
}

#[test]
fn a_read_does_not_take_the_write_it_causes() {
    // xchg [x],r0 as two events.
    let exchange = instr(|b| {
        let value = b.read(Reg(0), Port::Data);
        let addr = b.value(X);
        let old = b.load(addr, 4, &["X"]);
        b.store_with(addr, value, 4, &["X"], Extra { ctrl: vec![old], ..Extra::default() });
        b.write(Reg(0), old);
    });
    let program = program(ArchId::X86, vec![thread(vec![exchange])]);
    assert_eq!(worlds(&program)[0].reads, [(0, vec![2])]);
}

#[test]
fn events_of_a_branch_hang_on_its_condition() {
    // if (r0 == 0) { r1 := load x; store y := r1 }: the store hangs on the load, the load on the condition.
    let predicated = instr(|b| {
        let flag = b.read(Reg(0), Port::None);
        let cond = b.unary(UnOp::IsZero, flag);
        let then = b.block(|b| {
            let x = b.value(X);
            let value = b.load(x, 4, &[]);
            let y = b.value(Y);
            b.store(y, value, 4, &[]);
        });
        b.push(Op::If { cond, then, otherwise: Vec::new() });
    });
    let program = program(ArchId::Arm, vec![thread(vec![predicated])]);
    assert_snapshot!(show(&program, &worlds(&program)[0]), @r"
    0 P0.0 Read x = R0
    1 P0.0 Write y = R0
    2 init Init x = 0
    3 init Init y = 0
    4 init Init z = 0
    5 P0.0 Rreg r0 None = 0
    iico_data {(0, 1)}
    iico_ctrl {(5, 0)}
    data {(0, 1)}
    ");
}

#[test]
fn structured_control_ends_with_its_statement() {
    // r0 := load x; if (r0) { store y := 1 }; store y := 2, as C has it.
    let condition = instr(|b| {
        b.push(Op::ControlSave { id: 0 });
        b.push(Op::CondBegin);
        let value = b.read(Reg(0), Port::None);
        b.push(Op::CondEnd);
        let otherwise = b.block(|b| b.push(Op::Goto { pc: 3 }));
        b.push(Op::If { cond: value, then: Vec::new(), otherwise });
    });
    let last = instr(|b| {
        b.push(Op::ControlRestore { id: 0 });
        let addr = b.value(Y);
        let value = b.int(2);
        b.store(addr, value, 4, &[]);
    });
    let program = program(
        ArchId::C,
        vec![thread(vec![load(0, X), condition, store(Y, 1), last]), thread(vec![store(X, 1)])],
    );
    let worlds = worlds(&program);
    assert_eq!(worlds.len(), 2);
    assert_snapshot!(show(&program, &worlds[0]), @r"
    0 P0.0 Read x = R0
    1 P0.2 Write y = 1
    2 P0.3 Write y = 2
    3 P1.0 Write x = 1
    4 init Init x = 0
    5 init Init y = 0
    6 init Init z = 0
    7 P0.0 Wreg r0 = R0
    8 P0.1 Rreg r0 None = R0
    where R0 is true
    iico_data {(0, 7)}
    rf-reg {(7, 8)}
    ctrl {(0, 1)}
    final 0:r0=R0
    ");
    let ctrl = worlds[1].rel(&Base::of("ctrl"), &names(&program, &worlds[1])).expect("a relation");
    assert!(ctrl.is_empty());
}

#[test]
fn a_structured_loop_is_cut_at_its_head() {
    // while (load x) { store y := 1 }
    let enter = instr(|b| b.push(Op::LoopEnter { id: 7 }));
    let condition = instr(|b| {
        let addr = b.value(X);
        let value = b.load(addr, 4, &[]);
        let otherwise = b.block(|b| b.push(Op::Goto { pc: 3 }));
        let then = b.block(|b| b.push(Op::LoopHead { id: 7 }));
        b.push(Op::If { cond: value, then, otherwise });
    });
    let body = instr(|b| {
        let addr = b.value(Y);
        let value = b.int(1);
        b.store(addr, value, 4, &[]);
        b.push(Op::Goto { pc: 1 });
    });
    let program = program(ArchId::C, vec![thread(vec![enter, condition, body]), thread(vec![store(X, 1)])]);
    let worlds = worlds(&program);
    let bodies: Vec<usize> = worlds.iter().map(|world| world.writes[1].len() - 1).collect();
    assert_eq!(bodies, [2, 2, 1, 0]);
    assert_eq!(worlds[0].cuts[0].label, "While");
    assert!(worlds[1..].iter().all(|world| world.cuts.is_empty()));
}

#[test]
fn locations_and_threads_are_found_by_name() {
    let mut program = program(ArchId::Lisa, vec![thread(vec![store(X, 1)]), thread(vec![load(0, X)])]);
    program.threads[1].annotations.push("reader".into());
    let worlds = worlds(&program);
    let world = &worlds[0];
    let view = View { world, names: names(&program, world) };
    assert_eq!(format!("{:?}", world.set(&Base::of("reader"), &view.names).expect("a set")), "{1}");
    assert_eq!(format!("{:?}", view.location_classes()), "[{0, 1, 2}, {3}, {4}]");
    assert_eq!(format!("{:?}", view.events_of_location("x")), "Some({0, 1, 2})");
    assert!(view.events_of_location("nosuch").is_none());
}

#[test]
fn narrow_writes_are_refused_where_the_other_bytes_show() {
    let write = |bytes: u8, n: i128| {
        instr(|b| {
            let addr = b.value(X);
            let value = b.int(n);
            b.store(addr, value, bytes, &[]);
        })
    };
    let errors = |code: Vec<Instr>, init: i128| {
        let mut program = program(ArchId::RiscV, vec![thread(code)]);
        program.locations[0].init = Value::Int(init);
        worlds(&program)[0].errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>()
    };
    let mixed = ["mixed-size accesses to `x`".to_string()];
    // The upper bytes are zero whatever happens.
    assert!(errors(vec![write(1, 0xff), write(4, 0x7f)], 0).is_empty());
    // They are not: from the start, or by the wide write.
    assert_eq!(errors(vec![write(1, 0xff)], 0xffff), mixed);
    assert_eq!(errors(vec![write(1, 0xff), write(4, 0x100)], 0), mixed);
    assert_eq!(errors(vec![write(2, 1)], -1), mixed);
    // Writes of the cell's own size may hold anything.
    assert!(errors(vec![write(4, -1)], -1).is_empty());
}
