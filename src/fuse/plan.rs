//! How are the sides of a divergent branch melded, and does it pay?
//!
//! A plan pairs blocks ([`region`](super::region)) and, within each pair, instructions ([`pairing`](super::pairing)).
//! It adds up what that saves and costs in the units of [`cost`](warpwise_analysis::cost::issue):
//!
//! ```text
//! saved  cost of every instruction executed once instead of twice (in the first blocks, instructions that are the same
//!        on both sides do not count: LLVM hoists them by itself)
//!        + a branch if the sides do not diverge again, + one for each melded conditional branch
//!        (none if `ptxas` predicates the sides anyway: `machine`)
//! added  selects (once for each pair of values) + a branch for each guard + telling a switch's targets apart
//! risk   added + cost of instructions that lanes of the other side execute needlessly
//! ```
//!
//! Each is multiplied by how often a warp executes its block for each time it enters the side ([`Weight`]): loops in the
//! sides count as often as they iterate, blocks that lanes rarely reach count less. If the sides differ in that, savings
//! count for the executions that both have, and costs for those that either has.
//!
//! What is saved is weighed with [how likely](splits::chance) the branch splits a warp ([`lanes_part`]).
//!
//! A plan pays if `saved - added` is at least [`MELD_MIN_GAIN`] and `added` at most [`MELD_MAX_ADDED`] percent of `saved`.
//!
//! A warp whose lanes all go the same way executes `risk` more than before. Without a divergence map it is not known
//! how often a branch splits warps; `risk` is then limited to [`MELD_MAX_RISK`] percent ([`MELD_MAX_RISK_GUARDED`] with
//! guards) of what melded instructions, without branches, save for a warp that splits, and to [`MELD_MAX_WASTE`] percent
//! of all that is saved, and the gain expected from an [estimate](super::splits) of that frequency must be at least
//! [`MELD_MIN_GAIN`]. With a map the two are weighed:
//! `splits · (saved - added)` against `(visits - splits) · risk`. A branch that never splits a warp is not examined
//! further.
//!
//! Requires the [outline](Outline) of the unmodified function. Only [`lanes_part`] needs to know what lanes agree on,
//! so a function without a plan is never solved. Nothing is edited here; a plan refers to blocks and instructions by
//! index.

use super::legality;
use super::machine;
use super::matching::{self, Shapes};
use super::pairing::{Context, Melded, Pairing, pair_up};
use super::region::{Link, Pair, Region, Tail};
use super::reject::FuseReject;
use super::schedule::Step;
use super::splits;
use super::switch;
use super::weight::{Weight, cycles};
use rustc_hash::FxHashSet;
use std::fmt;
use warpwise_analysis::access::lane_distance::LaneDistance;
use warpwise_analysis::divergence::{Facts, Outline};
use warpwise_analysis::gpu::prices::{
    DIVERGENT_BRANCH, MELD_MAX_ADDED, MELD_MAX_RISK, MELD_MAX_RISK_GUARDED, MELD_MAX_WASTE, MELD_MIN_GAIN,
    TWO_OF_SWITCH,
};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::inst::Opcode;
use warpwise_ir::phrase::counted;

/// How many warps reached a branch and how many of them it split, as counted by a divergence map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visits {
    /// Visits by warps.
    pub reached: u64,
    /// Visits at which the warp's lanes took different sides.
    pub split: u64,
}

impl Visits {
    /// Whether warps reached the branch and none of them was split.
    pub fn never_splits(&self) -> bool {
        self.reached > 0 && self.split == 0
    }

    /// Whether the warps that split save more than the others pay.
    fn pays(&self, numbers: &Numbers) -> bool {
        let each = |count: u64, cycles: i64| i128::from(count) * i128::from(cycles);
        each(self.split, numbers.gain()) > each(self.reached.saturating_sub(self.split), numbers.risk.into())
    }
}

impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "by the divergence map it split {} of {} warps", self.split, self.reached)
    }
}

