//! What is known about the shape of a block when a kernel is launched?
//!
//! Facts come from the function's attributes (`nvvm.reqntid`: the exact shape; `nvvm.maxntid`: the product of its three
//! extents bounds the *total* number of threads, whatever the shape is) and from the user (`block=256x1x1`). Nothing is
//! ever guessed: with 65×2×1 threads a warp spans two rows, and `tid.x / 32` differs between its lanes.

use std::str::FromStr;

/// Maximum number of threads in a block, on every architecture.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Maximum extent of a block along z, in threads.
pub const MAX_BLOCK_Z: u32 = 64;
/// Number of lanes in a warp.
pub const WARP_SIZE: u32 = 32;

/// The exact extents of a block, in threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockShape {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// Why a block shape was rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    #[error("block shape '{0}' is not of the form X, XxY or XxYxZ with whole numbers")]
    Form(String),
    #[error("block shape '{0}' has an extent of zero")]
    Zero(String),
    #[error("block shape '{text}' has {threads} threads, but a block has at most {MAX_BLOCK_THREADS}")]
    TooMany { text: String, threads: u64 },
    #[error("block shape '{0}' has z above {MAX_BLOCK_Z}")]
    TooDeep(String),
}

impl FromStr for BlockShape {
    type Err = ShapeError;

    /// Parses `256`, `16x16` or `8x8x4`; missing extents are 1.
    fn from_str(text: &str) -> Result<Self, ShapeError> {
        let mut extents = [1u32; 3];
        let parts: Vec<&str> = text.split('x').collect();
        if parts.len() > 3 {
            return Err(ShapeError::Form(text.to_owned()));
        }
        for (extent, part) in extents.iter_mut().zip(parts) {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            *extent = match part.parse() {
                Ok(number) if digits => number,
                _ => return Err(ShapeError::Form(text.to_owned())),
            };
        }
        if extents.contains(&0) {
            return Err(ShapeError::Zero(text.to_owned()));
        }
        let threads = extents.iter().map(|&e| u64::from(e)).fold(1u64, u64::saturating_mul);
        if threads > u64::from(MAX_BLOCK_THREADS) {
            return Err(ShapeError::TooMany { text: text.to_owned(), threads });
        }
        if extents[2] > MAX_BLOCK_Z {
            return Err(ShapeError::TooDeep(text.to_owned()));
        }
        Ok(BlockShape { x: extents[0], y: extents[1], z: extents[2] })
    }
}

impl std::fmt::Display for BlockShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.x, self.y, self.z)
    }
}

impl BlockShape {
    /// Number of threads in the block.
    pub fn threads(self) -> u32 {
        self.x * self.y * self.z
    }
    /// Extent of dimension 0 (x), 1 (y) or 2 (z).
    pub fn extent(self, dim: usize) -> u32 {
        [self.x, self.y, self.z][dim]
    }
}

/// What is assumed of the rows of a block whose exact shape is not known; what follows holds only for launches that satisfy it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// `blockDim.x` is a multiple of 32.
    WholeWarps,
    /// The block has one dimension.
    One,
}

/// What is known about the launches of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Geometry {
    /// The exact shape, as required by the kernel or stated by the user.
    pub exact: Option<BlockShape>,
    /// Maximum number of threads in a block (`nvvm.maxntid`).
    pub max_threads: Option<u32>,
    /// Number of blocks that must fit on a multiprocessor (`nvvm.minctasm`).
    pub min_blocks: Option<u32>,
    /// Maximum number of registers of a thread (`nvvm.maxnreg`).
    pub max_registers: Option<u32>,
    /// What is known of rows besides.
    pub rows: Option<Rows>,
}

