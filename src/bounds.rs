//! Which bounds checks fail in no thread of some launches, and does a version without them pay?
//!
//! Most kernels begin with `if (i < n)`, and many check again in loops. If the launch has no more threads than there is work,
//! which the host knows, the answer is the same in every thread. [`checks`] finds such comparisons; those whose limit is an
//! integer argument of the kernel, possibly minus a constant, or a constant, can be told to the host as a [`Fact`]. In a
//! version for launches in which these facts hold, the comparisons are constants, and LLVM removes what depends on them.
//!
//! Profit: the cycles of the comparisons and of what reads only them, as often as a warp executes them. That must be at
//! least [`MIN_GAIN`] cycles and [`MIN_SHARE`] of the kernel; the check at the entry alone is not enough in a long kernel.
//!
//! Nothing is solved. Cost: linear in the kernel.

use crate::cost::frequency::Frequencies;
use crate::cost::issue::Costs;
use crate::divergence::covered::{Check, checks};
use crate::divergence::{self, ModuleAnalysis, Outline};
use crate::entity::{Inst, Value};
use crate::geometry::WARP_SIZE;
use crate::ir::Func;
use crate::ir::handles::Handles;
use crate::ir::inst::{ConstData, Opcode};
use crate::launch_table::{Fact, IntArgument, say};
use crate::llvm::edit::Editor;
use crate::llvm::handle::{Function, Module};
use crate::llvm::remark::{Host, Reshape};
use crate::settings::{Transform, is_enabled};
use crate::versions;

/// Fewest cycles of a warp that are worth a copy, as in fuse-branches.
const MIN_GAIN: f64 = 8.0;
/// Smallest part of the kernel's cycles that is worth a copy.
const MIN_SHARE: f64 = 0.02;
/// Most facts that a launch must satisfy.
const MAX_FACTS: usize = 3;
/// A fact is left out if it gains less than this part of what the best one gains, since every fact excludes launches.
const LEAST_PART: f64 = 0.125;
/// Versions that a kernel may have already; one place is for `steer-spills`.
const MOST_BEFORE: usize = 1;

/// Makes versions without bounds checks of the kernels of a module; with `always`, also where it does not pay. Returns whether
/// there are any.
pub fn make(module: Module<'_>, options: divergence::Options, always: bool, host: &Host<'_>) -> bool {
    let is_open = |function: &Function<'_>| {
        function.is_ptx_kernel() && !function.is_declaration() && is_enabled(*function, Transform::Fuse)
    };
    let kernels: Vec<Function<'_>> = module.functions().filter(is_open).collect();
    let mut changed = false;
    for kernel in kernels {
        let known = versions::all_of(kernel);
        let is_covered = known.iter().any(|(_, entry)| entry.facts.iter().any(counts_grid));
        if versions::entry_of(kernel).is_some() || is_covered || known.len() > MOST_BEFORE {
            continue;
        }
        let (outline, handles) = ModuleAnalysis::new(module, options).outline(kernel);
        changed |= Planned::of(&outline, kernel).is_some_and(|planned| planned.make(&outline, &handles, always, host));
    }
    changed
}

/// Whether a fact is one of those that are found here.
fn counts_grid(fact: &Fact) -> bool {
    match fact {
        Fact::Covered { .. } => true,
        Fact::CoveredBy { of_grid, .. } => *of_grid,
        _ => false,
    }
}

/// A version that could be made.
struct Planned {
    /// What must hold, and the checks that it decides.
    facts: Vec<(Fact, Vec<Check>)>,
    /// Cycles of a warp: saved, and of the whole kernel.
    gain: f64,
    all: f64,
}