/// One pair of blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairPlan {
    pub sides: [Block; 2],
    pub tail: Tail,
    pub steps: Vec<Step>,
    /// Phis at the head, melded if both are present, otherwise those of one side.
    pub phis: Vec<[Option<Inst>; 2]>,
}

/// The numbers that decide whether a plan pays. Costs are in issue cycles; all other fields are counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    /// Instructions of each side.
    pub insts: [u32; 2],
    /// Pairs of instructions that are melded.
    pub melded: u32,
    /// Instructions that lanes of the other side execute needlessly.
    pub lifted: u32,
    /// Instructions behind guards, and the number of guards.
    pub guarded: u32,
    pub guards: u32,
    /// Selects.
    pub selects: u32,
    /// Cost of each side.
    pub sides: [u32; 2],
    /// Cost of what is executed once instead of twice, including `branches`.
    pub saved: u32,
    /// The part of `saved` that is branches.
    pub branches: u32,
    /// Cost of selects, guards and telling a switch's targets apart.
    pub added: u32,
    /// What a warp that does not split executes more than before.
    pub risk: u32,
    /// Pairs of blocks.
    pub blocks: u32,
    /// Whether the sides are two of a switch's targets.
    pub of_switch: bool,
    /// The counts of a divergence map.
    pub visits: Option<Visits>,
    /// Registers needed at most by a block of the sides before melding, and by a melded block after it.
    pub registers: [u32; 2],
}

impl Numbers {
    /// What a warp that splits saves.
    pub fn gain(&self) -> i64 {
        i64::from(self.saved) - i64::from(self.added)
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Numbers { insts, melded, lifted, guarded, guards, selects, sides, saved, added, blocks, .. } = *self;
        let Numbers { of_switch, registers, risk, visits, .. } = *self;
        write!(f, "{melded} of {}+{} instructions melded in {}", insts[0], insts[1], counted(blocks, "block"))?;
        if lifted > 0 {
            write!(f, ", {lifted} executed by both sides")?;
        }
        if guarded > 0 {
            write!(f, ", {guarded} behind {}", counted(guards, "guard"))?;
        }
        write!(f, ", {}", counted(selects, "select"))?;
        if of_switch {
            write!(f, ", of two targets of a switch")?;
        }
        write!(
            f,
            "; sides cost {}+{} cycles; a warp that splits saves {saved}, branches included, and ",
            sides[0], sides[1]
        )?;
        write!(f, "pays {added}; one that does not pays {risk}")?;
        let [before, after] = registers;
        if after > 0 {
            write!(f, ", registers {before} before, {after} after")?;
        }
        visits.map_or(Ok(()), |visits| write!(f, "; {visits}"))
    }
}

/// How the sides of one branch are melded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FusePlan {
    pub entry: Block,
    /// Whether the sides are two of a switch's targets.
    pub of_switch: bool,
    pub pairs: Vec<PairPlan>,
    pub numbers: Numbers,
    /// Blocks whose code is changed or removed.
    pub core: Vec<Block>,
    /// Blocks of which only the phis change.
    pub exits: Vec<Block>,
}

impl FusePlan {
    /// Whether two melded ways diverge after the melded code, which makes a branch that might be fused in turn.
    pub fn makes_branches(&self) -> bool {
        let parts = |(index, pair): (usize, &PairPlan)| {
            let links = pair.tail.links();
            let ahead = |link: &Link| matches!(*link, Link::Pair(next) if next > index);
            links.len() == 2 && links[0] != links[1] && links.iter().all(ahead)
        };
        // the switch may have other targets
        self.of_switch || self.pairs.iter().enumerate().any(parts)
    }
}

/// State kept between the plans of a function.
#[derive(Default)]
pub struct Scratch {
    shapes: Shapes,
    /// Blocks that determined the last plan.
    pub looked: Vec<Block>,
}

