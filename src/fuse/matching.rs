//! Which instructions can be melded into one, and which operands must be selected?
//!
//! A *shape* is everything that two instructions must have in common: opcode, types, and whatever cannot be selected.
//! Shapes are numbered, so that comparing two instructions means comparing two numbers. Within a shape:
//!
//! | first | second | melded |
//! |---|---|---|
//! | same opcode | | the opcode, operands selected |
//! | commutative | commutative | in the order that needs fewer selects |
//! | `a < b` | `c > d` | `a\|d < b\|c` |
//! | sign extension | zero extension of a non-negative value | sign extension |
//! | load, store | same type and pointer type | through a selected address |
//! | call | same callee | selected arguments, unless an argument must be constant |
//!
//! Addresses are only selected if that does not hide what the back end knows: an access known to be in one address
//! space is not melded with one known to be in another, and the address of a stack object is never selected, since that
//! would keep the object in memory. As long as LLVM is still to find out what loads return, accesses to different
//! members of one object stay apart, too: one to either hides what is in both.
//!
//! Cost: linear for numbering the shapes; constant for a pair.

use super::legality::{self, Kinds};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{ConstData, Flags, Opcode, Predicate};
use warpwise_ir::llvm::edit::fuse::call_convention;
use warpwise_ir::llvm::handle::{AttrPlace, RealPredicate, TypeKind};
use warpwise_ir::{Func, types};

/// How the operands of the second instruction correspond to those of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct How {
    /// The first two operands of the second instruction are exchanged.
    pub swap: bool,
}

/// Numbers of the shapes of a function's instructions; [`Shapes::NONE`] matches nothing.
#[derive(Default)]
pub struct Shapes {
    numbers: FxHashMap<SmallVec<[usize; 6]>, u32>,
    known: FxHashMap<Inst, u32>,
}

impl Shapes {
    /// Shape number of instructions that match nothing.
    pub const NONE: u32 = 0;

    /// The shape of an instruction.
    pub fn of(&mut self, func: &Func, handles: &Handles<'_>, kinds: &Kinds, inst: Inst) -> u32 {
        if let Some(&known) = self.known.get(&inst) {
            return known;
        }
        let next = self.numbers.len() as u32 + 1;
        let number = match shape(func, handles, kinds, inst) {
            Some(key) => *self.numbers.entry(key).or_insert(next),
            None => Shapes::NONE,
        };
        self.known.insert(inst, number);
        number
    }
}

fn shape(func: &Func, handles: &Handles<'_>, kinds: &Kinds, inst: Inst) -> Option<SmallVec<[usize; 6]>> {
    let data = &func.insts[inst];
    let llvm = handles.inst(inst);
    let opcode = match data.opcode {
        // the operand is not negative
        Opcode::ZExt if data.flags.contains(Flags::NNEG) => Opcode::SExt,
        opcode => opcode,
    };
    // opcodes that the snapshot groups together are distinguished by LLVM's number
    let raw = match opcode {
        Opcode::SExt => 0,
        _ => llvm.opcode() as usize,
    };
    let mut key: SmallVec<[usize; 6]> = SmallVec::from_slice(&[opcode as usize, raw, llvm.ty().address()]);
    let operand_types = |key: &mut SmallVec<[usize; 6]>| {
        key.extend(func.operands(inst).iter().map(|&operand| handles.value(operand).ty().address()));
    };
    match opcode {
        Opcode::Phi | Opcode::Alloca | Opcode::Other => return None,
        _ if opcode.is_terminator() => return None,
        Opcode::ICmp => {
            let predicate = Predicate::from_sub(data.sub)?;
            key.push((predicate as usize).min(predicate.swapped() as usize));
            operand_types(&mut key);
        }
        Opcode::FCmp => {
            let predicate = llvm.real_predicate();
            key.push((predicate as usize).min(swapped(predicate) as usize));
            operand_types(&mut key);
        }
        Opcode::Gep => {
            key.push(llvm.value().gep_source_type().address());
            operand_types(&mut key);
            // indices after the first may select struct fields and must then be constants
            key.extend(func.operands(inst).iter().skip(2).map(|&index| handles.value(index).address()));
        }
        Opcode::ExtractValue | Opcode::InsertValue => {
            operand_types(&mut key);
            key.extend(llvm.indices().iter().map(|&index| index as usize));
        }
        Opcode::ShuffleVector => {
            operand_types(&mut key);
            key.extend(llvm.shuffle_mask().iter().map(|&index| index as usize));
        }
        Opcode::Call => {
            if legality::is_dropped(func, kinds, inst) {
                return None;
            }
            let callee = llvm.called_function()?;
            key.extend([callee.value().address(), call_convention(llvm) as usize, llvm.argument_count() as usize]);
            operand_types(&mut key);
            for index in 0..callee.param_count() {
                let operand = llvm.operand(index);
                let fixed = callee.has_attribute(AttrPlace::Param(index), kinds.immarg)
                    || matches!(operand.ty().kind(), TypeKind::LLVMMetadataTypeKind | TypeKind::LLVMTokenTypeKind);
                if fixed {
                    key.push(operand.address());
                }
            }
        }
        _ => operand_types(&mut key),
    }
    Some(key)
}

