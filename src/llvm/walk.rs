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
    /// Address of the result type: equal types have equal addresses.
    pub fn type_address(&self) -> usize {
        self.ty as usize
    }
}

/// The size of a type that GEPs step over.
#[repr(C)]
#[derive(Clone, Copy)]
struct Stride {
    ty: LLVMTypeRef,
    size: u64,
}

/// `WarpwiseCursor` of `walk.h`.
#[repr(C)]
struct Cursor {
    block: LLVMBasicBlockRef,
    inst: LLVMValueRef,
    strides: [Stride; 16],
    pointer_type: LLVMTypeRef,
    index_bits: u64,
}

/// `WarpwiseBatch` of `walk.h`.
#[repr(C)]
struct RawBatch {
    insts: *mut Record,
    addresses: *mut LLVMValueRef,
    ended: *mut LLVMBasicBlockRef,
    ended_numbers: *mut u32,
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
    ended_count: u32,
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
    fn warpwise_walk_numbers(function: LLVMValueRef) -> u32;
    fn warpwise_walk(
        function: LLVMValueRef,
        cursor: *mut Cursor,
        batch: *mut RawBatch,
        kinds: *const FlagKinds,
    ) -> bool;
}

/// What an operand is, in the low bits of its word.
pub mod operand {
    /// The address of an instruction.
    pub const INSTRUCTION: usize = 0;
    /// The address of anything else that is no argument.
    pub const CONSTANT: usize = 1;
    /// No address, but the argument's position times eight.
    pub const ARGUMENT: usize = 2;
    /// The bits that tell.
    pub const MASK: usize = 7;
}

/// Records of some consecutive instructions; operands, blocks and words are consumed in record order.
pub struct Batch<'b, 'm> {
    /// The instructions, one a record.
    pub insts: &'b [Value<'m>],
    /// The blocks that end in this batch.
    pub ended: &'b [Block<'m>],
    pub records: &'b [Record],
    /// See [`operand`].
    pub operands: &'b [usize],
    /// Incoming blocks of phis and successors of terminators, by LLVM's numbers.
    pub blocks: &'b [u32],
    pub words: &'b [u64],
    /// LLVM's numbers of the blocks that end in this batch.
    pub ended_numbers: &'b [u32],
    /// Nothing comes after it.
    pub is_last: bool,
}

/// Instructions of a batch: small enough to stay in the first-level cache with their operands.
const BATCH: usize = 256;
/// `WW_SMALL` of `walk.h`: operands for which, and words, every instruction of a batch has room.
const SMALL: usize = 6;
const SMALL_WORDS: usize = 3 + 2 * SMALL;

/// What a walk writes to; the same for one function after the other.
#[derive(Default)]
pub struct Buffers {
    records: Vec<Record>,
    addresses: Vec<LLVMValueRef>,
    ended: Vec<LLVMBasicBlockRef>,
    operands: Vec<usize>,
    block_numbers: Vec<u32>,
    words: Vec<u64>,
    ended_numbers: Vec<u32>,
}

impl Buffers {
    fn clear(&mut self) {
        let Buffers { records, addresses, ended, operands, block_numbers, words, ended_numbers } = self;
        records.clear();
        addresses.clear();
        ended.clear();
        operands.clear();
        block_numbers.clear();
        words.clear();
        ended_numbers.clear();
    }
    fn make_room(&mut self) {
        // one walk may have left room for a huge instruction, never for more records
        self.records.reserve_exact(BATCH);
        self.addresses.reserve_exact(BATCH);
        self.ended.reserve_exact(BATCH);
        self.ended_numbers.reserve_exact(BATCH);
        self.operands.reserve(SMALL * BATCH);
        self.block_numbers.reserve(SMALL * BATCH);
        self.words.reserve(SMALL_WORDS * BATCH);
    }
}

/// A walk over one function.
pub struct Walk<'m, 'b> {
    function: Function<'m>,
    kinds: FlagKinds,
    cursor: Cursor,
    done: bool,
    buffers: &'b mut Buffers,
}

