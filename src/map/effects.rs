//! Which functions do more than their attributes say, now that branches in them are counted?
//!
//! A device function without effects may be called once for twice, or not at all: LLVM would merge counts. So a function
//! that counts, and whoever calls one, promises nothing any more, nor do the calls. Kernels are called by nobody.

use super::plan::FunctionPlan;
use crate::divergence::Facts;
use crate::kernel::call::Callee;
use crate::kernel::entity::Inst;
use crate::kernel::handles::Handles;
use crate::kernel::import::ModuleContext;
use crate::kernel::inst::Opcode;
use crate::llvm::edit::Editor;
use rustc_hash::FxHashSet;

/// Takes the promises back, of functions and of calls.
pub fn admit<'m>(
    context: &ModuleContext<'m>,
    bodies: &[(Facts, Handles<'m>)],
    plans: &[FunctionPlan],
    editor: &mut Editor<'m>,
) {
    let is_device = |facts: &Facts| !facts.kernel.is_kernel;
    let index = |handles: &Handles<'m>| context.index_of(handles.function);
    let mut counting: FxHashSet<u32> = FxHashSet::default();
    for ((facts, handles), plan) in bodies.iter().zip(plans) {
        if is_device(facts) && plan.branches.iter().any(|branch| branch.slot.is_some()) {
            counting.extend(index(handles));
        }
    }
    if counting.is_empty() {
        return;
    }
    // callers of callers
    loop {
        let pointed = bodies.iter().any(|(_, handles)| {
            index(handles).is_some_and(|index| counting.contains(&index)) && !handles.function.is_only_called_directly()
        });
        let counts = |facts: &Facts, call: Inst| match facts.kernel.call(call).callee {
            Callee::Function(index) => counting.contains(&index),
            Callee::Indirect => pointed,
            Callee::Intrinsic(_) | Callee::Asm { .. } => false,
        };
        let mut callers = Vec::new();
        let mut calls = Vec::new();
        for (facts, handles) in bodies {
            let insts = &facts.kernel.insts;
            let is_counted = |&inst: &Inst| insts[inst].opcode == Opcode::Call && counts(facts, inst);
            let found = insts.keys().filter(is_counted).map(|call| handles.inst(call));
            let before = calls.len();
            calls.extend(found);
            if calls.len() > before && is_device(facts) {
                callers.extend(index(handles).filter(|index| !counting.contains(index)));
            }
        }
        if callers.is_empty() {
            calls.into_iter().for_each(|call| editor.calls_effects(call));
            break;
        }
        counting.extend(callers);
    }
    for (_, handles) in bodies {
        if index(handles).is_some_and(|index| counting.contains(&index)) {
            editor.has_effects(handles.function);
        }
    }
}
