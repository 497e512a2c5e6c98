//! Why is a divergent branch not fused? One variant, and one remark, for each reason.

use super::legality::Obstacle;
use super::plan::{Numbers, Visits};
use warpwise_ir::entity::Inst;

/// Why a divergent branch is left unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FuseReject {
    #[error("it has more than two ways")]
    NotTwoWays,
    #[error("it has one side only, or a side is entered from elsewhere too")]
    OneSided,
    #[error("a side holds {1}")]
    Obstacle(Inst, Obstacle),
    #[error("nothing matches in sides of {} and {} instructions", .0[0], .0[1])]
    NothingAlike([u32; 2]),
    #[error("it does not pay: {0}")]
    Unprofitable(Numbers),
    #[error("a warp that does not split would lose {} cycles: {}", .0.risk, .0)]
    Risky(Numbers),
    #[error(
        "other products and sums could become multiply-adds, which changes last bits; -mllvm -warpwise-results=contract allows that"
    )]
    Contraction,
    #[error("one side leaves the loop that the other stays in: it would be executed in every iteration")]
    LeavesLoop,
    /// See [`super::legality::is_beside_call`].
    #[error("other lanes may be in a call meanwhile, and ptxas may then overwrite what this branch reads")]
    BesideCall,
    /// Lanes agree if warps extend along x.
    #[error(
        "it depends on threadIdx.y or z only, on which lanes agree in blocks of 32 and more in x; -warpwise-block=XxY would tell"
    )]
    AlongRows,
    /// Lanes differ in quotients by numbers that are mostly larger than a warp.
    #[error(
        "it depends on quotients of the lane by a number that is not known here, on which neighbours mostly agree; a divergence map would tell"
    )]
    Quotient,
    /// Before there were enough registers; the number is the limit.
    #[error("it would need more than the {1} registers there are: {0}")]
    Pressure(Numbers, u32),
    /// Without a map: savings are weighted by an estimated share of the warps, in percent.
    #[error(
        "it is assumed to split {1} % of the warps, too few for what the others would lose; -warpwise-profile-generate and -warpwise-profile-use=FILE would tell: {0}"
    )]
    RarelySplits(Numbers, u32),
    #[error("hardly any warp comes to it")]
    Cold,
    /// According to a divergence map.
    #[error("{0}")]
    NeverSplits(Visits),
    /// The same.
    #[error("too few warps split for what each of the others would lose: {0}")]
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
            FuseReject::BesideCall => "NotFusedBesideCall",
            FuseReject::AlongRows => "NotFusedAlongRows",
            FuseReject::Quotient => "NotFusedQuotient",
            FuseReject::Pressure(..) => "NotFusedPressure",
            FuseReject::RarelySplits(..) => "NotFusedRarelySplits",
            FuseReject::Cold => "NotFusedCold",
            FuseReject::NeverSplits(_) | FuseReject::FewSplits(_) => "NotFusedFewSplits",
        }
    }
}
