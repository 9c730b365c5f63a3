//! The explorer against the oracle: random programs under random models.
//!
//! `LITMUS_CASES=1000000 cargo test --release explorer_equals_oracle` runs a million cases.

use std::sync::Arc;

use super::{Engine, Mode, Options, run};
use crate::arch::{self, ArchId};
use crate::condition::{Atom, Condition, Observable, Prop, Quantifier};
use crate::diag::{Diagnostic, Remedy};
use crate::litmus::Lowered;
use crate::model::{
    CheckKind, Choices, Expr, ExprId, Interp, Interpreted, Model, Order, OrderBase, Pool, Sort, Step, Test,
    TestKind, Universe, Val,
};
use crate::outcome::Outcome;
use crate::program::{
    AccessSize, BinOp, BranchKind, Extra, Instr, LocId, Location, Op, Port, Program, Reg, RegTable, Sym,
    Target, Thread, Tmp, Type, UnOp, Value,
};
use crate::source::{SourceId, Span};

/// A small generator of numbers (xorshift), so that cases are the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

fn span() -> Span {
    Span::new(SourceId(0), 0, 0)
}

fn unknown(what: &str) -> Diagnostic {
    Diagnostic::error("model::unknown-input", what).unless(Remedy::DecidedInputs)
}

/// `with co from`: an order on the writes of each cell that contains a given relation.
struct PerLocation;

impl Interpreted for PerLocation {
    fn eval(&self, inputs: &[Val], universe: &dyn Universe) -> Result<Val, Diagnostic> {
        let Val::Set(writes) = &inputs[0] else {
            return Err(unknown("writes"));
        };
        let base = match &inputs[1] {
            Val::Rel(rel) => OrderBase::Rel(rel.clone()),
            Val::Unknown(node) => OrderBase::Node(*node),
            _ => return Err(unknown("base")),
        };
        let orders = universe
            .location_classes()
            .iter()
            .map(|class| Order { over: class.inter(writes), base: base.clone() })
            .filter(|order| !order.over.is_empty())
            .collect();
        Ok(Val::Choices(Choices::Orders(orders)))
    }

    fn describe(&self) -> String {
        "orders of the writes of each location".to_string()
    }
}

/// A choice between two static relations, spelled out.
struct TwoWays;

impl Interpreted for TwoWays {
    fn eval(&self, inputs: &[Val], _: &dyn Universe) -> Result<Val, Diagnostic> {
        match (&inputs[0], &inputs[1]) {
            (Val::Rel(a), Val::Rel(b)) if a == b => Ok(Val::Choices(Choices::List(vec![inputs[0].clone()]))),
            (Val::Rel(_), Val::Rel(_)) => Ok(Val::Choices(Choices::List(inputs.to_vec()))),
            _ => Err(unknown("a relation")),
        }
    }

    fn describe(&self) -> String {
        "one of two".to_string()
    }
}

