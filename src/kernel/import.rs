//! How does a function get out of LLVM? In one walk, batch by batch of flat records.
//!
//! 1. Number a batch's instructions into a [`PointerMap`].
//! 2. Its operands become indices; constants and types are interned as they are met. Of an instruction that is not
//!    numbered yet (a loop's phi names some) the place is remembered; constants come after all instructions, so until
//!    it is known how many those are, they are marked by their highest bit.
//! 3. Decode the records: GEPs become `base + offset + Σ index·stride`, calls with the same callee and attributes share a
//!    [`CallData`].
//! 4. After the last batch, fill in what was left open.
//!
//! The function must pass LLVM's verifier. Anything the decoder does not know becomes [`Opcode::Other`], which the
//! analysis takes for divergent. Cost: linear.

use super::call::{CallData, Callee, Memory};
use super::constant::{constant_address, has_undef};
use super::entity::{Block, Type, Value};
use super::geometry::Geometry;
use super::handles::Handles;
use super::inst::{ConstData, Flags, GepData, InstData, Opcode};
use super::scratch::{RECENT, Scratch};
use super::types::TypeInfo;
use super::{BlockData, Kernel, ParamData};
use crate::cfg::Graph;
use crate::llvm::handle::{self, AttrPlace, ValueKind, attribute_kind, metadata_kind};
use crate::llvm::walk::{Batch, FlagKinds, Record, Walk, operand};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// LLVM's numbers for attributes, looked up once a process.
pub struct AttributeKinds {
    noalias: u32,
    readonly: u32,
    readnone: u32,
    byval: u32,
    noundef: u32,
    pub memory: u32,
    pub convergent: u32,
    no_divergence_source: u32,
    noreturn: u32,
    willreturn: u32,
}

impl AttributeKinds {
    /// The numbers.
    pub fn get() -> &'static AttributeKinds {
        static KINDS: OnceLock<AttributeKinds> = OnceLock::new();
        KINDS.get_or_init(|| AttributeKinds {
            noalias: attribute_kind("noalias"),
            readonly: attribute_kind("readonly"),
            readnone: attribute_kind("readnone"),
            byval: attribute_kind("byval"),
            noundef: attribute_kind("noundef"),
            memory: attribute_kind("memory"),
            convergent: attribute_kind("convergent"),
            no_divergence_source: attribute_kind("nodivergencesource"),
            noreturn: attribute_kind("noreturn"),
            willreturn: attribute_kind("willreturn"),
        })
    }
}

/// What is known of a whole module before its functions are imported.
pub struct ModuleContext<'m> {
    pub module: handle::Module<'m>,
    kinds: &'static AttributeKinds,
    flags: FlagKinds,
    /// Functions in module order, and the position of each by address: seldom needed, so listed on first need.
    functions: OnceCell<(Vec<handle::Function<'m>>, FxHashMap<usize, u32>)>,
}

impl<'m> ModuleContext<'m> {
    /// Looks at the module's symbols, not at bodies.
    pub fn new(module: handle::Module<'m>) -> Self {
        // LLVM gives its own kinds the same numbers in every context
        static OWN: OnceLock<[u32; 2]> = OnceLock::new();
        let [invariant_load, noundef] =
            *OWN.get_or_init(|| ["invariant.load", "noundef"].map(|name| metadata_kind(module, name)));
        let flags = FlagKinds { invariant_load, noundef, uniform: metadata_kind(module, "warpwise.uniform") };
        ModuleContext { module, kinds: AttributeKinds::get(), flags, functions: OnceCell::new() }
    }
    /// Functions in module order.
    pub fn functions(&self) -> &[handle::Function<'m>] {
        &self.listed().0
    }
    /// Position of a function in module order.
    pub fn index_of(&self, function: handle::Function<'m>) -> Option<u32> {
        self.listed().1.get(&function.value().address()).copied()
    }
    fn listed(&self) -> &(Vec<handle::Function<'m>>, FxHashMap<usize, u32>) {
        self.functions.get_or_init(|| {
            let functions: Vec<_> = self.module.functions().collect();
            let index = functions.iter().enumerate().map(|(i, f)| (f.value().address(), i as u32)).collect();
            (functions, index)
        })
    }
}

/// Imports a function with a body.
pub fn import<'m>(context: &ModuleContext<'m>, function: handle::Function<'m>) -> (Kernel, Handles<'m>) {
    let mut scratch = Scratch::take();
    let imported = Importer::new(context, function, &mut scratch).run();
    scratch.put_back(imported.0.insts.len());
    imported
}

