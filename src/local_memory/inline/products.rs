//! Would inlining change which products and sums the back end joins, and so the last bit of a result?
//!
//! What is joined in the two functions of a call is written out ([`Pins`]), and so are products that go from one to the other
//! through an argument, a result or memory, which rounds them. LLVM is asked what it makes of the functions as they are ([`Made`]).
//! Before LLVM has inlined, and for a float that was rounded to `float` and is rounded to
//! `half`, nothing can be written out: functions that have both of a pair keep the call.

use super::plan::Stage;
use rustc_hash::FxHashMap;
use warpwise_analysis::contraction::Pair;
use warpwise_analysis::contraction::lowered::Made;
use warpwise_analysis::contraction::raw::{Ends, Pins, may_pair};
use warpwise_ir::llvm::handle::{Function, Inst};
use warpwise_ir::llvm::lowered::From;
use warpwise_ir::llvm::remark::PassManager;

/// What is joined in functions, as long as none of them changes.
pub struct Joined<'a, 'm> {
    stage: Stage,
    manager: &'a PassManager<'a>,
    made: FxHashMap<Function<'m>, Option<Made<'m>>>,
}

impl<'a, 'm> Joined<'a, 'm> {
    pub fn new(stage: Stage, manager: &'a PassManager<'a>) -> Self {
        Joined { stage, manager, made: FxHashMap::default() }
    }

    /// What is written out in the two functions of a call; `None` if it is not known what is joined.
    pub fn pins(&mut self, call: Inst<'m>, callee: Function<'m>) -> Option<Vec<Pins<'m>>> {
        // the callee first, as it is smaller
        let functions = [callee, call.block().function()];
        if self.stage == Stage::Early {
            let all = with_callees(&functions);
            return (!Pair::ALL.into_iter().any(|pair| may_pair(&all, pair))).then(Vec::new);
        }
        Pins::of_each(&functions, |function| self.asked(function))
    }

    /// Forgets what is known of functions that change.
    pub fn forget(&mut self, changed: impl Iterator<Item = Function<'m>>) {
        changed.for_each(|function| _ = self.made.remove(&function));
    }

    fn asked(&mut self, function: Function<'m>) -> Option<Pins<'m>> {
        let ask = || Made::ask(function, From::Inlined, self.manager);
        self.made.entry(function).or_insert_with(ask).as_ref()?.pins(Ends::Calls)
    }
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
