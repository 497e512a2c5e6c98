//! With which kernels, and after which passes, should a deliberate mistake be detected?
//!
//! A mistake in the analysis shows in its claims, on kernels of every mode. A mistake in a transform shows in the
//! results of kernels after it, soonest on kernels of the mode that gives the transform something to do.

use super::drive::{self, Failure, Plan, Tally};
use super::{Feature, Knobs, Mode};
use crate::mutants::{Mutant, activate};

/// Where a mistake is looked for.
pub struct Place {
    /// Mode of the kernels; all modes in turn if `None`.
    mode: Option<Mode>,
    /// Features that occur more often in the kernels.
    more: &'static [Feature],
    plan: Plan,
}

/// Where to look for a mistake.
pub fn place_of(mutant: Mutant) -> Place {
    use Mutant::*;
    let (mode, passes) = match mutant {
        VoteDivergent => (Mode::Control, "annotate-uniform<block={block}>"),
        WrittenInvariant => (
            Mode::Control,
            "annotate-uniform<assume-restrict>,function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm))",
        ),
        SwappedSelect | LostGuard | SwappedPhi | ExitOneSide | HoistedLoad | KeptSign => {
            (Mode::Diamonds, "fuse-branches<always>")
        }
        GatherSwapped => (Mode::Control, "fuse-branches<always>"),
        StackOverlap | StackStride | StackNoBarrier | StackPhiSwapped | StackSelectSwapped | StackEarlyLoad => {
            (Mode::LocalArrays, "steer-spills<victims=rare+stack;block={block}>")
        }
        ConstantShifted | AnyBlock => (Mode::LocalArrays, "steer-spills<victims=rare+stack>"),
        VersionStride | VersionEarly | VersionShort => (Mode::LocalArrays, "steer-spills<victims=rare+stack;versions>"),
        RematOperand | ZeroIsOne => (Mode::Pressure, "steer-spills<victims=constant;regs=24;block={block}>"),
        SlotOffset | SlotNoBarrier | RowStride | LaneLost => {
            (Mode::Pressure, "steer-spills<victims=affine+uniform+divergent;regs=24;block={block}>")
        }
        CountsTwice => (Mode::Control, "divergence-map"),
        _ => {
            let (mode, more): (_, &[Feature]) = match mutant {
                StillFrames | SameFrames => (Some(Mode::LocalArrays), &[Feature::DynamicAlloca, Feature::StackAddress]),
                LoneOrder | LoneLeaves | LoneStays => (Some(Mode::Control), &[Feature::OneLane, Feature::InTurn]),
                FlatInPlane => (Some(Mode::General), &[Feature::WarpIndex]),
                GuardEither => (Some(Mode::Control), &[Feature::Guarded]),
                _ => (None, &[]),
            };
            return Place { mode, more, plan: Plan { only_claims: true, schedules: 0, ..Plan::default() } };
        }
    };
    // a missing wait shows if warps run independently
    let schedules = u64::from(matches!(mutant, StackNoBarrier | SlotNoBarrier));
    Place { mode: Some(mode), more: &[], plan: Plan { passes: vec![passes.to_owned()], schedules, ..Plan::default() } }
}

impl Place {
    /// Whether the mistake is in a transform.
    pub fn is_of_transform(&self) -> bool {
        !self.plan.only_claims
    }

    /// Runs the kernel of a seed in this place.
    pub fn run(&self, seed: u64) -> Result<Tally, Failure> {
        let mode = self.mode.unwrap_or_else(|| drive::mode_of(seed));
        let mut knobs = if self.plan.only_claims { drive::varied_knobs(seed, mode) } else { Knobs::of_mode(mode) };
        for &feature in self.more {
            knobs.set_weight(feature, 10 * knobs.weight(feature));
        }
        drive::run(seed, &knobs, &self.plan)
    }

