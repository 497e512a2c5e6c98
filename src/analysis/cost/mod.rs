//! What does an instruction cost, and how often is it executed?

pub mod frequency;
pub mod grid_work;
pub mod issue;
pub mod trip_bound;
pub mod unlikely;
