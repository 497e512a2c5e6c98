//! May four neighbouring threads of a kernel be one, and does that pay?

use super::reject::Reject;
use super::steps::{Step, Steps, Zeros};
use crate::settings::Profit;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use warpwise_analysis::divergence::Outline;
use warpwise_analysis::divergence::facts::may_synchronise;
use warpwise_analysis::gpu::prices::{
    COARSEN_FACTOR, COARSEN_MAX_INSTRUCTIONS, COARSEN_MAX_STRIDE, COARSEN_MAX_WORDS, COARSEN_MIN_THREADS,
    COARSEN_NARROW,
};
use warpwise_ir::Func;
use warpwise_ir::asm::Operand;
use warpwise_ir::call::{BLOCK_INDEX, BLOCK_SIZE, BOUNDS, Callee, GRID_SIZE, Intrinsics, Memory, THREAD_INDEX};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode, Predicate};
use warpwise_ir::llvm::edit::coarsen::{Access, Coarsening, Guard, Rising, Test};
use warpwise_ir::llvm::handle::intrinsic_name;
use warpwise_ir::llvm::space::{CONST, GENERIC, GLOBAL, PARAM};

/// Threads of the largest block.
const MAX_BLOCK: u64 = 1024;
/// Bytes of the widest access.
const WIDEST: u32 = 16;

/// The number of a thread in its row of the grid: `blockIdx.x * size + threadIdx.x`, wherever it is computed.
pub struct Root {
    pub insts: Vec<Inst>,
    /// The constant by which the block is multiplied, if it is not `blockDim.x` itself.
    size: Option<u64>,
}

/// What is to be done.
pub struct Plan {
    root: Root,
    /// The accesses that differ from thread to thread, how far those of neighbours are apart, and how the first is aligned, in bytes.
    accesses: Vec<(Inst, i64, u32)>,
    guards: Guards,
    /// Arguments that must be multiples of the widest access, and of the number of threads.
    pointers: Vec<Value>,
    numbers: Vec<Value>,
    threads: u64,
    /// Dimensions of a grid of which the kernel knows.
    dimensions: usize,
}

/// Conditions that must be so for all threads of a group of blocks.
#[derive(Default)]
struct Guards {
    holds: BTreeMap<Inst, bool>,
    /// What must go up through such a group, as a signed or an unsigned number, so that a bound holds for all threads if it
    /// holds for the first and the last.
    rising: BTreeSet<(Value, bool)>,
}

impl Plan {
    /// The same of LLVM's values.
    pub fn with_handles<'m>(&self, handles: &Handles<'m>) -> Coarsening<'m> {
        let values = |list: &[Value]| list.iter().map(|&value| handles.value(value)).collect();
        let access = |&(inst, apart, align): &_| Access { inst: handles.inst(inst), apart, align };
        let guards = self.guards.holds.iter().map(|(&inst, &holds)| Guard { inst: handles.inst(inst), holds });
        let guards: Vec<Guard<'m>> = guards.collect();
        let at_both = |&guard: &Guard<'m>| [false, true].map(|at_last| Test { guard, at_last });
        let rising = |&(value, signed): &_| Rising { value: handles.value(value), signed };
        Coarsening {
            kernel: handles.function,
            factor: COARSEN_FACTOR,
            threads: self.threads,
            dimensions: self.dimensions as u32,
            block_size: self.root.size.unwrap_or(0),
            roots: self.root.insts.iter().map(|&inst| handles.inst(inst)).collect(),
            accesses: self.accesses.iter().map(access).collect(),
            tests: guards.iter().flat_map(at_both).collect(),
            guards,
            rising: self.guards.rising.iter().map(rising).collect(),
            pointers: values(&self.pointers),
            numbers: values(&self.numbers),
            widest: WIDEST,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let apart = || self.accesses.iter().map(|(_, apart, _)| apart);
        let (least, most) = (apart().min().unwrap_or(&0), apart().max().unwrap_or(&0));
        let bytes = if least == most { least.to_string() } else { format!("{least} to {most}") };
        write!(
            f,
            "{COARSEN_FACTOR} neighbouring threads become one in grids of {} threads or more: {bytes} bytes a thread in flight are too few (not measured)",
            self.threads
        )
    }
}

