//! How is a value stored in slots, and how in memory? Types are flattened into leaves.

use super::code::{Fmt, Leaf};
use std::rc::Rc;
use warpwise_ir::llvm::image::{ModuleImage, TypeId, TypeKind};

/// Maximum number of leaves of one value: first-class aggregates are small in the code that clang emits.
const MAX_LEAVES: usize = 4096;

/// A leaf with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafAt {
    pub leaf: Leaf,
    /// Byte offset in memory.
    pub offset: u32,
    /// First slot, counted from the value's first.
    pub slot: u32,
}

/// A flattened type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    pub leaves: Vec<LeafAt>,
    pub slots: u32,
    /// For a vector whose elements are not whole bytes, and so are packed in memory: bits per element.
    pub packed: Option<u16>,
}

/// Shapes of all types of a module, made on demand.
pub struct Shapes<'i> {
    image: &'i ModuleImage,
    known: Vec<Option<Result<Rc<Shape>, String>>>,
}

impl<'i> Shapes<'i> {
    pub fn new(image: &'i ModuleImage) -> Self {
        Shapes { image, known: vec![None; image.types.len()] }
    }

    /// The shape of a type, or the name of a type whose values the machine does not support.
    pub fn of(&mut self, ty: TypeId) -> Result<Rc<Shape>, String> {
        if let Some(known) = &self.known[ty.index()] {
            return known.clone();
        }
        let mut shape = Shape::default();
        let result = self.flatten(ty, 0, &mut shape).map(|()| Rc::new(shape));
        self.known[ty.index()] = Some(result.clone());
        result
    }

    fn flatten(&self, ty: TypeId, offset: u64, shape: &mut Shape) -> Result<(), String> {
        let data = self.image.ty(ty);
        let leaf = match &data.kind {
            TypeKind::Void | TypeKind::Label | TypeKind::Metadata => return Ok(()),
            TypeKind::Int(bits @ 1..=128) => Leaf::Int(*bits as u16),
            TypeKind::Int(bits) => return Err(format!("values of type i{bits}")),
            TypeKind::Half => Leaf::Float(Fmt::Half),
            TypeKind::BFloat => Leaf::Float(Fmt::BFloat),
            TypeKind::Float => Leaf::Float(Fmt::Single),
            TypeKind::Double => Leaf::Float(Fmt::Double),
            TypeKind::Ptr(space) => Leaf::Ptr(*space as u8),
            TypeKind::Vector { element, length } => {
                let before = shape.leaves.len();
                let mut bytes = self.image.ty(*element).store;
                for i in 0..u64::from(*length) {
                    self.flatten(*element, offset + i * bytes, shape)?;
                    if i == 0 && !shape.leaves[before].leaf.bits().is_multiple_of(8) {
                        bytes = 0;
                    }
                }
                let bits = shape.leaves.get(before).map_or(8, |at| at.leaf.bits());
                if !bits.is_multiple_of(8) {
                    if before != 0 || offset != 0 {
                        return Err(format!("a vector of i{bits} inside an aggregate"));
                    }
                    shape.packed = Some(bits as u16);
                }
                return Ok(());
            }
            TypeKind::Array { element, length } => {
                let step = self.image.ty(*element).size;
                for i in 0..*length {
                    self.flatten(*element, offset + i * step, shape)?;
                }
                return Ok(());
            }
            TypeKind::Struct(elements) => {
                for (element, at) in elements {
                    self.flatten(*element, offset + at, shape)?;
                }
                return Ok(());
            }
            TypeKind::Other(name) => return Err(format!("values of type {name}")),
        };
        if shape.leaves.len() >= MAX_LEAVES {
            return Err(format!("a value of more than {MAX_LEAVES} scalars"));
        }
        shape.leaves.push(LeafAt { leaf, offset: offset as u32, slot: shape.slots });
        shape.slots += leaf.slots();
        Ok(())
    }

    /// First slot and slot count of an element chosen by constant indices.
    pub fn element(&mut self, ty: TypeId, indices: &[u32]) -> Result<(u32, u32), String> {
        let mut first = 0;
        let mut current = ty;
        for &index in indices {
            match &self.image.ty(current).kind {
                TypeKind::Struct(elements) => {
                    for &(before, _) in elements.iter().take(index as usize) {
                        first += self.of(before)?.slots;
                    }
                    current = elements.get(index as usize).ok_or("an element index past the end")?.0;
                }
                TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => {
                    first += index * self.of(*element)?.slots;
                    current = *element;
                }
                _ => return Err("an element of a scalar".into()),
            }
        }
        Ok((first, self.of(current)?.slots))
    }
}
