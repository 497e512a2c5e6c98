//! How is a module converted to plain data? In one walk: globals and functions are numbered, then bodies are imported;
//! types and constants are interned on the way, by LLVM's identity.
//!
//! Input: a module that has passed the verifier (which parsing runs). Cost: linear in the module, plus one print of the
//! module for names and texts.

use super::dialect::is_branch;
use super::handle::{
    AttrPlace, Block, DebugLoc, Function, Inst, Layout, Module, RawOpcode as L, Type, TypeKind as RawKind, Value,
    ValueKind, attribute_kind, intrinsic_name, quote_name,
};
use super::image::*;
use super::image::{bin_op, cast_op, int_cmp, rmw_op};
use super::image_text::instruction_texts;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Imports a whole module. `name` is for messages.
pub fn import(module: Module<'_>, name: &str) -> ModuleImage {
    let mut importer = Importer::new(module, name);
    importer.globals(module);
    importer.functions(module);
    importer.image
}

pub(super) struct Importer<'m> {
    layout: Layout<'m>,
    pub(super) image: ModuleImage,
    types: FxHashMap<Type<'m>, TypeId>,
    pub(super) constants: FxHashMap<Value<'m>, ConstId>,
    pub(super) global_ids: FxHashMap<Value<'m>, GlobalId>,
    pub(super) function_ids: FxHashMap<Value<'m>, FuncId>,
    locations: FxHashMap<DebugLoc<'m>, LocId>,
    by_value: u32,
    align: u32,
}

/// What the operands of one function's instructions refer to.
struct Scope<'m> {
    args: FxHashMap<Value<'m>, u32>,
    insts: FxHashMap<Value<'m>, u32>,
    blocks: FxHashMap<Block<'m>, u32>,
}

impl<'m> Importer<'m> {
    fn new(module: Module<'m>, name: &str) -> Self {
        let image = ModuleImage { name: name.to_owned(), ..ModuleImage::default() };
        Importer {
            layout: module.layout(),
            image,
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            global_ids: FxHashMap::default(),
            function_ids: FxHashMap::default(),
            locations: FxHashMap::default(),
            by_value: attribute_kind("byval"),
            align: attribute_kind("align"),
        }
    }

    pub(super) fn ty(&mut self, ty: Type<'m>) -> TypeId {
        if let Some(&id) = self.types.get(&ty) {
            return id;
        }
        let kind = match ty.kind() {
            RawKind::LLVMVoidTypeKind => TypeKind::Void,
            RawKind::LLVMIntegerTypeKind => TypeKind::Int(ty.int_bits().unwrap_or(0)),
            RawKind::LLVMHalfTypeKind => TypeKind::Half,
            RawKind::LLVMBFloatTypeKind => TypeKind::BFloat,
            RawKind::LLVMFloatTypeKind => TypeKind::Float,
            RawKind::LLVMDoubleTypeKind => TypeKind::Double,
            RawKind::LLVMPointerTypeKind => TypeKind::Ptr(ty.address_space().unwrap_or(0)),
            RawKind::LLVMVectorTypeKind => match ty.element() {
                Some(element) => TypeKind::Vector { element: self.ty(element), length: ty.length() as u32 },
                None => TypeKind::Other(ty.print()),
            },
            RawKind::LLVMArrayTypeKind => match ty.element() {
                Some(element) => TypeKind::Array { element: self.ty(element), length: ty.length() },
                None => TypeKind::Other(ty.print()),
            },
            // Offsets exist for sized structs only; an opaque one has neither size nor elements.
            RawKind::LLVMStructTypeKind if ty.has_fixed_size() => {
                let elements = (0..ty.length() as u32)
                    .map(|i| (self.ty(ty.struct_element(i)), self.layout.struct_offset(ty, i).unwrap_or(0)))
                    .collect();
                TypeKind::Struct(elements)
            }
            RawKind::LLVMLabelTypeKind => TypeKind::Label,
            RawKind::LLVMMetadataTypeKind => TypeKind::Metadata,
            _ => TypeKind::Other(ty.print()),
        };
        let sizes = self.layout.alloc_size(ty).zip(self.layout.store_size(ty));
        let (size, store, align) = match sizes.filter(|_| !matches!(kind, TypeKind::Other(_))) {
            Some((size, store)) => (size, store, self.layout.align(ty)),
            None => (0, 0, 1),
        };
        let id = TypeId(self.image.types.len() as u32);
        self.image.types.push(TypeData { kind, size, store, align });
        self.types.insert(ty, id);
        id
    }

