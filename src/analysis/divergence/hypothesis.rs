//! Which divergent branches of a kernel would be uniform if its launches had some property? The properties are tried
//! out: the kernel is solved again with each as an assumption, so that everything that follows is as sound as any fact,
//! for launches that satisfy it.
//!
//! 1. Bounds checks that no thread fails ([`super::covered`]), which need no solve.
//! 2. `blockDim.x` is a multiple of 32; the block has one dimension. Only if the shape is unknown.
//! 3. Some integer arguments are multiples of 32 besides: those from which the condition is computed, a few at most.
//!
//! Only for kernels. Cost: at most [`MAX_SETS`] + 2 solves of the
//! [instructions that branches depend on](super::slice), when it is asked for.

use super::condition::{Condition, Conditions};
use super::covered::bounds_of;
use super::facts::{Facts, Findings};
use super::module::{ModuleAnalysis, Options};
use super::slice::of_branches;
use smallvec::SmallVec;
use std::cell::OnceCell;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Value};
use warpwise_ir::geometry::{Geometry, Rows};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::Function;

/// Maximum number of sets of arguments that are assumed to be multiples of 32.
const MAX_SETS: usize = 4;
/// Maximum number of arguments in such a set.
const MAX_ARGUMENTS: usize = 3;
/// Maximum number of values between a condition and the arguments from which it is computed.
const MAX_ORIGINS: usize = 64;

/// The conditional facts of a function; none unless it is a kernel. An analysis of the module that is there already is used:
/// of many kernels, one is enough.
pub fn conditions<'m>(known: Option<&ModuleAnalysis<'m>>, facts: &Facts, handles: &Handles<'m>) -> Conditions {
    let mut conditions = Conditions::default();
    let func = &facts.func;
    if !func.is_kernel {
        return conditions;
    }
    let open: Vec<(Block, Value)> = func
        .blocks
        .keys()
        .filter(|&block| facts.is_reachable(block) && facts.is_divergent_branch(block))
        .filter_map(|block| Some((block, func.condition(func.terminator(block))?)))
        .collect();
    if open.is_empty() {
        return conditions;
    }
    let mut add = |block: Block, condition: Condition| conditions.of_branches.entry(block).or_default().push(condition);
    for &(block, condition) in &open {
        if let Some(bounds) = bounds_of(facts, condition, func.terminator(block)) {
            add(block, Condition::Covered(bounds));
        }
    }
    let own = OnceCell::new();
    let new = || ModuleAnalysis::new(handles.function.module(), Options::default());
    let analysis = known.unwrap_or_else(|| own.get_or_init(new));
    let slice = of_branches(func);
    let solve = |geometry: Geometry, multiples: &[u32]| {
        analysis.solve_under(facts, handles.function, (geometry, multiples), Some(&slice))
    };
    let becomes_uniform = |findings: &Findings, block: Block| findings.branch_scope(block).is_some();
    let mut rows = facts.geometry;
    let mut under_rows: Vec<Block> = Vec::new();
    if facts.geometry.exact.is_none() && facts.geometry.rows.is_none() {
        for (assumed, property) in [(Rows::WholeWarps, Condition::WholeWarps), (Rows::One, Condition::OneRow)] {
            let geometry = Geometry { rows: Some(assumed), ..facts.geometry };
            let findings = solve(geometry, &[]);
            for &(block, _) in open.iter().filter(|&&(block, _)| becomes_uniform(&findings, block)) {
                add(block, property.clone());
                under_rows.push(block);
            }
        }
        rows.rows = Some(Rows::WholeWarps);
    } else if !facts.geometry.warps_lie_in_rows() {
        return conditions;
    }
    let mut sets: Vec<(SmallVec<[u32; MAX_ARGUMENTS]>, Findings)> = Vec::new();
    for &(block, condition) in open.iter().filter(|(block, _)| !under_rows.contains(block)) {
        let Some(arguments) = arguments_of(func, condition) else { continue };
        let known = sets.iter().position(|(set, _)| *set == arguments);
        let at = match known {
            Some(at) => at,
            None if sets.len() < MAX_SETS => {
                let findings = solve(rows, &arguments);
                sets.push((arguments.clone(), findings));
                sets.len() - 1
            }
            None => continue,
        };
        if becomes_uniform(&sets[at].1, block) {
            let arguments = arguments.iter().map(|&index| func.param(index)).collect();
            add(block, Condition::Multiples { arguments, and_rows: rows.rows.is_some() });
        }
    }
    conditions
}

/// What would hold for a kernel if its launches had such rows, and these arguments were multiples of 32; for checks.
pub fn facts_under<'m>(analysis: &ModuleAnalysis<'m>, kernel: Function<'m>, rows: Rows, multiples: &[u32]) -> Facts {
    let (outline, _) = analysis.outline(kernel);
    let geometry = Geometry { rows: Some(rows), ..outline.geometry };
    let findings = analysis.solve_under(&outline, kernel, (geometry, multiples), None);
    Facts::assumed(outline, findings)
}

/// The integer arguments from which a value is computed, in order; `None` if there are none or too many.
fn arguments_of(func: &Func, value: Value) -> Option<SmallVec<[u32; MAX_ARGUMENTS]>> {
    let mut arguments: SmallVec<[u32; MAX_ARGUMENTS]> = SmallVec::new();
    let mut seen: SmallVec<[Value; MAX_ORIGINS]> = SmallVec::from_slice(&[value]);
    let mut next = 0;
    while let Some(&value) = seen.get(next) {
        next += 1;
        if let Some(index) = func.as_param(value) {
            let is_integer = func.type_info(value).kind.space().is_none()
                && func.int_bits(value).is_some_and(|bits| bits == 32 || bits == 64);
            if is_integer {
                if arguments.len() == MAX_ARGUMENTS {
                    return None;
                }
                arguments.push(index);
            }
            continue;
        }
        let Some(def) = func.def(value).filter(|&def| func.insts[def].opcode.is_value_of_operands()) else { continue };
        for &origin in func.operands(def) {
            if !seen.contains(&origin) && seen.len() < MAX_ORIGINS {
                seen.push(origin);
            }
        }
    }
    arguments.sort_unstable();
    (!arguments.is_empty()).then_some(arguments)
}
