//! What can be done about a costly access or a divergent branch? That depends on what it is: a search, a list, a table, a
//! queue, a member of a struct, a loop whose turns are known beforehand. So the address or condition is followed back.
//! Tables of libdevice and the code of CCCL have no remedy, as nobody changes them; without a remedy there is no advice.

use std::cell::{LazyCell, RefCell};
use std::collections::{HashMap, HashSet};
use warpwise_analysis::access::lane_distance::LaneDistance;
use warpwise_analysis::access::{Action, Pattern::*, Space, WarpAccess, space_of};
use warpwise_analysis::cfg::cycles::Cycle;
use warpwise_analysis::divergence::Facts;
use warpwise_analysis::objects::{constant::contents, joined_object};
use warpwise_ir::entity::{Block, Inst, Value};
use warpwise_ir::handles::Handles;
use warpwise_ir::inst::{Flags, Opcode};
use warpwise_ir::llvm::handle::Function;

/// What it is, in at most 32 characters, and what to do, in at most 38.
pub type Remedy = (&'static str, &'static str);

const SEARCH: Remedy = ("each lane searches on its own", "sort what is searched for");
const BLOCK: Remedy = ("uniform in blocks of some shapes", "state the block, or __launch_bounds__");
/// A warp's row of a matrix, in elements: lanes at least so far apart lie along a column.
const ROW: u64 = 32;
/// Maximum number of steps of one search.
const FUEL: usize = 4096;

/// Finds remedies in one function. Kept: what each local object was seen to be.
pub struct Remedies<'a, 'm>(pub &'a Facts, pub &'a Handles<'m>, pub RefCell<HashMap<Value, Local>>);

/// What a local object is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Local {
    /// Each thread writes the same to it, and then only reads it: the plugin makes it a constant.
    Constant,
    /// A function without a body gets its address: the arguments of a printf, which nobody moves.
    Given,
    Other,
}

/// Where an address or a condition comes from.
#[derive(Default)]
struct Origins {
    /// From memory that lanes have in common; by a load in the loop around, by which the next address is chosen or which
    /// contains it.
    is_loaded: bool,
    is_loaded_inside: bool,
    is_searched: bool,
    is_chained: bool,
    is_awaited: bool,
    is_atomic: bool,
    /// From the number of a warp, on which its lanes agree if blocks are whole warps.
    is_quotient: bool,
    /// Loops around count it up, by a constant, or change it otherwise: those farther out, the next one.
    is_counted: bool,
    is_walked: bool,
    is_changed: [bool; 2],
    /// Objects whose contents decide between values.
    choices: HashSet<Value>,
}

impl Remedies<'_, '_> {
    /// For an access that costs more than it must.
    pub fn access(&self, access: &WarpAccess) -> Option<Remedy> {
        let func = &self.0.func;
        let (root, block) = (func.pointer_root(access.pointer), func.insts[access.inst].block);
        if self.is_of_cccl(access.inst) || self.1.value(root).name().starts_with("__cudart_") {
            return None;
        }
        let local = LazyCell::new(|| self.local(root));
        let from = self.origins(access.pointer, block, self.0.cfg().cycles.cycle_of(block));
        let (is_data, is_turn) = (from.is_loaded, from.is_counted && !from.is_loaded && from.is_changed == [false; 2]);
        let is_found = from.is_searched || !is_data && !from.is_counted && from.choices.contains(&root);
        let is_walk = from.is_walked && (is_data || access.pattern != Unknown);
        let is_sum = access.action == Action::Atomic;
        let is_open = self.0.geometry.exact.is_none();
        let apart = LazyCell::new(|| self.apart(access));
        // wider rows do not help where the lanes of a row are apart, too
        let stride = if access.pattern == Scattered { *apart } else { None };
        let stride = stride.filter(|&bytes| bytes > u64::from(access.bytes)).map(|bytes| Stride(bytes.cast_signed()));
        let pattern = stride.as_ref().unwrap_or(&access.pattern);
        let is_step = |bytes: &i64| func.gep_terms.iter().any(|term| term.stride == bytes.unsigned_abs());
        Some(match (access.space, pattern) {
            (Space::Local, _) if is_turn => ("a loop indexes a local array", "unroll the loop: constant bounds"),
            (Space::Local, _) if *local == Local::Given => return None,
            (Space::Local, _) if *local == Local::Constant => {
                ("each thread fills the same table", "build with warpwise: it is a constant")
            }
            (Space::Local, _) if is_open => ("data indexes a local array", "state the block: it moves to shared"),
            (Space::Local, _) => ("data indexes a local array", "make it smaller, or share it"),
            (Space::Shared, Stride(8)) => ("lanes skip every second word", "let lane i take word i"),
            (Space::Shared, _) => ("column of a shared array", "pad each row by one word"),
            (_, Scattered) => ("rows of the block cut a warp", "make the block 32 threads wide"),
            (_, Unknown) if is_data && self.is_table(access, root) => {
                ("data picks from a table", "copy the table to shared memory")
            }
            (_, Unknown) if from.is_chained => ("each lane follows its own links", "store them in the order of visits"),
            (_, Unknown) if is_found => SEARCH,
            (_, Unknown) if from.is_atomic => ("slots from an atomic counter", "reserve slots for a whole warp"),
            (_, Unknown) if is_data && is_sum => ("data picks the counter", "count in shared memory, then add"),
            (_, Stride(bytes)) if is_step(bytes) => ("member of an array of structs", "one array for each member"),
            _ if is_walk => ("each lane walks its own stretch", "let a warp walk it, lanes side by side"),
            (_, Unknown) if is_data => ("lanes follow a list of indices", "sort the list, or renumber the data"),
            (_, Unknown) if from.is_quotient && is_open => BLOCK,
            _ => match ((*apart)?, access.action) {
                (bytes, _) if bytes < ROW * u64::from(access.bytes) => {
                    ("lanes skip elements", "lane i to element i, or load vectors")
                }
                (_, Action::Store) => ("rows are written as columns", "swap indices, or copy shared tiles"),
                _ => ("lanes lie along a column", "swap indices, or transpose the array"),
            },
        })
    }

