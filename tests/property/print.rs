//! Random programs as litmus tests, one syntax each.

use std::fmt::Write;

use crate::program::{Arch, CELLS, Cell, Program, Prop, Reg, Seen, Source, Stmt, Strength, Thread, Update};

impl Program {
    /// The test as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let arch = match self.arch {
            Arch::X86 => "X86",
            Arch::AArch64 => "AArch64",
            Arch::Arm => "ARM",
            Arch::Ppc => "PPC",
            Arch::RiscV => "RISCV",
            Arch::Mips => "MIPS",
            Arch::C | Arch::Kernel => "C",
        };
        let _ = writeln!(text, "{arch} random\n{{");
        for (cell, value) in self.initial.iter().enumerate() {
            let _ = writeln!(text, "{}={value};", CELLS[cell]);
        }
        if self.arch == Arch::C {
            // What compare-exchange expects stands in memory.
            text.push_str("c0=0; c1=1;\n");
        }
        for thread in 0..self.threads.len() {
            for (cell, name) in CELLS.iter().enumerate().take(self.initial.len()) {
                if let Some(register) = self.arch.address(cell) {
                    let _ = writeln!(text, "{thread}:{}={name};", register.trim_start_matches('$'));
                }
            }
        }
        text.push_str("}\n");
        if matches!(self.arch, Arch::C | Arch::Kernel) {
            self.functions(&mut text);
        } else {
            self.columns(&mut text);
        }
        if !self.locations.is_empty() {
            let list: String = self.locations.iter().map(|seen| self.seen(*seen) + ";").collect();
            let _ = writeln!(text, "locations [{list}]");
        }
        if let Some(filter) = &self.filter {
            let _ = writeln!(text, "filter ({})", self.prop(filter));
        }
        let _ = writeln!(text, "{} ({})", self.quantifier, self.prop(&self.condition));
        text
    }

    /// What states call an observable.
    pub fn seen(&self, seen: Seen) -> String {
        match seen {
            Seen::Register(thread, reg) => {
                format!("{thread}:{}", self.arch.register_name(reg))
            }
            Seen::Cell(cell) => CELLS[cell].to_string(),
        }
    }

    fn prop(&self, prop: &Prop) -> String {
        let join = |parts: &[Prop], with: &str| {
            let parts: Vec<String> = parts.iter().map(|p| format!("({})", self.prop(p))).collect();
            parts.join(with)
        };
        match prop {
            Prop::Is(seen, value) => format!("{}={value}", self.seen(*seen)),
            Prop::And(parts) if parts.is_empty() => "true".to_string(),
            Prop::And(parts) => join(parts, " /\\ "),
            Prop::Or(parts) => join(parts, " \\/ "),
            Prop::Not(inner) => format!("not ({})", self.prop(inner)),
        }
    }

    fn columns(&self, text: &mut String) {
        let columns: Vec<Vec<String>> = self
            .threads
            .iter()
            .enumerate()
            .map(|(number, thread)| {
                let mut asm = Asm { arch: self.arch, thread: number, labels: 0, lines: Vec::new() };
                asm.block(&thread.code);
                asm.lines
            })
            .collect();
        let header: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
        let _ = writeln!(text, "{} ;", header.join(" | "));
        for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let cells: Vec<&str> =
                columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            let _ = writeln!(text, "{} ;", cells.join(" | "));
        }
    }

    fn functions(&self, text: &mut String) {
        for (number, thread) in self.threads.iter().enumerate() {
            let cells = CELLS.iter().take(self.initial.len());
            let kernel = self.arch == Arch::Kernel;
            let ty = if kernel { "int" } else { "atomic_int" };
            let mut parameters: Vec<String> = cells.map(|cell| format!("{ty} *{cell}")).collect();
            match kernel {
                true => parameters.push("spinlock_t *l".to_string()),
                false => parameters.extend(["atomic_int *c0".to_string(), "atomic_int *c1".to_string()]),
            }
            let _ = writeln!(text, "P{number}({}) {{", parameters.join(", "));
            for reg in 0..thread.registers {
                let _ = writeln!(text, "  int r{reg} = 0;");
            }
            self.wrapped(text, thread);
            text.push_str("}\n");
        }
    }

    fn wrapped(&self, text: &mut String, thread: &Thread) {
        let mut around = Vec::new();
        if thread.lock {
            around.push(("spin_lock(l);", "spin_unlock(l);"));
        }
        if thread.rcu {
            around.push(("rcu_read_lock();", "rcu_read_unlock();"));
        }
        around.iter().for_each(|(before, _)| text.push_str(before));
        c_block(self.arch, &thread.code, text);
        around.iter().rev().for_each(|(_, after)| text.push_str(after));
    }
}

