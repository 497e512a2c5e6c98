//! How do the counters of a run come home? The part of warpwise that a counted program carries.
//!
//! [`format`] is the map file, read by the `warpwise` command too. [`driver`] reaches the CUDA driver without linking it.
//! [`run`] registers modules, collects at the program's end and writes the file. Nothing here knows LLVM or a table's
//! description: a map stores tables as they lie on the device.

#[allow(unsafe_code)]
mod driver;
pub mod format;
#[allow(unsafe_code)]
mod run;

pub use run::file_name;
