//! How many blocks of a kernel fit on a multiprocessor, and how many registers may its threads use?
//!
//! The number of blocks is limited by resident threads, resident blocks, registers and shared memory, each a column of
//! the [table](super::chip).

use super::chip::{Chip, MAX_REGISTERS, REGISTER_UNIT, REGISTERS, SHARED_UNIT, SHARES_KB};
use super::prices::USUAL_THREADS;
use warpwise_ir::geometry::{Geometry, WARP_SIZE};

impl Chip {
    /// Number of blocks that fit at once. `registers` is per thread, `shared_bytes` per block.
    pub fn resident_blocks(&self, threads: u32, registers: u32, shared_bytes: u64) -> u32 {
        let warps = threads.div_ceil(WARP_SIZE).max(1);
        let by_threads = self.threads / (warps * WARP_SIZE);
        let per_warp = (registers * WARP_SIZE).next_multiple_of(REGISTER_UNIT).max(REGISTER_UNIT);
        let by_registers = REGISTERS / (per_warp * warps);
        let by_shared = self.shared_bytes / (shared_bytes.next_multiple_of(SHARED_UNIT) + self.reserved_bytes).max(1);
        by_threads.min(self.blocks).min(by_registers).min(by_shared as u32)
    }

    /// Number of registers of a thread with which as many threads are resident as may be.
    pub fn registers_of_all(&self) -> u32 {
        REGISTERS / self.threads
    }

    /// Whether at least one of `part` blocks stays resident if the threads of a kernel need other registers than before.
    pub fn keeps_blocks(&self, geometry: &Geometry, registers: [u32; 2], part: u32) -> bool {
        let [before, after] = registers.map(|each| self.resident_blocks(expected_threads(geometry), each, 0));
        part * after >= before
    }

    /// Size of the shared part of the unified memory, in bytes, if this much is needed.
    pub fn share(&self, wanted_bytes: u64) -> u64 {
        let least = SHARES_KB.into_iter().map(|share| share * 1024).find(|&share| share >= wanted_bytes);
        least.unwrap_or(self.shared_bytes).min(self.shared_bytes)
    }
}

/// Number of threads of a block for which occupancy is judged: the bound, or [`USUAL_THREADS`] where there is none.
pub fn expected_threads(geometry: &Geometry) -> u32 {
    if geometry.is_bounded() { geometry.thread_bound() } else { USUAL_THREADS }
}

/// Number of registers that a thread may use: as stated by the user, else the kernel's own bound, else what its launch
/// bounds leave. `None` if there is no bound; `ptxas` then uses as many as it likes.
pub fn register_budget(stated: Option<u32>, geometry: &Geometry) -> Option<u32> {
    if let Some(stated) = stated.or(geometry.max_registers) {
        return Some(stated.min(MAX_REGISTERS));
    }
    let threads = geometry.exact.map(|shape| shape.threads()).or(geometry.max_threads)?;
    let warps = threads.div_ceil(WARP_SIZE) * geometry.min_blocks.unwrap_or(1);
    let per_warp = REGISTERS / warps / REGISTER_UNIT * REGISTER_UNIT;
    Some((per_warp / WARP_SIZE).clamp(16, MAX_REGISTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_fit() {
        let hopper = Chip::of("sm_90a");
        assert_eq!(hopper.resident_blocks(256, 32, 0), 8);
        assert_eq!(hopper.resident_blocks(256, 32, 16 * 1024), 8);
        assert_eq!(hopper.resident_blocks(256, 32, 32 * 1024), 6);
        assert_eq!(hopper.resident_blocks(256, 64, 32 * 1024), 4);
        assert_eq!(hopper.resident_blocks(32, 32, 0), 32);
        assert_eq!(Chip::of("sm_75").resident_blocks(1024, 32, 48 * 1024), 1);
        assert_eq!((hopper.share(1), hopper.share(101 * 1024)), (8 * 1024, 132 * 1024));
    }

    #[test]
    fn registers_from_launch_bounds() {
        let with = |max_threads, min_blocks, max_registers| Geometry {
            max_threads,
            min_blocks,
            max_registers,
            ..Geometry::default()
        };
        assert_eq!(register_budget(None, &with(Some(1024), Some(2), None)), Some(32));
        assert_eq!(register_budget(None, &with(Some(1024), None, None)), Some(64));
        assert_eq!(register_budget(None, &with(Some(256), None, None)), Some(255));
        assert_eq!(register_budget(None, &with(Some(96), Some(12), None)), Some(56));
        assert_eq!(register_budget(None, &with(None, None, Some(40))), Some(40));
        assert_eq!(register_budget(Some(24), &with(Some(1024), None, Some(40))), Some(24));
        assert_eq!(register_budget(None, &with(None, None, None)), None);
    }
}
