//! Programs in the shape of SV-COMP's `pthread-wmm`: litmus tests whose store buffers are made explicit, as chains of conditions on flags.

use std::fmt::Write;

/// Threads of a program.
const THREADS: usize = 3;

/// A program whose threads go through so many blocks each. In a block a thread puts a number into its buffer, perhaps moves it on to its variable (if the program is
/// to be safe: always, and with a fence), and reads the next thread's variable. That in the last block nobody sees the last number of another is what
/// must not be.
pub fn wmm(blocks: usize, safe: bool) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n\n\
         extern _Bool __VERIFIER_nondet_bool(void);\n\n",
    );
    for t in 0..THREADS {
        let _ = writeln!(text, "int x{t}, b0_{t}, b1_{t}, seen{t};\n_Bool u0_{t}, u1_{t}, go_{t};");
    }
    for t in 0..THREADS {
        let next = (t + 1) % THREADS;
        let _ = write!(text, "\nvoid *P{t}(void *unused)\n{{\n");
        for block in 1..=blocks {
            let go = if safe { "1" } else { "__VERIFIER_nondet_bool()" };
            let _ = write!(
                text,
                "  b1_{t} = b0_{t};\n  b0_{t} = {block};\n  u1_{t} = u0_{t};\n  u0_{t} = 1;\n  \
                 x{t} = u1_{t} ? b1_{t} : x{t};\n  u1_{t} = 0;\n  go_{t} = {go};\n  \
                 x{t} = go_{t} && u0_{t} ? b0_{t} : (go_{t} && u1_{t} ? b1_{t} : x{t});\n  \
                 u0_{t} = go_{t} && u0_{t} ? 0 : u0_{t};\n"
            );
            if safe {
                text.push_str("  atomic_thread_fence(memory_order_seq_cst);\n");
            }
            let _ = writeln!(text, "  seen{t} = x{next};");
        }
        let _ = write!(text, "  x{t} = u0_{t} ? b0_{t} : x{t};\n  return 0;\n}}\n");
    }
    text.push_str("\nint main(void)\n{\n");
    let names: Vec<String> = (0..THREADS).map(|t| format!("t{t}")).collect();
    let _ = writeln!(text, "  pthread_t {};", names.join(", "));
    for (t, name) in names.iter().enumerate() {
        let _ = writeln!(text, "  pthread_create(&{name}, 0, P{t}, 0);");
    }
    for name in &names {
        let _ = writeln!(text, "  pthread_join({name}, 0);");
    }
    let old: Vec<String> = (0..THREADS).map(|t| format!("seen{t} < {blocks}")).collect();
    let _ = write!(text, "  assert(!({}));\n  return 0;\n}}\n", old.join(" && "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_grow_with_their_blocks() {
        let lines = |blocks: usize| wmm(blocks, true).lines().count();
        assert_eq!(lines(3) - lines(2), lines(2) - lines(1));
        assert!(wmm(17, false).lines().count() > 500);
    }
}
