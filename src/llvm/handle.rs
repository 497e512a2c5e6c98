//! How does safe code look at LLVM IR? Copyable, lifetime-bound handles around LLVM's C API.
//!
//! A handle is made once from a raw reference (null and kind checked there) and lives no longer than the module it
//! came from: `'m` is the lifetime of the pass call, or of the owned module. All getters are read-only; mutation is in
//! `edit`. Handles compare and hash by identity.

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMLinkage, LLVMOpcode, LLVMTypeKind};
use std::ffi::CStr;
use std::marker::PhantomData;

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
/// only reads it; a getter that wants a particular kind of value is only called after that kind was checked.
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

/// A (pointer, length) string owned by LLVM, copied.
fn bytes_to_string(data: *const libc_char, len: usize) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out `len` readable bytes at `data`, alive during this call.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

#[allow(non_camel_case_types)]
type libc_char = std::ffi::c_char;

/// Copies a NUL-terminated string that LLVM still owns.
fn c_string(data: *const libc_char) -> String {
    if data.is_null() {
        return String::new();
    }
    // SAFETY: the C API hands out NUL-terminated strings alive during this call.
    unsafe { CStr::from_ptr(data) }.to_string_lossy().into_owned()
}

/// Copies and frees a message that the C API gave us ownership of.
fn take_message(message: *mut libc_char) -> String {
    let text = c_string(message);
    if !message.is_null() {
        get!(LLVMDisposeMessage(message));
    }
    text
}

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
        let mut len = 0;
        let data = get!(LLVMGetSourceFileName(self.raw, &mut len));
        bytes_to_string(data, len)
    }
    /// All functions, declarations included, in module order.
    pub fn functions(self) -> impl Iterator<Item = Function<'m>> {
        let mut next = wrap!(Function, LLVMGetFirstFunction(self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = wrap!(Function, LLVMGetNextFunction(current.raw));
            Some(current)
        })
    }
    /// The function of that name.
    pub fn function(self, name: &str) -> Option<Function<'m>> {
        wrap!(Function, LLVMGetNamedFunctionWithLength(self.raw, name.as_ptr().cast(), name.len()))
    }
    /// All global variables, in module order.
    pub fn globals(self) -> impl Iterator<Item = Value<'m>> {
        let mut next = wrap!(Value, LLVMGetFirstGlobal(self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = wrap!(Value, LLVMGetNextGlobal(current.raw));
            Some(current)
        })
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
    /// Bytes from one array element to the next, tail padding included. The type must be sized.
    pub fn alloc_size(self, ty: Type<'m>) -> u64 {
        get!(LLVMABISizeOfType(self.raw, ty.raw))
    }
    /// Bytes a store of the type writes. The type must be sized.
    pub fn store_size(self, ty: Type<'m>) -> u64 {
        get!(LLVMStoreSizeOfType(self.raw, ty.raw))
    }
    /// ABI alignment in bytes. The type must be sized.
    pub fn align(self, ty: Type<'m>) -> u32 {
        get!(LLVMABIAlignmentOfType(self.raw, ty.raw))
    }
    /// Byte offset of a struct's element.
    pub fn struct_offset(self, ty: Type<'m>, element: u32) -> u64 {
        get!(LLVMOffsetOfElement(self.raw, ty.raw, element))
    }
    /// Pointer width in bits of an address space.
    pub fn pointer_bits(self, address_space: u32) -> u32 {
        8 * get!(LLVMPointerSizeForAS(self.raw, address_space))
    }
}