/// A floating-point predicate with its operands exchanged.
fn swapped(predicate: RealPredicate) -> RealPredicate {
    use RealPredicate::*;
    match predicate {
        LLVMRealOGT => LLVMRealOLT,
        LLVMRealOLT => LLVMRealOGT,
        LLVMRealOGE => LLVMRealOLE,
        LLVMRealOLE => LLVMRealOGE,
        LLVMRealUGT => LLVMRealULT,
        LLVMRealULT => LLVMRealUGT,
        LLVMRealUGE => LLVMRealULE,
        LLVMRealULE => LLVMRealUGE,
        other => other,
    }
}

/// The ways to meld two instructions of one shape, beginning with the one that exchanges nothing.
pub fn ways(func: &Func, handles: &Handles<'_>, [t, f]: [Inst; 2]) -> SmallVec<[How; 2]> {
    let straight = How::default();
    let crossed = How { swap: true };
    let (a, b) = (&func.insts[t], &func.insts[f]);
    let mut ways = SmallVec::new();
    match a.opcode {
        Opcode::Add | Opcode::Mul | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::FAdd | Opcode::FMul => {
            ways.extend([straight, crossed]);
        }
        Opcode::ICmp => {
            let symmetric = Predicate::from_sub(a.sub).is_some_and(Predicate::is_equality);
            if a.sub == b.sub {
                ways.push(straight);
            }
            if a.sub != b.sub || symmetric {
                ways.push(crossed);
            }
        }
        Opcode::FCmp => {
            if a.sub == b.sub {
                ways.push(straight);
            }
            if swapped(handles.inst(t).real_predicate()) == handles.inst(f).real_predicate() {
                ways.push(crossed);
            }
        }
        Opcode::Call => {
            ways.push(straight);
            let name = handles.inst(t).called_function().map(|callee| callee.name()).unwrap_or_default();
            const COMMUTATIVE: [&str; 9] = [
                "llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.maxnum.", "llvm.minnum.", "llvm.fma.",
                "llvm.maximum.", "llvm.minimum.",
            ];
            if COMMUTATIVE.iter().any(|prefix| name.starts_with(prefix)) {
                ways.push(crossed);
            }
        }
        _ => ways.push(straight),
    }
    ways
}

/// The operands of two instructions that are melded in this way, position by position.
pub fn operand_pairs(func: &Func, [t, f]: [Inst; 2], how: How) -> impl Iterator<Item = [Value; 2]> {
    let (first, second) = (func.operands(t), func.operands(f));
    (0..first.len().min(second.len())).map(move |position| {
        let mut there = position;
        if how.swap && position < 2 {
            there = 1 - position;
        }
        [first[position], second[there]]
    })
}

/// Whether a select can choose between the values of an operand if they differ.
pub fn selectable(func: &Func, values: [Value; 2]) -> bool {
    match func.type_info(values[0]).kind {
        types::TypeKind::Other => false, // metadata, tokens, labels
        types::TypeKind::Ptr { .. } => {
            let [one, other] = values.map(|pointer| points_to(func, pointer));
            one == other && one != PointsTo::Stack
        }
        _ => true,
    }
}

/// What is known about where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PointsTo {
    Stack,
    Space(u32),
    Unknown,
}

fn points_to(func: &Func, mut pointer: Value) -> PointsTo {
    // chains of address arithmetic are short
    for _ in 0..16 {
        if let Some(space @ 1..) = func.type_info(pointer).kind.space() {
            return if space == 5 { PointsTo::Stack } else { PointsTo::Space(space) };
        }
        let Some(def) = func.def(pointer) else {
            return match func.constant(pointer) {
                Some(ConstData::Address(global)) => PointsTo::Space(global.space),
                _ => PointsTo::Unknown,
            };
        };
        match func.insts[def].opcode {
            Opcode::Alloca => return PointsTo::Stack,
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze => pointer = func.operands(def)[0],
            _ => return PointsTo::Unknown,
        }
    }
    PointsTo::Unknown
}

/// Whether two loads or stores access different members of one object, a constant number of bytes apart.
pub fn are_neighbours(func: &Func, insts: [Inst; 2]) -> bool {
    let member = |inst: Inst| Some(func.without_offset(func.accessed(inst)?));
    let [first, second] = insts.map(member);
    first.zip(second).is_some_and(|(first, second)| first.0 == second.0 && first.1 != second.1)
}

/// What a block executes besides its phis and its terminator.
pub fn computations(func: &Func, block: Block) -> impl Iterator<Item = Inst> + '_ {
    func.block_insts(block).filter(|&inst| {
        let opcode = func.insts[inst].opcode;
        opcode != Opcode::Phi && !opcode.is_terminator()
    })
}

/// Instructions of a block that take part in melding: no phis, no terminator, no hints.
pub fn body(func: &Func, kinds: &Kinds, block: Block) -> Vec<Inst> {
    computations(func, block).filter(|&inst| !legality::is_dropped(func, kinds, inst)).collect()
}
