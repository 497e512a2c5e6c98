//! How much shared memory is there for a kernel, and where does what lie in it?

pub mod budget;
pub mod layout;
pub mod room;
pub mod usage;
