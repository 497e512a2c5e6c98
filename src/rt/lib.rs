//! How do the counters of a run reach a file? The runtime library that a program with counters links.
//!
//! [`format`] is the map file, which the `warpwise` command reads. [`driver`] calls the CUDA driver without linking it.
//! [`run`] registers modules, reads the counters when the program ends, and writes the file. Nothing here depends on
//! LLVM or on the contents of a table: a map contains tables as they are stored on the device.

#[allow(unsafe_code)]
mod driver;
pub mod format;
#[allow(unsafe_code)]
mod run;

pub use run::file_name;
