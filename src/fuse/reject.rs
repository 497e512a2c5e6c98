//! Why is a divergent branch not fused? One variant, and one remark, for each reason.

use super::legality::Obstacle;
use super::plan::{Numbers, Visits};
use std::fmt;
use warpwise_ir::entity::Inst;

/// Why a divergent branch is left unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuseReject {
    NotTwoWays,
    OneSided,
    Obstacle(Inst, Obstacle),
    NothingAlike([u32; 2]),
    Unprofitable(Numbers),
    Risky(Numbers),
    /// Results would differ in the last bit.
    Contraction,
    /// One side leaves a loop in which the other stays.
    LeavesLoop,
    /// Lanes agree if warps extend along x.
    AlongRows,
    /// Lanes differ in quotients by numbers that are not known here, which are mostly larger than a warp.
    Quotient,
    /// More registers would be needed than are available, and before there were enough; the number is the limit.
    Pressure(Numbers, u32),
    /// Without a map: what is saved for warps that split, weighted by their estimated share (in percent), does not make
    /// up for what the others lose.
    RarelySplits(Numbers, u32),
    /// Hardly any warp reaches the branch.
    Cold,
    /// According to a divergence map, the branch never splits a warp.
    NeverSplits(Visits),
    /// According to a divergence map, the branch splits too few warps to make up for what the others lose.
    FewSplits(Numbers),
}

impl FuseReject {
    /// The name of the remark.
    pub fn name(&self) -> &'static str {
        match self {
            FuseReject::NotTwoWays => "NotFusedNotTwoWays",
            FuseReject::OneSided => "NotFusedOneSided",
            FuseReject::Obstacle(..) => "NotFusedObstacle",
            FuseReject::NothingAlike(_) => "NotFusedNothingAlike",
            FuseReject::Unprofitable(_) => "NotFusedUnprofitable",
            FuseReject::Risky(_) => "NotFusedRisky",
            FuseReject::Contraction => "NotFusedContraction",
            FuseReject::LeavesLoop => "NotFusedLeavesLoop",
            FuseReject::AlongRows => "NotFusedAlongRows",
            FuseReject::Quotient => "NotFusedQuotient",
            FuseReject::Pressure(..) => "NotFusedPressure",
            FuseReject::RarelySplits(..) => "NotFusedRarelySplits",
            FuseReject::Cold => "NotFusedCold",
            FuseReject::NeverSplits(_) | FuseReject::FewSplits(_) => "NotFusedFewSplits",
        }
    }
}

impl fmt::Display for FuseReject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "divergent branch not fused: ")?;
        match self {
            FuseReject::NotTwoWays => write!(f, "it has more than two ways"),
            FuseReject::OneSided => write!(f, "it has one side only, or a side is entered from elsewhere too"),
            FuseReject::Obstacle(_, obstacle) => write!(f, "a side holds {obstacle}"),
            FuseReject::NothingAlike([t, e]) => write!(f, "nothing matches in sides of {t} and {e} instructions"),
            FuseReject::Unprofitable(numbers) => write!(f, "it does not pay: {numbers}"),
            FuseReject::Risky(numbers) => {
                write!(f, "a warp that does not split would lose {} cycles: {numbers}", numbers.risk)
            }
            FuseReject::Contraction => write!(
                f,
                "other products and sums could become multiply-adds, which changes last bits; -mllvm -warpwise-results=contract allows that"
            ),
            FuseReject::LeavesLoop => {
                write!(f, "one side leaves the loop that the other stays in: it would be executed in every iteration")
            }
            FuseReject::Quotient => write!(
                f,
                "it depends on quotients of the lane by a number that is not known here, on which neighbours mostly agree; a divergence map would tell"
            ),
            FuseReject::AlongRows => write!(
                f,
                "it depends on threadIdx.y or z only, on which lanes agree in blocks of 32 and more in x; -warpwise-block=XxY would tell"
            ),
            FuseReject::Pressure(numbers, budget) => {
                write!(f, "it would need more than the {budget} registers there are: {numbers}")
            }
            FuseReject::RarelySplits(numbers, percent) => write!(
                f,
                "it is assumed to split {percent} % of the warps, too few for what the others would lose; -warpwise-profile-generate and -warpwise-profile-use=FILE would tell: {numbers}"
            ),
            FuseReject::Cold => write!(f, "hardly any warp comes to it"),
            FuseReject::NeverSplits(visits) => write!(f, "{visits}"),
            FuseReject::FewSplits(numbers) => {
                write!(f, "too few warps split for what each of the others would lose: {numbers}")
            }
        }
    }
}
