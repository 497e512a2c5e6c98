//! Which transforms run, in which order, and what state is kept while a module is compiled?

mod alternatives;
mod code;
mod tuning;

use crate::choices::Choices;
use crate::fuse::Fuse;
use crate::idioms::{self, divisions};
use crate::local_memory::{arrays, inline, split};
use crate::settings::enabled::read_annotations;
use crate::settings::transform::IDIOMS;
use crate::settings::{DEFAULT, FREE_ARRAYS, INLINE_CALLS, Results, Settings, SettingsError, Transform};
use crate::{annotate, assembler, coarsen, map, steer, unroll};
use std::cell::OnceCell;
use std::fmt::Display;
use std::rc::Rc;
use warpwise_analysis::counts::Feedback;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::llvm::plans::Plans;
use warpwise_ir::llvm::remark::{Kind, PassManager, Said};

/// Whether a module is compiled alone or linked with others at link time; LLVM's `ThinOrFullLTOPhase`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Phase {
    #[default]
    Alone = 0,
    BeforeThinLink = 1,
    AfterThinLink = 2,
    BeforeFullLink = 3,
    AfterFullLink = 4,
}

impl Phase {
    /// All phases, by number.
    pub const ALL: [Phase; 5] =
        [Phase::Alone, Phase::BeforeThinLink, Phase::AfterThinLink, Phase::BeforeFullLink, Phase::AfterFullLink];

    /// The phase with LLVM's number.
    pub fn of_number(number: u32) -> Phase {
        Phase::ALL.get(number as usize).copied().unwrap_or_default()
    }

    /// Whether other modules are still to come: nothing of this one is final.
    pub fn is_before_link(self) -> bool {
        matches!(self, Phase::BeforeThinLink | Phase::BeforeFullLink)
    }
}

/// What a pass runs on.
pub struct Run<'a, 'm> {
    pub module: Module<'m>,
    /// What stands between the brackets of its name; it was checked when the pipeline was parsed.
    pub parameters: &'a str,
    /// Where a link is, for passes in clang's pipelines.
    pub phase: Phase,
    pub session: &'a Session,
    pub manager: &'a PassManager<'a>,
}

/// What transforms run on, and how.
#[derive(Clone, Copy)]
struct Job<'a, 'm> {
    module: Module<'m>,
    settings: &'a Settings,
    session: &'a Session,
    manager: &'a PassManager<'a>,
}

/// State that lives as long as one module is compiled: the command-line options in effect for it, what was derived from
/// them, and the remarks already emitted. None of it outlives the module.
#[derive(Debug, Default)]
pub struct Session {
    settings: Settings,
    said: Said,
    /// The map of `-warpwise-profile-use`, read on first use; `None` if it cannot be used, which is reported once.
    feedback: OnceCell<Option<Rc<Feedback>>>,
    /// The choice file of `-warpwise-choices`, in the same way.
    choices: OnceCell<Option<Rc<Choices>>>,
    /// The plans that were made under `-warpwise-limit`.
    plans: Plans,
}

impl Session {
    /// A session for a module that is compiled with these options.
    pub fn new(settings: Settings) -> Session {
        let said = Said::of(settings.remarks.clone(), settings.trace);
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

    /// The pass manager under the limit on plans; one between the brackets of a pass is the pass's own.
    fn limited<'a>(&'a self, manager: &PassManager<'a>, settings: &Settings, own: &'a Plans) -> PassManager<'a> {
        manager.limited(if settings.limit == self.settings.limit { &self.plans } else { own })
    }

    /// The counts of an earlier run, for transforms that use them; a file that cannot be used is a compilation error.
    fn feedback(&self, function: Function<'_>, manager: &PassManager<'_>) -> Option<Rc<Feedback>> {
        let path = self.settings.map_file.as_ref()?;
        let says = |message: &str| manager.emit(Kind::Error, function, None, "MapFile", message);
        read_once(&self.feedback, || Feedback::read(path), "-warpwise-profile-use", says)
    }

    /// What an earlier run measured, for kernels to be built as they were fastest; the file is reported once if it cannot
    /// be used.
    fn choices(&self, settings: &Settings, function: Function<'_>, manager: &PassManager<'_>) -> Option<Rc<Choices>> {
        let path = settings.choices.as_ref()?;
        let says = |message: &str| manager.emit(Kind::Error, function, None, "TuningFile", message);
        read_once(&self.choices, || Choices::read(path), "-warpwise-choices", says)
    }

    /// `fuse-branches` for a module, or for one function of it.
    fn fuse<'a>(
        &self,
        settings: &'a Settings,
        function: Option<Function<'_>>,
        manager: &'a PassManager<'a>,
    ) -> Fuse<'a> {
        Fuse::new(settings, function.and_then(|function| self.feedback(function, manager)), manager)
    }
}

/// What the file of an option holds, read on first use; says once why if it cannot be used.
fn read_once<T, E: Display>(
    known: &OnceCell<Option<Rc<T>>>,
    read: impl FnOnce() -> Result<T, E>,
    option: &str,
    says: impl FnOnce(&str),
) -> Option<Rc<T>> {
    let read = || read().map_err(|error| says(&format!("{option}: {error}"))).ok().map(Rc::new);
    known.get_or_init(read).clone()
}

/// Runs a transform that a pipeline names; returns whether the module changed.
pub fn run_one(run: &Run<'_, '_>, transform: Transform) -> Result<bool, SettingsError> {
    run_named(run, transform.pass(), |job| {
        let changed = run_transform(job, transform);
        if changed {
            assembler::run(job.module, job.manager);
        }
        changed
    })
}