impl Arch {
    /// The register that holds the address of a cell.
    fn address(self, cell: Cell) -> Option<String> {
        match self {
            Arch::X86 | Arch::C | Arch::Kernel => None,
            Arch::AArch64 => Some(format!("X{}", 20 + cell)),
            Arch::Arm => Some(format!("R{}", 7 + cell)),
            Arch::Ppc => Some(format!("r{}", 20 + cell)),
            Arch::RiscV => Some(format!("x{}", 20 + cell)),
            Arch::Mips => Some(format!("$a{cell}")),
        }
    }

    /// A register that values are read into, as instructions name it.
    fn register(self, reg: Reg) -> String {
        match self {
            Arch::X86 => ["EBX", "ECX", "EDX", "ESI", "EBP"][reg].to_string(),
            Arch::AArch64 => format!("W{reg}"),
            Arch::Arm => format!("R{reg}"),
            Arch::Ppc => format!("r{}", 2 + reg),
            Arch::RiscV => format!("x{}", 5 + reg),
            Arch::Mips => format!("$t{reg}"),
            Arch::C | Arch::Kernel => format!("r{reg}"),
        }
    }

    /// The same, as conditions name it.
    fn register_name(self, reg: Reg) -> String {
        match self {
            Arch::AArch64 => format!("X{reg}"),
            Arch::Mips => format!("${}", 8 + reg),
            _ => self.register(reg),
        }
    }
}

/// One thread being written.
struct Asm {
    arch: Arch,
    thread: usize,
    labels: usize,
    lines: Vec<String>,
}

impl Asm {
    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn block(&mut self, code: &[Stmt]) {
        for stmt in code {
            match stmt {
                Stmt::Load { to, cell, strength, through } => self.load(*to, *cell, *strength, *through),
                Stmt::Store { cell, value, strength, through } => {
                    let value = self.value(*value);
                    self.store(&value, *cell, *strength, *through);
                }
                Stmt::Atomic { to, cell, update, strength } => self.atomic(*to, *cell, *update, *strength),
                Stmt::Exclusive { to, cell, update, strength, status } => {
                    self.exclusive(*to, *cell, *update, *strength, *status);
                }
                Stmt::Fence(kind) => self.fence(*kind),
                Stmt::If { reg, equals, body } => {
                    let label = format!("L{}{}", self.thread, self.labels);
                    self.labels += 1;
                    self.branch(*reg, *equals, &label);
                    self.block(body);
                    self.line(format!("{label}:"));
                }
            }
        }
    }

    /// The two registers for values in between.
    fn scratch(&self) -> [&'static str; 2] {
        match self.arch {
            Arch::X86 => ["EDI", "EAX"],
            Arch::AArch64 => ["W16", "W17"],
            Arch::Arm => ["R11", "R12"],
            Arch::Ppc => ["r16", "r17"],
            Arch::RiscV => ["x30", "x31"],
            _ => ["$v0", "$v1"],
        }
    }

    fn constant(&mut self, to: &str, n: i64) {
        let line = match self.arch {
            Arch::X86 => format!("MOV {to},${n}"),
            Arch::AArch64 | Arch::Arm => format!("MOV {to},#{n}"),
            Arch::RiscV => format!("ori {to},x0,{n}"),
            _ => format!("li {to},{n}"),
        };
        self.line(line);
    }

    fn add(&mut self, to: &str, from: &str, n: i64) {
        if self.arch == Arch::X86 {
            self.line(format!("MOV {to},{from}"));
            return self.line(format!("ADD {to},${n}"));
        }
        let line = match self.arch {
            Arch::AArch64 | Arch::Arm => format!("ADD {to},{from},#{n}"),
            Arch::RiscV => format!("addiw {to},{from},{n}"),
            Arch::Mips => format!("addiu {to},{from},{n}"),
            _ => format!("addi {to},{from},{n}"),
        };
        self.line(line);
    }

    /// A register with the value of a source.
    fn value(&mut self, source: Source) -> String {
        let scratch = self.scratch()[1];
        match source {
            Source::Constant(n) => self.constant(scratch, n),
            Source::Sum(reg, 0) => return self.arch.register(reg),
            Source::Sum(reg, n) => self.add(scratch, &self.arch.register(reg), n),
        }
        scratch.to_string()
    }

