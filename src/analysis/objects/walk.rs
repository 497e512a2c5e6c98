//! How is one stack object used? Every pointer derived from an alloca and every access through it, or the reason why its
//! address cannot be followed.
//!
//! 1. The walk follows uses of the address. GEPs, casts between address spaces, phis and selects pass it on; loads,
//!    stores and memory intrinsics access the object; lifetime markers are recorded. Any other use means that the object
//!    must stay where it is.
//! 2. A phi or select may only join pointers into this object, unless the object is asked for as it is read
//!    ([`joined_object`]): a constant of the program may share its readers with other memory.
//! 3. LLVM's use lists are compared with the uses found. Operand bundles and other uses that the snapshot does not show
//!    are a refusal, so that the alloca can be erased afterwards.
//!
//! Input: outline of the function. Cost: linear in the uses of the address.

use super::{Escape, Unfollowed};
use crate::divergence::Outline;
use crate::gpu::chip::STATIC_SHARED;
use rustc_hash::FxHashSet;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle::{self, AttrPlace, RawOpcode, attribute_kind, intrinsic_name};
use warpwise_ir::types::TypeKind;

/// Maximum number of pieces into which one memory intrinsic is expanded.
const MAX_PIECES: u64 = 512;
/// How an access uses the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Load,
    Store,
    /// `memset` of this many bytes.
    Set,
    /// `memcpy` or `memmove` with the object as source, destination or both.
    Copy {
        into: bool,
        from: bool,
        overlapping: bool,
    },
}

/// One access through a derived pointer.
#[derive(Clone, Copy, Debug)]
pub struct ObjectAccess {
    pub inst: Inst,
    pub kind: AccessKind,
    /// Number of bytes accessed.
    pub size: u64,
    /// Largest power of two that divides the byte offset into the object and the size.
    pub piece: u64,
}

impl ObjectAccess {
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
    /// Its address: the result of an alloca.
    pub address: Value,
    pub size: u64,
    pub align: u64,
    /// GEPs, casts, phis and selects of the address, in function order.
    pub derived: Vec<Inst>,
    pub accesses: Vec<ObjectAccess>,
    /// Lifetime markers and copies of no bytes.
    pub markers: Vec<Inst>,
    /// Whether phis or selects choose between its address and that of other memory; its accesses are then accesses of
    /// that memory too.
    pub is_joined: bool,
}

