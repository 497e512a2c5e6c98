//! How long does every kernel of a CUDA program take, and is another build of it faster?
//!
//! ```text
//! preload/   a library that is loaded into the program: it times launches and writes a table
//! format     the layout of that table
//!  └ read       tables → plain figures per process
//!     └ model      figures of a run, by kernel; JSON
//!        └ text       the same as a table for people
//! launch     starts a program with the library loaded, waits for it, collects its tables
//!  └ time       one program
//!  └ compare    two builds, alternately
//!     └ kept       rounds of a comparison that was stopped
//! names      names of kernels as in the source
//! ```
//!
//! Nothing here needs LLVM: `warpwise time` and `warpwise compare` call this library, and `warpwise-time` is the same
//! for machines that have a GPU and no LLVM.

pub mod compare;
mod copies;
pub mod format;
mod kept;
pub mod launch;
pub mod model;
pub mod names;
mod read;
mod text;
pub mod time;
