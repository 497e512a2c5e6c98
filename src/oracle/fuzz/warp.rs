//! Where are collectives generated? Votes, shuffles, reductions, matches and barriers, in convergent places only.
//!
//! A warp collective needs every lane of the warp that has not exited, a block barrier every thread of the block; the
//! generator knows both by construction ([`Func::conv`](super::build::Func)). Where warps may be partial or lanes may
//! have returned, only collectives are emitted whose result does not depend on the missing lanes.

use super::build::{Gen, Phase};
use super::knobs::Feature;
use super::value::{I32, Scope, Val};
use std::fmt::Display;

impl Gen<'_> {
    /// Whether a full-mask warp collective is legal here.
    pub(super) fn may_vote(&self) -> bool {
        self.f.may_sync && self.f.conv >= Scope::Warp && !self.f.returned
    }

    /// Whether a block barrier is legal here.
    pub(super) fn may_barrier(&self) -> bool {
        self.f.may_sync && self.f.conv == Scope::Block && !self.f.exited && !self.f.returned
    }

    /// Whether all lanes that a shuffle may read are present.
    fn all_lanes(&self) -> bool {
        !self.f.exited && self.geometries.iter().all(|g| g.block_threads().is_multiple_of(32))
    }

    /// One collective, or an expression where it is not legal.
    pub(super) fn collective(&mut self, feature: Feature) {
        if feature == Feature::BlockBarrier {
            return if self.may_barrier() { self.block_barrier() } else { self.int_expression() };
        }
        if feature == Feature::ActiveMask {
            return self.active_mask();
        }
        if !self.may_vote() {
            return self.int_expression();
        }
        self.note(feature);
        if matches!(feature, Feature::Vote | Feature::Ballot) && self.happens(Feature::Assembly) {
            let (mask, scope) = self.members();
            return self.collective_assembly(feature, &mask, scope);
        }
        match feature {
            Feature::Vote => {
                let c = self.condition(Scope::Lane);
                let which = self.rng.pick(&["any", "all", "uni"]);
                let (mask, scope) = self.members();
                self.bit(scope, format_args!("call i1 @llvm.nvvm.vote.{which}.sync(i32 {mask}, i1 {c})"));
            }
            Feature::Ballot => {
                let c = self.condition(Scope::Lane);
                let (members, scope) = self.members();
                let mask =
                    self.word(scope, format_args!("call i32 @llvm.nvvm.vote.ballot.sync(i32 {members}, i1 {c})"));
                match self.rng.below(3) {
                    0 => _ = self.op(I32, 32, scope, format_args!("call i32 @llvm.ctpop.i32(i32 {mask})")),
                    1 => {
                        let lane = self.sreg("laneid");
                        let bit = self.word(Scope::Lane, format_args!("lshr i32 {mask}, {lane}"));
                        self.binary("and", bit, Val::int(I32, 1));
                    }
                    _ => {}
                }
            }
            Feature::Shuffle => self.shuffle(),
            Feature::Redux => {
                let a = self.pick(I32);
                let which = self.rng.pick(&["add", "umin", "umax", "min", "max", "and", "or", "xor"]);
                let (mask, scope) = self.members();
                self.word(scope, format_args!("call i32 @llvm.nvvm.redux.sync.{which}(i32 {a}, i32 {mask})"));
            }
            Feature::Match => {
                let a = self.pick_divergent(I32);
                let a = self.masked(a, 8);
                if self.rng.chance(60) {
                    self.word(Scope::Lane, format_args!("call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 {a})"));
                } else {
                    let text = format!("call {{ i32, i1 }} @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 {a})");
                    self.number_and_bit(I32, I32.max(), Scope::Warp, format_args!("{text}"));
                }
            }
            _ => self.line(format_args!("call void @llvm.nvvm.bar.warp.sync(i32 -1)")),
        }
    }

    /// The mask of a collective, and the scope in which its result is the same: the whole warp, or the lane's part of
    /// it.
    fn members(&mut self) -> (String, Scope) {
        if !self.happens(Feature::Partition) {
            return ("-1".to_owned(), Scope::Warp);
        }
        let c = self.condition(Scope::Lane);
        let yes = self.temp_word(Scope::Warp, format_args!("call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 {c})"));
        let no = self.temp_word(Scope::Warp, format_args!("xor i32 {yes}, -1"));
        let own = self.temp_word(Scope::Lane, format_args!("select i1 {c}, i32 {yes}, i32 {no}"));
        (own.to_string(), Scope::Lane)
    }

    fn shuffle(&mut self) {
        let a = self.pick_variable(I32);
        // Width 32, 16 or 8 (segment mask in bits 8..13).
        let clamp = self.rng.pick(&[31, 31, 31, 0x101f, 0x181f]);
        let agreed = if clamp == 31 { Scope::Warp } else { Scope::Lane };
        // if lanes may be missing, only lane 0 (of a segment that has lanes) is certain to be present, and only while
        // nobody has returned
        if !self.all_lanes() {
            if self.f.exited {
                return self.int_expression();
            }
            self.shuffled("idx", a, "0", clamp, agreed);
            return;
        }
        match self.rng.below(4) {
            0 => {
                let from = if self.rng.chance(50) { self.pick_scoped(I32, Scope::Block) } else { self.pick(I32) };
                let from = self.masked(from, 32);
                let scope = if from.scope >= Scope::Warp { agreed } else { Scope::Lane };
                if self.happens(Feature::Assembly) {
                    return self.shuffle_assembly(a, from, clamp, scope);
                }
                self.shuffled("idx", a, from, clamp, scope);
            }
            kind => {
                let (mode, clamp) = [("up", 0), ("down", 31), ("bfly", 31)][kind - 1];
                let by = self.rng.pick(&[1, 2, 4, 8, 16]);
                // Width 32, or 8 (segment mask in bits 8..13).
                let clamp = if self.rng.chance(20) { clamp & 7 | 0x1800 } else { clamp };
                if self.rng.chance(30) {
                    let text = format!(
                        "call {{ i32, i1 }} @llvm.nvvm.shfl.sync.{mode}.i32p(i32 -1, i32 {a}, i32 {by}, i32 {clamp})"
                    );
                    self.number_and_bit(I32, a.hi, Scope::Lane, format_args!("{text}"));
                } else {
                    self.shuffled(mode, a, by, clamp, Scope::Lane);
                }
            }
        }
    }

    /// A shuffle of a full warp.
    fn shuffled(&mut self, mode: &str, a: Val, from: impl Display, clamp: u64, scope: Scope) {
        let text = format!("call i32 @llvm.nvvm.shfl.sync.{mode}.i32(i32 -1, i32 {a}, i32 {from}, i32 {clamp})");
        self.op(I32, a.hi, scope, format_args!("{text}"));
    }

    /// The active mask depends on the schedule; its own bit does not.
    fn active_mask(&mut self) {
        self.note(Feature::ActiveMask);
        let mask = self.temp_word(Scope::Lane, format_args!("call i32 @llvm.nvvm.activemask()"));
        if self.knobs.schedule_dependent {
            self.f.pool.push(mask);
            return;
        }
        if self.rng.chance(50) {
            self.bit(Scope::Lane, format_args!("icmp ne i32 {mask}, 0"));
        } else {
            let lane = self.sreg("laneid");
            let bit = self.temp_word(Scope::Lane, format_args!("lshr i32 {mask}, {lane}"));
            self.op(I32, 1, Scope::Lane, format_args!("and i32 {bit}, 1"));
        }
    }

    fn barrier(&mut self) {
        self.note(Feature::BlockBarrier);
        self.line(format_args!("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"));
    }

    /// A barrier; with shared memory, often a phase in which threads read each other's slots, up to a second barrier.
    fn block_barrier(&mut self) {
        self.barrier();
        let reads = self.has_shared && self.f.phase == Phase::Own && self.rng.chance(75);
        if !reads {
            return;
        }
        self.f.phase = Phase::Read;
        self.shared_neighbour();
        let spend = self.rng.range(4, 20) as i64;
        self.region(spend);
        self.f.phase = Phase::Own;
        self.barrier();
    }
}
