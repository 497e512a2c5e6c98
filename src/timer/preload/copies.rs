//! Does a program copy the same data back from the device as in another run?
//!
//! Each copy from the device to the host gets a hash of its bytes, in the order in which the program requested the
//! copies. A synchronous copy, or one to pageable memory, is hashed when the call returns. That any other copy is
//! complete a program can only learn from a call that waits or queries, and all of these are hooked: before such a call
//! returns, copies that have completed are hashed. The library itself never waits.

use crate::driver::{Handle, NOT_READY, Relaxed as RelaxedMode, SUCCESS, driver};
use crate::format::{LAUNCH_TABLES, OVERWRITTEN, Table};
use crate::state::{self, HAS_CAPTURES, Inner, State};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::atomic::Ordering::Relaxed;

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIMING: u32 = 2;

/// Host memory that a copy fills: rows of `width` bytes.
#[derive(Clone, Copy)]
pub struct Region {
    start: usize,
    width: usize,
    pitch: usize,
    height: usize,
    slice: usize,
    depth: usize,
}

impl Region {
    /// A single row of bytes.
    pub fn flat(start: usize, bytes: usize) -> Region {
        Region { start, width: bytes, pitch: bytes, height: 1, slice: bytes, depth: 1 }
    }

    /// The host memory that a `CUDA_MEMCPY2D` fills from the device.
    pub fn of_2d(words: &[u64; 16]) -> Option<Region> {
        let at = |index: usize| words[index] as usize;
        let target = host_target([words[2], words[4]], [words[9], words[10], words[11]])?;
        let start = target + at(8) * at(13) + at(7);
        Some(Region { start, width: at(14), pitch: at(13).max(at(14)), height: at(15), slice: 0, depth: 1 })
    }

    /// The host memory that a `CUDA_MEMCPY3D` fills from the device.
    pub fn of_3d(words: &[u64; 32]) -> Option<Region> {
        let at = |index: usize| words[index] as usize;
        let target = host_target([words[4], words[6]], [words[15], words[16], words[17]])?;
        let pitch = at(20).max(at(22));
        let slice = pitch * at(21).max(at(23));
        let start = target + at(13) * slice + at(12) * pitch + at(11);
        Some(Region { start, width: at(22), pitch, height: at(23), slice, depth: at(24) })
    }

    fn bytes(&self) -> u64 {
        (self.width * self.height * self.depth) as u64
    }

    fn end(&self) -> usize {
        let rows = self.height.saturating_sub(1) * self.pitch;
        self.start + self.depth.saturating_sub(1) * self.slice + rows + self.width
    }

    fn overlaps(&self, other: &Region) -> bool {
        self.start < other.end() && other.start < self.end()
    }

    /// Whether it holds a table that launch code of warpwise, not the program, has copied.
    fn is_launch_table(&self) -> bool {
        // SAFETY: the program had the driver write these bytes, and the copy is done.
        self.width >= 8 && LAUNCH_TABLES.contains(&unsafe { (self.start as *const u64).read_unaligned() })
    }

    /// Hash of the current contents; never one of the two values with a special meaning.
    fn hash(&self) -> u64 {
        let mut hash = FxHasher::default();
        for plane in 0..self.depth {
            for row in 0..self.height {
                let start = self.start + plane * self.slice + row * self.pitch;
                // SAFETY: the program had the driver write these bytes, and the copy is done.
                hash.write(unsafe { std::slice::from_raw_parts(start as *const u8, self.width) });
            }
        }
        hash.finish().clamp(1, u64::MAX - 1)
    }
}

/// The host address that a copy described by memory types writes to, if it comes from the device. `from` is the type
/// and device address, `to` the type, host address and device address.
fn host_target(from: [u64; 2], to: [u64; 3]) -> Option<usize> {
    /// `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_UNIFIED`.
    const HOST: u32 = 1;
    const UNIFIED: u32 = 4;
    let is_device = match from[0] as u32 {
        HOST => false,
        UNIFIED => driver().is_host(from[1] as usize) == Some(false),
        _ => true,
    };
    let target = match to[0] as u32 {
        HOST => to[1] as usize,
        UNIFIED if driver().is_host(to[2] as usize) != Some(false) => to[2] as usize,
        _ => return None,
    };
    is_device.then_some(target)
}

