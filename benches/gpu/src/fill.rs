//! What does a buffer contain before a launch?
//!
//! Every fill is a function of the element's index and a seed only, so every machine generates the same bytes.

use crate::launch::Type;
use serde::{Deserialize, Serialize};

/// One way to fill a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Bytes that no kernel writes by accident, so that an element that was not written shows.
    Poison,
    /// One value everywhere.
    Value(f64),
    /// `start + index * step`.
    Iota { start: f64, step: f64 },
    /// Random in `[lo, hi)`; floats lie on a grid of 2^-24 of the interval.
    Range { lo: f64, hi: f64, seed: u64 },
    /// Running sums from 0 of random whole numbers in `[lo, hi)`: row pointers, offsets.
    Prefix { lo: f64, hi: f64, seed: u64 },
    /// Random in `[lo, hi)`, ascending inside each run of `run` elements.
    Sorted { lo: f64, hi: f64, seed: u64, run: usize },
    /// A permutation of `0..len`.
    Permutation { seed: u64 },
    /// The listed values, repeated.
    Cycle(Vec<f64>),
}

/// The byte with which buffers are poisoned.
pub const POISON: u8 = 0xA5;

impl Fill {
    /// The buffer's bytes, little endian.
    pub fn bytes(&self, ty: Type, len: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(len * ty.size());
        match self {
            Fill::Poison => out.resize(len * ty.size(), POISON),
            Fill::Value(value) => (0..len).for_each(|_| ty.push(*value, &mut out)),
            Fill::Iota { start, step } => (0..len).for_each(|i| ty.push(start + step * i as f64, &mut out)),
            Fill::Range { lo, hi, seed } => (0..len).for_each(|i| ty.push(draw(ty, *lo, *hi, *seed, i), &mut out)),
            Fill::Prefix { lo, hi, seed } => {
                let mut sum = 0.0;
                for i in 0..len {
                    ty.push(sum, &mut out);
                    sum += draw(Type::I64, *lo, *hi, *seed, i);
                }
            }
            Fill::Sorted { lo, hi, seed, run } => {
                let mut values: Vec<f64> = (0..len).map(|i| draw(ty, *lo, *hi, *seed, i)).collect();
                values.chunks_mut((*run).max(1)).for_each(|run| run.sort_by(f64::total_cmp));
                values.iter().for_each(|&value| ty.push(value, &mut out));
            }
            Fill::Permutation { seed } => {
                let mut order: Vec<usize> = (0..len).collect();
                order.sort_by_key(|&i| (random(*seed, i), i));
                order.iter().for_each(|&i| ty.push(i as f64, &mut out));
            }
            Fill::Cycle(values) => (0..len).for_each(|i| ty.push(values[i % values.len()], &mut out)),
        }
        out
    }
}

fn draw(ty: Type, lo: f64, hi: f64, seed: u64, index: usize) -> f64 {
    let bits = random(seed, index);
    if ty.is_float() {
        lo + (hi - lo) * ((bits >> 40) as f64 / f64::from(1u32 << 24))
    } else {
        lo + (bits % (hi - lo).max(1.0) as u64) as f64
    }
}

/// SplitMix64 at position `index` of the stream `seed`.
fn random(seed: u64, index: usize) -> u64 {
    let mut z = (seed << 40).wrapping_add(index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(fill: Fill, len: usize) -> Vec<i32> {
        let bytes = fill.bytes(Type::I32, len);
        bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect()
    }

    #[test]
    fn fills_keep_their_promise() {
        assert_eq!(ints(Fill::Iota { start: 3.0, step: -1.0 }, 4), [3, 2, 1, 0]);
        assert_eq!(ints(Fill::Cycle(vec![1.0, 2.0]), 5), [1, 2, 1, 2, 1]);
        assert_eq!(ints(Fill::Poison, 1), [0xA5A5_A5A5u32 as i32]);
        let range = ints(Fill::Range { lo: -5.0, hi: 5.0, seed: 1 }, 1000);
        assert!(range.iter().all(|v| (-5..5).contains(v)) && (-5..5).all(|v| range.contains(&v)));
        let prefix = ints(Fill::Prefix { lo: 2.0, hi: 9.0, seed: 1 }, 100);
        assert!(prefix[0] == 0 && prefix.windows(2).all(|w| (2..9).contains(&(w[1] - w[0]))));
        let mut order = ints(Fill::Permutation { seed: 4 }, 64);
        assert_ne!(order, (0..64).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..64).collect::<Vec<_>>());
        let runs = ints(Fill::Sorted { lo: 0.0, hi: 1000.0, seed: 2, run: 8 }, 64);
        assert!(runs.chunks(8).all(|run| run.is_sorted()) && !runs.is_sorted());
    }

    #[test]
    fn streams_differ_by_seed_and_are_the_same_everywhere() {
        let a = Fill::Range { lo: 0.0, hi: 1.0, seed: 1 }.bytes(Type::F32, 4);
        assert_ne!(a, Fill::Range { lo: 0.0, hi: 1.0, seed: 2 }.bytes(Type::F32, 4));
        assert_eq!(random(0, 0), 0xE220_A839_7B1D_CDAF, "SplitMix64's first output for state 0");
    }
}
