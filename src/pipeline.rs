//! Which transforms run, in which order, and what state is kept while a module is compiled?

mod alternatives;
mod code;
mod tuning;

use crate::choices::Choices;
use crate::counts::Feedback;
use crate::llvm::handle::{Function, Module};
use crate::llvm::plans::Plans;
use crate::llvm::remark::{Host, Kind, Said};
use crate::settings::enabled::read_annotations;
use crate::settings::{DEFAULT, FREE_ARRAYS, Settings, SettingsError, Transform};
use crate::{annotate, arrays, fuse, idioms, inline, map, steer, unroll};
use std::cell::OnceCell;
use std::rc::Rc;

/// A pass that a pipeline can name: one transform, or the default pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    One(Transform),
    Default,
}

/// A number that does not identify a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no pass has the number {0}")]
pub struct NoPass(i32);

impl Pass {
    /// All passes.
    const ALL: [Pass; 6] = [
        Pass::One(Transform::ALL[0]),
        Pass::One(Transform::ALL[1]),
        Pass::One(Transform::ALL[2]),
        Pass::One(Transform::ALL[3]),
        Pass::One(Transform::ALL[4]),
        Pass::Default,
    ];

    /// The pass with this name.
    pub fn of_name(name: &str) -> Option<Pass> {
        Pass::ALL.into_iter().find(|pass| pass.name() == name)
    }

    /// The name of the pass.
    pub fn name(self) -> &'static str {
        match self {
            Pass::One(transform) => transform.pass(),
            Pass::Default => DEFAULT,
        }
    }

    /// The number by which the C++ side identifies the pass.
    pub fn number(self) -> i32 {
        match self {
            Pass::One(transform) => transform as i32,
            Pass::Default => Transform::ALL.len() as i32,
        }
    }
}

impl TryFrom<i32> for Pass {
    type Error = NoPass;

    fn try_from(number: i32) -> Result<Pass, NoPass> {
        Pass::ALL.into_iter().find(|pass| pass.number() == number).ok_or(NoPass(number))
    }
}

/// State that lives as long as one module is compiled: the command-line options in effect for it, what was derived from
/// them, and the remarks already emitted. None of it outlives the module.
#[derive(Debug, Default)]
pub struct Session {
    settings: Settings,
    said: Said,
    /// The map of `-warpwise-map`, read on first use; `None` if it cannot be used, which is reported once.
    feedback: OnceCell<Option<Rc<Feedback>>>,
    /// The choice file of `-warpwise-choices`, in the same way.
    choices: OnceCell<Option<Rc<Choices>>>,
    /// The plans that were made under `-warpwise-limit`.
    plans: Plans,
}

impl Session {
    /// A session for a module that is compiled with these options.
    pub fn new(settings: Settings) -> Session {
        let said = Said::of(settings.remarks.clone());
        Session { plans: Plans::new(settings.limit), said, settings, ..Session::default() }
    }

    /// The command-line options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The remarks already emitted for the module.
    pub fn said(&self) -> &Said {
        &self.said
    }

    /// The command-line options, overridden by the parameters of a pass.
    pub fn with(&self, pass: &str, parameters: &str) -> Result<Settings, SettingsError> {
        self.settings.clone().with_parameters(pass, parameters)
    }

    /// The host under the limit on plans; one between the brackets of a pass is the pass's own.
    fn limited<'a>(&'a self, host: &Host<'a>, settings: &Settings, own: &'a Plans) -> Host<'a> {
        host.limited(if settings.limit == self.settings.limit { &self.plans } else { own })
    }

    /// The counts of an earlier run, for transforms that use them; a file that cannot be used is a compilation error.
    fn feedback(&self, function: Function<'_>, host: &Host<'_>) -> Option<Rc<Feedback>> {
        let path = self.settings.map_file.as_ref()?;
        let read = || match Feedback::read(path) {
            Ok(feedback) => Some(Rc::new(feedback)),
            Err(error) => {
                host.emit(Kind::Error, function, None, "MapFile", &format!("-warpwise-map: {error}"));
                None
            }
        };
        self.feedback.get_or_init(read).clone()
    }

    /// What an earlier run measured, for kernels to be built as they were fastest; the file is reported once if it cannot
    /// be used.
    fn choices(&self, settings: &Settings, function: Function<'_>, host: &Host<'_>) -> Option<Rc<Choices>> {
        let path = settings.choices.as_ref()?;
        let read = || match Choices::read(path) {
            Ok(choices) => Some(Rc::new(choices)),
            Err(error) => {
                host.emit(Kind::Error, function, None, "TuningFile", &format!("-warpwise-choices: {error}"));
                None
            }
        };
        self.choices.get_or_init(read).clone()
    }

    fn fuse_options(&self, settings: &Settings, function: Option<Function<'_>>, host: &Host<'_>) -> fuse::Options {
        let map = function.and_then(|function| self.feedback(function, host));
        fuse::Options { map, ..fuse::Options::from(settings) }
    }
}

