//! What does a person want to know of a module? Built once as a [`model`], shown as [`text`] or [`json`].

pub mod index;
pub mod json;
pub mod model;
pub mod source;
pub mod text;