    /// Bytes between neighbouring lanes, which may be guessed.
    fn apart(&self, access: &WarpAccess) -> Option<u64> {
        match &access.pattern {
            Stride(bytes) => Some(bytes.unsigned_abs()),
            _ => LaneDistance::new(self.0).of(access.pointer, self.0.func.insts[access.inst].block),
        }
    }

    /// What a local object is.
    fn local(&self, root: Value) -> Local {
        let func = &self.0.func;
        let is_stack = |def: &Inst| func.insts[*def].opcode == Opcode::Alloca;
        let is_constant = || {
            let object = func.def(root).filter(is_stack).and_then(|_| joined_object(self.0, self.1, root));
            object.is_some_and(|object| !object.is_joined && contents(self.0, self.1, &object).is_some())
        };
        let is_bodiless = |callee: Function<'_>| callee.is_declaration() && callee.intrinsic_id() == 0;
        let is_given = |inst: Inst| {
            func.insts[inst].opcode == Opcode::Call
                && func.operands(inst).iter().any(|&operand| func.pointer_root(operand) == root)
                && self.1.inst(inst).called_function().is_some_and(is_bodiless)
        };
        *self.2.borrow_mut().entry(root).or_insert_with(|| {
            if is_constant() {
                Local::Constant
            } else if func.insts.keys().any(is_given) {
                Local::Given
            } else {
                Local::Other
            }
        })
    }

    /// Whether a load is from a variable of the module that nothing here writes.
    fn is_table(&self, access: &WarpAccess, root: Value) -> bool {
        let func = &self.0.func;
        let writes = |inst: Inst| {
            let pointer = match func.insts[inst].opcode {
                Opcode::Store => func.operands(inst)[1],
                Opcode::AtomicRmw | Opcode::CmpXchg => func.operands(inst)[0],
                _ => return false,
            };
            func.pointer_root(pointer) == root
        };
        access.action == Action::Load && func.constant(root).is_some() && !func.insts.keys().any(writes)
    }

    /// For a branch at which lanes may leave a loop. `by_block`: it is known to be uniform in blocks of some shapes.
    pub fn branch(&self, block: Block, left: Option<Cycle>, by_block: bool) -> Option<Remedy> {
        let end = self.0.func.terminator(block);
        let condition = self.0.func.condition(end).filter(|_| !self.is_of_cccl(end))?;
        let from = self.origins(condition, block, left.or(self.0.cfg().cycles.cycle_of(block)));
        let is_data = from.is_loaded || from.is_atomic;
        let is_inside = from.is_loaded_inside || from.is_changed[1];
        Some(match left {
            _ if from.is_awaited => return None,
            _ if by_block => BLOCK,
            None if is_inside => ("data decides in each iteration", "make the sides alike: they are fused"),
            None if is_data || !from.choices.is_empty() => ("data decides", "sort the work, or make the sides alike"),
            None => ("cases by thread index", "give each case whole warps"),
            Some(_) if from.is_atomic => ("lanes retry an atomic", "combine in the warp, then one atomic"),
            Some(_) if from.is_searched => SEARCH,
            Some(_) if is_inside || from.is_loaded_inside => {
                ("lanes finish at different times", "let a lane that is done take new work")
            }
            Some(_) if is_data => ("lists of unlike length", "sort by length, or a warp for each"),
            // what a search has found, or an argument
            Some(_) => return None,
        })
    }

