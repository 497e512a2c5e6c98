//! How are the fields of a function read without a call per field? `walk.cpp` fills arrays in the layout of
//! [`crate::inst`], in memory of Rust's allocator, which become vectors here.
//!
//! Mirrors `walk.h`.

use super::handle::{Block, Function, Type, Value};
use crate::entity;
use crate::inst::{BlockData, Flags, GepData, GepTerm, InstData, Opcode, ParamData};
use llvm_sys::prelude::LLVMValueRef;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::mem::offset_of;
use std::ptr::NonNull;

/// `warpwise::Rows` of `walk.h`.
#[repr(C)]
pub(super) struct Rows<T> {
    data: *mut T,
    size: u32,
    capacity: u32,
}

impl<T> Rows<T> {
    pub(super) const EMPTY: Rows<T> = Rows { data: std::ptr::null_mut(), size: 0, capacity: 0 };

    /// # Safety
    /// The walker filled `size` elements with values of `T` and allocated `capacity` by [`warpwise_grow`].
    pub(super) unsafe fn into_vec(self) -> Vec<T> {
        if self.capacity == 0 {
            return Vec::new();
        }
        // SAFETY: the caller's promise; `warpwise_grow` asks the allocator of vectors for this very layout.
        unsafe { Vec::from_raw_parts(self.data, self.size as usize, self.capacity as usize) }
    }

    /// The memory of a vector for elements of the same kind, whatever they borrow.
    fn emptied<U>(mut elements: Vec<U>) -> Rows<T> {
        const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) };
        elements.clear();
        match u32::try_from(elements.capacity()) {
            Ok(capacity) if capacity > 0 => {
                Rows { data: std::mem::ManuallyDrop::new(elements).as_mut_ptr().cast(), size: 0, capacity }
            }
            _ => Rows::EMPTY,
        }
    }
}

/// A constant operand.
#[repr(C)]
pub(crate) struct Constant<'m> {
    pub value: Value<'m>,
    bits: u64,
    pub ty: entity::Type,
    is_int: u32,
}

impl Constant<'_> {
    /// The number, zero-extended, of an integer constant of at most 64 bits.
    pub fn int(&self) -> Option<u64> {
        (self.is_int != 0).then_some(self.bits)
    }
}

/// A call, and what its own attributes or those of its callee promise. `WarpwiseCall` of `walk.h`.
#[repr(C)]
pub(crate) struct CallKind<'m> {
    pub call: Value<'m>,
    pub convergent: bool,
    pub no_divergence_source: bool,
    pub no_return: bool,
    pub will_return: bool,
}

/// `WarpwiseSnapshot` of `walk.h`.
#[repr(C)]
struct RawSnapshot<'m> {
    insts: Rows<InstData>,
    operands: Rows<entity::Value>,
    values: Rows<Value<'m>>,
    blocks: Rows<Block<'m>>,
    bounds: Rows<BlockData>,
    phi_blocks: Rows<entity::Block>,
    successors: Rows<entity::Block>,
    successor_ends: Rows<u32>,
    geps: Rows<GepData>,
    terms: Rows<GepTerm>,
    constants: Rows<Constant<'m>>,
    types: Rows<Type<'m>>,
    params: Rows<ParamData>,
    calls: Rows<CallKind<'m>>,
}

/// A function as the walker sees it. What instructions name by number lies in these lists.
pub(crate) struct Snapshot<'m> {
    pub insts: Vec<InstData>,
    pub operands: Vec<entity::Value>,
    /// Arguments and instructions.
    pub values: Vec<Value<'m>>,
    pub blocks: Vec<Block<'m>>,
    pub bounds: Vec<BlockData>,
    pub phi_blocks: Vec<entity::Block>,
    /// Successors of all blocks, and where those of each block end.
    pub successors: Vec<entity::Block>,
    pub successor_ends: Vec<u32>,
    pub geps: Vec<GepData>,
    pub terms: Vec<GepTerm>,
    pub constants: Vec<Constant<'m>>,
    pub types: Vec<Type<'m>>,
    pub params: Vec<ParamData>,
    /// A call of each callee with each of its attribute lists.
    pub calls: Vec<CallKind<'m>>,
}

/// Metadata kinds that become flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FlagKinds {
    pub invariant_load: u32,
    pub noundef: u32,
    pub uniform: u32,
}