    fn globals(&mut self, module: Module<'m>) {
        for (number, global) in (0u32..).zip(module.globals()) {
            self.global_ids.insert(global, GlobalId(number));
        }
        for (number, function) in (0u32..).zip(module.functions()) {
            self.function_ids.insert(function.value(), FuncId(number));
        }
        for global in module.globals() {
            let ty = self.ty(global.global_value_type().unwrap_or(global.ty()));
            let initializer = global.initializer().map(|value| self.constant(value));
            let align = match global.explicit_align() {
                0 => self.image.ty(ty).align,
                explicit => explicit,
            };
            self.image.globals.push(GlobalImage {
                name: global.name(),
                ty,
                address_space: global.ty().address_space().unwrap_or(0),
                align,
                constant: global.is_global_constant(),
                initializer,
            });
        }
    }

    fn functions(&mut self, module: Module<'m>) {
        let annotated = annotated_kernels(module);
        let printed = module.print();
        let mut texts = instruction_texts(&printed).into_iter();
        for function in module.functions() {
            let lines = if function.is_declaration() { Vec::new() } else { texts.next().unwrap_or_default() };
            let is_kernel = function.is_ptx_kernel() || annotated.contains(&function.name());
            let image = self.function(function, is_kernel, &lines);
            self.image.functions.push(image);
        }
    }