/// Where a kernel's remark goes.
pub fn place(outline: &Outline) -> Inst {
    outline.func.terminator(outline.func.graph.entry())
}

/// Plans a kernel; `None` if it is not of the kind that could gain.
pub fn plan(outline: &Outline, profit: Profit) -> Option<Result<Plan, Reject>> {
    let func = &outline.func;
    let is_reachable = |inst: &Inst| outline.cfg().order.is_reachable(func.insts[*inst].block);
    let insts: Vec<Inst> = func.insts.keys().filter(is_reachable).collect();
    let is_copied = |opcode: Opcode| !matches!(opcode, Opcode::Unreachable | Opcode::OtherTerminator | Opcode::Alloca);
    if !outline.cfg().cycles.is_empty() || !insts.iter().all(|&inst| is_copied(func.insts[inst].opcode)) {
        return None;
    }
    let root = Root::of(outline, &insts)?;
    let narrow = |inst: &Inst| moved(func, *inst).is_some_and(|bytes| bytes <= COARSEN_NARROW);
    if insts.len() > COARSEN_MAX_INSTRUCTIONS || !insts.iter().any(narrow) {
        return None;
    }
    let planner = Planner { outline, insts, profit };
    planner.plan(root).transpose()
}

/// Bytes that a load or store moves.
fn moved(func: &Func, inst: Inst) -> Option<u32> {
    u32::try_from(func.type_info(func.moved(inst)?).store_size).ok()
}

impl Root {
    /// That of a kernel that computes one.
    fn of(outline: &Outline, insts: &[Inst]) -> Option<Root> {
        let func = &outline.func;
        let found: Vec<(Inst, Option<u64>)> =
            insts.iter().filter_map(|&inst| Some((inst, size_in_sum(func, inst)?))).collect();
        let size = found.first()?.1;
        let is_alike = found.iter().all(|&(_, other)| other == size);
        is_alike.then(|| Root { insts: found.into_iter().map(|(inst, _)| inst).collect(), size })
    }

    /// Whether the thread and the block along x are used for nothing else.
    fn is_all(&self, outline: &Outline, insts: &[Inst]) -> bool {
        let func = &outline.func;
        let is_index = |inst: &Inst| dimension(func, *inst) == Some(0);
        let mut open: Vec<Inst> = insts.iter().copied().filter(is_index).collect();
        while let Some(inst) = open.pop() {
            for &user in outline.users(func.result(inst)) {
                if self.insts.contains(&user) {
                    continue;
                }
                if !matches!(func.insts[user].opcode, Opcode::Mul | Opcode::Shl | Opcode::ZExt | Opcode::SExt) {
                    return false;
                }
                open.push(user);
            }
        }
        true
    }
}

/// If an instruction is `blockIdx.x * size + threadIdx.x`: the constant, or `None` for `blockDim.x`.
fn size_in_sum(func: &Func, sum: Inst) -> Option<Option<u64>> {
    let is_sum = match func.insts[sum].opcode {
        Opcode::Add => true,
        Opcode::Or => func.insts[sum].flags.contains(Flags::DISJOINT),
        _ => false,
    };
    if !is_sum {
        return None;
    }
    let &[a, b] = func.operands(sum) else { return None };
    let is = |value: Value, register: &Intrinsics<3>| {
        func.intrinsic_behind(value).is_some_and(|number| register.position(number) == Some(0))
    };
    let product = func.def(match (is(a, &THREAD_INDEX), is(b, &THREAD_INDEX)) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    })?;
    // a sum of 64 bits of a product of 32 is not the number of a thread if that wraps
    let bits = func.int_bits(func.result(sum));
    if func.int_bits(func.result(product)) != bits {
        return None;
    }
    let &[a, b] = func.operands(product) else { return None };
    let of_block = |size: Option<u64>| size.filter(|size| (1..=MAX_BLOCK).contains(size)).map(Some);
    match func.insts[product].opcode {
        Opcode::Mul if is(a, &BLOCK_INDEX) && is(b, &BLOCK_SIZE) => Some(None),
        Opcode::Mul if is(b, &BLOCK_INDEX) && is(a, &BLOCK_SIZE) => Some(None),
        Opcode::Mul if is(a, &BLOCK_INDEX) => of_block(func.int_constant(b)),
        Opcode::Shl if is(a, &BLOCK_INDEX) => {
            of_block(func.int_constant(b).and_then(|shift| 1u64.checked_shl(u32::try_from(shift).ok()?)))
        }
        _ => None,
    }
}

