//! Did two threads access the same byte, at least one of them writing, without anything that orders the accesses?
//!
//! For every byte the last write and the last two readers are recorded, with the time at which each happened. Two
//! accesses of different threads are ordered if a barrier of the block separates them, or, within one warp, a
//! `bar.warp.sync`. Votes and shuffles synchronise lanes but do not order memory. Two atomics do not race with each
//! other. A write that does not change the byte (every lane stores the same flag) is not a race.
//!
//! Approximations, all of which may miss races: a barrier of some warps counts as one of the whole block; a
//! `bar.warp.sync` of some lanes counts as one of the whole warp; of many readers only the last two are remembered.
//! Global memory is checked on request; threads of different blocks are never ordered.

use super::code::LANES;
use super::fault::{Access, FaultKind};
use rustc_hash::FxHashMap;
use warpwise_ir::llvm::image::{FuncId, ModuleImage};

/// No thread.
const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: u32,
    block: u32,
    /// Number of barriers of the block passed, and of warp barriers of the thread's warp.
    epoch: u32,
    warp_epoch: u32,
    atomic: bool,
    at: At,
}

/// A function of the image and the ordinal of an instruction in it.
pub type At = (FuncId, u32);

/// No access.
const NEVER: Event = Event { thread: NOBODY, block: 0, epoch: 0, warp_epoch: 0, atomic: false, at: (FuncId(0), 0) };

#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Event,
    reads: [Event; 2],
}

/// A byte that was not accessed since the launch began.
const FRESH: Cell = Cell { write: NEVER, reads: [NEVER; 2] };

/// A race found.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    first: Access,
    second: Access,
    other: u32,
    /// The first access.
    at: At,
}

impl Race {
    /// The fault of it, at a place with a name.
    pub fn fault(self, image: &ModuleImage, space: &'static str, place: String, address: u64) -> FaultKind {
        let inst = image.functions.get(self.at.0.index()).and_then(|function| function.insts.get(self.at.1 as usize));
        let earlier = inst.and_then(|inst| inst.loc).map(|loc| format!(" at {}", image.describe_location(loc)));
        let earlier = earlier.unwrap_or_default();
        FaultKind::Race { space, place, address, first: self.first, second: self.second, other: self.other, earlier }
    }
}

/// The state of the check.
#[derive(Debug, Default)]
pub struct Races {
    pub shared_enabled: bool,
    pub global_enabled: bool,
    /// The instruction that runs, if anything is checked.
    pub at: Option<At>,
    shared_cells: Vec<Cell>,
    global_cells: FxHashMap<(usize, usize), Cell>,
    epoch: u32,
    warp_epochs: Vec<u32>,
}

impl Races {
    /// Whether anything is checked.
    pub fn is_on(&self) -> bool {
        self.shared_enabled || self.global_enabled
    }

    /// A new block starts, with new shared memory.
    pub fn start_block(&mut self, warps: usize, shared_bytes: usize) {
        self.epoch += 1;
        self.warp_epochs.clear();
        self.warp_epochs.resize(warps, 0);
        self.shared_cells.clear();
        if self.shared_enabled {
            self.shared_cells.resize(shared_bytes, FRESH);
        }
    }

    /// A barrier of the block completed.
    pub fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Lanes of a warp have synchronised at a `bar.warp.sync`.
    pub fn warp_sync(&mut self, warp: u32) {
        if let Some(epoch) = self.warp_epochs.get_mut(warp as usize) {
            *epoch += 1;
        }
    }

    fn event(&self, block: u32, thread: u32, what: Access) -> Event {
        let warp_epoch = self.warp_epochs.get(thread as usize / LANES).copied().unwrap_or(0);
        let at = self.at.unwrap_or(NEVER.at);
        Event { thread, block, epoch: self.epoch, warp_epoch, atomic: what == Access::Atomic, at }
    }

    /// Notes an access to shared memory.
    pub fn shared(&mut self, thread: u32, offset: usize, size: usize, what: Access) -> Result<(), Race> {
        let now = self.event(0, thread, what);
        for cell in self.shared_cells.iter_mut().skip(offset).take(size) {
            touch(cell, now, what)?;
        }
        Ok(())
    }

    /// Notes an access to global memory.
    pub fn global(
        &mut self,
        block: u32,
        thread: u32,
        allocation: usize,
        offset: usize,
        size: usize,
        what: Access,
    ) -> Result<(), Race> {
        let now = self.event(block, thread, what);
        for byte in offset..offset + size {
            touch(self.global_cells.entry((allocation, byte)).or_insert(FRESH), now, what)?;
        }
        Ok(())
    }
}

fn conflicts(before: Event, now: Event) -> bool {
    if before.thread == NOBODY || (before.atomic && now.atomic) {
        return false;
    }
    if before.block != now.block {
        return true;
    }
    let same_warp = before.thread as usize / LANES == now.thread as usize / LANES;
    before.thread != now.thread && before.epoch == now.epoch && !(same_warp && before.warp_epoch != now.warp_epoch)
}

fn touch(cell: &mut Cell, now: Event, what: Access) -> Result<(), Race> {
    let race = |event: Event, first| Err(Race { first, second: what, other: event.thread, at: event.at });
    if conflicts(cell.write, now) {
        return race(cell.write, if cell.write.atomic { Access::Atomic } else { Access::Write });
    }
    if what == Access::Read {
        if cell.reads[0].thread != now.thread || cell.reads[0].block != now.block {
            cell.reads[1] = cell.reads[0];
        }
        cell.reads[0] = now;
        return Ok(());
    }
    if let Some(&read) = cell.reads.iter().find(|&&read| conflicts(read, now)) {
        return race(read, Access::Read);
    }
    cell.write = now;
    Ok(())
}
