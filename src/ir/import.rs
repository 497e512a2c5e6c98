//! How is a function imported from LLVM? The C++ walker writes it into arrays of numbers; this file decodes what those
//! numbers refer to.
//!
//! 1. The walker ([`crate::llvm::walk`]) numbers instructions in order, and types, constants and calls when they first
//!    occur. GEPs become `base + offset + Σ index·stride`.
//! 2. Types, constants and calls that are not plain numbers are decoded, once each.
//!
//! The function must pass LLVM's verifier. An instruction that the walker does not know becomes [`Opcode::Other`],
//! which the analysis treats as divergent. Cost: linear.
//!
//! [`Opcode::Other`]: super::inst::Opcode::Other

use super::asm::{self, Program};
use super::call::{CallData, Callee, Memory};
use super::constant::{constant_address, has_undef};
use super::handles::Handles;
use super::inst::ConstData;
use super::types::TypeInfo;
use super::{Func, scratch};
use crate::entity::Type;
use crate::geometry::Geometry;
use crate::graph::Graph;
use crate::llvm::handle::{self, AttrPlace, TypeKind as TypeCode, ValueKind, attribute_kind, metadata_kind};
use crate::llvm::walk::{CallKind, Constant, FlagKinds, has_launch_attributes};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::sync::OnceLock;

/// LLVM's numbers of attributes, looked up once per process.
pub struct AttributeKinds {
    pub memory: u32,
    pub convergent: u32,
}

impl AttributeKinds {
    /// The numbers.
    pub fn get() -> &'static AttributeKinds {
        static KINDS: OnceLock<AttributeKinds> = OnceLock::new();
        KINDS.get_or_init(|| AttributeKinds {
            memory: attribute_kind("memory"),
            convergent: attribute_kind("convergent"),
        })
    }
}

/// What is known about a whole module before its functions are imported.
pub struct ModuleContext<'m> {
    pub module: handle::Module<'m>,
    kinds: &'static AttributeKinds,
    flags: FlagKinds,
    /// The functions in module order, and the position of each by address; listed on first use, which is rare.
    functions: OnceCell<(Vec<handle::Function<'m>>, FxHashMap<usize, u32>)>,
}

