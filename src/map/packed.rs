//! How is a description laid out in bytes? Both directions.
//!
//! A description is written at each compilation and read by few, so it is flat and holds no text that a reader can make
//! himself. *Numbers* are LEB128: seven bits a byte, the lowest first, the eighth says that more follow. *Signed* numbers are
//! `2n` or `-2n - 1`. *Optional* ones are one more than they are, and zero for none. A *text* is its length and its bytes.
//!
//! | part | what |
//! |---|---|
//! | head | texts: who wrote it, the source file |
//! | files | their number; for each a text |
//! | places | their number; for each: file, line, column, and the optional number of an earlier place that it was inlined at |
//! | functions | their number; for each what follows |
//!
//! | of a function | |
//! |---|---|
//! | symbol | text |
//! | is it a kernel | 0 or 1 |
//! | word that counts launches | optional |
//! | where it stands | optional file, line |
//! | shape of the block | text, empty if unknown |
//! | values | numbers of uniform, affine and divergent ones |
//! | notes | number of lines; for each: file, line, its text, number of notes, for each a text |
//! | blocks | their number; for each: name as a text, or 0 and LLVM's number; first line, lines more; instructions; number of successors, for each how many blocks further on it is, signed |
//! | branches | their number; for each: blocks since that of the branch before; optional place; bits (1: divergent, 2: counted, 4: with reasons) and above them loops around; first word of its record if it is counted; reasons as a text if there are any |
//!
//! Targets of a branch are the different successors of its block.

use super::table::{BlockTable, BranchTable, FunctionTable, PlaceTable, Table};
use crate::explain::expression::plain_symbol;
use crate::report::model::{Agreement, Branches, Counts, FunctionReport, LineOf, LineReport};
use rustc_hash::FxHashMap;

const DIVERGENT: u32 = 1;
const COUNTED: u32 = 2;
const REASONS: u32 = 4;
const BITS: u32 = 3;

/// Writes numbers and texts.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
    fn optional(&mut self, number: Option<u32>) {
        self.number(number.map_or(0, |number| number.saturating_add(1)));
    }
    fn signed(&mut self, number: i32) {
        self.number(((number << 1) ^ (number >> 31)) as u32);
    }
    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// Writes a description, part by part.
#[derive(Default)]
pub struct Packer {
    files: Vec<String>,
    known_files: FxHashMap<String, u32>,
    places: Bytes,
    place_count: u32,
    functions: Bytes,
    function_count: u32,
}

/// What comes first of a function.
pub struct Head<'a> {
    pub symbol: &'a str,
    pub is_kernel: bool,
    pub launches: Option<u32>,
    /// File and line.
    pub place: Option<(u32, u32)>,
    pub shape: &'a str,
    pub values: Counts,
}

/// What is said of a branch.
pub struct Branch<'a> {
    /// Blocks since that of the branch before.
    pub further: u32,
    pub place: Option<u32>,
    pub is_divergent: bool,
    pub depth: u32,
    pub slot: Option<u32>,
    pub why: Option<&'a str>,
}

impl Packer {
    /// The number of a file.
    pub fn file(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.known_files.get(name) {
            return known;
        }
        let number = self.files.len() as u32;
        self.files.push(name.to_owned());
        self.known_files.insert(name.to_owned(), number);
        number
    }

    /// The number of a new place.
    pub fn place(&mut self, file: u32, line: u32, column: u32, inlined_at: Option<u32>) -> u32 {
        self.places.number(file);
        self.places.number(line);
        self.places.number(column);
        self.places.optional(inlined_at);
        self.place_count += 1;
        self.place_count - 1
    }

    /// Begins a function.
    pub fn head(&mut self, head: &Head<'_>) {
        self.function_count += 1;
        let out = &mut self.functions;
        out.text(head.symbol);
        out.number(head.is_kernel.into());
        out.optional(head.launches);
        out.optional(head.place.map(|place| place.0));
        out.number(head.place.map_or(0, |place| place.1));
        out.text(head.shape);
        for values in [head.values.uniform, head.values.affine, head.values.divergent] {
            out.number(values);
        }
    }

    /// Says how many lines, blocks or branches follow.
    pub fn count(&mut self, count: usize) {
        self.functions.number(count as u32);
    }

    /// A line and what there is to say of it.
    pub fn line(&mut self, line: &LineReport) {
        let file = self.file(&line.place.file);
        let out = &mut self.functions;
        out.number(file);
        out.number(line.place.line);
        out.text(line.text.as_deref().unwrap_or(""));
        out.number(line.notes.len() as u32);
        line.notes.iter().for_each(|note| out.text(note));
    }