/// Along which dimension an instruction reads the index of the thread or the block, if it does.
fn dimension(func: &Func, inst: Inst) -> Option<usize> {
    let number = func.called_intrinsic(inst)?;
    THREAD_INDEX.position(number).or_else(|| BLOCK_INDEX.position(number))
}

struct Planner<'a> {
    outline: &'a Outline,
    insts: Vec<Inst>,
    profit: Profit,
}

impl Planner<'_> {
    fn plan(&self, root: Root) -> Result<Option<Plan>, Reject> {
        let func = &self.outline.func;
        let bytes = |inst: &Inst| moved(func, *inst).unwrap_or(0);
        let unfixed = Steps::new(self.outline, &root, &BTreeMap::new());
        let is_varied =
            |inst: &Inst| func.accessed(*inst).is_some_and(|address| unfixed.of(address) != Some(Step::SAME));
        let varied: Vec<Inst> = self.insts.iter().copied().filter(is_varied).collect();
        // nothing waits for a store, and what is loaded alone ends up in one place
        let has = |opcode: Opcode| varied.iter().any(|&inst| func.insts[inst].opcode == opcode);
        if !varied.iter().any(|inst| bytes(inst) <= COARSEN_NARROW)
            || !has(Opcode::Load)
            || !has(Opcode::Store)
            || !self.insts.iter().all(|&inst| self.is_alone(inst))
        {
            return Ok(None);
        }
        if !root.is_all(self.outline, &self.insts) {
            return Err(Reject::Indexed);
        }
        let guards = self.guards(&root, &unfixed)?;
        let steps = Steps::new(self.outline, &root, &guards.holds);
        let own: Vec<Inst> = self.insts.iter().copied().filter(|&inst| !steps.is_same(inst)).collect();
        if own.iter().any(|&inst| matches!(func.insts[inst].opcode, Opcode::CondBr | Opcode::Switch)) {
            return Err(Reject::Branches);
        }
        let mut aligned = BTreeSet::new();
        let mut accesses = Vec::new();
        let mut words = 0;
        for &inst in &varied {
            let address = func.accessed(inst).expect("it is an access");
            let step = steps.of(address).filter(|step| (1..=COARSEN_MAX_STRIDE).contains(&step.by));
            let by = step.ok_or(Reject::Scattered)?.by;
            let wanted = (bytes(&inst) * COARSEN_FACTOR).min(WIDEST).trailing_zeros();
            let wanted = if by == i64::from(bytes(&inst)) { wanted } else { 0 };
            let zeros = zeros(func, &root, address, wanted, &mut aligned).ok_or(Reject::Unaligned)?;
            accesses.push((inst, by, 1 << zeros.min(WIDEST.trailing_zeros())));
            if func.insts[inst].opcode == Opcode::Load {
                words += u64::from(bytes(&inst).div_ceil(4));
            }
        }
        if words * u64::from(COARSEN_FACTOR) > COARSEN_MAX_WORDS {
            return Err(Reject::Pressure { words: words * u64::from(COARSEN_FACTOR) });
        }
        if own.len() > COARSEN_MAX_INSTRUCTIONS / COARSEN_FACTOR as usize {
            return Err(Reject::Large { instructions: own.len() });
        }
        let threads = if self.profit.is_always() { 0 } else { COARSEN_MIN_THREADS };
        let dimensions = self.insts.iter().filter_map(|&inst| dimension(func, inst)).max().unwrap_or(0) + 1;
        let (pointers, numbers) = aligned.into_iter().partition(|&value| func.type_info(value).kind.space().is_some());
        Ok(Some(Plan { root, accesses, guards, pointers, numbers, threads, dimensions }))
    }

    /// Conditions of branches that must be so for all threads of a group of blocks, and what must go up for that.
    fn guards(&self, root: &Root, steps: &Steps<'_>) -> Result<Guards, Reject> {
        let func = &self.outline.func;
        let mut guards = Guards::default();
        for &inst in &self.insts {
            if !matches!(func.insts[inst].opcode, Opcode::CondBr | Opcode::Switch) {
                continue;
            }
            let condition = func.condition(inst).ok_or(Reject::Branches)?;
            if steps.of(condition) == Some(Step::SAME) {
                continue;
            }
            let ends = |block: Block| {
                func.block_insts(block).next().is_some_and(|inst| func.insts[inst].opcode == Opcode::Ret)
            };
            let holds = match func.graph.succs(func.insts[inst].block) {
                &[yes, no] if ends(yes) != ends(no) => ends(no),
                _ => return Err(Reject::Branches),
            };
            self.guard(condition, holds, root, steps, &mut guards).ok_or(Reject::Branches)?;
        }
        Ok(guards)
    }

    /// Notes what makes a condition so for all threads of a group of blocks; `None` if nothing is known to.
    fn guard(&self, condition: Value, holds: bool, root: &Root, steps: &Steps<'_>, guards: &mut Guards) -> Option<()> {
        let func = &self.outline.func;
        if steps.of(condition) == Some(Step::SAME) {
            return Some(());
        }
        let def = func.def(condition)?;
        let is = |value: Value, bit: bool| func.int_constant(value) == Some(u64::from(bit));
        match (func.insts[def].opcode, func.operands(def)) {
            (Opcode::And, &[a, b]) if holds => self.both([a, b], holds, root, steps, guards),
            (Opcode::Or, &[a, b]) if !holds => self.both([a, b], holds, root, steps, guards),
            (Opcode::Select, &[a, b, no]) if holds && is(no, false) => self.both([a, b], holds, root, steps, guards),
            (Opcode::Select, &[a, yes, b]) if !holds && is(yes, true) => self.both([a, b], holds, root, steps, guards),
            (Opcode::Xor, &[a, b]) if is(b, true) => self.guard(a, !holds, root, steps, guards),
            (Opcode::ICmp, &[a, b]) => {
                let predicate =
                    Predicate::from_sub(func.insts[def].sub).filter(|predicate| !predicate.is_equality())?;
                let moving = match (steps.of(a)?, steps.of(b)?) {
                    (_, Step::SAME) => a,
                    (Step::SAME, _) => b,
                    _ => return None,
                };
                let is_known = [a, b].into_iter().all(|value| is_known_at_start(func, root, value, MAX_DEPTH));
                if !is_known || !rises(func, root, steps, moving, predicate.is_signed(), &mut guards.rising) {
                    return None;
                }
                (*guards.holds.entry(def).or_insert(holds) == holds).then_some(())
            }
            _ => None,
        }
    }

    fn both(&self, sides: [Value; 2], holds: bool, root: &Root, steps: &Steps<'_>, guards: &mut Guards) -> Option<()> {
        sides.into_iter().try_for_each(|side| self.guard(side, holds, root, steps, guards))
    }

    /// Whether threads that run one after the other do what they do at once.
    fn is_alone(&self, inst: Inst) -> bool {
        let func = &self.outline.func;
        let data = &func.insts[inst];
        let is_far = |value: Value| {
            let space = func.type_info(value).kind.space();
            space.is_none_or(|space| [GENERIC, GLOBAL, CONST, PARAM].contains(&space))
        };
        match data.opcode {
            Opcode::Load | Opcode::Store => {
                let address = func.accessed(inst).expect("it is an access");
                let root = func.pointer_root(address);
                let changes_argument = data.opcode == Opcode::Store && func.is_in_byval(root);
                !may_synchronise(func, inst) && is_far(address) && is_far(root) && !changes_argument
            }
            Opcode::Call => {
                let call = func.call(inst);
                match call.callee {
                    Callee::Intrinsic(number) if intrinsic_name(number).starts_with(SPECIAL_REGISTER) => {
                        let is = |registers: &Intrinsics<3>| registers.contains(number);
                        is(&THREAD_INDEX) || is(&BLOCK_INDEX) || is(&BLOCK_SIZE) || GRID_SIZE.contains(number)
                    }
                    Callee::Intrinsic(_) => !call.convergent && call.memory == Memory::None,
                    Callee::Asm { .. } => func.assembly(inst).is_some_and(|program| {
                        let is_register = |read: &Operand| matches!(read, Operand::Special(_));
                        program.is_computation() && !program.steps.iter().flat_map(|step| &step.reads).any(is_register)
                    }),
                    _ => false,
                }
            }
            _ => !may_synchronise(func, inst),
        }
    }
}