impl<'m> Type<'m> {
    /// The object's address; types are unique, so equal types have equal addresses.
    pub fn address(self) -> usize {
        self.raw as usize
    }
    /// Which kind of type.
    pub fn kind(self) -> LLVMTypeKind {
        get!(LLVMGetTypeKind(self.raw))
    }
    /// Width of an integer type in bits, `None` for other types.
    pub fn int_bits(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| get!(LLVMGetIntTypeWidth(self.raw)))
    }
    /// Address space of a pointer type, `None` for other types.
    pub fn address_space(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMPointerTypeKind).then(|| get!(LLVMGetPointerAddressSpace(self.raw)))
    }
    /// Element type of an array or vector.
    pub fn element(self) -> Option<Type<'m>> {
        match self.kind() {
            LLVMTypeKind::LLVMArrayTypeKind
            | LLVMTypeKind::LLVMVectorTypeKind
            | LLVMTypeKind::LLVMScalableVectorTypeKind => wrap!(Type, LLVMGetElementType(self.raw)),
            _ => None,
        }
    }
    /// Number of elements of an array, vector or struct, zero for other types.
    pub fn length(self) -> u64 {
        match self.kind() {
            LLVMTypeKind::LLVMArrayTypeKind => get!(LLVMGetArrayLength2(self.raw)),
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                u64::from(get!(LLVMGetVectorSize(self.raw)))
            }
            LLVMTypeKind::LLVMStructTypeKind => u64::from(get!(LLVMCountStructElementTypes(self.raw))),
            _ => 0,
        }
    }
    /// Type of a struct's element. The index must be in range.
    pub fn struct_element(self, index: u32) -> Type<'m> {
        assert!(self.kind() == LLVMTypeKind::LLVMStructTypeKind && u64::from(index) < self.length());
        wrap!(Type, LLVMStructGetTypeAtIndex(self.raw, index)).expect("index checked above")
    }
    /// Whether values of the type have a size in memory.
    pub fn is_sized(self) -> bool {
        get!(LLVMTypeIsSized(self.raw)) != 0
    }
    /// Return type of a function type.
    pub fn return_type(self) -> Option<Type<'m>> {
        (self.kind() == LLVMTypeKind::LLVMFunctionTypeKind).then(|| wrap!(Type, LLVMGetReturnType(self.raw))).flatten()
    }
    /// The type as text.
    pub fn print(self) -> String {
        take_message(get!(LLVMPrintTypeToString(self.raw)))
    }
}

/// Index of attributes on a function or its call sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrPlace {
    Function,
    Return,
    Param(u32),
}

impl AttrPlace {
    fn index(self) -> u32 {
        match self {
            AttrPlace::Function => u32::MAX,
            AttrPlace::Return => 0,
            AttrPlace::Param(n) => n + 1,
        }
    }
}

