//! Which blocks of the two sides of a branch correspond?
//!
//! **Region.** A branch block *entry* with two sides, each entered only from it. Walking both sides in parallel from
//! their first blocks gives pairs *(t, f)*. The successors of a pair are linked one to one:
//! - to a *shared exit*, if both sides go to the same block;
//! - to another pair, whose blocks are entered only from paired blocks, along corresponding edges; a back edge to an
//!   earlier pair makes a loop of both sides;
//! - or not at all: the pair is *split*. Its instructions are melded as far as possible, and then the sides separate as
//!   before.
//!
//! So sides need not have the same shape: they are melded up to where their shapes differ. Two conditional branches
//! correspond if both successors do, straight or crossed.
//!
//! **Conditions** on a pair other than the first, checked until none fails (a failing pair is banned, which splits the
//! pairs before it): every edge into *t* comes from the first block of a linked pair, the corresponding edge goes to
//! *f*, and there are no other edges into either.
//!
//! **Soundness.** Lanes of both sides execute the melded blocks under their own conditions: at each melded branch a
//! lane chooses by its own side's condition, and both sides' successors are the two linked ones. So a lane executes its
//! own side's blocks in its own order, and no block that its side would not have reached.
//!
//! Cost: linear in the blocks of the sides, times the banned pairs; at most [`MAX_PAIRS`] pairs.
//!
//! DARM (Saumya, Sundararajah, Kulkarni, CGO 2022, section IV) pairs single-entry single-exit subgraphs found in the
//! dominator tree. Here pairs are found by the walk, so that shared exits may be anywhere, and there may be several.

use super::reject::FuseReject;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Inst};
use warpwise_ir::inst::Opcode;

/// Maximum number of pairs of one region; larger sides are melded as far as the walk got.
pub const MAX_PAIRS: usize = 64;

/// Target of a melded edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    Pair(usize),
    Exit(Block),
}

impl Link {
    /// The shared exit, if it is one.
    pub fn exit(&self) -> Option<Block> {
        match *self {
            Link::Exit(block) => Some(block),
            Link::Pair(_) => None,
        }
    }
}

/// How a pair ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tail {
    /// With one melded terminator; links are in the order of the first block's successors. `crossed`: the second
    /// block's are in the opposite order.
    Joined { links: SmallVec<[Link; 2]>, crossed: bool },
    /// The sides separate again, each with its own terminator.
    Split,
}

impl Tail {
    /// Where melded edges lead.
    pub fn links(&self) -> &[Link] {
        match self {
            Tail::Joined { links, .. } => links,
            Tail::Split => &[],
        }
    }
}

/// Corresponding blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The block of the side taken when the condition is true, and of the other.
    pub sides: [Block; 2],
    pub tail: Tail,
}

/// A branch and the corresponding blocks after it; the first pair contains its successors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub entry: Block,
    /// Whether the sides are two of a switch's targets.
    pub of_switch: bool,
    pub pairs: Vec<Pair>,
}

impl Region {
    /// The region of a branch. `admits` says whether a pair of blocks other than the first may be melded at all.
    pub fn of(func: &Func, entry: Block, admits: impl Fn(Block, Block) -> bool) -> Result<Region, FuseReject> {
        let ends_in_branch = func.insts[func.terminator(entry)].opcode == Opcode::CondBr;
        let &[yes, no] = func.graph.succs(entry) else { return Err(FuseReject::NotTwoWays) };
        if !ends_in_branch || yes == no {
            return Err(FuseReject::NotTwoWays);
        }
        if [yes, no].iter().any(|&side| side == entry || func.graph.preds(side) != [entry]) {
            return Err(FuseReject::OneSided);
        }
        Ok(Region::between(func, entry, [yes, no], admits))
    }

    /// The region of two targets of a switch.
    pub fn of_switch(func: &Func, entry: Block, sides: [Block; 2], admits: impl Fn(Block, Block) -> bool) -> Region {
        Region { of_switch: true, ..Region::between(func, entry, sides, admits) }
    }

    fn between(func: &Func, entry: Block, first: [Block; 2], admits: impl Fn(Block, Block) -> bool) -> Region {
        let mut banned = FxHashSet::default();
        loop {
            let pairing = Pairing::new(func, entry, first, &banned, &admits);
            match pairing.first_unsound(func) {
                Some(pair) => banned.insert(pair),
                None => return Region { entry, of_switch: false, pairs: pairing.pairs },
            };
        }
    }

    /// Blocks whose code is changed or removed by melding.
    pub fn core(&self) -> impl Iterator<Item = Block> + '_ {
        std::iter::once(self.entry).chain(self.pairs.iter().flat_map(|pair| pair.sides))
    }

    /// Blocks to which both sides lead; only their phis change.
    pub fn exits(&self) -> impl Iterator<Item = Block> + '_ {
        self.pairs.iter().flat_map(|pair| pair.tail.links()).filter_map(Link::exit)
    }
}

/// One attempt at pairing.
struct Pairing {
    pairs: Vec<Pair>,
    /// The pair of a member block and which side it is on.
    members: FxHashMap<Block, (usize, usize)>,
}

impl Pairing {
    fn new(
        func: &Func,
        entry: Block,
        first: [Block; 2],
        banned: &FxHashSet<[Block; 2]>,
        admits: &impl Fn(Block, Block) -> bool,
    ) -> Pairing {
        let mut pairing = Pairing { pairs: Vec::new(), members: FxHashMap::default() };
        pairing.add(first);
        let mut next = 0;
        while next < pairing.pairs.len() {
            let sides = pairing.pairs[next].sides;
            pairing.pairs[next].tail = pairing.tail(func, entry, sides, banned, admits);
            next += 1;
        }
        pairing
    }

