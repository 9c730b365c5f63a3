//! The functions of C11 that are known without any `.def` file.

use super::ast::BinaryOp;

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Load,
    Store,
    /// `atomic_init`: a plain store.
    Init,
    Exchange,
    Fetch(BinaryOp),
    FetchMin,
    FetchMax,
    CompareExchange {
        strong: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    SignalFence,
    Lock,
    Unlock,
    /// A property of the program.
    Assert,
    /// Executions in which the condition is false are not looked at.
    Assume,
}

/// A function with the number of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What it does.
    pub function: Function,
    /// Arguments before the memory orders.
    pub values: usize,
    /// Memory orders at the end.
    pub orders: usize,
}

/// Name, meaning, number of values, number of memory orders that the `…_explicit` form takes after them.
const TABLE: [(&str, Function, usize, usize); 27] = [
    ("atomic_load", Function::Load, 1, 1),
    ("atomic_store", Function::Store, 2, 1),
    ("atomic_exchange", Function::Exchange, 2, 1),
    ("atomic_fetch_add", Function::Fetch(BinaryOp::Add), 2, 1),
    ("atomic_fetch_sub", Function::Fetch(BinaryOp::Sub), 2, 1),
    ("atomic_fetch_and", Function::Fetch(BinaryOp::And), 2, 1),
    ("atomic_fetch_or", Function::Fetch(BinaryOp::Or), 2, 1),
    ("atomic_fetch_xor", Function::Fetch(BinaryOp::Xor), 2, 1),
    ("atomic_fetch_min", Function::FetchMin, 2, 1),
    ("atomic_fetch_max", Function::FetchMax, 2, 1),
    ("atomic_compare_exchange_strong", Function::CompareExchange { strong: true }, 3, 2),
    ("atomic_compare_exchange_weak", Function::CompareExchange { strong: false }, 3, 2),
    ("atomic_flag_test_and_set", Function::TestAndSet, 1, 1),
    ("atomic_flag_clear", Function::Clear, 1, 1),
    // Without an `_explicit` form.
    ("atomic_init", Function::Init, 2, 0),
    ("lock", Function::Lock, 1, 0),
    ("mtx_lock", Function::Lock, 1, 0),
    ("unlock", Function::Unlock, 1, 0),
    ("mtx_unlock", Function::Unlock, 1, 0),
    ("assert", Function::Assert, 1, 0),
    ("__VERIFIER_assert", Function::Assert, 1, 0),
    ("assume", Function::Assume, 1, 0),
    ("__VERIFIER_assume", Function::Assume, 1, 0),
    // Always with memory orders.
    ("atomic_thread_fence", Function::Fence, 0, 1),
    ("atomic_signal_fence", Function::SignalFence, 0, 1),
    ("SCAS", Function::CompareExchange { strong: true }, 3, 2),
    ("WCAS", Function::CompareExchange { strong: false }, 3, 2),
];

/// Functions whose memory orders are never left out.
const EXPLICIT: [&str; 4] = ["atomic_thread_fence", "atomic_signal_fence", "SCAS", "WCAS"];

/// The function of that name.
pub fn find(name: &str) -> Option<Builtin> {
    let entry = |name: &str| TABLE.iter().find(|(text, ..)| *text == name);
    if let Some(base) = name.strip_suffix("_explicit") {
        let (_, function, values, orders) = *entry(base)?;
        return (orders > 0 && !EXPLICIT.contains(&base)).then_some(Builtin { function, values, orders });
    }
    let (_, function, values, orders) = *entry(name)?;
    let orders = if EXPLICIT.contains(&name) { orders } else { 0 };
    Some(Builtin { function, values, orders })
}

/// Every name, for "did you mean".
pub fn names() -> impl Iterator<Item = &'static str> {
    const WITH_ORDERS: [&str; 14] = [
        "atomic_load_explicit",
        "atomic_store_explicit",
        "atomic_exchange_explicit",
        "atomic_fetch_add_explicit",
        "atomic_fetch_sub_explicit",
        "atomic_fetch_and_explicit",
        "atomic_fetch_or_explicit",
        "atomic_fetch_xor_explicit",
        "atomic_fetch_min_explicit",
        "atomic_fetch_max_explicit",
        "atomic_compare_exchange_strong_explicit",
        "atomic_compare_exchange_weak_explicit",
        "atomic_flag_test_and_set_explicit",
        "atomic_flag_clear_explicit",
    ];
    TABLE.iter().map(|(name, ..)| *name).chain(WITH_ORDERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_arguments_of_the_explicit_forms_only() {
        let orders = |name: &str| find(name).map(|builtin| builtin.orders);
        assert_eq!(orders("atomic_load"), Some(0));
        assert_eq!(orders("atomic_load_explicit"), Some(1));
        assert_eq!(orders("atomic_compare_exchange_weak_explicit"), Some(2));
        assert_eq!(orders("atomic_thread_fence"), Some(1));
        assert_eq!(orders("atomic_init_explicit"), None);
        assert_eq!(orders("READ_ONCE"), None);
    }

    #[test]
    fn every_name_offered_is_a_function() {
        for name in names() {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
