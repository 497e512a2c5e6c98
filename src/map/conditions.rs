//! Which properties of a launch make branches of a kernel uniform, and does the launch have them?
//!
//! The [conditional facts](warpwise_analysis::divergence::condition) of the analysis, in the order of the branches.
//! Where the kernel can compute a condition from its arguments and the launch geometry, it does so at its entry, and
//! the thread that counts the launch also counts the conditions that hold. What is computed has no effect and cannot
//! fault: arithmetic without overflow flags, divisions by constants, shifts by less than the width, and arguments that
//! were there anyway.

use rustc_hash::FxHashMap;
use warpwise_analysis::counts::condition::{Bound, Predicate, Term};
use warpwise_analysis::divergence::condition::{self, Condition, Conditions};
use warpwise_ir::Func;
use warpwise_ir::call::Callee;
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{self, AttrPlace, IntPredicate, RawOpcode, attribute_kind, intrinsic_name};

/// Maximum number of conditions that a kernel tests: they are the bits of one word.
const MAX_CONDITIONS: usize = 32;
/// Maximum number of steps of a limit.
const MAX_TERMS: usize = 24;
/// Limits and numbers of indices are compared with 64 bits, and nothing is added to these beyond this.
const MAX_PLUS: u64 = 1 << 62;
/// Why a limit with terms has a value at each step: [`add_terms`] appends the operands of what it appends.
const WHOLE: &str = "every operation follows its operands";
const REGISTER: &str = "llvm.nvvm.read.ptx.sreg.";
const AXES: [&str; 3] = ["x", "y", "z"];

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedCondition {
    pub condition: Condition,
    pub predicate: Predicate,
    /// Word that counts the launches in which it holds; `None` if it is not tested.
    pub held: Option<u32>,
}

/// The conditions of a kernel, each once, and by branch.
#[derive(Clone, Default, Debug)]
pub struct KernelConditions {
    pub list: Vec<PlannedCondition>,
    of_branches: FxHashMap<Block, Vec<u32>>,
}

impl KernelConditions {
    /// Lists what the analysis found.
    pub fn of(func: &Func, kernel: handle::Function<'_>, found: &Conditions) -> KernelConditions {
        let mut conditions = KernelConditions::default();
        for block in func.blocks.keys() {
            for condition in found.of_branch(block) {
                let number = conditions.number(func, kernel, condition);
                conditions.of_branches.entry(block).or_default().push(number);
            }
        }
        conditions
    }

    fn number(&mut self, func: &Func, kernel: handle::Function<'_>, condition: &Condition) -> u32 {
        let predicate = predicate_of(func, kernel, condition);
        let is_exact = is_computable(&predicate);
        let is_same =
            |known: &PlannedCondition| known.condition == *condition || is_exact && known.predicate == predicate;
        let number = self.list.iter().position(is_same).unwrap_or_else(|| {
            self.list.push(PlannedCondition { condition: condition.clone(), predicate, held: None });
            self.list.len() - 1
        });
        number as u32
    }

    /// The conditions of the branch at the end of a block, by their position in the list.
    pub fn of_branch(&self, block: Block) -> &[u32] {
        self.of_branches.get(&block).map_or(&[], Vec::as_slice)
    }
}

/// Assigns consecutive words to the conditions that the kernel can test; returns how many there are.
pub fn assign(list: &mut [PlannedCondition], first: u32) -> u32 {
    let testable = list.iter_mut().filter(|condition| is_computable(&condition.predicate)).take(MAX_CONDITIONS);
    let mut next = first;
    for condition in testable {
        condition.held = Some(next);
        next += 1;
    }
    next - first
}

/// Whether it can be computed before anything else.
fn is_computable(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::WholeWarps | Predicate::OneRow | Predicate::Multiples { .. } => true,
        Predicate::Covered(bounds) => {
            bounds.iter().all(|bound| !bound.limit.is_empty() && bound.plus.unsigned_abs() < MAX_PLUS)
        }
    }
}

