//! Which sums take a product, and so round once, if the machine does as LLVM's back end and `ptxas` do?
//!
//! The rules, and how they were found, are in `warpwise_analysis::contraction`. What moves between a module's IR and its code is
//! not foreseen.

use rustc_hash::FxHashMap;
use warpwise_ir::llvm::image::Op as Ir;
use warpwise_ir::llvm::image::{BinOp, Callee, FunctionImage, ModuleImage, Operand, TypeKind};

/// A product that a sum takes. Instructions are their ordinals in the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Join {
    pub product: u32,
    /// Which operand of the sum it is.
    pub operand: usize,
    /// Whether its sign is changed on the way.
    pub negated: bool,
}

/// What each sum takes.
pub(super) fn joins(image: &ModuleImage, func: &FunctionImage) -> FxHashMap<u32, Join> {
    let types = &image.types;
    let mut home = vec![0; func.insts.len()];
    for (number, block) in func.blocks.iter().enumerate() {
        home[block.first as usize..(block.first + block.count) as usize].fill(number);
    }
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); func.insts.len()];
    for (user, inst) in (0u32..).zip(&func.insts) {
        for operand in &inst.operands {
            if let Operand::Inst(def) = *operand {
                users[def as usize].push(user);
            }
        }
    }
    let is_phi = |user: u32| matches!(func.insts[user as usize].op, Ir::Phi(_));
    // uses in a block, and one for all elsewhere
    let uses = |inst: u32| {
        let is_near = |&&user: &&u32| home[user as usize] == home[inst as usize] && !is_phi(user);
        let near = users[inst as usize].iter().filter(is_near).count();
        near + usize::from(near < users[inst as usize].len())
    };
    let is_absolute = |callee: &Callee| match callee {
        Callee::Direct(id) => image.functions[id.index()].name.contains(".fabs.f32"),
        _ => false,
    };
    let product = |sum: u32, operand: usize| {
        let (mut value, mut negated, mut is_only) = (func.insts[sum as usize].operands[operand], false, true);
        let mut absolute = false;
        loop {
            let Operand::Inst(def) = value else { return None };
            let inst = &func.insts[def as usize];
            is_only &= users[def as usize].len() == 1;
            match inst.op {
                Ir::FNeg if !absolute => (value, negated) = (inst.operands[0], !negated),
                // of a square
                Ir::Call(ref callee) if is_absolute(callee) => (value, absolute) = (inst.operands[0], true),
                Ir::Bin(BinOp::FMul, flags) if flags.contract => {
                    if absolute && inst.operands[0] != inst.operands[1] {
                        return None;
                    }
                    let is_near = home[def as usize] == home[sum as usize] && !absolute;
                    return Some((is_near, is_only, Join { product: def, operand, negated }));
                }
                _ => return None,
            }
        }
    };
    let is_wide = |sum: u32| {
        let ty = func.insts[sum as usize].ty;
        matches!(types[ty.index()].kind, TypeKind::Float | TypeKind::Double)
    };
    let join = |sum: u32| {
        let found = [product(sum, 0), product(sum, 1)];
        let is_its_own = |&&(_, is_only, join): &&(bool, bool, Join)| {
            let operand = func.insts[sum as usize].operands[join.operand];
            is_only && operand == Operand::Inst(join.product) && is_wide(sum)
        };
        if let Some(&(.., join)) = found.iter().flatten().find(is_its_own) {
            return Some(join);
        }
        let near = found.map(|found| found.filter(|&(is_near, ..)| is_near).map(|(.., join)| join));
        match near {
            [Some(first), Some(second)] if uses(first.product) > uses(second.product) => Some(second),
            [Some(join), _] | [None, Some(join)] => Some(join),
            [None, None] => {
                found.into_iter().flatten().find(|&(_, is_only, _)| is_only && is_wide(sum)).map(|(.., join)| join)
            }
        }
    };
    let is_sum = |sum: &u32| match func.insts[*sum as usize].op {
        Ir::Bin(BinOp::FAdd | BinOp::FSub, flags) => flags.contract,
        _ => false,
    };
    (0..func.insts.len() as u32).filter(is_sum).filter_map(|sum| Some((sum, join(sum)?))).collect()
}
