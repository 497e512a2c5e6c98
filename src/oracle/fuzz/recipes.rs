//! Is every pass tested? For each, the lit folders, the random kernels that give it something to do, and the deliberate
//! mistakes that these must reveal. A pass of the plugin without a line in this table fails the
//! plugin's tests.

use super::Mode;
use warpwise_analysis::mutants::Mutant::{self, *};

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
    pub pipeline: &'static str,
    /// Each mistake, and the seed of the first kernel that reveals it.
    pub faults: &'static [(Mutant, u64)],
}

const fn recipe(mode: Mode, pipeline: &'static str, faults: &'static [(Mutant, u64)]) -> Recipe {
    Recipe { mode, pipeline, faults }
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
            &[(InlineNoCopy, 0), (InlineOffsetLost, 6), (InlineSwapped, 2), (InlineStoreLost, 1)],
        )],
    },
    Tested {
        pass: "free-arrays",
        folders: &["arrays"],
        recipes: &[recipe(
            Mode::CountedArrays,
            "free-arrays",
            &[(ArrayTurnLost, 1), (ArrayOneObject, 1), (ArrayStoreLost, 1), (ArrayFirstPlace, 1)],
        )],
    },
    Tested {
        pass: "idioms",
        folders: &["idioms"],
        recipes: &[
            recipe(Mode::Idioms, "idioms", &[(CountNone, 1), (CountHalf, 28), (CountAnew, 1)]),
            recipe(
                Mode::Idioms,
                IDIOMS,
                &[
                    (CopyShort, 0),
                    (CopyOnePlace, 0),
                    (RemainderUndivided, 0),
                    (OffsetLost, 0),
                    (PhiOneWay, 0),
                    (RepeatAnywhere, 612),
                    (RepeatEffects, 52),
                ],
            ),
        ],
    },
    Tested {
        pass: "unroll-loops",
        folders: &["unroll"],
        recipes: &[recipe(
            Mode::Loops,
            "unroll-loops<always>",
            &[(UnrollNoRemainder, 0), (UnrollSameIndex, 6), (UnrollStaleExit, 4), (GroupPastEnd, 33), (GroupWraps, 4)],
        )],
    },
    Tested {
        pass: "annotate-uniform",
        folders: &["annotate"],
        recipes: &[recipe(
            Mode::Control,
            "annotate-uniform<assume-restrict>,function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm))",
            &[(WrittenInvariant, 0)],
        )],
    },
    Tested {
        pass: "fuse-branches",
        folders: &["fuse"],
        recipes: &[
            recipe(
                Mode::Diamonds,
                "fuse-branches<always>",
                &[(SwappedSelect, 1), (LostGuard, 7), (SwappedPhi, 12), (ExitOneSide, 1), (HoistedLoad, 18)],
            ),
            recipe(Mode::Control, "fuse-branches<always>", &[(GatherSwapped, 7)]),
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
                    (StackOverlap, 0),
                    (StackStride, 0),
                    (StackNoBarrier, 5),
                    (StackPhiSwapped, 5),
                    (StackSelectSwapped, 5),
                    (StackEarlyLoad, 5),
                ],
            ),
            recipe(Mode::LocalArrays, "steer-spills<victims=rare+stack>", &[(ConstantShifted, 28), (AnyBlock, 22)]),
            recipe(
                Mode::Pressure,
                "steer-spills<victims=constant;regs=24;block={block}>",
                &[(RematOperand, 0), (ZeroIsOne, 1)],
            ),
            recipe(Mode::Pressure, "steer-spills<victims=constant+rare>", &[(ConditionOperand, 54)]),
            recipe(Mode::Diamonds, "steer-spills<victims=constant+rare>", &[(LoadAhead, 6796)]),
            recipe(
                Mode::Pressure,
                "steer-spills<victims=affine+uniform+divergent;regs=24;block={block}>",
                &[(SlotOffset, 1), (SlotNoBarrier, 3), (RowStride, 1), (LaneLost, 1)],
            ),
        ],
    },
    Tested {
        pass: "coarsen-threads",
        folders: &["coarsen"],
        recipes: &[recipe(
            Mode::Elementwise,
            "coarsen-threads<always>",
            &[(CoarsenApart, 1), (CoarsenFirst, 9), (CoarsenAligned, 2), (CoarsenAnyBlock, 1), (CoarsenWraps, 947)],
        )],
    },
    Tested {
        pass: "versions",
        folders: &["versions", "tuning"],
        recipes: &[recipe(
            Mode::LocalArrays,
            "steer-spills<victims=rare+stack;versions>",
            &[(VersionStride, 0), (VersionEarly, 0), (VersionShort, 0)],
        )],
    },
    Tested {
        pass: "divergence-map",
        folders: &["map"],
        recipes: &[recipe(Mode::Control, "divergence-map", &[(CountsTwice, 0)])],
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
