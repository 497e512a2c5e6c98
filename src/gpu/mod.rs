//! What does a chip have, what can it do in a clock, and what was measured on one? Every such number of the project.
//!
//! [`Chip`] is one row a chip: resources, throughputs. [`prices`] are measurements that hold for all chips as far as is known.
//! [`occupancy`] is what follows from resources for a kernel. A number says its unit and where it comes from; decisions
//! (margins, thresholds) stand in the plans that make them.

pub mod chip;
pub mod occupancy;
pub mod prices;

pub use chip::{Chip, architecture};
