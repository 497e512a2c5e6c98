//! Which versions does a kernel have, and which of them does a launch run? The table that the device code carries for the
//! host ([VERSIONS.md](../docs/VERSIONS.md)): written by `steer-spills`, read by the launch function in the program and by
//! the lockstep machine.
//!
//! The table of kernel `k` is the symbol `k$versions`: 64-bit words, the versions in order of preference. A launch runs
//! the first version all of whose facts hold for it, with more dynamic shared memory than it asked for, or `k` as it is.
//!
//! The table of a kernel's alternatives, which are to be measured ([TUNING.md](../docs/TUNING.md)), is `k$tuning`: a hash
//! of the kernel's code, and for each alternative its name and the words of a version.

use crate::geometry::{BlockShape, Geometry, Rows, WARP_SIZE};
use std::fmt;

/// First word of a table, which also tells its format.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WRWIES01");
/// The attribute of a version that says what its launches have in common: its words in the table, with commas between.
pub const ATTRIBUTE: &str = "warpwise-version";
/// First word of a table of alternatives, which also tells its format.
pub const TUNING_MAGIC: u64 = u64::from_le_bytes(*b"WWTUNE01");
/// Most alternatives of a kernel, besides itself.
pub const MAX_ALTERNATIVES: usize = 6;
/// Longest name of an alternative, in bytes.
const NAME: usize = 16;
/// Words of a version before its facts.
const HEADER: usize = 5;
/// Words of a fact.
const FACT: usize = 4;
/// Most versions of a kernel.
pub const MAX_VERSIONS: usize = 3;

/// The symbol of the table of a kernel.
pub fn table_of(kernel: &str) -> String {
    format!("{kernel}$versions")
}

/// The symbol of a version, counted from 1.
pub fn version_of(kernel: &str, number: usize) -> String {
    format!("{kernel}$v{number}")
}

/// The symbol of the table of a kernel's alternatives.
pub fn tuning_of(kernel: &str) -> String {
    format!("{kernel}$tuning")
}

/// The symbol of an alternative, counted from 1.
pub fn alternative_of(kernel: &str, number: usize) -> String {
    format!("{kernel}$t{number}")
}

/// The kernel and the number of an alternative, if a symbol has the form of one.
pub fn is_alternative(symbol: &str) -> Option<(&str, usize)> {
    numbered(symbol, "$t", MAX_ALTERNATIVES)
}

/// The kernel and the number of a version, if a symbol has the form of one.
pub fn is_version(symbol: &str) -> Option<(&str, usize)> {
    numbered(symbol, "$v", MAX_VERSIONS)
}

fn numbered<'s>(symbol: &'s str, mark: &str, most: usize) -> Option<(&'s str, usize)> {
    let (kernel, number) = symbol.rsplit_once(mark)?;
    Some((kernel, number.parse().ok().filter(|&number| (1..=most).contains(&number))?))
}

/// What must hold of the blocks of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fact {
    /// `blockDim` along a dimension is a multiple of a number.
    BlockMultiple { dim: u8, of: u32 },
    /// `blockDim` along a dimension is a number.
    BlockIs { dim: u8, extent: u32 },
    /// A block has at most this many threads.
    ThreadsAtMost(u32),
    /// A block has at least this many threads.
    ThreadsAtLeast(u32),
    /// `blockDim` along a dimension is at most a number.
    BlockAtMost { dim: u8, extent: u32 },
}

/// A version of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchVersion {
    pub facts: Vec<Fact>,
    /// Bytes of dynamic shared memory that it has for each warp of the block, behind the program's own.
    pub warp_bytes: u64,
    /// Bytes that it has besides.
    pub fixed_bytes: u64,
    /// Alignment of where they begin.
    pub align: u64,
    /// It is only used if a multiprocessor holds as many of its blocks as of the kernel's (1), at least three quarters as
    /// many (2), half (3) or a quarter (4); anything else does not ask.
    pub keep: u64,
}

impl Fact {
    /// As words of a table.
    pub fn words(self) -> [u64; FACT] {
        match self {
            Fact::BlockMultiple { dim, of } => [1, dim.into(), of.into(), 0],
            Fact::BlockIs { dim, extent } => [2, dim.into(), extent.into(), 0],
            Fact::ThreadsAtMost(threads) => [3, threads.into(), 0, 0],
            Fact::ThreadsAtLeast(threads) => [4, threads.into(), 0, 0],
            Fact::BlockAtMost { dim, extent } => [6, dim.into(), 0, extent.into()],
        }
    }

