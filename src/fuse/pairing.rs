//! Which instructions of two corresponding blocks are melded?
//!
//! 1. The two sequences are aligned ([`align`](super::align)). The gain of a pair is its cost, less the selects that it
//!    certainly needs: for operands that differ and are not instructions of the sides, or are instructions of different
//!    shapes.
//! 2. Once the pairs are known, operands are compared again: those that are melded themselves need no select. Pairs
//!    that cost more than they save are dissolved, taking into account the selects that their users would then need.
//!    This is repeated at most [`ROUNDS`] times, since dissolving one pair may make another too expensive.
//! 3. Instructions left over on both sides are paired out of order if they match, pay, and a schedule exists; this
//!    reorders a side as far as dependences allow. At most [`MAX_EXTRA`] attempts are made.
//! 4. Of the rest, cheap instructions that are safe to execute needlessly are executed by all lanes; the others are
//!    guarded.
//!
//! Cost: that of the alignment, plus the attempts of step 3 times the length of the block.

use super::align::{Sequences, align};
use super::legality::{self, Kinds};
use super::matching::{self, How, Shapes};
use super::plan::Visits;
use super::schedule::{Node, Step, schedule};
use crate::settings::{Results, Settings};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use warpwise_analysis::contraction::Pair;
use warpwise_analysis::contraction::raw::{Ends, Pins, may_pair};
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::cost::issue::Costs;
use warpwise_analysis::counts::Feedback;
use warpwise_analysis::gpu::prices::{DIVERGENT_BRANCH, MELD_MAX_LIFT};
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::Function;

/// Maximum number of rounds that dissolve pairs which do not pay.
const ROUNDS: u32 = 4;

/// Maximum number of attempts to pair leftovers out of order; each attempt schedules the block.
const MAX_EXTRA: usize = 32;

/// Longest block for which leftovers are paired out of order, in instructions of both sides together.
const MAX_EXTRA_LENGTH: usize = 1024;

/// Extra gain of a pair if everything is to be melded, in issue cycles: more than any selects cost.
const FAVOUR: i32 = 1 << 12;

/// The instructions melded so far in a region.
#[derive(Default)]
pub struct Melded {
    partner: FxHashMap<Inst, Inst>,
}

impl Melded {
    /// Records a pair.
    pub fn add(&mut self, [t, f]: [Inst; 2]) {
        self.partner.insert(t, f);
    }
    fn remove(&mut self, [t, _]: [Inst; 2]) {
        self.partner.remove(&t);
    }
    /// Whether the values of both sides are the same value after melding.
    pub fn same(&self, func: &Func, [a, b]: [Value; 2]) -> bool {
        a == b || self.is_pair(func, [a, b])
    }
    fn is_pair(&self, func: &Func, [a, b]: [Value; 2]) -> bool {
        match (func.def(a), func.def(b)) {
            (Some(a), Some(b)) => self.partner.get(&a) == Some(&b),
            _ => false,
        }
    }
}

/// What the planner of a region needs throughout.
pub struct Context<'a, 'm> {
    pub func: &'a Func,
    pub handles: &'a Handles<'m>,
    pub kinds: &'a Kinds,
    pub costs: Costs,
    pub frequencies: &'a Frequencies<'m>,
    pub settings: &'a Settings,
    /// The counts of an earlier run.
    pub map: Option<&'a Feedback>,
    /// Whether LLVM is still to find out what loads return.
    pub is_early: bool,
    /// Whether results can [keep their bits](pins), once that is asked.
    pub keeps: OnceCell<bool>,
}

impl<'m> Context<'_, 'm> {
    /// What the divergence map reports about the branch at the end of a block.
    pub fn visits(&self, block: Block) -> Option<Visits> {
        let counts = self.map?.of_branch(self.handles.inst(self.func.terminator(block)))?;
        Some(Visits { reached: counts.visits, split: counts.splits })
    }

    /// Whether results keep their bits, or need not, if branches of the function go.
    pub fn keeps_results(&self) -> bool {
        let can_keep = || pins(self.settings, self.is_early, self.handles.function).is_some();
        self.settings.results == Results::Contract || *self.keeps.get_or_init(can_keep)
    }
}

