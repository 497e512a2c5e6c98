//! Which alternatives of kernels does a program measure, and as which one is a kernel built once they were?
//! ([TUNING.md](../../docs/TUNING.md))
//!
//! With `-warpwise-tune` a kernel stays as it is and gets its [`alternatives`](super::alternatives), with a table from
//! which the launch code learns about them. With `-warpwise-choices` each kernel whose code was measured is built as what
//! was fastest, and nothing else changes it or what it calls; the models decide about all others.

use super::alternatives::{AlternativeKind, Built, all_but, keep_different};
use super::code::hash_of;
use super::{Job, run_enabled};
use crate::choices::{Choices, Decision, Measured, VERSION, decide};
use crate::settings::{Transform, is_enabled};
use crate::versions;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Module, Value};
use warpwise_ir::llvm::remark::Kind;

/// Builds kernels in alternatives, or as they were measured to be fastest; returns whether the module changed.
pub(super) fn run(job: Job<'_, '_>) -> bool {
    let Job { module, settings, session, manager } = job;
    let kernels: Vec<Function<'_>> = module.functions().filter(|&function| is_kernel(function)).collect();
    if settings.measures() {
        return measure(job, &kernels);
    }
    let choices = kernels.first().and_then(|&kernel| session.choices(settings, kernel, manager));
    match choices {
        Some(choices) => apply(job, &kernels, &choices),
        None => run_enabled(job),
    }
}

/// Whether a function is a kernel that transforms may change.
fn is_kernel(function: Function<'_>) -> bool {
    function.is_ptx_kernel()
        && !function.is_declaration()
        && versions::entry_of(function).is_none()
        && Transform::ALL.into_iter().any(|transform| is_enabled(function, transform.word()))
}

/// The local variables that are new in the module.
fn made_since<'m>(module: Module<'m>, known: &[Value<'m>]) -> Vec<Value<'m>> {
    module.globals().filter(|global| global.is_local() && !known.contains(global)).collect()
}

/// Removes functions that were only tried, and variables that were made for them.
fn clean_up<'m>(module: Module<'m>, left: Vec<Function<'m>>, known: &[Value<'m>]) {
    let mut editor = Editor::new(module);
    left.into_iter().for_each(|function| editor.erase_global(function.value()));
    for global in made_since(module, known).into_iter().filter(|global| global.users().next().is_none()) {
        editor.erase_global(global);
    }
}

/// Builds the alternatives of all kernels.
fn measure<'m>(job: Job<'_, 'm>, kernels: &[Function<'m>]) -> bool {
    let Job { module, settings, manager, .. } = job;
    let mut copied = Vec::new();
    for &kernel in kernels {
        match versions::check_alternatives(kernel) {
            Ok(()) => copied.push(kernel),
            Err(why) => {
                manager.emit(Kind::Missed, kernel, None, "TuningRefused", &format!("no alternatives: {why}"));
            }
        }
    }
    let hashes: Vec<u64> = copied.iter().map(|&kernel| hash_of(kernel, settings)).collect();
    let known: Vec<Value<'m>> = module.globals().collect();
    let mut all: Vec<Vec<Built<'m>>> = copied.iter().map(|_| Vec::new()).collect();
    let mut left = Vec::new();
    for kind in AlternativeKind::all(settings) {
        for (number, built) in kind.build(job, &copied, &mut left) {
            all[number].push(built);
        }
    }
    let made = made_since(module, &known);
    let mut changed = false;
    for ((kernel, hash), built) in copied.into_iter().zip(hashes).zip(all) {
        let kept = keep_different(kernel, built, &made, &mut left);
        if kept.is_empty() {
            continue;
        }
        changed = true;
        let names = kept.iter().map(|built| built.name.as_str()).collect::<Vec<_>>().join(", ");
        let alternatives = kept.into_iter().map(|built| (built.function, (built.name, built.version)));
        versions::list_alternatives(kernel, hash, alternatives, &mut Editor::new(module));
        let message = format!("to be measured in the program: plain, {names} (code {hash:016x})");
        manager.emit(Kind::Passed, kernel, None, "TuningMade", &message);
    }
    clean_up(module, left, &known);
    changed
}

