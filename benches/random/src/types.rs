//! Of which types are values, and what is a generator to know of them?

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

use Scalar::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// Every scalar, often the common ones.
pub const SCALARS: &[(Scalar, usize)] =
    &[(U32, 8), (I32, 7), (F32, 8), (F64, 3), (U64, 2), (I64, 2), (U16, 2), (I16, 2), (U8, 2), (I8, 1), (F16, 2)];

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            U8 => "u8",
            I8 => "i8",
            U16 => "u16",
            I16 => "i16",
            U32 => "u32",
            I32 => "int",
            U64 => "u64",
            I64 => "i64",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    /// For a signed type, how many bits the magnitude of a variable has at most; arithmetic on it has room for more.
    pub fn magnitude(self) -> Option<u32> {
        match self {
            I8 => Some(7),
            I16 => Some(15),
            I32 => Some(20),
            I64 => Some(40),
            _ => None,
        }
    }
}

/// A struct or vector type: its name and members.
#[derive(PartialEq, Eq, Debug)]
pub struct Record {
    pub name: &'static str,
    pub members: &'static [(&'static str, Scalar)],
}

const fn record(name: &'static str, members: &'static [(&'static str, Scalar)]) -> Record {
    Record { name, members }
}

/// Structs of prelude.cuh and vectors of CUDA.
pub const RECORDS: &[Record] = &[
    record("Mixed", &[("a", U8), ("b", I32), ("c", U16), ("d", U64), ("e", F32)]),
    record("Pair", &[("a", U16), ("b", U16)]),
    record("Point", &[("x", F32), ("y", F32), ("z", F32)]),
    record("Small", &[("x", F16), ("y", I8)]),
    record("Wide", &[("x", I32), ("y", I32), ("z", I32), ("w", F64)]),
    record("char2", &[("x", I8), ("y", I8)]),
    record("uchar4", &[("x", U8), ("y", U8), ("z", U8), ("w", U8)]),
    record("short2", &[("x", I16), ("y", I16)]),
    record("int2", &[("x", I32), ("y", I32)]),
    record("uint3", &[("x", U32), ("y", U32), ("z", U32)]),
    record("float2", &[("x", F32), ("y", F32)]),
    record("float4", &[("x", F32), ("y", F32), ("z", F32), ("w", F32)]),
    record("double2", &[("x", F64), ("y", F64)]),
];

/// What a variable or an element of an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Scalar(Scalar),
    Record(&'static Record),
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Type::Scalar(scalar) => scalar.name(),
            Type::Record(record) => record.name,
        }
    }
}
