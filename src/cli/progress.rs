//! A progress bar for long runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::estimate;
use crate::limits::{Expected, Gauge};
use crate::machine::Watch;
use crate::report::several;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A run that takes longer gets a bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far the search of one test is.
fn said(gauge: &Gauge, elapsed: Duration) -> String {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (worlds, graphs, executions) = (read(&gauge.worlds), read(&gauge.graphs), read(&gauge.executions));
    let rate = |n: u64| n as f64 / elapsed.as_secs_f64().max(0.001);
    let mut text = match (worlds, executions) {
        (0, 0) => return "reading".to_string(),
        // Executions that grow one event at a time.
        (0, _) => format!("{} ({:.0}/s)", several(executions, "execution"), rate(executions)),
        _ => format!(
            "{}, {}, {} ({:.0}/s)",
            several(worlds, "world"),
            several(executions, "execution"),
            several(graphs, "graph"),
            rate(graphs)
        ),
    };
    // Where graphs are not counted as they come, executions say how far it is.
    let (seen, all): (u64, fn(&Expected) -> f64) = match graphs {
        0 => (executions, |expected| expected.executions),
        _ => (graphs, |expected| expected.graphs),
    };
    if let Some(expected) = gauge.expected.get().filter(|expected| all(expected) > seen as f64) {
        let left = estimate::time((all(expected) - seen as f64) / rate(seen).max(1.0));
        let [mean, least, most] = [expected.executions, expected.least, expected.most].map(estimate::short);
        text += &format!(", of about {mean} executions ({least} to {most}), {left} left");
        return text;
    }
    let done = read(&gauge.done);
    if done > 0 {
        text += &format!(", about {}% done", done.min(1_000_000) / 10_000);
    }
    text
}

/// How far a search among states is.
fn states(watch: &Watch, elapsed: Duration) -> String {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (states, layer) = (read(&watch.states), read(&watch.layer));
    let rate = states as f64 / elapsed.as_secs_f64().max(0.001);
    let mut text = format!(
        "{} ({rate:.0}/s), {}",
        several(states, "state"),
        several(read(&watch.transitions), "transition")
    );
    if layer > 0 {
        text += &format!(", {layer} in this layer");
    }
    text
}

/// A bar on standard error, if the run takes long enough for one.
pub struct Progress {
    bar: ProgressBar,
    /// Is the run over? Whoever shows the bar asks under the lock.
    over: Arc<(Mutex<bool>, Condvar)>,
}

impl Progress {
    /// For `n` tests; `wanted`: is there a terminal to show it on?
    pub fn new(wanted: bool, n: usize, gauge: &Arc<Gauge>) -> Progress {
        let gauge = Arc::clone(gauge);
        Progress::saying(wanted, n, move |elapsed| said(&gauge, elapsed))
    }

    /// For the states of one program.
    pub fn of_states(wanted: bool, watch: &Arc<Watch>) -> Progress {
        let watch = Arc::clone(watch);
        Progress::saying(wanted, 1, move |elapsed| states(&watch, elapsed))
    }

    /// For `n` tests; of a single one it is said how far it is.
    fn saying(
        wanted: bool,
        n: usize,
        said: impl Fn(Duration) -> String + Send + Sync + Clone + 'static,
    ) -> Progress {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        if !wanted || n == 0 {
            return Progress { bar: ProgressBar::hidden(), over };
        }
        let bar = ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::hidden());
        let template = match n {
            1 => "{spinner} {search}, {elapsed} so far",
            _ => "{wide_bar} {pos}/{len} tests, {rate}, {eta} left, {elapsed} so far",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0}/s", state.per_sec());
            };
            let search = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&said(state.elapsed()));
            };
            bar.set_style(style.with_key("rate", rate).with_key("search", search));
        }
        let (shown, end) = (bar.clone(), Arc::clone(&over));
        std::thread::spawn(move || {
            let (lock, condition) = &*end;
            let waiting = lock.lock().unwrap_or_else(|poison| poison.into_inner());
            let waited = condition.wait_timeout_while(waiting, PATIENCE, |over| !*over);
            let (finished, _) = waited.unwrap_or_else(|poison| poison.into_inner());
            if !*finished {
                shown.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
                shown.enable_steady_tick(Duration::from_millis(500));
            }
        });
        Progress { bar, over }
    }

    /// One test more is done.
    pub fn inc(&self, n: u64) {
        self.bar.inc(n);
    }

    /// Writes something while the bar is out of the way.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        let (lock, condition) = &*self.over;
        *lock.lock().unwrap_or_else(|poison| poison.into_inner()) = true;
        condition.notify_all();
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_search_says_how_far_it_is() {
        let gauge = Gauge::default();
        assert_eq!(said(&gauge, Duration::from_secs(1)), "reading");
        gauge.executions.store(10, Ordering::Relaxed);
        assert_eq!(said(&gauge, Duration::from_secs(2)), "10 executions (5/s)");
        gauge.worlds.store(3, Ordering::Relaxed);
        gauge.executions.store(1, Ordering::Relaxed);
        gauge.graphs.store(100, Ordering::Relaxed);
        gauge.done.store(250_000, Ordering::Relaxed);
        assert_eq!(
            said(&gauge, Duration::from_secs(2)),
            "3 worlds, 1 execution, 100 graphs (50/s), about 25% done"
        );
        let expected = Expected { graphs: 1100.0, executions: 10_000.0, least: 9600.0, most: 10_400.0 };
        gauge.expected.set(expected).expect("not set yet");
        assert_eq!(
            said(&gauge, Duration::from_secs(2)),
            "3 worlds, 1 execution, 100 graphs (50/s), of about 10 thousand executions (9600 to 10 thousand), 20 s left"
        );
    }

    #[test]
    fn a_long_search_among_states_says_so_too() {
        let watch = Watch::default();
        watch.states.store(1000, Ordering::Relaxed);
        watch.transitions.store(3000, Ordering::Relaxed);
        assert_eq!(states(&watch, Duration::from_secs(2)), "1000 states (500/s), 3000 transitions");
        watch.layer.store(40, Ordering::Relaxed);
        assert!(states(&watch, Duration::from_secs(2)).ends_with(", 40 in this layer"));
    }
}
