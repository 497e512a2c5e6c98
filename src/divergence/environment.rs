//! What does the solver of one function need to know about the rest of the module and about launches?

use super::intrinsic_table::IntrinsicTable;
use crate::affine::{Form, Scope};
use crate::entity::Inst;
use crate::geometry::Geometry;
use crate::ir::Func;
use crate::ir::call::Callee;
use crate::llvm::escape::module_stack_escapes;
use crate::llvm::handle;
use std::cell::OnceCell;

/// What calls of the module's functions return.
pub trait Calls {
    /// The form of the result of calling a function of the module, for lanes that pass arguments of these forms (`None`:
    /// they differ in an unknown way); `None` if nothing is known of it.
    fn returned(&self, function: u32, arguments: &[Option<Form>]) -> Option<Form>;
}

/// Everything outside the function that its facts depend on.
pub struct Environment<'a> {
    pub geometry: Geometry,
    pub intrinsics: &'a IntrinsicTable<'a>,
    /// What call sites guarantee about each argument; `None` is divergent.
    pub params: Vec<Option<Form>>,
    /// Whether all lanes of a warp that have not exited enter the function together.
    pub entry_convergent: bool,
    /// The scope in which the function's frame has the same address; `None` if lanes of one warp may differ.
    pub frame: Option<Scope>,
    pub simple: bool,
    pub(super) module: handle::Module<'a>,
    pub(super) stack_escapes: &'a OnceCell<bool>,
    pub(super) calls: &'a dyn Calls,
}

impl Environment<'_> {
    /// Whether a pointer of unknown origin may point into some thread's stack. Looks at the whole module, once.
    pub fn stack_escapes(&self) -> bool {
        *self.stack_escapes.get_or_init(|| module_stack_escapes(self.module))
    }
    /// Whether a call is `llvm.assume`.
    pub fn is_assume(&self, func: &Func, call: Inst) -> bool {
        matches!(func.call(call).callee, Callee::Intrinsic(id) if self.intrinsics.is_assume(id))
    }
}
