//! How do decisions become code? A pass plans on read-only facts. What it decides is counted against `-warpwise-limit`,
//! noted for `-warpwise-trace` and said as a remark here, for all passes; what is carried out is applied when every function
//! is planned, verified, and cleaned up by LLVM. What is known about a function holds until it is edited. Only
//! [`map`](crate::map) plans by itself: it has one plan for a module, of which nothing could be left out.

use crate::analyses::{Analyses, Kept};
use crate::recursion::is_left_alone;
use crate::settings::is_enabled;
use warpwise_analysis::divergence;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Kind, PassManager, Reshape};

/// What is decided about a place: its remark, and the plan if there is one.
pub struct Decision<'m, P> {
    pub at: Inst<'m>,
    /// The remark's name and text.
    pub name: &'static str,
    pub message: String,
    pub plan: Option<P>,
}

impl<'m, P> Decision<'m, P> {
    /// A plan.
    pub fn plan(at: Inst<'m>, name: &'static str, message: String, plan: P) -> Self {
        Decision { at, name, message, plan: Some(plan) }
    }

    /// A refusal.
    pub fn refusal(at: Inst<'m>, name: &'static str, message: String) -> Self {
        Decision { at, name, message, plan: None }
    }
}

/// A pass that changes functions one by one.
pub trait FunctionPass<'m> {
    type Plan;
    /// The word of its switch.
    const WORD: &'static str;
    /// What LLVM does to a function that was changed.
    const THEN: Option<Reshape>;

    /// What is decided about a function, in the order in which it would be carried out.
    fn plan(&self, function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Decision<'m, Self::Plan>>;
    /// Carries out the plans for a function; it cannot fail.
    fn apply(&self, plans: Vec<Self::Plan>, editor: &mut Editor<'m>);
}

/// Runs a pass over a module; returns whether it changed.
pub fn run<'m, P: FunctionPass<'m>>(
    pass: &P,
    module: Module<'m>,
    options: divergence::Options,
    manager: &PassManager<'_>,
) -> bool {
    run_on(pass, module.functions(), &mut Analyses::new(module, options), manager)
}

/// Runs a pass over some functions; returns whether any changed.
pub fn run_on<'m, P: FunctionPass<'m>>(
    pass: &P,
    functions: impl IntoIterator<Item = Function<'m>>,
    analyses: &mut Analyses<'m>,
    manager: &PassManager<'_>,
) -> bool {
    let plan = |&function: &Function<'m>, analyses: &mut Analyses<'m>| {
        let mut decisions = pass.plan(function, analyses);
        // what leads to recursion is looked for where something would change alone: it takes a walk over all instructions
        if decisions.iter().any(|decision| decision.plan.is_some()) && is_left_alone(function, manager) {
            decisions.retain(|decision| decision.plan.is_none());
        }
        Some(admitted(function, decisions, manager)).filter(|plans| !plans.is_empty())
    };
    let apply = |function, plans, _: &mut _, editor: &mut Editor<'m>| {
        pass.apply(plans, editor);
        Some((function, Kept::Nothing))
    };
    let functions = functions.into_iter().filter(|&function| may_look_at(function, P::WORD, manager));
    let edited = run_phase(functions, analyses, plan, apply);
    if let Some(how) = P::THEN {
        edited.iter().for_each(|&function| manager.reshape(function, how));
    }
    !edited.is_empty()
}

/// Plans for all targets, and then edits those that have a plan: every plan sees the module as it was. `apply` returns the
/// function that it has edited, if any, and what still holds about it. Returns these functions.
pub fn run_phase<'m, T, P>(
    targets: impl IntoIterator<Item = T>,
    analyses: &mut Analyses<'m>,
    mut plan: impl FnMut(&T, &mut Analyses<'m>) -> Option<P>,
    mut apply: impl FnMut(T, P, &mut Analyses<'m>, &mut Editor<'m>) -> Option<(Function<'m>, Kept)>,
) -> Vec<Function<'m>> {
    let mut planned = Vec::new();
    for target in targets {
        planned.extend(plan(&target, analyses).map(|plan| (target, plan)));
    }
    let mut editor = Editor::new(analyses.module());
    let mut edited = Vec::new();
    for (target, plan) in planned {
        let Some((function, kept)) = apply(target, plan, analyses, &mut editor) else { continue };
        debug_assert!(editor.verifies(function), "a pass broke '{}'", function.name());
        edited.push((function, kept));
    }
    // facts about one function depend on others as they were
    edited.iter().for_each(|&(function, kept)| analyses.edited(function, kept));
    edited.into_iter().map(|(function, _)| function).collect()
}

/// The functions that a pass may change, by the word of its switch.
pub fn editable<'m>(module: Module<'m>, word: &str, manager: &PassManager<'_>) -> impl Iterator<Item = Function<'m>> {
    module.functions().filter(move |&function| may_change(function, word, manager))
}

/// Whether a pass may change a function, by the word of its switch.
pub fn may_change(function: Function<'_>, word: &str, manager: &PassManager<'_>) -> bool {
    may_look_at(function, word, manager) && !is_left_alone(function, manager)
}

/// Whether a pass may plan for a function, which it must [not change](is_left_alone) if it leads to recursion.
pub fn may_look_at(function: Function<'_>, word: &str, manager: &PassManager<'_>) -> bool {
    !function.is_declaration() && !manager.leaves_alone(function) && is_enabled(function, word)
}

/// Says what is decided about a function; returns the plans to be carried out.
pub fn admitted<'m, P>(function: Function<'m>, decisions: Vec<Decision<'m, P>>, manager: &PassManager<'_>) -> Vec<P> {
    let said = |Decision { at, name, message, plan }: Decision<'m, P>| {
        if plan.is_none() {
            manager.emit(Kind::Missed, function, Some(at), name, &message);
        }
        plan.filter(|_| admits(function, Some(at), name, || message.clone(), manager))
    };
    decisions.into_iter().filter_map(said).collect()
}

/// Whether a plan is carried out; says so.
pub fn admits<'m>(
    function: Function<'m>,
    at: Option<Inst<'m>>,
    name: &str,
    message: impl Fn() -> String,
    manager: &PassManager<'_>,
) -> bool {
    let is_admitted = manager.admits(function, at, &message);
    if is_admitted && manager.wants(Kind::Passed) {
        manager.emit(Kind::Passed, function, at, name, &message());
    }
    is_admitted
}
