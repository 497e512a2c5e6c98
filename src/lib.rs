//! warpwise: what a warp agrees on, for LLVM 22 and NVPTX. The map of the pipeline:
//!
//! ```text
//! llvm      the only code that touches LLVM: handles, edits, remarks
//!  └ ir         the dense picture of one function, imported in one walk
//!     └ cfg        dominators, cycles, synchronisation dependence, convergence
//!        └ affine     the abstract domain: forms, scopes, exactness (no IR types)
//!           └ divergence  transfer functions, solver, immutable facts
//!              └ annotate, fuse, spill, map   the transforms: plan, then apply
//!                 └ report   text, JSON, HTML
//! check     every claim of the analysis against every dynamic instance of a run
//! simt      the lockstep machine: executes LLVM IR, the oracle for all of the above
//! fuzz      random kernels to try all of it on
//! ```
//!
//! `passes/` (C++) registers with LLVM's pass manager and calls [`abi`]; the `warpwise` command is [`cli`].

pub mod abi;
pub mod affine;
pub mod annotate;
pub mod cfg;
pub mod check;
pub mod cli;
pub mod divergence;
pub mod entity;
pub mod fuse;
pub mod fuzz;
pub mod geometry;
pub mod ir;
pub mod llvm;
pub mod map;
pub mod memory;
#[doc(hidden)]
pub mod mutants;
pub mod pipeline;
pub mod report;
pub mod simt;
pub mod spill;
