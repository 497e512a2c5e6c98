//! Does any branch split that the analysis calls uniform, and how many that it calls divergent never do? Over the examples,
//! the programs of `benches/agree` and the benchmark kernels, on the lockstep machine; `-- --nocapture` prints the table.
//!
//! Needs clang 22 and a CUDA tree; without them it says so and passes.

use std::path::{Path, PathBuf};
use warpwise::cli::{cuda, map, simt};
use warpwise::llvm::image;
use warpwise::map::precision::{Row, rows, table, total};
use warpwise::simt::{Arg, DivergenceMap, Inputs, LaunchConfig, Machine};
use warpwise_bench::launch::Arg as Given;

fn sources(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
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

/// The benchmark kernels as written, at their small size.
fn benchmarks() -> Vec<Row> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/gpu/kernels");
    let mut found = Vec::new();
    for (name, description) in warpwise_bench::bundle::descriptions(&root).expect("descriptions are whole") {
        let module = simt::open(&root.join(format!("{name}.cu")), &[]).expect("clang compiles it");
        let image = image::import(module.handle(), &name);
        let machine = Machine::new(&image);
        let launch = &description.small;
        let mut config = LaunchConfig::new(launch.grid, launch.block);
        config.dynamic_shared = launch.shared;
        let args = launch.args.iter().map(|arg| match arg {
            Given::Scalar { ty, value, .. } => {
                let mut bytes = Vec::new();
                ty.push(*value, &mut bytes);
                Arg::Value(bytes)
            }
            Given::Buffer { ty, len, fill, .. } => Arg::Buffer(fill.bytes(*ty, *len)),
        });
        let inputs = Inputs { args: args.collect(), globals: Vec::new() };
        let kernel = format!("{}_plain", name.rsplit('/').next().unwrap_or(&name));
        let mut seen = DivergenceMap::default();
        let id = machine.kernel(Some(&kernel)).unwrap_or_else(|e| panic!("{name}: {e}"));
        machine.launch(id, &config, &inputs, &mut seen).unwrap_or_else(|e| panic!("{name}: {e}"));
        found.extend(rows(&module, &image, &seen).expect("LLVM analyses it"));
    }
    found
}

#[test]
fn every_split_was_foreseen() {
    if let Err(why) = cuda::find_clang().and_then(|_| cuda::find_cuda()) {
        eprintln!("skipped: {why}");
        return;
    }
    let mut all = Vec::new();
    for file in sources("examples").into_iter().chain(sources("benches/agree")) {
        all.extend(map::precision_of(&file).unwrap_or_else(|e| panic!("{}: {e:#}", file.display())));
    }
    all.extend(benchmarks());
    print!("{}", table(&all));
    let total = total(&all);
    assert!(total.met > 0);
    assert!(total.said.iter().all(|said| said.mistakes == 0), "{total:?}");
}
