//! How are numbers put into sentences?

use std::fmt::Display;

/// What a noun ends with behind a number: nothing behind 1.
pub fn plural<N: PartialEq + From<u8>>(count: N) -> &'static str {
    if count == N::from(1) { "" } else { "s" }
}

/// `1 load`, `2 loads`.
pub fn counted<N: PartialEq + From<u8> + Display + Copy>(count: N, what: &str) -> String {
    format!("{count} {what}{}", plural(count))
}

/// A part in percent; 0 of nothing.
pub fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!([0u32, 1, 2].map(|count| counted(count, "load")), ["0 loads", "1 load", "2 loads"]);
        assert_eq!((percent(1, 4), percent(0, 0)), (25.0, 0.0));
    }
}