impl Planned {
    /// The best version; `None` if there is no check that facts decide.
    fn of(outline: &Outline, kernel: Function<'_>) -> Option<Planned> {
        let mut found: Vec<(Fact, Vec<Check>, f64)> = Vec::new();
        let all_checks = checks(outline);
        if all_checks.is_empty() {
            return None;
        }
        let (costs, frequencies) = (Costs::of(kernel), Frequencies::new(kernel));
        let func = &outline.func;
        let cycles = |inst: Inst| frequencies.of(func.insts[inst].block) * f64::from(costs.inst(func, inst));
        for check in all_checks {
            let Some(fact) = fact_of(func, &check) else { continue };
            let ends = |&user: &Inst| {
                matches!(
                    func.insts[user].opcode,
                    Opcode::CondBr | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select
                )
            };
            let users = outline.users(func.result(check.compare)).iter().copied();
            let gain = cycles(check.compare) + users.filter(ends).map(cycles).sum::<f64>();
            match found.iter_mut().find(|(known, ..)| *known == fact) {
                Some((_, checks, total)) => {
                    checks.push(check);
                    *total += gain;
                }
                None => found.push((fact, vec![check], gain)),
            }
        }
        found.sort_by(|a, b| b.2.total_cmp(&a.2));
        let best = found.first()?.2;
        found.retain(|(.., gain)| *gain >= best * LEAST_PART);
        let mut found = strongest(found);
        found.truncate(MAX_FACTS);
        let all = func.insts.keys().filter(|&inst| outline.is_reachable(func.insts[inst].block)).map(cycles).sum();
        let gain = found.iter().map(|(.., gain)| gain).sum();
        let facts = found.into_iter().map(|(fact, checks, _)| (fact, checks)).collect();
        Some(Planned { facts, gain, all })
    }

    /// Makes the version if it pays and can be made.
    fn make<'m>(self, outline: &Outline, handles: &Handles<'m>, always: bool, host: &Host<'_>) -> bool {
        let kernel = handles.function;
        let Planned { facts, gain, all } = self;
        let checks: Vec<Check> = facts.iter().flat_map(|(_, checks)| checks.iter().copied()).collect();
        let facts: Vec<Fact> = facts.into_iter().map(|(fact, _)| fact).collect();
        let launches = say(&facts);
        let share = gain / all.max(1.0);
        let pays = gain >= MIN_GAIN && share >= MIN_SHARE;
        let named = versions::next_name(kernel);
        let reason = match &named {
            _ if !pays && !always => format!(
                "without bounds checks it would save {gain:.1} cycles of a warp, {:.1} % of the kernel, and {MIN_GAIN} cycles and {} % are worth a copy",
                share * 100.0,
                MIN_SHARE * 100.0
            ),
            Ok(_) => String::new(),
            Err(reason) => reason.to_string(),
        };
        let name = match named {
            Ok(name) if reason.is_empty() => name,
            _ => {
                versions::say_refused(kernel, &launches, &reason, host);
                return false;
            }
        };
        let text = || format!("version for launches in which {launches}");
        if !host.admits(Transform::Fuse.pass(), kernel, None, text) {
            return false;
        }
        let entry = versions::without_slots(facts);
        let mut editor = Editor::new(kernel.module());
        let Some(version) = versions::add(&mut editor, kernel, &name, &entry) else { return false };
        if let Some(copied) = handles.of_copy(version) {
            for check in &checks {
                let outcome = editor.int(1, check.outcome.into());
                editor.replace_all_uses(copied.value(outline.func.result(check.compare)), outcome);
            }
        }
        versions::write_table(&mut editor, kernel);
        debug_assert!(editor.verifies(version));
        host.reshape(version, Reshape::CleanUp);
        let gains = format!("{} bounds checks fewer, {gain:.0} cycles of a warp saved of {all:.0}", checks.len());
        versions::say_made(kernel, (&name, version), &launches, &gains, host);
        true
    }
}

/// Without the facts that another one implies, which decides their checks too.
fn strongest(found: Vec<(Fact, Vec<Check>, f64)>) -> Vec<(Fact, Vec<Check>, f64)> {
    let mut kept: Vec<(Fact, Vec<Check>, f64)> = Vec::new();
    for (fact, checks, gain) in found {
        match kept.iter_mut().find(|(known, ..)| implies(*known, fact) || implies(fact, *known)) {
            Some((known, all, total)) => {
                if implies(fact, *known) {
                    *known = fact;
                }
                all.extend(checks);
                *total += gain;
            }
            None => kept.push((fact, checks, gain)),
        }
    }
    kept
}

