//! Random programs: two to four threads of accesses, read-modify-writes, fences and branches, with dependencies.

use crate::random::Random;

/// A register of a thread that values are read into.
pub type Reg = usize;

/// A memory cell.
pub type Cell = usize;

/// Their names.
pub const CELLS: [&str; 4] = ["x", "y", "z", "u"];

/// An instruction set, or a dialect of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    X86,
    AArch64,
    Arm,
    Ppc,
    RiscV,
    Mips,
    C,
    Kernel,
}

impl Arch {
    pub const ALL: [Arch; 8] =
        [Arch::X86, Arch::AArch64, Arch::Arm, Arch::Ppc, Arch::RiscV, Arch::Mips, Arch::C, Arch::Kernel];

    /// The models of the library for it.
    pub fn models(self) -> &'static [&'static str] {
        match self {
            Arch::X86 => &[
                "x86tso",
                "tso",
                "sc",
                "pso",
                "ase18-tso",
                "ase18-pso",
                "rmo",
                "uni",
                "minimal",
                "naked",
                "weak",
                "nofence",
            ],
            Arch::AArch64 => &["aarch64", "aarch64", "aarch64", "sc", "tso", "weak", "uni", "rmo"],
            Arch::Arm => &["armv7", "arm-a9", "weak", "nofence", "sc", "minimal"],
            Arch::Ppc => &["ppc", "ppc", "sc", "weak", "pso"],
            Arch::RiscV => &["riscv", "riscv", "tso", "sc", "naked"],
            Arch::Mips => &["mips", "mips", "sc", "rmo"],
            Arch::C => &["c11", "rc11", "sc", "minimal"],
            Arch::Kernel => &["lkmm"],
        }
    }

    fn has_atomics(self) -> bool {
        !matches!(self, Arch::Arm | Arch::Ppc | Arch::Mips)
    }

    /// Load-reserve and store-conditional, with a status that can be seen.
    fn has_exclusives(self) -> bool {
        matches!(self, Arch::AArch64 | Arch::Arm | Arch::Ppc | Arch::RiscV | Arch::Mips)
    }

    fn has_address_dependencies(self) -> bool {
        !matches!(self, Arch::X86 | Arch::C | Arch::Kernel)
    }

    /// How many registers a thread can read into.
    fn n_registers(self) -> usize {
        match self {
            Arch::X86 => 5,
            Arch::Arm => 7,
            Arch::Mips => 8,
            _ => 10,
        }
    }

    /// How many kinds of fence there are.
    pub fn n_fences(self) -> usize {
        match self {
            Arch::X86 => 3,
            Arch::AArch64 | Arch::C => 5,
            Arch::Arm | Arch::Ppc => 4,
            Arch::RiscV => 6,
            Arch::Mips => 1,
            Arch::Kernel => 4,
        }
    }
}

/// How strong an access is; what that means is the printer's business.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    Plain,
    Relaxed,
    Acquire,
    Release,
    Strong,
}

impl Strength {
    pub const ALL: [Strength; 5] =
        [Strength::Plain, Strength::Relaxed, Strength::Acquire, Strength::Release, Strength::Strong];
}

/// What a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Constant(i64),
    /// What a register holds, plus a constant.
    Sum(Reg, i64),
}

/// How a read-modify-write changes its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    Swap(i64),
    Add(i64),
    /// From the first to the second.
    Replace(i64, i64),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Load {
        to: Reg,
        cell: Cell,
        strength: Strength,
        through: Option<Reg>,
    },
    Store {
        cell: Cell,
        value: Source,
        strength: Strength,
        through: Option<Reg>,
    },
    /// A single atomic instruction.
    Atomic {
        to: Reg,
        cell: Cell,
        update: Update,
        strength: Strength,
    },
    /// Load-reserve, then store-conditional; `status` tells whether that failed.
    Exclusive {
        to: Reg,
        cell: Cell,
        update: Update,
        strength: Strength,
        status: Reg,
    },
    Fence(usize),
    /// The body is done if the register holds that number.
    If {
        reg: Reg,
        equals: i64,
        body: Vec<Stmt>,
    },
}

