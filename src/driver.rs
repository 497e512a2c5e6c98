//! How do decisions become code? A pass plans on read-only facts. What it decides is counted against `-warpwise-limit`,
//! noted for `-warpwise-trace` and said as a remark here, for all passes; what is carried out is applied when every function
//! is planned, verified, and cleaned up by LLVM.

use crate::recursion::is_left_alone;
use crate::settings::enabled::is_all_off;
use std::cell::OnceCell;
use warpwise_analysis::divergence::{self, ModuleAnalysis};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, Module};
use warpwise_ir::llvm::remark::{Host, Kind, Reshape};

/// What the user reads of a plan or of a refusal.
pub trait Said {
    /// Name of the remark.
    fn name(&self) -> &'static str;
    /// One line.
    fn message(&self) -> String;
}

/// A plan for a place, or why there is none.
pub struct Decision<'m, P, R> {
    pub at: Inst<'m>,
    pub outcome: Result<P, R>,
}

impl<'m, P, R> Decision<'m, P, R> {
    /// A plan.
    pub fn plan(at: Inst<'m>, plan: P) -> Self {
        Decision { at, outcome: Ok(plan) }
    }

    /// A refusal.
    pub fn refusal(at: Inst<'m>, refusal: R) -> Self {
        Decision { at, outcome: Err(refusal) }
    }
}

/// A pass that changes functions one by one.
pub trait FunctionPass {
    type Plan<'m>: Said;
    type Refusal<'m>: Said;
    /// What LLVM does to a function that was changed.
    const THEN: Option<Reshape>;

    /// Whether a function is looked at; asked before anything is computed about it.
    fn wants(&self, _function: Function<'_>) -> bool {
        true
    }
    /// What is decided about a function, in the order in which it would be carried out.
    fn plan<'m>(&self, unit: &Unit<'_, 'm>) -> Vec<Decision<'m, Self::Plan<'m>, Self::Refusal<'m>>>;
    /// Carries out a plan; it cannot fail.
    fn apply<'m>(&self, plan: &Self::Plan<'m>, editor: &mut Editor<'m>);
}

/// A function, and what is known about it when first asked for.
pub struct Unit<'a, 'm> {
    pub function: Function<'m>,
    module: Module<'m>,
    options: divergence::Options,
    known: &'a OnceCell<ModuleAnalysis<'m>>,
}

impl<'m> Unit<'_, 'm> {
    /// The analysis of the module as it is before the pass changes anything.
    pub fn analysis(&self) -> &ModuleAnalysis<'m> {
        self.known.get_or_init(|| ModuleAnalysis::new(self.module, self.options))
    }
}

/// Runs a pass over a module; returns whether it changed.
pub fn run<P: FunctionPass>(pass: &P, module: Module<'_>, options: divergence::Options, host: &Host<'_>) -> bool {
    let known = OnceCell::new();
    let mut planned = Vec::new();
    // all are planned before one is edited: the facts of a function may depend on the bodies of others
    for function in module.functions().filter(|&function| may_change(function, host) && pass.wants(function)) {
        let decisions = pass.plan(&Unit { function, module, options, known: &known });
        let plans = admitted(function, decisions, host);
        if !plans.is_empty() {
            planned.push((function, plans));
        }
    }
    drop(known);
    let mut editor = Editor::new(module);
    for (function, plans) in &planned {
        plans.iter().for_each(|plan| pass.apply(plan, &mut editor));
        debug_assert!(editor.verifies(*function), "a pass broke '{}'", function.name());
    }
    drop(editor);
    if let Some(how) = P::THEN {
        planned.iter().for_each(|(function, _)| host.reshape(*function, how));
    }
    !planned.is_empty()
}

/// Says what is decided about a function; returns the plans to be carried out.
pub fn admitted<'m, P: Said, R: Said>(
    function: Function<'m>,
    decisions: impl IntoIterator<Item = Decision<'m, P, R>>,
    host: &Host<'_>,
) -> Vec<P> {
    let mut plans = Vec::new();
    for Decision { at, outcome } in decisions {
        match outcome {
            Ok(plan) if admits(function, Some(at), plan.name(), || plan.message(), host) => plans.push(plan),
            Err(refusal) if host.wants(Kind::Missed) => {
                host.emit(Kind::Missed, function, Some(at), refusal.name(), &refusal.message());
            }
            _ => {}
        }
    }
    plans
}

/// Whether a plan is carried out; says so.
pub fn admits<'m>(
    function: Function<'m>,
    at: Option<Inst<'m>>,
    name: &str,
    message: impl Fn() -> String,
    host: &Host<'_>,
) -> bool {
    let is_admitted = host.admits(function, at, &message);
    if is_admitted && host.wants(Kind::Passed) {
        host.emit(Kind::Passed, function, at, name, &message());
    }
    is_admitted
}

/// Whether any transform may change a function.
fn may_change(function: Function<'_>, host: &Host<'_>) -> bool {
    !function.is_declaration() && !is_all_off(function) && !is_left_alone(function, host)
}