// `walk.h` asserts the same of its structs; `build.rs` compares opcodes and flags with `ir/inst.rs`.
const _: () = {
    assert!(size_of::<InstData>() == 24 && align_of::<InstData>() == 4);
    assert!(offset_of!(InstData, opcode) == 0 && offset_of!(InstData, sub) == 1 && offset_of!(InstData, flags) == 2);
    assert!(offset_of!(InstData, ty) == 4 && offset_of!(InstData, block) == 8);
    assert!(offset_of!(InstData, operands_start) == 12 && offset_of!(InstData, operand_count) == 16);
    assert!(offset_of!(InstData, aux) == 20 && size_of::<Opcode>() == 1 && size_of::<Flags>() == 2);
    assert!(size_of::<ParamData>() == 8 && offset_of!(ParamData, ty) == 0 && offset_of!(ParamData, noalias) == 4);
    assert!(offset_of!(ParamData, readonly) == 5 && offset_of!(ParamData, byval) == 6);
    assert!(offset_of!(ParamData, noundef) == 7);
    assert!(size_of::<BlockData>() == 8 && offset_of!(BlockData, first) == 0 && offset_of!(BlockData, end) == 4);
    assert!(size_of::<GepData>() == 16 && offset_of!(GepData, offset) == 0 && offset_of!(GepData, terms_start) == 8);
    assert!(offset_of!(GepData, term_count) == 12 && offset_of!(GepData, bits) == 14);
    assert!(size_of::<GepTerm>() == 16 && offset_of!(GepTerm, operand) == 0 && offset_of!(GepTerm, stride) == 8);
    assert!(size_of::<Constant<'_>>() == 24 && offset_of!(Constant<'_>, value) == 0);
    assert!(offset_of!(Constant<'_>, bits) == 8 && offset_of!(Constant<'_>, ty) == 16);
    assert!(offset_of!(Constant<'_>, is_int) == 20);
    assert!(size_of::<CallKind<'_>>() == 16 && offset_of!(CallKind<'_>, convergent) == 8);
    assert!(offset_of!(CallKind<'_>, no_divergence_source) == 9 && offset_of!(CallKind<'_>, no_return) == 10);
    assert!(offset_of!(CallKind<'_>, will_return) == 11);
    assert!(size_of::<FlagKinds>() == 12 && offset_of!(FlagKinds, noundef) == 4 && offset_of!(FlagKinds, uniform) == 8);
    assert!(size_of::<Rows<u32>>() == 16 && offset_of!(Rows<u32>, size) == 8 && offset_of!(Rows<u32>, capacity) == 12);
    assert!(size_of::<RawSnapshot<'_>>() == 14 * 16 && offset_of!(RawSnapshot<'_>, calls) == 13 * 16);
    assert!(offset_of!(RawSnapshot<'_>, bounds) == 4 * 16 && offset_of!(RawSnapshot<'_>, geps) == 8 * 16);
    assert!(size_of::<entity::Value>() == 4 && size_of::<entity::Block>() == 4 && size_of::<entity::Type>() == 4);
};

/// A number that is no opcode, written by the walker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the walk over a function wrote {0}, which is no opcode")]
pub(crate) struct NoOpcode(u8);

impl Rows<InstData> {
    /// Checks what the walker wrote for opcodes, the one field that may not hold just any number.
    ///
    /// # Safety
    /// The walker filled `size` elements.
    unsafe fn check_opcodes(&self) -> Result<(), NoOpcode> {
        for index in 0..self.size as usize {
            // SAFETY: the caller's promise; a byte may be anything.
            let opcode = unsafe { self.data.add(index).cast::<u8>().add(offset_of!(InstData, opcode)).read() };
            if opcode >= Opcode::COUNT {
                return Err(NoOpcode(opcode));
            }
        }
        Ok(())
    }
}

/// `WarpwiseTables` of `walk.h`.
#[repr(C)]
struct RawTables {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn warpwise_walk_tables() -> *mut RawTables;
    fn warpwise_walk_free(tables: *mut RawTables);
    fn warpwise_walk(
        function: LLVMValueRef,
        tables: *mut RawTables,
        kinds: *const FlagKinds,
        snapshot: *mut RawSnapshot<'_>,
    );
    fn warpwise_has_launch_attributes(function: LLVMValueRef) -> bool;
}

/// Whether a function has attributes that say something of its launches: LLVM's, or those of a version.
pub(crate) fn has_launch_attributes(function: Function<'_>) -> bool {
    // SAFETY: the function is alive.
    unsafe { warpwise_has_launch_attributes(function.raw()) }
}

/// Memory for the walker: `old` of `old_bytes` enlarged, or new where that is zero.
///
/// # Safety
/// `old` came from here with that size and alignment; `new_bytes` is not zero, `align` a power of two.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_grow(old: *mut u8, old_bytes: usize, new_bytes: usize, align: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        let old_layout = Layout::from_size_align_unchecked(old_bytes, align);
        let new_layout = Layout::from_size_align_unchecked(new_bytes, align);
        let new = if old_bytes == 0 { alloc(new_layout) } else { realloc(old, old_layout, new_bytes) };
        if new.is_null() {
            handle_alloc_error(new_layout);
        }
        new
    }
}

