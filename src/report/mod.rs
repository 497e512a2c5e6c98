//! What does a person want to know of a module? Built once as a [`model`], shown as [`text`] or [`json`]; of a whole
//! project, an [`index`].

pub mod index;
pub mod json;
pub mod model;
pub mod text;
