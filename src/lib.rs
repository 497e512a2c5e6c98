//! warpwise: what a warp agrees on, for LLVM 22 and NVPTX. The plugin:
//!
//! ```text
//! shared_memory, versions, choices   what several transforms need
//!  └ settings   what each pass is told: one table of options and parameters
//!     └ annotate, fuse, unroll, map, …   the transforms: plan, then apply
//!        └ steer    the driver of remat, slots and a part of local_memory
//!           └ pipeline   which transforms run, in which order
//!              └ registry   which passes there are, and where clang's pipelines run them
//! ```
//!
//! `passes/` (C++) registers with LLVM's pass manager and calls [`abi`]. The analysis is [`warpwise_analysis`], which
//! works on the arrays of [`warpwise_ir`].

pub mod abi;
pub mod analyses;
pub mod annotate;
pub mod assembler;
pub mod choices;
pub mod coarsen;
pub mod driver;
pub mod fuse;
pub mod idioms;
pub mod launch;
pub mod local_memory;
pub mod map;
#[doc(hidden)]
pub mod mutants;
pub mod pipeline;
#[cfg(test)]
mod random_kernels;
mod recursion;
pub mod registry;
pub mod remarks;
pub mod remat;
pub mod settings;
pub mod shared_memory;
pub mod slots;
pub mod steer;
pub mod unroll;
pub mod versions;
