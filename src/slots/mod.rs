//! Which values wait in shared memory between definition and use?

pub mod apply;
pub mod plan;