/// Runs the default pipeline; returns whether the module changed.
pub fn run_default(run: &Run<'_, '_>) -> Result<bool, SettingsError> {
    run_named(run, DEFAULT, |job| {
        let Job { module, settings, manager, .. } = job;
        let is_unmarked = divisions::forget(module);
        let written = settings.writes_idioms()
            && manager.run(IDIOMS, |manager| idioms::run_late(module, settings.results, manager));
        let transformed = match settings.is_tuned() {
            true => tuning::run(job),
            false => run_enabled(job),
        };
        let aligned = settings.writes_idioms() && idioms::align(module, manager);
        assembler::run(module, manager) || written || transformed || aligned || is_unmarked
    })
}

/// Runs a pass with its parameters, under the limit on plans.
fn run_named(run: &Run<'_, '_>, name: &str, body: impl FnOnce(Job<'_, '_>) -> bool) -> Result<bool, SettingsError> {
    let Run { module, session, .. } = *run;
    let settings = &session.with(name, run.parameters)?;
    let own = Plans::new(settings.limit);
    let manager = &session.limited(run.manager, settings, &own);
    let changed = read_annotations(module);
    Ok(body(Job { module, settings, session, manager }) || changed)
}

/// Runs the transforms that the settings enable.
fn run_enabled(job: Job<'_, '_>) -> bool {
    run_all(job, Transform::ALL.into_iter().filter(|&transform| job.settings.runs(transform)))
}

/// Runs transforms in turn; returns whether any of them changed the module.
fn run_all(job: Job<'_, '_>, transforms: impl Iterator<Item = Transform>) -> bool {
    let mut changed = false;
    transforms.for_each(|transform| changed |= run_transform(job, transform));
    changed
}

fn run_transform(job: Job<'_, '_>, transform: Transform) -> bool {
    let Job { module, settings, session, manager } = job;
    manager.run(transform.pass(), |manager| match transform {
        Transform::Unroll => unroll::run(module, settings, manager),
        Transform::Annotate => annotate::run(module, settings, manager),
        Transform::Fuse => session.fuse(settings, first_body(module), manager).run(module),
        Transform::Steer => steer::run(module, settings, manager),
        Transform::Coarsen => coarsen::run(module, settings, manager),
        Transform::Map => map::run(module, settings, manager),
    })
}

/// Inlines calls that keep stack objects in memory, in the middle of a pipeline; returns whether the module changed.
pub fn inline_calls(run: &Run<'_, '_>, stage: inline::Stage) -> bool {
    let Run { module, session, manager, .. } = *run;
    let manager = &manager.limited(&session.plans);
    manager.run(INLINE_CALLS, |manager| inline::run(module, stage, session.settings.results, manager))
}

/// Unrolls loops that keep stack objects in memory; returns whether the module changed.
pub fn free_arrays(run: &Run<'_, '_>) -> Result<bool, SettingsError> {
    run_named(run, FREE_ARRAYS, |Job { module, settings, manager, .. }| {
        manager.run(FREE_ARRAYS, |manager| arrays::run(module, settings.analysis(), settings.results, manager))
    })
}

/// Prepares the variables of a module for all passes; returns whether it changed.
pub fn begin(run: &Run<'_, '_>) -> bool {
    let mut editor = Editor::new(run.module);
    let is_aligned = run.session.settings().writes_idioms() && editor.align_dynamic_shared();
    editor.move_large_tables() || is_aligned
}

/// Marks branches that LLVM should not execute divisions ahead of; returns whether any is marked.
pub fn mark_branches(run: &Run<'_, '_>) -> bool {
    run.manager.run(IDIOMS, |manager| divisions::mark(run.module, run.session.settings().results, manager))
}

/// Decides about branches around divisions, splits copies of stack objects, and counts bits at once; returns whether the
/// module changed.
pub fn write_idioms(run: &Run<'_, '_>) -> Result<bool, SettingsError> {
    run_named(run, IDIOMS, |Job { module, settings, manager, .. }| {
        manager.run(IDIOMS, |manager| {
            let is_settled = divisions::settle(module, settings.results, manager);
            let is_split = split::run(module, settings.results, manager) || is_settled;
            idioms::run_early(module, settings.results, manager) || is_split
        })
    })
}

/// Runs a pass over a module that is part of `unroll-loops`; returns whether the module changed.
pub fn run_part_of_unroll(
    run: &Run<'_, '_>,
    name: &str,
    part: fn(Module<'_>, Results, &PassManager<'_>) -> bool,
) -> Result<bool, SettingsError> {
    run_named(run, name, |Job { module, settings, manager, .. }| {
        manager.run(Transform::Unroll.pass(), |manager| part(module, settings.results, manager))
    })
}

/// Runs `fuse-branches` on one function, in the middle of a pipeline; returns whether it changed.
pub fn fuse_function(function: Function<'_>, session: &Session, manager: &PassManager<'_>) -> bool {
    let manager = &manager.limited(&session.plans);
    session.fuse(&session.settings, Some(function), manager).run_early(function)
}

/// Runs `fuse-branches` on a module, in the middle of a pipeline; returns whether it changed.
pub fn fuse_module(run: &Run<'_, '_>) -> bool {
    let Run { module, session, .. } = *run;
    let manager = &run.manager.limited(&session.plans);
    let changed = read_annotations(module);
    session.fuse(&session.settings, first_body(module), manager).run_late(module) || changed
}

fn first_body(module: Module<'_>) -> Option<Function<'_>> {
    module.functions().find(|function| !function.is_declaration())
}
