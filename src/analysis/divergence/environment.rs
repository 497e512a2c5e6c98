//! What does the solver of one function need to know about the rest of the module and about launches?

use super::intrinsic_table::IntrinsicTable;
use crate::affine::{Form, Scope};
use std::cell::OnceCell;
use warpwise_ir::geometry::Geometry;
use warpwise_ir::llvm::escape::module_stack_escapes;
use warpwise_ir::llvm::handle;

/// What calls of the module's functions return.
pub trait Calls {
    /// The form of the result of calling a function of the module, for lanes that pass arguments of these forms (`None`:
    /// they differ in an unknown way); `None` if nothing is known of it.
    fn returned(&self, function: u32, arguments: &[Option<Form>]) -> Option<Form>;
}

/// What call sites guarantee about the arguments of a function.
pub enum Arguments {
    /// A kernel's: each is uniform in the grid.
    OfKernel,
    /// A claim about each from the first on; `None` is divergent, and so are those that are missing.
    Claimed(Vec<Option<Form>>),
}

impl Arguments {
    /// The claim about one of them.
    pub fn claim(&self, index: usize) -> Option<&Form> {
        static UNIFORM: Form = Form::uniform(Scope::Grid);
        match self {
            Arguments::OfKernel => Some(&UNIFORM),
            Arguments::Claimed(claims) => claims.get(index)?.as_ref(),
        }
    }
}

/// Everything outside the function that its facts depend on.
pub struct Environment<'a> {
    pub geometry: Geometry,
    pub intrinsics: &'a IntrinsicTable<'a>,
    pub arguments: Arguments,
    /// Whether all lanes of a warp that have not exited enter the function together.
    pub entry_convergent: bool,
    /// The scope in which the function's frame has the same address; `None` if lanes of one warp may differ.
    pub frame: Option<Scope>,
    pub(super) module: handle::Module<'a>,
    pub(super) stack_escapes: &'a OnceCell<bool>,
    pub(super) calls: &'a dyn Calls,
}

impl Environment<'_> {
    /// Whether a pointer of unknown origin may point into some thread's stack. Looks at the whole module, once.
    pub fn stack_escapes(&self) -> bool {
        *self.stack_escapes.get_or_init(|| module_stack_escapes(self.module))
    }
}
