//! How is a divergence map shown? As text ([`show`]) and as a page ([`page`]); for the lockstep machine's launches with
//! what the analysis says of each branch ([`observed`]), and how often it is right ([`precision`]).

mod layout;
pub mod measured;
pub mod observed;
pub mod page;
pub mod precision;
pub mod show;
