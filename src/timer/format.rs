//! What is the layout of the table that a timed process leaves behind?
//!
//! Each process has one file, which is mapped into memory and written in place, so that it is consistent at every
//! moment: a process that aborts, is killed or calls `_exit` leaves what it has measured so far. Every field is an
//! atomic of fixed size in the machine's own byte order; the file never leaves the machine. Times are in picoseconds,
//! memory is in bytes.
//!
//! This file is included by the preloaded library, which writes the table, and by `warpwise_timer`, which reads it.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The first eight bytes; the last two digits are the version.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WWTIME01");
/// Names the folder in which the library creates the table.
pub const FOLDER_VARIABLE: &str = "WARPWISE_TIME_FOLDER";
/// Comma-separated: `hash` records what is copied back, `all` times every launch, whatever it costs.
pub const MODE_VARIABLE: &str = "WARPWISE_TIME_MODE";
/// End of the file's name, after the process id and a counter.
pub const SUFFIX: &str = ".warpwise-times";

/// Maximum number of records for kernels and graphs; the last one collects the rest.
pub const KERNELS: usize = 2048;
/// Maximum number of block shapes recorded per kernel.
pub const SHAPES: usize = 8;
/// Maximum number of times stored per kernel, for the median.
pub const SAMPLES: usize = 256;
/// Bytes reserved for names.
pub const TEXT: usize = 2 << 20;
/// Maximum number of GPUs of one process.
pub const DEVICES: usize = 32;
/// Maximum number of copies recorded, in a process that records them.
pub const COPIES: usize = 1 << 20;

/// The kernel was launched cooperatively.
pub const COOPERATIVE: u32 = 1;
/// The kernel was launched in clusters.
pub const CLUSTER: u32 = 2;
/// The kernel may start before its predecessor ends.
pub const PROGRAMMATIC: u32 = 4;
/// The record is of a graph.
pub const GRAPH: u32 = 8;

/// Hash of a copy that was overwritten before the program could have read it.
pub const OVERWRITTEN: u64 = u64::MAX;
/// Hash of a copy that was still running when the process ended; the value in a fresh table.
#[allow(dead_code, reason = "the reader's")]
pub const UNFINISHED: u64 = 0;

/// The first words of the tables by which launch code of warpwise finds the versions and the alternatives of a kernel. It
/// copies them from the device; the program does not see them, and another build of it may have others or none.
pub const LAUNCH_TABLES: [u64; 2] = [u64::from_le_bytes(*b"WRWIES02"), u64::from_le_bytes(*b"WWTUNE02")];

/// Properties of the process.
#[repr(C)]
pub struct Header {
    pub magic: AtomicU64,
    pub process: AtomicU32,
    /// Bits of the mode: 1 hash, 2 all.
    pub mode: AtomicU32,
    /// CLOCK_REALTIME in nanoseconds when the table was created.
    pub started: AtomicU64,
    pub kernels: AtomicU32,
    pub text_used: AtomicU32,
    /// Host time spent in the library, in nanoseconds; an estimate.
    pub own_time: AtomicU64,
    /// Launches that were captured into a graph instead of executed.
    pub captured: AtomicU64,
    /// Copies from the device to the host.
    pub copies: AtomicU64,
    pub copied_bytes: AtomicU64,
    /// Bytes of managed memory allocated: the host reads them without copies.
    pub managed_bytes: AtomicU64,
    /// The driver's error that ended a context, 0 for none: what was running then is not timed.
    pub lost_context: AtomicU32,
    /// The driver's version, 1000 * major + 10 * minor.
    pub driver: AtomicU32,
    pub program: [AtomicU64; 64],
    pub devices: [Device; DEVICES],
}

/// One GPU.
#[repr(C)]
pub struct Device {
    pub name: [AtomicU64; 8],
    pub known: AtomicU32,
    pub capability: AtomicU32,
    pub multiprocessors: AtomicU32,
    pub threads_per_multiprocessor: AtomicU32,
}

/// One kernel on one GPU, or one graph.
#[repr(C)]
pub struct Kernel {
    pub name_at: AtomicU32,
    pub name_length: AtomicU32,
    pub device: AtomicU32,
    pub flags: AtomicU32,
    pub registers: AtomicU32,
    pub local: AtomicU32,
    pub static_shared: AtomicU32,
    pub largest_block: AtomicU32,
    pub launches: AtomicU64,
    /// Number of launches whose time is known.
    pub timed: AtomicU64,
    /// Number of launches that got events; the others were deliberately left out.
    pub chosen: AtomicU64,
    /// Sum of the known times.
    pub sum: AtomicU64,
    /// Sum of the known times, each multiplied by the number of launches that it represents.
    pub weighted: AtomicU64,
    pub covered: AtomicU64,
    pub least: AtomicU64,
    pub most: AtomicU64,
    pub least_blocks: AtomicU64,
    pub most_blocks: AtomicU64,
    pub shapes: [Shape; SHAPES],
    /// Launches with shapes for which there was no room.
    pub other_shapes: AtomicU64,
    /// Used by the writer only: number of launches up to the last chosen one, and how many are still to be skipped.
    pub mark: AtomicU64,
    pub pause: AtomicU32,
    pub samples: [AtomicU64; SAMPLES],
}

/// One shape of block with its dynamic shared memory.
#[repr(C)]
pub struct Shape {
    /// See [`shape_key`]; 0 is an unused entry.
    pub key: AtomicU64,
    pub launches: AtomicU64,
    /// Blocks that fit on a multiprocessor at once.
    pub resident: AtomicU32,
    pub cluster: AtomicU32,
}

/// One copy from the device.
#[repr(C)]
pub struct Copy {
    pub bytes: AtomicU64,
    /// Hash of the bytes, or [`UNFINISHED`] or [`OVERWRITTEN`].
    pub hash: AtomicU64,
}

/// The whole file. Copies are present only in a process that records them.
#[repr(C)]
pub struct Table {
    pub header: Header,
    pub kernels: [Kernel; KERNELS],
    pub text: [AtomicU64; TEXT / 8],
    pub copies: [Copy; COPIES],
}

/// Bytes of the file without the list of copies.
pub const SHORT: usize = std::mem::offset_of!(Table, copies);

/// A shape packed into one word: 11 bits for each block extent, dynamic shared memory above.
pub fn shape_key(block: [u32; 3], dynamic: u32) -> u64 {
    let [x, y, z] = block.map(|extent| u64::from(extent.min(2047)));
    x | y << 11 | z << 22 | u64::from(dynamic) << 33
}

/// The block and dynamic shared memory packed by [`shape_key`].
#[allow(dead_code, reason = "the reader's")]
pub fn shape_of_key(key: u64) -> ([u32; 3], u32) {
    let part = |shift: u32| (key >> shift & 2047) as u32;
    ([part(0), part(11), part(22)], (key >> 33) as u32)
}
