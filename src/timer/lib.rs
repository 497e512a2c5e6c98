//! How long does every kernel of a CUDA program take, and does another build of it take less?
//!
//! ```text
//! preload/   a library of its own that is put into the program: it times launches and writes a table
//! format     what that table looks like
//!  └ read       tables → plain figures of processes
//!     └ model      figures of a run, by kernel; JSON
//!        └ text       the same for people
//! launch     starts a program with the library in it, waits, collects its tables
//!  └ time       one program
//!  └ compare    two builds in turn
//! names      names of kernels as their authors wrote them
//! ```
//!
//! Nothing here needs LLVM: `warpwise time` and `warpwise compare` call this library, and `warpwise-time` is the same
//! for machines that have a GPU and no LLVM.

pub mod compare;
mod copies;
pub mod format;
mod launch;
pub mod model;
pub mod names;
mod read;
mod text;
pub mod time;
