//! Which alignment of two instruction sequences is best if some pairs may be melded and the rest is guarded?
//!
//! Global alignment with one shared, affine gap. A state is *joined* (all lanes execute together) or *parted* (a guard
//! is open, in which lanes of the two sides execute separately). Let `s(i, j)` be the gain of melding element *i* of
//! the first sequence with *j* of the second, and `b` the price of opening a guard, paid once for a run of skipped
//! elements of either sequence:
//!
//! ```text
//! J[i][j] = max( J[i-1][j] if i floats, J[i][j-1] if j floats, s(i,j) + max(J, P)[i-1][j-1] )
//! P[i][j] = max( P[i-1][j], P[i][j-1], J[i-1][j] - b, J[i][j-1] - b )
//! ```
//!
//! An element *floats* if it may be executed by lanes of both sides, so that skipping it opens no guard.
//!
//! Cost: `n·m` cells up to [`WHOLE`] squared. Longer sequences are aligned in windows of [`WINDOW`]: of the pairs in a
//! window, those in its first three quarters are kept, and the next window starts after the last of them, so that the
//! whole costs `(n + m)·WINDOW` cells. Pairs further apart than a window are missed.
//!
//! Needleman and Wunsch 1970; Gotoh 1982 for affine gaps; Coutinho 2011, section 6.1.3, for instructions (there with
//! Smith and Waterman's local form, whose zero floor corresponds to the profit test here).

/// Length up to which sequences are aligned as a whole: 1 MiB of cells.
const WHOLE: usize = 256;

/// Length of a window for longer ones: twice the length takes twice the time and finds little more.
const WINDOW: usize = 96;

/// The properties of two sequences on which their alignment depends.
pub trait Sequences {
    /// Gain of melding element `i` of the first with `j` of the second; `None` if they do not match.
    fn score(&self, i: usize, j: usize) -> Option<i32>;
    /// Whether element `i` of the first may be executed by lanes of both sides.
    fn first_floats(&self, i: usize) -> bool;
    /// Whether element `j` of the second may be executed by lanes of both sides.
    fn second_floats(&self, j: usize) -> bool;
}

/// The step that led to a cell's best value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Start,
    /// Skips an element of the first or of the second sequence, in the same state.
    First,
    Second,
    /// The same, opening a guard.
    OpenFirst,
    OpenSecond,
    /// Melds, coming from the joined or from the parted state.
    MeldJoined,
    MeldParted,
}

#[derive(Clone, Copy)]
struct Cell {
    joined: i32,
    parted: i32,
    joined_by: Move,
    parted_by: Move,
}

/// The score of an alignment that is impossible; far enough from the minimum for further costs to be subtracted.
const NEVER: i32 = i32::MIN / 2;

/// The melded pairs of a best alignment, in ascending order of both sequences.
pub fn align(n: usize, m: usize, gap: i32, sequences: &impl Sequences) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    let most = if n.max(m) <= WHOLE { WHOLE } else { WINDOW };
    while i < n && j < m {
        let (height, width) = (most.min(n - i), most.min(m - j));
        let (last_i, last_j) = (i + height == n, j + width == m);
        let found = window((i, height), (j, width), gap, sequences);
        if last_i && last_j {
            pairs.extend(found);
            break;
        }
        let (limit_i, limit_j) =
            (if last_i { n } else { i + height * 3 / 4 }, if last_j { m } else { j + width * 3 / 4 });
        let kept = found.iter().take_while(|pair| pair.0 < limit_i && pair.1 < limit_j).count();
        pairs.extend(&found[..kept]);
        (i, j) = match found[..kept].last() {
            Some(&(a, b)) => (a + 1, b + 1),
            // nothing in common: skip half of what can be skipped
            None => (if last_i { i } else { i + height / 2 }, if last_j { j } else { j + width / 2 }),
        };
    }
    pairs
}

fn window(
    (i0, n): (usize, usize),
    (j0, m): (usize, usize),
    gap: i32,
    sequences: &impl Sequences,
) -> Vec<(usize, usize)> {
    let row = m + 1;
    let blank = Cell { joined: NEVER, parted: NEVER, joined_by: Move::Start, parted_by: Move::Start };
    let mut cells = vec![blank; (n + 1) * row];
    cells[0].joined = 0;
    for i in 0..=n {
        for j in 0..=m {
            let mut cell = cells[i * row + j];
            let mut joined = |value: i32, by: Move| {
                if value > cell.joined {
                    (cell.joined, cell.joined_by) = (value, by);
                }
            };
            if i > 0 && j > 0 {
                let from = cells[(i - 1) * row + j - 1];
                if let Some(score) = sequences.score(i0 + i - 1, j0 + j - 1) {
                    joined(from.joined + score, Move::MeldJoined);
                    joined(from.parted + score, Move::MeldParted);
                }
            }
            if i > 0 && sequences.first_floats(i0 + i - 1) {
                joined(cells[(i - 1) * row + j].joined, Move::First);
            }
            if j > 0 && sequences.second_floats(j0 + j - 1) {
                joined(cells[i * row + j - 1].joined, Move::Second);
            }
            let mut parted = |value: i32, by: Move| {
                if value > cell.parted {
                    (cell.parted, cell.parted_by) = (value, by);
                }
            };
            if i > 0 {
                let from = cells[(i - 1) * row + j];
                parted(from.parted, Move::First);
                parted(from.joined - gap, Move::OpenFirst);
            }
            if j > 0 {
                let from = cells[i * row + j - 1];
                parted(from.parted, Move::Second);
                parted(from.joined - gap, Move::OpenSecond);
            }
            cells[i * row + j] = cell;
        }
    }
    trace(&cells, row, (i0, n), (j0, m))
}