/// LLVM's number for an enum attribute such as `readonly`; zero if this LLVM does not know the name. Look it up once.
pub fn attribute_kind(name: &str) -> u32 {
    get!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// The calling convention of PTX kernels.
const PTX_KERNEL: u32 = 71;

impl<'m> Function<'m> {
    /// As a plain value.
    pub fn value(self) -> Value<'m> {
        Value { raw: self.raw, life: PhantomData }
    }
    /// Symbol name.
    pub fn name(self) -> String {
        self.value().name()
    }
    /// The module it belongs to.
    pub fn module(self) -> Module<'m> {
        wrap!(Module, LLVMGetGlobalParent(self.raw)).expect("a function has a module")
    }
    /// The function's type.
    pub fn function_type(self) -> Type<'m> {
        wrap!(Type, LLVMGlobalGetValueType(self.raw)).expect("a function has a type")
    }
    /// File and line of the function's definition in the source, where debug information says so.
    pub fn place(self) -> Option<(String, u32)> {
        let program = get!(LLVMGetSubprogram(self.raw));
        if program.is_null() {
            return None;
        }
        let line = get!(LLVMDISubprogramGetLine(program));
        let file = get!(LLVMDIScopeGetFile(program));
        if file.is_null() {
            return None;
        }
        let mut len = 0;
        let data = get!(LLVMDIFileGetFilename(file, &mut len));
        Some((bytes_to_string(data, len as usize), line))
    }
    /// Whether it has no body here.
    pub fn is_declaration(self) -> bool {
        get!(LLVMIsDeclaration(self.raw)) != 0
    }
    /// Whether only this module can name it (internal or private linkage).
    pub fn is_local(self) -> bool {
        self.value().is_local()
    }
    /// Whether another module's definition may replace this one (weak, linkonce, common … but not the `_odr` kinds).
    pub fn is_interposable(self) -> bool {
        matches!(
            get!(LLVMGetLinkage(self.raw)),
            LLVMLinkage::LLVMWeakAnyLinkage
                | LLVMLinkage::LLVMLinkOnceAnyLinkage
                | LLVMLinkage::LLVMCommonLinkage
                | LLVMLinkage::LLVMExternalWeakLinkage
        )
    }
    /// Whether the body seen here is the one that runs: not replaceable at link time, not one of several that the
    /// linker may choose from (those may have been optimised under other assumptions).
    pub fn has_exact_definition(self) -> bool {
        !self.is_declaration()
            && matches!(
                get!(LLVMGetLinkage(self.raw)),
                LLVMLinkage::LLVMExternalLinkage | LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
            )
    }
    /// Whether every use is a direct call.
    pub fn is_only_called_directly(self) -> bool {
        self.value().users().all(|user| {
            let Some(call) = user.as_inst().filter(|inst| inst.opcode() == LLVMOpcode::LLVMCall) else { return false };
            call.called_function() == Some(self)
                && (0..call.argument_count()).all(|index| call.operand(index) != self.value())
        })
    }
    /// Whether it is a kernel by calling convention (older IR says so in `!nvvm.annotations` instead).
    pub fn is_ptx_kernel(self) -> bool {
        get!(LLVMGetFunctionCallConv(self.raw)) == PTX_KERNEL
    }
    /// LLVM's intrinsic number, zero for ordinary functions.
    pub fn intrinsic_id(self) -> u32 {
        get!(LLVMGetIntrinsicID(self.raw))
    }
    /// Number of formal arguments.
    pub fn param_count(self) -> u32 {
        get!(LLVMCountParams(self.raw))
    }
    /// Formal argument `index`, which must be in range.
    pub fn param(self, index: u32) -> Value<'m> {
        assert!(index < self.param_count(), "argument index in range");
        wrap!(Value, LLVMGetParam(self.raw, index)).expect("index checked above")
    }
    /// All blocks, entry first, in function order.
    pub fn blocks(self) -> impl Iterator<Item = Block<'m>> {
        let mut next = wrap!(Block, LLVMGetFirstBasicBlock(self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = wrap!(Block, LLVMGetNextBasicBlock(current.raw));
            Some(current)
        })
    }
    /// Number of blocks.
    pub fn block_count(self) -> u32 {
        get!(LLVMCountBasicBlocks(self.raw))
    }
    /// Whether an enum or type attribute (see [`attribute_kind`]) is present.
    pub fn has_attribute(self, place: AttrPlace, kind: u32) -> bool {
        kind != 0 && !get!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)).is_null()
    }
    /// The integer payload of an enum attribute (`align`, `dereferenceable`, `memory` …).
    pub fn int_attribute(self, place: AttrPlace, kind: u32) -> Option<u64> {
        let attr =
            if kind == 0 { return None } else { get!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)) };
        (!attr.is_null()).then(|| get!(LLVMGetEnumAttributeValue(attr)))
    }
    /// The type payload of a type attribute (`byval`, `sret` …).
    pub fn type_attribute(self, place: AttrPlace, kind: u32) -> Option<Type<'m>> {
        let attr =
            if kind == 0 { return None } else { get!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)) };
        if attr.is_null() { None } else { wrap!(Type, LLVMGetTypeAttributeValue(attr)) }
    }
    /// The value of a string attribute such as `"nvvm.maxntid"`.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let attr = get!(LLVMGetStringAttributeAtIndex(
            self.raw,
            AttrPlace::Function.index(),
            name.as_ptr().cast(),
            name.len() as u32
        ));
        if attr.is_null() {
            return None;
        }
        let mut len = 0;
        let data = get!(LLVMGetStringAttributeValue(attr, &mut len));
        Some(bytes_to_string(data, len as usize))
    }
}

