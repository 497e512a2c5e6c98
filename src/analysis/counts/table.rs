//! What do the counters of a module count? The table that travels with the device code and with every map.
//!
//! A table is a little-endian header of [`HEADER`] bytes, followed by a description, which is [`Table`] as `postcard`
//! encodes it:
//!
//! | bytes | contents |
//! |---|---|
//! | 0–7 | `WARPTBL` and the format's version as a digit |
//! | 8–15 | FNV-1a hash of the description: modules with equal hashes have equal tables |
//! | 16–19 | replicas of the counters |
//! | 20–23 | 64-bit words of a replica |
//! | 24–27 | bytes of the description, which follows the header |
//! | 28–31 | zero |
//!
//! The counters are `replicas × words` 64-bit words; a count is the sum over all replicas. In the description, fields
//! follow each other in the order of the structures below. A number is LEB128, a boolean one byte, a text its length
//! and its bytes, a list its length and its elements, an optional value a byte 0, or a byte 1 and the value.

use super::condition::Predicate;
use serde::{Deserialize, Serialize};
use warpwise_rt::format::hash;

/// Number of words of a record before those for targets: visits, splits, lanes.
pub const FIXED_WORDS: u32 = 3;
/// Number of bytes before the description.
pub const HEADER: usize = 32;
/// First bytes of a table; the last one is the version of the format.
pub const MAGIC: &[u8; 8] = b"WARPTBL3";

/// The branches of a module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// The version of warpwise that wrote it.
    pub producer: String,
    /// The source file, as given to the compiler.
    pub source: String,
    /// Names of source files, referred to by index.
    pub files: Vec<String>,
    /// Places in them, referred to by index.
    pub places: Vec<IndexedPlace>,
    pub functions: Vec<FunctionTable>,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct IndexedPlace {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// The place of the inlined call, which is earlier in the list.
    pub inlined_at: Option<u32>,
}

/// A function with a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionTable {
    pub symbol: String,
    pub is_kernel: bool,
    /// Number of the word that counts the launches of a kernel.
    pub launches: Option<u32>,
    /// File and line of its declaration.
    pub place: Option<(u32, u32)>,
    /// Shape of the block, if known.
    pub shape: Option<String>,
    /// Number of uniform, affine and divergent values.
    pub values: [u32; 3],
    pub lines: Vec<LineTable>,
    /// Under which launches branches of a kernel would be uniform, each once.
    pub conditions: Vec<ConditionTable>,
    pub blocks: Vec<BlockTable>,
    pub branches: Vec<BranchTable>,
}

/// A property of a launch under which divergent branches are uniform.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConditionTable {
    /// In words, with the names of the source.
    pub text: String,
    pub predicate: Predicate,
    /// Number of the word that counts the launches in which it held; `None` if nothing tests it.
    pub held: Option<u32>,
}

/// A source line with notes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineTable {
    pub file: u32,
    pub line: u32,
    /// Text of the line; empty if the file could not be read.
    pub text: String,
    pub notes: Vec<String>,
}

/// A basic block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockTable {
    pub name: String,
    /// First and last source line, in the function's own file; zero if there is none.
    pub lines: [u32; 2],
    /// Number of IR instructions.
    pub size: u32,
    /// Successors, by index.
    pub next: Vec<u32>,
}

/// A conditional branch or switch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BranchTable {
    /// The block that it ends.
    pub block: u32,
    pub place: Option<u32>,
    /// Whether lanes of one warp may take different targets, according to the analysis.
    pub is_divergent: bool,
    /// Number of loops around it.
    pub depth: u32,
    /// The distinct successors.
    pub targets: Vec<u32>,
    /// Number of the first word of its record; `None` if it is not counted.
    pub slot: Option<u32>,
    /// Why it diverges, in words.
    pub why: Option<String>,
    /// Conditions each of which makes it uniform, by index.
    pub conditions: Vec<u32>,
}

impl BranchTable {
    /// Number of words in its record.
    pub fn words(&self) -> u32 {
        FIXED_WORDS + self.targets.len() as u32 - 1
    }
}

/// An [`IndexedPlace`] with the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NamedPlace<'t> {
    pub file: &'t str,
    pub line: u32,
    pub column: u32,
}

/// Why a table cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    #[error("it does not begin as a warpwise table does")]
    Foreign,
    #[error(
        "it was written in version {found} of the format, and this warpwise reads version 3: compile and run the program again"
    )]
    Version { found: char },
    #[error("it is cut off: {wanted} bytes were written, {found} are there")]
    Truncated { wanted: usize, found: usize },
    #[error("its contents are damaged: {0}")]
    Damaged(String),
}