fn predicate_of(func: &Func, kernel: handle::Function<'_>, condition: &Condition) -> Predicate {
    match condition {
        Condition::Covered(bounds) => {
            Predicate::Covered(bounds.iter().map(|bound| bound_of(func, kernel, bound)).collect())
        }
        Condition::WholeWarps => Predicate::WholeWarps,
        Condition::OneRow => Predicate::OneRow,
        Condition::Multiples { arguments, and_rows } => Predicate::Multiples {
            arguments: arguments.iter().filter_map(|&value| func.as_param(value)).collect(),
            and_rows: *and_rows,
        },
    }
}

fn bound_of(func: &Func, kernel: handle::Function<'_>, bound: &condition::Bound) -> Bound {
    let mut limit = Vec::new();
    match bound.number {
        Some(number) => limit.push(Term::Number { value: number as u64, bits: 64 }),
        None => {
            if add_terms(func, kernel, bound.limit, &mut limit).is_none() {
                limit.clear();
            }
        }
    }
    Bound { dim: bound.dim as u8, in_grid: bound.in_grid, extent: bound.extent, plus: bound.plus, limit }
}

/// Appends the computation of an integer; `None` if it is not one that can be repeated at the entry.
fn add_terms(func: &Func, kernel: handle::Function<'_>, value: Value, terms: &mut Vec<Term>) -> Option<()> {
    if terms.len() >= MAX_TERMS {
        return None;
    }
    let bits = func.int_bits(value).filter(|&bits| bits <= 64)? as u8;
    let is_pointer = func.type_info(value).kind.space().is_some();
    if func.constant(value).is_some() {
        terms.push(Term::Number { value: func.int_constant(value)?, bits });
        return Some(());
    }
    if let Some(index) = func.as_param(value) {
        terms.push(Term::Argument { index, bits });
        return (!is_pointer).then_some(());
    }
    let def = func.def(value)?;
    let operands = func.operands(def);
    let operation = match func.insts[def].opcode {
        Opcode::Trunc => Term::Trunc(bits),
        Opcode::ZExt => Term::ZExt(bits),
        Opcode::SExt => Term::SExt(bits),
        Opcode::Add => Term::Add,
        Opcode::Sub => Term::Sub,
        Opcode::Mul => Term::Mul,
        Opcode::And => Term::And,
        Opcode::Or => Term::Or,
        opcode @ (Opcode::UDiv | Opcode::SDiv) => {
            if matches!(func.signed_constant(operands[1])?, 0 | -1) {
                return None;
            }
            if opcode == Opcode::UDiv { Term::UDiv } else { Term::SDiv }
        }
        opcode @ (Opcode::Shl | Opcode::LShr | Opcode::AShr) => {
            if func.int_constant(operands[1])? >= u64::from(bits) {
                return None;
            }
            match opcode {
                Opcode::Shl => Term::Shl,
                Opcode::LShr => Term::LShr,
                _ => Term::AShr,
            }
        }
        Opcode::Load => {
            terms.push(member(func, kernel, def, bits)?);
            return Some(());
        }
        Opcode::Call => {
            terms.push(extent(func.call(def).callee)?);
            return Some(());
        }
        _ => return None,
    };
    for &operand in operands {
        add_terms(func, kernel, operand, terms)?;
    }
    terms.push(operation);
    Some(())
}

/// An integer in an argument that is passed by value and that nothing writes.
fn member(func: &Func, kernel: handle::Function<'_>, load: Inst, bits: u8) -> Option<Term> {
    if func.insts[load].flags.intersects(Flags::VOLATILE | Flags::ATOMIC) || !bits.is_multiple_of(8) {
        return None;
    }
    let mut pointer = func.operands(load)[0];
    let mut offset = 0i64;
    while let Some(def) = func.def(pointer) {
        match func.insts[def].opcode {
            Opcode::Gep if func.gep(def).terms.is_empty() => offset = offset.checked_add(func.gep(def).offset)?,
            Opcode::AddrSpaceCast => {}
            _ => return None,
        }
        pointer = func.operands(def)[0];
    }
    let index = func.as_param(pointer)?;
    let param = func.params[index as usize];
    let whole = kernel.type_attribute(AttrPlace::Param(index), attribute_kind("byval"))?;
    let size = kernel.module().layout().alloc_size(whole)?;
    let offset = u32::try_from(offset).ok()?;
    let is_inside = u64::from(offset) + u64::from(bits / 8) <= size;
    (param.byval && param.readonly && is_inside).then_some(Term::Member { index, offset, bits })
}

