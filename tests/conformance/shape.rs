//! Classic shapes, and how each syntax writes them.

/// An access: to a cell, of a kind.
#[derive(Clone, Copy)]
pub enum Access {
    /// Writes a value.
    Write(char, u8),
    /// Reads.
    Read(char),
}
use Access::{Read, Write};

/// A shape: the accesses of each thread, and the outcome that is asked about.
pub struct Shape {
    /// As everybody calls it.
    pub name: &'static str,
    /// Thread by thread.
    pub threads: &'static [&'static [Access]],
    /// Wanted of reads: thread, which of its reads, value.
    pub reads: &'static [(usize, usize, u8)],
    /// Wanted of cells at the end.
    pub cells: &'static [(char, u8)],
}

/// The shapes.
#[rustfmt::skip]
pub const SHAPES: &[Shape] = &[
    Shape { name: "SB", threads: &[&[Write('x', 1), Read('y')], &[Write('y', 1), Read('x')]], reads: &[(0, 0, 0), (1, 0, 0)], cells: &[] },
    Shape { name: "MP", threads: &[&[Write('x', 1), Write('y', 1)], &[Read('y'), Read('x')]], reads: &[(1, 0, 1), (1, 1, 0)], cells: &[] },
    Shape { name: "LB", threads: &[&[Read('x'), Write('y', 1)], &[Read('y'), Write('x', 1)]], reads: &[(0, 0, 1), (1, 0, 1)], cells: &[] },
    Shape { name: "S", threads: &[&[Write('x', 2), Write('y', 1)], &[Read('y'), Write('x', 1)]], reads: &[(1, 0, 1)], cells: &[('x', 2)] },
    Shape { name: "R", threads: &[&[Write('x', 1), Write('y', 1)], &[Write('y', 2), Read('x')]], reads: &[(1, 0, 0)], cells: &[('y', 2)] },
    Shape { name: "2+2W", threads: &[&[Write('x', 2), Write('y', 1)], &[Write('y', 2), Write('x', 1)]], reads: &[], cells: &[('x', 2), ('y', 2)] },
    Shape { name: "WRC", threads: &[&[Write('x', 1)], &[Read('x'), Write('y', 1)], &[Read('y'), Read('x')]], reads: &[(1, 0, 1), (2, 0, 1), (2, 1, 0)], cells: &[] },
    Shape { name: "RWC", threads: &[&[Write('x', 1)], &[Read('x'), Read('y')], &[Write('y', 1), Read('x')]], reads: &[(1, 0, 1), (1, 1, 0), (2, 0, 0)], cells: &[] },
    Shape { name: "WWC", threads: &[&[Write('x', 2)], &[Read('x'), Write('y', 1)], &[Read('y'), Write('x', 1)]], reads: &[(1, 0, 2), (2, 0, 1)], cells: &[('x', 2)] },
    Shape { name: "IRIW", threads: &[&[Write('x', 1)], &[Read('x'), Read('y')], &[Write('y', 1)], &[Read('y'), Read('x')]], reads: &[(1, 0, 1), (1, 1, 0), (3, 0, 1), (3, 1, 0)], cells: &[] },
    Shape { name: "ISA2", threads: &[&[Write('x', 1), Write('y', 1)], &[Read('y'), Write('z', 1)], &[Read('z'), Read('x')]], reads: &[(1, 0, 1), (2, 0, 1), (2, 1, 0)], cells: &[] },
    Shape { name: "CoRR", threads: &[&[Write('x', 1)], &[Read('x'), Read('x')]], reads: &[(1, 0, 1), (1, 1, 0)], cells: &[] },
    Shape { name: "CoRW", threads: &[&[Read('x'), Write('x', 1)], &[Write('x', 2)]], reads: &[(0, 0, 2)], cells: &[('x', 2)] },
    Shape { name: "CoWR", threads: &[&[Write('x', 1), Read('x')], &[Write('x', 2)]], reads: &[(0, 0, 2)], cells: &[('x', 1)] },
    Shape { name: "CoWW", threads: &[&[Write('x', 1), Write('x', 2)], &[Read('x'), Read('x')]], reads: &[(1, 0, 2), (1, 1, 1)], cells: &[] },
];

/// What stands between the two accesses of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Nothing.
    Po,
    /// A fence, by its place among those of the syntax.
    Fence(usize),
    /// The second one's address hangs on the first, a read.
    Addr,
    /// Its value does.
    Data,
    /// A branch on the first comes between.
    Ctrl,
    /// Likewise, and a fence that branches make strong.
    CtrlFence,
    /// The first is an acquire.
    Acquire,
    /// The second is a release.
    Release,
}

