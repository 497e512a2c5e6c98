//! Where does a slot lie? The layout of the one shared block that a kernel's slots share.
//!
//! **Thread slots** interleave granules of 4, 8 or 16 bytes by linear thread index: byte `o` of thread `t`'s object is at
//! `base + t·g + (o / g)·g·N + o mod g`, where `N` is the number of threads rounded up to whole warps. With `g = 4` a
//! lane stays in its own bank whatever it indexes; wider granules are served in halves and quarters of a warp, where the
//! same holds.
//!
//! **Warp slots** are plain copies, one row for each warp of the block: byte `o` is at `base + (t / 32)·row + o`.
//!
//! The linear thread index is `tid.x + ntid.x·(tid.y + ntid.y·tid.z)`: warps are formed from 32 neighbours of it in every
//! block shape, so `t / 32` names the warp, also of partial warps. `t` is below the thread bound of the launch.

use crate::geometry::{BlockShape, WARP_SIZE};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{RawOpcode, Value};

/// Alignment of the whole block and of areas inside it: the widest access.
pub const AREA_ALIGN: u64 = 16;

/// Threads that get slots: the bound, rounded up so that rows start in bank zero.
pub fn slot_threads(bound: u32) -> u64 {
    u64::from(bound.next_multiple_of(WARP_SIZE))
}

/// Bytes of shared memory of a thread object for a whole block.
pub fn thread_bytes(size: u64, granule: u64, bound: u32) -> u64 {
    (size.next_multiple_of(granule) * slot_threads(bound)).next_multiple_of(AREA_ALIGN)
}

/// Bytes of one warp's row.
pub fn row_bytes(size: u64) -> u64 {
    size.next_multiple_of(AREA_ALIGN)
}

/// Bytes of shared memory of warp rows for a whole block.
pub fn warp_bytes(size: u64, bound: u32) -> u64 {
    row_bytes(size) * u64::from(bound.div_ceil(WARP_SIZE))
}

/// Where byte `offset` of an interleaved object lies, from the thread's first granule.
pub fn interleaved(offset: i64, granule: i64, threads: i64) -> i64 {
    (offset & -granule) * threads + (offset & (granule - 1))
}

/// Builds the linear thread index at the editor's place.
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
