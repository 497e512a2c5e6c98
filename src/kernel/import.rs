//! How does a function get out of LLVM? In one walk that numbers and one that decodes.
//!
//! 1. List blocks and instructions; number arguments, then instructions, into a [`PointerMap`].
//! 2. Take the walker's flat records batch by batch: operands become indices; constants and types are interned as they
//!    are met, GEPs become `base + offset + Σ index·stride`, calls with the same callee and attributes share a
//!    [`CallData`].
//!
//! The function must pass LLVM's verifier. Anything the decoder does not know becomes [`Opcode::Other`], which the
//! analysis takes for divergent. Cost: linear.

use super::call::{CallData, Callee, Memory};
use super::entity::{Block, Type, Value};
use super::geometry::Geometry;
use super::handles::Handles;
use super::inst::{ConstData, Flags, GepData, GlobalData, InstData, Opcode};
use super::pointer_map::PointerMap;
use super::types::{TypeInfo, TypeKind};
use super::{BlockData, Kernel, ParamData};
use crate::cfg::Graph;
use crate::llvm::handle::{self, AttrPlace, RawOpcode, ValueKind, attribute_kind, metadata_kind};
use crate::llvm::walk::{FlagKinds, Listing, Record, Walk};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// Attribute and metadata numbers, looked up once a process and module.
pub struct Kinds {
    noalias: u32,
    readonly: u32,
    readnone: u32,
    byval: u32,
    noundef: u32,
    memory: u32,
    convergent: u32,
    no_divergence_source: u32,
    noreturn: u32,
    willreturn: u32,
    flags: FlagKinds,
}

impl Kinds {
    /// Looks the numbers up.
    pub fn new(module: handle::Module<'_>) -> Kinds {
        Kinds {
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
            flags: FlagKinds {
                invariant_load: metadata_kind(module, "invariant.load"),
                noundef: metadata_kind(module, "noundef"),
                uniform: metadata_kind(module, "warpwise.uniform"),
            },
        }
    }
}

/// What is known of a whole module before its functions are imported.
pub struct ModuleContext<'m> {
    pub module: handle::Module<'m>,
    pub kinds: Kinds,
    /// Position of each function in module order, by address.
    function_index: FxHashMap<usize, u32>,
    /// Functions in module order.
    pub functions: Vec<handle::Function<'m>>,
}

impl<'m> ModuleContext<'m> {
    /// Looks at the module's symbols, not at bodies.
    pub fn new(module: handle::Module<'m>) -> Self {
        let functions: Vec<_> = module.functions().collect();
        let function_index = functions.iter().enumerate().map(|(i, f)| (f.value().address(), i as u32)).collect();
        ModuleContext { module, kinds: Kinds::new(module), function_index, functions }
    }
    /// Position of a function in module order.
    pub fn index_of(&self, function: handle::Function<'m>) -> Option<u32> {
        self.function_index.get(&function.value().address()).copied()
    }
}

/// Imports a function with a body.
pub fn import<'m>(context: &ModuleContext<'m>, function: handle::Function<'m>) -> (Kernel, Handles<'m>) {
    Importer::new(context, function).run()
}

struct Importer<'a, 'm> {
    context: &'a ModuleContext<'m>,
    layout: handle::Layout<'m>,
    function: handle::Function<'m>,
    values: PointerMap,
    const_index: FxHashMap<usize, Value>,
    recent_consts: [(usize, Value); RECENT],
    type_index: FxHashMap<usize, Type>,
    recent_types: [(usize, Type); RECENT],
    /// Calls by callee and attribute list: most call sites of a callee are alike.
    call_index: FxHashMap<(u64, u64), u32>,
    kernel: Kernel,
    handles: Handles<'m>,
}

/// Entries of the direct-mapped caches before the hash tables.
const RECENT: usize = 64;

#[inline]
fn recent_slot(address: usize) -> usize {
    (address >> 4 ^ address >> 10) % RECENT
}

