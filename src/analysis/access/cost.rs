//! What does one request of a warp cost the memory system? Distances between lanes go in; sectors and bank conflicts
//! come out.

use super::{BANK_WORD, BANKS, Cost, PHASE, Pattern, SECTOR, Space};
use std::ops::RangeInclusive;
use warpwise_ir::geometry::WARP_SIZE;

/// The cost of the most expensive warp. `bytes`: what one lane moves.
pub(super) fn cost_of(space: Space, pattern: &Pattern, warps: &[Vec<i64>], bytes: u32) -> Cost {
    let full = WARP_SIZE as usize;
    match (space, pattern) {
        (_, Pattern::Unknown | Pattern::Symbolic { .. }) | (Space::Constant | Space::Generic, _) => Cost::None,
        (Space::Global, Pattern::Same) => Cost::Sectors { needed: sectors(&[0], bytes), ideal: sectors(&[0], bytes) },
        (Space::Shared, Pattern::Same) => Cost::BankWays(1),
        (Space::Local, Pattern::Same) => {
            let ideal = local_sectors(&vec![0; full], bytes);
            Cost::Sectors { needed: ideal, ideal }
        }
        (Space::Global, _) => {
            let dearest = warps.iter().map(|offsets| (sectors(offsets, bytes), offsets.len())).max();
            let (needed, lanes) = dearest.unwrap_or((0, full));
            Cost::Sectors { needed, ideal: (lanes as u32 * bytes).div_ceil(SECTOR as u32).max(1) }
        }
        (Space::Shared, _) => Cost::BankWays(warps.iter().map(|offsets| bank_ways(offsets, bytes)).max().unwrap_or(1)),
        (Space::Local, _) => {
            let dearest = warps.iter().map(|offsets| (local_sectors(offsets, bytes), offsets.len())).max();
            let (needed, lanes) = dearest.unwrap_or((0, full));
            Cost::Sectors { needed, ideal: local_sectors(&vec![0; lanes], bytes) }
        }
    }
}

/// Number of distinct sectors that lanes touch if the lowest address is aligned to a sector.
pub fn sectors(offsets: &[i64], bytes: u32) -> u32 {
    let lowest = offsets.iter().copied().min().unwrap_or(0);
    let apart = offsets.iter().map(|&offset| offset.wrapping_sub(lowest));
    distinct(apart.flat_map(|offset| units(offset, bytes, SECTOR))).len() as u32
}

/// The largest number of distinct words of one bank that one phase needs.
pub fn bank_ways(offsets: &[i64], bytes: u32) -> u32 {
    let lanes_a_phase = (PHASE / i64::from(bytes.max(BANK_WORD as u32))).clamp(1, i64::from(WARP_SIZE)) as usize;
    offsets.chunks(lanes_a_phase).map(|phase| worst_bank(phase, bytes)).max().unwrap_or(1)
}

fn worst_bank(offsets: &[i64], bytes: u32) -> u32 {
    let mut used = [0u32; BANKS as usize];
    for word in distinct(offsets.iter().flat_map(|&offset| units(offset, bytes, BANK_WORD))) {
        used[word.rem_euclid(BANKS) as usize] += 1;
    }
    used.into_iter().max().unwrap_or(1).max(1)
}

/// Number of distinct sectors of local memory: word `w` of lane `l` is word `32·w + l`.
pub fn local_sectors(offsets: &[i64], bytes: u32) -> u32 {
    let places = offsets.iter().zip(0i64..).flat_map(|(&offset, lane)| {
        units(offset, bytes, BANK_WORD)
            .map(move |word| (word * i64::from(WARP_SIZE) + lane).div_euclid(SECTOR / BANK_WORD))
    });
    distinct(places).len() as u32
}

/// The units of so many bytes that an access touches.
fn units(offset: i64, bytes: u32, unit: i64) -> RangeInclusive<i64> {
    offset.div_euclid(unit)..=(offset + i64::from(bytes) - 1).div_euclid(unit)
}

fn distinct(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut all: Vec<i64> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all
}