struct Importer<'a, 'm> {
    context: &'a ModuleContext<'m>,
    layout: handle::Layout<'m>,
    function: handle::Function<'m>,
    scratch: &'a mut Scratch,
    kernel: Kernel,
    constants: Vec<handle::Value<'m>>,
    /// Number of the first constant: [`CONSTANT`] while it is not known how many instructions there are.
    first_constant: u32,
    /// Successors of all blocks so far, and where those of each block end; by LLVM's numbers.
    succs: Vec<Block>,
    succ_ends: Vec<u32>,
}

/// Marks the number of a constant until it is known how many instructions there are.
const CONSTANT: u32 = 1 << 31;
/// Room made for constants, types and callees.
const SOME: usize = 32;
/// Room made for the instructions of a block before they are counted.
const INSTS_PER_BLOCK: usize = 16;

#[inline]
fn recent_slot(address: usize) -> usize {
    (address >> 4).wrapping_mul(0x9E37_79B9) >> 16 & (RECENT - 1)
}

impl<'a, 'm> Importer<'a, 'm> {
    fn new(context: &'a ModuleContext<'m>, function: handle::Function<'m>, scratch: &'a mut Scratch) -> Self {
        let param_count = function.param_count();
        let kernel = Kernel {
            name: function.name(),
            is_kernel: function.is_ptx_kernel(),
            is_local: function.is_local(),
            params: Vec::with_capacity(param_count as usize),
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            pool: Vec::new(),
            phi_blocks: Vec::new(),
            types: PrimaryMap::new(),
            consts: Vec::new(),
            geps: Vec::new(),
            gep_terms: Vec::new(),
            calls: Vec::new(),
            graph: Graph::default(), // made when all edges are known
            geometry: Geometry::from_attributes(|name| function.string_attribute(name)),
            param_count,
        };
        Importer {
            context,
            layout: context.module.layout(),
            function,
            scratch,
            kernel,
            constants: Vec::new(),
            first_constant: CONSTANT,
            succs: Vec::new(),
            succ_ends: Vec::new(),
        }
    }

    fn run(mut self) -> (Kernel, Handles<'m>) {
        // the walk borrows its buffers while the importer uses the other tables
        let mut buffers = std::mem::take(&mut self.scratch.buffers);
        let mut walk = Walk::new(self.function, self.context.flags, &mut buffers);
        let blocks = walk.numbers();
        self.scratch.numbered.resize(blocks, 0);
        let mut handles = Handles {
            function: self.function,
            blocks: Vec::with_capacity(blocks),
            values: Vec::new(),
            param_count: self.kernel.param_count,
        };
        let mut is_first = true;
        while let Some(batch) = walk.next_batch() {
            if std::mem::take(&mut is_first) {
                self.make_room(blocks, &batch, &mut handles.values);
                self.params(&mut handles.values);
            }
            let first = handles.values.len();
            handles.values.extend_from_slice(batch.insts);
            handles.blocks.extend_from_slice(batch.ended);
            for (index, inst) in (first as u32..).zip(batch.insts) {
                self.scratch.values.insert(inst.address(), index);
            }
            self.operands(batch.operands);
            self.decode(&batch);
        }
        self.close(&mut handles.values);
        self.scratch.buffers = buffers;
        (self.kernel, handles)
    }

    /// Room for all of a function that is one batch, for what is likely of a larger one.
    fn make_room(&mut self, blocks: usize, batch: &Batch<'_, 'm>, values: &mut Vec<handle::Value<'m>>) {
        let kernel = &mut self.kernel;
        kernel.blocks.reserve_exact(blocks);
        self.succ_ends.reserve_exact(blocks + 1);
        let params = kernel.param_count as usize;
        if batch.is_last {
            self.first_constant = kernel.param_count + batch.insts.len() as u32;
            values.reserve_exact(params + batch.insts.len() + SOME / 2);
            kernel.insts.reserve_exact(batch.insts.len());
            kernel.pool.reserve_exact(batch.operands.len());
            kernel.phi_blocks.reserve(batch.blocks.len());
            self.succs.reserve(batch.blocks.len());
            kernel.geps.reserve(batch.words.len() / 3);
            kernel.gep_terms.reserve(batch.words.len() / 4);
            kernel.calls.reserve(SOME / 4);
            kernel.types.reserve(SOME / 4);
            kernel.consts.reserve(SOME / 2);
            self.constants.reserve(SOME / 2);
            return;
        }
        let insts = blocks * INSTS_PER_BLOCK;
        values.reserve(insts + params);
        kernel.insts.reserve(insts);
        kernel.pool.reserve(insts * 2);
        kernel.phi_blocks.reserve(blocks * 3);
        kernel.geps.reserve(blocks * 2);
        kernel.gep_terms.reserve(blocks * 2);
        kernel.consts.reserve(SOME);
        kernel.types.reserve(SOME);
        kernel.calls.reserve(SOME);
        self.succs.reserve(blocks * 3 / 2);
        self.constants.reserve(SOME);
        self.scratch.const_index.reserve(SOME);
    }