/// An extent of the grid or of the block.
fn extent(callee: Callee) -> Option<Term> {
    let Callee::Intrinsic(id) = callee else { return None };
    let name = intrinsic_name(id);
    let (register, axis) = name.strip_prefix(REGISTER)?.split_once('.')?;
    let dim = AXES.iter().position(|&known| known == axis)? as u8;
    match register {
        "ntid" => Some(Term::BlockDim(dim)),
        "nctaid" => Some(Term::GridDim(dim)),
        _ => None,
    }
}

/// Emits the test of all conditions that have a word; yields a word with a bit for each, in order.
pub(super) fn emit<'m>(editor: &mut Editor<'m>, handles: &Handles<'m>, list: &[PlannedCondition]) -> handle::Value<'m> {
    let mut emitter = Emitter { editor, handles };
    let mut mask = emitter.editor.int(32, 0);
    for (bit, condition) in (0..).zip(list.iter().filter(|condition| condition.held.is_some())) {
        let holds = emitter.predicate(&condition.predicate);
        let holds = emitter.cast(RawOpcode::LLVMZExt, holds, 32);
        let holds = emitter.editor.binary_with(RawOpcode::LLVMShl, holds, bit, "");
        mask = emitter.editor.binary(RawOpcode::LLVMOr, mask, holds, "");
    }
    mask
}

struct Emitter<'e, 'a, 'm> {
    editor: &'e mut Editor<'m>,
    handles: &'a Handles<'m>,
}

