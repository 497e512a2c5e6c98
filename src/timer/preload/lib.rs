//! What stands between a CUDA program and the driver, so that `warpwise time` knows what every kernel takes?
//!
//! A library to be named in `LD_PRELOAD`. Programs reach the driver in one of three ways: linked against `libcuda.so.1`
//! (then our functions of the same names come first), by `dlsym` on it, or by the driver's `cuGetProcAddress`, which
//! both the static and the shared CUDA runtime use. [`lookup`] answers all three with the functions of [`hooks`], which
//! call the driver's own in between.
//!
//! Nothing here ever waits for the GPU, changes a result or prints. Where something is missing or fails, the program's
//! own call goes through untimed.

mod budget;
mod copies;
mod driver;
#[path = "../format.rs"]
mod format;
mod functions;
mod graphs;
mod hash;
mod hooks;
mod launch;
mod lookup;
mod state;
mod table;
