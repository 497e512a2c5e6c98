//! Which edits does `divergence-map` need? Phis of counters, inline assembly, atomic additions, guarded code, symbols.

use super::{Editor, c_name};
use crate::llvm::handle::{Block, Inst, IntPredicate, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMLinkage, LLVMVisibility};
use smallvec::SmallVec;
use std::ffi::c_char;

unsafe extern "C" {
    fn warpwise_split_before(before: LLVMValueRef, rest: *const c_char) -> LLVMValueRef;
    fn warpwise_split_if(
        condition: LLVMValueRef,
        before: LLVMValueRef,
        rare: bool,
        then: *const c_char,
        rest: *const c_char,
    ) -> LLVMValueRef;
    fn warpwise_phi_at_head(block: LLVMBasicBlockRef, ty: LLVMTypeRef, ways: usize) -> LLVMValueRef;
    fn warpwise_call_assembly(
        builder: LLVMBuilderRef,
        ty: LLVMTypeRef,
        assembly: LLVMValueRef,
        like: LLVMValueRef,
        arguments: *mut LLVMValueRef,
        argument_count: usize,
        results: *mut LLVMValueRef,
        result_count: usize,
    ) -> LLVMValueRef;
    fn warpwise_register_unit(module: LLVMModuleRef, name: *const c_char, length: usize, bytes: u64) -> bool;
    fn warpwise_keep(module: LLVMModuleRef, globals: *mut LLVMValueRef, count: usize);
}

/// Linkage and visibility of a symbol that a pass creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Programs that load the module, and other modules.
    Everybody,
    /// As [`Reach::Everybody`], and where several modules have it the linker takes one.
    AnyOf,
}

/// A piece of inline assembly that is executed in several places.
pub struct Assembly<'m> {
    ty: Type<'m>,
    text: Value<'m>,
}

impl<'m> Editor<'m> {
    /// An empty 32-bit phi at the head of a block that is come to by so many ways; the editor stays where it is.
    pub fn count_phi(&mut self, block: Block<'m>, ways: usize) -> Inst<'m> {
        wrap!(Inst, warpwise_phi_at_head(block.raw(), LLVMInt32TypeInContext(self.context), ways))
    }

    /// Adds to an integer in memory, for all threads of the device, in no order with anything else.
    pub fn add_atomically(&mut self, address: Value<'m>, value: Value<'m>) {
        let scope = edit!(LLVMGetSyncScopeID(self.context, c"device".as_ptr(), 6));
        edit!(LLVMBuildAtomicRMWSyncScope(
            self.builder,
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd,
            address.raw(),
            value.raw(),
            LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
            scope
        ));
    }

    /// Splits the block before an instruction, which begins a block of this name now: the terminator of what stays.
    pub fn split_before(&mut self, before: Inst<'m>, rest: &str) -> Inst<'m> {
        let rest = c_name(rest);
        wrap!(Inst, warpwise_split_before(before.raw(), rest.as_ptr()))
    }

    /// Splits the block before an instruction and puts `if (condition) { }` there; instructions go into the guarded
    /// part from now on, before the terminator that is returned. The rest of the block, from `before` on, gets the name `rest`.
    pub fn split_if(&mut self, condition: Value<'m>, before: Inst<'m>, rare: bool, then: &str, rest: &str) -> Inst<'m> {
        let location = before.debug_loc();
        let (then, rest) = (c_name(then), c_name(rest));
        let end = wrap!(Inst, warpwise_split_if(condition.raw(), before.raw(), rare, then.as_ptr(), rest.as_ptr()));
        self.before(end);
        self.set_location(location);
        end
    }

    /// Inline assembly that the lanes of a warp execute together, for arguments of these types and integer results of these
    /// widths: `constraints` are those of the results and the arguments.
    pub fn assembly(
        &mut self,
        text: &str,
        constraints: &str,
        results: impl IntoIterator<Item = u32>,
        arguments: &[Value<'m>],
    ) -> Assembly<'m> {
        let mut types: SmallVec<[LLVMTypeRef; 16]> =
            results.into_iter().map(|bits| self.int_type(bits).raw()).collect();
        let result = match types.as_mut_slice() {
            [] => edit!(LLVMVoidTypeInContext(self.context)),
            [only] => *only,
            several => {
                edit!(LLVMStructTypeInContext(self.context, several.as_mut_ptr(), several.len() as u32, 0))
            }
        };
        types.clear();
        types.extend(arguments.iter().map(|argument| argument.ty().raw()));
        let ty = wrap!(Type, LLVMFunctionType(result, types.as_mut_ptr(), types.len() as u32, 0));
        Assembly { ty, text: self.inline_assembly(ty.raw(), text, constraints, true) }
    }

    /// Executes inline assembly where the editor stands, and writes its results; with the attributes of another such call, if
    /// there was one.
    pub fn call_assembly(
        &mut self,
        assembly: &Assembly<'m>,
        like: &mut Option<Value<'m>>,
        arguments: &[Value<'m>],
        results: &mut [Value<'m>],
    ) {
        let mut raw: SmallVec<[LLVMValueRef; 16]> = arguments.iter().map(|argument| argument.raw()).collect();
        let mut found: SmallVec<[LLVMValueRef; 16]> = SmallVec::from_elem(std::ptr::null_mut(), results.len());
        let (ty, text) = (assembly.ty.raw(), assembly.text.raw());
        let call = wrap!(
            Value,
            warpwise_call_assembly(
                self.builder,
                ty,
                text,
                like.map_or(std::ptr::null_mut(), Value::raw),
                raw.as_mut_ptr(),
                raw.len(),
                found.as_mut_ptr(),
                found.len()
            )
        );
        like.get_or_insert(call);
        for (result, raw) in results.iter_mut().zip(found) {
            *result = wrap!(Value, raw);
        }
    }

    /// `value == number`.
    pub fn equals(&mut self, value: Value<'m>, number: u64) -> Value<'m> {
        let number = wrap!(Value, LLVMConstInt(value.ty().raw(), number, 0));
        self.compare(IntPredicate::LLVMIntEQ, value, number, "")
    }

    /// Makes a global known outside the module.
    pub fn publish(&mut self, global: Value<'m>, reach: Reach) {
        let linkage = match reach {
            Reach::Everybody => LLVMLinkage::LLVMExternalLinkage,
            Reach::AnyOf => LLVMLinkage::LLVMWeakAnyLinkage,
        };
        edit!(LLVMSetLinkage(global.raw(), linkage));
        edit!(LLVMSetVisibility(global.raw(), LLVMVisibility::LLVMDefaultVisibility));
    }

    /// Keeps globals although nobody seems to use them.
    pub fn keep(&mut self, globals: &[Value<'m>]) {
        let mut raw: SmallVec<[LLVMValueRef; 8]> = globals.iter().map(|global| global.raw()).collect();
        edit!(warpwise_keep(self.module.raw(), raw.as_mut_ptr(), raw.len()));
    }

    /// A constant struct.
    pub fn constant_struct(&self, fields: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = fields.iter().map(|field| field.raw()).collect();
        wrap!(Value, LLVMConstStructInContext(self.context, raw.as_mut_ptr(), raw.len() as u32, 0))
    }

    /// PassManager code: registers a device variable of so many bytes with the CUDA runtime, and its shadow with warpwise's; false
    /// where the module has no device code to go with it.
    pub fn register_unit(&mut self, symbol: &str, bytes: u64) -> bool {
        edit!(warpwise_register_unit(self.module.raw(), symbol.as_ptr().cast(), symbol.len(), bytes))
    }
}
