//! Which values share a register, and how many 32-bit registers does each take?
//!
//! A value takes registers by its type; predicates are a file of their own; kernel arguments, constants and what `ptxas`
//! computes in uniform registers from them (integer arithmetic over arguments, block indices and constants) take none.
//! A value that is another one plus a constant, or its bits under another type, is that other one: `ptxas` folds the
//! difference into the instruction that uses it. So is one of the same shape (base and variable parts of an address).
//!
//! Cost: linear.

use crate::affine::lanes::LaneModel;
use crate::divergence::Outline;
use crate::kernel::call::Callee;
use crate::kernel::entity::{Inst, Value};
use crate::kernel::inst::{Flags, Opcode};
use crate::kernel::types::TypeKind;
use crate::llvm::handle::intrinsic_id;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// Depth to which a value's operands are followed to see that it is computed from arguments alone.
const FREE_DEPTH: u32 = 12;

/// LLVM's numbers for some intrinsics, which stay what they are.
pub struct Intrinsics<const N: usize> {
    names: [&'static str; N],
    numbers: OnceLock<[u32; N]>,
}

impl<const N: usize> Intrinsics<N> {
    /// By their names without overload suffixes.
    pub const fn new(names: [&'static str; N]) -> Self {
        Intrinsics { names, numbers: OnceLock::new() }
    }
    /// Whether one of them has that number.
    pub fn contains(&self, number: u32) -> bool {
        self.numbers.get_or_init(|| self.names.map(intrinsic_id)).contains(&number)
    }
}

/// Intrinsics that are a compare and a select.
static BOUNDS: Intrinsics<4> = Intrinsics::new(["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"]);

/// The registers of a function's values.
pub struct Registers {
    /// Units of every value.
    units: Vec<u8>,
    /// The value whose register a value shares; itself for most.
    root: Vec<Value>,
    /// Values used outside their block, or by a phi.
    leaves: Vec<bool>,
    /// Registers that values share which their own value does not dominate.
    loose: Vec<bool>,
}

impl Registers {
    /// Finds them.
    pub fn new(outline: &Outline) -> Registers {
        let kernel = &outline.kernel;
        let count = kernel.value_count();
        let mut registers = Registers {
            units: units(outline),
            root: (0..count).map(Value::new).collect(),
            leaves: vec![false; count],
            loose: vec![false; count],
        };
        registers.share(outline);
        for (block, data) in kernel.blocks.iter() {
            let here = kernel.param_count + data.first..kernel.param_count + data.end;
            let (of_phis, others) = kernel.block_operands(block);
            for &value in of_phis {
                registers.leaves[value.index()] = true;
            }
            for &value in others.iter().filter(|value| !here.contains(&value.as_u32())) {
                registers.leaves[value.index()] = true;
            }
        }
        registers.part(outline);
        registers
    }

    /// 32-bit registers a value takes.
    #[inline]
    pub fn units(&self, value: Value) -> u32 {
        u32::from(self.units[value.index()])
    }
    /// The value whose register it shares.
    #[inline]
    pub fn of(&self, value: Value) -> Value {
        self.root[value.index()]
    }
    /// Whether the value is used outside its block, or by a phi.
    #[inline]
    pub fn leaves_block(&self, value: Value) -> bool {
        self.leaves[value.index()]
    }
    /// Whether the register may be wanted where its own value is not known.
    pub fn is_loose(&self, register: Value) -> bool {
        self.loose[register.index()]
    }

    /// Values that are the same but for a constant.
    fn share(&mut self, outline: &Outline) {
        let kernel = &outline.kernel;
        let mut shapes: FxHashMap<Shape, Value> = FxHashMap::default();
        shapes.reserve(kernel.insts.len() / 8);
        for &block in outline.cfg().order.rpo() {
            for inst in kernel.block_insts(block) {
                let opcode = kernel.insts[inst].opcode;
                if !may_share(opcode) {
                    continue;
                }
                let result = kernel.result(inst);
                let operands = kernel.operands(inst);
                let is_constant = |value: Value| kernel.constant(value).is_some();
                // predicates become numbers in a register of their own
                let bits = |value: Value| kernel.int_bits(value);
                if bits(result) == Some(1) || operands.first().is_some_and(|&value| bits(value) == Some(1)) {
                    continue;
                }
                let shape = match opcode {
                    Opcode::ZExt | Opcode::SExt if bits(result).is_some_and(|bits| bits > 32) => {
                        Some(Shape::Extended(self.of(operands[0])))
                    }
                    Opcode::Gep if !kernel.gep(inst).terms.is_empty() => {
                        let base = Some(self.of(operands[0])).filter(|&base| !is_constant(base));
                        let terms = kernel.gep(inst).terms.iter();
                        let terms = terms.map(|term| (self.of(operands[term.operand as usize]), term.stride));
                        Some(Shape::Address(base, terms.collect()))
                    }
                    _ => None,
                };
                if let Some(shape) = shape {
                    let first = *shapes.entry(shape).or_insert(result);
                    self.root[result.index()] = first;
                    let home = kernel.def(first).map(|def| kernel.insts[def].block);
                    self.loose[first.index()] |= home != Some(block);
                    continue;
                }
                let same = match opcode {
                    Opcode::Add | Opcode::Sub | Opcode::Or => is_constant(operands[1]),
                    Opcode::Gep => !is_constant(operands[0]),
                    _ => true,
                };
                if same {
                    self.root[result.index()] = self.of(operands[0]);
                }
            }
        }
    }

