//! Which values share a register, and how many 32-bit registers does each take?
//!
//! A value takes registers according to its type. Predicates have a register file of their own. Kernel arguments,
//! constants, and what `ptxas` computes from them in uniform registers (integer arithmetic over arguments, block
//! indices and constants) take none. A value that is another value plus a constant, or its bits under another type,
//! shares the register of that value, because `ptxas` folds the difference into the instruction that uses it. So do
//! addresses with the same base and variable parts.
//!
//! Cost: linear.

use crate::affine::lanes::LaneModel;
use crate::divergence::Outline;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_ir::Func;
use warpwise_ir::call::BOUNDS;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{Flags, GepTerm, Opcode};
use warpwise_ir::types::TypeKind;

/// Maximum depth to which operands are followed to see that a value is computed from arguments alone.
const FREE_DEPTH: u32 = 12;

/// The registers of a function's values.
pub struct Registers {
    /// Units (32-bit registers) of every value.
    units: Vec<u8>,
    /// The value whose register each value shares; usually itself.
    root: Vec<Value>,
    /// Instructions that share another value's register, in function order.
    pub sharing: Vec<Inst>,
    /// Values used outside their block, or by a phi.
    leaves: Vec<bool>,
    /// Shared registers whose own value does not dominate all values that share them.
    precedes_definition: Vec<bool>,
}

impl Registers {
    /// Assigns registers to values.
    pub fn new(outline: &Outline) -> Registers {
        let func = &outline.func;
        let count = func.value_count();
        let mut registers = Registers {
            units: units(outline),
            root: (0..count).map(Value::new).collect(),
            sharing: Vec::new(),
            leaves: vec![false; count],
            precedes_definition: vec![false; count],
        };
        registers.share(outline);
        let leaves = &mut registers.leaves[..];
        for (block, data) in func.blocks.iter() {
            let (first, count) = (func.param_count + data.first, data.end - data.first);
            let (of_phis, others) = func.block_operands(block);
            of_phis.iter().for_each(|value| leaves[value.index()] = true);
            for value in others {
                leaves[value.index()] |= value.as_u32().wrapping_sub(first) >= count;
            }
        }
        registers.part(func);
        registers
    }

    /// Number of 32-bit registers that a value takes.
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
    /// Whether the register may be needed where its own value is not available.
    pub fn precedes_definition(&self, register: Value) -> bool {
        self.precedes_definition[register.index()]
    }

    /// Finds values that differ only by a constant.
    fn share(&mut self, outline: &Outline) {
        let func = &outline.func;
        let insts = func.insts.as_values_slice();
        let widths: SmallVec<[u32; 16]> =
            func.types.values().map(|info| info.kind.int_bits().unwrap_or_default()).collect();
        let first_constant = func.param_count as usize + insts.len();
        let is_constant = |value: Value| value.index() >= first_constant;
        let mut shapes: FxHashMap<Shape, Value> = FxHashMap::default();
        shapes.reserve(insts.len() / 8);
        for &block in outline.cfg().order.rpo() {
            for inst in func.block_insts(block) {
                let data = &insts[inst.index()];
                let opcode = data.opcode;
                if !may_share(opcode) {
                    continue;
                }
                let (result, width) = (func.result(inst), widths[data.ty.index()]);
                let operands = func.operands(inst);
                // predicates become numbers in registers
                let from_bit = |value: &Value| may_widen(opcode) && widths[func.type_of(*value).index()] == 1;
                if width == 1 || operands.first().is_some_and(from_bit) {
                    continue;
                }
                let shape = match opcode {
                    Opcode::ZExt | Opcode::SExt if width > 32 => Some(Shape::Extended(self.of(operands[0]))),
                    Opcode::Gep => {
                        let base = Some(self.of(operands[0])).filter(|&base| !is_constant(base));
                        let term = |term: &GepTerm| (self.of(operands[term.operand as usize]), term.stride);
                        match func.gep(inst).terms {
                            [] => None,
                            terms => Some(Shape::Address(base, terms.iter().map(term).collect())),
                        }
                    }
                    _ => None,
                };
                let root = match shape {
                    Some(shape) => {
                        let first = *shapes.entry(shape).or_insert(result);
                        let home = func.def(first).map(|def| insts[def.index()].block);
                        self.precedes_definition[first.index()] |= home != Some(block);
                        first
                    }
                    None => match opcode {
                        Opcode::Add | Opcode::Sub | Opcode::Or if !is_constant(operands[1]) => continue,
                        Opcode::Gep if is_constant(operands[0]) => continue,
                        _ => self.of(operands[0]),
                    },
                };
                if root != result {
                    self.root[result.index()] = root;
                    self.sharing.push(inst);
                }
            }
        }
    }

