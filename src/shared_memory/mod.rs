//! How much shared memory may a kernel use for slots, and where are the slots?

pub mod budget;
pub mod layout;
pub mod room;
pub mod usage;
