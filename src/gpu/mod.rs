//! What does a chip have, and what follows from that for a kernel?

pub mod occupancy;
