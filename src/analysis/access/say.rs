//! How are a stride and its cost put into words?

use super::{Assumed, Cost, Pattern, SECTOR, Space, WarpAccess};
use warpwise_ir::entity::Value;
use warpwise_ir::geometry::WARP_SIZE;

/// Describes what a stride costs; `None` if there is nothing to improve, unless `all` is set.
pub fn describe(access: &WarpAccess, factor: impl Fn(Value) -> String, all: bool) -> Option<String> {
    let mut text = match (&access.pattern, access.cost) {
        (Pattern::Unknown, _) => return None,
        (Pattern::Same, _) if matches!(access.space, Space::Local | Space::Constant) && !all => return None,
        (Pattern::Same, _) if access.space == Space::Local => {
            return Some("each thread's own copy, all at the same offset: the fewest sectors".to_owned());
        }
        (Pattern::Same, _) => format!("every lane {} the same address", access.action.verb()),
        (pattern, Cost::BankWays(ways)) if ways > 1 => format!("{ways}-way bank conflict: {}", spacing(pattern)),
        (pattern, Cost::Sectors { needed, ideal }) if needed > ideal => {
            format!("{}: {needed} sectors per request instead of {ideal}", spacing(pattern))
        }
        (Pattern::Symbolic { bytes, factors }, _) => {
            let names: Vec<String> = factors.iter().map(|&value| format!("`{}`", factor(value))).collect();
            let unit = match bytes.unsigned_abs() {
                1 => String::new(),
                bytes => format!("{bytes}*"),
            };
            let worst = match access.space {
                Space::Global => {
                    let ideal = (WARP_SIZE * access.bytes).div_ceil(SECTOR as u32);
                    format!(": up to {} sectors per request instead of {ideal}", worst_sectors(access.bytes))
                }
                Space::Shared => ": bank conflicts unless that is an odd number of words".to_owned(),
                _ => String::new(),
            };
            format!("lanes {unit}{} bytes apart{worst}", names.join("*"))
        }
        // optimal in every memory
        (Pattern::Stride(stride), Cost::None) if stride.unsigned_abs() <= u64::from(access.bytes) && !all => {
            return None;
        }
        (pattern, Cost::None) if access.space == Space::Generic => spacing(pattern),
        (pattern, _) if all => match access.cost {
            Cost::BankWays(_) => format!("{}: no bank conflict", spacing(pattern)),
            Cost::Sectors { needed, .. } => format!("{}: {needed} sectors per request, the fewest", spacing(pattern)),
            Cost::None => spacing(pattern),
        },
        _ => return None,
    };
    if access.space == Space::Local {
        text = format!("local memory: {text}");
    }
    if let Some(assumption) = assumption(access.assumed) {
        text += &format!(", if {assumption}");
    }
    Some(text)
}

fn worst_sectors(bytes: u32) -> u32 {
    WARP_SIZE * bytes.div_ceil(SECTOR as u32)
}

/// What must hold for the figures to be right.
fn assumption(assumed: Assumed) -> Option<String> {
    let index = assumed.no_wrap.map(|bits| format!("the {bits}-bit index does not wrap"));
    let rows = assumed.rows.then(|| "warps lie along x".to_owned());
    match (index, rows) {
        (Some(index), Some(rows)) => Some(format!("{index} and {rows}")),
        (one, other) => one.or(other),
    }
}

fn spacing(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Stride(stride) => match stride.unsigned_abs() {
            1 => "lanes 1 byte apart".to_owned(),
            bytes => format!("lanes {bytes} bytes apart"),
        },
        Pattern::Same => "one address for all lanes".to_owned(),
        Pattern::Scattered => "lanes apart by more than one distance".to_owned(),
        Pattern::Symbolic { .. } | Pattern::Unknown => "lanes an unknown distance apart".to_owned(),
    }
}
