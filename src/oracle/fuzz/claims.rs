//! Do the claims of the analysis about a generated kernel hold in its launches? The fuzzer's interface to
//! [`crate::check`].

use super::KERNEL;
use super::drive::{Failure, Tally, config, inputs};
use super::launch::{Geometry, Launch};
use crate::check::{CheckError, Checker};
use crate::simt::{LaunchConfig, Scheduler};
use warpwise_ir::llvm::image::import;
use warpwise_ir::llvm::owned::OwnedModule;

/// Name of the stage in reports.
pub const STAGE: &str = "claims";

/// Checks some launches of a module with a kernel named [`KERNEL`], in lockstep and under this many independent schedules.
pub fn check(module: &OwnedModule, launch: &Launch, geometries: &[Geometry], schedules: u64) -> Result<Tally, Failure> {
    let image = import(module.handle(), KERNEL);
    let checker = Checker::new(module.handle(), &image);
    let inputs = inputs(launch);
    let mut tally = Tally::default();
    for &geometry in geometries {
        let schedulers = [Scheduler::Lockstep].into_iter().chain((1..=schedules).map(Scheduler::Independent));
        for scheduler in schedulers {
            let config = LaunchConfig { scheduler, ..config(launch, geometry) };
            let report = checker.run(Some(KERNEL), &config, &inputs).map_err(|error| match error {
                CheckError::Launch(error) => Failure::of_launch(geometry, STAGE, &error),
                CheckError::Mismatch(_) => Failure::new(Some(geometry), STAGE, "Module", error),
            })?;
            tally.launches += 1;
            tally.lane_steps += report.launch.lane_steps;
            tally.claims += report.compared;
            if !report.is_clean() {
                return Err(Failure::new(Some(geometry), STAGE, "Claim", report));
            }
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Plan, mode_of, run, varied_knobs};

    /// A fixed number of kernels in three launches each; `warpwise fuzz run --check` does more.
    #[test]
    fn claims_hold() {
        let plan = Plan { only_claims: true, schedules: 0, ..Plan::default() };
        let failures: Vec<String> = (0..KERNELS)
            .filter_map(|seed| {
                let failure = run(seed, &varied_knobs(seed, mode_of(seed)), &plan).err()?;
                Some(format!("seed {seed} mode {}: {failure}", mode_of(seed).name()))
            })
            .collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    /// Every mode and kind of knobs several times; a fraction of a minute without optimisation.
    const KERNELS: u64 = 480;
}
