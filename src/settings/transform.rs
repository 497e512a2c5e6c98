//! What are the transforms called, and which of them does the default pipeline run?

/// A transform, in the order of the default pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transform {
    Unroll,
    Annotate,
    Fuse,
    Steer,
    Coarsen,
    /// Runs last, because it counts the branches of the final code.
    Map,
}

/// Name of the default pipeline.
pub const DEFAULT: &str = "warpwise";
/// Name of the analysis: `print<affine-divergence>` and so on.
pub const ANALYSIS: &str = "affine-divergence";
/// Name of the pass that emits the remarks of the analysis.
pub const REMARKS: &str = "warpwise-remarks";

/// Name of the pass that inlines calls that keep stack objects in memory, and the word of its switch.
pub const INLINE_CALLS: &str = "inline-calls";
pub const INLINE: &str = "inline";

/// Name of the pass that unrolls loops that keep stack objects in memory, and the word of its switch.
pub const FREE_ARRAYS: &str = "free-arrays";
pub const ARRAYS: &str = "arrays";

/// Name of the pass that unrolls loops completely whose counter is most of what they compute; its switch is that of
/// `unroll-loops`.
pub const UNROLL_WHOLE: &str = "unroll-whole";
/// Name of the pass that takes conditions out of loops on which all lanes agree; its switch is that of `unroll-loops`, too.
pub const UNSWITCH: &str = "unswitch-loops";

/// Name of the pass that writes code in forms that nvcc writes and clang does not, and the word of its switch.
pub const IDIOMS: &str = "idioms";

/// The word of the switch by which launches in host code choose a version.
pub const VERSIONS: &str = "versions";

impl Transform {
    /// All transforms, in the order of the default pipeline.
    pub const ALL: [Transform; 6] =
        [Transform::Unroll, Transform::Annotate, Transform::Fuse, Transform::Steer, Transform::Coarsen, Transform::Map];

    /// The pass's name.
    pub const fn pass(self) -> &'static str {
        ["unroll-loops", "annotate-uniform", "fuse-branches", "steer-spills", "coarsen-threads", "divergence-map"]
            [self as usize]
    }

    /// The word of its switch.
    pub const fn word(self) -> &'static str {
        ["unroll", "annotate", "fuse", "steer", "coarsen", "map"][self as usize]
    }

    /// The transform with this switch.
    pub fn of_word(word: &str) -> Option<Transform> {
        Transform::ALL.into_iter().find(|transform| transform.word() == word)
    }
}

/// For each transform, whether it was explicitly switched on or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Switches([Option<bool>; Transform::ALL.len()]);

impl Switches {
    /// Switches a transform on or off.
    pub fn turn(&mut self, transform: Transform, on: bool) {
        self.0[transform as usize] = Some(on);
    }

    /// Whether the default pipeline runs a transform. The map is off unless requested. When it is on, fusion,
    /// unrolling and coarsening are off unless requested, so that the branches counted are those of the source.
    pub fn is_on(&self, transform: Transform) -> bool {
        self.0[transform as usize].unwrap_or_else(|| match transform {
            Transform::Annotate | Transform::Steer => true,
            Transform::Unroll | Transform::Fuse | Transform::Coarsen => !self.is_on(Transform::Map),
            Transform::Map => false,
        })
    }
}
