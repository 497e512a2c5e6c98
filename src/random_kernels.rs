//! Do random kernels compute the same after our passes, is every pass tried on them, and are mistakes in it noticed?

use crate::abi::load;
use crate::mutants::{Mutant, activate};
use crate::registry::{self, Info, Traits};
use crate::settings::{DEFAULT, FREE_ARRAYS, INLINE_CALLS, Transform, transform};
use std::path::Path;
use warpwise_oracle::fuzz::drive::{Failure, Plan, Plugin, check, mode_of, run};
use warpwise_oracle::fuzz::planted::place_of;
use warpwise_oracle::fuzz::recipes::PASSES;
use warpwise_oracle::fuzz::{Knobs, Launch};

const PLUGIN: Plugin = Plugin { run: load::transform, counts: Transform::Map.pass() };

fn plan(passes: &[&str]) -> Plan {
    Plan { passes: passes.iter().map(|&p| p.to_owned()).collect(), plugin: PLUGIN, ..Plan::default() }
}

/// A few kernels of every mode; `warpwise fuzz run --passes …` does more.
#[test]
fn transforms_keep_what_kernels_compute() {
    let plan = plan(&["annotate-uniform", "default<O2>,fuse-branches", "steer-spills<regs=24>"]);
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

#[test]
fn a_pass_that_breaks_the_kernel_is_told() {
    let text = diamonds();
    let launch = Launch::from_comment(&text).unwrap_or_else(|e| panic!("{e}"));
    let check = |passes: &str| check(&text, &launch, &plan(&[passes]));
    let tally = check("fuse-branches<always>").unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(tally.transformed, 1);
    activate(Some(Mutant::SwappedSelect));
    let broken = check("fuse-branches<always>");
    activate(None);
    assert_eq!(broken.expect_err("the selects are swapped").kind, "Differs");
    let failure = check("no-such-pass").expect_err("there is none");
    assert_eq!(failure.kind, "Module", "{failure}");
}

/// A kernel of four branches that all can be fused; one side of the third has a store that the other has not.
fn diamonds() -> String {
    let mut text = "; launch: {\"geometries\":[{\"grid\":[1,1,1],\"block\":[64,1,1]}],\"args\":[{\"buffer\":{\"elem\":\"i32\",\"len\":512,\"fill\":{\"random\":1}}}]}\n\
        target triple = \"nvptx64-nvidia-cuda\"\n\
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
    let launch = Launch::from_comment(&text).unwrap_or_else(|e| panic!("{e}"));
    activate(Some(Mutant::LostGuard));
    let checked = check(&text, &launch, &plan(&[&format!("fuse-branches<always;limit={limit}>")]));
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
    let name = "random_kernels::kernel_under_a_limit";
    let ran = std::process::Command::new(script).arg("--").arg(test).args(["--exact", name]).output();
    let ran = ran.unwrap_or_else(|e| panic!("{script}: {e}"));
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains(&format!("plan {first} breaks the program")), "{said}{ran:?}");
}

/// Passes whose mistakes were planted last, with at least so many.
const MIN_FAULTS: [(&str, usize); 5] = [
    (INLINE_CALLS, 3),
    (FREE_ARRAYS, 3),
    (transform::IDIOMS, 3),
    (Transform::Unroll.pass(), 3),
    (transform::VERSIONS, 3),
];

#[test]
fn every_pass_is_tested() {
    // what runs others, and what edits nothing but asks LLVM to
    let without = [DEFAULT, transform::UNROLL_WHOLE, transform::UNSWITCH];
    let is_tested = |info: &&Info| info.is_public && info.traits == Traits::DEVICE && !without.contains(&info.name);
    let named = registry::PASSES.iter().filter(is_tested).map(|info| info.name);
    let all: Vec<&str> = named.chain([transform::VERSIONS]).collect();
    assert_eq!(PASSES.len(), all.len());
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("llvm-tests");
    for pass in all {
        let tested = PASSES.iter().find(|tested| tested.pass == pass);
        let tested = tested.unwrap_or_else(|| panic!("{pass} has no line in the table"));
        assert!(!tested.folders.is_empty(), "{pass} has no lit folder");
        for folder in tested.folders {
            let files = std::fs::read_dir(tests.join(folder)).unwrap_or_else(|e| panic!("{pass}: {folder}: {e}"));
            let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
            let runs = files.flatten().filter(|file| text(&file.path()).contains("%warpwise simt")).count();
            assert!(runs > 0, "{pass}: nothing in llvm-tests/{folder} runs on the lockstep machine");
        }
        assert!(!tested.recipes.is_empty(), "{pass} has no random kernels");
        let least = MIN_FAULTS.iter().find(|(name, _)| *name == pass).map_or(1, |(_, least)| *least);
        let faults: usize = tested.recipes.iter().map(|recipe| recipe.faults.len()).sum();
        assert!(faults >= least, "{pass} has {faults} planted faults");
    }
}

/// Looks for a mistake on the kernel that is known to show it, then on those of the seeds below `most`; returns the first
/// that does.
fn search(mutant: Mutant, most: u64) -> Option<(u64, Failure)> {
    let place = place_of(mutant, PLUGIN);
    activate(Some(mutant));
    let found = std::iter::once(place.first).chain(0..most).find_map(|seed| Some((seed, place.notices(seed)?)));
    activate(None);
    found
}

/// More kernels than any of the mistakes needs.
const MAX_KERNELS: u64 = 1000;

/// Every mistake in a transform is noticed by the kernels for its pass, and what is noticed is that mistake. The analysis
/// is compiled without its mistakes here; `scripts/mutate` enables those.
#[test]
fn mistakes_in_transforms_are_noticed() {
    let mut missed = Vec::new();
    let recipes = PASSES.iter().flat_map(|tested| tested.recipes);
    for &(mutant, _) in recipes.flat_map(|recipe| recipe.faults) {
        let start = std::time::Instant::now();
        let Some((seed, failure)) = search(mutant, MAX_KERNELS) else {
            missed.push(mutant);
            eprintln!("{mutant:?} missed, {:?}", start.elapsed());
            continue;
        };
        eprintln!("{mutant:?}: seed {seed}, {:?}: {failure}", start.elapsed());
        if let Err(failure) = place_of(mutant, PLUGIN).run(seed) {
            panic!("seed {seed}, without {mutant:?}: {failure}");
        }
    }
    assert!(missed.is_empty(), "not noticed on {MAX_KERNELS} kernels each: {missed:?}");
}