impl<'m> Block<'m> {
    /// The object's address, unique among live blocks: a key for maps.
    pub fn address(self) -> usize {
        self.raw as usize
    }
    /// Name, empty when the block has none.
    pub fn name(self) -> String {
        self.as_value().name()
    }
    /// The name as LLVM prints it: `%entry`, `%7`.
    pub fn print_name(self) -> String {
        self.as_value().print_as_operand()
    }
    /// The label as a value.
    pub fn as_value(self) -> Value<'m> {
        wrap!(Value, LLVMBasicBlockAsValue(self.raw)).expect("a block is a value")
    }
    /// The function it stands in.
    pub fn function(self) -> Function<'m> {
        wrap!(Function, LLVMGetBasicBlockParent(self.raw)).expect("a block has a function")
    }
    /// Instructions in order (debug records are not instructions).
    pub fn insts(self) -> impl Iterator<Item = Inst<'m>> {
        let mut next = wrap!(Inst, LLVMGetFirstInstruction(self.raw));
        std::iter::from_fn(move || {
            let current = next?;
            next = wrap!(Inst, LLVMGetNextInstruction(current.raw));
            Some(current)
        })
    }
    /// The terminator; `None` only in half-built functions.
    pub fn terminator(self) -> Option<Inst<'m>> {
        wrap!(Inst, LLVMGetBasicBlockTerminator(self.raw))
    }
}

/// What kind of value a [`Value`] is, for consumers that match on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Argument,
    Instruction,
    Block,
    Function,
    GlobalVariable,
    GlobalAlias,
    ConstantInt,
    ConstantFp,
    ConstantNull,
    ConstantZero,
    ConstantData,
    ConstantAggregate,
    ConstantExpr,
    Undef,
    Poison,
    InlineAsm,
    Metadata,
    Other,
}

