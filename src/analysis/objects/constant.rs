//! What does a stack object contain that is filled with constants and then only read?
//!
//! Every write must store a constant at a constant offset and dominate every read. Such writes are ordered by dominance,
//! and every read finds what the last of those to its byte has stored, in every thread and every launch, even if they
//! are in a cycle: if some path led from an earlier write to a read and not through the last one, then so would a path
//! from the entry, and the last write would not dominate the read. Bytes that are never written are undefined; here they
//! are zero.
//!
//! Cost: number of writes times number of reads.

use super::address::{constant_offset, pointer_of};
use super::{AccessKind, Object};
use crate::divergence::Outline;
use warpwise_ir::entity::Inst;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::{Layout, Value, ValueKind};

/// The bytes of the object at every read, if they are constant.
pub fn contents(outline: &Outline, handles: &Handles<'_>, object: &Object) -> Option<Vec<u8>> {
    let func = &outline.func;
    let layout = handles.function.module().layout();
    let order = outline.cfg().order.rpo();
    let mut writes = Vec::new();
    for write in object.accesses.iter().filter(|access| access.writes()) {
        let block = func.insts[write.inst].block;
        if write.reads() {
            return None;
        }
        let inst = handles.inst(write.inst);
        let bytes = match write.kind {
            AccessKind::Store => bytes_of(inst.operand(0), layout)?,
            AccessKind::Set => vec![inst.operand(1).const_u64()? as u8; write.size as usize],
            _ => return None,
        };
        let at = usize::try_from(constant_offset(outline, object, pointer_of(outline, write))?).ok()?;
        if bytes.len() as u64 != write.size || at + bytes.len() > object.size as usize {
            return None;
        }
        let precedes = |read: Inst| {
            let there = func.insts[read].block;
            if there == block { write.inst < read } else { outline.dominators().dominates(block, there) }
        };
        let mut reads = object.accesses.iter().filter(|access| access.reads());
        if !reads.all(|read| precedes(read.inst)) {
            return None;
        }
        let position = order.iter().position(|&known| known == block)?;
        writes.push((position, write.inst, at, bytes));
    }
    if !object.accesses.iter().any(|access| access.reads()) {
        return None;
    }
    writes.sort_by_key(|&(block, inst, ..)| (block, inst));
    let mut contents = vec![0; object.size as usize];
    for (_, _, at, bytes) in writes {
        contents[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    Some(contents)
}

/// The bytes that storing a constant writes, zero where they are undefined.
pub fn bytes_of(value: Value<'_>, layout: Layout<'_>) -> Option<Vec<u8>> {
    let size = layout.store_size(value.ty())? as usize;
    if value.is_null() || matches!(value.kind(), ValueKind::Undef | ValueKind::Poison) {
        return Some(vec![0; size]);
    }
    if let Some(number) = value.const_u64().or_else(|| value.const_fp_bits()) {
        return number.to_le_bytes().get(..size).map(<[u8]>::to_vec);
    }
    if !matches!(value.kind(), ValueKind::ConstantData | ValueKind::ConstantAggregate) {
        return None;
    }
    let element = value.ty().element()?;
    let mut bytes = Vec::with_capacity(size);
    for index in 0..value.ty().length() {
        bytes.extend(bytes_of(value.aggregate_element(index as u32)?, layout)?);
    }
    // only if elements are stored without padding are their bytes those of the whole
    (layout.store_size(element) == layout.alloc_size(element) && bytes.len() == size).then_some(bytes)
}
