//! How many of the branches that an analysis calls divergent never split? Compares the lockstep machine's observations
//! with three analyses: the affine one, its simple mode (Coutinho's divergence analysis), and LLVM's own. Of those that
//! the affine one calls divergent, some are uniform by a condition that held in all of the launches.
//!
//! Source: Coutinho 2011, section 4.3: 34 % of the branches that its analysis called divergent never split.

use serde::Serialize;
use std::fmt::Write;
use warpwise::map::conditions::KernelConditions;
use warpwise_analysis::counts::condition::Launch;
use warpwise_analysis::divergence::hypothesis::conditions_in;
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_ir::entity::Block;
use warpwise_ir::llvm::compare::divergent_blocks;
use warpwise_ir::llvm::image::ModuleImage;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_ir::phrase::percent;
use warpwise_oracle::simt::DivergenceMap;

/// The analyses, in the order of [`Row::said`].
pub const ANALYSES: [&str; 3] = ["affine", "simple", "LLVM"];

/// What an analysis says about the executed branches of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Said {
    /// Number of branches that it calls divergent.
    pub divergent: u32,
    /// Number of those that never split.
    pub never_split: u32,
    /// Number of branches that it calls uniform and that split.
    pub mistakes: u32,
}

/// A function that was executed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Row {
    pub name: String,
    /// Number of conditional branches and switches that were executed.
    pub met: u32,
    /// Number of those that split.
    pub split: u32,
    pub said: [Said; 3],
    /// Number of branches that the affine analysis calls divergent, that never split, and that it calls uniform under a
    /// condition which held in every launch.
    pub uniform_as_launched: u32,
    /// Number of branches that split although such a condition held: errors of the analysis.
    pub split_against_condition: u32,
}

impl Row {
    /// How many branches that the affine analysis calls divergent no condition explains, and how many of those never
    /// split.
    pub fn left(&self) -> [u32; 2] {
        [self.said[0].divergent, self.said[0].never_split].map(|count| count - self.uniform_as_launched)
    }
    /// Number of branches that split although the affine analysis calls them uniform, as such or for these launches.
    pub fn mistakes(&self) -> u32 {
        self.said[0].mistakes + self.split_against_condition
    }
}

/// Examines every function of a module in which a branch was executed. `launches` are those that were observed, each with
/// the symbol of its kernel.
pub fn rows(
    module: &OwnedModule,
    image: &ModuleImage,
    seen: &DivergenceMap,
    launches: &[(String, Launch)],
) -> Result<Vec<Row>, String> {
    let handle = module.handle();
    let bodies: Vec<_> = handle.functions().filter(|function| !function.is_declaration()).collect();
    let llvm = divergent_blocks(module)?;
    let ours = [Options::default(), Options { simple: true, ..Options::default() }]
        .map(|options| ModuleAnalysis::new(handle, options));
    let branches = seen.branches(image);
    let mut rows = Vec::new();
    for (function, blocks) in bodies.iter().zip(&llvm) {
        let name = function.name();
        let met: Vec<_> = branches.iter().filter(|branch| branch.function == name && branch.taken.len() > 1).collect();
        let Some(body) = image.functions.iter().find(|body| body.name == name).filter(|_| !met.is_empty()) else {
            continue;
        };
        let [affine, simple] = ours.each_ref().map(|analysis| analysis.facts(*function));
        let known = conditions_in(&ours[0], &affine.0, &affine.1);
        let known = KernelConditions::of(&affine.0.func, *function, &known);
        let own = || launches.iter().filter(|(kernel, _)| *kernel == name).map(|(_, launch)| launch);
        let held_always = |&number: &u32| {
            let predicate = &known.list[number as usize].predicate;
            own().next().is_some() && own().all(|launch| predicate.holds(launch) == Some(true))
        };
        let mut row = Row { name: name.clone(), ..Row::default() };
        for branch in met {
            let index = body.block_of(branch.inst);
            let splits = branch.splits > 0;
            row.met += 1;
            row.split += u32::from(splits);
            let block = Block::from_u32(index);
            let divergent =
                [affine.0.is_divergent_branch(block), simple.0.is_divergent_branch(block), blocks[index as usize]];
            let explained = divergent[0] && known.of_branch(block).iter().any(held_always);
            row.uniform_as_launched += u32::from(explained && !splits);
            row.split_against_condition += u32::from(explained && splits);
            for (said, divergent) in row.said.iter_mut().zip(divergent) {
                said.divergent += u32::from(divergent);
                said.never_split += u32::from(divergent && !splits);
                said.mistakes += u32::from(!divergent && splits);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The sum of rows.
pub fn total(rows: &[Row]) -> Row {
    let mut total = Row { name: "all".to_owned(), ..Row::default() };
    for row in rows {
        total.met += row.met;
        total.split += row.split;
        total.uniform_as_launched += row.uniform_as_launched;
        total.split_against_condition += row.split_against_condition;
        for (sum, said) in total.said.iter_mut().zip(row.said) {
            sum.divergent += said.divergent;
            sum.never_split += said.never_split;
            sum.mistakes += said.mistakes;
        }
    }
    total
}

/// The rows and their sum as a Markdown table.
pub fn table(rows: &[Row]) -> String {
    let mut text = "| function | branches met | split |".to_owned();
    for name in ANALYSES {
        let _ = write!(text, " {name}: divergent | never split | uniform, and split |");
    }
    text += " affine: uniform by a condition that held | left | of these never split |";
    text += "\n|---|---|---|";
    text += &"---|".repeat(3 * ANALYSES.len() + 3);
    text.push('\n');
    for row in rows.iter().chain([&total(rows)]) {
        let _ = write!(text, "| {} | {} | {} |", row.name, row.met, row.split);
        for said in row.said {
            let share = percent(said.never_split.into(), said.divergent.into());
            let _ = write!(text, " {} | {} ({share:.0} %) | {} |", said.divergent, said.never_split, said.mistakes);
        }
        let [left, never_split] = row.left();
        let share = percent(never_split.into(), left.into());
        let _ = write!(text, " {} | {left} | {never_split} ({share:.0} %) |", row.uniform_as_launched);
        text.push('\n');
    }
    text
}
