//! What is the format of a map file?
//!
//! Numbers are little-endian. A string is its length (u32) followed by its bytes.
//!
//! | part | bytes |
//! |---|---|
//! | `WARPMAP1` | 8: magic, the last one is the version |
//! | length of the whole file | 8 |
//! | runs, then for each a string of `key=value` lines (host, process, program) | 4 + … |
//! | modules, then for each its table as a string, its words (u32) and the words (u64 each) | 4 + … |
//! | FNV-1a hash of everything before | 8 |
//!
//! Words are sums over the replicas and over the GPUs of a process. What a word counts is described in the table.

use std::fmt;

/// First bytes of a map.
pub const MAGIC: &[u8; 8] = b"WARPMAP1";
/// Shortest possible file: magic, length, no runs, no modules, hash.
const LEAST: usize = 32;

/// The branches of one module, and their counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The module's table, as it is stored on the device.
    pub table: Vec<u8>,
    /// One sum for each word of a replica.
    pub counts: Vec<u64>,
}

/// The counts of one run, or of several together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map {
    /// Which runs: strings of `key=value` lines.
    pub runs: Vec<String>,
    pub modules: Vec<Module>,
}

/// Why bytes are not a valid map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatError {
    Empty,
    Foreign,
    Json,
    Version(char),
    Truncated { wanted: u64, found: u64 },
    TooLong { wanted: u64, found: u64 },
    Damaged,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FormatError::Empty => write!(f, "the file is empty: the run that wrote it was cut off"),
            FormatError::Foreign => write!(
                f,
                "it is no warpwise map; programs compiled with -mllvm -warpwise-profile-generate write maps, and `warpwise simt --save-map`"
            ),
            FormatError::Json => write!(
                f,
                "it is JSON, which holds less than a map; give the map file that it was made from (of a launch on the lockstep machine, `warpwise simt --save-map` writes one)"
            ),
            FormatError::Version(found) => {
                write!(f, "it is a map of format {found}, and this warpwise reads format 1")
            }
            FormatError::Truncated { wanted, found } => {
                write!(f, "the map is cut off: {wanted} bytes were written, {found} are there")
            }
            FormatError::TooLong { wanted, found } => {
                write!(f, "something follows the map: it has {wanted} bytes, the file {found}")
            }
            FormatError::Damaged => write!(f, "the map is damaged: its contents do not have the hash they should"),
        }
    }
}

impl std::error::Error for FormatError {}

/// The FNV-1a hash.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Map {
    /// Adds another map: counts of equal modules are added, other modules are appended.
    pub fn add(&mut self, other: &Map) {
        self.runs.extend(other.runs.iter().cloned());
        for module in &other.modules {
            self.add_module(module);
        }
    }

    /// Adds the counts of one module.
    pub fn add_module(&mut self, module: &Module) {
        let same = |known: &&mut Module| known.table == module.table && known.counts.len() == module.counts.len();
        match self.modules.iter_mut().find(same) {
            Some(known) => {
                for (sum, more) in known.counts.iter_mut().zip(&module.counts) {
                    *sum = sum.saturating_add(*more);
                }
            }
            None => self.modules.push(module.clone()),
        }
    }

    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 8]);
        put(&mut bytes, self.runs.len());
        for run in &self.runs {
            put_bytes(&mut bytes, run.as_bytes());
        }
        put(&mut bytes, self.modules.len());
        for module in &self.modules {
            put_bytes(&mut bytes, &module.table);
            put(&mut bytes, module.counts.len());
            for count in &module.counts {
                bytes.extend_from_slice(&count.to_le_bytes());
            }
        }
        let length = bytes.len() as u64 + 8;
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        let check = hash(&bytes);
        bytes.extend_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads a file's bytes.
    pub fn decode(bytes: &[u8]) -> Result<Map, FormatError> {
        if bytes.is_empty() {
            return Err(FormatError::Empty);
        }
        let known = bytes.len().min(7);
        if bytes[..known] != MAGIC[..known] {
            let is_json = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
            return Err(if is_json { FormatError::Json } else { FormatError::Foreign });
        }
        let found = bytes.len() as u64;
        if bytes.len() < 16 {
            return Err(FormatError::Truncated { wanted: LEAST as u64, found });
        }
        if bytes[7] != MAGIC[7] {
            return Err(FormatError::Version(bytes[7].into()));
        }
        let wanted = bytes[8..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        if found < wanted || bytes.len() < LEAST {
            return Err(FormatError::Truncated { wanted: wanted.max(LEAST as u64), found });
        }
        if found > wanted {
            return Err(FormatError::TooLong { wanted, found });
        }
        let (body, check) = bytes.split_at(bytes.len() - 8);
        if hash(body).to_le_bytes() != check {
            return Err(FormatError::Damaged);
        }
        Reader { rest: &body[16..] }.map().ok_or(FormatError::Damaged)
    }
}

fn put(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend_from_slice(&(number as u32).to_le_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    put(bytes, part.len());
    bytes.extend_from_slice(part);
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn map(mut self) -> Option<Map> {
        let mut map = Map::default();
        for _ in 0..self.number()? {
            let run = self.bytes()?;
            map.runs.push(String::from_utf8_lossy(run).into_owned());
        }
        for _ in 0..self.number()? {
            let table = self.bytes()?.to_vec();
            let words = self.number()?;
            let (words, _) = self.take(words.checked_mul(8)?)?.as_chunks();
            let counts = words.iter().copied().map(u64::from_le_bytes).collect();
            map.modules.push(Module { table, counts });
        }
        self.rest.is_empty().then_some(map)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(head)
    }

    fn number(&mut self) -> Option<usize> {
        let raw = self.take(4)?;
        Some(u32::from_le_bytes(raw.try_into().ok()?) as usize)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Map {
        Map {
            runs: vec!["host=a\npid=1".to_owned()],
            modules: vec![
                Module { table: vec![1, 2, 3], counts: vec![u64::MAX - 1, 0, 7] },
                Module { table: vec![9], counts: vec![] },
            ],
        }
    }

    #[test]
    fn a_map_survives_the_file() {
        assert_eq!(Map::decode(&sample().encode()), Ok(sample()));
        assert_eq!(Map::decode(&Map::default().encode()), Ok(Map::default()));
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let bytes = sample().encode();
        for length in 0..bytes.len() {
            assert!(Map::decode(&bytes[..length]).is_err(), "{length} bytes");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(Map::decode(&damaged).is_err(), "byte {at}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(Map::decode(&longer), Err(FormatError::TooLong { .. })));
        assert_eq!(Map::decode(b"{\n  \"kernels\": []\n}\n"), Err(FormatError::Json));
        assert_eq!(Map::decode(b"PK\x03\x04 an archive, and no map"), Err(FormatError::Foreign));
        assert_eq!(Map::decode(b""), Err(FormatError::Empty));
    }

    #[test]
    fn equal_modules_are_added_up() {
        let mut map = sample();
        map.add(&sample());
        assert_eq!(map.modules.len(), 2);
        assert_eq!(map.modules[0].counts, [u64::MAX, 0, 14], "sums stop at the largest number");
        assert_eq!(map.runs.len(), 2);
    }
}
