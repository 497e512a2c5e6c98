//! Does any branch split that the analysis calls uniform, in all launches or in such as this one, and how many of those
//! that it calls divergent never split? Runs the examples, the programs of `benches/agree` and the benchmark kernels on
//! the lockstep machine; `scripts/bench precision` prints the table.
//!
//! Needs clang 22 and a CUDA tree; without them the test is skipped (see `common::skip`).

use crate::common::benchmarks::{has_cuda, inputs_of, plain_kernel};
use crate::common::root;
use std::path::PathBuf;
use warpwise_cli::command::{map, simt};
use warpwise_cli::map_report::precision::{Row, rows, table, total};
use warpwise_ir::llvm::image;
use warpwise_oracle::check::recount::launch_of;
use warpwise_oracle::simt::{DivergenceMap, LaunchConfig, Machine};

fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let is_cuda = file.extension().is_some_and(|ext| ext == "cu");
        is_cuda
            && std::fs::read_to_string(file)
                .is_ok_and(|text| text.contains("\n// simt: ") || text.starts_with("// simt: "))
    });
    files.sort();
    files
}

/// The unmodified benchmark kernels, at their small size: all, or one in so many.
fn benchmarks(one_in: usize) -> Vec<Row> {
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
        let launches = [(image.functions[id.index()].name.clone(), launch_of(&config, &inputs))];
        found.extend(rows(&module, &image, &seen, &launches).expect("LLVM analyses it"));
    }
    found
}

fn every_split_is_foreseen(one_benchmark_in: usize) {
    if !has_cuda() {
        return;
    }
    let mut all = Vec::new();
    for file in sources("examples").into_iter().chain(sources("benches/agree")) {
        all.extend(map::precision_of(&file).unwrap_or_else(|e| panic!("{}: {e:#}", file.display())));
    }
    all.extend(benchmarks(one_benchmark_in));
    print!("{}", table(&all));
    let total = total(&all);
    assert!(total.met > 0);
    assert!(total.said.iter().all(|said| said.mistakes == 0), "{total:?}");
    assert!(total.uniform_as_launched > 0 && total.split_against_condition == 0, "{total:?}");
}

#[test]
fn every_split_was_foreseen() {
    every_split_is_foreseen(8);
}

#[test]
#[ignore = "long"]
fn every_split_of_all_benchmarks_was_foreseen() {
    every_split_is_foreseen(1);
}