/// A syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    X86,
    Arm,
    AArch64,
    Ppc,
    RiscV,
    Mips,
    C,
    Kernel,
}

impl Syntax {
    pub const ALL: [Syntax; 8] = [
        Syntax::X86,
        Syntax::Arm,
        Syntax::AArch64,
        Syntax::Ppc,
        Syntax::RiscV,
        Syntax::Mips,
        Syntax::C,
        Syntax::Kernel,
    ];

    /// The word that opens a test.
    pub fn header(self) -> &'static str {
        match self {
            Syntax::X86 => "X86",
            Syntax::Arm => "ARM",
            Syntax::AArch64 => "AArch64",
            Syntax::Ppc => "PPC",
            Syntax::RiscV => "RISCV",
            Syntax::Mips => "MIPS",
            Syntax::C | Syntax::Kernel => "C",
        }
    }

    /// The models that its tests are run under.
    pub fn models(self) -> &'static [&'static str] {
        match self {
            Syntax::X86 => &["sc", "x86tso"],
            Syntax::Arm => &["sc", "armv7"],
            Syntax::AArch64 => &["sc", "aarch64"],
            Syntax::Ppc => &["sc", "ppc"],
            Syntax::RiscV => &["sc", "riscv"],
            Syntax::Mips => &["sc", "mips"],
            Syntax::C => &["rc11"],
            Syntax::Kernel => &["lkmm"],
        }
    }

    /// Its fences: how tests are named after them, and how they are written.
    fn fences(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Syntax::X86 => &[("mfence", "MFENCE")],
            Syntax::Arm => &[("dmb", "DMB"), ("dsb", "DSB")],
            Syntax::AArch64 => &[("dmb.sy", "DMB SY"), ("dmb.ld", "DMB LD"), ("dmb.st", "DMB ST")],
            Syntax::Ppc => &[("sync", "sync"), ("lwsync", "lwsync")],
            Syntax::RiscV => {
                &[("fence.rw.rw", "fence rw,rw"), ("fence.w.w", "fence w,w"), ("fence.r.rw", "fence r,rw")]
            }
            Syntax::Mips => &[("sync", "sync")],
            Syntax::C => &[
                ("sc", "atomic_thread_fence(memory_order_seq_cst);"),
                ("acqrel", "atomic_thread_fence(memory_order_acq_rel);"),
            ],
            Syntax::Kernel => &[("mb", "smp_mb();"), ("wmb", "smp_wmb();"), ("rmb", "smp_rmb();")],
        }
    }

    /// All edges that it has, `Po` first.
    pub fn edges(self) -> Vec<Edge> {
        let fences = (0..self.fences().len()).map(Edge::Fence);
        let own: &[Edge] = match self {
            Syntax::X86 => &[],
            Syntax::Arm | Syntax::Ppc => &[Edge::Addr, Edge::Data, Edge::Ctrl, Edge::CtrlFence],
            Syntax::AArch64 => {
                &[Edge::Addr, Edge::Data, Edge::Ctrl, Edge::CtrlFence, Edge::Acquire, Edge::Release]
            }
            Syntax::RiscV | Syntax::Mips => &[Edge::Addr, Edge::Data, Edge::Ctrl],
            Syntax::C => &[Edge::Ctrl, Edge::Acquire, Edge::Release],
            Syntax::Kernel => &[Edge::Data, Edge::Ctrl, Edge::Acquire, Edge::Release],
        };
        std::iter::once(Edge::Po).chain(fences).chain(own.iter().copied()).collect()
    }

    /// An edge's part of a test's name.
    pub fn edge_name(self, edge: Edge) -> &'static str {
        match edge {
            Edge::Po => "po",
            Edge::Fence(index) => self.fences()[index].0,
            Edge::Addr => "addr",
            Edge::Data => "data",
            Edge::Ctrl => "ctrl",
            Edge::CtrlFence if self == Syntax::Ppc => "ctrlisync",
            Edge::CtrlFence => "ctrlisb",
            Edge::Acquire => "acq",
            Edge::Release => "rel",
        }
    }

    fn fence(self, index: usize) -> &'static str {
        self.fences()[index].1
    }
}

/// Can an edge stand between these?
fn fits(edge: Edge, first: Access, second: Access) -> bool {
    let read = matches!(first, Read(_));
    let write = matches!(second, Write(..));
    match edge {
        Edge::Po | Edge::Fence(_) => true,
        Edge::Addr | Edge::Ctrl | Edge::CtrlFence | Edge::Acquire => read,
        Edge::Data => read && write,
        Edge::Release => write,
    }
}