    fn function(&mut self, function: Function<'m>, is_kernel: bool, lines: &[&str]) -> FunctionImage {
        let mut slot = 0u32;
        let mut name_of = |value: Value<'m>| {
            let name = value.name();
            if !name.is_empty() {
                return quote_name('%', &name);
            }
            slot += 1;
            format!("%{}", slot - 1)
        };
        let mut scope = Scope { args: FxHashMap::default(), insts: FxHashMap::default(), blocks: FxHashMap::default() };
        let mut params = Vec::new();
        for index in 0..function.param_count() {
            let value = function.param(index);
            scope.args.insert(value, index);
            let place = AttrPlace::Param(index);
            let by_value = function.type_attribute(place, self.by_value).map(|ty| {
                let ty = self.ty(ty);
                let align = function.int_attribute(place, self.align).map_or(self.image.ty(ty).align, |a| a as u32);
                (ty, align)
            });
            params.push(ParamImage { name: name_of(value), ty: self.ty(value.ty()), by_value });
        }
        let mut blocks = Vec::new();
        let mut names = Vec::new();
        for (number, block) in (0u32..).zip(function.blocks()) {
            scope.blocks.insert(block, number);
            let name = name_of(block.as_value());
            let first = names.len() as u32;
            for inst in block.insts() {
                scope.insts.insert(inst.value(), names.len() as u32);
                let is_void = inst.ty().kind() == RawKind::LLVMVoidTypeKind;
                names.push(if is_void { String::new() } else { name_of(inst.value()) });
            }
            blocks.push(BlockImage { name, first, count: names.len() as u32 - first, successors: Vec::new() });
        }
        let mut insts = Vec::with_capacity(names.len());
        let trusted = lines.len() == names.len();
        for (number, block) in function.blocks().enumerate() {
            for inst in block.insts() {
                let ordinal = insts.len();
                let mut image = self.inst(inst, &scope);
                image.name = std::mem::take(&mut names[ordinal]);
                image.text = if trusted { lines[ordinal].to_owned() } else { inst.value().print().trim().to_owned() };
                insts.push(image);
            }
            if let Some(last) = block.terminator() {
                let targets = last.successors().filter_map(|to| scope.blocks.get(&to).copied());
                blocks[number].successors = targets.collect();
            }
        }
        let intrinsic = Some(function.intrinsic_id()).filter(|&id| id != 0).map(intrinsic_name);
        FunctionImage { name: function.name(), is_kernel, intrinsic, params, blocks, insts }
    }

    fn location(&mut self, loc: DebugLoc<'m>) -> LocId {
        if let Some(&id) = self.locations.get(&loc) {
            return id;
        }
        let inlined_at = loc.inlined_at().map(|outer| self.location(outer));
        let id = LocId(self.image.locations.len() as u32);
        let place = Location { file: loc.file(), line: loc.line(), column: loc.column(), inlined_at };
        self.image.locations.push(place);
        self.locations.insert(loc, id);
        id
    }

    fn operand(&mut self, value: Value<'m>, scope: &Scope<'m>) -> Operand {
        match value.kind() {
            ValueKind::Argument => scope.args.get(&value).map_or(Operand::Metadata, |&i| Operand::Arg(i)),
            ValueKind::Instruction => scope.insts.get(&value).map_or(Operand::Metadata, |&i| Operand::Inst(i)),
            ValueKind::Metadata | ValueKind::Block | ValueKind::InlineAsm => Operand::Metadata,
            _ => Operand::Const(self.constant(value)),
        }
    }

    fn inst(&mut self, inst: Inst<'m>, scope: &Scope<'m>) -> InstImage {
        let values = self.operands_of(inst);
        let op = self.op(inst, scope, &values);
        let operands = values.iter().map(|&value| self.operand(value, scope)).collect();
        let operand_types = values.iter().map(|value| self.ty(value.ty())).collect();
        let ty = self.ty(inst.ty());
        let loc = inst.debug_loc().map(|loc| self.location(loc));
        InstImage { op, ty, operands, operand_types, loc, name: String::new(), text: String::new() }
    }

    /// The operands in reading order, without blocks and direct callees.
    fn operands_of(&self, inst: Inst<'m>) -> SmallVec<[Value<'m>; 3]> {
        match inst.opcode() {
            opcode if is_branch(opcode) => inst.branch_condition().into_iter().collect(),
            L::LLVMSwitch => SmallVec::from_slice(&[inst.operand(0)]),
            L::LLVMPHI => (0..inst.incoming_count()).map(|i| inst.incoming(i).0).collect(),
            L::LLVMCall => {
                let mut values: SmallVec<_> = (0..inst.argument_count()).map(|i| inst.operand(i)).collect();
                let callee = inst.called_value();
                if callee.as_function().is_none() && callee.kind() != ValueKind::InlineAsm {
                    values.push(callee);
                }
                values
            }
            _ => inst.operands().collect(),
        }
    }

    fn op(&mut self, inst: Inst<'m>, scope: &Scope<'m>, operands: &[Value<'m>]) -> Op {
        if let Some(op) = bin_op(inst.opcode()) {
            return Op::Bin(op, flags_of(inst));
        }
        if let Some(op) = cast_op(inst.opcode()) {
            return Op::Cast(op, flags_of(inst));
        }
        let other = || Op::Other(format!("{:?}", inst.opcode()).trim_start_matches("LLVM").to_lowercase());
        match inst.opcode() {
            L::LLVMRet => Op::Ret,
            opcode if is_branch(opcode) && operands.is_empty() => Op::Br,
            opcode if is_branch(opcode) => Op::CondBr,
            L::LLVMSwitch => {
                let cases = (1..inst.successors().count() as u32).filter_map(|i| inst.switch_case(i));
                Op::Switch(cases.map(|value| self.constant(value)).collect())
            }
            L::LLVMUnreachable => Op::Unreachable,
            L::LLVMFNeg => Op::FNeg,
            L::LLVMICmp => int_cmp(inst.int_predicate()).map_or_else(other, |op| Op::ICmp(op, inst.has_samesign())),
            L::LLVMFCmp => Op::FCmp(FloatCmp(inst.real_predicate() as u8 & 15)),
            L::LLVMSelect => Op::Select,
            L::LLVMPHI => {
                let from = (0..inst.incoming_count()).map(|i| inst.incoming(i).1);
                Op::Phi(from.map(|block| scope.blocks.get(&block).copied().unwrap_or(u32::MAX)).collect())
            }
            L::LLVMCall => Op::Call(self.callee(inst)),
            L::LLVMAlloca => Op::Alloca { ty: self.ty(inst.allocated_type()), align: inst.align() },
            L::LLVMLoad => Op::Load { align: inst.align(), volatile: inst.is_volatile(), atomic: inst.is_atomic() },
            L::LLVMStore => Op::Store { align: inst.align(), volatile: inst.is_volatile(), atomic: inst.is_atomic() },
            L::LLVMGetElementPtr => self.gep(inst.value()),
            L::LLVMFence => Op::Fence,
            L::LLVMAtomicRMW => rmw_op(inst.rmw_op()).map_or_else(other, |op| Op::AtomicRmw(op, inst.align())),
            L::LLVMAtomicCmpXchg => Op::CmpXchg(inst.align()),
            L::LLVMExtractValue => Op::ExtractValue(inst.indices().to_vec()),
            L::LLVMInsertValue => Op::InsertValue(inst.indices().to_vec()),
            L::LLVMExtractElement => Op::ExtractElement,
            L::LLVMInsertElement => Op::InsertElement,
            L::LLVMShuffleVector => Op::ShuffleVector(inst.shuffle_mask()),
            L::LLVMFreeze => Op::Freeze,
            _ => other(),
        }
    }

    fn callee(&mut self, inst: Inst<'m>) -> Callee {
        let callee = inst.called_value();
        if callee.kind() == ValueKind::InlineAsm {
            return Callee::Asm { text: callee.asm_text(), constraints: callee.asm_constraints() };
        }
        match callee.as_function().and_then(|_| self.function_ids.get(&callee)) {
            Some(&id) => Callee::Direct(id),
            None => Callee::Indirect,
        }
    }

    /// Steps and constant offset of a GEP, instruction or constant expression.
    pub(super) fn gep(&mut self, gep: Value<'m>) -> Op {
        let mut offset = 0i64;
        let mut steps = Vec::new();
        let mut ty = gep.gep_source_type();
        for operand in 1..gep.operand_count() {
            let index = gep.operand(operand);
            let scale = if operand == 1 {
                self.layout.alloc_size(ty)
            } else if ty.kind() == RawKind::LLVMStructTypeKind {
                // A vector GEP's struct index is a splat; its first element says the field.
                let field = index.const_u64().or_else(|| index.aggregate_element(0)?.const_u64()).unwrap_or(0) as u32;
                let Some(start) = self.layout.struct_offset(ty, field) else {
                    return Op::Other("getelementptr".into());
                };
                offset = offset.wrapping_add(start as i64);
                ty = ty.struct_element(field);
                continue;
            } else {
                let Some(element) = ty.element() else { return Op::Other("getelementptr".into()) };
                ty = element;
                self.layout.alloc_size(element)
            };
            let Some(scale) = scale.map(|size| size as i64) else { return Op::Other("getelementptr".into()) };
            match index.const_i64() {
                Some(constant) => offset = offset.wrapping_add(constant.wrapping_mul(scale)),
                None => steps.push(GepStep { operand, scale }),
            }
        }
        Op::Gep { offset, steps }
    }
}