    fn is_of_cccl(&self, inst: Inst) -> bool {
        let file = self.1.inst(inst).debug_loc().map_or_else(String::new, |at| at.file());
        ["/include/cccl/", "/include/cub/", "/include/thrust/"].iter().any(|folder| file.contains(folder))
    }

    /// Follows a value that is used in a block, where a loop may be around, back over all operands.
    fn origins(&self, value: Value, at: Block, around: Option<Cycle>) -> Origins {
        let (func, cycles) = (&self.0.func, &self.0.cfg().cycles);
        let (mut from, mut seen) = (Origins::default(), HashSet::new());
        // whether it is behind a load, is of the iteration before, and decides which value is taken
        let mut open = vec![(value, false, false, false)];
        while let Some((value, mut is_behind, mut is_next, is_choice)) = open.pop() {
            let is_new = seen.len() < FUEL && seen.insert((value, is_behind, is_next, is_choice));
            let Some(inst) = func.def(value).filter(|_| is_new) else { continue };
            let (data, mut operands) = (&func.insts[inst], func.operands(inst));
            let varies = self.0.scope(value).is_none();
            match data.opcode {
                Opcode::Load if !matches!(space_of(func, operands[0]), Space::Local | Space::Shared) => {
                    let is_inside = around.is_some_and(|cycle| cycles.contains(cycle, data.block));
                    from.is_loaded |= varies && !is_choice;
                    from.is_loaded_inside |= is_inside;
                    from.is_searched |= varies && is_inside && is_next && is_choice;
                    from.is_chained |= varies && is_inside && is_next && !is_choice;
                    from.is_awaited |= is_inside && data.flags.contains(Flags::VOLATILE);
                    from.choices.extend((varies && is_choice).then(|| func.pointer_root(operands[0])));
                    is_behind = true;
                }
                Opcode::AtomicRmw | Opcode::CmpXchg => from.is_atomic |= varies,
                Opcode::LShr | Opcode::AShr => from.is_quotient |= varies && func.int_constant(operands[1]) >= Some(5),
                Opcode::UDiv | Opcode::SDiv => from.is_quotient |= varies && func.int_constant(operands[1]) >= Some(32),
                Opcode::Select => {
                    open.push((operands[0], is_behind, is_next, true));
                    operands = &operands[1..];
                }
                Opcode::Phi => match cycles.cycle_of(data.block) {
                    Some(cycle) if cycles.header(cycle) == data.block && cycles.contains(cycle, at) => {
                        let is_counter = self.is_counter(inst, cycle, |step| self.0.scope(step).is_some());
                        from.is_counted |= is_counter && !is_behind;
                        from.is_walked |= !is_behind && self.is_counter(inst, cycle, |step| self.is_short(step));
                        from.is_changed[usize::from(Some(cycle) == around)] |= !is_counter;
                        is_next |= Some(cycle) == around;
                    }
                    _ if varies => {
                        let before = self.0.dominators().idom(data.block).into_iter();
                        let ends = before.chain(func.incoming(inst).iter().copied()).map(|from| func.terminator(from));
                        open.extend(ends.filter_map(|end| Some((func.condition(end)?, is_behind, is_next, true))));
                    }
                    _ => {}
                },
                _ => {}
            }
            open.extend(operands.iter().map(|&operand| (operand, is_behind, is_next, is_choice)));
        }
        from
    }

    /// Whether a step is a constant by which a lane goes on in its own stretch; with that of a warp, lanes go on together.
    fn is_short(&self, step: Value) -> bool {
        let is_together = |step: u64| (ROW..=u64::from(u32::MAX / 2)).contains(&step);
        self.0.func.constant(step).is_some() && !self.0.func.int_constant(step).is_some_and(is_together)
    }

    /// Whether each iteration adds to a phi such a step.
    fn is_counter(&self, phi: Inst, cycle: Cycle, is_step: impl Fn(Value) -> bool) -> bool {
        let (func, value) = (&self.0.func, self.0.func.result(phi));
        let is_sum = |def: Inst| {
            let is_step = |&operand: &Value| operand == value || is_step(operand);
            let is_added = matches!(func.insts[def].opcode, Opcode::Add | Opcode::Sub | Opcode::Gep);
            is_added && func.operands(def).iter().all(is_step)
        };
        let mut ways = func.operands(phi).iter().zip(func.incoming(phi));
        ways.all(|(&next, &from)| !self.0.cfg().cycles.contains(cycle, from) || func.def(next).is_some_and(is_sum))
    }
}