/// A test: its name and text.
pub struct Test {
    pub name: String,
    pub text: String,
}

/// All tests of a syntax: each shape with one edge everywhere that it fits, and with one edge on one side only.
pub fn tests(syntax: Syntax) -> Vec<Test> {
    let mut tests = Vec::new();
    for shape in SHAPES {
        let places: Vec<&[Access]> = shape.threads.iter().copied().filter(|t| t.len() == 2).collect();
        let mut seen: Vec<Vec<Edge>> = Vec::new();
        let po = vec![Edge::Po; places.len()];
        for edge in syntax.edges() {
            let one =
                |place: usize| if fits(edge, places[place][0], places[place][1]) { edge } else { Edge::Po };
            let everywhere: Vec<Edge> = (0..places.len()).map(one).collect();
            let strong =
                everywhere.iter().map(|e| if *e == Edge::Po { Edge::Fence(0) } else { *e }).collect();
            let mut all = vec![everywhere, strong];
            for place in 0..places.len() {
                let mut single = po.clone();
                single[place] = one(place);
                all.push(single);
            }
            // Of long shapes the first few are enough.
            let most = if shape.threads.len() > 2 { 2 } else { all.len() };
            for edges in all.into_iter().take(most) {
                if !seen.contains(&edges) {
                    tests.push(test(syntax, shape, &edges));
                    seen.push(edges);
                }
            }
        }
    }
    tests
}

fn test(syntax: Syntax, shape: &Shape, edges: &[Edge]) -> Test {
    let names: Vec<&str> = edges.iter().map(|edge| syntax.edge_name(*edge)).collect();
    let name = format!("{}+{}", shape.name, names.join("+"));
    let mut left = edges.iter().copied();
    let mut threads = Vec::new();
    for (number, accesses) in shape.threads.iter().enumerate() {
        let edge = if accesses.len() == 2 { left.next().unwrap_or(Edge::Po) } else { Edge::Po };
        let mut thread = Thread { syntax, number, lines: Vec::new(), reads: 0, cells: Vec::new() };
        thread.write_out(accesses, edge);
        threads.push(thread);
    }
    let mut init = String::new();
    for (number, thread) in threads.iter().enumerate() {
        for cell in &thread.cells {
            if let Some(base) = syntax.base(*cell) {
                init += &format!(" {number}:{base}={cell};");
            }
        }
    }
    let wanted =
        shape.reads.iter().map(|(thread, read, value)| format!("{thread}:{}={value}", syntax.shown(*read)));
    let cells = shape.cells.iter().map(|(cell, value)| format!("{cell}={value}"));
    let condition: Vec<String> = wanted.chain(cells).collect();
    let code = if matches!(syntax, Syntax::C | Syntax::Kernel) {
        functions(syntax, &threads)
    } else {
        table(&threads)
    };
    let condition = condition.join(" /\\ ");
    let text = format!("{} {name}\n{{{init} }}\n{code}exists ({condition})\n", syntax.header());
    Test { name, text }
}

fn table(threads: &[Thread]) -> String {
    let rows = threads.iter().map(|thread| thread.lines.len()).max().unwrap_or(0);
    let header: Vec<String> = (0..threads.len()).map(|number| format!("P{number}")).collect();
    let mut text = format!(" {} ;\n", header.join(" | "));
    for row in 0..rows {
        let cells: Vec<&str> =
            threads.iter().map(|thread| thread.lines.get(row).map_or("", String::as_str)).collect();
        text += &format!(" {} ;\n", cells.join(" | "));
    }
    text
}

fn functions(syntax: Syntax, threads: &[Thread]) -> String {
    let kind = if syntax == Syntax::C { "atomic_int" } else { "int" };
    let mut text = String::new();
    for (number, thread) in threads.iter().enumerate() {
        let cells: Vec<String> = thread.cells.iter().map(|cell| format!("{kind} *{cell}")).collect();
        text += &format!("P{number}({}) {{\n", cells.join(", "));
        for line in &thread.lines {
            text += &format!("  {line}\n");
        }
        text += "}\n";
    }
    text
}

struct Thread {
    syntax: Syntax,
    number: usize,
    lines: Vec<String>,
    reads: usize,
    cells: Vec<char>,
}

