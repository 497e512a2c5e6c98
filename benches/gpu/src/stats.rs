//! Medians, quartiles and geometric means.

use crate::manifest::Time;

/// Summary of launch times in milliseconds; they are sorted in place.
pub fn summary(times: &mut [f64]) -> Time {
    times.sort_by(f64::total_cmp);
    Time {
        median: quantile(times, 0.5),
        least: quantile(times, 0.0),
        lower_quartile: quantile(times, 0.25),
        upper_quartile: quantile(times, 0.75),
        launches: times.len(),
    }
}

/// The `q` quantile of sorted values, between neighbours by proportion; not a number where there are none.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * place.fract()
}

/// Geometric mean; not a number where there are no values.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases() {
        let time = summary(&mut [4.0, 1.0, 3.0, 2.0]);
        assert_eq!((time.least, time.lower_quartile, time.median, time.launches), (1.0, 1.75, 2.5, 4));
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_nan() && quantile(&[], 0.5).is_nan());
    }
}
