//! How are the fields of a function read without a call per field? `walk.cpp` fills arrays in the layout of
//! [`crate::ir`], in memory of Rust's allocator, which become vectors here.
//!
//! Mirrors `walk.h`.

use super::handle::{Block, Function, Type, Value};
use crate::entity;
use crate::ir::BlockData;
use crate::ir::inst::{GepData, GepTerm, InstData};
use llvm_sys::prelude::LLVMValueRef;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

/// `warpwise::Rows` of `walk.h`.
#[repr(C)]
struct Rows<T> {
    data: *mut T,
    size: u32,
    capacity: u32,
}

impl<T> Rows<T> {
    const EMPTY: Rows<T> = Rows { data: std::ptr::null_mut(), size: 0, capacity: 0 };

    /// # Safety
    /// The walker filled `size` elements with values of `T` and allocated `capacity` by [`warpwise_grow`].
    unsafe fn into_vec(self) -> Vec<T> {
        if self.capacity == 0 {
            return Vec::new();
        }
        // SAFETY: the caller's promise; `warpwise_grow` asks the allocator of vectors for this very layout.
        unsafe { Vec::from_raw_parts(self.data, self.size as usize, self.capacity as usize) }
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

/// `WarpwisePicture` of `walk.h`.
#[repr(C)]
struct RawPicture<'m> {
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
    param_types: Rows<entity::Type>,
    calls: Rows<Value<'m>>,
}

/// A function as the walker sees it. What instructions name by number lies in these lists.
pub(crate) struct Picture<'m> {
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
    pub param_types: Vec<entity::Type>,
    /// A call of each callee with each of its attribute lists.
    pub calls: Vec<Value<'m>>,
}

/// Metadata kinds that become flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FlagKinds {
    pub invariant_load: u32,
    pub noundef: u32,
    pub uniform: u32,
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
        picture: *mut RawPicture<'_>,
    );
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
pub(crate) struct Tables(NonNull<RawTables>);

impl Tables {
    /// New tables.
    pub fn new() -> Tables {
        // SAFETY: no conditions.
        Tables(NonNull::new(unsafe { warpwise_walk_tables() }).expect("`new` does not return null"))
    }

    /// Walks over a function that has a body.
    pub fn walk<'m>(&mut self, function: Function<'m>, kinds: FlagKinds) -> Picture<'m> {
        let mut raw = RawPicture {
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
            constants: Rows::EMPTY,
            types: Rows::EMPTY,
            param_types: Rows::EMPTY,
            calls: Rows::EMPTY,
        };
        // SAFETY: function and tables are alive, the picture is empty. The walker writes numbers of opcodes, flags and
        // entities where `InstData` has them (the enumerations of both sides are checked to be alike), and addresses of
        // live values, blocks and types, which are not null, where the lists have handles.
        unsafe {
            warpwise_walk(function.raw(), self.0.as_ptr(), &kinds, &mut raw);
            Picture {
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
                param_types: raw.param_types.into_vec(),
                calls: raw.calls.into_vec(),
            }
        }
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        // SAFETY: made by `warpwise_walk_tables`, freed once.
        unsafe { warpwise_walk_free(self.0.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::inst::{Flags, Opcode};

    unsafe extern "C" {
        fn warpwise_walk_opcodes() -> u32;
    }

    /// Both sides number opcodes alike: the last one has the same number, and imports of each kind are tested by name.
    #[test]
    fn both_sides_have_the_same_layout() {
        // SAFETY: no conditions.
        assert_eq!(unsafe { warpwise_walk_opcodes() }, Opcode::Other as u32 + 1);
        assert_eq!(size_of::<InstData>(), 24);
        assert_eq!((size_of::<Flags>(), size_of::<entity::Type>()), (2, 4));
        assert_eq!((size_of::<GepData>(), size_of::<GepTerm>()), (16, 16));
    }
}
