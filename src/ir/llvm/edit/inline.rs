//! How does a pass put a function's body in the place of a call? See `src/ir/llvm/inline.cpp`.

use super::super::dialect::flushes_f32;
use super::super::handle::{Inst, Type, Value, attribute_kind};
use super::{Editor, raw_values};
use llvm_sys::core::{
    LLVMAddCallSiteAttribute, LLVMBuildCall2, LLVMBuildFNeg, LLVMCreateEnumAttribute, LLVMFunctionType,
};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

unsafe extern "C" {
    fn warpwise_inline(call: LLVMValueRef) -> bool;
}

/// PTX's name of a floating-point type whose numbers are added and multiplied alone, and the constraints of such inline assembly.
fn arithmetic(ty: Type<'_>) -> Option<(&'static str, &'static str)> {
    match ty.kind() {
        LLVMTypeKind::LLVMFloatTypeKind => Some(("f32", "=f,f,f")),
        LLVMTypeKind::LLVMDoubleTypeKind => Some(("f64", "=d,d,d")),
        _ => None,
    }
}

impl<'m> Editor<'m> {
    /// Puts the callee's body in the place of a call, whose handle must not be used again if that succeeds; nothing is changed
    /// otherwise.
    pub fn inline(&mut self, call: Inst<'m>) -> bool {
        edit!(warpwise_inline(call.raw()))
    }
    /// Keeps a product, or a sum, from being joined with the other: it becomes PTX's with a rounding mode. The flag alone would not do,
    /// since clang lets the back end join everything in CUDA. Whether there is such an instruction for the
    /// [type](Self::rounds_alone) is the caller's business; the handle is invalid afterwards.
    pub fn round_alone(&mut self, inst: Inst<'m>) {
        let ty = inst.ty();
        let Some((suffix, constraints)) = arithmetic(ty) else { return };
        let flushes = suffix == "f32" && flushes_f32(inst.block().function());
        let name = match inst.opcode() {
            LLVMOpcode::LLVMFAdd => "add",
            LLVMOpcode::LLVMFSub => "sub",
            _ => "mul",
        };
        let text = format!("{name}.rn{}.{suffix} $0, $1, $2;", if flushes { ".ftz" } else { "" });
        self.before(inst).set_location(inst.debug_loc());
        let call = self.pure_assembly(&text, constraints, ty, &[inst.operand(0), inst.operand(1)]);
        let name = inst.value().name();
        self.replace_all_uses(inst.value(), call);
        self.erase(inst);
        self.set_name(call, &name);
    }

