//! How does safe code read LLVM IR? Through copyable, lifetime-bound handles around LLVM's C API.
//!
//! A handle is created from a raw reference, at which point null and kind are checked, and lives no longer than its
//! module: `'m` is the lifetime of the pass call, or of the owned module. All getters are read-only; mutation is in
//! `edit`. Handles compare and hash by identity.

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMLinkage, LLVMOpcode, LLVMTypeKind};
use std::ffi::{CStr, c_char};
use std::iter::successors;
use std::marker::PhantomData;

/// What crosses the boundary to C++.
pub use llvm_sys::prelude::{LLVMModuleRef as RawModule, LLVMValueRef as RawValue};
pub use llvm_sys::{LLVMIntPredicate as IntPredicate, LLVMRealPredicate as RealPredicate};
pub use llvm_sys::{LLVMOpcode as RawOpcode, LLVMTypeKind as TypeKind};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(transparent)]
        pub struct $name<'m> {
            raw: $raw,
            life: PhantomData<&'m ()>,
        }
        impl<'m> $name<'m> {
            /// Wraps a raw reference; `None` for null.
            ///
            /// # Safety
            /// `raw` is null or a live object of this kind that outlives `'m` and is not freed while handles exist.
            pub unsafe fn from_raw(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some(Self { raw, life: PhantomData })
            }
            /// The raw reference, for `llvm/` only.
            pub(crate) fn raw(self) -> $raw {
                self.raw
            }
        }
    };
}

handle!(/** A module. */ Module, LLVMModuleRef);
handle!(/** A function, defined or declared. */ Function, LLVMValueRef);
handle!(/** A basic block. */ Block, LLVMBasicBlockRef);
handle!(/** An instruction. */ Inst, LLVMValueRef);
handle!(/** Any value: argument, instruction, constant, global, metadata as value. */ Value, LLVMValueRef);
handle!(/** A type. */ Type, LLVMTypeRef);
handle!(/** A debug location (`DILocation`). */ DebugLoc, LLVMMetadataRef);

/// Calls a C API getter. Every use is sound for the same reason: the handle's object is alive for `'m`, and the getter
/// only reads it; a getter that requires a particular kind of value is only called after that kind was checked.
macro_rules! get {
    ($e:expr) => {{
        // SAFETY: handles are alive for 'm (guaranteed by whoever called `from_raw`) and the getter only reads.
        unsafe { $e }
    }};
}

/// Wraps a reference that LLVM returned from a live parent object; null becomes `None`.
macro_rules! wrap {
    ($kind:ident, $e:expr) => {{
        // SAFETY: the reference comes from a live parent, so it lives for the same 'm.
        unsafe { $kind::from_raw($e) }
    }};
}

/// Getters that LLVM answers with a number for a boolean.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident = $getter:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(self) -> bool {
            get!($getter(self.raw)) != 0
        }
    )*};
}

/// The text that a getter of LLVM finds, which writes the length to where it is told.
macro_rules! text {
    ($getter:ident($($argument:expr),* $(,)?)) => {{
        let mut length = 0;
        let data = get!($getter($($argument,)* &mut length));
        bytes_to_string(data, length as usize)
    }};
}

/// An enum with our names of LLVM's, and the function that finds ours.
macro_rules! mirror {
    ($(#[$doc:meta])* $name:ident of $llvm:ident by $from:ident { $($ours:ident = $($theirs:ident)|+),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $($ours),+
        }
        pub(in crate::llvm) fn $from(theirs: $llvm) -> Option<$name> {
            #[allow(unreachable_patterns)] // some have all of LLVM's
            match theirs {
                $($($llvm::$theirs)|+ => Some($name::$ours),)+
                _ => None,
            }
        }
    };
}
pub(in crate::llvm) use mirror;

