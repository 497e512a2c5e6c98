//! What is done with one stack object? Every pointer derived from an alloca, every access through it, or the reason why
//! its address cannot be followed.
//!
//! 1. From the alloca along uses: GEPs, casts between address spaces, phis and selects pass the address on; loads,
//!    stores and memory intrinsics use it; lifetime markers and equality compares are kept aside; anything else means
//!    that the object has to stay a stack object.
//! 2. A phi or select must join pointers into this object only.
//! 3. LLVM's use lists are compared with the uses seen: operand bundles and other uses that the dense picture does not
//!    show are a refusal, so that the alloca can be erased afterwards.
//!
//! Input: outline of the function (loops for weights). Cost: linear in the uses of the address.

use super::{Escape, Unfollowed};
use crate::divergence::Outline;
use crate::entity::{Inst, Value};
use crate::gpu::chip::STATIC_SHARED;
use crate::ir::call::Callee;
use crate::ir::handles::Handles;
use crate::ir::inst::{ConstData, Flags, Opcode};
use crate::ir::types::TypeKind;
use crate::llvm::handle::{AttrPlace, attribute_kind, intrinsic_name};
use rustc_hash::FxHashSet;

/// Most pieces that one memory intrinsic is unrolled into.
const MAX_PIECES: u64 = 512;
/// How an access uses the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Load,
    Store,
    /// `memset` of that many bytes.
    Set,
    /// `memcpy` or `memmove`, the object at either end or both.
    Copy {
        into: bool,
        from: bool,
        overlapping: bool,
    },
}

/// One access through a derived pointer.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub inst: Inst,
    pub kind: AccessKind,
    /// Bytes accessed.
    pub size: u64,
    /// Largest power of two that divides the byte offset into the object and the size.
    pub piece: u64,
}

impl Access {
    /// Whether it writes the object.
    pub fn writes(&self) -> bool {
        !matches!(self.kind, AccessKind::Load | AccessKind::Copy { into: false, .. })
    }
    /// Whether it reads the object.
    pub fn reads(&self) -> bool {
        matches!(self.kind, AccessKind::Load | AccessKind::Copy { from: true, .. })
    }
}

/// A stack object that can be moved.
#[derive(Clone, Debug)]
pub struct Object {
    pub alloca: Inst,
    pub size: u64,
    pub align: u64,
    /// GEPs, casts, phis and selects of the address, in function order.
    pub derived: Vec<Inst>,
    pub accesses: Vec<Access>,
    pub compares: Vec<Inst>,
    pub markers: Vec<Inst>,
}

impl Object {
    /// Width of the pieces it is interleaved by: the narrowest word that loads and stores want.
    pub fn granule(&self) -> u64 {
        let scalar = |access: &&Access| matches!(access.kind, AccessKind::Load | AccessKind::Store);
        let narrowest = self.accesses.iter().filter(scalar).map(|access| access.piece).min();
        narrowest.unwrap_or(4).clamp(4, 16)
    }
    /// The index that keeps the object out of registers: the first variable one in function order.
    pub fn variable_index(&self, outline: &Outline) -> Option<(Inst, Value)> {
        self.derived.iter().find_map(|&inst| {
            let data = &outline.func.insts[inst];
            if data.opcode != Opcode::Gep {
                return None;
            }
            let term = outline.func.gep(inst).terms.first()?;
            Some((inst, outline.func.operands(inst)[term.operand as usize]))
        })
    }
}

/// A stack object, or why its address cannot be followed.
pub type Alloca = (Inst, Result<Object, Unfollowed>);

/// Follows the address of an alloca.
pub fn object_of(outline: &Outline, handles: &Handles<'_>, alloca: Inst) -> Result<Object, Unfollowed> {
    Walk::new(outline, handles, alloca)?.run()
}

struct Walk<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    object: Object,
    /// Derived values, the alloca first.
    pointers: Vec<Inst>,
    known: FxHashSet<Inst>,
    touched: FxHashSet<Inst>,
}

