//! How are the fields of a function read without a call per field? Batches of flat records, filled by `walk.cpp`.
//!
//! Mirrors `walk.h`. Addresses of LLVM objects cross as integers and are only compared, or turned back into handles
//! here.

use super::handle::{Block, Function, Type, Value};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};

/// One instruction as the walker writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Record {
    ty: LLVMTypeRef,
    pub operand_count: u32,
    /// Alignment of memory accesses; first index of extractvalue and insertvalue; successors of a terminator.
    pub aux: u32,
    pub flags: u16,
    pub opcode: u8,
    pub sub: u8,
}

impl Record {
    const BLANK: Record = Record { ty: std::ptr::null_mut(), operand_count: 0, aux: 0, flags: 0, opcode: 0, sub: 0 };

    /// Address of the result type: equal types have equal addresses.
    pub fn type_address(&self) -> usize {
        self.ty as usize
    }
}

#[repr(C)]
struct Cursor {
    block: LLVMBasicBlockRef,
    inst: LLVMValueRef,
}

#[repr(C)]
struct RawBatch {
    insts: *mut Record,
    inst_capacity: u32,
    inst_count: u32,
    operands: *mut usize,
    operand_capacity: u32,
    operand_count: u32,
    blocks: *mut u32,
    block_capacity: u32,
    block_count: u32,
    words: *mut u64,
    word_capacity: u32,
    word_count: u32,
}

/// Metadata kinds that become flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FlagKinds {
    pub invariant_load: u32,
    pub noundef: u32,
    pub uniform: u32,
}

unsafe extern "C" {
    fn warpwise_walk_count(function: LLVMValueRef, blocks: *mut u32, numbers: *mut u32);
    fn warpwise_walk_list(
        function: LLVMValueRef,
        cursor: *mut Cursor,
        block: *mut u32,
        listed: u32,
        insts: *mut LLVMValueRef,
        capacity: u32,
        blocks: *mut LLVMBasicBlockRef,
        ends: *mut u32,
        index_of_number: *mut u32,
    ) -> u32;
    fn warpwise_walk(
        function: LLVMValueRef,
        cursor: *mut Cursor,
        batch: *mut RawBatch,
        kinds: *const FlagKinds,
        index_of_number: *const u32,
    ) -> bool;
}

/// Records of some consecutive instructions; slices of operands, blocks and words are consumed in record order.
pub struct Batch {
    pub records: Vec<Record>,
    pub operands: Vec<usize>,
    pub blocks: Vec<u32>,
    pub words: Vec<u64>,
}

/// Records of one batch, then the operands, blocks and words they consume in order.
pub type Parts<'b> = (&'b [Record], &'b [usize], &'b [u32], &'b [u64]);

/// Room made for the instructions of a block before they are counted.
const INSTS_PER_BLOCK: usize = 8;

/// Instructions of a batch: small enough to stay in the first-level cache with their operands.
const BATCH: usize = 256;

/// A walk over one function.
pub struct Walk<'m> {
    function: Function<'m>,
    kinds: FlagKinds,
    cursor: Cursor,
    done: bool,
    index_of_number: Vec<u32>,
    batch: Batch,
}

/// Blocks and instructions of a function, in order.
pub struct Listing<'m> {
    pub blocks: Vec<Block<'m>>,
    /// The end of each block in instruction order.
    pub ends: Vec<u32>,
}

