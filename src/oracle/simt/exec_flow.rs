//! What do control instructions compute for the lanes of a mask? Phi moves, conditions, switches, copies between
//! frames, operands of collectives.

use super::code::*;
use super::collective::{self, Operands, Results};
use super::control::Targets;
use super::fault::{Exec, FaultKind, trap};
use super::warp::{Frame, lanes_of};
use smallvec::smallvec;

impl Frame<'_, '_> {
    /// The moves of an edge's phis, as one parallel copy.
    pub fn moves(&mut self, edge: &Edge) {
        if !edge.overlap {
            for &(d, a) in &edge.moves {
                self.copy(d, a);
            }
            return;
        }
        let saved: Vec<_> = edge.moves.iter().map(|&(d, a)| (d, self.slot(a))).collect();
        for (d, (values, undef, bits)) in saved {
            self.put_marked(d, &values, undef, &bits);
        }
    }

    /// Copies an operand of this frame into a slot of another.
    pub fn return_slot(&mut self, base: usize, d: Dst, a: Src) {
        let (values, undef, bits) = self.slot(a);
        let own = std::mem::replace(&mut self.base, base);
        self.put_marked(d, &values, undef, &bits);
        self.base = own;
    }

    /// An operand: its values, the lanes in which it is undefined, and its undefined bits.
    fn slot(&self, a: Src) -> (Lanes, u32, Lanes) {
        let undef = self.undef(a);
        let bits = if undef == 0 { [0; LANES] } else { std::array::from_fn(|lane| self.undef_bits(a, lane)) };
        (*self.get(a), undef, bits)
    }

    /// Lanes in which a condition holds.
    #[inline]
    pub fn truth(&self, c: Src) -> Exec<u32> {
        self.check_defined(c, "a branch condition")?;
        let values = self.get(c);
        let mut lanes = 0;
        for (lane, value) in values.iter().enumerate() {
            lanes |= ((value & 1) as u32) << lane;
        }
        Ok(lanes & self.mask)
    }

    /// Whether a jump inside inline assembly is taken.
    pub fn jumps(&self, c: Src, negated: bool, masked: bool) -> Exec<bool> {
        let holds = self.truth(c)?;
        let taken = if negated { self.mask & !holds } else { holds };
        if taken != 0 && taken != self.mask && !masked {
            let name = "inline assembly whose lanes part at a branch".to_owned();
            return trap(taken.trailing_zeros(), FaultKind::Unknown { name });
        }
        Ok(taken == self.mask)
    }

    /// Edges of a switch with their lanes, default first, then cases in order.
    pub(super) fn cases(&self, switch: &SwitchCode) -> Exec<Targets> {
        let undef = self.undef(switch.a) | if switch.wide { self.undef(switch.a + 1) } else { 0 };
        if undef != 0 {
            return trap(undef.trailing_zeros(), FaultKind::Undef { usage: "a switch value" });
        }
        let mut targets: Targets = smallvec![(switch.default, 0)];
        targets.extend(switch.cases.iter().map(|&(_, edge)| (edge, 0)));
        for lane in lanes_of(self.mask) {
            let high = if switch.wide { u128::from(self.get(switch.a + 1)[lane]) << 64 } else { 0 };
            let value = high | u128::from(self.get(switch.a)[lane]);
            let place = switch.cases.binary_search_by_key(&value, |&(case, _)| case).map_or(0, |i| i + 1);
            targets[place].1 |= 1 << lane;
        }
        // In the order of the successors, which is the order of the edges.
        targets.sort_by_key(|&(edge, _)| edge);
        Ok(targets)
    }

    /// Operands of a collective for the active lanes.
    pub fn collective_operands(&self, args: &[Src; 4]) -> Operands {
        Operands { values: args.map(|a| *self.get(a)), undef: args.map(|a| self.undef(a)) }
    }

    /// Writes the results of a collective in the lanes of this frame's mask.
    pub fn collective_results(&mut self, d: Dst, p: Dst, what: Collective, results: &Results) {
        if what == Collective::WarpSync {
            return;
        }
        self.put_tainted(d, &results.value, results.value_undef & self.mask);
        if p != u32::MAX {
            self.put_tainted(p, &results.second, results.second_undef & self.mask);
        }
    }

    pub fn collective(&mut self, what: Collective, d: Dst, p: Dst, args: &[Src; 4]) -> Exec<()> {
        let operands = self.collective_operands(args);
        let mut results = Results::default();
        for group in collective::groups(&operands, self.mask, self.warp.running())? {
            collective::compute(what, group, &operands, &mut results);
        }
        if what == Collective::WarpSync {
            self.world.races.warp_sync(self.warp.index);
        }
        self.collective_results(d, p, what, &results);
        Ok(())
    }
}
