//! How does one get from an index back to the LLVM object?

use super::Func;
use crate::entity::{Block, Inst, Value};
use crate::llvm::handle;
use cranelift_entity::EntityRef;

/// LLVM handles, parallel to the blocks and values of a [`Func`].
pub struct Handles<'m> {
    pub function: handle::Function<'m>,
    pub blocks: Vec<handle::Block<'m>>,
    pub values: Vec<handle::Value<'m>>,
    pub param_count: u32,
}

impl<'m> Handles<'m> {
    /// The handles of an exact copy of the function, for which everything known about the original holds too; `None` if
    /// its instructions are no longer in the same order.
    pub fn of_copy(&self, copy: handle::Function<'m>) -> Option<Handles<'m>> {
        let mut values: Vec<handle::Value<'m>> = (0..self.param_count).map(|index| copy.param(index)).collect();
        let blocks: Vec<handle::Block<'m>> = copy.blocks().collect();
        for (own, new) in self.function.blocks().zip(&blocks) {
            for (own, new) in own.insts().zip(new.insts()) {
                if self.values.get(values.len()) != Some(&own.value()) {
                    return None;
                }
                values.push(new.value());
            }
        }
        values.extend_from_slice(self.values.get(values.len()..)?);
        Some(Handles { function: copy, blocks, values, param_count: self.param_count })
    }
    /// The LLVM block.
    pub fn block(&self, block: Block) -> handle::Block<'m> {
        self.blocks[block.index()]
    }
    /// The LLVM value.
    pub fn value(&self, value: Value) -> handle::Value<'m> {
        self.values[value.index()]
    }
    /// The LLVM instruction.
    pub fn inst(&self, inst: Inst) -> handle::Inst<'m> {
        // the importer put an instruction at this position
        self.values[self.param_count as usize + inst.index()].as_known_inst()
    }
    /// The instruction as a value handle.
    pub fn result(&self, func: &Func, inst: Inst) -> handle::Value<'m> {
        self.value(func.result(inst))
    }
}
