//! Writing a test program in the syntax of an architecture.

use std::fmt::Write;

use crate::arch::ArchId;

/// The architectures that tests can be generated for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    X86,
    AArch64,
    Arm,
    RiscV,
    Ppc,
}

impl Syntax {
    /// All of them.
    pub const ALL: [Syntax; 5] = [Syntax::X86, Syntax::AArch64, Syntax::Arm, Syntax::RiscV, Syntax::Ppc];

    /// The syntax of an architecture, if there is one here.
    pub fn of(arch: ArchId) -> Option<Syntax> {
        Syntax::ALL.into_iter().find(|syntax| syntax.arch() == arch)
    }

    /// The architecture.
    pub fn arch(self) -> ArchId {
        match self {
            Syntax::X86 => ArchId::X86,
            Syntax::AArch64 => ArchId::AArch64,
            Syntax::Arm => ArchId::Arm,
            Syntax::RiscV => ArchId::RiscV,
            Syntax::Ppc => ArchId::Ppc,
        }
    }

    /// The `n`-th register that a load may go to; they are used in turn.
    fn data(self, n: usize) -> String {
        match self {
            Syntax::X86 => ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"][n % 6].to_string(),
            Syntax::AArch64 => format!("X{}", 2 + n % 16),
            Syntax::Arm => format!("R{}", 1 + n % 5),
            Syntax::RiscV => format!("x{}", 6 + n % 12),
            Syntax::Ppc => format!("r{}", 2 + n % 14),
        }
    }

    /// The register that holds the address of the `n`-th variable of a thread.
    fn address(self, n: usize) -> Option<String> {
        match self {
            Syntax::X86 => None,
            Syntax::AArch64 => (n < 11).then(|| format!("X{}", 19 + n)),
            Syntax::Arm => (n < 6).then(|| format!("R{}", 6 + n)),
            Syntax::RiscV => (n < 13).then(|| format!("x{}", 19 + n)),
            Syntax::Ppc => (n < 12).then(|| format!("r{}", 19 + n)),
        }
    }

    /// The most variables that one thread can use.
    pub fn max_variables(self) -> usize {
        match self {
            Syntax::X86 => usize::MAX,
            other => (0..).take_while(|n| other.address(*n).is_some()).count(),
        }
    }

    /// Is there a single instruction that increments a variable atomically?
    pub fn has_increment(self) -> bool {
        matches!(self, Syntax::X86 | Syntax::AArch64 | Syntax::RiscV)
    }
}

/// A test being written.
#[derive(Clone, Debug)]
pub struct Writer {
    syntax: Syntax,
    init: String,
    threads: Vec<Column>,
    observed: Vec<String>,
}

#[derive(Clone, Default, Debug)]
struct Column {
    cells: Vec<String>,
    variables: Vec<String>,
    loads: usize,
    labels: usize,
}

impl Writer {
    /// A test with that many empty threads.
    pub fn new(syntax: Syntax, threads: usize) -> Writer {
        Writer {
            syntax,
            init: String::new(),
            threads: vec![Column::default(); threads],
            observed: Vec::new(),
        }
    }

    /// The operand that names a variable in a thread.
    fn place(&mut self, thread: usize, variable: &str) -> String {
        let column = &mut self.threads[thread];
        let index = match column.variables.iter().position(|v| v == variable) {
            Some(index) => index,
            None => {
                column.variables.push(variable.to_string());
                let index = column.variables.len() - 1;
                if let Some(register) = self.syntax.address(index) {
                    let _ = writeln!(self.init, "{thread}:{register}={variable};");
                }
                index
            }
        };
        self.syntax.address(index).unwrap_or_else(|| variable.to_string())
    }

    fn push(&mut self, thread: usize, cell: String) {
        self.threads[thread].cells.push(cell);
    }

    /// A store of a small constant.
    pub fn store(&mut self, thread: usize, variable: &str, value: usize) {
        let at = self.place(thread, variable);
        let cells = match self.syntax {
            Syntax::X86 => vec![format!("MOV [{at}],${value}")],
            Syntax::AArch64 => vec![format!("MOV W0,#{value}"), format!("STR W0,[{at}]")],
            Syntax::Arm => vec![format!("MOV R0,#{value}"), format!("STR R0,[{at}]")],
            Syntax::RiscV => vec![format!("ori x5,x0,{value}"), format!("sw x5,0({at})")],
            Syntax::Ppc => vec![format!("li r1,{value}"), format!("stw r1,0({at})")],
        };
        for cell in cells {
            self.push(thread, cell);
        }
    }

