//! Where is a slot? The layout of the one piece of shared memory that contains all slots of a kernel.
//!
//! It is a variable of the kernel ([`Ground::Static`]), or, in a version that is chosen at the launch, an area for each
//! warp at the end of dynamic shared memory ([`Ground::Dynamic`]). What follows holds for the variable, and for each
//! area with `N` = 32 and `t` the number of the thread in its warp, so that nothing depends on the size of the block.
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

use crate::mutants::{self, Mutant};
use warpwise_ir::geometry::{BlockShape, WARP_SIZE};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{RawOpcode, Value};
use warpwise_ir::llvm::space;

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

/// What the slots of a kernel stand on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// A shared variable with slots for this many threads.
    Static { threads: u32 },
    /// The end of dynamic shared memory, with an area for each warp of the block. Nearer to the end, `taken` bytes of
    /// every warp have another use.
    Dynamic { taken: u64 },
}

impl Ground {
    /// Number of threads whose slots are in one area.
    pub fn threads(self) -> u32 {
        match self {
            Ground::Static { threads } => threads,
            Ground::Dynamic { .. } => WARP_SIZE,
        }
    }
    /// Number of threads whose granules lie side by side.
    pub fn row(self) -> u64 {
        let shrinks = mutants::on(Mutant::VersionStride) && matches!(self, Ground::Dynamic { .. });
        if shrinks { slot_threads(self.threads()) / 2 } else { slot_threads(self.threads()) }
    }
}

/// An area, as the executing thread sees it.
#[derive(Clone, Copy)]
pub struct Area<'m> {
    /// Where it begins.
    pub start: Value<'m>,
    /// Number of the thread in it.
    pub thread: Value<'m>,
    /// Whether it belongs to one warp.
    pub is_of_warp: bool,
}

/// Emits the computation of the thread's area of so many bytes, at the editor's position. `name` is that of the
/// variable, if there is one.
pub fn area<'m>(
    editor: &mut Editor<'m>,
    ground: Ground,
    exact: Option<BlockShape>,
    bytes: u64,
    name: &str,
) -> Area<'m> {
    let byte = editor.int_type(8);
    let Ground::Dynamic { taken } = ground else {
        let all = editor.array_type(byte, bytes);
        let start = editor.new_global(all, space::SHARED, AREA_ALIGN as u32, None, false, name);
        return Area { start, thread: linear_thread(editor, exact), is_of_warp: false };
    };
    let memory = editor.dynamic_shared(AREA_ALIGN as u32);
    let linear = linear_thread(editor, exact);
    let (shift, mask) = (u64::from(WARP_SIZE.trailing_zeros()), u64::from(WARP_SIZE - 1));
    let warp = editor.warp_of(linear);
    let thread = editor.binary_with(RawOpcode::LLVMAnd, linear, mask, "");
    let threads = block_threads(editor, exact);
    let more = editor.binary_with(RawOpcode::LLVMAdd, threads, mask, "");
    let warps = editor.binary_with(RawOpcode::LLVMLShr, more, shift, "warpwise.warps");
    let early = if mutants::on(Mutant::VersionEarly) { AREA_ALIGN } else { 0 };
    let all = editor.binary_with(RawOpcode::LLVMMul, warps, taken + bytes + early, "");
    let size = editor.intrinsic("llvm.nvvm.read.ptx.sreg.dynamic_smem_size", &[], &[], "");
    let first = editor.binary(RawOpcode::LLVMSub, size, all, "");
    // the size as launched is such that this changes nothing
    let first = editor.binary_with(RawOpcode::LLVMAnd, first, u64::from(u32::MAX) & !(AREA_ALIGN - 1), "");
    let at = editor.binary_with(RawOpcode::LLVMMul, warp, bytes, "");
    let at = editor.binary(RawOpcode::LLVMAdd, first, at, "");
    let start = editor.gep(byte, memory, &[at], false, "warpwise.area");
    Area { start, thread, is_of_warp: true }
}

/// Emits the number of threads of the block.
fn block_threads<'m>(editor: &mut Editor<'m>, exact: Option<BlockShape>) -> Value<'m> {
    if let Some(shape) = exact {
        return editor.int(32, u64::from(shape.threads()));
    }
    let mut extent = |axis| editor.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.ntid.{axis}"), &[], &[], "");
    let [x, y, z] = ["x", "y", "z"].map(&mut extent);
    let plane = editor.binary(RawOpcode::LLVMMul, x, y, "");
    editor.binary(RawOpcode::LLVMMul, plane, z, "warpwise.threads")
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