pub(super) fn random_model(random: &mut Random) -> Model {
    let mut model = Model { name: "random".to_string(), ..Model::default() };
    let pool = &mut model.pool;
    let sets: Vec<ExprId> = ["W", "R", "IW", "F", "M", "B"]
        .iter()
        .map(|s| pool.base(crate::model::Base::of(s), Sort::Set))
        .collect();
    let mut rels: Vec<ExprId> = ["po", "loc", "ext", "int", "addr", "data", "ctrl", "rf"]
        .iter()
        .map(|s| pool.base(crate::model::Base::of(s), Sort::Rel))
        .collect();
    let rf = rels[7];
    let mut steps = Vec::new();
    if random.chance(85) {
        let writes = sets[0];
        let pco = pool.base(crate::model::Base::of("pco"), Sort::Rel);
        let base = match random.below(4) {
            0 => {
                // As the kernel's model does: on top of what rf shows.
                let po = rels[0];
                let seen = pool.intern(Expr::Seq(vec![rf, po]));
                let writes_only = pool.intern(Expr::Product(writes, writes));
                let shown = pool.intern(Expr::Inter(seen, writes_only));
                let here = pool.intern(Expr::Inter(shown, rels[1]));
                pool.intern(Expr::Union(vec![pco, here]))
            }
            1 => {
                let later = pool.intern(Expr::Diff(writes, sets[2]));
                let first = pool.intern(Expr::Product(sets[2], later));
                pool.intern(Expr::Inter(first, rels[1]))
            }
            _ => pco,
        };
        let interp = Interp { inputs: vec![writes, base], function: Arc::new(PerLocation) };
        let from = pool.new_interp(interp, Sort::Other);
        let choice = pool.new_choice();
        let co = pool.intern(Expr::Choice(choice, Sort::Rel));
        steps.push(Step::With { choice, name: "co".to_string(), from, span: span() });
        let inverse = pool.intern(Expr::Inverse(rf));
        let fr = pool.intern(Expr::Seq(vec![inverse, co]));
        rels.extend([co, co, fr]);
        if random.chance(60) {
            let here = pool.intern(Expr::Inter(rels[0], rels[1]));
            let all = pool.intern(Expr::Union(vec![here, rf, co, fr]));
            steps.push(check(CheckKind::Plain, TestKind::Acyclic, false, all));
        }
    }
    if random.chance(15) {
        let a = random_rel(pool, random, &sets, &rels[..7], 2);
        let interp = Interp { inputs: vec![a, rels[0]], function: Arc::new(TwoWays) };
        let from = pool.new_interp(interp, Sort::Other);
        let choice = pool.new_choice();
        rels.push(pool.intern(Expr::Choice(choice, Sort::Rel)));
        steps.push(Step::With { choice, name: "x".to_string(), from, span: span() });
    }
    if random.chance(25) {
        let fix = pool.new_fix(vec!["r".to_string(), "s".to_string()]);
        let r = pool.intern(Expr::FixVar(fix, 0, Sort::Rel));
        let s = pool.intern(Expr::FixVar(fix, 1, Sort::Rel));
        let a = random_rel(pool, random, &sets, &rels, 2);
        let b = random_rel(pool, random, &sets, &rels, 2);
        let through = pool.intern(Expr::Seq(vec![r, s]));
        let first = if random.chance(70) {
            pool.intern(Expr::Union(vec![a, through]))
        } else {
            // Not monotone: only the plain run can tell its value.
            pool.intern(Expr::Diff(a, s))
        };
        // Now and then one that only the other needs.
        let second = if random.chance(75) { pool.intern(Expr::Union(vec![b, r])) } else { b };
        pool.set_bodies(fix, vec![first, second], None);
        rels.push(pool.intern(Expr::Fix(fix, 0, Sort::Rel)));
        rels.push(pool.intern(Expr::Fix(fix, 1, Sort::Rel)));
    }
    for _ in 0..1 + random.below(3) {
        let expr = random_rel(pool, random, &sets, &rels, 3);
        let kind = match random.below(10) {
            0 => CheckKind::Flag,
            1 => CheckKind::UndefinedUnless,
            _ => CheckKind::Plain,
        };
        let test = [TestKind::Acyclic, TestKind::Irreflexive, TestKind::Empty][random.below(3)];
        let negated = random.chance(10);
        steps.push(check(kind, test, negated, expr));
    }
    model.steps = steps;
    model
}

fn check(kind: CheckKind, test: TestKind, negated: bool, expr: ExprId) -> Step {
    let name = Some(format!("{test:?}{}", expr.0));
    Step::Check { kind, test: Test { kind: test, negated, expr }, name, span: span() }
}