/// A (pointer, length) string owned by LLVM, copied.
fn bytes_to_string(data: *const c_char, len: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out `len` readable bytes at `data`, alive during this call.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies a NUL-terminated string that LLVM still owns.
fn c_string(data: *const c_char) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: the C API hands out NUL-terminated strings alive during this call.
    unsafe { CStr::from_ptr(data) }.to_string_lossy().into_owned()
}

/// Copies and frees a message that the C API allocated for us.
fn take_message(message: *mut c_char) -> String {
    let text = c_string(message);
    if !message.is_null() {
        get!(LLVMDisposeMessage(message));
    }
    text
}

mod function;
mod inst;
pub use inst::joins_all;
mod value;

pub use function::{AttrPlace, attribute_kind};
pub use value::{ValueKind, quote_name};

impl<'m> Module<'m> {
    /// Target triple, as written.
    pub fn triple(self) -> String {
        c_string(get!(LLVMGetTarget(self.raw)))
    }
    /// Whether this is device code for NVIDIA GPUs.
    pub fn is_nvptx(self) -> bool {
        self.triple().starts_with("nvptx")
    }
    /// Source file name the front end recorded.
    pub fn source_file(self) -> String {
        text!(LLVMGetSourceFileName(self.raw))
    }
    /// Whether a source was compiled with debug information.
    pub fn has_debug_info(self) -> bool {
        let name = "llvm.dbg.cu";
        !get!(LLVMGetNamedMetadata(self.raw, name.as_ptr().cast(), name.len())).is_null()
    }
    /// All functions, declarations included, in module order.
    pub fn functions(self) -> impl Iterator<Item = Function<'m>> {
        successors(wrap!(Function, LLVMGetFirstFunction(self.raw)), |at| wrap!(Function, LLVMGetNextFunction(at.raw)))
    }
    /// The function of that name.
    pub fn function(self, name: &str) -> Option<Function<'m>> {
        wrap!(Function, LLVMGetNamedFunctionWithLength(self.raw, name.as_ptr().cast(), name.len()))
    }
    /// All global variables, in module order.
    pub fn globals(self) -> impl Iterator<Item = Value<'m>> {
        successors(wrap!(Value, LLVMGetFirstGlobal(self.raw)), |at| wrap!(Value, LLVMGetNextGlobal(at.raw)))
    }
    /// The global variable of that name.
    pub fn global(self, name: &str) -> Option<Value<'m>> {
        let name = std::ffi::CString::new(name).ok()?;
        wrap!(Value, LLVMGetNamedGlobal(self.raw, name.as_ptr()))
    }
    /// The module's data layout.
    pub fn layout(self) -> Layout<'m> {
        Layout { raw: get!(LLVMGetModuleDataLayout(self.raw)), life: PhantomData }
    }
    /// The whole module as text.
    pub fn print(self) -> String {
        take_message(get!(LLVMPrintModuleToString(self.raw)))
    }
    /// The operands of a named metadata node, each an MDNode as a value.
    pub fn named_metadata(self, name: &str) -> Vec<Value<'m>> {
        let Ok(name) = std::ffi::CString::new(name) else { return Vec::new() };
        let count = get!(LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr())) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        get!(LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), raw.as_mut_ptr()));
        raw.into_iter().filter_map(|value| wrap!(Value, value)).collect()
    }
}

