//! How does one thread compute what the block shares?
//!
//! ```text
//! first:  br (tid.x | tid.y | tid.z) == 0, once, body      new entry, with the stack objects of the old one
//! once:   the work on arguments; stores to warpwise_grid_<kernel>;  br body
//! body:   bar.sync 0; loads of the results; what was the entry block
//! ```

use super::plan::HoistPlan;
use crate::divergence::Outline;
use crate::entity::{Inst, Value};
use crate::ir::handles::Handles;
use crate::ir::inst::Opcode;
use crate::llvm::edit::Editor;
use crate::llvm::handle;
use crate::llvm::space;
use crate::mutants::{self, Mutant};
use crate::shared_memory::layout::AREA_ALIGN;
use rustc_hash::FxHashMap;

/// Applies a plan that was made for the function in its present state.
pub fn apply<'m>(outline: &Outline, handles: &Handles<'m>, plan: &HoistPlan, editor: &mut Editor<'m>) {
    let function = handles.function;
    let func = &outline.func;
    let body = handles.block(func.graph.entry());
    let first = editor.new_block_before(body, "warpwise.first");
    let once = editor.new_block_before(body, "warpwise.once");
    let byte = editor.int_type(8);
    let area = editor.array_type(byte, plan.bytes);
    let name = format!("warpwise_grid_{}", function.name());
    let variable = editor.new_global(area, space::SHARED, AREA_ALIGN as u32, None, false, &name);
    let is_object = |&inst: &Inst| func.insts[inst].opcode == Opcode::Alloca && func.is_static_alloca(inst);
    for inst in func.block_insts(func.graph.entry()).filter(is_object) {
        editor.at_end(first).transfer(handles.inst(inst));
    }
    let location = body.insts().find_map(|inst| inst.debug_loc());
    editor.at_end(first).set_location(location);
    let is_first = is_first_thread(outline, editor);
    editor.branch_if(is_first, once, body);
    let mut made: FxHashMap<Value, handle::Value<'m>> = FxHashMap::default();
    for &inst in &plan.chain {
        let copy = editor.at_end(once).clone_here(handles.inst(inst), "");
        editor.may_be_undefined(copy);
        for (index, operand) in func.operands(inst).iter().enumerate() {
            if let Some(&value) = made.get(operand) {
                editor.set_operand(copy, index as u32, value);
            }
        }
        made.insert(func.result(inst), copy.value());
    }
    for slot in &plan.results {
        let address = address(editor.at_end(once), variable, slot.offset);
        editor.store(made[&func.result(slot.def)], address, slot.bytes as u32, false);
    }
    editor.at_end(once).branch(body);
    let top = body.insts().next();
    let at_top = |editor: &mut Editor<'m>| {
        if let Some(top) = top {
            editor.before(top);
        }
    };
    at_top(editor);
    if !mutants::on(Mutant::HoistNoBarrier) {
        let zero = editor.int(32, 0);
        editor.intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", &[], &[zero], "");
    }
    for slot in &plan.results {
        at_top(editor);
        let old = handles.result(func, slot.def);
        let address = address(editor, variable, slot.offset);
        let load = editor.load(old.ty(), address, slot.bytes as u32, false, "warpwise.shared");
        editor.replace_all_uses(old, load);
    }
    erase_unused(handles, plan, editor);
    editor.has_effects(function);
}

/// `tid.x | tid.y | tid.z == 0`, of the dimensions that the block may have.
fn is_first_thread<'m>(outline: &Outline, editor: &mut Editor<'m>) -> handle::Value<'m> {
    let mut all = editor.intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", &[], &[], "");
    for (dim, name) in [(1, "tid.y"), (2, "tid.z")] {
        if outline.geometry.extent(dim) != Some(1) {
            let one = editor.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{name}"), &[], &[], "");
            all = editor.binary(handle::RawOpcode::LLVMOr, all, one, "");
        }
    }
    editor.equals(all, 0)
}

fn address<'m>(editor: &mut Editor<'m>, variable: handle::Value<'m>, offset: u64) -> handle::Value<'m> {
    let byte = editor.int_type(8);
    let offset = editor.int(32, offset);
    editor.gep(byte, variable, &[offset], true, "")
}

/// Removes the originals, users first.
fn erase_unused<'m>(handles: &Handles<'m>, plan: &HoistPlan, editor: &mut Editor<'m>) {
    let originals: Vec<Inst> = plan.chain.iter().rev().copied().collect();
    for inst in originals {
        if handles.inst(inst).value().users().next().is_none() {
            editor.erase(handles.inst(inst));
        }
    }
}
