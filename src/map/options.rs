//! What are the options of divergence-map?

use crate::settings::Settings;
use warpwise_analysis::divergence;

/// The options of one run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Also count branches that are proven uniform.
    pub all: bool,
    /// Suffix of the symbols, instead of a hash of the source file.
    pub name: Option<String>,
    /// Visits of a branch after which registers with its counts are flushed, if that is earlier than necessary: for
    /// tests.
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
