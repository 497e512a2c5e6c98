//! fuse-branches: how is work that both sides of a divergent branch do alike executed only once?
//!
//! A warp whose lanes diverge at an if-then-else executes both sides one after the other. Melded, the sides execute
//! together: one instruction in place of one on each side, a select where their operands differ, and a guard around
//! what they do not share.
//!
//! ```text
//! region     which blocks of the sides correspond
//!  └ matching   which instructions can be one, and what must be selected then   (legality: which must not be touched)
//!     └ align      the best alignment of two sequences
//!        └ pairing    what is melded, lifted, guarded in one pair of blocks
//!           └ schedule   in which order
//! switch     two alike targets of a switch, as sides
//! plan       the plan of one branch, its numbers (cost), and whether it pays
//!  ├ machine    what ptxas and LLVM make of the sides without us
//!  ├ splits     how likely a branch splits a warp
//!  ├ weight     how often a warp that splits executes the blocks of the sides
//!  └ reject     why a branch is left unchanged
//! apply      the edits
//! convert    which trees of short sides are executed without branches; before anything is melded
//!  └ sinking    what in front of a tree LLVM would move into one of its ways
//! ```
//!
//! A round plans all divergent branches that do not overlap, innermost first, and applies the plans.
//! It is repeated with fresh facts until nothing is left to do, or [`ROUNDS`] or [`MAX_LOOKED_AT`] is reached. Uniform
//! branches are never touched, which the facts decide. Facts are expensive; a function in which no branch has a plan
//! even if its lanes diverge is therefore not solved at all, unless remarks are wanted.
//!
//! In clang's pipelines nothing cleans up afterwards, and a function in which nothing is melded must not change. So the
//! pass manager's side [reshapes](Reshape) only functions in which something is. The pass runs at several points of these
//! pipelines, so a function whose own code has nothing to meld is [noted](PassManager::note_nothing), and skipped until it
//! changes or LLVM has inlined everything.
//!
//! Coutinho 2011, chapter 6, fuses straight-line sides; DARM (Saumya, Sundararajah, Kulkarni, CGO 2022) fuses sides
//! with control flow. Ours are the walk that pairs blocks (any shape as far as both sides agree, several exits,
//! different conditions at the end of both sides), scheduling instead of keeping the order, and the costs.

mod align;
mod apply;
mod apply_convert;
mod apply_records;
mod convert;
mod legality;
mod machine;
mod matching;
mod pairing;
mod plan;
mod region;
mod reject;
mod schedule;
mod sinking;
mod splits;
mod switch;
mod weight;

use crate::analyses::{Analyses, FunctionAnalyses, Kept};
use crate::driver;
use crate::recursion::is_left_alone;
use crate::settings::enabled::is_annotated_off;
use crate::settings::{Results, Settings, Transform};
use convert::Tree;
use legality::Kinds;
use pairing::{Context, pins};
pub use plan::Visits;
use plan::{FusePlan, Scratch};
use reject::FuseReject;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::rc::Rc;
use warpwise_analysis::contraction::raw::Pins;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::cost::issue::Costs;
use warpwise_analysis::counts::Feedback;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::chip::MAX_REGISTERS;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::pressure::Pressure;
use warpwise_analysis::pressure::intervals::at_most;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Block;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::remark::{Kind, PassManager, Reshape};

/// The word of its switch.
const WORD: &str = Transform::Fuse.word();

/// Number of blocks of the smallest function with a branch to be fused: the branch, a side, and where they meet.
const MIN_BLOCKS: u32 = 3;

/// Maximum number of rounds for a function: nests up to this depth are melded from the inside out.
const ROUNDS: usize = 12;

/// Maximum number of instructions examined in all rounds together, unless the first round alone takes more. clang's
/// pipeline runs the pass several times, so the next run takes what is left in a large function.
const MAX_LOOKED_AT: usize = 12_000;

/// Whether a function has any branch; a cheap test, since many small functions have none.
pub fn has_branch(function: Function<'_>) -> bool {
    function.blocks().filter_map(|block| block.terminator()).any(|end| end.successors().take(2).count() == 2)
}

