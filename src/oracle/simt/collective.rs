//! What are the results of votes, shuffles, matches and reductions for the participating lanes?
//!
//! Pure functions of the operands of all lanes, so that both schedulers can use them. A shuffle from a lane that does
//! not participate yields poison, because PTX leaves it undefined.

use super::code::*;
use super::fault::{Exec, FaultKind, trap};
use super::float;
use super::warp::{among, lanes_of};

/// Operands of all lanes: mask, value, lane or predicate, clamp; and where each is undefined.
#[derive(Clone, Default)]
pub struct Operands {
    pub values: [Lanes; 4],
    pub undef: [u32; 4],
}

/// Results of all lanes.
#[derive(Clone, Default)]
pub struct Results {
    pub value: Lanes,
    pub value_undef: u32,
    /// The second result, where there is one.
    pub second: Lanes,
    pub second_undef: u32,
}

/// The mask operand of operations without one: all active lanes participate.
pub fn is_maskless(mask: u64) -> bool {
    mask >> 32 != 0
}

/// Groups the active lanes by their mask, and checks that every lane in a mask is present.
pub fn groups(operands: &Operands, active: u32, running: u32) -> Exec<Vec<u32>> {
    let masks = &operands.values[0];
    if let lanes @ 1.. = operands.undef[0] & active {
        return trap(lanes.trailing_zeros(), FaultKind::Undef { usage: "the mask of a .sync operation" });
    }
    let mut groups = Vec::new();
    let mut rest = active;
    while rest != 0 {
        let first = rest.trailing_zeros() as usize;
        let group = among(rest, |lane| masks[lane] == masks[first]);
        rest &= !group;
        if !is_maskless(masks[first]) {
            let mask = masks[first] as u32;
            if let lanes @ 1.. = group & !mask {
                let lane = lanes.trailing_zeros();
                return trap(lane, FaultKind::SyncNotInMask { lane, mask });
            }
            let absent = mask & running & !group;
            if let lanes @ 1.. = absent & active {
                let second = masks[lanes.trailing_zeros() as usize] as u32;
                return trap(first as u32, FaultKind::SyncMaskMismatch { first: mask, second });
            }
            if absent != 0 {
                return trap(first as u32, FaultKind::SyncAbsentLane { mask, absent });
            }
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Computes the results for one group of lanes; entries of other lanes are not changed.
pub fn compute(what: Collective, group: u32, operands: &Operands, results: &mut Results) {
    let a = &operands.values[1];
    let holds = among(group, |lane| a[lane] & 1 != 0);
    // lanes whose value agrees with that of `lane` in the low bits
    let alike = |bits: u8, lane: usize| {
        let keep = u64::MAX >> (64 - u32::from(bits));
        among(group, |other| (a[other] ^ a[lane]) & keep == 0)
    };
    let leader = group.trailing_zeros() as usize & 31;
    let value = match what {
        Collective::WarpSync => return,
        Collective::Shuffle(direction) => return shuffle(direction, group, operands, results),
        Collective::VoteAll => u32::from(holds == group),
        Collective::VoteAny => u32::from(holds != 0),
        Collective::VoteUni => u32::from(holds == group || holds == 0),
        Collective::Ballot => holds,
        Collective::Elect => leader as u32,
        Collective::MatchAny(_) => 0,
        Collective::MatchAll(bits) if alike(bits, leader) == group => group,
        Collective::MatchAll(_) => 0,
        Collective::Reduce(op) => reduce(op, lanes_of(group).map(|lane| a[lane] as u32)),
    };
    for lane in lanes_of(group) {
        (results.value[lane], results.second[lane]) = match what {
            Collective::MatchAny(bits) => (alike(bits, lane).into(), 0),
            Collective::Elect => (value.into(), u64::from(lane == leader)),
            _ => (value.into(), u64::from(value != 0)),
        };
    }
    // the elected lane does not depend on any operand
    if what != Collective::Elect && operands.undef[1] & group != 0 {
        results.value_undef |= group;
        results.second_undef |= group;
    }
}

fn shuffle(direction: Shuffle, group: u32, operands: &Operands, results: &mut Results) {
    let [_, a, b, c] = &operands.values;
    for lane in lanes_of(group) {
        let (step, clamp) = ((b[lane] & 31) as i32, c[lane] as u32);
        let (limit, segment) = ((clamp & 31) as i32, (clamp >> 8 & 31) as i32);
        let own = lane as i32;
        let highest = (own & segment) | (limit & !segment);
        let (from, inside) = match direction {
            Shuffle::Up => (own - step, own - step >= highest),
            Shuffle::Down => (own + step, own + step <= highest),
            Shuffle::Butterfly => (own ^ step, own ^ step <= highest),
            Shuffle::Index => {
                let from = (own & segment) | (step & !segment);
                (from, from <= highest)
            }
        };
        let from = if inside { from as usize & 31 } else { lane };
        results.value[lane] = a[from];
        results.second[lane] = u64::from(inside);
        let poison = group >> from & 1 == 0 || operands.undef[1] >> from & 1 != 0;
        let undecided = (operands.undef[2] | operands.undef[3]) >> lane & 1 != 0;
        results.value_undef |= u32::from(poison || undecided) << lane;
        results.second_undef |= u32::from(undecided) << lane;
    }
}

fn reduce(op: Reduce, mut values: impl Iterator<Item = u32>) -> u32 {
    let first = values.next().unwrap_or(0);
    match op {
        Reduce::Add => values.fold(first, u32::wrapping_add),
        Reduce::And => values.fold(first, |x, y| x & y),
        Reduce::Or => values.fold(first, |x, y| x | y),
        Reduce::Xor => values.fold(first, |x, y| x ^ y),
        Reduce::UMin => values.fold(first, u32::min),
        Reduce::UMax => values.fold(first, u32::max),
        Reduce::Min => values.fold(first, |x, y| (x as i32).min(y as i32) as u32),
        Reduce::Max => values.fold(first, |x, y| (x as i32).max(y as i32) as u32),
        Reduce::Float { max, abs, nan } => {
            let clear = if abs { 0x7fff_ffff } else { u32::MAX };
            let op = FloatOp::extreme(max, nan);
            let step = |x: u32, y: u32| {
                float::float(op, Fmt::Single, Mode::default(), [x, y & clear, 0].map(u64::from)) as u32
            };
            values.fold(step(first & clear, first), step)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffle(direction: Shuffle, step: u64, clamp: u64, group: u32) -> Results {
        let mut operands = Operands::default();
        operands.values[1] = std::array::from_fn(|lane| 100 + lane as u64);
        operands.values[2] = [step; LANES];
        operands.values[3] = [clamp; LANES];
        let mut results = Results::default();
        compute(Collective::Shuffle(direction), group, &operands, &mut results);
        results
    }

    #[test]
    fn shuffles_follow_ptx() {
        let down = shuffle(Shuffle::Down, 4, 31, FULL);
        assert_eq!((down.value[0], down.value[28], down.second[28]), (104, 128, 0));
        let up = shuffle(Shuffle::Up, 1, 0, FULL);
        assert_eq!((up.value[0], up.second[0], up.value[5]), (100, 0, 104));
        // Segments of eight lanes: clamp 0x181f.
        let index = shuffle(Shuffle::Index, 2, 0x181f, FULL);
        assert_eq!((index.value[9], index.value[31]), (110, 126));
        let xor = shuffle(Shuffle::Butterfly, 1, 31, 1);
        assert_eq!(xor.value_undef, 1, "the source lane takes no part");
    }

    #[test]
    fn masks_are_checked() {
        let mut operands = Operands::default();
        operands.values[0] = std::array::from_fn(|lane| if lane < 16 { 0xffff } else { 0xffff_0000 });
        assert_eq!(groups(&operands, FULL, FULL).unwrap(), vec![0xffff, 0xffff_0000]);
        let absent = groups(&operands, 0xff, FULL).unwrap_err();
        assert_eq!(absent.kind, FaultKind::SyncAbsentLane { mask: 0xffff, absent: 0xff00 });
        assert!(groups(&operands, 0xff, 0xff).is_ok(), "exited lanes are not waited for");
    }
}