/// Plans the fusion of the sides of one branch on the assumption that its lanes diverge. The caller must ask
/// [`lanes_part`], and must not apply plans of uniform branches.
pub fn plan(
    outline: &Outline,
    context: &Context<'_, '_>,
    entry: Block,
    scratch: &mut Scratch,
) -> Result<FusePlan, FuseReject> {
    scratch.looked.clear();
    if let Some(visits) = context.visits(entry).filter(Visits::never_splits) {
        return Err(FuseReject::NeverSplits(visits));
    }
    let Context { func, handles, kinds, .. } = *context;
    let obstacle = |block| legality::obstacle(func, handles, kinds, block);
    let admits = |t, f| obstacle(t).is_none() && obstacle(f).is_none();
    let region = match Region::of(func, entry, admits) {
        Ok(region) => region,
        Err(why) => {
            scratch.looked.extend(func.graph.succs(entry));
            return of_switch(outline, context, entry, scratch).unwrap_or(Err(why));
        }
    };
    scratch.looked.extend(region.core());
    for side in region.pairs[0].sides {
        if let Some((inst, why)) = obstacle(side) {
            return Err(FuseReject::Obstacle(inst, why));
        }
    }
    judge(outline, context, Planner::new(context, &region).run(&mut scratch.shapes))
}

/// Returns the plan unless, as far as is known, other lanes may be in a call meanwhile, or lanes agree on its branch whenever warps
/// extend along x, or agree so often that the gain is not worth the risk.
pub fn lanes_part(facts: &Facts, context: &Context<'_, '_>, plan: FusePlan) -> Result<FusePlan, FuseReject> {
    if legality::is_beside_call(facts, context, plan.entry) {
        return Err(FuseReject::BesideCall);
    }
    if context.settings.fuse_profit.is_always() || context.visits(plan.entry).is_some() {
        return Ok(plan);
    }
    if agrees_along_rows(facts, plan.entry) {
        return Err(FuseReject::AlongRows);
    }
    let agree = |distance: LaneDistance<'_>| agree_at(facts, plan.entry, distance);
    if agree(LaneDistance::new(facts).with_large_divisors()) && !agree(LaneDistance::new(facts)) {
        return Err(FuseReject::Quotient);
    }
    let (chance, expected) = expected_gain(facts, &plan);
    if expected < MELD_MIN_GAIN as f64 {
        return Err(FuseReject::RarelySplits(plan.numbers, (chance * 100.0) as u32));
    }
    Ok(plan)
}

/// The fraction of warps that are assumed to split, and what a warp that comes to the branch saves on average, in cycles.
fn expected_gain(facts: &Facts, plan: &FusePlan) -> (f64, f64) {
    let chance = splits::chance(facts, plan.entry);
    let numbers = &plan.numbers;
    (chance, chance * numbers.gain() as f64 - (1.0 - chance) * f64::from(numbers.risk))
}

/// Whether lanes agree on a branch wherever warps extend along x, in blocks of which that is not known.
pub fn agrees_along_rows(facts: &Facts, entry: Block) -> bool {
    facts.geometry.exact.is_none() && agree_at(facts, entry, LaneDistance::new(facts))
}

/// Whether neighbouring lanes agree on the branch of a block, as far as the distance between them tells.
fn agree_at(facts: &Facts, entry: Block, mut distance: LaneDistance<'_>) -> bool {
    let condition = facts.func.operands(facts.func.terminator(entry)).first();
    condition.is_some_and(|&condition| distance.of(condition, entry) == Some(0))
}

/// The best plan for two targets of a switch; `None` if no two could be sides.
fn of_switch(
    outline: &Outline,
    context: &Context<'_, '_>,
    entry: Block,
    scratch: &mut Scratch,
) -> Option<Result<FusePlan, FuseReject>> {
    let Context { func, handles, kinds, .. } = *context;
    let is_free = |block| legality::obstacle(func, handles, kinds, block).is_none();
    let admits = |t, f| is_free(t) && is_free(f);
    let mut best: Option<FusePlan> = None;
    let mut refused = None;
    for sides in switch::pairs(func, entry).into_iter().filter(|&[t, f]| admits(t, f)) {
        let region = Region::of_switch(func, entry, sides, admits);
        scratch.looked.extend(region.core());
        match judge(outline, context, Planner::new(context, &region).run(&mut scratch.shapes)) {
            Err(reject) => refused = Some(reject),
            Ok(plan) => {
                if best.as_ref().is_none_or(|best| plan.numbers.gain() > best.numbers.gain()) {
                    best = Some(plan);
                }
            }
        }
    }
    best.map(Ok).or(refused.map(Err))
}

