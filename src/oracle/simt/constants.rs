//! What are the values of constants and globals once every address is known? Assigns addresses to globals, evaluates
//! constants, and keeps the pool of constant operands.
//!
//! Addresses (see also `memory`): device memory starts at [`DEVICE_WINDOW`], one page-aligned allocation for each
//! global; shared variables are at offsets from [`SHARED_START`] with [`GAP`] unallocated bytes between them; functions
//! start at [`FUNCTION_WINDOW`], at a hash of their name, so that a function pointer in memory is the same number in
//! two versions of a module.

use super::code::{CONST, FULL, IntOp, LANES, Lanes, Src, Wrap};
use super::int;
use super::layout::Shapes;
use rustc_hash::FxHashMap;
use warpwise_ir::llvm::image::{CastOp, ConstId, ConstKind, ModuleImage, TypeId, TypeKind};

/// Start of device memory (globals, constants, buffers, heap).
pub const DEVICE_WINDOW: u64 = 1 << 40;
/// Start of the shared window; shared pointers are offsets from it.
pub const SHARED_WINDOW: u64 = 2 << 40;
/// Start of the local window, the same for every thread; local pointers are offsets from it.
pub const LOCAL_WINDOW: u64 = 3 << 40;
/// Start of the addresses of functions.
pub const FUNCTION_WINDOW: u64 = 5 << 40;
/// Alignment of device allocations in bytes; one extra page guards the end.
pub const PAGE: u64 = 4096;
/// Offset of the first byte of shared memory available to programs: the system reserves the first KiB of sm_90.
pub const SHARED_START: u64 = 1024;
/// Number of unallocated bytes between shared variables, and between local ones, to catch small overruns.
pub const GAP: u64 = 16;

/// Address spaces of NVPTX whose pointers are offsets.
pub mod space {
    pub const SHARED: u8 = 3;
    pub const LOCAL: u8 = 5;
    pub const SHARED_CLUSTER: u8 = 7;
}

/// The generic address of offset 0 of a space.
fn window_of(space: u8) -> u64 {
    match space {
        space::SHARED | space::SHARED_CLUSTER => SHARED_WINDOW,
        space::LOCAL => LOCAL_WINDOW,
        _ => 0,
    }
}

/// The generic address of an address in a space.
pub fn to_generic(address: u64, space: u8) -> u64 {
    address.wrapping_add(window_of(space))
}

/// The address in a space of a generic address.
pub fn from_generic(address: u64, space: u8) -> u64 {
    address.wrapping_sub(window_of(space))
}

/// Where a global lies.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Address in the global's own space.
    pub address: u64,
    pub space: u8,
    pub size: u64,
}

/// Constants as operands, and the addresses of globals.
#[derive(Debug, Default)]
pub struct Pool {
    pub values: Vec<Lanes>,
    pub undef: Vec<u32>,
    known: FxHashMap<(u64, bool), Src>,
    pub globals: Vec<Placed>,
    /// First free device address and first free shared offset.
    pub device_end: u64,
    pub shared_end: u64,
    /// Offset of dynamic shared memory.
    pub dynamic_shared: u64,
    /// Address of each function, and back.
    functions: Vec<u64>,
    function_at: FxHashMap<u64, u32>,
}

/// A scalar of a constant: bits and whether it is undef or poison.
pub type Scalar = (u128, bool);

impl Pool {
    /// Assigns an address to every global of the module.
    pub fn place(image: &ModuleImage) -> Pool {
        let mut pool = Pool { device_end: DEVICE_WINDOW, shared_end: SHARED_START, ..Pool::default() };
        let mut dynamic = Vec::new();
        for (index, global) in image.globals.iter().enumerate() {
            let size = image.ty(global.ty).size;
            let align = u64::from(global.align.max(1));
            let space = global.address_space as u8;
            let address = if space == space::SHARED {
                // `extern __shared__` is a declaration of an array without a length: it refers to dynamic memory
                if size == 0 || global.initializer.is_none() {
                    dynamic.push((index, align));
                    0
                } else {
                    let start = pool.shared_end.next_multiple_of(align);
                    pool.shared_end = start + size + GAP;
                    start
                }
            } else {
                let start = pool.device_end.next_multiple_of(align.max(PAGE));
                pool.device_end = start + (size + PAGE).next_multiple_of(PAGE);
                start
            };
            pool.globals.push(Placed { address, space, size });
        }
        let align = dynamic.iter().map(|&(_, align)| align).max().unwrap_or(16).max(16);
        pool.dynamic_shared = pool.shared_end.next_multiple_of(align);
        for (index, _) in dynamic {
            pool.globals[index].address = pool.dynamic_shared;
        }
        for (number, function) in (0u32..).zip(&image.functions) {
            let hash = function.name.bytes().fold(0, |hash, byte| super::observe::mix(hash, u64::from(byte)));
            let mut address = FUNCTION_WINDOW + (hash >> 28) * 16;
            while pool.function_at.contains_key(&address) {
                address += 16;
            }
            pool.function_at.insert(address, number);
            pool.functions.push(address);
        }
        pool
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        self.function_at.get(&address).copied()
    }

    /// An operand that holds the same 64 bits in every lane.
    pub fn operand(&mut self, bits: u64, undef: bool) -> Src {
        *self.known.entry((bits, undef)).or_insert_with(|| {
            self.values.push([bits; LANES]);
            self.undef.push(if undef { FULL } else { 0 });
            CONST | (self.values.len() as u32 - 1)
        })
    }

