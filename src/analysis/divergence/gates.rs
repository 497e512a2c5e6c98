//! In which scope do lanes agree on paths and iterations? The gates of gated SSA, one per block and per cycle.

use crate::affine::join::leave_loop;
use crate::affine::{Form, Scope};
use crate::cfg::{Cfg, Cycle};
use cranelift_entity::EntityRef;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Value};

/// The narrowest scope that agrees on a path or an iteration; `None` if lanes of one warp may not agree.
pub type Gate = Option<Scope>;

/// The gate that loses nothing.
pub const OPEN: Gate = Some(Scope::Grid);

/// The gates of a function. All start open and only ever narrow, which bounds the iteration of the solver.
#[derive(Clone, Debug)]
pub struct Gates {
    /// Of the joins of all blocks, of the branches of all blocks, and of the exits of all cycles.
    gates: Vec<Gate>,
    /// Number of blocks.
    blocks: usize,
    /// Whether any exit gate has been narrowed.
    exits_narrowed: bool,
}

impl Gates {
    /// All gates open.
    pub fn open(blocks: usize, cycles: usize) -> Gates {
        Gates { gates: vec![OPEN; 2 * blocks + cycles], blocks, exits_narrowed: false }
    }
    /// The narrowest scope in which all lanes reach a block by the same path.
    #[inline]
    pub fn of_join(&self, block: Block) -> Gate {
        self.gates[block.index()]
    }
    /// The narrowest scope in which all lanes leave a cycle in the same iteration.
    #[inline]
    pub fn of_exits(&self, cycle: Cycle) -> Gate {
        self.gates[2 * self.blocks + cycle.index()]
    }
    /// The narrowest scope in which all lanes take the same successor at the end of a block.
    #[inline]
    pub fn of_branch(&self, block: Block) -> Gate {
        self.gates[self.blocks + block.index()]
    }
    /// Whether any cycle may be left in different iterations by lanes of some scope.
    #[inline]
    pub fn any_exit_narrowed(&self) -> bool {
        self.exits_narrowed
    }
    /// η: the form of a value that is defined in the innermost cycle `home`, past the cycles that the edge from `pred` to
    /// `block` leaves (both are the block of a use that is no phi's). `None`: the same; `Some(None)`: divergent.
    pub fn leave(
        &self,
        (func, cfg): (&Func, &Cfg),
        form: &Form,
        home: Cycle,
        [pred, block]: [Block; 2],
    ) -> Option<Option<Form>> {
        let cycles = &cfg.cycles;
        let (mut gate, mut outermost_left) = (OPEN, None);
        let is_left = |&cycle: &Cycle| !cycles.contains(cycle, pred) || !cycles.contains(cycle, block);
        for cycle in cycles.ancestors(home).take_while(is_left) {
            gate = gate.min(self.of_exits(cycle));
            outermost_left = Some(cycle);
        }
        let left = outermost_left.filter(|_| gate < OPEN)?;
        // a coefficient computed inside the cycle is a different number for lanes that left in different iterations
        let stale = gate.is_none()
            && form.symbols().any(|symbol| {
                let def = func.def(Value::from_u32(symbol.value()));
                def.is_some_and(|def| cycles.contains(left, func.insts[def].block))
            });
        Some(if stale { None } else { leave_loop(form, gate) })
    }
    /// Narrows the gate of a join; returns whether it changed.
    pub fn narrow_join(&mut self, block: Block, gate: Gate) -> bool {
        narrow(&mut self.gates[block.index()], gate)
    }
    /// Narrows the gate of a cycle's exits; returns whether it changed.
    pub fn narrow_exits(&mut self, cycle: Cycle, gate: Gate) -> bool {
        let changes = narrow(&mut self.gates[2 * self.blocks + cycle.index()], gate);
        self.exits_narrowed |= changes;
        changes
    }
    /// Narrows the gate of a branch; returns whether it changed.
    pub fn narrow_branch(&mut self, block: Block, gate: Gate) -> bool {
        narrow(&mut self.gates[self.blocks + block.index()], gate)
    }
}

/// Narrows a gate; returns whether it changed.
fn narrow(known: &mut Gate, gate: Gate) -> bool {
    let changes = gate < *known;
    if changes {
        *known = gate;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_only_narrow() {
        let (block, cycle) = (Block::from_u32(1), Cycle::from_u32(0));
        let mut gates = Gates::open(2, 1);
        assert_eq!((gates.of_join(block), gates.of_exits(cycle), gates.any_exit_narrowed()), (OPEN, OPEN, false));
        assert!(gates.narrow_join(block, Some(Scope::Warp)));
        assert!(!gates.narrow_join(block, Some(Scope::Block)));
        assert_eq!(gates.of_join(block), Some(Scope::Warp));
        assert!(gates.narrow_exits(cycle, None) && !gates.narrow_exits(cycle, OPEN));
        assert!(gates.any_exit_narrowed());
        assert!(gates.narrow_branch(block, None) && gates.of_branch(block).is_none());
    }
}
