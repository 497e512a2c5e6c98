//! Does a kernel compute the same after our passes? The driver for transforms.
//!
//! Each pipeline is run as `opt` with the plugin would run it. The kernel as generated, in lockstep, defines the
//! correct memory. The transformed kernel must leave the same memory in lockstep, under both reconvergence rules, and
//! under schedules of the independent scheduler, without a race in any of them. `{block}` in a pipeline is replaced by
//! the block of the launch, as `block=` takes it; the module is then transformed once for each launch.

use super::claims;
use super::drive::{Failure, Plan, Runner, Tally, Trouble, inputs, load};
use super::launch::{Geometry, Launch};
use crate::check::debug_info::{Kept, check as check_debug_info};
use crate::llvm::image::{ModuleImage, import};
use crate::llvm::optimise::transform;
use crate::llvm::owned::OwnedModule;
use crate::simt::{LaunchConfig, Machine, Reconvergence, Scheduler};

/// Placeholder for the block of the launch.
const BLOCK: &str = "{block}";

/// Runs the kernel of `text` before and after each pipeline of the plan.
pub(super) fn check(text: &str, launch: &Launch, plan: &Plan) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let image = import(load(text)?.handle(), super::KERNEL);
    let inputs = inputs(launch);
    for pipeline in &plan.passes {
        let mut once = None;
        for &geometry in &launch.geometries {
            if once.is_none() || pipeline.contains(BLOCK) {
                let passes = pipeline.replace(BLOCK, &shape(geometry));
                once = Some(after(text, &passes, pipeline, &mut tally)?);
                if plan.debug_info {
                    let kept = debug_info(text, &passes, pipeline)?;
                    tally.variables += kept.expected as u64;
                    tally.known += kept.known as u64;
                }
            }
            let Some((changed, module)) = once.as_ref().filter(|(changed, _)| *changed || plan.only_claims) else {
                continue;
            };
            if plan.only_claims {
                let checked = claims::check(module, launch, &[geometry], plan.schedules)
                    .map_err(|failure| Failure { stage: format!("{} after {pipeline}", failure.stage), ..failure })?;
                tally.launches += checked.launches;
                tally.lane_steps += checked.lane_steps;
                tally.claims += checked.claims;
                continue;
            }
            debug_assert!(changed);
            let mut runner = Runner { launch, inputs: &inputs, geometry, races: plan.races, tally: &mut tally };
            let before = Machine::new(&image);
            let expected = runner.run(&before, "lockstep", |_| {})?;
            let transformed: ModuleImage = import(module.handle(), super::KERNEL);
            let machine = Machine::new(&transformed);
            let stage = format!("after {pipeline}");
            runner.compare(&expected, &machine, &stage, |_| {})?;
            let post_dominators = |config: &mut LaunchConfig| config.reconvergence = Reconvergence::PostDominator;
            let later = runner.compare(&expected, &machine, &format!("{stage}, post-dominators"), post_dominators);
            // if the original fails under the later rule, too, the pass is not to blame
            if later.is_err() && runner.run(&before, "post-dominators", post_dominators).is_ok() {
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

/// The module after the pipeline, and whether that changed it.
fn after(text: &str, passes: &str, pipeline: &str, tally: &mut Tally) -> Result<(bool, OwnedModule), Failure> {
    let module = load(text)?;
    let changed = transform(&module, passes).map_err(|e| Failure::module(&format!("after {pipeline}"), e))?;
    tally.transformed += u64::from(changed);
    Ok((changed, module))
}

/// The same with full debug information: none of it may be lost, and the code must be the same.
fn debug_info(text: &str, passes: &str, pipeline: &str) -> Result<Kept, Failure> {
    let run = |text: &str| {
        let module = OwnedModule::from_text(text, super::KERNEL).map_err(|e| e.to_string())?;
        transform(&module, passes).map(|_| module)
    };
    let of_llvm = passes.contains("default<") || passes.contains("function(");
    let trouble =
        |text| Failure { trouble: Trouble::DebugInfo(text), ..Failure::module(&format!("after {pipeline}"), "") };
    check_debug_info(text, !of_llvm, run).map_err(trouble)
}

/// The block as `block=` takes it.
fn shape(geometry: Geometry) -> String {
    let [x, y, z] = geometry.block;
    format!("{x}x{y}x{z}")
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Plan, mode_of, run};
    use super::super::{Knobs, Launch};

    fn plan(passes: &[&str]) -> Plan {
        Plan { passes: passes.iter().map(|&p| p.to_owned()).collect(), ..Plan::default() }
    }

    /// A few kernels of every mode; `warpwise fuzz run --passes …` does more.
    #[test]
    fn transforms_keep_what_kernels_compute() {
        let plan = plan(&["annotate-uniform<block={block}>", "default<O2>,fuse-branches", "steer-spills<regs=24>"]);
        let mut transformed = 0;
        for seed in 0..56 {
            let knobs = Knobs::of_mode(mode_of(seed));
            match run(seed, &knobs, &plan) {
                Ok(tally) => transformed += tally.transformed,
                Err(failure) => panic!("seed {seed} mode {}: {failure}", knobs.mode.name()),
            }
        }
        assert!(transformed > 56, "{transformed}");
    }

    #[test]
    fn transforms_keep_debug_information() {
        let passes = ["annotate-uniform<block={block}>", "fuse-branches<always>", "steer-spills<regs=24>"];
        let plan = Plan { debug_info: true, schedules: 0, races: false, ..plan(&passes) };
        for seed in 0..28 {
            let knobs = Knobs::of_mode(mode_of(seed));
            if let Err(failure) = run(seed, &knobs, &plan) {
                panic!("seed {seed} mode {}: {failure}", knobs.mode.name());
            }
        }
    }

    #[test]
    fn a_pass_that_breaks_the_kernel_is_told() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @kernel(ptr %out) {
  store i32 1, ptr %out, align 4
  ret void
}
";
        let launch = "; launch: 1,1,1 1,1,1\n; arg: i32[4]:zero\n";
        let launch = Launch::from_comments(launch).unwrap_or_else(|e| panic!("{e}"));
        let failure = super::check(text, &launch, &plan(&["strip-nonlinetable-debuginfo,function(dce)"]));
        assert!(failure.is_ok(), "{failure:?}");
        let failure = super::check(text, &launch, &plan(&["no-such-pass"])).expect_err("there is none");
        assert_eq!(failure.trouble.kind(), "Module", "{failure}");
    }
}
