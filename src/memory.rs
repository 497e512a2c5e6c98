//! Who hands out memory, and how much is held? mimalloc; counted while somebody asks.
//!
//! The analysis of a small function makes some sixty arrays and drops them again. The C library's allocator took a
//! quarter of its time for that.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// mimalloc, with counters that rest until [`peak_bytes`] wakes them.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
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

// SAFETY: defers to mimalloc; the counters do not allocate.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::grow(layout.size());
        // SAFETY: same contract as ours.
        unsafe { MiMalloc.alloc(layout) }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::grow(layout.size());
        // SAFETY: same contract as ours.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }
    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // both live while the contents are copied
        Self::grow(size);
        Self::shrink(layout.size());
        // SAFETY: same contract as ours.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
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

/// The most bytes that were held at once while `body` ran, beyond those held before; of the whole process, in one
/// measurement at a time.
pub fn peak_bytes(body: impl FnOnce()) -> usize {
    COUNTS.store(true, Relaxed);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    body();
    COUNTS.store(false, Relaxed);
    PEAK.load(Relaxed).wrapping_sub(before)
}
