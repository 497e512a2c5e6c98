//! How are two copies compared? By a 64-bit hash, computed in four parallel lanes, at a few bytes per cycle.

/// Odd multipliers, one for each lane.
const FACTORS: [u64; 4] = [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63];

/// A hash over a sequence of pieces.
pub struct Hash {
    lanes: [u64; 4],
    length: u64,
}

impl Hash {
    /// The hash of nothing.
    pub fn new() -> Hash {
        Hash { lanes: FACTORS, length: 0 }
    }

    /// Adds one piece. The same bytes divided into other pieces give another hash.
    pub fn add(&mut self, bytes: &[u8]) {
        let round = |lane: u64, word: u64, factor: u64| {
            (lane ^ word.wrapping_mul(factor)).rotate_left(31).wrapping_mul(FACTORS[0])
        };
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            let (words, _) = block.as_chunks::<8>();
            for (index, word) in words.iter().enumerate() {
                self.lanes[index] = round(self.lanes[index], u64::from_ne_bytes(*word), FACTORS[1]);
            }
        }
        for (index, byte) in rest.iter().enumerate() {
            self.lanes[index % 4] = round(self.lanes[index % 4], u64::from(*byte) + 1, FACTORS[2]);
        }
        self.length = self.length.wrapping_add(bytes.len() as u64);
        self.lanes[0] = round(self.lanes[0], bytes.len() as u64, FACTORS[3]);
    }

    /// The hash; never one of the two values with a special meaning.
    pub fn finish(&self) -> u64 {
        let mut hash = self.length;
        for lane in self.lanes {
            hash = (hash ^ lane).wrapping_mul(FACTORS[1]);
            hash ^= hash >> 29;
        }
        hash.clamp(1, u64::MAX - 1)
    }
}