    /// Step 2.
    fn operands(&mut self, words: &[usize]) {
        let place = self.kernel.pool.len() as u32;
        let mut pool = std::mem::take(&mut self.kernel.pool);
        pool.extend((place..).zip(words).map(|(place, &word)| self.value_of(place, word)));
        self.kernel.pool = pool;
    }

    /// Step 4.
    fn close(&mut self, handles: &mut Vec<handle::Value<'m>>) {
        let mut open = std::mem::take(&mut self.scratch.open);
        for (place, address) in open.drain(..) {
            self.kernel.pool[place as usize] = match self.scratch.values.get(address) {
                Some(index) => Value::from_u32(index),
                None => self.constant_of(address), // no instruction of this function: nothing is known of it
            };
        }
        self.scratch.open = open;
        let first = handles.len() as u32;
        if self.first_constant == CONSTANT {
            for value in &mut self.kernel.pool {
                let (index, marked) = (value.as_u32(), value.as_u32() >= CONSTANT);
                *value = Value::from_u32(if marked { index - CONSTANT + first } else { index });
            }
        }
        handles.append(&mut self.constants);
        let numbered = &self.scratch.numbered;
        if numbered.iter().enumerate().any(|(number, &block)| number != block as usize) {
            for block in self.kernel.phi_blocks.iter_mut().chain(&mut self.succs) {
                *block = Block::from_u32(numbered[block.as_u32() as usize]);
            }
        }
        self.kernel.graph = Graph::from_rows(std::mem::take(&mut self.succ_ends), std::mem::take(&mut self.succs));
    }

    fn params(&mut self, handles: &mut Vec<handle::Value<'m>>) {
        let kinds = self.context.kinds;
        for index in 0..self.kernel.param_count {
            let param = self.function.param(index);
            handles.push(param);
            let has = |kind| self.function.has_attribute(AttrPlace::Param(index), kind);
            let data = ParamData {
                ty: Type::from_u32(0),
                noalias: has(kinds.noalias),
                readonly: has(kinds.readonly) || has(kinds.readnone),
                byval: has(kinds.byval),
                noundef: has(kinds.noundef),
            };
            let ty = self.intern_type(param.ty());
            self.kernel.params.push(ParamData { ty, ..data });
        }
    }

    /// The value behind an operand's word, which goes to `place` in the pool.
    #[inline]
    fn value_of(&mut self, place: u32, word: usize) -> Value {
        match word & operand::MASK {
            operand::INSTRUCTION => match self.scratch.values.get(word) {
                Some(index) => Value::from_u32(index),
                None => {
                    self.scratch.open.push((place, word));
                    Value::from_u32(0)
                }
            },
            operand::ARGUMENT => Value::from_u32((word >> 3) as u32),
            _ => {
                let slot = recent_slot(word);
                if self.scratch.recent_consts[slot].0 == word {
                    self.scratch.recent_consts[slot].1
                } else {
                    self.constant_of(word)
                }
            }
        }
    }

    #[cold]
    fn constant_of(&mut self, word: usize) -> Value {
        let value = match self.scratch.const_index.get(&word) {
            Some(&value) => value,
            None => {
                let constant = Walk::value(word);
                let value = Value::from_u32(self.first_constant + self.constants.len() as u32);
                self.scratch.const_index.insert(word, value);
                self.constants.push(constant);
                let ty = self.intern_type(constant.ty());
                let data = self.constant(constant, ty);
                self.kernel.consts.push((data, ty));
                value
            }
        };
        self.scratch.recent_consts[recent_slot(word)] = (word, value);
        value
    }

    fn intern_type(&mut self, ty: handle::Type<'m>) -> Type {
        let key = ty.address();
        let slot = recent_slot(key);
        if self.scratch.recent_types[slot].0 == key {
            return self.scratch.recent_types[slot].1;
        }
        let id = match self.scratch.type_index.get(&key) {
            Some(&id) => id,
            None => {
                let info = TypeInfo::of(ty, self.layout);
                let id = self.kernel.types.push(info);
                self.scratch.type_index.insert(key, id);
                id
            }
        };
        self.scratch.recent_types[slot] = (key, id);
        id
    }

