//! How much shared memory may slots of a kernel take, and how many registers may its threads use?
//!
//! Two bounds on shared memory: the 48 KB that every launch gets without asking, and the occupancy: the number of blocks
//! that fit on a multiprocessor must be the same with the slots as without. The blocks that fit follow from threads,
//! resident blocks, registers and shared memory, each a column of [`TABLE`].
//!
//! Input: the launch bound (threads of a block) and what the kernel already uses. The registers of the final code are
//! unknown before `ptxas` has run; the caller passes an estimate from below, so that the number of blocks without slots is
//! never underestimated and the refusal errs on the safe side.
//!
//! Source of the numbers: CUDA C++ Programming Guide, technical specifications per compute capability.

use crate::geometry::{Geometry, MAX_BLOCK_THREADS, WARP_SIZE};
use std::cmp::Ordering;

/// Shared memory a block may have without the host asking for more.
pub const STATIC_LIMIT: u64 = 48 * 1024;
/// Registers of a multiprocessor, on every architecture here.
const REGISTERS: u32 = 65_536;
/// Registers are handed to warps in units of this many.
const WARP_UNIT: u32 = 256;
/// Most registers of a thread.
pub const MAX_REGISTERS: u32 = 255;

/// Where blocks of any size may come, smaller ones than this may lose occupancy: they all use the slots, and what is gained
/// in place of local memory is more than that.
const SMALL_BLOCK: u32 = 128;
/// Blocks of other sizes than multiples of this many threads are rare.
const USUAL_STEP: usize = 64;

/// What one multiprocessor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    pub arch: u32,
    pub threads: u32,
    pub blocks: u32,
    /// Shared memory for all resident blocks, in bytes.
    pub shared: u64,
    /// Shared memory the system takes from each block, in bytes.
    pub reserved: u64,
    /// The memory that is divided into shared memory and first-level cache, in bytes.
    pub unified: u64,
}

const fn machine(arch: u32, threads: u32, blocks: u32, shared_kb: u64, reserved: u64, unified_kb: u64) -> Machine {
    Machine { arch, threads, blocks, shared: shared_kb * 1024, reserved, unified: unified_kb * 1024 }
}

/// Ordered by architecture.
const TABLE: &[Machine] = &[
    machine(75, 1024, 16, 64, 0, 96),
    machine(80, 2048, 32, 164, 1024, 192),
    machine(86, 1536, 16, 100, 1024, 128),
    machine(87, 1536, 16, 164, 1024, 192),
    machine(88, 1536, 16, 100, 1024, 128),
    machine(89, 1536, 24, 100, 1024, 128),
    machine(90, 2048, 32, 228, 1024, 256),
    machine(100, 2048, 32, 228, 1024, 256),
    machine(101, 1536, 24, 228, 1024, 256),
    machine(103, 2048, 32, 228, 1024, 256),
    machine(110, 1536, 24, 228, 1024, 256),
    machine(120, 1536, 24, 100, 1024, 128),
    machine(121, 1536, 24, 100, 1024, 128),
];

/// What is assumed of an architecture that the table does not have: many threads to feed, little memory to share.
const UNKNOWN: Machine = machine(0, 2048, 32, 64, 1024, 128);

impl Machine {
    /// By the name of a target CPU: `sm_90`, `sm_120a`.
    pub fn of(cpu: &str) -> Machine {
        let digits: String = cpu.trim_start_matches("sm_").chars().take_while(char::is_ascii_digit).collect();
        let arch = digits.parse::<u32>().unwrap_or(0);
        TABLE.iter().copied().find(|machine| machine.arch == arch).unwrap_or(UNKNOWN)
    }

    /// What becomes shared memory where so much is wanted.
    fn share(&self, wanted: u64) -> u64 {
        let least = SHARES.into_iter().map(|share| share * 1024).find(|&share| share >= wanted);
        least.unwrap_or(self.shared).min(self.shared)
    }

    /// Blocks of `threads` threads that fit at once.
    pub fn resident_blocks(&self, threads: u32, registers: u32, shared: u64) -> u32 {
        let warps = threads.div_ceil(WARP_SIZE).max(1);
        let by_threads = self.threads / (warps * WARP_SIZE);
        let per_warp = (registers * WARP_SIZE).next_multiple_of(WARP_UNIT).max(WARP_UNIT);
        let by_registers = REGISTERS / (per_warp * warps);
        let by_shared = self.shared / (shared.next_multiple_of(128) + self.reserved).max(1);
        by_threads.min(self.blocks).min(by_registers).min(by_shared as u32)
    }
}

/// The steps in which the memory is divided, in KB.
const SHARES: [u64; 10] = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228];

/// The shared memory one kernel may still take.
#[derive(Clone, Copy, Debug)]
pub struct SharedBudget {
    pub machine: Machine,
    /// Most threads of a block.
    pub threads: u32,
    /// Registers of a thread, estimated from below.
    pub registers: u32,
    /// Blocks that the launch bound asks for.
    pub wanted_blocks: Option<u32>,
    /// Shared memory that the kernel uses by itself, dynamic included.
    pub own: u64,
    /// The same with the slots planned so far.
    pub used: u64,
    /// Blocks of other sizes are launched as well, with the same static shared memory.
    pub any_block: bool,
}

/// Why slots do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoRoom {
    #[error(
        "{need} bytes of shared memory for {threads} threads are {over} too many: {used} of {STATIC_LIMIT} bytes are taken"
    )]
    Limit { need: u64, threads: u32, over: u64, used: u64 },
    #[error(
        "{need} bytes of shared memory for {threads} threads would leave {after} of {before} blocks on a multiprocessor"
    )]
    Occupancy { need: u64, threads: u32, before: u32, after: u32 },
}

