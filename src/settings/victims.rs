//! Which classes of victims may `steer-spills` move? The switches of the experiment in Sampaio's dissertation.
//!
//! A list of words, separated by `,` or (in the angle brackets of a pass, where LLVM splits at commas) by `+`; `all` is
//! the default. `constant` allows rematerialisation, which needs no memory; `affine` and `uniform` allow per-warp
//! slots, `divergent` per-thread slots; `stack` allows stack objects to move if that pays, and `rare` also those that
//! stay because of the cache. Sampaio's four allocators are `none`, `divergent`, `constant` and `all`.

use std::str::FromStr;

/// The classes that may be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victims {
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
    /// Also stack objects that stay because of the cache.
    pub rare: bool,
}

/// A word that is not a class.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is no class of victims; there are all, none, constant, affine, uniform, divergent, stack and rare")]
pub struct VictimsError(String);

impl Victims {
    const NONE: Victims =
        Victims { constant: false, affine: false, uniform: false, divergent: false, stack: false, rare: false };
    /// The default: everything except `rare`.
    const ALL: Victims =
        Victims { constant: true, affine: true, uniform: true, divergent: true, stack: true, rare: false };

    /// Whether any registers may be moved.
    pub fn any_register(&self) -> bool {
        self.constant || self.affine || self.uniform || self.divergent
    }
}

impl Default for Victims {
    fn default() -> Self {
        Victims::ALL
    }
}

impl FromStr for Victims {
    type Err = VictimsError;

    fn from_str(text: &str) -> Result<Self, VictimsError> {
        let mut victims = Victims::NONE;
        for word in text.split([',', '+']).map(str::trim) {
            match word {
                "all" => victims = Victims { rare: victims.rare, ..Victims::ALL },
                "none" => {}
                "constant" => victims.constant = true,
                "affine" => victims.affine = true,
                "uniform" => victims.uniform = true,
                "divergent" => victims.divergent = true,
                "stack" => victims.stack = true,
                "rare" => (victims.stack, victims.rare) = (true, true),
                _ => return Err(VictimsError(word.to_owned())),
            }
        }
        Ok(victims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!("all".parse(), Ok(Victims::default()));
        assert_eq!("none".parse(), Ok(Victims::NONE));
        let two: Victims = "uniform, stack".parse().unwrap();
        assert!(two.uniform && two.stack && !two.divergent && !two.constant);
        assert!("rare,all".parse() == "all,rare".parse::<Victims>() && !Victims::default().rare);
        assert!("uniform,many".parse::<Victims>().is_err());
        assert!("".parse::<Victims>().is_err());
    }
}