    /// An operand for a cell, with an address that hangs on a register.
    fn place(&mut self, cell: Cell, through: Option<Reg>) -> String {
        let Some(base) = self.arch.address(cell) else { return format!("[{}]", CELLS[cell]) };
        let Some(reg) = through else {
            return match self.arch {
                Arch::AArch64 | Arch::Arm => format!("[{base}]"),
                _ => format!("0({base})"),
            };
        };
        let (reg, zero) = (self.arch.register(reg), self.scratch()[0]);
        let name = if matches!(self.arch, Arch::AArch64 | Arch::Arm) { "EOR" } else { "xor" };
        self.line(format!("{name} {zero},{reg},{reg}"));
        match self.arch {
            Arch::AArch64 => format!("[{base},{zero},SXTW]"),
            Arch::Arm => format!("[{base},{zero}]"),
            Arch::Ppc => format!("{zero},{base}"),
            Arch::Mips => {
                self.line(format!("daddu {zero},{zero},{base}"));
                format!("0({zero})")
            }
            _ => {
                self.line(format!("add {zero},{zero},{base}"));
                format!("0({zero})")
            }
        }
    }

    fn load(&mut self, to: Reg, cell: Cell, strength: Strength, through: Option<Reg>) {
        let to = self.arch.register(to);
        let place = self.place(cell, through);
        let name = match (self.arch, strength, through) {
            (Arch::X86, ..) => "MOV",
            (Arch::AArch64, Strength::Acquire, None) => "LDAPR",
            (Arch::AArch64, Strength::Strong, None) => "LDAR",
            (Arch::Arm, Strength::Acquire | Strength::Strong, None) => "LDA",
            (Arch::AArch64 | Arch::Arm, ..) => "LDR",
            (Arch::Ppc, _, Some(_)) => "lwzx",
            (Arch::Ppc, ..) => "lwz",
            _ => "lw",
        };
        self.line(format!("{name} {to},{place}"));
    }

    fn store(&mut self, value: &str, cell: Cell, strength: Strength, through: Option<Reg>) {
        let place = self.place(cell, through);
        let name = match (self.arch, strength, through) {
            (Arch::X86, ..) => return self.line(format!("MOV {place},{value}")),
            (Arch::AArch64, Strength::Release | Strength::Strong, None) => "STLR",
            (Arch::Arm, Strength::Release | Strength::Strong, None) => "STL",
            (Arch::AArch64 | Arch::Arm, ..) => "STR",
            (Arch::Ppc, _, Some(_)) => "stwx",
            (Arch::Ppc, ..) => "stw",
            _ => "sw",
        };
        self.line(format!("{name} {value},{place}"));
    }

    fn atomic(&mut self, to: Reg, cell: Cell, update: Update, strength: Strength) {
        let to = self.arch.register(to);
        let [new, old] = self.scratch();
        match self.arch {
            Arch::X86 => {
                let place = format!("[{}]", CELLS[cell]);
                match update {
                    Update::Swap(n) => {
                        self.constant(&to, n);
                        self.line(format!("XCHG {place},{to}"));
                    }
                    Update::Add(n) => {
                        self.constant(&to, n);
                        self.line(format!("LOCK XADD {place},{to}"));
                    }
                    Update::Replace(from, n) => {
                        self.constant(old, from);
                        self.constant(new, n);
                        self.line(format!("LOCK CMPXCHG {place},{new}"));
                        self.line(format!("MOV {to},{old}"));
                    }
                }
            }
            Arch::AArch64 => {
                let order = match strength {
                    Strength::Plain | Strength::Relaxed => "",
                    Strength::Acquire => "A",
                    Strength::Release => "L",
                    Strength::Strong => "AL",
                };
                let place = format!("[X{}]", 20 + cell);
                let (name, n) = match update {
                    Update::Swap(n) => ("SWP", n),
                    Update::Add(n) => ("LDADD", n),
                    Update::Replace(from, n) => {
                        self.constant(&to, from);
                        self.constant(new, n);
                        return self.line(format!("CAS{order} {to},{new},{place}"));
                    }
                };
                self.constant(new, n);
                self.line(format!("{name}{order} {new},{to},{place}"));
            }
            _ => {
                let (name, n) = match update {
                    Update::Swap(n) | Update::Replace(_, n) => ("amoswap", n),
                    Update::Add(n) => ("amoadd", n),
                };
                self.constant(new, n);
                self.line(format!("{name}.w{} {to},{new},(x{})", riscv_order(strength), 20 + cell));
            }
        }
    }

