//! From which blocks can no barrier and no collective be reached? Lanes that go there are on their way out of a kernel.

use super::cfg::spread;
use super::code::{FunctionCode, Micro, Op};
use super::decode::successors_of;
use warpwise_ir::llvm::image::ModuleImage;

/// Finds the blocks from which no barrier and no collective can be reached, neither in the function nor in what it
/// calls.
pub(super) fn mark_quiet(image: &ModuleImage, functions: &mut [FunctionCode]) {
    let mut quiet: Vec<bool> = functions.iter().map(|code| !code.starts.is_empty()).collect();
    let is_loud = |micro: &Micro, quiet: &[bool]| match &micro.op {
        Op::Call(call) => call.target.is_none_or(|target| !quiet[target.index()]),
        Op::Barrier { .. } | Op::Collective { .. } => true,
        _ => false,
    };
    loop {
        let before = quiet.clone();
        for (number, code) in functions.iter().enumerate() {
            quiet[number] &= !code.micros.iter().any(|micro| is_loud(micro, &before));
        }
        if quiet == before {
            break;
        }
    }
    for (code, func) in functions.iter_mut().zip(&image.functions).filter(|(code, _)| !code.starts.is_empty()) {
        let starts = code.starts.iter().map(|&start| start as usize);
        let ends = starts.clone().skip(1).chain([code.micros.len()]);
        let mut loud: Vec<bool> = starts
            .zip(ends)
            .map(|(start, end)| code.micros[start..end].iter().any(|micro| is_loud(micro, &quiet)))
            .collect();
        let successors = successors_of(func);
        spread(&successors, &mut loud);
        code.quiet = loud.iter().map(|is_loud| !is_loud).collect();
        if func.is_kernel {
            code.flow.leave_early(&successors, &code.quiet);
        }
    }
}
