//! What will `annotate-uniform` do to a function? Reads facts, changes nothing.
//!
//! 1. **Hidden branches**: uniform branches that ptxas cannot prove uniform, found by following the uses of *leaves*
//!    ([`ptxas`](super::ptxas)).
//! 2. **Votes**: of these, the branches in warp-convergent blocks with a join and with sides too long to be predicated get
//!    a vote.
//! 3. **Invariant loads**, but for those with which LLVM would make one [product](super::products) of two.
//!
//! A function where [other code](raw::is_undecided) decides about multiply-adds gets neither.
//!
//! Legality is decided before profit. Everything left out is listed with its reason.

use super::products;
use super::ptxas::Ptxas;
use super::readonly::{ReadOnly, ReadOnlyMemory};
use super::sites::{Site, Sites};
use crate::mutants::{self, Mutant};
use crate::settings::{Results, Settings};
use rustc_hash::FxHashMap;
use warpwise_analysis::affine::Scope;
use warpwise_analysis::contraction::raw::{self, Ends, Pins};
use warpwise_analysis::divergence::Facts;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};

/// Why a uniform branch that is hidden from ptxas is left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    #[error("branch is uniform, but lanes of the warp may come to it apart, and a vote would wait for all")]
    NotConvergent,
    #[error("branch is uniform, but ends a loop: telling ptxas so would stop it from unrolling")]
    LoopEnd,
    #[error("branch is uniform, but so short that ptxas predicates it")]
    Short,
    #[error("branch is uniform, but its sides never meet: there is no barrier to remove")]
    NoJoin,
    #[error("branch is uniform, but with a vote beside them, other products and sums could become multiply-adds")]
    Contraction,
}

impl Reject {
    /// Name of the remark.
    pub fn name(self) -> &'static str {
        match self {
            Reject::NotConvergent => "BranchNotConvergent",
            Reject::LoopEnd => "BranchEndsLoop",
            Reject::Short => "BranchTooShort",
            Reject::NoJoin => "BranchWithoutJoin",
            Reject::Contraction => "BranchContraction",
        }
    }
}

/// A load to be marked `!invariant.load`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvariantLoad {
    pub load: Inst,
    /// Whether the back end sees a generic address, which must be cast to global memory first.
    pub needs_space: bool,
}

/// What will be done to a function.
#[derive(Debug, Default)]
pub struct Plan<'m> {
    /// Blocks whose branch gets a vote.
    pub votes: Vec<Block>,
    /// What is written out if any does: the back end arranges blocks otherwise.
    pub pins: Vec<Pins<'m>>,
    pub invariants: Vec<InvariantLoad>,
    pub rejects: Vec<(Block, Reject)>,
}

impl Plan<'_> {
    /// Whether the analysis will know less about the function afterwards. It takes the result of a vote to be uniform in
    /// the warp only, and some such condition is uniform in the block or the grid now.
    pub fn narrows(&self, facts: &Facts) -> bool {
        self.votes.iter().any(|&block| facts.branch_scope(block) != Some(Scope::Warp))
    }

    fn leave_branches(&mut self) {
        self.rejects.extend(self.votes.drain(..).map(|block| (block, Reject::Contraction)));
    }
}

/// Plans one function.
pub fn plan<'m>(facts: &Facts, handles: &Handles<'m>, memory: &mut ReadOnlyMemory, settings: &Settings) -> Plan<'m> {
    let mut roots = FxHashMap::default();
    let loads = facts.func.insts.keys();
    let mut invariants = loads.filter_map(|inst| invariant(facts, handles, memory, &mut roots, inst)).collect();
    if settings.results == Results::Same {
        products::keep_apart(facts, handles, &mut invariants);
    }
    let mut plan = Plan { invariants, ..Plan::default() };
    plan_branches(facts, &mut plan);
    let is_empty = plan.votes.is_empty() && plan.invariants.is_empty();
    if settings.results == Results::Same && !is_empty && raw::is_undecided(handles.function) {
        plan.invariants.clear();
        plan.leave_branches();
    }
    if !plan.votes.is_empty() {
        match settings.results.pins(handles.function, Ends::Objects(&[])) {
            Some(pins) => plan.pins = pins,
            None => plan.leave_branches(),
        }
    }
    plan
}

/// Whether a load is invariant; `roots` caches what is known about the values that addresses start from.
fn invariant(
    facts: &Facts,
    handles: &Handles<'_>,
    memory: &mut ReadOnlyMemory,
    roots: &mut FxHashMap<Value, Option<ReadOnly>>,
    inst: Inst,
) -> Option<InvariantLoad> {
    let func = &facts.func;
    let data = &func.insts[inst];
    let refused = Flags::VOLATILE | Flags::ATOMIC | Flags::INVARIANT;
    if data.opcode != Opcode::Load || data.flags.intersects(refused) || !facts.is_reachable(data.block) {
        return None;
    }
    let pointer = func.operands(inst)[0];
    // address arithmetic and casts lead back to one value
    let mut root = pointer;
    while let Some(def) = func.def(root) {
        match func.insts[def].opcode {
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => root = func.operands(def)[0],
            _ => break,
        }
    }
    let known = (*roots.entry(root).or_insert_with(|| memory.of(handles.function, handles.value(root))))?;
    let is_generic = func.type_info(pointer).kind.space() == Some(0);
    Some(InvariantLoad { load: inst, needs_space: is_generic && known.is_global && known.through_calls })
}

fn plan_branches(facts: &Facts, plan: &mut Plan<'_>) {
    let ptxas = Ptxas::new(facts);
    let hidden = ptxas.hidden();
    if hidden.is_empty() {
        return;
    }
    let sites = Sites::new(facts);
    for block in hidden.branches() {
        match may_vote(facts, &sites, block) {
            Ok(()) => plan.votes.push(block),
            Err(reject) => plan.rejects.push((block, reject)),
        }
    }
    if mutants::on(Mutant::VoteDivergent) {
        let graph = &facts.func.graph;
        let is_branch = |block: Block| facts.func.insts[facts.func.terminator(block)].opcode != Opcode::Switch;
        let parts =
            |&block: &Block| graph.succs(block).len() == 2 && is_branch(block) && facts.is_divergent_branch(block);
        plan.votes.extend(facts.func.blocks.keys().filter(parts));
    }
}

/// Whether all lanes vote on a hidden branch.
fn may_vote(facts: &Facts, sites: &Sites<'_>, block: Block) -> Result<(), Reject> {
    let is_switch = facts.func.insts[facts.func.terminator(block)].opcode == Opcode::Switch;
    match sites.of(block) {
        Site::LoopEnd => Err(Reject::LoopEnd),
        Site::NoJoin => Err(Reject::NoJoin),
        Site::Short => Err(Reject::Short),
        Site::Region if is_switch || !facts.is_convergent(block) => Err(Reject::NotConvergent),
        Site::Region => Ok(()),
    }
}
