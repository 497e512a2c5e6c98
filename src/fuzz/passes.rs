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
use super::drive::{Failure, Plan, Runner, Tally, Trouble, inputs, load};
use super::launch::{Geometry, Launch};
use crate::check::debug_info::{Editors, Kept, check as check_debug_info};
use crate::llvm::image::{ModuleImage, import};
use crate::llvm::optimise::{optimise, transform};
use crate::llvm::owned::OwnedModule;
use crate::map::recount;
use crate::settings::{FREE_ARRAYS, INLINE_CALLS, Transform};
use crate::simt::{DivergenceMap, LaunchConfig, Machine, Reconvergence, Scheduler, versions};

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
            let versions = runner.tally.versions;
            if let Err(failure) = runner.compare(&expected, &machine, &stage, |_| {}) {
                if failure.trouble.kind() != RACE || !races_without_ours(text, pipeline, &mut runner)? {
                    return Err(failure);
                }
                runner.races = false;
                runner.compare(&expected, &machine, &stage, |_| {})?;
            }
            if runner.tally.versions > versions {
                runner
                    .compare(&expected, &machine, &format!("{stage}, no version"), |config| config.versions = false)?;
            }
            for number in 1..=alternatives(&transformed, &machine) {
                let stage = format!("{stage}, alternative {number}");
                runner.compare(&expected, &machine, &stage, |config| config.alternative = Some(number))?;
                for seed in 1..=plan.schedules {
                    runner.compare(&expected, &machine, &format!("{stage}, independent {seed}"), |config| {
                        config.alternative = Some(number);
                        config.scheduler = Scheduler::Independent(seed);
                    })?;
                }
            }
            if counts(pipeline) {
                let mut seen = DivergenceMap::default();
                let report = runner.watch(&machine, &stage, |_| {}, &mut seen)?;
                let config = LaunchConfig::new(runner.geometry.grid, runner.geometry.block);
                let launch = recount::launch_of(&config, runner.inputs);
                recount::compare(&transformed, &seen, &launch, &report)
                    .map_err(|error| runner.failure(&stage, Trouble::Counters(error.to_string())))?;
            }
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
    let ran = runner.run(&Machine::new(&image), &stage, |_| {});
    Ok(ran.is_err_and(|failure| failure.trouble.kind() == RACE))
}

/// How many alternatives of the kernel are to be measured.
fn alternatives(image: &ModuleImage, machine: &Machine<'_>) -> usize {
    machine.kernel(None).map_or(0, |kernel| versions::alternatives(image, kernel))
}

/// Whether branches are counted, and no pass changes them afterwards.
fn counts(pipeline: &str) -> bool {
    let last = pipeline.rsplit(',').next().unwrap_or_default();
    last.split('<').next() == Some(Transform::Map.pass())
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
    let asks_llvm = [Transform::Unroll.pass(), FREE_ARRAYS, INLINE_CALLS];
    let editors = if asks_llvm.iter().any(|pass| passes.contains(pass)) {
        Editors::Llvms
    } else if ["default<", "function("].iter().any(|part| passes.contains(part)) {
        Editors::Both
    } else {
        Editors::Ours
    };
    let trouble =
        |text| Failure { trouble: Trouble::DebugInfo(text), ..Failure::module(&format!("after {pipeline}"), "") };
    check_debug_info(text, editors, run).map_err(trouble)
}

/// The block as `block=` takes it.
fn shape(geometry: Geometry) -> String {
    let [x, y, z] = geometry.block;
    format!("{x}x{y}x{z}")
}

#[cfg(test)]
mod tests {
    use super::super::drive::{Plan, mode_of, run};
    use super::super::{Knobs, Launch, Mode};
    use crate::mutants::{Mutant, activate};

    fn plan(passes: &[&str]) -> Plan {
        Plan { passes: passes.iter().map(|&p| p.to_owned()).collect(), ..Plan::default() }
    }

    /// A few kernels of every mode; `warpwise fuzz run --passes …` does more.
    #[test]
    fn transforms_keep_what_kernels_compute() {
        let plan = plan(&["annotate-uniform<block={block}>", "default<O2>,fuse-branches", "steer-spills<regs=24>"]);
        let mut transformed = 0;
        for seed in 0..64 {
            let knobs = Knobs::of_mode(mode_of(seed));
            match run(seed, &knobs, &plan) {
                Ok(tally) => transformed += tally.transformed,
                Err(failure) => panic!("seed {seed} mode {}: {failure}", knobs.mode.name()),
            }
        }
        assert!(transformed > 64, "{transformed}");
    }

    /// Loops whose trip count only the launch knows occur, `unroll-loops` takes a good share of them, and memory stays the same.
    #[test]
    fn loops_of_unknown_trip_count_are_unrolled() {
        let plan = Plan { schedules: 0, races: false, ..plan(&["unroll-loops<always>"]) };
        let mut transformed = 0;
        for seed in 0..32 {
            match run(seed, &Knobs::of_mode(Mode::Loops), &plan) {
                Ok(tally) => transformed += tally.transformed,
                Err(failure) => panic!("seed {seed}: {failure}"),
            }
        }
        assert!(transformed >= 12, "{transformed}");
    }

