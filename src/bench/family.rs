//! The families.

use std::fmt;

use super::syntax::{Syntax, Writer};

/// A family of tests, one for each size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// One writer of `x`, N readers.
    Readers,
    /// A writer that loops until it sees its own write, N readers that spin until they see it.
    Loop,
    /// N writes of `x` in one thread, N reads in another.
    Coherence,
    /// N threads, each writing `x` once; nothing is observed.
    Writers,
    /// N threads in a ring: store your own variable, load the next one's.
    Ring,
    /// N threads, each incrementing `x` once, atomically.
    Incs,
    /// N threads, each storing to one of two variables and loading the other.
    Threads,
    /// Two threads over N variables: one writes them all, the other reads them all, backwards.
    Variables,
    /// Two threads of N stores and loads in turn, over two variables.
    Instructions,
    /// N threads that do nothing: what a run costs by itself.
    Empty,
}

/// A size that an architecture has too few registers for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge(pub String);

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 10] = [
        Family::Readers,
        Family::Loop,
        Family::Coherence,
        Family::Writers,
        Family::Ring,
        Family::Incs,
        Family::Threads,
        Family::Variables,
        Family::Instructions,
        Family::Empty,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::Readers => "readers",
            Family::Loop => "loop",
            Family::Coherence => "coherence",
            Family::Writers => "writers",
            Family::Ring => "ring",
            Family::Incs => "incs",
            Family::Threads => "threads",
            Family::Variables => "variables",
            Family::Instructions => "instructions",
            Family::Empty => "empty",
        }
    }

    /// What it is, in a line.
    pub fn describe(self) -> &'static str {
        match self {
            Family::Readers => "one writer of x, N readers",
            Family::Loop => {
                "a writer that loops until it sees its own write, N readers that spin until they see it"
            }
            Family::Coherence => "N writes of x in one thread, N reads in another",
            Family::Writers => "N threads, each writing x once",
            Family::Ring => "store-buffering ring: N threads, store your own variable, load the next one's",
            Family::Incs => "N threads, each incrementing x once, atomically",
            Family::Threads => "scaling by threads: N threads over two variables",
            Family::Variables => "scaling by variables: two threads over N variables",
            Family::Instructions => "scaling by instructions: two threads of N instructions",
            Family::Empty => "N threads that do nothing",
        }
    }

    /// By name.
    pub fn parse(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }

    /// A bound on the number of executions under SC (that of the loops: with the default unrolling). Exact for readers, coherence, writers,
    /// ring and incs.
    pub fn executions(self, n: usize) -> f64 {
        let x = n as f64;
        match self {
            Family::Readers => 2f64.powf(x),
            // A reader goes round at most twice before it sees the write.
            Family::Loop => 3f64.powf(x),
            Family::Coherence => (1..=n).fold(1.0, |product, k| product * (x + k as f64) / k as f64),
            Family::Writers | Family::Incs => factorial(n),
            Family::Ring => 2f64.powf(x) - 1.0,
            // Interleavings, as far as they can be told apart.
            Family::Threads => factorial(n / 2) * factorial(n - n / 2) * 2f64.powf(x),
            Family::Variables => x + 1.0,
            Family::Instructions => (1..=n).fold(1.0, |product, k| product * (x + k as f64) / k as f64),
            Family::Empty => 1.0,
        }
    }

    /// The test of that size.
    ///
    /// # Errors
    /// The architecture cannot express it.
    pub fn test(self, n: usize, syntax: Syntax) -> Result<String, TooLarge> {
        let arch = syntax.arch().name();
        let variables = if self == Family::Variables { n } else { 1 };
        if variables > syntax.max_variables() {
            return Err(TooLarge(format!(
                "{}({n}): a thread of {arch} has registers for {} variables; X86 has no such limit",
                self.name(),
                syntax.max_variables()
            )));
        }
        if self == Family::Incs && !syntax.has_increment() {
            return Err(TooLarge(format!(
                "incs: {arch} has no atomic increment; X86, AArch64 and RISCV have"
            )));
        }
        let name = format!("{}-{n}", self.name());
        Ok(match self {
            Family::Readers => readers(&name, n, syntax),
            Family::Loop => spinning(&name, n, syntax),
            Family::Coherence => coherence(&name, n, syntax),
            Family::Writers => writers(&name, n, syntax),
            Family::Ring => ring(&name, n, syntax),
            Family::Incs => increments(&name, n, syntax),
            Family::Threads => threads(&name, n, syntax),
            Family::Variables => variables_test(&name, n, syntax),
            Family::Instructions => instructions(&name, n, syntax),
            Family::Empty => Writer::new(syntax, n.max(1)).finish(&name, "forall (true)"),
        })
    }
}

fn factorial(n: usize) -> f64 {
    (1..=n).fold(1.0, |product, k| product * k as f64)
}

fn all(registers: &[String], value: usize) -> String {
    let atoms: Vec<String> = registers.iter().map(|r| format!("{r}={value}")).collect();
    if atoms.is_empty() { "true".to_string() } else { atoms.join(" /\\ ") }
}

/// The first and the last: with all observed, states would outnumber everything else in memory.
fn ends(registers: &[String]) -> Vec<String> {
    let mut ends: Vec<String> = registers.first().into_iter().chain(registers.last()).cloned().collect();
    ends.dedup();
    ends
}

