//! Which kernels does a graph contain, and what does it copy back? Determined once, when the graph is instantiated.

use crate::copies::Region;
use crate::driver::{Handle, Relaxed as RelaxedMode, SUCCESS, driver};
use crate::functions::identify;
use crate::state::{Name, State};

/// Maximum number of different kernels in the name of a graph.
const NAMED: usize = 16;
/// Maximum number of nodes examined.
const NODES: usize = 4096;

/// Records the name of an instantiated graph: a line with its number of kernels, then one line per different kernel
/// with its multiplicity.
pub fn note(state: &State, executable: Handle, graph: Handle) {
    let _relaxed = RelaxedMode::enter();
    let nodes = nodes_of(graph);
    let kind = |node: &Handle| {
        let mut kind = -1;
        if driver().node_type(*node, &mut kind) == SUCCESS { kind } else { -1 }
    };
    let (kernels, others): (Vec<Handle>, Vec<Handle>) = nodes.into_iter().partition(|node| kind(node) == 0);
    state.functions.forget_one(executable);
    let mut inner = state.lock();
    let mut called: Vec<(Vec<u8>, usize)> = Vec::new();
    for node in &kernels {
        let mut words = [0; 16];
        if driver().kernel_node(*node, &mut words) != SUCCESS {
            continue;
        }
        // the function, or else the kernel
        let function = if words[0] != 0 { words[0] } else { words[7] } as Handle;
        let (_, name) = identify(&inner, function);
        match called.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => *times += 1,
            None => called.push((name, 1)),
        }
    }
    let mut text = format!("graph\t{}", kernels.len()).into_bytes();
    for (name, times) in called.iter().take(NAMED) {
        text.extend(format!("\n{times}\t").bytes());
        text.extend(name);
    }
    inner.names.insert(executable, Name { text, is_kernel: false });
    if state.mode.hash {
        let copies = others.iter().filter(|node| kind(node) == 1).filter_map(|node| {
            let mut words = [0; 32];
            (driver().copy_node(*node, &mut words) == SUCCESS).then(|| Region::of_3d(&words)).flatten()
        });
        inner.graph_copies.insert(executable, copies.collect());
    }
}

fn nodes_of(graph: Handle) -> Vec<Handle> {
    let mut count = 0;
    if driver().graph_nodes(graph, std::ptr::null_mut(), &mut count) != SUCCESS {
        return Vec::new();
    }
    count = count.min(NODES);
    let mut nodes: Vec<Handle> = vec![0; count];
    if count > 0 && driver().graph_nodes(graph, nodes.as_mut_ptr(), &mut count) != SUCCESS {
        return Vec::new();
    }
    nodes.truncate(count);
    nodes
}