/// The contents of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    hash: u64,
    pub replicas: u32,
    /// Number of words in a replica.
    pub words: u32,
    /// Length of the description in bytes.
    length: u32,
}

impl Header {
    /// Decodes the first bytes of a table.
    pub fn read(bytes: &[u8]) -> Result<Header, TableError> {
        if bytes.len() < HEADER {
            return Err(TableError::Truncated { wanted: HEADER, found: bytes.len() });
        }
        if bytes[..7] != MAGIC[..7] {
            return Err(TableError::Foreign);
        }
        if bytes[7] != MAGIC[7] {
            return Err(TableError::Version { found: bytes[7].into() });
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let hash = u64::from(word(8)) | u64::from(word(12)) << 32;
        Ok(Header { hash, replicas: word(16), words: word(20), length: word(24) })
    }
}

impl Table {
    /// A table without functions.
    pub fn new(source: &str) -> Table {
        let producer = concat!("warpwise ", env!("CARGO_PKG_VERSION")).to_owned();
        Table { producer, source: source.to_owned(), ..Table::default() }
    }

    /// Encodes the table, given the number of replicas and of words in a replica.
    pub fn encode(&self, replicas: u32, words: u32) -> Vec<u8> {
        let description = postcard::to_allocvec(self).expect("plain data can be written to memory");
        let mut bytes = Vec::with_capacity(HEADER + description.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&hash(&description).to_le_bytes());
        for number in [replicas, words, description.len() as u32, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&description);
        bytes
    }

    /// Decodes a table.
    pub fn decode(bytes: &[u8]) -> Result<(Header, Table), TableError> {
        let header = Header::read(bytes)?;
        let length = HEADER + header.length as usize;
        let Some(description) = bytes.get(HEADER..length) else {
            return Err(TableError::Truncated { wanted: length, found: bytes.len() });
        };
        if hash(description) != header.hash {
            return Err(TableError::Damaged("the description does not have its hash".to_owned()));
        }
        let table: Table = postcard::from_bytes(description).map_err(|error| TableError::Damaged(error.to_string()))?;
        match table.flaw(header.words) {
            Some(flaw) => Err(TableError::Damaged(flaw.to_owned())),
            None => Ok((header, table)),
        }
    }

    /// The name of a file.
    pub fn file(&self, file: u32) -> &str {
        &self.files[file as usize]
    }

    /// The places of a branch: the innermost one first, then the calls through which it was inlined.
    pub fn places<'t>(&'t self, branch: &BranchTable) -> impl Iterator<Item = NamedPlace<'t>> + use<'t> {
        let places = std::iter::successors(branch.place, |&place| self.places[place as usize].inlined_at);
        places.map(|place| {
            let IndexedPlace { file, line, column, .. } = self.places[place as usize];
            NamedPlace { file: self.file(file), line, column }
        })
    }

    /// `file:line:column inlined at …`, empty without debug information.
    pub fn location(&self, branch: &BranchTable) -> String {
        let places: Vec<String> =
            self.places(branch).map(|place| format!("{}:{}:{}", place.file, place.line, place.column)).collect();
        places.join(" inlined at ")
    }