pub(crate) fn random_rel(
    pool: &mut Pool,
    random: &mut Random,
    sets: &[ExprId],
    rels: &[ExprId],
    depth: usize,
) -> ExprId {
    if depth == 0 || random.chance(15) {
        return rels[random.below(rels.len())];
    }
    let mut rel = |random: &mut Random| random_rel(pool, random, sets, rels, depth - 1);
    let expr = match random.below(16) {
        0..=2 => Expr::Union(vec![rel(random), rel(random)]),
        3..=4 => Expr::Seq(vec![rel(random), rel(random)]),
        5 => Expr::Seq(vec![rel(random), rel(random), rel(random)]),
        6..=7 => Expr::Inter(rel(random), rel(random)),
        8..=9 => Expr::Diff(rel(random), rel(random)),
        10 => Expr::Inverse(rel(random)),
        11 => Expr::Opt(rel(random)),
        12 => Expr::Plus(rel(random)),
        13 => Expr::Star(rel(random)),
        14 => Expr::Compl(rel(random)),
        _ => {
            let inner = rel(random);
            let set = if random.chance(50) {
                pool.intern(if random.chance(50) { Expr::Domain(inner) } else { Expr::Range(inner) })
            } else {
                sets[random.below(sets.len())]
            };
            let other = sets[random.below(sets.len())];
            let set = match random.below(4) {
                0 => pool.intern(Expr::Compl(set)),
                1 => pool.intern(Expr::Diff(set, other)),
                _ => set,
            };
            if random.chance(50) { Expr::ToId(set) } else { Expr::Product(set, other) }
        }
    };
    pool.intern(expr)
}

