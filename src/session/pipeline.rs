//! Work in parallel, results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Condvar, Mutex};

use crate::limits;

/// The stack of a worker: it recurses over formulas and loops as deep as its input nests. What is not used is not touched.
pub const STACK: usize = 512 << 20;

/// How many finished results may wait for an unfinished one before them, per worker.
const AHEAD: usize = 64;

/// Computes `work(0)`, `work(1)`, … `work(n - 1)` on `jobs` threads and hands the results to `sink` in that order, each as
/// soon as it and all before it are there. Workers wait when they are too far ahead of the sink, so memory does not grow
/// with `n`. The sink runs on the calling thread; it ends everything early by returning `false`. A single job runs there
/// too: handing each result to another thread costs as much as a small test.
pub fn in_order<T: Send>(
    n: usize,
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    mut sink: impl FnMut(usize, T) -> bool,
) {
    if jobs <= 1 {
        for index in 0..n {
            if !sink(index, work(index)) {
                return;
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    let printed = Mutex::new(0usize);
    let moved = Condvar::new();
    let window = AHEAD * jobs.max(1);
    let budget = limits::current();
    let mut stopped = None;
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for number in 0..jobs.clamp(1, n.max(1)) {
            let send = send.clone();
            let (next, printed, moved, work, budget) = (&next, &printed, &moved, &work, &budget);
            let worker = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n {
                        return;
                    }
                    let mut done = printed.lock().unwrap_or_else(|poison| poison.into_inner());
                    // The holder of the lowest index never waits, so there is always progress.
                    while index >= done.saturating_add(window) {
                        done = moved.wait(done).unwrap_or_else(|poison| poison.into_inner());
                    }
                    drop(done);
                    if send.send((index, budget.run(|| work(index)))).is_err() {
                        return;
                    }
                }
            };
            let name = format!("worker-{number}");
            let spawned =
                std::thread::Builder::new().name(name).stack_size(STACK).spawn_scoped(scope, worker.clone());
            if spawned.is_err() {
                // No room for a thread with that stack: a smaller one serves all but absurd inputs.
                scope.spawn(worker);
            }
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        while let Ok((index, result)) = receive.recv() {
            waiting.insert(index, result);
            let before = due;
            while let Some(result) = waiting.remove(&due) {
                let go_on = match result {
                    Ok(result) => sink(due, result),
                    Err(why) => {
                        stopped = Some(why);
                        false
                    }
                };
                if !go_on {
                    // Let the workers run dry: none starts anything new, none waits any more.
                    next.store(n, Ordering::Relaxed);
                    due = usize::MAX;
                    break;
                }
                due += 1;
            }
            if due != before {
                *printed.lock().unwrap_or_else(|poison| poison.into_inner()) = due;
                moved.notify_all();
            }
            if due == usize::MAX {
                return;
            }
        }
    });
    if let Some(why) = stopped {
        limits::stop(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_order_at_any_number_of_workers() {
        for jobs in [1, 2, 7] {
            let mut seen = Vec::new();
            in_order(
                300,
                jobs,
                |index| {
                    if index % 50 == 0 {
                        std::thread::sleep(Duration::from_millis(3));
                    }
                    index * 2
                },
                |index, twice| {
                    assert_eq!(twice, index * 2);
                    seen.push(index);
                    true
                },
            );
            assert_eq!(seen, (0..300).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_slow_first_result_does_not_let_the_others_pile_up() {
        let started = AtomicUsize::new(0);
        let mut most = 0;
        in_order(
            10_000,
            2,
            |index| {
                started.fetch_add(1, Ordering::Relaxed);
                if index == 0 {
                    std::thread::sleep(Duration::from_millis(30));
                }
            },
            |index, ()| {
                if index == 0 {
                    most = started.load(Ordering::Relaxed);
                }
                true
            },
        );
        assert!(most <= 2 * AHEAD + 2, "{most} results were computed while the first was pending");
    }

    #[test]
    fn the_sink_can_end_it() {
        let mut seen = 0;
        in_order(
            1_000_000,
            2,
            |index| index,
            |_, _| {
                seen += 1;
                seen < 5
            },
        );
        assert_eq!(seen, 5);
    }
}
