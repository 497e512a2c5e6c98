//! Which code does nvcc write in a form that is faster than clang's, without knowing anything of lanes?
//!
//! Each is decided from one function's text, keeps all results, and is said by a remark:
//!
//! - [`counts`]: a loop that clears the lowest bit of a number until none is left counts its bits; `popc` does so at once.
//! - [`copies`]: a small `memcpy` becomes its loads, and then its stores: the back end alternates them, so that each load
//!   waits for the store before it, and uses at most 8 bytes at a time.
//! - [`remainders`]: a remainder or quotient of a loop's counter that is widened to 64 bits stays a division of 32 bits:
//!   LLVM's loop strength reduction writes it as one of 64.
//!
//! [`counts`] run after LLVM has inlined, so that what follows sees short code; the others at the end.

mod copies;
mod counts;
mod remainders;

use crate::settings::Results;
use crate::settings::enabled::is_all_off;
use crate::settings::transform::IDIOMS;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Kind, Reshape};

/// Counts bits at once; returns whether the module changed.
pub fn run_early(module: Module<'_>, results: Results, host: &Host<'_>) -> bool {
    let mut changed = false;
    for function in enabled(module) {
        let loops: Vec<_> = function.blocks().filter_map(counts::find).collect();
        if loops.is_empty() {
            continue;
        }
        if results == Results::Same && counts::keeps_apart(function) {
            for plan in loops {
                host.emit(Kind::Missed, function, Some(plan.branch), "BitsContraction", counts::KEPT);
            }
            continue;
        }
        let plans: Vec<_> =
            admitted(function, loops.into_iter(), |plan| plan.branch, "BitsCounted", counts::MESSAGE, host);
        let mut editor = Editor::new(module);
        plans.iter().for_each(|plan| counts::apply(&mut editor, plan));
        drop(editor);
        if !plans.is_empty() {
            host.reshape(function, Reshape::CleanUp);
            changed = true;
        }
    }
    changed
}

/// Splits copies, and keeps remainders; returns whether the module changed.
pub fn run_late(module: Module<'_>, results: Results, host: &Host<'_>) -> bool {
    let mut changed = false;
    let context = copies::Context::new();
    for function in enabled(module) {
        let insts = || function.blocks().flat_map(|block| block.insts());
        let stays = |copy: &copies::Copy<'_>| {
            let stays = results == Results::Same && copies::keeps_apart(copy.call.block());
            if stays {
                host.emit(Kind::Missed, function, Some(copy.call), "CopyContraction", copies::KEPT);
            }
            stays
        };
        let copied = insts().filter_map(|inst| copies::find(inst, &context)).filter(|copy| !stays(copy));
        let copied = admitted(function, copied, |plan| plan.call, "CopySplit", copies::MESSAGE, host);
        let kept = insts().filter_map(remainders::find);
        let kept = admitted(function, kept, |&widening| widening, "DivisionKept", remainders::MESSAGE, host);
        let mut editor = Editor::new(module);
        copied.iter().for_each(|plan| copies::apply(&mut editor, plan));
        kept.iter().for_each(|&widening| remainders::apply(&mut editor, widening));
        changed |= !copied.is_empty() || !kept.is_empty();
    }
    changed
}

/// The functions that may be changed.
fn enabled(module: Module<'_>) -> impl Iterator<Item = Function<'_>> {
    module.functions().filter(|&function| !function.is_declaration() && !is_all_off(function))
}

/// The plans that are carried out; says so.
fn admitted<'m, P>(
    function: Function<'m>,
    plans: impl Iterator<Item = P>,
    place: impl Fn(&P) -> Inst<'m>,
    remark: &str,
    message: &str,
    host: &Host<'_>,
) -> Vec<P> {
    let mut kept = Vec::new();
    for plan in plans {
        let at = Some(place(&plan));
        if host.admits(IDIOMS, function, at, || message.to_owned()) {
            host.emit(Kind::Passed, function, at, remark, message);
            kept.push(plan);
        }
    }
    kept
}
