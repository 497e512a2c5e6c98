//! Is an alternative faster than the kernel itself, or is that noise?
//!
//! An alternative is faster if its gain is more than [`ERRORS`] standard errors and more than [`SHARE`] of the kernel's
//! time, slower if its loss is. A kernel is built once for all launches, so it is built as an alternative only if that was
//! measured wherever the kernel was, and is slower nowhere; among those that save time, the one that saves most. A version
//! runs only where the facts about a launch hold, so it may be missing elsewhere.

use super::{Measured, PLAIN, VERSION};

/// How many standard errors are noise.
const ERRORS: f64 = 3.0;
/// What share of the time is never more than noise: the clock's resolution, where code happens to lie.
const SHARE: f64 = 0.01;
/// Fewer rounds say nothing about their spread.
pub const MIN_ROUNDS: u64 = 8;

/// What the gain of an alternative says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Faster,
    Slower,
    /// No difference beyond noise.
    Same,
    /// It was measured too rarely.
    Unknown,
}

/// What was measured of an alternative in comparison with the kernel itself.
pub fn verdict(measured: &Measured, name: &str) -> Verdict {
    let Some(alternative) = measured.of_alternative(name).filter(|found| found.gain.count >= MIN_ROUNDS) else {
        return Verdict::Unknown;
    };
    let gain = alternative.gain.mean;
    let noise = (ERRORS * alternative.gain.error()).max(SHARE * (alternative.time.mean + gain));
    match gain {
        gain if gain > noise => Verdict::Faster,
        gain if -gain > noise => Verdict::Slower,
        _ => Verdict::Same,
    }
}

/// As what a kernel is to be built.
#[derive(Clone, PartialEq, Debug)]
pub enum Decision {
    /// As it is.
    Plain,
    Alternative {
        name: String,
        /// Time that it saves, as a share of the time of all launches.
        saves: f64,
    },
}

/// Decides from what was measured of one kernel with one code.
pub fn decide(measured: &[&Measured]) -> Decision {
    let known =
        |measured: &&&Measured| measured.of_alternative(PLAIN).is_some_and(|plain| plain.time.count >= MIN_ROUNDS);
    let measured: Vec<&Measured> = measured.iter().filter(known).copied().collect();
    let mut names: Vec<&str> = Vec::new();
    for alternative in measured.iter().flat_map(|measured| &measured.alternatives) {
        if alternative.name != PLAIN && !names.contains(&alternative.name.as_str()) {
            names.push(&alternative.name);
        }
    }
    let all: f64 = measured.iter().map(|measured| time_of(measured, PLAIN)).sum();
    let saved = |name: &str| -> Option<f64> {
        let mut saved = 0.0;
        for measured in &measured {
            match verdict(measured, name) {
                Verdict::Faster => {
                    saved +=
                        measured.launches as f64 * measured.of_alternative(name).map_or(0.0, |found| found.gain.mean);
                }
                Verdict::Same => {}
                Verdict::Unknown if name == VERSION => {}
                Verdict::Slower | Verdict::Unknown => return None,
            }
        }
        (saved > 0.0).then_some(saved)
    };
    let best = names.into_iter().filter_map(|name| Some((name, saved(name)?)));
    match best.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((name, saved)) => Decision::Alternative { name: name.to_owned(), saves: saved / all },
        None => Decision::Plain,
    }
}

/// The time of all launches if they were launches of an alternative, in microseconds.
fn time_of(measured: &Measured, name: &str) -> f64 {
    measured.launches as f64 * measured.of_alternative(name).map_or(0.0, |found| found.time.mean)
}

#[cfg(test)]
mod tests {
    use super::super::{Alternative, Launches, Sample};
    use super::*;

