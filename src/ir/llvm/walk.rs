//! How are the fields of a function read without a call per field? `walk.cpp` fills arrays in the layout of
//! [`crate::inst`], in memory of Rust's allocator, which become vectors here.
//!
//! The build script writes the structs that are filled, opcodes and flags as C++ for `walk.h`: each has one line here,
//! or in `inst.rs`, for each field.

use super::handle::{Block, Function, Type, Value};
use crate::entity;
use crate::inst::{BlockData, GepData, GepTerm, InstData, Opcode, ParamData};
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

/// A call, and what its own attributes or those of its callee promise.
#[repr(C)]
pub(crate) struct CallKind<'m> {
    pub call: Value<'m>,
    pub convergent: bool,
    pub no_divergence_source: bool,
    pub no_return: bool,
    pub will_return: bool,
}

/// Writes the lists that the walker fills, and those that become of them.
macro_rules! lists {
    ($(#[$doc:meta])* struct $raw:ident<'m> { $($(#[$what:meta])* $list:ident: Rows<$element:ty>,)+ }) => {
        $(#[$doc])*
        #[repr(C)]
        struct $raw<'m> {
            $($list: Rows<$element>,)+
        }

        /// A function as the walker sees it. What instructions name by number lies in these lists.
        pub(crate) struct Snapshot<'m> {
            $($(#[$what])* pub $list: Vec<$element>,)+
        }

        impl<'m> $raw<'m> {
            const EMPTY: Self = $raw { $($list: Rows::EMPTY,)+ };

            /// # Safety
            /// As [`Rows::into_vec`], for each list.
            unsafe fn into_vecs(self) -> Snapshot<'m> {
                // SAFETY: the caller's promise.
                unsafe { Snapshot { $($list: self.$list.into_vec(),)+ } }
            }
        }
    };
}

lists! {
/// What the walker fills. Values are numbered as [`entity::Value`] says.
struct RawSnapshot<'m> {
    insts: Rows<InstData>,
    /// For calls the arguments, for branches and switches the condition.
    operands: Rows<entity::Value>,
    /// Arguments and instructions.
    values: Rows<Value<'m>>,
    blocks: Rows<Block<'m>>,
    bounds: Rows<BlockData>,
    phi_blocks: Rows<entity::Block>,
    /// Successors of all blocks, and where those of each block end.
    successors: Rows<entity::Block>,
    successor_ends: Rows<u32>,
    geps: Rows<GepData>,
    terms: Rows<GepTerm>,
    constants: Rows<Constant<'m>>,
    types: Rows<Type<'m>>,
    params: Rows<ParamData>,
    /// A call of each callee with each of its attribute lists.
    calls: Rows<CallKind<'m>>,
}
}

/// Metadata kinds that become flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FlagKinds {
    pub invariant_load: u32,
    pub noundef: u32,
    pub uniform: u32,
}

// what build.rs writes as C++ has them as numbers
const _: () =
    assert!(size_of::<entity::Value>() == 4 && size_of::<entity::Block>() == 4 && size_of::<entity::Type>() == 4);

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
            constants: Rows::emptied(std::mem::take(&mut self.constants)),
            types: Rows::emptied(std::mem::take(&mut self.types)),
            calls: Rows::emptied(std::mem::take(&mut self.calls)),
            ..RawSnapshot::EMPTY
        };
        // SAFETY: function and tables are alive, the snapshot is empty, what memory it has is from the allocator of
        // vectors. The walker writes opcodes, which are checked, and numbers where `InstData` has flags and entities,
        // C++'s bools, and addresses of live values, blocks and types, which are not null, where the lists have handles.
        unsafe {
            warpwise_walk(function.raw(), self.raw.as_ptr(), &kinds, &mut raw);
            raw.insts.check_opcodes()?;
            Ok(raw.into_vecs())
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
