//! What is placed between a CUDA program and the driver so that `warpwise time` learns how long each kernel takes?
//!
//! A library that is named in `LD_PRELOAD`. Programs reach the driver in one of three ways: linked against
//! `libcuda.so.1` (then our functions of the same names take precedence), by `dlsym` on it, or by the driver's
//! `cuGetProcAddress`, which both the static and the shared CUDA runtime use. [`lookup`] returns the functions of
//! [`hooks`] in all three cases; they call the driver's own functions.
//!
//! Nothing here ever waits for the GPU, changes a result or prints anything. If something is missing or fails, the
//! program's own call is made without being timed.

mod budget;
mod copies;
mod driver;
#[path = "../format.rs"]
mod format;
mod functions;
mod graphs;
mod hooks;
mod launch;
mod lookup;
mod state;
mod table;
