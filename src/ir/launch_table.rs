//! Does a kernel have a version, and does a launch run it? The table that the device code carries for the
//! host ([VERSIONS.md](../docs/VERSIONS.md)): written by `steer-spills`, read by the launch function in the program and by
//! the lockstep machine.
//!
//! The table of kernel `k` is the symbol `k$versions`: 64-bit words. Launches with blocks of at least a warp run `k$v1`, with more
//! dynamic shared memory than they ask for, others `k` as it is.
//!
//! The table of a kernel's alternatives, which are to be measured ([TUNING.md](../docs/TUNING.md)), is `k$tuning`: a hash
//! of the kernel's code, and for each alternative its name and the words of a version.

use crate::geometry::WARP_SIZE;

/// First word of a table, which also tells its format.
pub const MAGIC: u64 = u64::from_le_bytes(*b"WRWIES02");
/// The attribute of a version: its words in the table, with commas between.
pub const ATTRIBUTE: &str = "warpwise-version";
/// First word of a table of alternatives, which also tells its format.
pub const TUNING_MAGIC: u64 = u64::from_le_bytes(*b"WWTUNE02");
/// Most alternatives of a kernel, besides itself.
pub const MAX_ALTERNATIVES: usize = 6;
/// Longest name of an alternative, in bytes.
const NAME: usize = 16;
/// Words of a version.
const WORDS: usize = 3;
/// What the symbol of a version ends with.
const VERSION: &str = "$v1";

/// The symbol of the table of a kernel.
pub fn table_of(kernel: &str) -> String {
    format!("{kernel}$versions")
}

/// The symbol of a kernel's version.
pub fn version_of(kernel: &str) -> String {
    format!("{kernel}{VERSION}")
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
    let (kernel, number) = symbol.rsplit_once("$t")?;
    Some((kernel, number.parse().ok().filter(|&number| (1..=MAX_ALTERNATIVES).contains(&number))?))
}

/// The kernel of a version, if a symbol has the form of one.
pub fn is_version(symbol: &str) -> Option<&str> {
    symbol.strip_suffix(VERSION)
}

/// A version of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaunchVersion {
    /// Bytes of dynamic shared memory that it has for each warp of the block, behind the program's own.
    pub warp_bytes: u64,
    /// Alignment of where they begin.
    pub align: u64,
    /// It is only used if a multiprocessor holds as many of its blocks as of the kernel's (1), at least three quarters as
    /// many (2), half (3) or a quarter (4); anything else does not ask.
    pub keep: u64,
}

impl LaunchVersion {
    /// As words of a table.
    pub fn words(&self) -> [u64; WORDS] {
        let LaunchVersion { warp_bytes, align, keep } = *self;
        [warp_bytes, align, keep]
    }

    /// From the beginning of these words: the version, and the words after it. `None` if it is none.
    fn read(words: &[u64]) -> Option<(LaunchVersion, &[u64])> {
        let (&[warp_bytes, align, keep], rest) = words.split_first_chunk::<WORDS>()?;
        align.is_power_of_two().then_some((LaunchVersion { warp_bytes, align, keep }, rest))
    }

    /// As the value of [`ATTRIBUTE`].
    pub fn attribute(&self) -> String {
        self.words().map(|word| word.to_string()).join(",")
    }

    /// From the value of [`ATTRIBUTE`]; `None` if it is not one that this reader knows.
    pub fn of_attribute(text: &str) -> Option<LaunchVersion> {
        let words: Vec<u64> = text.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        LaunchVersion::read(&words).filter(|(_, rest)| rest.is_empty()).map(|(version, _)| version)
    }

    /// Whether it may run with blocks of this many threads: of fewer than a warp, a few lanes alone access few lines of local
    /// memory.
    pub fn is_for(&self, threads: u32) -> bool {
        self.warp_bytes == 0 || threads >= WARP_SIZE
    }

    /// Bytes of dynamic shared memory for blocks of this many threads of a program that asks for `own`.
    pub fn dynamic_shared(&self, own: u64, threads: u32) -> u64 {
        let warps = u64::from(threads.div_ceil(WARP_SIZE));
        own.next_multiple_of(self.align.max(1)) + self.warp_bytes * warps
    }
}

/// The words of the table of a kernel with this version.
pub fn encode(version: &LaunchVersion) -> Vec<u64> {
    [MAGIC].into_iter().chain(version.words()).collect()
}

/// The version of a table; `None` if it is no table.
pub fn decode(words: &[u64]) -> Option<LaunchVersion> {
    let [MAGIC, rest @ ..] = words else { return None };
    LaunchVersion::read(rest).filter(|(_, rest)| rest.is_empty()).map(|(version, _)| version)
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
            alternatives.push((name, version));
            rest = behind;
        }
        rest.is_empty().then_some(Tuning { hash, alternatives })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: LaunchVersion = LaunchVersion { warp_bytes: 4096, align: 16, keep: 2 };

    #[test]
    fn the_timer_knows_the_tables() {
        assert_eq!([MAGIC, TUNING_MAGIC], warpwise_timer::format::LAUNCH_TABLES);
        let copies = [version_of("k"), alternative_of("k", 1), alternative_of("k", MAX_ALTERNATIVES)];
        assert_eq!(copies.map(|copy| warpwise_timer::names::alike(&copy)), ["k"; 3]);
    }

    #[test]
    fn tables_survive() {
        let mut words = encode(&VERSION);
        assert_eq!(decode(&words), Some(VERSION));
        assert!((0..words.len()).all(|length| decode(&words[..length]).is_none()));
        words[0] += 1;
        assert_eq!(decode(&words), None);
    }

    #[test]
    fn tables_of_alternatives_survive() {
        let plain = LaunchVersion { align: 1, ..LaunchVersion::default() };
        let alternatives = vec![("models".to_owned(), plain), ("sixteen8letters9".to_owned(), VERSION)];
        let tuning = Tuning { hash: u64::MAX, alternatives };
        let words = tuning.encode();
        assert_eq!(Tuning::decode(&words), Some(tuning));
        assert!((0..words.len()).all(|length| Tuning::decode(&words[..length]).is_none()));
        assert_eq!((decode(&words), Tuning::decode(&encode(&VERSION))), (None, None));
    }

    #[test]
    fn memory_of_slots_is_behind_the_programs_own() {
        let version = LaunchVersion { warp_bytes: 512, align: 16, keep: 0 };
        assert_eq!([1, 32, 33].map(|threads| version.dynamic_shared(20, threads)), [544, 544, 1056]);
    }

    #[test]
    fn attributes_survive() {
        assert_eq!(LaunchVersion::of_attribute(&VERSION.attribute()), Some(VERSION));
        for wrong in ["", "0", "0,1", "0,3,0", "0,1,0,7", "0,1,-1", "x"] {
            assert_eq!(LaunchVersion::of_attribute(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn symbols() {
        assert_eq!(is_version(&version_of("_Z1kPi")), Some("_Z1kPi"));
        assert_eq!(is_alternative(&alternative_of("k$v1", 3)), Some(("k$v1", 3)));
        assert!(["_Z1kPi", "k$v", "k$v0", "k$v2", "k$vx"].iter().all(|symbol| is_version(symbol).is_none()));
    }
}