impl<'a, 'm> Importer<'a, 'm> {
    fn new(context: &'a ModuleContext<'m>, function: handle::Function<'m>) -> Self {
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
            graph: Graph::new(0, []),
            geometry: Geometry::from_attributes(|name| function.string_attribute(name)),
            param_count,
        };
        Importer {
            context,
            layout: context.module.layout(),
            function,
            values: PointerMap::with_capacity(0),
            const_index: FxHashMap::default(),
            recent_consts: [(0, Value::from_u32(0)); RECENT],
            type_index: FxHashMap::default(),
            recent_types: [(0, Type::from_u32(0)); RECENT],
            call_index: FxHashMap::default(),
            kernel,
            handles: Handles { function, blocks: Vec::new(), values: Vec::new(), param_count },
        }
    }

    fn run(mut self) -> (Kernel, Handles<'m>) {
        self.params();
        let mut values = std::mem::take(&mut self.handles.values);
        let kinds = self.context.kinds.flags;
        let (mut walk, listing) = Walk::new(self.function, kinds, &mut values);
        self.handles.values = values;
        self.number(&listing);
        self.handles.blocks = listing.blocks;
        let mut edges = Vec::with_capacity(self.kernel.blocks.len() * 2);
        let mut block = Block::from_u32(0);
        while let Some((records, operands, blocks, words)) = walk.next_batch() {
            let mut rest = Parts { operands, blocks, words };
            for record in records {
                self.decode(block, record, &mut rest, &mut edges);
                if self.kernel.insts.len() as u32 == self.kernel.blocks[block].end {
                    block = Block::from_u32(block.as_u32() + 1);
                }
            }
        }
        self.kernel.graph = Graph::new(self.kernel.blocks.len(), edges);
        (self.kernel, self.handles)
    }

    fn params(&mut self) {
        let kinds = &self.context.kinds;
        for index in 0..self.kernel.param_count {
            let param = self.function.param(index);
            self.handles.values.push(param);
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

    fn number(&mut self, listing: &Listing<'m>) {
        let insts = self.handles.values.len() - self.kernel.params.len();
        self.values = PointerMap::with_capacity(self.handles.values.len());
        for (index, value) in self.handles.values.iter().enumerate() {
            self.values.insert(value.address(), index as u32);
        }
        let mut first = 0;
        for &end in &listing.ends {
            self.kernel.blocks.push(BlockData { first, end });
            first = end;
        }
        self.kernel.insts.reserve_exact(insts);
        self.kernel.pool.reserve(insts * 2);
    }

    #[inline]
    fn value_of(&mut self, address: usize) -> Value {
        match self.values.get(address) {
            Some(index) => Value::from_u32(index),
            None => self.constant_of(address),
        }
    }

    fn constant_of(&mut self, address: usize) -> Value {
        let slot = recent_slot(address);
        if self.recent_consts[slot].0 == address {
            return self.recent_consts[slot].1;
        }
        let value = match self.const_index.get(&address) {
            Some(&value) => value,
            None => {
                let constant = Walk::value(address);
                let value = Value::from_u32(self.handles.values.len() as u32);
                self.const_index.insert(address, value);
                self.handles.values.push(constant);
                let ty = self.intern_type(constant.ty());
                let data = self.constant(constant, ty);
                self.kernel.consts.push((data, ty));
                value
            }
        };
        self.recent_consts[slot] = (address, value);
        value
    }

    fn intern_type(&mut self, ty: handle::Type<'m>) -> Type {
        let key = ty.address();
        let slot = recent_slot(key);
        if self.recent_types[slot].0 == key {
            return self.recent_types[slot].1;
        }
        let id = match self.type_index.get(&key) {
            Some(&id) => id,
            None => {
                let info = self.describe_type(ty);
                let id = self.kernel.types.push(info);
                self.type_index.insert(key, id);
                id
            }
        };
        self.recent_types[slot] = (key, id);
        id
    }

    fn describe_type(&self, ty: handle::Type<'m>) -> TypeInfo {
        use handle::TypeKind as K;
        let kind = match ty.kind() {
            K::LLVMVoidTypeKind => TypeKind::Void,
            K::LLVMIntegerTypeKind => TypeKind::Int(ty.int_bits().unwrap_or(0)),
            K::LLVMHalfTypeKind | K::LLVMBFloatTypeKind => TypeKind::Float(16),
            K::LLVMFloatTypeKind => TypeKind::Float(32),
            K::LLVMDoubleTypeKind => TypeKind::Float(64),
            K::LLVMX86_FP80TypeKind => TypeKind::Float(80),
            K::LLVMFP128TypeKind | K::LLVMPPC_FP128TypeKind => TypeKind::Float(128),
            K::LLVMPointerTypeKind => {
                let space = ty.address_space().unwrap_or(0);
                TypeKind::Ptr { space, bits: self.layout.pointer_bits(space) }
            }
            K::LLVMVectorTypeKind => {
                let element = ty.element();
                let int_bits = element.and_then(handle::Type::int_bits);
                let element_bits = match int_bits {
                    Some(bits) => bits,
                    None => element.filter(|e| e.is_sized()).map_or(0, |e| 8 * self.layout.store_size(e) as u32),
                };
                TypeKind::Vector { element_bits, length: ty.length() as u32, int: int_bits.is_some() }
            }
            K::LLVMArrayTypeKind | K::LLVMStructTypeKind => TypeKind::Aggregate,
            _ => TypeKind::Other,
        };
        let sized =
            ty.is_sized() && ty.kind() != K::LLVMScalableVectorTypeKind && ty.kind() != K::LLVMTargetExtTypeKind;
        let (alloc_size, store_size) =
            if sized { (self.layout.alloc_size(ty), self.layout.store_size(ty)) } else { (0, 0) };
        TypeInfo { kind, alloc_size, store_size }
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

    #[inline]
    fn decode(&mut self, block: Block, record: &Record, rest: &mut Parts<'_>, edges: &mut Vec<(Block, Block)>) {
        let slot = recent_slot(record.type_address());
        let ty = match self.recent_types[slot] {
            (address, ty) if address == record.type_address() => ty,
            _ => self.intern_type(Walk::ty(record)),
        };
        let mut data = InstData {
            opcode: Opcode::from_number(record.opcode),
            sub: record.sub,
            flags: Flags::from_bits_truncate(record.flags),
            ty,
            block,
            operands_start: self.kernel.pool.len() as u32,
            operand_count: record.operand_count,
            aux: record.aux,
        };
        for &address in rest.operands(record.operand_count) {
            let value = self.value_of(address);
            self.kernel.pool.push(value);
        }
        match data.opcode {
            Opcode::Phi => {
                data.aux = self.kernel.phi_blocks.len() as u32;
                let incoming = rest.blocks(record.operand_count);
                self.kernel.phi_blocks.extend(incoming.iter().map(|&from| Block::from_u32(from)));
            }
            Opcode::Gep => {
                data.aux = self.kernel.geps.len() as u32;
                let (header, term_count) = (rest.words(2), rest.words(1)[0]);
                self.kernel.geps.push(GepData {
                    offset: header[0] as i64,
                    bits: header[1] as u16,
                    terms_start: self.kernel.gep_terms.len() as u32,
                    term_count: term_count as u16,
                });
                let terms = rest.words(2 * term_count as usize).chunks_exact(2);
                self.kernel.gep_terms.extend(terms.map(|term| (term[0] as u32, term[1])));
            }
            Opcode::Call => {
                let key = rest.words(2);
                let inst = self.handles.values[(self.kernel.param_count as usize) + self.kernel.insts.len()];
                data.aux = self.call_of((key[0], key[1]), inst);
                if self.kernel.calls[data.aux as usize].returns_noundef {
                    data.flags |= Flags::NOUNDEF;
                }
            }
            opcode if opcode.is_terminator() => {
                let successors = rest.blocks(record.aux);
                edges.extend(successors.iter().map(|&to| (block, Block::from_u32(to))));
            }
            _ => {}
        }
        self.kernel.insts.push(data);
    }

    fn call_of(&mut self, key: (u64, u64), call: handle::Value<'m>) -> u32 {
        if let Some(&known) = self.call_index.get(&key) {
            return known;
        }
        let id = self.kernel.calls.len() as u32;
        let inst = call.as_inst().expect("the walker listed an instruction here");
        let data = self.call(inst);
        self.kernel.calls.push(data);
        self.call_index.insert(key, id);
        id
    }

    fn call(&self, inst: handle::Inst<'m>) -> CallData {
        let kinds = &self.context.kinds;
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
        let memory = memory.into_iter().flatten().map(memory_effect).min().unwrap_or(Memory::ReadWrite);
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
    operands: &'b [usize],
    blocks: &'b [u32],
    words: &'b [u64],
}

impl<'b> Parts<'b> {
    #[inline]
    fn operands(&mut self, count: u32) -> &'b [usize] {
        let (taken, left) = self.operands.split_at(count as usize);
        self.operands = left;
        taken
    }
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

/// Two bits a memory location: 1 reads, 2 writes.
fn memory_effect(encoded: u64) -> Memory {
    const WRITES: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    match encoded {
        0 => Memory::None,
        _ if encoded & WRITES == 0 => Memory::Read,
        _ => Memory::ReadWrite,
    }
}

/// Follows casts and GEPs of a constant expression to its global.
fn constant_address(value: handle::Value<'_>) -> ConstData {
    let mut base = value;
    for _ in 0..8 {
        match base.kind() {
            ValueKind::Function => {
                return ConstData::Address(GlobalData { space: 0, constant: true, is_function: true });
            }
            ValueKind::GlobalVariable => {
                let space = base.ty().address_space().unwrap_or(0);
                let constant = base.is_global_constant() || space == 4;
                return ConstData::Address(GlobalData { space, constant, is_function: false });
            }
            ValueKind::ConstantExpr
                if matches!(
                    base.const_opcode(),
                    Some(RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMAddrSpaceCast | RawOpcode::LLVMBitCast)
                ) =>
            {
                base = base.operand(0);
            }
            _ => break,
        }
    }
    ConstData::Opaque
}

fn has_undef(value: handle::Value<'_>, depth: u32) -> bool {
    (0..value.operand_count()).map(|i| value.operand(i)).any(|element| match element.kind() {
        ValueKind::Undef | ValueKind::Poison => true,
        ValueKind::ConstantAggregate => depth >= 4 || has_undef(element, depth + 1),
        _ => false,
    })
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