/// What the names of intrinsics begin with that read special registers.
const SPECIAL_REGISTER: &str = "llvm.nvvm.read.ptx.sreg.";

/// Operands of operands that are followed.
const MAX_DEPTH: u32 = 8;

/// Step of a bound, and threads of a group of blocks: more than their product does not fit into 32 bits.
const MAX_STEP: i64 = 1 << 16;

/// Whether a value is computed from arguments and the launch alone, without effects, once the thread's number is known.
fn is_known_at_start(func: &Func, root: &Root, value: Value, depth: u32) -> bool {
    if func.int_constant(value).is_some() || func.is_passed(value) {
        return true;
    }
    let Some(def) = func.def(value).filter(|_| depth > 0) else { return false };
    let data = &func.insts[def];
    let is_total = match data.opcode {
        _ if root.insts.contains(&def) => return true,
        Opcode::Call => func.called_intrinsic(def).is_some_and(|number| {
            let is_row = BLOCK_INDEX.position(number).is_some_and(|dimension| dimension > 0);
            is_row || BLOCK_SIZE.contains(number) || GRID_SIZE.contains(number) || BOUNDS.contains(number)
        }),
        Opcode::Select | Opcode::ICmp | Opcode::ZExt | Opcode::SExt | Opcode::Trunc => true,
        Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => false,
        opcode => opcode.is_integer_arithmetic(),
    };
    is_total && func.operands(def).iter().all(|&operand| is_known_at_start(func, root, operand, depth - 1))
}