impl<'m> ModuleContext<'m> {
    /// Reads the symbols of the module, not the bodies.
    pub fn new(module: handle::Module<'m>) -> Self {
        // LLVM gives its own metadata kinds the same numbers in every context
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
pub fn import<'m>(context: &ModuleContext<'m>, function: handle::Function<'m>) -> (Func, Handles<'m>) {
    let mut tables = scratch::take();
    // opcodes of both sides are compared when warpwise is built, so this panic does not occur; it would come before any
    // edit
    let snapshot = tables.walk(function, context.flags).unwrap_or_else(|error| panic!("{error}"));
    let layout = context.module.layout();
    let types: PrimaryMap<Type, TypeInfo> = snapshot.types.iter().map(|&ty| TypeInfo::of(ty, layout)).collect();
    let consts: Vec<(ConstData, Type)> =
        snapshot.constants.iter().map(|constant| (data_of(constant, &types), constant.ty)).collect();
    let mut asms = Assemblies::default();
    let calls = snapshot.calls.iter().map(|call| call_of(context, call, &mut asms)).collect();
    let mut values = snapshot.values;
    values.reserve_exact(snapshot.constants.len());
    values.extend(snapshot.constants.iter().map(|constant| constant.value));
    tables.keep(snapshot.constants, snapshot.types, snapshot.calls);
    scratch::put_back(tables, snapshot.insts.len());
    let func = Func {
        is_kernel: function.is_ptx_kernel(),
        params: snapshot.params,
        blocks: snapshot.bounds.into(),
        insts: snapshot.insts.into(),
        pool: snapshot.operands,
        phi_blocks: snapshot.phi_blocks,
        types,
        has_undefined: consts.iter().any(|(data, _)| data.is_undefined()),
        consts,
        geps: snapshot.geps,
        gep_terms: snapshot.terms,
        calls,
        asms: asms.programs,
        graph: Graph::from_rows(snapshot.successor_ends, snapshot.successors),
        geometry: geometry(function),
        param_count: function.param_count(),
    };
    let handles = Handles { function, blocks: snapshot.blocks, values, param_count: func.param_count };
    (func, handles)
}

/// What is known of the launches of a function.
fn geometry(function: handle::Function<'_>) -> Geometry {
    if !has_launch_attributes(function) {
        return Geometry::default(); // each question about an attribute costs more than to look at all
    }
    Geometry::from_attributes(|name| function.string_attribute(name))
}

fn data_of(constant: &Constant<'_>, types: &PrimaryMap<Type, TypeInfo>) -> ConstData {
    if let Some(number) = constant.int() {
        return ConstData::Int(number);
    }
    let value = constant.value;
    match value.kind() {
        ValueKind::ConstantNull => match types[constant.ty].kind.int_bits() {
            Some(_) => ConstData::Int(0),
            None => ConstData::Opaque,
        },
        ValueKind::Undef => ConstData::Undef,
        ValueKind::Poison => ConstData::Poison,
        ValueKind::GlobalVariable | ValueKind::GlobalAlias | ValueKind::Function | ValueKind::ConstantExpr => {
            constant_address(value)
        }
        ValueKind::ConstantAggregate if has_undef(value, 0) => ConstData::PartlyUndef,
        ValueKind::Metadata | ValueKind::Block | ValueKind::InlineAsm => ConstData::NotData,
        _ => ConstData::Opaque,
    }
}

/// The inline assembly of a function, each text read once.
#[derive(Default)]
struct Assemblies {
    programs: Vec<Program>,
    /// Numbers by the address of LLVM's value.
    known: FxHashMap<usize, u32>,
}

impl Assemblies {
    fn number(&mut self, called: handle::Value<'_>, inst: handle::Inst<'_>, layout: handle::Layout<'_>) -> u32 {
        *self.known.entry(called.address()).or_insert_with(|| {
            let result = inst.ty();
            let results: Vec<u32> = match result.kind() {
                TypeCode::LLVMVoidTypeKind => Vec::new(),
                TypeCode::LLVMStructTypeKind => {
                    (0..result.length() as u32).map(|index| width(result.struct_element(index), layout)).collect()
                }
                _ => vec![width(result, layout)],
            };
            let arguments: Vec<u32> =
                (0..inst.argument_count()).map(|index| width(inst.operand(index).ty(), layout)).collect();
            self.programs.push(asm::read(&called.asm_text(), &called.asm_constraints(), &results, &arguments));
            self.programs.len() as u32 - 1
        })
    }
}

/// Number of bits of a value in a register; zero if no register holds it.
fn width(ty: handle::Type<'_>, layout: handle::Layout<'_>) -> u32 {
    let bytes = || layout.store_size(ty).unwrap_or(0);
    match ty.kind() {
        TypeCode::LLVMIntegerTypeKind => ty.int_bits().unwrap_or(0),
        TypeCode::LLVMStructTypeKind | TypeCode::LLVMArrayTypeKind | TypeCode::LLVMTargetExtTypeKind => 0,
        _ => 8 * u32::try_from(bytes()).unwrap_or(0),
    }
}

fn call_of<'m>(context: &ModuleContext<'m>, kind: &CallKind<'m>, asms: &mut Assemblies) -> CallData {
    let inst = kind.call.as_known_inst();
    let called = inst.called_value();
    let function = called.as_function();
    let callee = match function {
        Some(f) if f.intrinsic_id() != 0 => Callee::Intrinsic(f.intrinsic_id()),
        Some(f) => context.index_of(f).map_or(Callee::Indirect, Callee::Function),
        None if called.kind() == ValueKind::InlineAsm => Callee::Asm { side_effects: called.asm_has_side_effects() },
        None => Callee::Indirect,
    };
    let memory = [
        inst.int_call_attribute(AttrPlace::Function, context.kinds.memory),
        function.and_then(|f| f.int_attribute(AttrPlace::Function, context.kinds.memory)),
    ];
    let memory = memory.into_iter().flatten().map(Memory::of_encoding).min().unwrap_or(Memory::ReadWrite);
    let is_asm = matches!(callee, Callee::Asm { .. });
    CallData {
        callee,
        memory,
        convergent: kind.convergent,
        no_divergence_source: kind.no_divergence_source,
        no_return: kind.no_return,
        will_return: kind.will_return,
        asm: is_asm.then(|| asms.number(called, inst, context.module.layout())),
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::owned::OwnedModule;

    /// A kernel of blocks that add what the one before has to themselves, with so many instructions.
    fn steps(count: usize) -> String {
        let mut text = "define ptx_kernel void @k(ptr %p, i32 %n) {\nbr label %b1\n".to_owned();
        for at in 1..count / 4 {
            let (before, next) = (if at == 1 { "%n".to_owned() } else { format!("%v{}", at - 1) }, at + 1);
            text += &format!(
                "b{at}:\n%v{at} = add i32 {before}, {at}\n%c{at} = icmp slt i32 %v{at}, %n\n\
                 store i32 %v{at}, ptr %p\nbr i1 %c{at}, label %b{next}, label %end\n"
            );
        }
        text + &format!("b{}:\nbr label %end\nend:\nret void\n}}\n", count / 4)
    }

    /// Large enough for tables and arrays to grow.
    #[test]
    fn operands_lead_back_to_llvm() {
        let text = steps(20_000);
        let module = OwnedModule::from_text(&text, "t").unwrap();
        let context = ModuleContext::new(module.handle());
        for function in module.handle().functions().filter(|function| !function.is_declaration()) {
            // the second import reuses the tables of the first
            let (first, _) = import(&context, function);
            let (func, handles) = import(&context, function);
            assert_eq!((first.pool, first.consts), (func.pool.clone(), func.consts.clone()));
            for inst in func.insts.keys() {
                let raw = handles.inst(inst);
                assert_eq!(handles.block(func.insts[inst].block), raw.block());
                let numbered = func.operands(inst).iter().enumerate();
                if !func.insts[inst].opcode.is_terminator() {
                    numbered.for_each(|(at, &value)| assert_eq!(handles.value(value), raw.operand(at as u32)));
                }
            }
        }
    }
}