    /// A register that is shared inside a block, but crosses a boundary only as one value, becomes that value's.
    fn part(&mut self, func: &Func) {
        /// No value crosses a boundary in this register, and more than one does.
        const NOBODY: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        // by register: the value that crosses a boundary
        let mut only = vec![NOBODY; self.root.len()];
        for value in self.sharing.iter().map(|&inst| func.result(inst)) {
            let root = self.of(value);
            for value in [root, value].into_iter().filter(|&value| self.units(value) > 0 && self.leaves_block(value)) {
                let only = &mut only[root.index()];
                let is_alone = *only == NOBODY || *only == value.as_u32();
                *only = if is_alone { value.as_u32() } else { SEVERAL };
            }
        }
        let root = &mut self.root;
        self.sharing.retain(|&inst| {
            let value = func.result(inst);
            let is_own = only[root[value.index()].index()] == value.as_u32();
            if is_own {
                root[value.index()] = value;
            }
            !is_own
        });
        self.sharing.sort_unstable();
    }
}

/// Whether the result of an opcode may share a register with an operand.
fn may_share(opcode: Opcode) -> bool {
    use Opcode::*;
    let sharing = [Add, Sub, Or, Gep, BitCast, AddrSpaceCast, PtrToInt, IntToPtr, Trunc, ZExt, SExt];
    sharing.contains(&opcode) || matches!(opcode, ExtractValue | ExtractElement)
}

/// Whether the result of such an opcode may have more bits than the operand.
fn may_widen(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::ZExt | Opcode::SExt | Opcode::BitCast | Opcode::IntToPtr)
}

/// The key under which values differ only by a constant.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Extended(Value),
    /// Base (none for any global variable) and variable parts.
    Address(Option<Value>, SmallVec<[(Value, u64); 2]>),
}

/// Number of 32-bit registers of a type.
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

/// Units of every value: those of its type, or none if `ptxas` can recompute it without a vector register.
fn units(outline: &Outline) -> Vec<u8> {
    let func = &outline.func;
    let types = func.types.values();
    let of_type: SmallVec<[u8; 16]> = types.map(|info| type_units(info.kind, info.store_size).min(255) as u8).collect();
    let mut known = vec![Found::Uniform; func.value_count()];
    let results = func.param_count as usize..func.param_count as usize + func.insts.len();
    known[results.clone()].fill(Found::Unknown);
    let mut search = Search { outline, lanes: LaneModel::new(&outline.geometry), known };
    let mut units = vec![0; func.value_count()];
    for ((inst, data), units) in func.insts.iter().zip(&mut units[results]) {
        let wanted = of_type[data.ty.index()];
        if wanted > 0 && !(may_be_free(data.opcode) && search.find(inst, FREE_DEPTH) != Found::InRegister) {
            *units = wanted;
        }
    }
    units
}

/// Whether `ptxas` may recompute results of an opcode without a vector register.
fn may_be_free(opcode: Opcode) -> bool {
    use Opcode::*;
    let is_other = matches!(opcode, Trunc | ZExt | SExt | Gep | AddrSpaceCast | ICmp | Select | Alloca | Load | Call);
    opcode.is_integer_arithmetic() || is_other
}

/// Where `ptxas` keeps a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Unknown,
    /// In a vector register.
    InRegister,
    /// Recomputed without one, but possibly different in each lane: the address of an array of computed size.
    Free,
    /// Recomputed without one, and the same in all lanes.
    Uniform,
}

/// Determines which values `ptxas` can recompute from arguments, block indices and constants without a vector register.
struct Search<'a> {
    outline: &'a Outline,
    lanes: LaneModel,
    /// By value; arguments and constants are the same in all lanes.
    known: Vec<Found>,
}

impl Search<'_> {
    fn find(&mut self, def: Inst, depth: u32) -> Found {
        let result = self.outline.func.result(def).index();
        let known = self.known[result];
        if known != Found::Unknown {
            return known;
        }
        if depth == 0 {
            return Found::InRegister;
        }
        let found = self.look(def, depth);
        self.known[result] = found;
        found
    }

    fn look(&mut self, def: Inst, depth: u32) -> Found {
        use Opcode::*;
        let outline = self.outline;
        let func = &outline.func;
        let data = &func.insts[def];
        let operands = func.operands(def);
        let simple = match data.opcode {
            Add | Sub | Mul | Shl | LShr | AShr | And | Or | Xor | Trunc | ZExt | SExt | Gep | AddrSpaceCast | ICmp
            | Select | Alloca => true,
            // a division by a constant is a product and a shift
            UDiv | SDiv | URem | SRem => func.constant(operands[1]).is_some(),
            Load => {
                let space = func.type_info(operands[0]).kind.space();
                matches!(space, Some(4 | 101)) && !data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC)
            }
            Call => func
                .called_intrinsic(def)
                .is_some_and(|id| outline.reads_together(def, &self.lanes) || BOUNDS.contains(id)),
            _ => false,
        };
        if !simple {
            return Found::InRegister;
        }
        // what is computed from values on which lanes agree is the same in all of them
        let mut agree = true;
        for &operand in operands {
            let found = match (self.known[operand.index()], func.def(operand)) {
                (Found::Unknown, Some(def)) => self.find(def, depth - 1),
                (known, _) => known,
            };
            match found {
                Found::Unknown | Found::InRegister => return Found::InRegister,
                Found::Free => agree = false,
                Found::Uniform => {}
            }
        }
        match data.opcode {
            // an object of fixed size has the same address in every lane
            Alloca if data.block != func.graph.entry() || func.constant(operands[0]).is_none() => Found::Free,
            _ if agree => Found::Uniform,
            _ => Found::InRegister,
        }
    }
}