/// What has to be written out in a function before its branches go, so that results keep their bits; `None` if that cannot be.
/// Before LLVM has inlined and simplified it is not known what is joined.
pub fn pins<'m>(settings: &Settings, is_early: bool, function: Function<'m>) -> Option<Vec<Pins<'m>>> {
    if is_early && settings.results == Results::Same {
        let has_pair = Pair::ALL.into_iter().any(|pair| may_pair(&[function], pair));
        return (!has_pair).then(Vec::new);
    }
    settings.results.pins(function, Ends::Objects(&[]))
}

/// What a pair of blocks executes after melding, and what that saves. All costs are in issue cycles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pairing {
    pub steps: Vec<Step>,
    /// Cost of the instructions that are executed once instead of twice.
    pub saved: u32,
    /// Cost of pairs that compute the same from the same operands, which LLVM hoists or sinks by itself; not part of
    /// `saved`.
    pub common: u32,
    /// Number of melded pairs of instructions.
    pub melded: u32,
    /// Pairs of values that a select chooses between.
    pub selects: Vec<[Value; 2]>,
    /// Cost and number of the instructions that lanes of the other side execute needlessly.
    pub lifted_cost: u32,
    pub lifted: u32,
    /// Number of guards, and of the instructions behind them.
    pub guards: u32,
    pub guarded: u32,
}

/// Pairs the instructions of two blocks and adds the pairs to `melded`. `ends` are pairs of values that the ends of
/// both sides use: branch conditions, and values for phis that follow.
pub fn pair_up(
    context: &Context<'_, '_>,
    bodies: [&[Inst]; 2],
    ends: &[[Value; 2]],
    shapes: &mut Shapes,
    melded: &mut Melded,
) -> Pairing {
    let mut pairer = Pairer::new(context, bodies, shapes, melded);
    for (i, j) in align(bodies[0].len(), bodies[1].len(), DIVERGENT_BRANCH as i32, &pairer) {
        pairer.join([bodies[0][i], bodies[1][j]]);
    }
    pairer.dissolve(ends);
    let mut steps = pairer.schedule();
    if steps.is_none() {
        // the alignment keeps the order of both sides, so a schedule always exists; only a bug leads here
        debug_assert!(false, "an alignment crosses itself");
        pairer.clear();
        steps = pairer.schedule();
    }
    pairer.extend(&mut steps, ends);
    pairer.finish(steps.unwrap_or_default())
}

struct Pairer<'a, 'c, 'm> {
    context: &'a Context<'c, 'm>,
    bodies: [&'a [Inst]; 2],
    shape_lists: [Vec<u32>; 2],
    floating: [Vec<bool>; 2],
    /// Costs of the first body's instructions, in issue cycles.
    costs: Vec<i32>,
    melded: &'a mut Melded,
    /// Pairs of this block, and how each is melded.
    pairs: Vec<([Inst; 2], How)>,
}

impl Sequences for Pairer<'_, '_, '_> {
    fn score(&self, i: usize, j: usize) -> Option<i32> {
        let shape = self.shape_lists[0][i];
        if shape == Shapes::NONE || shape != self.shape_lists[1][j] {
            return None;
        }
        let insts = [self.bodies[0][i], self.bodies[1][j]];
        let (_, price) = self.best_way(insts, |values| self.likely_same(values))?;
        let favour = if self.context.settings.fuse_profit.is_always() { FAVOUR } else { 0 };
        Some(self.costs[i] - price + favour)
    }
    fn first_floats(&self, i: usize) -> bool {
        self.floating[0][i]
    }
    fn second_floats(&self, j: usize) -> bool {
        self.floating[1][j]
    }
}

