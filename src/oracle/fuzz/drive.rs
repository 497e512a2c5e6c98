//! Do all ways of running a kernel leave the same memory behind? The differential driver.
//!
//! A generated kernel has no undefined behaviour, no data race and one correct result, so its final memory must be the
//! same
//!
//! 1. in lockstep, under either reconvergence rule,
//! 2. under the independent scheduler, for every seed,
//! 3. before and after any of LLVM's pipelines.
//!
//! A fault or a difference is a bug of the generator, of the machine, or (in 3, and rarely) of LLVM. [`claims`] checks
//! in addition
//!
//! 4. every claim of the analysis against every dynamic instance,
//!
//! and [`passes`] instead runs kernels before and after our own transforms.

use super::knobs::{Knobs, Mode};
use super::launch::{ArgSpec, Geometry, Launch};
use super::{KERNEL, generate};
use super::{claims, passes};
use crate::simt::{
    Arg, Bytes, Inputs, LaunchConfig, LaunchError, LaunchReport, Limits, Machine, Nobody, Observer, RaceCheck,
    Reconvergence, Scheduler,
};
use std::fmt;
use warpwise_ir::llvm::image::import;
use warpwise_ir::llvm::optimise::{optimise, transform};
use warpwise_ir::llvm::owned::OwnedModule;

/// LLVM's pipelines before and after which a kernel is run, unless others are given.
pub const PIPELINES: [&str; 3] = [
    "default<O2>",
    "sroa,early-cse,instcombine<no-verify-fixpoint>,jump-threading,gvn,simplifycfg",
    // loops in all shapes known to the optimiser (not fix-irreducible: LLVM 22's loses values of nested irreducible
    // cycles)
    "function(lower-switch,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),loop(indvars),loop-unroll)",
];
/// Maximum number of instructions of a warp or, independently scheduled, of a lane; generated kernels need thousands.
const STEPS: u64 = 20_000_000;

/// The plugin whose passes are tried.
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    /// Runs a pipeline on a module; returns whether it changed.
    pub run: fn(&OwnedModule, &str) -> Result<bool, String>,
    /// Name of the pass that counts branches.
    pub counts: &'static str,
}

/// None: LLVM's own passes.
impl Default for Plugin {
    fn default() -> Self {
        Plugin { run: |module, passes| transform(module, passes, None), counts: "" }
    }
}

/// Which comparisons to make.
#[derive(Clone, Debug)]
pub struct Plan {
    pub pipelines: Vec<String>,
    /// Number of schedules of the independent scheduler.
    pub schedules: u64,
    /// Whether to look for races on shared and global memory.
    pub races: bool,
    /// Whether to check the claims of the analysis.
    pub claims: bool,
    /// Whether to compare final memories; not if the results depend on the schedule or on undefined values.
    pub compare: bool,
    /// Whether to check the claims and nothing else.
    pub only_claims: bool,
    /// Pipelines that contain our passes: run before and after these, and make no other comparison.
    pub passes: Vec<String>,
    /// What runs them.
    pub plugin: Plugin,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            pipelines: PIPELINES.map(str::to_owned).to_vec(),
            schedules: 1,
            races: true,
            claims: true,
            compare: true,
            only_claims: false,
            passes: Vec::new(),
            plugin: Plugin::default(),
        }
    }
}

/// How much was run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub launches: u64,
    pub lane_steps: u64,
    /// Number of comparisons of a claim with one step.
    pub claims: u64,
    /// Number of modules that our passes changed.
    pub transformed: u64,
    /// Number of launches that ran a version of the kernel.
    pub versions: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.launches += more.launches;
        self.lane_steps += more.lane_steps;
        self.claims += more.claims;
        self.transformed += more.transformed;
        self.versions += more.versions;
    }
}

/// What went wrong, and at which stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub geometry: Option<Geometry>,
    /// The stage: `lockstep`, `independent 1`, `after default<O2>`, …
    pub stage: String,
    /// The kind in one word: `Module` if the module does not parse or verify, the optimiser rejected it, or it cannot be
    /// launched like this; a fault as the machine names it; `Differs` if the memory differs from that after plain
    /// lockstep; `Claim` if a claim of the analysis does not hold; `Counters` if those of the divergence map are not what
    /// the machine saw. Reduction of a kernel continues as long as kind and stage stay the same.
    pub kind: String,
    pub text: String,
}