    /// From words of a table; `None` if they are no fact known here.
    fn read([kind, a, b, c]: [u64; FACT]) -> Option<Fact> {
        let dim = (a & 3) as u8;
        let known = match kind {
            1 => Fact::BlockMultiple { dim, of: u32::try_from(b).ok().filter(|&of| of > 0)? },
            2 => Fact::BlockIs { dim, extent: u32::try_from(b).ok()? },
            3 => Fact::ThreadsAtMost(u32::try_from(a).ok()?),
            4 => Fact::ThreadsAtLeast(u32::try_from(a).ok()?),
            6 => Fact::BlockAtMost { dim, extent: u32::try_from(c).ok()? },
            _ => return None,
        };
        // numbers that have no place in the fact mean something that is not known here
        let has_dim = !matches!(kind, 3 | 4);
        (known.words() == [kind, a, b, c] && (!has_dim || dim < 3)).then_some(known)
    }

    /// Whether it holds for blocks of this shape.
    pub fn holds(self, block: [u32; 3]) -> bool {
        let threads = || block.iter().map(|&extent| u64::from(extent)).product::<u64>();
        match self {
            Fact::BlockMultiple { dim, of } => block[usize::from(dim)].is_multiple_of(of),
            Fact::BlockIs { dim, extent } => block[usize::from(dim)] == extent,
            Fact::ThreadsAtMost(most) => threads() <= most.into(),
            Fact::ThreadsAtLeast(least) => threads() >= least.into(),
            Fact::BlockAtMost { dim, extent } => block[usize::from(dim)] <= extent,
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |dim: u8| ["x", "y", "z"][usize::from(dim.min(2))];
        match *self {
            Fact::BlockMultiple { dim, of } => write!(f, "blockDim.{} is a multiple of {of}", axis(dim)),
            Fact::BlockIs { dim, extent } => write!(f, "blockDim.{} = {extent}", axis(dim)),
            Fact::ThreadsAtMost(most) => write!(f, "a block has at most {most} threads"),
            Fact::ThreadsAtLeast(least) => write!(f, "a block has at least {least} threads"),
            Fact::BlockAtMost { dim, extent } => write!(f, "blockDim.{} <= {extent}", axis(dim)),
        }
    }
}

/// The facts in words.
pub fn say(facts: &[Fact]) -> String {
    facts.iter().map(Fact::to_string).collect::<Vec<_>>().join(" and ")
}

/// What is known of blocks in launches for which the facts hold.
pub fn known_blocks(facts: &[Fact], otherwise: Geometry) -> Geometry {
    let mut known = otherwise;
    let extent = |dim: u8| {
        facts.iter().find_map(|fact| match *fact {
            Fact::BlockIs { dim: along, extent } if along == dim => Some(extent),
            _ => None,
        })
    };
    let has = |wanted: &dyn Fn(&Fact) -> bool| facts.iter().any(wanted);
    let in_half_warps = |fact: &Fact| matches!(*fact, Fact::BlockAtMost { dim: 0, extent } if extent <= WARP_SIZE / 2);
    let [x, y, z] = [0, 1, 2].map(extent);
    if let (Some(x), Some(y), Some(z), None) = (x, y, z, known.exact) {
        known.exact = format!("{x}x{y}x{z}").parse::<BlockShape>().ok();
    }
    if (y, z) == (Some(1), Some(1)) {
        known.rows = Some(Rows::One);
    } else if has(&|fact| matches!(*fact, Fact::BlockMultiple { dim: 0, of } if of.is_multiple_of(WARP_SIZE))) {
        known.rows = Some(Rows::WholeWarps);
    } else if has(&in_half_warps) && has(&|fact| matches!(*fact, Fact::ThreadsAtLeast(least) if least >= WARP_SIZE)) {
        known.rows = Some(Rows::Short);
    }
    for fact in facts {
        if let Fact::ThreadsAtMost(most) = *fact {
            known.max_threads = Some(known.max_threads.unwrap_or(u32::MAX).min(most));
        }
    }
    known
}

impl LaunchVersion {
    /// As words of a table.
    fn words(&self) -> Vec<u64> {
        let LaunchVersion { facts, warp_bytes, fixed_bytes, align, keep } = self;
        let mut words = vec![facts.len() as u64, *warp_bytes, *fixed_bytes, *align, *keep];
        words.extend(facts.iter().flat_map(|fact| fact.words()));
        words
    }
    /// From the beginning of these words: the version, unless it has facts that are not known here, and the words after
    /// it. `None` if they end too early.
    fn read(words: &[u64]) -> Option<(Option<LaunchVersion>, &[u64])> {
        let &[facts, warp_bytes, fixed_bytes, align, keep] = words.first_chunk::<HEADER>()?;
        let length = usize::try_from(facts).ok()?.checked_mul(FACT)?;
        let own = words[HEADER..].get(..length)?;
        let facts: Option<Vec<Fact>> = own.as_chunks::<FACT>().0.iter().map(|&words| Fact::read(words)).collect();
        let facts = facts.filter(|_| align.is_power_of_two());
        let version = facts.map(|facts| LaunchVersion { facts, warp_bytes, fixed_bytes, align, keep });
        Some((version, &words[HEADER + length..]))
    }
    /// As the value of [`ATTRIBUTE`].
    pub fn attribute(&self) -> String {
        self.words().iter().map(u64::to_string).collect::<Vec<_>>().join(",")
    }
    /// From the value of [`ATTRIBUTE`]; `None` if it is not one that this reader knows.
    pub fn of_attribute(text: &str) -> Option<LaunchVersion> {
        let words: Vec<u64> = text.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (version, rest) = LaunchVersion::read(&words)?;
        version.filter(|_| rest.is_empty())
    }
    /// Bytes of dynamic shared memory for blocks of this many threads of a program that asks for `own`.
    pub fn dynamic_shared(&self, own: u64, threads: u32) -> u64 {
        let warps = u64::from(threads.div_ceil(WARP_SIZE));
        own.next_multiple_of(self.align.max(1)) + self.fixed_bytes + self.warp_bytes * warps
    }
}

/// The words of a table.
pub fn encode(versions: &[LaunchVersion]) -> Vec<u64> {
    let mut words = vec![MAGIC, versions.len() as u64];
    versions.iter().for_each(|version| words.extend(version.words()));
    words
}

/// The versions of a table, each with its number; those with facts that are not known here are left out. `None` if it is no table.
pub fn decode(words: &[u64]) -> Option<Vec<(usize, LaunchVersion)>> {
    let [MAGIC, count, rest @ ..] = words else { return None };
    let mut rest = rest;
    let mut versions = Vec::new();
    for number in 1..=usize::try_from(*count).ok().filter(|&count| count <= MAX_VERSIONS)? {
        let (version, after) = LaunchVersion::read(rest)?;
        versions.extend(version.map(|version| (number, version)));
        rest = after;
    }
    rest.is_empty().then_some(versions)
}

/// The alternatives of a kernel, to be measured.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tuning {
    /// Of the kernel's code, as it was measured.
    pub hash: u64,
    /// Names, of at most 16 small letters and digits, and when and with how much memory each may run.
    pub alternatives: Vec<(String, LaunchVersion)>,
}

