//! Room for deep recursion: `cat` has no loops, so that a model may well recurse once per event or once per definition.
//!
//! What bounds a recursion is the number of calls, which is the same everywhere; the guard on the stack is there in case a machine has
//! too little of it.

/// Calls nested deeper than this are refused.
pub(super) const DEPTH_LIMIT: u32 = 10_000;

/// How much an interpreter may use on a thread that is not its own: threads have 2 MiB, and it is not the first on theirs.
pub(super) const SHALLOW: usize = 1 << 20;

/// The stack of a run that recurses deeply; only what is used of it is ever touched.
const DEEP: usize = 512 << 20;

/// Runs something on a large stack and tells it how much of that it may use; on this stack, if there is no such thread.
pub(super) fn deep<T: Send>(run: impl FnOnce(usize) -> T + Send) -> T {
    let mut job = Some(run);
    let mut result = None;
    std::thread::scope(|scope| {
        let (job, result) = (&mut job, &mut result);
        let on_thread = move || *result = job.take().map(|run| run(DEEP - (DEEP >> 3)));
        let on_thread = crate::limits::handed_on(on_thread);
        let thread = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, on_thread);
        if let Ok(Err(panic)) = thread.map(std::thread::ScopedJoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    });
    match (result, job) {
        (Some(result), _) => result,
        (None, Some(run)) => run(SHALLOW),
        (None, None) => unreachable!("a job that was taken has a result or has panicked"),
    }
}
