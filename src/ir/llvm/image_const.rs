//! What does a constant contain, as plain data? Trees of constants without LLVM references; addresses stay symbolic
//! until the machine has assigned them to globals.

use super::handle::{Type, TypeKind as RawKind, Value, ValueKind};
use super::image::*;
use super::image::{bin_op, cast_op};
use super::image_import::Importer;

impl<'m> Importer<'m> {
    pub(super) fn constant(&mut self, value: Value<'m>) -> ConstId {
        if let Some(&id) = self.constants.get(&value) {
            return id;
        }
        let kind = self.constant_kind(value);
        let ty = self.ty(value.ty());
        let id = ConstId(self.image.constants.len() as u32);
        self.image.constants.push(ConstData { ty, kind });
        self.constants.insert(value, id);
        id
    }

    fn constant_kind(&mut self, value: Value<'m>) -> ConstKind {
        let unknown = || ConstKind::Other(value.print());
        match value.kind() {
            ValueKind::ConstantInt if value.ty().int_bits().is_some() => {
                int_bits(value).map_or_else(unknown, ConstKind::Int)
            }
            ValueKind::ConstantFp => value.const_fp_bits().map_or_else(unknown, ConstKind::Fp),
            ValueKind::ConstantNull | ValueKind::ConstantZero => ConstKind::Zero,
            ValueKind::Undef => ConstKind::Undef,
            ValueKind::Poison => ConstKind::Poison,
            ValueKind::GlobalVariable => self.global_ids.get(&value).map_or_else(unknown, |&id| ConstKind::Global(id)),
            ValueKind::Function => self.function_ids.get(&value).map_or_else(unknown, |&id| ConstKind::Function(id)),
            ValueKind::ConstantData | ValueKind::ConstantAggregate => {
                if let Some(bytes) = byte_array(value) {
                    return ConstKind::Bytes(bytes);
                }
                let count = value.ty().length() as u32;
                let elements: Option<Vec<_>> = (0..count).map(|i| value.aggregate_element(i)).collect();
                match elements {
                    Some(elements) => {
                        ConstKind::Aggregate(elements.into_iter().map(|element| self.constant(element)).collect())
                    }
                    None => unknown(),
                }
            }
            ValueKind::ConstantExpr => self.expression(value),
            // An alias means what it aliases: its only operand.
            ValueKind::GlobalAlias if value.operand_count() == 1 => {
                let aliasee = self.constant(value.operand(0));
                ConstKind::Offset(aliasee, 0)
            }
            _ => unknown(),
        }
    }

    fn expression(&mut self, value: Value<'m>) -> ConstKind {
        let unknown = || ConstKind::Other(value.print());
        let Some(opcode) = value.const_opcode() else { return unknown() };
        if let Some(op) = cast_op(opcode) {
            return ConstKind::Cast(op, self.constant(value.operand(0)));
        }
        if let Some(op) = bin_op(opcode) {
            return ConstKind::Bin(op, self.constant(value.operand(0)), self.constant(value.operand(1)));
        }
        if opcode == super::handle::RawOpcode::LLVMGetElementPtr
            && value.ty().address_space().is_some()
            && let Op::Gep { offset, steps } = self.gep(value)
            && steps.is_empty()
        {
            return ConstKind::Offset(self.constant(value.operand(0)), offset);
        }
        unknown()
    }
}

/// The bits of an integer constant of at most 128 bits. The C API returns 64 bits only, so wider ones are parsed from
/// their decimal text.
fn int_bits(value: Value<'_>) -> Option<u128> {
    let bits = value.ty().int_bits()?;
    if bits <= 64 {
        return value.const_u64().map(u128::from);
    }
    if bits > 128 {
        return None;
    }
    let text = value.print();
    let digits = text.rsplit(' ').next()?;
    let raw = match digits.strip_prefix('-') {
        Some(magnitude) => magnitude.parse::<u128>().ok()?.wrapping_neg(),
        None => digits.parse().ok()?,
    };
    Some(if bits == 128 { raw } else { raw & ((1 << bits) - 1) })
}

fn byte_array(value: Value<'_>) -> Option<Vec<u8>> {
    let is_bytes = |ty: Type<'_>| {
        ty.kind() == RawKind::LLVMArrayTypeKind && ty.element().is_some_and(|element| element.int_bits() == Some(8))
    };
    if value.kind() != ValueKind::ConstantData || !is_bytes(value.ty()) {
        return None;
    }
    let count = value.ty().length() as u32;
    (0..count).map(|i| value.aggregate_element(i)?.const_u64().map(|byte| byte as u8)).collect()
}
