//! What are the options of fuse-branches?

use crate::settings::Results;
use crate::settings::{Settings, Transform};
use std::rc::Rc;
use warpwise_analysis::counts::Feedback;
use warpwise_analysis::divergence;

/// The options of one run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Number of registers that a thread may use; overrides the kernel's own bounds.
    pub regs: Option<u32>,
    /// Meld whatever is legal, even if it does not pay.
    pub always: bool,
    /// Whether multiply-adds may change.
    pub results: Results,
    /// The counts of an earlier run.
    pub map: Option<Rc<Feedback>>,
    /// Make versions of kernels, among which the host chooses at the launch.
    pub versions: bool,
}

impl From<&Settings> for Options {
    /// Without a map; whoever reads the file adds it.
    fn from(settings: &Settings) -> Options {
        Options {
            analysis: settings.analysis(),
            regs: settings.regs,
            always: settings.always,
            results: settings.results,
            map: None,
            // what is counted is the code of the source
            versions: settings.versions && !settings.runs(Transform::Map),
        }
    }
}
