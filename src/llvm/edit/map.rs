//! Edits of `divergence-map`: counters on the stack that become values, atomic additions, guarded parts, symbols.

use super::{Editor, c_name};
use crate::llvm::handle::{Function, Inst, IntPredicate, Type, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMLinkage, LLVMVisibility};
use std::ffi::c_char;

unsafe extern "C" {
    fn warpwise_split_if(
        condition: LLVMValueRef,
        before: LLVMValueRef,
        rare: bool,
        then: *const c_char,
        rest: *const c_char,
    ) -> LLVMValueRef;
    fn warpwise_split_for(
        count: LLVMValueRef,
        before: LLVMValueRef,
        body: *const c_char,
        rest: *const c_char,
        index: *mut LLVMValueRef,
    ) -> LLVMValueRef;
    fn warpwise_split_while(
        start: LLVMValueRef,
        step: LLVMValueRef,
        end: LLVMValueRef,
        before: LLVMValueRef,
        body: *const c_char,
        rest: *const c_char,
        index: *mut LLVMValueRef,
    ) -> LLVMValueRef;
    fn warpwise_promote(function: LLVMValueRef, allocas: *mut LLVMValueRef, count: usize);
    fn warpwise_register_unit(module: LLVMModuleRef, name: *const c_char, length: usize, bytes: u64) -> bool;
    fn warpwise_keep(module: LLVMModuleRef, global: LLVMValueRef);
}

/// Who may name a symbol that a pass makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Programs that load the module, and other modules.
    Everybody,
    /// As [`Reach::Everybody`], and where several modules have it the linker takes one.
    AnyOf,
}

impl<'m> Editor<'m> {
    /// A stack object for one value; [`Editor::promote`] makes a value of it.
    pub fn stack_object(&mut self, ty: Type<'m>, name: &str) -> Value<'m> {
        let name = c_name(name);
        wrap!(Value, LLVMBuildAlloca(self.builder, ty.raw(), name.as_ptr()))
    }

    /// Makes values of stack objects that are only loaded and stored whole.
    pub fn promote(&mut self, function: Function<'m>, objects: &[Value<'m>]) {
        let mut raw: Vec<LLVMValueRef> = objects.iter().map(|object| object.raw()).collect();
        edit!(warpwise_promote(function.raw(), raw.as_mut_ptr(), raw.len()));
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

    /// Splits the block before an instruction and puts a loop there that runs `count` times, at least once: instructions
    /// go into its body from now on. Returns the index, and the instruction of the body that they are put before.
    pub fn split_for(&mut self, count: Value<'m>, before: Inst<'m>, body: &str, rest: &str) -> (Value<'m>, Inst<'m>) {
        let location = before.debug_loc();
        let (body, rest) = (c_name(body), c_name(rest));
        let mut index = std::ptr::null_mut();
        let (count, before) = (count.raw(), before.raw());
        let point = wrap!(Inst, warpwise_split_for(count, before, body.as_ptr(), rest.as_ptr(), &mut index));
        self.before(point);
        self.set_location(location);
        (wrap!(Value, index), point)
    }

    /// The same for a loop from `start` to before `end` in steps, whose body may not run at all.
    pub fn split_while(
        &mut self,
        (start, step): (Value<'m>, Value<'m>),
        end: Value<'m>,
        before: Inst<'m>,
        body: &str,
        rest: &str,
    ) -> (Value<'m>, Inst<'m>) {
        let location = before.debug_loc();
        let (body, rest) = (c_name(body), c_name(rest));
        let mut index = std::ptr::null_mut();
        let (start, step, end, before) = (start.raw(), step.raw(), end.raw(), before.raw());
        let point =
            wrap!(Inst, warpwise_split_while(start, step, end, before, body.as_ptr(), rest.as_ptr(), &mut index));
        self.before(point);
        self.set_location(location);
        (wrap!(Value, index), point)
    }

    /// Inline assembly with so many 32-bit results that the lanes of a warp execute together: `constraints` are those of
    /// the results and the arguments.
    pub fn assembly(
        &mut self,
        text: &str,
        constraints: &str,
        results: usize,
        arguments: &[Value<'m>],
    ) -> Vec<Value<'m>> {
        let word = edit!(LLVMInt32TypeInContext(self.context));
        let mut words = vec![word; results];
        let result = match results {
            0 => edit!(LLVMVoidTypeInContext(self.context)),
            1 => word,
            _ => edit!(LLVMStructTypeInContext(self.context, words.as_mut_ptr(), results as u32, 0)),
        };
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.raw()).collect();
        let mut types: Vec<LLVMTypeRef> = arguments.iter().map(|argument| argument.ty().raw()).collect();
        let ty = edit!(LLVMFunctionType(result, types.as_mut_ptr(), types.len() as u32, 0));
        let assembly = edit!(LLVMGetInlineAsm(
            ty,
            text.as_ptr().cast(),
            text.len(),
            constraints.as_ptr().cast(),
            constraints.len(),
            1,
            0,
            llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
            0
        ));
        let (count, data) = (raw.len() as u32, raw.as_mut_ptr());
        let call = wrap!(Value, LLVMBuildCall2(self.builder, ty, assembly, data, count, c"".as_ptr()));
        let kind = edit!(LLVMGetEnumAttributeKindForName(c"convergent".as_ptr(), 10));
        let convergent = edit!(LLVMCreateEnumAttribute(self.context, kind, 0));
        edit!(LLVMAddCallSiteAttribute(call.raw(), llvm_sys::LLVMAttributeFunctionIndex, convergent));
        match results {
            0 => Vec::new(),
            1 => vec![call],
            _ => (0..results as u32)
                .map(|i| wrap!(Value, LLVMBuildExtractValue(self.builder, call.raw(), i, c"".as_ptr())))
                .collect(),
        }
    }

    /// A special register.
    pub fn register(&mut self, name: &str) -> Value<'m> {
        self.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{name}"), &[], &[], "")
    }

    /// A pointer as a number.
    pub fn address(&mut self, pointer: Value<'m>) -> Value<'m> {
        let wide = self.int_type(64);
        self.cast(llvm_sys::LLVMOpcode::LLVMPtrToInt, pointer, wide, "")
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
        edit!(warpwise_keep(self.module.raw(), global.raw()));
    }

    /// A constant struct.
    pub fn constant_struct(&self, fields: &[Value<'m>]) -> Value<'m> {
        let mut raw: Vec<LLVMValueRef> = fields.iter().map(|field| field.raw()).collect();
        wrap!(Value, LLVMConstStructInContext(self.context, raw.as_mut_ptr(), raw.len() as u32, 0))
    }

    /// Host code: registers a device variable of so many bytes with the CUDA runtime, and its shadow with warpwise's; false
    /// where the module has no device code to go with it.
    pub fn register_unit(&mut self, symbol: &str, bytes: u64) -> bool {
        edit!(warpwise_register_unit(self.module.raw(), symbol.as_ptr().cast(), symbol.len(), bytes))
    }
}
