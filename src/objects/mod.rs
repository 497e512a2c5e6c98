//! What is done with a stack object, and what does it hold?
//!
//! [`walk`] follows its address; [`argument`] says which arguments are stack objects to the back end; [`address`] says where an access goes; [`constant`] what it holds where it is filled with
//! constants only.

pub mod address;
pub mod argument;
pub mod constant;
mod reject;
pub mod walk;

pub use reject::{Escape, Unfollowed};
pub use walk::{AccessKind, Object, ObjectAccess, StackObject, stack_objects};
