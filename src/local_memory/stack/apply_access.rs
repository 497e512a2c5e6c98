//! What becomes of an access to a stack object that has moved? One access at its new place, or several of one granule
//! each if it is wider.

use super::apply::Apply;
use crate::mutants::{self, Mutant};
use warpwise_analysis::objects::constant::bytes_of;
use warpwise_analysis::objects::{AccessKind, ObjectAccess};
use warpwise_ir::entity::Value;
use warpwise_ir::llvm::handle::{self, RawOpcode};

/// Widest piece of an access that is split, in bytes.
const MAX_SPLIT: u64 = 8;

impl<'m> Apply<'_, 'm> {
    pub(super) fn access(&mut self, access: &ObjectAccess) {
        let old = self.handles.inst(access.inst);
        let operands = self.outline.func.operands(access.inst);
        self.editor.before(old);
        if mutants::on(Mutant::StackEarlyLoad) && access.kind == AccessKind::Load && self.is_fixed(operands[0]) {
            let block = self.outline.func.insts[access.inst].block;
            if block != self.outline.func.graph.entry() {
                self.editor.after_phis(old.block());
            }
        }
        let written = match access.kind {
            AccessKind::Load => None,
            AccessKind::Store => Some(operands[1]),
            AccessKind::Set | AccessKind::Copy { .. } => Some(operands[0]),
        };
        if written.and_then(|pointer| self.areas.get(&pointer)).is_some_and(|area| area.constant) {
            return;
        }
        match access.kind {
            AccessKind::Load => {
                let new = self.load(operands[0], access, old.ty());
                self.loads.push((old, new));
            }
            AccessKind::Store => self.store(operands[1], access, old.operand(0)),
            AccessKind::Set => self.fill(operands[0], access, old.operand(1)),
            AccessKind::Copy { overlapping, .. } => self.copy(operands[0], operands[1], access, overlapping),
        }
    }

    fn load(&mut self, pointer: Value, access: &ObjectAccess, ty: handle::Type<'m>) -> handle::Value<'m> {
        let step = self.step(pointer, access.piece);
        if step == access.size || self.areas[&pointer].interleaved.is_none() {
            let address = self.address(pointer, 0, step);
            return self.editor.load(ty, address, access.piece as u32, false, "");
        }
        let step = step.min(MAX_SPLIT);
        let count = access.size / step;
        let part = self.editor.int_type(step as u32 * 8);
        let vector = self.editor.vector_type(part, count as u32);
        let mut whole = self.editor.poison(vector);
        for index in 0..count {
            let address = self.address(pointer, index * step, step);
            let piece = self.editor.load(part, address, step as u32, false, "");
            whole = self.editor.insert_element(whole, piece, index as u32);
        }
        self.editor.reinterpret(whole, ty, access.size as u32 * 8)
    }

    fn store(&mut self, pointer: Value, access: &ObjectAccess, value: handle::Value<'m>) {
        let step = self.step(pointer, access.piece);
        if step == access.size || self.areas[&pointer].interleaved.is_none() {
            let address = self.address(pointer, 0, step);
            self.editor.store(value, address, access.piece as u32, false);
            return;
        }
        let step = step.min(MAX_SPLIT);
        let count = access.size / step;
        let bits = step as u32 * 8;
        // a constant is split here, since the builder would create a vector expression
        let layout = self.handles.function.module().layout();
        if let Some(bytes) = bytes_of(value, layout).filter(|bytes| bytes.len() as u64 == access.size) {
            for (index, piece) in (0..).zip(bytes.chunks_exact(step as usize)) {
                let number = piece.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
                let piece = self.editor.int(bits, number);
                let address = self.address(pointer, index * step, step);
                self.editor.store(piece, address, step as u32, false);
            }
            return;
        }
        let part = self.editor.int_type(bits);
        let vector = self.editor.vector_type(part, count as u32);
        let parts = self.editor.reinterpret(value, vector, access.size as u32 * 8);
        for index in 0..count {
            let piece = self.editor.extract_element(parts, index as u32, "");
            let address = self.address(pointer, index * step, step);
            self.editor.store(piece, address, step as u32, false);
        }
    }

    /// `memset`: the byte, repeated to the width of a piece.
    fn fill(&mut self, pointer: Value, access: &ObjectAccess, byte: handle::Value<'m>) {
        let step = self.step(pointer, access.piece).min(MAX_SPLIT);
        let word = self.editor.int_type(step as u32 * 8);
        let mut value = byte;
        if step > 1 {
            value = self.editor.cast(RawOpcode::LLVMZExt, byte, word, "");
            let ones = self.editor.int(step as u32 * 8, 0x0101_0101_0101_0101 >> (64 - step * 8));
            value = self.editor.binary(RawOpcode::LLVMMul, value, ones, "");
        }
        for index in 0..access.size / step {
            let address = self.address(pointer, index * step, step);
            self.editor.store(value, address, step as u32, false);
        }
    }

    /// `memcpy` and `memmove`: piece by piece; if they may overlap, everything is read first.
    fn copy(&mut self, to: Value, from: Value, access: &ObjectAccess, overlapping: bool) {
        let step = self.step(to, access.piece).min(self.step(from, access.piece)).min(MAX_SPLIT);
        let part = self.editor.int_type(step as u32 * 8);
        let mut read = Vec::new();
        for index in 0..access.size / step {
            let address = self.either(from, index * step, step);
            let piece = self.editor.load(part, address, step as u32, false, "");
            if overlapping {
                read.push(piece);
            } else {
                let address = self.either(to, index * step, step);
                self.editor.store(piece, address, step as u32, false);
            }
        }
        for (index, piece) in read.into_iter().enumerate() {
            let address = self.either(to, index as u64 * step, step);
            self.editor.store(piece, address, step as u32, false);
        }
    }

    /// The address of a piece of a moved object, or of memory that is not moved.
    fn either(&mut self, pointer: Value, further: u64, piece: u64) -> handle::Value<'m> {
        if self.areas.contains_key(&pointer) {
            return self.address(pointer, further, piece);
        }
        let plain = self.handles.value(pointer);
        self.moved_by(plain, further as i64)
    }
}