/// Gives memory of [`warpwise_grow`] back.
///
/// # Safety
/// `old` came from there with that size and alignment.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_release(old: *mut u8, bytes: usize, align: usize) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(old, Layout::from_size_align_unchecked(bytes, align)) }
}

/// Tables that a walk needs, empty between walks: made once for many functions.
pub(crate) struct Tables {
    raw: NonNull<RawTables>,
    /// Memory of arrays that were only read once.
    constants: Vec<Constant<'static>>,
    types: Vec<Type<'static>>,
    calls: Vec<CallKind<'static>>,
}

impl Tables {
    /// New tables.
    pub fn new() -> Tables {
        // SAFETY: no conditions.
        let raw = NonNull::new(unsafe { warpwise_walk_tables() }).expect("`new` does not return null");
        Tables { raw, constants: Vec::new(), types: Vec::new(), calls: Vec::new() }
    }

    /// Keeps the memory of arrays for the next walk.
    pub fn keep(&mut self, constants: Vec<Constant<'_>>, types: Vec<Type<'_>>, calls: Vec<CallKind<'_>>) {
        // SAFETY: no elements are left.
        unsafe {
            self.constants = Rows::emptied(constants).into_vec();
            self.types = Rows::emptied(types).into_vec();
            self.calls = Rows::emptied(calls).into_vec();
        }
    }

    /// Walks over a function that has a body. The error would be a mistake of ours; the arrays are lost then.
    pub fn walk<'m>(&mut self, function: Function<'m>, kinds: FlagKinds) -> Result<Snapshot<'m>, NoOpcode> {
        let mut raw = RawSnapshot {
            insts: Rows::EMPTY,
            operands: Rows::EMPTY,
            values: Rows::EMPTY,
            blocks: Rows::EMPTY,
            bounds: Rows::EMPTY,
            phi_blocks: Rows::EMPTY,
            successors: Rows::EMPTY,
            successor_ends: Rows::EMPTY,
            geps: Rows::EMPTY,
            terms: Rows::EMPTY,
            constants: Rows::emptied(std::mem::take(&mut self.constants)),
            types: Rows::emptied(std::mem::take(&mut self.types)),
            params: Rows::EMPTY,
            calls: Rows::emptied(std::mem::take(&mut self.calls)),
        };
        // SAFETY: function and tables are alive, the snapshot is empty, what memory it has is from the allocator of vectors. The walker writes opcodes, which are checked, and
        // numbers where `InstData` has flags and entities, C++'s bools, and addresses of live values, blocks and types, which are not
        // null, where the lists have handles.
        unsafe {
            warpwise_walk(function.raw(), self.raw.as_ptr(), &kinds, &mut raw);
            raw.insts.check_opcodes()?;
            Ok(Snapshot {
                insts: raw.insts.into_vec(),
                operands: raw.operands.into_vec(),
                values: raw.values.into_vec(),
                blocks: raw.blocks.into_vec(),
                bounds: raw.bounds.into_vec(),
                phi_blocks: raw.phi_blocks.into_vec(),
                successors: raw.successors.into_vec(),
                successor_ends: raw.successor_ends.into_vec(),
                geps: raw.geps.into_vec(),
                terms: raw.terms.into_vec(),
                constants: raw.constants.into_vec(),
                types: raw.types.into_vec(),
                params: raw.params.into_vec(),
                calls: raw.calls.into_vec(),
            })
        }
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        // SAFETY: made by `warpwise_walk_tables`, freed once.
        unsafe { warpwise_walk_free(self.raw.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_opcodes_are_refused() {
        let mut bytes = [[0u32; 6]; 3];
        for (last, outcome) in [(Opcode::Other as u32, Ok(())), (Opcode::COUNT.into(), Err(NoOpcode(Opcode::COUNT)))] {
            bytes[2][0] = last;
            let rows = Rows::<InstData> { data: bytes.as_mut_ptr().cast(), size: 3, capacity: 0 };
            // SAFETY: three elements lie there.
            assert_eq!(unsafe { rows.check_opcodes() }, outcome);
        }
    }
}
