//! What do a module's counters count? The description that travels with the device code and with every map.
//!
//! A table is a header of [`HEADER`] bytes, little end first, and a [description](super::packed):
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `WARPTBL` and the format's version as a digit |
//! | 8–15 | hash of the description: modules with equal hashes have equal tables |
//! | 16–19 | replicas of the counters |
//! | 20–23 | 64-bit words of a replica |
//! | 24–27 | bytes of the description, right behind the header |
//! | 28–31 | the same |
//!
//! The counters are `replicas × words` 64-bit words; a count is the sum over the replicas. The hash is FNV-1a over 64-bit
//! words, the last one filled up with zeros.
//!
//! In version 1, which is still read, the description is JSON compressed with deflate (zlib), bytes 28–31 are its length before
//! that, and the hash is FNV-1a over its bytes.

use super::packed;
use super::plan::FIXED_WORDS;
use crate::report::model::FunctionReport;
use flate2::read::ZlibDecoder;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// Bytes before the description.
pub const HEADER: usize = 32;
/// First bytes of a table.
pub const MAGIC: &[u8; 8] = b"WARPTBL2";
/// The version before.
const OLD: u8 = b'1';
/// A description is never larger than this, plain.
const MOST_TEXT: u32 = 1 << 28;

/// A module's branches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Which warpwise wrote it.
    pub producer: String,
    /// The source file, as the compiler was given it.
    pub source: String,
    pub functions: Vec<FunctionTable>,
}

/// A function with a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionTable {
    /// What the analysis has to say of it.
    pub report: FunctionReport,
    /// Word that counts a kernel's launches.
    pub launches: Option<u32>,
    pub blocks: Vec<BlockTable>,
    pub branches: Vec<BranchTable>,
}

/// A basic block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockTable {
    pub name: String,
    /// First and last line of the source it comes from, in the function's own file; zero where there is none.
    pub lines: [u32; 2],
    /// Instructions of the IR.
    pub size: u32,
    /// Blocks that may come next.
    pub next: Vec<u32>,
}

/// A conditional branch or switch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BranchTable {
    /// The block it ends.
    pub block: u32,
    /// Where it stands in the source: the innermost place first, then the calls it was inlined at.
    pub places: Vec<PlaceTable>,
    /// The analysis says that lanes of a warp may part.
    pub is_divergent: bool,
    /// Why, in words.
    pub why: Option<String>,
    /// Loops around it.
    pub depth: u32,
    /// Different blocks it leads to.
    pub targets: Vec<u32>,
    /// First word of its record; absent if it is not counted.
    pub slot: Option<u32>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlaceTable {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl BranchTable {
    /// Words of its record.
    pub fn words(&self) -> u32 {
        FIXED_WORDS + self.targets.len() as u32 - 1
    }
    /// `file:line:column inlined at …`, empty without debug information.
    pub fn location(&self) -> String {
        let places: Vec<String> =
            self.places.iter().map(|place| format!("{}:{}:{}", place.file, place.line, place.column)).collect();
        places.join(" inlined at ")
    }
    /// The place a reader looks for: the innermost one in the file of the function itself.
    pub fn shown(&self) -> Option<&PlaceTable> {
        let own = &self.places.last()?.file;
        self.places.iter().find(|place| place.line > 0 && place.file == *own)
    }
}

/// Why a table cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    #[error("it does not begin as a warpwise table does")]
    Foreign,
    #[error("it was written in version {found} of the format, and this warpwise reads versions 1 and 2")]
    Version { found: char },
    #[error("it is cut off: {wanted} bytes were written, {found} are there")]
    Truncated { wanted: usize, found: usize },
    #[error("its contents are damaged: {0}")]
    Damaged(String),
}

/// What the header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub hash: u64,
    pub replicas: u32,
    pub words: u32,
    packed: u32,
    plain: u32,
    is_old: bool,
}

impl Header {
    /// Reads the first bytes of a table.
    pub fn read(bytes: &[u8]) -> Result<Header, TableError> {
        if bytes.len() < HEADER {
            return Err(TableError::Truncated { wanted: HEADER, found: bytes.len() });
        }
        if bytes[..7] != MAGIC[..7] {
            return Err(TableError::Foreign);
        }
        let is_old = bytes[7] == OLD;
        if bytes[7] != MAGIC[7] && !is_old {
            return Err(TableError::Version { found: bytes[7].into() });
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let hash = u64::from(word(8)) | u64::from(word(12)) << 32;
        Ok(Header { hash, replicas: word(16), words: word(20), packed: word(24), plain: word(28), is_old })
    }
    /// Bytes of the whole table.
    pub fn length(&self) -> usize {
        HEADER + self.packed as usize
    }
}

impl Table {
    /// A table without functions.
    pub fn new(source: &str) -> Table {
        Table { producer: producer(), source: source.to_owned(), functions: Vec::new() }
    }

    /// A table's bytes around its description.
    pub fn encode(description: &[u8], replicas: u32, words: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + description.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&hash_words(description).to_le_bytes());
        let length = description.len() as u32;
        for number in [replicas, words, length, length] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(description);
        bytes
    }