/// The host memory that a copy between unified addresses fills from the device.
pub fn of_unified(to: u64, from: u64, bytes: usize) -> Option<Region> {
    let goes_home = driver().is_host(from as usize) == Some(false) && driver().is_host(to as usize) != Some(false);
    goes_home.then(|| Region::flat(to as usize, bytes))
}

/// Copies that have not completed.
#[derive(Default)]
pub struct Copies {
    pending: Vec<Underway>,
    free: Vec<(Handle, Handle)>,
}

struct Underway {
    context: Handle,
    event: Handle,
    region: Region,
    index: usize,
}

impl Copies {
    /// The contexts are gone, and their events with them.
    pub fn forget(&mut self) {
        self.pending.clear();
        self.free.clear();
    }
}

fn set(table: &Table, index: usize, hash: u64) {
    if let Some(copy) = table.copies.get(index) {
        copy.hash.store(hash, Relaxed);
    }
}

/// Counts a copy. Earlier copies to the same place that have not completed will never be read.
fn count(state: &State, inner: &mut Inner, region: &Region) -> usize {
    let header = &state.table.header;
    let index = header.copies.fetch_add(1, Relaxed) as usize;
    header.copied_bytes.fetch_add(region.bytes(), Relaxed);
    if let Some(copy) = state.table.copies.get(index) {
        copy.bytes.store(region.bytes(), Relaxed);
    }
    let Copies { pending, free } = &mut inner.copies;
    pending.retain(|earlier| {
        let is_lost = earlier.region.overlaps(region);
        if is_lost {
            set(state.table, earlier.index, OVERWRITTEN);
            free.push((earlier.context, earlier.event));
        }
        !is_lost
    });
    index
}

/// Records a copy that has completed.
pub fn done(region: Option<Region>) {
    let (Some(region), Some(state)) = (region, state::state()) else { return };
    if region.is_launch_table() {
        return;
    }
    let mut inner = state.lock();
    let index = count(state, &mut inner, &region);
    set(state.table, index, region.hash());
}

/// Records a copy that was requested on a stream.
pub fn begun(region: Option<Region>, stream: Handle, per_thread: bool) {
    let (Some(region), Some(state)) = (region, state::state()) else { return };
    if HAS_CAPTURES.load(Relaxed) && driver().is_capturing(stream, per_thread) {
        return;
    }
    let _relaxed = RelaxedMode::enter();
    if driver().is_host(region.start).is_none() {
        return done(Some(region));
    }
    let Some((context, _)) = state::current() else { return };
    request(state, context, region, stream, per_thread);
}

/// Counts a copy that was requested on a stream, and marks its place there.
fn request(state: &State, context: Handle, region: Region, stream: Handle, per_thread: bool) {
    let mut inner = state.lock();
    let index = count(state, &mut inner, &region);
    let mut event = 0;
    if let Some(place) = inner.copies.free.iter().position(|(of, _)| *of == context) {
        event = inner.copies.free.swap_remove(place).1;
    } else if driver().event_create(&mut event, NO_TIMING) != SUCCESS {
        return;
    }
    if driver().event_record(event, stream, per_thread) == SUCCESS {
        inner.copies.pending.push(Underway { context, event, region, index });
    }
}

/// Records the copies of a launched graph.
pub fn of_graph(executable: Handle, stream: Handle, per_thread: bool) {
    let Some(state) = state::state().filter(|state| state.mode.hash) else { return };
    let regions = state.lock().graph_copies.get(&executable).cloned().unwrap_or_default();
    let _relaxed = RelaxedMode::enter();
    for region in regions {
        let Some((context, _)) = state::current() else { return };
        request(state, context, region, stream, per_thread);
    }
}

/// Hashes the copies that have completed.
pub fn collect(state: &State, inner: &mut Inner) {
    if inner.copies.pending.is_empty() {
        return;
    }
    let _relaxed = RelaxedMode::enter();
    let Copies { pending, free } = &mut inner.copies;
    pending.retain(|copy| {
        let answer = driver().event_query(copy.event);
        if answer == SUCCESS {
            set(state.table, copy.index, copy.region.hash());
            free.push((copy.context, copy.event));
        }
        answer == NOT_READY
    });
}

/// Host memory is being freed: copies to it are given up.
pub fn forget_memory(start: usize) {
    let Some(state) = state::state().filter(|state| state.mode.hash) else { return };
    let mut inner = state.lock();
    collect(state, &mut inner);
    inner.copies.pending.retain(|copy| copy.region.end() <= start || copy.region.start < start);
}
