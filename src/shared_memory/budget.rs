//! How much shared memory may the slots of a kernel take?
//!
//! There are two limits: the 48 KB that every launch gets without requesting more (for versions chosen at the launch, what
//! the chip gives a block), and occupancy: as many blocks must fit on a multiprocessor with the slots as without them.
//!
//! Input: the launch bound (threads per block) and what the kernel already uses. The number of registers of the final
//! code is unknown before `ptxas` has run. The caller passes an estimate from below, so that the number of blocks
//! without slots is never underestimated and refusals err on the safe side.

use std::cmp::Ordering;
use warpwise_analysis::gpu::chip::Chip;
use warpwise_analysis::gpu::prices::{SMALL_BLOCK, USUAL_STEP};
use warpwise_ir::geometry::MAX_BLOCK_THREADS;

/// The shared memory that one kernel may still take.
#[derive(Clone, Copy, Debug)]
pub struct SharedBudget {
    pub chip: Chip,
    /// Maximum number of threads in a block.
    pub threads: u32,
    /// Registers per thread, estimated from below.
    pub registers: u32,
    /// Number of resident blocks that the launch bound asks for.
    pub wanted_blocks: Option<u32>,
    /// Bytes of shared memory that the kernel uses without slots, including dynamic shared memory.
    pub own: u64,
    /// The same, including the slots planned so far.
    pub used: u64,
    /// Whether blocks of other sizes are launched as well, with the same static shared memory.
    pub any_block: bool,
    /// Bytes of shared memory that a block may have.
    pub limit: u64,
    /// Whether nothing is worth a resident block: blocks may wait for each other, in a grid whose size the program chose
    /// such that all of them are resident.
    pub keeps_all: bool,
}

/// Why slots do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoRoom {
    #[error(
        "{need} bytes of shared memory for {threads} threads are {over} too many: {used} of {limit} bytes are taken"
    )]
    Limit { need: u64, threads: u32, over: u64, used: u64, limit: u64 },
    #[error(
        "{need} bytes of shared memory for {threads} threads would leave {after} of {before} blocks on a multiprocessor"
    )]
    Occupancy { need: u64, threads: u32, before: u32, after: u32 },
}

impl SharedBudget {
    /// Whether `need` more bytes fit without reducing the number of resident blocks.
    pub fn check(&self, need: u64) -> Result<(), NoRoom> {
        self.check_keeping(need, 1)
    }
    /// Whether `need` more bytes fit and leave at least one in `part` of the resident blocks.
    pub fn check_keeping(&self, need: u64, part: u32) -> Result<(), NoRoom> {
        let threads = self.threads;
        let limit = self.limit;
        if self.used + need > limit {
            let over = self.used + need - limit;
            return Err(NoRoom::Limit { need, threads, over, used: self.used, limit });
        }
        let others = (SMALL_BLOCK..=MAX_BLOCK_THREADS).step_by(USUAL_STEP).filter(|_| self.any_block);
        for threads in std::iter::once(threads).chain(others) {
            // larger blocks than have slots gain nothing in return for a lost block; in smaller ones the slots of some
            // threads are unused
            let part = match threads.cmp(&self.threads) {
                Ordering::Less if part > 1 => part + 1,
                Ordering::Less | Ordering::Equal => part,
                Ordering::Greater => 1,
            };
            let before = self.chip.resident_blocks(threads, self.registers, self.own);
            let after = self.chip.resident_blocks(threads, self.registers, self.used + need);
            if after * part < before {
                return Err(NoRoom::Occupancy { need, threads, before, after });
            }
        }
        Ok(())
    }
    /// Number of resident threads without slots, as far as is known.
    pub fn resident_threads(&self) -> u32 {
        let most = self.chip.resident_blocks(self.threads, self.registers, self.own);
        self.threads * self.wanted_blocks.map_or(most, |wanted| wanted.clamp(1, most.max(1)))
    }
    /// By how many bytes the first-level cache shrinks if a block takes `need` more bytes.
    pub fn takes_from_cache(&self, need: u64) -> u64 {
        let share = |shared: u64| {
            let blocks = self.chip.resident_blocks(self.threads, self.registers, shared);
            self.chip.share(u64::from(blocks) * (shared + self.chip.reserved_bytes))
        };
        share(self.used + need).saturating_sub(share(self.used))
    }
    /// Bytes of the first-level cache that are left if as many blocks are resident as fit.
    pub fn left_of_cache(&self) -> u64 {
        let blocks = self.chip.resident_blocks(self.threads, self.registers, self.used);
        self.chip.unified_bytes - self.chip.share(u64::from(blocks) * (self.used + self.chip.reserved_bytes))
    }
    /// A budget of static shared memory for one block size.
    #[cfg(test)]
    pub fn of_test(threads: u32, registers: u32, used: u64) -> SharedBudget {
        SharedBudget {
            chip: Chip::of("sm_90"),
            threads,
            registers,
            wanted_blocks: None,
            own: used,
            used,
            any_block: false,
            limit: warpwise_analysis::gpu::chip::STATIC_SHARED,
            keeps_all: false,
        }
    }
    /// Takes the bytes.
    pub fn take(&mut self, bytes: u64) {
        self.used += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_analysis::gpu::chip::STATIC_SHARED;

    #[test]
    fn room_and_none() {
        let budget = |used| SharedBudget::of_test(256, 32, used);
        assert_eq!(budget(0).check(16 * 1024), Ok(()));
        assert!(matches!(budget(40_000).check(16 * 1024), Err(NoRoom::Limit { over: 7232, .. })));
        assert!(matches!(budget(0).check(32 * 1024), Err(NoRoom::Occupancy { before: 8, after: 6, .. })));
        assert_eq!(budget(0).check_keeping(32 * 1024, 2), Ok(()));
    }

    #[test]
    fn slots_for_some_blocks_cost_others_nothing() {
        let budget = |arch, threads| SharedBudget {
            chip: Chip::of(arch),
            threads,
            registers: 32,
            wanted_blocks: None,
            own: 0,
            used: 0,
            any_block: true,
            limit: STATIC_SHARED,
            keeps_all: false,
        };
        assert_eq!(budget("sm_90", 256).check(48 * 256), Ok(()));
        assert!(matches!(budget("sm_86", 256).check(48 * 256), Err(NoRoom::Occupancy { threads: 128, .. })));
        assert_eq!(budget("sm_86", 128).check(48 * 128), Ok(()));
    }
}
