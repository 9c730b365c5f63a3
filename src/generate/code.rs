//! The text of a test.

use std::fmt::Write;

use super::dialect::Dialect;
use super::edge::{Dir, Edge, How};
use super::layout::{Access, Layout};

/// Writes a test. `None`: there are too few registers.
pub(super) fn test(layout: &Layout, dialect: Dialect, name: &str, cycle: &str) -> Option<String> {
    let threads: Option<Vec<Thread>> = layout
        .threads
        .iter()
        .enumerate()
        .map(|(number, accesses)| Thread::write(dialect, number, accesses))
        .collect();
    let threads = threads?;
    let mut text = format!("{} {name}\nCycle={cycle}\n", dialect.arch().name());
    let mut init = String::new();
    for (number, thread) in threads.iter().enumerate() {
        for (at, location) in thread.locations.iter().enumerate() {
            if let Some(register) = dialect.address(at) {
                let _ = write!(init, " {number}:{register}={};", variable(*location));
            }
        }
        if let (Some(_), false) = (dialect.address(0), thread.locations.is_empty()) {
            init.push('\n');
        }
    }
    let in_c = matches!(dialect, Dialect::C | Dialect::Kernel);
    text += &if init.is_empty() { "{}\n".to_string() } else { format!("{{\n{init}}}\n") };
    text += &if in_c { functions(dialect, &threads) } else { table(&threads) };
    let mut wanted: Vec<String> = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        wanted.extend(thread.wanted.iter().map(|(register, value)| format!("{number}:{register}={value}")));
    }
    wanted.extend(layout.finals.iter().map(|(location, value)| format!("[{}]={value}", variable(*location))));
    let wanted = if wanted.is_empty() { "true".to_string() } else { wanted.join(" /\\ ") };
    let _ = writeln!(text, "exists ({wanted})");
    Some(text)
}

fn variable(location: usize) -> String {
    const NAMES: [&str; 6] = ["x", "y", "z", "a", "b", "c"];
    NAMES.get(location).map_or_else(|| format!("v{location}"), |name| (*name).to_string())
}

fn table(threads: &[Thread]) -> String {
    let width = |(number, thread): (usize, &Thread)| {
        let lines = thread.lines.iter().map(String::len).max().unwrap_or(0);
        lines.max(format!("P{number}").len())
    };
    let widths: Vec<usize> = threads.iter().enumerate().map(width).collect();
    let row = |cells: Vec<String>| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:width$} ")).collect();
        format!("{};\n", cells.join("|"))
    };
    let mut text = row((0..threads.len()).map(|number| format!("P{number}")).collect());
    let rows = threads.iter().map(|thread| thread.lines.len()).max().unwrap_or(0);
    for at in 0..rows {
        text +=
            &row(threads.iter().map(|thread| thread.lines.get(at).cloned().unwrap_or_default()).collect());
    }
    text
}

fn functions(dialect: Dialect, threads: &[Thread]) -> String {
    let mut text = String::new();
    for (number, thread) in threads.iter().enumerate() {
        let kind = if dialect == Dialect::C { "atomic_int" } else { "int" };
        let parameters: Vec<String> =
            thread.locations.iter().map(|location| format!("{kind}* {}", variable(*location))).collect();
        let _ = writeln!(text, "P{number}({}) {{", parameters.join(", "));
        for line in &thread.lines {
            let _ = writeln!(text, "  {line}");
        }
        text += "}\n";
    }
    text
}

impl Dialect {
    /// The `n`-th register of a thread.
    fn register(self, n: usize) -> Option<String> {
        Some(match self {
            Dialect::X86 => ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"].get(n)?.to_string(),
            Dialect::X86_64 => format!("%{}", ["eax", "ebx", "ecx", "edx", "esi", "edi"].get(n)?),
            // The others hold addresses; the last is the frame's.
            Dialect::Bpf if n < 6 => format!("r{n}"),
            Dialect::Lisa(_) => format!("r{n}"),
            Dialect::AArch64 if n < 16 => format!("W{n}"),
            Dialect::Arm if n < 8 => format!("R{n}"),
            Dialect::Ppc if n < 16 => format!("r{}", n + 1),
            Dialect::RiscV if n < 12 => format!("x{}", n + 5),
            Dialect::Mips if n < 14 => format!("${}", n + 2),
            Dialect::C | Dialect::Kernel => format!("r{n}"),
            _ => return None,
        })
    }

