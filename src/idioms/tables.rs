//! Which tables in constant memory do lanes read at different places?
//!
//! clang puts every `const __device__` variable into constant memory, of which a warp reads one address at a time; nvcc puts
//! none there. In global memory, which the first-level cache holds, a warp reads a line at a time. Where places are rounded
//! from what lanes compute of their own numbers, as a picture's cells from its pixels, neighbours mostly read the same one:
//! such tables stay.

use crate::analyses::Analyses;
use rustc_hash::FxHashSet;
use warpwise_analysis::divergence::Facts;
use warpwise_ir::call::Memory;
use warpwise_ir::entity::Value as Id;
use warpwise_ir::inst::Opcode;
use warpwise_ir::llvm::edit::Editor;
use warpwise_ir::llvm::handle::{Function, Inst, RawOpcode, Value};

/// What is said of a table.
pub const MESSAGE: &str = "a table that lanes read at different places leaves constant memory";

/// The table that an instruction loads from, if it may leave constant memory.
fn table_of(inst: Inst<'_>) -> Option<Value<'_>> {
    (inst.opcode() == RawOpcode::LLVMLoad).then(|| inst.operand(0).table_behind()).flatten()
}

/// For each such table, the first load whose address lanes of a warp may not agree on.
pub fn find<'m>(function: Function<'m>, analyses: &mut Analyses<'m>) -> Vec<Inst<'m>> {
    if !function.blocks().flat_map(|block| block.insts()).any(|inst| table_of(inst).is_some()) {
        return Vec::new();
    }
    let (facts, handles) = analyses.of(function).facts_and_handles();
    let (func, mut seen) = (&facts.func, FxHashSet::default());
    let is_apart = |inst| {
        let address = func.operands(inst)[0];
        facts.scope_at_use(address, func.insts[inst].block).is_none()
            && !Rounded { facts, seen: FxHashSet::default() }.holds(address, false)
    };
    let loads = func.insts.keys().filter(|&inst| func.insts[inst].opcode == Opcode::Load && is_apart(inst));
    let loads = loads.map(|inst| handles.inst(inst));
    loads.filter(|&load| table_of(load).is_some_and(|table| seen.insert(table.address()))).collect()
}

/// Whether lanes next to each other mostly agree on a value: all that differs in it was rounded to integers.
struct Rounded<'a> {
    facts: &'a Facts,
    /// What is being asked, so that loops end, with whether it is rounded by what uses it.
    seen: FxHashSet<(Id, bool)>,
}

impl Rounded<'_> {
    /// `is_rounded`: an integer is made of the value, which may then differ by what lanes compute of their own numbers.
    fn holds(&mut self, value: Id, is_rounded: bool) -> bool {
        let func = &self.facts.func;
        let Some(inst) = func.def(value) else { return true };
        let at = &func.insts[inst];
        if !self.seen.insert((value, is_rounded)) || self.facts.scope_at_use(value, at.block).is_some() {
            return true;
        }
        let rounds = at.opcode == Opcode::FpCast && func.int_bits(value).is_some();
        let is_known = match at.opcode {
            Opcode::Load => !is_rounded || func.is_in_byval(func.operands(inst)[0]),
            Opcode::Call => is_rounded && func.call(inst).memory == Memory::None && !func.call(inst).convergent,
            opcode => opcode.is_value_of_operands(),
        };
        is_known && func.operands(inst).iter().all(|&operand| self.holds(operand, is_rounded || rounds))
    }
}

/// Moves the table that a load reads, unless another function's plan did.
pub fn apply<'m>(editor: &mut Editor<'m>, load: Inst<'m>) {
    if let Some(table) = table_of(load) {
        editor.move_table(table);
    }
}