impl<'m> Value<'m> {
    /// Name, empty when it has none.
    pub fn name(self) -> String {
        let mut len = 0;
        let data = get!(LLVMGetValueName2(self.raw, &mut len));
        bytes_to_string(data, len)
    }
    /// Whether it has a name.
    pub fn has_name(self) -> bool {
        let mut len = 0;
        get!(LLVMGetValueName2(self.raw, &mut len));
        len != 0
    }
    /// The object's address, unique among live values: a key for maps.
    pub fn address(self) -> usize {
        self.raw as usize
    }
    /// The value's type.
    pub fn ty(self) -> Type<'m> {
        wrap!(Type, LLVMTypeOf(self.raw)).expect("every value has a type")
    }
    /// Which kind of value this is.
    pub fn kind(self) -> ValueKind {
        use llvm_sys::LLVMValueKind::*;
        match get!(LLVMGetValueKind(self.raw)) {
            LLVMArgumentValueKind => ValueKind::Argument,
            LLVMInstructionValueKind => ValueKind::Instruction,
            LLVMBasicBlockValueKind => ValueKind::Block,
            LLVMFunctionValueKind => ValueKind::Function,
            LLVMGlobalVariableValueKind => ValueKind::GlobalVariable,
            LLVMGlobalAliasValueKind => ValueKind::GlobalAlias,
            LLVMConstantIntValueKind => ValueKind::ConstantInt,
            LLVMConstantFPValueKind => ValueKind::ConstantFp,
            LLVMConstantPointerNullValueKind => ValueKind::ConstantNull,
            LLVMConstantAggregateZeroValueKind => ValueKind::ConstantZero,
            LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind => ValueKind::ConstantData,
            LLVMConstantArrayValueKind | LLVMConstantStructValueKind | LLVMConstantVectorValueKind => {
                ValueKind::ConstantAggregate
            }
            LLVMConstantExprValueKind => ValueKind::ConstantExpr,
            LLVMUndefValueValueKind => ValueKind::Undef,
            LLVMPoisonValueKind => ValueKind::Poison,
            LLVMInlineAsmValueKind => ValueKind::InlineAsm,
            LLVMMetadataAsValueValueKind => ValueKind::Metadata,
            _ => ValueKind::Other,
        }
    }
    /// As an instruction, if it is one.
    pub fn as_inst(self) -> Option<Inst<'m>> {
        wrap!(Inst, LLVMIsAInstruction(self.raw))
    }
    /// As a function, if it is one.
    pub fn as_function(self) -> Option<Function<'m>> {
        wrap!(Function, LLVMIsAFunction(self.raw))
    }
    /// As a block, if it is one.
    pub fn as_block(self) -> Option<Block<'m>> {
        (get!(LLVMValueIsBasicBlock(self.raw)) != 0).then(|| wrap!(Block, LLVMValueAsBasicBlock(self.raw))).flatten()
    }
    /// Number of operands of an instruction, constant expression or constant aggregate.
    pub fn operand_count(self) -> u32 {
        get!(LLVMGetNumOperands(self.raw)).max(0) as u32
    }
    /// Operand `index`, which must be in range.
    pub fn operand(self, index: u32) -> Value<'m> {
        wrap!(Value, LLVMGetOperand(self.raw, index)).expect("operand index in range")
    }
    /// Value of an integer constant of at most 64 bits, zero-extended.
    pub fn const_u64(self) -> Option<u64> {
        let narrow = self.kind() == ValueKind::ConstantInt && self.ty().int_bits().is_some_and(|bits| bits <= 64);
        narrow.then(|| get!(LLVMConstIntGetZExtValue(self.raw)))
    }
    /// Value of an integer constant of at most 64 bits, sign-extended.
    pub fn const_i64(self) -> Option<i64> {
        self.const_u64()?;
        Some(get!(LLVMConstIntGetSExtValue(self.raw)))
    }
    /// Opcode of a constant expression.
    pub fn const_opcode(self) -> Option<LLVMOpcode> {
        (self.kind() == ValueKind::ConstantExpr).then(|| get!(LLVMGetConstOpcode(self.raw)))
    }
    /// Bits of a floating constant of at most 64 bits (half, bfloat, float, double), zero-extended.
    pub fn const_fp_bits(self) -> Option<u64> {
        if self.kind() != ValueKind::ConstantFp {
            return None;
        }
        let bits = match self.ty().kind() {
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => 16,
            LLVMTypeKind::LLVMFloatTypeKind => 32,
            LLVMTypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        let context = get!(LLVMGetTypeContext(self.ty().raw));
        let as_int = wrap!(Value, LLVMConstBitCast(self.raw, LLVMIntTypeInContext(context, bits)))?;
        as_int.const_u64()
    }
    /// Element `index` of a constant aggregate, data sequence or zero; `None` past the end.
    pub fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        wrap!(Value, LLVMGetAggregateElement(self.raw, index))
    }
    /// Text of a constant array of bytes, without the final NUL.
    pub fn const_text(self) -> Option<String> {
        if self.kind() != ValueKind::ConstantData || get!(LLVMIsConstantString(self.raw)) == 0 {
            return None;
        }
        let mut len = 0;
        let data = get!(LLVMGetAsString(self.raw, &mut len));
        Some(bytes_to_string(data, len).trim_end_matches('\0').to_owned())
    }
    /// Whether it is the null value of its type.
    pub fn is_null(self) -> bool {
        get!(LLVMIsNull(self.raw)) != 0
    }
    /// Whether it is a constant of any kind, globals included.
    pub fn is_constant(self) -> bool {
        get!(LLVMIsConstant(self.raw)) != 0
    }
    /// Whether a global has internal or private linkage.
    pub fn is_local(self) -> bool {
        matches!(get!(LLVMGetLinkage(self.raw)), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }
    /// Whether a global has only a declaration here.
    pub fn is_declaration(self) -> bool {
        get!(LLVMIsDeclaration(self.raw)) != 0
    }
    /// Whether a global variable is `constant`.
    pub fn is_global_constant(self) -> bool {
        self.kind() == ValueKind::GlobalVariable && get!(LLVMIsGlobalConstant(self.raw)) != 0
    }
    /// Initialiser of a global variable.
    pub fn initializer(self) -> Option<Value<'m>> {
        (self.kind() == ValueKind::GlobalVariable).then(|| wrap!(Value, LLVMGetInitializer(self.raw))).flatten()
    }
    /// Type of a global's contents.
    pub fn global_value_type(self) -> Option<Type<'m>> {
        wrap!(Type, LLVMGlobalGetValueType(self.raw))
    }
    /// Explicit alignment of a global, alloca, load or store in bytes; zero if none is written.
    pub fn explicit_align(self) -> u32 {
        get!(LLVMGetAlignment(self.raw))
    }
    /// The users of the value, in use-list order.
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        let mut next = get!(LLVMGetFirstUse(self.raw));
        std::iter::from_fn(move || {
            if next.is_null() {
                return None;
            }
            let user = wrap!(Value, LLVMGetUser(next));
            next = get!(LLVMGetNextUse(next));
            user
        })
    }
    /// Source element type of a GEP, instruction or constant expression; call it on GEPs only.
    pub fn gep_source_type(self) -> Type<'m> {
        wrap!(Type, LLVMGetGEPSourceElementType(self.raw)).expect("a GEP has a source element type")
    }
    /// The whole value as text.
    pub fn print(self) -> String {
        take_message(get!(LLVMPrintValueToString(self.raw)))
    }
    /// The name as LLVM prints it where the value is an operand: `%x`, `%5`, `@g`. Costs a slot numbering of the whole
    /// function for unnamed values: for many values, number them yourself.
    pub fn print_as_operand(self) -> String {
        let name = self.name();
        if !name.is_empty() {
            return quote_name('%', &name);
        }
        let text = self.print();
        let head = text.trim_start();
        match self.kind() {
            ValueKind::Block => head.split(':').next().map(|slot| format!("%{slot}")).unwrap_or_default(),
            _ => head.split_whitespace().find(|word| word.starts_with('%')).unwrap_or("%?").to_owned(),
        }
    }
    /// Text of inline assembly.
    pub fn asm_text(self) -> String {
        let mut len = 0;
        let data = get!(LLVMGetInlineAsmAsmString(self.raw, &mut len));
        bytes_to_string(data, len)
    }
    /// Constraint string of inline assembly.
    pub fn asm_constraints(self) -> String {
        let mut len = 0;
        let data = get!(LLVMGetInlineAsmConstraintString(self.raw, &mut len));
        bytes_to_string(data, len)
    }
    /// Whether inline assembly is marked `sideeffect` (volatile).
    pub fn asm_has_side_effects(self) -> bool {
        get!(LLVMGetInlineAsmHasSideEffects(self.raw)) != 0
    }
    /// Operands of an MDNode wrapped as value.
    pub fn md_operands(self) -> Vec<Option<Value<'m>>> {
        let count = get!(LLVMGetMDNodeNumOperands(self.raw)) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        get!(LLVMGetMDNodeOperands(self.raw, raw.as_mut_ptr()));
        raw.into_iter().map(|value| wrap!(Value, value)).collect()
    }
    /// Text of an MDString wrapped as value.
    pub fn md_string(self) -> Option<String> {
        let mut len = 0;
        let data = get!(LLVMGetMDString(self.raw, &mut len));
        (!data.is_null()).then(|| bytes_to_string(data, len as usize))
    }
}

