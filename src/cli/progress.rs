//! A progress bar for long runs.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A run that takes longer gets a bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar on standard error, if the run takes long enough for one.
pub struct Progress {
    bar: ProgressBar,
    /// Is the run over? Whoever shows the bar asks under the lock.
    over: Arc<(Mutex<bool>, Condvar)>,
}

impl Progress {
    /// For `n` tests; `wanted`: is there a terminal to show it on?
    pub fn new(wanted: bool, n: usize) -> Progress {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        if !wanted || n < 2 {
            return Progress { bar: ProgressBar::hidden(), over };
        }
        let bar = ProgressBar::with_draw_target(Some(n as u64), ProgressDrawTarget::hidden());
        let template = "{wide_bar} {pos}/{len} tests, {rate}, {eta} left, {elapsed} so far";
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0}/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate));
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