/// Threads of stores, loads, read-modify-writes, fences and branches over three cells, with dependencies.
pub(super) fn random_program(random: &mut Random) -> Lowered {
    let mut regs = RegTable::default();
    let n_threads = 2 + random.below(2);
    let mut left = 4 + random.below(5);
    let mut threads = Vec::new();
    let mut shown = Vec::new();
    for thread in 0..n_threads {
        let share = if thread + 1 == n_threads { left } else { 1 + random.below(left.min(3)) };
        left -= share.min(left);
        let mut code: Vec<Vec<Op>> = Vec::new();
        let mut loaded: Vec<Reg> = Vec::new();
        for _ in 0..share.min(5) {
            let sym = Value::addr(Sym(random.below(3) as u16));
            let addr = |random: &mut Random, ops: &mut Vec<Op>, loaded: &[Reg]| {
                ops.push(Op::Const { dst: Tmp(0), value: sym });
                if !loaded.is_empty() && random.chance(20) {
                    // An address dependency that does not change the address.
                    ops.push(Op::ReadReg {
                        dst: Tmp(1),
                        reg: loaded[random.below(loaded.len())],
                        port: Port::Addr,
                    });
                    ops.push(Op::Binary { dst: Tmp(2), op: BinOp::Xor, a: Tmp(1), b: Tmp(1) });
                    ops.push(Op::Binary { dst: Tmp(0), op: BinOp::Add, a: Tmp(0), b: Tmp(2) });
                }
            };
            let mut ops = Vec::new();
            let size = AccessSize(4);
            match random.below(10) {
                0..=3 => {
                    addr(random, &mut ops, &loaded);
                    let reg = regs.intern(&format!("r{thread}{}", loaded.len()));
                    ops.push(Op::Load {
                        dst: Tmp(3),
                        addr: Tmp(0),
                        size,
                        sets: vec![],
                        extra: Extra::default(),
                    });
                    ops.push(Op::WriteReg { reg, src: Tmp(3), extra: Extra::default() });
                    loaded.push(reg);
                    shown.push(Observable::Reg(thread as u16, reg));
                }
                4..=6 => {
                    addr(random, &mut ops, &loaded);
                    if !loaded.is_empty() && random.chance(40) {
                        ops.push(Op::ReadReg {
                            dst: Tmp(4),
                            reg: loaded[random.below(loaded.len())],
                            port: Port::Data,
                        });
                        ops.push(Op::Const { dst: Tmp(5), value: Value::Int(random.below(2) as i128) });
                        ops.push(Op::Binary { dst: Tmp(3), op: BinOp::Add, a: Tmp(4), b: Tmp(5) });
                    } else {
                        ops.push(Op::Const { dst: Tmp(3), value: Value::Int(1 + random.below(2) as i128) });
                    }
                    ops.push(Op::Store {
                        addr: Tmp(0),
                        value: Tmp(3),
                        size,
                        sets: vec![],
                        extra: Extra::default(),
                    });
                }
                7 => {
                    addr(random, &mut ops, &[]);
                    let reg = regs.intern(&format!("r{thread}{}", loaded.len()));
                    let update = vec![
                        Op::Const { dst: Tmp(5), value: Value::ONE },
                        Op::Binary { dst: Tmp(6), op: BinOp::Add, a: Tmp(3), b: Tmp(5) },
                    ];
                    ops.push(Op::Rmw {
                        dst: Tmp(3),
                        addr: Tmp(0),
                        ops: update,
                        update: Tmp(6),
                        size,
                        sets: vec![],
                        extra: Extra::default(),
                    });
                    ops.push(Op::WriteReg { reg, src: Tmp(3), extra: Extra::default() });
                    loaded.push(reg);
                    shown.push(Observable::Reg(thread as u16, reg));
                }
                8 => ops.push(Op::Fence { sets: vec!["MFENCE".into()], extra: Extra::default() }),
                _ if !loaded.is_empty() => {
                    // Skip what follows, if the value read is 0: the target is the end.
                    ops.push(Op::ReadReg {
                        dst: Tmp(1),
                        reg: loaded[random.below(loaded.len())],
                        port: Port::None,
                    });
                    ops.push(Op::Unary { dst: Tmp(2), op: UnOp::IsZero, a: Tmp(1) });
                    ops.push(Op::Branch {
                        kind: BranchKind::Bcc,
                        cond: Some(Tmp(2)),
                        extra: Extra::default(),
                    });
                    ops.push(Op::If {
                        cond: Tmp(2),
                        then: vec![Op::Jump { target: Target::Pc(usize::MAX) }],
                        otherwise: vec![],
                    });
                }
                _ => ops.push(Op::Fence { sets: vec!["MFENCE".into()], extra: Extra::default() }),
            }
            code.push(ops);
        }
        let end = code.len();
        let code = code
            .into_iter()
            .map(|mut ops| {
                for op in &mut ops {
                    if let Op::If { then, .. } = op {
                        *then = vec![Op::Jump { target: Target::Pc(end) }];
                    }
                }
                Instr { text: String::new(), span: span(), ops }
            })
            .collect();
        threads.push(Thread { code, ..Thread::default() });
    }
    let location = |n: u16| Location {
        space: crate::program::Space::Data,
        name: ["x", "y", "z"][n as usize].to_string(),
        sym: Sym(n),
        offset: 0,
        ty: Type::INT,
        declared: false,
        init: Value::ZERO,
    };
    for n in 0..3 {
        if random.chance(40) {
            shown.push(Observable::Loc(LocId(n)));
        }
    }
    let prop = shown.first().map_or(Prop::True, |left| {
        Prop::Atom(Atom::Equals { left: *left, ty: Type::INT, value: Value::ONE })
    });
    let filter = (!shown.is_empty() && random.chance(25)).then(|| {
        let atoms = (0..1 + random.below(2)).map(|_| {
            let left = shown[random.below(shown.len())];
            let atom =
                Prop::Atom(Atom::Equals { left, ty: Type::INT, value: Value::Int(random.below(3) as i128) });
            if random.chance(30) { Prop::Not(Box::new(atom)) } else { atom }
        });
        let atoms = atoms.collect();
        if random.chance(70) { Prop::And(atoms) } else { Prop::Or(atoms) }
    });
    let quantifier = [Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall][random.below(3)];
    let mut test = Lowered::for_program(
        ArchId::X86,
        Program {
            threads,
            regs,
            symbols: vec!["x".to_string(), "y".to_string(), "z".to_string()],
            locations: (0..3).map(location).collect(),
            ..Program::empty(arch::conventions(ArchId::X86), 32)
        },
        Condition { quantifier, prop },
        shown,
    );
    test.filter = filter;
    test
}

fn with(engine: Engine, mode: Mode) -> Options {
    Options { engine, mode, ..Options::default() }
}

