//! Which properties of a function and its blocks can be read?

use super::*;
use std::ffi::c_void;

/// Index of attributes on a function or its call sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrPlace {
    Function,
    Return,
    Param(u32),
}

impl AttrPlace {
    pub(in crate::llvm) fn index(self) -> u32 {
        match self {
            AttrPlace::Function => u32::MAX,
            AttrPlace::Return => 0,
            AttrPlace::Param(n) => n + 1,
        }
    }
}

/// LLVM's number for an enum attribute such as `readonly`; zero if this LLVM does not know the name. To be looked up
/// once.
pub fn attribute_kind(name: &str) -> u32 {
    get!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

unsafe extern "C" {
    fn warpwise_calls(function: LLVMValueRef, sink: extern "C" fn(*mut c_void, LLVMValueRef), context: *mut c_void);
}

extern "C" fn collect_call(context: *mut c_void, call: LLVMValueRef) {
    // SAFETY: `context` is the list of `Function::call_insts`, whose handles live as long as its function's.
    if let Some(found) = unsafe { context.cast::<Vec<Inst<'_>>>().as_mut() } {
        found.extend(wrap!(Inst, call));
    }
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
        self.definition().map(|(program, file)| (file_name(file), get!(LLVMDISubprogramGetLine(program))))
    }
    /// Folder and file of the definition, as the front end wrote them.
    pub fn source(self) -> Option<(String, String)> {
        self.definition().map(|(_, file)| (folder_name(file), file_name(file)))
    }
    /// The definition in debug information, and its file.
    fn definition(self) -> Option<(LLVMMetadataRef, LLVMMetadataRef)> {
        let program = get!(LLVMGetSubprogram(self.raw));
        let file = if program.is_null() { program } else { get!(LLVMDIScopeGetFile(program)) };
        (!file.is_null()).then_some((program, file))
    }
    answers! {
        /// Whether it has no body here.
        is_declaration = LLVMIsDeclaration;
    }
    /// Whether only this module can name it (internal or private linkage).
    pub fn is_local(self) -> bool {
        self.value().is_local()
    }
    /// Whether the body seen here is the one that runs: not replaceable at link time, not one of several that the
    /// linker may choose from (those may have been optimised under other assumptions).
    pub fn has_exact_definition(self) -> bool {
        use LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage, LLVMPrivateLinkage};
        let linkage = get!(LLVMGetLinkage(self.raw));
        !self.is_declaration() && matches!(linkage, LLVMExternalLinkage | LLVMInternalLinkage | LLVMPrivateLinkage)
    }
    /// Whether the linker may take another function of that name in its place, which need not do the same.
    pub fn is_replaceable(self) -> bool {
        use LLVMLinkage::{LLVMExternalLinkage, LLVMLinkOnceODRLinkage, LLVMWeakODRLinkage};
        let linkage = get!(LLVMGetLinkage(self.raw));
        !self.is_local() && !matches!(linkage, LLVMExternalLinkage | LLVMWeakODRLinkage | LLVMLinkOnceODRLinkage)
    }
    /// Whether every use is a direct call.
    pub fn is_only_called_directly(self) -> bool {
        self.value().users().all(|user| {
            let Some(call) = user.as_inst().filter(|inst| inst.opcode() == LLVMOpcode::LLVMCall) else { return false };
            call.called_function() == Some(self)
                && (0..call.argument_count()).all(|index| call.operand(index) != self.value())
        })
    }
    /// Its direct calls.
    pub fn calls(self) -> impl Iterator<Item = Inst<'m>> {
        let users = self.value().users().filter_map(Value::as_inst);
        users.filter(move |user| user.opcode() == LLVMOpcode::LLVMCall && user.called_function() == Some(self))
    }
    /// Whether there is a direct call of it.
    pub fn is_called(self) -> bool {
        self.calls().next().is_some()
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
        successors(wrap!(Block, LLVMGetFirstBasicBlock(self.raw)), |at| wrap!(Block, LLVMGetNextBasicBlock(at.raw)))
    }
    /// All instructions, block by block.
    pub fn insts(self) -> impl Iterator<Item = Inst<'m>> {
        self.blocks().flat_map(Block::insts)
    }
    /// All calls but those of intrinsics and of inline assembly, block by block.
    pub fn call_insts(self) -> Vec<Inst<'m>> {
        let mut found: Vec<Inst<'m>> = Vec::new();
        // SAFETY: the function is alive and only read; the sink gets the list that it expects.
        unsafe { warpwise_calls(self.raw, collect_call, (&raw mut found).cast()) };
        found
    }
    /// The functions with a body that it calls directly, once for each call.
    pub fn callees(self) -> impl Iterator<Item = Function<'m>> {
        self.call_insts().into_iter().filter_map(Inst::defined_callee)
    }
    /// Number of blocks.
    pub fn block_count(self) -> u32 {
        get!(LLVMCountBasicBlocks(self.raw))
    }
    /// An enum or type attribute (see [`attribute_kind`]).
    fn attribute(self, place: AttrPlace, kind: u32) -> Option<LLVMAttributeRef> {
        let found = (kind != 0).then(|| get!(LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)));
        found.filter(|found| !found.is_null())
    }
    /// Whether an enum or type attribute is present.
    pub fn has_attribute(self, place: AttrPlace, kind: u32) -> bool {
        self.attribute(place, kind).is_some()
    }
    /// Whether LLVM inlines every call that it can.
    pub fn is_always_inlined(self) -> bool {
        self.has_attribute(AttrPlace::Function, attribute_kind("alwaysinline"))
    }
    /// Whether LLVM inlines no call.
    pub fn is_never_inlined(self) -> bool {
        self.has_attribute(AttrPlace::Function, attribute_kind("noinline"))
    }
    /// The integer payload of an enum attribute (`align`, `dereferenceable`, `memory` …).
    pub fn int_attribute(self, place: AttrPlace, kind: u32) -> Option<u64> {
        self.attribute(place, kind).map(|found| get!(LLVMGetEnumAttributeValue(found)))
    }
    /// The type payload of a type attribute (`byval`, `sret` …).
    pub fn type_attribute(self, place: AttrPlace, kind: u32) -> Option<Type<'m>> {
        self.attribute(place, kind).and_then(|found| wrap!(Type, LLVMGetTypeAttributeValue(found)))
    }
    /// The value of a string attribute such as `"nvvm.maxntid"`.
    pub fn string_attribute(self, name: &str) -> Option<String> {
        let (place, length) = (AttrPlace::Function.index(), name.len() as u32);
        let found = get!(LLVMGetStringAttributeAtIndex(self.raw, place, name.as_ptr().cast(), length));
        (!found.is_null()).then(|| text!(LLVMGetStringAttributeValue(found)))
    }
    /// The chip for which LLVM compiles it: the one it names, else LLVM's default.
    pub fn target_cpu(self) -> String {
        self.string_attribute("target-cpu").unwrap_or_else(|| crate::llvm::target::LLVM_DEFAULT.to_owned())
    }
}

