//! What does an instruction cost, and how often does it run?

pub mod cold;
pub mod issue;
pub mod turns;