impl<'m> Emitter<'_, '_, 'm> {
    fn predicate(&mut self, predicate: &Predicate) -> handle::Value<'m> {
        match predicate {
            Predicate::WholeWarps => {
                let extent = self.register("ntid", 0);
                self.is_multiple(extent)
            }
            Predicate::OneRow => {
                let extents = [1, 2].map(|dim| self.register("ntid", dim));
                let [y, z] = extents.map(|extent| self.editor.equals(extent, 1));
                self.editor.binary(RawOpcode::LLVMAnd, y, z, "")
            }
            Predicate::Multiples { arguments, and_rows } => {
                let mut values: Vec<handle::Value<'m>> =
                    arguments.iter().map(|&index| self.handles.value(Value::from_u32(index))).collect();
                if *and_rows {
                    values.push(self.register("ntid", 0));
                }
                let tests: Vec<handle::Value<'m>> = values.into_iter().map(|value| self.is_multiple(value)).collect();
                self.all(tests)
            }
            Predicate::Covered(bounds) => {
                let tests: Vec<handle::Value<'m>> = bounds.iter().map(|bound| self.bound(bound)).collect();
                self.all(tests)
            }
        }
    }

    fn all(&mut self, tests: Vec<handle::Value<'m>>) -> handle::Value<'m> {
        let mut all = self.editor.int(1, 1);
        for test in tests {
            all = self.editor.binary(RawOpcode::LLVMAnd, all, test, "");
        }
        all
    }

    /// Whether an integer is a multiple of 32.
    fn is_multiple(&mut self, value: handle::Value<'m>) -> handle::Value<'m> {
        let low = self.cast(RawOpcode::LLVMTrunc, value, 5);
        self.editor.equals(low, 0)
    }

    fn bound(&mut self, bound: &Bound) -> handle::Value<'m> {
        let mut indices = match bound.extent {
            Some(extent) => self.editor.int(64, extent.into()),
            None => {
                let extent = self.register("ntid", bound.dim);
                self.cast(RawOpcode::LLVMZExt, extent, 64)
            }
        };
        if bound.in_grid {
            let blocks = self.register("nctaid", bound.dim);
            let blocks = self.cast(RawOpcode::LLVMZExt, blocks, 64);
            indices = self.editor.binary(RawOpcode::LLVMMul, blocks, indices, "");
        }
        let indices = self.editor.binary_with(RawOpcode::LLVMAdd, indices, bound.plus as u64, "");
        let limit = self.computed(&bound.limit);
        let limit = self.cast(RawOpcode::LLVMSExt, limit, 64);
        self.editor.compare(IntPredicate::LLVMIntSLE, indices, limit, "")
    }

    fn computed(&mut self, terms: &[Term]) -> handle::Value<'m> {
        let mut stack: Vec<handle::Value<'m>> = Vec::new();
        for &term in terms {
            let value = match term {
                Term::Number { value, bits } => self.editor.int(bits.into(), value),
                Term::Argument { index, .. } => self.handles.value(Value::from_u32(index)),
                Term::Member { index, offset, bits } => {
                    let (byte, place) = (self.editor.int_type(8), self.editor.int(64, offset.into()));
                    let argument = self.handles.value(Value::from_u32(index));
                    let address = self.editor.gep(byte, argument, &[place], false, "");
                    let ty = self.editor.int_type(bits.into());
                    self.editor.load(ty, address, self.align(index, offset), false, "")
                }
                Term::BlockDim(dim) => self.register("ntid", dim),
                Term::GridDim(dim) => self.register("nctaid", dim),
                Term::Trunc(bits) | Term::ZExt(bits) | Term::SExt(bits) => {
                    let top = stack.pop().expect(WHOLE);
                    self.cast(opcode_of(term), top, bits.into())
                }
                operation => {
                    let right = stack.pop().expect(WHOLE);
                    let left = stack.pop().expect(WHOLE);
                    self.editor.binary(opcode_of(operation), left, right, "")
                }
            };
            stack.push(value);
        }
        stack.pop().expect(WHOLE)
    }

    /// Alignment of a place in an argument that is passed by value, in bytes.
    fn align(&self, index: u32, offset: u32) -> u32 {
        let stated = self.handles.function.int_attribute(AttrPlace::Param(index), attribute_kind("align"));
        let whole = stated.and_then(|align| u32::try_from(align).ok()).unwrap_or(1);
        if offset == 0 { whole } else { whole.min(1 << offset.trailing_zeros()) }
    }

    fn register(&mut self, name: &str, dim: u8) -> handle::Value<'m> {
        self.editor.intrinsic(&[REGISTER, name, ".", AXES[usize::from(dim)]].concat(), &[], &[], "")
    }

    /// Converts an integer to so many bits, if it has others.
    fn cast(&mut self, opcode: RawOpcode, value: handle::Value<'m>, bits: u32) -> handle::Value<'m> {
        let ty = self.editor.int_type(bits);
        if value.ty() == ty { value } else { self.editor.cast(opcode, value, ty, "") }
    }
}

/// LLVM's opcode of a conversion or an operation; operands have none.
fn opcode_of(term: Term) -> RawOpcode {
    match term {
        Term::Trunc(_) => RawOpcode::LLVMTrunc,
        Term::ZExt(_) => RawOpcode::LLVMZExt,
        Term::SExt(_) => RawOpcode::LLVMSExt,
        Term::Sub => RawOpcode::LLVMSub,
        Term::Mul => RawOpcode::LLVMMul,
        Term::UDiv => RawOpcode::LLVMUDiv,
        Term::SDiv => RawOpcode::LLVMSDiv,
        Term::Shl => RawOpcode::LLVMShl,
        Term::LShr => RawOpcode::LLVMLShr,
        Term::AShr => RawOpcode::LLVMAShr,
        Term::And => RawOpcode::LLVMAnd,
        Term::Or => RawOpcode::LLVMOr,
        _ => RawOpcode::LLVMAdd,
    }
}
