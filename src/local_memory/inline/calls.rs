//! Which functions do kernels reach, and how many calls of each?

use rustc_hash::FxHashMap;
use warpwise_ir::llvm::handle::{Function, Module};

/// What kernels reach.
#[derive(Debug, Default)]
pub struct Calls<'m> {
    /// Callees before their callers, but for recursion.
    functions: Vec<Function<'m>>,
    counts: FxHashMap<Function<'m>, Count>,
}

/// Direct calls of a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Of those that one kernel reaches, the most.
    pub in_kernel: usize,
    /// Those that any reaches.
    pub all: usize,
}

impl<'m> Calls<'m> {
    /// The calls of a module, as it is now.
    pub fn of(module: Module<'m>) -> Calls<'m> {
        let mut calls = Calls::default();
        let defined = || module.functions().filter(|function| !function.is_declaration());
        if !defined().any(Function::is_ptx_kernel) {
            return calls;
        }
        let mut found = FxHashMap::default();
        for root in defined().filter(|function| function.is_ptx_kernel() || !function.is_only_called_directly()) {
            calls.visit(root, &mut found);
            calls.count_from(root, &found);
        }
        for callee in found.into_values().flatten() {
            calls.counts.entry(callee).or_default().all += 1;
        }
        calls
    }

    /// Lists what a function reaches that is not listed, and notes the callees of each.
    fn visit(&mut self, root: Function<'m>, found: &mut FxHashMap<Function<'m>, Vec<Function<'m>>>) {
        let mut open = vec![(root, Vec::new())];
        while let Some((function, rest)) = open.last_mut() {
            if !found.contains_key(function) {
                *rest = function.callees().collect();
                found.insert(*function, rest.clone());
            }
            match rest.pop() {
                Some(callee) if found.contains_key(&callee) => {}
                Some(callee) => open.push((callee, Vec::new())),
                None => self.functions.extend(open.pop().map(|(function, _)| function)),
            }
        }
    }

    /// Counts what one function reaches.
    fn count_from(&mut self, root: Function<'m>, found: &FxHashMap<Function<'m>, Vec<Function<'m>>>) {
        let mut counts: FxHashMap<Function<'m>, usize> = FxHashMap::default();
        let mut open = vec![root];
        while let Some(function) = open.pop() {
            for &callee in found.get(&function).into_iter().flatten() {
                let count = counts.entry(callee).or_default();
                *count += 1;
                if *count == 1 {
                    open.push(callee);
                }
            }
        }
        for (function, count) in counts {
            let most = &mut self.counts.entry(function).or_default().in_kernel;
            *most = count.max(*most);
        }
    }

    /// The functions that kernels reach, callees before their callers.
    pub fn functions(&self) -> &[Function<'m>] {
        &self.functions
    }

    /// How many direct calls of a function kernels reach.
    pub fn count(&self, function: Function<'m>) -> Count {
        self.counts.get(&function).copied().unwrap_or_default()
    }
}