    /// Joins a sum or difference with a product that is one of its operands, perhaps with the opposite sign; the sum's handle is
    /// invalid afterwards.
    pub fn join(&mut self, sum: Inst<'m>, operand: u32, product: Inst<'m>, is_negated: bool) {
        let is_difference = sum.opcode() == LLVMOpcode::LLVMFSub;
        self.before(sum).set_location(sum.debug_loc());
        let (mut x, mut z) = (product.operand(0), sum.operand(1 - operand));
        if is_negated != (is_difference && operand == 1) {
            x = self.negate(x);
        }
        if is_difference && operand == 0 {
            z = self.negate(z);
        }
        let name = sum.value().name();
        let joined = self.intrinsic("llvm.fma", &[sum.ty()], &[x, product.operand(1), z], "");
        self.replace_all_uses(sum.value(), joined);
        self.erase(sum);
        self.set_name(joined, &name);
    }
    fn negate(&mut self, value: Value<'m>) -> Value<'m> {
        wrap!(Value, LLVMBuildFNeg(self.builder, value.raw(), c"".as_ptr()))
    }

    /// Passes the bits of a number, which an instruction has as an integer or as a vector of some, to all its users through a
    /// `mov` of inline PTX.
    pub fn move_bits(&mut self, source: Inst<'m>, bits: u32) {
        let (old, int) = (source.value(), self.int_type(bits));
        let whole = self.after(source).reinterpret(old, int, bits);
        let moved = self.opaque(whole);
        let new = self.reinterpret(moved, old.ty(), bits);
        let kept = if whole == old { moved } else { whole };
        self.replace_uses_where(old, new, |user| user.value() != kept);
    }

    /// Passes an integer of 32 bits to all its users through one of 64, in inline PTX.
    pub fn move_through_64_bits(&mut self, source: Inst<'m>) {
        const TEXT: &str = "{ .reg .b64 wide; cvt.u64.u32 wide, $1; cvt.u32.u64 $0, wide; }";
        let old = source.value();
        let moved = self.after(source).pure_assembly(TEXT, "=r,r", old.ty(), &[old]);
        self.replace_uses_where(old, moved, |user| user.value() != moved);
    }

    /// Stores a floating-point number as an integer that went through a `mov` of inline PTX.
    pub fn store_bits(&mut self, store: Inst<'m>, bits: u32) {
        let int = self.int_type(bits);
        let whole = self.before(store).reinterpret(store.operand(0), int, bits);
        let moved = self.opaque(whole);
        self.set_operand(store, 0, moved);
    }

    /// Stores a number that stays where it is computed: behind a convergent `mov` of inline PTX, which LLVM moves to no other
    /// block. Numbers of other sizes than registers are left alone.
    pub fn store_in_place(&mut self, store: Inst<'m>) {
        let number = store.operand(0);
        let (text, constraints) = match (number.ty().kind(), number.ty().int_bits()) {
            (LLVMTypeKind::LLVMFloatTypeKind, _) => ("mov.b32 $0, $1;", "=f,f"),
            (LLVMTypeKind::LLVMDoubleTypeKind, _) => ("mov.b64 $0, $1;", "=d,d"),
            (_, Some(32)) => ("mov.b32 $0, $1;", "=r,r"),
            (_, Some(64)) => ("mov.b64 $0, $1;", "=l,l"),
            _ => return,
        };
        let kept = self.before(store).pure_assembly(text, constraints, number.ty(), &[number]);
        if let Some(call) = kept.as_inst() {
            self.set_convergent(call);
        }
        self.set_operand(store, 0, kept);
    }

    /// An integer of 16, 32, or 64 bits behind a `mov` of inline PTX, so that LLVM takes it for another.
    pub fn opaque(&mut self, whole: Value<'m>) -> Value<'m> {
        let bits = whole.ty().int_bits().expect("an integer");
        let constraints = match bits {
            16 => "=h,h",
            32 => "=r,r",
            _ => "=l,l",
        };
        self.pure_assembly(&format!("mov.b{bits} $0, $1;"), constraints, whole.ty(), &[whole])
    }

    /// Inline PTX without effects, whose operands have the type of its result.
    fn pure_assembly(&mut self, text: &str, constraints: &str, ty: Type<'m>, operands: &[Value<'m>]) -> Value<'m> {
        let mut params: Vec<_> = operands.iter().map(|_| ty.raw()).collect();
        let function = wrap!(Type, LLVMFunctionType(ty.raw(), params.as_mut_ptr(), params.len() as u32, 0));
        let assembly = self.inline_assembly(function.raw(), text, constraints, false);
        let (operands, count) = raw_values(operands);
        let (ty, text, name) = (function.raw(), assembly.raw(), c"".as_ptr());
        let call = wrap!(Value, LLVMBuildCall2(self.builder, ty, text, operands, count, name));
        if let Some(call) = call.as_inst() {
            self.set_pure(call);
        }
        call
    }

    /// Whether [`round_alone`](Self::round_alone) can round products of a type.
    pub fn rounds_alone(ty: Type<'m>) -> bool {
        arithmetic(ty).is_some()
    }

    /// Says of a call that it reads and writes no memory and always returns.
    fn set_pure(&mut self, call: Inst<'m>) {
        for (name, value) in [("nounwind", 0), ("willreturn", 0), ("memory", 0)] {
            let attribute = edit!(LLVMCreateEnumAttribute(self.context, attribute_kind(name), value));
            edit!(LLVMAddCallSiteAttribute(call.raw(), llvm_sys::LLVMAttributeFunctionIndex, attribute));
        }
    }
}