impl<'m, 'b> Walk<'m, 'b> {
    /// Stands at the beginning of a function that has a body.
    pub fn new(function: Function<'m>, kinds: FlagKinds, buffers: &'b mut Buffers) -> Self {
        buffers.clear();
        buffers.make_room();
        let null = std::ptr::null_mut::<()>();
        let cursor = Cursor {
            block: null.cast(),
            inst: null.cast(),
            strides: [Stride { ty: null.cast(), size: 0 }; 16],
            pointer_type: null.cast(),
            index_bits: 0,
        };
        Walk { function, kinds, cursor, done: false, buffers }
    }

    /// One more than the largest number that LLVM has for a block of the function: about as many as there are.
    pub fn numbers(&self) -> usize {
        // SAFETY: the function is alive.
        unsafe { warpwise_walk_numbers(self.function.raw()) as usize }
    }

    /// The next records with their parts; `None` at the end.
    pub fn next_batch(&mut self) -> Option<Batch<'_, 'm>> {
        while !self.done {
            let to = &mut *self.buffers;
            let mut raw = RawBatch {
                insts: to.records.as_mut_ptr(),
                addresses: to.addresses.as_mut_ptr(),
                ended: to.ended.as_mut_ptr(),
                ended_numbers: to.ended_numbers.as_mut_ptr(),
                inst_capacity: BATCH as u32,
                inst_count: 0,
                operands: to.operands.as_mut_ptr(),
                operand_capacity: to.operands.capacity() as u32,
                operand_count: 0,
                blocks: to.block_numbers.as_mut_ptr(),
                block_capacity: to.block_numbers.capacity() as u32,
                block_count: 0,
                words: to.words.as_mut_ptr(),
                word_capacity: to.words.capacity() as u32,
                word_count: 0,
                ended_count: 0,
            };
            // SAFETY: capacities are those of the buffers (at most one ended block for each record), and the walker
            // writes as many elements as it reports.
            let more = unsafe {
                let more = warpwise_walk(self.function.raw(), &mut self.cursor, &mut raw, &self.kinds);
                to.addresses.set_len(raw.inst_count as usize);
                to.ended.set_len(raw.ended_count as usize);
                to.records.set_len(raw.inst_count as usize);
                to.operands.set_len(raw.operand_count as usize);
                to.block_numbers.set_len(raw.block_count as usize);
                to.words.set_len(raw.word_count as usize);
                to.ended_numbers.set_len(raw.ended_count as usize);
                more
            };
            self.done = !more;
            if more && raw.inst_count == 0 {
                // one instruction larger than the buffers: a huge phi, switch or call
                to.operands.reserve(4 * to.operands.capacity());
                to.block_numbers.reserve(4 * to.block_numbers.capacity());
                to.words.reserve(4 * to.words.capacity());
                continue;
            }
            let to = &*self.buffers;
            // SAFETY: the walker wrote the addresses of live instructions and blocks of the function; handles are
            // transparent wrappers of such references, which are never null.
            let (insts, ended) = unsafe {
                (
                    std::slice::from_raw_parts(to.addresses.as_ptr().cast(), to.addresses.len()),
                    std::slice::from_raw_parts(to.ended.as_ptr().cast(), to.ended.len()),
                )
            };
            return Some(Batch {
                insts,
                ended,
                is_last: !more,
                records: &to.records,
                operands: &to.operands,
                blocks: &to.block_numbers,
                words: &to.words,
                ended_numbers: &to.ended_numbers,
            });
        }
        None
    }

    /// The value behind an operand that is no argument.
    pub fn value(word: usize) -> Value<'m> {
        let address = word & !operand::MASK;
        // SAFETY: the walker wrote the address of a live operand of the function.
        unsafe { Value::from_raw(address as LLVMValueRef) }.expect("operands are not null")
    }

    /// The type behind a record's type address.
    pub fn ty(record: &Record) -> Type<'m> {
        // SAFETY: the walker wrote the type of a live instruction.
        unsafe { Type::from_raw(record.ty) }.expect("types are not null")
    }
}
