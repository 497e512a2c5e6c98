//! Which loads read memory that nobody writes while the kernel runs?
//!
//! A load is invariant if every object that its address can point into is one of these:
//! - a `constant` global, or constant memory;
//! - the object behind a kernel argument marked `noalias readonly`: the kernel and everything it calls do not write
//!   through it, and nothing else writes to it, including other threads. LLVM does not mark it where its alignment is tested,
//!   as it does not follow the number that the address becomes: so do we;
//! - with `assume-restrict`, the object behind any `readonly` pointer argument of a kernel;
//! - the object behind an argument of a device function, if only this module calls the function, only directly, and
//!   each call passes such a pointer. LLVM's own back end does not find these: there the argument has no known address
//!   space, so the load gets one here.
//!
//! The address is followed through GEPs, casts, phis, selects and `freeze`. Atomic and volatile loads are left alone.
//!
//! **Conservative**: not invariant if the pointer was loaded or computed, or after more than [`MAX_STEPS`] values or
//! [`MAX_CALL_DEPTH`] callers, or through recursion.

use crate::mutants::{self, Mutant};
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::call::BOUNDS;
use warpwise_ir::llvm::handle::{AttrPlace, Function, RawOpcode, Value, ValueKind, attribute_kind};
use warpwise_ir::llvm::space;

/// Maximum number of values visited for one address.
const MAX_STEPS: usize = 64;
/// Maximum number of callers through which an argument is followed.
const MAX_CALL_DEPTH: u32 = 8;

/// What is known about a read-only address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadOnly {
    /// All objects lie in global memory.
    pub is_global: bool,
    /// Whether an argument of a device function was followed to its callers.
    pub through_calls: bool,
}

/// Answers for one module, cached by argument.
pub struct ReadOnlyMemory {
    noalias: u32,
    readonly: u32,
    readnone: u32,
    byval: u32,
    assume_restrict: bool,
    /// By address of the argument; `None` while it is being followed.
    arguments: FxHashMap<usize, Option<ReadOnly>>,
}

impl ReadOnlyMemory {
    /// `assume_restrict`: the user promises that pointer arguments of a kernel never alias.
    pub fn new(assume_restrict: bool) -> Self {
        ReadOnlyMemory {
            noalias: attribute_kind("noalias"),
            readonly: attribute_kind("readonly"),
            readnone: attribute_kind("readnone"),
            byval: attribute_kind("byval"),
            assume_restrict,
            arguments: FxHashMap::default(),
        }
    }

    /// Whether the memory behind a pointer in `function` is read-only, and what else is known about it.
    pub fn of(&mut self, function: Function<'_>, pointer: Value<'_>) -> Option<ReadOnly> {
        self.follow(function, pointer, 0)
    }

    fn follow(&mut self, function: Function<'_>, pointer: Value<'_>, depth: u32) -> Option<ReadOnly> {
        let mut work = vec![pointer];
        let mut seen: Vec<usize> = Vec::new();
        let mut all = ReadOnly { is_global: true, through_calls: false };
        let mut found = false;
        while let Some(value) = work.pop() {
            if seen.contains(&value.address()) {
                continue;
            }
            if seen.len() >= MAX_STEPS {
                return None;
            }
            seen.push(value.address());
            let root = match value.kind() {
                ValueKind::Argument => self.argument(function, value, depth)?,
                ValueKind::GlobalVariable => global(value)?,
                ValueKind::ConstantExpr => {
                    match value.const_opcode()? {
                        RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMAddrSpaceCast | RawOpcode::LLVMBitCast => {}
                        _ => return None,
                    }
                    work.push(value.operand(0));
                    continue;
                }
                ValueKind::Undef | ValueKind::Poison => continue,
                ValueKind::Instruction => {
                    let inst = value.as_inst()?;
                    match inst.opcode() {
                        RawOpcode::LLVMGetElementPtr
                        | RawOpcode::LLVMAddrSpaceCast
                        | RawOpcode::LLVMBitCast
                        | RawOpcode::LLVMFreeze => work.push(inst.operand(0)),
                        RawOpcode::LLVMSelect => work.extend([inst.operand(1), inst.operand(2)]),
                        RawOpcode::LLVMPHI => work.extend(inst.operands()),
                        _ => return None,
                    }
                    continue;
                }
                _ => return None,
            };
            found = true;
            all.is_global &= root.is_global;
            all.through_calls |= root.through_calls;
        }
        found.then_some(all)
    }

    fn argument(&mut self, function: Function<'_>, argument: Value<'_>, depth: u32) -> Option<ReadOnly> {
        if let Some(known) = self.arguments.get(&argument.address()) {
            return *known;
        }
        self.arguments.insert(argument.address(), None);
        let answer = self.argument_afresh(function, argument, depth);
        self.arguments.insert(argument.address(), answer);
        answer
    }

    fn argument_afresh(&mut self, function: Function<'_>, argument: Value<'_>, depth: u32) -> Option<ReadOnly> {
        let index = (0..function.param_count()).find(|&index| function.param(index) == argument)?;
        let place = AttrPlace::Param(index);
        if function.has_attribute(place, self.byval) {
            return None;
        }
        if function.is_ptx_kernel() {
            let is_alone = self.assume_restrict || function.has_attribute(place, self.noalias);
            let is_said = |kind| function.has_attribute(place, kind);
            let is_read = || is_said(self.readonly) || is_said(self.readnone) || is_only_read(argument);
            let any = mutants::on(Mutant::WrittenInvariant);
            return (any || is_alone && is_read()).then_some(ReadOnly { is_global: true, through_calls: false });
        }
        let closed = function.is_local() && function.is_only_called_directly();
        if !closed || depth >= MAX_CALL_DEPTH {
            return None;
        }
        let mut all: Option<ReadOnly> = None;
        for call in function.value().users().filter_map(Value::as_inst) {
            let passed = self.follow(call.block().function(), call.operand(index), depth + 1)?;
            let is_global = passed.is_global && all.is_none_or(|so_far| so_far.is_global);
            all = Some(ReadOnly { is_global, through_calls: true });
        }
        all
    }
}

/// Whether nothing is written through an argument: all that it leads to is loaded from, or is a number that becomes no address. (An
/// address that a number is added to leads to what it led to before.)
fn is_only_read(argument: Value<'_>) -> bool {
    use RawOpcode::*;
    let (mut open, mut seen) = (vec![argument], FxHashSet::default());
    while let Some(value) = open.pop() {
        for user in value.users() {
            let Some(user) = user.as_inst() else { return false };
            let leads_on = match user.opcode() {
                LLVMLoad | LLVMICmp => false,
                LLVMGetElementPtr => user.operand(0) == value,
                LLVMAddrSpaceCast | LLVMFreeze | LLVMPHI | LLVMSelect | LLVMPtrToInt => true,
                LLVMTrunc | LLVMZExt | LLVMSExt | LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor => true,
                LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl | LLVMLShr | LLVMAShr => true,
                LLVMCall if BOUNDS.are_called(user) => true,
                _ => return false,
            };
            if leads_on && seen.insert(user.value()) {
                open.push(user.value());
            }
        }
    }
    true
}

fn global(value: Value<'_>) -> Option<ReadOnly> {
    match value.ty().address_space()? {
        space::CONST => Some(ReadOnly { is_global: false, through_calls: false }),
        // the host may write to "externally initialised" constants, but not while the kernel runs
        space::GLOBAL | space::GENERIC if value.is_global_constant() => {
            Some(ReadOnly { is_global: true, through_calls: false })
        }
        _ => None,
    }
}
