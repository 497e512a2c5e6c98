//! What do the lanes of a warp agree on, and what follows from that? Everything here reads plain arrays and changes nothing.
//!
//! ```text
//! cfg        dominators, cycles, synchronisation dependence, convergence
//!  └ affine     the abstract domain: forms, scopes, exactness (no IR types)
//!     └ divergence  transfer functions, solver, immutable facts
//!        └ access, contraction, cost, explain, objects, pressure   what follows from facts, for several clients
//! gpu        what a chip has and what things cost on it
//! counts     what was measured of branches
//! ```

pub mod access;
pub mod affine;
pub mod cfg;
pub mod contraction;
pub mod cost;
pub mod counts;
pub mod divergence;
pub mod explain;
pub mod gpu;
#[doc(hidden)]
pub mod mutants;
pub mod objects;
pub mod pressure;
