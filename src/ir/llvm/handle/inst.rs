//! Which properties of an instruction can be read?

use super::*;
use crate::llvm::dialect::is_branch;
use std::cell::Cell;

thread_local! {
    /// Whether the back end joins products and sums whatever their flags say, in modules of this thread.
    static JOINS_ALL: Cell<bool> = const { Cell::new(false) };
}

/// Says whether the back end joins products and sums whatever their flags say, as clang has it do for CUDA unless it is told not
/// to: in modules of this thread from now on.
pub fn joins_all(joins: bool) {
    JOINS_ALL.set(joins);
}

/// `LLVMFastMathAllowContract`.
const REASSOC: u32 = 1;
const NNAN: u32 = 1 << 1;
const ARCP: u32 = 1 << 4;
const CONTRACT: u32 = 1 << 5;
const AFN: u32 = 1 << 6;

unsafe extern "C" {
    fn warpwise_unroll_is_decided(latch: LLVMValueRef) -> bool;
    fn warpwise_runs_in_groups(latch: LLVMValueRef) -> bool;
    fn warpwise_counts_before(latch: LLVMValueRef) -> bool;
    fn warpwise_gep_offset(gep: LLVMValueRef, bytes: *mut i64) -> bool;
    fn warpwise_may_inline(call: LLVMValueRef) -> bool;
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
    /// Whether nothing may come before it in its block but others of its kind: phis and landing pads.
    pub fn opens_block(self) -> bool {
        use LLVMOpcode::{LLVMCatchPad, LLVMCleanupPad, LLVMLandingPad, LLVMPHI};
        matches!(self.opcode(), LLVMPHI | LLVMLandingPad | LLVMCatchPad | LLVMCleanupPad)
    }
    /// Whether it is a `musttail` call, behind which there is only a return.
    pub fn is_musttail(self) -> bool {
        self.opcode() == LLVMOpcode::LLVMCall
            && get!(LLVMGetTailCallKind(self.raw)) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
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
    /// The operands in LLVM's order.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = Value<'m>> {
        self.value().operands()
    }
    answers! {
        /// `nuw` of add, sub, mul, shl, trunc.
        has_nuw = LLVMGetNUW;
        /// `nsw` of add, sub, mul, shl, trunc.
        has_nsw = LLVMGetNSW;
        /// `exact` of divisions and right shifts.
        is_exact = LLVMGetExact;
        /// `nneg` of zext and uitofp.
        has_nneg = LLVMGetNNeg;
        /// `disjoint` of or.
        is_disjoint = LLVMGetIsDisjoint;
        /// `samesign` of an `icmp`.
        has_samesign = LLVMGetICmpSameSign;
        /// Whether a load, store, atomicrmw or cmpxchg is volatile.
        is_volatile = LLVMGetVolatile;
        /// Whether a load, store, fence, atomicrmw or cmpxchg is atomic.
        is_atomic = LLVMIsAtomic;
        /// Whether any metadata, a debug location included, is attached.
        has_metadata = LLVMHasMetadata;
    }
    /// Fast-math flags as LLVM's bit set (reassoc 1, nnan 2, ninf 4, nsz 8, arcp 16, contract 32, afn 64); zero where
    /// the instruction takes none.
    pub fn fast_math(self) -> u32 {
        if get!(LLVMCanValueUseFastMathFlags(self.raw)) == 0 { 0 } else { get!(LLVMGetFastMathFlags(self.raw)) }
    }
    /// Whether the back end may join a product with a sum: its flags allow that, or it [joins all](joins_all).
    pub fn allows_contraction(self) -> bool {
        JOINS_ALL.get() || self.has_contract()
    }
    /// Whether the flags allow contraction.
    pub fn has_contract(self) -> bool {
        self.fast_math() & CONTRACT != 0
    }
    /// Whether the flags allow what rounds otherwise than one instruction after the other, contraction aside.
    pub fn is_reassociable(self) -> bool {
        self.fast_math() & (REASSOC | ARCP | AFN) != 0
    }
    /// Whether the flags say that neither operands nor result are NaN.
    pub fn assumes_no_nans(self) -> bool {
        self.fast_math() & NNAN != 0
    }
    /// Predicate of an `icmp`; call it on `icmp` only.
    pub fn int_predicate(self) -> IntPredicate {
        get!(LLVMGetICmpPredicate(self.raw))
    }
    /// Predicate of an `fcmp`; call it on `fcmp` only.
    pub fn real_predicate(self) -> RealPredicate {
        get!(LLVMGetFCmpPredicate(self.raw))
    }
    /// No-wrap flags of a GEP: inbounds 1, nusw 2, nuw 4.
    pub fn gep_flags(self) -> u32 {
        get!(LLVMGEPGetNoWrapFlags(self.raw))
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
    /// Bytes of one object of an alloca, times a constant count; `None` where that is no one number.
    pub fn allocated_bytes(self) -> Option<u64> {
        let layout = self.block().function().module().layout();
        let one = layout.alloc_size(self.allocated_type())?;
        one.checked_mul(self.operand(0).const_u64().unwrap_or(1))
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
        let conditional = is_branch(self.opcode()) && get!(LLVMGetNumSuccessors(self.raw)) == 2;
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
    /// The function with a body that an instruction calls directly.
    pub fn defined_callee(self) -> Option<Function<'m>> {
        let is_call = matches!(self.opcode(), RawOpcode::LLVMCall | RawOpcode::LLVMInvoke);
        if is_call { self.called_function().filter(|function| !function.is_declaration()) } else { None }
    }
    /// Whether a call is of inline assembly.
    pub fn calls_asm(self) -> bool {
        self.called_value().kind() == ValueKind::InlineAsm
    }
    /// Number of arguments of a call.
    pub fn argument_count(self) -> u32 {
        get!(LLVMGetNumArgOperands(self.raw))
    }
    fn call_attribute(self, place: AttrPlace, kind: u32) -> Option<LLVMAttributeRef> {
        let found = (kind != 0).then(|| get!(LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind)));
        found.filter(|found| !found.is_null())
    }
    /// Whether the call site itself carries an enum attribute.
    pub fn has_call_attribute(self, place: AttrPlace, kind: u32) -> bool {
        self.call_attribute(place, kind).is_some()
    }
    /// The integer payload of an enum attribute that the call site itself carries.
    pub fn int_call_attribute(self, place: AttrPlace, kind: u32) -> Option<u64> {
        self.call_attribute(place, kind).map(|found| get!(LLVMGetEnumAttributeValue(found)))
    }
    /// Metadata node of that kind attached to the instruction, as a value.
    pub fn metadata(self, kind: u32) -> Option<Value<'m>> {
        wrap!(Value, LLVMGetMetadata(self.raw, kind))
    }
    /// Whether the source or an earlier pass has said anything about unrolling the loop whose latch ends with this branch.
    pub fn unroll_is_decided(self) -> bool {
        get!(warpwise_unroll_is_decided(self.raw))
    }
    /// Whether the loop whose latch ends with this branch has a shape that can run in groups of iterations.
    pub fn runs_in_groups(self) -> bool {
        get!(warpwise_runs_in_groups(self.raw))
    }
    /// Whether the loop whose latch ends with this branch has its only exit there, and LLVM can compute its trip count before it.
    pub fn counts_before(self) -> bool {
        get!(warpwise_counts_before(self.raw))
    }
    /// Bytes that a GEP adds to its pointer, if that is a constant; call it on GEPs only.
    pub fn gep_offset(self) -> Option<i64> {
        let mut bytes = 0;
        get!(warpwise_gep_offset(self.raw, &mut bytes)).then_some(bytes)
    }
    /// Whether the body of the callee may stand in the place of this call: legal, and not forbidden by anybody.
    pub fn may_be_inlined(self) -> bool {
        get!(warpwise_may_inline(self.raw))
    }
    /// Debug location.
    pub fn debug_loc(self) -> Option<DebugLoc<'m>> {
        wrap!(DebugLoc, LLVMInstructionGetDebugLoc(self.raw))
    }
}
