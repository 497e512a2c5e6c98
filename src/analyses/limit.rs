//! Which plans about values of a function does a limit leave out?

use super::FunctionAnalyses;
use warpwise_analysis::divergence::Outline;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::llvm::handle::Function;
use warpwise_ir::llvm::remark::Host;
use warpwise_ir::names::Names;

/// Counts the plans of `steer-spills` for one function, in the order in which they would be carried out.
pub struct Limit<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    names: Names,
    about: Function<'m>,
    host: &'a Host<'a>,
}

impl<'m> FunctionAnalyses<'m> {
    /// Nothing if there is no limit. Plans are told to be those of `about`.
    pub fn limit<'a>(&'a self, about: Function<'m>, host: &'a Host<'a>) -> Option<Limit<'a, 'm>> {
        let (outline, handles) = (self.outline(), &self.handles);
        let counts = host.counts_plans();
        counts.then(|| Limit { outline, handles, names: Names::new(&outline.func, handles), about, host })
    }
}

impl Limit<'_, '_> {
    /// Whether the plan for a value is carried out.
    pub fn admits(&self, value: Value, what: &str, becomes: &str) -> bool {
        let text = || format!("{what} {} {becomes}", self.names.value(self.handles, value));
        self.host.admits(self.about, None, text)
    }

    /// Whether the plan for what an instruction computes is carried out.
    pub fn admits_result(&self, inst: Inst, what: &str, becomes: &str) -> bool {
        self.admits(self.outline.func.result(inst), what, becomes)
    }
}
