//! What does the analysis need to know about a type?

use crate::llvm::handle;

/// The kind of a type, as far as the analysis distinguishes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Void,
    /// An integer of this many bits.
    Int(u32),
    /// A floating-point type of this many bits: half, bfloat, float, double …
    Float(u32),
    /// Pointer: address space and width in bits.
    Ptr {
        space: u32,
        bits: u32,
    },
    /// A fixed vector: element bits (zero if the elements are not scalar) and length; `int` for integer elements.
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
    /// Width of an integer or pointer, in bits.
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
    /// Bytes a store writes; zero for types without a fixed size.
    pub store_size: u64,
}

impl TypeInfo {
    /// The type with its sizes in the module's data layout.
    pub(super) fn of(ty: handle::Type<'_>, layout: handle::Layout<'_>) -> TypeInfo {
        use handle::TypeKind as K;
        let kind = match ty.kind() {
            K::LLVMVoidTypeKind => TypeKind::Void,
            K::LLVMIntegerTypeKind => TypeKind::Int(ty.int_bits().unwrap_or(0)),
            K::LLVMHalfTypeKind | K::LLVMBFloatTypeKind => TypeKind::Float(16),
            K::LLVMFloatTypeKind => TypeKind::Float(32),
            K::LLVMDoubleTypeKind => TypeKind::Float(64),
            K::LLVMX86_FP80TypeKind => TypeKind::Float(80),
            K::LLVMFP128TypeKind | K::LLVMPPC_FP128TypeKind => TypeKind::Float(128),
            K::LLVMPointerTypeKind => {
                let space = ty.address_space().unwrap_or(0);
                TypeKind::Ptr { space, bits: layout.pointer_bits(space) }
            }
            K::LLVMVectorTypeKind => {
                let element = ty.element();
                let int_bits = element.and_then(handle::Type::int_bits);
                let element_bits = match int_bits {
                    Some(bits) => bits,
                    None => element.and_then(|e| layout.store_size(e)).map_or(0, |bytes| 8 * bytes as u32),
                };
                TypeKind::Vector { element_bits, length: ty.length() as u32, int: int_bits.is_some() }
            }
            K::LLVMArrayTypeKind | K::LLVMStructTypeKind => TypeKind::Aggregate,
            _ => TypeKind::Other,
        };
        let store_size = match kind {
            TypeKind::Int(bits) | TypeKind::Ptr { bits, .. } => Some(u64::from(bits.div_ceil(8))),
            _ => layout.store_size(ty).filter(|_| ty.kind() != K::LLVMTargetExtTypeKind),
        };
        TypeInfo { kind, store_size: store_size.unwrap_or(0) }
    }
}