    /// A block by its name or number; `next` says how many blocks further on its successors are.
    pub fn block(
        &mut self,
        name: Result<&str, u32>,
        lines: [u32; 2],
        size: u32,
        next: impl ExactSizeIterator<Item = i32>,
    ) {
        let out = &mut self.functions;
        match name {
            Ok(name) => out.text(name),
            Err(number) => {
                out.number(0);
                out.number(number);
            }
        }
        out.number(lines[0]);
        out.number(lines[1] - lines[0]);
        out.number(size);
        out.number(next.len() as u32);
        next.for_each(|further| out.signed(further));
    }

    /// A branch.
    pub fn branch(&mut self, branch: &Branch<'_>) {
        let out = &mut self.functions;
        out.number(branch.further);
        out.optional(branch.place);
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        let bits = bit(branch.is_divergent, DIVERGENT) | bit(branch.slot.is_some(), COUNTED);
        out.number(bits | bit(branch.why.is_some(), REASONS) | branch.depth << BITS);
        if let Some(slot) = branch.slot {
            out.number(slot);
        }
        if let Some(why) = branch.why {
            out.text(why);
        }
    }

    /// The description.
    pub fn finish(self, producer: &str, source: &str) -> Vec<u8> {
        let mut out = Bytes(Vec::with_capacity(self.places.0.len() + self.functions.0.len() + 256));
        out.text(producer);
        out.text(source);
        out.number(self.files.len() as u32);
        self.files.iter().for_each(|file| out.text(file));
        out.number(self.place_count);
        out.0.extend_from_slice(&self.places.0);
        out.number(self.function_count);
        out.0.extend_from_slice(&self.functions.0);
        out.0
    }
}

/// Reads a description; `None` where it is not one.
pub fn read(bytes: &[u8]) -> Option<Table> {
    let mut reader = Reader { rest: bytes, files: Vec::new(), places: Vec::new() };
    let (producer, source) = (reader.text()?, reader.text()?);
    for _ in 0..reader.number()? {
        let file = reader.text()?;
        reader.files.push(file);
    }
    for number in 0..reader.number()? {
        let (file, line, column) = (reader.number()?, reader.number()?, reader.number()?);
        let inlined_at = reader.optional()?;
        if file as usize >= reader.files.len() || inlined_at.is_some_and(|outer| outer >= number) {
            return None;
        }
        reader.places.push((file, line, column, inlined_at));
    }
    let mut functions = Vec::new();
    for _ in 0..reader.number()? {
        functions.push(reader.function()?);
    }
    reader.rest.is_empty().then_some(Table { producer, source, functions })
}

