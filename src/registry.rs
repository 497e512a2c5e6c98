//! Which passes are there, and where do clang's pipelines run them?
//!
//! [`PASSES`] has one row for each: its name in a pipeline, whose code it changes, which options want it, and what it does. A row
//! of [`SCHEDULE`] reads: at this point, at these levels, in these phases of a link, this pass. Rows at the same point run in
//! the order of the table. Whether a module is for our target, and whether the options want a pass, is asked when it runs and
//! when the pipeline is built. A new pass is a folder, its `mod`, and a row in each table.

use crate::local_memory::inline::Stage;
use crate::pipeline::{self, Phase, Run, Session};
use crate::settings::transform::{IDIOMS, REMARKS, UNROLL_WHOLE, UNSWITCH};
use crate::settings::{DEFAULT, FREE_ARRAYS, INLINE_CALLS, Settings, SettingsError, Transform};
use crate::{launch, map, remarks, unroll};
use bitflags::bitflags;
use std::fmt;
use std::ops::RangeInclusive;
use warpwise_ir::llvm::handle::Module;
use warpwise_ir::llvm::remark::PassManager;

/// A pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    MapHost,
    VersionsHost,
    Begin,
    InlineEarly,
    IdiomsEarly,
    Inline,
    FreeArrays,
    Idioms,
    Unswitch,
    UnrollWhole,
    Fuse,
    FuseFunction,
    FuseModule,
    Unroll,
    Annotate,
    Steer,
    Coarsen,
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
            Ok(launch::run(run.module, run.session.settings().measures(), run.manager))
        })
    },
    // function passes may use the session of a module but not begin it
    Info {
        traits: Traits::DEVICE.union(Traits::HOST).union(Traits::REQUIRED),
        ..inner(Pass::Begin, "warpwise-begin", ALWAYS, |run| Ok(run.module.is_nvptx() && pipeline::begin(run)))
    },
    inner(Pass::InlineEarly, "inline-calls-early", Settings::frees_arrays, |run| {
        Ok(pipeline::inline_calls(run, Stage::Early))
    }),
    inner(Pass::IdiomsEarly, "idioms-early", Settings::writes_idioms, |run| Ok(pipeline::mark_branches(run))),
    named(Pass::Inline, INLINE_CALLS, Settings::frees_arrays, |run| Ok(pipeline::inline_calls(run, Stage::Late))),
    named(Pass::FreeArrays, FREE_ARRAYS, Settings::frees_arrays, pipeline::free_arrays),
    named(Pass::Idioms, IDIOMS, Settings::writes_idioms, pipeline::write_idioms),
    named(Pass::Unswitch, UNSWITCH, Settings::unrolls_whole, |run| {
        pipeline::run_part_of_unroll(run, UNSWITCH, unroll::run_unswitch)
    }),
    named(Pass::UnrollWhole, UNROLL_WHOLE, Settings::unrolls_whole, |run| {
        pipeline::run_part_of_unroll(run, UNROLL_WHOLE, unroll::run_whole)
    }),
    named(Pass::Fuse, Transform::Fuse.pass(), FUSES, |run| pipeline::run_one(run, Transform::Fuse)),
    // its own entry of `abi` runs it
    inner(Pass::FuseFunction, "fuse-branches-function", FUSES, |_| Ok(false)),
    inner(Pass::FuseModule, "fuse-branches-module", FUSES, |run| Ok(pipeline::fuse_module(run))),
    named(Pass::Unroll, Transform::Unroll.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Unroll)),
    named(Pass::Annotate, Transform::Annotate.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Annotate)),
    named(Pass::Steer, Transform::Steer.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Steer)),
    named(Pass::Coarsen, Transform::Coarsen.pass(), ALWAYS, |run| pipeline::run_one(run, Transform::Coarsen)),
    named(Pass::Map, Transform::Map.pass(), COUNTS, |run| pipeline::run_one(run, Transform::Map)),
    Info { traits: Traits::DEVICE.union(Traits::FACTS), ..named(Pass::Remarks, REMARKS, ALWAYS, |_| Ok(false)) },
    Info {
        traits: Traits::DEVICE.union(Traits::REQUIRED),
        ..inner(Pass::Unoptimised, "warpwise-unoptimised", ALWAYS, |run| {
            remarks::say_unoptimised(run.module, run.manager);
            Ok(false)
        })
    },
    named(Pass::Default, DEFAULT, ALWAYS, pipeline::run_default),
];

// `passes/abi.h` has types for so many
const _: () = assert!(PASSES.len() <= 32);