/// Runs a pass over a module and returns whether the module changed. Parameters were checked when the pipeline was
/// parsed.
pub fn run(
    pass: Pass,
    module: Module<'_>,
    parameters: &str,
    session: &Session,
    host: &Host<'_>,
) -> Result<bool, SettingsError> {
    let settings = session.with(pass.name(), parameters)?;
    let own = Plans::new(settings.limit);
    let host = &session.limited(host, &settings, &own);
    let changed = read_annotations(module);
    let written = pass == Pass::Default && settings.writes_idioms() && idioms::run_late(module, host);
    let changed = changed || written;
    let run = |transform| run_transform(transform, module, &settings, session, host);
    let transformed = match pass {
        Pass::One(one) => run(one),
        Pass::Default if settings.is_tuned() => tuning::run(module, &settings, session, host),
        Pass::Default => run_enabled(module, &settings, session, host),
    };
    Ok(transformed || changed)
}

/// Runs the transforms that the settings enable.
fn run_enabled(module: Module<'_>, settings: &Settings, session: &Session, host: &Host<'_>) -> bool {
    let enabled = Transform::ALL.into_iter().filter(|&transform| settings.runs(transform));
    run_all(enabled, module, settings, session, host)
}

/// Runs transforms in turn; returns whether any of them changed the module.
fn run_all(
    transforms: impl Iterator<Item = Transform>,
    module: Module<'_>,
    settings: &Settings,
    session: &Session,
    host: &Host<'_>,
) -> bool {
    let mut changed = false;
    for transform in transforms {
        changed |= run_transform(transform, module, settings, session, host);
    }
    changed
}

fn run_transform(
    transform: Transform,
    module: Module<'_>,
    settings: &Settings,
    session: &Session,
    host: &Host<'_>,
) -> bool {
    match transform {
        Transform::Unroll => unroll::run(module, &settings.into(), host),
        Transform::Annotate => annotate::run(module, &settings.into(), host),
        Transform::Fuse => {
            let options = session.fuse_options(settings, first_body(module), host);
            // what is built to be measured, or as was measured, is not fused earlier
            let fuse = if settings.is_tuned() { fuse::run_late } else { fuse::run };
            fuse(module, &options, host)
        }
        Transform::Steer => steer::run(module, &settings.into(), host),
        Transform::Map => map::run(module, &settings.into(), host),
    }
}

/// Inlines calls that keep stack objects in memory, in the middle of a pipeline; returns whether the module changed.
pub fn inline_calls(module: Module<'_>, stage: inline::Stage, session: &Session, host: &Host<'_>) -> bool {
    inline::run(module, stage, session.settings.results, &host.limited(&session.plans))
}

/// Unrolls loops that keep stack objects in memory, and counts bits at once, in the middle of a pipeline; returns whether the module changed.
/// Parameters were checked when the pipeline was parsed.
pub fn free_arrays(
    module: Module<'_>,
    parameters: &str,
    session: &Session,
    host: &Host<'_>,
) -> Result<bool, SettingsError> {
    let settings = session.with(FREE_ARRAYS, parameters)?;
    let own = Plans::new(settings.limit);
    let host = &session.limited(host, &settings, &own);
    let freed = arrays::run(module, settings.analysis(), settings.results, host);
    Ok((settings.writes_idioms() && idioms::run_early(module, host)) || freed)
}

/// Runs `fuse-branches` on one function, in the middle of a pipeline; returns whether it changed.
pub fn fuse_function(function: Function<'_>, session: &Session, host: &Host<'_>) -> bool {
    if session.settings.is_tuned() {
        return false;
    }
    let host = &host.limited(&session.plans);
    fuse::run_early(function, &session.fuse_options(&session.settings, Some(function), host), host)
}

/// Runs `fuse-branches` on a module, in the middle of a pipeline; returns whether it changed.
/// Before a link no version is made, since the linker may still remove what nothing seems to use.
pub fn fuse_module(module: Module<'_>, before_link: bool, session: &Session, host: &Host<'_>) -> bool {
    let host = &host.limited(&session.plans);
    let changed = read_annotations(module);
    if session.settings.is_tuned() {
        return changed;
    }
    let mut options = session.fuse_options(&session.settings, first_body(module), host);
    options.versions &= !before_link;
    fuse::run_late(module, &options, host) || changed
}

fn first_body(module: Module<'_>) -> Option<Function<'_>> {
    module.functions().find(|function| !function.is_declaration())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_names_and_numbers() {
        for (number, pass) in Pass::ALL.into_iter().enumerate() {
            assert_eq!(Pass::of_name(pass.name()), Some(pass));
            assert_eq!(Pass::try_from(number as i32), Ok(pass));
        }
        assert_eq!(Pass::of_name("affine-divergence"), None);
        for wrong in [-1, 6, i32::MAX, i32::MIN] {
            assert!(Pass::try_from(wrong).unwrap_err().to_string().contains(&wrong.to_string()));
        }
    }
}
