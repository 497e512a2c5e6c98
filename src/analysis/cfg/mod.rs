//! Control flow as arrays: dominators, cycles, synchronisation dependence, convergence.
//!
//! Nothing here knows an instruction: the input is a [`Graph`] of blocks, the output says which blocks see lanes of a
//! warp split, meet again, or run together.
//!
//! ```text
//! order          reachability, reverse post-order, depth-first numbers
//!     ├ dominators  along or against the flow of execution
//!     └ cycles      the forest of nested cycles, and the one linear order that all below scan
//!        └ sweep       the walk of the lanes that split at a branch
//!           ├ sync        where such lanes meet: divergent joins, temporal divergence
//!           └ convergence which blocks a warp executes whole
//! ```

pub mod convergence;
pub mod cycles;
pub mod dominators;
pub mod flow;
pub mod order;
pub mod sweep;
pub mod sync;

#[cfg(test)]
mod testing;

pub use convergence::{BlockTraits, Convergence, Influence};
pub use cycles::{Cycle, Cycles};
pub use dominators::Dominators;
pub use flow::Flow;
pub use order::Order;
pub use sync::{Split, SyncDependence};

use std::cell::OnceCell;
use warpwise_ir::graph::Graph;

/// Control flow facts of one function that everybody asks for.
pub struct Cfg {
    pub order: Order,
    pub cycles: Cycles,
    /// Computed when somebody asks: most functions are solved without.
    dominators: OnceCell<Dominators>,
}

impl Cfg {
    /// Computes them.
    pub fn new(graph: &Graph) -> Cfg {
        let order = Order::new(graph);
        let cycles = Cycles::new(graph, &order);
        Cfg { order, cycles, dominators: OnceCell::new() }
    }

    /// Dominators of the graph that this was computed from.
    pub fn dominators(&self, graph: &Graph) -> &Dominators {
        self.dominators.get_or_init(|| {
            let is_reducible = self.cycles.iter().all(|cycle| self.cycles.is_reducible(cycle));
            let quick = if is_reducible { Dominators::of_reducible(graph, self.order.rpo()) } else { None };
            quick.unwrap_or_else(|| Dominators::forward(graph))
        })
    }
}