impl SharedBudget {
    /// Whether `need` more bytes fit and cost no block.
    pub fn check(&self, need: u64) -> Result<(), NoRoom> {
        self.check_keeping(need, 1)
    }
    /// Whether `need` more bytes fit and leave one in `part` of the blocks.
    pub fn check_keeping(&self, need: u64, part: u32) -> Result<(), NoRoom> {
        let threads = self.threads;
        if self.used + need > STATIC_LIMIT {
            let over = self.used + need - STATIC_LIMIT;
            return Err(NoRoom::Limit { need, threads, over, used: self.used });
        }
        let others = (SMALL_BLOCK..=MAX_BLOCK_THREADS).step_by(USUAL_STEP).filter(|_| self.any_block);
        for threads in std::iter::once(threads).chain(others) {
            // larger blocks than have slots gain nothing for a lost block; in smaller ones some threads' slots are idle
            let part = match threads.cmp(&self.threads) {
                Ordering::Less if part > 1 => part + 1,
                Ordering::Less | Ordering::Equal => part,
                Ordering::Greater => 1,
            };
            let before = self.machine.resident_blocks(threads, self.registers, self.own);
            let after = self.machine.resident_blocks(threads, self.registers, self.used + need);
            if after * part < before {
                return Err(NoRoom::Occupancy { need, threads, before, after });
            }
        }
        Ok(())
    }
    /// Threads that are resident without slots, as far as can be told.
    pub fn resident_threads(&self) -> u32 {
        let most = self.machine.resident_blocks(self.threads, self.registers, self.own);
        self.threads * self.wanted_blocks.map_or(most, |wanted| wanted.clamp(1, most.max(1)))
    }
    /// What the first-level cache loses if a block takes `need` more bytes.
    pub fn takes_from_cache(&self, need: u64) -> u64 {
        let share = |shared: u64| {
            let blocks = self.machine.resident_blocks(self.threads, self.registers, shared);
            self.machine.share(u64::from(blocks) * (shared + self.machine.reserved))
        };
        share(self.used + need).saturating_sub(share(self.used))
    }
    /// Takes the bytes.
    pub fn take(&mut self, bytes: u64) {
        self.used += bytes;
    }
}

/// Registers a thread may use: what the user states, the kernel's own bound, or what its launch bounds leave.
/// `None` where nothing is promised; `ptxas` then takes what it likes.
pub fn register_budget(stated: Option<u32>, geometry: &Geometry) -> Option<u32> {
    if let Some(stated) = stated.or(geometry.max_registers) {
        return Some(stated.min(MAX_REGISTERS));
    }
    let threads = geometry.exact.map(|shape| shape.threads()).or(geometry.max_threads)?;
    let warps = threads.div_ceil(WARP_SIZE) * geometry.min_blocks.unwrap_or(1);
    let per_warp = REGISTERS / warps / WARP_UNIT * WARP_UNIT;
    Some((per_warp / WARP_SIZE).clamp(16, MAX_REGISTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_fit() {
        let hopper = Machine::of("sm_90a");
        assert_eq!(hopper.arch, 90);
        assert_eq!(hopper.resident_blocks(256, 32, 0), 8);
        assert_eq!(hopper.resident_blocks(256, 32, 16 * 1024), 8);
        assert_eq!(hopper.resident_blocks(256, 32, 32 * 1024), 6);
        assert_eq!(hopper.resident_blocks(256, 64, 32 * 1024), 4);
        assert_eq!(hopper.resident_blocks(32, 32, 0), 32);
        assert_eq!(Machine::of("sm_75").resident_blocks(1024, 32, 48 * 1024), 1);
        assert_eq!(Machine::of("gfx90a"), UNKNOWN);
    }

    #[test]
    fn room_and_none() {
        let budget = |used| SharedBudget {
            machine: Machine::of("sm_90"),
            threads: 256,
            registers: 32,
            wanted_blocks: None,
            own: used,
            used,
            any_block: false,
        };
        assert_eq!(budget(0).check(16 * 1024), Ok(()));
        assert!(matches!(budget(40_000).check(16 * 1024), Err(NoRoom::Limit { over: 7232, .. })));
        assert!(matches!(budget(0).check(32 * 1024), Err(NoRoom::Occupancy { before: 8, after: 6, .. })));
        assert_eq!(budget(0).check_keeping(32 * 1024, 2), Ok(()));
    }

    #[test]
    fn slots_for_some_blocks_cost_others_nothing() {
        let budget = |arch, threads| SharedBudget {
            machine: Machine::of(arch),
            threads,
            registers: 32,
            wanted_blocks: None,
            own: 0,
            used: 0,
            any_block: true,
        };
        assert_eq!(budget("sm_90", 256).check(48 * 256), Ok(()));
        assert!(matches!(budget("sm_86", 256).check(48 * 256), Err(NoRoom::Occupancy { threads: 128, .. })));
        assert_eq!(budget("sm_86", 128).check(48 * 128), Ok(()));
    }

    #[test]
    fn registers_from_launch_bounds() {
        let with =
            |max_threads, min_blocks, max_registers| Geometry { exact: None, max_threads, min_blocks, max_registers };
        assert_eq!(register_budget(None, &with(Some(1024), Some(2), None)), Some(32));
        assert_eq!(register_budget(None, &with(Some(1024), None, None)), Some(64));
        assert_eq!(register_budget(None, &with(Some(256), None, None)), Some(255));
        assert_eq!(register_budget(None, &with(Some(96), Some(12), None)), Some(56));
        assert_eq!(register_budget(None, &with(None, None, Some(40))), Some(40));
        assert_eq!(register_budget(Some(24), &with(Some(1024), None, Some(40))), Some(24));
        assert_eq!(register_budget(None, &with(None, None, None)), None);
    }
}
