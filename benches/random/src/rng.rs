//! Where do choices come from? From one stream of numbers, which a seed names for ever: Steele, Lea and Flood's SplitMix64.
//!
//! Two sides of a branch that resemble each other come from one stream, replayed: [`Rng::resembling`] returns to a place
//! that was marked, and from there on every now and then a choice of little consequence ([`Rng::detail`]) is another.

/// A stream of choices, a function of its seed only.
#[derive(Clone)]
pub struct Rng {
    state: u64,
    /// Percentage of details that differ from those of the stream, and the stream that they are taken from.
    twist: u32,
    other: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed.wrapping_mul(0xd134_2543_de82_ef95), twist: 0, other: 0 }
    }

    /// The stream as it was at `mark`, with details that differ by `twist` percent.
    pub fn resembling(&mut self, mark: Rng, twist: u32) -> Rng {
        let other = self.bits();
        Rng { state: mark.state, twist, other }
    }

    fn bits(&mut self) -> u64 {
        split_mix(&mut self.state)
    }

    /// A number in `0..n`; `n` is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Like `below`, for choices in which two sides of a branch may differ and still resemble each other.
    pub fn detail(&mut self, n: usize) -> usize {
        let same = self.below(n);
        if self.twist > 0 && split_mix(&mut self.other) % 100 < u64::from(self.twist) {
            return (split_mix(&mut self.other) % n as u64) as usize;
        }
        same
    }

    /// A choice with probability proportional to its weight, of which at least one is not 0.
    pub fn weighted<T: Copy>(&mut self, choices: &[(T, usize)]) -> T {
        let mut at = self.below(choices.iter().map(|c| c.1).sum());
        for &(choice, weight) in choices {
            if at < weight {
                return choice;
            }
            at -= weight;
        }
        choices[0].0
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
