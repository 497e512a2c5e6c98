//! How is a stack object used, and what does it contain?
//!
//! [`walk`] follows its address; [`address`] says where an access goes; [`constant`] finds the contents of an object that is filled with constants only,
//! and [`selected`] those that `ptxas` keeps in registers.

pub mod address;
pub mod constant;
mod reject;
pub mod selected;
pub mod walk;

pub use reject::{Escape, Unfollowed};
pub use walk::{AccessKind, Object, ObjectAccess, StackObject, joined_object, stack_objects};
