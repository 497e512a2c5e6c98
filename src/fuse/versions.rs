//! Which kernels would be melded differently if more were known of their launches, and is that worth a version?
//!
//! What is not known when a kernel is compiled decides about some branches: one on `threadIdx.y` splits warps only in blocks
//! whose rows are short, one on `threadIdx.x / 32` only in blocks with several rows, and one on `threadIdx.x < 16` splits one
//! warp of a block, which is a large share of a small block. The host knows all of it at the launch. A kernel is therefore
//! planned again under each of a few [sets of facts](Case), if a branch has a plan or was refused for want of such a fact:
//!
//! | facts | asked for if | a version gains |
//! |---|---|---|
//! | `blockDim.x` at most 16, at least 32 threads | a branch was refused because it may not split along rows | what melding it saves |
//! | at most 64 threads | a branch was refused because it splits too few warps | what melding it saves |
//! | `blockDim.x` a multiple of 32; one dimension | a branch is melded | what warps lose by melding a branch that is uniform then |
//!
//! Gains are the expected cycles of the plans, times how often a warp comes to the branch. A version that gains at least
//! [`MELD_MIN_GAIN`] is made: a copy of the kernel as it is before anything is melded, in which the facts are true from
//! then on.

use super::plan::{FusePlan, expected_gain};
use super::reject::FuseReject;
use super::{Fuse, WORD, Work};
use crate::analyses::{Analyses, Kept};
use crate::driver::editable;
use crate::versions::{self, Version};
use rustc_hash::FxHashSet;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::gpu::prices::{FEW_THREADS, MELD_MAX_VERSIONS, MELD_MIN_GAIN};
use warpwise_ir::entity::Block;
use warpwise_ir::geometry::WARP_SIZE;
use warpwise_ir::launch_table::{Fact, say};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::Kind;

/// Launches of which more is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Case {
    ShortRows,
    SmallBlock,
    WholeWarps,
    OneRow,
}

impl Case {
    fn facts(self) -> Vec<Fact> {
        match self {
            Case::ShortRows => {
                vec![Fact::BlockAtMost { dim: 0, extent: WARP_SIZE / 2 }, Fact::ThreadsAtLeast(WARP_SIZE)]
            }
            Case::SmallBlock => vec![Fact::ThreadsAtMost(FEW_THREADS)],
            Case::WholeWarps => vec![Fact::BlockMultiple { dim: 0, of: WARP_SIZE }],
            Case::OneRow => [1, 2].map(|dim| Fact::BlockIs { dim, extent: 1 }).to_vec(),
        }
    }
}

/// A version that could be made, and the cycles that it saves a warp.
struct Candidate {
    case: Case,
    gain: f64,
}

/// Makes versions of the kernels of a module; returns whether there are any.
pub fn make(fuse: &Fuse<'_>, module: Module<'_>) -> bool {
    let mut analyses = Analyses::new(module, fuse.settings.analysis());
    let kernels: Vec<Function<'_>> =
        editable(module, WORD, fuse.manager).filter(|kernel| kernel.is_ptx_kernel()).collect();
    let mut changed = false;
    for kernel in kernels {
        if versions::entry_of(kernel).is_some() || !versions::all_of(kernel).is_empty() || kernel.block_count() < 3 {
            continue;
        }
        let mut candidates = candidates(fuse, kernel, &mut analyses);
        candidates.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        candidates.truncate(MELD_MAX_VERSIONS);
        for candidate in candidates {
            if make_one(fuse, kernel, candidate) {
                analyses.edited(kernel, Kept::Nothing);
                changed = true;
            }
        }
    }
    changed
}