    fn exclusive(&mut self, to: Reg, cell: Cell, update: Update, strength: Strength, status: Reg) {
        let (to, status) = (self.arch.register(to), self.arch.register(status));
        let new = self.scratch()[1];
        let base = self.arch.address(cell).unwrap_or_default();
        let acquire = matches!(strength, Strength::Acquire | Strength::Strong);
        let release = matches!(strength, Strength::Release | Strength::Strong);
        let first = match self.arch {
            Arch::AArch64 => format!("{} {to},[{base}]", if acquire { "LDAXR" } else { "LDXR" }),
            Arch::Arm => format!("{} {to},[{base}]", if acquire { "LDAEX" } else { "LDREX" }),
            Arch::Ppc => format!("lwarx {to},r0,{base}"),
            Arch::RiscV => format!("lr.w{} {to},0({base})", if acquire { ".aq" } else { "" }),
            _ => format!("ll {to},0({base})"),
        };
        self.line(first);
        match update {
            Update::Swap(n) | Update::Replace(_, n) => self.constant(new, n),
            Update::Add(n) => self.add(new, &to, n),
        }
        let second = match self.arch {
            Arch::AArch64 => format!("{} {status},{new},[{base}]", if release { "STLXR" } else { "STXR" }),
            Arch::Arm => format!("{} {status},{new},[{base}]", if release { "STLEX" } else { "STREX" }),
            Arch::Ppc => format!("stwcx. {new},r0,{base}"),
            Arch::RiscV => format!("sc.w{} {status},{new},0({base})", if release { ".rl" } else { "" }),
            _ => format!("sc {new},0({base})"),
        };
        self.line(second);
        if self.arch == Arch::Mips {
            self.line(format!("move {status},{new}"));
        }
    }

    fn fence(&mut self, kind: usize) {
        let fences: &[&str] = match self.arch {
            Arch::X86 => &["MFENCE", "SFENCE", "LFENCE"],
            Arch::AArch64 => &["DMB SY", "DMB LD", "DMB ST", "ISB", "DSB SY"],
            Arch::Arm => &["DMB", "DMB ST", "ISB", "DSB"],
            Arch::Ppc => &["sync", "lwsync", "isync", "eieio"],
            Arch::RiscV => {
                &["fence rw,rw", "fence r,rw", "fence rw,w", "fence w,w", "fence r,r", "fence.tso"]
            }
            _ => &["sync"],
        };
        self.line(fences[kind]);
    }

    /// Goes to the label unless the register holds that number.
    fn branch(&mut self, reg: Reg, equals: i64, label: &str) {
        let reg = self.arch.register(reg);
        let scratch = self.scratch()[0];
        match self.arch {
            Arch::X86 => {
                self.line(format!("CMP {reg},${equals}"));
                self.line(format!("JNE {label}"));
            }
            Arch::AArch64 if equals == 0 => self.line(format!("CBNZ {reg},{label}")),
            Arch::AArch64 => {
                self.line(format!("CMP {reg},#{equals}"));
                self.line(format!("B.NE {label}"));
            }
            Arch::Arm => {
                self.line(format!("CMP {reg},#{equals}"));
                self.line(format!("BNE {label}"));
            }
            Arch::Ppc => {
                self.line(format!("cmpwi {reg},{equals}"));
                self.line(format!("bne {label}"));
            }
            _ => {
                self.constant(scratch, equals);
                self.line(format!("bne {reg},{scratch},{label}"));
            }
        }
    }
}

fn riscv_order(strength: Strength) -> &'static str {
    match strength {
        Strength::Plain | Strength::Relaxed => "",
        Strength::Acquire => ".aq",
        Strength::Release => ".rl",
        Strength::Strong => ".aq.rl",
    }
}

fn c_block(arch: Arch, code: &[Stmt], text: &mut String) {
    for stmt in code {
        if arch == Arch::C {
            c11(stmt, text)
        } else {
            kernel(stmt, text)
        };
    }
}

fn c_value(value: Source) -> String {
    match value {
        Source::Constant(n) => n.to_string(),
        Source::Sum(reg, 0) => format!("r{reg}"),
        Source::Sum(reg, n) => format!("r{reg} + {n}"),
    }
}

fn c_if(arch: Arch, reg: Reg, equals: i64, body: &[Stmt], text: &mut String) {
    let _ = writeln!(text, "  if (r{reg} == {equals}) {{");
    c_block(arch, body, text);
    text.push_str("  }\n");
}

