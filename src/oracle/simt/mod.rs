//! What does a kernel compute, lane by lane? The lockstep machine executes LLVM IR for warps and blocks; it is the
//! oracle for the analysis and for every transform.
//!
//! ```text
//! image (llvm)   a whole module as plain data
//!  └ layout, constants   types as leaves, addresses of globals
//!     └ decode, decode_* → code   micro-operations over 32-lane slots
//!        └ warp, exec*       what one micro-operation does to the lanes of a mask
//!           └ lockstep, independent   which lanes run next
//!              └ machine        launches, blocks, barriers, reports
//!                 └ compare, map   two versions on the same inputs; the divergence map
//! ```
//!
//! It shares no code with the analysis, because an oracle must not share its bugs. `docs/SIMT.md` states the semantics.

mod asm_text;
mod cfg;
mod code;
mod collective;
mod compare;
mod constants;
mod control;
mod decode;
mod decode_asm;
mod decode_asm_flow;
mod decode_asm_value;
mod decode_call;
mod decode_mem;
mod decode_nvvm;
mod exec;
mod exec_float;
mod exec_flow;
mod exec_int;
mod exec_mem;
mod fault;
mod float;
mod groups;
mod independent;
mod int;
mod joins;
mod launch;
mod layout;
mod lockstep;
mod machine;
mod map;
mod memory;
mod names;
mod observe;
mod ops;
mod printf;
mod quiet;
mod races;
pub mod versions;
mod warp;

pub use code::{LANES, Lanes};
pub use compare::{CompareError, Tolerance, compare};
pub use fault::{Access, Fault, FaultKind};
pub use launch::{
    Arg, Bytes, GlobalAfter, Inputs, LaunchConfig, LaunchError, LaunchReport, Limits, RaceCheck, Reconvergence,
    Scheduler,
};
pub(crate) use layout::Shapes;
pub use machine::Machine;
pub use map::{BranchCounts, DivergenceMap};
pub(crate) use observe::mix;
pub use observe::{LaneValues, Nobody, Observer, StepContext};
pub(crate) use warp::{among, lanes_of};
