//! Which deliberate mistake in a transform is enabled? [`warpwise_analysis::mutants`] lists them all.

pub use warpwise_analysis::mutants::Mutant;

warpwise_analysis::mistakes!();
