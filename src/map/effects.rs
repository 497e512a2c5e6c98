//! Which functions have side effects now that branches in them are counted, although their attributes deny it?
//!
//! LLVM may call a device function without side effects once instead of twice, or not at all, and counts would be lost.
//! So functions with counters, their callers, and the calls no longer have such attributes. Kernels are not called by
//! anything.

use super::calls::CallGraph;
use super::plan::FunctionPlan;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;

/// Removes the attributes from functions and calls.
pub fn admit<'m>(graph: &CallGraph, bodies: &[(Facts, Handles<'m>)], plans: &[FunctionPlan], editor: &mut Editor<'m>) {
    let is_device = |number: usize| !bodies[number].0.func.is_kernel;
    let counts = |number: usize| plans[number].branches.iter().any(|branch| branch.slot.is_some());
    let mut acts: Vec<bool> = (0..bodies.len()).map(|number| is_device(number) && counts(number)).collect();
    if !acts.contains(&true) {
        return;
    }
    // callers of callers
    loop {
        let calls = |&number: &usize| graph.callees(number).iter().any(|&callee| acts[callee]);
        let more = (0..bodies.len()).filter(|&number| !acts[number] && is_device(number)).filter(calls);
        let more: Vec<usize> = more.collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|number| acts[number] = true);
    }
    for ((facts, handles), &own) in bodies.iter().zip(&acts) {
        let func = &facts.func;
        for call in func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Call) {
            if graph.reach(func.call(call).callee).iter().any(|&callee| acts[callee]) {
                editor.calls_effects(handles.inst(call));
            }
        }
        if own {
            editor.has_effects(handles.function);
        }
    }
}
