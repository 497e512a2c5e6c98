//! What does an iteration of a loop do, and what of it needs the iteration before?

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_analysis::access::{Space, space_of};
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::contraction::{Pair, raw};
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::gpu::prices::PTXAS_MAX_INSTRUCTIONS;
use warpwise_ir::Func;
use warpwise_ir::call::Memory;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle::intrinsic_name;
use warpwise_ir::types::TypeKind;

/// What a loop counts with.
pub struct Counter {
    /// The block with the loop's only exit.
    pub exit: Block,
    /// The counter.
    pub phi: Inst,
    /// What each iteration adds to it.
    pub step: Value,
    /// What it is compared with.
    pub bound: Value,
}

/// A loop with a single latch.
pub struct Body<'a> {
    pub facts: &'a Facts,
    pub func: &'a Func,
    pub cycle: Cycle,
    pub latch: Block,
    pub insts: Vec<Inst>,
}

impl<'a> Body<'a> {
    pub fn of(facts: &'a Facts, cycle: Cycle, latch: Block) -> Body<'a> {
        Body { facts, func: &facts.func, cycle, latch, insts: facts.insts_in(cycle).collect() }
    }

    /// The number of instructions that are copied.
    pub fn size(&self) -> usize {
        self.insts.iter().filter(|&&inst| self.func.insts[inst].opcode != Opcode::Phi).count()
    }

    /// Whether `ptxas` unrolls the loop by four: it is short, and its branch goes on if the condition holds. Of the two ways
    /// from a block, LLVM's back end makes that of the condition the one that does not follow in the function.
    pub fn is_left_to_ptxas(&self) -> bool {
        let way = self.func.graph.succs(self.latch)[0];
        let goes_on = way == self.facts.cfg().cycles.header(self.cycle) || way.as_u32() == self.latch.as_u32() + 1;
        goes_on && self.computed() <= PTXAS_MAX_INSTRUCTIONS
    }

    /// The number of instructions that neither load nor compute addresses.
    fn computed(&self) -> usize {
        let mut addresses: FxHashSet<Value> = FxHashSet::default();
        for &inst in self.insts.iter().rev() {
            addresses.extend(self.func.accessed(inst));
            if addresses.contains(&self.func.result(inst)) {
                addresses.extend(self.func.operands(inst));
            }
        }
        let is_work = |inst: Inst| !matches!(self.func.insts[inst].opcode, Opcode::Phi | Opcode::Load);
        self.insts.iter().filter(|&&inst| is_work(inst) && !addresses.contains(&self.func.result(inst))).count()
    }

    /// What the loop counts with, if it has one exit, which compares what grows by the same amount in each iteration with
    /// what does not change.
    pub fn counter(&self) -> Option<Counter> {
        let cycles = &self.facts.cfg().cycles;
        let mut exits = cycles.exit_edges(&self.func.graph, self.cycle);
        let (exit, _) = exits.next()?;
        if exits.next().is_some() || self.func.insts[self.func.terminator(exit)].opcode != Opcode::CondBr {
            return None;
        }
        let test = self.func.def(self.func.condition(self.func.terminator(exit))?)?;
        let &[a, b] = self.func.operands(test) else { return None };
        let of = |counted, bound| {
            let (phi, step) = self.counted(counted).filter(|_| !self.is_inside(bound))?;
            Some(Counter { exit, phi, step, bound })
        };
        (self.func.insts[test].opcode == Opcode::ICmp).then(|| of(a, b).or_else(|| of(b, a))).flatten()
    }

    /// The phi of the header to which each iteration adds the same, and what it adds, for the phi or for the sum.
    fn counted(&self, value: Value) -> Option<(Inst, Value)> {
        let def = self.func.def(value)?;
        let is_phi = self.func.insts[def].opcode == Opcode::Phi;
        let phi = if is_phi { def } else { self.func.def(*self.func.operands(def).first()?)? };
        if self.func.insts[phi].opcode != Opcode::Phi || !self.is_of_header(phi) {
            return None;
        }
        let mut next = self.next_values(phi);
        let (Some(sum), None) = (next.next(), next.next()) else { return None };
        let add = self.func.def(sum)?;
        let &[old, step] = self.func.operands(add) else { return None };
        let adds = self.func.insts[add].opcode == Opcode::Add && old == self.func.result(phi) && !self.is_inside(step);
        (adds && (is_phi || add == def)).then_some((phi, step))
    }

    /// What a phi of the header is when the loop is entered.
    pub fn starts(&self, phi: Inst) -> impl Iterator<Item = Value> + '_ {
        let pairs = self.func.operands(phi).iter().zip(self.func.incoming(phi));
        pairs.filter(|&(_, &from)| !self.facts.cfg().cycles.contains(self.cycle, from)).map(|(&value, _)| value)
    }