impl<'a, 'c, 'm> Pairer<'a, 'c, 'm> {
    fn new(
        context: &'a Context<'c, 'm>,
        bodies: [&'a [Inst]; 2],
        numbers: &mut Shapes,
        melded: &'a mut Melded,
    ) -> Self {
        let Context { func, handles, kinds, costs, .. } = *context;
        let shape_lists =
            bodies.map(|body| body.iter().map(|&inst| numbers.of(func, handles, kinds, inst)).collect::<Vec<_>>());
        let floating = bodies.map(|body| {
            let cheap = |inst| costs.inst(func, inst) <= MELD_MAX_LIFT;
            body.iter().map(|&inst| legality::floats(func, handles, kinds, inst) && cheap(inst)).collect::<Vec<_>>()
        });
        let costs = bodies[0].iter().map(|&inst| costs.inst(func, inst) as i32).collect();
        Pairer { context, bodies, shape_lists, floating, costs, melded, pairs: Vec::new() }
    }

    fn cost(&self, inst: Inst) -> i32 {
        self.context.costs.inst(self.context.func, inst) as i32
    }

    /// Whether two values may become one if everything goes well; used before the pairs are known.
    fn likely_same(&self, values: [Value; 2]) -> bool {
        if self.melded.same(self.context.func, values) {
            return true;
        }
        let shapes = values.map(|value| self.shape_of(value));
        shapes[0] == shapes[1] && shapes[0] != Shapes::NONE
    }

    /// The shape of a value defined in either body.
    fn shape_of(&self, value: Value) -> u32 {
        let Some(def) = self.context.func.def(value) else { return Shapes::NONE };
        // bodies are in instruction order, with few gaps
        let place = |body: &[Inst]| {
            let guess = def.as_u32().checked_sub(body.first()?.as_u32())? as usize;
            if body.get(guess) == Some(&def) { Some(guess) } else { body.binary_search(&def).ok() }
        };
        let found = self.bodies.iter().zip(&self.shape_lists).find_map(|(body, list)| Some(list[place(body)?]));
        found.unwrap_or(Shapes::NONE)
    }

    /// The cheapest way to meld, and its cost; `None` if no way is allowed.
    fn best_way(&self, insts: [Inst; 2], same: impl Fn([Value; 2]) -> bool) -> Option<(How, i32)> {
        let Context { func, handles, is_early, .. } = *self.context;
        if is_early && matching::are_neighbours(func, insts) {
            return None;
        }
        let mut best: Option<(How, i32)> = None;
        for how in matching::ways(func, handles, insts) {
            let price = matching::operand_pairs(func, insts, how).try_fold(0, |total, values| {
                if same(values) {
                    return Some(total);
                }
                matching::selectable(func, values).then(|| total + self.select_cost(values))
            });
            if let Some(price) = price.filter(|&price| best.is_none_or(|(_, least)| price < least)) {
                best = Some((how, price));
                if price == 0 {
                    break;
                }
            }
        }
        best
    }

    fn select_cost(&self, values: [Value; 2]) -> i32 {
        self.context.costs.select(self.context.func, values[0]) as i32
    }

    fn join(&mut self, insts: [Inst; 2]) {
        self.melded.add(insts);
        self.pairs.push((insts, How::default()));
    }

    fn clear(&mut self) {
        for (insts, _) in self.pairs.drain(..) {
            self.melded.remove(insts);
        }
    }

    /// Chooses the best way for every pair, and dissolves pairs that do not pay or that the present pairs rule out.
    fn dissolve(&mut self, ends: &[[Value; 2]]) {
        for round in 0.. {
            let mut saves: FxHashMap<Inst, i32> = FxHashMap::default();
            let mut prices = Vec::with_capacity(self.pairs.len());
            let mut uses = |this: &Self, values: [Value; 2]| {
                let def = this.context.func.def(values[0]);
                if let Some(def) = def.filter(|_| this.melded.is_pair(this.context.func, values)) {
                    *saves.entry(def).or_insert(0) += this.select_cost(values);
                }
            };
            for &(insts, _) in &self.pairs {
                let way = self.best_way(insts, |values| self.melded.same(self.context.func, values));
                if let Some((how, _)) = way {
                    for values in matching::operand_pairs(self.context.func, insts, how) {
                        uses(self, values);
                    }
                }
                prices.push(way);
            }
            for &values in ends {
                uses(self, values);
            }
            let mut kept = Vec::with_capacity(self.pairs.len());
            let mut dissolved = Vec::new();
            for (&(insts, _), way) in self.pairs.iter().zip(prices) {
                let floats = insts.iter().zip(0..).all(|(&inst, side)| self.does_float(inst, side));
                // an instruction that is not safe to execute needlessly would need a guard of its own
                let apart = if floats { 0 } else { DIVERGENT_BRANCH as i32 };
                let gain = |price: i32| self.cost(insts[0]) + apart + saves.get(&insts[0]).unwrap_or(&0) - price;
                match way {
                    Some((how, price))
                        if gain(price) > 0 || round >= ROUNDS || self.context.settings.fuse_profit.is_always() =>
                    {
                        kept.push((insts, how))
                    }
                    _ => dissolved.push(insts),
                }
            }
            self.pairs = kept;
            for &insts in &dissolved {
                self.melded.remove(insts);
            }
            if dissolved.is_empty() {
                return;
            }
        }
    }

    fn does_float(&self, inst: Inst, side: usize) -> bool {
        // bodies are in instruction order
        self.bodies[side].binary_search(&inst).is_ok_and(|index| self.floating[side][index])
    }

    fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.pairs.iter().map(|&(insts, how)| Node::Meld(insts, how)).collect();
        let paired: FxHashSet<Inst> = self.pairs.iter().flat_map(|pair| pair.0).collect();
        for (side, body) in self.bodies.iter().enumerate() {
            for (index, &inst) in body.iter().enumerate().filter(|(_, inst)| !paired.contains(inst)) {
                let floats = self.floating[side][index];
                nodes.push(if floats { Node::Lift(inst) } else { Node::Guard(inst, side) });
            }
        }
        nodes
    }

