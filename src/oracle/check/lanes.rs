//! What remains of the values of a warp's lanes after a claim's terms are subtracted? Arithmetic on all lanes of a
//! step.

use super::claims::{Check, Reading};
use crate::simt::{LANES, Lanes, mix};
use warpwise_analysis::affine::form::Ext;

/// The value of every lane, and the lanes in which it is undefined.
#[derive(Clone)]
pub(super) struct Tracked {
    pub(super) values: Lanes,
    pub(super) undef: u32,
}

pub(super) const NEVER_SET: Tracked = Tracked { values: [0; LANES], undef: u32::MAX };

pub(super) fn store(tracked: &mut Tracked, here: &Tracked, lanes: u32) {
    for (lane, (value, &new)) in tracked.values.iter_mut().zip(&here.values).enumerate() {
        if lanes >> lane & 1 != 0 {
            *value = new;
        }
    }
    tracked.undef = tracked.undef & !lanes | here.undef & lanes;
}

/// A value as one number per lane: the number itself if it has one slot, else a hash of all of its slots.
pub(super) fn whole(slots: &[Lanes]) -> Lanes {
    let Some((first, rest)) = slots.split_first() else { return [0; LANES] };
    rest.iter().fold(*first, |all, slot| std::array::from_fn(|lane| mix(all[lane], slot[lane])))
}

/// `value − Σ terms` for every lane, in the reading of the check.
pub(super) fn rests(check: &Check, values: &Lanes, shadow: &[Tracked], bases: &[Lanes; 4]) -> Lanes {
    let mask = if check.bits >= 64 { u64::MAX } else { (1 << check.bits) - 1 };
    if check.reading == Reading::Modular {
        let mut rests = *values;
        for term in &check.terms {
            let mut product = bases[term.first as usize];
            if let Some(second) = term.second {
                for lane in 0..LANES {
                    product[lane] = product[lane].wrapping_mul(bases[second as usize][lane]);
                }
            }
            for symbol in &term.symbols {
                let factor = &shadow[symbol.track as usize].values;
                let shift = if symbol.ext == Ext::Sext { 64 - symbol.bits } else { 0 };
                for lane in 0..LANES {
                    let factor = (((factor[lane] << shift) as i64) >> shift) as u64;
                    product[lane] = product[lane].wrapping_mul(factor);
                }
            }
            for lane in 0..LANES {
                rests[lane] = rests[lane].wrapping_sub(product[lane].wrapping_mul(term.coefficient as u64));
            }
        }
        rests.iter_mut().for_each(|rest| *rest &= mask);
        return rests;
    }
    let signed = check.reading == Reading::Signed;
    std::array::from_fn(|lane| {
        let mut rest = integer(values[lane], check.bits, signed);
        for term in &check.terms {
            let mut product = i128::from(term.coefficient) * i128::from(bases[term.first as usize][lane]);
            if let Some(second) = term.second {
                product = product.wrapping_mul(bases[second as usize][lane].into());
            }
            for symbol in &term.symbols {
                let value = shadow[symbol.track as usize].values[lane];
                let factor = match symbol.ext {
                    Ext::Zext => integer(value, symbol.bits, false),
                    Ext::Sext => integer(value, symbol.bits, true),
                    Ext::None | Ext::Trunc => integer(value, check.bits, signed),
                };
                product = product.wrapping_mul(factor);
            }
            rest = rest.wrapping_sub(product);
        }
        match i64::try_from(rest) {
            Ok(rest) => rest as u64,
            Err(_) => mix(rest as u64, (rest >> 64) as u64),
        }
    })
}

/// The integer that the low `bits` represent.
fn integer(value: u64, bits: u32, signed: bool) -> i128 {
    let shift = 64 - bits.clamp(1, 64);
    if signed { i128::from(((value << shift) as i64) >> shift) } else { i128::from((value << shift) >> shift) }
}

/// The lanes of a mask in which a value has a property; all lanes at once, without branches.
pub(super) fn lanes_with(mask: u32, values: &Lanes, has: impl Fn(u64) -> bool) -> u32 {
    let mut found = 0;
    for (lane, &value) in values.iter().enumerate() {
        found |= u32::from(has(value)) << lane;
    }
    found & mask
}
