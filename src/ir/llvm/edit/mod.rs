//! How is LLVM IR changed? Every mutation in the crate goes through an [`Editor`]; composite edits of one transform are
//! in a file of their own beside this one.
//!
//! An editor borrows the module exclusively for the pass call. Handles stay valid until their object is erased; after
//! erasing an instruction its handle must not be used again. Facts computed before an edit are stale afterwards.

use super::dialect::MAJOR;
use super::handle::{Block, Function, Inst, IntPredicate, Module, Type, Value, attribute_kind};
use crate::geometry::WARP_SIZE;
use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMOpcode;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyFunction};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString};

/// Attributes by which a function or call promises not to access memory, not to wait, or to have no effect at all.
const PROMISES: [&str; 3] = ["memory", "nosync", "speculatable"];

/// Calls an editing function of LLVM's C API. Every use is sound for the same reason.
macro_rules! edit {
    ($e:expr) => {{
        // SAFETY: handles are alive for 'm (guaranteed by whoever called `from_raw`), the module belongs to this pass for
        // the duration of the call, and the C API asks for nothing that the handles' types do not already say, or that was
        // checked before.
        unsafe { $e }
    }};
}

macro_rules! wrap {
    ($kind:ident, $e:expr) => {{
        // SAFETY: LLVM returned a live object of this kind that belongs to the module being edited.
        unsafe { $kind::from_raw($e) }.expect("LLVM returns no null here")
    }};
}

pub mod annotate;
pub mod coarsen;
pub mod debug;
pub mod fuse;
pub mod inline;
pub mod launch;
pub mod map;
pub mod spill;
pub mod unroll;
pub mod version;

unsafe extern "C" {
    fn warpwise_erase(inst: LLVMValueRef);
    fn warpwise_move_large_tables(module: LLVMModuleRef) -> bool;
    fn warpwise_move_table(table: LLVMValueRef);
}

/// Builds and changes instructions of one module.
pub struct Editor<'m> {
    module: Module<'m>,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    /// Declarations of intrinsics met so far: name, overloads, function. There are few.
    intrinsics: Vec<(String, Vec<Type<'m>>, Function<'m>)>,
    /// Integer constants and vector types asked for so far: few, and again and again.
    ints: RefCell<FxHashMap<(u32, u64), Value<'m>>>,
    vectors: RefCell<FxHashMap<(Type<'m>, u32), Type<'m>>>,
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        edit!(LLVMDisposeBuilder(self.builder));
    }
}

/// A name for the C API; the names that we create contain no NUL.
fn c_name(name: &str) -> Cow<'static, CStr> {
    match name {
        "" => Cow::Borrowed(c""),
        name => Cow::Owned(CString::new(name.replace('\0', "")).unwrap_or_default()),
    }
}

