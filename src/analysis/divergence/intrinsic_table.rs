//! Which rule applies to each intrinsic that a module declares? Names are looked up once, after that only LLVM's
//! numbers are used.

use super::intrinsics::{LaneRule, classify};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};
use warpwise_ir::import::AttributeKinds;
use warpwise_ir::llvm::handle::{self, intrinsic_name};

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

/// Number of recently asked intrinsics whose rules are kept.
const RECENT: usize = 64;

/// The class of an intrinsic, and its rule if it is target-independent.
type IntrinsicRule = (LaneRule, Option<Arithmetic>);

/// The rules of the intrinsics that a module declares. What is asked of declarations is looked up when it is asked: a
/// kernel calls few of them.
pub struct IntrinsicTable<'m> {
    module: handle::Module<'m>,
    /// What was found last, by the low bits of LLVM's number.
    recent: [Cell<Option<(u32, IntrinsicRule)>>; RECENT],
    /// Those of the intrinsics asked for that access no memory and are not convergent.
    pure: RefCell<FxHashMap<u32, bool>>,
    /// LLVM's number of `llvm.assume`, if it is declared.
    assume: OnceCell<Option<u32>>,
    /// The register `tid.z` is declared.
    has_depth: OnceCell<bool>,
}

/// The rules of an intrinsic, if it is not pure and if it is. Looked up by name once per thread: LLVM's numbers do not
/// change.
fn rules_of(id: u32) -> [IntrinsicRule; 2] {
    thread_local! {
        static KNOWN: RefCell<FxHashMap<u32, [IntrinsicRule; 2]>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        *known.entry(id).or_insert_with(|| {
            let name = intrinsic_name(id);
            [false, true].map(|pure| (classify(&name, pure), Arithmetic::of(&name)))
        })
    })
}

/// The class of an intrinsic by LLVM's number; `pure` if it accesses no memory and is not convergent.
pub fn class_of_intrinsic(id: u32, pure: bool) -> LaneRule {
    rules_of(id)[usize::from(pure)].0
}

impl<'m> IntrinsicTable<'m> {
    /// Reads nothing yet.
    pub fn new(module: handle::Module<'m>) -> IntrinsicTable<'m> {
        IntrinsicTable {
            module,
            recent: std::array::from_fn(|_| Cell::new(None)),
            pure: RefCell::default(),
            assume: OnceCell::new(),
            has_depth: OnceCell::new(),
        }
    }
    #[inline]
    fn rule(&self, id: u32) -> IntrinsicRule {
        let recent = &self.recent[id as usize % RECENT];
        match recent.get() {
            Some((known, rule)) if known == id => rule,
            _ => {
                let rule = self.look_up(id);
                recent.set(Some((id, rule)));
                rule
            }
        }
    }
    #[cold]
    fn look_up(&self, id: u32) -> IntrinsicRule {
        let [impure, pure] = rules_of(id);
        if pure == impure || self.is_pure(id) { pure } else { impure }
    }
    /// Whether the module declares that an intrinsic accesses no memory and is not convergent.
    fn is_pure(&self, id: u32) -> bool {
        *self.pure.borrow_mut().entry(id).or_insert_with(|| {
            let AttributeKinds { memory, convergent, .. } = *AttributeKinds::get();
            let place = handle::AttrPlace::Function;
            let declared = self.module.functions().find(|function| function.intrinsic_id() == id);
            declared.is_some_and(|function| {
                function.int_attribute(place, memory) == Some(0) && !function.has_attribute(place, convergent)
            })
        })
    }
    /// The class of an intrinsic.
    pub fn class(&self, id: u32) -> LaneRule {
        self.rule(id).0
    }
    /// The rule of a target-independent intrinsic.
    pub fn arithmetic(&self, id: u32) -> Option<Arithmetic> {
        self.rule(id).1
    }
    /// Whether it returns its pointer operand, moved at most within the same object.
    pub fn returns_its_pointer(&self, id: u32) -> bool {
        self.arithmetic(id) == Some(Arithmetic::Identity)
    }
    /// LLVM's number of `llvm.assume`, if the module declares it.
    pub fn assume(&self) -> Option<u32> {
        *self.assume.get_or_init(|| self.module.function("llvm.assume").map(|function| function.intrinsic_id()))
    }
    /// Whether the module reads `tid.z`, without which there is no flat index of a thread.
    pub(super) fn has_depth(&self) -> bool {
        *self.has_depth.get_or_init(|| self.module.function("llvm.nvvm.read.ptx.sreg.tid.z").is_some())
    }
}