fn figures(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    (
        outcome.states.clone(),
        outcome.positive.clone(),
        outcome.negative.clone(),
        outcome.flags.clone(),
        outcome.undefined,
    )
}

pub(super) fn cases() -> u64 {
    std::env::var("LITMUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600)
}

#[test]
fn explorer_equals_oracle() {
    let mut executions = 0;
    let mut pruned = 0;
    for seed in 1..=cases() {
        let mut random = Random::new(seed);
        let test = random_program(&mut random);
        let model = random_model(&mut random);
        let oracle = run(&test, &model, &with(Engine::Naive, Mode::Count));
        let found = run(&test, &model, &with(Engine::Explore, Mode::Count));
        match (oracle, found) {
            (Ok(oracle), Ok(found)) => {
                assert_eq!(figures(&oracle), figures(&found), "case {seed}");
                executions += found.stats.executions.saturating_word();
                pruned += found.stats.pruned.values().sum::<u64>();
                // What is left is looked up from the first node on.
                let anew = Options { large: 0, ..with(Engine::Explore, Mode::Count) };
                let anew = run(&test, &model, &anew).expect("an answer of a search that remembers");
                assert_eq!(figures(&oracle), figures(&anew), "what repeats itself, case {seed}");
                let shared =
                    Options { jobs: 3, large: seed as u32 % 8, ..with(Engine::Explore, Mode::Count) };
                let shared = run(&test, &model, &shared).expect("an answer of three workers");
                assert_eq!(figures(&oracle), figures(&shared), "three workers, case {seed}");
                let states = run(&test, &model, &with(Engine::Explore, Mode::States)).expect("states");
                let listed: Vec<_> = states.states.keys().collect();
                assert_eq!(listed, oracle.states.keys().collect::<Vec<_>>(), "states of case {seed}");
                let checked = run(&test, &model, &with(Engine::Explore, Mode::Check)).expect("check");
                let verdict = (oracle.holds(&test.condition), !oracle.is_empty());
                assert_eq!(checked.undefined, oracle.undefined, "verdict of case {seed}");
                if verdict.1 && !oracle.undefined {
                    assert_eq!(checked.holds(&test.condition), verdict.0, "verdict of case {seed}");
                }
            }
            (oracle, found) => assert_eq!(oracle.is_err(), found.is_err(), "case {seed}"),
        }
    }
    // The cases must not be trivial.
    assert!(executions > cases() && pruned > cases() / 2, "{executions} executions, {pruned} pruned");
}

#[test]
fn no_execution_is_found_twice() {
    let (mut found, mut runs, mut all_noted) = (0, 0, 0);
    for seed in 1..=cases() / 5 {
        let mut random = Random::new(seed ^ 0xD0_0B1E << 24);
        let test = random_program(&mut random);
        let model = random_model(&mut random);
        for jobs in [1, 3] {
            let completed = Arc::new(std::sync::Mutex::new(Vec::new()));
            let options =
                Options { jobs, completed: Some(completed.clone()), ..with(Engine::Explore, Mode::Count) };
            let Ok(outcome) = run(&test, &model, &options) else { continue };
            let mut completed = std::mem::take(&mut *completed.lock().expect("the notes"));
            let n = completed.len();
            // Those that a filter or the plain run of the model refuses are completed, too; choices of the model that are left to
            // the plain run are not.
            let chooses = model.steps.iter().any(|step| matches!(step, Step::With { .. }));
            assert!(outcome.stats.executions <= n as u64 || chooses, "case {seed}: not all were noted");
            all_noted += u64::from(outcome.stats.executions <= n as u64);
            runs += 1;
            completed.sort_unstable();
            completed.dedup();
            assert_eq!(completed.len(), n, "case {seed}, {jobs} workers: an execution was found twice");
            found += n;
        }
    }
    assert!(found as u64 > cases() / 2, "{found} executions");
    assert!(all_noted * 10 > runs * 9, "{all_noted} of {runs} runs noted every execution");
}
