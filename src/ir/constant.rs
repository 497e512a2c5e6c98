//! What does a constant that is not a plain number represent?

use super::inst::{ConstData, GlobalData};
use crate::llvm::handle::{self, RawOpcode, ValueKind};

/// Follows casts and GEPs of a constant expression to its global.
pub(super) fn constant_address(value: handle::Value<'_>) -> ConstData {
    let mut base = value;
    for _ in 0..8 {
        match base.kind() {
            ValueKind::Function => {
                return ConstData::Address(GlobalData { space: 0, constant: true });
            }
            ValueKind::GlobalVariable => {
                let space = base.ty().address_space().unwrap_or(0);
                let constant = base.is_global_constant() || space == 4;
                return ConstData::Address(GlobalData { space, constant });
            }
            ValueKind::ConstantExpr
                if matches!(
                    base.const_opcode(),
                    Some(RawOpcode::LLVMGetElementPtr | RawOpcode::LLVMAddrSpaceCast | RawOpcode::LLVMBitCast)
                ) =>
            {
                base = base.operand(0);
            }
            _ => break,
        }
    }
    ConstData::Opaque
}

pub(super) fn has_undef(value: handle::Value<'_>, depth: u32) -> bool {
    value.operands().any(|element| match element.kind() {
        ValueKind::Undef | ValueKind::Poison => true,
        ValueKind::ConstantAggregate => depth >= 4 || has_undef(element, depth + 1),
        _ => false,
    })
}