fn has_inlining_to_come(function: Function<'_>) -> bool {
    function.callees().any(Function::is_always_inlined)
}

/// The pass.
pub struct Fuse<'a> {
    settings: &'a Settings,
    /// The counts of an earlier run.
    map: Option<Rc<Feedback>>,
    kinds: Kinds,
    manager: &'a PassManager<'a>,
    /// Whether the pass manager can bring a function into shape.
    reshapes: bool,
    /// Whether LLVM is still to find out what loads return.
    is_early: bool,
}

impl<'a> Fuse<'a> {
    /// The pass with these settings and the counts of an earlier run, outside clang's pipelines.
    pub fn new(settings: &'a Settings, map: Option<Rc<Feedback>>, manager: &'a PassManager<'a>) -> Fuse<'a> {
        Fuse { settings, map, kinds: Kinds::default(), manager, reshapes: false, is_early: false }
    }

    /// Runs the pass over a module; returns whether it changed.
    pub fn run(&self, module: Module<'_>) -> bool {
        let mut changed = false;
        let mut analyses = Analyses::new(module, self.settings.analysis());
        let functions = module.functions().filter(|&function| self.may_look_at(function));
        let functions: Vec<Function<'_>> = functions.filter(|&function| has_branch(function)).collect();
        // more can be melded now than when a function was noted: LLVM has inlined, and what is joined is known
        for function in functions {
            let melded = self.meld(function, &mut analyses);
            if melded && self.reshapes {
                self.manager.reshape(function, Reshape::CleanUp);
            }
            changed |= melded;
        }
        changed
    }

    /// Runs the pass over a module in clang's pipeline; returns whether it changed.
    pub fn run_late(self, module: Module<'_>) -> bool {
        Fuse { reshapes: true, ..self }.run(module)
    }

    /// Runs the pass over one function in the middle of a pipeline; returns whether it changed. A function into which calls
    /// are still to be inlined is left for later, since what the calls return is not known yet and may be uniform; one that
    /// only this module can name, too, unless results may change: melding makes LLVM see later that it does not need a
    /// parameter, and then a caller's product that is passed to it meets another sum.
    pub fn run_early(self, function: Function<'_>) -> bool {
        if self.manager.has_nothing(function)
            || (self.settings.results == Results::Same && function.is_local())
            || is_annotated_off(function, WORD)
            || !self.may_look_at(function)
            || has_inlining_to_come(function)
        {
            return false;
        }
        let fuse = Fuse { reshapes: true, is_early: true, ..self };
        let mut analyses = Analyses::new(function.module(), fuse.settings.analysis());
        fuse.meld(function, &mut analyses)
    }

    /// Whether the pass may plan for a function, and that has blocks to be melded.
    fn may_look_at(&self, function: Function<'_>) -> bool {
        function.block_count() >= MIN_BLOCKS && driver::may_look_at(function, WORD, self.manager)
    }

    /// Runs the pass over one function; returns whether it changed.
    fn meld<'m>(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> bool {
        let manager = self.manager;
        let known = analyses.of(function);
        let mut looked = Some(self.look(known, manager.wants(Kind::Missed)));
        let has_plans = looked.iter().flatten().any(|work| !work.plans.is_empty());
        let mut changed = false;
        if has_plans || !self.trees(known).is_empty() {
            if is_left_alone(function, manager) {
                return false;
            }
            changed = self.pin(function, analyses);
            changed |= self.convert(function, analyses);
            looked = looked.filter(|_| !changed);
        }
        for round in 0..ROUNDS {
            let mut again = false;
            let plan = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
                let known = analyses.of(function);
                let found = looked.take().unwrap_or_else(|| self.look(known, manager.wants(Kind::Missed)));
                let has_nothing = found
                    .as_ref()
                    .is_none_or(|work| work.is_hopeless || work.plans.is_empty() && stands_alone(known.outline()));
                if self.reshapes && !changed && has_nothing {
                    manager.note_nothing(function);
                }
                let mut work = found?;
                let (facts, handles) = known.facts_and_handles();
                let planned = work.plans.len();
                work.plans.retain(|plan| {
                    let message = || format!("divergent branch fused: {}", plan.numbers);
                    admits(facts, handles, plan.entry, "BranchFused", message, manager)
                });
                let looked_at = (round + 2) * facts.func.insts.len();
                again = planned > 0
                    && work.plans.len() == planned
                    && work.is_unfinished()
                    && round + 1 < ROUNDS
                    && looked_at <= MAX_LOOKED_AT;
                if !again {
                    report_rejects(facts, handles, &work, manager);
                }
                Some(work.plans).filter(|plans| !plans.is_empty())
            };
            let apply = |function, plans: Vec<FusePlan>, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>| {
                let (facts, handles) = analyses.of(function).facts_and_handles();
                plans.iter().for_each(|plan| apply::apply(editor, &facts.func, handles, plan));
                Some((function, kept(facts)))
            };
            changed |= !driver::run_phase([function], analyses, plan, apply).is_empty();
            if !again {
                break;
            }
        }
        // others do not need the facts
        analyses.edited(function, Kept::Callees);
        changed
    }

    /// Writes out [what is joined](pins) in a function of which a branch is going to go; returns whether it has changed.
    fn pin<'m>(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> bool {
        let plan = |&function: &Function<'m>, _: &mut Analyses<'m>| {
            pins(self.settings, self.is_early, function).filter(|pins| !pins.is_empty())
        };
        let apply = |function, pins: Vec<Pins<'m>>, _: &mut Analyses<'m>, editor: &mut Editor<'m>| {
            pins.iter().for_each(|pins| pins.apply(editor));
            Some((function, Kept::Callees))
        };
        !driver::run_phase([function], analyses, plan, apply).is_empty()
    }

    /// The trees of short sides to be converted in a function.
    fn trees(&self, known: &mut FunctionAnalyses<'_>) -> Vec<Tree> {
        let frequencies = &known.frequencies();
        let context = self.context(known.outline(), &known.handles, frequencies);
        let mut trees = convert::candidates(known.outline(), &context);
        if !trees.is_empty() {
            let (facts, handles) = known.facts_and_handles();
            let context = self.context(facts, handles, frequencies);
            trees.retain(|tree| convert::lanes_part(facts, &context, tree));
        }
        trees
    }

    /// Converts the trees of short sides in a function; returns whether it has changed.
    fn convert<'m>(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> bool {
        let plan = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
            let known = analyses.of(function);
            let mut trees = self.trees(known);
            let (facts, handles) = known.facts_and_handles();
            trees.retain(|tree| {
                let message = || format!("divergent branches converted to selects: {tree}");
                admits(facts, handles, tree.entry, "BranchesConverted", message, self.manager)
            });
            Some(trees).filter(|trees| !trees.is_empty())
        };
        let apply = |function, trees: Vec<_>, analyses: &mut Analyses<'m>, editor: &mut Editor<'m>| {
            let (facts, handles) = analyses.of(function).facts_and_handles();
            trees.iter().for_each(|tree| apply_convert::apply(editor, &facts.func, handles, tree));
            Some((function, kept(facts)))
        };
        !driver::run_phase([function], analyses, plan, apply).is_empty()
    }

    /// Plans and refusals for a function; `None` if there is nothing to do or to report.
    fn look(&self, known: &mut FunctionAnalyses<'_>, is_told: bool) -> Option<Work> {
        let frequencies = &known.frequencies();
        let mut tried = Tried::default();
        let context = self.context(known.outline(), &known.handles, frequencies);
        let is_hopeless = !tried.could_meld(known.outline(), &context);
        if is_hopeless && !is_told {
            return None;
        }
        let (facts, handles) = known.facts_and_handles();
        let mut work = plans(facts, &self.context(facts, handles, frequencies), tried);
        if !self.settings.fuse_profit.is_always() {
            refuse_pressure(facts, self.settings.regs, &mut work);
        }
        Some(Work { is_hopeless, ..work })
    }

    fn context<'s, 'm>(
        &'s self,
        outline: &'s Outline,
        handles: &'s Handles<'m>,
        frequencies: &'s Frequencies<'m>,
    ) -> Context<'s, 'm> {
        let Fuse { settings, ref kinds, is_early, .. } = *self;
        let (costs, map) = (Costs::of(handles.function), self.map.as_deref());
        let keeps = OnceCell::new();
        Context { func: &outline.func, handles, kinds, costs, frequencies, settings, map, is_early, keeps }
    }
}

