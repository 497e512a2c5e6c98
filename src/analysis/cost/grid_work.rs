//! Which work do all threads of a grid repeat, so that the host could do it once and pass the results as arguments?
//! (Coutinho et al., PACT 2011, section 6: "external sharing".)
//!
//! Such work consists of pure computations whose operands are arguments of the kernel, dimensions of the launch,
//! constants, or again such work: no thread or block index, and nothing that changes from one iteration of a loop to
//! the next. What a load gives that reads the same data in all threads is a class of its own, because the host may not
//! have that data; so is what is computed from it. Phis, address arithmetic, inline assembly and calls of functions are
//! left out. Costs are issue cycles times [executions](super::frequency).
//!
//! The advice is given only if it is worth [`ADVICE_MIN_SHARE`] of the kernel, [`ADVICE_MIN_CYCLES`], and
//! [`ADVICE_MIN_FOR_ARGUMENT`] for each result.

use super::frequency::Frequencies;
use super::issue::Costs;
use crate::affine::Scope;
use crate::divergence::Facts;
use crate::divergence::intrinsic_table::class_of_intrinsic;
use crate::divergence::intrinsics::LaneRule;
use crate::gpu::prices::{ADVICE_MIN_CYCLES, ADVICE_MIN_FOR_ARGUMENT, ADVICE_MIN_SHARE, CALL_CYCLES};
use std::collections::BTreeSet;
use warpwise_ir::call::{Callee, Memory};
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::handle::intrinsic_name;
use warpwise_ir::phrase::counted;
use warpwise_ir::types::TypeKind;

/// Whose work a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Source {
    /// Arguments, dimensions of the launch and constants.
    Launch,
    /// Also data in memory that all threads read alike.
    Data,
    Thread,
}

/// Whose work each instruction is.
struct Sources(Vec<Source>);

impl Sources {
    /// The source of every instruction's result. Operands without a phi in between cannot go round in circles, so that
    /// this ends after as many rounds as blocks are out of order.
    fn of(facts: &Facts) -> Sources {
        let mut sources = Sources(vec![Source::Thread; facts.func.insts.len()]);
        loop {
            let mut has_changed = false;
            for inst in reachable(facts) {
                let found = source(facts, &sources, inst);
                has_changed |= found != sources.0[inst.as_u32() as usize];
                sources.0[inst.as_u32() as usize] = found;
            }
            if !has_changed {
                return sources;
            }
        }
    }

    /// Whether an instruction is work of the launch, and neither a register nor a part of an argument.
    fn is_work(&self, facts: &Facts, inst: Inst) -> bool {
        let func = &facts.func;
        let is_leaf = func.insts[inst].opcode == Opcode::Load
            || (func.insts[inst].opcode == Opcode::Call && func.operands(inst).is_empty());
        self.0[inst.as_u32() as usize] == Source::Launch && !is_leaf
    }

    /// The instructions that are.
    fn work(&self, facts: &Facts) -> Vec<Inst> {
        reachable(facts).filter(|&inst| self.is_work(facts, inst)).collect()
    }

    fn of_value(&self, facts: &Facts, value: Value) -> Source {
        let func = &facts.func;
        match func.def(value) {
            Some(inst) => self.0.get(inst.as_u32() as usize).copied().unwrap_or(Source::Thread),
            // addresses of variables are not the host's
            None if func.as_param(value).is_some() => Source::Launch,
            None if is_pointer(facts, value) => Source::Thread,
            None => Source::Launch,
        }
    }
}

/// Work that all threads repeat.
#[derive(Clone, PartialEq, Debug)]
pub struct GridWork {
    /// Number of instructions that cost anything.
    pub instructions: u32,
    pub divisions: u32,
    pub calls: u32,
    /// Number of results that the rest of the kernel uses.
    pub results: u32,
    /// Issue cycles of one warp.
    pub cycles: f64,
    /// Share of the kernel's issue cycles, 0 to 1.
    pub share: f64,
    /// Loads of data that all threads read alike, and the instructions that compute from them.
    pub loads: u32,
    pub behind_loads: u32,
    /// The most expensive instruction.
    pub place: Inst,
}

impl GridWork {
    /// What a kernel repeats in all threads, if it is worth an advice.
    pub fn of(facts: &Facts, handles: &Handles<'_>) -> Option<GridWork> {
        if !facts.func.is_kernel {
            return None;
        }
        let sources = Sources::of(facts);
        let candidates = sources.work(facts);
        let costs = Costs::of(handles.function);
        let first = *candidates.iter().max_by_key(|inst| costs.inst(&facts.func, **inst))?;
        if f64::from(costs.inst(&facts.func, first)) == 0.0 {
            return None;
        }
        let frequencies = Frequencies::new(handles.function);
        let cycles =
            |inst: Inst| f64::from(costs.inst(&facts.func, inst)) * frequencies.of(facts.func.insts[inst].block);
        let total: f64 = reachable(facts).map(cycles).sum();
        let mut work = GridWork {
            instructions: 0,
            divisions: 0,
            calls: 0,
            results: results(facts, &sources),
            cycles: candidates.iter().map(|&inst| cycles(inst)).sum(),
            share: 0.0,
            loads: 0,
            behind_loads: 0,
            place: first,
        };
        work.share = work.cycles / total.max(1.0);
        let is_worth_its_arguments = work.cycles >= ADVICE_MIN_FOR_ARGUMENT * f64::from(work.results);
        if work.share < ADVICE_MIN_SHARE || work.cycles < ADVICE_MIN_CYCLES || !is_worth_its_arguments {
            return None;
        }
        for &inst in candidates.iter().filter(|inst| costs.inst(&facts.func, **inst) > 0) {
            work.instructions += 1;
            work.divisions += u32::from(is_division(facts, inst));
            let is_call = facts.func.insts[inst].opcode == Opcode::Call && !is_division(facts, inst);
            work.calls += u32::from(is_call && costs.inst(&facts.func, inst) >= CALL_CYCLES);
        }
        for inst in reachable(facts).filter(|&inst| sources.of_value(facts, facts.func.result(inst)) == Source::Data) {
            let is_load = facts.func.insts[inst].opcode == Opcode::Load;
            *(if is_load { &mut work.loads } else { &mut work.behind_loads }) += 1;
        }
        Some(work)
    }

