//! Which functions of a module call which, and which may be on the stack more than once?
//!
//! A larger frame of a recursive function costs once for each activation, without bound. A program that recurses must
//! find as much stack with counters as without.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::handles::Handles;
use warpwise_ir::import::ModuleContext;

/// Whether a function calls anything that is compiled as a separate function.
pub fn calls_functions(func: &Func) -> bool {
    func.calls.iter().any(|call| matches!(call.callee, Callee::Function(_) | Callee::Indirect))
}

/// The calls between functions with a body, which are identified by number.
pub struct CallGraph {
    /// Number of a function, by its position in the module.
    numbers: FxHashMap<u32, usize>,
    /// The possible targets of calls through pointers: every function whose address is taken. A function that is only
    /// called from outside is not called by anything in this module.
    pointed: Vec<usize>,
    callees: Vec<Vec<usize>>,
}

impl CallGraph {
    /// Collects all calls.
    pub fn new<'m>(context: &ModuleContext<'m>, bodies: &[(Facts, Handles<'m>)]) -> CallGraph {
        let callees = vec![Vec::new(); bodies.len()];
        let mut graph = CallGraph { numbers: FxHashMap::default(), pointed: Vec::new(), callees };
        if !bodies.iter().any(|(facts, _)| calls_functions(&facts.func)) {
            return graph;
        }
        for (number, (_, handles)) in bodies.iter().enumerate() {
            graph.numbers.extend(context.index_of(handles.function).map(|index| (index, number)));
        }
        let calls = |(facts, _): &(Facts, Handles<'_>)| facts.func.calls.iter().any(|c| c.callee == Callee::Indirect);
        if bodies.iter().any(calls) {
            let is_pointed = |&number: &usize| !bodies[number].1.function.is_only_called_directly();
            graph.pointed = (0..bodies.len()).filter(is_pointed).collect();
        }
        for (number, (facts, _)) in bodies.iter().enumerate() {
            let found = facts.func.calls.iter().flat_map(|call| graph.reach(call.callee)).copied();
            let mut found: Vec<usize> = found.collect();
            found.sort_unstable();
            found.dedup();
            graph.callees[number] = found;
        }
        graph
    }

    /// The functions that a call may reach.
    pub fn reach(&self, callee: Callee) -> &[usize] {
        match callee {
            Callee::Function(index) => self.numbers.get(&index).map_or(&[], std::slice::from_ref),
            Callee::Indirect => &self.pointed,
            Callee::Intrinsic(_) | Callee::Asm { .. } => &[],
        }
    }

    /// The functions that a function calls, in ascending order.
    pub fn callees(&self, number: usize) -> &[usize] {
        &self.callees[number]
    }

    /// Whether each function may call itself, directly or indirectly.
    pub fn recursive(&self) -> Vec<bool> {
        cyclic(&self.callees)
    }
}

/// The nodes on a cycle: those in strongly connected components with several nodes, and those with an edge to
/// themselves.
fn cyclic(edges: &[Vec<usize>]) -> Vec<bool> {
    let pairs = (0u32..).zip(edges).flat_map(|(from, targets)| targets.iter().map(move |&to| (from, to as u32)));
    let graph = DiGraph::<(), ()>::from_edges(pairs);
    let mut result = vec![false; edges.len()];
    for component in kosaraju_scc(&graph) {
        let is_cycle = component.len() > 1 || graph.contains_edge(component[0], component[0]);
        component.iter().for_each(|node| result[node.index()] = is_cycle);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::cyclic;

    #[test]
    fn cycles_are_found() {
        let edges = [vec![1], vec![2, 3], vec![1], vec![4], vec![], vec![5], vec![4, 0]];
        assert_eq!(cyclic(&edges), [false, true, true, false, false, true, false]);
        assert_eq!(cyclic(&[vec![1], vec![2], vec![0]]), [true; 3]);
        assert!(cyclic(&[]).is_empty());
    }
}