/// What still holds after a function was edited.
fn kept(facts: &Facts) -> Kept {
    // lanes that made a call one after the other now make it together, so the arguments of callees may differ
    if calls_functions(facts) { Kept::Nothing } else { Kept::Callees }
}

/// Whether the facts of a function follow from its own code alone.
fn stands_alone(outline: &Outline) -> bool {
    outline.func.is_kernel && !calls_functions(outline)
}

fn calls_functions(outline: &Outline) -> bool {
    outline.func.calls.iter().any(|call| matches!(call.callee, Callee::Function(_)))
}

/// Plans of branches on the assumption that their lanes diverge, each with the blocks it depends on.
#[derive(Default)]
struct Tried {
    scratch: Scratch,
    results: FxHashMap<Block, (Result<FusePlan, FuseReject>, Vec<Block>)>,
}

impl Tried {
    /// Tries branches until one can be melded; returns whether there is one.
    fn could_meld(&mut self, outline: &Outline, context: &Context<'_, '_>) -> bool {
        let order = outline.cfg().order.rpo();
        order.iter().filter(|&&block| outline.func.graph.is_branch(block)).any(|&block| {
            let found = self.take(outline, context, block);
            let is_plan = found.0.is_ok();
            self.results.insert(block, found);
            is_plan
        })
    }

