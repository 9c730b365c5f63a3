//! The `litmus` command.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_int;
use std::io::{BufWriter, Write, stderr, stdout};

use libmimalloc_sys::{mi_malloc, mi_realloc, mi_zalloc};
use litmus::limits::memory;
use litmus::session::STACK;
use mimalloc::MiMalloc;

/// A fifth of the time of a small test goes into memory management otherwise. What is handed out is counted, so that it can be bounded.
#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

/// Every block is aligned to that much, whether it is asked for or not; asking takes twice as long.
const NATURAL: usize = 8;

// SAFETY: everything is left to an allocator that is one; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        memory::count(layout.size() as i64);
        // SAFETY: as our caller says.
        unsafe {
            match layout.align() <= NATURAL {
                true => mi_malloc(layout.size()).cast(),
                false => MiMalloc.alloc(layout),
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        memory::count(-(layout.size() as i64));
        // SAFETY: as our caller says.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        memory::count(layout.size() as i64);
        // SAFETY: as our caller says.
        unsafe {
            match layout.align() <= NATURAL {
                true => mi_zalloc(layout.size()).cast(),
                false => MiMalloc.alloc_zeroed(layout),
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        memory::count(size as i64 - layout.size() as i64);
        // SAFETY: as our caller says.
        unsafe {
            match layout.align() <= NATURAL {
                true => mi_realloc(block.cast(), size).cast(),
                false => MiMalloc.realloc(block, layout, size),
            }
        }
    }
}

fn main() {
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match spawned.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => leave(exit),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // No room for a thread with that stack: the one there is serves all but absurd inputs.
        Err(_) => leave(run()),
    }
}

fn run() -> u8 {
    let mut out = BufWriter::new(stdout());
    litmus::cli::main(std::env::args_os(), &mut out, &mut stderr()).code()
}

unsafe extern "C" {
    fn _exit(code: c_int) -> !;
}

/// Ends the process. At a usual exit the allocator would give its memory back piece by piece, which the system does at once.
fn leave(code: u8) -> ! {
    // Nobody is left who could be told.
    let _ = stdout().flush();
    // SAFETY: what was written is flushed, and no other thread has anything to finish.
    unsafe { _exit(c_int::from(code)) }
}
