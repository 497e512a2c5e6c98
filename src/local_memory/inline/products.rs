//! Would inlining change which products and sums the back end joins, and so the last bit of a result?
//!
//! What is joined in the two functions of a call is written out ([`Pins`]), and so are products that go from one to the other
//! through an argument, a result or memory, which rounds them. Before LLVM has inlined, and for a float that was rounded to
//! `float` and is rounded to `half`, nothing can be: functions that have both of a pair keep the call.

use super::plan::Stage;
use warpwise_analysis::contraction::Pair;
use warpwise_analysis::contraction::raw::{Ends, Pins, may_pair};
use warpwise_ir::llvm::handle::{Function, Inst};

/// What is written out in the two functions of a call; `None` if it cannot be foreseen what is joined.
pub fn pins<'m>(call: Inst<'m>, callee: Function<'m>, stage: Stage) -> Option<Vec<Pins<'m>>> {
    let functions = [call.block().function(), callee];
    if stage == Stage::Early {
        let all = with_callees(&functions);
        return (!Pair::ALL.into_iter().any(|pair| may_pair(&all, pair))).then(Vec::new);
    }
    Pins::of_all(&functions, Ends::Calls)
}

/// Some functions, and all that they may call, which LLVM may inline into them.
fn with_callees<'m>(functions: &[Function<'m>]) -> Vec<Function<'m>> {
    let mut found = functions.to_vec();
    let mut next = 0;
    while let Some(&function) = found.get(next) {
        for callee in function.callees() {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
        next += 1;
    }
    found
}