/// An extension point of LLVM's pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Point {
    /// Before everything.
    Start = 0,
    /// Before anything is inlined.
    EarlySimplification = 1,
    /// At the start of full link-time optimisation.
    FullLinkTimeEarly = 2,
    /// On a function, after each run of InstCombine.
    Peephole = 3,
    /// Inlining is done, loops are not vectorised or unrolled yet.
    OptimizerEarly = 4,
    /// The end.
    OptimizerLast = 5,
}

/// In which phases a pass runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phases {
    Any,
    /// A module that is not linked with others.
    Alone,
    BeforeLink,
    /// Alone, or after the link.
    Final,
}

impl Phases {
    /// One bit for each phase.
    pub fn mask(self) -> u32 {
        let has = |phase: &Phase| match self {
            Phases::Any => true,
            Phases::Alone => *phase == Phase::Alone,
            Phases::BeforeLink => phase.is_before_link(),
            Phases::Final => !phase.is_before_link(),
        };
        Phase::ALL.into_iter().filter(has).map(|phase| 1 << phase as u32).sum()
    }
}

/// A row of the schedule.
#[derive(Debug)]
pub struct Step {
    pub point: Point,
    /// `-O0` to `-O3`; `-Os` and `-Oz` count as 2.
    pub levels: RangeInclusive<u32>,
    pub phases: Phases,
    pub pass: Pass,
}

const fn at(point: Point, levels: RangeInclusive<u32>, phases: Phases, pass: Pass) -> Step {
    Step { point, levels, phases, pass }
}

/// The schedule.
#[rustfmt::skip]
pub const SCHEDULE: &[Step] = &[
    // the functions in which clang registers kernels are inlined later
    at(Point::Start,               0..=3, Phases::Any,        Pass::MapHost),
    at(Point::Start,               0..=3, Phases::Any,        Pass::VersionsHost),
    at(Point::EarlySimplification, 2..=3, Phases::Alone,      Pass::InlineEarly),
    at(Point::EarlySimplification, 0..=3, Phases::Any,        Pass::Begin),
    // SimplifyCFG has not seen variables as values yet
    at(Point::EarlySimplification, 2..=3, Phases::Alone,      Pass::IdiomsEarly),
    at(Point::FullLinkTimeEarly,   0..=3, Phases::Any,        Pass::Begin),
    // before loops are unrolled and SimplifyCFG splits up the sides, so that all later passes see the melded code
    at(Point::Peephole,            0..=3, Phases::Any,        Pass::FuseFunction),
    // LLVM has inlined what it wants to
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::Inline),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::FreeArrays),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::Idioms),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::Unswitch),
    at(Point::OptimizerEarly,      2..=3, Phases::Final,      Pass::UnrollWhole),
    at(Point::OptimizerEarly,      1..=3, Phases::Any,        Pass::FuseModule),
    at(Point::OptimizerLast,       0..=0, Phases::Any,        Pass::Unoptimised),
    at(Point::OptimizerLast,       1..=3, Phases::Any,        Pass::Remarks),
    // before the link the module is not final: inlining and the bodies of callers are still to come
    at(Point::OptimizerLast,       1..=3, Phases::Final,      Pass::Default),
    at(Point::OptimizerLast,       0..=0, Phases::Any,        Pass::Map),
    at(Point::OptimizerLast,       1..=3, Phases::BeforeLink, Pass::Map),
];

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (self.levels.start(), self.levels.end());
        let levels = if least == most { format!("-O{least}") } else { format!("-O{least} to -O{most}") };
        let phases = match self.phases {
            Phases::Any => "any",
            Phases::Alone => "no link",
            Phases::BeforeLink => "before a link",
            Phases::Final => "no link, or after it",
        };
        write!(f, "| {:?} | {levels} | {phases} | `{}` |", self.point, self.pass.name())
    }
}

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
        manager: &PassManager<'_>,
    ) -> Result<bool, SettingsError> {
        (self.info().run)(&Run { module, parameters, phase: Phase::default(), session, manager })
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

    #[test]
    fn the_document_has_the_schedule() {
        let text = include_str!("../docs/PASSES.md");
        let table: Vec<String> = SCHEDULE.iter().map(Step::to_string).collect();
        assert!(text.contains(&table.join("\n")), "docs/PASSES.md should have:\n{}", table.join("\n"));
    }

    #[test]
    fn phases_are_bits() {
        assert_eq!(Phases::Any.mask(), 0b11111);
        assert_eq!(Phases::Alone.mask(), 0b00001);
        assert_eq!(Phases::BeforeLink.mask(), 0b01010);
        assert_eq!(Phases::Final.mask(), 0b10101);
        assert_eq!(Phase::of_number(3), Phase::BeforeFullLink);
    }
}
