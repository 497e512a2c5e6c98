//! Did two runs copy the same data back from the device?

use crate::compare::Answer;
use crate::format::{OVERWRITTEN, UNFINISHED};
use crate::read::Left;
use serde::{Deserialize, Serialize};

/// The copies of one run, in the order in which the program requested them.
#[derive(Serialize, Deserialize)]
pub struct Copied {
    copies: Vec<(u64, u64)>,
    /// Number of copies, including those for which the list had no room.
    all: u64,
}

impl Copied {
    /// The copies of all processes of a run, the oldest process first.
    pub fn of(left: &[Left]) -> Copied {
        let copies = left.iter().flat_map(|left| left.copies.iter().copied()).collect();
        Copied { copies, all: left.iter().map(|left| left.all_copies).sum() }
    }

    /// Compares this run with another. The data are the same if every copy is, bit by bit, also in another order, as several
    /// threads may produce. Copies that were overwritten before the program could read them, or never completed, are like any.
    pub fn compare(&self, other: &Copied) -> Answer {
        if self.all == 0 && other.all == 0 {
            return Answer { verdict: "unknown", text: "nothing was copied back from the device".to_owned() };
        }
        if self.all != other.all || self.copies.len() != other.copies.len() {
            return Answer::of(false, format!("DIFFERENT: {} copies against {}", self.all, other.all));
        }
        let is_read = |hash: u64| ![OVERWRITTEN, UNFINISHED].contains(&hash);
        let is_alike = |((bytes, hash), (other_bytes, other_hash)): &(&(u64, u64), &(u64, u64))| {
            bytes == other_bytes && (hash == other_hash || !is_read(*hash) || !is_read(*other_hash))
        };
        let pairs = || self.copies.iter().zip(&other.copies);
        let mut differing = pairs().enumerate().filter(|(_, pair)| !is_alike(pair));
        let Some((first, ((bytes, _), (other_bytes, _)))) = differing.next() else {
            let but = match pairs().filter(|((_, hash), (_, other))| !is_read(*hash) || !is_read(*other)).count() {
                0 => String::new(),
                unread => format!(" ({unread} of them were overwritten before they could be read)"),
            };
            let bytes: u64 = self.copies.iter().map(|(bytes, _)| bytes).sum();
            let noun = if self.all == 1 { "copy" } else { "copies" };
            return Answer::of(true, format!("the same bit by bit: {} {noun}, {bytes} bytes{but}", self.all));
        };
        let sorted = |copies: &[(u64, u64)]| {
            let mut copies = copies.to_vec();
            copies.sort_unstable();
            copies
        };
        if sorted(&self.copies) == sorted(&other.copies) {
            return Answer::of(true, format!("the same bit by bit, in another order: {} copies", self.all));
        }
        let (number, all) = (first + 1, self.all);
        let text = if bytes == other_bytes {
            let copies = 1 + differing.count();
            format!("DIFFERENT: {copies} of {all} copies, the first of them number {number} with {bytes} bytes")
        } else {
            format!("DIFFERENT: copy number {number} has {bytes} bytes against {other_bytes}")
        };
        Answer::of(false, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(copies: &[(u64, u64)]) -> Copied {
        Copied { copies: copies.to_vec(), all: copies.len() as u64 }
    }

    #[track_caller]
    fn assert_answer(answer: Answer, verdict: &str, text: &str) {
        assert_eq!((answer.verdict, answer.text.as_str()), (verdict, text));
    }

    #[test]
    fn copies_are_compared_in_order() {
        let one = copied(&[(8, 1), (8, 2), (4, 3)]);
        let with = |copies: &[(u64, u64)]| one.compare(&copied(copies));
        assert_answer(with(&[(8, 1), (8, 2), (4, 3)]), "same", "the same bit by bit: 3 copies, 20 bytes");
        let order = "the same bit by bit, in another order: 3 copies";
        assert_answer(with(&[(8, 2), (8, 1), (4, 3)]), "same", order);
        let second = "DIFFERENT: 1 of 3 copies, the first of them number 2 with 8 bytes";
        assert_answer(with(&[(8, 1), (8, 9), (4, 3)]), "different", second);
        assert_answer(with(&[(8, 1)]), "different", "DIFFERENT: 3 copies against 1");
        assert_eq!(copied(&[]).compare(&copied(&[])).verdict, "unknown");
    }
}