/// What a final state is asked about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Seen {
    Register(usize, Reg),
    Cell(Cell),
}

#[derive(Clone, Debug)]
pub enum Prop {
    Is(Seen, i64),
    And(Vec<Prop>),
    Or(Vec<Prop>),
    Not(Box<Prop>),
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub code: Vec<Stmt>,
    /// Registers written.
    pub registers: usize,
    /// The kernel's: inside a read-side critical section, under a lock.
    pub rcu: bool,
    pub lock: bool,
}

/// A test.
#[derive(Clone, Debug)]
pub struct Program {
    pub arch: Arch,
    pub threads: Vec<Thread>,
    /// How many cells, and what they start with.
    pub initial: Vec<i64>,
    pub locations: Vec<Seen>,
    pub filter: Option<Prop>,
    /// `exists`, `~exists` or `forall`.
    pub quantifier: &'static str,
    pub condition: Prop,
}

impl Program {
    pub fn random(arch: Arch, random: &mut Random) -> Program {
        let n_threads = [2, 2, 2, 3, 3, 4][random.below(6)];
        let n_cells = [1, 2, 2, 2, 3, 4][random.below(6)];
        let mut left = 3 + random.below(if n_threads == 2 { 5 } else { 6 });
        let mut threads = Vec::new();
        for number in 0..n_threads {
            let share = if number + 1 == n_threads { left } else { 1 + random.below(left.clamp(1, 4)) };
            left = left.saturating_sub(share).max(1);
            let mut thread = Thread {
                rcu: arch == Arch::Kernel && random.chance(20),
                lock: arch == Arch::Kernel && random.chance(10),
                ..Thread::default()
            };
            let mut maker = Maker { arch, n_cells, random, thread: &mut thread };
            let code = maker.block(share.min(5), true);
            thread.code = code;
            threads.push(thread);
        }
        let initial = (0..n_cells).map(|_| i64::from(random.chance(10))).collect();
        let mut program = Program {
            arch,
            threads,
            initial,
            locations: Vec::new(),
            filter: None,
            quantifier: ["exists", "exists", "~exists", "forall"][random.below(4)],
            condition: Prop::And(Vec::new()),
        };
        let all = program.observables();
        program.condition = prop(random, &all, 2);
        program.locations = all.iter().filter(|_| random.chance(40)).copied().collect();
        if random.chance(20) {
            program.filter = Some(prop(random, &all, 1));
        }
        program
    }

    /// All that can be asked about.
    pub fn observables(&self) -> Vec<Seen> {
        let registers = self
            .threads
            .iter()
            .enumerate()
            .flat_map(|(thread, t)| (0..t.registers).map(move |reg| Seen::Register(thread, reg)));
        registers.chain((0..self.initial.len()).map(Seen::Cell)).collect()
    }

    /// The same test with its threads in another order: `order[i]` is the old number of the new thread `i`.
    pub fn permuted(&self, order: &[usize]) -> Program {
        let new = |old: usize| order.iter().position(|o| *o == old).expect("a permutation");
        let seen = |seen: &Seen| match *seen {
            Seen::Register(thread, reg) => Seen::Register(new(thread), reg),
            cell => cell,
        };
        Program {
            threads: order.iter().map(|old| self.threads[*old].clone()).collect(),
            locations: self.locations.iter().map(seen).collect(),
            filter: self.filter.as_ref().map(|p| p.map(&seen)),
            condition: self.condition.map(&seen),
            ..self.clone()
        }
    }
}

impl Prop {
    fn map(&self, f: &impl Fn(&Seen) -> Seen) -> Prop {
        match self {
            Prop::Is(seen, value) => Prop::Is(f(seen), *value),
            Prop::And(parts) => Prop::And(parts.iter().map(|p| p.map(f)).collect()),
            Prop::Or(parts) => Prop::Or(parts.iter().map(|p| p.map(f)).collect()),
            Prop::Not(inner) => Prop::Not(Box::new(inner.map(f))),
        }
    }

