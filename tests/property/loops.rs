//! Random programs with loops, compare-exchanges, exchange locks and indexed cells: of C, of the kernel, of RISC-V.

use crate::random::Random;

const CELLS: [&str; 2] = ["x", "y"];
const ORDERS: [&str; 2] = ["memory_order_relaxed", "memory_order_seq_cst"];

/// A program of C, as text.
pub fn program(random: &mut Random) -> String {
    threads("{ int a[2]; }", "atomic_int *x, atomic_int *y, atomic_int *a", statement, random)
}

/// Two or three threads of such statements, with what they read and the cells observed.
fn threads(
    initially: &str,
    parameters: &str,
    statement: fn(&str, &mut Random) -> (String, bool),
    random: &mut Random,
) -> String {
    let mut text = format!("C loops\n{initially}\n");
    let n = 2 + random.below(2);
    let mut seen = Vec::new();
    for thread in 0..n {
        text += &format!("P{thread}({parameters}) {{\n");
        for line in 0..1 + random.below(if n == 2 { 3 } else { 2 }) {
            let reg = format!("r{thread}{line}");
            let (code, shows) = statement(&reg, random);
            text += &code;
            if shows {
                seen.push(format!("{thread}:{reg}"));
            }
        }
        text += "}\n";
    }
    seen.extend(["x".to_string(), "y".to_string()]);
    text + &format!("locations [{};]\nexists (x=1)\n", seen.join("; "))
}

/// A statement, and whether it sets the register.
fn statement(reg: &str, random: &mut Random) -> (String, bool) {
    let cell = *random.pick(&CELLS);
    let other = *random.pick(&CELLS);
    let order = *random.pick(&ORDERS);
    let value = 1 + random.below(2);
    let load = format!("atomic_load_explicit({cell}, {order})");
    match random.below(14) {
        0 => (format!("  int {reg} = {load};\n"), true),
        1 => (format!("  atomic_store_explicit({cell}, {value}, {order});\n"), false),
        2 => (format!("  int {reg} = 0;\n  while ({reg} == 0) {{ {reg} = {load}; }}\n"), true),
        3 => (
            format!(
                "  int {reg} = atomic_exchange_explicit({cell}, {value}, {order});\n  if ({reg} == 0) {{ atomic_store_explicit({other}, {value}, {order}); }}\n"
            ),
            true,
        ),
        4 => (
            format!(
                "  while (atomic_exchange_explicit({cell}, 1, {order}) != 0) {{ }}\n  atomic_store_explicit({cell}, 0, {order});\n"
            ),
            false,
        ),
        5 => (format!("  int {reg} = atomic_fetch_add_explicit({cell}, {value}, {order});\n"), true),
        6 => (
            format!(
                "  int {reg} = {load};\n  if ({reg} < 2) {{ atomic_store_explicit(a + {reg}, {value}, {order}); }}\n"
            ),
            true,
        ),
        7 => (
            format!(
                "  atomic_thread_fence({order});\n  int {reg} = {load};\n  if ({reg}) {{ atomic_store_explicit({other}, {reg} + 1, {order}); }}\n"
            ),
            true,
        ),
        // A loop that exchanges what it has read, until nobody was faster.
        8 => (
            format!(
                "  int {reg} = {load};\n  while (!atomic_compare_exchange_strong_explicit({cell}, &{reg}, {reg} + 1, {order}, memory_order_relaxed)) {{ }}\n"
            ),
            true,
        ),
        // One that reads anew each time, and writes a cell of its own in between.
        9 => (
            format!(
                "  int o{reg} = 0;\n  while (o{reg} == 0) {{ int e{reg} = {load}; atomic_store_explicit(a + 1, e{reg}, memory_order_relaxed); o{reg} = atomic_compare_exchange_strong_explicit({cell}, &e{reg}, {value}, {order}, memory_order_relaxed); }}\n  int {reg} = o{reg};\n"
            ),
            true,
        ),
        // Two cells, of which one must come to be something.
        10 => (
            format!(
                "  int {reg} = 0;\n  while ({reg} != {value}) {{ {reg} = {load}; if ({reg} != {value}) {{ {reg} = atomic_load_explicit({other}, {order}); }} }}\n"
            ),
            true,
        ),
        // What is read says where to read.
        11 => (
            format!(
                "  int i{reg} = {load};\n  int {reg} = 0;\n  if (i{reg} < 2) {{ {reg} = atomic_load_explicit(a + i{reg}, {order}); }}\n"
            ),
            true,
        ),
        // Waits for a cell that another one names.
        12 => (
            format!(
                "  int i{reg} = {load};\n  int {reg} = 0;\n  if (i{reg} < 2) {{ while ({reg} == 0) {{ {reg} = atomic_load_explicit(a + i{reg}, {order}); }} }}\n"
            ),
            true,
        ),
        _ => (
            format!(
                "  int e{reg} = 0;\n  int {reg} = atomic_compare_exchange_strong_explicit({cell}, &e{reg}, {value}, {order}, memory_order_relaxed);\n"
            ),
            true,
        ),
    }
}

/// A program of the kernel, without locks.
pub fn kernel(random: &mut Random) -> String {
    threads("{}", "int *x, int *y", kernel_statement, random)
}

