//! What does a user want to know about a module? The [`model`] is built once and shown as [`text`] or as JSON; a whole
//! project has an [`index`].

pub mod advice;
pub mod against;
pub mod details;
pub mod index;
pub mod launch;
pub mod lines;
pub mod model;
pub mod remedy;
pub mod seen;
pub mod text;
pub mod times;
pub mod todo;