    fn constant(&self, value: handle::Value<'m>, ty: Type) -> ConstData {
        match value.kind() {
            ValueKind::ConstantInt => value.const_u64().map_or(ConstData::Opaque, ConstData::Int),
            ValueKind::ConstantNull => match self.kernel.types[ty].kind.int_bits() {
                Some(_) => ConstData::Int(0),
                None => ConstData::Opaque,
            },
            ValueKind::Undef => ConstData::Undef,
            ValueKind::Poison => ConstData::Poison,
            ValueKind::GlobalVariable | ValueKind::GlobalAlias | ValueKind::Function | ValueKind::ConstantExpr => {
                constant_address(value)
            }
            ValueKind::ConstantAggregate => {
                if has_undef(value, 0) {
                    ConstData::PartlyUndef
                } else {
                    ConstData::Opaque
                }
            }
            ValueKind::Metadata | ValueKind::Block | ValueKind::InlineAsm => ConstData::NotData,
            _ => ConstData::Opaque,
        }
    }

    /// Step 3.
    fn decode(&mut self, batch: &Batch<'_, 'm>) {
        let mut rest = Parts { blocks: batch.blocks, words: batch.words };
        let mut numbers = batch.ended_numbers.iter();
        let mut operands_start = (self.kernel.pool.len() - batch.operands.len()) as u32;
        let mut block = Block::from_u32(self.kernel.blocks.len() as u32);
        for (record, &inst) in batch.records.iter().zip(batch.insts) {
            let mut data = InstData {
                opcode: Opcode::from_number(record.opcode),
                sub: record.sub,
                flags: Flags::from_bits_truncate(record.flags),
                ty: self.type_of(record),
                block,
                operands_start,
                operand_count: record.operand_count,
                aux: record.aux,
            };
            operands_start += record.operand_count;
            match data.opcode {
                opcode if !opcode.has_parts() => {}
                Opcode::Phi => {
                    data.aux = self.kernel.phi_blocks.len() as u32;
                    let incoming = rest.blocks(record.operand_count);
                    self.kernel.phi_blocks.extend(incoming.iter().map(|&from| Block::from_u32(from)));
                }
                Opcode::Gep => data.aux = self.gep(&mut rest),
                Opcode::Call => {
                    let key = rest.words(2);
                    data.aux = self.call_of((key[0], key[1]), inst);
                    if self.kernel.calls[data.aux as usize].returns_noundef {
                        data.flags |= Flags::NOUNDEF;
                    }
                }
                _ => {
                    self.succs.extend(rest.blocks(record.aux).iter().map(|&to| Block::from_u32(to)));
                    let number = numbers.next().copied().unwrap_or(block.as_u32());
                    self.end_block(block, number);
                    block = Block::from_u32(block.as_u32() + 1);
                }
            }
            self.kernel.insts.push(data);
        }
    }

    /// The instruction about to be added is the last of `block`, which LLVM knows by `number`.
    fn end_block(&mut self, block: Block, number: u32) {
        let first = self.kernel.blocks.last().map_or(0, |(_, before)| before.end);
        self.kernel.blocks.push(BlockData { first, end: self.kernel.insts.len() as u32 + 1 });
        self.succ_ends.push(self.succs.len() as u32);
        if self.scratch.numbered.len() <= number as usize {
            self.scratch.numbered.resize(number as usize + 1, 0);
        }
        self.scratch.numbered[number as usize] = block.as_u32();
    }

    #[inline]
    fn type_of(&mut self, record: &Record) -> Type {
        match self.scratch.recent_types[recent_slot(record.type_address())] {
            (address, ty) if address == record.type_address() => ty,
            _ => self.intern_type(Walk::ty(record)),
        }
    }

    fn gep(&mut self, rest: &mut Parts<'_>) -> u32 {
        let index = self.kernel.geps.len() as u32;
        let header = rest.words(3);
        self.kernel.geps.push(GepData {
            offset: header[0] as i64,
            bits: header[1] as u16,
            terms_start: self.kernel.gep_terms.len() as u32,
            term_count: header[2] as u16,
        });
        let terms = rest.words(2 * header[2] as usize).chunks_exact(2);
        self.kernel.gep_terms.extend(terms.map(|term| (term[0] as u32, term[1])));
        index
    }