    /// The register that holds the address of a thread's `n`-th location; `None`: locations are named in the code.
    fn address(self, n: usize) -> Option<String> {
        match self {
            Dialect::X86 | Dialect::X86_64 | Dialect::Lisa(_) | Dialect::C | Dialect::Kernel => None,
            Dialect::Bpf => Some(format!("r{}", 6 + n)),
            Dialect::AArch64 => Some(format!("X{}", 20 + n)),
            Dialect::Arm => Some(format!("R{}", 8 + n)),
            Dialect::Ppc => Some(format!("r{}", 20 + n)),
            Dialect::RiscV => Some(format!("x{}", 20 + n)),
            Dialect::Mips => Some(format!("${}", 16 + n)),
        }
    }
}

/// The 64-bit name of a register, and the name that conditions have.
fn wide(dialect: Dialect, register: &str) -> String {
    match dialect {
        Dialect::AArch64 => register.replacen('W', "X", 1),
        Dialect::X86_64 => register.replacen("%e", "r", 1),
        _ => register.to_string(),
    }
}

/// A thread being written.
struct Thread {
    dialect: Dialect,
    number: usize,
    lines: Vec<String>,
    locations: Vec<usize>,
    /// Registers, and the values that the condition asks for.
    wanted: Vec<(String, usize)>,
    used: usize,
    labels: usize,
}

/// What is stored: a constant, or a register.
enum Stored {
    Constant(usize),
    Register(String),
}

impl Thread {
    fn write(dialect: Dialect, number: usize, accesses: &[Access]) -> Option<Thread> {
        let mut locations: Vec<usize> = Vec::new();
        for access in accesses {
            if !locations.contains(&access.location) {
                locations.push(access.location);
            }
        }
        // As many address registers as any instruction set has.
        if locations.len() > 4 && dialect.address(0).is_some() {
            return None;
        }
        let mut thread =
            Thread { dialect, number, lines: Vec::new(), locations, wanted: Vec::new(), used: 0, labels: 0 };
        // The register of the read before.
        let mut last: Option<String> = None;
        let mut at = 0;
        while let Some(access) = accesses.get(at) {
            let next = accesses.get(at + 1);
            let atomic = next.filter(|next| next.before.is_some_and(Edge::is_atomic));
            let (place, value) = thread.lead(access, last.as_deref(), atomic)?;
            last = match (access.dir, atomic) {
                (Dir::R, Some(write)) => {
                    let to = match write.before {
                        Some(Edge::LxSx) => thread.pair(access, write, &place, value)?,
                        _ => thread.swap(access, write, &place, value)?,
                    };
                    thread.wanted.push((wide(dialect, &to), access.value));
                    at += 1;
                    None
                }
                (Dir::R, None) => {
                    let to = thread.load(access, &place)?;
                    thread.wanted.push((wide(dialect, &to), access.value));
                    Some(to)
                }
                (Dir::W, _) => {
                    thread.store(access, &place, value)?;
                    None
                }
            };
            at += 1;
        }
        Some(thread)
    }

    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn fresh(&mut self) -> Option<String> {
        let register = self.dialect.register(self.used);
        self.used += 1;
        register
    }