    /// The plan of a branch; made now if it was not tried before.
    fn take(
        &mut self,
        outline: &Outline,
        context: &Context<'_, '_>,
        block: Block,
    ) -> (Result<FusePlan, FuseReject>, Vec<Block>) {
        self.results.remove(&block).unwrap_or_else(|| {
            let result = plan::plan(outline, context, block, &mut self.scratch);
            (result, std::mem::take(&mut self.scratch.looked))
        })
    }
}

/// The result of examining a function once.
#[derive(Default)]
struct Work {
    /// Plans of branches that share no block, inner ones first.
    plans: Vec<FusePlan>,
    /// The refusals of all other branches, each with the blocks it depends on.
    rejects: Vec<(Block, FuseReject)>,
    looked: Vec<Vec<Block>>,
    /// Whether some plan must wait for others to be applied.
    waits: bool,
    /// Whether there would be no plan even if the lanes of every branch diverged.
    is_hopeless: bool,
}

impl Work {
    /// Blocks whose code the plans change or remove.
    fn core(&self) -> FxHashSet<Block> {
        self.plans.iter().flat_map(|plan| plan.core.iter().copied()).collect()
    }

    /// Whether applying the plans may change the result for another branch, or creates branches that could be fused.
    fn is_unfinished(&self) -> bool {
        let core = self.core();
        self.waits
            || self.plans.iter().any(FusePlan::makes_branches)
            || self.looked.iter().flatten().any(|block| core.contains(block))
    }
}

/// What the plans made so far will do to blocks.
#[derive(Default)]
struct Claims {
    core: FxHashSet<Block>,
    exits: FxHashSet<Block>,
    /// Entries to which plans only append.
    entries: FxHashSet<Block>,
    has_switch: bool,
}

impl Claims {
    /// Whether a plan can be applied together with the others. Plans may meet where one ends and another begins, or
    /// where both end, since phis precede everything that is appended.
    fn admit(&self, plan: &FusePlan) -> bool {
        // a second switch would have to know the control flow that the first one leaves
        let begins = |block: &Block| !plan.of_switch && *block == plan.entry;
        let fits =
            plan.core.iter().all(|block| !self.core.contains(block) && (begins(block) || !self.exits.contains(block)));
        let ends = |block: &Block| !self.core.contains(block) || self.entries.contains(block);
        fits && plan.exits.iter().all(ends) && !(plan.of_switch && self.has_switch)
    }

