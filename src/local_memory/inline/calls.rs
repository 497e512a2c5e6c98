//! Which functions do kernels reach, and how many calls of each?

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::llvm::handle::{Function, Inst, Module};

/// What kernels reach.
#[derive(Debug)]
pub struct Calls<'m> {
    /// Callees before their callers, but for recursion.
    functions: Vec<Function<'m>>,
    /// Direct calls of each function.
    counts: FxHashMap<Function<'m>, usize>,
}

impl<'m> Calls<'m> {
    /// The calls of a module, as it is now.
    pub fn of(module: Module<'m>) -> Calls<'m> {
        let mut calls = Calls { functions: Vec::new(), counts: FxHashMap::default() };
        let defined = || module.functions().filter(|function| !function.is_declaration());
        if !defined().any(Function::is_ptx_kernel) {
            return calls;
        }
        let mut seen = FxHashSet::default();
        for root in defined().filter(|function| function.is_ptx_kernel() || !function.is_only_called_directly()) {
            calls.visit(root, &mut seen);
        }
        calls
    }

    fn visit(&mut self, root: Function<'m>, seen: &mut FxHashSet<Function<'m>>) {
        if !seen.insert(root) {
            return;
        }
        let mut open = vec![(root, callees(root))];
        while let Some((function, rest)) = open.last_mut() {
            let Some(callee) = rest.pop() else {
                self.functions.push(*function);
                open.pop();
                continue;
            };
            *self.counts.entry(callee).or_default() += 1;
            if seen.insert(callee) {
                open.push((callee, callees(callee)));
            }
        }
    }

    /// The functions that kernels reach, callees before their callers.
    pub fn functions(&self) -> &[Function<'m>] {
        &self.functions
    }

    /// How many direct calls of a function kernels reach.
    pub fn count(&self, function: Function<'m>) -> usize {
        self.counts.get(&function).copied().unwrap_or(0)
    }
}

/// The functions that a function calls directly and that have a body, once for each call.
pub(super) fn callees<'m>(function: Function<'m>) -> Vec<Function<'m>> {
    let insts = function.blocks().flat_map(|block| block.insts());
    insts.filter_map(Inst::defined_callee).collect()
}
