//! How much shared memory does a kernel leave for slots, or why may there be none?

use super::budget::NoRoom;
use super::usage::shared_use;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::gpu::chip::STATIC_SHARED;
use warpwise_ir::geometry::{MAX_BLOCK_THREADS, WARP_SIZE};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::Function;

/// Why there is no shared memory.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoShared {
    #[error(
        "the number of threads of a block is not known: __launch_bounds__(N), or -warpwise-block=N if every launch has that shape, would allow up to {fits} threads' copies in shared memory"
    )]
    NoBound { fits: u64 },
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    #[error("the kernel has dynamic shared memory of unknown size: -warpwise-dynamic-shared=BYTES would bound it")]
    Dynamic,
    #[error("the kernel may call '{callee}', whose shared memory is unknown")]
    UnknownCallee { callee: String },
    #[error("the kernel is also called as a function")]
    Called,
    #[error("slots belong to a launch, and this is a device function: inlined into its kernel it would have some")]
    DeviceFunction,
    #[error("a version for launches that give it more shared memory is not possible: {0}")]
    NoVersion(NoVersion),
}

/// Why a kernel gets no version that the host could launch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoVersion {
    #[error("the kernel is local to its module, and the host could not find it")]
    Local,
    #[error("the linker may replace the kernel by another")]
    Replaceable,
    #[error("it has {blocks} basic blocks, too many to copy")]
    Large { blocks: u32 },
    #[error("it cannot be copied, because of the address of a label, or of exceptions")]
    Uncopyable,
    #[error("the module has '{name}' already")]
    Taken { name: String },
    #[error("{reader} reads the size of its shared memory, which would change")]
    ReadsSize { reader: String },
}

impl NoShared {
    /// The refusal of an object of this size in a kernel without a launch bound.
    pub fn no_bound(bytes: u64) -> NoShared {
        let warp = u64::from(WARP_SIZE);
        let fits = STATIC_SHARED / bytes.max(1);
        NoShared::NoBound { fits: (fits / warp * warp).min(u64::from(MAX_BLOCK_THREADS)) }
    }
    /// Name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            NoShared::NoBound { .. } => "NoLaunchBound",
            NoShared::NoRoom(NoRoom::Limit { .. }) => "SharedLimit",
            NoShared::NoRoom(NoRoom::Occupancy { .. }) => "Occupancy",
            NoShared::Dynamic => "DynamicShared",
            NoShared::UnknownCallee { .. } => "UnknownCallee",
            NoShared::Called => "KernelCalled",
            NoShared::DeviceFunction => "DeviceFunction",
            NoShared::NoVersion(_) => "VersionRefused",
        }
    }
}

/// Bytes that the kernel already takes; dynamic shared memory is at most what the user states.
pub fn taken(
    outline: &Outline,
    handles: &Handles<'_>,
    emitted: Function<'_>,
    stated: Option<u32>,
) -> Result<u64, NoShared> {
    if !outline.func.is_kernel {
        return Err(NoShared::DeviceFunction);
    }
    if emitted.is_called() {
        return Err(NoShared::Called);
    }
    if !outline.geometry.is_bounded() {
        return Err(NoShared::NoBound { fits: 0 });
    }
    let used = shared_use(&outline.func, handles);
    match (used.unknown, used.dynamic, stated) {
        (Some(callee), ..) => Err(NoShared::UnknownCallee { callee }),
        (None, false, _) => Ok(used.bytes),
        (None, true, Some(bytes)) => Ok(used.bytes + u64::from(bytes)),
        (None, true, None) => Err(NoShared::Dynamic),
    }
}

/// Bytes that the kernel already takes, if it gets a version whose slots are behind its dynamic shared memory. Of that,
/// only what the user states is counted.
pub fn taken_by_version(outline: &Outline, handles: &Handles<'_>, stated: Option<u32>) -> Result<u64, NoShared> {
    let used = shared_use(&outline.func, handles);
    if let Some(callee) = used.unknown {
        return Err(NoShared::UnknownCallee { callee });
    }
    if let Some(reader) = used.size_reader {
        return Err(NoShared::NoVersion(NoVersion::ReadsSize { reader }));
    }
    Ok(used.bytes + stated.filter(|_| used.dynamic).map_or(0, u64::from))
}
