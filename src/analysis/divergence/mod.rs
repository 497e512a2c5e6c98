//! Which lanes agree on which values? The affine divergence analysis, on the dense representation of a function.
//!
//! 1. [`module`]: summaries over the call graph: arguments and results of device functions as seen from outside.
//! 2. [`solver`]: optimistic sparse iteration. Each visit applies one rule of `transfer` (or of its siblings, by opcode
//!    family), which reads a `view` of the state. Control dependence enters through `gates`; `cfg::sync` says which
//!    joins and loop exits a branch decides.
//! 3. [`facts`]: the immutable result and every query on it.
//!
//! The files form layers. Each uses only those above it in this list:
//!
//! ```text
//! intrinsics, intrinsic_table     how the result of each intrinsic relates across lanes
//!  └ environment                     what a solve knows about the module and about launches
//!     └ guards, range                   bounds of integers, to prove that nothing wraps
//!        └ view, gates, transfer*, lone    one rule per family of instructions
//!           └ solver, readers, slice          the fixed point
//!              └ facts, outline                  the results
//!                 ├ covered, condition              under which launches a divergent branch is uniform
//!                 └ frames, contexts, module        claims propagated from call to call
//!                    └ hypothesis                      what would hold under such a condition
//! ```
//!
//! Sources: Coutinho 2011 (divergence with synchronisation dependences), Sampaio 2013 (affine constraints over gated
//! SSA), Rosemann, Moll and Hack 2021 (synchronisation dependence and temporal divergence on arbitrary control flow).
//! Scopes, pointer provenance, launch geometry, exactness and call summaries are ours. docs/ANALYSIS.md has the
//! soundness argument.

pub mod condition;
mod contexts;
pub mod covered;
pub mod environment;
pub mod facts;
mod frames;
mod gates;
pub mod guards;
pub mod hypothesis;
pub mod intrinsic_table;
pub mod intrinsics;
mod lone;
pub mod module;
pub mod outline;
pub mod print;
pub mod provenance;
pub mod range;
mod readers;
mod slice;
pub mod solver;
mod transfer;
mod transfer_asm;
mod transfer_call;
mod transfer_compare;
mod transfer_int;
mod transfer_phi;
mod view;

pub use facts::{Class, Facts};
pub use module::{ModuleAnalysis, Options};
pub use outline::Outline;