impl<'m> Walk<'m> {
    /// Lists a function's blocks and instructions (appended to `values`) and stands at its beginning.
    pub fn new(function: Function<'m>, kinds: FlagKinds, values: &mut Vec<Value<'m>>) -> (Self, Listing<'m>) {
        let (mut blocks, mut numbers) = (0, 0);
        // SAFETY: the function is alive and has a body; the counts are written to locals.
        unsafe { warpwise_walk_count(function.raw(), &mut blocks, &mut numbers) };
        let blocks = blocks as usize;
        let mut listing = Listing { blocks: Vec::with_capacity(blocks), ends: vec![0; blocks] };
        let mut index_of_number = vec![0; numbers as usize];
        let first = values.len();
        let mut cursor = Cursor { block: std::ptr::null_mut(), inst: std::ptr::null_mut() };
        let mut block = 0;
        loop {
            let listed = (values.len() - first) as u32;
            values.reserve((INSTS_PER_BLOCK * blocks).max(values.len() / 4));
            let room = values.capacity() - values.len();
            // SAFETY: there is room for `room` more values and for all blocks; handles are transparent wrappers of
            // non-null references, and the walker writes as many as it says.
            let count = unsafe {
                let count = warpwise_walk_list(
                    function.raw(),
                    &mut cursor,
                    &mut block,
                    listed,
                    values.as_mut_ptr().add(values.len()).cast(),
                    room as u32,
                    listing.blocks.as_mut_ptr().cast(),
                    listing.ends.as_mut_ptr(),
                    index_of_number.as_mut_ptr(),
                );
                values.set_len(values.len() + count as usize);
                count
            };
            if cursor.block.is_null() || count == 0 {
                break;
            }
        }
        // SAFETY: the walker filled one entry for each block.
        unsafe { listing.blocks.set_len(block as usize) };
        let insts = values.len() - first;
        let batch = Batch {
            records: vec![Record::BLANK; BATCH.min(insts.max(1))],
            operands: vec![0; 4 * BATCH.min(insts.max(8))],
            blocks: vec![0; 2 * BATCH.min(insts.max(8))],
            words: vec![0; 8 * BATCH.min(insts.max(8))],
        };
        let cursor = Cursor { block: std::ptr::null_mut(), inst: std::ptr::null_mut() };
        (Walk { function, kinds, cursor, done: false, index_of_number, batch }, listing)
    }

    /// The next records with their parts; `None` at the end.
    pub fn next_batch(&mut self) -> Option<Parts<'_>> {
        while !self.done {
            let batch = &mut self.batch;
            let mut raw = RawBatch {
                insts: batch.records.as_mut_ptr(),
                inst_capacity: batch.records.len() as u32,
                inst_count: 0,
                operands: batch.operands.as_mut_ptr(),
                operand_capacity: batch.operands.len() as u32,
                operand_count: 0,
                blocks: batch.blocks.as_mut_ptr(),
                block_capacity: batch.blocks.len() as u32,
                block_count: 0,
                words: batch.words.as_mut_ptr(),
                word_capacity: batch.words.len() as u32,
                word_count: 0,
            };
            // SAFETY: capacities are those of the buffers; the walker writes within them and reports how much.
            let more = unsafe {
                warpwise_walk(
                    self.function.raw(),
                    &mut self.cursor,
                    &mut raw,
                    &self.kinds,
                    self.index_of_number.as_ptr(),
                )
            };
            self.done = !more;
            if more && raw.inst_count == 0 {
                // one instruction larger than the buffers: a huge phi, switch or call
                batch.operands.resize(batch.operands.len() * 4, 0);
                batch.blocks.resize(batch.blocks.len() * 4, 0);
                batch.words.resize(batch.words.len() * 4, 0);
                continue;
            }
            let batch = &self.batch;
            return Some((
                &batch.records[..raw.inst_count as usize],
                &batch.operands[..raw.operand_count as usize],
                &batch.blocks[..raw.block_count as usize],
                &batch.words[..raw.word_count as usize],
            ));
        }
        None
    }

    /// The value behind an operand's address.
    pub fn value(address: usize) -> Value<'m> {
        // SAFETY: the walker wrote the address of a live operand of the function.
        unsafe { Value::from_raw(address as LLVMValueRef) }.expect("operands are not null")
    }

    /// The type behind a record's type address.
    pub fn ty(record: &Record) -> Type<'m> {
        // SAFETY: the walker wrote the type of a live instruction.
        unsafe { Type::from_raw(record.ty) }.expect("types are not null")
    }
}