/// Kernels named in `!nvvm.annotations`, as older IR marks them.
fn annotated_kernels(module: Module<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for node in module.named_metadata("nvvm.annotations") {
        let operands = node.md_operands();
        let [Some(function), rest @ ..] = operands.as_slice() else { continue };
        let mut pairs = rest.chunks_exact(2);
        let says_kernel = pairs.any(|pair| {
            let key = pair[0].and_then(|key| key.md_string());
            let value = pair[1].and_then(|value| value.const_u64());
            key.as_deref() == Some("kernel") && value == Some(1)
        });
        if says_kernel && let Some(function) = function.as_function() {
            names.push(function.name());
        }
    }
    names
}

fn flags_of(inst: Inst<'_>) -> Flags {
    let mut flags = Flags::default();
    match inst.opcode() {
        L::LLVMAdd | L::LLVMSub | L::LLVMMul | L::LLVMShl | L::LLVMTrunc => {
            flags.nuw = inst.has_nuw();
            flags.nsw = inst.has_nsw();
        }
        L::LLVMUDiv | L::LLVMSDiv | L::LLVMLShr | L::LLVMAShr => flags.exact = inst.is_exact(),
        L::LLVMZExt | L::LLVMUIToFP => flags.nneg = inst.has_nneg(),
        L::LLVMOr => flags.disjoint = inst.is_disjoint(),
        L::LLVMFAdd | L::LLVMFSub | L::LLVMFMul => flags.contract = inst.allows_contraction(),
        _ => {}
    }
    flags
}