/// Sizes and alignments of types under one module's data layout.
#[derive(Clone, Copy)]
pub struct Layout<'m> {
    raw: LLVMTargetDataRef,
    life: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    /// Bytes from one array element to the next, tail padding included; `None` where that is no one number.
    pub fn alloc_size(self, ty: Type<'m>) -> Option<u64> {
        ty.has_fixed_size().then(|| get!(LLVMABISizeOfType(self.raw, ty.raw)))
    }
    /// Bytes a store of the type writes; `None` where that is no one number.
    pub fn store_size(self, ty: Type<'m>) -> Option<u64> {
        ty.has_fixed_size().then(|| get!(LLVMStoreSizeOfType(self.raw, ty.raw)))
    }
    /// ABI alignment in bytes. The type must be sized.
    pub fn align(self, ty: Type<'m>) -> u32 {
        get!(LLVMABIAlignmentOfType(self.raw, ty.raw))
    }
    /// Byte offset of a struct's element; `None` where that is no one number.
    pub fn struct_offset(self, ty: Type<'m>, element: u32) -> Option<u64> {
        ty.has_fixed_size().then(|| get!(LLVMOffsetOfElement(self.raw, ty.raw, element)))
    }
    /// Pointer width in bits of an address space.
    pub fn pointer_bits(self, address_space: u32) -> u32 {
        8 * get!(LLVMPointerSizeForAS(self.raw, address_space))
    }
}

unsafe extern "C" {
    fn warpwise_has_fixed_size(ty: LLVMTypeRef) -> bool;
    fn warpwise_table_behind(address: LLVMValueRef) -> LLVMValueRef;
    fn warpwise_variable_name(value: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn warpwise_member_name(
        value: LLVMValueRef,
        offset: u64,
        out: *mut u8,
        capacity: usize,
        size: *mut u64,
        is_pointer: *mut bool,
    ) -> usize;
    fn warpwise_location_function(location: LLVMMetadataRef, length: *mut usize) -> *const c_char;
}

fn file_name(file: LLVMMetadataRef) -> String {
    let name = if file.is_null() { String::new() } else { text!(LLVMDIFileGetFilename(file)) };
    // clang finds headers beside a source as ./header
    name.strip_prefix("./").map_or_else(|| name.clone(), str::to_owned)
}

fn folder_name(file: LLVMMetadataRef) -> String {
    if file.is_null() { String::new() } else { text!(LLVMDIFileGetDirectory(file)) }
}

/// LLVM's number for a metadata kind such as `range` or `invariant.load`. Look it up once a module.
pub fn metadata_kind(module: Module<'_>, name: &str) -> u32 {
    get!(LLVMGetMDKindIDInContext(LLVMGetModuleContext(module.raw), name.as_ptr().cast(), name.len() as u32))
}

/// The name of an intrinsic number, without overload suffixes: `llvm.nvvm.read.ptx.sreg.tid.x`.
pub fn intrinsic_name(id: u32) -> String {
    if id == 0 { String::new() } else { text!(LLVMIntrinsicGetName(id)) }
}

/// LLVM's number for an intrinsic by its name without overload suffixes; zero if unknown.
pub fn intrinsic_id(name: &str) -> u32 {
    get!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()))
}

impl<'m> DebugLoc<'m> {
    /// Line, 1-based; zero where compiler-made.
    pub fn line(self) -> u32 {
        get!(LLVMDILocationGetLine(self.raw))
    }
    /// Column, 1-based; zero where unknown.
    pub fn column(self) -> u32 {
        get!(LLVMDILocationGetColumn(self.raw))
    }
    /// The call site this location was inlined at.
    pub fn inlined_at(self) -> Option<DebugLoc<'m>> {
        wrap!(DebugLoc, LLVMDILocationGetInlinedAt(self.raw))
    }
    /// A number for its file; several may be of files of one name.
    pub fn file_key(self) -> usize {
        self.raw_file() as usize
    }
    fn raw_file(self) -> LLVMMetadataRef {
        let scope = get!(LLVMDILocationGetScope(self.raw));
        if scope.is_null() { scope } else { get!(LLVMDIScopeGetFile(scope)) }
    }
    /// File name as the front end wrote it.
    pub fn file(self) -> String {
        file_name(self.raw_file())
    }
    /// The folder from which the file is named.
    pub fn folder(self) -> String {
        folder_name(self.raw_file())
    }
    /// Name of the function that was written there; empty where unknown.
    pub fn function(self) -> String {
        text!(warpwise_location_function(self.raw))
    }
}
