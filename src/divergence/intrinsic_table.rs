//! Which rule applies to each intrinsic that a module declares? Names are looked up once, after that only LLVM's
//! numbers are used.

use super::intrinsics::{LaneRule, classify};
use crate::affine::Base;
use crate::ir::import::{AttributeKinds, ModuleContext};
use crate::llvm::handle::{self, intrinsic_name};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Target-independent intrinsics with rules of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    UMin,
    UMax,
    SMin,
    SMax,
    Abs,
    /// ctpop, ctlz, cttz: at most the width.
    BitCount,
    /// Checked add, sub, mul: member 0 is the wrapped result.
    CheckedAdd,
    CheckedSub,
    CheckedMul,
    /// Returns operand 0 unchanged.
    Identity,
}

impl Arithmetic {
    /// The rule for a name without overload suffixes.
    pub fn of(name: &str) -> Option<Arithmetic> {
        Some(match name {
            "llvm.umin" => Arithmetic::UMin,
            "llvm.umax" => Arithmetic::UMax,
            "llvm.smin" => Arithmetic::SMin,
            "llvm.smax" => Arithmetic::SMax,
            "llvm.abs" => Arithmetic::Abs,
            "llvm.ctpop" | "llvm.ctlz" | "llvm.cttz" => Arithmetic::BitCount,
            "llvm.uadd.with.overflow" | "llvm.sadd.with.overflow" => Arithmetic::CheckedAdd,
            "llvm.usub.with.overflow" | "llvm.ssub.with.overflow" => Arithmetic::CheckedSub,
            "llvm.umul.with.overflow" | "llvm.smul.with.overflow" => Arithmetic::CheckedMul,
            "llvm.expect"
            | "llvm.expect.with.probability"
            | "llvm.ssa.copy"
            | "llvm.annotation"
            | "llvm.ptr.annotation"
            | "llvm.launder.invariant.group"
            | "llvm.strip.invariant.group"
            | "llvm.arithmetic.fence" => Arithmetic::Identity,
            _ => return None,
        })
    }
}

/// The class of an intrinsic, its rule if it is target-independent, and whether it is `llvm.assume`.
type IntrinsicRule = (LaneRule, Option<Arithmetic>, bool);

/// The rules of the intrinsics that a module declares.
#[derive(Default)]
pub struct IntrinsicTable {
    entries: FxHashMap<u32, IntrinsicRule>,
    /// `llvm.assume` is declared.
    has_assume: bool,
    /// The register `tid.z` is declared.
    has_depth: bool,
}

/// Looked up by name once per thread: LLVM's numbers do not change.
fn rule_of(id: u32, pure: bool) -> IntrinsicRule {
    thread_local! {
        static KNOWN: RefCell<FxHashMap<(u32, bool), IntrinsicRule>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        *known.entry((id, pure)).or_insert_with(|| {
            let name = intrinsic_name(id);
            (classify(&name, pure), Arithmetic::of(&name), name == "llvm.assume")
        })
    })
}

/// The class of an intrinsic by LLVM's number; `pure` if it accesses no memory and is not convergent.
pub fn class_of_intrinsic(id: u32, pure: bool) -> LaneRule {
    rule_of(id, pure).0
}

impl IntrinsicTable {
    pub(super) fn new(context: &ModuleContext<'_>) -> IntrinsicTable {
        let AttributeKinds { memory, convergent, .. } = *AttributeKinds::get();
        let mut entries = FxHashMap::with_capacity_and_hasher(16, Default::default());
        for function in context.module.functions() {
            let id = function.intrinsic_id();
            if id == 0 {
                continue;
            }
            let place = handle::AttrPlace::Function;
            let pure = function.int_attribute(place, memory) == Some(0) && !function.has_attribute(place, convergent);
            entries.entry(id).or_insert_with(|| rule_of(id, pure));
        }
        let has_assume = entries.values().any(|entry| entry.2);
        let has_depth = entries.values().any(|entry| entry.0 == LaneRule::Index(Base::TidZ));
        IntrinsicTable { entries, has_assume, has_depth }
    }
    /// The class of an intrinsic.
    pub fn class(&self, id: u32) -> LaneRule {
        self.entries.get(&id).map_or(LaneRule::Divergent, |entry| entry.0)
    }
    /// The rule of a target-independent intrinsic.
    pub fn arithmetic(&self, id: u32) -> Option<Arithmetic> {
        self.entries.get(&id).and_then(|entry| entry.1)
    }
    /// Whether it reads a special register, so that its result is never undef or poison.
    pub fn is_register(&self, id: u32) -> bool {
        matches!(
            self.class(id),
            LaneRule::Index(_) | LaneRule::BlockSize(_) | LaneRule::Register { .. } | LaneRule::Number(_)
        )
    }
    /// Whether it returns its pointer operand, moved at most within the same object.
    pub fn returns_its_pointer(&self, id: u32) -> bool {
        self.arithmetic(id) == Some(Arithmetic::Identity)
    }
    /// Whether the module declares `llvm.assume`.
    pub fn has_assume(&self) -> bool {
        self.has_assume
    }
    /// Whether the module reads `tid.z`, without which there is no flat index of a thread.
    pub(super) fn has_depth(&self) -> bool {
        self.has_depth
    }
    pub(super) fn is_assume(&self, id: u32) -> bool {
        self.entries.get(&id).is_some_and(|entry| entry.2)
    }
}
