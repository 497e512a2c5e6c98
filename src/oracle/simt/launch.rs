//! What are the inputs of a launch, and what are its results?

use super::fault::Fault;
use warpwise_ir::geometry::{MAX_BLOCK_THREADS as MAX_THREADS, MAX_BLOCK_Z};

/// How lanes are scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// Warps in lockstep.
    #[default]
    Lockstep,
    /// Every lane by itself, interleaved at random from this seed.
    Independent(u64),
}

/// Where lockstep groups merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reconvergence {
    /// Wherever they are at the same block in the same iteration.
    #[default]
    Earliest,
    /// At the immediate post-dominator of the branch, or at the next iteration of the branch's loop.
    PostDominator,
}

/// Limits of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Number of instructions executed by all warps (lockstep) or lanes (independent).
    pub steps: u64,
    /// Maximum call depth.
    pub calls: u32,
    /// Largest local memory of a lane.
    pub local_bytes: u64,
    /// Largest device heap of the launch.
    pub heap_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1_000_000_000, calls: 256, local_bytes: 512 << 10, heap_bytes: 8 << 20 }
    }
}

/// Which accesses are checked for races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RaceCheck {
    pub shared: bool,
    pub global: bool,
}

/// Everything about a launch except its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchConfig {
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    pub scheduler: Scheduler,
    pub reconvergence: Reconvergence,
    pub limits: Limits,
    pub races: RaceCheck,
    /// Run the version of the kernel that the host would choose, if there are any.
    pub versions: bool,
    /// The number of the alternative to run, of a kernel that is to be measured, if its facts hold.
    pub alternative: Option<usize>,
}

impl LaunchConfig {
    /// A launch with this shape, and defaults for everything else.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
        LaunchConfig {
            grid,
            block,
            dynamic_shared: 0,
            scheduler: Scheduler::default(),
            reconvergence: Reconvergence::default(),
            limits: Limits::default(),
            races: RaceCheck::default(),
            versions: true,
            alternative: None,
        }
    }
}

/// A kernel argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A value as stored in memory: a scalar, a vector, a by-value struct.
    Value(Vec<u8>),
    /// A buffer in device memory; the kernel gets its address, and the report contains its contents afterwards.
    Buffer(Vec<u8>),
}

/// The inputs of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    pub args: Vec<Arg>,
    /// Global variables to overwrite before the launch: name and leading bytes.
    pub globals: Vec<(String, Vec<u8>)>,
}

/// The contents of memory after a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bytes {
    pub data: Vec<u8>,
    /// Undefined bits of every byte; empty if all are defined.
    pub undef: Vec<u8>,
}

/// A global variable after a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GlobalAfter {
    pub name: String,
    pub bytes: Bytes,
    /// Whether the kernel or the inputs changed it.
    pub changed: bool,
}

/// The results of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchReport {
    /// For each argument that is a buffer, its contents.
    pub buffers: Vec<Option<Bytes>>,
    /// Every global variable in device memory that is not constant.
    pub globals: Vec<GlobalAfter>,
    /// Instructions executed by warps (lockstep) or lanes (independent).
    pub steps: u64,
    /// Instructions executed by lanes.
    pub lane_steps: u64,
    /// What the kernel printed.
    pub stdout: String,
    /// The version that ran in place of the kernel.
    pub version: Option<String>,
    /// Dynamic shared memory of a block, in bytes: the program's own, and what the version has behind it.
    pub dynamic_shared: u32,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Why a launch did not end normally.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaunchError {
    /// The request is not valid; the text says what would be.
    #[error("{0}")]
    Request(String),
    #[error("{0}")]
    Fault(Box<Fault>),
}

/// Whether the machine can launch this shape.
pub(super) fn check_shape(config: &LaunchConfig) -> Result<(), LaunchError> {
    let refuse = |text: String| Err(LaunchError::Request(text));
    let threads = config.block.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
    let blocks = config.grid.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
    match (threads, blocks) {
        (Some(0), _) => refuse("a block of no threads: every extent of --block must be at least 1".into()),
        (_, Some(0)) => refuse("a grid of no blocks: every extent of --grid must be at least 1".into()),
        (Some(threads), Some(_)) if threads <= MAX_THREADS && config.block[2] > MAX_BLOCK_Z => {
            refuse(format!("a block of {} threads along z, but at most {MAX_BLOCK_Z} are allowed", config.block[2]))
        }
        (Some(threads), Some(_)) if threads <= MAX_THREADS => Ok(()),
        (_, None) => refuse("a grid of more than 2^32 blocks".into()),
        _ => refuse(format!("a block of {:?} threads, but at most {MAX_THREADS} are allowed", config.block)),
    }
}
