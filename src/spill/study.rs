//! What is known of the functions in hand, as long as nothing edits them?
//!
//! Phases ask for the same facts, and most phases leave most functions as they are: facts are made when they are first asked
//! for, and forgotten when their function is edited. What is edited in one function changes no facts of another: their
//! summaries of each other hold before and after.

use super::pressure::Pressure;
use crate::divergence::{Facts, ModuleAnalysis, Options};
use crate::kernel::handles::Handles;
use crate::llvm::handle::{Function, Module};
use rustc_hash::FxHashMap;

/// A function, what is known of it, and what it keeps in registers.
pub struct Study<'m> {
    pub facts: Facts,
    pub handles: Handles<'m>,
    pressure: Option<Pressure>,
}

impl Study<'_> {
    /// What it keeps in registers; solved when first asked for.
    pub fn pressure(&mut self) -> (&Facts, &mut Pressure) {
        let pressure = self.pressure.get_or_insert_with(|| Pressure::new(&self.facts));
        (&self.facts, pressure)
    }
}

/// The functions that were asked for.
pub struct Studies<'m> {
    module: Module<'m>,
    options: Options,
    /// Of the module as it is.
    analysis: Option<ModuleAnalysis<'m>>,
    known: FxHashMap<usize, Study<'m>>,
}

impl<'m> Studies<'m> {
    /// Nothing is known yet.
    pub fn new(module: Module<'m>, options: Options) -> Self {
        Studies { module, options, analysis: None, known: FxHashMap::default() }
    }

    /// What is known of a function with a body.
    pub fn of(&mut self, function: Function<'m>) -> &mut Study<'m> {
        self.known.entry(function.value().address()).or_insert_with(|| {
            let analysis = self.analysis.get_or_insert_with(|| ModuleAnalysis::new(self.module, self.options));
            let (facts, handles) = analysis.facts(function);
            Study { facts, handles, pressure: None }
        })
    }

    /// What is known of a function, if it was asked for.
    pub fn known(&self, function: Function<'m>) -> Option<&Study<'m>> {
        self.known.get(&function.value().address())
    }

    /// The function is not what it was.
    pub fn edited(&mut self, function: Function<'m>) {
        self.known.remove(&function.value().address());
        self.analysis = None;
    }

    /// The module has other functions than it had.
    pub fn grown(&mut self) {
        self.analysis = None;
    }
}