    #[test]
    fn transforms_keep_debug_information() {
        let passes = ["annotate-uniform<block={block}>", "fuse-branches<always>", "steer-spills<regs=24>"];
        let plan = Plan { debug_info: true, schedules: 0, races: false, ..plan(&passes) };
        for seed in 0..32 {
            let knobs = Knobs::of_mode(mode_of(seed));
            if let Err(failure) = run(seed, &knobs, &plan) {
                panic!("seed {seed} mode {}: {failure}", knobs.mode.name());
            }
        }
    }

    #[test]
    fn a_load_that_llvm_speculates_is_no_race_of_ours() {
        let text = "; launch: 1,1,1 64,1,1
; arg: i32[64]:zero
target triple = \"nvptx64-nvidia-cuda\"
@shared = internal addrspace(3) global [64 x i32] undef, align 16
define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %own = getelementptr inbounds [64 x i32], ptr addrspace(3) @shared, i64 0, i64 %i
  store i32 %t, ptr addrspace(3) %own, align 4
  %place = getelementptr inbounds i32, ptr %out, i64 %i
  %is8 = icmp eq i32 %t, 8
  br i1 %is8, label %eight, label %others
eight:
  %again = getelementptr inbounds i32, ptr addrspace(3) @shared, i32 %t
  %loaded = load i32, ptr addrspace(3) %again, align 4
  store i32 %loaded, ptr %place, align 4
  br label %exit
others:
  store i32 7, ptr %place, align 4
  br label %exit
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
";
        let launch = Launch::from_comments(text).unwrap_or_else(|e| panic!("{e}"));
        super::check(text, &launch, &plan(&["default<O2>,fuse-branches"]))
            .unwrap_or_else(|failure| panic!("{failure}"));
    }

    #[test]
    fn a_pass_that_breaks_the_kernel_is_told() {
        let text = diamonds();
        let launch = Launch::from_comments(&text).unwrap_or_else(|e| panic!("{e}"));
        let check = |passes: &str| super::check(&text, &launch, &plan(&[passes]));
        let tally = check("fuse-branches<always>").unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(tally.transformed, 1);
        activate(Some(Mutant::SwappedSelect));
        let broken = check("fuse-branches<always>");
        activate(None);
        assert_eq!(broken.expect_err("the selects are swapped").trouble.kind(), "Differs");
        let failure = check("no-such-pass").expect_err("there is none");
        assert_eq!(failure.trouble.kind(), "Module", "{failure}");
    }

    /// A kernel of four branches that all can be fused; one side of the third has a store that the other has not.
    fn diamonds() -> String {
        let mut text = "; launch: 1,1,1 64,1,1\n; arg: i32[512]:random:1\ntarget triple = \"nvptx64-nvidia-cuda\"\n\
            declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine ptx_kernel void @kernel(ptr %out) {\n\
            %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\nbr label %b0\n"
            .to_owned();
        for i in 0..4 {
            let (at, more) = (i * 64, if i == 2 { "store i32 7, ptr %q2" } else { "" });
            text += &format!(
                "b{i}:\n%k{i} = add i32 %tid, {at}\n%p{i} = getelementptr i32, ptr %out, i32 %k{i}\n\
                 %q{i} = getelementptr i32, ptr %p{i}, i32 256\n%m{i} = and i32 %tid, {}\n%c{i} = icmp eq i32 %m{i}, 0\n\
                 br i1 %c{i}, label %y{i}, label %n{i}\n\
                 y{i}:\n%s{i} = mul i32 %k{i}, {i}9\nstore i32 %s{i}, ptr %p{i}\n{more}\nbr label %b{}\n\
                 n{i}:\n%t{i} = mul i32 %tid, {i}5\nstore i32 %t{i}, ptr %p{i}\nbr label %b{}\n",
                1 << i,
                i + 1,
                i + 1
            );
        }
        text + "b4:\nret void\n}\n"
    }

    /// Says so if the kernel is broken by the first plans of a pass with a mistake.
    fn is_broken_within(limit: &str) -> bool {
        let text = diamonds();
        let launch = Launch::from_comments(&text).unwrap_or_else(|e| panic!("{e}"));
        activate(Some(Mutant::LostGuard));
        let checked = super::check(&text, &launch, &plan(&[&format!("fuse-branches<always;limit={limit}>")]));
        activate(None);
        checked.is_err()
    }

    /// What `scripts/bisect` runs in the test below; alone it has nothing to do.
    #[test]
    fn kernel_under_a_limit() {
        if let Ok(limit) = std::env::var("WARPWISE_LIMIT") {
            assert!(!is_broken_within(&limit), "broken with limit {limit}");
        }
    }

    /// The mistake loses guards, and one plan of four has one.
    #[test]
    fn bisect_finds_the_plan_that_breaks_the_kernel() {
        let first = (0..=4).find(|limit| is_broken_within(&limit.to_string())).expect("a guard is lost");
        assert!(first > 1, "the branches are fused in another order than the test expects");
        let test = std::env::current_exe().unwrap_or_else(|e| panic!("{e}"));
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/bisect");
        let name = "fuzz::passes::tests::kernel_under_a_limit";
        let ran = std::process::Command::new(script).arg("--").arg(test).args(["--exact", name]).output();
        let ran = ran.unwrap_or_else(|e| panic!("{script}: {e}"));
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains(&format!("plan {first} breaks the program")), "{said}{ran:?}");
    }
}
