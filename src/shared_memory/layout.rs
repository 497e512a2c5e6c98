//! Where is a slot? The layout of the one shared variable that contains all slots of a kernel.
//!
//! **Per-thread slots** are interleaved in granules of 4, 8 or 16 bytes by linear thread index: byte `o` of thread
//! `t`'s object is at `base + t·g + (o / g)·g·N + o mod g`, where `g` is the granule and `N` is the number of threads
//! rounded up to whole warps. With `g = 4` a lane stays in its own bank whatever it indexes; wider granules are served
//! to half or a quarter of a warp at a time, for which the same holds.
//!
//! **Per-warp slots** are plain copies, one row for each warp of the block: byte `o` is at `base + (t / 32)·row + o`.
//!
//! The linear thread index is `tid.x + ntid.x·(tid.y + ntid.y·tid.z)`. In every block shape a warp consists of 32
//! consecutive threads by this index, so `t / 32` identifies the warp, even if it is partial. `t` is below the thread
//! bound of the launch.

use crate::geometry::{BlockShape, WARP_SIZE};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{RawOpcode, Value};

/// Alignment in bytes of the whole variable and of the areas in it: the widest access.
pub const AREA_ALIGN: u64 = 16;

/// Number of threads that get slots: the bound, rounded up so that rows start in bank zero.
pub fn slot_threads(bound: u32) -> u64 {
    u64::from(bound.next_multiple_of(WARP_SIZE))
}

/// Bytes of shared memory that a per-thread object takes for a whole block.
pub fn thread_bytes(size: u64, granule: u64, bound: u32) -> u64 {
    (size.next_multiple_of(granule) * slot_threads(bound)).next_multiple_of(AREA_ALIGN)
}

/// Bytes of one warp's row.
pub fn row_bytes(size: u64) -> u64 {
    size.next_multiple_of(AREA_ALIGN)
}

/// Bytes of shared memory that warp rows take for a whole block.
pub fn warp_bytes(size: u64, bound: u32) -> u64 {
    row_bytes(size) * u64::from(bound.div_ceil(WARP_SIZE))
}

/// Position of byte `offset` of an interleaved object, from the thread's first granule.
pub fn interleaved(offset: i64, granule: i64, threads: i64) -> i64 {
    (offset & -granule) * threads + (offset & (granule - 1))
}

/// Emits the computation of the linear thread index at the editor's position.
pub fn linear_thread<'m>(editor: &mut Editor<'m>, exact: Option<BlockShape>) -> Value<'m> {
    let extent = |dim: usize| exact.map(|shape| shape.extent(dim));
    let i32_ty = editor.int_type(32);
    let mut linear: Option<Value<'m>> = None;
    for dim in [2, 1, 0] {
        let axis = ["x", "y", "z"][dim];
        if let Some(outer) = linear {
            let size = match extent(dim) {
                Some(known) => editor.int(32, u64::from(known)),
                None => editor.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.ntid.{axis}"), &[], &[], ""),
            };
            linear = Some(editor.binary(RawOpcode::LLVMMul, outer, size, ""));
        }
        if extent(dim) == Some(1) {
            continue;
        }
        let tid = editor.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.tid.{axis}"), &[], &[], "");
        linear = Some(match linear {
            Some(outer) => editor.binary(RawOpcode::LLVMAdd, outer, tid, "warpwise.thread"),
            None => tid,
        });
    }
    linear.unwrap_or_else(|| editor.null(i32_ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaving_is_injective_and_stays_in_the_bank() {
        for granule in [4i64, 8, 16] {
            let threads = 96;
            let mut seen = std::collections::HashSet::new();
            for thread in 0..threads {
                for offset in 0..48 {
                    let at = thread * granule + interleaved(offset, granule, threads);
                    assert!(seen.insert(at));
                    assert!(at < thread_bytes(48, granule as u64, 90) as i64);
                    if granule == 4 {
                        assert_eq!((at / 4) % 32, thread % 32);
                    }
                }
            }
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(thread_bytes(64, 4, 256), 16_384);
        assert_eq!(thread_bytes(6, 4, 33), 8 * 64);
        assert_eq!(warp_bytes(192, 1024), 6144);
        assert_eq!(warp_bytes(20, 33), 64);
    }
}
