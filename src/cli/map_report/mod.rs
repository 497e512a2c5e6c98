//! How is a divergence map shown? As text ([`show`]) and as a page ([`page`]).

mod layout;
pub mod measured;
pub mod page;
pub mod show;