impl Syntax {
    /// The register that holds the address of a cell.
    fn base(self, cell: char) -> Option<&'static str> {
        let index = usize::from(cell as u8 - b'x');
        Some(match self {
            Syntax::Arm => ["R8", "R9", "R10"][index],
            Syntax::AArch64 => ["X8", "X9", "X10"][index],
            Syntax::Ppc => ["r8", "r9", "r10"][index],
            Syntax::RiscV => ["x11", "x12", "x13"][index],
            Syntax::Mips => ["$8", "$9", "$10"][index],
            Syntax::X86 | Syntax::C | Syntax::Kernel => return None,
        })
    }

    /// The register of a thread's read.
    fn register(self, read: usize) -> &'static str {
        match self {
            Syntax::X86 => ["EAX", "EBX"][read],
            Syntax::Arm => ["R0", "R1"][read],
            Syntax::AArch64 => ["W0", "W1"][read],
            Syntax::Ppc => ["r1", "r2"][read],
            Syntax::RiscV => ["x5", "x6"][read],
            Syntax::Mips => ["$2", "$3"][read],
            Syntax::C | Syntax::Kernel => ["r0", "r1"][read],
        }
    }

    /// Likewise, as conditions name it.
    fn shown(self, read: usize) -> &'static str {
        match self {
            Syntax::AArch64 => ["X0", "X1"][read],
            _ => self.register(read),
        }
    }
}

impl Thread {
    fn write_out(&mut self, accesses: &[Access], edge: Edge) {
        for access in accesses {
            let (Read(cell) | Write(cell, _)) = *access;
            if !self.cells.contains(&cell) {
                self.cells.push(cell);
            }
        }
        let [first, rest @ ..] = accesses else { return };
        self.access(*first, edge == Edge::Acquire, false);
        let [second] = rest else { return };
        if matches!(self.syntax, Syntax::C | Syntax::Kernel) {
            self.second_in_c(*second, edge);
        } else {
            self.second(*second, edge);
        }
    }

    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn access(&mut self, access: Access, acquire: bool, release: bool) {
        let syntax = self.syntax;
        match access {
            Read(cell) => {
                let to = syntax.register(self.reads);
                self.reads += 1;
                let base = syntax.base(cell).unwrap_or_default();
                self.line(match syntax {
                    Syntax::X86 => format!("MOV {to},[{cell}]"),
                    Syntax::AArch64 if acquire => format!("LDAR {to},[{base}]"),
                    Syntax::Arm | Syntax::AArch64 => format!("LDR {to},[{base}]"),
                    Syntax::Ppc => format!("lwz {to},0({base})"),
                    Syntax::RiscV | Syntax::Mips => format!("lw {to},0({base})"),
                    Syntax::C => {
                        let order = if acquire { "acquire" } else { "relaxed" };
                        format!("int {to} = atomic_load_explicit({cell}, memory_order_{order});")
                    }
                    Syntax::Kernel if acquire => format!("int {to} = smp_load_acquire({cell});"),
                    Syntax::Kernel => format!("int {to} = READ_ONCE(*{cell});"),
                });
            }
            Write(cell, value) => self.write(cell, Value::Constant(value), release, None),
        }
    }

    fn write(&mut self, cell: char, value: Value, release: bool, address: Option<String>) {
        let syntax = self.syntax;
        let held = match (syntax, &value) {
            (_, Value::Register(register)) => (*register).to_string(),
            (Syntax::X86, Value::Constant(n)) => format!("${n}"),
            (Syntax::C | Syntax::Kernel, Value::Constant(n)) => n.to_string(),
            (_, Value::Constant(n)) => {
                let scratch = self.scratch();
                self.constant(scratch, *n);
                scratch.to_string()
            }
        };
        let base = syntax.base(cell).unwrap_or_default();
        self.line(match (syntax, address) {
            (Syntax::X86, _) => format!("MOV [{cell}],{held}"),
            (Syntax::AArch64, None) if release => format!("STLR {held},[{base}]"),
            (Syntax::Arm | Syntax::AArch64, None) => format!("STR {held},[{base}]"),
            (Syntax::Arm | Syntax::AArch64, Some(place)) => format!("STR {held},{place}"),
            (Syntax::Ppc, None) => format!("stw {held},0({base})"),
            (Syntax::Ppc, Some(place)) => format!("stwx {held},{place}"),
            (Syntax::RiscV | Syntax::Mips, None) => format!("sw {held},0({base})"),
            (Syntax::RiscV | Syntax::Mips, Some(place)) => format!("sw {held},{place}"),
            (Syntax::C, _) => {
                let order = if release { "release" } else { "relaxed" };
                format!("atomic_store_explicit({cell}, {held}, memory_order_{order});")
            }
            (Syntax::Kernel, _) if release => format!("smp_store_release({cell}, {held});"),
            (Syntax::Kernel, _) => format!("WRITE_ONCE(*{cell}, {held});"),
        });
    }

