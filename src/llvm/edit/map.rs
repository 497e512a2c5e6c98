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

    /// A special register.
    pub fn register(&mut self, name: &str) -> Value<'m> {
        self.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{name}"), &[], &[], "")
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

    /// A constant array of bytes.
    pub fn bytes(&self, bytes: &[u8]) -> Value<'m> {
        wrap!(Value, LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1))
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