    /// What a phi of the header is in the next iteration.
    fn next_values(&self, phi: Inst) -> impl Iterator<Item = Value> + '_ {
        let pairs = self.func.operands(phi).iter().zip(self.func.incoming(phi));
        pairs.filter(|&(_, &from)| self.facts.cfg().cycles.contains(self.cycle, from)).map(|(&value, _)| value)
    }

    fn is_of_header(&self, inst: Inst) -> bool {
        self.func.insts[inst].block == self.facts.cfg().cycles.header(self.cycle)
    }

    /// Whether the loop computes a value.
    fn is_inside(&self, value: Value) -> bool {
        self.func.def(value).is_some_and(|def| self.facts.cfg().cycles.contains(self.cycle, self.func.insts[def].block))
    }

    /// Whether what one iteration accesses is a constant number of bytes, or one that stays the same in the loop, from what the
    /// next one does: no index is widened that may have wrapped.
    pub fn is_beside(&self) -> bool {
        let addresses = self.insts.iter().filter_map(|&inst| self.func.accessed(inst));
        let mut open: Vec<(Value, Option<Flags>)> = addresses.map(|address| (address, None)).collect();
        let mut seen = FxHashSet::default();
        while let Some((value, widened)) = open.pop() {
            let Some(def) = self.func.def(value).filter(|_| self.is_inside(value)) else { continue };
            if self.func.insts[def].opcode == Opcode::Phi && self.is_of_header(def) || !seen.insert((def, widened)) {
                continue;
            }
            let Some(widened) = self.linear(def, widened) else { return false };
            open.extend(self.func.operands(def).iter().map(|&operand| (operand, widened)));
        }
        true
    }

    /// Whether an instruction of the loop is linear in its operands: then the flags that these need, where they are sums that are
    /// widened. `widened` are those that it needs itself.
    fn linear(&self, inst: Inst, widened: Option<Flags>) -> Option<Option<Flags>> {
        let data = &self.func.insts[inst];
        let has_flags = || widened.is_none_or(|flags| data.flags.contains(flags));
        let is_scaled = || self.func.operands(inst).iter().any(|&operand| !self.is_inside(operand));
        match data.opcode {
            Opcode::Add | Opcode::Sub => has_flags().then_some(widened),
            Opcode::Or => data.flags.contains(Flags::DISJOINT).then_some(widened),
            Opcode::SExt => Some(Some(Flags::NSW)),
            Opcode::ZExt if data.flags.contains(Flags::NNEG) => Some(Some(Flags::NSW)),
            Opcode::ZExt => Some(Some(Flags::NUW)),
            Opcode::Mul | Opcode::Shl => (is_scaled() && has_flags()).then_some(widened),
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast => Some(None),
            _ => None,
        }
    }

    /// By how much each value grows from one iteration to the next, addresses in bytes, where that is a constant and no counter
    /// wraps. For loops of a single block: what comes later in the function is not known yet.
    pub fn growths(&self) -> FxHashMap<Value, i64> {
        let mut known = FxHashMap::default();
        for &inst in &self.insts {
            let growth = self.growth(inst, &known);
            known.extend(growth.map(|growth| (self.func.result(inst), growth)));
        }
        known
    }

    /// The growth of what an instruction of the loop computes, from those of its operands.
    fn growth(&self, inst: Inst, known: &FxHashMap<Value, i64>) -> Option<i64> {
        let data = &self.func.insts[inst];
        let operands = self.func.operands(inst);
        let of = |index: usize| {
            let operand = operands[index];
            if self.is_inside(operand) { known.get(&operand).copied() } else { Some(0) }
        };
        let scaled = |by: Option<i64>| match (of(0)?, of(1)?) {
            (0, 0) => Some(0),
            (growth, 0) => growth.checked_mul(by?),
            _ => None,
        };
        match data.opcode {
            Opcode::Phi if self.is_of_header(inst) => {
                self.func.signed_constant(self.counted(self.func.result(inst))?.1)
            }
            Opcode::Add => of(0)?.checked_add(of(1)?),
            Opcode::Or if data.flags.contains(Flags::DISJOINT) => of(0)?.checked_add(of(1)?),
            Opcode::Sub => of(0)?.checked_sub(of(1)?),
            Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::AddrSpaceCast | Opcode::BitCast => of(0),
            Opcode::Mul => scaled(self.func.signed_constant(operands[1])),
            Opcode::Shl => scaled(self.func.signed_constant(operands[1]).and_then(|by| 1i64.checked_shl(by as u32))),
            Opcode::Gep => {
                let terms = self.func.gep(inst).terms.iter();
                let mut terms = terms.map(|term| of(term.operand as usize)?.checked_mul(term.stride as i64));
                terms.try_fold(of(0)?, |sum, more| sum.checked_add(more?))
            }
            _ => None,
        }
    }

    /// Where a load loads from.
    pub fn address(&self, load: Inst) -> Value {
        self.func.operands(load)[0]
    }

    /// The address from which a load is a constant number of bytes away.
    pub fn base(&self, load: Inst) -> Value {
        self.func.without_offset(self.address(load)).0
    }

    /// Whether it loads from memory other than the stack, at an address of its own in each iteration.
    pub fn is_load(&self, inst: Inst) -> bool {
        self.func.insts[inst].opcode == Opcode::Load
            && self.is_changing(inst)
            && matches!(space_of(self.func, self.address(inst)), Space::Global | Space::Generic | Space::Shared)
    }

    /// Whether it loads from an address of its own in each iteration.
    pub fn is_changing(&self, load: Inst) -> bool {
        self.is_inside(self.address(load))
    }

    /// Whether it loads through an argument behind which nobody writes while the kernel runs.
    pub fn is_never_written(&self, load: Inst) -> bool {
        let func = self.func;
        let is_constant = |param: u32| func.params[param as usize].noalias && func.params[param as usize].readonly;
        func.is_kernel && func.as_param(func.pointer_root(self.address(load))).is_some_and(is_constant)
    }

    /// Whether it takes long to compute.
    pub fn is_slow(&self, inst: Inst) -> bool {
        match self.func.insts[inst].opcode {
            Opcode::FDiv | Opcode::FRem => true,
            Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => {
                self.func.operands(inst).get(1).is_some_and(|&by| self.func.constant(by).is_none())
            }
            Opcode::Call => self.intrinsic(inst).is_some_and(|name| {
                let slow = ["sqrt", ".div", ".rcp", ".ex2", ".lg2", ".sin", ".cos"];
                slow.iter().any(|part| name.contains(part))
            }),
            _ => false,
        }
    }

    /// Whether it is a division or a root of 64 bits: a sequence of multiply-adds with a branch to a slow path, and not one
    /// approximate instruction that is corrected.
    pub fn is_wide(&self, inst: Inst) -> bool {
        let kind = self.func.type_info(self.func.result(inst)).kind;
        self.is_slow(inst) && matches!(kind, TypeKind::Float(64) | TypeKind::Int(64))
    }

    /// Whether iterations cannot overlap around it.
    pub fn waits(&self, inst: Inst) -> bool {
        if self.func.insts[inst].opcode != Opcode::Call {
            return may_synchronise(self.func, inst);
        }
        let call = self.func.call(inst);
        match self.intrinsic(inst) {
            Some(name) if name == "llvm.assume" => false,
            Some(_) => call.convergent || call.memory == Memory::ReadWrite,
            None => true,
        }
    }

    /// The name of the intrinsic that is called.
    fn intrinsic(&self, call: Inst) -> Option<String> {
        self.func.called_intrinsic(call).map(intrinsic_name)
    }

    /// The memory that an instruction stores to.
    pub fn stored_space(&self, inst: Inst) -> Option<Space> {
        (self.func.insts[inst].opcode == Opcode::Store).then(|| space_of(self.func, self.func.operands(inst)[1]))
    }

    /// The values that need what an earlier iteration loaded.
    pub fn depend_on_loads(&self) -> FxHashSet<Value> {
        let loads = self.insts.iter().filter(|&&inst| self.func.insts[inst].opcode == Opcode::Load);
        let loaded = self.closure(loads.map(|&load| self.func.result(load)).collect(), |_| true);
        let phis = self.header_phis().filter(|&phi| self.next_values(phi).any(|next| loaded.contains(&next)));
        self.closure(phis.map(|phi| self.func.result(phi)).collect(), |_| true)
    }

    /// The values that need what an earlier iteration computed, other than counters.
    pub fn depend_on_results(&self) -> FxHashSet<Value> {
        let results = self.header_phis().map(|phi| self.func.result(phi));
        self.closure(results.filter(|&phi| self.counted(phi).is_none()).collect(), |_| true)
    }

    /// Whether the copies could bring a product into the block of a sum that uses it, where the back end joins the two
    /// into one multiply-add, with other results: a sum of the next iteration, or, if the trip count is constant, one
    /// behind the loop, since the iterations that remain are then copied there.
    pub fn changes_contraction(&self, handles: &Handles<'_>, is_constant: bool) -> bool {
        let opcode = |inst: Inst| self.func.insts[inst].opcode;
        let is_product = |inst: Inst| Pair::MultiplyAdd.begins_with(handles.inst(inst));
        let products = self.insts.iter().copied().filter(|&inst| is_product(inst));
        let products: FxHashSet<Value> = products.map(|product| self.func.result(product)).collect();
        let is_sum = |inst: Inst| matches!(opcode(inst), Opcode::FAdd | Opcode::FSub);
        let uses = |inst: Inst, of: &FxHashSet<Value>| self.func.operands(inst).iter().any(|value| of.contains(value));
        let passes = |inst: Inst| opcode(inst) != Opcode::Phi && raw::passes_on(handles.inst(inst));
        let products = self.closure(products, passes);
        let carried = self.header_phis().filter(|&phi| self.next_values(phi).any(|next| products.contains(&next)));
        let carried = self.closure(carried.map(|phi| self.func.result(phi)).collect(), passes);
        let is_behind = |inst: Inst| !self.facts.cfg().cycles.contains(self.cycle, self.func.insts[inst].block);
        let leaves = |inst: Inst| uses(inst, &products) && is_behind(inst);
        self.insts.iter().any(|&inst| is_sum(inst) && uses(inst, &carried))
            || (is_constant && self.func.insts.keys().any(leaves))
    }

    fn header_phis(&self) -> impl Iterator<Item = Inst> + '_ {
        self.func.phis(self.facts.cfg().cycles.header(self.cycle))
    }

    /// Some values, and all that such instructions of the loop compute from them.
    fn closure(&self, mut values: FxHashSet<Value>, takes: impl Fn(Inst) -> bool) -> FxHashSet<Value> {
        loop {
            let before = values.len();
            for inst in self.insts.iter().copied().filter(|&inst| takes(inst)) {
                if self.func.operands(inst).iter().any(|operand| values.contains(operand)) {
                    values.insert(self.func.result(inst));
                }
            }
            if values.len() == before {
                return values;
            }
        }
    }
}