/// Whether a fact holds whenever another does: the same with a number that is no larger.
fn implies(stronger: Fact, weaker: Fact) -> bool {
    match (stronger, weaker) {
        (
            Fact::Covered { dim, of_grid, plus, argument },
            Fact::Covered { dim: other_dim, of_grid: other_grid, plus: less, argument: other },
        ) => (dim, of_grid, argument) == (other_dim, other_grid, other) && plus >= less,
        (
            Fact::CoveredBy { dim, of_grid, plus, limit },
            Fact::CoveredBy { dim: other_dim, of_grid: other_grid, plus: less, limit: other },
        ) => {
            let room = |plus: i64, limit: u64| i128::from(limit) - i128::from(plus);
            (dim, of_grid) == (other_dim, other_grid) && room(plus, limit) <= room(less, other)
        }
        _ => false,
    }
}

/// What the host must know for a check to come out the same in every thread; `None` if its limit is not an argument or a
/// number.
fn fact_of(func: &Func, check: &Check) -> Option<Fact> {
    let bound = check.bound;
    let (dim, of_grid) = (bound.dim as u8, bound.in_grid);
    if let Some(number) = bound.number {
        let limit = u64::try_from(number).ok()?;
        // what compares a thread's place in its block with a number chooses among threads; and work for less than a warp is
        // no work for a launch
        let is_size = of_grid && number.saturating_sub(bound.plus) >= i64::from(WARP_SIZE);
        if !is_size {
            return None;
        }
        return Some(Fact::CoveredBy { dim, of_grid, plus: bound.plus, limit });
    }
    let (argument, less) = argument_of(func, bound.limit, check.signed)?;
    Some(Fact::Covered { dim, of_grid, plus: bound.plus.checked_add(less)?, argument })
}

