//! Under which launches would a divergent branch be uniform? Conditional facts, as data and in words.
//!
//! A conditional fact is no fact: [`Facts`](super::Facts) never contains one, and a transform may use it only in code
//! that tests the condition at the launch. [`hypothesis`](super::hypothesis) finds them.

use rustc_hash::FxHashMap;
use warpwise_ir::entity::{Block, Value};

/// A comparison of a thread's index with a limit that comes out the same for every thread of the launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// 0 (x), 1 (y) or 2 (z).
    pub dim: usize,
    /// The index is `blockIdx·blockDim + threadIdx`, otherwise `threadIdx`.
    pub in_grid: bool,
    /// Extent of the block along the dimension, if it is known.
    pub extent: Option<u32>,
    /// Added to the number of indices.
    pub plus: i64,
    /// An integer that is known at the launch.
    pub limit: Value,
    /// The limit as a number, if it is one.
    pub number: Option<i64>,
}

/// A property of a launch under which a branch is uniform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// No index reaches its limit.
    Covered(Vec<Bound>),
    /// `blockDim.x` is a multiple of 32.
    WholeWarps,
    /// The block has one dimension.
    OneRow,
    /// These arguments are multiples of 32, and so is `blockDim.x` unless the block shape is known.
    Multiples { arguments: Vec<Value>, and_rows: bool },
}

impl Condition {
    /// The condition in words. `name` names a value.
    pub fn text(&self, name: impl Fn(Value) -> String) -> String {
        match self {
            Condition::Covered(bounds) => {
                let texts: Vec<String> = bounds.iter().map(|bound| bound.text(&name)).collect();
                texts.join(" and ")
            }
            Condition::WholeWarps => "blockDim.x is a multiple of 32".to_owned(),
            Condition::OneRow => "the block has one dimension".to_owned(),
            Condition::Multiples { arguments, and_rows } => {
                let rows = and_rows.then(|| "blockDim.x".to_owned());
                let names: Vec<String> = rows.into_iter().chain(arguments.iter().map(|&value| name(value))).collect();
                match names.as_slice() {
                    [one] => format!("{one} is a multiple of 32"),
                    all => format!("{} are multiples of 32", all.join(" and ")),
                }
            }
        }
    }
}

impl Bound {
    fn text(&self, name: impl Fn(Value) -> String) -> String {
        let axis = ["x", "y", "z"][self.dim];
        let block = self.extent.map_or_else(|| format!("blockDim.{axis}"), |extent| extent.to_string());
        let indices = if self.in_grid { format!("gridDim.{axis} * {block}") } else { block };
        if let Some(number) = self.number.and_then(|number| number.checked_sub(self.plus)) {
            return format!("{indices} <= {number}");
        }
        let limit = name(self.limit);
        match self.plus {
            0 => format!("{indices} <= {limit}"),
            plus if plus > 0 => format!("{indices} + {plus} <= {limit}"),
            plus => format!("{indices} - {} <= {limit}", plus.unsigned_abs()),
        }
    }
}

/// The conditional facts of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    pub(super) of_branches: FxHashMap<Block, Vec<Condition>>,
}

impl Conditions {
    /// Conditions each of which makes the branch at the end of a block uniform.
    pub fn of_branch(&self, block: Block) -> &[Condition] {
        self.of_branches.get(&block).map_or(&[], Vec::as_slice)
    }
    /// The same in words: `uniform if A or if B`; `None` if there are none.
    pub fn text(&self, block: Block, name: impl Fn(Value) -> String) -> Option<String> {
        let texts: Vec<String> = self.of_branch(block).iter().map(|condition| condition.text(&name)).collect();
        (!texts.is_empty()).then(|| format!("uniform if {}", texts.join(", or if ")))
    }
}
