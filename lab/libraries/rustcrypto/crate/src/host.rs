//! What a library without `std` needs of its host: C's heap, and a way to stop.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    safe fn abort() -> !;
}

/// C aligns for every type of its own; no type here wants more.
const ALIGNED: usize = 16;

struct Heap;

// SAFETY: malloc and free keep the promises of an allocator.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > ALIGNED {
            return core::ptr::null_mut();
        }
        // SAFETY: any size may be asked for.
        unsafe { malloc(layout.size()).cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: it came from malloc.
        unsafe { free(block.cast()) }
    }
}

#[global_allocator]
static HEAP: Heap = Heap;

/// Ends the program: the lab says that it crashed.
pub(crate) fn stop() -> ! {
    abort()
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    stop()
}

/// Named by the core library, which was built to unwind; nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
