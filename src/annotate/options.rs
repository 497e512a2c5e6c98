//! What is annotate-uniform asked to do?

use crate::divergence;
use crate::settings::Settings;

/// What the pass is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Check annotations instead of making them.
    pub verify: bool,
    /// Pointer arguments of kernels never alias.
    pub assume_restrict: bool,
    /// Votes on hidden branches.
    pub vote: bool,
    /// `bra.uni` on hidden branches.
    pub bra_uni: bool,
    /// Shuffles of hidden values.
    pub shuffle: bool,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            verify: settings.verify,
            assume_restrict: settings.assume_restrict,
            vote: settings.vote,
            bra_uni: settings.bra_uni,
            shuffle: settings.shuffle,
        }
    }
}
