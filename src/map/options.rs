//! What is divergence-map asked to do?

use crate::divergence;
use crate::settings::Settings;

/// What the pass is asked to do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Count branches that are proven uniform too.
    pub all: bool,
    /// What the symbols end in, instead of the module's own number.
    pub name: Option<String>,
    /// Lanes of a branch after which registers are given to memory, where that is sooner than need be: for tests.
    pub flush_after: Option<u32>,
}

impl From<&Settings> for Options {
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            all: settings.map_all,
            name: settings.map_name.clone(),
            flush_after: settings.flush_after,
        }
    }
}