fn kernel_statement(reg: &str, random: &mut Random) -> (String, bool) {
    let (cell, other) = (*random.pick(&CELLS), *random.pick(&CELLS));
    let value = 1 + random.below(2);
    let read = *random.pick(&["READ_ONCE(*", "READ_ONCE(*", "smp_load_acquire("]);
    let write = *random.pick(&["WRITE_ONCE(*", "WRITE_ONCE(*", "smp_store_release("]);
    let (load, store) = (format!("{read}{cell})"), format!("{write}{other}, {value});"));
    let suffix = *random.pick(&["", "_relaxed", "_acquire"]);
    match random.below(8) {
        0 => (format!("  int {reg} = {load};\n"), true),
        1 => (format!("  {store}\n"), false),
        2 => (format!("  int {reg} = 0;\n  while ({reg} == 0) {{ {reg} = {load}; }}\n"), true),
        3 => (format!("  int {reg} = {load};\n  if ({reg}) {{ {store} }}\n"), true),
        4 => (format!("  int {reg} = {load};\n  {write}{other}, {reg} + 1);\n"), true),
        5 => (
            format!(
                "  int {reg} = 1;\n  while ({reg} != 0) {{ {reg} = xchg{suffix}({cell}, 1); }}\n  {write}{cell}, 0);\n"
            ),
            false,
        ),
        6 => (
            format!(
                "  int {reg} = 1;\n  while ({reg} != 0) {{ {reg} = cmpxchg{suffix}({cell}, 0, {value}); }}\n"
            ),
            false,
        ),
        _ => (format!("  {}();\n", random.pick(&["smp_mb", "smp_rmb", "smp_wmb"])), false),
    }
}

/// A program of RISC-V: loops by branches, exclusive accesses, addresses that depend on what was read.
pub fn riscv(random: &mut Random) -> String {
    let n = 2 + random.below(2);
    let mut seen = vec!["x".to_string(), "y".to_string()];
    let mut columns = Vec::new();
    for thread in 0..n {
        let mut code = Vec::new();
        // Registers 6 and 7 hold addresses.
        let mut free = 8;
        for line in 0..1 + random.below(2) {
            let reg = free;
            free += 4;
            if riscv_statement(reg, &format!("L{thread}{line}"), random, &mut code) {
                seen.push(format!("{thread}:x{reg}"));
            }
        }
        columns.push(code);
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |cells: Vec<&str>| format!(" {} ;\n", cells.join(" | "));
    let names: Vec<String> = (0..n).map(|thread| format!("P{thread}")).collect();
    let mut text = String::from("RISCV loops\n{\n");
    for thread in 0..n {
        text += &format!("{thread}:x6=x; {thread}:x7=y;\n");
    }
    text += "}\n";
    text += &row(names.iter().map(String::as_str).collect());
    for at in 0..rows {
        text += &row(columns.iter().map(|code| code.get(at).map_or("", String::as_str)).collect());
    }
    text + &format!("locations [{};]\nexists (x=1)\n", seen.join("; "))
}

/// Adds a statement, and says whether it sets the register.
fn riscv_statement(reg: usize, label: &str, random: &mut Random, code: &mut Vec<String>) -> bool {
    let (cell, other) = (6 + random.below(2), 6 + random.below(2));
    let value = 1 + random.below(2);
    let (more, last) = (reg + 1, reg + 2);
    let mut add = |line: String| code.push(line);
    match random.below(9) {
        0 => add(format!("lw x{reg},0(x{cell})")),
        1 => {
            add(format!("ori x{more},x0,{value}"));
            add(format!("sw x{more},0(x{cell})"));
            return false;
        }
        2 => {
            add(format!("{label}: lw x{reg},0(x{cell})"));
            add(format!("beq x{reg},x0,{label}"));
        }
        3 => {
            add(format!("ori x{more},x0,1"));
            add(format!("{label}: amoswap.w{} x{reg},x{more},(x{cell})", random.pick(&["", ".aq"])));
            add(format!("bne x{reg},x0,{label}"));
            add(format!("sw x0,0(x{cell})"));
            return false;
        }
        4 => {
            add(format!("{label}: lr.w x{reg},(x{cell})"));
            add(format!("addi x{more},x{reg},1"));
            add(format!("sc.w x{last},x{more},(x{cell})"));
            add(format!("bne x{last},x0,{label}"));
        }
        5 => {
            add(format!("lw x{reg},0(x{cell})"));
            add(format!("sw x{reg},0(x{other})"));
        }
        6 => {
            add(format!("lw x{reg},0(x{cell})"));
            add(format!("xor x{more},x{reg},x{reg}"));
            add(format!("add x{more},x{more},x{other}"));
            add(format!("ori x{last},x0,{value}"));
            add(format!("sw x{last},0(x{more})"));
        }
        7 => {
            add(format!("fence {}", random.pick(&["rw,rw", "r,rw", "rw,w", "w,w"])));
            return false;
        }
        _ => {
            add(format!("lw x{reg},0(x{cell})"));
            add(format!("beq x{reg},x0,{label}"));
            add(format!("ori x{more},x0,{value}"));
            add(format!("sw x{more},0(x{other})"));
            add(format!("{label}:"));
        }
    }
    true
}
