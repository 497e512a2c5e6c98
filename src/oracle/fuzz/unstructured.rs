//! How is control flow generated that no source language produces? As regions of random edges, with irreducible cycles.
//!
//! 1. The graph is drawn: blocks in a row, forward edges from each, and back edges if cycles are wanted. Every block is
//!    reachable, and from every block the last one is reachable by forward edges alone.
//! 2. Every block has a phi for each of a few variables and may change them, so SSA form holds whatever the edges are.
//!    Names are reserved first, since back edges mention values of later blocks.
//! 3. Back edges are taken only while fuel is left, and every block with a back edge consumes some, so the region
//!    terminates.
//!
//! A block may also use values of the blocks that dominate it.

use super::build::{Gen, Label};
use super::knobs::Feature;
use super::value::{I32, Scope, Ty, Val};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::fmt::Write as _;

/// How often a region may go back.
const FUEL: u64 = 5;

impl Gen<'_> {
    /// A region of random edges; the current block leads into it, and its last block becomes the current one.
    pub(super) fn unstructured(&mut self, cyclic: bool) {
        // A cyclic region runs its blocks up to FUEL + 1 times.
        let cyclic = cyclic && self.f.trips <= 4;
        self.note(if cyclic { Feature::Irreducible } else { Feature::Dag });
        let count = 3 + self.rng.below(5);
        let succs = self.graph(count, cyclic);
        let edges = succs.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (from as u32, to as u32)));
        let dominators = simple_fast(&DiGraph::<(), ()>::from_edges(edges), 0.into());

        let mut types = vec![I32];
        types.extend(self.phi_types(2));
        let initial: Vec<Val> =
            types.iter().enumerate().map(|(v, &ty)| if v == 0 { Val::int(I32, FUEL) } else { self.pick(ty) }).collect();
        let bound = |ty: Ty| if ty.bits() > 0 { ty.max() } else { 61 };
        let labels: Vec<Label> = (0..count).map(|_| self.label()).collect();
        let ins: Vec<Vec<Val>> =
            (0..count).map(|_| types.iter().map(|&ty| self.reserve(ty, bound(ty), Scope::Lane)).collect()).collect();
        // A variable that a block does not change leaves it as it came.
        let outs: Vec<Vec<Val>> = (0..count)
            .map(|b| {
                let back = succs[b].iter().any(|&s| s <= b);
                (0..types.len())
                    .map(|v| {
                        let changes = if v == 0 { back } else { types[v].bits() > 0 && self.rng.chance(50) };
                        if changes { self.reserve(types[v], bound(types[v]), Scope::Lane) } else { ins[b][v] }
                    })
                    .collect()
            })
            .collect();

        let before = self.f.block;
        self.jump(labels[0]);
        let base = std::mem::take(&mut self.f.pool);
        let (conv, trips, depth) = (self.f.conv, self.f.trips, self.f.depth);
        self.f.conv = Scope::Lane;
        self.f.trips *= if cyclic { FUEL as u32 + 1 } else { 1 };
        self.f.depth = self.knobs.max_depth;
        let mut defined: Vec<Vec<Val>> = vec![Vec::new(); count];
        for b in 0..count {
            self.place(labels[b]);
            for v in 0..types.len() {
                let first = (b == 0).then(|| format!("[ {}, {before} ]", initial[v]));
                let sources = (0..count).filter(|&p| succs[p].contains(&b));
                let edges = first.into_iter().chain(sources.map(|p| format!("[ {}, {} ]", outs[p][v], labels[p])));
                let edges = edges.collect::<Vec<_>>().join(", ");
                self.define(ins[b][v], format_args!("phi {} {edges}", types[v]));
            }
            self.f.pool = base.clone();
            let around = dominators.strict_dominators((b as u32).into()).into_iter().flatten();
            let mut around: Vec<usize> = around.map(NodeIndex::index).collect();
            around.sort_unstable();
            for d in around {
                self.f.pool.extend(&defined[d]);
            }
            let own = self.f.pool.len();
            self.f.pool.extend(&ins[b]);
            for _ in 0..self.rng.below(4) {
                self.simple_statement();
                if self.rng.chance(20)
                    && let Some(&last) = self.f.pool.last()
                {
                    self.observe(last);
                }
            }
            if b + 1 == count {
                break;
            }
            self.change(&ins[b], &outs[b]);
            self.leave(b, &succs[b], &labels, ins[b][0]);
            // values computed in a cycle are those of the last iteration; outside, lanes need not agree on them
            defined[b] = self.f.pool[own..].iter().map(|val| Val { scope: Scope::Lane, ..*val }).collect();
        }
        (self.f.conv, self.f.trips, self.f.depth) = (conv, trips, depth);
        for val in &mut self.f.pool[base.len()..] {
            val.scope = Scope::Lane;
        }
        for val in ins[count - 1][1..].iter().copied() {
            self.observe(val);
        }
    }

    /// Successors of every block but the last; the first is forward.
    fn graph(&mut self, count: usize, cyclic: bool) -> Vec<Vec<usize>> {
        let mut succs: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (b, own) in succs.iter_mut().enumerate().take(count - 1) {
            let forward = b + 1 + self.rng.below((count - b - 1).min(3));
            own.push(forward);
            for _ in 0..self.rng.below(3) {
                let to = if cyclic && self.rng.chance(55) {
                    self.rng.below(b + 1)
                } else {
                    b + 1 + self.rng.below(count - b - 1)
                };
                if !own.contains(&to) {
                    own.push(to);
                }
            }
        }
        // A block that no earlier one leads to gets an edge from one of them.
        for b in 1..count {
            if !succs[..b].iter().any(|s| s.contains(&b)) {
                let from = self.rng.below(b);
                succs[from].push(b);
            }
        }
        succs
    }

    /// Defines the variables that leave the block changed; the fuel goes down by one.
    fn change(&mut self, ins: &[Val], outs: &[Val]) {
        for (v, (&old, &new)) in ins.iter().zip(outs).enumerate() {
            if old.name == new.name {
                continue;
            }
            if v == 0 {
                self.define(new, format_args!("add nsw i32 {old}, -1"));
                continue;
            }
            let other = self.pick(old.ty);
            let op = self.rng.pick(&["add", "xor", "sub", "mul"]);
            self.define(new, format_args!("{op} {} {old}, {other}", old.ty));
        }
    }

    /// The terminator of block `b`.
    fn leave(&mut self, b: usize, succs: &[usize], labels: &[Label], fuel: Val) {
        let back = succs.iter().any(|&s| s <= b);
        if succs.len() == 1 {
            return self.jump(labels[succs[0]]);
        }
        let wanted = if self.rng.chance(25) { Scope::Block } else { Scope::Lane };
        let enough = back.then(|| self.temp_bit(Scope::Lane, format_args!("icmp sgt i32 {fuel}, 0")));
        if succs.len() == 2 {
            let mut cond = self.condition(wanted);
            if let Some(enough) = enough {
                cond = self.temp_bit(Scope::Lane, format_args!("and i1 {enough}, {cond}"));
            }
            return self.branch(cond, labels[succs[1]], labels[succs[0]]);
        }
        let on = self.pick_divergent(I32);
        let mut on = self.masked(on, 4);
        if let Some(enough) = enough {
            on = self.temp(I32, 3, Scope::Lane, format_args!("select i1 {enough}, i32 {on}, i32 0"));
        }
        let mut text = format!("switch i32 {on}, label {} [", labels[succs[0]]);
        for (case, &to) in succs.iter().enumerate().skip(1) {
            let _ = write!(text, " i32 {case}, label {}", labels[to]);
        }
        self.line(format_args!("{text} ]"));
    }
}
