//! How far apart do the lanes of a warp read and write, and what does that cost in memory?
//!
//! 1. **Form** of the address where it is used. If it is missing only because a 32-bit index may wrap, or because it is
//!    unknown whether `tid.x % 32` is the lane, the form is rebuilt under the assumption that it does not and that it is
//!    ([`assume`]), and the answer records the assumption.
//! 2. **Lanes**: the distance of every lane from lane 0, in bytes. If the shape of the block is known, the lanes of
//!    each warp are enumerated; otherwise warps are assumed to lie along x (`tid.x = 32·q + lane`), and the answer
//!    records that.
//! 3. **Cost**: global memory moves sectors of 32 bytes. Shared memory has 32 banks of 4 bytes, and serves 8- and
//!    16-byte accesses in two and four phases. Local memory interleaves the words of a warp's threads, so that lanes
//!    that use the same local address touch neighbouring words.
//!
//! The uniform part of an address is unknown, so the lowest address is assumed to be aligned to a sector (lane 0 to
//! bank 0): the counts are the smallest that the stride allows. The figures are for remarks and for cost estimates
//! (`stack/cache.rs`); no edit relies on them for correctness.

mod assume;
mod cost;
pub mod lane_distance;
mod pieces;
mod say;
mod space;

pub use assume::has_form;
pub use cost::{bank_ways, local_sectors, sectors};
pub use say::describe;
pub use space::space_of;

use crate::affine::form::{Base, Form, Term};
use crate::divergence::facts::Facts;
use assume::address_form;
use cost::cost_of;
use pieces::Pieces;
use smallvec::SmallVec;
use warpwise_ir::entity::{Inst, Value};
use warpwise_ir::geometry::{BlockShape, WARP_SIZE};
use warpwise_ir::inst::Opcode;

/// Bytes of a sector, the unit in which global memory is moved.
pub const SECTOR: i64 = 32;
/// Number of banks of shared memory.
pub const BANKS: i64 = 32;
/// Bytes of one word of a bank.
pub const BANK_WORD: i64 = 4;
/// Bytes that shared memory serves in one phase.
const PHASE: i64 = BANKS * BANK_WORD;

/// The memory that an address points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Global,
    Shared,
    Local,
    Constant,
    /// A pointer that may point to any of them.
    Generic,
}

impl std::fmt::Display for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["global", "shared", "local", "constant", "generic"][*self as usize])
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Load,
    Store,
    Atomic,
}

impl Action {
    /// As in "every lane … the same address".
    pub fn verb(self) -> &'static str {
        ["reads", "writes", "updates"][self as usize]
    }
    /// As a noun.
    pub fn noun(self) -> &'static str {
        ["load", "store", "atomic"][self as usize]
    }
}

/// How the addresses of the lanes are distributed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// One address for all lanes.
    Same,
    /// Lane `l` is `l·stride` bytes from lane 0.
    Stride(i64),
    /// Known distances that are not multiples of the lane number.
    Scattered,
    /// Lanes are `bytes·factor` apart, where the factor is a uniform value or the product of two.
    Symbolic { bytes: i64, factors: SmallVec<[Value; 2]> },
    /// Nothing is known.
    Unknown,
}

/// What an answer assumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Assumed {
    /// The arithmetic of an index of this width does not wrap.
    pub no_wrap: Option<u32>,
    /// Warps lie along x.
    pub rows: bool,
}

/// What one request of a full warp costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Number of sectors, and the smallest number possible.
    Sectors { needed: u32, ideal: u32 },
    /// How often the busiest bank is used in the worst phase; 1 means no conflict.
    BankWays(u32),
    /// Not counted: the memory is unknown, or cached differently.
    None,
}

/// One load, store or atomic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpAccess {
    pub inst: Inst,
    pub pointer: Value,
    pub action: Action,
    pub space: Space,
    /// Bytes that one lane moves.
    pub bytes: u32,
    pub pattern: Pattern,
    pub cost: Cost,
    pub assumed: Assumed,
}

/// Every access of a function, in order. The pieces of a vector are one access, at the position of the first.
pub fn accesses(facts: &Facts) -> Vec<WarpAccess> {
    let func = &facts.func;
    let pieces = Pieces::new(func);
    let own = |&inst: &Inst| facts.is_reachable(func.insts[inst].block) && !pieces.is_moved_along(inst);
    func.insts.keys().filter(own).filter_map(|inst| access(facts, inst, pieces.bytes(inst))).collect()
}

