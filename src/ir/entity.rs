//! Which indices identify the parts of a function? `u32` newtypes, dense from zero, in the order of the function.
//!
//! They are transparent, because the walker of `llvm::walk` writes them.

use cranelift_entity::entity_impl;

/// A basic block; the entry is block 0, the rest in function order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Block(u32);
entity_impl!(Block, "bb");

/// An instruction, in function order: block after block, top to bottom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A value: arguments first, then one for every instruction (void ones too), then constants and globals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// A type, interned per function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Type(u32);
entity_impl!(Type, "ty");
