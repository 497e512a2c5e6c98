//! Which stack objects are copies of a by-value argument that nobody writes?
//!
//! A function that takes a struct by value and indexes an array in it is given a copy of the caller's struct when it is
//! inlined, and the variable index keeps that copy in local memory. The argument itself is in parameter space, which can
//! be indexed. The object may be read there if
//!
//! 1. every write to it copies bytes of one argument, and all from the same distance: byte `i` of the object is byte
//!    `i + offset` of the argument or has not been written, and what has not been written may have any value;
//! 2. all bytes of the object lie within the argument;
//! 3. the argument is only read, so that it never differs from the copy;
//! 4. every address of the object is an offset from its beginning: phis, selects and comparisons of addresses are left
//!    alone, since the back end would then copy the whole argument.
//!
//! A copy of a copy counts as a copy of the argument. Cost: linear in the uses of the objects and arguments.

use super::address::{constant_offset, pointer_of};
use super::{AccessKind, Object};
use crate::divergence::Outline;
use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle::{self, AttrPlace, Function, RawOpcode, attribute_kind};

/// Where the bytes of an object are also found: this many bytes after the beginning of a by-value argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    pub argument: Value,
    pub offset: u64,
}

/// Whether a function has a by-value argument at all.
pub fn has_by_value(function: Function<'_>) -> bool {
    let byval = attribute_kind("byval");
    (0..function.param_count()).any(|index| function.type_attribute(AttrPlace::Param(index), byval).is_some())
}

/// The objects that are copies of arguments, each with the place of its bytes, in the order given.
pub fn copies(outline: &Outline, handles: &Handles<'_>, objects: &[&Object]) -> Vec<(usize, Source)> {
    let mut known: FxHashMap<Value, Source> = FxHashMap::default();
    let mut found = Vec::new();
    loop {
        let before = found.len();
        for (at, object) in objects.iter().enumerate() {
            if !known.contains_key(&object.address)
                && let Some(source) = source(outline, handles, object, &known)
            {
                known.insert(object.address, source);
                found.push((at, source));
            }
        }
        if found.len() == before {
            found.sort_unstable_by_key(|&(at, _)| at);
            return found;
        }
    }
}

fn source(
    outline: &Outline,
    handles: &Handles<'_>,
    object: &Object,
    known: &FxHashMap<Value, Source>,
) -> Option<Source> {
    let func = &outline.func;
    // a cast would say that the argument is in local memory
    let is_offset = |&inst: &Inst| matches!(func.insts[inst].opcode, Opcode::Gep | Opcode::BitCast);
    if object.argument_piece.is_some() || !object.compares.is_empty() || !object.derived.iter().all(is_offset) {
        return None;
    }
    if !object.accesses.iter().any(|access| access.reads()) {
        return None;
    }
    let mut agreed: Option<(Value, i64)> = None;
    for write in object.accesses.iter().filter(|access| access.writes()) {
        let operands = func.operands(write.inst);
        let from = match write.kind {
            AccessKind::Copy { into: true, from: false, .. } => operands[1],
            AccessKind::Store => copied_from(outline, operands[0])?,
            _ => return None,
        };
        let (root, start) = root(outline, from)?;
        let (argument, start) = match known.get(&root) {
            Some(source) => (source.argument, start.checked_add(source.offset as i64)?),
            None => (root, start),
        };
        let at = constant_offset(outline, object, pointer_of(outline, write))?;
        let offset = start.checked_sub(at)?;
        if agreed.is_some_and(|before| before != (argument, offset)) {
            return None;
        }
        agreed = Some((argument, offset));
    }
    let (argument, offset) = agreed?;
    let offset = u64::try_from(offset).ok()?;
    let place = AttrPlace::Param(func.as_param(argument)?);
    let ty = handles.function.type_attribute(place, attribute_kind("byval"))?;
    let size = handles.function.module().layout().alloc_size(ty)?;
    let is_within = offset.checked_add(object.size).is_some_and(|end| end <= size);
    let handle = handles.value(argument);
    let same_space = handle.ty() == handles.value(object.address).ty();
    (is_within && same_space && is_only_read(handle)).then_some(Source { argument, offset })
}

/// The address from which a stored value was loaded, if the value is nothing but its bytes.
fn copied_from(outline: &Outline, value: Value) -> Option<Value> {
    let func = &outline.func;
    let load = func.def(value)?;
    let data = &func.insts[load];
    let is_plain = data.opcode == Opcode::Load && !data.flags.intersects(Flags::ATOMIC | Flags::VOLATILE);
    is_plain.then(|| func.operands(load)[0])
}

/// What an address is a constant number of bytes behind.
fn root(outline: &Outline, pointer: Value) -> Option<(Value, i64)> {
    let func = &outline.func;
    let (mut pointer, mut offset) = (pointer, 0_i64);
    while let Some(def) = func.def(pointer) {
        match func.insts[def].opcode {
            Opcode::Gep if func.gep(def).terms.is_empty() => offset = offset.checked_add(func.gep(def).offset)?,
            Opcode::Alloca => break,
            _ => return None,
        }
        pointer = func.operands(def)[0];
    }
    Some((pointer, offset))
}

/// Whether the memory behind an argument is read and nothing else: loaded, copied from, or passed by value once more. Of
/// an address that is cast that is not known.
pub fn is_only_read(argument: handle::Value<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![argument];
    while let Some(pointer) = work.pop() {
        for user in pointer.users() {
            let Some(inst) = user.as_inst() else { return false };
            match inst.opcode() {
                RawOpcode::LLVMLoad => {}
                RawOpcode::LLVMGetElementPtr if inst.operand(0) == pointer => {
                    if seen.insert(user.address()) {
                        work.push(user);
                    }
                }
                RawOpcode::LLVMCall if is_read_by(inst, pointer) => {}
                _ => return false,
            }
        }
    }
    true
}

/// Whether a call reads what is behind a pointer, and does nothing else with it.
fn is_read_by(call: handle::Inst<'_>, pointer: handle::Value<'_>) -> bool {
    let name = call.called_function().map(|callee| callee.name()).unwrap_or_default();
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        return call.operand(0) != pointer && call.operand(1) == pointer;
    }
    let arguments = call.argument_count();
    let bundles = arguments..call.operand_count() - 1;
    let is_by_value = |index| call.has_call_attribute(AttrPlace::Param(index), attribute_kind("byval"));
    bundles.into_iter().all(|index| call.operand(index) != pointer)
        && (0..arguments).all(|index| call.operand(index) != pointer || is_by_value(index))
}
