//! Which functions may come to a recursive call, or to one through a pointer?
//!
//! What `ptxas` knows to be uniform it keeps in a uniform register, of which a warp has one: a loop's counter is incremented
//! once for all lanes, which have reconverged before. But a recursive function saves its caller's barrier register and
//! clears it, while other lanes wait at that barrier: they go on by themselves, and the counter is incremented again. Such
//! loops never end, or run past their end (CUDA 13.0, sm_90; clang's own code, too, where `ptxas` finds by itself that a
//! counter is uniform). So nothing is told to `ptxas` in such functions.

use rustc_hash::FxHashMap;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::call::Callee;

/// For each function with a body, given by its position in the module and its facts, whether it may.
pub fn reach_recursion<'f>(functions: impl Iterator<Item = (u32, &'f Facts)>) -> Vec<bool> {
    let functions: Vec<(u32, &Facts)> = functions.collect();
    let numbers: FxHashMap<u32, usize> = functions.iter().enumerate().map(|(number, f)| (f.0, number)).collect();
    let mut callers = vec![Vec::new(); functions.len()];
    let mut left = vec![0usize; functions.len()];
    for (number, (_, facts)) in functions.iter().enumerate() {
        for call in &facts.func.calls {
            match call.callee {
                // what has no body here calls nothing of the module
                Callee::Function(index) => {
                    let Some(&callee) = numbers.get(&index) else { continue };
                    callers[callee].push(number);
                    left[number] += 1;
                }
                Callee::Indirect => left[number] += 1,
                Callee::Intrinsic(_) | Callee::Asm { .. } => {}
            }
        }
    }
    // take away, again and again, what calls nothing that is left
    let mut open: Vec<usize> = (0..left.len()).filter(|&number| left[number] == 0).collect();
    while let Some(number) = open.pop() {
        for &caller in &callers[number] {
            left[caller] -= 1;
            if left[caller] == 0 {
                open.push(caller);
            }
        }
    }
    left.into_iter().map(|calls| calls > 0).collect()
}
