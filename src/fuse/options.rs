//! What is fuse-branches asked to do?

use crate::counts::Feedback;
use crate::divergence;
use crate::settings::Settings;
use std::rc::Rc;

/// What the pass is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub analysis: divergence::Options,
    /// Registers a thread may use; beats the kernel's own bounds.
    pub regs: Option<u32>,
    /// Meld whatever may be melded, whether or not it pays.
    pub always: bool,
    /// What an earlier run counted.
    pub map: Option<Rc<Feedback>>,
}

impl From<&Settings> for Options {
    /// Without a map: whoever reads the file puts it in.
    fn from(settings: &Settings) -> Options {
        Options { analysis: settings.analysis(), regs: settings.regs, always: settings.always, map: None }
    }
}