    /// What stands before an access; the operand for its place, and what is stored if it (or its other half) writes.
    fn lead(
        &mut self,
        access: &Access,
        last: Option<&str>,
        atomic: Option<&Access>,
    ) -> Option<(String, Stored)> {
        let dialect = self.dialect;
        let index = self.locations.iter().position(|known| *known == access.location).unwrap_or(0);
        let mut place = dialect.address(index).unwrap_or_else(|| variable(access.location));
        let mut value = Stored::Constant(atomic.unwrap_or(access).value);
        let how = match access.before {
            Some(Edge::Po { how, .. }) => how,
            _ => return Some((place, value)),
        };
        match (how, last) {
            (How::Fence(index), _) => self.line(dialect.fences()[usize::from(index)].code),
            (How::Ctrl | How::CtrlFence, Some(read)) => self.branch(how, read),
            (How::Addr, Some(read)) => place = self.address_of(read, &place)?,
            (How::Data, Some(read)) => {
                value = Stored::Register(self.value_of(read, atomic.unwrap_or(access).value)?);
            }
            _ => {}
        }
        Some((place, value))
    }

    /// A branch that hangs on a register and goes to the next instruction either way.
    fn branch(&mut self, how: How, read: &str) {
        let label = format!("LC{}{}", self.number, self.labels);
        self.labels += 1;
        match self.dialect {
            Dialect::AArch64 => self.line(format!("CBNZ {read},{label}")),
            Dialect::Arm => {
                self.line(format!("CMP {read},#0"));
                self.line(format!("BNE {label}"));
            }
            Dialect::Ppc => {
                self.line(format!("cmpwi {read},0"));
                self.line(format!("bne {label}"));
            }
            Dialect::RiscV => self.line(format!("bne {read},x0,{label}")),
            Dialect::Mips => self.line(format!("bne {read},$0,{label}")),
            Dialect::X86 => {
                self.line(format!("CMP {read},$0"));
                self.line(format!("JNE {label}"));
            }
            Dialect::X86_64 => {
                self.line(format!("cmpl $0,{read}"));
                self.line(format!("jne {label}"));
            }
            Dialect::Bpf => self.line(format!("if {read} != 0 goto {label}")),
            Dialect::Lisa(_) => self.line(format!("b[] {read} {label}")),
            // C has no label to go to; the store itself stands behind the condition.
            Dialect::C | Dialect::Kernel => {
                self.line(format!("if ({read} >= 0)"));
                return;
            }
        }
        self.line(format!("{label}:"));
        if how == How::CtrlFence {
            self.line(match self.dialect {
                Dialect::Ppc => "isync",
                Dialect::RiscV => "fence.i",
                _ => "ISB",
            });
        }
    }

    /// A register that is zero and was computed from another.
    fn zero_from(&mut self, read: &str) -> Option<String> {
        let zero = self.fresh()?;
        if self.dialect == Dialect::Bpf {
            self.line(format!("{zero} = {read}"));
        }
        self.line(match self.dialect {
            Dialect::Bpf => format!("{zero} ^= {read}"),
            Dialect::Lisa(_) => format!("mov {zero} (xor {read} {read})"),
            Dialect::X86_64 => format!("xorl {read},{zero}"),
            Dialect::AArch64 | Dialect::Arm => format!("EOR {zero},{read},{read}"),
            Dialect::C | Dialect::Kernel => format!("int {zero} = {read} ^ {read};"),
            Dialect::X86 => format!("XOR {zero},{read}"),
            _ => format!("xor {zero},{read},{read}"),
        });
        Some(zero)
    }

    /// The address, computed with what was read.
    fn address_of(&mut self, read: &str, base: &str) -> Option<String> {
        let zero = self.zero_from(read)?;
        match self.dialect {
            Dialect::AArch64 => {
                let to = wide(self.dialect, &self.fresh()?);
                self.line(format!("ADD {to},{base},{zero},SXTW"));
                Some(to)
            }
            Dialect::Ppc | Dialect::RiscV | Dialect::Arm | Dialect::Mips => {
                let to = self.fresh()?;
                let word = match self.dialect {
                    Dialect::Arm => "ADD",
                    Dialect::Mips => "addu",
                    _ => "add",
                };
                self.line(format!("{word} {to},{base},{zero}"));
                Some(to)
            }
            Dialect::Bpf => {
                let to = self.fresh()?;
                self.line(format!("{to} = {base}"));
                self.line(format!("{to} += {zero}"));
                Some(to)
            }
            Dialect::Lisa(_) => Some(format!("{base}+{zero}")),
            _ => Some(format!("{base} + {zero}")),
        }
    }