    /// A load into the next register; gives its name as conditions write it.
    pub fn load(&mut self, thread: usize, variable: &str) -> String {
        let at = self.place(thread, variable);
        let register = self.syntax.data(self.threads[thread].loads);
        self.threads[thread].loads += 1;
        let cell = match self.syntax {
            Syntax::X86 => format!("MOV {register},[{at}]"),
            Syntax::AArch64 => format!("LDR W{},[{at}]", &register[1..]),
            Syntax::Arm => format!("LDR {register},[{at}]"),
            Syntax::RiscV => format!("lw {register},0({at})"),
            Syntax::Ppc => format!("lwz {register},0({at})"),
        };
        self.push(thread, cell);
        format!("{thread}:{register}")
    }

    /// An atomic increment. Architectures without one get none: see [`Syntax::has_increment`].
    pub fn increment(&mut self, thread: usize, variable: &str) {
        let at = self.place(thread, variable);
        let cells = match self.syntax {
            Syntax::X86 => vec![format!("LOCK INC [{at}]")],
            Syntax::AArch64 => vec!["MOV W0,#1".to_string(), format!("LDADD W0,W2,[{at}]")],
            Syntax::RiscV => vec!["ori x5,x0,1".to_string(), format!("amoadd.w x6,x5,({at})")],
            Syntax::Arm | Syntax::Ppc => Vec::new(),
        };
        for cell in cells {
            self.push(thread, cell);
        }
    }

    /// Opens a loop; gives its label.
    pub fn open_loop(&mut self, thread: usize) -> String {
        let number = self.threads[thread].labels;
        self.threads[thread].labels += 1;
        let label = format!("L{thread}{number}");
        self.push(thread, format!("{label}:"));
        label
    }

    /// Closes a loop: a load of `variable` and a jump back unless it saw 1. Gives the register.
    pub fn repeat_until_one(&mut self, thread: usize, variable: &str, label: &str) -> String {
        let name = self.load(thread, variable);
        let register = name.split(':').nth(1).unwrap_or_default().to_string();
        let cells = match self.syntax {
            Syntax::X86 => vec![format!("CMP {register},$1"), format!("JNE {label}")],
            Syntax::AArch64 => vec![format!("CMP W{},#1", &register[1..]), format!("B.NE {label}")],
            Syntax::Arm => vec![format!("CMP {register},#1"), format!("BNE {label}")],
            Syntax::RiscV => vec!["ori x5,x0,1".to_string(), format!("bne {register},x5,{label}")],
            Syntax::Ppc => vec![format!("cmpwi {register},1"), format!("bne {label}")],
        };
        for cell in cells {
            self.push(thread, cell);
        }
        name
    }

    /// Shows the final value of a register or variable in the states.
    pub fn observe(&mut self, place: impl Into<String>) {
        let place = place.into();
        if !self.observed.contains(&place) {
            self.observed.push(place);
        }
    }

    /// The test.
    pub fn finish(&self, name: &str, condition: &str) -> String {
        let mut text = format!("{} {name}\n{{\n{}}}\n", self.syntax.arch().name(), self.init);
        let widths: Vec<usize> = self
            .threads
            .iter()
            .enumerate()
            .map(|(number, column)| {
                let widest = column.cells.iter().map(String::len).max().unwrap_or(0);
                widest.max(format!("P{number}").len())
            })
            .collect();
        let rows = self.threads.iter().map(|column| column.cells.len()).max().unwrap_or(0).max(1);
        let mut row = |cells: Vec<String>| {
            let cells: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:width$} ")).collect();
            text += &format!("{};\n", cells.join("|"));
        };
        row((0..self.threads.len()).map(|number| format!("P{number}")).collect());
        for index in 0..rows {
            row(self.threads.iter().map(|c| c.cells.get(index).cloned().unwrap_or_default()).collect());
        }
        if !self.observed.is_empty() {
            text += &format!("locations [{};]\n", self.observed.join("; "));
        }
        text += condition;
        text.push('\n');
        text
    }
}
