//! divergence-map: at which branches did warps split, how often, and how many lanes went where?
//!
//! [`plan`] lists the branches of a module and decides which are counted; [`apply`] inserts the counters;
//! [`describe`](mod@describe) writes the [table](warpwise_analysis::counts::table) that is stored in the device code
//! next to the counters; [`counts`](warpwise_analysis::counts) reads what a run leaves behind. docs/MAP.md describes
//! symbols and costs.
//!
//! Source: Coutinho 2011, chapter 4 (for each branch a counter of visits and one of divergences, in global memory,
//! updated by an elected lane). Our additions: only branches that may diverge are counted, counters are held in
//! registers, memory has several replicas, and lanes are counted as well as warps.

pub mod apply;
pub mod calls;
pub mod conditions;
pub mod describe;
mod effects;
pub mod flush;
pub mod joins;
pub mod plan;
mod ptx;
pub mod texts;

use crate::settings::enabled::is_switched_off;
use crate::settings::{Settings, Transform};
use calls::CallGraph;
use conditions::KernelConditions;
use describe::Describer;
use plan::{FunctionPlan, Keep, Layout, Surroundings};
use std::path::Path;
use warpwise_analysis::counts::SYMBOL;
use warpwise_analysis::counts::table::Table;
use warpwise_analysis::divergence::hypothesis::conditions;
use warpwise_analysis::divergence::{Facts, ModuleAnalysis};
use warpwise_analysis::gpu::Chip;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::edit::map::Reach;
use warpwise_ir::llvm::handle::{Module, Value};
use warpwise_ir::llvm::remark::{Kind, PassManager};
use warpwise_ir::llvm::space;
use warpwise_ir::source::Sources;
use warpwise_rt::format::hash;

/// Names of a module's symbols.
pub struct Symbols {
    /// Where counters and table are: their addresses and their lengths in bytes, 8 bytes each.
    pub index: String,
    /// The counters.
    pub counters: String,
    /// The table that describes them.
    pub table: String,
}

impl Symbols {
    /// The symbols of a module with this source file, compiled in the current folder.
    pub fn of(source_file: &str, settings: &Settings) -> Symbols {
        let end = settings.map_name.clone().unwrap_or_else(|| {
            let folder = std::env::current_dir().unwrap_or_default();
            format!("{:016x}", hash(folder.join(source_file).to_string_lossy().as_bytes()))
        });
        let index = [SYMBOL, "_", &end].concat();
        Symbols { counters: [&index, "_counters"].concat(), table: [&index, "_table"].concat(), index }
    }
}