/// Whether a value goes up by a small step from thread to thread of a group of blocks, unless it wraps; notes what must not.
fn rises(
    func: &Func,
    root: &Root,
    steps: &Steps<'_>,
    value: Value,
    signed: bool,
    rising: &mut BTreeSet<(Value, bool)>,
) -> bool {
    let Some(def) = func.def(value) else { return false };
    if !steps.of(value).is_some_and(|step| (1..=MAX_STEP).contains(&step.by)) {
        return false;
    }
    rising.insert((value, signed));
    if root.insts.contains(&def) {
        return true;
    }
    let is_moving = |value: &Value| steps.of(*value) != Some(Step::SAME);
    let mut moving = func.operands(def).iter().copied().filter(is_moving);
    let (Some(inner), None) = (moving.next(), moving.next()) else { return false };
    match func.insts[def].opcode {
        Opcode::SExt => rises(func, root, steps, inner, true, rising),
        Opcode::ZExt => rises(func, root, steps, inner, false, rising),
        Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::Mul | Opcode::Shl => {
            // modulo 2 to its bits it goes up as what is widened in it does
            let has_widened = func.def(inner).is_some_and(|def| !root.insts.contains(&def));
            !has_widened || rises(func, root, steps, inner, signed, rising)
        }
        _ => false,
    }
}

/// How many low bits of an address are zero in the first thread of a group, if at least so many are, and notes which arguments
/// must be multiples of the widest access or of the number of threads for that.
fn zeros(func: &Func, root: &Root, address: Value, wanted: u32, aligned: &mut BTreeSet<Value>) -> Option<u32> {
    [0, COARSEN_FACTOR.trailing_zeros()].into_iter().find_map(|of_numbers| {
        let zeros = Zeros::new(func, root, WIDEST.trailing_zeros(), of_numbers);
        let found = Some(zeros.of(address)).filter(|&found| found >= wanted)?;
        aligned.extend(zeros.relied_on());
        Some(found)
    })
}
