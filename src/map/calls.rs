//! Which functions may be on the stack more than once? Their frames cost as often as they are, and no compiler bounds
//! that: a program that recurses must find the stack it found without counters.

use crate::divergence::Facts;
use crate::kernel::call::Callee;
use crate::kernel::handles::Handles;
use crate::kernel::import::ModuleContext;
use rustc_hash::FxHashMap;

/// Whether each of these functions may call itself, through others too. A call through a pointer may reach every function
/// whose address is taken; a function that is called from outside only is not called by anything in here.
pub fn recursive<'m>(context: &ModuleContext<'m>, bodies: &[(Facts, Handles<'m>)]) -> Vec<bool> {
    let calls = |(facts, _): &(Facts, Handles<'_>)| {
        let mut callees = facts.kernel.calls.iter().map(|call| call.callee);
        callees.any(|callee| matches!(callee, Callee::Function(_) | Callee::Indirect))
    };
    if !bodies.iter().any(calls) {
        return vec![false; bodies.len()];
    }
    let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
    for (number, (_, handles)) in bodies.iter().enumerate() {
        numbers.extend(context.index_of(handles.function).map(|index| (index, number)));
    }
    let mut pointed: Option<Vec<usize>> = None;
    let callees: Vec<Vec<usize>> = bodies
        .iter()
        .map(|(facts, _)| {
            let mut found: Vec<usize> = Vec::new();
            for call in &facts.kernel.calls {
                match call.callee {
                    Callee::Function(index) => found.extend(numbers.get(&index)),
                    Callee::Indirect => found.extend(&*pointed.get_or_insert_with(|| {
                        (0..bodies.len()).filter(|&i| !bodies[i].1.function.is_only_called_directly()).collect()
                    })),
                    Callee::Intrinsic(_) | Callee::Asm { .. } => {}
                }
            }
            found.sort_unstable();
            found.dedup();
            found
        })
        .collect();
    cyclic(&callees)
}

/// Nodes on a cycle: those of strongly connected components of several nodes, and those with an edge to themselves.
fn cyclic(edges: &[Vec<usize>]) -> Vec<bool> {
    const NEW: usize = usize::MAX;
    let mut result = vec![false; edges.len()];
    let mut number = vec![NEW; edges.len()];
    let mut lowest = vec![0; edges.len()];
    let mut is_open = vec![false; edges.len()];
    let (mut component, mut path, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..edges.len() {
        if number[root] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if *next == 0 {
                (number[node], lowest[node], is_open[node]) = (count, count, true);
                component.push(node);
                count += 1;
            }
            let edge = edges[node].get(*next).copied();
            *next += 1;
            match edge {
                Some(to) if number[to] == NEW => path.push((to, 0)),
                Some(to) => {
                    if is_open[to] {
                        lowest[node] = lowest[node].min(number[to]);
                    }
                    result[node] |= to == node;
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        lowest[parent] = lowest[parent].min(lowest[node]);
                    }
                    if lowest[node] == number[node] {
                        let start = component.iter().rposition(|&other| other == node).unwrap_or(0);
                        let is_cycle = component.len() - start > 1;
                        for member in component.drain(start..) {
                            is_open[member] = false;
                            result[member] |= is_cycle;
                        }
                    }
                }
            }
        }
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