/// A name with its sigil, quoted as the IR printer quotes it.
pub fn quote_name(sigil: char, name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_');
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("{sigil}{name}");
    }
    let mut text = format!("{sigil}\"");
    for byte in name.bytes() {
        if (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\' {
            text.push(byte as char);
        } else {
            text.push_str(&format!("\\{byte:02X}"));
        }
    }
    text.push('"');
    text
}

impl<'m> Inst<'m> {
    /// As a plain value.
    pub fn value(self) -> Value<'m> {
        Value { raw: self.raw, life: PhantomData }
    }
    /// The result type (`void` for none).
    pub fn ty(self) -> Type<'m> {
        self.value().ty()
    }
    /// Opcode.
    pub fn opcode(self) -> LLVMOpcode {
        get!(LLVMGetInstructionOpcode(self.raw))
    }
    /// The block it stands in.
    pub fn block(self) -> Block<'m> {
        wrap!(Block, LLVMGetInstructionParent(self.raw)).expect("an instruction has a block")
    }
    /// Number of operands as LLVM stores them (a call's callee last, a conditional branch's successors reversed).
    pub fn operand_count(self) -> u32 {
        self.value().operand_count()
    }
    /// Operand `index`, which must be in range.
    pub fn operand(self, index: u32) -> Value<'m> {
        self.value().operand(index)
    }
    /// `nuw` of add, sub, mul, shl, trunc.
    pub fn has_nuw(self) -> bool {
        get!(LLVMGetNUW(self.raw)) != 0
    }
    /// `nsw` of add, sub, mul, shl, trunc.
    pub fn has_nsw(self) -> bool {
        get!(LLVMGetNSW(self.raw)) != 0
    }
    /// `exact` of divisions and right shifts.
    pub fn is_exact(self) -> bool {
        get!(LLVMGetExact(self.raw)) != 0
    }
    /// `nneg` of zext and uitofp.
    pub fn has_nneg(self) -> bool {
        get!(LLVMGetNNeg(self.raw)) != 0
    }
    /// `disjoint` of or.
    pub fn is_disjoint(self) -> bool {
        get!(LLVMGetIsDisjoint(self.raw)) != 0
    }
    /// Fast-math flags as LLVM's bit set (reassoc 1, nnan 2, ninf 4, nsz 8, arcp 16, contract 32, afn 64); zero where
    /// the instruction takes none.
    pub fn fast_math(self) -> u32 {
        if get!(LLVMCanValueUseFastMathFlags(self.raw)) == 0 {
            return 0;
        }
        get!(LLVMGetFastMathFlags(self.raw))
    }
    /// Predicate of an `icmp`; call it on `icmp` only.
    pub fn int_predicate(self) -> IntPredicate {
        get!(LLVMGetICmpPredicate(self.raw))
    }
    /// `samesign` of an `icmp`.
    pub fn has_samesign(self) -> bool {
        get!(LLVMGetICmpSameSign(self.raw)) != 0
    }
    /// Predicate of an `fcmp`; call it on `fcmp` only.
    pub fn real_predicate(self) -> RealPredicate {
        get!(LLVMGetFCmpPredicate(self.raw))
    }
    /// No-wrap flags of a GEP: inbounds 1, nusw 2, nuw 4.
    pub fn gep_flags(self) -> u32 {
        get!(LLVMGEPGetNoWrapFlags(self.raw))
    }
    /// Whether a load, store, atomicrmw or cmpxchg is volatile.
    pub fn is_volatile(self) -> bool {
        get!(LLVMGetVolatile(self.raw)) != 0
    }
    /// Whether a load, store, fence, atomicrmw or cmpxchg is atomic.
    pub fn is_atomic(self) -> bool {
        get!(LLVMIsAtomic(self.raw)) != 0
    }
    /// Ordering of a load, store, fence or atomicrmw.
    pub fn ordering(self) -> LLVMAtomicOrdering {
        get!(LLVMGetOrdering(self.raw))
    }
    /// Operation of an `atomicrmw`.
    pub fn rmw_op(self) -> LLVMAtomicRMWBinOp {
        get!(LLVMGetAtomicRMWBinOp(self.raw))
    }
    /// Alignment of a load, store, alloca or atomic in bytes.
    pub fn align(self) -> u32 {
        get!(LLVMGetAlignment(self.raw))
    }
    /// Type that an alloca allocates.
    pub fn allocated_type(self) -> Type<'m> {
        wrap!(Type, LLVMGetAllocatedType(self.raw)).expect("an alloca has a type")
    }
    /// Bytes of one object of an alloca, times a constant count.
    pub fn allocated_bytes(self) -> u64 {
        let layout = self.block().function().module().layout();
        layout.alloc_size(self.allocated_type()) * self.operand(0).const_u64().unwrap_or(1)
    }
    /// Constant indices of extractvalue and insertvalue.
    pub fn indices(self) -> &'m [u32] {
        let count = get!(LLVMGetNumIndices(self.raw)) as usize;
        let data = get!(LLVMGetIndices(self.raw));
        if count == 0 || data.is_null() {
            return &[];
        }
        // SAFETY: LLVM keeps `count` indices at `data` as long as the instruction lives.
        unsafe { std::slice::from_raw_parts(data, count) }
    }
    /// Mask of a shufflevector; -1 for poison elements.
    pub fn shuffle_mask(self) -> Vec<i32> {
        let count = get!(LLVMGetNumMaskElements(self.raw));
        (0..count).map(|i| get!(LLVMGetMaskValue(self.raw, i))).collect()
    }
    /// Successor blocks of a terminator, in LLVM's order; empty for other instructions.
    pub fn successors(self) -> impl Iterator<Item = Block<'m>> {
        let is_terminator = !get!(LLVMIsATerminatorInst(self.raw)).is_null();
        let count = if is_terminator { get!(LLVMGetNumSuccessors(self.raw)) } else { 0 };
        (0..count).filter_map(move |i| wrap!(Block, LLVMGetSuccessor(self.raw, i)))
    }
    /// Condition of a conditional branch; `None` for every other instruction.
    pub fn branch_condition(self) -> Option<Value<'m>> {
        let conditional = self.opcode() == LLVMOpcode::LLVMBr && get!(LLVMIsConditional(self.raw)) != 0;
        conditional.then(|| wrap!(Value, LLVMGetCondition(self.raw))).flatten()
    }
    /// Case value of switch successor `index` (1 and up; successor 0 is the default).
    pub fn switch_case(self, index: u32) -> Option<Value<'m>> {
        wrap!(Value, LLVMGetSwitchCaseValue(self.raw, index))
    }
    /// Number of incoming edges of a phi; call it on phis only.
    pub fn incoming_count(self) -> u32 {
        get!(LLVMCountIncoming(self.raw))
    }
    /// Incoming (value, block) pair of a phi.
    pub fn incoming(self, index: u32) -> (Value<'m>, Block<'m>) {
        let value = wrap!(Value, LLVMGetIncomingValue(self.raw, index)).expect("phi index in range");
        let block = wrap!(Block, LLVMGetIncomingBlock(self.raw, index)).expect("phi index in range");
        (value, block)
    }
    /// The called value of a call (function, inline assembly or pointer); call it on calls only.
    pub fn called_value(self) -> Value<'m> {
        wrap!(Value, LLVMGetCalledValue(self.raw)).expect("a call has a callee")
    }
    /// The function called directly, if the call is direct.
    pub fn called_function(self) -> Option<Function<'m>> {
        self.called_value().as_function()
    }
    /// Number of arguments of a call.
    pub fn argument_count(self) -> u32 {
        get!(LLVMGetNumArgOperands(self.raw))
    }
    /// Whether the call site itself carries an enum attribute.
    pub fn has_call_attribute(self, place: AttrPlace, kind: u32) -> bool {
        kind != 0 && !get!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind)).is_null()
    }
    /// The integer payload of an enum attribute that the call site itself carries.
    pub fn int_call_attribute(self, place: AttrPlace, kind: u32) -> Option<u64> {
        if kind == 0 {
            return None;
        }
        let attr = get!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind));
        (!attr.is_null()).then(|| get!(LLVMGetEnumAttributeValue(attr)))
    }
    /// Whether any metadata, a debug location included, is attached.
    pub fn has_metadata(self) -> bool {
        get!(LLVMHasMetadata(self.raw)) != 0
    }
    /// Metadata node of that kind attached to the instruction, as a value.
    pub fn metadata(self, kind: u32) -> Option<Value<'m>> {
        wrap!(Value, LLVMGetMetadata(self.raw, kind))
    }
    /// Debug location.
    pub fn debug_loc(self) -> Option<DebugLoc<'m>> {
        wrap!(DebugLoc, LLVMInstructionGetDebugLoc(self.raw))
    }
}

/// LLVM's number for a metadata kind such as `range` or `invariant.load`. Look it up once a module.
pub fn metadata_kind(module: Module<'_>, name: &str) -> u32 {
    get!(LLVMGetMDKindIDInContext(LLVMGetModuleContext(module.raw), name.as_ptr().cast(), name.len() as u32))
}

/// The name of an intrinsic number, without overload suffixes: `llvm.nvvm.read.ptx.sreg.tid.x`.
pub fn intrinsic_name(id: u32) -> String {
    if id == 0 {
        return String::new();
    }
    let mut len = 0;
    let data = get!(LLVMIntrinsicGetName(id, &mut len));
    bytes_to_string(data, len)
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
    /// File name as the front end wrote it.
    pub fn file(self) -> String {
        let scope = get!(LLVMDILocationGetScope(self.raw));
        let file = if scope.is_null() { return String::new() } else { get!(LLVMDIScopeGetFile(scope)) };
        if file.is_null() {
            return String::new();
        }
        let mut len = 0;
        let data = get!(LLVMDIFileGetFilename(file, &mut len));
        bytes_to_string(data, len as usize)
    }
}