impl Object {
    /// Width in bytes of the granules in which it is interleaved: the narrowest word that loads and stores need.
    pub fn granule(&self) -> u64 {
        let scalar = |access: &&ObjectAccess| matches!(access.kind, AccessKind::Load | AccessKind::Store);
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

/// The address of a stack object, and how it is used or why it cannot be followed.
pub type StackObject = (Value, Result<Object, Unfollowed>);

/// The stack objects of a function, in function order.
pub fn stack_objects(outline: &Outline, handles: &Handles<'_>) -> Vec<StackObject> {
    let func = &outline.func;
    let allocas =
        func.insts.iter().filter(|(_, data)| data.opcode == Opcode::Alloca).map(|(inst, _)| func.result(inst));
    let follow = |address| (address, AddressWalk::new(outline, handles, address).and_then(|walk| walk.run(false)));
    allocas.map(follow).collect()
}

/// A stack object whose address phis and selects may join with that of other memory.
pub fn joined_object(outline: &Outline, handles: &Handles<'_>, address: Value) -> Option<Object> {
    AddressWalk::new(outline, handles, address).and_then(|walk| walk.run(true)).ok()
}

struct AddressWalk<'a, 'm> {
    outline: &'a Outline,
    handles: &'a Handles<'m>,
    object: Object,
    /// Instructions whose results are derived from the address.
    pointers: Vec<Inst>,
    known: FxHashSet<Value>,
    touched: FxHashSet<Inst>,
}

impl<'a, 'm> AddressWalk<'a, 'm> {
    fn new(outline: &'a Outline, handles: &'a Handles<'m>, address: Value) -> Result<Self, Unfollowed> {
        let found = outline.func.def(address).and_then(|alloca| alloca_size(outline, handles, alloca));
        let (size, align) = found.filter(|&(size, _)| size > 0).ok_or(Unfollowed::Dynamic)?;
        if size > STATIC_SHARED {
            return Err(Unfollowed::Huge { size });
        }
        let object = Object {
            address,
            size,
            align,
            derived: Vec::new(),
            accesses: Vec::new(),
            markers: Vec::new(),
            is_joined: false,
        };
        let (known, touched) = (FxHashSet::from_iter([address]), FxHashSet::default());
        Ok(AddressWalk { outline, handles, object, pointers: Vec::new(), known, touched })
    }

    fn run(mut self, may_be_joined: bool) -> Result<Object, Unfollowed> {
        let mut next = Some(self.object.address);
        let mut done = 0;
        while let Some(pointer) = next {
            for &user in self.outline.users(pointer) {
                self.user(pointer, user)?;
            }
            next = self.pointers.get(done).map(|&inst| self.outline.func.result(inst));
            done += 1;
        }
        self.joins(may_be_joined)?;
        self.unseen()?;
        self.object.derived = self.pointers;
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
        let escape = |how| Err(Unfollowed::Escapes { how, at: user });
        match data.opcode {
            Opcode::Load => self.simple_access(user, AccessKind::Load),
            Opcode::Store if operands[0] == pointer => escape(Escape::Stored),
            Opcode::Store => self.simple_access(user, AccessKind::Store),
            Opcode::Gep if operands[1..].contains(&pointer) => escape(Escape::Other),
            Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Phi | Opcode::Select => {
                if !matches!(func.types[data.ty].kind, TypeKind::Ptr { .. }) {
                    return escape(Escape::Other);
                }
                if self.known.insert(func.result(user)) {
                    self.pointers.push(user);
                }
                Ok(())
            }
            Opcode::ICmp => escape(Escape::Compared),
            Opcode::PtrToInt => escape(Escape::Integer),
            Opcode::Ret => escape(Escape::Returned),
            Opcode::AtomicRmw | Opcode::CmpXchg => Err(Unfollowed::Atomic { at: user }),
            Opcode::Call if first_visit => self.call(user),
            Opcode::Call => Ok(()),
            _ => escape(Escape::Other),
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
        // accessed in one piece, any type will do; in several, its bits must be its bytes
        if size == 0 || bits == 0 || (piece < size && bits != size * 8) {
            return Err(Unfollowed::OddType { at: inst });
        }
        self.object.accesses.push(ObjectAccess { inst, kind, size, piece });
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
        if func.int_constant(operands[3]) != Some(0) {
            return Err(Unfollowed::Atomic { at: call });
        }
        let Some(size) = func.int_constant(operands[2]) else { return Err(Unfollowed::UnknownLength { at: call }) };
        let is_derived = |value: Value| self.known.contains(&value);
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
            self.object.accesses.push(ObjectAccess { inst: call, kind, size, piece });
        } else {
            self.object.markers.push(call);
        }
        Ok(())
    }

    /// Checks that phis and selects see pointers into this object only, or notes that they do not, and determines which ends of copies are in the object.
    fn joins(&mut self, may_be_joined: bool) -> Result<(), Unfollowed> {
        let func = &self.outline.func;
        let known = &self.known;
        let is_derived = |value: Value| known.contains(&value);
        for &inst in &self.pointers {
            let operands = func.operands(inst);
            let inputs = match func.insts[inst].opcode {
                Opcode::Phi => operands,
                Opcode::Select => &operands[1..],
                _ => continue,
            };
            if !inputs.iter().all(|&input| is_derived(input)) {
                if !may_be_joined {
                    return Err(Unfollowed::Mixed { at: inst });
                }
                self.object.is_joined = true;
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

    /// Checks for uses that the snapshot does not show.
    fn unseen(&self) -> Result<(), Unfollowed> {
        let touched: FxHashSet<usize> =
            self.touched.iter().map(|&inst| self.handles.inst(inst).value().address()).collect();
        let is_hidden = |pointer: handle::Value<'_>, user: handle::Value<'_>| match user.as_inst() {
            None => true,
            Some(_) if !touched.contains(&user.address()) => true,
            // a call that uses the address may also mention it in an operand bundle
            Some(call) if call.opcode() == RawOpcode::LLVMCall => {
                (call.argument_count()..call.operand_count() - 1).any(|index| call.operand(index) == pointer)
            }
            Some(_) => false,
        };
        let func = &self.outline.func;
        let addresses = std::iter::once(self.object.address).chain(self.pointers.iter().map(|&inst| func.result(inst)));
        for address in addresses {
            let pointer = self.handles.value(address);
            if pointer.users().any(|user| is_hidden(pointer, user)) {
                let at = func.def(address).or_else(|| self.outline.users(address).first().copied());
                return Err(at.map_or(Unfollowed::Dynamic, |at| Unfollowed::Escapes { how: Escape::Other, at }));
            }
        }
        Ok(())
    }
}

/// Size and alignment in bytes of a stack object that is allocated once, at entry.
fn alloca_size(outline: &Outline, handles: &Handles<'_>, alloca: Inst) -> Option<(u64, u64)> {
    let data = &outline.func.insts[alloca];
    let handle = handles.inst(alloca);
    let one = handles.function.module().layout().alloc_size(handle.allocated_type())?;
    let size = one.saturating_mul(handle.operand(0).const_u64()?);
    (data.block == outline.func.graph.entry()).then_some((size, u64::from(data.align()).max(1)))
}

/// The largest power of two that divides a size; one for zero.
fn lowest_bit(size: u64) -> u64 {
    if size == 0 { 1 } else { 1 << size.trailing_zeros() }
}
