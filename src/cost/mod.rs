//! What does an instruction cost, and how often does it run?

pub mod cold;
pub mod frequency;
pub mod issue;
pub mod trip_bound;
pub mod trip_count;