/// Whether a kernel is left for later, because it may get a version and no function can be added to the module yet: what is
/// melded now is melded in its versions too.
pub fn must_wait<'m>(fuse: &Fuse<'_>, function: Function<'m>, analyses: &mut Analyses<'m>) -> bool {
    fuse.settings.makes_versions()
        && function.is_ptx_kernel()
        && versions::may_have_more(function)
        && candidates(fuse, function, analyses).iter().any(|Candidate { case, gain }| {
            matches!(case, Case::WholeWarps | Case::OneRow) && *gain >= MELD_MIN_GAIN as f64
        })
}

/// The versions of a kernel that gain anything.
fn candidates<'m>(fuse: &Fuse<'_>, kernel: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Candidate> {
    let known = analyses.of(kernel);
    let Some(work) = fuse.look(known, fuse.manager.wants(Kind::Missed)) else { return Vec::new() };
    let (geometry, frequencies) = (known.outline().geometry, known.frequencies());
    let was_refused = |wanted: fn(&FuseReject) -> bool| work.rejects.iter().any(|(_, reject)| wanted(reject));
    let is_open = geometry.exact.is_none() && geometry.rows.is_none();
    let mut cases = Vec::new();
    if is_open && was_refused(|reject| matches!(reject, FuseReject::AlongRows)) {
        cases.push(Case::ShortRows);
    }
    if geometry.thread_bound() > FEW_THREADS && was_refused(|reject| matches!(reject, FuseReject::RarelySplits(..))) {
        cases.push(Case::SmallBlock);
    }
    if is_open && !work.plans.is_empty() {
        cases.extend([Case::WholeWarps, Case::OneRow]);
    }
    let mut found: Vec<Candidate> = Vec::new();
    for case in cases {
        let mut known = analyses.under(kernel, &case.facts());
        let Some(then) = fuse.look(&mut known, false) else { continue };
        let gain = gain(&work, &then, known.facts(), &frequencies);
        // of two that gain the same for the same reason, the first is enough
        let is_known = case == Case::OneRow && found.iter().any(|known| known.gain >= gain);
        if gain > 0.0 && !is_known {
            found.push(Candidate { case, gain });
        }
    }
    found
}

/// What the plans for some launches, of which these facts hold, save more than those for all, in cycles of a warp.
fn gain(work: &Work, then: &Work, facts: &Facts, frequencies: &Frequencies<'_>) -> f64 {
    let entries = |work: &Work| work.plans.iter().map(|plan| plan.entry).collect::<FxHashSet<Block>>();
    let (now, later) = (entries(work), entries(then));
    let visits = |plan: &FusePlan| frequencies.of(plan.entry);
    let new = then.plans.iter().filter(|plan| !now.contains(&plan.entry));
    let melded: f64 = new.map(|plan| visits(plan) * expected_gain(facts, plan).1).sum();
    let gone = work.plans.iter().filter(|plan| !later.contains(&plan.entry));
    let uniform = gone.filter(|plan| !facts.is_divergent_branch(plan.entry));
    let left: f64 = uniform.map(|plan| visits(plan) * f64::from(plan.numbers.risk)).sum();
    melded + left
}

fn make_one(fuse: &Fuse<'_>, kernel: Function<'_>, candidate: Candidate) -> bool {
    let Candidate { case, gain } = candidate;
    let (facts, manager) = (case.facts(), fuse.manager);
    let reason = match Version::at_launch(kernel, facts.clone()) {
        _ if gain < MELD_MIN_GAIN as f64 => {
            format!("it would save {gain:.1} cycles of a warp, and {MELD_MIN_GAIN} are worth a copy")
        }
        Err(reason) => reason.to_string(),
        Ok(mut version) => {
            let mut editor = Editor::new(kernel.module());
            let what = || format!("version for launches in which {}", say(&facts));
            let is_made = manager.admits(kernel, None, what) && version.copy(&mut editor).is_some();
            if is_made {
                version.finish(&format!("{gain:.0} cycles of a warp saved"), &mut editor, manager);
            }
            return is_made;
        }
    };
    versions::say_refused(kernel, &facts, &reason, manager);
    false
}