/// Values for the C API, which only reads them: a handle has the same representation as its reference.
fn raw_values(values: &[Value<'_>]) -> (*mut LLVMValueRef, u32) {
    (values.as_ptr().cast_mut().cast(), values.len() as u32)
}

impl<'m> Editor<'m> {
    /// An editor of the module; one at a time.
    pub fn new(module: Module<'m>) -> Self {
        let context = edit!(LLVMGetModuleContext(module.raw()));
        let builder = edit!(LLVMCreateBuilderInContext(context));
        let (ints, vectors) = Default::default();
        Editor { module, context, builder, intrinsics: Vec::new(), ints, vectors }
    }
    /// The module.
    pub fn module(&self) -> Module<'m> {
        self.module
    }
    /// Moves read-only tables to global memory if constant memory does not hold all; returns whether it did. See
    /// `src/ir/llvm/tables.cpp`.
    pub fn move_large_tables(&mut self) -> bool {
        edit!(warpwise_move_large_tables(self.module.raw()))
    }
    /// Moves a [table](Value::table_behind) to global memory.
    pub fn move_table(&mut self, table: Value<'m>) {
        edit!(warpwise_move_table(table.raw()));
    }

    // --- where ---

    /// New instructions go before this one and take its debug location.
    pub fn before(&mut self, inst: Inst<'m>) -> &mut Self {
        edit!(LLVMPositionBuilderBefore(self.builder, inst.raw()));
        self
    }
    /// New instructions go right after this one and take its debug location, or after the phis of its block when it is a
    /// phi. What a debugger is told after the instruction, it is told after the new ones.
    pub fn after(&mut self, inst: Inst<'m>) -> &mut Self {
        if inst.opcode() == LLVMOpcode::LLVMPHI {
            return self.after_phis(inst.block());
        }
        let next = edit!(LLVMGetNextInstruction(inst.raw()));
        edit!(LLVMPositionBuilderBeforeInstrAndDbgRecords(self.builder, next));
        self.set_location(inst.debug_loc());
        self
    }
    /// New phis go to the head of the block, before all debug records; they take the location of what stands there.
    pub fn at_head(&mut self, block: Block<'m>) -> &mut Self {
        let first = edit!(LLVMGetFirstInstruction(block.raw()));
        edit!(LLVMPositionBuilderBeforeInstrAndDbgRecords(self.builder, first));
        self
    }
    /// New instructions go to the end of the block.
    pub fn at_end(&mut self, block: Block<'m>) -> &mut Self {
        edit!(LLVMPositionBuilderAtEnd(self.builder, block.raw()));
        self
    }
    /// New instructions go after the phis and the landing pad (and before anything else) of the block.
    pub fn after_phis(&mut self, block: Block<'m>) -> &mut Self {
        let first = block.insts().find(|inst| !inst.opens_block());
        match first {
            Some(inst) => self.before(inst),
            None => self.at_end(block),
        }
    }

    /// New instructions go before the terminator of the block.
    pub fn before_terminator(&mut self, block: Block<'m>) -> &mut Self {
        self.before(block.terminator().expect("a finished block has a terminator"))
    }

    /// Takes back what a function's attributes promise of memory and synchronisation: it now writes memory of ours, and where
    /// it runs matters to other lanes.
    pub fn has_effects(&mut self, function: Function<'m>) {
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        for kind in PROMISES.map(attribute_kind) {
            edit!(LLVMRemoveEnumAttributeAtIndex(function.raw(), place, kind));
        }
        edit!(LLVMAddAttributeAtIndex(function.raw(), place, self.convergent()));
    }
    /// The same of what a call promises.
    pub fn calls_effects(&mut self, call: Inst<'m>) {
        let place = llvm_sys::LLVMAttributeFunctionIndex;
        for kind in PROMISES.map(attribute_kind) {
            edit!(LLVMRemoveCallSiteEnumAttribute(call.raw(), place, kind));
        }
        self.set_convergent(call);
    }
    /// Says of a call that where it runs matters to other lanes.
    fn set_convergent(&mut self, call: Inst<'m>) {
        edit!(LLVMAddCallSiteAttribute(call.raw(), llvm_sys::LLVMAttributeFunctionIndex, self.convergent()));
    }
    fn convergent(&self) -> LLVMAttributeRef {
        edit!(LLVMCreateEnumAttribute(self.context, attribute_kind("convergent"), 0))
    }

    // --- types and constants ---

    /// The integer type of a width.
    pub fn int_type(&self, bits: u32) -> Type<'m> {
        wrap!(Type, LLVMIntTypeInContext(self.context, bits))
    }
    /// Inline assembly of a function type; with side effects it is neither dropped nor merged.
    fn inline_assembly(&self, ty: LLVMTypeRef, text: &str, constraints: &str, has_side_effects: bool) -> Value<'m> {
        wrap!(
            Value,
            LLVMGetInlineAsm(
                ty,
                text.as_ptr().cast(),
                text.len(),
                constraints.as_ptr().cast(),
                constraints.len(),
                has_side_effects.into(),
                0,
                LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0
            )
        )
    }
    /// The pointer type of an address space.
    pub fn pointer_type(&self, space: u32) -> Type<'m> {
        wrap!(Type, LLVMPointerTypeInContext(self.context, space))
    }
    /// `[length x element]`.
    pub fn array_type(&self, element: Type<'m>, length: u64) -> Type<'m> {
        wrap!(Type, LLVMArrayType2(element.raw(), length))
    }
    /// `<length x element>`.
    pub fn vector_type(&self, element: Type<'m>, length: u32) -> Type<'m> {
        let make = || wrap!(Type, LLVMVectorType(element.raw(), length));
        *self.vectors.borrow_mut().entry((element, length)).or_insert_with(make)
    }
    /// An integer constant of a width.
    pub fn int(&self, bits: u32, value: u64) -> Value<'m> {
        let make = || wrap!(Value, LLVMConstInt(self.int_type(bits).raw(), value, 0));
        *self.ints.borrow_mut().entry((bits, value)).or_insert_with(make)
    }
    /// The poison value of a type.
    pub fn poison(&self, ty: Type<'m>) -> Value<'m> {
        wrap!(Value, LLVMGetPoison(ty.raw()))
    }
    /// The null value of a type.
    pub fn null(&self, ty: Type<'m>) -> Value<'m> {
        wrap!(Value, LLVMConstNull(ty.raw()))
    }

    // --- instructions ---

    /// A two-operand instruction.
    pub fn binary(&mut self, opcode: LLVMOpcode, a: Value<'m>, b: Value<'m>, name: &str) -> Value<'m> {
        wrap!(Value, LLVMBuildBinOp(self.builder, opcode, a.raw(), b.raw(), c_name(name).as_ptr()))
    }
    /// A two-operand instruction with a number.
    pub fn binary_with(&mut self, opcode: LLVMOpcode, a: Value<'m>, number: u64, name: &str) -> Value<'m> {
        let number = wrap!(Value, LLVMConstInt(a.ty().raw(), number, 0));
        self.binary(opcode, a, number, name)
    }
    /// Number of the warp of a thread, by the number of the thread in its block.
    pub fn warp_of(&mut self, thread: Value<'m>) -> Value<'m> {
        let bits = u64::from(WARP_SIZE.trailing_zeros());
        self.binary_with(LLVMOpcode::LLVMLShr, thread, bits, "warpwise.warp")
    }
    /// `bar.warp.sync` of all lanes.
    pub fn warp_barrier(&mut self) {
        let everyone = self.int(32, u64::from(u32::MAX));
        self.intrinsic("llvm.nvvm.bar.warp.sync", &[], &[everyone], "");
    }
    /// A conversion.
    pub fn cast(&mut self, opcode: LLVMOpcode, value: Value<'m>, ty: Type<'m>, name: &str) -> Value<'m> {
        wrap!(Value, LLVMBuildCast(self.builder, opcode, value.raw(), ty.raw(), c_name(name).as_ptr()))
    }
    /// The value, or any value if it is poison.
    pub fn freeze(&mut self, value: Value<'m>, name: &str) -> Value<'m> {
        wrap!(Value, LLVMBuildFreeze(self.builder, value.raw(), c_name(name).as_ptr()))
    }
    /// An integer compare.
    pub fn compare(&mut self, predicate: IntPredicate, a: Value<'m>, b: Value<'m>, name: &str) -> Value<'m> {
        wrap!(Value, LLVMBuildICmp(self.builder, predicate, a.raw(), b.raw(), c_name(name).as_ptr()))
    }
    /// `condition ? yes : no`.
    pub fn select(&mut self, condition: Value<'m>, yes: Value<'m>, no: Value<'m>, name: &str) -> Value<'m> {
        wrap!(Value, LLVMBuildSelect(self.builder, condition.raw(), yes.raw(), no.raw(), c_name(name).as_ptr()))
    }
    /// Address arithmetic over a source element type; `inbounds` promises what it says.
    pub fn gep(
        &mut self,
        ty: Type<'m>,
        base: Value<'m>,
        indices: &[Value<'m>],
        inbounds: bool,
        name: &str,
    ) -> Value<'m> {
        let (data, count) = raw_values(indices);
        let build = if inbounds { LLVMBuildInBoundsGEP2 } else { LLVMBuildGEP2 };
        wrap!(Value, build(self.builder, ty.raw(), base.raw(), data, count, c_name(name).as_ptr()))
    }
    /// A load with an alignment in bytes.
    pub fn load(&mut self, ty: Type<'m>, address: Value<'m>, align: u32, volatile: bool, name: &str) -> Value<'m> {
        let load = wrap!(Value, LLVMBuildLoad2(self.builder, ty.raw(), address.raw(), c_name(name).as_ptr()));
        edit!(LLVMSetAlignment(load.raw(), align));
        edit!(LLVMSetVolatile(load.raw(), volatile.into()));
        load
    }
    /// A store with an alignment in bytes.
    pub fn store(&mut self, value: Value<'m>, address: Value<'m>, align: u32, volatile: bool) -> Value<'m> {
        let store = wrap!(Value, LLVMBuildStore(self.builder, value.raw(), address.raw()));
        edit!(LLVMSetAlignment(store.raw(), align));
        edit!(LLVMSetVolatile(store.raw(), volatile.into()));
        store
    }
    /// A call of a function.
    pub fn call(&mut self, callee: Function<'m>, arguments: &[Value<'m>], name: &str) -> Value<'m> {
        let (data, count) = raw_values(arguments);
        let ty = callee.function_type().raw();
        wrap!(Value, LLVMBuildCall2(self.builder, ty, callee.value().raw(), data, count, c_name(name).as_ptr()))
    }
    /// A call of an intrinsic by its name without overload suffixes.
    pub fn intrinsic(&mut self, base: &str, overloads: &[Type<'m>], arguments: &[Value<'m>], name: &str) -> Value<'m> {
        let known = self.intrinsics.iter().find(|(known, types, _)| known == base && types == overloads);
        let function = match known {
            Some(&(.., function)) => function,
            None => {
                let id = super::handle::intrinsic_id(base);
                assert!(id != 0, "LLVM {MAJOR} knows {base}");
                let mut types: Vec<LLVMTypeRef> = overloads.iter().map(|ty| ty.raw()).collect();
                let raw = edit!(LLVMGetIntrinsicDeclaration(self.module.raw(), id, types.as_mut_ptr(), types.len()));
                let function = wrap!(Function, raw);
                self.intrinsics.push((base.to_owned(), overloads.to_vec(), function));
                function
            }
        };
        self.call(function, arguments, name)
    }
    /// An empty phi.
    pub fn phi(&mut self, ty: Type<'m>, name: &str) -> Inst<'m> {
        wrap!(Inst, LLVMBuildPhi(self.builder, ty.raw(), c_name(name).as_ptr()))
    }
    /// Adds an incoming edge to a phi.
    pub fn add_incoming(&mut self, phi: Inst<'m>, value: Value<'m>, from: Block<'m>) {
        let (mut value, mut from) = (value.raw(), from.raw());
        edit!(LLVMAddIncoming(phi.raw(), &mut value, &mut from, 1));
    }
    /// An unconditional branch.
    pub fn branch(&mut self, to: Block<'m>) -> Inst<'m> {
        wrap!(Inst, LLVMBuildBr(self.builder, to.raw()))
    }
    /// A conditional branch.
    pub fn branch_if(&mut self, condition: Value<'m>, yes: Block<'m>, no: Block<'m>) -> Inst<'m> {
        wrap!(Inst, LLVMBuildCondBr(self.builder, condition.raw(), yes.raw(), no.raw()))
    }
    /// A copy of an instruction, without name, inserted here.
    pub fn clone_here(&mut self, inst: Inst<'m>, name: &str) -> Inst<'m> {
        let copy = wrap!(Inst, LLVMInstructionClone(inst.raw()));
        edit!(LLVMInsertIntoBuilderWithName(self.builder, copy.raw(), c_name(name).as_ptr()));
        copy
    }

    // --- changes ---

    /// Replaces operand `index`.
    pub fn set_operand(&mut self, inst: Inst<'m>, index: u32, value: Value<'m>) {
        assert!(index < inst.operand_count(), "operand index in range");
        edit!(LLVMSetOperand(inst.raw(), index, value.raw()));
    }
    /// Replaces every use of a value.
    pub fn replace_all_uses(&mut self, old: Value<'m>, new: Value<'m>) {
        edit!(LLVMReplaceAllUsesWith(old.raw(), new.raw()));
    }
    /// Replaces the uses of a value in some of its users.
    pub fn replace_uses_where(&mut self, old: Value<'m>, new: Value<'m>, is_meant: impl Fn(Inst<'m>) -> bool) {
        let users: Vec<Inst<'m>> = old.users().filter_map(Value::as_inst).filter(|&user| is_meant(user)).collect();
        for user in users {
            // callees and blocks are operands too, but never the value
            for index in (0..user.operand_count()).filter(|&index| user.operand(index) == old) {
                edit!(LLVMSetOperand(user.raw(), index, new.raw()));
            }
        }
    }
    /// Removes and frees an instruction without uses. What a debugger was told of its value is told in terms of its operands
    /// where that is possible.
    pub fn erase(&mut self, inst: Inst<'m>) {
        edit!(warpwise_erase(inst.raw()));
    }
    /// Moves an instruction to the editor's place.
    pub fn move_here(&mut self, inst: Inst<'m>) {
        edit!(LLVMInstructionRemoveFromParent(inst.raw()));
        edit!(LLVMInsertIntoBuilder(self.builder, inst.raw()));
    }
    /// Renames a value.
    pub fn set_name(&mut self, value: Value<'m>, name: &str) {
        edit!(LLVMSetValueName2(value.raw(), name.as_ptr().cast(), name.len()));
    }
    /// A new block at the end of a function.
    pub fn new_block(&mut self, function: Function<'m>, name: &str) -> Block<'m> {
        wrap!(Block, LLVMAppendBasicBlockInContext(self.context, function.value().raw(), c_name(name).as_ptr()))
    }
    /// A new internal global variable with an undefined (poison) or given initial value.
    pub fn new_global(
        &mut self,
        ty: Type<'m>,
        space: u32,
        align: u32,
        initializer: Option<Value<'m>>,
        constant: bool,
        name: &str,
    ) -> Value<'m> {
        let global =
            wrap!(Value, LLVMAddGlobalInAddressSpace(self.module.raw(), ty.raw(), c_name(name).as_ptr(), space));
        let initial = initializer.unwrap_or_else(|| self.poison(ty));
        edit!(LLVMSetInitializer(global.raw(), initial.raw()));
        edit!(LLVMSetLinkage(global.raw(), LLVMLinkage::LLVMInternalLinkage));
        edit!(LLVMSetAlignment(global.raw(), align));
        edit!(LLVMSetGlobalConstant(global.raw(), constant.into()));
        global
    }
    /// Attaches a metadata node to an instruction.
    pub fn set_metadata(&mut self, inst: Inst<'m>, kind: u32, node: Value<'m>) {
        edit!(LLVMSetMetadata(inst.raw(), kind, node.raw()));
    }
    /// A metadata node of strings.
    pub fn string_node(&mut self, words: &[&str]) -> Value<'m> {
        self.node(words.iter().map(|word| self.metadata_string(word)).collect())
    }
    fn metadata_string(&self, text: &str) -> LLVMMetadataRef {
        edit!(LLVMMDStringInContext2(self.context, text.as_ptr().cast(), text.len()))
    }
    fn node(&self, mut operands: Vec<LLVMMetadataRef>) -> Value<'m> {
        let node = edit!(LLVMMDNodeInContext2(self.context, operands.as_mut_ptr(), operands.len()));
        wrap!(Value, LLVMMetadataAsValue(self.context, node))
    }
    /// Whether LLVM's verifier accepts a function.
    pub fn verifies(&self, function: Function<'m>) -> bool {
        edit!(LLVMVerifyFunction(function.value().raw(), LLVMVerifierFailureAction::LLVMReturnStatusAction)) == 0
    }
}