    fn add(&mut self, plan: &FusePlan) {
        self.core.extend(&plan.core);
        self.exits.extend(&plan.exits);
        if plan.of_switch {
            self.has_switch = true;
        } else {
            self.entries.insert(plan.entry);
        }
    }
}

/// Plans of branches, and the refusals of all others.
fn plans(facts: &Facts, context: &Context<'_, '_>, mut tried: Tried) -> Work {
    let mut work = Work::default();
    let mut claims = Claims::default();
    // in reverse order, since the inside of a side comes after the branch
    for &block in facts.cfg().order.rpo().iter().rev().filter(|&&block| facts.is_divergent_branch(block)) {
        let (plan, looked) = tried.take(facts, context, block);
        match plan.and_then(|plan| plan::lanes_part(facts, context, plan)) {
            Ok(plan) if claims.admit(&plan) => {
                claims.add(&plan);
                work.plans.push(plan);
            }
            // overlaps another plan: it is tried again with fresh facts
            Ok(_) => work.waits = true,
            Err(reject) => {
                work.rejects.push((block, reject));
                work.looked.push(looked);
            }
        }
    }
    work.rejects.reverse();
    work
}

/// Up to this many instructions, the pressure of a function is computed without first checking whether it can matter.
const MAX_MEASURED: usize = 4000;

/// Removes the plans that would need more registers than are available. A melded block keeps at most as much live as
/// both sides did, less what they share.
fn refuse_pressure(facts: &Facts, registers: Option<u32>, work: &mut Work) {
    let Work { plans, rejects, .. } = work;
    if plans.is_empty() {
        return;
    }
    let budget = register_budget(registers, &facts.geometry).unwrap_or(MAX_REGISTERS);
    if facts.func.insts.len() > MAX_MEASURED && at_most(facts) <= budget {
        return;
    }
    let pressure = Pressure::new(facts);
    let mut everything = pressure.everything();
    let mut of = |block: Block| pressure.of_block(facts, block, &mut everything);
    plans.retain_mut(|plan| {
        let pairs = plan.pairs.iter().map(|pair| {
            let [t, f] = pair.sides;
            let units = |block: Block, other: Block| -> u32 {
                let elsewhere: FxHashSet<_> = pressure.live_into(facts, other).into_iter().collect();
                let alone = pressure.live_into(facts, block).into_iter().filter(|value| !elsewhere.contains(value));
                alone.map(|value| pressure.units(value)).sum()
            };
            (of(t).max(of(f)), of(t).max(of(f)) + units(t, f).min(units(f, t)))
        });
        let (before, after) = pairs.fold((0, 0), |all, pair| (all.0.max(pair.0), all.1.max(pair.1)));
        plan.numbers.registers = [before, after];
        let fits = after <= budget || before > budget;
        if !fits {
            rejects.push((plan.entry, FuseReject::Pressure(plan.numbers, budget)));
        }
        fits
    });
}

/// Whether a plan for a branch is carried out; says so.
fn admits(
    facts: &Facts,
    handles: &Handles<'_>,
    entry: Block,
    name: &str,
    message: impl Fn() -> String,
    manager: &PassManager<'_>,
) -> bool {
    let branch = handles.inst(facts.func.terminator(entry));
    driver::admits(handles.function, Some(branch), name, message, manager)
}

/// Reports the branches that the plans leave unchanged. clang's pipeline runs the pass several times, and unrolling
/// copies branches, so each source location is reported once. Of an `if` without `else` nothing is said unless all is
/// asked for: every kernel has some, and nothing can be done about them.
fn report_rejects(facts: &Facts, handles: &Handles<'_>, work: &Work, manager: &PassManager<'_>) {
    if !manager.wants(Kind::Missed) {
        return;
    }
    let core = work.core();
    let is_told = |reject: &FuseReject| *reject != FuseReject::OneSided || manager.tells_everything();
    let rejects = work.rejects.iter().filter(|(block, reject)| !core.contains(block) && is_told(reject));
    for (block, reject) in rejects {
        let branch = handles.inst(facts.func.terminator(*block));
        let message = format!("divergent branch not fused: {reject}");
        manager.emit(Kind::Missed, handles.function, Some(branch), reject.name(), &message);
    }
}
