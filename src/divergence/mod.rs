//! Which lanes agree on what? The affine divergence analysis over the dense picture of a function.
//!
//! 1. [`module`]: call graph summaries: what arguments and results of device functions look like from outside.
//! 2. [`solver`]: optimistic sparse iteration; each visit applies one rule of `transfer` (and its siblings by opcode
//!    family), which reads a `view` of the state. Control dependence enters as `gates`: `cfg::sync` says which joins and
//!    loop exits a branch decides.
//! 3. [`facts`]: the immutable result and every question one may ask of it.
//!
//! Each of these needs those above it in this list, and no two need each other:
//!
//! ```text
//! intrinsics, intrinsic_table     what each intrinsic says of its result
//!  └ environment                     what a solve is told of the module and of launches
//!     └ guards, range                   bounds of integers, for proofs that nothing wraps
//!        └ view, gates, transfer*          one rule a family of instructions
//!           └ solver, readers                 the fixed point
//!              └ facts, outline                  the answers
//!                 └ frames, module                  claims from call to call
//! ```
//!
//! Sources: Coutinho 2011 (divergence with synchronisation dependences), Sampaio 2013 (affine constraints over gated
//! SSA), Rosemann, Moll and Hack 2021 (sync dependence and temporal divergence on arbitrary control flow). Scopes,
//! provenance, launch geometry, exactness and call summaries are ours. docs/ANALYSIS.md has the soundness argument.

pub mod environment;
pub mod facts;
mod frames;
mod gates;
pub mod guards;
pub mod intrinsic_table;
pub mod intrinsics;
pub mod module;
pub mod outline;
pub mod print;
pub mod provenance;
pub mod range;
mod readers;
pub mod solver;
mod transfer;
mod transfer_call;
mod transfer_compare;
mod transfer_int;
mod transfer_phi;
mod view;

pub use facts::{Class, Facts};
pub use module::{ModuleAnalysis, Options};
pub use outline::Outline;