    /// A constant, computed with what was read.
    fn value_of(&mut self, read: &str, value: usize) -> Option<String> {
        let zero = self.zero_from(read)?;
        match self.dialect {
            Dialect::AArch64 | Dialect::Arm => self.line(format!("ADD {zero},{zero},#{value}")),
            Dialect::Ppc | Dialect::RiscV => self.line(format!("addi {zero},{zero},{value}")),
            Dialect::Mips => self.line(format!("addiu {zero},{zero},{value}")),
            Dialect::X86 => self.line(format!("ADD {zero},${value}")),
            Dialect::X86_64 => self.line(format!("addl ${value},{zero}")),
            Dialect::Bpf => self.line(format!("{zero} += {value}")),
            Dialect::Lisa(_) => self.line(format!("mov {zero} (add {zero} {value})")),
            Dialect::C | Dialect::Kernel => return Some(format!("{zero} + {value}")),
        }
        Some(zero)
    }

    fn load(&mut self, access: &Access, at: &str) -> Option<String> {
        let to = self.fresh()?;
        let annotation = usize::from(access.annotation);
        self.line(match self.dialect {
            Dialect::X86 => format!("MOV {to},[{at}]"),
            Dialect::X86_64 => format!("movl ({at}),{to}"),
            Dialect::Bpf if annotation == 1 => format!("{to} = load_acquire((u32 *)({at} + 0))"),
            Dialect::Bpf => format!("{to} = *(u32 *)({at} + 0)"),
            Dialect::Lisa(words) => format!("r[{}] {to} {at}", words.reads[annotation]),
            Dialect::AArch64 => format!("{} {to},[{at}]", ["LDR", "LDAR", "LDAPR"][annotation]),
            Dialect::Arm => format!("LDR {to},[{at}]"),
            Dialect::Ppc => format!("lwz {to},0({at})"),
            Dialect::RiscV | Dialect::Mips => format!("lw {to},0({at})"),
            Dialect::C => {
                let order = ["relaxed", "acquire", "seq_cst"][annotation];
                format!("int {to} = atomic_load_explicit({at}, memory_order_{order});")
            }
            Dialect::Kernel if annotation == 1 => format!("int {to} = smp_load_acquire({at});"),
            Dialect::Kernel => format!("int {to} = READ_ONCE(*{at});"),
        });
        Some(to)
    }

    /// A value where instructions can take it from.
    fn held(&mut self, value: Stored) -> Option<String> {
        let value = match value {
            Stored::Register(register) => return Some(register),
            Stored::Constant(value) => value,
        };
        let (word, sign) = match self.dialect {
            Dialect::X86 | Dialect::X86_64 => return Some(format!("${value}")),
            Dialect::C | Dialect::Kernel | Dialect::Lisa(_) => return Some(value.to_string()),
            Dialect::Bpf => {
                let to = self.fresh()?;
                self.line(format!("{to} = {value}"));
                return Some(to);
            }
            Dialect::AArch64 | Dialect::Arm => ("MOV", "#"),
            Dialect::Ppc | Dialect::Mips => ("li", ""),
            Dialect::RiscV => ("ori", "x0,"),
        };
        let to = self.fresh()?;
        self.line(format!("{word} {to},{sign}{value}"));
        Some(to)
    }