/// Runs the pass over a module.
pub fn run(module: Module<'_>, settings: &Settings, manager: &PassManager<'_>) -> bool {
    let symbols = Symbols::of(&module.source_file(), settings);
    if module.global(&symbols.index).is_some() {
        return false; // counting again would count the counters' own branches
    }
    let analysis = ModuleAnalysis::new(module, settings.analysis());
    // get all facts before editing: those of a function may depend on the bodies of others
    let bodies = module.functions().filter(|function| !function.is_declaration());
    let bodies: Vec<(Facts, Handles<'_>)> = bodies.map(|function| analysis.facts(function)).collect();
    let exits = plan::may_exit(&bodies);
    let calls = CallGraph::new(&analysis.context, &bodies);
    let mut layout = Layout::default();
    let source = module.source_file();
    let mut describer = Describer::new(&source, Sources::beside(Path::new(&source)));
    let plans: Vec<FunctionPlan> = bodies
        .iter()
        .zip(calls.recursive())
        .map(|((facts, handles), is_recursive)| {
            let conditions =
                KernelConditions::of(&facts.func, handles.function, &conditions(Some(&analysis), facts, handles));
            let function = handles.function;
            let is_off = manager.leaves_alone(function) || is_switched_off(function, Transform::Map.word());
            let around = Surroundings { exits, is_recursive, is_off };
            let plan = plan::plan(facts, handles, settings, conditions, around, &mut layout);
            describer.function(facts, handles, &plan);
            plan
        })
        .collect();
    for ((facts, handles), plan) in bodies.iter().zip(&plans) {
        remarks(facts, handles, plan, manager);
    }
    // even if nothing is counted, because the host side expects the symbols
    layout.words = layout.words.max(plan::SECTOR);
    let mut editor = Editor::new(module);
    let replicas = layout.replicas();
    let words = layout.replica_words();
    let int64 = editor.int_type(64);
    let counters_type = editor.array_type(int64, u64::from(replicas) * u64::from(words));
    let zero = editor.null(counters_type);
    let counters = editor.new_global(counters_type, space::GLOBAL, 128, Some(zero), false, &symbols.counters);
    editor.publish(counters, Reach::Everybody);
    let into = apply::Counters { array: counters, replicas, words, has_redux: has_redux(&bodies) };
    let mut texts = texts::Texts::default();
    for ((facts, handles), plan) in bodies.iter().zip(&plans) {
        apply::apply(&mut editor, facts, handles, plan, &into, &mut texts);
        debug_assert!(editor.verifies(handles.function), "divergence-map broke '{}'", handles.function.name());
    }
    effects::admit(&calls, &bodies, &plans, &mut editor);
    let bytes = u64::from(replicas) * u64::from(words) * 8;
    publish_table(&mut editor, &symbols, (counters, bytes), &describer.finish().encode(replicas, words));
    true
}

/// The table of a module without counters: its branches, and the results of the analysis.
pub fn describe(analysis: &ModuleAnalysis<'_>, input: &Path) -> Table {
    let mut describer = Describer::new(&input.display().to_string(), Sources::beside(input));
    for &function in analysis.context.functions().iter().filter(|function| !function.is_declaration()) {
        let (facts, handles) = analysis.facts(function);
        let conditions = KernelConditions::of(&facts.func, function, &conditions(Some(analysis), &facts, &handles));
        let plan = plan::listed(&facts, conditions);
        describer.function(&facts, &handles, &plan);
    }
    let mut table = describer.finish();
    table.functions.sort_by_key(|function| !function.is_kernel);
    table
}

/// In host code: registers the counters of the device code that was compiled from the same source.
pub fn run_host(module: Module<'_>, settings: &Settings) -> bool {
    let symbols = Symbols::of(&module.source_file(), settings);
    Editor::new(module).register_unit(&symbols.index, INDEX_BYTES)
}

/// Whether every function may use `redux.sync`.
fn has_redux(bodies: &[(Facts, Handles<'_>)]) -> bool {
    bodies.iter().all(|(_, handles)| {
        let cpu = handles.function.string_attribute("target-cpu");
        cpu.is_none_or(|cpu| Chip::of(&cpu).has_redux())
    })
}

/// Size of a unit's index in bytes.
pub const INDEX_BYTES: u64 = 32;

fn publish_table<'m>(editor: &mut Editor<'m>, symbols: &Symbols, counters: (Value<'m>, u64), bytes: &[u8]) {
    let contents = editor.bytes(bytes);
    // not `constant`, because the lockstep machine returns variables only
    let table = editor.new_global(contents.ty(), space::GLOBAL, 16, Some(contents), false, &symbols.table);
    editor.publish(table, Reach::Everybody);
    let lengths = [counters.1, bytes.len() as u64].map(|length| editor.int(64, length));
    let contents = editor.constant_struct(&[counters.0, table, lengths[0], lengths[1]]);
    let indices = [(symbols.index.as_str(), Reach::Everybody), (SYMBOL, Reach::AnyOf)].map(|(name, reach)| {
        let index = editor.new_global(contents.ty(), space::GLOBAL, 8, Some(contents), true, name);
        editor.publish(index, reach);
        index
    });
    editor.keep(&indices);
}

fn remarks(facts: &Facts, handles: &Handles<'_>, plan: &FunctionPlan, manager: &PassManager<'_>) {
    if plan.is_off {
        let message = "no divergence map: the function asks to be left alone";
        return manager.emit(Kind::Missed, handles.function, None, "Off", message);
    }
    let counted = plan.branches.iter().filter(|branch| branch.slot.is_some()).count();
    if counted > 0 && manager.wants(Kind::Passed) {
        let in_registers = plan.branches.iter().filter(|branch| branch.keep != Keep::Memory).count();
        let message = format!(
            "divergence map: {counted} of {} branches are counted, {in_registers} of them in registers",
            plan.branches.len()
        );
        manager.emit(Kind::Passed, handles.function, None, "DivergenceMap", &message);
    }
    if manager.wants(Kind::Missed) {
        for branch in plan.branches.iter().filter(|branch| branch.slot.is_none()) {
            let at = handles.inst(facts.func.terminator(branch.block));
            let message = "not counted: all lanes of a warp take the same way here";
            manager.emit(Kind::Missed, handles.function, Some(at), "UniformBranch", message);
        }
    }
}