struct Reader<'a> {
    rest: &'a [u8],
    files: Vec<String>,
    places: Vec<(u32, u32, u32, Option<u32>)>,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).ok();
            }
        }
        None
    }
    fn optional(&mut self) -> Option<Option<u32>> {
        Some(self.number()?.checked_sub(1))
    }
    fn signed(&mut self) -> Option<i32> {
        let number = self.number()?;
        Some((number >> 1) as i32 ^ -((number & 1) as i32))
    }
    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        self.bytes(length)
    }
    fn bytes(&mut self, length: usize) -> Option<String> {
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
    fn file(&self, number: u32) -> Option<String> {
        self.files.get(number as usize).cloned()
    }

    fn function(&mut self) -> Option<FunctionTable> {
        let symbol = self.text()?;
        let is_kernel = self.number()? != 0;
        let launches = self.optional()?;
        let (file, line) = (self.optional()?, self.number()?);
        let place = match file {
            Some(file) => Some(LineOf { file: self.file(file)?, line }),
            None => None,
        };
        let block = Some(self.text()?).filter(|shape| !shape.is_empty());
        let values = Counts { uniform: self.number()?, affine: self.number()?, divergent: self.number()? };
        let mut lines = Vec::new();
        for _ in 0..self.number()? {
            lines.push(self.line()?);
        }
        let mut blocks: Vec<BlockTable> = Vec::new();
        for own in 0..self.number()? {
            blocks.push(self.block(own)?);
        }
        let mut branches = Vec::new();
        let mut at = 0;
        for _ in 0..self.number()? {
            let branch = self.branch(&mut at, &blocks)?;
            branches.push(branch);
        }
        let report = FunctionReport {
            name: plain_symbol(&symbol),
            symbol,
            is_kernel,
            place,
            block,
            values,
            branches: Branches { total: branches.len() as u32, divergent: Vec::new() },
            accesses: Vec::new(),
            locals: Vec::new(),
            lines,
        };
        Some(FunctionTable { report, launches, blocks, branches })
    }

    fn line(&mut self) -> Option<LineReport> {
        let (file, line) = (self.number()?, self.number()?);
        let place = LineOf { file: self.file(file)?, line };
        let text = Some(self.text()?).filter(|text| !text.is_empty());
        let mut notes = Vec::new();
        for _ in 0..self.number()? {
            notes.push(self.text()?);
        }
        Some(LineReport { place, text, class: Agreement::Uniform, values: Vec::new(), notes })
    }

    fn block(&mut self, own: u32) -> Option<BlockTable> {
        let name = match self.number()? {
            0 => format!("%{}", self.number()?),
            length => self.bytes(length as usize)?,
        };
        let first = self.number()?;
        let lines = [first, first.checked_add(self.number()?)?];
        let size = self.number()?;
        let mut next = Vec::new();
        for _ in 0..self.number()? {
            next.push(own.checked_add_signed(self.signed()?)?);
        }
        Some(BlockTable { name, lines, size, next })
    }

    fn branch(&mut self, at: &mut u32, blocks: &[BlockTable]) -> Option<BranchTable> {
        *at = at.checked_add(self.number()?)?;
        let mut places = Vec::new();
        let mut place = self.optional()?;
        while let Some(number) = place {
            let &(file, line, column, inlined_at) = self.places.get(number as usize)?;
            places.push(PlaceTable { file: self.file(file)?, line, column });
            place = inlined_at;
        }
        let bits = self.number()?;
        let slot = if bits & COUNTED != 0 { Some(self.number()?) } else { None };
        let why = if bits & REASONS != 0 { Some(self.text()?) } else { None };
        let mut targets: Vec<u32> = Vec::new();
        for &next in &blocks.get(*at as usize)?.next {
            if !targets.contains(&next) {
                targets.push(next);
            }
        }
        let (is_divergent, depth) = (bits & DIVERGENT != 0, bits >> BITS);
        Some(BranchTable { block: *at, places, is_divergent, why, depth, targets, slot })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut packer = Packer::default();
        let file = packer.file("a.cu");
        let outer = packer.place(file, 300, 4, None);
        let header = packer.file("b.h");
        let inner = packer.place(header, 7, 1, Some(outer));
        let values = Counts { uniform: 1, affine: 200, divergent: 3 };
        let place = Some((file, 12));
        let launches = Some(0);
        packer.head(&Head { symbol: "_Z1kPi", is_kernel: true, launches, place, shape: "32x1x1", values });
        packer.count(1);
        let place = LineOf { file: "a.cu".to_owned(), line: 13 };
        let notes = vec!["global load: far apart".to_owned()];
        let text = Some("x = p[i];".to_owned());
        packer.line(&LineReport { place, text, class: Agreement::Uniform, values: Vec::new(), notes });
        packer.count(2);
        packer.block(Ok("%entry"), [12, 300], 9, [1, 0, 1].into_iter());
        packer.block(Err(200), [0, 0], 1, [-1].into_iter());
        packer.count(1);
        let why = Some("it depends");
        packer.branch(&Branch { further: 0, place: Some(inner), is_divergent: true, depth: 2, slot: Some(4), why });
        packer.finish("warpwise 0", "a.cu")
    }

    #[test]
    fn what_is_written_is_read() {
        let table = read(&sample()).expect("it is one");
        let function = &table.functions[0];
        assert_eq!((function.report.name.as_str(), function.launches), ("k", Some(0)));
        assert_eq!((function.report.values.affine, function.report.lines[0].notes.len()), (200, 1));
        assert_eq!(
            (function.blocks[0].next.as_slice(), function.blocks[1].next.as_slice()),
            (&[1, 0, 1][..], &[0][..])
        );
        assert_eq!((function.blocks[0].lines, function.blocks[1].name.as_str()), ([12, 300], "%200"));
        let branch = &function.branches[0];
        assert_eq!(branch.location(), "b.h:7:1 inlined at a.cu:300:4");
        assert_eq!((branch.targets.as_slice(), branch.depth, branch.slot), (&[1, 0][..], 2, Some(4)));
        assert_eq!((branch.is_divergent, branch.why.as_deref()), (true, Some("it depends")));
    }

    #[test]
    fn cut_or_damaged_bytes_are_no_trap() {
        let bytes = sample();
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_none(), "{length} bytes");
        }
        for at in 0..bytes.len() {
            for flip in [0x01, 0x40, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = read(&damaged);
            }
        }
        assert!(read(&[0xff; 64]).is_none());
    }
}