fn trace(cells: &[Cell], row: usize, (i0, n): (usize, usize), (j0, m): (usize, usize)) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (n, m);
    let last = cells[n * row + m];
    let mut parted = last.parted > last.joined;
    while i > 0 || j > 0 {
        let cell = cells[i * row + j];
        match if parted { cell.parted_by } else { cell.joined_by } {
            Move::Start => break,
            Move::First => i -= 1,
            Move::Second => j -= 1,
            Move::OpenFirst => (i, parted) = (i - 1, false),
            Move::OpenSecond => (j, parted) = (j - 1, false),
            by @ (Move::MeldJoined | Move::MeldParted) => {
                (i, j) = (i - 1, j - 1);
                pairs.push((i0 + i, j0 + j));
                parted = by == Move::MeldParted;
            }
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    struct Letters {
        first: Vec<u8>,
        second: Vec<u8>,
        /// Gain of melding two equal letters, by letter.
        gains: [i32; 4],
        /// Letters that float.
        floating: [bool; 4],
    }

    impl Sequences for Letters {
        fn score(&self, i: usize, j: usize) -> Option<i32> {
            (self.first[i] == self.second[j]).then(|| self.gains[self.first[i] as usize])
        }
        fn first_floats(&self, i: usize) -> bool {
            self.floating[self.first[i] as usize]
        }
        fn second_floats(&self, j: usize) -> bool {
            self.floating[self.second[j] as usize]
        }
    }

    /// Value of the best alignment of the rest, by trying everything.
    fn brute(letters: &Letters, i: usize, j: usize, parted: bool, gap: i32) -> i32 {
        let (n, m) = (letters.first.len(), letters.second.len());
        if i == n && j == m {
            return 0;
        }
        let skip = |floats: bool| if parted || floats { (parted, 0) } else { (true, gap) };
        let mut best = NEVER;
        if i < n {
            for floats in [false, letters.first_floats(i)] {
                let (parted, price) = skip(floats);
                best = best.max(brute(letters, i + 1, j, parted, gap) - price);
            }
        }
        if j < m {
            for floats in [false, letters.second_floats(j)] {
                let (parted, price) = skip(floats);
                best = best.max(brute(letters, i, j + 1, parted, gap) - price);
            }
        }
        if let Some(score) = (i < n && j < m).then(|| letters.score(i, j)).flatten() {
            best = best.max(score + brute(letters, i + 1, j + 1, false, gap));
        }
        best
    }

    /// Value of the given pairs: gains, minus a guard for each run of skipped elements that do not all float.
    fn value(letters: &Letters, pairs: &[(usize, usize)], gap: i32) -> i32 {
        let (mut i, mut j, mut total) = (0, 0, 0);
        let ends = [(letters.first.len(), letters.second.len())];
        for (index, &(a, b)) in pairs.iter().chain(&ends).enumerate() {
            let guarded = (i..a).any(|i| !letters.first_floats(i)) || (j..b).any(|j| !letters.second_floats(j));
            total -= if guarded { gap } else { 0 };
            if index < pairs.len() {
                total += letters.score(a, b).expect("a pair matches");
            }
            (i, j) = (a + 1, b + 1);
        }
        total
    }

    #[test]
    fn agrees_with_trying_everything() {
        let mut random = StdRng::seed_from_u64(7);
        for _ in 0..400 {
            let mut word = |length: u32| -> Vec<u8> {
                let length = random.random_range(0..length);
                (0..length).map(|_| random.random_range(0..4u8)).collect()
            };
            let (first, second) = (word(6), word(6));
            let gains = [1, 3, 9, -2];
            let letters = Letters { first, second, gains, floating: [true, false, false, true] };
            let pairs = align(letters.first.len(), letters.second.len(), 4, &letters);
            assert_eq!(value(&letters, &pairs, 4), brute(&letters, 0, 0, false, 4), "{:?}", letters.first);
        }
    }

    #[test]
    fn long_sequences_align_by_windows() {
        let first: Vec<u8> = (0..2000).map(|i| (i * 7 % 4) as u8).collect();
        let letters = Letters { second: first.clone(), first, gains: [1, 3, 9, 2], floating: [false; 4] };
        let pairs = align(2000, 2000, 4, &letters);
        assert_eq!(pairs, (0..2000).map(|i| (i, i)).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_in_common() {
        let letters = Letters { first: vec![0; 700], second: vec![1; 300], gains: [1; 4], floating: [false; 4] };
        assert_eq!(align(700, 300, 4, &letters), []);
    }
}
