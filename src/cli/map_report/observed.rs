//! What did the lockstep machine see at each branch, and what does the analysis say of it? For `warpwise simt --map`.

use super::show::{self, ConditionRow};
use serde::Serialize;
use warpwise_analysis::counts::Counted;
use warpwise_analysis::counts::table::{BranchTable, FunctionTable};
use warpwise_analysis::explain::symbol::kernel_symbol;
use warpwise_ir::llvm::image::ModuleImage;
use warpwise_ir::phrase::percent;
use warpwise_oracle::simt::{BranchCount, DivergenceMap};

/// A branch that was reached.
#[derive(Clone, Debug, Serialize)]
pub struct SeenBranch {
    #[serde(flatten)]
    pub count: BranchCount,
    /// Whether the analysis calls it divergent.
    pub is_divergent: bool,
    /// Why, in words.
    pub why: Option<String>,
    /// Launches in which the analysis calls it uniform.
    pub conditions: Vec<ConditionRow>,
    /// Whether the launch had one of these properties.
    pub is_uniform_as_launched: bool,
    /// The reason and the conditions in words.
    #[serde(skip)]
    sentence: Option<String>,
}

/// All branches that were executed, in module order. `counted` is the [map](warpwise_oracle::check::recount::observed)
/// of the same launch.
pub fn branches(counted: &Counted, image: &ModuleImage, seen: &DivergenceMap) -> Vec<SeenBranch> {
    let of_count = |count: BranchCount| {
        let known = find(counted, image, &count);
        SeenBranch {
            is_divergent: known.is_some_and(|(_, branch)| branch.is_divergent),
            why: known.and_then(|(_, branch)| branch.why.clone()),
            conditions: known.map_or_else(Vec::new, |(function, branch)| show::conditions(counted, function, branch)),
            is_uniform_as_launched: known
                .is_some_and(|(function, branch)| counted.is_uniform_as_launched(function, branch)),
            sentence: known.and_then(|(function, branch)| show::reasons(Some(counted), function, branch)),
            count,
        }
    };
    seen.branches(image).into_iter().map(of_count).collect()
}

fn find<'c>(
    counted: &'c Counted,
    image: &ModuleImage,
    count: &BranchCount,
) -> Option<(&'c FunctionTable, &'c BranchTable)> {
    let body = image.functions.iter().find(|body| body.name == count.function)?;
    let block = body.block_of(count.inst);
    let function = counted.table.functions.iter().find(|function| function.symbol == count.function)?;
    function.branches.iter().find(|branch| branch.block == block).map(|branch| (function, branch))
}

/// The branches as text, one paragraph each.
pub fn text(branches: &[SeenBranch]) -> String {
    let mut text = String::new();
    for SeenBranch { count, sentence, .. } in branches {
        let place = if count.location.is_empty() { "(no source line)" } else { &count.location };
        let share = percent(count.splits, count.visits);
        let name = kernel_symbol(&count.function);
        text.push_str(&format!("{place}: in {name}, block {}: {}\n", count.block, count.text));
        text.push_str(&format!(
            "  visits {}, splits {} ({share:.1} %), lanes {}",
            count.visits, count.splits, count.lanes
        ));
        for (block, lanes) in &count.taken {
            text.push_str(&format!(", to {block} {lanes}"));
        }
        text.push('\n');
        if let Some(sentence) = sentence {
            text.push_str(&format!("  {sentence}\n"));
        }
    }
    if text.is_empty() {
        text.push_str("no branch was reached\n");
    }
    text
}
