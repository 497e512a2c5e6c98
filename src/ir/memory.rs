//! Which allocator is used, and how much memory is held? mimalloc; memory is counted while a measurement runs.
//!
//! The analysis of a small function allocates and frees some sixty arrays. With the C library's allocator a quarter of
//! its time was spent on that.

use libmimalloc_sys::{mi_malloc, mi_realloc, mi_zalloc};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// To how many bytes mimalloc aligns everything. Its functions that take an alignment cost more, whatever it is.
const ALIGNED: usize = size_of::<usize>();

/// mimalloc, with counters that are inactive outside [`peak_bytes`].
struct Counting;

/// Whether allocations are counted.
static COUNTS: AtomicBool = AtomicBool::new(false);
/// Bytes allocated and not yet freed, and the maximum of that.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    #[inline]
    fn grow(by: usize) {
        if COUNTS.load(Relaxed) {
            let live = LIVE.fetch_add(by, Relaxed).wrapping_add(by);
            PEAK.fetch_max(live, Relaxed);
        }
    }
    #[inline]
    fn shrink(by: usize) {
        if COUNTS.load(Relaxed) {
            LIVE.fetch_sub(by, Relaxed);
        }
    }
}

// SAFETY: forwards to mimalloc; the counters do not allocate.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::grow(layout.size());
        // SAFETY: same contract as ours; what is aligned no further needs no mention of it.
        unsafe { if layout.align() <= ALIGNED { mi_malloc(layout.size()).cast() } else { MiMalloc.alloc(layout) } }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::grow(layout.size());
        // SAFETY: same contract as ours; what is aligned no further needs no mention of it.
        unsafe {
            if layout.align() <= ALIGNED { mi_zalloc(layout.size()).cast() } else { MiMalloc.alloc_zeroed(layout) }
        }
    }
    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // both live while the contents are copied
        Self::grow(size);
        Self::shrink(layout.size());
        // SAFETY: same contract as ours; what is aligned no further needs no mention of it.
        unsafe {
            if layout.align() <= ALIGNED {
                mi_realloc(pointer.cast(), size).cast()
            } else {
                MiMalloc.realloc(pointer, layout, size)
            }
        }
    }
    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::shrink(layout.size());
        // SAFETY: same contract as ours.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Maximum number of bytes held at once while `body` runs, beyond those held before. Counts the whole process; only one
/// measurement may run at a time.
pub fn peak_bytes(body: impl FnOnce()) -> usize {
    COUNTS.store(true, Relaxed);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    body();
    COUNTS.store(false, Relaxed);
    PEAK.load(Relaxed).wrapping_sub(before)
}
