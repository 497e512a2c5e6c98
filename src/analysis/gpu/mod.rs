//! Which resources and costs does a chip have? Every such number of the project.
//!
//! [`Chip`] has one row per chip: resources and throughputs. [`prices`] are what things cost and from where on a transform
//! pays, assumed to hold for all chips. [`occupancy`] is what follows from the resources for a kernel. Every number states
//! its unit and its source.

pub mod chip;
pub mod occupancy;
pub mod prices;

pub use chip::{Chip, architecture};
