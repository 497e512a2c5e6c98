//! What can a transfer rule see? The function, what is known about values and paths so far, and the table of forms.
//!
//! Only the solver changes it; rules read, except that they add new forms to the interner. Their result depends on nothing
//! but the view: a rule applied twice to the same state gives the same answer, on which the solver's fixed point relies.

use super::environment::Environment;
use super::gates::Gates;
use super::range::{Range, RangeMemory};
use crate::affine::Scope;
use crate::affine::interner::{Element, Interner};
use crate::affine::lanes::LaneModel;
use crate::cfg::Cfg;
use warpwise_ir::Func;
use warpwise_ir::entity::{Block, Value};

/// The state of the analysis as rules see it.
pub(super) struct View<'v> {
    pub func: &'v Func,
    pub cfg: &'v Cfg,
    pub env: &'v Environment<'v>,
    /// What the launch geometry says about lanes.
    pub model: LaneModel,
    /// What is known about each value so far.
    pub elements: Vec<Element>,
    pub gates: Gates,
    pub ranges: RangeMemory,
    /// The table of forms.
    pub interner: Interner,
}

impl View<'_> {
    /// The widest scope in which lanes agree on an element; `None` if it is divergent or varies between the lanes of a
    /// warp.
    pub fn scope_of(&self, element: Element) -> Option<Scope> {
        if let Some(scope) = element.plain_scope() {
            return Some(scope);
        }
        self.interner.form(element).and_then(|form| self.model.scope_of(form))
    }

    /// Bounds of an integer as seen in a block.
    pub fn range(&self, value: Value, at: Block) -> Range {
        self.ranges.range(self.func, self.cfg, self.env, value, at)
    }
}
