//! What does the table look like that a timed process leaves behind?
//!
//! One file a process, mapped into it and written in place, so that it is whole at every moment: a process that aborts,
//! is killed or calls `_exit` leaves what it had measured until then. Every field is an atomic of fixed size in the
//! machine's own byte order; the file never leaves the machine. Times are picoseconds, memory is bytes.
//!
//! Included by the preloaded library, which writes it, and by `warpwise_timer`, which reads it.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The first eight bytes; the last two digits are the version.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WWTIME01");
/// Where the library puts the table: a folder.
pub const FOLDER_VARIABLE: &str = "WARPWISE_TIME_FOLDER";
/// `hash`: note what is copied back; `all`: time every launch, whatever it costs. Separated by commas.
pub const MODE_VARIABLE: &str = "WARPWISE_TIME_MODE";
/// How the file's name ends; before it stand the process number and a counter.
pub const SUFFIX: &str = ".warpwise-times";

/// Kernels and graphs that are told apart; the last record takes what comes after.
pub const KERNELS: usize = 2048;
/// Shapes that are told apart for one kernel.
pub const SHAPES: usize = 8;
/// Times that are kept one by one for one kernel, for the median.
pub const SAMPLES: usize = 256;
/// Bytes of names.
pub const TEXT: usize = 2 << 20;
/// GPUs of one process.
pub const DEVICES: usize = 32;
/// Copies that are noted one by one, in a process that is to note them.
pub const COPIES: usize = 1 << 20;

/// The kernel was launched cooperatively.
pub const COOPERATIVE: u32 = 1;
/// The kernel was launched in clusters.
pub const CLUSTER: u32 = 2;
/// The kernel may start before its predecessor ends.
pub const PROGRAMMATIC: u32 = 4;
/// The record is of a graph.
pub const GRAPH: u32 = 8;

/// A copy was overwritten before the program could have read it.
pub const OVERWRITTEN: u64 = u64::MAX;
/// A copy that was under way when the process ended; the value of a fresh table.
#[allow(dead_code, reason = "the reader's")]
pub const UNFINISHED: u64 = 0;

/// The process.
#[repr(C)]
pub struct Header {
    pub magic: AtomicU64,
    pub process: AtomicU32,
    /// The mode's bits: 1 hash, 2 all.
    pub mode: AtomicU32,
    /// CLOCK_REALTIME in nanoseconds when the table was made.
    pub started: AtomicU64,
    pub kernels: AtomicU32,
    pub text_used: AtomicU32,
    /// Host time spent in the library, in nanoseconds; an estimate.
    pub own_time: AtomicU64,
    /// Launches that went into a graph instead of to the GPU.
    pub captured: AtomicU64,
    /// Copies from the device to the host.
    pub copies: AtomicU64,
    pub copied_bytes: AtomicU64,
    /// Managed memory that was allocated: the host reads it without copies.
    pub managed_bytes: AtomicU64,
    /// A call of the driver failed for good: what was under way is not timed.
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
    /// Launches whose time is known.
    pub timed: AtomicU64,
    /// Launches that got events; the others were left out on purpose, to stay cheap.
    pub chosen: AtomicU64,
    /// The sum of known times.
    pub sum: AtomicU64,
    /// The sum of known times, each for itself and for those left out before it, and how many launches that makes.
    pub weighted: AtomicU64,
    pub covered: AtomicU64,
    pub least: AtomicU64,
    pub most: AtomicU64,
    pub least_blocks: AtomicU64,
    pub most_blocks: AtomicU64,
    pub shapes: [Shape; SHAPES],
    /// Launches of shapes that found no room.
    pub other_shapes: AtomicU64,
    /// The writer's own: launches up to the last chosen one, launches to leave out yet.
    pub mark: AtomicU64,
    pub pause: AtomicU32,
    pub samples: [AtomicU64; SAMPLES],
}

/// One shape of block with its dynamic shared memory.
#[repr(C)]
pub struct Shape {
    /// See [`shape_key`]; 0 is no shape.
    pub key: AtomicU64,
    pub launches: AtomicU64,
    /// Blocks that fit a multiprocessor at once.
    pub resident: AtomicU32,
    pub cluster: AtomicU32,
}

/// One copy from the device.
#[repr(C)]
pub struct Copy {
    pub bytes: AtomicU64,
    /// A hash of the bytes; [`UNFINISHED`] and [`OVERWRITTEN`] are none.
    pub hash: AtomicU64,
}

/// The whole file. The copies are there only in a process that notes them.
#[repr(C)]
pub struct Table {
    pub header: Header,
    pub kernels: [Kernel; KERNELS],
    pub text: [AtomicU64; TEXT / 8],
    pub copies: [Copy; COPIES],
}

/// Bytes of the file without the list of copies.
pub const SHORT: usize = std::mem::offset_of!(Table, copies);

/// A shape in one word: block by 11 bits each, dynamic shared memory above.
pub fn shape_key(block: [u32; 3], dynamic: u32) -> u64 {
    let [x, y, z] = block.map(|extent| u64::from(extent.min(2047)));
    x | y << 11 | z << 22 | u64::from(dynamic) << 33
}

/// What [`shape_key`] was made of.
#[allow(dead_code, reason = "the reader's")]
pub fn shape_of_key(key: u64) -> ([u32; 3], u32) {
    let part = |shift: u32| (key >> shift & 2047) as u32;
    ([part(0), part(11), part(22)], (key >> 33) as u32)
}
