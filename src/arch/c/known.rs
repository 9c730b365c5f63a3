//! Names of the Linux kernel: known well enough to say that a `.def` file is missing them.

/// Our own definitions of the kernel's functions.
const DEFINITIONS: &str = include_str!("../../../cat/lkmm.def");

/// How the kernel's functions start.
const PREFIXES: [&str; 20] = [
    "smp_",
    "rcu_",
    "srcu_",
    "spin_",
    "raw_spin_",
    "read_lock",
    "write_lock",
    "mutex_",
    "synchronize_",
    "call_rcu",
    "call_srcu",
    "xchg",
    "cmpxchg",
    "try_cmpxchg",
    "atomic_",
    "atomic64_",
    "refcount_",
    "test_and_",
    "set_bit",
    "clear_bit",
];

/// The line of our own `lkmm.def` that defines a function of the kernel.
pub fn definition(name: &str) -> Option<&'static str> {
    let defines = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    DEFINITIONS.lines().find(defines).map(str::trim_end)
}

/// Is it a function of the kernel that our own `lkmm.def` defines?
pub fn is_kernel_function(name: &str) -> bool {
    definition(name).is_some()
}

/// Does the name at least look like one of the kernel's?
pub fn looks_like_kernel(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_known_or_recognised() {
        for name in ["READ_ONCE", "smp_mb", "atomic_add_return", "xchg_acquire", "atomic_read"] {
            assert!(is_kernel_function(name), "{name}");
        }
        for name in ["atomic_load_explicit", "READ", "spin_lock_irq", "foo"] {
            assert!(!is_kernel_function(name), "{name}");
        }
        assert!(looks_like_kernel("spin_lock_irq"));
        assert!(!looks_like_kernel("foo"));
    }
}
