//! What the allocator of the process says that it handed out. A library user's own allocator may say nothing; then nothing is bounded.

use std::cell::Cell;
use std::io::Read as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// What threads hand on at once.
const BATCH: i64 = 64 << 10;

static LIVE: AtomicI64 = AtomicI64::new(0);

thread_local! {
    static COUNTS: Counts = const { Counts { own: Cell::new(0), pending: Cell::new(0) } };
}

struct Counts {
    own: Cell<i64>,
    pending: Cell<i64>,
}

/// For the allocator: so many bytes were handed out, or given back if negative.
#[inline]
pub fn count(bytes: i64) {
    // A thread that is about to end has no counts any more.
    let _ = COUNTS.try_with(|counts| {
        counts.own.set(counts.own.get() + bytes);
        let pending = counts.pending.get() + bytes;
        if pending.abs() < BATCH {
            counts.pending.set(pending);
        } else {
            counts.pending.set(0);
            LIVE.fetch_add(pending, Ordering::Relaxed);
        }
    });
}

/// Bytes in use by the process, to within what threads have not handed on yet.
pub fn live() -> u64 {
    u64::try_from(LIVE.load(Ordering::Relaxed)).unwrap_or(0)
}

/// Bytes handed out to this thread, less those that it gave back.
pub fn own() -> i64 {
    COUNTS.try_with(|counts| counts.own.get()).unwrap_or(0)
}

/// What a process may take unless told otherwise: half of what the machine has, or of what the process is given of it.
pub fn default_limit() -> u64 {
    static LIMIT: OnceLock<u64> = OnceLock::new();
    *LIMIT.get_or_init(find_limit)
}

fn find_limit() -> u64 {
    const FALLBACK: u64 = 4 << 30;
    let installed = read("/proc/meminfo");
    let installed = installed.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let installed = installed.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let group = read("/sys/fs/cgroup/memory.max").trim().parse::<u64>().ok();
    let limits = read("/proc/self/limits");
    let space = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    let space = space.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    let known = [installed.and_then(|kilobytes| kilobytes.checked_mul(1024)), group, space];
    known.into_iter().flatten().min().map_or(FALLBACK, |bytes| bytes / 2)
}

/// What a file of the system says; nothing, where there is none. It does not tell its size: without room to begin with it is read in many pieces.
fn read(path: &str) -> String {
    let mut text = String::with_capacity(4096);
    let read = std::fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    read.map(|_| text).unwrap_or_default()
}
