//! How do tests run the benchmark kernels on the lockstep machine?

use warpwise_bench::launch::{Arg as Given, Launch};
use warpwise_cli::command::cuda;
use warpwise_oracle::simt::{Arg, Inputs};

/// Whether CUDA sources can be compiled here; otherwise the test is skipped.
pub fn has_cuda() -> bool {
    let found = cuda::find_clang().and_then(|_| cuda::find_cuda());
    if let Err(why) = &found {
        crate::common::skip(&format!("{why:#}"));
    }
    found.is_ok()
}

/// The arguments and geometry of a kernel's launch.
pub fn inputs_of(launch: &Launch) -> Inputs {
    let args = launch.args.iter().map(|arg| match arg {
        Given::Scalar { ty, value, .. } => {
            let mut bytes = Vec::new();
            ty.push(*value, &mut bytes);
            Arg::Value(bytes)
        }
        Given::Buffer { ty, len, fill, .. } => Arg::Buffer(fill.bytes(*ty, *len)),
    });
    Inputs { args: args.collect(), globals: Vec::new() }
}

/// The unmodified kernel of a benchmark.
pub fn plain_kernel(name: &str) -> String {
    format!("{}_plain", name.rsplit('/').next().unwrap_or(name))
}
