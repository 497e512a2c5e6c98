//! How do debug records follow an edit? LLVM 22 describes variables in records that are attached to instructions. A
//! record stays where it is when code around it moves, so code that moves instructions decides where their records go.
//!
//! A detached record is owned by whoever detached it, and is inserted again with [`Editor::place_record`] or
//! [`Editor::open_with`], or deleted with [`Editor::drop_record`]. When a value is replaced everywhere, it is replaced
//! in detached records, too.

use super::Editor;
use crate::llvm::handle::{Block, DebugLoc, Function, Inst, Value};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMGetSubprogram;
use llvm_sys::prelude::*;
use smallvec::SmallVec;
use std::marker::PhantomData;

unsafe extern "C" {
    fn warpwise_record_variable(record: LLVMDbgRecordRef, out: *mut Variable) -> bool;
    fn warpwise_record_detach(record: LLVMDbgRecordRef);
    fn warpwise_record_clone(record: LLVMDbgRecordRef) -> LLVMDbgRecordRef;
    fn warpwise_record_delete(record: LLVMDbgRecordRef);
    fn warpwise_record_kill(record: LLVMDbgRecordRef, keep_memory: bool);
    fn warpwise_records_alike(a: LLVMDbgRecordRef, b: LLVMDbgRecordRef) -> bool;
    fn warpwise_records_of_one_store(a: LLVMDbgRecordRef, b: LLVMDbgRecordRef) -> bool;
    fn warpwise_record_values(record: LLVMDbgRecordRef, values: *mut LLVMValueRef, capacity: usize) -> usize;
    fn warpwise_record_replace(record: LLVMDbgRecordRef, old: LLVMValueRef, new: LLVMValueRef);
    fn warpwise_record_insert(record: LLVMDbgRecordRef, block: LLVMBasicBlockRef, after: LLVMValueRef);
    fn warpwise_record_insert_first(record: LLVMDbgRecordRef, block: LLVMBasicBlockRef);
    fn warpwise_record_is_seen(record: LLVMDbgRecordRef, location: LLVMMetadataRef) -> bool;
    fn warpwise_meld_assignments(kept: LLVMValueRef, other: LLVMValueRef);
    fn warpwise_replace_in_records_behind(old: LLVMValueRef, new: LLVMValueRef);
    fn warpwise_replace_in_records_outside(old: LLVMValueRef, new: LLVMValueRef, home: LLVMBasicBlockRef);
    fn warpwise_move_variables(
        object: LLVMValueRef,
        base: LLVMValueRef,
        size: u64,
        piece: u64,
        stride: u64,
        space: u64,
    );
}

/// Where the bytes of a stack object are: pieces of `piece` bytes, `stride` bytes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub piece: u64,
    pub stride: u64,
    /// LLVM's address space.
    pub space: u32,
}

/// The number of an LLVM address space in DWARF for CUDA.
fn dwarf_space(space: u32) -> u64 {
    match space {
        1 => 5,
        3 => 8,
        4 => 4,
        _ => 6,
    }
}

/// A debug record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'m> {
    raw: LLVMDbgRecordRef,
    life: PhantomData<&'m ()>,
}

/// The variable, or part of one, that a record describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Variable {
    variable: *const (),
    inlined_at: *const (),
    /// First bit, and bits; all of it where that is zero.
    offset: u64,
    size: u64,
}

impl<'m> Record<'m> {
    fn of(raw: LLVMDbgRecordRef) -> Self {
        Record { raw, life: PhantomData }
    }
    /// The variable whose value changes here; `None` for what holds wherever it stands (declarations, labels).
    pub fn variable(self) -> Option<Variable> {
        let mut variable = Variable { variable: std::ptr::null(), inlined_at: std::ptr::null(), offset: 0, size: 0 };
        edit!(warpwise_record_variable(self.raw, &mut variable)).then_some(variable)
    }
    /// Whether two records that have a variable say the same.
    pub fn is_alike(self, other: Record<'m>) -> bool {
        edit!(warpwise_records_alike(self.raw, other.raw))
    }
    /// Whether the variable is in memory, and the same store put it there.
    pub fn is_of_same_store(self, other: Record<'m>) -> bool {
        edit!(warpwise_records_of_one_store(self.raw, other.raw))
    }
    /// Whether somebody who stops at a location may ask for the variable.
    pub fn is_seen_at(self, location: DebugLoc<'m>) -> bool {
        edit!(warpwise_record_is_seen(self.raw, location.raw()))
    }
    /// The values that the variable's value is made of.
    pub fn values(self) -> SmallVec<[Value<'m>; 2]> {
        let count = edit!(warpwise_record_values(self.raw, std::ptr::null_mut(), 0));
        let mut raw: SmallVec<[LLVMValueRef; 2]> = SmallVec::from_elem(std::ptr::null_mut(), count);
        edit!(warpwise_record_values(self.raw, raw.as_mut_ptr(), count));
        // SAFETY: LLVM returned live values of the module that is being edited.
        raw.into_iter().filter_map(|raw| unsafe { Value::from_raw(raw) }).collect()
    }
}