impl<'m> Block<'m> {
    /// Name, empty when the block has none.
    pub fn name(self) -> String {
        self.as_value().name()
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
        successors(wrap!(Inst, LLVMGetFirstInstruction(self.raw)), |at| wrap!(Inst, LLVMGetNextInstruction(at.raw)))
    }
    /// The phis, with which it begins. The operands of one are what it is on each way.
    pub fn phis(self) -> impl Iterator<Item = Inst<'m>> {
        self.insts().take_while(|inst| inst.opcode() == RawOpcode::LLVMPHI)
    }
    /// The terminator; `None` only in half-built functions.
    pub fn terminator(self) -> Option<Inst<'m>> {
        wrap!(Inst, LLVMGetBasicBlockTerminator(self.raw))
    }
    /// The blocks behind it.
    pub fn successors(self) -> impl Iterator<Item = Block<'m>> {
        self.terminator().into_iter().flat_map(Inst::successors)
    }
    /// The block to which it always goes on.
    pub fn only_successor(self) -> Option<Block<'m>> {
        let mut ends = self.successors();
        ends.next().filter(|_| ends.next().is_none())
    }
    /// What branches to it, one that does so twice twice.
    pub fn branches(self) -> impl Iterator<Item = Inst<'m>> {
        self.as_value().users().filter_map(Value::as_inst)
    }
    /// The last instruction; `None` only in half-built functions.
    pub fn last(self) -> Option<Inst<'m>> {
        wrap!(Inst, LLVMGetLastInstruction(self.raw))
    }
}
