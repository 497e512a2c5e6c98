//! Did two runs copy the same data back from the device?

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

/// The result of comparing two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Neither copied anything back.
    Nothing,
    /// Every copy is the same, bit by bit. `unread` copies were overwritten before the program could read them, or
    /// never completed.
    Same { copies: u64, bytes: u64, unread: u64 },
    /// The same copies in another order, as several threads may produce.
    Order { copies: u64 },
    /// The runs made different numbers of copies.
    Count { one: u64, other: u64 },
    /// The first copy that differs, counted from 1, and how many differ.
    Differs { first: u64, bytes: u64, other_bytes: u64, copies: u64, of: u64 },
}

impl Copied {
    /// The copies of all processes of a run, the oldest process first.
    pub fn of(left: &[Left]) -> Copied {
        let copies = left.iter().flat_map(|left| left.copies.iter().copied()).collect();
        Copied { copies, all: left.iter().map(|left| left.all_copies).sum() }
    }

    /// Compares this run with another.
    pub fn compare(&self, other: &Copied) -> Likeness {
        if self.all == 0 && other.all == 0 {
            return Likeness::Nothing;
        }
        if self.all != other.all || self.copies.len() != other.copies.len() {
            return Likeness::Count { one: self.all, other: other.all };
        }
        let is_read = |hash: u64| ![OVERWRITTEN, UNFINISHED].contains(&hash);
        let is_alike = |((bytes, hash), (other_bytes, other_hash)): &(&(u64, u64), &(u64, u64))| {
            bytes == other_bytes && (hash == other_hash || !is_read(*hash) || !is_read(*other_hash))
        };
        let pairs = || self.copies.iter().zip(&other.copies);
        let mut differing = pairs().enumerate().filter(|(_, pair)| !is_alike(pair));
        let Some((first, ((bytes, _), (other_bytes, _)))) = differing.next() else {
            let unread = pairs().filter(|((_, hash), (_, other))| !is_read(*hash) || !is_read(*other)).count();
            let bytes = self.copies.iter().map(|(bytes, _)| bytes).sum();
            return Likeness::Same { copies: self.all, bytes, unread: unread as u64 };
        };
        let copies = 1 + differing.count() as u64;
        let sorted = |copies: &[(u64, u64)]| {
            let mut copies = copies.to_vec();
            copies.sort_unstable();
            copies
        };
        if sorted(&self.copies) == sorted(&other.copies) {
            return Likeness::Order { copies: self.all };
        }
        Likeness::Differs { first: first as u64 + 1, bytes: *bytes, other_bytes: *other_bytes, copies, of: self.all }
    }
}

impl Likeness {
    /// Whether the runs are the same as far as is known.
    pub fn is_same(&self) -> bool {
        matches!(self, Likeness::Nothing | Likeness::Same { .. } | Likeness::Order { .. })
    }

    /// In words.
    pub fn text(&self) -> String {
        match self {
            Likeness::Nothing => "nothing was copied back from the device".to_owned(),
            Likeness::Same { copies, bytes, unread } => {
                let but = match unread {
                    0 => String::new(),
                    unread => format!(" ({unread} of them were overwritten before they could be read)"),
                };
                let noun = if *copies == 1 { "copy" } else { "copies" };
                format!("the same bit by bit: {copies} {noun}, {bytes} bytes{but}")
            }
            Likeness::Order { copies } => format!("the same bit by bit, in another order: {copies} copies"),
            Likeness::Count { one, other } => format!("DIFFERENT: {one} copies against {other}"),
            Likeness::Differs { first, bytes, other_bytes, copies, of } if bytes == other_bytes => {
                format!("DIFFERENT: {copies} of {of} copies, the first of them number {first} with {bytes} bytes")
            }
            Likeness::Differs { first, bytes, other_bytes, .. } => {
                format!("DIFFERENT: copy number {first} has {bytes} bytes against {other_bytes}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(copies: &[(u64, u64)]) -> Copied {
        Copied { copies: copies.to_vec(), all: copies.len() as u64 }
    }

    #[test]
    fn copies_are_compared_in_order() {
        let one = copied(&[(8, 1), (8, 2), (4, 3)]);
        assert_eq!(one.compare(&copied(&[(8, 1), (8, 2), (4, 3)])), Likeness::Same { copies: 3, bytes: 20, unread: 0 });
        assert_eq!(one.compare(&copied(&[(8, 2), (8, 1), (4, 3)])), Likeness::Order { copies: 3 });
        let differs = Likeness::Differs { first: 2, bytes: 8, other_bytes: 8, copies: 1, of: 3 };
        assert_eq!(one.compare(&copied(&[(8, 1), (8, 9), (4, 3)])), differs);
        assert_eq!(one.compare(&copied(&[(8, 1)])), Likeness::Count { one: 3, other: 1 });
        assert_eq!(copied(&[]).compare(&copied(&[])), Likeness::Nothing);
    }

    #[test]
    fn copies_that_nobody_read_prove_nothing() {
        let one = copied(&[(8, OVERWRITTEN), (8, 2)]);
        assert_eq!(one.compare(&copied(&[(8, 1), (8, 2)])), Likeness::Same { copies: 2, bytes: 16, unread: 1 });
    }
}
