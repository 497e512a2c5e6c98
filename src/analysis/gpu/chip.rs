//! Which resources and throughputs does one multiprocessor of each chip have? By the name of the target CPU.
//!
//! Sources: **\[resources\]** CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
//! **\[throughput\]** the same, "Throughput of Native Arithmetic Instructions", in results per clock and
//! multiprocessor.

use warpwise_ir::geometry::MAX_BLOCK_THREADS;

/// 32-bit registers of a multiprocessor, on every chip here. \[resources\]
pub const REGISTERS: u32 = 65_536;
/// Registers that a thread has in the largest block: a kernel that uses no more can be launched in blocks of any size.
pub const SURE_REGISTERS: u32 = REGISTERS / MAX_BLOCK_THREADS;
/// Registers are allocated to warps in units of this many. \[resources\]
pub const REGISTER_UNIT: u32 = 256;
/// Maximum number of registers of a thread. \[resources\]
pub const MAX_REGISTERS: u32 = 255;
/// Number of registers of a thread for conditions. \[resources\]
pub const PREDICATES: u32 = 7;
/// Bytes of shared memory that a block may have without the host requesting more. \[resources\]
pub const STATIC_SHARED: u64 = 48 * 1024;
/// Shared memory is allocated to blocks in units of this many bytes. \[resources\]
pub const SHARED_UNIT: u64 = 128;
/// Bytes of the widest load or store of a lane. PTX ISA, "Vectors".
pub const WIDEST_ACCESS: u64 = 16;
/// Sizes in KB that the shared part of the unified memory may have; the rest is first-level cache. CUDA C++ Programming
/// Guide, "Shared Memory" of the architectures; the union over all chips.
pub const SHARES_KB: [u64; 10] = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228];

/// Resources and throughputs of one multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Ten times the compute capability; 0 if the name gives none.
    pub architecture: u32,
    /// Maximum number of resident threads.
    pub threads: u32,
    /// Maximum number of resident blocks.
    pub blocks: u32,
    /// Shared memory of all resident blocks together, in bytes.
    pub shared_bytes: u64,
    /// Shared memory that the system reserves for each block, in bytes.
    pub reserved_bytes: u64,
    /// Unified memory that is divided into shared memory and first-level cache, in bytes.
    pub unified_bytes: u64,
    /// Issue cycles by kind of instruction.
    pub issue: Issue,
}

/// For how many cycles one instruction of a warp occupies one of the four partitions: 32 lanes divided by the results
/// per clock of the partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Cycles of a single-precision addition, multiplication or multiply-add.
    pub fp32: u32,
    /// Cycles of the same in double precision.
    pub fp64: u32,
    /// Cycles of a 32-bit integer addition, comparison or logical operation.
    pub int: u32,
}

/// 64 single-precision and 32 double-precision results per clock and multiprocessor. \[throughput\]
const PASCAL_TO_AMPERE: Issue = Issue { fp32: 2, fp64: 4, int: 2 };
/// Data-centre chips of Hopper and Blackwell: 128 single-precision, 64 double-precision. \[throughput\]
const DATA_CENTRE: Issue = Issue { fp32: 1, fp64: 2, int: 2 };
/// Graphics chips: 128 single-precision, two double-precision. \[throughput\]
const GRAPHICS: Issue = Issue { fp32: 1, fp64: 64, int: 2 };
/// Turing: 64 single-precision, two double-precision. \[throughput\]
const TURING: Issue = Issue { fp32: 2, ..GRAPHICS };

/// Assumed for an unknown chip: many resident threads and little memory, so that occupancy is judged cautiously, and
/// the throughputs of data-centre chips.
const UNKNOWN: Chip = row(0, 2048, 32, 64, 1024, 128, DATA_CENTRE);

