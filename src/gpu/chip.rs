//! What does one multiprocessor of each chip have, and how fast is it? By the name of the target CPU.
//!
//! Sources: **\[resources\]** CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
//! **\[throughput\]** the same, "Throughput of Native Arithmetic Instructions": results per clock and multiprocessor.

/// Registers of 32 bits of a multiprocessor, on every chip here. \[resources\]
pub const REGISTERS: u32 = 65_536;
/// Registers are handed to warps in units of this many. \[resources\]
pub const REGISTER_UNIT: u32 = 256;
/// Most registers of a thread. \[resources\]
pub const MAX_REGISTERS: u32 = 255;
/// Bytes of shared memory that a block may have without the host asking for more. \[resources\]
pub const STATIC_SHARED: u64 = 48 * 1024;
/// Blocks get shared memory in units of so many bytes. \[resources\]
pub const SHARED_UNIT: u64 = 128;
/// Bytes of the widest load or store of a lane. PTX ISA, "Vectors".
pub const WIDEST_ACCESS: u64 = 16;
/// The steps, in KB, in which the memory is divided into shared memory and first-level cache. CUDA C++ Programming Guide,
/// "Shared Memory" of the architectures; those of all chips together.
pub const SHARES_KB: [u64; 10] = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228];

/// The chip that stands for all where none is named: the one that most was measured on.
pub const USUAL: &str = "sm_90";
/// What LLVM compiles for where a module names no chip.
pub const LLVM_DEFAULT: &str = "sm_75";

/// What one multiprocessor has and does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Ten times the compute capability; 0 where the name says none.
    pub architecture: u32,
    /// Threads that are resident at once.
    pub threads: u32,
    /// Blocks that are resident at once.
    pub blocks: u32,
    /// Shared memory for all resident blocks, in bytes.
    pub shared_bytes: u64,
    /// Shared memory that the system takes from each block, in bytes.
    pub reserved_bytes: u64,
    /// The memory that is divided into shared memory and first-level cache, in bytes.
    pub unified_bytes: u64,
    pub issue: Issue,
}

/// How long one of the four partitions is busy with one instruction of a warp, in cycles: 32 lanes over the results that
/// the partition has in a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    pub fp32: u32,
    pub fp64: u32,
    pub int: u32,
}

/// 64 single and 32 double results per clock and multiprocessor. \[throughput\]
const PASCAL_TO_AMPERE: Issue = Issue { fp32: 2, fp64: 4, int: 2 };
/// Data-centre parts of Hopper and Blackwell: 128 single, 64 double. \[throughput\]
const DATA_CENTRE: Issue = Issue { fp32: 1, fp64: 2, int: 2 };
/// Graphics parts: 128 single, two double; Turing has 64 single. \[throughput\]
const GRAPHICS: Issue = Issue { fp32: 1, fp64: 64, int: 2 };
const TURING: Issue = Issue { fp32: 2, ..GRAPHICS };

/// What is assumed where nothing is known: many threads to feed, little memory to share; as fast as the newest.
const UNKNOWN: Chip = row(0, 2048, 32, 64, 1024, 128, DATA_CENTRE);

/// Ordered by architecture. \[resources\] Of chips before Turing nothing was measured: they have [`UNKNOWN`]'s resources.
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
    /// By the name of a target CPU: `sm_90`, `sm_120a`. One that the table does not have is taken for a graphics part.
    pub fn of(cpu: &str) -> Chip {
        let Some(architecture) = architecture(cpu) else { return UNKNOWN };
        let known = TABLE.iter().copied().find(|chip| chip.architecture == architecture);
        known.unwrap_or(Chip { architecture, issue: GRAPHICS, ..UNKNOWN })
    }
    /// Whether it has `redux.sync`. PTX ISA.
    pub fn has_redux(&self) -> bool {
        self.architecture >= 80
    }
}

/// Ten times the compute capability in the name of a target CPU: 90 of `sm_90a`.
pub fn architecture(cpu: &str) -> Option<u32> {
    let name = cpu.strip_prefix("sm_")?;
    name[..name.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(name.len())].parse().ok()
}

/// The first name of a target CPU in a text, or of a virtual one: `sm_90` in `arch=compute_90,code=[compute_90,sm_90]`.
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
        // as fast as the newest, or as a graphics part
        assert_eq!(Chip::of("gfx90a"), UNKNOWN);
        assert_eq!(Chip::of("sm_999").issue, GRAPHICS);
        assert!(Chip::of("sm_80").has_redux() && !Chip::of("sm_75").has_redux());
    }
}
