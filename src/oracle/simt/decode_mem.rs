//! How are loads, stores and address computations translated to micro-operations?

use super::code::*;
use super::constants::space_of;
use super::decode::{Decoded, Decoder, Slots};
use super::layout::{LeafAt, Shape};
use warpwise_ir::llvm::image::{GepStep, InstImage, Op as Ir, Operand, RmwOp, TypeId};

impl Decoder<'_, '_> {
    pub(super) fn load(&mut self, inst: &InstImage, align: u32, atomic: bool) -> Decoded<()> {
        let (address, space) = (self.scalar(inst, 0)?, self.space(inst, 0));
        let (shape, d) = (self.shape(inst.ty)?, self.dst());
        let words = shape.packed.map_or(0, |_| (self.image.ty(inst.ty).store as u32).div_ceil(8));
        let raw = self.temp(words);
        let mut align = align.max(1);
        for (slot, offset, bits) in self.pieces(inst.ty, &shape) {
            let value = slot + if words > 0 { raw } else { d };
            let (size, bits) = (bits.div_ceil(8) as u8, bits as u8);
            self.emit(Op::Load(AccessArgs { value, address, space, offset, size, bits, align, atomic }));
            align = 1;
        }
        if let Some(bits) = shape.packed {
            let count = shape.leaves.len() as u32;
            self.emit(Op::Repack { d, count, to: bits, a: raw, from_count: words, from: 64 });
        }
        Ok(())
    }

    pub(super) fn store(&mut self, inst: &InstImage, align: u32, atomic: bool) -> Decoded<()> {
        let (mut values, address, space) = (self.arg(inst, 0)?, self.scalar(inst, 1)?, self.space(inst, 1));
        let ty = inst.operand_types[0];
        let shape = self.shape(ty)?;
        if let Some(bits) = shape.packed {
            let (from_count, words) = (shape.leaves.len() as u32, (self.image.ty(ty).store as u32).div_ceil(8));
            let (raw, a) = (self.temp(words), self.in_frame(&values));
            self.emit(Op::Repack { d: raw, count: words, to: 64, a, from_count, from: bits });
            values = (raw..raw + words).collect();
        }
        let mut align = align.max(1);
        for (slot, offset, bits) in self.pieces(ty, &shape) {
            let (value, size) = (values[slot as usize], bits.div_ceil(8) as u8);
            self.emit(Op::Store(AccessArgs { value, address, space, offset, size, bits: 0, align, atomic }));
            align = 1;
        }
        Ok(())
    }

    /// The accesses that move a value of a type: slot, byte offset, bits. Packed vectors move as words.
    fn pieces(&self, ty: TypeId, shape: &Shape) -> Vec<(u32, u32, u32)> {
        if shape.packed.is_some() {
            let total = self.image.ty(ty).store as u32;
            return (0..total.div_ceil(8)).map(|word| (word, 8 * word, (8 * total - 64 * word).min(64))).collect();
        }
        let words = |at: &LeafAt| {
            let LeafAt { leaf, offset, slot } = *at;
            (0..leaf.slots()).map(move |word| (slot + word, offset + 8 * word, (leaf.bits() - 64 * word).min(64)))
        };
        shape.leaves.iter().flat_map(words).collect()
    }

    pub(super) fn atomic_rmw(&mut self, inst: &InstImage, op: RmwOp) -> Decoded<()> {
        let leaf = self.single_leaf(inst.ty)?;
        let (address, space, value) = (self.scalar(inst, 0)?, self.space(inst, 0), self.scalar(inst, 1)?);
        let d = self.dst();
        self.emit(Op::AtomicRmw { op, leaf, d, address, space, value });
        Ok(())
    }

    /// Compare and exchange; a slot records whether it succeeded.
    pub(super) fn cmpxchg(&mut self, inst: &InstImage, success: Dst) -> Decoded<()> {
        let leaf = self.single_leaf(inst.operand_types[1])?;
        let (address, space) = (self.scalar(inst, 0)?, self.space(inst, 0));
        let (expected, value) = (self.scalar(inst, 1)?, self.scalar(inst, 2)?);
        let (d, size) = (self.dst(), (leaf.bits() / 8) as u8);
        self.emit(Op::CmpXchg(CmpXchgArgs { size, d, success, address, space, expected, value }));
        Ok(())
    }

    pub(super) fn gep(&mut self, inst: &InstImage, offset: i64, steps: &[GepStep]) -> Decoded<()> {
        let base = self.arg(inst, 0)?;
        let (d, lanes) = (self.dst(), self.shape(inst.ty)?.leaves.len());
        let mut indices = Vec::new();
        for step in steps {
            let shape = self.shape(inst.operand_types[step.operand as usize])?;
            let bits = shape.leaves.first().map_or(64, |at| at.leaf.bits()) as u16;
            if bits > 64 {
                return Err(format!("an address index of type i{bits}"));
            }
            indices.push((self.arg(inst, step.operand as usize)?, bits, step.scale));
        }
        // A vector of addresses: scalar parts are the same for every element.
        let part = |slots: &Slots, lane: usize| if slots.len() == lanes { slots[lane] } else { slots[0] };
        for lane in 0..lanes {
            let (d, base) = (d + lane as u32, part(&base, lane));
            match indices.split_first() {
                None => self.emit(Op::Address { d, base, index: base, bits: 0, scale: 0, offset }),
                Some(((index, bits, scale), rest)) => {
                    self.emit(Op::Address { d, base, index: part(index, lane), bits: *bits, scale: *scale, offset });
                    for (index, bits, scale) in rest {
                        let index = part(index, lane);
                        self.emit(Op::Address { d, base: d, index, bits: *bits, scale: *scale, offset: 0 });
                    }
                }
            }
        }
        Ok(())
    }

    /// Objects of constant size of the entry block are in the fixed part of the frame, before everything that moves the
    /// stack pointer, wherever in the block they are allocated.
    pub(super) fn fixed_objects(&mut self, entry: std::ops::Range<u32>) {
        for ordinal in entry {
            let inst = &self.func.insts[ordinal as usize];
            if let Ir::Alloca { ty, align } = &inst.op
                && self.is_fixed(inst)
            {
                self.inst = ordinal;
                let Ok(count) = self.scalar(inst, 0) else { continue };
                self.alloca(inst, *ty, *align, count);
            }
        }
    }

    /// Whether an alloca of the entry block has a constant size.
    pub(super) fn is_fixed(&mut self, inst: &InstImage) -> bool {
        let Some(&Operand::Const(id)) = inst.operands.first() else { return false };
        let scalars = self.pool.scalars(self.image, self.shapes, id);
        scalars.is_ok_and(|scalars| scalars.iter().all(|&(_, undef)| !undef))
    }

    pub(super) fn alloca(&mut self, inst: &InstImage, ty: TypeId, align: u32, count: Src) {
        let space = space_of(self.image, inst.ty);
        let (d, size) = (self.dst(), self.image.ty(ty).size);
        self.emit(Op::Alloca { d, space, size, count, align: align.max(1) });
    }
}
