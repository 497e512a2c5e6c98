//! Which passes are there? One row each: its name in a pipeline, whose code it changes, when clang's pipelines run it, and
//! what it does. [`schedule`](crate::schedule) says where.

use crate::local_memory::inline::Stage;
use crate::pipeline::{self, Phase, Run, Session};
use crate::settings::transform::{IDIOMS, REMARKS, UNROLL_WHOLE};
use crate::settings::{DEFAULT, FREE_ARRAYS, INLINE_CALLS, Settings, SettingsError, Transform};
use crate::{launch, map, remarks};
use bitflags::bitflags;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::Host;

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    MapHost,
    VersionsHost,
    Begin,
    InlineEarly,
    Inline,
    FreeArrays,
    Idioms,
    UnrollWhole,
    Fuse,
    FuseFunction,
    FuseModule,
    Unroll,
    Annotate,
    Steer,
    Map,
    Remarks,
    Unoptimised,
    Default,
}

bitflags! {
    /// What the C++ side must know of a pass; `passes/abi.h` has the same.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Traits: u32 {
        /// It changes device code.
        const DEVICE = 1;
        /// It changes host code. Modules of another kind are left alone.
        const HOST = 2;
        /// It runs whatever `-opt-bisect-limit` says.
        const REQUIRED = 4;
        /// It emits remarks from facts that LLVM's pass manager keeps.
        const FACTS = 8;
    }
}

/// The row of a pass.
pub struct Info {
    pub pass: Pass,
    /// Its name.
    pub name: &'static str,
    /// Whether a pipeline can name it; otherwise only clang's pipelines run it.
    pub is_public: bool,
    pub traits: Traits,
    /// Whether clang's pipelines run it, given the options.
    pub is_wanted: fn(&Settings) -> bool,
    /// Runs it; returns whether the module changed.
    pub run: fn(&Run<'_, '_>) -> Result<bool, SettingsError>,
}

const ALWAYS: fn(&Settings) -> bool = |_| true;
const FUSES: fn(&Settings) -> bool = |settings| settings.runs(Transform::Fuse);
/// What is built to be measured, or as was measured, is not fused early.
const FUSES_EARLY: fn(&Settings) -> bool = |settings| settings.runs(Transform::Fuse) && !settings.is_tuned();
const COUNTS: fn(&Settings) -> bool = |settings| settings.runs(Transform::Map);

/// A pass over device code that a pipeline can name.
const fn named(
    pass: Pass,
    name: &'static str,
    is_wanted: fn(&Settings) -> bool,
    run: fn(&Run<'_, '_>) -> Result<bool, SettingsError>,
) -> Info {
    Info { pass, name, is_public: true, traits: Traits::DEVICE, is_wanted, run }
}

/// What only clang's pipelines run.
const fn inner(
    pass: Pass,
    name: &'static str,
    is_wanted: fn(&Settings) -> bool,
    run: fn(&Run<'_, '_>) -> Result<bool, SettingsError>,
) -> Info {
    Info { is_public: false, ..named(pass, name, is_wanted, run) }
}

