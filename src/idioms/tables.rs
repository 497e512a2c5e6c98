//! Which tables in constant memory do lanes read at different places?
//!
//! clang puts every `const __device__` variable into constant memory, of which a warp reads one address at a time; nvcc puts
//! none there. In global memory, which the first-level cache holds, a warp reads a line at a time.

use crate::analyses::Analyses;
use rustc_hash::FxHashSet;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// What is said of a table.
pub const MESSAGE: &str = "a table that lanes read at different places leaves constant memory";

/// The table that an instruction loads from, if it may leave constant memory.
fn table_of(inst: Inst<'_>) -> Option<Value<'_>> {
    (inst.opcode() == RawOpcode::LLVMLoad).then(|| inst.operand(0).table_behind()).flatten()
}

/// For each such table, the first load whose address lanes of a warp may not agree on.
pub fn find<'m>(function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Inst<'m>> {
    if !function.blocks().flat_map(|block| block.insts()).any(|inst| table_of(inst).is_some()) {
        return Vec::new();
    }
    let (facts, handles) = analyses.of(function).facts_and_handles();
    let (func, mut seen) = (&facts.func, FxHashSet::default());
    let is_apart = |inst| facts.scope_at_use(func.operands(inst)[0], func.insts[inst].block).is_none();
    let loads = func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Load && is_apart(inst));
    let loads = loads.map(|inst| handles.inst(inst));
    loads.filter(|&load| table_of(load).is_some_and(|table| seen.insert(table.address()))).collect()
}

/// Moves the table that a load reads, unless another function's plan did.
pub fn apply<'m>(editor: &mut Editor<'m>, load: Inst<'m>) {
    if let Some(table) = table_of(load) {
        editor.move_table(table);
    }
}
