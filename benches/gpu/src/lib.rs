//! How fast are kernels with warpwise, and are their results still the same?
//!
//! ```text
//! kernels/SECTION/NAME.cu ── launch ──┐
//!                                     ├─ bundle ─→ folder: cubins, manifest.json, this program ─→ supervise ─→ results.json
//!              variants (one table) ──┘                                         (a GPU machine)     └ worker     table, plot
//! ```
//!
//! [`launch`] and [`fill`] describe a kernel's launch, at its full and at its small size. To run the kernels elsewhere,
//! these two are enough.

pub mod agree;
pub mod bundle;
mod cubin;
pub mod cuda;
mod expr;
pub mod fill;
pub mod launch;
pub mod manifest;
pub mod markdown;
pub mod plot;

pub mod stats;
pub mod supervise;
pub mod table;
pub mod variants;
pub mod worker;