/// Builds kernels as what was measured to be fastest.
fn apply<'m>(job: Job<'_, 'm>, kernels: &[Function<'m>], choices: &Choices) -> bool {
    let Job { module, settings, manager, .. } = job;
    let decided: Vec<(Function<'m>, Option<String>)> =
        kernels.iter().filter_map(|&kernel| Some((kernel, decision(job, kernel, choices)?))).collect();
    let mut names: Vec<String> = decided.iter().filter_map(|(_, name)| name.clone()).collect();
    names.sort();
    names.dedup();
    let others = functions_besides(module, &decided);
    let mut changed = false;
    for name in &names {
        let of_name =
            |(kernel, decision): &(Function<'m>, Option<String>)| (decision.as_ref() == Some(name)).then_some(*kernel);
        let kernels: Vec<Function<'m>> = decided.iter().filter_map(of_name).collect();
        let Some(kind) = AlternativeKind::of_name(settings, name) else { continue };
        changed |= match kind.name {
            VERSION => add_versions(job, &kernels, &kind),
            _ => kind.run(job, &kernels),
        };
    }
    let decided = all_but(module, &others);
    run_enabled(Job { manager: &manager.beside(&decided), ..job }) || changed
}

/// As what a kernel is to be built: `Some(None)` as it is, `None` as the models decide.
fn decision<'m>(job: Job<'_, 'm>, kernel: Function<'m>, choices: &Choices) -> Option<Option<String>> {
    let Job { settings, manager, .. } = job;
    let symbol = kernel.name();
    let of_kernel: Vec<&Measured> = choices.of_kernel(&symbol).collect();
    if of_kernel.is_empty() {
        return None;
    }
    let hash = format!("{:016x}", hash_of(kernel, settings));
    let measured: Vec<&Measured> = of_kernel.into_iter().filter(|measured| measured.of.hash == hash).collect();
    let say = |kind, name, message: &str| manager.emit(kind, kernel, None, name, message);
    if measured.is_empty() {
        say(
            Kind::Missed,
            "TuningStale",
            "the models decide: its code, the options, the chip or warpwise are not those that were measured",
        );
        return None;
    }
    match decide(&measured) {
        Decision::Plain => {
            say(Kind::Passed, "TuningPlain", "stays as it is: nothing was measured to be faster beyond noise");
            Some(None)
        }
        Decision::Alternative { name, .. }
            if AlternativeKind::of_name(settings, &name).is_none_or(|kind| !kind.is_possible(kernel)) =>
        {
            let message = format!("the models decide: no alternative '{name}', which was fastest, can be made");
            say(Kind::Missed, "TuningStale", &message);
            None
        }
        Decision::Alternative { name, saves } => {
            let message = format!("built as '{name}', which was measured to save {:.1} % of its time", saves * 100.0);
            say(Kind::Passed, "TuningChose", &message);
            Some(Some(name))
        }
    }
}

/// The functions with a body that are no decided kernel, nor called by one.
fn functions_besides<'m>(module: Module<'m>, decided: &[(Function<'m>, Option<String>)]) -> Vec<Function<'m>> {
    let mut reached: Vec<Function<'m>> = decided.iter().map(|&(kernel, _)| kernel).collect();
    let mut next = 0;
    while let Some(&function) = reached.get(next) {
        next += 1;
        for inst in function.insts() {
            let named = inst.operands().filter_map(|operand| operand.as_function());
            let new: Vec<Function<'m>> = named.filter(|function| !reached.contains(function)).collect();
            reached.extend(new);
        }
    }
    module.functions().filter(|function| !function.is_declaration() && !reached.contains(function)).collect()
}

/// Gives kernels their version with slots alone, which the host chooses where it may run.
fn add_versions<'m>(job: Job<'_, 'm>, kernels: &[Function<'m>], kind: &AlternativeKind) -> bool {
    let module = job.module;
    let known: Vec<Value<'m>> = module.globals().collect();
    let mut left = Vec::new();
    let mut changed = false;
    for (number, built) in kind.build(job, kernels, &mut left) {
        if versions::attach(kernels[number], built.function, &mut Editor::new(module)) {
            changed = true;
        } else {
            left.push(built.function);
        }
    }
    clean_up(module, left, &known);
    changed
}
