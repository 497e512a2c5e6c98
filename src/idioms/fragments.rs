//! Which fragments of matrices are in shared memory, although the code says of any memory?
//!
//! `wmma::load_matrix_sync` takes a generic address, and LLVM finds the memory behind it for plain loads and stores only. From
//! shared memory `ptxas` loads a fragment by `ldmatrix`, one instruction for four; from a generic address word by word.

use crate::analyses::FunctionAnalyses;
use warpwise_analysis::access::{Space, space_of};
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::Inst;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, RawOpcode, intrinsic_name};
use warpwise_ir::llvm::space;

/// What is said of a load or store.
pub const MESSAGE: &str = "a fragment of a matrix is in shared memory";

/// A load or store of a fragment in shared memory through a generic address.
pub struct Fragment<'m> {
    /// The call.
    pub access: handle::Inst<'m>,
    /// The intrinsic, without the address space in its name.
    name: String,
}

/// The loads and stores of fragments in a function that are certainly in the shared memory of the block.
pub fn find<'m>(known: &mut FunctionAnalyses<'m>) -> Vec<Fragment<'m>> {
    let (func, handles) = (&known.outline().func, &known.handles);
    let is_shared = |&(access, _): &(Inst, _)| space_of(func, func.operands(access)[0]) == Space::Shared;
    let found: Vec<_> = func.insts.keys().filter_map(|inst| accessed(func, inst)).filter(is_shared).collect();
    // what belongs to another block of the cluster counts as shared, too
    let in_cluster = |value| func.type_info(value).kind.space() == Some(space::SHARED_CLUSTER);
    let reaches_others = || func.insts.keys().any(|inst| func.operands(inst).iter().any(|&value| in_cluster(value)));
    if found.is_empty() || reaches_others() {
        return Vec::new();
    }
    found.into_iter().map(|(access, name)| Fragment { access: handles.inst(access), name }).collect()
}

/// A load or store of a fragment through a generic address, and the name of the intrinsic.
fn accessed(func: &Func, inst: Inst) -> Option<(Inst, String)> {
    if func.insts[inst].opcode != Opcode::Call {
        return None;
    }
    let Callee::Intrinsic(id) = func.call(inst).callee else { return None };
    let address = func.operands(inst).first().copied()?;
    let is_generic = func.type_info(address).kind.space() == Some(space::GENERIC);
    let name = Some(id).filter(|_| is_generic).map(intrinsic_name)?;
    let is_access = name.starts_with("llvm.nvvm.wmma.") && (name.contains(".load.") || name.contains(".store."));
    is_access.then_some((inst, name))
}

/// Says that the fragment is in shared memory.
pub fn apply<'m>(editor: &mut Editor<'m>, fragment: &Fragment<'m>) {
    let access = fragment.access;
    let ty = editor.pointer_type(space::SHARED);
    let address = editor.before(access).cast(RawOpcode::LLVMAddrSpaceCast, access.operand(0), ty, "");
    // behind the arguments is the callee
    let rest = (1..access.operand_count() - 1).map(|index| access.operand(index));
    let arguments: Vec<_> = std::iter::once(address).chain(rest).collect();
    let named = editor.intrinsic(&fragment.name, &[ty], &arguments, "");
    editor.replace_all_uses(access.value(), named);
    editor.erase(access);
}
