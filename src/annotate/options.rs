//! What are the options of annotate-uniform?

use crate::settings::{Results, Settings};
use warpwise_analysis::divergence;

/// The options of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Check annotations instead of writing them.
    pub verify: bool,
    /// Pointer arguments of kernels never alias.
    pub assume_restrict: bool,
    /// Whether the last bits of results may change.
    pub results: Results,
    /// Insert votes on hidden branches.
    pub vote: bool,
    /// Shuffle hidden values.
    pub shuffle: bool,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            verify: settings.verify,
            assume_restrict: settings.assume_restrict,
            results: settings.results,
            vote: !settings.no_vote,
            shuffle: !settings.no_shuffle,
        }
    }
}