    /// The place that a reader expects: the innermost in the user's own sources.
    pub fn shown(&self, branch: &BranchTable) -> Option<NamedPlace<'_>> {
        let places: Vec<(&str, u32)> = self.places(branch).map(|place| (place.file, place.line)).collect();
        self.places(branch).nth(warpwise_ir::source::shown(&places)?)
    }

    /// A reference to something that does not exist, if there is one, so that readers need not check.
    fn flaw(&self, words: u32) -> Option<&'static str> {
        let no_file = |file: u32| file as usize >= self.files.len();
        let mut places = (0u32..).zip(&self.places);
        if places.any(|(own, place)| no_file(place.file) || place.inlined_at.is_some_and(|outer| outer >= own)) {
            return Some("a place lies outside the files");
        }
        for function in &self.functions {
            let blocks = function.blocks.len() as u32;
            if function.place.is_some_and(|place| no_file(place.0)) || function.lines.iter().any(|l| no_file(l.file)) {
                return Some("a line lies outside the files");
            }
            if function.launches.is_some_and(|word| word >= words) {
                return Some("a counter of launches lies outside");
            }
            if function.blocks.iter().flat_map(|block| &block.next).any(|&next| next >= blocks) {
                return Some("a block leads outside its function");
            }
            if function.conditions.iter().any(|condition| condition.held.is_some_and(|word| word >= words)) {
                return Some("a counter of a condition lies outside");
            }
            for branch in &function.branches {
                if branch.conditions.iter().any(|&condition| condition as usize >= function.conditions.len()) {
                    return Some("a branch has a condition that is not there");
                }
                if branch.block >= blocks || branch.targets.iter().any(|&target| target >= blocks) {
                    return Some("a branch leads outside its function");
                }
                if branch.place.is_some_and(|place| place as usize >= self.places.len()) {
                    return Some("a branch has a place that is not there");
                }
                let end = branch.slot.map(|slot| u64::from(slot) + branch.targets.len() as u64 + 2);
                if branch.targets.is_empty() || end.is_some_and(|end| end > u64::from(words)) {
                    return Some("a branch's counters lie outside");
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::condition::{Bound, Term};

    fn sample() -> Table {
        let place = |file, line, column, inlined_at| IndexedPlace { file, line, column, inlined_at };
        let block = |name: &str, next: &[u32]| BlockTable {
            name: name.to_owned(),
            lines: [12, 300],
            size: 9,
            next: next.to_vec(),
        };
        let branch = BranchTable {
            block: 0,
            place: Some(1),
            is_divergent: true,
            depth: 2,
            targets: vec![1, 0],
            slot: Some(4),
            why: Some("it depends".to_owned()),
            conditions: vec![0],
        };
        let limit = vec![Term::Argument { index: 1, bits: 32 }];
        let bound = Bound { dim: 0, in_grid: true, extent: None, plus: -3, limit };
        let text = "gridDim.x * blockDim.x - 3 <= n".to_owned();
        let condition = ConditionTable { text, predicate: Predicate::Covered(vec![bound]), held: Some(1) };
        let function = FunctionTable {
            symbol: "_Z1kPi".to_owned(),
            is_kernel: true,
            launches: Some(0),
            place: Some((0, 12)),
            shape: None,
            values: [1, 200, 3],
            lines: vec![LineTable { file: 0, line: 13, text: String::new(), notes: vec!["far apart".to_owned()] }],
            conditions: vec![condition],
            blocks: vec![block("%entry", &[1, 0, 1]), block("%200", &[0])],
            branches: vec![branch],
        };
        let files = vec!["a.cu".to_owned(), "b.h".to_owned()];
        let places = vec![place(0, 300, 4, None), place(1, 7, 1, Some(0))];
        Table { files, places, functions: vec![function], ..Table::new("a.cu") }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = sample().encode(2, 8);
        let (header, table) = Table::decode(&bytes).expect("it is one");
        assert_eq!((header.replicas, header.words), (2, 8));
        assert_eq!(format!("{table:?}"), format!("{:?}", sample()));
        let branch = &table.functions[0].branches[0];
        assert_eq!(table.location(branch), "b.h:7:1 inlined at a.cu:300:4");
        assert_eq!(table.shown(branch).map(|place| (place.file, place.line)), Some(("b.h", 7)));
        let mut later = bytes;
        for found in ['2', '4'] {
            later[7] = found as u8;
            assert_eq!(Table::decode(&later).unwrap_err(), TableError::Version { found });
        }
    }

    #[test]
    fn what_points_outside_is_refused() {
        let damaged = |change: fn(&mut Table)| {
            let mut table = sample();
            change(&mut table);
            assert!(matches!(Table::decode(&table.encode(1, 8)), Err(TableError::Damaged(_))));
        };
        damaged(|table| table.places[0].inlined_at = Some(0));
        damaged(|table| table.places[0].file = 2);
        damaged(|table| table.functions[0].lines[0].file = 2);
        damaged(|table| table.functions[0].launches = Some(8));
        damaged(|table| table.functions[0].conditions[0].held = Some(8));
        damaged(|table| table.functions[0].conditions.clear());
        damaged(|table| table.functions[0].blocks[1].next[0] = 2);
        damaged(|table| table.functions[0].branches[0].place = Some(2));
        damaged(|table| table.functions[0].branches[0].slot = Some(5));
        damaged(|table| table.functions[0].branches[0].targets.clear());
    }

    #[test]
    fn cut_or_damaged_bytes_are_noticed() {
        let bytes = sample().encode(2, 8);
        for at in (8..16).chain(HEADER..bytes.len()) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(matches!(Table::decode(&damaged), Err(TableError::Damaged(_))), "byte {at}");
        }
        for length in 0..bytes.len() {
            assert!(matches!(Table::decode(&bytes[..length]), Err(TableError::Truncated { .. })), "{length} bytes");
        }
        let description = &bytes[HEADER..];
        for length in 0..description.len() {
            assert!(postcard::from_bytes::<Table>(&description[..length]).is_err(), "{length} bytes");
        }
    }
}