    #[inline]
    fn call_of(&mut self, key: (u64, u64), call: handle::Value<'m>) -> u32 {
        let slot = recent_slot((key.0 ^ key.1) as usize);
        if self.scratch.recent_calls[slot].0 == key {
            return self.scratch.recent_calls[slot].1;
        }
        let id = match self.scratch.call_index.get(&key) {
            Some(&known) => known,
            None => {
                let id = self.kernel.calls.len() as u32;
                let inst = call.as_inst().expect("the walker listed an instruction here");
                let data = self.call(inst);
                self.kernel.calls.push(data);
                self.scratch.call_index.insert(key, id);
                id
            }
        };
        self.scratch.recent_calls[slot] = (key, id);
        id
    }

    fn call(&self, inst: handle::Inst<'m>) -> CallData {
        let kinds = self.context.kinds;
        let called = inst.called_value();
        let function = called.as_function();
        let at_site = |kind| inst.has_call_attribute(AttrPlace::Function, kind);
        let anywhere = |kind| at_site(kind) || function.is_some_and(|f| f.has_attribute(AttrPlace::Function, kind));
        let callee = match function {
            Some(f) if f.intrinsic_id() != 0 => Callee::Intrinsic(f.intrinsic_id()),
            Some(f) => self.context.index_of(f).map_or(Callee::Indirect, Callee::Function),
            None if called.kind() == ValueKind::InlineAsm => {
                Callee::Asm { side_effects: called.asm_has_side_effects() }
            }
            None => Callee::Indirect,
        };
        let memory = [
            inst.int_call_attribute(AttrPlace::Function, kinds.memory),
            function.and_then(|f| f.int_attribute(AttrPlace::Function, kinds.memory)),
        ];
        let memory = memory.into_iter().flatten().map(Memory::of_encoding).min().unwrap_or(Memory::ReadWrite);
        let pure_asm = matches!(callee, Callee::Asm { side_effects: false })
            && super::asm::is_pure(&called.asm_text(), &called.asm_constraints());
        CallData {
            callee,
            memory,
            convergent: anywhere(kinds.convergent),
            no_divergence_source: anywhere(kinds.no_divergence_source),
            no_return: anywhere(kinds.noreturn),
            will_return: anywhere(kinds.willreturn),
            pure_asm,
            returns_noundef: inst.has_call_attribute(AttrPlace::Return, kinds.noundef),
        }
    }
}

/// What is left of a batch's buffers.
struct Parts<'b> {
    blocks: &'b [u32],
    words: &'b [u64],
}

impl<'b> Parts<'b> {
    #[inline]
    fn blocks(&mut self, count: u32) -> &'b [u32] {
        let (taken, left) = self.blocks.split_at(count as usize);
        self.blocks = left;
        taken
    }
    #[inline]
    fn words(&mut self, count: usize) -> &'b [u64] {
        let (taken, left) = self.words.split_at(count);
        self.words = left;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::super::entity::Inst;
    use super::*;
    use crate::llvm::owned::OwnedModule;
    use cranelift_entity::EntityRef;

    #[test]
    fn imports_a_small_kernel() {
        let text = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr noalias readonly %a, i32 %n) "nvvm.reqntid"="64,2" {
entry:
  %t = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %exit
then:
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds { i32, [4 x float] }, ptr %a, i64 %i, i32 1, i64 2
  store float 1.0, ptr %p, align 4
  br label %exit
exit:
  %r = phi i32 [ 0, %entry ], [ %t, %then ]
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"#;
        let module = OwnedModule::from_text(text, "t").unwrap();
        let context = ModuleContext::new(module.handle());
        let function = module.handle().function("k").unwrap();
        let (kernel, handles) = import(&context, function);
        assert!(kernel.is_kernel && kernel.params[0].noalias && kernel.params[0].readonly);
        assert_eq!(kernel.blocks.len(), 3);
        assert_eq!(kernel.insts.len(), 9);
        let gep = kernel.insts.keys().find(|&i| kernel.insts[i].opcode == Opcode::Gep).unwrap();
        assert_eq!(kernel.gep(gep).offset, 12);
        assert_eq!(kernel.gep(gep).terms, &[(1, 20)]);
        assert!(kernel.insts[gep].flags.contains(Flags::INBOUNDS));
        let phi = kernel.insts.keys().find(|&i| kernel.insts[i].opcode == Opcode::Phi).unwrap();
        assert_eq!(kernel.incoming(phi).len(), 2);
        assert_eq!(kernel.constant(kernel.operands(phi)[0]), Some(ConstData::Int(0)));
        let names = super::super::names::Names::new(&kernel, &handles);
        assert_eq!(names.value(&handles, kernel.result(phi)), "%r");
        assert_eq!(kernel.geometry.exact.unwrap().y, 2);
        assert_eq!(Inst::new(0), kernel.block_insts(Block::new(0)).next().unwrap());
    }
}
