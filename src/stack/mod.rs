//! Which stack objects leave local memory?

pub mod apply;
pub mod byval;
pub mod cache;
pub mod plan;
pub mod reject;
