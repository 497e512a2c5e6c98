//! Which values are computed again at their uses, and which instructions stand earlier, so that fewer registers are wanted?

pub mod apply;
pub mod chains;
pub mod hide;
pub mod plan;
pub mod schedule;