    fn add(&mut self, sides: [Block; 2]) -> usize {
        let index = self.pairs.len();
        self.pairs.push(Pair { sides, tail: Tail::Split });
        self.members.insert(sides[0], (index, 0));
        self.members.insert(sides[1], (index, 1));
        index
    }

    fn tail(
        &mut self,
        func: &Func,
        entry: Block,
        [t, f]: [Block; 2],
        banned: &FxHashSet<[Block; 2]>,
        admits: &impl Fn(Block, Block) -> bool,
    ) -> Tail {
        let ends: [Inst; 2] = [func.terminator(t), func.terminator(f)];
        let opcode = func.insts[ends[0]].opcode;
        let alike = opcode == func.insts[ends[1]].opcode;
        let joins = matches!(opcode, Opcode::Br | Opcode::CondBr | Opcode::Ret | Opcode::Unreachable);
        let (to_t, to_f) = (func.graph.succs(t), func.graph.succs(f));
        if !alike
            || !joins
            || to_t.len() != to_f.len()
            || (to_t.len() == 2 && (to_t[0] == to_t[1] || to_f[0] == to_f[1]))
        {
            return Tail::Split;
        }
        let agree = |crossed: bool| -> i32 {
            (0..to_t.len()).map(|i| self.affinity(func, to_t[i], to_f[i ^ usize::from(crossed)])).sum()
        };
        let likely = to_t.len() == 2 && agree(true) > agree(false);
        let tries: &[bool] = if to_t.len() == 2 { &[likely, !likely] } else { &[false] };
        for &crossed in tries {
            let wanted: SmallVec<[[Block; 2]; 2]> =
                (0..to_t.len()).map(|i| [to_t[i], to_f[i ^ usize::from(crossed)]]).collect();
            if self.can_link(entry, &wanted, banned, admits) {
                let links = wanted.iter().map(|&wanted| self.link(wanted)).collect();
                return Tail::Joined { links, crossed };
            }
        }
        Tail::Split
    }

    /// Whether all links are possible; checked before any pair is added, so that a split pair leaves nothing behind.
    fn can_link(
        &self,
        entry: Block,
        wanted: &[[Block; 2]],
        banned: &FxHashSet<[Block; 2]>,
        admits: &impl Fn(Block, Block) -> bool,
    ) -> bool {
        let possible = wanted.iter().all(|&[a, b]| {
            if a == b {
                return !self.members.contains_key(&a);
            }
            match (self.members.get(&a), self.members.get(&b)) {
                (Some(&(pair, 0)), Some(&(other, 1))) => pair == other && pair != 0,
                (None, None) => {
                    a != entry
                        && b != entry
                        && !banned.contains(&[a, b])
                        && self.pairs.len() < MAX_PAIRS
                        && admits(a, b)
                }
                _ => false,
            }
        });
        // the two links must not need the same block for both sides
        let clash = wanted.len() == 2
            && wanted[0] != wanted[1]
            && wanted[0].iter().any(|block| wanted[1].contains(block))
            && wanted.iter().any(|[a, b]| a != b);
        possible && !clash
    }

    fn link(&mut self, [a, b]: [Block; 2]) -> Link {
        match self.members.get(&a) {
            _ if a == b => Link::Exit(a),
            Some(&(pair, _)) => Link::Pair(pair),
            None => Link::Pair(self.add([a, b])),
        }
    }

    /// How well two blocks correspond, by a superficial comparison.
    fn affinity(&self, func: &Func, a: Block, b: Block) -> i32 {
        if a == b {
            return 16;
        }
        match (self.members.get(&a), self.members.get(&b)) {
            (Some(&(pair, 0)), Some(&(other, 1))) if pair == other => return 16,
            (None, None) => {}
            _ => return -16,
        }
        let graph = &func.graph;
        let opcode = |block| func.insts[func.terminator(block)].opcode;
        let lengths = [a, b].map(|block| func.block_insts(block).len() as i32);
        2 * i32::from(opcode(a) == opcode(b))
            + 2 * i32::from(graph.preds(a).len() == graph.preds(b).len())
            + 2 * i32::from(graph.succs(a).len() == graph.succs(b).len())
            - 2 * i32::from(graph.succs(a).contains(&b) || graph.succs(b).contains(&a))
            - (lengths[0] - lengths[1]).abs().min(4)
    }

    /// A pair that is entered from elsewhere than linked pairs, or whose block is also an exit.
    fn first_unsound(&self, func: &Func) -> Option<[Block; 2]> {
        let mut entered = vec![0; self.pairs.len()];
        let mut exits = FxHashSet::default();
        for link in self.pairs.iter().flat_map(|pair| pair.tail.links()) {
            match *link {
                Link::Pair(index) => entered[index] += 1,
                Link::Exit(block) => _ = exits.insert(block),
            }
        }
        let unsound = |index: usize| {
            let sides = self.pairs[index].sides;
            sides.iter().any(|&side| func.graph.preds(side).len() != entered[index] || exits.contains(&side))
        };
        // the latest first, because a ban there splits less
        (1..self.pairs.len()).rev().find(|&index| unsound(index)).map(|index| self.pairs[index].sides)
    }
}
