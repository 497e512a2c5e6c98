//! Which alternatives does a kernel have, and how is one built?
//!
//! An alternative is what some of the transforms make of a kernel, with the refusals lifted that are about cost and not
//! about correctness. They are few, because each costs a kernel's code and launches in which it is measured.

use super::code::text_with_made;
use super::{Job, run_all};
use crate::choices::VERSION;
use crate::settings::{Profit, Settings, Transform};
use crate::slots::pragma;
use crate::versions;
use rustc_hash::FxHashSet;
use warpwise_analysis::divergence::ModuleAnalysis;
use warpwise_analysis::gpu::occupancy::register_budget;
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::launch_table::{LaunchVersion, MAX_ALTERNATIVES};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module, Value};

/// What the code of a copy is called until it is known to stay.
const TRY: &str = "$try";

/// A kind of alternative.
#[derive(Clone, PartialEq, Debug)]
pub struct AlternativeKind {
    /// Its name; of versions what their numbers follow.
    pub name: &'static str,
    settings: Settings,
    transforms: Vec<Transform>,
}

/// An alternative of a kernel as a function of its own.
pub struct Built<'m> {
    pub name: String,
    pub function: Function<'m>,
    /// When and with how much memory it may run.
    pub version: LaunchVersion,
}

/// The name of the kind in which ptxas may spill to shared memory.
const SMEM: &str = "smem";

/// The name of the kind with unrolled loops.
const UNROLL: &str = Transform::Unroll.word();

impl AlternativeKind {
    /// The kinds that settings allow, the most promising ones first.
    pub fn all(settings: &Settings) -> Vec<AlternativeKind> {
        let settings = Settings { versions: false, ..settings.clone() };
        let enabled = Transform::ALL.into_iter().filter(|&transform| settings.runs(transform)).collect::<Vec<_>>();
        let of = |name, transforms: &[Transform], change: fn(&mut Settings)| {
            let transforms: Vec<Transform> = transforms.iter().copied().filter(|it| enabled.contains(it)).collect();
            let mut settings = settings.clone();
            change(&mut settings);
            AlternativeKind { name, settings, transforms }
        };
        let kinds = [
            of("models", &enabled, |_| {}),
            of(VERSION, &[Transform::Fuse, Transform::Annotate, Transform::Steer], |settings| settings.versions = true),
            of("fuse", &[Transform::Fuse], |settings| settings.fuse_profit = Profit::Always),
            of("steer", &[Transform::Steer], |settings| settings.candidates.profit = Profit::Always),
            of(SMEM, &[Transform::Steer], |_| {}),
            of(UNROLL, &Transform::ALL, |settings| settings.unroll_profit = Profit::Always),
            of("annotate", &[Transform::Annotate], |_| {}),
        ];
        let is_of_use = |kind: &AlternativeKind| {
            !kind.transforms.is_empty() && (kind.name != UNROLL || kind.transforms.contains(&Transform::Unroll))
        };
        kinds.into_iter().filter(is_of_use).collect()
    }

    /// The kind to which the alternative with this name belongs.
    pub fn of_name(settings: &Settings, name: &str) -> Option<AlternativeKind> {
        AlternativeKind::all(settings).into_iter().find(|kind| kind.name == name)
    }

    /// Whether a kernel that was measured can be made this alternative.
    pub fn is_possible(&self, kernel: Function<'_>) -> bool {
        self.name != SMEM || {
            let (outline, handles) = ModuleAnalysis::new(kernel.module(), self.settings.analysis()).outline(kernel);
            outline.geometry.is_bounded() && pragma::check(&outline, &handles).is_ok()
        }
    }

    /// Runs the transforms of this kind on some functions, and on nothing else; returns whether the module changed.
    pub(super) fn run<'m>(&self, job: Job<'_, 'm>, functions: &[Function<'m>]) -> bool {
        if self.name == SMEM {
            let mut editor = Editor::new(job.module);
            functions.iter().for_each(|&function| pragma::allow(&mut editor, function));
            return !functions.is_empty();
        }
        let others = all_but(job.module, functions);
        let job = Job { settings: &self.settings, manager: &job.manager.beside(&others), ..job };
        run_all(job, self.transforms.iter().copied())
    }

    /// Builds the alternatives of this kind of some kernels, each with the position of its kernel. Functions and
    /// variables that are not among them but have no use go to `left`.
    pub(super) fn build<'m>(
        &self,
        job: Job<'_, 'm>,
        kernels: &[Function<'m>],
        left: &mut Vec<Function<'m>>,
    ) -> Vec<(usize, Built<'m>)> {
        let module = job.module;
        let mut copies = Vec::new();
        for (number, &kernel) in kernels.iter().enumerate() {
            if self.name == SMEM && !(self.is_possible(kernel) && exceeds_budget(kernel, &self.settings)) {
                continue;
            }
            let mut editor = Editor::new(module);
            let name = format!("{}{TRY}", kernel.name());
            let Some(copy) = versions::copy_of(kernel, &name, &mut editor) else { continue };
            copies.push((number, copy));
        }
        let functions: Vec<Function<'m>> = copies.iter().map(|&(_, copy)| copy).collect();
        self.run(Job { manager: &job.manager.quiet(), ..job }, &functions);
        let mut built = Vec::new();
        for (number, copy) in copies {
            let mut editor = Editor::new(module);
            let version = versions::detach(copy, &mut editor);
            // the name is free for the next kind
            editor.set_name(copy.value(), "");
            if self.name == VERSION {
                let version = version.map(|(function, version)| Built { name: VERSION.to_owned(), function, version });
                built.extend(version.map(|built| (number, built)));
                left.push(copy);
            } else {
                let version = LaunchVersion { align: 1, ..LaunchVersion::default() };
                built.push((number, Built { name: self.name.to_owned(), function: copy, version }));
            }
        }
        built
    }
}

/// The functions of a module but for these.
pub fn all_but<'m>(module: Module<'m>, functions: &[Function<'m>]) -> FxHashSet<Function<'m>> {
    module.functions().filter(|function| !functions.contains(function)).collect()
}

/// Whether a kernel needs more registers than it may use.
fn exceeds_budget(kernel: Function<'_>, settings: &Settings) -> bool {
    let (facts, _) = ModuleAnalysis::new(kernel.module(), settings.analysis()).facts(kernel);
    let needed = || Pressure::new(&facts).largest(&facts);
    register_budget(settings.regs, &facts.geometry).is_some_and(|budget| needed() > budget)
}

/// Keeps those alternatives whose code is neither the kernel's nor that of an earlier one; the others go to `left`. `made`
/// are the variables that were made for alternatives.
pub fn keep_different<'m>(
    kernel: Function<'m>,
    all: Vec<Built<'m>>,
    made: &[Value<'m>],
    left: &mut Vec<Function<'m>>,
) -> Vec<Built<'m>> {
    let mut texts = vec![text_with_made(kernel, made)];
    let mut kept = Vec::new();
    for built in all {
        let text = text_with_made(built.function, made);
        if texts.contains(&text) || kept.len() == MAX_ALTERNATIVES {
            left.push(built.function);
        } else {
            texts.push(text);
            kept.push(built);
        }
    }
    kept
}