impl Geometry {
    /// From the values of the attributes `nvvm.reqntid`, `nvvm.maxntid`, `nvvm.minctasm` and `nvvm.maxnreg`. Values
    /// that make no sense are ignored, so that less is known.
    pub fn from_attributes(get: impl Fn(&str) -> Option<String>) -> Geometry {
        let number = |name: &str| get(name).and_then(|text| text.trim().parse::<u32>().ok()).filter(|&n| n > 0);
        let shape = |name: &str| -> Option<[u32; 3]> {
            let text = get(name)?;
            let mut extents = [1u32; 3];
            for (index, part) in text.split(',').enumerate() {
                *extents.get_mut(index)? = part.trim().parse().ok().filter(|&n| n > 0)?;
            }
            Some(extents)
        };
        let fits =
            |e: &[u32; 3]| e.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul) <= u64::from(MAX_BLOCK_THREADS);
        let exact = shape("nvvm.reqntid").filter(fits).map(|[x, y, z]| BlockShape { x, y, z });
        let max_threads = shape("nvvm.maxntid").filter(fits).map(|[x, y, z]| x * y * z);
        Geometry {
            exact,
            max_threads,
            min_blocks: number("nvvm.minctasm"),
            max_registers: number("nvvm.maxnreg").filter(|&n| n <= 255),
            rows: None,
        }
    }

    /// Adds the shape stated by the user; the kernel's own attributes override it. Returns `None` if the shape
    /// contradicts them.
    pub fn with_user_shape(self, shape: BlockShape) -> Option<Geometry> {
        if self.exact.is_some_and(|exact| exact != shape) || self.max_threads.is_some_and(|max| shape.threads() > max) {
            return None;
        }
        Some(Geometry { exact: Some(shape), ..self })
    }

    /// Upper bound of the number of threads in a block.
    pub fn thread_bound(&self) -> u32 {
        match self.exact {
            Some(shape) => shape.threads(),
            None => self.max_threads.unwrap_or(MAX_BLOCK_THREADS).min(MAX_BLOCK_THREADS),
        }
    }
    /// Whether anything bounds the number of threads in a block.
    pub fn is_bounded(&self) -> bool {
        self.exact.is_some() || self.max_threads.is_some()
    }
    /// Exact extent along a dimension.
    pub fn extent(&self, dim: usize) -> Option<u32> {
        let one_row = self.rows == Some(Rows::One) && dim > 0;
        self.exact.map(|shape| shape.extent(dim)).or(one_row.then_some(1))
    }
    /// Exclusive upper bound of `tid` along a dimension.
    pub fn tid_bound(&self, dim: usize) -> u32 {
        match self.exact {
            Some(shape) => shape.extent(dim),
            None if dim > 0 && self.rows == Some(Rows::One) => 1,
            None if dim == 2 => self.thread_bound().min(MAX_BLOCK_Z),
            None => self.thread_bound(),
        }
    }
    /// Whether all lanes of a warp share `tid.y` and `tid.z`, and `tid.x` is `32·q + laneid` with the same `q` for all
    /// of them. This holds for one row of threads, and for rows that are a whole number of warps.
    pub fn warps_lie_in_rows(&self) -> bool {
        let known = self.exact.is_some_and(|shape| shape.x % WARP_SIZE == 0 || (shape.y == 1 && shape.z == 1));
        known || matches!(self.rows, Some(Rows::WholeWarps | Rows::One))
    }
    /// Whether all lanes of a warp share `tid.z`: as above, or planes are a whole number of warps.
    pub fn warps_lie_in_planes(&self) -> bool {
        self.warps_lie_in_rows() || self.exact.is_some_and(|shape| (shape.x * shape.y) % WARP_SIZE == 0 || shape.z == 1)
    }
    /// Whether the block has at most one warp.
    pub fn is_one_warp(&self) -> bool {
        self.thread_bound() <= WARP_SIZE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_refused() {
        assert_eq!("256".parse(), Ok(BlockShape { x: 256, y: 1, z: 1 }));
        assert_eq!("16x16".parse(), Ok(BlockShape { x: 16, y: 16, z: 1 }));
        assert_eq!("8x8x4".parse(), Ok(BlockShape { x: 8, y: 8, z: 4 }));
        for bad in ["", "0", "foo", "2048", "16x", "1x1x128", "-3", "+3", "1x2x3x4", "1024x1024x1024", "99999999999"] {
            assert!(bad.parse::<BlockShape>().is_err(), "{bad}");
        }
    }

    #[test]
    fn rows_of_warps() {
        let shape = |text: &str| Geometry { exact: text.parse().ok(), ..Geometry::default() };
        assert!(shape("256").warps_lie_in_rows());
        assert!(shape("33").warps_lie_in_rows());
        assert!(shape("64x4").warps_lie_in_rows());
        assert!(!shape("65x2").warps_lie_in_rows());
        assert!(!shape("16x16").warps_lie_in_rows());
        assert!(shape("16x16x2").warps_lie_in_planes());
        assert!(!shape("5x5x5").warps_lie_in_planes());
        assert!(!Geometry::default().warps_lie_in_rows());
    }

    #[test]
    fn attributes_bound_the_total_only() {
        let with = |name: &'static str, text: &'static str| {
            Geometry::from_attributes(move |n| (n == name).then(|| text.to_owned()))
        };
        assert_eq!(with("nvvm.maxntid", "16,16").max_threads, Some(256));
        assert_eq!(with("nvvm.maxntid", "16,16").exact, None);
        assert_eq!(with("nvvm.reqntid", "64,2").exact, Some(BlockShape { x: 64, y: 2, z: 1 }));
        assert_eq!(with("nvvm.maxntid", "0").max_threads, None);
        assert_eq!(with("nvvm.maxntid", "x").max_threads, None);
        let bounded = with("nvvm.maxntid", "128");
        assert!(bounded.with_user_shape("256".parse().unwrap()).is_none());
        assert_eq!(bounded.with_user_shape("64".parse().unwrap()).unwrap().tid_bound(0), 64);
    }
}
