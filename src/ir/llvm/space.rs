//! Address spaces of NVPTX, by LLVM's numbers.

pub const GENERIC: u32 = 0;
pub const GLOBAL: u32 = 1;
pub const SHARED: u32 = 3;
pub const CONST: u32 = 4;
pub const LOCAL: u32 = 5;
pub const SHARED_CLUSTER: u32 = 7;
pub const PARAM: u32 = 101;
