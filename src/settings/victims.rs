//! Which classes of victims may `steer-spills` move? The switches of the dissertation's experiment.
//!
//! A list of words, separated by `,` or (between the angle brackets of a pass, where LLVM splits at commas) by `+`; `all` is
//! the default. `constant` is what is recomputed and needs no memory, `affine` and `uniform` are slots of a warp,
//! `divergent` slots of a thread, `stack` are stack objects that are used often enough, `rare` all of them. Sampaio's four
//! allocators are `none`, `divergent`, `constant` and `all`.

use std::str::FromStr;

/// The classes that may be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victims {
    /// Recomputed from constants, arguments and thread indices.
    pub constant: bool,
    /// The uniform part in a slot per warp, the rest from the thread index.
    pub affine: bool,
    /// One slot per warp.
    pub uniform: bool,
    /// One slot per thread.
    pub divergent: bool,
    /// Stack objects.
    pub stack: bool,
    /// Those that are hardly ever used too.
    pub rare: bool,
}

/// A word that names no class.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is no class of victims; there are all, none, constant, affine, uniform, divergent, stack and rare")]
pub struct VictimsError(String);

impl Victims {
    const NONE: Victims =
        Victims { constant: false, affine: false, uniform: false, divergent: false, stack: false, rare: false };
    /// What is worth it as a rule.
    const ALL: Victims =
        Victims { constant: true, affine: true, uniform: true, divergent: true, stack: true, rare: false };

    /// Whether any register victims are allowed.
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
