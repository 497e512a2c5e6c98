//! Does any branch split that the analysis calls uniform, in all launches or in such as this one? Runs the examples, the
//! programs of `benches/agree` and the benchmark kernels on the lockstep machine.
//!
//! Needs clang 22 and a CUDA tree; without them the test is skipped (see `common::skip`).

use crate::common::benchmarks::{has_cuda, inputs_of, plain_kernel};
use crate::common::{root, warpwise};
use std::path::Path;
use warpwise::map::describe;
use warpwise_analysis::counts::{self, Counted};
use warpwise_analysis::divergence::{ModuleAnalysis, Options};
use warpwise_cli::command::{cuda, simt};
use warpwise_cli::map_report::show::summary;
use warpwise_ir::llvm::image;
use warpwise_oracle::check::recount::{launch_of, observed};
use warpwise_oracle::simt::{DivergenceMap, LaunchConfig, Machine};

/// The maps of every launch described in the sources of a folder.
fn sources(folder: &str) -> Vec<Counted> {
    let map = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder is there").flatten() {
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        let launches: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// simt: ")).collect();
        if launches.is_empty() {
            continue;
        }
        let (_folder, ir) = cuda::compile_device_ir(&entry.path(), &[]).expect("clang compiles it");
        for line in launches {
            let options = shlex::split(line).expect(line);
            warpwise().arg("simt").arg(&ir).args(options).arg("--save-map").arg(map.path()).assert().success();
            found.extend(counts::read(map.path()).expect("it is a map").1);
        }
    }
    found
}

/// The same of the unmodified benchmark kernels, at their small size: all, or one in so many.
fn benchmarks(one_in: usize) -> Vec<Counted> {
    let root = root().join("benches/gpu/kernels");
    let mut found = Vec::new();
    let all = warpwise_bench::bundle::descriptions(&root).expect("descriptions are whole");
    for (name, description) in all.into_iter().step_by(one_in) {
        let module = simt::open(&root.join(format!("{name}.cu")), &[]).expect("clang compiles it");
        let image = image::import(module.handle(), &name);
        let machine = Machine::new(&image);
        let launch = &description.small;
        let mut config = LaunchConfig::new(launch.grid, launch.block);
        config.dynamic_shared = launch.shared;
        let kernel = plain_kernel(&name);
        let mut seen = DivergenceMap::default();
        let id = machine.kernel(Some(&kernel)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let inputs = inputs_of(launch);
        machine.launch(id, &config, &inputs, &mut seen).unwrap_or_else(|e| panic!("{name}: {e}"));
        let table = describe(&ModuleAnalysis::new(module.handle(), Options::default()), Path::new(&name));
        let symbol = &image.functions[id.index()].name;
        found.push(observed(table, &image, &seen, symbol, &launch_of(&config, &inputs)));
    }
    found
}

fn every_split_is_foreseen(folders: &[&str], one_benchmark_in: usize) {
    if !has_cuda() {
        return;
    }
    let mut all: Vec<Counted> = folders.iter().flat_map(|folder| sources(folder)).collect();
    all.extend(benchmarks(one_benchmark_in));
    let summary = summary(&[], &all);
    assert!(summary.precision.executed > 0 && summary.precision.uniform_as_launched > 0);
    assert_eq!((summary.mistakes, summary.precision.split_against_condition), (0, 0), "{}", summary.text(usize::MAX));
}

#[test]
fn every_split_was_foreseen() {
    every_split_is_foreseen(&["examples"], 32);
}

#[test]
#[ignore = "long"]
fn every_split_of_all_benchmarks_was_foreseen() {
    every_split_is_foreseen(&["examples", "benches/agree"], 1);
}
