//! Is every pass tested? For each, the lit folders, the random kernels that give it something to do, and the deliberate
//! mistakes that these must reveal. A pass of the plugin without a line in this table fails the
//! plugin's tests.

use super::{Feature, Mode};
use warpwise_analysis::mutants::Mutant;

/// How a pass is tested.
#[derive(Debug)]
pub struct Tested {
    pub pass: &'static str,
    /// Folders of `llvm-tests`.
    pub folders: &'static [&'static str],
    pub recipes: &'static [Recipe],
}

/// Random kernels, and what is run on them.
#[derive(Debug)]
pub struct Recipe {
    pub mode: Mode,
    /// Features that occur more often in the kernels.
    pub more: &'static [Feature],
    pub pipeline: &'static str,
    /// Each mistake, and the seed of the first kernel that reveals it.
    pub faults: &'static [(Mutant, u64)],
}

const fn recipe(mode: Mode, pipeline: &'static str, faults: &'static [(Mutant, u64)]) -> Recipe {
    Recipe { mode, more: &[], pipeline, faults }
}

/// What only the idioms of the default pipeline do.
const IDIOMS: &str = "warpwise<no-unroll;no-annotate;no-fuse;no-steer>";

/// Every pass.
pub const PASSES: &[Tested] = &[
    Tested {
        pass: "inline-calls",
        folders: &["inline"],
        recipes: &[recipe(
            Mode::Calls,
            "inline-calls",
            &[
                (Mutant::InlineNoCopy, 0),
                (Mutant::InlineOffsetLost, 6),
                (Mutant::InlineSwapped, 2),
                (Mutant::InlineStoreLost, 1),
            ],
        )],
    },
    Tested {
        pass: "free-arrays",
        folders: &["arrays"],
        recipes: &[recipe(
            Mode::CountedArrays,
            "free-arrays",
            &[
                (Mutant::ArrayTurnLost, 1),
                (Mutant::ArrayOneObject, 1),
                (Mutant::ArrayStoreLost, 1),
                (Mutant::ArrayFirstPlace, 1),
            ],
        )],
    },
    Tested {
        pass: "idioms",
        folders: &["idioms"],
        recipes: &[
            recipe(
                Mode::Idioms,
                "free-arrays",
                &[(Mutant::CountNone, 1), (Mutant::CountHalf, 28), (Mutant::CountAnew, 1), (Mutant::CopyShort, 0)],
            ),
            recipe(
                Mode::Idioms,
                IDIOMS,
                &[(Mutant::CopyShort, 0), (Mutant::CopyOnePlace, 0), (Mutant::RemainderUndivided, 0)],
            ),
        ],
    },
    Tested {
        pass: "unroll-loops",
        folders: &["unroll"],
        recipes: &[recipe(
            Mode::Loops,
            "unroll-loops<always>",
            &[
                (Mutant::UnrollNoRemainder, 0),
                (Mutant::UnrollSameIndex, 6),
                (Mutant::UnrollStaleExit, 4),
                (Mutant::GroupPastEnd, 33),
                (Mutant::GroupWraps, 4),
            ],
        )],
    },
    Tested {
        pass: "annotate-uniform",
        folders: &["annotate"],
        recipes: &[
            recipe(Mode::Control, "annotate-uniform<block={block}>", &[(Mutant::VoteDivergent, 39)]),
            recipe(
                Mode::Control,
                "annotate-uniform<assume-restrict>,function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm))",
                &[(Mutant::WrittenInvariant, 0)],
            ),
        ],
    },
    Tested {
        pass: "fuse-branches",
        folders: &["fuse"],
        recipes: &[
            recipe(
                Mode::Diamonds,
                "fuse-branches<always>",
                &[
                    (Mutant::SwappedSelect, 1),
                    (Mutant::LostGuard, 7),
                    (Mutant::SwappedPhi, 12),
                    (Mutant::ExitOneSide, 1),
                    (Mutant::HoistedLoad, 18),
                ],
            ),
            recipe(Mode::Control, "fuse-branches<always>", &[(Mutant::GatherSwapped, 7)]),
        ],
    },
    Tested {
        pass: "steer-spills",
        folders: &["spill"],
        recipes: &[
            recipe(
                Mode::LocalArrays,
                "steer-spills<victims=rare+stack;block={block}>",
                &[
                    (Mutant::StackOverlap, 0),
                    (Mutant::StackStride, 0),
                    (Mutant::StackNoBarrier, 5),
                    (Mutant::StackPhiSwapped, 5),
                    (Mutant::StackSelectSwapped, 5),
                    (Mutant::StackEarlyLoad, 5),
                ],
            ),
            recipe(
                Mode::LocalArrays,
                "steer-spills<victims=rare+stack>",
                &[(Mutant::ConstantShifted, 28), (Mutant::AnyBlock, 22)],
            ),
            recipe(
                Mode::Pressure,
                "steer-spills<victims=constant;regs=24;block={block}>",
                &[(Mutant::RematOperand, 0), (Mutant::ZeroIsOne, 1)],
            ),
            recipe(
                Mode::Pressure,
                "steer-spills<victims=affine+uniform+divergent;regs=24;block={block}>",
                &[(Mutant::SlotOffset, 1), (Mutant::SlotNoBarrier, 3), (Mutant::RowStride, 1), (Mutant::LaneLost, 1)],
            ),
        ],
    },
    Tested {
        pass: "versions",
        folders: &["versions", "tuning"],
        recipes: &[
            recipe(
                Mode::LocalArrays,
                "steer-spills<victims=rare+stack;versions>",
                &[(Mutant::VersionStride, 0), (Mutant::VersionEarly, 0), (Mutant::VersionShort, 0)],
            ),
            Recipe {
                mode: Mode::Diamonds,
                more: &[Feature::WarpIndex],
                pipeline: "fuse-branches<always;versions>,annotate-uniform",
                faults: &[(Mutant::VersionAnyLaunch, 3), (Mutant::VersionHalf, 3)],
            },
        ],
    },
    Tested {
        pass: "divergence-map",
        folders: &["map"],
        recipes: &[recipe(Mode::Control, "divergence-map", &[(Mutant::CountsTwice, 0)])],
    },
];

/// The recipe that must reveal a mistake, and the kernel that does; `None` for mistakes in the analysis.
pub fn recipe_of(mutant: Mutant) -> Option<(&'static Recipe, u64)> {
    let recipes = PASSES.iter().flat_map(|tested| tested.recipes);
    let found = |recipe: &'static Recipe| {
        let (_, seed) = recipe.faults.iter().find(|(fault, _)| *fault == mutant)?;
        Some((recipe, *seed))
    };
    recipes.into_iter().find_map(found)
}
