//! Is what the analysis says and what the passes do right? Nothing here knows the passes; whoever tries them brings them.
//!
//! ```text
//! simt      the lockstep machine: executes LLVM IR
//!  └ check     every claim of the analysis against every dynamic instance of a run
//!     └ fuzz      random kernels to try analysis and passes on
//! ```

pub mod check;
pub mod fuzz;
pub mod simt;
