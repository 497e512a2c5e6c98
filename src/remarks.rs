//! Which remarks does the analysis emit? One per divergent branch, with the chain of its causes, and one per memory
//! access whose lane stride is known and not optimal; for a kernel also the work that all threads repeat.
//!
//! The remarks are `DivergentBranch`, `GridUniformWork`, `LaneStride`, `BankConflict` and `SameAddress`; with
//! [`Listen::everything`] also
//! `Coalesced`. Texts are lower case without a final period, and name lines of the function's own file.

use warpwise_analysis::access::{self, Assumed, Cost, Pattern, WarpAccess};
use warpwise_analysis::cost::grid_work::GridWork;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::hypothesis::conditions;
use warpwise_analysis::explain::{Causes, ExpressionPrinter, explain};
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Opcode, Predicate};
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::{Kind, PassManager};

/// Which remarks are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Listen {
    /// Also remarks on optimal accesses.
    pub everything: bool,
}

/// The one remark about code that clang does not optimise, in place of all others: its variables lie in memory, where
/// nothing is known of them, and no transform runs.
pub fn say_unoptimised(module: Module<'_>, manager: &PassManager<'_>) {
    let Some(function) =
        module.functions().find(|function| function.is_ptx_kernel()).filter(|kernel| !kernel.is_declaration())
    else {
        return;
    };
    if let Some(kind) = [Kind::Missed, Kind::Analysis].into_iter().find(|&kind| manager.wants(kind)) {
        let message =
            "compiled at -O0: nothing is transformed, and nothing is said of divergence; compile with -O1 or more";
        manager.emit(kind, function, None, "Unoptimised", message);
    }
    manager.finish();
}

/// Emits the analysis remarks of a function.
pub fn emit(facts: &Facts, handles: &Handles<'_>, manager: &PassManager<'_>, listen: Listen) {
    if !manager.wants(Kind::Analysis) {
        return;
    }
    let printer = ExpressionPrinter::new(facts, handles);
    let causes = Causes::new(facts);
    let conditions = conditions(None, facts, handles);
    for block in facts.func.blocks.keys().filter(|&block| facts.is_divergent_branch(block)) {
        let at = handles.inst(facts.func.terminator(block));
        let mut message = match causes.of_branch(block) {
            Some(chain) => format!("branch diverges: {}", explain(facts, &printer, &chain, block)),
            None => "branch diverges: warpwise does not know this kind of branch".to_owned(),
        };
        if let Some(text) = conditions.text(block, |value| printer.value(value)) {
            message += "; ";
            message += &text;
        }
        manager.emit(Kind::Analysis, handles.function, Some(at), "DivergentBranch", &message);
    }
    if let Some(work) = GridWork::of(facts, handles) {
        let at = handles.inst(work.place);
        manager.emit(Kind::Analysis, handles.function, Some(at), "GridUniformWork", &work.sentence());
    }
    for access in access::accesses(facts) {
        // one address costs nothing, so a guess that it is one is not worth a remark
        let is_guess = access.assumed != Assumed::default();
        if access.pattern == Pattern::Same && (is_guess || is_elected(facts, facts.func.insts[access.inst].block)) {
            continue;
        }
        let Some(message) = access::describe(&access, |value| printer.value(value), listen.everything) else {
            continue;
        };
        let at = handles.inst(access.inst);
        manager.emit(Kind::Analysis, handles.function, Some(at), name_of(&access), &message);
    }
}

/// Whether a block is only reached by lanes for which something that differs between lanes has one value, as under `if
/// (threadIdx.x == 0)`. There "every lane" would mean a single one.
fn is_elected(facts: &Facts, block: Block) -> bool {
    let func = &facts.func;
    let dominators = facts.dominators();
    std::iter::successors(dominators.idom(block), |&above| dominators.idom(above)).any(|above| {
        let (Some(condition), [yes, no]) = (func.condition(func.terminator(above)), func.graph.succs(above)) else {
            return false;
        };
        let Some(compare) = func.def(condition).filter(|_| facts.is_divergent_branch(above) && yes != no) else {
            return false;
        };
        let equal = match (func.insts[compare].opcode, Predicate::from_sub(func.insts[compare].sub)) {
            (Opcode::ICmp, Some(Predicate::Eq)) => *yes,
            (Opcode::ICmp, Some(Predicate::Ne)) => *no,
            _ => return false,
        };
        func.graph.preds(equal).len() == 1 && dominators.dominates(equal, block)
    })
}

fn name_of(access: &WarpAccess) -> &'static str {
    match (&access.pattern, access.cost) {
        (Pattern::Same, _) => "SameAddress",
        (_, Cost::BankWays(2..)) => "BankConflict",
        (_, Cost::BankWays(_)) => "Coalesced",
        (_, Cost::Sectors { needed, ideal }) if needed <= ideal => "Coalesced",
        _ => "LaneStride",
    }
}