impl Failure {
    pub(super) fn new(geometry: Option<Geometry>, stage: &str, kind: &str, text: impl fmt::Display) -> Self {
        Self { geometry, stage: stage.to_owned(), kind: kind.to_owned(), text: text.to_string() }
    }

    pub(super) fn module(stage: &str, text: impl fmt::Display) -> Self {
        Self::new(None, stage, "Module", text)
    }

    /// A launch that did not end normally.
    pub(super) fn of_launch(geometry: Geometry, stage: &str, error: &LaunchError) -> Self {
        let kind = match error {
            LaunchError::Request(_) => "Module".to_owned(),
            LaunchError::Fault(fault) => format!("{:?}", fault.kind),
        };
        let kind = kind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        Self::new(Some(geometry), stage, kind, error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage)?;
        if let Some(geometry) = self.geometry {
            write!(f, ", launch {geometry}")?;
        }
        write!(f, ": {}", self.text)
    }
}

impl std::error::Error for Failure {}

/// Generates the kernel of a seed and makes the comparisons.
pub fn run(seed: u64, knobs: &Knobs, plan: &Plan) -> Result<Tally, Failure> {
    let kernel = generate(seed, knobs);
    let mut plan = plan.clone();
    plan.compare &= !knobs.allow_poison && !knobs.schedule_dependent;
    check(&kernel.ir, &kernel.launch, &plan)
}

/// The mode for seed `n` in a run that cycles through all modes.
pub fn mode_of(seed: u64) -> Mode {
    Mode::ALL[(seed % Mode::ALL.len() as u64) as usize]
}

/// Knobs for checks that allow anything: every third kernel may have undefined values, every third of the rest values
/// that depend on the schedule.
pub fn varied_knobs(seed: u64, mode: Mode) -> Knobs {
    let mut knobs = Knobs::of_mode(mode);
    let round = seed / Mode::ALL.len() as u64;
    knobs.allow_poison = round % 3 == 1;
    knobs.schedule_dependent = round % 9 == 2;
    knobs
}

/// Makes the comparisons for a module with a kernel named [`KERNEL`].
pub fn check(text: &str, launch: &Launch, plan: &Plan) -> Result<Tally, Failure> {
    if !plan.passes.is_empty() {
        return if plan.compare || plan.only_claims { passes::check(text, launch, plan) } else { Ok(Tally::default()) };
    }
    let module = load(text)?;
    if plan.only_claims {
        return claims::check(&module, launch, &launch.geometries, plan.schedules);
    }
    let image = import(module.handle(), KERNEL);
    let machine = Machine::new(&image);
    let mut optimised = Vec::new();
    for pipeline in plan.pipelines.iter().filter(|_| plan.compare) {
        let stage = format!("after {pipeline}");
        let changed = load(text)?;
        optimise(&changed, pipeline).map_err(|e| Failure::module(&stage, e))?;
        optimised.push((stage, import(changed.handle(), KERNEL)));
    }
    let mut tally = Tally::default();
    let inputs = inputs(launch);
    for &geometry in &launch.geometries {
        let mut runner = Runner { launch, inputs: &inputs, geometry, races: plan.races, tally: &mut tally };
        let expected = runner.run(&machine, "lockstep", |_| {}, &mut Nobody)?;
        if plan.compare {
            let post_dominator = |config: &mut LaunchConfig| config.reconvergence = Reconvergence::PostDominator;
            runner.compare(&expected, &machine, "lockstep at post-dominators", post_dominator)?;
        }
        for seed in 1..=if plan.compare { plan.schedules } else { 0 } {
            let stage = format!("independent {seed}");
            runner.compare(&expected, &machine, &stage, |config| config.scheduler = Scheduler::Independent(seed))?;
        }
        for (stage, image) in &optimised {
            runner.compare(&expected, &Machine::new(image), stage, |_| {})?;
        }
    }
    if plan.claims {
        tally.claims += claims::check(&module, launch, &launch.geometries, plan.schedules)?.claims;
    }
    Ok(tally)
}

