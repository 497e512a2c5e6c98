//! With which kernels, and after which passes, should a deliberate mistake be detected?
//!
//! A mistake in the analysis shows in its claims, on kernels of every mode. A mistake in a transform shows in the
//! results of kernels after it, soonest on kernels of the mode that gives the transform something to do.

use super::drive::{self, Failure, Plan, Plugin, Tally};
use super::recipes::recipe_of;
use super::{Feature, Knobs, Mode};
use warpwise_analysis::mutants::Mutant;

/// Where a mistake is looked for.
pub struct Place {
    /// Mode of the kernels; all modes in turn if `None`.
    mode: Option<Mode>,
    /// Features that occur more often in the kernels.
    more: &'static [Feature],
    /// The seed of a kernel that is known to show it.
    pub first: u64,
    plan: Plan,
}

/// Where to look for a mistake; `plugin` runs the passes.
pub fn place_of(mutant: Mutant, plugin: Plugin) -> Place {
    use Mutant::*;
    if let Some((recipe, first)) = recipe_of(mutant) {
        // a missing wait shows if warps run independently
        let schedules = u64::from(matches!(mutant, StackNoBarrier | SlotNoBarrier));
        let passes = vec![recipe.pipeline.to_owned()];
        let plan = Plan { passes, schedules, plugin, ..Plan::default() };
        return Place { mode: Some(recipe.mode), more: &[], first, plan };
    }
    let lone: &[Feature] = &[Feature::OneLane, Feature::InTurn];
    let (mode, more, first): (_, &[Feature], u64) = match mutant {
        StillFrames | SameFrames => (Some(Mode::LocalArrays), &[Feature::DynamicAlloca, Feature::StackAddress], 184),
        LoneOrder => (Some(Mode::Control), lone, 0),
        LoneLeaves => (Some(Mode::Control), lone, 10),
        LoneStays => (Some(Mode::Control), lone, 45),
        FlatInPlane => (Some(Mode::General), &[Feature::WarpIndex], 329),
        GuardEither => (Some(Mode::Control), &[Feature::Guarded], 134),
        AssemblyGuard => (None, &[], 14),
        _ => (None, &[], 0),
    };
    Place { mode, more, first, plan: Plan { only_claims: true, schedules: 0, ..Plan::default() } }
}

impl Place {
    /// Whether the mistake is in a transform.
    pub fn is_of_transform(&self) -> bool {
        !self.plan.passes.is_empty()
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
        (self.is_of_transform() || failure.kind == "Claim").then_some(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipes::PASSES;
    use super::*;

    /// Mistakes in transforms are in the table, those in the analysis are not.
    #[test]
    fn mistakes_of_transforms_have_places() {
        let first = Mutant::WrittenInvariant as usize;
        for (index, &mutant) in Mutant::ALL.iter().enumerate() {
            assert_eq!(place_of(mutant, Plugin::default()).is_of_transform(), index >= first, "{mutant:?}");
            let recipes = PASSES.iter().flat_map(|tested| tested.recipes);
            let found = recipes.flat_map(|recipe| recipe.faults).filter(|(fault, _)| *fault == mutant).count();
            assert_eq!(found, usize::from(index >= first), "{mutant:?}");
        }
    }
}