impl<'a, 'm> Walk<'a, 'm> {
    fn new(outline: &'a Outline, handles: &'a Handles<'m>, alloca: Inst) -> Result<Self, Unfollowed> {
        let handle = handles.inst(alloca);
        let layout = handles.function.module().layout();
        let ty = handle.allocated_type();
        let count = handle.operand(0).const_u64();
        if outline.func.insts[alloca].block != outline.func.graph.entry() {
            return Err(Unfollowed::Dynamic);
        }
        let (Some(count), Some(one)) = (count, layout.alloc_size(ty)) else { return Err(Unfollowed::Dynamic) };
        let size = one.saturating_mul(count);
        if size == 0 {
            return Err(Unfollowed::Dynamic);
        }
        if size > STATIC_SHARED {
            return Err(Unfollowed::Huge { size });
        }
        let align = u64::from(outline.func.insts[alloca].align()).max(1);
        let object = Object {
            alloca,
            size,
            align,
            derived: Vec::new(),
            accesses: Vec::new(),
            compares: Vec::new(),
            markers: Vec::new(),
        };
        let (known, touched) = (FxHashSet::from_iter([alloca]), FxHashSet::default());
        Ok(Walk { outline, handles, object, pointers: vec![alloca], known, touched })
    }

    fn run(mut self) -> Result<Object, Unfollowed> {
        let func = &self.outline.func;
        let mut next = 0;
        while let Some(&pointer) = self.pointers.get(next) {
            next += 1;
            let value = func.result(pointer);
            for &user in self.outline.users(value) {
                self.user(value, user)?;
            }
        }
        self.joins()?;
        self.unseen()?;
        self.object.derived = self.pointers[1..].to_vec();
        self.object.derived.sort_unstable();
        self.object.accesses.sort_unstable_by_key(|access| access.inst);
        Ok(self.object)
    }

    fn user(&mut self, pointer: Value, user: Inst) -> Result<(), Unfollowed> {
        let func = &self.outline.func;
        let data = &func.insts[user];
        let first_visit = self.touched.insert(user);
        if !self.outline.is_reachable(data.block) {
            return Err(Unfollowed::Unreachable { at: user });
        }
        let operands = func.operands(user);
        match data.opcode {
            Opcode::Load => self.simple_access(user, AccessKind::Load),
            Opcode::Store if operands[0] == pointer => Err(Unfollowed::Escapes { how: Escape::Stored, at: user }),
            Opcode::Store => self.simple_access(user, AccessKind::Store),
            Opcode::Gep if operands[1..].contains(&pointer) => {
                Err(Unfollowed::Escapes { how: Escape::Other, at: user })
            }
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Phi | Opcode::Select => {
                if !matches!(func.types[data.ty].kind, TypeKind::Ptr { .. }) {
                    return Err(Unfollowed::Escapes { how: Escape::Other, at: user });
                }
                if self.known.insert(user) {
                    self.pointers.push(user);
                }
                Ok(())
            }
            Opcode::ICmp => {
                let equality = crate::ir::inst::Predicate::from_sub(data.sub).is_some_and(|p| p.is_equality());
                if !equality {
                    return Err(Unfollowed::Escapes { how: Escape::Compared, at: user });
                }
                if first_visit {
                    self.object.compares.push(user);
                }
                Ok(())
            }
            Opcode::PtrToInt => Err(Unfollowed::Escapes { how: Escape::Integer, at: user }),
            Opcode::Ret => Err(Unfollowed::Escapes { how: Escape::Returned, at: user }),
            Opcode::AtomicRmw | Opcode::CmpXchg => Err(Unfollowed::Atomic { at: user }),
            Opcode::Call if first_visit => self.call(user),
            Opcode::Call => Ok(()),
            _ => Err(Unfollowed::Escapes { how: Escape::Other, at: user }),
        }
    }

    fn simple_access(&mut self, inst: Inst, kind: AccessKind) -> Result<(), Unfollowed> {
        let func = &self.outline.func;
        let data = &func.insts[inst];
        if data.flags.intersects(Flags::ATOMIC | Flags::VOLATILE) {
            return Err(Unfollowed::Atomic { at: inst });
        }
        let value = if kind == AccessKind::Load { func.result(inst) } else { func.operands(inst)[0] };
        let info = func.type_info(value);
        let size = info.store_size;
        let bits = match info.kind {
            TypeKind::Int(bits) | TypeKind::Float(bits) | TypeKind::Ptr { bits, .. } => u64::from(bits),
            TypeKind::Vector { element_bits, length, .. } => u64::from(element_bits) * u64::from(length),
            _ => 0,
        };
        let align = u64::from(data.align()).max(1).min(self.object.align);
        let piece = align.min(lowest_bit(size)).min(16);
        // in one piece any type will do; in several, its bits must be its bytes
        if size == 0 || bits == 0 || (piece < size && bits != size * 8) {
            return Err(Unfollowed::OddType { at: inst });
        }
        self.object.accesses.push(Access { inst, kind, size, piece });
        Ok(())
    }

