//! Are the annotations of a module still true? Facts are recomputed, and each annotation that is not true gets a
//! warning; an error is reported after all have been named.

use super::claim::{Claim, KIND};
use crate::analyses::Analyses;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Flags;
use warpwise_ir::llvm::handle;
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// Checks a module.
pub fn verify(analyses: &mut Analyses<'_>, manager: &PassManager<'_>) {
    let (mut wrong, mut last) = (0, None);
    for function in analyses.module().functions().filter(|function| !function.is_declaration()) {
        let (facts, handles) = analyses.of(function).facts_and_handles();
        let here = verify_function(facts, handles, manager);
        wrong += here;
        last = last.filter(|_| here == 0).or(Some(function));
    }
    if let Some(function) = last.filter(|_| wrong > 0) {
        let message = format!("{wrong} annotation(s) !warpwise.uniform are not true");
        manager.emit(Kind::Error, function, None, "Annotations", &message);
    }
}

/// Checks one function; returns the number of annotations that are not true.
fn verify_function(facts: &Facts, handles: &Handles<'_>, manager: &PassManager<'_>) -> usize {
    let func = &facts.func;
    let kind = handle::metadata_kind(handles.function.module(), KIND);
    let mut wrong = 0;
    for inst in func.insts.keys().filter(|&inst| func.insts[inst].flags.contains(Flags::ANNOTATED)) {
        if !facts.is_reachable(func.insts[inst].block) {
            continue;
        }
        let at = handles.inst(inst);
        let message = match (at.metadata(kind).and_then(Claim::read), Claim::of(facts, inst)) {
            (None, _) => "!warpwise.uniform is not of the form !{!\"SCOPE\", !\"WHERE\"}".to_owned(),
            (Some(claim), Some(found)) if found.implies(claim) => continue,
            (Some(claim), Some(found)) => format!("!warpwise.uniform says {claim}, but the analysis finds {found}"),
            (Some(claim), None) => format!("!warpwise.uniform says {claim}, but the analysis finds nothing uniform"),
        };
        let message = format!("in '{}': {message}", handles.function.name());
        manager.emit(Kind::Warning, handles.function, Some(at), "Annotation", &message);
        wrong += 1;
    }
    wrong
}
