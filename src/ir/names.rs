//! How does LLVM print the names of a function's values and blocks?
//!
//! Named ones as `%name`, unnamed ones by slot number. Slots are counted as LLVM's printer does: unnamed arguments
//! first, then for each block the block itself, if it is unnamed, and its unnamed non-void instructions.

use super::Func;
use super::handles::Handles;
use super::types::TypeKind;
use crate::entity::{Block, Value};
use crate::llvm::handle::{ValueKind, quote_name};
use cranelift_entity::EntityRef;

/// Slot numbers of a function's unnamed values and blocks.
pub struct Names {
    values: Vec<u32>,
    blocks: Vec<u32>,
}

/// In place of a number: the value or block has a name of its own.
const NAMED: u32 = u32::MAX;

impl Names {
    /// Numbers the function.
    pub fn new(func: &Func, handles: &Handles<'_>) -> Names {
        let mut next = 0;
        let mut number = |unnamed: bool| {
            if !unnamed {
                return NAMED;
            }
            next += 1;
            next - 1
        };
        let numbered = func.param_count as usize + func.insts.len();
        let mut values = Vec::with_capacity(numbered);
        for index in 0..func.param_count {
            values.push(number(!handles.value(func.param(index)).has_name()));
        }
        let mut blocks = Vec::with_capacity(func.blocks.len());
        for block in func.blocks.keys() {
            blocks.push(number(!handles.block(block).as_value().has_name()));
            for inst in func.block_insts(block) {
                let is_void = func.types[func.insts[inst].ty].kind == TypeKind::Void;
                values.push(number(!is_void && !handles.result(func, inst).has_name()));
            }
        }
        Names { values, blocks }
    }

    /// A value as LLVM prints it as an operand; constants by their text without type.
    pub fn value(&self, handles: &Handles<'_>, value: Value) -> String {
        match self.values.get(value.index()) {
            Some(&NAMED) => quote_name('%', &handles.value(value).name()),
            Some(slot) => format!("%{slot}"),
            None => constant_text(handles.value(value)),
        }
    }

    /// A block as LLVM prints it as an operand.
    pub fn block(&self, handles: &Handles<'_>, block: Block) -> String {
        match self.blocks[block.index()] {
            NAMED => quote_name('%', &handles.block(block).name()),
            slot => format!("%{slot}"),
        }
    }
}

fn constant_text(value: crate::llvm::handle::Value<'_>) -> String {
    match value.kind() {
        ValueKind::Function | ValueKind::GlobalVariable | ValueKind::GlobalAlias => quote_name('@', &value.name()),
        _ => {
            let text = value.print();
            text.split_once(' ').map_or(text.clone(), |(_, rest)| rest.to_owned())
        }
    }
}