impl<'m> Editor<'m> {
    /// Whether a function has debug information, without which it has no records.
    pub fn has_debug_info(&self, function: Function<'m>) -> bool {
        !edit!(LLVMGetSubprogram(function.raw())).is_null()
    }
    /// Takes the records off an instruction, in order.
    pub fn detach_records(&mut self, inst: Inst<'m>) -> Vec<Record<'m>> {
        let mut records = Vec::new();
        loop {
            let first = edit!(LLVMGetFirstDbgRecord(inst.raw()));
            if first.is_null() {
                return records;
            }
            edit!(warpwise_record_detach(first));
            records.push(Record::of(first));
        }
    }
    /// Another record that says the same, detached.
    pub fn clone_record(&mut self, record: Record<'m>) -> Record<'m> {
        Record::of(edit!(warpwise_record_clone(record.raw)))
    }
    /// Makes a record say that the value is unknown; with `keep_memory` the variable may still be found in its memory.
    pub fn kill_record(&mut self, record: Record<'m>, keep_memory: bool) {
        edit!(warpwise_record_kill(record.raw, keep_memory));
    }
    /// Replaces a value in one record.
    pub fn replace_in_record(&mut self, record: Record<'m>, old: Value<'m>, new: Value<'m>) {
        edit!(warpwise_record_replace(record.raw, old.raw(), new.raw()));
    }
    /// Puts a detached record right behind an instruction, but behind records that stand there; without an instruction
    /// behind the phis of the block.
    pub fn place_record(&mut self, record: Record<'m>, block: Block<'m>, after: Option<Inst<'m>>) {
        let after = after.map_or(std::ptr::null_mut(), Inst::raw);
        edit!(warpwise_record_insert(record.raw, block.raw(), after));
    }
    /// Puts a detached record right behind the phis of a block, before all records.
    pub fn open_with(&mut self, record: Record<'m>, block: Block<'m>) {
        edit!(warpwise_record_insert_first(record.raw, block.raw()));
    }
    /// Forgets a detached record.
    pub fn drop_record(&mut self, record: Record<'m>) {
        edit!(warpwise_record_delete(record.raw));
    }
    /// What a debugger is told of the store `other` holds of `kept`, too, which does both.
    pub fn meld_assignments(&mut self, kept: Inst<'m>, other: Inst<'m>) {
        edit!(warpwise_meld_assignments(kept.raw(), other.raw()));
    }
    /// Lets records that name a value name another that is the same, if they are behind it in its block: there it is alive, and the
    /// first one may be no longer.
    pub fn replace_in_records_behind(&mut self, old: Value<'m>, new: Value<'m>) {
        edit!(warpwise_replace_in_records_behind(old.raw(), new.raw()));
    }
    /// Lets records outside a block name another value, or say that the variable is unknown; detached ones stay.
    pub fn replace_in_records_outside(&mut self, old: Value<'m>, new: Option<Value<'m>>, home: Block<'m>) {
        let new = new.map_or(std::ptr::null_mut(), Value::raw);
        edit!(warpwise_replace_in_records_outside(old.raw(), new, home.raw()));
    }
    /// Declares the variables of a stack object of `size` bytes where its bytes went.
    pub fn move_variables(&mut self, object: Value<'m>, base: Value<'m>, size: u64, layout: Layout) {
        let Layout { piece, stride, space } = layout;
        edit!(warpwise_move_variables(object.raw(), base.raw(), size, piece, stride, dwarf_space(space)));
    }
}
