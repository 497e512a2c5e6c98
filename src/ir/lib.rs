//! How is a function represented for the analysis? As dense arrays with `u32` indices.
//!
//! [`import`] walks an LLVM function once. Blocks, instructions and values are numbered in function order, operands are
//! in one pool, constants and types are interned. Everything after the import works on these arrays; only
//! [`handles::Handles`] leads back to LLVM.

#[cfg(all(feature = "llvm22", feature = "llvm23"))]
compile_error!("one LLVM at a time: `--no-default-features --features llvm23`");
#[cfg(feature = "llvm22")]
extern crate llvm_sys_22 as llvm_sys;
#[cfg(all(feature = "llvm23", not(feature = "llvm22")))]
extern crate llvm_sys_23 as llvm_sys;

pub mod asm;
pub mod call;
mod constant;
pub mod entity;
pub mod geometry;
pub mod graph;
pub mod handles;
pub mod import;
pub mod inst;
pub mod launch_table;
pub mod llvm;
pub mod logic;
pub mod memory;
pub mod names;
pub mod phrase;
mod scratch;
pub mod source;
pub mod types;
pub mod users;

use crate::entity::{Block, Inst, Type, Value};
use crate::geometry::Geometry;
use crate::graph::Graph;
use crate::inst::BlockData;
pub use crate::inst::ParamData;
use call::{CallData, Callee};
use cranelift_entity::{EntityRef, PrimaryMap};
use inst::{ConstData, Flags, Gep, GepData, GepTerm, InstData, Opcode};
use types::{TypeInfo, TypeKind};

/// One function as arrays.
pub struct Func {
    /// An entry point that the host launches.
    pub is_kernel: bool,
    pub params: Vec<ParamData>,
    pub blocks: PrimaryMap<Block, BlockData>,
    pub insts: PrimaryMap<Inst, InstData>,
    /// Operand pool, see [`Func::operands`].
    pub pool: Vec<Value>,
    /// Incoming blocks of phis, parallel to their operands, see [`Func::incoming`].
    pub phi_blocks: Vec<Block>,
    pub types: PrimaryMap<Type, TypeInfo>,
    pub consts: Vec<(ConstData, Type)>,
    pub geps: Vec<GepData>,
    pub gep_terms: Vec<GepTerm>,
    pub calls: Vec<CallData>,
    pub asms: Vec<asm::Program>,
    /// Whether some constant is undefined, or partly.
    pub has_undefined: bool,

    /// Control flow between blocks.
    pub graph: Graph,
    /// What the function's attributes say about its launches.
    pub geometry: Geometry,
    pub param_count: u32,
}

