//! What does a person want to know of a module? Built once as a [`model`], shown as [`text`], [`json`] or
//! [`html`].

pub mod html;
pub mod index;
pub mod json;
pub mod layout;
pub mod model;
pub mod source;
pub mod text;