    /// Does it hold in a state?
    pub fn holds(&self, state: &impl Fn(Seen) -> i64) -> bool {
        match self {
            Prop::Is(seen, value) => state(*seen) == *value,
            Prop::And(parts) => parts.iter().all(|p| p.holds(state)),
            Prop::Or(parts) => parts.iter().any(|p| p.holds(state)),
            Prop::Not(inner) => !inner.holds(state),
        }
    }
}

fn prop(random: &mut Random, all: &[Seen], depth: usize) -> Prop {
    if depth == 0 || random.chance(25) {
        return Prop::Is(*random.pick(all), random.below(3) as i64);
    }
    let parts =
        |random: &mut Random| (0..2 + random.below(2)).map(|_| prop(random, all, depth - 1)).collect();
    match random.below(5) {
        0..=2 => Prop::And(parts(random)),
        3 => Prop::Or(parts(random)),
        _ => Prop::Not(Box::new(prop(random, all, depth - 1))),
    }
}

struct Maker<'m> {
    arch: Arch,
    n_cells: usize,
    random: &'m mut Random,
    thread: &'m mut Thread,
}

impl Maker<'_> {
    fn block(&mut self, size: usize, may_branch: bool) -> Vec<Stmt> {
        let mut code = Vec::new();
        let mut left = size;
        while left > 0 {
            left -= 1;
            let branch = may_branch && left > 0 && self.thread.registers > 0 && self.random.chance(25);
            if branch {
                let body = 1 + self.random.below(left.min(2));
                left -= body;
                let reg = self.random.below(self.thread.registers);
                let equals = self.random.below(2) as i64;
                code.push(Stmt::If { reg, equals, body: self.block(body, false) });
            } else {
                code.push(self.statement());
            }
        }
        code
    }

    fn statement(&mut self) -> Stmt {
        let cell = self.random.below(self.n_cells);
        let strength = match self.random.chance(60) {
            true => Strength::Relaxed,
            false => *self.random.pick(&Strength::ALL),
        };
        let crowded = self.thread.registers + 2 > self.arch.n_registers();
        match if crowded { 8 } else { self.random.below(20) } {
            0..=7 => {
                let through = self.through();
                Stmt::Load { to: self.fresh(), cell, strength, through }
            }
            8..=14 => {
                let value = match self.a_register().filter(|_| self.random.chance(35)) {
                    Some(reg) => Source::Sum(reg, self.random.below(2) as i64),
                    None => Source::Constant(1 + self.random.below(2) as i64),
                };
                Stmt::Store { cell, value, strength, through: self.through() }
            }
            15..=16 => {
                let update = match self.random.below(3) {
                    0 => Update::Swap(1 + self.random.below(2) as i64),
                    1 if self.arch != Arch::Kernel => Update::Add(1),
                    _ => Update::Replace(self.random.below(2) as i64, 2),
                };
                let update = match update {
                    Update::Replace(_, to) if self.arch == Arch::RiscV => Update::Swap(to),
                    update => update,
                };
                let exclusive = self.arch.has_exclusives() && self.random.chance(60);
                if exclusive || !self.arch.has_atomics() {
                    // A comparison would need a branch.
                    let update = if let Update::Replace(_, to) = update { Update::Swap(to) } else { update };
                    let to = self.fresh();
                    Stmt::Exclusive { to, cell, update, strength, status: self.fresh() }
                } else {
                    Stmt::Atomic { to: self.fresh(), cell, update, strength }
                }
            }
            _ => Stmt::Fence(self.random.below(self.arch.n_fences())),
        }
    }

    fn fresh(&mut self) -> Reg {
        self.thread.registers += 1;
        self.thread.registers - 1
    }

    fn a_register(&mut self) -> Option<Reg> {
        (self.thread.registers > 0).then(|| self.random.below(self.thread.registers))
    }

    fn through(&mut self) -> Option<Reg> {
        let wanted = self.arch.has_address_dependencies() && self.random.chance(20);
        self.a_register().filter(|_| wanted)
    }
}