/// What an instruction does to memory, if it is an access. `bytes`: what a lane moves, if that is more than the
/// instruction says.
pub fn access(facts: &Facts, inst: Inst, bytes: Option<u32>) -> Option<WarpAccess> {
    let func = &facts.func;
    let data = &func.insts[inst];
    let operands = func.operands(inst);
    let (pointer, moved, action) = match data.opcode {
        Opcode::Load => (operands[0], func.result(inst), Action::Load),
        Opcode::Store => (operands[1], operands[0], Action::Store),
        Opcode::AtomicRmw | Opcode::CmpXchg => (operands[0], operands[1], Action::Atomic),
        _ => return None,
    };
    let own_bytes = || u32::try_from(func.type_info(moved).store_size).ok().filter(|&bytes| bytes > 0);
    let bytes = bytes.or_else(own_bytes)?;
    let space = space_of(func, pointer);
    let (form, mut assumed) = address_form(facts, pointer, data.block);
    let (pattern, rows, offsets) = match &form {
        None => (Pattern::Unknown, false, Vec::new()),
        Some(form) => lay_out(facts, form),
    };
    assumed.rows |= rows;
    let cost = cost_of(space, &pattern, &offsets, bytes);
    Some(WarpAccess { inst, pointer, action, space, bytes, pattern, cost, assumed })
}

/// The pattern, whether it assumes that warps lie along x, and the offsets of the lanes of each distinct warp.
fn lay_out(facts: &Facts, form: &Form) -> (Pattern, bool, Vec<Vec<i64>>) {
    if facts.lanes().scope_of(form).is_some() {
        return (Pattern::Same, false, Vec::new());
    }
    let mut plain: Vec<(Base, i64)> = Vec::new();
    let mut symbolic: Vec<&Term> = Vec::new();
    for term in &form.terms {
        match term.monomial.as_base() {
            Some(base) => plain.push((base, term.coefficient)),
            None => symbolic.push(term),
        }
    }
    let shape = facts.geometry.exact;
    if !symbolic.is_empty() {
        return symbolic_pattern(facts, &plain, &symbolic);
    }
    let warps = warp_offsets(&plain, shape);
    let rows = shape.is_none() && plain.iter().any(|&(base, _)| base != Base::LaneId);
    (pattern_of(&warps), rows, warps)
}

/// A single symbolic term along x (or the lane) is a stride; other symbolic forms are not described.
fn symbolic_pattern(facts: &Facts, plain: &[(Base, i64)], terms: &[&Term]) -> (Pattern, bool, Vec<Vec<i64>>) {
    let in_rows = facts.geometry.exact.is_none_or(|_| facts.geometry.warps_lie_in_rows());
    let assumes = facts.geometry.exact.is_none();
    let along = |base: Base| matches!(base, Base::TidX | Base::LaneId);
    let mut moving = terms.iter().filter(|term| along(term.monomial.bases.0) || term.monomial.bases.1.is_some());
    let plain_moves = plain.iter().any(|&(base, _)| along(base));
    match (moving.next(), moving.next()) {
        _ if !in_rows => (Pattern::Unknown, false, Vec::new()),
        (None, _) if !plain_moves => (Pattern::Same, assumes, Vec::new()),
        (None, _) => {
            // rows of symbolic length: within a warp only the other terms vary
            let along_x: Vec<(Base, i64)> = plain.iter().copied().filter(|&(base, _)| along(base)).collect();
            let warps = warp_offsets(&along_x, facts.geometry.exact);
            (pattern_of(&warps), assumes, warps)
        }
        (Some(term), None) if !plain_moves && term.monomial.bases.1.is_none() => {
            let factors = term.monomial.symbols().map(|symbol| Value::from_u32(symbol.value())).collect();
            let rows = assumes && term.monomial.bases.0 != Base::LaneId;
            (Pattern::Symbolic { bytes: term.coefficient, factors }, rows, Vec::new())
        }
        _ => (Pattern::Unknown, false, Vec::new()),
    }
}