    fn call(&mut self, call: Inst) -> Result<(), Unfollowed> {
        let func = &self.outline.func;
        let escape = |how| Err(Unfollowed::Escapes { how, at: call });
        let Callee::Intrinsic(id) = func.call(call).callee else { return escape(Escape::Passed) };
        let name = intrinsic_name(id);
        if name.starts_with("llvm.lifetime.") {
            self.object.markers.push(call);
            return Ok(());
        }
        let is_set = name == "llvm.memset";
        let overlapping = name == "llvm.memmove";
        if !is_set && !overlapping && name != "llvm.memcpy" {
            return escape(Escape::Passed);
        }
        let operands = func.operands(call);
        let constant = |value: Value| match func.constant(value) {
            Some(ConstData::Int(number)) => Some(number),
            _ => None,
        };
        if constant(operands[3]) != Some(0) {
            return Err(Unfollowed::Atomic { at: call });
        }
        let Some(size) = constant(operands[2]) else { return Err(Unfollowed::UnknownLength { at: call }) };
        let is_derived = |value: Value| func.def(value).is_some_and(|def| self.known.contains(&def));
        let (into, from) = (is_derived(operands[0]), !is_set && is_derived(operands[1]));
        let align = attribute_kind("align");
        let handle = self.handles.inst(call);
        let written = |index| handle.int_call_attribute(AttrPlace::Param(index), align).unwrap_or(1);
        let mut piece = lowest_bit(size).min(16);
        if is_set || into {
            piece = piece.min(written(0).min(self.object.align));
        }
        if !is_set {
            piece = piece.min(written(1)).min(written(0));
            if from {
                piece = piece.min(self.object.align);
            }
        }
        if size / piece > MAX_PIECES {
            return Err(Unfollowed::LongCopy { size, at: call });
        }
        let kind = if is_set { AccessKind::Set } else { AccessKind::Copy { into, from, overlapping } };
        if size > 0 {
            self.object.accesses.push(Access { inst: call, kind, size, piece });
        } else {
            self.object.markers.push(call);
        }
        Ok(())
    }

    /// Phis, selects and compares see pointers into this object only; copies know all their ends.
    fn joins(&mut self) -> Result<(), Unfollowed> {
        let func = &self.outline.func;
        let known = &self.known;
        let is_derived = |value: Value| func.def(value).is_some_and(|def| known.contains(&def));
        for &inst in self.pointers.iter().chain(&self.object.compares) {
            let operands = func.operands(inst);
            let inputs = match func.insts[inst].opcode {
                Opcode::Phi | Opcode::ICmp => operands,
                Opcode::Select => &operands[1..],
                _ => continue,
            };
            if !inputs.iter().all(|&input| is_derived(input)) {
                return Err(Unfollowed::Mixed { at: inst });
            }
        }
        for access in &mut self.object.accesses {
            if let AccessKind::Copy { into, from, .. } = &mut access.kind {
                let operands = func.operands(access.inst);
                (*into, *from) = (is_derived(operands[0]), is_derived(operands[1]));
                access.piece = access.piece.min(self.object.align);
            }
        }
        Ok(())
    }

    /// Uses that the dense picture does not show.
    fn unseen(&self) -> Result<(), Unfollowed> {
        let touched: FxHashSet<usize> =
            self.touched.iter().map(|&inst| self.handles.inst(inst).value().address()).collect();
        for &pointer in &self.pointers {
            let users = self.handles.inst(pointer).value().users();
            for user in users {
                let hidden = match user.as_inst() {
                    None => true,
                    Some(_) if !touched.contains(&user.address()) => true,
                    // a touched call could name the address in a bundle as well
                    Some(call) if call.opcode() == crate::llvm::handle::RawOpcode::LLVMCall => (call.argument_count()
                        ..call.operand_count() - 1)
                        .any(|index| call.operand(index) == self.handles.inst(pointer).value()),
                    Some(_) => false,
                };
                if hidden {
                    return Err(Unfollowed::Escapes { how: Escape::Other, at: pointer });
                }
            }
        }
        Ok(())
    }
}

/// The largest power of two that divides a size; one for zero.
fn lowest_bit(size: u64) -> u64 {
    if size == 0 { 1 } else { 1 << size.trailing_zeros() }
}
