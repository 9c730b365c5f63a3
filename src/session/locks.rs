//! Deadlocks of the kernel's tests, told from what its model says of locks.

use crate::outcome::{Cause, WhyEmpty};

/// Checks of the kernel's `lock.cat` that fail if a thread waits for a lock that never comes free.
const CHECKS: [(&str, &str); 2] = [
    ("lock-nest", "a thread takes a lock that it holds already"),
    ("unmatched-locks", "a lock is taken again although nobody gives it back"),
];

/// Where it is only for locks that there is no execution, every execution is blocked on one.
pub(super) fn deadlock(why: WhyEmpty) -> WhyEmpty {
    let WhyEmpty::Refuted(counts) = &why else { return why };
    let reason = |cause: &Cause| match cause {
        Cause::Check(name) => CHECKS.into_iter().find(|(check, _)| check == name).map(|(_, why)| why),
        _ => None,
    };
    let reasons: Option<Vec<&'static str>> = counts.keys().map(reason).collect();
    reasons.map_or(why, WhyEmpty::Deadlock)
}
