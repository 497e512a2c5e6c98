//! What can be said about a value across the lanes of a warp, the warps of a block and the blocks of a grid? The
//! abstract domain. It knows no IR types: symbols are opaque numbers, widths are parameters.
//!
//! ```text
//!                 divergent
//!                     |
//!    uniform warp   affine forms, one chain for each list of terms:
//!         |            terms + uniform warp
//!    uniform block        |
//!         |            terms + uniform block
//!    uniform grid         |
//!         |            terms + uniform grid
//!     constant            |
//!         |            terms + constant
//!          \             /
//!             bottom (not reached)
//! ```
//!
//! An element claims, for all lanes that execute the same dynamic instance, that `value = Σ c·monomial + rest (mod
//! 2^w)`, with a rest that is one number for all lanes of the stated scope. Sources: Sampaio 2013, sections 3.5 and 3.6
//! (forms of `tid.x`, degree two); scopes, symbolic coefficients, alignment and exactness are ours.

pub mod arith;
pub mod form;
pub mod interner;
pub mod join;
pub mod lanes;
#[cfg(test)]
mod monotone;
pub mod pinned;

pub use form::{Base, Ext, Form, Monomial, Rest, Scope, Symbol, Term, Terms};
pub use interner::{Element, Interner};
