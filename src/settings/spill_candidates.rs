//! Which classes of spill candidates may `steer-spills` move? The switches of the experiment in Sampaio's dissertation.
//!
//! A list of words, separated by `,` or (in the angle brackets of a pass, where LLVM splits at commas) by `+`; `all` is
//! the default. `constant` allows rematerialisation, which needs no memory; `affine` and `uniform` allow per-warp
//! slots, `divergent` per-thread slots; `stack` allows stack objects to move if that pays, and `rare` also those that
//! stay because of the cache. Sampaio's four allocators are `none`, `divergent`, `constant` and `all`.

use super::Profit;
use super::error::ValueError;
use std::str::FromStr;

/// The classes that may be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpillCandidates {
    /// Values rematerialised from constants, arguments and thread indices.
    pub constant: bool,
    /// Affine values: the uniform part in a per-warp slot, the rest from the thread index.
    pub affine: bool,
    /// Uniform values: one slot per warp.
    pub uniform: bool,
    /// Divergent values: one slot per thread.
    pub divergent: bool,
    /// Stack objects.
    pub stack: bool,
    /// Of stack objects: always, if also those move that stay because of the cache.
    pub profit: Profit,
}

impl SpillCandidates {
    /// All but those that stay because of the cache, or none.
    const fn usual(on: bool) -> SpillCandidates {
        SpillCandidates { constant: on, affine: on, uniform: on, divergent: on, stack: on, profit: Profit::Model }
    }

    /// Whether any registers may be moved.
    pub fn any_register(&self) -> bool {
        self.constant || self.affine || self.uniform || self.divergent
    }
}

impl Default for SpillCandidates {
    fn default() -> Self {
        SpillCandidates::usual(true)
    }
}

impl FromStr for SpillCandidates {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let mut candidates = SpillCandidates::usual(false);
        for word in text.split([',', '+']).map(str::trim) {
            match word {
                "all" => candidates = SpillCandidates { profit: candidates.profit, ..Default::default() },
                "none" => {}
                "constant" => candidates.constant = true,
                "affine" => candidates.affine = true,
                "uniform" => candidates.uniform = true,
                "divergent" => candidates.divergent = true,
                "stack" => candidates.stack = true,
                "rare" => (candidates.stack, candidates.profit) = (true, Profit::Always),
                _ => return Err(ValueError::SpillCandidates(word.to_owned())),
            }
        }
        Ok(candidates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!("all".parse(), Ok(SpillCandidates::default()));
        assert_eq!("none".parse(), Ok(SpillCandidates::usual(false)));
        let two: SpillCandidates = "uniform, stack".parse().unwrap();
        assert!(two.uniform && two.stack && !two.divergent && !two.constant);
        assert!(
            "rare,all".parse() == "all,rare".parse::<SpillCandidates>()
                && !SpillCandidates::default().profit.is_always()
        );
        assert!("uniform,many".parse::<SpillCandidates>().is_err());
        assert!("".parse::<SpillCandidates>().is_err());
    }
}
