//! What `main` does beside the threads that it has started, as a thread of its own.
//!
//! Between the last start and the first join, `main` is a thread like the others. Taken out of it, started after them and waited for at once, it does the same: starts and joins order what they
//! ordered before. What is left of `main` only starts threads, waits for them and looks at what they left, which is what closed programs need ([`super::closed`]).

use super::addresses::Addresses;
use super::run::Violation;
use super::trace::{self, Step};
use crate::machine;
use crate::program::{
    AccessSize, Extra, Instr, Location, Op, Port, Program, Reg, Start, Sym, Target, Thread, Tmp, Type, Value,
    any_op, each_op,
};
use crate::source::Span;

/// A program in which `main` does nothing beside its threads.
pub(super) struct Beside {
    pub program: Program,
    /// The code that was taken out of it.
    code: usize,
    /// The place of all that was put in.
    place: Span,
}

/// The part of `main` that works on what has a name while threads run, as a thread. None where there is no such part, or it cannot be told from the rest.
pub(super) fn apart(program: &Program) -> Option<Beside> {
    let (lo, hi) = part(program)?;
    let main = &program.threads[0];
    let inside = &main.code[lo..hi];
    let refused = |op: &Op| {
        matches!(
            op,
            Op::Stop
                | Op::Spawn { .. }
                | Op::Join { .. }
                | Op::Alloc { .. }
                | Op::Free { .. }
                | Op::Jump { target: Target::Indirect(_) }
        )
    };
    if inside.iter().any(|instr| any_op(&instr.ops, refused)) {
        return None;
    }
    let mut before = written(&main.code[..lo]);
    before.extend(program.init_regs.iter().filter(|(thread, ..)| *thread == 0).map(|(_, reg, _)| *reg));
    let given_back: Vec<Reg> = {
        let later = read(&main.code[hi..]);
        written(inside).into_iter().filter(|reg| later.contains(reg) || main.result == Some(*reg)).collect()
    };
    let straight = inside.iter().position(jumps).unwrap_or(inside.len());
    let sure = written(&inside[..straight]);
    if given_back.iter().any(|reg| !sure.contains(reg) && !before.contains(reg)) {
        return None;
    }
    let mut given: Vec<Reg> = read(inside);
    given.extend(given_back.iter().filter(|reg| !sure.contains(reg)));
    given.retain(|reg| before.contains(reg));
    given.sort_unstable();
    given.dedup();

    let at = inside.first()?.span;
    let place = at.sub(0, 0);
    let mut program = program.clone();
    let code = program.threads.len();
    let (own, handle) = (program.regs.intern("main beside: own"), program.regs.intern("main beside: handle"));
    let cells: Vec<(Reg, Sym)> = given_back.into_iter().map(|reg| (reg, cell(&mut program, reg))).collect();

    let mut taken: Vec<Instr> = program.threads[0].code[lo..hi].to_vec();
    let length = taken.len();
    for instr in &mut taken {
        retarget(&mut instr.ops, &|pc| pc.saturating_sub(lo).min(length));
    }
    taken.extend(cells.iter().map(|(reg, sym)| {
        put(
            vec![
                Op::Const { dst: Tmp(0), value: Value::Addr { sym: *sym, offset: 0 } },
                Op::ReadReg { dst: Tmp(1), reg: *reg, port: Port::None },
                Op::Store {
                    addr: Tmp(0),
                    value: Tmp(1),
                    size: WORD,
                    sets: Vec::new(),
                    extra: Extra::default(),
                },
            ],
            place,
        )
    }));

    let args: Vec<(Reg, Tmp)> = given.iter().zip(1..).map(|(reg, tmp)| (*reg, Tmp(tmp))).collect();
    let mut starts: Vec<Op> =
        args.iter().map(|(reg, dst)| Op::ReadReg { dst: *dst, reg: *reg, port: Port::None }).collect();
    starts.push(Op::Spawn { dst: Tmp(0), code, args, own });
    starts.push(Op::WriteReg { reg: handle, src: Tmp(0), extra: Extra::default() });
    let joins = vec![
        Op::ReadReg { dst: Tmp(0), reg: handle, port: Port::None },
        Op::Join { thread: Tmp(0), dst: None },
    ];
    let mut instead = vec![put(starts, place), put(joins, place)];
    instead.extend(cells.iter().map(|(reg, sym)| {
        put(
            vec![
                Op::Const { dst: Tmp(0), value: Value::Addr { sym: *sym, offset: 0 } },
                Op::Load { dst: Tmp(1), addr: Tmp(0), size: WORD, sets: Vec::new(), extra: Extra::default() },
                Op::WriteReg { reg: *reg, src: Tmp(1), extra: Extra::default() },
            ],
            place,
        )
    }));

    let main = &mut program.threads[0];
    let moved = lo + instead.len();
    let to = |pc: usize| if pc < hi { pc.min(lo) } else { pc - hi + moved };
    main.code.splice(lo..hi, instead);
    for instr in &mut main.code {
        retarget(&mut instr.ops, &to);
    }
    main.labels.iter_mut().for_each(|(_, pc)| *pc = to(*pc));
    program.threads.push(Thread { code: taken, start: Start::Spawned, ..Thread::default() });
    Some(Beside { program, code, place })
}

