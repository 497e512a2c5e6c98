//! Which neighbouring accesses will the back end merge into one?
//!
//! The members of a `float4` are loaded one by one in LLVM IR, and moved as one vector in PTX. A stride of 16 bytes
//! looks wasteful for each member and is perfect for the vector. Such pieces are therefore judged together, at the
//! first one.
//!
//! The rule is a conservative version of that of LLVM's load-store vectorizer: pieces of equal size at consecutive
//! constant distances from one pointer, 8 or 16 bytes together and aligned accordingly, in one block, with nothing
//! between them that might access the memory.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::Func;
use warpwise_ir::call::Memory;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::inst::{Flags, Opcode};

/// Sizes in bytes of the vectors that PTX moves at once, the widest first.
const VECTORS: [u32; 2] = [16, 8];

/// A plain load or store at a constant distance from a pointer.
#[derive(Clone, Copy)]
struct Piece {
    inst: Inst,
    store: bool,
    root: Value,
    offset: i64,
    bytes: u32,
    align: u32,
}

/// The accesses that are pieces of vectors.
#[derive(Default)]
pub(super) struct Pieces {
    /// The first piece of each vector, and the size of the vector in bytes.
    firsts: FxHashMap<Inst, u32>,
    others: FxHashSet<Inst>,
}

impl Pieces {
    /// Looks at every block.
    pub(super) fn new(func: &Func) -> Pieces {
        let mut found = Pieces::default();
        let mut open: Vec<Piece> = Vec::new();
        for block in func.blocks.keys() {
            for inst in func.block_insts(block) {
                let piece = piece(func, inst);
                let goes_on = match piece {
                    Some(piece) => open.first().is_none_or(|first| first.store == piece.store),
                    None => !touches_memory(func, inst),
                };
                if !goes_on {
                    found.close(&mut open);
                }
                open.extend(piece);
            }
            found.close(&mut open);
        }
        found
    }

    /// Forms vectors from neighbouring pieces.
    fn close(&mut self, open: &mut Vec<Piece>) {
        open.sort_by_key(|piece| (piece.root, piece.bytes, piece.offset));
        let mut rest = &open[..];
        while let Some(first) = rest.first() {
            let fits = |total: u32| (total / first.bytes) as usize;
            let is_vector = |&total: &u32| {
                let consecutive = rest.iter().zip(0i64..).take(fits(total)).filter(|(piece, number)| {
                    let place = first.offset + number * i64::from(first.bytes);
                    (piece.root, piece.bytes, piece.offset) == (first.root, first.bytes, place)
                });
                fits(total) > 1 && first.align >= total && consecutive.count() == fits(total)
            };
            let total = VECTORS.into_iter().find(is_vector);
            let (vector, after) = rest.split_at(total.map_or(1, fits));
            if let Some(total) = total {
                self.firsts.insert(first.inst, total);
                self.others.extend(vector[1..].iter().map(|piece| piece.inst));
            }
            rest = after;
        }
        open.clear();
    }

    /// Whether an access is moved together with an earlier one.
    pub(super) fn is_moved_along(&self, inst: Inst) -> bool {
        self.others.contains(&inst)
    }

    /// Bytes that are moved at once, if that is more than the access's own size.
    pub(super) fn bytes(&self, inst: Inst) -> Option<u32> {
        self.firsts.get(&inst).copied()
    }
}

fn piece(func: &Func, inst: Inst) -> Option<Piece> {
    let data = &func.insts[inst];
    let (pointer, moved) = (func.accessed(inst)?, func.moved(inst)?);
    let bytes = u32::try_from(func.type_info(moved).store_size).ok()?;
    if data.flags.intersects(Flags::VOLATILE | Flags::ATOMIC) || !matches!(bytes, 1 | 2 | 4 | 8) {
        return None;
    }
    let (root, offset) = func.without_offset(pointer);
    Some(Piece { inst, store: data.opcode == Opcode::Store, root, offset, bytes, align: data.align() })
}

/// Whether an instruction that is not a piece separates the pieces before and after it.
fn touches_memory(func: &Func, inst: Inst) -> bool {
    match func.insts[inst].opcode {
        Opcode::Load | Opcode::Store | Opcode::AtomicRmw | Opcode::CmpXchg | Opcode::Fence | Opcode::Other => true,
        Opcode::Call => func.call(inst).memory != Memory::None,
        _ => false,
    }
}