    fn store(&mut self, access: &Access, at: &str, value: Stored) -> Option<()> {
        let value = self.held(value)?;
        let annotation = usize::from(access.annotation);
        self.line(match self.dialect {
            Dialect::X86 => format!("MOV [{at}],{value}"),
            Dialect::X86_64 => format!("movl {value},({at})"),
            Dialect::Bpf if annotation == 1 => format!("store_release((u32 *)({at} + 0), {value})"),
            Dialect::Bpf => format!("*(u32 *)({at} + 0) = {value}"),
            Dialect::Lisa(words) => format!("w[{}] {at} {value}", words.writes[annotation]),
            Dialect::AArch64 => format!("{} {value},[{at}]", ["STR", "STLR"][annotation]),
            Dialect::Arm => format!("STR {value},[{at}]"),
            Dialect::Ppc => format!("stw {value},0({at})"),
            Dialect::RiscV | Dialect::Mips => format!("sw {value},0({at})"),
            Dialect::C => {
                let order = ["relaxed", "release", "seq_cst"][annotation];
                format!("atomic_store_explicit({at}, {value}, memory_order_{order});")
            }
            Dialect::Kernel if annotation == 1 => format!("smp_store_release({at}, {value});"),
            Dialect::Kernel => format!("WRITE_ONCE(*{at}, {value});"),
        });
        Some(())
    }

    /// A read that reserves and a write that must succeed; the register that holds what was there.
    fn pair(&mut self, read: &Access, write: &Access, at: &str, value: Stored) -> Option<String> {
        let value = self.held(value)?;
        let to = self.fresh()?;
        let dialect = self.dialect;
        let (status, success) = match dialect {
            // The status takes the place of the value.
            Dialect::Mips => {
                self.line(format!("ll {to},0({at})"));
                self.line(format!("sc {value},0({at})"));
                (value, 1)
            }
            Dialect::Ppc => {
                let status = self.fresh()?;
                let label = format!("LC{}{}", self.number, self.labels);
                self.labels += 1;
                self.line(format!("lwarx {to},0,{at}"));
                self.line(format!("stwcx. {value},0,{at}"));
                self.line(format!("bne {label}"));
                self.line(format!("li {status},1"));
                self.line(format!("{label}:"));
                (status, 1)
            }
            _ => {
                let status = self.fresh()?;
                let (load, store) = match dialect {
                    Dialect::AArch64 => {
                        let (read, write) = (usize::from(read.annotation), usize::from(write.annotation));
                        (["LDXR", "LDAXR"].get(read)?, ["STXR", "STLXR"].get(write)?)
                    }
                    Dialect::Arm => (&"LDREX", &"STREX"),
                    Dialect::RiscV => (&"lr.w", &"sc.w"),
                    _ => return None,
                };
                let place = if dialect == Dialect::RiscV { format!("({at})") } else { format!("[{at}]") };
                self.line(format!("{load} {to},{place}"));
                self.line(format!("{store} {status},{value},{place}"));
                (status, 0)
            }
        };
        self.wanted.push((wide(dialect, &status), success));
        Some(to)
    }

    /// An atomic exchange; the register that holds what was there.
    fn swap(&mut self, read: &Access, write: &Access, at: &str, value: Stored) -> Option<String> {
        let order = self.dialect.atomic_order(read.annotation, write.annotation)?;
        if self.dialect == Dialect::X86 {
            let Stored::Constant(value) = value else { return None };
            let to = self.fresh()?;
            self.line(format!("MOV {to},${value}"));
            self.line(format!("XCHG {to},[{at}]"));
            return Some(to);
        }
        if self.dialect == Dialect::X86_64 {
            let Stored::Constant(value) = value else { return None };
            let to = self.fresh()?;
            self.line(format!("movl ${value},{to}"));
            self.line(format!("xchgl {to},({at})"));
            return Some(to);
        }
        let value = self.held(value)?;
        if self.dialect == Dialect::Bpf {
            // What was there comes to where the value is.
            self.line(format!("{value} = xchg_32_32({at} + 0, {value})"));
            return Some(value);
        }
        let to = self.fresh()?;
        self.line(match self.dialect {
            Dialect::Lisa(_) => format!("rmw[{order}] {to} {value} {at}"),
            Dialect::AArch64 => format!("SWP{order} {value},{to},[{at}]"),
            Dialect::RiscV => format!("amoswap.w {to},{value},({at})"),
            Dialect::C => {
                format!("int {to} = atomic_exchange_explicit({at}, {value}, memory_order_{order});")
            }
            Dialect::Kernel => format!("int {to} = xchg{order}({at}, {value});"),
            _ => return None,
        });
        Some(to)
    }
}
