//! Where do the generator's choices come from? From one portable stream of random numbers, the same on every platform.
//!
//! `rand` guarantees the output of its *named* generators only, so numbers are reduced to ranges here and nowhere else:
//! a seed must keep its kernel when `rand` changes how it samples.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, SeedableRng as _};

/// A stream of choices, a function of its seed only.
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of `seed`; `salt` tells apart generators that share seeds.
    pub fn new(seed: u64, salt: u64) -> Self {
        // this generator's own way to fill its state from a number is SplitMix64
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..n` (0 when `n` is 0); the bias of the multiply-shift is of no matter here.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high - low + 1) as usize) as u64
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One of several choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A choice with probability proportional to its weight; the first when all weigh nothing.
    pub fn weighted<T: Copy>(&mut self, choices: &[(T, u32)]) -> T {
        let total: u32 = choices.iter().map(|c| c.1).sum();
        let mut at = self.below(total as usize) as u32;
        for &(choice, weight) in choices {
            if at < weight {
                return choice;
            }
            at -= weight;
        }
        choices[0].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_never_changes() {
        let mut rng = Rng::new(1, 0);
        let first: Vec<u64> = (0..4).map(|_| rng.range(0, 999_999)).collect();
        assert_eq!(first, [811_612, 747_104, 100_150, 746_216], "a changed stream renames every kernel");
    }
}
