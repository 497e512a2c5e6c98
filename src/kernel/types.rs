//! What does the analysis need to know of a type?

/// Kind of a type, as far as the analysis tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Void,
    /// Integer of that many bits.
    Int(u32),
    /// Half, bfloat, float, double … of that many bits.
    Float(u32),
    /// Pointer: address space and width in bits.
    Ptr {
        space: u32,
        bits: u32,
    },
    /// Fixed vector: element bits (zero where not scalar) and length; `int` for integer elements.
    Vector {
        element_bits: u32,
        length: u32,
        int: bool,
    },
    /// Arrays and structs.
    Aggregate,
    /// Label, metadata, token, target types, scalable vectors.
    Other,
}

impl TypeKind {
    /// Width of an integer or pointer in bits.
    #[inline]
    pub fn int_bits(self) -> Option<u32> {
        match self {
            TypeKind::Int(bits) | TypeKind::Ptr { bits, .. } => Some(bits),
            _ => None,
        }
    }
    /// Address space of a pointer.
    pub fn space(self) -> Option<u32> {
        match self {
            TypeKind::Ptr { space, .. } => Some(space),
            _ => None,
        }
    }
}

/// A type with its size.
#[derive(Clone, Copy, Debug)]
pub struct TypeInfo {
    pub kind: TypeKind,
    /// Bytes from one array element to the next; zero for unsized types.
    pub alloc_size: u64,
    /// Bytes a store writes; zero for unsized types.
    pub store_size: u64,
}