impl Func {
    /// The value of formal argument `index`.
    pub fn param(&self, index: u32) -> Value {
        debug_assert!(index < self.param_count);
        Value::from_u32(index)
    }
    /// Which formal argument a value is.
    pub fn as_param(&self, value: Value) -> Option<u32> {
        (value.as_u32() < self.param_count).then_some(value.as_u32())
    }
    /// Whether a value is what a kernel was launched with: an argument, or a part of one that is passed as a structure.
    pub fn is_passed(&self, value: Value) -> bool {
        match self.def(value) {
            Some(def) => self.is_plain_load(def) && self.is_argument_member(self.operands(def)[0]),
            None => self.as_param(value).is_some_and(|index| !self.params[index as usize].byval),
        }
    }
    /// Whether an address is in a structure that the function takes by value.
    pub fn is_in_byval(&self, address: Value) -> bool {
        self.as_param(self.pointer_root(address)).is_some_and(|index| self.params[index as usize].byval)
    }
    /// Whether an address is in a structure that is passed to a kernel by value, which the kernel does not change.
    pub fn is_argument_member(&self, mut pointer: Value) -> bool {
        while let Some(def) = self.def(pointer) {
            match self.insts[def].opcode {
                Opcode::Gep if self.gep(def).terms.is_empty() => pointer = self.operands(def)[0],
                Opcode::AddrSpaceCast => pointer = self.operands(def)[0],
                _ => return false,
            }
        }
        let param = self.as_param(pointer).map(|index| self.params[index as usize]);
        param.is_some_and(|param| self.is_kernel && param.byval && param.readonly)
    }
    /// LLVM's number of the intrinsic that an instruction calls.
    pub fn called_intrinsic(&self, inst: Inst) -> Option<u32> {
        if self.insts[inst].opcode != Opcode::Call {
            return None;
        }
        match self.call(inst).callee {
            Callee::Intrinsic(number) => Some(number),
            _ => None,
        }
    }
    /// LLVM's number of the intrinsic that computes a value, possibly extended.
    pub fn intrinsic_behind(&self, value: Value) -> Option<u32> {
        let mut def = self.def(value)?;
        while matches!(self.insts[def].opcode, Opcode::ZExt | Opcode::SExt) {
            def = self.def(self.operands(def)[0])?;
        }
        self.called_intrinsic(def)
    }
    /// The value that an instruction defines. A void instruction has one, too, which nobody uses.
    #[inline]
    pub fn result(&self, inst: Inst) -> Value {
        Value::from_u32(self.param_count + inst.as_u32())
    }
    /// Replaces the computations of unreachable blocks by unknown ones. Only in such a block may a value depend on
    /// itself without a phi (`%p = getelementptr i8, ptr %p, i64 4` is valid), and code that follows a chain of
    /// addresses or operands would never end.
    pub fn forget_unreachable(&mut self, is_reachable: impl Fn(Block) -> bool) {
        for inst in self.insts.values_mut().filter(|inst| !is_reachable(inst.block)) {
            if inst.opcode.is_computation() {
                inst.opcode = Opcode::Other;
            }
        }
    }
    /// The instruction that defines a value.
    #[inline]
    pub fn def(&self, value: Value) -> Option<Inst> {
        let index = self.inst_number(value);
        (index < self.insts.len()).then(|| Inst::new(index))
    }
    /// What an address in reachable code points into, as far as address arithmetic and casts tell. It does not look
    /// through `freeze`, which may pick another address.
    pub fn pointer_root(&self, mut pointer: Value) -> Value {
        while let Some(def) = self.def(pointer)
            && matches!(self.insts[def].opcode, Opcode::Gep | Opcode::AddrSpaceCast | Opcode::BitCast)
        {
            pointer = self.operands(def)[0];
        }
        pointer
    }
    /// An address without its constant offsets, and their sum in bytes.
    pub fn without_offset(&self, mut pointer: Value) -> (Value, i64) {
        let mut offset = 0i64;
        while let Some(def) = self.def(pointer).filter(|&def| self.insts[def].opcode == Opcode::Gep)
            && self.gep(def).terms.is_empty()
        {
            offset = offset.wrapping_add(self.gep(def).offset);
            pointer = self.operands(def)[0];
        }
        (pointer, offset)
    }
    /// Whether an instruction is a load that is neither volatile nor atomic.
    pub fn is_plain_load(&self, inst: Inst) -> bool {
        let data = &self.insts[inst];
        data.opcode == Opcode::Load && !data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC)
    }
    /// The address of a load or a store.
    pub fn accessed(&self, inst: Inst) -> Option<Value> {
        match self.insts[inst].opcode {
            Opcode::Load => Some(self.operands(inst)[0]),
            Opcode::Store => Some(self.operands(inst)[1]),
            _ => None,
        }
    }
    /// What a load or a store moves.
    pub fn moved(&self, inst: Inst) -> Option<Value> {
        match self.insts[inst].opcode {
            Opcode::Load => Some(self.result(inst)),
            Opcode::Store => Some(self.operands(inst)[0]),
            _ => None,
        }
    }
    /// The number of the instruction that defines a value; for arguments and constants, a number past the last
    /// instruction.
    #[inline]
    pub fn inst_number(&self, value: Value) -> usize {
        value.as_u32().wrapping_sub(self.param_count) as usize
    }
    /// The constant behind a value.
    #[inline]
    pub fn constant(&self, value: Value) -> Option<ConstData> {
        let first = self.param_count as usize + self.insts.len();
        self.consts.get(value.index().wrapping_sub(first)).map(|c| c.0)
    }
    /// The number behind a value, if it is an integer constant of at most 64 bits, zero-extended.
    #[inline]
    pub fn int_constant(&self, value: Value) -> Option<u64> {
        match self.constant(value)? {
            ConstData::Int(number) => Some(number),
            _ => None,
        }
    }
    /// The same, sign-extended.
    pub fn signed_constant(&self, value: Value) -> Option<i64> {
        let unused = 64 - self.int_bits(value).filter(|bits| (1..=64).contains(bits))?;
        self.int_constant(value).map(|number| (number << unused) as i64 >> unused)
    }
    /// Number of values: arguments, instructions, constants.
    pub fn value_count(&self) -> usize {
        self.param_count as usize + self.insts.len() + self.consts.len()
    }
    /// All constants of the function as values.
    pub fn constants(&self) -> impl Iterator<Item = (Value, ConstData)> + '_ {
        let first = self.param_count as usize + self.insts.len();
        self.consts.iter().enumerate().map(move |(i, c)| (Value::new(first + i), c.0))
    }
    /// Type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        if let Some(param) = self.as_param(value) {
            return self.params[param as usize].ty;
        }
        match self.def(value) {
            Some(inst) => self.insts[inst].ty,
            None => self.consts[value.index() - self.param_count as usize - self.insts.len()].1,
        }
    }
    /// Type data of a value's type.
    pub fn type_info(&self, value: Value) -> &TypeInfo {
        &self.types[self.type_of(value)]
    }
    /// Width in bits of an integer or pointer value; `None` for everything else.
    #[inline]
    pub fn int_bits(&self, value: Value) -> Option<u32> {
        self.type_info(value).kind.int_bits()
    }
    /// Operands of an instruction, in LLVM's order. A call has only its arguments, a branch or switch only its
    /// condition, and blocks are never operands.
    #[inline]
    pub fn operands(&self, inst: Inst) -> &[Value] {
        let data = &self.insts[inst];
        &self.pool[data.operands_start as usize..(data.operands_start + data.operand_count) as usize]
    }
    /// The multiplication of floats whose result a value is, its sign perhaps changed.
    pub fn float_product(&self, mut value: Value) -> Option<Inst> {
        loop {
            let def = self.def(value)?;
            match self.insts[def].opcode {
                Opcode::FNeg => value = self.operands(def)[0],
                Opcode::FMul => return Some(def),
                _ => return None,
            }
        }
    }
    /// Whether it rounds floats, or vectors of them, to a narrower type.
    pub fn is_narrowing(&self, inst: Inst) -> bool {
        let bits = |value: Value| match self.type_info(value).kind {
            TypeKind::Float(bits) | TypeKind::Vector { element_bits: bits, int: false, .. } => bits,
            _ => 0,
        };
        self.insts[inst].opcode == Opcode::FpCast && bits(self.result(inst)) < bits(self.operands(inst)[0])
    }
    /// Operands of the instructions of a block, consecutively: those of its phis, and those of the others.
    pub fn block_operands(&self, block: Block) -> (&[Value], &[Value]) {
        let data = self.blocks[block];
        let insts = &self.insts.as_values_slice()[data.first as usize..data.end as usize];
        let phis = insts.iter().take_while(|inst| inst.opcode == Opcode::Phi).count();
        let start = insts.first().map_or(0, |inst| inst.operands_start as usize);
        let end = insts.last().map_or(0, |inst| (inst.operands_start + inst.operand_count) as usize);
        let middle = insts.get(phis).map_or(end, |inst| inst.operands_start as usize);
        (&self.pool[start..middle], &self.pool[middle..end])
    }
    /// Incoming blocks of a phi, parallel to its operands.
    pub fn incoming(&self, phi: Inst) -> &[Block] {
        let data = &self.insts[phi];
        debug_assert!(data.opcode == Opcode::Phi);
        &self.phi_blocks[data.aux as usize..(data.aux + data.operand_count) as usize]
    }
    /// Address arithmetic of a GEP.
    pub fn gep(&self, inst: Inst) -> Gep<'_> {
        debug_assert!(self.insts[inst].opcode == Opcode::Gep);
        let data = self.geps[self.insts[inst].aux as usize];
        let terms = &self.gep_terms[data.terms_start as usize..][..data.term_count as usize];
        Gep { offset: data.offset, terms, bits: data.bits.into() }
    }
    /// The properties of a call.
    pub fn call(&self, inst: Inst) -> &CallData {
        debug_assert!(self.insts[inst].opcode == Opcode::Call);
        &self.calls[self.insts[inst].aux as usize]
    }
    /// The inline assembly of a call.
    pub fn assembly(&self, inst: Inst) -> Option<&asm::Program> {
        self.asms.get(self.call(inst).asm? as usize)
    }
    /// Whether a stack object is in the function's fixed area: allocated in the entry block, with constant size. All
    /// others move the stack pointer during execution.
    pub fn is_static_alloca(&self, inst: Inst) -> bool {
        let in_entry = self.insts[inst].block.index() == 0;
        in_entry && self.operands(inst).first().is_some_and(|&count| self.int_constant(count).is_some())
    }
    /// Instructions of a block, in order.
    pub fn block_insts(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + ExactSizeIterator + use<> {
        let data = self.blocks[block];
        (data.first..data.end).map(Inst::from_u32)
    }
    /// The last instruction of a block.
    pub fn terminator(&self, block: Block) -> Inst {
        Inst::from_u32(self.blocks[block].end - 1)
    }
    /// The phis of a block, which are its first instructions.
    pub fn phis(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        self.block_insts(block).take_while(|&inst| self.insts[inst].opcode == Opcode::Phi)
    }
    /// The condition of a conditional branch or switch.
    pub fn condition(&self, terminator: Inst) -> Option<Value> {
        match self.insts[terminator].opcode {
            Opcode::CondBr | Opcode::Switch => self.operands(terminator).first().copied(),
            _ => None,
        }
    }
}