    /// Scalars of a constant in leaf order, or the name of something that the machine does not implement.
    pub fn scalars(&self, image: &ModuleImage, shapes: &mut Shapes<'_>, id: ConstId) -> Result<Vec<Scalar>, String> {
        let constant = &image.constants[id.index()];
        match &constant.kind {
            ConstKind::Zero => Ok(vec![(0, false); shapes.of(constant.ty)?.leaves.len()]),
            ConstKind::Undef | ConstKind::Poison => Ok(vec![(0, true); shapes.of(constant.ty)?.leaves.len()]),
            ConstKind::Bytes(bytes) => Ok(bytes.iter().map(|&byte| (u128::from(byte), false)).collect()),
            ConstKind::Aggregate(elements) => {
                let mut all = Vec::new();
                for &element in elements {
                    all.extend(self.scalars(image, shapes, element)?);
                }
                Ok(all)
            }
            _ => Ok(vec![(self.scalar(image, id)?, false)]),
        }
    }

    /// Bits of a scalar constant.
    fn scalar(&self, image: &ModuleImage, id: ConstId) -> Result<u128, String> {
        let constant = &image.constants[id.index()];
        let bits = |id: ConstId| bits_of(image, image.constants[id.index()].ty);
        Ok(match &constant.kind {
            ConstKind::Int(value) => *value,
            ConstKind::Fp(value) => u128::from(*value),
            ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => 0,
            ConstKind::Global(global) => u128::from(self.globals[global.index()].address),
            ConstKind::Function(function) => u128::from(self.functions[function.index()]),
            ConstKind::Offset(base, offset) => {
                u128::from((self.scalar(image, *base)? as u64).wrapping_add_signed(*offset))
            }
            ConstKind::Cast(op, inner) => {
                let value = self.scalar(image, *inner)?;
                match op {
                    CastOp::AddrSpaceCast => {
                        let generic = to_generic(value as u64, space_of(image, image.constants[inner.index()].ty));
                        u128::from(from_generic(generic, space_of(image, constant.ty)))
                    }
                    CastOp::SExt => int::signed(value, bits(*inner)?) as u128 & int::mask(bits(id)?),
                    CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::BitCast => {
                        value & int::mask(bits(id)?)
                    }
                    _ => return Err(format!("the constant conversion {op:?}")),
                }
            }
            ConstKind::Bin(op, a, b) => {
                let (x, y) = (self.scalar(image, *a)?, self.scalar(image, *b)?);
                match int::int(IntOp::Bin(*op), bits(id)?, [x, y, y], Wrap::default()) {
                    Ok((value, false)) => value,
                    _ => return Err(format!("the constant operation {op:?}")),
                }
            }
            ConstKind::Bytes(_) | ConstKind::Aggregate(_) => return Err("an aggregate where a scalar belongs".into()),
            ConstKind::Other(text) => return Err(format!("the constant {text}")),
        })
    }

    /// Writes a constant as it is stored in memory. Bytes of undefined parts are marked in `undef`.
    pub fn write(&self, image: &ModuleImage, id: ConstId, bytes: &mut [u8], undef: &mut [u8]) -> Result<(), String> {
        let constant = &image.constants[id.index()];
        match &constant.kind {
            ConstKind::Zero => bytes.fill(0),
            ConstKind::Undef | ConstKind::Poison => undef.fill(0xff),
            ConstKind::Bytes(text) => bytes[..text.len()].copy_from_slice(text),
            // element by element, because initialisers may be too large to be flattened as values
            ConstKind::Aggregate(elements) => {
                let places: Vec<u64> = match &image.ty(constant.ty).kind {
                    TypeKind::Array { element, .. } => strides(elements.len(), image.ty(*element).size),
                    TypeKind::Vector { element, .. } => strides(elements.len(), image.ty(*element).store),
                    TypeKind::Struct(fields) => fields.iter().map(|&(_, offset)| offset).collect(),
                    _ => return Err("an aggregate of no aggregate type".into()),
                };
                for (&element, &place) in elements.iter().zip(&places) {
                    let size = image.ty(image.constants[element.index()].ty).store as usize;
                    let range = place as usize..place as usize + size;
                    self.write(image, element, &mut bytes[range.clone()], &mut undef[range])?;
                }
            }
            _ => {
                let value = self.scalar(image, id)?.to_le_bytes();
                let size = bytes.len().min(16);
                bytes[..size].copy_from_slice(&value[..size]);
            }
        }
        Ok(())
    }
}

fn strides(count: usize, step: u64) -> Vec<u64> {
    (0..count as u64).map(|i| i * step).collect()
}

fn bits_of(image: &ModuleImage, ty: TypeId) -> Result<u32, String> {
    match image.ty(ty).kind {
        TypeKind::Int(bits) => Ok(bits),
        TypeKind::Ptr(_) | TypeKind::Double => Ok(64),
        TypeKind::Float => Ok(32),
        TypeKind::Half | TypeKind::BFloat => Ok(16),
        _ => Err("a constant expression of aggregate type".into()),
    }
}

/// Address space of a type of pointers.
pub(super) fn space_of(image: &ModuleImage, ty: TypeId) -> u8 {
    match image.ty(ty).kind {
        TypeKind::Ptr(space) => space as u8,
        _ => 0,
    }
}