    /// Launches of a kernel that takes 100 µs; each alternative with the rounds, gain and standard error.
    fn launches(launches: u64, alternatives: &[(&str, u64, f64, f64)]) -> Measured {
        let of = Launches { kernel: "k".into(), hash: "0".into(), gpu: "sm_90".into(), block: [32, 1, 1], shared: 0 };
        let plain = Alternative {
            name: PLAIN.into(),
            time: Sample { count: 100, mean: 100.0, squares: 1.0 },
            gain: Sample::default(),
        };
        let alternative = |&(name, count, gain, error): &(&str, u64, f64, f64)| {
            let squares = error * error * count as f64 * (count as f64 - 1.0);
            let time = Sample { count, mean: 100.0 - gain, squares: 0.0 };
            Alternative { name: name.to_owned(), time, gain: Sample { count, mean: gain, squares } }
        };
        let alternatives = std::iter::once(plain).chain(alternatives.iter().map(alternative)).collect();
        Measured { of, launches, alternatives }
    }

    #[test]
    fn three_standard_errors_and_one_percent() {
        for (rounds, gain, error, wanted) in [
            (100, 5.0, 1.6, Verdict::Faster),
            (100, 5.0, 1.7, Verdict::Same),
            (100, 1.1, 0.0, Verdict::Faster),
            (100, 0.9, 0.0, Verdict::Same),
            (100, -0.9, 0.0, Verdict::Same),
            (100, -5.0, 1.6, Verdict::Slower),
            (100, -5.0, 1.7, Verdict::Same),
            (MIN_ROUNDS, 5.0, 0.1, Verdict::Faster),
            (MIN_ROUNDS - 1, 5.0, 0.1, Verdict::Unknown),
        ] {
            assert_eq!(verdict(&launches(1, &[("a", rounds, gain, error)]), "a"), wanted, "{gain} {error}");
        }
        assert_eq!(verdict(&launches(1, &[]), "a"), Verdict::Unknown);
    }

    fn chosen(measured: &[Measured]) -> String {
        match decide(&measured.iter().collect::<Vec<_>>()) {
            Decision::Plain => PLAIN.to_owned(),
            Decision::Alternative { name, saves } => {
                assert!(saves > 0.0 && saves < 1.0, "{saves}");
                name
            }
        }
    }

    #[test]
    fn what_saves_most_and_is_slower_nowhere() {
        let good = ("good", 50, 10.0, 1.0);
        let better = ("better", 50, 20.0, 1.0);
        assert_eq!(chosen(&[launches(5, &[good, better])]), "better");
        assert_eq!(chosen(&[launches(5, &[("noise", 50, 10.0, 4.0)])]), PLAIN);
        assert_eq!(chosen(&[]), PLAIN);
        // the same launches with other blocks
        assert_eq!(chosen(&[launches(5, &[good, better]), launches(5, &[good, ("better", 50, -20.0, 1.0)])]), "good");
        assert_eq!(chosen(&[launches(5, &[good, better]), launches(5, &[good, ("better", 50, -0.5, 1.0)])]), "better");
        assert_eq!(chosen(&[launches(1, &[good, better]), launches(9, &[good, ("better", 50, 0.5, 1.0)])]), "good");
        // where it could not run, or was hardly measured
        assert_eq!(chosen(&[launches(5, &[good, better]), launches(5, &[good])]), "good");
        assert_eq!(chosen(&[launches(5, &[("version", 50, 10.0, 1.0)]), launches(5, &[])]), "version");
        let rare = Measured {
            alternatives: vec![Alternative {
                name: PLAIN.into(),
                time: Sample { count: 2, mean: 1.0, squares: 0.0 },
                gain: Sample::default(),
            }],
            ..launches(2, &[])
        };
        assert_eq!(chosen(&[launches(5, &[good]), rare]), "good");
    }

    #[test]
    fn the_share_of_all_launches_is_told() {
        let measured = [launches(3, &[("a", 50, 10.0, 1.0)]), launches(1, &[("a", 50, 0.0, 1.0)])];
        let Decision::Alternative { saves, .. } = decide(&measured.iter().collect::<Vec<_>>()) else {
            panic!("a wins")
        };
        assert!((saves - 0.075).abs() < 1e-9, "{saves}");
    }
}