/// All passes, in the order of [`Pass`].
pub const PASSES: &[Info] = &[
    Info {
        traits: Traits::HOST.union(Traits::REQUIRED),
        ..named(Pass::MapHost, "divergence-map-host", COUNTS, |run| {
            Ok(map::run_host(run.module, run.session.settings()))
        })
    },
    Info {
        traits: Traits::HOST.union(Traits::REQUIRED),
        ..named(Pass::VersionsHost, "versions-host", Settings::chooses_versions, |run| {
            Ok(launch::run(run.module, run.session.settings().measures(), run.host))
        })
    },
    // function passes may use the session of a module but not begin it
    Info {
        traits: Traits::DEVICE.union(Traits::HOST).union(Traits::REQUIRED),
        ..inner(Pass::Begin, "warpwise-begin", ALWAYS, |run| {
            Ok(run.module.is_nvptx() && Editor::new(run.module).move_large_tables())
        })
    },
    inner(Pass::InlineEarly, "inline-calls-early", Settings::inlines, |run| {
        Ok(pipeline::inline_calls(run, Stage::Early))
    }),
    named(Pass::Inline, INLINE_CALLS, Settings::inlines, |run| Ok(pipeline::inline_calls(run, Stage::Late))),
    named(Pass::FreeArrays, FREE_ARRAYS, Settings::frees_arrays, pipeline::free_arrays),
    named(Pass::Idioms, IDIOMS, Settings::writes_idioms, pipeline::write_idioms),
    named(Pass::UnrollWhole, UNROLL_WHOLE, Settings::unrolls_whole, pipeline::unroll_whole),
    named(Pass::Fuse, Transform::Fuse.pass(), FUSES, |run| pipeline::run_one(run, Transform::Fuse)),
    // its own entry of `abi` runs it
    inner(Pass::FuseFunction, "fuse-branches-function", FUSES_EARLY, |_| Ok(false)),
    inner(Pass::FuseModule, "fuse-branches-module", FUSES_EARLY, |run| Ok(pipeline::fuse_module(run))),
    named(Pass::Unroll, Transform::Unroll.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Unroll)),
    named(Pass::Annotate, Transform::Annotate.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Annotate)),
    named(Pass::Steer, Transform::Steer.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Steer)),
    named(Pass::Map, Transform::Map.pass(), COUNTS, |run| pipeline::run_one(run, Transform::Map)),
    Info { traits: Traits::DEVICE.union(Traits::FACTS), ..named(Pass::Remarks, REMARKS, ALWAYS, |_| Ok(false)) },
    Info {
        traits: Traits::DEVICE.union(Traits::REQUIRED),
        ..inner(Pass::Unoptimised, "warpwise-unoptimised", ALWAYS, |run| {
            remarks::say_unoptimised(run.module, run.host);
            Ok(false)
        })
    },
    named(Pass::Default, DEFAULT, ALWAYS, pipeline::run_default),
];

// `passes/abi.h` has types for so many
const _: () = assert!(PASSES.len() <= 32);

/// A number that does not identify a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no pass has the number {0}")]
pub struct NoPass(i32);

impl Pass {
    /// Its row.
    pub fn info(self) -> &'static Info {
        &PASSES[self as usize]
    }

    /// The pass with this name.
    pub fn of_name(name: &str) -> Option<Pass> {
        PASSES.iter().find(|info| info.is_public && info.name == name).map(|info| info.pass)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Runs it over a module; returns whether the module changed.
    pub fn run(
        self,
        module: Module<'_>,
        parameters: &str,
        session: &Session,
        host: &Host<'_>,
    ) -> Result<bool, SettingsError> {
        (self.info().run)(&Run { module, parameters, phase: Phase::default(), session, host })
    }

    /// The number by which the C++ side identifies it.
    pub fn number(self) -> i32 {
        self as i32
    }
}

impl TryFrom<i32> for Pass {
    type Error = NoPass;

    fn try_from(number: i32) -> Result<Pass, NoPass> {
        usize::try_from(number).ok().and_then(|number| PASSES.get(number)).map(|info| info.pass).ok_or(NoPass(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_names_and_numbers() {
        for (number, info) in PASSES.iter().enumerate() {
            assert_eq!(Pass::try_from(number as i32), Ok(info.pass));
            assert_eq!(info.pass.number(), number as i32);
            assert_eq!(Pass::of_name(info.name), info.is_public.then_some(info.pass));
        }
        assert_eq!(Pass::of_name("affine-divergence"), None);
        for wrong in [-1, PASSES.len() as i32, i32::MAX, i32::MIN] {
            assert!(Pass::try_from(wrong).unwrap_err().to_string().contains(&wrong.to_string()));
        }
    }
}
