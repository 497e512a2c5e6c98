//! How many lane instructions does the machine execute per second, on one core?
//!
//! Four kernels: a divergent integer loop, a streaming float kernel, a shared-memory matrix product and a loop of pure
//! integer arithmetic. Prints the median of [`RUNS`] runs in lockstep, and one run with the independent scheduler. Run
//! with `cargo bench --bench simt`.

use std::time::Instant;
use warpwise_ir::llvm::image;
use warpwise_ir::llvm::owned::OwnedModule;
use warpwise_oracle::simt::{Arg, Inputs, LaunchConfig, Machine, Nobody, Scheduler};

/// Number of runs of each kernel in lockstep, of which the median is printed.
const RUNS: usize = 7;

fn main() {
    let text = include_str!("simt_kernels.ll");
    let module = OwnedModule::from_text(text, "simt_kernels").expect("the benchmark's own IR is valid");
    let image = image::import(module.handle(), "simt_kernels");
    let machine = Machine::new(&image);
    let int = |value: i32| Arg::Value(value.to_le_bytes().to_vec());
    let buffer = |elements: usize| Arg::Buffer(vec![0; 4 * elements]);
    let n = 1 << 16;
    type Case = (&'static str, [u32; 3], [u32; 3], Vec<Arg>);
    let cases: [Case; 4] = [
        ("collatz", [n as u32 / 256, 1, 1], [256, 1, 1], vec![int(n), buffer(n as usize)]),
        (
            "saxpy",
            [n as u32 / 256, 1, 1],
            [256, 1, 1],
            vec![int(n), Arg::Value(2f32.to_le_bytes().to_vec()), buffer(n as usize), buffer(n as usize)],
        ),
        ("matmul", [8, 8, 1], [16, 16, 1], vec![buffer(128 * 128), buffer(128 * 128), buffer(128 * 128), int(128)]),
        ("hash", [64, 1, 1], [256, 1, 1], vec![int(200), buffer(64 * 256)]),
    ];
    println!("{:10} {:>14} {:>12} {:>22}", "kernel", "lane steps", "median ms", "lane instructions/s");
    for (name, grid, block, args) in cases {
        let kernel = machine.kernel(Some(name)).expect("the kernel is there");
        let inputs = Inputs { args, globals: Vec::new() };
        for scheduler in [Scheduler::Lockstep, Scheduler::Independent(1)] {
            let config = LaunchConfig { scheduler, ..LaunchConfig::new(grid, block) };
            let mut times = Vec::new();
            let mut lanes = 0;
            for _ in 0..if scheduler == Scheduler::Lockstep { RUNS } else { 1 } {
                let start = Instant::now();
                let report =
                    machine.launch(kernel, &config, &inputs, &mut Nobody).unwrap_or_else(|error| panic!("{error}"));
                times.push(start.elapsed().as_secs_f64());
                lanes = report.lane_steps;
            }
            times.sort_by(f64::total_cmp);
            let median = times[times.len() / 2];
            let label = if scheduler == Scheduler::Lockstep { name.to_owned() } else { "  (loose)".to_owned() };
            println!("{label:10} {lanes:>14} {:>12.2} {:>18.1} M/s", 1e3 * median, lanes as f64 / median / 1e6);
        }
    }
}