    /// A register that is shared at home, but crosses a boundary as one value only, is that value's.
    fn part(&mut self, outline: &Outline) {
        let kernel = &outline.kernel;
        const NOBODY: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        let mut only = vec![NOBODY; self.root.len()];
        let results = kernel.param_count as usize..kernel.param_count as usize + kernel.insts.len();
        let leaving = results.filter(|&value| self.units[value] > 0 && self.leaves[value]);
        for value in leaving {
            let only = &mut only[self.root[value].index()];
            *only = if *only == NOBODY { value as u32 } else { SEVERAL };
        }
        for value in only.into_iter().filter(|&only| only < SEVERAL) {
            self.root[value as usize] = Value::from_u32(value);
        }
    }
}

/// Whether the result of an opcode may share a register with an operand.
fn may_share(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Add | Sub
            | Or
            | Gep
            | BitCast
            | AddrSpaceCast
            | PtrToInt
            | IntToPtr
            | Trunc
            | ZExt
            | SExt
            | ExtractValue
            | ExtractElement
    )
}

/// What makes two values the same but for a constant.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Extended(Value),
    /// Base (none for any global variable) and variable parts.
    Address(Option<Value>, SmallVec<[(Value, u64); 2]>),
}

/// 32-bit registers of a type.
pub fn type_units(kind: TypeKind, store_size: u64) -> u32 {
    let words = |bits: u32| bits.div_ceil(32);
    match kind {
        TypeKind::Int(1) | TypeKind::Void | TypeKind::Other => 0,
        TypeKind::Int(bits) | TypeKind::Float(bits) => words(bits),
        TypeKind::Ptr { space: 3..=5, .. } => 1,
        TypeKind::Ptr { bits, .. } => words(bits),
        TypeKind::Vector { element_bits, length, .. } => words(element_bits * length),
        TypeKind::Aggregate => store_size.div_ceil(4).min(64) as u32,
    }
}

/// Units of every value: those of its type, and none where `ptxas` finds it again without a vector register.
fn units(outline: &Outline) -> Vec<u8> {
    let kernel = &outline.kernel;
    let types = kernel.types.values();
    let of_type: Vec<u8> = types.map(|info| type_units(info.kind, info.store_size).min(255) as u8).collect();
    let mut search =
        Search { outline, lanes: LaneModel::new(&outline.geometry), known: vec![Found::Unknown; kernel.insts.len()] };
    let mut units = vec![0; kernel.value_count()];
    for (inst, data) in kernel.insts.iter() {
        let wanted = of_type[data.ty.index()];
        if wanted > 0 && !(may_be_free(data.opcode) && search.find(inst, FREE_DEPTH) != Found::InRegister) {
            units[kernel.result(inst).index()] = wanted;
        }
    }
    units
}

/// Whether any result of an opcode is found again without a vector register.
fn may_be_free(opcode: Opcode) -> bool {
    use Opcode::*;
    let arithmetic = matches!(opcode, Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | UDiv | SDiv | URem | SRem);
    let other = matches!(opcode, Trunc | ZExt | SExt | Gep | AddrSpaceCast | ICmp | Select | Alloca | Load | Call);
    arithmetic || other
}

/// Where `ptxas` has a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Unknown,
    /// In a vector register.
    InRegister,
    /// Found again without one, but maybe another in each lane: the address of an array of computed size.
    Free,
    /// Found again without one, and all lanes agree on it.
    Uniform,
}

/// Which values does `ptxas` find again from arguments, block indices and constants without a vector register?
struct Search<'a> {
    outline: &'a Outline,
    lanes: LaneModel,
    known: Vec<Found>,
}

impl Search<'_> {
    fn find(&mut self, def: Inst, depth: u32) -> Found {
        let known = self.known[def.index()];
        if known != Found::Unknown {
            return known;
        }
        if depth == 0 {
            return Found::InRegister;
        }
        let found = self.look(def, depth);
        self.known[def.index()] = found;
        found
    }

    fn look(&mut self, def: Inst, depth: u32) -> Found {
        use Opcode::*;
        let outline = self.outline;
        let kernel = &outline.kernel;
        let data = &kernel.insts[def];
        let operands = kernel.operands(def);
        let simple = match data.opcode {
            Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Trunc | ZExt | SExt | Gep | AddrSpaceCast | ICmp
            | Select | Alloca => true,
            // by a constant it is a product and a shift
            UDiv | SDiv | URem | SRem => kernel.constant(operands[1]).is_some(),
            Load => {
                let space = kernel.type_info(operands[0]).kind.space();
                matches!(space, Some(4 | 101)) && !data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC)
            }
            Call => match kernel.call(def).callee {
                Callee::Intrinsic(id) => outline.reads_together(def, &self.lanes) || BOUNDS.contains(id),
                _ => false,
            },
            _ => false,
        };
        // what is computed from what lanes agree on is the same in all of them
        let mut agree = simple;
        for &operand in operands.iter().take_while(|_| simple) {
            match kernel.def(operand).map_or(Found::Uniform, |def| self.find(def, depth - 1)) {
                Found::Unknown | Found::InRegister => return Found::InRegister,
                Found::Free => agree = false,
                Found::Uniform => {}
            }
        }
        match data.opcode {
            // of a fixed size it stands at the same place in every lane
            Alloca if data.block != kernel.graph.entry() || kernel.constant(operands[0]).is_none() => Found::Free,
            _ if agree => Found::Uniform,
            _ => Found::InRegister,
        }
    }
}
