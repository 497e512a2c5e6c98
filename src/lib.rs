//! warpwise: what a warp agrees on, for LLVM 22 and NVPTX. The map of the pipeline:
//!
//! ```text
//! llvm      the only code that touches LLVM: handles, edits, remarks
//!  └ ir         the snapshot of one function, imported in one walk
//!     └ cfg        dominators, cycles, synchronisation dependence, convergence
//!        └ affine     the abstract domain: forms, scopes, exactness (no IR types)
//!           └ divergence  transfer functions, solver, immutable facts
//!              └ access, explain, pressure, cost, objects, shared_memory   what follows from facts, for several clients
//!              └ versions   which kernels may have versions that the host chooses at the launch
//!              └ settings   what each pass is told: one table of options and parameters
//!                 └ annotate, fuse, remat, stack, slots, map   the transforms: plan, then apply
//!                    └ steer    the driver of remat, stack and slots
//!                       └ pipeline   which transforms run, in which order
//! report    text, JSON, HTML
//! gpu       what a chip has and what things cost on it
//! check     every claim of the analysis against every dynamic instance of a run
//! simt      the lockstep machine: executes LLVM IR, the oracle for all of the above
//! fuzz      random kernels to try all of it on
//! ```
//!
//! `passes/` (C++) registers with LLVM's pass manager and calls [`abi`]; the `warpwise` command is [`cli`].

pub mod abi;
pub mod access;
pub mod affine;
pub mod analyses;
pub mod annotate;
pub mod arrays;
pub mod cfg;
pub mod check;
pub mod choices;
pub mod cli;
pub mod contraction;
pub mod cost;
pub mod counts;
pub mod divergence;
pub mod entity;
pub mod explain;
pub mod float_bits;
pub mod fuse;
pub mod fuzz;
pub mod geometry;
pub mod gpu;
pub mod graph;
pub mod idioms;
pub mod inline;
pub mod inst;
pub mod ir;
pub mod launch;
pub mod launch_table;
pub mod llvm;
pub mod map;
pub mod map_report;
pub mod memory;
#[doc(hidden)]
pub mod mutants;
pub mod objects;
pub mod phrase;
pub mod pipeline;
pub mod pressure;
pub mod ptxas;
#[cfg(test)]
mod random_kernels;
pub mod registry;
pub mod remarks;
pub mod remat;
pub mod report;
pub mod schedule;
pub mod settings;
pub mod shared_memory;
pub mod simt;
pub mod slots;
pub mod source;
pub mod stack;
pub mod steer;
pub mod unroll;
pub mod versions;
