//! Are the functions valid on which the analysis is timed, and alike at every size?

#[path = "../benches/ladder.rs"]
mod generator;

use generator::ladder;
use warpwise_ir::llvm::owned::OwnedModule;

fn check(text: &str) {
    let module = OwnedModule::from_text(text, "ladder").unwrap_or_else(|e| panic!("{e}"));
    module.inkwell().verify().unwrap_or_else(|e| panic!("{}", e.to_string_lossy()));
}

/// Instructions, phis and blocks.
fn statistics(text: &str) -> [usize; 3] {
    let lines = |wanted: &str| text.lines().filter(|l| l.starts_with("  ") && l.contains(wanted)).count();
    [lines(""), lines(" = phi "), text.lines().filter(|l| l.ends_with(':')).count()]
}

#[test]
fn the_rungs_verify_and_have_their_size() {
    for (size, seed) in [(1000, 1), (10_000, 1), (10_000, 2), (60_000, 3)] {
        let text = ladder(size, seed);
        check(&text);
        let [instructions, ..] = statistics(&text);
        assert!(instructions.abs_diff(size) < 200, "{instructions} for {size}");
    }
}

#[test]
fn statistics_do_not_depend_on_the_size() {
    let share = |size| {
        let [instructions, phis, blocks] = statistics(&ladder(size, 9));
        [phis as f64 / instructions as f64, blocks as f64 / instructions as f64]
    };
    let (small, large) = (share(20_000), share(200_000));
    for (a, b) in small.iter().zip(large) {
        assert!((a - b).abs() / b < 0.15, "{small:?} {large:?}");
    }
    assert!(large[0] > 0.03 && large[0] < 0.2 && large[1] > 0.03 && large[1] < 0.2, "{large:?}");
}