fn readers(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n + 1);
    test.store(0, "x", 1);
    let registers: Vec<String> = (1..=n).map(|reader| test.load(reader, "x")).collect();
    test.finish(name, &format!("exists ({})", all(&ends(&registers), 1)))
}

fn spinning(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n + 1);
    let label = test.open_loop(0);
    test.store(0, "x", 1);
    test.repeat_until_one(0, "x", &label);
    let mut registers = Vec::new();
    for reader in 1..=n {
        let label = test.open_loop(reader);
        registers.push(test.repeat_until_one(reader, "x", &label));
    }
    test.finish(name, &format!("forall ({})", all(&registers, 1)))
}

fn coherence(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, 2);
    for value in 1..=n {
        test.store(0, "x", value);
    }
    let registers: Vec<String> = (0..n).map(|_| test.load(1, "x")).collect();
    let last = registers.last().map(|r| format!("{r}={n}")).unwrap_or("true".to_string());
    test.finish(name, &format!("exists ({last})"))
}

fn writers(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n.max(1));
    for thread in 0..n {
        test.store(thread, "x", thread + 1);
    }
    test.finish(name, "exists (true)")
}

fn ring(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n.max(1));
    let mut registers = Vec::new();
    for thread in 0..n {
        test.store(thread, &format!("x{thread}"), 1);
        registers.push(test.load(thread, &format!("x{}", (thread + 1) % n)));
    }
    test.finish(name, &format!("exists ({})", all(&ends(&registers), 0)))
}

fn increments(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n.max(1));
    for thread in 0..n {
        test.increment(thread, "x");
    }
    test.finish(name, &format!("forall ([x]={n})"))
}

fn threads(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, n.max(1));
    let mut registers = Vec::new();
    for thread in 0..n {
        let (own, other) = if thread % 2 == 0 { ("x", "y") } else { ("y", "x") };
        test.store(thread, own, thread + 1);
        registers.push(test.load(thread, other));
    }
    test.finish(name, &format!("exists ({})", all(&registers, 0)))
}

fn variables_test(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, 2);
    for variable in 0..n {
        test.store(0, &format!("x{variable}"), 1);
    }
    let mut registers: Vec<String> =
        (0..n).rev().map(|variable| test.load(1, &format!("x{variable}"))).collect();
    // Registers are used in turn: only the last loads are still there to be seen.
    let (first, last) = (registers.len().saturating_sub(2), registers.len());
    registers = registers[first..last].to_vec();
    let condition = match registers.as_slice() {
        [a, b] => format!("exists ({a}=1 /\\ {b}=0)"),
        [a] => format!("exists ({a}=1)"),
        _ => "exists (true)".to_string(),
    };
    test.finish(name, &condition)
}

fn instructions(name: &str, n: usize, syntax: Syntax) -> String {
    let mut test = Writer::new(syntax, 2);
    let mut last = Vec::new();
    for (thread, own, other) in [(0, "x", "y"), (1, "y", "x")] {
        let mut register = None;
        for index in 0..n {
            if index % 2 == 0 {
                test.store(thread, own, index / 2 + 1);
            } else {
                register = Some(test.load(thread, other));
            }
        }
        last.extend(register);
    }
    test.finish(name, &format!("exists ({})", all(&last, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ring_in_x86_is_store_buffering() {
        insta::assert_snapshot!(Family::Ring.test(2, Syntax::X86).unwrap(), @r"
        X86 ring-2
        {
        }
         P0           | P1           ;
         MOV [x0],$1  | MOV [x1],$1  ;
         MOV EAX,[x1] | MOV EAX,[x0] ;
        exists (0:EAX=0 /\ 1:EAX=0)
        ");
    }

    #[test]
    fn readers_in_riscv() {
        insta::assert_snapshot!(Family::Readers.test(1, Syntax::RiscV).unwrap(), @r"
        RISCV readers-1
        {
        0:x19=x;
        1:x19=x;
        }
         P0           | P1           ;
         ori x5,x0,1  | lw x6,0(x19) ;
         sw x5,0(x19) |              ;
        exists (1:x6=1)
        ");
    }

    #[test]
    fn spin_loops_in_aarch64() {
        insta::assert_snapshot!(Family::Loop.test(1, Syntax::AArch64).unwrap(), @r"
        AArch64 loop-1
        {
        0:X19=x;
        1:X19=x;
        }
         P0           | P1           ;
         L00:         | L10:         ;
         MOV W0,#1    | LDR W2,[X19] ;
         STR W0,[X19] | CMP W2,#1    ;
         LDR W2,[X19] | B.NE L10     ;
         CMP W2,#1    |              ;
         B.NE L00     |              ;
        forall (1:X2=1)
        ");
    }

    #[test]
    fn exact_counts() {
        assert_eq!(Family::Coherence.executions(10), 184_756.0);
        assert_eq!(Family::Writers.executions(9), 362_880.0);
        assert_eq!(Family::Readers.executions(20), 1_048_576.0);
        assert_eq!(Family::Ring.executions(18), 262_143.0);
    }

    #[test]
    fn what_an_architecture_cannot_say_is_refused() {
        let error = Family::Variables.test(99, Syntax::Arm).unwrap_err();
        insta::assert_snapshot!(error, @"variables(99): a thread of ARM has registers for 6 variables; X86 has no such limit");
        assert!(Family::Incs.test(2, Syntax::Ppc).is_err());
        assert!(Family::Variables.test(99, Syntax::X86).is_ok());
    }
}
