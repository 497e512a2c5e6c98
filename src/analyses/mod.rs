//! Which facts about the functions being transformed are still valid?
//!
//! Several phases need the same facts, and most phases leave most functions unchanged. Facts are therefore computed
//! when first requested, and dropped when their function is edited. Editing one function does not affect the facts of
//! another: the summaries they have of each other remain valid. Nothing is solved for questions that control flow and
//! registers answer.

use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;
use warpwise_analysis::cost::frequency::Frequencies;
use warpwise_analysis::divergence::{self, Facts, ModuleAnalysis, Outline};
use warpwise_analysis::objects::{StackObject, stack_objects};
use warpwise_analysis::pressure::Pressure;
use warpwise_ir::geometry::Geometry;
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::{Function, Module};
use warpwise_ir::names::Names;

/// A function, the facts about it, and the values it keeps in registers.
pub struct FunctionAnalyses<'m> {
    pub handles: Handles<'m>,
    analysis: Rc<ModuleAnalysis<'m>>,
    known: Known,
    frequencies: OnceCell<Rc<Frequencies<'m>>>,
    names: OnceCell<Names>,
    pressure: Option<Pressure>,
    objects: Option<Rc<[StackObject]>>,
}

/// How much is known about a function.
#[expect(clippy::large_enum_variant, reason = "there is one for each function")]
enum Known {
    Outline(Outline),
    Facts(Facts),
    /// Only while facts are computed from an outline.
    Nothing,
}

impl Known {
    fn outline(&self) -> &Outline {
        match self {
            Known::Outline(outline) => outline,
            Known::Facts(facts) => facts,
            Known::Nothing => unreachable!("nobody asks while a function is solved"),
        }
    }
}

impl<'m> FunctionAnalyses<'m> {
    /// What is known without solving anything.
    pub fn outline(&self) -> &Outline {
        self.known.outline()
    }
    /// From now on no block has more than this number of threads.
    pub fn bind(&mut self, threads: u32) {
        self.known = match std::mem::replace(&mut self.known, Known::Nothing) {
            Known::Outline(outline) => Known::Outline(outline.with_thread_bound(threads)),
            Known::Facts(facts) => Known::Facts(facts.with_thread_bound(threads)),
            Known::Nothing => Known::Nothing,
        };
    }
    /// What is known about the lanes; solved when first requested.
    pub fn facts(&mut self) -> &Facts {
        self.solved().0
    }
    /// The facts, and the handles back to LLVM.
    pub fn facts_and_handles(&mut self) -> (&Facts, &Handles<'m>) {
        let (facts, handles, _) = self.solved();
        (facts, handles)
    }
    /// The values kept in registers; computed when first requested.
    pub fn pressure(&mut self) -> (&Outline, &Pressure) {
        let outline = self.known.outline();
        (outline, self.pressure.get_or_insert_with(|| Pressure::new(outline)))
    }
    /// How often the blocks run; computed when first requested.
    pub fn frequencies(&self) -> Rc<Frequencies<'m>> {
        self.frequencies.get_or_init(|| Rc::new(Frequencies::new(self.handles.function))).clone()
    }
    /// How values are called; numbered when first requested.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.outline().func, &self.handles))
    }
    /// The stack objects; followed when first requested.
    pub fn objects(&mut self) -> Rc<[StackObject]> {
        let (outline, handles) = (self.known.outline(), &self.handles);
        self.objects.get_or_insert_with(|| stack_objects(outline, handles).into()).clone()
    }
    /// Facts and registers.
    pub fn facts_and_pressure(&mut self) -> (&Facts, &Pressure) {
        let (facts, _, pressure) = self.solved();
        (facts, pressure.get_or_insert_with(|| Pressure::new(facts)))
    }
    fn solved(&mut self) -> (&Facts, &Handles<'m>, &mut Option<Pressure>) {
        self.known = match std::mem::replace(&mut self.known, Known::Nothing) {
            Known::Outline(outline) => Known::Facts(self.analysis.solve(outline, self.handles.function)),
            known => known,
        };
        match &self.known {
            Known::Facts(facts) => (facts, &self.handles, &mut self.pressure),
            Known::Outline(_) | Known::Nothing => unreachable!("it was just solved"),
        }
    }
}

/// What still holds after a function was edited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All that is known.
    Everything,
    /// What its callees are passed; nothing about the function itself.
    Callees,
    /// Nothing about the function.
    Nothing,
    /// No loop of it needs more registers than this.
    AtMost(u32),
}

/// The functions for which facts were requested.
pub struct Analyses<'m> {
    module: Module<'m>,
    options: divergence::Options,
    /// For the module in its present state.
    analysis: Option<Rc<ModuleAnalysis<'m>>>,
    known: FxHashMap<usize, FunctionAnalyses<'m>>,
    edits: FxHashMap<usize, Edited>,
}

/// What is known about a function that was edited, without analysing it again.
pub struct Edited {
    pub geometry: Geometry,
    /// No loop needs more registers than this, including those for its loads.
    pub at_most: u32,
}

impl<'m> Analyses<'m> {
    /// Starts without any facts.
    pub fn new(module: Module<'m>, options: divergence::Options) -> Self {
        Analyses { module, options, analysis: None, known: FxHashMap::default(), edits: FxHashMap::default() }
    }

    /// The module.
    pub fn module(&self) -> Module<'m> {
        self.module
    }

    /// The facts about a function with a body.
    pub fn of(&mut self, function: Function<'m>) -> &mut FunctionAnalyses<'m> {
        let address = function.value().address();
        if !self.known.contains_key(&address) {
            let new = || Rc::new(ModuleAnalysis::new(self.module, self.options));
            let analysis = self.analysis.get_or_insert_with(new).clone();
            let (outline, handles) = analysis.outline(function);
            let known = Known::Outline(outline);
            let (frequencies, names) = (OnceCell::new(), OnceCell::new());
            let found =
                FunctionAnalyses { handles, analysis, known, frequencies, names, pressure: None, objects: None };
            self.known.insert(address, found);
        }
        self.known.get_mut(&address).expect("it was just inserted")
    }

    /// Records that a function was edited.
    pub fn edited(&mut self, function: Function<'m>, kept: Kept) {
        if kept == Kept::Everything {
            return;
        }
        let address = function.value().address();
        let known = self.known.remove(&address);
        self.edits.remove(&address);
        if kept != Kept::Callees {
            self.analysis = None;
        }
        if let (Kept::AtMost(at_most), Some(known)) = (kept, known) {
            self.edits.insert(address, Edited { geometry: known.outline().geometry, at_most });
        }
    }

    /// What is known about a function since it was edited, if that [kept](Kept::AtMost) anything.
    pub fn since_edited(&self, function: Function<'m>) -> Option<&Edited> {
        self.edits.get(&function.value().address())
    }

    /// From now on, the facts about a function are those of its exact copy.
    pub fn copied(&mut self, function: Function<'m>, copy: Function<'m>) {
        let Some(mut found) = self.known.remove(&function.value().address()) else { return };
        let Some(handles) = found.handles.of_copy(copy) else { return };
        found.handles = handles;
        found.frequencies = OnceCell::new();
        self.known.insert(copy.value().address(), found);
    }
}