    fn scratch(&self) -> &'static str {
        match self.syntax {
            Syntax::Arm => "R5",
            Syntax::AArch64 => "W5",
            Syntax::Ppc => "r5",
            Syntax::RiscV => "x28",
            _ => "$5",
        }
    }

    fn constant(&mut self, to: &str, n: u8) {
        self.line(match self.syntax {
            Syntax::Arm | Syntax::AArch64 => format!("MOV {to},#{n}"),
            Syntax::RiscV => format!("ori {to},x0,{n}"),
            _ => format!("li {to},{n}"),
        });
    }

    /// Zero, from a register.
    fn zero(&mut self, from: &str) -> &'static str {
        let zero = match self.syntax {
            Syntax::Arm => "R6",
            Syntax::AArch64 => "W6",
            Syntax::Ppc => "r6",
            Syntax::RiscV => "x29",
            _ => "$6",
        };
        let name = if matches!(self.syntax, Syntax::Arm | Syntax::AArch64) { "EOR" } else { "xor" };
        self.line(format!("{name} {zero},{from},{from}"));
        zero
    }

    fn second(&mut self, access: Access, edge: Edge) {
        let syntax = self.syntax;
        let from = syntax.register(0);
        match edge {
            Edge::Po | Edge::Acquire => self.access(access, false, false),
            Edge::Release => self.access(access, false, true),
            Edge::Fence(index) => {
                self.line(syntax.fence(index));
                self.access(access, false, false);
            }
            Edge::Ctrl | Edge::CtrlFence => {
                let label = format!("L{}", self.number);
                match syntax {
                    Syntax::AArch64 => self.line(format!("CBNZ {from},{label}")),
                    Syntax::Arm => {
                        self.line(format!("CMP {from},#0"));
                        self.line(format!("BNE {label}"));
                    }
                    Syntax::Ppc => {
                        self.line(format!("cmpwi {from},0"));
                        self.line(format!("bne {label}"));
                    }
                    Syntax::RiscV => self.line(format!("bne {from},x0,{label}")),
                    _ => self.line(format!("bne {from},$0,{label}")),
                }
                self.line(format!("{label}:"));
                if edge == Edge::CtrlFence {
                    self.line(if syntax == Syntax::Ppc { "isync" } else { "ISB" });
                }
                self.access(access, false, false);
            }
            Edge::Data => {
                let zero = self.zero(from);
                let Write(cell, value) = access else { return };
                self.line(match syntax {
                    Syntax::Arm | Syntax::AArch64 => format!("ADD {zero},{zero},#{value}"),
                    Syntax::Mips => format!("addiu {zero},{zero},{value}"),
                    _ => format!("addi {zero},{zero},{value}"),
                });
                self.write(cell, Value::Register(zero), false, None);
            }
            Edge::Addr => {
                let zero = self.zero(from);
                let (Read(cell) | Write(cell, _)) = access;
                let base = syntax.base(cell).unwrap_or_default();
                let place = match syntax {
                    Syntax::AArch64 => format!("[{base},{zero},SXTW]"),
                    Syntax::Arm => format!("[{base},{zero}]"),
                    Syntax::Ppc => format!("{zero},{base}"),
                    _ => {
                        let add = if syntax == Syntax::Mips { "daddu" } else { "add" };
                        self.line(format!("{add} {zero},{zero},{base}"));
                        format!("0({zero})")
                    }
                };
                match access {
                    Write(cell, value) => self.write(cell, Value::Constant(value), false, Some(place)),
                    Read(_) => {
                        let to = syntax.register(self.reads);
                        self.reads += 1;
                        self.line(match syntax {
                            Syntax::Arm | Syntax::AArch64 => format!("LDR {to},{place}"),
                            Syntax::Ppc => format!("lwzx {to},{place}"),
                            _ => format!("lw {to},{place}"),
                        });
                    }
                }
            }
        }
    }

    fn second_in_c(&mut self, access: Access, edge: Edge) {
        match (edge, access) {
            (Edge::Fence(index), _) => {
                self.line(self.syntax.fence(index));
                self.access(access, false, false);
            }
            (Edge::Release, _) => self.access(access, false, true),
            (Edge::Data, Write(cell, value)) => {
                self.line(format!("int d = (r0 ^ r0) + {value};"));
                self.write(cell, Value::Register("d"), false, None);
            }
            // A branch of which only one side goes on would change which writes there are.
            (Edge::Ctrl, Write(cell, value)) => {
                self.line("if (r0 >= 0) {");
                self.write(cell, Value::Constant(value), false, None);
                self.line("}");
            }
            _ => self.access(access, false, false),
        }
    }
}

enum Value {
    Constant(u8),
    Register(&'static str),
}
