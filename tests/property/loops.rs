//! Random programs with loops, compare-exchanges, exchange locks and indexed cells.

use crate::random::Random;

const CELLS: [&str; 2] = ["x", "y"];
const ORDERS: [&str; 2] = ["memory_order_relaxed", "memory_order_seq_cst"];

/// A program of C, as text.
pub fn program(random: &mut Random) -> String {
    let mut text = String::from("C loops\n{ int a[2]; }\n");
    let n = 2 + random.below(2);
    let mut seen = Vec::new();
    for thread in 0..n {
        text += &format!("P{thread}(atomic_int *x, atomic_int *y, atomic_int *a) {{\n");
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
    match random.below(12) {
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
        _ => (
            format!(
                "  int e{reg} = 0;\n  int {reg} = atomic_compare_exchange_strong_explicit({cell}, &e{reg}, {value}, {order}, memory_order_relaxed);\n"
            ),
            true,
        ),
    }
}
