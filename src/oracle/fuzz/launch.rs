//! How is a generated kernel launched? Its arguments with their contents, and the grids and blocks for which it was
//! generated.

use super::rng::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Element type of a scalar or a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Elem {
    I32,
    I64,
    F32,
}

impl Elem {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::I32 | Self::F32 => 4,
            Self::I64 => 8,
        }
    }
}

/// What a buffer holds at launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    Zero,
    /// Element `i` holds `i`.
    Iota,
    /// Integers: any bits, a third of them small. Floats: multiples of 1/8 in [-64, 64), so that sums stay exact and finite.
    Random(u64),
}

/// One argument of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgSpec {
    /// The value's bits, zero-extended.
    Scalar { elem: Elem, bits: u64 },
    /// A pointer to an allocation of its own, aligned to at least 16 bytes.
    Buffer { elem: Elem, len: usize, fill: Fill },
    /// The bytes of a `byval` structure.
    ByVal { bytes: Vec<u8> },
}

impl ArgSpec {
    /// The argument's memory at launch: of the buffer for a buffer, of the value for the others.
    pub fn bytes(&self) -> Vec<u8> {
        match *self {
            Self::Scalar { elem, bits } => bits.to_le_bytes()[..elem.size()].to_vec(),
            Self::ByVal { ref bytes } => bytes.clone(),
            Self::Buffer { elem, len, fill } => {
                let mut out = Vec::with_capacity(len * elem.size());
                let mut rng = Rng::new(if let Fill::Random(seed) = fill { seed } else { 0 }, 0xf111);
                for i in 0..len {
                    let bits = match fill {
                        Fill::Zero => 0,
                        Fill::Iota if elem == Elem::F32 => (i as f32).to_bits().into(),
                        Fill::Iota => i as u64,
                        Fill::Random(_) => random_bits(elem, &mut rng),
                    };
                    out.extend_from_slice(&bits.to_le_bytes()[..elem.size()]);
                }
                out
            }
        }
    }
}

fn random_bits(elem: Elem, rng: &mut Rng) -> u64 {
    let bits = rng.bits();
    match elem {
        Elem::I32 | Elem::I64 if bits.is_multiple_of(3) => bits >> 58,
        Elem::I32 | Elem::I64 => bits,
        Elem::F32 => u64::from(((((bits >> 54) as f32) - 512.0) / 8.0).to_bits()),
    }
}

/// How a kernel is launched: with the same arguments in each of the geometries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    pub geometries: Vec<Geometry>,
    pub args: Vec<ArgSpec>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub dynamic_shared: u32,
}

/// How the comment line begins that contains a launch, as JSON.
const COMMENT: &str = "; launch: ";