    /// Reads a table.
    pub fn decode(bytes: &[u8]) -> Result<(Header, Table), TableError> {
        let header = Header::read(bytes)?;
        let Some(packed) = bytes.get(HEADER..header.length()) else {
            return Err(TableError::Truncated { wanted: header.length(), found: bytes.len() });
        };
        let table = if header.is_old {
            Table::decode_old(&header, packed)?
        } else {
            if hash_words(packed) != header.hash {
                return Err(TableError::Damaged("the description does not have its hash".to_owned()));
            }
            packed::read(packed).ok_or_else(|| TableError::Damaged("the description ends early".to_owned()))?
        };
        table.check(header.words)?;
        Ok((header, table))
    }

    fn decode_old(header: &Header, packed: &[u8]) -> Result<Table, TableError> {
        if header.plain > MOST_TEXT {
            return Err(TableError::Damaged(format!("a description of {} bytes", header.plain)));
        }
        let mut text = Vec::with_capacity(header.plain as usize);
        let mut reader = ZlibDecoder::new(packed).take(u64::from(header.plain) + 1);
        reader.read_to_end(&mut text).map_err(|error| TableError::Damaged(error.to_string()))?;
        if hash(&text) != header.hash {
            return Err(TableError::Damaged("the description does not have its hash".to_owned()));
        }
        serde_json::from_slice(&text).map_err(|error| TableError::Damaged(error.to_string()))
    }

    /// Takes the reasons why branches diverge from a table of the same code: of a function of the same name the branch at
    /// the same place, the first one that is left.
    pub fn take_reasons(&mut self, described: &Table) {
        for function in &mut self.functions {
            let same = described.functions.iter().find(|other| other.report.symbol == function.report.symbol);
            let others = same.into_iter().flat_map(|same| &same.branches);
            let mut others: Vec<&BranchTable> = others.filter(|branch| branch.is_divergent).collect();
            for branch in function.branches.iter_mut().filter(|branch| branch.is_divergent) {
                let alike = others.iter().position(|other| {
                    (&other.places, other.depth, other.targets.len())
                        == (&branch.places, branch.depth, branch.targets.len())
                });
                if let Some(other) = alike.map(|position| others.remove(position)) {
                    branch.why.clone_from(&other.why);
                }
            }
        }
    }

    /// Nothing points outside, so that no reader has to look.
    fn check(&self, words: u32) -> Result<(), TableError> {
        let damaged = |what: &str| Err(TableError::Damaged(what.to_owned()));
        for function in &self.functions {
            let blocks = function.blocks.len() as u32;
            if function.launches.is_some_and(|word| word >= words) {
                return damaged("a counter of launches lies outside");
            }
            if function.blocks.iter().flat_map(|block| &block.next).any(|&next| next >= blocks) {
                return damaged("a block leads outside its function");
            }
            for branch in &function.branches {
                if branch.block >= blocks || branch.targets.iter().any(|&target| target >= blocks) {
                    return damaged("a branch leads outside its function");
                }
                let end = branch.slot.map(|slot| u64::from(slot) + u64::from(branch.words().max(1)));
                if branch.targets.is_empty() || end.is_some_and(|end| end > u64::from(words)) {
                    return damaged("a branch's counters lie outside");
                }
            }
        }
        Ok(())
    }
}

/// FNV-1a.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// FNV-1a over words of eight bytes, the last one filled up with zeros.
fn hash_words(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Who writes tables.
pub fn producer() -> String {
    format!("warpwise {}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    /// As version 1 wrote it.
    fn old() -> Vec<u8> {
        let text = r#"{"producer":"warpwise 0","source":"k.cu","functions":[{"report":{"name":"k","symbol":"k","is_kernel":true,
            "place":null,"block":null,"values":{"uniform":1,"affine":2,"divergent":3},"branches":{"total":1,"divergent":[]},
            "accesses":[],"locals":[],"lines":[]},"launches":0,"blocks":[{"name":"%a","lines":[0,0],"size":3,"next":[1,0]},
            {"name":"%b","lines":[4,5],"size":1,"next":[]}],"branches":[{"block":0,"places":[{"file":"k.cu","line":4,
            "column":2}],"is_divergent":true,"why":"so","depth":1,"targets":[1,0],"slot":4}]}]}"#;
        let mut bytes = b"WARPTBL1".to_vec();
        bytes.extend_from_slice(&hash(text.as_bytes()).to_le_bytes());
        for number in [1, 8, 0, text.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let mut packer = ZlibEncoder::new(bytes, Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        let mut bytes = packer.finish().unwrap();
        let packed = (bytes.len() - HEADER) as u32;
        bytes[24..28].copy_from_slice(&packed.to_le_bytes());
        bytes
    }

    #[test]
    fn tables_of_the_version_before_are_read() {
        let (header, table) = Table::decode(&old()).expect("it is one");
        assert_eq!((header.replicas, header.words), (1, 8));
        assert_eq!(table.functions[0].branches[0].why.as_deref(), Some("so"));
        let mut later = old();
        later[7] = b'3';
        assert_eq!(Table::decode(&later).unwrap_err(), TableError::Version { found: '3' });
    }

    #[test]
    fn every_flipped_byte_of_a_description_is_noticed() {
        let bytes = Table::encode(&packed::Packer::default().finish("warpwise", "k.cu"), 2, 16);
        assert!(Table::decode(&bytes).is_ok());
        for at in (8..16).chain(HEADER..bytes.len()) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(matches!(Table::decode(&damaged), Err(TableError::Damaged(_))), "byte {at}");
        }
        assert!(matches!(Table::decode(&bytes[..bytes.len() - 1]), Err(TableError::Truncated { .. })));
    }
}