impl Tuning {
    /// The words of the table.
    pub fn encode(&self) -> Vec<u64> {
        let mut words = vec![TUNING_MAGIC, self.hash, self.alternatives.len() as u64];
        for (name, version) in &self.alternatives {
            let mut text = [0; NAME];
            text.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
            words.extend(text.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)));
            words.extend(version.words());
        }
        words
    }

    /// From the words of a table; `None` if it is not one known here.
    pub fn decode(words: &[u64]) -> Option<Tuning> {
        let &[TUNING_MAGIC, hash, count, ref rest @ ..] = words else { return None };
        let mut rest = rest;
        let mut alternatives = Vec::new();
        for _ in 0..usize::try_from(count).ok().filter(|&count| count <= MAX_ALTERNATIVES)? {
            let [first, second, behind @ ..] = rest else { return None };
            let text = [first.to_le_bytes(), second.to_le_bytes()].concat();
            let name = String::from_utf8(text).ok()?.trim_end_matches('\0').to_owned();
            let (version, behind) = LaunchVersion::read(behind)?;
            alternatives.push((name, version?));
            rest = behind;
        }
        rest.is_empty().then_some(Tuning { hash, alternatives })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: [Fact; 5] = [
        Fact::BlockMultiple { dim: 0, of: 32 },
        Fact::BlockIs { dim: 1, extent: 1 },
        Fact::ThreadsAtMost(1024),
        Fact::ThreadsAtLeast(32),
        Fact::BlockAtMost { dim: 0, extent: 16 },
    ];

    #[test]
    fn the_timer_knows_the_tables() {
        assert_eq!([MAGIC, TUNING_MAGIC], warpwise_timer::format::LAUNCH_TABLES);
    }

    #[test]
    fn tables_survive() {
        let version = LaunchVersion { facts: FACTS.to_vec(), warp_bytes: 4096, fixed_bytes: 16, align: 16, keep: 2 };
        let words = encode(&[version.clone(), LaunchVersion { align: 1, ..LaunchVersion::default() }]);
        let found = decode(&words).unwrap();
        assert_eq!((found.len(), &found[0]), (2, &(1, version)));
        for length in 0..words.len() {
            assert_eq!(decode(&words[..length]), None);
        }
        let mut unknown = words.clone();
        unknown[7] = 99;
        assert_eq!(decode(&unknown).unwrap().iter().map(|found| found.0).collect::<Vec<_>>(), [2]);
        unknown[0] += 1;
        assert_eq!(decode(&unknown), None);
    }

    #[test]
    fn tables_of_alternatives_survive() {
        let version = LaunchVersion { facts: FACTS.to_vec(), warp_bytes: 4096, fixed_bytes: 16, align: 16, keep: 2 };
        let plain = LaunchVersion { align: 1, ..LaunchVersion::default() };
        let alternatives = vec![("models".to_owned(), plain), ("sixteen8letters9".to_owned(), version)];
        let tuning = Tuning { hash: u64::MAX, alternatives };
        let words = tuning.encode();
        assert_eq!(Tuning::decode(&words), Some(tuning));
        assert!((0..words.len()).all(|length| Tuning::decode(&words[..length]).is_none()));
        assert_eq!((decode(&words), Tuning::decode(&encode(&[]))), (None, None));
    }

    #[test]
    fn memory_of_slots_is_behind_the_programs_own() {
        let version = LaunchVersion { warp_bytes: 512, fixed_bytes: 16, align: 16, ..LaunchVersion::default() };
        assert_eq!([1, 32, 33].map(|threads| version.dynamic_shared(20, threads)), [560, 560, 1072]);
    }

    #[test]
    fn attributes_survive() {
        let version = LaunchVersion { facts: FACTS.to_vec(), warp_bytes: 4096, fixed_bytes: 16, align: 16, keep: 2 };
        assert_eq!(LaunchVersion::of_attribute(&version.attribute()), Some(version.clone()));
        for wrong in ["", "0", "0,0,0,1", "0,0,0,3,0", "0,0,0,1,0,7", "1,0,0,1,0,9,0,0,0", "0,0,0,1,-1", "x"] {
            assert_eq!(LaunchVersion::of_attribute(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn facts_say_what_blocks_look_like() {
        let known = |facts: &[Fact]| known_blocks(facts, Geometry::default());
        let [multiple, flat, at_most, at_least] = [FACTS[0], FACTS[1], FACTS[2], FACTS[3]];
        assert_eq!(known(&[multiple]).rows, Some(Rows::WholeWarps));
        assert_eq!(known(&[Fact::BlockMultiple { dim: 0, of: 16 }]).rows, None);
        assert_eq!(known(&[Fact::BlockMultiple { dim: 1, of: 32 }]).rows, None);
        let deep = |extent| Fact::BlockIs { dim: 2, extent };
        assert_eq!((known(&[flat]).rows, known(&[flat, deep(2)]).rows), (None, None));
        assert_eq!(known(&[flat, deep(1)]).rows, Some(Rows::One));
        assert_eq!(known(&[flat, deep(1), Fact::BlockIs { dim: 0, extent: 64 }]).exact, "64".parse().ok());
        assert_eq!(known(&[flat, deep(1), Fact::BlockIs { dim: 0, extent: 4096 }]).exact, None);
        assert_eq!(known(&[at_most, Fact::ThreadsAtMost(64)]).max_threads, Some(64));
        let short = |extent| Fact::BlockAtMost { dim: 0, extent };
        assert_eq!(known(&[short(16), at_least]).rows, Some(Rows::Short));
        for few in [vec![short(16)], vec![short(17), at_least], vec![short(16), Fact::ThreadsAtLeast(31)]] {
            assert_eq!(known(&few).rows, None);
        }
        assert_eq!(known(&[Fact::BlockAtMost { dim: 1, extent: 16 }, at_least]).rows, None);
    }

    #[test]
    fn symbols() {
        assert_eq!(is_version(&version_of("_Z1kPi", 2)), Some(("_Z1kPi", 2)));
        assert_eq!(is_alternative(&alternative_of("k$v1", 3)), Some(("k$v1", 3)));
        assert!(["_Z1kPi", "k$v", "k$v0", "k$v4", "k$vx"].iter().all(|symbol| is_version(symbol).is_none()));
    }
}