/// Offsets from lane 0 of the lanes of each warp of a block; of one warp along x if the shape is unknown.
fn warp_offsets(terms: &[(Base, i64)], shape: Option<BlockShape>) -> Vec<Vec<i64>> {
    let at = |x: u32, y: u32, z: u32, lane: u32| -> i64 {
        let parts =
            terms.iter().map(|&(base, coefficient)| coefficient.wrapping_mul([x, y, z, lane][base as usize].into()));
        parts.fold(0, i64::wrapping_add)
    };
    let relative = |addresses: Vec<i64>| -> Vec<i64> {
        let first = addresses[0];
        addresses.into_iter().map(|address| address.wrapping_sub(first)).collect()
    };
    let Some(shape) = shape else {
        return vec![relative((0..WARP_SIZE).map(|lane| at(lane, 0, 0, lane)).collect())];
    };
    let mut warps: Vec<Vec<i64>> = Vec::new();
    for first in (0..shape.threads()).step_by(WARP_SIZE as usize) {
        let lanes = first..(first + WARP_SIZE).min(shape.threads());
        let addresses = lanes.map(|thread| {
            let (x, rest) = (thread % shape.x, thread / shape.x);
            at(x, rest % shape.y, rest / shape.y, thread - first)
        });
        let offsets = relative(addresses.collect());
        if !warps.contains(&offsets) {
            warps.push(offsets);
        }
    }
    warps
}

/// The stride, if all warps have the same one.
fn pattern_of(warps: &[Vec<i64>]) -> Pattern {
    let mut strides = warps.iter().filter(|offsets| offsets.len() > 1).map(|offsets| {
        let stride = offsets[1];
        let even = offsets.iter().enumerate().all(|(lane, &offset)| offset == stride.wrapping_mul(lane as i64));
        even.then_some(stride)
    });
    match strides.next() {
        None => Pattern::Same,
        Some(None) => Pattern::Scattered,
        Some(Some(stride)) if strides.all(|other| other == Some(stride)) => match stride {
            0 => Pattern::Same,
            _ => Pattern::Stride(stride),
        },
        Some(Some(_)) => Pattern::Scattered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Marks every byte of every lane.
    fn brute_sectors(stride: i64, bytes: u32) -> u32 {
        let mut touched = BTreeSet::new();
        for lane in 0..32 {
            for byte in 0..i64::from(bytes) {
                touched.insert((lane * stride + byte - 31 * stride.min(0)).div_euclid(32));
            }
        }
        touched.len() as u32
    }

    /// Words by bank, phase after phase.
    fn brute_ways(offsets: &[i64], bytes: u32) -> u32 {
        let phases = (offsets.len() as u32 * bytes.max(4)).div_ceil(128).max(1);
        let lanes = offsets.len().div_ceil(phases as usize);
        let mut worst = 1;
        for phase in offsets.chunks(lanes) {
            let mut banks: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
            for &offset in phase {
                for byte in 0..i64::from(bytes) {
                    let word = (offset + byte).div_euclid(4);
                    banks.entry(word.rem_euclid(32)).or_default().insert(word);
                }
            }
            worst = worst.max(banks.values().map(BTreeSet::len).max().unwrap() as u32);
        }
        worst
    }

    proptest! {
        #[test]
        fn sectors_as_counted_byte_by_byte(stride in -300i64..300, log in 0u32..5) {
            let offsets: Vec<i64> = (0..32).map(|lane| lane * stride).collect();
            prop_assert_eq!(sectors(&offsets, 1 << log), brute_sectors(stride, 1 << log));
        }

        #[test]
        fn banks_as_counted_byte_by_byte(stride in -70i64..70, log in 0u32..5) {
            // accesses to shared memory are aligned to their size
            let offsets: Vec<i64> = (0..32).map(|lane| (lane * stride) << log).collect();
            prop_assert_eq!(bank_ways(&offsets, 1 << log), brute_ways(&offsets, 1 << log));
        }

        #[test]
        fn offsets_as_enumerated_thread_by_thread(x in 1u32..40, y in 1u32..6, z in 1u32..3, cx in -9i64..9, cy in -9i64..9, cz in -9i64..9) {
            let shape = BlockShape { x, y, z };
            let warps = warp_offsets(&[(Base::TidX, cx), (Base::TidY, cy), (Base::TidZ, cz)], Some(shape));
            let mut threads = Vec::new();
            for tz in 0..z { for ty in 0..y { for tx in 0..x {
                threads.push(cx * i64::from(tx) + cy * i64::from(ty) + cz * i64::from(tz));
            }}}
            for warp in threads.chunks(32) {
                let relative: Vec<i64> = warp.iter().map(|address| address - warp[0]).collect();
                prop_assert!(warps.contains(&relative));
            }
        }
    }
}
