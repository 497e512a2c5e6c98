//! Which functions may come to a recursive call, or to one through a pointer?
//!
//! What `ptxas` knows to be uniform it keeps in a uniform register, of which a warp has one: a loop's counter is incremented
//! once for all lanes, which have reconverged before. But a recursive function saves its caller's barrier register and
//! clears it, while other lanes wait at that barrier: they go on by themselves, and the counter is incremented again. Such
//! loops never end, or run past their end (CUDA 13.0, sm_90; clang's own code, too). Whether it happens to a kernel depends
//! on little things, so no transform touches one that may come to such a call.

use rustc_hash::FxHashSet;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::{Kind, PassManager};

const MESSAGE: &str = "left as it is: it may come to a recursive call, or to one through a pointer, and ptxas may count \
                       its loops wrongly";

/// Whether a function is left alone because it may come to a recursive call; says so.
pub fn is_left_alone(function: Function<'_>, manager: &PassManager<'_>) -> bool {
    let is_left = reaches_recursion(function);
    if is_left && manager.wants(Kind::Missed) {
        manager.emit(Kind::Missed, function, None, "NearRecursion", MESSAGE);
    }
    is_left
}

/// Whether a function may come to a recursive call, or to one through a pointer.
fn reaches_recursion(function: Function<'_>) -> bool {
    let mut ended = FxHashSet::default();
    // calls that lead from the function to where we are, each with the callees that are still to be looked at
    let mut path = vec![(function, callees(function))];
    while let Some((at, rest)) = path.last_mut() {
        let at = *at;
        let Some(rest) = rest else { return true };
        match rest.pop() {
            None => {
                ended.insert(at);
                path.pop();
            }
            Some(callee) if ended.contains(&callee) => {}
            Some(callee) if path.iter().any(|&(caller, _)| caller == callee) => return true,
            Some(callee) => path.push((callee, callees(callee))),
        }
    }
    false
}

/// The functions with a body that a function calls; `None` if it also calls through a pointer.
fn callees<'m>(function: Function<'m>) -> Option<Vec<Function<'m>>> {
    let mut found = Vec::new();
    for call in function.call_insts() {
        call.called_function()?;
        found.extend(call.defined_callee());
    }
    Some(found)
}