impl Beside {
    /// A violation, told as if `main` had done it all.
    pub fn told(&self, mut violation: Violation, started: usize) -> Violation {
        let number = (self.program.threads.len() + started - 1) as u16;
        let (own, main) = (trace::name(Some(number), &self.program), trace::name(Some(0), &self.program));
        let rename = |thread: &mut String| {
            if *thread == own {
                thread.clone_from(&main);
            }
        };
        violation.trace.retain(|step: &Step| step.span != self.place);
        for step in &mut violation.trace {
            rename(&mut step.thread);
            if let Some((thread, _)) = &mut step.from {
                rename(thread);
            }
        }
        violation.parts.iter_mut().for_each(|part| rename(&mut part.thread));
        violation
    }

    /// The code that `main` was taken for.
    pub fn code(&self) -> usize {
        self.code
    }
}

/// Registers are kept whole.
const WORD: AccessSize = AccessSize(8);

fn put(ops: Vec<Op>, span: Span) -> Instr {
    Instr { text: String::new(), span, ops }
}

/// A cell for what a register holds at the end.
fn cell(program: &mut Program, reg: Reg) -> Sym {
    let sym = Sym(program.symbols.len() as u16);
    let name = format!("main beside: {}", program.regs.name(reg));
    program.symbols.push(name.clone());
    program.locations.push(Location {
        space: Default::default(),
        name,
        sym,
        offset: 0,
        ty: Type { bytes: WORD.0, signed: true },
        declared: true,
        init: Value::ZERO,
    });
    sym
}

/// The smallest part of `main` with all accesses to what has a name between the last start and the first join that control comes into at its begin and leaves at its end.
fn part(program: &Program) -> Option<(usize, usize)> {
    let code = &program.threads.first()?.code;
    let has = |wanted: fn(&Op) -> bool| move |instr: &Instr| any_op(&instr.ops, wanted);
    let after = code.iter().rposition(has(|op| matches!(op, Op::Spawn { .. })))? + 1;
    let until = code.iter().position(has(|op| matches!(op, Op::Join { .. })))?;
    let addresses = Addresses::of(program);
    let works = |pc: &usize| addresses.cells(0, *pc, &code[*pc]).names_objects(&code[*pc]);
    let mut own = (after..until).filter(works);
    let first = own.next()?;
    let (mut lo, mut hi) = (first, own.next_back().unwrap_or(first) + 1);
    loop {
        let (low, high) = (lo, hi);
        for (pc, instr) in code.iter().enumerate() {
            let mut targets = Vec::new();
            machine::targets(&instr.ops, &mut targets);
            for to in targets {
                if (low..high).contains(&pc) {
                    (lo, hi) = (lo.min(to), hi.max(to));
                } else if low < to && to < high {
                    (lo, hi) = (lo.min(pc), hi.max(pc + 1));
                }
            }
        }
        if lo < after || hi > until {
            return None;
        }
        if (lo, hi) == (low, high) {
            return Some((lo, hi));
        }
    }
}

fn jumps(instr: &Instr) -> bool {
    any_op(&instr.ops, |op| matches!(op, Op::Goto { .. } | Op::Jump { .. }))
}

/// Has all jumps go elsewhere.
fn retarget(ops: &mut [Op], to: &impl Fn(usize) -> usize) {
    for op in ops {
        match op {
            Op::Goto { pc } | Op::Jump { target: Target::Pc(pc) } => *pc = to(*pc),
            Op::If { then, otherwise, .. }
            | Op::Conditional { then, otherwise, .. }
            | Op::Collide { same: then, differ: otherwise, .. } => {
                retarget(then, to);
                retarget(otherwise, to);
            }
            Op::Choice { branches } => branches.iter_mut().for_each(|branch| retarget(branch, to)),
            Op::Rmw { ops, .. } => retarget(ops, to),
            _ => {}
        }
    }
}

fn written(code: &[Instr]) -> Vec<Reg> {
    registers(code, |op| match op {
        Op::WriteReg { reg, .. } => Some(*reg),
        _ => None,
    })
}

fn read(code: &[Instr]) -> Vec<Reg> {
    registers(code, |op| match op {
        Op::ReadReg { reg, .. } | Op::ReadRegWith { reg, .. } => Some(*reg),
        _ => None,
    })
}

fn registers(code: &[Instr], of: impl Fn(&Op) -> Option<Reg>) -> Vec<Reg> {
    let mut found = Vec::new();
    for instr in code {
        each_op(&instr.ops, &mut |op| found.extend(of(op)));
    }
    found.sort_unstable();
    found.dedup();
    found
}