/// The argument that a limit is, and the number that is subtracted from it. Where the fact holds, the argument is at least
/// that number, in the reading given, so the subtraction does not wrap, and extending changes nothing.
fn argument_of(func: &Func, limit: Value, signed: bool) -> Option<(IntArgument, i64)> {
    let (mut value, mut signed, mut less, mut is_extended) = (limit, signed, 0, false);
    while let Some(def) = func.def(value) {
        let operands = func.operands(def);
        match func.insts[def].opcode {
            extension @ (Opcode::ZExt | Opcode::SExt) if !is_extended => {
                (is_extended, signed, value) = (true, extension == Opcode::SExt, operands[0]);
            }
            Opcode::Add if less == 0 => {
                let &[other, number] = operands else { return None };
                let Some(ConstData::Int(bits)) = func.constant(number) else { return None };
                let width = func.int_bits(number).filter(|&width| width <= 64)?;
                less = crate::affine::form::wrap(bits as i64, width).checked_neg().filter(|&less| less > 0)?;
                value = other;
            }
            _ => return None,
        }
    }
    let index = u16::try_from(func.as_param(value)?).ok()?;
    let bits = func.int_bits(value).filter(|&bits| bits == 32 || bits == 64)?;
    let is_integer = func.type_info(value).kind.space().is_none();
    is_integer.then_some((IntArgument { index, bits: bits as u8, signed }, less))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch_table::LaunchVersion;
    use crate::llvm::image::import;
    use crate::llvm::owned::OwnedModule;
    use crate::simt::{Arg, CompareError, Inputs, LaunchConfig, Tolerance, compare};

    /// Stores the index of each thread below `%n`.
    const KERNEL: &str = "target triple = \"nvptx64-nvidia-cuda\"
        define ptx_kernel void @k(ptr %out, i32 %n) {
        entry:
          %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
          %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
          %first = mul i32 %b, %s
          %i = add i32 %first, %t
          %limit = LIMIT
          %fits = icmp PREDICATE i32 %i, %limit
          br i1 %fits, label %inside, label %end
        inside:
          %wide = zext i32 %i to i64
          %to = getelementptr i32, ptr %out, i64 %wide
          store i32 %i, ptr %to
          br label %end
        end:
          ret void
        }
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()";

    /// Whether two blocks of 33 threads do something else than before, for this argument.
    fn differs(limit: &str, predicate: &str, n: i32) -> bool {
        differs_under(limit, predicate, n, None)
    }

    /// The same if the table had other facts.
    fn differs_under(limit: &str, predicate: &str, n: i32, facts: Option<Vec<Fact>>) -> bool {
        let text = KERNEL.replace("LIMIT", limit).replace("PREDICATE", predicate);
        let [before, after] = [0, 1].map(|_| OwnedModule::from_text(&text, "k").unwrap());
        assert!(make(after.handle(), divergence::Options::default(), true, &Host::silent()));
        if let Some(facts) = facts {
            let kernel = after.handle().function("k").unwrap();
            let (version, entry) = versions::all_of(kernel).remove(0);
            let mut editor = Editor::new(after.handle());
            versions::record(&mut editor, version, &LaunchVersion { facts, ..entry });
            versions::write_table(&mut editor, kernel);
        }
        after.verify().unwrap();
        let [before, after] = [before, after].map(|module| import(module.handle(), "k"));
        let args = vec![Arg::Buffer(vec![255; 4 * 66]), Arg::Value(n.to_le_bytes().to_vec())];
        let inputs = Inputs { args, globals: Vec::new() };
        let configs = [LaunchConfig::new([2, 1, 1], [33, 1, 1])];
        match compare(&before, &after, Some("k"), &configs, &inputs, &[], Tolerance::default()) {
            Ok(()) => false,
            Err(CompareError::Differ(_)) => true,
            Err(other) => panic!("{other}"),
        }
    }

    const LIMITS: [&str; 2] = ["add i32 %n, 0", "add i32 %n, -2"];

    #[test]
    fn versions_do_the_same_at_every_limit() {
        // an addition of nothing is none of a number
        let text = KERNEL.replace("LIMIT", LIMITS[0]).replace("PREDICATE", "slt");
        let module = OwnedModule::from_text(&text, "k").unwrap();
        assert!(!make(module.handle(), divergence::Options::default(), true, &Host::silent()));
        for predicate in ["slt", "ult", "sle", "ule"] {
            for n in [i32::MIN, i32::MIN + 1, -1, 0, 1, 2, 65, 66, 67, 68, 69, i32::MAX] {
                assert!(!differs(LIMITS[1], predicate, n), "{predicate} {n}");
            }
        }
    }

    #[test]
    fn one_fact_implies_another() {
        let argument = IntArgument { index: 1, bits: 32, signed: true };
        let covered = |dim, plus| Fact::Covered { dim, of_grid: true, plus, argument };
        let by = |plus, limit| Fact::CoveredBy { dim: 0, of_grid: true, plus, limit };
        assert!(implies(covered(0, 1), covered(0, 0)) && !implies(covered(0, 0), covered(0, 1)));
        assert!(!implies(covered(1, 1), covered(0, 0)) && !implies(covered(0, 1), by(0, 100)));
        assert!(
            implies(by(0, 100), by(-1, 100)) && implies(by(-1, 98), by(0, 100)) && !implies(by(-1, 100), by(0, 100))
        );
        let all = strongest([covered(0, 0), covered(1, 0), covered(0, 2)].map(|fact| (fact, Vec::new(), 1.0)).to_vec());
        let facts: Vec<(Fact, f64)> = all.into_iter().map(|(fact, _, gain)| (fact, gain)).collect();
        assert_eq!(facts, [(covered(0, 2), 2.0), (covered(1, 0), 1.0)]);
    }

    #[test]
    fn wrong_facts_are_noticed() {
        let argument = IntArgument { index: 1, bits: 32, signed: true };
        let beyond = Fact::Covered { dim: 0, of_grid: true, plus: 1, argument };
        for (facts, n) in [(vec![beyond], 67), (Vec::new(), 5)] {
            assert!(differs_under(LIMITS[1], "slt", n, Some(facts)));
            assert!(!differs(LIMITS[1], "slt", n));
        }
    }
}
