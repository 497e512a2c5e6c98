//! Is every pass tested? For each, the lit folders, the random kernels that give it something to do, and the deliberate
//! mistakes that these must reveal. A pass without a line in this table fails the build's tests.

use super::{Feature, Mode};
use crate::mutants::Mutant;
use crate::settings::{FREE_ARRAYS, INLINE_CALLS, Transform, transform};

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
        pass: INLINE_CALLS,
        folders: &["inline"],
        recipes: &[recipe(
            Mode::Calls,
            INLINE_CALLS,
            &[
                (Mutant::InlineNoCopy, 0),
                (Mutant::InlineOffsetLost, 6),
                (Mutant::InlineSwapped, 2),
                (Mutant::InlineStoreLost, 1),
            ],
        )],
    },
    Tested {
        pass: FREE_ARRAYS,
        folders: &["arrays"],
        recipes: &[recipe(
            Mode::CountedArrays,
            FREE_ARRAYS,
            &[
                (Mutant::ArrayTurnLost, 1),
                (Mutant::ArrayOneObject, 1),
                (Mutant::ArrayStoreLost, 1),
                (Mutant::ArrayFirstPlace, 1),
            ],
        )],
    },
    Tested {
        pass: transform::IDIOMS,
        folders: &["idioms"],
        recipes: &[
            recipe(
                Mode::Idioms,
                FREE_ARRAYS,
                &[(Mutant::CountNone, 1), (Mutant::CountHalf, 28), (Mutant::CountAnew, 1)],
            ),
            recipe(
                Mode::Idioms,
                IDIOMS,
                &[(Mutant::CopyShort, 0), (Mutant::CopyOnePlace, 0), (Mutant::RemainderUndivided, 0)],
            ),
        ],
    },
    Tested {
        pass: Transform::Unroll.pass(),
        folders: &["unroll"],
        recipes: &[recipe(
            Mode::Loops,
            "unroll-loops<always>",
            &[(Mutant::UnrollNoRemainder, 0), (Mutant::UnrollSameIndex, 6), (Mutant::UnrollStaleExit, 4)],
        )],
    },
    Tested {
        pass: Transform::Annotate.pass(),
        folders: &["annotate"],
        recipes: &[
            recipe(Mode::Control, "annotate-uniform<block={block}>", &[(Mutant::VoteDivergent, 23)]),
            recipe(
                Mode::Control,
                "annotate-uniform<assume-restrict>,function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm))",
                &[(Mutant::WrittenInvariant, 0)],
            ),
        ],
    },
    Tested {
        pass: Transform::Fuse.pass(),
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
                    (Mutant::KeptSign, 113),
                ],
            ),
            recipe(Mode::Control, "fuse-branches<always>", &[(Mutant::GatherSwapped, 67)]),
        ],
    },
    Tested {
        pass: Transform::Steer.pass(),
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
        pass: transform::VERSIONS,
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
        pass: Transform::Map.pass(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Passes whose mistakes were planted last, with at least so many.
    const LEAST_FAULTS: [(&str, usize); 5] = [
        (INLINE_CALLS, 3),
        (FREE_ARRAYS, 3),
        (transform::IDIOMS, 3),
        (Transform::Unroll.pass(), 3),
        (transform::VERSIONS, 3),
    ];

    #[test]
    fn every_pass_is_tested() {
        let named = [INLINE_CALLS, FREE_ARRAYS, transform::IDIOMS, transform::VERSIONS];
        let all: Vec<&str> = Transform::ALL.map(Transform::pass).into_iter().chain(named).collect();
        assert_eq!(PASSES.len(), all.len());
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("llvm-tests");
        for pass in all {
            let tested = PASSES.iter().find(|tested| tested.pass == pass);
            let tested = tested.unwrap_or_else(|| panic!("{pass} has no line in the table"));
            assert!(!tested.folders.is_empty(), "{pass} has no lit folder");
            for folder in tested.folders {
                let files = std::fs::read_dir(tests.join(folder)).unwrap_or_else(|e| panic!("{pass}: {folder}: {e}"));
                let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
                let runs = files.flatten().filter(|file| text(&file.path()).contains("%warpwise simt")).count();
                assert!(runs > 0, "{pass}: nothing in llvm-tests/{folder} runs on the lockstep machine");
            }
            assert!(!tested.recipes.is_empty(), "{pass} has no random kernels");
            let least = LEAST_FAULTS.iter().find(|(name, _)| *name == pass).map_or(1, |(_, least)| *least);
            let faults: usize = tested.recipes.iter().map(|recipe| recipe.faults.len()).sum();
            assert!(faults >= least, "{pass} has {faults} planted faults");
        }
    }
}