    /// The failure that shows the mistake, if the kernel of a seed has one.
    pub fn notices(&self, seed: u64) -> Option<Failure> {
        let failure = self.run(seed).err()?;
        // a panic or a module that does not parse is not a violated claim
        (self.is_of_transform() || failure.trouble.kind() == "Claim").then_some(failure)
    }
}

/// Looks for a mistake on the kernels of the seeds below `most`; returns the first that shows it.
pub fn search(mutant: Mutant, most: u64) -> Option<(u64, Failure)> {
    let place = place_of(mutant);
    activate(Some(mutant));
    let found = (0..most).find_map(|seed| Some((seed, place.notices(seed)?)));
    activate(None);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More kernels than any of the mistakes needs.
    const MOST: u64 = 1000;

    /// Every mistake is noticed, and what is noticed is that mistake.
    fn all_noticed(mutants: &[Mutant]) {
        let mut missed = Vec::new();
        for &mutant in mutants {
            let start = std::time::Instant::now();
            let Some((seed, failure)) = search(mutant, MOST) else {
                missed.push(mutant);
                eprintln!("{mutant:?} missed, {:?}", start.elapsed());
                continue;
            };
            eprintln!("{mutant:?}: seed {seed}, {:?}: {failure}", start.elapsed());
            if let Err(failure) = place_of(mutant).run(seed) {
                panic!("seed {seed}, without {mutant:?}: {failure}");
            }
        }
        assert!(missed.is_empty(), "not noticed on {MOST} kernels each: {missed:?}");
    }

    #[test]
    fn frames() {
        all_noticed(&[Mutant::StillFrames, Mutant::SameFrames]);
    }

    #[test]
    fn one_lane() {
        all_noticed(&[Mutant::LoneOrder, Mutant::LoneLeaves, Mutant::LoneStays]);
    }

    #[test]
    fn flat_index_and_guards() {
        all_noticed(&[Mutant::FlatInPlane, Mutant::GuardEither]);
    }

    #[test]
    fn assembly() {
        all_noticed(&[Mutant::AssemblyGuard]);
    }

    /// How the passes begin that show the mistakes of a transform, one test each.
    const PASSES: [&str; 6] = [
        "annotate-uniform",
        "fuse-branches",
        "steer-spills<victims=constant;",
        "steer-spills<victims=rare+stack",
        "steer-spills<victims=affine+uniform+divergent;",
        "divergence-map",
    ];

    /// The mistakes that show after passes that begin so.
    fn noticed_after(passes: &str) {
        let is_of =
            |mutant: &Mutant| place_of(*mutant).plan.passes.first().is_some_and(|first| first.starts_with(passes));
        let mutants: Vec<Mutant> = Mutant::ALL.iter().copied().filter(is_of).collect();
        assert!(!mutants.is_empty(), "{passes}");
        all_noticed(&mutants);
    }

    #[test]
    fn annotate() {
        noticed_after(PASSES[0]);
    }

    #[test]
    fn fuse() {
        noticed_after(PASSES[1]);
    }

    #[test]
    fn remat() {
        noticed_after(PASSES[2]);
    }

    #[test]
    fn stack() {
        noticed_after(PASSES[3]);
    }

    #[test]
    fn slots() {
        noticed_after(PASSES[4]);
    }

    #[test]
    fn map() {
        noticed_after(PASSES[5]);
    }

    /// All mistakes in transforms are covered by the tests above.
    #[test]
    fn mistakes_of_transforms_have_places() {
        let first = Mutant::VoteDivergent as usize;
        for (index, &mutant) in Mutant::ALL.iter().enumerate() {
            let place = place_of(mutant);
            assert_eq!(place.is_of_transform(), index >= first, "{mutant:?}");
            let tests = PASSES.iter().filter(|pass| place.plan.passes.iter().any(|first| first.starts_with(**pass)));
            assert_eq!(tests.count(), usize::from(index >= first), "{mutant:?}");
        }
    }
}
