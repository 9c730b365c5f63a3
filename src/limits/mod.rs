//! Time, memory and Ctrl-C: one budget that every phase looks at, whatever it is doing.
//!
//! Whoever starts a piece of work installs a [`Budget`] for it ([`Budget::run`]); loops that may take long call [`poll`] once a round. A
//! poll that finds the budget spent unwinds to the innermost [`Budget::run`] or [`catch`], which makes a [`Stopped`] of it: no phase needs to
//! hand an error on that has nothing to do with it. Who has something to save (the search: the states seen so far) asks [`look`], or catches.

mod gauge;
pub mod memory;
mod read;

pub use gauge::{Expected, Gauge};
pub use read::{MAX_TEXT, read_all, read_file, read_found, read_text};

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stopped {
    /// The time is up.
    Time,
    /// The process takes more memory than it may.
    Memory,
    /// Someone asked for it.
    Interrupt,
}

/// What a piece of work may take.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// When it must have ended.
    pub deadline: Option<Instant>,
    /// Bytes that the process may have allocated ([`memory`]).
    pub memory: Option<u64>,
    /// Set by someone else to stop it.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How many polls pass between two looks.
const POLLS: u32 = 256;

/// While the process takes too much, work that takes less than this part of the limit goes on: it is another that must stop.
const SHARES: i64 = 64;

thread_local! {
    static CONTEXT: Context = const { Context { installed: RefCell::new(None) } };
    /// Apart, because it is all that most polls touch: nothing to be dropped with the thread.
    static POLLED: Cell<u32> = const { Cell::new(0) };
}

struct Context {
    installed: RefCell<Option<Installed>>,
}

#[derive(Clone)]
struct Installed {
    budget: Budget,
    /// What the thread had allocated when the work began.
    before: i64,
}

impl Budget {
    /// From now on, so long at most.
    pub fn starting_now(
        timeout: Option<Duration>,
        memory: Option<u64>,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Budget {
        // A time too far away to be written down never comes.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Budget { deadline, memory, interrupt }
    }

    /// Does some work within the budget.
    ///
    /// # Errors
    /// Why it was stopped.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> Result<R, Stopped> {
        let _restore = Restore(CONTEXT.with(|context| {
            let installed = Installed { budget: self.clone(), before: memory::own() };
            context.installed.borrow_mut().replace(installed)
        }));
        catch(work)
    }

    fn spent(&self, before: i64) -> Option<Stopped> {
        if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Stopped::Interrupt);
        }
        if let Some(limit) = self.memory
            && memory::live() > limit
            && (memory::own() - before).saturating_mul(SHARES) > limit as i64
        {
            return Some(Stopped::Memory);
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late.then_some(Stopped::Time)
    }
}

/// Puts the budget back that was there before.
struct Restore(Option<Installed>);

impl Drop for Restore {
    fn drop(&mut self) {
        let before = self.0.take();
        CONTEXT.with(|context| *context.installed.borrow_mut() = before);
    }
}

/// The budget of the work that this thread is doing: for threads that do a part of it.
pub fn current() -> Budget {
    CONTEXT.with(|context| context.installed.borrow().as_ref().map(|i| i.budget.clone()).unwrap_or_default())
}

/// Work for another thread, under the budget of this one. If it is stopped it unwinds there: whoever joins hands that on, as it does a panic.
pub fn handed_on<R>(work: impl FnOnce() -> R) -> impl FnOnce() -> R {
    let budget = current();
    move || budget.run(work).unwrap_or_else(|why| stop(why))
}

/// Must the work of this thread stop?
pub fn look() -> Option<Stopped> {
    CONTEXT.with(|context| context.installed.borrow().as_ref().and_then(|i| i.budget.spent(i.before)))
}

/// Stops the work of this thread if it must stop: unwinds to whoever waits for it. Looks at the clock only now and then.
#[inline]
pub fn poll() {
    let polls = POLLED.get().wrapping_add(1);
    POLLED.set(polls);
    if polls.is_multiple_of(POLLS) {
        poll_now();
    }
}

/// Likewise, at once: where a round takes long.
#[cold]
pub fn poll_now() {
    if let Some(stopped) = look() {
        stop(stopped);
    }
}

/// Likewise, for work whose memory other threads have taken for it: so many bytes are its own.
pub fn poll_holding(bytes: usize) {
    poll_now();
    let limit = CONTEXT.with(|context| context.installed.borrow().as_ref().and_then(|i| i.budget.memory));
    if limit.is_some_and(|limit| memory::live() > limit && bytes as u64 > limit / SHARES as u64) {
        stop(Stopped::Memory);
    }
}

/// Stops the work of this thread. Not a panic: nobody is told, and nothing is wrong.
pub fn stop(why: Stopped) -> ! {
    resume_unwind(Box::new(why))
}

/// Does some work, and stays here if it is stopped.
///
/// # Errors
/// Why it was stopped.
pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, Stopped> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => Ok(result),
        Err(payload) => match payload.downcast::<Stopped>() {
            Ok(stopped) => Err(*stopped),
            Err(panic) => resume_unwind(panic),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_deadline() {
        let budget = Budget::starting_now(Some(Duration::ZERO), None, None);
        let forever = || -> () {
            loop {
                poll();
            }
        };
        assert_eq!(budget.run(forever), Err(Stopped::Time));
        assert_eq!(look(), None, "the budget is gone with the work");
    }

    #[test]
    fn work_ends_when_someone_says_so_also_inside_other_work() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::starting_now(None, None, Some(Arc::clone(&flag)));
        let inner = budget.run(|| {
            poll_now();
            flag.store(true, Ordering::Relaxed);
            let inner = catch(poll_now);
            assert_eq!(look(), Some(Stopped::Interrupt));
            inner
        });
        assert_eq!(inner, Ok(Err(Stopped::Interrupt)));
    }

    #[test]
    fn a_time_that_never_comes_is_no_limit() {
        let budget = Budget::starting_now(Some(Duration::MAX), None, None);
        assert_eq!(budget.run(poll_now), Ok(()));
    }

    #[test]
    fn whoever_takes_little_is_not_stopped_for_others() {
        memory::count(10 << 20);
        let budget = Budget { memory: Some(1 << 20), ..Budget::default() };
        assert_eq!(budget.run(poll_now), Ok(()));
        let greedy = budget.run(|| {
            memory::count(1 << 20);
            poll_now();
        });
        assert_eq!(greedy, Err(Stopped::Memory));
        memory::count(-(11 << 20));
    }

    #[test]
    fn other_panics_go_on() {
        let caught = catch_unwind(|| catch(|| resume_unwind(Box::new("mine"))));
        assert!(caught.is_err_and(|payload| payload.is::<&str>()));
    }
}
