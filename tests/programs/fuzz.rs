//! Random sequential programs: what we compute is what a compiler computes. Skipped, with a message, where there is none.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Functions of one round: compiled together, verified one by one.
const FUNCTIONS: usize = 16;

/// The types of variables. Arithmetic on signed ones is done on numbers too small to overflow.
const TYPES: [&str; 8] =
    ["unsigned char", "signed char", "unsigned short", "short", "unsigned", "int", "unsigned long", "long"];

/// A generator of numbers, the same on every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % sides
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len() as u64) as usize]
    }
}

struct Writer {
    dice: Dice,
    /// Is memory accessed in several sizes? Such programs are made again and again, and take longer.
    mixed: bool,
    out: String,
    depth: usize,
    loops: usize,
}

impl Writer {
    /// A number that fits all types.
    fn small(&mut self) -> String {
        match self.dice.roll(4) {
            0 => format!("{}", self.dice.roll(300)),
            1 => format!("-{}", self.dice.roll(200)),
            2 => format!("'{}'", char::from(b'a' + self.dice.roll(26) as u8)),
            _ => format!("{}u", self.dice.roll(70_000)),
        }
    }

    fn object(&mut self) -> String {
        match self.dice.roll(if self.mixed { 14 } else { 9 }) {
            0 => format!("a[{} & 3]", self.dice.pick(&["v4", "v0", "2", "v6"])),
            7 => format!("h[{} & 3]", self.dice.pick(&["v4", "v0", "1"])),
            8 => "s.g".to_string(),
            // One object in several sizes.
            9 => format!("u.byte[{} & 7]", self.dice.pick(&["v4", "v2", "3", "v6"])),
            10 => format!("u.half[{} & 3]", self.dice.pick(&["v0", "1", "v6"])),
            11 => self.dice.pick(&["u.word.low", "u.word.high", "u.whole"]).to_string(),
            12 => format!("((unsigned char *)&v6)[{}]", self.dice.roll(8)),
            13 => format!("((unsigned short *)a)[{}]", self.dice.roll(8)),
            1 => "s.x".to_string(),
            2 => "s.y".to_string(),
            3 => "s.f".to_string(),
            4 => "*p".to_string(),
            5 => "q->y".to_string(),
            _ => format!("v{}", self.dice.roll(TYPES.len() as u64)),
        }
    }