/// Whether a plan pays.
fn judge(outline: &Outline, context: &Context<'_, '_>, plan: FusePlan) -> Result<FusePlan, FuseReject> {
    let numbers = plan.numbers;
    let Numbers { saved, added, risk, .. } = numbers;
    // choosing between results of both sides is left to LLVM and ptxas, which do it where it pays
    if numbers.melded == 0 {
        return Err(FuseReject::NothingAlike(numbers.insts));
    }
    if !context.settings.fuse_profit.is_always() {
        let [t, f] = plan.pairs[0].sides.map(|side| outline.cfg().cycles.cycle_of(side));
        if t != f && numbers.visits.is_none() {
            return Err(FuseReject::LeavesLoop);
        }
        let [saved, added, risk, branches] = [saved, added, risk, numbers.branches].map(i64::from);
        if numbers.gain() < MELD_MIN_GAIN || added * 100 > saved * MELD_MAX_ADDED {
            return Err(FuseReject::Unprofitable(numbers));
        }
        let most = if numbers.guards > 0 { MELD_MAX_RISK_GUARDED } else { MELD_MAX_RISK };
        match numbers.visits {
            Some(visits) if !visits.pays(&numbers) => return Err(FuseReject::FewSplits(numbers)),
            None if risk * 100 > ((saved - branches) * most).min(saved * MELD_MAX_WASTE) => {
                return Err(FuseReject::Risky(numbers));
            }
            _ => {}
        }
        if numbers.visits.is_none() && context.frequencies.is_cold(plan.entry) {
            return Err(FuseReject::Cold);
        }
    }
    if !context.keeps_results() {
        return Err(FuseReject::Contraction);
    }
    Ok(plan)
}

struct Planner<'a, 'c, 'm> {
    context: &'a Context<'c, 'm>,
    region: &'a Region,
    melded: Melded,
    numbers: Numbers,
}

