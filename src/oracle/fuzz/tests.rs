//! Do generated kernels have the promised properties? They verify in every mode, are reproducible, and every feature
//! occurs.

use super::{Feature, Knobs, Mode, generate};
use warpwise_ir::llvm::owned::OwnedModule;

const SEEDS: u64 = 500;

fn verify(seed: u64, knobs: &Knobs) {
    let (name, ir) = (format!("seed {seed} mode {}", knobs.mode.name()), generate(seed, knobs).ir);
    let module = OwnedModule::from_text(&ir, &name).unwrap_or_else(|e| panic!("{name}: {e}\n{ir}"));
    module.verify().unwrap_or_else(|e| panic!("{name}: {e}\n{ir}"));
}

#[test]
fn kernels_of_every_mode_verify() {
    std::thread::scope(|scope| {
        for mode in Mode::ALL {
            scope.spawn(move || (0..SEEDS).for_each(|seed| verify(seed, &Knobs::of_mode(mode))));
        }
    });
}

#[test]
fn poison_and_schedule_dependent_kernels_verify() {
    let mut knobs = Knobs::of_mode(Mode::General);
    knobs.allow_poison = true;
    knobs.schedule_dependent = true;
    for seed in 0..SEEDS {
        verify(seed, &knobs);
    }
}

#[test]
fn large_kernels_verify() {
    let mut knobs = Knobs::of_mode(Mode::General);
    knobs.size = (2000, 4000);
    for seed in 0..5 {
        verify(seed, &knobs);
    }
}

#[test]
fn a_seed_names_one_kernel() {
    let knobs = Knobs::default();
    assert_eq!(generate(7, &knobs).ir, generate(7, &knobs).ir);
    assert_ne!(generate(7, &knobs).ir, generate(8, &knobs).ir);
}

#[test]
fn every_feature_occurs() {
    let mut counts = vec![0; Feature::ALL.len()];
    for mode in Mode::ALL {
        let mut knobs = Knobs::of_mode(mode);
        for seed in 0..200 {
            knobs.allow_poison = seed % 4 == 3;
            knobs.schedule_dependent = seed % 4 == 2;
            for feature in generate(seed, &knobs).features {
                counts[feature as usize] += 1;
            }
        }
    }
    let rare: Vec<_> = Feature::ALL.iter().zip(&counts).filter(|c| *c.1 < 14).collect();
    assert!(rare.is_empty(), "in fewer than 1 % of the kernels: {rare:?}");
}

#[test]
fn a_feature_can_be_turned_off() {
    let mut knobs = Knobs::default();
    for feature in [Feature::Switch, Feature::Call, Feature::Vote, Feature::Irreducible, Feature::Guard] {
        knobs.set_weight(feature, 0);
    }
    for seed in 0..100 {
        let features = generate(seed, &knobs).features;
        assert!(!features.contains(&Feature::Switch) && !features.contains(&Feature::Vote), "seed {seed}");
        assert!(!features.contains(&Feature::Irreducible) && !features.contains(&Feature::Guard), "seed {seed}");
    }
}