    /// The sentence of the remark and of reports.
    pub fn sentence(&self) -> String {
        self.with(&format!(": {:.0} % of the kernel's issue cycles", 100.0 * self.share))
    }

    /// The same without its share.
    pub fn what(&self) -> String {
        self.with("")
    }

    fn with(&self, share: &str) -> String {
        let kinds = [(self.divisions, "division"), (self.calls, "call")];
        let kinds: Vec<String> =
            kinds.iter().filter(|(number, _)| *number > 0).map(|&(number, what)| counted(number, what)).collect();
        let of_which = if kinds.is_empty() { String::new() } else { format!(", of which {},", kinds.join(" and ")) };
        let mut text = format!(
            "grid-uniform work: {} a thread{of_which} could be computed once on the host and passed as {}{share}",
            counted(self.instructions, "instruction"),
            counted(self.results, "argument"),
        );
        if self.behind_loads > 0 {
            text += &format!(
                "; {} {} on {} of data that all threads read alike",
                counted(self.behind_loads, "more instruction"),
                if self.behind_loads == 1 { "depends" } else { "depend" },
                counted(self.loads, "load")
            );
        }
        text
    }
}

fn reachable(facts: &Facts) -> impl Iterator<Item = Inst> + '_ {
    let func = &facts.func;
    func.insts.keys().filter(|&inst| facts.is_reachable(func.insts[inst].block))
}

fn is_pointer(facts: &Facts, value: Value) -> bool {
    matches!(facts.func.type_info(value).kind, TypeKind::Ptr { .. })
}

fn source(facts: &Facts, sources: &Sources, inst: Inst) -> Source {
    let func = &facts.func;
    if facts.scope(func.result(inst)) != Some(Scope::Grid) || is_pointer(facts, func.result(inst)) {
        return Source::Thread;
    }
    let operands = || func.operands(inst).iter().map(|&operand| sources.of_value(facts, operand)).max();
    match func.insts[inst].opcode {
        Opcode::Load if is_argument(facts, func.operands(inst)[0]) => Source::Launch,
        Opcode::Load => Source::Data,
        Opcode::Call => match func.call(inst).callee {
            Callee::Intrinsic(id) if is_dimension(&intrinsic_name(id)) => Source::Launch,
            Callee::Intrinsic(id) if is_pure(facts, inst, id) => operands().unwrap_or(Source::Thread),
            _ => Source::Thread,
        },
        Opcode::Freeze | Opcode::Phi | Opcode::Other => Source::Thread,
        opcode if opcode.is_computation() => operands().unwrap_or(Source::Thread),
        _ => Source::Thread,
    }
}

fn is_dimension(name: &str) -> bool {
    name.strip_prefix("llvm.nvvm.read.ptx.sreg.")
        .is_some_and(|name| name.starts_with("ntid") || name.starts_with("nctaid"))
}

fn is_pure(facts: &Facts, inst: Inst, id: u32) -> bool {
    let call = facts.func.call(inst);
    let touches_nothing = call.memory == Memory::None && !call.convergent;
    touches_nothing && class_of_intrinsic(id, true) == LaneRule::Pure
}

/// Whether an address is in a structure that is passed by value.
fn is_argument(facts: &Facts, mut address: Value) -> bool {
    let func = &facts.func;
    while let Some(inst) = func.def(address) {
        let is_step = match func.insts[inst].opcode {
            Opcode::Gep => func.gep(inst).terms.is_empty(),
            opcode => matches!(opcode, Opcode::AddrSpaceCast | Opcode::BitCast),
        };
        match func.operands(inst).first() {
            Some(&from) if is_step => address = from,
            _ => return false,
        }
    }
    func.as_param(address).is_some_and(|index| func.params[index as usize].byval)
}

/// How many results of the launch's work the rest of the kernel uses.
fn results(facts: &Facts, sources: &Sources) -> u32 {
    let func = &facts.func;
    let mut used = BTreeSet::new();
    for inst in reachable(facts).filter(|inst| sources.0[inst.as_u32() as usize] != Source::Launch) {
        let defs = func.operands(inst).iter().filter_map(|&operand| func.def(operand));
        used.extend(defs.filter(|&def| sources.is_work(facts, def)));
    }
    used.len() as u32
}

/// Whether it divides, or takes a reciprocal.
fn is_division(facts: &Facts, inst: Inst) -> bool {
    let func = &facts.func;
    match func.insts[inst].opcode {
        Opcode::FDiv | Opcode::FRem | Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => true,
        Opcode::Call => func
            .called_intrinsic(inst)
            .map(intrinsic_name)
            .is_some_and(|name| ["llvm.nvvm.div", "llvm.nvvm.rcp"].iter().any(|start| name.starts_with(start))),
        _ => false,
    }
}