pub(super) fn load(text: &str) -> Result<OwnedModule, Failure> {
    let module = OwnedModule::from_text(text, KERNEL).map_err(|e| Failure::module("load", e))?;
    module.inkwell().verify().map_err(|e| Failure::module("verify", e.to_string_lossy()))?;
    Ok(module)
}

pub(super) fn inputs(launch: &Launch) -> Inputs {
    let args = launch.args.iter().map(|arg| match arg {
        ArgSpec::Buffer { .. } => Arg::Buffer(arg.bytes()),
        ArgSpec::Scalar { .. } | ArgSpec::ByVal { .. } => Arg::Value(arg.bytes()),
    });
    Inputs { args: args.collect(), globals: Vec::new() }
}

/// A launch of a kernel in one of its geometries.
pub(super) fn config(launch: &Launch, geometry: Geometry) -> LaunchConfig {
    let limits = Limits { steps: STEPS, ..Limits::default() };
    LaunchConfig { limits, dynamic_shared: launch.dynamic_shared, ..LaunchConfig::new(geometry.grid, geometry.block) }
}

/// Runs modules in one geometry.
pub(super) struct Runner<'t> {
    pub(super) launch: &'t Launch,
    pub(super) inputs: &'t Inputs,
    pub(super) geometry: Geometry,
    pub(super) races: bool,
    pub(super) tally: &'t mut Tally,
}

impl Runner<'_> {
    /// A launch that somebody looks at.
    pub(super) fn run(
        &mut self,
        machine: &Machine<'_>,
        stage: &str,
        adjust: impl FnOnce(&mut LaunchConfig),
        observer: &mut impl Observer,
    ) -> Result<LaunchReport, Failure> {
        let mut config = config(self.launch, self.geometry);
        config.races = RaceCheck { shared: self.races, global: self.races };
        adjust(&mut config);
        let ran =
            machine.kernel(Some(KERNEL)).and_then(|kernel| machine.launch(kernel, &config, self.inputs, observer));
        let report = ran.map_err(|error| Failure::of_launch(self.geometry, stage, &error))?;
        self.tally.launches += 1;
        self.tally.lane_steps += report.lane_steps;
        self.tally.versions += u64::from(report.version.is_some());
        Ok(report)
    }

    pub(super) fn compare(
        &mut self,
        expected: &LaunchReport,
        machine: &Machine<'_>,
        stage: &str,
        adjust: impl FnOnce(&mut LaunchConfig),
    ) -> Result<(), Failure> {
        let report = self.run(machine, stage, adjust, &mut Nobody)?;
        for (i, pair) in expected.buffers.iter().zip(&report.buffers).enumerate() {
            if let (Some(left), Some(right)) = pair {
                self.same(stage, &format!("argument {i}"), left, right)?;
            }
        }
        // the optimiser may have removed a global; those that remain must agree
        for right in &report.globals {
            if let Some(left) = expected.globals.iter().find(|left| left.name == right.name) {
                self.same(stage, &format!("@{}", right.name), &left.bytes, &right.bytes)?;
            }
        }
        Ok(())
    }

    fn same(&self, stage: &str, what: &str, left: &Bytes, right: &Bytes) -> Result<(), Failure> {
        if left.data == right.data && right.undef.iter().all(|&bits| bits == 0) {
            return Ok(());
        }
        let undefined = |i: usize| right.undef.get(i).is_some_and(|&bits| bits != 0);
        let differing: Vec<usize> =
            (0..left.data.len()).filter(|&i| right.data.get(i) != left.data.get(i) || undefined(i)).collect();
        let offset = differing.first().copied().unwrap_or(left.data.len());
        let bytes = differing.len();
        let text = format!("{bytes} bytes of {what} differ from plain lockstep, the first at offset {offset}");
        Err(Failure::new(Some(self.geometry), stage, "Differs", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few kernels of every mode; `warpwise fuzz run` does more.
    #[test]
    fn all_ways_of_running_agree() {
        for mode in Mode::ALL {
            let knobs = Knobs::of_mode(mode);
            for seed in 0..6 {
                if let Err(failure) = run(seed, &knobs, &Plan::default()) {
                    panic!("seed {seed} mode {}: {failure}", mode.name());
                }
            }
        }
    }
}