impl Launch {
    /// The launch as a comment of the module, so that a file can be run on its own.
    pub fn to_comment(&self) -> String {
        format!("{COMMENT}{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    /// The launch that a comment of a module holds, if one does.
    pub fn from_comment(text: &str) -> Result<Self, String> {
        let line = text.lines().find_map(|line| line.strip_prefix(COMMENT));
        let line = line.ok_or_else(|| format!("no line begins with '{COMMENT}'"))?;
        let launch: Self = serde_json::from_str(line).map_err(|error| format!("'{line}' is no launch: {error}"))?;
        let is_nothing = |geometry: &Geometry| geometry.threads() == 0;
        if launch.geometries.is_empty() || launch.geometries.iter().any(is_nothing) {
            return Err(format!("'{line}' launches nothing"));
        }
        Ok(launch)
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Geometry {
    pub grid: [u32; 3],
    pub block: [u32; 3],
}

/// `GX,GY,GZ BX,BY,BZ`: grid, then block.
impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        write!(f, "{gx},{gy},{gz} {bx},{by},{bz}")
    }
}

impl Geometry {
    /// Threads of one block.
    pub fn block_threads(self) -> u32 {
        self.block.iter().product()
    }

    /// Threads of the whole grid.
    pub fn threads(self) -> u32 {
        self.block_threads() * self.grid.iter().product::<u32>()
    }
}

/// Blocks of one dimension that real launches and our edge cases use.
const BLOCKS_1D: [[u32; 3]; 8] =
    [[32, 1, 1], [64, 1, 1], [33, 1, 1], [1, 1, 1], [128, 1, 1], [96, 1, 1], [31, 1, 1], [70, 1, 1]];
/// Blocks of two and three dimensions; 65×2×1 splits warps in the middle of a row, 8×8×4 puts four rows into one, 24×11×1
/// has more threads than any second body of a kernel is made for.
const BLOCKS_ND: [[u32; 3]; 8] =
    [[65, 2, 1], [16, 16, 1], [8, 8, 4], [48, 3, 1], [7, 5, 3], [32, 4, 1], [1, 33, 1], [24, 11, 1]];
const GRIDS_1D: [[u32; 3]; 3] = [[1, 1, 1], [2, 1, 1], [3, 1, 1]];
const GRIDS_ND: [[u32; 3]; 5] = [[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2], [3, 1, 1]];

/// Three launches; all of one block shape when `one_block`, all of one dimension when `flat`.
pub(super) fn geometries(rng: &mut Rng, flat: bool, one_block: bool) -> Vec<Geometry> {
    let mut out: Vec<Geometry> = Vec::new();
    let mut block = None;
    while out.len() < 3 {
        let fresh = if flat || rng.chance(35) { rng.pick(&BLOCKS_1D) } else { rng.pick(&BLOCKS_ND) };
        let block = if one_block { *block.get_or_insert(fresh) } else { fresh };
        let mut grid = if flat { rng.pick(&GRIDS_1D) } else { rng.pick(&GRIDS_ND) };
        if block.iter().product::<u32>() > 128 && out.is_empty() {
            grid = [1, 1, 1]; // the larger blocks cost the machine most of its time
        }
        let geometry = Geometry { grid, block };
        if !out.contains(&geometry) {
            out.push(geometry);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_are_what_they_say() {
        let iota = ArgSpec::Buffer { elem: Elem::I32, len: 3, fill: Fill::Iota };
        assert_eq!(iota.bytes(), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        let random = ArgSpec::Buffer { elem: Elem::F32, len: 100, fill: Fill::Random(5) };
        for chunk in random.bytes().chunks_exact(4) {
            let value = f32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
            assert!((-64.0..64.0).contains(&value) && (value * 8.0).fract() == 0.0, "{value}");
        }
        assert_eq!(random.bytes(), random.bytes());
    }

    #[test]
    fn a_launch_survives_as_a_comment() {
        let launch = Launch {
            args: vec![
                ArgSpec::Scalar { elem: Elem::F32, bits: 0x3f00_0000 },
                ArgSpec::Buffer { elem: Elem::I32, len: 5, fill: Fill::Random(77) },
                ArgSpec::Buffer { elem: Elem::I64, len: 6, fill: Fill::Iota },
                ArgSpec::ByVal { bytes: vec![0, 255, 16] },
            ],
            geometries: vec![Geometry { grid: [1, 2, 1], block: [65, 2, 1] }],
            dynamic_shared: 48,
        };
        assert_eq!(Launch::from_comment(&launch.to_comment()), Ok(launch));
        for bad in
            ["{}", r#"{"geometries":[],"args":[]}"#, r#"{"geometries":[{"grid":[1,1,1],"block":[0,1,1]}],"args":[]}"#]
        {
            assert!(Launch::from_comment(&format!("{COMMENT}{bad}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn geometries_obey() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed, 0);
            let flat = geometries(&mut rng, true, false);
            assert!(flat.iter().all(|g| g.block[1] * g.block[2] * g.grid[1] * g.grid[2] == 1));
            let one = geometries(&mut rng, false, true);
            assert!(one.iter().all(|g| g.block == one[0].block));
            assert!(one.iter().all(|g| g.block_threads() <= 1024 && g.block[2] <= 64));
        }
    }
}
