//! Does a kernel compute the same after our passes? The driver for transforms.
//!
//! Each pipeline is run as `opt` with the plugin would run it. The kernel as generated, in lockstep, defines the
//! correct memory. The transformed kernel must leave the same memory in lockstep, under both reconvergence rules, and
//! under schedules of the independent scheduler, without a race in any of them, unless LLVM's part of the pipeline alone
//! makes one. `{block}` in a pipeline is replaced by the block of the launch, as `block=` takes it; the module is then
//! transformed once for each launch. If the last pass is `divergence-map`, its counters must equal what the machine saw. If
//! the launch runs a version of the kernel, the kernel itself must compute the same, too; so must every alternative of a
//! kernel that is to be measured.

use super::claims;
use super::drive::{Failure, Plan, Plugin, Runner, Tally, config, inputs, load};
use super::launch::Launch;
use crate::check::recount;
use crate::simt::{DivergenceMap, LaunchConfig, Machine, Nobody, Reconvergence, Scheduler, versions};
use warpwise_ir::llvm::image::import;
use warpwise_ir::llvm::optimise::optimise;

/// Placeholder for the block of the launch.
const BLOCK: &str = "{block}";
/// The kind of trouble that a race is.
const RACE: &str = "Race";

/// Runs the kernel of `text` before and after each pipeline of the plan.
pub(super) fn check(text: &str, launch: &Launch, plan: &Plan) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let image = import(load(text)?.handle(), super::KERNEL);
    let inputs = inputs(launch);
    for pipeline in &plan.passes {
        let stage = format!("after {pipeline}");
        let mut once = None;
        for &geometry in &launch.geometries {
            if once.is_none() || pipeline.contains(BLOCK) {
                // the block as `block=` takes it
                let [x, y, z] = geometry.block;
                let passes = pipeline.replace(BLOCK, &format!("{x}x{y}x{z}"));
                let module = load(text)?;
                let changed = (plan.plugin.run)(&module, &passes).map_err(|e| Failure::module(&stage, e))?;
                tally.transformed += u64::from(changed);
                once = Some((changed, module));
            }
            let Some((changed, module)) = once.as_ref().filter(|(changed, _)| *changed || plan.only_claims) else {
                continue;
            };
            if plan.only_claims {
                tally += claims::check(module, launch, &[geometry], plan.schedules)
                    .map_err(|failure| Failure { stage: format!("{} {stage}", failure.stage), ..failure })?;
                continue;
            }
            debug_assert!(changed);
            let mut runner = Runner { launch, inputs: &inputs, geometry, races: plan.races, tally: &mut tally };
            let before = Machine::new(&image);
            let expected = runner.run(&before, "lockstep", |_| {}, &mut Nobody)?;
            let transformed = import(module.handle(), super::KERNEL);
            let machine = Machine::new(&transformed);
            let versions = runner.tally.versions;
            if let Err(failure) = runner.compare(&expected, &machine, &stage, |_| {}) {
                if failure.kind != RACE || !races_without_ours(text, pipeline, &mut runner)? {
                    return Err(failure);
                }
                runner.races = false;
                runner.compare(&expected, &machine, &stage, |_| {})?;
            }
            if runner.tally.versions > versions {
                runner
                    .compare(&expected, &machine, &format!("{stage}, no version"), |config| config.versions = false)?;
            }
            let alternatives = machine.kernel(None).map_or(0, |kernel| versions::alternatives(&transformed, kernel));
            for number in 1..=alternatives {
                let stage = format!("{stage}, alternative {number}");
                runner.compare(&expected, &machine, &stage, |config| config.alternative = Some(number))?;
                for seed in 1..=plan.schedules {
                    runner.compare(&expected, &machine, &format!("{stage}, independent {seed}"), |config| {
                        config.alternative = Some(number);
                        config.scheduler = Scheduler::Independent(seed);
                    })?;
                }
            }
            if counts(plan.plugin, pipeline) {
                let mut seen = DivergenceMap::default();
                let report = runner.run(&machine, &stage, |_| {}, &mut seen)?;
                let launch = recount::launch_of(&config(launch, geometry), runner.inputs);
                recount::compare(&transformed, &seen, &launch, &report)
                    .map_err(|error| Failure::new(Some(geometry), &stage, "Counters", error))?;
            }
            let post_dominators = |config: &mut LaunchConfig| config.reconvergence = Reconvergence::PostDominator;
            let later = runner.compare(&expected, &machine, &format!("{stage}, post-dominators"), post_dominators);
            // if the original fails under the later rule, too, the pass is not to blame
            if later.is_err() && runner.run(&before, "post-dominators", post_dominators, &mut Nobody).is_ok() {
                later?;
            }
            for seed in 1..=plan.schedules {
                runner.compare(&expected, &machine, &format!("{stage}, independent {seed}"), |config| {
                    config.scheduler = Scheduler::Independent(seed);
                })?;
            }
        }
    }
    Ok(tally)
}

/// Whether LLVM's part of a pipeline alone makes a race: it may load early what another thread writes, if it drops the
/// value then.
fn races_without_ours(text: &str, pipeline: &str, runner: &mut Runner<'_>) -> Result<bool, Failure> {
    let parts: Vec<&str> = pipeline.split(',').filter(|part| part.starts_with("default<")).collect();
    if parts.is_empty() {
        return Ok(false);
    }
    let of_llvm = parts.join(",");
    let stage = format!("after {of_llvm}");
    let module = load(text)?;
    optimise(&module, &of_llvm).map_err(|e| Failure::module(&stage, e))?;
    let image = import(module.handle(), super::KERNEL);
    let ran = runner.run(&Machine::new(&image), &stage, |_| {}, &mut Nobody);
    Ok(ran.is_err_and(|failure| failure.kind == RACE))
}

/// Whether branches are counted, and no pass changes them afterwards.
fn counts(plugin: Plugin, pipeline: &str) -> bool {
    let last = pipeline.rsplit(',').next().unwrap_or_default();
    last.split('<').next() == Some(plugin.counts)
}
