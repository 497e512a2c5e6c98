//! What do a module's counters count? The description that travels with the device code and with every map.
//!
//! A table is a header of [`HEADER`] bytes, little end first, and a description in JSON, compressed with deflate (zlib):
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `WARPTBL` and the format's version as a digit |
//! | 8–15 | hash of the description: modules with equal hashes have equal tables |
//! | 16–19 | replicas of the counters |
//! | 20–23 | 64-bit words of a replica |
//! | 24–27 | bytes of the description, compressed, right behind the header |
//! | 28–31 | bytes of the description, plain |
//!
//! The counters are `replicas × words` 64-bit words; a count is the sum over the replicas.

use super::plan::{FIXED_WORDS, FunctionPlan};
use crate::divergence::Facts;
use crate::divergence::causes::Causes;
use crate::divergence::remarks::explain;
use crate::divergence::words::Words;
use crate::kernel::entity::Block;
use crate::kernel::handles::Handles;
use crate::kernel::names::Names;
use crate::llvm::handle::DebugLoc;
use crate::report::model::{self, FunctionReport};
use crate::report::source::Sources;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// Bytes before the description.
pub const HEADER: usize = 32;
/// First bytes of a table.
pub const MAGIC: &[u8; 8] = b"WARPTBL1";
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
    #[error("it was written in version {found} of the format, and this warpwise reads version 1")]
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
        if bytes[7] != MAGIC[7] {
            return Err(TableError::Version { found: bytes[7].into() });
        }
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let hash = u64::from(word(8)) | u64::from(word(12)) << 32;
        Ok(Header { hash, replicas: word(16), words: word(20), packed: word(24), plain: word(28) })
    }
    /// Bytes of the whole table.
    pub fn length(&self) -> usize {
        HEADER + self.packed as usize
    }
}

impl Table {
    /// A table without functions.
    pub fn new(source: &str) -> Table {
        let producer = format!("warpwise {}", env!("CARGO_PKG_VERSION"));
        Table { producer, source: source.to_owned(), functions: Vec::new() }
    }

    /// The table as bytes.
    pub fn encode(&self, replicas: u32, words: u32) -> Vec<u8> {
        let text = serde_json::to_vec(self).expect("a table is plain data");
        let mut bytes = Vec::with_capacity(HEADER + text.len() / 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&hash(&text).to_le_bytes());
        for number in [replicas, words, 0, text.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let mut packer = ZlibEncoder::new(bytes, Compression::fast());
        packer.write_all(&text).expect("writing to memory does not fail");
        let mut bytes = packer.finish().expect("writing to memory does not fail");
        let packed = (bytes.len() - HEADER) as u32;
        bytes[24..28].copy_from_slice(&packed.to_le_bytes());
        bytes
    }

    /// Reads a table.
    pub fn decode(bytes: &[u8]) -> Result<(Header, Table), TableError> {
        let header = Header::read(bytes)?;
        let Some(packed) = bytes.get(HEADER..header.length()) else {
            return Err(TableError::Truncated { wanted: header.length(), found: bytes.len() });
        };
        if header.plain > MOST_TEXT {
            return Err(TableError::Damaged(format!("a description of {} bytes", header.plain)));
        }
        let mut text = Vec::with_capacity(header.plain as usize);
        let mut reader = ZlibDecoder::new(packed).take(u64::from(header.plain) + 1);
        reader.read_to_end(&mut text).map_err(|error| TableError::Damaged(error.to_string()))?;
        if hash(&text) != header.hash {
            return Err(TableError::Damaged("the description does not have its hash".to_owned()));
        }
        let table: Table = serde_json::from_slice(&text).map_err(|error| TableError::Damaged(error.to_string()))?;
        table.check(header.words)?;
        Ok((header, table))
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

/// Describes a function and what is counted of it.
pub fn of_function(facts: &Facts, handles: &Handles<'_>, plan: &FunctionPlan, sources: &mut Sources) -> FunctionTable {
    let kernel = &facts.kernel;
    let words = Words::new(facts, handles);
    let names = Names::new(kernel, handles);
    let report = model::of_function(facts, handles, sources);
    let own_file = report.place.as_ref().map(|place| place.file.clone());
    let blocks = kernel.blocks.keys().map(|block| BlockTable {
        name: names.block(handles, block),
        lines: lines_of(facts, &words, block, own_file.as_deref()),
        size: kernel.blocks[block].end - kernel.blocks[block].first,
        next: kernel.graph.succs(block).iter().map(|next| next.as_u32()).collect(),
    });
    let causes = Causes::new(facts);
    let cycles = &facts.cfg().cycles;
    let branches = plan.branches.iter().map(|branch| {
        let is_divergent = facts.is_divergent_branch(branch.block);
        let chain = if is_divergent { causes.of_branch(branch.block) } else { None };
        BranchTable {
            block: branch.block.as_u32(),
            places: places(handles.inst(kernel.terminator(branch.block)).debug_loc()),
            is_divergent,
            why: chain.map(|chain| explain(facts, &words, &chain, branch.block)),
            depth: cycles.cycle_of(branch.block).map_or(0, |cycle| cycles.depth(cycle)),
            targets: branch.targets.iter().map(|target| target.as_u32()).collect(),
            slot: branch.slot,
        }
    });
    FunctionTable { launches: plan.launches, blocks: blocks.collect(), branches: branches.collect(), report }
}

fn lines_of(facts: &Facts, words: &Words<'_, '_>, block: Block, own_file: Option<&str>) -> [u32; 2] {
    let mut lines = [0, 0];
    for inst in facts.kernel.block_insts(block) {
        let Some(place) = words.place(inst).filter(|place| Some(place.file.as_str()) == own_file) else { continue };
        lines[0] = if lines[0] == 0 { place.line } else { lines[0].min(place.line) };
        lines[1] = lines[1].max(place.line);
    }
    lines
}

fn places(innermost: Option<DebugLoc<'_>>) -> Vec<PlaceTable> {
    std::iter::successors(innermost, |loc| loc.inlined_at())
        .map(|loc| PlaceTable { file: loc.file(), line: loc.line(), column: loc.column() })
        .collect()
}
