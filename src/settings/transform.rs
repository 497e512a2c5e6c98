//! What are the transforms called, and which of them does the default pipeline run?

/// A transform, in the order of the default pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transform {
    Annotate,
    Fuse,
    Steer,
    /// Last: it counts the branches of the code that runs.
    Map,
}

/// The default pipeline.
pub const DEFAULT: &str = "warpwise";
/// The analysis: `print<affine-divergence>` and its like.
pub const ANALYSIS: &str = "affine-divergence";
/// Remarks of the analysis.
pub const REMARKS: &str = "warpwise-remarks";

impl Transform {
    /// All of them, in the order of the default pipeline.
    pub const ALL: [Transform; 4] = [Transform::Annotate, Transform::Fuse, Transform::Steer, Transform::Map];

    /// The pass's name.
    pub const fn pass(self) -> &'static str {
        match self {
            Transform::Annotate => "annotate-uniform",
            Transform::Fuse => "fuse-branches",
            Transform::Steer => "steer-spills",
            Transform::Map => "divergence-map",
        }
    }

    /// The word that switches it.
    pub const fn word(self) -> &'static str {
        match self {
            Transform::Annotate => "annotate",
            Transform::Fuse => "fuse",
            Transform::Steer => "steer",
            Transform::Map => "map",
        }
    }

    /// The transform of a switch.
    pub fn of_word(word: &str) -> Option<Transform> {
        Transform::ALL.into_iter().find(|transform| transform.word() == word)
    }
}

/// What was said of each transform by name: on, off or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Switches([Option<bool>; Transform::ALL.len()]);

impl Switches {
    /// Says it.
    pub fn turn(&mut self, transform: Transform, on: bool) {
        self.0[transform as usize] = Some(on);
    }

    /// Whether the default pipeline runs a transform. The map is made when it is asked for; what it counts are the branches
    /// that were written, so fusion stays away then unless it is asked for too.
    pub fn is_on(&self, transform: Transform) -> bool {
        self.0[transform as usize].unwrap_or_else(|| match transform {
            Transform::Annotate | Transform::Steer => true,
            Transform::Fuse => !self.is_on(Transform::Map),
            Transform::Map => false,
        })
    }
}