impl Planner<'_, '_, '_> {
    fn new<'a, 'c, 'm>(context: &'a Context<'c, 'm>, region: &'a Region) -> Planner<'a, 'c, 'm> {
        Planner { context, region, melded: Melded::default(), numbers: Numbers::default() }
    }

    fn run(mut self, shapes: &mut Shapes) -> FusePlan {
        let mut pairs = Vec::with_capacity(self.region.pairs.len());
        let bodies: Vec<[Vec<Inst>; 2]> = self.region.pairs.iter().map(|pair| self.bodies(pair)).collect();
        // planning ends here for most branches, before anything is aligned
        let alike = bodies.iter().any(|bodies| self.has_alike(bodies, shapes));
        let all = &bodies;
        for (index, bodies) in bodies.iter().enumerate() {
            let weight = Weight::of(self.context, self.region, index);
            self.count(bodies, weight);
            if alike {
                let predicated = self.predicated(index, all);
                pairs.push(self.pair(index, bodies, weight, predicated, shapes));
            }
        }
        self.phi_selects(&pairs);
        let of_switch = self.region.of_switch;
        self.numbers.of_switch = of_switch;
        self.numbers.added += if of_switch { TWO_OF_SWITCH } else { 0 };
        self.numbers.risk += self.numbers.added;
        self.numbers.visits = self.context.visits(self.region.entry).filter(|visits| visits.reached > 0);
        let (core, exits) = (self.region.core().collect(), self.region.exits().collect());
        FusePlan { entry: self.region.entry, of_switch, pairs, numbers: self.numbers, core, exits }
    }

    fn bodies(&self, pair: &Pair) -> [Vec<Inst>; 2] {
        pair.sides.map(|side| matching::body(self.context.func, self.context.kinds, side))
    }

    /// Whether some shape occurs on both sides.
    fn has_alike(&self, bodies: &[Vec<Inst>; 2], shapes: &mut Shapes) -> bool {
        let Context { func, handles, kinds, .. } = *self.context;
        let mut of = |inst: Inst| shapes.of(func, handles, kinds, inst);
        let first: FxHashSet<u32> =
            bodies[0].iter().map(|&inst| of(inst)).filter(|&shape| shape != Shapes::NONE).collect();
        !first.is_empty() && bodies[1].iter().any(|&inst| first.contains(&of(inst)))
    }

    fn count(&mut self, bodies: &[Vec<Inst>; 2], weight: Weight) {
        let Context { func, costs, .. } = *self.context;
        for (side, body) in bodies.iter().enumerate() {
            self.numbers.insts[side] += body.len() as u32;
            let cost = body.iter().map(|&inst| costs.inst(func, inst)).sum::<u32>();
            self.numbers.sides[side] += cycles(cost, weight.sides[side]);
        }
    }

    /// Whether `ptxas` predicates the sides of a pair, and the code after its second branch.
    fn predicated(&self, index: usize, bodies: &[[Vec<Inst>; 2]]) -> [bool; 2] {
        let pairs = &self.region.pairs;
        let is = |pair: usize| machine::is_predicated(self.context, &pairs[pair], &bodies[pair]);
        let Tail::Joined { links, .. } = &pairs[index].tail else { return [false, false] };
        let sides = |link: &Link| matches!(*link, Link::Pair(pair) if pair > index && is(pair));
        let meets = |link: &Link| sides(link) || link.exit().is_some();
        [!self.region.of_switch && is(index), links.iter().any(sides) && links.iter().all(meets)]
    }

    fn pair(
        &mut self,
        index: usize,
        bodies: &[Vec<Inst>; 2],
        weight: Weight,
        predicated: [bool; 2],
        shapes: &mut Shapes,
    ) -> PairPlan {
        let Context { func, costs, .. } = *self.context;
        let pair = &self.region.pairs[index];
        let phis = if index == 0 { Vec::new() } else { self.phis(pair.sides) };
        let ends = self.ends(index);
        let mut pairing = pair_up(self.context, [&bodies[0], &bodies[1]], &ends, shapes, &mut self.melded);
        if pair.tail == Tail::Split && matches!(pairing.steps.last(), Some(Step::Guard(_))) {
            // the last guarded instructions stay in the sides, behind the branch that follows anyway
            pairing.steps.pop();
            pairing.guards -= 1;
        }
        let mut chosen = FxHashSet::default();
        let mut selects: Vec<[Value; 2]> = pairing.selects.clone();
        if let Tail::Joined { links, .. } = &pair.tail {
            let ends_apart = ends.iter().filter(|&&values| !self.melded.same(func, values));
            selects.extend(ends_apart);
            let [sides, behind] = predicated;
            let branches = u32::from(index == 0 && !sides) + u32::from(links.len() == 2 && !behind);
            let saved = cycles(branches * DIVERGENT_BRANCH, weight.both());
            self.numbers.branches += saved;
            self.numbers.saved += saved;
        }
        let mut added = 0;
        for values in selects {
            if chosen.insert(values) {
                added += costs.select(func, values[0]);
                self.numbers.selects += 1;
            }
        }
        let Pairing { steps, saved, common, melded, lifted_cost, lifted, guards, guarded, .. } = pairing;
        // only instructions directly after the branch can be hoisted above it
        let saved = if index == 0 { saved } else { saved + common };
        let waits = if predicated[0] { machine::not_waited_for(self.context, &steps) } else { 0 };
        let saved = saved.saturating_sub(waits);
        self.numbers.blocks += 1;
        self.numbers.saved += cycles(saved, weight.both());
        self.numbers.melded += melded;
        self.numbers.lifted += lifted;
        self.numbers.guards += guards;
        self.numbers.guarded += guarded;
        self.numbers.added += cycles(added + guards * DIVERGENT_BRANCH, weight.either());
        self.numbers.risk += cycles(lifted_cost, weight.either());
        PairPlan { sides: pair.sides, tail: pair.tail.clone(), steps, phis }
    }

    /// Values that the ends of a pair need from both sides: conditions, returned values, incoming values of the exits'
    /// phis.
    fn ends(&self, index: usize) -> Vec<[Value; 2]> {
        let func = self.context.func;
        let pair = &self.region.pairs[index];
        let Tail::Joined { links, .. } = &pair.tail else { return Vec::new() };
        let [t, f] = pair.sides.map(|side| func.terminator(side));
        let mut ends: Vec<[Value; 2]> = func.operands(t).iter().zip(func.operands(f)).map(|(&a, &b)| [a, b]).collect();
        for link in links {
            if let Link::Exit(exit) = *link {
                ends.extend(func.phis(exit).map(|phi| pair.sides.map(|side| incoming(self.context, phi, side))));
            }
        }
        ends
    }

    /// Pairs the phis of two blocks: those of the same type with most incoming values in common.
    fn phis(&mut self, sides: [Block; 2]) -> Vec<[Option<Inst>; 2]> {
        let func = self.context.func;
        let mut others: Vec<Inst> = func.phis(sides[1]).collect();
        let mut phis = Vec::new();
        for phi in func.phis(sides[0]) {
            let ty = func.insts[phi].ty;
            let alike = |other: Inst| {
                let pairs = self.edges(phi, other);
                pairs.filter(|edge| self.melded.same(func, edge.1)).count()
            };
            let fits = others.iter().enumerate().filter(|(_, other)| func.insts[**other].ty == ty);
            // among equals the first, which the front end made for the same purpose
            let best = fits.max_by_key(|(place, other)| (alike(**other), usize::MAX - place)).map(|(place, _)| place);
            match best {
                Some(place) => {
                    let other = others.remove(place);
                    self.melded.add([phi, other]);
                    phis.push([Some(phi), Some(other)]);
                }
                None => phis.push([Some(phi), None]),
            }
        }
        phis.extend(others.into_iter().map(|other| [None, Some(other)]));
        phis
    }

    /// Incoming values of two phis along corresponding edges, and the number of the pair that each edge leaves.
    fn edges(&self, t: Inst, f: Inst) -> impl Iterator<Item = (usize, [Value; 2])> + '_ {
        let home = self.context.func.insts[t].block;
        let target = self.region.pairs.iter().position(|pair| pair.sides[0] == home);
        self.region.pairs.iter().enumerate().filter_map(move |(from, pair)| {
            let goes = pair.tail.links().iter().any(|link| matches!(*link, Link::Pair(index) if Some(index) == target));
            let values = || [incoming(self.context, t, pair.sides[0]), incoming(self.context, f, pair.sides[1])];
            goes.then(|| (from, values()))
        })
    }

    fn phi_selects(&mut self, pairs: &[PairPlan]) {
        let func = self.context.func;
        for &phis in pairs.iter().flat_map(|pair| &pair.phis) {
            let [Some(t), Some(f)] = phis else { continue };
            let edges = self.edges(t, f).filter(|edge| !self.melded.same(func, edge.1));
            let (apart, executions) = edges.fold((0, 0.0), |(count, sum), (pair, _)| {
                (count + 1, sum + Weight::of(self.context, self.region, pair).either())
            });
            self.numbers.added += cycles(self.context.costs.select(func, func.result(t)), executions);
            self.numbers.selects += apart;
        }
    }
}

/// The value that a phi receives from a block; the edge exists.
pub fn incoming(context: &Context<'_, '_>, phi: Inst, from: Block) -> Value {
    let func = context.func;
    debug_assert!(func.insts[phi].opcode == Opcode::Phi);
    let place = func.incoming(phi).iter().position(|&block| block == from);
    func.operands(phi)[place.expect("a phi has a value for each edge into its block")]
}