    /// An expression without effects; arithmetic is in `unsigned long`, where nothing overflows.
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.dice.roll(3) {
                0 => self.small(),
                _ => self.object(),
            };
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        let c = self.dice.roll(11);
        match c {
            0 => format!("((unsigned long)({a}) + ({b}))"),
            1 => format!("((unsigned long)({a}) - ({b}))"),
            2 => format!("((unsigned long)({a}) * ({b}))"),
            3 => format!("((unsigned)({a}) {} (((unsigned)({b}) & 63) + 1))", self.dice.pick(&["/", "%"])),
            4 => format!("(({a}) {} ({b}))", self.dice.pick(&["&", "|", "^"])),
            5 => format!("((unsigned)({a}) {} (({b}) & 15))", self.dice.pick(&["<<", ">>"])),
            6 => format!("(({a}) {} ({b}))", self.dice.pick(&["<", "<=", ">", ">=", "==", "!="])),
            7 => format!("(({a}) {} ({b}))", self.dice.pick(&["&&", "||"])),
            8 => format!("(({a}) ? (long)({b}) : {})", self.small()),
            9 => format!(
                "{}({a})",
                self.dice.pick(&["~", "!", "(signed char)", "(unsigned short)", "(int)(short)"])
            ),
            _ => format!("help(({a}) & 255, {b})"),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn statement(&mut self) {
        let kind = if self.depth > 3 { self.dice.roll(4) } else { self.dice.roll(14) };
        let object = self.object();
        match kind {
            0 | 1 => {
                let value = self.value(2);
                self.line(&format!("{object} = {value};"));
            }
            2 => {
                let (op, value) = (self.dice.pick(&["|=", "^=", "&="]), self.value(1));
                self.line(&format!("{object} {op} {value};"));
            }
            3 => {
                let v = self.dice.pick(&["v0", "v2", "v4", "v6"]);
                let op = self.dice.pick(&["++", "--"]);
                self.line(&format!("v6 += {v}{op};"));
            }
            4 | 5 => {
                let condition = self.value(2);
                self.line(&format!("if ({condition}) {{"));
                self.block();
                if self.dice.roll(2) == 0 {
                    self.line("} else {");
                    self.block();
                }
                self.line("}");
            }
            6 | 7 => {
                let i = format!("i{}", self.loops);
                self.loops += 1;
                let n = 1 + self.dice.roll(4);
                self.line(&format!("for (int {i} = 0; {i} < {n}; {i}++) {{"));
                self.block();
                if self.dice.roll(3) == 0 {
                    let (condition, word) = (self.value(1), self.dice.pick(&["break", "continue"]));
                    self.line(&format!("    if ({condition}) {word};"));
                }
                self.line(&format!("    v6 += {i};"));
                self.line("}");
            }
            8 => {
                let value = self.value(1);
                self.line(&format!("switch (({value}) & 3) {{"));
                for case in ["case 0:", "case 2:", "default:"] {
                    self.line(case);
                    self.block();
                    if self.dice.roll(2) == 0 {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            9 => {
                let (target, value) = (self.dice.pick(&["v0", "v2", "v4", "v6"]), self.value(1));
                let op = self.dice.pick(&["<<=", ">>="]);
                self.line(&format!("{target} {op} ({value}) & 7;"));
                let (target, op) = (self.dice.pick(&["v4", "v6"]), self.dice.pick(&["+=", "-=", "*="]));
                let value = self.value(1);
                self.line(&format!("{target} {op} {value};"));
            }
            10 if self.mixed => {
                let by = self.dice.roll(4);
                let copy = match self.dice.roll(5) {
                    0 => format!("memcpy(&u, a + {}, 8);", by.min(2)),
                    1 => format!("memcpy(a + {by}, u.byte + {by}, 4);"),
                    2 => format!("memmove(u.byte + {by}, u.byte + 1, 4);"),
                    3 => format!("memset(u.byte + {by}, {}, 3);", 1 + self.dice.roll(200)),
                    _ => format!("memcpy(h, &u.whole, {});", 4 + 4 * (by & 1)),
                };
                self.line(&copy);
            }
            11 => {
                let more = self.dice.roll(3);
                self.line(&format!("h = realloc(h, {});", 16 + 4 * more));
            }
            12 => {
                let (value, from) = (self.value(1), self.dice.pick(&["s", "t", "*q"]));
                self.line(&format!("t = turn({from}); v4 += table[({value}) & 1](v0, v6);"));
            }
            _ => {
                let to = self.dice.roll(4);
                let target = self.dice.pick(&["s", "t"]);
                self.line(&format!("p = &a[{to}]; t = s; q = &{target};"));
            }
        }
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.dice.roll(3) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn function(&mut self, number: usize) {
        self.line(&format!("unsigned long f{number}(void) {{"));
        self.depth = 1;
        self.loops = 0;
        self.mixed = number.is_multiple_of(8);
        for (n, ty) in TYPES.iter().enumerate() {
            let value = self.dice.roll(120);
            self.line(&format!("{ty} v{n} = {value};"));
        }
        self.line(
            "int a[4] = { 1, [2] = 7 }; struct pair s = { 5, .f = 3, .g = -4 }, t = s, *q = &s; int *p = a;",
        );
        self.line("union mixed u = { .half = { 1, 2, 3, 4 } }; unsigned *h = calloc(4, sizeof *h);");
        for _ in 0..4 + self.dice.roll(5) {
            self.statement();
        }
        let sum = "v0 + v1 + v2 + v3 + v4 + (unsigned)v5 + v6 + (unsigned long)v7 + (unsigned)a[0] + (unsigned)a[1] * 3 + (unsigned)a[2] * 5 + (unsigned)a[3] * 7";
        self.line(&format!(
            "unsigned long r = {sum} + s.x + s.y * 11 + s.f * 13 + s.g + t.x * 17ul + (unsigned)*p + u.whole + h[0] + h[3] * 3ul;"
        ));
        self.line("free(h); return r;");
        self.depth = 0;
        self.line("}");
    }
}

/// Types and a function that the others use. It changes nothing: the order in which arguments are evaluated is anybody's.
const COMMON: &str = "#include <stdlib.h>
#include <string.h>
struct pair { unsigned x; unsigned short y; unsigned f : 5; int g : 6; };
struct word { int low; unsigned high; };
union mixed { unsigned long whole; unsigned char byte[8]; unsigned short half[4]; struct word word; };
static struct pair turn(struct pair s) { unsigned x = s.x; s.x = s.y; s.y = x; s.g++; return s; }
static unsigned long help(int a, unsigned long b) {
    while (a >= 7) { b ^= a; a /= 2; }
    return b;
}
static unsigned long plus(unsigned char a, unsigned long b) { return a + b; }
static unsigned long times(unsigned char a, unsigned long b) { return a * b; }
static unsigned long (*const table[])(unsigned char, unsigned long) = { plus, times };
";

fn sources(seed: u64) -> (String, Vec<String>) {
    let dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0xd134_2543_de82_ef95));
    let mut writer = Writer { dice, mixed: false, out: String::new(), depth: 0, loops: 0 };
    let mut functions = Vec::new();
    for number in 0..FUNCTIONS {
        writer.function(number);
        functions.push(std::mem::take(&mut writer.out));
    }
    (COMMON.to_string(), functions)
}

/// What a compiled program prints.
fn compiled(folder: &Path, text: &str) -> Option<Vec<String>> {
    let (file, program) = (folder.join("fuzz.c"), folder.join("fuzz"));
    std::fs::write(&file, text).ok()?;
    let built =
        Command::new("cc").args(["-w", "-O0", "-fwrapv", "-o"]).arg(&program).arg(&file).output().ok()?;
    assert!(built.status.success(), "{}\n{text}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().ok()?;
    Some(String::from_utf8_lossy(&run.stdout).lines().map(str::to_string).collect())
}

#[test]
fn sequential_programs_do_what_a_compiler_makes_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let rounds = std::env::var("LITMUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let first: u64 = std::env::var("LITMUS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for seed in first..first + rounds {
        let (common, functions) = sources(seed);
        let all = functions.concat();
        let calls: String = (0..FUNCTIONS).map(|n| format!("printf(\"%lu\\n\", f{n}());\n")).collect();
        let text = format!("#include <stdio.h>\n{common}{all}int main(void) {{\n{calls}return 0; }}\n");
        let Some(values) = compiled(folder.path(), &text) else {
            eprintln!("skipped: there is no C compiler `cc` here");
            return;
        };
        assert_eq!(values.len(), FUNCTIONS);
        let mut run = Command::new(env!("CARGO_BIN_EXE_litmus"));
        run.args(["verify", "-m", "sc", "--timeout", "20"]).current_dir(folder.path());
        for (n, (function, value)) in functions.iter().zip(&values).enumerate() {
            let main = format!("int main(void) {{ assert(f{n}() == {value}ul); return 0; }}\n");
            let name = format!("f{n}.c");
            std::fs::write(
                folder.path().join(&name),
                format!("#include <assert.h>\n{common}{function}{main}"),
            )
            .expect("written");
            run.arg(name);
        }
        let output = run.output().expect("litmus runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        for (n, function) in functions.iter().enumerate() {
            let wrong = said.contains(&format!("f{n}.c: Unsafe"));
            assert!(!wrong, "seed {seed}, a compiler gives {}:\n{COMMON}{function}\n{said}", values[n]);
        }
        // Some are too long; most are not.
        let right = said.matches(": Safe under sc").count();
        assert!(right * 4 >= FUNCTIONS * 3, "seed {seed}: {said}{errors}");
    }
}