fn c11(stmt: &Stmt, text: &mut String) {
    let order = |strength: Strength, kind: &[&'static str; 4]| match strength {
        Strength::Plain | Strength::Relaxed => kind[0],
        Strength::Acquire => kind[1],
        Strength::Release => kind[2],
        Strength::Strong => kind[3],
    };
    let _ = match stmt {
        Stmt::Load { to, cell, strength: Strength::Plain, .. } => {
            writeln!(text, "  r{to} = *{};", CELLS[*cell])
        }
        Stmt::Store { cell, value, strength: Strength::Plain, .. } => {
            writeln!(text, "  *{} = {};", CELLS[*cell], c_value(*value))
        }
        Stmt::Load { to, cell, strength, .. } => {
            let order = order(*strength, &["relaxed", "acquire", "acquire", "seq_cst"]);
            writeln!(text, "  r{to} = atomic_load_explicit({}, memory_order_{order});", CELLS[*cell])
        }
        Stmt::Store { cell, value, strength, .. } => {
            let order = order(*strength, &["relaxed", "release", "release", "seq_cst"]);
            let value = c_value(*value);
            writeln!(text, "  atomic_store_explicit({}, {value}, memory_order_{order});", CELLS[*cell])
        }
        Stmt::Atomic { to, cell, update, strength } | Stmt::Exclusive { to, cell, update, strength, .. } => {
            let order = order(*strength, &["relaxed", "acquire", "release", "seq_cst"]);
            let cell = CELLS[*cell];
            match update {
                Update::Swap(n) => {
                    writeln!(text, "  r{to} = atomic_exchange_explicit({cell}, {n}, memory_order_{order});")
                }
                Update::Add(n) => {
                    writeln!(text, "  r{to} = atomic_fetch_add_explicit({cell}, {n}, memory_order_{order});")
                }
                Update::Replace(from, n) => writeln!(
                    text,
                    "  r{to} = atomic_compare_exchange_strong_explicit({cell}, c{from}, {n}, memory_order_{order}, \
                     memory_order_relaxed);"
                ),
            }
        }
        Stmt::Fence(kind) => {
            let order = ["seq_cst", "acquire", "release", "acq_rel", "relaxed"][*kind];
            writeln!(text, "  atomic_thread_fence(memory_order_{order});")
        }
        Stmt::If { reg, equals, body } => return c_if(Arch::C, *reg, *equals, body, text),
    };
}

fn kernel(stmt: &Stmt, text: &mut String) {
    let _ = match stmt {
        Stmt::Load { to, cell, strength: Strength::Plain, .. } => {
            writeln!(text, "  r{to} = *{};", CELLS[*cell])
        }
        Stmt::Store { cell, value, strength: Strength::Plain, .. } => {
            writeln!(text, "  *{} = {};", CELLS[*cell], c_value(*value))
        }
        Stmt::Load { to, cell, strength: Strength::Acquire | Strength::Strong, .. } => {
            writeln!(text, "  r{to} = smp_load_acquire({});", CELLS[*cell])
        }
        Stmt::Load { to, cell, .. } => writeln!(text, "  r{to} = READ_ONCE(*{});", CELLS[*cell]),
        Stmt::Store { cell, value, strength: Strength::Release | Strength::Strong, .. } => {
            writeln!(text, "  smp_store_release({}, {});", CELLS[*cell], c_value(*value))
        }
        Stmt::Store { cell, value, .. } => {
            writeln!(text, "  WRITE_ONCE(*{}, {});", CELLS[*cell], c_value(*value))
        }
        Stmt::Atomic { to, cell, update, strength } | Stmt::Exclusive { to, cell, update, strength, .. } => {
            let order = match strength {
                Strength::Plain | Strength::Relaxed => "_relaxed",
                Strength::Acquire => "_acquire",
                Strength::Release => "_release",
                Strength::Strong => "",
            };
            let cell = CELLS[*cell];
            match update {
                Update::Swap(n) | Update::Add(n) => writeln!(text, "  r{to} = xchg{order}({cell}, {n});"),
                Update::Replace(from, n) => writeln!(text, "  r{to} = cmpxchg{order}({cell}, {from}, {n});"),
            }
        }
        Stmt::Fence(kind) => {
            writeln!(text, "  {}", ["smp_mb();", "smp_rmb();", "smp_wmb();", "synchronize_rcu();"][*kind])
        }
        Stmt::If { reg, equals, body } => return c_if(Arch::Kernel, *reg, *equals, body, text),
    };
}
