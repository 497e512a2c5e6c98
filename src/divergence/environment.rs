//! What is the solver of one function told of the rest of the module, and of launches?

use super::intrinsic_table::IntrinsicTable;
use crate::affine::{Form, Scope};
use crate::entity::Inst;
use crate::geometry::Geometry;
use crate::ir::Func;
use crate::ir::call::Callee;
use crate::llvm::escape::module_stack_escapes;
use crate::llvm::handle;
use std::cell::OnceCell;

/// What the solver of one function is told.
pub struct Environment<'a> {
    pub geometry: Geometry,
    pub intrinsics: &'a IntrinsicTable,
    /// Claims about arguments; `None` is divergent.
    pub params: Vec<Option<Form>>,
    /// All lanes of a warp that have not exited enter together.
    pub entry_convergent: bool,
    /// The scope whose lanes find the function's frame at the same address; `None` where lanes of a warp may not.
    pub frame: Option<Scope>,
    pub simple: bool,
    pub(super) module: handle::Module<'a>,
    pub(super) stack_escapes: &'a OnceCell<bool>,
    pub(super) returns: &'a [Option<Form>],
}

impl Environment<'_> {
    /// Some thread's own memory may be reached through a pointer of unknown origin. Looks at the whole module, once.
    pub fn stack_escapes(&self) -> bool {
        *self.stack_escapes.get_or_init(|| module_stack_escapes(self.module))
    }
    /// Result of a function of the module for uniform arguments.
    pub fn returns(&self, function: u32) -> Option<&Form> {
        self.returns.get(function as usize).and_then(Option::as_ref)
    }
    /// Whether a call is `llvm.assume`.
    pub fn is_assume(&self, func: &Func, call: Inst) -> bool {
        matches!(func.call(call).callee, Callee::Intrinsic(id) if self.intrinsics.is_assume(id))
    }
}