/// Ordered by architecture. \[resources\] Nothing was measured on chips before Turing; they have the resources of
/// [`UNKNOWN`].
const TABLE: &[Chip] = &[
    Chip { architecture: 60, issue: PASCAL_TO_AMPERE, ..UNKNOWN },
    Chip { architecture: 70, issue: PASCAL_TO_AMPERE, ..UNKNOWN },
    Chip { architecture: 72, issue: PASCAL_TO_AMPERE, ..UNKNOWN },
    //  threads, blocks, shared KB, reserved bytes, unified KB
    row(75, 1024, 16, 64, 0, 96, TURING),
    row(80, 2048, 32, 164, 1024, 192, PASCAL_TO_AMPERE),
    row(86, 1536, 16, 100, 1024, 128, GRAPHICS),
    row(87, 1536, 16, 164, 1024, 192, GRAPHICS),
    row(88, 1536, 16, 100, 1024, 128, GRAPHICS),
    row(89, 1536, 24, 100, 1024, 128, GRAPHICS),
    row(90, 2048, 32, 228, 1024, 256, DATA_CENTRE),
    row(100, 2048, 32, 228, 1024, 256, DATA_CENTRE),
    row(101, 1536, 24, 228, 1024, 256, DATA_CENTRE),
    row(103, 2048, 32, 228, 1024, 256, DATA_CENTRE),
    row(110, 1536, 24, 228, 1024, 256, GRAPHICS),
    row(120, 1536, 24, 100, 1024, 128, GRAPHICS),
    row(121, 1536, 24, 100, 1024, 128, GRAPHICS),
];

const fn row(
    architecture: u32,
    threads: u32,
    blocks: u32,
    shared_kb: u64,
    reserved_bytes: u64,
    unified_kb: u64,
    issue: Issue,
) -> Chip {
    let (shared_bytes, unified_bytes) = (shared_kb * 1024, unified_kb * 1024);
    Chip { architecture, threads, blocks, shared_bytes, reserved_bytes, unified_bytes, issue }
}

impl Chip {
    /// By the name of a target CPU: `sm_90`, `sm_120a`. An architecture that the table lacks gets [`UNKNOWN`]'s
    /// resources and a graphics chip's throughputs; a name without an architecture is [`UNKNOWN`].
    pub fn of(cpu: &str) -> Chip {
        let Some(architecture) = architecture(cpu) else { return UNKNOWN };
        let known = TABLE.iter().copied().find(|chip| chip.architecture == architecture);
        known.unwrap_or(Chip { architecture, issue: GRAPHICS, ..UNKNOWN })
    }
    /// Whether the chip has `redux.sync`. PTX ISA.
    pub fn has_redux(&self) -> bool {
        self.architecture >= 80
    }
}

/// Ten times the compute capability in the name of a target CPU: 90 for `sm_90a`.
pub fn architecture(cpu: &str) -> Option<u32> {
    let name = cpu.strip_prefix("sm_")?;
    name[..name.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(name.len())].parse().ok()
}

/// The first name of a real or virtual target CPU in a text: `sm_90` in `arch=compute_90,code=[compute_90,sm_90]`.
pub fn name_in(text: &str) -> Option<String> {
    let behind = |prefix: &str| Some(text.split_once(prefix)?.1);
    let name = behind("sm_").or_else(|| behind("compute_"))?;
    let name = &name[..name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len())];
    (!name.is_empty()).then(|| format!("sm_{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        assert_eq!(architecture("sm_90a"), Some(90));
        assert_eq!((architecture("sm_x"), architecture("gfx90a"), architecture("")), (None, None, None));
        assert_eq!(name_in("arch=compute_90,code=[compute_90,sm_90a]").as_deref(), Some("sm_90a"));
        assert_eq!(name_in("arch=compute_86").as_deref(), Some("sm_86"));
        assert_eq!(name_in("native"), None);
    }

    #[test]
    fn every_chip_has_a_row_or_a_guess() {
        assert!(TABLE.is_sorted_by_key(|chip| chip.architecture));
        assert_eq!(Chip::of("sm_120a").issue, GRAPHICS);
        assert_eq!(Chip::of("sm_90a").shared_bytes, 228 * 1024);
        // no architecture: all unknown; an unknown architecture: throughputs of a graphics chip
        assert_eq!(Chip::of("gfx90a"), UNKNOWN);
        assert_eq!(Chip::of("sm_999").issue, GRAPHICS);
        assert!(Chip::of("sm_80").has_redux() && !Chip::of("sm_75").has_redux());
    }
}