    fn schedule(&self) -> Option<Vec<Step>> {
        schedule(self.context.func, self.bodies, &self.nodes())
    }

    /// Pairs leftovers out of order.
    fn extend(&mut self, steps: &mut Option<Vec<Step>>, ends: &[[Value; 2]]) {
        if self.bodies[0].len() + self.bodies[1].len() > MAX_EXTRA_LENGTH {
            return;
        }
        let paired: FxHashSet<Inst> = self.pairs.iter().flat_map(|pair| pair.0).collect();
        let left = |side: usize| -> Vec<(Inst, u32)> {
            let with_shape = self.bodies[side].iter().copied().zip(self.shape_lists[side].iter().copied());
            with_shape.filter(|&(inst, shape)| shape != Shapes::NONE && !paired.contains(&inst)).collect()
        };
        let (first, mut second) = (left(0), left(1));
        let mut attempts = 0;
        for (t, shape) in first {
            let mut taken = None;
            for (index, &(f, _)) in second.iter().enumerate().filter(|(_, other)| other.1 == shape) {
                if attempts == MAX_EXTRA {
                    return;
                }
                let same = |values| self.melded.same(self.context.func, values);
                let Some((_, price)) = self.best_way([t, f], same) else { continue };
                if price >= self.cost(t) && !self.context.settings.fuse_profit.is_always() {
                    continue;
                }
                attempts += 1;
                let before = self.pairs.clone();
                self.join([t, f]);
                self.dissolve(ends);
                let held = self.pairs.len() > before.len();
                match self.schedule().filter(|_| held) {
                    Some(found) => {
                        *steps = Some(found);
                        taken = Some(index);
                        break;
                    }
                    None => {
                        self.clear();
                        for (insts, how) in before {
                            self.melded.add(insts);
                            self.pairs.push((insts, how));
                        }
                    }
                }
            }
            if let Some(index) = taken {
                second.remove(index);
            }
        }
    }

    /// Adds up the costs and savings of the steps.
    fn finish(self, steps: Vec<Step>) -> Pairing {
        let mut pairing = Pairing::default();
        let func = self.context.func;
        let mut common: FxHashSet<[Value; 2]> = FxHashSet::default();
        for step in &steps {
            match step {
                Step::Meld { insts, how } => {
                    pairing.melded += 1;
                    let cost = self.cost(insts[0]) as u32;
                    let is_same = |values: [Value; 2]| values[0] == values[1] || common.contains(&values);
                    if matching::operand_pairs(func, *insts, *how).all(is_same) {
                        common.insert(insts.map(|inst| func.result(inst)));
                        pairing.common += cost;
                    } else {
                        pairing.saved += cost;
                    }
                    let pairs = matching::operand_pairs(func, *insts, *how);
                    pairing.selects.extend(pairs.filter(|&values| !self.melded.same(func, values)));
                }
                Step::Lift(inst) => {
                    pairing.lifted += 1;
                    pairing.lifted_cost += self.cost(*inst) as u32;
                }
                Step::Guard(groups) => {
                    pairing.guards += 1;
                    pairing.guarded += groups.iter().map(|group| group.len() as u32).sum::<u32>();
                }
            }
        }
        pairing.steps = steps;
        pairing
    }
}
