//! On which kernels are the analysis, the transforms and the lockstep machine tested? Random ones, each identified by a
//! seed.
//!
//! [`generate`] writes one kernel as textual LLVM IR for NVPTX, with arguments and launch geometries for it. Every
//! kernel passes LLVM's verifier, terminates, has no undefined behaviour and no data race, and stores much of what it
//! computes, so that two versions of it, or two schedules, must leave the same memory behind. (`allow_poison` and
//! `schedule_dependent` in [`Knobs`] allow more kinds of values, for which this comparison is not possible.)
//!
//! The same seed and knobs give the same text on every platform, as long as the version of the crate is the same.
//! Nothing here uses the analysis: what the generator needs to know about a value (a bound, who agrees on it), it knows
//! by construction.

mod aimed;
mod assembly;
mod build;
mod calls;
mod cfg;
pub mod claims;
pub mod drive;
mod elementwise;
mod expr;
mod float;
mod kernel;
mod knobs;
mod launch;
mod local_arrays;
mod loops;
mod memory;
pub mod odd;
mod passes;
pub mod planted;
pub mod recipes;
pub mod rng;
mod special;
mod stack;
mod stream_loops;
mod tree;
mod unstructured;
mod value;
mod warp;

pub use kernel::generate;
pub use knobs::{Feature, Knobs, Mode};
pub use launch::{ArgSpec, Elem, Fill, Geometry, Launch};

use std::collections::BTreeSet;

/// The name of every generated kernel.
pub const KERNEL: &str = "kernel";

/// A random kernel and how to launch it.
#[derive(Clone, Debug)]
pub struct GeneratedKernel {
    /// The module, as textual LLVM IR; the kernel in it is [`KERNEL`].
    pub ir: String,
    /// How to launch it: in these geometries its buffers are large enough and its collectives legal.
    pub launch: Launch,
    /// Features that occur in it.
    pub features: BTreeSet<Feature>,
}

#[cfg(test)]
mod tests;
